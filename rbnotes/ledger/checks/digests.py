"""Digests of the sources that a record's verdict rests on.

Comments, docstrings and formatting do not change a digest, see :func:`files_digest`; names do.

A record whose digest is unchanged since all its checks passed needs them only now and then: the checks that
read its sources (:mod:`.honesty`, :mod:`.mutation`) would find the same again.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import Any

from rbnotes.ledger.checks.claim_code import code_owner, record_forms, referenced_objects, unwrap_function
from rbnotes.ledger.record import Record
from rbnotes.ledger.sources import active_ledger

CHECK_SOURCES = (
    *(f"ledger/{name}.py" for name in ("evaluation", "quantities", "record", "runner", "section")),
    "ledger/checks/**/*.py",
    "testing/*.py",
)
"""Files, relative to the package, that decide how a record is checked."""


def record_digest(record: Record, equivalent_mutants: Iterable[str] = ()) -> str:
    """Return a digest of the sources that determine the verdict of a record.

    It covers the modules of claims, the functions and classes of the library and the oracles that the forms
    name directly or indirectly, what the record implements, the checks, and the mutants that are accepted as
    equivalent. Functions that are only reached as attributes of values, such as methods of an argument, are
    not covered.
    """
    forms = [*record_forms(record).values(), record.holds_when, *record.implements]
    sources = {source for value in forms for source in _sources(value)}
    parts = [_check_digest(), record.id, *sorted(sources), *sorted(equivalent_mutants)]
    return sha256("\0".join(parts).encode()).hexdigest()[:16]


@cache
def _check_digest() -> str:
    return files_digest(_check_files())


def files_digest(paths: Iterable[Path]) -> str:
    """Return a digest of the code in some files, without comments, docstrings and formatting."""
    texts = [f"{path.name}\0{normalize_source(path.read_text(encoding='utf-8'))}" for path in paths]
    return sha256("\0".join(texts).encode()).hexdigest()


def _check_files() -> list[Path]:
    folder = Path(__file__).parents[2]
    return sorted({path for pattern in CHECK_SOURCES for path in folder.glob(pattern)})


def _sources(value: Any) -> frozenset[str]:
    """Return the sources of a function or class of the package and of all that it names."""
    code = _code(value)
    return frozenset() if code is None else _sources_of_code(code, active_ledger().package)


@cache
def _sources_of_code(code: FunctionType | type, package: str) -> frozenset[str]:
    """Return the sources of a function or class; the package of the active ledger decides what a claim is."""
    sources: set[str] = set()
    visited: set[FunctionType | type] = set()
    pending = [code]
    while pending:
        current = pending.pop()
        if current in visited:
            continue
        visited.add(current)
        owner = code_owner(current.__module__)
        if owner == "elsewhere":
            continue
        sources.add(_source(sys.modules[current.__module__] if owner == "claim" else current))
        pending += _named_code(current)
    return frozenset(sources)


def _code(value: Any) -> FunctionType | type | None:
    """Return the class or plain function that a value is; None for other values."""
    return value if isinstance(value, type) else unwrap_function(value)


@cache
def _named_code(code: FunctionType | type) -> tuple[FunctionType | type, ...]:
    """Return the functions and classes that a function or class names, each once."""
    named: Iterable[Any]
    if isinstance(code, FunctionType):
        named = referenced_objects(code)
    else:
        methods = filter(None, map(unwrap_function, vars(code).values()))
        named = (*code.__bases__, *(each for method in methods for each in referenced_objects(method)))
    return tuple(dict.fromkeys(other for each in named if (other := _code(each)) is not None))


@cache
def _source(value: Any) -> str:
    """Return the code of a module, class or function; empty for the generated methods of dataclasses."""
    try:
        return normalize_source(inspect.getsource(value))
    except OSError:
        return ""


def normalize_source(text: str) -> str:
    """Return the syntax tree of a source as text, the same in every version of Python.

    It omits comments, formatting and statements that are a string: docstrings, and the descriptions of
    constants. A text that is not a statement, such as the line around a lambda, is returned unchanged.
    """
    try:
        return _describe_node(ast.parse(textwrap.dedent(text)))
    except SyntaxError:
        return text


def _describe_node(node: Any) -> str:
    """Return a syntax tree as text without statements that are strings."""
    if isinstance(node, ast.AST):
        texts = [
            f"{name}={_describe_node(value)}"
            for name in node._fields
            # Versions of Python differ in the fields that are empty.
            if (value := getattr(node, name, None)) is not None and value != []
        ]
        return f"{type(node).__name__}({', '.join(texts)})"
    if isinstance(node, list):
        return f"[{', '.join(_describe_node(each) for each in node if not _is_text(each))}]"
    return repr(node)


def _is_text(node: Any) -> bool:
    """Return True for a statement that is a string."""
    match node:
        case ast.Expr(ast.Constant(str())):
            return True
    return False
