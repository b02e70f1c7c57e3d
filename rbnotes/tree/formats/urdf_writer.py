"""Robots to URDF."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from rbnotes import _se3, arguments, inertia
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.joints import Fixed, JointType, Prismatic, Revolute
from rbnotes.solids import Box, Cylinder, Sphere
from rbnotes.tree.formats._parts import as_robot, moves_anywhere, moves_in_a_plane
from rbnotes.tree.formats._xml import add_origin, bounded, document, text
from rbnotes.tree.formats.robot import Frame, Robot, RobotJoint, Visual, new_name
from rbnotes.tree.model import Link, Tree


def to_urdf(robot: Robot | Tree) -> str:
    """The text of a URDF file, from which :func:`read_urdf` with ``weld=False`` makes the same robot.

    The same links, joints, names and limits, that is, and the same motions. URDF has no gravity, and no body
    frames apart from those of the joints: inertias are told in the latter. A planar or a floating joint has
    afterwards the coordinates of :class:`~rbnotes.joints.Free2D` or :class:`~rbnotes.joints.Free3D`.

    Raises
    ------
    InvalidArgument
        If URDF does not know a joint, has no place for a spring, for a damper of a joint with several
        coordinates, or for a single bound; the message names the link or the joint.
    """
    arguments.instance("robot", robot, Robot, Tree)
    robot = as_robot(robot)
    tree = robot.tree
    root = ET.Element("robot", name=robot.name)
    world = _name_of_the_world(robot)
    _add_link(root, world, None, [each for each in robot.visuals if each.link is None])
    # Poses of the file's links in the frames of the tree's joints: another one where a plane is not xy.
    turns = [_turn(robot, link) for link in tree.links]
    for link, parent, turn in zip(tree.links, tree.parents, turns, strict=True):
        to_link = _se3.inverse(turn)
        own = None
        if link.inertia is not None:
            own = inertia.transform_inertia(to_link @ link.body, link.inertia)
        looks = [each._replace(pose=to_link @ each.pose) for each in robot.visuals if each.link == link.name]
        _add_link(root, link.name, own, looks)
        joint = robot.joint_of(link.name)
        place = link.placement @ (link.joint.pose if isinstance(link.joint, Fixed) else np.eye(4)) @ turn
        place = place if parent < 0 else _se3.inverse(turns[parent]) @ place
        carrier = world if parent < 0 else tree.links[parent].name
        _add_joint(root, joint, link, _kind(joint, link.joint), (carrier, link.name), place, turn)
    at = {link.name: turn for link, turn in zip(tree.links, turns, strict=True)}
    names = {robot.joint_of(link.name).name for link in tree.links}
    for name, frame in robot.frames.items():
        if name != world and name not in at:
            _add_link(root, name, None, [])
            pose = frame.pose if frame.link is None else _se3.inverse(at[frame.link]) @ frame.pose
            names.add(own_name := new_name(name, names))
            element = _joint(root, own_name, "fixed", (world if frame.link is None else frame.link, name))
            add_origin(element, pose)
    return document(root)


def _name_of_the_world(robot: Robot) -> str:
    links = {link.name for link in robot.tree.links}
    for name, frame in robot.frames.items():
        if frame.link is None and name not in links and np.array_equal(frame.pose, np.eye(4)):
            return name
    return new_name("world", links | set(robot.frames))


def _turn(robot: Robot, link: Link) -> Array:
    frame = robot.frames.get(link.name, Frame(None, np.eye(4)))
    turned = moves_in_a_plane(link.joint) and frame.link == link.name and not np.any(frame.pose[:3, 3])
    return frame.pose if turned else np.eye(4)


def _kind(joint: RobotJoint, motion: JointType) -> str:
    limited = np.isfinite(joint.lower), np.isfinite(joint.upper)
    if isinstance(motion, Prismatic):
        return "prismatic"
    if isinstance(motion, Revolute):
        if limited[0] != limited[1]:
            raise InvalidArgument(f"joint {joint.name!r}: limit", "one bound", "two or none")
        return "revolute" if all(limited) else "continuous"
    if isinstance(motion, Fixed):
        return "fixed"
    if moves_in_a_plane(motion):
        return "planar"
    if moves_anywhere(motion):
        return "floating"
    expected = "one that URDF knows: fixed, hinge, slider, in a plane, free"
    raise InvalidArgument(f"link {joint.link!r}: joint", f"{motion!r:.60}", expected)


def _add_link(root: ET.Element, name: str, M: Array | None, visuals: list[Visual]) -> None:
    element = ET.SubElement(root, "link", name=name)
    if M is not None:
        mass, J, com = inertia.from_spatial_inertia(M)
        inertial = ET.SubElement(element, "inertial")
        ET.SubElement(inertial, "origin", xyz=text(com), rpy="0 0 0")
        ET.SubElement(inertial, "mass", value=text(mass))
        entries = {f"i{'xyz'[i]}{'xyz'[j]}": text(J[i, j]) for i in range(3) for j in range(i, 3)}
        ET.SubElement(inertial, "inertia", entries)
    for visual in visuals:
        drawn = ET.SubElement(element, "visual")
        add_origin(drawn, visual.pose)
        geometry = ET.SubElement(drawn, "geometry")
        match visual.solid:
            case Box(sides):
                ET.SubElement(geometry, "box", size=text(sides))
            case Sphere(radius):
                ET.SubElement(geometry, "sphere", radius=text(radius))
            case Cylinder(radius, length):
                ET.SubElement(geometry, "cylinder", radius=text(radius), length=text(length))
            case other:
                expected = "a box, a sphere or a cylinder"
                raise InvalidArgument(f"link {name!r}: visual", repr(other), expected)


def _joint(root: ET.Element, name: str, kind: str, ends: tuple[str, str]) -> ET.Element:
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
    place: Array,
    turn: Array,
) -> None:
    where = f"link {link.name!r}"
    if np.any(link.stiffness):
        raise InvalidArgument(f"{where}: stiffness", f"{link.stiffness}", "none: URDF has no springs")
    if np.any(link.damping) and link.joint.coordinates != 1:
        raise InvalidArgument(f"{where}: damping", f"{link.damping}", f"none on a {kind} joint")
    element = _joint(root, joint.name, kind, ends)
    add_origin(element, place)
    if isinstance(link.joint, Revolute | Prismatic):
        ET.SubElement(element, "axis", xyz=text(link.joint.axis))
    elif kind == "planar":
        ET.SubElement(element, "axis", xyz=text(turn[2, :3]))
    limits = {"effort": joint.effort, "velocity": joint.velocity}
    if kind in ("revolute", "prismatic"):
        limits |= {"lower": joint.lower, "upper": joint.upper}
    if kind in ("revolute", "prismatic") or np.any(np.isfinite(list(limits.values()))):
        ET.SubElement(element, "limit", {name: repr(bounded(value)) for name, value in limits.items()})
    if np.any(link.damping) or joint.friction:
        damping = text(link.damping[0] if link.damping.size else 0.0)
        ET.SubElement(element, "dynamics", damping=damping, friction=text(joint.friction))
    if joint.mimic is not None:
        followed, multiplier, offset = joint.mimic
        ET.SubElement(element, "mimic", joint=followed, multiplier=text(multiplier), offset=text(offset))
