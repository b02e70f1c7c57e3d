"""Call public functions with one invalid argument at a time, and classify the result.

A verdict is ``fine``, or one of the faults:

* ``silent``: a number that comes of nonsense, or another one than for the same value in another form;
* ``nan``: a NaN in the result;
* ``internal``: an error that is not the package's own (or a ``TypeError`` or ``ValueError`` that says
  which argument it is about), or a warning of linear algebra about a matrix that the caller never saw;
* ``unhelpful``: an error of the package that names none of the arguments;
* ``undocumented``: an error that the docstring does not name;
* ``mutated``: an argument of the caller is not what it was;
* ``hang``: more than five seconds, twice: the first call of its kind may have to compile a kernel.
  On a slow machine it is as much more as a fixed work takes there.
"""

from __future__ import annotations

import inspect
import math
import re
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np
from bad_values import JUDGED, REFUSED, SAME, STACKED, Kind, kinds_for
from corruptions import Impossible
from scipy import sparse
from scipy.linalg import LinAlgWarning

from rbnotes.arguments import MAX_ABS_VALUE, InvalidArgument
from rbnotes.errors import NotConverged

FAULTS = ("silent", "nan", "internal", "unhelpful", "undocumented", "mutated", "hang")
SECONDS = 5.0
"""Longest that a call may take, on a machine that counts :data:`ROUNDS` in :data:`COUNTED`."""
PATIENCE = 12
"""Times as long, in which what is not interrupted may compile."""
ROUNDS, COUNTED = 500_000, 0.05


@dataclass(frozen=True)
class Call:
    """Valid call of a public callable, with the exceptions of its arguments.

    Attributes
    ----------
    function
        The callable.
    arguments
        Its arguments by name; ``*name`` for those of ``*name``.
    fine
        Kinds of value that are good for an argument although they are nonsense for others, by argument.
    skip
        Kinds of value that are not tried for an argument; the table says why.
    returns_function
        True if it returns a function, or an object with functions, that checks its results when it is called.
    slow
        Tried less often in the quick form.
    """

    function: Callable[..., Any]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    fine: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    skip: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    returns_function: bool = False
    slow: bool = False

    @property
    def name(self) -> str:
        return name_of(self.function)

    def __call__(self, **changed: Any) -> Any:
        values = {**self.arguments, **changed}
        many = next((values.pop(name) for name in tuple(values) if name.startswith("*")), ())
        several = many if isinstance(many, list | tuple) else (many,)
        first = [p.name for p in self._parameters if p.kind is p.POSITIONAL_ONLY]
        only = [values.pop(name) for name in first if name in values]
        return self.function(*only, *several, **values)

    @property
    def _parameters(self) -> list[inspect.Parameter]:
        return list(inspect.signature(self.function).parameters.values())


def name_of(function: Any) -> str:
    function = function if hasattr(function, "__qualname__") else type(function).__call__
    module, name = function.__module__, function.__qualname__
    return f"{module.removeprefix('rbnotes.')}.{name}"


@dataclass(frozen=True)
class Finding:
    """Result of one call."""

    call: str
    argument: str
    kind: str
    verdict: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.verdict}: {self.call}, {self.argument} = {self.kind}: {self.detail}"


class Hang(BaseException):
    """Raised after the time limit; not an ``Exception``, so that no callee catches it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Interrupt the context after a time limit (in the main thread only)."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(*_: Any) -> None:
        raise Hang

    old = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def attempt(call: Call, argument: str, kind: Kind, rng: np.random.Generator) -> Finding | None:
    """Return the finding for one call; None if the kind does not apply."""
    title, expected, make = kind
    valid = call.arguments[argument]
    finding = lambda verdict, detail="": Finding(call.name, argument, title, verdict, detail)  # noqa: E731
    if title in call.fine.get(argument, ()) or (title == "None" and is_optional(call, argument)):
        expected = JUDGED
    try:
        bad = make(rng, valid)
    except Impossible:
        return None
    if expected is REFUSED and _alike(bad, valid):
        return None
    values = {**call.arguments, argument: bad}
    before = {name: snapshot(value) for name, value in values.items()}
    result, error, seconds = outcome(call, argument, bad)
    if seconds > SECONDS:
        seconds = min(seconds, outcome(call, argument, bad)[2])
        if seconds > SECONDS * slowness():
            return finding("hang", f"{seconds:.1f} s, and not less at a second try")
    if isinstance(error, Impossible):
        return None
    for name, value in values.items():
        if snapshot(value) != before[name]:
            return finding("mutated", name)
    if error is not None:
        verdict = classify_error(call, error, expected)
        if verdict == "fine" and not is_documented(call, error):
            verdict = "undocumented"
        return finding(verdict, f"{type(error).__name__}: {error!s:.200}")
    if expected is REFUSED:
        return finding("silent", f"returned {_short(result)}")
    if any(np.isnan(leaf).any() for leaf in leaves(result)):
        return finding("nan", f"returned {_short(result)}")
    if expected is SAME and not _agree(result, call()):
        return finding("silent", f"returned {_short(result)}")
    if expected is STACKED and not _stacks(result, call(), np.shape(bad)[0]):
        return finding("silent", f"returned {_short(result)}")
    return finding("fine")


def slowness() -> float:
    """Return the duration of a fixed computation relative to a reference machine, at least one.

    A machine that is slow, or busy with something else, makes no call hang.
    """
    started = time.perf_counter()
    for _ in range(ROUNDS):
        pass
    return max(1.0, (time.perf_counter() - started) / COUNTED)


usual_slowness = cache(slowness)


def outcome(call: Call, argument: str, bad: Any) -> tuple[Any, Exception | None, float]:
    """Return result, exception and duration of a call, which is interrupted if it is endless."""
    patience = PATIENCE * SECONDS * usual_slowness()
    started = time.perf_counter()
    result, error = None, None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", LinAlgWarning)
        try:
            with time_limit(patience):
                result = call(**{argument: bad})
        except Hang:
            return None, None, math.inf
        except Exception as raised:
            error = raised
    return result, error, time.perf_counter() - started


def attempts(call: Call) -> list[tuple[str, Kind]]:
    """Return all pairs of an argument and a kind of value."""
    later = inspect.isclass(call.function) or call.returns_function
    return [
        (name, kind)
        for name, value in call.arguments.items()
        for kind in kinds_for(value)
        if not (later and kind[0].startswith("returns")) and kind[0] not in call.skip.get(name, ())
    ]


def classify_error(call: Call, error: Exception, expected: Any) -> str:
    if expected is SAME:
        return "internal"
    names = {name.lstrip("*") for name in call.arguments} | parameters(call.function)
    names |= {name for value in call.arguments.values() for name in getattr(value, "_fields", ())}
    helpful = any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", str(error)) for name in names)
    if isinstance(error, InvalidArgument | NotConverged):
        if expected is JUDGED and f"{MAX_ABS_VALUE:g}" in str(error):
            return "fine"  # the limit is documented; the message says that it was exceeded
        documented = isinstance(error, NotConverged) and expected is not REFUSED
        return "fine" if helpful or documented else "unhelpful"
    if isinstance(error, FileNotFoundError) or (type(error) in (TypeError, ValueError) and helpful):
        return "fine"
    return "internal"


def is_documented(call: Call, error: Exception) -> bool:
    """Return True if the docstring of the callable names the type of an error."""
    return re.search(rf"\b{type(error).__name__}\b", docstring(call.function)) is not None


def docstring(function: Any) -> str:
    return inspect.getdoc(function if hasattr(function, "__qualname__") else type(function).__call__) or ""


def parameters(function: Any) -> set[str]:
    """Return the names of a callable's parameters and of the fields of a method's object."""
    names = set(inspect.signature(function).parameters)
    owner = getattr(function, "__self__", None)
    if owner is not None:
        names |= set(inspect.signature(owner if inspect.isclass(owner) else type(owner)).parameters)
    return names


def is_optional(call: Call, argument: str) -> bool:
    parameter = inspect.signature(call.function).parameters.get(argument)
    return parameter is not None and parameter.default is None


def snapshot(value: Any, depth: int = 6) -> Any:
    """Return an object that compares equal as long as a value is unchanged."""
    if isinstance(value, np.ndarray):
        content = tuple(map(id, value.ravel())) if value.dtype.kind == "O" else value.tobytes()
        return value.shape, value.dtype.str, content
    if sparse.issparse(value):
        parts = [getattr(value, name, None) for name in ("data", "indices", "indptr", "row", "col")]
        return tuple(snapshot(part) for part in parts if isinstance(part, np.ndarray))
    if depth and isinstance(value, list | tuple):
        return tuple(snapshot(each, depth - 1) for each in value)
    if depth and isinstance(value, dict):
        return tuple((repr(key), snapshot(each, depth - 1)) for key, each in value.items())
    if depth and is_dataclass(value) and not isinstance(value, type):
        return tuple(snapshot(getattr(value, f.name, None), depth - 1) for f in fields(value))
    return None


def leaves(result: Any, depth: int = 6) -> list[np.ndarray]:
    """Return all arrays of numbers in a result."""
    if isinstance(result, float | int | complex | np.number) and not isinstance(result, bool):
        return [np.asarray(result)]
    if isinstance(result, np.ndarray):
        return [result] if result.dtype.kind in "iufc" else []
    if sparse.issparse(result):
        return [result.toarray()]
    if depth == 0 or isinstance(result, str | bytes | type) or type(result).__name__ == "Statistics":
        return []
    if isinstance(result, Mapping):
        return [leaf for each in result.values() for leaf in leaves(each, depth - 1)]
    if isinstance(result, list | tuple):
        return [leaf for each in result for leaf in leaves(each, depth - 1)]
    if is_dataclass(result):
        return [leaf for f in fields(result) for leaf in leaves(getattr(result, f.name, None), depth - 1)]
    return []


def _agree(result: Any, base: Any) -> bool:
    one, other = leaves(result), leaves(base)
    return len(one) == len(other) and all(_close(a, b) for a, b in zip(one, other, strict=True))


def _close(a: np.ndarray, b: np.ndarray) -> bool:
    size = np.max(np.abs(b), initial=0.0, where=np.isfinite(b))
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-6, atol=1e-8 * (1 + size))


def _stacks(result: Any, base: Any, count: int) -> bool:
    """Return True if each array equals that of the valid call, stacked ``count`` times or not."""
    one, other = leaves(result), leaves(base)
    if len(one) != len(other):
        return False
    return all(
        _close(a, np.broadcast_to(b, (count, *b.shape))) or _close(a, b)
        for a, b in zip(one, other, strict=True)
    )


def _alike(bad: Any, valid: Any) -> bool:
    """Return True if an invalid value equals the valid one."""
    try:
        return not sparse.issparse(bad) and type(bad) is type(valid) and bool(np.array_equal(bad, valid))
    except Exception:
        return False


def _short(result: Any) -> str:
    arrays = leaves(result)
    if not arrays:
        return f"{result!r:.80}"
    return f"{type(result).__name__} with {np.array2string(arrays[0].ravel()[:4], precision=3)}"
