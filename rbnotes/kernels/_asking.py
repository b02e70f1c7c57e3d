"""What compiled steps ask of Python on the way: applied forces, and poses at which no bodies overlap."""

import ctypes
from collections import namedtuple

from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

from rbnotes.kernels._distance import bare, dot
from rbnotes.kernels._flight import applied
from rbnotes.kernels._poses import read_bodies, written_motion
from rbnotes.kernels._tables import APPLIED, OVERLAP

Asking = namedtuple("Asking", "address forced time motion wrenches")
"""Who answers, and whether there are forces; the time and the motion it is asked about; and wrenches that it
answers with, as twists are seen. New poses are answered in the place of the old ones."""


def asked(address, about):
    """Calls a function of Python's by its address; zero if all went well."""
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)(about)


@infer_global(asked)
class _Asked(AbstractTemplate):
    def generic(self, arguments, keywords):
        return signature(types.int64, types.int64, types.int64)


@lower_builtin(asked, types.int64, types.int64)
def _asked(context, builder, signature, arguments):
    word = ir.IntType(64)
    kind = ir.FunctionType(word, [word])
    return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), [arguments[1]])


@bare
def forced(bodies, asking, plan, place):
    """Writes the velocities that half a step of the forces gives; false if they cannot be told."""
    if not asking.forced:
        return True
    written_motion(bodies, place, asking.motion)
    if asked(asking.address, APPLIED) != 0:
        return False
    for b in range(len(bodies.mass)):
        m0, m1, m2, f0, f1, f2 = asking.wrenches[b]
        c, R = bodies.com[b], place.R[b]
        about_center = (m0 - c[1] * f2 + c[2] * f1, m1 - c[2] * f0 + c[0] * f2, m2 - c[0] * f1 + c[1] * f0)
        turning, moving = applied(bodies.J_inverse[b], about_center), applied(R, (f0, f1, f2))
        for k in range(3):
            plan.push[b, k] = plan.h / 2 * turning[k]
            plan.push[b, 3 + k] = plan.h / 2 * bodies.lightness[b] * moving[k]
    return True


@bare
def work_of_forces(bodies, plan, before, after):
    """Impulses of the forces times mean velocities."""
    total = 0.0
    for b in range(len(bodies.mass)):
        x, v, u = plan.push[b], before[b], after[b]
        total += dot(applied(bodies.J[b], x), ((v[0] + u[0]) / 2, (v[1] + u[1]) / 2, (v[2] + u[2]) / 2))
        for k in range(3, 6):
            total += bodies.mass[b] * x[k] * (v[k] + u[k]) / 2
    return total


@bare
def moved_apart(bodies, asking, place):
    """Writes poses at which nothing overlaps, and velocities there; false if they cannot be told."""
    written_motion(bodies, place, asking.motion)
    if asked(asking.address, OVERLAP) != 0:
        return False
    read_bodies(bodies, asking.motion, place)
    return True
