"""Sequential impulses: convergence to the KKT solution, its rate, friction of one contact."""

import numpy as np
import pytest
from hypothesis import given

from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.constraints import factor_kkt
from rbnotes.constraints.sequential_impulses import (
    equality_gauss_seidel,
    friction_impulse,
    solve_single_constraint,
)
from rbnotes.testing.strategies import (
    full_rank_matrices,
    numbers,
    positive_numbers,
    spd_matrices,
    vectors,
)


@pytest.mark.slow
@given(spd_matrices(5), full_rank_matrices(2, 5), vectors(5), vectors(2))
def test_converges_to_the_kkt_solution(M, N, v0, c):
    result = equality_gauss_seidel(np.linalg.inv(M), N, c, v0, sweeps=5000)
    v, impulses = factor_kkt(M, N).solve(M @ v0, c)
    np.testing.assert_allclose(result.v, v, atol=1e-6)
    np.testing.assert_allclose(result.impulses, impulses, atol=1e-5)
    np.testing.assert_allclose(M @ (result.v - v0), N.T @ result.impulses, atol=1e-9)


def test_rate_is_that_of_the_iteration_matrix():
    rng = np.random.default_rng(0)
    N, M_inverse = rng.normal(size=(4, 6)), np.diag(rng.uniform(0.5, 2, 6))
    A = N @ M_inverse @ N.T
    expected = np.max(np.abs(np.linalg.eigvals(np.linalg.solve(np.tril(A), np.triu(A, 1)))))
    result = equality_gauss_seidel(M_inverse, N, rng.normal(size=4), rng.normal(size=6), sweeps=60)
    assert result.convergence_rate == pytest.approx(expected, rel=0.05)


def test_warm_start_and_repeated_rows():
    M_inverse, v0 = np.eye(3), np.array([1.0, 2.0, 3.0])
    N = np.array([[1.0, 0, 0], [1.0, 0, 0], [0, 1.0, 1.0]])
    first = equality_gauss_seidel(M_inverse, N, 0.0, v0)
    np.testing.assert_allclose(N @ first.v, 0, atol=1e-14)
    again = equality_gauss_seidel(M_inverse, N, 0.0, v0, sweeps=1, initial_impulses=first.impulses)
    np.testing.assert_allclose(again.v, first.v, atol=1e-14)


@given(spd_matrices(4), vectors(4).filter(lambda g: g @ g > 0.1), vectors(4), numbers())
def test_a_single_constraint_is_satisfied(M, G, v0, gamma):
    v, impulse = solve_single_constraint(np.linalg.inv(M), G, gamma, v0)
    np.testing.assert_allclose(G @ v, gamma, atol=1e-10)
    np.testing.assert_allclose(M @ (v - v0), G * impulse, atol=1e-9)


@given(vectors(3, -4, 4), positive_numbers(), positive_numbers(0, 2))
def test_friction_is_maximally_dissipative(v_t, w, limit):
    impulse = friction_impulse(v_t, w, limit)
    after = v_t + w * impulse
    assert np.all(np.abs(impulse) <= limit)
    assert np.all(np.abs(after) <= np.abs(v_t) + 1e-14)
    stuck = np.abs(v_t) <= w * limit
    np.testing.assert_allclose(after[stuck], 0, atol=1e-13)
    np.testing.assert_allclose(impulse[~stuck], -np.sign(v_t[~stuck]) * limit)


def test_stopping_distance_of_a_block():
    m, mu, g, h, v, x = 2.0, 0.4, 9.81, 1e-3, 3.0, 0.0
    while v > 0:
        v += friction_impulse(v, 1 / m, mu * m * g * h) / m
        x += h * v
    assert x == pytest.approx(3.0**2 / (2 * mu * g), rel=2e-3)
    assert v == 0


class TestErrors:
    def test_invalid_arguments_are_named(self):
        with pytest.raises(SingularConfiguration, match="N: got zeros in row 1"):
            equality_gauss_seidel(np.eye(2), [[1.0, 0.0], [0.0, 0.0]], 0.0, np.ones(2))
        with pytest.raises(SingularConfiguration, match="G: got a row of zeros"):
            solve_single_constraint(np.eye(2), np.zeros(2), 0.0, np.ones(2))
        with pytest.raises(InvalidArgument, match="M_inverse: got smallest eigenvalue"):
            equality_gauss_seidel(-np.eye(2), np.eye(2), 0.0, np.ones(2))
        with pytest.raises(InvalidArgument, match=r"N: got shape \(2, 3\)"):
            equality_gauss_seidel(np.eye(2), np.ones((2, 3)), 0.0, np.ones(2))
        with pytest.raises(InvalidArgument, match="sweeps: got 0"):
            equality_gauss_seidel(np.eye(2), np.eye(2), 0.0, np.ones(2), sweeps=0)
        with pytest.raises(InvalidArgument, match="limit: got -1"):
            friction_impulse(1.0, 1.0, -1.0)
        with pytest.raises(InvalidArgument, match="w: got 0"):
            friction_impulse(1.0, 0.0, 1.0)
