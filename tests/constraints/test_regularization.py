"""Softened constraints: their force, their limit, their motion, dense and sparse."""

import numpy as np
import pytest
from hypothesis import given
from scipy import sparse

from rbnotes.arguments import InvalidArgument
from rbnotes.constraints import factor_kkt
from rbnotes.constraints.soft_constraints import soft_energy, soft_force, target_and_regularization
from rbnotes.dynamics import BilateralRows, StepProblem, solve_step
from rbnotes.testing import jacobian
from rbnotes.testing.strategies import full_rank_matrices, positive_numbers, spd_matrices, vectors


def solve_softened_step(M, G, b, phi, alpha, beta, h):
    """Return velocities and impulses of a step with softened rows."""
    rows = BilateralRows(G, *target_and_regularization(phi, alpha, beta, h))
    solution = solve_step(StepProblem(M, b, rows))
    return solution.velocity, solution.bilateral


@given(vectors(2), spd_matrices(2))
def test_force_is_minus_the_gradient_of_the_energy(phi, alpha):
    gradient = jacobian(lambda e: soft_energy(e, alpha), phi).value
    np.testing.assert_allclose(soft_force(phi, np.zeros(2), alpha), -gradient, atol=1e-9)


@given(vectors(2), vectors(2), vectors(2, 0.25, 2), vectors(2, 0.25, 2))
def test_damping_dissipates(phi, rate, alpha, beta):
    damping = soft_force(phi, rate, alpha, beta) - soft_force(phi, np.zeros(2), alpha, beta)
    np.testing.assert_allclose(rate @ damping, -np.sum(beta / alpha * rate**2), atol=1e-10)


@given(spd_matrices(4), full_rank_matrices(2, 4), vectors(4), vectors(2), positive_numbers(0.125, 1))
def test_soft_constraints_converge_to_hard_ones(M, G, b, phi, h):
    v, impulse = solve_softened_step(M, G, b, phi, 0.0, 0.0, h)
    hard_v, hard_impulse = factor_kkt(M, G).solve(b, -2 * phi / h)
    np.testing.assert_allclose(v, hard_v, atol=1e-8)
    np.testing.assert_allclose(impulse, hard_impulse, atol=1e-7)
    nearly, _ = solve_softened_step(M, G, b, phi, 1e-10, 0.0, h)
    np.testing.assert_allclose(nearly, v, atol=1e-5)


@given(
    spd_matrices(4), full_rank_matrices(2, 4), vectors(4), vectors(2), vectors(2, 0.25, 2), vectors(2, 0, 2)
)
def test_sparse_equals_dense(M, G, b, phi, alpha, beta):
    dense = solve_softened_step(M, G, b, phi, alpha, beta, 0.1)
    thin = solve_softened_step(sparse.csr_array(M), sparse.csr_array(G), b, phi, alpha, beta, 0.1)
    for a, c in zip(dense, thin, strict=True):
        np.testing.assert_allclose(a, c, atol=1e-9)


@pytest.mark.slow
def test_period_of_a_soft_constraint():
    """A mass on an undamped soft constraint oscillates with the period of the equivalent spring."""
    m, k, h = 2.0, 50.0, 0.01
    q, v, crossings = 0.1, 0.0, []
    for step in range(280):
        (v,), _ = solve_softened_step([[m]], np.eye(1), [m * v], [q], 1 / k, 0.0, h)
        before, q = q, q + h * v
        if before > 0 >= q:
            crossings.append((step + before / (before - q)) * h)
    period = np.mean(np.diff(crossings))
    assert period == pytest.approx(2 * np.pi * np.sqrt(m / k), rel=1e-3)


def test_dissipative_combination_is_accepted_for_any_sign_of_beta():
    alpha, dampers = np.array([[2.5, -1.25], [-1.25, 1.25]]), np.array([[0.5, 1.125], [1.125, 3.0]])
    beta, rate = alpha @ dampers, np.array([1.0, -2.0])
    assert np.min(np.linalg.eigvalsh(beta + beta.T)) < -0.1
    np.testing.assert_allclose(soft_force([0.0, 0.0], rate, alpha, beta), -dampers @ rate, rtol=0, atol=1e-12)


def test_rounding_of_singular_matrices_is_accepted():
    """Compliance and damping of one direction only, from a product that rounds."""
    u = np.array([0.1, 0.7, -0.3])
    alpha = np.outer(u, u) / 3 - 1e-17 * np.eye(3)
    assert np.min(np.linalg.eigvalsh(alpha)) < 0
    _, softness = target_and_regularization([1.0, 2.0, 3.0], alpha, 0.7 * alpha, 0.1)
    # gamma u = u / (1/2 + 0.7 u.u / 3 / h)
    factor = 1 / (0.5 + 0.7 * (u @ u) / 3 / 0.1)
    np.testing.assert_allclose(softness, factor * np.outer(u, u) / 3 / 0.01, rtol=0, atol=1e-10)


class TestErrors:
    def test_stiffness_must_be_positive(self):
        with pytest.raises(InvalidArgument, match="alpha: got smallest eigenvalue -1"):
            soft_force([1.0, 1.0], [0.0, 0.0], [1.0, -1.0])
        with pytest.raises(InvalidArgument, match="alpha: got an eigenvalue -1"):
            target_and_regularization([1.0], -1.0, 0.0, 0.1)
        with pytest.raises(InvalidArgument, match="beta: got an eigenvalue -1"):
            target_and_regularization([1.0], 1.0, -1.0, 0.1)

    def test_damping_must_dissipate(self):
        indefinite = np.array([[0.5, -2.75], [3.0, 1.0]])
        soft, stiff = np.array([[1.25, 1.125], [1.125, 2.5]]), np.eye(2)
        soft_force([0.1, 0.2], [1.0, 1.0], stiff, indefinite)
        for force in (
            lambda: soft_force([0.1, 0.2], [1.0, 1.0], soft, indefinite),
            lambda: target_and_regularization([0.1, 0.2], soft, indefinite, 0.1),
        ):
            with pytest.raises(InvalidArgument, match=r"beta: got a damping alpha\^-1 beta that adds energy"):
                force()
        rates = np.linalg.eigh(np.linalg.solve(soft, indefinite) + np.linalg.solve(soft, indefinite).T)[1][
            :, 0
        ]
        assert rates @ np.linalg.solve(soft, indefinite) @ rates < 0

    def test_compliance_must_be_symmetric(self):
        with pytest.raises(InvalidArgument, match=r"alpha: got a matrix with max \|A - A\^T\| = 1"):
            target_and_regularization([1.0, 2.0], [[1.0, 1.0], [0.0, 1.0]], 0.0, 0.1)

    def test_shapes(self):
        for name in ("alpha", "beta"):
            square = {"alpha": 1.0, "beta": 0.0, name: np.eye(2)}
            with pytest.raises(InvalidArgument, match=rf"{name}: got shape \(2, 2\), expected a number, or"):
                target_and_regularization(np.ones(3), h=0.1, **square)
        with pytest.raises(InvalidArgument, match=r"alpha: got shape \(3,\)"):
            target_and_regularization([1.0, 2.0], [1.0, 1.0, 1.0], 0.0, 0.1)
        with pytest.raises(InvalidArgument, match="h: got 0"):
            target_and_regularization([1.0], 1.0, 0.0, 0.0)
