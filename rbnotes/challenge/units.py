"""Whether an answer has the dimension that is asked for: given other units, it must answer in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.challenge.calling import Answer, answer
from rbnotes.challenge.drawing import Case
from rbnotes.challenge.judging import finite_numbers
from rbnotes.ledger.covariance import of_result, quantities
from rbnotes.ledger.quantities import NUMBER, Dimension, Units
from rbnotes.ledger.record import Record

CHANGES = (Units(2.0, 1.0, 1.0), Units(1.0, 2.0, 1.0), Units(1.0, 1.0, 2.0))
"""Length, mass and time in units half as large. Powers of two round nothing."""
CASES = 2
CLOSE = 1e-6
SMALLEST_SHARE = 1e-6
"""Entries so much smaller than the largest are rounding, whose growth tells nothing."""


def misfit(claim: Record, function: Callable[..., Any], tried: Sequence[tuple[Case, Answer]]) -> str:
    """What is wrong with the dimension of a function's results, in words; empty if nothing is.

    Parameters
    ----------
    claim
        What the function should compute.
    function
        The answer.
    tried
        Cases with what the function gave.
    """
    if claim.result is None or claim.constants:
        return ""
    generic = [(case, found) for case, found in tried if case.region in ("generic", "non-dyadic")]
    comparable = [
        (case, value) for case, found in generic if (value := finite_numbers(case, found)) is not None
    ]
    told = sorted(comparable, key=lambda one: -np.count_nonzero(one[1]))[:CASES]
    found: list[tuple[Array, Array]] = []
    for case, value in told:
        grown = _growth(claim, function, case, value)
        if grown is None:
            return ""
        found.append((grown, of_result(claim, case.inputs).exponents(value.shape)))
    return _said(found)


def _said(found: Sequence[tuple[Array, Array]]) -> str:
    """The first entry whose dimension is another one, or none at all."""
    if not found or any(grown.shape != found[0][0].shape for grown, _ in found):
        return ""
    grown, wanted = np.array([each for each, _ in found]), found[0][1]
    clear = np.all(np.isfinite(grown), axis=-1)
    same = np.all(np.abs(grown - wanted) < CLOSE, axis=-1) | ~clear
    for place in map(tuple, np.argwhere(~np.all(same, axis=0))):
        own = grown[(slice(None), *place)][clear[(slice(None), *place)]]
        right = _name(wanted[place])
        alike = np.all(wanted == wanted[place])
        where = "" if alike else f" in entry {', '.join(str(int(i) + 1) for i in place)}"
        if np.allclose(own, own[0], atol=CLOSE) and np.allclose(own, np.round(2 * own) / 2, atol=CLOSE):
            return (
                f"the dimension is wrong{where}: {_name(np.round(2 * own[0]) / 2)} where {right} is expected"
            )
        return f"the units do not fit{where}: {right} is expected, and terms of other dimensions are added"
    return ""


def _name(powers: Array) -> str:
    dimension = Dimension(*(float(power) for power in powers))
    return "a number" if dimension == NUMBER else dimension.unit


def _growth(claim: Record, function: Callable[..., Any], case: Case, value: Array) -> Array | None:
    """Powers ``(*shape, 3)`` with which the entries grow with the units; NaN for entries that are zero."""
    told = quantities(claim, case.inputs)
    powers = []
    for units in CHANGES:
        changed = {name: units.change(given, told[name]) for name, given in case.inputs.items()}
        other = finite_numbers(case, answer(function, changed))
        if other is None:
            return None
        with np.errstate(all="ignore"):
            powers.append(np.log2(np.abs(other / value)))
    small = np.abs(value) <= SMALLEST_SHARE * np.max(np.abs(value), initial=0.0)
    return np.where(small[..., None], np.nan, np.stack(powers, axis=-1))
