"""What Python answers to compiled steps: applied forces, and poses at which bodies no longer overlap.

Both are the reference's. Compiled code calls them by the address of a function, in the midst of a step.
"""

from __future__ import annotations

import ctypes

import numpy as np

from rbnotes.arguments import Array
from rbnotes.compiled.record_layout import MOTION_SIZE, REQUEST_FORCES
from rbnotes.dynamics import State
from rbnotes.multibody.maximal.stepping import Setting, resolve_overlaps
from rbnotes.unchecked.frozen import construct_unchecked

_CALLBACK_TYPE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)


class PythonCallbacks:
    """A function for compiled code, and the numbers that both sides read and write."""

    def __init__(self, setting: Setting, count: int) -> None:
        self.setting = setting
        self.buffer: Array = np.zeros((MOTION_SIZE + 6 + 6) * count + 7)
        self._motion = self.buffer[: MOTION_SIZE * count].reshape(count, MOTION_SIZE)
        self._wrenches = self.buffer[MOTION_SIZE * count : (MOTION_SIZE + 6) * count]
        self._error: BaseException | None = None
        self._function = _CALLBACK_TYPE(self._handle_request)

    @property
    def address(self) -> int:
        """Of the function: it is there as long as this object is."""
        return ctypes.cast(self._function, ctypes.c_void_p).value or 0

    def _handle_request(self, request: int) -> int:
        """Zero, or not if there is no answer."""
        try:
            state = state_from_array(self._motion, float(self.buffer[-1]))
            if request == REQUEST_FORCES:
                self._wrenches[:] = self.setting.mechanism.free.applied_forces(state).f
            else:
                self._motion[:, :16] = resolve_overlaps(self.setting, state)[0].E.reshape(-1, 16)
        except BaseException as error:  # compiled code knows none: it stops, and then they are raised
            self._error = error
            return 1
        return 0

    def raise_error(self) -> None:
        """Raises what an answer raised."""
        if self._error is not None:
            raise self._error


def state_from_array(motion: Array, t: float) -> State:
    """The state of poses and twists ``(n, 22)``."""
    no_points: Array = np.zeros((0, 3))
    E, phi = motion[:, :16].reshape(-1, 4, 4).copy(), motion[:, 16:].copy()
    empty: Array = np.zeros(0)
    return construct_unchecked(State, E=E, phi=phi, x=no_points, v=no_points, q=empty, qdot=empty, t=t)
