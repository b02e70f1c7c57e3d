"""Convex polyhedra: the convex hulls of points, such as the vertices of a mesh."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial import ConvexHull, QhullError

from rbnotes import arguments, inertia
from rbnotes.arguments import Array, IntArray, InvalidArgument
from rbnotes.inertia import MassProperties
from rbnotes.shapes.shape import ConvexShape
from rbnotes.unchecked.frozen import set_fields

COPLANAR_TOLERANCE = 1e-5
"""Sine of the angle between triangles up to which they are parts of one face: files of meshes may have single
precision."""


@dataclass(frozen=True, eq=False)
class ConvexMesh(ConvexShape):
    """Convex hull of points.

    Attributes
    ----------
    vertices
        Points ``(n, 3)``, m; only the corners of their hull are kept.
    triangles
        Indices of the corners of triangles ``(m, 3)``, counter-clockwise seen from outside.
    faces
        Indices of the corners of each face ``(k,)``, counter-clockwise seen from outside.

    Raises
    ------
    InvalidArgument
        If the points lie in a plane, to rounding, or their shape does not fit.
    """

    vertices: Array

    triangles: IntArray = field(init=False, repr=False)
    faces: tuple[IntArray, ...] = field(init=False, repr=False)
    _face_normals: Array = field(init=False, repr=False)
    _faces_of_vertex: tuple[list[int], ...] = field(init=False, repr=False)
    _neighbors: tuple[IntArray, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        points = arguments.array("vertices", self.vertices, None, 3)
        if points.ndim != 2:
            raise InvalidArgument("vertices", f"shape {points.shape}", "shape (n, 3)")
        flat = InvalidArgument("vertices", f"{len(points)} points in a plane", "points that span a solid")
        try:
            hull = ConvexHull(points - points.mean(axis=0))
        except (QhullError, ValueError) as error:
            raise flat from error
        numbers = np.full(len(points), -1)
        numbers[hull.vertices] = np.arange(len(hull.vertices))
        vertices = points[hull.vertices]
        triangles = numbers[hull.simplices]
        a, b, c = np.moveaxis(vertices[triangles], 1, 0)
        is_inward = np.sum(np.cross(b - a, c - a) * hull.equations[:, :3], axis=1) < 0
        triangles[is_inward] = triangles[is_inward][:, [0, 2, 1]]
        try:
            inertia.triangle_mesh(vertices, triangles)
        except InvalidArgument as error:
            raise flat from error
        set_fields(self, vertices=vertices, triangles=triangles)
        self._store_faces(hull)

    def _store_faces(self, hull: ConvexHull) -> None:
        """Merge triangles in one plane to faces, and store them."""
        normals = hull.equations[:, :3]
        first = np.repeat(np.arange(len(normals)), 3)
        second = hull.neighbors.ravel()
        is_coplanar = np.linalg.norm(np.cross(normals[first], normals[second]), axis=1) <= COPLANAR_TOLERANCE
        links = sparse.coo_array(
            (np.ones(np.sum(is_coplanar)), (first[is_coplanar], second[is_coplanar])), (len(normals),) * 2
        )
        num_faces, face_of_triangle = connected_components(links, directed=False)
        areas = _triangle_areas(self.vertices, self.triangles)
        face_normals = np.zeros((num_faces, 3))
        np.add.at(face_normals, face_of_triangle, areas[:, None] * normals)
        face_normals /= np.linalg.norm(face_normals, axis=1)[:, None]
        order = np.argsort(face_of_triangle, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(face_of_triangle[order])) + 1)
        faces = tuple(
            _sort_around(self.vertices, np.unique(self.triangles[part]), face_normals[number])
            for number, part in enumerate(parts)
        )
        faces_of_vertex: tuple[list[int], ...] = tuple([] for _ in self.vertices)
        neighbors: tuple[list[int], ...] = tuple([] for _ in self.vertices)
        for number, face in enumerate(faces):
            for vertex, following in zip(face, np.roll(face, -1), strict=True):
                faces_of_vertex[vertex].append(number)
                neighbors[vertex].append(following)
        set_fields(
            self,
            faces=faces,
            _face_normals=face_normals,
            _faces_of_vertex=faces_of_vertex,
            _neighbors=tuple(np.array(each, dtype=np.intp) for each in neighbors),
        )

    @property
    def bounding_radius(self) -> float:
        """Radius of the smallest sphere around the origin of the frame that contains the solid, m."""
        return float(np.max(np.linalg.norm(self.vertices, axis=1)))

    def compute_support_point(self, direction: Array) -> Array:
        """Return the vertex ``(3,)`` that lies farthest in a direction, m."""
        point: Array = self.vertices[np.argmax(self.vertices @ direction)]
        return point

    def compute_support_polygon(self, direction: Array, tolerance: float) -> Array:
        """Return the corners ``(k, 3)`` of the face, edge or corner that faces a direction, m."""
        vertex = int(np.argmax(self.vertices @ direction))
        faces = self._faces_of_vertex[vertex]
        normals = self._face_normals[faces]
        flattest = int(np.argmax(normals @ direction))
        if np.linalg.norm(np.cross(normals[flattest], direction)) <= tolerance:
            return self.vertices[self.faces[faces[flattest]]]
        edges = self.vertices[self._neighbors[vertex]] - self.vertices[vertex]
        edge_tilts = np.abs(edges @ direction) / np.linalg.norm(edges, axis=1)
        flattest = int(np.argmin(edge_tilts))
        if edge_tilts[flattest] <= tolerance:
            return self.vertices[[vertex, self._neighbors[vertex][flattest]]]
        corner: Array = self.vertices[vertex][None]
        return corner

    def compute_outline(self, direction: Array) -> Array:
        """Return the vertices ``(k, 3)``, m."""
        return self.vertices

    def _mass_properties(self, density: ArrayLike) -> MassProperties:
        return inertia.triangle_mesh(self.vertices, self.triangles, density)


def _triangle_areas(vertices: Array, triangles: IntArray) -> Array:
    """Return the areas ``(m,)`` of triangles, m^2."""
    a, b, c = np.moveaxis(vertices[triangles], 1, 0)
    areas: Array = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    return areas


def _sort_around(vertices: Array, corners: IntArray, normal: Array) -> IntArray:
    """Return the corners of a convex face counter-clockwise about its normal."""
    from_center = vertices[corners] - vertices[corners].mean(axis=0)
    x = from_center[np.argmax(np.linalg.norm(from_center, axis=1))]
    y = np.cross(normal, x)
    result: IntArray = corners[np.argsort(np.arctan2(from_center @ y, from_center @ x))]
    return result
