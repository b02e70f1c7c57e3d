"""What Python answers to compiled steps: applied forces, and poses at which bodies no longer overlap.

Both are the reference's. Compiled code calls them by the address of a function, in the midst of a step.
"""

from __future__ import annotations

import ctypes

import numpy as np

from rbnotes._frozen import known
from rbnotes.arguments import Array
from rbnotes.dynamics import State
from rbnotes.kernels._tables import APPLIED, MOVED
from rbnotes.maximal.stepping import Setting, separated

_ANSWER = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)


class Answers:
    """A function for compiled code, and the numbers that both sides read and write."""

    def __init__(self, setting: Setting, count: int) -> None:
        self.setting = setting
        self.numbers: Array = np.zeros((MOVED + 6 + 6) * count + 7)
        self._motion = self.numbers[: MOVED * count].reshape(count, MOVED)
        self._wrenches = self.numbers[MOVED * count : (MOVED + 6) * count]
        self._error: BaseException | None = None
        self._function = _ANSWER(self._answer)

    @property
    def address(self) -> int:
        """Of the function: it is there as long as this object is."""
        return ctypes.cast(self._function, ctypes.c_void_p).value or 0

    def _answer(self, about: int) -> int:
        """Zero, or not if there is no answer."""
        try:
            state = state_of(self._motion, float(self.numbers[-1]))
            if about == APPLIED:
                self._wrenches[:] = self.setting.mechanism.free.applied_forces(state).f
            else:
                self._motion[:, :16] = separated(self.setting, state)[0].E.reshape(-1, 16)
        except BaseException as error:  # compiled code knows none: it stops, and then they are raised
            self._error = error
            return 1
        return 0

    def raise_error(self) -> None:
        """Raises what an answer raised."""
        if self._error is not None:
            raise self._error


def state_of(motion: Array, t: float) -> State:
    """The state of poses and twists ``(n, 22)``."""
    none: Array = np.zeros((0, 3))
    E, phi = motion[:, :16].reshape(-1, 4, 4).copy(), motion[:, 16:].copy()
    empty: Array = np.zeros(0)
    return known(State, E=E, phi=phi, x=none, v=none, q=empty, qdot=empty, t=t)
