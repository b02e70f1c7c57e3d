"""Check that results are compared completely; sorting them or comparing only norms hides differences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.checks.claim_code import readable_function
from rbnotes.ledger.checks.honesty.normal_form import normal_form
from rbnotes.ledger.record import Record

SIZE_PATTERN = r"\||\\[lr]?[vV]ert|\\norm|\\abs|length|magnitude|size|distance"
LOSSY_FUNCTIONS = {
    **dict.fromkeys(("sort", "sorted"), r"\\lambda|eigenv|\\sigma|root|sort|order"),
    **dict.fromkeys(("abs", "absolute", "norm", "fabs"), SIZE_PATTERN),
    "trace": r"tr",
    **dict.fromkeys(("diag", "diagonal"), "diag"),
}
"""Operations that keep only a part of the numbers, with the patterns that request them in formula or text."""
LAST_CALL = re.compile(r"return Call\((?:[\w.]+\.)?(\w+)[,)]")
ROUNDING_ERROR = 1e-13
MIN_VISIBLE_RATIO = 1e3
"""Ratio to the tolerance that an entry must exceed on some input to count as compared."""


def findings(
    record: Record, expected: Sequence[Array], printed_results: Sequence[Array | None]
) -> Iterator[str]:
    """Yield findings on forms that compare only a part of their results, and on too small entries."""
    if record.printed is None or record.reference is None or not record.inputs:
        return
    last = [
        LAST_CALL.match(normal_form(readable_function(form)).split("\n")[-1])
        for form in (record.printed, record.reference)
    ]
    names = [match[1] if match else "" for match in last]
    if names[0] == names[1] and names[0] in LOSSY_FUNCTIONS:
        is_requested = re.search(LOSSY_FUNCTIONS[names[0]], record.formula + record.title)
        if not is_requested and not (names[0] == "diag" and expected[0].ndim == 2):
            yield f"form: print and reference are compared through {names[0]}, which is not in the formula"
    results = [*expected, *(each for each in printed_results if each is not None)]
    if len({each.shape for each in results}) == 1 and len(results) == 2 * len(expected):
        reference_sizes, printed_sizes = (
            np.max(np.abs(part), axis=0) for part in (expected, results[len(expected) :])
        )
        least = ROUNDING_ERROR * max(1.0, np.max(reference_sizes, initial=0.0))
        # An entry that is zero up to rounding is so in one of them, or has at most this size in both.
        tiny = (
            (reference_sizes > least)
            & (printed_sizes > least)
            & (reference_sizes < MIN_VISIBLE_RATIO * record.tolerance)
        )
        if np.any(tiny):
            yield f"zero: an entry of the results is never above {np.max(reference_sizes[tiny]):.1g}"
