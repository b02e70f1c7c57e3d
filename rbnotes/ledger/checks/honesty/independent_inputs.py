"""Evaluate right claims on inputs that are drawn independently of each other.

Inputs that share structure, such as turns about one axis, hide errors that independent ones show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.evaluation import SIGNIFICANT_RESIDUAL, Values, distance, evaluate
from rbnotes.ledger.record import Function, Record, Verdict

NUM_EXCHANGES = 3
"""Draws in which each input is exchanged."""


def findings(record: Record, draws: Sequence[Values]) -> Iterator[str]:
    """Yield findings on a claim that fails if an input is exchanged for one of another draw.

    The ``draws`` are inputs on which the claim is true. A record that gives a reason for special inputs may
    be about their relation to others.
    """
    is_right = record.verdict in (Verdict.HOLDS, Verdict.CONDITIONAL)
    if not is_right or len(record.inputs) < 2 or record.special:
        return
    for name in record.inputs:
        if any(_is_wrong(record, values) for values in _exchange_input(draws, name)):
            yield f"inputs: the claim fails if {name} is drawn independently of the others"


def _exchange_input(draws: Sequence[Values], name: str) -> Iterator[Values]:
    """Yield draws in which an input is that of the draw before."""
    few = draws[:: max(1, len(draws) // (NUM_EXCHANGES + 1))]
    for before, values in pairwise(few):
        yield {**values, name: before[name]}


def _is_wrong(record: Record, values: Values) -> bool:
    """Return True if the printed form differs from the oracle where both and the claim have a meaning."""
    if record.printed is None or record.reference is None:
        return False
    right = _evaluate_or_none(record.reference, values)
    if right is None or not _is_allowed(record, values):
        return False
    result = _evaluate_or_none(record.printed, values)
    return (
        result is not None and result.shape == right.shape and distance(result, right) > SIGNIFICANT_RESIDUAL
    )


def _is_allowed(record: Record, values: Values) -> bool:
    if record.verdict is not Verdict.CONDITIONAL or record.holds_when is None:
        return True
    return bool(np.all(record.holds_when(*_copies(values))))


def _evaluate_or_none(form: Function, values: Values) -> Array | None:
    """Return the result of a form if it is finite; forms may refuse inputs that do not fit."""
    try:
        result = evaluate(form, dict(zip(values, _copies(values), strict=True)))
    except Exception:
        return None
    return result if np.all(np.isfinite(result)) else None


def _copies(values: Values) -> list[object]:
    return [value.copy() if isinstance(value, np.ndarray) else value for value in values.values()]
