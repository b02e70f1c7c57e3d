"""Lloyd 0.12: Jacobians for axial springs, the force and its two Jacobians.

The oracle is a spring without any of the section's formulas: a potential V(l) and a dissipation function
R(l, ldot) of the distance of two points. Its tension is nonlinear in both arguments, so that dF/dl and
dF/dldot vary.
"""

from __future__ import annotations

import numpy as np

from rbnotes.forces import (
    CallableTensionLaw,
    length_gradient,
    length_hessian,
    path_force,
    path_length,
    path_segments,
)
from rbnotes.ledger.oracles.springs import (
    cubic_spring,
    distance,
    distance_rate,
    first_point_derivative,
    first_point_difference,
    force_jacobians,
    force_on_ends,
    spring_tension,
    tension,
    tension_length_derivative,
    tension_rate_derivative,
)
from rbnotes.ledger.quantities import (
    AREA,
    DAMPING,
    FORCE,
    LENGTH,
    MOMENTUM,
    NUMBER,
    RATE,
    STIFFNESS,
    VELOCITY,
    stacked_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import positive_numbers, vectors

BY_FIRST_POINT = "by the position of the first point, along the axes of the world"

section = Section(
    "lloyd/s0.12",
    chapter="axial-springs",
    arguments={
        "x": Argument(LENGTH, "of the points, along the axes of the world"),
        "v": Argument(VELOCITY, "of the points, along the axes of the world"),
        "k": Argument(FORCE / AREA),
        "d": Argument(MOMENTUM / AREA),
        "w": Argument(RATE, "along the axes of the world"),
    },
)


identity = np.eye(3)


def points(count):
    """Return a strategy for the points of a path ``(count, 3)``, with neighbors at least 1/4 apart."""

    def is_spread_out(x):
        return bool(np.min(np.linalg.norm(np.diff(x, axis=0), axis=-1)) >= 0.25)

    return vectors(3 * count).map(lambda entries: entries.reshape(count, 3)).filter(is_spread_out)


def velocities(count):
    """Return a strategy for the velocities ``(count, 3)`` of the points of a path."""
    return vectors(3 * count).map(lambda entries: entries.reshape(count, 3))


POINTS = {"x": points(2), "v": velocities(2)}
SPRING = {**POINTS, "k": positive_numbers(), "d": positive_numbers()}


def library_law(k, d):
    """Return the same tension law for the library."""
    return CallableTensionLaw(
        lambda L, Ldot: tension(L, Ldot, k, d),
        lambda L, Ldot: tension_length_derivative(L, Ldot, k, d),
        lambda L, Ldot: tension_rate_derivative(L, Ldot, k, d),
    )


def geometry(x):
    """Return the direction u and the length l, as printed in 0.12."""
    length = distance(x)
    return (x[1] - x[0]) / length, length


def complex_tension(x, v, k, d):
    """Return F as a function of points and velocities, also for complex numbers."""
    difference = x[1] - x[0]
    return tension(distance(x), (v[1] - v[0]) @ difference / distance(x), k, d)


def complex_force(x, v, k, d):
    """Return f1 = F u, also for complex numbers."""
    return complex_tension(x, v, k, d) * (x[1] - x[0]) / distance(x)


def force_library(x, v, k, d):
    return path_force(library_law(k, d), x, v).f


def force_reference(x, v, k, d):
    """Compare with the negative gradients of a potential and a dissipation function, by complex steps."""
    return force_on_ends(*cubic_spring(k, d), x, v)


def first_position_library(x, v, k, d):
    return path_force(library_law(k, d), x, v).K[:3, :3]


def first_position_reference(x, v, k, d):
    """Compare with differences of the forces of a potential and a dissipation function."""
    return force_jacobians(cubic_spring(k, d), x, v)[0, :3, :3]


def first_velocity_library(x, v, k, d):
    return path_force(library_law(k, d), x, v).D[:3, :3]


def first_velocity_reference(x, v, k, d):
    """Compare with differences of the forces of a potential and a dissipation function."""
    return force_jacobians(cubic_spring(k, d), x, v)[1, :3, :3]


@section.holds("d1", "Forces of an axial spring on its two ends")
class d1:
    formula = r"\mathbf f_1 = F(l,\dot l)\,\mathbf u,\quad \mathbf f_2 = -F(l,\dot l)\,\mathbf u"
    inputs = SPRING
    result = Result(FORCE, "of the points, along the axes of the world")
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        u, length = geometry(x)
        F = tension(length, distance_rate(x, v), k, d)
        return np.array([F * u, -F * u])

    library = force_library
    reference = force_reference
    remark = "A tension $F > 0$ pulls the ends together."
    implements = path_force


@section.definition("d2", "Direction and length of an axial spring")
class d2:
    formula = r"\mathbf u \equiv (\mathbf x_2 - \mathbf x_1)/l,\quad l \equiv \|\mathbf x_2 - \mathbf x_1\|"
    inputs = POINTS
    result = Result(
        vector_quantity((NUMBER, 3), (LENGTH, 1)),
        ("the direction along the axes of the world, from the first point to the second; then the length"),
    )

    def printed(x, v):
        length = np.sqrt(np.sum((x[1] - x[0]) ** 2))
        return np.append((x[1] - x[0]) / length, length)

    def library(x, v):
        u, lengths = path_segments(x)
        return np.array([*u[0], lengths[0]])

    def reference(x, v):
        """Differentiate the distance with respect to the second point, by complex steps.

        The length is the product of that derivative with the difference of the points.
        """
        # The gradient of the distance is a unit vector away from the other point.
        gradient = complex_step(lambda z: distance(np.array([x[0], z])), x[1])
        return np.append(gradient, gradient @ (x[1] - x[0]))

    defines = (r"\mathbf u", r"l")
    implements = path_segments


@section.holds("d3", "Position and velocity Jacobians in blocks")
class d3:
    formula = r"\partial\mathbf f/\partial\mathbf x \equiv (\partial\mathbf f_i/\partial\mathbf x_j),\quad\partial\mathbf f/\partial\dot{\mathbf x} \equiv (\partial\mathbf f_i/\partial\dot{\mathbf x}_j)"
    inputs = SPRING
    result = Result(
        stacked_quantity(STIFFNESS, DAMPING),
        "of both points, along the axes of the world: by positions, then by velocities",
    )
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        def derivative_blocks(function, pair):
            blocks = [
                complex_step(lambda z: function(z, pair[1]), pair[0]),
                complex_step(lambda z: function(pair[0], z), pair[1]),
            ]
            return np.vstack([np.hstack(blocks), -np.hstack(blocks)])

        positions = derivative_blocks(lambda x1, x2: complex_force(np.array([x1, x2]), v, k, d), x)
        rates = derivative_blocks(lambda v1, v2: complex_force(x, np.array([v1, v2]), k, d), v)
        return np.array([positions, rates])

    def library(x, v, k, d):
        _, K, D = path_force(library_law(k, d), x, v)
        return np.array([K, D])

    def reference(x, v, k, d):
        """Compare with differences of the forces of a potential and a dissipation function."""
        return force_jacobians(cubic_spring(k, d), x, v)

    implements = path_force


@section.holds("d4", "One block gives the whole position Jacobian")
class d4:
    formula = r"\frac{\partial\mathbf f_2}{\partial\mathbf x_2} = \frac{\partial\mathbf f_1}{\partial\mathbf x_1},\quad \frac{\partial\mathbf f_1}{\partial\mathbf x_2} = \frac{\partial\mathbf f_2}{\partial\mathbf x_1} = -\frac{\partial\mathbf f_1}{\partial\mathbf x_1}"
    inputs = SPRING
    result = Result(STIFFNESS, "of both points, along the axes of the world")
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        f1_x1 = first_point_derivative(lambda z: complex_force(z, v, k, d), x)
        f2_x2 = f1_x1
        f1_x2 = -f1_x1
        f2_x1 = -f1_x1
        return np.block([[f1_x1, f1_x2], [f2_x1, f2_x2]])

    def library(x, v, k, d):
        return path_force(library_law(k, d), x, v).K

    def reference(x, v, k, d):
        """Compare with differences of the forces of a potential and a dissipation function, in all blocks."""
        return force_jacobians(cubic_spring(k, d), x, v)[0]

    remark = (
        "The blocks repeat because the force only depends on differences. The blocks are not symmetric in"
        " general."
    )
    implements = path_force


@section.holds("t504#a", "One block gives the whole velocity Jacobian")
class t504_a:
    formula = r"\text{similarly for the velocity Jacobian}"
    inputs = SPRING
    result = Result(DAMPING, "of both points, along the axes of the world")
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        f1_v1 = first_point_derivative(lambda z: complex_force(x, z, k, d), v)
        f2_v2 = f1_v1
        f1_v2 = -f1_v1
        f2_v1 = -f1_v1
        return np.block([[f1_v1, f1_v2], [f2_v1, f2_v2]])

    def library(x, v, k, d):
        return path_force(library_law(k, d), x, v).D

    def reference(x, v, k, d):
        """Compare with differences of the forces of a potential and a dissipation function, in all blocks."""
        return force_jacobians(cubic_spring(k, d), x, v)[1]

    implements = path_force


@section.misprint("t504#b", "The two blocks that remain to be derived")
class t504_b:
    formula = r"\text{sufficient to analyze } \partial\mathbf f_1/\partial\dot{\mathbf x}_1\text{ and } \partial\mathbf f_1/\partial\dot{\mathbf x}_1"
    inputs = SPRING
    result = Result(
        stacked_quantity(STIFFNESS, DAMPING),
        "of the first point, along the axes of the world: by positions, then by velocities",
    )
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        first = first_point_derivative(lambda z: complex_force(x, z, k, d), v)
        second = first_point_derivative(lambda z: complex_force(x, z, k, d), v)
        return np.array([first, second])

    def library(x, v, k, d):
        _, K, D = path_force(library_law(k, d), x, v)
        return np.array([K[:3, :3], D[:3, :3]])

    def reference(x, v, k, d):
        """Compare with differences of the forces of a potential and a dissipation function."""
        return force_jacobians(cubic_spring(k, d), x, v)[:, :3, :3]

    correction = r"The first of the two is $\partial\mathbf f_1/\partial\mathbf x_1$, without the dot."
    replacement = r"and similarly for the velocity Jacobian, and so it is sufficient to analyze $\partial\mathbf f_1/\partial\mathbf x_1$ and $\partial\mathbf f_1/\partial\dot{\mathbf x}_1$."
    units_mismatch = "the printed block is a damping, not a stiffness"
    implements = path_force


@section.holds("d8#a", "Position Jacobian of an axial spring")
class d8_a:
    formula = r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} = -\frac{\partial F}{\partial l}\mathbf U_n - \frac1l\frac{\partial F}{\partial\dot l}\mathbf u(\dot{\mathbf x}_2 - \dot{\mathbf x}_1)^T\mathbf U_p - \frac Fl\mathbf U_p"
    inputs = SPRING
    result = Result(STIFFNESS, BY_FIRST_POINT)
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        u, length = geometry(x)
        ldot = distance_rate(x, v)
        U_n = np.outer(u, u)
        U_p = identity - np.outer(u, u)
        F, F_l, F_ldot = (
            part(length, ldot, k, d) for part in (tension, tension_length_derivative, tension_rate_derivative)
        )
        return -F_l * U_n - (1 / length) * F_ldot * np.outer(u, (v[1] - v[0]) @ U_p) - (F / length) * U_p

    library = first_position_library
    reference = first_position_reference
    remark = "The middle term makes the matrix unsymmetric if the ends of the damper move across its axis."
    implements = path_force


@section.holds("d8#b", "Velocity Jacobian of an axial spring")
class d8_b:
    formula = r"\frac{\partial\mathbf f_1}{\partial\dot{\mathbf x}_1} = -\frac{\partial F}{\partial\dot l}\mathbf U_n"
    inputs = SPRING
    result = Result(DAMPING, "by the velocity of the first point, along the axes of the world")
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        u, length = geometry(x)
        U_n = np.outer(u, u)
        return -tension_rate_derivative(length, distance_rate(x, v), k, d) * U_n

    library = first_velocity_library
    reference = first_velocity_reference
    implements = path_force


# ------------------------------------------------------------------------------------------------------------
# Jacobians for axial springs, the derivatives of direction, length and rate.


def length_x1_printed(x, v):
    u, _ = geometry(x)
    return -u


def length_x1_library(x, v):
    return length_gradient(x)[:3]


def direction_x1_library(x, v):
    return -length_hessian(x)[:3, :3]


def direction_x1_reference(x, v):
    """Differentiate the direction by complex steps."""
    return first_point_difference(lambda z: (z[1] - z[0]) / distance(z), x)


def rate_x1_library(x, v):
    return (length_hessian(x) @ v.ravel())[:3]


def rate_x1_reference(x, v):
    """Compare with differences of the rate, which is a complex-step time derivative of the distance."""
    return first_point_difference(lambda z: distance_rate(z, v), x)


@section.holds("d7#a", "Rate of change of the length")
class d7_a:
    formula = r"\dot l = \mathbf u^T(\dot{\mathbf x}_2 - \dot{\mathbf x}_1) = (\dot{\mathbf x}_2 - \dot{\mathbf x}_1)^T\mathbf u"
    inputs = POINTS
    result = Result(VELOCITY, BY_FIRST_POINT)

    def printed(x, v):
        u, _ = geometry(x)
        return u @ (v[1] - v[0])

    def library(x, v):
        return path_length(x, v).Ldot

    def reference(x, v):
        """Differentiate the distance of two moving points in time, by a complex step."""
        return distance_rate(x, v)

    implements = path_length


@section.holds("d7#b", "Derivative of the length")
class d7_b:
    formula = r"\frac{\partial l}{\partial\mathbf x_1} = -\mathbf u^T"
    inputs = POINTS
    result = Result(NUMBER, BY_FIRST_POINT)
    printed = length_x1_printed
    library = length_x1_library

    def reference(x, v):
        """Differentiate the distance by complex steps."""
        return first_point_derivative(distance, x)

    implements = length_gradient


@section.holds("d7#c", "Derivative of the direction, by the product rule")
class d7_c:
    formula = r"\frac{\partial\mathbf u}{\partial\mathbf x_1} = -\frac1l\mathbf I + (\mathbf x_2 - \mathbf x_1)\frac{\partial}{\partial\mathbf x_1}\Bigl(\frac1l\Bigr)"
    inputs = POINTS
    result = Result(NUMBER / LENGTH, BY_FIRST_POINT)

    def printed(x, v):
        length = distance(x)
        inverse_l_x1 = first_point_derivative(lambda z: 1 / distance(z), x)
        return -(1 / length) * identity + np.outer(x[1] - x[0], inverse_l_x1)

    library = direction_x1_library
    reference = direction_x1_reference
    implements = length_hessian


@section.holds("d7#d", "Derivative of the direction")
class d7_d:
    formula = r"\frac{\partial\mathbf u}{\partial\mathbf x_1} = -\frac1l(\mathbf I - \mathbf u\mathbf u^T)"
    inputs = POINTS
    result = Result(NUMBER / LENGTH, BY_FIRST_POINT)

    def printed(x, v):
        u, length = geometry(x)
        return -(1 / length) * (identity - np.outer(u, u))

    library = direction_x1_library
    reference = direction_x1_reference
    implements = length_hessian


@section.holds("d7#e", "Derivative of the rate with respect to position, through the direction")
class d7_e:
    formula = r"\frac{\partial\dot l}{\partial\mathbf x_1} = (\dot{\mathbf x}_2 - \dot{\mathbf x}_1)^T\frac{\partial\mathbf u}{\partial\mathbf x_1}"
    inputs = POINTS
    result = Result(RATE, BY_FIRST_POINT)

    def printed(x, v):
        u_x1 = first_point_derivative(lambda z: (z[1] - z[0]) / distance(z), x)
        return (v[1] - v[0]) @ u_x1

    library = rate_x1_library
    reference = rate_x1_reference
    implements = length_hessian


@section.holds("d7#f", "Derivative of the rate with respect to position")
class d7_f:
    formula = r"\frac{\partial\dot l}{\partial\mathbf x_1} = -\frac1l(\dot{\mathbf x}_2 - \dot{\mathbf x}_1)^T(\mathbf I - \mathbf u\mathbf u^T)"
    inputs = POINTS
    result = Result(RATE, BY_FIRST_POINT)

    def printed(x, v):
        u, length = geometry(x)
        return -(1 / length) * (v[1] - v[0]) @ (identity - np.outer(u, u))

    library = rate_x1_library
    reference = rate_x1_reference
    implements = length_hessian


@section.holds("d7#g", "Derivative of the rate with respect to velocity")
class d7_g:
    formula = r"\frac{\partial\dot l}{\partial\dot{\mathbf x}_1} = -\mathbf u^T"
    inputs = POINTS
    result = Result(NUMBER, "by the velocity of the first point, along the axes of the world")
    printed = length_x1_printed
    library = length_x1_library

    def reference(x, v):
        """Compare with differences of the rate, which is a complex-step time derivative of the distance."""
        return first_point_difference(lambda u: distance_rate(x, u), v)

    implements = length_gradient


@section.holds("t520", "Projections onto the axis of the spring and its complement")
class t520:
    formula = (
        r"\mathbf U_n \equiv \mathbf u\mathbf u^T,\quad \mathbf U_p \equiv \mathbf I - \mathbf u\mathbf u^T"
    )
    inputs = {"x": points(2), "w": vectors()}
    result = Result(RATE, "along the spring, then across it, along the axes of the world")

    def printed(x, w):
        u, _ = geometry(x)
        U_n = np.outer(u, u)
        U_p = identity - np.outer(u, u)
        return np.array([U_n @ w, U_p @ w])

    def library(x, w):
        u, lengths = path_segments(x)
        return np.array([(u[0] @ w) * u[0], lengths[0] * length_hessian(x)[:3, :3] @ w])

    def reference(x, w):
        """Find the multiple of the spring's axis nearest to a vector, by least squares, and the remainder."""
        (share,), *_ = np.linalg.lstsq((x[1] - x[0])[:, None], w, rcond=None)
        along = share * (x[1] - x[0])
        return np.array([along, w - along])

    implements = (path_segments, length_hessian)


# ------------------------------------------------------------------------------------------------------------
# Jacobians for axial springs, product and chain rule.


@section.holds("d5#a", "Product rule for the position Jacobian")
class d5_a:
    formula = r"\frac{\partial\mathbf f_1}{\partial\mathbf x_1} = \mathbf u\frac{\partial F}{\partial\mathbf x_1} + F\frac{\partial\mathbf u}{\partial\mathbf x_1}"
    inputs = SPRING
    result = Result(STIFFNESS, BY_FIRST_POINT)
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        u, length = geometry(x)
        F = tension(length, distance_rate(x, v), k, d)
        F_x1 = first_point_derivative(lambda z: complex_tension(z, v, k, d), x)
        u_x1 = first_point_derivative(lambda z: (z[1] - z[0]) / distance(z), x)
        return np.outer(u, F_x1) + F * u_x1

    library = first_position_library
    reference = first_position_reference
    implements = path_force


@section.holds("d5#b", "Product rule for the velocity Jacobian")
class d5_b:
    formula = r"\frac{\partial\mathbf f_1}{\partial\dot{\mathbf x}_1} = \mathbf u\frac{\partial F}{\partial\dot{\mathbf x}_1}"
    inputs = SPRING
    result = Result(DAMPING, "by the velocity of the first point, along the axes of the world")
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        u, _ = geometry(x)
        F_v1 = first_point_derivative(lambda z: complex_tension(x, z, k, d), v)
        return np.outer(u, F_v1)

    library = first_velocity_library
    reference = first_velocity_reference
    implements = path_force


@section.holds("d6#a", "Chain rule for the tension, positions")
class d6_a:
    formula = r"\frac{\partial F}{\partial\mathbf x_1} = \frac{\partial F}{\partial l}\frac{\partial l}{\partial\mathbf x_1} + \frac{\partial F}{\partial\dot l}\frac{\partial\dot l}{\partial\mathbf x_1}"
    inputs = SPRING
    result = Result(STIFFNESS, BY_FIRST_POINT)
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        length, ldot = distance(x), distance_rate(x, v)
        l_x1 = first_point_derivative(distance, x)
        ldot_x1 = first_point_difference(lambda z: distance_rate(z, v), x)
        return (
            tension_length_derivative(length, ldot, k, d) * l_x1
            + tension_rate_derivative(length, ldot, k, d) * ldot_x1
        )

    def library(x, v, k, d):
        _, F_l, F_ldot = library_law(k, d)(*path_length(x, v))
        return (F_l * length_gradient(x) + F_ldot * (length_hessian(x) @ v.ravel()))[:3]

    def reference(x, v, k, d):
        """Compare with differences of the tension of a potential and a dissipation, along the first point."""
        return first_point_difference(lambda z: spring_tension(cubic_spring(k, d), z, v), x)

    implements = (path_length, length_gradient, length_hessian)


@section.holds("d6#b", "Chain rule for the tension, velocities")
class d6_b:
    formula = r"\frac{\partial F}{\partial\dot{\mathbf x}_1} = \frac{\partial F}{\partial\dot l}\frac{\partial\dot l}{\partial\dot{\mathbf x}_1}"
    inputs = SPRING
    result = Result(DAMPING, "by the velocity of the first point, along the axes of the world")
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        ldot_v1 = first_point_difference(lambda u: distance_rate(x, u), v)
        return tension_rate_derivative(distance(x), distance_rate(x, v), k, d) * ldot_v1

    def library(x, v, k, d):
        return library_law(k, d)(*path_length(x, v)).dF_dLdot * length_gradient(x)[:3]

    def reference(x, v, k, d):
        """Compare with differences of the tension of a potential and a dissipation, along the first velocity."""
        return first_point_difference(lambda u: spring_tension(cubic_spring(k, d), x, u), v)

    implements = (path_length, length_gradient)
