"""Draws that are the same on every machine, and after every renaming.

Hypothesis mixes into its draws the constants that it reads from the source of every "local" module loaded
so far. A search then tries other inputs where the package is installed than in its source tree, and others
again after one more import. Besides, it labels what is drawn by the code of the functions that draw it, names
of variables, file names and addresses in memory included, and the labels decide which parts of an input it
repeats and in which order it shrinks them. Verdicts should depend on the claim alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hypothesis.internal.conjecture import providers, shrinker
from hypothesis.strategies._internal import core, flatmapped

SEED = 20260228
"""Start of the generator of random numbers wherever no other is asked for."""


@contextmanager
def reproducible_draws() -> Iterator[None]:
    """While this lasts, seeded searches draw the same whatever else is loaded, from wherever, by any name."""
    replaced = {(owner, name): getattr(owner, name, None) for owner, name in _REPLACEMENTS}
    if replaced == _REPLACEMENTS:  # already there
        yield
        return
    # A name that another version of Hypothesis lacks stays away.
    replaced = {key: value for key, value in replaced.items() if value is not None}
    cache = providers.CONSTANTS_CACHE.cache
    cache.clear()
    for owner, name in replaced:
        setattr(owner, name, _REPLACEMENTS[owner, name])
    try:
        yield
    finally:
        for (owner, name), value in replaced.items():
            setattr(owner, name, value)
        cache.clear()


def _no_constants() -> Any:
    return vars(providers)["Constants"]()


def _one_label(_: object) -> int:
    """Label all functions, and all names of arguments, alike."""
    return 0


def _labels_as_met(self: Any) -> list[int]:
    """Return the labels in the order of their first use, not sorted by their digits."""
    return list(self.spans_by_label)


_REPLACEMENTS: dict[tuple[Any, str], Any] = {
    (providers, "_get_local_constants"): _no_constants,
    (core, "calc_label_from_callable"): _one_label,
    (core, "calc_label_from_name"): _one_label,
    (flatmapped, "calc_label_from_callable"): _one_label,
    (shrinker.Shrinker, "distinct_labels"): property(_labels_as_met),
}
