"""Lloyd 0.14: multi-point springs with active and passive segments."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from rbnotes.checking import complex_step
from rbnotes.checking.strategies import nonzero_vectors
from rbnotes.forces import length_gradient, length_hessian, path_force, path_length, segments
from rbnotes.ledger.lloyd.section_0_12 import (
    identity,
    law,
    points,
    tension,
    tension_l,
    tension_ldot,
)
from rbnotes.ledger.lloyd.section_0_14 import (
    CHAPTER,
    COMPLEX_STEP,
    FORCE,
    MOVING,
    POINTS,
    SPRING,
    VIA,
    N,
    geometry,
    library_blocks,
    pulls,
    smooth_force,
    smooth_tension,
)
from rbnotes.ledger.oracles.paths import (
    active_length,
    active_rate,
    blocks,
    rate_under_way,
    segment_directions,
    slopes,
)
from rbnotes.ledger.record import Verdict, claim

flags = st.lists(st.booleans(), min_size=N, max_size=N).filter(any).map(np.array)


def active_length_reference(x, active):
    return sum(math.dist(x[i], x[i + 1]) for i in range(N) if active[i])


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


def turning_rows(x, v, k, d, active):
    """The rows y_i, as printed in d9, with y_i = 0 for passive segments."""
    u, lengths = geometry(x)
    F_Ldot = tension_ldot(active_length(x, active), rate_under_way(x, v, active), k, d)
    y = np.zeros((N, 3))
    for i in np.flatnonzero(active):
        P = identity - np.outer(u[i], u[i])
        y[i] = (1 / lengths[i]) * F_Ldot * (v[i + 1] - v[i]) @ P
    return y


def extended(x, offsets):
    """The path with the fictitious segments -1 and n, to points at the given offsets from the ends."""
    return np.concatenate([x[:1] - offsets[:1], x, x[-1:] + offsets[1:]])


ACTIVE = {**SPRING, "active": flags}
OFFSETS = st.lists(nonzero_vectors(), min_size=2, max_size=2).map(np.array)


@claim("lloyd/s0.14/t642", "Numbers of the fictitious segments beyond the ends")
class t642:
    formula = r"\text{fictitious passive segments } -1 \text{ and } n+1"
    inputs = {"x": st.integers(2, 5).flatmap(points)}

    def printed(x):
        n = len(x) - 1
        return np.array([-1, n + 1])

    def library(x):
        _, lengths = segments(x)
        return np.array([-1, len(lengths)])

    oracle = "numbering of (0.11): the segment that ends at point 0, the segment that begins at point n"

    def reference(x):
        # Segment i joins points i and i + 1; wanted are the one before point 0 and the one after point n.
        joined = {i: (i, i + 1) for i in range(-1, len(x) + 1)}
        before = [i for i, ends in joined.items() if ends[1] == 0]
        after = [i for i, ends in joined.items() if ends[0] == len(x) - 1]
        return np.array([*before, *after])

    verdict = Verdict.MISPRINT
    correction = (
        r"Segments $-1$ and $n$: segment $i$ joins the points $i$ and $i+1$, so the one that would begin "
        r"at the last point $\mathbf x_n$ has the number $n$."
    )
    implemented_by = ("rbnotes.forces.path.segments",)
    chapter = CHAPTER


@claim("lloyd/s0.14/e0.14#a", "Length of the active segments")
class e0_14_a:
    formula = r"L = \sum_{i\in\mathcal A} l_i"
    inputs = {**POINTS, "active": flags}

    def library(x, active):
        return path_length(x, np.zeros_like(x), active).L

    oracle = "sum of the distances of neighbours over the active segments"
    reference = active_length_reference
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.forces.path.path_length",)
    chapter = CHAPTER


@claim("lloyd/s0.14/e0.14#b", "Rate of change of the active length")
class e0_14_b:
    formula = r"\dot L = \sum_{i\in\mathcal A}(\dot{\mathbf x}_{i+1} - \dot{\mathbf x}_i)^T\mathbf u_i"
    inputs = {**MOVING, "active": flags}

    def printed(x, v, active):
        u, _ = geometry(x)
        return sum((v[i + 1] - v[i]) @ u[i] for i in np.flatnonzero(active))

    def library(x, v, active):
        return path_length(x, v, active).Ldot

    oracle = "complex step in time of the active length of points under way"

    def reference(x, v, active):
        return rate_under_way(x, v, active)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.path_length",)
    chapter = CHAPTER


@claim("lloyd/s0.14/d6", "Directions in which the tension pulls the points")
class d6:
    formula = (
        r"\mathbf v_0 \equiv \mathbf u_0,\quad \mathbf v_n \equiv -\mathbf u_{n-1},\quad "
        r"\mathbf v_i \equiv \mathbf u_i - \mathbf u_{i-1}\ (i\neq 0,n)"
    )
    inputs = POINTS

    def library(x):
        return -length_gradient(x).reshape(-1, 3)

    oracle = "complex step: minus the slope of the whole length"

    def reference(x):
        return -slopes(active_length, x)

    verdict = Verdict.DEFINITION
    remark = r"They are directions with a size, not velocities; in this book the velocities are $\mathbf v$."
    implemented_by = ("rbnotes.forces.path.length_gradient",)
    chapter = CHAPTER


@claim("lloyd/s0.14/d7", "Forces on all points, with passive segments")
class d7:
    formula = r"\mathbf f_i = F\mathbf v_i"
    inputs = ACTIVE

    def printed(x, v, k, d, active):
        L, Ldot = active_length(x, active), rate_under_way(x, v, active)
        F = tension(L, Ldot, k, d)
        return F * pulls(x)

    def library(x, v, k, d, active):
        return path_force(law(k, d), x, v, active).f

    oracle = "virtual work: minus the tension times the complex-step slope of the whole length"

    def reference(x, v, k, d, active):
        F = tension(active_length_reference(x, active), rate_under_way(x, v, active), k, d)
        return -F * slopes(active_length, x)

    verdict = Verdict.HOLDS
    remark = "The tension of the active length acts along passive segments too; such a path has no potential."
    implemented_by = FORCE
    chapter = CHAPTER


@claim("lloyd/s0.14/d8#a", "Derivative of the active length")
class d8_a:
    formula = (
        r"\frac{\partial L}{\partial\mathbf x_i} "
        r"= \begin{cases}\mathbf u_{i-1}^T & i-1\in\mathcal A,\ i\notin\mathcal A\\"
        r"-\mathbf u_i^T & i-1\notin\mathcal A,\ i\in\mathcal A\\"
        r"-\mathbf v_i^T & i-1\in\mathcal A,\ i\in\mathcal A\\0 & \text{otherwise}\end{cases}"
    )
    inputs = {**POINTS, "active": flags}
    printed = cases_printed
    library = cases_library
    oracle = "complex step of the active length, all points"

    def reference(x, active):
        return slopes(lambda z: active_length(z, active), x)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.length_gradient",)
    chapter = CHAPTER


@claim("lloyd/s0.14/d8#b", "Derivative of the active length's rate with respect to the velocities")
class d8_b:
    formula = (
        r"\frac{\partial\dot L}{\partial\dot{\mathbf x}_i} "
        r"= \begin{cases}\mathbf u_{i-1}^T & i-1\in\mathcal A,\ i\notin\mathcal A\\"
        r"-\mathbf u_i^T & i-1\notin\mathcal A,\ i\in\mathcal A\\"
        r"-\mathbf v_i^T & i-1\in\mathcal A,\ i\in\mathcal A\\0 & \text{otherwise}\end{cases}"
    )
    inputs = {**POINTS, "active": flags}
    printed = cases_printed
    library = cases_library
    oracle = "rates of change of the active length (complex step in time) under unit velocities"

    def reference(x, active):
        units = np.eye(3 * N + 3).reshape(-1, N + 1, 3)
        return np.array([rate_under_way(x, unit, active) for unit in units]).reshape(-1, 3)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.length_gradient",)
    chapter = CHAPTER


@claim("lloyd/s0.14/d9", "Rows for the turning of the active segments")
class d9:
    formula = (
        r"\mathbf y_i \equiv \frac1{l_i}\frac{\partial F}{\partial\dot L}(\dot{\mathbf x}_{i+1} - "
        r"\dot{\mathbf x}_i)^T\mathbf P_i"
    )
    inputs = ACTIVE
    printed = turning_rows

    def library(x, v, k, d, active):
        F_Ldot = law(k, d)(*path_length(x, v, active)).dF_dLdot
        rows = [length_hessian(x, np.arange(N) == i)[3 * i + 3 : 3 * i + 6] @ v.ravel() for i in range(N)]
        return F_Ldot * np.array(rows) * active[:, None]

    oracle = "complex step in time of the directions, times a complex step of the tension"

    def reference(x, v, k, d, active):
        # How fast each active direction turns, which is what its segment's rate has for a slope.
        F_Ldot = complex_step(
            lambda z: tension(active_length(x, active), z[0], k, d), np.array([rate_under_way(x, v, active)])
        )
        turning = complex_step(lambda t: segment_directions(x + t[0] * v), np.zeros(1))[..., 0]
        return F_Ldot * turning * active[:, None]

    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.forces.path.length_hessian",)
    chapter = CHAPTER


@claim("lloyd/s0.14/d10", "Derivative of the tension, with passive segments")
class d10:
    formula = (
        r"\frac{\partial F}{\partial\mathbf x_i} "
        r"= \frac{\partial F}{\partial L}\frac{\partial L}{\partial\mathbf x_i} + \mathbf y_{i-1} - "
        r"\mathbf y_i"
    )
    inputs = ACTIVE

    def printed(x, v, k, d, active):
        F_L = tension_l(active_length(x, active), rate_under_way(x, v, active), k, d)
        L_x = slopes(lambda z: active_length(z, active), x)
        zero = np.zeros((1, 3))
        y = turning_rows(x, v, k, d, active)
        before, after = np.concatenate([zero, y]), np.concatenate([y, zero])
        return F_L * L_x + before - after

    def library(x, v, k, d, active):
        _, F_L, F_Ldot = law(k, d)(*path_length(x, v, active))
        slope = F_L * length_gradient(x, active) + F_Ldot * (length_hessian(x, active) @ v.ravel())
        return slope.reshape(-1, 3)

    oracle = "complex step of the tension as a function of the points"

    def reference(x, v, k, d, active):
        return slopes(lambda z: smooth_tension(z, v, k, d, active), x)

    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.forces.path.length_gradient",
        "rbnotes.forces.path.length_hessian",
    )
    chapter = CHAPTER


@claim("lloyd/s0.14/d11", "Velocity Jacobian of a multi-point spring")
class d11:
    formula = (
        r"\frac{\partial\mathbf f_i}{\partial\dot{\mathbf x}_j} "
        r"= \frac{\partial F}{\partial\dot L}\mathbf v_i\frac{\partial\dot L}{\partial\dot{\mathbf x}_i}"
    )
    inputs = ACTIVE

    def printed(x, v, k, d, active):
        F_Ldot = tension_ldot(active_length(x, active), rate_under_way(x, v, active), k, d)
        Ldot_v = slopes(lambda z: active_rate(x, z, active), v)
        pull = pulls(x)
        return np.array([[F_Ldot * np.outer(pull[i], Ldot_v[i]) for j in range(N + 1)] for i in range(N + 1)])

    def library(x, v, k, d, active):
        return library_blocks(path_force(law(k, d), x, v, active).D)

    oracle = COMPLEX_STEP

    def reference(x, v, k, d, active):
        return blocks(slopes(lambda z: smooth_force(x, z, k, d, active), v))

    verdict = Verdict.ERRATUM
    correction = (
        r"The last index is $j$: $\partial\mathbf f_i/\partial\dot{\mathbf x}_j = (\partial "
        r"F/\partial\dot L)\,\mathbf v_i\,\partial\dot L/\partial\dot{\mathbf x}_j$."
    )
    implemented_by = FORCE
    chapter = CHAPTER


@claim("lloyd/s0.14/d12", "Position Jacobian of a multi-point spring")
class d12:
    formula = (
        r"\frac{\partial\mathbf f_i}{\partial\mathbf x_j} "
        r"= \mathbf v_i\frac{\partial F}{\partial\mathbf x_j} + F\frac{\partial\mathbf "
        r"u_i}{\partial\mathbf x_j} - F\frac{\partial\mathbf u_{i-1}}{\partial\mathbf x_j}"
    )
    inputs = {**ACTIVE, "i": st.sampled_from((1, 2, 0, 3)), "offsets": OFFSETS}

    def printed(x, v, k, d, active, i, offsets):
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

    def library(x, v, k, d, active, i, offsets):
        return library_blocks(path_force(law(k, d), x, v, active).K)[i]

    oracle = (
        "complex step of the pull of each segment on its ends, which d1 has checked by virtual work; the "
        "fictitious segments end at arbitrary points"
    )

    def reference(x, v, k, d, active, i, offsets):
        return blocks(slopes(lambda z: smooth_force(z, v, k, d, active), x))[i]

    verdict = Verdict.CONDITIONAL
    given = {**ACTIVE, "i": st.sampled_from(VIA), "offsets": OFFSETS}
    condition = (
        r"$\mathbf x_i$ is a via point. At the end points the derivative of the fictitious segment's "
        r"direction ($\mathbf u_{-1}$ or $\mathbf u_n$) must be left out: it carries no tension, although "
        r"the real passive segments do."
    )
    implemented_by = FORCE
    chapter = CHAPTER
