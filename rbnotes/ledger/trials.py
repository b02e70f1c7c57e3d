"""Trying forms on inputs: what is drawn, how far a form is off, and the search for a counterexample."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from unittest import SkipTest

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.database import ExampleDatabase
from numpy.typing import ArrayLike

from rbnotes.arguments import Array
from rbnotes.checking import SEED, same_everywhere, strategies
from rbnotes.ledger.record import Function, Inputs

SIGNIFICANT = 1e-2
"""A counterexample must be off by this much, so that neither rounding nor the oracle's error makes one.

Printed numbers, which have no inputs to vary, are wrong as soon as they are off by more than their tolerance.
"""
TELLING = 0.1
"""A counterexample that is off by this much is preferred: it does not read like rounding."""
SMALLEST_SHARE = 1e-5
"""Entries this much smaller than the largest are still judged by their own size."""

Values = dict[str, Any]


class NoOracle(ArithmeticError):
    """A reference gives no finite number."""


def result(form: Function, values: Values) -> Array:
    """The form's result as an array of real numbers."""
    with np.errstate(all="ignore"):
        raw = np.asarray(form(*values.values()))
    if np.iscomplexobj(raw):
        raise ValueError("the result is complex")
    return raw.astype(np.float64)


def expectation(reference: Function, values: Values) -> Array:
    """The reference's result; it must be finite.

    Raises
    ------
    NoOracle
        If it is not.
    """
    expected = result(reference, values)
    if not np.all(np.isfinite(expected)):
        raise NoOracle(f"the oracle gives no finite number on {values}")
    return expected


def expectations(reference: Function, inputs: Inputs, count: int) -> list[Array]:
    """The reference's results on :func:`samples`, kept until it is another claim's turn."""
    return _expectations(reference, tuple(inputs.items()), count)


@lru_cache(maxsize=4)
def _expectations(
    reference: Function, named: tuple[tuple[str, st.SearchStrategy[Any]], ...], count: int
) -> list[Array]:
    found = [expectation(reference, values) for values in samples(dict(named), count)]
    for each in found:
        each.flags.writeable = False
    return found


def attempt(form: Function, values: Values) -> Array | None:
    """The form's result; None if it cannot be evaluated on shapes that the formula allows."""
    try:
        return result(form, values)
    except (ValueError, IndexError, ArithmeticError):
        return None


def residual(form: Function, reference: Function, values: Values) -> float:
    """:func:`deviation` of a form from its reference."""
    return deviation(form, expectation(reference, values), values)


def deviation(form: Function, expected: ArrayLike, values: Values) -> float:
    """Largest ``|form - expected|`` of all entries, each relative to its own size where that exceeds 1.

    An entry's own size is at least a hundred thousandth of the largest entry, which leaves room for its
    rounding. A form that cannot be evaluated on shapes that the formula allows, or that returns another shape
    or a NaN, is infinitely wrong.
    """
    return result_deviation(attempt(form, values), expected, values)


def result_deviation(found: Array | None, expected: ArrayLike, values: Values) -> float:
    """:func:`deviation` of what :func:`attempt` gave."""
    return np.inf if found is None else distance(found, expected, printed_numbers=not values)


def changed_deviation(form: Function, expected: Array, values: Values) -> float:
    """:func:`deviation` of a form that was changed, or what it calls: it may fail in any way."""
    try:
        return result_deviation(result(form, values), expected, values)
    except Exception:  # then the change is noticed
        return np.inf


def distance(actual: Array, expected: ArrayLike, *, printed_numbers: bool = False) -> float:
    """Residual of a result, see :func:`deviation`; printed numbers are compared as they are."""
    expected = np.asarray(expected, dtype=np.float64)
    if actual.shape != expected.shape or not np.all(np.isfinite(actual)):
        return np.inf
    size = np.abs(expected)
    scale = np.maximum(np.maximum(1.0, size), SMALLEST_SHARE * np.max(size, initial=0.0))
    return float(np.max(np.abs(actual - expected) / (1.0 if printed_numbers else scale), initial=0.0))


def search_settings(examples: int, *phases: Phase, database: ExampleDatabase | None = None) -> settings:
    """Return the settings of a search of these phases.

    Its seed is set beside them: ``derandomize`` would take it from source text.
    """
    return settings(
        max_examples=examples,
        derandomize=False,
        database=database,
        deadline=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )


def _named(inputs: Inputs) -> st.SearchStrategy[Values]:
    # Not fixed_dictionaries: these shuffle their keys, and forms take their arguments by position.
    return st.tuples(*inputs.values()).map(lambda values: dict(zip(inputs, values, strict=True)))


def _in(region: strategies.Region, inputs: Inputs, alone: str | None = None) -> Inputs:
    """The inputs; large ones half of the time one alone, since what turns fast need not be huge as well."""
    if region != "large":
        return inputs
    count = len(inputs)
    choices = [[*inputs].index(alone)] if alone else [*range(count), *[None] * count]
    chosen = st.shared(st.sampled_from(choices), key="the one that is large")

    @st.composite
    def drawn(draw: st.DrawFn, place: int, strategy: st.SearchStrategy[Any]) -> Any:
        alone = draw(chosen)
        with strategies.region(region if alone in (None, place) else "generic"):
            return draw(strategy)

    return {name: drawn(place, strategy) for place, (name, strategy) in enumerate(inputs.items())}


def samples(
    inputs: Inputs,
    count: int,
    *,
    afresh: bool = False,
    region: strategies.Region = "generic",
    start: int = SEED,
    alone: str | None = None,
) -> list[Values]:
    """Return ``count`` inputs; always the same ones, unless drawn ``afresh``.

    Others, but again always the same ones, are drawn from another ``region`` or with another ``start`` of the
    generator of random numbers. Where they are large, it is all arguments or one of them: that which is to be
    large ``alone``, if one is named.
    """
    if not inputs:
        return [{}]
    draw = _drawn.__wrapped__ if afresh else _drawn
    # Copies, lest a form that changes its arguments changes those of the next.
    return [
        {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in values.items()}
        for values in draw(tuple(inputs.items()), count, region, None if afresh else start, alone)
    ]


@lru_cache(maxsize=64)
def _drawn(
    named: tuple[tuple[str, st.SearchStrategy[Any]], ...],
    count: int,
    region: strategies.Region,
    start: int | None,
    alone: str | None,
) -> list[Values]:
    """Draw once for all claims that share their inputs: drawing takes longer than most forms.

    Without a ``start`` the inputs are other ones each time.
    """
    inputs = _in(region, dict(named), alone)
    drawn: list[Values] = []

    @search_settings(count, Phase.generate)
    @given(_named(inputs))
    def draw(values: Values) -> None:
        drawn.append(values)

    with same_everywhere(), strategies.region(region):
        (draw if start is None else seed(start)(draw))()
    return drawn


@dataclass(frozen=True)
class Search:
    """Result of hunting for inputs on which a form is wrong."""

    counterexample: Values | None
    """Inputs on which the form is wrong; None if none were found."""
    worst: float
    """Residual on the counterexample; without one, the largest of all inputs tried."""


def search(
    form: Function,
    reference: Function,
    inputs: Inputs,
    *,
    threshold: float,
    examples: int,
    shrink: bool = True,
    finite: bool = False,
    known: tuple[str, ExampleDatabase] | None = None,
) -> Search:
    """Hunt for inputs with a residual above ``threshold``, and shrink what is found.

    With ``finite`` a form that gives no number does not count as wrong. With ``known``, a claim and a
    database, only what is kept there is tried.
    """
    worst = 0.0

    def wrong(values: Values) -> bool:
        nonlocal worst
        size = residual(form, reference, values)
        if finite and not np.isfinite(size):
            return False
        worst = max(worst, size)
        return size > threshold

    if not inputs:
        return Search({} if wrong({}) else None, worst)
    if known is None:
        phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)
        found = find_inputs(inputs, wrong, search_settings(examples, *phases))
    else:
        claim, database = known
        replay = search_settings(examples, Phase.reuse, database=database)
        found = find_inputs(inputs, wrong, replay, claim)
    return Search(None, worst) if found is None else Search(found, residual(form, reference, found))


class _Found(Exception):
    """Inputs are wrong, which ends the search as a failing test would."""


def find_inputs(
    inputs: Inputs, wrong: Callable[[Values], bool], how: settings, claim: str = ""
) -> Values | None:
    """Return the smallest inputs found on which something is ``wrong``; None if there are none.

    The search starts from :data:`rbnotes.checking.SEED`. A database in the settings keeps the inputs by the
    name of the ``claim``. (``hypothesis.find`` has no seed of its own, or no database.)
    """
    found: Values | None = None

    def test(values: Values) -> None:
        nonlocal found
        if wrong(values):
            found = values
            raise _Found

    with same_everywhere():
        # The settings come last: a seed takes their database away.
        tried: Any = how(seed(SEED)(given(_named(inputs))(test)))
        tried._hypothesis_internal_database_key = claim.encode()
        with suppress(_Found, SkipTest):  # the latter where a database has nothing to replay
            tried()
    return found


def smallest(
    inputs: Inputs, wrong: Callable[[Values], bool], *, examples: int, region: strategies.Region = "generic"
) -> Values | None:
    """Hunt for inputs from a region on which something is ``wrong``, and shrink what is found."""
    with strategies.region(region):
        return find_inputs(
            _in(region, inputs), wrong, search_settings(examples, Phase.generate, Phase.shrink)
        )
