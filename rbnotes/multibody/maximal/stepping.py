"""Building blocks of the simulator's steps: velocity updates, free motion, and the account of energy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, Matrix
from rbnotes.complementarity import QP, NotSolved, solve
from rbnotes.constraints.kkt import factor_kkt_unchecked
from rbnotes.contact import BodyPairJacobian, Collider, ContactPoints, Contacts, unchecked
from rbnotes.contact.body_pair_jacobian import relative_velocities
from rbnotes.contact.detection import check_colliders, check_excluded_pairs, contact_points_unchecked
from rbnotes.contact.prediction import (
    contact_margin,
    normal_velocity_targets_unchecked,
    restitution_threshold,
)
from rbnotes.dynamics import BilateralRows, State, States, StepProblem, StepSolution, factor_step, solve_step
from rbnotes.friction import FrictionModel
from rbnotes.multibody.maximal.joint_kinematics import JointKinematics
from rbnotes.multibody.maximal.mechanism import (
    BAUMGARTE,
    PROJECTION,
    Mechanism,
    project_poses_unchecked,
)
from rbnotes.multibody.maximal.trajectory import (
    ContactRecord,
    RestartData,
    Trajectory,
    Work,
    contact_events,
    record_contacts,
)
from rbnotes.multibody.maximal.warm_started_friction import WarmStartedFriction
from rbnotes.multibody.step_failures import name_step_failures
from rbnotes.unchecked.frozen import construct_unchecked, replace_unchecked
from rbnotes.unchecked.stabilization import retract_poses

Progress = Callable[[int, int], object]
"""Callback after each step, with the number of steps done and of all steps."""

SEPARATION_TOLERANCE = 1e-8
"""Accepted relative residual of a separating displacement: its gaps are linearized, with larger errors."""


@dataclass(frozen=True, eq=False)
class World:
    """Mechanism whose bodies can touch each other and the world.

    Attributes
    ----------
    mechanism
        Bodies, the joints between them, and the forces.
    colliders
        Shapes that the bodies and the world carry.
    excluded_pairs
        Pairs of bodies (or ``WORLD``) that do not touch; by default those connected by a joint.
    body_names
        Names of the bodies in errors; their indices by default.

    Raises
    ------
    InvalidArgument
        If ``mechanism`` is no ``Mechanism``, ``colliders`` does not fit, or ``excluded_pairs`` does not
        fit.
    """

    mechanism: Mechanism
    colliders: Sequence[Collider] = ()
    excluded_pairs: Sequence[tuple[int, int]] | None = None
    body_names: Sequence[str] | None = None

    def __post_init__(self) -> None:
        arguments.require_instance("mechanism", self.mechanism, Mechanism)
        check_colliders(self.colliders, len(self.mechanism.inertias))
        if self.excluded_pairs is not None:
            object.__setattr__(self, "excluded_pairs", check_excluded_pairs(self.excluded_pairs))
        else:
            pairs = tuple((joint.body, joint.parent) for joint in self.mechanism.joints)
            object.__setattr__(self, "excluded_pairs", pairs)
        if self.body_names is not None:
            names, count = (
                arguments.instances("body_names", self.body_names, str),
                len(self.mechanism.inertias),
            )
            if len(names) != count:
                raise InvalidArgument("body_names", f"{len(names)} names", f"one for each of {count} bodies")
            object.__setattr__(self, "body_names", names)

    def detect_contacts(self, poses: Array, margin: float) -> ContactPoints:
        """Return the contacts with gaps up to a margin, for valid poses."""
        return contact_points_unchecked(self.colliders, poses, margin, self.excluded_pairs or ())

    def prepare_friction_model(self, model: FrictionModel) -> FrictionModel:
        """Return a friction model in the form that this world computes."""
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
        """Take steps from a state with these contacts and the last impulses of the friction model."""
        states, results = [state], list[Taken]()
        for step in range(1, steps + 1):
            with name_step_failures(state.t, points, self.body_names):
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
    """Options of a simulation, which are the same in each step.

    Attributes
    ----------
    world
        World with bodies, joints, and colliders.
    h
        Size of the step, s.
    friction
        Friction model that stores the contacts of the last velocity update.
    stabilization
        Correction of pose errors: ``"projection"``, ``"baumgarte"`` or ``"none"``.
    gamma
        Error reduction rate of Baumgarte's stabilization, 1/s.
    slop
        Overlap that is not corrected, m.
    impacts
        Mode of impacts: ``"simultaneous"`` or ``"sequential"``.
    """

    world: World
    h: float
    friction: WarmStartedFriction
    stabilization: str
    gamma: float
    slop: float
    impacts: str = "simultaneous"

    @property
    def mechanism(self) -> Mechanism:
        """Bodies and joints of the world."""
        return self.world.mechanism

    @property
    def uses_projection(self) -> bool:
        """True if poses are projected."""
        return self.stabilization == PROJECTION

    @property
    def error_reduction_rate(self) -> float:
        """Rate at which velocities reduce errors, 1/s."""
        return self.gamma if self.stabilization == BAUMGARTE else 0.0


class Kick(NamedTuple):
    """Velocity update at fixed poses, with its impulses.

    Attributes
    ----------
    before
        Velocities before the update ``(6 n,)``.
    gravity_impulse
        Impulse of gravity ``(6 n,)``.
    applied_impulse
        Impulse of the applied forces ``(6 n,)``.
    rows
        Rows of the joints ``(m, 6 n)``.
    joints
        Impulses along the rows of the joints ``(m,)``.
    """

    before: Array
    after: Array
    gravity_impulse: Array
    applied_impulse: Array
    rows: Matrix
    joints: Array
    contacts: ContactRecord
    contact_rows: BodyPairJacobian

    def with_joint_impulses(self, after: Array, joint_impulses: Array) -> Kick:
        """Return the update with other velocities, due to further impulses along the joints."""
        contacts = replace(self.contacts, velocities_after=relative_velocities(self.contact_rows, after))
        return self._replace(after=after, joints=self.joints + joint_impulses, contacts=contacts)

    @property
    def mean_velocity(self) -> Array:
        """Mean velocity ``(6 n,)``, whose product with impulses is their work."""
        return (self.before + self.after) / 2


class Taken(NamedTuple):
    """Result of a step.

    Attributes
    ----------
    points
        Contacts at the end of the step.
    joints
        Impulses along the rows of the joints ``(m,)``.
    """

    state: State
    points: ContactPoints
    joints: Array
    contacts: ContactRecord
    work: Work[float]


class Integrator(Protocol):
    """Integrator of the simulator."""

    def step(self, setting: Setting, state: State, points: ContactPoints) -> Taken:
        """Take one step from a state with these contacts."""
        ...


def predict_contacts(world: World, state: State, h: float) -> ContactPoints:
    """Return the contacts that could close within the next step, from the velocities of the bodies."""
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
    """Return the least normal velocities ``(c,)`` of contacts for which none closes further in the step.

    Velocities that remove an overlap are at most those that lift a body out of it, ``sqrt(2 g overlap)``.

    Parameters
    ----------
    rows
        Rows of the contacts at the current poses.
    velocity_change
        Change of velocities ``(6 n,)`` after a bounce, for steps whose forces act in halves.
    """
    gravity = setting.mechanism.gravity
    speeds = normal_velocity_targets_unchecked(
        points,
        relative_velocities(rows, state.velocity)[:, 0],
        setting.h,
        gravity,
        0.0 if velocity_change is None else relative_velocities(rows, velocity_change)[:, 0],
    )
    if setting.error_reduction_rate:
        overlap = np.maximum(-points.gap - setting.slop, 0.0)
        escape_speed = np.sqrt(2 * float(np.linalg.norm(gravity)) * overlap)
        separation_speed = np.minimum(setting.error_reduction_rate * overlap, escape_speed)
        speeds = np.where(overlap > 0, np.maximum(speeds, separation_speed), speeds)
    return speeds


def held_contacts(
    points: ContactPoints, normal_velocities: Array, h: float, gravity: Array, slop: float
) -> NDArray[np.bool_]:
    """Return a mask ``(c,)`` of the contacts that hold bodies at the end of a step.

    Touching bodies are held. Separated bodies that approach fast collide in the next step, and may bounce.
    """
    is_bouncing = (points.restitution > 0) & (normal_velocities < restitution_threshold(h, gravity))
    is_deferred = (points.gap > slop) & (normal_velocities < -points.gap / h)
    result: NDArray[np.bool_] = ~(is_bouncing | is_deferred)
    return result


def separation_distances(gap: Array, slop: float) -> Array:
    """Return the least displacements ``(c,)`` along the normals that remove overlaps beyond `slop`, m.

    Smaller overlaps do not grow, and separated bodies do not touch.
    """
    return np.where(gap < -slop, -gap, np.minimum(-gap, 0.0))


class ForceImpulses(NamedTuple):
    """Impulses of forces over a step or half a step.

    Attributes
    ----------
    gravity
        Impulse of gravity ``(6 n,)``.
    applied
        Impulse of the applied forces ``(6 n,)``.
    """

    gravity: Array
    applied: Array


class JointTargets(NamedTuple):
    """Joints of a velocity update, and the velocities that they require.

    Attributes
    ----------
    kinematics
        Kinematics of the joints at the poses of the update.
    velocities
        Velocities along the rows of the joints ``(m,)``, rad/s and m/s.
    """

    kinematics: JointKinematics
    velocities: Array


class ContactTargets(NamedTuple):
    """Contacts of a velocity update, and the velocities that they require.

    Attributes
    ----------
    points
        Contact points.
    rows
        Rows of the contacts at the poses of the update.
    min_normal_velocities
        Least normal velocities ``(c,)``, m/s: :func:`min_normal_velocities`.
    velocity_change
        Change of velocities ``(6 n,)`` after a bounce, as for :func:`min_normal_velocities`.
    """

    points: ContactPoints
    rows: BodyPairJacobian
    min_normal_velocities: Array
    velocity_change: Array | None = None


def solve_velocities(
    setting: Setting,
    problem: StepProblem,
    before: Array,
    forces: ForceImpulses,
    joints: JointTargets,
    contacts: ContactTargets,
) -> Kick:
    """Return the velocity update of a problem without constraints, under joints and contacts.

    Parameters
    ----------
    before
        Velocities ``(6 n,)`` before forces and impulses.
    forces
        Impulses that the problem contains, for the account of energy.
    """
    points, rows = contacts.points, contacts.rows
    G = joints.kinematics.constraint_jacobian_like(problem.mass)
    if len(points):
        bilateral = construct_unchecked(
            BilateralRows,
            rows=G,
            target=joints.velocities,
            regularization=np.zeros(len(joints.velocities)),
        )
        constrained_problem = problem.with_constraints(
            bilateral=bilateral,
            contacts=construct_unchecked(
                Contacts, rows=rows, mu=points.mu, normal_target=contacts.min_normal_velocities
            ),
        )
        contact_velocity_change = (
            np.zeros((len(points), 3))
            if contacts.velocity_change is None
            else relative_velocities(rows, contacts.velocity_change)
        )
        solution = solve_contacts(setting.friction, constrained_problem, points, contact_velocity_change)
    else:
        velocity, impulses = factor_kkt_unchecked(problem.mass, G).solve_unchecked(
            problem.momentum, joints.velocities
        )
        solution = StepSolution(velocity, impulses, method="factor_kkt")
    record = record_contacts(points, rows, before, solution)
    return Kick(before, solution.velocity, *forces, G, solution.bilateral, record, rows)


def solve_contacts(
    friction: WarmStartedFriction, problem: StepProblem, points: ContactPoints, contact_velocity_change: Array
) -> StepSolution:
    """Return the solution of the contact problem without a gain of energy (:func:`limit_impact_energy`).

    Bounces may contradict each other and the joints, as for a body between two that cannot move.
    Then nothing bounces in this step, and no overlap is reduced.

    Raises
    ------
    NotSolved
        If contacts and joints contradict each other without bounces, too.
    """
    if not len(points):
        return solve_step(problem)
    try:
        solution = friction(problem, points)
    except NotSolved:
        normal_target = _normal_target(problem)
        if not np.any(normal_target > 0):
            raise
        return friction(_inelastic_problem(problem, normal_target), points)
    return limit_impact_energy(friction, problem, points, solution, contact_velocity_change)


def _normal_target(problem: StepProblem) -> Array:
    """Return the least normal velocities ``(c,)``."""
    return problem.contacts.normal_target if problem.contacts is not None else np.zeros(0)


def _inelastic_problem(problem: StepProblem, normal_target: Array) -> StepProblem:
    """Return the problem without contacts that have to separate."""
    return problem.with_constraints(
        contacts=replace_unchecked(problem.contacts, normal_target=np.minimum(normal_target, 0.0))
    )


def limit_impact_energy(
    friction: WarmStartedFriction,
    problem: StepProblem,
    points: ContactPoints,
    solution: StepSolution,
    contact_velocity_change: Array,
) -> StepSolution:
    """Return the solution, reduced if impacts leave more energy than there would be without contacts.

    Newton's law of impact prescribes normal velocities alone, and with friction may require more energy than
    the bodies had (Kane). The inelastic solution never does: with impulses p and velocities u of the
    contacts, ``T - T_free = p u - p^T W p / 2``, where no term of p u is positive. The interpolated solution
    ``inelastic + theta (solution - inelastic)`` has impulses within the cones, which are convex. Its energy
    is a quadratic in theta; the largest theta up to one without a gain is used.

    Parameters
    ----------
    contact_velocity_change
        Change of the contact velocities ``(c, 3)`` after a bounce. A body that bounces has not fallen by that
        much yet, and must not gain its energy: the difference is ``p contact_velocity_change``.
    """
    normal_target = _normal_target(problem)
    is_bouncing = (normal_target > 0) & (points.restitution > 0)
    if not np.any(is_bouncing) or not problem.is_symmetric:
        return solution
    M = problem.mass
    free = factor_step(problem).solve_unchecked(problem.momentum, problem.bilateral.target)[0]
    max_energy = float(free @ (M @ free)) / 2

    def fall_energy(contact_solution: StepSolution) -> float:
        return -float(
            np.sum(contact_solution.contact_impulses[is_bouncing] * contact_velocity_change[is_bouncing])
        )

    if float(solution.velocity @ (M @ solution.velocity)) / 2 + fall_energy(solution) <= max_energy * (
        1 + 1e-12
    ):
        return solution
    inelastic = friction(_inelastic_problem(problem, normal_target), points)
    base, difference = inelastic.velocity, solution.velocity - inelastic.velocity
    quadratic, linear = float(difference @ (M @ difference)) / 2, float(base @ (M @ difference))
    linear += fall_energy(solution) - fall_energy(inelastic)
    excess = float(base @ (M @ base)) / 2 + fall_energy(inelastic) - max_energy
    if excess >= 0:  # only rounding
        return inelastic
    theta = min(1.0, (np.sqrt(linear**2 - 4 * quadratic * excess) - linear) / (2 * quadratic))
    names = ("velocity", "bilateral", "unilateral", "normal", "tangential")
    interpolation = {
        name: (1 - theta) * getattr(inelastic, name) + theta * getattr(solution, name) for name in names
    }
    return replace(solution, **interpolation)


def resolve_overlaps(setting: Setting, state: State) -> tuple[State, ContactPoints]:
    """Return the state after the separation of overlaps, if projection is used, and the contacts there."""
    points = predict_contacts(setting.world, state, setting.h)
    if setting.uses_projection and np.any(points.gap < -setting.slop):
        state = replace_unchecked(state, E=separate_bodies(setting.mechanism, state, points, setting.slop))
        points = predict_contacts(setting.world, state, setting.h)
    return state, points


def separate_bodies(mechanism: Mechanism, state: State, points: ContactPoints, slop: float) -> Array:
    """Return the poses ``(n, 4, 4)`` after the smallest displacement that removes overlaps.

    The masses define its norm. Overlaps up to ``slop`` do not grow. Gaps are linearized in the displacement,
    so that small overlaps may remain; the joints stay satisfied.

    Raises
    ------
    NotSolved
        If the joints do not let the bodies separate.
    """
    M, poses = mechanism.mass_matrix(state), state.E
    rows = unchecked.jacobian_along(points.normal[:, None], points, poses)
    N = rows.matrix if sparse.issparse(M) else rows.toarray()
    G = JointKinematics(mechanism.joints, poses).constraint_jacobian_like(M)
    zero = np.zeros(state.size)
    distances = separation_distances(points.gap, slop)
    displacement_problem = construct_unchecked(QP, Q=M, c=zero, A=N, b=distances, G=G, g=np.zeros(G.shape[0]))
    return project_poses_unchecked(
        mechanism, retract_poses(poses, solve(displacement_problem, tolerance=SEPARATION_TOLERANCE).x)
    )


def energy_account(
    mechanism: Mechanism, kicks: Sequence[Kick], free_motion: Sequence[State], separated_state: State
) -> Work[float]:
    """Return the work by cause in a step.

    Parameters
    ----------
    free_motion
        States at the start and at the end of the free motion.
    separated_state
        State after the correction of joint errors and overlaps.
    """
    start, end = (mechanism.energy(state) for state in free_motion)
    return Work(
        applied_forces=sum(float(kick.applied_impulse @ kick.mean_velocity) for kick in kicks),
        joints=sum(float(kick.joints @ (kick.rows @ kick.mean_velocity)) for kick in kicks),
        contacts=sum(float(np.sum(kick.contacts.work)) for kick in kicks),
        stabilization=mechanism.energy(separated_state) - end,
        integrator=end - start + sum(float(kick.gravity_impulse @ kick.mean_velocity) for kick in kicks),
    )
