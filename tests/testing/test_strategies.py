"""Strategies: valid draws, distance from singularities, readable shrunk values."""

from random import Random

import numpy as np
import pytest
from hypothesis import find, given, seed, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rbnotes import arguments
from rbnotes.testing import SEED, strategies

EXPECTED_INPUTS = {
    "rotation": (strategies.rotations, arguments.rotation),
    "unit quaternion": (strategies.unit_quaternions, arguments.unit_quaternion),
    "frame": (strategies.frames, arguments.frame),
    "rotation vector": (strategies.rotation_vectors, arguments.vector),
}
ANGLES = ("any", "small", "near_pi", "large")
OFFSETS = [10.0**-k for k in range(2, 11)]


def draws(strategy, count=100):
    """Return the first examples of a search, always the same."""
    examples = []

    @seed(SEED)
    @settings(max_examples=count, database=None)
    @given(strategy)
    def draw(value):
        examples.append(value)

    draw()
    return examples


def simplest(strategy, condition=lambda value: True):
    options = settings(database=None, max_examples=500)
    return find(strategy, condition, settings=options, random=Random(SEED))


def on_grid(values):
    return np.array_equal(np.asarray(values) * 64, np.round(np.asarray(values) * 64))


@given(st.data(), st.sampled_from([(-2.0, 2.0), (0.0, 3.0), (0.99, 2.0), (0.96, 0.98), (-7.5, -7.0)]))
def test_numbers_stay_within_their_limits(data, limits):
    number = data.draw(strategies.numbers(*limits))
    assert isinstance(number, float)
    assert limits[0] <= number <= limits[1]
    assert on_grid(number)


@given(strategies.positive_numbers(), strategies.masses())
def test_positive_numbers(number, mass):
    assert 0.25 <= number <= 4
    assert 0.25 <= mass <= 4


@given(strategies.vectors(5), strategies.twists(), strategies.matrices(2, 3))
def test_vectors_and_matrices(vector, twist, matrix):
    for value, shape in ((vector, (5,)), (twist, (6,)), (matrix, (2, 3))):
        assert value.shape == shape
        assert value.dtype == np.float64
        assert on_grid(value)
        assert np.max(np.abs(value)) <= 2


@given(strategies.nonzero_vectors(2), strategies.nonzero_vectors(3, 1.5), strategies.unit_vectors(4))
def test_lengths(default, long, unit):
    assert np.linalg.norm(default) >= 0.25
    assert np.linalg.norm(long) >= 1.5
    assert arguments.unit_vector("unit", unit, 4).shape == (4,)
    np.testing.assert_allclose(np.linalg.norm(unit), 1, rtol=1e-14)


@given(strategies.full_rank_matrices(2, 4), strategies.full_rank_matrices(3, 3))
def test_full_rank(wide, square):
    for A in (wide, square):
        assert np.linalg.svd(A, compute_uv=False)[-1] >= 0.2


@pytest.mark.parametrize("size", [1, 2, 5])
@given(data=st.data())
def test_spd(size, data):
    A = arguments.positive_definite("A", data.draw(strategies.spd_matrices(size)), size)
    assert np.linalg.eigvalsh(A)[0] >= 0.5 * (1 - 1e-14)


@pytest.mark.parametrize("size", [1, 2, 5])
@given(data=st.data())
def test_nearly_singular_spd(size, data):
    A = data.draw(strategies.nearly_singular_spd_matrices(size))
    smallest = np.linalg.eigvalsh(arguments.positive_definite("A", A, size))[0]
    assert np.min(np.abs(smallest - OFFSETS) / OFFSETS) < 1e-4


@given(strategies.inertias())
def test_inertias_are_those_of_bodies(inertia):
    arguments.positive_definite("inertia", inertia)
    smallest, middle, largest = np.linalg.eigvalsh(inertia)
    assert smallest + middle >= largest


@pytest.mark.parametrize("angles", ANGLES)
@pytest.mark.parametrize(("strategy", "check"), EXPECTED_INPUTS.values(), ids=EXPECTED_INPUTS)
@given(data=st.data())
def test_valid_for_every_choice_of_angles(strategy, check, angles, data):
    check("value", data.draw(strategy(angles)))


@given(strategies.rotation_vectors(), strategies.rotation_vectors("small"))
def test_angles_that_are_any_or_small(any_vector, small):
    assert np.linalg.norm(any_vector) <= np.pi * (1 + 1e-14)
    angle = np.linalg.norm(small)
    assert np.min(np.abs(angle - OFFSETS) / OFFSETS) < 1e-14


@given(strategies.rotation_vectors("near_pi"), strategies.rotation_vectors("large"))
def test_angles_that_are_near_pi_or_large(near_pi, large):
    left = np.pi - np.linalg.norm(near_pi)
    assert np.min(np.abs(left - OFFSETS)) < 2e-14
    assert np.pi < np.linalg.norm(large) <= 4 * np.pi


@pytest.mark.slow
def test_large_angles_reach_two_turns():
    simplest(strategies.rotation_vectors("large"), lambda w: np.linalg.norm(w) > 3.5 * np.pi)


@given(strategies.rotations("small"), strategies.unit_quaternions("near_pi"), strategies.frames("near_pi"))
def test_choice_of_angles_reaches_rotations_quaternions_and_frames(R, q, E):
    assert 0 < Rotation.from_matrix(R).magnitude() <= 0.0101
    assert 0 < abs(q[0]) <= 0.0051
    assert np.pi - 0.0101 <= Rotation.from_matrix(E[:3, :3]).magnitude() <= np.pi


def test_all_regions_of_angles_are_drawn():
    """Both signs of a quaternion, no turn, half turns, every small angle, and mostly generic rotations."""
    quaternions = np.array(draws(strategies.unit_quaternions()))
    assert np.any(quaternions[:, 0] > 0.1)
    assert np.any(quaternions[:, 0] < -0.1)
    angles = np.linalg.norm(draws(strategies.rotation_vectors()), axis=-1)
    assert np.any(angles == 0)
    assert 2 <= np.sum(np.isclose(angles, np.pi)) <= 50
    assert np.sum((angles > 0.2) & (angles < 3.1)) >= 40
    small = np.linalg.norm(draws(strategies.rotation_vectors("small"), 400), axis=-1)
    assert len(np.unique(np.round(np.log10(small)))) == len(OFFSETS)
    axes = np.array([r / np.linalg.norm(r) for r in draws(strategies.rotation_vectors("small"))])
    assert np.linalg.matrix_rank(axes) == 3


SIMPLEST = {
    "numbers": (strategies.numbers(), 0),
    "numbers above": (strategies.numbers(0.99, 2), 1),
    "positive numbers": (strategies.positive_numbers(), 0.25),
    "vectors": (strategies.vectors(), [0, 0, 0]),
    "nonzero vectors": (strategies.nonzero_vectors(2), [0, 0.25]),
    "unit vectors": (strategies.unit_vectors(), [0, 0, 1]),
    "matrices": (strategies.matrices(2, 2), np.zeros((2, 2))),
    "spd": (strategies.spd_matrices(2), 0.5 * np.eye(2)),
    "nearly singular": (strategies.nearly_singular_spd_matrices(2), 0.01 * np.eye(2)),
    "rotation vectors": (strategies.rotation_vectors(), [0, 0, 0]),
    "rotations": (strategies.rotations(), np.eye(3)),
    "unit quaternions": (strategies.unit_quaternions(), [1, 0, 0, 0]),
    "frames": (strategies.frames(), np.eye(4)),
    "inertias": (strategies.inertias(), np.eye(3)),
}


@pytest.mark.slow
@pytest.mark.parametrize(("strategy", "expected"), SIMPLEST.values(), ids=SIMPLEST)
def test_simplest_value(strategy, expected):
    np.testing.assert_array_equal(simplest(strategy), expected)


@pytest.mark.slow
def test_counterexamples_shrink_to_small_readable_values():
    np.testing.assert_array_equal(simplest(strategies.vectors(), lambda v: v[1] > 1.1), [0, 71 / 64, 0])
    # A condition on two numbers leaves the others zero.
    v = simplest(strategies.vectors(4), lambda v: v[0] * v[3] > 0.5)
    np.testing.assert_array_equal(v[1:3], 0)
    # The wrong sign of the axis shows on a turn about one of the axes, not on a half turn, which hides it.
    R = simplest(strategies.rotations(), lambda R: np.abs(R - R.T).max() > 0.5)
    assert np.sum(R == 0) >= 4
    assert np.trace(R) > 2.5
    q = simplest(strategies.unit_quaternions(), lambda q: q[0] < -0.1)
    np.testing.assert_array_equal(q, [-1, 0, 0, 0])
    # Only near_pi and any reach half turns.
    vector = simplest(strategies.rotation_vectors(), lambda w: np.linalg.norm(w) > 3.1)
    np.testing.assert_array_equal(vector, [0, 0, np.pi])


def test_arrays_are_multiples_of_the_grid_within_two():
    values = np.array(draws(strategies.arrays(4, 3)))
    assert values.shape[1:] == (4, 3)
    assert on_grid(values)
    assert -2 <= values.min() < -1 < 1 < values.max() < 2
    assert np.array_equal(simplest(strategies.arrays(2, 2)), np.zeros((2, 2)))
    assert simplest(strategies.arrays(3), lambda x: x[1] < -0.5)[1] >= -2


class TestRegions:
    """The same draws, mapped to regions where formulas lose accuracy."""

    @staticmethod
    def drawn_in(name, strategy, count=150):
        with strategies.region(name):
            return np.array(draws(strategy, count))

    def test_large_numbers_are_ten_to_a_thousand_times_as_large(self):
        large = np.abs(self.drawn_in("large", strategies.vectors(4))).max(axis=1)
        for low, high in ((0, 3), (3, 25), (25, 250), (250, 2500)):
            assert np.any((large > low) & (large <= high))
        assert large.max() <= 2000
        assert np.abs(self.drawn_in("large", strategies.arrays(2, 2))).max() > 250

    def test_positive_numbers_are_large_too_and_angles_are_not(self):
        positive = self.drawn_in("large", strategies.positive_numbers())
        for low, high in (5, 40), (40, 400), (400, 4000):
            assert np.any((positive > low) & (positive <= high))
        assert positive.min() > 0
        assert self.drawn_in("large", strategies.numbers(0, 3)).max() <= 3

    def test_large_numbers_stay_within_their_bounds(self):
        assert self.drawn_in("large", strategies.numbers(-1.0, 2.0)).max() <= 2

    def test_angles_near_pi_are_below_pi(self):
        vectors = np.linalg.norm(self.drawn_in("near pi", strategies.vectors(3, -4.0, 4.0)), axis=1)
        angles = self.drawn_in("near pi", strategies.numbers(0.0, 3.0))
        for near_pi in (vectors[vectors > 0], angles[angles > 0]):
            assert np.all(near_pi < np.pi)
            short = np.pi - near_pi
            assert np.array_equal(np.unique(np.round(np.log10(short))), np.arange(-8, 0))

    def test_one_coordinate_is_near_a_singular_angle(self):
        ordinary, near = (self.drawn_in(name, strategies.vectors(4)) for name in ("non-dyadic", "near pi"))
        assert np.all(np.sum(near != ordinary, axis=1) == 1)
        rows, columns = np.nonzero(near != ordinary)
        assert set(columns) == {0, 1, 2, 3}
        singular = near[rows, columns]
        assert np.array_equal(np.signbit(singular), np.signbit(ordinary[rows, columns]))
        quarter = np.abs(singular) < np.pi / 2
        assert 0 < quarter.sum() < len(quarter)
        short = np.where(quarter, np.pi / 2, np.pi) - np.abs(singular)
        assert np.array_equal(np.unique(np.round(np.log10(short))), np.arange(-8, 0))

    def test_angles_avoid_singularities_in_other_regions(self):
        """Only the regions about singularities come as near as drawn."""
        far = strategies.nonsingular_rotation_vectors(strategies.rotation_vectors(), 0.5, 2.0)
        angles = {
            name: np.linalg.norm(self.drawn_in(name, far, 60), axis=1)
            for name in ("non-dyadic", "degenerate")
        }
        assert all(0.5 <= each.min() <= each.max() <= 2.0 for each in angles.values())
        near = strategies.nonsingular_rotation_vectors(strategies.rotation_vectors("near_pi"), 0.5, 2.0)
        assert np.linalg.norm(self.drawn_in("near pi", near, 20), axis=1).min() > 2.0
        tiny = strategies.nonsingular_rotation_vectors(strategies.rotation_vectors("small"), 0.5, 2.0)
        lengths = np.linalg.norm(self.drawn_in("tiny", tiny, 20), axis=1)
        assert 0 < lengths.min() <= lengths.max() < 0.5

    def test_tenths_are_rounded_within_their_limits(self):
        ordinary, tenths = (self.drawn_in(name, strategies.arrays(4)) for name in ("generic", "tenths"))
        np.testing.assert_allclose(10 * tenths, np.round(10 * ordinary), atol=1e-12)
        positive = self.drawn_in("tenths", strategies.positive_numbers(0.25, 0.45), 60)
        assert np.array_equal(np.unique(positive), [0.3, 0.4])
        masses = self.drawn_in("tenths", strategies.spd_matrices(5))
        assert np.array_equal(masses, np.round(masses, 1))
        assert np.linalg.eigvalsh(masses).min() > 0.2

    def test_tenths_give_directions_and_rotations_of_few_decimals(self):
        directions = self.drawn_in("tenths", strategies.unit_vectors(), 50)
        quaternions = self.drawn_in("tenths", strategies.unit_quaternions(), 50)
        rotations = self.drawn_in("tenths", strategies.rotations(), 50)
        for values, decimals in ((directions, 2), (quaternions, 1), (rotations, 2)):
            assert np.array_equal(values, np.round(values, decimals))
            assert len(np.unique(values, axis=0)) > 10
        np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1, atol=1e-15)
        np.testing.assert_allclose(np.linalg.norm(quaternions, axis=1), 1, atol=1e-15)
        identity = np.broadcast_to(np.eye(3), rotations.shape)
        np.testing.assert_allclose(rotations @ np.swapaxes(rotations, 1, 2), identity, atol=1e-15)
        np.testing.assert_allclose(np.linalg.det(rotations), 1, atol=1e-15)
        near = self.drawn_in("generic", strategies.rotations(), 50)
        angles = np.arccos(np.clip((np.einsum("nij,nij->n", near, rotations) - 1) / 2, -1, 1))
        assert np.max(angles) < 0.8

    def test_rounded_inputs_of_records_are_unchanged_elsewhere_and_have_few_decimals_in_tenths(self):
        vectors = np.array([[[0.9, -1.2, 0.4], [1.5, 0.3, -2.0]], [[0.0, 2.9, 0.7], [-1.1, 0.2, 0.6]]])
        E = np.tile(np.eye(4), (2, 2, 1, 1))
        E[..., :3, :3] = Rotation.from_rotvec(vectors.reshape(-1, 3)).as_matrix().reshape(2, 2, 3, 3)
        E[..., :3, 3] = vectors / 7
        directions = vectors[0] / np.linalg.norm(vectors[0], axis=1, keepdims=True)
        assert strategies.round_poses(E) is E
        rotations = E[..., :3, :3]
        assert strategies.round_rotations(rotations) is rotations
        assert np.array_equal(strategies.round_numbers(vectors / 7), vectors / 7)
        assert strategies.round_directions(directions) is directions
        with strategies.region("tenths"):
            rounded, near = strategies.round_poses(E), strategies.round_directions(directions)
            np.testing.assert_allclose(strategies.round_numbers(vectors / 7), vectors / 7, atol=0.0501)
        assert np.array_equal(rounded, np.round(rounded, 2))
        assert np.array_equal(rounded[..., :3, 3], np.round(vectors / 7, 1) + 0.0)
        R = rounded[..., :3, :3]
        np.testing.assert_allclose(
            R @ np.swapaxes(R, -1, -2), np.broadcast_to(np.eye(3), R.shape), atol=1e-15
        )
        angles = Rotation.from_matrix((np.swapaxes(E[..., :3, :3], -1, -2) @ R).reshape(-1, 3, 3)).magnitude()
        assert 0 < np.max(angles) < 0.8
        assert np.array_equal(near, np.round(near, 2))
        assert np.min(np.sum(near * directions, axis=1)) > 0.95

    def test_aligned_rotations_permute_the_axes_in_tenths_and_are_near(self):
        R = self.drawn_in("generic", strategies.rotations(), 200)
        assert strategies.align_rotations(R) is R
        with strategies.region("tenths"):
            aligned = strategies.align_rotations(R)
            assert np.array_equal(strategies.align_rotations(aligned[7]), aligned[7])
        assert np.array_equal(np.sort(np.abs(aligned), axis=-1), np.tile([0, 0, 1], (200, 3, 1)))
        assert np.array_equal(np.linalg.det(aligned), np.ones(200))
        assert len(np.unique(aligned, axis=0)) > 10
        angles = Rotation.from_matrix(np.swapaxes(R, 1, 2) @ aligned).magnitude()
        # The largest angle between a rotation and the nearest one of the cube (Mackenzie 1958), 62.8 degrees.
        assert 0.8 < np.max(angles) <= 2 * np.arccos((2 + np.sqrt(2)) / 4)

    def test_degenerate_vectors_vanish_or_lie_along_an_axis(self):
        vectors = self.drawn_in("degenerate", strategies.vectors(6))
        assert 0.1 < np.mean(np.all(vectors == 0, axis=1)) < 0.5
        directions = self.drawn_in("degenerate", strategies.nonzero_vectors(6))
        entries = np.sum(directions != 0, axis=1)
        assert np.all(entries > 0)
        assert 0.25 < np.mean(entries == 1) < 0.75

    @pytest.mark.parametrize("name", ["near pi", "non-dyadic", "tiny", "degenerate", "tenths"])
    def test_other_draws_stay_within_their_limits(self, name):
        values = self.drawn_in(name, strategies.vectors(4), 50)
        assert np.abs(values).max() <= (np.pi if name == "near pi" else 2)
        assert np.any(values)


def test_vectors_reach_their_limits():
    assert simplest(strategies.vectors(2), lambda v: v[0] < -1.9)[0] >= -2
    assert simplest(strategies.vectors(2, -4.0, 5.0), lambda v: v[1] > 4.9)[1] <= 5
    simplest(strategies.vectors(2, -4.0, 5.0), lambda v: v[1] < -3.9)
