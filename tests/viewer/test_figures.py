"""Figures in the book's style are transparent and legible on both backgrounds."""

import json
import re
from colorsys import rgb_to_hsv
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from rbnotes.viewer import figure
from rbnotes.viewer.figures import INK_COLOR, diverging_colormap
from rbnotes.viewer.shapes import COLORS


@pytest.fixture(autouse=True)
def restored_style():
    with mpl.rc_context():
        yield
    plt.close("all")


def luminance(color):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(color, ground):
    bright, dark = sorted((luminance(color), luminance(ground)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


# The colors of text and lines in live figures and drawings, and of verdicts, on the pages of the book.
BOOK = Path(__file__).parents[2] / "book"
GROUNDS = {"light": "#ffffff", "dark": "#14181e"}


@pytest.mark.parametrize(
    ("style", "mode", "selector", "colors"),
    [
        ("drawings.css", "light", r"figure:is\(.drawing, .live\)", 6),
        ("drawings.css", "dark", r'html\[data-theme="dark"\] figure:is\(.drawing, .live\)', 6),
        ("book.css", "light", "html", 6),
        ("book.css", "dark", r'html\[data-theme="dark"\]', 6),
    ],
)
def test_colors_of_text_have_contrast(style, mode, selector, colors):
    css = (BOOK / "_assets" / style).read_text(encoding="utf-8")
    [block] = re.findall(rf"^{selector} {{\n((?:  --[^\n]*\n)+)}}", css, re.MULTILINE)
    inks = re.findall("#[0-9a-f]{6}", block)
    assert len(inks) == colors
    for ink in inks:
        assert contrast(ink, GROUNDS[mode]) > 4.5, ink


def hue(color):
    return rgb_to_hsv(*to_rgb(color))[0]


def test_drawings_have_the_hues_of_the_scenes():
    css = (BOOK / "_assets" / "drawings.css").read_text(encoding="utf-8")
    named = re.findall("--d-([a-z]+): (#[0-9a-f]{6});", css)
    assert len(named) == 12
    for name, color in named:
        difference = abs(hue(color) - hue(COLORS[name]))
        assert min(difference, 1 - difference) < 0.04, name


def test_fonts_of_the_text_are_free_and_light():
    """The pages load at most 150 kB of them, from files of pinned packages."""
    css = (BOOK / "_assets" / "fonts.css").read_text(encoding="utf-8")
    files = re.findall(r'url\("([^"]*)"\)', css)
    build = (BOOK / "_js" / "build.js").read_text(encoding="utf-8")
    packages = json.loads((BOOK / "_js" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    copied = {}
    for name, listed in re.findall(r'"(@fontsource[^"]*)": \[([^\]]*)\]', build):
        assert packages[f"node_modules/{name}"]["license"] == "OFL-1.1"
        for file in re.findall('"([^"]*)"', listed):
            copied[f"fonts/{name.split('/')[1]}-{file}.woff2"] = name
    assert sorted(copied) == sorted(files)
    folder = BOOK / "_js" / "node_modules"
    sizes = [(folder / copied[file] / file.replace("fonts/", "files/")).stat().st_size for file in files]
    assert sum(sizes) < 150_000


@pytest.mark.parametrize("ground", ["#ffffff", "#121212"])
def test_colors_have_contrast_on_both_backgrounds(ground):
    assert contrast(INK_COLOR, ground) > 4.2
    for color in COLORS.values():
        assert contrast(color, ground) > 2.5


def test_figure_is_transparent_with_the_given_axes():
    fig, axes = figure(2, 3, size=(6, 4), sharex=True)
    assert axes.shape == (2, 3)
    assert tuple(fig.get_size_inches()) == (6, 4)
    assert fig.get_facecolor()[3] == 0
    assert axes[0, 0].get_facecolor()[3] == 0
    assert axes[0, 0].xaxis.label.get_color() == INK_COLOR


@pytest.mark.parametrize(("columns", "width", "expected"), [(1, 7.0, 5.4), (1, 4.0, 4.0), (3, 10.0, 7.4)])
def test_figure_fits_the_width_of_a_phone(columns, width, expected):
    fig, _ = figure(1, columns, size=(width, 3.0))
    assert tuple(fig.get_size_inches()) == pytest.approx((expected, 3.0))


def test_zero_is_the_background_in_the_diverging_colormap():
    colors = diverging_colormap()(np.array([0.0, 0.25, 0.5, 0.75, 1.0]))
    assert colors[:, 3] == pytest.approx([1, 0.5, 0, 0.5, 1], abs=0.01)
    for part, name in ((colors[:2], "blue"), (colors[3:], "red")):
        assert part[:, :3] == pytest.approx(np.tile(to_rgb(COLORS[name]), (2, 1)), abs=0.01)
