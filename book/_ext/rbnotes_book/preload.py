"""Load once what chapters use: the process that kernels are forked from imports this module."""

from __future__ import annotations

import gc
import io

from matplotlib.figure import Figure

from rbnotes import ledger

ledger.load()
# The first text that is drawn loads the fonts.
figure = Figure()
figure.text(0.5, 0.5, "text")
figure.savefig(io.BytesIO(), format="svg")
# The garbage collector of a kernel visits only what the kernel itself made, and copies no pages.
gc.collect()
gc.freeze()
