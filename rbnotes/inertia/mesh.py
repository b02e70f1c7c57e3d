"""Mass properties of the solid inside a closed triangle mesh, by exact integration (Sueda 1.7)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.inertia.spatial import MassProperties, mass_properties


def triangle_mesh(vertices: ArrayLike, faces: ArrayLike, density: float = 1.0) -> MassProperties:
    """Mass properties of a solid with uniform density, in the coordinates of its vertices.

    The solid is cut into tetrahedra between its faces and one point; their signed moments add up.

    Parameters
    ----------
    vertices : (n, 3)
    faces : (m, 3) of int
        Corners of each triangle, anticlockwise seen from outside.

    Raises
    ------
    InvalidArgument
        If an index is out of range, the surface is not closed, or the faces are seen from inside.
    """
    vertices = arguments.array("vertices", vertices, None, 3)
    corners = _check_faces(np.asarray(faces), len(vertices))
    # Integrating about the middle of the mesh, rather than a far origin, keeps the digits.
    middle = np.mean(vertices, axis=0)
    triangles = (vertices - middle)[corners]

    volumes = np.linalg.det(triangles) / 6
    volume = np.sum(volumes)
    if volume <= 0:
        raise InvalidArgument(
            "faces", f"a solid of volume {volume:.3g}", "triangles anticlockwise from outside"
        )
    sums = np.sum(triangles, axis=1)
    mean = volumes @ sums / 4 / volume
    second_moments = np.einsum("t,tai,taj->ij", volumes, triangles, triangles)
    second_moments = (second_moments + np.einsum("t,ti,tj->ij", volumes, sums, sums)) / 20
    second_moments -= volume * np.outer(mean, mean)
    inertia = np.trace(second_moments) * np.eye(3) - second_moments
    density = float(arguments.positive("density", density))
    return mass_properties(density * volume, density * inertia, middle + mean)


def _check_faces(faces: np.ndarray, count: int) -> Array:
    if faces.ndim != 2 or faces.shape[1] != 3 or not np.issubdtype(faces.dtype, np.integer):
        raise InvalidArgument("faces", f"{faces.dtype} of shape {faces.shape}", "integers of shape (m, 3)")
    if faces.size and (faces.min() < 0 or faces.max() >= count):
        raise InvalidArgument("faces", f"indices up to {faces.max()}", f"indices of {count} vertices")
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    forward, counts = np.unique(edges, axis=0, return_counts=True)
    backward = np.unique(edges[:, ::-1], axis=0)
    if np.any(counts > 1) or forward.shape != backward.shape or np.any(forward != backward):
        raise InvalidArgument(
            "faces",
            "edges without exactly one neighbour that runs the other way",
            "a closed, oriented surface",
        )
    return faces
