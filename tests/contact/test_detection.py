"""Contact points: distances against coal and brute force, points on both surfaces, manifolds, rows."""

from itertools import product

import coal
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog, lsq_linear

from rbnotes import se3, so3, testing
from rbnotes.arguments import InvalidArgument
from rbnotes.contact import (
    Collider,
    ContactPoints,
    collide,
    contact_jacobian,
    contact_points,
    normal_jacobian,
)
from rbnotes.contact.distance import closest_on_segments
from rbnotes.dynamics import WORLD
from rbnotes.shapes import Box, Capsule, Plane, RoundedBox, Sphere
from rbnotes.testing.strategies import (
    frames,
    nonzero_vectors,
    positive_numbers,
    twists,
    unit_vectors,
    vectors,
)

FLAT = 0.03
LEANING = 0.5
"""Edges and faces that lean by less lie flat, or may come to: see rbnotes.contact.manifolds."""

FAR = 100.0
"""A margin beyond which nothing is."""

sizes = positive_numbers(0.25, 2.0)
boxes = st.builds(lambda x, y, z: Box([x, y, z]).collision_geometry, sizes, sizes, sizes)
shapes = boxes | (st.builds(Sphere, sizes) | st.builds(Capsule, sizes, sizes)).map(
    lambda shape: shape.collision_geometry
)
near_frames = st.builds(lambda E, scale: se3.frame(E[:3, :3], E[:3, 3] * scale), frames(), sizes)


def coal_shape(shape):
    half, radius = shape.half_extents, shape.radius
    if radius == 0:
        return coal.Box(*(2 * half))
    return coal.Capsule(radius, 2 * half[2]) if half[2] else coal.Sphere(radius)


def coal_distance(a, pose_a, b, pose_b):
    request, result = coal.DistanceRequest(True, True), coal.DistanceResult()
    for name, value in {"tolerance": 1e-10, "max_iterations": 1000}.items():
        setattr(request, f"gjk_{name}", value)
        setattr(request, f"epa_{name}", value)
    placed = [coal.Transform3s(E[:3, :3], E[:3, 3]) for E in (pose_a, pose_b)]
    return coal.distance(coal_shape(a), placed[0], coal_shape(b), placed[1], request, result)


def height(shape, pose, x):
    """Return the signed distance of points from the surface of a rounded box, below zero inside."""
    local = np.abs((x - pose[:3, 3]) @ pose[:3, :3]) - shape.half_extents
    outside = np.linalg.norm(np.maximum(local, 0), axis=-1)
    return outside + np.minimum(np.max(local, axis=-1), 0) - shape.radius


def core_distance(a, b, gap):
    return abs(gap) + a.radius + b.radius


class TestDistance:
    @given(shapes, near_frames, shapes, near_frames)
    def test_nearest_gap_against_coal(self, a, pose_a, b, pose_b):
        actual, expected = collide(a, pose_a, b, pose_b, FAR), coal_distance(a, pose_a, b, pose_b)
        tolerance = 2 * FLAT**2 * core_distance(a, b, expected) + 1e-7
        np.testing.assert_allclose(actual.gap.min(), expected, rtol=0, atol=tolerance)

    @given(near_frames, near_frames, st.tuples(sizes, sizes), st.tuples(sizes, sizes))
    def test_capsule_distance_by_brute_force(self, pose_a, pose_b, first, second):
        """Two capsules are as far apart as the nearest two of many balls along their axes."""
        a, b = Capsule(*first).collision_geometry, Capsule(*second).collision_geometry
        along = np.linspace(-1, 1, 201)
        x, y = (
            pose[:3, 3] + along[:, None] * shape.half_extents[2] * pose[:3, 2]
            for shape, pose in ((a, pose_a), (b, pose_b))
        )
        nearest = np.min(np.linalg.norm(x[:, None] - y[None], axis=-1)) - a.radius - b.radius
        gap = collide(a, pose_a, b, pose_b, FAR).gap.min()
        assert nearest - 0.02 <= gap <= nearest + 2 * FLAT**2 * core_distance(a, b, nearest)

    @given(vectors(), vectors(), nonzero_vectors(), nonzero_vectors(), st.booleans())
    def test_segments_by_bounded_least_squares(self, p, q, u, v, parallel):
        v = -1.5 * u if parallel else v
        x, y = closest_on_segments(p, p + u, q, q + v)
        best = lsq_linear(np.stack([u, -v], axis=1), q - p, bounds=(0, 1), tol=1e-14)
        np.testing.assert_allclose(np.linalg.norm(x - y), np.sqrt(2 * best.cost), atol=1e-6)
        for point, start, along in ((x, p, u), (y, q, v)):
            part = (point - start) @ along / (along @ along)
            assert -1e-12 <= part <= 1 + 1e-12
            np.testing.assert_allclose(start + part * along, point, atol=1e-12)

    @pytest.mark.parametrize("length", [1e-7, 1.0, 1e7])
    def test_segments_of_any_length_that_cross(self, length):
        p, u, v = np.array([1.0, 2.0, 3.0]), np.array([2.0, 0.0, 0.0]), np.array([0.6, 0.8, 0.0]) * length
        x, y = closest_on_segments(p - 0.3 * u, p + 0.7 * u, p - 0.4 * v, p + 0.6 * v)
        np.testing.assert_allclose([x, y], [p, p], rtol=0, atol=1e-14 * max(1.0, length))

    @given(boxes, near_frames, boxes, near_frames)
    def test_boxes_overlap_iff_they_share_a_point(self, a, pose_a, b, pose_b):
        gap = collide(a, pose_a, b, pose_b, FAR).gap.min()
        assume(abs(gap) > 1e-3)
        placed = ((a, pose_a), (b, pose_b))
        sides = [
            (sign * pose[:3, i], shape.half_extents[i] + sign * pose[:3, i] @ pose[:3, 3])
            for (shape, pose), i, sign in product(placed, range(3), (1, -1))
        ]
        rows, limits = np.array([side for side, _ in sides]), [limit for _, limit in sides]
        assert linprog(np.zeros(3), A_ub=rows, b_ub=limits, bounds=(None, None)).success == (gap < 0)

    @pytest.mark.slow
    @given(boxes, near_frames, boxes, near_frames)
    def test_least_overlap_of_boxes(self, a, pose_a, b, pose_b):
        """Displaced by the depth they touch; displaced by less, in any direction, they still overlap."""
        contacts = collide(a, pose_a, b, pose_b, FAR)
        deepest = int(np.argmin(contacts.gap))
        depth = -contacts.gap[deepest]
        assume(depth > 0.05)
        separated = pose_a.copy()
        separated[:3, 3] += depth * contacts.normal[deepest]
        assert abs(collide(a, separated, b, pose_b, FAR).gap.min()) < 5 * FLAT**2 * (depth + 1)
        for direction in product((-1.0, 0.0, 1.0), repeat=3):
            displaced = pose_a.copy()
            displaced[:3, 3] += 0.98 * depth * np.array(direction) / max(np.linalg.norm(direction), 1)
            assert collide(a, displaced, b, pose_b, FAR).gap.min() < 0


class TestPoints:
    @given(shapes, near_frames, shapes, near_frames)
    def test_contact_points_lie_on_both_surfaces(self, a, pose_a, b, pose_b):
        """Half the gap along the normal leads to either surface; overlapping points are inside both."""
        contacts = collide(a, pose_a, b, pose_b, FAR)
        assume(np.all(contacts.gap > -2 * max(a.radius, b.radius, 0.05)))  # less than halfway through
        half = contacts.gap[:, None] / 2 * contacts.normal
        for shape, pose, sign in ((a, pose_a, 1), (b, pose_b, -1)):
            surface = contacts.position + sign * half
            off = height(shape, pose, surface)
            # A round end that lies flat or leans over a face is touched beside its nearest point, and so are
            # two edges that count as parallel.
            is_regular = shape.radius or len(contacts.gap) == 2
            flat = 3 * FLAT * shape.half_extents.max() + FLAT**2 / 2 * shape.radius if is_regular else 0.0
            leaning = (1 - np.sqrt(1 - LEANING**2)) * shape.radius
            assert abs(off[contacts.gap.argmin()]) <= flat + 1e-9
            assert np.abs(off).max() <= max(flat, leaning) + 1e-9
        assert np.all(np.linalg.norm(contacts.normal, axis=1) - 1 < 1e-12)

    @given(shapes, near_frames, shapes, near_frames)
    def test_swapping_shapes_flips_the_normal(self, a, pose_a, b, pose_b):
        one, other = collide(a, pose_a, b, pose_b, FAR), collide(b, pose_b, a, pose_a, FAR)
        np.testing.assert_allclose(one.gap.min(), other.gap.min(), rtol=2 * FLAT**2, atol=1e-9)
        assume(core_distance(a, b, one.gap.min()) > 0.01 and abs(one.gap.min()) > 0.01)
        assume(len(one.gap) == len(other.gap) == 1)
        separated = one.gap[0] + a.radius + b.radius > 1e-6  # overlapping cores may have two best axes
        if separated:
            np.testing.assert_allclose(one.normal, -other.normal, atol=1e-6)
            np.testing.assert_allclose(one.position, other.position, atol=1e-6)

    @given(shapes, near_frames, shapes, near_frames, frames())
    def test_contact_points_move_with_the_bodies(self, a, pose_a, b, pose_b, E):
        one = collide(a, pose_a, b, pose_b, FAR)
        other = collide(a, E @ pose_a, b, E @ pose_b, FAR)
        assume(len(one.gap) == len(other.gap) == 1)
        np.testing.assert_allclose(one.gap, other.gap, atol=1e-8)
        if np.allclose(one.normal @ E[:3, :3].T, other.normal, atol=1e-6):
            np.testing.assert_allclose(se3.transform_points(E, one.position), other.position, atol=1e-6)
        else:  # two directions overlap as little as each other
            assert one.gap[0] + a.radius + b.radius < 1e-6

    @given(shapes, near_frames, frames(), positive_numbers())
    def test_contact_points_on_a_plane(self, shape, pose, plane, margin):
        contacts = collide(shape, pose, Plane(), plane, margin)
        below = se3.transform_points(se3.inverse(plane), contacts.position)
        np.testing.assert_allclose(contacts.normal, np.broadcast_to(plane[:3, 2], contacts.normal.shape))
        np.testing.assert_allclose(below[:, 2], contacts.gap / 2, atol=1e-12)
        directions = pose[:3, :3].T @ -plane[:3, 2]
        lowest = pose[:3, :3] @ (np.sign(directions) * shape.half_extents) - shape.radius * plane[:3, 2]
        least = (pose[:3, 3] + lowest - plane[:3, 3]) @ plane[:3, 2]
        assert (len(contacts.gap) == 0) == (least > margin)
        if len(contacts.gap):
            assert contacts.gap.min() == pytest.approx(least, abs=1e-12)
        other = collide(Plane(), plane, shape, pose, margin)
        np.testing.assert_array_equal(other.normal, -contacts.normal)
        np.testing.assert_array_equal(other.position, contacts.position)


SCENE = [
    Collider(WORLD, Plane(), mu=0.4, restitution=0.9),
    Collider(0, Box([1, 1, 1]), mu=0.9, restitution=0.4),
    Collider(1, Sphere(0.5), se3.frame(np.eye(3), [0.1, 0, 0])),
    Collider(1, Sphere(0.2)),
]
POSES = se3.frame(so3.exp([[0, 0, 0.3], [0.2, 0.1, 0]]), [[0, 0, 0.5], [0.05, 0.1, 1.5]])


class TestScene:
    @pytest.mark.parametrize("height", [1.0, -2.0, 30.0])
    def test_contact_with_a_plane_away_from_the_origin(self, height):
        """Also in a tilted world: the distance does not depend on the orientation of frames."""
        tilt = se3.exp([0.3, -0.4, 0.2, 0.5, 0.1, 0.7])
        floor = Collider(WORLD, Plane(), tilt @ se3.frame(np.eye(3), [0.4, -0.3, height]))
        ball, box = Collider(0, Sphere(0.2)), Collider(1, Box([0.2, 0.4, 0.6]))
        above = np.stack([tilt @ se3.frame(np.eye(3), [x, 0.0, height + 0.25]) for x in (-1.0, 2.0)])
        for colliders in ([floor, ball, box], [ball, box, floor]):
            points = contact_points(colliders, above, 0.1)
            bodies = np.maximum(points.a, points.b)
            np.testing.assert_allclose(points.gap[bodies == 0], [0.05], atol=1e-12)
            np.testing.assert_allclose(points.gap[bodies == 1], [-0.05] * 4, atol=1e-12)
            higher = above.copy()
            higher[:, :3, 3] += 0.3 * tilt[:3, 2]
            assert len(contact_points(colliders, higher, 0.1)) == 0

    def test_colliding_pairs(self):
        points = contact_points(SCENE, POSES, 0.01)
        assert list(zip(points.a, points.b, strict=True)) == [(-1, 0)] * 4 + [(0, 1)]
        np.testing.assert_allclose(points.normal[:4], [[0, 0, -1]] * 4)
        assert points.normal[4, 2] == pytest.approx(-1)
        np.testing.assert_allclose(points.mu, [0.6] * 4 + [np.sqrt(0.45)])
        np.testing.assert_allclose(points.restitution, [0.6] * 4 + [0.0])

    def test_separated_shapes_have_no_contact(self):
        points = contact_points(SCENE, POSES, 0.01, excluded_pairs=[(1, 0)])
        assert len(points) == 4
        assert len(contact_points(SCENE, POSES, 0.01, excluded_pairs=[(1, 0), (WORLD, 0)])) == 0

    @given(st.lists(st.tuples(shapes, near_frames), min_size=2, max_size=5))
    def test_bounding_spheres_miss_no_contact(self, placed):
        colliders = [Collider(i, shape) for i, (shape, _) in enumerate(placed)]
        poses = np.stack([pose for _, pose in placed])
        contacts = contact_points([Collider(WORLD, Plane()), *colliders], poses, 0.1)
        expected = sum(
            len(collide(placed[i][0], poses[i], placed[j][0], poses[j], 0.1).gap)
            for i in range(len(placed))
            for j in range(i)
        ) + sum(len(collide(shape, pose, Plane(), np.eye(4), 0.1).gap) for shape, pose in placed)
        assert len(contacts) == expected

    @given(twists(), twists())
    def test_normal_rows_are_the_rate_of_the_gap(self, first, second):
        points = contact_points(SCENE, POSES, 0.1)
        rows = normal_jacobian(points, POSES)
        phi = np.stack([first, second])

        def gap(t):
            displaced = POSES @ se3.exp(t * phi)
            new = contact_points(SCENE, displaced, 0.2)
            corners = [np.argmin(np.linalg.norm(new.position - x, axis=1)) for x in points.position]
            return new.gap[corners]

        rate = testing.derivative(gap, 0.0, step=1e-3)
        # A corner's gap changes with the corner, halfway between the surfaces is half a gap higher.
        np.testing.assert_allclose(rows @ phi.ravel(), rate.value, atol=1e-6)

    @given(near_frames, near_frames, twists(), twists(), vectors(), unit_vectors())
    def test_rows_are_relative_velocities(self, A, B, first, second, x, n):
        points = ContactPoints(
            np.array([0]), np.array([1]), x[None], n[None], np.zeros(1), np.ones(1), np.zeros(1)
        )
        poses, phi = np.stack([A, B]), np.stack([first, second])
        relative = se3.point_velocity(A, se3.transform_points(se3.inverse(A), x), first)
        relative -= se3.point_velocity(B, se3.transform_points(se3.inverse(B), x), second)
        normal, *tangential = contact_jacobian(points, poses) @ phi.ravel()
        assert normal == pytest.approx(n @ relative, abs=1e-9)
        assert normal_jacobian(points, poses) @ phi.ravel() == pytest.approx(normal, abs=1e-9)
        np.testing.assert_allclose(
            np.dot(tangential, tangential), relative @ relative - (n @ relative) ** 2, atol=1e-8
        )

    @given(near_frames, near_frames, vectors(), unit_vectors(), vectors())
    def test_contact_wrenches_cancel(self, A, B, x, n, impulse):
        """The wrenches on both bodies, taken to the world's origin, cancel."""
        points = ContactPoints(
            np.array([0]), np.array([1]), x[None], n[None], np.zeros(1), np.ones(1), np.zeros(1)
        )
        rows = contact_jacobian(points, np.stack([A, B]))
        wrenches = np.split(rows.T @ impulse, 2)
        total = sum(se3.Ad_inverse(E).T @ wrench for E, wrench in zip((A, B), wrenches, strict=True))
        np.testing.assert_allclose(total, 0, atol=1e-9)


class TestErrors:
    def test_invalid_arguments_are_named(self):
        with pytest.raises(InvalidArgument, match="a Plane and a Plane"):
            collide(Plane(), np.eye(4), Plane(), np.eye(4))
        with pytest.raises(InvalidArgument, match="radius: got 0 around a core without volume"):
            RoundedBox(np.array([1.0, 0.0, 1.0]), 0.0)
        with pytest.raises(InvalidArgument, match="sides: got -1"):
            Box([1, -1, 1])
        with pytest.raises(InvalidArgument, match="pose_a"):
            collide(Sphere(1), 2 * np.eye(4), Sphere(1), np.eye(4))
        with pytest.raises(InvalidArgument, match="body: got -2"):
            Collider(-2, Sphere(1))
        with pytest.raises(InvalidArgument, match="body: got None"):
            Collider(None, Sphere(1))
        with pytest.raises(InvalidArgument, match="shape: got str"):
            Collider(0, "sphere")
        with pytest.raises(InvalidArgument, match="restitution: got 1"):
            Collider(0, Sphere(1), restitution=1.5)
        with pytest.raises(InvalidArgument, match="colliders: got body 1, expected one of 1"):
            contact_points([Collider(1, Sphere(1))], POSES[:1])
