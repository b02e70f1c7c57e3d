"""Stand-ins for ``numpy`` and ``math``: the same names, with exact numbers instead of float64."""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from rbnotes.ledger.exact.arrays import (
    FUNCTIONS,
    Float64StandIn,
    FloatStandIn,
    apply_function,
    apply_ufunc,
    array,
    asarray,
    from_buffer,
    has_exact,
    is_finite,
    is_float,
    is_nan,
    needs_exact_arguments,
    to_exact,
    to_plain,
    wrap,
    zeros,
)
from rbnotes.ledger.exact.linear_algebra import norm
from rbnotes.ledger.exact.numbers import PI, ZERO, ArrayLikeNumber, Exact, convert, larger, smaller


class ModuleStandIn(types.ModuleType):
    """A module whose functions return exact numbers, with some names replaced."""

    def __init__(self, original: types.ModuleType, replaced: dict[str, Any]) -> None:
        super().__init__(original.__name__)
        self.__dict__.update(replaced)
        self._original = original
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._original, name)
        if isinstance(value, np.ufunc):
            value = UfuncStandIn(value)
        elif callable(value) and not isinstance(value, type | types.ModuleType):
            value = FunctionStandIn(value)
        self.__dict__[name] = value
        return value


def _is_floating(value: Any) -> bool:
    return isinstance(value, float | np.floating) or (
        isinstance(value, np.ndarray) and value.dtype.kind == "f"
    )


def _is_complex(value: Any) -> bool:
    return isinstance(value, complex) or (isinstance(value, np.ndarray) and value.dtype.kind == "c")


class UfuncStandIn:
    """A universal function that is applied exactly to floating-point numbers."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self.ufunc, self.__name__ = ufunc, ufunc.__name__

    def __call__(self, *args: Any, **options: Any) -> Any:
        args = tuple(array(each) if isinstance(each, list | tuple) else each for each in args)
        exact = has_exact(args) or has_exact(options.get("out")) or any(map(_is_floating, args))
        if exact or (needs_exact_arguments(self.ufunc) and not any(map(_is_complex, args))):
            return apply_ufunc(self.ufunc, "__call__", args, options)
        return wrap(self.ufunc(*to_plain(args), **to_plain(options)))

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.ufunc, name)
        if name not in ("reduce", "accumulate", "outer", "at", "reduceat"):
            return method

        def apply(first, *rest, **options):
            first = array(first) if isinstance(first, list | tuple) else first
            return apply_ufunc(self.ufunc, name, (first, *rest), options)

        return apply


class FunctionStandIn:
    """A function that accepts and returns exact arrays."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **options: Any) -> Any:
        own = FUNCTIONS.get(self.function)
        exact = has_exact(args) or has_exact(options)
        if exact or (own is not None and self.function.__module__ == "numpy.linalg"):
            return apply_function(self.function, args, options)
        if self.function is np.linspace:
            return FUNCTIONS[np.linspace](*args, **options)
        return wrap(self.function(*to_plain(args), **to_plain(options)))

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)


def _creation(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the exact counterpart of ``numpy.zeros``, ``ones`` or ``empty``."""

    def make(shape, dtype=None, *_, **__):
        if dtype is not None and not is_float(dtype):
            return function(shape, dtype=to_plain(dtype))
        return zeros(shape) if function is not np.ones else to_exact(np.ones(shape))

    return make


def _creation_like(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the exact counterpart of ``numpy.zeros_like``, ``ones_like`` or ``empty_like``."""

    def make(prototype, dtype=None, *_, shape=None, **__):
        plain = np.asarray(to_plain(prototype))
        if (dtype is None and plain.dtype.kind in "iub") or (dtype is not None and not is_float(dtype)):
            return function(plain, dtype=to_plain(dtype), shape=shape)
        shape = plain.shape if shape is None else shape
        return to_exact(np.ones(shape)) if function is np.ones_like else zeros(shape)

    return make


def _full(shape, fill_value, dtype=None, **_):
    if dtype is not None and not is_float(dtype):
        return np.full(shape, to_plain(fill_value), dtype=to_plain(dtype))
    value = asarray(fill_value, dtype)
    if not has_exact(value):
        return np.full(shape, value)
    result = np.empty(shape, object)
    result[...] = to_plain(value)
    return wrap(result)


def _full_like(prototype, fill_value, dtype=None, **_):
    return _full(np.shape(to_plain(prototype)), fill_value, float if dtype is None else dtype)


def _eye(n, m=None, k=0, dtype=None, **_):
    plain = np.eye(n, m, k)
    return to_exact(plain) if dtype is None or is_float(dtype) else plain.astype(to_plain(dtype))


def _arange(*args, dtype=None, **_):
    if is_float(dtype) or any(isinstance(each, float | ArrayLikeNumber) for each in args):
        start, stop, step = (0, *args, 1)[-3:] if len(args) == 1 else (*args, 1)[:3]
        count = max(math.ceil((convert(stop) - start) / step), 0)
        return convert(start) + to_exact(np.arange(count)) * convert(step)
    return np.arange(*args, dtype=dtype)


class _Generator:
    """Random numbers that are exact: a generator's floats are multiples of 2^-53."""

    def __init__(self, *args: Any) -> None:
        self._generator = np.random.default_rng(*args)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._generator, name)

        def draw(*args, **options):
            drawn = method(*to_plain(args), **to_plain(options))
            if not _is_floating(drawn):
                return drawn
            entries = [Exact(_fraction(each)) for each in np.ravel(drawn).tolist()]
            if np.ndim(drawn) == 0:
                return entries[0]
            return wrap(np.array([*entries, None], object)[:-1].reshape(drawn.shape))

        return draw


def _fraction(value: float) -> Any:
    from flint import fmpq

    return fmpq(*value.as_integer_ratio())


def _builtin_extreme(builtin: Callable[..., Any], choose: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Return the built-in ``max`` or ``min``, with enclosures of balls that overlap."""

    def extreme(*args, **options):
        entries = list(args[0]) if len(args) == 1 else list(args)
        if "key" in options or not any(each.__class__ is Exact for each in entries):
            return builtin(entries, **options)
        return functools.reduce(choose, entries)

    return extreme


BUILTINS = {
    "float": FloatStandIn,
    "max": _builtin_extreme(max, larger),
    "min": _builtin_extreme(min, smaller),
}
"""Stand-ins for built-in names."""

linalg = ModuleStandIn(np.linalg, {})
numpy = ModuleStandIn(
    np,
    {
        **{name: _creation(getattr(np, name)) for name in ("zeros", "ones", "empty")},
        **{name: _creation_like(getattr(np, name)) for name in ("zeros_like", "ones_like", "empty_like")},
        **dict.fromkeys(("asarray", "asanyarray", "ascontiguousarray"), asarray),
        "arange": _arange,
        "array": array,
        "eye": _eye,
        "float64": Float64StandIn,
        "frombuffer": from_buffer,
        "fromiter": lambda entries, dtype=None, count=-1: array(list(entries), dtype),
        "full": _full,
        "full_like": _full_like,
        "identity": _eye,
        "linalg": linalg,
        "ndindex": np.ndindex,
        "pi": PI,
        "random": types.SimpleNamespace(default_rng=_Generator, Generator=np.random.Generator),
        "testing": np.testing,
    },
)


def _math_function(name: str) -> Callable[..., Any]:
    """Return a function of the module ``math`` for numbers."""
    method = {
        "atan": "arctan",
        "acos": "arccos",
        "asin": "arcsin",
        "asinh": "arcsinh",
        "atan2": "arctan2",
        "acosh": "arccosh",
    }

    def apply(first, *rest):
        number = convert(first)
        if name == "log" and rest:
            return number.log() / convert(rest[0]).log()
        return getattr(number, method.get(name, name))(*rest)

    return apply


def _hypot(*coordinates):
    return norm(list(coordinates))


def _copysign(size, sign):
    return -abs(convert(size)) if convert(sign) < 0 else abs(convert(size))


_ELEMENTARY = (
    "sqrt sin cos tan exp log asin acos atan sinh cosh tanh asinh acosh atan2 degrees radians cbrt exp2 "
    "expm1 log1p log2 log10"
)
_MATH: dict[str, Any] = {
    **{name: _math_function(name) for name in _ELEMENTARY.split() if hasattr(math, name)},
    "copysign": _copysign,
    "dist": lambda p, q: _hypot(*(convert(a) - b for a, b in zip(p, q, strict=True))),
    "fabs": lambda x: abs(convert(x)),
    "fsum": lambda entries: sum(entries, ZERO),
    "hypot": _hypot,
    "isclose": lambda a, b, **options: math.isclose(float(a), float(b), **options),
    "isfinite": is_finite,
    "isinf": lambda x: not is_finite(x) and not is_nan(x),
    "isnan": is_nan,
    "pi": PI,
    "pow": lambda base, exponent: convert(base) ** exponent,
    "prod": lambda entries, start=1: functools.reduce(lambda a, b: a * b, entries, start),
    "tau": 2 * PI,
}
math_stand_in = types.ModuleType("math")
math_stand_in.__dict__.update({**vars(math), **_MATH})
