"""Find the slip that explains a wrong answer, such as a missing sign or exchanged arguments.

A slip must explain every tested case. If several do, as a sign and a transpose of a skew-symmetric matrix,
the hint names up to three of them, signs first.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, combinations, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbnotes.arguments import Array
from rbnotes.coursework.challenge.assessment import finite_numbers
from rbnotes.coursework.challenge.calls import Answer
from rbnotes.coursework.challenge.case_generation import Case
from rbnotes.ledger.checks.claim_code import UnreadableFunction, readable_function
from rbnotes.ledger.checks.mutation import (
    MIN_CALL_LIMIT,
    call_counter,
    form_under_test,
    source_mutants,
)
from rbnotes.ledger.evaluation import Values, distance, evaluate
from rbnotes.ledger.record import NEEDS_CORRECTION, Function, Record

MATCH_TOLERANCE = 1e-6
"""Largest distance between an answer and the result of a slip that explains it."""
NUM_SCREENED_CASES = 24
"""Number of cases that a slip must explain before it is tested on the others."""
MAX_MUTANTS = 200
"""Largest number of changes to the source of the right form."""
DEGREES = 180 / np.pi
MAX_ALTERNATIVES = 3
"""Largest number of slips in a hint."""

Slip = tuple[str, Callable[[Case], Any]]
FrameRotation = Callable[[Array, Values], Array]
"""Rotation of a vector or twist by one of the arguments."""
MUTATION_HINTS = {
    "dropped transpose": "a transpose is missing",
    "dropped minus": "a minus sign is missing",
    "dropped factor": "a factor is missing",
    "dropped term": "a term is missing",
    "dropped": "a term is missing",
    "flipped sign": "a sign is wrong in one of the terms",
    "negated": "a sign is wrong in one of the entries",
    "swapped": "two factors are exchanged",
    "doubled": "a constant factor is wrong",
    "sin for cos": "there is a sine instead of a cosine",
    "cos for sin": "there is a cosine instead of a sine",
    "index": "an index is wrong",
    "flipped comparison": "a comparison is reversed",
}
"""Hints for changes to a source, by prefixes of their names."""


def find_slip(
    claim: Record, answered_cases: Sequence[tuple[Case, Answer]], *, first: int = NUM_SCREENED_CASES
) -> str:
    """Return the hint of the slips that explain all answers; empty if there is none or more than three.

    The candidates are the slips that explain the ``first`` cases.
    """
    comparisons = [(case, finite_numbers(case, answer)) for case, answer in answered_cases]
    comparable = [(case, value) for case, value in comparisons if value is not None]
    # The cases with the largest errors come first: they separate the slips best.
    ordered = sorted(comparable[:first], key=lambda one: -distance(one[1], one[0].expected))
    wrong = [one for one in ordered if distance(one[1], one[0].expected) > MATCH_TOLERANCE]
    if not wrong or len(comparable) < len(comparisons):
        return ""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        kinds = (
            _printed_slips(claim),
            chain(_result_slips(wrong[0][0]), _argument_slips(claim, wrong[0][0])),
            islice(_source_slips(claim, wrong), MAX_MUTANTS),
        )
        for slips in kinds:
            explanations = [
                (hint, slipped_result) for hint, slipped_result in slips if _explains(slipped_result, ordered)
            ]
            if explanations:
                return _join(
                    [
                        hint
                        for hint, slipped_result in explanations
                        if _explains(slipped_result, comparable[first:])
                    ]
                )
    return ""


def _join(hints: Sequence[str]) -> str:
    """Return one hint of the alternatives, signs first; empty if there are too many."""
    distinct = sorted(dict.fromkeys(hints), key=lambda hint: hint.count("sign") == 0)
    return ", or ".join(distinct) if len(distinct) <= MAX_ALTERNATIVES else ""


def _explains(slipped_result: Callable[[Case], Any], compared_cases: Sequence[tuple[Case, Array]]) -> bool:
    for case, value in compared_cases:
        try:
            slipped = np.asarray(slipped_result(case), dtype=np.float64)
        except Exception:  # a slip may make invalid inputs
            return False
        if slipped.shape != value.shape or not distance(slipped, value) <= MATCH_TOLERANCE:
            return False
    return True


def _printed_slips(claim: Record) -> Iterator[Slip]:
    if claim.verdict in NEEDS_CORRECTION and claim.printed is not None:
        printed = claim.printed
        yield (
            f"this is the formula as printed, which is wrong ({claim.verdict})",
            lambda case: evaluate(printed, case.inputs),
        )


def _result_slips(case: Case) -> Iterator[Slip]:
    """Yield slips that change only the result."""
    shape = case.expected.shape

    def slip(hint: str, change: Callable[[Array], Any]) -> Slip:
        return hint, lambda case: change(case.expected)

    yield slip("the sign of the result is wrong", np.negative)
    yield slip("the result is in degrees", lambda right: DEGREES * right)
    yield slip("there is an additional factor pi/180", lambda right: right / DEGREES)
    yield slip("the result is too large by a factor of 2", lambda right: 2 * right)
    yield slip("the result is too small by a factor of 2", lambda right: right / 2)
    if len(shape) == 2 and shape[0] == shape[1]:
        yield slip("the result is transposed", np.transpose)
        if not np.allclose(case.expected @ case.expected.T, np.eye(shape[0]), atol=MATCH_TOLERANCE):
            yield slip("the result is the inverse: is it expressed in the other frame?", np.linalg.inv)
    if shape == (4,):
        yield slip("the scalar part comes first, not last", lambda right: np.roll(right, -1))
        yield slip("the result is the conjugate quaternion", lambda right: right * [1, -1, -1, -1])
    if shape and shape[0] == 6:
        both = len(shape) == 2 and shape[1] == 6
        hint = "the two halves are exchanged: the angular part comes first"
        yield slip(hint, lambda right: np.roll(right, 3, axis=(0, 1) if both else 0))


def _argument_slips(claim: Record, case: Case) -> Iterator[Slip]:
    """Yield slips in the use of one argument or of two: the oracle's results for changed arguments."""
    reference = claim.reference
    if reference is None:
        return

    def slip(hint: str, change: Callable[[Values], Values]) -> Slip:
        return hint, lambda case: evaluate(reference, {**case.inputs, **change(case.inputs)})

    def argument_slip(name: str, hint: str, change: Callable[[Any], Any]) -> Slip:
        return slip(f"`{name}` {hint}", lambda values: {name: change(values[name])})

    arrays = {
        name: value.shape
        for name, value in case.inputs.items()
        if isinstance(value, np.ndarray) and value.dtype.kind == "f"
    }
    numbers = {name: () for name, value in case.inputs.items() if isinstance(value, float)}
    for name, shape in (arrays | numbers).items():
        yield argument_slip(name, "enters with the wrong sign", lambda value: -value)
        yield argument_slip(name, "is taken in degrees", lambda value: value / DEGREES)
        yield argument_slip(name, "is converted to degrees", lambda value: value * DEGREES)
        if len(shape) == 2 and shape[0] == shape[1]:
            yield argument_slip(name, "is transposed: check which frame it maps to which", np.transpose)
            yield argument_slip(name, "is inverted: check which frame it maps to which", np.linalg.inv)
        if shape == (6,):
            hint = "has its halves exchanged: the angular part comes first"
            yield argument_slip(name, hint, lambda value: np.roll(value, 3))
        if shape == (4,):
            yield argument_slip(name, "is taken with the scalar last", lambda value: np.roll(value, -1))
    for first, second in combinations(arrays | numbers, 2):
        if (arrays | numbers)[first] == (arrays | numbers)[second]:

            def exchange(values: Values, a: str = first, b: str = second) -> Values:
                return {a: values[b], b: values[a]}

            yield slip(f"`{first}` and `{second}` are exchanged", exchange)
    yield from _order_slips(reference, case, arrays)
    yield from _frame_slips(reference, case, arrays)


def _order_slips(reference: Function, case: Case, arrays: dict[str, tuple[int, ...]]) -> Iterator[Slip]:
    """Yield slips in the order of entries, in all arguments and in the result."""
    orders = (
        (4, 1, "quaternions are taken with the scalar last"),
        (6, 3, "twists and wrenches are taken with the linear part first"),
    )
    for size, shift, hint in orders:
        ordered = [name for name, shape in arrays.items() if shape == (size,)]
        if ordered and case.expected.shape in ((size,), (size, size)):

            def slipped_result(case: Case, ordered: list[str] = ordered, shift: int = shift) -> Array:
                reordered = {name: np.roll(case.inputs[name], shift) for name in ordered}
                axes = tuple(range(case.expected.ndim))
                return np.roll(evaluate(reference, {**case.inputs, **reordered}), -shift, axis=axes)

            yield hint, slipped_result


def _frame_slips(reference: Function, case: Case, arrays: dict[str, tuple[int, ...]]) -> Iterator[Slip]:
    """Yield slips of frames: vectors, twists and results rotated by one of the arguments."""
    frames = [
        name for name, shape in arrays.items() if shape in ((3, 3), (4, 4)) and _is_rigid(case.inputs[name])
    ]
    for frame in frames:
        for inverted, text in ((False, ""), (True, "the inverse of ")):

            def rotate(value: Array, values: Values, frame: str = frame, inverted: bool = inverted) -> Array:
                R = values[frame][:3, :3].T if inverted else values[frame][:3, :3]
                rotated: Array = (R @ value.reshape(-1, 3).T).T
                return rotated.reshape(value.shape)

            def rotated_result(case: Case, rotation: FrameRotation = rotate) -> Array:
                return rotation(case.expected, case.inputs)

            def rotated_argument(case: Case, name: str, rotation: FrameRotation = rotate) -> Array:
                return evaluate(reference, {**case.inputs, name: rotation(case.inputs[name], case.inputs)})

            if case.expected.shape in ((3,), (6,)):
                yield f"the result is in the wrong frame: it is rotated by {text}`{frame}`", rotated_result
            for name, shape in arrays.items():
                if shape in ((3,), (6,)):
                    hint = f"`{name}` is taken in the wrong frame: it is rotated by {text}`{frame}`"
                    yield hint, partial(rotated_argument, name=name)


def _is_rigid(E: NDArray[Any]) -> bool:
    R = E[:3, :3]
    return bool(np.allclose(R @ R.T, np.eye(3), atol=1e-9))


def _source_slips(claim: Record, wrong: Sequence[tuple[Case, Array]]) -> Iterator[Slip]:
    """Yield single changes to the source of the right form."""
    form = form_under_test(claim)
    if form is None:
        return
    try:
        mutants = source_mutants(readable_function(form), [case.inputs for case, _ in wrong[:2]])
    except UnreadableFunction:
        return
    for mutant in mutants:
        change = mutant.change.partition(": ")[2] if mutant.change.startswith("in ") else mutant.change
        hint = next((text for kind, text in MUTATION_HINTS.items() if change.startswith(kind)), "")
        if hint:

            def slipped_result(case: Case, form: Function = mutant.form) -> Array:
                with call_counter(MIN_CALL_LIMIT):
                    return evaluate(form, case.inputs)

            yield hint, slipped_result
