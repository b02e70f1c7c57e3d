"""Lloyd 0.7: turning a mixed LCP into a regular LCP."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from rbnotes.arguments import Array
from rbnotes.checking.strategies import full_rank_matrices, matrices, spd_matrices, vectors
from rbnotes.constraints import factor_kkt
from rbnotes.dynamics import (
    BilateralRows,
    StepProblem,
    StepSolution,
    UnilateralRows,
    box_from_step,
    lcp_from_step,
    step_residuals,
    step_unknowns,
)
from rbnotes.ledger.oracles.systems import constrained_system
from rbnotes.ledger.record import Verdict, claim

CHAPTER = "qp-and-lcp"
SIZE, EQUATIONS, ROWS = 4, 2, 3
WHOLE = "the whole mixed system for the given z, assembled row by row and solved by elimination"
PROBLEM = {
    "M": spd_matrices(SIZE),
    "G": full_rank_matrices(EQUATIONS, SIZE),
    "N": matrices(ROWS, SIZE),
    "f": vectors(SIZE),
    "g": vectors(EQUATIONS),
    "n": vectors(ROWS),
}
AT_Z = {**PROBLEM, "z": vectors(ROWS)}
UNFORCED = {name: strategy for name, strategy in AT_Z.items() if name != "g"}
UNKNOWNS = {**AT_Z, "x": vectors(SIZE), "multipliers": vectors(EQUATIONS)}
IDENTITY = np.eye(SIZE)


def motion(M: Array, G: Array, N: Array, f: Array, g: Array, z: Array) -> tuple[Array, Array]:
    """x and lambda under the given z."""
    pushed = f + sum(weight * row for weight, row in zip(z, N, strict=True))
    return constrained_system(M, G, pushed, g)


def slacks(M: Array, G: Array, N: Array, f: Array, g: Array, n: Array, z: Array) -> Array:
    """w under the given z."""
    x, _ = motion(M, G, N, f, g, z)
    return np.array([row @ x for row in N]) - n


def candidate(M: Array, G: Array, N: Array, f: Array, g: Array, gap: Array, z: Array) -> tuple[Array, ...]:
    """n, z, x and lambda that satisfy all equations, with impulses that push and contacts that separate."""
    z = np.abs(z)
    x, multipliers = motion(M, G, N, f, g, z)
    return N @ x - np.abs(gap), z, x, multipliers


def multipliers_reference(M, G, N, f, g, n, z):
    return motion(M, G, N, f, g, z)[1]


def start_reference(M, G, N, f, g, n):
    return motion(M, G, N, f, g, np.zeros(ROWS))[1]


def speed_library(M, G, N, f, g, n, z):
    lcp = lcp_from_step(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)))
    return lcp.M @ z + lcp.q + n


def speed_reference(M, G, N, f, g, n, z):
    """``N x``."""
    return slacks(M, G, N, f, g, 0 * n, z)


def P_f(M: Array, G: Array) -> Array:
    """What is left of unit forces, by elimination: mass times acceleration under ``G a = 0``."""
    zero = np.zeros(len(G))
    return np.stack([M @ constrained_system(M, G, unit, zero)[0] for unit in np.eye(len(M))], axis=1)


def blocks_library(M, G, N, f, g, n, z, x, multipliers):
    box = box_from_step(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)))
    return box.M @ np.concatenate((x, multipliers, z)) + box.q


def blocks_reference(M, G, N, f, g, n, z, x, multipliers):
    """What is missing in each equation, written out with sums."""
    missing = []
    for i in range(SIZE):
        pull = sum(G[k, i] * multipliers[k] for k in range(EQUATIONS))
        pull += sum(N[j, i] * z[j] for j in range(ROWS))
        missing.append(M[i] @ x - pull - f[i])
    missing += [G[k] @ x - g[k] for k in range(EQUATIONS)]
    missing += [N[j] @ x - n[j] for j in range(ROWS)]
    return np.array(missing)


def partition(M: Array, G: Array, N: Array) -> tuple[Array, Array]:
    """A and N-bar as defined."""
    A = np.block([[M, -G.T], [G, np.zeros((len(G), len(G)))]])
    return A, np.hstack([N, np.zeros((len(N), len(G)))])


@claim("lloyd/s0.7/d1", "A mixed LCP")
class d1:
    formula = (
        r"\mathbf M\mathbf x - \mathbf G^T\boldsymbol\lambda - \mathbf N^T\mathbf z "
        r"= \mathbf f,\quad \mathbf G\mathbf x = \mathbf g,\quad \mathbf N\mathbf x \ge \mathbf n"
    )
    inputs = {**{name: PROBLEM[name] for name in "MGNfg"}, "gap": vectors(ROWS), "z": vectors(ROWS)}

    def printed(M, G, N, f, g, gap, z):
        """The largest violation of what is printed: nothing is said about z."""
        n, z, x, multipliers = candidate(M, G, N, f, g, gap, z)
        balance = M @ x - G.T @ multipliers - N.T @ z - f
        return max(np.max(np.abs(balance)), np.max(np.abs(G @ x - g)), max(0.0, np.max(n - N @ x)))

    def library(M, G, N, f, g, gap, z):
        n, z, x, multipliers = candidate(M, G, N, f, g, gap, z)
        residuals = step_residuals(
            StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)), StepSolution(x, multipliers, z)
        )
        return max(residuals.equations, residuals.natural)

    oracle = "by construction all else holds: what is violated is the smaller of each push and its gap"

    def reference(M, G, N, f, g, gap, z):
        """... of the optimality conditions: that equations hold is known, so it is push against gap."""
        return max(min(abs(push), abs(distance)) for push, distance in zip(z, gap, strict=True))

    verdict = Verdict.MISPRINT
    correction = (
        r"The line $0 \le \mathbf z \perp \mathbf N\mathbf x - \mathbf n \ge 0$ is missing; it is there "
        r"in the block form further on. Without it every $\mathbf z$ that separates the contacts would do."
    )
    implemented_by = (
        "rbnotes.dynamics.StepProblem",
        "rbnotes.dynamics.step_residuals",
    )
    chapter = CHAPTER


@claim("lloyd/s0.7/d2#a", "Multipliers of the equations as a function of z")
class d2_a:
    formula = (
        r"\boldsymbol\lambda = -(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf G\mathbf M^{-1}\mathbf "
        r"N^T\mathbf z + \boldsymbol\lambda_0"
    )
    inputs = AT_Z

    def printed(M, G, N, f, g, n, z):
        Mi = np.linalg.inv(M)
        S = G @ Mi @ G.T
        start = np.linalg.inv(S) @ (g - G @ Mi @ f)
        return -np.linalg.inv(S) @ G @ Mi @ N.T @ z + start

    def library(M, G, N, f, g, n, z):
        return step_unknowns(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)), z)[1]

    oracle = WHOLE
    reference = multipliers_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.step_unknowns",)
    chapter = CHAPTER


@claim("lloyd/s0.7/d2#b", "Multipliers of the equations without contacts")
class d2_b:
    formula = (
        r"\boldsymbol\lambda_0 \equiv (\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}(\mathbf g - \mathbf "
        r"G\mathbf M^{-1}\mathbf f)"
    )
    inputs = PROBLEM

    def printed(M, G, N, f, g, n):
        Mi = np.linalg.inv(M)
        return np.linalg.inv(G @ Mi @ G.T) @ (g - G @ Mi @ f)

    def library(M, G, N, f, g, n):
        return step_unknowns(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)), np.zeros(ROWS))[1]

    oracle = "the whole system without contacts, solved by elimination"
    reference = start_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.step_unknowns",)
    chapter = CHAPTER


@claim("lloyd/s0.7/d3#a", "x from both kinds of multipliers")
class d3_a:
    formula = (
        r"\mathbf x = \mathbf M^{-1}\mathbf f + \mathbf M^{-1}\mathbf G^T\boldsymbol\lambda + \mathbf "
        r"M^{-1}\mathbf N^T\mathbf z"
    )
    inputs = AT_Z

    def printed(M, G, N, f, g, n, z):
        Mi = np.linalg.inv(M)
        multipliers = multipliers_reference(M, G, N, f, g, n, z)
        return Mi @ f + Mi @ G.T @ multipliers + Mi @ N.T @ z

    def library(M, G, N, f, g, n, z):
        return step_unknowns(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)), z)[0]

    oracle = WHOLE

    def reference(M, G, N, f, g, n, z):
        return motion(M, G, N, f, g, z)[0]

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    remark = "Printed with a plain $G$."
    implemented_by = ("rbnotes.dynamics.step_unknowns",)
    chapter = CHAPTER


@claim("lloyd/s0.7/d3#b", "Separation speeds from both kinds of multipliers")
class d3_b:
    formula = (
        r"\mathbf N\mathbf M^{-1}\mathbf f + \mathbf N\mathbf M^{-1}\mathbf G^T\boldsymbol\lambda + "
        r"\mathbf N\mathbf M^{-1}\mathbf N^T\mathbf z \ge \mathbf n"
    )
    inputs = AT_Z

    def printed(M, G, N, f, g, n, z):
        Mi = np.linalg.inv(M)
        multipliers = multipliers_reference(M, G, N, f, g, n, z)
        return N @ Mi @ f + N @ Mi @ G.T @ multipliers + N @ Mi @ N.T @ z

    library = speed_library
    oracle = WHOLE
    reference = speed_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.lcp_from_step",)
    chapter = CHAPTER


@claim("lloyd/s0.7/d3#c", "The multipliers of the equations substituted")
class d3_c:
    formula = (
        r"\mathbf N\mathbf M^{-1}\mathbf f + \mathbf N\mathbf M^{-1}\mathbf G^T\bigl[-(\mathbf G\mathbf "
        r"M^{-1}\mathbf G^T)^{-1}\mathbf G\mathbf M^{-1}\mathbf N^T\mathbf z + \boldsymbol\lambda_0\bigr] "
        r"+ \mathbf N\mathbf M^{-1}\mathbf N^T\mathbf z \ge \mathbf n"
    )
    inputs = AT_Z

    def printed(M, G, N, f, g, n, z):
        Mi = np.linalg.inv(M)
        S = G @ Mi @ G.T
        start = start_reference(M, G, N, f, g, n)
        return N @ Mi @ f + N @ Mi @ G.T @ (-np.linalg.inv(S) @ G @ Mi @ N.T @ z + start) + N @ Mi @ N.T @ z

    library = speed_library
    oracle = WHOLE
    reference = speed_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.lcp_from_step",)
    chapter = CHAPTER


@claim("lloyd/s0.7/d3#d", "Terms in z collected")
class d3_d:
    formula = (
        r"\mathbf N\mathbf M^{-1}\bigl[\mathbf I - \mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf "
        r"G^T)^{-1}\mathbf G\mathbf M^{-1}\bigr]\mathbf N^T\mathbf z + \mathbf N\mathbf M^{-1}\mathbf f + "
        r"\mathbf N\mathbf M^{-1}\mathbf G^T\boldsymbol\lambda_0 \ge \mathbf n"
    )
    inputs = AT_Z

    def printed(M, G, N, f, g, n, z):
        Mi = np.linalg.inv(M)
        S = G @ Mi @ G.T
        start = start_reference(M, G, N, f, g, n)
        bracket = IDENTITY - G.T @ np.linalg.inv(S) @ G @ Mi
        return N @ Mi @ bracket @ N.T @ z + N @ Mi @ f + N @ Mi @ G.T @ start

    library = speed_library
    oracle = WHOLE
    reference = speed_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.lcp_from_step",)
    chapter = CHAPTER


@claim("lloyd/s0.7/d4", "The contact problem with projected forces")
class d4:
    formula = (
        r"\mathbf N\mathbf M^{-1}\mathbf P_f\mathbf N^T\mathbf z + \mathbf N\mathbf M^{-1}\mathbf f + "
        r"\mathbf N\mathbf M^{-1}\mathbf G^T\boldsymbol\lambda_0 \ge \mathbf n"
    )
    inputs = AT_Z

    def printed(M, G, N, f, g, n, z):
        Mi = np.linalg.inv(M)
        start = start_reference(M, G, N, f, g, n)
        return N @ Mi @ P_f(M, G) @ N.T @ z + N @ Mi @ f + N @ Mi @ G.T @ start

    library = speed_library
    oracle = WHOLE
    reference = speed_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.lcp_from_step",)
    chapter = CHAPTER


@claim("lloyd/s0.7/d5", "The contact problem with projected forces, for constraints at rest")
class d5:
    formula = (
        r"\mathbf N\mathbf M^{-1}\mathbf P_f\mathbf N^T\mathbf z + \mathbf N\mathbf M^{-1}\mathbf "
        r"P_f\mathbf f \ge \mathbf n \quad (\mathbf g = 0)"
    )
    inputs = UNFORCED

    def printed(M, G, N, f, n, z):
        Mi = np.linalg.inv(M)
        return N @ Mi @ P_f(M, G) @ N.T @ z + N @ Mi @ P_f(M, G) @ f

    def library(M, G, N, f, n, z):
        return speed_library(M, G, N, f, np.zeros(EQUATIONS), n, z)

    oracle = WHOLE

    def reference(M, G, N, f, n, z):
        return speed_reference(M, G, N, f, np.zeros(EQUATIONS), n, z)

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.lcp_from_step",)
    chapter = CHAPTER


@claim("lloyd/s0.7/d6", "The mixed LCP in blocks")
class d6:
    formula = (
        r"\begin{pmatrix} \mathbf M & -\mathbf G^T & -\mathbf N^T \\ \mathbf G & 0 & 0 \\"
        r" \mathbf N & 0 & 0 \end{pmatrix} \begin{pmatrix} \mathbf x \\ \boldsymbol\lambda \\"
        r" \mathbf z \end{pmatrix} + \begin{pmatrix} -\mathbf f \\ -\mathbf g \\"
        r" -\mathbf n \end{pmatrix} = \begin{pmatrix} 0 \\ 0 \\ \mathbf w \end{pmatrix}"
    )
    inputs = UNKNOWNS

    def printed(M, G, N, f, g, n, z, x, multipliers):
        zero = np.zeros((EQUATIONS, EQUATIONS))
        zero_kj, zero_jk, zero_jj = (
            np.zeros(s) for s in ((EQUATIONS, ROWS), (ROWS, EQUATIONS), (ROWS, ROWS))
        )
        matrix = np.vstack(
            (np.hstack((M, -G.T, -N.T)), np.hstack((G, zero, zero_kj)), np.hstack((N, zero_jk, zero_jj)))
        )
        return matrix @ np.concatenate([x, multipliers, z]) + np.concatenate([-f, -g, -n])

    library = blocks_library
    oracle = "what is missing in each equation for arbitrary unknowns, written out with sums"
    reference = blocks_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.box_from_step",)
    chapter = CHAPTER


@claim("lloyd/s0.7/d7", "The mixed LCP partitioned")
class d7:
    formula = (
        r"\begin{pmatrix} \mathbf A & -\bar{\mathbf N}^T \\"
        r" \bar{\mathbf N} & 0 \end{pmatrix} \begin{pmatrix} \mathbf y \\"
        r" \mathbf z \end{pmatrix} + \begin{pmatrix} -\mathbf b \\"
        r" -\mathbf n \end{pmatrix} = \begin{pmatrix} 0 \\ \mathbf w \end{pmatrix}"
    )
    inputs = UNKNOWNS

    def printed(M, G, N, f, g, n, z, x, multipliers):
        A, Nb = partition(M, G, N)
        y, b = np.concatenate((x, multipliers)), np.concatenate((f, g))
        zero = np.zeros((ROWS, ROWS))
        return np.block([[A, -Nb.T], [Nb, zero]]) @ np.concatenate([y, z]) + np.concatenate([-b, -n])

    library = blocks_library
    oracle = "what is missing in each equation for arbitrary unknowns, written out with sums"
    reference = blocks_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.box_from_step",)
    chapter = CHAPTER


@claim("lloyd/s0.7/d8", "Names of the partition")
class d8:
    formula = (
        r"\mathbf A \equiv \begin{pmatrix} \mathbf M & -\mathbf G^T \\"
        r" \mathbf G & 0 \end{pmatrix},\quad \mathbf y \equiv \begin{pmatrix} \mathbf x \\"
        r" \boldsymbol\lambda \end{pmatrix},\quad \bar{\mathbf N} \equiv (\mathbf N\ \ 0),\quad "
        r"\mathbf b \equiv \begin{pmatrix} \mathbf f \\ \mathbf g \end{pmatrix}"
    )
    verdict = Verdict.DEFINITION
    implemented_by = (
        "rbnotes.constraints.kkt_matrix",
        "rbnotes.dynamics.StepProblem",
    )
    chapter = CHAPTER


@claim("lloyd/s0.7/d9", "The regular LCP")
class d9:
    formula = (
        r"\bar{\mathbf N}\mathbf A^{-1}\bar{\mathbf N}^T\mathbf z + \bar{\mathbf N}\mathbf A^{-1}\mathbf "
        r"b - \mathbf n = \mathbf w,\quad 0 \le \mathbf z \perp \mathbf w \ge 0"
    )
    inputs = AT_Z

    def printed(M, G, N, f, g, n, z):
        A, Nb = partition(M, G, N)
        b = np.concatenate((f, g))
        return Nb @ np.linalg.inv(A) @ Nb.T @ z + Nb @ np.linalg.inv(A) @ b - n

    def library(M, G, N, f, g, n, z):
        lcp = lcp_from_step(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)))
        return lcp.M @ z + lcp.q

    oracle = WHOLE
    reference = slacks
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.lcp_from_step",)
    chapter = CHAPTER


@claim("lloyd/s0.7/t229", "Solves that it takes to make the regular LCP")
class t229:
    formula = r"n + 1 \text{ solves of } \mathbf A,\ n \text{ the number of rows of } \bar{\mathbf N}"
    inputs = {"N": st.integers(1, 5).flatmap(lambda rows: matrices(rows, 4))}

    def printed(N):
        return float(len(N) + 1)

    def library(N):
        """Right sides handed to the factored KKT matrix while the LCP is made."""
        size = N.shape[1]
        kkt = factor_kkt(np.eye(size), np.ones((1, size)))
        count = 0

        def counting(b: Array, g: Array) -> tuple[Array, Array]:
            nonlocal count
            count += 1 if b.ndim == 1 else b.shape[1]
            return kkt.solver(b, g)

        problem = StepProblem(
            np.eye(size), np.ones(size), BilateralRows(np.ones((1, size))), UnilateralRows(N)
        )
        lcp_from_step(problem, replace(kkt, solver=counting))
        return float(count)

    oracle = "an affine function of z is known from as many values as there are points in general position"

    def reference(N):
        """M and q are known once w is known at as many z as there are points of an affine basis."""
        rows = len(N)
        points = np.vstack([np.zeros((1, rows)), np.eye(rows)])
        return float(np.linalg.matrix_rank(np.hstack([points, np.ones((rows + 1, 1))])))

    verdict = Verdict.HOLDS
    remark = (
        r"One more gives $\mathbf x$ and $\boldsymbol\lambda$ at the end, unless $\mathbf "
        r"A^{-1}\bar{\mathbf N}^T$ and $\mathbf A^{-1}\mathbf b$ are kept. The letter n stands for the "
        r"right side of the inequalities as well."
    )
    implemented_by = ("rbnotes.dynamics.lcp_from_step",)
    chapter = CHAPTER


@claim("lloyd/s0.7/d10", "Back to x and lambda")
class d10:
    formula = (
        r"\begin{pmatrix} \mathbf x \\ \boldsymbol\lambda \end{pmatrix} "
        r"= \mathbf A^{-1}(\mathbf b + \bar{\mathbf N}^T\mathbf z)"
    )
    inputs = AT_Z

    def printed(M, G, N, f, g, n, z):
        A, Nb = partition(M, G, N)
        b = np.concatenate((f, g))
        return np.linalg.inv(A) @ (b + Nb.T @ z)

    def library(M, G, N, f, g, n, z):
        return np.concatenate(step_unknowns(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)), z))

    oracle = WHOLE

    def reference(M, G, N, f, g, n, z):
        return np.concatenate(motion(M, G, N, f, g, z))

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.step_unknowns",)
    chapter = CHAPTER
