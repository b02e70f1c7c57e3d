"""Warm-started friction in the simulator: each solution starts from the last impulses."""

from __future__ import annotations

import warnings

import numpy as np

from rbnotes.arguments import Array
from rbnotes.contact import ContactPoints
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.dynamics.step_problem import check_solution
from rbnotes.friction import FrictionModel, FrictionNotConverged

WARNING_RESIDUAL = 1e-3
"""Smallest residual, relative to the largest impulse, that causes a warning."""


class FrictionWarning(UserWarning):
    """Warning about contacts that a step does not satisfy.

    Either the friction solution has a large residual, or contacts and constraints do not let bodies separate.
    The contact records hold all residuals and overlaps.
    """


class WarmStartedFriction:
    """Friction model that stores the contacts and impulses of the last velocity update."""

    def __init__(self, model: FrictionModel, limit: float, reach: float) -> None:
        self.model, self.max_residual, self.matching_distance = model, limit, reach
        self.has_warned = False
        self.has_warned_of_overlaps = False
        self.last_impulses: tuple[ContactPoints, Array] | None = None

    def __call__(self, problem: StepProblem, points: ContactPoints) -> StepSolution:
        """Return the solution of the model, or the best one that it found.

        Raises
        ------
        FrictionNotConverged
            If its residual exceeds the limit.
        """
        guess = None
        if self.model.accepts_initial_guess and self.last_impulses is not None:
            guess = _match_impulses(points, *self.last_impulses, self.matching_distance)
            # Inequalities follow the contacts, without a guess.
            guess = np.concatenate([guess, np.zeros((problem.unilateral.count, 3))])
        try:
            solution = check_solution("friction(problem)", self.model(problem, guess), problem)
        except FrictionNotConverged as error:
            solution = error.solution
            if not solution.residual <= self.max_residual:
                raise
            if not solution.residual <= WARNING_RESIDUAL and not self.has_warned:
                self.has_warned = True
                warnings.warn(f"{error}; the run continues", FrictionWarning, stacklevel=2)
        world_impulses = np.einsum("ck,cki->ci", solution.contact_impulses, points.axes)
        self.last_impulses = points, world_impulses
        return solution

    def warn_of_overlaps(self, overlap: float) -> None:
        """Warn, once, that contacts and constraints do not let overlapping bodies separate."""
        if not self.has_warned_of_overlaps:
            self.has_warned_of_overlaps = True
            message = (
                f"contacts and constraints do not let bodies separate that overlap by {overlap:.2g} m; "
                "the run continues without a reduction of overlaps"
            )
            warnings.warn(message, FrictionWarning, stacklevel=2)


def _match_impulses(
    points: ContactPoints, old_points: ContactPoints, old_impulses: Array, matching_distance: float
) -> Array:
    """Return the old impulses ``(c, 3)`` of contacts between the same bodies at the same positions.

    Other contacts have zero impulses. Impulses are in world axes; positions are the same up to
    ``matching_distance``.
    """
    if not len(old_points):
        return np.zeros((len(points), 3))
    distances = np.linalg.norm(points.position[:, None] - old_points.position, axis=2)
    is_other_pair = (points.a[:, None] != old_points.a) | (points.b[:, None] != old_points.b)
    distances[is_other_pair] = np.inf
    nearest = np.argmin(distances, axis=1)
    is_matched = distances[np.arange(len(points)), nearest] < matching_distance
    impulses = np.where(is_matched[:, None], old_impulses[nearest], 0.0)
    contact_impulses: Array = np.einsum("cki,ci->ck", points.axes, impulses)
    return contact_impulses
