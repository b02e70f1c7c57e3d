"""What is to be said about an answer: right, or which kind of wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rbnotes.arguments import Array
from rbnotes.challenge.calling import Answer
from rbnotes.challenge.drawing import Case
from rbnotes.challenge.showing import shown, telling_decimals
from rbnotes.ledger.record import Record
from rbnotes.ledger.trials import distance

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
NARROW = ("float16", "float32", "complex64")


@dataclass(frozen=True, eq=False)
class Judgement:
    """One answer against the right result."""

    status: Status
    """Passed, or what kind of mistake it is."""
    message: str
    """What a student reads."""
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

    def said(status: Status, message: str, error: float = np.inf) -> Judgement:
        got = answer.text if answer.value is None else answer.value
        return Judgement(status, message, error, case.expected, got)

    if answer.returned == "exception":
        names = ", ".join(case.inputs) or "none"
        hint = f"\n  (the arguments are: {names})" if answer.text.startswith("TypeError") else ""
        return said("exception", f"it raised {answer.text}{hint}")
    if answer.returned == "nothing":
        return said("missing", "it returned None: is a return missing?")
    if answer.value is None:
        return said("dtype", f"it returned {answer.text} where an array of numbers is expected")
    unsteady = _unsteady(case, answer)
    if unsteady is not None:
        return said(*unsteady)
    dtype = answer.value.dtype
    if dtype.kind == "c":
        return said("dtype", "it returned complex numbers where real ones are expected")
    if dtype.name in NARROW:
        return said("dtype", f"it returned {dtype.name}, which has too few digits: compute in float64")
    if answer.value.shape != case.expected.shape:
        wanted = _shape(case.expected)
        return said("shape", f"it returned {_shape(answer.value)} where {wanted} is expected")
    if not np.all(np.isfinite(answer.value)):
        what = "NaN" if np.any(np.isnan(answer.value)) else "infinity"
        return said("nonfinite", f"it returned {what}")
    error = _error(case, answer.value)
    if answer.changed:
        names = " and ".join(f"`{name}`" for name in answer.changed)
        return said("mutated", f"it changed its argument {names}: work on a copy", error)
    if error > case.tolerance:
        return said("wrong", f"wrong by {error:.2g}", error)
    if spoiled := _spoiled(case, answer):
        return said("layout", spoiled, error)
    if _in_single_precision(case, answer):
        text = (
            "its last digits are lost, as in single precision, though the rest is right: compute in float64"
        )
        return said("dtype", text, error)
    return said("passed", "right", error)


def as_text(judgement: Judgement) -> str:
    """The two results, with the digits in which they differ."""
    got, expected = judgement.got, judgement.expected
    decimals = telling_decimals(got, expected) if isinstance(got, np.ndarray) else None
    lines = [f"  expected {shown(expected, decimals=decimals or 6)}"]
    if isinstance(got, np.ndarray):
        lines.insert(0, f"  got      {shown(got, decimals=decimals)}")
    return "\n".join(lines)


def _error(case: Case, value: NDArray[Any]) -> float:
    return distance(value.astype(np.float64), case.expected, printed_numbers=not case.inputs)


def _unsteady(case: Case, answer: Answer) -> tuple[Status, str] | None:
    """Whether the same inputs gave another answer at another time."""
    if answer.again is not None and _differ(case, answer, answer.again):
        if answer.state:
            return "stateful", f"two calls with the same inputs gave two answers: {_remembers(answer)}"
        return "random", "two calls with the same inputs gave two answers: does it draw random numbers?"
    if answer.later is not None and _differ(case, answer, answer.later):
        text = f"the same inputs gave another answer after calls with other inputs: {_remembers(answer)}"
        return "stateful", text
    if answer.later is not None and answer.later.overwritten:
        return "stateful", "what it returned changed with the next call: return a new array each time"
    return None


def _spoiled(case: Case, answer: Answer) -> str:
    """What is wrong where the same numbers do not lie side by side in memory; empty if nothing is."""
    if answer.spread is None or not _differ(case, answer, answer.spread):
        return ""
    told = f"it raised {answer.spread.text}" if answer.spread.returned == "exception" else "it is wrong"
    return f"{told}, where arrays are not contiguous in memory, such as a column `A[:, 0]`"


def _in_single_precision(case: Case, answer: Answer) -> bool:
    """Whether a change of the inputs that float32 cannot hold is not seen, or what comes back is float32."""
    value, beside = answer.value, None if answer.nearby is None else answer.nearby.value
    if case.fine is None or not np.any(case.fine) or value is None or beside is None:
        return False
    if beside.shape != case.expected.shape or not np.all(np.isfinite(beside)):
        return False
    before, after = value[case.fine], beside[case.fine]
    unseen = bool(case.inputs) and np.array_equal(before, after)
    return unseen or np.array_equal(after, after.astype(np.float32))


def _remembers(answer: Answer) -> str:
    names = " and ".join(f"`{name}`" for name in answer.state)
    return f"it changes {names}" if names else "it remembers something from call to call"


def _differ(case: Case, first: Answer, second: Answer) -> bool:
    if first.value is None or second.value is None:
        return first.returned != second.returned
    if first.value.shape != second.value.shape:
        return True
    if not np.all(np.isfinite(first.value)) or not np.all(np.isfinite(second.value)):
        return not np.array_equal(first.value, second.value, equal_nan=True)
    # Neither truth values nor numbers without a sign have differences of their own.
    off = first.value.astype(np.complex128) - second.value.astype(np.complex128)
    return bool(np.max(np.abs(off), initial=0.0) > case.tolerance)


def _shape(value: NDArray[Any]) -> str:
    return f"an array of shape {value.shape}" if value.ndim else "a single number, of shape ()"


def finite_numbers(case: Case, answer: Answer) -> Array | None:
    """The answer's numbers, if they are finite, real and as many as are expected."""
    value = answer.value
    if value is None or value.shape != case.expected.shape or value.dtype.kind == "c":
        return None
    return value.astype(np.float64) if np.all(np.isfinite(value)) else None
