"""XML elements of robot files: numbers from and to attributes, with errors that name the element."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from rbnotes.arguments import MAX_ABS_VALUE, Array, InvalidArgument
from rbnotes.joints import EulerSpherical

UNBOUNDED = float(np.finfo(float).max)
"""Number for infinity where a file requires a number."""

_FIXED_AXES = EulerSpherical("ZYX")


def parse_xml(source: str | Path) -> ET.Element:
    """Return the root element of a file, or of its text, which begins with an angle bracket."""
    try:
        if isinstance(source, str) and source.lstrip().startswith("<"):
            return ET.fromstring(source.strip())
        return ET.parse(source).getroot()
    except ET.ParseError as error:
        raise InvalidArgument("source", f"XML with an error ({error})", "a well-formed file") from error
    except (ValueError, LookupError) as error:  # a name that no file has, or an unknown encoding
        raise InvalidArgument("source", f"a source that cannot be read ({error})", "a URDF file") from error


def child(context: str, element: ET.Element, tag: str) -> ET.Element:
    """Return the only child with a tag."""
    matches = element.findall(tag)
    if len(matches) != 1:
        raise InvalidArgument(context, f"{len(matches)} <{tag}> elements", "one")
    return matches[0]


def optional_child(context: str, element: ET.Element, tag: str) -> ET.Element | None:
    """Return the only child with a tag, or None if there is none."""
    if element.find(tag) is None:
        _refuse_other_case(context, tag, [each.tag for each in element])
        return None
    return child(context, element, tag)


def _refuse_other_case(context: str, name: str, names: Iterable[str]) -> None:
    """Refuse a name that differs from an absent one in capital letters only: it would be ignored."""
    for other in names:
        if other.lower() == name.lower():
            raise InvalidArgument(context, repr(other), repr(name))


def parse_numbers(text: str) -> list[float]:
    """Return the numbers of a text.

    Raises
    ------
    ValueError
        If a word is not a number of XML Schema; Python also reads ``1_000`` and digits of other scripts.
    """
    if "_" in text or not text.isascii():
        raise ValueError("digits or separators that XML does not have")
    return [float(word) for word in text.split()]


def attribute(context: str, element: ET.Element, name: str) -> str:
    """Return the text of an attribute."""
    value = element.get(name, "").strip()
    if not value:
        raise InvalidArgument(context, f"<{element.tag}> without {name!r}", "a value for it")
    return value


def numbers(
    context: str,
    element: ET.Element,
    name: str,
    count: int,
    default: str | None = None,
    *,
    below: float = MAX_ABS_VALUE,
) -> Array:
    """Return an attribute's numbers ``(count,)``, whose absolute values are less than ``below``."""
    return np.array(_floats(context, element, name, count, default, below))


def _floats(
    context: str, element: ET.Element, name: str, count: int, default: str | None, below: float
) -> list[float]:
    text = element.get(name, default)
    if name not in element.attrib:
        _refuse_other_case(f"{context}: {element.tag}", name, element.attrib)
    if text is None:
        raise InvalidArgument(context, f"<{element.tag}> without {name!r}", "a value for it")
    try:
        values = parse_numbers(text)
    except ValueError:
        values = []
    if len(values) != count or not all([abs(value) < below for value in values]):
        expected = ("one number" if count == 1 else f"{count} numbers") + f" smaller than {below:g}"
        raise InvalidArgument(f"{context}: {element.tag} {name}", repr(text), expected)
    return values


def number(context: str, element: ET.Element, name: str, default: str | None = None) -> float:
    """Return an attribute's only number."""
    return _floats(context, element, name, 1, default, MAX_ABS_VALUE)[0]


def bound(context: str, element: ET.Element, name: str, default: str | None = None) -> float:
    """Return an attribute's only number; infinite if it is at least ``UNBOUNDED``."""
    value = _floats(context, element, name, 1, default, np.inf)[0]
    return value if abs(value) < UNBOUNDED else float(np.copysign(np.inf, value))


def origin(context: str, element: ET.Element) -> Array:
    """Return the pose ``(4, 4)`` of an ``<origin xyz rpy>``: roll, pitch, yaw about the fixed x, y, z."""
    element_origin = optional_child(context, element, "origin")
    if element_origin is None:
        return np.eye(4)
    x, y, z = _floats(context, element_origin, "xyz", 3, "0 0 0", MAX_ABS_VALUE)
    rpy = _floats(context, element_origin, "rpy", 3, "0 0 0", MAX_ABS_VALUE)
    # Written out, because numpy takes ten times longer for one rotation.
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(angle), math.sin(angle)) for angle in rpy)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y],
            [-sp, cp * sr, cp * cr, z],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def add_origin(element: ET.Element, pose: Array) -> None:
    """Add an ``<origin>`` with a pose ``(4, 4)``, also at gimbal lock."""
    rpy = _FIXED_AXES.nearest_coordinates(pose)[::-1]
    ET.SubElement(element, "origin", xyz=format_numbers(pose[:3, 3]), rpy=format_numbers(rpy))


def format_numbers(values: Array | float) -> str:
    """Return numbers as text without rounding."""
    # Adding zero turns -0 into 0.
    return " ".join(repr(clip_to_finite(value) + 0.0) for value in np.atleast_1d(values).tolist())


def clip_to_finite(value: float) -> float:
    return float(np.clip(value, -UNBOUNDED, UNBOUNDED))


def format_document(root: ET.Element) -> str:
    """Return the text of a file."""
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"
