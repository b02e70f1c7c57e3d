"""Draws that are the same on every machine.

Hypothesis mixes into its draws the constants that it reads from the source of every "local" module loaded
so far. A search then tries other inputs where the package is installed than in its source tree, and others
again after one more import, although nothing is random. Verdicts should depend on the claim alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

try:
    from hypothesis.internal.conjecture import providers
except ImportError:  # older than these constants: nothing to do
    # A module's type leaves no room for None.
    providers = None  # type: ignore[assignment]


@contextmanager
def same_everywhere() -> Iterator[None]:
    """While this lasts, derandomised searches draw the same whatever else is loaded, and from wherever."""
    search_modules = getattr(providers, "_get_local_constants", None)
    if search_modules is None or search_modules is _no_constants:  # too old; already there
        yield
        return
    cache = providers.CONSTANTS_CACHE.cache
    cache.clear()
    providers._get_local_constants = _no_constants
    try:
        yield
    finally:
        providers._get_local_constants = search_modules
        cache.clear()


def _no_constants() -> Any:
    return vars(providers)["Constants"]()
