"""Lloyd 0.13: spring Jacobians formulated with stress, force per length.

The oracle is the force of the potentials: that of 0.12 for a general law, k (l - r)^2 / 2 for the linear
spring and, for quadratic strain, k r^2 epsilon^2 / 2.
"""

from __future__ import annotations

import numpy as np

from rbnotes.checking import complex_step, jacobian
from rbnotes.checking.strategies import positive_numbers
from rbnotes.forces import LinearStress, length_gradient, length_hessian, path_force, path_length, stress
from rbnotes.ledger import quantities as units
from rbnotes.ledger.lloyd.section_0_12 import (
    DIFFERENCES,
    POINTS,
    SPRING,
    TWICE,
    first_position_library,
    first_position_reference,
    force_library,
    force_reference,
    geometry,
    identity,
    law,
    tension_of_law,
)
from rbnotes.ledger.oracles.springs import (
    along_first,
    by_first_point,
    cubic_spring,
    distance,
    rate,
    tension,
    tension_of,
)
from rbnotes.ledger.record import Verdict, claim

CHAPTER = "axial-springs"
MODULI = {"k": positive_numbers(), "r": positive_numbers()}
LENGTH = {"length": positive_numbers(), **MODULI}
NO_REST = {"x": POINTS["x"], "k": positive_numbers()}
ELASTIC = {"x": POINTS["x"], **MODULI}


QUANTITIES = {"d": units.STIFFNESS / units.VELOCITY, "k": units.FORCE / units.AREA}


def first_point_stiffness(spring, x):
    """df1/dx1 of a law without damping, by the library."""
    return path_force(spring, x, np.zeros((2, 3))).K[:3, :3]


def stress_of_law(x, v, k, d):
    """sigma of points and velocities, for complex numbers."""
    return tension_of_law(x, v, k, d) / distance(x)


def linear_stress(length, k, r):
    return k * (length - r) / length


def linear_stress_reference(length, k, r):
    energy_slope = complex_step(lambda z: k * (z[0] - r) ** 2 / 2, np.array([length]))
    return energy_slope[0] / length


def stress_x1_library(x, k, r):
    L = path_length(x, np.zeros((2, 3))).L
    return stress(LinearStress(k, r), L).dsigma_dL * length_gradient(x)[:3]


def stress_x1_reference(x, k, r):
    return by_first_point(lambda z: linear_stress(distance(z), k, r), x)


def no_rest_length_library(x, k):
    return first_point_stiffness(LinearStress(k, 0.0), x)


def no_rest_length_reference(x, k):
    # The slope of the potential k l^2 / 2, twice.
    def energy(z):
        step = x[1] - z
        return k * (step @ step) / 2

    return -jacobian(lambda z: complex_step(energy, z), x[0]).value


TENSION = "rbnotes.forces.tension."
FORCE = "rbnotes.forces.path.path_force"
STRESS = TENSION + "stress"
LINEAR = (STRESS, TENSION + "LinearStress")
COMPLEX_STEP = (
    "complex step of the force of a nonlinear spring that 0.12 d1 has checked against its potential"
)


@claim("lloyd/s0.13/d1", "Stress as force per length")
class d1:
    formula = r"\sigma(l,\dot l) = \frac{F(l,\dot l)}{l}"
    inputs = SPRING
    result = units.STIFFNESS
    constants = (units.LENGTH, units.FORCE / units.VELOCITY**3)

    def printed(x, v, k, d):
        length = distance(x)
        return tension(length, rate(x, v), k, d) / length

    def library(x, v, k, d):
        return stress(law(k, d), *path_length(x, v)).sigma

    oracle = "the multiple of x2 - x1 that is the force of a potential and a dissipation function"

    def reference(x, v, k, d):
        # The multiple of x2 - x1 that is the force on the first point.
        (sigma,), *_ = np.linalg.lstsq((x[1] - x[0])[:, None], force_reference(x, v, k, d)[0], rcond=None)
        return sigma

    defines = (r"\sigma(l,\dot l)",)
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.forces.tension.stress",)
    chapter = CHAPTER


@claim("lloyd/s0.13/d2", "Force from stress")
class d2:
    formula = (
        r"\mathbf f_1 = \sigma(l,\dot l)\,\Delta\mathbf x,\quad "
        r"\Delta\mathbf x\equiv\mathbf x_2-\mathbf x_1"
    )
    inputs = SPRING
    result = units.FORCE
    constants = (units.LENGTH, units.FORCE / units.VELOCITY**3)

    def printed(x, v, k, d):
        length = distance(x)
        sigma = tension(length, rate(x, v), k, d) / length
        return sigma * (x[1] - x[0])

    def library(x, v, k, d):
        return force_library(x, v, k, d)[0]

    oracle = "complex step: minus the slopes of a potential of the distance and of a dissipation function"

    def reference(x, v, k, d):
        return force_reference(x, v, k, d)[0]

    verdict = Verdict.HOLDS
    remark = "The sentence below it means a two-node truss element, not a two-element truss node."
    implemented_by = (FORCE,)
    chapter = CHAPTER


@claim("lloyd/s0.13/d3#a", "Product rule for stress times difference")
class d3_a:
    formula = (
        r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} "
        r"= \Delta\mathbf x\frac{\partial\sigma}{\partial\mathbf x_1} + \sigma\frac{\partial\Delta\mathbf "
        r"x}{\partial\mathbf x_1}"
    )
    inputs = SPRING
    result = units.STIFFNESS
    constants = (units.LENGTH, units.FORCE / units.VELOCITY**3)

    def printed(x, v, k, d):
        sigma_x1 = by_first_point(lambda z: stress_of_law(z, v, k, d), x)
        step_x1 = by_first_point(lambda z: z[1] - z[0], x)
        return np.outer(x[1] - x[0], sigma_x1) + stress_of_law(x, v, k, d) * step_x1

    library = first_position_library
    oracle = DIFFERENCES
    reference = first_position_reference
    equivalent_mutants = {"dropped `z[1]` in `z[1] - z[0]`": "the second point does not move"}
    verdict = Verdict.HOLDS
    implemented_by = (FORCE,)
    chapter = CHAPTER


@claim("lloyd/s0.13/d3#b", "Position Jacobian from the derivative of stress")
class d3_b:
    formula = (
        r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} "
        r"= \Delta\mathbf x\frac{\partial\sigma}{\partial\mathbf x_1} - \sigma\mathbf I"
    )
    inputs = SPRING
    result = units.STIFFNESS
    constants = (units.LENGTH, units.FORCE / units.VELOCITY**3)

    def printed(x, v, k, d):
        sigma_x1 = by_first_point(lambda z: stress_of_law(z, v, k, d), x)
        return np.outer(x[1] - x[0], sigma_x1) - stress_of_law(x, v, k, d) * identity

    library = first_position_library
    oracle = DIFFERENCES
    reference = first_position_reference
    verdict = Verdict.HOLDS
    implemented_by = (FORCE,)
    chapter = CHAPTER


@claim("lloyd/s0.13/d4", "Chain rule for stress")
class d4:
    formula = (
        r"\frac{\partial\sigma}{\partial\mathbf x_1} "
        r"= \frac{\partial\sigma}{\partial l}\frac{\partial l}{\partial\mathbf x_1} + "
        r"\frac{\partial\sigma}{\partial\dot l}\frac{\partial\dot l}{\partial\mathbf x_1}"
    )
    inputs = SPRING
    result = units.STIFFNESS / units.LENGTH
    constants = (units.LENGTH, units.FORCE / units.VELOCITY**3)

    def printed(x, v, k, d):
        sigma_l, sigma_ldot = complex_step(
            lambda z: tension(z[0], z[1], k, d) / z[0], np.array([distance(x), rate(x, v)])
        )
        l_x1 = by_first_point(distance, x)
        ldot_x1 = along_first(lambda z: rate(z, v), x)
        return sigma_l * l_x1 + sigma_ldot * ldot_x1

    def library(x, v, k, d):
        _, sigma_L, sigma_Ldot = stress(law(k, d), *path_length(x, v))
        return (sigma_L * length_gradient(x) + sigma_Ldot * (length_hessian(x) @ v.ravel()))[:3]

    oracle = "differences of the tension that a potential and dissipation give, over the distance"

    def reference(x, v, k, d):
        return along_first(lambda z: tension_of(cubic_spring(k, d), z, v) / distance(z), x)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.tension.stress",)
    chapter = CHAPTER


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
        return by_first_point(lambda z: k * (distance(z) - r) * (z[1] - z[0]) / distance(z), x)

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
