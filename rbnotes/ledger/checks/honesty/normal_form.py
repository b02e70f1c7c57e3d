"""Normal form of a function's formula: independent of names, temporaries and the order of sums.

Two functions with the same normal form are the same formula.
"""

from __future__ import annotations

import ast
import inspect
from functools import cache, reduce
from types import FunctionType

from rbnotes.ledger.checks.claim_code import called_name, code_owner, function_ast

OPERATOR_FUNCTIONS = {"dot": "@", "matmul": "@", "add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
IDENTITY_FUNCTIONS = ("array", "asarray", "float", "float64", "copy")


@cache
def normal_form(function: FunctionType) -> str:
    """Return a text that is equal for functions that differ only in names, temporaries or operand order."""
    source = function_ast(function)
    every = (*source.args.posonlyargs, *source.args.args, *source.args.kwonlyargs)
    scope = NameScope(function, {argument.arg: f"<{place}>" for place, argument in enumerate(every)})
    return _normalize_body(source.body, scope)


class NameScope(dict[str, str]):
    """Meanings of the local names of a function, with the function for the names of its module."""

    def __init__(self, function: FunctionType, meanings: dict[str, str]) -> None:
        super().__init__(meanings)
        self.function = function

    def helper(self, name: str, count: int) -> FunctionType | None:
        """Return the claim's function of a name if it takes this number of arguments, else None."""
        value = None if name in self else self.function.__globals__.get(name)
        if (
            not isinstance(value, FunctionType)
            or code_owner(value.__module__) != "claim"
            or value is self.function
        ):
            return None
        code = value.__code__
        is_variadic = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
        return value if code.co_argcount == count and not is_variadic else None


def _normalize_body(statements: list[ast.stmt], scope: NameScope) -> str:
    """Return the normal form of statements; assigned names are replaced by their values."""
    lines = []
    for statement in statements:
        match statement:
            case ast.Expr(ast.Constant()):
                continue
            case ast.Assign([target], value) if _record_assignment(target, value, scope):
                continue
            case ast.AugAssign(ast.Name(name), op, value) if name in scope:
                scope[name] = _normalize_expression(ast.BinOp(ast.Name(name), op, value), scope)
            case ast.Return(value) if value is not None:
                lines.append("return " + _normalize_expression(value, scope))
            case _:
                lines.append(_normalize_statement(statement, scope))
    return "\n".join(lines)


def _record_assignment(target: ast.expr, value: ast.expr, scope: NameScope) -> bool:
    """Record a temporary; return True if the assignment is one."""
    if isinstance(target, ast.Name):
        scope[target.id] = _normalize_expression(value, scope)
        return True
    if isinstance(target, ast.Tuple) and all(isinstance(name, ast.Name) for name in target.elts):
        if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
            texts = [_normalize_expression(part, scope) for part in value.elts]
        else:
            whole = _normalize_expression(value, scope)
            texts = [f"{whole}[{index}]" for index in range(len(target.elts))]
        names = (name.id for name in target.elts if isinstance(name, ast.Name))
        scope.update(zip(names, texts, strict=True))
        return True
    return False


def _normalize_statement(statement: ast.stmt, scope: NameScope) -> str:
    """Return the normal form of a loop, a branch or an assignment to an entry."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            scope[node.id] = f"<local {sum(text.startswith('<local') for text in scope.values())}>"
    parts = [type(statement).__name__]
    for _, value in ast.iter_fields(statement):
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.expr):
                parts.append(_normalize_expression(part, scope))
            elif isinstance(part, ast.stmt):
                parts.append("{" + _normalize_body([part], scope) + "}")
            elif isinstance(part, ast.AST):
                parts.append(type(part).__name__)
    return " ".join(parts)


def _normalize_expression(node: ast.expr, scope: NameScope) -> str:
    """Return the normal form of an expression: sums and products are sorted, helpers are inlined."""
    match node:
        case ast.Name(name):
            return scope.get(name, name)
        case ast.BinOp(op=ast.Add() | ast.Sub()) | ast.UnaryOp(op=ast.USub() | ast.UAdd()):
            return "(" + " ".join(sorted(_sum_terms(node, scope, "+"))) + ")"
        case ast.BinOp(op=ast.Mult()):
            sign, factors = _product_factors(node, scope)
            return f"{sign}(" + "*".join(sorted(factors)) + ")"
        case ast.BinOp(op=ast.MatMult()):
            return "(" + "@".join(_matrix_factors(node, scope)) + ")"
        case ast.Call(ast.Name(name), arguments, []) if helper := scope.helper(name, len(arguments)):
            return _inline_helper(helper, [_normalize_expression(argument, scope) for argument in arguments])
        case ast.BinOp(left, op, right):
            names = {ast.Div: "/", ast.Pow: "**"}
            name = names.get(type(op), type(op).__name__)
            return f"({_normalize_expression(left, scope)}{name}{_normalize_expression(right, scope)})"
        case ast.Call(function, [value], _) if called_name(function) in IDENTITY_FUNCTIONS:
            return _normalize_expression(value, scope)
        case ast.Call() if product := _product_chain(node):
            return _normalize_expression(product, scope)
        case ast.Call(function, [left, right], []) if called_name(function) in OPERATOR_FUNCTIONS:
            spelled = ast.parse(f"a {OPERATOR_FUNCTIONS[called_name(function)]} b", mode="eval").body
            assert isinstance(spelled, ast.BinOp)
            return _normalize_expression(ast.BinOp(left, spelled.op, right), scope)
        case ast.Call(ast.Attribute(value, "dot"), [right], []):
            return _normalize_expression(ast.BinOp(value, ast.MatMult(), right), scope)
        case ast.Call(ast.Attribute(value, "transpose"), [], []):
            return _normalize_expression(value, scope) + ".T"
        case ast.Call(ast.Attribute(_, "transpose"), [value], []):
            return _normalize_expression(value, scope) + ".T"
        case ast.Attribute(value, "mT"):
            return _normalize_expression(value, scope) + ".T"
        case ast.Attribute(value, name):
            return f"{_normalize_expression(value, scope)}.{name}"
        case ast.Constant(value) if isinstance(value, int | float) and not isinstance(value, bool):
            return repr(float(value))
        case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp() | ast.Lambda():
            inner = NameScope(scope.function, scope)
            for part in ast.walk(node):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    inner[part.id] = f"<inner {len(inner)}>"
            return type(node).__name__ + _normalize_children(node, inner)
        case _:
            return type(node).__name__ + _normalize_children(node, scope)


def _product_chain(node: ast.Call) -> ast.expr | None:
    """Return the chain of ``@`` that ``multi_dot``, ``einsum`` or a reduction by ``matmul`` expresses."""
    if node.keywords:
        return None
    match called_name(node.func), node.args:
        case "multi_dot", [ast.List(factors) | ast.Tuple(factors)]:
            return _matrix_product(factors)
        case "reduce", [product, ast.List(factors) | ast.Tuple(factors)] if called_name(product) in (
            "matmul",
            "dot",
        ):
            return _matrix_product(factors)
        case "reduce", [
            ast.Lambda(
                ast.arguments(args=[ast.arg(first), ast.arg(second)]),
                ast.BinOp(ast.Name(left), ast.MatMult(), ast.Name(right)),
            ),
            ast.List(factors) | ast.Tuple(factors),
        ] if {first, second} == {left, right}:
            return _matrix_product(factors if left == first else factors[::-1])
        case "einsum", [ast.Constant(str(subscripts)), *factors]:
            return _einsum_product(subscripts, factors)
    return None


def _matrix_product(factors: list[ast.expr]) -> ast.expr:
    return reduce(lambda left, right: ast.BinOp(left, ast.MatMult(), right), factors)


def _einsum_product(subscripts: str, factors: list[ast.expr]) -> ast.expr | None:
    """Return the matrix product that an einsum over neighboring indices expresses.

    It is None for any other einsum.
    """
    operands, _, result = subscripts.replace(" ", "").partition("->")
    letters = operands.split(",")
    if len(letters) != len(factors) or not 1 <= len(result) <= 2 or not all(map(str.isalpha, letters)):
        return None
    index, chain, left = result[0], [], list(zip(letters, factors, strict=True))
    while left:
        following = [pair for pair in left if index in pair[0]]
        if len(following) != 1 or len(following[0][0]) > 2:
            return None
        indices, factor = following[0]
        left.remove(following[0])
        if len(indices) == 2 and indices[1] == index:
            factor = ast.Attribute(factor, "T", ast.Load())
        chain.append(factor)
        index = indices.replace(index, "", 1)
        if not index:
            break
    return _matrix_product(chain) if not left and index == result[1:] else None


def _matrix_factors(node: ast.expr, scope: NameScope) -> list[str]:
    """Return the factors of a matrix product with any bracketing."""
    match node:
        case ast.BinOp(left, ast.MatMult(), right):
            return _matrix_factors(left, scope) + _matrix_factors(right, scope)
    text = _normalize_expression(node, scope)
    inner = text[1:-1]
    whole = text.startswith("(") and "@" in inner and _is_single_chain(inner)
    return [inner] if whole else [text]


def _is_single_chain(text: str) -> bool:
    """Return True if a bracketed text is one chain of products."""
    depth, outside = 0, ""
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if depth < 0:
            return False
        if depth == 0:
            outside += letter
    return "@" in outside and not any(sign in outside for sign in "+-* ")


def _inline_helper(helper: FunctionType, arguments: list[str]) -> str:
    """Return the expression that a helper computes, if its body is one expression; else the call."""
    source = function_ast(helper)
    every = (*source.args.posonlyargs, *source.args.args)
    names = (argument.arg for argument in every)
    text = _normalize_body(source.body, NameScope(helper, dict(zip(names, arguments, strict=True))))
    if text.startswith("return ") and "\n" not in text:
        return text.removeprefix("return ")
    return f"{helper.__name__}({', '.join(arguments)})"


def _normalize_children(node: ast.AST, scope: NameScope) -> str:
    parts = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            parts.append(_normalize_expression(child, scope))
        elif not isinstance(child, ast.expr_context):
            parts.append(type(child).__name__ + _normalize_children(child, scope))
    texts = [str(value) for _, value in ast.iter_fields(node) if isinstance(value, str | bool | type(None))]
    return "(" + ", ".join(parts + texts) + ")"


def _sum_terms(node: ast.expr, scope: NameScope, sign: str) -> list[str]:
    """Return the signed terms of a sum."""
    other = "-" if sign == "+" else "+"
    match node:
        case ast.BinOp(left, ast.Add(), right):
            return _sum_terms(left, scope, sign) + _sum_terms(right, scope, sign)
        case ast.BinOp(left, ast.Sub(), right):
            return _sum_terms(left, scope, sign) + _sum_terms(right, scope, other)
        case ast.UnaryOp(ast.USub(), value):
            return _sum_terms(value, scope, other)
        case ast.UnaryOp(ast.UAdd(), value):
            return _sum_terms(value, scope, sign)
        case ast.BinOp(op=ast.Mult()):
            negative, factors = _product_factors(node, scope)
            product = "(" + "*".join(sorted(factors)) + ")"
            return [(other if negative else sign) + product]
    return [sign + _normalize_expression(node, scope)]


def _product_factors(node: ast.expr, scope: NameScope) -> tuple[str, list[str]]:
    """Return the sign and the factors of a product."""
    match node:
        case ast.BinOp(left, ast.Mult(), right):
            first, before = _product_factors(left, scope)
            second, after = _product_factors(right, scope)
            return ("" if first == second else "-"), before + after
        case ast.UnaryOp(ast.USub(), value):
            sign, factors = _product_factors(value, scope)
            return ("" if sign else "-"), factors
    return "", [_normalize_expression(node, scope)]
