"""What compiled steps ask of Python on the way: applied forces, and poses at which no bodies overlap."""

import ctypes
from collections import namedtuple

from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

from rbnotes.compiled.collision.distance import dot, jit_noalloc
from rbnotes.compiled.record_layout import REQUEST_FORCES, REQUEST_SEPARATION
from rbnotes.compiled.simulation.body_states import read_body_states, write_motion
from rbnotes.compiled.simulation.free_motion import matvec

CallbackBuffers = namedtuple("CallbackBuffers", "address forced time motion wrenches")
"""Who answers, and whether there are forces; the time and the motion it is asked about; and wrenches that it
answers with, as twists are seen. New poses are answered in the place of the old ones."""


def call_python(address, request):
    """Calls a function of Python's by its address; zero if all went well."""
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)(request)


@infer_global(call_python)
class _CallPythonTemplate(AbstractTemplate):
    def generic(self, arguments, keywords):
        return signature(types.int64, types.int64, types.int64)


@lower_builtin(call_python, types.int64, types.int64)
def _lower_call_python(context, builder, signature, arguments):
    word = ir.IntType(64)
    kind = ir.FunctionType(word, [word])
    return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), [arguments[1]])


@jit_noalloc
def evaluate_applied_forces(bodies, callbacks, parameters, state):
    """Writes the velocities that half a step of the forces gives; false if they cannot be told."""
    if not callbacks.evaluate_applied_forces:
        return True
    write_motion(bodies, state, callbacks.motion)
    if call_python(callbacks.address, REQUEST_FORCES) != 0:
        return False
    for b in range(len(bodies.mass)):
        m0, m1, m2, f0, f1, f2 = callbacks.wrenches[b]
        c, R = bodies.com[b], state.R[b]
        torque = (m0 - c[1] * f2 + c[2] * f1, m1 - c[2] * f0 + c[0] * f2, m2 - c[0] * f1 + c[1] * f0)
        angular_change, linear_change = matvec(bodies.J_inverse[b], torque), matvec(R, (f0, f1, f2))
        for k in range(3):
            parameters.push[b, k] = parameters.h / 2 * angular_change[k]
            parameters.push[b, 3 + k] = parameters.h / 2 * bodies.lightness[b] * linear_change[k]
    return True


@jit_noalloc
def applied_force_work(bodies, parameters, before, after):
    """Impulses of the forces times mean velocities."""
    total = 0.0
    for b in range(len(bodies.mass)):
        x, v, u = parameters.push[b], before[b], after[b]
        total += dot(matvec(bodies.J[b], x), ((v[0] + u[0]) / 2, (v[1] + u[1]) / 2, (v[2] + u[2]) / 2))
        for k in range(3, 6):
            total += bodies.mass[b] * x[k] * (v[k] + u[k]) / 2
    return total


@jit_noalloc
def separate_bodies(bodies, callbacks, state):
    """Writes poses at which nothing overlaps, and velocities there; false if they cannot be told."""
    write_motion(bodies, state, callbacks.motion)
    if call_python(callbacks.address, REQUEST_SEPARATION) != 0:
        return False
    read_body_states(bodies, callbacks.motion, state)
    return True
