"""Sueda 2.8: motion under constraints on maximal and on reduced coordinates, as KKT systems."""

from __future__ import annotations

import numpy as np

from rbnotes.dynamics import State, StepProblem, solve_step
from rbnotes.ledger.claims.sueda.section_2_8 import JOINTS_THEN_CONSTRAINTS, section
from rbnotes.ledger.claims.sueda.section_2_8.loop_closure import gamma, loop_rows, loop_rows_dot
from rbnotes.ledger.joint_quantities import BRANCHING
from rbnotes.ledger.oracles import complex_steps
from rbnotes.ledger.oracles.branching_tree import (
    bias_acceleration,
    point_position,
    position_derivatives,
    tree_newton_equations,
)
from rbnotes.ledger.oracles.branching_tree_inputs import NAMES, TREE, QuadraticConstraint, library_tree
from rbnotes.ledger.oracles.constrained_systems import least_action, least_squares_multipliers
from rbnotes.ledger.quantities import (
    ACCELERATION,
    ANGULAR_MOMENTUM,
    FORCE,
    MOMENTUM,
    RATE,
    TIME,
    TORQUE,
    VELOCITY,
    stacked_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Result
from rbnotes.multibody.reduced import (
    LoopClosure,
    body_kinematics,
    constrained_acceleration,
    constraint_rows,
    mass_matrix,
    net_generalized_force,
    velocity_constraints,
)
from rbnotes.testing.strategies import arrays, positive_numbers, round_numbers

# The branching tree with two constraints: a point of the slider coincides with a point of the other hinge's
# body (in all directions), and one quadratic equation holds between the coordinates.
A, B = 3, 2
OFFSET = np.array([1.0, -0.5, 0.25])
LOOP = {"x_A": arrays(3).map(lambda x: x / 2 + OFFSET), "x_B": arrays(3).map(lambda x: x / 2 - OFFSET)}
QUADRATIC = {
    "c": arrays(1, 5, 5).map(lambda c: c / 4),
    "b": arrays(1, 5).map(lambda b: round_numbers(b / 4 + np.array([0.5, -1.0, 0.75, 1.5, -0.5]))),
}
STEP = {"h": positive_numbers(0.0625, 0.5)}


def maximal_rows(kinematics, x_A, x_B):
    """Return G_m, here in all directions, and its rate by (2.97), on the twists of all bodies."""
    E, phi = kinematics.body_poses, kinematics.phi
    G, G_dot = np.zeros((3, 24)), np.zeros((3, 24))
    rows = loop_rows(E[A], E[B], x_A, x_B, np.eye(3))
    rates = loop_rows_dot(E[A], E[B], x_A, x_B, phi[A, :3], phi[B, :3], np.eye(3))
    G[:, 18:], G[:, 12:18] = rows[:, :6], rows[:, 6:]
    G_dot[:, 18:], G_dot[:, 12:18] = rates[:, :6], rates[:, 6:]
    return G, G_dot


def reduced_row(c, b, q):
    """Return G_r of q^T c q / 2 + b^T q."""
    return (c[0] @ q / 2 + q @ c[0] / 2 + b[0])[None]


def reduced_row_dot(c, v):
    return (c[0] @ v / 2 + v @ c[0] / 2)[None]


def solve_kkt(M, G, upper, lower):
    """Return the solution of the KKT system, unknowns and multipliers."""
    zero = np.zeros((len(G), len(G)))
    return np.linalg.solve(np.block([[M, G.T], [G, zero]]), np.append(upper, lower))


def system_of(link_frames, bodies, g, q, v):
    return library_tree(link_frames, bodies, g), State(q=q, qdot=v)


def make_loop(x_A, x_B):
    return LoopClosure(NAMES[A], x_A, NAMES[B], x_B)


def accelerate_with_constraints(system, state, *constraints):
    """Return the library's accelerations, and the multipliers of the notes, which pull."""
    a, multipliers = constrained_acceleration(system, constraints, state)
    return np.append(a, -multipliers)


def step_with_constraints(system, state, h, *constraints):
    """Return the library's velocities after a step, and the multipliers of the notes."""
    rows, _ = velocity_constraints(system, constraints, state, h)
    M = system.mass_matrix(state)
    step = solve_step(StepProblem(M, M @ state.velocity + h * system.force(state), rows))
    return np.append(step.velocity, -step.bilateral)


def gap_function(link_frames, x_A, x_B):
    """Return the gap between the two points as a function of the coordinates: the oracle."""
    point_A, point_B = point_position(link_frames, A, x_A), point_position(link_frames, B, x_B)
    return lambda q: point_A(q) - point_B(q)


def quadratic_level(c, b):
    """Return the function of the quadratic equation; coordinates may have leading axes."""
    return lambda q: np.einsum("...i,mij,...j->...m", q, c, q) / 2 + q @ b.T


def all_errors(link_frames, x_A, x_B, c, b):
    """Return all four constraint errors as a function, that of the quadratic equation first."""
    first, second = quadratic_level(c, b), gap_function(link_frames, x_A, x_B)
    return lambda q: np.concatenate([first(q), second(q)], axis=-1)


def acceleration_reference(link_frames, bodies, g, q, v, error):
    """Return accelerations and multipliers of the notes, by Gauss's principle for points."""
    M, f = tree_newton_equations(link_frames, bodies, g, q, v)
    G = position_derivatives(error, q)
    a = least_action(M, f, G, -bias_acceleration(error, q, v))
    return np.append(a, least_squares_multipliers(f - M @ a, G))


def step_reference(link_frames, bodies, g, q, v, h, error):
    """Return the velocity with the least change of momentum, and the multipliers of the notes."""
    M, f = tree_newton_equations(link_frames, bodies, g, q, v)
    G, momentum = position_derivatives(error, q), M @ v + h * f
    velocity = least_action(M, momentum, G, np.zeros(len(G)))
    return np.append(velocity, least_squares_multipliers(momentum - M @ velocity, G))


TOLERANCE = 1e-8
ACCELERATION_FUNCTIONS = (constrained_acceleration, LoopClosure)
STEP_FUNCTIONS = (velocity_constraints, solve_step)


@section.holds("e2.98#a", "Accelerations and multipliers of a tree with a loop")
class e2_98_a:
    formula = r"\begin{pmatrix} M_r & J_{mr}^\top G_m^\top \\ G_m J_{mr} & 0 \end{pmatrix}\begin{pmatrix} \ddot q_r \\ \lambda \end{pmatrix} = \begin{pmatrix} f_r \\ -(\dot G_m J_{mr} + G_m\dot J_{mr})\dot q_r \end{pmatrix}"
    inputs = TREE | LOOP
    result = Result(BRANCHING / TIME / TIME + vector_quantity((FORCE, 3)), JOINTS_THEN_CONSTRAINTS)

    def printed(link_frames, bodies, g, q, v, x_A, x_B):
        tree = library_tree(link_frames, bodies, g)
        kinematics = body_kinematics(tree, q, v)
        G, G_dot = maximal_rows(kinematics, x_A, x_B)
        J = kinematics.J.reshape(24, 5)
        lower = -(G_dot @ J @ v + G @ kinematics.bias_acceleration.ravel())
        return solve_kkt(mass_matrix(tree, q), G @ J, net_generalized_force(tree, q, v), lower)

    def library(link_frames, bodies, g, q, v, x_A, x_B):
        return accelerate_with_constraints(*system_of(link_frames, bodies, g, q, v), make_loop(x_A, x_B))

    def reference(link_frames, bodies, g, q, v, x_A, x_B):
        """Compare with Gauss's principle, with masses, gaps and their rates from complex steps of points.

        Constraint forces are combinations of the rows.
        """
        return acceleration_reference(link_frames, bodies, g, q, v, gap_function(link_frames, x_A, x_B))

    tolerance = TOLERANCE
    remark = r"The force of the loop is $-J_{mr}^\top G_m^\top\lambda$."
    implements = ACCELERATION_FUNCTIONS


@section.holds("e2.99", "Velocities and multipliers of a tree with a loop")
class e2_99:
    formula = r"\begin{pmatrix} M_r & J_{mr}^\top G_m^\top \\ G_m J_{mr} & 0 \end{pmatrix}\begin{pmatrix} \dot q_r^{(k+1)} \\ \lambda \end{pmatrix} = \begin{pmatrix} M_r\dot q_r^{(k)} + h f_r^{(k)} \\ 0 \end{pmatrix}"
    inputs = TREE | LOOP | STEP
    result = Result(BRANCHING / TIME + vector_quantity((MOMENTUM, 3)), JOINTS_THEN_CONSTRAINTS)

    def printed(link_frames, bodies, g, q, v, x_A, x_B, h):
        tree = library_tree(link_frames, bodies, g)
        kinematics = body_kinematics(tree, q, v)
        R_A, R_B = (kinematics.body_poses[k, :3, :3] for k in (A, B))
        J_A, J_B = R_A @ gamma(x_A) @ kinematics.J[A], R_B @ gamma(x_B) @ kinematics.J[B]
        M = mass_matrix(tree, q)
        return solve_kkt(M, J_A - J_B, M @ v + h * net_generalized_force(tree, q, v), np.zeros(3))

    def library(link_frames, bodies, g, q, v, x_A, x_B, h):
        return step_with_constraints(*system_of(link_frames, bodies, g, q, v), h, make_loop(x_A, x_B))

    def reference(link_frames, bodies, g, q, v, x_A, x_B, h):
        """Compare with the least change of momentum, with masses and gaps of points by complex steps."""
        return step_reference(link_frames, bodies, g, q, v, h, gap_function(link_frames, x_A, x_B))

    tolerance = TOLERANCE
    remark = r"Here $\lambda$ is an impulse, $h$ times a force, unlike the $\lambda$ of (2.98)."
    implements = (velocity_constraints, solve_step, LoopClosure)


@section.holds("e2.100", "Accelerations under an equation between joint coordinates")
class e2_100:
    formula = r"\begin{pmatrix} M_r & G_r^\top \\ G_r & 0 \end{pmatrix}\begin{pmatrix} \ddot q_r \\ \lambda \end{pmatrix} = \begin{pmatrix} f_r \\ -\dot G_r\dot q_r \end{pmatrix}"
    inputs = TREE | QUADRATIC
    result = Result(BRANCHING / TIME / TIME + vector_quantity((TORQUE, 1)), JOINTS_THEN_CONSTRAINTS)

    def printed(link_frames, bodies, g, q, v, c, b):
        tree = library_tree(link_frames, bodies, g)
        G, G_dot = reduced_row(c, b, q), reduced_row_dot(c, v)
        return solve_kkt(mass_matrix(tree, q), G, net_generalized_force(tree, q, v), -G_dot @ v)

    def library(link_frames, bodies, g, q, v, c, b):
        return accelerate_with_constraints(
            *system_of(link_frames, bodies, g, q, v), QuadraticConstraint(c, b)
        )

    def reference(link_frames, bodies, g, q, v, c, b):
        """Compare with Gauss's principle, with masses and derivatives from complex steps of points.

        Constraint forces are combinations of the rows.
        """
        return acceleration_reference(link_frames, bodies, g, q, v, quadratic_level(c, b))

    tolerance = TOLERANCE
    implements = constrained_acceleration


@section.holds("e2.101", "Velocities under an equation between joint coordinates")
class e2_101:
    formula = r"\begin{pmatrix} M_r & G_r^\top \\ G_r & 0 \end{pmatrix}\begin{pmatrix} \dot q_r^{(k+1)} \\ \lambda \end{pmatrix} = \begin{pmatrix} M_r\dot q_r^{(k)} + h f_r^{(k)} \\ 0 \end{pmatrix}"
    inputs = TREE | QUADRATIC | STEP
    result = Result(BRANCHING / TIME + vector_quantity((ANGULAR_MOMENTUM, 1)), JOINTS_THEN_CONSTRAINTS)

    def printed(link_frames, bodies, g, q, v, c, b, h):
        tree = library_tree(link_frames, bodies, g)
        M = mass_matrix(tree, q)
        G = reduced_row(c, b, q)
        return solve_kkt(M, G, M @ v + h * net_generalized_force(tree, q, v), np.zeros(1))

    def library(link_frames, bodies, g, q, v, c, b, h):
        return step_with_constraints(*system_of(link_frames, bodies, g, q, v), h, QuadraticConstraint(c, b))

    def reference(link_frames, bodies, g, q, v, c, b, h):
        """Compare with the least change of momentum, with masses of points and derivatives by complex steps."""
        return step_reference(link_frames, bodies, g, q, v, h, quadratic_level(c, b))

    tolerance = TOLERANCE
    implements = STEP_FUNCTIONS


@section.holds("e2.102", "Stacked constraints on joints and on bodies")
class e2_102:
    formula = r"\bar G_r = \begin{pmatrix} G_r \\ G_m J_{mr} \end{pmatrix},\quad \dot{\bar G}_r = \begin{pmatrix} \dot G_r \\ \dot G_m J_{mr} + G_m\dot J_{mr} \end{pmatrix}"
    inputs = {name: TREE[name] for name in ("link_frames", "bodies", "q", "v")} | LOOP | QUADRATIC
    result = Result(
        stacked_quantity(
            vector_quantity((RATE, 1), (VELOCITY, 3)),
            vector_quantity((RATE / TIME, 1), (ACCELERATION, 3)),
        ),
        "of constraints on joints, then on bodies: velocities, then accelerations",
    )

    def printed(link_frames, bodies, q, v, x_A, x_B, c, b):
        """Apply the rows and their rates to joint velocities."""
        kinematics = body_kinematics(library_tree(link_frames, bodies), q, v)
        G_m, G_m_dot = maximal_rows(kinematics, x_A, x_B)
        G_r, G_r_dot = reduced_row(c, b, q), reduced_row_dot(c, v)
        J = kinematics.J.reshape(24, 5)
        return [
            np.concatenate([G_r @ v, G_m @ J @ v]),
            np.concatenate([G_r_dot @ v, G_m_dot @ J @ v + G_m @ kinematics.bias_acceleration.ravel()]),
        ]

    def library(link_frames, bodies, q, v, x_A, x_B, c, b):
        system, state = system_of(link_frames, bodies, np.zeros(3), q, v)
        rows = [
            constraint_rows(system, each, state, 0.0)
            for each in (QuadraticConstraint(c, b), make_loop(x_A, x_B))
        ]
        return [
            np.concatenate([each.G @ v for each in rows]),
            np.concatenate([each.bias_acceleration for each in rows]),
        ]

    def reference(link_frames, bodies, q, v, x_A, x_B, c, b):
        """Compare with the rates of all errors at constant joint velocities, and with their rates."""
        error = all_errors(link_frames, x_A, x_B, c, b)
        return [complex_steps.directional_derivative(error, q, v), bias_acceleration(error, q, v)]

    implements = (constraint_rows, LoopClosure)


@section.holds("e2.103", "Accelerations under constraints on joints and on bodies")
class e2_103:
    formula = r"\begin{pmatrix} M_r & G_r^\top & J_{mr}^\top G_m^\top \\ G_r & 0 & 0 \\ G_m J_{mr} & 0 & 0 \end{pmatrix}\begin{pmatrix} \ddot q_r \\ \lambda_r \\ \lambda_m \end{pmatrix} = \begin{pmatrix} f_r \\ -\dot G_r\dot q_r \\ -(\dot G_m J_{mr} + G_m\dot J_{mr})\dot q_r \end{pmatrix}"
    inputs = TREE | LOOP | QUADRATIC
    result = Result(
        BRANCHING / TIME / TIME + vector_quantity((TORQUE, 1), (FORCE, 3)), JOINTS_THEN_CONSTRAINTS
    )

    def printed(link_frames, bodies, g, q, v, x_A, x_B, c, b):
        tree = library_tree(link_frames, bodies, g)
        kinematics = body_kinematics(tree, q, v)
        G_m, G_m_dot = maximal_rows(kinematics, x_A, x_B)
        G_r, G_r_dot = reduced_row(c, b, q), reduced_row_dot(c, v)
        J = kinematics.J.reshape(24, 5)
        blocks = np.zeros((9, 9))
        blocks[:5, :5], blocks[:5, 5:6], blocks[:5, 6:] = mass_matrix(tree, q), G_r.T, J.T @ G_m.T
        blocks[5:6, :5], blocks[6:, :5] = G_r, G_m @ J
        loop_bias = -(G_m_dot @ J @ v + G_m @ kinematics.bias_acceleration.ravel())
        return np.linalg.solve(
            blocks, np.concatenate([net_generalized_force(tree, q, v), -G_r_dot @ v, loop_bias])
        )

    def library(link_frames, bodies, g, q, v, x_A, x_B, c, b):
        return accelerate_with_constraints(
            *system_of(link_frames, bodies, g, q, v), QuadraticConstraint(c, b), make_loop(x_A, x_B)
        )

    def reference(link_frames, bodies, g, q, v, x_A, x_B, c, b):
        """Compare with Gauss's principle, with masses, gaps and their rates from complex steps of points.

        Constraint forces are combinations of the rows.
        """
        return acceleration_reference(link_frames, bodies, g, q, v, all_errors(link_frames, x_A, x_B, c, b))

    tolerance = TOLERANCE
    remark = "This is (2.100) with the stacked rows of (2.102)."
    implements = ACCELERATION_FUNCTIONS
