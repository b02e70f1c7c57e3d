"""Count the inputs on which each branch of a claim runs; a premise that rarely holds checks nothing.

The code of a claim is rebuilt with a probe around every condition and mask, and runs on the inputs.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

from rbnotes.ledger.checks.claim_code import (
    UnreadableFunction,
    called_name,
    form_functions,
    function_ast,
    is_option_value,
    readable_function,
    rebuild_form,
    record_forms,
)
from rbnotes.ledger.evaluation import Values, evaluate
from rbnotes.ledger.record import Record

MIN_BRANCH_SHARE = 0.1
"""Smallest share of the inputs on which each outcome of a condition must occur."""
MIN_INPUTS = 10
"""Smallest number of inputs tried, for nested branches."""
PROBE = "__probe__"


@dataclass
class Branch:
    """Condition or mask in the code of a claim, with the inputs on which it was true and false.

    Attributes
    ----------
    source
        Python source of the condition.
    function
        Name of the function that contains it.
    required_outcomes
        Outcomes that must occur; a verdict such as ``return float(ok)`` need only be true.
    inputs_by_outcome
        Indices of the inputs on which it was true and false.
    """

    source: str
    function: str
    required_outcomes: frozenset[bool]
    inputs_by_outcome: dict[bool, set[int]] = field(default_factory=lambda: {True: set(), False: set()})


def findings(record: Record, draws: Sequence[Values], condition_values: Sequence[Values]) -> list[str]:
    """Return findings on branches of the forms and the reference that rarely run."""
    problems: list[str] = []
    for name, form in record_forms(record).items():
        inputs = [*draws, *condition_values] if name == "printed" else draws
        for branch in count_branches(readable_function(form), inputs):
            for outcome in sorted(branch.required_outcomes):
                count = len(branch.inputs_by_outcome[outcome])
                where = f"`{branch.source}` in {branch.function} is {str(outcome).lower()}"
                if count == 0:
                    problems.append(f"branch: {where} on none of {len(inputs)} inputs")
                elif count < MIN_BRANCH_SHARE * len(inputs):
                    problems.append(f"branch: {where} on only {count} of {len(inputs)} inputs")
    return list(dict.fromkeys(problems))


def count_branches(form: FunctionType, inputs: Sequence[Values]) -> list[Branch]:
    """Return the branches of a form and its helpers with their counts on some inputs."""
    if not inputs or inputs == [{}]:
        return []
    branches: list[Branch] = []
    changed = {
        part: _Probes(part.__name__, branches, form=part is form).insert_probes(function_ast(part))
        for part in form_functions(form)
    }
    if not branches:
        return []
    current = 0

    def probe(index: int, value: Any) -> Any:
        flags = np.asarray(value) if isinstance(value, bool | np.bool_ | np.ndarray) else None
        if flags is not None and flags.dtype == bool and flags.ndim:
            outcomes = {bool(flag) for flag in np.unique(flags)}
        elif flags is not None and flags.dtype != bool and flags.ndim:
            return value
        else:
            outcomes = {bool(value)}
        for outcome in outcomes:
            branches[index].inputs_by_outcome[outcome].add(current)
        return value

    def probe_flag(index: int, value: Any) -> Any:
        flag = isinstance(value, bool | np.bool_) or (isinstance(value, np.ndarray) and value.dtype == bool)
        return probe(index, value) if flag else value

    def probe_loop(index: int, values: Iterable[Any]) -> Iterator[Any]:
        """Count True for a loop with iterations and False for a loop without."""
        rounds = 0
        for rounds, value in enumerate(values, start=1):
            if rounds == 1:
                branches[index].inputs_by_outcome[True].add(current)
            yield value
        if not rounds:
            branches[index].inputs_by_outcome[False].add(current)

    probes = {PROBE: probe, PROBE + "flag": probe_flag, PROBE + "loop": probe_loop}
    instrumented = rebuild_form(form, changed, probes)
    min_count = MIN_BRANCH_SHARE * len(inputs)
    for current, values in enumerate(inputs):
        if current >= MIN_INPUTS and all(
            len(branch.inputs_by_outcome[outcome]) >= min_count
            for branch in branches
            if branch.inputs_by_outcome[True] or branch.inputs_by_outcome[False]
            for outcome in branch.required_outcomes
        ):
            break  # more inputs would only raise the counts
        try:
            evaluate(instrumented, values)
        except Exception as error:  # a printed form may fail if its verdict says so
            if not _fails(form, values):
                raise UnreadableFunction(f"{form.__name__} fails when it is traced") from error
    # A call is a branch only if it returned a flag; code that never ran is counted by its condition.
    return [
        branch
        for branch in branches
        if branch.required_outcomes and (branch.inputs_by_outcome[True] or branch.inputs_by_outcome[False])
    ]


def _fails(form: FunctionType, values: Values) -> bool:
    try:
        evaluate(form, values)
    except Exception:
        return True
    return False


BOTH_OUTCOMES = frozenset((True, False))
SINGLE_OUTCOMES: Mapping[bool, frozenset[bool]] = {True: frozenset((True,)), False: frozenset((False,))}


class _Probes(ast.NodeTransformer):
    """Insert a probe around each condition of a function."""

    def __init__(self, function: str, branches: list[Branch], *, form: bool) -> None:
        self.function, self.branches, self.form = function, branches, form

    def insert_probes(self, source: ast.FunctionDef) -> ast.FunctionDef:
        source.body = [self.visit(statement) for statement in source.body]
        return source

    def _insert_probe(
        self, node: ast.expr, visited: ast.expr, needed: frozenset[bool], probe: str = PROBE
    ) -> ast.expr:
        self.branches.append(Branch(ast.unparse(node), self.function, needed))
        call = ast.Call(ast.Name(probe, ast.Load()), [ast.Constant(len(self.branches) - 1), visited], [])
        return ast.copy_location(call, node)

    def _probe_condition(self, node: ast.expr, needed: frozenset[bool] = BOTH_OUTCOMES) -> ast.expr:
        """Return a condition with probes; each operand of ``and`` and ``or`` is counted."""
        match node:
            case ast.BoolOp(op, values):
                operands = []
                for place, value in enumerate(values):
                    decides = place < len(values) - 1 and isinstance(op, ast.Or)
                    operands.append(self._probe_condition(value, BOTH_OUTCOMES if decides else needed))
                return ast.copy_location(ast.BoolOp(op, operands), node)
            case ast.UnaryOp(ast.Not(), value):
                negated = frozenset(not outcome for outcome in needed)
                return ast.copy_location(ast.UnaryOp(ast.Not(), self._probe_condition(value, negated)), node)
            case ast.Call(function, [inner], []) if needed != BOTH_OUTCOMES and called_name(function) in (
                "all",
                "bool",
            ):
                visited = ast.copy_location(
                    ast.Call(function, [self._probe_condition(inner, needed)], []), node
                )
                return self._insert_probe(node, visited, needed)
            case ast.Compare(_, _, others) if not self.form and any(map(is_option_value, others)):
                return node  # the caller determines a helper's options
            case ast.Compare() | ast.Call():
                inner = copy_node(node)
                super().generic_visit(inner)
                return self._insert_probe(node, inner, needed)
        return self._insert_probe(node, self.visit(copy_node(node)), needed)

    def visit_If(self, node: ast.If) -> ast.AST:
        if not (_only_raises(node.body) or (node.orelse and _only_raises(node.orelse))):
            node.test = self._probe_condition(node.test)
        node.body = [self.visit(statement) for statement in node.body]
        node.orelse = [self.visit(statement) for statement in node.orelse]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        node.test = self._probe_condition(node.test)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        return self._probe_condition(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        return self._probe_condition(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        visited = self.generic_visit(copy_node(node))
        assert isinstance(visited, ast.expr)
        return self._insert_probe(node, visited, BOTH_OUTCOMES, PROBE + "flag")

    def visit_While(self, node: ast.While) -> ast.AST:
        # Every loop ends; only its start must be counted.
        node.test = self._probe_condition(node.test, SINGLE_OUTCOMES[True])
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        text = f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}"
        self.branches.append(Branch(text, self.function, SINGLE_OUTCOMES[True]))
        arguments = [ast.Constant(len(self.branches) - 1), self.visit(node.iter)]
        loop = ast.Call(ast.Name(PROBE + "loop", ast.Load()), arguments, [])
        node.iter = ast.copy_location(loop, node.iter)
        for body in (node.body, node.orelse):
            body[:] = [self.visit(statement) for statement in body]
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self.visit(node.iter)
        node.ifs = [self._probe_condition(test) for test in node.ifs]
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if node.value is not None:
            node.value = self._probe_verdict(node.value)
        return node

    def _probe_verdict(self, node: ast.expr) -> ast.expr:
        """Return a returned value with a probe; a flag that states the claim itself may always be true."""
        match node:
            case ast.Call(function, [value], []) if called_name(function) in (
                "float",
                "bool",
                "int",
                "float64",
            ):
                return ast.copy_location(ast.Call(function, [self._probe_verdict(value)], []), node)
            case ast.IfExp(test, ast.Constant(), ast.Constant()):
                test = self._probe_condition(test, SINGLE_OUTCOMES[True])
                return ast.copy_location(ast.IfExp(test, node.body, node.orelse), node)
            case ast.BoolOp() | ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return self._probe_condition(node, SINGLE_OUTCOMES[True])
            case ast.Call(function) if called_name(function) in (
                "all",
                "any",
                "allclose",
                "isclose",
                "array_equal",
            ):
                return self._probe_condition(node, SINGLE_OUTCOMES[True])
        visited = self.visit(node)
        assert isinstance(visited, ast.expr)
        return visited


def copy_node(node: ast.expr) -> Any:
    """Return a copy of a node, so that messages can show the original."""
    return copy.deepcopy(node)


def _only_raises(body: list[ast.stmt]) -> bool:
    return all(isinstance(statement, ast.Raise) for statement in body)
