"""Degrees of the numbers bound those that sympy computes."""

import numpy as np
import pytest
import sympy

from rbnotes.ledger.exact.arrays import array
from rbnotes.ledger.exact.degrees import VARIABLE, Degree
from rbnotes.ledger.exact.numbers import Exact, rational, trace
from rbnotes.ledger.exact.replacements import random_variable, seed_offsets, unit_vector_near

x, y, z = sympy.symbols("x y z")


def det3(a, b, c):
    M = [[a, b, 1], [c, a / b, 2], [1, c, b]]
    if isinstance(a, sympy.Symbol):
        return sympy.Matrix(M).det()
    return np.linalg.det(array(M))


def solve2(a, b, c):
    M, right = [[a, b / c], [c, a]], [b, 1]
    if isinstance(a, sympy.Symbol):
        return sympy.Matrix(M).LUsolve(sympy.Matrix(right))[0]
    return np.linalg.solve(array(M), array(right))[0]


FORMS = [
    lambda a, b, c: a * b + c**3,
    lambda a, b, c: a / b + c / b - 1,
    lambda a, b, c: a / b + b / c + c / a,
    lambda a, b, c: (a + b) / (a - b) - c,
    lambda a, b, c: (a * b / c) ** -2,
    lambda a, b, c: 1 / (1 / a + 1 / b),
    lambda a, b, c: a - a + 1,
    det3,
    solve2,
]


@pytest.mark.parametrize("form", FORMS, ids=range(len(FORMS)))
def test_degree_bounds_the_degree_of_the_numerator(form):
    variables = [Exact(rational(k, 7).value, False, VARIABLE) for k in (3, 5, 11)]
    numerator = sympy.fraction(sympy.cancel(form(x, y, z)))[0]
    result = form(*variables).degree
    assert result.numerator >= sympy.Poly(numerator, x, y, z).total_degree()
    assert result.numerator <= 12


def test_common_denominators_count_once():
    a, b, c = (Exact(rational(k, 7).value, False, VARIABLE) for k in (3, 5, 11))
    length = a * a + 1
    assert (a / length + b / length + c / length).degree.numerator == 1


def test_roots_of_squares_halve_the_degree():
    a = Exact(rational(3, 7).value, False, VARIABLE)
    assert (a * a / 4).sqrt().degree == Degree(1)


def test_inputs_are_rational_points_with_degrees():
    seed_offsets("here")
    u = unit_vector_near([3.0, -4.0, 12.0])
    assert sum(u * u) == 1
    assert max(each.degree.numerator for each in u.view(np.ndarray)) == 2
    assert abs(float(u[0]) - 3 / 13) < 1e-6
    seed_offsets("here")
    assert unit_vector_near([3.0, -4.0, 12.0])[0] == u[0]
    seed_offsets("there")
    assert unit_vector_near([3.0, -4.0, 12.0])[0] != u[0]


def test_branches_are_recorded_by_their_outcome():
    paths = []
    for value in (rational(1, 3), rational(2, 3), rational(1, 4)):
        trace.reset()
        a = random_variable(value.value, rational(1, 100).value)
        assert isinstance(bool(a < rational(1, 2)), bool)
        paths.append(trace.path)
    assert paths[0] != paths[1]
    assert paths[0] == paths[2]
