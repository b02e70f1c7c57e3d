"""Exact real numbers: a fraction while possible, else a ball that encloses the value.

A number that depends on a rounded float64 is *tainted*, and so is everything computed from it.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from types import FrameType
from typing import Any

import flint
import numpy as np
from flint import arb, fmpq

from rbnotes.ledger.exact.degrees import (
    CONSTANT,
    Degree,
    Factor,
    new_factor,
    product_degree,
    quotient_degree,
    root_degree,
    sum_degree,
)
from rbnotes.ledger.exact.expressions import Expression, NotExact

PRECISION = 333
"""Bits of a ball, a hundred decimal digits."""
MAX_WIDTH = 1e-40
"""Width of an enclosure relative to the size of the entry, up to which it proves equality."""
MAX_EXACT_DIGITS = 12
"""A float64 with at most so many decimal digits stands for the decimal number that was written."""
MAX_DYADIC_DENOMINATOR = 2**30
MAX_SHORT_NUMERATOR = 2**20
"""A float64 with at most so many significant bits was not rounded."""
MAX_SOURCES = 3
CHECKS = ("rbnotes.arguments", "rbnotes.constraints.matrices")
"""Modules whose comparisons accept or refuse arguments, and change no value."""

flint.ctx.prec = PRECISION


@dataclass
class EvaluationTrace:
    """Events that weaken the evidence of a computation.

    Attributes
    ----------
    choices
        Outcomes to take for the comparisons that the balls cannot decide, in order; the first ones only.
    outcomes
        Outcomes taken for these comparisons.
    run
        Number of the evaluation: what was computed in another one may rest on other outcomes.
    path
        Digest of all comparisons of numbers that depend on the inputs.
    num_branches
        Number of these comparisons.
    tainted_decisions
        Number of comparisons and roundings of tainted numbers.
    taint_sources, undecided_sources
        Modules and lines that brought in rounded numbers, and those of undecided comparisons, a few.
    """

    choices: tuple[bool, ...] = ()
    outcomes: list[bool] = field(default_factory=list)
    run: int = 0
    path: int = 0
    num_branches: int = 0
    tainted_decisions: int = 0
    taint_sources: list[str] = field(default_factory=list)
    undecided_sources: list[str] = field(default_factory=list)

    def reset(self, choices: tuple[bool, ...] = ()) -> None:
        """Forget all events; take these outcomes from now on."""
        self.path = self.num_branches = self.tainted_decisions = 0
        self.choices, self.outcomes = choices, []
        self.run += 1
        self.taint_sources, self.undecided_sources = [], []

    def choose(self, default: bool) -> bool:
        """Return the outcome to take for a comparison that the balls cannot decide."""
        index = len(self.outcomes)
        self.outcomes.append(self.choices[index] if index < len(self.choices) else default)
        return self.outcomes[-1]

    def record_branch(self, outcome: bool) -> None:
        """Add a comparison to the path."""
        self.num_branches += 1
        self.path = hash((self.path, outcome))


trace = EvaluationTrace()


def point_in_check(value: Expression) -> fmpq:
    """Return the value at the draw for a check of arguments; refuse everything else."""
    frame = _caller()
    if frame is None or not frame.f_globals.get("__name__", "").startswith(CHECKS):
        trace.tainted_decisions += 1
        raise NotExact("a branch, a root or a function of symbols")
    return value.point


def ball(value: fmpq | arb | Expression) -> arb:
    """Return a value as a ball."""
    if isinstance(value, Expression):
        return arb(point_in_check(value))
    return value if value.__class__ is arb else arb(value)


class ArrayLikeNumber:
    """Base of exact numbers: the attributes of NumPy's scalars, and the names of universal functions.

    The modules :mod:`.arrays` and :mod:`.duals` add what leads to arrays and to dual numbers.
    """

    __slots__ = ()
    shape: tuple[int, ...] = ()
    ndim, size, itemsize, imag = 0, 1, 8, 0
    dtype = np.dtype("float64")
    real = property(lambda self: self)
    T = property(lambda self: self)

    def __deepcopy__(self, memo):
        return self

    def __copy__(self):
        return self

    def __reduce__(self):
        raise TypeError("exact numbers are not pickled")

    def __pos__(self):
        return self

    def __floor__(self):
        return math.floor(real_part(self))

    def __ceil__(self):
        return -math.floor(-real_part(self))

    def __trunc__(self):
        return int(real_part(self))

    def __mod__(self, other):
        return self - math.floor(self / other) * convert(other)

    def __rmod__(self, other):
        return convert(other) % self

    def __floordiv__(self, other):
        return convert(math.floor(self / other))

    def __rfloordiv__(self, other):
        return convert(other) // self

    def item(self, *_):
        return self

    def copy(self, *_):
        return self

    tolist = conjugate = conj = item

    def astype(self, dtype, *_, **__):
        return self.__getattr__("astype")(dtype)[()]

    def is_integer(self):
        return False

    def square(self):
        return self * self

    def fabs(self):
        return abs(self)

    def rint(self):
        return round(self, 0)

    def floor(self):
        return Exact(fmpq(math.floor(self)), real_part(self).tainted)

    def ceil(self):
        return -(-self).floor()

    def trunc(self):
        return self.floor() if self >= 0 else self.ceil()

    def degrees(self):
        return self * 180 / PI

    def radians(self):
        return self * PI / 180

    rad2deg, deg2rad = degrees, radians

    def reciprocal(self):
        return 1 / self

    def cbrt(self):
        return self ** rational(1, 3)

    def log2(self):
        return self.log() / convert(2).log()

    def log10(self):
        return self.log() / convert(10).log()

    def expm1(self):
        return self.exp() - 1

    def log1p(self):
        return (1 + self).log()

    def exp2(self):
        return (self * convert(2).log()).exp()

    def hypot(self, other):
        return (self * self + other * other).sqrt()


def _binary(operation: Callable[[Any, Any], Any], degree: Callable[..., Degree], swap: bool = False):
    """Return a binary operator of exact numbers that tracks degrees and rounded inputs."""

    def operate(a, b):
        if b.__class__ is not Exact:
            b = convert(b)
            if b.__class__ is not Exact:
                return NotImplemented
        if swap:
            a, b = b, a
        value = operation(a.value, b.value)
        tracked = value.__class__ is fmpq and a.degree is not None and b.degree is not None
        if not tracked or (a.degree == CONSTANT == b.degree):
            return Exact(value, a.tainted or b.tainted)
        if operation is _divide:
            degrees = quotient_degree(a.degree, b.degree, b.as_factor())
        else:
            degrees = degree(a.degree, b.degree)
        return Exact(value, a.tainted or b.tainted, degrees)

    return operate


def _multiply(a, b):
    if (a.__class__ is fmpq and a == 0) or (b.__class__ is fmpq and b == 0):
        return fmpq(0)
    return b * a if a.__class__ is fmpq and b.__class__ is arb else a * b


def _divide(a, b):
    """Return the quotient of two values; division by zero gives NaN or infinity."""
    if b.__class__ is fmpq:
        if b == 0:
            if a.__class__ is Expression:
                raise NotExact("a division of symbols by zero")
            if a.__class__ is arb or a == 0:
                return arb("nan")
            return arb("inf") if a > 0 else arb("-inf")
        return a / b
    if a.__class__ is fmpq and b.__class__ is arb:
        return fmpq(0) if a == 0 and not b.contains(0) else arb(a) / b
    return a / b


def _add(a, b):
    return b + a if a.__class__ is fmpq and b.__class__ is arb else a + b


def _subtract(a, b):
    return arb(a) - b if a.__class__ is fmpq and b.__class__ is arb else a - b


def _compare(relation: Callable[[Any, Any], bool], if_less: bool, if_greater: bool, if_equal: bool):
    """Return a comparison of exact numbers; undecided enclosures take a branch of the trace."""

    def decide(a, b):
        if a.__class__ is fmpq and b.__class__ is fmpq:
            return relation(a, b)
        if a.__class__ is Expression or b.__class__ is Expression:
            difference = a - b
            if difference.__class__ is fmpq:
                return relation(difference, 0)
        is_same = a is b
        a, b = ball(a), ball(b)
        if a.is_nan() or b.is_nan():
            return relation is operator.ne
        if is_same:
            return if_equal
        if a < b:
            return if_less
        if a > b:
            return if_greater
        return if_equal if a.is_exact() and b.is_exact() else _choose(if_equal)

    def compare(a, b):
        if b.__class__ is not Exact:
            b = convert(b)
            if b.__class__ is not Exact:
                return NotImplemented
        outcome = decide(a.value, b.value)
        trace.tainted_decisions += a.tainted or b.tainted
        if a.degree != CONSTANT or b.degree != CONSTANT:
            trace.record_branch(outcome)
        return np.bool_(outcome)

    return compare


class Exact(ArrayLikeNumber):
    """A real number: fraction or ball, whether it is tainted, and its degree in the random variables.

    Attributes
    ----------
    value
        The fraction, or a ball that contains the number.
    tainted
        True if the number depends on a rounded float64.
    degree
        Degree as a rational function of the random variables; None for a ball.
    """

    __slots__ = ("_factor", "degree", "tainted", "value")
    value: fmpq | arb
    tainted: bool
    degree: Degree | None

    def __init__(self, value: fmpq | arb, tainted: bool = False, degree: Degree | None = CONSTANT) -> None:
        self.value = value
        self.tainted = tainted
        self.degree = degree if value.__class__ is fmpq else None
        self._factor: Factor | None = None

    def as_factor(self) -> Factor | None:
        """Return the numerator as a factor, the same one each time."""
        if self._factor is None and self.degree is not None:
            self._factor = new_factor(self.degree.numerator)
        return self._factor

    __add__, __radd__ = _binary(_add, sum_degree), _binary(_add, sum_degree, True)
    __sub__, __rsub__ = _binary(_subtract, sum_degree), _binary(_subtract, sum_degree, True)
    __mul__, __rmul__ = _binary(_multiply, product_degree), _binary(_multiply, product_degree, True)
    __truediv__, __rtruediv__ = _binary(_divide, quotient_degree), _binary(_divide, quotient_degree, True)
    __lt__ = _compare(operator.lt, True, False, False)
    __le__ = _compare(operator.le, True, False, True)
    __gt__ = _compare(operator.gt, False, True, False)
    __ge__ = _compare(operator.ge, False, True, True)
    __eq__ = _compare(operator.eq, False, False, True)
    __ne__ = _compare(operator.ne, True, True, False)

    def __hash__(self):
        return hash(self.value) if self.value.__class__ is fmpq else hash(self.value.str(30))

    def __neg__(self):
        return Exact(-self.value, self.tainted, self.degree)

    def __abs__(self):
        if self.value.__class__ is Expression:
            return Exact(abs(point_in_check(self.value)), self.tainted)
        if self.degree != CONSTANT:
            trace.record_branch(bool(ball(self.value) < 0))
        return Exact(abs(self.value), self.tainted, self.degree)

    def __bool__(self):
        return bool(self != 0)

    def __pow__(self, exponent, modulus=None):
        exponent = convert(exponent)
        if exponent.__class__ is not Exact:
            return NotImplemented
        power = exponent.value
        if power.__class__ is fmpq:
            if power.q == 1:
                return self._integer_power(int(power.p))
            if power.q == 2:
                return self.sqrt()._integer_power(int(power.p))
        return Exact(ball(self.value) ** ball(power), self.tainted or exponent.tainted)

    def _integer_power(self, n: int):
        """Return the power by repeated squaring."""
        if n < 0:
            return 1 / self._integer_power(-n)
        result, square = ONE, self
        while n:
            result = result * square if n & 1 else result
            n >>= 1
            square = square * square if n else square
        return result

    def __rpow__(self, base):
        return convert(base) ** self

    def __float__(self):
        return float(ball(self.value).mid())

    def __int__(self):
        return math.floor(self) if self >= 0 else -math.floor(-self)

    def __floor__(self):
        trace.tainted_decisions += self.tainted
        if self.value.__class__ is fmpq:
            return int(self.value.floor())
        whole = self.value.floor().unique_fmpz()
        if whole is None:
            nearest = round(float(self))
            if not nearest - 1 < self.value < nearest + 1:
                raise NotExact("the whole part of a wide enclosure")
            return nearest if _choose(True) else nearest - 1
        return int(whole)

    def __round__(self, digits=None):
        scale = 10 ** (digits or 0)
        whole = math.floor(self * scale + rational(1, 2))
        return whole if digits is None else Exact(fmpq(whole, scale), self.tainted)

    def __format__(self, spec):
        return format(float(self), spec)

    def __repr__(self):
        kind = "ball" if self.value.__class__ is arb else "fraction"
        return f"<{kind} {float(self)!r}{', tainted' if self.tainted else ''}>"

    def is_integer(self):
        return self.value.__class__ is fmpq and self.value.q == 1

    def sign(self):
        return Exact(fmpq(int(self > 0) - int(self < 0)), self.tainted)

    def sqrt(self):
        """Return the square root, rational if it is."""
        value = self.value
        if value.__class__ is fmpq:
            if value < 0:
                return Exact(arb("nan"))
            numerator, denominator = int(value.p), int(value.q)
            roots = math.isqrt(numerator), math.isqrt(denominator)
            if roots[0] ** 2 == numerator and roots[1] ** 2 == denominator:
                return Exact(fmpq(*roots), self.tainted, root_degree(self.degree))
            return Exact(arb(value).sqrt(), self.tainted)
        if value < 0:
            return Exact(arb("nan"))
        if value.contains(0):  # an enclosure of the root of the nonnegative part
            half = value.abs_upper().sqrt() / 2
            return Exact(half.union(arb(0)).union(2 * half), self.tainted)
        return Exact(value.sqrt(), self.tainted)

    def arccos(self):
        if self.value.__class__ is fmpq and self.value == 1:
            return Exact(fmpq(0), self.tainted)
        value = ball(self.value)
        if not -1 <= value <= 1:
            if value < -1 or value > 1:
                return Exact(arb("nan"))
            value = value.intersection(arb(0, 1))
        return Exact(value.acos(), self.tainted)

    def arcsin(self):
        if self.value.__class__ is fmpq and self.value == 0:
            return self
        return PI / 2 - self.arccos()


def _elementary(name: str, argument: int | None, value_there: int) -> Callable[[Exact], Exact]:
    """Return a function of flint as a method, with the argument at which its value is rational."""

    def function(self):
        if self.value.__class__ is fmpq and self.value == argument:
            return Exact(fmpq(value_there), self.tainted)
        if self.value.__class__ is Expression and name in ("sin", "cos"):
            return Exact(self.value.cosine_and_sine()[name == "sin"], self.tainted)
        return Exact(getattr(ball(self.value), name)(), self.tainted)

    return function


for _name, _flint_name, _argument, _value in (
    ("sin", "sin", 0, 0),
    ("cos", "cos", 0, 1),
    ("tan", "tan", 0, 0),
    ("exp", "exp", 0, 1),
    ("log", "log", 1, 0),
    ("sinh", "sinh", 0, 0),
    ("cosh", "cosh", 0, 1),
    ("tanh", "tanh", 0, 0),
    ("arctan", "atan", 0, 0),
    ("arcsinh", "asinh", 0, 0),
    ("arccosh", "acosh", 1, 0),
):
    setattr(Exact, _name, _elementary(_flint_name, _argument, _value))


def rational(numerator: int, denominator: int = 1) -> Exact:
    """Return a fraction."""
    return Exact(fmpq(numerator, denominator))


def decimal(text: str) -> Exact:
    """Return the decimal number that a literal denotes."""
    return rational(*Fraction(text).as_integer_ratio())


def convert(value: Any) -> Any:
    """Return a number as an exact one; NotImplemented for anything else.

    A float64 is exact if it is a multiple of 2^-30, or has few significant bits or few decimal digits. Any
    other one was rounded: it is tainted.
    """
    kind = value.__class__
    if issubclass(kind, ArrayLikeNumber):
        return value
    if isinstance(value, bool | int | np.integer | np.bool_):
        return Exact(fmpq(int(value)))
    if isinstance(value, float | np.floating):
        return _convert_float(float(value))
    if kind is Fraction:
        return rational(*value.as_integer_ratio())
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return convert(value.view(np.ndarray)[()])
    return NotImplemented


def _convert_float(value: float) -> Exact:
    """Return the number that a float denotes: dyadic or a short decimal; others are tainted."""
    if math.isnan(value):
        return Exact(arb("nan"))
    if math.isinf(value):
        return Exact(arb("inf") if value > 0 else arb("-inf"))
    numerator, denominator = value.as_integer_ratio()
    if abs(numerator) < (2**53 if denominator <= MAX_DYADIC_DENOMINATOR else MAX_SHORT_NUMERATOR):
        return rational(numerator, denominator)
    digits = repr(value).split("e")[0].replace(".", "").replace("-", "").strip("0")
    if len(digits) <= MAX_EXACT_DIGITS:
        return decimal(repr(value))
    _record_taint()
    return Exact(fmpq(numerator, denominator), tainted=True)


def _record_taint() -> None:
    _add_source(trace.taint_sources)


def _choose(default: bool) -> bool:
    """Return the outcome of an undecided comparison: the default in checks of arguments, else a choice."""
    frame = _caller()
    if frame is not None and frame.f_globals.get("__name__", "").startswith(CHECKS):
        return default
    _add_source(trace.undecided_sources)
    return trace.choose(default)


def all_equal(pairs: Iterable[tuple[Exact, Exact]]) -> bool:
    """Return True if the numbers of all pairs are equal: one comparison, not one for each pair."""
    undecided = False
    for a, b in pairs:
        if a is b and not _is_nan(a.value):
            continue
        difference = a - b
        trace.tainted_decisions += difference.tainted
        if difference.degree != CONSTANT:
            trace.record_branch(_may_vanish(difference.value))
        if not _may_vanish(difference.value):
            return False
        value = difference.value
        undecided = undecided or not (value.__class__ is fmpq or (value.is_exact() and not value.is_nan()))
    return _choose(True) if undecided else True


def _is_nan(value: fmpq | arb) -> bool:
    return value.__class__ is arb and value.is_nan()


def _may_vanish(value: Any) -> bool:
    return bool(value == 0 if value.__class__ is fmpq else value.contains(0))


def larger(a: Any, b: Any) -> Any:
    """Return the larger of two numbers; if their balls overlap, an enclosure of it."""
    a, b = convert(a), convert(b)
    bounds = _overlapping_balls(a, b)
    if bounds is not None:
        return Exact(bounds[0].max(bounds[1]), a.tainted or b.tainted)
    return a if a >= b else b


def smaller(a: Any, b: Any) -> Any:
    """Return the smaller of two numbers; if their balls overlap, an enclosure of it."""
    a, b = convert(a), convert(b)
    bounds = _overlapping_balls(a, b)
    if bounds is not None:
        return Exact(bounds[0].min(bounds[1]), a.tainted or b.tainted)
    return a if a <= b else b


def _overlapping_balls(a: Any, b: Any) -> tuple[arb, arb] | None:
    """Return two numbers as balls if one is a ball and they overlap."""
    if a.__class__ is not Exact or b.__class__ is not Exact or a is b:
        return None
    if a.value.__class__ is fmpq and b.value.__class__ is fmpq:
        return None
    x, y = ball(a.value), ball(b.value)
    return (x, y) if x.overlaps(y) else None


def _caller() -> FrameType | None:
    """Return the innermost frame of the package that is being run."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename.replace("\\", "/")
        if "rbnotes" in path and "/ledger/exact/" not in path:
            return frame
        frame = frame.f_back
    return None


def _add_source(sources: list[str]) -> None:
    frame = _caller()
    if frame is None or len(sources) == MAX_SOURCES:
        return
    source = f"{frame.f_globals.get('__name__')}:{frame.f_lineno}"
    if source not in sources:
        sources.append(source)


def real_part(number: Any) -> Exact:
    """Return the value of a number without derivatives."""
    number = convert(number)
    while number.__class__ is not Exact:
        number = number.value
    return number


ZERO, ONE, PI = rational(0), rational(1), Exact(arb.pi())
