"""Body-pair Jacobians against dense ones, contacts of any system, argument errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rbnotes.arguments import InvalidArgument
from rbnotes.contact import BodyPairJacobian, Contacts, contact_axes, tangent_directions
from rbnotes.dynamics import WORLD
from rbnotes.testing.strategies import spd_matrices


@st.composite
def pair_rows(draw):
    """Return rows between up to five bodies and the world, some pairs repeated, as they are in a manifold."""
    bodies, count, k = draw(st.integers(1, 5)), draw(st.integers(0, 6)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    a = rng.integers(-1, bodies, count)
    b = np.where(rng.random(count) < 0.3, WORLD, rng.integers(-1, bodies, count))
    b = np.where(a == b, WORLD, b)
    return BodyPairJacobian(a, b, rng.normal(size=(count, k, 6)), rng.normal(size=(count, k, 6)), bodies)


def dense(rows):
    """Return the matrix, written entry by entry."""
    count, k, _ = rows.block_a.shape
    matrix = np.zeros((count * k, 6 * rows.num_bodies))
    for i in range(count):
        for row in range(k):
            for body, block in ((rows.a[i], rows.block_a), (rows.b[i], rows.block_b)):
                if body >= 0:
                    matrix[k * i + row, 6 * body : 6 * body + 6] = block[i, row]
    return matrix


@given(pair_rows(), st.data())
def test_products_equal_dense_products(rows, data):
    expected = dense(rows)
    assert rows.shape == expected.shape
    assert rows.T.shape == expected.T.shape
    rng = np.random.default_rng(1)
    twists, impulses = rng.normal(size=expected.shape[1]), rng.normal(size=expected.shape[0])
    np.testing.assert_allclose(rows @ twists, expected @ twists, atol=1e-12)
    np.testing.assert_allclose(rows.T @ impulses, expected.T @ impulses, atol=1e-12)
    several = rng.normal(size=(expected.shape[1], 2))
    np.testing.assert_allclose(rows @ several, expected @ several, atol=1e-12)
    np.testing.assert_array_equal(rows.matrix.toarray(), expected)
    np.testing.assert_array_equal(rows.toarray(), expected)
    masses = [data.draw(spd_matrices(6)) for _ in range(rows.num_bodies)]
    inverses = np.linalg.inv(masses)
    mobility = np.zeros((expected.shape[1],) * 2)
    for i, inverse in enumerate(inverses):
        mobility[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = inverse
    W = expected @ mobility @ expected.T
    actual = rows.delassus_matrix(inverses)
    np.testing.assert_allclose(actual.toarray(), W, atol=1e-12 * np.abs(inverses).max() * 100)


def test_world_blocks_are_ignored():
    rows = BodyPairJacobian([0, WORLD], [WORLD, 1], np.ones((2, 1, 6)), np.full((2, 1, 6), 3.0), 3)
    np.testing.assert_array_equal(rows @ np.arange(18.0), [15.0, 3 * 51.0])
    np.testing.assert_array_equal(rows.T @ [1.0, 1.0], np.repeat([1.0, 3.0, 0.0], 6))
    assert rows.matrix.nnz == 12
    for count in (0, 2):
        between_walls = BodyPairJacobian([WORLD] * count, [WORLD] * count, *np.ones((2, count, 3, 6)), 1)
        assert between_walls.matrix.shape == (3 * count, 6)
        assert between_walls.delassus_matrix(np.eye(6)[None]).shape == (3 * count, 3 * count)
        assert between_walls.matrix.nnz == 0


def test_contacts_without_common_body_are_uncoupled():
    one = np.ones((4, 3, 6))
    rows = BodyPairJacobian([0, 1, 2, 3], [WORLD, WORLD, WORLD, 2], one, one, 4)
    W = rows.delassus_matrix(np.tile(np.eye(6), (4, 1, 1)))
    touching = np.zeros((4, 4), dtype=bool)
    touching[[0, 1, 2, 3, 2, 3], [0, 1, 2, 3, 3, 2]] = True
    np.testing.assert_array_equal(W.toarray().reshape(4, 3, 4, 3).any(axis=(1, 3)), touching)
    assert W.nnz == 9 * touching.sum()


def test_tangents_are_orthonormal_and_right_handed():
    normals = np.random.default_rng(4).normal(size=(50, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    first, second = np.moveaxis(tangent_directions(normals), 1, 0)
    frames = np.stack([first, second, normals], axis=1)
    assert np.allclose(frames @ np.swapaxes(frames, 1, 2), np.eye(3))
    assert np.allclose(np.linalg.det(frames), 1)
    assert np.allclose(np.abs(tangent_directions([0, 0, 1])), [[0, 1, 0], [1, 0, 0]])
    np.testing.assert_array_equal(contact_axes(normals)[:, 0], normals)
    np.testing.assert_array_equal(contact_axes(normals)[:, 1:], tangent_directions(normals))


ROWS = np.random.default_rng(5).normal(size=(2, 3, 12))


def test_equivalent_contact_definitions_agree():
    a, b = np.array([0, 1]), np.array([1, 0])
    pairs = BodyPairJacobian(
        a, b, ROWS.reshape(2, 3, 2, 6)[[0, 1], :, a], ROWS.reshape(2, 3, 2, 6)[[0, 1], :, b], 2
    )
    flat = ROWS.reshape(6, 12)
    for contacts in (
        Contacts(ROWS, [0.2, 0.3], 0.1),
        Contacts(flat, [0.2, 0.3], 0.1),
        Contacts(sparse.csc_array(flat), [0.2, 0.3], [0.1, 0.1]),
        Contacts(pairs, [0.2, 0.3], 0.1),
        Contacts.from_directions(ROWS[:, 0], ROWS[:, 1:], [0.2, 0.3], 0.1),
        Contacts.from_directions(sparse.csr_array(ROWS[:, 0]), ROWS[:, 1:], [0.2, 0.3], 0.1),
    ):
        assert contacts.count == 2
        assert contacts.rows.shape == (6, 12)
        matrix, normals = (
            each.toarray() if sparse.issparse(each) else each
            for each in (contacts.matrix, contacts.normal_jacobian)
        )
        np.testing.assert_array_equal(matrix, flat)
        np.testing.assert_array_equal(normals, ROWS[:, 0])
        np.testing.assert_array_equal(contacts.mu, [0.2, 0.3])
        np.testing.assert_array_equal(contacts.normal_target, [0.1, 0.1])


class TestErrors:
    @pytest.mark.parametrize(
        ("name", "change"),
        [
            ("rows", {"rows": [[[0, 0, np.nan]] * 3]}),
            ("rows", {"rows": [0, 0, 1.0]}),
            ("rows", {"rows": [[[1.0, 0, 0], [0, 1.0, 0]]]}),
            ("rows", {"rows": np.zeros((4, 3))}),
            (
                "rows",
                {"rows": BodyPairJacobian([0] * 3, [WORLD] * 3, np.zeros((3, 1, 6)), np.zeros((3, 1, 6)), 1)},
            ),
            ("mu", {"mu": [-0.1]}),
            ("mu", {"mu": [0.1, 0.2]}),
            ("normal_target", {"normal_target": np.inf}),
            ("normal_target", {"normal_target": [0.1, 0.2]}),
        ],
    )
    def test_bad_contacts_are_named(self, name, change):
        with pytest.raises(InvalidArgument, match=name):
            Contacts(**{"rows": np.eye(3), "mu": 0.5, **change})

    @pytest.mark.parametrize("tangents", [[[[1.0, 0, 0]]], [[[1.0, 0], [0, 1.0]]], np.zeros((2, 2, 3))])
    def test_invalid_tangents_are_rejected(self, tangents):
        with pytest.raises(InvalidArgument, match="tangents"):
            Contacts.from_directions([[0, 0, 1.0]], tangents, 0.5)

    def test_bad_pairs_are_named(self):
        block = np.zeros((2, 3, 6))
        for name, arguments in {
            "block_a": ([0, 0], [1, 1], np.zeros((2, 3, 5)), block, 2),
            "block_a, block_b": ([0, 0], [1, 1], block, block[:1], 2),
            "a": ([0, 2], [1, 1], block, block, 2),
            "b": ([0, 0], [1, -2], block, block, 2),
            "b: got list": ([0, 0], [1.0, 1.5], block, block, 2),
        }.items():
            with pytest.raises(InvalidArgument, match=f"^{name}"):
                BodyPairJacobian(*arguments)
        rows = BodyPairJacobian([0, 0], [1, 1], block, block, 2)
        with pytest.raises(InvalidArgument, match="twists"):
            _ = rows @ np.zeros(6)
        with pytest.raises(InvalidArgument, match="impulses"):
            _ = rows.T @ np.zeros(5)
        with pytest.raises(InvalidArgument, match="inverse_masses"):
            rows.delassus_matrix(np.eye(6))
