"""Counted multiplications, of calculations whose number is known."""

import numpy as np
import pytest

from rbnotes.testing import count_multiplications

RNG = np.random.default_rng(0)
A, B, x = RNG.normal(size=(3, 4)), RNG.normal(size=(4, 5)), RNG.normal(size=4)


def internal_copy(array):
    """Return the same numbers in an array that is made during the call."""
    result = np.zeros(array.shape)
    result[:] = array
    return result


@pytest.mark.parametrize(
    ("calculation", "count"),
    [
        (lambda: internal_copy(A) @ B, 60),
        (lambda: A @ internal_copy(x), 12),
        (lambda: internal_copy(x) @ x, 4),
        (lambda: (internal_copy(A).T @ A) @ (2 * internal_copy(B)), 48 + 20 + 80),
        (lambda: internal_copy(A) + A - A, 0),
        (lambda: internal_copy(A) / 3 * A, 24),
        (lambda: np.ones((7, 3, 4)) @ np.ones((4, 5)), 7 * 60),
        (lambda: np.einsum("ij,jk->ik", internal_copy(A), B), 60),
        (lambda: np.einsum("...ij,...j->...i", np.ones((7, 3, 4)), x), 7 * 12),
        (lambda: np.linalg.solve(np.eye(4), B), 64),
        (lambda: np.stack([internal_copy(x), x]) @ x, 8),
        (lambda: np.swapaxes(internal_copy(A), 0, 1) @ A, 48),
        (lambda: np.linalg.eigh(np.eye(4))[1] @ x, 64 + 16),
        (lambda: A @ B, 0),  # nothing is made during the call
    ],
)
def test_known_operation_counts(calculation, count):
    assert count_multiplications(calculation) == count


def test_in_place_operations():
    def calculation():
        result = np.zeros(4)
        result += internal_copy(x) @ x
        result *= 3
        result[1:] += A[:, 1:].T @ np.ones(3)

    assert count_multiplications(calculation) == 4 + 4 + 9


def test_counting_does_not_change_results():
    solutions = []
    count_multiplications(lambda: solutions.append(np.linalg.solve(np.eye(4) + internal_copy(B) @ B.T, x)))
    np.testing.assert_allclose(np.asarray(solutions[0]), np.linalg.solve(np.eye(4) + B @ B.T, x), rtol=1e-14)


def test_numpy_is_restored():
    zeros = np.zeros
    with pytest.raises(np.linalg.LinAlgError):
        count_multiplications(lambda: np.linalg.inv(np.zeros((2, 2))))
    assert np.zeros is zeros
    assert type(np.zeros(3)) is np.ndarray


def test_cached_arrays_count_in_later_calls():
    cache = []
    assert count_multiplications(lambda: cache.append(internal_copy(A) @ B)) == 60
    assert count_multiplications(lambda: cache[0] @ B.T) == 60
    assert count_multiplications(lambda: np.ones((2, 3)) @ cache[0]) == 30
