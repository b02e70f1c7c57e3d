"""Inertia of triangle meshes against boxes, quadrature and other codes; invalid surfaces."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from scipy.spatial import ConvexHull

from rbnotes import inertia, se3
from rbnotes.arguments import InvalidArgument
from rbnotes.testing.strategies import frames, positive_numbers, vectors


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

    def test_convergence_of_ball_meshes(self):
        """The moments of a polyhedron in a ball approach the ball's, four times as near with each halving."""
        ball = inertia.sphere(0.7, 2.0)
        missing = []
        for rings in (8, 16, 32):
            polar = np.linspace(0, np.pi, rings + 1)[1:-1, None]
            around = np.arange(2 * rings) * np.pi / rings
            xyz = (np.sin(polar) * np.cos(around), np.sin(polar) * np.sin(around), np.cos(polar) + 0 * around)
            vertices = 0.7 * np.concatenate([np.stack(xyz, axis=-1).reshape(-1, 3), [[0, 0, 1], [0, 0, -1]]])
            solid = inertia.triangle_mesh(vertices, outward(vertices), 2.0)
            missing.append(1 - np.append(np.diag(solid.inertia) / ball.inertia[0, 0], solid.mass / ball.mass))
            np.testing.assert_allclose(solid.com, np.zeros(3), atol=1e-13)
        assert np.all(np.array(missing) > 0)
        np.testing.assert_allclose(np.divide(missing[:-1], missing[1:]), 4, rtol=0.05)

    def test_parts_and_cavities(self):
        outer, inner = np.array([1.0, 1.2, 1.4]), np.array([0.5, 0.4, 0.3])
        vertices, faces = box_mesh(outer)
        hole = vertices * inner / outer + 0.2
        hollow = inertia.triangle_mesh(
            np.concatenate([vertices, hole]), np.concatenate([faces, faces[:, ::-1] + 8])
        )
        lid = inertia.spatial_inertia(*inertia.cuboid(outer)[:2], outer / 2)
        lid = lid - inertia.spatial_inertia(*inertia.cuboid(inner)[:2], inner / 2 + 0.2)
        np.testing.assert_allclose(inertia.spatial_inertia(*hollow), lid, atol=1e-14)
        two = inertia.triangle_mesh(np.concatenate([vertices, hole + 9]), np.concatenate([faces, faces + 8]))
        poses = [se3.frame(np.eye(3), outer / 2), se3.frame(np.eye(3), inner / 2 + 9.2)]
        both = inertia.composite([inertia.cuboid(outer), inertia.cuboid(inner)], poses)
        for got, expected in zip(two, both, strict=True):
            np.testing.assert_allclose(got, expected, atol=1e-12)

    def test_thin_and_distant_solids_are_accurate(self):
        vertices, faces = box_mesh(np.array([1.0, 1.0, 1e-9]))
        plate = inertia.triangle_mesh(vertices, faces)
        np.testing.assert_allclose(
            plate.inertia, inertia.cuboid([1.0, 1.0, 1e-9]).inertia, rtol=1e-12, atol=1e-30
        )
        far = inertia.triangle_mesh(box_mesh(np.ones(3))[0] + 2.0**20, faces)
        np.testing.assert_allclose(far.inertia, np.eye(3) / 6, rtol=1e-13, atol=1e-15)

    def test_flat_meshes(self):
        triangle = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
        vertices = np.vstack([triangle, triangle.mean(axis=0)])
        faces = np.array([[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]])
        for k in range(20):
            E = se3.exp(np.random.default_rng(k).normal(size=6))
            E[:3, 3] *= 10.0 ** (k % 4)
            for order in (faces, faces[:, ::-1]):
                with pytest.raises(
                    InvalidArgument, match=r"triangles: got a solid of volume .*, expected a volume"
                ):
                    inertia.triangle_mesh(se3.transform_points(E, vertices), order)

    @pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
    def test_solids_of_any_size(self, size):
        vertices, faces = box_mesh(np.array([1.0, 2.0, 3.0]) * size)
        np.testing.assert_allclose(inertia.triangle_mesh(vertices, faces).mass, 6 * size**3)

    def test_many_densities(self):
        mesh = inertia.triangle_mesh(*box_mesh(np.array([1.0, 2.0, 3.0])), [1.0, 5.0])
        np.testing.assert_allclose(mesh.mass, [6, 30])
        np.testing.assert_allclose(
            mesh.inertia, inertia.cuboid([1.0, 2.0, 3.0], [1.0, 5.0]).inertia, atol=1e-13
        )

    def test_wrong_arrays(self):
        vertices, faces = box_mesh(np.ones(3))
        with pytest.raises(
            InvalidArgument, match=r"vertices: got shape \(2, 8, 3\), expected shape \(n, 3\)"
        ):
            inertia.triangle_mesh(np.stack([vertices] * 2), faces)
        with pytest.raises(InvalidArgument, match="vertices: got NaN"):
            inertia.triangle_mesh(np.where(vertices == 1, np.nan, vertices), faces)
        with pytest.raises(
            InvalidArgument, match="triangles: got indices from -1 to 6, expected indices of 8"
        ):
            inertia.triangle_mesh(vertices, faces - 1)
        with pytest.raises(InvalidArgument, match="triangles: got list"):
            inertia.triangle_mesh(vertices, [[0, 1, 2], [0, 1]])
        with pytest.raises(
            InvalidArgument, match=r"triangles: got int32 of shape \(2, 12, 3\), expected integers"
        ):
            inertia.triangle_mesh(vertices, np.stack([faces] * 2))
        for none in ([], np.zeros((0, 3), dtype=int)):
            with pytest.raises(InvalidArgument, match=r"triangles: got .*, expected"):
                inertia.triangle_mesh(vertices, none)
        with pytest.raises(InvalidArgument, match="density: got 0, expected numbers greater than 0"):
            inertia.triangle_mesh(vertices, faces, 0.0)

    def test_wrong_meshes(self):
        vertices, faces = box_mesh(np.ones(3))
        two = np.array(
            [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 4, 1], [0, 1, 5], [1, 4, 5], [4, 0, 5]]
        )
        with pytest.raises(InvalidArgument, match="closed, oriented surface"):  # they share one edge
            inertia.triangle_mesh(np.random.default_rng(0).normal(size=(6, 3)), two)
        with pytest.raises(InvalidArgument, match="closed, oriented surface"):
            inertia.triangle_mesh(vertices, faces[1:])
        with pytest.raises(InvalidArgument, match="closed, oriented surface"):
            inertia.triangle_mesh(vertices, np.concatenate([faces, faces]))
        with pytest.raises(InvalidArgument, match="counter-clockwise from outside"):
            inertia.triangle_mesh(vertices, faces[:, ::-1])
        with pytest.raises(InvalidArgument, match="indices of 8 vertices"):
            inertia.triangle_mesh(vertices, faces + 1)
        flipped = faces.copy()
        flipped[0] = flipped[0][::-1]
        with pytest.raises(InvalidArgument, match="closed, oriented surface"):
            inertia.triangle_mesh(vertices, flipped)
        with pytest.raises(InvalidArgument, match="integers of shape"):
            inertia.triangle_mesh(vertices, faces.astype(float))
