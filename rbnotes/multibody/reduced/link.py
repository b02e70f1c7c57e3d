"""Links of a tree: each is a body and the joint that carries it (Sueda 2.1).

A joint's frame is placed in the frame of the parent's joint, and the body's frame in that of its own joint:

    joint pose = parent's joint pose * placement * Q(q),      body pose = joint pose * body frame.

A link without a parent is attached to the world; there may be several. Coordinates and velocities of all
links are stacked in the order of the links of the :class:`~rbnotes.multibody.reduced.Tree`, parents before
children.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, ArrayField, InvalidArgument
from rbnotes.inertia.spatial import from_symmetric_spatial_inertia
from rbnotes.joints import JointType
from rbnotes.unchecked.frozen import set_fields


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
        set_fields(self, **fields)

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


def require_tree(tree: object) -> None:
    """Check an argument of a function that :class:`~rbnotes.multibody.reduced.Tree` itself uses.

    Raises
    ------
    InvalidArgument
        If it is not.
    """
    from rbnotes.multibody.reduced.tree import Tree  # which imports the functions that call this one

    arguments.require_instance("tree", tree, Tree)


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


def sort_links(links: tuple[Link, ...]) -> tuple[Link, ...]:
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
