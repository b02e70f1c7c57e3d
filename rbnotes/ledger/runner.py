"""Run records: confirm each verdict by search, and check the record itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.ledger import formatting
from rbnotes.ledger.checks import units
from rbnotes.ledger.checks.claim_code import UnreadableFunction, record_forms
from rbnotes.ledger.checks.honesty import (
    branch_coverage,
    conditions,
    conventions,
    independence,
    independent_inputs,
    input_variety,
    lossy_comparison,
    perturbation,
    printed_digits,
    side_effects,
    static_checks,
)
from rbnotes.ledger.counterexamples import replay
from rbnotes.ledger.dotted_names import resolve
from rbnotes.ledger.evaluation import (
    CLEAR_RESIDUAL,
    SIGNIFICANT_RESIDUAL,
    NonFiniteReference,
    SearchResult,
    Values,
    deviation_of_result,
    distance,
    evaluate_reference,
    evaluate_reference_samples,
    residual,
    samples,
    search,
    try_evaluate,
)
from rbnotes.ledger.record import WRONG_AS_PRINTED, Function, Inputs, Record

__all__ = ["Outcome", "count_cases", "measure", "resolve", "samples", "verify"]

MIN_EXAMPLES = 40
"""Smallest number of inputs on which each form, its branches and its inputs are checked."""
NUM_OFF_GRID_INPUTS = 12
"""Number of additional inputs that are not multiples of 1/64."""
MIN_WRONG_SHARE = 0.05
"""Smallest share of inputs on which an erratum or a misprint must be wrong, so that it is not rounding."""
NUM_REPEATED_INPUTS = 3
"""Number of inputs on which forms are run twice to detect hidden state."""


def count_cases(record: Record) -> int:
    """Return the smallest number of inputs on which a run of a record evaluates its forms."""
    if record.reference is None:
        return 0
    if not record.inputs:
        return 1
    return (MIN_EXAMPLES + NUM_OFF_GRID_INPUTS) * (1 if record.condition_inputs is None else 2)


@dataclass(frozen=True)
class Outcome:
    """Result of running one record.

    Attributes
    ----------
    record
        The record that was run.
    confirmed
        True if the run agrees with the verdict of the record.
    reason
        Why the verdict is not confirmed, a line for each finding; those about honesty begin with their kind.
        Indented lines below a finding are the inputs that show it.
    residual_printed
        Largest residual of the printed form: at its counterexample, or over all inputs tried.
    residual_corrected
        Largest residual of the library's form over all inputs tried.
    counterexample
        Smallest inputs found on which the printed form is wrong.
    """

    record: Record
    confirmed: bool
    reason: str = ""
    residual_printed: float | None = None
    residual_corrected: float | None = None
    counterexample: Values | None = None


@dataclass(frozen=True, eq=False)
class EvaluatedInputs:
    """Inputs with the results of the oracle and of the forms.

    Attributes
    ----------
    values
        Arguments by name, for each input.
    expected
        The oracle's result on each input.
    form_results
        Results of the forms that were run, on each input; None where a form could not be evaluated.
    """

    values: list[Values]
    expected: list[Array]
    form_results: dict[Function, list[Array | None]] = field(default_factory=dict)

    @classmethod
    def evaluate(cls, reference: Function, values: list[Values]) -> EvaluatedInputs:
        """Evaluate the oracle on all inputs before any form runs."""
        return cls(values, [evaluate_reference(reference, each) for each in values])

    def results(self, form: Function) -> list[Array | None]:
        """Return the results of a form on all inputs, computed once; None where it cannot be evaluated."""
        if form not in self.form_results:
            self.form_results[form] = [try_evaluate(form, values) for values in self.values]
        return self.form_results[form]

    def max_residual(self, form: Function) -> float:
        """Return the largest residual of a form, see :func:`rbnotes.ledger.evaluation.deviation`."""
        results = zip(self.results(form), self.expected, self.values, strict=True)
        return max((deviation_of_result(*each) for each in results), default=0.0)

    def count_wrong(self, form: Function) -> int:
        """Return the number of inputs on which a form has a significant residual or cannot be evaluated."""
        pairs = zip(self.results(form), self.expected, strict=True)
        return sum(
            result is None or not distance(result, right) <= SIGNIFICANT_RESIDUAL for result, right in pairs
        )

    def is_reproduced_by(self, form: Function) -> bool:
        """Return True if a form agrees with the oracle to the last bit on all inputs."""
        return all(
            result is not None and np.array_equal(result, right)
            for result, right in zip(self.results(form), self.expected, strict=True)
        )

    def __add__(self, other: EvaluatedInputs) -> EvaluatedInputs:
        return EvaluatedInputs(self.values + other.values, self.expected + other.expected)


def verify(
    record: Record, *, examples: int = MIN_EXAMPLES, shrink: bool = True, afresh: bool = False
) -> Outcome:
    """Run one record: search for counterexamples to its forms, and check the record itself.

    Parameters
    ----------
    record
        The claim.
    examples
        Inputs tried per form; at least :data:`MIN_EXAMPLES` are.
    shrink
        Whether a counterexample is made as small as it gets.
    afresh
        Whether to draw inputs anew; by default they are always the same ones, on every machine.
    """
    try:
        for name in record.primitives:
            resolve(name)
    except (ImportError, AttributeError) as error:
        return Outcome(record, False, f"primitives: {error}")
    findings = static_checks.findings(record)
    if record.reference is None:
        return Outcome(record, not findings, "\n".join(findings))
    examples = max(examples, MIN_EXAMPLES)
    try:
        values = samples(record.inputs, examples, afresh=afresh)
        trials = _evaluate_inputs(record.reference, record.inputs, values, examples, afresh=afresh)
        condition_values = (
            samples(record.condition_inputs, examples, afresh=afresh) if record.condition_inputs else []
        )
        allowed = (
            _evaluate_inputs(
                record.reference, record.condition_inputs, condition_values, examples, afresh=afresh
            )
            if record.condition_inputs
            else None
        )
        outcome = _measure_forms(record, record.reference, trials, allowed, examples, shrink)
    except (
        NonFiniteReference,
        ValueError,
        IndexError,
        ArithmeticError,
        TypeError,
        KeyError,
        AttributeError,
    ) as error:
        return Outcome(record, False, "\n".join([*findings, f"oracle: it cannot be evaluated: {error}"]))
    try:
        findings += check_honesty(record, trials, len(values), condition_values)
    except UnreadableFunction as error:
        findings += [] if f"form: {error}" in findings else [f"form: {error}"]
    reasons = list(filter(None, [outcome.reason, *findings]))
    return Outcome(
        record,
        not reasons,
        "\n".join(reasons),
        outcome.residual_printed,
        outcome.residual_corrected,
        outcome.counterexample,
    )


def _evaluate_inputs(
    reference: Function, inputs: Inputs, samples_on_grid: list[Values], count: int, *, afresh: bool
) -> EvaluatedInputs:
    """Evaluate the oracle on the inputs drawn, at most ``count``, and on a few off the grid."""
    if afresh or not inputs:
        trials = EvaluatedInputs.evaluate(reference, samples_on_grid)
    else:
        trials = EvaluatedInputs(samples_on_grid, evaluate_reference_samples(reference, inputs, count))
    samples_off_grid = samples(inputs, NUM_OFF_GRID_INPUTS, region="non-dyadic") if inputs else []
    return trials + EvaluatedInputs.evaluate(reference, samples_off_grid)


def check_honesty(
    record: Record, trials: EvaluatedInputs, count: int, condition_values: Sequence[Values]
) -> list[str]:
    """Return all findings on the oracle, inputs and branches; see :mod:`rbnotes.ledger.checks.honesty`.

    The inputs tried are ``count`` on the grid, and those off it.
    """
    draws, off_grid = trials.values[:count], trials.values[count:]
    expected = trials.expected[:count]
    # Changes may not show in results that are zero, or in flags that are True.
    nonzero = [place for place, right in enumerate(expected) if np.all(right)]
    few = _evenly_spaced(list(range(count)))
    if len(nonzero) < count:
        few += _evenly_spaced(nonzero) + _evenly_spaced(
            [place for place in range(count) if place not in nonzero]
        )
    traces = independence.trace_forms(record, draws)
    repeated = [draws[place] for place in few]
    before = {
        name: [(trials.expected if name == "reference" else trials.results(form))[place] for place in few]
        for name, form in record_forms(record).items()
    }
    findings = [
        *independence.findings(record, traces),
        *independence.exact_agreement_findings(record, trials.expected, trials.is_reproduced_by),
        *side_effects.state_findings(record, repeated, before),
        *side_effects.unused_function_findings(record, repeated, before, traces),
        *branch_coverage.findings(record, draws, condition_values),
        *input_variety.findings(record, draws, off_grid),
        *input_variety.overly_special_findings(record, condition_values, draws),
        *input_variety.hidden_variation_findings(record, trials.expected),
        *independent_inputs.findings(record, condition_values or draws),
        *conditions.findings(record, draws, expected, condition_values),
        *conventions.findings(record, trials.values),
        *printed_digits.findings(record),
        *lossy_comparison.findings(
            record, expected, trials.results(record.printed)[:count] if record.printed else []
        ),
        *perturbation.findings(record, draws),
        *units.findings(record),
    ]
    largest = max(float(np.max(np.abs(right), initial=0.0)) for right in trials.expected)
    if largest <= (SIGNIFICANT_RESIDUAL if record.inputs else 0.0):
        findings.append(f"zero: the oracle gives nothing above {largest:g}")
    return findings


def _evenly_spaced(places: list[int]) -> list[int]:
    """Return a few evenly spaced places of a sequence."""
    return places[:: max(1, len(places) // NUM_REPEATED_INPUTS)][:NUM_REPEATED_INPUTS]


def measure(
    record: Record, *, examples: int = MIN_EXAMPLES, first: int | None = None, shrink: bool = True
) -> Outcome:
    """Search for counterexamples to the printed and to the library's form, nothing else.

    With ``first``, only so many of the inputs are drawn and compared, which are too few to tell on how many a
    wrong form fails.
    """
    if record.reference is None:
        return Outcome(record, True)
    trials = EvaluatedInputs.evaluate(record.reference, samples(record.inputs, examples, first=first))
    allowed = (
        EvaluatedInputs.evaluate(record.reference, samples(record.condition_inputs, examples, first=first))
        if record.condition_inputs
        else None
    )
    return _measure_forms(
        record, record.reference, trials, allowed, examples, shrink, counts_wrong=first is None
    )


def _measure_forms(
    record: Record,
    reference: Function,
    trials: EvaluatedInputs,
    allowed: EvaluatedInputs | None,
    examples: int,
    shrink: bool,
    *,
    counts_wrong: bool = True,
) -> Outcome:
    """Return the outcome of a record from the results of its forms on all inputs."""
    printed, library = record.printed, record.library
    reasons: list[str] = []
    residual_printed = residual_corrected = None
    counterexample: Values | None = None
    tolerance = record.tolerance

    def search_form(form: Function, inputs: Inputs, threshold: float) -> SearchResult:
        return search(form, reference, inputs, threshold=threshold, examples=examples, shrink=shrink)

    if printed is not None:
        residual_printed = trials.max_residual(printed)
        if record.verdict in WRONG_AS_PRINTED:
            residual_of_all = residual_printed
            result = find_counterexample(record, examples=examples, shrink=shrink)
            counterexample, residual_printed = result.counterexample, result.max_residual
            if counterexample is None:
                is_nonfinite = not np.isfinite(residual_of_all) and not record.undefined
                why = "gives no finite number (why: `undefined`)" if is_nonfinite else "is never wrong enough"
                reasons.append(f"no counterexample found: the printed form {why} ({result.max_residual:.2g})")
            elif counts_wrong and not record.undefined and allowed is None and record.inputs:
                wrong, count = trials.count_wrong(printed), len(trials.values)
                if wrong < MIN_WRONG_SHARE * count:
                    reasons.append(f"the printed form is wrong on {wrong} of {count} inputs only")
            if allowed is not None:
                worst = allowed.max_residual(printed)
                if worst > record.tolerance:
                    reasons.append(f"fails by {worst:.2g} on inputs on which the condition holds")
        elif residual_printed > tolerance:
            result = search_form(printed, record.inputs, tolerance)
            counterexample = result.counterexample
            reasons.append(_describe_residual("printed", residual_printed, counterexample))
    if library is not None:
        residual_corrected = trials.max_residual(library)
        if residual_corrected > tolerance:
            result = search_form(library, record.inputs, tolerance)
            reasons.append(_describe_residual("library's", residual_corrected, result.counterexample))
    return Outcome(
        record, not reasons, "\n".join(reasons), residual_printed, residual_corrected, counterexample
    )


def _describe_residual(form: str, size: float, values: Values | None) -> str:
    """Return the largest deviation of a form, as text, and the inputs where it occurs, if known."""
    text = f"the {form} form is off by up to {size:.2g}"
    return (
        "\n".join([f"{text}, for example on", *(f"  {line}" for line in formatting.format_inputs(values))])
        if values
        else text
    )


def find_counterexample(record: Record, *, examples: int = MIN_EXAMPLES, shrink: bool = True) -> SearchResult:
    """Return the smallest inputs on which the printed form of a wrong claim has a significant residual.

    A printed form that gives no number counts only if the record says why (``undefined``).

    Raises
    ------
    InvalidArgument
        If the record has no printed form, or no oracle.
    """
    printed, reference = record.printed, record.reference
    if printed is None or reference is None:
        raise InvalidArgument("record", record.id, "a claim with a printed form and an oracle")
    if not record.inputs:
        worst = residual(printed, reference, {})
        return SearchResult({} if worst > record.tolerance else None, worst)
    if record.undefined:
        inputs = samples(record.inputs, examples)
        if not any(np.isfinite(residual(printed, reference, values)) for values in inputs):
            return SearchResult(inputs[0], np.inf)
    search_print = partial(
        search,
        printed,
        reference,
        record.inputs,
        examples=examples,
        shrink=shrink,
        require_finite=not record.undefined,
    )
    # Replay a counterexample that was shrunk before; search again if only the verdict is needed.
    result = replay(record) if shrink else SearchResult(None, 0.0)
    for threshold in (CLEAR_RESIDUAL, SIGNIFICANT_RESIDUAL):
        if result.counterexample is not None:
            break
        result = search_print(threshold=threshold)
    if result.counterexample is None or record.holds_when is None:
        return result
    condition_holds = np.all(record.holds_when(*result.counterexample.values()))
    return SearchResult(None, result.max_residual) if condition_holds else result
