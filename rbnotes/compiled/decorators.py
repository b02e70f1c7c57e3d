"""Decorators of compiled functions; each name says what numba is told to do.

Only compiled code calls the functions that they decorate, except those of
:mod:`rbnotes.compiled.entry_points`.
"""

from numba import njit

FMA_OPTIONS = {"error_model": "numpy", "fastmath": {"contract"}}
"""No checks for division by zero; fused multiply-add."""

_INTERNAL_OPTIONS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

jit_alloc = njit(error_model="numpy", _nrt=True, **_INTERNAL_OPTIONS)
"""No fused products, so that decisions agree with those of the reference."""

jit_noalloc = njit(error_model="numpy", _nrt=False, **_INTERNAL_OPTIONS)
"""Like ``jit_alloc``, for functions that allocate nothing; without reference counts the code is smaller."""

jit_inline = njit(error_model="numpy", inline="always")
"""Like ``jit_alloc``, for long functions with a single caller, which they become a part of."""

jit_reassoc = njit(error_model="numpy", fastmath={"reassoc", "contract"}, _nrt=False, **_INTERNAL_OPTIONS)
"""Sums in any order and fused products, for functions that allocate nothing."""

jit_fma = njit(_nrt=False, **_INTERNAL_OPTIONS, **FMA_OPTIONS)
"""Fused products, for functions that allocate nothing; counting references takes longer than a step."""

jit_fma_inline = njit(forceinline=True, _nrt=False, **_INTERNAL_OPTIONS, **FMA_OPTIONS)
"""Like ``jit_fma``, inlined by LLVM."""
