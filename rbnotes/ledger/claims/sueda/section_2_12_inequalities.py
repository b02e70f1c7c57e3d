"""Sueda 2.12: inequalities by the dual. The oracles know masses at points, gaps, and Gauss's principle."""

from __future__ import annotations

import itertools

import numpy as np

from rbnotes.complementarity import QP, solve
from rbnotes.ledger.claims.sueda.section_2_8_motion import (
    SAME_BOTH_WAYS,
    level,
    reduced_row,
    reduced_row_dot,
    system_of,
)
from rbnotes.ledger.claims.sueda.section_2_8_programs import above, stacked
from rbnotes.ledger.claims.sueda.section_2_8_programs import e2_105 as PROGRAM
from rbnotes.ledger.claims.sueda.section_2_12 import CHAPTER, SLACK
from rbnotes.ledger.claims.sueda.section_2_12_dual import DUAL
from rbnotes.ledger.joint_quantities import BRANCHING, BRANCHING_CONSTRAINT_ROWS, BRANCHING_STATE
from rbnotes.ledger.oracles.branching_tree import (
    bias_acceleration,
    position_derivatives,
    tree_newton_equations,
)
from rbnotes.ledger.oracles.branching_tree_inputs import NAMES, QuadraticConstraint, library_tree
from rbnotes.ledger.oracles.constrained_systems import least_action, least_squares_multipliers
from rbnotes.ledger.quantities import FORCE, LENGTH, NUMBER, TIME, TORQUE, vector_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody.reduced import (
    PlaneLimit,
    body_kinematics,
    dual_acceleration,
    mass_matrix,
    net_generalized_force,
)

QUANTITIES = {
    **BRANCHING_STATE,
    **BRANCHING_CONSTRAINT_ROWS,
    "bounds": vector_quantity((NUMBER, 1), (LENGTH, 1)),
}


def limited(at, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
    """The library's accelerations and multipliers under two inequalities and an equation."""
    system, state = system_of(at, bodies, g, q, v)
    limits = [
        QuadraticConstraint(c, b, bounds[:1], unilateral=True),
        PlaneLimit(NAMES[3], x, normal, bounds[1]),
    ]
    return dual_acceleration(system, [*limits, QuadraticConstraint(c2, b2)], state)


def program_of(at, q, x, normal, c, b, v, bodies, g, c2, b2):
    """M_r, f_r, C with the equation's row below, and their rates times qdot."""
    tree = library_tree(at, bodies, g)
    C, C_bent = stacked(body_kinematics(tree, q, v), q, v, x, normal, c, b)
    A = np.vstack([C, reduced_row(c2, b2, q)])
    return (
        mass_matrix(tree, q),
        net_generalized_force(tree, q, v),
        A,
        np.append(C_bent, reduced_row_dot(c2, v) @ v),
    )


@claim("sueda/s2.12/e2.125", "The change of the acceleration as a quadratic program")
class e2_125:
    formula = (
        r"\underset{\partial\ddot q_r}{\text{minimize}}\ \ \tfrac12\partial\ddot q_r^\top M_r\,\partial\ddot q_r\quad"
        r"\text{subject to}\quad \bar C_r\,\partial\ddot q_r \ge -\dot{\bar C}_r\dot q_r - \bar C_r\ddot q_r^*,\quad "
        r"\bar G_r\,\partial\ddot q_r = -\dot{\bar G}_r\dot q_r - \bar G_r\ddot q_r^*"
    )
    inputs = PROGRAM.inputs
    result = BRANCHING / TIME / TIME

    def printed(at, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        M, f, A, bent = program_of(at, q, x, normal, c, b, v, bodies, g, c2, b2)
        free = np.linalg.solve(M, f)
        right = -bent - A @ free
        return (
            free + solve(QP(M, np.zeros(5), A[:2], right[:2], A[2:], right[2:]), "block_principal_pivoting").x
        )

    def library(at, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        return limited(at, q, x, normal, c, b, v, bounds, bodies, g, c2, b2)[0]

    oracle = PROGRAM.oracle
    reference = PROGRAM.reference
    tolerance = SLACK
    verdict = Verdict.CONDITIONAL
    given = PROGRAM.given
    condition = PROGRAM.condition
    holds_when = PROGRAM.holds_when
    equivalent_mutants = SAME_BOTH_WAYS
    remark = "As (2.105), of which it is the part that is not yet in the free motion."
    implemented_by = DUAL
    chapter = CHAPTER


@claim("sueda/s2.12/e2.126", "Inequalities and equations in one matrix")
class e2_126:
    formula = (
        r"\bar A_r = \begin{pmatrix} \bar C_r \\ \bar G_r \end{pmatrix},\quad \dot{\bar A}_r = \begin{pmatrix} "
        r"\dot{\bar C}_r \\ \dot{\bar G}_r \end{pmatrix}"
    )
    defines = (r"\bar A_r", r"\dot{\bar A}_r")
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.multibody.reduced.DualProblem",)
    chapter = CHAPTER


ALL_TRIED = "all sets of inequalities tried as equations, with masses, gaps and rates of points"


def tried(at, q, x, normal, c, b, v, bodies, g, c2, b2):
    """Accelerations with the least change, all inequalities active; and weights of the rows in what holds."""
    M, f = tree_newton_equations(at, bodies, g, q, v)
    errors = above(at, x, normal, c, b), level(c2, b2)
    (C, G), (C_bent, G_bent) = (
        [part(error, *more) for error in errors]
        for part, more in ((position_derivatives, (q,)), (bias_acceleration, (q, v)))
    )
    candidates = []
    for held in itertools.product([False, True], repeat=2):
        rows = np.vstack([G, C[np.array(held)]])
        a = least_action(M, f, rows, -np.append(G_bent, C_bent[np.array(held)]))
        fits = np.all(C @ a + C_bent >= -1e-9)
        candidates.append((a @ M @ a / 2 - a @ f if fits else np.inf, a))
    a = min(candidates, key=lambda pair: pair[0])[1]
    return a, least_squares_multipliers(M @ a - f, np.vstack([C, G]))


@claim("sueda/s2.12/e2.127", "The dual problem with inequalities")
class e2_127:
    formula = (
        r"\underset{\lambda}{\text{minimize}}\ \ \tfrac12\lambda^\top\bar A_rM_r^{-1}\bar A_r^\top\lambda + \lambda^\top"
        r"\left(\dot{\bar A}_r\dot q_r + \bar A_r\ddot q_r^*\right)\quad\text{subject to}\quad \lambda_c \le 0"
    )
    inputs = PROGRAM.given
    result = BRANCHING / TIME / TIME

    def printed(at, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        """Accelerations with f_con of (2.124)."""
        M, f, A, bent = program_of(at, q, x, normal, c, b, v, bodies, g, c2, b2)
        free, answers = np.linalg.solve(M, f), np.linalg.solve(M, A.T)
        program = QP(A @ answers, bent + A @ free, -np.eye(2, 3), np.zeros(2))
        return free + answers @ solve(program, "block_principal_pivoting").x

    def library(at, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        return limited(at, q, x, normal, c, b, v, bounds, bodies, g, c2, b2)[0]

    oracle = ALL_TRIED

    def reference(at, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        return tried(at, q, x, normal, c, b, v, bodies, g, c2, b2)[0]

    tolerance = SLACK
    verdict = Verdict.ERRATUM
    combined_with = ("sueda/s2.12/e2.123", "sueda/s2.12/e2.124")
    correction = (
        r"$\lambda_c \ge 0$. With this objective, whose equations are (2.123), the multipliers push. ($\lambda_c \le 0$ "
        r"goes with those of (2.122), and then the linear term has a minus.)"
    )
    remark = "As printed, what would be pushed is let through, and what opens by itself is held back."
    implemented_by = DUAL
    chapter = CHAPTER


@claim("sueda/s2.12/t1604", "Multipliers of equations have either sign")
class t1604:
    formula = r"\text{those corresponding to } \bar G_r \text{ are unconstrained}"
    inputs = PROGRAM.given
    result = vector_quantity((TORQUE, 1), (FORCE, 1), (TORQUE, 1))

    def printed(at, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        """All multipliers, with the right bounds for those of the inequalities."""
        M, f, A, bent = program_of(at, q, x, normal, c, b, v, bodies, g, c2, b2)
        free, answers = np.linalg.solve(M, f), np.linalg.solve(M, A.T)
        return solve(
            QP(A @ answers, bent + A @ free, np.eye(2, 3), np.zeros(2)), "block_principal_pivoting"
        ).x

    def library(at, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        return limited(at, q, x, normal, c, b, v, bounds, bodies, g, c2, b2)[1]

    oracle = ALL_TRIED + "; weights of the rows in what holds"

    def reference(at, q, x, normal, c, b, v, bounds, bodies, g, c2, b2):
        return tried(at, q, x, normal, c, b, v, bodies, g, c2, b2)[1]

    tolerance = SLACK
    equivalent_mutants = SAME_BOTH_WAYS
    verdict = Verdict.HOLDS
    implemented_by = DUAL
    chapter = CHAPTER
