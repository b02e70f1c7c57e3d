"""The elements of a URDF file, one by one: links with their bodies, joints with their motions."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rbnotes import _se3, arguments, inertia
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.inertia import MassProperties
from rbnotes.joints import Fixed, Free2D, Free3D, JointType, Prismatic, Revolute
from rbnotes.solids import Box, Cylinder, Solid, Sphere
from rbnotes.tree.constraints import perpendicular_pair
from rbnotes.tree.formats._xml import attribute, child, number, numbers, origin
from rbnotes.tree.formats.robot import Mimic

ATOM = 1e-9
"""What an inertia lacks is rounding if it is less than the mass times the square of this length, m."""

KINDS = ("fixed", "revolute", "continuous", "prismatic", "planar", "floating")


class LinkElement(NamedTuple):
    """A link of the file."""

    name: str
    body: MassProperties | None
    """In the link's frame; None: no mass."""
    visuals: list[tuple[Array, Solid]]
    """Solids at poses ``(4, 4)`` in the link's frame, without meshes, whose files are elsewhere."""


class JointElement(NamedTuple):
    """A joint of the file."""

    name: str
    parent: str
    child: str
    motion: JointType
    origin: Array
    """Frame ``(4, 4)`` of the joint at rest, and of the child, in the frame of the parent."""
    turn: Array
    """The frame ``(4, 4)`` in whose axes the motion is said, in the joint's: a mere rotation."""
    damping: float
    about: Mapping[str, Any]
    """Limits, friction and mimic, as a :class:`~rbnotes.tree.formats.RobotJoint` has them."""


def link_element(element: ET.Element, repairs: list[str] | None) -> LinkElement:
    """A ``<link>``; inertias that no body has are replaced and reported, or refused if repairs is None."""
    name = attribute("link", element, "name")
    where = f"link {name!r}"
    inertial = element.find("inertial")
    body = None if inertial is None else _body(where, inertial, repairs)
    visuals = []
    for visual in element.findall("visual"):
        shape = _solid(where, child(f"{where}: visual", visual, "geometry"))
        if shape is not None:
            visuals.append((origin(f"{where}: visual", visual), shape))
    return LinkElement(name, body, visuals)


def joint_element(element: ET.Element) -> JointElement:
    """A ``<joint>``."""
    name = attribute("joint", element, "name")
    where = f"joint {name!r}"
    kind = arguments.choice(f"{where}: type", attribute(where, element, "type"), KINDS)
    motion, turn = _motion(where, element, kind)
    dynamics = element.find("dynamics")
    damping = friction = 0.0
    if dynamics is not None and kind != "fixed":
        damping = number(where, dynamics, "damping", "0")
        friction = number(where, dynamics, "friction", "0")
        if damping and motion.coordinates != 1:
            raise InvalidArgument(f"{where}: damping", f"{damping:g}", f"none on a {kind} joint")
    parent, carried = (attribute(where, child(where, element, end), "link") for end in ("parent", "child"))
    about = {"friction": friction, **_limits(where, element, kind), "mimic": _mimic(where, element)}
    return JointElement(name, parent, carried, motion, origin(where, element), turn, damping, about)


def _body(where: str, inertial: ET.Element, repairs: list[str] | None) -> MassProperties | None:
    mass = number(where, child(f"{where}: inertial", inertial, "mass"), "value")
    pose = origin(f"{where}: inertial", inertial)
    entries = child(f"{where}: inertial", inertial, "inertia")
    xx, xy, xz, yy, yz, zz = (number(where, entries, f"i{ij}") for ij in ("xx", "xy", "xz", "yy", "yz", "zz"))
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if mass == 0:
        if np.any(J):
            expected = "mass, or no inertia either"
            _repaired(f"{where}: inertia", "inertia without mass", expected, "left out", repairs)
        return None
    J = inertia.nearest_inertia(J, within=abs(mass) * ATOM**2)
    try:
        inertia.mass_properties(mass, J)
    except InvalidArgument as error:
        if mass < 0:
            raise InvalidArgument(f"{where}: mass", error.got, error.expected) from error
        nearest = "replaced by the nearest that a body has"
        _repaired(f"{where}: inertia", error.got, error.expected, nearest, repairs)
        J = inertia.nearest_inertia(J)
    R = pose[:3, :3]
    return inertia.mass_properties(mass, R @ J @ R.T, pose[:3, 3])


def _repaired(name: str, got: str, expected: str, remedy: str, repairs: list[str] | None) -> None:
    if repairs is None:
        raise InvalidArgument(name, got, expected)
    repairs.append(f"{name}: {got}, {remedy}")


def _solid(where: str, geometry: ET.Element) -> Solid | None:
    for shape in geometry:
        try:
            match shape.tag:
                case "box":
                    return Box(numbers(where, shape, "size", 3))
                case "sphere":
                    return Sphere(number(where, shape, "radius"))
                case "cylinder":
                    return Cylinder(number(where, shape, "radius"), number(where, shape, "length"))
        except InvalidArgument as error:
            name = error.name if error.name.startswith(where) else f"{where}: {shape.tag} {error.name}"
            raise InvalidArgument(name, error.got, error.expected) from error
    return None


def _motion(where: str, element: ET.Element, kind: str) -> tuple[JointType, Array]:
    """The joint's motion, and the frame in whose axes it is said."""
    straight = np.eye(4)
    if kind == "fixed":
        return Fixed(), straight
    if kind == "floating":
        return Free3D(), straight
    given = element.find("axis")
    axis = np.array([1.0, 0.0, 0.0]) if given is None else numbers(where, given, "xyz", 3)
    length = np.linalg.norm(axis)
    if length == 0:
        raise InvalidArgument(f"{where}: axis", "0 0 0", "a direction")
    axis = axis / length
    if kind == "planar":
        return Free2D(), _se3.frame(np.stack([*perpendicular_pair(axis), axis], axis=1), np.zeros(3))
    return (Prismatic if kind == "prismatic" else Revolute)(axis), straight


def _limits(where: str, element: ET.Element, kind: str) -> dict[str, float]:
    limit = element.find("limit")
    if limit is None:
        if kind in ("revolute", "prismatic"):
            raise InvalidArgument(where, f"a {kind} joint without <limit>", "lower and upper limits")
        return {}
    names = [name for name in ("effort", "velocity") if name in limit.attrib]
    bounds = ["lower", "upper"] if kind in ("revolute", "prismatic") else []
    return {name: number(where, limit, name, "0") for name in names + bounds}


def _mimic(where: str, element: ET.Element) -> Mimic | None:
    mimic = element.find("mimic")
    if mimic is None:
        return None
    followed = attribute(f"{where}: mimic", mimic, "joint")
    return Mimic(followed, number(where, mimic, "multiplier", "1"), number(where, mimic, "offset", "0"))
