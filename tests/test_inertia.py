"""Spatial inertia against point masses, quadrature, Pinocchio and MuJoCo."""

import itertools

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from scipy.spatial import ConvexHull

from rbnotes import inertia, se3
from rbnotes.arguments import InvalidArgument
from rbnotes.checking.strategies import frames, inertias, masses, positive_numbers, twists, vectors
from rbnotes.ledger.oracles import kinetic_energy_matrix

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
def test_change_of_frame_keeps_the_energy(m, J, c, E, xi):
    M = inertia.spatial_inertia(m, J, c)
    moved = inertia.transform_inertia(E, M)
    outer = se3.Ad(E) @ xi
    np.testing.assert_allclose(outer @ moved @ outer, xi @ M @ xi, rtol=1e-10, atol=1e-10)
    expected = pin.SE3(E).act(pin.Inertia(m, c, J)).matrix()
    np.testing.assert_allclose(inertia.swap_stacking(moved), expected, atol=1e-10)
    body = inertia.from_spatial_inertia(moved)
    np.testing.assert_allclose(body.com, se3.transform_points(E, c), atol=1e-11)
    np.testing.assert_allclose(body.inertia, E[:3, :3] @ J @ E[:3, :3].T, atol=1e-10)
    np.testing.assert_allclose(body.mass, m)


def quadrature(inside, size, density, count=60):
    """Mass properties by summing over a fine grid of midpoints."""
    axis = (np.arange(count) + 0.5) / count * 2 - 1
    points = np.array(list(itertools.product(axis, repeat=3))) * size
    points = points[inside(points)]
    each = density * np.prod(2 * np.asarray(size) / count)
    second = each * points.T @ points
    return each * len(points), np.trace(second) * np.eye(3) - second


@pytest.mark.parametrize(
    ("body", "inside", "size"),
    [
        (inertia.cuboid([0.4, 0.6, 1.0], 3.0), lambda x: np.full(len(x), True), [0.2, 0.3, 0.5]),
        (
            inertia.ellipsoid([0.4, 0.6, 1.0], 3.0),
            lambda x: np.sum((x / [0.4, 0.6, 1.0]) ** 2, axis=1) < 1,
            [0.4, 0.6, 1.0],
        ),
        (inertia.sphere(0.5, 3.0), lambda x: np.linalg.norm(x, axis=1) < 0.5, [0.5] * 3),
        (inertia.cylinder(0.5, 1.2, 3.0), lambda x: np.hypot(x[:, 0], x[:, 1]) < 0.5, [0.5, 0.5, 0.6]),
        (
            inertia.capsule(0.5, 1.2, 3.0),
            lambda x: np.hypot(np.hypot(x[:, 0], x[:, 1]), np.maximum(np.abs(x[:, 2]) - 0.6, 0)) < 0.5,
            [0.5, 0.5, 1.1],
        ),
    ],
    ids=["cuboid", "ellipsoid", "sphere", "cylinder", "capsule"],
)
def test_shapes_by_quadrature(body, inside, size):
    mass, moments = quadrature(inside, size, 3.0)
    np.testing.assert_allclose(body.mass, mass, rtol=6e-3)
    np.testing.assert_allclose(body.inertia, moments, rtol=1e-2, atol=1e-12)


@pytest.mark.parametrize(
    ("body", "geom"),
    [
        (inertia.cuboid([0.4, 0.6, 1.0], 3.0), '<geom type="box" size="0.2 0.3 0.5" density="3"/>'),
        (inertia.ellipsoid([0.4, 0.6, 1.0], 3.0), '<geom type="ellipsoid" size="0.4 0.6 1" density="3"/>'),
        (inertia.sphere(0.5, 3.0), '<geom type="sphere" size="0.5" density="3"/>'),
        (inertia.cylinder(0.5, 1.2, 3.0), '<geom type="cylinder" size="0.5 0.6" density="3"/>'),
        (inertia.capsule(0.5, 1.2, 3.0), '<geom type="capsule" size="0.5 0.6" density="3"/>'),
    ],
    ids=["cuboid", "ellipsoid", "sphere", "cylinder", "capsule"],
)
def test_shapes_against_mujoco(body, geom):
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody><body>{geom}</body></worldbody></mujoco>")
    np.testing.assert_allclose(body.mass, model.body_mass[1], rtol=1e-12)
    np.testing.assert_allclose(np.linalg.eigvalsh(body.inertia), np.sort(model.body_inertia[1]), rtol=1e-12)
    np.testing.assert_allclose(np.diag(body.inertia)[2], model.body_inertia[1][2], rtol=1e-12)


def test_composite_against_mujoco():
    E = [se3.exp([0.3, -0.2, 0.5, 0.1, 0.2, -0.3]), se3.exp([-1.0, 0.4, 0.2, 0.5, -0.1, 0.2])]
    parts = [inertia.cuboid([0.4, 0.6, 1.0], 3.0), inertia.cylinder(0.3, 0.8, 5.0)]
    whole = inertia.composite(parts, np.stack(E))

    def place(pose):
        quaternion = pin.Quaternion(pose[:3, :3]).coeffs()[[3, 0, 1, 2]]
        position = " ".join(map(str, pose[:3, 3]))
        return f'pos="{position}" quat="{" ".join(map(str, quaternion))}"'

    model = mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><body>"
        f'<geom type="box" size="0.2 0.3 0.5" density="3" {place(E[0])}/>'
        f'<geom type="cylinder" size="0.3 0.4" density="5" {place(E[1])}/>'
        "</body></worldbody></mujoco>"
    )
    np.testing.assert_allclose(whole.mass, model.body_mass[1], rtol=1e-10)
    np.testing.assert_allclose(whole.com, model.body_ipos[1], atol=1e-9)
    np.testing.assert_allclose(np.linalg.eigvalsh(whole.inertia), np.sort(model.body_inertia[1]), rtol=1e-8)


@given(masses(), inertias(), vectors())
def test_principal_frame(m, J, c):
    body = inertia.mass_properties(m, J, c)
    E, moments = inertia.principal_frame(body)
    assert np.linalg.det(E[:3, :3]) == pytest.approx(1)
    M = inertia.transform_inertia(se3.inverse(E), inertia.spatial_inertia(*body))
    np.testing.assert_allclose(M, np.diag([*moments, m, m, m]), atol=1e-10)
    assert np.all(np.diff(moments) >= 0)


def box_mesh(sides):
    vertices = np.array(list(itertools.product((0, 1), repeat=3))) * sides
    return vertices, outward(vertices)


def outward(vertices):
    hull = ConvexHull(vertices)
    faces = []
    for corners, equation in zip(hull.simplices, hull.equations, strict=True):
        a, b, c = vertices[corners]
        faces.append(corners if np.cross(b - a, c - a) @ equation[:3] > 0 else corners[::-1])
    return np.array(faces)


class TestMesh:
    @given(vectors(3, 0.25, 2), frames(), positive_numbers())
    def test_box_anywhere(self, sides, E, density):
        vertices, faces = box_mesh(sides)
        mesh = inertia.triangle_mesh(se3.transform_points(E, vertices), faces, density)
        box = inertia.cuboid(sides, density)
        np.testing.assert_allclose(mesh.mass, box.mass, rtol=1e-11)
        np.testing.assert_allclose(mesh.com, se3.transform_points(E, sides / 2), atol=1e-11)
        np.testing.assert_allclose(mesh.inertia, E[:3, :3] @ box.inertia @ E[:3, :3].T, atol=1e-10)

    @given(vectors(12).filter(lambda v: abs(np.linalg.det(v.reshape(4, 3)[1:] - v[:3])) > 0.2))
    def test_tetrahedron_by_exact_quadrature(self, flat):
        vertices = flat.reshape(4, 3)
        mesh = inertia.triangle_mesh(vertices, outward(vertices), 2.0)
        # Four points that integrate quadratics over a tetrahedron exactly.
        inner, outer = (5 - np.sqrt(5)) / 20, (5 + 3 * np.sqrt(5)) / 20
        points = (np.full((4, 4), inner) + (outer - inner) * np.eye(4)) @ vertices
        volume = abs(np.linalg.det(vertices[1:] - vertices[0])) / 6
        arms = points - points.mean(axis=0)
        second = 2.0 * volume / 4 * arms.T @ arms
        np.testing.assert_allclose(mesh.mass, 2.0 * volume, rtol=1e-12)
        np.testing.assert_allclose(mesh.com, points.mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(mesh.inertia, np.trace(second) * np.eye(3) - second, atol=1e-12)

    def test_wrong_meshes(self):
        vertices, faces = box_mesh(np.ones(3))
        with pytest.raises(InvalidArgument, match="closed, oriented surface"):
            inertia.triangle_mesh(vertices, faces[1:])
        with pytest.raises(InvalidArgument, match="anticlockwise from outside"):
            inertia.triangle_mesh(vertices, faces[:, ::-1])
        with pytest.raises(InvalidArgument, match="indices of 8 vertices"):
            inertia.triangle_mesh(vertices, faces + 1)
        flipped = faces.copy()
        flipped[0] = flipped[0][::-1]
        with pytest.raises(InvalidArgument, match="closed, oriented surface"):
            inertia.triangle_mesh(vertices, flipped)
        with pytest.raises(InvalidArgument, match="integers of shape"):
            inertia.triangle_mesh(vertices, faces.astype(float))


def test_broadcasting():
    rng = np.random.default_rng(4)
    mass, com = rng.uniform(1, 2, size=5), rng.normal(size=(5, 3))
    many = inertia.spatial_inertia(mass, J_EXAMPLE, com)
    assert many.shape == (5, 6, 6)
    for k in range(5):
        np.testing.assert_array_equal(many[k], inertia.spatial_inertia(mass[k], J_EXAMPLE, com[k]))
    back = inertia.from_spatial_inertia(many)
    np.testing.assert_allclose(back.com, com, atol=1e-13)
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
        with pytest.raises(InvalidArgument, match="moments of a body"):
            inertia.spatial_inertia(1.0, -J_EXAMPLE)

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

    def test_matrix_that_is_no_spatial_inertia(self):
        M = inertia.spatial_inertia(1.0, J_EXAMPLE, [0.1, 0.2, 0.3])
        M[3, 3] += 0.1
        with pytest.raises(InvalidArgument, match="blocks of a spatial inertia"):
            inertia.from_spatial_inertia(M)
        for hidden in (np.stack([1e12 * inertia.spatial_inertia(1.0, J_EXAMPLE), M]), 1e-12 * M):
            with pytest.raises(InvalidArgument, match="blocks of a spatial inertia"):
                inertia.from_spatial_inertia(hidden)
        with pytest.raises(InvalidArgument, match="mass of M: got 0"):
            inertia.from_spatial_inertia(np.zeros((6, 6)))

    def test_composite(self):
        with pytest.raises(InvalidArgument, match="one pose for each of 2 bodies"):
            inertia.composite([inertia.sphere(1.0)] * 2, np.eye(4)[None])
