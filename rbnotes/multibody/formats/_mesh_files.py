"""Reader of meshes: STL, binary or text, OBJ, and COLLADA."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rbnotes import se3, so3
from rbnotes.arguments import Array, IntArray, InvalidArgument

MESH_SUFFIXES = (".stl", ".obj", ".dae")
"""Ends of names of the files that are read."""
_COLLADA_TRANSFORMS = ("matrix", "translate", "rotate", "scale")
_STL_HEADER_SIZE = 84
_STL_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


class UnsupportedMesh(InvalidArgument):
    """Raised for a well-formed mesh with elements that are not supported."""


class _UnsupportedElement(Exception):
    """Raised for an element that is not supported; the message names it."""


class Mesh(NamedTuple):
    """Triangles of a file.

    Attributes
    ----------
    vertices
        Vertices ``(n, 3)``, in m for COLLADA, else in the unit of the file.
    triangles
        Indices of the corners of triangles ``(m, 3)``.
    """

    vertices: Array
    triangles: IntArray


def read_mesh(path: Path) -> Mesh:
    """Return the vertices and triangles of a file.

    Raises
    ------
    InvalidArgument
        If the file is missing or of another format; the message names it.
    UnsupportedMesh
        If a COLLADA file has elements that are not supported.
    """
    if path.suffix.lower() not in MESH_SUFFIXES:
        raise InvalidArgument("mesh", repr(path.name), "a file *.stl, *.obj or *.dae")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidArgument("mesh", repr(path.name), "a file that can be read") from error
    try:
        if path.suffix.lower() == ".obj":
            mesh = _parse_obj(data.decode("utf-8", "replace"))
        elif path.suffix.lower() == ".dae":
            mesh = _parse_collada(data)
        else:
            mesh = _merge_corners(_parse_stl(data))
    except _UnsupportedElement as error:
        got, expected = f"{path.name!r} with an unsupported element ({error})", "triangles with z upwards"
        raise UnsupportedMesh("mesh", got, expected) from error
    except (ValueError, IndexError, ET.ParseError, RecursionError) as error:
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


def _parse_collada(data: bytes) -> Mesh:
    """Return the triangles of all geometries in the scene of a COLLADA file, in meters.

    Raises
    ------
    _UnsupportedElement
        If an element is not supported, or the z axis is not the upward one: readers differ in whether they
        turn such files.
    ValueError
        If the file is not COLLADA, or refers to missing elements.
    """
    root = ET.fromstring(data)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    if root.tag != "COLLADA":
        raise ValueError(f"<{root.tag}> is not COLLADA")
    up_axis = root.findtext("asset/up_axis", "Y_UP").strip()
    if up_axis != "Z_UP":
        raise _UnsupportedElement(f"the up_axis is {up_axis}, not Z_UP")
    by_id = {element.get("id"): element for element in root.iter() if "id" in element.attrib}

    def find(reference: str | None) -> ET.Element:
        if reference is None or not reference.startswith("#") or reference[1:] not in by_id:
            raise ValueError(f"a reference to {reference!r}, which is not in the file")
        return by_id[reference[1:]]

    def placed_corners(node: ET.Element, pose: Array) -> Iterator[Array]:
        for element in node:
            if element.tag in _COLLADA_TRANSFORMS:
                pose = pose @ _collada_transform(element)
            elif element.tag == "node":
                yield from placed_corners(element, pose)
            elif element.tag == "instance_node":
                yield from placed_corners(find(element.get("url")), pose)
            elif element.tag == "instance_geometry":
                for corners in _collada_corners(find(element.get("url")), find):
                    yield corners @ pose[:3, :3].T + pose[:3, 3]
            elif element.tag in ("skew", "lookat", "instance_controller"):
                raise _UnsupportedElement(f"<{element.tag}> is not supported")

    instance = root.find("scene/instance_visual_scene")
    if instance is None:
        raise ValueError("there is no <instance_visual_scene>")
    parts = placed_corners(find(instance.get("url")), np.eye(4))
    unit = root.find("asset/unit")
    meter = 1.0 if unit is None else float(unit.get("meter", "1"))
    return _merge_corners(meter * np.concatenate([np.zeros((0, 3, 3)), *parts]))


def _collada_transform(element: ET.Element) -> Array:
    """Return the matrix ``(4, 4)`` of a transformation."""
    values = _numbers(element)
    match element.tag:
        case "matrix":
            return values.reshape(4, 4)
        case "translate":
            return se3.frame(np.eye(3), values.reshape(3))
        case "rotate":
            axis = values[:3] / np.linalg.norm(values[:3])
            return se3.frame(so3.exp(axis * np.deg2rad(values[3])), np.zeros(3))
    return np.diag([*values.reshape(3), 1.0])


def _collada_corners(geometry: ET.Element, find: Callable[[str | None], ET.Element]) -> Iterator[Array]:
    """Yield the corners ``(m, 3, 3)`` of the triangles in each group of faces of a geometry.

    Polygons are divided from their first corners.

    Parameters
    ----------
    find
        Function from a reference to the element.
    """
    for faces in geometry.iterfind("mesh/*"):
        if faces.tag in ("source", "vertices", "extra", "lines", "linestrips"):
            continue
        if faces.tag not in ("triangles", "polylist"):
            raise _UnsupportedElement(f"<{faces.tag}> is not supported")
        inputs = faces.findall("input")
        stride = 1 + max(int(each.get("offset", "0")) for each in inputs)
        (corner_input,) = (each for each in inputs if each.get("semantic") == "VERTEX")
        (position,) = (
            each
            for each in find(corner_input.get("source")).iterfind("input")
            if each.get("semantic") == "POSITION"
        )
        source = find(position.get("source"))
        accessor = source.find("technique_common/accessor")
        width = 3 if accessor is None else int(accessor.get("stride", "1"))
        vertices = _numbers(source.find("float_array")).reshape(-1, width)[:, :3]
        corners = _numbers(faces.find("p")).astype(np.intp).reshape(-1, stride)
        corners = corners[:, int(corner_input.get("offset", "0"))]
        counts = np.full(len(corners) // 3, 3)
        if faces.tag == "polylist":
            counts = _numbers(faces.find("vcount")).astype(np.intp)
        starts = np.cumsum(counts) - counts
        triangles = [
            (corners[start], corners[start + i], corners[start + i + 1])
            for start, count in zip(starts, counts, strict=True)
            for i in range(1, count - 1)
        ]
        if np.any(corners < 0):
            raise ValueError("a negative index")
        yield vertices[np.array(triangles, dtype=np.intp).reshape(-1, 3)]


def _numbers(element: ET.Element | None) -> Array:
    """Return the numbers in the text of an element."""
    return np.array([] if element is None or element.text is None else element.text.split(), dtype=float)
