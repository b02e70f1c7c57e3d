"""Extract standalone code: the library's right form of a claim with everything it calls, without the library.

The objects that the source of the form names are added to the text: functions of the library get shorter
names where these are free, and argument checks become conversions to arrays. A form that does not fit on a
page this way has no standalone code.
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

MAX_LINES = 120
"""Largest number of lines of extracted code."""
MAX_LITERAL_ENTRIES = 60
"""Largest number of entries of an array that is written as a literal."""
PACKAGE = "rbnotes"

_AS_FLOAT, _AS_INT, _AS_BOOL = (
    "np.array({}, dtype=float)",
    "np.array({}, dtype=int)",
    "np.array({}, dtype=bool)",
)
_CONVERSIONS = {
    **dict.fromkeys(("positive_number", "real_number"), "float({})"),
    "count": "int({})",
    "indices": _AS_INT,
    "boolean_vector": _AS_BOOL,
    **dict.fromkeys(("choice", "text", "matrix", "matrix_without_copy", "instances"), "{}"),
    **dict.fromkeys(
        (
            *(
                "array",
                "extended_real_array",
                "vector",
                "single_vector",
                "twist",
                "rotation_vector",
                "twist_vector",
                "real_array",
            ),
            *("positive_array", "unit_vector", "unit_quaternion", "rotation", "frame", "skew_symmetric"),
            *("twist_matrix", "symmetric", "positive_definite"),
        ),
        _AS_FLOAT,
    ),
    "with_ndim": "{}",
}
"""Expressions that replace calls of the argument checks, by the name of the check."""


class NotExtractable(Exception):
    """Raised when a form needs something that cannot be added to the text."""


def standalone_code(record: Record) -> str | None:
    """Return the source of a claim's right form as a function ``right_form`` of the claim's arguments.

    It needs only NumPy (or SciPy) if that fits on a page, else the library; None if there is no such form.
    """
    form = record.library
    if not isinstance(form, FunctionType):
        return None
    for with_library in (False, True):
        with suppress(NotExtractable):
            text = CodePage(form, with_library=with_library).text()
            if text.count("\n") <= MAX_LINES:
                return text
    return None


class CodePage:
    """Collect imports, constants and functions in the order of their dependencies."""

    def __init__(self, form: FunctionType, *, with_library: bool = False) -> None:
        self.included_packages = (f"{PACKAGE}.ledger",) if with_library else (PACKAGE,)
        self.num_lines = 0
        self.imports: set[str] = set()
        self.parts: list[str] = []
        self.names: dict[int, str] = {}
        self.kept_objects: list[Any] = []
        self.used_names = {*vars(builtins), "np"}
        self.pending: list[FunctionType] = []
        self.add_function(form, name="right_form")

    def text(self) -> str:
        """Return the extracted code: imports, then definitions."""
        body = "\n\n\n".join(self.parts)
        if "np." in body:
            self.imports.add("import numpy as np")
        module_imports = sorted(line for line in self.imports if line.startswith("import"))
        return (
            "\n".join([*module_imports, *sorted(self.imports - set(module_imports))]) + "\n\n\n" + body + "\n"
        )

    def add_function(self, function: FunctionType, *, name: str) -> str:
        """Add a function and everything that it needs; return its name in the text."""
        if id(function) in self.names:
            return self.names[id(function)]
        if function.__closure__ or function in self.pending:
            raise NotExtractable("a function inside another one, or one that calls itself")
        name = self.unused_name(name, function.__module__)
        self.names[id(function)] = name
        self.kept_objects.append(function)
        self.pending.append(function)
        source = _source(function)
        self.num_lines += (source.end_lineno or 0) - source.lineno
        if self.num_lines > 2 * MAX_LINES:  # counting the docstrings
            raise NotExtractable("it is too long")
        source.name = name
        rewritten = _NameRewriter(self, function).visit(source)
        self.parts.append(ast.unparse(ast.fix_missing_locations(rewritten)))
        self.pending.pop()
        return name

    def unused_name(self, name: str, module: str) -> str:
        """Return a name that is unused in the text, with the module's name as a prefix if necessary."""
        for candidate in (name, f"{module.rsplit('.', 1)[-1].strip('_')}_{name}", f"_{name}", f"{name}_"):
            if candidate not in self.used_names and not keyword.iskeyword(candidate):
                self.used_names.add(candidate)
                return candidate
        raise NotExtractable(f"no free name for {name}")

    def includes(self, module: str) -> bool:
        """Return True if objects of a module are copied into the text rather than imported."""
        return any(
            module == package or module.startswith(package + ".") for package in self.included_packages
        )

    def add_constant(self, name: str, value: Any, module: str) -> str:
        """Add a number or an array of numbers."""
        if id(value) in self.names:
            return self.names[id(value)]
        text = _literal(value)
        name = self.unused_name(name, module)
        self.names[id(value)] = name
        self.kept_objects.append(value)
        self.parts.append(f"{name} = {text}")
        return name


def _is_arguments_module(module: str) -> bool:
    """Return True if a module contains argument checks."""
    return module == arguments.__name__ or module.startswith(f"{arguments.__name__}.")


class _NameRewriter(ast.NodeTransformer):
    """Replace the external names of a function by their names in the text."""

    def __init__(self, page: CodePage, function: FunctionType) -> None:
        self.page, self.function = page, function
        self.local_names = set(_local_names(function.__code__))

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
            called = self.lookup(node.value.func)
            module = getattr(called, "__module__", "")
            if _is_arguments_module(module) and self.page.includes(module):
                return None  # an argument check whose result is unused
        return self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | None:
        if not node.orelse and all(isinstance(part, ast.Raise) for part in node.body):
            return None  # a check of the arguments
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST | None:
        self.generic_visit(node)
        return node if node.body else None  # a loop of argument checks

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        assignment = ast.Assign([node.target], node.value)
        visited: ast.AST | None = self.visit(ast.copy_location(assignment, node))
        return visited

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = self.lookup(node.func)
        if (
            isinstance(called, FunctionType)
            and _is_arguments_module(called.__module__)
            and self.page.includes(called.__module__)
        ):
            return self.replace_check(called.__name__, node)
        return self.generic_visit(node)

    def replace_check(self, check: str, node: ast.Call) -> ast.AST:
        """Return the expression that replaces a call of an argument check."""
        if check == "common_shape":
            values = [self.visit(option.value) for option in node.keywords]
            return ast.Call(ast.parse("np.broadcast_shapes", mode="eval").body, values, [])
        if check not in _CONVERSIONS or len(node.args) < 2:
            raise NotExtractable(f"a check {check}")
        template = ast.parse(_CONVERSIONS[check].format("__value__"), mode="eval").body
        value = self.visit(node.args[1])

        class Substitute(ast.NodeTransformer):
            def visit_Name(self, name: ast.Name) -> ast.AST:
                return value if name.id == "__value__" else name

        replacement: ast.AST = Substitute().visit(template)
        return replacement

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Replace an attribute of a module by its object in the text, or import the module."""
        value = self.lookup(node)
        if value is _Unknown:
            return self.generic_visit(node)
        root = node
        while isinstance(root.value, ast.Attribute):
            root = root.value
        first = self.lookup(root.value)
        if isinstance(first, ModuleType) and not self.page.includes(first.__name__):
            assert isinstance(root.value, ast.Name)
            self.import_module(first, root.value.id)
            return node
        return ast.Name(self.add_object(node.attr, value), node.ctx)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        value = self.lookup(node)
        if value is _Unknown:
            return node
        return ast.Name(self.add_object(node.id, value), node.ctx)

    def lookup(self, node: ast.expr) -> Any:
        """Return the object of a name, or of a name in a module, unless the function binds it."""
        if isinstance(node, ast.Name):
            if node.id in self.local_names or node.id not in self.function.__globals__:
                return _Unknown
            return self.function.__globals__[node.id]
        if isinstance(node, ast.Attribute):
            value = self.lookup(node.value)
            if isinstance(value, ModuleType):
                return getattr(value, node.attr)
        return _Unknown

    def add_object(self, name: str, value: Any) -> str:
        """Add the object of a name; return its name in the text."""
        if isinstance(value, ModuleType):
            if self.page.includes(value.__name__):
                raise NotExtractable("a module as a value")
            return self.import_module(value, name)
        value = (
            inspect.unwrap(value)
            if isinstance(value, FunctionType) or hasattr(value, "__wrapped__")
            else value
        )
        module = getattr(value, "__module__", None) or ""
        if isinstance(value, type) and issubclass(value, Exception) and self.page.includes(module):
            return "ArithmeticError" if issubclass(value, ArithmeticError) else "ValueError"
        if isinstance(value, FunctionType) and self.page.includes(module):
            return self.page.add_function(value, name=value.__name__)
        if hasattr(value, "__name__") and not self.page.includes(module):
            return self.import_object(name, value, module)
        return self.page.add_constant(name, value, self.function.__module__)

    def import_module(self, module: ModuleType, name: str) -> str:
        last = module.__name__.rsplit(".", 1)[-1]
        if "." in module.__name__ and last == name:
            line = f"from {module.__name__.rsplit('.', 1)[0]} import {name}"
        else:
            line = f"import {module.__name__}" + ("" if module.__name__ == name else f" as {name}")
        self.page.imports.add(line)
        self.page.used_names.add(name)
        return name

    def import_object(self, name: str, value: Any, module: str) -> str:
        """Import a function or a class of another package from its public module."""
        parts = module.split(".")
        public = [part for part in parts if not part.startswith("_")]
        for split in range(len(public), 0, -1):
            public_module = ".".join(public[:split])
            if getattr(sys.modules.get(public_module), value.__name__, NotExtractable) is value:
                alias = "" if name == value.__name__ else f" as {name}"
                self.page.imports.add(f"from {public_module} import {value.__name__}{alias}")
                self.page.used_names.add(name)
                return name
        raise NotExtractable(f"{name} of {module}")


def _source(function: FunctionType) -> ast.FunctionDef:
    try:
        source = ast.parse(_function_text(function)).body[0]
    except (OSError, SyntaxError) as error:
        raise NotExtractable("it has no source") from error
    if not isinstance(source, ast.FunctionDef):
        raise NotExtractable("it has no name")
    source.decorator_list = []
    return source


@cache
def _function_text(function: FunctionType) -> str:
    file, first = function.__code__.co_filename, function.__code__.co_firstlineno
    if first not in _last_lines(file):
        raise OSError("not in its file")
    return textwrap.dedent("".join(linecache.getlines(file)[first - 1 : _last_lines(file)[first]]))


@cache
def _last_lines(file: str) -> dict[int, int]:
    """Map the first line of each function of a file, decorators included, to its last line."""
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
    """Sentinel for a name without a value."""


def _local_names(code: CodeType) -> Iterator[str]:
    """Yield the names that belong to a function and to those inside it."""
    yield from (*code.co_varnames, *code.co_cellvars)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant.co_name
            yield from _local_names(constant)


def _literal(value: Any) -> str:
    """Return a value as source code; raise an error if it has no short form."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub" and value.size <= MAX_LITERAL_ENTRIES:
        return f"np.array({value.tolist()!r})"
    if isinstance(value, bool | int | float | str | None):
        return repr(value)
    if isinstance(value, tuple | list) and len(value) <= MAX_LITERAL_ENTRIES:
        inner = ", ".join(_literal(part) for part in value)
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, slice):
        return f"slice({value.start!r}, {value.stop!r}, {value.step!r})"
    if isinstance(value, dict) and len(value) <= MAX_LITERAL_ENTRIES:
        return "{" + ", ".join(f"{_literal(name)}: {_literal(part)}" for name, part in value.items()) + "}"
    raise NotExtractable(f"a {type(value).__name__}")
