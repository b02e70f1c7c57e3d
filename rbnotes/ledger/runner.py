"""Runs records: each verdict is confirmed by search, never taken on trust."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from numpy.typing import ArrayLike

from rbnotes.checking.draws import same_everywhere
from rbnotes.ledger.record import NEEDS_CORRECTION, Function, Inputs, Record, Verdict

SIGNIFICANT = 1e-2
"""A counterexample must be off by this much, so that neither rounding nor the oracle's error makes one.

Printed numbers, which have no inputs to vary, are wrong as soon as they are off by more than their tolerance.
"""

Values = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """What running one record showed."""

    record: Record
    confirmed: bool
    reason: str = ""
    """Why the verdict is not confirmed."""
    residual_printed: float | None = None
    """Largest residual of the printed form: at its counterexample, or over all inputs tried."""
    residual_corrected: float | None = None
    """Largest residual of the library's form over all inputs tried."""
    counterexample: Values | None = None
    """Smallest inputs found on which the printed form is wrong."""


def residual(form: Function, reference: Function, values: Values) -> float:
    """Largest entry of ``|form - reference|``, relative to the reference's largest where that exceeds 1.

    A form that cannot be evaluated on shapes that the formula allows, or that returns another shape
    or a NaN, is infinitely wrong.
    """
    expected = np.asarray(reference(*values.values()), dtype=np.float64)
    if not np.all(np.isfinite(expected)):
        raise ArithmeticError(f"the oracle gives no finite number on {values}")
    return deviation(form, expected, values)


def deviation(form: Function, expected: ArrayLike, values: Values) -> float:
    """Residual of a form against values computed before."""
    expected = np.asarray(expected, dtype=np.float64)
    try:
        with np.errstate(all="ignore"):
            actual = np.asarray(form(*values.values()), dtype=np.float64)
    except (ValueError, IndexError, ArithmeticError):
        return np.inf
    if actual.shape != expected.shape or not np.all(np.isfinite(actual)):
        return np.inf
    # Printed numbers, which have no inputs, are judged by their last digit.
    scale = max(1.0, np.max(np.abs(expected), initial=0.0)) if values else 1.0
    return float(np.max(np.abs(actual - expected), initial=0.0) / scale)


def _settings(examples: int, *, shrink: bool, afresh: bool = False) -> settings:
    phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)
    return settings(
        max_examples=examples,
        derandomize=not afresh,
        database=None,
        deadline=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
    )


def _named(inputs: Inputs) -> st.SearchStrategy[Values]:
    # Not fixed_dictionaries: these shuffle their keys, and forms take their arguments by position.
    return st.tuples(*inputs.values()).map(lambda values: dict(zip(inputs, values, strict=True)))


def samples(inputs: Inputs, count: int) -> list[Values]:
    """The first ``count`` inputs that a search would try; always the same ones."""
    if not inputs:
        return [{}]
    drawn: list[Values] = []

    @_settings(count, shrink=False)
    @given(_named(inputs))
    def draw(values: Values) -> None:
        drawn.append(values)

    with same_everywhere():
        draw()
    return drawn


@dataclass
class Search:
    """Result of hunting for inputs on which a form is wrong."""

    counterexample: Values | None
    worst: float


def search(
    form: Function,
    reference: Function,
    inputs: Inputs,
    *,
    threshold: float,
    examples: int,
    shrink: bool = True,
    afresh: bool = False,
) -> Search:
    """Hunt for inputs with a residual above ``threshold``, and shrink what is found.

    The inputs tried are always the same ones, on every machine, unless drawn ``afresh``.
    """
    worst = 0.0

    def wrong(values: Values) -> bool:
        nonlocal worst
        size = residual(form, reference, values)
        worst = max(worst, size)
        return size > threshold

    if not inputs:
        return Search({} if wrong({}) else None, worst)
    try:
        with same_everywhere():
            found = find(_named(inputs), wrong, settings=_settings(examples, shrink=shrink, afresh=afresh))
    except NoSuchExample:
        return Search(None, worst)
    return Search(found, residual(form, reference, found))


def verify(record: Record, *, examples: int = 40, shrink: bool = True, afresh: bool = False) -> Outcome:
    """Run one record: search for counterexamples to the printed and to the library's form.

    The inputs tried are always the same ones, on every machine, unless drawn ``afresh``.
    """
    try:
        for name in record.implemented_by:
            resolve(name)
    except (ImportError, AttributeError) as error:
        return Outcome(record, False, f"implemented_by: {error}")

    printed = corrected = None
    counterexample: Values | None = None
    reasons: list[str] = []

    def hunt(form: Function, inputs: Inputs, threshold: float) -> Search:
        assert record.reference is not None
        return search(
            form,
            record.reference,
            inputs,
            threshold=threshold,
            examples=examples,
            shrink=shrink,
            afresh=afresh,
        )

    if record.printed is not None:
        if record.verdict in (*NEEDS_CORRECTION, Verdict.CONDITIONAL):
            result = hunt(record.printed, record.inputs, SIGNIFICANT if record.inputs else record.tolerance)
            counterexample = result.counterexample
            if counterexample is None:
                reasons.append(f"no counterexample found (largest residual {result.worst:.2g})")
            printed = result.worst
            if record.given is not None:
                result = hunt(record.printed, record.given, record.tolerance)
                if result.counterexample is not None:
                    reasons.append(f"fails on {result.counterexample} although the condition holds")
        else:
            result = hunt(record.printed, record.inputs, record.tolerance)
            counterexample, printed = result.counterexample, result.worst
            if counterexample is not None:
                reasons.append(f"the printed form is off by {printed:.2g} on {counterexample}")
    if record.library is not None:
        result = hunt(record.library, record.inputs, record.tolerance)
        corrected = result.worst
        if result.counterexample is not None:
            reasons.append(f"the library's form is off by {corrected:.2g} on {result.counterexample}")
    return Outcome(record, not reasons, "; ".join(reasons), printed, corrected, counterexample)


def resolve(dotted: str) -> Callable[..., Any]:
    """The object with the dotted name ``rbnotes.module.name`` (or a module)."""
    parts = dotted.split(".")
    for split in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:split]))
        except ModuleNotFoundError as error:
            if error.name is None or not dotted.startswith(error.name):
                raise
            continue
        for attribute in parts[split:]:
            found = getattr(found, attribute)
        return found  # type: ignore[return-value]
    raise ImportError(f"nothing named {dotted}")
