"""Sueda 2.12: the dual problem of equations. The oracles: point masses, gaps, and Gauss's principle."""

from __future__ import annotations

import numpy as np

from rbnotes.ledger.claims.sueda.section_2_8.motion import (
    LOOP,
    QUADRATIC,
    acceleration_reference,
    all_errors,
    make_loop,
    maximal_rows,
    reduced_row,
    reduced_row_dot,
    solve_kkt,
    system_of,
)
from rbnotes.ledger.claims.sueda.section_2_8.programs import (
    PLANE_INPUTS,
    SECOND_QUADRATIC,
    inequality_errors,
    stack_rows,
)
from rbnotes.ledger.claims.sueda.section_2_12 import section
from rbnotes.ledger.claims.sueda.section_2_12.symbols import TOLERANCE
from rbnotes.ledger.joint_quantities import BRANCHING
from rbnotes.ledger.oracles import complex_steps
from rbnotes.ledger.oracles.branching_tree import bias_acceleration, tree_newton_equations
from rbnotes.ledger.oracles.branching_tree_inputs import NAMES, TREE, QuadraticConstraint, library_tree
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    ACCELERATION,
    ENERGY,
    FORCE,
    RATE,
    TIME,
    TORQUE,
    VELOCITY,
    vector_quantity,
)
from rbnotes.ledger.record import Result
from rbnotes.multibody.reduced import (
    PlaneLimit,
    body_kinematics,
    constraint_rows,
    dual_acceleration,
    dual_problem,
    forward_dynamics,
    mass_matrix,
    net_generalized_force,
)
from rbnotes.multibody.reduced.dual_dynamics import SweepKinematics, constraint_rows_by_sweep

CONSTRAINED_TREE = TREE | LOOP | QUADRATIC


def loop_equations(link_frames, bodies, g, q, v, x_A, x_B):
    """Return M_r, f_r, the rows of the loop on joint velocities, and their rate times qdot."""
    tree = library_tree(link_frames, bodies, g)
    kinematics = body_kinematics(tree, q, v)
    G_m, G_m_dot = maximal_rows(kinematics, x_A, x_B)
    J = kinematics.J.reshape(24, 5)
    return (
        mass_matrix(tree, q),
        net_generalized_force(tree, q, v),
        G_m @ J,
        G_m_dot @ J @ v + G_m @ kinematics.bias_acceleration.ravel(),
    )


def stacked_equations(link_frames, bodies, g, q, v, x_A, x_B, c, b):
    """Return the equations with the coordinate constraint first."""
    M, f, G, bias = loop_equations(link_frames, bodies, g, q, v, x_A, x_B)
    return M, f, np.vstack([reduced_row(c, b, q), G]), np.append(reduced_row_dot(c, v) @ v, bias)


def solve_dual(link_frames, bodies, g, q, v, x_A, x_B, c, b):
    """Return the library's accelerations and multipliers."""
    return dual_acceleration(*dual_problem_inputs(link_frames, bodies, g, q, v, x_A, x_B, c, b))


def dual_problem_inputs(link_frames, bodies, g, q, v, x_A, x_B, c, b):
    system, state = system_of(link_frames, bodies, g, q, v)
    return system, [QuadraticConstraint(c, b), make_loop(x_A, x_B)], state


def constrained_accelerations(link_frames, bodies, g, q, v, x_A, x_B, c, b):
    """Return the accelerations and the multipliers of the rows, by the oracle."""
    solution = acceleration_reference(link_frames, bodies, g, q, v, all_errors(link_frames, x_A, x_B, c, b))
    return solution[:5], -solution[5:]


def multipliers(M, f, G, bias):
    """Solve (2.123)."""
    free_acceleration = np.linalg.solve(M, f)
    return np.linalg.solve(G @ np.linalg.inv(M) @ G.T, -bias - G @ free_acceleration)


@section.holds("e2.121", "Constraint rows on bodies and on joints, and their rates")
class e2_121:
    formula = r"\bar G_r = \begin{pmatrix} G_r \\ G_mJ_{mr} \end{pmatrix},\ \dot{\bar G}_r = \begin{pmatrix} \dot G_r \\ \dot G_mJ_{mr} + G_m\dot J_{mr} \end{pmatrix},\ \bar C_r = \begin{pmatrix} C_r \\ C_mJ_{mr} \end{pmatrix},\ \dot{\bar C}_r = \begin{pmatrix} \dot C_r \\ \dot C_mJ_{mr} + C_m\dot J_{mr} \end{pmatrix}"
    inputs = (
        {name: CONSTRAINED_TREE[name] for name in CONSTRAINED_TREE if name != "g"}
        | PLANE_INPUTS
        | SECOND_QUADRATIC
    )
    result = Result(
        vector_quantity(
            (RATE, 1),
            (VELOCITY, 3),
            (RATE / TIME, 1),
            (ACCELERATION, 3),
            (RATE, 1),
            (VELOCITY, 1),
            (RATE / TIME, 1),
            (ACCELERATION, 1),
        ),
        "of equations, then of inequalities: velocities, then accelerations",
    )

    def printed(link_frames, bodies, q, v, x_A, x_B, c, b, x, normal, c2, b2):
        """Apply the rows and their rates to joint velocities."""
        _, _, G, G_bias = stacked_equations(link_frames, bodies, np.zeros(3), q, v, x_A, x_B, c, b)
        C, C_bias = stack_rows(
            body_kinematics(library_tree(link_frames, bodies), q, v), q, v, x, normal, c2, b2
        )
        return np.concatenate([G @ v, G_bias, C @ v, C_bias])

    def library(link_frames, bodies, q, v, x_A, x_B, c, b, x, normal, c2, b2):
        system, state = system_of(link_frames, bodies, np.zeros(3), q, v)
        limits = [QuadraticConstraint(c2, b2, unilateral=True), PlaneLimit(NAMES[3], x, normal)]
        kinematics, terms = SweepKinematics.from_state(system, state), []
        for kind in ([QuadraticConstraint(c, b), make_loop(x_A, x_B)], limits):
            rows = [constraint_rows_by_sweep(system, kinematics, each, state) for each in kind]
            terms += [each.G @ v for each in rows] + [each.bias_acceleration for each in rows]
        return np.concatenate(terms)

    def reference(link_frames, bodies, q, v, x_A, x_B, c, b, x, normal, c2, b2):
        """Compare with rates of levels, gap and height at constant joint velocities, and with their rates."""
        errors = all_errors(link_frames, x_A, x_B, c, b), inequality_errors(link_frames, x, normal, c2, b2)
        return np.concatenate(
            [
                each(error, q, v)
                for error in errors
                for each in (complex_steps.directional_derivative, bias_acceleration)
            ]
        )

    implements = constraint_rows_by_sweep


@section.holds("e2.122#a", "Change of the acceleration that satisfies the constraints")
class e2_122_a:
    formula = r"\begin{pmatrix} M_r & \bar G_r^\top \\ \bar G_r & 0 \end{pmatrix}\begin{pmatrix} \partial\ddot q_r \\ \lambda \end{pmatrix} = \begin{pmatrix} 0 \\ -\dot{\bar G}_r\dot q_r - \bar G_r\ddot q_r^* \end{pmatrix}"
    inputs = CONSTRAINED_TREE
    result = Result(BRANCHING / TIME / TIME, "of the joints, in their order")

    def printed(link_frames, bodies, g, q, v, x_A, x_B, c, b):
        M, f, G, bias = stacked_equations(link_frames, bodies, g, q, v, x_A, x_B, c, b)
        return solve_kkt(M, G, np.zeros(5), -bias - G @ np.linalg.solve(M, f))[:5]

    def library(link_frames, bodies, g, q, v, x_A, x_B, c, b):
        problem = dual_problem(*dual_problem_inputs(link_frames, bodies, g, q, v, x_A, x_B, c, b))
        return problem.acceleration(problem.multipliers()) - problem.free_acceleration

    def reference(link_frames, bodies, g, q, v, x_A, x_B, c, b):
        """Compare with Gauss's principle, with masses, gaps and their rates from complex steps of points.

        Constraint forces are combinations of the rows.
        """
        M, f = tree_newton_equations(link_frames, bodies, g, q, v)
        return constrained_accelerations(link_frames, bodies, g, q, v, x_A, x_B, c, b)[0] - np.linalg.solve(
            M, f
        )

    tolerance = TOLERANCE
    implements = dual_problem


@section.erratum("e2.122#b", "Multipliers by block elimination")
class e2_122_b:
    page_2019 = Page(46)
    page_2021 = Page(57)
    formula = r"M_r\,\partial\ddot q_r + \bar G_r^\top\lambda = 0 \quad\text{with the } \lambda \text{ of (2.123) and (2.124)}"
    inputs = CONSTRAINED_TREE
    result = Result(vector_quantity((TORQUE, 1), (FORCE, 3)), "one for each constraint")

    def printed(link_frames, bodies, g, q, v, x_A, x_B, c, b):
        M, f, G, bias = stacked_equations(link_frames, bodies, g, q, v, x_A, x_B, c, b)
        return solve_kkt(M, G, np.zeros(5), -bias - G @ np.linalg.solve(M, f))[5:]

    def library(link_frames, bodies, g, q, v, x_A, x_B, c, b):
        return solve_dual(link_frames, bodies, g, q, v, x_A, x_B, c, b)[1]

    def reference(link_frames, bodies, g, q, v, x_A, x_B, c, b):
        """Compare with Gauss's principle, with masses, gaps and their rates from complex steps of points.

        Constraint forces are combinations of the rows.
        """
        return constrained_accelerations(link_frames, bodies, g, q, v, x_A, x_B, c, b)[1]

    tolerance = TOLERANCE
    combined_with = ("sueda/s2.12/e2.123", "sueda/s2.12/e2.124")
    correction = (
        r"$M_r\,\partial\ddot q_r - \bar G_r^\top\lambda = 0$: block elimination of the printed (2.122) "
        "gives (2.123) with the opposite right-hand side, so `we arrive at' (2.123) only with a minus "
        r"sign before $\bar G_r^\top$"
    )
    replacement = r"\begin{pmatrix} M_r & -\bar G_r^\top \\ \bar G_r & 0 \end{pmatrix}\begin{pmatrix} \partial\ddot q_r \\ \lambda \end{pmatrix} = \begin{pmatrix} 0 \\ -\dot{\bar G}_r\dot q_r - \bar G_r\ddot q_r^* \end{pmatrix}"
    remark = (
        "With the multipliers of (2.98) to (2.106), which pull, (2.122) would be right, and (2.123), "
        "(2.124) and the linear term of (2.127) would change sign."
    )
    effect = "A body that a constraint should hold at rest falls 9.9 m in one second."
    implements = dual_acceleration


@section.holds("e2.123", "Dual problem of equality constraints")
class e2_123:
    formula = r"\bar G_rM_r^{-1}\bar G_r^\top\lambda = -\dot{\bar G}_r\dot q_r - \bar G_r\ddot q_r^*"
    inputs = CONSTRAINED_TREE
    result = Result(vector_quantity((TORQUE, 1), (FORCE, 3)), "one for each constraint")

    def printed(link_frames, bodies, g, q, v, x_A, x_B, c, b):
        return multipliers(*stacked_equations(link_frames, bodies, g, q, v, x_A, x_B, c, b))

    def library(link_frames, bodies, g, q, v, x_A, x_B, c, b):
        return solve_dual(link_frames, bodies, g, q, v, x_A, x_B, c, b)[1]

    def reference(link_frames, bodies, g, q, v, x_A, x_B, c, b):
        """Compare with Gauss's principle, with masses, gaps and their rates from complex steps of points.

        Constraint forces are combinations of the rows.
        """
        return constrained_accelerations(link_frames, bodies, g, q, v, x_A, x_B, c, b)[1]

    tolerance = TOLERANCE
    remark = (
        "The constraint forces with these multipliers are added to the other forces, as (2.124) "
        "shows: the multipliers push."
    )
    implements = dual_acceleration


@section.holds("e2.124", "Constraint forces of the dual problem")
class e2_124:
    formula = r"f_{\text{con}} = \bar G_r^\top\lambda"
    inputs = CONSTRAINED_TREE
    result = Result(ENERGY / BRANCHING, "of the joints, in their order")

    def printed(link_frames, bodies, g, q, v, x_A, x_B, c, b):
        M, f, G, bias = stacked_equations(link_frames, bodies, g, q, v, x_A, x_B, c, b)
        return G.T @ multipliers(M, f, G, bias)

    def library(link_frames, bodies, g, q, v, x_A, x_B, c, b):
        system, constraints, state = dual_problem_inputs(link_frames, bodies, g, q, v, x_A, x_B, c, b)
        G = np.concatenate([constraint_rows(system, each, state, 0.0).G for each in constraints])
        return G.T @ dual_acceleration(system, constraints, state)[1]

    def reference(link_frames, bodies, g, q, v, x_A, x_B, c, b):
        """Compare with mass times acceleration minus the forces, by Gauss's principle for points."""
        M, f = tree_newton_equations(link_frames, bodies, g, q, v)
        return M @ constrained_accelerations(link_frames, bodies, g, q, v, x_A, x_B, c, b)[0] - f

    tolerance = TOLERANCE
    implements = dual_acceleration


@section.holds("t1590", "Second run of Algorithm 9 with the constraint forces")
class t1590:
    formula = r"\text{`rerun the Recursive Hybrid Dynamics algorithm with } f_{\text{con}} \text{ as an external force'}"
    inputs = CONSTRAINED_TREE
    result = Result(BRANCHING / TIME / TIME, "of the joints, in their order")

    def printed(link_frames, bodies, g, q, v, x_A, x_B, c, b):
        """Return the accelerations with the constraint forces added to tau."""
        M, f, G, bias = stacked_equations(link_frames, bodies, g, q, v, x_A, x_B, c, b)
        f_con = G.T @ multipliers(M, f, G, bias)
        return forward_dynamics(library_tree(link_frames, bodies, g), q, v, f_con)

    def library(link_frames, bodies, g, q, v, x_A, x_B, c, b):
        return solve_dual(link_frames, bodies, g, q, v, x_A, x_B, c, b)[0]

    def reference(link_frames, bodies, g, q, v, x_A, x_B, c, b):
        """Compare with Gauss's principle, with masses, gaps and their rates from complex steps of points.

        Constraint forces are combinations of the rows.
        """
        return constrained_accelerations(link_frames, bodies, g, q, v, x_A, x_B, c, b)[0]

    tolerance = TOLERANCE
    remark = (
        r"The constraint forces are added to $\tau$, not to $F^{\text{ext}}_j$, which acts on bodies. A "
        r"second run is not necessary, because the accelerations $M_r^{-1}\bar G_r^\top$ are already "
        "known."
    )
    implements = dual_acceleration
