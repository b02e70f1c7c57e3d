"""Lloyd 0.12.1: linear axial springs. The oracle: complex steps of k (l - r)^2 / 2 and d ldot^2 / 2."""

from __future__ import annotations

import numpy as np

from rbnotes.checking import complex_step
from rbnotes.checking.strategies import numbers, positive_numbers
from rbnotes.forces import LinearSpring, path_force
from rbnotes.ledger.lloyd.section_0_12 import (
    POINTS,
    by_first_point,
    distance,
    geometry,
    identity,
    rate,
    smooth_rate,
)
from rbnotes.ledger.record import Record, Verdict

CHAPTER = "axial-springs"
COEFFICIENTS = {"k": positive_numbers(), "d": positive_numbers(), "r": positive_numbers()}
LENGTHS = {"length": positive_numbers(), "ldot": numbers(), **COEFFICIENTS}
SPRING = {**POINTS, **COEFFICIENTS}
UNDAMPED = {**POINTS, "k": positive_numbers(), "r": positive_numbers()}


def law_library(length, ldot, k, d, r):
    return LinearSpring(k, d, r)(length, ldot).F


def law_reference(length, ldot, k, d, r):
    elastic = complex_step(lambda z: k * (z[0] - r) ** 2 / 2, np.array([length]))
    viscous = complex_step(lambda z: d * z[0] ** 2 / 2, np.array([ldot]))
    return (elastic + viscous)[0]


def partials_printed(length, ldot, k, d, r):
    return np.array([k, d])


def partials_library(length, ldot, k, d, r):
    return np.array(LinearSpring(k, d, r)(length, ldot)[1:])


def partials_reference(length, ldot, k, d, r):
    return complex_step(lambda z: k * (z[0] - r) + d * z[1], np.array([length, ldot]))


def linear_force(x, v, k, d, r):
    """f1 of potential and dissipation; direction and rate are checked in 0.12."""
    tension = k * (distance(x) - r) + d * smooth_rate(x, v)
    return tension * (x[1] - x[0]) / distance(x)


def jacobian_x_printed(x, v, k, d, r):
    u, length = geometry(x)
    ldot = rate(x, v)
    U_n = np.outer(u, u)
    U_p = identity - np.outer(u, u)
    across = np.outer(u, (v[1] - v[0]) @ U_p)
    return -k * U_n - (d / length) * across - ((k * (length - r) + d * ldot) / length) * U_p


def jacobian_x_library(x, v, k, d, r):
    return path_force(LinearSpring(k, d, r), x, v).K[:3, :3]


def jacobian_x_reference(x, v, k, d, r):
    return by_first_point(lambda z: linear_force(z, v, k, d, r), x)


def jacobian_v_printed(x, v, k, d, r):
    u, _ = geometry(x)
    U_n = np.outer(u, u)
    return -d * U_n


def jacobian_v_library(x, v, k, d, r):
    return path_force(LinearSpring(k, d, r), x, v).D[:3, :3]


def jacobian_v_reference(x, v, k, d, r):
    return by_first_point(lambda z: linear_force(x, z, k, d, r), v)


def undamped_printed(x, v, k, r):
    u, length = geometry(x)
    U_n = np.outer(u, u)
    U_p = identity - np.outer(u, u)
    zero = np.zeros((3, 3))
    return np.array([-k * U_n - (k * (length - r) / length) * U_p, zero])


def undamped_library(x, v, k, r):
    _, K, D = path_force(LinearSpring(k, 0.0, r), x, v)
    return np.array([K[:3, :3], D[:3, :3]])


def undamped_reference(x, v, k, r):
    return np.array([jacobian_x_reference(x, v, k, 0.0, r), jacobian_v_reference(x, v, k, 0.0, r)])


LAW = ("rbnotes.forces.tension.LinearSpring",)
FORCE = ("rbnotes.forces.path.path_force", *LAW)
COMPLEX_STEP = "complex step of the force of a linear spring, written without its derivatives"

RECORDS = [
    Record(
        id="lloyd/s0.12.1/d1",
        title="Linear spring and damper",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        implemented_by=LAW,
        formula=r"F = k(l - r) + d\,\dot l",
        oracle="complex step: slopes of the elastic energy and of half the dissipated power",
        remark="Both signs are right: it pulls when stretched and resists lengthening.",
        inputs=LENGTHS,
        library=law_library,
        reference=law_reference,
    ),
    Record(
        id="lloyd/s0.12.1/d2",
        title="Partial derivatives of the linear spring's tension",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=LAW,
        formula=r"\frac{\partial F}{\partial l} = k,\quad \frac{\partial F}{\partial\dot l} = d",
        oracle="complex step of the tension",
        inputs=LENGTHS,
        printed=partials_printed,
        library=partials_library,
        reference=partials_reference,
    ),
    Record(
        id="lloyd/s0.12.1/d3#a",
        title="Position Jacobian of a linear spring and damper",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=FORCE,
        formula=r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} = -k\mathbf U_n - \frac dl\mathbf u"
        r"(\dot{\mathbf x}_2 - \dot{\mathbf x}_1)^T\mathbf U_p - \frac{k(l-r) + d\,\dot l}{l}\mathbf U_p",
        oracle=COMPLEX_STEP,
        inputs=SPRING,
        printed=jacobian_x_printed,
        library=jacobian_x_library,
        reference=jacobian_x_reference,
    ),
    Record(
        id="lloyd/s0.12.1/d3#b",
        title="Velocity Jacobian of a linear spring and damper",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=FORCE,
        formula=r"\frac{\partial\mathbf f_1}{\partial\dot{\mathbf x}_1} = -d\,\mathbf U_n",
        oracle=COMPLEX_STEP,
        inputs=SPRING,
        printed=jacobian_v_printed,
        library=jacobian_v_library,
        reference=jacobian_v_reference,
    ),
    Record(
        id="lloyd/s0.12.1/d4",
        title="Jacobians of an undamped linear spring",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=FORCE,
        formula=r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} = -k\mathbf U_n - "
        r"\frac{k(l-r)}{l}\mathbf U_p"
        r"\quad\text{and}\quad\frac{\partial\mathbf f_1}{\partial\dot{\mathbf x}_1} = 0",
        oracle=COMPLEX_STEP,
        inputs=UNDAMPED,
        printed=undamped_printed,
        library=undamped_library,
        reference=undamped_reference,
    ),
]
