"""KKT systems against null-space solves, dense and sparse, with redundant and contradicting rows."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg, sparse

from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.constraints import InconsistentConstraints, factor_kkt, kkt_inverse, kkt_matrix
from rbnotes.constraints.matrices import is_symmetric_unchecked
from rbnotes.testing.strategies import full_rank_matrices, spd_matrices, vectors

N, K = 5, 3
FORMATS = (np.asarray, sparse.csr_array)


def null_space_solution(M, G, b, g):
    """Return v = v0 + Z y with G v0 = g, where Z spans the null space of G; lambda solves the rest."""
    v0, Z = np.linalg.pinv(G) @ g, linalg.null_space(G)
    v = v0 + Z @ np.linalg.solve(Z.T @ M @ Z, Z.T @ (b - M @ v0))
    return v, np.linalg.pinv(G.T) @ (M @ v - b)


def nonsymmetric(M):
    """Return a nonsymmetric matrix that is still positive definite: the skew part does no work."""
    skew = np.triu(np.ones_like(M), 1)
    return M + 0.7 * (skew - skew.T)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("change", [lambda M: M, nonsymmetric])
@given(spd_matrices(N), full_rank_matrices(K, N), vectors(N), vectors(K))
def test_kkt_solution_equals_null_space_solution(form, change, M, G, b, g):
    M = change(M)
    kkt = factor_kkt(form(M), form(G))
    v, multipliers = kkt.solve(b, g)
    expected = null_space_solution(M, G, b, g)
    scale = 1 + np.max(np.abs(expected[0])) + np.max(np.abs(expected[1]))
    np.testing.assert_allclose(v, expected[0], atol=1e-10 * scale)
    np.testing.assert_allclose(multipliers, expected[1], atol=1e-9 * scale)
    assert (kkt.rank, kkt.num_redundant) == (K, 0)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("change", [lambda M: M, nonsymmetric])
@given(spd_matrices(N), full_rank_matrices(2, N), vectors(N), vectors(N), st.sampled_from((-2.0, 0.0, 1.0)))
def test_redundant_rows_give_multipliers_of_least_norm(form, change, M, G, b, v0, factor):
    M = change(M)
    G = np.vstack([G, factor * G[0], G[0] + G[1]])
    kkt = factor_kkt(form(M), form(G))
    v, multipliers = kkt.solve(b, G @ v0)
    expected = null_space_solution(M, G, b, G @ v0)
    scale = 1 + np.max(np.abs(expected[0])) + np.max(np.abs(expected[1]))
    assert (kkt.rank, kkt.num_redundant) == (2, 2)
    np.testing.assert_allclose(v, expected[0], atol=1e-9 * scale)
    # pinv gives the shortest of all multipliers that fit.
    np.testing.assert_allclose(multipliers, expected[1], atol=1e-6 * scale)
    np.testing.assert_allclose(M @ v, b + G.T @ multipliers, atol=1e-9 * scale)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("ratio", [1e-2, 1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("change", [lambda M: M, nonsymmetric, lambda M: 1e-6 * M])
def test_small_rows_are_satisfied_as_accurately_as_large_ones(form, ratio, change):
    """Rows in other units, and rows of light and of heavy bodies: sparse factors once missed the smaller ones
    in silence, or called them redundant and contradictory."""
    M = change(np.diag([1.0, 2.0, 3.0, 4.0]))
    G, g = np.array([[1.0, 0.0, 0.0, 0.5], [0.0, ratio, 0.0, 0.0]]), np.array([0.25, -ratio])
    b = np.array([1.0, 0.5, -2.0, 3.0])
    expected = null_space_solution(M, G / [[1.0], [ratio]], b, g / [1.0, ratio])
    kkt = factor_kkt(form(M), form(G))
    v, multipliers = kkt.solve(b, g)
    np.testing.assert_allclose(v, expected[0], atol=1e-9)
    np.testing.assert_allclose(multipliers * [1.0, ratio], expected[1], atol=1e-8)
    assert kkt.rank == 2

    weights = np.array([1.0, 1 / ratio, 1.0, 1.0])
    M, rows = M * np.sqrt(weights) * np.sqrt(weights)[:, None], np.eye(2, 4)
    v, multipliers = factor_kkt(form(M), form(rows)).solve(b, [0.5, -1.0])
    np.testing.assert_allclose(v[:2], [0.5, -1.0], atol=1e-9)
    np.testing.assert_allclose(multipliers, (M @ v - b)[:2], rtol=1e-6)


@pytest.mark.parametrize("form", FORMATS)
def test_contradicting_rows_are_named(form):
    G = np.array([[1.0, 0, 0], [2.0, 0, 0]])
    kkt = factor_kkt(form(np.diag([1.0, 2, 3])), form(G))
    np.testing.assert_allclose(kkt.solve(np.zeros(3), [1.0, 2.0])[0], [1, 0, 0], atol=1e-12)
    with pytest.raises(InconsistentConstraints, match="g: got values that redundant rows of G miss by"):
        kkt.solve(np.zeros(3), [1.0, 1.0])


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_contradiction_tolerance_is_relative_to_the_free_motion(form, unit):
    """In any unit of the rows, rounding of targets that should be zero is not a contradiction."""
    G = unit * np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0]])
    kkt = factor_kkt(form(np.diag([1.0, 2.0, 3.0])), form(G))
    b = np.array([1.0, 1.0, 1.0])
    kkt.solve(b, unit * np.array([0.0, 1e-11]))
    with pytest.raises(InconsistentConstraints):
        kkt.solve(b, unit * np.array([0.0, 1e-4]))


@pytest.mark.parametrize("form", FORMATS)
def test_cancelling_terms_do_not_look_contradictory(form):
    """Two equal rows fix the sum of opposite motions at zero: rounding of the sum is not a contradiction."""
    M, G = np.diag([1.0, 3.0]), np.array([[1.0, 1.0], [0.3, 0.3]])
    b = M @ np.array([1.0, -1.0]) * 1e3 / 7
    v, _ = factor_kkt(form(M), form(G)).solve(b, [1e-13, 0.0])
    np.testing.assert_allclose(v, np.array([1e3, -1e3]) / 7, rtol=1e-12)


@pytest.mark.parametrize("other", range(1, 6))
def test_any_pair_of_redundant_rows_is_found(other):
    """Also in a sparse matrix, where a few random vectors detect redundancy."""
    G = np.eye(6, 7)
    G[other] = G[0]
    assert factor_kkt(sparse.csr_array(np.eye(7)), sparse.csr_array(G)).rank == 5


def test_number_of_redundant_rows():
    """More redundant rows than one batch of the detection."""
    G = np.eye(300, 400)
    G[[290, 291, 292]] = G[[3, 280, 5]]
    assert factor_kkt(sparse.csr_array(np.eye(400)), sparse.csr_array(G)).rank == 297


@pytest.mark.parametrize("form", FORMATS)
def test_redundant_rows_can_raise(form):
    G = form(np.array([[1.0, 1, 0], [2.0, 2, 0], [0, 0, 1]]))
    with pytest.raises(SingularConfiguration, match="G: got rank 2 with 3 rows, expected independent rows"):
        factor_kkt(form(np.eye(3)), G, redundancy="raise")
    with pytest.raises(InvalidArgument, match="redundancy"):
        factor_kkt(form(np.eye(3)), G, redundancy="ignore")


@given(spd_matrices(N), full_rank_matrices(K, N))
def test_inverse_and_matrix(M, G):
    matrix = kkt_matrix(M, G)
    np.testing.assert_array_equal(matrix, np.block([[M, -G.T], [G, np.zeros((K, K))]]))
    np.testing.assert_array_equal(kkt_matrix(sparse.csr_array(M), G).toarray(), matrix)
    inverse = np.linalg.inv(matrix)
    np.testing.assert_allclose(kkt_inverse(M, G), inverse, atol=1e-10 * np.max(np.abs(inverse)))


@pytest.mark.parametrize("form", FORMATS)
@given(spd_matrices(N), full_rank_matrices(K, N), st.lists(vectors(N), min_size=2, max_size=2))
def test_several_right_sides(form, M, G, columns):
    kkt = factor_kkt(form(M), form(G))
    b = np.stack(columns, axis=1)
    v, multipliers = kkt.solve(b)
    for j in range(2):
        alone = kkt.solve(b[:, j])
        np.testing.assert_allclose(v[:, j], alone[0], atol=1e-11)
        np.testing.assert_allclose(multipliers[:, j], alone[1], atol=1e-9)


@pytest.mark.parametrize("form", FORMATS)
def test_no_constraints(form):
    kkt = factor_kkt(form(np.diag([2.0, 4.0])))
    v, multipliers = kkt.solve([2.0, 2.0])
    np.testing.assert_allclose(v, [1, 0.5])
    assert multipliers.shape == (0,)


def test_pendulum_chain_of_many_particles():
    """A pendulum of 400 links, hanging straight down: the uppermost rod carries all the weight."""
    n = 400
    rows = np.arange(n)
    G = sparse.coo_array(
        (
            np.concatenate([np.ones(n), -np.ones(n - 1)]),
            (np.concatenate([rows, rows[1:]]), np.concatenate([2 * rows + 1, 2 * rows[:-1] + 1])),
        ),
        shape=(n, 2 * n),
    )
    weights = np.tile([0.0, -9.81], n)
    v, multipliers = factor_kkt(sparse.eye_array(2 * n), G).solve(weights)
    np.testing.assert_allclose(v, 0, atol=1e-9)
    np.testing.assert_allclose(multipliers, 9.81 * np.arange(n, 0, -1), rtol=1e-9)


@pytest.mark.parametrize("form", FORMATS)
def test_bad_arguments(form):
    with pytest.raises(SingularConfiguration, match="M: got"):
        factor_kkt(form(np.diag([1.0, -1.0])))
    with pytest.raises(SingularConfiguration, match="M: got"):
        factor_kkt(form(np.array([[1.0, 2.0], [2.0, 4.0]])))
    with pytest.raises(InvalidArgument, match=r"M: got shape \(2, 3\), expected a square matrix"):
        factor_kkt(form(np.ones((2, 3))))
    with pytest.raises(InvalidArgument, match=r"G: got shape \(1, 3\)"):
        factor_kkt(form(np.eye(2)), form(np.ones((1, 3))))
    with pytest.raises(InvalidArgument, match="M: got NaN"):
        factor_kkt(form(np.array([[np.nan]])))
    kkt = factor_kkt(form(np.eye(2)), form(np.ones((1, 2))))
    with pytest.raises(InvalidArgument, match=r"b: got shape \(3,\)"):
        kkt.solve(np.ones(3))
    with pytest.raises(InvalidArgument, match=r"g: got shape \(2,\)"):
        kkt.solve(np.ones(2), np.ones(2))


def test_symmetry_is_detected():
    M = np.diag([1.0, 2.0, 3.0])
    assert is_symmetric_unchecked(M)
    assert is_symmetric_unchecked(sparse.csr_array(M))
    M[0, 2] = 1e-6
    assert not is_symmetric_unchecked(M)
    assert not is_symmetric_unchecked(sparse.csr_array(M))


@pytest.mark.parametrize("form", [np.array, sparse.csc_array])
@pytest.mark.parametrize("skew", [0.0, 0.3])
@pytest.mark.parametrize("rows", [np.zeros((0, 4)), np.eye(4)[:2], [[1.0, 2, 0, 0], [2, 4, 0, 0]]])
@pytest.mark.parametrize("twin", [lambda kkt: pickle.loads(pickle.dumps(kkt)), copy.deepcopy])
def test_factors_pickle_and_copy(form, skew, rows, twin):
    M = np.diag([1.0, 2, 3, 4])
    M[0, 1], M[1, 0] = 0.5 + skew, 0.5 - skew
    G = np.array(rows)
    kkt = factor_kkt(form(M), form(G))
    b, g = np.arange(1.0, 5.0), G @ np.ones(4)
    again = twin(kkt)
    assert (again.rank, again.size, again.num_constraints) == (kkt.rank, 4, len(G))
    for actual, expected in zip(again.solve(b, g), kkt.solve(b, g), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-13, atol=1e-13)
