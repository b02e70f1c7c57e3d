"""Symmetric, positive definite and sparse matrices."""

import re

import numpy as np
import pytest
from checkers import EYE3, assert_refused
from hypothesis import given
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument
from rbnotes.testing.strategies import nearly_singular_spd_matrices, spd_matrices


@given(spd_matrices(4))
def test_symmetric(A):
    def check(name, value):
        return arguments.symmetric(name, value, None)

    np.testing.assert_array_equal(check("thing", A), A)
    rounded = A + 1e-13 * np.triu(np.ones((4, 4)))
    result = check("thing", rounded)
    np.testing.assert_array_equal(result, result.T)
    check("thing", np.stack([1e12 * rounded, A]))
    check("thing", -1e12 * (rounded + 3 * np.eye(4)))
    lopsided = A.copy()
    lopsided[0, 3] += 0.25
    assert_refused(check, lopsided, r"^a matrix with max \|A - A\^T\| = 0\.25$", "^a symmetric matrix$")
    judged_by_its_own_size = np.stack([1e12 * A, lopsided])
    assert_refused(check, judged_by_its_own_size, r"max \|A - A\^T\| = 0\.25$", name="thing[1]")
    check("thing", np.zeros((4, 4)))


@given(spd_matrices(3), nearly_singular_spd_matrices(3))
def test_positive_definite(A, nearly_singular):
    for matrix in (A, nearly_singular, 1e-90 * A, 9e98 * A / np.max(A)):
        np.testing.assert_allclose(arguments.positive_definite("thing", matrix), matrix, rtol=1e-14)
    smallest = np.linalg.eigvalsh(A)[0]
    got = f"^smallest eigenvalue {re.escape(f'{-smallest:.3g}')}$"
    assert_refused(arguments.positive_definite, A - 2 * smallest * EYE3, got, "^a positive definite matrix$")
    stacked = np.stack([1e6 * A, A - 2 * smallest * EYE3])
    assert_refused(arguments.positive_definite, stacked, "^smallest eigenvalue -", name="thing[1]")
    assert_refused(arguments.positive_definite, A + np.triu(np.ones((3, 3)), 1), r"max \|A - A\^T\| = 1$")


@pytest.mark.parametrize(
    "singular",
    [
        np.zeros((3, 3)),
        np.ones((3, 3)),
        np.diag([1.0, 2, 0]),
        np.outer([0.1, 0.7, -0.3], [0.1, 0.7, -0.3]),
        1e12 * np.outer([0.1, 0.7, -0.3], [0.1, 0.7, -0.3]) + np.outer([1.0, 0, 1], [1.0, 0, 1]),
    ],
)
def test_singular_to_rounding_is_not_positive_definite(singular):
    """Rounding makes zero eigenvalues positive or negative."""
    assert_refused(
        arguments.positive_definite, singular, "^smallest eigenvalue", "^a positive definite matrix$"
    )


def test_sparse_matrices():
    dense = np.array([[0.0, 2, 0], [1, 0, -3]])
    for make in (sparse.csr_array, sparse.coo_matrix):
        result = arguments.matrix("thing", make(dense.astype(int)), 2, 3)
        assert isinstance(result, sparse.csc_array)
        assert result.dtype == np.float64
        np.testing.assert_array_equal(result.toarray(), dense)
    original = sparse.csc_array(dense)
    arguments.matrix("thing", original).data[:] = 0
    np.testing.assert_array_equal(original.toarray(), dense)
    for bad, got, expected in (
        (sparse.csc_array(dense * [1, np.nan, 1]), "NaN", "finite"),
        (sparse.csc_array(dense * 1j), "ndarray", "real numbers"),
    ):
        assert_refused(arguments.matrix, bad, got, expected)
    with pytest.raises(InvalidArgument, match=r"thing: got shape \(2, 3\), expected shape \(n, 4\)"):
        arguments.matrix("thing", sparse.csc_array(dense), None, 4)


def test_sparse_matrices_are_copied():
    """Solvers sort indices in place; the caller's unsorted matrix stays unchanged."""
    unsorted = sparse.csc_array((np.array([2.0, 1.0]), np.array([1, 0]), np.array([0, 2, 2])), shape=(2, 2))
    before = unsorted.toarray()
    arguments.matrix("thing", unsorted).sort_indices()
    assert np.array_equal(unsorted.toarray(), before)


def test_results_of_user_functions_are_converted_to_finite_floats():
    """Valid arrays are returned unchanged, numbers become floats, and non-finite values are rejected."""
    for value in (np.eye(2), sparse.csr_array(np.eye(2))):
        assert arguments.matrix_without_copy("thing", value, 2, 2) is value
    assert arguments.matrix_without_copy("thing", [[1, 2]], 1, 2).dtype == np.float64
    for wrong in (np.inf, -np.inf, np.nan):
        with pytest.raises(InvalidArgument, match=r"^thing: got"):
            arguments.matrix_without_copy("thing", np.full((2, 2), wrong), 2, 2)
