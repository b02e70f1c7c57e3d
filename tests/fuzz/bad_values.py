"""What can be given in the place of a valid argument: forty-odd kinds of value, by what the argument is.

Each kind is a function of a random generator and the valid value, and says what must come of it:

* ``REFUSED``: nonsense; the call must raise an error that names the argument.
* ``SAME``: unusual but good; the call must give the result of the valid one.
* ``STACKED``: the valid value twice along a leading axis; the call gives its result twice, or refuses.
* ``JUDGED``: may be good or bad; the call refuses, or returns numbers none of which is NaN.
"""

from __future__ import annotations

import datetime
import enum
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse


class Expected(enum.Enum):
    REFUSED = "refused"
    SAME = "same"
    STACKED = "stacked"
    JUDGED = "judged"


REFUSED, SAME, STACKED, JUDGED = Expected

Kind = tuple[str, Expected, Callable[[np.random.Generator, Any], Any]]


class Impossible(Exception):
    """This kind cannot be made of this valid value."""


class Stranger:
    """An object that no function asks for."""


def dense(value: Any) -> np.ndarray:
    return value.toarray() if sparse.issparse(value) else np.asarray(value, dtype=float)


def plain(value: Any) -> np.ndarray:
    """As :func:`dense`, but whole numbers stay what they are: where they count, others are not the same."""
    return np.asarray(value) if np.asarray(value).dtype.kind in "iu" else dense(value)


def _spoiled(number: float) -> Callable[[np.random.Generator, Any], Any]:
    def make(rng: np.random.Generator, value: Any) -> Any:
        array = dense(value).copy()
        if not array.size:
            raise Impossible
        array.flat[rng.integers(array.size)] = number
        if sparse.issparse(value):
            return sparse.csc_array(array)
        return float(array) if array.ndim == 0 else array

    return make


def _all(number: float) -> Callable[[np.random.Generator, Any], Any]:
    return lambda rng, value: np.full(np.shape(dense(value)), number)


def _cast(convert: Callable[[np.ndarray], Any]) -> Callable[[np.random.Generator, Any], Any]:
    return lambda rng, value: convert(dense(value))


def _masked(rng: np.random.Generator, value: Any) -> Any:
    array = dense(value)
    if not array.size:
        raise Impossible
    mask = np.zeros(array.shape, bool)
    mask.flat[0] = True
    return np.ma.masked_array(array, mask=mask)


def _masked_inside(rng: np.random.Generator, value: Any) -> Any:
    if dense(value).ndim < 2 or not dense(value).size:
        raise Impossible
    return [_masked(rng, row) for row in dense(value)]


def _ragged(rng: np.random.Generator, value: Any) -> Any:
    return [[1.0], [1.0, 2.0]]


def _sparse(rng: np.random.Generator, value: Any) -> Any:
    if sparse.issparse(value) or dense(value).ndim > 2:
        raise Impossible
    return sparse.csr_array(np.atleast_2d(dense(value)))


def _column(rng: np.random.Generator, value: Any) -> Any:
    array = dense(value)
    if array.ndim != 1 or array.size < 2:
        raise Impossible
    return array[:, None]


def _row(rng: np.random.Generator, value: Any) -> Any:
    if sparse.issparse(value):
        raise Impossible
    return dense(value)[None]


def _longer(rng: np.random.Generator, value: Any) -> Any:
    array = dense(value)
    if array.ndim == 0:
        raise Impossible
    return np.concatenate(
        [array, array[..., -1:] if array.size else np.ones((*array.shape[:-1], 1))], axis=-1
    )


def _shorter(rng: np.random.Generator, value: Any) -> Any:
    array = dense(value)
    if array.ndim == 0 or array.shape[-1] < 2:
        raise Impossible
    return array[..., :-1]


def _transposed(rng: np.random.Generator, value: Any) -> Any:
    array = dense(value)
    if array.ndim < 2 or array.shape[-1] == array.shape[-2]:
        raise Impossible
    return np.swapaxes(array, -1, -2)


def _stack(rng: np.random.Generator, value: Any) -> Any:
    if sparse.issparse(value):
        raise Impossible
    return np.stack([dense(value), dense(value)])


def _perturbed(rng: np.random.Generator, value: Any) -> Any:
    array = dense(value)
    return array + rng.normal(size=array.shape)


def _integral(rng: np.random.Generator, value: Any) -> Any:
    array = dense(value)
    if np.any(array != np.round(array)) or np.any(np.abs(array) > 2**40):
        raise Impossible
    return array.astype(int) if array.ndim else int(array)


def _single(rng: np.random.Generator, value: Any) -> Any:
    array = plain(value)
    if array.dtype.kind in "iu":
        raise Impossible
    if np.any(array.astype(np.float32) != array):
        raise Impossible
    return array.astype(np.float32)


def _strided(rng: np.random.Generator, value: Any) -> Any:
    array = plain(value)
    if array.ndim == 0:
        raise Impossible
    spread = np.repeat(array, 2, axis=-1)
    return spread[..., ::2]


def _read_only(rng: np.random.Generator, value: Any) -> Any:
    array = plain(value).copy()
    array.setflags(write=False)
    return array


def _format(name: str) -> Callable[[np.random.Generator, Any], Any]:
    def make(rng: np.random.Generator, value: Any) -> Any:
        if not sparse.issparse(value):
            raise Impossible
        return value.asformat(name)

    return make


def unsorted(value: Any) -> Any:
    """A CSC matrix whose row indices run backwards in each column."""
    matrix = sparse.csc_array(value)
    order = np.concatenate(
        [np.arange(a, b)[::-1] for a, b in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)]
    )
    if not matrix.nnz:
        return matrix
    return sparse.csc_array((matrix.data[order], matrix.indices[order], matrix.indptr), shape=matrix.shape)


def _unsorted(rng: np.random.Generator, value: Any) -> Any:
    if not sparse.issparse(value):
        raise Impossible
    return unsorted(value)


NOT_NUMBERS: tuple[Kind, ...] = (
    ("text", REFUSED, lambda rng, value: "abc"),
    ("empty text", REFUSED, lambda rng, value: ""),
    ("numbers as text", REFUSED, _cast(lambda a: a.astype(str))),
    ("bytes", REFUSED, lambda rng, value: b"12"),
    ("a date", REFUSED, lambda rng, value: datetime.datetime(2020, 1, 1)),
    ("dates", REFUSED, _cast(lambda a: np.zeros(a.shape, "datetime64[s]"))),
    ("spans of time", REFUSED, _cast(lambda a: np.ones(a.shape, "timedelta64[s]"))),
    ("None", REFUSED, lambda rng, value: None),
    ("complex", REFUSED, _cast(lambda a: a + 0j)),
    ("objects", REFUSED, _cast(lambda a: a.astype(object) if a.ndim else Fraction(1, 3))),
    ("truth values", REFUSED, _cast(lambda a: a != 0)),
    ("a masked array", REFUSED, _masked),
    ("masked rows", REFUSED, _masked_inside),
    ("a dictionary", REFUSED, lambda rng, value: {"a": 1.0}),
    ("a set", REFUSED, lambda rng, value: {1.0, 2.0}),
    ("a generator", REFUSED, lambda rng, value: (i for i in range(3))),
    ("a function", REFUSED, lambda rng, value: len),
    ("a class", REFUSED, lambda rng, value: Stranger),
    ("a stranger", REFUSED, lambda rng, value: Stranger()),
    ("ragged", REFUSED, _ragged),
    ("a huge integer", REFUSED, lambda rng, value: 10**400),
)

NUMBERS: tuple[Kind, ...] = (
    *NOT_NUMBERS,
    ("sparse", REFUSED, _sparse),
    ("a NaN", REFUSED, _spoiled(np.nan)),
    ("all NaN", REFUSED, _all(np.nan)),
    ("infinity", REFUSED, _spoiled(np.inf)),
    ("minus infinity", REFUSED, _spoiled(-np.inf)),
    ("a column", REFUSED, _column),
    ("longer", REFUSED, _longer),
    ("shorter", REFUSED, _shorter),
    ("transposed", REFUSED, _transposed),
    ("a row", STACKED, _row),
    ("twice", STACKED, _stack),
    ("empty", JUDGED, lambda rng, value: []),
    ("one number", JUDGED, lambda rng, value: float(rng.normal())),
    ("an empty batch", JUDGED, _cast(lambda a: np.zeros((0, *a.shape)))),
    ("negative", JUDGED, _cast(lambda a: -a)),
    ("zero", JUDGED, _cast(np.zeros_like)),
    ("1e308", JUDGED, _all(1e308)),
    ("one 1e308", JUDGED, _spoiled(1e308)),
    ("1e200", JUDGED, _spoiled(1e200)),
    ("just below the limit", JUDGED, _spoiled(9e99)),
    ("tiny", JUDGED, _cast(lambda a: a * 1e-300)),
    ("5e-324", JUDGED, _all(5e-324)),
    ("-1", JUDGED, _spoiled(-1.0)),
    ("other numbers", JUDGED, _perturbed),
    ("a list", SAME, lambda rng, value: plain(value).tolist() if dense(value).ndim else np.float64(value)),
    ("integers", SAME, _integral),
    ("single precision", SAME, _single),
    ("strided", SAME, _strided),
    ("read-only", SAME, _read_only),
    ("Fortran order", SAME, lambda rng, value: np.asfortranarray(plain(value)) if np.ndim(value) else value),
    ("csr", SAME, _format("csr")),
    ("coo", SAME, _format("coo")),
    ("unsorted indices", SAME, _unsorted),
)

COUNTS: tuple[Kind, ...] = (
    *(kind for kind in NOT_NUMBERS if kind[0] not in ("a huge integer", "masked rows", "ragged")),
    ("a list of it", REFUSED, lambda rng, value: [value]),
    ("an array of it", REFUSED, lambda rng, value: np.array([value])),
    ("a fraction", REFUSED, lambda rng, value: value + 0.5),
    ("NaN", REFUSED, lambda rng, value: np.nan),
    ("infinity", REFUSED, lambda rng, value: np.inf),
    ("far below zero", REFUSED, lambda rng, value: -(10**6)),
    ("-3", REFUSED, lambda rng, value: -3),
    ("-1", JUDGED, lambda rng, value: -1),
    ("zero", JUDGED, lambda rng, value: 0),
    ("of NumPy", SAME, lambda rng, value: np.int64(value)),
)

WORDS: tuple[Kind, ...] = (
    ("another word", REFUSED, lambda rng, value: "nonsense"),
    ("no word", REFUSED, lambda rng, value: ""),
    ("a number", REFUSED, lambda rng, value: 3),
    ("None", REFUSED, lambda rng, value: None),
    ("bytes", REFUSED, lambda rng, value: value.encode()),
    ("a list of it", REFUSED, lambda rng, value: [value]),
    ("an array of it", REFUSED, lambda rng, value: np.array([value])),
    ("a stranger", REFUSED, lambda rng, value: Stranger()),
    ("a dictionary", REFUSED, lambda rng, value: {}),
    ("of NumPy", SAME, lambda rng, value: np.str_(value)),
)

FLAGS: tuple[Kind, ...] = (
    *(kind for kind in NOT_NUMBERS if kind[0] not in ("truth values", "masked rows")),
    ("numbers", REFUSED, lambda rng, value: np.asarray(value, float)),
    ("whole numbers", REFUSED, lambda rng, value: np.asarray(value, int)),
    ("one too many", REFUSED, lambda rng, value: np.append(value, True)),
    ("one too few", REFUSED, lambda rng, value: value[:-1]),
    ("a row", REFUSED, lambda rng, value: value[None]),
    ("none of them", JUDGED, lambda rng, value: np.zeros_like(value)),
    ("a list", SAME, lambda rng, value: value.tolist()),
)

OBJECTS: tuple[Kind, ...] = (
    ("None", REFUSED, lambda rng, value: None),
    ("a number", REFUSED, lambda rng, value: 3.0),
    ("text", REFUSED, lambda rng, value: "abc"),
    ("a list of it", REFUSED, lambda rng, value: [value]),
    ("an empty tuple", REFUSED, lambda rng, value: ()),
    ("a dictionary", REFUSED, lambda rng, value: {}),
    ("an array", REFUSED, lambda rng, value: np.zeros(3)),
    ("a stranger", REFUSED, lambda rng, value: Stranger()),
    ("its class", REFUSED, lambda rng, value: type(value)),
    ("a class", REFUSED, lambda rng, value: Stranger),
    ("a lambda's module", REFUSED, lambda rng, value: np),
)


def _holding(number: float) -> Callable[[np.random.Generator, Any], Any]:
    """What names its numbers and looks at none of them, with another one."""

    def make(rng: np.random.Generator, value: Any) -> Any:
        if not hasattr(value, "_fields"):
            raise Impossible
        which = int(rng.integers(len(value)))
        return value._replace(**{value._fields[which]: spoil(value[which], number)})

    return make


OBJECTS: tuple[Kind, ...] = (
    *OBJECTS,
    ("holds a NaN", REFUSED, _holding(np.nan)),
    ("holds infinity", REFUSED, _holding(np.inf)),
)

SEQUENCES: tuple[Kind, ...] = (
    ("None", REFUSED, lambda rng, value: None),
    ("a number", REFUSED, lambda rng, value: 3.0),
    ("text", REFUSED, lambda rng, value: "abc"),
    ("a list of None", REFUSED, lambda rng, value: [None]),
    ("a list of numbers", REFUSED, lambda rng, value: [3.5, 2.5]),
    ("a list of lists", REFUSED, lambda rng, value: [[each] for each in value] or [[]]),
    ("an array", REFUSED, lambda rng, value: np.full(3, 0.5)),
    ("a stranger", REFUSED, lambda rng, value: Stranger()),
    ("strangers", REFUSED, lambda rng, value: [Stranger(), Stranger()]),
    ("one too many", REFUSED, lambda rng, value: [*value, Stranger()]),
    ("its first alone", REFUSED, lambda rng, value: _first(value)),
    ("a list", SAME, lambda rng, value: list(value)),
    ("a tuple", SAME, lambda rng, value: tuple(value)),
)

MAPPINGS: tuple[Kind, ...] = (
    ("None", REFUSED, lambda rng, value: None),
    ("a number", REFUSED, lambda rng, value: 3.0),
    ("text", REFUSED, lambda rng, value: "abc"),
    ("an array", REFUSED, lambda rng, value: np.full(3, 0.5)),
    ("a stranger", REFUSED, lambda rng, value: Stranger()),
    ("strange values", REFUSED, lambda rng, value: dict.fromkeys(value, Stranger()) or {"a": Stranger()}),
    ("a strange key", REFUSED, lambda rng, value: {**value, Stranger(): _first([*value.values(), 0.0])}),
)


def _first(value: Any) -> Any:
    for each in value:
        return each
    raise Impossible


def _returning(result: Any) -> Callable[[np.random.Generator, Any], Any]:
    return lambda rng, value: lambda *args, **options: result


def _spoiling(number: float) -> Callable[[np.random.Generator, Any], Any]:
    def make(rng: np.random.Generator, value: Any) -> Any:
        return lambda *args, **options: spoil(value(*args, **options), number)

    return make


def spoil(result: Any, number: float) -> Any:
    """The same result with one number of it replaced, in the first array that has one."""
    if isinstance(result, float | int | np.number):
        return number
    if isinstance(result, np.ndarray) and result.dtype.kind == "f" and result.size:
        spoiled = result.copy()
        spoiled.flat[0] = number
        return spoiled
    if isinstance(result, tuple) and result:
        head = spoil(result[0], number)
        rest = result[1:]
        return type(result)(head, *rest) if hasattr(result, "_fields") else (head, *rest)
    if is_dataclass(result) and not isinstance(result, type):
        first = fields(result)[0].name
        return replace(result, **{first: spoil(getattr(result, first), number)})
    raise Impossible


FUNCTIONS: tuple[Kind, ...] = (
    ("None", REFUSED, lambda rng, value: None),
    ("a number", REFUSED, lambda rng, value: 3.0),
    ("text", REFUSED, lambda rng, value: "abc"),
    ("an array", REFUSED, lambda rng, value: np.zeros(3)),
    ("a stranger", REFUSED, lambda rng, value: Stranger()),
    ("returns nothing", REFUSED, _returning(None)),
    ("returns text", REFUSED, _returning("abc")),
    ("returns a stranger", REFUSED, _returning(Stranger())),
    ("returns too many numbers", REFUSED, _returning(np.zeros((7, 7, 7)))),
    ("returns a NaN", REFUSED, _spoiling(np.nan)),
    ("returns infinity", REFUSED, _spoiling(np.inf)),
)


def kinds_for(value: Any) -> tuple[Kind, ...]:
    """The kinds that can take the place of this valid value; none for flags, which go by their truth."""
    if isinstance(value, bool | np.bool_) or value is None:
        return ()
    if isinstance(value, str):
        return WORDS
    if isinstance(value, int | np.integer):
        return COUNTS
    if isinstance(value, float | np.floating) or sparse.issparse(value):
        return NUMBERS
    if isinstance(value, np.ndarray):
        return NUMBERS if value.dtype.kind in "iuf" else FLAGS
    if isinstance(value, dict):
        return MAPPINGS
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        numeric = value and np.asarray(value, dtype=object).dtype == object and _numeric(value)
        return NUMBERS if numeric else SEQUENCES
    if callable(value) and not hasattr(value, "__dataclass_fields__") and not hasattr(value, "energy"):
        return FUNCTIONS
    return OBJECTS


def _numeric(value: Any) -> bool:
    if any(hasattr(each, "_fields") for each in value):
        return False
    try:
        return np.asarray(value).dtype.kind in "iuf"
    except ValueError:
        return False
