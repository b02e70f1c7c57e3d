"""Model of a tree of bodies: each link is a body and the joint that carries it (Sueda 2.1).

A joint's frame is placed in the frame of the parent's joint, and the body's frame in that of its own joint:

    joint pose = parent's joint pose * placement * Q(q),      body pose = joint pose * body frame.

A link without a parent is attached to the world; there may be several. Coordinates and velocities of all
links are stacked in the order of :attr:`Tree.links`, parents before children.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, ArrayField, InvalidArgument
from rbnotes.dynamics import GRAVITY
from rbnotes.inertia.spatial import from_symmetric_spatial_inertia
from rbnotes.joints import JointType
from rbnotes.unchecked import se3

JOINT_PARAMETERS = ("stiffness", "damping", "spring_reference")
"""Fields of a link with one number for each coordinate of its joint."""


@dataclass(frozen=True, eq=False)
class Link:
    """Body with the joint that carries it and the frames of both.

    Attributes
    ----------
    name
        Unique name of the link.
    joint
        Joint type between the parent and the link.
    inertia
        Spatial inertia ``(6, 6)`` about the origin of the body's frame, kg m^2, kg m and kg. None: no mass,
        for an intermediate frame; a link with mass must follow it.
    parent
        Name of the parent; None is the world.
    placement
        Joint frame ``(4, 4)`` in the joint frame of the parent, at rest, m; the same frame by default.
    body_frame
        Body frame ``(4, 4)`` in the joint frame, m; the same frame by default.
    stiffness
        Stiffness of a spring in each coordinate, ``(k,)`` or a number, N m/rad or N/m, not negative.
    damping
        Damping of a damper in each coordinate, ``(k,)`` or a number, N m s/rad or N s/m, not negative.
    spring_reference
        Coordinates ``(k,)``, rad or m, at which the springs exert no force; neutral by default.

    Raises
    ------
    InvalidArgument
        If a frame is not a pose, no body has the inertia, or a value does not fit the joint; the message
        starts with the link's name.
    """

    name: str
    joint: JointType
    inertia: ArrayField = None
    parent: str | None = None
    placement: ArrayField = None
    body_frame: ArrayField = None
    stiffness: ArrayField = 0.0
    damping: ArrayField = 0.0
    spring_reference: ArrayField = None

    def __post_init__(self) -> None:
        joint = self._check_joint()
        label = f"link {self.name!r}"
        fields: dict[str, Any] = {}
        for field in ("placement", "body_frame"):
            pose = getattr(self, field)
            frame = arguments.frame(f"{label}: {field}", np.eye(4) if pose is None else pose)
            if frame.shape != (4, 4):
                raise InvalidArgument(f"{label}: {field}", f"shape {frame.shape}", "shape (4, 4)")
            fields[field] = frame
        for field in ("stiffness", "damping"):
            number = arguments.real_array(f"{label}: {field}", getattr(self, field), minimum=0.0)
            fields[field] = per_coordinate(f"{label}: {field}", number, joint)
        spring_reference = (
            self.joint.neutral
            if self.spring_reference is None
            else arguments.array(f"{label}: spring_reference", self.spring_reference)
        )
        fields["spring_reference"] = per_coordinate(f"{label}: spring_reference", spring_reference, joint)
        if self.inertia is not None:
            fields["inertia"] = _check_inertia(f"{label}: inertia", self.inertia)
        for field, value in fields.items():
            object.__setattr__(self, field, value)

    def _check_joint(self) -> JointType:
        """Return the joint type after checking the names of the link and its parent."""
        if not isinstance(self.name, str) or not self.name:
            got = arguments.format_value(self.name)
            raise InvalidArgument("name", got, "the link's name, a string that is not empty")
        if not isinstance(self.parent, str | None):
            got = arguments.format_value(self.parent)
            raise InvalidArgument(f"link {self.name!r}: parent", got, "a link's name, or None")
        if not isinstance(self.joint, JointType):
            got = f"{type(self.joint).__name__} {arguments.format_value(self.joint)}"
            raise InvalidArgument(f"link {self.name!r}: joint", got, "a joint type of rbnotes.joints")
        return self.joint


def per_coordinate(name: str, value: Array, joint: JointType) -> Array:
    """Return one number for each coordinate of a joint ``(k,)``.

    Raises
    ------
    InvalidArgument
        If ``value`` is neither a number nor of shape ``(k,)``.
    """
    k = joint.num_coordinates
    if value.shape not in ((), (k,)):
        expected = f"a number or shape ({k},), one for each coordinate of its {joint} joint"
        raise InvalidArgument(name, f"shape {value.shape}", expected)
    return np.broadcast_to(value, (k,))


def require_fixed_coordinates(name: str, joint: JointType) -> None:
    """Check that the coordinates of a joint are independent, and that steps do not change them.

    Raises
    ------
    InvalidArgument
        If they are not, as for rotation vectors and quaternions.
    """
    if joint.changes_coordinates or joint.num_coordinate_constraints:
        got = f"a {joint} joint, whose coordinates change along the motion"
        raise InvalidArgument(name, got, "a joint with independent coordinates, such as angles and lengths")


@dataclass(frozen=True, eq=False)
class Tree:
    """Links, sorted so that parents come before their children, and gravity.

    Attributes
    ----------
    links
        Links in any order when given; then sorted, otherwise in the given order.
    gravity
        Gravity ``(3,)`` in the world, m/s^2.

    Raises
    ------
    InvalidArgument
        If two links have one name, a parent is missing, links form a cycle, or no link with mass follows a
        link without mass; the message names the links.
    """

    links: Sequence[Link]
    gravity: ArrayField = GRAVITY

    def __post_init__(self) -> None:
        gravity = arguments.vector("gravity", self.gravity)
        if gravity.shape != (3,):
            raise InvalidArgument("gravity", f"shape {gravity.shape}", "shape (3,)")
        object.__setattr__(self, "gravity", gravity)
        object.__setattr__(self, "links", _sort_links(arguments.instances("links", self.links, Link)))
        self._refuse_massless_leaves()

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Index of each link's parent ``(n,)``, -1 for the world."""
        return tuple(-1 if link.parent is None else self.index(link.parent) for link in self.links)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Indices of each link's children."""
        children: list[list[int]] = [[] for _ in self.links]
        for i, parent in enumerate(self.parents):
            if parent >= 0:
                children[parent].append(i)
        return tuple(map(tuple, children))

    @cached_property
    def coordinate_slices(self) -> tuple[slice, ...]:
        """Slice of each link's coordinates among all coordinates."""
        ends = np.cumsum([0, *(link.joint.num_coordinates for link in self.links)]).tolist()
        return tuple(slice(start, end) for start, end in pairwise(ends))

    @property
    def num_coordinates(self) -> int:
        """Number k of coordinates, and of velocities."""
        return self.coordinate_slices[-1].stop if self.links else 0

    @cached_property
    def inertias(self) -> Array:
        """Spatial inertias ``(n, 6, 6)``, zero where there is no mass."""
        massless = np.zeros((6, 6))
        inertias = [massless if link.inertia is None else link.inertia for link in self.links]
        return np.array(inertias).reshape(-1, 6, 6)

    @cached_property
    def mean_subtree_inertias(self) -> Array:
        """Mean diagonal entry ``(n,)`` of the summed inertias of each link and all links beyond it."""
        sizes: Array = np.trace(self.inertias, axis1=-2, axis2=-1) / 6
        for i in reversed(range(len(self.links))):
            if self.parents[i] >= 0:
                sizes[self.parents[i]] += sizes[i]
        return sizes

    @cached_property
    def placements(self) -> Array:
        """Frames ``(n, 4, 4)`` of the joints at rest, each in the joint frame of its parent."""
        return np.array([link.placement for link in self.links]).reshape(-1, 4, 4)

    @cached_property
    def body_frames(self) -> Array:
        """Frames ``(n, 4, 4)`` of the bodies, each in its joint's frame."""
        return np.array([link.body_frame for link in self.links]).reshape(-1, 4, 4)

    @cached_property
    def joint_to_body_adjoints(self) -> Array:
        """Adjoints ``(n, 6, 6)`` that map twists from the joints' frames to the bodies'."""
        return se3.Ad_inverse(self.body_frames)

    @cached_property
    def weights_and_centers(self) -> tuple[Array, Array]:
        """Weights ``(n, 3)`` in the world, N, and the centers of mass ``(n, 3)`` in the bodies' frames, m."""
        masses = self.inertias[:, 5, 5]
        moments = np.stack([self.inertias[:, 2, 4], self.inertias[:, 0, 5], self.inertias[:, 1, 3]], axis=-1)
        positive_masses = np.where(masses > 0, masses, 1.0)
        return masses[:, None] * self.gravity, moments / positive_masses[:, None]

    @cached_property
    def neutral(self) -> Array:
        """Neutral coordinates ``(k,)`` of all joints: mostly zeros."""
        return np.concatenate([np.zeros(0), *(link.joint.neutral for link in self.links)])

    def joint_parameter(self, field: str) -> Array:
        """Return ``stiffness``, ``damping`` or ``spring_reference`` of all coordinates ``(k,)``.

        Raises
        ------
        InvalidArgument
            If ``field`` is not one of the names.
        """
        return self._joint_parameters[arguments.choice("field", field, JOINT_PARAMETERS)].copy()

    @cached_property
    def _joint_parameters(self) -> dict[str, Array]:
        return {
            field: np.concatenate([np.zeros(0), *(getattr(link, field) for link in self.links)])
            for field in JOINT_PARAMETERS
        }

    def check_vector(self, name: str, value: ArrayLike) -> Array:
        """Return an array ``(..., k)`` with one value for each coordinate, such as coordinates or velocities.

        Raises
        ------
        InvalidArgument
            If the number of values is not k; the message lists the number for each link.
        """
        try:
            return arguments.vector(name, value, self.num_coordinates)
        except InvalidArgument as error:
            if not error.got.startswith("shape"):
                raise
            each = ", ".join(f"{link.joint.num_coordinates} of {link.name!r}" for link in self.links)
            raise InvalidArgument(name, error.got, f"{error.expected}: {each}") from error

    def index(self, name: str) -> int:
        """Return the index of the link with this name.

        Raises
        ------
        InvalidArgument
            If there is none.
        """
        if not isinstance(name, str) or name not in self._indices:
            names = ", ".join(map(repr, self._indices))
            raise InvalidArgument("name", arguments.format_value(name), f"one of {names}")
        return self._indices[name]

    @cached_property
    def _indices(self) -> dict[str, int]:
        return {link.name: i for i, link in enumerate(self.links)}

    def coordinates(self, values: Mapping[str, ArrayLike], default: ArrayLike | None = None) -> Array:
        """Return stacked coordinates or velocities ``(k,)`` from values by the names of links.

        The others are taken from ``default (k,)``, which is neutral if not given. For velocities, pass
        ``default=0``.

        Raises
        ------
        InvalidArgument
            If there is no link of a name, or its numbers or ``default`` do not fit.
        """
        arguments.require_instance("values", values, Mapping)
        base = self.neutral if default is None else arguments.array("default", default)
        if base.shape not in ((), (self.num_coordinates,)):
            raise InvalidArgument(
                "default", f"shape {base.shape}", f"a number, or shape ({self.num_coordinates},)"
            )
        result = np.array(np.broadcast_to(base, (self.num_coordinates,)))
        for name, value in values.items():
            joint_slice = self.coordinate_slices[self.index(arguments.text("values: name", name))]
            count = joint_slice.stop - joint_slice.start
            numbers = arguments.array(f"values[{name!r}]", value)
            if numbers.shape not in ((), (count,)) or (numbers.ndim == 0 and count != 1):
                raise InvalidArgument(f"values[{name!r}]", f"shape {numbers.shape}", f"shape ({count},)")
            result[joint_slice] = numbers
        return result

    def _refuse_massless_leaves(self) -> None:
        has_mass = self.inertias[:, 5, 5] > 0
        for i in reversed(range(len(self.links))):
            if has_mass[i] and self.parents[i] >= 0:
                has_mass[self.parents[i]] = True
        for link, link_has_mass in zip(self.links, has_mass, strict=True):
            if not link_has_mass:
                expected = "an inertia, for it or for a link beyond it"
                raise InvalidArgument(f"link {link.name!r}: inertia", "no mass", expected)


def _check_inertia(name: str, value: Any) -> Array:
    """Return a spatial inertia; those of a point mass and of a thin rod are accepted."""
    M = arguments.symmetric(name, value, 6)
    if M.shape != (6, 6):
        raise InvalidArgument(name, f"shape {M.shape}", "shape (6, 6)")
    try:
        from_symmetric_spatial_inertia(M)
    except InvalidArgument as error:
        raise InvalidArgument(name, error.got, error.expected) from error
    return M


def _sort_links(links: tuple[Link, ...]) -> tuple[Link, ...]:
    """Return the links with parents before their children, otherwise in the given order."""
    by_name: dict[str, Link] = {}
    for link in links:
        if link.name in by_name:
            raise InvalidArgument("links", f"two links named {link.name!r}", "a name for each")
        by_name[link.name] = link
    for link in links:
        if link.parent is not None and link.parent not in by_name:
            link_names = ", ".join(map(repr, by_name))
            raise InvalidArgument(
                f"link {link.name!r}: parent", repr(link.parent), f"None, or one of {link_names}"
            )
    # Passes over the given order place all links whose parents are placed: a link that is given before its
    # parent waits for the next pass.
    index_by_name = {link.name: i for i, link in enumerate(links)}
    passes: dict[str, int] = {}
    for name in _parents_before_children(by_name):
        parent = by_name[name].parent
        passes[name] = 0 if parent is None else passes[parent] + (index_by_name[name] < index_by_name[parent])
    return tuple(sorted(links, key=lambda link: (passes[link.name], index_by_name[link.name])))


def _parents_before_children(by_name: Mapping[str, Link]) -> tuple[str, ...]:
    """Return the names of links in an order in which parents come before their children."""
    parents = {name: () if link.parent is None else (link.parent,) for name, link in by_name.items()}
    try:
        return tuple(TopologicalSorter(parents).static_order())
    except CycleError as error:
        chain = " -> ".join(map(repr, error.args[1]))
        expected = "a tree; close loops by constraints"
        raise InvalidArgument("links", f"links in a cycle, {chain}", expected) from error
