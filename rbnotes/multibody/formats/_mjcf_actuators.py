"""Actuators of an MJCF file."""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import InvalidArgument
from rbnotes.multibody.actuators import Motor, PositionServo, VelocityServo
from rbnotes.multibody.formats import _mjcf_elements as xml
from rbnotes.multibody.formats._located_xml import Element
from rbnotes.multibody.formats._mjcf_contents import FileContents
from rbnotes.multibody.formats.mjcf_model import MjcfActuator

_ACTUATORS = {
    "motor": (),
    "position": ("kp", "kv"),
    "velocity": ("kv",),
    "general": ("gaintype", "gainprm", "biastype", "biasprm", "dyntype"),
}


def read_actuator(contents: FileContents, element: Element) -> None:
    """Add an actuator of a joint and its force law."""
    context = contents.context
    if element.tag not in _ACTUATORS:
        context.refuse(element, f"<{element.tag}>", ", ".join(f"<{tag}>" for tag in _ACTUATORS))
        return
    used = ("joint", "gear", "ctrlrange", "ctrllimited", "forcerange", "forcelimited")
    actuator = xml.resolve(context, element, "main", (*used, *_ACTUATORS[element.tag]), ("group", "user"))
    kind, gain = element.tag, 1.0
    if kind == "general":
        law = _classify_general(contents, actuator)
        if law is None:
            context.refuse(element, "its gain and bias", "those of a motor, position or velocity")
            return
        kind, gain, gains = law
        actuator.attrib.update(gains)
    if not actuator.get("joint"):
        context.refuse(element, "no 'joint'", "an actuator on a joint")
        return
    body = contents.named_joint(actuator, "joint")
    gear = float(xml.values(actuator, "gear", (1, 6), np.ones(1))[0])
    if gear == 0:
        raise InvalidArgument(f"{element.label}: gear", "zero", "a number that is not zero")
    controls = xml.bounds(contents.context, actuator, "ctrllimited", "ctrlrange") or (-np.inf, np.inf)
    forces = xml.bounds(contents.context, actuator, "forcelimited", "forcerange") or (-np.inf, np.inf)
    if forces[0] != -forces[1]:
        context.refuse(element, f"forcerange {actuator.get('forcerange')!r}", "opposite bounds")
    if any(each.body == body for each in contents.laws):
        context.refuse(element, f"a second actuator on joint {actuator.get('joint')!r}", "one")
        return
    default_control = float(np.clip(0.0, *controls))
    if default_control and kind == "motor":
        context.refuse(element, f"ctrlrange {actuator.get('ctrlrange')!r}", "a range with zero")
    contents.laws.append(_actuator_law(actuator, kind, body, gear, default_control, forces[1]))
    name = element.get("name") or f"actuator{len(contents.actuators)}"
    if any(each.name == name for each in contents.actuators):
        raise InvalidArgument(element.label, f"the name {name!r} twice", "a name for each")
    contents.actuators.append(MjcfActuator(name, kind, body, gear * gain, *controls))


def _actuator_law(
    actuator: Element, kind: str, body: str, gear: float, default_control: float, max_force: float
) -> Motor | PositionServo | VelocityServo:
    """Return the force law of a motor or a servo at the default control, in the coordinate of the joint."""
    limit, target = abs(gear) * max_force, default_control / gear
    kp, kv = (
        xml.value(actuator, name, default, 0.0) * gear**2
        for name, default in (("kp", 1.0), ("kv", float(kind == "velocity")))
    )
    match kind:
        case "motor":
            return Motor(body, force_limit=limit)
        case "position":
            return PositionServo(body, kp=kp, kd=kv, target=target, force_limit=limit)
        case _:
            return VelocityServo(body, kv=kv, target=target, force_limit=limit)


def _classify_general(contents: FileContents, actuator: Element) -> tuple[str, float, dict[str, str]] | None:
    """Return the kind of a general actuator, the gain of a motor, and the gains of a servo.

    Its force is ``gain control + b0 + b1 length + b2 velocity``; None if that is not a motor or a servo.
    """
    xml.choice(actuator, "dyntype", "none", ("none",))
    xml.choice(actuator, "gaintype", "fixed", ("fixed",))
    bias = xml.choice(actuator, "biastype", "none", ("none", "affine"))
    gain = float(xml.values(actuator, "gainprm", (1, 10), np.ones(1))[0])
    bias_parameters = xml.values(actuator, "biasprm", (1, 10), np.zeros(3))[:3]
    padding = (0, 3 - bias_parameters.size)
    b0, b1, b2 = np.pad(bias_parameters, padding) if bias == "affine" else np.zeros(3)
    if not (b0 or b1 or b2) and gain:
        return "motor", gain, {}
    if b0 or gain <= 0 or b2 > 0:
        return None
    if b1 == -gain:
        return "position", 1.0, {"kp": repr(gain), "kv": repr(float(-b2))}
    if not b1 and b2 == -gain:
        return "velocity", 1.0, {"kv": repr(gain)}
    return None
