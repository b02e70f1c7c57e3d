"""Load a second copy of the package, whose modules compute with exact numbers.

The source is not edited. While it is compiled, imports of NumPy, SciPy and ``math`` lead to the stand-ins,
``float`` keeps exact numbers, ``max`` and ``min`` enclose them, a literal such as 0.1 denotes the decimal
number, and a division of integers gives a fraction. Derivatives and draws of inputs are replaced in
:mod:`.replacements`.
"""

from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import marshal
import math
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import numpy as np

from rbnotes.ledger.exact import interpolation, stand_ins
from rbnotes.ledger.exact import scipy_stand_in as scipy_modules
from rbnotes.ledger.exact.arrays import has_exact, to_exact
from rbnotes.ledger.exact.numbers import convert, decimal

PACKAGE = "rbnotes"
THIS_PACKAGE = __name__.rpartition(".")[0]
STAND_INS: dict[str, types.ModuleType] = {
    "math": stand_ins.math_stand_in,
    "numpy": stand_ins.numpy,
    "numpy.polynomial": interpolation.polynomial,
    "numpy.polynomial.legendre": interpolation.legendre,
    "numpy.polynomial.polynomial": interpolation.power_series,
    "scipy": scipy_modules.scipy_stand_in,
    "scipy.interpolate": interpolation.interpolate,
    "scipy.linalg": scipy_modules.linalg,
    "scipy.linalg.lapack": scipy_modules.linalg.lapack,
    "scipy.optimize": scipy_modules.optimize,
    "scipy.sparse": scipy_modules.sparse,
    "scipy.sparse.linalg": scipy_modules.sparse_linalg,
    "scipy.special": scipy_modules.special,
    "scipy.spatial.transform": scipy_modules.transform,
}
NOT_EXACT = tuple(f"{PACKAGE}.{name}" for name in ("compiled", "viewer", "coursework", "cli"))
"""Subpackages that stay as they are."""
MAX_LITERAL_DENOMINATOR = 2**20
_OWN_SOURCE = Path(__file__).read_bytes()
_IMPORT, _DIVIDE, _LITERAL = "_exact_import", "_exact_divide", "_exact_literal"

patches: dict[str, Callable[[types.ModuleType], None]] = {}
"""Changes of modules after they are loaded, by name."""


def patch(*names: str) -> Callable[[Callable[[types.ModuleType], None]], Callable[[types.ModuleType], None]]:
    """Return a decorator for a function that changes modules after they are loaded."""

    def register(change):
        patches.update(dict.fromkeys((f"{PACKAGE}.{name}" for name in names), change))
        return change

    return register


class _ExactRewriter(ast.NodeTransformer):
    """Replace imports, divisions and literals."""

    def visit_Import(self, node):
        replaced = []
        for alias in node.names:
            if alias.name in STAND_INS:
                target = alias.asname or alias.name.partition(".")[0]
                source = alias.name if alias.asname else target
                replaced.append(ast.parse(f"{target} = {_IMPORT}({source!r})").body[0])
            else:
                replaced.append(ast.Import([alias]))
        return [ast.copy_location(each, node) for each in replaced]

    def visit_ImportFrom(self, node):
        if node.module not in STAND_INS or node.level:
            return node
        lines = [
            f"{alias.asname or alias.name} = {_IMPORT}({node.module!r}, {alias.name!r})"
            for alias in node.names
        ]
        return [ast.copy_location(ast.parse(line).body[0], node) for line in lines]

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div):
            return node
        return ast.copy_location(ast.Call(ast.Name(_DIVIDE, ast.Load()), [node.left, node.right], []), node)

    def visit_Constant(self, node):
        if type(node.value) is not float or not math.isfinite(node.value):
            return node
        if node.value.as_integer_ratio()[1] <= MAX_LITERAL_DENOMINATOR and abs(node.value) < 2**53:
            return node
        call = ast.Call(ast.Name(_LITERAL, ast.Load()), [ast.Constant(repr(node.value))], [])
        return ast.copy_location(call, node)

    def visit_JoinedStr(self, node):
        return node

    def visit_Match(self, node):
        return node


def _import(module: str, name: str | None = None) -> Any:
    if name is None:
        return STAND_INS[module]
    inner = STAND_INS.get(f"{module}.{name}")
    return getattr(STAND_INS[module], name) if inner is None else inner


def _is_plain_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating)


def _divide(a: Any, b: Any) -> Any:
    """Return the quotient, exact if float64 division would round."""
    if _is_plain_number(a) and _is_plain_number(b):
        quotient = a / b
        is_dyadic = math.isfinite(quotient) and float(quotient * MAX_LITERAL_DENOMINATOR).is_integer()
        return quotient if is_dyadic and abs(quotient) < 2**30 else convert(a) / convert(b)
    if type(a) is np.ndarray and a.dtype.kind in "iuf" and not has_exact(b):
        return to_exact(a) / b
    if type(b) is np.ndarray and b.dtype.kind in "iuf" and not has_exact(a):
        return a / to_exact(b)
    return a / b


class ExactLoader(importlib.machinery.SourceFileLoader):
    """Loader of a module that computes with exact numbers."""

    def get_code(self, fullname):
        """Return the rewritten code of a module, cached on disk."""
        if fullname.startswith(NOT_EXACT):
            return super().get_code(fullname)
        path = self.get_filename(fullname)
        source = self.get_data(path)
        key = sha256(_OWN_SOURCE + source).digest()
        cached = Path(cache_from_source(path, optimization="exact"))
        with suppress(OSError, ValueError, EOFError, TypeError):
            stored_key, code = marshal.loads(cached.read_bytes())
            if stored_key == key:
                return code
        tree = ast.fix_missing_locations(_ExactRewriter().visit(ast.parse(source)))
        code = compile(tree, path, "exec", dont_inherit=True)
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                cached.parent.mkdir(exist_ok=True)
                cached.write_bytes(marshal.dumps((key, code)))
        return code

    def exec_module(self, module):
        if not module.__name__.startswith(NOT_EXACT):
            module.__dict__.update(stand_ins.BUILTINS)
            module.__dict__.update({_IMPORT: _import, _DIVIDE: _divide, _LITERAL: decimal})
        super().exec_module(module)
        change = patches.get(module.__name__)
        if change is not None:
            change(module)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname, path, target=None):
        if fullname.partition(".")[0] != PACKAGE:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = ExactLoader(spec.loader.name, spec.loader.path)
        return spec


_finder = _Finder()
_exact_modules: dict[str, types.ModuleType] = {}


def _is_replaced(name: str) -> bool:
    return name.partition(".")[0] == PACKAGE and not name.startswith(THIS_PACKAGE)


@contextmanager
def exact_package() -> Iterator[None]:
    """Return a context in which ``import rbnotes...`` finds the exact copy of the package.

    The copy is loaded once and kept. Modules of the normal package that were imported before are unaffected.
    """
    importlib.import_module(f"{THIS_PACKAGE}.replacements")
    normal = {name: module for name, module in sys.modules.items() if _is_replaced(name)}
    for name in normal:
        del sys.modules[name]
    sys.modules.update(_exact_modules)
    sys.meta_path.insert(0, _finder)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 5000))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        sys.meta_path.remove(_finder)
        _exact_modules.update({name: m for name, m in sys.modules.items() if _is_replaced(name)})
        for name in _exact_modules:
            sys.modules.pop(name, None)
        sys.modules.update(normal)
