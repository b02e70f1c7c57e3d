"""Bodies of a model, with their shapes, joints and collision geometry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, ArrayField, InvalidArgument
from rbnotes.contact.detection import friction_coefficient
from rbnotes.inertia import spatial_inertia
from rbnotes.joints import Free3D, JointType
from rbnotes.multibody.reduced.link import Link, per_coordinate, require_fixed_coordinates
from rbnotes.shapes import Ground, Shape
from rbnotes.unchecked.frozen import set_fields

FREE_JOINT = Free3D()
"""Joint of free bodies in the tree of a model."""


@dataclass(frozen=True, eq=False)
class Geometry:
    """Shape that can touch others, at a pose in a body or in the world.

    Attributes
    ----------
    shape
        A solid with collision geometry, or a plane.
    frame
        Pose ``(4, 4)`` of the shape in the body or in the world, m; the same frame by default.
    mu
        Friction coefficient, dimensionless; that of the body or of the model by default.
    restitution
        Coefficient of restitution, dimensionless, 0 to 1; that of the body or of the model by default.

    Raises
    ------
    InvalidArgument
        If the shape has no collision geometry, ``frame`` is not a pose, ``mu`` is negative, or
        ``restitution`` is not in [0, 1].
    """

    shape: Shape
    frame: ArrayField = None
    _: KW_ONLY
    mu: float | None = None
    restitution: float | None = None

    def __post_init__(self) -> None:
        frame = np.eye(4) if self.frame is None else arguments.frame("frame", self.frame)
        set_fields(self, frame=arguments.with_ndim("frame", frame, 2))
        _set_coefficients(self)
        arguments.require_instance("shape", self.shape, Shape)
        _ = self.shape.collision_geometry  # raises an error if there is none


@dataclass(frozen=True, eq=False)
class Body:
    """Rigid body with its shape, the joint that carries it, and the frames of both.

    Attributes
    ----------
    name
        Unique name; ``"world"`` is reserved.
    shape
        Solid, centered at the body frame: it gives the inertia, the collision geometry and the appearance.
    mass
        Mass of the shape, kg. Without a shape it is that of a point at the origin of the body frame, such as
        a particle on a :class:`~rbnotes.joints.Translational` joint.
    density
        Density of the shape, kg/m^3, if its mass is not given.
    inertia
        Spatial inertia ``(6, 6)`` about the origin of the body frame, kg m^2, kg m and kg, in the place of
        mass or density. A body with none of the three has no mass: other bodies must follow it.
    joint
        Joint that carries the body; None for a free body.
    parent
        Name of the parent; None is the world.
    joint_frame
        Joint frame ``(4, 4)`` in the joint frame of the parent or in the world, m; the same by default.
    body_frame
        Body frame ``(4, 4)`` in the joint frame, m; the same by default.
    position
        Initial position ``(3,)`` of a free body in the world, m; the origin by default.
    pose
        Initial pose ``(4, 4)`` of a free body in the world, m, instead of the position.
    collision
        Collision geometry: a shape at the body frame, or several geometries; ``()`` for none. The shape of
        the body by default.
    mu
        Friction coefficient, dimensionless; that of the model by default.
    restitution
        Coefficient of restitution, dimensionless, 0 to 1; that of the model by default.
    stiffness
        Stiffness of a spring in each coordinate of the joint, ``(k,)`` or a number, N m/rad or N/m.
    damping
        Damping in each coordinate of the joint, ``(k,)`` or a number, N m s/rad or N s/m.
    spring_reference
        Coordinates ``(k,)`` of the joint at which the springs exert no force, rad or m; neutral by default.
    armature
        Inertia of the rotor that drives the joint, ``(k,)`` or a number, kg m^2 or kg: that about its own
        axis times the square of the gear ratio. It acts along the coordinates only.
    joint_friction
        Dry friction in each coordinate of the joint, ``(k,)`` or a number, N m or N.
    spatial_inertia
        Spatial inertia ``(6, 6)`` about the body frame's origin, kg m^2, kg m and kg; None without mass.
    geometries
        Collision geometries in the body frame.
    initial_pose
        Initial pose ``(4, 4)`` of a free body, m; None for a body on a joint.
    link
        Link of the equivalent tree, in which free bodies have a :class:`~rbnotes.joints.Free3D` joint.

    Raises
    ------
    InvalidArgument
        If a value does not fit; the message starts with the name of the body.
    """

    name: str
    shape: Shape | None = None
    _: KW_ONLY
    mass: float | None = None
    density: float | None = None
    inertia: ArrayField = None
    joint: JointType | None = None
    parent: str | None = None
    joint_frame: ArrayField = None
    body_frame: ArrayField = None
    position: ArrayField = None
    pose: ArrayField = None
    collision: Shape | Sequence[Geometry] | None = None
    mu: float | None = None
    restitution: float | None = None
    stiffness: ArrayField = 0.0
    damping: ArrayField = 0.0
    spring_reference: ArrayField = None
    armature: ArrayField = 0.0
    joint_friction: ArrayField = 0.0

    def __post_init__(self) -> None:
        arguments.text("name", self.name)
        if self.name in ("", "world"):
            raise InvalidArgument("name", repr(self.name), 'a name other than "world"')
        label = f"body {self.name!r}"
        if self.shape is not None:
            arguments.require_instance(f"{label}: shape", self.shape, Shape)
        link = self._link(self._spatial_inertia(label))
        set_fields(
            self,
            link=link,
            spatial_inertia=link.inertia,
            geometries=self._geometries(label),
            initial_pose=self._initial_pose(label),
            **self._joint_armature_and_friction(label, link),
        )
        _set_coefficients(self, f"{label}: ")
        self._store_arrays()

    spatial_inertia: Array | None = field(init=False, repr=False)
    geometries: tuple[Geometry, ...] = field(init=False, repr=False)
    initial_pose: Array | None = field(init=False, repr=False)
    link: Link = field(init=False, repr=False)

    @classmethod
    def from_link(cls, link: Link, **options: Any) -> Body:
        """Return the body of a link of a tree, on the link's joint.

        Parameters
        ----------
        link
            Link, with its name, inertia, joint and frames.
        **options
            Other fields of the body, such as ``collision`` and ``armature``.

        Raises
        ------
        InvalidArgument
            If an option does not fit.
        """
        arguments.require_instance("link", link, Link)
        return cls(
            link.name,
            inertia=link.inertia,
            joint=link.joint,
            parent=link.parent,
            joint_frame=link.placement,
            body_frame=link.body_frame,
            stiffness=link.stiffness,
            damping=link.damping,
            spring_reference=link.spring_reference,
            **options,
        )

    @property
    def is_free(self) -> bool:
        """True if no joint restricts the body."""
        return self.joint is None

    def _link(self, spatial_inertia: ArrayLike | None) -> Link:
        """Return the link of the tree; errors name the fields of the body."""
        try:
            return Link(
                self.name,
                FREE_JOINT if self.joint is None else self.joint,
                spatial_inertia,
                self.parent,
                self.joint_frame,
                self.body_frame,
                stiffness=self.stiffness,
                damping=self.damping,
                spring_reference=self.spring_reference,
            )
        except InvalidArgument as error:
            name = error.name.replace("link ", "body ", 1).replace("placement", "joint_frame")
            raise InvalidArgument(name, error.got, error.expected) from None

    def _store_arrays(self) -> None:
        """Store the arrays that have been checked in place of given sequences."""
        link, pose = self.link, self.initial_pose
        checked = {
            "inertia": link.inertia,
            "joint_frame": link.placement,
            "body_frame": link.body_frame,
            "stiffness": link.stiffness,
            "damping": link.damping,
            "spring_reference": link.spring_reference,
            "pose": pose,
            "position": None if pose is None else pose[:3, 3],
        }
        arrays = [
            name for name in checked if getattr(self, name) is not None and np.ndim(getattr(self, name))
        ]
        set_fields(self, **{name: checked[name] for name in arrays})

    def _joint_armature_and_friction(self, label: str, link: Link) -> dict[str, Array]:
        """Return the armature and the friction of the joint for each of its coordinates."""
        result = {}
        for name in ("armature", "joint_friction"):
            value = arguments.real_array(f"{label}: {name}", getattr(self, name), minimum=0.0)
            if np.any(value):
                if self.is_free:
                    raise InvalidArgument(f"{label}: {name}", "a value", "a joint with it")
                require_fixed_coordinates(f"{label}: {name}", link.joint)
            result[name] = per_coordinate(f"{label}: {name}", value, link.joint)
        return result

    def _spatial_inertia(self, label: str) -> ArrayLike | None:
        """Return the spatial inertia, which the link checks."""
        fields = [name for name in ("mass", "density", "inertia") if getattr(self, name) is not None]
        if len(fields) > 1:
            raise InvalidArgument(f"{label}: {', '.join(fields)}", "all of these", "one of them")
        if not fields:
            return None
        if self.inertia is not None:
            inertia: ArrayLike = self.inertia
            return inertia
        value = arguments.positive_number(f"{label}: {fields[0]}", getattr(self, fields[0]))
        if self.shape is None and (self.is_free or self.mass is None):
            raise InvalidArgument(f"{label}: shape", "None", f"a solid, which has the {fields[0]}")
        if self.shape is None:
            return spatial_inertia(value, np.zeros((3, 3)))
        return self.shape.spatial_inertia(**{fields[0]: value})

    def _geometries(self, label: str) -> tuple[Geometry, ...]:
        """Return the colliding geometries, by default that of the shape."""
        collision = self.shape if self.collision is None else self.collision
        if collision is None:
            return ()
        if isinstance(collision, Ground):
            raise self._ground_error(label, collision)
        if isinstance(collision, Shape):
            try:
                return (Geometry(collision),)
            except InvalidArgument as error:
                expected = f"{error.expected}; pass `collision` for another one, or () for none"
                raise InvalidArgument(f"{label}: shape", error.got, expected) from None
        geometries = arguments.instances(f"{label}: collision", collision, Geometry)
        for geometry in geometries:
            if isinstance(geometry.shape, Ground):
                raise self._ground_error(label, geometry.shape)
        return geometries

    @staticmethod
    def _ground_error(label: str, shape: Ground) -> InvalidArgument:
        expected = "a bounded shape; planes and height fields are the ground"
        return InvalidArgument(f"{label}: collision", f"a {type(shape).__name__}", expected)

    def _initial_pose(self, label: str) -> Array | None:
        """Return the initial pose of a free body, None for others; refuse fields that conflict."""
        frames = [name for name in ("joint_frame", "body_frame", "parent") if getattr(self, name) is not None]
        initial = [name for name in ("position", "pose") if getattr(self, name) is not None]
        if not self.is_free:
            if initial:
                expected = "no initial pose for a body on a joint; use `joint_frame` and Model.state"
                raise InvalidArgument(f"{label}: {initial[0]}", "a value", expected)
            return None
        if frames:
            raise InvalidArgument(f"{label}: {frames[0]}", "a value", "a joint with it; a free body has none")
        if np.any(np.asarray(self.stiffness) != 0) or np.any(np.asarray(self.damping) != 0):
            raise InvalidArgument(f"{label}: stiffness, damping", "values", "a joint with them")
        if len(initial) > 1:
            raise InvalidArgument(f"{label}: position, pose", "both", "one of the two")
        if self.pose is not None:
            return arguments.with_ndim(f"{label}: pose", arguments.frame(f"{label}: pose", self.pose), 2)
        pose: Array = np.eye(4)
        if self.position is not None:
            pose[:3, 3] = arguments.single_vector(f"{label}: position", self.position)
        return pose


def ground_geometries(ground: Shape | Sequence[Geometry]) -> tuple[Geometry, ...]:
    """Return one shape at the world's origin, or several geometries, as a tuple.

    Raises
    ------
    InvalidArgument
        If ``ground`` is neither.
    """
    if isinstance(ground, Shape):
        return (Geometry(ground),)
    if isinstance(ground, Mapping):
        raise InvalidArgument("ground", "a mapping", "a shape, or a sequence of geometries")
    return arguments.instances("ground", ground, Geometry)


def _set_coefficients(owner: Geometry | Body, prefix: str = "") -> None:
    """Check the coefficients of friction and restitution, which may be None."""
    if owner.mu is not None:
        set_fields(owner, mu=friction_coefficient(f"{prefix}mu", owner.mu))
    if owner.restitution is not None:
        number = arguments.real_number(f"{prefix}restitution", owner.restitution, minimum=0, maximum=1)
        set_fields(owner, restitution=number)
