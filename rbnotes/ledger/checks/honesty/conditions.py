"""Check that the condition of a conditional claim separates success from failure and is not a flag."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.checks.claim_code import function_ast, readable_function, record_forms
from rbnotes.ledger.checks.honesty.normal_form import normal_form
from rbnotes.ledger.checks.honesty.tracing import NamedCode, trace
from rbnotes.ledger.evaluation import SIGNIFICANT_RESIDUAL, Values, deviation, try_evaluate
from rbnotes.ledger.record import Function, Record, Verdict

MIN_FAILING_SHARE = 0.25
"""Share of the inputs outside the condition on which a conditional claim must fail."""
MIN_OUTSIDE_INPUTS = 5
MIN_FORMULA_LENGTH = 8
"""Smallest number of letters of a formula that is not just a symbol."""
MAX_FLAG_VALUES = 3
"""Largest number of values of a flag, which carries no information about the formula."""


def findings(
    record: Record, draws: Sequence[Values], expected: Sequence[Array], condition_values: Sequence[Values]
) -> list[str]:
    """Return findings on a condition that does not separate success from failure."""
    holds_when, printed = record.holds_when, record.printed
    if record.verdict is not Verdict.CONDITIONAL or holds_when is None or printed is None:
        return []
    problems = []
    if not all(_holds(holds_when, values) for values in condition_values):
        problems.append("condition: holds_when is false on inputs of `condition_inputs`")
    outside = [(v, right) for v, right in zip(draws, expected, strict=True) if not _holds(holds_when, v)]
    inside = [(v, right) for v, right in zip(draws, expected, strict=True) if _holds(holds_when, v)]
    failing = sum(deviation(printed, right, values) > SIGNIFICANT_RESIDUAL for values, right in outside)
    if len(outside) < MIN_OUTSIDE_INPUTS or failing < MIN_FAILING_SHARE * len(outside):
        problems.append(
            f"condition: outside it the printed form fails on {failing} of {len(outside)} inputs "
            f"(at least {MIN_FAILING_SHARE:.0%} of {MIN_OUTSIDE_INPUTS} or more must)"
        )
    wrong = sum(deviation(printed, right, values) > record.tolerance for values, right in inside)
    if wrong:
        problems.append(f"condition: the printed form fails on {wrong} of {len(inside)} inputs inside it")
    problems += _flag_findings(holds_when, [*draws, *condition_values])
    predicate_trace = trace(holds_when, draws[:3])
    form_names = {
        form.__code__: name for name, form in record_forms(record).items() if isinstance(form, FunctionType)
    }
    problems += [
        f"condition: holds_when runs the {form_names[code]} form"
        for code in predicate_trace.entered_code
        if code in form_names
    ]
    problems += [
        f"condition: holds_when runs {name}, which is under test"
        for name, value in zip(record.implemented_by, record.implements, strict=True)
        if predicate_trace.enters(NamedCode(name, value))
    ]
    problems += _side_findings(record, holds_when)
    if any(
        np.any(right != np.round(right)) for right in expected
    ):  # results that are flags do not show their dependence
        problems += _switch_findings(record, holds_when, draws)
    return problems


def _side_findings(record: Record, holds_when: Function) -> Iterator[str]:
    """Yield findings on conditions that compute a side of the claim, and so test the claim itself."""
    condition = normal_form(readable_function(holds_when, "holds_when"))
    for name, form in record_forms(record).items():
        start, _, side = normal_form(readable_function(form)).rpartition("return ")
        if not start and len(side) >= MIN_FORMULA_LENGTH and side in condition:
            yield f"condition: holds_when computes what the {name} form returns"


def _switch_findings(record: Record, holds_when: Function, draws: Sequence[Values]) -> Iterator[str]:
    """Yield findings on a condition that only reads inputs without effect on the results.

    Such a condition is a switch between two formulas.
    """
    source = function_ast(readable_function(holds_when, "holds_when"))
    read = {node.id for node in ast.walk(source) if isinstance(node, ast.Name)}
    names = [name for name, place in zip(draws[0], source.args.args, strict=False) if place.arg in read]
    sides = [[values for values in draws if _holds(holds_when, values) is inside] for inside in (True, False)]
    for form, groups in ((record.reference, [draws]), (record.printed, sides)):
        if form is not None and any(_depends_on_inputs(form, names, group) for group in groups):
            return
    yield f"condition: what holds_when reads is only a switch ({', '.join(names)})"


def _depends_on_inputs(form: Function, names: Sequence[str], draws: Sequence[Values]) -> bool:
    """Return True if a form depends on the named inputs, which are exchanged with other draws."""
    for values, other in zip(draws, draws[::-1], strict=True):
        before = try_evaluate(form, values)
        after = try_evaluate(form, {**values, **{name: other[name] for name in names}})
        if before is None or after is None or not np.array_equal(before, after):
            return True
    return False


def _holds(predicate: Function, values: Values) -> bool:
    return bool(np.all(predicate(*values.values())))


def _flag_findings(holds_when: Function, draws: Sequence[Values]) -> Iterator[str]:
    """Yield findings on a condition that depends only on inputs with few values."""
    flags = [name for name in draws[0] if _is_flag([draw[name] for draw in draws])]
    if not flags:
        return
    outcomes: dict[tuple[str, ...], set[bool]] = {}
    for draw in draws:
        outcomes.setdefault(tuple(repr(draw[name]) for name in flags), set()).add(_holds(holds_when, draw))
    if len(outcomes) > 1 and all(len(seen) == 1 for seen in outcomes.values()):
        yield f"condition: holds_when only reads a flag ({', '.join(flags)})"


def _is_flag(values: list[Any]) -> bool:
    return len({repr(value) for value in values}) <= MAX_FLAG_VALUES
