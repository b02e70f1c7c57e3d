"""Coulomb's law by a fixed point over second-order cone programs: the reference for the other models.

With de Saxce's change of variable, Coulomb's law is almost the optimality condition of a convex program. With
the normal velocities raised by ``mu`` times the sliding speeds s, the impulses minimize

    r^T W r / 2 + r^T (u + mu s e_n)   within the friction cones,

and s are the resulting sliding speeds. cvxpy solves each second-order cone program; the fixed point in s is
Coulomb's law (Acary and Cadoux).

The law determines the motion but not always the impulses: two walls may press a body between them with any
pair of equal impulses. An interior-point method returns some point of the solution set. One more program
finds the smallest impulses that make the same motion.

The programs are accurate to about 1e-7. Newton's method (:mod:`rbnotes.friction.semismooth_newton`) refines
their result where the tolerance is smaller.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.linalg import null_space

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity.residuals import max_or_nan
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.friction.contact_problem import (
    FrictionContactProblem,
    friction_contact_problem,
    limited_coefficients,
    raise_not_converged,
)
from rbnotes.friction.residuals import (
    natural_residual_unchecked,
    project_on_cone_unchecked,
    rounding_residual,
)
from rbnotes.friction.semismooth_newton import TOLERANCE, newton_search

PROGRAM_TOLERANCE = 1e-6
"""Residual at which the programs end; their accuracy allows about 1e-7."""

MAX_NEWTON_STEPS = 20
"""Largest number of Newton steps that refine the result of the programs."""

MAX_STALLED_PROGRAMS = 40
"""Number of consecutive programs without a smaller residual after which the iteration counts as stalled."""

SEARCHED_COEFFICIENTS = (1e2, 1e4)
"""Coefficients of friction to which searches are limited at first: programs with larger ones lose digits."""

NULL_SPACE_TOLERANCE = 1e-7
"""Relative change of the motion below which impulses count as part of the null space."""


def socp_fixed_point_friction(
    problem: StepProblem,
    *,
    tolerance: float = TOLERANCE,
    max_programs: int = 200,
    solver: str = "cvxpy",
    raise_on_failure: bool = True,
) -> StepSolution:
    """Solve a step with Coulomb friction by a fixed point over second-order cone programs.

    Friction of size ``mu a`` opposes the sliding; a sticking contact has any impulse within the cone. If the
    impulses are not unique, those with the least sum of squares are returned.

    Parameters
    ----------
    tolerance
        Accepted natural residual, dimensionless (:func:`rbnotes.friction.residuals.natural_residual`). The
        programs end at 1e-6; Newton's method refines their result to a smaller tolerance.
    max_programs
        Largest number of programs of each search. Convergence is not guaranteed; for large ``mu`` a fixed
        point need not exist.
    solver : {"cvxpy"}
        Solver of the programs; the package has none of its own for second-order cones.
    raise_on_failure
        If True, raise an error if the tolerance is not reached; otherwise check ``residual``.

    Returns
    -------
    StepSolution
        Solution; ``iterations`` is the number of programs.

    Raises
    ------
    InvalidArgument
        If the mass matrix or a regularization is not symmetric, or ``solver`` is not "cvxpy".
    NotSolved
        If ``raise_on_failure`` and the contacts and equations contradict each other.
    FrictionNotConverged
        If ``raise_on_failure`` and the tolerance is not reached.
    """
    arguments.require_instance("problem", problem, StepProblem)
    tolerance = arguments.positive_number("tolerance", tolerance)
    max_programs = arguments.count("max_programs", max_programs, minimum=1)
    arguments.choice("solver", solver, ("cvxpy",))
    contact_problem = friction_contact_problem(problem)
    if not contact_problem.is_symmetric:
        raise InvalidArgument("problem", "a mass or regularization that is not symmetric", "symmetric ones")
    impulses: Array = np.zeros((contact_problem.count, 3))
    residual, programs = _law_residual(contact_problem, impulses), 0
    program_tolerance = max(tolerance, PROGRAM_TOLERANCE)
    for mu in limited_coefficients(contact_problem.mu, *SEARCHED_COEFFICIENTS):
        if residual <= (program_tolerance if programs else 0.0):
            break
        candidate, steps = _search(replace(contact_problem, mu=mu), program_tolerance, max_programs)
        programs += steps
        candidate_residual = _law_residual(contact_problem, candidate)
        if candidate_residual < residual:
            impulses, residual = candidate, candidate_residual
    if tolerance < residual <= program_tolerance:
        refined, _, _ = newton_search(contact_problem, impulses, tolerance, MAX_NEWTON_STEPS)
        refined_residual = _law_residual(contact_problem, refined)
        if refined_residual < residual:
            impulses, residual = refined, refined_residual
    solution = contact_problem.step_solution(
        impulses, iterations=programs, residual=residual, method="Coulomb"
    )
    if raise_on_failure and not residual <= tolerance:
        raise_not_converged(contact_problem, solution, tolerance)
    return solution


def _law_residual(contact_problem: FrictionContactProblem, impulses: Array) -> float:
    velocities = contact_problem.velocities_from_impulses(impulses)
    return max_or_nan(
        natural_residual_unchecked(contact_problem, impulses, velocities),
        rounding_residual(contact_problem, impulses),
        contact_problem.sticking_residual(impulses),
    )


def _search(
    contact_problem: FrictionContactProblem, tolerance: float, max_programs: int
) -> tuple[Array, int]:
    """Return the best impulses ``(c, 3)`` of all fixed-point iterations, and the number of programs."""
    impulses: Array = np.zeros((contact_problem.count, 3))
    residual, programs = np.inf, 0
    program = _ConeProgram(contact_problem)
    initial_sliding_speeds = [np.zeros(contact_problem.count)]
    if program.has_null_space and program.has_self_stress():
        # Self-stress without an external load, with its friction, satisfies the law as well.
        # It is avoided by a start at the largest sliding speeds.
        initial_sliding_speeds.insert(
            0, np.linalg.norm(contact_problem.free_contact_velocities[:, 1:], axis=1)
        )
    while initial_sliding_speeds and residual > tolerance and programs < max_programs:
        candidate, candidate_residual, programs_used = _iterate_fixed_point(
            program,
            contact_problem,
            initial_sliding_speeds.pop(0),
            tolerance,
            (max_programs - programs) // (1 + len(initial_sliding_speeds)),
        )
        programs += programs_used
        if candidate_residual < residual:
            impulses, residual = candidate, candidate_residual
    if residual <= tolerance and program.has_null_space:
        smaller = program.least_norm_impulses(
            impulses, np.linalg.norm(contact_problem.velocities_from_impulses(impulses)[:, 1:], axis=1)
        )
        if smaller is not None and np.linalg.norm(smaller) < np.linalg.norm(impulses):
            candidate_residual = natural_residual_unchecked(
                contact_problem, smaller, contact_problem.velocities_from_impulses(smaller)
            )
            if candidate_residual <= tolerance:
                impulses = smaller
    return impulses, programs


def _iterate_fixed_point(
    program: _ConeProgram,
    contact_problem: FrictionContactProblem,
    speeds: Array,
    tolerance: float,
    max_programs: int,
) -> tuple[Array, float, int]:
    """Return the best impulses ``(c, 3)``, their residual, and the number of programs."""
    impulses: Array = np.zeros((contact_problem.count, 3))
    residual, programs, best_program = np.inf, 0, 0
    while programs < min(max_programs, best_program + MAX_STALLED_PROGRAMS):
        candidate = program.solve(speeds)
        programs += 1
        if candidate is None:
            break
        velocities = contact_problem.velocities_from_impulses(candidate)
        speeds = np.linalg.norm(velocities[:, 1:], axis=1)
        candidate_residual = natural_residual_unchecked(contact_problem, candidate, velocities)
        # Continue within the tolerance while a program reduces the residual much: accuracy is cheap then.
        done = candidate_residual > residual / 2 and residual <= tolerance
        if candidate_residual < residual:
            impulses, residual, best_program = candidate, candidate_residual, programs
        if done or residual <= 1e-3 * tolerance:
            break
    return impulses, residual, programs


class _ConeProgram:
    """Convex program of one iteration of the fixed point, compiled once."""

    def __init__(self, contact_problem: FrictionContactProblem) -> None:
        import cvxpy as cp  # slow to import and needed only here

        self._cp = cp
        self._mu, self._free = contact_problem.mu, contact_problem.free_contact_velocities
        # Units: velocities of the free motion, and the impulses that stop them at each contact.
        count, mobility = contact_problem.count, contact_problem.mobility
        self._speed = np.abs(self._free).max() or 1.0
        self._units = units = np.sqrt(np.divide(1.0, mobility, out=np.ones(count), where=mobility > 0))
        self._impulse = self._speed * units[:, None]
        self._r = cp.Variable((count, 3))
        self._linear = cp.Parameter((count, 3))
        self._square_root = root = _square_root_factor(
            contact_problem.delassus_matrix * np.outer(np.repeat(units, 3), np.repeat(units, 3))
        )
        objective = cp.sum_squares(root @ cp.vec(self._r, order="C")) / 2 + cp.sum(
            cp.multiply(self._linear, self._r)
        )
        self._problem = cp.Problem(cp.Minimize(objective), self._cone_constraints(self._r))

    @property
    def has_null_space(self) -> bool:
        """True if there are impulses that do not change the motion."""
        rows, columns = self._square_root.shape
        return bool(rows < columns)

    def has_self_stress(self) -> bool:
        """Return True if contacts can press against each other without moving anything.

        They cannot if some motion, such as that by equal impulses, separates them all.
        """
        separation = (
            self._square_root.T @ (self._square_root @ np.tile([1.0, 0, 0], len(self._mu)))
        ).reshape(-1, 3)
        if np.all(separation[:, 0] > self._mu * np.linalg.norm(separation[:, 1:], axis=1) + 1e-9):
            return False
        r = self._cp.Variable((len(self._mu), 3))
        motion = self._cp.sum_squares(self._square_root @ self._cp.vec(r, order="C"))
        unit = self._cp.sum(r[:, 0]) == 1
        program = self._cp.Problem(self._cp.Minimize(motion), [*self._cone_constraints(r), unit])
        return self._solve_program(program) and bool(motion.value < 1e-10)

    def _cone_constraints(self, r: Any) -> list[Any]:
        return [self._cp.SOC(self._cp.multiply(self._mu, r[:, 0]), r[:, 1:], axis=1), r[:, 0] >= 0]

    def solve(self, speeds: Array) -> Array | None:
        """Return the impulses ``(c, 3)``, or None if the solver fails."""
        self._linear.value = self._linear_term(speeds)
        if not self._solve_program(self._problem):
            return None  # unbounded: no impulse satisfies all contacts
        result: Array | None = self._impulse * np.asarray(self._r.value)
        return result

    def least_norm_impulses(self, impulses: Array, speeds: Array) -> Array | None:
        """Return the least-norm impulses ``(c, 3)`` with the same motion and objective, or None."""
        cp, size = self._cp, np.abs(impulses).max()
        flat = (project_on_cone_unchecked(impulses, self._mu) / self._impulse).ravel()
        frictionless_rows = np.eye(flat.size)[np.repeat(self._mu == 0, 3) & (np.arange(flat.size) % 3 > 0)]
        null_basis = null_space(
            np.vstack([self._square_root, self._linear_term(speeds).ravel(), frictionless_rows]),
            rcond=NULL_SPACE_TOLERANCE,
        )
        if not null_basis.shape[1] or not size:
            return None
        weights = np.repeat(self._impulse / size, 3)
        nearest = np.linalg.lstsq(weights[:, None] * null_basis, -weights * flat)[0]
        shortest = self._impulse * (flat + null_basis @ nearest).reshape(-1, 3)
        if np.all(np.linalg.norm(shortest[:, 1:], axis=1) <= self._mu * shortest[:, 0]):
            least_squares_impulses: Array = shortest
            return least_squares_impulses  # the cones are inactive
        steps = cp.Variable(null_basis.shape[1])
        r = cp.reshape(flat + null_basis @ steps, impulses.shape, order="C")
        smallest = cp.sum_squares(cp.multiply(weights.reshape(-1, 3), r))
        if not self._solve_program(cp.Problem(cp.Minimize(smallest), self._cone_constraints(r))):
            return None
        shortest = self._impulse * (flat + null_basis @ np.asarray(steps.value)).reshape(-1, 3)
        return project_on_cone_unchecked(shortest, self._mu)

    def _linear_term(self, speeds: Array) -> Array:
        """Return the linear term of the objective ``(c, 3)``."""
        raised_velocities = self._free.copy()
        raised_velocities[:, 0] += self._mu * speeds
        result: Array = raised_velocities / self._speed * self._units[:, None]
        return result

    def _solve_program(self, problem: Any) -> bool:
        options = {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the natural residual judges the result
            try:
                problem.solve(solver="CLARABEL", **options)
            except self._cp.SolverError:
                return False
        return bool(problem.status in (self._cp.OPTIMAL, self._cp.OPTIMAL_INACCURATE))


def _square_root_factor(matrix: Array) -> Array:
    """Return R with ``R^T R`` equal to a symmetric positive semidefinite matrix, without its null space."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    is_positive = values > 1e-13 * max(values[-1], 1e-300)
    result: Array = np.sqrt(values[is_positive])[:, None] * vectors[:, is_positive].T
    return result
