"""The muscle's curves against exact rational solutions, its law against differences and plain formulas."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from rbnotes.arguments import InvalidArgument
from rbnotes.forces.muscle import (
    ACTIVE_FORCE_LENGTH,
    FORCE_VELOCITY,
    PASSIVE_FORCE_LENGTH,
    Condition,
    Muscle,
    piecewise_cubic,
    power_coefficients,
)
from rbnotes.testing import derivative
from rbnotes.testing.strategies import numbers, positive_numbers

CURVES = {
    "passive": (PASSIVE_FORCE_LENGTH, ("1", "1.3", "1.7")),
    "active": (ACTIVE_FORCE_LENGTH, ("0.4", "0.7", "1.2", "1.81")),
    "velocity": (FORCE_VELOCITY, ("-1", "-0.05", "0.05", "1")),
}
# What each cubic (counted from 1) does besides joining its neighbors: cubic, x, order, value.
STATED = {
    "passive": [
        (1, "1", 0, "0"),
        (1, "1.3", 0, "0.126110265892917"),
        (2, "1.7", 0, "1"),
        (1, "1", 1, "0"),
        (1, "1.3", 1, "1.07051016402631"),
        (2, "1.7", 1, "2.85714285714286"),
    ],
    "active": [
        (1, "0.4", 0, "0"),
        (1, "0.4", 1, "0"),
        (2, "1", 0, "1"),
        (2, "1", 1, "0"),
        (3, "1.81", 0, "0"),
        (3, "1.81", 1, "0"),
        (1, "0.7", 0, "0.767020368396388"),
        (2, "1.2", 0, "0.89"),
    ],
    "velocity": [
        *((1, "-1", order, "0") for order in (0, 1, 2)),
        (3, "1", 0, "1.4"),
        (3, "1", 1, "0"),
        (3, "1", 2, "0"),
        (2, "0", 0, "1"),
        (2, "0", 1, "5"),
    ],
}
X = sympy.Symbol("x")


def exact_cubics(name):
    """Return the cubics with rational coefficients, solved symbolically from the stated conditions."""
    _, knots = CURVES[name]
    unknowns = [sympy.symbols(f"a{i} b{i} c{i} d{i}") for i in range(len(knots) - 1)]
    cubics = [a * X**3 + b * X**2 + c * X + d for a, b, c, d in unknowns]
    equations = [
        sympy.diff(cubics[i - 1], X, order).subs(X, sympy.Rational(x)) - sympy.Rational(value)
        for i, x, order, value in STATED[name]
    ]
    for left, right, knot in zip(cubics, cubics[1:], knots[1:-1], strict=False):
        for order in (0, 1):
            equations.append(sympy.diff(left - right, X, order).subs(X, sympy.Rational(knot)))
    solution = sympy.linsolve(equations, [u for group in unknowns for u in group])
    values = iter(next(iter(solution)))
    return [[Fraction(int((v := next(values)).p), int(v.q)) for _ in range(4)] for _ in cubics]


@pytest.mark.parametrize("name", CURVES)
class TestCurves:
    def test_coefficients_against_exact_solution(self, name):
        curve, _ = CURVES[name]
        exact = np.array(exact_cubics(name), dtype=float)
        assert_allclose(power_coefficients(curve), exact, rtol=1e-12)

    def test_values_and_derivatives_between_knots(self, name):
        curve, knots = CURVES[name]
        for cubic, left, right in zip(exact_cubics(name), knots, knots[1:], strict=False):
            x = np.linspace(float(left), float(right), 7)[:-1]
            polynomial = np.array(cubic, dtype=float)
            assert_allclose(curve(x), np.polyval(polynomial, x), atol=1e-11)
            assert_allclose(curve(x, 1), np.polyval(np.polyder(polynomial), x), atol=1e-11)

    def test_curves_are_c1(self, name):
        curve, knots = CURVES[name]
        knot_positions = np.array(knots, dtype=float)
        for order in (0, 1):
            assert_allclose(
                curve(knot_positions - 1e-11, order), curve(knot_positions + 1e-11, order), atol=1e-8
            )

    def test_curve_extrapolates_linearly(self, name):
        curve, knots = CURVES[name]
        low, high = float(knots[0]), float(knots[-1])
        distance = np.array([0.1, 1.0, 30.0])
        for end, beyond in ((low, low - distance), (high, high + distance)):
            tangent = curve(end) + curve(end, 1) * (beyond - end)
            assert_allclose(curve(beyond), tangent, rtol=1e-12, atol=1e-12)

    def test_antiderivative(self, name):
        curve, _ = CURVES[name]
        area = curve.antiderivative()
        for x in (-2.03, 0.55, 1.02, 1.51, 2.2):
            assert_allclose(derivative(lambda s: area(s), x, step=1e-3).value, curve(x), atol=1e-10)


def test_shapes_of_the_curves():
    x = np.linspace(-3, 3, 6001)
    assert_allclose(ACTIVE_FORCE_LENGTH(x).max(), 1.0, atol=1e-12)
    assert x[ACTIVE_FORCE_LENGTH(x).argmax()] == pytest.approx(1.0)
    assert ACTIVE_FORCE_LENGTH(x).min() >= -1e-13
    assert np.all(ACTIVE_FORCE_LENGTH([0.3, 0.4, 1.81, 5.0]) == pytest.approx(0.0, abs=1e-13))
    assert np.all(np.diff(FORCE_VELOCITY(x)) >= -1e-13)
    assert_allclose(FORCE_VELOCITY([-9.0, 0.0, 9.0]), [0.0, 1.0, 1.4], atol=1e-13)
    assert np.all(np.diff(PASSIVE_FORCE_LENGTH(x), 2) >= -1e-13), "the passive curve is convex"
    assert_allclose(PASSIVE_FORCE_LENGTH([0.0, 1.0, 1.7]), [0.0, 0.0, 1.0], atol=1e-13)


class TestPiecewiseCubic:
    def test_one_cubic_through_four_points(self):
        conditions = [Condition(0, x, 0, x**3 - 2 * x + 1) for x in (0.0, 1.0, 2.0, 3.0)]
        curve = piecewise_cubic((0.5, 2.0), conditions)
        assert_allclose(power_coefficients(curve), [[1, 0, -2, 1]], atol=1e-12)

    def test_extrapolation_with_given_slopes(self):
        conditions = [Condition(0, x, 0, x**3 - 2 * x + 1) for x in (0.0, 1.0, 2.0, 3.0)]
        curve = piecewise_cubic((0.5, 2.0), conditions)
        for end, away in ((0.5, -0.7), (0.5, -3.0), (2.0, 0.7), (2.0, 4.0)):
            expected_slope = 3 * end**2 - 2
            assert_allclose(curve(end + away), end**3 - 2 * end + 1 + expected_slope * away, atol=1e-12)
            assert_allclose(curve(end + away, 1), expected_slope, atol=1e-12)

    @pytest.mark.parametrize("knots", [(1.0,), (1.0, 1.0), (2.0, 1.0), (0.0, 2.0, 1.0), (0.0, 1.0, 1.0)])
    def test_knots_must_increase(self, knots):
        with pytest.raises(InvalidArgument, match=r"knots.*two or more increasing numbers"):
            piecewise_cubic(knots, [])

    def test_conditions_must_determine_the_curve(self):
        few = [Condition(0, 0.0, 0, 1.0)]
        with pytest.raises(InvalidArgument, match="conditions: got 1 conditions"):
            piecewise_cubic((0.0, 1.0), few)
        with pytest.raises(InvalidArgument, match="independent"):
            piecewise_cubic((0.0, 1.0), 4 * few)


@st.composite
def muscles(draw):
    return Muscle(
        peak_force=draw(positive_numbers()),
        optimal_length=draw(positive_numbers()),
        max_velocity=draw(positive_numbers()),
        tendon_length=draw(numbers(0.0, 1.0)),
        activation=draw(numbers(0.0, 1.0)),
    )


def off_knots(x, knots):
    """Return a number at least 0.02 away from every knot, so that differences do not reach over one."""
    nearest = min(knots, key=lambda knot: abs(x - knot))
    return x if abs(x - nearest) >= 0.02 else nearest + (0.02 if x >= nearest else -0.02)


class TestMuscle:
    @given(muscles(), st.floats(0.2, 2.2), st.floats(-1.5, 1.5))
    def test_force_and_derivatives(self, muscle, length, rate):
        length = off_knots(length, [0.4, 0.7, 1.0, 1.2, 1.3, 1.7, 1.81])
        rate = off_knots(rate, [-1.0, -0.05, 0.05, 1.0])
        L = muscle.tendon_length + muscle.optimal_length * length
        speed = muscle.optimal_length * muscle.max_velocity
        Ldot = speed * rate
        actual = muscle(L, Ldot)
        active = muscle.activation * ACTIVE_FORCE_LENGTH(length) * FORCE_VELOCITY(rate)
        F = muscle.peak_force * (active + PASSIVE_FORCE_LENGTH(length))
        assert_allclose(actual.F, F, rtol=1e-11, atol=1e-12)
        expected = derivative(lambda s: muscle(L + s, Ldot).F, step=1e-3 * muscle.optimal_length)
        assert_allclose(actual.dF_dL, expected.value, rtol=1e-8, atol=1e-8 + expected.error)
        expected = derivative(lambda s: muscle(L, Ldot + s).F, step=1e-3 * speed)
        assert_allclose(actual.dF_dLdot, expected.value, rtol=1e-8, atol=1e-8 + expected.error)

    def test_force_at_landmarks(self):
        muscle = Muscle(1000.0, 0.1, 10.0, tendon_length=0.2, activation=1.0)
        forces = [
            muscle(L, Ldot).F
            for L, Ldot in [
                (0.3, 0.0),  # optimal length, at rest: the peak isometric force
                (0.3, -1.0),  # largest speed of shortening: none
                (0.3, 1.0),  # pulled out as fast: more
                (0.37, 0.0),  # at 1.7 times the optimal length: the passive tissue adds the peak force
                (0.0, 0.0),  # path shorter than the tendon: slack
            ]
        ]
        expected = [1000.0, 0.0, 1400.0, 1000.0 * (1 + ACTIVE_FORCE_LENGTH(1.7)), 0.0]
        assert_allclose(forces, expected, atol=1e-9)

    @given(muscles(), numbers(0.5, 4.0))
    def test_passive_energy(self, muscle, L):
        relaxed = Muscle(muscle.peak_force, muscle.optimal_length, muscle.max_velocity, muscle.tendon_length)
        numeric = derivative(muscle.energy, L, step=1e-4)
        assert_allclose(relaxed(L, 0.0).F, numeric.value, rtol=1e-6, atol=1e-6)
        assert muscle.energy(L) >= 0

    @given(muscles(), numbers(0.0, 4.0), numbers(-2.0, 2.0))
    def test_velocity_dependence_dissipates(self, muscle, L, Ldot):
        assert (muscle(L, Ldot).F - muscle(L, 0.0).F) * Ldot >= -1e-12

    def test_arrays(self):
        activations = np.array([0.0, 0.5, 1.0])
        muscle = Muscle(2.0, 1.0, 3.0, activation=activations)
        result = muscle(np.full((4, 1), 1.1), 0.3)
        assert all(part.shape == (4, 3) for part in result)
        single = [Muscle(2.0, 1.0, 3.0, activation=a)(1.1, 0.3).F for a in activations]
        assert_allclose(result.F[2], single, rtol=1e-14)

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"activation": 1.01}, r"activation: got 1.01, expected numbers in \[0, 1\]"),
            ({"activation": -0.1}, "activation: got -0.1"),
            ({"peak_force": 0.0}, "peak_force"),
            ({"optimal_length": -1.0}, "optimal_length"),
            ({"max_velocity": 0.0}, "max_velocity"),
            ({"tendon_length": -0.1}, "tendon_length"),
            ({"activation": np.nan}, "activation: got NaN"),
        ],
    )
    def test_bad_parameters(self, changes, message):
        with pytest.raises(InvalidArgument, match=message):
            Muscle(**{"peak_force": 1.0, "optimal_length": 1.0, "max_velocity": 1.0, **changes})

    def test_bad_states(self):
        muscle = Muscle(1.0, 1.0, 1.0)
        with pytest.raises(InvalidArgument, match=r"^L:"):
            muscle(-0.1, 0.0)
        with pytest.raises(InvalidArgument, match=r"^Ldot:"):
            muscle(1.0, np.nan)
