"""Robots from URDF: links on joints, as ROS describes them (https://wiki.ros.org/urdf/XML).

A link of URDF has the frame of the joint that carries it, as a joint frame of a :class:`~rbnotes.tree.Tree`;
its inertia is given in a frame of its own, placed and turned in the link's. Gravity is not in the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments, inertia
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import GRAVITY
from rbnotes.joints import Fixed, JointType
from rbnotes.tree.formats._urdf_elements import JointElement, LinkElement, joint_element, link_element
from rbnotes.tree.formats._xml import parsed
from rbnotes.tree.formats.robot import Frame, Robot, RobotJoint, Visual
from rbnotes.tree.model import Link, Tree

_Element = TypeVar("_Element", LinkElement, JointElement)


def read_urdf(
    source: str | Path,
    *,
    base: JointType | None = None,
    weld: bool = True,
    repair: bool = False,
    gravity: ArrayLike = GRAVITY,
) -> Robot:
    """A robot from a URDF file.

    Links get the names of the file's links. Revolute and continuous joints become
    :class:`~rbnotes.joints.Revolute`, prismatic ones :class:`~rbnotes.joints.Prismatic`, floating ones
    :class:`~rbnotes.joints.Free3D`, and planar ones :class:`~rbnotes.joints.Free2D` in the plane
    perpendicular to the axis. A link without mass stays where it is in between, as long as something heavy
    hangs on it; at an end of the tree, fixed to its parent, it is but a frame.

    Parameters
    ----------
    source
        Name of a file, or its text.
    base
        Joint by which the first link moves in the world. None: that link *is* the world, whatever it weighs.
    weld
        Links on fixed joints become parts of the links that carry them, and their names those of frames.
        Otherwise they stay links, on :class:`~rbnotes.joints.Fixed` joints, but for frames at ends.
    repair
        Accept files that describe no robot. An inertia that no body has is replaced by the nearest one that
        some body has (:func:`rbnotes.inertia.nearest_inertia`), and inertia without mass by none; joints that
        carry no mass, whose motion nothing determines, are held at zero; joints that mimic one that is not
        there move by themselves. :attr:`Robot.repairs` lists it all. The robot then moves, but not as the
        machine does: better find out what the numbers should be.
    gravity : (3,)
        m/s^2.

    Raises
    ------
    FileNotFoundError
        If there is no file of that name.
    InvalidArgument
        If the file is not URDF or describes no robot; the message names the link or the joint.
    """
    arguments.instance("source", source, str, Path)
    root = parsed(source)
    if root.tag != "robot":
        raise InvalidArgument("source", f"<{root.tag}>", "a URDF file, whose first element is <robot>")
    repairs: list[str] | None = [] if repair else None
    links = _by_name("link", [link_element(element, repairs) for element in root.findall("link")])
    joints = _by_name("joint", [joint_element(element) for element in root.findall("joint")])
    first, ordered = _sorted(links, _without_missing(joints, repairs))
    heavy = _heavy(links, ordered)
    held = _held(ordered, heavy, repairs)

    frames = {first: Frame(None if base is None else first, np.eye(4))}
    moving: list[tuple[str, JointType, str | None, Array, float]] = []
    if base is not None:
        moving.append((first, base, None, np.eye(4), 0.0))
    for joint in ordered:
        at = frames[joint.parent]
        place = at.pose @ joint.origin
        if joint.name not in held:
            # Where the motion's axes are turned, the tree's joint has another frame than the file's link.
            frames[joint.child] = Frame(joint.child, joint.turn.T)
            moving.append((joint.child, joint.motion, at.link, place @ joint.turn, joint.damping))
            continue
        place = place @ joint.motion.transform(np.full(joint.motion.coordinates, held[joint.name]))
        if weld or joint.child not in heavy:
            frames[joint.child] = Frame(at.link, place)
        else:
            frames[joint.child] = Frame(joint.child, np.eye(4))
            moving.append((joint.child, Fixed(), at.link, place, 0.0))
    if not moving:
        raise InvalidArgument("source", "a robot none of whose joints moves", "a joint that moves, or a base")
    tree = [
        Link(name, motion, _welded(name, links, frames), parent, place, damping=damping)
        for name, motion, parent, place, damping in moving
    ]
    return Robot(
        Tree(tree, gravity=gravity),
        root.get("name", "robot"),
        [RobotJoint(each.name, each.child, **each.about) for each in ordered if each.name not in held],
        frames,
        _visuals(links, frames),
        tuple(repairs or ()),
    )


def _by_name(what: str, elements: Sequence[_Element]) -> dict[str, _Element]:
    found: dict[str, _Element] = {}
    for element in elements:
        if element.name in found:
            raise InvalidArgument("source", f"two {what}s named {element.name!r}", "a name for each")
        found[element.name] = element
    return found


def _without_missing(joints: Mapping[str, JointElement], repairs: list[str] | None) -> list[JointElement]:
    """Joints that mimic one which the file does not have move by themselves, if that may be repaired."""
    found = []
    for joint in joints.values():
        mimic = joint.about["mimic"]
        if mimic is not None and mimic.joint not in joints:
            where = f"joint {joint.name!r}: mimic"
            if repairs is None:
                raise InvalidArgument(where, repr(mimic.joint), "a joint of the file")
            repairs.append(f"{where}: no joint {mimic.joint!r}, moves by itself")
            joint = joint._replace(about={**joint.about, "mimic": None})
        found.append(joint)
    return found


def _sorted(
    links: Mapping[str, LinkElement], joints: Sequence[JointElement]
) -> tuple[str, list[JointElement]]:
    """The link that no joint carries, and the joints such that parents come before their children."""
    carried: dict[str, str] = {}
    for joint in joints:
        for end in (joint.parent, joint.child):
            if end not in links:
                raise InvalidArgument(f"joint {joint.name!r}", repr(end), "links of the file")
        if joint.child in carried:
            got = f"link {joint.child!r}, which joint {carried[joint.child]!r} carries"
            raise InvalidArgument(f"joint {joint.name!r}", got, "a link of its own: URDF has no closed loops")
        carried[joint.child] = joint.name
    first = [name for name in links if name not in carried]
    if len(first) != 1:
        got = "links " + ", ".join(map(repr, first)) if first else "no link"
        raise InvalidArgument("source", got, "one link that no joint carries")
    ordered, placed, rest = [], set(first), list(joints)
    while rest:
        ready = [joint for joint in rest if joint.parent in placed]
        if not ready:
            got = "links " + ", ".join(repr(joint.child) for joint in rest)
            raise InvalidArgument("source", f"{got} in a circle", "a tree")
        ordered.append(ready[0])
        placed.add(ready[0].child)
        rest.remove(ready[0])
    return first[0], ordered


def _heavy(links: Mapping[str, LinkElement], ordered: Sequence[JointElement]) -> set[str]:
    """Links that have mass or carry some."""
    heavy = {name for name, link in links.items() if link.body is not None}
    for joint in reversed(ordered):
        if joint.child in heavy:
            heavy.add(joint.parent)
    return heavy


def _held(ordered: Sequence[JointElement], heavy: set[str], repairs: list[str] | None) -> dict[str, float]:
    """Joints that do not move, with their coordinates: fixed ones, weightless ones, and what mimics these."""
    held = {}
    for joint in ordered:
        if joint.motion.coordinates and joint.child not in heavy:
            if repairs is None:
                expected = f"mass, for it or for a link that hangs on it, as joint {joint.name!r} moves it"
                raise InvalidArgument(f"link {joint.child!r}: inertia", "no mass", expected)
            repairs.append(f"joint {joint.name!r}: carries no mass, held at zero")
        if not joint.motion.coordinates or joint.child not in heavy:
            held[joint.name] = 0.0
    while True:
        following = {
            joint.name: joint.about["mimic"].multiplier * held[joint.about["mimic"].joint]
            + joint.about["mimic"].offset
            for joint in ordered
            if joint.name not in held and joint.about["mimic"] and joint.about["mimic"].joint in held
        }
        if not following:
            return held
        held |= following


def _welded(name: str, links: Mapping[str, LinkElement], frames: Mapping[str, Frame]) -> Array | None:
    """Spatial inertia ``(6, 6)`` of all bodies of the file that belong to a link of the tree."""
    parts = [
        (link.body, frames[link.name].pose)
        for link in links.values()
        if link.body is not None and frames[link.name].link == name
    ]
    if not parts:
        return None
    bodies, poses = zip(*parts, strict=True)
    if len(bodies) == 1 and np.array_equal(poses[0], np.eye(4)):
        return inertia.spatial_inertia(*bodies[0])
    return inertia.spatial_inertia(*inertia.composite(bodies, np.stack(poses)))


def _visuals(links: Mapping[str, LinkElement], frames: Mapping[str, Frame]) -> tuple[Visual, ...]:
    return tuple(
        Visual(frames[link.name].link, frames[link.name].pose @ pose, solid)
        for link in links.values()
        for pose, solid in link.visuals
    )
