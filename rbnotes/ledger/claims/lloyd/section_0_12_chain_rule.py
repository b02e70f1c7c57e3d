"""Lloyd 0.12: Jacobians for axial springs, product and chain rule."""

from __future__ import annotations

import numpy as np

from rbnotes.forces import length_gradient, length_hessian, path_length
from rbnotes.ledger.claims.lloyd.section_0_12 import (
    CHAPTER,
    DIFFERENCES,
    SPRING,
    first_position_library,
    first_position_reference,
    first_velocity_library,
    first_velocity_reference,
    geometry,
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
    tension_by_length,
    tension_by_rate,
)
from rbnotes.ledger.quantities import AREA, DAMPING, FORCE, LENGTH, STIFFNESS, VELOCITY
from rbnotes.ledger.record import Verdict, claim

QUANTITIES = {"d": STIFFNESS / VELOCITY, "k": FORCE / AREA}


@claim("lloyd/s0.12/d5#a", "Product rule for the position Jacobian")
class d5_a:
    formula = (
        r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} "
        r"= \mathbf u\frac{\partial F}{\partial\mathbf x_1} + F\frac{\partial\mathbf u}{\partial\mathbf "
        r"x_1}"
    )
    inputs = SPRING
    result = STIFFNESS
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        u, length = geometry(x)
        F = tension(length, distance_rate(x, v), k, d)
        F_x1 = first_point_derivative(lambda z: tension_of_law(z, v, k, d), x)
        u_x1 = first_point_derivative(lambda z: (z[1] - z[0]) / distance(z), x)
        return np.outer(u, F_x1) + F * u_x1

    library = first_position_library
    oracle = DIFFERENCES
    reference = first_position_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.path_force",)
    chapter = CHAPTER


@claim("lloyd/s0.12/d5#b", "Product rule for the velocity Jacobian")
class d5_b:
    formula = (
        r"\frac{\partial\mathbf f_1}{\partial\dot{\mathbf x}_1} "
        r"= \mathbf u\frac{\partial F}{\partial\dot{\mathbf x}_1}"
    )
    inputs = SPRING
    result = DAMPING
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        u, _ = geometry(x)
        F_v1 = first_point_derivative(lambda z: tension_of_law(x, z, k, d), v)
        return np.outer(u, F_v1)

    library = first_velocity_library
    oracle = DIFFERENCES
    reference = first_velocity_reference
    equivalent_mutants = {"swapped arguments in `np.outer(u, F_v1)`": "dF/dv_1 is parallel to u"}
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.path_force",)
    chapter = CHAPTER


@claim("lloyd/s0.12/d6#a", "Chain rule for the tension, positions")
class d6_a:
    formula = (
        r"\frac{\partial F}{\partial\mathbf x_1} "
        r"= \frac{\partial F}{\partial l}\frac{\partial l}{\partial\mathbf x_1} + \frac{\partial "
        r"F}{\partial\dot l}\frac{\partial\dot l}{\partial\mathbf x_1}"
    )
    inputs = SPRING
    result = STIFFNESS
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        length, ldot = distance(x), distance_rate(x, v)
        l_x1 = first_point_derivative(distance, x)
        ldot_x1 = first_point_difference(lambda z: distance_rate(z, v), x)
        return tension_by_length(length, ldot, k, d) * l_x1 + tension_by_rate(length, ldot, k, d) * ldot_x1

    def library(x, v, k, d):
        _, F_l, F_ldot = law(k, d)(*path_length(x, v))
        return (F_l * length_gradient(x) + F_ldot * (length_hessian(x) @ v.ravel()))[:3]

    oracle = "differences, along the first point, of the tension that a potential and dissipation give"

    def reference(x, v, k, d):
        return first_point_difference(lambda z: spring_tension(cubic_spring(k, d), z, v), x)

    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.forces.path.path_length",
        "rbnotes.forces.path.length_gradient",
        "rbnotes.forces.path.length_hessian",
    )
    chapter = CHAPTER


@claim("lloyd/s0.12/d6#b", "Chain rule for the tension, velocities")
class d6_b:
    formula = (
        r"\frac{\partial F}{\partial\dot{\mathbf x}_1} "
        r"= \frac{\partial F}{\partial\dot l}\frac{\partial\dot l}{\partial\dot{\mathbf x}_1}"
    )
    inputs = SPRING
    result = DAMPING
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        ldot_v1 = first_point_difference(lambda u: distance_rate(x, u), v)
        return tension_by_rate(distance(x), distance_rate(x, v), k, d) * ldot_v1

    def library(x, v, k, d):
        return law(k, d)(*path_length(x, v)).dF_dLdot * length_gradient(x)[:3]

    oracle = "differences, along the first velocity, of the tension that a potential and dissipation give"

    def reference(x, v, k, d):
        return first_point_difference(lambda u: spring_tension(cubic_spring(k, d), x, u), v)

    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.forces.path.path_length",
        "rbnotes.forces.path.length_gradient",
    )
    chapter = CHAPTER
