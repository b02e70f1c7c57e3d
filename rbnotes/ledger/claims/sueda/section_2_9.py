"""Sueda 2.9: joints with prescribed motion, and the forces that they need."""

from __future__ import annotations

import numpy as np
from scipy.linalg import null_space

from rbnotes.dynamics import StepProblem, solve_step
from rbnotes.ledger.claims.sueda.section_2_8.loop_closure import gamma
from rbnotes.ledger.claims.sueda.section_2_8.motion import (
    LOOP,
    accelerate_with_constraints,
    gap_function,
    make_loop,
    maximal_rows,
    solve_kkt,
    step_with_constraints,
    system_of,
)
from rbnotes.ledger.joint_quantities import BRANCHING, MASS_POINTS
from rbnotes.ledger.oracles.branching_tree import (
    bias_acceleration,
    position_derivatives,
    time_derivative,
    tree_newton_equations,
)
from rbnotes.ledger.oracles.branching_tree_inputs import NAMES, TREE, QuadraticConstraint, library_tree
from rbnotes.ledger.oracles.constrained_systems import least_action, least_squares_multipliers
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    ACCELERATION,
    ANGULAR_MOMENTUM,
    ENERGY,
    FORCE,
    LENGTH,
    MOMENTUM,
    NUMBER,
    POSE,
    RATE,
    TIME,
    TORQUE,
    VELOCITY,
    stacked_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody.reduced import (
    PrescribedJoint,
    body_kinematics,
    constrained_acceleration,
    constraint_rows,
    forward_dynamics_dense,
    inverse_dynamics_dense,
    mass_matrix,
    net_generalized_force,
    prescribed_forces,
    velocity_constraints,
)
from rbnotes.testing.strategies import arrays, positive_numbers

section = Section(
    "sueda/s2.9",
    chapter="hybrid-dynamics",
    page_2019=Page(38, last=39),
    page_2021=Page(50),
    arguments={
        "link_frames": Argument(
            POSE,
            (
                "for each joint (a universal joint about x and y; on it a hinge about z that carries a "
                "slider along z, and another hinge): pose in the frame of the parent joint, then pose of "
                "the body in the joint frame"
            ),
        ),
        "bodies": Argument(MASS_POINTS, "four points of each body: mass, then position in the body"),
        "g": Argument(ACCELERATION, "along the axes of the world"),
        "q": Argument(BRANCHING, "of the joints, in their order"),
        "v": Argument(vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)), "of the joints, in their order"),
        "tau": Argument(
            vector_quantity((TORQUE, 3), (FORCE, 1), (TORQUE, 1)), "of the joints, in their order"
        ),
        "a": Argument(
            vector_quantity((NUMBER / TIME**2, 3), (ACCELERATION, 1), (NUMBER / TIME**2, 1)),
            "of the joints, in their order",
        ),
        "prescribed": Argument(NUMBER / TIME**2, "of the joints, in their order"),
        "x_A": Argument(LENGTH, "closure point of the loop on A, in the frame of its body"),
        "x_B": Argument(LENGTH, "closure point of the loop on B, in the frame of its body"),
        "h": Argument(TIME),
        "other": Argument(vector_quantity((NUMBER, 3), (NUMBER / LENGTH, 1), (NUMBER, 1))),
    },
)


# Two joints of the branching tree have prescribed motions: the universal joint and the slider. Together with
# a loop, only the hinge has one.
PRESCRIBED = np.array([0, 1, 3])
HINGE = np.array([2])
STEP = {"h": positive_numbers(0.0625, 0.5)}
PRESCRIBED_INPUTS = TREE | {"prescribed": arrays(3)}
LOOP_INPUTS = TREE | LOOP | {"prescribed": arrays(1)}
TOLERANCE = 1e-8


def prescribed_rows(columns):
    """Return pG_r: the identity in the columns of the prescribed coordinates."""
    rows = np.zeros((len(columns), 5))
    for i, column in enumerate(columns):
        rows[i, column] = 1
    return rows


def prescribed_motion(v, prescribed):
    """Return the library's constraints that prescribe universal joint and slider: velocities and accelerations."""
    return [
        PrescribedJoint(NAMES[0], lambda t: (np.zeros(2), v[:2], prescribed[:2])),
        PrescribedJoint(NAMES[2], lambda t: (np.zeros(1), v[2:], prescribed[2:])),
    ]


def prescribed_hinge_motion(speed, prescribed):
    return PrescribedJoint(NAMES[1], lambda t: (np.zeros(1), speed, prescribed))


def prescribed_reference(link_frames, bodies, g, q, v, prescribed):
    """Return accelerations and prescribing forces, by elimination of the free coordinates (the oracle)."""
    M, f = tree_newton_equations(link_frames, bodies, g, q, v)
    a = np.zeros(5)
    a[PRESCRIBED] = prescribed
    free_columns = np.setdiff1d(np.arange(5), PRESCRIBED)
    a[free_columns] = np.linalg.solve(
        M[np.ix_(free_columns, free_columns)],
        f[free_columns] - M[np.ix_(free_columns, PRESCRIBED)] @ prescribed,
    )
    return a, (M @ a - f)[PRESCRIBED]


def loop_reference(link_frames, bodies, g, q, v, x_A, x_B, prescribed):
    """Return accelerations and multipliers of the notes, that of the hinge first (the oracle)."""
    M, f = tree_newton_equations(link_frames, bodies, g, q, v)
    gap = gap_function(link_frames, x_A, x_B)
    G = np.vstack([np.eye(5)[HINGE], position_derivatives(gap, q)])
    a = least_action(M, f, G, np.append(prescribed, -bias_acceleration(gap, q, v)))
    return np.append(a, least_squares_multipliers(f - M @ a, G))


def loop_kkt_terms(link_frames, bodies, g, q, v, x_A, x_B):
    """Return masses, rows, forces, and the rate of the loop's rows times velocities, by the notes' formulas."""
    tree = library_tree(link_frames, bodies, g)
    kinematics = body_kinematics(tree, q, v)
    G_m, G_m_dot = maximal_rows(kinematics, x_A, x_B)
    J = kinematics.J.reshape(24, 5)
    G = np.vstack([prescribed_rows(HINGE), G_m @ J])
    return (
        mass_matrix(tree, q),
        G,
        net_generalized_force(tree, q, v),
        G_m_dot @ J @ v + G_m @ kinematics.bias_acceleration.ravel(),
    )


@section.holds("t1302#a", "Forward and inverse dynamics")
class t1302_a:
    formula = r"\text{forward: accelerations given the forces; inverse: forces given the accelerations}"
    inputs = TREE | {"tau": arrays(5), "a": arrays(5)}
    result = Result(
        stacked_quantity(BRANCHING / TIME / TIME, ENERGY / BRANCHING),
        "accelerations, then forces, of the joints, in their order",
    )

    def printed(link_frames, bodies, g, q, v, tau, a):
        tree = library_tree(link_frames, bodies, g)
        M, f = mass_matrix(tree, q), net_generalized_force(tree, q, v)
        return [np.linalg.solve(M, f + tau), M @ a - f]

    def library(link_frames, bodies, g, q, v, tau, a):
        tree = library_tree(link_frames, bodies, g)
        return [forward_dynamics_dense(tree, q, v, tau), inverse_dynamics_dense(tree, q, v, a)]

    def reference(link_frames, bodies, g, q, v, tau, a):
        """Compare with Newton's law for points of the bodies, by complex steps of their positions."""
        M, f = tree_newton_equations(link_frames, bodies, g, q, v)
        return [np.linalg.solve(M, f + tau), M @ a - f]

    tolerance = TOLERANCE
    implements = (forward_dynamics_dense, inverse_dynamics_dense)


@section.holds("t1302#b", "Prescribed accelerations as an equality constraint")
class t1302_b:
    formula = r"{}^pG_r\,\ddot q_r = {}^p\ddot q_r,\quad {}^p\dot G_r = 0"
    inputs = {name: TREE[name] for name in ("link_frames", "bodies", "q", "v")} | {
        "a": arrays(5),
        "prescribed": arrays(3),
    }
    arguments = {
        "prescribed": Argument(
            vector_quantity((NUMBER / TIME**2, 2), (ACCELERATION, 1)), "of the joints, in their order"
        )
    }
    result = Result(
        vector_quantity((RATE / TIME, 2), (ACCELERATION, 1)), "of the prescribed joints, in their order"
    )

    def printed(link_frames, bodies, q, v, a, prescribed):
        """Return the residual of the prescribed accelerations, without a term for the rate of the rows."""
        return prescribed_rows(PRESCRIBED) @ a - prescribed

    def library(link_frames, bodies, q, v, a, prescribed):
        system, state = system_of(link_frames, bodies, np.zeros(3), q, v)
        rows = [
            constraint_rows(system, each, state, 0.0) for each in prescribed_motion(v[PRESCRIBED], prescribed)
        ]
        return np.concatenate([each.G @ a + each.bias_acceleration for each in rows])

    def reference(link_frames, bodies, q, v, a, prescribed):
        """Compare with second differences of these coordinates along an accelerated motion."""
        return time_derivative(lambda t: (v + t * a)[:, PRESCRIBED] - t * prescribed)

    implements = (constraint_rows, PrescribedJoint)


@section.holds("e2.106", "Hybrid dynamics as a KKT system")
class e2_106:
    formula = r"\begin{pmatrix} M_r & \bar G_r^\top \\ \bar G_r & 0 \end{pmatrix}\begin{pmatrix} \ddot q_r \\ \lambda \end{pmatrix} = \begin{pmatrix} f_r \\ {}^p\ddot q_r - \dot{\bar G}_r\dot q_r \end{pmatrix}"
    inputs = LOOP_INPUTS
    result = Result(
        BRANCHING / TIME / TIME + vector_quantity((TORQUE, 1), (FORCE, 3)),
        "of the joints, in their order, then of the constraints",
    )

    def printed(link_frames, bodies, g, q, v, x_A, x_B, prescribed):
        M, G, f, bias = loop_kkt_terms(link_frames, bodies, g, q, v, x_A, x_B)
        return solve_kkt(M, G, f, np.append(prescribed, np.zeros(3)) - np.append(np.zeros(1), bias))

    def library(link_frames, bodies, g, q, v, x_A, x_B, prescribed):
        constraints = [prescribed_hinge_motion(v[2], prescribed), make_loop(x_A, x_B)]
        return accelerate_with_constraints(*system_of(link_frames, bodies, g, q, v), *constraints)

    def reference(link_frames, bodies, g, q, v, x_A, x_B, prescribed):
        """Compare with Gauss's principle, with masses, gaps and their rates from complex steps of points.

        Constraint forces are combinations of the rows.
        """
        return loop_reference(link_frames, bodies, g, q, v, x_A, x_B, prescribed)

    tolerance = TOLERANCE
    remark = (
        r"In the rows of the other constraints ${}^p\ddot q_r$ is zero, and in those of the "
        r"prescribed joints $\dot{\bar G}_r$ is zero."
    )
    implements = (constrained_acceleration, PrescribedJoint)


@section.misprint("t1306#a", "Term for other constraints")
class t1306_a:
    page_2019 = Page(39, r"$-\dot{\bar{\mathsf G}}_r\,\dot{\mathsf q}_r$")
    page_2021 = Page(50, page_2019.content)
    formula = r"-\tilde G_r\,\dot q_r \text{ included, since other constraints may have non-zero } \dot G_r"
    inputs = LOOP_INPUTS
    result = Result(BRANCHING / TIME / TIME, "of the joints, in their order")

    def printed(link_frames, bodies, g, q, v, x_A, x_B, prescribed):
        M, G, f, _ = loop_kkt_terms(link_frames, bodies, g, q, v, x_A, x_B)
        return solve_kkt(M, G, f, np.append(prescribed, -G[1:] @ v))[:5]

    def library(link_frames, bodies, g, q, v, x_A, x_B, prescribed):
        system, state = system_of(link_frames, bodies, g, q, v)
        constraints = [prescribed_hinge_motion(np.zeros(1), prescribed), make_loop(x_A, x_B)]
        return constrained_acceleration(system, constraints, state)[0]

    def reference(link_frames, bodies, g, q, v, x_A, x_B, prescribed):
        """Compare with Gauss's principle, with masses, gaps and their rates from complex steps of points.

        Constraint forces are combinations of the rows.
        """
        return loop_reference(link_frames, bodies, g, q, v, x_A, x_B, prescribed)[:5]

    tolerance = TOLERANCE
    correction = (
        r"$-\dot{\bar G}_r\,\dot q_r$, as in (2.106) itself. From here on, the converted text has "
        r"$\tilde G$ instead of $\bar G$."
    )
    replacement = r"where we have included the $-\dot{\bar G}_r\,\dot q_r$ term since other constraints may have non-zero $\dot G_r$."
    units_mismatch = "a velocity instead of an acceleration"
    implements = constrained_acceleration


@section.erratum("t1306#b", "Forces of the prescribed joints")
class t1306_b:
    page_2019 = Page(39)
    page_2021 = Page(50)
    formula = r"{}^p\tau = {}^pG_r^\top\,{}^p\lambda"
    inputs = PRESCRIBED_INPUTS
    arguments = {
        "prescribed": Argument(
            vector_quantity((NUMBER / TIME**2, 2), (ACCELERATION, 1)), "of the joints, in their order"
        )
    }
    result = Result(ENERGY / BRANCHING, "of the joints, in their order")

    def printed(link_frames, bodies, g, q, v, prescribed):
        """Evaluate with the multipliers of (2.106)."""
        tree, G = library_tree(link_frames, bodies, g), prescribed_rows(PRESCRIBED)
        return G.T @ solve_kkt(mass_matrix(tree, q), G, net_generalized_force(tree, q, v), prescribed)[5:]

    def library(link_frames, bodies, g, q, v, prescribed):
        system, state = system_of(link_frames, bodies, g, q, v)
        forces = prescribed_forces(system, prescribed_motion(v[PRESCRIBED], prescribed), state)
        return np.concatenate([forces[NAMES[0]], np.zeros(1), forces[NAMES[2]], np.zeros(1)])

    def reference(link_frames, bodies, g, q, v, prescribed):
        """Compare with Newton's law for points at the prescribed accelerations.

        The other coordinates are eliminated.
        """
        tau = np.zeros(5)
        tau[PRESCRIBED] = prescribed_reference(link_frames, bodies, g, q, v, prescribed)[1]
        return tau

    tolerance = TOLERANCE
    correction = (
        r"${}^p\tau = -\,{}^pG_r^\top\,{}^p\lambda$: (2.106) has $+\bar G_r^\top\lambda$ next to "
        r"$M_r\ddot q_r$, so that $M_r\ddot q_r = f_r - \bar G_r^\top\lambda$"
    )
    replacement = r"The required joint torques can be computed with the resulting Lagrange multiplier: ${}^p\tau = -\,{}^pG_r^\top\,{}^p\lambda$, where ${}^pG_r$ and ${}^p\lambda$ are the appropriate rows of $\bar G_r$ and $\lambda$."
    combined_with = ("sueda/s2.9/e2.106",)
    remark = (
        "A motor with the printed torque as its command pushes in the wrong direction, with an error of "
        "twice the torque. With the multipliers of (2.107), which are impulses, the torque is "
        r"$-\,{}^pG_r^\top\,{}^p\lambda/h$."
    )
    implements = prescribed_forces


def constrained_velocities(M, momentum, G, target):
    """Return the velocities of least change of momentum with G v = target, for any rank of G (the oracle)."""
    particular, basis = np.linalg.lstsq(G, target, rcond=None)[0], null_space(G)
    return particular + basis @ np.linalg.solve(basis.T @ M @ basis, basis.T @ (momentum - M @ particular))


@section.holds("e2.107", "Prescribed accelerations at the velocity level")
class e2_107:
    page_2019 = Page(39, r"$\bar{\mathsf G}_r$")
    page_2021 = Page(50, page_2019.content)
    formula = r"\begin{pmatrix} M_r & \tilde G_r^\top \\ \tilde G_r & 0 \end{pmatrix}\begin{pmatrix} \dot q_r^{(k+1)} \\ \lambda \end{pmatrix} = \begin{pmatrix} M_r\dot q_r^{(k)} + h f_r^{(k)} \\ h\,{}^p\ddot q_r + {}^pG_r\,\dot q_r^{(k)} \end{pmatrix}"
    inputs = LOOP_INPUTS | STEP
    result = Result(
        BRANCHING / TIME + vector_quantity((ANGULAR_MOMENTUM, 1), (MOMENTUM, 3)),
        "of the joints, in their order, then of the constraints",
    )

    def printed(link_frames, bodies, g, q, v, x_A, x_B, prescribed, h):
        tree = library_tree(link_frames, bodies, g)
        kinematics = body_kinematics(tree, q, v)
        R_A, R_B = kinematics.body_poses[3, :3, :3], kinematics.body_poses[2, :3, :3]
        rows_of_loop = R_A @ gamma(x_A) @ kinematics.J[3] - R_B @ gamma(x_B) @ kinematics.J[2]
        pG = np.vstack([prescribed_rows(HINGE), np.zeros((3, 5))])
        G, M = np.vstack([prescribed_rows(HINGE), rows_of_loop]), mass_matrix(tree, q)
        target = h * np.append(prescribed, np.zeros(3)) + pG @ v
        return solve_kkt(M, G, M @ v + h * net_generalized_force(tree, q, v), target)

    def library(link_frames, bodies, g, q, v, x_A, x_B, prescribed, h):
        constraints = [prescribed_hinge_motion(v[2] + h * prescribed, prescribed), make_loop(x_A, x_B)]
        return step_with_constraints(*system_of(link_frames, bodies, g, q, v), h, *constraints)

    def reference(link_frames, bodies, g, q, v, x_A, x_B, prescribed, h):
        """Compare with the least change of momentum, with masses and gaps of points by complex steps."""
        M, f = tree_newton_equations(link_frames, bodies, g, q, v)
        G = np.vstack([np.eye(5)[HINGE], position_derivatives(gap_function(link_frames, x_A, x_B), q)])
        velocity = least_action(M, M @ v + h * f, G, np.append(v[HINGE] + h * prescribed, np.zeros(3)))
        return np.append(velocity, least_squares_multipliers(M @ v + h * f - M @ velocity, G))

    tolerance = TOLERANCE
    remark = (
        r"In the rows of the other constraints ${}^pG_r$ and ${}^p\ddot q_r$ are zero. The "
        "multipliers are impulses, as in (2.99)."
    )
    implements = (velocity_constraints, PrescribedJoint)


@section.conditional("t1310", "Prescribed velocities instead of the second row")
class t1310:
    page_2019 = Page(39)
    page_2021 = Page(50)
    formula = r"{}^pG_r\,\dot q_r = {}^p\dot q_r \text{ replaces the 2nd row}"
    inputs = (
        PRESCRIBED_INPUTS
        | STEP
        | {"other": arrays(1, 5).map(lambda row: row + np.array([1.25, -0.5, 2.5, 0.75, -1]))}
    )
    arguments = {
        "prescribed": Argument(vector_quantity((RATE, 2), (VELOCITY, 1)), "of the joints, in their order")
    }
    result = Result(BRANCHING / TIME, "of the joints, in their order")

    def printed(link_frames, bodies, g, q, v, prescribed, h, other):
        tree, G = library_tree(link_frames, bodies, g), prescribed_rows(PRESCRIBED)
        M = mass_matrix(tree, q)
        return solve_kkt(M, G, M @ v + h * net_generalized_force(tree, q, v), prescribed)[:5]

    def library(link_frames, bodies, g, q, v, prescribed, h, other):
        system, state = system_of(link_frames, bodies, g, q, v)
        constraints = [
            *prescribed_motion(prescribed, np.zeros(3)),
            QuadraticConstraint(np.zeros((1, 5, 5)), other),
        ]
        rows, _ = velocity_constraints(system, constraints, state, h)
        M = system.mass_matrix(state)
        return solve_step(StepProblem(M, M @ v + h * system.force(state), rows)).velocity

    def reference(link_frames, bodies, g, q, v, prescribed, h, other):
        """Compare with the least change of momentum under the prescribed velocities and another constraint."""
        M, f = tree_newton_equations(link_frames, bodies, g, q, v)
        rows = np.vstack([np.eye(5)[PRESCRIBED], other])
        return constrained_velocities(M, M @ v + h * f, rows, np.append(prescribed, np.zeros(1)))

    tolerance = TOLERANCE
    condition_inputs = {**inputs, "other": arrays(1, 5).map(lambda row: 0 * row)}
    condition = (
        "there are no other constraints; the second row of (2.107) also contains those, and they must remain"
    )

    def holds_when(link_frames, bodies, g, q, v, prescribed, h, other):
        return not np.any(other)

    implements = (velocity_constraints, PrescribedJoint)
