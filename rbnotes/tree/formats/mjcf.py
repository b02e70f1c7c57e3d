"""Robots to MJCF, the files of MuJoCo (https://mujoco.readthedocs.io/en/stable/XMLreference.html)."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import NamedTuple

import numpy as np

from rbnotes import _quaternion, _se3, arguments, inertia
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.inertia import principal_frame
from rbnotes.joints import (
    ExponentialSpherical,
    Fixed,
    PlanarTranslation,
    Prismatic,
    QuaternionSpherical,
    Revolute,
    Translational,
)
from rbnotes.solids import Box, Capsule, Cylinder, Solid, Sphere
from rbnotes.tree.formats._parts import as_robot, moves_anywhere, parts
from rbnotes.tree.formats._xml import document, text
from rbnotes.tree.formats.robot import Robot
from rbnotes.tree.model import Link, Tree

LEAST_INERTIA = 1e-14
"""MuJoCo refuses moving bodies with less, kg or kg m^2 (its mjMINVAL is 1e-15)."""


def to_mjcf(robot: Robot | Tree) -> str:
    """The text of an MJCF file that moves as the robot does.

    Bodies have the names of links, and the frames of their joints. Joints have the names of the robot's
    joints, or of the links; a joint of several coordinates becomes several joints with a number behind the
    name, or a ball or free joint, whose coordinates in MuJoCo are other ones. Links without mass lend their
    joints to the one link that hangs on them. Springs, dampers, dry friction, limits, mimicking joints,
    gravity and looks are kept; limits and mimicking are soft in MuJoCo.

    Raises
    ------
    InvalidArgument
        If MuJoCo does not know a joint, or cannot have a spring or a damper on it, if several links hang on
        a moving one without mass, if a body has a ball and then another rotation, or if an inertia is
        singular, as that of a point; the message names the link.
    """
    arguments.instance("robot", robot, Robot, Tree)
    robot = as_robot(robot)
    root = ET.Element("mujoco", model=robot.name)
    ET.SubElement(root, "compiler", angle="radian", inertiafromgeom="false")
    ET.SubElement(root, "option", gravity=text(robot.tree.gravity))
    world = ET.SubElement(root, "worldbody")
    _add_looks(world, robot, None)
    for i, parent in enumerate(robot.tree.parents):
        if parent < 0:
            _add_body(world, robot, i, np.eye(4), [])
    followers = [joint for joint in robot.joints.values() if joint.mimic is not None]
    if followers:
        equations = ET.SubElement(root, "equality")
        for joint in followers:
            line = text(np.array([joint.mimic.offset, joint.mimic.multiplier]))
            names = {"joint1": joint.name, "joint2": joint.mimic.joint}
            ET.SubElement(equations, "joint", names, polycoef=f"{line} 0 0 0")
    return document(root)


class _Part(NamedTuple):
    """A joint of MuJoCo's."""

    kind: str
    name: str
    link: Link
    """Whose it is."""
    coordinate: int
    """Its only coordinate, or first one, among those of the link."""
    frame: Array
    """``(4, 4)``, at home, in the frame of the parent body."""
    axis: Array | None
    """In that frame ``(3,)``; None for a ball."""


def _add_body(above: ET.Element, robot: Robot, i: int, place: Array, carried: list[_Part]) -> None:
    """A link and all that hangs on it, placed behind links without mass, whose joints it carries."""
    tree, link = robot.tree, robot.tree.links[i]
    free = link.parent is None and moves_anywhere(link.joint)
    place = place @ link.placement
    moving = carried
    if not free:
        own, place = _parts(robot, link, place)
        moving = carried + own
    if moving and link.inertia is None:
        if len(tree.children[i]) != 1:
            got = f"no mass, and {len(tree.children[i])} links on it"
            raise InvalidArgument(f"link {link.name!r}: inertia", got, "mass, or a single link on it")
        _add_body(above, robot, tree.children[i][0], place, moving)
        return
    rotations = [part.kind for part in moving if part.kind != "slide"]
    if "ball" in rotations[:-1]:
        got = "a ball followed by another rotation, with no mass in between"
        raise InvalidArgument(f"link {link.name!r}: joint", got, "what MuJoCo has: balls that come last")
    body = ET.SubElement(above, "body", {"name": link.name, **_pose(place)})
    if free:
        _refuse_springs(link, slice(None))
        ET.SubElement(body, "freejoint", name=robot.joint_of(link.name).name)
    for part in moving:
        ET.SubElement(body, "joint", _joint(robot, part, _se3.inverse(place) @ part.frame))
    if link.inertia is not None:
        _add_inertia(body, link, free or bool(moving))
    _add_looks(body, robot, link.name)
    for child in tree.children[i]:
        _add_body(body, robot, child, np.eye(4), [])


def _parts(robot: Robot, link: Link, place: Array) -> tuple[list[_Part], Array]:
    """MuJoCo's joints of a link, and where it is at home, in the frame of the parent body."""
    found: list[tuple[str, int, Array, Array | None]] = []
    coordinate = 0
    for part in parts(link.joint):
        match part:
            case Fixed():
                place = place @ part.pose
            case Revolute():
                found.append(("hinge", coordinate, place, np.array(part.axis)))
            case Prismatic() | PlanarTranslation() | Translational():
                axes = part.S(part.home)[3:].T
                found += [("slide", coordinate + n, place, axis) for n, axis in enumerate(axes)]
            case ExponentialSpherical() | QuaternionSpherical():
                found.append(("ball", coordinate, place, None))
            case _:
                expected = "one of hinges, sliders and balls, as MuJoCo has them"
                raise InvalidArgument(f"link {link.name!r}: joint", f"{link.joint!r:.60}", expected)
        coordinate += part.coordinates
    name = robot.joint_of(link.name).name
    names = [name] if len(found) == 1 else [f"{name} {n}" for n in range(len(found))]
    made = zip(names, found, strict=True)
    return [_Part(kind, name, link, at, frame, axis) for name, (kind, at, frame, axis) in made], place


def _joint(robot: Robot, part: _Part, frame: Array) -> dict[str, str]:
    """Attributes of a joint, at a frame ``(4, 4)`` of its body."""
    link, at = part.link, part.coordinate
    said = {"name": part.name, "type": part.kind, "pos": text(frame[:3, 3])}
    if part.axis is None:
        _refuse_springs(link, slice(at, at + 4))
        return said
    said["axis"] = text(frame[:3, :3] @ part.axis)
    if link.stiffness[at]:
        said |= {"stiffness": text(link.stiffness[at]), "springref": text(link.rest[at])}
    if link.damping[at]:
        said["damping"] = text(link.damping[at])
    joint = robot.joint_of(link.name)
    if joint.friction:
        said["frictionloss"] = text(joint.friction)
    for limit in robot.limits:
        if limit.link == link.name:
            said |= {"limited": "true", "range": text(np.array([limit.lower, limit.upper]))}
    return said


def _refuse_springs(link: Link, own: slice) -> None:
    # MuJoCo's are about rotation and angular velocity, not about the coordinates that trees have.
    for field in ("stiffness", "damping"):
        if np.any(getattr(link, field)[own]):
            got = f"{getattr(link, field)}"
            raise InvalidArgument(f"link {link.name!r}: {field}", got, "none on a ball or free joint")


def _add_inertia(body: ET.Element, link: Link, moving: bool) -> None:
    properties = inertia.from_spatial_inertia(inertia.transform_inertia(link.body, link.inertia))
    frame = principal_frame(properties)
    if moving and min(properties.mass, *frame.moments) < LEAST_INERTIA:
        least = f"moments {frame.moments}"
        raise InvalidArgument(f"link {link.name!r}: inertia", least, f"at least {LEAST_INERTIA:g} for MuJoCo")
    # The largest moment is no larger than the sum of the others, by rounding neither.
    moments = np.minimum(frame.moments, [np.inf, np.inf, frame.moments[0] + frame.moments[1]])
    said = {**_pose(frame.E), "mass": text(properties.mass), "diaginertia": text(moments)}
    ET.SubElement(body, "inertial", said)


def _add_looks(body: ET.Element, robot: Robot, link: str | None) -> None:
    for visual in robot.visuals:
        if visual.link == link:
            said = {**_pose(visual.pose), **_geometry(visual.solid), "mass": "0"}
            ET.SubElement(body, "geom", {**said, "contype": "0", "conaffinity": "0"})


def _geometry(solid: Solid) -> dict[str, str]:
    match solid:
        case Box(sides):
            return {"type": "box", "size": text(np.array(sides) / 2)}
        case Sphere(radius):
            return {"type": "sphere", "size": text(radius)}
        case Cylinder(radius, length) | Capsule(radius, length):
            kind = type(solid).__name__.lower()
            return {"type": kind, "size": text(np.array([radius, length / 2]))}
    raise InvalidArgument("visual", repr(solid), "a box, a sphere, a cylinder or a capsule")


def _pose(E: Array) -> dict[str, str]:
    return {"pos": text(E[:3, 3]), "quat": text(_quaternion.from_rotation(E[:3, :3]))}
