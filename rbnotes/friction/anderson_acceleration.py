"""Fixed points sooner: Anderson's mixing of the last iterates."""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array

MAX_CHANGE_GROWTH = 2.0
"""Growth of the change, from one iteration to the next, after which the mixing starts anew."""

STEP_REDUCTION = 0.5
"""Part of a step that is taken then."""


class AndersonAcceleration:
    """Chooses the next argument of a map from what it made of the last ones.

    The combination of the last changes that is the smallest, as if the map were affine. Where it has a kink,
    as friction has where a joint begins to slip, changes may grow: then all is forgotten, and half a step
    taken.
    """

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self._arguments: list[Array] = []
        self._changes: list[Array] = []
        self._step_fraction = 1.0

    def next_argument(self, argument: Array, value: Array) -> Array:
        """The next argument, from the last one and what the map made of it."""
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
