"""Reader of meshes: STL, binary or text, and OBJ."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbnotes.arguments import Array, InvalidArgument

MESH_SUFFIXES = (".stl", ".obj")
"""Ends of names of the files that are read."""
_STL_HEADER_SIZE = 84
_STL_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


class Mesh(NamedTuple):
    """Triangles of a file.

    Attributes
    ----------
    vertices
        Vertices ``(n, 3)``, in the unit of the file.
    triangles
        Indices of the corners of triangles ``(m, 3)``.
    """

    vertices: Array
    triangles: NDArray[np.intp]


def read_mesh(path: Path) -> Mesh:
    """Return the vertices and triangles of a file.

    Raises
    ------
    InvalidArgument
        If the file is missing or neither STL nor OBJ; the message names it.
    """
    if path.suffix.lower() not in MESH_SUFFIXES:
        raise InvalidArgument("mesh", repr(path.name), "a file *.stl or *.obj")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidArgument("mesh", repr(path.name), "a file that can be read") from error
    try:
        if path.suffix.lower() == ".obj":
            mesh = _parse_obj(data.decode("utf-8", "replace"))
        else:
            mesh = _merge_corners(_parse_stl(data))
    except (ValueError, IndexError) as error:
        raise InvalidArgument("mesh", f"{path.name!r} with an error ({error})", "a mesh") from error
    in_range = np.all((mesh.triangles >= 0) & (mesh.triangles < len(mesh.vertices)))
    if not len(mesh.triangles) or not np.all(np.isfinite(mesh.vertices)) or not in_range:
        raise InvalidArgument("mesh", repr(path.name), "a mesh with finite vertices and triangles")
    return mesh


def _parse_stl(data: bytes) -> Array:
    """Return the corners of the triangles ``(m, 3, 3)``."""
    count = int.from_bytes(data[80:_STL_HEADER_SIZE], "little")
    if len(data) == _STL_HEADER_SIZE + count * _STL_TRIANGLE.itemsize:
        return np.frombuffer(data, _STL_TRIANGLE, offset=_STL_HEADER_SIZE)["corners"].astype(float)
    lines = [line.split() for line in data.decode("ascii").splitlines()]
    corners = np.array([[float(word) for word in line[1:]] for line in lines if line[:1] == ["vertex"]])
    return corners.reshape(-1, 3, 3)


def _merge_corners(corners: Array) -> Mesh:
    """Return a mesh in which equal corners of triangles are one vertex."""
    vertices, numbers = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    return Mesh(vertices, numbers.reshape(-1, 3).astype(np.intp))


def _parse_obj(text: str) -> Mesh:
    """Return the triangles of all faces, which are divided from their first corner."""
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for words in (line.split() for line in text.splitlines()):
        if words[:1] == ["v"]:
            vertices.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            numbers = [int(word.split("/")[0]) for word in words[1:]]
            corners = [number - 1 if number > 0 else len(vertices) + number for number in numbers]
            triangles += [(corners[0], corners[i], corners[i + 1]) for i in range(1, len(corners) - 1)]
    return Mesh(np.array(vertices).reshape(-1, 3), np.array(triangles, dtype=np.intp).reshape(-1, 3))
