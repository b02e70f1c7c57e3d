"""What a function really enters when it runs: found by watching it, not by reading it."""

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
from rbnotes.ledger.honesty.claim_code import Home, home, mentioned, name_of
from rbnotes.ledger.trials import Values, result

CALLS_BACK = "rbnotes.checking"
"""Differences call the function that they are given: what runs below them is not theirs."""
NOTHING = "-"
"""Begins the name of no module."""
UNWATCHED = (
    os.system,
    sys.setprofile,
    sys.settrace,
    # Which of them there are depends on the system and on Python's version.
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
"""What runs after them is not watched, whoever calls them."""
MADE_OF_TEXT = (eval, exec, compile, pickle.loads, pickle.load, marshal.loads, sys._getframe)
"""What a claim, its oracle and the library have no use for; other packages make classes so."""
ESCAPES = frozenset(map(id, (*UNWATCHED, *MADE_OF_TEXT)))


class Named:
    """The code behind a dotted name: a function, the methods of a class, all of a module, or a value."""

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value
        self.module = value.__name__ if isinstance(value, ModuleType) else None
        self.codes = frozenset(_codes(value))

    def holds(self, code: CodeType, module: str) -> bool:
        """Whether a piece of code belongs to it."""
        if self.module is not None:
            return module == self.module or module.startswith(self.module + ".")
        return code in self.codes or any(
            code.co_filename == own.co_filename
            and code.co_qualname.startswith(own.co_qualname + ".<locals>.")
            for own in self.codes
        )


def _codes(value: Any) -> Iterable[CodeType]:
    if isinstance(value, functools.partial):
        yield from _codes(value.func)
    elif isinstance(value, property):
        for accessor in (value.fget, value.fset):
            yield from _codes(accessor)
    elif isinstance(value, functools.cached_property):
        yield from _codes(value.func)
    elif isinstance(value, type):
        for member in vars(value).values():
            if not isinstance(member, type):
                yield from _codes(member)
    elif isinstance(value, staticmethod | classmethod):
        yield from _codes(value.__func__)
    elif isinstance(value, FunctionType):
        yield value.__code__
        yield from _codes(getattr(value, "__wrapped__", None))
    elif hasattr(value, "py_func"):  # compiled by numba
        yield from _codes(value.py_func)
    elif inspect.ismethod(value):
        yield from _codes(value.__func__)
    elif callable(value) and hasattr(value, "__wrapped__"):
        yield from _codes(value.__wrapped__)


@dataclass
class Trace:
    """All that was entered while a form ran."""

    entered: dict[CodeType, str] = field(default_factory=dict)
    """Code of the claim, the library and the oracles, with the module it belongs to."""
    foreign: set[CodeType] = field(default_factory=set)
    """Code of other packages."""
    builtins: set[int] = field(default_factory=set)
    """Identities of compiled functions."""
    escapes: set[str] = field(default_factory=set)
    """What ran that could hide what runs: another thread, another process, code made from text."""
    mentioned: set[int] = field(default_factory=set)
    """Identities of what the claim's and the library's code names."""
    sheltered: dict[CodeType, str] = field(default_factory=dict)
    """What ran only below one of the primitives, as a part of it."""
    handed_on: set[str] | None = None
    """The primitives whose result was the form's own result, on every input."""

    def enters(self, target: Named) -> bool:
        """Whether any of the target's code ran; a value without code counts when code that ran names it."""
        if target.codes or target.module is not None:
            return any(target.holds(code, module) for code, module in self.everything()) or any(
                code in target.codes for code in self.foreign
            )
        return id(target.value) in self.builtins or id(target.value) in self.mentioned

    def everything(self) -> Iterable[tuple[CodeType, str]]:
        yield from self.entered.items()
        yield from self.sheltered.items()


@dataclass(frozen=True, eq=False)
class _Met:
    """A piece of code that was entered, and what is known of it."""

    code: CodeType
    module: str
    home: Home
    primitives: list[str]
    """Names of those that hold it."""


def trace(form: Callable[..., Any], draws: Iterable[Values], primitives: Iterable[Named] = ()) -> Trace:
    """Run a form on some inputs and watch what it enters; what it raises is not our concern here."""
    _forget_results(form)
    seen = Trace()
    stack: list[str] = []  # for each running function: what of its callees is part of a primitive
    given: list[tuple[str, Array]] = []  # what primitives returned
    primitives = tuple(primitives)

    met: dict[int, _Met] = {}  # by identity: hashing code takes longer than all else

    def about(frame: FrameType) -> _Met:
        code = frame.f_code
        known = met.get(id(code))
        if known is None:
            module = frame.f_globals.get("__name__") or ""
            names = [primitive.name for primitive in primitives if primitive.holds(code, module)]
            known = met[id(code)] = _Met(code, module, home(module), names)
            if known.home == "elsewhere":
                seen.foreign.add(code)
        return known

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        if event == "c_call":
            seen.builtins.add(id(argument))
            # Without callers it is this function, which ends the watch.
            if (
                stack
                and id(argument) in ESCAPES
                and (argument in UNWATCHED or about(frame).home != "elsewhere")
            ):
                seen.escapes.add(argument.__name__)
        elif event == "call":
            entered = about(frame)
            covered = stack[-1] if stack else NOTHING
            if entered.home == "elsewhere":
                pass
            elif entered.home != "claim" and entered.module.startswith(covered):
                seen.sheltered[entered.code] = entered.module
            else:
                seen.entered[entered.code] = entered.module
                covered = NOTHING
                if entered.primitives:
                    covered = CALLS_BACK if entered.module.startswith(CALLS_BACK) else "rbnotes"
            stack.append(covered)
        elif event == "return" and stack:
            stack.pop()
            names = about(frame).primitives
            if names and isinstance(argument, np.ndarray | float) and np.size(argument):
                given.extend((name, np.asarray(argument)) for name in names)

    before = sys.getprofile()
    for values in draws:
        for memory in (stack, given):
            memory.clear()
        sys.setprofile(watch)
        try:
            right = result(form, values)
            sys.setprofile(before)
            same = {name for name, value in given if np.array_equal(value, right)}
            seen.handed_on = same if seen.handed_on is None else seen.handed_on & same
        except Exception:  # a printed form may fail; its verdict says so
            pass
        finally:
            sys.setprofile(before)
    for function in _functions_of(seen, form):
        seen.mentioned.update(id(value) for value in mentioned(function))
        if home(function.__module__) == "claim":
            seen.entered.update(_compiled(mentioned(function)))
    return seen


def _compiled(values: Iterable[Any]) -> dict[CodeType, str]:
    """The Python code of those that numba has compiled, which is not seen when it runs."""
    sources = [value.py_func for value in values if isinstance(getattr(value, "py_func", None), FunctionType)]
    return {each.__code__: each.__module__ for each in sources if home(each.__module__) != "elsewhere"}


def display(code: CodeType, module: str) -> str:
    """A piece of code as a reader would name it."""
    return name_of(code, module)


def _functions_of(seen: Trace, form: Callable[..., Any]) -> Iterable[FunctionType]:
    """The functions whose code ran, as far as their modules hold them under a name."""
    if isinstance(form, FunctionType):
        yield form
    for module in {module for _, module in seen.everything()}:
        for value in vars(sys.modules[module]).values() if module in sys.modules else ():
            if isinstance(value, FunctionType) and (
                value.__code__ in seen.entered or value.__code__ in seen.sheltered
            ):
                yield value


def _forget_results(form: Callable[..., Any]) -> None:
    """Empty the caches that functions of a claim keep, which would hide what they enter."""
    if isinstance(form, FunctionType):
        for value in form.__globals__.values():
            clear = getattr(value, "cache_clear", None)
            if callable(clear) and home(getattr(value, "__module__", "") or "") == "claim":
                clear()
