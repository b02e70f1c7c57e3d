"""Matplotlib figures for white and dark pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

from rbnotes.viewer.shapes import COLORS

INK_COLOR = "#757b83"
"""Gray of text and axes: contrast 4.3 both on white and on the dark background."""

MAX_COLUMN_WIDTH = 5.4
"""Largest width of a figure of one column, inches; each further column adds one."""


def diverging_colormap() -> Colormap:
    """Return a colormap from blue over transparent to red, whose middle is the background of the page."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgba

    blue, red = COLORS["blue"], COLORS["red"]
    colors = [to_rgba(blue), to_rgba(blue, 0), to_rgba(red, 0), to_rgba(red)]
    return LinearSegmentedColormap.from_list("blue_red", list(zip((0, 0.5, 0.5, 1), colors, strict=True)))


def matplotlib_style() -> dict[str, Any]:
    """Return settings of Matplotlib: transparent background, mid-gray ink, the colors of the scenes."""
    from cycler import cycler

    ink_settings = (
        "axes.edgecolor",
        "axes.labelcolor",
        "axes.titlecolor",
        "text.color",
        "xtick.color",
        "ytick.color",
    )
    return {
        **dict.fromkeys(ink_settings, INK_COLOR),
        "axes.prop_cycle": cycler(color=list(COLORS.values())),
        "axes.facecolor": "none",
        "axes.grid": True,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "figure.facecolor": "none",
        "figure.constrained_layout.use": True,
        "font.size": 11,
        "grid.alpha": 0.25,
        "grid.color": INK_COLOR,
        "legend.framealpha": 0.0,
        "lines.linewidth": 2.0,
        "savefig.transparent": True,
        "svg.fonttype": "path",
        "svg.hashsalt": "rbnotes",
    }


def figure(
    rows: int = 1, columns: int = 1, *, size: tuple[float, float] = (5.4, 3.2), **subplots: Any
) -> tuple[Figure, Any]:
    """Return a figure and its axes in the style of the book, like ``matplotlib.pyplot.subplots``.

    Requires Matplotlib (extra ``book``). In a notebook, figures are SVG from then on.

    Parameters
    ----------
    rows, columns
        Grid of axes.
    size
        Width and height, inches. Wide figures are made narrower, so that text stays legible on phones.
    subplots
        Further arguments, such as ``sharex=True`` or ``subplot_kw={"projection": "3d"}``.
    """
    import matplotlib.pyplot as plt

    plt.style.use(matplotlib_style())
    _use_svg_in_notebooks()
    width = min(size[0], MAX_COLUMN_WIDTH + (columns - 1))
    return plt.subplots(rows, columns, figsize=(width, size[1]), **subplots)


def _use_svg_in_notebooks() -> None:
    """Select SVG output, which is sharp and small, if a notebook is running."""
    try:
        from IPython.core.getipython import get_ipython
        from matplotlib_inline.backend_inline import set_matplotlib_formats
    except ImportError:
        return
    if get_ipython() is not None:
        set_matplotlib_formats("svg")
