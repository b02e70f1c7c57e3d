"""Sueda 1.9.4, the curves of the muscle: their conditions, linear system and printed coefficients.

The oracle solves no linear system for coefficients of powers: cubics come from Hermite and Newton
interpolation, or from an elimination by hand.
"""

from __future__ import annotations

import numpy as np
from scipy.interpolate import CubicHermiteSpline, KroghInterpolator, PPoly

from rbnotes.forces.muscle import (
    ACTIVE_FORCE_LENGTH,
    FORCE_VELOCITY,
    Condition,
    piecewise_cubic,
    power_coefficients,
)
from rbnotes.ledger.claims.sueda.section_1_9_4 import section
from rbnotes.ledger.quantities import NUMBER
from rbnotes.ledger.record import Argument, Result
from rbnotes.testing.strategies import numbers, vectors


def interpolated_coefficients(cubics):
    """Return the coefficients ``(n, 4)`` of cubics given as functions, from four values of each."""
    nodes = np.array([-1.0, 0.0, 1.0, 2.0])
    return np.array([np.linalg.solve(np.vander(nodes, 4), cubic(nodes)) for cubic in cubics])


def hermite_cubics(x, y, derivatives):
    """Return the cubics between neighbors of x with these values and derivatives, as functions on the whole line."""
    curve = CubicHermiteSpline(x, y, derivatives)
    return [PPoly(curve.c[:, i : i + 1], curve.x[i : i + 2]) for i in range(len(x) - 1)]


def active_reference():
    """Compare with Newton interpolation of the middle cubic, then Hermite interpolation of the outer ones.

    The middle cubic has its values at 0.7, 1 and 1.2 and its derivative at 1; the outer ones match its ends.
    """
    middle = KroghInterpolator([0.7, 1.0, 1.0, 1.2], [0.767020368396388, 1.0, 0.0, 0.89])
    left, right = middle.derivative(0.7), middle.derivative(1.2)
    x, y, derivatives = [0.4, 0.7, 1.2, 1.81], [0.0, 0.767020368396388, 0.89, 0.0], [0.0, left, right, 0.0]
    first, _, last = hermite_cubics(x, y, derivatives)
    return interpolated_coefficients([first, middle, last])


def velocity_reference():
    """Compare with cubics that satisfy the conditions at -1, 0 and 1 by construction, joined in closed form.

    f1 = A (x + 1)^3, f3 = 1.4 + B (x - 1)^3 and f2 = 1 + 5 x + b x^2 + a x^3 are joined at -e and e.
    """
    e, t = 0.05, 0.95
    a = (1.4 - 10 * e - 10 * t / 3) / (2 * e**2 * (t + e))
    b = -0.6 / (2 * e**2 + 4 * t * e / 3)
    A = (5 - 2 * b * e + 3 * a * e**2) / (3 * t**2)
    B = (5 + 2 * b * e + 3 * a * e**2) / (3 * t**2)
    return np.array([[A, 3 * A, 3 * A, A], [a, b, 5, 1], [B, -3 * B, 3 * B, 1.4 - B]])


def active_library():
    return power_coefficients(ACTIVE_FORCE_LENGTH)


def velocity_library():
    return power_coefficients(FORCE_VELOCITY)


def passive_printed():
    return [
        [2.55305620081729, -7.02386028610914, 6.38855196976641, -1.91774788447456],
        [-2.76122280853939, 14.6587935048229, -23.0429533092186, 11.3749950550874],
    ]


def active_printed():
    return [
        [-39.881247949014, 68.3443204612586, -35.5324573534802, 5.83029153632759],
        [-0.322674853252855, -1.71744046959073, 4.40290549894003, -1.36279017609645],
        [4.85118460831817, -20.9908796589089, 28.3080866793169, -11.2356843095252],
    ]


def velocity_printed():
    return [
        [0.915253473864379, 2.74576042159314, 2.74576042159314, 0.915253473864378],
        [-453.333333333333, -8.78048780487805, 5, 1],
        [0.266648649866, -0.799945949598001, 0.799945949598001, 1.133351350134],
    ]


def condition_values(cubics, point_conditions, knots):
    """Return the values of the point conditions (cubic, x, order), then jumps of value and derivative at the knots."""
    polynomials = [np.polynomial.Polynomial(cubic[::-1]) for cubic in cubics]
    values = [
        polynomials[i].deriv(order)(x) if order else polynomials[i](x) for i, x, order in point_conditions
    ]
    jumps = [
        left.deriv(order)(x) - right.deriv(order)(x)
        for left, right, x in zip(polynomials, polynomials[1:], knots, strict=False)
        for order in (0, 1)
    ]
    return np.array(values + jumps)


def condition_values_by_horner(cubics, point_conditions, knots):
    """Evaluate the conditions of cubics given by coefficients, by Horner's rule."""
    derivatives = [[np.polyder(cubic, order) for order in (0, 1, 2)] for cubic in cubics]
    values = [np.polyval(derivatives[i][order], x) for i, x, order in point_conditions]
    jumps = [
        np.polyval(derivatives[i][order], x) - np.polyval(derivatives[i + 1][order], x)
        for i, x in enumerate(knots)
        for order in (0, 1)
    ]
    return np.array(values + jumps)


ACTIVE_CONDITIONS = [
    (0, 0.4, 0),
    (0, 0.4, 1),
    (1, 1.0, 0),
    (1, 1.0, 1),
    (2, 1.81, 0),
    (2, 1.81, 1),
    (0, 0.7, 0),
    (1, 1.2, 0),
]
VELOCITY_CONDITIONS = [
    (0, -1.0, 0),
    (0, -1.0, 1),
    (0, -1.0, 2),
    (2, 1.0, 0),
    (2, 1.0, 1),
    (2, 1.0, 2),
    (1, 0.0, 0),
    (1, 0.0, 1),
]


ACTIVE = (ACTIVE_FORCE_LENGTH, power_coefficients)
VELOCITY = (FORCE_VELOCITY, power_coefficients)


@section.holds("e1.40", "A cubic and its derivatives")
class e1_40:
    formula = (
        r"f_i = a_ix^3 + b_ix^2 + c_ix + d_i,\quad f_i' = 3a_ix^2 + 2b_ix + c_i,\quad f_i'' = 6a_ix + 2b_i"
    )
    inputs = {"coefficients": vectors(4), "x": numbers()}
    arguments = {"x": Argument(NUMBER)}
    result = Result(NUMBER, "value, first and second derivative")

    def printed(coefficients, x):
        a, b, c, d = coefficients
        f = a * x**3 + b * x**2 + c * x + d
        derivative = 3 * a * x**2 + 2 * b * x + c
        curvature = 6 * a * x + 2 * b
        return np.array([f, derivative, curvature])

    def library(coefficients, x):
        values = [Condition(0, point, 0, np.polyval(coefficients, point)) for point in (-1.0, 0.0, 1.0, 2.0)]
        curve = piecewise_cubic((-3.0, 3.0), values)
        return np.array([curve(x, order) for order in (0, 1, 2)])

    def reference(coefficients, x):
        """Compare with Horner's rule on the Taylor series of x + t in t."""
        series = np.zeros(4)
        for coefficient in coefficients:
            series = x * series + np.append(0.0, series[:-1])
            series[0] += coefficient
        return series[:3] * [1, 1, 2]

    implements = piecewise_cubic


@section.holds("e1.43", "Conditions of the active force length curve")
class e1_43:
    formula = r"f_1(0.4) = f_1'(0.4) = 0,\ f_2(1) = 1,\ f_2'(1) = 0,\ f_3(1.81) = f_3'(1.81) = 0,\ \ldots"
    result = Result(NUMBER, "left sides of the conditions, in their order")

    def printed():
        return np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.767020368396388, 0.89, 0.0, 0.0, 0.0, 0.0])

    def library():
        return condition_values(active_library(), ACTIVE_CONDITIONS, (0.7, 1.2))

    def reference():
        """Compare with values, derivatives and jumps of interpolated cubics."""
        return condition_values_by_horner(active_reference(), ACTIVE_CONDITIONS, (0.7, 1.2))

    tolerance = 1e-12
    tolerance_reason = "the values at 0.7 and 1.2 define the curve: the reference interpolates them"
    exact = "no inputs: the conditions are numbers"
    remark = "These are twelve independent conditions for twelve coefficients."
    implements = ACTIVE


@section.demonstration("e1.44", "Coefficients of the active force length curve")
class e1_44:
    formula = r"a_1 = -39.881247949014,\ \ldots,\ d_3 = -11.2356843095252"
    result = Result(NUMBER, "a row for each cubic, the highest power first")

    def printed():
        """Return the coefficients to twelve digits; the last printed digits are rounding errors, see the remark."""
        return [
            [-39.881247949, 68.3443204613, -35.5324573535, 5.83029153633],
            [-0.322674853253, -1.71744046959, 4.40290549894, -1.3627901761],
            [4.85118460832, -20.9908796589, 28.3080866793, -11.2356843095],
        ]

    library = active_library
    reference = active_reference
    tolerance = 5e-10
    tolerance_reason = "the printed numbers are compared to twelve digits"
    remark = (
        "Twelve significant digits agree in every coefficient. The last two or three printed digits "
        r"(largest difference $1.4\cdot10^{-12}$) are rounding errors; only $a_1$ is right to its last "
        "digit."
    )
    implements = ACTIVE


@section.holds("e1.45", "Conditions of the force velocity curve")
class e1_45:
    formula = r"f_1(-1) = f_1'(-1) = f_1''(-1) = 0,\ f_3(1) = 1.4,\ f_3'(1) = f_3''(1) = 0,\ f_2(0) = 1,\ f_2'(0) = 5,\ \ldots"
    result = Result(NUMBER, "left sides of the conditions, in their order")

    def printed():
        return np.array([0.0, 0.0, 0.0, 1.4, 0.0, 0.0, 1.0, 5.0, 0.0, 0.0, 0.0, 0.0])

    def library():
        return condition_values(velocity_library(), VELOCITY_CONDITIONS, (-0.05, 0.05))

    def reference():
        """Compare with values, derivatives and jumps of cubics that are joined in closed form."""
        return condition_values_by_horner(velocity_reference(), VELOCITY_CONDITIONS, (-0.05, 0.05))

    tolerance = 1e-12
    exact = "no inputs: the conditions are numbers"
    remark = "The curve is C1 at its inner knots and C2 at its ends."
    implements = VELOCITY


@section.demonstration("e1.46", "Coefficients of the force velocity curve")
class e1_46:
    formula = r"a_1 = 0.915253473864379,\ \ldots,\ d_3 = 1.133351350134"
    result = Result(NUMBER, "a row for each cubic, the highest power first")

    def printed():
        """Return the coefficients to twelve digits; the last printed digits are rounding errors, see the remark."""
        return [
            [0.915253473864, 2.74576042159, 2.74576042159, 0.915253473864],
            [-453.333333333, -8.78048780488, 5, 1],
            [0.266648649866, -0.799945949598, 0.799945949598, 1.13335135013],
        ]

    library = velocity_library
    reference = velocity_reference
    tolerance = 5e-9
    tolerance_reason = "the printed numbers are compared to twelve digits"
    remark = (
        "All digits agree except the last ones of $d_1$, which should equal $a_1 = 0.9152534738643785$, "
        "and of $b_3 = -c_3 = -0.799945949598000$."
    )
    implements = VELOCITY
