"""Mass properties, collision and visual geometry of a solid agree."""

import numpy as np
import pytest

from rbnotes import so3
from rbnotes.arguments import InvalidArgument
from rbnotes.contact import collide
from rbnotes.inertia import from_spatial_inertia, rounded_box, spatial_inertia
from rbnotes.shapes import Box, Capsule, ConvexMesh, Cylinder, Ellipsoid, Plane, RoundedBox, Shape, Sphere
from rbnotes.viewer import Scene, box, capsule, cylinder, ground, solid, sphere

TOUCHING = [Box([0.3, 0.5, 0.8]), Sphere(0.4), Capsule(0.25, 0.6), RoundedBox([0.1, 0.2, 0.3], 0.15)]
SOLIDS = [*TOUCHING, Cylinder(0.35, 0.9)]
WEDGE = ConvexMesh(
    [[-0.4, -0.3, -0.2], [0.5, -0.3, -0.2], [-0.4, 0.4, -0.2], [-0.4, -0.3, 0.5], [-0.2, -0.1, -0.1]]
)


def inside(shape, x):
    """Return True for the points ``(k, 3)`` in a solid, by its collision geometry or its definition."""
    if isinstance(shape, Cylinder):
        return (np.hypot(x[:, 0], x[:, 1]) <= shape.radius) & (np.abs(x[:, 2]) <= shape.length / 2)
    if isinstance(shape, Ellipsoid):
        return np.linalg.norm(x / shape.semi_axes, axis=1) <= 1
    if shape is WEDGE:  # three coordinate planes and the one through the ends of the legs
        legs = (x - [-0.4, -0.3, -0.2]) / [0.9, 0.7, 0.7]
        return np.all(legs >= 0, axis=1) & (np.sum(legs, axis=1) <= 1)
    rounded = shape.collision_geometry
    beyond = np.maximum(np.abs(x) - rounded.half_extents, 0.0)
    return np.linalg.norm(beyond, axis=1) <= rounded.radius


def test_mass_properties_match_collision_geometry():
    """Mass and second moments are sums over the points within the surface that collides."""
    # Midpoints of a grid of a hundredth that is aligned with nothing.
    n = 120
    cells = (np.arange(n) + 0.5) / n - 0.5
    for shape in (*SOLIDS, Ellipsoid([0.2, 0.3, 0.45]), WEDGE):
        x = 1.2 * np.stack(np.meshgrid(cells, cells, cells, indexing="ij"), axis=-1).reshape(-1, 3)
        x = x @ so3.exp([0.3, -0.5, 0.7])
        x = x[inside(shape, x)]
        weight = 700.0 * (1.2 / n) ** 3
        center = x.mean(axis=0)
        second = weight * (x - center).T @ (x - center)
        body = shape.mass_properties(density=700.0)
        np.testing.assert_allclose(body.mass, weight * len(x), rtol=5e-3)
        expected = np.trace(second) * np.eye(3) - second
        np.testing.assert_allclose(body.inertia, expected, atol=5e-3 * np.trace(second))
        np.testing.assert_allclose(body.com, center, atol=2e-3)
        if shape is not WEDGE:
            np.testing.assert_array_equal(body.com, np.zeros(3))


@pytest.mark.parametrize("shape", TOUCHING)
def test_collision_geometry_has_the_given_size(shape):
    """On a plane the center is as high as the shape is large along z."""
    heights = {Box: 0.8 / 2, Sphere: 0.4, Capsule: 0.6 / 2 + 0.25, RoundedBox: 0.3 + 0.15}
    pose = np.eye(4)
    pose[2, 3] = 1.0
    assert collide(shape, pose, Plane(), np.eye(4), 2.0).gap.min() == pytest.approx(1 - heights[type(shape)])


DRAWINGS = [box([0.3, 0.5, 0.8]), sphere(0.4), capsule(0.25, 0.6), box([0.5, 0.7, 0.9]), cylinder(0.35, 0.9)]


@pytest.mark.parametrize(("shape", "drawing"), list(zip(SOLIDS, DRAWINGS, strict=True)))
def test_visual_geometry_has_the_given_size(shape, drawing):
    geometry = solid(shape)
    assert Scene("One.").add(geometry).to_json() == Scene("One.").add(drawing).to_json()
    assert solid(shape, "red").color == "red"


def test_a_plane_is_drawn_as_the_ground():
    assert Scene("One.").add(solid(Plane())).to_json() == Scene("One.").add(ground()).to_json()


def test_rounded_boxes_with_flat_cores_are_the_other_solids():
    for shape in (Box([0.3, 0.5, 0.8]), Sphere(0.4), Capsule(0.25, 0.6)):
        body = shape.collision_geometry.mass_properties(density=[200.0, 400.0])
        expected = shape.mass_properties(density=[200.0, 400.0])
        np.testing.assert_allclose(body.mass, expected.mass, rtol=1e-14)
        np.testing.assert_allclose(body.inertia, expected.inertia, rtol=1e-14)
    with pytest.raises(InvalidArgument, match="half_extents, radius: got no volume"):
        rounded_box([0.0, 1.0, 1.0], 0.0)
    with pytest.raises(InvalidArgument, match="half_extents: got -1"):
        rounded_box([-1.0, 1.0, 1.0], 0.1)


def test_density_or_mass():
    for shape in SOLIDS:
        of_density = shape.mass_properties(density=[200.0, 400.0])
        np.testing.assert_allclose(of_density.mass[1], 2 * of_density.mass[0])
        of_mass = shape.mass_properties(mass=of_density.mass)
        np.testing.assert_allclose(of_mass.inertia, of_density.inertia)
        M = shape.spatial_inertia(mass=3.0)
        np.testing.assert_allclose(M, spatial_inertia(*shape.mass_properties(mass=3.0)))
        assert from_spatial_inertia(M).mass == pytest.approx(3.0)
        for wrong in ({}, {"density": 1.0, "mass": 1.0}):
            with pytest.raises(InvalidArgument, match="density, mass"):
                shape.mass_properties(**wrong)


def test_solids_are_values():
    assert Box(np.array([1, 2, 3])) == Box([1.0, 2.0, 3.0])
    assert Box([1, 2, 3]) != Box([1, 2, 4])
    assert Sphere(1) != Capsule(1, 1)
    assert len({Sphere(1), Sphere(1.0), Capsule(1, 2), Cylinder(1, 2), Box([1, 1, 1])}) == 4


def test_errors():
    for name, make in {
        "sides: got -1": lambda: Box([1, -1, 1]),
        r"sides: got shape \(2, 3\)": lambda: Box(np.ones((2, 3))),
        "radius: got 0": lambda: Sphere(0.0),
        "length: got shape": lambda: Cylinder(1.0, [1.0, 2.0]),
        "radius: got NaN": lambda: Capsule(np.nan, 1.0),
        "shape: got Ellipsoid": lambda: solid(type("Ellipsoid", (Shape,), {"_mass_properties": None})()),
        "shape: got Disc": lambda: type("Disc", (Shape,), {"_mass_properties": None})().collision_geometry,
        "shape: got a Plane, which has no mass": lambda: Plane().mass_properties(density=1.0),
        "shape: got a Plane": lambda: Plane().spatial_inertia(mass=1.0),
    }.items():
        with pytest.raises(InvalidArgument, match=f"^{name}"):
            make()


def test_hulls_drop_inner_points_and_join_triangles_to_faces():
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)])
    mesh = ConvexMesh(np.vstack([corners, [[0.5, 1, 1]], corners.mean(axis=0)[None] + 0.1]))
    assert sorted(map(tuple, mesh.vertices)) == sorted(map(tuple, corners))
    assert sorted(len(face) for face in mesh.faces) == [4] * 6
    for face in mesh.faces:
        a, b, c, _ = mesh.vertices[face]
        outward = np.cross(b - a, c - b)
        assert outward @ (a - [0.5, 1, 1.5]) > 0


@pytest.mark.parametrize("points", [np.eye(3), [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0.3, 0.2, 0]]])
def test_coplanar_points_are_rejected(points):
    with pytest.raises(InvalidArgument, match="points in a plane"):
        ConvexMesh(points)


@pytest.mark.parametrize("shape", [Ellipsoid([0.2, 0.3, 0.45]), WEDGE])
def test_drawings_of_curved_and_convex_solids_lie_on_them(shape):
    geometry = solid(shape).arrays
    vertices = geometry["vertices"]
    assert np.all(inside(shape, vertices * (1 - 1e-9)) | (shape is WEDGE))
    assert not np.any(inside(shape, vertices * (1 + 1e-3)))
    triangles = vertices[geometry["triangles"].astype(int)]
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    assert np.all(np.sum(normals * (triangles.mean(axis=1) - vertices.mean(axis=0)), axis=1) > 0)
