"""Mutation tests of records: a changed form must fail the record's check.

Flipping a sign, dropping a term, exchanging two factors or changing an index gives a wrong formula; a check
that accepts this mutant would accept a wrong printed form. Each mutant has one change in the source of the
form, in a function of the claim that it calls, or in its result.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType, FunctionType
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.checks import mutation_operators
from rbnotes.ledger.checks.claim_code import (
    form_functions,
    function_ast,
    readable_function,
    rebuild_form,
)
from rbnotes.ledger.checks.honesty.tracing import trace
from rbnotes.ledger.evaluation import Values, deviation_or_inf, evaluate_reference_samples, samples
from rbnotes.ledger.record import NEEDS_CORRECTION, Function, Record, Verdict
from rbnotes.ledger.runner import MIN_EXAMPLES

TICK = "__tick__"
MAX_CALL_RATIO = 30
"""Ratio of the number of calls of a mutant to that of its form above which it counts as endless ..."""
MIN_CALL_LIMIT = 20_000
"""... if it makes at least this many calls."""
MAX_CPU_SECONDS = 20.0
"""Largest processor time of a mutant on one input, s; it ends loops that call no function."""
MAX_EQUIVALENT_SHARE = 1 / 3
"""Largest share of the mutants that a record may declare equivalent."""
MIN_PREFIX_LENGTH = 12
"""Smallest number of letters of a name with a star."""
NUM_EQUIVALENT_INPUTS = 8
"""Number of inputs on which a mutant that is declared equivalent is tried."""


class SwappedProduct:
    """The product ``b @ a`` as a replacement of ``a @ b``.

    It makes no difference if one of them is a symmetric semidefinite matrix, such as a mass matrix, and the
    other a vector.
    """

    def __init__(self) -> None:
        self.was_called = self.has_effect = False

    def __call__(self, a: Array, b: Array) -> Array:
        """Return ``b @ a``, and record if it can differ from ``a @ b``."""
        self.was_called = True
        first, second = (np.asarray(part, dtype=np.float64) for part in (a, b))
        same = (first.ndim == 1 and _is_semidefinite(second)) or (
            second.ndim == 1 and _is_semidefinite(first)
        )
        self.has_effect = self.has_effect or not (same or first.ndim == second.ndim == 1)
        return b @ a


def _is_semidefinite(A: Array) -> bool:
    square = A.ndim == 2 and A.shape[0] == A.shape[1]
    if not square or not np.allclose(A, A.T, rtol=1e-9, atol=1e-9):
        return False
    values = np.linalg.eigvalsh(A)
    return bool(values[0] >= -1e-9 or values[-1] <= 1e-9)


@dataclass(frozen=True)
class Mutant:
    """Form with one change.

    Attributes
    ----------
    change
        Description of the change.
    form
        The changed function.
    swapped_product
        Record of a swapped product, for a mutant that may have one.
    """

    change: str
    form: Function
    swapped_product: SwappedProduct | None = None


class ReferenceCases:
    """Inputs with the oracle's results and the number of calls of a form."""

    def __init__(self, form: Function, inputs: list[Values], expected: list[Array]) -> None:
        self.form, self.inputs, self.expected = form, inputs, expected
        self._calls: list[int] = []

    def count_calls(self, index: int) -> int:
        """Return the number of calls that the form makes on one of the inputs; the result is cached."""
        while len(self._calls) <= index:
            place = len(self._calls)
            with call_counter() as calls:
                deviation_or_inf(self.form, self.expected[place], self.inputs[place])
            self._calls.append(calls[0])
        return self._calls[index]

    def accepts(self, form: Function, tolerance: float, *, first: int | None = None) -> bool:
        """Return True if a form passes the check on all inputs, or on the first ones."""
        return all(self._residual(form, index) <= tolerance for index in range(len(self.inputs))[:first])

    def _residual(self, form: Function, index: int) -> float:
        """Return the residual of a form.

        It is infinite if the form makes far more calls than the original.
        """
        values, right = self.inputs[index], self.expected[index]
        with cpu_time_limit(MAX_CPU_SECONDS), call_counter(MIN_CALL_LIMIT) as calls:
            deviation = deviation_or_inf(form, right, values)
        if calls[0] > MIN_CALL_LIMIT:
            with (
                cpu_time_limit(MAX_CPU_SECONDS),
                call_counter(MIN_CALL_LIMIT + MAX_CALL_RATIO * self.count_calls(index)),
            ):
                deviation = deviation_or_inf(form, right, values)
        return deviation


@contextmanager
def cpu_time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in the context after a limit of processor time.

    This needs the main thread and interval timers; otherwise the number of calls is the only limit.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"more than {seconds:g} s of the processor")

    before = signal.signal(signal.SIGVTALRM, end)
    # Repeated each second, in case the interrupted code catches the error.
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


@contextmanager
def call_counter(max_calls: int | None = None) -> Iterator[list[int]]:
    """Count the function calls in the context; raise an error beyond ``max_calls``."""
    calls = [0]

    # A profile function would also run on every return and on every call into compiled code.
    def count(frame: FrameType, event: str, argument: Any) -> None:
        calls[0] += 1
        if max_calls is not None and calls[0] > max_calls:
            raise TimeoutError("an endless loop")

    before = sys.gettrace()
    sys.settrace(count)
    try:
        yield calls
    finally:
        sys.settrace(before)


def form_under_test(record: Record) -> Function | None:
    """Return the printed form if the claim says that it holds, else the library's."""
    if record.verdict in NEEDS_CORRECTION or (
        record.verdict is Verdict.DEFINITION and record.printed is None
    ):
        return record.library
    return record.printed


def surviving_mutants(
    record: Record, equivalent: Collection[str] = (), *, examples: int = MIN_EXAMPLES
) -> list[str]:
    """Return changes to the form under test or its helpers that the check does not detect.

    Parameters
    ----------
    record
        The claim.
    equivalent
        Changes that leave the form true. They are not among the survivors; one that does not exist, or is
        detected after all, is. A name that ends in ``*`` stands for all changes with this prefix.
    examples
        Inputs tried.
    """
    form = form_under_test(record)
    if form is None or record.reference is None:
        return []
    inputs = record.allowed_inputs
    expected = evaluate_reference_samples(record.reference, inputs, examples)
    cases = ReferenceCases(form, samples(inputs, examples), expected)
    few = expected[:NUM_EQUIVALENT_INPUTS]
    if all(np.max(np.abs(right), initial=0.0) <= record.tolerance for right in few):
        return ["compares zero with zero"]
    form = readable_function(form)
    if cases.accepts(form, record.tolerance, first=NUM_EQUIVALENT_INPUTS) and not cases.accepts(
        rebuild_unchanged(form), record.tolerance, first=NUM_EQUIVALENT_INPUTS
    ):
        return ["the form fails when nothing is changed in it but that it is rebuilt"]
    survivors: list[str] = []
    used: list[str] = []
    num_mutants = 0
    for mutant in (
        *source_mutants(form, cases.inputs[:: max(1, len(cases.inputs) // 4)]),
        *result_mutants(form, few),
    ):
        num_mutants += 1
        listed = _matching_equivalent(mutant.change, equivalent)
        accepted = cases.accepts(
            mutant.form, record.tolerance, first=NUM_EQUIVALENT_INPUTS if listed else None
        )
        if listed and accepted:
            used.append(listed)
        elif accepted and not (
            mutant.swapped_product
            and mutant.swapped_product.was_called
            and not mutant.swapped_product.has_effect
        ):
            survivors.append(mutant.change)
    survivors += [
        f"equivalent: `{name}` does not exist or is noticed" for name in equivalent if name not in used
    ]
    if len(used) > MAX_EQUIVALENT_SHARE * num_mutants:
        survivors.append(f"equivalent: {len(used)} of {num_mutants} are too many to be equivalent")
    return list(dict.fromkeys(survivors))


def _matching_equivalent(change: str, equivalent: Collection[str]) -> str:
    for name in equivalent:
        beginning = name[:-1] if name.endswith("*") else ""
        if name == change or (len(beginning) >= MIN_PREFIX_LENGTH and change.startswith(beginning)):
            return name
    return ""


def rebuild_unchanged(form: FunctionType) -> FunctionType:
    """Return a form rebuilt without a change from its source and its helpers' sources."""
    sources = {
        part: mutation_operators.insert_ticks(function_ast(part), TICK) for part in form_functions(form)
    }
    return rebuild_form(form, sources, {TICK: _tick})


def result_mutants(form: Function, expected: list[Array]) -> Iterator[Mutant]:
    """Yield mutants of the result: negated, scaled, and transposed if that differs."""
    yield Mutant("negated result", lambda *values: -np.asarray(form(*values)))
    yield Mutant("result scaled by 1.01", lambda *values: 1.01 * np.asarray(form(*values)))
    square = all(right.ndim == 2 and right.shape[0] == right.shape[1] for right in expected)
    if square and not all(np.allclose(right, right.T) for right in expected):
        yield Mutant("transposed result", lambda *values: np.asarray(form(*values)).T)


def source_mutants(form: FunctionType, draws: list[Values]) -> Iterator[Mutant]:
    """Yield every single change to the source of a form and of the helpers that it calls."""
    entered = trace(form, draws).entered_code
    parts = [part for part in form_functions(form) if part is form or part.__code__ in entered]
    instrumented = {
        part: mutation_operators.insert_ticks(function_ast(part), TICK)
        for part in parts
        if mutation_operators.has_while_loop(function_ast(part))
    }
    for part in parts:
        where = "" if part is form else f"in {part.__name__}: "
        for change, source in mutation_operators.mutate(function_ast(part), _zero_constants(part)):
            swaps = SwappedProduct()
            changed = {**instrumented, part: mutation_operators.insert_ticks(source, TICK)}
            mutant = rebuild_form(form, changed, {TICK: _tick, mutation_operators.SWAPPED_PRODUCT: swaps})
            yield Mutant(where + change, mutant, swaps)


def _zero_constants(function: FunctionType) -> list[str]:
    """Return the names of arrays of zeros in a function's module."""
    constants = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    return [name for name, value in constants.items() if isinstance(value, np.ndarray) and not np.any(value)]


def _tick() -> None:
    """Count one iteration of a loop."""
