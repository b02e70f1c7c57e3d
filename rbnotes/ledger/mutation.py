"""Is a record's check able to fail? Perturb the form under test and see.

A sign is flipped, a term dropped, two factors exchanged, an index moved: each such mutant is a wrong
formula, and a check that accepts it would have accepted a wrong print. Mutants are made from the source of
the form and of the claim's functions that it calls, one change at a time, and from its result as a whole.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger import mutants
from rbnotes.ledger.honesty.claim_code import helpers, plain, rebuilt, tree
from rbnotes.ledger.honesty.tracing import trace
from rbnotes.ledger.record import NEEDS_CORRECTION, Function, Record, Verdict
from rbnotes.ledger.runner import EXAMPLES
from rbnotes.ledger.trials import Values, distance, expectations, result, samples

TICK = "__tick__"
LONGER = 30
"""A mutant whose while loops go round so many times as often as its form's counts as endless ..."""
ROUNDS = 1000
"""... once they go round this often."""
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


class Ticks:
    """Counts the rounds of while loops, which a change can make endless."""

    def __init__(self, most: int | None = None) -> None:
        self.most, self.rounds = most, 0

    def __call__(self) -> None:
        self.rounds += 1
        if self.most is not None and self.rounds > self.most:
            raise TimeoutError("an endless loop")

    def afresh(self, form: Function) -> Function:
        """The form, with the rounds of each call counted from zero."""

        def counted(*values: Any) -> Any:
            self.rounds = 0
            return form(*values)

        return counted


@dataclass(frozen=True)
class Mutant:
    """A form with one change."""

    change: str
    form: Function
    swaps: Swaps | None = None
    """What a swapped product met, for a mutant that may have one."""


@dataclass(frozen=True, eq=False)
class Cases:
    """Inputs with the oracle's results."""

    inputs: list[Values]
    expected: list[Array]

    def accept(self, form: Function, tolerance: float, *, first: int | None = None) -> bool:
        """Whether the check finds nothing wrong with a form, on all inputs or the first ones."""
        return all(
            _distance(form, right, values) <= tolerance
            for values, right in zip(self.inputs[:first], self.expected[:first], strict=True)
        )


def _distance(form: Function, expected: Array, values: Values) -> float:
    try:
        return distance(result(form, values), expected, printed_numbers=not values)
    except Exception:  # a change may break a form in any way; then it is noticed
        return np.inf


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
    inputs = record.inputs if record.given is None else record.given
    cases = Cases(samples(inputs, examples), expectations(record.reference, inputs, examples))
    few = cases.expected[:LISTED]
    if all(np.max(np.abs(right), initial=0.0) <= record.tolerance for right in few):
        return ["compares zero with zero"]
    form = plain(form)
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


def result_mutants(form: Function, expected: list[Array]) -> Iterator[Mutant]:
    """The form's result as a whole: negated, scaled, transposed where that is a change."""
    yield Mutant("negated result", lambda *values: -np.asarray(form(*values)))
    yield Mutant("result scaled by 1.01", lambda *values: 1.01 * np.asarray(form(*values)))
    square = all(right.ndim == 2 and right.shape[0] == right.shape[1] for right in expected)
    if square and not all(np.allclose(right, right.T) for right in expected):
        yield Mutant("transposed result", lambda *values: np.asarray(form(*values)).T)


def source_mutants(form: FunctionType, draws: list[Values]) -> Iterator[Mutant]:
    """Every single change to the source of a form and of the helpers that it enters on some inputs.

    A mutant whose loops do not end raises an error instead.
    """
    entered = trace(form, draws).entered
    parts = [part for part in helpers(form) if part is form or part.__code__ in entered]
    looping = {part: mutants.with_ticks(tree(part), TICK) for part in parts if mutants.has_while(tree(part))}
    rounds = _rounds(form, looping, draws)
    for part in parts:
        where = "" if part is form else f"in {part.__name__}: "
        for change, source in mutants.mutants(tree(part), _zeros(part)):
            swaps, ticks = Swaps(), Ticks(ROUNDS + LONGER * rounds)
            changed = {**looping, part: mutants.with_ticks(source, TICK)}
            mutant = rebuilt(form, changed, {TICK: ticks, mutants.SWAPPED: swaps})
            yield Mutant(where + change, ticks.afresh(mutant) if looping else mutant, swaps)


def _rounds(form: FunctionType, looping: dict[FunctionType, ast.FunctionDef], draws: list[Values]) -> int:
    """How often the while loops of a form go round, at most, on one of some inputs."""
    if not looping:
        return 0
    ticks, most = Ticks(), 0
    unchanged = ticks.afresh(rebuilt(form, looping, {TICK: ticks}))
    for values in draws:
        _distance(unchanged, np.zeros(0), values)
        most = max(most, ticks.rounds)
    return most


def _zeros(function: FunctionType) -> list[str]:
    """The arrays of zeros among the names of a function's module."""
    constants = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    return [name for name, value in constants.items() if isinstance(value, np.ndarray) and not np.any(value)]
