"""Lloyd 0.14: Jacobians for multi-point springs.

The oracle is virtual work: a tension F along all segments does the work -F d(length of the path), so the
forces are -F times the complex-step slope of that length; their Jacobians are complex steps again. Paths
have three segments, any of them passive.
"""

from __future__ import annotations

import math

import numpy as np

from rbnotes.forces import length_hessian, path_force, path_length, path_segments
from rbnotes.ledger import quantities as units
from rbnotes.ledger.claims.lloyd.section_0_12 import identity, law, points, velocities
from rbnotes.ledger.oracles.paths import (
    active_length,
    active_rate,
    derivative_blocks,
    numerical_length_rate,
    point_derivatives,
    segment_directions,
    segment_lengths,
)
from rbnotes.ledger.oracles.springs import tension
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import positive_numbers

CHAPTER = "multi-point-springs"
SLOPES = ("rbnotes.ledger.oracles.paths.point_derivatives",)
SLOPES_BY_BLOCKS = (
    "rbnotes.ledger.oracles.paths.derivative_blocks",
    "rbnotes.ledger.oracles.paths.point_derivatives",
)
PATH = "rbnotes.forces.path."
N = 3
"""Segments of the paths."""
VIA = (1, 2)

POINTS = {"x": points(N + 1)}
MOVING = {**POINTS, "v": velocities(N + 1)}
SPRING = {**MOVING, "k": positive_numbers(), "d": positive_numbers()}
ALL = slice(None)


QUANTITIES = {"d": units.STIFFNESS / units.VELOCITY, "k": units.FORCE / units.AREA}


def smooth_tension(x, v, k, d, active=ALL):
    return tension(active_length(x, active), active_rate(x, v, active), k, d)


def smooth_force(x, v, k, d, active=ALL):
    """The pull of each segment on its ends, for complex numbers; d1 checks it by virtual work."""
    pulls = smooth_tension(x, v, k, d, active)[..., None, None] * segment_directions(x)
    nothing = np.zeros_like(pulls[..., :1, :])
    return np.concatenate([pulls, nothing], axis=-2) - np.concatenate([nothing, pulls], axis=-2)


def library_blocks(matrix):
    return derivative_blocks(matrix.reshape(N + 1, 3, N + 1, 3))


def by_complex_steps(function, x):
    """Derivatives with respect to each point, one coordinate after the other."""
    found = complex_step(lambda z: function(z.reshape(x.shape)), x.ravel())
    return found.reshape(*found.shape[:-1], *x.shape)


def geometry(x):
    """Directions u_i and lengths l_i, as printed in (0.11)."""
    steps = np.diff(x, axis=0)
    lengths = np.linalg.norm(steps, axis=-1)
    return steps / lengths[:, None], lengths


def pulls(x):
    """The directions v_i, as printed in d6."""
    u, _ = geometry(x)
    return np.array([u[0], *(u[i] - u[i - 1] for i in range(1, N)), -u[-1]])


FORCE = (PATH + "path_force",)
COMPLEX_STEP = "complex step of the pull of each segment on its ends, which d1 has checked by virtual work"


@claim("lloyd/s0.14/e0.11", "Directions and lengths of the segments")
class e0_11:
    formula = (
        r"\mathbf u_i \equiv (\mathbf x_{i+1} - \mathbf x_i)/l_i,\quad "
        r"l_i \equiv \|\mathbf x_{i+1} - \mathbf x_i\|"
    )
    inputs = POINTS
    result = units.vector_quantity((units.NUMBER, 3), (units.LENGTH, 1))

    def printed(x):
        u, lengths = geometry(x)
        return np.column_stack([u, lengths])

    def library(x):
        u, lengths = path_segments(x)
        return np.column_stack([u, lengths])

    oracle = "complex step: u_i is the slope of the length of segment i at its far end"

    def reference(x):
        # The length of a segment grows fastest, by 1 per length, along its direction.
        ends = [point_derivatives(lambda z, i=i: segment_lengths(z)[..., i], x)[i + 1] for i in range(N)]
        return np.column_stack([ends, [math.dist(x[i], x[i + 1]) for i in range(N)]])

    defines = (r"\mathbf u_i", "l_i")
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.forces.path.path_segments",)
    chapter = CHAPTER


@claim("lloyd/s0.14/d1", "Forces on end points and via points")
class d1:
    formula = (
        r"\mathbf f_0 = F\mathbf u_0,\quad \mathbf f_i "
        r"= F(\mathbf u_i - \mathbf u_{i-1}),\quad \mathbf f_n = -F\mathbf u_{n-1}"
    )
    inputs = SPRING
    result = units.FORCE
    constants = (units.LENGTH, units.FORCE / units.VELOCITY**3)

    def printed(x, v, k, d):
        u, lengths = geometry(x)
        F = tension(sum(lengths), numerical_length_rate(x, v), k, d)
        first = F * u[0]
        via = [F * (u[i] - u[i - 1]) for i in range(1, N)]
        last = -F * u[-1]
        return np.array([first, *via, last])

    def library(x, v, k, d):
        return path_force(law(k, d), x, v).f

    oracle = "virtual work: minus the tension times the complex-step slope of the whole length"

    def reference(x, v, k, d):
        F = tension(sum(map(math.dist, x[:-1], x[1:])), numerical_length_rate(x, v), k, d)
        return -F * point_derivatives(active_length, x)

    primitives = (
        "rbnotes.ledger.claims.lloyd.section_0_12.tension",
        "rbnotes.ledger.oracles.paths.active_length",
        "rbnotes.ledger.oracles.paths.numerical_length_rate",
    )
    verdict = Verdict.HOLDS
    implemented_by = FORCE
    chapter = CHAPTER


@claim("lloyd/s0.14/e0.12#a", "Length of a path")
class e0_12_a:
    formula = r"L = \sum_{i=0}^{n-1} l_i"
    inputs = POINTS
    result = units.LENGTH

    def printed(x):
        lengths = np.linalg.norm(np.diff(x, axis=0), axis=-1)
        return sum(lengths)

    def library(x):
        return path_length(x, np.zeros_like(x)).L

    oracle = "sum of the distances of neighbours"

    def reference(x):
        return sum(map(math.dist, x[:-1], x[1:]))

    defines = ("L",)
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.forces.path.path_length",)
    chapter = CHAPTER


@claim("lloyd/s0.14/e0.12#b", "Rate of change of the length of a path")
class e0_12_b:
    formula = r"\dot L = \sum_{i=0}^{n-1}(\dot{\mathbf x}_{i+1} - \dot{\mathbf x}_i)^T\mathbf u_i"
    inputs = MOVING
    result = units.VELOCITY

    def printed(x, v):
        u, _ = geometry(x)
        return sum((v[i + 1] - v[i]) @ u[i] for i in range(N))

    def library(x, v):
        return path_length(x, v).Ldot

    oracle = "complex step in time of the length of points under way"

    def reference(x, v):
        return numerical_length_rate(x, v)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.path_length",)
    chapter = CHAPTER


@claim("lloyd/s0.14/d2", "Product rule for the position Jacobian at a via point")
class d2:
    formula = (
        r"\frac{\partial\mathbf f_i}{\partial\mathbf x_j} "
        r"= (\mathbf u_i - \mathbf u_{i-1})\frac{\partial F}{\partial\mathbf x_j} + "
        r"F\Bigl(\frac{\partial\mathbf u_i}{\partial\mathbf x_j} - \frac{\partial\mathbf "
        r"u_{i-1}}{\partial\mathbf x_j}\Bigr)"
    )
    inputs = SPRING
    result = units.STIFFNESS
    constants = (units.LENGTH, units.FORCE / units.VELOCITY**3)

    def printed(x, v, k, d):
        u, _ = geometry(x)
        F = smooth_tension(x, v, k, d)
        F_x = point_derivatives(lambda z: smooth_tension(z, v, k, d), x)
        u_x = derivative_blocks(point_derivatives(segment_directions, x))
        return np.array(
            [
                np.outer(u[i] - u[i - 1], F_x[j]) + F * (u_x[i, j] - u_x[i - 1, j])
                for i in VIA
                for j in range(N + 1)
            ]
        )

    def library(x, v, k, d):
        return library_blocks(path_force(law(k, d), x, v).K)[1:N].reshape(-1, 3, 3)

    oracle = COMPLEX_STEP

    def reference(x, v, k, d):
        return np.swapaxes(by_complex_steps(lambda z: smooth_force(z, v, k, d), x), 1, 2)[1:N].reshape(
            -1, 3, 3
        )

    primitives = (
        "rbnotes.ledger.claims.lloyd.section_0_14.smooth_tension",
        "rbnotes.ledger.claims.lloyd.section_0_12.tension",
    )
    verdict = Verdict.HOLDS
    implemented_by = FORCE
    chapter = CHAPTER


@claim("lloyd/s0.14/e0.13", "Derivatives of the directions")
class e0_13:
    formula = (
        r"\frac{\partial\mathbf u_i}{\partial\mathbf x_i} "
        r"= -\frac1{l_i}\mathbf P_i,\quad \frac{\partial\mathbf u_i}{\partial\mathbf x_{i+1}} "
        r"= \frac1{l_i}\mathbf P_i,\quad \frac{\partial\mathbf u_i}{\partial\mathbf x_j} "
        r"= 0\ (j\neq i,i+1)"
    )
    inputs = POINTS
    result = units.NUMBER / units.LENGTH

    def printed(x):
        u, lengths = geometry(x)
        found = np.zeros((N, len(x), 3, 3))
        for i in range(N):
            P = identity - np.outer(u[i], u[i])
            found[i, i] = -(1 / lengths[i]) * P
            found[i, i + 1] = (1 / lengths[i]) * P
        return found

    def library(x):
        # u_i is the slope of the length of segment i at its far end.
        hessians = [length_hessian(x, np.arange(N) == i)[3 * i + 3 : 3 * i + 6] for i in range(N)]
        return derivative_blocks(np.reshape(hessians, (N, 3, N + 1, 3)))

    oracle = "complex step of all directions with respect to all points"

    def reference(x):
        return np.swapaxes(by_complex_steps(segment_directions, x), 1, 2)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.path.length_hessian",)
    chapter = CHAPTER


@claim("lloyd/s0.14/d3", "Velocity Jacobian at a via point")
class d3:
    formula = (
        r"\frac{\partial\mathbf f_i}{\partial\dot{\mathbf x}_j} "
        r"= (\mathbf u_i - \mathbf u_{i-1})\frac{\partial F}{\partial\dot{\mathbf x}_j}"
    )
    inputs = SPRING
    result = units.DAMPING
    constants = (units.LENGTH, units.FORCE / units.VELOCITY**3)

    def printed(x, v, k, d):
        u, _ = geometry(x)
        F_v = point_derivatives(lambda z: smooth_tension(x, z, k, d), v)
        return np.array([np.outer(u[i] - u[i - 1], F_v[j]) for i in VIA for j in range(N + 1)])

    def library(x, v, k, d):
        return library_blocks(path_force(law(k, d), x, v).D)[1:N].reshape(-1, 3, 3)

    oracle = COMPLEX_STEP

    def reference(x, v, k, d):
        return np.swapaxes(by_complex_steps(lambda z: smooth_force(x, z, k, d), v), 1, 2)[1:N].reshape(
            -1, 3, 3
        )

    primitives = (
        "rbnotes.ledger.claims.lloyd.section_0_14.smooth_tension",
        "rbnotes.ledger.claims.lloyd.section_0_12.tension",
    )
    verdict = Verdict.HOLDS
    implemented_by = FORCE
    chapter = CHAPTER
