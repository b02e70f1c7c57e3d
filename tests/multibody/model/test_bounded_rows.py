"""Rows with bounded impulses against the convex program that they minimize."""

import cvxpy
import numpy as np
import pytest

from rbnotes.dynamics import BilateralRows, StepProblem, UnilateralRows, solve_step
from rbnotes.multibody.bounded_rows import BoundedRows, solve_with_bounded_rows


def random_problem(seed):
    """Return up to eight velocities, half of the rows dry, and possibly an equation."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    m = int(rng.integers(1, n + 1))
    A = rng.normal(size=(n, n))
    mass = A @ A.T + 0.1 * np.eye(n)
    is_dry = rng.random(m) < 0.5
    bounded = BoundedRows(
        rng.normal(size=(m, n)),
        np.where(is_dry, 0.0, rng.normal(size=m) * 3),
        np.where(is_dry, np.inf, 10 ** rng.uniform(-2, 2, size=m)),
        10 ** rng.uniform(-1.5, 0.7, size=m),
    )
    equations = BilateralRows(rng.normal(size=(1, n)), rng.normal(size=1)) if seed % 2 else None
    problem = StepProblem(mass, 3 * rng.normal(size=n))
    if equations is not None and m < n:
        problem = problem.with_constraints(bilateral=equations)
    return problem, bounded


def minimizer(problem, bounded):
    """Return velocities that minimize kinetic energy, work and the potentials of the rows."""
    v = cvxpy.Variable(problem.size)
    cost = cvxpy.quad_form(v, cvxpy.psd_wrap(problem.mass)) / 2 - problem.momentum @ v
    for row, offset, gain, bound in zip(*bounded, strict=True):
        if np.isinf(gain):
            cost += bound * cvxpy.abs(row @ v)
        else:
            cost += gain / 2 * cvxpy.huber(row @ v - offset / gain, bound / gain)
    equations = [problem.bilateral.rows @ v == problem.bilateral.target] if problem.bilateral.count else []
    cvxpy.Problem(cvxpy.Minimize(cost), equations).solve(
        solver=cvxpy.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12
    )
    return v.value


@pytest.mark.parametrize("seed", range(60))
def test_velocities_minimize_the_convex_energy(seed):
    problem, bounded = random_problem(seed)
    before = np.random.default_rng(1000 + seed).normal(size=problem.size)
    result = solve_with_bounded_rows(problem, bounded, solve_step, before)
    velocity = result.solution.velocity
    np.testing.assert_allclose(velocity, minimizer(problem, bounded), atol=2e-5)
    assert np.all(np.abs(result.impulse) <= bounded.bound)
    balance = problem.mass @ velocity - problem.momentum - bounded.rows.T @ result.impulse
    if problem.bilateral.count:
        balance = balance - problem.bilateral.rows.T @ result.solution.bilateral
    np.testing.assert_allclose(balance, 0.0, atol=1e-8)


@pytest.mark.parametrize("drift", [1e-11, 5e-11, -5e-11])
def test_a_limit_at_rest_is_not_contradicted_by_rounding(drift):
    """Friction and an equation determine a velocity that is small beside the velocity without impulses."""
    problem = StepProblem(
        np.eye(2),
        [0.1, -0.1],
        BilateralRows([[1.0, 1.0]], [-2 * drift]),
        UnilateralRows([[1.0, 0.0]], [0.0]),
    )
    dry = BoundedRows(np.array([[1.0, -1.0]]), np.zeros(1), np.array([np.inf]), np.array([10.0]))
    result = solve_with_bounded_rows(problem, dry, solve_step, np.zeros(2))
    np.testing.assert_allclose(result.solution.velocity, 0.0, atol=1e-10)
    np.testing.assert_allclose(result.impulse, [-0.1], atol=1e-9)
