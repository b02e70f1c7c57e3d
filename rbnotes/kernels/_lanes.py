"""The same steps for the lanes of a batch, with arrays that the compiler tells apart.

Each comes twice: one cuts records and slots out of the room, since only the arguments of a function are known
to be different arrays.
"""

from rbnotes.kernels import _steps
from rbnotes.kernels._algebra import apart
from rbnotes.kernels._layout import MOTION, RECORD, SLOT, TWIST, ZERO, U
from rbnotes.kernels._width import widest

LANES = U(16)
_RECORD, _SLOT, _TWIST = RECORD * LANES, SLOT * LANES, TWIST * LANES


@apart
def turns(kind, work, o, numbers, r):
    """See :func:`rbnotes.kernels._steps.turn`."""
    widest()
    _turns(kind, work[o : o + _RECORD], numbers, r)


@apart
def _turns(kind, own, numbers, r):
    widest()
    _steps.turn(kind, own, ZERO, numbers, r, LANES)


@apart
def velocities(work, o, p, numbers, r):
    """See :func:`rbnotes.kernels._steps.velocity`."""
    widest()
    _velocities(work[o : o + _RECORD], work[p : p + _RECORD], numbers, r)


@apart
def _velocities(own, parent, numbers, r):
    widest()
    _steps.velocity(own, ZERO, parent, ZERO, numbers, r, LANES)


@apart
def accelerations(work, o, p, numbers, r):
    """See :func:`rbnotes.kernels._steps.acceleration`."""
    widest()
    _accelerations(work[o : o + _RECORD], work[p : p + _RECORD], numbers, r)


@apart
def _accelerations(own, parent, numbers, r):
    widest()
    _steps.acceleration(own, ZERO, parent, ZERO, numbers, r, LANES, MOTION)


@apart
def rests_of_hinges(work, o, x, y, adds, carries, numbers, r):
    """See :func:`rbnotes.kernels._steps.rest_of_hinge`."""
    widest()
    own, mine, theirs = work[o : o + _RECORD], work[x : x + _SLOT], work[y : y + _SLOT]
    _rests_of_hinges(own, mine, theirs, adds, carries, numbers, r)


@apart
def _rests_of_hinges(own, mine, theirs, adds, carries, numbers, r):
    widest()
    _steps.rest_of_hinge(own, ZERO, mine, ZERO, theirs, ZERO, adds, carries, numbers, r, LANES)


@apart
def rests_of_screws(kind, work, o, x, y, adds, carries, numbers, r):
    """See :func:`rbnotes.kernels._steps.rest_of_screw`."""
    widest()
    own, mine, theirs = work[o : o + _RECORD], work[x : x + _SLOT], work[y : y + _SLOT]
    _rests_of_screws(kind, own, mine, theirs, adds, carries, numbers, r)


@apart
def _rests_of_screws(kind, own, mine, theirs, adds, carries, numbers, r):
    widest()
    _steps.rest_of_screw(kind, own, ZERO, mine, ZERO, theirs, ZERO, adds, carries, numbers, r, LANES)


@apart
def driven_many(work, o, p, x, numbers, r):
    """See :func:`rbnotes.kernels._steps.driven`."""
    widest()
    _driven_many(work[o : o + _RECORD], work[p : p + _RECORD], work[x : x + _TWIST], numbers, r)


@apart
def _driven_many(own, parent, load, numbers, r):
    widest()
    _steps.driven(own, ZERO, parent, ZERO, load, ZERO, numbers, r, LANES)


@apart
def inwards(work, o, x, y, numbers, r):
    """See :func:`rbnotes.kernels._steps.inward`."""
    widest()
    _inwards(work[o : o + _RECORD], work[x : x + _TWIST], work[y : y + _TWIST], numbers, r)


@apart
def _inwards(own, load, theirs, numbers, r):
    widest()
    _steps.inward(own, ZERO, load, ZERO, theirs, ZERO, numbers, r, LANES)
