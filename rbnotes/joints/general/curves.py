"""Curves for joints: a point as a function of one coordinate, and the frame that the curve has there.

The frame has its z axis along the tangent, and its x axis as near to a given direction as that allows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument
from rbnotes.joints.general.differentiate import slopes
from rbnotes.joints.general.surfaces import bernstein, unit
from rbnotes.joints.general.symbols import Symbolic, coordinate, regular


@dataclass(frozen=True)
class Curve:
    """A smooth curve, and the usual range of its coordinate.

    Raises InvalidArgument if ``point`` is no function or ``low`` or ``high`` is no finite number.
    """

    name: str
    """What a joint along the curve is called after."""
    point: Callable[[Symbolic], Symbolic]
    """Coordinate to a point ``(3,)``, m, by arithmetic and numpy's functions alone."""
    low: float = 0.0
    """Where the usual range of the coordinate begins, in its unit."""
    high: float = 1.0
    """Where the usual range of the coordinate ends, in its unit."""

    def __post_init__(self) -> None:
        arguments.text("name", self.name)
        arguments.function("point", self.point, "s")
        low = arguments.real("low", self.low)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", arguments.real("high", self.high, minimum=low))

    def tangent(self, s: Symbolic) -> Symbolic:
        """Slope ``(3,)`` of the point, not of length one.

        Raises InvalidArgument if ``s`` is no finite number.
        """
        s = coordinate("s", s)
        with np.errstate(all="ignore"):
            return regular(slopes(lambda p: self.point(p[0]), np.array([s]))[:, 0], s=s)

    def frame(self, s: Symbolic, across: Symbolic) -> tuple[Symbolic, Symbolic]:
        """Axes ``(3, 3)``, one a column, and the point ``(3,)``; x is nearest to ``across (3,)``.

        Raises InvalidArgument if ``s`` is no finite number or ``across`` is not of unit length.
        """
        return self._frame(coordinate("s", s), _direction(across))

    def fold(self, s: Symbolic, across: Symbolic) -> Symbolic:
        """What is zero where the frame is singular: the sine between the tangent and the given direction.

        Raises InvalidArgument if ``s`` is no finite number or ``across`` is not of unit length.
        """
        return self._fold(coordinate("s", s), _direction(across))

    def _frame(self, s: Symbolic, across: Symbolic) -> tuple[Symbolic, Symbolic]:
        with np.errstate(all="ignore"):
            z = unit(self.tangent(s))
            x = unit(across - (across @ z) * z)
            axes = np.array([x, np.cross(z, x), z]).T
            return regular(axes, s=s, across=np.linalg.norm(across)), regular(self.point(s), s=s)

    def _fold(self, s: Symbolic, across: Symbolic) -> Symbolic:
        with np.errstate(all="ignore"):
            side = np.cross(unit(self.tangent(s)), across)
            return regular(np.sqrt(side @ side), s=s)


def _direction(across: Symbolic) -> Symbolic:
    return arguments.exactly("across", arguments.unit_vector("across", across), 1)


def circle(radius: float) -> Curve:
    """In the xy plane about the origin, m; the coordinate is the angle, rad.

    Raises InvalidArgument if ``radius`` is not positive.
    """
    radius = arguments.number("radius", radius)
    return Curve("circle", lambda s: radius * np.array([np.cos(s), np.sin(s), 0]), -np.pi, np.pi)


def bezier_curve(points: ArrayLike) -> Curve:
    """Over control points ``(n, 3)``, m: from the first at 0 to the last at 1.

    Beyond, the polynomial goes on.

    Raises
    ------
    InvalidArgument
        If there are fewer than 2 control points.
    """
    points = arguments.array("points", points, 3)
    if points.ndim != 2 or len(points) < 2:
        raise InvalidArgument("points", f"shape {points.shape}", "2 control points or more, shape (n, 3)")
    return Curve(
        "Bezier curve",
        lambda s: sum(w * p for w, p in zip(bernstein(len(points), s), points, strict=True)),
    )
