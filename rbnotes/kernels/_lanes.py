"""The same steps for the lanes of a batch: functions of their own, whose arrays are told apart."""

from numba import njit

from rbnotes.kernels import _steps
from rbnotes.kernels._algebra import OPTIONS
from rbnotes.kernels._layout import MOTION, ZERO, U

LANES = U(16)

_apart = njit(**OPTIONS)


@_apart
def turns(kind, own, numbers, r):
    """See :func:`rbnotes.kernels._steps.turn`."""
    _steps.turn(kind, own, ZERO, numbers, r, LANES)


@_apart
def velocities(own, parent, numbers, r):
    """See :func:`rbnotes.kernels._steps.velocity`."""
    _steps.velocity(own, ZERO, parent, ZERO, numbers, r, LANES)


@_apart
def accelerations(own, parent, numbers, r):
    """See :func:`rbnotes.kernels._steps.acceleration`."""
    _steps.acceleration(own, ZERO, parent, ZERO, numbers, r, LANES, MOTION)


@_apart
def rests_of_hinges(own, mine, theirs, adds, carries, numbers, r):
    """See :func:`rbnotes.kernels._steps.rest_of_hinge`."""
    _steps.rest_of_hinge(own, ZERO, mine, ZERO, theirs, ZERO, adds, carries, numbers, r, LANES)


@_apart
def rests_of_screws(kind, own, mine, theirs, adds, carries, numbers, r):
    """See :func:`rbnotes.kernels._steps.rest_of_screw`."""
    _steps.rest_of_screw(kind, own, ZERO, mine, ZERO, theirs, ZERO, adds, carries, numbers, r, LANES)


@_apart
def driven_many(own, parent, load, numbers, r):
    """See :func:`rbnotes.kernels._steps.driven`."""
    _steps.driven(own, ZERO, parent, ZERO, load, ZERO, numbers, r, LANES)


@_apart
def inwards(own, load, theirs, numbers, r):
    """See :func:`rbnotes.kernels._steps.inward`."""
    _steps.inward(own, ZERO, load, ZERO, theirs, ZERO, numbers, r, LANES)
