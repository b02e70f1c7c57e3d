"""Check that a slip of a record is genuine: not a printed form with added noise or rounding.

Its correction must also differ from the printed formula.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.evaluation import Values, try_evaluate
from rbnotes.ledger.record import NEEDS_CORRECTION, Function, Record

NUM_INPUTS = 8
"""Number of inputs that are perturbed."""
MIN_CHANGES = 3
RELATIVE_PERTURBATION = 2.0**-24
"""Relative size of the perturbation."""
MAX_CHANGE_RATIO = 20.0
"""Ratio of the change of the print to that of the right form, or of the input, above which it is noise."""
MAJORITY_SHARE = 0.5
MAX_ROUNDING = 0.1
"""Largest rounding of an entry, relative to the largest entry or to one."""
SPACING = re.compile(r"\\[,;:!]|\\(?:left|right|quad|qquad)(?![a-zA-Z])|[{}\s~]")


def findings(record: Record, draws: Sequence[Values]) -> Iterator[str]:
    """Yield findings on a slip without a correction, or with a printed form that contains noise."""
    if record.verdict not in NEEDS_CORRECTION:
        return
    if record.replacement and without_spacing(record.replacement) == without_spacing(record.formula):
        yield "slip: `replacement` is the print"
    if record.printed is None or record.library is None or not record.inputs:
        return
    few = draws[:: max(1, len(draws) // NUM_INPUTS)]
    is_locally_constant = []
    for name in record.inputs:
        if any(_perturb(values[name]) is values[name] for values in few):
            continue  # only numbers can be perturbed
        changes = list(_relative_changes(record.printed, record.library, few, name))
        if sum(right > 0.0 for _, right in changes) < MIN_CHANGES and not any(ours for ours, _ in changes):
            continue
        steep_share = np.mean(
            [ours > MAX_CHANGE_RATIO * max(right, RELATIVE_PERTURBATION) for ours, right in changes]
        )
        if steep_share > MAJORITY_SHARE:
            yield f"slip: the printed form is noise under small changes of {name}"
        if _depends_on_input(record.printed, few, name):
            is_locally_constant.append(np.mean([ours == 0.0 for ours, _ in changes]) > MAJORITY_SHARE)
    if (
        is_locally_constant
        and all(is_locally_constant)
        and _is_close_to_library(record.printed, record.library, few)
    ):
        yield "slip: the printed form is rounded: it does not change under small changes of its inputs"


def without_spacing(formula: str) -> str:
    """Return a formula without spacing commands."""
    return SPACING.sub("", formula)


def _relative_changes(
    printed: Function, library: Function, draws: Sequence[Values], name: str
) -> Iterator[tuple[float, float]]:
    """Yield the relative changes of printed and right form when one input is perturbed."""
    for values in draws:
        other = {**values, name: _perturb(values[name])}
        pairs = [(try_evaluate(form, values), try_evaluate(form, other)) for form in (printed, library)]
        sizes = [_relative_change(before, after) for before, after in pairs]
        if sizes[0] is not None and sizes[1] is not None:
            yield sizes[0], sizes[1]


def _perturb(value: Any) -> Any:
    number = isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")
    return (1.0 + RELATIVE_PERTURBATION) * value if number else value


def _relative_change(before: Array | None, after: Array | None) -> float | None:
    if before is None or after is None or before.shape != after.shape:
        return None
    size = max(1.0, float(np.max(np.abs(before), initial=0.0)))
    change = float(np.max(np.abs(after - before), initial=0.0)) / size
    return change if np.isfinite(change) else None


def _is_close_to_library(printed: Function, library: Function, draws: Sequence[Values]) -> bool:
    """Return True if the printed form differs from the right form by little, as after rounding."""
    pairs = [(try_evaluate(library, values), try_evaluate(printed, values)) for values in draws]
    off = [_relative_change(right, print_) for right, print_ in pairs]
    return all(each is not None and each < MAX_ROUNDING for each in off)


def _depends_on_input(form: Function, draws: Sequence[Values], name: str) -> bool:
    """Return True if a form depends on an input."""
    for values, other in zip(draws, draws[::-1], strict=True):
        before, after = try_evaluate(form, values), try_evaluate(form, {**values, name: other[name]})
        if before is not None and after is not None and not np.array_equal(before, after):
            return True
    return False
