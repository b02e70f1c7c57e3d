"""A step problem as its contacts see it: what all friction models start from.

The motion is eliminated. What is left are the impulses p of the contacts and their velocities,

    u = W p + free,

normal and tangential, three of each a contact, with the equations of the problem kept to. Inequalities
without friction are contacts here that have no tangents; where they are soft, the softness is part of W.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from rbnotes import arguments
from rbnotes.arguments import Array, Matrix
from rbnotes.complementarity import LCP, solve_lcp
from rbnotes.constraints import KKT
from rbnotes.contact import Contacts, PairRows
from rbnotes.dynamics import StepProblem, StepSolution, factor_step
from rbnotes.errors import NotConverged
from rbnotes.friction.endings import on_its_way

HELD = 1e-13
"""Mobility along a row, relative to that without the equations, up to which they hold it fast."""

BATCH = 256
"""Columns of the Delassus matrix that are found at once, each of which takes as many numbers as v has."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Responses:
    """Velocities of c contacts as a function of their impulses, and how they rub: all that friction asks."""

    delassus: Array
    """``W (3 c, 3 c)``: contact velocities per contact impulse, 1/kg, with the equations kept to.

    Zero in the rows and columns of directions that the equations hold fast."""
    free: Array
    """Contact velocities ``(c, 3)`` without contact impulses, m/s: normal ones above their targets,
    tangential ones."""
    mu: Array
    """Coefficients of friction ``(c,)``, without unit."""

    @property
    def count(self) -> int:
        """Number of contacts c."""
        return len(self.free)

    @property
    def blocks(self) -> Array:
        """Diagonal blocks ``(c, 3, 3)`` of the Delassus matrix: each contact's answer to its own impulse."""
        result: Array = np.einsum("iaib->iab", self.delassus.reshape(self.count, 3, self.count, 3))
        return result

    @cached_property
    def mobility(self) -> Array:
        """Velocity per impulse of each contact, the mean over its directions ``(c,)``, 1/kg."""
        result: Array = np.diagonal(self.delassus).reshape(-1, 3).sum(axis=1) / 3
        return result

    def velocities(self, impulses: Array) -> Array:
        """Contact velocities ``(c, 3)`` under contact impulses ``(c, 3)``."""
        return self.free + (self.delassus @ impulses.ravel()).reshape(-1, 3)

    def islands(self) -> list[tuple[NDArray[np.intp], Responses]]:
        """Sets of contacts that do not answer each other's impulses: their numbers, and each by itself."""
        answers = (self.delassus != 0).reshape(self.count, 3, 3 * self.count).any(axis=1)
        touched = answers.reshape(self.count, self.count, 3).any(axis=2)
        number, island = connected_components(touched, directed=False)
        if number <= 1:
            return [(np.arange(self.count), self)] if number else []
        parts = []
        for each in range(number):
            which = np.flatnonzero(island == each)
            rows = (3 * which[:, None] + np.arange(3)).ravel()
            part = Responses(
                delassus=self.delassus[np.ix_(rows, rows)], free=self.free[which], mu=self.mu[which]
            )
            parts.append((which, part))
        return parts


@dataclass(frozen=True, eq=False, kw_only=True)
class ContactSpace(Responses):
    """Contact velocities as a function of contact impulses; made by :func:`contact_space`."""

    problem: StepProblem
    """The step: its masses, momentum, equations and contacts."""
    contacts: Contacts
    """The c contacts of the problem, and after them its inequalities."""
    rows: Matrix
    """Their rows as a matrix ``(3 c, n)``, without unit for particles, dense or sparse as the mass matrix
    is."""
    kkt: KKT
    """The factored system of the masses and the equations, soft ones included."""
    free_velocity: Array
    """Velocities ``(n,)`` without contact impulses, m/s and rad/s."""
    symmetric: bool
    """Whether W is: then the impulses of some models minimise something."""

    @property
    def with_friction(self) -> int:
        """How many of the contacts are contacts, and not inequalities."""
        return self.count - self.problem.unilateral.count

    def velocities_of(self, solution: StepSolution) -> Array:
        """Contact velocities ``(c, 3)`` of a solution, normal ones above their targets.

        Raises InvalidArgument if ``solution`` is no ``StepSolution``.
        """
        arguments.instance("solution", solution, StepSolution)
        velocities = _relative(
            self.rows, self.contacts, arguments.vector("v", solution.velocity, self.problem.size)
        )
        velocities[self.with_friction :, 0] += _softness(self.problem) @ solution.unilateral
        return velocities

    def move(self, impulses: Array) -> tuple[Array, Array]:
        """Velocities ``(n,)`` and impulses ``(m,)`` of the equations under contact impulses ``(c, 3)``."""
        momentum = self.problem.momentum + self.rows.T @ impulses.ravel()
        return self.kkt.solver(momentum, self.problem.bilateral.target)

    def solution(self, impulses: Array, *, iterations: int, residual: float, method: str) -> StepSolution:
        """The solution of the problem with these contact impulses ``(c, 3)``."""
        velocity, bilateral = self.move(impulses)
        return StepSolution(
            velocity,
            bilateral,
            unilateral=impulses[self.with_friction :, 0].copy(),
            normal=impulses[: self.with_friction, 0].copy(),
            tangential=impulses[: self.with_friction, 1:].copy(),
            iterations=iterations,
            residual=residual,
            method=method,
        )

    def impulses_of(self, solution: StepSolution) -> Array:
        """The contact impulses ``(c, 3)`` of a solution.

        Raises InvalidArgument if ``solution`` is no ``StepSolution``.
        """
        arguments.instance("solution", solution, StepSolution)
        frictionless = np.zeros((len(solution.unilateral), 3))
        frictionless[:, 0] = solution.unilateral
        return np.concatenate([solution.contact_impulses, frictionless])


class FrictionNotConverged(NotConverged):
    """A friction model did not get to its tolerance; ``solution`` holds how far it came."""

    solution: StepSolution

    def __init__(self, solution: StepSolution, tolerance: float) -> None:
        super().__init__(
            f"{solution.method}: residual {solution.residual:.2g} after {solution.iterations} iterations, "
            f"expected at most {tolerance:.2g}",
            solution,
            solution.residual,
        )


def contact_space(problem: StepProblem) -> ContactSpace:
    """Reduce a problem to its contacts.

    Raises
    ------
    InvalidArgument
        If ``problem`` is no ``StepProblem``.
    SingularConfiguration
        If the mass matrix is singular, or symmetric but not positive definite.
    """
    arguments.instance("problem", problem, StepProblem)
    contacts = _all_contacts(problem)
    kkt = factor_step(problem)
    free_velocity = kkt.solver(problem.momentum, problem.bilateral.target)[0]

    rows = _matrix_like(problem.mass, contacts.rows)
    W = _delassus(problem, contacts, rows, kkt)
    held = np.abs(np.diagonal(W)) <= HELD * _mobility_without_equations(rows, problem.mass)
    W[held], W[:, held] = 0.0, 0.0
    if problem.unilateral.soft:
        pairs = 3 * np.arange(contacts.count - problem.unilateral.count, contacts.count)
        W[np.ix_(pairs, pairs)] += _softness(problem)
    symmetric = problem.symmetric and all(
        each.softness.ndim == 1 or np.array_equal(each.softness, each.softness.T)
        for each in (problem.bilateral, problem.unilateral)
    )
    if symmetric:
        W = (W + W.T) / 2

    # Velocities along held directions are what the equations leave of them: nothing, but for rounding.
    # Its size is that of the velocities there were without equations.
    free = _relative(rows, contacts, free_velocity)
    unheld = np.abs(problem.momentum) / np.abs(problem.mass.diagonal())
    terms = (abs(rows) @ (np.abs(free_velocity) + unheld)).reshape(-1, 3)
    rounding = 1e-12 * (terms + np.abs(free))
    free = np.where(held.reshape(-1, 3) & (np.abs(free) <= rounding), 0.0, free)
    return ContactSpace(
        delassus=W,
        free=free,
        mu=contacts.mu,
        problem=problem,
        contacts=contacts,
        rows=rows,
        kkt=kkt,
        free_velocity=free_velocity,
        symmetric=symmetric,
    )


def raise_not_converged(space: ContactSpace, solution: StepSolution, tolerance: float) -> NoReturn:
    """Say why a model did not get to its tolerance.

    Raises
    ------
    Unsolved
        If even without friction no velocity satisfies all contacts and equations.
    FrictionNotConverged
        Otherwise.
    """
    without = solve_lcp(LCP(space.delassus[::3, ::3], space.free[:, 0]), check=False)
    on_its_way(without)
    raise FrictionNotConverged(solution, tolerance)


def _all_contacts(problem: StepProblem) -> Contacts:
    """The contacts, then the inequalities as contacts without tangents."""
    given, inequalities = problem.contacts, problem.unilateral
    if given is None:
        contacts = Contacts(np.zeros((0, problem.size)), 0.0)
    elif isinstance(given, Contacts):
        contacts = given
    else:
        contacts = Contacts(given.rows, given.mu, given.normal_target)
    if not inequalities.count:
        return contacts
    without_tangents = sparse.kron(sparse.csr_array(inequalities.rows), [[1.0], [0.0], [0.0]])
    return Contacts(
        sparse.vstack([sparse.csr_array(contacts.matrix), without_tangents], format="csr"),
        np.concatenate([contacts.mu, np.zeros(inequalities.count)]),
        np.concatenate([contacts.normal_target, inequalities.target]),
    )


def _matrix_like(mass: Matrix, rows: PairRows | Matrix) -> Matrix:
    """The rows, dense or sparse as the mass matrix is."""
    if sparse.issparse(mass):
        return rows.matrix if isinstance(rows, PairRows) else sparse.csr_array(rows)
    return rows.toarray() if isinstance(rows, PairRows) or sparse.issparse(rows) else rows


def _delassus(problem: StepProblem, contacts: Contacts, rows: Matrix, kkt: KKT) -> Array:
    """W; body by body where many bodies answer one by one, else by solving for its columns."""
    if not sparse.issparse(rows):
        result: Array = rows @ kkt.solver(rows.T, np.zeros((problem.bilateral.count, len(rows))))[0]
        return result
    if isinstance(contacts.rows, PairRows) and not problem.bilateral.count:
        inertias = _body_blocks(problem.mass)
        if inertias is not None:
            result = contacts.rows.delassus(np.linalg.inv(inertias)).toarray()
            return result
    W = np.empty((rows.shape[0], rows.shape[0]))
    for start in range(0, len(W), BATCH):
        columns = slice(start, start + BATCH)
        pushes = rows[columns].toarray().T
        W[:, columns] = rows @ kkt.solver(pushes, np.zeros((problem.bilateral.count, pushes.shape[1])))[0]
    return W


def _body_blocks(mass: Matrix) -> Array | None:
    """The diagonal blocks ``(n, 6, 6)`` of a sparse mass matrix that has no others, else nothing."""
    entries = sparse.coo_array(mass)
    row, column = entries.coords
    if np.any(row // 6 != column // 6):
        return None
    blocks = np.zeros((mass.shape[0] // 6, 6, 6))
    np.add.at(blocks, (row // 6, row % 6, column % 6), entries.data)
    return blocks


def _softness(problem: StepProblem) -> Array:
    """That of the inequalities ``(m, m)``."""
    softness = problem.unilateral.softness
    return np.diag(softness) if softness.ndim == 1 else softness


def _mobility_without_equations(rows: Matrix, mass: Matrix) -> Array:
    """About what the diagonal of W would be without equations."""
    result: Array = (rows * rows) @ (1 / np.abs(mass.diagonal()))
    return result


def _relative(rows: Matrix, contacts: Contacts, v: Array) -> Array:
    velocities = (rows @ v).reshape(-1, 3)
    velocities[:, 0] -= contacts.normal_target
    result: Array = velocities
    return result
