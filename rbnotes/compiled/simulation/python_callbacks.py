"""Callbacks into Python during a compiled step: applied forces, and poses without overlap."""

import ctypes
from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

from rbnotes.compiled.decorators import jit_noalloc
from rbnotes.compiled.linear_algebra import dot, matvec
from rbnotes.compiled.record_layout import REQUEST_FORCES, REQUEST_SEPARATION
from rbnotes.compiled.simulation.body_states import read_body_states, write_motion


class CallbackBuffers(NamedTuple):
    """Address of a Python callback and the arrays that it reads and writes.

    Attributes
    ----------
    address
        Address of the C function that calls Python.
    has_forces
        True if forces are applied.
    time
        Time in s ``(1,)``.
    motion
        Poses and twists ``(n, 22)``; the callback replaces them to separate bodies.
    wrenches
        Applied wrenches in body frames ``(n, 6)``, written by the callback.
    """

    address: Any
    has_forces: Any
    time: Any
    motion: Any
    wrenches: Any


def call_python(address, request):
    """Call a Python function by its address; it returns zero on success."""
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
    """Write the velocity changes by half a step of the applied forces; return False if Python raised."""
    if not callbacks.has_forces:
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
            parameters.force_velocity[b, k] = parameters.h / 2 * angular_change[k]
            parameters.force_velocity[b, 3 + k] = parameters.h / 2 * bodies.inverse_mass[b] * linear_change[k]
    return True


@jit_noalloc
def applied_force_work(bodies, parameters, before, after):
    """Return the work of the applied forces: impulses times mean velocities."""
    total = 0.0
    for b in range(len(bodies.mass)):
        x, v, u = parameters.force_velocity[b], before[b], after[b]
        total += dot(matvec(bodies.J[b], x), ((v[0] + u[0]) / 2, (v[1] + u[1]) / 2, (v[2] + u[2]) / 2))
        for k in range(3, 6):
            total += bodies.mass[b] * x[k] * (v[k] + u[k]) / 2
    return total


@jit_noalloc
def separate_bodies(bodies, callbacks, state):
    """Separate overlapping bodies and write their poses and velocities; return False if Python raised."""
    write_motion(bodies, state, callbacks.motion)
    if call_python(callbacks.address, REQUEST_SEPARATION) != 0:
        return False
    read_body_states(bodies, callbacks.motion, state)
    return True
