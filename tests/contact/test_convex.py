"""Separations and contact points of cylinders, cones, ellipsoids and convex meshes.

The oracles are support functions in closed form on many directions, the theorem of separating axes for
overlapping polyhedra, points of the solids by their definition, and coal. Coal's depths of overlapping
polyhedra, spheres and capsules are exact. For other solids its polytope lies within them, so that the depth
is too small by up to a tolerance; where its algorithm ends early, the depth is too large.
"""

from itertools import combinations_with_replacement, product

import coal
import numpy as np
import pytest
from coal_shapes import coal_mesh
from hypothesis import settings
from scipy.spatial.transform import Rotation

from rbnotes import se3
from rbnotes.contact import collide
from rbnotes.contact.convex import PlacedSolid, separation
from rbnotes.contact.distance import TOUCHING_TOLERANCE
from rbnotes.contact.manifolds import FLAT_TOLERANCE
from rbnotes.shapes import Box, Capsule, Cone, ConvexMesh, Cylinder, Ellipsoid, Plane, Sphere

KINDS = ("cylinder", "cone", "ellipsoid", "mesh", "box", "sphere", "capsule")
CLASSES = tuple(
    pair for pair in combinations_with_replacement(KINDS, 2) if not {*pair} <= {"sphere", "capsule"}
)
"""Pairs of kinds; each family takes them in turn. Those of spheres and capsules are tested elsewhere."""
NUM_PAIRS = 10_000 if settings.default.max_examples > 100 else 8 * len(CLASSES)
"""Number of pairs in all families: one of each class, or ten thousand with the profile "deep"."""
ROUNDED_BOXES = (Box, Sphere, Capsule)
"""Shapes for pairs of which `collide` has an algorithm of its own."""
EXACT_IN_COAL = (Box, ConvexMesh, Sphere, Capsule)
"""Shapes whose pairs have exact depths in coal."""
EPA_TOLERANCE = 1e-3
"""Largest amount by which coal's depths of other pairs are too small, relative to the size."""
AXES = np.eye(3)
DIRECTIONS = np.random.default_rng(1).normal(size=(4000, 3))
DIRECTIONS /= np.linalg.norm(DIRECTIONS, axis=1)[:, None]


def solid(kind, sizes):
    """Return a shape, the same one of coal, and the origin of coal's frame."""
    a, b, c = sizes
    match kind:
        case "cylinder":
            return Cylinder(a / 2, b), coal.Cylinder(a / 2, b), np.zeros(3)
        case "cone":
            return Cone(a / 2, b), coal.Cone(a / 2, b), np.array([0, 0, b / 4])
        case "ellipsoid":
            return Ellipsoid(sizes / 2), coal.Ellipsoid(a / 2, b / 2, c / 2), np.zeros(3)
        case "mesh":
            seed = int(1e6 * a / c) % 2**31
            points = np.random.default_rng(seed).uniform(-0.5, 0.5, size=(4 + seed % 9, 3)) * sizes
            return ConvexMesh(points), coal_mesh(ConvexMesh(points)), np.zeros(3)
        case "box":
            return Box([a, b, c]), coal.Box(a, b, c), np.zeros(3)
        case "sphere":
            return Sphere(a / 2), coal.Sphere(a / 2), np.zeros(3)
        case "capsule":
            return Capsule(a / 3, b), coal.Capsule(a / 3, b), np.zeros(3)
    raise ValueError(kind)


def support_function(shape, directions):
    """Return the largest ``d @ x`` over the points of a shape for directions ``(k, 3)``."""
    radial, z = np.linalg.norm(directions[:, :2], axis=1), directions[:, 2]
    match shape:
        case Cylinder(radius, length):
            return radius * radial + length / 2 * np.abs(z)
        case Cone(radius, length):
            return np.maximum(3 / 4 * length * z, radius * radial - length / 4 * z)
        case Ellipsoid(semi_axes):
            return np.linalg.norm(directions * semi_axes, axis=1)
        case ConvexMesh():
            return np.max(directions @ shape.vertices.T, axis=1)
        case Box(sides):
            return np.abs(directions) @ np.array(sides) / 2
        case Sphere(radius):
            return radius * np.linalg.norm(directions, axis=1)
        case Capsule(radius, length):
            return radius * np.linalg.norm(directions, axis=1) + length / 2 * np.abs(z)


def contains(shape, point, tolerance):
    """Return True if a point is within a tolerance of a shape, by its definition."""
    x, y, z = point
    radial = np.hypot(x, y)
    match shape:
        case Cylinder(radius, length):
            return radial <= radius + tolerance and abs(z) <= length / 2 + tolerance
        case Cone(radius, length):
            ratio = radius / length
            return z >= -length / 4 - tolerance and radial <= ratio * (3 / 4 * length - z) + tolerance
        case Ellipsoid(semi_axes):
            return np.linalg.norm(point / semi_axes) <= 1 + tolerance / min(semi_axes)
        case ConvexMesh():
            a, b, c = np.moveaxis(shape.vertices[shape.triangles], 1, 0)
            normals = np.cross(b - a, c - a)
            heights = np.sum(normals * (point - a), axis=1) / np.linalg.norm(normals, axis=1)
            return np.max(heights) <= tolerance
        case Box(sides):
            return bool(np.all(np.abs(point) <= np.array(sides) / 2 + tolerance))
        case Sphere(radius):
            return np.linalg.norm(point) <= radius + tolerance
        case Capsule(radius, length):
            return np.hypot(radial, max(0.0, abs(z) - length / 2)) <= radius + tolerance


def polyhedron(shape, R):
    """Return normals ``(m, 3)`` of faces and directions ``(k, 3)`` of edges; None for curved shapes."""
    if isinstance(shape, Box):
        return R.T, R.T
    if not isinstance(shape, ConvexMesh):
        return None
    corners = shape.vertices[shape.triangles]
    edges = (np.roll(corners, -1, axis=1) - corners).reshape(-1, 3) @ R.T
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) @ R.T
    return normals / np.linalg.norm(normals, axis=1)[:, None], edges


def draw(rng, scales, number):
    """Return two shapes of random sizes, in random order; their kinds are those of a class."""
    kinds = CLASSES[number % len(CLASSES)][:: 1 if rng.random() < 0.5 else -1]
    return [solid(kind, scale * rng.uniform(0.2, 1.0, 3)) for kind, scale in zip(kinds, scales, strict=True)]


def random_pairs(seed, count, scale=1.0):
    """Yield pairs of shapes with poses: from deep overlap to distances of a few sizes."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        solids = draw(rng, (scale, scale), number)
        away = rng.normal(size=3)
        position = scale * rng.uniform(0.05, 1.8) * away / np.linalg.norm(away)
        yield solids, random_rotations(rng), (np.zeros(3), position)


def random_rotations(rng):
    return Rotation.random(2, random_state=int(rng.integers(2**31))).as_matrix()


def far_pairs(seed, count):
    """Yield pairs at distances of a hundred to a million times their sizes."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        away = rng.normal(size=3)
        distance = 10 ** rng.uniform(2, 6)
        yield draw(rng, (1.0, 1.0), number), random_rotations(rng), (np.zeros(3), distance * away)


def enclosed_pairs(seed, count):
    """Yield pairs of which one is deep in the other, some with the same center."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        position = 0.01 * rng.normal(size=3) * (rng.random() < 0.7)
        yield draw(rng, (1.0, 0.05), number), random_rotations(rng), (np.zeros(3), position)


def mixed_pairs(seed, count, ratio):
    """Yield small solids at the surface of large ones: on a face, an edge or a corner of it."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        solids, rotations = draw(rng, (1.0, ratio), number), random_rotations(rng)
        direction = DIRECTIONS[rng.integers(len(DIRECTIONS))]
        large, small = (shape.collision_geometry for shape, *_ in solids)
        surface = PlacedSolid(large, rotations[0], np.zeros(3)).support_point(direction)
        offset = large.rounding + ratio * rng.uniform(-0.2, 1.5)
        assert small.bounding_radius < 2 * ratio
        yield solids, rotations, (np.zeros(3), surface + offset * direction)


def aligned_pairs(seed, count):
    """Yield pairs with parallel faces and edges: on each other, on edges, at small gaps and overlaps."""
    rng = np.random.default_rng(seed)
    gaps = (0.0, 1e-15, -1e-15, 1e-9, -1e-9, 1e-4, -1e-4, 0.1, -0.1)
    orientations = [
        Rotation.from_euler("xz", angles).as_matrix() for angles in product((0, np.pi / 2), (0, np.pi / 4))
    ]
    for number in range(count):
        solids = draw(rng, (1.0, 1.0), number)
        if solids[0][0].__class__ is solids[1][0].__class__ and rng.random() < 0.5:
            solids[1] = solids[0]  # edges exactly on edges
        R = random_rotations(rng)[0] if rng.random() < 0.5 else AXES
        rotations = [R @ orientations[rng.integers(4)], R @ orientations[rng.integers(4)]]
        direction = R @ np.sign(rng.integers(-1, 2, size=3) + np.array([0, 0, 1e-3]))
        direction /= np.linalg.norm(direction)
        surfaces = [
            PlacedSolid(shape.collision_geometry, rotation, np.zeros(3)).support_point(sign * direction)
            + sign * shape.collision_geometry.rounding * direction
            for (shape, *_), rotation, sign in zip(solids, rotations, (1, -1), strict=True)
        ]
        gap = gaps[number % len(gaps)]
        yield solids, rotations, (np.zeros(3), surfaces[0] - surfaces[1] + gap * direction)


def separate(solids, rotations, positions):
    placed = [
        PlacedSolid(shape.collision_geometry, R, p)
        for (shape, *_), R, p in zip(solids, rotations, positions, strict=True)
    ]
    result = separation(*placed)
    return placed, result, result.distance - sum(each.shape.rounding for each in placed)


FAMILIES = {
    "unit": lambda count: random_pairs(2, count),
    "millimeters": lambda count: random_pairs(3, count, 1e-3),
    "kilometers": lambda count: random_pairs(4, count, 1e3),
    "far": lambda count: far_pairs(5, count),
    "enclosed": lambda count: enclosed_pairs(6, count),
    "aligned": lambda count: aligned_pairs(7, count),
    "mixed 1e-2": lambda count: mixed_pairs(8, count, 1e-2),
    "mixed 1e-6": lambda count: mixed_pairs(9, count, 1e-6),
}


def coal_distance(solids, rotations, positions, size):
    """Return coal's signed distance and its normal from the second solid to the first."""
    (_, a, a_origin), (_, b, b_origin) = solids
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    request.gjk_tolerance, request.epa_tolerance = 1e-10 * size, 1e-8 * size
    poses = [
        coal.Transform3s(R, p + R @ origin)
        for R, p, origin in zip(rotations, positions, (a_origin, b_origin), strict=True)
    ]
    return coal.distance(a, poses[0], b, poses[1], request, result), -np.array(result.normal)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_separations(family):
    """The separation is the maximum over all directions, the closest points are points of the solids."""
    num_compared, num_inexact = dict.fromkeys(("axes", "coal", "exact depths", "depths", "close"), 0), 0
    for solids, rotations, positions in FAMILIES[family](NUM_PAIRS // len(FAMILIES)):
        placed, result, distance = separate(solids, rotations, positions)
        size = sum(each.shape.bounding_radius for each in placed)
        small = min(each.shape.bounding_radius for each in placed)
        rounding = 3e-13 * (size + np.linalg.norm(positions[1]))
        a, b = (shape for shape, *_ in solids)

        def separations(n, a=a, b=b, rotations=rotations, positions=positions):
            on_a, on_b = support_function(a, -n @ rotations[0]), support_function(b, n @ rotations[1])
            return n @ (positions[0] - positions[1]) - on_a - on_b

        assert np.linalg.norm(result.normal) == pytest.approx(1.0, abs=1e-12)
        assert separations(result.normal[None])[0] == pytest.approx(distance, abs=rounding)
        spread = np.geomspace(1e-7, 1e-1, len(DIRECTIONS))[:, None]
        excess = -np.inf
        for directions in (DIRECTIONS, result.normal + spread * DIRECTIONS):
            unit = directions / np.linalg.norm(directions, axis=1)[:, None]
            excess = max(excess, np.max(separations(unit)) - distance)
        num_inexact += excess > rounding
        # Of symmetric pairs a circle of normals may be nearly equally good: MAX_SUPPORT_POINTS.
        is_symmetric = family == "aligned" or not np.any(positions[1])
        assert excess <= (1e-4 if is_symmetric else 1e-9) * size + rounding
        faces = polyhedron(a, rotations[0]), polyhedron(b, rotations[1])
        if distance < 0 and None not in faces:
            num_compared["axes"] += 1
            products = np.cross(faces[0][1][:, None], faces[1][1]).reshape(-1, 3)
            lengths = np.linalg.norm(products, axis=1)
            products = products[lengths > 1e-9 * np.max(lengths)]
            axes = np.concatenate([faces[0][0], faces[1][0], products])
            axes /= np.linalg.norm(axes, axis=1)[:, None]
            assert np.max(separations(np.concatenate([axes, -axes]))) == pytest.approx(distance, abs=rounding)
        if result.distance > 0:
            across = result.point_a - result.point_b - result.distance * result.normal
            assert np.linalg.norm(across) <= 1e-6 * small + 1e-9 * size
        for (shape, *_), each, point, sign in zip(
            solids, placed, (result.point_a, result.point_b), (-1, 1), strict=True
        ):
            surface = point + sign * each.shape.rounding * result.normal
            assert contains(shape, (surface - each.p) @ each.R, 1e-9 * each.shape.bounding_radius + rounding)
        if abs(distance) > 1e-3 * size and family != "far":
            expected, normal = coal_distance(solids, rotations, positions, size)
            if distance > 0:
                num_compared["coal"] += 1
                assert distance == pytest.approx(expected, abs=1e-6 * size)
            elif isinstance(a, EXACT_IN_COAL) and isinstance(b, EXACT_IN_COAL):
                num_compared["exact depths"] += 1
                assert distance == pytest.approx(expected, abs=1e-10 * size)
                # Several normals may be equally good.
                assert separations(normal[None])[0] == pytest.approx(distance, abs=1e-10 * size)
            else:
                num_compared["depths"] += 1
                assert expected <= distance + EPA_TOLERANCE * size
                num_compared["close"] += expected >= distance - 1e-5 * size
        if isinstance(a, ROUNDED_BOXES) and isinstance(b, ROUNDED_BOXES):
            poses = [se3.frame(R, p) for R, p in zip(rotations, positions, strict=True)]
            gap = np.min(collide(a, poses[0], b, poses[1], max(distance, 0.0) + size).gap)
            core_distance = abs(distance) + 2 * small + sum(each.shape.rounding for each in placed)
            tolerance = 2 * FLAT_TOLERANCE**2 * core_distance + rounding
            if abs(result.distance) < TOUCHING_TOLERANCE * size:
                # Touching cores have a mean normal.
                tolerance += abs(distance) + min(small, TOUCHING_TOLERANCE * size)
            assert gap == pytest.approx(distance, abs=tolerance)
    assert num_inexact <= (0.1 if family == "enclosed" else 0.01) * NUM_PAIRS / len(FAMILIES)
    if family in ("unit", "millimeters", "kilometers"):
        assert num_compared["coal"] > NUM_PAIRS // len(FAMILIES) // 4
        assert num_compared["exact depths"] > 0
    if family == "enclosed":
        assert num_compared["axes"] > 0
        assert num_compared["depths"] > 10
    assert num_compared["close"] >= 0.7 * num_compared["depths"]


@pytest.mark.parametrize("other", [Plane(), Box([2.0, 2.0, 1.0])], ids=["plane", "box"])
@pytest.mark.parametrize("gap", [-1e-4, 0.0, 1e-12, 5e-4])
class TestOnAFloor:
    """Cylinders and cones on a plane, and on a box whose upper face is that plane."""

    def manifold(self, shape, R, height, other, margin=1e-3):
        floor = se3.frame(AXES, [0, 0, 0 if isinstance(other, Plane) else -0.5])
        return collide(shape, se3.frame(R, [0.1, -0.2, height]), other, floor, margin)

    def test_standing_cylinder_touches_in_eight_points_of_its_rim(self, other, gap):
        manifold = self.manifold(Cylinder(0.1, 0.3), AXES, 0.15 + gap, other)
        assert len(manifold.gap) == 8
        assert np.allclose(manifold.gap, gap, rtol=0, atol=1e-14)
        assert np.allclose(manifold.normal, [0, 0, 1], rtol=0, atol=1e-12)
        assert np.allclose(np.linalg.norm(manifold.position[:, :2] - [0.1, -0.2], axis=1), 0.1)

    def test_lying_cylinder_touches_along_a_line(self, other, gap):
        R = Rotation.from_euler("z", 0.4).as_matrix() @ Rotation.from_euler("y", np.pi / 2).as_matrix()
        manifold = self.manifold(Cylinder(0.1, 0.3), R, 0.1 + gap, other)
        assert len(manifold.gap) == 2
        assert np.allclose(manifold.gap, gap, rtol=0, atol=1e-14)
        ends = np.array([[0.1, -0.2]]) + 0.15 * np.array([[-1], [1]]) * R[:2, 2]
        order = np.argsort(manifold.position[:, 0])
        assert np.allclose(manifold.position[order, :2], ends, atol=1e-12)

    def test_tilted_cylinder_touches_in_the_lowest_point_of_its_rim(self, other, gap):
        angle = 0.6
        R = Rotation.from_euler("y", angle).as_matrix()
        height = 0.1 * np.sin(angle) + 0.15 * np.cos(angle)
        manifold = self.manifold(Cylinder(0.1, 0.3), R, height + gap, other)
        assert len(manifold.gap) == 1
        assert manifold.gap[0] == pytest.approx(gap, abs=1e-12)
        lowest = [0.1 + 0.1 * np.cos(angle) - 0.15 * np.sin(angle), -0.2]
        assert np.allclose(manifold.position[0, :2], lowest, atol=1e-5)
        assert np.allclose(manifold.normal, [0, 0, 1], rtol=0, atol=1e-6)

    def test_lying_cone_touches_along_a_line_through_its_apex(self, other, gap):
        radius, length = 0.1, 0.3
        half_angle = np.arctan2(radius, length)
        R = Rotation.from_euler("y", np.pi / 2 + half_angle).as_matrix()
        height = 3 / 4 * length * np.sin(half_angle)
        manifold = self.manifold(Cone(radius, length), R, height + gap, other)
        assert len(manifold.gap) == 2
        assert np.allclose(manifold.gap, gap, rtol=0, atol=1e-14)
        distance = np.linalg.norm(manifold.position[0] - manifold.position[1])
        assert distance == pytest.approx(np.hypot(radius, length))


@pytest.mark.parametrize("gap", [-1e-6, 0.0, 1e-9, 1e-4])
def test_parallel_cylinders_touch_along_a_line(gap):
    R = Rotation.from_euler("y", np.pi / 2).as_matrix()
    first, second = Cylinder(0.1, 0.3), Cylinder(0.2, 0.4)
    contacts = collide(first, se3.frame(R, [0.2, 0, 0.3 + gap]), second, se3.frame(R, [0, 0, 0]), 1e-3)
    assert np.allclose(np.sort(contacts.position[:, 0]), [0.05, 0.2])
    assert np.allclose(contacts.gap, gap, rtol=0, atol=1e-12)
    assert np.allclose(contacts.normal, [0, 0, 1], rtol=0, atol=1e-6)


@pytest.mark.slow
def test_coinciding_solids_separate_along_a_shortest_direction():
    pose = se3.frame(Rotation.from_euler("xyz", [0.3, 0.2, 0.1]).as_matrix(), [1, 2, 3])
    contacts = collide(Cylinder(0.1, 0.5), pose, Cylinder(0.1, 0.5), pose, 0.0)
    assert np.min(contacts.gap) == pytest.approx(-0.2, abs=1e-6)
    contacts = collide(Cylinder(0.5, 0.1), pose, Cylinder(0.5, 0.1), pose, 0.0)
    assert np.min(contacts.gap) == pytest.approx(-0.1, abs=1e-6)


@pytest.mark.slow
def test_exchanging_the_shapes_reverses_the_normal():
    for solids, rotations, positions in random_pairs(5, 60):
        (a, *_), (b, *_) = solids
        poses = [se3.frame(R, p) for R, p in zip(rotations, positions, strict=True)]
        there, back = collide(a, poses[0], b, poses[1], 2.0), collide(b, poses[1], a, poses[0], 2.0)
        assert np.min(there.gap) == pytest.approx(np.min(back.gap), abs=4 * FLAT_TOLERANCE**2)


def test_wide_gaps_give_no_contact():
    far = se3.frame(AXES, [0, 0, 5.0])
    assert len(collide(Cylinder(0.1, 0.3), far, Cone(0.1, 0.3), np.eye(4), 0.1).gap) == 0
    assert len(collide(Cylinder(0.1, 0.3), far, Plane(), np.eye(4), 0.1).gap) == 0


def test_contact_points_lie_midway_between_the_surfaces():
    ball, drum = Sphere(0.1), Cylinder(0.2, 0.6)
    for gap in (-1e-3, 1e-3):
        contacts = collide(ball, se3.frame(AXES, [0.3 + gap, 0, 0.1]), drum, np.eye(4), 0.01)
        assert np.allclose(contacts.position, [[0.2 + gap / 2, 0, 0.1]], atol=1e-7)
        assert np.allclose(contacts.normal, [[1, 0, 0]], atol=1e-6)
        assert np.allclose(contacts.gap, gap, atol=1e-12)


def cube_mesh(sides):
    return ConvexMesh(np.array(list(product((-0.5, 0.5), repeat=3))) * sides)


@pytest.mark.parametrize(
    "other", [Plane(), Box([2.0, 2.0, 1.0]), Cylinder(0.8, 1.0)], ids=["plane", "box", "drum"]
)
@pytest.mark.parametrize("angle", [0.0, 0.01, 0.4])
def test_mesh_of_a_box_has_the_contacts_of_the_box(other, angle):
    sides = np.array([0.2, 0.3, 0.4])
    floor = se3.frame(AXES, [0, 0, 0 if isinstance(other, Plane) else -0.5])
    R = Rotation.from_euler("zx", [0.3, angle]).as_matrix()
    pose = se3.frame(R, [0.1, -0.2, np.abs(R[2]) @ sides / 2 + 1e-4])
    box, mesh = (collide(shape, pose, other, floor, 0.2) for shape in (Box(sides), cube_mesh(sides)))
    assert len(box.gap) == len(mesh.gap)
    assert len(mesh.gap) >= (4 if angle < FLAT_TOLERANCE else 2)
    order, mesh_order = (np.lexsort(each.position.round(6).T) for each in (box, mesh))
    np.testing.assert_allclose(mesh.position[mesh_order], box.position[order], atol=1e-9)
    np.testing.assert_allclose(mesh.gap[mesh_order], box.gap[order], atol=1e-9)
    np.testing.assert_allclose(mesh.normal, np.broadcast_to(box.normal[0], mesh.normal.shape), atol=1e-9)


@pytest.mark.parametrize("gap", [-1e-4, 0.0, 1e-4])
def test_ellipsoids_touch_planes_and_each_other_along_the_common_normal(gap):
    semi_axes, normal = np.array([0.1, 0.2, 0.3]), np.array([0.48, 0.6, 0.64])
    point = semi_axes**2 * normal / np.linalg.norm(semi_axes * normal)
    plane = se3.frame(Rotation.align_vectors(normal, [0, 0, 1])[0].as_matrix(), point + gap * normal)
    (plane_gap,) = collide(
        Plane(), plane @ np.diag([1, -1, -1, 1]), Ellipsoid(semi_axes), np.eye(4), 1e-3
    ).gap
    assert plane_gap == pytest.approx(gap, abs=1e-14)
    pose = se3.frame(AXES, 2 * point + gap * normal)
    contacts = collide(Ellipsoid(semi_axes), pose, Ellipsoid(semi_axes), np.eye(4), 1e-3)
    assert contacts.gap == pytest.approx([gap], abs=1e-12)
    np.testing.assert_allclose(contacts.normal, [normal], atol=1e-9)
    np.testing.assert_allclose(contacts.position, [point + gap / 2 * normal], atol=1e-9)
