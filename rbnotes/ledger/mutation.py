"""Is a record's check able to fail? Perturb the form under test and see.

A sign is flipped, a term dropped, two factors exchanged, an index moved: each such mutant is a wrong
formula, and a check that accepts it would have accepted a wrong print. Mutants are made from the source of
the form and of the claim's functions that it calls, one change at a time, and from its result as a whole.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType, FunctionType
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger import mutants
from rbnotes.ledger.honesty.claim_code import helpers, plain, rebuilt, tree
from rbnotes.ledger.honesty.tracing import trace
from rbnotes.ledger.record import NEEDS_CORRECTION, Function, Record, Verdict
from rbnotes.ledger.runner import EXAMPLES
from rbnotes.ledger.trials import Values, changed_deviation, expectations, samples

TICK = "__tick__"
LONGER = 30
"""A mutant that makes so many times the calls of its form counts as endless ..."""
CALLS = 20_000
"""... once it makes this many."""
LONGEST = 20.0
"""Seconds of the processor that a mutant may take on one input: a loop need not enter any function."""
MOST_LISTED = 1 / 3
"""Share of the mutants that a record may call equivalent."""
SHORTEST_BEGINNING = 12
"""Letters that a name with a star has at least."""
LISTED = 8
"""Inputs on which a mutant that is called equivalent is tried."""


class Swaps:
    """The product ``b @ a`` in the place of ``a @ b``.

    It is no change at all if one of them is a symmetric semidefinite matrix, such as a mass matrix, and the
    other a vector.
    """

    def __init__(self) -> None:
        self.called = self.changed = False

    def __call__(self, a: Array, b: Array) -> Array:
        self.called = True
        first, second = (np.asarray(part, dtype=np.float64) for part in (a, b))
        same = (first.ndim == 1 and _is_definite(second)) or (second.ndim == 1 and _is_definite(first))
        self.changed = self.changed or not (same or first.ndim == second.ndim == 1)
        return b @ a


def _is_definite(A: Array) -> bool:
    square = A.ndim == 2 and A.shape[0] == A.shape[1]
    if not square or not np.allclose(A, A.T, rtol=1e-9, atol=1e-9):
        return False
    values = np.linalg.eigvalsh(A)
    return bool(values[0] >= -1e-9 or values[-1] <= 1e-9)


@dataclass(frozen=True)
class Mutant:
    """A form with one change."""

    change: str
    """What was changed, in words."""
    form: Function
    """The changed function."""
    swaps: Swaps | None = None
    """What a swapped product met, for a mutant that may have one."""


class Cases:
    """Inputs with the oracle's results, and how many calls a form makes on them."""

    def __init__(self, form: Function, inputs: list[Values], expected: list[Array]) -> None:
        self.form, self.inputs, self.expected = form, inputs, expected
        self._calls: list[int] = []

    def calls(self, index: int) -> int:
        """The calls that the form makes on one of the inputs, counted when first asked for."""
        while len(self._calls) <= index:
            place = len(self._calls)
            with counted() as calls:
                changed_deviation(self.form, self.expected[place], self.inputs[place])
            self._calls.append(calls[0])
        return self._calls[index]

    def accept(self, form: Function, tolerance: float, *, first: int | None = None) -> bool:
        """Whether the check finds nothing wrong with a form, on all inputs or the first ones."""
        return all(self._off(form, index) <= tolerance for index in range(len(self.inputs))[:first])

    def _off(self, form: Function, index: int) -> float:
        """Residual of a form; infinite if it makes far more calls than the form that it is a mutant of."""
        values, right = self.inputs[index], self.expected[index]
        with limited(LONGEST), counted(CALLS) as calls:
            off = changed_deviation(form, right, values)
        if calls[0] > CALLS:
            with limited(LONGEST), counted(CALLS + LONGER * self.calls(index)):
                off = changed_deviation(form, right, values)
        return off


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Inside, what takes longer fails with a TimeoutError, by the clock of the process and not of the wall.

    Only the main thread, and only systems with interval timers, can be interrupted so; elsewhere the count of
    calls is the only limit.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"more than {seconds:g} s of the processor")

    before = signal.signal(signal.SIGVTALRM, end)
    # Again each second, lest the error is caught by what it should end.
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


@contextmanager
def counted(most: int | None = None) -> Iterator[list[int]]:
    """Count the functions entered inside; beyond ``most`` they fail: a change can make any loop endless."""
    calls = [0]

    # Not a profile function, which would be told of every return and of every call into compiled code, too.
    def count(frame: FrameType, event: str, argument: Any) -> None:
        calls[0] += 1
        if most is not None and calls[0] > most:
            raise TimeoutError("an endless loop")

    before = sys.gettrace()
    sys.settrace(count)
    try:
        yield calls
    finally:
        sys.settrace(before)


def form_under_test(record: Record) -> Function | None:
    """The printed form where it is claimed to hold, else the library's."""
    if record.verdict in NEEDS_CORRECTION or (
        record.verdict is Verdict.DEFINITION and record.printed is None
    ):
        return record.library
    return record.printed


def survivors(record: Record, *, examples: int = EXAMPLES) -> list[str]:
    """Changes to the form under test or its helpers that the record's check does not notice.

    Mutants listed as equivalent are not among them; one that is listed and does not exist, or is noticed
    after all, is. A listed name that ends in ``*`` stands for all mutants that begin so.
    """
    form = form_under_test(record)
    if form is None or record.reference is None:
        return []
    inputs = record.allowed_inputs
    expected = expectations(record.reference, inputs, examples)
    cases = Cases(form, samples(inputs, examples), expected)
    few = expected[:LISTED]
    if all(np.max(np.abs(right), initial=0.0) <= record.tolerance for right in few):
        return ["compares zero with zero"]
    form = plain(form)
    if cases.accept(form, record.tolerance, first=LISTED) and not cases.accept(
        unchanged(form), record.tolerance, first=LISTED
    ):
        return ["the form fails when nothing is changed in it but that it is rebuilt"]
    found: list[str] = []
    used: list[str] = []
    every = 0
    for mutant in (
        *source_mutants(form, cases.inputs[:: max(1, len(cases.inputs) // 4)]),
        *result_mutants(form, few),
    ):
        every += 1
        listed = _listed(mutant.change, record)
        accepted = cases.accept(mutant.form, record.tolerance, first=LISTED if listed else None)
        if listed and accepted:
            used.append(listed)
        elif accepted and not (mutant.swaps and mutant.swaps.called and not mutant.swaps.changed):
            found.append(mutant.change)
    found += [
        f"equivalent_mutants: `{name}` does not exist or is noticed"
        for name in record.equivalent_mutants
        if name not in used
    ]
    if len(used) > MOST_LISTED * every:
        found.append(f"equivalent_mutants: {len(used)} of {every} are too many to be equivalent")
    return list(dict.fromkeys(found))


def _listed(change: str, record: Record) -> str:
    for name in record.equivalent_mutants:
        beginning = name[:-1] if name.endswith("*") else ""
        if name == change or (len(beginning) >= SHORTEST_BEGINNING and change.startswith(beginning)):
            return name
    return ""


def unchanged(form: FunctionType) -> FunctionType:
    """A form rebuilt from its own source and that of its helpers: every mutant but for the change."""
    sources = {part: mutants.with_ticks(tree(part), TICK) for part in helpers(form)}
    return rebuilt(form, sources, {TICK: _tick})


def result_mutants(form: Function, expected: list[Array]) -> Iterator[Mutant]:
    """The form's result as a whole: negated, scaled, transposed where that is a change."""
    yield Mutant("negated result", lambda *values: -np.asarray(form(*values)))
    yield Mutant("result scaled by 1.01", lambda *values: 1.01 * np.asarray(form(*values)))
    square = all(right.ndim == 2 and right.shape[0] == right.shape[1] for right in expected)
    if square and not all(np.allclose(right, right.T) for right in expected):
        yield Mutant("transposed result", lambda *values: np.asarray(form(*values)).T)


def source_mutants(form: FunctionType, draws: list[Values]) -> Iterator[Mutant]:
    """Every single change to the source of a form and of the helpers that it enters on some inputs."""
    entered = trace(form, draws).entered
    parts = [part for part in helpers(form) if part is form or part.__code__ in entered]
    looping = {part: mutants.with_ticks(tree(part), TICK) for part in parts if mutants.has_while(tree(part))}
    for part in parts:
        where = "" if part is form else f"in {part.__name__}: "
        for change, source in mutants.mutants(tree(part), _zeros(part)):
            swaps = Swaps()
            changed = {**looping, part: mutants.with_ticks(source, TICK)}
            mutant = rebuilt(form, changed, {TICK: _tick, mutants.SWAPPED: swaps})
            yield Mutant(where + change, mutant, swaps)


def _zeros(function: FunctionType) -> list[str]:
    """The arrays of zeros among the names of a function's module."""
    constants = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    return [name for name, value in constants.items() if isinstance(value, np.ndarray) and not np.any(value)]


def _tick() -> None:
    """A call for each round of a loop, to be counted."""
