"""Dual numbers agree with the derivatives of mpmath, and never lose a derivative in silence."""

import mpmath
import numpy as np
import pytest

from rbnotes.ledger.exact import stand_ins
from rbnotes.ledger.exact.duals import Dual, new_tag, split
from rbnotes.ledger.exact.expressions import NotExact
from rbnotes.ledger.exact.numbers import ONE, PRECISION, decimal, rational
from rbnotes.ledger.exact.replacements import derivative_along
from rbnotes.ledger.exact.scipy_stand_in import linalg

mpmath.mp.prec = 3 * PRECISION  # mpmath takes differences

xnp = stand_ins.numpy
PAIRS = [
    (lambda x: xnp.sin(x) * xnp.exp(x), lambda x: mpmath.sin(x) * mpmath.exp(x)),
    (lambda x: xnp.sqrt(x) / (1 + xnp.cos(x)), lambda x: mpmath.sqrt(x) / (1 + mpmath.cos(x))),
    (lambda x: xnp.arctan2(x, 1 - x), lambda x: mpmath.atan2(x, 1 - x)),
    (lambda x: xnp.arccos(x) - xnp.arcsin(x**2), lambda x: mpmath.acos(x) - mpmath.asin(x**2)),
    (lambda x: xnp.tan(x) ** 3 + xnp.log(x), lambda x: mpmath.tan(x) ** 3 + mpmath.log(x)),
    (lambda x: xnp.tanh(x) + xnp.sinh(x) - xnp.cosh(x), lambda x: mpmath.tanh(x) - mpmath.exp(-x)),
    (lambda x: x**x, lambda x: x**x),
    (lambda x: abs(-x) ** decimal("2.5"), lambda x: x ** mpmath.mpf("2.5")),
    (lambda x: xnp.hypot(x, 2), lambda x: mpmath.hypot(x, 2)),
    (lambda x: 2**x, lambda x: 2**x),
    (
        lambda x: xnp.linalg.solve([[x, 1], [2, x**2]], [1, x])[1],
        lambda x: mpmath.lu_solve(mpmath.matrix([[x, 1], [2, x**2]]), mpmath.matrix([1, x]))[1],
    ),
    (lambda x: xnp.linalg.det([[x, 1, 0], [2, x, x], [1, 1, x]]), lambda x: x**3 - x**2 - x),
    (lambda x: linalg.expm([[x, 1], [0, 2 * x]])[0, 1], lambda x: (mpmath.exp(2 * x) - mpmath.exp(x)) / x),
    (lambda x: xnp.linalg.norm(xnp.array([x, x**2])), lambda x: mpmath.sqrt(x**2 + x**4)),
]


@pytest.mark.parametrize("pair", PAIRS, ids=range(len(PAIRS)))
def test_first_and_second_derivatives_agree_with_mpmath(pair):
    exact_function, function = pair
    point = rational(1, 3)
    first, second = new_tag(), new_tag()
    result = exact_function(Dual(Dual(point, ONE, first), ONE, second))
    slope = split(result, second)[1]
    actual = [split(slope, first)[0], split(slope, first)[1]]
    for order, derivative in enumerate(actual, start=1):
        right = mpmath.diff(function, mpmath.mpf(1) / 3, order)
        text = str(derivative.value.str(100, radius=False)) if hasattr(derivative.value, "mid") else None
        number = mpmath.mpf(text) if text else mpmath.mpf(int(derivative.value.p)) / int(derivative.value.q)
        assert abs(number - right) < mpmath.mpf(10) ** -60 * max(1, abs(right))


def test_nested_derivatives_are_not_confused():
    # d/dx of x d/dy (x + y) at y = 1 is 1, not 2.
    outer = derivative_along(lambda x: x * derivative_along(lambda y: x + y + 1)[()])
    assert outer[()] == 1


def test_a_lost_derivative_is_an_error():
    with pytest.raises(NotExact, match="derivative"):
        derivative_along(lambda t: np.float64(float(t)))
    with pytest.raises(NotExact, match="derivative"):
        split(0.5, 1)
