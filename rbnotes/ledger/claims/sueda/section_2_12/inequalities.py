"""Sueda 2.12: the dual problem with inequalities. The oracles: point masses, gaps, and Gauss's principle."""

from __future__ import annotations

import itertools

import numpy as np

from rbnotes.complementarity import QP, solve
from rbnotes.ledger.claims.sueda.section_2_8.motion import (
    quadratic_level,
    reduced_row,
    reduced_row_dot,
    system_of,
)
from rbnotes.ledger.claims.sueda.section_2_8.programs import e2_105 as PROGRAM
from rbnotes.ledger.claims.sueda.section_2_8.programs import inequality_errors, stack_rows
from rbnotes.ledger.claims.sueda.section_2_12 import section
from rbnotes.ledger.claims.sueda.section_2_12.symbols import TOLERANCE
from rbnotes.ledger.joint_quantities import BRANCHING
from rbnotes.ledger.oracles.branching_tree import (
    bias_acceleration,
    position_derivatives,
    tree_newton_equations,
)
from rbnotes.ledger.oracles.branching_tree_inputs import NAMES, QuadraticConstraint, library_tree
from rbnotes.ledger.oracles.constrained_systems import least_action, least_squares_multipliers
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import FORCE, TIME, TORQUE, vector_quantity
from rbnotes.ledger.record import Result
from rbnotes.multibody.reduced import (
    DualProblem,
    PlaneLimit,
    body_kinematics,
    dual_acceleration,
    mass_matrix,
    net_generalized_force,
)


def solve_with_inequalities(link_frames, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
    """Return the library's accelerations and multipliers under two inequalities and an equation."""
    system, state = system_of(link_frames, bodies, g, q, v)
    limits = [
        QuadraticConstraint(c, b, bounds[:1], unilateral=True),
        PlaneLimit(NAMES[3], x, normal, bounds[1]),
    ]
    return dual_acceleration(system, [*limits, QuadraticConstraint(c2, b2)], state)


def program_terms(link_frames, q, x, normal, c, b, v, bodies, g, c2, b2):
    """Return M_r, f_r, C with the row of the equation below, and their rates times qdot."""
    tree = library_tree(link_frames, bodies, g)
    C, C_bias = stack_rows(body_kinematics(tree, q, v), q, v, x, normal, c, b)
    A = np.vstack([C, reduced_row(c2, b2, q)])
    return (
        mass_matrix(tree, q),
        net_generalized_force(tree, q, v),
        A,
        np.append(C_bias, reduced_row_dot(c2, v) @ v),
    )


@section.conditional("e2.125", "Quadratic program for the change of the acceleration")
class e2_125:
    page_2019 = Page(46)
    page_2021 = Page(58)
    formula = r"\underset{\partial\ddot q_r}{\text{minimize}}\ \ \tfrac12\partial\ddot q_r^\top M_r\,\partial\ddot q_r\quad\text{subject to}\quad \bar C_r\,\partial\ddot q_r \ge -\dot{\bar C}_r\dot q_r - \bar C_r\ddot q_r^*,\quad \bar G_r\,\partial\ddot q_r = -\dot{\bar G}_r\dot q_r - \bar G_r\ddot q_r^*"
    inputs = PROGRAM.inputs
    result = Result(BRANCHING / TIME / TIME, "of the joints, in their order")

    def printed(link_frames, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        M, f, A, bias = program_terms(link_frames, q, x, normal, c, b, v, bodies, g, c2, b2)
        free_acceleration = np.linalg.solve(M, f)
        right_side = -bias - A @ free_acceleration
        return (
            free_acceleration
            + solve(
                QP(M, np.zeros(5), A[:2], right_side[:2], A[2:], right_side[2:]), "block_principal_pivoting"
            ).x
        )

    def library(link_frames, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        return solve_with_inequalities(link_frames, q, x, normal, c, b, v, bounds, bodies, g, c2, b2)[0]

    reference = PROGRAM.reference
    tolerance = TOLERANCE
    condition_inputs = PROGRAM.condition_inputs
    condition = PROGRAM.condition
    holds_when = PROGRAM.holds_when
    remark = "This is (2.105) without the part that the free motion already contains."
    implements = dual_acceleration


@section.definition("e2.126", "Inequalities and equations in one matrix")
class e2_126:
    formula = r"\bar A_r = \begin{pmatrix} \bar C_r \\ \bar G_r \end{pmatrix},\quad \dot{\bar A}_r = \begin{pmatrix} \dot{\bar C}_r \\ \dot{\bar G}_r \end{pmatrix}"
    defines = (r"\bar A_r", r"\dot{\bar A}_r")
    implements = DualProblem


def inequality_reference(link_frames, q, x, normal, c, b, v, bodies, g, c2, b2):
    """Return the admissible accelerations of least change, and the multipliers of the rows.

    All sets of active inequalities are tried.
    """
    M, f = tree_newton_equations(link_frames, bodies, g, q, v)
    errors = inequality_errors(link_frames, x, normal, c, b), quadratic_level(c2, b2)
    (C, G), (C_bias, G_bias) = (
        [part(error, *more) for error in errors]
        for part, more in ((position_derivatives, (q,)), (bias_acceleration, (q, v)))
    )
    candidates = []
    for active in itertools.product([False, True], repeat=2):
        rows = np.vstack([G, C[np.array(active)]])
        a = least_action(M, f, rows, -np.append(G_bias, C_bias[np.array(active)]))
        is_admissible = np.all(C @ a + C_bias >= -1e-9)
        candidates.append((a @ M @ a / 2 - a @ f if is_admissible else np.inf, a))
    a = min(candidates, key=lambda pair: pair[0])[1]
    return a, least_squares_multipliers(M @ a - f, np.vstack([C, G]))


@section.erratum("e2.127", "Dual problem with inequalities")
class e2_127:
    page_2019 = Page(47)
    page_2021 = Page(58)
    formula = r"\underset{\lambda}{\text{minimize}}\ \ \tfrac12\lambda^\top\bar A_rM_r^{-1}\bar A_r^\top\lambda + \lambda^\top\left(\dot{\bar A}_r\dot q_r + \bar A_r\ddot q_r^*\right)\quad\text{subject to}\quad \lambda_c \le 0"
    edit = (r"\lambda_c \le 0", r"\lambda_c \ge 0")
    inputs = PROGRAM.condition_inputs
    result = Result(BRANCHING / TIME / TIME, "of the joints, in their order")

    def printed(link_frames, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        """Return the accelerations with f_con of (2.124)."""
        M, f, A, bias = program_terms(link_frames, q, x, normal, c, b, v, bodies, g, c2, b2)
        free_acceleration, responses = np.linalg.solve(M, f), np.linalg.solve(M, A.T)
        program = QP(A @ responses, bias + A @ free_acceleration, -np.eye(2, 3), np.zeros(2))
        return free_acceleration + responses @ solve(program, "block_principal_pivoting").x

    def library(link_frames, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        return solve_with_inequalities(link_frames, q, x, normal, c, b, v, bounds, bodies, g, c2, b2)[0]

    def reference(link_frames, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        """Try all sets of inequalities as equations, with masses, gaps and their rates from points."""
        return inequality_reference(link_frames, q, x, normal, c, b, v, bodies, g, c2, b2)[0]

    tolerance = TOLERANCE
    combined_with = ("sueda/s2.12/e2.123", "sueda/s2.12/e2.124")
    correction = (
        r"$\lambda_c \ge 0$. With this objective, whose equations are (2.123), the multipliers push. "
        r"($\lambda_c \le 0$ belongs to the multipliers of (2.122), for which the linear term has a "
        "minus sign.)"
    )
    remark = (
        "As printed, constraints that the free motion would violate are not enforced, and constraints that "
        "open by themselves are held closed."
    )
    implements = dual_acceleration


@section.holds("t1604", "Multipliers of equations have either sign")
class t1604:
    formula = r"\text{those corresponding to } \bar G_r \text{ are unconstrained}"
    inputs = PROGRAM.condition_inputs
    result = Result(vector_quantity((TORQUE, 1), (FORCE, 1), (TORQUE, 1)), "of the joints, in their order")

    def printed(link_frames, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        """Return all multipliers, with the right bounds for those of the inequalities."""
        M, f, A, bias = program_terms(link_frames, q, x, normal, c, b, v, bodies, g, c2, b2)
        free_acceleration, responses = np.linalg.solve(M, f), np.linalg.solve(M, A.T)
        return solve(
            QP(A @ responses, bias + A @ free_acceleration, np.eye(2, 3), np.zeros(2)),
            "block_principal_pivoting",
        ).x

    def library(link_frames, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        return solve_with_inequalities(link_frames, q, x, normal, c, b, v, bounds, bodies, g, c2, b2)[1]

    def reference(link_frames, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        """Try all sets of inequalities as equations, with masses, gaps and their rates from points.

        The multipliers are the coefficients of the rows in the constraint force.
        """
        return inequality_reference(link_frames, q, x, normal, c, b, v, bodies, g, c2, b2)[1]

    tolerance = TOLERANCE
    implements = dual_acceleration
