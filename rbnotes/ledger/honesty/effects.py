"""What forms do besides computing, or fail to do: a memory, changed arguments, a library called in vain."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.honesty.claim_code import forms, modules
from rbnotes.ledger.honesty.tracing import Named, Trace
from rbnotes.ledger.honesty.variety import numeric
from rbnotes.ledger.record import Record
from rbnotes.ledger.resolving import resolve
from rbnotes.ledger.trials import Values, attempt, changed_deviation


def state(record: Record, draws: Sequence[Values], before: Mapping[str, Sequence[Array | None]]) -> list[str]:
    """Forms whose result is another one than ``before``, or that change their arguments."""
    found = []
    # All forms have run since, and the inputs come in another order.
    for name, form in forms(record).items():
        mine = copy.deepcopy(list(draws))
        try:
            after = [_as_bits(attempt(form, values)) for values in reversed(mine)][::-1]
        except Exception as error:  # what it never did before, or it would not have come so far
            found.append(f"state: the {name} form fails when called again: {error!r}")
            continue
        if [_as_bits(known) for known in before[name]] != after:
            found.append(f"state: the {name} form gives other results when called again")
        if any(_changed(a, b) for a, b in zip(draws, mine, strict=True)):
            found.append(f"state: the {name} form changes its arguments")
    return found


def _as_bits(found: Array | None) -> bytes:
    return b"" if found is None else found.tobytes()


def _changed(first: Values, second: Values) -> bool:
    return any(
        not np.array_equal(a, b, equal_nan=True)
        for name in first
        for a, b in zip(numeric(first[name]), numeric(second[name]), strict=True)
    )


def ignored(
    record: Record,
    draws: Sequence[Values],
    before: Mapping[str, Sequence[Array | None]],
    traces: Mapping[str, Trace],
) -> list[str]:
    """Functions of ``implemented_by`` whose results hardly matter to the form that calls them."""
    user = "library" if record.library is not None else "printed"
    form = forms(record).get(user)
    found: list[str] = []
    if form is None:
        return found
    watched = traces[user]
    for name in record.implemented_by:
        function = resolve(name)
        if not isinstance(function, FunctionType) or not watched.enters(Named(name, function)):
            continue  # said elsewhere
        with _spoilt(function) as told:
            used = any(
                old is None or changed_deviation(form, old, values) > record.tolerance
                for values, old in zip(draws, before[user], strict=True)
            )
        if told and not used:
            found.append(f"library: the form calls {name} but does not use its result")
    return found


@contextmanager
def _spoilt(function: FunctionType) -> Iterator[list[bool]]:
    """Inside, a function returns something else wherever it is known by a name."""
    told: list[bool] = []

    def spoilt(*values: Any, **options: Any) -> Any:
        right = function(*values, **options)
        wrong = _other(right)
        told.extend([True] if wrong is not right else [])
        return wrong

    places = [
        (module, name)
        for module in modules()
        for name, value in list(vars(module).items())
        if value is function
    ]
    for module, name in places:
        setattr(module, name, spoilt)
    try:
        yield told
    finally:
        for module, name in places:
            setattr(module, name, function)


def _other(value: Any) -> Any:
    """A value of the same kind with other numbers; the value itself if it has none."""
    if isinstance(value, bool | np.bool_):
        return not value
    if isinstance(value, float | int | np.floating | np.integer):
        return 1.5 * value + 0.25
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
        return 1.5 * value + 0.25
    if isinstance(value, list):
        return [_other(part) for part in value]
    if isinstance(value, tuple):
        parts = [_other(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if hasattr(value, "__dataclass_fields__"):
        other = copy.copy(value)
        for name in value.__dataclass_fields__:
            object.__setattr__(other, name, _other(getattr(value, name)))
        return other
    return value
