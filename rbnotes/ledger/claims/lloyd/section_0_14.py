"""Lloyd 0.14: Jacobians for multi-point springs.

The oracle is virtual work: a tension F along all segments does the work -F d(length of the path), so the
forces are -F times the complex-step gradient of that length; their Jacobians are also complex steps. Paths
have three segments, any of which can be passive.
"""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from rbnotes import se3
from rbnotes.forces import (
    CallableTensionLaw,
    body_path_segments,
    length_gradient,
    length_hessian,
    path_force,
    path_length,
    path_segments,
)
from rbnotes.ledger.claims.lloyd.section_0_12 import identity, library_law, points, velocities
from rbnotes.ledger.oracles.paths import (
    active_length,
    active_rate,
    derivative_blocks,
    numerical_length_rate,
    point_derivatives,
    segment_directions,
    segment_lengths,
)
from rbnotes.ledger.oracles.springs import tension, tension_length_derivative, tension_rate_derivative
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
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import nonzero_vectors, positive_numbers

section = Section(
    "lloyd/s0.14",
    chapter="multi-point-springs",
    arguments={
        "x": Argument(LENGTH, "of the points, along the axes of the world"),
        "v": Argument(VELOCITY, "of the points, along the axes of the world"),
        "k": Argument(FORCE / AREA),
        "d": Argument(MOMENTUM / AREA),
        "offsets": Argument(LENGTH, "of the points, along the axes of the world"),
    },
)


SHARED_DERIVATIVES = ("rbnotes.ledger.oracles.paths.point_derivatives",)
N = 3
"""Segments of the paths."""
VIA = (1, 2)

POINTS = {"x": points(N + 1)}
MOVING_POINTS = {**POINTS, "v": velocities(N + 1)}
SPRING = {**MOVING_POINTS, "k": positive_numbers(), "d": positive_numbers()}
ALL_SEGMENTS = slice(None)


def complex_tension(x, v, k, d, active=ALL_SEGMENTS):
    return tension(active_length(x, active), active_rate(x, v, active), k, d)


def complex_path_force(x, v, k, d, active=ALL_SEGMENTS):
    """Return the force of each segment on its end points, also for complex numbers.

    The record d1 verifies it by virtual work.
    """
    segment_forces = complex_tension(x, v, k, d, active)[..., None, None] * segment_directions(x)
    zero = np.zeros_like(segment_forces[..., :1, :])
    return np.concatenate([segment_forces, zero], axis=-2) - np.concatenate([zero, segment_forces], axis=-2)


def library_blocks(matrix):
    return derivative_blocks(matrix.reshape(len(matrix) // 3, 3, -1, 3))


def point_jacobian(function, x):
    """Return the derivatives with respect to each point, one coordinate at a time."""
    derivatives = complex_step(lambda z: function(z.reshape(x.shape)), x.ravel())
    return derivatives.reshape(*derivatives.shape[:-1], *x.shape)


def geometry(x):
    """Return the directions u_i and lengths l_i, as printed in (0.11)."""
    differences = np.diff(x, axis=0)
    lengths = np.linalg.norm(differences, axis=-1)
    return differences / lengths[:, None], lengths


def force_directions(x):
    """Return the directions v_i, as printed in d6."""
    u, _ = geometry(x)
    return np.array([u[0], *(u[i] - u[i - 1] for i in range(1, len(x) - 1)), -u[-1]])


@section.definition("e0.11", "Directions and lengths of the segments")
class e0_11:
    formula = r"\mathbf u_i \equiv (\mathbf x_{i+1} - \mathbf x_i)/l_i,\quad l_i \equiv \|\mathbf x_{i+1} - \mathbf x_i\|"
    any_size = True
    inputs = POINTS
    result = Result(
        vector_quantity((NUMBER, 3), (LENGTH, 1)),
        "of each segment: the direction along the axes of the world, then the length",
    )

    def printed(x):
        u, lengths = geometry(x)
        return np.column_stack([u, lengths])

    def library(x):
        u, lengths = path_segments(x)
        return np.column_stack([u, lengths])

    def reference(x):
        """Differentiate the length of segment i with respect to its far end, by a complex step."""
        # The gradient of the length of a segment is its direction, a unit vector.
        ends = [
            point_derivatives(lambda z, i=i: segment_lengths(z)[..., i], x)[i + 1] for i in range(len(x) - 1)
        ]
        return np.column_stack([ends, [math.dist(x[i], x[i + 1]) for i in range(len(x) - 1)]])

    defines = (r"\mathbf u_i", "l_i")
    implements = path_segments


@section.holds("d1", "Forces on end points and via points")
class d1:
    formula = r"\mathbf f_0 = F\mathbf u_0,\quad \mathbf f_i = F(\mathbf u_i - \mathbf u_{i-1}),\quad \mathbf f_n = -F\mathbf u_{n-1}"
    any_size = True
    inputs = SPRING
    result = Result(FORCE, "of the points, along the axes of the world")
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        u, lengths = geometry(x)
        F = tension(sum(lengths), numerical_length_rate(x, v), k, d)
        first = F * u[0]
        via = [F * (u[i] - u[i - 1]) for i in range(1, len(x) - 1)]
        last = -F * u[-1]
        return np.array([first, *via, last])

    def library(x, v, k, d):
        return path_force(library_law(k, d), x, v).f

    def reference(x, v, k, d):
        """Compare with virtual work: minus the tension times the complex-step gradient of the length."""
        F = tension(sum(map(math.dist, x[:-1], x[1:])), numerical_length_rate(x, v), k, d)
        return -F * point_derivatives(active_length, x)

    primitives = (
        "rbnotes.ledger.claims.lloyd.section_0_12.tension",
        "rbnotes.ledger.oracles.paths.active_length",
        "rbnotes.ledger.oracles.paths.numerical_length_rate",
    )
    implements = path_force


@section.definition("e0.12#a", "Length of a path")
class e0_12_a:
    formula = r"L = \sum_{i=0}^{n-1} l_i"
    any_size = True
    inputs = POINTS
    result = Result(LENGTH, "of the points, along the axes of the world")

    def printed(x):
        lengths = np.linalg.norm(np.diff(x, axis=0), axis=-1)
        return sum(lengths)

    def library(x):
        return path_length(x, np.zeros_like(x)).L

    def reference(x):
        """Sum the distances of neighboring points."""
        return sum(map(math.dist, x[:-1], x[1:]))

    defines = ("L",)
    implements = path_length


@section.holds("e0.12#b", "Rate of change of the length of a path")
class e0_12_b:
    formula = r"\dot L = \sum_{i=0}^{n-1}(\dot{\mathbf x}_{i+1} - \dot{\mathbf x}_i)^T\mathbf u_i"
    any_size = True
    inputs = MOVING_POINTS
    result = Result(VELOCITY, "of the points, along the axes of the world")

    def printed(x, v):
        u, _ = geometry(x)
        return sum((v[i + 1] - v[i]) @ u[i] for i in range(len(x) - 1))

    def library(x, v):
        return path_length(x, v).Ldot

    def reference(x, v):
        """Differentiate the length along moving points in time, by a complex step."""
        return numerical_length_rate(x, v)

    implements = path_length


@section.holds("d2", "Product rule for the position Jacobian at a via point")
class d2:
    formula = r"\frac{\partial\mathbf f_i}{\partial\mathbf x_j} = (\mathbf u_i - \mathbf u_{i-1})\frac{\partial F}{\partial\mathbf x_j} + F\Bigl(\frac{\partial\mathbf u_i}{\partial\mathbf x_j} - \frac{\partial\mathbf u_{i-1}}{\partial\mathbf x_j}\Bigr)"
    any_size = True
    inputs = SPRING
    result = Result(STIFFNESS, "of each via point by each point, along the axes of the world")
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        u, _ = geometry(x)
        F = complex_tension(x, v, k, d)
        F_x = point_derivatives(lambda z: complex_tension(z, v, k, d), x)
        u_x = derivative_blocks(point_derivatives(segment_directions, x))
        return np.array(
            [
                np.outer(u[i] - u[i - 1], F_x[j]) + F * (u_x[i, j] - u_x[i - 1, j])
                for i in range(1, len(x) - 1)
                for j in range(len(x))
            ]
        )

    def library(x, v, k, d):
        return library_blocks(path_force(library_law(k, d), x, v).K)[1:-1].reshape(-1, 3, 3)

    def reference(x, v, k, d):
        """Compare with complex steps of the segment forces, which d1 verifies by virtual work."""
        return np.swapaxes(point_jacobian(lambda z: complex_path_force(z, v, k, d), x), 1, 2)[1:-1].reshape(
            -1, 3, 3
        )

    primitives = (
        "rbnotes.ledger.claims.lloyd.section_0_14.complex_tension",
        "rbnotes.ledger.claims.lloyd.section_0_12.tension",
    )
    implements = path_force


@section.holds("e0.13", "Derivatives of the directions")
class e0_13:
    formula = r"\frac{\partial\mathbf u_i}{\partial\mathbf x_i} = -\frac1{l_i}\mathbf P_i,\quad \frac{\partial\mathbf u_i}{\partial\mathbf x_{i+1}} = \frac1{l_i}\mathbf P_i,\quad \frac{\partial\mathbf u_i}{\partial\mathbf x_j} = 0\ (j\neq i,i+1)"
    any_size = True
    inputs = POINTS
    result = Result(NUMBER / LENGTH, "of each segment by each point, along the axes of the world")

    def printed(x):
        u, lengths = geometry(x)
        derivatives = np.zeros((len(x) - 1, len(x), 3, 3))
        for i in range(len(x) - 1):
            P = identity - np.outer(u[i], u[i])
            derivatives[i, i] = -(1 / lengths[i]) * P
            derivatives[i, i + 1] = (1 / lengths[i]) * P
        return derivatives

    def library(x):
        # The points are the origins of bodies with the axes of the world.
        du_dxi = body_path_segments(se3.frame(np.eye(3), x), np.zeros_like(x)).du_dxi
        return derivative_blocks(du_dxi.reshape(len(x) - 1, 3, len(x), 6)[..., 3:])

    def reference(x):
        """Differentiate all directions with respect to all points, by complex steps."""
        return np.swapaxes(point_jacobian(segment_directions, x), 1, 2)

    implements = body_path_segments


@section.holds("d3", "Velocity Jacobian at a via point")
class d3:
    formula = r"\frac{\partial\mathbf f_i}{\partial\dot{\mathbf x}_j} = (\mathbf u_i - \mathbf u_{i-1})\frac{\partial F}{\partial\dot{\mathbf x}_j}"
    any_size = True
    inputs = SPRING
    result = Result(DAMPING, "of each via point by each point, along the axes of the world")
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        u, _ = geometry(x)
        F_v = point_derivatives(lambda z: complex_tension(x, z, k, d), v)
        return np.array(
            [np.outer(u[i] - u[i - 1], F_v[j]) for i in range(1, len(x) - 1) for j in range(len(x))]
        )

    def library(x, v, k, d):
        return library_blocks(path_force(library_law(k, d), x, v).D)[1:-1].reshape(-1, 3, 3)

    def reference(x, v, k, d):
        """Compare with complex steps of the segment forces, which d1 verifies by virtual work."""
        return np.swapaxes(point_jacobian(lambda z: complex_path_force(x, z, k, d), v), 1, 2)[1:-1].reshape(
            -1, 3, 3
        )

    primitives = (
        "rbnotes.ledger.claims.lloyd.section_0_14.complex_tension",
        "rbnotes.ledger.claims.lloyd.section_0_12.tension",
    )
    implements = path_force


# ------------------------------------------------------------------------------------------------------------
# Multi-point springs with active and passive segments.


active_flags = st.lists(st.booleans(), min_size=N, max_size=N).filter(any).map(np.array)


def active_length_reference(x, active):
    """Sum the distances of neighboring points over the active segments."""
    return sum(math.dist(x[i], x[i + 1]) for i in range(N) if active[i])


def cases_printed(x, active):
    u, _ = geometry(x)
    zero = np.zeros((1, 3))
    previous, following = np.concatenate([zero, u]), np.concatenate([u, zero])
    v = following - previous  # at the via points
    A = set(np.flatnonzero(active))
    rows = []
    for i in range(N + 1):
        cases = {
            (True, False): previous[i],
            (False, True): -following[i],
            (True, True): -v[i],
            (False, False): zero[0],
        }
        rows.append(cases[i - 1 in A, i in A])
    return np.array(rows)


def cases_library(x, active):
    return length_gradient(x, active).reshape(-1, 3)


ACTIVE = {**SPRING, "active": active_flags}


@section.misprint("t642", "Numbers of the fictitious segments beyond the ends")
class t642:
    formula = r"\text{fictitious passive segments } -1 \text{ and } n+1"
    inputs = {"x": st.integers(2, 5).flatmap(points)}
    result = Result(NUMBER, "the numbers before the first and after the last")

    def printed(x):
        n = len(x) - 1
        return np.array([-1, n + 1])

    def library(x):
        u, lengths = path_segments(x)
        ends = x[:-1] + u * lengths[:, None]
        last = np.flatnonzero(np.isclose(ends, x[-1]).all(axis=-1))[-1]
        return np.array([-1, last + 1])

    def reference(x):
        """Count the segments as in (0.11): find the one before point 0 and the one after point n."""
        # Segment i joins points i and i + 1.
        segment_ends = {i: (i, i + 1) for i in range(-1, len(x) + 1)}
        previous = [i for i, ends in segment_ends.items() if ends[1] == 0]
        after = [i for i, ends in segment_ends.items() if ends[0] == len(x) - 1]
        return np.array([*previous, *after])

    correction = (
        "Segments $-1$ and $n$: segment $i$ joins the points $i$ and $i+1$, so the segment that "
        r"begins at the last point $\mathbf x_n$ has the number $n$."
    )
    replacement = r"consider the endpoints $\mathbf x_0$ and $\mathbf x_n$ to be connected to fictitious passive segments $-1$ and $n$, respectively."
    implements = path_segments


@section.definition("e0.14#a", "Length of the active segments")
class e0_14_a:
    formula = r"L = \sum_{i\in\mathcal A} l_i"
    inputs = {**POINTS, "active": active_flags}
    result = Result(LENGTH, "of the points, along the axes of the world")

    def printed(x, active):
        lengths = np.linalg.norm(np.diff(x, axis=0), axis=-1)
        return sum(lengths[i] for i in np.flatnonzero(active))

    def library(x, active):
        return path_length(x, np.zeros_like(x), active).L

    reference = active_length_reference
    defines = ("L",)
    implements = path_length


@section.holds("e0.14#b", "Rate of change of the active length")
class e0_14_b:
    formula = r"\dot L = \sum_{i\in\mathcal A}(\dot{\mathbf x}_{i+1} - \dot{\mathbf x}_i)^T\mathbf u_i"
    inputs = {**MOVING_POINTS, "active": active_flags}
    result = Result(VELOCITY, "of the points, along the axes of the world")

    def printed(x, v, active):
        u, _ = geometry(x)
        return sum((v[i + 1] - v[i]) @ u[i] for i in np.flatnonzero(active))

    def library(x, v, active):
        return path_length(x, v, active).Ldot

    def reference(x, v, active):
        """Differentiate the active length along moving points in time, by a complex step."""
        return numerical_length_rate(x, v, active)

    implements = path_length


@section.definition("d6", "Directions of the forces on the points")
class d6:
    formula = r"\mathbf v_0 \equiv \mathbf u_0,\quad \mathbf v_n \equiv -\mathbf u_{n-1},\quad \mathbf v_i \equiv \mathbf u_i - \mathbf u_{i-1}\ (i\neq 0,n)"
    any_size = True
    inputs = POINTS
    result = Result(NUMBER, "of the points, along the axes of the world")

    printed = force_directions

    def library(x):
        return -length_gradient(x).reshape(-1, 3)

    def reference(x):
        """Compare with the negative gradient of the total length, by a complex step."""
        return -point_derivatives(active_length, x)

    defines = (r"\mathbf v_0", r"\mathbf v_n", r"\mathbf v_i")
    remark = r"They are sums of unit vectors, not velocities; in this book $\mathbf v$ denotes velocities."
    implements = length_gradient


@section.holds("d7", "Forces on all points, with passive segments")
class d7:
    formula = r"\mathbf f_i = F\mathbf v_i"
    inputs = ACTIVE
    result = Result(FORCE, "of the points, along the axes of the world")
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d, active):
        L, Ldot = active_length(x, active), numerical_length_rate(x, v, active)
        F = tension(L, Ldot, k, d)
        return F * force_directions(x)

    def library(x, v, k, d, active):
        return path_force(library_law(k, d), x, v, active).f

    def reference(x, v, k, d, active):
        """Compare with virtual work: minus the tension times the complex-step gradient of the length."""
        F = tension(active_length_reference(x, active), numerical_length_rate(x, v, active), k, d)
        return -F * point_derivatives(active_length, x)

    primitives = (
        "rbnotes.ledger.claims.lloyd.section_0_12.tension",
        "rbnotes.ledger.oracles.paths.active_length",
        "rbnotes.ledger.oracles.paths.numerical_length_rate",
    )
    remark = (
        "The tension of the active length also acts along passive segments; such a path has no potential."
    )
    implements = path_force


@section.holds("d8#a", "Derivative of the active length")
class d8_a:
    formula = r"\frac{\partial L}{\partial\mathbf x_i} = \begin{cases}\mathbf u_{i-1}^T & i-1\in\mathcal A,\ i\notin\mathcal A\\-\mathbf u_i^T & i-1\notin\mathcal A,\ i\in\mathcal A\\-\mathbf v_i^T & i-1\in\mathcal A,\ i\in\mathcal A\\0 & \text{otherwise}\end{cases}"
    inputs = {**POINTS, "active": active_flags}
    result = Result(NUMBER, "of the points, along the axes of the world")
    printed = cases_printed
    library = cases_library

    def reference(x, active):
        """Differentiate the active length with respect to all points, by complex steps."""
        return point_derivatives(lambda z: active_length(z, active), x)

    implements = length_gradient


@section.holds("d8#b", "Derivative of the active length's rate with respect to the velocities")
class d8_b:
    formula = r"\frac{\partial\dot L}{\partial\dot{\mathbf x}_i} = \begin{cases}\mathbf u_{i-1}^T & i-1\in\mathcal A,\ i\notin\mathcal A\\-\mathbf u_i^T & i-1\notin\mathcal A,\ i\in\mathcal A\\-\mathbf v_i^T & i-1\in\mathcal A,\ i\in\mathcal A\\0 & \text{otherwise}\end{cases}"
    inputs = {**POINTS, "active": active_flags}
    result = Result(NUMBER, "of the points, along the axes of the world")
    printed = cases_printed
    library = cases_library

    def reference(x, active):
        """Differentiate the active length in time under unit velocities, by complex steps."""
        units = np.eye(3 * N + 3).reshape(-1, N + 1, 3)
        return np.array([numerical_length_rate(x, unit, active) for unit in units]).reshape(-1, 3)

    implements = length_gradient


# ------------------------------------------------------------------------------------------------------------
# Derivatives of length, rate and tension at a via point.


def rate_gradient_library(x, v):
    return (length_hessian(x) @ v.ravel()).reshape(-1, 3)[1:-1]


def rate_gradient_reference(x, v):
    """Differentiate the rate of the length by complex steps."""
    return point_derivatives(lambda z: active_rate(z, v), x)[1:-1]


@section.holds("d4#a", "Chain rule for the tension of a path, positions")
class d4_a:
    formula = r"\frac{\partial F}{\partial\mathbf x_i} = \frac{\partial F}{\partial L}\frac{\partial L}{\partial\mathbf x_i} + \frac{\partial F}{\partial\dot L}\frac{\partial\dot L}{\partial\mathbf x_i}"
    any_size = True
    inputs = SPRING
    result = Result(STIFFNESS, "of the points, along the axes of the world")
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        L, Ldot = active_length(x), numerical_length_rate(x, v)
        L_x = point_derivatives(active_length, x)
        Ldot_x = point_derivatives(lambda z: active_rate(z, v), x)
        return (
            tension_length_derivative(L, Ldot, k, d) * L_x + tension_rate_derivative(L, Ldot, k, d) * Ldot_x
        )

    def library(x, v, k, d):
        _, F_L, F_Ldot = library_law(k, d)(*path_length(x, v))
        return (F_L * length_gradient(x) + F_Ldot * (length_hessian(x) @ v.ravel())).reshape(-1, 3)

    def reference(x, v, k, d):
        """Differentiate the tension with respect to the points, by complex steps."""
        return point_jacobian(lambda z: complex_tension(z, v, k, d), x)

    primitives = ("rbnotes.ledger.claims.lloyd.section_0_12.tension",)
    implements = (length_gradient, length_hessian)


@section.holds("d4#b", "Chain rule for the tension of a path, velocities")
class d4_b:
    formula = r"\frac{\partial F}{\partial\dot{\mathbf x}_i} = \frac{\partial F}{\partial\dot L}\frac{\partial\dot L}{\partial\dot{\mathbf x}_i}"
    any_size = True
    inputs = SPRING
    result = Result(DAMPING, "of the points, along the axes of the world")
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d):
        Ldot_v = point_derivatives(lambda z: active_rate(x, z), v)
        return tension_rate_derivative(active_length(x), numerical_length_rate(x, v), k, d) * Ldot_v

    def library(x, v, k, d):
        return library_law(k, d)(*path_length(x, v)).dF_dLdot * length_gradient(x).reshape(-1, 3)

    def reference(x, v, k, d):
        """Differentiate the tension with respect to the velocities, by complex steps."""
        return point_jacobian(lambda z: complex_tension(x, z, k, d), v)

    primitives = ("rbnotes.ledger.claims.lloyd.section_0_12.tension",)
    implements = length_gradient


@section.holds("d5#a", "Derivative of the length at a via point")
class d5_a:
    formula = r"\frac{\partial L}{\partial\mathbf x_i} = \mathbf u_{i-1}^T - \mathbf u_i^T"
    any_size = True
    inputs = POINTS
    result = Result(NUMBER, "of each via point, along the axes of the world")

    def printed(x):
        u, _ = geometry(x)
        return np.array([u[i - 1] - u[i] for i in range(1, len(x) - 1)])

    def library(x):
        return length_gradient(x).reshape(-1, 3)[1:-1]

    def reference(x):
        """Differentiate the length by complex steps."""
        return point_derivatives(active_length, x)[1:-1]

    remark = "For the end points, omit the direction of the missing segment."
    implements = length_gradient


@section.holds("d5#b", "Derivative of the rate at a via point, through the directions")
class d5_b:
    formula = r"\frac{\partial\dot L}{\partial\mathbf x_i} = (\dot{\mathbf x}_i - \dot{\mathbf x}_{i-1})^T\frac{\partial\mathbf u_{i-1}}{\partial\mathbf x_i} + (\dot{\mathbf x}_{i+1} - \dot{\mathbf x}_i)^T\frac{\partial\mathbf u_i}{\partial\mathbf x_i}"
    any_size = True
    inputs = MOVING_POINTS
    result = Result(RATE, "of each via point, along the axes of the world")

    def printed(x, v):
        u_x = derivative_blocks(point_derivatives(segment_directions, x))
        return np.array(
            [(v[i] - v[i - 1]) @ u_x[i - 1, i] + (v[i + 1] - v[i]) @ u_x[i, i] for i in range(1, len(x) - 1)]
        )

    library = rate_gradient_library
    reference = rate_gradient_reference
    primitives = SHARED_DERIVATIVES
    implements = length_hessian


@section.holds("d5#c", "Derivative of the rate at a via point")
class d5_c:
    formula = r"\frac{\partial\dot L}{\partial\mathbf x_i} = \frac1{l_{i-1}}(\dot{\mathbf x}_i - \dot{\mathbf x}_{i-1})^T\mathbf P_{i-1} - \frac1{l_i}(\dot{\mathbf x}_{i+1} - \dot{\mathbf x}_i)^T\mathbf P_i"
    any_size = True
    inputs = MOVING_POINTS
    result = Result(RATE, "of each via point, along the axes of the world")

    def printed(x, v):
        u, lengths = geometry(x)
        P = identity - u[:, :, None] * u[:, None, :]
        return np.array(
            [
                (1 / lengths[i - 1]) * (v[i] - v[i - 1]) @ P[i - 1]
                - (1 / lengths[i]) * (v[i + 1] - v[i]) @ P[i]
                for i in range(1, len(x) - 1)
            ]
        )

    library = rate_gradient_library
    reference = rate_gradient_reference
    implements = length_hessian


@section.holds("d5#d", "Derivative of the rate with respect to the velocity of a via point")
class d5_d:
    formula = r"\frac{\partial\dot L}{\partial\dot{\mathbf x}_i} = \mathbf u_{i-1}^T - \mathbf u_i^T"
    any_size = True
    inputs = MOVING_POINTS
    result = Result(NUMBER, "of each via point, along the axes of the world")

    def printed(x, v):
        u, _ = geometry(x)
        return np.array([u[i - 1] - u[i] for i in range(1, len(x) - 1)])

    def library(x, v):
        return length_gradient(x).reshape(-1, 3)[1:-1]

    def reference(x, v):
        """Differentiate the length in time under unit velocities, by complex steps."""
        # The rate is linear in the velocities, so that its derivatives are its values for unit velocities.
        units = np.eye(x.size).reshape(-1, *x.shape)
        return np.array([numerical_length_rate(x, unit) for unit in units]).reshape(-1, 3)[1:-1]

    implements = length_gradient


# ------------------------------------------------------------------------------------------------------------
# Jacobians of the forces of a multi-point spring with active and passive segments.


def rotation_rows(x, v, k, d, active):
    """Return the rows y_i, as printed in d9, with y_i = 0 for passive segments."""
    u, lengths = geometry(x)
    F_Ldot = tension_rate_derivative(active_length(x, active), numerical_length_rate(x, v, active), k, d)
    y = np.zeros((N, 3))
    for i in np.flatnonzero(active):
        P = identity - np.outer(u[i], u[i])
        y[i] = (1 / lengths[i]) * F_Ldot * (v[i + 1] - v[i]) @ P
    return y


def extend_path(x, offsets):
    """Extend the path by the fictitious segments -1 and n, to points at the given offsets from the ends."""
    return np.concatenate([x[:1] - offsets[:1], x, x[-1:] + offsets[1:]])


OFFSETS = st.lists(nonzero_vectors(), min_size=2, max_size=2).map(np.array)


def is_via_point(x, v, k, d, active, i, offsets):
    return 0 < i < N


@section.definition("d9", "Rows for the rotation of the active segments")
class d9:
    formula = r"\mathbf y_i \equiv \frac1{l_i}\frac{\partial F}{\partial\dot L}(\dot{\mathbf x}_{i+1} - \dot{\mathbf x}_i)^T\mathbf P_i"
    inputs = ACTIVE
    result = Result(STIFFNESS, "of each segment, along the axes of the world")
    constants = (LENGTH, FORCE / VELOCITY**3)
    printed = rotation_rows

    def library(x, v, k, d, active):
        F_Ldot = library_law(k, d)(*path_length(x, v, active)).dF_dLdot
        rows = [length_hessian(x, np.arange(N) == i)[3 * i + 3 : 3 * i + 6] @ v.ravel() for i in range(N)]
        return F_Ldot * np.array(rows) * active[:, None]

    def reference(x, v, k, d, active):
        """Multiply the complex-step time derivative of the directions by a derivative of the tension."""
        # The rate of each active direction is the gradient of the rate of its segment.
        F_Ldot = complex_step(
            lambda z: tension(active_length(x, active), z[0], k, d),
            np.array([numerical_length_rate(x, v, active)]),
        )
        direction_rates = complex_step(lambda t: segment_directions(x + t[0] * v), np.zeros(1))[..., 0]
        return F_Ldot * direction_rates * active[:, None]

    primitives = (
        "rbnotes.ledger.claims.lloyd.section_0_12.tension",
        "rbnotes.ledger.oracles.paths.active_length",
        "rbnotes.ledger.oracles.paths.numerical_length_rate",
        "rbnotes.ledger.oracles.paths.segment_lengths",
    )
    defines = (r"\mathbf y_i",)
    implements = length_hessian


@section.holds("d10", "Derivative of the tension, with passive segments")
class d10:
    formula = r"\frac{\partial F}{\partial\mathbf x_i} = \frac{\partial F}{\partial L}\frac{\partial L}{\partial\mathbf x_i} + \mathbf y_{i-1} - \mathbf y_i"
    inputs = ACTIVE
    result = Result(STIFFNESS, "of the points, along the axes of the world")
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d, active):
        F_L = tension_length_derivative(active_length(x, active), numerical_length_rate(x, v, active), k, d)
        L_x = point_derivatives(lambda z: active_length(z, active), x)
        zero = np.zeros((1, 3))
        y = rotation_rows(x, v, k, d, active)
        previous, after = np.concatenate([zero, y]), np.concatenate([y, zero])
        return F_L * L_x + previous - after

    def library(x, v, k, d, active):
        _, F_L, F_Ldot = library_law(k, d)(*path_length(x, v, active))
        rate_law = F_L * length_gradient(x, active) + F_Ldot * (length_hessian(x, active) @ v.ravel())
        return rate_law.reshape(-1, 3)

    def reference(x, v, k, d, active):
        """Differentiate the tension with respect to the points, by complex steps."""
        return point_jacobian(lambda z: complex_tension(z, v, k, d, active), x)

    primitives = ("rbnotes.ledger.claims.lloyd.section_0_12.tension",)
    implements = (length_gradient, length_hessian)


@section.erratum("d11", "Velocity Jacobian of a multi-point spring")
class d11:
    formula = r"\frac{\partial\mathbf f_i}{\partial\dot{\mathbf x}_j} = \frac{\partial F}{\partial\dot L}\mathbf v_i\frac{\partial\dot L}{\partial\dot{\mathbf x}_i}"
    edit = (r"\partial\dot{\mathbf x}_i}", r"\partial\dot{\mathbf x}_j}")
    inputs = ACTIVE
    result = Result(DAMPING, "one block for each pair of points, along the axes of the world")
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d, active):
        F_Ldot = tension_rate_derivative(active_length(x, active), numerical_length_rate(x, v, active), k, d)
        Ldot_v = point_derivatives(lambda z: active_rate(x, z, active), v)
        directions = force_directions(x)
        return np.array(
            [[F_Ldot * np.outer(directions[i], Ldot_v[i]) for j in range(N + 1)] for i in range(N + 1)]
        )

    def library(x, v, k, d, active):
        """Evaluate the library with a law whose derivative with respect to the rate alone is nonzero."""
        rate_law = CallableTensionLaw(
            lambda L, Ldot: 0.0, lambda L, Ldot: 0.0, lambda L, Ldot: tension_rate_derivative(L, Ldot, k, d)
        )
        return library_blocks(path_force(rate_law, x, v, active).D)

    def reference(x, v, k, d, active):
        """Compare with complex steps of the segment forces, which d1 verifies by virtual work."""
        return np.swapaxes(point_jacobian(lambda z: complex_path_force(x, z, k, d, active), v), 1, 2)

    primitives = ("rbnotes.ledger.claims.lloyd.section_0_12.tension",)
    correction = (
        r"The last index is $j$: $\partial\mathbf f_i/\partial\dot{\mathbf x}_j = (\partial "
        r"F/\partial\dot L)\,\mathbf v_i\,\partial\dot L/\partial\dot{\mathbf x}_j$."
    )
    effect = "A cable in free fall accelerates at 7.82 m/s² on average; with the correct index, all of it falls at 9.81 m/s²."
    implements = path_force


@section.conditional("d12", "Position Jacobian of a multi-point spring")
class d12:
    formula = r"\frac{\partial\mathbf f_i}{\partial\mathbf x_j} = \mathbf v_i\frac{\partial F}{\partial\mathbf x_j} + F\frac{\partial\mathbf u_i}{\partial\mathbf x_j} - F\frac{\partial\mathbf u_{i-1}}{\partial\mathbf x_j}"
    inputs = {**ACTIVE, "i": st.sampled_from((1, 2, 0, 3)), "offsets": OFFSETS}
    result = Result(STIFFNESS, "of one point by each point, along the axes of the world")
    constants = (LENGTH, FORCE / VELOCITY**3)

    def printed(x, v, k, d, active, i, offsets):
        u, lengths = geometry(extend_path(x, offsets))
        F = complex_tension(x, v, k, d, active)
        F_x = point_derivatives(lambda z: complex_tension(z, v, k, d, active), x)
        directions = force_directions(x)

        def u_x(segment, j):
            # (0.13); the lists begin with segment -1.
            P = identity - np.outer(u[segment + 1], u[segment + 1])
            if j == segment:
                return -(1 / lengths[segment + 1]) * P
            if j == segment + 1:
                return (1 / lengths[segment + 1]) * P
            return np.zeros((3, 3))

        return np.array(
            [np.outer(directions[i], F_x[j]) + F * u_x(i, j) - F * u_x(i - 1, j) for j in range(N + 1)]
        )

    def library(x, v, k, d, active, i, offsets):
        return library_blocks(path_force(library_law(k, d), x, v, active).K)[i]

    def reference(x, v, k, d, active, i, offsets):
        """Compare with complex steps of the segment forces, with fictitious segments to arbitrary points."""
        return np.swapaxes(point_jacobian(lambda z: complex_path_force(z, v, k, d, active), x), 1, 2)[i]

    primitives = (
        "rbnotes.ledger.claims.lloyd.section_0_14.complex_tension",
        "rbnotes.ledger.claims.lloyd.section_0_12.tension",
    )
    holds_when = is_via_point
    condition_inputs = {**ACTIVE, "i": st.sampled_from(VIA), "offsets": OFFSETS}
    condition = (
        r"$\mathbf x_i$ is a via point. At the end points the derivative of the fictitious "
        r"segment's direction ($\mathbf u_{-1}$ or $\mathbf u_n$) must be omitted: the fictitious "
        "segment carries no tension, in contrast to the passive segments."
    )
    implements = path_force
