"""Stand-ins for ``scipy.interpolate`` and ``numpy.polynomial``: piecewise polynomials and quadrature."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.interpolate
from flint import arb

from rbnotes.ledger.exact import linear_algebra as la
from rbnotes.ledger.exact.arrays import array, implements_numpy, object_array, plain_objects, wrap
from rbnotes.ledger.exact.expressions import NotExact
from rbnotes.ledger.exact.numbers import Exact, convert, real_part
from rbnotes.ledger.exact.stand_ins import ModuleStandIn, numpy

MIN_INTEGRAL_NODES = 6
"""Number of nodes from which a quadrature stands for an integral."""


def _polynomial(coefficients: Any, x: Any, order: int) -> Any:
    """Return a derivative of a polynomial, highest power first, by Horner's rule."""
    degree = len(coefficients) - 1
    result = 0 * coefficients[0]
    for i, c in enumerate(coefficients[: max(degree + 1 - order, 0)]):
        result = result * x + c * math.perm(degree - i, order)
    return result


def _interval(breakpoints: np.ndarray, x: Any) -> int:
    """Return the index of the interval that contains x; those at the ends extend to infinity."""
    count, x = len(breakpoints) - 1, real_part(x)
    return next((i for i in range(count - 1) if x < breakpoints[i + 1]), count - 1)


class PPoly:
    """Piecewise polynomial, as ``scipy.interpolate.PPoly``."""

    def __init__(self, c: Any, x: Any, extrapolate: Any = None) -> None:
        self.c, self.x = array(c, float), array(x, float)

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        coefficients, knots = plain_objects(self.c), plain_objects(self.x)
        points = plain_objects(x)
        values = []
        for each in points.reshape(-1):
            i = _interval(knots, each)
            values.append(_polynomial(coefficients[:, i], each - knots[i], nu))
        trailing = coefficients.shape[2:]
        entries = [entry for value in values for entry in np.ravel(np.asarray(value, object))]
        return wrap(object_array(entries, points.shape + trailing))

    def derivative(self, nu: int = 1) -> PPoly:
        """Return the derivative as a piecewise polynomial."""
        degree = len(self.c) - 1
        factors = array([math.perm(degree - i, nu) for i in range(max(degree + 1 - nu, 0))], float)
        return PPoly(self.c[: len(factors)] * factors.reshape(-1, *[1] * (self.c.ndim - 1)), self.x)

    def antiderivative(self) -> PPoly:
        """Return the integral from the first breakpoint as a piecewise polynomial."""
        coefficients, knots = plain_objects(self.c), plain_objects(self.x)
        degree = len(coefficients) - 1
        raised = [c / convert(degree + 1 - i) for i, c in enumerate(coefficients)]
        rows = np.stack([*raised, 0 * coefficients[0]])
        for i in range(1, coefficients.shape[1]):
            rows[-1, i] = _polynomial(rows[:, i - 1], knots[i] - knots[i - 1], 0)
        return PPoly(wrap(rows), self.x)


class CubicHermiteSpline(PPoly):
    """Cubics with given values and derivatives at their ends."""

    def __init__(self, x: Any, y: Any, dydx: Any, axis: int = 0, extrapolate: Any = None) -> None:
        x, y, slopes = plain_objects(x), plain_objects(y), plain_objects(dydx)
        widths = np.diff(x).reshape(-1, *[1] * (y.ndim - 1))
        secants = np.diff(y, axis=0) / widths
        left, right = slopes[:-1], slopes[1:]
        cubic = (left + right - 2 * secants) / widths**2
        square = (3 * secants - 2 * left - right) / widths
        super().__init__(wrap(np.stack([cubic, square, left, y[:-1]])), wrap(x))


class KroghInterpolator:
    """Polynomial through points; repeated points give derivatives."""

    def __init__(self, xi: Any, yi: Any) -> None:
        nodes, values = plain_objects(xi), plain_objects(yi)
        count = len(nodes)
        orders = [sum(bool(nodes[j] == nodes[i]) for j in range(i)) for i in range(count)]
        rows = [
            [
                convert(math.perm(power, order)) * node ** max(power - order, 0)
                for power in reversed(range(count))
            ]
            for node, order in zip(nodes, orders, strict=True)
        ]
        self.c = la.solve(wrap(object_array([e for row in rows for e in row], (count, count))), wrap(values))

    def __call__(self, x: Any) -> Any:
        return self.derivative(x, 0)

    def derivative(self, x: Any, der: int = 1) -> Any:
        """Return a derivative at points."""
        points = plain_objects(x)
        coefficients = plain_objects(self.c)
        values = [_polynomial(coefficients, each, der) for each in points.reshape(-1)]
        result = wrap(object_array(values, points.shape))
        return result if result.ndim else result[()]


class BSpline:
    """Spline in the basis of B-splines, by the recursion of Cox and de Boor."""

    def __init__(self, t: Any, c: Any, k: int, extrapolate: bool = True, axis: int = 0) -> None:
        self.t, self.c, self.k = array(t, float), array(c, float), k

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        points, knots = plain_objects(x), plain_objects(self.t)
        coefficients = plain_objects(self.c)
        values = [self._value(knots, list(coefficients), each, nu) for each in points.reshape(-1)]
        entries = [entry for value in values for entry in np.ravel(np.asarray(value, object))]
        return wrap(object_array(entries, points.shape + coefficients.shape[1:]))

    def _value(self, knots: np.ndarray, c: list[Any], x: Any, order: int) -> Any:
        """Return a derivative of the spline at a number by de Boor's algorithm."""
        degree = self.k
        first = _interval(knots[degree : len(c) + 1], x) + degree
        for _ in range(order):  # the derivative is a spline of the next lower degree, on the same knots
            c = [0 * c[0]] + [
                (c[i] - c[i - 1]) * (degree / (knots[i + degree] - knots[i])) if knots[i + degree] != knots[i]
                else 0 * c[0]
                for i in range(1, len(c))
            ]  # fmt: skip
            degree -= 1
            if degree < 0:
                return 0 * c[0]
        d = [c[first - degree + j] for j in range(degree + 1)]
        for r in range(1, degree + 1):
            for j in range(degree, r - 1, -1):
                left, right = knots[first - degree + j], knots[first + 1 + j - r]
                a = (x - left) / (right - left)
                d[j] = d[j - 1] * (1 - a) + d[j] * a
        return d[degree]


def leggauss(count: int) -> tuple[Any, Any]:
    """Return nodes and weights of Gauss's quadrature on (-1, 1).

    Rules with many nodes stand for integrals, which they do not enclose: their numbers are tainted.
    """
    roots = [arb.legendre_p_root(count, i, weight=True) for i in reversed(range(count))]
    tainted = count >= MIN_INTEGRAL_NODES
    return tuple(wrap(object_array([Exact(root[k], tainted) for root in roots], (count,))) for k in (0, 1))


def _fit(x: Any, y: Any, deg: int, **options: Any) -> Any:
    """Return the coefficients of a least-squares polynomial, lowest power first."""
    if options:
        raise NotExact("weights of a polynomial fit")
    x, y = array(x, float), array(y, float)
    powers = np.stack([x**k for k in range(deg + 1)], axis=-1)
    return la.solve(powers.T @ powers, powers.T @ y)


@implements_numpy(np.polyfit)
def _polyfit(x: Any, y: Any, deg: int, **options: Any) -> Any:
    return _fit(x, y, deg, **options)[::-1]


interpolate = ModuleStandIn(
    scipy.interpolate,
    {each.__name__: each for each in (BSpline, CubicHermiteSpline, KroghInterpolator, PPoly)},
)
legendre = ModuleStandIn(np.polynomial.legendre, {"leggauss": leggauss})
power_series = ModuleStandIn(np.polynomial.polynomial, {"polyfit": _fit})
polynomial = ModuleStandIn(np.polynomial, {"legendre": legendre, "polynomial": power_series})
numpy.__dict__["polynomial"] = polynomial
