"""Problems with known solutions, and enumeration of active sets."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import strategies as st

from rbnotes.complementarity import LCP, QP, BoxLCP, Elimination
from rbnotes.testing.strategies import full_rank_matrices, matrices, spd_matrices, vectors


def monotone(size):
    """Return strictly monotone LCPs, symmetric or not."""
    skew = st.one_of(st.just(np.zeros((size, size))), matrices(size, size))
    return st.builds(lambda M, S, q: LCP(M + S - S.T, q), spd_matrices(size), skew, vectors(size))


def planted_lcp(size, rank=None):
    """Return a matrix of given rank, a solution with zeros in both z and w, and the LCP that it solves."""
    factors = matrices(size, size if rank is None else rank)

    def build(N, pattern, sizes):
        z = np.where(np.array(pattern) == 1, np.abs(sizes) + 0.25, 0.0)
        w = np.where(np.array(pattern) == 2, np.abs(sizes) + 0.25, 0.0)
        M = N @ N.T
        return LCP(M, w - M @ z), z

    return st.builds(build, factors, st.lists(st.integers(0, 2), min_size=size, max_size=size), vectors(size))


def boxes(size):
    """Return strictly monotone box LCPs with every kind of bounds."""

    def build(M, S, q, low, width, kinds):
        lower = np.where(np.isin(kinds, (0, 1)), low, -np.inf)
        upper = np.where(np.isin(kinds, (0, 2)), low + np.abs(width), np.inf)
        return BoxLCP(M + S - S.T, q, lower, upper)

    kinds = st.lists(st.integers(0, 3), min_size=size, max_size=size)
    skew = st.one_of(st.just(np.zeros((size, size))), matrices(size, size))
    return st.builds(build, spd_matrices(size), skew, vectors(size), vectors(size), vectors(size), kinds)


def mixed(unknowns, rows, equations):
    """Return optimality conditions with symmetric M that have a feasible point."""

    def build(M, f, N, slack, G, x):
        return Elimination(M, f, N, N @ x - np.abs(slack), G, G @ x)

    return st.builds(
        build,
        spd_matrices(unknowns),
        vectors(unknowns),
        matrices(rows, unknowns),
        vectors(rows),
        full_rank_matrices(equations, unknowns),
        vectors(unknowns),
    )


def program(problem, form=np.asarray):
    """Return the quadratic program with these optimality conditions, its matrices in one form or another."""
    P = problem
    return QP(form(P.M), -P.f, form(P.N), P.n, form(P.G), P.g)


def enumerate_box_solution(problem):
    """Return the solution of a strictly monotone box LCP.

    Every variable is at one of its bounds or between them.
    """
    M, q, lower, upper = problem.M, problem.q, problem.lower, problem.upper
    n, best, least = len(q), None, np.inf
    for sides in product((-1, 0, 1), repeat=n):
        sides = np.array(sides)
        z = np.where(sides < 0, lower, np.where(sides > 0, upper, 0.0))
        if not np.all(np.isfinite(z)):
            continue
        inner = sides == 0
        z[inner] = -np.linalg.solve(M[np.ix_(inner, inner)], (q + M @ z)[inner])
        w = M @ z + q
        violation = max(
            0.0,
            np.max(lower - z),
            np.max(z - upper),
            np.max(-w[sides < 0], initial=0.0),
            np.max(w[sides > 0], initial=0.0),
        )
        # A degenerate variable fits two sides up to rounding; take what fits best.
        if violation < least:
            best, least = z, violation
    return best


def enumerate_mixed_solution(problem):
    """Return x of conditions with symmetric M: of all sets of active rows, the feasible x of least energy."""
    M, f, N, n, G, g = problem.M, problem.f, problem.N, problem.n, problem.G, problem.g
    best, least = None, np.inf
    for active in product((False, True), repeat=len(n)):
        rows = np.vstack([G, N[list(active)]])
        right = np.concatenate([g, n[list(active)]])
        # Dependent rows give nothing that fewer rows do not give.
        if np.linalg.matrix_rank(rows, tol=1e-9) < len(rows):
            continue
        k = len(rows)
        matrix = np.block([[M, -rows.T], [rows, np.zeros((k, k))]])
        x = np.linalg.solve(matrix, np.concatenate([f, right]))[: len(f)]
        energy = x @ M @ x / 2 - f @ x
        if np.all(N @ x >= n - 1e-9) and energy < least:
            best, least = x, energy
    return best
