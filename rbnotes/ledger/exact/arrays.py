"""Arrays of exact numbers: object arrays that call themselves float64 and stay exact in NumPy's functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from rbnotes.ledger.exact.duals import Dual, arctan2
from rbnotes.ledger.exact.expressions import NotExact
from rbnotes.ledger.exact.numbers import (
    PI,
    ZERO,
    ArrayLikeNumber,
    Exact,
    all_equal,
    convert,
    larger,
    rational,
    real_part,
    smaller,
    trace,
)

_FLOAT_TYPES = (float, np.float64, "float64", "float", "d", np.dtype("float64"))


class ExactArray(np.ndarray):
    """An array of exact or dual numbers."""

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return apply_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function, types, args, options):
        return apply_function(function, args, options)

    @property
    def dtype(self):
        stored = np.ndarray.dtype.__get__(self)
        return np.dtype("float64") if stored.kind == "O" else stored

    real = property(lambda self: self)
    imag = property(lambda self: zeros(self.shape))

    def __setitem__(self, key, value):
        value = to_plain(value)
        if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.dtype.kind != "O"):
            value = to_plain(array(value, float))
        elif isinstance(value, int | float | np.number):
            value = convert(value)
        elif isinstance(value, complex):
            raise NotExact("complex numbers")
        self.view(np.ndarray)[to_plain(key)] = value

    def __getitem__(self, key):
        entry = self.view(np.ndarray)[to_plain(key)]
        return entry.view(ExactArray) if isinstance(entry, np.ndarray) else entry

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def astype(self, dtype, *_, **__):
        if is_float(dtype) or dtype is object:
            return self.copy()
        plain = self.view(np.ndarray)
        if np.dtype(dtype).kind == "b":
            return np.asarray(np.frompyfunc(bool, 1, 1)(plain), dtype=bool)
        if np.dtype(dtype).kind in "iu":
            return np.asarray(np.frompyfunc(int, 1, 1)(plain), dtype=dtype)
        raise NotExact(f"conversion to {np.dtype(dtype)}")

    def all(self, *args, **options):
        return self.astype(bool).all(*args, **options)

    def any(self, *args, **options):
        return self.astype(bool).any(*args, **options)

    def mean(self, axis=None, **options):
        count = self.size if axis is None else math.prod(self.shape[i] for i in np.atleast_1d(axis))
        return self.sum(axis=axis, **options) / count

    def item(self, *args):
        return self.view(np.ndarray).item(*args)

    def round(self, decimals=0, out=None):
        return elementwise(lambda x: round(convert(x), decimals))(self)

    def conj(self):
        return self

    conjugate = conj

    def tobytes(self, *_):
        return ExactBytes(self)

    def tolist(self):
        return self.view(np.ndarray).tolist()

    def __float__(self):
        return float(self.item())

    def __bool__(self):
        if self.size != 1:
            raise ValueError("the truth value of an array with more than one element is ambiguous")
        return bool(self.item())

    def __format__(self, spec):
        return format(float(self.item()), spec) if self.ndim == 0 else repr(self)

    def __repr__(self):
        return f"ExactArray({self.tolist()!r})"

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        raise TypeError("exact arrays are not pickled")


class ExactBytes(bytes):
    """Bytes that stand for exact numbers: as keys of caches, the same only in the same run."""

    numbers: ExactArray

    def __new__(cls, numbers):
        keys = [_exact_key(entry) for entry in numbers.view(np.ndarray).reshape(-1)]
        key = super().__new__(cls, repr((trace.run, keys)).encode())
        key.numbers = numbers.reshape(-1).copy()
        return key


def from_buffer(buffer: Any, *args: Any, **options: Any) -> Any:
    """Return the numbers of a buffer."""
    return (
        buffer.numbers.copy() if isinstance(buffer, ExactBytes) else np.frombuffer(buffer, *args, **options)
    )


def _exact_key(number: Any) -> Any:
    """Return a key that two numbers share only if they are equal and have the same taint and degree."""
    if number.__class__ is Dual:
        return _exact_key(number.value), _exact_key(number.derivative), number.tag
    value = number.value
    if value.__class__ is arb and value.is_finite():
        value = value.mid().man_exp(), value.rad().man_exp()
    return str(value), number.tainted, number.degree


class FloatType(type):
    """Type of the stand-in for ``float``: exact numbers are instances, and conversions keep them."""

    def __instancecheck__(cls, value):
        return isinstance(value, float | ArrayLikeNumber)

    def __subclasscheck__(cls, other):
        return issubclass(other, float | ArrayLikeNumber)

    def __getattr__(cls, name):
        return getattr(float, name)

    def __eq__(cls, other):
        return other is cls or other is float

    def __hash__(cls):
        return hash(float)

    def __call__(cls, value=0.0):
        if isinstance(value, ArrayLikeNumber):
            return value
        if isinstance(value, Fraction):
            return convert(value)
        if isinstance(value, ExactArray):
            return value.item()
        if isinstance(value, np.ndarray):
            value = value.item()
        own = getattr(type(value), "__float__", None)
        if own is not None and type(value).__module__.startswith("rbnotes"):
            return own(value)
        return float(value)


class FloatStandIn(metaclass=FloatType):
    """Stand-in for the built-in ``float`` in modules of the package."""


class Float64Type(FloatType):
    """Type of the stand-in for ``np.float64``, which converts arrays as well."""

    def __call__(cls, value=0.0):
        return array(value, float)[()]


class Float64StandIn(metaclass=Float64Type):
    """Stand-in for ``np.float64``."""


def is_float(dtype: Any) -> bool:
    """Return True if a dtype is that of floating-point numbers."""
    if dtype is None or isinstance(dtype, FloatType):
        return dtype is not None  # NumPy takes None for float64
    return any(dtype is each or (not isinstance(dtype, type) and dtype == each) for each in _FLOAT_TYPES)


def zero_dimensional(number: Any) -> ExactArray:
    """Return a number as an array of no dimensions."""
    result = np.empty((), object)
    result[()] = number
    return result.view(ExactArray)


def object_array(values: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    """Return a plain object array with these entries."""
    result = np.empty(len(values), object)
    for i, value in enumerate(values):
        result[i] = value
    return result.reshape(shape)


def zeros(shape: Any) -> ExactArray:
    """Return exact zeros."""
    return np.full(shape, ZERO, dtype=object).view(ExactArray)


def identity(n: int) -> ExactArray:
    """Return the exact identity matrix."""
    return to_exact(np.eye(n))


def to_exact(plain: Any) -> ExactArray:
    """Return an array of floats or integers as exact numbers."""
    plain = np.asarray(plain)
    if plain.dtype.kind == "c":
        raise NotExact("complex numbers")
    return object_array([convert(each) for each in plain.reshape(-1).tolist()], plain.shape).view(ExactArray)


def to_plain(value: Any) -> Any:
    """Return a value with plain object arrays instead of exact ones, also in containers."""
    kind = value.__class__
    if kind is ExactArray:
        return value.view(np.ndarray)
    if isinstance(value, FloatType):
        return float
    if isinstance(value, tuple | list):
        return list(map(to_plain, value)) if kind is list else tuple(map(to_plain, value))
    if kind is dict:
        return {key: to_plain(each) for key, each in value.items()}
    return value


def wrap(value: Any) -> Any:
    """Return a result of NumPy with exact arrays instead of plain ones of numbers."""
    if value.__class__ in (np.ndarray, ExactArray):
        kind = np.ndarray.dtype.__get__(value).kind
        if kind == "f":
            return to_exact(value)
        return _wrap_objects(value.view(np.ndarray)) if kind == "O" else value
    if isinstance(value, float | np.floating):
        return convert(value) if math.isfinite(value) else float(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(wrap, value))
    if value.__class__ in (tuple, list):
        return value.__class__(map(wrap, value))
    return value


def _wrap_objects(plain: np.ndarray) -> np.ndarray:
    """Return an array of objects as an exact array if all entries are exact or can be converted."""
    entries = [plain[()]] if plain.ndim == 0 else plain.reshape(-1)
    if all(each.__class__ is Exact or each.__class__ is Dual for each in entries):
        return plain.view(ExactArray)
    if all(isinstance(each, bool | np.bool_) for each in entries):
        return plain
    converted = [NotImplemented if isinstance(each, complex) else convert(each) for each in entries]
    if any(each is NotImplemented for each in converted):
        return plain
    return object_array(converted, plain.shape).view(ExactArray)


def array(value: Any, dtype: Any = None, *_: Any, ndmin: int = 0, **__: Any) -> Any:
    """Return a new array, of exact numbers unless the entries are integers, booleans or objects."""
    plain = to_plain(value)
    if dtype is not None and not is_float(dtype):
        if isinstance(value, ExactArray):
            return value.astype(dtype)
        return np.array(plain, dtype=dtype)
    if isinstance(plain, ArrayLikeNumber):
        result = to_plain(zero_dimensional(plain))
    elif isinstance(plain, np.ndarray):
        result = plain.copy()
    else:
        result = np.array(list(plain) if hasattr(plain, "__next__") else plain)
    if result.dtype.kind == "f" or (dtype is not None and result.dtype.kind in "iub"):
        result = to_exact(result)
    elif result.dtype.kind == "O":
        result = wrap(result)
    elif dtype is not None and result.dtype.kind == "c":
        raise NotExact("complex numbers")
    while result.ndim < ndmin:
        result = result[None]
    return result


def asarray(value: Any, dtype: Any = None, *_: Any, **__: Any) -> Any:
    """Return a value as an array, itself if it is one."""
    if isinstance(value, ExactArray) and (dtype is None or is_float(dtype)):
        return value
    if isinstance(value, np.ndarray) and dtype is None and value.dtype.kind != "f":
        return value
    return array(value, dtype)


def plain_objects(value: Any) -> np.ndarray:
    """Return numbers as a plain array of exact objects, for loops over entries."""
    return np.asarray(to_plain(array(value, float)))


def is_finite(number: Any) -> bool:
    """Return True if a number is finite."""
    value = real_part(number).value
    return bool(value.__class__ is not arb or value.is_finite())


def is_nan(number: Any) -> bool:
    """Return True if a number is not a number."""
    value = real_part(number).value
    return value.__class__ is arb and bool(value.is_nan())


def elementwise(function: Callable[..., Any], *, boolean: bool = False) -> Callable[..., Any]:
    """Return a function of arrays from one of numbers."""

    def apply(*args):
        result = np.frompyfunc(function, len(args), 1)(*[np.asarray(to_plain(each)) for each in args])
        if boolean:
            return result.astype(bool) if isinstance(result, np.ndarray) else bool(result)
        return wrap(result)

    return apply


def _exponents(a):
    return np.frexp(np.asarray(to_plain(a)).astype(float))[1]


def _heaviside(x, at_zero):
    return convert(1) if x > 0 else convert(at_zero) if x == 0 else ZERO


def has_exact(value: Any) -> bool:
    """Return True if a value is or contains an exact number."""
    if isinstance(value, ExactArray | ArrayLikeNumber):
        return True
    if isinstance(value, list | tuple):
        return any(map(has_exact, value))
    return isinstance(value, dict) and any(map(has_exact, value.values()))


_maximum, _minimum = elementwise(larger), elementwise(smaller)
_UFUNCS: dict[Any, Callable[..., Any]] = {
    np.maximum: _maximum,
    np.minimum: _minimum,
    np.isfinite: elementwise(is_finite, boolean=True),
    np.isnan: elementwise(is_nan, boolean=True),
    np.isinf: elementwise(lambda x: not is_finite(x) and not is_nan(x), boolean=True),
    np.signbit: elementwise(lambda x: bool(convert(x) < 0), boolean=True),
    np.logical_not: elementwise(lambda a: not a, boolean=True),
    np.logical_and: elementwise(lambda a, b: bool(a) and bool(b), boolean=True),
    np.logical_or: elementwise(lambda a, b: bool(a) or bool(b), boolean=True),
    np.copysign: elementwise(lambda a, b: -abs(a) if convert(b) < 0 else abs(a)),
    np.hypot: elementwise(lambda a, b: (convert(a) * a + convert(b) * b).sqrt()),
    np.arctan2: elementwise(arctan2),
    np.sign: elementwise(lambda a: convert(a).sign()),
    np.heaviside: elementwise(_heaviside),
    np.floor: elementwise(lambda a: convert(a).floor()),
    np.ceil: elementwise(lambda a: convert(a).ceil()),
    np.trunc: elementwise(lambda a: convert(a).trunc()),
    np.rint: elementwise(lambda a: round(convert(a), 0)),
    np.power: elementwise(lambda a, b: convert(a) ** convert(b)),
    np.float_power: elementwise(lambda a, b: convert(a) ** convert(b)),
    np.fmod: elementwise(lambda a, b: convert(a) - convert(int(convert(a) / b)) * b),
    np.conjugate: wrap,
    np.frexp: lambda a: (a / 2.0 ** _exponents(a), _exponents(a)),
}
_NEEDS_EXACT_ARGUMENTS = frozenset(
    (
        "sin",
        "cos",
        "tan",
        "sqrt",
        "exp",
        "log",
        "arctan",
        "arcsin",
        "arccos",
        "sinh",
        "cosh",
        "tanh",
        "divide",
        "deg2rad",
        "rad2deg",
        "radians",
        "degrees",
        "cbrt",
        "expm1",
        "log1p",
        "log2",
        "log10",
        "reciprocal",
        "exp2",
        "floor",
        "ceil",
        "trunc",
        "arcsinh",
        "arccosh",
        "fabs",
        "arctan2",
        "hypot",
    )
)


def needs_exact_arguments(ufunc: Any) -> bool:
    """Return True if integers have to be converted first: the result need not be an integer."""
    return ufunc.__name__ in _NEEDS_EXACT_ARGUMENTS


def _exact_argument(value: Any) -> Any:
    if isinstance(value, ArrayLikeNumber):
        return value
    return to_plain(value if isinstance(value, ExactArray) else array(value, float))


def apply_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Apply a universal function of NumPy to arrays of which one is exact."""
    out = options.get("out")
    options = {
        name: to_plain(value) for name, value in options.items() if not (name == "dtype" and is_float(value))
    }
    is_call = method == "__call__"
    if is_call and ufunc in _UFUNCS and "where" not in options:
        result = _UFUNCS[ufunc](*inputs)
        if out is None:
            return result
        [target] = out if isinstance(out, tuple) else (out,)
        target[...] = result
        return target
    convert_arguments = is_call and needs_exact_arguments(ufunc)
    arguments = [_exact_argument(each) if convert_arguments else to_plain(each) for each in inputs]
    if is_call and ufunc is np.matmul and np.shape(arguments[0])[-1:] == (0,):
        return to_exact(np.matmul(np.zeros(np.shape(arguments[0])), np.zeros(np.shape(arguments[1]))))
    if method == "reduce" and ufunc in (np.maximum, np.minimum) and out is None:
        return _reduce(larger if ufunc is np.maximum else smaller, *inputs, **options)
    if method == "reduce" and ufunc in (np.logical_and, np.logical_or):
        return getattr(ufunc, method)(np.asarray(arguments[0]).astype(bool), *arguments[1:], **options)
    if out is not None:
        targets = out if isinstance(out, tuple) else (out,)
        options["out"] = tuple(map(to_plain, targets))
        if any(isinstance(each, ExactArray) for each in targets):
            arguments = [_exact_argument(each) for each in arguments]
    # NumPy would ask a bare number for its own __array_ufunc__ again.
    arguments = [to_plain(zero_dimensional(a)) if isinstance(a, ArrayLikeNumber) else a for a in arguments]
    result = getattr(ufunc, method)(*arguments, **options)
    if out is None or method == "at":
        return wrap(result)
    return targets[0] if len(targets) == 1 else targets


def _reduce(function, a, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """Return an extreme value along some axes."""
    if where is not True:
        raise NotExact("extreme values of a part of an array")
    entries = plain_objects(a)
    shape, axes = list(entries.shape), range(entries.ndim) if axis is None else np.atleast_1d(axis)
    for each in sorted((int(each) % entries.ndim for each in axes), reverse=True):
        if isinstance(initial, float | int | ArrayLikeNumber):
            first = np.full((*entries.shape[:each], 1, *entries.shape[each + 1 :]), convert(initial))
            entries = np.concatenate([first, entries], each)
        entries = np.asarray(np.frompyfunc(function, 2, 1).reduce(entries, axis=each), object)
        shape[each] = 1
    return wrap(entries.reshape(shape)) if keepdims else wrap(entries)[()]


FUNCTIONS: dict[Any, Callable[..., Any]] = {}
"""Functions of NumPy that work differently on exact numbers."""


def implements_numpy(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that registers the exact counterpart of functions of NumPy."""

    def register(own):
        for each in functions:
            FUNCTIONS[each] = own
        return own

    return register


def apply_function(function: Any, args: Any, options: Any) -> Any:
    """Apply any other function of NumPy."""
    own = FUNCTIONS.get(function)
    if own is not None:
        return own(*args, **options)
    options = {
        name: _plain_argument(v) for name, v in options.items() if not (name == "dtype" and is_float(v))
    }
    arguments = [_plain_argument(each) for each in args]
    if function in (np.tensordot, np.dot, np.inner, np.einsum, np.kron, np.outer, np.cross):
        arguments = [
            plain_objects(each) if isinstance(each, np.ndarray | list) else each for each in arguments
        ]
    return wrap(function(*arguments, **options))


def _plain_argument(value: Any) -> Any:
    if isinstance(value, ArrayLikeNumber):
        return to_plain(zero_dimensional(value))
    value = to_plain(value)
    if isinstance(value, list) and any(isinstance(each, np.ndarray | list) for each in value):
        return [_plain_argument(each) if isinstance(each, ArrayLikeNumber) else each for each in value]
    return value


def _booleans(value: Any) -> Any:
    return value.astype(bool) if isinstance(value, np.ndarray) else np.asarray(to_plain(value)).astype(bool)


def _number_ufunc(self, ufunc, method, *inputs, **options):
    return apply_ufunc(ufunc, method, inputs, options)


def _number_attribute(self, name):
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(zero_dimensional(self), name)


_numbers: Any = ArrayLikeNumber
_numbers.__array_ufunc__ = _number_ufunc
_numbers.__getattr__ = _number_attribute
_numbers.__getitem__ = lambda self, key: zero_dimensional(self)[key]

FUNCTIONS[np.all] = lambda a, *args, **options: np.all(_booleans(a), *args, **options)
FUNCTIONS[np.any] = lambda a, *args, **options: np.any(_booleans(a), *args, **options)
FUNCTIONS[np.count_nonzero] = lambda a, *args, **options: np.count_nonzero(_booleans(a), *args, **options)
FUNCTIONS[np.max] = lambda a, axis=None, **options: _reduce(larger, a, axis, **options)
FUNCTIONS[np.min] = lambda a, axis=None, **options: _reduce(smaller, a, axis, **options)
FUNCTIONS[np.mean] = lambda a, axis=None, **options: array(a, float).mean(axis, **options)
FUNCTIONS[np.isscalar] = lambda value: isinstance(value, ArrayLikeNumber) or np.isscalar(value)
FUNCTIONS[np.iscomplexobj] = lambda value: False
FUNCTIONS[np.real] = lambda value: value
FUNCTIONS[np.imag] = lambda value: array(value, float).imag
FUNCTIONS[np.result_type] = lambda *_: np.dtype("float64")
FUNCTIONS[np.round] = FUNCTIONS[np.around] = lambda a, decimals=0, **_: array(a, float).round(decimals)
FUNCTIONS[np.sinc] = elementwise(lambda x: (PI * x).sin() / (PI * x) if convert(x) != 0 else rational(1))
FUNCTIONS[np.nan_to_num] = lambda a, nan=0.0, **_: elementwise(lambda x: convert(nan) if is_nan(x) else x)(a)


@implements_numpy(np.isclose)
def _is_close(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    a, b = asarray(a, float), asarray(b, float)
    return np.asarray(abs(a - b) <= convert(atol) + convert(rtol) * abs(b))


@implements_numpy(np.allclose)
def _all_close(*args, **options):
    return bool(np.all(_is_close(*args, **options)))


@implements_numpy(np.array_equal)
def _array_equal(a, b, **_):
    a, b = asarray(a), asarray(b)
    pairs = zip(plain_objects(a).flat, plain_objects(b).flat, strict=False)
    return a.shape == b.shape and all_equal((real_part(x), real_part(y)) for x, y in pairs)


@implements_numpy(np.clip)
def _clip(a, a_min=None, a_max=None, **_):
    low, high = (
        plain_objects(limit)
        for limit in (-math.inf if a_min is None else a_min, math.inf if a_max is None else a_max)
    )
    return _minimum(_maximum(a, low), high)


@implements_numpy(np.linspace)
def _linspace(start, stop, num=50, endpoint=True, **_):
    steps = to_exact(np.arange(num)) / max(num - bool(endpoint), 1)
    start, stop = asarray(start, float), asarray(stop, float)
    return start + (stop - start) * steps.reshape(-1, *[1] * start.ndim)


@implements_numpy(np.average)
def _average(a, axis=None, weights=None):
    if weights is None:
        return array(a, float).mean(axis)
    weights = plain_objects(weights)
    return wrap(np.tensordot(weights, plain_objects(a), axes=(0, axis or 0)) / weights.sum())
