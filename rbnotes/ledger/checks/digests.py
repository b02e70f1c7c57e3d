"""Digests of the sources that a record's verdict rests on.

A record whose digest is unchanged since all its checks passed needs them only now and then: the checks that
read its sources (:mod:`.honesty`, :mod:`.mutation`) would find the same again.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import Any

from rbnotes.ledger.checks.claim_code import code_owner, record_forms, referenced_objects, unwrap_function
from rbnotes.ledger.record import Record

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
    texts = [f"{path.name}\0{path.read_text(encoding='utf-8')}" for path in _check_files()]
    return sha256("\0".join(texts).encode()).hexdigest()


def _check_files() -> list[Path]:
    folder = Path(__file__).parents[2]
    return sorted({path for pattern in CHECK_SOURCES for path in folder.glob(pattern)})


def _sources(value: Any) -> set[str]:
    """Return the sources of a function or class of the package and of all that it names."""
    found: set[str] = set()
    visited: set[object] = set()
    pending = [value]
    while pending:
        named = pending.pop()
        current = named if isinstance(named, type) else unwrap_function(named)
        if current is None or current in visited:
            continue
        owner = code_owner(current.__module__)
        if owner == "elsewhere":
            continue
        visited.add(current)
        found.add(_source(sys.modules[current.__module__] if owner == "claim" else current))
        pending += _named_objects(current)
    return found


@cache
def _named_objects(value: FunctionType | type) -> tuple[Any, ...]:
    if isinstance(value, FunctionType):
        return tuple(referenced_objects(value))
    methods = filter(None, map(unwrap_function, vars(value).values()))
    return (*value.__bases__, *(each for method in methods for each in referenced_objects(method)))


@cache
def _source(value: Any) -> str:
    """Return the source of a module, class or function; empty for the generated methods of dataclasses."""
    try:
        return inspect.getsource(value)
    except OSError:
        return ""
