"""Lloyd 0.12.1: linear axial springs. The oracle: slopes of k (l - r)^2 / 2 and d ldot^2 / 2."""

from __future__ import annotations

import numpy as np

from rbnotes.forces import LinearSpring, path_force
from rbnotes.ledger import quantities as units
from rbnotes.ledger.claims.lloyd.section_0_12 import POINTS, TWICE, geometry, identity
from rbnotes.ledger.oracles.springs import distance_rate, force_jacobians, linear_spring
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import numbers, positive_numbers

CHAPTER = "axial-springs"
COEFFICIENTS = {"k": positive_numbers(), "d": positive_numbers(), "r": positive_numbers()}
LENGTHS = {"length": positive_numbers(), "ldot": numbers(), **COEFFICIENTS}
SPRING = {**POINTS, **COEFFICIENTS}
UNDAMPED = {**POINTS, "k": positive_numbers(), "r": positive_numbers()}


def jacobian_x_reference(x, v, k, d, r):
    return force_jacobians(linear_spring(k, d, r), x, v)[0, :3, :3]


def jacobian_v_reference(x, v, k, d, r):
    return force_jacobians(linear_spring(k, d, r), x, v)[1, :3, :3]


LAW = ("rbnotes.forces.tension.LinearSpring",)
FORCE = ("rbnotes.forces.path.path_force", *LAW)
DIFFERENCES = "differences of the forces that k (l - r)^2 / 2 and d ldot^2 / 2 give"


@claim("lloyd/s0.12.1/d1", "Linear spring and damper")
class d1:
    formula = r"F = k(l - r) + d\,\dot l"
    inputs = LENGTHS
    result = units.FORCE

    def printed(length, ldot, k, d, r):
        return k * (length - r) + d * ldot

    def library(length, ldot, k, d, r):
        return LinearSpring(k, d, r)(length, ldot).F

    oracle = "complex step: slopes of the elastic energy and of half the dissipated power"

    def reference(length, ldot, k, d, r):
        elastic = complex_step(lambda z: k * (z[0] - r) ** 2 / 2, np.array([length]))
        viscous = complex_step(lambda z: d * z[0] ** 2 / 2, np.array([ldot]))
        return (elastic + viscous)[0]

    defines = (r"F",)
    verdict = Verdict.DEFINITION
    remark = "Both signs are right: it pulls when stretched and resists lengthening."
    implemented_by = LAW
    chapter = CHAPTER


@claim("lloyd/s0.12.1/d2", "Partial derivatives of the linear spring's tension")
class d2:
    formula = r"\frac{\partial F}{\partial l} = k,\quad \frac{\partial F}{\partial\dot l} = d"
    inputs = LENGTHS
    result = units.vector_quantity((units.STIFFNESS, 1), (units.DAMPING, 1))

    def printed(length, ldot, k, d, r):
        return np.array([k, d])

    def library(length, ldot, k, d, r):
        return np.array(LinearSpring(k, d, r)(length, ldot)[1:])

    oracle = "complex step of the tension"

    def reference(length, ldot, k, d, r):
        return complex_step(lambda z: k * (z[0] - r) + d * z[1], np.array([length, ldot]))

    verdict = Verdict.HOLDS
    implemented_by = LAW
    chapter = CHAPTER


@claim("lloyd/s0.12.1/d3#a", "Position Jacobian of a linear spring and damper")
class d3_a:
    formula = (
        r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} "
        r"= -k\mathbf U_n - \frac dl\mathbf u(\dot{\mathbf x}_2 - \dot{\mathbf x}_1)^T\mathbf U_p - "
        r"\frac{k(l-r) + d\,\dot l}{l}\mathbf U_p"
    )
    inputs = SPRING
    result = units.STIFFNESS

    def printed(x, v, k, d, r):
        u, length = geometry(x)
        ldot = distance_rate(x, v)
        U_n = np.outer(u, u)
        U_p = identity - np.outer(u, u)
        across = np.outer(u, (v[1] - v[0]) @ U_p)
        return -k * U_n - (d / length) * across - ((k * (length - r) + d * ldot) / length) * U_p

    def library(x, v, k, d, r):
        return path_force(LinearSpring(k, d, r), x, v).K[:3, :3]

    oracle = DIFFERENCES
    reference = jacobian_x_reference
    verdict = Verdict.HOLDS
    implemented_by = FORCE
    chapter = CHAPTER


@claim("lloyd/s0.12.1/d3#b", "Velocity Jacobian of a linear spring and damper")
class d3_b:
    formula = r"\frac{\partial\mathbf f_1}{\partial\dot{\mathbf x}_1} = -d\,\mathbf U_n"
    inputs = SPRING
    result = units.DAMPING

    def printed(x, v, k, d, r):
        u, _ = geometry(x)
        U_n = np.outer(u, u)
        return -d * U_n

    def library(x, v, k, d, r):
        return path_force(LinearSpring(k, d, r), x, v).D[:3, :3]

    oracle = DIFFERENCES
    reference = jacobian_v_reference
    equivalent_mutants = TWICE
    verdict = Verdict.HOLDS
    implemented_by = FORCE
    chapter = CHAPTER


@claim("lloyd/s0.12.1/d4", "Jacobians of an undamped linear spring")
class d4:
    formula = (
        r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} "
        r"= -k\mathbf U_n - \frac{k(l-r)}{l}\mathbf U_p\quad\text{and}\quad\frac{\partial\mathbf "
        r"f_1}{\partial\dot{\mathbf x}_1} = 0"
    )
    inputs = UNDAMPED
    result = units.STIFFNESS

    def printed(x, v, k, r):
        u, length = geometry(x)
        U_n = np.outer(u, u)
        U_p = identity - np.outer(u, u)
        zero = np.zeros((3, 3))
        return np.array([-k * U_n - (k * (length - r) / length) * U_p, zero])

    def library(x, v, k, r):
        _, K, D = path_force(LinearSpring(k, 0.0, r), x, v)
        return np.array([K[:3, :3], D[:3, :3]])

    oracle = DIFFERENCES

    def reference(x, v, k, r):
        return force_jacobians(linear_spring(k, 0.0, r), x, v)[:, :3, :3]

    equivalent_mutants = TWICE
    verdict = Verdict.HOLDS
    implemented_by = FORCE
    chapter = CHAPTER
