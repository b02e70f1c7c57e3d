"""Assess an answer: passed, or the kind of mistake."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rbnotes.arguments import Array
from rbnotes.coursework.challenge.calls import Answer
from rbnotes.coursework.challenge.case_generation import Case
from rbnotes.coursework.challenge.formatting import distinguishing_decimals, format_result
from rbnotes.ledger.evaluation import distance
from rbnotes.ledger.record import Record

Status = Literal[
    "passed",
    "wrong",
    "shape",
    "dtype",
    "nonfinite",
    "missing",
    "exception",
    "mutated",
    "layout",
    "random",
    "stateful",
]
LOW_PRECISION_TYPES = ("float16", "float32", "complex64")


@dataclass(frozen=True, eq=False)
class Assessment:
    """Assessment of one answer.

    Attributes
    ----------
    status
        Passed, or the kind of mistake.
    message
        Message for the student.
    error
        Largest error of all entries, in the units of the result or relative; infinite if the result cannot be
        compared.
    expected
        Right result, of the shape ``(...)`` and in the units of the claim.
    got
        Returned array ``(...)`` in the units that the function chose, or text if there is none.
    """

    status: Status
    message: str
    error: float
    expected: Array
    got: NDArray[Any] | str | None = None

    def __bool__(self) -> bool:
        return self.status == "passed"


def assess(claim: Record | None, case: Case, answer: Answer) -> Assessment:
    """Assess an answer; this neither calls a function nor draws inputs.

    The case holds the right result and the tolerance; a claim adds the descriptions of its arguments.
    """

    def make_assessment(status: Status, message: str, error: float = np.inf) -> Assessment:
        got = answer.text if answer.value is None else answer.value
        return Assessment(status, message, error, case.expected, got)

    if answer.kind == "exception":
        names = ", ".join(case.inputs) or "none"
        hint = f"\n  (the arguments are: {names})" if answer.text.startswith("TypeError") else ""
        return make_assessment("exception", f"it raised {answer.text}{hint}")
    if answer.kind == "nothing":
        return make_assessment("missing", "it returned None: is a return missing?")
    if answer.value is None:
        return make_assessment("dtype", f"it returned {answer.text} where an array of numbers is expected")
    not_reproducible = _reproducibility_error(case, answer)
    if not_reproducible is not None:
        return make_assessment(*not_reproducible)
    dtype = answer.value.dtype
    if dtype.kind == "c":
        return make_assessment("dtype", "it returned complex numbers where real ones are expected")
    if dtype.name in LOW_PRECISION_TYPES:
        return make_assessment(
            "dtype", f"it returned {dtype.name}, which has too few digits: compute in float64"
        )
    if answer.value.shape != case.expected.shape:
        expected_shape = _describe_shape(case.expected)
        return make_assessment(
            "shape", f"it returned {_describe_shape(answer.value)} where {expected_shape} is expected"
        )
    if not np.all(np.isfinite(answer.value)):
        kind = "NaN" if np.any(np.isnan(answer.value)) else "infinity"
        return make_assessment("nonfinite", f"it returned {kind}")
    error = _error(case, answer.value)
    if answer.changed_arguments:
        names = " and ".join(f"`{name}`" for name in answer.changed_arguments)
        return make_assessment("mutated", f"it changed its argument {names}: work on a copy", error)
    if error > case.tolerance:
        return make_assessment("wrong", f"wrong by {error:.2g}", error)
    if layout_error := _layout_error(case, answer):
        return make_assessment("layout", layout_error, error)
    if _in_single_precision(case, answer):
        text = "it has only single precision: compute in float64"
        return make_assessment("dtype", text, error)
    return make_assessment("passed", "right", error)


def format_results(assessment: Assessment) -> str:
    """Return the two results, with the digits in which they differ."""
    got, expected = assessment.got, assessment.expected
    decimals = distinguishing_decimals(got, expected) if isinstance(got, np.ndarray) else None
    lines = [format_result("expected", expected, decimals=decimals or 6)]
    if isinstance(got, np.ndarray):
        lines.insert(0, format_result("got     ", got, decimals=decimals))
    return "\n".join(lines)


def _error(case: Case, value: NDArray[Any]) -> float:
    return distance(value.astype(np.float64), case.expected, printed_numbers=not case.inputs)


def _reproducibility_error(case: Case, answer: Answer) -> tuple[Status, str] | None:
    """Return status and message if the same inputs gave different answers, else None."""
    if answer.repeated is not None and _differs(case, answer, answer.repeated):
        difference = "two calls with the same inputs gave different results"
        if answer.changed_globals:
            return "stateful", f"{difference}: {_describe_state(answer)}"
        return "random", f"{difference}: does it draw random numbers?"
    if answer.repeated_later is not None and _differs(case, answer, answer.repeated_later):
        difference = "the same inputs gave a different result after calls with other inputs"
        return "stateful", f"{difference}: {_describe_state(answer)}"
    if answer.repeated_later is not None and answer.repeated_later.overwritten:
        return "stateful", "its result changed during the next call: return a new array each time"
    return None


def _layout_error(case: Case, answer: Answer) -> str:
    """Return a description of the failure on arrays that are not contiguous; empty if there is none."""
    if answer.strided is None or not _differs(case, answer, answer.strided):
        return ""
    reason = f"it raised {answer.strided.text}" if answer.strided.kind == "exception" else "it is wrong"
    return f"{reason} for arrays that are not contiguous in memory, such as a column `A[:, 0]`"


def _in_single_precision(case: Case, answer: Answer) -> bool:
    """Return True if the answer ignores changes below float32 precision, or if it is in float32."""
    value, perturbed = answer.value, None if answer.perturbed is None else answer.perturbed.value
    if case.precision_mask is None or not np.any(case.precision_mask) or value is None or perturbed is None:
        return False
    if perturbed.shape != case.expected.shape or not np.all(np.isfinite(perturbed)):
        return False
    values, perturbed_values = value[case.precision_mask], perturbed[case.precision_mask]
    is_unchanged = bool(case.inputs) and np.array_equal(values, perturbed_values)
    return is_unchanged or np.array_equal(perturbed_values, perturbed_values.astype(np.float32))


def _describe_state(answer: Answer) -> str:
    names = " and ".join(f"`{name}`" for name in answer.changed_globals)
    return f"it changes {names}" if names else "it keeps state between calls"


def _differs(case: Case, first: Answer, second: Answer) -> bool:
    if first.value is None or second.value is None:
        return first.kind != second.kind
    if first.value.shape != second.value.shape:
        return True
    if not np.all(np.isfinite(first.value)) or not np.all(np.isfinite(second.value)):
        return not np.array_equal(first.value, second.value, equal_nan=True)
    return distance(_real_parts(first.value), _real_parts(second.value)) > case.tolerance


def _real_parts(value: NDArray[Any]) -> Array:
    """Return real and imaginary parts; booleans and unsigned integers have no signed differences."""
    numbers = value.astype(np.complex128)
    return np.stack([numbers.real, numbers.imag])


def _describe_shape(value: NDArray[Any]) -> str:
    return f"an array of shape {value.shape}" if value.ndim else "a single number, of shape ()"


def finite_numbers(case: Case, answer: Answer) -> Array | None:
    """Return the answer as an array if it is finite, real and of the expected shape, else None."""
    value = answer.value
    if value is None or value.shape != case.expected.shape or value.dtype.kind == "c":
        return None
    return value.astype(np.float64) if np.all(np.isfinite(value)) else None
