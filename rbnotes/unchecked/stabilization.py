"""The formulas of post-stabilisation, on arrays and functions that are known to be right: nothing is checked.

:mod:`rbnotes.constraints.stabilization` checks what it is given and then calls these. One check is here,
since all steps share it: that of the rate at which they take back errors.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import splu

from rbnotes import arguments
from rbnotes.arguments import Array, Matrix
from rbnotes.unchecked import se3

PROJECTION_REGULARIZATION = 1e-12
"""Of the rows of a projection, relative to the effect of the largest one: against rows that repeat others."""

PROJECTION_TOLERANCE = 1e-11
"""Largest joint error, rad and m, at which a projection has converged."""

MAX_NEWTON_ITERATIONS = 10
"""Newton iterations for the joint impulses of a step; each has to halve the error, else the step is too long."""

JOINT_ERROR_TOLERANCE = 1e-9
"""Joint error at the start of a step, rad and m, above which the joints are projected at zero velocity."""

ENERGY_CHANGE_TOLERANCE = 0.02
"""Largest energy change by joints and free motion in a step, relative to the kinetic energy; else it is halved."""

ConstraintEvaluator = Callable[[Array], tuple[Array, Callable[[], Matrix]]]
"""From positions to the errors ``(k,)`` there, and to what gives the rows ``(k, n)`` if they are wanted."""


def check_error_reduction_rate(gamma: float, h: float) -> float:
    """A rate of Baumgarte's for velocities, 1/s, with which no error grows in steps of size h.

    A step leaves the part ``1 - gamma h`` of an error: from ``gamma h = 2`` on it does not shrink.

    Raises InvalidArgument if ``gamma`` is not in [0, 2/h].
    """
    return arguments.real_number("gamma", gamma, minimum=0.0, maximum=2 / h)


def least_norm_correction(G: Matrix, responses: Matrix, g: Array) -> Array:
    S = G @ responses
    regularization = PROJECTION_REGULARIZATION * np.max(S.diagonal(), initial=0.0)
    if regularization == 0:  # no rows, or rows that nothing moves
        return np.zeros(G.shape[1])
    if sparse.issparse(S):
        multipliers = splu(sparse.csc_array(S + regularization * sparse.eye_array(len(g)))).solve(g)
    else:
        multipliers = linalg.solve(S + regularization * np.eye(len(g)), g, assume_a="pos")
    correction: Array = -(responses @ multipliers)
    return correction


def project(
    positions: Array,
    solve_mass: Callable[[Matrix], Matrix],
    evaluate: ConstraintEvaluator,
    retract: Callable[[Array, Array], Array],
    tolerance: float,
    max_iterations: int,
) -> tuple[Array, float, int]:
    """Newton's method with the least corrections; ``solve_mass`` gives ``M^-1 G^T``.

    Returns positions, the largest error there, and the number of steps: all of them if that was not enough.
    """
    for iteration in range(max_iterations + 1):
        g, evaluate_jacobian = evaluate(positions)
        size = float(np.max(np.abs(g), initial=0.0))
        if size <= tolerance or iteration == max_iterations:
            break
        G = evaluate_jacobian()
        positions = retract(positions, least_norm_correction(G, solve_mass(G), g))
    return positions, size, iteration


def retract_poses(poses: Array, step: Array) -> Array:
    """Poses ``(n, 4, 4)`` after increments ``(6 n,)``."""
    return poses @ se3.exp(step.reshape(-1, 6))
