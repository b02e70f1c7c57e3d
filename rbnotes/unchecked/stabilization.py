"""Formulas of post-stabilization for valid arrays and functions, without argument checks.

:mod:`rbnotes.constraints.stabilization` checks its arguments and calls these functions. Only the check of the
error reduction rate, which all steps share, is here.
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
"""Regularization of the rows of a projection, relative to the effect of the largest; it handles redundant
rows."""

PROJECTION_TOLERANCE = 1e-11
"""Largest joint error, rad and m, at which a projection has converged."""

MAX_NEWTON_ITERATIONS = 10
"""Largest number of Newton iterations for the joint impulses of a step; each must halve the error, or the
step is halved."""

JOINT_ERROR_TOLERANCE = 1e-9
"""Joint error at the start of a step, rad and m, above which the joints are projected at zero velocity."""

ENERGY_CHANGE_TOLERANCE = 0.02
"""Largest energy change by joints and free motion in a step, relative to the kinetic energy, before it is
halved."""

ConstraintEvaluator = Callable[[Array], tuple[Array, Callable[[], Matrix]]]
"""Function from positions to the errors ``(k,)`` and a function that returns the rows ``(k, n)``."""


def check_error_reduction_rate(gamma: float, h: float) -> float:
    """Return Baumgarte's rate for velocities, 1/s, after checking that errors do not grow in steps of size h.

    A step multiplies an error by ``1 - gamma h``, which does not shrink it from ``gamma h = 2`` on.

    Raises
    ------
    InvalidArgument
        If ``gamma`` is not in [0, 2/h].
    """
    return arguments.real_number("gamma", gamma, minimum=0.0, maximum=2 / h)


def least_norm_correction(G: Matrix, responses: Matrix, g: Array) -> Array:
    """Return the correction with ``G correction = -g`` that is least in the norm of the mass matrix.

    `responses` is ``M^-1 G^T``. A small regularization handles redundant rows.
    """
    S = G @ responses
    regularization = PROJECTION_REGULARIZATION * np.max(S.diagonal(), initial=0.0)
    if regularization == 0:  # no rows, or rows that no velocity changes
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
    """Project positions by Newton's method with least-norm corrections; ``solve_mass`` returns ``M^-1 G^T``.

    Returns the positions, their largest error, and the number of steps, ``max_iterations`` if not converged.
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
    """Return poses ``(n, 4, 4)`` after increments ``(6 n,)``."""
    return poses @ se3.exp(step.reshape(-1, 6))
