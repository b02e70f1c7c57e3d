"""Reader of MJCF, the files of MuJoCo (https://mujoco.readthedocs.io/en/stable/XMLreference.html).

The bodies of the model have the frames of the file's bodies. A body with several joints follows bodies
without mass, one for each joint except the last. Bodies without joints are welded to their parents.

Skipped, because they do not change the motion: ``visual``, ``statistic``, ``sensor``, ``size``, ``custom``,
assets other than meshes and height fields, sites, cameras, lights, the appearance of geoms, and the numerical
settings of MuJoCo's solvers and soft constraints. Everything else that is not supported is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np

from rbnotes import arguments, inertia
from rbnotes.arguments import InvalidArgument
from rbnotes.multibody.body import Body
from rbnotes.multibody.formats import _mjcf_elements as xml
from rbnotes.multibody.formats._located_xml import Element, locate_errors
from rbnotes.multibody.formats._mjcf_actuators import read_actuator
from rbnotes.multibody.formats._mjcf_bodies import read_content, reserve_body_names
from rbnotes.multibody.formats._mjcf_constraints import check_tendon, read_contact, read_equality
from rbnotes.multibody.formats._mjcf_contents import FileContents
from rbnotes.multibody.formats._mjcf_elements import Context
from rbnotes.multibody.formats._mjcf_settings import read_compiler, read_default, read_option
from rbnotes.multibody.formats.mjcf_model import Keyframe, MjcfModel
from rbnotes.multibody.model import Model

_SKIPPED_SECTIONS = ("visual", "statistic", "sensor", "size", "custom")


def load_mjcf(
    source: str | Path,
    *,
    collisions: bool = True,
    unsupported: Literal["raise", "warn"] = "raise",
) -> MjcfModel:
    """Return a model from an MJCF file.

    The coordinates of hinges and slides are those of MuJoCo. Balls become
    :class:`~rbnotes.joints.ExponentialSpherical` joints; bodies on free joints become free bodies. The
    friction coefficient of a pair is the geometric mean; in MuJoCo it is the larger one. Geoms that neither
    collide nor have mass are visual, and are skipped. Geoms with ``condim="1"`` have no friction. Several
    joints of one body become a chain of bodies without mass. Included files must be in the folder of the
    source. Height fields are surfaces of the world, without the bottom that they have in MuJoCo.

    Parameters
    ----------
    source
        Name of a file, or its text.
    collisions
        If False, shapes do not collide, and may be of types whose contacts are not supported.
    unsupported
        ``"raise"`` refuses unsupported features; ``"warn"`` warns and ignores them, so that the model is not
        that of the file.

    Raises
    ------
    FileNotFoundError
        If there is no file of that name.
    InvalidArgument
        If the file is not MJCF, or has an unsupported feature; the message names the element and its line.

    Warns
    -----
    UserWarning
        For everything that ``unsupported="warn"`` ignores.
    """
    arguments.require_instance("source", source, str, Path)
    arguments.choice("unsupported", unsupported, ("raise", "warn"))
    arguments.require_instance("collisions", collisions, bool)
    is_text = isinstance(source, str) and source.lstrip().startswith("<")
    folder = None if is_text else Path(source).parent
    return _read_file(FileContents(Context(unsupported), collisions, folder), xml.parse(source))


def _read_file(contents: FileContents, root: Element) -> MjcfModel:
    """Return the model of a file; later sections refer to names in earlier ones."""
    xml.check_attributes(contents.context, root, "model")
    sections: dict[str, list[Element]] = {}
    for section in root:
        sections.setdefault(section.tag, []).append(section)
    for section in sections.pop("compiler", []):
        read_compiler(contents, section)
    for section in sections.pop("default", []):
        read_default(contents, section, None)
    for section in sections.pop("option", []):
        read_option(contents, section)
    for section in sections.pop("asset", []):
        for each in section:
            if each.tag in ("mesh", "hfield"):
                named = contents.mesh_elements if each.tag == "mesh" else contents.height_field_elements
                named[each.get("name") or Path(each.get("file")).stem] = each
    worlds = sections.pop("worldbody", [])
    reserve_body_names(contents, worlds)
    for section in worlds:
        xml.check_attributes(contents.context, section, "name", "childclass")
        read_content(contents, section, "world", np.eye(4), section.get("childclass", "main"))

    def elements(tag: str) -> Iterator[Element]:
        for section in sections.pop(tag, []):
            xml.check_attributes(contents.context, section)
            yield from section

    tendons: dict[str, Element] = {}
    for number, each in enumerate(elements("tendon")):
        name = each.get("name") or f"tendon {number}"
        if name in tendons:
            raise InvalidArgument(each.label, f"the name {name!r} twice", "a name for each")
        tendons[name] = each
    for each in elements("equality"):
        with locate_errors(each):
            read_equality(contents, each, tendons)
    for each in tendons.values():
        check_tendon(contents, each)
    for each in elements("actuator"):
        with locate_errors(each):
            read_actuator(contents, each)
    for each in elements("contact"):
        with locate_errors(each):
            read_contact(contents, each)
    keyframes = list(elements("keyframe"))
    for tag, found in sections.items():
        if tag not in _SKIPPED_SECTIONS:
            contents.context.refuse(found[0], f"a section <{tag}>")
    result = MjcfModel(
        _build_model(contents),
        root.get("model", "model"),
        tuple(contents.joints),
        tuple(contents.actuators),
        contents.frames,
    )
    keys: dict[str, Keyframe] = {}
    for number, each in enumerate(keyframes):
        name = each.get("name") or f"key{number}"
        if name in keys:
            raise InvalidArgument(each.label, f"the name {name!r} twice", "a name for each")
        with locate_errors(each):
            keys[name] = _read_keyframe(contents, result, each)
    return replace(result, keyframes=keys)


def _read_keyframe(contents: FileContents, model: MjcfModel, element: Element) -> Keyframe:
    """Return the state and the controls of a ``<key>``."""
    key = xml.resolve(contents.context, element, "main", ("qpos", "qvel", "ctrl", "time"), ("mpos", "mquat"))
    neutral, rest = model.qpos_qvel(model.model.state(q=contents.references))
    qpos, qvel = (
        xml.values(key, name, default.size, default) for name, default in (("qpos", neutral), ("qvel", rest))
    )
    control = xml.values(key, "ctrl", len(contents.actuators), np.zeros(len(contents.actuators)))
    state = model.state(qpos, qvel, t=xml.value(key, "time", 0.0))
    return Keyframe(state, control)


def _build_model(contents: FileContents) -> Model:
    """Return the model of all bodies, constraints and actuators that were read."""
    if not contents.bodies:
        raise InvalidArgument("source", "a file without a body that moves", "a body with a joint")
    _exclude_by_masks(contents)
    bodies_with_mass = set(contents.masses)
    for keywords in reversed(contents.bodies):
        if keywords["name"] in bodies_with_mass:
            bodies_with_mass.add(keywords.get("parent"))
        else:
            element = contents.elements[keywords["name"]]
            raise InvalidArgument(element.label, "no mass", "mass of the body or of a body that it carries")
    scale = 1.0
    if contents.total_mass is not None:
        masses = [float(part.mass) for parts in contents.masses.values() for part, _ in parts]
        scale = contents.total_mass / sum(masses)
    bodies = []
    for keywords in contents.bodies:
        name = str(keywords["name"])
        parts = contents.masses.get(name)
        M = None
        if parts:
            M = scale * inertia.spatial_inertia(*inertia.composite(*zip(*parts, strict=True)))
        bodies.append(
            Body(
                **keywords,
                inertia=M,
                collision=tuple(each.geometry for each in contents.geoms.get(name, ())),
            )
        )
    return Model(
        bodies,
        ground=tuple(each.geometry for each in contents.geoms.get(None, ())),
        mu=1.0,
        gravity=contents.gravity if "gravity" not in contents.disabled else np.zeros(3),
        constraints=contents.constraints,
        actuators=contents.laws,
        excluded_pairs=tuple(dict.fromkeys(contents.excluded_pairs)),
    )


def _exclude_by_masks(contents: FileContents) -> None:
    """Exclude the pairs of bodies none of whose geoms collide by ``contype`` and ``conaffinity``."""
    geoms_by_body = list(contents.geoms.items())
    for i, (a, first) in enumerate(geoms_by_body):
        for b, second in geoms_by_body[:i]:
            match = [
                bool(x.contype & y.conaffinity or y.contype & x.conaffinity) for x in first for y in second
            ]
            if not any(match):
                contents.excluded_pairs.append((a or "world", b or "world"))
            elif not all(match):
                got = f"masks by which some geoms of {a or 'world'!r} and {b or 'world'!r} touch"
                contents.context.refuse(first[0].element, got, "all pairs of two bodies, or none")
