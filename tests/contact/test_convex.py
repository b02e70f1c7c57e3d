"""Separations and contact points of cylinders and cones.

The oracles are support functions in closed form on many directions, points of the solids by their
definition, and coal for separated solids. (coal's penetration depths of curved solids are only bounds.)
"""

import coal
import numpy as np
import pytest
from hypothesis import settings
from scipy.spatial.transform import Rotation

from rbnotes import se3
from rbnotes.contact import collide
from rbnotes.contact.convex import PlacedSolid, separation
from rbnotes.contact.manifolds import FLAT_TOLERANCE
from rbnotes.shapes import Box, Capsule, Cone, Cylinder, Plane, Sphere

NUM_PAIRS = 10_000 if settings.default.max_examples > 100 else 300
KINDS = ("cylinder", "cone", "box", "sphere", "capsule")
AXES = np.eye(3)


def solid(kind, sizes):
    """Return a shape, the same one of coal, and the origin of coal's frame."""
    a, b, c = sizes
    return {
        "cylinder": lambda: (Cylinder(a / 2, b), coal.Cylinder(a / 2, b), np.zeros(3)),
        "cone": lambda: (Cone(a / 2, b), coal.Cone(a / 2, b), np.array([0, 0, b / 4])),
        "box": lambda: (Box([a, b, c]), coal.Box(a, b, c), np.zeros(3)),
        "sphere": lambda: (Sphere(a / 2), coal.Sphere(a / 2), np.zeros(3)),
        "capsule": lambda: (Capsule(a / 3, b), coal.Capsule(a / 3, b), np.zeros(3)),
    }[kind]()


def support_function(shape, directions):
    """Return the largest ``d @ x`` over the points of a shape for directions ``(k, 3)``."""
    radial, z = np.linalg.norm(directions[:, :2], axis=1), directions[:, 2]
    match shape:
        case Cylinder(radius, length):
            return radius * radial + length / 2 * np.abs(z)
        case Cone(radius, length):
            return np.maximum(3 / 4 * length * z, radius * radial - length / 4 * z)
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
            slope = radius / length
            return z >= -length / 4 - tolerance and radial <= slope * (3 / 4 * length - z) + tolerance
        case Box(sides):
            return bool(np.all(np.abs(point) <= np.array(sides) / 2 + tolerance))
        case Sphere(radius):
            return np.linalg.norm(point) <= radius + tolerance
        case Capsule(radius, length):
            return np.hypot(radial, max(0.0, abs(z) - length / 2)) <= radius + tolerance


def random_pairs(seed, count, scale=1.0):
    """Yield pairs of shapes with poses: from deep overlap to distances of a few sizes."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        kinds = (KINDS[rng.integers(2)], KINDS[rng.integers(5)])
        found = [solid(kind, scale * rng.uniform(0.2, 1.0, 3)) for kind in rng.permutation(kinds)]
        rotations = Rotation.random(2, random_state=int(rng.integers(2**31))).as_matrix()
        away = rng.normal(size=3)
        position = scale * rng.uniform(0.05, 1.8) * away / np.linalg.norm(away)
        yield found, rotations, (np.zeros(3), position)


def separate(found, rotations, positions):
    placed = [
        PlacedSolid(shape.collision_geometry, R, p)
        for (shape, *_), R, p in zip(found, rotations, positions, strict=True)
    ]
    result = separation(*placed)
    return placed, result, result.distance - sum(each.shape.rounding for each in placed)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_separation_is_the_maximum_over_all_directions(scale):
    directions = np.random.default_rng(1).normal(size=(4000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    overlapping = 0
    for found, rotations, positions in random_pairs(2, NUM_PAIRS // 3, scale):
        (a, *_), (b, *_) = found
        _, result, distance = separate(found, rotations, positions)

        def separations(n, a=a, b=b, rotations=rotations, positions=positions):
            on_a, on_b = support_function(a, -n @ rotations[0]), support_function(b, n @ rotations[1])
            return n @ (positions[0] - positions[1]) - on_a - on_b

        assert separations(result.normal[None])[0] == pytest.approx(distance, abs=1e-12 * scale)
        assert np.max(separations(directions)) <= distance + 1e-12 * scale
        near = result.normal + 1e-3 * directions
        assert np.max(separations(near / np.linalg.norm(near, axis=1)[:, None])) <= distance + 1e-11 * scale
        overlapping += distance < 0
    assert NUM_PAIRS / 12 < overlapping < NUM_PAIRS / 4


def test_closest_points_lie_on_the_solids_across_the_separation():
    for found, rotations, positions in random_pairs(3, NUM_PAIRS):
        placed, result, _ = separate(found, rotations, positions)
        assert np.allclose(result.on_a - result.on_b, result.distance * result.normal, rtol=0, atol=1e-7)
        points = (result.on_a, result.on_b)
        signs = (-1, 1)
        for (shape, *_), each, point, sign in zip(found, placed, points, signs, strict=True):
            surface = point + sign * each.shape.rounding * result.normal
            assert contains(shape, (surface - each.p) @ each.R, 1e-9)


def test_distances_equal_those_of_coal():
    request = coal.DistanceRequest()
    request.gjk_tolerance, request.gjk_max_iterations = 1e-10, 1000
    apart = 0
    for found, rotations, positions in random_pairs(4, NUM_PAIRS):
        _, _, distance = separate(found, rotations, positions)
        if distance < 1e-3:
            continue
        apart += 1
        (_, a, origin_a), (_, b, origin_b) = found
        poses = [
            coal.Transform3s(R, p + R @ origin)
            for R, p, origin in zip(rotations, positions, (origin_a, origin_b), strict=True)
        ]
        expected = coal.distance(a, poses[0], b, poses[1], request, coal.DistanceResult())
        assert distance == pytest.approx(expected, abs=1e-7)
    assert apart > NUM_PAIRS / 3


@pytest.mark.parametrize("other", [Plane(), Box([2.0, 2.0, 1.0])], ids=["plane", "box"])
@pytest.mark.parametrize("gap", [-1e-4, 0.0, 1e-12, 5e-4])
class TestOnAFloor:
    """Cylinders and cones on a plane, and on a box whose upper face is that plane."""

    def manifold(self, shape, R, height, other, margin=1e-3):
        floor = se3.frame(AXES, [0, 0, 0 if isinstance(other, Plane) else -0.5])
        return collide(shape, se3.frame(R, [0.1, -0.2, height]), other, floor, margin)

    def test_standing_cylinder_touches_in_eight_points_of_its_rim(self, other, gap):
        found = self.manifold(Cylinder(0.1, 0.3), AXES, 0.15 + gap, other)
        assert len(found.gap) == 8
        assert np.allclose(found.gap, gap, rtol=0, atol=1e-14)
        assert np.allclose(found.normal, [0, 0, 1], rtol=0, atol=1e-12)
        assert np.allclose(np.linalg.norm(found.position[:, :2] - [0.1, -0.2], axis=1), 0.1)

    def test_lying_cylinder_touches_along_a_line(self, other, gap):
        R = Rotation.from_euler("z", 0.4).as_matrix() @ Rotation.from_euler("y", np.pi / 2).as_matrix()
        found = self.manifold(Cylinder(0.1, 0.3), R, 0.1 + gap, other)
        assert len(found.gap) == 2
        assert np.allclose(found.gap, gap, rtol=0, atol=1e-14)
        ends = np.array([[0.1, -0.2]]) + 0.15 * np.array([[-1], [1]]) * R[:2, 2]
        order = np.argsort(found.position[:, 0])
        assert np.allclose(found.position[order, :2], ends, atol=1e-12)

    def test_tilted_cylinder_touches_in_the_lowest_point_of_its_rim(self, other, gap):
        angle = 0.6
        R = Rotation.from_euler("y", angle).as_matrix()
        height = 0.1 * np.sin(angle) + 0.15 * np.cos(angle)
        found = self.manifold(Cylinder(0.1, 0.3), R, height + gap, other)
        assert len(found.gap) == 1
        assert found.gap[0] == pytest.approx(gap, abs=1e-12)
        lowest = [0.1 + 0.1 * np.cos(angle) - 0.15 * np.sin(angle), -0.2]
        assert np.allclose(found.position[0, :2], lowest, atol=1e-5)
        assert np.allclose(found.normal, [0, 0, 1], rtol=0, atol=1e-6)

    def test_lying_cone_touches_along_a_line_through_its_apex(self, other, gap):
        radius, length = 0.1, 0.3
        half_angle = np.arctan2(radius, length)
        R = Rotation.from_euler("y", np.pi / 2 + half_angle).as_matrix()
        height = 3 / 4 * length * np.sin(half_angle)
        found = self.manifold(Cone(radius, length), R, height + gap, other)
        assert len(found.gap) == 2
        assert np.allclose(found.gap, gap, rtol=0, atol=1e-14)
        apart = np.linalg.norm(found.position[0] - found.position[1])
        assert apart == pytest.approx(np.hypot(radius, length))


@pytest.mark.parametrize("gap", [-1e-6, 0.0, 1e-9, 1e-4])
def test_parallel_cylinders_touch_along_a_line(gap):
    R = Rotation.from_euler("y", np.pi / 2).as_matrix()
    first, second = Cylinder(0.1, 0.3), Cylinder(0.2, 0.4)
    found = collide(first, se3.frame(R, [0.2, 0, 0.3 + gap]), second, se3.frame(R, [0, 0, 0]), 1e-3)
    assert np.allclose(np.sort(found.position[:, 0]), [0.05, 0.2])
    assert np.allclose(found.gap, gap, rtol=0, atol=1e-12)
    assert np.allclose(found.normal, [0, 0, 1], rtol=0, atol=1e-6)


def test_coinciding_solids_are_pushed_apart_along_a_shortest_way():
    pose = se3.frame(Rotation.from_euler("xyz", [0.3, 0.2, 0.1]).as_matrix(), [1, 2, 3])
    found = collide(Cylinder(0.1, 0.5), pose, Cylinder(0.1, 0.5), pose, 0.0)
    assert np.min(found.gap) == pytest.approx(-0.2, abs=1e-6)
    found = collide(Cylinder(0.5, 0.1), pose, Cylinder(0.5, 0.1), pose, 0.0)
    assert np.min(found.gap) == pytest.approx(-0.1, abs=1e-6)


def test_exchanging_the_shapes_reverses_the_normal():
    for found, rotations, positions in random_pairs(5, 60):
        (a, *_), (b, *_) = found
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
        found = collide(ball, se3.frame(AXES, [0.3 + gap, 0, 0.1]), drum, np.eye(4), 0.01)
        assert np.allclose(found.position, [[0.2 + gap / 2, 0, 0.1]], atol=1e-7)
        assert np.allclose(found.normal, [[1, 0, 0]], atol=1e-6)
        assert np.allclose(found.gap, gap, atol=1e-12)
