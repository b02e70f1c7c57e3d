"""Dual numbers, nested by tags: a value and its derivative along one direction."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import count
from typing import Any

from flint import arb, fmpq

from rbnotes.ledger.exact.expressions import NotExact
from rbnotes.ledger.exact.numbers import ONE, ZERO, ArrayLikeNumber, Exact, ball, convert, real_part

new_tag = count(1).__next__
"""Return a tag larger than all before: the inner derivative has the larger tag."""


def _binary(rule: Callable[..., tuple[Any, Any]]):
    """Return a binary operator and its reflected form from the rule for value and derivative."""

    def forward(a, b):
        b = convert(b)
        if b is NotImplemented:
            return b
        tag = max(a.tag, tag_of(b))
        return Dual(*rule(*split(a, tag), *split(b, tag)), tag)

    def reflected(a, b):
        b = convert(b)
        return b if b is NotImplemented else Dual(*rule(b, ZERO, a.value, a.derivative), a.tag)

    return forward, reflected


class Dual(ArrayLikeNumber):
    """A number with its derivative.

    Attributes
    ----------
    value, derivative
        Value and derivative, both exact or dual numbers of smaller tags.
    tag
        Tag of the derivation to which the derivative belongs.
    """

    __slots__ = ("derivative", "tag", "value")
    value: Any
    derivative: Any
    tag: int

    def __init__(self, value: Any, derivative: Any, tag: int) -> None:
        self.value = value
        self.derivative = derivative
        self.tag = tag

    __add__, __radd__ = _binary(lambda a, da, b, db: (a + b, da + db))
    __sub__, __rsub__ = _binary(lambda a, da, b, db: (a - b, da - db))
    __mul__, __rmul__ = _binary(lambda a, da, b, db: (a * b, a * db + da * b))
    __truediv__, __rtruediv__ = _binary(lambda a, da, b, db: (a / b, (da - a / b * db) / b))

    def __neg__(self):
        return Dual(-self.value, -self.derivative, self.tag)

    def __abs__(self):
        return Dual(abs(self.value), self.derivative * self.sign(), self.tag)

    def __pow__(self, exponent, modulus=None):
        exponent = convert(exponent)
        if exponent is NotImplemented:
            return exponent
        if exponent.__class__ is not Exact:
            return (exponent * self.log()).exp()
        if exponent.value.__class__ is fmpq and exponent.value == 0:
            return ONE
        return Dual(self.value**exponent, exponent * self.value ** (exponent - 1) * self.derivative, self.tag)

    def __rpow__(self, base):
        return (convert(base).log() * self).exp()

    def __lt__(self, other):
        return real_part(self) < real_part(other)

    def __le__(self, other):
        return real_part(self) <= real_part(other)

    def __gt__(self, other):
        return real_part(self) > real_part(other)

    def __ge__(self, other):
        return real_part(self) >= real_part(other)

    def __eq__(self, other):
        return real_part(self) == real_part(other)

    def __ne__(self, other):
        return real_part(self) != real_part(other)

    def __hash__(self):
        return id(self)

    def __bool__(self):
        return bool(real_part(self))

    def __float__(self):
        raise NotExact("a conversion to float64 drops a derivative")

    def __int__(self):
        return int(real_part(self))

    def __round__(self, digits=None):
        return round(real_part(self), digits)

    def __mod__(self, other):
        return self - math.floor(self / other) * convert(other)

    def __repr__(self):
        return f"Dual({self.value!r}, {self.derivative!r})"

    def __format__(self, spec):
        return format(float(real_part(self)), spec)

    def sign(self):
        return real_part(self).sign()

    def sqrt(self):
        root = self.value.sqrt()
        return Dual(root, self.derivative / (2 * root), self.tag)


def _elementary(name: str, derivative: Callable[[Any], Any]) -> Callable[[Dual], Dual]:
    def function(self):
        return Dual(getattr(self.value, name)(), derivative(self.value) * self.derivative, self.tag)

    return function


for _name, _derivative in (
    ("sin", lambda x: x.cos()),
    ("cos", lambda x: -x.sin()),
    ("tan", lambda x: 1 / x.cos() ** 2),
    ("exp", lambda x: x.exp()),
    ("log", lambda x: 1 / x),
    ("sinh", lambda x: x.cosh()),
    ("cosh", lambda x: x.sinh()),
    ("tanh", lambda x: 1 / x.cosh() ** 2),
    ("arctan", lambda x: 1 / (1 + x * x)),
    ("arccos", lambda x: -1 / (1 - x * x).sqrt()),
    ("arcsin", lambda x: 1 / (1 - x * x).sqrt()),
    ("arcsinh", lambda x: 1 / (1 + x * x).sqrt()),
    ("arccosh", lambda x: 1 / (x * x - 1).sqrt()),
):
    setattr(Dual, _name, _elementary(_name, _derivative))


def tag_of(number: Any) -> int:
    """Return the tag of a dual number; 0 for others."""
    return number.tag if number.__class__ is Dual else 0


def split(number: Any, tag: int) -> tuple[Any, Any]:
    """Return value and derivative of a number with respect to a tag.

    Raises
    ------
    NotExact
        If the value is not an exact number: its derivative would be lost.
    """
    if not isinstance(number, ArrayLikeNumber):
        raise NotExact(f"a derivative is lost in {type(number).__name__}")
    return (
        (number.value, number.derivative)
        if isinstance(number, Dual) and number.tag == tag
        else (number, ZERO)
    )


def arctan2(y: Any, x: Any) -> Any:
    """Return the angle of the point (x, y)."""
    y, x = convert(y), convert(x)
    tag = max(tag_of(y), tag_of(x))
    if tag:
        (y, dy), (x, dx) = split(y, tag), split(x, tag)
        return Dual(arctan2(y, x), (x * dy - y * dx) / (x * x + y * y), tag)
    if y.value.__class__ is fmpq and y.value == 0 and x > 0:
        return Exact(fmpq(0), y.tainted or x.tainted)
    return Exact(arb.atan2(ball(y.value), ball(x.value)), y.tainted or x.tainted)


_numbers: Any = ArrayLikeNumber
_numbers.arctan2 = arctan2
