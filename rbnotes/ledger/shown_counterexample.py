"""Counterexample of a claim with the results of both forms, and its short text."""

from __future__ import annotations

from typing import NamedTuple

from rbnotes.arguments import Array
from rbnotes.ledger.evaluation import Values, evaluate, try_evaluate
from rbnotes.ledger.formatting import format_inputs, format_result
from rbnotes.ledger.record import WRONG_AS_PRINTED, Record
from rbnotes.ledger.runner import find_counterexample


class Counterexample(NamedTuple):
    """Inputs on which the printed form of a claim is wrong.

    Attributes
    ----------
    inputs
        Arguments by name.
    printed
        Result of the printed form; None if it gives no number.
    right
        Result of the oracle.
    """

    inputs: Values
    printed: Array | None
    right: Array

    def describe(self, max_lines: int, width: int) -> list[str]:
        """Return the inputs in at most this number of lines of this width, then both results in one line."""
        lines = format_inputs(self.inputs)
        if len(lines) > max_lines:
            lines = [*lines[: max_lines - 1], f"and {len(lines) - max_lines + 1} more lines"]
        actual = "no number" if self.printed is None else format_result(self.printed, self.right)
        expected = format_result(self.right, self.right if self.printed is None else self.printed)
        return [*(line[:width] for line in lines), f"gives {actual}; right is {expected}"]


def counterexample(record: Record) -> Counterexample | None:
    """Return the smallest counterexample of a claim; None if its printed form is right or no formula."""
    if record.verdict not in WRONG_AS_PRINTED or record.printed is None or record.reference is None:
        return None
    values = find_counterexample(record).counterexample
    if values is None:
        return None
    return Counterexample(values, try_evaluate(record.printed, values), evaluate(record.reference, values))
