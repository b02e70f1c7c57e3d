"""Lloyd 0.12.1: linear axial springs. The oracle: slopes of k (l - r)^2 / 2 and d ldot^2 / 2."""

from __future__ import annotations

import numpy as np

from rbnotes.forces import LinearSpring, path_force
from rbnotes.ledger import quantities as units
from rbnotes.ledger.claims.lloyd.section_0_12 import POINTS, geometry, identity
from rbnotes.ledger.oracles.springs import distance_rate, force_jacobians, linear_spring
from rbnotes.ledger.quantities import DAMPING, LENGTH, STIFFNESS, VELOCITY, vector_quantity
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import numbers, positive_numbers

section = Section(
    "lloyd/s0.12.1",
    chapter="axial-springs",
    arguments={
        "length": Argument(LENGTH),
        "ldot": Argument(VELOCITY),
        "k": Argument(STIFFNESS),
        "d": Argument(DAMPING),
        "r": Argument(LENGTH),
        "x": Argument(LENGTH, "of the points, along the axes of the world"),
        "v": Argument(VELOCITY, "of the points, along the axes of the world"),
    },
)


COEFFICIENTS = {"k": positive_numbers(), "d": positive_numbers(), "r": positive_numbers()}
LENGTHS = {"length": positive_numbers(), "ldot": numbers(), **COEFFICIENTS}
SPRING = {**POINTS, **COEFFICIENTS}
UNDAMPED = {**POINTS, "k": positive_numbers(), "r": positive_numbers()}


def jacobian_x_reference(x, v, k, d, r):
    """Compare with differences of the forces of the potentials k (l - r)^2 / 2 and d ldot^2 / 2."""
    return force_jacobians(linear_spring(k, d, r), x, v)[0, :3, :3]


def jacobian_v_reference(x, v, k, d, r):
    """Compare with differences of the forces of the potentials k (l - r)^2 / 2 and d ldot^2 / 2."""
    return force_jacobians(linear_spring(k, d, r), x, v)[1, :3, :3]


FORCE = (path_force, LinearSpring)


@section.definition("d1", "Linear spring and damper")
class d1:
    formula = r"F = k(l - r) + d\,\dot l"
    inputs = LENGTHS
    result = Result(units.FORCE, "by the position of the first point, along the axes of the world")

    def printed(length, ldot, k, d, r):
        return k * (length - r) + d * ldot

    def library(length, ldot, k, d, r):
        return LinearSpring(k, d, r)(length, ldot).F

    def reference(length, ldot, k, d, r):
        """Differentiate the elastic energy and half the dissipated power, by complex steps."""
        elastic = complex_step(lambda z: k * (z[0] - r) ** 2 / 2, np.array([length]))
        viscous = complex_step(lambda z: d * z[0] ** 2 / 2, np.array([ldot]))
        return (elastic + viscous)[0]

    defines = (r"F",)
    remark = "Both signs are correct: the spring pulls when stretched, and the damper resists lengthening."
    implements = LinearSpring


@section.holds("d2", "Partial derivatives of the linear spring's tension")
class d2:
    formula = r"\frac{\partial F}{\partial l} = k,\quad \frac{\partial F}{\partial\dot l} = d"
    inputs = LENGTHS
    result = Result(vector_quantity((STIFFNESS, 1), (DAMPING, 1)), "by the length, then by its rate")

    def printed(length, ldot, k, d, r):
        return np.array([k, d])

    def library(length, ldot, k, d, r):
        return np.array(LinearSpring(k, d, r)(length, ldot)[1:])

    def reference(length, ldot, k, d, r):
        """Differentiate the tension by complex steps."""
        return complex_step(lambda z: k * (z[0] - r) + d * z[1], np.array([length, ldot]))

    implements = LinearSpring


@section.holds("d3#a", "Position Jacobian of a linear spring and damper")
class d3_a:
    formula = r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} = -k\mathbf U_n - \frac dl\mathbf u(\dot{\mathbf x}_2 - \dot{\mathbf x}_1)^T\mathbf U_p - \frac{k(l-r) + d\,\dot l}{l}\mathbf U_p"
    inputs = SPRING
    result = Result(STIFFNESS, "by the position of the first point, along the axes of the world")

    def printed(x, v, k, d, r):
        u, length = geometry(x)
        ldot = distance_rate(x, v)
        U_n = np.outer(u, u)
        U_p = identity - np.outer(u, u)
        across = np.outer(u, (v[1] - v[0]) @ U_p)
        return -k * U_n - (d / length) * across - ((k * (length - r) + d * ldot) / length) * U_p

    def library(x, v, k, d, r):
        return path_force(LinearSpring(k, d, r), x, v).K[:3, :3]

    reference = jacobian_x_reference
    implements = FORCE


@section.holds("d3#b", "Velocity Jacobian of a linear spring and damper")
class d3_b:
    formula = r"\frac{\partial\mathbf f_1}{\partial\dot{\mathbf x}_1} = -d\,\mathbf U_n"
    inputs = SPRING
    result = Result(DAMPING, "by the velocity of the first point, along the axes of the world")

    def printed(x, v, k, d, r):
        u, _ = geometry(x)
        U_n = np.outer(u, u)
        return -d * U_n

    def library(x, v, k, d, r):
        return path_force(LinearSpring(k, d, r), x, v).D[:3, :3]

    reference = jacobian_v_reference
    implements = FORCE


@section.holds("d4", "Jacobians of an undamped linear spring")
class d4:
    formula = r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} = -k\mathbf U_n - \frac{k(l-r)}{l}\mathbf U_p\quad\text{and}\quad\frac{\partial\mathbf f_1}{\partial\dot{\mathbf x}_1} = 0"
    inputs = UNDAMPED
    result = Result(
        STIFFNESS, "of the first point, along the axes of the world: by positions, then by velocities"
    )

    def printed(x, v, k, r):
        u, length = geometry(x)
        U_n = np.outer(u, u)
        U_p = identity - np.outer(u, u)
        zero = np.zeros((3, 3))
        return np.array([-k * U_n - (k * (length - r) / length) * U_p, zero])

    def library(x, v, k, r):
        _, K, D = path_force(LinearSpring(k, 0.0, r), x, v)
        return np.array([K[:3, :3], D[:3, :3]])

    def reference(x, v, k, r):
        """Compare with differences of the forces of the potentials k (l - r)^2 / 2 and d ldot^2 / 2."""
        return force_jacobians(linear_spring(k, 0.0, r), x, v)[:, :3, :3]

    implements = FORCE
