"""Contact with friction as data: what every friction model starts from and what it returns.

All multipliers are impulses [N s]. They act on the velocities through

    M v = momentum + N^T normal + T^T tangential + G^T bilateral,

so that a positive normal impulse pushes and ``N v`` is the velocity of separation. Where the unknowns are
accelerations and forces instead (statics, or a sliding block), the same data and models serve: momentum is
then the applied force.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity import LCP, solve_lcp
from rbnotes.complementarity.conversions import is_held
from rbnotes.constraints import KKT, factor_kkt, is_symmetric
from rbnotes.errors import NotConverged


@dataclass(frozen=True, eq=False)
class Contacts:
    """The directions of c contacts among n velocities, and what each contact asks for."""

    normals: Any
    """N ``(c, n)``: ``N v >= normal_target`` separates."""
    tangents: Any
    """T ``(c, 2, n)``: velocities along an orthonormal pair in the tangent plane."""
    mu: Any
    """Coefficients of friction ``(c,)``."""
    normal_target: Any = 0.0
    """Least normal velocities ``(c,)``, m/s: zero, or what restitution or stabilisation ask for."""

    def __post_init__(self) -> None:
        normals = _one_array("normals", self.normals, None, None)
        count, size = normals.shape
        tangents = _one_array("tangents", self.tangents, count, 2, size)
        mu = _per_row("mu", arguments.scalar("mu", self.mu, minimum=0.0), count)
        target = _per_row("normal_target", self.normal_target, count)
        _set(self, normals=normals, tangents=tangents, mu=mu, normal_target=target)

    @property
    def count(self) -> int:
        """Number of contacts c."""
        return int(self.normals.shape[0])

    @cached_property
    def rows(self) -> Array:
        """Normal and tangential rows of one contact after the other ``(3 c, n)``."""
        stacked = np.concatenate([self.normals[:, None], self.tangents], axis=1)
        return stacked.reshape(3 * self.count, self.normals.shape[1])


@dataclass(frozen=True, eq=False)
class ContactProblem:
    """One step: a system that moves on, its contacts, and the equations it keeps to."""

    mass: Any
    """M ``(n, n)``, symmetric positive definite, dense or scipy.sparse. An implicit integrator's matrix need
    not be symmetric; then the models that minimise something refuse it."""
    momentum: Any
    """``M v + h f (n,)``, N s: what the system would have without contacts."""
    contacts: Contacts
    bilateral: Any = None
    """Rows G ``(m, n)`` of equations ``G v = bilateral_target``; none by default."""
    bilateral_target: Any = 0.0
    """``(m,)``."""

    def __post_init__(self) -> None:
        if not isinstance(self.contacts, Contacts):
            raise InvalidArgument("contacts", type(self.contacts).__name__, "Contacts")
        size = self.contacts.normals.shape[1]
        mass = arguments.matrix("mass", self.mass, size, size)
        momentum = _one_array("momentum", self.momentum, size)
        rows = np.zeros((0, size)) if self.bilateral is None else self.bilateral
        rows = arguments.matrix("bilateral", rows, None, size)
        target = _per_row("bilateral_target", self.bilateral_target, rows.shape[0])
        _set(self, mass=mass, momentum=momentum, bilateral=rows, bilateral_target=target)

    @cached_property
    def kkt(self) -> KKT:
        """The factored system of the masses and the equations."""
        return factor_kkt(self.mass, self.bilateral)

    @cached_property
    def free_velocity(self) -> Array:
        """Velocities ``(n,)`` without contact impulses."""
        return self.kkt.solve(self.momentum, self.bilateral_target)[0]

    @cached_property
    def delassus(self) -> Array:
        """``W (3 c, 3 c)``: contact velocities per contact impulse, with the equations kept to.

        Zero in the rows and columns of directions that the equations hold fast.
        """
        rows = self.contacts.rows
        responses = self.kkt.solve(rows.T, np.zeros((len(self.bilateral_target), len(rows))))[0]
        W = rows @ responses
        held = is_held(np.diagonal(W), rows, self.mass)
        W[held], W[:, held] = 0.0, 0.0
        return (W + W.T) / 2 if is_symmetric(self.mass) else W

    @cached_property
    def blocks(self) -> Array:
        """Diagonal blocks ``(c, 3, 3)`` of the Delassus matrix: each contact's answer to its own impulse."""
        count = self.contacts.count
        return np.einsum("iaib->iab", self.delassus.reshape(count, 3, count, 3))

    @cached_property
    def free_contact_velocity(self) -> Array:
        """``(c, 3)``, without contact impulses: normal velocities above their targets, tangential ones."""
        velocity = self.contact_velocity(self.free_velocity)
        held = np.diagonal(self.delassus).reshape(-1, 3) == 0
        terms = np.abs(self.contacts.rows) @ np.abs(self.free_velocity)
        rounding = 1e-12 * (terms.reshape(-1, 3) + np.abs(velocity))
        return np.where(held & (np.abs(velocity) <= rounding), 0.0, velocity)

    def contact_velocity(self, v: ArrayLike) -> Array:
        """``(c, 3)``: normal velocity above its target, and the two tangential velocities, of v ``(n,)``."""
        velocity = (self.contacts.rows @ arguments.vector("v", v, len(self.momentum))).reshape(-1, 3)
        velocity[:, 0] -= self.contacts.normal_target
        return velocity

    def moved_by(self, impulses: ArrayLike) -> tuple[Array, Array]:
        """Velocities ``(n,)`` and bilateral impulses ``(m,)`` under contact impulses ``(c, 3)``."""
        impulses = arguments.array("impulses", impulses, self.contacts.count, 3)
        return self.kkt.solve(self.momentum + self.contacts.rows.T @ impulses.ravel(), self.bilateral_target)


@dataclass(frozen=True, eq=False)
class ContactSolution:
    """What a friction model answers."""

    velocity: Array
    """``(n,)``."""
    normal: Array
    """Normal impulses ``(c,)`` that push, N s."""
    tangential: Array
    """Friction impulses ``(c, 2)`` along the two tangents, N s."""
    bilateral: Array
    """Impulses ``(m,)`` of the equations, N s."""
    iterations: int
    """Of the model's own kind: problems solved, pivots, or sweeps."""
    residual: float
    """Relative error in the conditions of the model's own problem."""
    model: str = field(default="", repr=True)
    """Name of the model."""

    @property
    def impulses(self) -> Array:
        """Normal and tangential impulses ``(c, 3)``."""
        return np.concatenate([self.normal[:, None], self.tangential], axis=1)


class FrictionNotConverged(NotConverged):
    """A friction model did not get to its tolerance; ``solution`` holds how far it came."""

    solution: ContactSolution

    def __init__(self, solution: ContactSolution, tolerance: float) -> None:
        super().__init__(
            f"{solution.model}: residual {solution.residual:.2g} after {solution.iterations} iterations, "
            f"expected at most {tolerance:.2g}",
            solution,
            solution.residual,
        )


def solution_from(
    problem: ContactProblem, impulses: Array, *, iterations: int, residual: float, model: str
) -> ContactSolution:
    """The solution with the contact impulses ``(c, 3)``."""
    velocity, bilateral = problem.moved_by(impulses)
    return ContactSolution(
        velocity, impulses[:, 0].copy(), impulses[:, 1:].copy(), bilateral, iterations, residual, model
    )


def raise_not_converged(problem: ContactProblem, solution: ContactSolution, tolerance: float) -> NoReturn:
    """Say why a model did not get to its tolerance.

    Raises
    ------
    Unsolved
        If even without friction no velocity satisfies all contacts and equations.
    FrictionNotConverged
        Otherwise.
    """
    W, free = problem.delassus[::3, ::3], problem.free_contact_velocity[:, 0]
    solve_lcp(LCP(W, free))
    raise FrictionNotConverged(solution, tolerance)


def tangent_directions(normals: ArrayLike) -> Array:
    """Orthonormal pairs ``(..., 2, 3)`` perpendicular to unit normals ``(..., 3)``.

    The first is perpendicular to the axis of the frame that is farthest from the normal.
    """
    normals = arguments.unit_vector("normals", normals)
    axis = np.eye(3)[np.argmin(np.abs(normals), axis=-1)]
    first = np.cross(axis, normals)
    first /= np.linalg.norm(first, axis=-1, keepdims=True)
    return np.stack([first, np.cross(normals, first)], axis=-2)


def facet_directions(facets: int) -> Array:
    """Unit vectors ``(facets, 2)`` at equal angles in the tangent plane, the first along the first tangent.

    Raises
    ------
    InvalidArgument
        If the number is odd or below four: the directions have to come in opposite pairs, or a contact
        could slide without friction that opposes it.
    """
    if facets < 4 or facets % 2:
        raise InvalidArgument("facets", str(facets), "an even number, at least 4")
    angles = 2 * np.pi * np.arange(facets) / facets
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _one_array(name: str, value: Any, *shape: int | None) -> Array:
    result = arguments.array(name, value.toarray() if sparse.issparse(value) else value, *shape)
    if result.ndim != len(shape):
        raise InvalidArgument(name, f"shape {result.shape}", f"{len(shape)} axes")
    return result


def _per_row(name: str, value: Any, count: int) -> Array:
    """One number for all rows, or one for each."""
    result = arguments.array(name, value)
    if result.shape not in ((), (count,)):
        raise InvalidArgument(name, f"shape {result.shape}", f"a number, or shape ({count},)")
    return np.broadcast_to(result, (count,))


def _set(data: Any, **fields: Any) -> None:
    for name, value in fields.items():
        object.__setattr__(data, name, value)
