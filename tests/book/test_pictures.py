"""Pictures of the executed chapters: letters of plots on a phone, words and posters of scenes."""

import json
import re
from pathlib import Path

import pytest
from rbnotes_book import execution

ROOT = Path(__file__).parents[2]
CHAPTERS = list(execution.chapters(ROOT))
COLUMN_OF_A_PHONE = 358
"""Width of the text on a screen of 390 px, px."""
SMALLEST_LETTERS = 8.0
"""Smallest size of the font of a plot on a phone, px; indices may be smaller."""
PX_PER_POINT = 96 / 72


def pictures(chapter, kind):
    """Return the outputs of a kind of the cells of a chapter."""
    outputs = [
        output["data"].get(kind, "")
        for cell in execution.stored_cells(chapter, ROOT)
        for output in cell.get("outputs", ())
        if "data" in output
    ]
    return ["".join(text) for text in outputs if text]


def font_sizes(svg):
    """Return the font sizes of a plot on a phone, px: Matplotlib scales glyphs of 100 units to points."""
    [width] = re.findall(r'<svg[^>]* width="([.\d]+)pt"', svg)
    shrinkage = min(1.0, COLUMN_OF_A_PHONE / (PX_PER_POINT * float(width)))
    scales = re.findall(r'<g style="[^"]*" transform="[^"]*scale\(([.\d]+) -', svg)
    return [100 * float(scale) * PX_PER_POINT * shrinkage for scale in scales]


def scene_faults(scene):
    """Return what a scene lacks for a reader who sees its poster only."""
    items = scene["items"]
    faults = [] if any("label" in item or "name" in item for item in items) else ["a word in the picture"]
    return faults + (["a poster"] if "times" in scene and "poster" not in scene else [])


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_plots_are_legible_on_a_phone_and_scenes_tell_at_a_glance(chapter):
    sizes = [min(font_sizes(svg), default=99.0) for svg in pictures(chapter, "image/svg+xml")]
    assert min(sizes, default=99.0) >= SMALLEST_LETTERS, sizes
    pages = "".join(pictures(chapter, "text/html"))
    scenes = re.findall(
        r'<figure class="rbnotes-scene"[^>]*><script type="application/json">(.*?)</script>', pages
    )
    for scene in map(json.loads, scenes):
        assert not scene_faults(scene), scene["description"]


def test_small_letters_and_scenes_without_words_are_found():
    glyphs = '<g style="fill: #757b83" transform="translate(1 2) scale({} -{})">'
    svg = (
        '<svg height="200pt" version="1.1" width="360pt">'
        + glyphs.format(0.11, 0.11)
        + glyphs.format(0.08, 0.08)
    )
    assert font_sizes(svg) == pytest.approx([100 * 0.11 * 358 / 360, 100 * 0.08 * 358 / 360])
    moving = {"items": [{"kind": "box"}], "times": "AAAA"}
    assert scene_faults(moving) == ["a word in the picture", "a poster"]
    assert scene_faults({"items": [{"kind": "box", "label": "A"}], "times": "AAAA", "poster": 0.0}) == []
    assert scene_faults({"items": [{"kind": "box", "name": "A"}]}) == []
