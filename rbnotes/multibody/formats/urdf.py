"""Reader of URDF, the robot files of ROS (https://wiki.ros.org/urdf/XML).

A link of URDF has the frame of the joint that carries it, as a joint frame of a
:class:`~rbnotes.multibody.reduced.Tree`; its inertia is given in a frame of its own, placed and rotated in
the link's. The file has no gravity.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments, inertia
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import GRAVITY
from rbnotes.inertia import MassProperties
from rbnotes.joints import Fixed, JointType
from rbnotes.multibody.formats._srdf import read_srdf
from rbnotes.multibody.formats._urdf_elements import (
    JointElement,
    LinkElement,
    MeshFolders,
    joint_element,
    link_element,
)
from rbnotes.multibody.formats._xml import parse_xml
from rbnotes.multibody.formats.robot import Frame, LinkGeometry, Robot, RobotJoint
from rbnotes.multibody.reduced.link import Link
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.shapes import Shape
from rbnotes.unchecked.frozen import replace_unchecked
from rbnotes.unchecked.spatial_inertia import spatial_inertia

_Element = TypeVar("_Element", LinkElement, JointElement)


def load_urdf(
    source: str | Path,
    *,
    base: JointType | None = None,
    weld: bool = True,
    repair: bool = False,
    gravity: ArrayLike = GRAVITY,
    package_root: str | Path | None = None,
    srdf: str | Path | None = None,
) -> Robot:
    """Return a robot from a URDF file.

    Links get the names of the file's links. Revolute and continuous joints become
    :class:`~rbnotes.joints.Revolute`, prismatic ones :class:`~rbnotes.joints.Prismatic`, floating ones
    :class:`~rbnotes.joints.Free3D`, and planar ones :class:`~rbnotes.joints.Free2D` in the plane
    perpendicular to the axis. A link without mass remains if a link with mass follows it; at an end of the
    tree, fixed to its parent, it becomes a frame. Collision meshes in STL, OBJ or COLLADA files become their
    convex hulls: files beside the source or in its folder's parent, ``file://`` and ``package://``. COLLADA
    files must have the unit and axes of the mesh, with z upwards. :attr:`Robot.unsupported_collisions` lists
    the others, with the reasons.

    Without an SRDF file, links that a joint connects do not touch, nor do links that are welded to one; all
    other pairs can. The first link of a robot without a base is the world, which all others can touch.

    Parameters
    ----------
    source
        Name of a file, or its text.
    base
        Joint between the world and the first link. None: that link *is* the world, and its mass is ignored.
    weld
        Merge links on fixed joints into their parents; their names become those of frames. Otherwise they
        stay links, on :class:`~rbnotes.joints.Fixed` joints, except for frames at ends.
    repair
        Accept files with invalid data. The nearest possible inertia replaces an impossible one
        (:func:`rbnotes.inertia.nearest_inertia`), and inertia without mass is removed; joints that
        carry no mass, whose motion is undetermined, are fixed at zero; joints that mimic a missing one move
        independently. :attr:`Robot.repairs` lists all changes. The repaired robot does not move as the
        machine does: prefer to correct the file.
    gravity : (3,)
        Gravity in the world, m/s^2.
    package_root
        Folder that contains the packages of ``package://NAME/...``, one folder for each name.
    srdf
        Name of the SRDF file of the robot, or its text. Its pairs ``<disable_collisions>`` become
        :attr:`Robot.excluded_pairs`, whatever their reason; ``<disable_default_collisions>`` and
        ``<enable_collisions>`` act as in MoveIt. Its ``<group_state>`` elements become
        :attr:`Robot.group_states`, without values for a virtual joint or a joint ``"root_joint"``, which
        place the base. Elements for planning, such as groups and end effectors, are not used. If the file
        excludes pairs of the first link and the model is to have a ground, pass ``base=joints.Fixed()``,
        which keeps that link separate from the world.

    Raises
    ------
    FileNotFoundError
        If there is no file of that name.
    InvalidArgument
        If the file is not URDF or describes no robot; the message names the link or the joint. If
        ``package_root`` is not an existing folder. If ``srdf`` does not fit the robot; the message names the
        element and its line, or the links of a welded one that the file only partly excludes.
    """
    arguments.require_instance("source", source, str, Path)
    arguments.require_instance("srdf", srdf, str, Path, type(None))
    root = parse_xml(source)
    if root.tag != "robot":
        raise InvalidArgument("source", f"<{root.tag}>", "a URDF file, whose first element is <robot>")
    repairs: list[str] | None = [] if repair else None
    folders = _mesh_folders(source, package_root)
    links = _by_name("link", [link_element(element, repairs, folders) for element in root.findall("link")])
    joints = _by_name("joint", [joint_element(element) for element in root.findall("joint")])
    root_link, sorted_joints = _sort_joints(links, _drop_missing_mimics(joints, repairs))
    links_with_mass = _links_with_mass(links, sorted_joints)
    fixed_joints = _fixed_joints(sorted_joints, links_with_mass, repairs)

    kept_links = set() if weld else links_with_mass
    frames, tree_joints = _place_links(root_link, base, sorted_joints, fixed_joints, kept_links)
    if not tree_joints:
        raise InvalidArgument("source", "a robot none of whose joints moves", "a joint that moves, or a base")
    inertias = _welded_inertias(links, frames)
    name = root.get("name", "robot")
    excluded_pairs: tuple[tuple[str, str], ...] = ()
    group_states: dict[str, dict[str, float]] = {}
    if srdf is not None:
        counts = {each.name: each.joint_type.num_coordinates for each in sorted_joints}
        description = read_srdf(srdf, name, links, counts)
        excluded_pairs = _excluded_pairs(description.disabled_pairs, links, frames)
        moving = {each.name: each.child for each in sorted_joints if each.name not in fixed_joints}
        group_states = {
            state: {moving[joint]: value for joint, value in values.items() if joint in moving}
            for state, values in description.group_states.items()
        }
    tree = [_link(joint, inertias.get(joint.child)) for joint in tree_joints]
    return Robot(
        Tree(tree, gravity=gravity),
        name,
        [
            RobotJoint(each.name, each.child, **each.properties)
            for each in sorted_joints
            if each.name not in fixed_joints
        ],
        frames,
        _placed_solids({name: link.visuals for name, link in links.items()}, frames),
        _placed_solids({name: link.collisions for name, link in links.items()}, frames),
        tuple(text for link in links.values() for text in link.unsupported_collisions),
        tuple(repairs or ()),
        excluded_pairs,
        group_states,
    )


def _excluded_pairs(
    disabled_pairs: Collection[frozenset[str]],
    links: Mapping[str, LinkElement],
    frames: Mapping[str, Frame],
) -> tuple[tuple[str, str], ...]:
    """Return the pairs of links of the tree, or the world, that do not touch.

    Links that are welded to one touch others together: a file must exclude all pairs of those that have
    collision geometry, or none.
    """

    def welded_to(name: str) -> str:
        return frames[name].link or "world"

    colliding: dict[str, list[str]] = {}
    for name, link in links.items():
        if link.collisions or link.unsupported_collisions:
            colliding.setdefault(welded_to(name), []).append(name)
    result: dict[tuple[str, str], None] = {}
    for pair in sorted(map(sorted, disabled_pairs)):
        a, b = map(welded_to, pair)
        if a == b:
            continue
        for first in colliding.get(a, ()):
            for second in colliding.get(b, ()):
                if frozenset((first, second)) not in disabled_pairs:
                    got = f"{pair[0]!r} and {pair[1]!r} excluded, {first!r} and {second!r} not"
                    expected = f"all links welded to {a!r} and {b!r}, or weld=False"
                    raise InvalidArgument("srdf: disable_collisions", got, expected)
        result[min(a, b), max(a, b)] = None
    return tuple(result)


def _mesh_folders(source: str | Path, package_root: str | Path | None) -> MeshFolders:
    """Return the folders of mesh files: that of the source, if it is a file, and that of packages."""
    if package_root is not None:
        arguments.require_instance("package_root", package_root, str, Path)
        if package_root == "" or not Path(package_root).is_dir():
            raise InvalidArgument("package_root", repr(str(package_root)), "an existing folder")
    is_text = isinstance(source, str) and source.lstrip().startswith("<")
    return MeshFolders(
        None if is_text else Path(source).parent, None if package_root is None else Path(package_root)
    )


def _by_name(kind: str, elements: Sequence[_Element]) -> dict[str, _Element]:
    elements_by_name: dict[str, _Element] = {}
    for element in elements:
        if element.name in elements_by_name:
            raise InvalidArgument("source", f"two {kind}s named {element.name!r}", "a name for each")
        elements_by_name[element.name] = element
    return elements_by_name


def _drop_missing_mimics(joints: Mapping[str, JointElement], repairs: list[str] | None) -> list[JointElement]:
    """Return joints without references to missing joints, if that may be repaired."""
    kept_joints = []
    for joint in joints.values():
        mimic = joint.properties["mimic"]
        if mimic is not None and mimic.joint not in joints:
            context = f"joint {joint.name!r}: mimic"
            if repairs is None:
                raise InvalidArgument(context, repr(mimic.joint), "a joint of the file")
            repairs.append(f"{context}: no joint {mimic.joint!r}, moves by itself")
            joint = joint._replace(properties={**joint.properties, "mimic": None})
        kept_joints.append(joint)
    return kept_joints


def _sort_joints(
    links: Mapping[str, LinkElement], joints: Sequence[JointElement]
) -> tuple[str, list[JointElement]]:
    """Return the link without a joint, and the joints sorted so that parents come before their children."""
    carrying_joints: dict[str, str] = {}
    for joint in joints:
        for end in (joint.parent, joint.child):
            if end not in links:
                raise InvalidArgument(f"joint {joint.name!r}", repr(end), "links of the file")
        if joint.child in carrying_joints:
            got = f"link {joint.child!r}, which joint {carrying_joints[joint.child]!r} carries"
            raise InvalidArgument(
                f"joint {joint.name!r}", got, "one joint for each link: URDF has no closed loops"
            )
        carrying_joints[joint.child] = joint.name
    roots = [name for name in links if name not in carrying_joints]
    if len(roots) != 1:
        got = "links " + ", ".join(map(repr, roots)) if roots else "no link"
        raise InvalidArgument("source", got, "one link that no joint carries")
    numbers_by_parent: dict[str, list[int]] = {}
    for number, joint in enumerate(joints):
        numbers_by_parent.setdefault(joint.parent, []).append(number)
    sorted_joints, ready = [], numbers_by_parent.get(roots[0], [])
    while ready:  # a heap: the first joint of the file goes first
        joint = joints[heappop(ready)]
        sorted_joints.append(joint)
        for number in numbers_by_parent.get(joint.child, []):
            heappush(ready, number)
    if len(sorted_joints) < len(joints):
        reached_links = {roots[0], *(joint.child for joint in sorted_joints)}
        missing = [repr(joint.child) for joint in joints if joint.child not in reached_links]
        raise InvalidArgument("source", f"links {', '.join(missing)} in a cycle", "a tree")
    return roots[0], sorted_joints


def _links_with_mass(links: Mapping[str, LinkElement], sorted_joints: Sequence[JointElement]) -> set[str]:
    """Return the links that have mass or carry some."""
    links_with_mass = {name for name, link in links.items() if link.mass_properties is not None}
    for joint in reversed(sorted_joints):
        if joint.child in links_with_mass:
            links_with_mass.add(joint.parent)
    return links_with_mass


def _fixed_joints(
    sorted_joints: Sequence[JointElement], links_with_mass: set[str], repairs: list[str] | None
) -> dict[str, float]:
    """Return the coordinates of joints that do not move: fixed, massless, and those that mimic them."""
    fixed_joints = {}
    for joint in sorted_joints:
        if joint.joint_type.num_coordinates and joint.child not in links_with_mass:
            if repairs is None:
                expected = f"mass, for it or for a link beyond it, because joint {joint.name!r} moves it"
                raise InvalidArgument(f"link {joint.child!r}: inertia", "no mass", expected)
            repairs.append(f"joint {joint.name!r}: carries no mass, held at zero")
        if not joint.joint_type.num_coordinates or joint.child not in links_with_mass:
            fixed_joints[joint.name] = 0.0
    while True:
        followers = {
            joint.name: joint.properties["mimic"].multiplier * fixed_joints[joint.properties["mimic"].joint]
            + joint.properties["mimic"].offset
            for joint in sorted_joints
            if joint.name not in fixed_joints
            and joint.properties["mimic"]
            and joint.properties["mimic"].joint in fixed_joints
        }
        if not followers:
            return fixed_joints
        fixed_joints |= followers


class _TreeJoint(NamedTuple):
    """A joint of the tree: the link that it moves, that link's parent, and its frame in the parent."""

    child: str
    joint_type: JointType
    parent: str | None
    pose: Array
    damping: float = 0.0


def _place_links(
    root_link: str,
    base: JointType | None,
    sorted_joints: Sequence[JointElement],
    fixed_joints: Mapping[str, float],
    kept_links: set[str],
) -> tuple[dict[str, Frame], list[_TreeJoint]]:
    """Return the frames of all links of the file, and the joints of the tree.

    Links on fixed joints become frames of their parents, except for those of ``kept_links``.
    """
    frames = {root_link: Frame(None if base is None else root_link, np.eye(4))}
    tree_joints = [] if base is None else [_TreeJoint(root_link, base, None, np.eye(4))]
    for joint in sorted_joints:
        parent, parent_pose = frames[joint.parent]
        pose = parent_pose @ joint.origin
        if joint.name not in fixed_joints:
            # If the motion's axes are rotated, the tree's joint frame differs from the file's link frame.
            frames[joint.child] = Frame(joint.child, joint.motion_frame.T)
            pose = pose @ joint.motion_frame
            tree_joints.append(_TreeJoint(joint.child, joint.joint_type, parent, pose, joint.damping))
            continue
        q = np.full(joint.joint_type.num_coordinates, fixed_joints[joint.name])
        pose = pose @ joint.joint_type.transform(q)
        if joint.child in kept_links:
            frames[joint.child] = Frame(joint.child, np.eye(4))
            tree_joints.append(_TreeJoint(joint.child, Fixed(), parent, pose))
        else:
            frames[joint.child] = Frame(parent, pose)
    return frames, tree_joints


def _welded_inertias(
    links: Mapping[str, LinkElement], frames: Mapping[str, Frame]
) -> dict[str | None, Array]:
    """Return the spatial inertias ``(6, 6)`` of all bodies of the file by their links of the tree."""
    parts: dict[str | None, list[tuple[MassProperties, Array]]] = {}
    for link in links.values():
        if link.mass_properties is not None:
            frame = frames[link.name]
            parts.setdefault(frame.link, []).append((link.mass_properties, frame.pose))
    return {name: _composite_inertia(*zip(*each, strict=True)) for name, each in parts.items()}


def _composite_inertia(bodies: Sequence[MassProperties], poses: Sequence[Array]) -> Array:
    if len(bodies) == 1 and np.array_equal(poses[0], np.eye(4)):
        return spatial_inertia(*bodies[0])
    return spatial_inertia(*inertia.composite(bodies, np.stack(poses)))


def _link(joint: _TreeJoint, inertia: Array | None) -> Link:
    """Return a link, whose inertia is that of bodies that were checked."""
    link = Link(joint.child, joint.joint_type, None, joint.parent, joint.pose, damping=joint.damping)
    if inertia is None:
        return link
    is_moderate = np.max(np.abs(inertia)) < arguments.MAX_ABS_VALUE
    return replace_unchecked(link, inertia=inertia) if is_moderate else replace(link, inertia=inertia)


def _placed_solids(
    solids: Mapping[str, Sequence[tuple[Array, Shape]]], frames: Mapping[str, Frame]
) -> tuple[LinkGeometry, ...]:
    return tuple(
        LinkGeometry(frames[name].link, frames[name].pose @ pose, solid)
        for name, placed in solids.items()
        for pose, solid in placed
    )
