"""What Python calls: the sweeps for one state and for many, compiled once and kept on disk."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numba import float64, int64, njit, uint64, void

from rbnotes.kernels._algebra import OPTIONS
from rbnotes.kernels._lanes import LANES
from rbnotes.kernels._layout import GIVEN_AT, GIVEN_SIZE, ONE, ROOM, SIZE, ZERO, U
from rbnotes.kernels._sweeps import forward

_WHOLE, _REAL = uint64[::1], float64[::1]


@njit(int64(_WHOLE, _REAL, _REAL, _REAL, _REAL, _REAL), cache=True, **OPTIONS)
def forward_one(whole, numbers, q, v, f, out):
    k = whole[SIZE]
    if q.size != k or v.size != k or f.size != k:
        return 1
    g = whole[GIVEN_AT]
    forward(whole, numbers, numbers, g + whole[GIVEN_SIZE], numbers, g, ZERO, q, v, f, out, ZERO, ZERO, ONE)
    total = 0.0
    for i in range(k):
        total += out[i] - out[i]
    return 0 if total == 0 else 1


@njit(int64(_WHOLE, _REAL, _REAL, _REAL, _REAL, _REAL, _REAL), cache=True, nogil=True, **OPTIONS)
def forward_many(whole, numbers, given, q, v, f, out):
    k = whole[SIZE]
    last = U(q.size) // k - ONE
    work = np.empty(whole[ROOM] * LANES)
    for first in range(ZERO, last + ONE, LANES):
        forward(whole, numbers, work, ZERO, given, ZERO, whole[GIVEN_SIZE], q, v, f, out, first, last, LANES)
    total = 0.0
    for i in range(out.size):
        total += out[i] - out[i]
    return 0 if total == 0 else 1
