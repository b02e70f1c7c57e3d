"""Writer of URDF."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence

import numpy as np

from rbnotes import arguments, inertia
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.joints import Fixed, JointType, Prismatic, Revolute
from rbnotes.multibody.formats._joint_types import as_robot, is_free_joint, is_planar_joint
from rbnotes.multibody.formats._xml import (
    add_origin,
    clip_to_finite,
    format_document,
    format_numbers,
)
from rbnotes.multibody.formats.robot import Frame, LinkGeometry, Robot, RobotJoint, unique_name
from rbnotes.multibody.reduced.link import Link
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.shapes import Box, Cylinder, Shape, Sphere
from rbnotes.unchecked import se3


def to_urdf(robot: Robot | Tree) -> str:
    """Return the text of a URDF file, from which :func:`load_urdf` with ``weld=False`` makes the same robot.

    Links, joints, names, limits and motions are the same. URDF has neither gravity nor body frames apart from
    those of the joints: inertias are given in the joint frames. A planar or a floating joint is read with the
    coordinates of :class:`~rbnotes.joints.Free2D` or :class:`~rbnotes.joints.Free3D`.

    Raises
    ------
    InvalidArgument
        If URDF has no such joint, or cannot express a spring, a damper of a joint with several coordinates,
        or a single bound; the message names the link or the joint.
    """
    arguments.require_instance("robot", robot, Robot, Tree)
    robot = as_robot(robot)
    tree = robot.tree
    root = ET.Element("robot", name=robot.name)
    world = _world_link_name(robot)
    _add_link(root, world, None, _geometries_of(robot, None, np.eye(4)))
    # Poses of the file's links in the frames of the tree's joints: not the identity if a plane is not xy.
    motion_frames = [_motion_frame(robot, link) for link in tree.links]
    for link, parent, motion_frame in zip(tree.links, tree.parents, motion_frames, strict=True):
        to_link = se3.inverse(motion_frame)
        link_inertia = None
        if link.inertia is not None:
            link_inertia = inertia.transform_inertia(to_link @ link.body_frame, link.inertia)
        _add_link(root, link.name, link_inertia, _geometries_of(robot, link.name, to_link))
        joint = robot.joint_of_link(link.name)
        origin = (
            link.placement @ (link.joint.pose if isinstance(link.joint, Fixed) else np.eye(4)) @ motion_frame
        )
        origin = origin if parent < 0 else se3.inverse(motion_frames[parent]) @ origin
        parent_name = world if parent < 0 else tree.links[parent].name
        joint_type = _urdf_joint_type(joint, link.joint)
        _add_joint(root, joint, link, joint_type, (parent_name, link.name), origin, motion_frame)
    frames = {link.name: motion_frame for link, motion_frame in zip(tree.links, motion_frames, strict=True)}
    names = {robot.joint_of_link(link.name).name for link in tree.links}
    for name, frame in robot.frames.items():
        if name != world and name not in frames:
            _add_link(root, name, None, {})
            pose = frame.pose if frame.link is None else se3.inverse(frames[frame.link]) @ frame.pose
            names.add(own_name := unique_name(name, names))
            element = _add_joint_element(
                root, own_name, "fixed", (world if frame.link is None else frame.link, name)
            )
            add_origin(element, pose)
    return format_document(root)


def _world_link_name(robot: Robot) -> str:
    links = {link.name for link in robot.tree.links}
    for name, frame in robot.frames.items():
        if frame.link is None and name not in links and np.array_equal(frame.pose, np.eye(4)):
            return name
    return unique_name("world", links | set(robot.frames))


def _motion_frame(robot: Robot, link: Link) -> Array:
    frame = robot.frames.get(link.name, Frame(None, np.eye(4)))
    is_turned = is_planar_joint(link.joint) and frame.link == link.name and not np.any(frame.pose[:3, 3])
    return frame.pose if is_turned else np.eye(4)


def _urdf_joint_type(joint: RobotJoint, joint_type: JointType) -> str:
    """Return the type of a joint in URDF; refuse types that URDF lacks."""
    has_limits = np.isfinite(joint.lower), np.isfinite(joint.upper)
    if isinstance(joint_type, Prismatic):
        return "prismatic"
    if isinstance(joint_type, Revolute):
        if has_limits[0] != has_limits[1]:
            raise InvalidArgument(f"joint {joint.name!r}: limit", "one bound", "two or none")
        return "revolute" if all(has_limits) else "continuous"
    if isinstance(joint_type, Fixed):
        return "fixed"
    if is_planar_joint(joint_type):
        return "planar"
    if is_free_joint(joint_type):
        return "floating"
    expected = "a joint of URDF: fixed, revolute, prismatic, planar or floating"
    raise InvalidArgument(f"link {joint.link!r}: joint", f"{joint_type!r:.60}", expected)


def _geometries_of(robot: Robot, link: str | None, to_link: Array) -> dict[str, list[LinkGeometry]]:
    """Return the solids of a link by the names of their elements, with poses in the frame of the file."""
    return {
        kind: [each._replace(pose=to_link @ each.pose) for each in geometries if each.link == link]
        for kind, geometries in (("visual", robot.visuals), ("collision", robot.collisions))
    }


def _add_link(
    root: ET.Element, name: str, M: Array | None, geometries: Mapping[str, Sequence[LinkGeometry]]
) -> None:
    """Add a link with its inertia and geometries."""
    element = ET.SubElement(root, "link", name=name)
    if M is not None:
        mass, J, com = inertia.from_spatial_inertia(M)
        inertial = ET.SubElement(element, "inertial")
        ET.SubElement(inertial, "origin", xyz=format_numbers(com), rpy="0 0 0")
        ET.SubElement(inertial, "mass", value=format_numbers(mass))
        entries = {f"i{'xyz'[i]}{'xyz'[j]}": format_numbers(J[i, j]) for i in range(3) for j in range(i, 3)}
        ET.SubElement(inertial, "inertia", entries)
    for kind, placed in geometries.items():
        for each in placed:
            geometry_element = ET.SubElement(element, kind)
            add_origin(geometry_element, each.pose)
            _add_solid(ET.SubElement(geometry_element, "geometry"), f"link {name!r}: {kind}", each.solid)


def _add_solid(geometry: ET.Element, context: str, solid: Shape) -> None:
    """Add the element of a box, a sphere or a cylinder."""
    match solid:
        case Box(sides):
            ET.SubElement(geometry, "box", size=format_numbers(sides))
        case Sphere(radius):
            ET.SubElement(geometry, "sphere", radius=format_numbers(radius))
        case Cylinder(radius, length):
            ET.SubElement(geometry, "cylinder", radius=format_numbers(radius), length=format_numbers(length))
        case other:
            raise InvalidArgument(context, repr(other), "a box, a sphere or a cylinder")


def _add_joint_element(root: ET.Element, name: str, kind: str, ends: tuple[str, str]) -> ET.Element:
    element = ET.SubElement(root, "joint", name=name, type=kind)
    ET.SubElement(element, "parent", link=ends[0])
    ET.SubElement(element, "child", link=ends[1])
    return element


def _add_joint(
    root: ET.Element,
    joint: RobotJoint,
    link: Link,
    kind: str,
    ends: tuple[str, str],
    pose: Array,
    motion_frame: Array,
) -> None:
    """Add a joint with its frame, axis, limits and losses."""
    context = f"link {link.name!r}"
    if np.any(link.stiffness):
        raise InvalidArgument(f"{context}: stiffness", f"{link.stiffness}", "none: URDF has no springs")
    if np.any(link.damping) and link.joint.num_coordinates != 1:
        raise InvalidArgument(f"{context}: damping", f"{link.damping}", f"none on a {kind} joint")
    element = _add_joint_element(root, joint.name, kind, ends)
    add_origin(element, pose)
    if isinstance(link.joint, Revolute | Prismatic):
        ET.SubElement(element, "axis", xyz=format_numbers(link.joint.axis))
    elif kind == "planar":
        ET.SubElement(element, "axis", xyz=format_numbers(motion_frame[2, :3]))
    limits = {"effort": joint.effort, "velocity": joint.velocity}
    if kind in ("revolute", "prismatic"):
        limits |= {"lower": joint.lower, "upper": joint.upper}
    if kind in ("revolute", "prismatic") or np.any(np.isfinite(list(limits.values()))):
        ET.SubElement(element, "limit", {name: repr(clip_to_finite(value)) for name, value in limits.items()})
    if np.any(link.damping) or joint.friction:
        damping = format_numbers(link.damping[0] if link.damping.size else 0.0)
        ET.SubElement(element, "dynamics", damping=damping, friction=format_numbers(joint.friction))
    if joint.mimic is not None:
        leader, multiplier, offset = joint.mimic
        ET.SubElement(
            element,
            "mimic",
            joint=leader,
            multiplier=format_numbers(multiplier),
            offset=format_numbers(offset),
        )
