"""Settings of an MJCF file: ``<compiler>``, ``<default>`` and ``<option>``."""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import InvalidArgument
from rbnotes.multibody.formats import _mjcf_elements as xml
from rbnotes.multibody.formats._located_xml import Element
from rbnotes.multibody.formats._mjcf_contents import FileContents

FLAGS = {
    "constraint": ("equality", "frictionloss", "limit", "contact"),
    **{name: (name,) for name in ("equality", "frictionloss", "limit", "contact", "gravity")},
}
"""Features that each flag of ``<option>`` switches off."""
_SKIPPED_OPTIONS = (
    *("timestep", "impratio", "tolerance", "ls_tolerance", "noslip_tolerance", "ccd_tolerance", "integrator"),
    *("cone", "jacobian", "solver", "iterations", "ls_iterations", "noslip_iterations", "ccd_iterations"),
    *("magnetic", "apirate", "sdf_iterations", "sdf_initpoints"),
)
_SKIPPED_FLAGS = (
    *("warmstart", "refsafe", "sensor", "midphase", "nativeccd", "eulerdamp", "autoreset", "island"),
    *("energy", "fwdinv", "invdiscrete", "multiccd", "sleep"),
)
_PHYSICS_FLAGS = (*FLAGS, "passive", "spring", "damper", "clampctrl", "actuation", "filterparent")


def read_compiler(contents: FileContents, section: Element) -> None:
    """Read ``<compiler>``: units, Euler angles, limits, and the treatment of inertias."""
    context = contents.context
    section = xml.resolve(
        context,
        section,
        "main",
        (
            "angle",
            "coordinate",
            "eulerseq",
            "autolimits",
            "inertiafromgeom",
            "balanceinertia",
            "boundmass",
            "boundinertia",
            "settotalmass",
            "meshdir",
            "assetdir",
        ),
        (
            "texturedir",
            "discardvisual",
            "fusestatic",
            "strippath",
            "usethread",
            "saveinertial",
        ),
    )
    if "angle" in section.attrib:
        context.degrees = xml.choice(section, "angle", "degree", ("degree", "radian")) == "degree"
    xml.choice(section, "coordinate", "local", ("local",))
    contents.mesh_folder = section.get("meshdir", section.get("assetdir", contents.mesh_folder))
    sequence = section.get("eulerseq", context.euler_sequence)
    if len(sequence) != 3 or not set(sequence.lower()) <= set("xyz"):
        raise InvalidArgument(f"{section.label}: eulerseq", repr(sequence), "three letters of xyzXYZ")
    context.euler_sequence = sequence
    context.auto_limits = xml.is_true(section, "autolimits", context.auto_limits)
    context.inertia_from_geometry = xml.choice(
        section, "inertiafromgeom", context.inertia_from_geometry, ("auto", "true", "false")
    )
    context.balance_inertia = xml.is_true(section, "balanceinertia", context.balance_inertia)
    context.min_mass = xml.value(section, "boundmass", context.min_mass, 0.0)
    context.min_inertia = xml.value(section, "boundinertia", context.min_inertia, 0.0)
    total_mass = xml.value(section, "settotalmass", -1.0)
    contents.total_mass = total_mass if total_mass > 0 else contents.total_mass


def read_default(contents: FileContents, section: Element, parent: str | None) -> None:
    """Read a class of defaults and the classes in it, which inherit its attributes."""
    classes = contents.context.classes
    xml.check_attributes(contents.context, section, "class")
    name = section.get("class", "main" if parent is None else "")
    if not name or (parent is not None and name in classes):
        raise InvalidArgument(section.label, f"class {name!r}", "a new name of the class")
    inherited = classes["main" if parent is None else parent]
    classes[name] = {tag: dict(attributes) for tag, attributes in inherited.items()}
    for element in section:
        if element.tag == "default":
            continue
        gains = {"position": "kp", "velocity": "kv"}
        if element.tag in ("general", "motor", "position", "velocity"):
            # MuJoCo has one set of defaults for all types of actuators.
            for tag in ("general", "motor", "position", "velocity"):
                table = classes[name].setdefault(tag, {})
                for key, text in element.attrib.items():
                    if key not in ("kp", "kv") or tag == element.tag:
                        table[key] = text
                    elif key == gains.get(element.tag) and tag in gains:
                        table[f"{key} of <{element.tag}>"] = text
        else:
            classes[name].setdefault(element.tag, {}).update(element.attrib)
    for element in section:
        if element.tag == "default":
            read_default(contents, element, name)


def read_option(contents: FileContents, section: Element) -> None:
    """Read ``<option>``: gravity, and the features that are switched off."""
    resolved = xml.resolve(
        contents.context, section, "main", ("gravity", "wind", "density", "viscosity"), _SKIPPED_OPTIONS
    )
    contents.gravity = xml.values(resolved, "gravity", 3, contents.gravity)
    for name, count in (("wind", 3), ("density", 1), ("viscosity", 1)):
        if np.any(xml.values(resolved, name, count, np.zeros(count))):
            contents.context.refuse(section, f"'{name}'", "no fluid")
    for each in section:
        flag = xml.resolve(contents.context, each, "main", _PHYSICS_FLAGS, _SKIPPED_FLAGS)
        for name in _PHYSICS_FLAGS:
            if xml.choice(flag, name, "enable", ("enable", "disable")) == "enable":
                continue
            if name in FLAGS:
                contents.disabled |= set(FLAGS[name])
            else:
                contents.context.refuse(flag, f"{name}='disable'", "'enable'")
