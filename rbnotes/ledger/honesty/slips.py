"""Is what a record calls a slip one? A print with noise or rounding added is no formula of the notes.

Its correction, put in the place of the print, must be another formula than the print.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.record import NEEDS_CORRECTION, Function, Record
from rbnotes.ledger.trials import Values, attempt

TRIED = 8
"""Inputs that are changed a little."""
FEWEST = 3
LITTLE = 2.0**-24
"""By this part of themselves."""
STEEP = 20.0
"""A print that changes so many times as much as the right form, or as the input, is noise."""
MOSTLY = 0.5
NEAR = 0.1
"""What is rounded is off by no more than this part of the largest entry, or of one."""
SPACING = re.compile(r"\\[,;:!]|\\(?:left|right|quad|qquad)(?![a-zA-Z])|[{}\s~]")


def findings(record: Record, draws: Sequence[Values]) -> Iterator[str]:
    """What is wrong with a slip: nothing that a correction changes, or a print that is no formula."""
    if record.verdict not in NEEDS_CORRECTION:
        return
    if record.replacement and tex(record.replacement) == tex(record.formula):
        yield "slip: what `replacement` puts in the place of the print is the print"
    if record.printed is None or record.library is None or not record.inputs:
        return
    few = draws[:: max(1, len(draws) // TRIED)]
    stays = []
    for name in record.inputs:
        if any(_moved(values[name]) is values[name] for values in few):
            continue  # not a number: it cannot be changed a little
        changes = list(_changes(record.printed, record.library, few, name))
        if sum(right > 0.0 for _, right in changes) < FEWEST and not any(ours for ours, _ in changes):
            continue
        steep = np.mean([ours > STEEP * max(right, LITTLE) for ours, right in changes])
        if steep > MOSTLY:
            yield f"slip: the printed form is noise where {name} changes a little"
        if _depends(record.printed, few, name):
            stays.append(np.mean([ours == 0.0 for ours, _ in changes]) > MOSTLY)
    if stays and all(stays) and _near(record.printed, record.library, few):
        yield "slip: the printed form is rounded: it stays where its inputs change a little"


def tex(formula: str) -> str:
    """A formula without what changes nothing but its spacing."""
    return SPACING.sub("", formula)


def _changes(
    printed: Function, library: Function, draws: Sequence[Values], name: str
) -> Iterator[tuple[float, float]]:
    """By how much the print and the right form change, relative to their sizes, with one of their inputs."""
    for values in draws:
        other = {**values, name: _moved(values[name])}
        pairs = [(attempt(form, values), attempt(form, other)) for form in (printed, library)]
        sizes = [_change(before, after) for before, after in pairs]
        if sizes[0] is not None and sizes[1] is not None:
            yield sizes[0], sizes[1]


def _moved(value: Any) -> Any:
    number = isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")
    return (1.0 + LITTLE) * value if number else value


def _change(before: Array | None, after: Array | None) -> float | None:
    if before is None or after is None or before.shape != after.shape:
        return None
    size = max(1.0, float(np.max(np.abs(before), initial=0.0)))
    change = float(np.max(np.abs(after - before), initial=0.0)) / size
    return change if np.isfinite(change) else None


def _near(printed: Function, library: Function, draws: Sequence[Values]) -> bool:
    """Whether a print differs from the right form by little, as what is rounded does."""
    pairs = [(attempt(library, values), attempt(printed, values)) for values in draws]
    off = [_change(right, print_) for right, print_ in pairs]
    return all(each is not None and each < NEAR for each in off)


def _depends(form: Function, draws: Sequence[Values], name: str) -> bool:
    """Whether an input matters to a form at all."""
    for values, other in zip(draws, draws[::-1], strict=True):
        before, after = attempt(form, values), attempt(form, {**values, name: other[name]})
        if before is not None and after is not None and not np.array_equal(before, after):
            return True
    return False
