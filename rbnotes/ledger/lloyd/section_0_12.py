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
from rbnotes.ledger.record import Record, Verdict

CHAPTER = "axial-springs"
PATH = "rbnotes.forces.path."
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


# --- the forces -----------------------------------------------------------------------------------------


def force_printed(x, v, k, d):
    u, length = geometry(x)
    F = tension(length, rate(x, v), k, d)
    return np.array([F * u, -F * u])


def force_library(x, v, k, d):
    return path_force(law(k, d), x, v).f


def force_reference(x, v, k, d):
    conservative = complex_step(lambda z: potential(distance(z.reshape(2, 3)), k), x.ravel())
    dissipative = complex_step(
        lambda z: dissipation(distance(x), smooth_rate(x, z.reshape(2, 3)), d), v.ravel()
    )
    return -(conservative + dissipative).reshape(2, 3)


def direction_library(x, v):
    u, lengths = segments(x)
    return np.array([*u[0], lengths[0]])


def direction_reference(x, v):
    # The distance grows fastest away from the other point, by 1 per length.
    gradient = complex_step(lambda z: distance(np.array([x[0], z])), x[1])
    return np.array([*gradient, sum((x[1] - x[0]) ** 2) ** 0.5])


def both_jacobians_library(x, v, k, d):
    _, K, D = path_force(law(k, d), x, v)
    return np.array([K, D])


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


# --- symmetry of the blocks -----------------------------------------------------------------------------


def position_blocks_printed(x, v, k, d):
    f1_x1 = by_first_point(lambda z: smooth_force(z, v, k, d), x)
    f2_x2 = f1_x1
    f1_x2 = -f1_x1
    f2_x1 = -f1_x1
    return np.block([[f1_x1, f1_x2], [f2_x1, f2_x2]])


def position_blocks_library(x, v, k, d):
    return path_force(law(k, d), x, v).K


def position_blocks_reference(x, v, k, d):
    return both_jacobians_reference(x, v, k, d)[0]


def velocity_blocks_printed(x, v, k, d):
    f1_v1 = by_first_point(lambda z: smooth_force(x, z, k, d), v)
    f2_v2 = f1_v1
    f1_v2 = -f1_v1
    f2_v1 = -f1_v1
    return np.block([[f1_v1, f1_v2], [f2_v1, f2_v2]])


def velocity_blocks_library(x, v, k, d):
    return path_force(law(k, d), x, v).D


def velocity_blocks_reference(x, v, k, d):
    return both_jacobians_reference(x, v, k, d)[1]


def sufficient_printed(x, v, k, d):
    first = by_first_point(lambda z: smooth_force(x, z, k, d), v)
    second = by_first_point(lambda z: smooth_force(x, z, k, d), v)
    return np.array([first, second])


def sufficient_library(x, v, k, d):
    _, K, D = path_force(law(k, d), x, v)
    return np.array([K[:3, :3], D[:3, :3]])


def sufficient_reference(x, v, k, d):
    return both_jacobians_reference(x, v, k, d)[:, :3, :3]


# --- product and chain rule -----------------------------------------------------------------------------


def first_tension(x, v, k, d):
    return tension(distance(x), smooth_rate(x, v), k, d)


def product_position_printed(x, v, k, d):
    u, length = geometry(x)
    F = tension(length, rate(x, v), k, d)
    F_x1 = by_first_point(lambda z: first_tension(z, v, k, d), x)
    u_x1 = by_first_point(lambda z: (z[1] - z[0]) / distance(z), x)
    return np.outer(u, F_x1) + F * u_x1


def product_velocity_printed(x, v, k, d):
    u, _ = geometry(x)
    F_v1 = by_first_point(lambda z: first_tension(x, z, k, d), v)
    return np.outer(u, F_v1)


def first_position_library(x, v, k, d):
    return path_force(law(k, d), x, v).K[:3, :3]


def first_position_reference(x, v, k, d):
    return by_first_point(lambda z: smooth_force(z, v, k, d), x)


def first_velocity_library(x, v, k, d):
    return path_force(law(k, d), x, v).D[:3, :3]


def first_velocity_reference(x, v, k, d):
    return by_first_point(lambda z: smooth_force(x, z, k, d), v)


def chain_position_printed(x, v, k, d):
    length, ldot = distance(x), rate(x, v)
    l_x1 = by_first_point(distance, x)
    ldot_x1 = by_first_point(lambda z: smooth_rate(z, v), x)
    return tension_l(length, ldot, k, d) * l_x1 + tension_ldot(length, ldot, k, d) * ldot_x1


def chain_position_library(x, v, k, d):
    _, F_l, F_ldot = law(k, d)(*path_length(x, v))
    return (F_l * length_gradient(x) + F_ldot * (length_hessian(x) @ v.ravel()))[:3]


def chain_position_reference(x, v, k, d):
    return by_first_point(lambda z: first_tension(z, v, k, d), x)


def chain_velocity_printed(x, v, k, d):
    ldot_v1 = by_first_point(lambda z: smooth_rate(x, z), v)
    return tension_ldot(distance(x), rate(x, v), k, d) * ldot_v1


def chain_velocity_library(x, v, k, d):
    return law(k, d)(*path_length(x, v)).dF_dLdot * length_gradient(x)[:3]


def chain_velocity_reference(x, v, k, d):
    return by_first_point(lambda z: first_tension(x, z, k, d), v)


# --- derivatives of length, rate and direction ----------------------------------------------------------


def rate_printed(x, v):
    u, _ = geometry(x)
    return u @ (v[1] - v[0])


def rate_library(x, v):
    return path_length(x, v).Ldot


def rate_reference(x, v):
    return rate(x, v)


def length_x1_printed(x, v):
    u, _ = geometry(x)
    return -u


def length_x1_library(x, v):
    return length_gradient(x)[:3]


def length_x1_reference(x, v):
    return by_first_point(distance, x)


def direction_x1_middle_printed(x, v):
    _, length = geometry(x)
    inverse_l_x1 = by_first_point(lambda z: 1 / distance(z), x)
    return -(1 / length) * identity + np.outer(x[1] - x[0], inverse_l_x1)


def direction_x1_printed(x, v):
    u, length = geometry(x)
    return -(1 / length) * (identity - np.outer(u, u))


def direction_x1_library(x, v):
    return -length_hessian(x)[:3, :3]


def direction_x1_reference(x, v):
    return by_first_point(lambda z: (z[1] - z[0]) / distance(z), x)


def rate_x1_middle_printed(x, v):
    u_x1 = by_first_point(lambda z: (z[1] - z[0]) / distance(z), x)
    return (v[1] - v[0]) @ u_x1


def rate_x1_printed(x, v):
    u, length = geometry(x)
    return -(1 / length) * (v[1] - v[0]) @ (identity - np.outer(u, u))


def rate_x1_library(x, v):
    return (length_hessian(x) @ v.ravel())[:3]


def rate_x1_reference(x, v):
    return by_first_point(lambda z: smooth_rate(z, v), x)


def rate_v1_reference(x, v):
    return jacobian(lambda first: rate(x, np.array([first, v[1]])), v[0]).value


def projections_printed(x, w):
    u, _ = geometry(x)
    U_n = np.outer(u, u)
    U_p = identity - np.outer(u, u)
    return np.array([U_n @ w, U_p @ w])


def projections_library(x, w):
    u, lengths = segments(x)
    return np.array([(u[0] @ w) * u[0], lengths[0] * length_hessian(x)[:3, :3] @ w])


def projections_reference(x, w):
    (share,), *_ = np.linalg.lstsq((x[1] - x[0])[:, None], w, rcond=None)
    along = share * (x[1] - x[0])
    return np.array([along, w - along])


# --- the Jacobians --------------------------------------------------------------------------------------


def jacobian_x_printed(x, v, k, d):
    u, length = geometry(x)
    ldot = rate(x, v)
    U_n = np.outer(u, u)
    U_p = identity - np.outer(u, u)
    F, F_l, F_ldot = (part(length, ldot, k, d) for part in (tension, tension_l, tension_ldot))
    return -F_l * U_n - (1 / length) * F_ldot * np.outer(u, (v[1] - v[0]) @ U_p) - (F / length) * U_p


def jacobian_v_printed(x, v, k, d):
    u, length = geometry(x)
    U_n = np.outer(u, u)
    return -tension_ldot(length, rate(x, v), k, d) * U_n


COMPLEX_STEP = "complex step of the force of a nonlinear spring that d1 has checked against its potential"

RECORDS = [
    Record(
        id="lloyd/s0.12/d1",
        title="Forces of an axial spring on its two ends",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "path_force",),
        formula=r"\mathbf f_1 = F(l,\dot l)\,\mathbf u,\quad \mathbf f_2 = -F(l,\dot l)\,\mathbf u",
        oracle="complex step: minus the slopes of a potential of the distance and of a dissipation function",
        remark=r"$F > 0$ pulls the ends together.",
        inputs=SPRING,
        printed=force_printed,
        library=force_library,
        reference=force_reference,
    ),
    Record(
        id="lloyd/s0.12/d2",
        title="Direction and length of an axial spring",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        implemented_by=(PATH + "segments",),
        formula=r"\mathbf u \equiv (\mathbf x_2 - \mathbf x_1)/l,\quad l \equiv \|\mathbf x_2 - \mathbf "
        r"x_1\|",
        oracle="complex step: u is the slope of the distance with respect to the second point",
        inputs=POINTS,
        library=direction_library,
        reference=direction_reference,
    ),
    Record(
        id="lloyd/s0.12/d3",
        title="Position and velocity Jacobians in blocks",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        implemented_by=(PATH + "path_force",),
        formula=r"\partial\mathbf f/\partial\mathbf x \equiv (\partial\mathbf f_i/\partial\mathbf x_j),\quad"
        r"\partial\mathbf f/\partial\dot{\mathbf x} \equiv (\partial\mathbf f_i/\partial\dot{\mathbf x}_j)",
        oracle=COMPLEX_STEP,
        inputs=SPRING,
        library=both_jacobians_library,
        reference=both_jacobians_reference,
    ),
    Record(
        id="lloyd/s0.12/d4",
        title="One block gives the whole position Jacobian",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "path_force",),
        formula=r"\frac{\partial\mathbf f_2}{\partial\mathbf x_2} = \frac{\partial\mathbf "
        r"f_1}{\partial\mathbf x_1},"
        r"\quad \frac{\partial\mathbf f_1}{\partial\mathbf x_2} = \frac{\partial\mathbf "
        r"f_2}{\partial\mathbf x_1}"
        r" = -\frac{\partial\mathbf f_1}{\partial\mathbf x_1}",
        oracle=COMPLEX_STEP + ", all four blocks",
        remark="The blocks repeat because the force depends on differences only; no block need be symmetric.",
        inputs=SPRING,
        printed=position_blocks_printed,
        library=position_blocks_library,
        reference=position_blocks_reference,
    ),
    Record(
        id="lloyd/s0.12/t504#a",
        title="One block gives the whole velocity Jacobian",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "path_force",),
        formula=r"\text{similarly for the velocity Jacobian}",
        oracle=COMPLEX_STEP + ", all four blocks",
        inputs=SPRING,
        printed=velocity_blocks_printed,
        library=velocity_blocks_library,
        reference=velocity_blocks_reference,
    ),
    Record(
        id="lloyd/s0.12/t504#b",
        title="The two blocks that are left to find",
        verdict=Verdict.MISPRINT,
        chapter=CHAPTER,
        implemented_by=(PATH + "path_force",),
        formula=r"\text{sufficient to analyze } \partial\mathbf f_1/\partial\dot{\mathbf x}_1"
        r"\text{ and } \partial\mathbf f_1/\partial\dot{\mathbf x}_1",
        correction=r"The first of the two is $\partial\mathbf f_1/\partial\mathbf x_1$, without the dot.",
        oracle=COMPLEX_STEP + ": the two blocks that are needed",
        inputs=SPRING,
        printed=sufficient_printed,
        library=sufficient_library,
        reference=sufficient_reference,
    ),
    Record(
        id="lloyd/s0.12/d5#a",
        title="Product rule for the position Jacobian",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "path_force",),
        formula=r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} = \mathbf u\frac{\partial "
        r"F}{\partial\mathbf x_1}"
        r" + F\frac{\partial\mathbf u}{\partial\mathbf x_1}",
        oracle=COMPLEX_STEP,
        inputs=SPRING,
        printed=product_position_printed,
        library=first_position_library,
        reference=first_position_reference,
    ),
    Record(
        id="lloyd/s0.12/d5#b",
        title="Product rule for the velocity Jacobian",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "path_force",),
        formula=r"\frac{\partial\mathbf f_1}{\partial\dot{\mathbf x}_1} ="
        r" \mathbf u\frac{\partial F}{\partial\dot{\mathbf x}_1}",
        oracle=COMPLEX_STEP,
        inputs=SPRING,
        printed=product_velocity_printed,
        library=first_velocity_library,
        reference=first_velocity_reference,
    ),
    Record(
        id="lloyd/s0.12/d6#a",
        title="Chain rule for the tension, positions",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "path_force", PATH + "length_gradient", PATH + "length_hessian"),
        formula=r"\frac{\partial F}{\partial\mathbf x_1} = \frac{\partial F}{\partial l}\frac{\partial "
        r"l}{\partial\mathbf x_1}"
        r" + \frac{\partial F}{\partial\dot l}\frac{\partial\dot l}{\partial\mathbf x_1}",
        oracle="complex step of the tension as a function of the two points",
        inputs=SPRING,
        printed=chain_position_printed,
        library=chain_position_library,
        reference=chain_position_reference,
    ),
    Record(
        id="lloyd/s0.12/d6#b",
        title="Chain rule for the tension, velocities",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "path_force", PATH + "length_gradient"),
        formula=r"\frac{\partial F}{\partial\dot{\mathbf x}_1} ="
        r" \frac{\partial F}{\partial\dot l}\frac{\partial\dot l}{\partial\dot{\mathbf x}_1}",
        oracle="complex step of the tension as a function of the two velocities",
        inputs=SPRING,
        printed=chain_velocity_printed,
        library=chain_velocity_library,
        reference=chain_velocity_reference,
    ),
    Record(
        id="lloyd/s0.12/d7#a",
        title="Rate of change of the length",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "path_length",),
        formula=r"\dot l = \mathbf u^T(\dot{\mathbf x}_2 - \dot{\mathbf x}_1)"
        r" = (\dot{\mathbf x}_2 - \dot{\mathbf x}_1)^T\mathbf u",
        oracle="complex step in time of the distance of two points under way",
        inputs=POINTS,
        printed=rate_printed,
        library=rate_library,
        reference=rate_reference,
    ),
    Record(
        id="lloyd/s0.12/d7#b",
        title="Derivative of the length",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "length_gradient",),
        formula=r"\frac{\partial l}{\partial\mathbf x_1} = -\mathbf u^T",
        oracle="complex step of the distance",
        inputs=POINTS,
        printed=length_x1_printed,
        library=length_x1_library,
        reference=length_x1_reference,
    ),
    Record(
        id="lloyd/s0.12/d7#c",
        title="Derivative of the direction, by the product rule",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "length_hessian",),
        formula=r"\frac{\partial\mathbf u}{\partial\mathbf x_1} = -\frac1l\mathbf I + (\mathbf x_2 - "
        r"\mathbf x_1)"
        r"\frac{\partial}{\partial\mathbf x_1}\Bigl(\frac1l\Bigr)",
        oracle="complex step of the direction",
        inputs=POINTS,
        printed=direction_x1_middle_printed,
        library=direction_x1_library,
        reference=direction_x1_reference,
    ),
    Record(
        id="lloyd/s0.12/d7#d",
        title="Derivative of the direction",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "length_hessian",),
        formula=r"\frac{\partial\mathbf u}{\partial\mathbf x_1} = -\frac1l(\mathbf I - \mathbf u\mathbf u^T)",
        oracle="complex step of the direction",
        inputs=POINTS,
        printed=direction_x1_printed,
        library=direction_x1_library,
        reference=direction_x1_reference,
    ),
    Record(
        id="lloyd/s0.12/d7#e",
        title="Derivative of the rate with respect to position, through the direction",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "length_hessian",),
        formula=r"\frac{\partial\dot l}{\partial\mathbf x_1} = (\dot{\mathbf x}_2 - \dot{\mathbf x}_1)^T"
        r"\frac{\partial\mathbf u}{\partial\mathbf x_1}",
        oracle="complex step of the rate",
        inputs=POINTS,
        printed=rate_x1_middle_printed,
        library=rate_x1_library,
        reference=rate_x1_reference,
    ),
    Record(
        id="lloyd/s0.12/d7#f",
        title="Derivative of the rate with respect to position",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "length_hessian",),
        formula=r"\frac{\partial\dot l}{\partial\mathbf x_1} = -\frac1l(\dot{\mathbf x}_2 - \dot{\mathbf "
        r"x}_1)^T"
        r"(\mathbf I - \mathbf u\mathbf u^T)",
        oracle="complex step of the rate",
        inputs=POINTS,
        printed=rate_x1_printed,
        library=rate_x1_library,
        reference=rate_x1_reference,
    ),
    Record(
        id="lloyd/s0.12/d7#g",
        title="Derivative of the rate with respect to velocity",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "length_gradient",),
        formula=r"\frac{\partial\dot l}{\partial\dot{\mathbf x}_1} = -\mathbf u^T",
        oracle="finite differences of the rate, itself a complex step in time of the distance",
        inputs=POINTS,
        printed=length_x1_printed,
        library=length_x1_library,
        reference=rate_v1_reference,
    ),
    Record(
        id="lloyd/s0.12/t520",
        title="Projections along and across the spring",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "segments", PATH + "length_hessian"),
        formula=r"\mathbf U_n \equiv \mathbf u\mathbf u^T,\quad \mathbf U_p \equiv \mathbf I - \mathbf "
        r"u\mathbf u^T",
        oracle="least squares: the multiple of the spring's axis nearest to a vector, and the rest",
        inputs={"x": points(2), "w": vectors()},
        printed=projections_printed,
        library=projections_library,
        reference=projections_reference,
    ),
    Record(
        id="lloyd/s0.12/d8#a",
        title="Position Jacobian of an axial spring",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "path_force", PATH + "path_stiffness"),
        formula=r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} = -\frac{\partial F}{\partial l}\mathbf U_n"
        r" - \frac1l\frac{\partial F}{\partial\dot l}\mathbf u(\dot{\mathbf x}_2 - \dot{\mathbf "
        r"x}_1)^T\mathbf U_p"
        r" - \frac Fl\mathbf U_p",
        oracle=COMPLEX_STEP,
        remark="The middle term makes it unsymmetric for a damper whose ends move across its axis.",
        inputs=SPRING,
        printed=jacobian_x_printed,
        library=first_position_library,
        reference=first_position_reference,
    ),
    Record(
        id="lloyd/s0.12/d8#b",
        title="Velocity Jacobian of an axial spring",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "path_force",),
        formula=r"\frac{\partial\mathbf f_1}{\partial\dot{\mathbf x}_1} = -\frac{\partial F}{\partial\dot "
        r"l}\mathbf U_n",
        oracle=COMPLEX_STEP,
        inputs=SPRING,
        printed=jacobian_v_printed,
        library=first_velocity_library,
        reference=first_velocity_reference,
    ),
]
