"""Elements of a URDF file: links with their bodies, joints with their motions."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

import numpy as np

from rbnotes import arguments, inertia
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.inertia import MassProperties
from rbnotes.joints import Fixed, Free2D, Free3D, JointType, Prismatic, Revolute
from rbnotes.multibody.formats._mesh_files import MESH_SUFFIXES, UnsupportedMesh, read_mesh
from rbnotes.multibody.formats._xml import attribute, bound, child, number, numbers, optional_child, origin
from rbnotes.multibody.formats.robot import Mimic
from rbnotes.multibody.reduced.constraints import perpendicular_pair
from rbnotes.shapes import Box, ConvexMesh, Cylinder, Shape, Sphere
from rbnotes.unchecked import se3

INERTIA_ROUNDING_LENGTH = 1e-9
"""Length L for which an inertia defect below mass times L^2 is rounding, m."""

MIN_RELATIVE_MINOR = 1e-6
"""Minors of the second moments of mass, relative to their sum, above which rounding does not matter."""

JOINT_KINDS = ("fixed", "revolute", "continuous", "prismatic", "planar", "floating")


class LinkElement(NamedTuple):
    """Link of the file.

    Attributes
    ----------
    name
        Name of the link.
    mass_properties
        Mass properties in the link's frame; None: no mass.
    visuals
        Solids at poses ``(4, 4)`` in the link's frame, without meshes, which are in other files.
    collisions
        Solids for collisions, at poses ``(4, 4)`` in the link's frame.
    unsupported_collisions
        Collision geometries that are not solids: one phrase each, which starts with the link and ends with
        the reason.
    """

    name: str
    mass_properties: MassProperties | None
    visuals: list[tuple[Array, Shape]]
    collisions: list[tuple[Array, Shape]]
    unsupported_collisions: list[str]


class MeshFolders(NamedTuple):
    """Folders of the meshes of a file.

    Attributes
    ----------
    source
        Folder of the file; None for a text.
    packages
        Folder that contains the packages, or None.
    """

    source: Path | None
    packages: Path | None


class SkippedMesh(Exception):
    """Raised for a mesh that is skipped; the message is the reason."""


class JointElement(NamedTuple):
    """Joint of the file.

    Attributes
    ----------
    name
        Name of the joint.
    parent
        Name of the parent link.
    child
        Name of the child link.
    joint_type
        Joint type of the library.
    origin
        Neutral frame ``(4, 4)`` of the joint and of the child, in the frame of the parent.
    motion_frame
        Frame ``(4, 4)`` of the motion's axes in the joint's frame: a pure rotation.
    damping
        Damping coefficient, N m s/rad or N s/m.
    properties
        Limits, friction and mimic, as in a :class:`~rbnotes.multibody.formats.RobotJoint`.
    """

    name: str
    parent: str
    child: str
    joint_type: JointType
    origin: Array
    motion_frame: Array
    damping: float
    properties: Mapping[str, Any]


def link_element(element: ET.Element, repairs: list[str] | None, folders: MeshFolders) -> LinkElement:
    """Return the content of a ``<link>``; meshes for collisions become convex hulls.

    Physically impossible inertias are replaced and reported, or refused if ``repairs`` is None.
    """
    name = attribute("link", element, "name")
    context = f"link {name!r}"
    inertial = optional_child(context, element, "inertial")
    body = None if inertial is None else _mass_properties(context, inertial, repairs)
    visuals, _ = _placed_solids(context, element, "visual", None)
    return LinkElement(name, body, visuals, *_placed_solids(context, element, "collision", folders))


def _placed_solids(
    context: str, link: ET.Element, kind: str, folders: MeshFolders | None
) -> tuple[list[tuple[Array, Shape]], list[str]]:
    """Return the solids of all elements ``<visual>`` or ``<collision>``, and those that are not solids."""
    solids, others = [], []
    for element in link.findall(kind):
        geometry = child(f"{context}: {kind}", element, "geometry")
        label = f"{context}: {kind} " + ", ".join(each.tag for each in geometry)
        try:
            shape = _solid(context, geometry, folders)
        except SkippedMesh as error:
            others.append(f"{label} {error}")
            continue
        if shape is not None:
            solids.append((origin(f"{context}: {kind}", element), shape))
        else:
            others.append(label)
    return solids, others


def joint_element(element: ET.Element) -> JointElement:
    """Return the content of a ``<joint>``."""
    name = attribute("joint", element, "name")
    context = f"joint {name!r}"
    kind = arguments.choice(f"{context}: type", attribute(context, element, "type"), JOINT_KINDS)
    joint_type, motion_frame = _joint_type(context, element, kind)
    dynamics = optional_child(context, element, "dynamics")
    damping = friction = 0.0
    if dynamics is not None and kind != "fixed":
        damping = number(context, dynamics, "damping", "0")
        friction = number(context, dynamics, "friction", "0")
        if damping and joint_type.num_coordinates != 1:
            raise InvalidArgument(f"{context}: damping", f"{damping:g}", f"none on a {kind} joint")
    parent, child_link = (
        attribute(context, child(context, element, end), "link") for end in ("parent", "child")
    )
    properties = {"friction": friction, **_limits(context, element, kind), "mimic": _mimic(context, element)}
    return JointElement(
        name, parent, child_link, joint_type, origin(context, element), motion_frame, damping, properties
    )


def _mass_properties(context: str, inertial: ET.Element, repairs: list[str] | None) -> MassProperties | None:
    """Return the mass properties of an ``<inertial>``, None without mass; repair an impossible inertia."""
    mass = number(context, child(f"{context}: inertial", inertial, "mass"), "value")
    pose = origin(f"{context}: inertial", inertial)
    entries = child(f"{context}: inertial", inertial, "inertia")
    xx, xy, xz, yy, yz, zz = (
        number(context, entries, f"i{ij}") for ij in ("xx", "xy", "xz", "yy", "yz", "zz")
    )
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if mass == 0:
        if np.any(J):
            expected = "mass, or no inertia either"
            _repair(f"{context}: inertia", "inertia without mass", expected, "left out", repairs)
        return None
    if mass > 1 / arguments.MAX_ABS_VALUE and _is_inertia_of_solid(J):
        return _rotate_to_link_frame(MassProperties(np.array(mass), J, pose[:3, 3]), pose)
    J = inertia.nearest_inertia(J, tolerance=abs(mass) * INERTIA_ROUNDING_LENGTH**2)
    try:
        body = inertia.mass_properties(mass, J)
    except InvalidArgument as error:
        if error.name == "mass":
            raise InvalidArgument(f"{context}: mass", error.got, error.expected) from error
        remedy = "replaced by the nearest that a body has"
        _repair(f"{context}: inertia", error.got, error.expected, remedy, repairs)
        body = inertia.mass_properties(mass, inertia.nearest_inertia(J))
    return _rotate_to_link_frame(body, pose)


def _is_inertia_of_solid(J: Array) -> bool:
    """Return True if all second moments of mass are clearly positive.

    Leading minors take much less time than the eigenvalues of a single small matrix.
    """
    xx, xy, xz, _, yy, yz, _, _, zz = map(float, J.flat)
    half_trace = (xx + yy + zz) / 2
    a, b, c = half_trace - xx, half_trace - yy, half_trace - zz
    minor = a * b - xy * xy
    determinant = c * minor - a * yz * yz - b * xz * xz - 2 * xy * yz * xz
    margin = MIN_RELATIVE_MINOR * half_trace
    return a > margin and minor > margin * half_trace and determinant > margin * half_trace * half_trace


def _rotate_to_link_frame(body: MassProperties, pose: Array) -> MassProperties:
    """Return the mass properties of a body whose center of mass is the origin of a frame."""
    R = pose[:3, :3]
    rotated = R @ body.inertia @ R.T
    return MassProperties(body.mass, (rotated + rotated.T) / 2, pose[:3, 3])


def _repair(name: str, got: str, expected: str, remedy: str, repairs: list[str] | None) -> None:
    """Add the repair of an error to the list; raise the error if repairs are not allowed."""
    if repairs is None:
        raise InvalidArgument(name, got, expected)
    repairs.append(f"{name}: {got}, {remedy}")


def _solid(context: str, geometry: ET.Element, folders: MeshFolders | None) -> Shape | None:
    """Return the solid of a ``<geometry>``; None for other shapes, and for meshes without folders."""
    for shape in geometry:
        try:
            match shape.tag:
                case "box":
                    return Box(numbers(context, shape, "size", 3))
                case "sphere":
                    return Sphere(number(context, shape, "radius"))
                case "cylinder":
                    return Cylinder(number(context, shape, "radius"), number(context, shape, "length"))
                case "mesh":
                    return None if folders is None else _convex_hull(context, shape, folders)
        except InvalidArgument as error:
            name = error.name if error.name.startswith(context) else f"{context}: {shape.tag} {error.name}"
            raise InvalidArgument(name, error.got, error.expected) from error
    return None


def _convex_hull(context: str, mesh: ET.Element, folders: MeshFolders) -> Shape:
    """Return the convex hull of a mesh.

    Raises
    ------
    SkippedMesh
        If the file is missing, in another place, of another format, or has elements that are not supported.
    """
    path = _mesh_path(attribute(context, mesh, "filename"), folders)
    if path.suffix.lower() not in MESH_SUFFIXES:
        raise SkippedMesh(f"{path.name!r}: only files {', '.join(MESH_SUFFIXES)} are read")
    if not path.is_file():
        raise SkippedMesh(f"{str(path)!r}: no such file")
    scale = numbers(context, mesh, "scale", 3) if "scale" in mesh.attrib else np.ones(3)
    try:
        vertices = read_mesh(path).vertices
    except UnsupportedMesh as error:
        raise SkippedMesh(error.got) from error
    return ConvexMesh(scale * vertices)


def _mesh_path(name: str, folders: MeshFolders) -> Path:
    """Return the path of a mesh.

    Raises
    ------
    SkippedMesh
        If it is in a place that is not known or not accepted; files of a package are in its folder.
    """
    url = urlsplit(name)
    match url.scheme:
        case "package":
            if folders.packages is None:
                raise SkippedMesh(f"{name!r}: pass package_root, the folder of the package {url.netloc!r}")
            root = folders.packages.resolve() / url.netloc
            path = (root / url2pathname(url.path).lstrip("/")).resolve()
            if root not in path.parents:
                raise SkippedMesh(f"{name!r}: not in the folder of the package")
            return path
        case "file":
            return Path(url2pathname(url.path))
        case "":
            if folders.source is None:
                raise SkippedMesh(f"{name!r}: the source is a text, without a folder")
            path = (folders.source / name).resolve()
            if folders.source.resolve().parent not in path.parents:
                raise SkippedMesh(f"{name!r}: not in the folder of the source or its parent")
            return path
    raise SkippedMesh(f"{name!r}: only file:// and package:// are read")


def _joint_type(context: str, element: ET.Element, kind: str) -> tuple[JointType, Array]:
    """Return the joint type, and the frame of its axes."""
    identity = np.eye(4)
    if kind == "fixed":
        return Fixed(), identity
    if kind == "floating":
        return Free3D(), identity
    axis_element = optional_child(context, element, "axis")
    axis = np.array([1.0, 0.0, 0.0])
    if axis_element is not None:
        axis = numbers(context, axis_element, "xyz", 3)
        if np.max(np.abs(axis)) <= 1 / arguments.MAX_ABS_VALUE:
            raise InvalidArgument(f"{context}: axis", axis_element.get("xyz", ""), "a direction")
        axis = axis / np.linalg.norm(axis)
    if kind == "planar":
        return Free2D(), se3.frame(np.stack([*perpendicular_pair(axis), axis], axis=1), np.zeros(3))
    return (Prismatic if kind == "prismatic" else Revolute)(axis), identity


def _limits(context: str, element: ET.Element, kind: str) -> dict[str, float]:
    limit = optional_child(context, element, "limit")
    if limit is None:
        if kind in ("revolute", "prismatic"):
            raise InvalidArgument(context, f"a {kind} joint without <limit>", "lower and upper limits")
        return {}
    names = [name for name in ("effort", "velocity") if name in limit.attrib]
    bounds = ["lower", "upper"] if kind in ("revolute", "prismatic") else []
    return {name: bound(context, limit, name, "0") for name in names + bounds}


def _mimic(context: str, element: ET.Element) -> Mimic | None:
    mimic = optional_child(context, element, "mimic")
    if mimic is None:
        return None
    leader = attribute(f"{context}: mimic", mimic, "joint")
    return Mimic(leader, number(context, mimic, "multiplier", "1"), number(context, mimic, "offset", "0"))
