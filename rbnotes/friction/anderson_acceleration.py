"""Anderson acceleration of fixed-point iterations."""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array

MAX_CHANGE_GROWTH = 2.0
"""Growth of the change from one iteration to the next above which the acceleration restarts."""

STEP_REDUCTION = 0.5
"""Factor on the step size after each restart."""


class AndersonAcceleration:
    """Anderson acceleration of a fixed-point iteration ``x = f(x)``.

    The next argument is the affine combination of the last arguments whose change ``f(x) - x`` would be
    smallest if f were affine. At a kink of f, for example where a joint begins to slip, the changes may grow:
    then the history is cleared and the step reduced.
    """

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self._arguments: list[Array] = []
        self._changes: list[Array] = []
        self._step_fraction = 1.0

    def next_argument(self, argument: Array, value: Array) -> Array:
        """Return the next argument from the last argument and the value of the map there."""
        change = value - argument
        if self._changes and np.linalg.norm(change) > MAX_CHANGE_GROWTH * np.linalg.norm(self._changes[-1]):
            self._arguments, self._changes = [], []
            self._step_fraction = max(self._step_fraction * STEP_REDUCTION, 1 / 16)
        self._arguments = [*self._arguments[-self.memory :], argument]
        self._changes = [*self._changes[-self.memory :], change]
        if len(self._changes) == 1:
            return argument + self._step_fraction * change
        F = np.diff(self._changes, axis=0).T
        Z = np.diff(self._arguments, axis=0).T
        weights = np.linalg.lstsq(F, change, rcond=1e-10)[0]
        result: Array = argument + change - (Z + F) @ weights
        return result
