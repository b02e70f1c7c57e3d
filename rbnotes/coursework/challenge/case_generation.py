"""Generate the test cases of a claim: inputs from named regions, with the right results."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle, islice, zip_longest
from typing import Any

import numpy as np
from hypothesis import Phase, given
from hypothesis import seed as seeded
from hypothesis.strategies import DrawFn, SearchStrategy, builds, composite, tuples

from rbnotes import arguments
from rbnotes.arguments import Array, BoolArray, InvalidArgument
from rbnotes.coursework.challenge.calls import NUM_REPEATED_INPUTS, RELATIVE_PERTURBATION, perturb_inputs
from rbnotes.coursework.challenge.structured_inputs import (
    is_scalable,
    most_varied,
    structured_changes,
)
from rbnotes.ledger.evaluation import (
    NonFiniteReference,
    Values,
    deviation,
    distance,
    evaluate_reference,
    inputs_strategy,
    samples,
    search_settings,
    try_evaluate,
)
from rbnotes.ledger.quantities import NUMBER, Dimension, QuantityDeclaration, VectorQuantity
from rbnotes.ledger.record import NEEDS_CORRECTION, Function, Inputs, Record
from rbnotes.testing import reproducible_draws, strategies
from rbnotes.testing.strategies import AngleTarget, Region, angles_at
from rbnotes.unchecked.so3 import CLOSED_FORM_ABOVE, SERIES_BELOW

REGION_ORDER: tuple[Region, ...] = (
    *("generic", "tiny", "generic", "large", "generic", "near pi", "generic", "non-dyadic"),
    *("generic", "tiny", "near pi", "large", "generic", "degenerate", "generic", "tiny"),
)
"""Order in which the regions are tried; the first few cases contain all regions."""
REGION_ORDER_FOR_NUMBERS: tuple[Region, ...] = tuple(
    "large" if i % 8 == 6 else REGION_ORDER[i] for i in range(16)
)
"""Order for claims with numbers as arguments, with more cases in which one number is large."""
OVERSAMPLING: dict[Region, int] = {"large": 3}
"""Factor on the number of inputs drawn in a region: many ``large`` inputs give no case."""
NUM_TYPICAL_INPUTS, NUM_LARGE_INPUTS = 24, 6
"""Number of inputs that determine the usual size of a number, and of those in which it alone is large."""
SCALE_FACTORS = (
    *(1e3, 1e-6, 300.0, 3e-6, 100.0, 1e-5, 30.0, 3e-5),
    *(1e-4, 3e-4, 10.0, 1e-3, 1e-2, 0.1, 3.0),
)
"""Factors on one argument of a claim, see :func:`iterate_scaled_cases`.

With a stride of three, each argument still takes large and small ones.
"""
NUM_CHANGED_INPUTS = 24
"""Number of inputs of which the most varied ones are changed."""
MAX_CHANGE_ATTEMPTS = 6
"""Number of inputs that are tried for each change of an argument: often half of them are not allowed."""
SIZE_CHANGES = (1, 3, -1)
"""Changes of the number of entries of arrays, see :func:`iterate_size_cases`."""
SMALLEST_SIZES = (1, 2)
"""Numbers of entries that are always tried."""
NUM_SIZE_INPUTS = 4
"""Number of inputs for each of these changes."""
NEW_ENTRY_SCALE = 0.75
"""Ratio of new entries of an array to the entries that they are made of."""
TOLERANCE_FRACTION = 0.1
"""Largest error of the right form, relative to the tolerance, outside the inputs of its record."""
SINGLE_PRECISION_ERROR = 1e-8
"""Lower bound on the error of single-precision numbers of order one, which the comparison always detects."""
MAX_CANCELLATION_ERROR = 1e-8
"""Largest error of a right form near zero by cancellation of half of the digits."""
LOSS_FACTOR = 10.0
"""Ratio of the accepted error to that of a right form that loses digits."""
RELATIVE_JITTER = 1e-14
"""Relative perturbation of inputs, similar to rounding, that must not change results by the tolerance."""
SPECIAL_ANGLES = (
    *(SERIES_BELOW, CLOSED_FORM_ABOVE),
    *(np.pi / 2, np.pi, 3 * np.pi / 2, 2 * np.pi, 4 * np.pi),
)
"""Angles at which code branches: thresholds of the library's series, quarter turns, one period and two."""
ANGLE_OFFSETS = tuple(10.0**-decade for decade in range(1, 9))
"""Distances from the special angles, on both sides, rad."""
SMALL_ANGLES = (*(10.0 ** (-step / 10) for step in range(3, 43)), *(10.0**-decade for decade in range(5, 9)))
"""Small angles, where series replace closed forms: ten in each decade down to 1e-4, then one in each, rad."""
ANGLE_TARGETS = (
    *SMALL_ANGLES,
    *(angle + sign * offset for angle in SPECIAL_ANGLES for offset in ANGLE_OFFSETS for sign in (-1, 1)),
)
"""Angles of the directed cases, see :func:`iterate_angle_cases`."""
MAX_TINY_ANGLE = 0.1
"""Largest angle at which right forms may lose digits by cancellation, rad."""
MAX_ANGLE_ATTEMPTS = 2
"""Number of draws for each angle, of which filters may reject some."""
ANGLE_PROBES = (*SMALL_ANGLES[:6], *SPECIAL_ANGLES)
"""Angles of the draws that show whether a claim takes angles."""


@dataclass(frozen=True, eq=False)
class Case:
    """Test case: inputs and right result.

    Attributes
    ----------
    claim
        Id of the claim, or the function's name if a lecturer's own oracle gives the right result.
    region
        Region of the inputs.
    inputs
        Arguments by name.
    expected
        Right result, of the shape ``(...)`` and in the units of the claim.
    tolerance
        Largest accepted error in the units of the result, or relative: see
        :func:`rbnotes.ledger.evaluation.deviation`.
    precision_mask
        Entries of the result whose last digits depend on those of the inputs: booleans ``(...)``,
        dimensionless; None if single precision exceeds the tolerance anyway.
    angle
        Angle of the directed cases, rad; None for others.
    """

    claim: str
    region: Region
    inputs: Values
    expected: Array
    tolerance: float
    precision_mask: BoolArray | None = None
    angle: float | None = None


def cases(claim: Record, *, seed: int = 0, examples: int = 200) -> tuple[Case, ...]:
    """Return the test cases of a claim from all its regions for a seed.

    The record's strategies draw the inputs; those of a conditional claim meet its condition. A case from a
    region on which the record is not verified counts only if the library's form agrees with the oracle there,
    and if rounding the inputs does not change the result; a generic case, only if all right forms agree.

    Parameters
    ----------
    claim
        The record.
    seed
        Seed of the random inputs.
    examples
        Number of cases; fewer if the claim has none in some region, one if it takes no inputs.

    Raises
    ------
    InvalidArgument
        If the claim cannot be checked, ``examples`` is not a positive integer, or ``seed`` is not an integer
        >= 0.
    """
    claim_cases = list(iterate_cases(claim, seed=seed, examples=examples))
    return tuple(with_precision_masks(claim, claim_cases))


def iterate_all_cases(
    claim: Record, *, seed: int, examples: int, first_batch: int | None = None, stride: int = 1
) -> Iterator[Case]:
    """Yield the random cases of a claim, then special angles, other magnitudes, sizes and special geometry.

    With a ``stride`` above 1, only one in so many of these is tried.
    """
    yield from iterate_cases(claim, seed=seed, examples=examples, first_batch=first_batch)
    yield from iterate_angle_cases(claim, seed=seed, stride=stride)
    yield from iterate_scaled_cases(claim, seed=seed, stride=stride)
    yield from iterate_size_cases(claim, seed=seed, stride=stride)
    yield from iterate_structured_cases(claim, seed=seed, stride=stride)


def iterate_cases(
    claim: Record, *, seed: int, examples: int, first_batch: int | None = None
) -> Iterator[Case]:
    """Yield :func:`cases`, one after the other.

    With ``first_batch``, the inputs after that many cases are drawn only when they are needed.
    """
    if claim.reference is None:
        raise InvalidArgument("id", f"{claim.id}, which only defines a name", "a claim that can be checked")
    examples, seed = arguments.count("examples", examples, 1), arguments.count("seed", seed)
    inputs = claim.allowed_inputs
    large = _large_inputs(inputs, seed) if inputs else []
    region_order = REGION_ORDER_FOR_NUMBERS if large else REGION_ORDER
    regions: list[Region] = (
        [region_order[index % len(region_order)] for index in range(examples)] if inputs else ["generic"]
    )
    inputs_by_region = {
        region: _iterate_inputs(
            inputs,
            OVERSAMPLING.get(region, 1) * regions.count(region),
            OVERSAMPLING.get(region, 1) * regions[:first_batch].count(region),
            region,
            seed,
        )
        for region in dict.fromkeys(regions)
    }
    if large and "large" in inputs_by_region:
        large_inputs = iter(large)
        interleaved = zip_longest(inputs_by_region["large"], large_inputs, large_inputs)
        inputs_by_region["large"] = (
            values for group in interleaved for values in group if values is not None
        )
    for region in regions:
        candidates = (make_case(claim, region, values) for values in inputs_by_region[region])
        case = next((case for case in candidates if case is not None), None)
        if case is not None:
            yield case


def iterate_angle_cases(claim: Record, *, seed: int, stride: int = 1) -> Iterator[Case]:
    """Yield cases in which an angle or a rotation vector is small or close to a special angle.

    Random inputs rarely come close to a multiple of pi, and never from above. These cases take each of
    ``ANGLE_TARGETS`` in turn, or one in ``stride``. There are none for claims without angles.
    """
    inputs = angle_inputs(claim)
    if not inputs or not _draw_angle_inputs(inputs, ANGLE_PROBES, seed):
        return
    for angle, values in _draw_angle_inputs(inputs, ANGLE_TARGETS[::stride], seed):
        case = make_case(claim, "tiny" if angle <= MAX_TINY_ANGLE else "special angle", values)
        if case is not None:
            yield replace(case, angle=angle)


def iterate_scaled_cases(claim: Record, *, seed: int, stride: int = 1) -> Iterator[Case]:
    """Yield cases in which one argument is up to a thousand times larger or a million times smaller.

    They cover matrices and positive numbers, which the strategies of a claim do not rescale. Arguments with
    entries, rows or columns of fixed length are left out: unit vectors, rotations and poses. Each factor is
    applied to one argument in ``stride``, and over the factors to all of them.
    """
    if not claim.allowed_inputs:
        return
    inputs = _inputs_to_change(claim, seed)
    names = [name for name in claim.allowed_inputs if is_scalable([values[name] for values in inputs])]
    changes = (
        partial(_scale_argument, name, factor)
        for index, factor in enumerate(SCALE_FACTORS)
        for name in names[index % stride :: stride]
    )
    yield from _iterate_changed_cases(claim, "rescaled", inputs, changes)


def _inputs_to_change(claim: Record, seed: int) -> list[Values]:
    """Return generic inputs, from which those with other magnitudes, sizes and geometry are made."""
    return most_varied(_draw_inputs(claim.allowed_inputs, NUM_CHANGED_INPUTS, "non-dyadic", seed))


def _scale_argument(name: str, factor: float, values: Values) -> Values:
    return {**values, name: values[name] * factor}


def _iterate_changed_cases(
    claim: Record, region: Region, inputs: Sequence[Values], changes: Iterable[Callable[[Values], Values]]
) -> Iterator[Case]:
    """Yield a case for each change of inputs, unless several inputs in turn are not allowed after it."""
    drawn = cycle(inputs)
    for change in changes:
        for values in islice(drawn, MAX_CHANGE_ATTEMPTS):
            case = make_case(claim, region, change(values))
            if case is not None:
                yield case
                break


def iterate_size_cases(claim: Record, *, seed: int, stride: int = 1) -> Iterator[Case]:
    """Yield cases with more or fewer rows, columns or entries, for claims whose arrays may have any size.

    All axes of one length become longer or shorter together, as those of a mass matrix and of the velocities,
    or as long as others: as many constraints as velocities. Of the inputs that are changed, one in
    ``stride`` is used.
    """
    if not claim.any_size:
        return
    inputs = _inputs_to_change(claim, seed)[:NUM_SIZE_INPUTS]
    lengths = {
        length for values in inputs for value in values.values() for length in np.shape(value) if length
    }
    for values in inputs[::stride]:
        for length in sorted(lengths):
            new_lengths = {*(length + change for change in SIZE_CHANGES), *SMALLEST_SIZES, *lengths}
            for new_length in sorted(new_lengths - {0, length}):
                resized = {name: _resize(value, length, new_length) for name, value in values.items()}
                case = make_case(claim, "other size", resized)
                if case is not None:
                    yield case


def _resize(value: Any, old_length: int, new_length: int) -> Any:
    """Return an array whose axes of one length have another one.

    Symmetric matrices stay symmetric, and positive definite ones definite.
    """
    if not isinstance(value, np.ndarray):
        return value
    is_symmetric = value.shape == (old_length, old_length) and np.allclose(value, value.T)
    for axis, length in enumerate(value.shape):
        if length != old_length:
            continue
        while value.shape[axis] > new_length:
            value = np.delete(value, -1, axis)
        while value.shape[axis] < new_length:
            last = np.take(value, [-1], axis)
            new = np.zeros_like(last) if is_symmetric else NEW_ENTRY_SCALE * np.roll(last, 1)
            value = np.concatenate([value, new], axis)
    if is_symmetric:
        for i in range(old_length, new_length):
            value[i, i] = NEW_ENTRY_SCALE * value[i - 1, i - 1]
    return value


def iterate_structured_cases(claim: Record, *, seed: int, stride: int = 1) -> Iterator[Case]:
    """Yield cases with vectors along an axis or parallel, half twists, points on a line, and unequal scales.

    Random inputs never are of this kind, those of real scenes often. Of the changes, one in ``stride`` is
    used.
    """
    if not claim.allowed_inputs:
        return
    inputs = _inputs_to_change(claim, seed)
    changes = islice(structured_changes(inputs), 0, None, stride)
    yield from _iterate_changed_cases(claim, "special geometry", inputs, changes)


def angle_inputs(claim: Record) -> Inputs:
    """Return the strategies of a claim's inputs for the context :func:`rbnotes.testing.strategies.angles_at`.

    Arguments with dimensions keep their ``non-dyadic`` numbers.
    """

    @composite
    def draw_ordinary(draw: DrawFn, strategy: SearchStrategy[Any]) -> Any:
        with strategies.region("non-dyadic"):
            return draw(strategy)

    inputs = claim.allowed_inputs
    with_angles = [name for name in inputs if _may_be_angle(claim.quantities.get(name))]
    if not with_angles:
        return {}
    return {
        name: strategy if name in with_angles else draw_ordinary(strategy)
        for name, strategy in inputs.items()
    }


def _may_be_angle(quantity: QuantityDeclaration | None) -> bool:
    """Return True if an argument of this quantity has numbers without a dimension."""
    if isinstance(quantity, Dimension):
        return quantity == NUMBER
    return not isinstance(quantity, VectorQuantity) or NUMBER in quantity.entries


def _has_angle(values: Values, angle: float) -> bool:
    """Return True if a number, an entry of a vector or its first three entries have this angle."""
    numbers = [np.atleast_1d(value) for value in values.values() if isinstance(value, (float, np.ndarray))]
    return any(
        np.isclose(np.append(np.abs(each), np.linalg.norm(each[:3])), angle, rtol=1e-12, atol=0).any()
        for each in numbers
        if each.ndim == 1
    )


def _draw_angle_inputs(inputs: Inputs, angles: Sequence[float], seed: int) -> list[tuple[float, Values]]:
    """Return inputs with their target angles; draws without an angle are left out."""
    drawn: list[tuple[float, Values]] = []
    for attempt in range(MAX_ANGLE_ATTEMPTS):
        found, first = {angle for angle, _ in drawn}, 0
        remaining = [angle for angle in angles if angle not in found]
        while first < len(remaining):
            offset = attempt * len(angles) + first
            first += max(1, _draw_until_conflict(inputs, remaining[first:], seed + offset, drawn))
    return drawn


class _AllAnglesTried(Exception):
    """Raised when each angle was a target once; it ends the search like a failing test."""


def _draw_until_conflict(
    inputs: Inputs, angles: Sequence[float], seed: int, drawn: list[tuple[float, Values]]
) -> int:
    """Append inputs with these target angles to ``drawn``, and return the number of angles tried.

    Hypothesis ends a search in which a filter accepts the same choices for one target only. Objects with some
    angles may be invalid. The next search starts with the angle at which this one ended.
    """
    target, num_targets = AngleTarget(angles[0]), 0

    def choose_angle() -> None:
        nonlocal num_targets
        if num_targets == len(angles):
            raise _AllAnglesTried
        target.angle = angles[num_targets]
        num_targets += 1

    @seeded(seed)
    @search_settings(len(angles), Phase.generate)
    @given(tuples(builds(choose_angle), inputs_strategy(inputs)))
    def draw(choice_and_values: tuple[None, Values]) -> None:
        if _has_angle(choice_and_values[1], target.angle):
            drawn.append((target.angle, choice_and_values[1]))

    with warnings.catch_warnings(), np.errstate(all="ignore"), reproducible_draws(), angles_at(target):
        warnings.simplefilter("ignore")
        try:
            draw()
        except Exception:
            return num_targets - (num_targets < len(angles))
    return len(angles)


def _large_inputs(inputs: Inputs, seed: int) -> list[Values]:
    """Return inputs in which one number is larger than usual, for each number in turn.

    A few random cases would leave most numbers out. Bounded numbers have no large values.
    """
    typical = _draw_inputs(inputs, NUM_TYPICAL_INPUTS, "generic", seed)
    names = [name for name in inputs if all(type(values[name]) is float for values in typical)]
    large_by_argument = []
    for name in names:
        usual_max = max(abs(values[name]) for values in typical)
        large = _draw_inputs(inputs, NUM_LARGE_INPUTS, "large", seed, name)
        large_by_argument.append([values for values in large if abs(values[name]) > usual_max])
    return [values for group in zip_longest(*large_by_argument) for values in group if values is not None]


def _iterate_inputs(inputs: Inputs, count: int, first: int, region: Region, seed: int) -> Iterator[Values]:
    """Yield ``count`` inputs of a region; the ``first`` of them are drawn alone."""
    if 0 < first < count:
        yield from _draw_inputs(inputs, count, region, seed, first=first)
    else:
        first = 0
    yield from _draw_inputs(inputs, count, region, seed)[first:]


def _draw_inputs(
    inputs: Inputs,
    count: int,
    region: Region,
    seed: int,
    large_argument: str | None = None,
    first: int | None = None,
) -> list[Values]:
    """Return inputs of a region; none if the claim's inputs exclude it."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return samples(
                inputs, count, region=region, random_seed=seed, large_argument=large_argument, first=first
            )
    except Exception:  # objects of tiny or large numbers may be invalid
        if region == "generic":
            raise
        return []


def make_case(
    claim: Record, region: Region, values: Values, *, outside_condition: bool = False
) -> Case | None:
    """Return the case of these inputs, or None if they do not separate right from wrong answers.

    With ``outside_condition`` the inputs must violate the condition of a conditional claim.
    """
    reference = claim.reference
    if reference is None:
        return None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            if (
                claim.holds_when is not None
                and bool(np.all(claim.holds_when(*values.values()))) is outside_condition
            ):
                return None
            expected = evaluate_reference(reference, values)
            errors: list[float] = []
            if not outside_condition:
                errors = [deviation(form, expected, values) for form in right_forms(claim)]
                if not _is_well_conditioned(claim, reference, region, values, expected, errors):
                    return None
        except NonFiniteReference:
            return None
        except Exception:
            if region == "generic":
                raise
            return None
    return Case(claim.id, region, values, expected, _tolerance(claim, region, errors))


def _tolerance(claim: Record, region: Region, errors: Sequence[float]) -> float:
    """Return the tolerance of a claim, larger near zero where a right form loses digits by cancellation."""
    losses = [error for error in errors if error <= MAX_CANCELLATION_ERROR] if region == "tiny" else []
    return max([claim.tolerance, *(LOSS_FACTOR * loss for loss in losses)])


def with_precision_masks(claim: Record, claim_cases: Sequence[Case]) -> list[Case]:
    """Return cases, with masks for those that are repeated with perturbed numbers by ``collect_answers``."""
    return [
        replace(case, precision_mask=_precision_mask(claim, case.inputs))
        for case in claim_cases[:NUM_REPEATED_INPUTS]
    ] + list(claim_cases[NUM_REPEATED_INPUTS:])


def _precision_mask(claim: Record, values: Values) -> BoolArray | None:
    """Return the mask of the entries that reveal single precision; None if no entry can.

    A perturbation of the inputs changes such an entry of the right result, and rounding to ``float32``
    changes it too.
    """
    if claim.tolerance <= SINGLE_PRECISION_ERROR or not right_forms(claim):
        return None
    form = right_forms(claim)[0]
    result, perturbed_result = try_evaluate(form, values), try_evaluate(form, perturb_inputs(values))
    if result is None or perturbed_result is None or result.shape != perturbed_result.shape:
        return None
    changed = (
        np.abs(perturbed_result - result) > TOLERANCE_FRACTION * RELATIVE_PERTURBATION
        if values
        else np.full(result.shape, True)
    )
    counts = (np.abs(perturbed_result) > claim.tolerance) & (
        perturbed_result != perturbed_result.astype(np.float32)
    )
    return np.asarray(changed & counts)


def _is_well_conditioned(
    claim: Record,
    reference: Function,
    region: Region,
    values: Values,
    expected: Array,
    errors: Sequence[float],
) -> bool:
    """Return True if rounding errors of right code stay below the tolerance; ``errors`` are its deviations.

    Near zero the library's form must agree: a right formula may lose half of its digits there. Generic inputs
    are well scaled; the right forms differ only where rounding decides between two branches.
    """
    if region == "generic":
        return all(error <= claim.tolerance for error in errors)
    relevant_errors = errors[:1] if region == "tiny" and claim.library is not None else errors
    if any(not error <= TOLERANCE_FRACTION * claim.tolerance for error in relevant_errors):
        return False
    jittered = evaluate_reference(reference, perturb_inputs(values, RELATIVE_JITTER, axes=np.inf))
    return distance(jittered, expected) <= claim.tolerance


def right_forms(claim: Record) -> list[Function]:
    """Return the right forms of a claim: the library's, and the printed form if it is right."""
    printed = [] if claim.verdict in NEEDS_CORRECTION else [claim.printed]
    return [form for form in (claim.library, *printed) if form is not None]
