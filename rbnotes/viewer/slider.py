"""One parameter and what each of its values gives: a slider picks among scenes or figures computed before."""

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
from rbnotes.viewer.scene import PAGE_HAS_PLAYER, Scene, framed

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Slider:
    """Pictures of one thing for several values of a parameter.

    Without scripts the picture of ``start`` is shown.

    Parameters
    ----------
    description
        What the pictures show and what to look for, in a sentence.
    parameter
        Its name, such as "step size h".
    pictures
        A :class:`Scene` or a matplotlib figure for each value in its unit, in the order of the slider. Scenes
        are seen from one place, so that they can be compared; figures are closed.
    unit
        Of the values; "" if they have none.
    start
        The value that is shown first, in that unit; the first one if left out.

    Raises
    ------
    InvalidArgument
        If there are fewer than two pictures, or ``start`` is none of the values.
    """

    def __init__(
        self,
        description: str,
        parameter: str,
        pictures: Mapping[float, Scene | Figure],
        *,
        unit: str = "",
        start: float | None = None,
    ) -> None:
        self.description = arguments.text("description", description)
        self.parameter = arguments.text("parameter", parameter)
        arguments.instance("unit", unit, str)
        arguments.instance("pictures", pictures, Mapping)
        if len(pictures) < 2:
            raise InvalidArgument("pictures", f"{len(pictures)} of them", "at least two pictures by value")
        for picture in pictures.values():
            arguments.provides("pictures", picture, "to_html" if isinstance(picture, Scene) else "savefig")
        self.values = [arguments.real("pictures", value) for value in pictures]
        first = self.values[0] if start is None else arguments.real("start", start)
        if first not in self.values:
            raise InvalidArgument("start", repr(start), f"one of {self.values}")
        self.start = self.values.index(first)
        self.words = [f"{value:g} {unit}".strip() for value in self.values]
        scenes = [picture for picture in pictures.values() if isinstance(picture, Scene)]
        common = np.concatenate([np.zeros((0, 3)), *(scene.extent for scene in scenes)])
        self._shown = [
            self._html(picture, words, common)
            for picture, words in zip(pictures.values(), self.words, strict=True)
        ]

    def _html(self, picture: Scene | Figure, words: str, common: Array) -> str:
        if isinstance(picture, Scene):
            return picture.showing(common).to_html(caption=False)
        import matplotlib.pyplot as plt

        drawn = io.BytesIO()
        picture.savefig(drawn, format="svg", metadata={"Date": None})
        plt.close(picture)  # or the notebook shows it once more
        alt = html.escape(f"{self.description} Here {self.parameter} is {words}.")
        return (
            f'<img alt="{alt}" src="data:image/svg+xml;base64,{base64.b64encode(drawn.getvalue()).decode()}">'
        )

    def to_html(self) -> str:
        """All pictures, of which one is shown, for a page that loads the player."""
        shown = "".join(
            f'<div class="choice"{"" if k == self.start else " hidden"}>{picture}</div>'
            for k, picture in enumerate(self._shown)
        )
        here = html.escape(f" Here {self.parameter} is {self.words[self.start]}.")
        return (
            f'<figure class="rbnotes-slider" data-parameter="{html.escape(self.parameter)}" '
            f'data-words="{html.escape(json.dumps(self.words))}">{shown}'
            f"<figcaption>{html.escape(self.description)}<noscript>{here}</noscript></figcaption></figure>"
        )

    def _repr_html_(self) -> str:
        return self.to_html() if os.environ.get(PAGE_HAS_PLAYER) else framed(self.to_html(), self.description)

    def __repr__(self) -> str:
        return f"<Slider: {self.parameter} of {', '.join(self.words)}: {self.description}>"
