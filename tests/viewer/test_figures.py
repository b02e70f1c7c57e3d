"""Figures in the book's style are transparent and legible on both backgrounds."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_rgb

from rbnotes.viewer import figure
from rbnotes.viewer.figures import INK_COLOR
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
