"""Contact manifolds of boxes and capsules: number and positions of points, normals."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbnotes import se3, so3
from rbnotes.contact import (
    collide,
)
from rbnotes.shapes import Box, Capsule, Sphere


def pose_at(x, y, z, *rotation):
    return se3.frame(so3.exp(rotation or (0.0, 0.0, 0.0)), [x, y, z])


def sorted_rows(points):
    return points[np.lexsort(np.round(points, 6).T)]


class TestManifolds:
    def test_aligned_boxes_touch_at_four_corners(self):
        contacts = collide(Box([1, 1, 1]), pose_at(0.25, 0, 0.99), Box([1, 2, 1]), pose_at(0, 0, 0), 0.1)
        expected = np.array(list(product([-0.25, 0.5], [-0.5, 0.5], [0.495])))
        np.testing.assert_allclose(sorted_rows(contacts.position), sorted_rows(expected), atol=1e-12)
        np.testing.assert_allclose(contacts.gap, -0.01)
        np.testing.assert_allclose(contacts.normal, np.tile([0, 0, 1.0], (4, 1)))

    def test_rotated_boxes_touch_at_eight_points(self):
        contacts = collide(
            Box([1, 1, 1]), pose_at(0, 0, 1.01, 0, 0, np.pi / 4), Box([1, 1, 1]), np.eye(4), 0.1
        )
        assert len(contacts.gap) == 8
        np.testing.assert_allclose(np.abs(contacts.position[:, :2]).max(axis=1), 0.5)
        np.testing.assert_allclose(np.abs(contacts.position[:, :2]).sum(axis=1), np.sqrt(0.5))

    @given(st.floats(0.001, 0.029), st.booleans())
    def test_rocking_box_keeps_its_far_contacts(self, tilt, about_x):
        rotation = (tilt, 0.0, 0.0) if about_x else (0.0, tilt, 0.0)
        contacts = collide(Box([1, 1, 1]), pose_at(0, 0, 1, *rotation), Box([2, 2, 1]), np.eye(4), 0.1)
        drop = np.sin(tilt) / 2 + np.cos(tilt) / 2
        near = 0.5 - drop
        np.testing.assert_allclose(
            np.sort(contacts.gap), np.repeat([near, near + np.sin(tilt)], 2), atol=1e-12
        )

    @given(st.floats(0.04, 0.4))
    def test_leaning_box_has_a_contact_at_its_other_edge(self, tilt):
        """Its far edge is a contact as soon as it is within the margin."""
        pose = pose_at(0, 0, 0.5 + (np.sin(tilt) + np.cos(tilt)) / 2, tilt, 0, 0)
        near = collide(Box([1, 1, 1]), pose, Box([2, 2.5, 1]), np.eye(4), 0.9 * np.sin(tilt))
        far = collide(Box([1, 1, 1]), pose, Box([2, 2.5, 1]), np.eye(4), 1.1 * np.sin(tilt))
        np.testing.assert_allclose(near.gap, [0, 0], atol=1e-12)
        np.testing.assert_allclose(np.sort(far.gap), [0, 0, *[np.sin(tilt)] * 2], atol=1e-12)

    def test_crossing_edges_touch_at_one_point(self):
        """Crossing edges of two boxes, each rotated by 45 degrees about its own edge."""
        up = so3.exp([np.pi / 4, 0, 0])
        lower = se3.frame(up, [0, 0, 0])
        upper = se3.frame(so3.exp([0, 0, np.pi / 2]) @ up, [0.1, 0.2, np.sqrt(0.5) * 2 - 0.01])
        contacts = collide(Box([2, 1, 1]), upper, Box([2, 1, 1]), lower, 0.1)
        np.testing.assert_allclose(contacts.position, [[0.1, 0, np.sqrt(0.5) - 0.005]], atol=1e-12)
        np.testing.assert_allclose(contacts.normal, [[0, 0, 1]], atol=1e-12)
        np.testing.assert_allclose(contacts.gap, [-0.01])

    @pytest.mark.parametrize("gap", [-1e-5, -1e-8, 0.0, 1e-9, 1e-7, 1e-5])
    def test_normal_of_parallel_edges_is_the_mean_normal(self, gap):
        """Two planks lean on each other symmetrically: the normal is horizontal at any gap."""
        plank, tilt = Box([0.05, 0.3, 1.0]), 0.4
        foremost = np.array([0.025 * np.cos(tilt) + 0.5 * np.sin(tilt), 0, 0])
        for yaw in (0.0, 1e-9, 1e-7):
            left = se3.frame(so3.exp([0, tilt, 0]), -foremost)
            right = se3.frame(so3.exp([0, 0, yaw]) @ so3.exp([0, -tilt, 0]), foremost + np.array([gap, 0, 0]))
            contacts = collide(plank, left, plank, right, margin=1e-4)
            assert len(contacts.gap) == 2
            np.testing.assert_allclose(contacts.normal, [[-1, 0, 0]] * 2, atol=1e-5)
            np.testing.assert_allclose(contacts.gap, gap, atol=1e-7)

    @pytest.mark.slow
    def test_normal_is_continuous_when_edges_pass(self):
        """The normal rotates from one face normal to the other while one plank sinks past the other."""
        plank, tilt = Box([0.05, 0.3, 1.0]), 0.4
        left = se3.frame(so3.exp([0, tilt, 0]), np.zeros(3))
        heights = np.linspace(-3e-4, 3e-4, 601)
        foremost = 2 * (0.025 * np.cos(tilt) + 0.5 * np.sin(tilt))
        normals = []
        for z in heights:
            right = se3.frame(so3.exp([0, -tilt, 0]), [foremost + 1e-7, 0, z])
            normals.append(collide(plank, left, plank, right, margin=1e-2).normal[0])
        changes = np.linalg.norm(np.diff(normals, axis=0), axis=1)
        assert np.linalg.norm(normals[0] - normals[-1]) > 0.5
        assert changes.max() < 0.05  # FLAT and a little: from there on an edge lies on the face

    def test_edge_on_face_touches_at_two_points(self):
        pose = pose_at(0, 0, 0.5 + np.sqrt(0.5), np.pi / 4, 0, 0)
        contacts = collide(Box([1, 1, 1]), pose, Box([0.6, 2, 1]), np.eye(4), 0.01)
        expected = np.array([[-0.3, 0, 0.5], [0.3, 0, 0.5]])
        np.testing.assert_allclose(sorted_rows(contacts.position), expected, atol=1e-12)

    def test_lying_capsule_touches_at_two_points(self):
        pose = pose_at(0.3, 0, 0.5 + 0.2, 0, np.pi / 2, 0)
        contacts = collide(Capsule(0.2, 1.0), pose, Box([1, 1, 1]), np.eye(4), 0.01)
        expected = np.array([[-0.2, 0, 0.5], [0.5, 0, 0.5]])
        np.testing.assert_allclose(sorted_rows(contacts.position), expected, atol=1e-12)
        np.testing.assert_allclose(contacts.gap, 0, atol=1e-12)

    @given(st.floats(0.035, 0.3))
    def test_capsule_against_an_edge(self, lean):
        """The normal is perpendicular to the axis and the edge and is not the normal of a face."""
        R = so3.exp([0, np.pi / 2 + lean, 0])  # the axis descends outwards
        above = np.array([np.sin(lean), 0, np.cos(lean)])
        pose = se3.frame(R, np.array([0.3, 0, 0.5]) + 0.25 * above)
        contacts = collide(Capsule(0.2, 1.0), pose, Box([0.6, 1, 1]), np.eye(4), 0.1)
        nearest = int(np.argmin(contacts.gap))
        np.testing.assert_allclose(contacts.normal[nearest], above, atol=1e-12)
        np.testing.assert_allclose(contacts.gap[nearest], 0.05, atol=1e-12)

    def test_parallel_capsules_touch_along_their_overlap(self):
        contacts = collide(Capsule(0.2, 1.0), pose_at(0.5, 0, 0.3), Capsule(0.3, 1.0), np.eye(4), 0.1)
        expected = np.array([[0.3, 0, -0.2], [0.3, 0, 0.5]])
        np.testing.assert_allclose(sorted_rows(contacts.position), expected, atol=1e-12)
        np.testing.assert_allclose(contacts.normal, [[1, 0, 0]] * 2, atol=1e-12)
        np.testing.assert_allclose(contacts.gap, 0, atol=1e-12)

    def test_capsules_end_to_end(self):
        contacts = collide(Capsule(0.2, 1.0), pose_at(0, 0, 1.5), Capsule(0.3, 1.0), np.eye(4), 0.1)
        np.testing.assert_allclose(contacts.position, [[0, 0, 0.8 + 0.0]], atol=1e-12)
        np.testing.assert_allclose(contacts.gap, [0], atol=1e-12)

    @pytest.mark.parametrize(
        ("a", "b", "depth"),
        [
            (Sphere(0.5), Sphere(0.3), 0.8),
            (Capsule(0.5, 1.0), Sphere(0.3), 0.8),
            (Capsule(0.5, 1.0), Capsule(0.3, 1.0), 0.8),
            (Box([1, 2, 3]), Sphere(0.3), 0.8),
            (Box([1, 2, 3]), Box([2, 1, 4]), 1.5),
        ],
    )
    def test_concentric_shapes_separate_along_a_shortest_direction(self, a, b, depth):
        pose = pose_at(0.3, -0.2, 0.1, 0.4, 0.5, -0.6)
        contacts = collide(a, pose, b, pose)
        assert contacts.gap.min() == pytest.approx(-depth)
        separated = pose.copy()
        separated[:3, 3] += (depth + 1e-9) * contacts.normal[0]
        assert collide(a, separated, b, pose, 1.0).gap.min() == pytest.approx(1e-9, abs=1e-12)

    def test_no_contact_beyond_the_margin(self):
        assert len(collide(Sphere(1), pose_at(0, 0, 2.1), Sphere(1), np.eye(4), 0.09).gap) == 0
        assert len(collide(Sphere(1), pose_at(0, 0, 2.1), Sphere(1), np.eye(4), 0.11).gap) == 1
