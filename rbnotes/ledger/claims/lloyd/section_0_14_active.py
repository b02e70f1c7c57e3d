"""Lloyd 0.14: multi-point springs with active and passive segments."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from rbnotes.forces import length_gradient, path_force, path_length, path_segments
from rbnotes.ledger import quantities as units
from rbnotes.ledger.claims.lloyd.section_0_12 import law, points
from rbnotes.ledger.claims.lloyd.section_0_14 import (
    CHAPTER,
    FORCE,
    MOVING,
    POINTS,
    SPRING,
    N,
    geometry,
    pulls,
)
from rbnotes.ledger.oracles.paths import (
    active_length,
    numerical_length_rate,
    point_derivatives,
)
from rbnotes.ledger.oracles.springs import tension
from rbnotes.ledger.record import Verdict, claim

flags = st.lists(st.booleans(), min_size=N, max_size=N).filter(any).map(np.array)


QUANTITIES = {"d": units.STIFFNESS / units.VELOCITY, "k": units.FORCE / units.AREA}


def active_length_reference(x, active):
    return sum(math.dist(x[i], x[i + 1]) for i in range(N) if active[i])


def cases_printed(x, active):
    u, _ = geometry(x)
    nothing = np.zeros((1, 3))
    before, here = np.concatenate([nothing, u]), np.concatenate([u, nothing])
    v = here - before  # at the via points
    A = set(np.flatnonzero(active))
    rows = []
    for i in range(N + 1):
        cases = {
            (True, False): before[i],
            (False, True): -here[i],
            (True, True): -v[i],
            (False, False): nothing[0],
        }
        rows.append(cases[i - 1 in A, i in A])
    return np.array(rows)


def cases_library(x, active):
    return length_gradient(x, active).reshape(-1, 3)


ACTIVE = {**SPRING, "active": flags}


@claim("lloyd/s0.14/t642", "Numbers of the fictitious segments beyond the ends")
class t642:
    formula = r"\text{fictitious passive segments } -1 \text{ and } n+1"
    inputs = {"x": st.integers(2, 5).flatmap(points)}
    result = units.NUMBER

    def printed(x):
        n = len(x) - 1
        return np.array([-1, n + 1])

    def library(x):
        u, lengths = path_segments(x)
        ends = x[:-1] + u * lengths[:, None]
        last = np.flatnonzero(np.isclose(ends, x[-1]).all(axis=-1))[-1]
        return np.array([-1, last + 1])

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
    implemented_by = ("rbnotes.forces.path.path_segments",)
    chapter = CHAPTER


@claim("lloyd/s0.14/e0.14#a", "Length of the active segments")
class e0_14_a:
    formula = r"L = \sum_{i\in\mathcal A} l_i"
    inputs = {**POINTS, "active": flags}
    result = units.LENGTH

    def printed(x, active):
        lengths = np.linalg.norm(np.diff(x, axis=0), axis=-1)
        return sum(lengths[i] for i in np.flatnonzero(active))

    def library(x, active):
        return path_length(x, np.zeros_like(x), active).L

    oracle = "sum of the distances of neighbours over the active segments"
    reference = active_length_reference
    defines = ("L",)
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.forces.path.path_length",)
    chapter = CHAPTER


@claim("lloyd/s0.14/e0.14#b", "Rate of change of the active length")
class e0_14_b:
    formula = r"\dot L = \sum_{i\in\mathcal A}(\dot{\mathbf x}_{i+1} - \dot{\mathbf x}_i)^T\mathbf u_i"
    inputs = {**MOVING, "active": flags}
    result = units.VELOCITY

    def printed(x, v, active):
        u, _ = geometry(x)
        return sum((v[i + 1] - v[i]) @ u[i] for i in np.flatnonzero(active))

    def library(x, v, active):
        return path_length(x, v, active).Ldot

    oracle = "complex step in time of the active length of points under way"

    def reference(x, v, active):
        return numerical_length_rate(x, v, active)

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
    result = units.NUMBER

    printed = pulls

    def library(x):
        return -length_gradient(x).reshape(-1, 3)

    oracle = "complex step: minus the slope of the whole length"

    def reference(x):
        return -point_derivatives(active_length, x)

    defines = (r"\mathbf v_0", r"\mathbf v_n", r"\mathbf v_i")
    verdict = Verdict.DEFINITION
    remark = r"They are directions with a size, not velocities; in this book the velocities are $\mathbf v$."
    implemented_by = ("rbnotes.forces.path.length_gradient",)
    chapter = CHAPTER


@claim("lloyd/s0.14/d7", "Forces on all points, with passive segments")
class d7:
    formula = r"\mathbf f_i = F\mathbf v_i"
    inputs = ACTIVE
    result = units.FORCE
    constants = (units.LENGTH, units.FORCE / units.VELOCITY**3)

    def printed(x, v, k, d, active):
        L, Ldot = active_length(x, active), numerical_length_rate(x, v, active)
        F = tension(L, Ldot, k, d)
        return F * pulls(x)

    def library(x, v, k, d, active):
        return path_force(law(k, d), x, v, active).f

    oracle = "virtual work: minus the tension times the complex-step slope of the whole length"

    def reference(x, v, k, d, active):
        F = tension(active_length_reference(x, active), numerical_length_rate(x, v, active), k, d)
        return -F * point_derivatives(active_length, x)

    primitives = (
        "rbnotes.ledger.claims.lloyd.section_0_12.tension",
        "rbnotes.ledger.oracles.paths.active_length",
        "rbnotes.ledger.oracles.paths.numerical_length_rate",
    )
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
    result = units.NUMBER
    printed = cases_printed
    library = cases_library
    oracle = "complex step of the active length, all points"

    def reference(x, active):
        return point_derivatives(lambda z: active_length(z, active), x)

    equivalent_mutants = {
        "filled nothing at 0 in `[nothing, u]`": "no active segment lies beyond the ends",
        "filled nothing at 1 in `[u, nothing]`": "no active segment lies beyond the ends",
    }
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
    result = units.NUMBER
    printed = cases_printed
    library = cases_library
    oracle = "rates of change of the active length (complex step in time) under unit velocities"

    def reference(x, active):
        units = np.eye(3 * N + 3).reshape(-1, N + 1, 3)
        return np.array([numerical_length_rate(x, unit, active) for unit in units]).reshape(-1, 3)

    equivalent_mutants = {
        "filled nothing at 0 in `[nothing, u]`": "no active segment lies beyond the ends",
        "filled nothing at 1 in `[u, nothing]`": "no active segment lies beyond the ends",
    }
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.length_gradient",)
    chapter = CHAPTER
