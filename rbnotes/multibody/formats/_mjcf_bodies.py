"""Bodies and joints of an MJCF file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.joints import ExponentialSpherical, JointType, Prismatic, Revolute
from rbnotes.multibody.formats import _mjcf_elements as xml
from rbnotes.multibody.formats._located_xml import Element, locate_errors
from rbnotes.multibody.formats._mjcf_contents import FileContents
from rbnotes.multibody.formats._mjcf_geometry import read_geom, read_inertia
from rbnotes.multibody.formats.mjcf_model import POSITION_COUNTS, MjcfFrame, MjcfJoint
from rbnotes.multibody.reduced.constraints import JointLimit, RotationLimit
from rbnotes.unchecked import se3

_SKIPPED_IN_BODIES = ("site", "camera", "light")


def reserve_body_names(contents: FileContents, worlds: Sequence[Element]) -> None:
    """Store the names of the bodies; raise an error if bodies, joints or geoms share a name."""
    for tags in (("body",), ("joint", "freejoint"), ("geom",)):
        elements: dict[str, Element] = {}
        for world in worlds:
            for each in world.descendants():
                name = each.get("name")
                if each.tag in tags and name:
                    if name in elements or (name == "world" and tags == ("body",)):
                        got = f"the name {name!r} twice"
                        raise InvalidArgument(each.label, got, "a name for each")
                    elements[name] = each
        if tags == ("body",):
            contents.names |= set(elements)


def read_content(contents: FileContents, parent: Element, body: str, pose: Array, child_class: str) -> None:
    """Read the geoms and the child bodies of a body, or of a ``<frame>`` at a pose in it."""
    for element in parent:
        match element.tag:
            case "geom":
                with locate_errors(element):
                    read_geom(contents, element, body, pose, child_class)
            case "body":
                _read_body(contents, element, body, pose, child_class)
            case "frame":
                frame = xml.resolve(
                    contents.context,
                    element,
                    "main",
                    ("pos", "childclass", *xml.ORIENTATIONS),
                )
                own_class = frame.get("childclass", child_class)
                read_content(contents, frame, body, pose @ xml.pose(contents.context, frame), own_class)
            case "joint" | "freejoint" | "inertial" if parent.tag == "body":
                pass
            case tag if tag not in _SKIPPED_IN_BODIES:
                contents.context.refuse(element, f"<{tag}> in <{parent.tag}>")


def _read_body(contents: FileContents, element: Element, parent: str, pose: Array, child_class: str) -> None:
    """Read a body with its joints, inertia, geoms and child bodies."""
    context = contents.context
    body = xml.resolve(
        context,
        element,
        "main",
        ("childclass", "pos", "mocap", "gravcomp", *xml.ORIENTATIONS),
        ("user", "sleep"),
    )
    child_class = body.get("childclass", child_class)
    if child_class not in context.classes:
        raise InvalidArgument(body.label, f"childclass {child_class!r}", "a class of <default>")
    if xml.is_true(body, "mocap", False) or xml.value(body, "gravcomp", 0.0):
        context.refuse(element, "'mocap' or 'gravcomp'")
    name = body.get("name") or contents.new_name(f"body{len(contents.frames)}")
    own_pose = pose @ xml.pose(context, body)
    contents.world_poses[name] = contents.world_poses[parent] @ own_pose
    model_parent, pose_in_parent = contents.frames[parent]
    own_pose = pose_in_parent @ own_pose
    joints = [each for each in element if each.tag in ("joint", "freejoint")]
    contents.elements[name] = element
    if joints:
        _add_joints(contents, joints, name, element, model_parent, own_pose, child_class)
        contents.frames[name] = MjcfFrame(name, np.eye(4))
    else:
        contents.frames[name] = MjcfFrame(model_parent, own_pose)
    with locate_errors(element):
        read_inertia(contents, element, name, child_class)
    read_content(contents, element, name, np.eye(4), child_class)


def _add_joints(
    contents: FileContents,
    elements: Sequence[Element],
    name: str,
    body: Element,
    model_parent: str | None,
    pose: Array,
    child_class: str,
) -> None:
    """Add a body of the model for each joint; the last one has the name of the file's body."""
    resolved = [_joint_attributes(contents, each, child_class) for each in elements]
    kinds = [
        "free" if each.tag == "freejoint" else xml.choice(each, "type", "hinge", POSITION_COUNTS)
        for each in resolved
    ]
    joint_names = [each.get("name") or f"{name} joint{n}" for n, each in enumerate(resolved)]
    if "free" in kinds:
        if len(kinds) > 1 or model_parent is not None:
            raise InvalidArgument(body.label, "a free joint", "it alone, in a body of the world")
        if resolved[0].get("align", "auto") == "true":
            contents.context.refuse(elements[0], "'align'")
        for key in ("damping", "armature", "stiffness", "frictionloss"):
            if np.any(xml.values(resolved[0], key, (1, 3), np.zeros(1))):
                contents.context.refuse(elements[0], f"'{key}' of a free joint")
        contents.joints.append(MjcfJoint(joint_names[0], "free", name))
        contents.bodies.append({"name": name, "pose": pose})
        contents.joint_frames[name] = np.eye(4)
        return
    if "ball" in [kind for kind in kinds if kind != "slide"][:-1]:
        raise InvalidArgument(body.label, "a ball followed by another rotation", "a ball that comes last")
    frame: Array = contents.joint_frames[model_parent] @ pose
    parent = model_parent
    for n, (element, kind) in enumerate(zip(resolved, kinds, strict=True)):
        is_last = n == len(kinds) - 1
        own_name = name if is_last else contents.new_name(joint_names[n])
        anchor = se3.frame(np.eye(3), xml.values(element, "pos", 3, np.zeros(3)))
        joint, keywords = _read_joint(contents, element, kind, own_name)
        reference = contents.references.get(own_name, 0.0)
        shift = np.eye(4) if kind == "ball" else joint.transform(np.array([-reference]))
        contents.bodies.append(
            {
                "name": own_name,
                "joint": joint,
                "parent": parent,
                "joint_frame": frame @ anchor @ shift,
                "body_frame": se3.inverse(anchor) if is_last else None,
                **keywords,
            }
        )
        contents.joints.append(MjcfJoint(joint_names[n], kind, own_name))
        frame, parent = se3.inverse(anchor), own_name
    contents.joint_frames[name] = frame
    if len(kinds) > 1 and model_parent is not None:
        contents.excluded_pairs.append((model_parent, name))


def _joint_attributes(contents: FileContents, element: Element, child_class: str) -> Element:
    """Return a joint with its default attributes; refuse attributes that are not supported."""
    if element.tag == "freejoint":
        return xml.resolve(contents.context, element, "main", (), ("group", "align"))
    used = ("type", "axis", "pos", "range", "limited", "damping", "stiffness", "springref", "armature")
    skipped = (
        "group",
        "user",
        "solreflimit",
        "solimplimit",
        "solreffriction",
        "solimpfriction",
        "margin",
    )
    return xml.resolve(contents.context, element, child_class, (*used, "frictionloss", "ref"), skipped)


def _read_joint(
    contents: FileContents, element: Element, kind: str, body: str
) -> tuple[JointType, dict[str, Any]]:
    """Return a joint that is not free and the coefficients of its forces; store its limits."""
    arguments = {
        "damping": "damping",
        "stiffness": "stiffness",
        "armature": "armature",
        "frictionloss": "joint_friction",
    }
    coefficients: dict[str, Any] = {}
    for key, argument in arguments.items():
        if xml.values(element, key, (1, 3), np.zeros(1)).size > 1:
            contents.context.refuse(element, f"several numbers of '{key}'", "one")
            element.attrib[key] = element.attrib[key].split()[0]
        coefficients[argument] = xml.value(element, key, 0.0, 0.0)
    bounds = xml.bounds(contents.context, element, "limited", "range")
    if kind == "ball":
        if any(coefficients.values()):
            contents.context.refuse(element, "springs or losses of a ball joint", "none")
        if bounds is not None and "limit" not in contents.disabled:
            if bounds[0]:
                raise InvalidArgument(f"{element.label}: range", f"a lower bound {bounds[0]:g}", "zero")
            contents.constraints.append(RotationLimit(body, float(contents.context.angle(bounds[1]))))
        return ExponentialSpherical(), {}
    axis = xml.normalize(element, "axis", xml.values(element, "axis", 3, np.array([0.0, 0.0, 1.0])))
    is_hinge = kind == "hinge"
    scale = np.pi / 180 if is_hinge and contents.context.degrees else 1.0
    contents.references[body] = scale * xml.value(element, "ref", 0.0)
    if "frictionloss" in contents.disabled:
        coefficients["joint_friction"] = 0.0
    if bounds is not None and "limit" not in contents.disabled:
        contents.constraints.append(JointLimit(body, scale * bounds[0], scale * bounds[1]))
    coefficients["spring_reference"] = [scale * xml.value(element, "springref", 0.0)]
    return (Revolute if is_hinge else Prismatic)(axis), coefficients
