"""Code to paste: the library's right form of a claim with all that it calls, without the library.

The source of the form is taken apart, and what it names is put beside it: functions of the library become
functions of the text, with shorter names where these are free; checks of arguments become conversions to
arrays. What cannot be written so in a page is not offered.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import keyword
import linecache
import sys
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from rbnotes import arguments
from rbnotes.ledger.record import Record

LONGEST = 120
"""Lines of code that still count as something to paste."""
WIDEST = 60
"""Entries of an array that is written out."""
PACKAGE = "rbnotes"

_AS_FLOAT, _AS_INT, _AS_TRUTH = (
    "np.array({}, dtype=float)",
    "np.array({}, dtype=int)",
    "np.array({}, dtype=bool)",
)
_CONVERSIONS = {
    **dict.fromkeys(("number", "real"), "float({})"),
    "count": "int({})",
    "indices": _AS_INT,
    "truths": _AS_TRUTH,
    **dict.fromkeys(("choice", "text", "matrix", "finite_matrix", "instances"), "{}"),
    **dict.fromkeys(
        (
            *("array", "bound", "vector", "one_vector", "twist", "rotation_vector", "twist_vector", "scalar"),
            *("positive", "unit_vector", "unit_quaternion", "rotation", "frame", "skew_symmetric"),
            *("twist_matrix", "symmetric", "positive_definite"),
        ),
        _AS_FLOAT,
    ),
    "exactly": "{}",
}
"""What the checks of arguments leave of their second argument."""


class NotOffered(Exception):
    """The form needs something that cannot be put on a page."""


def standalone(record: Record) -> str | None:
    """Source of a claim's right form, as a function ``right_form`` of the claim's arguments.

    It needs NumPy (or SciPy) only, if that fits on a page, else the library; None if there is no such form.
    """
    form = record.library
    if not isinstance(form, FunctionType):
        return None
    for with_library in (False, True):
        with suppress(NotOffered):
            text = Page(form, with_library=with_library).text()
            if text.count("\n") <= LONGEST:
                return text
    return None


class Page:
    """The parts of a text: imports, constants and functions, in the order in which they need each other."""

    def __init__(self, form: FunctionType, *, with_library: bool = False) -> None:
        self.own = (f"{PACKAGE}.ledger",) if with_library else (PACKAGE,)
        self.lines = 0
        self.imports: set[str] = set()
        self.parts: list[str] = []
        self.names: dict[int, str] = {}
        self.keep: list[Any] = []
        self.taken = {*vars(builtins), "np"}
        self.waiting: list[FunctionType] = []
        self.function(form, name="right_form")

    def text(self) -> str:
        """The whole, in order."""
        body = "\n\n\n".join(self.parts)
        if "np." in body:
            self.imports.add("import numpy as np")
        plain = sorted(line for line in self.imports if line.startswith("import"))
        return "\n".join([*plain, *sorted(self.imports - set(plain))]) + "\n\n\n" + body + "\n"

    def function(self, function: FunctionType, *, name: str) -> str:
        """Put a function and all that it needs on the page; returns its name there."""
        if id(function) in self.names:
            return self.names[id(function)]
        if function.__closure__ or function in self.waiting:
            raise NotOffered("a function inside another one, or one that calls itself")
        name = self.free(name, function.__module__)
        self.names[id(function)] = name
        self.keep.append(function)
        self.waiting.append(function)
        source = _source(function)
        self.lines += (source.end_lineno or 0) - source.lineno
        if self.lines > 2 * LONGEST:  # documentation included
            raise NotOffered("it is too long")
        source.name = name
        rewritten = _Rewriter(self, function).visit(source)
        self.parts.append(ast.unparse(ast.fix_missing_locations(rewritten)))
        self.waiting.pop()
        return name

    def free(self, name: str, module: str) -> str:
        """A name that is not taken on this page: with that of its module, if need be."""
        for candidate in (name, f"{module.rsplit('.', 1)[-1].strip('_')}_{name}", f"_{name}", f"{name}_"):
            if candidate not in self.taken and not keyword.iskeyword(candidate):
                self.taken.add(candidate)
                return candidate
        raise NotOffered(f"no free name for {name}")

    def holds(self, module: str) -> bool:
        """Whether what is in a module is put on the page, rather than imported."""
        return any(module == own or module.startswith(own + ".") for own in self.own)

    def constant(self, name: str, value: Any, module: str) -> str:
        """Put a number, or an array of them, on the page."""
        if id(value) in self.names:
            return self.names[id(value)]
        text = _written(value)
        name = self.free(name, module)
        self.names[id(value)] = name
        self.keep.append(value)
        self.parts.append(f"{name} = {text}")
        return name


def _of_arguments(module: str) -> bool:
    """Whether what is in a module checks arguments."""
    return module == arguments.__name__ or module.startswith(f"{arguments.__name__}.")


class _Rewriter(ast.NodeTransformer):
    """Replaces what a function names outside of itself."""

    def __init__(self, page: Page, function: FunctionType) -> None:
        self.page, self.function = page, function
        self.own = set(_locals(function.__code__))

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        text = ast.get_docstring(node)
        if text is not None:
            node.body[0] = ast.Expr(ast.Constant(text.split("\n")[0]))
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        if isinstance(node.value, ast.Call):
            called = self.found(node.value.func)
            home = getattr(called, "__module__", "")
            if _of_arguments(home) and self.page.holds(home):
                return None  # a check that returns nothing that is used
        return self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | None:
        if not node.orelse and all(isinstance(part, ast.Raise) for part in node.body):
            return None  # a check of what was handed in
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST | None:
        self.generic_visit(node)
        return node if node.body else None  # nothing but checks, of one entry after the other

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        plain = ast.Assign([node.target], node.value)
        visited: ast.AST | None = self.visit(ast.copy_location(plain, node))
        return visited

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = self.found(node.func)
        if (
            isinstance(called, FunctionType)
            and _of_arguments(called.__module__)
            and self.page.holds(called.__module__)
        ):
            return self.conversion(called.__name__, node)
        return self.generic_visit(node)

    def conversion(self, check: str, node: ast.Call) -> ast.AST:
        """What a check leaves of a call."""
        if check == "common_shape":
            values = [self.visit(option.value) for option in node.keywords]
            return ast.Call(ast.parse("np.broadcast_shapes", mode="eval").body, values, [])
        if check not in _CONVERSIONS or len(node.args) < 2:
            raise NotOffered(f"a check {check}")
        wanted = ast.parse(_CONVERSIONS[check].format("__value__"), mode="eval").body
        value = self.visit(node.args[1])

        class Put(ast.NodeTransformer):
            def visit_Name(self, name: ast.Name) -> ast.AST:
                return value if name.id == "__value__" else name

        put: ast.AST = Put().visit(wanted)
        return put

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        found = self.found(node)
        if found is _Unknown:
            return self.generic_visit(node)
        root = node
        while isinstance(root.value, ast.Attribute):
            root = root.value
        first = self.found(root.value)
        if isinstance(first, ModuleType) and not self.page.holds(first.__name__):
            assert isinstance(root.value, ast.Name)
            self.module(first, root.value.id)
            return node
        return ast.Name(self.put(node.attr, found), node.ctx)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        found = self.found(node)
        if found is _Unknown:
            return node
        return ast.Name(self.put(node.id, found), node.ctx)

    def found(self, node: ast.expr) -> Any:
        """The object that a name, or a name in a module, stands for, if it is none of the function's own."""
        if isinstance(node, ast.Name):
            if node.id in self.own or node.id not in self.function.__globals__:
                return _Unknown
            return self.function.__globals__[node.id]
        if isinstance(node, ast.Attribute):
            value = self.found(node.value)
            if isinstance(value, ModuleType):
                return getattr(value, node.attr)
        return _Unknown

    def put(self, name: str, value: Any) -> str:
        """Put what a name stands for on the page; returns the name it has there."""
        if isinstance(value, ModuleType):
            if self.page.holds(value.__name__):
                raise NotOffered("a module as a value")
            return self.module(value, name)
        value = (
            inspect.unwrap(value)
            if isinstance(value, FunctionType) or hasattr(value, "__wrapped__")
            else value
        )
        home = getattr(value, "__module__", None) or ""
        if isinstance(value, type) and issubclass(value, Exception) and self.page.holds(home):
            return "ArithmeticError" if issubclass(value, ArithmeticError) else "ValueError"
        if isinstance(value, FunctionType) and self.page.holds(home):
            return self.page.function(value, name=value.__name__)
        if hasattr(value, "__name__") and not self.page.holds(home):
            return self.imported(name, value, home)
        return self.page.constant(name, value, self.function.__module__)

    def module(self, module: ModuleType, name: str) -> str:
        last = module.__name__.rsplit(".", 1)[-1]
        if "." in module.__name__ and last == name:
            line = f"from {module.__name__.rsplit('.', 1)[0]} import {name}"
        else:
            line = f"import {module.__name__}" + ("" if module.__name__ == name else f" as {name}")
        self.page.imports.add(line)
        self.page.taken.add(name)
        return name

    def imported(self, name: str, value: Any, home: str) -> str:
        """Import a function or a class of another package from where it is public."""
        parts = home.split(".")
        public = [part for part in parts if not part.startswith("_")]
        for split in range(len(public), 0, -1):
            place = ".".join(public[:split])
            if getattr(sys.modules.get(place), value.__name__, NotOffered) is value:
                alias = "" if name == value.__name__ else f" as {name}"
                self.page.imports.add(f"from {place} import {value.__name__}{alias}")
                self.page.taken.add(name)
                return name
        raise NotOffered(f"{name} of {home}")


def _source(function: FunctionType) -> ast.FunctionDef:
    try:
        source = ast.parse(_text(function)).body[0]
    except (OSError, SyntaxError) as error:
        raise NotOffered("it has no source") from error
    if not isinstance(source, ast.FunctionDef):
        raise NotOffered("it has no name")
    source.decorator_list = []
    return source


@cache
def _text(function: FunctionType) -> str:
    file, first = function.__code__.co_filename, function.__code__.co_firstlineno
    if first not in _ends(file):
        raise OSError("not in its file")
    return textwrap.dedent("".join(linecache.getlines(file)[first - 1 : _ends(file)[first]]))


@cache
def _ends(file: str) -> dict[int, int]:
    """The last line of each function of a file, by its first, which may be that of a decorator."""
    functions = [
        node
        for node in ast.walk(ast.parse("".join(linecache.getlines(file))))
        if isinstance(node, ast.FunctionDef)
    ]
    return {
        min([node.lineno, *(part.lineno for part in node.decorator_list)]): node.end_lineno or node.lineno
        for node in functions
    }


class _Unknown:
    """Stands for what is not found."""


def _locals(code: CodeType) -> Iterator[str]:
    """The names that belong to a function and to those inside it."""
    yield from (*code.co_varnames, *code.co_cellvars)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant.co_name
            yield from _locals(constant)


def _written(value: Any) -> str:
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub" and value.size <= WIDEST:
        return f"np.array({value.tolist()!r})"
    if isinstance(value, bool | int | float | str | None):
        return repr(value)
    if isinstance(value, tuple | list) and len(value) <= WIDEST:
        inner = ", ".join(_written(part) for part in value)
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, slice):
        return f"slice({value.start!r}, {value.stop!r}, {value.step!r})"
    if isinstance(value, dict) and len(value) <= WIDEST:
        return "{" + ", ".join(f"{_written(name)}: {_written(part)}" for name, part in value.items()) + "}"
    raise NotOffered(f"a {type(value).__name__}")
