"""Coulomb's law with its round cone, as exact as numbers allow: the yardstick of the other models.

De Saxce's change of variable makes Coulomb's law almost the optimality condition of a convex program: with
the normal velocities raised by ``mu`` times the sliding speeds s, impulses minimise

    r^T W r / 2 + r^T (u + mu s e_n)   within the friction cones,

and s are the sliding speeds that come out. Each program is one over second-order cones, solved by cvxpy;
the fixed point in s is Coulomb's law (Acary and Cadoux).
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.friction.contact_space import ContactSpace, contact_space, raise_not_converged
from rbnotes.friction.laws import residual_in

PATIENCE = 40
"""Programs in a row that need not come nearer to Coulomb's law before the iteration counts as stalled."""


def coulomb(
    problem: StepProblem,
    *,
    tolerance: float = 1e-6,
    max_programs: int = 200,
    solver: str = "CLARABEL",
    check: bool = True,
) -> StepSolution:
    """Contact with Coulomb friction in its round cone, by a fixed point over second-order cone programs.

    Friction of size ``mu a`` opposes the sliding; where nothing slides it is anything within the cone.

    Parameters
    ----------
    tolerance
        Accepted natural residual (:func:`rbnotes.friction.laws.natural_residual`). What the programs are
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
        If ``check`` and the contacts and equations contradict each other.
    FrictionNotConverged
        If ``check`` and the tolerance is not met.
    """
    arguments.instance("problem", problem, StepProblem)
    tolerance = arguments.number("tolerance", tolerance)
    max_programs = arguments.count("max_programs", max_programs, minimum=1)
    space = contact_space(problem)
    if not space.symmetric:
        raise InvalidArgument("problem", "a mass or softness that is not symmetric", "symmetric ones")
    count = space.count
    impulses: Array = np.zeros((count, 3))
    residual, programs = 0.0, 0
    if count:
        program = _ConeProgram(space, solver)
        speeds = np.zeros(count)
        residual = np.inf
        best = 0
        while programs < min(max_programs, best + PATIENCE):
            found = program.solve(speeds)
            programs += 1
            if found is None:
                break
            velocities = space.velocities(found)
            speeds = np.linalg.norm(velocities[:, 1:], axis=1)
            new = residual_in(space, found, velocities)
            # Once within the tolerance, go on as long as a program brings much: accuracy is cheap then.
            done = new > residual / 2 and residual <= tolerance
            if new < residual:
                impulses, residual, best = found, new, programs
            if done or residual <= 1e-3 * tolerance:
                break
    solution = space.solution(impulses, iterations=programs, residual=residual, method="Coulomb")
    if check and residual > tolerance:
        raise_not_converged(space, solution, tolerance)
    return solution


class _ConeProgram:
    """The convex program of one step of the fixed point, translated once."""

    def __init__(self, space: ContactSpace, solver: str) -> None:
        import cvxpy as cp  # takes longer to import than all the rest, and is of use only here

        arguments.choice("solver", solver, tuple(cp.installed_solvers()))
        self._cp, self._solver = cp, solver
        self._mu, self._free = space.mu, space.free
        # Velocities in units of the free ones, impulses of a contact in units of what stops those there.
        count, mobility = space.count, space.mobility
        self._speed = np.abs(self._free).max() or 1.0
        self._units = units = np.sqrt(np.divide(1.0, mobility, out=np.ones(count), where=mobility > 0))
        self._impulse = self._speed * units[:, None]
        self._r = cp.Variable((count, 3))
        self._linear = cp.Parameter((count, 3))
        root = _root(space.delassus * np.outer(np.repeat(units, 3), np.repeat(units, 3)))
        objective = cp.sum_squares(root @ cp.vec(self._r, order="C")) / 2 + cp.sum(
            cp.multiply(self._linear, self._r)
        )
        cones = [cp.SOC(cp.multiply(self._mu, self._r[:, 0]), self._r[:, 1:], axis=1), self._r[:, 0] >= 0]
        self._problem = cp.Problem(cp.Minimize(objective), cones)

    def solve(self, speeds: Array) -> Array | None:
        """Impulses ``(c, 3)``, or nothing if the solver finds none."""
        raised = self._free.copy()
        raised[:, 0] += self._mu * speeds
        self._linear.value = raised / self._speed * self._units[:, None]
        options: dict[str, Any] = {}
        if self._solver == "CLARABEL":
            options = {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what comes out is judged by the natural residual
            try:
                self._problem.solve(solver=self._solver, **options)
            except self._cp.SolverError:
                return None
        if self._problem.status not in (self._cp.OPTIMAL, self._cp.OPTIMAL_INACCURATE):
            return None  # unbounded: no impulse, however large, satisfies all contacts
        result: Array | None = self._impulse * np.asarray(self._r.value)
        return result


def _root(matrix: Array) -> Array:
    """R with ``R^T R`` equal to a symmetric positive semidefinite matrix, without its null space."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    kept = values > 1e-13 * max(values[-1], 1e-300)
    result: Array = np.sqrt(values[kept])[:, None] * vectors[:, kept].T
    return result
