"""Lloyd 0.12: Jacobians for axial springs.

The oracle is a spring without any of the section's formulas: a potential V(l) and a dissipation function
R(l, ldot) of the distance of two points, differentiated by complex steps. Its tension V' + dR/dldot is
nonlinear in both arguments, so that dF/dl and dF/dldot vary.
"""

from __future__ import annotations

import numpy as np

from rbnotes.checking import complex_step, jacobian
from rbnotes.checking.strategies import positive_numbers, vectors
from rbnotes.forces import UserTension, length_gradient, length_hessian, path_force, path_length, segments
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


def distance(x):
    step = x[1] - x[0]
    return np.sqrt(step @ step)


def potential(length, k):
    return k * (length**3 / 3 - length)


def dissipation(length, ldot, d):
    return d * length * ldot**2 / 2 + ldot**4 / 16


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


def rate(x, v):
    """dl/dt, from the distance after a small time."""
    return complex_step(lambda t: distance(x + t[0] * v), np.zeros(1))[0]


def smooth_rate(x, v):
    # The same as rate(), in a form that takes complex numbers.
    step = x[1] - x[0]
    return (v[1] - v[0]) @ step / np.sqrt(step @ step)


def smooth_force(x, v, k, d):
    """f1 = F u, for complex numbers; that it is the force of V and R is what d1 checks."""
    return tension(distance(x), smooth_rate(x, v), k, d) * (x[1] - x[0]) / distance(x)


def by_first_point(function, x):
    """Derivative with respect to the first point of a pair ``x (2, 3)``."""
    return complex_step(lambda z: function(np.array([z, x[1] + 0 * z])), x[0])


def force_library(x, v, k, d):
    return path_force(law(k, d), x, v).f


def force_reference(x, v, k, d):
    conservative = complex_step(lambda z: potential(distance(z.reshape(2, 3)), k), x.ravel())
    dissipative = complex_step(
        lambda z: dissipation(distance(x), smooth_rate(x, z.reshape(2, 3)), d), v.ravel()
    )
    return -(conservative + dissipative).reshape(2, 3)


def both_jacobians_reference(x, v, k, d):
    def f(x, v):
        f1 = smooth_force(x, v, k, d)
        return np.concatenate([f1, -f1])

    return np.array(
        [
            complex_step(lambda z: f(z.reshape(2, 3), v), x.ravel()),
            complex_step(lambda z: f(x, z.reshape(2, 3)), v.ravel()),
        ]
    )


def first_tension(x, v, k, d):
    return tension(distance(x), smooth_rate(x, v), k, d)


def first_position_library(x, v, k, d):
    return path_force(law(k, d), x, v).K[:3, :3]


def first_position_reference(x, v, k, d):
    return by_first_point(lambda z: smooth_force(z, v, k, d), x)


def first_velocity_library(x, v, k, d):
    return path_force(law(k, d), x, v).D[:3, :3]


def first_velocity_reference(x, v, k, d):
    return by_first_point(lambda z: smooth_force(x, z, k, d), v)


def length_x1_printed(x, v):
    u, _ = geometry(x)
    return -u


def length_x1_library(x, v):
    return length_gradient(x)[:3]


def direction_x1_library(x, v):
    return -length_hessian(x)[:3, :3]


def direction_x1_reference(x, v):
    return by_first_point(lambda z: (z[1] - z[0]) / distance(z), x)


def rate_x1_library(x, v):
    return (length_hessian(x) @ v.ravel())[:3]


def rate_x1_reference(x, v):
    return by_first_point(lambda z: smooth_rate(z, v), x)


COMPLEX_STEP = "complex step of the force of a nonlinear spring that d1 has checked against its potential"


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

    oracle = COMPLEX_STEP
    reference = both_jacobians_reference
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
        f1_x1 = by_first_point(lambda z: smooth_force(z, v, k, d), x)
        f2_x2 = f1_x1
        f1_x2 = -f1_x1
        f2_x1 = -f1_x1
        return np.block([[f1_x1, f1_x2], [f2_x1, f2_x2]])

    def library(x, v, k, d):
        return path_force(law(k, d), x, v).K

    oracle = (
        "complex step of the force of a nonlinear spring that d1 has checked against its potential, all "
        "four blocks"
    )

    def reference(x, v, k, d):
        return both_jacobians_reference(x, v, k, d)[0]

    verdict = Verdict.HOLDS
    remark = "The blocks repeat because the force depends on differences only; no block need be symmetric."
    implemented_by = ("rbnotes.forces.path.path_force",)
    chapter = CHAPTER


@claim("lloyd/s0.12/t504#a", "One block gives the whole velocity Jacobian")
class t504_a:
    formula = r"\text{similarly for the velocity Jacobian}"
    inputs = SPRING

    def printed(x, v, k, d):
        f1_v1 = by_first_point(lambda z: smooth_force(x, z, k, d), v)
        f2_v2 = f1_v1
        f1_v2 = -f1_v1
        f2_v1 = -f1_v1
        return np.block([[f1_v1, f1_v2], [f2_v1, f2_v2]])

    def library(x, v, k, d):
        return path_force(law(k, d), x, v).D

    oracle = (
        "complex step of the force of a nonlinear spring that d1 has checked against its potential, all "
        "four blocks"
    )

    def reference(x, v, k, d):
        return both_jacobians_reference(x, v, k, d)[1]

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
        first = by_first_point(lambda z: smooth_force(x, z, k, d), v)
        second = by_first_point(lambda z: smooth_force(x, z, k, d), v)
        return np.array([first, second])

    def library(x, v, k, d):
        _, K, D = path_force(law(k, d), x, v)
        return np.array([K[:3, :3], D[:3, :3]])

    oracle = (
        "complex step of the force of a nonlinear spring that d1 has checked against its potential: the "
        "two blocks that are needed"
    )

    def reference(x, v, k, d):
        return both_jacobians_reference(x, v, k, d)[:, :3, :3]

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
        F_x1 = by_first_point(lambda z: first_tension(z, v, k, d), x)
        u_x1 = by_first_point(lambda z: (z[1] - z[0]) / distance(z), x)
        return np.outer(u, F_x1) + F * u_x1

    library = first_position_library
    oracle = COMPLEX_STEP
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
        F_v1 = by_first_point(lambda z: first_tension(x, z, k, d), v)
        return np.outer(u, F_v1)

    library = first_velocity_library
    oracle = COMPLEX_STEP
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
        ldot_x1 = by_first_point(lambda z: smooth_rate(z, v), x)
        return tension_l(length, ldot, k, d) * l_x1 + tension_ldot(length, ldot, k, d) * ldot_x1

    def library(x, v, k, d):
        _, F_l, F_ldot = law(k, d)(*path_length(x, v))
        return (F_l * length_gradient(x) + F_ldot * (length_hessian(x) @ v.ravel()))[:3]

    oracle = "complex step of the tension as a function of the two points"

    def reference(x, v, k, d):
        return by_first_point(lambda z: first_tension(z, v, k, d), x)

    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.forces.path.path_force",
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
        ldot_v1 = by_first_point(lambda z: smooth_rate(x, z), v)
        return tension_ldot(distance(x), rate(x, v), k, d) * ldot_v1

    def library(x, v, k, d):
        return law(k, d)(*path_length(x, v)).dF_dLdot * length_gradient(x)[:3]

    oracle = "complex step of the tension as a function of the two velocities"

    def reference(x, v, k, d):
        return by_first_point(lambda z: first_tension(x, z, k, d), v)

    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.forces.path.path_force",
        "rbnotes.forces.path.length_gradient",
    )
    chapter = CHAPTER


@claim("lloyd/s0.12/d7#a", "Rate of change of the length")
class d7_a:
    formula = (
        r"\dot l = \mathbf u^T(\dot{\mathbf x}_2 - \dot{\mathbf x}_1) "
        r"= (\dot{\mathbf x}_2 - \dot{\mathbf x}_1)^T\mathbf u"
    )
    inputs = POINTS

    def printed(x, v):
        u, _ = geometry(x)
        return u @ (v[1] - v[0])

    def library(x, v):
        return path_length(x, v).Ldot

    oracle = "complex step in time of the distance of two points under way"

    def reference(x, v):
        return rate(x, v)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.path_length",)
    chapter = CHAPTER


@claim("lloyd/s0.12/d7#b", "Derivative of the length")
class d7_b:
    formula = r"\frac{\partial l}{\partial\mathbf x_1} = -\mathbf u^T"
    inputs = POINTS
    printed = length_x1_printed
    library = length_x1_library
    oracle = "complex step of the distance"

    def reference(x, v):
        return by_first_point(distance, x)

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

    def printed(x, v):
        _, length = geometry(x)
        inverse_l_x1 = by_first_point(lambda z: 1 / distance(z), x)
        return -(1 / length) * identity + np.outer(x[1] - x[0], inverse_l_x1)

    library = direction_x1_library
    oracle = "complex step of the direction"
    reference = direction_x1_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.length_hessian",)
    chapter = CHAPTER


@claim("lloyd/s0.12/d7#d", "Derivative of the direction")
class d7_d:
    formula = r"\frac{\partial\mathbf u}{\partial\mathbf x_1} = -\frac1l(\mathbf I - \mathbf u\mathbf u^T)"
    inputs = POINTS

    def printed(x, v):
        u, length = geometry(x)
        return -(1 / length) * (identity - np.outer(u, u))

    library = direction_x1_library
    oracle = "complex step of the direction"
    reference = direction_x1_reference
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

    def printed(x, v):
        u_x1 = by_first_point(lambda z: (z[1] - z[0]) / distance(z), x)
        return (v[1] - v[0]) @ u_x1

    library = rate_x1_library
    oracle = "complex step of the rate"
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

    def printed(x, v):
        u, length = geometry(x)
        return -(1 / length) * (v[1] - v[0]) @ (identity - np.outer(u, u))

    library = rate_x1_library
    oracle = "complex step of the rate"
    reference = rate_x1_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.length_hessian",)
    chapter = CHAPTER


@claim("lloyd/s0.12/d7#g", "Derivative of the rate with respect to velocity")
class d7_g:
    formula = r"\frac{\partial\dot l}{\partial\dot{\mathbf x}_1} = -\mathbf u^T"
    inputs = POINTS
    printed = length_x1_printed
    library = length_x1_library
    oracle = "finite differences of the rate, itself a complex step in time of the distance"

    def reference(x, v):
        return jacobian(lambda first: rate(x, np.array([first, v[1]])), v[0]).value

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

    def printed(x, w):
        u, _ = geometry(x)
        U_n = np.outer(u, u)
        U_p = identity - np.outer(u, u)
        return np.array([U_n @ w, U_p @ w])

    def library(x, w):
        u, lengths = segments(x)
        return np.array([(u[0] @ w) * u[0], lengths[0] * length_hessian(x)[:3, :3] @ w])

    oracle = "least squares: the multiple of the spring's axis nearest to a vector, and the rest"

    def reference(x, w):
        (share,), *_ = np.linalg.lstsq((x[1] - x[0])[:, None], w, rcond=None)
        along = share * (x[1] - x[0])
        return np.array([along, w - along])

    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.forces.path.segments",
        "rbnotes.forces.path.length_hessian",
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
    oracle = COMPLEX_STEP
    reference = first_position_reference
    verdict = Verdict.HOLDS
    remark = "The middle term makes it unsymmetric for a damper whose ends move across its axis."
    implemented_by = (
        "rbnotes.forces.path.path_force",
        "rbnotes.forces.path.path_stiffness",
    )
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
    oracle = COMPLEX_STEP
    reference = first_velocity_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.path_force",)
    chapter = CHAPTER
