"""Friction of bearings in a velocity update: bounds that grow with the reactions of the joints (Sueda 2.11).

The friction of a bearing on a joint with one motion is dry friction along that motion. Its bound follows from
the reaction of the joint, which the contacts of the bearing share. In joint coordinates the motion of the
bodies determines the reaction (:mod:`rbnotes.multibody.tree_bearings`); in maximal coordinates it is the
impulse along the joint's rows (:mod:`rbnotes.multibody.model_joint_space`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rbnotes.arguments import Array
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.errors import NotConverged
from rbnotes.friction.anderson_acceleration import AndersonAcceleration
from rbnotes.multibody.bounded_rows import BoundedRows, dry_friction_rows, solve_with_bounded_rows
from rbnotes.multibody.reduced.bearings import JointBearing

CONE_SECTION = "disc"
"""Section of the friction cone at the contacts of bearings."""
BEARING_TOLERANCE = 1e-8
"""Accepted change of the reactions of bearings, and of velocities at rest, relative to their sizes."""
INDETERMINATE_TOLERANCE = 1e-3
"""Accepted relative change of the reactions if velocities do not change.

Contacts of bodies at rest can share a load in many ways, and solvers return another one each time.
"""
UNLOADED_TOLERANCE = 1e-12
"""Size of reactions, relative to the momentum, up to which they are rounding, as for bodies in free fall."""
MAX_BEARING_ITERATIONS = 100
"""Largest number of problems for the friction of bearings in a velocity update."""
ANDERSON_DEPTH = 6
"""Number of iterations that Anderson acceleration combines."""


@dataclass(frozen=True, eq=False)
class BearingUpdate(ABC):
    """Bearings of a model in one velocity update, on joints with one motion.

    Attributes
    ----------
    bearings
        Bearings at the state before the update.
    """

    bearings: Sequence[JointBearing]

    @property
    @abstractmethod
    def motion_rows(self) -> Array:
        """Rows ``(b, N)`` from the velocities of the update to those along the motions of the joints."""

    @abstractmethod
    def reactions(self, solution: StepSolution, bearing_friction: Sequence[Array]) -> Sequence[Array]:
        """Return the reactions ``(6,)`` of the joints, as :meth:`JointBearing.reaction`.

        Parameters
        ----------
        bearing_friction
            Friction ``(c, 2)`` at the contacts of each bearing.
        """

    @property
    def coordinate_rows(self) -> Array:
        """Rows ``(b, k)`` from the rates of the coordinates to velocities along the motions of the joints."""
        return np.concatenate([each.joint_velocity_map for each in self.bearings])

    def friction_rows(self, multipliers: Sequence[Array]) -> BoundedRows:
        """Return one row of dry friction for each bearing, at normal multipliers of its contacts."""
        bounds = [
            each.friction_limits(own, CONE_SECTION, 0)[0]
            for each, own in zip(self.bearings, multipliers, strict=True)
        ]
        return dry_friction_rows(self.motion_rows, np.array(bounds))

    def normal_multipliers(
        self, solution: StepSolution, friction: Array, multipliers: Sequence[Array]
    ) -> list[Array]:
        """Return the multipliers of each bearing's contacts under the impulses of an update.

        Parameters
        ----------
        friction
            Impulses along the motions of the bearings ``(b,)``.
        multipliers
            Multipliers that bounded the friction.
        """
        bearing_friction = [
            each.distribute_friction(np.array([[impulse, 0.0]]), own, CONE_SECTION, 0)
            for each, impulse, own in zip(self.bearings, friction, multipliers, strict=True)
        ]
        reactions = self.reactions(solution, bearing_friction)
        return [each.bearing.load_distribution @ w for each, w in zip(self.bearings, reactions, strict=True)]


def solve_with_bearings(
    problem: StepProblem,
    bounded: BoundedRows,
    bearings: BearingUpdate | None,
    solve: Callable[[StepProblem], StepSolution],
    velocity_before: Array,
) -> tuple[StepSolution, Array, BoundedRows]:
    """Return the solution, the impulses of all bounded rows, and these rows, those of bearings last.

    The reactions bound the friction, which changes the reactions: a fixed-point iteration that starts without
    friction. For large coefficients the solution may not be unique.

    Parameters
    ----------
    problem, bounded, solve, velocity_before
        Arguments of :func:`~rbnotes.multibody.bounded_rows.solve_with_bounded_rows`.
    bearings
        Bearings, or None.

    Raises
    ------
    NotConverged
        If the reactions do not settle: joints with large friction may jam.
    """
    if bearings is None:
        return *solve_with_bounded_rows(problem, bounded, solve, velocity_before), bounded
    ends = np.cumsum([each.bearing.count for each in bearings.bearings])
    multipliers: Array = np.zeros(ends[-1])
    acceleration = AndersonAcceleration(ANDERSON_DEPTH)
    change, velocity = np.inf, np.full(len(velocity_before), np.inf)
    speed = float(np.max(np.abs(np.linalg.solve(problem.mass, problem.momentum))))
    rounding = UNLOADED_TOLERANCE * float(np.linalg.norm(problem.momentum))
    for _ in range(MAX_BEARING_ITERATIONS):
        own: list[Array] = list(np.split(multipliers, ends[:-1]))
        rows = bounded.join(bearings.friction_rows(own))
        solution, impulse = solve_with_bounded_rows(problem, rows, solve, velocity_before)
        friction = impulse[len(bounded.offset) :]
        reaction = np.concatenate(bearings.normal_multipliers(solution, friction, own))
        size = float(np.linalg.norm(reaction))
        change = float(np.linalg.norm(reaction - multipliers)) / (size or 1.0)
        is_settled = float(np.max(np.abs(solution.velocity - velocity))) <= BEARING_TOLERANCE * speed
        velocity = solution.velocity
        tolerance = INDETERMINATE_TOLERANCE if is_settled else BEARING_TOLERANCE
        if change <= tolerance or (is_settled and size <= rounding):
            return solution, impulse, rows
        multipliers = acceleration.next_argument(multipliers, reaction)
    message = f"friction of bearings: the reactions change by {change:.2g} of their size; joints may jam"
    raise NotConverged(message, solution.velocity, change)
