"""Elements of MJCF for the links and joints of a robot or tree."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import NamedTuple

import numpy as np

from rbnotes import inertia
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
from rbnotes.multibody.formats._joint_types import elementary_joints, is_free_joint
from rbnotes.multibody.formats._xml import format_numbers
from rbnotes.multibody.formats.robot import Robot
from rbnotes.multibody.reduced.link import Link
from rbnotes.shapes import Box, Capsule, Cylinder, Ellipsoid, Shape, Sphere
from rbnotes.unchecked import quaternion, se3

MIN_INERTIA = 1e-14
"""Smallest mass and inertia of moving bodies in MuJoCo, kg or kg m^2 (its mjMINVAL is 1e-15)."""


def robot_document(robot: Robot) -> ET.Element:
    """Return the root element of a file with the same motion as the robot.

    Bodies have the names of links, and the frames of their joints. The joints of a link without mass move to
    the one link that follows it. Springs, dampers, dry friction, limits, mimicking joints, gravity and
    visuals are preserved.
    """
    root = ET.Element("mujoco", model=robot.name)
    ET.SubElement(root, "compiler", angle="radian", inertiafromgeom="false")
    ET.SubElement(root, "option", gravity=format_numbers(robot.tree.gravity))
    world = ET.SubElement(root, "worldbody")
    _add_visuals(world, robot, None)
    for i, parent in enumerate(robot.tree.parents):
        if parent < 0:
            _add_body(world, robot, i, np.eye(4), [])
    followers = [joint for joint in robot.joints.values() if joint.mimic is not None]
    if followers:
        equations = ET.SubElement(root, "equality")
        for joint in followers:
            line = format_numbers(np.array([joint.mimic.offset, joint.mimic.multiplier]))
            names = {"joint1": joint.name, "joint2": joint.mimic.joint}
            ET.SubElement(equations, "joint", names, polycoef=f"{line} 0 0 0")
    return root


class _MujocoJoint(NamedTuple):
    """Joint of MuJoCo.

    Attributes
    ----------
    kind
        ``"hinge"``, ``"slide"`` or ``"ball"``.
    name
        Name of the joint.
    link
        Link of the joint.
    coordinate
        Index of its only or first coordinate, among those of the link.
    frame
        Neutral frame ``(4, 4)`` in the frame of the parent body.
    axis
        Axis ``(3,)`` in that frame; None for a ball.
    """

    kind: str
    name: str
    link: Link
    coordinate: int
    frame: Array
    axis: Array | None


def _add_body(
    parent_element: ET.Element, robot: Robot, i: int, pose: Array, inherited_joints: list[_MujocoJoint]
) -> None:
    """Add a link and all links beyond it; it carries the joints of links without mass before it."""
    tree, link = robot.tree, robot.tree.links[i]
    is_free = link.parent is None and is_free_joint(link.joint)
    pose = pose @ link.placement
    mujoco_joints = inherited_joints
    if not is_free:
        own_joints, pose = _mujoco_joints(robot, link, pose)
        mujoco_joints = inherited_joints + own_joints
    if mujoco_joints and link.inertia is None:
        if len(tree.children[i]) != 1:
            got = f"no mass, and {len(tree.children[i])} links on it"
            raise InvalidArgument(f"link {link.name!r}: inertia", got, "mass, or a single link on it")
        _add_body(parent_element, robot, tree.children[i][0], pose, mujoco_joints)
        return
    rotations = [part.kind for part in mujoco_joints if part.kind != "slide"]
    if "ball" in rotations[:-1]:
        got = "a ball followed by another rotation, with no mass in between"
        raise InvalidArgument(f"link {link.name!r}: joint", got, "a joint of MuJoCo: a ball must come last")
    body = ET.SubElement(parent_element, "body", {"name": link.name, **pose_attributes(pose)})
    if is_free:
        _refuse_springs(link, slice(None))
        ET.SubElement(body, "freejoint", name=robot.joint_of_link(link.name).name)
    for part in mujoco_joints:
        ET.SubElement(body, "joint", _joint_attributes(robot, part, se3.inverse(pose) @ part.frame))
    if link.inertia is not None:
        _add_inertia(body, link, is_free or bool(mujoco_joints))
    _add_visuals(body, robot, link.name)
    for child in tree.children[i]:
        _add_body(body, robot, child, np.eye(4), [])


def _mujoco_joints(robot: Robot, link: Link, pose: Array) -> tuple[list[_MujocoJoint], Array]:
    """Return MuJoCo's joints of a link, and its neutral pose in the frame of the parent body."""
    descriptions: list[tuple[str, int, Array, Array | None]] = []
    coordinate = 0
    for part in elementary_joints(link.joint):
        match part:
            case Fixed():
                pose = pose @ part.pose
            case Revolute():
                descriptions.append(("hinge", coordinate, pose, np.array(part.axis)))
            case Prismatic() | PlanarTranslation() | Translational():
                axes = part.motion_subspace(part.neutral)[3:].T
                descriptions += [("slide", coordinate + n, pose, axis) for n, axis in enumerate(axes)]
            case ExponentialSpherical() | QuaternionSpherical():
                descriptions.append(("ball", coordinate, pose, None))
            case _:
                expected = "revolute, prismatic and spherical joints, as in MuJoCo"
                raise InvalidArgument(f"link {link.name!r}: joint", f"{link.joint!r:.60}", expected)
        coordinate += part.num_coordinates
    name = robot.joint_of_link(link.name).name
    names = [name] if len(descriptions) == 1 else [f"{name} {n}" for n in range(len(descriptions))]
    named_descriptions = zip(names, descriptions, strict=True)
    return [
        _MujocoJoint(kind, name, link, coordinate, frame, axis)
        for name, (kind, coordinate, frame, axis) in named_descriptions
    ], pose


def _joint_attributes(robot: Robot, part: _MujocoJoint, frame: Array) -> dict[str, str]:
    """Return the attributes of a joint, at a frame ``(4, 4)`` of its body."""
    link, coordinate = part.link, part.coordinate
    attributes = {"name": part.name, "type": part.kind, "pos": format_numbers(frame[:3, 3])}
    if part.axis is None:
        _refuse_springs(link, slice(coordinate, coordinate + 4))
        return attributes
    attributes["axis"] = format_numbers(frame[:3, :3] @ part.axis)
    if link.stiffness[coordinate]:
        attributes |= {
            "stiffness": format_numbers(link.stiffness[coordinate]),
            "springref": format_numbers(link.spring_reference[coordinate]),
        }
    if link.damping[coordinate]:
        attributes["damping"] = format_numbers(link.damping[coordinate])
    joint = robot.joint_of_link(link.name)
    if joint.friction:
        attributes["frictionloss"] = format_numbers(joint.friction)
    for limit in robot.limits:
        if limit.link == link.name:
            attributes |= {"limited": "true", "range": format_numbers(np.array([limit.lower, limit.upper]))}
    return attributes


def _refuse_springs(link: Link, coordinates: slice) -> None:
    # In MuJoCo they act on rotation and angular velocity, not on the coordinates of trees.
    for field in ("stiffness", "damping"):
        if np.any(getattr(link, field)[coordinates]):
            got = f"{getattr(link, field)}"
            raise InvalidArgument(f"link {link.name!r}: {field}", got, "none on a ball or free joint")


def _add_inertia(body: ET.Element, link: Link, is_moving: bool) -> None:
    """Add the ``<inertial>`` of a link along its principal axes; refuse one that is too small for MuJoCo."""
    properties = inertia.from_spatial_inertia(inertia.transform_inertia(link.body_frame, link.inertia))
    frame = principal_frame(properties)
    if is_moving and min(properties.mass, *frame.moments) < MIN_INERTIA:
        least = f"moments {frame.moments}"
        raise InvalidArgument(f"link {link.name!r}: inertia", least, f"at least {MIN_INERTIA:g} for MuJoCo")
    # The largest moment must not exceed the sum of the others, not even by rounding.
    moments = np.minimum(frame.moments, [np.inf, np.inf, frame.moments[0] + frame.moments[1]])
    attributes = {
        **pose_attributes(frame.E),
        "mass": format_numbers(properties.mass),
        "diaginertia": format_numbers(moments),
    }
    ET.SubElement(body, "inertial", attributes)


def _add_visuals(body: ET.Element, robot: Robot, link: str | None) -> None:
    for visual in robot.visuals:
        if visual.link == link:
            attributes = {**pose_attributes(visual.pose), **geometry_attributes(visual.solid), "mass": "0"}
            ET.SubElement(body, "geom", {**attributes, "contype": "0", "conaffinity": "0"})


def geometry_attributes(solid: Shape) -> dict[str, str]:
    """Return the attributes of a solid.

    Raises
    ------
    InvalidArgument
        If MJCF has no such geometry.
    """
    match solid:
        case Box(sides):
            return {"type": "box", "size": format_numbers(np.array(sides) / 2)}
        case Ellipsoid(semi_axes):
            return {"type": "ellipsoid", "size": format_numbers(np.array(semi_axes))}
        case Sphere(radius):
            return {"type": "sphere", "size": format_numbers(radius)}
        case Cylinder(radius, length) | Capsule(radius, length):
            kind = type(solid).__name__.lower()
            return {"type": kind, "size": format_numbers(np.array([radius, length / 2]))}
    raise InvalidArgument("shape", f"{solid!r:.60}", "a shape of MJCF: no cone or rounded box")


def pose_attributes(E: Array) -> dict[str, str]:
    """Return the attributes of a pose ``(4, 4)``."""
    return {"pos": format_numbers(E[:3, 3]), "quat": format_numbers(quaternion.from_rotation(E[:3, :3]))}
