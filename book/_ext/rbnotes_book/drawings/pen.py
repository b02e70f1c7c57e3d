"""Pen for schematic drawings: lines and areas as SVG, labels as formulas of the book.

Lengths are CSS pixels of a drawing of the width ``WIDTH``, which fits a phone; y points up. Colors are
classes of ``drawings.css``, so that a drawing follows the light and dark modes of the page. Labels lie over
the picture as HTML and keep their size when it shrinks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Points = NDArray[np.float64]

WIDTH = 360.0
HEAD = 9.0
"""Length of an arrow's head [px]."""


@dataclass(frozen=True)
class Label:
    """Text with formulas between dollars, ``side`` of a point: c(enter), l(eft), r(ight), t(op), b(ottom)."""

    text: str
    at: tuple[float, float]
    side: str
    color: str


@dataclass(frozen=True)
class View:
    """Parallel projection of space on the drawing: z up, seen from an azimuth and an elevation [rad]."""

    origin: tuple[float, float]
    scale: float
    azimuth: float = -1.0
    elevation: float = 0.4

    def matrix(self) -> Points:
        """Return the linear part (2, 3) of the projection."""
        a, e = self.azimuth, self.elevation
        right = [-np.sin(a), np.cos(a), 0.0]
        up = [-np.sin(e) * np.cos(a), -np.sin(e) * np.sin(a), np.cos(e)]
        return self.scale * np.array([right, up])

    def __call__(self, points: ArrayLike) -> Points:
        """Return the positions of points (..., 3) in the drawing."""
        projected: Points = np.asarray(points, dtype=float) @ self.matrix().T + self.origin
        return projected


@dataclass
class Pen:
    """Pen that collects the elements of a drawing.

    Attributes
    ----------
    height
        Height of the drawing.
    shapes
        Elements of SVG.
    labels
        Labels, which are placed last.
    arrows
        Tail and vector of each arrow by its label, so that tests can check its direction.
    """

    height: float
    shapes: list[str] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    arrows: dict[str, tuple[Points, Points]] = field(default_factory=dict)

    # --- lines ------------------------------------------------------------------------------------

    def line(self, points: ArrayLike, kind: str = "ink", *, closed: bool = False, curve: str = "") -> None:
        """Draw a polyline; ``curve`` adds classes such as ``dashed``, ``thin``, ``fill``."""
        listed = self._listed(np.asarray(points, dtype=float))
        tag = "polygon" if closed else "polyline"
        self.shapes.append(f'<{tag} class="{kind} {curve}" points="{listed}"/>')

    def arrow(
        self, tail: ArrayLike, vector: ArrayLike, kind: str = "ink", label: str = "", *, side: str = "",
        at: float = 1.0, off: float = 8.0, curve: str = "",
    ) -> None:  # fmt: skip
        """Draw an arrow; its label is ``off`` beside the point at the fraction ``at`` of its length."""
        start, along = np.asarray(tail, dtype=float), np.asarray(vector, dtype=float)
        length = float(np.linalg.norm(along))
        u = along / length
        across = np.array([-u[1], u[0]])
        tip, neck = start + along, start + along - HEAD * u
        self.line([start, neck + 1.0 * u], kind, curve=curve)
        self.line(
            [tip, neck + 0.42 * HEAD * across, neck - 0.42 * HEAD * across], kind, closed=True, curve="head"
        )
        if label:
            self.arrows[label] = (start, along)
            self.label(label, start + at * along, side or _side(u if at >= 1 else across), kind, off=off)

    def arc(
        self, center: ArrayLike, radius: float, start: float, end: float, kind: str = "ink", label: str = "",
        *, head: bool = True, curve: str = "thin",
    ) -> None:  # fmt: skip
        """Draw a circular arrow from one angle to another [rad]."""
        angles = np.linspace(start, end, 40)
        points = np.asarray(center) + radius * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        self.arrow_along(points, kind, head=head, curve=curve)
        if label:
            middle = (start + end) / 2
            u = np.array([np.cos(middle), np.sin(middle)])
            self.label(label, np.asarray(center) + radius * u, _side(u), kind, off=5)

    def arrow_along(
        self, points: ArrayLike, kind: str = "ink", *, head: bool = True, curve: str = "thin"
    ) -> None:
        """Draw a smooth arrow along many points."""
        path = np.asarray(points, dtype=float)
        self.line(path, kind, curve=curve)
        if head:
            u = path[-1] - path[-4]
            u = u / np.linalg.norm(u)
            across, tip = np.array([-u[1], u[0]]), path[-1] + 3 * u
            neck = tip - 0.9 * HEAD * u
            self.line(
                [tip, neck + 0.38 * HEAD * across, neck - 0.38 * HEAD * across],
                kind,
                closed=True,
                curve="head",
            )

    def curved_arrow(
        self, start: ArrayLike, end: ArrayLike, height: float, kind: str = "ink", label: str = "", **how: Any
    ) -> None:
        """Draw a curved arrow that bulges by ``height``, to the left if positive."""
        a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
        t = np.linspace(0, 1, 40)[:, None]
        across = np.array([-(b - a)[1], (b - a)[0]]) / np.linalg.norm(b - a)
        path = a + t * (b - a) + 4 * height * t * (1 - t) * across
        self.arrow_along(path, kind, **how)
        if label:
            self.label(label, path[20], _side(np.sign(height) * across), kind, off=6)

    def spring(
        self, start: ArrayLike, end: ArrayLike, kind: str = "ink", coils: int = 7, radius: float = 7.0
    ) -> None:
        """Draw a zigzag between two points."""
        a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
        u = (b - a) / np.linalg.norm(b - a)
        across = np.array([-u[1], u[0]])
        points = [a, a + 0.15 * (b - a)]
        for k in range(2 * coils):
            fraction = 0.15 + 0.7 * (k + 0.5) / (2 * coils)
            points.append(a + fraction * (b - a) + (-1) ** k * radius * across)
        self.line([*points, a + 0.85 * (b - a), b], kind, curve="thin")

    # --- areas ------------------------------------------------------------------------------------

    def body(self, center: ArrayLike, size: tuple[float, float], angle: float = 0.0, kind: str = "a") -> None:
        """Draw a body: a rounded shape that is not a circle."""
        t = np.linspace(0, 2 * np.pi, 60, endpoint=False)
        r = 1 + 0.07 * np.cos(2 * t + 0.6) + 0.05 * np.cos(3 * t)
        shape = np.stack([size[0] * r * np.cos(t), size[1] * r * np.sin(t)], axis=-1)
        self.line(
            np.asarray(center) + shape @ rotation_matrix(angle).T, f"body-{kind}", closed=True, curve="fill"
        )

    def bar(self, start: ArrayLike, end: ArrayLike, width: float, kind: str = "a") -> None:
        """Draw a link with round ends."""
        a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
        angle = float(np.arctan2(*(b - a)[::-1]))
        t = np.linspace(np.pi / 2, 3 * np.pi / 2, 16)
        cap = width / 2 * np.stack([np.cos(t), np.sin(t)], axis=-1)
        outline = np.concatenate([a + cap @ rotation_matrix(angle).T, b - cap @ rotation_matrix(angle).T])
        self.line(outline, f"body-{kind}", closed=True, curve="fill")

    def box(self, corner: ArrayLike, size: tuple[float, float], kind: str = "body-a") -> None:
        """Draw an upright rectangle from its lower left corner."""
        x, y = np.asarray(corner, dtype=float)
        w, h = size
        self.line([[x, y], [x + w, y], [x + w, y + h], [x, y + h]], kind, closed=True, curve="fill")

    def circle(self, center: ArrayLike, radius: float, kind: str = "ink", curve: str = "thin") -> None:
        t = np.linspace(0, 2 * np.pi, 72, endpoint=False)
        points = np.asarray(center) + radius * np.stack([np.cos(t), np.sin(t)], axis=-1)
        self.line(points, kind, closed=True, curve=curve)

    def dot(self, center: ArrayLike, kind: str = "ink", radius: float = 3.4) -> None:
        self.circle(center, radius, kind, "head")

    def ground(self, start: ArrayLike, end: ArrayLike, *, pitch: float = 9.0) -> None:
        """Draw the ground: a line from start to end, hatched on its left side."""
        a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
        u = (b - a) / np.linalg.norm(b - a)
        into = np.array([-u[1], u[0]])
        self.line([a, b], "world")
        for s in np.arange(pitch, np.linalg.norm(b - a) + 1, pitch):
            self.line([a + s * u, a + (s - 7) * u + 7 * into], "world", curve="thin")

    # --- frames and words -----------------------------------------------------------------------

    def frame(
        self,
        origin: ArrayLike,
        angle: float,
        name: str = "",
        *,
        length: float = 34.0,
        side: str = "b",
        off: float = 9.0,
    ) -> None:
        """Draw a frame: x axis red, y axis green, and a dot for the z axis."""
        at = np.asarray(origin, dtype=float)
        axes = rotation_matrix(angle).T * length
        self.arrow(at, axes[0], "x")
        self.arrow(at, axes[1], "y")
        self.dot(at, "z")
        if name:
            self.label(name, at, side, off=off)

    def label(
        self, text: str, at: ArrayLike, side: str = "c", color: str = "ink", *, off: float = 0.0
    ) -> None:
        step = {"c": (0, 0), "l": (-1, 0), "r": (1, 0), "t": (0, 1), "b": (0, -1)}[side]
        x, y = np.asarray(at, dtype=float) + off * np.array(step)
        self.labels.append(Label(text, (float(x), float(y)), side, color))

    def svg(self) -> str:
        size = f"0 0 {WIDTH:g} {self.height:g}"
        return f'<svg viewBox="{size}" aria-hidden="true" focusable="false">{"".join(self.shapes)}</svg>'

    def _listed(self, points: Points) -> str:
        return " ".join(f"{x:.1f},{self.height - y:.1f}" for x, y in points)


def rotation_matrix(angle: float) -> Points:
    """Return the rotation matrix of the plane, (2, 2)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


def unit(vector: Sequence[float] | Points) -> Points:
    """Return a vector's direction."""
    v = np.asarray(vector, dtype=float)
    direction: Points = v / np.linalg.norm(v)
    return direction


def _side(u: Points) -> str:
    """Return the side of a point on which a label in a given direction is."""
    if abs(u[0]) > abs(u[1]):
        return "r" if u[0] > 0 else "l"
    return "t" if u[1] > 0 else "b"
