"""A simulator in maximal coordinates: forces, joints, contact with friction, one step after the other.

A step (Lloyd 0.10; Sueda 1.8, 1.10) finds the contacts, writes them and the joints as rows on the twists,
lets a friction model find new twists and impulses,

    M_hat phi+ = b + N^T normal + T^T tangential + G^T joint,

moves the bodies with them, and moves back what came apart or overlaps. Contacts count before they close: with
a gap, bodies may approach at gap/h, which closes it in this step and no further.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments, se3
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity import QP, solve_lcp
from rbnotes.contact import (
    Collider,
    ContactPoints,
    Contacts,
    _rows,
    nearby,
    normal_rows,
    separation_speeds,
)
from rbnotes.dynamics import WORLD, Scheme, State, StepProblem, StepSolution
from rbnotes.friction import box_friction
from rbnotes.maximal.free_motion import MOMENTUM
from rbnotes.maximal.joints import joint_matrix
from rbnotes.maximal.mechanism import STABILIZATIONS, Mechanism, as_dense_as, mechanism_rows, project_poses
from rbnotes.maximal.trajectory import ContactRecord, Trajectory, events_of, record_contacts

FrictionModel = Callable[[StepProblem], StepSolution]
"""Any of :mod:`rbnotes.friction`, or a function of one's own."""

Progress = Callable[[int, int], object]
"""Told after each step how many are done, and how many there are."""


@dataclass(frozen=True, eq=False)
class World:
    """A mechanism whose bodies can touch each other and the world."""

    mechanism: Mechanism
    colliders: Sequence[Collider] = ()
    """Shapes that the bodies and the world carry."""
    apart: Sequence[tuple[int, int]] | None = None
    """Pairs of bodies (or ``WORLD``) that do not touch; by default those that a joint connects."""

    def __post_init__(self) -> None:
        if self.apart is None:
            pairs = tuple(
                (joint.body, WORLD if joint.parent is None else joint.parent)
                for joint in self.mechanism.joints
            )
            object.__setattr__(self, "apart", pairs)


def simulate(
    world: World,
    state: State,
    h: float,
    steps: int,
    *,
    friction: FrictionModel = box_friction,
    integrator: Scheme = MOMENTUM,
    stabilization: str = "projection",
    gain: float = 0.2,
    slop: float = 1e-5,
    progress: Progress | None = None,
) -> Trajectory:
    """Let bodies move.

    Parameters
    ----------
    state
        Poses ``(n, 4, 4)`` and twists ``(n, 6)`` to start from, with the joints together.
    h
        Step size, s.
    steps
        Number of steps.
    friction
        Finds velocities and impulses: a function of :mod:`rbnotes.friction`, or one like them.
    integrator
        Of the bodies' motion: a scheme of :mod:`rbnotes.maximal.free_motion` or of :mod:`rbnotes.dynamics`.
    stabilization : "projection", "baumgarte" or "none"
        What is done about joints that came apart and bodies that overlap: move them back by the smallest
        displacement, have the next velocities take back a part, or nothing.
    gain
        That part, up to 1.
    slop
        Overlap that is left alone, m.
    progress
        Called after each step with the number of steps done and of all.

    Returns
    -------
    Trajectory
        States at the times 0, h, ..., and what happened in between.

    Raises
    ------
    NotConverged
        If the friction model finds no solution.
    """
    state = _checked_state(world, state)
    h, gain, slop = _checked_numbers(h, steps, stabilization, gain, slop)
    mechanism, projects = world.mechanism, stabilization == "projection"
    states, joint_impulses, records = [state], [], list[ContactRecord]()
    points = nearby_points(world, state, h)
    for step in range(1, steps + 1):
        rows, twists = _rows.contact_rows(points, state.E), state.phi.ravel()
        speeds = separation_speeds(points, (rows @ twists)[::3], h, mechanism.gravity)
        if stabilization == "baumgarte":
            speeds = np.maximum(speeds, gain / h * (-points.gap - slop))
        joints = mechanism_rows(mechanism, state, h, gain=gain if stabilization == "baumgarte" else 0.0)
        contacts = Contacts(rows, points.mu, speeds)
        free = integrator.problem(mechanism, state, h)
        solution = friction(replace(free, bilateral=joints, contacts=contacts))
        joint_impulses.append(solution.bilateral)
        records.append(record_contacts(points, rows, twists, solution))

        state = integrator.move(mechanism, state, solution.velocity, h)
        if projects:
            state = replace(state, E=project_poses(mechanism, state.E))
        points = nearby_points(world, state, h)
        if projects and np.any(points.gap < -slop):
            state = replace(state, E=separated_poses(mechanism, state.E, points))
            points = nearby_points(world, state, h)
        states.append(state)
        if progress is not None:
            progress(step, steps)
    return Trajectory(
        h * np.arange(steps + 1),
        np.stack([each.E for each in states]),
        np.stack([each.phi for each in states]),
        np.array([mechanism.energy(each) for each in states]),
        np.array(joint_impulses),
        tuple(records),
        events_of(records, h),
    )


def nearby_points(world: World, state: State, h: float) -> ContactPoints:
    """Contacts that could close within the next step, from the speeds that the bodies have."""
    gravity, apart = world.mechanism.gravity, world.apart or ()
    return nearby.nearby_points(world.colliders, state.E, state.phi, h, gravity, apart=apart)


def separated_poses(mechanism: Mechanism, poses: ArrayLike, points: ContactPoints) -> Array:
    """Poses ``(n, 4, 4)`` after the smallest displacement, measured by the masses, that ends all overlaps.

    Gaps are taken as linear in the displacement, so that a little may remain; joints stay together.

    Raises
    ------
    Unsolved
        If the joints do not let the bodies separate.
    """
    poses = arguments.frame("poses", poses)
    M = mechanism.mass(State(poses))
    N, G = (
        as_dense_as(M, rows)
        for rows in (normal_rows(points, poses).matrix, joint_matrix(mechanism.joints, poses))
    )
    apart = QP(M, np.zeros(M.shape[0]), N, -points.gap, G, np.zeros(G.shape[0]))
    return project_poses(mechanism, poses @ se3.exp(solve_lcp(apart).x.reshape(-1, 6)))


def _checked_state(world: World, state: State) -> State:
    count = len(world.mechanism.bodies)
    if len(state.E) != count or state.size != 6 * count:
        got = f"{len(state.E)} bodies and {state.size} velocities"
        raise InvalidArgument("state", got, f"{count} bodies, and nothing else")
    return state


def _checked_numbers(
    h: float, steps: int, stabilization: str, gain: float, slop: float
) -> tuple[float, float, float]:
    arguments.choice("stabilization", stabilization, STABILIZATIONS)
    if steps < 1:
        raise InvalidArgument("steps", str(steps), "at least 1")
    return (
        float(arguments.positive("h", h)),
        float(arguments.scalar("gain", gain, minimum=0.0, maximum=1.0)),
        float(arguments.scalar("slop", slop, minimum=0.0)),
    )
