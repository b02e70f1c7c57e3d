"""Count the inputs, in double precision, that test a claim, and those on which its printed form is wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rbnotes.ledger.checks.claim_code import UnreadableFunction, readable_function, record_forms
from rbnotes.ledger.checks.honesty.branch_coverage import MIN_INPUTS, count_branches
from rbnotes.ledger.evaluation import Values, samples
from rbnotes.ledger.record import WRONG_AS_PRINTED, Record
from rbnotes.ledger.runner import EvaluatedInputs

NUM_INPUTS = 30
"""Number of inputs on which a claim is evaluated."""


@dataclass(frozen=True)
class InputCounts:
    """Numbers of inputs of a claim.

    Attributes
    ----------
    num_inputs
        Inputs on which the forms were evaluated.
    num_effective
        Inputs among these on which the rarest branch of a form was taken; at most those on which the oracle's
        result exceeds the tolerance. Zero for a claim with a proof, for which it is not counted.
    num_failing
        Inputs among these on which the printed form is wrong; zero if it is right as printed.
    """

    num_inputs: int = 0
    num_effective: int = 0
    num_failing: int = 0


def count_inputs(record: Record, *, is_proved: bool = False) -> InputCounts:
    """Return the numbers of inputs of a record; all are zero for a definition without a form."""
    if record.reference is None:
        return InputCounts()
    draws = samples(record.inputs, NUM_INPUTS)
    trials = EvaluatedInputs.evaluate(record.reference, draws)
    num_failing = num_effective = 0
    if record.verdict in WRONG_AS_PRINTED and record.printed is not None:
        num_failing = len(draws) if record.undefined else trials.count_wrong(record.printed)
    if not is_proved:
        num_nonzero = sum(bool(np.any(np.abs(right) > record.tolerance)) for right in trials.expected)
        num_effective = min([num_nonzero, *_branch_counts(record, draws)])
    return InputCounts(len(draws), num_effective, num_failing)


def _branch_counts(record: Record, draws: Sequence[Values]) -> Iterator[int]:
    """Yield the number of inputs on which each branch of a form or the oracle was taken."""
    for form in record_forms(record).values():
        counts: dict[tuple[str, str, bool], int] = defaultdict(int)
        # In parts, because ``count_branches`` stops early on longer lists.
        for start in range(0, len(draws), MIN_INPUTS):
            try:
                branches = count_branches(readable_function(form), draws[start : start + MIN_INPUTS])
            except UnreadableFunction:
                break
            for branch in branches:
                for outcome in branch.required_outcomes:
                    key = (branch.function, branch.source, outcome)
                    counts[key] += len(branch.inputs_by_outcome[outcome])
        yield from counts.values()
