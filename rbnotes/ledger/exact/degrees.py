"""Degrees of rational functions, for the bound of Schwartz and Zippel.

A number that is computed from random variables by the four operations is a rational function of them. Its
numerator is a polynomial; a bound on the degree of that polynomial is tracked along with the value. If the
polynomial is not zero, then it vanishes at a point drawn from S^n with a probability of at most degree / |S|.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import count
from typing import NamedTuple

_new_factor = count(1)


class Factor(NamedTuple):
    """Polynomial divisor.

    Attributes
    ----------
    number
        Number that identifies the polynomial.
    degree
        Bound on its degree.
    """

    number: int
    degree: int


class Degree(NamedTuple):
    """Bound on the degree of a rational function.

    Attributes
    ----------
    numerator
        Bound on the degree of the numerator.
    denominator
        Factors of the denominator and their powers.
    """

    numerator: int
    denominator: tuple[tuple[Factor, int], ...] = ()


CONSTANT = Degree(0)
VARIABLE = Degree(1)


@lru_cache(maxsize=1 << 16)
def sum_degree(a: Degree, b: Degree) -> Degree:
    """Return the degree of a sum, over the least common denominator."""
    if a.denominator == b.denominator:
        return Degree(max(a.numerator, b.numerator), a.denominator)
    common = dict(a.denominator)
    for factor, power in b.denominator:
        common[factor] = max(power, common.get(factor, 0))
    denominator = _sorted_factors(common)
    total = _total_degree(denominator)
    return Degree(
        max(each.numerator + total - _total_degree(each.denominator) for each in (a, b)),
        denominator,
    )


@lru_cache(maxsize=1 << 16)
def product_degree(a: Degree, b: Degree) -> Degree:
    """Return the degree of a product."""
    powers = dict(a.denominator)
    for factor, power in b.denominator:
        powers[factor] = powers.get(factor, 0) + power
    return Degree(a.numerator + b.numerator, _sorted_factors(powers))


def quotient_degree(a: Degree, b: Degree, factor: Factor | None) -> Degree:
    """Return the degree of a quotient; `factor` is the numerator of the divisor, None for a constant."""
    powers, numerator = dict(a.denominator), a.numerator
    for each, power in b.denominator:
        cancelled = min(power, powers.get(each, 0))
        powers[each] = powers.get(each, 0) - cancelled
        numerator += (power - cancelled) * each.degree
    if factor is not None:
        powers[factor] = powers.get(factor, 0) + 1
    return Degree(numerator, _sorted_factors(powers))


def root_degree(a: Degree) -> Degree:
    """Return the degree of the square root of a rational function that is a square."""
    numerator, powers = a.numerator, {}
    for factor, power in a.denominator:
        numerator += factor.degree * (power % 2)
        powers[factor] = (power + 1) // 2
    return Degree((numerator + 1) // 2, _sorted_factors(powers))


def new_factor(degree: int) -> Factor | None:
    """Return a factor unlike all others; None for a constant."""
    return Factor(next(_new_factor), degree) if degree else None


def row_degree(degrees: Iterable[Degree]) -> Degree:
    """Return the largest numerator of several numbers over their least common denominator."""
    result = CONSTANT
    for degree in degrees:
        result = sum_degree(result, degree)
    return result


def _sorted_factors(powers: dict[Factor, int]) -> tuple[tuple[Factor, int], ...]:
    return tuple(sorted((factor, power) for factor, power in powers.items() if power))


def _total_degree(denominator: tuple[tuple[Factor, int], ...]) -> int:
    return sum(factor.degree * power for factor, power in denominator)
