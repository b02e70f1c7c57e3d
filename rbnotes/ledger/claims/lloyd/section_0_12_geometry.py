"""Lloyd 0.12: Jacobians for axial springs, the derivatives of direction, length and rate."""

from __future__ import annotations

import numpy as np

from rbnotes.forces import length_gradient, length_hessian, path_length, path_segments
from rbnotes.ledger.claims.lloyd.section_0_12 import (
    CHAPTER,
    POINTS,
    TWICE,
    geometry,
    identity,
    points,
)
from rbnotes.ledger.oracles.springs import (
    distance,
    distance_rate,
    first_point_derivative,
    first_point_difference,
)
from rbnotes.ledger.quantities import LENGTH, NUMBER, RATE, VELOCITY
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import vectors


def length_x1_printed(x, v):
    u, _ = geometry(x)
    return -u


def length_x1_library(x, v):
    return length_gradient(x)[:3]


def direction_x1_library(x, v):
    return -length_hessian(x)[:3, :3]


def direction_x1_reference(x, v):
    return first_point_difference(lambda z: (z[1] - z[0]) / distance(z), x)


def rate_x1_library(x, v):
    return (length_hessian(x) @ v.ravel())[:3]


def rate_x1_reference(x, v):
    return first_point_difference(lambda z: distance_rate(z, v), x)


@claim("lloyd/s0.12/d7#a", "Rate of change of the length")
class d7_a:
    formula = (
        r"\dot l = \mathbf u^T(\dot{\mathbf x}_2 - \dot{\mathbf x}_1) "
        r"= (\dot{\mathbf x}_2 - \dot{\mathbf x}_1)^T\mathbf u"
    )
    inputs = POINTS
    result = VELOCITY

    def printed(x, v):
        u, _ = geometry(x)
        return u @ (v[1] - v[0])

    def library(x, v):
        return path_length(x, v).Ldot

    oracle = "complex step in time of the distance of two points under way"

    def reference(x, v):
        return distance_rate(x, v)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.path_length",)
    chapter = CHAPTER


@claim("lloyd/s0.12/d7#b", "Derivative of the length")
class d7_b:
    formula = r"\frac{\partial l}{\partial\mathbf x_1} = -\mathbf u^T"
    inputs = POINTS
    result = NUMBER
    printed = length_x1_printed
    library = length_x1_library
    oracle = "complex step of the distance"

    def reference(x, v):
        return first_point_derivative(distance, x)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.length_gradient",)
    chapter = CHAPTER


@claim("lloyd/s0.12/d7#c", "Derivative of the direction, by the product rule")
class d7_c:
    formula = (
        r"\frac{\partial\mathbf u}{\partial\mathbf x_1} "
        r"= -\frac1l\mathbf I + (\mathbf x_2 - \mathbf x_1)\frac{\partial}{\partial\mathbf "
        r"x_1}\Bigl(\frac1l\Bigr)"
    )
    inputs = POINTS
    result = NUMBER / LENGTH

    def printed(x, v):
        length = distance(x)
        inverse_l_x1 = first_point_derivative(lambda z: 1 / distance(z), x)
        return -(1 / length) * identity + np.outer(x[1] - x[0], inverse_l_x1)

    library = direction_x1_library
    oracle = "complex step of the direction"
    reference = direction_x1_reference
    equivalent_mutants = {
        "swapped arguments in `np.outer(x[1] - x[0], inverse_l_x1)`": "the slope of 1/l is along the spring"
    }
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.length_hessian",)
    chapter = CHAPTER


@claim("lloyd/s0.12/d7#d", "Derivative of the direction")
class d7_d:
    formula = r"\frac{\partial\mathbf u}{\partial\mathbf x_1} = -\frac1l(\mathbf I - \mathbf u\mathbf u^T)"
    inputs = POINTS
    result = NUMBER / LENGTH

    def printed(x, v):
        u, length = geometry(x)
        return -(1 / length) * (identity - np.outer(u, u))

    library = direction_x1_library
    oracle = "complex step of the direction"
    reference = direction_x1_reference
    equivalent_mutants = TWICE
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.length_hessian",)
    chapter = CHAPTER


@claim("lloyd/s0.12/d7#e", "Derivative of the rate with respect to position, through the direction")
class d7_e:
    formula = (
        r"\frac{\partial\dot l}{\partial\mathbf x_1} "
        r"= (\dot{\mathbf x}_2 - \dot{\mathbf x}_1)^T\frac{\partial\mathbf u}{\partial\mathbf x_1}"
    )
    inputs = POINTS
    result = RATE

    def printed(x, v):
        u_x1 = first_point_derivative(lambda z: (z[1] - z[0]) / distance(z), x)
        return (v[1] - v[0]) @ u_x1

    library = rate_x1_library
    oracle = "differences of the rate, itself a complex step in time of the distance"
    reference = rate_x1_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.length_hessian",)
    chapter = CHAPTER


@claim("lloyd/s0.12/d7#f", "Derivative of the rate with respect to position")
class d7_f:
    formula = (
        r"\frac{\partial\dot l}{\partial\mathbf x_1} "
        r"= -\frac1l(\dot{\mathbf x}_2 - \dot{\mathbf x}_1)^T(\mathbf I - \mathbf u\mathbf u^T)"
    )
    inputs = POINTS
    result = RATE

    def printed(x, v):
        u, length = geometry(x)
        return -(1 / length) * (v[1] - v[0]) @ (identity - np.outer(u, u))

    library = rate_x1_library
    oracle = "differences of the rate, itself a complex step in time of the distance"
    reference = rate_x1_reference
    equivalent_mutants = TWICE
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.length_hessian",)
    chapter = CHAPTER


@claim("lloyd/s0.12/d7#g", "Derivative of the rate with respect to velocity")
class d7_g:
    formula = r"\frac{\partial\dot l}{\partial\dot{\mathbf x}_1} = -\mathbf u^T"
    inputs = POINTS
    result = NUMBER
    printed = length_x1_printed
    library = length_x1_library
    oracle = "differences of the rate, itself a complex step in time of the distance"

    def reference(x, v):
        return first_point_difference(lambda u: distance_rate(x, u), v)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.length_gradient",)
    chapter = CHAPTER


@claim("lloyd/s0.12/t520", "Projections along and across the spring")
class t520:
    formula = (
        r"\mathbf U_n \equiv \mathbf u\mathbf u^T,\quad "
        r"\mathbf U_p \equiv \mathbf I - \mathbf u\mathbf u^T"
    )
    inputs = {"x": points(2), "w": vectors()}
    result = RATE

    def printed(x, w):
        u, _ = geometry(x)
        U_n = np.outer(u, u)
        U_p = identity - np.outer(u, u)
        return np.array([U_n @ w, U_p @ w])

    def library(x, w):
        u, lengths = path_segments(x)
        return np.array([(u[0] @ w) * u[0], lengths[0] * length_hessian(x)[:3, :3] @ w])

    oracle = "least squares: the multiple of the spring's axis nearest to a vector, and the rest"

    def reference(x, w):
        (share,), *_ = np.linalg.lstsq((x[1] - x[0])[:, None], w, rcond=None)
        along = share * (x[1] - x[0])
        return np.array([along, w - along])

    equivalent_mutants = TWICE
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.forces.path.path_segments",
        "rbnotes.forces.path.length_hessian",
    )
    chapter = CHAPTER
