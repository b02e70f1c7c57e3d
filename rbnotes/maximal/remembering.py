"""A friction model in the simulator: it starts from the last impulses, and no run stops because of it."""

from __future__ import annotations

import warnings

import numpy as np

from rbnotes.arguments import Array
from rbnotes.contact import ContactPoints
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.dynamics.step_problem import checked_solution
from rbnotes.friction import FrictionModel, FrictionNotConverged

NOTEWORTHY = 1e-3
"""Residual, relative to the largest impulse, from which on a run warns."""


class FrictionWarning(UserWarning):
    """Friction of some step is not as the model wants it; the records of the contacts say how far off."""


class Remembering:
    """A model with a memory of the contacts of the last kick."""

    def __init__(self, model: FrictionModel, limit: float, reach: float) -> None:
        self.model, self.limit, self.reach = model, limit, reach
        self.warned = False
        self.last: tuple[ContactPoints, Array] | None = None

    def __call__(self, problem: StepProblem, points: ContactPoints) -> StepSolution:
        """What the model finds, or the best that it found.

        Raises
        ------
        FrictionNotConverged
            If that is farther from the model's law than the limit.
        """
        guess = None
        if self.model.accepts_initial_guess and self.last is not None:
            guess = _carried(points, *self.last, self.reach)
        try:
            solution = checked_solution("friction(problem)", self.model(problem, guess), problem)
        except FrictionNotConverged as error:
            solution = error.solution
            if not solution.residual <= self.limit:
                raise
            if not solution.residual <= NOTEWORTHY and not self.warned:
                self.warned = True
                warnings.warn(f"{error}; the run goes on", FrictionWarning, stacklevel=2)
        world = np.einsum("ck,cki->ci", solution.contact_impulses, points.axes)
        self.last = points, world
        return solution


def _carried(points: ContactPoints, old: ContactPoints, world: Array, reach: float) -> Array:
    """The old impulses of contacts between the same bodies at the same places ``(c, 3)``, else zero.

    Those are told along the axes of the world, and the same places are no farther apart than the reach.
    """
    if not len(old):
        return np.zeros((len(points), 3))
    apart = np.linalg.norm(points.position[:, None] - old.position, axis=2)
    other = (points.a[:, None] != old.a) | (points.b[:, None] != old.b)
    apart[other] = np.inf
    nearest = np.argmin(apart, axis=1)
    found = apart[np.arange(len(points)), nearest] < reach
    impulses = np.where(found[:, None], world[nearest], 0.0)
    along: Array = np.einsum("cki,ci->ck", points.axes, impulses)
    return along
