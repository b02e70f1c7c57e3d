"""Draws that are the same on every machine and after every renaming.

Hypothesis mixes into its draws the constants that it reads from the source of every loaded local module. A
search would then try different inputs in an installed package than in its source tree, and others again after
one more import. It also labels draws by the code of the functions that draw, including names of variables,
file names and addresses in memory; the labels decide which parts of an input it repeats and in which order it
shrinks them. Verdicts must depend on the claim alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hypothesis.internal.conjecture import providers, shrinker
from hypothesis.strategies._internal import core, flatmapped

SEED = 20260228
"""Default seed of the random number generator."""


@contextmanager
def reproducible_draws() -> Iterator[None]:
    """Return a context in which seeded searches draw the same inputs, whatever else is loaded."""
    replaced = {(owner, name): getattr(owner, name, None) for owner, name in _REPLACEMENTS}
    if replaced == _REPLACEMENTS:  # already replaced
        yield
        return
    # Names that this version of Hypothesis lacks are skipped.
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
    """Return the same label for all functions and all names of arguments."""
    return 0


def _labels_in_order_of_use(self: Any) -> list[int]:
    """Return the labels in the order of their first use, not sorted by their digits."""
    return list(self.spans_by_label)


_REPLACEMENTS: dict[tuple[Any, str], Any] = {
    (providers, "_get_local_constants"): _no_constants,
    (core, "calc_label_from_callable"): _one_label,
    (core, "calc_label_from_name"): _one_label,
    (flatmapped, "calc_label_from_callable"): _one_label,
    (shrinker.Shrinker, "distinct_labels"): property(_labels_in_order_of_use),
}
