"""Settings and elements of an MJCF file, collected while it is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.inertia import MassProperties
from rbnotes.multibody.actuators import Actuator
from rbnotes.multibody.body import Geometry
from rbnotes.multibody.formats._located_xml import Element
from rbnotes.multibody.formats._mesh_files import Mesh
from rbnotes.multibody.formats._mjcf_elements import Context
from rbnotes.multibody.formats.mjcf_model import MjcfActuator, MjcfFrame, MjcfJoint
from rbnotes.multibody.formats.robot import unique_name
from rbnotes.multibody.reduced.constraint_protocol import Constraint

CONTACT_SETTINGS = ("solref", "solimp", "user", "group")
"""Attributes that are skipped: settings of MuJoCo's soft constraints, and labels."""


class Geom(NamedTuple):
    """Geom of the file that collides.

    Attributes
    ----------
    element
        Element of the file.
    geometry
        Shape and pose on a body of the model.
    contype
        Bit mask of the geom.
    conaffinity
        Bit mask of the geoms with which it collides.
    """

    element: Element
    geometry: Geometry
    contype: int
    conaffinity: int


@dataclass
class FileContents:
    """Settings and elements of a file, to which the readers of its sections add.

    Names of bodies are those of the model, unless a comment says that they are those of the file; None is
    the world.

    Attributes
    ----------
    context
        Settings of the compiler, and default classes.
    collisions
        False if no shapes collide.
    folder
        Folder of the file; None for a text.
    mesh_folder
        Folder of meshes and height fields, relative to that of the file.
    mesh_elements
        Meshes of the assets by name.
    meshes
        Meshes that have been read, by name.
    height_field_elements
        Height fields of the assets by name.
    bodies
        Arguments of each :class:`~rbnotes.multibody.Body`.
    elements
        Elements by the names of the file's bodies.
    joint_frames
        Frame of each body in its joint frame ``(4, 4)``.
    frames
        Frames by the names of the file's bodies.
    world_poses
        Poses at zero coordinates by the names of the file's bodies, m.
    masses
        Mass properties on each body, with their poses in its frame.
    geoms
        Colliding geoms on each body.
    joints
        Joints in the order of ``qpos``.
    references
        Coordinates of MuJoCo at zero coordinates of the model, by bodies, rad or m.
    constraints
        Limits and equality constraints.
    actuators
        Actuators in the order of ``ctrl``.
    laws
        Force laws of the actuators.
    excluded_pairs
        Bodies that do not collide.
    names
        Names of bodies that are in use.
    gravity
        Gravity, m/s^2.
    disabled
        Features that are switched off: some of those in ``FLAGS``.
    total_mass
        Mass to which all masses are scaled, kg; None without scaling.
    """

    context: Context
    collisions: bool
    folder: Path | None
    mesh_folder: str = ""
    mesh_elements: dict[str, Element] = field(default_factory=dict)
    meshes: dict[str, Mesh] = field(default_factory=dict)
    height_field_elements: dict[str, Element] = field(default_factory=dict)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    elements: dict[str, Element] = field(default_factory=dict)
    joint_frames: dict[str | None, Array] = field(default_factory=lambda: {None: np.eye(4)})
    frames: dict[str, MjcfFrame] = field(default_factory=lambda: {"world": MjcfFrame(None, np.eye(4))})
    world_poses: dict[str, Array] = field(default_factory=lambda: {"world": np.eye(4)})
    masses: dict[str | None, list[tuple[MassProperties, Array]]] = field(default_factory=dict)
    geoms: dict[str | None, list[Geom]] = field(default_factory=dict)
    joints: list[MjcfJoint] = field(default_factory=list)
    references: dict[str, float] = field(default_factory=dict)
    constraints: list[Constraint] = field(default_factory=list)
    actuators: list[MjcfActuator] = field(default_factory=list)
    laws: list[Actuator] = field(default_factory=list)
    excluded_pairs: list[tuple[str, str]] = field(default_factory=list)
    names: set[str] = field(default_factory=lambda: {"world"})
    gravity: Array = field(default_factory=lambda: np.array([0.0, 0.0, -9.81]))
    disabled: set[str] = field(default_factory=set)
    total_mass: float | None = None

    @property
    def has_contacts(self) -> bool:
        """True if shapes collide."""
        return self.collisions and "contact" not in self.disabled

    def new_name(self, preferred_name: str) -> str:
        """Return a name of a body that is not in use, and reserve it."""
        name = unique_name(preferred_name, self.names)
        self.names.add(name)
        return name

    def named_body(self, element: Element, attribute: str, default: str = "") -> str:
        """Return the body of the file that an attribute names."""
        name = element.get(attribute, default)
        if name not in self.frames:
            raise InvalidArgument(f"{element.label}: {attribute}", repr(name), "a body of the file")
        return name

    def named_joint(self, element: Element, attribute: str) -> str:
        """Return the body on the hinge or slide that an attribute names."""
        name = element.get(attribute)
        for joint in self.joints:
            if joint.name == name:
                if joint.kind in ("hinge", "slide"):
                    return joint.body
                raise InvalidArgument(
                    f"{element.label}: {attribute}", f"a {joint.kind} joint", "a hinge or slide"
                )
        raise InvalidArgument(f"{element.label}: {attribute}", repr(name), "a joint of the file")
