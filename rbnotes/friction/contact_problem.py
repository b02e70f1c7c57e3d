"""Step problem reduced to its contacts: the input of all friction models.

The velocities are eliminated. The remaining unknowns are the impulses p of the contacts, and the contact
velocities are

    u = W p + free,

with one normal and two tangential components for each contact, subject to the equations of the problem.
Frictionless inequalities are treated as contacts without tangents; their regularization is part of W.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NoReturn

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from rbnotes import arguments
from rbnotes.arguments import Array, IntArray, Matrix
from rbnotes.complementarity import LCP, NotSolved, solve
from rbnotes.constraints import KKT
from rbnotes.contact import BodyPairJacobian, Contacts
from rbnotes.dynamics import StepProblem, StepSolution, factor_step
from rbnotes.errors import NotConverged

CONSTRAINED_MOBILITY_TOLERANCE = 1e-13
"""Mobility relative to that without equations below which the equations constrain a row."""

STICKING_COEFFICIENT = 1e12
"""Coefficient of friction in place of an infinite one; results are checked by
:meth:`FrictionContactProblem.sticking_residual`."""

MAX_COEFFICIENT = 1e50
"""Coefficient of friction in place of larger finite ones, whose bounds may overflow.

With larger ones, normal impulses that are only rounding decide whether a contact slides.
"""

MAX_STICKING_RATIO = 1e9
"""Largest ratio of friction to normal impulse with which contacts stick if their coefficient is infinite."""

STICKING_TOLERANCE = 1e-6
"""Accepted velocity of pushing contacts with infinite coefficients, relative to the free velocities."""

DELASSUS_BATCH_COLUMNS = 256
"""Number of columns of the Delassus matrix computed at once, which bounds the memory."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DelassusProblem:
    """Contact velocities of c contacts as a function of their impulses, with friction coefficients.

    Attributes
    ----------
    delassus_matrix
        Contact velocities per contact impulse ``W (3 c, 3 c)``, 1/kg, subject to the equations.

        Zero in the rows and columns of directions that the equations fix.
    free_contact_velocities
        Contact velocities ``(c, 3)`` without contact impulses, m/s: normal velocities above their targets,
        and tangential velocities.
    mu
        Coefficients of friction ``(c,)``, dimensionless and finite.
    """

    delassus_matrix: Array
    free_contact_velocities: Array
    mu: Array

    @property
    def count(self) -> int:
        """Number of contacts c."""
        return len(self.free_contact_velocities)

    @property
    def diagonal_blocks(self) -> Array:
        """Diagonal blocks ``(c, 3, 3)`` of the Delassus matrix: response of each contact to itself."""
        result: Array = np.einsum("iaib->iab", self.delassus_matrix.reshape(self.count, 3, self.count, 3))
        return result

    @cached_property
    def mobility(self) -> Array:
        """Mean velocity per impulse over the directions of each contact ``(c,)``, 1/kg."""
        result: Array = np.diagonal(self.delassus_matrix).reshape(-1, 3).sum(axis=1) / 3
        return result

    def velocities_from_impulses(self, impulses: Array) -> Array:
        """Return the contact velocities ``(c, 3)`` under contact impulses ``(c, 3)``."""
        return self.free_contact_velocities + (self.delassus_matrix @ impulses.ravel()).reshape(-1, 3)

    def islands(self) -> list[tuple[IntArray, DelassusProblem]]:
        """Return the indices and the problem of each set of contacts that is independent of all others."""
        coupled_to_row = (self.delassus_matrix != 0).reshape(self.count, 3, 3 * self.count).any(axis=1)
        coupled = coupled_to_row.reshape(self.count, self.count, 3).any(axis=2)
        number, island = connected_components(sparse.csr_array(coupled, dtype=float), directed=False)
        if number <= 1:
            return [(np.arange(self.count), self)] if number else []
        subproblems = []
        for label in range(number):
            members = np.flatnonzero(island == label)
            rows = (3 * members[:, None] + np.arange(3)).ravel()
            subproblem = DelassusProblem(
                delassus_matrix=self.delassus_matrix[np.ix_(rows, rows)],
                free_contact_velocities=self.free_contact_velocities[members],
                mu=self.mu[members],
            )
            subproblems.append((members, subproblem))
        return subproblems


@dataclass(frozen=True, eq=False, kw_only=True)
class FrictionContactProblem(DelassusProblem):
    """Contact velocities of a step as a function of contact impulses.

    Constructed by :func:`friction_contact_problem`. The other attributes are those of
    :class:`DelassusProblem`.

    Attributes
    ----------
    problem
        Step problem: masses, momentum, equations and contacts.
    contacts
        The c contacts of the problem, followed by its inequalities.
    contact_jacobian
        Contact Jacobian ``(3 c, n)``, dimensionless for particles, dense or sparse like the mass matrix.
    kkt
        Factored system of the masses and the equations, regularization included.
    free_velocity
        Velocities ``(n,)`` without contact impulses, m/s and rad/s.
    is_symmetric
        True if W is symmetric: the impulses of some models are then minimizers.
    """

    problem: StepProblem
    contacts: Contacts
    contact_jacobian: Matrix
    kkt: KKT
    free_velocity: Array
    is_symmetric: bool

    @property
    def friction_contact_count(self) -> int:
        """Number of contacts without the inequalities."""
        return self.count - self.problem.unilateral.count

    def velocities_from_solution(self, solution: StepSolution) -> Array:
        """Return the contact velocities ``(c, 3)`` of a solution, normal velocities above their targets.

        Raises
        ------
        InvalidArgument
            If ``solution`` is not a ``StepSolution``.
        """
        arguments.require_instance("solution", solution, StepSolution)
        velocities = _relative_contact_velocities(
            self.contact_jacobian, self.contacts, arguments.vector("v", solution.velocity, self.problem.size)
        )
        velocities[self.friction_contact_count :, 0] += (
            _unilateral_regularization(self.problem) @ solution.unilateral
        )
        return velocities

    def apply_impulses(self, impulses: Array) -> tuple[Array, Array]:
        """Return velocities ``(n,)`` and equation impulses ``(m,)`` under contact impulses ``(c, 3)``."""
        momentum = self.problem.momentum + self.contact_jacobian.T @ impulses.ravel()
        return self.kkt.solve_unchecked(momentum, self.problem.bilateral.target)

    def sticking_residual(self, impulses: Array) -> float:
        """Return the largest velocity of contacts that push with an infinite coefficient of friction.

        It is relative to the velocities without contact impulses, and at most the velocity of the contact
        under its own impulse: a contact either sticks or has no impulse. Friction without a normal impulse is
        a violation, too. Residuals up to :data:`STICKING_TOLERANCE` count as zero.
        """
        must_stick = np.isinf(self.contacts.mu)
        if not np.any(must_stick):
            return 0.0
        speeds = np.linalg.norm(self.velocities_from_impulses(impulses)[must_stick], axis=1)
        normal, friction = impulses[must_stick, 0], np.linalg.norm(impulses[must_stick, 1:], axis=1)
        mobility = self.mobility[must_stick]
        moving = np.minimum(speeds, mobility * np.hypot(normal, friction))
        unsupported = mobility * np.maximum(friction - MAX_STICKING_RATIO * np.maximum(normal, 0.0), 0.0)
        velocity_scale = float(np.abs(self.free_contact_velocities).max())
        speed = float(np.maximum(moving, unsupported).max())
        residual = speed / velocity_scale if velocity_scale > 0 else 0.0
        return 0.0 if residual <= STICKING_TOLERANCE else residual

    def step_solution(
        self, impulses: Array, *, iterations: int, residual: float, method: str
    ) -> StepSolution:
        """Return the solution of the step with contact impulses ``(c, 3)``."""
        velocity, bilateral = self.apply_impulses(impulses)
        return StepSolution(
            velocity,
            bilateral,
            unilateral=impulses[self.friction_contact_count :, 0].copy(),
            normal=impulses[: self.friction_contact_count, 0].copy(),
            tangential=impulses[: self.friction_contact_count, 1:].copy(),
            iterations=iterations,
            residual=residual,
            method=method,
        )

    def impulses_from_solution(self, solution: StepSolution) -> Array:
        """Return the contact impulses ``(c, 3)`` of a solution.

        Raises
        ------
        InvalidArgument
            If ``solution`` is not a ``StepSolution``.
        """
        arguments.require_instance("solution", solution, StepSolution)
        frictionless = np.zeros((len(solution.unilateral), 3))
        frictionless[:, 0] = solution.unilateral
        return np.concatenate([solution.contact_impulses, frictionless])


class FrictionNotConverged(NotConverged):
    """Error of a friction model that did not reach its tolerance; ``solution`` is the best iterate."""

    solution: StepSolution

    def __init__(self, solution: StepSolution, tolerance: float) -> None:
        super().__init__(
            f"{solution.method}: residual {solution.residual:.2g} after {solution.iterations} iterations, "
            f"expected at most {tolerance:.2g}",
            solution,
            solution.residual,
        )


def friction_contact_problem(problem: StepProblem) -> FrictionContactProblem:
    """Reduce a problem to its contacts.

    Raises
    ------
    InvalidArgument
        If ``problem`` is not a ``StepProblem``.
    SingularConfiguration
        If the mass matrix is singular, or symmetric but not positive definite.
    """
    arguments.require_instance("problem", problem, StepProblem)
    contacts = _contacts_with_inequalities(problem)
    kkt = factor_step(problem)
    free_velocity = kkt.solve_unchecked(problem.momentum, problem.bilateral.target)[0]

    contact_jacobian = _match_mass_format(problem.mass, contacts.rows)
    delassus_matrix = _delassus_matrix(problem, contacts, contact_jacobian, kkt)
    constrained = np.abs(
        np.diagonal(delassus_matrix)
    ) <= CONSTRAINED_MOBILITY_TOLERANCE * _unconstrained_mobility(contact_jacobian, problem.mass)
    delassus_matrix[constrained], delassus_matrix[:, constrained] = 0.0, 0.0
    if problem.unilateral.is_regularized:
        pairs = 3 * np.arange(contacts.count - problem.unilateral.count, contacts.count)
        delassus_matrix[np.ix_(pairs, pairs)] += _unilateral_regularization(problem)
    is_symmetric = problem.is_symmetric and all(
        rows.regularization.ndim == 1 or np.array_equal(rows.regularization, rows.regularization.T)
        for rows in (problem.bilateral, problem.unilateral)
    )
    if is_symmetric:
        delassus_matrix = (delassus_matrix + delassus_matrix.T) / 2

    # Velocities along directions that the equations hold are zero except for rounding.
    # The size of the rounding follows from the velocities without equations.
    free_contact_velocities = _relative_contact_velocities(contact_jacobian, contacts, free_velocity)
    unconstrained_velocity = np.abs(problem.momentum) / np.abs(problem.mass.diagonal())
    terms = (abs(contact_jacobian) @ (np.abs(free_velocity) + unconstrained_velocity)).reshape(-1, 3)
    rounding = 1e-12 * (terms + np.abs(free_contact_velocities))
    free_contact_velocities = np.where(
        constrained.reshape(-1, 3) & (np.abs(free_contact_velocities) <= rounding),
        0.0,
        free_contact_velocities,
    )
    return FrictionContactProblem(
        delassus_matrix=delassus_matrix,
        free_contact_velocities=free_contact_velocities,
        mu=np.where(np.isinf(contacts.mu), STICKING_COEFFICIENT, np.minimum(contacts.mu, MAX_COEFFICIENT)),
        problem=problem,
        contacts=contacts,
        contact_jacobian=contact_jacobian,
        kkt=kkt,
        free_velocity=free_velocity,
        is_symmetric=is_symmetric,
    )


def limited_coefficients(mu: Array, *limits: float) -> list[Array]:
    """Return coefficients of friction to search with in turn: limited ones, then ``mu`` itself.

    If no contact of a solution slides with a limited coefficient, it is one for all larger ones, too.
    Rounding affects it less.
    """
    return [*(np.minimum(mu, limit) for limit in limits if np.any(mu > limit)), mu]


def raise_unless_sticking(contact_problem: FrictionContactProblem, solution: StepSolution) -> None:
    """Raise an error if contacts push with infinite coefficients of friction, but do not stick.

    Raises
    ------
    FrictionNotConverged
        If :meth:`FrictionContactProblem.sticking_residual` is not zero.
    """
    residual = contact_problem.sticking_residual(contact_problem.impulses_from_solution(solution))
    if residual:
        worst = float(np.max([solution.residual, residual]))
        raise FrictionNotConverged(replace(solution, residual=worst), STICKING_TOLERANCE)


def raise_not_converged(
    contact_problem: FrictionContactProblem, solution: StepSolution, tolerance: float
) -> NoReturn:
    """Raise the error that says why a model did not reach its tolerance.

    Raises
    ------
    NotSolved
        If a certificate proves that no velocity satisfies all contacts and equations.
    FrictionNotConverged
        Otherwise.
    """
    frictionless_solution = solve(
        LCP(contact_problem.delassus_matrix[::3, ::3], contact_problem.free_contact_velocities[:, 0]),
        raise_on_failure=False,
    )
    if frictionless_solution.is_infeasible:
        raise NotSolved(frictionless_solution)
    raise FrictionNotConverged(solution, tolerance)


def _contacts_with_inequalities(problem: StepProblem) -> Contacts:
    """Return the contacts followed by the inequalities as contacts without tangents."""
    contact_data, inequalities = problem.contacts, problem.unilateral
    if contact_data is None:
        contacts = Contacts(np.zeros((0, problem.size)), 0.0)
    elif isinstance(contact_data, Contacts):
        contacts = contact_data
    else:
        contacts = Contacts(contact_data.rows, contact_data.mu, contact_data.normal_target)
    if not inequalities.count:
        return contacts
    zero_tangent_rows = sparse.kron(sparse.csr_array(inequalities.rows), [[1.0], [0.0], [0.0]])
    return Contacts(
        sparse.vstack([sparse.csr_array(contacts.matrix), zero_tangent_rows], format="csr"),
        np.concatenate([contacts.mu, np.zeros(inequalities.count)]),
        np.concatenate([contacts.normal_target, inequalities.target]),
    )


def _match_mass_format(mass: Matrix, rows: BodyPairJacobian | Matrix) -> Matrix:
    """Return the rows in the format of the mass matrix, dense or sparse."""
    if sparse.issparse(mass):
        return rows.matrix if isinstance(rows, BodyPairJacobian) else sparse.csr_array(rows)
    return rows.toarray() if isinstance(rows, BodyPairJacobian) or sparse.issparse(rows) else rows


def _delassus_matrix(problem: StepProblem, contacts: Contacts, rows: Matrix, kkt: KKT) -> Array:
    """Return W, assembled body by body if the mass matrix is block diagonal, else column by column."""
    if not sparse.issparse(rows):
        result: Array = rows @ kkt.solve_unchecked(rows.T, np.zeros((problem.bilateral.count, len(rows))))[0]
        return result
    if isinstance(contacts.rows, BodyPairJacobian) and not problem.bilateral.count:
        inertias = _body_inertia_blocks(problem.mass)
        if inertias is not None:
            result = contacts.rows.delassus_matrix(np.linalg.inv(inertias)).toarray()
            return result
    W = np.empty((rows.shape[0], rows.shape[0]))
    for start in range(0, len(W), DELASSUS_BATCH_COLUMNS):
        columns = slice(start, start + DELASSUS_BATCH_COLUMNS)
        impulse_columns = rows[columns].toarray().T
        W[:, columns] = (
            rows
            @ kkt.solve_unchecked(
                impulse_columns, np.zeros((problem.bilateral.count, impulse_columns.shape[1]))
            )[0]
        )
    return W


def _body_inertia_blocks(mass: Matrix) -> Array | None:
    """Return the diagonal blocks ``(n, 6, 6)`` of a block-diagonal sparse mass matrix, else None."""
    entries = sparse.coo_array(mass)
    row, column = entries.coords
    if np.any(row // 6 != column // 6):
        return None
    blocks = np.zeros((mass.shape[0] // 6, 6, 6))
    np.add.at(blocks, (row // 6, row % 6, column % 6), entries.data)
    return blocks


def _unilateral_regularization(problem: StepProblem) -> Array:
    """Return the regularization of the inequalities ``(m, m)``."""
    regularization = problem.unilateral.regularization
    return np.diag(regularization) if regularization.ndim == 1 else regularization


def _unconstrained_mobility(rows: Matrix, mass: Matrix) -> Array:
    """Return the approximate diagonal of W without equations."""
    result: Array = (rows * rows) @ (1 / np.abs(mass.diagonal()))
    return result


def _relative_contact_velocities(rows: Matrix, contacts: Contacts, v: Array) -> Array:
    velocities = (rows @ v).reshape(-1, 3)
    velocities[:, 0] -= contacts.normal_target
    result: Array = velocities
    return result
