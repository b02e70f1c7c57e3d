"""Inputs that hide: zero blocks, values that never vary, symmetry, twins, few binary digits.

A formula checked on such inputs agrees with many wrong ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.record import Record
from rbnotes.ledger.trials import Values

COMMON = 0.9
"""An entry that has one value on more than this share of the inputs does not vary."""
FEW_DIGITS = 1024
CHOICES = 3
"""So few values are no numbers but a choice."""
ALLOWED = 0.25
"""Share of the replacements within the condition that shows an input of `given` to be needlessly special."""
FEWEST = 8
"""Draws below which nothing is said about their variety."""


def findings(record: Record, draws: Sequence[Values], off_grid: Sequence[Values]) -> list[str]:
    """What the record's inputs hide, by input."""
    found: dict[str, list[str]] = {}
    if record.inputs and len(draws) >= FEWEST:
        for name in record.inputs:
            values = [draw[name] for draw in draws]
            problems = list(_degeneracies(values))
            if _few_digits([draw[name] for draw in off_grid]):
                problems.append("only multiples of 1/1024, also off the grid")
            found[name] = problems
        for first, second in _twins(draws):
            found[second].append(f"always equal to {first}")
    lines = [
        f"inputs: {name} {'; '.join(problems)} (why: `special`)"
        for name, problems in found.items()
        if problems and name not in record.special
    ]
    lines += [
        f"inputs: {name} is named in `special` but is not"
        for name in record.special
        if draws and not found.get(name)
    ]
    return lines


def needless(record: Record, given: Sequence[Values], draws: Sequence[Values]) -> list[str]:
    """Inputs of ``given`` that are more special than the condition demands."""
    found = []
    if record.holds_when is None or len(given) < FEWEST:
        return []
    for name in record.inputs:
        special = set(_degeneracies([draw[name] for draw in given]))
        special -= set(_degeneracies([draw[name] for draw in draws]))
        if not special or name in record.special:
            continue
        swapped = [
            {**kept, name: other[name]}
            for kept, other in zip(given, draws, strict=False)
            if not _equal(kept[name], other[name])
        ]
        allowed = sum(_true(record, values) for values in swapped)
        if allowed > ALLOWED * max(len(swapped), FEWEST):
            found.append(
                f"inputs: {name} of `given` is more special than the condition demands: "
                + "; ".join(sorted(special))
            )
    return found


def _true(record: Record, values: Values) -> bool:
    assert record.holds_when is not None
    try:
        return bool(np.all(record.holds_when(*values.values())))
    except (ValueError, IndexError, ArithmeticError):
        return False


def _degeneracies(values: list[Any]) -> Iterator[str]:
    if not _vary(values):
        yield "does not vary"
        return
    parts = [list(numeric(value)) for value in values]
    if len({tuple(part.shape for part in draw) for draw in parts}) != 1 or not parts[0]:
        return  # of several shapes: variety enough
    for place in range(len(parts[0])):
        drawn = np.array([draw[place] for draw in parts])
        if drawn.dtype.kind != "f":
            continue
        label = f"[part {place}] " if len(parts[0]) > 1 else ""
        yield from (label + text for text in _of_arrays(drawn))


def _of_arrays(drawn: Array) -> Iterator[str]:
    """Degeneracies of arrays of one shape, stacked along the first axis."""
    shape = drawn.shape[1:]
    pose = shape[-2:] == (4, 4) and bool(np.all(drawn[..., 3, :] == [0, 0, 0, 1]))
    still = []
    for index in np.ndindex(shape):
        if pose and index[-2] == 3:
            continue
        entry = drawn[(slice(None), *index)]
        kinds, counts = np.unique(entry, return_counts=True)
        if counts.max() > COMMON * len(drawn):
            still.append((index, kinds[counts.argmax()]))
    if still and shape:
        shown = ", ".join(f"[{', '.join(map(str, index))}] = {value:g}" for index, value in still[:3])
        yield f"hardly varies at {shown}" + (" ..." if len(still) > 3 else "")
    elif still:
        yield f"is {still[0][1]:g} on most inputs"
    size = int(np.prod(shape)) if shape else 1
    flat = drawn.reshape(len(drawn), -1)
    if size > 1 and np.mean([np.ptp(row) == 0 for row in flat]) > COMMON:
        yield "has equal entries"
    if len(shape) == 2 and shape[0] == shape[1] > 1 and not still:
        symmetric = [np.array_equal(A, A.T) for A in drawn]
        if np.mean(symmetric) > COMMON and not all(np.linalg.eigvalsh(A)[0] > 0 for A in drawn):
            yield "is symmetric without being positive definite"


def numeric(value: Any) -> Iterator[Array]:
    """The arrays of numbers that a value consists of; flags and words are left out."""
    if isinstance(value, bool | np.bool_ | str | bytes) or value is None:
        return
    if isinstance(value, int | float | np.number):
        yield np.asarray(value)
    elif isinstance(value, np.ndarray):
        if value.dtype.kind in "fiu":
            yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from numeric(part)
    elif isinstance(value, list | tuple):
        try:
            whole = np.asarray(value)
        except ValueError:
            whole = np.asarray(None)
        if whole.dtype.kind in "fiu" and whole.ndim:
            yield whole
            return
        for part in value:
            yield from numeric(part)
    elif hasattr(value, "__dict__") and not callable(value):
        for part in vars(value).values():
            yield from numeric(part)


def _vary(values: list[Any]) -> bool:
    """Whether not all values are equal; objects that only know their identity do."""
    first = list(numeric(values[0]))
    for other in values[1:]:
        parts = list(numeric(other))
        if len(parts) != len(first) or not all(map(np.array_equal, parts, first)):
            return True
    if first:
        return False
    return len({str(value) for value in values}) > 1


def _few_digits(values: list[Any]) -> bool:
    if len({str(value) for value in values}) <= CHOICES:
        return False  # a choice, such as a sign
    drawn = [part.ravel() for value in values for part in numeric(value) if part.dtype.kind == "f"]
    if not drawn or not values:
        return False
    every = np.concatenate(drawn)
    return every.size > 0 and bool(np.all(every * FEW_DIGITS == np.round(every * FEW_DIGITS)))


def _twins(draws: Sequence[Values]) -> Iterator[tuple[str, str]]:
    names = list(draws[0])
    for place, first in enumerate(names):
        for second in names[place + 1 :]:
            pairs = [(draw[first], draw[second]) for draw in draws]
            if all(_equal(a, b) for a, b in pairs):
                yield first, second


def _equal(a: Any, b: Any) -> bool:
    first, second = list(numeric(a)), list(numeric(b))
    return bool(first) and len(first) == len(second) and all(map(np.array_equal, first, second))
