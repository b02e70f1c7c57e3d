"""A scene as a still drawing, for pages without scripts: from back to front, earlier times fainter."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from rbnotes.arguments import Array
from rbnotes.viewer import camera as cameras
from rbnotes.viewer.camera import Camera
from rbnotes.viewer.shapes import COLORS, Shape

WIDTH = 640
"""Of the drawing, in its own units."""

GHOSTS = {0.0: 0.25, 0.5: 0.5, 1.0: 1.0}
"""Shares of the time that are drawn, and how opaque."""

SAMPLES = 24
"""Times that the picture has room for."""

AXES = ("red", "green", "blue")


@dataclass(frozen=True, eq=False)
class Placed:
    """A shape in a scene."""

    shape: Shape
    """What is drawn, in its own frame."""
    poses: Array
    """Of the frame in the world, ``(4, 4)`` or ``(T, 4, 4)``, m."""
    label: str = ""
    """Word beside it in the picture."""
    name: str = ""
    """What the legend says of its colour."""
    layer: str = ""
    """With which others it is switched on and off."""

    def pose(self, sample: int) -> Array:
        return self.poses[sample] if self.poses.ndim == 3 else self.poses

    def array(self, name: str, sample: int) -> Array:
        values = self.shape.arrays[name]
        return values[sample] if self.shape.samples is not None else values

    def points(self, sample: int) -> Array:
        """Points of its outline in the world (n, 3)."""
        pose = self.pose(sample)
        return _outline(self, sample) @ pose[:3, :3].T + pose[:3, 3]


def _outline(item: Placed, sample: int) -> Array:
    """Points in the shape's own frame that its picture is drawn from."""
    numbers, kind = item.shape.numbers, item.shape.kind
    match kind:
        case "box":
            return item.array("sides", sample) / 2 * _corners()
        case "sphere":
            return numbers["radius"] * _ball()
        case "capsule":
            end = np.array([0, 0, numbers["length"] / 2])
            ball = numbers["radius"] * _ball()
            return np.concatenate([ball + end, ball - end])
        case "cylinder":
            t = np.linspace(0, 2 * np.pi, 24, endpoint=False)
            rim = np.stack([numbers["radius"] * np.cos(t), numbers["radius"] * np.sin(t), 0 * t], axis=-1)
            end = np.array([0, 0, numbers["length"] / 2])
            return np.concatenate([rim + end, rim - end])
        case "axes":
            return np.vstack([np.zeros(3), numbers["length"] * np.eye(3)])
        case "ground":
            return numbers["size"] / 2 * np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0.0]])
        case "arrow":
            return np.stack([np.zeros(3), item.array("vector", sample)])
        case "mesh":
            return item.array("vertices", sample)
        case "spring":
            return _zigzag(item.array("ends", sample), numbers["radius"], int(numbers["coils"]))
    return item.array("points", sample)


def _corners() -> Array:
    return np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1]), dtype=float).reshape(3, -1).T


def _ball() -> Array:
    """Evenly spread points of the unit sphere."""
    k = np.arange(60) + 0.5
    level, turn = 1 - 2 * k / 60, np.pi * (1 + np.sqrt(5)) * k
    return np.stack(
        [np.sqrt(1 - level**2) * np.cos(turn), np.sqrt(1 - level**2) * np.sin(turn), level], axis=-1
    )


def _zigzag(ends: Array, radius: float, coils: int) -> Array:
    """A coil spring as it is drawn in a plane."""
    start, axis = ends[0], ends[1] - ends[0]
    helper = np.eye(3)[0 if abs(axis[2]) > 0.9 * np.linalg.norm(axis) else 2]
    side = np.cross(helper, axis)
    side *= radius / max(float(np.linalg.norm(side)), 1e-12)
    shares = 0.1 + 0.8 * (np.arange(2 * coils) + 0.5) / (2 * coils)
    teeth = start + shares[:, None] * axis + (-1.0) ** np.arange(2 * coils)[:, None] * side
    return np.vstack([start, start + 0.1 * axis, teeth, start + 0.9 * axis, ends[1]])


def extent(items: Sequence[Placed], samples: int) -> Array:
    """Points of all that moves, at all times (n, 3): what the camera must show."""
    times = np.unique(np.linspace(0, samples - 1, min(samples, SAMPLES)).astype(int))
    kept = [item for item in items if item.shape.kind != "ground"] or items
    return np.concatenate([np.zeros((0, 3)), *(item.points(time) for time in times for item in kept)])


def corners(points: Array) -> Array:
    """The corners of the convex hull of points (n, 2), in order, or (n, 3); all of them if it is flat."""
    if len(points) == 0:
        return points
    try:
        hull: Array = points[ConvexHull(points).vertices]
    except QhullError:
        return points
    return hull


def sketch(items: Sequence[Placed], samples: int, points: Array, view: Array, aspect: float) -> str:
    """The drawing as SVG."""
    camera = cameras.fit(points, view, aspect)
    height = WIDTH / aspect
    scale = height / (2 * np.tan(cameras.FIELD / 2))
    drawn: list[str] = []
    for share, opacity in GHOSTS.items() if samples > 1 else [(1.0, 1.0)]:
        sample = round(share * (samples - 1))
        moved = [item for item in items if opacity == 1.0 or item.poses.ndim == 3 or item.shape.samples]
        ordered = sorted(moved, key=lambda item: -_far(item, sample, camera))
        shapes = "".join(part for item in ordered for part in _draw(item, sample, camera, scale))
        drawn.append(f'<g opacity="{opacity:g}">{shapes}</g>')
    place = f"{-WIDTH / 2:g} {-height / 2:.1f} {WIDTH:g} {height:.1f}"
    return f'<svg viewBox="{place}" aria-hidden="true">{"".join(drawn)}</svg>'


def _far(item: Placed, sample: int, camera: Camera) -> float:
    if item.shape.kind == "ground":
        return np.inf
    return float(camera.depth(item.points(sample)).mean())


def _draw(item: Placed, sample: int, camera: Camera, scale: float) -> Iterator[str]:
    points = item.points(sample)
    seen = scale * camera.picture(points) * [1, -1]
    color = COLORS[item.shape.color]
    match item.shape.kind:
        case "box" | "sphere" | "capsule" | "cylinder" | "mesh":
            yield _polygon(corners(seen), color, filled=True)
        case "ground":
            yield _polygon(seen, color, filled=False)
        case "axes":
            for tip, axis in zip(seen[1:], AXES, strict=True):
                yield _polyline(np.stack([seen[0], tip]), COLORS[axis], 3.0)
        case "arrow":
            along = seen[1] - seen[0]
            if np.linalg.norm(along) > 1:
                u = along / np.linalg.norm(along)
                neck, across = seen[1] - 10 * u, 4 * np.array([-u[1], u[0]])
                yield _polyline(np.stack([seen[0], neck]), color, 3.0)
                yield _polygon(np.stack([seen[1], neck + across, neck - across]), color, filled=True)
        case _:
            yield _polyline(seen[:: max(1, len(seen) // 200)], color, item.shape.numbers["width"])
    if item.label:
        x, y = seen.mean(axis=0)
        yield f'<text x="{x:.0f}" y="{y:.0f}" fill="currentColor">{html.escape(item.label)}</text>'


def _listed(points: Array) -> str:
    return " ".join(f"{x:.0f},{y:.0f}" for x, y in points)


def _polygon(points: Array, color: str, *, filled: bool) -> str:
    fill = f'fill="{color}" fill-opacity="0.55"' if filled else 'fill="none" stroke-opacity="0.5"'
    return f'<polygon points="{_listed(points)}" {fill} stroke="{color}"/>'


def _polyline(points: Array, color: str, width: float) -> str:
    return f'<polyline points="{_listed(points)}" fill="none" stroke="{color}" stroke-width="{width:g}"/>'
