"""A student's function in the place of the library's: the same record hunts for a counterexample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rbnotes.arguments import InvalidArgument
from rbnotes.ledger.record import Function
from rbnotes.ledger.trials import SIGNIFICANT, TELLING, search


@dataclass(frozen=True, eq=False)
class Challenge:
    """The verdict on a function: passed, or the smallest inputs on which it is wrong."""

    id: str
    passed: bool
    examples: int
    residual: float
    counterexample: dict[str, Any] | None = None
    got: Any = None
    expected: Any = None

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        if self.passed:
            return f"{self.id}: passed {self.examples} examples, largest error {self.residual:.1e}"
        inputs = "\n".join(
            f"  {name} = {_show(value)}" for name, value in (self.counterexample or {}).items()
        )
        return (
            f"{self.id}: wrong by {self.residual:.2g}, for example on\n{inputs}\n"
            f"  got      {_show(self.got)}\n  expected {_show(self.expected)}"
        )

    __repr__ = __str__


def challenge(id: str, function: Function, *, examples: int = 200) -> Challenge:
    """Check your own function against the record of a claim.

    Parameters
    ----------
    id
        The claim, such as ``"lloyd/s0.2/d2"``; its arguments are those of
        ``rbnotes.ledger.find(id).inputs``, in that order.
    function
        Takes these arguments by position and returns an array.
    examples
        How many inputs to try.

    Raises
    ------
    InvalidArgument
        If there is no such claim, or it has nothing to check.
    """
    from rbnotes import ledger  # the records import the library, which students import first

    record = ledger.find(id)
    if record.reference is None:
        raise InvalidArgument("id", f"{id}, which only defines a name", "a claim that can be checked")
    problem: list[Exception] = []

    def attempt(*values: Any) -> Any:
        try:
            return function(*values)
        except Exception as error:  # a student's function may fail in any way; that is a counterexample
            problem[:] = [error]
            return np.nan

    # A counterexample that is off by a tenth reads better than one that is barely wrong.
    for threshold in (TELLING, SIGNIFICANT, record.tolerance):
        result = search(attempt, record.reference, record.inputs, threshold=threshold, examples=examples)
        if result.counterexample is not None or result.worst <= record.tolerance:
            break  # lower thresholds are tried on the same inputs
    if result.counterexample is None:
        return Challenge(id, True, examples, result.worst)
    values = result.counterexample
    problem.clear()
    got = attempt(*values.values())
    return Challenge(
        id,
        False,
        examples,
        result.worst,
        values,
        problem[0] if problem else got,
        record.reference(*values.values()),
    )


def _show(value: Any) -> str:
    if isinstance(value, Exception):
        return f"{type(value).__name__}: {value}"
    if isinstance(value, tuple | list) and any(np.ndim(item) for item in value):
        return ", ".join(_show(item) for item in value)
    text = np.array2string(np.asarray(value), precision=6, suppress_small=True, separator=", ")
    return text.replace("\n", "\n" + 13 * " ")
