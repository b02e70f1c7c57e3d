"""Load once what chapters use: the process that kernels are forked from imports this module."""

from __future__ import annotations

import gc
import io

import matplotlib.style
from matplotlib.figure import Figure

from rbnotes import ledger
from rbnotes.viewer.figures import matplotlib_style

ledger.load()
# The first figure reads the styles and loads the fonts, and the first formula builds its parser. This is not
# done with pyplot, which would load a backend.
with matplotlib.style.context(matplotlib_style()):
    figure = Figure()
    axes = figure.subplots()
    axes.loglog([1.0, 10.0], [1.0, 10.0], label=r"$\alpha$")
    axes.legend()
    figure.savefig(io.BytesIO(), format="svg", bbox_inches="tight")
# The garbage collector of a kernel visits only what the kernel itself made, and copies no pages. With the
# default thresholds, the search for a counterexample would take a tenth longer.
gc.collect()
gc.freeze()
gc.set_threshold(100_000, 20, 100)
