"""Lloyd 0.14: derivatives of length, rate and tension at a via point."""

from __future__ import annotations

import numpy as np

from rbnotes.forces import length_gradient, length_hessian, path_length
from rbnotes.ledger.claims.lloyd.section_0_12 import identity, law
from rbnotes.ledger.claims.lloyd.section_0_14 import (
    CHAPTER,
    MOVING,
    POINTS,
    SLOPES,
    SPRING,
    VIA,
    N,
    by_complex_steps,
    geometry,
    smooth_tension,
)
from rbnotes.ledger.oracles.paths import (
    active_length,
    active_rate,
    derivative_blocks,
    numerical_length_rate,
    point_derivatives,
    segment_directions,
)
from rbnotes.ledger.oracles.springs import tension_by_length, tension_by_rate
from rbnotes.ledger.quantities import AREA, DAMPING, FORCE, LENGTH, NUMBER, RATE, STIFFNESS, VELOCITY
from rbnotes.ledger.record import Verdict, claim

QUANTITIES = {"d": STIFFNESS / VELOCITY, "k": FORCE / AREA}


def rate_slope_library(x, v):
    return (length_hessian(x) @ v.ravel()).reshape(-1, 3)[1:N]


def rate_slope_reference(x, v):
    return point_derivatives(lambda z: active_rate(z, v), x)[1:N]


@claim("lloyd/s0.14/d4#a", "Chain rule for the tension of a path, positions")
class d4_a:
    formula = (
        r"\frac{\partial F}{\partial\mathbf x_i} "
        r"= \frac{\partial F}{\partial L}\frac{\partial L}{\partial\mathbf x_i} + \frac{\partial "
        r"F}{\partial\dot L}\frac{\partial\dot L}{\partial\mathbf x_i}"
    )
    inputs = SPRING
    result = STIFFNESS
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        L, Ldot = active_length(x), numerical_length_rate(x, v)
        L_x = point_derivatives(active_length, x)
        Ldot_x = point_derivatives(lambda z: active_rate(z, v), x)
        return tension_by_length(L, Ldot, k, d) * L_x + tension_by_rate(L, Ldot, k, d) * Ldot_x

    def library(x, v, k, d):
        _, F_L, F_Ldot = law(k, d)(*path_length(x, v))
        return (F_L * length_gradient(x) + F_Ldot * (length_hessian(x) @ v.ravel())).reshape(-1, 3)

    oracle = "complex step of the tension as a function of the points"

    def reference(x, v, k, d):
        return by_complex_steps(lambda z: smooth_tension(z, v, k, d), x)

    primitives = ("rbnotes.ledger.claims.lloyd.section_0_12.tension",)
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.forces.path.length_gradient",
        "rbnotes.forces.path.length_hessian",
    )
    chapter = CHAPTER


@claim("lloyd/s0.14/d4#b", "Chain rule for the tension of a path, velocities")
class d4_b:
    formula = (
        r"\frac{\partial F}{\partial\dot{\mathbf x}_i} "
        r"= \frac{\partial F}{\partial\dot L}\frac{\partial\dot L}{\partial\dot{\mathbf x}_i}"
    )
    inputs = SPRING
    result = DAMPING
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        Ldot_v = point_derivatives(lambda z: active_rate(x, z), v)
        return tension_by_rate(active_length(x), numerical_length_rate(x, v), k, d) * Ldot_v

    def library(x, v, k, d):
        return law(k, d)(*path_length(x, v)).dF_dLdot * length_gradient(x).reshape(-1, 3)

    oracle = "complex step of the tension as a function of the velocities"

    def reference(x, v, k, d):
        return by_complex_steps(lambda z: smooth_tension(x, z, k, d), v)

    primitives = ("rbnotes.ledger.claims.lloyd.section_0_12.tension",)
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.length_gradient",)
    chapter = CHAPTER


@claim("lloyd/s0.14/d5#a", "Derivative of the length at a via point")
class d5_a:
    formula = r"\frac{\partial L}{\partial\mathbf x_i} = \mathbf u_{i-1}^T - \mathbf u_i^T"
    inputs = POINTS
    result = NUMBER

    def printed(x):
        u, _ = geometry(x)
        return np.array([u[i - 1] - u[i] for i in VIA])

    def library(x):
        return length_gradient(x).reshape(-1, 3)[1:N]

    oracle = "complex step of the length"

    def reference(x):
        return point_derivatives(active_length, x)[1:N]

    verdict = Verdict.HOLDS
    remark = "For the end points leave out the direction of the segment that is not there."
    implemented_by = ("rbnotes.forces.path.length_gradient",)
    chapter = CHAPTER


@claim("lloyd/s0.14/d5#b", "Derivative of the rate at a via point, through the directions")
class d5_b:
    formula = (
        r"\frac{\partial\dot L}{\partial\mathbf x_i} "
        r"= (\dot{\mathbf x}_i - \dot{\mathbf x}_{i-1})^T\frac{\partial\mathbf u_{i-1}}{\partial\mathbf "
        r"x_i} + (\dot{\mathbf x}_{i+1} - \dot{\mathbf x}_i)^T\frac{\partial\mathbf u_i}{\partial\mathbf "
        r"x_i}"
    )
    inputs = MOVING
    result = RATE

    def printed(x, v):
        u_x = derivative_blocks(point_derivatives(segment_directions, x))
        return np.array([(v[i] - v[i - 1]) @ u_x[i - 1, i] + (v[i + 1] - v[i]) @ u_x[i, i] for i in VIA])

    library = rate_slope_library
    oracle = "complex step of the rate"
    reference = rate_slope_reference
    primitives = SLOPES
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.length_hessian",)
    chapter = CHAPTER


@claim("lloyd/s0.14/d5#c", "Derivative of the rate at a via point")
class d5_c:
    formula = (
        r"\frac{\partial\dot L}{\partial\mathbf x_i} "
        r"= \frac1{l_{i-1}}(\dot{\mathbf x}_i - \dot{\mathbf x}_{i-1})^T\mathbf P_{i-1} - "
        r"\frac1{l_i}(\dot{\mathbf x}_{i+1} - \dot{\mathbf x}_i)^T\mathbf P_i"
    )
    inputs = MOVING
    result = RATE

    def printed(x, v):
        u, lengths = geometry(x)
        P = identity - u[:, :, None] * u[:, None, :]
        return np.array(
            [
                (1 / lengths[i - 1]) * (v[i] - v[i - 1]) @ P[i - 1]
                - (1 / lengths[i]) * (v[i + 1] - v[i]) @ P[i]
                for i in VIA
            ]
        )

    library = rate_slope_library
    oracle = "complex step of the rate"
    reference = rate_slope_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.length_hessian",)
    chapter = CHAPTER


@claim("lloyd/s0.14/d5#d", "Derivative of the rate with respect to the velocity of a via point")
class d5_d:
    formula = r"\frac{\partial\dot L}{\partial\dot{\mathbf x}_i} = \mathbf u_{i-1}^T - \mathbf u_i^T"
    inputs = MOVING
    result = NUMBER

    def printed(x, v):
        u, _ = geometry(x)
        return np.array([u[i - 1] - u[i] for i in VIA])

    def library(x, v):
        return length_gradient(x).reshape(-1, 3)[1:N]

    oracle = "rates of change of the length (complex step in time) under unit velocities"

    def reference(x, v):
        # The rate is linear in the velocities: it takes its slopes as values on the unit velocities.
        units = np.eye(3 * N + 3).reshape(-1, N + 1, 3)
        return np.array([numerical_length_rate(x, unit) for unit in units]).reshape(-1, 3)[1:N]

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.length_gradient",)
    chapter = CHAPTER
