"""What is to be said about an answer: right, or which kind of wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rbnotes.arguments import Array
from rbnotes.coursework.challenge.calls import Answer
from rbnotes.coursework.challenge.case_generation import Case
from rbnotes.coursework.challenge.formatting import distinguishing_decimals, format_value
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
class Judgement:
    """One answer against the right result."""

    status: Status
    """Passed, or what kind of mistake it is."""
    message: str
    """Message for the student."""
    error: float
    """Largest error of all entries; infinite where there is no result to compare."""
    expected: Array
    """The right result."""
    got: NDArray[Any] | str | None = None
    """The array that came back, or text in the place of one."""

    def __bool__(self) -> bool:
        return self.status == "passed"


def judge(claim: Record | None, case: Case, answer: Answer) -> Judgement:
    """Say what an answer is; nothing is called and nothing is drawn here.

    What is right, and how nearly, is in the case; a claim adds what its arguments are, where there is one.
    """

    def make_judgement(status: Status, message: str, error: float = np.inf) -> Judgement:
        got = answer.text if answer.value is None else answer.value
        return Judgement(status, message, error, case.expected, got)

    if answer.kind == "exception":
        names = ", ".join(case.inputs) or "none"
        hint = f"\n  (the arguments are: {names})" if answer.text.startswith("TypeError") else ""
        return make_judgement("exception", f"it raised {answer.text}{hint}")
    if answer.kind == "nothing":
        return make_judgement("missing", "it returned None: is a return missing?")
    if answer.value is None:
        return make_judgement("dtype", f"it returned {answer.text} where an array of numbers is expected")
    unsteady = _reproducibility_error(case, answer)
    if unsteady is not None:
        return make_judgement(*unsteady)
    dtype = answer.value.dtype
    if dtype.kind == "c":
        return make_judgement("dtype", "it returned complex numbers where real ones are expected")
    if dtype.name in LOW_PRECISION_TYPES:
        return make_judgement(
            "dtype", f"it returned {dtype.name}, which has too few digits: compute in float64"
        )
    if answer.value.shape != case.expected.shape:
        expected_shape = _describe_shape(case.expected)
        return make_judgement(
            "shape", f"it returned {_describe_shape(answer.value)} where {expected_shape} is expected"
        )
    if not np.all(np.isfinite(answer.value)):
        what = "NaN" if np.any(np.isnan(answer.value)) else "infinity"
        return make_judgement("nonfinite", f"it returned {what}")
    error = _error(case, answer.value)
    if answer.changed_arguments:
        names = " and ".join(f"`{name}`" for name in answer.changed_arguments)
        return make_judgement("mutated", f"it changed its argument {names}: work on a copy", error)
    if error > case.tolerance:
        return make_judgement("wrong", f"wrong by {error:.2g}", error)
    if spoiled := _layout_error(case, answer):
        return make_judgement("layout", spoiled, error)
    if _in_single_precision(case, answer):
        text = (
            "its last digits are lost, as in single precision, though the rest is right: compute in float64"
        )
        return make_judgement("dtype", text, error)
    return make_judgement("passed", "right", error)


def format_results(judgement: Judgement) -> str:
    """Return the two results, with the digits in which they differ."""
    got, expected = judgement.got, judgement.expected
    decimals = distinguishing_decimals(got, expected) if isinstance(got, np.ndarray) else None
    lines = [f"  expected {format_value(expected, decimals=decimals or 6)}"]
    if isinstance(got, np.ndarray):
        lines.insert(0, f"  got      {format_value(got, decimals=decimals)}")
    return "\n".join(lines)


def _error(case: Case, value: NDArray[Any]) -> float:
    return distance(value.astype(np.float64), case.expected, printed_numbers=not case.inputs)


def _reproducibility_error(case: Case, answer: Answer) -> tuple[Status, str] | None:
    """Return True if the same inputs gave another answer at another time."""
    if answer.repeated is not None and _differs(case, answer, answer.repeated):
        if answer.changed_globals:
            return "stateful", f"two calls with the same inputs gave two answers: {_describe_state(answer)}"
        return "random", "two calls with the same inputs gave two answers: does it draw random numbers?"
    if answer.repeated_later is not None and _differs(case, answer, answer.repeated_later):
        text = f"the same inputs gave another answer after calls with other inputs: {_describe_state(answer)}"
        return "stateful", text
    if answer.repeated_later is not None and answer.repeated_later.overwritten:
        return "stateful", "what it returned changed with the next call: return a new array each time"
    return None


def _layout_error(case: Case, answer: Answer) -> str:
    """Return a description of the failure on arrays that are not contiguous; empty if there is none."""
    if answer.strided is None or not _differs(case, answer, answer.strided):
        return ""
    reason = f"it raised {answer.strided.text}" if answer.strided.kind == "exception" else "it is wrong"
    return f"{reason}, where arrays are not contiguous in memory, such as a column `A[:, 0]`"


def _in_single_precision(case: Case, answer: Answer) -> bool:
    """Whether a change of the inputs that float32 cannot hold is not seen, or what comes back is float32."""
    value, beside = answer.value, None if answer.perturbed is None else answer.perturbed.value
    if case.precision_mask is None or not np.any(case.precision_mask) or value is None or beside is None:
        return False
    if beside.shape != case.expected.shape or not np.all(np.isfinite(beside)):
        return False
    before, after = value[case.precision_mask], beside[case.precision_mask]
    unseen = bool(case.inputs) and np.array_equal(before, after)
    return unseen or np.array_equal(after, after.astype(np.float32))


def _describe_state(answer: Answer) -> str:
    names = " and ".join(f"`{name}`" for name in answer.changed_globals)
    return f"it changes {names}" if names else "it remembers something from call to call"


def _differs(case: Case, first: Answer, second: Answer) -> bool:
    if first.value is None or second.value is None:
        return first.kind != second.kind
    if first.value.shape != second.value.shape:
        return True
    if not np.all(np.isfinite(first.value)) or not np.all(np.isfinite(second.value)):
        return not np.array_equal(first.value, second.value, equal_nan=True)
    # Neither truth values nor numbers without a sign have differences of their own.
    off = first.value.astype(np.complex128) - second.value.astype(np.complex128)
    return bool(np.max(np.abs(off), initial=0.0) > case.tolerance)


def _describe_shape(value: NDArray[Any]) -> str:
    return f"an array of shape {value.shape}" if value.ndim else "a single number, of shape ()"


def finite_numbers(case: Case, answer: Answer) -> Array | None:
    """Return the answer's numbers, if they are finite, real and as many as are expected."""
    value = answer.value
    if value is None or value.shape != case.expected.shape or value.dtype.kind == "c":
        return None
    return value.astype(np.float64) if np.all(np.isfinite(value)) else None
