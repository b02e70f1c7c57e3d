"""The cases of a claim: inputs from named regions, with the right results."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.checking.strategies import Region
from rbnotes.ledger.mutation import form_under_test
from rbnotes.ledger.record import Function, Inputs, Record
from rbnotes.ledger.trials import NoOracle, Values, deviation, distance, expectation, samples

TURN: tuple[Region, ...] = (
    *("generic", "tiny", "generic", "large", "generic", "near pi", "generic", "non-dyadic"),
    *("generic", "tiny", "generic", "large", "generic", "degenerate", "generic", "tiny"),
)
"""Regions are tried in turn, so that the first few cases meet all of them."""
SHARE = 0.1
"""Share of the tolerance that the right form may use up where its record is not verified."""
JITTER = 1e-14
"""Relative change of inputs that must not change a result by the tolerance, or other right code may be off."""


@dataclass(frozen=True, eq=False)
class Case:
    """Inputs, and the right result."""

    claim: str
    region: Region
    inputs: Values
    expected: Array
    tolerance: float
    """Largest accepted error, see :func:`rbnotes.ledger.trials.deviation`."""


def cases(claim: Record, *, seed: int = 0, examples: int = 200) -> tuple[Case, ...]:
    """Inputs of a claim from all its regions, with the right results; the same seed gives the same cases.

    Inputs are those of the record's strategies, and for a conditional claim those on which it holds. Where
    they are drawn from another region than the record is verified on, a case counts only if the library's
    form agrees with the oracle there, and if rounding the inputs does not change the result.

    Parameters
    ----------
    claim
        The record.
    seed
        Start of the generator of random numbers.
    examples
        How many cases; fewer if the claim has none in some region, one if it takes no inputs.

    Raises
    ------
    InvalidArgument
        If the claim has nothing to check, or ``examples`` is not positive.
    """
    return tuple(each_case(claim, seed=seed, examples=examples))


def each_case(claim: Record, *, seed: int, examples: int) -> Iterator[Case]:
    """:func:`cases`, one after the other."""
    if claim.reference is None:
        raise InvalidArgument("id", f"{claim.id}, which only defines a name", "a claim that can be checked")
    if examples < 1:
        raise InvalidArgument("examples", repr(examples), "a positive number")
    inputs = allowed_inputs(claim)
    regions = [TURN[place % len(TURN)] for place in range(examples)] if inputs else ["generic"]
    drawn = {
        region: iter(samples(inputs, regions.count(region), region=region, start=seed))
        for region in dict.fromkeys(regions)
    }
    for region in regions:
        values = next(drawn[region], None)
        if values is None:
            continue
        case = case_of(claim, region, values)
        if case is not None:
            yield case


def allowed_inputs(claim: Record) -> Inputs:
    """The inputs on which a claim is true."""
    return claim.inputs if claim.given is None else claim.given


def case_of(claim: Record, region: Region, values: Values) -> Case | None:
    """The case of these inputs; None if they cannot tell right from wrong."""
    reference = claim.reference
    assert reference is not None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if claim.holds_when is not None and not np.all(claim.holds_when(*values.values())):
            return None
        try:
            expected = expectation(reference, values)
        except NoOracle:
            return None
        if region != "generic" and not _trusted(claim, reference, values, expected):
            return None
    return Case(claim.id, region, values, expected, claim.tolerance)


def _trusted(claim: Record, reference: Function, values: Values, expected: Array) -> bool:
    right = claim.library or form_under_test(claim)
    assert right is not None
    try:
        if not deviation(right, expected, values) <= SHARE * claim.tolerance:
            return False
        jittered = expectation(reference, {name: _jittered(value) for name, value in values.items()})
    except Exception:  # outside of its record's inputs a form may fail in any way
        return False
    return distance(jittered, expected) <= claim.tolerance


def _jittered(value: Any) -> Any:
    if isinstance(value, float):
        return value * (1 + JITTER)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        signs = np.where(np.arange(value.size) % 3, 1, -1).reshape(value.shape)
        return value * (1 + JITTER * signs)
    if isinstance(value, tuple):
        return tuple(map(_jittered, value)) if type(value) is tuple else value
    return value
