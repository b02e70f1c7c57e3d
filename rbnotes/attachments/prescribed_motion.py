"""Prescribed motion of components, and the force that it requires (Lloyd 0.21)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import BilateralRows, StepProblem, solve_step


class PrescribedMotionResult(NamedTuple):
    """Motion of a system some of whose velocities are prescribed.

    Attributes
    ----------
    velocity
        All velocities ``(n,)``, m/s or rad/s.
    bilateral_impulses
        Impulses ``(k,)`` of the equations, N s or N m s; forces, if the velocities are accelerations.
    actuation_force
        Force on the prescribed components ``(n_prescribed,)`` in addition to the applied forces, N or N m.
    """

    velocity: Array
    bilateral_impulses: Array
    actuation_force: Array


def solve_prescribed_motion(
    problem: StepProblem, prescribed_indices: ArrayLike, v_prescribed: ArrayLike
) -> PrescribedMotionResult:
    """Solve for the free velocities and for the forces that produce the prescribed ones (Lloyd 0.21).

    Eliminate attachments first, by :meth:`rbnotes.attachments.reduction.NullSpaceReduction.reduce`;
    prescribed components may be masters.

    Parameters
    ----------
    problem
        Problem of a step, or one with accelerations and forces. Only its equations apply, not its
        inequalities.
    prescribed_indices : (n_prescribed,)
        Indices of the prescribed velocities, from 0.
    v_prescribed : (n_prescribed,)
        Their values, m/s or rad/s.

    Raises
    ------
    InvalidArgument
        If an index does not exist or is repeated, or if the constraints act only on prescribed velocities.
    InconsistentConstraints
        If the constraints and the prescribed velocities contradict each other.
    """
    arguments.require_instance("problem", problem, StepProblem)
    n = problem.size
    indices = arguments.indices("prescribed_indices", prescribed_indices)
    valid = indices.ndim == 1 and (indices.size == 0 or np.issubdtype(indices.dtype, np.integer))
    if not valid or len(np.unique(indices)) < len(indices) or np.any((indices < 0) | (indices >= n)):
        raise InvalidArgument(
            "prescribed_indices",
            arguments.format_value(prescribed_indices),
            f"different indices between 0 and {n - 1}",
        )
    indices = indices.astype(int)
    v_checked = arguments.single_vector("v_prescribed", v_prescribed, len(indices))
    free_indices = np.setdiff1d(np.arange(n), indices)
    v = np.zeros(n)
    v[indices] = v_checked
    mass, rows = problem.mass, problem.bilateral
    if not len(free_indices):
        if rows.count:
            raise InvalidArgument(
                "prescribed_indices", "every velocity", "one that the constraints can change"
            )
        return PrescribedMotionResult(v, np.zeros(0), (mass @ v - problem.momentum)[indices])
    free_problem = StepProblem(
        mass[free_indices][:, free_indices],
        problem.momentum[free_indices] - mass[free_indices] @ v,
        BilateralRows(rows.rows[:, free_indices], rows.target - rows.rows @ v, rows.regularization),
    )
    solution = solve_step(free_problem)
    v[free_indices] = solution.velocity
    force = (mass @ v - rows.rows.T @ solution.bilateral - problem.momentum)[indices]
    return PrescribedMotionResult(v, solution.bilateral, force)
