"""Mutations of a function's source: single changes that imitate slips."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator
from typing import TypeGuard

from rbnotes.ledger.checks.claim_code import is_option_value

Change = tuple[str, ast.AST]

MAX_ROUNDING_GUARD = 1e-6
"""Largest number that guards against rounding and is not part of a formula."""
SWAPPED_PRODUCT = "__swapped__"
"""Name of the function ``(a, b) -> b @ a`` in mutants."""
NONCOMMUTATIVE_FUNCTIONS = (
    "cross",
    "outer",
    "kron",
    "dot",
    "matmul",
    "tensordot",
    "subtract",
    "divide",
    "arctan2",
)
NAME_PAIRS = (("sin", "cos"), ("min", "max"), ("minimum", "maximum"), ("argmin", "argmax"), ("any", "all"))
NAME_COUNTERPARTS = {name: other for pair in NAME_PAIRS for name, other in (pair, pair[::-1])}
BOUND_FUNCTIONS = ("minimum", "maximum", "clip")
ARRAY_BUILDERS = ("array", "block", "concatenate", "hstack", "vstack", "stack", "column_stack")
OPPOSITE_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}


def mutate(source: ast.FunctionDef, constants: Iterable[str] = ()) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield each change as text with the changed function; ``constants`` are names of arrays of zeros."""
    excluded = set(_excluded_nodes(source))
    zeros = _zero_array_names(source) | set(constants)
    for node in ast.walk(source):
        if node not in excluded:
            for text, new in _node_changes(node, zeros):
                changed = _replace_node(source, node, ast.copy_location(new, node))
                assert isinstance(changed, ast.FunctionDef)
                yield text, changed


def _replace_node(node: ast.AST, old: ast.AST, new: ast.AST) -> ast.AST:
    """Return a node in which ``new`` replaces ``old``.

    The node itself is returned if it does not contain ``old``.
    """
    if node is old:
        return new
    for field, value in ast.iter_fields(node):
        parts = value if isinstance(value, list) else [value]
        changed = [_replace_node(part, old, new) if isinstance(part, ast.AST) else part for part in parts]
        if any(a is not b for a, b in zip(parts, changed, strict=True)):
            result = copy.copy(node)
            setattr(result, field, changed if isinstance(value, list) else changed[0])
            return result
    return node


def _excluded_nodes(source: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield the nodes that are not part of the formula: declarations, messages, shapes, options."""
    yield from ast.walk(source.args)
    if source.returns is not None:
        yield from ast.walk(source.returns)
    for node in ast.walk(source):
        match node:
            case ast.Raise() | ast.Assert() | ast.JoinedStr():
                yield from ast.walk(node)
            case ast.AnnAssign(_, annotation):
                yield from ast.walk(annotation)
            case ast.Subscript(ast.Attribute(attr="shape"), index):
                yield node
                yield from ast.walk(index)
            case ast.Subscript(_, index):
                yield from (part for part in ast.walk(index) if isinstance(part, ast.UnaryOp))
            case ast.Call(keywords=options):
                for option in options:
                    yield from ast.walk(option)


def _zero_array_names(source: ast.FunctionDef) -> set[str]:
    """Return the names that always refer to arrays of zeros."""
    zero: dict[str, bool] = {}
    for node in ast.walk(source):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs = [(target, node.value)]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs = list(zip(target.elts, node.value.elts, strict=False))
                for name, value in pairs:
                    if isinstance(name, ast.Name):
                        zero[name.id] = zero.get(name.id, True) and _is_zero(value)
                        continue
                    # An assignment to an entry, or unpacking.
                    zero.update({part.id: False for part in ast.walk(name) if isinstance(part, ast.Name)})
    return {name for name, always in zero.items() if always}


def _is_zero(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value):
            return isinstance(value, int | float) and value == 0
        case ast.Call(ast.Attribute(attr="zeros" | "zeros_like")):
            return True
    return False


def _node_changes(node: ast.AST, zeros: set[str]) -> Iterator[Change]:
    """Yield the changes of one node, each with its description."""
    if not isinstance(node, ast.expr | ast.stmt):
        return
    text = f"`{ast.unparse(node)}`"
    match node:
        case ast.BinOp(left, _, right):
            if not any(isinstance(side, ast.List | ast.Tuple | ast.JoinedStr) for side in (left, right)):
                yield from ((f"{change} in {text}", new) for change, new in _operation_changes(node))
        case ast.UnaryOp(ast.USub(), value):
            yield f"dropped minus in {text}", value
        case ast.UnaryOp(ast.Not(), value):
            yield f"dropped not in {text}", value
        case ast.Attribute(value, "T" | "mT"):
            yield f"dropped transpose in {text}", value
        case ast.List(elements, ast.Load()):
            yield from _entry_changes(node, elements, zeros)
        case ast.Compare(left, operations, others):
            for place, operation in enumerate(operations):
                if type(operation) in OPPOSITE_COMPARISONS and not is_option_value(others[place]):
                    flipped = [
                        *operations[:place],
                        OPPOSITE_COMPARISONS[type(operation)](),
                        *operations[place + 1 :],
                    ]
                    yield f"flipped comparison in {text}", ast.Compare(left, flipped, others)
        case ast.BoolOp(operation, values):
            other = ast.Or() if isinstance(operation, ast.And) else ast.And()
            yield f"exchanged and with or in {text}", ast.BoolOp(other, values)
        case ast.If(test) | ast.IfExp(test) if isinstance(test, ast.Name | ast.Call | ast.Attribute):
            negated = copy.copy(node)
            negated.test = ast.UnaryOp(ast.Not(), test)
            yield f"negated condition `{ast.unparse(test)}`", negated
        case ast.Subscript(_, index):
            yield from ((f"{change} in {text}", new) for change, new in _index_changes(node, index))
        case ast.Call(function, arguments):
            yield from (
                (f"{change} in {text}", new)
                for change, new in _call_changes(node, function, arguments, zeros)
            )
        case ast.AugAssign(target, ast.Add() | ast.Sub() as operation, value):
            other_sign = ast.Sub() if isinstance(operation, ast.Add) else ast.Add()
            yield f"flipped sign in {text}", ast.AugAssign(target, other_sign, value)
            yield f"dropped {text}", ast.Pass()
        case ast.Assign([ast.Subscript() as target], value):
            if not _is_zero(value):
                yield f"negated value in {text}", ast.Assign([target], _negate(value))
            yield f"dropped {text}", ast.Pass()
        case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)):
            for place, (part, value) in enumerate(zip(targets, values, strict=False)):
                if isinstance(part, ast.Subscript) and not _is_zero(value):
                    signed = ast.Tuple([*values[:place], _negate(value), *values[place + 1 :]], ast.Load())
                    yield f"negated {ast.unparse(value)} in {text}", ast.Assign(node.targets, signed)


def _operation_changes(node: ast.BinOp) -> Iterator[Change]:
    """Yield the changes of a binary operation: signs, factors, and the order of operands."""
    left, right = node.left, node.right
    small = any(_is_number(side) and abs(side.value) <= MAX_ROUNDING_GUARD for side in (left, right))
    same = ast.dump(left) == ast.dump(right)
    match node.op:
        case ast.Add() | ast.Sub() if not small:
            other = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
            yield "flipped sign", ast.BinOp(left, other, right)
            yield f"dropped `{ast.unparse(right)}`", left
            negative = isinstance(node.op, ast.Sub)
            yield f"dropped `{ast.unparse(left)}`", _negate(right) if negative else right
            if negative:
                yield "swapped operands", ast.BinOp(right, ast.Sub(), left)
        case ast.Mult() | ast.MatMult() | ast.Div() | ast.Pow() if not small:
            if isinstance(node.op, ast.MatMult) and not same:
                # Through a function that records if the exchange makes a difference.
                yield "swapped operands", ast.Call(ast.Name(SWAPPED_PRODUCT, ast.Load()), [left, right], [])
            elif not isinstance(node.op, ast.Mult) and not same:
                yield "swapped operands", ast.BinOp(right, node.op, left)
            if not _is_number(right) or isinstance(node.op, ast.Pow):
                yield f"dropped factor `{ast.unparse(right)}`", left
            if isinstance(node.op, ast.Mult | ast.MatMult) and not _is_number(left):
                yield f"dropped factor `{ast.unparse(left)}`", right
            if not isinstance(node.op, ast.MatMult):
                if _is_nonzero(left):
                    yield f"doubled {ast.unparse(left)}", ast.BinOp(_double(left), node.op, right)
                if _is_nonzero(right):
                    yield f"doubled {ast.unparse(right)}", ast.BinOp(left, node.op, _double(right))


def _entry_changes(node: ast.List | ast.Tuple, entries: list[ast.expr], zeros: set[str]) -> Iterator[Change]:
    """Yield each entry negated; a literal zero is replaced by a number instead."""
    text = f"`{ast.unparse(node)}`"
    for place, entry in enumerate(entries):

        def replace_entry(new: ast.expr, place: int = place) -> ast.expr:
            return type(node)([*entries[:place], new, *entries[place + 1 :]], ast.Load())

        if isinstance(entry, ast.List | ast.Tuple | ast.Starred | ast.UnaryOp):
            continue  # handled by entries or by signs
        if isinstance(entry, ast.Constant) and not isinstance(entry.value, int | float):
            continue
        if _is_zero(entry) or (isinstance(entry, ast.Name) and entry.id in zeros):
            filled = ast.BinOp(entry, ast.Add(), ast.Constant(1))
            yield f"filled {ast.unparse(entry)} at {place} in {text}", replace_entry(filled)
        else:
            yield f"negated {ast.unparse(entry)} in {text}", replace_entry(_negate(entry))


def _index_changes(node: ast.Subscript, index: ast.expr) -> Iterator[Change]:
    """Yield the changes of an index."""

    def replace_index(new: ast.expr) -> ast.Subscript:
        return ast.Subscript(node.value, new, node.ctx)

    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    for place, part in enumerate(parts):
        for change, new in _position_changes(part):
            changed = [*parts[:place], new, *parts[place + 1 :]]
            whole = ast.Tuple(changed, ast.Load()) if isinstance(index, ast.Tuple) else new
            yield change, replace_index(whole)
    if len(parts) == 2 and ast.dump(parts[0]) != ast.dump(parts[1]):
        yield "swapped indices", replace_index(ast.Tuple(parts[::-1], ast.Load()))


def _position_changes(part: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Yield the changes of one part of an index: a neighboring number, or the other part of a slice."""
    match part:
        case ast.Constant(int(value)) if not isinstance(value, bool):
            other = value - 1 if value > 0 else 1
            yield f"index {value} -> {other}", ast.Constant(other)
        case ast.UnaryOp(ast.USub(), ast.Constant(int(value))):
            yield f"index -{value} -> -{value + 1}", ast.UnaryOp(ast.USub(), ast.Constant(value + 1))
        case ast.Slice(None, ast.expr() as upper, None):
            yield "the other part", ast.Slice(upper, None, None)
        case ast.Slice(ast.expr() as lower, None, None):
            yield "the other part", ast.Slice(None, lower, None)


def _call_changes(
    node: ast.Call, function: ast.expr, arguments: list[ast.expr], zeros: set[str]
) -> Iterator[Change]:
    """Yield the changes of a call: swapped arguments, a related function, dropped bounds."""
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if (
        name in NONCOMMUTATIVE_FUNCTIONS
        and len(arguments) == 2
        and ast.dump(arguments[0]) != ast.dump(arguments[1])
    ):
        product = name in ("dot", "matmul")
        swapped = ast.Name(SWAPPED_PRODUCT, ast.Load()) if product else function
        yield "swapped arguments", ast.Call(swapped, arguments if product else arguments[::-1], node.keywords)
    if name in NAME_COUNTERPARTS and arguments:
        other = copy.copy(function)
        setattr(other, "attr" if isinstance(function, ast.Attribute) else "id", NAME_COUNTERPARTS[name])
        yield f"{NAME_COUNTERPARTS[name]} for {name}", ast.Call(other, arguments, node.keywords)
    if name in ("abs", "absolute") and len(arguments) == 1:
        yield "dropped abs", arguments[0]
    if name in BOUND_FUNCTIONS and len(arguments) > 1:
        whole = [f"`{ast.unparse(argument)}`" for argument in arguments]
        if name != "clip":
            yield from ((f"only {text}", one) for text, one in zip(whole, arguments, strict=True))
        else:
            # Move each bound to infinity in turn.
            for place in range(1, len(arguments)):
                no_bound = ast.Constant(None)
                kept = [*arguments[:place], no_bound, *arguments[place + 1 :]]
                yield f"dropped bound {whole[place]}", ast.Call(function, kept, node.keywords)
    if isinstance(function, ast.Name) and name in ("max", "min"):
        bounds = [each for each in arguments if isinstance(each, ast.Constant) and each.value]
        for bound in bounds if len(arguments) > 1 else ():
            kept = [each for each in arguments if each is not bound]
            yield (
                f"dropped bound `{ast.unparse(bound)}`",
                kept[0] if len(kept) == 1 else ast.Call(function, kept, node.keywords),
            )
    if name == "einsum" and arguments and isinstance(arguments[0], ast.Constant):
        for change, subscripts in _transposed_operands(str(arguments[0].value)):
            yield change, ast.Call(function, [ast.Constant(subscripts), *arguments[1:]], node.keywords)
    if name in ARRAY_BUILDERS and arguments and isinstance(arguments[0], ast.Tuple):
        for change, new in _entry_changes(arguments[0], arguments[0].elts, zeros):
            assert isinstance(new, ast.expr)
            yield change.partition(" in `")[0], ast.Call(function, [new, *arguments[1:]], node.keywords)


def _transposed_operands(subscripts: str) -> Iterator[tuple[str, str]]:
    """Yield the subscripts of an einsum with each matrix transposed in turn."""
    operands, arrow, result = subscripts.replace(" ", "").partition("->")
    parts = operands.split(",")
    for place, letters in enumerate(parts):
        if len(letters) == 2 and letters[0] != letters[1]:
            changed = ",".join([*parts[:place], letters[::-1], *parts[place + 1 :]])
            yield f"operand {place} transposed", changed + arrow + result


def _negate(node: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.USub(), node)


def _double(node: ast.expr) -> ast.Constant:
    assert isinstance(node, ast.Constant)
    assert isinstance(node.value, int | float)
    return ast.Constant(2 * node.value)


class _Number(ast.Constant):
    """Type of a node for which :func:`_is_number` is true."""

    value: int | float


def _is_number(node: ast.expr) -> TypeGuard[_Number]:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _is_nonzero(node: ast.expr) -> bool:
    return _is_number(node) and node.value != 0


def insert_ticks(source: ast.FunctionDef, tick: str) -> ast.FunctionDef:
    """Return the function with a call of ``tick`` in each iteration of its while loops."""
    if not has_while_loop(source):
        return source
    instrumented = copy.deepcopy(source)
    for node in ast.walk(instrumented):
        if isinstance(node, ast.While):
            node.body.insert(0, ast.parse(f"{tick}()").body[0])
    return instrumented


def has_while_loop(source: ast.AST) -> bool:
    """Return True if a source contains a while loop."""
    return any(isinstance(node, ast.While) for node in ast.walk(source))
