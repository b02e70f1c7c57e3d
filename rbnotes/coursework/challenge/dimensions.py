"""Check the physical dimension of answers: inputs in other units must give results in those units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rbnotes.arguments import Array
from rbnotes.coursework.challenge.assessment import finite_numbers
from rbnotes.coursework.challenge.calls import Answer
from rbnotes.coursework.challenge.case_generation import Case
from rbnotes.ledger.checks.units import TOLERANCE_FACTOR, argument_quantities, result_quantity
from rbnotes.ledger.evaluation import Values, distance, evaluate
from rbnotes.ledger.quantities import NUMBER, Dimension, Units
from rbnotes.ledger.record import Record

UNIT_CHANGES = (Units(2.0, 1.0, 1.0), Units(1.0, 2.0, 1.0), Units(1.0, 1.0, 2.0))
"""Changes of units that double the numbers of lengths, masses or times; powers of two cause no rounding."""
NUM_PROBED_CASES = 2
EXPONENT_TOLERANCE = 1e-6
MIN_ENTRY_RATIO = 1e-6
"""Entries below this fraction of the largest are rounding errors; their dimensions are not evaluated."""


@dataclass(frozen=True, eq=False)
class Probe:
    """Case with its inputs in other systems of units.

    Attributes
    ----------
    case_index
        Index of the case.
    case
        Case in SI units.
    converted_inputs
        The same inputs in each of the other units.
    expected_exponents
        Exponents ``(*shape, 3)`` of length, mass and time in the dimensions of the result, dimensionless.
    """

    case_index: int
    case: Case
    converted_inputs: tuple[Values, ...]
    expected_exponents: Array


def probes(claim: Record, cases: Sequence[Case]) -> tuple[Probe, ...]:
    """Return probes of ordinary cases; none for a claim that does not declare its units.

    A declaration counts only if the claim's own oracle agrees with it.
    """
    if claim.result.quantity is None or claim.constants:
        return ()
    ordinary = [
        index
        for index, case in enumerate(cases)
        if case.region in ("generic", "non-dyadic") and np.any(case.expected)
    ]
    selected = sorted(ordinary, key=lambda index: -np.count_nonzero(cases[index].expected))[:NUM_PROBED_CASES]
    candidates = [_probe(claim, index, cases[index]) for index in selected]
    return tuple(probe for probe in candidates if probe is not None)


def units_mismatch(probed_answers: Sequence[tuple[Probe, Answer, Sequence[Answer]]]) -> str:
    """Return a description of a wrong dimension in a function's results; empty if the dimension is right.

    Parameters
    ----------
    probed_answers
        Probes, each with the function's answer on its case and its answers in each of the other units.
    """
    exponents = [_growth_exponents(probe.case, answer, changed) for probe, answer, changed in probed_answers]
    pairs = [
        (each, probe.expected_exponents)
        for each, (probe, _, _) in zip(exponents, probed_answers, strict=True)
        if each is not None
    ]
    return _describe_mismatch(pairs) if len(pairs) == len(probed_answers) else ""


def _probe(claim: Record, case_index: int, case: Case) -> Probe | None:
    """Return a case in other units, or None if the oracle does not accept them."""
    if claim.reference is None:
        return None
    try:
        declared, shape = argument_quantities(claim, case.inputs), case.expected.shape
        exponents = result_quantity(claim, case.inputs).exponents(shape)
        changed = []
        for units in UNIT_CHANGES:
            inputs = {name: units.convert(value, declared[name]) for name, value in case.inputs.items()}
            factors = units.factors(result_quantity(claim, case.inputs), shape)
            error = distance(evaluate(claim.reference, inputs), factors * case.expected)
            if error > max(EXPONENT_TOLERANCE, TOLERANCE_FACTOR * claim.tolerance):
                return None
            changed.append(inputs)
    except (ValueError, IndexError, ArithmeticError):  # the claim or its oracle does not accept other units
        return None
    return Probe(case_index, case, tuple(changed), exponents)


def _describe_mismatch(pairs: Sequence[tuple[Array, Array]]) -> str:
    """Describe the first entry with a wrong dimension or with none.

    Each pair holds the exponents of the answer and the expected ones.
    """
    if not pairs or any(exponents.shape != pairs[0][0].shape for exponents, _ in pairs):
        return ""
    exponents, expected = np.array([each for each, _ in pairs]), pairs[0][1]
    is_finite = np.all(np.isfinite(exponents), axis=-1)
    matches = np.all(np.abs(exponents - expected) < EXPONENT_TOLERANCE, axis=-1) | ~is_finite
    for entry in map(tuple, np.argwhere(~np.all(matches, axis=0))):
        entry_exponents = exponents[(slice(None), *entry)][is_finite[(slice(None), *entry)]]
        right = _dimension_name(expected[entry])
        is_uniform = np.all(expected == expected[entry])
        where = "" if is_uniform else f" in entry {', '.join(str(int(i) + 1) for i in entry)}"
        if np.allclose(entry_exponents, entry_exponents[0], atol=EXPONENT_TOLERANCE) and np.allclose(
            entry_exponents, np.round(2 * entry_exponents) / 2, atol=EXPONENT_TOLERANCE
        ):
            wrong = _dimension_name(np.round(2 * entry_exponents[0]) / 2)
            return f"the dimension is wrong{where}: {wrong} where {right} is expected"
        return (
            f"the units are inconsistent{where}: {right} is expected, and terms of other dimensions are added"
        )
    return ""


def _dimension_name(powers: Array) -> str:
    dimension = Dimension(*(float(power) for power in powers))
    return "a number" if dimension == NUMBER else dimension.unit


def _growth_exponents(case: Case, answer: Answer, changed: Sequence[Answer]) -> Array | None:
    """Return the exponents ``(*shape, 3)`` with which the entries scale with the units; NaN for zeros."""
    value, changed_values = (
        finite_numbers(case, answer),
        [finite_numbers(case, other) for other in changed],
    )
    if (
        value is None
        or len(changed_values) < len(UNIT_CHANGES)
        or any(other is None for other in changed_values)
    ):
        return None
    with np.errstate(all="ignore"):
        powers = [np.log2(np.abs(other / value)) for other in changed_values if other is not None]
    small = np.abs(value) <= MIN_ENTRY_RATIO * np.max(np.abs(value), initial=0.0)
    return np.where(small[..., None], np.nan, np.stack(powers, axis=-1))
