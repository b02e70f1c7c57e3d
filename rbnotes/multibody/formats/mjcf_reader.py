"""Reader of MJCF, the files of MuJoCo (https://mujoco.readthedocs.io/en/stable/XMLreference.html).

The bodies of the model have the frames of the file's bodies. A body with several joints follows bodies
without mass, one for each joint but the last. Bodies without joints are welded to their parents.

Skipped, because they do not change the motion: ``visual``, ``statistic``, ``sensor``, ``size``, ``custom``,
assets other than meshes, sites, cameras, lights, the appearance of geoms, and the numerical settings of
MuJoCo's solvers and soft constraints. Everything else that is not supported is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from rbnotes import arguments, inertia
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.inertia import MassProperties
from rbnotes.joints import ExponentialSpherical, JointType, Prismatic, Revolute
from rbnotes.multibody.actuators import Actuator, Motor, PositionServo, VelocityServo
from rbnotes.multibody.formats import _mjcf_elements as xml
from rbnotes.multibody.formats._mesh_files import Mesh, read_mesh
from rbnotes.multibody.formats._mjcf_elements import Context, Element
from rbnotes.multibody.formats.mjcf_model import (
    POSITION_COUNTS,
    Keyframe,
    MjcfActuator,
    MjcfFrame,
    MjcfJoint,
    MjcfModel,
)
from rbnotes.multibody.formats.robot import unique_name
from rbnotes.multibody.model import Body, Geometry, Model
from rbnotes.multibody.reduced.constraint_protocol import Constraint
from rbnotes.multibody.reduced.constraints import Gear, JointLimit, LoopClosure, RotationLimit, Weld
from rbnotes.shapes import ConvexMesh, Shape
from rbnotes.unchecked import quaternion, se3

_SKIPPED_SECTIONS = ("visual", "statistic", "sensor", "size", "custom")
_SKIPPED_IN_BODIES = ("site", "camera", "light")
_SOFT = ("solref", "solimp", "user", "group")
_SKIPPED_OPTIONS = (
    *("timestep", "impratio", "tolerance", "ls_tolerance", "noslip_tolerance", "ccd_tolerance", "integrator"),
    *("cone", "jacobian", "solver", "iterations", "ls_iterations", "noslip_iterations", "ccd_iterations"),
    *("magnetic", "apirate", "sdf_iterations", "sdf_initpoints"),
)
_SWITCHES = {
    "constraint": ("equality", "frictionloss", "limit", "contact"),
    **{name: (name,) for name in ("equality", "frictionloss", "limit", "contact", "gravity")},
}
_SKIPPED_FLAGS = (
    *("warmstart", "refsafe", "sensor", "midphase", "nativeccd", "eulerdamp", "autoreset", "island"),
    *("energy", "fwdinv", "invdiscrete", "multiccd", "sleep"),
)
_ACTUATORS = {
    "motor": (),
    "position": ("kp", "kv"),
    "velocity": ("kv",),
    "general": ("gaintype", "gainprm", "biastype", "biasprm", "dyntype"),
}
_PHYSICS_FLAGS = (*_SWITCHES, "passive", "spring", "damper", "clampctrl", "actuation", "filterparent")


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
    collide nor have mass are appearance, and skipped. Geoms with ``condim="1"`` have no friction. Several
    joints of one body become a chain of bodies without mass. Included files must be in the folder of the
    source.

    Parameters
    ----------
    source
        Name of a file, or its text.
    collisions
        If False, nothing touches: for files with shapes that have no contacts.
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
    reader = _Reader(Context(unsupported), collisions, None if is_text else Path(source).parent)
    return reader.read(xml.parse(source))


class _Geom(NamedTuple):
    element: Element
    geometry: Geometry
    contype: int
    conaffinity: int


class _Reader:
    def __init__(self, context: Context, collisions: bool, folder: Path | None) -> None:
        self.context, self.collisions, self.folder = context, collisions, folder
        self.mesh_folder = ""
        self.mesh_elements: dict[str, Element] = {}
        self.meshes: dict[str, Mesh] = {}
        self.bodies: list[dict[str, Any]] = []  # arguments of Body
        self.elements: dict[str, Element] = {}  # by bodies of the file
        self.joint_frames: dict[str | None, Array] = {None: np.eye(4)}  # body frames in joint frames
        self.frames: dict[str, MjcfFrame] = {"world": MjcfFrame(None, np.eye(4))}
        self.world_poses: dict[str, Array] = {"world": np.eye(4)}
        self.masses: dict[str | None, list[tuple[MassProperties, Array]]] = {}
        self.geoms: dict[str | None, list[_Geom]] = {}
        self.joints: list[MjcfJoint] = []
        self.references: dict[str, float] = {}
        self.constraints: list[Constraint] = []
        self.actuators: list[MjcfActuator] = []
        self.laws: list[Actuator] = []
        self.excluded: list[tuple[str, str]] = []
        self.names: set[str] = {"world"}
        self.gravity = np.array([0.0, 0.0, -9.81])
        self.disabled: set[str] = set()
        self.total_mass: float | None = None

    def read(self, root: Element) -> MjcfModel:
        xml.check_attributes(self.context, root, "model")
        sections: dict[str, list[Element]] = {}
        for section in root:
            sections.setdefault(section.tag, []).append(section)
        for section in sections.pop("compiler", []):
            self._compiler(section)
        for section in sections.pop("default", []):
            self._default(section, None)
        for section in sections.pop("option", []):
            self._option(section)
        for section in sections.pop("asset", []):
            for each in section:
                if each.tag == "mesh":
                    self.mesh_elements[each.get("name") or Path(each.get("file")).stem] = each
        worlds = sections.pop("worldbody", [])
        self._reserve_names(worlds)
        for section in worlds:
            xml.check_attributes(self.context, section, "name", "childclass")
            self._content(section, "world", np.eye(4), section.get("childclass", "main"))

        def elements(tag: str) -> Iterator[Element]:
            for section in sections.pop(tag, []):
                xml.check_attributes(self.context, section)
                yield from section

        tendons: dict[str, Element] = {}
        for number, each in enumerate(elements("tendon")):
            name = each.get("name") or f"tendon {number}"
            if name in tendons:
                raise InvalidArgument(each.label, f"the name {name!r} twice", "a name for each")
            tendons[name] = each
        for each in elements("equality"):
            with xml.locate_errors(each):
                self._equality(each, tendons)
        for each in tendons.values():
            self._tendon(each)
        for each in elements("actuator"):
            with xml.locate_errors(each):
                self._actuator(each)
        for each in elements("contact"):
            with xml.locate_errors(each):
                self._contact(each)
        keyframes = list(elements("keyframe"))
        for tag, found in sections.items():
            if tag not in _SKIPPED_SECTIONS:
                self.context.refuse(found[0], f"a section <{tag}>")
        result = MjcfModel(
            self._model(), root.get("model", "model"), tuple(self.joints), tuple(self.actuators), self.frames
        )
        keys: dict[str, Keyframe] = {}
        for number, each in enumerate(keyframes):
            name = each.get("name") or f"key{number}"
            if name in keys:
                raise InvalidArgument(each.label, f"the name {name!r} twice", "a name for each")
            with xml.locate_errors(each):
                keys[name] = self._keyframe(result, each)
        return replace(result, keyframes=keys)

    def _compiler(self, section: Element) -> None:
        context = self.context
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
        self.mesh_folder = section.get("meshdir", section.get("assetdir", self.mesh_folder))
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
        self.total_mass = total_mass if total_mass > 0 else self.total_mass

    def _default(self, section: Element, parent: str | None) -> None:
        classes = self.context.classes
        xml.check_attributes(self.context, section, "class")
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
                self._default(element, name)

    def _option(self, section: Element) -> None:
        resolved = xml.resolve(
            self.context, section, "main", ("gravity", "wind", "density", "viscosity"), _SKIPPED_OPTIONS
        )
        self.gravity = xml.values(resolved, "gravity", 3, self.gravity)
        for name, count in (("wind", 3), ("density", 1), ("viscosity", 1)):
            if np.any(xml.values(resolved, name, count, np.zeros(count))):
                self.context.refuse(section, f"'{name}'", "no fluid")
        for each in section:
            flag = xml.resolve(self.context, each, "main", _PHYSICS_FLAGS, _SKIPPED_FLAGS)
            for name in _PHYSICS_FLAGS:
                if xml.choice(flag, name, "enable", ("enable", "disable")) == "enable":
                    continue
                if name in _SWITCHES:
                    self.disabled |= set(_SWITCHES[name])
                else:
                    self.context.refuse(flag, f"{name}='disable'", "'enable'")

    def _reserve_names(self, worlds: Sequence[Element]) -> None:
        """Find names that two bodies or two joints have."""
        for tags in (("body",), ("joint", "freejoint"), ("geom",)):
            found: dict[str, Element] = {}
            for world in worlds:
                for each in world.descendants():
                    name = each.get("name")
                    if each.tag in tags and name:
                        if name in found or (name == "world" and tags == ("body",)):
                            got = f"the name {name!r} twice"
                            raise InvalidArgument(each.label, got, "a name for each")
                        found[name] = each
            self.names |= set(found) if tags == ("body",) else set()

    def _new_name(self, preferred_name: str) -> str:
        name = unique_name(preferred_name, self.names)
        self.names.add(name)
        return name

    def _content(self, parent: Element, body: str, pose: Array, child_class: str) -> None:
        """Read geoms of a body, or of a ``<frame>`` in it at a pose, and then the bodies on it."""
        for element in parent:
            match element.tag:
                case "geom":
                    with xml.locate_errors(element):
                        self._geom(element, body, pose, child_class)
                case "body":
                    self._body(element, body, pose, child_class)
                case "frame":
                    frame = xml.resolve(
                        self.context,
                        element,
                        "main",
                        ("pos", "childclass", *xml.ORIENTATIONS),
                    )
                    own_class = frame.get("childclass", child_class)
                    self._content(frame, body, pose @ xml.pose(self.context, frame), own_class)
                case "joint" | "freejoint" | "inertial" if parent.tag == "body":
                    pass
                case tag if tag not in _SKIPPED_IN_BODIES:
                    self.context.refuse(element, f"<{tag}> in <{parent.tag}>")

    def _body(self, element: Element, parent: str, pose: Array, child_class: str) -> None:
        context = self.context
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
        name = body.get("name") or self._new_name(f"body{len(self.frames)}")
        own_pose = pose @ xml.pose(context, body)
        self.world_poses[name] = self.world_poses[parent] @ own_pose
        carrier, pose_in_carrier = self.frames[parent]
        own_pose = pose_in_carrier @ own_pose
        joints = [each for each in element if each.tag in ("joint", "freejoint")]
        self.elements[name] = element
        if joints:
            self._joints(joints, name, element, carrier, own_pose, child_class)
            self.frames[name] = MjcfFrame(name, np.eye(4))
        else:
            self.frames[name] = MjcfFrame(carrier, own_pose)
        with xml.locate_errors(element):
            self._inertia(element, name, child_class)
        self._content(element, name, np.eye(4), child_class)

    def _joints(
        self,
        elements: Sequence[Element],
        name: str,
        body: Element,
        carrier: str | None,
        pose: Array,
        child_class: str,
    ) -> None:
        """Add a body for each joint, with the name of the file's body for the last."""
        resolved = [self._joint_attributes(each, child_class) for each in elements]
        kinds = [
            "free" if each.tag == "freejoint" else xml.choice(each, "type", "hinge", POSITION_COUNTS)
            for each in resolved
        ]
        joint_names = [each.get("name") or f"{name} joint{n}" for n, each in enumerate(resolved)]
        if "free" in kinds:
            if len(kinds) > 1 or carrier is not None:
                raise InvalidArgument(body.label, "a free joint", "it alone, in a body of the world")
            if resolved[0].get("align", "auto") == "true":
                self.context.refuse(elements[0], "'align'")
            for key in ("damping", "armature", "stiffness", "frictionloss"):
                if np.any(xml.values(resolved[0], key, (1, 3), np.zeros(1))):
                    self.context.refuse(elements[0], f"'{key}' of a free joint")
            self.joints.append(MjcfJoint(joint_names[0], "free", name))
            self.bodies.append({"name": name, "pose": pose})
            self.joint_frames[name] = np.eye(4)
            return
        if "ball" in [kind for kind in kinds if kind != "slide"][:-1]:
            raise InvalidArgument(body.label, "a ball followed by another rotation", "a ball that comes last")
        frame: Array = self.joint_frames[carrier] @ pose
        parent = carrier
        for n, (element, kind) in enumerate(zip(resolved, kinds, strict=True)):
            is_last = n == len(kinds) - 1
            own_name = name if is_last else self._new_name(joint_names[n])
            anchor = se3.frame(np.eye(3), xml.values(element, "pos", 3, np.zeros(3)))
            joint, keywords = self._joint(element, kind, own_name)
            reference = self.references.get(own_name, 0.0)
            shift = np.eye(4) if kind == "ball" else joint.transform(np.array([-reference]))
            self.bodies.append(
                {
                    "name": own_name,
                    "joint": joint,
                    "parent": parent,
                    "joint_frame": frame @ anchor @ shift,
                    "body_frame": se3.inverse(anchor) if is_last else None,
                    **keywords,
                }
            )
            self.joints.append(MjcfJoint(joint_names[n], kind, own_name))
            frame, parent = se3.inverse(anchor), own_name
        self.joint_frames[name] = frame
        if len(kinds) > 1 and carrier is not None:
            self.excluded.append((carrier, name))

    def _joint_attributes(self, element: Element, child_class: str) -> Element:
        if element.tag == "freejoint":
            return xml.resolve(self.context, element, "main", (), ("group", "align"))
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
        return xml.resolve(self.context, element, child_class, (*used, "frictionloss", "ref"), skipped)

    def _joint(self, element: Element, kind: str, body: str) -> tuple[JointType, dict[str, Any]]:
        """Return a joint that is not free, with its springs and losses; keep its limits."""
        names = {
            "damping": "damping",
            "stiffness": "stiffness",
            "armature": "armature",
            "frictionloss": "joint_friction",
        }
        losses: dict[str, Any] = {}
        for key, argument in names.items():
            if xml.values(element, key, (1, 3), np.zeros(1)).size > 1:
                self.context.refuse(element, f"several numbers of '{key}'", "one")
                element.attrib[key] = element.attrib[key].split()[0]
            losses[argument] = xml.value(element, key, 0.0, 0.0)
        bounds = self._bounds(element, "limited", "range")
        if kind == "ball":
            if any(losses.values()):
                self.context.refuse(element, "springs or losses of a ball joint", "none")
            if bounds is not None and "limit" not in self.disabled:
                if bounds[0]:
                    raise InvalidArgument(f"{element.label}: range", f"a lower bound {bounds[0]:g}", "zero")
                self.constraints.append(RotationLimit(body, float(self.context.angle(bounds[1]))))
            return ExponentialSpherical(), {}
        axis = xml.normalize(element, "axis", xml.values(element, "axis", 3, np.array([0.0, 0.0, 1.0])))
        turns = kind == "hinge"
        scale = np.pi / 180 if turns and self.context.degrees else 1.0
        self.references[body] = scale * xml.value(element, "ref", 0.0)
        if "frictionloss" in self.disabled:
            losses["joint_friction"] = 0.0
        if bounds is not None and "limit" not in self.disabled:
            self.constraints.append(JointLimit(body, scale * bounds[0], scale * bounds[1]))
        losses["spring_reference"] = [scale * xml.value(element, "springref", 0.0)]
        return (Revolute if turns else Prismatic)(axis), losses

    def _bounds(self, element: Element, switch: str, name: str) -> tuple[float, float] | None:
        """Return the bounds that an attribute gives and another one switches on."""
        limited = xml.choice(element, switch, "auto", ("auto", "true", "false"))
        if name in element.attrib:
            lower, upper = xml.values(element, name, 2)
        if limited == "false" or (limited == "auto" and name not in element.attrib):
            return None
        if limited == "auto" and not self.context.auto_limits:
            raise InvalidArgument(
                element.label, f"'{name}' without '{switch}'", f"{switch} without autolimits"
            )
        if name not in element.attrib or not lower < upper:
            raise InvalidArgument(f"{element.label}: {name}", repr(element.get(name)), "lower < upper")
        return float(lower), float(upper)

    def _inertia(self, element: Element, body: str, child_class: str) -> None:
        """Keep the inertia of a body of the file, from ``<inertial>`` or from its geoms."""
        context = self.context
        given = [each for each in element if each.tag == "inertial"]
        if len(given) > 1:
            raise InvalidArgument(given[1].label, "a second <inertial>", "one")
        properties = MassProperties(np.array(0.0), np.zeros((3, 3)), np.zeros(3))
        if given and context.inertia_from_geometry != "true":
            properties = self._inertial(given[0])
        elif context.inertia_from_geometry != "false":
            parts = list(self._geom_masses(element, np.eye(4), child_class))
            if parts:
                properties = inertia.composite(*zip(*parts, strict=True))
        mass, com = max(float(properties.mass), context.min_mass), properties.com
        J: Array = properties.inertia
        moments, axes = np.linalg.eigh(J)
        if context.min_inertia and moments[0] < context.min_inertia:
            moments = np.maximum(moments, context.min_inertia)
            J = axes @ np.diag(moments) @ axes.T
        if moments[0] + moments[1] < moments[2] and context.balance_inertia:
            J = np.eye(3) * moments.mean()
        if mass == 0 and not np.any(J):
            return
        try:
            checked = inertia.mass_properties(mass, inertia.nearest_inertia(J, tolerance=mass * 1e-18), com)
        except InvalidArgument as error:
            raise InvalidArgument(f"{element.label}: {error.name}", error.got, error.expected) from None
        carrier, pose = self.frames[body]
        self.masses.setdefault(carrier, []).append((checked, pose))

    def _inertial(self, element: Element) -> MassProperties:
        element = xml.resolve(
            self.context, element, "main", ("pos", "mass", "diaginertia", "fullinertia", *xml.ORIENTATIONS)
        )
        com, R = xml.values(element, "pos", 3), xml.orientation(self.context, element)
        mass = xml.value(element, "mass", np.nan, 0.0)
        if np.isnan(mass):
            raise InvalidArgument(element.label, "no 'mass'", "a value for it")
        if ("diaginertia" in element.attrib) == ("fullinertia" in element.attrib):
            raise InvalidArgument(element.label, "both or none", "'diaginertia' or 'fullinertia'")
        if "diaginertia" in element.attrib:
            J = np.diag(xml.values(element, "diaginertia", 3))
        else:
            xx, yy, zz, xy, xz, yz = xml.values(element, "fullinertia", 6)
            J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        turned = R @ J @ R.T
        return MassProperties(np.array(mass), (turned + turned.T) / 2, com)

    def _geom_masses(
        self, parent: Element, pose: Array, child_class: str
    ) -> Iterator[tuple[MassProperties, Array]]:
        for element in parent:
            if element.tag == "frame":
                frame = pose @ xml.pose(self.context, element)
                yield from self._geom_masses(element, frame, element.get("childclass", child_class))
            if element.tag != "geom":
                continue
            geom = self._geom_attributes(element, child_class)
            kind = xml.choice(geom, "type", "sphere", xml.GEOMETRY_TYPES)
            mass = xml.value(geom, "mass", 0.0, 0.0)
            density = xml.value(geom, "density", 1000.0, 0.0)
            if (mass if "mass" in geom.attrib else density) == 0 or kind == "plane":
                continue
            if kind in ("hfield", "sdf"):
                self.context.refuse(element, f"the mass of a {kind}", "an <inertial>, or mass='0'")
                continue
            with xml.locate_errors(geom):
                if kind == "mesh":
                    mesh, own_pose = self._mesh(geom), xml.pose(self.context, geom)
                    properties = inertia.triangle_mesh(mesh.vertices, mesh.triangles, density or 1.0)
                else:
                    solid, own_pose = xml.shape(self.context, geom, kind)
                    properties = solid.mass_properties(density=density or 1.0)
                if mass:
                    properties = inertia.with_mass(properties, mass)
            yield properties, pose @ own_pose

    @property
    def _collides(self) -> bool:
        return self.collisions and "contact" not in self.disabled

    def _geom_attributes(self, element: Element, child_class: str) -> Element:
        used = (
            "type",
            "size",
            "fromto",
            "pos",
            *xml.ORIENTATIONS,
            "mass",
            "density",
            "contype",
            "conaffinity",
            "mesh",
        )
        skipped = ("rgba", "material", "solmix", "priority", "margin", "gap", "hfield", *_SOFT)
        return xml.resolve(self.context, element, child_class, (*used, "friction", "condim"), skipped)

    def _geom(self, element: Element, body: str, pose: Array, child_class: str) -> None:
        geom = self._geom_attributes(element, child_class)
        kind = xml.choice(geom, "type", "sphere", xml.GEOMETRY_TYPES)
        masks = [int(xml.value(geom, name, 1.0, 0.0)) for name in ("contype", "conaffinity")]
        friction = xml.values(geom, "friction", (1, 3), np.ones(1))
        if kind in ("hfield", "sdf"):
            if any(masks) and self._collides:
                self.context.refuse(element, f"a {kind} that collides", "another shape, or collisions=False")
            return
        if "mesh" in geom.attrib and kind != "mesh":
            self.context.refuse(element, f"a {kind} fitted to a mesh", "a size")
        solid: Shape
        if kind != "mesh":
            solid, own_pose = xml.shape(self.context, geom, kind)
        if not any(masks) or not self._collides:
            return
        if kind == "mesh":
            solid, own_pose = ConvexMesh(self._mesh(geom).vertices), xml.pose(self.context, geom)
        carrier, pose_in_carrier = self.frames[body]
        if kind == "plane" and carrier is not None:
            self.context.refuse(element, "a plane on a body that moves", "a plane of the world")
            return
        mu = 0.0 if geom.get("condim") == "1" else float(friction[0])
        geometry = Geometry(solid, pose_in_carrier @ pose @ own_pose, mu=mu)
        self.geoms.setdefault(carrier, []).append(_Geom(element, geometry, masks[0], masks[1]))

    def _mesh(self, geom: Element) -> Mesh:
        """Return the mesh of a geom, in its frame in the file."""
        name = geom.get("mesh")
        if name in self.meshes:
            return self.meshes[name]
        if name not in self.mesh_elements:
            raise InvalidArgument(f"{geom.label}: mesh", repr(name), "a mesh of <asset>")
        element = self.mesh_elements[name]
        used = ("file", "vertex", "face", "scale")
        skipped = ("normal", "texcoord", "smoothnormal", "content_type", "inertia", "material")
        asset = xml.resolve(self.context, element, "main", used, skipped)
        with xml.locate_errors(asset):
            if "file" in asset.attrib:
                if self.folder is None:
                    raise InvalidArgument("file", "a file in a text", "a source that is a file")
                mesh = read_mesh(self.folder / self.mesh_folder / asset.get("file"))
            else:
                vertices = xml.values(asset, "vertex", (12, xml.MAX_LENGTH)).reshape(-1, 3)
                if "face" in asset.attrib:
                    faces = xml.values(asset, "face", (12, xml.MAX_LENGTH)).reshape(-1, 3)
                    mesh = Mesh(vertices, faces.astype(np.intp))
                else:
                    hull = ConvexMesh(vertices)
                    mesh = Mesh(hull.vertices, hull.triangles)
            scale = xml.values(asset, "scale", 3, np.ones(3))
        if np.prod(scale) < 0:  # a reflection turns the triangles over
            mesh = mesh._replace(triangles=mesh.triangles[:, ::-1])
        self.meshes[name] = mesh._replace(vertices=scale * mesh.vertices)
        return self.meshes[name]

    def _named_body(self, element: Element, attribute: str, default: str = "") -> str:
        name = element.get(attribute, default)
        if name not in self.frames:
            raise InvalidArgument(f"{element.label}: {attribute}", repr(name), "a body of the file")
        return name

    def _named_joint(self, element: Element, attribute: str) -> str:
        """Return the body that a hinge or slide carries."""
        name = element.get(attribute)
        for joint in self.joints:
            if joint.name == name:
                if joint.kind in ("hinge", "slide"):
                    return joint.body
                raise InvalidArgument(
                    f"{element.label}: {attribute}", f"a {joint.kind} joint", "a hinge or slide"
                )
        raise InvalidArgument(f"{element.label}: {attribute}", repr(name), "a joint of the file")

    def _equality(self, element: Element, tendons: Mapping[str, Element]) -> None:
        used = {
            "connect": ("body1", "body2", "anchor"),
            "weld": ("body1", "body2", "relpose"),
            "joint": ("joint1", "joint2", "polycoef"),
            "tendon": ("tendon1", "tendon2", "polycoef"),
        }.get(element.tag)
        if used is None:
            self.context.refuse(element, f"<{element.tag}>", "<connect>, <weld>, <joint> or <tendon>")
            return
        equality = Element("equality", element.attrib, element.line)  # the tag of the defaults
        resolved = xml.resolve(self.context, equality, "main", ("active", *used), _SOFT)
        if not xml.is_true(resolved, "active", True) or "equality" in self.disabled:
            return
        if element.tag == "connect":
            self._connect(resolved)
            return
        if element.tag == "weld":
            self._weld(resolved)
            return
        coefficients = np.zeros(5)
        given = xml.values(resolved, "polycoef", (1, 5), np.array([0.0, 1.0]))
        coefficients[: given.size] = given
        if element.tag == "joint" and resolved.get("joint2"):
            follower, leader = (self._named_joint(resolved, name) for name in ("joint1", "joint2"))
            a0, ratio = coefficients[:2]
            offset = a0 + self.references[follower] - ratio * self.references[leader]
        elif element.tag == "tendon" and not resolved.get("tendon2"):
            name = resolved.get("tendon1", "")
            if name not in tendons:
                raise InvalidArgument(f"{element.label}: tendon1", repr(name), "a tendon of the file")
            terms = [
                (self._named_joint(each, "joint"), xml.value(each, "coef", np.nan))
                for each in tendons[name]
                if each.tag == "joint"
            ]
            if len(terms) != 2 or not all(coefficient for _, coefficient in terms):
                self.context.refuse(element, f"a tendon of {len(terms)} joints", "a fixed tendon of two")
                return
            (leader, first), (follower, second) = terms
            ratio = -first / second
            offset = coefficients[0] / second + self.references[follower] - ratio * self.references[leader]
            coefficients[1:] = 0.0
        else:
            self.context.refuse(element, "one joint, or two tendons", "two joints, or one tendon")
            return
        if np.any(coefficients[2:]) or abs(offset) > 1e-12:
            self.context.refuse(
                element, f"polycoef {resolved.get('polycoef')!r}", "a ratio without an offset"
            )
            return
        self.constraints.append(Gear(leader, follower, float(ratio)))

    def _connect(self, element: Element) -> None:
        names = [self._named_body(element, "body1"), self._named_body(element, "body2", "world")]
        anchor = xml.values(element, "anchor", 3)
        point = self.world_poses[names[0]][:3, :3] @ anchor + self.world_poses[names[0]][:3, 3]
        ends: list[tuple[str | None, Array]] = []
        for name in names:
            carrier, pose = self.frames[name]
            local = pose @ se3.inverse(self.world_poses[name]) @ np.append(point, 1.0)
            ends.append((carrier, local[:3]))
        if ends[0][0] is None:
            ends.reverse()
        (a, x_a), (b, x_b) = ends
        if a is None or a == b:
            raise InvalidArgument(element.label, " and ".join(map(repr, names)), "bodies that move")
        self.constraints.append(LoopClosure(a, x_a, b, x_b))

    def _weld(self, element: Element) -> None:
        names = [self._named_body(element, "body1"), self._named_body(element, "body2", "world")]
        relative = xml.values(element, "relpose", 7, np.zeros(7))
        pose: Array = se3.inverse(self.world_poses[names[0]]) @ self.world_poses[names[1]]
        if np.any(relative[3:]):
            R = quaternion.to_rotation(xml.normalize(element, "relpose", relative[3:]))
            pose = se3.frame(R, relative[:3])
        (a, frame_a), (b, frame_b) = (self.frames[name] for name in names)
        ends = [(a, frame_a @ pose), (b, frame_b)]
        if ends[0][0] is None:
            ends.reverse()
        (a, frame_a), (b, frame_b) = ends
        if a is None or a == b:
            raise InvalidArgument(element.label, " and ".join(map(repr, names)), "bodies that move")
        self.constraints.append(Weld(a, frame_a, b, frame_b))

    def _tendon(self, element: Element) -> None:
        """Check that a tendon without an equality has no force of its own."""
        if element.tag != "fixed":
            self.context.refuse(element, f"<{element.tag}>", "<fixed>")
            return
        tendon = xml.resolve(
            self.context, element, "main", (), ("rgba", "width", "material", "springlength", "margin", *_SOFT)
        )
        for each in tendon:
            xml.check_attributes(self.context, each, "joint", "coef")
            xml.value(each, "coef", np.nan)
            self._named_joint(each, "joint")

    def _actuator(self, element: Element) -> None:
        context = self.context
        if element.tag not in _ACTUATORS:
            context.refuse(element, f"<{element.tag}>", ", ".join(f"<{tag}>" for tag in _ACTUATORS))
            return
        used = ("joint", "gear", "ctrlrange", "ctrllimited", "forcerange", "forcelimited")
        actuator = xml.resolve(context, element, "main", (*used, *_ACTUATORS[element.tag]), ("group", "user"))
        kind, gain = element.tag, 1.0
        if kind == "general":
            law = self._general(actuator)
            if law is None:
                context.refuse(element, "its gain and bias", "those of a motor, position or velocity")
                return
            kind, gain, gains = law
            actuator.attrib.update(gains)
        if not actuator.get("joint"):
            context.refuse(element, "no 'joint'", "an actuator on a joint")
            return
        body = self._named_joint(actuator, "joint")
        gear = xml.values(actuator, "gear", (1, 6), np.ones(1))[0]
        if gear == 0:
            raise InvalidArgument(f"{element.label}: gear", "zero", "a number that is not zero")
        controls = self._bounds(actuator, "ctrllimited", "ctrlrange") or (-np.inf, np.inf)
        forces = self._bounds(actuator, "forcelimited", "forcerange") or (-np.inf, np.inf)
        if forces[0] != -forces[1]:
            context.refuse(element, f"forcerange {actuator.get('forcerange')!r}", "opposite bounds")
        if any(each.body == body for each in self.laws):
            context.refuse(element, f"a second actuator on joint {actuator.get('joint')!r}", "one")
            return
        default = float(np.clip(0.0, *controls))
        if default and kind == "motor":
            context.refuse(element, f"ctrlrange {actuator.get('ctrlrange')!r}", "a range with zero")
        limit = abs(gear) * forces[1]
        kp, kv = (
            xml.value(actuator, name, default, 0.0) * gear**2
            for name, default in (("kp", 1.0), ("kv", float(kind == "velocity")))
        )
        match kind:
            case "motor":
                self.laws.append(Motor(body, force_limit=limit))
            case "position":
                self.laws.append(PositionServo(body, kp=kp, kd=kv, target=default / gear, force_limit=limit))
            case _:
                self.laws.append(VelocityServo(body, kv=kv, target=default / gear, force_limit=limit))
        name = element.get("name") or f"actuator{len(self.actuators)}"
        if any(each.name == name for each in self.actuators):
            raise InvalidArgument(element.label, f"the name {name!r} twice", "a name for each")
        self.actuators.append(MjcfActuator(name, kind, body, float(gear) * gain, *controls))

    def _general(self, actuator: Element) -> tuple[str, float, dict[str, str]] | None:
        """Return the kind of a general actuator, the gain of a motor, and the gains of a servo, if it is one.

        Its force is ``gain control + b0 + b1 length + b2 velocity``.
        """
        xml.choice(actuator, "dyntype", "none", ("none",))
        xml.choice(actuator, "gaintype", "fixed", ("fixed",))
        bias = xml.choice(actuator, "biastype", "none", ("none", "affine"))
        gain = float(xml.values(actuator, "gainprm", (1, 10), np.ones(1))[0])
        given = xml.values(actuator, "biasprm", (1, 10), np.zeros(3))[:3]
        b0, b1, b2 = np.pad(given, (0, 3 - given.size)) if bias == "affine" else np.zeros(3)
        if not (b0 or b1 or b2) and gain:
            return "motor", gain, {}
        if b0 or gain <= 0 or b2 > 0:
            return None
        if b1 == -gain:
            return "position", 1.0, {"kp": repr(gain), "kv": repr(float(-b2))}
        if not b1 and b2 == -gain:
            return "velocity", 1.0, {"kv": repr(gain)}
        return None

    def _contact(self, element: Element) -> None:
        if element.tag != "exclude":
            self.context.refuse(element, f"<{element.tag}>", "<exclude>")
            return
        element = xml.resolve(self.context, element, "main", ("body1", "body2"))
        first, second = (
            self.frames[self._named_body(element, name)].body or "world" for name in ("body1", "body2")
        )
        if first != second:
            self.excluded.append((first, second))

    def _keyframe(self, model: MjcfModel, element: Element) -> Keyframe:
        key = xml.resolve(self.context, element, "main", ("qpos", "qvel", "ctrl", "time"), ("mpos", "mquat"))
        neutral, rest = model.qpos_qvel(model.model.state(q=self.references))
        qpos, qvel = (
            xml.values(key, name, default.size, default)
            for name, default in (("qpos", neutral), ("qvel", rest))
        )
        control = xml.values(key, "ctrl", len(self.actuators), np.zeros(len(self.actuators)))
        state = model.state(qpos, qvel, t=xml.value(key, "time", 0.0))
        return Keyframe(state, control)

    def _model(self) -> Model:
        if not self.bodies:
            raise InvalidArgument("source", "a file none of whose bodies moves", "a body with a joint")
        self._exclude_by_masks()
        carrying = set(self.masses)
        for keywords in reversed(self.bodies):
            if keywords["name"] in carrying:
                carrying.add(keywords.get("parent"))
            else:
                element = self.elements[keywords["name"]]
                raise InvalidArgument(element.label, "no mass", "mass, of it or of a body on it")
        scale = 1.0
        if self.total_mass is not None:
            masses = [float(part.mass) for parts in self.masses.values() for part, _ in parts]
            scale = self.total_mass / sum(masses)
        bodies = []
        for keywords in self.bodies:
            name = str(keywords["name"])
            parts = self.masses.get(name)
            M = None
            if parts:
                M = scale * inertia.spatial_inertia(*inertia.composite(*zip(*parts, strict=True)))
            bodies.append(
                Body(
                    **keywords,
                    inertia=M,
                    collision=tuple(each.geometry for each in self.geoms.get(name, ())),
                )
            )
        return Model(
            bodies,
            ground=tuple(each.geometry for each in self.geoms.get(None, ())),
            mu=1.0,
            gravity=self.gravity if "gravity" not in self.disabled else np.zeros(3),
            constraints=self.constraints,
            actuators=self.laws,
            excluded_pairs=tuple(dict.fromkeys(self.excluded)),
        )

    def _exclude_by_masks(self) -> None:
        """Exclude the pairs of bodies whose ``contype`` and ``conaffinity`` do not match."""
        owners = list(self.geoms.items())
        for i, (a, first) in enumerate(owners):
            for b, second in owners[:i]:
                match = [
                    bool(x.contype & y.conaffinity or y.contype & x.conaffinity)
                    for x in first
                    for y in second
                ]
                if not any(match):
                    self.excluded.append((a or "world", b or "world"))
                elif not all(match):
                    got = f"masks by which some geoms of {a or 'world'!r} and {b or 'world'!r} touch"
                    self.context.refuse(first[0].element, got, "all pairs of two bodies, or none")
