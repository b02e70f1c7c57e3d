"""Check for inputs that hide errors: zero blocks, constant values, symmetry, equal inputs, few binary digits.

On such inputs many wrong formulas agree with the right one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.evaluation import Values
from rbnotes.ledger.record import Function, Record

MAX_COMMON_SHARE = 0.9
"""Largest share of the inputs on which an entry may have the same value."""
COARSE_GRID = 1024
MAX_CHOICES = 3
"""Largest number of distinct values of an input that counts as a choice, not a number."""
MAX_ALLOWED_SHARE = 0.25
"""Largest share of replacements of an input of `condition_inputs` that may satisfy the condition."""
MIN_INPUT_SIZE = 1 / 128
"""Smallest size of an input's largest entry at which second-order terms are visible."""
LARGE_RESULT, MIN_VISIBLE_VARIATION, ROUNDING_ERROR = 100.0, 1e-3, 1e-13
"""Largest ratio of the tolerance to the variation of larger results, unless only rounding varies."""
MIN_DRAWS = 8
"""Smallest number of draws for which their variety is checked."""


def findings(record: Record, draws: Sequence[Values], off_grid: Sequence[Values]) -> list[str]:
    """Return the degeneracies of a record's inputs, one line per input."""
    problems_by_name: dict[str, list[str]] = {}
    if record.inputs and draws:
        for name in record.inputs:
            values = [draw[name] for draw in draws]
            problems = list(_degeneracies(values) if len(draws) >= MIN_DRAWS else _repeated_arrays(values))
            if _has_few_digits([draw[name] for draw in off_grid]):
                problems.append("only multiples of 1/1024, also off the grid")
            problems_by_name[name] = problems
        for first, second in _proportional_inputs(draws) if len(draws) >= MIN_DRAWS else ():
            problems_by_name[second].append(f"always {first} times the same number")
        for first, second in _orthogonal_inputs(off_grid) if len(off_grid) >= MIN_DRAWS else ():
            problems_by_name[second].append(f"always at right angles to {first}")
        for name in record.inputs if len(off_grid) >= MIN_DRAWS else ():
            if not problems_by_name[name] and _always_contains_zero([draw[name] for draw in off_grid]):
                problems_by_name[name].append("always has a zero, in one entry or another")
    lines = [
        f"inputs: {name} {'; '.join(problems)} (why: `special`)"
        for name, problems in problems_by_name.items()
        if problems and name not in record.special
    ]
    lines += [
        f"inputs: {name} is named in `special` but is not"
        for name in record.special
        if draws and not problems_by_name.get(name)
    ]
    return lines


def hidden_variation_findings(record: Record, expected: Sequence[Array]) -> list[str]:
    """Return findings on entries of the oracle's results that vary by less than the check resolves."""
    if len({right.shape for right in expected}) != 1 or not record.inputs:
        return []
    every = np.stack(expected)
    size, spread = np.max(np.abs(every), axis=0), np.ptp(every, axis=0)
    hidden = (
        (size > LARGE_RESULT)
        & (spread > ROUNDING_ERROR * size)
        & (record.tolerance * size > MIN_VISIBLE_VARIATION * spread)
    )
    return ["zero: the oracle's results vary too little relative to their size"] * bool(np.any(hidden))


def overly_special_findings(
    record: Record, condition_values: Sequence[Values], draws: Sequence[Values]
) -> list[str]:
    """Return findings on inputs of ``condition_inputs`` that are more special than the condition requires."""
    problems = []
    if record.holds_when is None or len(condition_values) < MIN_DRAWS:
        return []
    for name in record.inputs:
        special = set(_degeneracies([draw[name] for draw in condition_values]))
        special -= set(_degeneracies([draw[name] for draw in draws]))
        if not special or name in record.special:
            continue
        swapped = [
            {**kept, name: other[name]}
            for kept, other in zip(condition_values, draws, strict=False)
            if not _is_as_special(other[name], [draw[name] for draw in condition_values])
        ]
        allowed = sum(_condition_allows(record.holds_when, values) for values in swapped)
        if allowed > MAX_ALLOWED_SHARE * max(len(swapped), MIN_DRAWS):
            problems.append(
                f"inputs: {name} of `condition_inputs` is more special than the condition demands: "
                + "; ".join(sorted(special))
            )
    return problems


def _is_as_special(value: Any, kept: list[Any]) -> bool:
    """Return True if a value equals one of the kept values, or agrees with them wherever they all agree."""
    if any(_is_equal(value, each) for each in kept):
        return True
    parts, others = list(numeric_parts(value)), [list(numeric_parts(each)) for each in kept]
    shapes = [part.shape for part in parts]
    if not parts or any([part.shape for part in other] != shapes for other in others):
        return False
    constant_entries = [
        np.all(np.equal(together, together[0]), axis=0)
        for together in map(np.array, zip(*others, strict=True))
    ]
    same = [
        part[where] == first[where]
        for part, first, where in zip(parts, others[0], constant_entries, strict=True)
    ]
    return any(map(np.any, constant_entries)) and all(map(np.all, same))


def _condition_allows(holds_when: Function, values: Values) -> bool:
    """Return True if a condition holds on combined inputs; an exception counts as False."""
    try:
        return bool(np.all(holds_when(*values.values())))
    except (ValueError, IndexError, ArithmeticError):
        return False


def _degeneracies(values: list[Any]) -> Iterator[str]:
    """Yield descriptions of the ways in which the values of an input are not generic."""
    if not _varies(values):
        yield "does not vary"
        return
    yield from _repeated_arrays(values)
    parts = [list(numeric_parts(value)) for value in values]
    if len({tuple(part.shape for part in draw) for draw in parts}) != 1 or not parts[0]:
        return  # several shapes are varied enough
    for place in range(len(parts[0])):
        drawn = np.array([draw[place] for draw in parts])
        if drawn.dtype.kind != "f":
            continue
        label = f"[part {place}] " if len(parts[0]) > 1 else ""
        yield from (label + text for text in _array_degeneracies(drawn))


def _repeated_arrays(values: list[Any]) -> Iterator[str]:
    kinds = [value.tobytes() for value in values if isinstance(value, np.ndarray) and value.dtype.kind == "f"]
    if len(kinds) == len(values) and np.size(values[0]) > 1 and len(set(kinds)) < MIN_DRAWS:
        yield f"is one of {len(set(kinds))} arrays"


def _array_degeneracies(drawn: Array) -> Iterator[str]:
    """Yield the degeneracies of arrays of one shape, stacked along the first axis."""
    shape = drawn.shape[1:]
    pose = shape[-2:] == (4, 4) and bool(np.all(drawn[..., 3, :] == [0, 0, 0, 1]))
    constant_entries = []
    for index in np.ndindex(shape):
        if pose and index[-2] == 3:
            continue
        entry = drawn[(slice(None), *index)]
        kinds, counts = np.unique(entry, return_counts=True)
        if counts.max() > MAX_COMMON_SHARE * len(drawn):
            constant_entries.append((index, kinds[counts.argmax()]))
    if constant_entries and shape:
        shown = ", ".join(
            f"[{', '.join(map(str, index))}] = {value:g}" for index, value in constant_entries[:3]
        )
        yield f"hardly varies at {shown}" + (" ..." if len(constant_entries) > 3 else "")
    elif constant_entries:
        yield f"is {constant_entries[0][1]:g} on most inputs"
    elif np.max(np.abs(drawn), initial=0.0) < MIN_INPUT_SIZE:
        yield f"is never above {MIN_INPUT_SIZE}"
    elif (
        len(shape) == 1 and len(drawn) > 6 * shape[0] > 6 and _has_linear_relation(drawn)
    ):  # many inputs satisfy this by chance
        yield "has entries with a linear relation"
    size = int(np.prod(shape)) if shape else 1
    flat = drawn.reshape(len(drawn), -1)
    if size > 1 and np.mean([np.ptp(row) == 0 for row in flat]) > MAX_COMMON_SHARE:
        yield "has equal entries"
    if len(shape) == 2 and shape[0] == shape[1] > 1 and not constant_entries:
        symmetric = [np.array_equal(A, A.T) for A in drawn]
        if np.mean(symmetric) > MAX_COMMON_SHARE and not all(np.linalg.eigvalsh(A)[0] > 0 for A in drawn):
            yield "is symmetric without being positive definite"


def _has_linear_relation(drawn: Array) -> bool:
    """Return True if one linear equation holds for all vectors ``(N, n)``."""
    scaled = drawn / np.max(np.abs(drawn), axis=0)
    sizes = np.linalg.svd(np.column_stack([scaled, np.ones(len(drawn))]), compute_uv=False)
    return bool(sizes[-1] < 1e-9 * sizes[0])


def numeric_parts(value: Any) -> Iterator[Array]:
    """Yield the arrays of numbers in a value, without flags and text."""
    if isinstance(value, bool | np.bool_ | str | bytes) or value is None:
        return
    if isinstance(value, int | float | np.number):
        yield np.asarray(value)
    elif isinstance(value, np.ndarray):
        if value.dtype.kind in "fiu":
            yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from numeric_parts(part)
    elif isinstance(value, list | tuple):
        try:
            whole = np.asarray(value)
        except ValueError:
            whole = np.asarray(None)
        if whole.dtype.kind in "fiu" and whole.ndim:
            yield whole
            return
        for part in value:
            yield from numeric_parts(part)
    elif hasattr(value, "__dict__") and not callable(value):
        for part in vars(value).values():
            yield from numeric_parts(part)


def _varies(values: list[Any]) -> bool:
    """Return True if not all values are equal; objects that compare by identity count as different."""
    first = list(numeric_parts(values[0]))
    for other in values[1:]:
        parts = list(numeric_parts(other))
        if len(parts) != len(first) or not all(map(np.array_equal, parts, first)):
            return True
    if first:
        return False
    return len({str(value) for value in values}) > 1


def _has_few_digits(values: list[Any]) -> bool:
    if len({str(value) for value in values}) <= MAX_CHOICES:
        return False  # e.g. a sign
    drawn = [part.ravel() for value in values for part in numeric_parts(value) if part.dtype.kind == "f"]
    if not drawn or not values:
        return False
    every = np.concatenate(drawn)
    return every.size > 0 and bool(np.all(every * COARSE_GRID == np.round(every * COARSE_GRID)))


def _proportional_inputs(draws: Sequence[Values]) -> Iterator[tuple[str, str]]:
    """Yield pairs of inputs with a constant ratio."""
    parts = {name: [list(numeric_parts(draw[name])) for draw in draws] for name in draws[0]}
    shapes = {name: [[part.shape for part in each] for each in drawn] for name, drawn in parts.items()}
    flat = {
        name: np.concatenate([np.ravel(part) for each in drawn for part in each])
        for name, drawn in parts.items()
        if all(drawn)
    }
    for first, second in combinations(flat, 2):
        if shapes[first] == shapes[second] and np.any(a := flat[first]):
            b = flat[second]
            if np.allclose(b, (a @ b) / (a @ a) * a, rtol=0.0, atol=1e-12 * np.max(np.abs(b))):
                yield first, second


def _orthogonal_inputs(draws: Sequence[Values]) -> Iterator[tuple[str, str]]:
    """Yield pairs of nonzero vectors that are orthogonal on all inputs."""
    vectors = {
        name: np.stack([draw[name] for draw in draws])
        for name in draws[0]
        if all(isinstance(draw[name], np.ndarray) and draw[name].dtype.kind == "f" for draw in draws)
        and draws[0][name].ndim == 1
        and len({draw[name].shape for draw in draws}) == 1
    }
    for first, second in combinations(vectors, 2):
        a, b = vectors[first], vectors[second]
        if a.shape == b.shape:
            sizes = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
            if np.any(sizes) and np.all(np.abs(np.sum(a * b, axis=1)) <= ROUNDING_ERROR * sizes):
                yield first, second


def _always_contains_zero(values: list[Any]) -> bool:
    """Return True if all arrays contain a zero, but no entry is always zero."""
    parts = [list(numeric_parts(value)) for value in values]
    if any(len(part) != 1 or part[0].dtype.kind != "f" for part in parts):
        return False
    if len({part[0].shape for part in parts}) != 1 or parts[0][0].size < 2:
        return False
    zeros = np.stack([part[0].ravel() for part in parts]) == 0
    return bool(np.all(np.any(zeros, axis=1)) and np.all(np.mean(zeros, axis=0) < MAX_COMMON_SHARE))


def _is_equal(a: Any, b: Any) -> bool:
    first, second = list(numeric_parts(a)), list(numeric_parts(b))
    return bool(first) and len(first) == len(second) and all(map(np.array_equal, first, second))
