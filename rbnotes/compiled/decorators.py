"""Decorators of compiled functions; each name says which options of numba it sets.

Only compiled code calls the functions that they decorate, except those of
:mod:`rbnotes.compiled.entry_points`.
"""

from collections.abc import Callable
from typing import Any

from numba import njit

from rbnotes.compiled.linked_libraries import InternalCompiler

Decorator = Callable[[Callable[..., Any]], Any]
"""Decorator of a function whose types numba infers from those of the caller."""

FMA_OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"contract"}}
"""No checks for division by zero; fused multiply-add."""

_INTERNAL_OPTIONS: dict[str, Any] = {
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": InternalCompiler,
}
_ALLOC_OPTIONS: dict[str, Any] = {"_nrt": True, **_INTERNAL_OPTIONS}
_NOALLOC_OPTIONS: dict[str, Any] = {"_nrt": False, **_INTERNAL_OPTIONS}

jit_alloc: Decorator = njit(error_model="numpy", **_ALLOC_OPTIONS)
"""No fused products, so that decisions agree with those of the reference."""

jit_noalloc: Decorator = njit(error_model="numpy", **_NOALLOC_OPTIONS)
"""Like ``jit_alloc``, for functions that allocate nothing; without reference counts the code is smaller."""

jit_inline: Decorator = njit(error_model="numpy", inline="always")
"""Like ``jit_alloc``, for long functions with a single caller, which they become a part of."""

jit_reassoc: Decorator = njit(error_model="numpy", fastmath={"reassoc", "contract"}, **_NOALLOC_OPTIONS)
"""Sums in any order and fused products, for functions that allocate nothing."""

jit_fma: Decorator = njit(**_NOALLOC_OPTIONS, **FMA_OPTIONS)
"""Fused products, for functions that allocate nothing; counting references takes longer than a step."""

jit_fma_inline: Decorator = njit(forceinline=True, **_NOALLOC_OPTIONS, **FMA_OPTIONS)
"""Like ``jit_fma``, inlined by LLVM."""
