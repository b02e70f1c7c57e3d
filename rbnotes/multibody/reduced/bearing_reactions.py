"""Results of steps with friction in joints: the reactions of the bearings and the iterations (Sueda 2.11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rbnotes.arguments import Array
from rbnotes.contact import ContactPoints
from rbnotes.dynamics import State, StepSolution
from rbnotes.multibody.reduced.constraints import LoopClosure


@dataclass(frozen=True, eq=False)
class BearingReaction:
    """Reaction and friction of one bearing in a step: impulses on the body, in the frame of the bearing.

    Attributes
    ----------
    reaction
        Wrench ``(6,)`` without friction and without the driving forces along the joint's motion, N m s and N
        s.
    multipliers
        Normal impulses ``(c,)`` of the implicit contacts, of either sign, N s; mu times their absolute values
        bounds friction.
    friction
        Friction impulses ``(c, 2)`` at the implicit contacts, N s.
    sliding_velocities
        Sliding velocities ``(c, 2)`` of the implicit contacts at the end of the step, m/s.
    generalized_friction
        Friction along the joint's coordinates ``(k,)``, N m s or N s.
    friction_limit
        Sum of the bounds, N s; for a joint with one motion, the bound of its generalized friction, N m s or N
        s.
    unsupported_wrench
        Part of the reaction ``(6,)`` that the implicit contacts cannot carry, N m s and N s: it causes no
        friction.
    rank
        Number of independent wrenches that the contacts can carry; if there are more contacts, the
        multipliers are the smallest ones.
    """

    reaction: Array
    multipliers: Array
    friction: Array
    sliding_velocities: Array
    generalized_friction: Array
    friction_limit: float
    unsupported_wrench: Array
    rank: int

    @property
    def work(self) -> float:
        """Work of friction at the velocities after the step, J: never positive."""
        return float(np.sum(self.friction * self.sliding_velocities))


@dataclass(frozen=True, eq=False)
class BispStep:
    """State after a step, with its impulses and reactions.

    Attributes
    ----------
    state
        Coordinates, rad and m, and velocities, rad/s and m/s, at the end of the step.
    bearing_reactions
        Reactions by the keys of the bearings.
    joint_wrenches
        Impulsive wrenches ``(n, 6)`` from each joint on its body, in the frame of the joint, N m s and N s;
        they include friction and drives.
    points
        Contacts of the links with each other and the world.
    solution
        Impulses at these points, and those of constraints and limits in the order of
        :func:`~rbnotes.multibody.reduced.velocity_constraints`.
    history
        Relative change of all normal impulses at each contact problem except the first; the last entry is the
        residual, unless the residual of the programs is larger.
    """

    state: State
    bearing_reactions: Mapping[str | LoopClosure, BearingReaction]
    joint_wrenches: Array
    points: ContactPoints
    solution: StepSolution
    history: tuple[float, ...]

    @property
    def iterations(self) -> int:
        """Number of contact problems."""
        return len(self.history) + 1

    @property
    def residual(self) -> float:
        """Relative change of the normal impulses in the last iteration, or the residual of its programs.

        It is the larger one of the two.
        """
        return self.solution.residual
