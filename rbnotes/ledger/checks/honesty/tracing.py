"""Trace the code that a function runs, by profiling instead of reading it."""

from __future__ import annotations

import _thread
import functools
import inspect
import marshal
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.checks.claim_code import (
    CodeOwner,
    code_owner,
    qualified_name,
    referenced_objects,
)
from rbnotes.ledger.evaluation import Values, evaluate

CALLBACK_PACKAGE = "rbnotes.testing"
"""Functions that differentiate a given function; the code of that function is not part of theirs."""
NO_MODULE = "-"
"""Stand-in for a missing module name, which is not a prefix of any module."""
UNTRACEABLE = (
    os.system,
    sys.setprofile,
    sys.settrace,
    # Their availability depends on the system and the Python version.
    *(
        getattr(module, name)
        for module, names in (
            (_thread, ("start_new_thread", "start_joinable_thread")),
            (os, ("fork", "posix_spawn")),
            (subprocess, ("_fork_exec",)),
        )
        for name in names
        if hasattr(module, name)
    ),
)
"""Functions that start code whose calls are not traced, for any caller."""
CODE_FROM_TEXT = (eval, exec, compile, pickle.loads, pickle.load, marshal.loads, sys._getframe)
"""Functions that no claim, oracle or library function needs; other packages create classes with them."""
ESCAPE_IDS = frozenset(map(id, (*UNTRACEABLE, *CODE_FROM_TEXT)))


class NamedCode:
    """Code of a dotted name: a function, the methods of a class, a whole module, or a value."""

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value
        self.module = value.__name__ if isinstance(value, ModuleType) else None
        self.codes = frozenset(_code_objects(value))

    def contains(self, code: CodeType, module: str) -> bool:
        """Return True if a code object belongs to it."""
        if self.module is not None:
            return module == self.module or module.startswith(self.module + ".")
        return code in self.codes or any(
            code.co_filename == own.co_filename
            and code.co_qualname.startswith(own.co_qualname + ".<locals>.")
            for own in self.codes
        )


def _code_objects(value: Any) -> Iterable[CodeType]:
    """Yield the code objects of a function, method, property or class."""
    if isinstance(value, functools.partial):
        yield from _code_objects(value.func)
    elif isinstance(value, property):
        for accessor in (value.fget, value.fset):
            yield from _code_objects(accessor)
    elif isinstance(value, functools.cached_property):
        yield from _code_objects(value.func)
    elif isinstance(value, type):
        for member in vars(value).values():
            if not isinstance(member, type):
                yield from _code_objects(member)
    elif isinstance(value, staticmethod | classmethod):
        yield from _code_objects(value.__func__)
    elif isinstance(value, FunctionType):
        yield value.__code__
        yield from _code_objects(getattr(value, "__wrapped__", None))
    elif hasattr(value, "py_func"):  # compiled by numba
        yield from _code_objects(value.py_func)
    elif inspect.ismethod(value):
        yield from _code_objects(value.__func__)
    elif callable(value) and hasattr(value, "__wrapped__"):
        yield from _code_objects(value.__wrapped__)


@dataclass
class CodeTrace:
    """Code that ran in a call of a form.

    Attributes
    ----------
    entered_code
        Code of the claim, the library and the oracles, with the module it belongs to.
    foreign_code
        Code of other packages.
    builtin_ids
        Identities of compiled functions.
    escapes
        Calls that could hide others: another thread, another process, code made from text.
    referenced_ids
        Identities of the objects that the claim's and the library's code names.
    code_below_primitives
        Code that ran only inside calls of primitives.
    returned_primitives
        Primitives whose result was the form's result on every input.
    """

    entered_code: dict[CodeType, str] = field(default_factory=dict)
    foreign_code: set[CodeType] = field(default_factory=set)
    builtin_ids: set[int] = field(default_factory=set)
    escapes: set[str] = field(default_factory=set)
    referenced_ids: set[int] = field(default_factory=set)
    code_below_primitives: dict[CodeType, str] = field(default_factory=dict)
    returned_primitives: set[str] | None = None

    def enters(self, target: NamedCode) -> bool:
        """Return True if any of the target's code ran.

        A value without code counts if code that ran names it.
        """
        if target.codes or target.module is not None:
            return any(target.contains(code, module) for code, module in self.all_code()) or any(
                code in target.codes for code in self.foreign_code
            )
        return id(target.value) in self.builtin_ids or id(target.value) in self.referenced_ids

    def all_code(self) -> Iterable[tuple[CodeType, str]]:
        """Yield the code objects that ran, each with its module."""
        yield from self.entered_code.items()
        yield from self.code_below_primitives.items()


@dataclass(frozen=True, eq=False)
class _CodeInfo:
    """Code object that ran, with its properties.

    Attributes
    ----------
    code
        Code object.
    module
        Name of its module.
    owner
        Owner of the module.
    primitives
        Names of the primitives that contain it.
    """

    code: CodeType
    module: str
    owner: CodeOwner
    primitives: list[str]


def trace(
    form: Callable[..., Any], draws: Iterable[Values], primitives: Iterable[NamedCode] = ()
) -> CodeTrace:
    """Run a form on some inputs and trace the code that it runs; exceptions are ignored."""
    _clear_caches(form)
    seen = CodeTrace()
    stack: list[str] = []  # for each running function: the primitive that its callees belong to
    primitive_results: list[tuple[str, Array]] = []  # results of primitives
    primitives = tuple(primitives)

    info_by_id: dict[int, _CodeInfo] = {}  # by identity, because hashing code objects is slow

    def code_info(frame: FrameType) -> _CodeInfo:
        code = frame.f_code
        info = info_by_id.get(id(code))
        if info is None:
            module = frame.f_globals.get("__name__") or ""
            names = [primitive.name for primitive in primitives if primitive.contains(code, module)]
            info = info_by_id[id(code)] = _CodeInfo(code, module, code_owner(module), names)
            if info.owner == "elsewhere":
                seen.foreign_code.add(code)
        return info

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        if event == "c_call":
            seen.builtin_ids.add(id(argument))
            # Without a caller it is this function, which ends the trace.
            if (
                stack
                and id(argument) in ESCAPE_IDS
                and (argument in UNTRACEABLE or code_info(frame).owner != "elsewhere")
            ):
                seen.escapes.add(argument.__name__)
        elif event == "call":
            entered = code_info(frame)
            covering_prefix = stack[-1] if stack else NO_MODULE
            if entered.owner == "elsewhere":
                pass
            elif entered.owner != "claim" and entered.module.startswith(covering_prefix):
                seen.code_below_primitives[entered.code] = entered.module
            else:
                seen.entered_code[entered.code] = entered.module
                covering_prefix = NO_MODULE
                if entered.primitives:
                    covering_prefix = (
                        CALLBACK_PACKAGE if entered.module.startswith(CALLBACK_PACKAGE) else "rbnotes"
                    )
            stack.append(covering_prefix)
        elif event == "return" and stack:
            stack.pop()
            names = code_info(frame).primitives
            if names and isinstance(argument, np.ndarray | float) and np.size(argument):
                primitive_results.extend((name, np.asarray(argument)) for name in names)

    before = sys.getprofile()
    for values in draws:
        for memory in (stack, primitive_results):
            memory.clear()
        sys.setprofile(profile)
        try:
            right = evaluate(form, values)
            sys.setprofile(before)
            same = {name for name, value in primitive_results if np.array_equal(value, right)}
            seen.returned_primitives = (
                same if seen.returned_primitives is None else seen.returned_primitives & same
            )
        except Exception:  # a printed form may fail if its verdict says so
            pass
        finally:
            sys.setprofile(before)
    for function in _traced_functions(seen, form):
        seen.referenced_ids.update(id(value) for value in referenced_objects(function))
        if code_owner(function.__module__) == "claim":
            seen.entered_code.update(_numba_sources(referenced_objects(function)))
    return seen


def _numba_sources(values: Iterable[Any]) -> dict[CodeType, str]:
    """Return the Python code of functions that numba has compiled, which the profiler does not see."""
    sources = [value.py_func for value in values if isinstance(getattr(value, "py_func", None), FunctionType)]
    return {each.__code__: each.__module__ for each in sources if code_owner(each.__module__) != "elsewhere"}


def display_name(code: CodeType, module: str) -> str:
    """Return the name of a code object for messages."""
    return qualified_name(code, module)


def _traced_functions(seen: CodeTrace, form: Callable[..., Any]) -> Iterable[FunctionType]:
    """Return the functions whose code ran and that have a name in their modules."""
    if isinstance(form, FunctionType):
        yield form
    for module in {module for _, module in seen.all_code()}:
        for value in vars(sys.modules[module]).values() if module in sys.modules else ():
            if isinstance(value, FunctionType) and (
                value.__code__ in seen.entered_code or value.__code__ in seen.code_below_primitives
            ):
                yield value


def _clear_caches(form: Callable[..., Any]) -> None:
    """Clear the caches of a claim's functions, which would hide the code that they run."""
    if isinstance(form, FunctionType):
        for value in form.__globals__.values():
            clear = getattr(value, "cache_clear", None)
            if callable(clear) and code_owner(getattr(value, "__module__", "") or "") == "claim":
                clear()
