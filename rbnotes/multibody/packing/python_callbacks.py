"""Callbacks from compiled steps: applied forces, and poses without overlap.

The reference evaluates both. Compiled code calls a C function by its address during a step.
"""

from __future__ import annotations

import ctypes

import numpy as np

from rbnotes.arguments import Array
from rbnotes.compiled.record_layout import MOTION_SIZE, REQUEST_FORCES
from rbnotes.dynamics import State
from rbnotes.multibody.maximal.stepping import StepContext, VelocityConstraints, resolve_overlaps
from rbnotes.unchecked.frozen import construct_unchecked

CALLBACK_TYPE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
"""Type of the functions that compiled code calls with a request; they return zero on success."""


class PythonCallbacks:
    """C function for compiled code, and the arrays that both sides read and write.

    `error` is the exception that ended the last request, or None.
    """

    def __init__(self, context: StepContext, count: int) -> None:
        self.context = context
        self.buffer: Array = np.zeros((MOTION_SIZE + 6 + 6) * count + 7)
        self._motion = self.buffer[: MOTION_SIZE * count].reshape(count, MOTION_SIZE)
        self._wrenches = self.buffer[MOTION_SIZE * count : (MOTION_SIZE + 6) * count]
        self.error: BaseException | None = None
        self._function = CALLBACK_TYPE(self._handle_request)

    @property
    def address(self) -> int:
        """Address of the C function, valid as long as this object exists."""
        return ctypes.cast(self._function, ctypes.c_void_p).value or 0

    def _handle_request(self, request: int) -> int:
        """Answer a request; return zero on success."""
        try:
            state = state_from_array(self._motion, float(self.buffer[-1]))
            if request == REQUEST_FORCES:
                self._wrenches[:] = self.context.model.free_system.linearized_applied_forces(state).f
            else:
                constraints = VelocityConstraints(self.context.start_joints(state.E), state, state.t)
                separated_state = resolve_overlaps(self.context, state, constraints)[0]
                self._motion[:, :16] = separated_state.E.reshape(-1, 16)
        except BaseException as error:  # compiled code cannot raise it: it stops, then the caller raises
            self.error = error
            return 1
        return 0


def state_from_array(motion: Array, t: float) -> State:
    """Return the state with poses and twists ``(n, 22)``."""
    no_points: Array = np.zeros((0, 3))
    E, phi = motion[:, :16].reshape(-1, 4, 4).copy(), motion[:, 16:].copy()
    empty: Array = np.zeros(0)
    return construct_unchecked(State, E=E, phi=phi, x=no_points, v=no_points, q=empty, qdot=empty, t=t)
