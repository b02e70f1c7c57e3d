"""Equality constraints, tendons and excluded pairs of an MJCF file."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.joints import Fixed
from rbnotes.multibody.formats import _mjcf_elements as xml
from rbnotes.multibody.formats._located_xml import Element
from rbnotes.multibody.formats._mjcf_contents import CONTACT_SETTINGS, FileContents
from rbnotes.multibody.reduced.constraints import Gear, LoopClosure
from rbnotes.multibody.reduced.loop_joint import LoopJoint
from rbnotes.unchecked import quaternion, se3


def read_equality(contents: FileContents, element: Element, tendons: Mapping[str, Element]) -> None:
    """Add an equality constraint: a loop closure, a weld, or a gear of two joints or of a tendon."""
    used = {
        "connect": ("body1", "body2", "anchor"),
        "weld": ("body1", "body2", "relpose"),
        "joint": ("joint1", "joint2", "polycoef"),
        "tendon": ("tendon1", "tendon2", "polycoef"),
    }.get(element.tag)
    if used is None:
        contents.context.refuse(element, f"<{element.tag}>", "<connect>, <weld>, <joint> or <tendon>")
        return
    equality = Element("equality", element.attrib, element.line)  # the tag of the defaults
    resolved = xml.resolve(contents.context, equality, "main", ("active", *used), CONTACT_SETTINGS)
    if not xml.is_true(resolved, "active", True) or "equality" in contents.disabled:
        return
    match element.tag:
        case "connect":
            _read_connect(contents, resolved)
        case "weld":
            _read_weld(contents, resolved)
        case _:
            _read_gear(contents, element, resolved, tendons)


def _read_gear(
    contents: FileContents, element: Element, resolved: Element, tendons: Mapping[str, Element]
) -> None:
    """Add the gear of a ``<joint>`` or ``<tendon>``; ``resolved`` includes its default attributes."""
    coefficients = np.zeros(5)
    polycoef = xml.values(resolved, "polycoef", (1, 5), np.array([0.0, 1.0]))
    coefficients[: polycoef.size] = polycoef
    if element.tag == "joint" and resolved.get("joint2"):
        follower, leader = (contents.named_joint(resolved, name) for name in ("joint1", "joint2"))
        a0, ratio = coefficients[:2]
        offset = a0 + contents.references[follower] - ratio * contents.references[leader]
    elif element.tag == "tendon" and not resolved.get("tendon2"):
        name = resolved.get("tendon1", "")
        if name not in tendons:
            raise InvalidArgument(f"{element.label}: tendon1", repr(name), "a tendon of the file")
        terms = [
            (contents.named_joint(each, "joint"), xml.value(each, "coef", np.nan))
            for each in tendons[name]
            if each.tag == "joint"
        ]
        if len(terms) != 2 or not all(coefficient for _, coefficient in terms):
            contents.context.refuse(element, f"a tendon of {len(terms)} joints", "a fixed tendon of two")
            return
        (leader, first), (follower, second) = terms
        ratio = -first / second
        offset = (
            coefficients[0] / second + contents.references[follower] - ratio * contents.references[leader]
        )
        coefficients[1:] = 0.0
    else:
        contents.context.refuse(element, "one joint, or two tendons", "two joints, or one tendon")
        return
    if np.any(coefficients[2:]) or abs(offset) > 1e-12:
        contents.context.refuse(
            element, f"polycoef {resolved.get('polycoef')!r}", "a ratio without an offset"
        )
        return
    contents.constraints.append(Gear(leader, follower, float(ratio)))


def _read_connect(contents: FileContents, element: Element) -> None:
    """Add the loop closure of a ``<connect>``."""
    names = [contents.named_body(element, "body1"), contents.named_body(element, "body2", "world")]
    anchor = xml.values(element, "anchor", 3)
    point = contents.world_poses[names[0]][:3, :3] @ anchor + contents.world_poses[names[0]][:3, 3]
    ends: list[tuple[str | None, Array]] = []
    for name in names:
        model_body, pose = contents.frames[name]
        local = pose @ se3.inverse(contents.world_poses[name]) @ np.append(point, 1.0)
        ends.append((model_body, local[:3]))
    if ends[0][0] is None:
        ends.reverse()
    (a, x_a), (b, x_b) = ends
    if a is None or a == b:
        raise InvalidArgument(element.label, " and ".join(map(repr, names)), "bodies that move")
    contents.constraints.append(LoopClosure(a, x_a, b, x_b))


def _read_weld(contents: FileContents, element: Element) -> None:
    """Add the constraint of a ``<weld>``."""
    names = [contents.named_body(element, "body1"), contents.named_body(element, "body2", "world")]
    relative = xml.values(element, "relpose", 7, np.zeros(7))
    pose: Array = se3.inverse(contents.world_poses[names[0]]) @ contents.world_poses[names[1]]
    if np.any(relative[3:]):
        R = quaternion.to_rotation(xml.normalize(element, "relpose", relative[3:]))
        pose = se3.frame(R, relative[:3])
    (a, frame_a), (b, frame_b) = (contents.frames[name] for name in names)
    ends = [(a, frame_a @ pose), (b, frame_b)]
    if ends[0][0] is None:
        ends.reverse()
    (a, frame_a), (b, frame_b) = ends
    if a is None or a == b:
        raise InvalidArgument(element.label, " and ".join(map(repr, names)), "bodies that move")
    contents.constraints.append(LoopJoint(Fixed(), a, frame_a, b, frame_b))


def check_tendon(contents: FileContents, element: Element) -> None:
    """Refuse a tendon that exerts a force of its own."""
    if element.tag != "fixed":
        contents.context.refuse(element, f"<{element.tag}>", "<fixed>")
        return
    tendon = xml.resolve(
        contents.context,
        element,
        "main",
        (),
        ("rgba", "width", "material", "springlength", "margin", *CONTACT_SETTINGS),
    )
    for each in tendon:
        xml.check_attributes(contents.context, each, "joint", "coef")
        xml.value(each, "coef", np.nan)
        contents.named_joint(each, "joint")


def read_contact(contents: FileContents, element: Element) -> None:
    """Store the pair of bodies of an ``<exclude>``."""
    if element.tag != "exclude":
        contents.context.refuse(element, f"<{element.tag}>", "<exclude>")
        return
    element = xml.resolve(contents.context, element, "main", ("body1", "body2"))
    first, second = (
        contents.frames[contents.named_body(element, name)].body or "world" for name in ("body1", "body2")
    )
    if first != second:
        contents.excluded_pairs.append((first, second))
