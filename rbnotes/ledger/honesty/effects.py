"""What forms do besides computing, or fail to do: a memory, changed arguments, a library called in vain."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numpy as np

from rbnotes.ledger.honesty.claim_code import forms, home
from rbnotes.ledger.honesty.tracing import Named, trace
from rbnotes.ledger.honesty.variety import numeric
from rbnotes.ledger.record import Function, Record
from rbnotes.ledger.resolving import resolve
from rbnotes.ledger.trials import Values, result


def state(record: Record, draws: Sequence[Values]) -> list[str]:
    """Forms whose result changes between calls, or that change their arguments."""
    mine = {name: copy.deepcopy(list(draws)) for name in forms(record)}
    before = {name: [_bits(form, values) for values in mine[name]] for name, form in forms(record).items()}
    changed = {
        name: any(_changed(a, b) for a, b in zip(draws, mine[name], strict=True)) for name in forms(record)
    }
    mine = {name: copy.deepcopy(list(draws)) for name in forms(record)}
    found = []
    # All other forms have run since, and the inputs come in another order.
    for name, form in forms(record).items():
        after = [_bits(form, values) for values in reversed(mine[name])][::-1]
        if before[name] != after:
            found.append(f"state: the {name} form gives other results when called again")
        if changed[name]:
            found.append(f"state: the {name} form changes its arguments")
    return found


def _bits(form: Function, values: Values) -> bytes:
    try:
        return result(form, values).tobytes()
    except Exception:  # a printed form may fail; its verdict says so
        return b""


def _changed(first: Values, second: Values) -> bool:
    return any(
        not np.array_equal(a, b, equal_nan=True)
        for name in first
        for a, b in zip(numeric(first[name]), numeric(second[name]), strict=True)
    )


def ignored(record: Record, draws: Sequence[Values]) -> list[str]:
    """Functions of ``implemented_by`` whose results do not matter to the form that calls them."""
    form = record.library if record.library is not None else record.printed
    found: list[str] = []
    if form is None:
        return found
    watched = trace(form, draws)
    before = [_bits(form, values) for values in draws]
    for name in record.implemented_by:
        function = resolve(name)
        if not isinstance(function, FunctionType) or not watched.enters(Named(name, function)):
            continue  # said elsewhere
        with _spoilt(function) as told:
            used = any(_bits(form, values) != bits for values, bits in zip(draws, before, strict=True))
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
        for module in list(sys.modules.values())
        if home(getattr(module, "__name__", "") or "") in ("claim", "library")
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
