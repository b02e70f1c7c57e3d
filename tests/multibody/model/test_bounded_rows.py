"""Rows with bounded impulses against the convex program that they minimize."""

import cvxpy
import numpy as np
import pytest

from rbnotes.contact import Contacts
from rbnotes.dynamics import BilateralRows, StepProblem, UnilateralRows, solve_step
from rbnotes.friction import semismooth_newton_friction
from rbnotes.multibody.bounded_rows import BoundedRows, dry_friction_rows, solve_with_bounded_rows


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


def redundant_problem(seed):
    """Return equations that leave one or two degrees of freedom, and more rows, most of them dry."""
    rng = np.random.default_rng(seed)
    n, freedom = int(rng.integers(3, 9)), int(rng.integers(1, 3))
    m = int(rng.integers(freedom + 1, 7))
    A = rng.normal(size=(n, n))
    is_dry = rng.random(m) < 0.8
    bounded = BoundedRows(
        rng.normal(size=(m, n)),
        np.where(is_dry, 0.0, rng.normal(size=m) * 3),
        np.where(is_dry, np.inf, 10 ** rng.uniform(-2, 2, size=m)),
        10 ** rng.uniform(-2, 0.7, size=m) * (rng.random(m) < 0.9),
    )
    equations = BilateralRows(
        rng.normal(size=(n - freedom, n)), rng.normal(size=n - freedom) * 10 ** rng.uniform(-3, 0)
    )
    problem = StepProblem(
        A @ A.T + 0.1 * np.eye(n), 10 ** rng.uniform(-1.5, 1) * rng.normal(size=n), equations
    )
    return problem, bounded


@pytest.mark.parametrize("seed", range(60))
def test_more_rows_than_degrees_of_freedom(seed):
    """The modes of such rows cycle if they change one by one: a third of these cases needs the box LCP."""
    problem, bounded = redundant_problem(seed)
    before = np.random.default_rng(1000 + seed).normal(size=problem.size)
    result = solve_with_bounded_rows(problem, bounded, solve_step, before)
    velocity = result.solution.velocity
    np.testing.assert_allclose(velocity, minimizer(problem, bounded), rtol=1e-4, atol=2e-5)
    assert np.all(np.abs(result.impulse) <= bounded.bound)
    balance = (
        problem.mass @ velocity
        - problem.momentum
        - bounded.rows.T @ result.impulse
        - problem.bilateral.rows.T @ result.solution.bilateral
    )
    np.testing.assert_allclose(balance, 0.0, atol=1e-7)


@pytest.mark.parametrize("seed", range(20))
def test_redundant_rows_on_a_body_in_contact(seed):
    """Three dry rows along one direction brake a body that slides on the ground."""
    rng = np.random.default_rng(seed)
    mu, bounds = rng.uniform(0.1, 0.8), rng.uniform(0.05, 0.5, size=3)
    direction = rng.normal(size=3) * [1, 1, 0]
    direction /= np.linalg.norm(direction)
    rows = np.outer(rng.choice([-1.0, 1.0], size=3) * rng.uniform(0.5, 2, size=3), direction)
    start = np.r_[rng.uniform(-2, 2) * direction[:2], -rng.uniform(0, 1)]
    problem = StepProblem(
        np.eye(3), start, contacts=Contacts([[[0, 0, 1.0], [1.0, 0, 0], [0, 1.0, 0]]], mu=mu)
    )
    result = solve_with_bounded_rows(
        problem, dry_friction_rows(rows, bounds), semismooth_newton_friction, np.zeros(3)
    )
    brake = mu * -start[2] + bounds @ np.linalg.norm(rows, axis=1)
    speed = max(np.linalg.norm(start[:2]) - brake, 0.0)
    expected = np.r_[speed * start[:2] / np.linalg.norm(start[:2]), 0.0]
    np.testing.assert_allclose(result.solution.velocity, expected, atol=1e-7)


@pytest.mark.parametrize("seed", [*range(10), 26, 54, 156, 217])
def test_more_dry_rows_than_velocities_with_a_contact(seed):
    """The impulses obey the laws of the rows and the contact; the last four cases need box LCPs."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 3))
    mass = A @ A.T + 0.5 * np.eye(3)
    rows, bounds = rng.normal(size=(6, 3)), 10 ** rng.uniform(-2, 0.3, size=6)
    frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    contacts = Contacts([frame], mu=rng.uniform(0.1, 0.8))
    problem = StepProblem(mass, 3 * rng.normal(size=3), contacts=contacts)
    solution, impulse = solve_with_bounded_rows(
        problem, dry_friction_rows(rows, bounds), semismooth_newton_friction, rng.normal(size=3)
    )
    velocity, contact_impulse = solution.velocity, solution.contact_impulses[0]
    balance = mass @ velocity - problem.momentum - rows.T @ impulse - frame.T @ contact_impulse
    np.testing.assert_allclose(balance, 0.0, atol=1e-9)
    slip = rows @ velocity
    sliding = np.abs(slip) > 1e-7
    np.testing.assert_allclose(impulse[sliding], -bounds[sliding] * np.sign(slip[sliding]), rtol=1e-9)
    assert np.all(np.abs(impulse) <= bounds)
    normal_velocity, *tangential = frame @ velocity
    assert normal_velocity >= -1e-9
    assert contact_impulse[0] >= 0
    assert contact_impulse[0] * normal_velocity == pytest.approx(0.0, abs=1e-9)
    limit, speed = contacts.mu[0] * contact_impulse[0], np.linalg.norm(tangential)
    if speed > 1e-7:
        expected = -limit * np.array(tangential) / speed
        np.testing.assert_allclose(contact_impulse[1:], expected, atol=1e-6)
    assert np.linalg.norm(contact_impulse[1:]) <= limit + 1e-9


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
