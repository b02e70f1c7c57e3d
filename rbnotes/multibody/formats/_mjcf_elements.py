"""XML elements of MJCF: included files, default classes, numbers, orientations and shapes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from rbnotes.arguments import MAX_ABS_VALUE, Array, InvalidArgument
from rbnotes.multibody.formats._located_xml import Element, parse_text, read_file
from rbnotes.multibody.formats._xml import parse_numbers
from rbnotes.shapes import Box, Capsule, Cylinder, Ellipsoid, Plane, Shape, Sphere
from rbnotes.unchecked import quaternion, se3, so3


def parse(source: str | Path) -> Element:
    """Return the root element ``<mujoco>`` of a file or its text, with the elements of included files."""
    if isinstance(source, str) and source.lstrip().startswith("<"):
        return _parse_text(source, None, set())
    path = Path(source)
    return _parse_text(read_file("source", path, "an MJCF file"), path.parent.resolve(), {path.resolve()})


def _parse_text(text: str, folder: Path | None, visited: set[Path]) -> Element:
    """Return the root element of a text, with the elements of included files."""
    root = parse_text("source", text)
    if root.tag not in ("mujoco", "mujocoinclude"):
        raise InvalidArgument("source", f"<{root.tag}>", "an MJCF file, whose first element is <mujoco>")
    _include(root, folder, visited)
    return root


def _include(parent: Element, folder: Path | None, visited: set[Path]) -> None:
    """Replace each ``<include>`` by the elements of its file, which must be in the folder of the source."""
    children: list[Element] = []
    for element in parent:
        if element.tag != "include":
            _include(element, folder, visited)
            children.append(element)
            continue
        name = element.get("file", "")
        if folder is None:
            raise InvalidArgument(element.label, "an included file in a text", "a source that is a file")
        path = (folder / name).resolve()
        if not name or folder not in path.parents:
            raise InvalidArgument(element.label, repr(name), "a file in the folder of the source")
        if path in visited:
            raise InvalidArgument(element.label, f"{name!r} twice", "each file once")
        visited.add(path)
        if not path.is_file():
            raise InvalidArgument(element.label, repr(name), "a file that exists")
        children += _parse_text(read_file("source", path, "an MJCF file"), folder, visited)
    parent.children = children


@dataclass
class Context:
    """Settings and default classes of a file.

    Attributes
    ----------
    unsupported
        ``"raise"`` or ``"warn"``, for unsupported features.
    degrees
        True if angles of the file are in degrees.
    euler_sequence
        Axes of Euler angles: lower-case letters rotate with the body.
    auto_limits
        True if a range alone switches limits on.
    inertia_from_geometry
        ``"true"``, ``"false"`` or, for bodies without ``<inertial>``, ``"auto"``.
    balance_inertia
        True if moments of inertia that violate the triangle inequality are replaced by their mean.
    min_mass
        Smallest mass of a body, kg.
    min_inertia
        Smallest principal moment of inertia of a body, kg m^2.
    classes
        Default attributes by class and tag.
    """

    unsupported: Literal["raise", "warn"]
    degrees: bool = True
    euler_sequence: str = "xyz"
    auto_limits: bool = True
    inertia_from_geometry: str = "auto"
    balance_inertia: bool = False
    min_mass: float = 0.0
    min_inertia: float = 0.0
    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=lambda: {"main": {}})

    def refuse(self, element: Element, got: str, expected: str = "a supported feature of MJCF") -> None:
        """Raise an error for an unsupported feature, or warn and ignore it."""
        error = InvalidArgument(element.label, got, expected)
        if self.unsupported == "raise":
            raise error
        warnings.warn(f"{error}; ignored", stacklevel=2)

    def angle(self, value: float | Array) -> Array:
        """Return an angle of the file in radians."""
        return np.deg2rad(value) if self.degrees else np.asarray(value)


def resolve(
    context: Context, element: Element, child_class: str, used: Iterable[str], skipped: Iterable[str] = ()
) -> Element:
    """Return an element with the attributes of its default class; refuse those that are not supported."""
    name = element.get("class", child_class)
    if name not in context.classes:
        raise InvalidArgument(element.label, f"class {name!r}", "a class of <default>")
    attributes = {**context.classes[name].get(element.tag, {}), **element.attrib}
    result = Element(element.tag, attributes, element.line, element.children)
    allowed = {"name", "class", *used, *skipped}
    for attribute in [key for key in result.attrib if key not in allowed]:
        context.refuse(element, f"attribute {attribute!r}", "an attribute that is supported here")
        del result.attrib[attribute]
    return result


def check_attributes(context: Context, element: Element, *allowed: str) -> None:
    """Refuse attributes of an element without default classes."""
    for attribute in element.attrib:
        if attribute not in allowed:
            context.refuse(element, f"attribute {attribute!r}", "an attribute that is supported here")


def values(element: Element, name: str, count: int | tuple[int, int], default: Array | None = None) -> Array:
    """Return the finite numbers of an attribute."""
    text = element.attrib.get(name)
    if text is None:
        if default is None:
            raise InvalidArgument(element.label, f"no {name!r}", "a value for it")
        return default
    least, most = (count, count) if isinstance(count, int) else count
    try:
        result = np.array(parse_numbers(text))
    except ValueError:
        result = np.full(1, np.nan)
    if not least <= result.size <= most or not np.all(np.abs(result) < MAX_ABS_VALUE):
        amount = f"{least}" if least == most else f"{least} to {most}"
        expected = f"{amount} numbers smaller than {MAX_ABS_VALUE:g}"
        raise InvalidArgument(f"{element.label}: {name}", f"{text!r:.60}", expected)
    return result


def value(element: Element, name: str, default: float, minimum: float = -np.inf) -> float:
    """Return the only number of an attribute."""
    number = float(values(element, name, 1, np.array([default]))[0])
    if number < minimum:
        raise InvalidArgument(f"{element.label}: {name}", f"{number:g}", f"at least {minimum:g}")
    return number


def choice(element: Element, name: str, default: str, choices: Iterable[str]) -> str:
    """Return a keyword of an attribute."""
    word, allowed = element.get(name, default), tuple(choices)
    if word not in allowed:
        raise InvalidArgument(f"{element.label}: {name}", f"{word!r:.60}", f"one of {', '.join(allowed)}")
    return word


def bounds(context: Context, element: Element, switch: str, name: str) -> tuple[float, float] | None:
    """Return the bounds that an attribute holds if another attribute switches them on, else None."""
    limited = choice(element, switch, "auto", ("auto", "true", "false"))
    if name in element.attrib:
        lower, upper = values(element, name, 2)
    if limited == "false" or (limited == "auto" and name not in element.attrib):
        return None
    if limited == "auto" and not context.auto_limits:
        raise InvalidArgument(element.label, f"'{name}' without '{switch}'", f"{switch} without autolimits")
    if name not in element.attrib or not lower < upper:
        raise InvalidArgument(f"{element.label}: {name}", repr(element.get(name)), "lower < upper")
    return float(lower), float(upper)


def is_true(element: Element, name: str, default: bool) -> bool:
    """Return a truth value of an attribute."""
    return choice(element, name, "true" if default else "false", ("true", "false")) == "true"


ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
"""Attributes that describe an orientation."""


def pose(context: Context, element: Element) -> Array:
    """Return the pose ``(4, 4)`` of an element in its parent."""
    return se3.frame(orientation(context, element), values(element, "pos", 3, np.zeros(3)))


def orientation(context: Context, element: Element) -> Array:
    """Return the rotation matrix ``(3, 3)`` of an element in its parent."""
    names = [name for name in ORIENTATIONS if name in element.attrib]
    if len(names) > 1:
        raise InvalidArgument(element.label, " and ".join(names), "one orientation")
    if not names:
        return np.eye(3)
    name = names[0]
    numbers = values(element, name, {"quat": 4, "axisangle": 4, "euler": 3, "xyaxes": 6, "zaxis": 3}[name])

    def unit(vector: Array) -> Array:
        return normalize(element, name, vector)

    match name:
        case "quat":
            return quaternion.to_rotation(unit(numbers))
        case "axisangle":
            return so3.exp(unit(numbers[:3]) * context.angle(numbers[3]))
        case "euler":
            R = np.eye(3)
            for letter, angle in zip(context.euler_sequence, context.angle(numbers), strict=True):
                turn = so3.exp(np.eye(3)["xyz".index(letter.lower())] * angle)
                R = R @ turn if letter.islower() else turn @ R
            return R
        case "xyaxes":
            x = unit(numbers[:3])
            y = unit(numbers[3:] - x * (x @ numbers[3:]))
            return np.stack([x, y, np.cross(x, y)], axis=1)
    return rotation_to(unit(numbers))


def rotation_to(direction: Array) -> Array:
    """Return the smallest rotation ``(3, 3)`` that turns the z axis to a unit vector."""
    axis = np.cross([0.0, 0.0, 1.0], direction)
    sine = float(np.linalg.norm(axis))
    if sine < 1e-10:
        return np.eye(3) if direction[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return so3.exp(axis / sine * np.arctan2(sine, direction[2]))


def normalize(element: Element, name: str, vector: Array) -> Array:
    """Return a vector divided by its length."""
    length = float(np.linalg.norm(vector))
    if length < 1e-14:
        raise InvalidArgument(f"{element.label}: {name}", "a vector of length zero", "a direction")
    return vector / length


GEOMETRY_TYPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
"""Types of geoms in MuJoCo."""


def shape(context: Context, element: Element, kind: str) -> tuple[Shape, Array]:
    """Return the shape of a geom and its pose ``(4, 4)`` in the body."""
    if kind == "plane":
        return Plane(), pose(context, element)
    half_length, frame = None, None
    if "fromto" in element.attrib:
        if kind not in ("capsule", "cylinder", "box", "ellipsoid"):
            raise InvalidArgument(
                f"{element.label}: fromto", f"a {kind}", "a capsule, cylinder, box, ellipsoid"
            )
        ends = values(element, "fromto", 6).reshape(2, 3)
        # As in MuJoCo, the z axis points from the second end to the first.
        direction = ends[0] - ends[1]
        half_length = float(np.linalg.norm(direction)) / 2
        frame = se3.frame(rotation_to(normalize(element, "fromto", direction)), ends.mean(axis=0))
    full = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}[kind]
    size = values(element, "size", (full if half_length is None else 1, 3))
    if half_length is not None:
        radii = [size[0]] if full == 2 else [size[0], size[1] if size.size > 1 else size[0]]
        size = np.array([*radii, half_length])
    size = size[:full]
    if not np.all(size > 0):
        raise InvalidArgument(f"{element.label}: size", element.get("size", ""), "positive numbers")
    frame = pose(context, element) if frame is None else frame
    match kind:
        case "sphere":
            return Sphere(float(size[0])), frame
        case "capsule":
            return Capsule(float(size[0]), 2 * float(size[1])), frame
        case "cylinder":
            return Cylinder(float(size[0]), 2 * float(size[1])), frame
        case "box":
            return Box(2 * size), frame
    return Ellipsoid(size), frame
