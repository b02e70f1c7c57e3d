"""What the steps of the simulator are made of: kicks, flights, and the account of the energy they change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, Matrix
from rbnotes.complementarity import QP, NotSolved, solve_lcp
from rbnotes.constraints.kkt import factor_kkt_unchecked
from rbnotes.contact import BodyPairJacobian, Collider, ContactPoints, Contacts, unchecked
from rbnotes.contact.body_pair_jacobian import relative_velocities
from rbnotes.contact.detection import check_colliders, check_excluded_pairs, contact_points_unchecked
from rbnotes.contact.prediction import contact_margin, normal_velocity_targets_unchecked
from rbnotes.dynamics import BilateralRows, State, States, StepProblem, StepSolution, factor_step
from rbnotes.friction import FrictionModel
from rbnotes.multibody.maximal.joint_kinematics import JointKinematics
from rbnotes.multibody.maximal.mechanism import Mechanism, project_poses_unchecked
from rbnotes.multibody.maximal.trajectory import (
    ContactRecord,
    RestartData,
    Trajectory,
    Work,
    contact_events,
    record_contacts,
)
from rbnotes.multibody.maximal.warm_started_friction import WarmStartedFriction
from rbnotes.unchecked.frozen import construct_unchecked, replace_unchecked
from rbnotes.unchecked.stabilization import retract_poses

Progress = Callable[[int, int], object]
"""Told after each step how many are done, and how many there are."""

SEPARATION_TOLERANCE = 1e-8
"""Relative residual of a displacement: its gaps are linear ones, whose errors are larger."""


@dataclass(frozen=True, eq=False)
class World:
    """A mechanism whose bodies can touch each other and the world.

    Raises InvalidArgument if ``mechanism`` is no ``Mechanism``, ``colliders`` does not fit, or ``excluded_pairs`` does
    not fit.
    """

    mechanism: Mechanism
    """Bodies, the joints between them, and the forces."""
    colliders: Sequence[Collider] = ()
    """Shapes that the bodies and the world carry."""
    excluded_pairs: Sequence[tuple[int, int]] | None = None
    """Pairs of bodies (or ``WORLD``) that do not touch; by default those that a joint connects."""

    def __post_init__(self) -> None:
        arguments.require_instance("mechanism", self.mechanism, Mechanism)
        check_colliders(self.colliders, len(self.mechanism.inertias))
        if self.excluded_pairs is not None:
            object.__setattr__(self, "excluded_pairs", check_excluded_pairs(self.excluded_pairs))
        else:
            pairs = tuple((joint.body, joint.parent) for joint in self.mechanism.joints)
            object.__setattr__(self, "excluded_pairs", pairs)

    def detect_contacts(self, poses: Array, margin: float) -> ContactPoints:
        """Contacts with gaps up to a margin, for poses that are known to be right."""
        return contact_points_unchecked(self.colliders, poses, margin, self.excluded_pairs or ())

    def prepare_friction_model(self, model: FrictionModel) -> FrictionModel:
        """A friction model as this world computes it."""
        return model

    def run(
        self,
        setting: Setting,
        integrator: Integrator,
        state: State,
        points: ContactPoints,
        steps: int,
        progress: Progress | None,
    ) -> Trajectory:
        """So many steps from a state with these contacts, and from what the friction remembers."""
        states, results = [state], list[Taken]()
        for step in range(1, steps + 1):
            results.append(integrator.step(setting, state, points))
            state, points = results[-1].state, results[-1].points
            states.append(state)
            if progress is not None:
                progress(step, steps)
        records = [each.contacts for each in results]
        return Trajectory(
            States.stack(states),
            np.array([self.mechanism.energy(each) for each in states]),
            np.array([each.joints for each in results]),
            tuple(records),
            contact_events(records, [each.t for each in states[1:]]),
            Work(*np.transpose([each.work for each in results])),
            RestartData(points, setting.friction.last_impulses),
        )


@dataclass(frozen=True, eq=False)
class Setting:
    """What stays the same from step to step."""

    world: World
    """Bodies, joints, and what can touch."""
    h: float
    """Size of the step, s."""
    friction: WarmStartedFriction
    """Model of friction, with a memory of the contacts of the last kick."""
    stabilization: str
    """What is done about errors of pose: ``"projection"``, ``"baumgarte"`` or ``"none"``."""
    gamma: float
    """Rate at which Baumgarte's way takes back errors, 1/s."""
    slop: float
    """Overlap that is left alone, m."""
    impacts: str = "simultaneous"
    """How bodies bounce: ``"simultaneous"`` or ``"sequential"``."""

    @property
    def mechanism(self) -> Mechanism:
        """Bodies and joints of the world."""
        return self.world.mechanism

    @property
    def uses_projection(self) -> bool:
        """Whether poses are moved back."""
        return self.stabilization == "projection"

    @property
    def error_reduction_rate(self) -> float:
        """Rate at which velocities take back errors, 1/s."""
        return self.gamma if self.stabilization == "baumgarte" else 0.0


class Kick(NamedTuple):
    """A change of velocities at one place, and the impulses that see to it."""

    before: Array
    """Velocities ``(6 n,)``."""
    after: Array
    weight: Array
    """Impulse of gravity ``(6 n,)``."""
    applied: Array
    """Of the applied forces ``(6 n,)``."""
    rows: Matrix
    """Of the joints ``(m, 6 n)``."""
    joints: Array
    """Impulses along them ``(m,)``."""
    contacts: ContactRecord
    contact_rows: BodyPairJacobian

    def with_joint_impulses(self, after: Array, joint_impulses: Array) -> Kick:
        """The kick with other velocities, which further impulses along the joints make."""
        contacts = replace(self.contacts, velocities_after=relative_velocities(self.contact_rows, after))
        return self._replace(after=after, joints=self.joints + joint_impulses, contacts=contacts)

    @property
    def mean_velocity(self) -> Array:
        """What impulses are multiplied with for their work ``(6 n,)``."""
        return (self.before + self.after) / 2


class Taken(NamedTuple):
    """A step that was taken."""

    state: State
    points: ContactPoints
    """Contacts at its end."""
    joints: Array
    """Impulses along the rows of the joints ``(m,)``."""
    contacts: ContactRecord
    work: Work[float]


class Integrator(Protocol):
    """How the simulator takes a step."""

    def step(self, setting: Setting, state: State, points: ContactPoints) -> Taken:
        """One step from a state with these contacts."""
        ...


def predict_contacts(world: World, state: State, h: float) -> ContactPoints:
    """Contacts that could close within the next step, from the speeds that the bodies have."""
    return world.detect_contacts(
        state.E, contact_margin(world.colliders, state.phi, h, world.mechanism.gravity)
    )


def min_normal_velocities(
    setting: Setting,
    state: State,
    points: ContactPoints,
    rows: BodyPairJacobian,
    velocity_change: Array | None = None,
) -> Array:
    """Normal velocities ``(c,)`` that contacts need at least, so that none closes farther in the step.

    Those that take an overlap back lift no body farther than out of it: faster ones would throw it.

    Parameters
    ----------
    rows
        Those of the contacts, where the bodies are.
    kick
        Change of velocities ``(6 n,)`` that comes after a bounce, for steps whose forces act in halves:
        without it the bounce would gain ``h g / 2``.
    """
    gravity = setting.mechanism.gravity
    speeds = normal_velocity_targets_unchecked(
        points, relative_velocities(rows, state.velocity)[:, 0], setting.h, gravity
    )
    if velocity_change is not None:
        speeds = np.where(
            speeds > 0, np.maximum(speeds + relative_velocities(rows, velocity_change)[:, 0], 0.0), speeds
        )
    if setting.error_reduction_rate:
        overlap = np.maximum(-points.gap - setting.slop, 0.0)
        escape_speed = np.sqrt(2 * float(np.linalg.norm(gravity)) * overlap)
        separation_speed = np.minimum(setting.error_reduction_rate * overlap, escape_speed)
        speeds = np.where(overlap > 0, np.maximum(speeds, separation_speed), speeds)
    return speeds


def solve_velocities(
    setting: Setting,
    kinematics: JointKinematics,
    before: Array,
    problem: StepProblem,
    forces: tuple[Array, Array],
    points: ContactPoints,
    rows: BodyPairJacobian,
    normal_target: Array,
    joint_target: Array,
    velocity_change: Array | None = None,
) -> Kick:
    """New velocities: those of the problem, under joints and contacts.

    Parameters
    ----------
    forces
        Impulses of gravity and of the applied forces ``(6 n,)``, for the account.
    rows
        Those of the contacts.
    speeds
        Least normal velocities ``(c,)``, m/s.
    target
        Of the joints ``(m,)``.
    later
        What of the change of velocities ``(6 n,)`` comes after a bounce, as for :func:`least_speeds`.
    """
    G = kinematics.constraint_matrix_like(problem.mass)
    if len(points):
        joints = construct_unchecked(
            BilateralRows, rows=G, target=joint_target, regularization=np.zeros(len(joint_target))
        )
        contacts = construct_unchecked(Contacts, rows=rows, mu=points.mu, normal_target=normal_target)
        constrained_problem = problem.with_constraints(bilateral=joints, contacts=contacts)
        contact_velocity_change = (
            np.zeros((len(points), 3))
            if velocity_change is None
            else relative_velocities(rows, velocity_change)
        )
        solution = solve_contacts(setting, constrained_problem, points, contact_velocity_change)
    else:
        velocity, impulses = factor_kkt_unchecked(problem.mass, G).solve_unchecked(
            problem.momentum, joint_target
        )
        solution = StepSolution(velocity, impulses, method="factor_kkt")
    record = record_contacts(points, rows, before, solution)
    return Kick(before, solution.velocity, *forces, G, solution.bilateral, record, rows)


def solve_contacts(
    setting: Setting, problem: StepProblem, points: ContactPoints, contact_velocity_change: Array
) -> StepSolution:
    """What friction makes of the contacts, and impacts that leave no more energy than :func:`without_gain`.

    Bounces may contradict each other and the joints, as those of a body between two that do not give way.
    Then nothing bounces in this step, and no overlap is taken back.

    Raises
    ------
    Unsolved
        If contacts and joints contradict each other anyway.
    """
    try:
        solution = setting.friction(problem, points)
    except NotSolved:
        normal_target = _normal_target(problem)
        if not np.any(normal_target > 0):
            raise
        return setting.friction(_inelastic_problem(problem, normal_target), points)
    return limit_impact_energy(setting, problem, points, solution, contact_velocity_change)


def _normal_target(problem: StepProblem) -> Array:
    """Least normal velocities ``(c,)``."""
    return problem.contacts.normal_target if problem.contacts is not None else np.zeros(0)


def _inelastic_problem(problem: StepProblem, normal_target: Array) -> StepProblem:
    """The same without contacts that have to separate."""
    return problem.with_constraints(
        contacts=replace_unchecked(problem.contacts, normal_target=np.minimum(normal_target, 0.0))
    )


def limit_impact_energy(
    setting: Setting,
    problem: StepProblem,
    points: ContactPoints,
    solution: StepSolution,
    contact_velocity_change: Array,
) -> StepSolution:
    """The solution, if impacts leave no more energy than there would be without contacts; else less of it.

    Newton's law of impact asks for normal velocities alone, and with friction may ask for more than the
    bodies brought along (Kane). The inelastic solution never does: with impulses p and velocities u of the
    contacts, ``T - T_free = p u - p^T W p / 2``, where no term of p u is positive. What lies between the two,
    ``inelastic + theta (solution - inelastic)``, has impulses within the cones, which are convex. The energy
    is a quadratic in theta; the largest theta up to one that gains nothing is taken.

    Parameters
    ----------
    fall
        How the velocities of the contacts ``(c, 3)`` change after a bounce. What bounces has not fallen so
        far, and must not take its energy from there: ``p fall`` is the difference.
    """
    normal_target = _normal_target(problem)
    is_bouncing = (normal_target > 0) & (points.restitution > 0)
    if not np.any(is_bouncing) or not problem.is_symmetric:
        return solution
    M = problem.mass
    free = factor_step(problem).solve_unchecked(problem.momentum, problem.bilateral.target)[0]
    allowed = float(free @ (M @ free)) / 2

    def fall_energy(contact_solution: StepSolution) -> float:
        return -float(
            np.sum(contact_solution.contact_impulses[is_bouncing] * contact_velocity_change[is_bouncing])
        )

    if float(solution.velocity @ (M @ solution.velocity)) / 2 + fall_energy(solution) <= allowed * (
        1 + 1e-12
    ):
        return solution
    inelastic = setting.friction(_inelastic_problem(problem, normal_target), points)
    base, difference = inelastic.velocity, solution.velocity - inelastic.velocity
    quadratic, linear = float(difference @ (M @ difference)) / 2, float(base @ (M @ difference))
    linear += fall_energy(solution) - fall_energy(inelastic)
    excess = float(base @ (M @ base)) / 2 + fall_energy(inelastic) - allowed
    if excess >= 0:  # no more than rounding
        return inelastic
    theta = min(1.0, (np.sqrt(linear**2 - 4 * quadratic * excess) - linear) / (2 * quadratic))
    names = ("velocity", "bilateral", "unilateral", "normal", "tangential")
    blended = {
        name: (1 - theta) * getattr(inelastic, name) + theta * getattr(solution, name) for name in names
    }
    return replace(solution, **blended)


def resolve_overlaps(setting: Setting, state: State) -> tuple[State, ContactPoints]:
    """The state after what overlaps was moved apart, if that is to be, and the contacts there."""
    points = predict_contacts(setting.world, state, setting.h)
    if setting.uses_projection and np.any(points.gap < -setting.slop):
        state = replace_unchecked(state, E=separate_bodies(setting.mechanism, state, points, setting.slop))
        points = predict_contacts(setting.world, state, setting.h)
    return state, points


def separate_bodies(mechanism: Mechanism, state: State, points: ContactPoints, slop: float) -> Array:
    """Poses ``(n, 4, 4)`` after the smallest displacement, measured by the masses, that ends all overlaps.

    Those up to ``slop`` get no larger. Gaps are taken as linear in the displacement, so that a little may
    remain; joints stay together.

    Raises
    ------
    Unsolved
        If the joints do not let the bodies separate.
    """
    M, poses = mechanism.mass_matrix(state), state.E
    rows = unchecked.jacobian_along(points.normal[:, None], points, poses)
    N = rows.matrix if sparse.issparse(M) else rows.toarray()
    G = JointKinematics(mechanism.joints, poses).constraint_matrix_like(M)
    zero = np.zeros(state.size)
    min_displacement = np.where(points.gap < -slop, -points.gap, np.minimum(-points.gap, 0.0))
    displacement_problem = construct_unchecked(
        QP, Q=M, c=zero, A=N, b=min_displacement, G=G, g=np.zeros(G.shape[0])
    )
    return project_poses_unchecked(
        mechanism, retract_poses(poses, solve_lcp(displacement_problem, tolerance=SEPARATION_TOLERANCE).x)
    )


def energy_account(
    mechanism: Mechanism, kicks: Sequence[Kick], free_motion: Sequence[State], separated_state: State
) -> Work[float]:
    """The account of a step.

    Parameters
    ----------
    flight
        The state when the bodies begin to move, and that when they have moved.
    settled
        The state after what came apart or overlaps was moved back.
    """
    start, end = (mechanism.energy(state) for state in free_motion)
    return Work(
        applied=sum(float(kick.applied @ kick.mean_velocity) for kick in kicks),
        joints=sum(float(kick.joints @ (kick.rows @ kick.mean_velocity)) for kick in kicks),
        contacts=sum(float(np.sum(kick.contacts.work)) for kick in kicks),
        stabilization=mechanism.energy(separated_state) - end,
        integrator=end - start + sum(float(kick.weight @ kick.mean_velocity) for kick in kicks),
    )
