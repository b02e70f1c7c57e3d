"""A function's formula without its accidents: names, temporaries, the order of sums and products.

Two functions with the same normal form are one formula written twice.
"""

from __future__ import annotations

import ast
from functools import cache
from types import FunctionType

from rbnotes.ledger.honesty.claim_code import tree

SPELLINGS = {"dot": "@", "matmul": "@", "add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
WRAPPERS = ("array", "asarray", "float", "float64", "copy")


@cache
def normal_form(function: FunctionType) -> str:
    """Text that is the same for functions which differ in names, temporaries or commuted operands only."""
    source = tree(function)
    every = (*source.args.posonlyargs, *source.args.args, *source.args.kwonlyargs)
    known: dict[str, str] = {argument.arg: f"<{place}>" for place, argument in enumerate(every)}
    return _body(source.body, known)


def _body(statements: list[ast.stmt], known: dict[str, str]) -> str:
    lines = []
    for statement in statements:
        match statement:
            case ast.Expr(ast.Constant()):
                continue
            case ast.Assign([target], value) if _assigned(target, value, known):
                continue
            case ast.AugAssign(ast.Name(name), op, value) if name in known:
                known[name] = _expression(ast.BinOp(ast.Name(name), op, value), known)
            case ast.Return(value) if value is not None:
                lines.append("return " + _expression(value, known))
            case _:
                lines.append(_statement(statement, known))
    return "\n".join(lines)


def _assigned(target: ast.expr, value: ast.expr, known: dict[str, str]) -> bool:
    """Note a temporary; whether the assignment was one."""
    if isinstance(target, ast.Name):
        known[target.id] = _expression(value, known)
        return True
    if isinstance(target, ast.Tuple) and all(isinstance(name, ast.Name) for name in target.elts):
        if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
            texts = [_expression(part, known) for part in value.elts]
        else:
            whole = _expression(value, known)
            texts = [f"{whole}[{index}]" for index in range(len(target.elts))]
        known.update({name.id: text for name, text in zip(target.elts, texts, strict=True)})  # type: ignore[attr-defined]
        return True
    return False


def _statement(statement: ast.stmt, known: dict[str, str]) -> str:
    """Loops, branches and assignments to entries: part by part."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            known[node.id] = f"<local {sum(text.startswith('<local') for text in known.values())}>"
    parts = [type(statement).__name__]
    for _, value in ast.iter_fields(statement):
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.expr):
                parts.append(_expression(part, known))
            elif isinstance(part, ast.stmt):
                parts.append("{" + _body([part], known) + "}")
            elif isinstance(part, ast.AST):
                parts.append(type(part).__name__)
    return " ".join(parts)


def _expression(node: ast.expr, known: dict[str, str]) -> str:
    match node:
        case ast.Name(name):
            return known.get(name, name)
        case ast.BinOp(op=ast.Add() | ast.Sub()) | ast.UnaryOp(op=ast.USub() | ast.UAdd()):
            return "(" + " ".join(sorted(_terms(node, known, "+"))) + ")"
        case ast.BinOp(op=ast.Mult()):
            sign, factors = _factors(node, known)
            return f"{sign}(" + "*".join(sorted(factors)) + ")"
        case ast.BinOp(left, op, right):
            names = {ast.MatMult: "@", ast.Div: "/", ast.Pow: "**"}
            name = names.get(type(op), type(op).__name__)
            return f"({_expression(left, known)}{name}{_expression(right, known)})"
        case ast.Call(function, [value], _) if _last(function) in WRAPPERS:
            return _expression(value, known)
        case ast.Call(function, [left, right], []) if _last(function) in SPELLINGS:
            spelled = ast.parse(f"a {SPELLINGS[_last(function)]} b", mode="eval").body
            assert isinstance(spelled, ast.BinOp)
            return _expression(ast.BinOp(left, spelled.op, right), known)
        case ast.Call(ast.Attribute(value, "dot"), [right], []):
            return _expression(ast.BinOp(value, ast.MatMult(), right), known)
        case ast.Call(ast.Attribute(value, "transpose"), [], []):
            return _expression(value, known) + ".T"
        case ast.Call(ast.Attribute(_, "transpose"), [value], []):
            return _expression(value, known) + ".T"
        case ast.Attribute(value, "mT"):
            return _expression(value, known) + ".T"
        case ast.Attribute(value, name):
            return f"{_expression(value, known)}.{name}"
        case ast.Constant(value) if isinstance(value, int | float) and not isinstance(value, bool):
            return repr(float(value))
        case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp() | ast.Lambda():
            inner = dict(known)
            for part in ast.walk(node):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    inner[part.id] = f"<inner {len(inner)}>"
            return type(node).__name__ + _children(node, inner)
        case _:
            return type(node).__name__ + _children(node, known)


def _children(node: ast.AST, known: dict[str, str]) -> str:
    parts = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            parts.append(_expression(child, known))
        elif not isinstance(child, ast.expr_context):
            parts.append(type(child).__name__ + _children(child, known))
    texts = [str(value) for _, value in ast.iter_fields(node) if isinstance(value, str | bool | type(None))]
    return "(" + ", ".join(parts + texts) + ")"


def _terms(node: ast.expr, known: dict[str, str], sign: str) -> list[str]:
    """The signed terms of a sum."""
    other = "-" if sign == "+" else "+"
    match node:
        case ast.BinOp(left, ast.Add(), right):
            return _terms(left, known, sign) + _terms(right, known, sign)
        case ast.BinOp(left, ast.Sub(), right):
            return _terms(left, known, sign) + _terms(right, known, other)
        case ast.UnaryOp(ast.USub(), value):
            return _terms(value, known, other)
        case ast.UnaryOp(ast.UAdd(), value):
            return _terms(value, known, sign)
        case ast.BinOp(op=ast.Mult()):
            negative, factors = _factors(node, known)
            product = "(" + "*".join(sorted(factors)) + ")"
            return [(other if negative else sign) + product]
    return [sign + _expression(node, known)]


def _factors(node: ast.expr, known: dict[str, str]) -> tuple[str, list[str]]:
    """The sign and the factors of a product."""
    match node:
        case ast.BinOp(left, ast.Mult(), right):
            first, before = _factors(left, known)
            second, after = _factors(right, known)
            return ("" if first == second else "-"), before + after
        case ast.UnaryOp(ast.USub(), value):
            sign, factors = _factors(value, known)
            return ("" if sign else "-"), factors
    return "", [_expression(node, known)]


def _last(function: ast.expr) -> str:
    match function:
        case ast.Name(name) | ast.Attribute(_, name):
            return name
    return ""
