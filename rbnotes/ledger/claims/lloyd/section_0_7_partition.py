"""Lloyd 0.7: the mixed LCP in blocks, and the regular LCP that is made from them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
from hypothesis import strategies as st

from rbnotes.arguments import Array
from rbnotes.constraints import factor_kkt
from rbnotes.dynamics import (
    BilateralRows,
    StepProblem,
    UnilateralRows,
    box_lcp_from_step,
    lcp_from_step,
    recover_unknowns,
    solve_step,
)
from rbnotes.ledger import quantities as units
from rbnotes.ledger.claims.lloyd.section_0_3 import lcp_by_trying
from rbnotes.ledger.claims.lloyd.section_0_7 import (
    AT_Z,
    CHAPTER,
    EQUATIONS,
    PROBLEM,
    ROWS,
    SIZE,
    WHOLE,
    slacks,
)
from rbnotes.ledger.oracles.constrained_systems import least_action, mixed_motion
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import full_rank_matrices, matrices, vectors

UNKNOWNS = {**AT_Z, "x": vectors(SIZE), "multipliers": vectors(EQUATIONS)}


QUANTITIES = {
    "f": units.MOMENTUM,
    "g": units.VELOCITY,
    "gap": units.VELOCITY,
    "inside": units.VELOCITY,
    "multipliers": units.MOMENTUM,
    "n": units.VELOCITY,
    "rows": units.NUMBER,
    "x": units.VELOCITY,
    "z": units.MOMENTUM,
}


def blocks_library(M, G, N, f, g, n, z, x, multipliers):
    box = box_lcp_from_step(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)))
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


@claim("lloyd/s0.7/d6", "The mixed LCP in blocks")
class d6:
    formula = (
        r"\begin{pmatrix} \mathbf M & -\mathbf G^T & -\mathbf N^T \\ \mathbf G & 0 & 0 \\"
        r" \mathbf N & 0 & 0 \end{pmatrix} \begin{pmatrix} \mathbf x \\ \boldsymbol\lambda \\"
        r" \mathbf z \end{pmatrix} + \begin{pmatrix} -\mathbf f \\ -\mathbf g \\"
        r" -\mathbf n \end{pmatrix} = \begin{pmatrix} 0 \\ 0 \\ \mathbf w \end{pmatrix}"
    )
    inputs = UNKNOWNS
    result = units.vector_quantity((units.MOMENTUM, 4), (units.VELOCITY, 5))

    def printed(M, G, N, f, g, n, z, x, multipliers):
        matrix = np.zeros((SIZE + EQUATIONS + ROWS, SIZE + EQUATIONS + ROWS))
        matrix[:SIZE] = np.hstack([M, -G.T, -N.T])
        matrix[SIZE : SIZE + EQUATIONS, :SIZE], matrix[SIZE + EQUATIONS :, :SIZE] = G, N
        return matrix @ np.concatenate([x, multipliers, z]) + np.concatenate([-f, -g, -n])

    library = blocks_library
    oracle = "what is missing in each equation for arbitrary unknowns, written out with sums"
    reference = blocks_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.box_lcp_from_step",)
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
    result = units.vector_quantity((units.MOMENTUM, 4), (units.VELOCITY, 5))

    def printed(M, G, N, f, g, n, z, x, multipliers):
        A, Nb = partition(M, G, N)
        y, b = np.concatenate((x, multipliers)), np.concatenate((f, g))
        zero = np.zeros((ROWS, ROWS))
        return np.block([[A, -Nb.T], [Nb, zero]]) @ np.concatenate([y, z]) + np.concatenate([-b, -n])

    library = blocks_library
    oracle = "what is missing in each equation for arbitrary unknowns, written out with sums"
    reference = blocks_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.box_lcp_from_step",)
    chapter = CHAPTER


@claim("lloyd/s0.7/d8", "Names of the partition")
class d8:
    formula = (
        r"\mathbf A \equiv \begin{pmatrix} \mathbf M & -\mathbf G^T \\"
        r" \mathbf G & 0 \end{pmatrix},\quad \mathbf y \equiv \begin{pmatrix} \mathbf x \\"
        r" \boldsymbol\lambda \end{pmatrix},\quad \bar{\mathbf N} \equiv (\mathbf N\ \ 0),\quad "
        r"\mathbf b \equiv \begin{pmatrix} \mathbf f \\ \mathbf g \end{pmatrix}"
    )
    defines = (r"\mathbf A", r"\mathbf y", r"\bar{\mathbf N}", r"\mathbf b")
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
    result = units.VELOCITY

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
    equivalent_mutants = {"in partition: dropped minus in `-G.T`": "changes the sign of lambda alone"}
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.lcp_from_step",)
    chapter = CHAPTER


@claim("lloyd/s0.7/t229", "Solves that it takes to make the regular LCP")
class t229:
    formula = r"n + 1 \text{ solves of } \mathbf A,\ n \text{ the number of rows of } \bar{\mathbf N}"
    inputs = {"N": st.integers(1, 5).flatmap(lambda rows: matrices(rows, 4))}
    result = units.NUMBER

    def printed(N):
        """The number of solves, and the LCP that they make for unit masses, forces and equations."""
        A, padded = partition(np.eye(4), np.ones((1, 4)), N)
        return np.append(len(N) + 1, padded @ np.linalg.inv(A) @ np.array([1.0, 2.0, 3.0, 4.0, 1.0]))

    def library(N):
        """Right sides handed to the factored KKT matrix while the LCP is made."""
        size = N.shape[1]
        kkt = factor_kkt(np.eye(size), np.ones((1, size)))
        count = 0

        def counting(b: Array, g: Array) -> tuple[Array, Array]:
            nonlocal count
            count += 1 if b.ndim == 1 else b.shape[1]
            return kkt.solve_unchecked(b, g)

        equations = BilateralRows(np.ones((1, size)), np.ones(1))
        problem = StepProblem(np.eye(size), np.arange(1.0, 5.0), equations, UnilateralRows(N))
        lcp = lcp_from_step(problem, replace(kkt, solve_unchecked=counting))
        return np.append(count, lcp.q)

    oracle = "an affine function of z is known from as many values as there are points in general position"

    def reference(N):
        """M and q are known once w is known at as many z as there are points of an affine basis."""
        rows = len(N)
        points = np.vstack([np.zeros((1, rows)), np.eye(rows)])
        count = np.linalg.matrix_rank(np.hstack([points, np.ones((rows + 1, 1))]))
        return np.append(count, N @ least_action(np.eye(4), np.arange(1.0, 5.0), np.ones((1, 4)), np.ones(1)))

    equivalent_mutants = {
        "in partition: dropped minus in `-G.T`": "changes the sign of lambda alone",
    }
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
    result = units.vector_quantity((units.VELOCITY, 4), (units.MOMENTUM, 2))

    def printed(M, G, N, f, g, n, z):
        A, Nb = partition(M, G, N)
        b = np.concatenate((f, g))
        return np.linalg.inv(A) @ (b + Nb.T @ z)

    def library(M, G, N, f, g, n, z):
        return np.concatenate(
            recover_unknowns(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n)), z)
        )

    oracle = WHOLE

    def reference(M, G, N, f, g, n, z):
        return np.concatenate(mixed_motion(M, G, N, f, g, z))

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.recover_unknowns",)
    chapter = CHAPTER


@claim("lloyd/s0.7/t174", "The mixed LCP is the pure one with its multipliers solved for")
class t174:
    formula = (
        r"\text{`We can turn this into a pure LCP by solving for}\ \boldsymbol\lambda\text{'}:\quad "
        r"0 \le \mathbf z \perp \bar{\mathbf N}\mathbf A^{-1}(\mathbf b + \bar{\mathbf N}^T\mathbf z) - \mathbf n "
        r"\ge 0"
    )
    inputs = {
        "M": PROBLEM["M"],
        "rows": full_rank_matrices(EQUATIONS + 2, SIZE),
        "f": vectors(SIZE),
        "inside": vectors(SIZE),
        "gap": vectors(2),
    }
    result = units.VELOCITY

    def printed(M, rows, f, inside, gap):
        """x, by way of the pure LCP."""
        G, N = rows[:EQUATIONS], rows[EQUATIONS:]
        A, padded = partition(M, G, N)
        b, n = np.concatenate([f, G @ inside]), N @ inside - np.abs(gap)
        Ai = np.linalg.inv(A)
        z = lcp_by_trying(padded @ Ai @ padded.T, padded @ Ai @ b - n)
        return (Ai @ (b + padded.T @ z))[:SIZE]

    def library(M, rows, f, inside, gap):
        G, N = rows[:EQUATIONS], rows[EQUATIONS:]
        equations, pairs = BilateralRows(G, G @ inside), UnilateralRows(N, N @ inside - np.abs(gap))
        return solve_step(StepProblem(M, f, equations, pairs)).velocity

    oracle = "least action of all x that the rows allow, by trying every set of them: no multiplier is used"

    def reference(M, rows, f, inside, gap):
        """What the mixed LCP says of x: least action among all that satisfy the rows, such as ``inside``."""
        bounds = rows @ inside - np.append(np.zeros(EQUATIONS), np.abs(gap))
        best, least = inside, np.inf
        for kept in product((False, True), repeat=2):
            touched = [*range(EQUATIONS), *(EQUATIONS + np.flatnonzero(kept))]
            x = least_action(M, f, rows[touched], bounds[touched])
            value = x @ M @ x / 2 - f @ x
            if np.all(rows @ x >= bounds - 1e-9) and value < least:
                best, least = x, value
        return best

    tolerance = 1e-08
    equivalent_mutants = {
        "in lcp_by_trying: min for max*": "the equations that are solved hold for every choice",
        "in lcp_by_trying: dropped abs*": "the equations that are solved hold for every choice",
        "in partition: dropped minus in `-G.T`": "changes the sign of lambda alone",
    }
    verdict = Verdict.HOLDS
    remark = "With the line that the mixed LCP lacks in print. The rows allow some x here; else neither has a solution."
    implemented_by = ("rbnotes.dynamics.solve_step",)
    chapter = CHAPTER
