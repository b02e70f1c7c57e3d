"""What steps with friction in joints return: the loads of bearings, and the way there (Sueda 2.11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rbnotes.arguments import Array
from rbnotes.contact import ContactPoints
from rbnotes.dynamics import State, States, StepSolution
from rbnotes.multibody.reduced.constraints import LoopClosure


@dataclass(frozen=True, eq=False)
class BearingReaction:
    """What one bearing did in a step; impulses, on the body, in the frame of the bearing."""

    reaction: Array
    """Wrench ``(6,)`` without friction and without what drives the joint along its motion, N m s and N s."""
    multipliers: Array
    """Of the normals of the implicit contacts ``(c,)``, of either sign, N s; friction is bounded by mu times
    their absolute values."""
    friction: Array
    """At the implicit contacts ``(c, 2)``, N s."""
    sliding_velocities: Array
    """Their velocities at the end of the step ``(c, 2)``, m/s."""
    generalized_friction: Array
    """Friction along the joint's coordinates ``(k,)``, N m s or N s."""
    friction_limit: float
    """Sum of the bounds, N s; for a joint with one motion that of its generalised friction, N m s or N s."""
    unsupported_wrench: Array
    """Part of the reaction ``(6,)`` that the implicit contacts cannot carry, N m s and N s: it meets no
    friction."""
    rank: int
    """How many independent wrenches the contacts can carry; where they are fewer than contacts, the
    multipliers are the smallest that do."""

    @property
    def work(self) -> float:
        """Of friction at the velocities after the step, J: never positive."""
        return float(np.sum(self.friction * self.sliding_velocities))


@dataclass(frozen=True, eq=False)
class BispStep:
    """The state after a step, and what happened in it."""

    state: State
    """Coordinates, rad and m, and velocities, rad/s and m/s, at the end of the step."""
    bearing_reactions: Mapping[str | LoopClosure, BearingReaction]
    """By the keys of the bearings."""
    joint_wrenches: Array
    """Impulsive wrenches ``(n, 6)``, N m s and N s, through all joints, friction and drives included, in the
    frames of the joints: what the joint gives to its body."""
    points: ContactPoints
    """Contacts of the links with each other and the world."""
    solution: StepSolution
    """Impulses at these points, and those of constraints and limits in the order of
    :func:`~rbnotes.multibody.reduced.velocity_constraints`."""
    history: tuple[float, ...]
    """Relative change of all normal impulses at each contact problem but the first; the last is the
    residual, if rounding left no larger one."""

    @property
    def iterations(self) -> int:
        """Number of contact problems."""
        return len(self.history) + 1

    @property
    def residual(self) -> float:
        """Relative change of the normal impulses in the last iteration, or what rounding left of its programs
        if that is larger."""
        return self.solution.residual


@dataclass(frozen=True, eq=False)
class BispRun:
    """Steps one after the other."""

    states: States
    """At the start and after each step."""
    steps: tuple[BispStep, ...]
    """What happened in each step."""
    energy: Array
    """At each state ``(steps + 1,)``, J."""
