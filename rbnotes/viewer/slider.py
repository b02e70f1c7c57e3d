"""Slider that selects among scenes or figures computed before, one for each value of a parameter."""

from __future__ import annotations

import base64
import html
import io
import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.viewer.scene import PAGE_HAS_PLAYER, Scene, embed_in_iframe

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Slider:
    """Pictures for several values of a parameter, selected by a slider.

    Pages without scripts show the picture of ``initial_value``.

    Parameters
    ----------
    description
        Sentence that describes the pictures and their differences.
    parameter
        Name of the parameter, such as "step size h".
    pictures
        A :class:`Scene` or a matplotlib figure for each value in its unit, in the order of the slider. All
        scenes have the same camera, so that they can be compared; figures are closed.
    unit
        Unit of the values; "" if they have none.
    initial_value
        Value that is shown first, in that unit; by default the first one.

    Raises
    ------
    InvalidArgument
        If there are fewer than two pictures, or ``initial_value`` is not one of the values.
    """

    def __init__(
        self,
        description: str,
        parameter: str,
        pictures: Mapping[float, Scene | Figure],
        *,
        unit: str = "",
        initial_value: float | None = None,
    ) -> None:
        self.description = arguments.text("description", description)
        self.parameter = arguments.text("parameter", parameter)
        arguments.require_instance("unit", unit, str)
        arguments.require_instance("pictures", pictures, Mapping)
        if len(pictures) < 2:
            raise InvalidArgument("pictures", f"{len(pictures)} of them", "at least two pictures by value")
        for picture in pictures.values():
            arguments.require_methods(
                "pictures", picture, "to_html" if isinstance(picture, Scene) else "savefig"
            )
        self.values = [arguments.real_number("pictures", value) for value in pictures]
        first = (
            self.values[0] if initial_value is None else arguments.real_number("initial_value", initial_value)
        )
        if first not in self.values:
            raise InvalidArgument("initial_value", repr(initial_value), f"one of {self.values}")
        self.initial_index = self.values.index(first)
        self.value_labels = [f"{value:g} {unit}".strip() for value in self.values]
        scenes = [picture for picture in pictures.values() if isinstance(picture, Scene)]
        common_extent = np.concatenate([np.zeros((0, 3)), *(scene.extent for scene in scenes)])
        self._pictures_html = [
            self._picture_html(picture, value_label, common_extent)
            for picture, value_label in zip(pictures.values(), self.value_labels, strict=True)
        ]

    def _picture_html(self, picture: Scene | Figure, value_label: str, common_extent: Array) -> str:
        """Return a scene, or a figure as an image with alternative text."""
        if isinstance(picture, Scene):
            return picture.with_extent(common_extent).to_html(caption=False)
        import matplotlib.pyplot as plt

        svg_buffer = io.BytesIO()
        picture.savefig(svg_buffer, format="svg", metadata={"Date": None})
        plt.close(picture)  # otherwise the notebook shows it again
        alt = html.escape(f"{self.description} Here {self.parameter} is {value_label}.")
        svg = base64.b64encode(svg_buffer.getvalue()).decode()
        return f'<img alt="{alt}" src="data:image/svg+xml;base64,{svg}">'

    def to_html(self) -> str:
        """Return all pictures, of which one is shown, for a page that loads the player."""
        pictures_html = "".join(
            f'<div class="choice"{"" if k == self.initial_index else " hidden"}>{picture}</div>'
            for k, picture in enumerate(self._pictures_html)
        )
        value_text = html.escape(f" Here {self.parameter} is {self.value_labels[self.initial_index]}.")
        return (
            f'<figure class="rbnotes-slider" data-parameter="{html.escape(self.parameter)}" '
            f'data-words="{html.escape(json.dumps(self.value_labels))}">{pictures_html}'
            f"<figcaption>{html.escape(self.description)}<noscript>{value_text}</noscript></figcaption></figure>"
        )

    def _repr_html_(self) -> str:
        return (
            self.to_html()
            if os.environ.get(PAGE_HAS_PLAYER)
            else embed_in_iframe(self.to_html(), self.description)
        )

    def __repr__(self) -> str:
        return f"<Slider: {self.parameter} of {', '.join(self.value_labels)}: {self.description}>"
