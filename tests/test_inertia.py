"""Spatial inertia against point masses, quadrature, Pinocchio and MuJoCo."""

from unittest import mock

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbnotes import inertia, se3
from rbnotes.arguments import InvalidArgument, numbers
from rbnotes.ledger.oracles.bodies import kinetic_energy_matrix
from rbnotes.testing.strategies import frames, inertias, masses, twists, vectors

J_EXAMPLE = np.array([[2.0, 0.1, -0.2], [0.1, 2.5, 0.3], [-0.2, 0.3, 1.5]])


@given(masses(), inertias(), vectors(), twists())
def test_spatial_inertia(m, J, c, xi):
    M = inertia.spatial_inertia(m, J, c)
    np.testing.assert_allclose(M, kinetic_energy_matrix(m, J, c), atol=1e-12)
    np.testing.assert_allclose(inertia.swap_stacking(M), pin.Inertia(m, c, J).matrix(), atol=1e-12)
    np.testing.assert_allclose(inertia.swap_stacking(inertia.swap_stacking(M)), M, atol=0)
    np.testing.assert_allclose(M @ inertia.spatial_inertia_inverse(m, J, c), np.eye(6), atol=1e-11)
    G = inertia.spatial_inertia_factor(m, J, c)
    np.testing.assert_allclose(G @ G.T, M, atol=1e-12)
    np.testing.assert_array_equal(np.triu(inertia.swap_stacking(G), 1), np.zeros((6, 6)))
    energy = xi @ M @ xi / 2
    first = xi[inertia.LINEAR_FIRST]
    np.testing.assert_allclose(first @ inertia.swap_stacking(M) @ first / 2, energy, atol=1e-12)


@given(masses(), inertias(), vectors(), frames(), twists())
def test_change_of_frame_preserves_kinetic_energy(m, J, c, E, xi):
    M = inertia.spatial_inertia(m, J, c)
    transformed = inertia.transform_inertia(E, M)
    outer = se3.Ad(E) @ xi
    np.testing.assert_allclose(outer @ transformed @ outer, xi @ M @ xi, rtol=1e-10, atol=1e-10)
    expected = pin.SE3(E).act(pin.Inertia(m, c, J)).matrix()
    np.testing.assert_allclose(inertia.swap_stacking(transformed), expected, atol=1e-10)
    body = inertia.from_spatial_inertia(transformed)
    np.testing.assert_allclose(body.com, se3.transform_points(E, c), atol=1e-11)
    np.testing.assert_allclose(body.inertia, E[:3, :3] @ J @ E[:3, :3].T, atol=1e-10)
    np.testing.assert_allclose(body.mass, m)


BODIES = st.tuples(masses(), inertias(), vectors())


@given(BODIES, frames(), BODIES, frames())
def test_composite_is_the_sum(first, E1, second, E2):
    """Whatever the point about which the spatial inertias of the parts are added up."""
    bodies = [inertia.mass_properties(*first), inertia.mass_properties(*second)]
    composite = inertia.spatial_inertia(*inertia.composite(bodies, np.stack([E1, E2])))
    parts = [pin.SE3(E).act(pin.Inertia(m, c, J)) for E, (m, J, c) in ((E1, first), (E2, second))]
    expected = parts[0].matrix() + parts[1].matrix()
    np.testing.assert_allclose(inertia.swap_stacking(composite), expected, atol=1e-10)


def test_composite_far_from_origin_is_accurate():
    rods = [inertia.cylinder(0.001, 1.0, 1e5), inertia.cylinder(0.001, 0.5, 2e5)]
    E = np.stack([np.eye(4), se3.frame(np.eye(3), [1.0, 0.5, 0.0])])
    near = inertia.composite(rods, E)
    E[:, :3, 3] += 2.0**30
    far = inertia.composite(rods, E)
    np.testing.assert_allclose(far.inertia, near.inertia, rtol=1e-12)
    np.testing.assert_allclose(far.com - 2.0**30, near.com, atol=2e-7)


def test_composite_of_point_masses():
    point = inertia.mass_properties(2.0, np.zeros((3, 3)))
    pose = se3.frame(np.eye(3), [0.1, 0.7, -0.3])
    np.testing.assert_allclose(
        inertia.composite([point] * 3, [pose] * 3).inertia, np.zeros((3, 3)), atol=1e-30
    )
    dumbbell = inertia.composite([point, point], [pose, se3.inverse(pose)])
    np.testing.assert_allclose(np.linalg.eigvalsh(dumbbell.inertia), [0, 4 * 0.59, 4 * 0.59], atol=1e-15)


@given(masses(), inertias(), vectors(), vectors())
def test_parallel_axes(m, J, c, p):
    """Moving the origin by p changes only the position of the center."""
    transformed = inertia.transform_inertia(se3.frame(np.eye(3), -p), inertia.spatial_inertia(m, J, c))
    np.testing.assert_allclose(transformed, inertia.spatial_inertia(m, J, c - p), atol=1e-11)
    arm = c - p
    steiner = J + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    np.testing.assert_allclose(transformed[:3, :3], steiner, atol=1e-11)


@pytest.mark.parametrize("distance", [0.0, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("second_moments", [[0, 0, 0], [0, 0, 1 / 12], [0, 1 / 3, 1 / 12]], ids=str)
def test_flat_bodies_are_accepted_in_any_frame(second_moments, distance):
    """Rounding gives points, rods and plates small negative moments; they are accepted."""
    J = np.sum(second_moments) * np.eye(3) - np.diag(second_moments)
    for k in range(20):
        E = se3.exp(np.random.default_rng(k).normal(size=6))
        E[:3, 3] *= distance
        M = inertia.transform_inertia(E, inertia.spatial_inertia(1.3, J))
        body = inertia.from_spatial_inertia(M)
        np.testing.assert_allclose(body.com, E[:3, 3], rtol=1e-12, atol=1e-12)
        rounding = 1e-13 * (1 + np.max(np.abs(M)))
        np.testing.assert_allclose(body.inertia, E[:3, :3] @ J @ E[:3, :3].T, atol=rounding)


class TestNearestInertia:
    @staticmethod
    def second_moments(J):
        return np.trace(J) / 2 * np.eye(3) - J

    @given(inertias(), inertias(), inertias())
    def test_nearest_inertia_is_a_projection(self, one, other, body):
        """The result is a projection on a cone: the residual has no acute angle with it."""
        J = one - 0.7 * other
        nearest = inertia.nearest_inertia(J)
        inertia.mass_properties(1.0, nearest)
        missed = self.second_moments(J) - self.second_moments(nearest)
        towards = self.second_moments(body) - self.second_moments(nearest)
        assert np.sum(missed * towards) <= 1e-12 * (1 + np.linalg.norm(J) ** 2 + np.linalg.norm(body) ** 2)

    def test_nearest_inertia_of_a_body_is_itself(self):
        np.testing.assert_allclose(inertia.nearest_inertia(J_EXAMPLE), J_EXAMPLE, atol=1e-14)

    def test_nearest_inertia_corrects_only_rounding(self):
        flat = np.diag([1.0, 2.0, 3.0 + 1e-9])
        within = inertia.nearest_inertia(flat, tolerance=1e-8)
        assert self.second_moments(within)[2, 2] == pytest.approx(0, abs=1e-15)
        np.testing.assert_allclose(inertia.nearest_inertia(flat, tolerance=1e-10), flat, atol=1e-15)
        with pytest.raises(InvalidArgument, match="tolerance"):
            inertia.nearest_inertia(flat, tolerance=-1.0)
        with pytest.raises(InvalidArgument, match="tolerance"):
            inertia.nearest_inertia(np.stack([flat] * 2), tolerance=[0.0, 0.0, 0.0])


@given(masses(), inertias(), vectors())
def test_principal_frame(m, J, c):
    body = inertia.mass_properties(m, J, c)
    E, moments = inertia.principal_frame(body)
    assert np.linalg.det(E[:3, :3]) == pytest.approx(1)
    M = inertia.transform_inertia(se3.inverse(E), inertia.spatial_inertia(*body))
    np.testing.assert_allclose(M, np.diag([*moments, m, m, m]), atol=1e-10)
    assert np.all(np.diff(moments) >= 0)


class TestPrincipalAxes:
    @given(inertias(), frames())
    def test_principal_axes_rotate_with_the_body(self, J, pose):
        R = pose[:3, :3]
        here = inertia.principal_frame(inertia.mass_properties(1.0, J))
        there = inertia.principal_frame(inertia.mass_properties(1.0, R @ J @ R.T))
        np.testing.assert_allclose(there.moments, here.moments, rtol=1e-11)
        if np.min(np.diff(here.moments)) > 1e-3:
            cosines = there.E[:3, :3].T @ R @ here.E[:3, :3]
            np.testing.assert_allclose(np.abs(cosines), np.eye(3), atol=1e-9)

    @pytest.mark.parametrize(
        "J", [np.eye(3), np.diag([2.0, 2.0, 1.0]), np.diag([1.0, 2.0, 2.0]), np.zeros((3, 3))], ids=str
    )
    def test_equal_moments(self, J):
        R = se3.exp([0.3, -0.2, 0.5, 0, 0, 0])[:3, :3]
        E, moments = inertia.principal_frame(inertia.mass_properties(1.0, R @ J @ R.T))
        axes = E[:3, :3]
        np.testing.assert_allclose(np.linalg.det(axes), 1, rtol=1e-14)
        np.testing.assert_allclose(axes @ np.diag(moments) @ axes.T, R @ J @ R.T, atol=1e-14)

    def test_signs_of_principal_axes_are_stable(self):
        """At 45 degrees two components of an axis are equally large."""
        frames = []
        for perturbation in (-1e-15, 0.0, 1e-15):
            c, s = np.cos(np.pi / 4 + perturbation), np.sin(np.pi / 4 + perturbation)
            R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
            body = inertia.mass_properties(1.0, R @ np.diag([1.0, 1.2, 1.4]) @ R.T)
            frames.append(inertia.principal_frame(body).E)
        np.testing.assert_allclose(frames[0], frames[1], atol=1e-12)
        np.testing.assert_allclose(frames[2], frames[1], atol=1e-12)
        assert np.all(frames[0][0, :2] > 0)

    def test_batched_principal_axes(self):
        sides = np.random.default_rng(3).uniform(0.5, 2, size=(4, 3))
        E, moments = inertia.principal_frame(inertia.cuboid(sides))
        assert E.shape == (4, 4, 4)
        for k in range(4):
            one = inertia.principal_frame(inertia.cuboid(sides[k]))
            np.testing.assert_allclose(E[k], one.E, rtol=0, atol=1e-13)
            np.testing.assert_allclose(moments[k], one.moments, rtol=1e-13)


def test_broadcasting():
    rng = np.random.default_rng(4)
    mass, com = rng.uniform(1, 2, size=5), rng.normal(size=(5, 3))
    many = inertia.spatial_inertia(mass, J_EXAMPLE, com)
    assert many.shape == (5, 6, 6)
    for k in range(5):
        one = inertia.spatial_inertia(mass[k], J_EXAMPLE, com[k])
        np.testing.assert_allclose(many[k], one, rtol=0, atol=1e-13)
    back = inertia.from_spatial_inertia(many)
    np.testing.assert_allclose(back.com, com, atol=1e-13)
    E = se3.exp(rng.normal(size=(5, 6)))
    transformed = inertia.transform_inertia(E, many)
    for k in range(5):
        np.testing.assert_allclose(transformed[k], inertia.transform_inertia(E[k], many[k]), atol=1e-14)
    assert inertia.spatial_inertia_inverse(mass, J_EXAMPLE, com).shape == (5, 6, 6)
    assert inertia.spatial_inertia_factor(mass, J_EXAMPLE, com).shape == (5, 6, 6)
    assert inertia.sphere(np.ones(3)).inertia.shape == (3, 3, 3)
    np.testing.assert_allclose(
        inertia.with_mass(inertia.sphere(0.3), 2.0).inertia[0, 0], 2 / 5 * 2.0 * 0.3**2
    )


class TestErrors:
    def test_impossible_body(self):
        with pytest.raises(
            InvalidArgument, match="inertia: got principal moments 1, 1, 3, expected moments of a body"
        ):
            inertia.spatial_inertia(1.0, np.diag([1.0, 1.0, 3.0]))
        with pytest.raises(InvalidArgument, match="moments of a body: none negative"):
            inertia.spatial_inertia(1.0, -J_EXAMPLE)
        plate = np.diag([1.0, 1.0, 2.0 + 1e-11])
        with pytest.raises(InvalidArgument, match="got principal moments 1, 1, 3"):
            inertia.mass_properties(1.0, np.stack([plate, np.diag([1.0, 1.0, 3.0])]))

    def test_mismatched_leading_axes(self):
        with pytest.raises(
            InvalidArgument, match=r"mass, inertia, com: got leading axes \(5,\), \(\), \(4,\), expected"
        ):
            inertia.spatial_inertia(np.ones(5), J_EXAMPLE, np.zeros((4, 3)))
        with pytest.raises(InvalidArgument, match="radius, length: got leading axes"):
            inertia.capsule(np.ones(2), np.ones(3))
        with pytest.raises(InvalidArgument, match="density, size: got leading axes"):
            inertia.cuboid(np.ones((4, 3)), np.ones(2))
        with pytest.raises(InvalidArgument, match="mass, body: got leading axes"):
            inertia.with_mass(inertia.sphere(np.ones(3)), np.ones(2))
        with pytest.raises(InvalidArgument, match="E, M: got leading axes"):
            inertia.transform_inertia(np.stack([np.eye(4)] * 3), np.stack([np.eye(6)] * 2))

    def test_bodies_at_the_limit_are_possible(self):
        inertia.spatial_inertia(1.0, np.diag([1.0, 1.0, 2.0]))  # a plate
        inertia.spatial_inertia(1.0, np.zeros((3, 3)), [1.0, 0, 0])  # a point mass

    def test_singular_inertia_has_no_inverse(self):
        for function in (inertia.spatial_inertia_inverse, inertia.spatial_inertia_factor):
            with pytest.raises(InvalidArgument, match="inertia: got smallest eigenvalue 0"):
                function(1.0, np.diag([1.0, 1.0, 0.0]))

    def test_mass_symmetry_and_shape(self):
        with pytest.raises(InvalidArgument, match="mass: got -1, expected numbers greater than 0"):
            inertia.spatial_inertia(-1.0, J_EXAMPLE)
        with pytest.raises(InvalidArgument, match=r"inertia: got a matrix with max \|A - A\^T\| = 1"):
            inertia.spatial_inertia(1.0, np.array([[2.0, 1, 0], [0, 2, 0], [0, 0, 2]]))
        with pytest.raises(InvalidArgument, match=r"com: got shape \(2,\)"):
            inertia.spatial_inertia(1.0, J_EXAMPLE, [0.0, 0.0])
        with pytest.raises(InvalidArgument, match="sides: got -1"):
            inertia.cuboid([1.0, -1.0, 1.0])

    def test_invalid_spatial_inertia(self):
        M = inertia.spatial_inertia(1.0, J_EXAMPLE, [0.1, 0.2, 0.3])
        M[3, 3] += 0.1
        with pytest.raises(InvalidArgument, match="blocks of a spatial inertia"):
            inertia.from_spatial_inertia(M)
        for hidden in (np.stack([1e12 * inertia.spatial_inertia(1.0, J_EXAMPLE), M]), 1e-12 * M):
            with pytest.raises(InvalidArgument, match="blocks of a spatial inertia"):
                inertia.from_spatial_inertia(hidden)
        for index in ((0, 3), (3, 4)):  # where nothing but zeros belongs, of either sign
            for sign in (1.0, -1.0):
                M = inertia.spatial_inertia(1.0, J_EXAMPLE, [0.1, 0.2, 0.3])
                M[index] = M[index[::-1]] = 0.1 * sign
                with pytest.raises(InvalidArgument, match="blocks of a spatial inertia"):
                    inertia.from_spatial_inertia(M)
        impossible = inertia.spatial_inertia(1.0, np.eye(3), [0.1, 0.2, 0.3])
        impossible[0, 0] += 5
        with pytest.raises(InvalidArgument, match="inertia in M: got principal moments 1, 1, 6"):
            inertia.from_spatial_inertia(impossible)
        with pytest.raises(InvalidArgument, match="mass of M: got 0"):
            inertia.from_spatial_inertia(np.zeros((6, 6)))

    def test_composite(self):
        with pytest.raises(InvalidArgument, match="one pose for each of 2 bodies"):
            inertia.composite([inertia.sphere(1.0)] * 2, np.eye(4)[None])
        with pytest.raises(InvalidArgument, match="one pose for each of 2 bodies"):
            inertia.composite([inertia.sphere(1.0)] * 2, np.stack([[np.eye(4)] * 3] * 2))
        with pytest.raises(InvalidArgument, match="one pose for each of 0 bodies"):
            inertia.composite([], np.zeros((0, 4, 4)))
        with pytest.raises(InvalidArgument, match="mass: got -1"):
            inertia.composite([inertia.MassProperties(-1.0, J_EXAMPLE, np.zeros(3))], np.eye(4)[None])


@pytest.mark.parametrize(
    "function",
    [
        inertia.mass_properties,
        inertia.spatial_inertia,
        inertia.spatial_inertia_inverse,
        inertia.spatial_inertia_factor,
    ],
)
def test_each_argument_is_checked_once(function):
    with mock.patch.object(numbers, "_real_numbers", wraps=numbers._real_numbers) as check:
        function(2.0, np.diag([1.0, 2, 2.5]), [1.0, 2, 3])
    assert sorted(call.args[0] for call in check.call_args_list) == ["com", "inertia", "mass"]


def test_mass_properties_of_composites_are_checked():
    """The bodies of a composite may be unchecked tuples."""
    bodies = [inertia.cuboid([1, 2, 3]), inertia.sphere(0.5)]
    frames = [np.eye(4), se3.frame(np.eye(3), [1, 2, 3])]
    with mock.patch.object(numbers, "_real_numbers", wraps=numbers._real_numbers) as check:
        inertia.composite(bodies, frames)
    names = sorted(call.args[0] for call in check.call_args_list)
    assert names == ["com", "com", "frames", "inertia", "inertia", "mass", "mass"]


def test_composites_of_many_bodies_at_once():
    rng = np.random.default_rng(4)
    parts = [
        inertia.mass_properties(
            rng.uniform(1, 2, (2, 3)),
            rng.uniform(1.0, 1.5, (2, 3, 3))[..., None] * np.eye(3),
            rng.normal(size=(2, 3, 3)),
        )
        for _ in range(2)
    ]
    frames = se3.exp(rng.normal(size=(2, 6)))
    composites = inertia.composite(parts, frames)
    for i in np.ndindex(2, 3):
        alone = inertia.composite([inertia.MassProperties(*(x[i] for x in part)) for part in parts], frames)
        for actual, expected in zip(composites, alone, strict=True):
            np.testing.assert_allclose(actual[i], expected, rtol=1e-12, atol=1e-12)
