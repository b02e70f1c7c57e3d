"""Kinds of invalid and unusual values for each type of argument.

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
from fractions import Fraction
from typing import Any

import numpy as np
from corruptions import (
    Raising,
    Stranger,
    as_sparse,
    cast,
    column,
    containing_itself,
    dense,
    filled_with,
    first,
    holding,
    in_format,
    integral,
    longer,
    masked,
    masked_inside,
    nested,
    perturbed,
    ragged,
    raising_inside,
    read_only,
    returning,
    returning_number,
    row,
    shorter,
    single,
    stack,
    strided,
    to_array,
    transposed,
    truth_inside,
    unsorted_indices,
    with_number,
)
from scipy import sparse


class Expected(enum.Enum):
    REFUSED = "refused"
    SAME = "same"
    STACKED = "stacked"
    JUDGED = "judged"


REFUSED, SAME, STACKED, JUDGED = Expected

Kind = tuple[str, Expected, Callable[[np.random.Generator, Any], Any]]


NOT_NUMBERS: tuple[Kind, ...] = (
    ("text", REFUSED, lambda rng, value: "abc"),
    ("empty text", REFUSED, lambda rng, value: ""),
    ("numbers as text", REFUSED, cast(lambda a: a.astype(str))),
    ("bytes", REFUSED, lambda rng, value: b"12"),
    ("a bytearray", REFUSED, lambda rng, value: bytearray(b"12")),
    ("a bytearray in a list", REFUSED, lambda rng, value: [bytearray(b"12")]),
    ("a buffer of bytes", REFUSED, lambda rng, value: memoryview(b"12")),
    ("a date", REFUSED, lambda rng, value: datetime.datetime(2020, 1, 1)),
    ("dates", REFUSED, cast(lambda a: np.zeros(a.shape, "datetime64[s]"))),
    ("spans of time", REFUSED, cast(lambda a: np.ones(a.shape, "timedelta64[s]"))),
    ("None", REFUSED, lambda rng, value: None),
    ("complex", REFUSED, cast(lambda a: a + 0j)),
    ("objects", REFUSED, cast(lambda a: a.astype(object) if a.ndim else Fraction(1, 3))),
    ("truth values", REFUSED, cast(lambda a: a != 0)),
    ("a masked array", REFUSED, masked),
    ("masked rows", REFUSED, masked_inside),
    ("a dictionary", REFUSED, lambda rng, value: {"a": 1.0}),
    ("a set", REFUSED, lambda rng, value: {1.0, 2.0}),
    ("a generator", REFUSED, lambda rng, value: (i for i in range(3))),
    ("a function", REFUSED, lambda rng, value: len),
    ("a class", REFUSED, lambda rng, value: Stranger),
    ("a stranger", REFUSED, lambda rng, value: Stranger()),
    ("an array that raises", REFUSED, lambda rng, value: Raising()),
    ("ragged", REFUSED, ragged),
    ("nested lists", REFUSED, nested),
    ("a list that contains itself", REFUSED, containing_itself),
    ("a huge integer", REFUSED, lambda rng, value: 10**400),
)

NUMBERS: tuple[Kind, ...] = (
    *NOT_NUMBERS,
    ("a truth value in a list", REFUSED, truth_inside),
    ("what raises in a list", REFUSED, raising_inside),
    ("sparse", REFUSED, as_sparse),
    ("a NaN", REFUSED, with_number(np.nan)),
    ("all NaN", REFUSED, filled_with(np.nan)),
    ("infinity", REFUSED, with_number(np.inf)),
    ("minus infinity", REFUSED, with_number(-np.inf)),
    ("a column", REFUSED, column),
    ("longer", REFUSED, longer),
    ("shorter", REFUSED, shorter),
    ("transposed", REFUSED, transposed),
    ("a row", STACKED, row),
    ("twice", STACKED, stack),
    ("empty", JUDGED, lambda rng, value: []),
    ("one number", JUDGED, lambda rng, value: float(rng.normal())),
    ("an empty batch", JUDGED, cast(lambda a: np.zeros((0, *a.shape)))),
    ("negative", JUDGED, cast(lambda a: -a)),
    ("zero", JUDGED, cast(np.zeros_like)),
    ("1e308", JUDGED, filled_with(1e308)),
    ("one 1e308", JUDGED, with_number(1e308)),
    ("1e200", JUDGED, with_number(1e200)),
    ("just below the limit", JUDGED, with_number(9e99)),
    ("tiny", JUDGED, cast(lambda a: a * 1e-300)),
    ("5e-324", JUDGED, filled_with(5e-324)),
    ("-1", JUDGED, with_number(-1.0)),
    ("other numbers", JUDGED, perturbed),
    ("a list", SAME, lambda rng, value: to_array(value).tolist() if dense(value).ndim else np.float64(value)),
    ("integers", SAME, integral),
    ("single precision", SAME, single),
    ("strided", SAME, strided),
    ("read-only", SAME, read_only),
    (
        "Fortran order",
        SAME,
        lambda rng, value: np.asfortranarray(to_array(value)) if np.ndim(value) else value,
    ),
    ("csr", SAME, in_format("csr")),
    ("coo", SAME, in_format("coo")),
    ("unsorted indices", SAME, unsorted_indices),
)

COUNTS: tuple[Kind, ...] = (
    *(kind for kind in NOT_NUMBERS if kind[0] not in ("a huge integer", "masked rows")),
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
    ("what raises", REFUSED, lambda rng, value: Raising()),
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
    ("what raises", REFUSED, lambda rng, value: Raising()),
    ("its class", REFUSED, lambda rng, value: type(value)),
    ("a class", REFUSED, lambda rng, value: Stranger),
    ("a lambda's module", REFUSED, lambda rng, value: np),
    ("holds a NaN", REFUSED, holding(np.nan)),
    ("holds infinity", REFUSED, holding(np.inf)),
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
    ("what raises", REFUSED, lambda rng, value: Raising()),
    ("strangers", REFUSED, lambda rng, value: [Stranger(), Stranger()]),
    ("one too many", REFUSED, lambda rng, value: [*value, Stranger()]),
    ("its first alone", REFUSED, lambda rng, value: first(value)),
    ("a list", SAME, lambda rng, value: list(value)),
    ("a tuple", SAME, lambda rng, value: tuple(value)),
)

MAPPINGS: tuple[Kind, ...] = (
    ("None", REFUSED, lambda rng, value: None),
    ("a number", REFUSED, lambda rng, value: 3.0),
    ("text", REFUSED, lambda rng, value: "abc"),
    ("an array", REFUSED, lambda rng, value: np.full(3, 0.5)),
    ("a stranger", REFUSED, lambda rng, value: Stranger()),
    ("what raises", REFUSED, lambda rng, value: Raising()),
    ("strange values", REFUSED, lambda rng, value: dict.fromkeys(value, Stranger()) or {"a": Stranger()}),
    ("a strange key", REFUSED, lambda rng, value: {**value, Stranger(): first([*value.values(), 0.0])}),
)


FUNCTIONS: tuple[Kind, ...] = (
    ("None", REFUSED, lambda rng, value: None),
    ("a number", REFUSED, lambda rng, value: 3.0),
    ("text", REFUSED, lambda rng, value: "abc"),
    ("an array", REFUSED, lambda rng, value: np.zeros(3)),
    ("a stranger", REFUSED, lambda rng, value: Stranger()),
    ("what raises", REFUSED, lambda rng, value: Raising()),
    ("returns nothing", REFUSED, returning(None)),
    ("returns text", REFUSED, returning("abc")),
    ("returns a stranger", REFUSED, returning(Stranger())),
    ("returns too many numbers", REFUSED, returning(np.zeros((7, 7, 7)))),
    ("returns a NaN", REFUSED, returning_number(np.nan)),
    ("returns infinity", REFUSED, returning_number(np.inf)),
)


def kinds_for(value: Any) -> tuple[Kind, ...]:
    """Return the kinds that can replace a valid value; none for flags."""
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
