"""Curves for joints: a point as a function of one coordinate, and the frame of the curve there.

The z axis of the frame is the tangent, and its x axis is the perpendicular nearest to a reference direction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.joints.general.casadi_functions import jacobian
from rbnotes.joints.general.surfaces import bernstein_polynomials, normalize
from rbnotes.joints.general.symbols import Symbolic, check_coordinate, check_finite
from rbnotes.unchecked.frozen import set_fields


@dataclass(frozen=True)
class Curve:
    """Smooth curve and the usual range of its coordinate.

    Raises InvalidArgument if ``point`` is not a function or ``low`` or ``high`` is not a finite number.

    Attributes
    ----------
    name
        Name in messages and in the names of joints.
    point
        Function from the coordinate to a point ``(3,)``, m, of arithmetic and numpy functions.
    low
        Lower end of the usual range of the coordinate, in its unit.
    high
        Upper end of the usual range of the coordinate, in its unit.
    """

    name: str
    point: Callable[[Symbolic], Symbolic]
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        arguments.text("name", self.name)
        arguments.require_function("point", self.point, "s")
        low = arguments.real_number("low", self.low)
        set_fields(self, low=low, high=arguments.real_number("high", self.high, minimum=low))

    def tangent(self, s: Symbolic) -> Symbolic:
        """Return the derivative ``(3,)`` of the point, not of unit length.

        Raises InvalidArgument if ``s`` is not a finite number.
        """
        s = check_coordinate("s", s)
        with np.errstate(all="ignore"):
            return check_finite(jacobian(lambda p: self.point(p[0]), np.array([s]))[:, 0], s=s)

    def frame(self, s: Symbolic, reference_direction: Symbolic) -> tuple[Symbolic, Symbolic]:
        """Return the axes ``(3, 3)`` as columns and the point ``(3,)``; x is nearest to the reference.

        Raises InvalidArgument if ``s`` is not a finite number or ``reference_direction`` is not of unit
        length.
        """
        return self._frame(check_coordinate("s", s), _check_direction(reference_direction))

    def fold_margin(self, s: Symbolic, reference_direction: Symbolic) -> Symbolic:
        """Return the sine of the angle between tangent and reference: zero where the frame is singular.

        Raises InvalidArgument if ``s`` is not a finite number or ``reference_direction`` is not of unit
        length.
        """
        return self._fold_margin(check_coordinate("s", s), _check_direction(reference_direction))

    def _frame(self, s: Symbolic, reference_direction: Symbolic) -> tuple[Symbolic, Symbolic]:
        with np.errstate(all="ignore"):
            z = normalize(self.tangent(s))
            x = normalize(reference_direction - (reference_direction @ z) * z)
            axes = np.array([x, np.cross(z, x), z]).T
            return check_finite(
                axes, s=s, reference_direction=np.linalg.norm(reference_direction)
            ), check_finite(self.point(s), s=s)

    def _fold_margin(self, s: Symbolic, reference_direction: Symbolic) -> Symbolic:
        with np.errstate(all="ignore"):
            cross_product = np.cross(normalize(self.tangent(s)), reference_direction)
            return check_finite(np.sqrt(cross_product @ cross_product), s=s)


def _check_direction(reference_direction: Symbolic) -> Symbolic:
    return arguments.with_ndim(
        "reference_direction", arguments.unit_vector("reference_direction", reference_direction), 1
    )


def circle(radius: float) -> Curve:
    """Return a circle in the xy plane about the origin, m; the coordinate is the angle, rad.

    Raises InvalidArgument if ``radius`` is not positive.
    """
    radius = arguments.positive_number("radius", radius)
    return Curve("circle", partial(_circle_point, radius), -np.pi, np.pi)


def _circle_point(radius: float, s: Symbolic) -> Symbolic:
    return radius * np.array([np.cos(s), np.sin(s), 0])


def bezier_curve(points: ArrayLike) -> Curve:
    """Return the Bezier curve of control points ``(n, 3)``, m: from the first at 0 to the last at 1.

    The polynomial extends it beyond.

    Raises
    ------
    InvalidArgument
        If there are fewer than 2 control points.
    """
    points = arguments.array("points", points, 3)
    if points.ndim != 2 or len(points) < 2:
        raise InvalidArgument("points", f"shape {points.shape}", "2 control points or more, shape (n, 3)")
    return Curve("Bezier curve", partial(_bezier_point, points))


def _bezier_point(points: Array, s: Symbolic) -> Symbolic:
    return sum(w * p for w, p in zip(bernstein_polynomials(len(points), s), points, strict=True))
