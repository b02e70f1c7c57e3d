"""Runs records: each verdict is confirmed by search, never taken on trust, and each record is honest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger import covariance
from rbnotes.ledger.counterexamples import played_back
from rbnotes.ledger.honesty import (
    branches,
    conditions,
    conventions,
    digits,
    effects,
    independence,
    statements,
    variety,
)
from rbnotes.ledger.honesty.claim_code import Unreadable
from rbnotes.ledger.record import WRONG_AS_PRINTED, Function, Inputs, Record
from rbnotes.ledger.resolving import resolve
from rbnotes.ledger.trials import (
    SIGNIFICANT,
    TELLING,
    NoOracle,
    Search,
    Values,
    deviation,
    expectation,
    expectations,
    residual,
    samples,
    search,
)

__all__ = ["Outcome", "cases", "measure", "resolve", "samples", "verify"]

EXAMPLES = 40
"""Inputs tried per form; branches and inputs are judged on at least as many."""
OFF_GRID = 12
"""Inputs tried besides, that are not multiples of 1/64."""
FEW = 3
"""Inputs on which forms are run again to see whether they have a memory."""


def cases(record: Record) -> int:
    """Inputs on which the forms of a record are tried, at least, each time that it is run."""
    if record.reference is None:
        return 0
    if not record.inputs:
        return 1
    return (EXAMPLES + OFF_GRID) * (1 if record.given is None else 2)


@dataclass(frozen=True)
class Outcome:
    """What running one record showed."""

    record: Record
    confirmed: bool
    reason: str = ""
    """Why the verdict is not confirmed; findings about honesty begin with their kind."""
    residual_printed: float | None = None
    """Largest residual of the printed form: at its counterexample, or over all inputs tried."""
    residual_corrected: float | None = None
    """Largest residual of the library's form over all inputs tried."""
    counterexample: Values | None = None
    """Smallest inputs found on which the printed form is wrong."""


@dataclass(frozen=True, eq=False)
class Trials:
    """Inputs with what the oracle makes of them."""

    values: list[Values]
    expected: list[Array]

    @classmethod
    def of(cls, reference: Function, values: list[Values]) -> Trials:
        """Run the oracle, before any form has run."""
        return cls(values, [expectation(reference, each) for each in values])

    def worst(self, form: Function) -> float:
        """Largest residual of a form."""
        pairs = zip(self.values, self.expected, strict=True)
        return max((deviation(form, right, values) for values, right in pairs), default=0.0)

    def __add__(self, other: Trials) -> Trials:
        return Trials(self.values + other.values, self.expected + other.expected)


def verify(record: Record, *, examples: int = EXAMPLES, shrink: bool = True, afresh: bool = False) -> Outcome:
    """Run one record: search for counterexamples to its forms, and look whether it is honest.

    Parameters
    ----------
    record
        The claim.
    examples
        Inputs tried per form; at least :data:`EXAMPLES` are.
    shrink
        Whether a counterexample is made as small as it gets.
    afresh
        Whether to draw inputs anew; by default they are always the same ones, on every machine.
    """
    try:
        for name in (*record.implemented_by, *record.primitives):
            resolve(name)
    except (ImportError, AttributeError) as error:
        return Outcome(record, False, f"implemented_by or primitives: {error}")
    found = statements.findings(record)
    if record.reference is None:
        return Outcome(record, not found, "; ".join(found))
    examples = max(examples, EXAMPLES)
    try:
        values = samples(record.inputs, examples, afresh=afresh)
        trials = (
            Trials.of(record.reference, values)
            if afresh
            else Trials(values, expectations(record.reference, record.inputs, examples))
        )
        beside = samples(record.inputs, OFF_GRID, region="non-dyadic") if record.inputs else []
        given_beside = samples(record.given, OFF_GRID, region="non-dyadic") if record.given else []
        off_grid = Trials.of(record.reference, beside)
        given = samples(record.given, examples, afresh=afresh) if record.given else []
        outcome = _measured(record, trials + off_grid, given + given_beside, examples, shrink)
    except (NoOracle, ValueError, IndexError, ArithmeticError, TypeError, KeyError, AttributeError) as error:
        return Outcome(record, False, "; ".join([*found, f"oracle: it cannot be evaluated: {error}"]))
    try:
        found += honesty(record, trials, off_grid, given)
    except Unreadable as error:
        found += [] if f"form: {error}" in found else [f"form: {error}"]
    reasons = list(filter(None, [outcome.reason, *found]))
    return Outcome(
        record,
        not reasons,
        "; ".join(reasons),
        outcome.residual_printed,
        outcome.residual_corrected,
        outcome.counterexample,
    )


def honesty(record: Record, trials: Trials, off_grid: Trials, given: Sequence[Values]) -> list[str]:
    """All findings about a record's oracle, inputs and branches; see :mod:`rbnotes.ledger.honesty`."""
    # Where results are zero, what is done to them may not show; where flags are up, it may not either.
    telling = [values for values, right in zip(trials.values, trials.expected, strict=True) if np.all(right)]
    few = _spread(trials.values)
    if len(telling) < len(trials.values):
        few += _spread(telling)
    every = trials + off_grid
    found = [
        *independence.findings(record, trials.values),
        *independence.same_bits(record, every.values, every.expected),
        *effects.state(record, few),
        *effects.ignored(record, few),
        *branches.findings(record, trials.values, given),
        *variety.findings(record, trials.values, off_grid.values),
        *variety.needless(record, given, trials.values),
        *conditions.findings(record, trials.values, trials.expected, given),
        *conventions.findings(record, every.values),
        *digits.findings(record),
        *covariance.findings(record),
    ]
    largest = max(float(np.max(np.abs(right), initial=0.0)) for right in every.expected)
    if largest <= (SIGNIFICANT if record.inputs else 0.0):
        found.append(f"zero: the oracle gives nothing above {largest:g}")
    return found


def _spread(values: list[Values]) -> list[Values]:
    """A few of many, far from each other."""
    return values[:: max(1, len(values) // FEW)][:FEW]


def measure(record: Record, *, examples: int = EXAMPLES, shrink: bool = True) -> Outcome:
    """Search for counterexamples to the printed and to the library's form, nothing else."""
    if record.reference is None:
        return Outcome(record, True)
    trials = Trials.of(record.reference, samples(record.inputs, examples))
    given = samples(record.given, examples) if record.given else []
    return _measured(record, trials, given, examples, shrink)


def _measured(record: Record, trials: Trials, given: list[Values], examples: int, shrink: bool) -> Outcome:
    reference, printed, library = record.reference, record.printed, record.library
    assert reference is not None
    reasons: list[str] = []
    residual_printed = residual_corrected = None
    counterexample: Values | None = None
    tolerance = record.tolerance

    def sought(form: Function, inputs: Inputs, threshold: float) -> Search:
        return search(form, reference, inputs, threshold=threshold, examples=examples, shrink=shrink)

    if printed is not None:
        residual_printed = trials.worst(printed)
        if record.verdict in WRONG_AS_PRINTED:
            residual_of_all = residual_printed
            result = counterexample_of(record, examples=examples, shrink=shrink)
            counterexample, residual_printed = result.counterexample, result.worst
            if counterexample is None:
                numberless = not np.isfinite(residual_of_all) and not record.undefined
                why = "gives no finite number (why: `undefined`)" if numberless else "is never wrong enough"
                reasons.append(f"no counterexample found: the printed form {why} ({result.worst:.2g})")
            if record.given is not None:
                worst = Trials.of(reference, given).worst(printed)
                if worst > record.tolerance:
                    reasons.append(f"fails by {worst:.2g} on inputs on which the condition holds")
        elif residual_printed > tolerance:
            result = sought(printed, record.inputs, tolerance)
            counterexample = result.counterexample
            reasons.append(f"the printed form is off by {residual_printed:.2g}, as on {counterexample}")
    if library is not None:
        residual_corrected = trials.worst(library)
        if residual_corrected > tolerance:
            result = sought(library, record.inputs, tolerance)
            reasons.append(
                f"the library's form is off by {residual_corrected:.2g}, as on {result.counterexample}"
            )
    return Outcome(
        record, not reasons, "; ".join(reasons), residual_printed, residual_corrected, counterexample
    )


def counterexample_of(record: Record, *, examples: int = EXAMPLES, shrink: bool = True) -> Search:
    """The smallest inputs on which a print that is called wrong is wrong, by a number that tells.

    A print that gives no number at all counts only where the record says why (``undefined``).
    """
    assert record.printed is not None
    assert record.reference is not None
    if not record.inputs:
        worst = residual(record.printed, record.reference, {})
        return Search({} if worst > record.tolerance else None, worst)
    if record.undefined:
        drawn = samples(record.inputs, examples)
        if not any(np.isfinite(residual(record.printed, record.reference, values)) for values in drawn):
            return Search(drawn[0], np.inf)
    hunt = partial(
        search,
        record.printed,
        record.reference,
        record.inputs,
        examples=examples,
        shrink=shrink,
        finite=not record.undefined,
    )
    # What was made small once is played back; a verdict alone is found anew.
    result = played_back(record) if shrink else Search(None, 0.0)
    for threshold in (TELLING, SIGNIFICANT):
        if result.counterexample is not None:
            break
        result = hunt(threshold=threshold)
    if result.counterexample is None or record.holds_when is None:
        return result
    inside = np.all(record.holds_when(*result.counterexample.values()))
    return Search(None, result.worst) if inside else result
