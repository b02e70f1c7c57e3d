"""Factorizations of small padded matrices against NumPy, of sizes below and above a vector of eight."""

import numpy as np
import pytest
from numba import njit

from rbnotes.compiled.padded_matrices import (
    factor_by_elimination,
    factor_cholesky,
    multiply,
    multiply_columns,
    multiply_transposed,
    padded_size,
    solve_by_substitution,
    solve_inward,
    solve_inward_columns,
    solve_outward,
    sum_squares,
)

SIZES = (1, 7, 8, 9, 20)


@njit(error_model="numpy")
def eliminate(A, columns, pivots, inverse_pivots, x):
    """Solve a system; return False if it is singular."""
    if not factor_by_elimination(A, columns, pivots, inverse_pivots):
        return False
    solve_by_substitution(columns, pivots, inverse_pivots, x)
    return True


@njit(error_model="numpy")
def solve_definite(L, inverse_pivots, x, X, W):
    """Solve a definite system in place, and write ``X^T M^-1 X``; return False if it is not definite."""
    if not factor_cholesky(L, inverse_pivots):
        return False
    solve_inward(L, inverse_pivots, x)
    solve_outward(L, inverse_pivots, x)
    solve_inward_columns(L, inverse_pivots, X)
    multiply_columns(X, W)
    return True


@njit(error_model="numpy")
def products(A, x, y, weights, along, across, squares):
    """Write ``A x``, ``A^T y``, and the weighted sums of squares of the columns."""
    multiply(A, x, along)
    multiply_transposed(A, y, across)
    sum_squares(A, weights, squares)
    return padded_size(len(A))


def padded(A):
    """Return a matrix or a vector with rows padded by zeros to a multiple of eight numbers."""
    return np.pad(A, [(0, 0)] * (A.ndim - 1) + [(0, -A.shape[-1] % 8)])


def sparse_mass_matrix(rng, size):
    """Return a definite matrix in which two branches of coordinates are not coupled."""
    factor = np.tril(rng.normal(size=(size, size))) + 3 * np.eye(size)
    factor[size // 2 + 1 :, size // 3 : size // 2 + 1] = 0.0
    return factor.T @ factor


@pytest.mark.parametrize("size", SIZES)
def test_elimination_with_zero_pivots(size):
    rng = np.random.default_rng(size)
    A, b = rng.normal(size=(size, size)), rng.normal(size=size)
    A[0, 0], A[size // 2 :, 0] = 0.0 if size > 1 else 2.0, 0.5
    A[0, size // 2 :] = 1.5
    columns, x = np.zeros(padded(A).shape), padded(b)
    assert eliminate(padded(A), columns, np.zeros(size, np.int64), np.zeros(size), x)
    np.testing.assert_allclose(x[:size], np.linalg.solve(A, b), rtol=1e-9)
    assert not np.any(x[size:])


def test_singular_matrices_are_reported():
    A = np.ones((3, 3))
    assert not eliminate(padded(A), np.zeros((3, 8)), np.zeros(3, np.int64), np.zeros(3), np.zeros(8))
    assert not solve_definite(padded(-A), np.zeros(3), np.zeros(8), np.zeros((3, 8)), np.zeros((2, 8)))


@pytest.mark.parametrize("size", SIZES)
def test_cholesky_factors_of_a_matrix_with_branches(size):
    rng = np.random.default_rng(size)
    M, b, X = sparse_mass_matrix(rng, size), rng.normal(size=size), rng.normal(size=(size, 5))
    x, W = padded(b), np.zeros((5, 8))
    L = padded(M)
    L[np.triu_indices(size, 1)] = np.nan  # not read
    assert solve_definite(L, np.zeros(size), x, padded(X), W)
    np.testing.assert_allclose(x[:size], np.linalg.solve(M, b), rtol=1e-9)
    np.testing.assert_allclose(W[:, :5], X.T @ np.linalg.solve(M, X), rtol=1e-9, atol=1e-12)
    if size > 8:
        assert not np.any(L[size // 2 + 1 :, size // 3 : size // 2 + 1])  # no fill-in


@pytest.mark.parametrize("size", SIZES)
def test_products(size):
    rng = np.random.default_rng(size)
    A, x, y, weights = rng.normal(size=(size, 11)), rng.normal(size=11), *rng.normal(size=(2, size))
    along, across, squares = np.zeros(size), np.zeros(16), np.zeros(16)
    assert products(padded(A), padded(x), y, weights, along, across, squares) == padded(y).size
    np.testing.assert_allclose(along, A @ x, atol=1e-12)
    np.testing.assert_allclose(across, padded(A.T @ y), atol=1e-12)
    np.testing.assert_allclose(squares, padded(weights @ A**2), atol=1e-12)
