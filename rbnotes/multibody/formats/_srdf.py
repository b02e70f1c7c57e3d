"""Reader of SRDF, the file of MoveIt with pairs of links that never touch and with named configurations.

The format: https://wiki.ros.org/srdf.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from rbnotes.arguments import MAX_ABS_VALUE, InvalidArgument
from rbnotes.multibody.formats._located_xml import Element, parse_text, read_file

BASE_JOINT = "root_joint"
"""Name that files use for the joint of the base, besides those of their virtual joints."""

_PLANNING_ELEMENTS = (
    "group",
    "end_effector",
    "passive_joint",
    "joint_property",
    "link_sphere_approximation",
)
"""Elements for planning of motions, which a model of the dynamics does not use."""


class SemanticDescription(NamedTuple):
    """Content of an SRDF file.

    Attributes
    ----------
    disabled_pairs
        Pairs of links of the URDF file that do not touch.
    group_states
        Coordinates of joints, rad or m, by names of states and of joints.
    """

    disabled_pairs: frozenset[frozenset[str]]
    group_states: dict[str, dict[str, float]]


def read_srdf(
    source: str | Path, robot: str, links: Collection[str], num_coordinates: Mapping[str, int]
) -> SemanticDescription:
    """Return the content of an SRDF file or of its text.

    Parameters
    ----------
    source
        Name of a file, or its text.
    robot, links
        Names of the robot and of its links in the URDF file.
    num_coordinates
        Numbers of coordinates by the names of joints in the URDF file.
    """
    if isinstance(source, str) and source.lstrip().startswith("<"):
        root = parse_text("srdf", source)
    else:
        root = parse_text("srdf", read_file("srdf", Path(source), "an SRDF file"))
    if root.tag != "robot":
        raise InvalidArgument("srdf", f"<{root.tag}>", "an SRDF file, whose first element is <robot>")
    if root.get("name") != robot:
        expected = f"{robot!r}, the name of the robot in the URDF file"
        raise InvalidArgument(f"srdf: {root.label}", repr(root.get("name")), expected)
    default_links: set[str] = set()
    enabled: set[frozenset[str]] = set()
    disabled: set[frozenset[str]] = set()
    states: list[Element] = []
    base_joints = {BASE_JOINT}
    for element in root:
        match element.tag:
            case "disable_collisions":
                disabled.add(_pair(element, links))
            case "enable_collisions":
                enabled.add(_pair(element, links))
            case "disable_default_collisions":
                default_links.add(_link(element, "link", links))
            case "group_state":
                states.append(element)
            case "virtual_joint":
                base_joints.add(_attribute(element, "name"))
            case tag if tag not in _PLANNING_ELEMENTS:
                raise InvalidArgument(f"srdf: {element.label}", "this element", "an element of SRDF")
    by_default = {frozenset((a, b)) for a in default_links for b in links if a != b}
    return SemanticDescription(
        frozenset((by_default - enabled) | disabled), _group_states(states, num_coordinates, base_joints)
    )


def _attribute(element: Element, name: str) -> str:
    """Return the text of an attribute, which must not be empty."""
    if not element.get(name):
        raise InvalidArgument(f"srdf: {element.label}", f"no {name!r}", "a value for it")
    return element.get(name)


def _link(element: Element, name: str, links: Collection[str]) -> str:
    """Return the link that an attribute names."""
    link = _attribute(element, name)
    if link not in links:
        raise InvalidArgument(f"srdf: {element.label}: {name}", repr(link), "a link of the URDF file")
    return link


def _pair(element: Element, links: Collection[str]) -> frozenset[str]:
    """Return the two links of an element."""
    pair = frozenset(_link(element, name, links) for name in ("link1", "link2"))
    if len(pair) != 2:
        raise InvalidArgument(f"srdf: {element.label}", f"{element.get('link1')!r} twice", "two links")
    return pair


def _group_states(
    elements: Collection[Element], num_coordinates: Mapping[str, int], base_joints: Collection[str]
) -> dict[str, dict[str, float]]:
    """Return the coordinates of each state; states of several groups with one name are one."""
    states: dict[str, dict[str, float]] = {}
    for element in elements:
        state = states.setdefault(_attribute(element, "name"), {})
        for child in element:
            if child.tag != "joint":
                raise InvalidArgument(f"srdf: {child.label}", f"<{child.tag}>", "<joint>")
            joint = _attribute(child, "name")
            if joint in base_joints:
                continue
            if joint not in num_coordinates:
                raise InvalidArgument(f"srdf: {child.label}: name", repr(joint), "a joint of the URDF file")
            if num_coordinates[joint] != 1:
                got = f"a joint with {num_coordinates[joint]} coordinates"
                raise InvalidArgument(f"srdf: {child.label}", got, "a joint with one")
            value = _number(child, "value")
            if state.setdefault(joint, value) != value:
                got = f"{value:g} after {state[joint]:g} in another group"
                raise InvalidArgument(f"srdf: {child.label}: value", got, "one value in a state")
    return states


def _number(element: Element, name: str) -> float:
    """Return the only number of an attribute."""
    text = _attribute(element, name)
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not abs(value) < MAX_ABS_VALUE:
        expected = f"one number smaller than {MAX_ABS_VALUE:g}"
        raise InvalidArgument(f"srdf: {element.label}: {name}", f"{text!r:.60}", expected)
    return value
