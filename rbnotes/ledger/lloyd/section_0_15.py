"""Lloyd 0.15: Gauss-Seidel and KKT systems."""

from __future__ import annotations

import numpy as np

from rbnotes.checking.strategies import full_rank_matrices, spd_matrices, vectors
from rbnotes.constraints import constrained_velocity
from rbnotes.constraints.sequential import gauss_seidel
from rbnotes.ledger.record import Verdict, claim

CHAPTER = "gauss-seidel"
N, K = 5, 3
KKT = {"M": spd_matrices(N), "G": full_rank_matrices(K, N), "v0": vectors(N), "c": vectors(K)}
SWEEP = {**KKT, "start": vectors(K)}
SYSTEM = {"A": spd_matrices(4), "b": vectors(4), "x": vectors(4)}
ROW = 1


def solution_reference(M, G, v0, c):
    """Velocities and multipliers of the whole KKT system, solved at once."""
    system = np.block([[M, -G.T], [G, np.zeros((K, K))]])
    return np.linalg.solve(system, np.concatenate([M @ v0, c]))


def iteration_library(A, b, x):
    """One sweep on constraints whose rows are those of a Cholesky factor, so that N M^-1 N^T is A."""
    return gauss_seidel(np.eye(4), np.linalg.cholesky(A), b, np.zeros(4), sweeps=1, impulses=x).impulses


def iteration_reference(A, b, x):
    """Minimise x^T A x / 2 - b^T x along one coordinate after the other: each minimum by a parabola."""
    x = np.array(x, dtype=float)

    def energy(y):
        return y @ A @ y / 2 - b @ y

    for i in range(4):
        step = np.eye(4)[i]
        below, at, above = energy(x - step), energy(x), energy(x + step)
        x = x - step * (above - below) / 2 / (above - 2 * at + below)
    return x


def parts(M, G, v0, c, start):
    """Row i, its effective inertia, and what the other rows' impulses do to the velocities."""
    Mi = np.linalg.inv(M)
    effective = G[ROW] @ Mi @ G[ROW]
    others = [Mi @ G[j] * start[j] for j in range(K) if j != ROW]
    return effective, others


def new_multiplier_library(M, G, v0, c, start):
    """Second component after the first has been left as it is: a sweep over rows 1 and 2 only."""
    Mi = np.linalg.inv(M)
    kept = v0 + Mi @ G[0] * start[0]
    return gauss_seidel(Mi, G[1:], c[1:], kept, sweeps=1, impulses=start[1:]).impulses[0]


def new_multiplier_reference(M, G, v0, c, start):
    """The multiplier of row 1 for which that row is satisfied while the others keep theirs: a line's zero."""

    def violation(multiplier):
        trial = np.array(start, dtype=float)
        trial[ROW] = multiplier
        v = np.linalg.solve(M, M @ v0 + G.T @ trial)
        return G[ROW] @ v - c[ROW]

    at, slope = violation(0.0), violation(1.0) - violation(0.0)
    return -at / slope


WHOLE = "the KKT system solved at once"
LINE = "the multiplier for which this row is satisfied while the others keep theirs, as the zero of a line"


@claim("lloyd/s0.15/d1", "Velocities under constraints")
class d1:
    formula = (
        r"\mathbf v = \mathbf v_0 + \mathbf M^{-1}\mathbf N^T\boldsymbol\lambda,\quad \mathbf N\mathbf v "
        r"= \mathbf c"
    )
    inputs = KKT

    def printed(M, G, v0, c):
        multipliers = solution_reference(M, G, v0, c)[N:]
        v = v0 + np.linalg.inv(M) @ G.T @ multipliers
        return np.concatenate([v, multipliers])

    oracle = WHOLE
    reference = solution_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.sequential.gauss_seidel",)
    chapter = CHAPTER


@claim("lloyd/s0.15/e0.15", "The system for the multipliers")
class e0_15:
    formula = r"(\mathbf N\mathbf M^{-1}\mathbf N^T)\boldsymbol\lambda = \mathbf c - \mathbf N\mathbf v_0"
    inputs = {name: KKT[name] for name in ("M", "G", "v0", "c")}

    def printed(M, G, v0, c):
        return np.linalg.solve(G @ np.linalg.inv(M) @ G.T, c - G @ v0)

    def library(M, G, v0, c):
        return constrained_velocity(M, G, v0, c)[1]

    oracle = WHOLE

    def reference(M, G, v0, c):
        return solution_reference(M, G, v0, c)[N:]

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.sequential.gauss_seidel",)
    chapter = CHAPTER


@claim("lloyd/s0.15/e0.16", "The Gauss-Seidel iteration")
class e0_16:
    formula = r"\mathbf x^{(k+1)} = (\mathbf D + \mathbf L)^{-1}(\mathbf b - \mathbf U\mathbf x^{(k)})"
    inputs = SYSTEM

    def printed(A, b, x):
        D, L, U = np.diag(np.diag(A)), np.tril(A, -1), np.triu(A, 1)
        return np.linalg.solve(D + L, b - U @ x)

    library = iteration_library
    oracle = "minimisation of the quadratic energy along one coordinate after the other, each by a parabola"
    reference = iteration_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.sequential.gauss_seidel",)
    chapter = CHAPTER


@claim("lloyd/s0.15/e0.17", "The Gauss-Seidel iteration by components")
class e0_17:
    formula = (
        r"x_i^{(k+1)} = \frac1{a_{ii}}\Bigl(b_i - \sum_{j<i}a_{ij}x_j^{(k+1)} - "
        r"\sum_{j>i}a_{ij}x_j^{(k)}\Bigr)"
    )
    inputs = SYSTEM

    def printed(A, b, x):
        new = np.array(x, dtype=float)
        for i in range(4):
            before = sum(A[i, j] * new[j] for j in range(i))
            after = sum(A[i, j] * x[j] for j in range(i + 1, 4))
            new[i] = 1 / A[i, i] * (b[i] - before - after)
        return new

    library = iteration_library
    oracle = "minimisation of the quadratic energy along one coordinate after the other, each by a parabola"
    reference = iteration_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.sequential.gauss_seidel",)
    chapter = CHAPTER


@claim("lloyd/s0.15/d2#a", "One multiplier in a sweep")
class d2_a:
    formula = (
        r"\lambda_i^{(k+1)} = (\mathbf N_i\mathbf M^{-1}\mathbf N_i^T)^{-1}\Bigl(c_i - \mathbf N_i\mathbf "
        r"v_0 - \sum_{j<i}\mathbf N_i\mathbf M^{-1}\mathbf N_j^T\lambda_j^{(k+1)} - \sum_{j>i}\mathbf "
        r"N_i\mathbf M^{-1}\mathbf N_j^T\lambda_j^{(k)}\Bigr)"
    )
    inputs = SWEEP

    def printed(M, G, v0, c, start):
        effective, others = parts(M, G, v0, c, start)
        return 1 / effective * (c[ROW] - G[ROW] @ v0 - G[ROW] @ others[0] - G[ROW] @ others[1])

    library = new_multiplier_library
    oracle = LINE
    reference = new_multiplier_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.sequential.gauss_seidel",)
    chapter = CHAPTER


@claim("lloyd/s0.15/d2#b", "The same with the velocity of the other constraints")
class d2_b:
    formula = (
        r"\lambda_i^{(k+1)} = (\mathbf N_i\mathbf M^{-1}\mathbf N_i^T)^{-1}\Bigl(c_i - \mathbf "
        r"N_i\Bigl(\mathbf v_0 - \sum_{j<i}\mathbf M^{-1}\mathbf N_j^T\lambda_j^{(k+1)} - "
        r"\sum_{j>i}\mathbf M^{-1}\mathbf N_j^T\lambda_j^{(k)}\Bigr)\Bigr)"
    )
    inputs = SWEEP

    def printed(M, G, v0, c, start):
        effective, others = parts(M, G, v0, c, start)
        return 1 / effective * (c[ROW] - G[ROW] @ (v0 - others[0] - others[1]))

    library = new_multiplier_library
    oracle = LINE
    reference = new_multiplier_reference
    verdict = Verdict.ERRATUM
    correction = (
        r"Both sums inside the inner bracket have plus signs: $\mathbf v_0 + \sum_{j<i}\mathbf "
        r"M^{-1}\mathbf N_j^T\lambda_j^{(k+1)} + \sum_{j>i}\mathbf M^{-1}\mathbf N_j^T\lambda_j^{(k)}$"
    )
    remark = "Taking the row out of the sums turns their signs round."
    implemented_by = ("rbnotes.constraints.sequential.gauss_seidel",)
    chapter = CHAPTER


@claim("lloyd/s0.15/d2#c", "The same with the velocity updated so far")
class d2_c:
    formula = (
        r"\lambda_i^{(k+1)} = (\mathbf N_i\mathbf M^{-1}\mathbf N_i^T)^{-1}(c_i - \mathbf N_i\mathbf "
        r"v^{(i)})"
    )
    inputs = SWEEP

    def printed(M, G, v0, c, start):
        effective, others = parts(M, G, v0, c, start)
        v = v0 + others[0] + others[1]
        return 1 / effective * (c[ROW] - G[ROW] @ v)

    library = new_multiplier_library
    oracle = LINE
    reference = new_multiplier_reference
    verdict = Verdict.HOLDS
    remark = (
        r"$\mathbf v^{(i)}$ holds the impulses of all *other* constraints. If it is the velocity with all "
        r"impulses, the formula gives the change of $\lambda_i$; that is what the library computes."
    )
    implemented_by = ("rbnotes.constraints.sequential.gauss_seidel",)
    chapter = CHAPTER


@claim("lloyd/s0.15/t704", "A constraint in isolation")
class t704:
    formula = (
        r"(\mathbf N_i\mathbf M^{-1}\mathbf N_i^T)^{-1}\ \text{represents the solution of constraint}\ i\ "
        r"\text{in isolation}"
    )
    inputs = SWEEP

    def printed(M, G, v0, c, start):
        effective, _ = parts(M, G, v0, c, start)
        return 1 / effective * (c[ROW] - G[ROW] @ v0)

    oracle = "the KKT system with this constraint alone"

    def reference(M, G, v0, c, start):
        """KKT system with this single constraint."""
        system = np.block([[M, -G[ROW][:, None]], [G[ROW][None], np.zeros((1, 1))]])
        return np.linalg.solve(system, np.append(M @ v0, c[ROW]))[-1]

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.sequential.gauss_seidel",)
    chapter = CHAPTER
