"""Is a record's check able to fail? Perturb the form under test and see.

A sign is flipped, a factor doubled, a transpose dropped: each such mutant is a wrong formula, and a check
that accepts it would have accepted a wrong print. Mutants are made from the form's source, one change at
a time, and from its result as a whole.
"""

from __future__ import annotations

import ast
import copy
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rbnotes.ledger.record import NEEDS_CORRECTION, Function, Record, Verdict
from rbnotes.ledger.runner import deviation, samples


@dataclass(frozen=True)
class Mutant:
    """A form with one change."""

    change: str
    form: Function


def form_under_test(record: Record) -> Function | None:
    """The printed form where it is claimed to hold, else the library's."""
    if record.verdict in (*NEEDS_CORRECTION, Verdict.DEFINITION):
        return record.library
    return record.printed


def survivors(record: Record, *, examples: int = 8) -> list[str]:
    """Changes to the form under test that the record's check does not notice."""
    form = form_under_test(record)
    if form is None or record.reference is None:
        return []
    inputs = record.inputs if record.given is None else record.given
    cases = [(values, np.asarray(record.reference(*values.values()))) for values in samples(inputs, examples)]
    if all(np.max(np.abs(expected), initial=0.0) <= record.tolerance for _, expected in cases):
        return ["compares zero with zero"]
    return [
        mutant.change
        for mutant in (*source_mutants(form), *result_mutants(form, [expected for _, expected in cases]))
        if mutant.change not in record.equivalent_mutants
        and not any(deviation(mutant.form, expected, values) > record.tolerance for values, expected in cases)
    ]


def result_mutants(form: Function, expected: list[np.ndarray]) -> Iterator[Mutant]:
    """The form's result as a whole: negated, scaled, transposed where that is a change."""
    yield Mutant("negated result", lambda *values: -np.asarray(form(*values)))
    yield Mutant("result scaled by 1.01", lambda *values: 1.01 * np.asarray(form(*values)))
    square = all(result.ndim == 2 and result.shape[0] == result.shape[1] for result in expected)
    if square and not all(np.allclose(result, result.T) for result in expected):
        yield Mutant("transposed result", lambda *values: np.asarray(form(*values)).T)


def source_mutants(form: Function) -> Iterator[Mutant]:
    """Every single change of :class:`_Changes` to the source of a function of its module."""
    if not inspect.isfunction(form) or form.__name__ == "<lambda>" or form.__closure__:
        raise TypeError(f"{form!r} must be defined at the top of its module, to be mutated")
    tree = ast.parse(textwrap.dedent(inspect.getsource(form)))
    total = _Changes(target=None)
    total.visit(copy.deepcopy(tree))
    for target in range(total.seen):
        changed = copy.deepcopy(tree)
        changes = _Changes(target)
        changes.visit(changed)
        namespace = dict(form.__globals__)
        exec(compile(ast.fix_missing_locations(changed), "<mutant>", "exec"), namespace)
        yield Mutant(changes.description, namespace[form.__name__])


class _Changes(ast.NodeTransformer):
    """Counts the places where one change can be made, and makes the one numbered ``target``."""

    def __init__(self, target: int | None) -> None:
        self.target, self.seen, self.description = target, 0, ""

    def _here(self, node: ast.AST, description: str) -> bool:
        index, self.seen = self.seen, self.seen + 1
        if index != self.target:
            return False
        self.description = f"{description} in `{ast.unparse(node)}`"
        return True

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        before = copy.deepcopy(node)
        self.generic_visit(node)
        if isinstance(node.op, ast.Add | ast.Sub) and self._here(before, "flipped sign"):
            node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        if isinstance(node.op, ast.Mult | ast.Div | ast.Pow):
            for side in ("left", "right"):
                operand = getattr(node, side)
                if _is_nonzero_number(operand) and self._here(before, f"doubled {ast.unparse(operand)}"):
                    setattr(node, side, ast.Constant(2 * operand.value))
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        before = copy.deepcopy(node)
        self.generic_visit(node)
        if (
            isinstance(node.op, ast.USub)
            and not isinstance(node.operand, ast.Constant)
            and self._here(before, "dropped minus")
        ):
            return node.operand
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        before = copy.deepcopy(node)
        self.generic_visit(node)
        if node.attr in ("T", "mT") and self._here(before, "dropped transpose"):
            return node.value
        return node

    def visit_List(self, node: ast.List) -> ast.AST:
        before = copy.deepcopy(node)
        self.generic_visit(node)
        for index, element in enumerate(node.elts):
            # Blocks named `zero...` and nested rows stay: negating the former changes nothing,
            # the latter are visited entry by entry.
            if isinstance(element, ast.List | ast.Constant | ast.UnaryOp | ast.Starred) or (
                isinstance(element, ast.Name) and element.id.startswith("zero")
            ):
                continue
            if self._here(before, f"negated {ast.unparse(element)}"):
                node.elts[index] = ast.UnaryOp(ast.USub(), element)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        # Indices are not part of the formula's arithmetic.
        node.value = self.visit(node.value)
        return node

    def visit_arguments(self, node: ast.arguments) -> ast.AST:
        return node


def _is_nonzero_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and node.value != 0
