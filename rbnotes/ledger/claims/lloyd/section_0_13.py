"""Lloyd 0.13: spring Jacobians formulated with stress, force per length.

The oracle is the force of the potentials: that of 0.12 for a general law, k (l - r)^2 / 2 for the linear
spring and, for quadratic strain, k r^2 epsilon^2 / 2.
"""

from __future__ import annotations

import numpy as np

from rbnotes.forces import length_gradient, length_hessian, path_force, path_length, stress
from rbnotes.ledger import quantities as units
from rbnotes.ledger.claims.lloyd.section_0_12 import (
    DIFFERENCES,
    POINTS,
    SPRING,
    first_position_library,
    first_position_reference,
    force_library,
    force_reference,
    identity,
    law,
    tension_of_law,
)
from rbnotes.ledger.oracles.springs import (
    cubic_spring,
    distance,
    distance_rate,
    first_point_derivative,
    first_point_difference,
    spring_tension,
    tension,
)
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import positive_numbers

CHAPTER = "axial-springs"
MODULI = {"k": positive_numbers(), "r": positive_numbers()}
LENGTH = {"length": positive_numbers(), **MODULI}
ELASTIC = {"x": POINTS["x"], **MODULI}


QUANTITIES = {"d": units.STIFFNESS / units.VELOCITY, "k": units.FORCE / units.AREA}


def first_point_stiffness(spring, x):
    """df1/dx1 of a law without damping, by the library."""
    return path_force(spring, x, np.zeros((2, 3))).K[:3, :3]


def stress_of_law(x, v, k, d):
    """sigma of points and velocities, for complex numbers."""
    return tension_of_law(x, v, k, d) / distance(x)


TENSION = "rbnotes.forces.tension."
FORCE = "rbnotes.forces.path.path_force"
STRESS = TENSION + "stress"


@claim("lloyd/s0.13/d1", "Stress as force per length")
class d1:
    formula = r"\sigma(l,\dot l) = \frac{F(l,\dot l)}{l}"
    inputs = SPRING
    result = units.STIFFNESS
    constants = (units.LENGTH, units.FORCE / units.VELOCITY**3)

    def printed(x, v, k, d):
        length = distance(x)
        return tension(length, distance_rate(x, v), k, d) / length

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
        sigma = tension(length, distance_rate(x, v), k, d) / length
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
        sigma_x1 = first_point_derivative(lambda z: stress_of_law(z, v, k, d), x)
        step_x1 = first_point_derivative(lambda z: z[1] - z[0], x)
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
        sigma_x1 = first_point_derivative(lambda z: stress_of_law(z, v, k, d), x)
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
            lambda z: tension(z[0], z[1], k, d) / z[0], np.array([distance(x), distance_rate(x, v)])
        )
        l_x1 = first_point_derivative(distance, x)
        ldot_x1 = first_point_difference(lambda z: distance_rate(z, v), x)
        return sigma_l * l_x1 + sigma_ldot * ldot_x1

    def library(x, v, k, d):
        _, sigma_L, sigma_Ldot = stress(law(k, d), *path_length(x, v))
        return (sigma_L * length_gradient(x) + sigma_Ldot * (length_hessian(x) @ v.ravel()))[:3]

    oracle = "differences of the tension that a potential and dissipation give, over the distance"

    def reference(x, v, k, d):
        return first_point_difference(lambda z: spring_tension(cubic_spring(k, d), z, v) / distance(z), x)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.tension.stress",)
    chapter = CHAPTER
