"""Building blocks of the simulator's steps: velocity updates, free motion, and the account of energy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import NamedTuple, Protocol

import numpy as np
from scipy import sparse

from rbnotes.arguments import Array, BoolArray, Matrix
from rbnotes.complementarity import QP, NotSolved, solve
from rbnotes.constraints.kkt import factor_kkt_unchecked
from rbnotes.contact import BodyPairJacobian, ContactPoints, Contacts, unchecked
from rbnotes.contact.prediction import contact_margin, restitution_threshold
from rbnotes.dynamics import (
    BilateralRows,
    State,
    StepProblem,
    StepSolution,
    UnilateralRows,
    factor_step,
    solve_step,
)
from rbnotes.errors import NotConverged
from rbnotes.multibody.bearing_friction import BEARING_TOLERANCE, BearingUpdate, solve_with_bearings
from rbnotes.multibody.joint_kinematics import JointKinematics
from rbnotes.multibody.maximal.joint_space import (
    JointConfiguration,
    JointSpace,
    JointSpaceConstraints,
    JointSpaceImpulses,
    split_bounded_impulse,
)
from rbnotes.multibody.maximal.model import (
    MaximalModel,
    project_poses_unchecked,
)
from rbnotes.multibody.step_records import (
    ContactRecord,
    Work,
    merge_contact_records,
    record_contacts,
)
from rbnotes.multibody.step_settings import StepSettings
from rbnotes.multibody.warm_started_friction import WarmStartedFriction
from rbnotes.unchecked.frozen import construct_unchecked, replace_unchecked
from rbnotes.unchecked.stabilization import retract_poses

SEPARATION_TOLERANCE = 1e-8
"""Accepted relative residual of a separating displacement: its gaps are linearized, with larger errors."""
MAX_CORRECTED_UPDATES = 20
"""Largest number of velocity updates with bearings that :func:`solve_with_correction` solves."""


@dataclass(frozen=True, eq=False)
class StepContext:
    """Model and settings of a run, which are the same in each step.

    Attributes
    ----------
    model
        Bodies, joints, and colliders.
    settings
        Step size, friction, stabilization and impacts.
    joint_space
        Forces and constraints in joint coordinates at the start of the run, or None.
    detect_contacts
        Function to the contacts at poses ``(n, 4, 4)`` with gaps up to a margin.
    """

    model: MaximalModel
    settings: StepSettings
    joint_space: JointSpace | None
    detect_contacts: Callable[[Array, float], ContactPoints]

    def start_joints(self, E: Array) -> JointConfiguration:
        """Return the joints at poses ``(n, 4, 4)``: without a joint space at any, else at the start."""
        return JointConfiguration(JointKinematics(self.model.joints, E), self.joint_space)

    def move_joints(self, joints: JointConfiguration, E: Array) -> JointConfiguration:
        """Return the joints at later poses ``(n, 4, 4)``."""
        joint_space = None if joints.joint_space is None else joints.joint_space.at(E)
        return JointConfiguration(JointKinematics(self.model.joints, E), joint_space)

    def joints_after(self, result: StepResult) -> JointConfiguration:
        """Return the joints at the end of a step."""
        return self.start_joints(result.state.E) if result.joints is None else result.joints

    def mass_matrix(self, state: State, joints: JointConfiguration) -> Matrix:
        """Return the mass matrix ``(6 n, 6 n)``, that of rotors included.

        It is sparse if it is large and all rows are those of joints.
        """
        mass = self.model.mass_matrix(state)
        if joints.joint_space is None:
            return mass
        dense: Array = mass.toarray() if sparse.issparse(mass) else mass
        return dense + joints.rotors().mass_matrix

    def energy(self, state: State, joints: JointConfiguration) -> float:
        """Return the kinetic energy, that of rotors included, and the potential of gravity, J."""
        return self.model.energy(state) + joints.rotors().energy(state.velocity)


class VelocityUpdate(NamedTuple):
    """Velocities before and after an impulsive update at fixed positions, with its impulses ``(N,)``.

    Attributes
    ----------
    before
        Velocities before the update ``(N,)``.
    after
        Velocities after the update ``(N,)``.
    gravity_impulse
        Impulse of gravity.
    applied_impulse
        Impulse of the forces besides gravity, and of springs, dampers, friction and actuators in joints.
    actuator_impulse
        Impulse of the actuators in joint coordinates ``(k,)``, a part of the applied impulse.
    friction_impulse
        Impulse of dry friction in joints, in joint coordinates ``(k,)``, a part of the applied impulse.
    constraint_impulse
        Impulse of joints, constraints and limits.
    multipliers
        Impulses along the rows of the equations ``(m,)``.
    contacts
        Record of the contacts of the update.
    rotor_velocity
        Velocities of the rotors of joints after the update ``(r,)``.
    rotor_work
        Work of the impulses between rotors and bodies, J.
    """

    before: Array
    after: Array
    gravity_impulse: Array
    applied_impulse: Array
    actuator_impulse: Array
    friction_impulse: Array
    constraint_impulse: Array
    multipliers: Array
    contacts: ContactRecord
    rotor_velocity: Array = np.zeros(0)
    rotor_work: float = 0.0

    def add_multipliers(
        self, after: Array, multipliers: Array, G: Matrix, contact_velocities: Array
    ) -> VelocityUpdate:
        """Return the update with other velocities, due to further impulses along the rows G."""
        return self._replace(
            after=after,
            constraint_impulse=self.constraint_impulse + G.T @ multipliers,
            multipliers=self.multipliers + multipliers,
            contacts=replace(self.contacts, velocities_after=contact_velocities),
        )

    @property
    def mean_velocity(self) -> Array:
        """Mean velocity ``(N,)``, whose product with impulses is their work."""
        return (self.before + self.after) / 2


class Correction(NamedTuple):
    """Correction of an update with which the constraints of positions hold after the free motion.

    Attributes
    ----------
    velocity
        Velocities after the corrected update ``(N,)``.
    multipliers
        Further impulses along the rows of the equations ``(m,)``.
    rotor_velocity
        Velocities of the rotors of joints after the corrected update ``(r,)``.
    end_state
        State after the free motion.
    end_constraints
        Equations at that state; None if they were not needed.
    """

    velocity: Array
    multipliers: Array
    rotor_velocity: Array
    end_state: State
    end_constraints: VelocityConstraints | None = None


def solve_with_correction(
    solve: Callable[[Correction | None], VelocityUpdate],
    correct: Callable[[VelocityUpdate], Correction | None],
    *,
    num_updates: int | None = 1,
) -> tuple[VelocityUpdate, Correction] | None:
    """Return an update and its correction, or None if the step is too long to satisfy the constraints.

    The update is repeated with the corrected velocities along the equations. A second update keeps the second
    order if a correction of first order changes impulses that depend on velocities. With bearings the
    correction must vanish: it is a part of the reactions of joints, which bound their friction. It may
    contradict friction or limits that stop the joints; in shorter steps it is smaller.

    Parameters
    ----------
    solve
        Function from the last correction to the update; its argument is None at first.
    correct
        Function from an update to its correction.
    num_updates
        Largest number of updates; None repeats them until the correction vanishes.

    Raises
    ------
    NotConverged
        If the reactions do not settle.
    """
    correction, change = None, np.inf
    for number in range(1, MAX_CORRECTED_UPDATES + 1):
        try:
            update = solve(correction)
        except NotSolved:
            if correction is None:
                raise
            return None
        correction = correct(update)
        if correction is None:
            return None
        if number == num_updates:
            return update, correction
        size = float(np.linalg.norm(update.multipliers + correction.multipliers))
        change = float(np.linalg.norm(correction.multipliers)) / (size or 1.0)
        if change <= BEARING_TOLERANCE:
            return update, correction
    message = f"friction of bearings: the reactions change by {change:.2g} of their size in corrections"
    raise NotConverged(message, update.after, change)


class StepResult(NamedTuple):
    """State after a step, with its contacts, work and impulses.

    Attributes
    ----------
    state
        State at the end of the step.
    points
        Contacts at the end of the step.
    contacts
        Record of the contacts during the step.
    work
        Work by cause, J.
    multipliers
        Impulses along the rows of the joints between bodies with six coordinates ``(m,)``, N m s and N s.
    actuator_impulse
        Impulse of the actuators in joint coordinates ``(k,)``, N m s or N s.
    friction_impulse
        Impulse of dry friction in joints, in joint coordinates ``(k,)``, N m s or N s.
    joints
        Joints at the end of the step, for the next one; None in joint coordinates.
    """

    state: State
    points: ContactPoints
    contacts: ContactRecord
    work: Work[float]
    multipliers: Array
    actuator_impulse: Array
    friction_impulse: Array
    joints: JointConfiguration | None = None

    def append(self, second: StepResult) -> StepResult:
        """Return this step and another one of the same size after it as one step."""
        return StepResult(
            second.state,
            second.points,
            merge_contact_records(
                self.contacts,
                second.contacts,
                self.contacts.step_fractions / 2,
                (1 + second.contacts.step_fractions) / 2,
            ),
            Work(*(a + b for a, b in zip(self.work, second.work, strict=True))),
            self.multipliers + second.multipliers,
            self.actuator_impulse + second.actuator_impulse,
            self.friction_impulse + second.friction_impulse,
            second.joints,
        )


def combine_updates(
    updates: Sequence[VelocityUpdate],
    state: State,
    points: ContactPoints,
    energies: Sequence[float],
    num_rows: int = 0,
) -> StepResult:
    """Return the result of a step from its velocity updates.

    Parameters
    ----------
    updates
        Updates at the start of the step, then one at its end.
    state, points
        State and contacts at the end of the step.
    energies
        Arguments of :func:`energy_account`.
    num_rows
        Number of rows of the joints between bodies, which are the first rows of the equations.
    """
    *at_start, last = updates
    contacts = merge_start_contacts(at_start)
    return StepResult(
        state,
        points,
        merge_contact_records(
            contacts, last.contacts, contacts.step_fractions, np.ones(len(last.contacts.points))
        ),
        energy_account(updates, energies),
        sum((each.multipliers[:num_rows] for each in at_start), last.multipliers[:num_rows]),
        sum((each.actuator_impulse for each in at_start), last.actuator_impulse),
        sum((each.friction_impulse for each in at_start), last.friction_impulse),
    )


def merge_start_contacts(updates: Sequence[VelocityUpdate]) -> ContactRecord:
    """Return the contacts of updates at the start of a step as one record."""
    records = [each.contacts for each in updates]
    return reduce(lambda a, b: merge_contact_records(a, b, a.step_fractions, b.step_fractions), records)


def energy_account(updates: Sequence[VelocityUpdate], energies: Sequence[float]) -> Work[float]:
    """Return the work by cause in a step.

    Parameters
    ----------
    energies
        Energies at the start and at the end of the motion without forces, and after the correction of errors
        of joints and overlaps, J.
    """
    start, end, corrected = energies
    return Work(
        applied_forces=sum(float(each.applied_impulse @ each.mean_velocity) for each in updates),
        joints=sum(float(each.constraint_impulse @ each.mean_velocity) + each.rotor_work for each in updates),
        contacts=sum(float(np.sum(each.contacts.work)) for each in updates),
        stabilization=float(corrected - end),
        integrator=float(end - start)
        + sum(float(each.gravity_impulse @ each.mean_velocity) for each in updates),
    )


class Integrator(Protocol):
    """Integrator of the simulator."""

    def step(
        self, context: StepContext, state: State, points: ContactPoints, joints: JointConfiguration
    ) -> StepResult:
        """Take one step from a state with these contacts and joints."""
        ...


def predict_contacts(context: StepContext, state: State) -> ContactPoints:
    """Return the contacts that could close within the next step, from the velocities of the bodies."""
    model = context.model
    margin = contact_margin(model.colliders, state.phi, context.settings.h, model.gravity)
    return context.detect_contacts(state.E, margin)


def min_normal_velocities(context: StepContext, points: ContactPoints, speeds: Array) -> Array:
    """Return the least normal velocities ``(c,)`` of contacts, also those that remove overlaps.

    Velocities that remove an overlap are at most those that lift a body out of it, ``sqrt(2 g overlap)``.

    Parameters
    ----------
    speeds
        Least normal velocities ``(c,)`` without overlaps, m/s.
    """
    if context.settings.error_reduction_rate:
        overlap = np.maximum(-points.gap - context.settings.slop, 0.0)
        escape_speed = np.sqrt(2 * float(np.linalg.norm(context.model.gravity)) * overlap)
        separation_speed = np.minimum(context.settings.error_reduction_rate * overlap, escape_speed)
        speeds = np.where(overlap > 0, np.maximum(speeds, separation_speed), speeds)
    return speeds


def persistent_contacts(
    points: ContactPoints, normal_velocities: Array, h: float, gravity: Array, slop: float
) -> BoolArray:
    """Return a mask ``(c,)`` of the contacts that persist at the end of a step.

    Contacts of touching bodies persist. Separated bodies that approach fast collide in the next step, and may
    bounce.
    """
    is_bouncing = (points.restitution > 0) & (normal_velocities < restitution_threshold(h, gravity))
    is_deferred = (points.gap > slop) & (normal_velocities < -points.gap / h)
    result: BoolArray = ~(is_bouncing | is_deferred)
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


class VelocityConstraints:
    """Equations of a velocity update: those of joints between bodies, then those of joint coordinates.

    Parameters
    ----------
    joints
        Joints at the poses of the bodies.
    state
        State of the bodies.
    t
        Time of prescribed motions, s.
    """

    def __init__(self, joints: JointConfiguration, state: State, t: float) -> None:
        self.joints, self._state, self._t = joints, state, t

    @property
    def kinematics(self) -> JointKinematics:
        """Kinematics of the joints between bodies."""
        return self.joints.kinematics

    @cached_property
    def joint_space(self) -> JointSpaceConstraints | None:
        """Equations and limits of joint coordinates; None without a joint space."""
        joint_space = self.joints.joint_space
        return None if joint_space is None else joint_space.constraints(self._state, self._t)

    @cached_property
    def error(self) -> Array:
        """Errors of the equations ``(m,)``, rad or m."""
        error = self.kinematics.constraint_error()
        return error if self.joint_space is None else np.concatenate([error, self.joint_space.error])

    @property
    def max_joint_error(self) -> float:
        """Largest error of the joints between bodies, rad or m."""
        return float(np.max(np.abs(self.error[: self.kinematics.layout.num_rows]), initial=0.0))

    def jacobian_like(self, mass: Matrix) -> Matrix:
        """Return the rows of the equations ``(m, 6 n)``, sparse if the mass matrix is."""
        G = self.kinematics.constraint_jacobian_like(mass)
        return G if self.joint_space is None else np.concatenate([G, self.joint_space.G])

    def bias_acceleration(self, phi: Array) -> Array:
        """Return the bias accelerations of the joints, and zero for joint coordinates ``(m,)``."""
        bias = self.kinematics.constraint_bias_acceleration(phi)
        return bias if self.joint_space is None else np.append(bias, np.zeros(len(self.joint_space.error)))

    @property
    def velocity_target(self) -> Array:
        """Velocities along the rows ``(m,)`` with which the errors do not change."""
        target: Array = np.zeros(self.kinematics.layout.num_rows)
        return target if self.joint_space is None else np.append(target, -self.joint_space.bias_velocity)


class Equations(NamedTuple):
    """Equations of a velocity update ``G v = target``.

    Attributes
    ----------
    G
        Rows ``(m, 6 n)``.
    target
        Velocities along the rows ``(m,)``, rad/s and m/s.
    """

    G: Matrix
    target: Array


class JointSpaceUpdate(NamedTuple):
    """Impulses and limits of joint coordinates in a velocity update.

    Attributes
    ----------
    impulses
        Impulses of springs, dampers, actuators and friction in joints.
    limits
        Limits on the twists of the bodies.
    bearings
        Bearings with friction, or None.
    """

    impulses: JointSpaceImpulses
    limits: UnilateralRows
    bearings: BearingUpdate | None

    @property
    def coordinate_rows(self) -> Array:
        """Rows of servos, dry friction and bearings on joint velocities ``(b, k)``."""
        rows = self.impulses.coordinate_rows
        return rows if self.bearings is None else np.concatenate([rows, self.bearings.coordinate_rows])


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
    """

    points: ContactPoints
    rows: BodyPairJacobian
    min_normal_velocities: Array


def solve_velocities(
    context: StepContext,
    problem: StepProblem,
    before: Array,
    forces: ForceImpulses,
    equations: Equations,
    contacts: ContactTargets,
    joint_space: JointSpaceUpdate | None = None,
) -> VelocityUpdate:
    """Return the velocity update of a problem without conditions, under joints and contacts.

    Parameters
    ----------
    before
        Velocities ``(6 n,)`` before forces and impulses.
    forces
        Impulses that the problem contains, for the account of energy.
    joint_space
        Impulses and limits of joint coordinates, which the problem does not contain.
    """
    points, rows = contacts.points, contacts.rows
    G, target = equations
    applied = forces.applied
    actuators: Array = np.zeros(0)
    friction: Array = np.zeros(0)
    if joint_space is None and not len(points):
        kkt = factor_kkt_unchecked(problem.mass, G)
        solution = StepSolution(*kkt.solve_unchecked(problem.momentum, target), method="factor_kkt")
        constraint_impulse = G.T @ solution.bilateral
    else:
        problem = _add_conditions(problem, equations, contacts)

        def solve(problem: StepProblem) -> StepSolution:
            return solve_contacts(context.settings.friction, problem, points)

        if joint_space is None:
            solution = solve(problem)
            constraint_impulse = G.T @ solution.bilateral
        else:
            impulses, limits, bearings = joint_space
            problem = replace_unchecked(
                problem,
                mass=problem.mass + impulses.damping,
                momentum=problem.momentum + impulses.constant,
                unilateral=limits,
            )
            solution, bounded_impulse, bounded = solve_with_bearings(
                problem, impulses.bounded, bearings, solve, before
            )
            applied = applied + impulses.constant - impulses.damping @ solution.velocity
            applied = applied + bounded.rows.T @ bounded_impulse
            actuators, friction = split_bounded_impulse(
                bounded, joint_space.coordinate_rows, impulses.motor, bounded_impulse
            )
            constraint_impulse = G.T @ solution.bilateral + limits.rows.T @ solution.unilateral
    return VelocityUpdate(
        before,
        solution.velocity,
        forces.gravity,
        applied,
        actuators,
        friction,
        constraint_impulse,
        solution.bilateral,
        record_contacts(points, rows, before, solution),
    )


def _add_conditions(problem: StepProblem, equations: Equations, contacts: ContactTargets) -> StepProblem:
    """Return the problem with the equations and the contacts."""
    G, target = equations
    zero: Array = np.zeros(len(target))
    bilateral = construct_unchecked(BilateralRows, rows=G, target=target, regularization=zero)
    if not len(contacts.points):
        return problem.with_constraints(bilateral=bilateral)
    conditions = construct_unchecked(
        Contacts,
        rows=contacts.rows,
        mu=contacts.points.mu,
        normal_target=contacts.min_normal_velocities,
    )
    return problem.with_constraints(bilateral=bilateral, contacts=conditions)


def solve_contacts(
    friction: WarmStartedFriction, problem: StepProblem, points: ContactPoints
) -> StepSolution:
    """Return the solution of the contact problem without a gain of energy (:func:`limit_impact_energy`).

    Bounces may contradict each other and the joints, as for a body between two that cannot move.
    Then nothing bounces in this step, and no overlap is reduced, which causes a warning.

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
        overlap = np.max(-points.gap[normal_target > 0])
        if overlap > 0:
            friction.warn_of_overlaps(float(overlap))
        return friction(_inelastic_problem(problem, normal_target), points)
    return limit_impact_energy(friction, problem, points, solution)


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
) -> StepSolution:
    """Return the solution, reduced if impacts leave more energy than there would be without contacts.

    Newton's law of impact prescribes normal velocities alone, and with friction may require more energy than
    the bodies had (Kane). The inelastic solution never does: with impulses p and velocities u of the
    contacts, ``T - T_free = p u - p^T W p / 2``, where no term of p u is positive. The interpolated solution
    ``inelastic + theta (solution - inelastic)`` has impulses within the cones, which are convex. Its energy
    is a quadratic in theta; the largest theta up to one without a gain is used.
    """
    normal_target = _normal_target(problem)
    is_bouncing = (normal_target > 0) & (points.restitution > 0)
    if not np.any(is_bouncing) or not problem.is_symmetric:
        return solution
    M = problem.mass
    free_velocity = factor_step(problem).solve_unchecked(problem.momentum, problem.bilateral.target)[0]
    max_energy = float(free_velocity @ (M @ free_velocity)) / 2
    if float(solution.velocity @ (M @ solution.velocity)) / 2 <= max_energy * (1 + 1e-12):
        return solution
    inelastic = friction(_inelastic_problem(problem, normal_target), points)
    base, difference = inelastic.velocity, solution.velocity - inelastic.velocity
    quadratic, linear = float(difference @ (M @ difference)) / 2, float(base @ (M @ difference))
    excess = float(base @ (M @ base)) / 2 - max_energy
    if excess >= 0:  # only rounding
        return inelastic
    theta = min(1.0, (np.sqrt(linear**2 - 4 * quadratic * excess) - linear) / (2 * quadratic))
    names = ("velocity", "bilateral", "unilateral", "normal", "tangential")
    interpolation = {
        name: (1 - theta) * getattr(inelastic, name) + theta * getattr(solution, name) for name in names
    }
    return replace(solution, **interpolation)


def resolve_overlaps(
    context: StepContext, state: State, constraints: VelocityConstraints
) -> tuple[State, ContactPoints, VelocityConstraints]:
    """Return the state after the separation of overlaps, if projection is used.

    Violated limits of joint coordinates are corrected, too. The other results are contacts and equations
    there.

    Parameters
    ----------
    constraints
        Equations at the given state.
    """
    points = predict_contacts(context, state)
    if not context.settings.uses_projection:
        return state, points, constraints
    own = constraints.joint_space
    gaps = points.gap if own is None else np.concatenate([points.gap, own.limit_gap])
    if np.any(gaps < -context.settings.slop):
        poses = separate_bodies(context.model, state, points, context.settings.slop, constraints)
        state = replace_unchecked(state, E=poses)
        points = predict_contacts(context, state)
        constraints = VelocityConstraints(context.move_joints(constraints.joints, poses), state, state.t)
    return state, points, constraints


def separate_bodies(
    model: MaximalModel,
    state: State,
    points: ContactPoints,
    slop: float,
    constraints: VelocityConstraints,
) -> Array:
    """Return the poses ``(n, 4, 4)`` after the smallest displacement that removes overlaps.

    The masses define its norm. Overlaps up to ``slop`` do not grow. Gaps are linearized in the displacement,
    so that small overlaps may remain; the joints stay satisfied.

    Parameters
    ----------
    constraints
        Equations, and limits of joint coordinates, whose errors the displacement removes, too.

    Raises
    ------
    NotSolved
        If the joints do not let the bodies separate.
    """
    M, poses, own = model.mass_matrix(state), state.E, constraints.joint_space
    if own is not None and sparse.issparse(M):
        M = M.toarray()
    rows = unchecked.jacobian_along(points.normal[:, None], points, poses)
    A = rows.matrix if sparse.issparse(M) else rows.toarray()
    G = constraints.kinematics.constraint_jacobian_like(M)
    distances, g = separation_distances(points.gap, slop), np.zeros(G.shape[0])
    if own is not None:
        A = np.concatenate([A, own.limit_rows])
        distances = np.append(distances, -own.limit_gap)
        G, g = np.concatenate([G, own.G]), np.append(g, -own.error)
    problem = construct_unchecked(QP, Q=M, c=np.zeros(state.size), A=A, b=distances, G=G, g=g)
    return project_poses_unchecked(
        model, retract_poses(poses, solve(problem, tolerance=SEPARATION_TOLERANCE).x)
    )
