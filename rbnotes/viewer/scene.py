"""Animated 3-D scenes for the pages of the book and for notebooks.

A page of the book loads the player once, and a scene contains only data. A notebook has no such page; there
the scene includes the player in an iframe. The player is JavaScript, bundled into ``scene-player.js`` next to
this file when the book or a wheel is built; without it a scene shows its description.
"""

from __future__ import annotations

import base64
import html
import json
import os
from copy import copy
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.viewer import camera, sketch
from rbnotes.viewer.shapes import COLORS, Drawable, arrow_scale
from rbnotes.viewer.sketch import SceneItem

PAGE_HAS_PLAYER = "RBNOTES_PAGE_HAS_PLAYER"
"""Environment variable that is set if the page of the outputs loads the player itself."""

PAGE_STYLE = (
    ":root{color-scheme:light dark}body{margin:0 auto;max-width:60rem;padding:0.5rem;"
    "font-family:system-ui,sans-serif}figure{margin:0}"
)
"""Style of the page of one scene, for light and dark screens."""

FRAME_HEIGHT = 580
"""Height of the iframe of a scene in a notebook, px."""

ASPECT_RATIO_LIMITS = (1.2, 2.6)
"""Smallest and largest ratio of width to height of a picture."""

DEFAULT_LAYERS = {"axes": "frames", "arrow": "forces"}
"""Default layers of shapes, which have a switch."""

SOLIDS = ("box", "sphere", "cylinder", "capsule", "mesh")
"""Kinds of shapes that have faces."""


class Scene:
    """Shapes with poses, constant or over time.

    Parameters
    ----------
    description
        Sentence that describes the scene, for readers who cannot see it.
    times
        Increasing sample times ``(T,)``, s; None for a still scene.
    view
        Direction to the camera: azimuth about z from x, and elevation, rad.
    poster
        Time that the scene shows before it plays, s; the first of ``times`` by default.

    Raises
    ------
    InvalidArgument
        If the shape of ``times`` or ``view`` does not fit, or ``poster`` is not within ``times``.
    """

    def __init__(
        self,
        description: str,
        times: ArrayLike | None = None,
        *,
        view: tuple[float, float] = (-1.0, 0.4),
        poster: float | None = None,
    ) -> None:
        if not arguments.text("description", description).strip():
            raise InvalidArgument("description", "no text", "a sentence that describes the scene")
        self.description = description
        self.times = None if times is None else arguments.single_vector("times", times, None)
        if self.times is not None and (len(self.times) < 2 or np.any(np.diff(self.times) <= 0)):
            got = f"{len(self.times)} times, not all increasing"
            raise InvalidArgument("times", got, "at least two increasing times (T,)")
        self.view = arguments.single_vector("view", view, 2)
        self.poster = None if poster is None else arguments.real_number("poster", poster)
        if self.poster is not None and (
            self.times is None or not self.times[0] <= self.poster <= self.times[-1]
        ):
            raise InvalidArgument("poster", f"{self.poster:g} s", "a time within the times of the scene")
        self._items: list[SceneItem] = []
        self._extent: Array | None = None

    def add(
        self,
        shape: Drawable,
        pose: ArrayLike | None = None,
        *,
        label: str = "",
        name: str = "",
        layer: str | None = None,
        strobe: int = 0,
    ) -> Scene:
        """Add a shape at a pose of its frame in the world and return the scene.

        Parameters
        ----------
        shape
            Shape to add.
        pose : (4, 4) or (T, 4, 4)
            Pose, m; the identity by default.
        label
            Text shown beside the shape.
        name
            Text of the legend for the color of the shape.
        layer
            Layer of the shape, which has a switch below the picture. By default axes are in the layer
            "frames" and arrows in "forces"; "" has no switch.
        strobe
            Number of faint copies of a moving solid at equally spaced times, for a motion at a glance.

        Raises
        ------
        InvalidArgument
            If a pose is not a rigid transformation, or its time axis does not have the length of ``times``,
            or ``strobe`` is positive for what does not move or is not solid.
        """
        arguments.require_instance("shape", shape, Drawable)
        poses = arguments.frame("pose", np.eye(4) if pose is None else pose)
        if poses.ndim > 3:
            raise InvalidArgument("pose", f"shape {poses.shape}", "shape (4, 4) or (T, 4, 4)")
        self._check_samples("pose", len(poses) if poses.ndim == 3 else None)
        self._check_samples(shape.kind, shape.samples)
        for key, text in (("label", label), ("name", name), ("layer", layer or "")):
            arguments.require_instance(key, text, str)
        if arguments.count("strobe", strobe, minimum=0) and (shape.kind not in SOLIDS or poses.ndim == 2):
            raise InvalidArgument("strobe", f"{strobe} copies of a {shape.kind}", "a moving solid, or 0")
        chosen = DEFAULT_LAYERS.get(shape.kind, "") if layer is None else layer
        self._items.append(SceneItem(shape, poses, label, name, chosen, strobe))
        return self

    def _check_samples(self, name: str, samples: int | None) -> None:
        expected = 0 if self.times is None else len(self.times)
        if samples is not None and samples != expected:
            raise InvalidArgument(name, f"{samples} samples", f"{expected}, as the scene has times")

    @property
    def extent(self) -> Array:
        """Points ``(n, 3)``, m, that the camera shows: all except the ground, at all times."""
        if self._extent is None:
            return sketch.scene_extent(self._drawn_items(), self._sample_count)
        return self._extent

    def _drawn_items(self) -> list[SceneItem]:
        """Return the shapes in m: arrows in another unit at its scale, and the longest one in their layer."""
        units = {item.shape.unit for item in self._items} - {"m"}
        if not units:
            return self._items
        solids = [item for item in self._items if item.shape.unit == "m"]
        points = sketch.scene_extent(solids, self._sample_count) if self._extent is None else self._extent
        size = float(np.linalg.norm(np.ptp(points, axis=0))) if len(points) else 1.0
        magnitudes = {unit: self._magnitudes(unit) for unit in units}
        return [
            item if item.shape.unit == "m" else _scale_arrow(item, magnitudes[item.shape.unit], size)
            for item in self._items
        ]

    def _magnitudes(self, unit: str) -> Array:
        """Return the magnitudes of all vectors of a unit, at all times."""
        arrows = [item.shape for item in self._items if item.shape.unit == unit]
        vectors = np.concatenate([each.arrays["vector"].reshape(-1, 3) for each in arrows])
        magnitudes: Array = np.linalg.norm(vectors, axis=1)
        return magnitudes

    def with_extent(self, extent: ArrayLike) -> Scene:
        """Return the scene with a camera that shows points ``(n, 3)``, m, such as those of another scene.

        Raises
        ------
        InvalidArgument
            If the shape of ``extent`` does not fit.
        """
        result = copy(self)
        result._extent = sketch.hull_corners(
            arguments.with_ndim("extent", arguments.vector("extent", extent), 2)
        )
        return result

    @property
    def _sample_count(self) -> int:
        return 1 if self.times is None else len(self.times)

    @property
    def _poster_sample(self) -> int:
        """Return the sample that a drawing shows in full: that of the poster, or else the last."""
        if self.poster is None or self.times is None:
            return self._sample_count - 1
        return int(np.argmin(np.abs(self.times - self.poster)))

    def to_json(self) -> str:
        """Return the scene as JSON for the player: numbers, and arrays as base64 of little-endian float32."""
        data: dict[str, Any] = {"description": self.description, "view": self.view.tolist()}
        if self.poster is not None:
            data["poster"] = self.poster
        if self._extent is not None:
            data["extent"] = _encode(self._extent)
        data["items"] = [_as_data(item) for item in self._drawn_items()]
        if self.times is not None:
            data["times"] = _encode(self.times)
        return json.dumps(data, separators=(",", ":"))

    def to_html(self, *, caption: bool = True) -> str:
        """Return HTML for a page that loads the player, with a still drawing for pages without scripts.

        :meth:`save` writes a whole page.
        """
        data = self.to_json().replace("<", "\\u003c")  # the data cannot end the script element
        points = self.extent
        aspect = (
            float(np.clip(camera.aspect_ratio(points, self.view), *ASPECT_RATIO_LIMITS))
            if len(points)
            else ASPECT_RATIO_LIMITS[1]
        )
        static_svg = (
            sketch.draw_scene(self._drawn_items(), self._poster_sample, points, self.view, aspect)
            if len(points)
            else ""
        )
        caption_html = f"<figcaption>{html.escape(self.description)}</figcaption>" if caption else ""
        return (
            f'<figure class="rbnotes-scene" style="--aspect:{aspect:.2f}">'
            f'<script type="application/json">{data}</script><noscript>{static_svg}</noscript>'
            f"{caption_html}</figure>"
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the scene as one page that needs no other file and no network.

        Parameters
        ----------
        path
            File to write, such as ``"run.html"``.

        Raises
        ------
        InvalidArgument
            If ``path`` is not a path.
        FileNotFoundError
            If the folder does not exist, or this installation lacks the player.
        """
        if not isinstance(path, str | os.PathLike):
            raise InvalidArgument("path", type(path).__name__, "the path of a file")
        Path(path).write_text(standalone_page(self.to_html(), self.description), encoding="utf-8")

    def _repr_html_(self) -> str:
        if os.environ.get(PAGE_HAS_PLAYER):
            return self.to_html()
        return embed_in_iframe(self.to_html(), self.description)

    def __repr__(self) -> str:
        duration_text = "still" if self.times is None else f"{len(self.times)} times"
        return f"<Scene: {len(self._items)} shapes, {duration_text}: {self.description}>"


def embed_in_iframe(picture: str, description: str) -> str:
    """Return a scene or slider with the player in an iframe, for pages that do not load the player."""
    try:
        page = standalone_page(picture, description)
    except FileNotFoundError:
        return f"<p>3-D scene: {html.escape(description)} (This installation lacks the player.)</p>"
    return (
        f'<iframe srcdoc="{html.escape(page)}" title="{html.escape(description)}" '
        f'style="width:100%;height:{FRAME_HEIGHT}px;border:0"></iframe>'
    )


def standalone_page(picture: str, title: str) -> str:
    """Return a whole page with a scene or slider and the player.

    Raises
    ------
    FileNotFoundError
        If this installation lacks the player.
    """
    player = resources.files("rbnotes.viewer") / "scene-player.js"
    if not player.is_file():
        raise FileNotFoundError(
            "rbnotes/viewer/scene-player.js: this installation lacks the player of scenes"
        )
    script = player.read_text(encoding="utf-8").replace("</script", "<\\/script")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{PAGE_STYLE}</style></head>"
        f"<body>{picture}<script>{script}</script></body></html>"
    )


def _scale_arrow(item: SceneItem, magnitudes: Array, size: float) -> SceneItem:
    """Return an arrow in m, given the magnitudes of all arrows of its unit and the size of the scene, m."""
    scale, unit = arrow_scale(magnitudes, size), item.shape.unit
    shape = replace(item.shape, arrays={"vector": scale * item.shape.arrays["vector"]}, unit="m")
    layer = f"{item.layer} up to {magnitudes.max():.3g} {unit}" if item.layer else ""
    return replace(item, shape=shape, layer=layer)


def _as_data(item: SceneItem) -> dict[str, Any]:
    """Return the data of a shape for the player."""
    shape = item.shape
    captions = {"label": item.label, "name": item.name, "layer": item.layer}
    return {
        "kind": shape.kind,
        "color": COLORS[shape.color],
        "moves": shape.samples is not None,
        **{key: text for key, text in captions.items() if text},
        **({"strobe": item.strobe} if item.strobe else {}),
        **shape.parameters,
        "poses": _encode(_as_position_and_quaternion(item.poses)),
        **{name: _encode(values) for name, values in shape.arrays.items()},
    }


def _as_position_and_quaternion(poses: Array) -> Array:
    """Return poses as rows (x, y, z, qx, qy, qz, qw): half the numbers, which the player can interpolate."""
    orientation = Rotation.from_matrix(poses[..., :3, :3]).as_quat()
    return np.concatenate([poses[..., :3, 3], orientation], axis=-1)


def _encode(values: Array) -> str:
    return base64.b64encode(values.astype("<f4").tobytes()).decode("ascii")
