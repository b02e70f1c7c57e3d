"""Evaluate forms on inputs: draws, deviations from the reference, and the search for a counterexample."""

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
from hypothesis.errors import Unsatisfiable
from numpy.typing import ArrayLike

from rbnotes.arguments import Array
from rbnotes.ledger.record import Function, Inputs
from rbnotes.testing import SEED, reproducible_draws, strategies

SIGNIFICANT_RESIDUAL = 1e-2
"""Smallest residual of a counterexample, larger than rounding and the error of the oracle.

Printed numbers, which have no inputs, are wrong if their residual exceeds their tolerance.
"""
CLEAR_RESIDUAL = 0.1
"""Residual of a preferred counterexample, which cannot be mistaken for rounding."""
MIN_SCALE_RATIO = 1e-5
"""Smallest ratio to the largest entry for which an entry is compared relative to its own size."""

Values = dict[str, Any]


class NonFiniteReference(ArithmeticError):
    """Raised if a reference returns no finite number."""


def evaluate(form: Function, values: Values) -> Array:
    """Return the form's result as an array of real numbers."""
    with np.errstate(all="ignore"):
        raw = np.asarray(form(*values.values()))
    if np.iscomplexobj(raw):
        raise ValueError("the result is complex")
    return raw.astype(np.float64)


def evaluate_reference(reference: Function, values: Values) -> Array:
    """Return the result of the reference, which must be finite.

    Raises
    ------
    NonFiniteReference
        If it is not.
    """
    expected = evaluate(reference, values)
    if not np.all(np.isfinite(expected)):
        raise NonFiniteReference(f"the oracle gives no finite number on {values}")
    return expected


def evaluate_reference_samples(reference: Function, inputs: Inputs, count: int) -> list[Array]:
    """Return the results of the reference on :func:`samples`; those of the most recent claims are cached."""
    return _evaluate_reference_samples(reference, tuple(inputs.items()), count)


@lru_cache(maxsize=4)
def _evaluate_reference_samples(
    reference: Function, named_strategies: tuple[tuple[str, st.SearchStrategy[Any]], ...], count: int
) -> list[Array]:
    results = [evaluate_reference(reference, values) for values in samples(dict(named_strategies), count)]
    for each in results:
        each.flags.writeable = False
    return results


def try_evaluate(form: Function, values: Values) -> Array | None:
    """Return the form's result; None if it cannot be evaluated on shapes that the formula allows."""
    try:
        return evaluate(form, values)
    except (ValueError, IndexError, ArithmeticError):
        return None


def residual(form: Function, reference: Function, values: Values) -> float:
    """Return the :func:`deviation` of a form from its reference."""
    return deviation(form, evaluate_reference(reference, values), values)


def deviation(form: Function, expected: ArrayLike, values: Values) -> float:
    """Return the largest ``|form - expected|`` of all entries, relative to its size where that exceeds 1.

    The size of an entry is at least a hundred thousandth of the largest entry, which allows for its rounding.
    The deviation is infinite if a form cannot be evaluated on shapes that the formula allows, or returns
    another shape or a NaN.
    """
    return deviation_of_result(try_evaluate(form, values), expected, values)


def deviation_of_result(result: Array | None, expected: ArrayLike, values: Values) -> float:
    """Return the :func:`deviation` of a result of :func:`try_evaluate`."""
    return np.inf if result is None else distance(result, expected, printed_numbers=not values)


def deviation_or_inf(form: Function, expected: Array, values: Values) -> float:
    """Return the :func:`deviation` of a form whose code was changed, or infinity if the form fails."""
    try:
        return deviation_of_result(evaluate(form, values), expected, values)
    except Exception:  # then the change is noticed
        return np.inf


def distance(actual: Array, expected: ArrayLike, *, printed_numbers: bool = False) -> float:
    """Return the residual of a result, see :func:`deviation`; printed numbers are compared absolutely."""
    expected = np.asarray(expected, dtype=np.float64)
    if actual.shape != expected.shape or not np.all(np.isfinite(actual)):
        return np.inf
    size = np.abs(expected)
    scale = np.maximum(np.maximum(1.0, size), MIN_SCALE_RATIO * np.max(size, initial=0.0))
    return float(np.max(np.abs(actual - expected) / (1.0 if printed_numbers else scale), initial=0.0))


def search_settings(examples: int, *phases: Phase, database: ExampleDatabase | None = None) -> settings:
    """Return the settings of a search with these phases.

    The seed is set separately, because ``derandomize`` would derive it from the source text.
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
    """Return the strategies of the inputs for a region.

    In the region of large inputs, half of the draws have only one large argument.
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
    """Return ``count`` inputs, which are always the same unless drawn ``afresh``.

    Another ``region`` or another ``random_seed`` gives other inputs, which are also reproducible. In the
    region of large inputs, either all arguments are large or one of them: ``large_argument`` if it is given.
    With ``first``, only so many of the ``count`` inputs are drawn and returned.
    """
    if not inputs:
        return [{}]
    draw = _draw_samples.__wrapped__ if afresh else _draw_samples
    # Copies, so that a form that changes its arguments does not affect the next one.
    return [
        {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in values.items()}
        for values in draw(
            tuple(inputs.items()), count, region, None if afresh else random_seed, large_argument, first
        )
    ]


class _EnoughDrawn(Exception):
    """Raised when the first inputs are drawn; it ends the search like a failing test."""


@lru_cache(maxsize=64)
def _draw_samples(
    named_strategies: tuple[tuple[str, st.SearchStrategy[Any]], ...],
    count: int,
    region: strategies.Region,
    random_seed: int | None,
    large_argument: str | None,
    first: int | None,
) -> list[Values]:
    """Draw inputs once for all claims that share them, because drawing takes longer than most forms.

    Without a ``random_seed``, the inputs differ each time.
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
    """Result of a search for inputs on which a form is wrong.

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
    """Search for inputs with a residual above ``threshold``, and shrink them.

    With ``require_finite``, a form that returns no number does not count as wrong. With ``stored_choices``, a
    claim and a database, only the choices stored there are tried.
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
        counterexample = find_inputs(inputs, wrong, search_settings(examples, *phases))
    else:
        claim, database = stored_choices
        replay = search_settings(examples, Phase.reuse, database=database)
        counterexample = None
        with suppress(Unsatisfiable):  # a filter of the inputs rejects the choices
            counterexample = find_inputs(inputs, wrong, replay, claim)
    if counterexample is None:
        return SearchResult(None, worst)
    return SearchResult(counterexample, residual(form, reference, counterexample))


class _InputsFound(Exception):
    """Raised when inputs are wrong; it ends the search like a failing test."""


def find_inputs(
    inputs: Inputs, wrong: Callable[[Values], bool], options: settings, claim: str = ""
) -> Values | None:
    """Return the smallest inputs found on which something is ``wrong``; None if there are none.

    The search starts from :data:`rbnotes.testing.SEED`. A database in the settings stores the inputs by the
    name of the ``claim``. (``hypothesis.find`` has no seed of its own, or no database.)
    """
    smallest: Values | None = None

    def test(values: Values) -> None:
        nonlocal smallest
        if wrong(values):
            smallest = values
            raise _InputsFound

    with reproducible_draws():
        # The settings come last, because a seed would remove their database.
        tried: Any = options(seed(SEED)(given(inputs_strategy(inputs))(test)))
        tried._hypothesis_internal_database_key = claim.encode()
        with suppress(_InputsFound, SkipTest):  # the latter if a database has nothing to replay
            tried()
    return smallest


def find_smallest(
    inputs: Inputs, wrong: Callable[[Values], bool], *, examples: int, region: strategies.Region = "generic"
) -> Values | None:
    """Search for inputs from a region on which something is ``wrong``, and shrink them."""
    with strategies.region(region):
        return find_inputs(
            _region_inputs(region, inputs), wrong, search_settings(examples, Phase.generate, Phase.shrink)
        )
