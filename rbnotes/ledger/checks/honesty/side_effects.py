"""Check forms for hidden state, changed arguments and library calls without effect."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.checks.claim_code import loaded_modules, record_forms
from rbnotes.ledger.checks.honesty.input_variety import numeric_parts
from rbnotes.ledger.checks.honesty.tracing import CodeTrace, NamedCode
from rbnotes.ledger.evaluation import Values, deviation_or_inf, try_evaluate
from rbnotes.ledger.record import Record


def state_findings(
    record: Record, draws: Sequence[Values], before: Mapping[str, Sequence[Array | None]]
) -> list[str]:
    """Return findings on forms whose results differ from ``before``, or that change their arguments."""
    findings = []
    # All forms have run since then, and the inputs are in another order.
    for name, form in record_forms(record).items():
        copies = copy.deepcopy(list(draws))
        try:
            after = [_result_bytes(try_evaluate(form, values)) for values in reversed(copies)][::-1]
        except Exception as error:  # it did not raise before
            findings.append(f"state: the {name} form fails when called again: {error!r}")
            continue
        if [_result_bytes(known) for known in before[name]] != after:
            findings.append(f"state: the {name} form gives other results when called again")
        if any(_arguments_differ(a, b) for a, b in zip(draws, copies, strict=True)):
            findings.append(f"state: the {name} form changes its arguments")
    return findings


def _result_bytes(result: Array | None) -> bytes:
    return b"" if result is None else result.tobytes()


def _arguments_differ(first: Values, second: Values) -> bool:
    return any(
        not np.array_equal(a, b, equal_nan=True)
        for name in first
        for a, b in zip(numeric_parts(first[name]), numeric_parts(second[name]), strict=True)
    )


def unused_function_findings(
    record: Record,
    draws: Sequence[Values],
    before: Mapping[str, Sequence[Array | None]],
    traces: Mapping[str, CodeTrace],
) -> list[str]:
    """Return findings on functions of ``implements`` whose results do not affect the form that calls them."""
    user = "library" if record.library is not None else "printed"
    form = record_forms(record).get(user)
    findings: list[str] = []
    if form is None:
        return findings
    form_trace = traces[user]
    for name, function in zip(record.implemented_by, record.implements, strict=True):
        if not isinstance(function, FunctionType) or not form_trace.enters(NamedCode(name, function)):
            continue  # reported elsewhere
        with _perturb_function(function) as was_perturbed:
            used = any(
                old is None or deviation_or_inf(form, old, values) > record.tolerance
                for values, old in zip(draws, before[user], strict=True)
            )
        if was_perturbed and not used:
            findings.append(f"library: the form calls {name} but does not use its result")
    return findings


@contextmanager
def _perturb_function(function: FunctionType) -> Iterator[list[bool]]:
    """Make a function return a perturbed result in the context, wherever a name refers to it."""
    perturbed_calls: list[bool] = []

    def perturbed_function(*values: Any, **options: Any) -> Any:
        right = function(*values, **options)
        wrong = _perturb(right)
        perturbed_calls.extend([True] if wrong is not right else [])
        return wrong

    places = [
        (module, name)
        for module in loaded_modules()
        for name, value in list(vars(module).items())
        if value is function
    ]
    for module, name in places:
        setattr(module, name, perturbed_function)
    try:
        yield perturbed_calls
    finally:
        for module, name in places:
            setattr(module, name, function)


def _perturb(value: Any) -> Any:
    """Return a value of the same type with other numbers; the value itself if it has no numbers."""
    if isinstance(value, bool | np.bool_):
        return not value
    if isinstance(value, float | int | np.floating | np.integer):
        return 1.5 * value + 0.25
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
        return 1.5 * value + 0.25
    if isinstance(value, list):
        return [_perturb(part) for part in value]
    if isinstance(value, tuple):
        parts = [_perturb(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if hasattr(value, "__dataclass_fields__"):
        other = copy.copy(value)
        for name in value.__dataclass_fields__:
            object.__setattr__(other, name, _perturb(getattr(value, name)))
        return other
    return value
