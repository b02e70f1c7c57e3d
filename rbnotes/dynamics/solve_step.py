"""Solution of the problem of a step: velocities and impulses (Lloyd 0.7, 0.10, 0.11).

Soft rows are solved as hard rows with a *slack*, a velocity with its own mass on which the impulse also acts:
``G v + C s = g`` with ``B s = C^T lambda`` is ``G v + R lambda = g`` for ``R = C B^-1 C^T``.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, SingularConfiguration
from rbnotes.complementarity import LCP, METHODS, QP, BoxLCP, Elimination, QPSolution, Residuals, solve
from rbnotes.constraints.kkt import KKT, factor_kkt_unchecked
from rbnotes.constraints.matrices import well_conditioned_lu
from rbnotes.dynamics.step_problem import BilateralRows, StepProblem, StepSolution, UnilateralRows

MIN_RECIPROCAL_CONDITION = 1e-9
"""Least reciprocal condition number of an unsymmetric regularization."""


def solve_step(problem: StepProblem, *, method: str = "block_principal_pivoting") -> StepSolution:
    """Solve for velocities and impulses of a step without friction (Lloyd 0.10, 0.11).

    Parameters
    ----------
    problem
        The problem; of redundant rows, the impulses have least norm.
    method
        Method of :func:`rbnotes.complementarity.solve`, if there are unilateral rows.

    Raises
    ------
    InvalidArgument
        If there are contacts, which need a model of :mod:`rbnotes.friction`, or the regularization of
        unilateral rows is not symmetric.
    InconsistentConstraints
        If redundant rows of the equations contradict each other.
    SingularConfiguration
        If the mass is singular, or symmetric but not positive definite.
    NotSolved
        If the inequalities contradict each other or the equations.
    """
    arguments.require_instance("problem", problem, StepProblem)
    if problem.contacts is not None:
        raise InvalidArgument("problem", "contacts", "none: use a model of rbnotes.friction")
    if not problem.unilateral.count:
        velocity, bilateral = factor_step(problem).solve_unchecked(problem.momentum, problem.bilateral.target)
        return StepSolution(velocity, bilateral, method="factor_kkt")
    expanded = expand_compliance(problem)
    arguments.choice("method", method, METHODS)
    program = qp_from_step(expanded) if method == "cvxpy" else eliminate_velocities(expanded)
    solution: QPSolution = solve(program, method)
    return StepSolution(
        solution.x[: problem.size],
        solution.multipliers,
        solution.z,
        iterations=solution.statistics.pivots or solution.statistics.factorizations,
        residual=solution.residuals.relative,
        method=solution.method,
    )


def factor_step(problem: StepProblem) -> KKT:
    """Factor the KKT system of masses and equations, soft ones included (Lloyd 0.6, 0.11).

    Its ``solve(momentum, target)`` returns velocities and bilateral impulses for any right-hand sides.

    Raises InvalidArgument if ``problem`` is not a ``StepProblem``.
    """
    arguments.require_instance("problem", problem, StepProblem)
    expanded = expand_compliance(problem)
    kkt = factor_kkt_unchecked(expanded.mass, expanded.bilateral.rows)
    slacks = expanded.size - problem.size
    if not slacks:
        return kkt
    return KKT(
        problem.size, problem.bilateral.count, kkt.compute_rank, partial(_solve_with_slacks, kkt, slacks)
    )


def _solve_with_slacks(kkt: KKT, slacks: int, momentum: Array, target: Array) -> tuple[Array, Array]:
    """Solve an expanded system whose last velocities are slacks, which have no momentum."""
    padded_momentum = np.concatenate([momentum, np.zeros((slacks, *momentum.shape[1:]))])
    velocities, impulses = kkt.solve_unchecked(padded_momentum, target)
    return velocities[:-slacks], impulses


def expand_compliance(problem: StepProblem) -> StepProblem:
    """Return the equivalent problem with hard rows only, and slacks of the soft rows as added velocities.

    Raises
    ------
    InvalidArgument
        If ``problem`` is not a ``StepProblem``.
    SingularConfiguration
        If an unsymmetric regularization is singular or nearly so.
    """
    arguments.require_instance("problem", problem, StepProblem)
    bilateral, unilateral = problem.bilateral, problem.unilateral
    if not (bilateral.is_regularized or unilateral.is_regularized):
        return problem
    columns, masses = zip(
        *(_slack_variables(rows.regularization) for rows in (bilateral, unilateral)), strict=True
    )
    counts = [mass.shape[0] for mass in masses]
    blank = [
        sparse.csc_array((rows.count, n))
        for rows, n in zip((bilateral, unilateral), reversed(counts), strict=True)
    ]
    mass = sparse.block_diag([problem.mass, *masses], format="csc")
    G = sparse.hstack([bilateral.rows, columns[0], blank[0]], format="csc")
    N = sparse.hstack([unilateral.rows, blank[1], columns[1]], format="csc")
    if not sparse.issparse(problem.mass):
        mass, G, N = (matrix.toarray() for matrix in (mass, G, N))
    return StepProblem(
        mass,
        np.concatenate([problem.momentum, np.zeros(sum(counts))]),
        BilateralRows(G, bilateral.target),
        UnilateralRows(N, unilateral.target),
    )


def eliminate_velocities(problem: StepProblem, factors: KKT | None = None) -> Elimination:
    """Return velocities and bilateral impulses as functions of the unilateral ones (Lloyd 0.7).

    Parameters
    ----------
    problem
        The problem; the slacks of soft rows are among the velocities.
    factors
        Result of :func:`factor_step`, if it is known.

    Raises
    ------
    InvalidArgument
        If ``problem`` is not a ``StepProblem``.
    """
    arguments.require_instance("problem", problem, StepProblem)
    hard_problem = expand_compliance(problem)
    equations, pairs = hard_problem.bilateral, hard_problem.unilateral
    return Elimination(
        hard_problem.mass,
        hard_problem.momentum,
        pairs.rows,
        pairs.target,
        equations.rows,
        equations.target,
        factors,
    )


def lcp_from_step(problem: StepProblem, factors: KKT | None = None) -> LCP:
    """Return the LCP ``w = M' z + q'`` of a step in the unilateral impulses z (Lloyd 0.7).

    ``M' = Nb A^-1 Nb^T`` and ``q' = Nb A^-1 b - n`` with ``Nb = (N 0)`` and the KKT matrix A. It takes
    ``m + 1`` solves with A, for m rows. The arguments are those of :func:`eliminate_velocities`;
    :func:`recover_unknowns` gives the other unknowns.

    Raises InvalidArgument if ``problem`` is not a ``StepProblem``.
    """
    arguments.require_instance("problem", problem, StepProblem)
    return eliminate_velocities(problem, factors).lcp()


def recover_unknowns(problem: StepProblem, z: ArrayLike) -> tuple[Array, Array]:
    """Return velocities ``(n,)`` and bilateral impulses ``(k,)`` for unilateral ones ``(m,)`` (Lloyd 0.7).

    Raises InvalidArgument if the shape of ``z`` does not fit.
    """
    arguments.require_instance("problem", problem, StepProblem)
    velocity, bilateral = eliminate_velocities(problem).recover_unknowns(z)
    return velocity[: problem.size], bilateral


def step_residuals(problem: StepProblem, solution: StepSolution) -> Residuals:
    """Return the residuals of velocities and impulses of a step without contacts.

    Raises InvalidArgument if ``problem`` is not a ``StepProblem`` or ``solution`` is not a ``StepSolution``.
    """
    arguments.require_instance("problem", problem, StepProblem)
    arguments.require_instance("solution", solution, StepSolution)
    hard_problem = expand_compliance(problem)
    bilateral = arguments.single_vector("bilateral", solution.bilateral, problem.bilateral.count)
    unilateral = arguments.single_vector("unilateral", solution.unilateral, problem.unilateral.count)
    velocity = arguments.single_vector("velocity", solution.velocity, problem.size)
    if hard_problem.size > problem.size:
        constraint_impulse = (
            hard_problem.bilateral.rows.T @ bilateral + hard_problem.unilateral.rows.T @ unilateral
        )
        inner = hard_problem.mass[problem.size :][:, problem.size :]
        solve = sparse.linalg.spsolve if sparse.issparse(inner) else np.linalg.solve
        velocity = np.concatenate([velocity, solve(inner, constraint_impulse[problem.size :])])
    return eliminate_velocities(hard_problem).residuals_unchecked(velocity, bilateral, unilateral)


def qp_from_step(problem: StepProblem) -> QP:
    """Return the quadratic program of the velocities: minimize ``v^T M v / 2 - momentum^T v``.

    Raises
    ------
    InvalidArgument
        If the mass is not symmetric: then there is no such program.
    """
    arguments.require_instance("problem", problem, StepProblem)
    if not problem.is_symmetric:
        raise InvalidArgument("mass", "a matrix that is not symmetric", "a symmetric matrix")
    hard_problem = expand_compliance(problem)
    equations, pairs = hard_problem.bilateral, hard_problem.unilateral
    return QP(
        hard_problem.mass, -hard_problem.momentum, pairs.rows, pairs.target, equations.rows, equations.target
    )


def box_lcp_from_step(problem: StepProblem) -> BoxLCP:
    """Return the box LCP in the unknowns (v, lambda, z), the former two unbounded (Lloyd 0.7).

    Raises InvalidArgument if ``problem`` is not a ``StepProblem``.
    """
    arguments.require_instance("problem", problem, StepProblem)
    hard_problem = expand_compliance(problem)
    G, N = (sparse.csc_array(rows.rows) for rows in (hard_problem.bilateral, hard_problem.unilateral))
    blocks = [[sparse.csc_array(hard_problem.mass), -G.T, -N.T], [G, None, None], [N, None, None]]
    num_equations, pairs = G.shape[0], N.shape[0]
    blocks[1][1], blocks[2][2] = (
        sparse.csc_array((num_equations, num_equations)),
        sparse.csc_array((pairs, pairs)),
    )
    matrix = sparse.block_array(blocks, format="csc")
    num_unbounded = hard_problem.size + num_equations
    return BoxLCP(
        M=matrix if sparse.issparse(hard_problem.mass) else matrix.toarray(),
        q=-np.concatenate(
            [hard_problem.momentum, hard_problem.bilateral.target, hard_problem.unilateral.target]
        ),
        lower=np.concatenate([np.full(num_unbounded, -np.inf), np.zeros(pairs)]),
        upper=np.inf,
    )


def _slack_variables(regularization: Array) -> tuple[Any, Any]:
    """Return C ``(k, s)`` and the mass B ``(s, s)`` of slacks: the regularization is ``C B^-1 C^T``."""
    count = len(regularization)
    if regularization.ndim == 1:
        nonzero = np.flatnonzero(regularization)
        shape = (count, len(nonzero))
        C = sparse.csc_array((np.sqrt(regularization[nonzero]), (nonzero, np.arange(len(nonzero)))), shape)
    elif np.array_equal(regularization, regularization.T):
        eigenvalues, vectors = np.linalg.eigh(regularization)
        positive = eigenvalues > count * np.finfo(float).eps * np.max(np.abs(eigenvalues))
        C = sparse.csc_array(vectors[:, positive] * np.sqrt(eigenvalues[positive]))
    else:
        try:
            factors = well_conditioned_lu("regularization", regularization, MIN_RECIPROCAL_CONDITION)
        except SingularConfiguration as error:
            got = "a singular matrix that is not symmetric, or one next to it"
            raise SingularConfiguration("regularization", got, "a symmetric or a regular one") from error
        return sparse.eye_array(count, format="csc"), sparse.csc_array(
            linalg.lu_solve(factors, np.eye(count))
        )
    return C, sparse.eye_array(C.shape[1], format="csc")
