"""Tension laws: derivatives against complex steps, energies, signs, broadcasting, errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbnotes.arguments import InvalidArgument
from rbnotes.forces import (
    CallableTensionLaw,
    ConstantTension,
    LinearSpring,
    LinearStress,
    QuadraticStrain,
    SpringDamper,
    stress,
)
from rbnotes.testing import complex_step, derivative
from rbnotes.testing.strategies import numbers, positive_numbers

# Each law beside its formula, written a second time as a function of (L, Ldot) that takes complex numbers.
LAWS = {
    "linear": (
        LinearSpring,
        ("stiffness", "damping", "rest_length"),
        lambda L, Ldot, k, d, r: k * L - k * r + d * Ldot,
    ),
    "spring-damper": (
        SpringDamper,
        ("stiffness", "damping", "rest_length"),
        lambda L, Ldot, k, d, r: k * L / r - k + d * Ldot / r,
    ),
    "linear stress": (
        LinearStress,
        ("stiffness", "rest_length"),
        lambda L, Ldot, k, r: (k * (L - r) / L) * L,
    ),
    "quadratic strain": (
        QuadraticStrain,
        ("stiffness", "rest_length"),
        lambda L, Ldot, k, r: k * L * (L / r - 1) * (L / r + 1) / 2,
    ),
    "constant": (ConstantTension, ("tension",), lambda L, Ldot, T: T),
}


def laws():
    def with_parameters(name):
        kind, parameters, formula = LAWS[name]
        return st.tuples(*(positive_numbers() for _ in parameters)).map(
            lambda values: (kind(*values), lambda L, Ldot: formula(L, Ldot, *values))
        )

    return st.sampled_from(sorted(LAWS)).flatmap(with_parameters)


@given(laws(), positive_numbers(), numbers())
def test_value_and_derivatives_against_complex_step(case, L, Ldot):
    law, formula = case
    tension = law(L, Ldot)
    gradient = complex_step(lambda z: formula(z[0], z[1]), np.array([L, Ldot]))
    np.testing.assert_allclose(tension.F, formula(L, Ldot), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose([tension.dF_dL, tension.dF_dLdot], gradient, rtol=1e-12, atol=1e-12)


@given(laws(), positive_numbers())
def test_energy_derivative_is_the_tension_at_rest(case, L):
    law, _ = case
    np.testing.assert_allclose(derivative(law.energy, L).value, law(L, 0.0).F, rtol=1e-9, atol=1e-8)


@given(laws(), positive_numbers(), positive_numbers())
def test_derivatives_of_stress(case, L, Ldot):
    law, formula = case
    result = stress(law, L, Ldot)
    gradient = complex_step(lambda z: formula(z[0], z[1]) / z[0], np.array([L, Ldot]))
    np.testing.assert_allclose(result.sigma, formula(L, Ldot) / L, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose([result.dsigma_dL, result.dsigma_dLdot], gradient, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("kind", [LinearSpring, SpringDamper])
@given(positive_numbers(), positive_numbers(), positive_numbers())
def test_springs_attract_when_stretched_and_dampers_resist(kind, k, d, r):
    law = kind(k, d, r)
    assert law(r + 0.5, 0.0).F > 0 > law(r / 2, 0.0).F
    assert law(r, 0.5).F > 0 > law(r, -0.5).F


def test_quadratic_strain_has_the_slope_of_the_linear_spring_at_rest():
    law = QuadraticStrain(3.0, 2.0)
    assert law(2.0, 0.0).F == 0
    assert law(2.0, 0.0).dF_dL == pytest.approx(3.0)
    assert law.strain(4.0) == pytest.approx(1.5)


def test_callable_law_computes_missing_derivatives():
    def function(L, Ldot):
        return np.sin(L) * np.exp(Ldot)

    L, Ldot = np.linspace(0.05, 3, 9), np.linspace(-2, 2, 9)  # with -1 and 0
    derived = CallableTensionLaw(function)(L, Ldot)
    with_derivatives = CallableTensionLaw(
        function, lambda L, Ldot: np.cos(L) * np.exp(Ldot), lambda L, Ldot: np.sin(L) * np.exp(Ldot)
    )(L, Ldot)
    for actual, expected in zip(derived, with_derivatives, strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-10)


def test_callable_law_potential():
    law = CallableTensionLaw(lambda L, Ldot: L**3 + Ldot, potential=lambda L: L**4 / 4)
    assert law.energy(2.0) == pytest.approx(4.0)
    with pytest.raises(InvalidArgument, match="potential: got None"):
        CallableTensionLaw(lambda L, Ldot: L).energy(1.0)


@pytest.mark.parametrize("name", sorted(LAWS))
def test_arrays_of_parameters_and_lengths_broadcast(name):
    kind, parameters, _ = LAWS[name]
    columns = np.arange(1.0, 1 + 3 * len(parameters)).reshape(len(parameters), 3)
    lengths = np.array([[0.5], [1.5]])
    table = kind(*columns)(lengths, 0.25)
    assert all(part.shape == (2, 3) for part in table)
    for j in range(3):
        one = kind(*columns[:, j])
        for i in range(2):
            np.testing.assert_allclose([part[i, j] for part in table], one(lengths[i, 0], 0.25))
            np.testing.assert_allclose(kind(*columns).energy(lengths)[i, j], one.energy(lengths[i, 0]))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LinearSpring(-1.0, 0.0, 1.0), r"stiffness: got -1, expected numbers in \[0, inf\]"),
        (lambda: LinearSpring([1.0, 2.0], [0.0, -3.0], 1.0), "damping: got -3"),
        (lambda: LinearSpring(1.0, 0.0, -1.0), "rest_length: got -1"),
        (lambda: SpringDamper(1.0, 0.0, 0.0), "rest_length: got 0, expected numbers greater than 0"),
        (lambda: QuadraticStrain(1.0, 0.0), "rest_length: got 0, expected numbers greater than 0"),
        (lambda: LinearStress(np.nan, 1.0), "stiffness: got NaN"),
        (lambda: ConstantTension(np.inf), "tension: got NaN or infinite"),
        (lambda: LinearSpring(1.0)(-0.5, 0.0), "L: got -0.5"),
        (lambda: LinearSpring(1.0)(1.0, np.nan), "Ldot: got NaN"),
        (lambda: stress(LinearSpring(1.0), 0.0), "L: got 0, expected numbers greater than 0"),
        (lambda: CallableTensionLaw(lambda L, Ldot: np.nan * L)(1.0, 0.0), "value of function: got NaN"),
        (lambda: CallableTensionLaw(lambda L, Ldot: L)(0.0, 0.0), "L: got 0"),
    ],
)
def test_bad_arguments_are_named(make, message):
    with pytest.raises(InvalidArgument, match=message):
        make()


def test_parameters_are_copied_and_read_only():
    stiffness = np.array([1.0, 2.0])
    law = LinearSpring(stiffness)
    stiffness[0] = 5.0
    assert law.stiffness[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        law.stiffness[0] = 5.0
