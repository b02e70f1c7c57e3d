"""Lloyd 0.13: stress and stiffness of the linear spring."""

from __future__ import annotations

import numpy as np

from rbnotes.forces import LinearStress, length_gradient, path_length, stress
from rbnotes.ledger import quantities as units
from rbnotes.ledger.claims.lloyd.section_0_12 import POINTS, TWICE, geometry, identity
from rbnotes.ledger.claims.lloyd.section_0_13 import (
    CHAPTER,
    ELASTIC,
    FORCE,
    LENGTH,
    MODULI,
    STRESS,
    TENSION,
    first_point_stiffness,
)
from rbnotes.ledger.oracles.springs import (
    distance,
    first_point_derivative,
)
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import complex_step, jacobian
from rbnotes.testing.strategies import positive_numbers

QUANTITIES = {"k": units.FORCE / units.AREA}


NO_REST = {"x": POINTS["x"], "k": positive_numbers()}


def linear_stress(length, k, r):
    return k * (length - r) / length


def linear_stress_reference(length, k, r):
    energy_slope = complex_step(lambda z: k * (z[0] - r) ** 2 / 2, np.array([length]))
    return energy_slope[0] / length


def stress_x1_library(x, k, r):
    L = path_length(x, np.zeros((2, 3))).L
    return stress(LinearStress(k, r), L).dsigma_dL * length_gradient(x)[:3]


def stress_x1_reference(x, k, r):
    return first_point_derivative(lambda z: linear_stress(distance(z), k, r), x)


def no_rest_length_library(x, k):
    return first_point_stiffness(LinearStress(k, 0.0), x)


def no_rest_length_reference(x, k):
    # The slope of the potential k l^2 / 2, twice.
    def energy(z):
        step = x[1] - z
        return k * (step @ step) / 2

    return -jacobian(lambda z: complex_step(energy, z), x[0]).value


LINEAR = (STRESS, TENSION + "LinearStress")


@claim("lloyd/s0.13/t565", "The stress called linear")
class t565:
    formula = r"\sigma(l)\text{ is linear so that } \sigma(l) = k(l-r)/l"
    inputs = {"short": positive_numbers(0.25, 2.0), "longer": positive_numbers(2.0, 4.0), **MODULI}
    quantities = {"k": units.STIFFNESS, "short": units.LENGTH, "longer": units.LENGTH}
    result = units.STIFFNESS

    def printed(short, longer, k, r):
        return (linear_stress(short, k, r) + linear_stress(longer, k, r)) / 2

    def library(short, longer, k, r):
        return stress(LinearStress(k, r), (short + longer) / 2).sigma

    oracle = "slope of the energy k (l - r)^2 / 2 over the length, half-way between two lengths"

    def reference(short, longer, k, r):
        return linear_stress_reference((short + longer) / 2, k, r)

    verdict = Verdict.MISPRINT
    correction = r"The force $F = \sigma l = k(l-r)$ is linear in $l$; the stress $\sigma = k - kr/l$ is not."
    implemented_by = LINEAR
    chapter = CHAPTER


@claim("lloyd/s0.13/d5", "Stress of a linear spring")
class d5:
    formula = r"\sigma(l) = \frac{k(l-r)}{l}"
    inputs = LENGTH
    quantities = {"k": units.STIFFNESS}
    result = units.STIFFNESS

    def printed(length, k, r):
        return k * (length - r) / length

    def library(length, k, r):
        return stress(LinearStress(k, r), length).sigma

    oracle = "slope of the energy k (l - r)^2 / 2 over the length"
    reference = linear_stress_reference
    defines = (r"\sigma(l)",)
    verdict = Verdict.DEFINITION
    implemented_by = LINEAR
    chapter = CHAPTER


@claim("lloyd/s0.13/d6#a", "Derivative of the linear spring's stress, constant dropped")
class d6_a:
    formula = (
        r"\frac{\partial\sigma}{\partial l} = \frac{\partial}{\partial l}\Bigl(\frac{k(l-r)}{l}\Bigr) "
        r"= \frac{\partial}{\partial l}\Bigl(\frac{-kr}{l}\Bigr)"
    )
    inputs = LENGTH
    quantities = {"k": units.STIFFNESS}
    result = units.STIFFNESS / units.LENGTH

    def printed(length, k, r):
        return complex_step(lambda z: -(k * r) / z[0], np.full(1, length))[0]

    def library(length, k, r):
        return stress(LinearStress(k, r), length).dsigma_dL

    oracle = "complex step of k (l - r) / l"

    def reference(length, k, r):
        return complex_step(lambda z: k * (z[0] - r) / z[0], np.array([length]))[0]

    verdict = Verdict.HOLDS
    implemented_by = LINEAR
    chapter = CHAPTER


@claim("lloyd/s0.13/d6#b", "Derivative of the linear spring's stress")
class d6_b:
    formula = r"\frac{\partial\sigma}{\partial l} = -\frac{kr}{l^2}\mathbf u^T"
    inputs = ELASTIC
    quantities = {"k": units.STIFFNESS}
    result = units.STIFFNESS / units.LENGTH

    def printed(x, k, r):
        u, length = geometry(x)
        sigma_l = -(k * r / length**2) * u
        l_x1 = -u
        return sigma_l * l_x1

    library = stress_x1_library
    oracle = (
        "complex step of the stress as a function of the first point, against the chain rule with the "
        "printed slope"
    )
    reference = stress_x1_reference
    verdict = Verdict.ERRATUM
    correction = (
        r"$\partial\sigma/\partial l = +kr/l^2$, a number; it is $\partial\sigma/\partial\mathbf x_1 = "
        r"(\partial\sigma/\partial l)(\partial l/\partial\mathbf x_1) = -(kr/l^2)\,\mathbf u^T$ that has "
        r"the printed value. All three $\partial/\partial l$ of the display should be "
        r"$\partial/\partial\mathbf x_1$."
    )
    remark = (
        r"Put into the chain rule above, the printed row meets $\partial l/\partial\mathbf x_1 = -\mathbf "
        r"u^T$ once more; array code multiplies the two entry by entry and goes on."
    )
    implemented_by = LINEAR
    chapter = CHAPTER


@claim("lloyd/s0.13/d6#c", "The printed right side, read as derivative with respect to the first point")
class d6_c:
    formula = r"\frac{\partial\sigma}{\partial\mathbf x_1} = -\frac{kr}{l^2}\mathbf u^T"
    inputs = ELASTIC
    quantities = {"k": units.STIFFNESS}
    result = units.STIFFNESS / units.LENGTH

    def printed(x, k, r):
        u, length = geometry(x)
        return -(k * r / length**2) * u

    library = stress_x1_library
    oracle = "complex step of the stress as a function of the first point"
    reference = stress_x1_reference
    verdict = Verdict.HOLDS
    implemented_by = LINEAR
    chapter = CHAPTER


@claim("lloyd/s0.13/d7", "Position Jacobian of a linear spring, stress form")
class d7:
    formula = (
        r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} "
        r"= -\frac{kr}{l}\mathbf u\mathbf u^T - \sigma\mathbf I"
    )
    inputs = ELASTIC
    quantities = {"k": units.STIFFNESS}
    result = units.STIFFNESS

    def printed(x, k, r):
        u, length = geometry(x)
        sigma = k * (length - r) / length
        return -(k * r / length) * np.outer(u, u) - sigma * identity

    def library(x, k, r):
        return first_point_stiffness(LinearStress(k, r), x)

    oracle = "complex step of the force k (l - r) along the spring"

    def reference(x, k, r):
        return first_point_derivative(lambda z: k * (distance(z) - r) * (z[1] - z[0]) / distance(z), x)

    equivalent_mutants = TWICE
    verdict = Verdict.HOLDS
    remark = r"The same matrix as in 0.12.1: $-k\mathbf U_n - \sigma\mathbf U_p$ with $k - \sigma = kr/l$."
    implemented_by = (TENSION + "LinearStress", FORCE)
    chapter = CHAPTER


@claim("lloyd/s0.13/d8", "Position Jacobian of a spring without rest length")
class d8:
    formula = r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} = -k\mathbf I"
    inputs = NO_REST
    quantities = {"k": units.STIFFNESS}
    result = units.STIFFNESS

    def printed(x, k):
        return -k * identity

    library = no_rest_length_library
    oracle = "finite differences of the complex-step slope of k l^2 / 2"
    reference = no_rest_length_reference
    verdict = Verdict.HOLDS
    implemented_by = (TENSION + "LinearStress", FORCE)
    chapter = CHAPTER


@claim("lloyd/s0.13/t581", "Without rest length, 0.12.1 says the same")
class t581:
    formula = r"-k\mathbf U_n - \frac{k(l-r)}{l}\mathbf U_p = -k\mathbf I \quad (r = 0)"
    inputs = NO_REST
    quantities = {"k": units.STIFFNESS}
    result = units.STIFFNESS

    def printed(x, k):
        # 0.12.1 for r = 0.
        u, length = geometry(x)
        U_n = np.outer(u, u)
        U_p = identity - np.outer(u, u)
        stretch = length
        return -k * U_n - (k * stretch / length) * U_p

    library = no_rest_length_library
    oracle = "finite differences of the complex-step slope of k l^2 / 2"
    reference = no_rest_length_reference
    equivalent_mutants = {"in geometry: *": "both projections together are the identity, whatever u is"}
    verdict = Verdict.HOLDS
    implemented_by = (TENSION + "LinearStress", FORCE)
    chapter = CHAPTER
