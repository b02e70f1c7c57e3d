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
from rbnotes.ledger.record import Function, Inputs
from rbnotes.testing import SEED, reproducible_draws, strategies

SIGNIFICANT_RESIDUAL = 1e-2
"""A counterexample must be off by this much, so that neither rounding nor the oracle's error makes one.

Printed numbers, which have no inputs to vary, are wrong as soon as they are off by more than their tolerance.
"""
CLEAR_RESIDUAL = 0.1
"""A counterexample that is off by this much is preferred: it does not read like rounding."""
MIN_SCALE_RATIO = 1e-5
"""Entries this much smaller than the largest are still judged by their own size."""

Values = dict[str, Any]


class NonFiniteReference(ArithmeticError):
    """A reference gives no finite number."""


def evaluate(form: Function, values: Values) -> Array:
    """Return the form's result as an array of real numbers."""
    with np.errstate(all="ignore"):
        raw = np.asarray(form(*values.values()))
    if np.iscomplexobj(raw):
        raise ValueError("the result is complex")
    return raw.astype(np.float64)


def evaluate_reference(reference: Function, values: Values) -> Array:
    """Return the reference's result; it must be finite.

    Raises
    ------
    NoOracle
        If it is not.
    """
    expected = evaluate(reference, values)
    if not np.all(np.isfinite(expected)):
        raise NonFiniteReference(f"the oracle gives no finite number on {values}")
    return expected


def evaluate_reference_samples(reference: Function, inputs: Inputs, count: int) -> list[Array]:
    """Return the reference's results on :func:`samples`, kept until it is another claim's turn."""
    return _evaluate_reference_samples(reference, tuple(inputs.items()), count)


@lru_cache(maxsize=4)
def _evaluate_reference_samples(
    reference: Function, named_strategies: tuple[tuple[str, st.SearchStrategy[Any]], ...], count: int
) -> list[Array]:
    found = [evaluate_reference(reference, values) for values in samples(dict(named_strategies), count)]
    for each in found:
        each.flags.writeable = False
    return found


def try_evaluate(form: Function, values: Values) -> Array | None:
    """Return the form's result; None if it cannot be evaluated on shapes that the formula allows."""
    try:
        return evaluate(form, values)
    except (ValueError, IndexError, ArithmeticError):
        return None


def residual(form: Function, reference: Function, values: Values) -> float:
    """:func:`deviation` of a form from its reference."""
    return deviation(form, evaluate_reference(reference, values), values)


def deviation(form: Function, expected: ArrayLike, values: Values) -> float:
    """Largest ``|form - expected|`` of all entries, each relative to its own size where that exceeds 1.

    An entry's own size is at least a hundred thousandth of the largest entry, which allows for its
    rounding. A form that cannot be evaluated on shapes that the formula allows, or that returns another shape
    or a NaN, is infinitely wrong.
    """
    return deviation_of_result(try_evaluate(form, values), expected, values)


def deviation_of_result(found: Array | None, expected: ArrayLike, values: Values) -> float:
    """:func:`deviation` of what :func:`try_evaluate` gave."""
    return np.inf if found is None else distance(found, expected, printed_numbers=not values)


def deviation_or_inf(form: Function, expected: Array, values: Values) -> float:
    """:func:`deviation` of a form that was changed, or what it calls: it may fail in any way."""
    try:
        return deviation_of_result(evaluate(form, values), expected, values)
    except Exception:  # then the change is noticed
        return np.inf


def distance(actual: Array, expected: ArrayLike, *, printed_numbers: bool = False) -> float:
    """Return residual of a result, see :func:`deviation`; printed numbers are compared as they are."""
    expected = np.asarray(expected, dtype=np.float64)
    if actual.shape != expected.shape or not np.all(np.isfinite(actual)):
        return np.inf
    size = np.abs(expected)
    scale = np.maximum(np.maximum(1.0, size), MIN_SCALE_RATIO * np.max(size, initial=0.0))
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


def inputs_strategy(inputs: Inputs) -> st.SearchStrategy[Values]:
    """Return the strategy that draws all inputs of a claim, by name."""
    # Not fixed_dictionaries: these shuffle their keys, and forms take their arguments by position.
    return st.tuples(*inputs.values()).map(lambda values: dict(zip(inputs, values, strict=True)))


def _region_inputs(region: strategies.Region, inputs: Inputs, large_argument: str | None = None) -> Inputs:
    """Return the inputs.

    Large ones half of the time one alone, since what turns fast need not be huge as well.
    """
    if region != "large":
        return inputs
    count = len(inputs)
    choices = [[*inputs].index(large_argument)] if large_argument else [*range(count), *[None] * count]
    large_index = st.shared(st.sampled_from(choices), key="the one that is large")

    @st.composite
    def draw_argument(draw: st.DrawFn, index: int, strategy: st.SearchStrategy[Any]) -> Any:
        alone = draw(large_index)
        with strategies.region(region if alone in (None, index) else "generic"):
            return draw(strategy)

    return {name: draw_argument(place, strategy) for place, (name, strategy) in enumerate(inputs.items())}


def samples(
    inputs: Inputs,
    count: int,
    *,
    afresh: bool = False,
    region: strategies.Region = "generic",
    random_seed: int = SEED,
    large_argument: str | None = None,
    first: int | None = None,
) -> list[Values]:
    """Return ``count`` inputs; always the same ones, unless drawn ``afresh``.

    Another ``region`` or another ``random_seed`` gives other inputs, again always the same ones. In the
    region of large inputs, either all arguments are large or one of them: ``large_argument``, if one is
    named. With ``first``, only so many of the ``count`` inputs are drawn and returned.
    """
    if not inputs:
        return [{}]
    draw = _draw_samples.__wrapped__ if afresh else _draw_samples
    # Copies, lest a form that changes its arguments changes those of the next.
    return [
        {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in values.items()}
        for values in draw(
            tuple(inputs.items()), count, region, None if afresh else random_seed, large_argument, first
        )
    ]


class _EnoughDrawn(Exception):
    """The first inputs are drawn, which ends the search as a failing test would."""


@lru_cache(maxsize=64)
def _draw_samples(
    named_strategies: tuple[tuple[str, st.SearchStrategy[Any]], ...],
    count: int,
    region: strategies.Region,
    random_seed: int | None,
    large_argument: str | None,
    first: int | None,
) -> list[Values]:
    """Draw once for all claims that share their inputs: drawing takes longer than most forms.

    Without a ``random_seed`` the inputs are other ones each time.
    """
    inputs = _region_inputs(region, dict(named_strategies), large_argument)
    drawn: list[Values] = []

    @search_settings(count, Phase.generate)
    @given(inputs_strategy(inputs))
    def draw(values: Values) -> None:
        if first is None or len(drawn) < first:
            drawn.append(values)
        if len(drawn) == first:
            raise _EnoughDrawn

    with reproducible_draws(), strategies.region(region), suppress(_EnoughDrawn):
        (draw if random_seed is None else seed(random_seed)(draw))()
    return drawn


@dataclass(frozen=True)
class SearchResult:
    """Result of hunting for inputs on which a form is wrong.

    Attributes
    ----------
    counterexample
        Inputs on which the form is wrong; None if none were found.
    max_residual
        Residual on the counterexample; without one, the largest of all inputs tried.
    """

    counterexample: Values | None
    max_residual: float


def search(
    form: Function,
    reference: Function,
    inputs: Inputs,
    *,
    threshold: float,
    examples: int,
    shrink: bool = True,
    require_finite: bool = False,
    stored_choices: tuple[str, ExampleDatabase] | None = None,
) -> SearchResult:
    """Hunt for inputs with a residual above ``threshold``, and shrink what is found.

    With ``require_finite`` a form that gives no number does not count as wrong. With ``stored_choices``, a
    claim and a database, only the choices kept there are tried.
    """
    worst = 0.0

    def wrong(values: Values) -> bool:
        nonlocal worst
        size = residual(form, reference, values)
        if require_finite and not np.isfinite(size):
            return False
        worst = max(worst, size)
        return size > threshold

    if not inputs:
        return SearchResult({} if wrong({}) else None, worst)
    if stored_choices is None:
        phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)
        found = find_inputs(inputs, wrong, search_settings(examples, *phases))
    else:
        claim, database = stored_choices
        replay = search_settings(examples, Phase.reuse, database=database)
        found = find_inputs(inputs, wrong, replay, claim)
    return (
        SearchResult(None, worst) if found is None else SearchResult(found, residual(form, reference, found))
    )


class _InputsFound(Exception):
    """Inputs are wrong, which ends the search as a failing test would."""


def find_inputs(
    inputs: Inputs, wrong: Callable[[Values], bool], options: settings, claim: str = ""
) -> Values | None:
    """Return the smallest inputs found on which something is ``wrong``; None if there are none.

    The search starts from :data:`rbnotes.testing.SEED`. A database in the settings keeps the inputs by the
    name of the ``claim``. (``hypothesis.find`` has no seed of its own, or no database.)
    """
    found: Values | None = None

    def test(values: Values) -> None:
        nonlocal found
        if wrong(values):
            found = values
            raise _InputsFound

    with reproducible_draws():
        # The settings come last: a seed takes their database away.
        tried: Any = options(seed(SEED)(given(inputs_strategy(inputs))(test)))
        tried._hypothesis_internal_database_key = claim.encode()
        with suppress(_InputsFound, SkipTest):  # the latter where a database has nothing to replay
            tried()
    return found


def find_smallest(
    inputs: Inputs, wrong: Callable[[Values], bool], *, examples: int, region: strategies.Region = "generic"
) -> Values | None:
    """Hunt for inputs from a region on which something is ``wrong``, and shrink what is found."""
    with strategies.region(region):
        return find_inputs(
            _region_inputs(region, inputs), wrong, search_settings(examples, Phase.generate, Phase.shrink)
        )
