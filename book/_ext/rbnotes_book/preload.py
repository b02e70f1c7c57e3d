"""Load once what chapters use: the process that kernels are forked from imports this module."""

from __future__ import annotations

import gc
import io

from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from rbnotes import ledger

ledger.load()
# Drawing loads fonts.
FigureCanvasSVG(Figure()).print_svg(io.StringIO())
# The garbage collector of a kernel visits only what the kernel itself made, and copies no pages.
gc.collect()
gc.freeze()
