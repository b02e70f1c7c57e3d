"""Pictures of the written pages: letters of plots on a phone, words and posters of scenes."""

import json
import re
from base64 import b64decode, b64encode
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread, imsave

PAGES = Path(__file__).parents[2] / "_build" / "html"
COLUMN_OF_A_PHONE = 358
"""Width of the text on a screen of 390 px, px."""
SMALLEST_LETTERS = 8.0
"""Smallest size of the font of a plot on a phone, px; indices may be smaller."""
PX_PER_POINT = 96 / 72
NEARLY_WHITE, OPAQUE = 0.85, 0.5
"""Smallest color channels of white cells and smallest opacity at which they are visible on a dark page."""
SCENE = re.compile(r'<figure class="rbnotes-scene"[^>]*><script type="application/json">(.*?)</script>')


def font_sizes(svg):
    """Return the font sizes of a plot on a phone, px: Matplotlib scales glyphs of 100 units to points."""
    [width] = re.findall(r'<svg[^>]* width="([.\d]+)pt"', svg)
    shrinkage = min(1.0, COLUMN_OF_A_PHONE / (PX_PER_POINT * float(width)))
    scales = re.findall(r'<g style="[^"]*" transform="[^"]*scale\(([.\d]+) -', svg)
    return [100 * float(scale) * PX_PER_POINT * shrinkage for scale in scales]


def white_share(svg):
    """Return the largest share of white pixels in the images of a plot, such as heat maps."""
    images = [imread(BytesIO(b64decode(data))) for data in re.findall('data:image/png;base64,([^"]*)', svg)]
    white = [(pixels[..., :3].min(-1) > NEARLY_WHITE) & (pixels[..., 3] > OPAQUE) for pixels in images]
    return max((float(share.mean()) for share in white), default=0.0)


def scene_faults(scene):
    """Return what a scene lacks for a reader who sees its poster only."""
    items = scene["items"]
    faults = [] if any("label" in item or "name" in item for item in items) else ["a word in the picture"]
    return faults + (["a poster"] if "times" in scene and "poster" not in scene else [])


@pytest.fixture(scope="module")
def chapters():
    """Return the texts of the written chapters by name."""
    return {page.stem: page.read_text(encoding="utf-8") for page in sorted((PAGES / "book").glob("*.html"))}


@pytest.fixture(scope="module")
def plots(chapters):
    """Return the plots of the written chapters as SVG, by name."""
    plots = {path.name: path.read_text(encoding="utf-8") for path in (PAGES / "_images").glob("*.svg")}
    for name, text in chapters.items():
        embedded = re.findall('src="data:image/svg[+]xml;base64,([^"]*)"', text)
        plots |= {f"{name} {k}": b64decode(data).decode() for k, data in enumerate(embedded)}
    return plots


def test_plots_are_legible_on_a_phone(plots):
    smallest = {name: min(font_sizes(svg), default=99.0) for name, svg in plots.items()}
    assert len(smallest) > 90
    assert {name: size for name, size in smallest.items() if size < SMALLEST_LETTERS} == {}


def test_heat_maps_have_no_white_cells_on_dark_pages(plots):
    assert sum("data:image/png" in svg for svg in plots.values()) >= 3
    assert {name: share for name, svg in plots.items() if (share := white_share(svg))} == {}


def test_white_cells_are_found():
    pixels = np.array([[[1.0, 1, 1, 1], [1, 1, 1, 0], [0.9, 0.2, 0.2, 1], [0.2, 0.2, 0.2, 1]]])
    imsave(file := BytesIO(), pixels, format="png")
    image = f'<image xlink:href="data:image/png;base64,{b64encode(file.getvalue()).decode()}"/>'
    assert white_share(image) == 0.25
    assert white_share("<svg/>") == 0.0


def test_scenes_tell_at_a_glance(chapters):
    scenes = [(name, json.loads(data)) for name, text in chapters.items() for data in SCENE.findall(text)]
    assert len(scenes) > 60
    assert [(name, scene["description"]) for name, scene in scenes if scene_faults(scene)] == []


def test_small_letters_and_scenes_without_words_are_found():
    glyphs = '<g style="fill: #757b83" transform="translate(1 2) scale({0} -{0})">'
    svg = f'<svg height="200pt" version="1.1" width="360pt">{glyphs.format(0.11)}{glyphs.format(0.08)}'
    assert font_sizes(svg) == pytest.approx([100 * 0.11 * 358 / 360, 100 * 0.08 * 358 / 360])
    moving = {"items": [{"kind": "box"}], "times": "AAAA"}
    assert scene_faults(moving) == ["a word in the picture", "a poster"]
    assert scene_faults({"items": [{"kind": "box", "label": "A"}], "times": "AAAA", "poster": 0.0}) == []
    assert scene_faults({"items": [{"kind": "box", "name": "A"}]}) == []
