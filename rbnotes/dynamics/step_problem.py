"""Linear problem of a time step, in one form for every scheme, constraint and contact.

Every time step has a mass matrix and a momentum; constraints and contacts add impulses and conditions on the
new velocities v:

    mass v = momentum + G^T lambda + N^T z + C^T p,
    G v + R lambda = g,
    0 <= z  _|_  N v + Q z - n >= 0,

and the law of a friction model between the impulses p of the contacts and their velocities C v. Impulses act
through the transpose of their rows, so that positive ones push.

If the momentum is replaced by a force, the unknowns are accelerations and constraint forces.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import Any, Protocol

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, ArrayField, InvalidArgument, Matrix
from rbnotes.constraints.matrices import is_symmetric_unchecked
from rbnotes.unchecked.frozen import construct_unchecked, replace_unchecked, set_writable_fields


@dataclass(frozen=True, eq=False)
class VelocityConstraintRows:
    """Conditions on velocities, one per row; base of the two kinds below.

    Attributes
    ----------
    rows
        Matrix ``(k, n)``, dense or scipy.sparse, dimensionless between velocities of one kind; none by
        default.
    target
        Right-hand sides ``(k,)``, or one number for all, m/s or rad/s.
    regularization
        Velocity per impulse ``(k,)`` or ``(k, k)``, or one number for all, 1/kg or 1/(kg m^2); zero for hard
        rows.

    Raises
    ------
    InvalidArgument
        If shapes do not fit together, or the regularization has a negative eigenvalue.
    """

    rows: Matrix = ()
    target: ArrayField = 0.0
    regularization: ArrayField = 0.0

    def __post_init__(self) -> None:
        rows = np.zeros((0, 0)) if isinstance(self.rows, tuple) and not self.rows else self.rows
        rows = arguments.matrix("rows", rows)
        count = rows.shape[0]
        set_writable_fields(
            self,
            rows=rows,
            target=arguments.broadcast_to_count("target", arguments.array("target", self.target), count),
        )
        set_writable_fields(self, regularization=_check_regularization(self.regularization, count))

    @property
    def count(self) -> int:
        """Number of rows k."""
        return int(self.rows.shape[0])

    @property
    def is_regularized(self) -> bool:
        """True if any row is soft."""
        return bool(np.any(self.regularization))


@dataclass(frozen=True, eq=False)
class BilateralRows(VelocityConstraintRows):
    """Equations ``rows v + regularization impulses = target``.

    The attributes are those of :class:`VelocityConstraintRows`.

    Raises InvalidArgument if the shape of ``rows``, ``target`` or ``regularization`` does not fit.
    """


@dataclass(frozen=True, eq=False)
class UnilateralRows(VelocityConstraintRows):
    """Inequalities ``rows v + regularization impulses >= target``, complementary to nonnegative impulses.

    The attributes are those of :class:`VelocityConstraintRows`.

    Raises InvalidArgument if the shape of ``rows``, ``target`` or ``regularization`` does not fit.
    """


class ContactRows(Protocol):
    """Properties of c contacts with friction that a step needs, as in :class:`rbnotes.contact.Contacts`."""

    @property
    def count(self) -> int:
        """Number of contacts c."""
        ...

    @property
    def rows(self) -> Matrix:
        """Normal and two tangential rows of each contact in turn ``(3 c, n)``.

        They are a matrix, or an operator with ``rows @ v``, ``rows.T @ impulses`` and its ``matrix``.
        """
        ...

    @property
    def mu(self) -> Array:
        """Coefficients of friction ``(c,)``."""
        ...

    @property
    def normal_target(self) -> Array:
        """Least normal velocities ``(c,)``, m/s."""
        ...


@lru_cache(maxsize=64)
def _empty_bilateral_rows(size: int) -> BilateralRows:
    return BilateralRows(np.zeros((0, size)))


@lru_cache(maxsize=64)
def _empty_unilateral_rows(size: int) -> UnilateralRows:
    return UnilateralRows(np.zeros((0, size)))


@dataclass(frozen=True, eq=False)
class StepProblem:
    """Masses, momenta, and conditions on the velocities after a step.

    Attributes
    ----------
    mass
        Mass matrix ``(n, n)``, kg, kg m and kg m^2, dense or scipy.sparse. That of an implicit scheme may be
        unsymmetric; its symmetric part is positive definite.
    momentum
        Value ``(n,)`` of ``mass v`` without constraints, N s and N m s.
    bilateral
        Equations; none by default.
    unilateral
        Inequalities without friction; none by default.
    contacts
        Contacts with friction, for a friction model.

    Raises
    ------
    InvalidArgument
        If shapes do not fit together.
    """

    mass: Matrix
    momentum: ArrayField
    bilateral: BilateralRows = field(default_factory=partial(_empty_bilateral_rows, 0))
    unilateral: UnilateralRows = field(default_factory=partial(_empty_unilateral_rows, 0))
    contacts: ContactRows | None = None

    def __post_init__(self) -> None:
        momentum = arguments.single_vector("momentum", self.momentum, None)
        if momentum.ndim != 1:
            raise InvalidArgument("momentum", f"shape {momentum.shape}", "a vector (one axis)")
        size = len(momentum)
        set_writable_fields(self, mass=arguments.matrix("mass", self.mass, size, size), momentum=momentum)
        set_writable_fields(self, **_check_columns(size, self.bilateral, self.unilateral, self.contacts))

    def with_constraints(
        self,
        *,
        bilateral: BilateralRows | None = None,
        unilateral: UnilateralRows | None = None,
        contacts: ContactRows | None = None,
    ) -> StepProblem:
        """Return the same masses and momenta under other conditions; omitted ones do not change.

        Raises
        ------
        InvalidArgument
            If shapes do not fit together.
        """
        conditions = _check_columns(
            self.size,
            self.bilateral if bilateral is None else bilateral,
            self.unilateral if unilateral is None else unilateral,
            self.contacts if contacts is None else contacts,
        )
        return replace_unchecked(self, **conditions)

    @property
    def size(self) -> int:
        """Number of velocities n."""
        return len(self.momentum)

    @cached_property
    def is_symmetric(self) -> bool:
        """True if the mass is symmetric to rounding: then the velocities minimize a quadratic function."""
        return is_symmetric_unchecked(self.mass)


def unconstrained_problem(mass: Matrix, momentum: Array) -> StepProblem:
    """Return a step problem without conditions. Only the momentum is checked, not the mass."""
    size = mass.shape[0]
    return construct_unchecked(
        StepProblem,
        mass=mass,
        momentum=arguments.single_vector("momentum", momentum, size),
        bilateral=_empty_bilateral_rows(size),
        unilateral=_empty_unilateral_rows(size),
        contacts=None,
    )


@dataclass(frozen=True, eq=False)
class StepSolution:
    """Velocities after a step and impulses; impulses of absent conditions are empty.

    Attributes
    ----------
    velocity
        Velocities ``(n,)``, m/s and rad/s.
    bilateral
        Impulses lambda ``(k,)`` of the equations, N s.
    unilateral
        Impulses z ``(m,)`` of the inequalities, not negative, N s.
    normal
        Normal impulses ``(c,)`` of the contacts, not negative, N s.
    tangential
        Friction impulses ``(c, 2)`` along the two tangents, N s.
    iterations
        Number of iterations of the method: problems solved, pivots, or sweeps.
    residual
        Relative error in the conditions, as the method measures it.
    method
        Name of the method or friction model.
    """

    velocity: Array
    bilateral: Array
    unilateral: Array = field(default_factory=lambda: np.zeros(0))
    normal: Array = field(default_factory=lambda: np.zeros(0))
    tangential: Array = field(default_factory=lambda: np.zeros((0, 2)))
    iterations: int = 0
    residual: float = 0.0
    method: str = ""

    @property
    def contact_impulses(self) -> Array:
        """Normal and tangential impulses ``(c, 3)``, N s."""
        return np.concatenate([self.normal[:, None], self.tangential], axis=1)


def check_solution(name: str, solution: Any, problem: StepProblem) -> StepSolution:
    """Return the solution of a user's friction model if its shapes fit the problem and it is finite.

    Impulses of absent conditions may be empty.
    """
    arguments.require_instance(name, solution, StepSolution)
    contacts = 0 if problem.contacts is None else problem.contacts.count
    arguments.single_vector(f"velocity of {name}", solution.velocity, problem.size)
    arguments.single_vector(f"bilateral of {name}", solution.bilateral, problem.bilateral.count)
    arguments.single_vector(f"normal of {name}", solution.normal, contacts)
    tangential = arguments.array(f"tangential of {name}", solution.tangential, contacts, 2)
    arguments.with_ndim(f"tangential of {name}", tangential, 2)
    checked: StepSolution = solution
    return checked


def _check_columns(
    size: int, bilateral: Any, unilateral: Any, contacts: ContactRows | None
) -> dict[str, Any]:
    """Return the conditions if they have as many columns as there are velocities."""
    if contacts is not None and contacts.rows.shape != (3 * contacts.count, size):
        got = f"rows of shape {contacts.rows.shape}"
        raise InvalidArgument("contacts", got, f"shape {(3 * contacts.count, size)}")
    return {
        "bilateral": _check_row_columns("bilateral", bilateral, _empty_bilateral_rows(size)),
        "unilateral": _check_row_columns("unilateral", unilateral, _empty_unilateral_rows(size)),
        "contacts": contacts,
    }


def _check_row_columns(name: str, rows: Any, empty: VelocityConstraintRows) -> VelocityConstraintRows:
    if not isinstance(rows, type(empty)):
        raise InvalidArgument(name, type(rows).__name__, type(empty).__name__)
    if not rows.count:
        return empty
    columns = empty.rows.shape[1]
    if rows.rows.shape[1] != columns:
        raise InvalidArgument(name, f"rows of shape {rows.rows.shape}", f"shape ({rows.count}, {columns})")
    return rows


def _check_regularization(value: Any, count: int) -> Array:
    """Return one number per row ``(k,)`` if the regularization is diagonal, else ``(k, k)``."""
    regularization = arguments.array("regularization", value)
    if regularization.shape == (count, count):
        diagonal = np.diagonal(regularization)
        if np.any(regularization - np.diag(diagonal)):
            if np.allclose(
                regularization, regularization.T, rtol=0, atol=1e-10 * np.max(np.abs(regularization))
            ):
                regularization = (regularization + regularization.T) / 2
            eigenvalues = np.linalg.eigvals(regularization).real
            _check_nonnegative(eigenvalues, 10 * count * np.finfo(float).eps * np.max(np.abs(eigenvalues)))
            return regularization
        regularization = diagonal
    elif regularization.shape not in ((), (count,)):
        expected = f"a number, or shape ({count},) or ({count}, {count})"
        raise InvalidArgument("regularization", f"shape {regularization.shape}", expected)
    _check_nonnegative(regularization, 0.0)
    return np.broadcast_to(regularization, (count,))


def _check_nonnegative(eigenvalues: Array, rounding: float) -> None:
    if np.any(eigenvalues < -rounding):
        got = f"an eigenvalue {np.min(eigenvalues):.3g}"
        raise InvalidArgument("regularization", got, "no eigenvalue below 0")
