"""A simulator in maximal coordinates: forces, joints, contact with friction, one step after the other.

A step (Lloyd 0.10; Sueda 1.8, 1.10) finds the contacts, writes them and the joints as rows on the twists,
lets a friction model find new twists and impulses,

    M_hat phi+ = b + N^T normal + T^T tangential + G^T joint,

moves the bodies with them, and moves back what came apart or overlaps. Contacts count before they close: with
a gap, bodies may approach at gap/h, which closes it in this step and no further.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rbnotes import arguments
from rbnotes._frozen import changed, known
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity import QP, solve_lcp
from rbnotes.constraints._stabilization import move_bodies
from rbnotes.contact import (
    Collider,
    ContactPoints,
    Contacts,
    _rows,
)
from rbnotes.contact.detection import checked_colliders, checked_pairs
from rbnotes.contact.nearby import allowed_speeds, found_nearby
from rbnotes.dynamics import Scheme, State, States, StepProblem, StepSolution, keeping_momentum
from rbnotes.friction import box_friction
from rbnotes.maximal.mechanism import STABILIZATIONS, Mechanism, as_dense_as, mechanism_rows, projected
from rbnotes.maximal.placement import Placement
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
        arguments.instance("mechanism", self.mechanism, Mechanism)
        checked_colliders(self.colliders, len(self.mechanism.bodies))
        if self.apart is not None:
            object.__setattr__(self, "apart", checked_pairs(self.apart))
        else:
            pairs = tuple((joint.body, joint.parent) for joint in self.mechanism.joints)
            object.__setattr__(self, "apart", pairs)


def simulate(
    world: World,
    state: State,
    h: float,
    steps: int,
    *,
    friction: FrictionModel = box_friction,
    integrator: Scheme = keeping_momentum,
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
        Of the bodies' motion: a scheme of :mod:`rbnotes.dynamics.schemes` or ``.free_motion``.
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
        States at the start and after each step, and what happened in between.

    Raises
    ------
    NotConverged
        If the friction model finds no solution.
    """
    arguments.instance("world", world, World)
    arguments.instance("state", state, State)
    arguments.function("friction", friction)
    arguments.instance("integrator", integrator, Scheme)
    state = _checked_state(world, state)
    h, gain, slop = _checked_numbers(h, steps, stabilization, gain, slop)
    mechanism, projects = world.mechanism, stabilization == "projection"
    states, joint_impulses, records = [state], [], list[ContactRecord]()
    points = nearby_points(world, state, h)
    for step in range(1, steps + 1):
        rows, twists = _rows.contact_rows(points, state.E), state.phi.ravel()
        speeds = allowed_speeds(points, (rows @ twists)[::3], h, mechanism.gravity)
        if stabilization == "baumgarte":
            speeds = np.maximum(speeds, gain / h * (-points.gap - slop))
        joints = mechanism_rows(mechanism, state, h, gain=gain if stabilization == "baumgarte" else 0.0)
        contacts = known(Contacts, rows=rows, mu=points.mu, normal_target=speeds)
        free = integrator.problem(mechanism, state, h)
        solution = friction(free.under(bilateral=joints, contacts=contacts))
        arguments.instance("friction(problem)", solution, StepSolution)
        joint_impulses.append(solution.bilateral)
        records.append(record_contacts(points, rows, twists, solution))

        state = integrator.move(mechanism, state, solution.velocity, h)
        if projects:
            state = changed(state, E=projected(mechanism, state.E))
        points = nearby_points(world, state, h)
        if projects and np.any(points.gap < -slop):
            state = changed(state, E=separated_poses(mechanism, state, points))
            points = nearby_points(world, state, h)
        states.append(state)
        if progress is not None:
            progress(step, steps)
    return Trajectory(
        States.of(states),
        np.array([mechanism.energy(each) for each in states]),
        np.array(joint_impulses),
        tuple(records),
        events_of(records, [each.t for each in states[1:]]),
    )


def nearby_points(world: World, state: State, h: float) -> ContactPoints:
    """Contacts that could close within the next step, from the speeds that the bodies have."""
    gravity, apart = world.mechanism.gravity, world.apart or ()
    return found_nearby(world.colliders, state.E, state.phi, h, gravity, apart)


def separated_poses(mechanism: Mechanism, state: State, points: ContactPoints) -> Array:
    """Poses ``(n, 4, 4)`` after the smallest displacement, measured by the masses, that ends all overlaps.

    Gaps are taken as linear in the displacement, so that a little may remain; joints stay together.

    Raises
    ------
    Unsolved
        If the joints do not let the bodies separate.
    """
    M, poses = mechanism.mass(state), state.E
    N = as_dense_as(M, _rows.rows_along(points.normal[:, None], points, poses).matrix)
    G = as_dense_as(M, Placement(mechanism.joints, poses).matrix())
    still = np.zeros(state.size)
    apart = known(QP, Q=M, c=still, A=N, b=-points.gap, G=G, g=np.zeros(G.shape[0]))
    return projected(mechanism, move_bodies(poses, solve_lcp(apart).x))


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
    arguments.count("steps", steps, minimum=1)
    return (
        arguments.number("h", h),
        arguments.real("gain", gain, minimum=0.0, maximum=1.0),
        arguments.real("slop", slop, minimum=0.0),
    )
