"""Lloyd 0.12: Jacobians for axial springs, the force and its two Jacobians.

The oracle is a spring without any of the section's formulas: a potential V(l) and a dissipation function
R(l, ldot) of the distance of two points. Its tension is nonlinear in both arguments, so that dF/dl and
dF/dldot vary.
"""

from __future__ import annotations

import numpy as np

from rbnotes.forces import CallableTensionLaw, path_force, path_segments
from rbnotes.ledger.oracles.springs import (
    cubic_spring,
    distance,
    distance_rate,
    first_point_derivative,
    force_jacobians,
    force_on_ends,
    tension,
    tension_by_length,
    tension_by_rate,
)
from rbnotes.ledger.quantities import (
    AREA,
    DAMPING,
    FORCE,
    LENGTH,
    NUMBER,
    STIFFNESS,
    VELOCITY,
    stacked_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import positive_numbers, vectors

CHAPTER = "axial-springs"
identity = np.eye(3)
TWICE = {"in geometry: swapped operands in `x[1] - x[0]`": "the direction u stands twice"}


QUANTITIES = {"d": STIFFNESS / VELOCITY, "k": FORCE / AREA}


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


def law(k, d):
    """The same spring force for the library."""
    return CallableTensionLaw(
        lambda L, Ldot: tension(L, Ldot, k, d),
        lambda L, Ldot: tension_by_length(L, Ldot, k, d),
        lambda L, Ldot: tension_by_rate(L, Ldot, k, d),
    )


def geometry(x):
    """Direction u and length l, as printed in 0.12."""
    length = distance(x)
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
    return force_jacobians(cubic_spring(k, d), x, v)[0, :3, :3]


def first_velocity_library(x, v, k, d):
    return path_force(law(k, d), x, v).D[:3, :3]


def first_velocity_reference(x, v, k, d):
    return force_jacobians(cubic_spring(k, d), x, v)[1, :3, :3]


DIFFERENCES = "differences of the forces that a potential and a dissipation function of the distance give"


@claim("lloyd/s0.12/d1", "Forces of an axial spring on its two ends")
class d1:
    formula = r"\mathbf f_1 = F(l,\dot l)\,\mathbf u,\quad \mathbf f_2 = -F(l,\dot l)\,\mathbf u"
    inputs = SPRING
    result = FORCE
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        u, length = geometry(x)
        F = tension(length, distance_rate(x, v), k, d)
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
    result = vector_quantity((NUMBER, 3), (LENGTH, 1))

    def printed(x, v):
        length = np.sqrt(np.sum((x[1] - x[0]) ** 2))
        return np.append((x[1] - x[0]) / length, length)

    def library(x, v):
        u, lengths = path_segments(x)
        return np.array([*u[0], lengths[0]])

    oracle = "complex step: u is the slope of the distance along the second point, l the way along it"

    def reference(x, v):
        # The distance grows fastest away from the other point, by 1 per length.
        gradient = complex_step(lambda z: distance(np.array([x[0], z])), x[1])
        return np.append(gradient, gradient @ (x[1] - x[0]))

    defines = (r"\mathbf u", r"l")
    equivalent_mutants = {"swapped operands in `x[1] - x[0]`": "its square is the same"}
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.forces.path.path_segments",)
    chapter = CHAPTER


@claim("lloyd/s0.12/d3", "Position and velocity Jacobians in blocks")
class d3:
    formula = (
        r"\partial\mathbf f/\partial\mathbf x \equiv (\partial\mathbf f_i/\partial\mathbf x_j),\quad"
        r"\partial\mathbf f/\partial\dot{\mathbf x} \equiv (\partial\mathbf f_i/\partial\dot{\mathbf x}_j)"
    )
    inputs = SPRING
    result = stacked_quantity(STIFFNESS, DAMPING)
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        def of_pair(function, at):
            blocks = [
                complex_step(lambda z: function(z, at[1]), at[0]),
                complex_step(lambda z: function(at[0], z), at[1]),
            ]
            return np.vstack([np.hstack(blocks), -np.hstack(blocks)])

        positions = of_pair(lambda x1, x2: force_of_law(np.array([x1, x2]), v, k, d), x)
        rates = of_pair(lambda v1, v2: force_of_law(x, np.array([v1, v2]), k, d), v)
        return np.array([positions, rates])

    def library(x, v, k, d):
        _, K, D = path_force(law(k, d), x, v)
        return np.array([K, D])

    oracle = DIFFERENCES

    def reference(x, v, k, d):
        return force_jacobians(cubic_spring(k, d), x, v)

    verdict = Verdict.HOLDS
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
    result = STIFFNESS
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        f1_x1 = first_point_derivative(lambda z: force_of_law(z, v, k, d), x)
        f2_x2 = f1_x1
        f1_x2 = -f1_x1
        f2_x1 = -f1_x1
        return np.block([[f1_x1, f1_x2], [f2_x1, f2_x2]])

    def library(x, v, k, d):
        return path_force(law(k, d), x, v).K

    oracle = DIFFERENCES + ", all four blocks"

    def reference(x, v, k, d):
        return force_jacobians(cubic_spring(k, d), x, v)[0]

    verdict = Verdict.HOLDS
    remark = "The blocks repeat because the force depends on differences only; no block need be symmetric."
    implemented_by = ("rbnotes.forces.path.path_force",)
    chapter = CHAPTER


@claim("lloyd/s0.12/t504#a", "One block gives the whole velocity Jacobian")
class t504_a:
    formula = r"\text{similarly for the velocity Jacobian}"
    inputs = SPRING
    result = DAMPING
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        f1_v1 = first_point_derivative(lambda z: force_of_law(x, z, k, d), v)
        f2_v2 = f1_v1
        f1_v2 = -f1_v1
        f2_v1 = -f1_v1
        return np.block([[f1_v1, f1_v2], [f2_v1, f2_v2]])

    def library(x, v, k, d):
        return path_force(law(k, d), x, v).D

    oracle = DIFFERENCES + ", all four blocks"

    def reference(x, v, k, d):
        return force_jacobians(cubic_spring(k, d), x, v)[1]

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
    result = stacked_quantity(STIFFNESS, DAMPING)
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        first = first_point_derivative(lambda z: force_of_law(x, z, k, d), v)
        second = first_point_derivative(lambda z: force_of_law(x, z, k, d), v)
        return np.array([first, second])

    def library(x, v, k, d):
        _, K, D = path_force(law(k, d), x, v)
        return np.array([K[:3, :3], D[:3, :3]])

    oracle = DIFFERENCES + ": the two blocks that are needed"

    def reference(x, v, k, d):
        return force_jacobians(cubic_spring(k, d), x, v)[:, :3, :3]

    verdict = Verdict.MISPRINT
    correction = r"The first of the two is $\partial\mathbf f_1/\partial\mathbf x_1$, without the dot."
    units_mismatch = r"a damping stands where a stiffness belongs"
    implemented_by = ("rbnotes.forces.path.path_force",)
    chapter = CHAPTER


@claim("lloyd/s0.12/d8#a", "Position Jacobian of an axial spring")
class d8_a:
    formula = (
        r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} "
        r"= -\frac{\partial F}{\partial l}\mathbf U_n - \frac1l\frac{\partial F}{\partial\dot l}\mathbf "
        r"u(\dot{\mathbf x}_2 - \dot{\mathbf x}_1)^T\mathbf U_p - \frac Fl\mathbf U_p"
    )
    inputs = SPRING
    result = STIFFNESS
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        u, length = geometry(x)
        ldot = distance_rate(x, v)
        U_n = np.outer(u, u)
        U_p = identity - np.outer(u, u)
        F, F_l, F_ldot = (part(length, ldot, k, d) for part in (tension, tension_by_length, tension_by_rate))
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
    result = DAMPING
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        u, length = geometry(x)
        U_n = np.outer(u, u)
        return -tension_by_rate(length, distance_rate(x, v), k, d) * U_n

    library = first_velocity_library
    oracle = DIFFERENCES
    reference = first_velocity_reference
    equivalent_mutants = TWICE
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.path_force",)
    chapter = CHAPTER
