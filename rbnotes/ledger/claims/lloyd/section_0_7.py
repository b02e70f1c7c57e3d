"""Lloyd 0.7: conversion of a mixed LCP into a regular LCP."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
from hypothesis import strategies as st

from rbnotes.arguments import Array
from rbnotes.constraints import factor_kkt, kkt_matrix
from rbnotes.dynamics import (
    BilateralRows,
    StepProblem,
    StepSolution,
    UnilateralRows,
    box_lcp_from_step,
    lcp_from_step,
    recover_unknowns,
    solve_step,
    step_residuals,
)
from rbnotes.ledger.claims.lloyd.section_0_3 import solve_lcp_by_enumeration
from rbnotes.ledger.oracles.constrained_systems import (
    constrained_system,
    lagrangian_slopes,
    least_action,
    mixed_motion,
)
from rbnotes.ledger.quantities import MASS, MOMENTUM, NUMBER, VELOCITY, vector_quantity
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing.strategies import full_rank_matrices, matrices, spd_matrices, vectors

section = Section(
    "lloyd/s0.7",
    chapter="qp-and-lcp",
    any_size=True,
    arguments={
        "M": Argument(MASS, "in the generalized coordinates of the system (arbitrary)"),
        "G": Argument(NUMBER, "one row for each constraint, over the generalized coordinates of the system"),
        "N": Argument(NUMBER, "one row for each contact, over the generalized coordinates of the system"),
        "f": Argument(MOMENTUM, "in the generalized coordinates of the system (arbitrary)"),
        "g": Argument(VELOCITY, "one for each constraint"),
        "gap": Argument(VELOCITY, "one for each contact"),
        "z": Argument(MOMENTUM, "one for each contact"),
        "rows": Argument(NUMBER, "in the generalized coordinates of the system (arbitrary)"),
        "inside": Argument(VELOCITY, "in the generalized coordinates of the system (arbitrary)"),
        "n": Argument(VELOCITY, "one for each contact"),
        "x": Argument(VELOCITY, "in the generalized coordinates of the system (arbitrary)"),
        "multipliers": Argument(MOMENTUM, "one for each constraint"),
    },
)


SIZE, EQUATIONS, ROWS = 4, 2, 3
PROBLEM = {
    "M": spd_matrices(SIZE),
    "G": full_rank_matrices(EQUATIONS, SIZE),
    "N": matrices(ROWS, SIZE),
    "f": vectors(SIZE),
    "g": vectors(EQUATIONS),
    "n": vectors(ROWS),
}
AT_Z = {**PROBLEM, "z": vectors(ROWS)}
HOMOGENEOUS = {name: strategy for name, strategy in AT_Z.items() if name != "g"}


def slacks(M: Array, G: Array, N: Array, f: Array, g: Array, n: Array, z: Array) -> Array:
    """Solve the whole mixed system for the given z, assembled row by row, by elimination."""
    x, _ = mixed_motion(M, G, N, f, g, z)
    return np.array([row @ x for row in N]) - n


def consistent_solution(
    M: Array, G: Array, N: Array, f: Array, g: Array, gap: Array, z: Array
) -> tuple[Array, ...]:
    """Return n, z, x and lambda that satisfy all equations, with pushing impulses and open contacts."""
    z = np.abs(z)
    x, multipliers = mixed_motion(M, G, N, f, g, z)
    return N @ x - np.abs(gap), z, x, multipliers


def multipliers_reference(M, G, N, f, g, n, z):
    """Solve the whole mixed system for the given z, assembled row by row, by elimination."""
    return mixed_motion(M, G, N, f, g, z)[1]


def no_contact_reference(M, G, N, f, g, n):
    """Solve the whole system without contacts, by elimination."""
    return mixed_motion(M, G, N, f, g, np.zeros(len(N)))[1]


def separation_library(M, G, N, f, g, n, z):
    lcp = lcp_from_step(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)))
    return lcp.M @ z + lcp.q + n


def separation_reference(M, G, N, f, g, n, z):
    """Solve the whole mixed system for the given z, assembled row by row, by elimination."""
    return slacks(M, G, N, f, g, 0 * n, z)


def P_f(M: Array, G: Array) -> Array:
    """Return mass times the acceleration under ``G a = 0`` for each unit force, by elimination."""
    zero = np.zeros(len(G))
    return np.stack([M @ constrained_system(M, G, unit, zero)[0] for unit in np.eye(len(M))], axis=1)


@section.misprint("d1", "A mixed LCP")
class d1:
    formula = r"\mathbf M\mathbf x - \mathbf G^T\boldsymbol\lambda - \mathbf N^T\mathbf z = \mathbf f,\quad \mathbf G\mathbf x = \mathbf g,\quad \mathbf N\mathbf x \ge \mathbf n"
    edit = (
        r"\mathbf N\mathbf x \ge \mathbf n",
        r"0 \le \mathbf z \perp \mathbf N\mathbf x - \mathbf n \ge 0",
    )
    inputs = {**{name: PROBLEM[name] for name in "MGNfg"}, "gap": vectors(ROWS), "z": vectors(ROWS)}
    result = Result(VELOCITY)
    constants = (MASS,)

    def printed(M, G, N, f, g, gap, z):
        """Return the largest violation of the printed conditions, which do not restrict z."""
        n, z, x, multipliers = consistent_solution(M, G, N, f, g, gap, z)
        balance = M @ x - G.T @ multipliers - N.T @ z - f
        return max(np.max(np.abs(balance)), np.max(np.abs(G @ x - g)), max(0.0, np.max(n - N @ x)))

    def library(M, G, N, f, g, gap, z):
        n, z, x, multipliers = consistent_solution(M, G, N, f, g, gap, z)
        residuals = step_residuals(
            StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)), StepSolution(x, multipliers, z)
        )
        return max(residuals.equations, residuals.natural)

    def reference(M, G, N, f, g, gap, z):
        """Take the largest over the contacts of the smaller of impulse and gap.

        All equations hold by construction.
        """
        return max(min(abs(push), abs(distance)) for push, distance in zip(z, gap, strict=True))

    correction = (
        r"The line $0 \le \mathbf z \perp \mathbf N\mathbf x - \mathbf n \ge 0$ is missing; the "
        r"block form below contains it. Without it, every $\mathbf z$ that separates the contacts "
        "is a solution."
    )
    implements = (StepProblem, step_residuals)


@section.holds("d2#a", "Multipliers of the equality constraints as a function of z")
class d2_a:
    formula = r"\boldsymbol\lambda = -(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf G\mathbf M^{-1}\mathbf N^T\mathbf z + \boldsymbol\lambda_0"
    inputs = AT_Z
    result = Result(MOMENTUM, "one for each constraint")

    def printed(M, G, N, f, g, n, z):
        Mi = np.linalg.inv(M)
        S = G @ Mi @ G.T
        lambda_0 = np.linalg.inv(S) @ (g - G @ Mi @ f)
        return -np.linalg.inv(S) @ G @ Mi @ N.T @ z + lambda_0

    def library(M, G, N, f, g, n, z):
        return recover_unknowns(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)), z)[1]

    reference = multipliers_reference
    tolerance = 1e-08
    implements = recover_unknowns


@section.holds("d2#b", "Multipliers of the equality constraints without contacts")
class d2_b:
    formula = r"\boldsymbol\lambda_0 \equiv (\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}(\mathbf g - \mathbf G\mathbf M^{-1}\mathbf f)"
    inputs = PROBLEM
    result = Result(MOMENTUM, "one for each constraint")

    def printed(M, G, N, f, g, n):
        Mi = np.linalg.inv(M)
        return np.linalg.inv(G @ Mi @ G.T) @ (g - G @ Mi @ f)

    def library(M, G, N, f, g, n):
        return recover_unknowns(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)), 0 * n)[1]

    reference = no_contact_reference
    tolerance = 1e-08
    implements = recover_unknowns


@section.holds("d3#a", "x from both kinds of multipliers")
class d3_a:
    formula = r"\mathbf x = \mathbf M^{-1}\mathbf f + \mathbf M^{-1}\mathbf G^T\boldsymbol\lambda + \mathbf M^{-1}\mathbf N^T\mathbf z"
    inputs = AT_Z
    result = Result(VELOCITY, "in the generalized coordinates of the system")

    def printed(M, G, N, f, g, n, z):
        Mi = np.linalg.inv(M)
        multipliers = mixed_motion(M, G, N, f, g, z)[1]
        return Mi @ f + Mi @ G.T @ multipliers + Mi @ N.T @ z

    def library(M, G, N, f, g, n, z):
        return recover_unknowns(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)), z)[0]

    def reference(M, G, N, f, g, n, z):
        """Solve the whole mixed system for the given z, assembled row by row, by elimination."""
        return mixed_motion(M, G, N, f, g, z)[0]

    tolerance = 1e-08
    remark = "The notes print the matrix as a plain $G$."
    implements = recover_unknowns


@section.holds("d3#b", "Separation speeds from both kinds of multipliers")
class d3_b:
    formula = r"\mathbf N\mathbf M^{-1}\mathbf f + \mathbf N\mathbf M^{-1}\mathbf G^T\boldsymbol\lambda + \mathbf N\mathbf M^{-1}\mathbf N^T\mathbf z \ge \mathbf n"
    inputs = AT_Z
    result = Result(VELOCITY, "one for each contact")

    def printed(M, G, N, f, g, n, z):
        Mi = np.linalg.inv(M)
        multipliers = mixed_motion(M, G, N, f, g, z)[1]
        return N @ Mi @ f + N @ Mi @ G.T @ multipliers + N @ Mi @ N.T @ z

    library = separation_library
    reference = separation_reference
    tolerance = 1e-08
    implements = lcp_from_step


@section.holds("d3#c", "Separation speeds with the multipliers substituted")
class d3_c:
    formula = r"\mathbf N\mathbf M^{-1}\mathbf f + \mathbf N\mathbf M^{-1}\mathbf G^T\bigl[-(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf G\mathbf M^{-1}\mathbf N^T\mathbf z + \boldsymbol\lambda_0\bigr] + \mathbf N\mathbf M^{-1}\mathbf N^T\mathbf z \ge \mathbf n"
    inputs = AT_Z
    result = Result(VELOCITY, "one for each contact")

    def printed(M, G, N, f, g, n, z):
        Mi = np.linalg.inv(M)
        S = G @ Mi @ G.T
        lambda_0 = mixed_motion(M, G, N, f, g, np.zeros(len(N)))[1]
        return (
            N @ Mi @ f + N @ Mi @ G.T @ (-np.linalg.inv(S) @ G @ Mi @ N.T @ z + lambda_0) + N @ Mi @ N.T @ z
        )

    library = separation_library
    reference = separation_reference
    tolerance = 1e-08
    implements = lcp_from_step


@section.holds("d3#d", "Separation speeds with the terms in z collected")
class d3_d:
    formula = r"\mathbf N\mathbf M^{-1}\bigl[\mathbf I - \mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf G\mathbf M^{-1}\bigr]\mathbf N^T\mathbf z + \mathbf N\mathbf M^{-1}\mathbf f + \mathbf N\mathbf M^{-1}\mathbf G^T\boldsymbol\lambda_0 \ge \mathbf n"
    inputs = AT_Z
    result = Result(VELOCITY, "one for each contact")

    def printed(M, G, N, f, g, n, z):
        Mi = np.linalg.inv(M)
        S = G @ Mi @ G.T
        lambda_0 = mixed_motion(M, G, N, f, g, np.zeros(len(N)))[1]
        bracket = np.eye(len(M)) - G.T @ np.linalg.inv(S) @ G @ Mi
        return N @ Mi @ bracket @ N.T @ z + N @ Mi @ f + N @ Mi @ G.T @ lambda_0

    library = separation_library
    reference = separation_reference
    tolerance = 1e-08
    implements = lcp_from_step


@section.holds("d4", "The contact problem with projected forces")
class d4:
    formula = r"\mathbf N\mathbf M^{-1}\mathbf P_f\mathbf N^T\mathbf z + \mathbf N\mathbf M^{-1}\mathbf f + \mathbf N\mathbf M^{-1}\mathbf G^T\boldsymbol\lambda_0 \ge \mathbf n"
    inputs = AT_Z
    result = Result(VELOCITY, "one for each contact")

    def printed(M, G, N, f, g, n, z):
        Mi = np.linalg.inv(M)
        lambda_0 = mixed_motion(M, G, N, f, g, np.zeros(len(N)))[1]
        return N @ Mi @ P_f(M, G) @ N.T @ z + N @ Mi @ f + N @ Mi @ G.T @ lambda_0

    library = separation_library
    reference = separation_reference
    tolerance = 1e-08
    implements = lcp_from_step


@section.holds("d5", "The contact problem with projected forces, for constraints at rest")
class d5:
    formula = r"\mathbf N\mathbf M^{-1}\mathbf P_f\mathbf N^T\mathbf z + \mathbf N\mathbf M^{-1}\mathbf P_f\mathbf f \ge \mathbf n \quad (\mathbf g = 0)"
    inputs = HOMOGENEOUS
    result = Result(VELOCITY, "one for each contact")

    def printed(M, G, N, f, n, z):
        Mi = np.linalg.inv(M)
        return N @ Mi @ P_f(M, G) @ N.T @ z + N @ Mi @ P_f(M, G) @ f

    def library(M, G, N, f, n, z):
        return separation_library(M, G, N, f, np.zeros(len(G)), n, z)

    def reference(M, G, N, f, n, z):
        """Solve the whole mixed system for the given z, assembled row by row, by elimination."""
        return separation_reference(M, G, N, f, np.zeros(len(G)), n, z)

    tolerance = 1e-08
    implements = lcp_from_step


# ------------------------------------------------------------------------------------------------------------
# The mixed LCP in blocks, and the regular LCP derived from them.


UNKNOWNS = {**AT_Z, "x": vectors(SIZE), "multipliers": vectors(EQUATIONS)}


def blocks_library(M, G, N, f, g, n, z, x, multipliers):
    box = box_lcp_from_step(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)))
    return box.M @ np.concatenate((x, multipliers, z)) + box.q


def blocks_reference(M, G, N, f, g, n, z, x, multipliers):
    """Compare with differences of the Lagrangian: kinetic energy minus the work of forces and multipliers."""
    rows, targets = np.vstack([G, N]), np.concatenate([g, n])
    return lagrangian_slopes(M, f, rows, targets, x, np.concatenate([multipliers, z]))


def partition(M: Array, G: Array, N: Array) -> tuple[Array, Array]:
    """Return A and N-bar as defined."""
    A = np.block([[M, -G.T], [G, np.zeros((len(G), len(G)))]])
    return A, np.hstack([N, np.zeros((len(N), len(G)))])


@section.holds("d6", "The mixed LCP in blocks")
class d6:
    formula = r"\begin{pmatrix} \mathbf M & -\mathbf G^T & -\mathbf N^T \\ \mathbf G & 0 & 0 \\ \mathbf N & 0 & 0 \end{pmatrix} \begin{pmatrix} \mathbf x \\ \boldsymbol\lambda \\ \mathbf z \end{pmatrix} + \begin{pmatrix} -\mathbf f \\ -\mathbf g \\ -\mathbf n \end{pmatrix} = \begin{pmatrix} 0 \\ 0 \\ \mathbf w \end{pmatrix}"
    inputs = UNKNOWNS
    result = Result(
        vector_quantity((MOMENTUM, 4), (VELOCITY, 5)),
        "in the generalized coordinates of the system, then of the constraints, then of the contacts",
    )

    def printed(M, G, N, f, g, n, z, x, multipliers):
        size, equations, rows = len(M), len(G), len(N)
        matrix = np.zeros((size + equations + rows, size + equations + rows))
        matrix[:size] = np.hstack([M, -G.T, -N.T])
        matrix[size : size + equations, :size], matrix[size + equations :, :size] = G, N
        return matrix @ np.concatenate([x, multipliers, z]) + np.concatenate([-f, -g, -n])

    library = blocks_library
    reference = blocks_reference
    implements = box_lcp_from_step


@section.holds("d7", "The mixed LCP in partitioned form")
class d7:
    formula = r"\begin{pmatrix} \mathbf A & -\bar{\mathbf N}^T \\ \bar{\mathbf N} & 0 \end{pmatrix} \begin{pmatrix} \mathbf y \\ \mathbf z \end{pmatrix} + \begin{pmatrix} -\mathbf b \\ -\mathbf n \end{pmatrix} = \begin{pmatrix} 0 \\ \mathbf w \end{pmatrix}"
    inputs = UNKNOWNS
    result = Result(
        vector_quantity((MOMENTUM, 4), (VELOCITY, 5)),
        "in the generalized coordinates of the system, then of the constraints, then of the contacts",
    )

    def printed(M, G, N, f, g, n, z, x, multipliers):
        A, Nb = partition(M, G, N)
        y, b = np.concatenate((x, multipliers)), np.concatenate((f, g))
        zero = np.zeros((len(N), len(N)))
        return np.block([[A, -Nb.T], [Nb, zero]]) @ np.concatenate([y, z]) + np.concatenate([-b, -n])

    library = blocks_library
    reference = blocks_reference
    implements = box_lcp_from_step


@section.definition("d8", "Symbols of the partition")
class d8:
    formula = r"\mathbf A \equiv \begin{pmatrix} \mathbf M & -\mathbf G^T \\ \mathbf G & 0 \end{pmatrix},\quad \mathbf y \equiv \begin{pmatrix} \mathbf x \\ \boldsymbol\lambda \end{pmatrix},\quad \bar{\mathbf N} \equiv (\mathbf N\ \ 0),\quad \mathbf b \equiv \begin{pmatrix} \mathbf f \\ \mathbf g \end{pmatrix}"
    defines = (r"\mathbf A", r"\mathbf y", r"\bar{\mathbf N}", r"\mathbf b")
    implements = (kkt_matrix, StepProblem)


@section.holds("d9", "The regular LCP")
class d9:
    formula = r"\bar{\mathbf N}\mathbf A^{-1}\bar{\mathbf N}^T\mathbf z + \bar{\mathbf N}\mathbf A^{-1}\mathbf b - \mathbf n = \mathbf w,\quad 0 \le \mathbf z \perp \mathbf w \ge 0"
    inputs = AT_Z
    result = Result(VELOCITY, "one for each contact")

    def printed(M, G, N, f, g, n, z):
        A, Nb = partition(M, G, N)
        b = np.concatenate((f, g))
        return Nb @ np.linalg.inv(A) @ Nb.T @ z + Nb @ np.linalg.inv(A) @ b - n

    def library(M, G, N, f, g, n, z):
        lcp = lcp_from_step(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)))
        return lcp.M @ z + lcp.q

    reference = slacks
    tolerance = 1e-08
    implements = lcp_from_step


@section.holds("t229", "Number of solves to assemble the regular LCP")
class t229:
    formula = r"n + 1 \text{ solves of } \mathbf A,\ n \text{ the number of rows of } \bar{\mathbf N}"
    inputs = {"N": st.integers(1, 5).flatmap(lambda rows: matrices(rows, 4))}
    result = Result(NUMBER, "the number of solves, then the speeds of the contacts")

    def printed(N):
        """Return the number of solves, and the vector of the LCP for unit masses, forces and equations."""
        A, N_bar = partition(np.eye(4), np.ones((1, 4)), N)
        return np.append(len(N) + 1, N_bar @ np.linalg.inv(A) @ np.array([1.0, 2.0, 3.0, 4.0, 1.0]))

    def library(N):
        """Count the right sides solved with the factored KKT matrix while the LCP is assembled."""
        size = N.shape[1]
        kkt = factor_kkt(np.eye(size), np.ones((1, size)))
        count = 0

        def counted_solve(b: Array, g: Array) -> tuple[Array, Array]:
            nonlocal count
            count += 1 if b.ndim == 1 else b.shape[1]
            return kkt.solve_unchecked(b, g)

        equations = BilateralRows(np.ones((1, size)), np.ones(1))
        problem = StepProblem(np.eye(size), np.arange(1.0, 5.0), equations, UnilateralRows(N))
        lcp = lcp_from_step(problem, replace(kkt, solve_unchecked=counted_solve))
        return np.append(count, lcp.q)

    def reference(N):
        """Count the points of an affine basis by their rank: their values determine w as a function of z."""
        rows = len(N)
        points = np.vstack([np.zeros((1, rows)), np.eye(rows)])
        count = np.linalg.matrix_rank(np.hstack([points, np.ones((rows + 1, 1))]))
        return np.append(count, N @ least_action(np.eye(4), np.arange(1.0, 5.0), np.ones((1, 4)), np.ones(1)))

    remark = (
        r"One more solve gives $\mathbf x$ and $\boldsymbol\lambda$ at the end, unless $\mathbf "
        r"A^{-1}\bar{\mathbf N}^T$ and $\mathbf A^{-1}\mathbf b$ are stored. The notes also use "
        "the letter n for the right-hand side of the inequalities."
    )
    implements = lcp_from_step


@section.holds("d10", "Recovery of x and lambda")
class d10:
    formula = r"\begin{pmatrix} \mathbf x \\ \boldsymbol\lambda \end{pmatrix} = \mathbf A^{-1}(\mathbf b + \bar{\mathbf N}^T\mathbf z)"
    inputs = AT_Z
    result = Result(
        vector_quantity((VELOCITY, 4), (MOMENTUM, 2)),
        "in the generalized coordinates of the system, then of the constraints",
    )

    def printed(M, G, N, f, g, n, z):
        A, Nb = partition(M, G, N)
        b = np.concatenate((f, g))
        return np.linalg.inv(A) @ (b + Nb.T @ z)

    def library(M, G, N, f, g, n, z):
        return np.concatenate(
            recover_unknowns(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)), z)
        )

    def reference(M, G, N, f, g, n, z):
        """Solve the whole mixed system for the given z, assembled row by row, by elimination."""
        return np.concatenate(mixed_motion(M, G, N, f, g, z))

    tolerance = 1e-08
    implements = recover_unknowns


@section.holds("t174", "The mixed LCP reduces to the pure LCP by elimination of the multipliers")
class t174:
    formula = r"\text{`We can turn this into a pure LCP by solving for}\ \boldsymbol\lambda\text{'}:\quad 0 \le \mathbf z \perp \bar{\mathbf N}\mathbf A^{-1}(\mathbf b + \bar{\mathbf N}^T\mathbf z) - \mathbf n \ge 0"
    any_size = False
    inputs = {
        "M": PROBLEM["M"],
        "rows": full_rank_matrices(EQUATIONS + 2, SIZE),
        "f": vectors(SIZE),
        "inside": vectors(SIZE),
        "gap": vectors(2),
    }
    result = Result(VELOCITY, "in the generalized coordinates of the system")

    def printed(M, rows, f, inside, gap):
        """Return x from the solution of the pure LCP."""
        G, N = rows[:EQUATIONS], rows[EQUATIONS:]
        A, N_bar = partition(M, G, N)
        b, n = np.concatenate([f, G @ inside]), N @ inside - np.abs(gap)
        Ai = np.linalg.inv(A)
        z = solve_lcp_by_enumeration(N_bar @ Ai @ N_bar.T, N_bar @ Ai @ b - n)
        return (Ai @ (b + N_bar.T @ z))[:SIZE]

    def library(M, rows, f, inside, gap):
        G, N = rows[:EQUATIONS], rows[EQUATIONS:]
        equations, pairs = BilateralRows(G, G @ inside), UnilateralRows(N, N @ inside - np.abs(gap))
        return solve_step(StepProblem(M, f, equations, pairs)).velocity

    def reference(M, rows, f, inside, gap):
        """Minimize the action over the x that satisfy the rows, by trying all sets of active rows.

        No multiplier is used.
        """
        bounds = rows @ inside - np.append(np.zeros(EQUATIONS), np.abs(gap))
        best, least = inside, np.inf
        for is_active in product((False, True), repeat=2):
            active = [*range(EQUATIONS), *(EQUATIONS + np.flatnonzero(is_active))]
            x = least_action(M, f, rows[active], bounds[active])
            value = x @ M @ x / 2 - f @ x
            if np.all(rows @ x >= bounds - 1e-9) and value < least:
                best, least = x, value
        return best

    tolerance = 1e-08
    remark = (
        "The line that is missing in the printed mixed LCP is added. The rows are consistent here; "
        "otherwise neither problem has a solution."
    )
    implements = solve_step
