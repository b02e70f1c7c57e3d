"""Still drawing of a scene for pages without scripts: from back to front, earlier times fainter."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from rbnotes.arguments import Array
from rbnotes.viewer import camera as cameras
from rbnotes.viewer.camera import Camera
from rbnotes.viewer.shapes import COLORS, Drawable

DRAWING_WIDTH = 640
"""Width of the drawing in its own units."""

EARLIER_OPACITIES = {0.0: 0.25, 0.5: 0.5}
"""Fractions of the time before the poster that are drawn, with their opacities."""

STROBE_OPACITY = 0.4
"""Opacity of the copies of a strobe."""

MAX_SAMPLES = 24
"""Largest number of times from which the extent of the picture is computed."""

AXIS_COLORS = ("red", "green", "blue")


@dataclass(frozen=True, eq=False)
class SceneItem:
    """Shape in a scene, with its poses and labels.

    Attributes
    ----------
    shape
        Shape, drawn in its own frame.
    poses
        Poses of the frame in the world, ``(4, 4)`` or ``(T, 4, 4)``, m.
    label
        Text beside the shape.
    name
        Text of the legend for its color.
    layer
        Layer with which it is switched on and off.
    strobe
        Number of faint copies at equally spaced times.
    """

    shape: Drawable
    poses: Array
    label: str = ""
    name: str = ""
    layer: str = ""
    strobe: int = 0

    def pose_at(self, sample: int) -> Array:
        """Return the pose at a sample of the time."""
        return self.poses[sample] if self.poses.ndim == 3 else self.poses

    def array_at(self, name: str, sample: int) -> Array:
        """Return an array of the shape at a sample of the time."""
        values = self.shape.arrays[name]
        return values[sample] if self.shape.samples is not None else values

    def points_at(self, sample: int) -> Array:
        """Return the points of the outline in the world ``(n, 3)``."""
        pose = self.pose_at(sample)
        return _outline(self, sample) @ pose[:3, :3].T + pose[:3, 3]


def _outline(item: SceneItem, sample: int) -> Array:
    """Return the points of the outline in the frame of the shape."""
    numbers, kind = item.shape.parameters, item.shape.kind
    match kind:
        case "box":
            return item.array_at("sides", sample) / 2 * _box_corners()
        case "sphere":
            return numbers["radius"] * _sphere_points()
        case "capsule":
            end = np.array([0, 0, numbers["length"] / 2])
            ball = numbers["radius"] * _sphere_points()
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
            return np.stack([np.zeros(3), item.array_at("vector", sample)])
        case "mesh":
            return item.array_at("vertices", sample)
        case "spring":
            return _zigzag(item.array_at("ends", sample), numbers["radius"], int(numbers["coils"]))
    return item.array_at("points", sample)


def _box_corners() -> Array:
    return np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1]), dtype=float).reshape(3, -1).T


def _sphere_points() -> Array:
    """Return evenly distributed points of the unit sphere."""
    k = np.arange(60) + 0.5
    level, angle = 1 - 2 * k / 60, np.pi * (1 + np.sqrt(5)) * k
    return np.stack(
        [np.sqrt(1 - level**2) * np.cos(angle), np.sqrt(1 - level**2) * np.sin(angle), level], axis=-1
    )


def _zigzag(ends: Array, radius: float, coils: int) -> Array:
    """Return a planar drawing of a coil spring."""
    start, axis = ends[0], ends[1] - ends[0]
    not_parallel = np.eye(3)[0 if abs(axis[2]) > 0.9 * np.linalg.norm(axis) else 2]
    side = np.cross(not_parallel, axis)
    side *= radius / max(float(np.linalg.norm(side)), 1e-12)
    fractions = 0.1 + 0.8 * (np.arange(2 * coils) + 0.5) / (2 * coils)
    teeth = start + fractions[:, None] * axis + (-1.0) ** np.arange(2 * coils)[:, None] * side
    return np.vstack([start, start + 0.1 * axis, teeth, start + 0.9 * axis, ends[1]])


def scene_extent(items: Sequence[SceneItem], samples: int) -> Array:
    """Return the points ``(n, 3)`` of all that moves, at all times, which the camera must show."""
    times = np.unique(np.linspace(0, samples - 1, min(samples, MAX_SAMPLES)).astype(int))
    finite_items = [item for item in items if item.shape.kind != "ground"] or items
    return np.concatenate(
        [np.zeros((0, 3)), *(item.points_at(time) for time in times for item in finite_items)]
    )


def hull_corners(points: Array) -> Array:
    """Return the corners of the convex hull of points ``(n, 2)``, counter-clockwise, or ``(n, 3)``."""
    if len(points) == 0:
        return points
    try:
        hull: Array = points[ConvexHull(points).vertices]
    except QhullError:
        return points
    return hull


def draw_scene(items: Sequence[SceneItem], poster: int, points: Array, view: Array, aspect: float) -> str:
    """Return the drawing as SVG: sample ``poster`` in full, and fainter what came before it."""
    camera = cameras.fit_camera(points, view, aspect)
    height = DRAWING_WIDTH / aspect
    scale = height / (2 * np.tan(cameras.FIELD_OF_VIEW / 2))
    strobed = [item for item in items if item.strobe]
    groups = [
        ([item], round(sample), STROBE_OPACITY)
        for item in strobed
        for sample in np.linspace(0, len(item.poses) - 1, item.strobe)
    ]
    moving = [item for item in items if (item.poses.ndim == 3 or item.shape.samples) and not item.strobe]
    earlier = EARLIER_OPACITIES if poster else {}
    groups += [(moving, round(fraction * poster), opacity) for fraction, opacity in earlier.items()]
    svg_groups = [
        f'<g opacity="{opacity:g}">{_draw_group(group, sample, camera, scale)}</g>'
        for group, sample, opacity in [*groups, (list(items), poster, 1.0)]
        if group
    ]
    view_box = f"{-DRAWING_WIDTH / 2:g} {-height / 2:.1f} {DRAWING_WIDTH:g} {height:.1f}"
    return f'<svg viewBox="{view_box}" aria-hidden="true">{"".join(svg_groups)}</svg>'


def _draw_group(items: Sequence[SceneItem], sample: int, camera: Camera, scale: float) -> str:
    """Return the SVG elements of items at a sample, from back to front."""
    ordered = sorted(items, key=lambda item: -_mean_depth(item, sample, camera))
    return "".join(element for item in ordered for element in _draw(item, sample, camera, scale))


def _mean_depth(item: SceneItem, sample: int, camera: Camera) -> float:
    if item.shape.kind == "ground":
        return np.inf
    return float(camera.depth(item.points_at(sample)).mean())


def _draw(item: SceneItem, sample: int, camera: Camera, scale: float) -> Iterator[str]:
    """Yield the SVG elements of an item at a sample."""
    points = item.points_at(sample)
    image_points = scale * camera.project(points) * [1, -1]
    color = COLORS[item.shape.color]
    match item.shape.kind:
        case "box" | "sphere" | "capsule" | "cylinder" | "mesh":
            yield _polygon(hull_corners(image_points), color, filled=True)
        case "ground":
            yield _polygon(image_points, color, filled=False)
        case "axes":
            for tip, axis in zip(image_points[1:], AXIS_COLORS, strict=True):
                yield _polyline(np.stack([image_points[0], tip]), COLORS[axis], 3.0)
        case "arrow":
            arrow_vector = image_points[1] - image_points[0]
            if np.linalg.norm(arrow_vector) > 1:
                u = arrow_vector / np.linalg.norm(arrow_vector)
                neck, half_width_vector = image_points[1] - 10 * u, 4 * np.array([-u[1], u[0]])
                yield _polyline(np.stack([image_points[0], neck]), color, 3.0)
                yield _polygon(
                    np.stack([image_points[1], neck + half_width_vector, neck - half_width_vector]),
                    color,
                    filled=True,
                )
        case _:
            yield _polyline(
                image_points[:: max(1, len(image_points) // 200)], color, item.shape.parameters["width"]
            )
    if item.label:
        x, y = image_points.mean(axis=0)
        yield f'<text x="{x:.0f}" y="{y:.0f}" fill="currentColor">{html.escape(item.label)}</text>'


def _format_points(points: Array) -> str:
    return " ".join(f"{x:.0f},{y:.0f}" for x, y in points)


def _polygon(points: Array, color: str, *, filled: bool) -> str:
    fill = f'fill="{color}" fill-opacity="0.55"' if filled else 'fill="none" stroke-opacity="0.5"'
    return f'<polygon points="{_format_points(points)}" {fill} stroke="{color}"/>'


def _polyline(points: Array, color: str, width: float) -> str:
    return (
        f'<polyline points="{_format_points(points)}" fill="none" stroke="{color}" stroke-width="{width:g}"/>'
    )
