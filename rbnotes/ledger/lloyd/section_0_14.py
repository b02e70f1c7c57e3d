"""Lloyd 0.14: Jacobians for multi-point springs.

The oracle is virtual work: a tension F along all segments does the work -F d(length of the path), so the
forces are -F times the complex-step slope of that length; their Jacobians are complex steps again. Paths
have three segments, any of them passive.
"""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from rbnotes.checking import complex_step
from rbnotes.checking.strategies import nonzero_vectors, positive_numbers
from rbnotes.forces import length_gradient, length_hessian, path_force, path_length, segments
from rbnotes.ledger.lloyd.section_0_12 import (
    identity,
    law,
    points,
    tension,
    tension_l,
    tension_ldot,
    velocities,
)
from rbnotes.ledger.record import Record, Verdict

CHAPTER = "multi-point-springs"
PATH = "rbnotes.forces.path."
N = 3
"""Segments of the paths."""
VIA = (1, 2)

flags = st.lists(st.booleans(), min_size=N, max_size=N).filter(any).map(np.array)
POINTS = {"x": points(N + 1)}
MOVING = {**POINTS, "v": velocities(N + 1)}
SPRING = {**MOVING, "k": positive_numbers(), "d": positive_numbers()}
ALL = np.ones(N, dtype=bool)


# --- the path, for complex numbers, broadcasting over leading axes --------------------------------------


def smooth_lengths(x):
    return np.sqrt(np.sum(np.diff(x, axis=-2) ** 2, axis=-1))


def smooth_directions(x):
    return np.diff(x, axis=-2) / smooth_lengths(x)[..., None]


def smooth_length(x, active=ALL):
    return np.sum(smooth_lengths(x)[..., active], axis=-1)


def smooth_rate(x, v, active=ALL):
    return np.sum((np.diff(v, axis=-2) * smooth_directions(x))[..., active, :], axis=(-2, -1))


def smooth_tension(x, v, k, d, active=ALL):
    return tension(smooth_length(x, active), smooth_rate(x, v, active), k, d)


def smooth_force(x, v, k, d, active=ALL):
    """The pull of each segment on its ends, for complex numbers; d1 checks it by virtual work."""
    pulls = smooth_tension(x, v, k, d, active)[..., None, None] * smooth_directions(x)
    nothing = np.zeros_like(pulls[..., :1, :])
    return np.concatenate([pulls, nothing], axis=-2) - np.concatenate([nothing, pulls], axis=-2)


def slopes(function, x):
    """Derivatives with respect to each point: the function's axes, then point and coordinate."""
    # Complex steps along all coordinates at once: the functions broadcast.
    tiny = 1e-40
    units = np.eye(x.size).reshape(-1, *x.shape)
    found = np.moveaxis(np.imag(function(x + 1j * tiny * units)) / tiny, 0, -1)
    return found.reshape(*found.shape[:-1], *x.shape)


def blocks(found):
    """Blocks ``[i, j]`` of a derivative with the axes (i, coordinate, j, coordinate)."""
    return np.swapaxes(found, 1, 2)


def library_blocks(matrix):
    return blocks(matrix.reshape(N + 1, 3, N + 1, 3))


def geometry(x):
    """Directions u_i and lengths l_i, as printed in (0.11)."""
    steps = np.diff(x, axis=0)
    lengths = np.linalg.norm(steps, axis=-1)
    return steps / lengths[:, None], lengths


def rate(x, v, active=ALL):
    """dL/dt, from the length after a small time."""
    return complex_step(lambda t: smooth_length(x + t[0] * v, active), np.zeros(1))[0]


# --- lengths and forces ---------------------------------------------------------------------------------


def directions_library(x):
    u, lengths = segments(x)
    return np.column_stack([u, lengths])


def directions_reference(x):
    # The length of a segment grows fastest, by 1 per length, along its direction.
    ends = [slopes(lambda z, i=i: smooth_lengths(z)[..., i], x)[i + 1] for i in range(N)]
    return np.column_stack([ends, [math.dist(x[i], x[i + 1]) for i in range(N)]])


def forces_printed(x, v, k, d):
    u, lengths = geometry(x)
    F = tension(sum(lengths), rate(x, v), k, d)
    first = F * u[0]
    via = [F * (u[i] - u[i - 1]) for i in range(1, N)]
    last = -F * u[N - 1]
    return np.array([first, *via, last])


def forces_library(x, v, k, d):
    return path_force(law(k, d), x, v).f


def forces_reference(x, v, k, d):
    F = tension(sum(map(math.dist, x[:-1], x[1:])), rate(x, v), k, d)
    return -F * slopes(smooth_length, x)


def length_library(x):
    return path_length(x, np.zeros_like(x)).L


def length_reference(x):
    return sum(map(math.dist, x[:-1], x[1:]))


def rate_printed(x, v):
    u, _ = geometry(x)
    return sum((v[i + 1] - v[i]) @ u[i] for i in range(N))


def rate_library(x, v):
    return path_length(x, v).Ldot


def rate_reference(x, v):
    return rate(x, v)


# --- derivatives at via points --------------------------------------------------------------------------


def via_position_printed(x, v, k, d):
    u, _ = geometry(x)
    F = smooth_tension(x, v, k, d)
    F_x = slopes(lambda z: smooth_tension(z, v, k, d), x)
    u_x = blocks(slopes(smooth_directions, x))
    return np.array(
        [
            np.outer(u[i] - u[i - 1], F_x[j]) + F * (u_x[i, j] - u_x[i - 1, j])
            for i in VIA
            for j in range(N + 1)
        ]
    )


def via_position_library(x, v, k, d):
    return library_blocks(path_force(law(k, d), x, v).K)[1:N].reshape(-1, 3, 3)


def via_position_reference(x, v, k, d):
    return blocks(slopes(lambda z: smooth_force(z, v, k, d), x))[1:N].reshape(-1, 3, 3)


def direction_slopes_printed(x):
    u, lengths = geometry(x)
    found = np.zeros((N, len(x), 3, 3))
    for i in range(N):
        P = identity - np.outer(u[i], u[i])
        found[i, i] = -(1 / lengths[i]) * P
        found[i, i + 1] = (1 / lengths[i]) * P
    return found


def direction_slopes_library(x):
    # u_i is the slope of the length of segment i at its far end.
    hessians = [length_hessian(x, np.arange(N) == i)[3 * i + 3 : 3 * i + 6] for i in range(N)]
    return blocks(np.reshape(hessians, (N, 3, N + 1, 3)))


def direction_slopes_reference(x):
    return blocks(slopes(smooth_directions, x))


def via_velocity_printed(x, v, k, d):
    u, _ = geometry(x)
    F_v = slopes(lambda z: smooth_tension(x, z, k, d), v)
    return np.array([np.outer(u[i] - u[i - 1], F_v[j]) for i in VIA for j in range(N + 1)])


def via_velocity_library(x, v, k, d):
    return library_blocks(path_force(law(k, d), x, v).D)[1:N].reshape(-1, 3, 3)


def via_velocity_reference(x, v, k, d):
    return blocks(slopes(lambda z: smooth_force(x, z, k, d), v))[1:N].reshape(-1, 3, 3)


def chain_position_printed(x, v, k, d):
    L, Ldot = smooth_length(x), rate(x, v)
    L_x = slopes(smooth_length, x)
    Ldot_x = slopes(lambda z: smooth_rate(z, v), x)
    return tension_l(L, Ldot, k, d) * L_x + tension_ldot(L, Ldot, k, d) * Ldot_x


def chain_position_library(x, v, k, d):
    _, F_L, F_Ldot = law(k, d)(*path_length(x, v))
    return (F_L * length_gradient(x) + F_Ldot * (length_hessian(x) @ v.ravel())).reshape(-1, 3)


def chain_position_reference(x, v, k, d):
    return slopes(lambda z: smooth_tension(z, v, k, d), x)


def chain_velocity_printed(x, v, k, d):
    Ldot_v = slopes(lambda z: smooth_rate(x, z), v)
    return tension_ldot(smooth_length(x), rate(x, v), k, d) * Ldot_v


def chain_velocity_library(x, v, k, d):
    return law(k, d)(*path_length(x, v)).dF_dLdot * length_gradient(x).reshape(-1, 3)


def chain_velocity_reference(x, v, k, d):
    return slopes(lambda z: smooth_tension(x, z, k, d), v)


def length_slope_printed(x):
    u, _ = geometry(x)
    return np.array([u[i - 1] - u[i] for i in VIA])


def length_slope_library(x):
    return length_gradient(x).reshape(-1, 3)[1:N]


def length_slope_reference(x):
    return slopes(smooth_length, x)[1:N]


def rate_slope_middle_printed(x, v):
    u_x = blocks(slopes(smooth_directions, x))
    return np.array([(v[i] - v[i - 1]) @ u_x[i - 1, i] + (v[i + 1] - v[i]) @ u_x[i, i] for i in VIA])


def rate_slope_printed(x, v):
    u, lengths = geometry(x)
    P = identity - u[:, :, None] * u[:, None, :]
    return np.array(
        [
            (1 / lengths[i - 1]) * (v[i] - v[i - 1]) @ P[i - 1] - (1 / lengths[i]) * (v[i + 1] - v[i]) @ P[i]
            for i in VIA
        ]
    )


def rate_slope_library(x, v):
    return (length_hessian(x) @ v.ravel()).reshape(-1, 3)[1:N]


def rate_slope_reference(x, v):
    return slopes(lambda z: smooth_rate(z, v), x)[1:N]


def rate_velocity_slope_printed(x, v):
    u, _ = geometry(x)
    return np.array([u[i - 1] - u[i] for i in VIA])


def rate_velocity_slope_library(x, v):
    return length_gradient(x).reshape(-1, 3)[1:N]


def rate_velocity_slope_reference(x, v):
    # The rate is linear in the velocities: it takes its slopes as values on the unit velocities.
    units = np.eye(3 * N + 3).reshape(-1, N + 1, 3)
    return np.array([rate(x, unit) for unit in units]).reshape(-1, 3)[1:N]


# --- active and passive segments ------------------------------------------------------------------------


def fictitious_printed(x):
    n = len(x) - 1
    return np.array([-1, n + 1])


def fictitious_library(x):
    _, lengths = segments(x)
    return np.array([-1, len(lengths)])


def fictitious_reference(x):
    # Segment i joins points i and i + 1; wanted are the one before point 0 and the one after point n.
    joined = {i: (i, i + 1) for i in range(-1, len(x) + 1)}
    before = [i for i, ends in joined.items() if ends[1] == 0]
    after = [i for i, ends in joined.items() if ends[0] == len(x) - 1]
    return np.array([*before, *after])


def active_length_library(x, active):
    return path_length(x, np.zeros_like(x), active).L


def active_length_reference(x, active):
    return sum(math.dist(x[i], x[i + 1]) for i in range(N) if active[i])


def active_rate_printed(x, v, active):
    u, _ = geometry(x)
    return sum((v[i + 1] - v[i]) @ u[i] for i in np.flatnonzero(active))


def active_rate_library(x, v, active):
    return path_length(x, v, active).Ldot


def active_rate_reference(x, v, active):
    return rate(x, v, active)


def pulls(x):
    """The directions v_i, as printed in d6."""
    u, _ = geometry(x)
    return np.array([u[0], *(u[i] - u[i - 1] for i in range(1, N)), -u[N - 1]])


def pulls_library(x):
    return -length_gradient(x).reshape(-1, 3)


def pulls_reference(x):
    return -slopes(smooth_length, x)


def all_forces_printed(x, v, k, d, active):
    L, Ldot = smooth_length(x, active), rate(x, v, active)
    F = tension(L, Ldot, k, d)
    return F * pulls(x)


def all_forces_library(x, v, k, d, active):
    return path_force(law(k, d), x, v, active).f


def all_forces_reference(x, v, k, d, active):
    F = tension(active_length_reference(x, active), rate(x, v, active), k, d)
    return -F * slopes(smooth_length, x)


def cases_printed(x, active):
    u, _ = geometry(x)
    v = pulls(x)
    A = set(np.flatnonzero(active))
    rows = np.zeros((len(x), 3))
    for i in range(N + 1):
        if i - 1 in A and i not in A:
            rows[i] = u[i - 1]
        elif i - 1 not in A and i in A:
            rows[i] = -u[i]
        elif i - 1 in A and i in A:
            rows[i] = -v[i]
    return rows


def cases_library(x, active):
    return length_gradient(x, active).reshape(-1, 3)


def cases_position_reference(x, active):
    return slopes(lambda z: smooth_length(z, active), x)


def cases_velocity_reference(x, active):
    units = np.eye(3 * N + 3).reshape(-1, N + 1, 3)
    return np.array([rate(x, unit, active) for unit in units]).reshape(-1, 3)


def turning_rows(x, v, k, d, active):
    """The rows y_i, as printed in d9, with y_i = 0 for passive segments."""
    u, lengths = geometry(x)
    F_Ldot = tension_ldot(smooth_length(x, active), rate(x, v, active), k, d)
    y = np.zeros((N, 3))
    for i in np.flatnonzero(active):
        P = identity - np.outer(u[i], u[i])
        y[i] = (1 / lengths[i]) * F_Ldot * (v[i + 1] - v[i]) @ P
    return y


def turning_library(x, v, k, d, active):
    F_Ldot = law(k, d)(*path_length(x, v, active)).dF_dLdot
    rows = [length_hessian(x, np.arange(N) == i)[3 * i + 3 : 3 * i + 6] @ v.ravel() for i in range(N)]
    return F_Ldot * np.array(rows) * active[:, None]


def turning_reference(x, v, k, d, active):
    # How fast each active direction turns, which is what its segment's rate has for a slope.
    F_Ldot = complex_step(
        lambda z: tension(smooth_length(x, active), z[0], k, d), np.array([rate(x, v, active)])
    )
    turning = complex_step(lambda t: smooth_directions(x + t[0] * v), np.zeros(1))[..., 0]
    return F_Ldot * turning * active[:, None]


def tension_slope_printed(x, v, k, d, active):
    F_L = tension_l(smooth_length(x, active), rate(x, v, active), k, d)
    L_x = slopes(lambda z: smooth_length(z, active), x)
    zero = np.zeros((1, 3))
    y = turning_rows(x, v, k, d, active)
    before, after = np.concatenate([zero, y]), np.concatenate([y, zero])
    return F_L * L_x + before - after


def tension_slope_library(x, v, k, d, active):
    _, F_L, F_Ldot = law(k, d)(*path_length(x, v, active))
    slope = F_L * length_gradient(x, active) + F_Ldot * (length_hessian(x, active) @ v.ravel())
    return slope.reshape(-1, 3)


def tension_slope_reference(x, v, k, d, active):
    return slopes(lambda z: smooth_tension(z, v, k, d, active), x)


def velocity_jacobian_printed(x, v, k, d, active):
    F_Ldot = tension_ldot(smooth_length(x, active), rate(x, v, active), k, d)
    Ldot_v = slopes(lambda z: smooth_rate(x, z, active), v)
    pull = pulls(x)
    return np.array([[F_Ldot * np.outer(pull[i], Ldot_v[i]) for j in range(N + 1)] for i in range(N + 1)])


def velocity_jacobian_library(x, v, k, d, active):
    return library_blocks(path_force(law(k, d), x, v, active).D)


def velocity_jacobian_reference(x, v, k, d, active):
    return blocks(slopes(lambda z: smooth_force(x, z, k, d, active), v))


def extended(x, offsets):
    """The path with the fictitious segments -1 and n, to points at the given offsets from the ends."""
    return np.concatenate([x[:1] - offsets[:1], x, x[-1:] + offsets[1:]])


def position_jacobian_printed(x, v, k, d, active, i, offsets):
    u, lengths = geometry(extended(x, offsets))
    F = smooth_tension(x, v, k, d, active)
    F_x = slopes(lambda z: smooth_tension(z, v, k, d, active), x)
    pull = pulls(x)

    def u_x(segment, j):
        # (0.13); the lists begin with segment -1.
        P = identity - np.outer(u[segment + 1], u[segment + 1])
        if j == segment:
            return -(1 / lengths[segment + 1]) * P
        if j == segment + 1:
            return (1 / lengths[segment + 1]) * P
        return np.zeros((3, 3))

    return np.array([np.outer(pull[i], F_x[j]) + F * u_x(i, j) - F * u_x(i - 1, j) for j in range(N + 1)])


def position_jacobian_library(x, v, k, d, active, i, offsets):
    return library_blocks(path_force(law(k, d), x, v, active).K)[i]


def position_jacobian_reference(x, v, k, d, active, i, offsets):
    return blocks(slopes(lambda z: smooth_force(z, v, k, d, active), x))[i]


ACTIVE = {**SPRING, "active": flags}
OFFSETS = st.lists(nonzero_vectors(), min_size=2, max_size=2).map(np.array)
FORCE = (PATH + "path_force",)
COMPLEX_STEP = "complex step of the pull of each segment on its ends, which d1 has checked by virtual work"
CASES = (
    r"%s = \begin{cases}"
    r"\mathbf u_{i-1}^T & i-1\in\mathcal A,\ i\notin\mathcal A\\"
    r"-\mathbf u_i^T & i-1\notin\mathcal A,\ i\in\mathcal A\\"
    r"-\mathbf v_i^T & i-1\in\mathcal A,\ i\in\mathcal A\\"
    r"0 & \text{otherwise}\end{cases}"
)

RECORDS = [
    Record(
        id="lloyd/s0.14/e0.11",
        title="Directions and lengths of the segments",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        implemented_by=(PATH + "segments",),
        formula=r"\mathbf u_i \equiv (\mathbf x_{i+1} - \mathbf x_i)/l_i,"
        r"\quad l_i \equiv \|\mathbf x_{i+1} - \mathbf x_i\|",
        oracle="complex step: u_i is the slope of the length of segment i at its far end",
        inputs=POINTS,
        library=directions_library,
        reference=directions_reference,
    ),
    Record(
        id="lloyd/s0.14/d1",
        title="Forces on end points and via points",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=FORCE,
        formula=r"\mathbf f_0 = F\mathbf u_0,\quad \mathbf f_i = F(\mathbf u_i - \mathbf u_{i-1}),"
        r"\quad \mathbf f_n = -F\mathbf u_{n-1}",
        oracle="virtual work: minus the tension times the complex-step slope of the whole length",
        inputs=SPRING,
        printed=forces_printed,
        library=forces_library,
        reference=forces_reference,
    ),
    Record(
        id="lloyd/s0.14/e0.12#a",
        title="Length of a path",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        implemented_by=(PATH + "path_length",),
        formula=r"L = \sum_{i=0}^{n-1} l_i",
        oracle="sum of the distances of neighbours",
        inputs=POINTS,
        library=length_library,
        reference=length_reference,
    ),
    Record(
        id="lloyd/s0.14/e0.12#b",
        title="Rate of change of the length of a path",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "path_length",),
        formula=r"\dot L = \sum_{i=0}^{n-1}(\dot{\mathbf x}_{i+1} - \dot{\mathbf x}_i)^T\mathbf u_i",
        oracle="complex step in time of the length of points under way",
        inputs=MOVING,
        printed=rate_printed,
        library=rate_library,
        reference=rate_reference,
    ),
    Record(
        id="lloyd/s0.14/d2",
        title="Product rule for the position Jacobian at a via point",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=FORCE,
        formula=r"\frac{\partial\mathbf f_i}{\partial\mathbf x_j} = (\mathbf u_i - \mathbf u_{i-1})"
        r"\frac{\partial F}{\partial\mathbf x_j} + F\Bigl(\frac{\partial\mathbf u_i}{\partial\mathbf x_j}"
        r" - \frac{\partial\mathbf u_{i-1}}{\partial\mathbf x_j}\Bigr)",
        oracle=COMPLEX_STEP,
        inputs=SPRING,
        printed=via_position_printed,
        library=via_position_library,
        reference=via_position_reference,
    ),
    Record(
        id="lloyd/s0.14/e0.13",
        title="Derivatives of the directions",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "length_hessian",),
        formula=r"\frac{\partial\mathbf u_i}{\partial\mathbf x_i} = -\frac1{l_i}\mathbf P_i,"
        r"\quad \frac{\partial\mathbf u_i}{\partial\mathbf x_{i+1}} = \frac1{l_i}\mathbf P_i,"
        r"\quad \frac{\partial\mathbf u_i}{\partial\mathbf x_j} = 0\ (j\neq i,i+1)",
        oracle="complex step of all directions with respect to all points",
        inputs=POINTS,
        printed=direction_slopes_printed,
        library=direction_slopes_library,
        reference=direction_slopes_reference,
    ),
    Record(
        id="lloyd/s0.14/d3",
        title="Velocity Jacobian at a via point",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=FORCE,
        formula=r"\frac{\partial\mathbf f_i}{\partial\dot{\mathbf x}_j} = (\mathbf u_i - \mathbf u_{i-1})"
        r"\frac{\partial F}{\partial\dot{\mathbf x}_j}",
        oracle=COMPLEX_STEP,
        inputs=SPRING,
        printed=via_velocity_printed,
        library=via_velocity_library,
        reference=via_velocity_reference,
    ),
    Record(
        id="lloyd/s0.14/d4#a",
        title="Chain rule for the tension of a path, positions",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "length_gradient", PATH + "length_hessian"),
        formula=r"\frac{\partial F}{\partial\mathbf x_i} ="
        r" \frac{\partial F}{\partial L}\frac{\partial L}{\partial\mathbf x_i}"
        r" + \frac{\partial F}{\partial\dot L}\frac{\partial\dot L}{\partial\mathbf x_i}",
        oracle="complex step of the tension as a function of the points",
        inputs=SPRING,
        printed=chain_position_printed,
        library=chain_position_library,
        reference=chain_position_reference,
    ),
    Record(
        id="lloyd/s0.14/d4#b",
        title="Chain rule for the tension of a path, velocities",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "length_gradient",),
        formula=r"\frac{\partial F}{\partial\dot{\mathbf x}_i} ="
        r" \frac{\partial F}{\partial\dot L}\frac{\partial\dot L}{\partial\dot{\mathbf x}_i}",
        oracle="complex step of the tension as a function of the velocities",
        inputs=SPRING,
        printed=chain_velocity_printed,
        library=chain_velocity_library,
        reference=chain_velocity_reference,
    ),
    Record(
        id="lloyd/s0.14/d5#a",
        title="Derivative of the length at a via point",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "length_gradient",),
        formula=r"\frac{\partial L}{\partial\mathbf x_i} = \mathbf u_{i-1}^T - \mathbf u_i^T",
        oracle="complex step of the length",
        remark="For the end points leave out the direction of the segment that is not there.",
        inputs=POINTS,
        printed=length_slope_printed,
        library=length_slope_library,
        reference=length_slope_reference,
    ),
    Record(
        id="lloyd/s0.14/d5#b",
        title="Derivative of the rate at a via point, through the directions",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "length_hessian",),
        formula=r"\frac{\partial\dot L}{\partial\mathbf x_i} = (\dot{\mathbf x}_i - \dot{\mathbf x}_{i-1})^T"
        r"\frac{\partial\mathbf u_{i-1}}{\partial\mathbf x_i} + (\dot{\mathbf x}_{i+1} - \dot{\mathbf x}_i)^T"
        r"\frac{\partial\mathbf u_i}{\partial\mathbf x_i}",
        oracle="complex step of the rate",
        inputs=MOVING,
        printed=rate_slope_middle_printed,
        library=rate_slope_library,
        reference=rate_slope_reference,
    ),
    Record(
        id="lloyd/s0.14/d5#c",
        title="Derivative of the rate at a via point",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "length_hessian",),
        formula=r"\frac{\partial\dot L}{\partial\mathbf x_i} = \frac1{l_{i-1}}"
        r"(\dot{\mathbf x}_i - \dot{\mathbf x}_{i-1})^T\mathbf P_{i-1}"
        r" - \frac1{l_i}(\dot{\mathbf x}_{i+1} - \dot{\mathbf x}_i)^T\mathbf P_i",
        oracle="complex step of the rate",
        inputs=MOVING,
        printed=rate_slope_printed,
        library=rate_slope_library,
        reference=rate_slope_reference,
    ),
    Record(
        id="lloyd/s0.14/d5#d",
        title="Derivative of the rate with respect to the velocity of a via point",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "length_gradient",),
        formula=r"\frac{\partial\dot L}{\partial\dot{\mathbf x}_i} = \mathbf u_{i-1}^T - \mathbf u_i^T",
        oracle="rates of change of the length (complex step in time) under unit velocities",
        inputs=MOVING,
        printed=rate_velocity_slope_printed,
        library=rate_velocity_slope_library,
        reference=rate_velocity_slope_reference,
    ),
    Record(
        id="lloyd/s0.14/t642",
        title="Numbers of the fictitious segments beyond the ends",
        verdict=Verdict.MISPRINT,
        chapter=CHAPTER,
        implemented_by=(PATH + "segments",),
        formula=r"\text{fictitious passive segments } -1 \text{ and } n+1",
        correction=r"Segments $-1$ and $n$: segment $i$ joins the points $i$ and $i+1$, so the one that would"
        r" begin at the last point $\mathbf x_n$ has the number $n$.",
        oracle="numbering of (0.11): the segment that ends at point 0, the segment that begins at point n",
        inputs={"x": st.integers(2, 5).flatmap(points)},
        printed=fictitious_printed,
        library=fictitious_library,
        reference=fictitious_reference,
    ),
    Record(
        id="lloyd/s0.14/e0.14#a",
        title="Length of the active segments",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        implemented_by=(PATH + "path_length",),
        formula=r"L = \sum_{i\in\mathcal A} l_i",
        oracle="sum of the distances of neighbours over the active segments",
        inputs={**POINTS, "active": flags},
        library=active_length_library,
        reference=active_length_reference,
    ),
    Record(
        id="lloyd/s0.14/e0.14#b",
        title="Rate of change of the active length",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "path_length",),
        formula=r"\dot L = \sum_{i\in\mathcal A}(\dot{\mathbf x}_{i+1} - \dot{\mathbf x}_i)^T\mathbf u_i",
        oracle="complex step in time of the active length of points under way",
        inputs={**MOVING, "active": flags},
        printed=active_rate_printed,
        library=active_rate_library,
        reference=active_rate_reference,
    ),
    Record(
        id="lloyd/s0.14/d6",
        title="Directions in which the tension pulls the points",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        implemented_by=(PATH + "length_gradient",),
        formula=r"\mathbf v_0 \equiv \mathbf u_0,\quad \mathbf v_n \equiv -\mathbf u_{n-1},"
        r"\quad \mathbf v_i \equiv \mathbf u_i - \mathbf u_{i-1}\ (i\neq 0,n)",
        oracle="complex step: minus the slope of the whole length",
        remark=r"They are directions with a size, not velocities; in this book the velocities are $\mathbf "
        r"v$.",
        inputs=POINTS,
        library=pulls_library,
        reference=pulls_reference,
    ),
    Record(
        id="lloyd/s0.14/d7",
        title="Forces on all points, with passive segments",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=FORCE,
        formula=r"\mathbf f_i = F\mathbf v_i",
        oracle="virtual work: minus the tension times the complex-step slope of the whole length",
        remark="The tension of the active length acts along passive segments too; such a path has no "
        "potential.",
        inputs=ACTIVE,
        printed=all_forces_printed,
        library=all_forces_library,
        reference=all_forces_reference,
    ),
    Record(
        id="lloyd/s0.14/d8#a",
        title="Derivative of the active length",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "length_gradient",),
        formula=CASES % r"\frac{\partial L}{\partial\mathbf x_i}",
        oracle="complex step of the active length, all points",
        inputs={**POINTS, "active": flags},
        printed=cases_printed,
        library=cases_library,
        reference=cases_position_reference,
    ),
    Record(
        id="lloyd/s0.14/d8#b",
        title="Derivative of the active length's rate with respect to the velocities",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "length_gradient",),
        formula=CASES % r"\frac{\partial\dot L}{\partial\dot{\mathbf x}_i}",
        oracle="rates of change of the active length (complex step in time) under unit velocities",
        inputs={**POINTS, "active": flags},
        printed=cases_printed,
        library=cases_library,
        reference=cases_velocity_reference,
    ),
    Record(
        id="lloyd/s0.14/d9",
        title="Rows for the turning of the active segments",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        implemented_by=(PATH + "length_hessian",),
        formula=r"\mathbf y_i \equiv \frac1{l_i}\frac{\partial F}{\partial\dot L}"
        r"(\dot{\mathbf x}_{i+1} - \dot{\mathbf x}_i)^T\mathbf P_i",
        oracle="complex step in time of the directions, times a complex step of the tension",
        inputs=ACTIVE,
        printed=turning_rows,
        library=turning_library,
        reference=turning_reference,
    ),
    Record(
        id="lloyd/s0.14/d10",
        title="Derivative of the tension, with passive segments",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(PATH + "length_gradient", PATH + "length_hessian"),
        formula=r"\frac{\partial F}{\partial\mathbf x_i} ="
        r" \frac{\partial F}{\partial L}\frac{\partial L}{\partial\mathbf x_i} + \mathbf y_{i-1} - \mathbf "
        r"y_i",
        oracle="complex step of the tension as a function of the points",
        inputs=ACTIVE,
        printed=tension_slope_printed,
        library=tension_slope_library,
        reference=tension_slope_reference,
    ),
    Record(
        id="lloyd/s0.14/d11",
        title="Velocity Jacobian of a multi-point spring",
        verdict=Verdict.ERRATUM,
        chapter=CHAPTER,
        implemented_by=FORCE,
        formula=r"\frac{\partial\mathbf f_i}{\partial\dot{\mathbf x}_j} ="
        r" \frac{\partial F}{\partial\dot L}\mathbf v_i\frac{\partial\dot L}{\partial\dot{\mathbf x}_i}",
        correction=r"The last index is $j$: $\partial\mathbf f_i/\partial\dot{\mathbf x}_j ="
        r" (\partial F/\partial\dot L)\,\mathbf v_i\,\partial\dot L/\partial\dot{\mathbf x}_j$.",
        oracle=COMPLEX_STEP,
        inputs=ACTIVE,
        printed=velocity_jacobian_printed,
        library=velocity_jacobian_library,
        reference=velocity_jacobian_reference,
    ),
    Record(
        id="lloyd/s0.14/d12",
        title="Position Jacobian of a multi-point spring",
        verdict=Verdict.CONDITIONAL,
        chapter=CHAPTER,
        implemented_by=FORCE,
        formula=r"\frac{\partial\mathbf f_i}{\partial\mathbf x_j} = \mathbf v_i\frac{\partial "
        r"F}{\partial\mathbf x_j}"
        r" + F\frac{\partial\mathbf u_i}{\partial\mathbf x_j} - F\frac{\partial\mathbf "
        r"u_{i-1}}{\partial\mathbf x_j}",
        condition=r"$\mathbf x_i$ is a via point. At the end points the derivative of the fictitious "
        r"segment's"
        r" direction ($\mathbf u_{-1}$ or $\mathbf u_n$) must be left out: it carries no tension, although "
        r"the"
        r" real passive segments do.",
        oracle=COMPLEX_STEP + "; the fictitious segments end at arbitrary points",
        inputs={**ACTIVE, "i": st.sampled_from((1, 2, 0, 3)), "offsets": OFFSETS},
        given={**ACTIVE, "i": st.sampled_from(VIA), "offsets": OFFSETS},
        printed=position_jacobian_printed,
        library=position_jacobian_library,
        reference=position_jacobian_reference,
    ),
]
