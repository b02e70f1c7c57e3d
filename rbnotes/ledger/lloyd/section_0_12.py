"""Lloyd 0.12: Jacobians for axial springs, the force and its two Jacobians.

The oracle is a spring without any of the section's formulas: a potential V(l) and a dissipation function
R(l, ldot) of the distance of two points. Its tension is nonlinear in both arguments, so that dF/dl and
dF/dldot vary.
"""

from __future__ import annotations

import numpy as np

from rbnotes.checking import complex_step
from rbnotes.checking.strategies import positive_numbers, vectors
from rbnotes.forces import UserTension, length_gradient, length_hessian, path_force, path_length, segments
from rbnotes.ledger.oracles.springs import (
    along_first,
    by_first_point,
    cubic_spring,
    distance,
    force_on_ends,
    jacobians,
    rate,
    tension_of,
)
from rbnotes.ledger.record import Verdict, claim

CHAPTER = "axial-springs"
identity = np.eye(3)


def points(count):
    """Points of a path ``(count, 3)``, neighbours at least 1/4 apart."""

    def spread(x):
        return bool(np.min(np.linalg.norm(np.diff(x, axis=0), axis=-1)) >= 0.25)

    return vectors(3 * count).map(lambda entries: entries.reshape(count, 3)).filter(spread)


def velocities(count):
    """Velocities of the points of a path ``(count, 3)``."""
    return vectors(3 * count).map(lambda entries: entries.reshape(count, 3))


POINTS = {"x": points(2), "v": velocities(2)}
SPRING = {**POINTS, "k": positive_numbers(), "d": positive_numbers()}


def tension(length, ldot, k, d):
    """A nonlinear spring force F(l, ldot) and its given partial derivatives."""
    return k * (length**2 - 1) + d * length * ldot + ldot**3 / 4


def tension_l(length, ldot, k, d):
    return 2 * k * length + d * ldot


def tension_ldot(length, ldot, k, d):
    return d * length + 3 * ldot**2 / 4


def law(k, d):
    """The same spring force for the library."""
    return UserTension(
        lambda L, Ldot: tension(L, Ldot, k, d),
        lambda L, Ldot: tension_l(L, Ldot, k, d),
        lambda L, Ldot: tension_ldot(L, Ldot, k, d),
    )


def geometry(x):
    """Direction u and length l, as printed in 0.12."""
    length = np.linalg.norm(x[1] - x[0])
    return (x[1] - x[0]) / length, length


def tension_of_law(x, v, k, d):
    """F of points and velocities, for complex numbers."""
    step = x[1] - x[0]
    return tension(distance(x), (v[1] - v[0]) @ step / distance(x), k, d)


def force_of_law(x, v, k, d):
    """f1 = F u, for complex numbers."""
    return tension_of_law(x, v, k, d) * (x[1] - x[0]) / distance(x)


def force_library(x, v, k, d):
    return path_force(law(k, d), x, v).f


def force_reference(x, v, k, d):
    return force_on_ends(*cubic_spring(k, d), x, v)


def first_position_library(x, v, k, d):
    return path_force(law(k, d), x, v).K[:3, :3]


def first_position_reference(x, v, k, d):
    return jacobians(cubic_spring(k, d), x, v)[0, :3, :3]


def first_velocity_library(x, v, k, d):
    return path_force(law(k, d), x, v).D[:3, :3]


def first_velocity_reference(x, v, k, d):
    return jacobians(cubic_spring(k, d), x, v)[1, :3, :3]


DIFFERENCES = "differences of the forces that a potential and a dissipation function of the distance give"


@claim("lloyd/s0.12/d1", "Forces of an axial spring on its two ends")
class d1:
    formula = r"\mathbf f_1 = F(l,\dot l)\,\mathbf u,\quad \mathbf f_2 = -F(l,\dot l)\,\mathbf u"
    inputs = SPRING

    def printed(x, v, k, d):
        u, length = geometry(x)
        F = tension(length, rate(x, v), k, d)
        return np.array([F * u, -F * u])

    library = force_library
    oracle = "complex step: minus the slopes of a potential of the distance and of a dissipation function"
    reference = force_reference
    verdict = Verdict.HOLDS
    remark = "$F > 0$ pulls the ends together."
    implemented_by = ("rbnotes.forces.path.path_force",)
    chapter = CHAPTER


@claim("lloyd/s0.12/d2", "Direction and length of an axial spring")
class d2:
    formula = r"\mathbf u \equiv (\mathbf x_2 - \mathbf x_1)/l,\quad l \equiv \|\mathbf x_2 - \mathbf x_1\|"
    inputs = POINTS

    def library(x, v):
        u, lengths = segments(x)
        return np.array([*u[0], lengths[0]])

    oracle = "complex step: u is the slope of the distance with respect to the second point"

    def reference(x, v):
        # The distance grows fastest away from the other point, by 1 per length.
        gradient = complex_step(lambda z: distance(np.array([x[0], z])), x[1])
        return np.array([*gradient, sum((x[1] - x[0]) ** 2) ** 0.5])

    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.forces.path.segments",)
    chapter = CHAPTER


@claim("lloyd/s0.12/d3", "Position and velocity Jacobians in blocks")
class d3:
    formula = (
        r"\partial\mathbf f/\partial\mathbf x \equiv (\partial\mathbf f_i/\partial\mathbf x_j),\quad"
        r"\partial\mathbf f/\partial\dot{\mathbf x} \equiv (\partial\mathbf f_i/\partial\dot{\mathbf x}_j)"
    )
    inputs = SPRING

    def library(x, v, k, d):
        _, K, D = path_force(law(k, d), x, v)
        return np.array([K, D])

    oracle = DIFFERENCES

    def reference(x, v, k, d):
        return jacobians(cubic_spring(k, d), x, v)

    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.forces.path.path_force",)
    chapter = CHAPTER


@claim("lloyd/s0.12/d4", "One block gives the whole position Jacobian")
class d4:
    formula = (
        r"\frac{\partial\mathbf f_2}{\partial\mathbf x_2} "
        r"= \frac{\partial\mathbf f_1}{\partial\mathbf x_1},\quad "
        r"\frac{\partial\mathbf f_1}{\partial\mathbf x_2} "
        r"= \frac{\partial\mathbf f_2}{\partial\mathbf x_1} "
        r"= -\frac{\partial\mathbf f_1}{\partial\mathbf x_1}"
    )
    inputs = SPRING

    def printed(x, v, k, d):
        f1_x1 = by_first_point(lambda z: force_of_law(z, v, k, d), x)
        f2_x2 = f1_x1
        f1_x2 = -f1_x1
        f2_x1 = -f1_x1
        return np.block([[f1_x1, f1_x2], [f2_x1, f2_x2]])

    def library(x, v, k, d):
        return path_force(law(k, d), x, v).K

    oracle = DIFFERENCES + ", all four blocks"

    def reference(x, v, k, d):
        return jacobians(cubic_spring(k, d), x, v)[0]

    verdict = Verdict.HOLDS
    remark = "The blocks repeat because the force depends on differences only; no block need be symmetric."
    implemented_by = ("rbnotes.forces.path.path_force",)
    chapter = CHAPTER


@claim("lloyd/s0.12/t504#a", "One block gives the whole velocity Jacobian")
class t504_a:
    formula = r"\text{similarly for the velocity Jacobian}"
    inputs = SPRING

    def printed(x, v, k, d):
        f1_v1 = by_first_point(lambda z: force_of_law(x, z, k, d), v)
        f2_v2 = f1_v1
        f1_v2 = -f1_v1
        f2_v1 = -f1_v1
        return np.block([[f1_v1, f1_v2], [f2_v1, f2_v2]])

    def library(x, v, k, d):
        return path_force(law(k, d), x, v).D

    oracle = DIFFERENCES + ", all four blocks"

    def reference(x, v, k, d):
        return jacobians(cubic_spring(k, d), x, v)[1]

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.path_force",)
    chapter = CHAPTER


@claim("lloyd/s0.12/t504#b", "The two blocks that are left to find")
class t504_b:
    formula = (
        r"\text{sufficient to analyze } \partial\mathbf f_1/\partial\dot{\mathbf x}_1\text{ and } "
        r"\partial\mathbf f_1/\partial\dot{\mathbf x}_1"
    )
    inputs = SPRING

    def printed(x, v, k, d):
        first = by_first_point(lambda z: force_of_law(x, z, k, d), v)
        second = by_first_point(lambda z: force_of_law(x, z, k, d), v)
        return np.array([first, second])

    def library(x, v, k, d):
        _, K, D = path_force(law(k, d), x, v)
        return np.array([K[:3, :3], D[:3, :3]])

    oracle = DIFFERENCES + ": the two blocks that are needed"

    def reference(x, v, k, d):
        return jacobians(cubic_spring(k, d), x, v)[:, :3, :3]

    verdict = Verdict.MISPRINT
    correction = r"The first of the two is $\partial\mathbf f_1/\partial\mathbf x_1$, without the dot."
    implemented_by = ("rbnotes.forces.path.path_force",)
    chapter = CHAPTER


@claim("lloyd/s0.12/d5#a", "Product rule for the position Jacobian")
class d5_a:
    formula = (
        r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} "
        r"= \mathbf u\frac{\partial F}{\partial\mathbf x_1} + F\frac{\partial\mathbf u}{\partial\mathbf "
        r"x_1}"
    )
    inputs = SPRING

    def printed(x, v, k, d):
        u, length = geometry(x)
        F = tension(length, rate(x, v), k, d)
        F_x1 = by_first_point(lambda z: tension_of_law(z, v, k, d), x)
        u_x1 = by_first_point(lambda z: (z[1] - z[0]) / distance(z), x)
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

    def printed(x, v, k, d):
        u, _ = geometry(x)
        F_v1 = by_first_point(lambda z: tension_of_law(x, z, k, d), v)
        return np.outer(u, F_v1)

    library = first_velocity_library
    oracle = DIFFERENCES
    reference = first_velocity_reference
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

    def printed(x, v, k, d):
        length, ldot = distance(x), rate(x, v)
        l_x1 = by_first_point(distance, x)
        ldot_x1 = along_first(lambda z: rate(z, v), x)
        return tension_l(length, ldot, k, d) * l_x1 + tension_ldot(length, ldot, k, d) * ldot_x1

    def library(x, v, k, d):
        _, F_l, F_ldot = law(k, d)(*path_length(x, v))
        return (F_l * length_gradient(x) + F_ldot * (length_hessian(x) @ v.ravel()))[:3]

    oracle = "differences, along the first point, of the tension that a potential and dissipation give"

    def reference(x, v, k, d):
        return along_first(lambda z: tension_of(cubic_spring(k, d), z, v), x)

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

    def printed(x, v, k, d):
        ldot_v1 = along_first(lambda u: rate(x, u), v)
        return tension_ldot(distance(x), rate(x, v), k, d) * ldot_v1

    def library(x, v, k, d):
        return law(k, d)(*path_length(x, v)).dF_dLdot * length_gradient(x)[:3]

    oracle = "differences, along the first velocity, of the tension that a potential and dissipation give"

    def reference(x, v, k, d):
        return along_first(lambda u: tension_of(cubic_spring(k, d), x, u), v)

    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.forces.path.path_length",
        "rbnotes.forces.path.length_gradient",
    )
    chapter = CHAPTER


@claim("lloyd/s0.12/d8#a", "Position Jacobian of an axial spring")
class d8_a:
    formula = (
        r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} "
        r"= -\frac{\partial F}{\partial l}\mathbf U_n - \frac1l\frac{\partial F}{\partial\dot l}\mathbf "
        r"u(\dot{\mathbf x}_2 - \dot{\mathbf x}_1)^T\mathbf U_p - \frac Fl\mathbf U_p"
    )
    inputs = SPRING

    def printed(x, v, k, d):
        u, length = geometry(x)
        ldot = rate(x, v)
        U_n = np.outer(u, u)
        U_p = identity - np.outer(u, u)
        F, F_l, F_ldot = (part(length, ldot, k, d) for part in (tension, tension_l, tension_ldot))
        return -F_l * U_n - (1 / length) * F_ldot * np.outer(u, (v[1] - v[0]) @ U_p) - (F / length) * U_p

    library = first_position_library
    oracle = DIFFERENCES
    reference = first_position_reference
    verdict = Verdict.HOLDS
    remark = "The middle term makes it unsymmetric for a damper whose ends move across its axis."
    implemented_by = ("rbnotes.forces.path.path_force",)
    chapter = CHAPTER


@claim("lloyd/s0.12/d8#b", "Velocity Jacobian of an axial spring")
class d8_b:
    formula = (
        r"\frac{\partial\mathbf f_1}{\partial\dot{\mathbf x}_1} "
        r"= -\frac{\partial F}{\partial\dot l}\mathbf U_n"
    )
    inputs = SPRING

    def printed(x, v, k, d):
        u, length = geometry(x)
        U_n = np.outer(u, u)
        return -tension_ldot(length, rate(x, v), k, d) * U_n

    library = first_velocity_library
    oracle = DIFFERENCES
    reference = first_velocity_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.path_force",)
    chapter = CHAPTER
