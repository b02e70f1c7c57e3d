"""Coulomb's law with its round cone, as exact as numbers allow: the yardstick of the other models.

De Saxce's change of variable makes Coulomb's law almost the optimality condition of a convex program: with
the normal velocities raised by ``mu`` times the sliding speeds s, impulses minimise

    r^T W r / 2 + r^T (u + mu s e_n)   within the friction cones,

and s are the sliding speeds that come out. Each program is one over second-order cones, solved by cvxpy;
the fixed point in s is Coulomb's law (Acary and Cadoux).

Motions follow from the law, impulses need not: what two walls press on a body between them is anything, as
long as the two are equal. An interior method ends somewhere in the middle of all that will do. One more
program asks for the smallest impulses that make the same motion.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.linalg import null_space

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.friction.contact_problem import (
    FrictionContactProblem,
    friction_contact_problem,
    raise_not_converged,
)
from rbnotes.friction.residuals import _project_on_cone_unchecked, natural_residual_unchecked

MAX_STALLED_PROGRAMS = 40
"""Programs in a row that need not come nearer to Coulomb's law before the iteration counts as stalled."""

NULL_SPACE_TOLERANCE = 1e-7
"""Relative size of what impulses may change of the motion and still count as changing nothing."""


def socp_fixed_point_friction(
    problem: StepProblem,
    *,
    tolerance: float = 1e-6,
    max_programs: int = 200,
    solver: str = "CLARABEL",
    raise_on_failure: bool = True,
) -> StepSolution:
    """Contact with Coulomb friction in its round cone, by a fixed point over second-order cone programs.

    Friction of size ``mu a`` opposes the sliding; where nothing slides it is anything within the cone. Where
    contacts press against each other, of all impulses with this motion those are returned whose sum of
    squares is the least.

    Parameters
    ----------
    tolerance
        Accepted natural residual (:func:`rbnotes.friction.residuals.natural_residual`). What the programs are
        solved to allows about 1e-7.
    max_programs
        Programs to solve at most. That the fixed point is reached is not certain, and for large ``mu`` not
        even that there is one.
    solver
        One of cvxpy's that handles second-order cones.
    check
        Raise an error if the tolerance is not met; otherwise look at ``residual`` yourself.

    Returns
    -------
    StepSolution
        ``iterations`` counts the programs.

    Raises
    ------
    InvalidArgument
        If the mass matrix or a softness is not symmetric.
    Unsolved
        If ``raise_on_failure`` and the contacts and equations contradict each other.
    FrictionNotConverged
        If ``raise_on_failure`` and the tolerance is not met.
    """
    arguments.require_instance("problem", problem, StepProblem)
    tolerance = arguments.positive_number("tolerance", tolerance)
    max_programs = arguments.count("max_programs", max_programs, minimum=1)
    contact_problem = friction_contact_problem(problem)
    if not contact_problem.is_symmetric:
        raise InvalidArgument("problem", "a mass or softness that is not symmetric", "symmetric ones")
    impulses: Array = np.zeros((contact_problem.count, 3))
    residual, programs = (
        natural_residual_unchecked(
            contact_problem, impulses, contact_problem.velocities_from_impulses(impulses)
        )
        if contact_problem.count
        else 0.0,
        0,
    )
    if residual:  # else all is well without impulses
        program = _ConeProgram(contact_problem, solver)
        initial_sliding_speeds = [np.zeros(contact_problem.count)]
        if program.has_null_space and program.has_self_stress():
            # Friction that contacts press against each other for, although nothing presses them, satisfies
            # the law as well. It is not found from where sliding costs as much as it can.
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
                    impulses, residual = smaller, candidate_residual
    solution = contact_problem.step_solution(
        impulses, iterations=programs, residual=residual, method="Coulomb"
    )
    if raise_on_failure and not residual <= tolerance:
        raise_not_converged(contact_problem, solution, tolerance)
    return solution


def _iterate_fixed_point(
    program: _ConeProgram,
    contact_problem: FrictionContactProblem,
    speeds: Array,
    tolerance: float,
    max_programs: int,
) -> tuple[Array, float, int]:
    """The best impulses ``(c, 3)`` from these sliding speeds on, their residual, and the programs solved."""
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
        # Once within the tolerance, go on as long as a program brings much: accuracy is cheap then.
        done = candidate_residual > residual / 2 and residual <= tolerance
        if candidate_residual < residual:
            impulses, residual, best_program = candidate, candidate_residual, programs
        if done or residual <= 1e-3 * tolerance:
            break
    return impulses, residual, programs


class _ConeProgram:
    """The convex program of one step of the fixed point, translated once."""

    def __init__(self, space: FrictionContactProblem, solver: str) -> None:
        import cvxpy as cp  # takes longer to import than all the rest, and is of use only here

        arguments.choice("solver", solver, tuple(cp.installed_solvers()))
        self._cp, self._solver = cp, solver
        self._mu, self._free = space.mu, space.free_contact_velocities
        # Velocities in units of the free ones, impulses of a contact in units of what stops those there.
        count, mobility = space.count, space.mobility
        self._speed = np.abs(self._free).max() or 1.0
        self._units = units = np.sqrt(np.divide(1.0, mobility, out=np.ones(count), where=mobility > 0))
        self._impulse = self._speed * units[:, None]
        self._r = cp.Variable((count, 3))
        self._linear = cp.Parameter((count, 3))
        self._square_root = root = _square_root_factor(
            space.delassus_matrix * np.outer(np.repeat(units, 3), np.repeat(units, 3))
        )
        objective = cp.sum_squares(root @ cp.vec(self._r, order="C")) / 2 + cp.sum(
            cp.multiply(self._linear, self._r)
        )
        self._problem = cp.Problem(cp.Minimize(objective), self._cone_constraints(self._r))

    @property
    def has_null_space(self) -> bool:
        """Whether there are impulses that move nothing."""
        rows, columns = self._square_root.shape
        return bool(rows < columns)

    def has_self_stress(self) -> bool:
        """Whether contacts can press against each other without moving anything.

        Not if a motion leaves them all, each within the dual of its cone: such as that by equal impulses.
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
        """Impulses ``(c, 3)``, or nothing if the solver finds none."""
        self._linear.value = self._linear_term(speeds)
        if not self._solve_program(self._problem):
            return None  # unbounded: no impulse, however large, satisfies all contacts
        result: Array | None = self._impulse * np.asarray(self._r.value)
        return result

    def least_norm_impulses(self, impulses: Array, speeds: Array) -> Array | None:
        """The smallest impulses ``(c, 3)`` that move the same and cost the program as much, if found."""
        cp, size = self._cp, np.abs(impulses).max()
        flat = (_project_on_cone_unchecked(impulses, self._mu) / self._impulse).ravel()
        frictionless_rows = np.eye(flat.size)[np.repeat(self._mu == 0, 3) & (np.arange(flat.size) % 3 > 0)]
        null_basis = null_space(
            np.vstack([self._square_root, self._linear_term(speeds).ravel(), frictionless_rows]),
            rcond=NULL_SPACE_TOLERANCE,
        )
        if not null_basis.shape[1] or not size:
            return None
        weights = np.repeat(self._impulse / size, 3)
        nearest = np.linalg.lstsq(weights[:, None] * null_basis, -weights * flat)[0]
        found = self._impulse * (flat + null_basis @ nearest).reshape(-1, 3)
        if np.all(np.linalg.norm(found[:, 1:], axis=1) <= self._mu * found[:, 0]):
            least_squares_impulses: Array = found
            return least_squares_impulses  # the cones have no say
        steps = cp.Variable(null_basis.shape[1])
        r = cp.reshape(flat + null_basis @ steps, impulses.shape, order="C")
        smallest = cp.sum_squares(cp.multiply(weights.reshape(-1, 3), r))
        if not self._solve_program(cp.Problem(cp.Minimize(smallest), self._cone_constraints(r))):
            return None
        found = self._impulse * (flat + null_basis @ np.asarray(steps.value)).reshape(-1, 3)
        return _project_on_cone_unchecked(found, self._mu)

    def _linear_term(self, speeds: Array) -> Array:
        """The linear part of the program ``(c, 3)``."""
        raised_velocities = self._free.copy()
        raised_velocities[:, 0] += self._mu * speeds
        result: Array = raised_velocities / self._speed * self._units[:, None]
        return result

    def _solve_program(self, problem: Any) -> bool:
        options: dict[str, Any] = {}
        if self._solver == "CLARABEL":
            options = {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what comes out is judged by the natural residual
            try:
                problem.solve(solver=self._solver, **options)
            except self._cp.SolverError:
                return False
        return bool(problem.status in (self._cp.OPTIMAL, self._cp.OPTIMAL_INACCURATE))


def _square_root_factor(matrix: Array) -> Array:
    """R with ``R^T R`` equal to a symmetric positive semidefinite matrix, without its null space."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    is_positive = values > 1e-13 * max(values[-1], 1e-300)
    result: Array = np.sqrt(values[is_positive])[:, None] * vectors[:, is_positive].T
    return result
