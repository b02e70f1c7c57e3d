"""Rational functions of symbols, in the normal form of sympy's field of rational functions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping
from typing import Any, ClassVar

from flint import fmpq

ZERO, ONE, TWO = fmpq(0), fmpq(1), fmpq(2)


class NotExact(ArithmeticError):
    """An operation that has no exact counterpart."""


class Expression:
    """A rational function of symbols that is not constant.

    Attributes
    ----------
    function
        An element of the field.
    point
        Its value at the draw from which the symbols were made.
    """

    __slots__ = ("function", "point")
    function: Any
    point: fmpq
    _angles: ClassVar[dict[tuple[int, ...], Expression]] = {}

    def __init__(self, function: Any, point: fmpq) -> None:
        self.function, self.point = function, point

    def _combine(self, other: Any, operation: Callable[[Any, Any], Any], swap: bool = False) -> Any:
        """Return a sum, difference, product or quotient; a fraction if it is constant."""
        if other.__class__ is Expression:
            functions, points = (self.function, other.function), (self.point, other.point)
        elif other.__class__ is fmpq:
            constant = self.function.field.domain(int(other.p), int(other.q))
            functions, points = (self.function, constant), (self.point, other)
        else:
            raise NotExact("symbols beside enclosures")
        if swap:
            functions, points = functions[::-1], points[::-1]
        if operation is operator.truediv and points[1] == 0:
            raise NotExact("a divisor that vanishes at the draw")
        function, point = operation(*functions), operation(*points)
        is_constant = function.numer.is_ground and function.denom.is_ground
        return point if is_constant else Expression(function, point)

    def __add__(self, other):
        return self._combine(other, operator.add)

    def __sub__(self, other):
        return self._combine(other, operator.sub)

    def __rsub__(self, other):
        return self._combine(other, operator.sub, swap=True)

    def __mul__(self, other):
        return self._combine(other, operator.mul)

    def __truediv__(self, other):
        return self._combine(other, operator.truediv)

    def __rtruediv__(self, other):
        return self._combine(other, operator.truediv, swap=True)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return Expression(-self.function, -self.point)

    def __hash__(self):
        return hash(self.function)

    def __eq__(self, other):
        return other.__class__ is Expression and bool(self.function == other.function)

    def cosine_and_sine(self) -> tuple[Any, Any]:
        """Return the cosine and the sine of a sum of halves of angles."""
        if not self.function.denom.is_ground:
            raise NotExact("the sine of a quotient of symbols")
        cosine, sine = ONE, ZERO
        for monomial, coefficient in self.function.numer.terms():
            num_halves = 2 * coefficient / self.function.denom.LC
            if monomial not in self._angles or num_halves.denominator != 1:
                raise NotExact("the sine of a function of symbols")
            t = self._angles[monomial]  # the tangent of a quarter of the angle
            c, s = (ONE - t * t) / (ONE + t * t), TWO * t / (ONE + t * t)
            for _ in range(abs(int(num_halves))):
                cosine, sine = (
                    (cosine * c - sine * s, sine * c + cosine * s)
                    if num_halves > 0
                    else (cosine * c + sine * s, sine * c - cosine * s)
                )
        return cosine, sine


def make_symbols(points: Mapping[int, fmpq], angles: Collection[int]) -> dict[int, Expression]:
    """Return symbols with these values, of which some may be angles.

    An angle and the tangent of its quarter are algebraically independent: each is a symbol.
    """
    from sympy import QQ
    from sympy.polys.fields import field

    symbols = field([f"x{i}" for i in points] + [f"t{i}" for i in angles], QQ)[1:]
    made = {i: Expression(x, points[i]) for i, x in zip(points, symbols, strict=False)}
    tangents = symbols[len(points) :]
    Expression._angles = {
        made[i].function.numer.LM: Expression(t, fmpq(17 * i + 5, 31))
        for i, t in zip(angles, tangents, strict=True)
    }
    return made
