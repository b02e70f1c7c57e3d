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
from rbnotes.friction.contact_space import ContactSpace, contact_space, raise_not_converged
from rbnotes.friction.laws import _project_on_cone, residual_in

PATIENCE = 40
"""Programs in a row that need not come nearer to Coulomb's law before the iteration counts as stalled."""

SAME_MOTION = 1e-7
"""Relative size of what impulses may change of the motion and still count as changing nothing."""


def coulomb(
    problem: StepProblem,
    *,
    tolerance: float = 1e-6,
    max_programs: int = 200,
    solver: str = "CLARABEL",
    check: bool = True,
) -> StepSolution:
    """Contact with Coulomb friction in its round cone, by a fixed point over second-order cone programs.

    Friction of size ``mu a`` opposes the sliding; where nothing slides it is anything within the cone. Where
    contacts press against each other, of all impulses with this motion those are returned whose sum of
    squares is the least.

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
    impulses: Array = np.zeros((space.count, 3))
    residual, programs = residual_in(space, impulses, space.velocities(impulses)) if space.count else 0.0, 0
    if residual:  # else all is well without impulses
        program = _ConeProgram(space, solver)
        starts = [np.zeros(space.count)]
        if program.undetermined and program.can_press():
            # Friction that contacts press against each other for, although nothing presses them, satisfies
            # the law as well. It is not found from where sliding costs as much as it can.
            starts.insert(0, np.linalg.norm(space.free[:, 1:], axis=1))
        while starts and residual > tolerance and programs < max_programs:
            found, new, taken = _fixed_point(
                program, space, starts.pop(0), tolerance, (max_programs - programs) // (1 + len(starts))
            )
            programs += taken
            if new < residual:
                impulses, residual = found, new
        if residual <= tolerance and program.undetermined:
            smaller = program.least(impulses, np.linalg.norm(space.velocities(impulses)[:, 1:], axis=1))
            if smaller is not None and np.linalg.norm(smaller) < np.linalg.norm(impulses):
                new = residual_in(space, smaller, space.velocities(smaller))
                if new <= tolerance:
                    impulses, residual = smaller, new
    solution = space.solution(impulses, iterations=programs, residual=residual, method="Coulomb")
    if check and not residual <= tolerance:
        raise_not_converged(space, solution, tolerance)
    return solution


def _fixed_point(
    program: _ConeProgram, space: ContactSpace, speeds: Array, tolerance: float, most: int
) -> tuple[Array, float, int]:
    """The best impulses ``(c, 3)`` from these sliding speeds on, their residual, and the programs solved."""
    impulses: Array = np.zeros((space.count, 3))
    residual, programs, best = np.inf, 0, 0
    while programs < min(most, best + PATIENCE):
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
    return impulses, residual, programs


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
        self._root = root = _root(space.delassus * np.outer(np.repeat(units, 3), np.repeat(units, 3)))
        objective = cp.sum_squares(root @ cp.vec(self._r, order="C")) / 2 + cp.sum(
            cp.multiply(self._linear, self._r)
        )
        self._problem = cp.Problem(cp.Minimize(objective), self._within_cones(self._r))

    @property
    def undetermined(self) -> bool:
        """Whether there are impulses that move nothing."""
        rows, columns = self._root.shape
        return bool(rows < columns)

    def can_press(self) -> bool:
        """Whether contacts can press against each other without moving anything.

        Not if a motion leaves them all, each within the dual of its cone: such as that by equal impulses.
        """
        apart = (self._root.T @ (self._root @ np.tile([1.0, 0, 0], len(self._mu)))).reshape(-1, 3)
        if np.all(apart[:, 0] > self._mu * np.linalg.norm(apart[:, 1:], axis=1) + 1e-9):
            return False
        r = self._cp.Variable((len(self._mu), 3))
        moved = self._cp.sum_squares(self._root @ self._cp.vec(r, order="C"))
        unit = self._cp.sum(r[:, 0]) == 1
        whole = self._cp.Problem(self._cp.Minimize(moved), [*self._within_cones(r), unit])
        return self._solved(whole) and bool(moved.value < 1e-10)

    def _within_cones(self, r: Any) -> list[Any]:
        return [self._cp.SOC(self._cp.multiply(self._mu, r[:, 0]), r[:, 1:], axis=1), r[:, 0] >= 0]

    def solve(self, speeds: Array) -> Array | None:
        """Impulses ``(c, 3)``, or nothing if the solver finds none."""
        self._linear.value = self._pulled(speeds)
        if not self._solved(self._problem):
            return None  # unbounded: no impulse, however large, satisfies all contacts
        result: Array | None = self._impulse * np.asarray(self._r.value)
        return result

    def least(self, impulses: Array, speeds: Array) -> Array | None:
        """The smallest impulses ``(c, 3)`` that move the same and cost the program as much, if found."""
        cp, size = self._cp, np.abs(impulses).max()
        flat = (_project_on_cone(impulses, self._mu) / self._impulse).ravel()
        slippery = np.eye(flat.size)[np.repeat(self._mu == 0, 3) & (np.arange(flat.size) % 3 > 0)]
        free = null_space(np.vstack([self._root, self._pulled(speeds).ravel(), slippery]), rcond=SAME_MOTION)
        if not free.shape[1] or not size:
            return None
        weights = np.repeat(self._impulse / size, 3)
        nearest = np.linalg.lstsq(weights[:, None] * free, -weights * flat)[0]
        found = self._impulse * (flat + free @ nearest).reshape(-1, 3)
        if np.all(np.linalg.norm(found[:, 1:], axis=1) <= self._mu * found[:, 0]):
            least: Array = found
            return least  # the cones have no say
        steps = cp.Variable(free.shape[1])
        r = cp.reshape(flat + free @ steps, impulses.shape, order="C")
        smallest = cp.sum_squares(cp.multiply(weights.reshape(-1, 3), r))
        if not self._solved(cp.Problem(cp.Minimize(smallest), self._within_cones(r))):
            return None
        found = self._impulse * (flat + free @ np.asarray(steps.value)).reshape(-1, 3)
        return _project_on_cone(found, self._mu)

    def _pulled(self, speeds: Array) -> Array:
        """The linear part of the program ``(c, 3)``."""
        raised = self._free.copy()
        raised[:, 0] += self._mu * speeds
        result: Array = raised / self._speed * self._units[:, None]
        return result

    def _solved(self, problem: Any) -> bool:
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


def _root(matrix: Array) -> Array:
    """R with ``R^T R`` equal to a symmetric positive semidefinite matrix, without its null space."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    kept = values > 1e-13 * max(values[-1], 1e-300)
    result: Array = np.sqrt(values[kept])[:, None] * vectors[:, kept].T
    return result
