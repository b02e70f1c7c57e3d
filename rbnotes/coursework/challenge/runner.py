"""Test a function against the record of a claim on all regions, and shrink a counterexample."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice, starmap
from typing import Any

import numpy as np
from hypothesis import Phase
from hypothesis.errors import Flaky
from numpy.typing import NDArray

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.coursework.challenge.assessment import Assessment, assess, format_results
from rbnotes.coursework.challenge.calls import Answer, collect_answer, collect_answers
from rbnotes.coursework.challenge.case_generation import (
    Case,
    angle_inputs,
    iterate_all_cases,
    make_case,
    with_precision_masks,
)
from rbnotes.coursework.challenge.diagnosis import find_slip
from rbnotes.coursework.challenge.dimensions import probes, units_mismatch
from rbnotes.coursework.challenge.formatting import format_input
from rbnotes.coursework.challenge.library_tasks import find_task
from rbnotes.ledger.counterexamples import replay
from rbnotes.ledger.evaluation import (
    CLEAR_RESIDUAL,
    SIGNIFICANT_RESIDUAL,
    Values,
    find_inputs,
    find_smallest,
    search_settings,
)
from rbnotes.ledger.record import Record
from rbnotes.ledger.tex_to_text import sentence_to_text
from rbnotes.testing import interruptible
from rbnotes.testing.strategies import AngleTarget, Region, angles_at

FIRST_BATCH_SIZE = 32
"""Number of cases after which a function that failed is not tried further."""
FULL_COVERAGE_EXAMPLES = 50
"""Number of random inputs from which on all special angles, magnitudes and sizes are tried."""
MISS_PROBABILITY = 0.05
"""Probability that a fault on the stated part of a region is not noticed."""
LINE_WIDTH = 64
"""Number of columns of a printed result, which fit the boxes of the book on a phone."""
UNSHRINKABLE_STATUSES = ("layout", "random", "stateful")
"""Statuses whose counterexamples a search cannot shrink."""
UNSHRINKABLE_REGIONS = ("rescaled", "other size", "special geometry")
"""Regions whose inputs no strategy draws."""

TriedCases = list[tuple[Case, Answer, Assessment]]


@dataclass(frozen=True, eq=False)
class ChallengeResult:
    """Result of a challenge: passed, or the smallest inputs found on which the function is wrong.

    Attributes
    ----------
    id
        Id of the claim.
    assessment
        Assessment of the counterexample, or of the largest error if there is none.
    examples
        Number of inputs on which the function was tried.
    cases_by_region
        Number of these inputs in each region.
    nearest_special_angle
        Smallest distance of a tried angle from a special one, rad; None if no angle was tried.
    region
        Region that the counterexample comes from.
    counterexample
        The smallest inputs found on which the function is wrong; None if it passed.
    hint
        Slip that explains all answers; empty if there is none.
    condition
        Condition of a conditional claim, which the inputs met.
    outside_condition
        Result outside the condition of the claim, for information: the task does not require it.
    """

    id: str
    assessment: Assessment
    examples: int
    region: Region = "generic"
    counterexample: Values | None = None
    hint: str = ""
    condition: str = ""
    outside_condition: ChallengeResult | None = None
    cases_by_region: Mapping[Region, int] = field(default_factory=dict)
    nearest_special_angle: float | None = None

    @property
    def passed(self) -> bool:
        """True if no counterexample was found."""
        return self.assessment.status == "passed"

    @property
    def residual(self) -> float:
        """Error, relative to the size of an entry where that exceeds 1."""
        return self.assessment.error

    @property
    def got(self) -> NDArray[Any] | str | None:
        """Result of the function on the counterexample."""
        return self.assessment.got

    @property
    def expected(self) -> Array:
        """Right result on the counterexample."""
        return self.assessment.expected

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        if self.passed:
            text = f"{self.id}: passed {self.examples} examples, largest error {self.residual:.1e}"
            text += self._describe_regions()
            if self.condition:
                text += f"\non inputs that meet the claim's condition: {sentence_to_text(self.condition)}"
            return (
                text
                if self.outside_condition is None
                else f"{text}\nbut it fails where the condition does not hold: {self.outside_condition}"
            )
        where = "" if self.region == "generic" else f" ({self.region} inputs)"
        lines = [f"{self.id}: {self.assessment.message}"]
        if self.counterexample:
            lines.append(f"for example on{where}")
            lines += starmap(format_input, self.counterexample.items())
        lines.append(format_results(self.assessment))
        return "\n".join([*lines, f"hint: {self.hint}"] if self.hint else lines)

    __repr__ = __str__

    def smallest_noticed_part(self, region: Region) -> float:
        """Return the relative size of the part of a region on which a fault is noticed in 95 % of runs.

        Parameters
        ----------
        region
            One of the regions of ``cases_by_region``.

        Raises
        ------
        KeyError
            If no case was drawn in the region.
        """
        return float(1.0 - MISS_PROBABILITY ** (1 / self.cases_by_region[region]))

    def _describe_regions(self) -> str:
        """Return lines with the regions that were tried and the smallest faults that would be noticed."""
        if len(self.cases_by_region) < 2:
            return ""
        parts = (f"{region} {self.smallest_noticed_part(region):.0%}" for region in self.cases_by_region)
        heading = f"regions (faults on this part of one are noticed in {1 - MISS_PROBABILITY:.0%} of runs): "
        text = textwrap.fill(heading + ", ".join(parts), LINE_WIDTH, subsequent_indent="  ")
        if self.nearest_special_angle is not None:
            text += f"\nangles as close as {self.nearest_special_angle:.0e} rad to quarter turns"
        return "\n" + text


@interruptible()
def challenge(
    id: str, function: Callable[..., Any], *, examples: int = 200, seed: int = 0
) -> ChallengeResult:
    """Check your own function against the record of a claim.

    Parameters
    ----------
    id
        The claim, such as ``"lloyd/s0.2/d2"``; its arguments are those of
        ``rbnotes.ledger.find(id).inputs``, in that order.
    function
        Function that takes these arguments by position and returns an array.
    examples
        Number of random inputs. Inputs with angles near special ones, of other magnitudes and of other sizes
        are added; with fewer than 50 random inputs only a part of these, such as a third with 30.
    seed
        Seed of the random inputs.

    Raises
    ------
    InvalidArgument
        If there is no such claim, or it cannot be checked; if ``function`` is not callable, or ``examples``
        or ``seed`` is not an integer.
    """
    record = find_task(id)
    arguments.require_function("function", function)
    examples, seed = arguments.count("examples", examples, 1), arguments.count("seed", seed)
    # An odd stride takes angles on both sides of the special ones.
    stride = 2 * ((FULL_COVERAGE_EXAMPLES - 1) // examples) + 1
    stream = iterate_all_cases(
        record, seed=seed, examples=examples, first_batch=FIRST_BATCH_SIZE, stride=stride
    )
    results: TriedCases = []
    while not any(not assessment for _, _, assessment in results):
        batch = with_precision_masks(record, list(islice(stream, None if results else FIRST_BATCH_SIZE)))
        if not batch:
            break
        batch_answers = collect_answers(function, [case.inputs for case in batch])
        results += [
            (case, answer, assess(record, case, answer))
            for case, answer in zip(batch, batch_answers, strict=True)
        ]
    failed = [(case, assessment) for case, _, assessment in results if not assessment]
    if not failed:
        worst = max((assessment for _, _, assessment in results), key=lambda assessment: assessment.error)
        outside = None if record.condition_inputs is None else _challenge_outside_condition(record, function)
        return ChallengeResult(
            record.id,
            worst,
            len(results),
            condition=record.condition,
            outside_condition=outside,
            cases_by_region=Counter(case.region for case, _, _ in results),
            nearest_special_angle=_nearest_special_angle([case for case, _, _ in results]),
        )
    case, assessment = _clearest_failure(failed)
    hint = dimension = ""
    if assessment.status == "wrong":
        answered_cases = [(case, answer) for case, answer, _ in results]
        dimension, hint = _dimension_hint(record, function, answered_cases), find_slip(record, answered_cases)
    is_unshrinkable = assessment.status in UNSHRINKABLE_STATUSES or case.region in UNSHRINKABLE_REGIONS
    if case.inputs and not is_unshrinkable:
        with suppress(Flaky):  # a function that keeps state may be right when it is called again
            case, assessment = _shrink_failure(record, function, case, assessment, examples)
    if dimension:
        assessment = replace(assessment, message=dimension)
    return ChallengeResult(record.id, assessment, len(results), case.region, case.inputs, hint)


def _nearest_special_angle(cases: Sequence[Case]) -> float | None:
    """Return the smallest distance of the angle of a directed case from a multiple of a quarter turn."""
    quarter = np.pi / 2
    angles = [case.angle for case in cases if case.angle is not None and case.angle > quarter / 2]
    return min((abs(angle - quarter * round(angle / quarter)) for angle in angles), default=None)


def _clearest_failure(failed: list[tuple[Case, Assessment]]) -> tuple[Case, Assessment]:
    """Return the clearest failure: results that cannot be compared first, then ordinary inputs."""

    def sort_key(failure: tuple[Case, Assessment]) -> tuple[bool, bool]:
        case, assessment = failure
        return assessment.status in ("wrong", "nonfinite"), case.region != "generic"

    return min(failed, key=sort_key)


def _dimension_hint(
    record: Record, function: Callable[..., Any], answered_cases: Sequence[tuple[Case, Answer]]
) -> str:
    """Return a description of a wrong dimension of the results; empty if there is none."""
    claim_probes = probes(record, [case for case, _ in answered_cases])
    return units_mismatch(
        [
            (
                probe,
                answered_cases[probe.case_index][1],
                [collect_answer(function, inputs) for inputs in probe.converted_inputs],
            )
            for probe in claim_probes
        ]
    )


def _try_inputs(
    record: Record, function: Callable[..., Any], values: Values, **options: Any
) -> tuple[Case, Assessment] | None:
    case = make_case(record, values=values, **options)
    return None if case is None else (case, assess(record, case, collect_answer(function, case.inputs)))


def _challenge_outside_condition(record: Record, function: Callable[..., Any]) -> ChallengeResult | None:
    """Return the smallest inputs outside a claim's condition on which printed form and function are wrong."""
    values = replay(record).counterexample
    outcome = (
        None
        if values is None
        else _try_inputs(record, function, values, region="generic", outside_condition=True)
    )
    if outcome is None or outcome[1].status != "wrong":
        return None
    return ChallengeResult(record.id, outcome[1], 1, "generic", values)


def _shrink_failure(
    record: Record, function: Callable[..., Any], case: Case, assessment: Assessment, examples: int
) -> tuple[Case, Assessment]:
    """Return the smallest inputs on which the function is wrong in the same way, in the same region."""
    try_inputs = partial(_try_inputs, record, function, region=case.region)

    # A counterexample that is off by a tenth reads better than one that is barely wrong.
    for threshold in (CLEAR_RESIDUAL, SIGNIFICANT_RESIDUAL, record.tolerance):

        def is_wrong(values: Values, threshold: float = threshold) -> bool:
            outcome = try_inputs(values)
            return (
                outcome is not None
                and outcome[1].status == assessment.status
                and outcome[1].error > (threshold if np.isfinite(assessment.error) else 0)
            )

        if threshold > assessment.error:
            continue
        if case.angle is None:
            values = find_smallest(record.allowed_inputs, is_wrong, examples=examples, region=case.region)
        else:
            with angles_at(AngleTarget(case.angle)):
                options = search_settings(examples, Phase.generate, Phase.shrink)
                values = find_inputs(angle_inputs(record), is_wrong, options)
        outcome = None if values is None else try_inputs(values)
        if outcome is not None:
            return outcome
    return case, assessment
