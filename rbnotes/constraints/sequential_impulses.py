"""Sequential impulses: Gauss-Seidel on KKT systems (Lloyd 0.15, 0.16, 0.20).

Each constraint in turn is satisfied exactly, as if it were alone, by an impulse along its own row. This
disturbs the others, so that sweeps are repeated. Impulses are in N s (N m s for rows that act on rotations).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, SingularConfiguration


class GaussSeidelResult(NamedTuple):
    """Result of Gauss-Seidel sweeps.

    Attributes
    ----------
    v
        Velocities ``(n,)``.
    impulses
        Constraint impulses ``(k,)``.
    errors
        Largest ``|N v - c|`` after each sweep ``(sweeps,)``, m/s or rad/s.
    """

    v: Array
    impulses: Array
    errors: Array

    @property
    def convergence_rate(self) -> float:
        """Factor by which a late sweep reduces the error; sweeps at rounding level are ignored."""
        useful = self.errors[self.errors > 1e-13 * max(1.0, self.errors[0])]
        return float(
            (useful[-1] / useful[len(useful) // 2]) ** (1 / max(1, len(useful) - 1 - len(useful) // 2))
        )


def solve_single_constraint(
    M_inverse: ArrayLike, G: ArrayLike, gamma: float, v: ArrayLike
) -> tuple[Array, float]:
    """Return velocities that satisfy ``G v = gamma`` after an impulse along the row G (Lloyd 0.20).

    Parameters
    ----------
    M_inverse : (n, n)
        Inverse mass matrix, 1/kg.
    G : (n,)
        Row of the constraint, dimensionless for velocities.
    gamma : float
        Prescribed ``G v``, m/s or rad/s.
    v : (n,)
        Velocities before, m/s or rad/s.

    Returns
    -------
    v : (n,)
        Velocities after the impulse.
    impulse : float
        Impulse along the row, N s or N m s.

    Raises
    ------
    InvalidArgument
        If ``M_inverse`` is not positive definite, ``gamma`` is not a finite number, or the shape of ``G`` or
        ``v`` does not fit.
    SingularConfiguration
        If the row is zero.
    """
    M_inverse = _check_inverse_mass(M_inverse)
    G = arguments.single_vector("G", G, len(M_inverse))
    v = arguments.single_vector("v", v, len(M_inverse))
    response = M_inverse @ G
    inverse_effective_mass = G @ response
    if inverse_effective_mass <= 0:
        raise SingularConfiguration("G", "a row of zeros", "a row that some velocity changes")
    impulse = (arguments.real_number("gamma", gamma) - G @ v) / inverse_effective_mass
    return v + response * impulse, float(impulse)


def equality_gauss_seidel(
    M_inverse: ArrayLike,
    N: ArrayLike,
    c: ArrayLike,
    v0: ArrayLike,
    *,
    sweeps: int = 50,
    initial_impulses: ArrayLike = 0.0,
) -> GaussSeidelResult:
    """Solve ``v = v0 + M^-1 N^T lambda, N v = c`` by Gauss-Seidel sweeps (Lloyd 0.15).

    Parameters
    ----------
    M_inverse : (n, n)
        Inverse mass matrix, 1/kg.
    N : (k, n)
        Constraint rows, dimensionless or m; they may be redundant if c is consistent.
    c : (k,)
        Prescribed ``N v``, m/s or rad/s.
    v0 : (n,)
        Velocities without constraints, m/s or rad/s.
    sweeps : int
        Number of sweeps.
    initial_impulses : (k,)
        Initial impulses, N s or N m s.

    Raises
    ------
    InvalidArgument
        If ``M_inverse`` is not positive definite, ``sweeps`` is below 1, or a shape does not fit.
    SingularConfiguration
        If a row of N is zero.
    """
    M_inverse = _check_inverse_mass(M_inverse)
    n = len(M_inverse)
    N = arguments.array("N", N, None, n)
    if N.ndim != 2:
        raise InvalidArgument("N", f"shape {N.shape}", f"shape (k, {n})")
    c, total = (
        arguments.broadcast_to_count("c", arguments.array("c", c), len(N)),
        arguments.broadcast_to_count(
            "initial_impulses", arguments.array("initial_impulses", initial_impulses), len(N)
        ).copy(),
    )
    responses = N @ M_inverse
    inverse_effective_masses = np.sum(responses * N, axis=1)
    if np.any(inverse_effective_masses <= 0):
        row = int(np.argmin(inverse_effective_masses))
        raise SingularConfiguration("N", f"zeros in row {row}", "rows that some velocity changes")
    sweeps = arguments.count("sweeps", sweeps, minimum=1)
    v = arguments.single_vector("v0", v0, n) + total @ responses
    errors = np.empty(sweeps)
    for sweep in range(sweeps):
        for i, row in enumerate(N):
            # v includes the old impulse of this constraint: the result is a change of the impulse.
            change = (c[i] - row @ v) / inverse_effective_masses[i]
            total[i] += change
            v = v + change * responses[i]
        errors[sweep] = np.max(np.abs(N @ v - c), initial=0.0)
    return GaussSeidelResult(v, total, errors)


def friction_impulse(v_t: ArrayLike, w: ArrayLike, limit: ArrayLike) -> Array:
    """Return the impulse ``(...)`` that reduces a sliding velocity as far as its limit allows (Lloyd 0.16).

    Parameters
    ----------
    v_t : (...)
        Tangential velocity in one direction, m/s.
    w : (...)
        Change of that velocity per impulse, ``D M^-1 D^T``, positive, 1/kg.
    limit : (...)
        Largest impulse, coefficient of friction times normal impulse, not negative, N s.

    Raises
    ------
    InvalidArgument
        If ``w`` is not positive, ``limit`` is negative, or the shape of ``v_t`` does not fit.
    """
    v_t, limit = arguments.real_array("v_t", v_t), arguments.real_array("limit", limit, minimum=0.0)
    w = arguments.positive_array("w", w)
    arguments.common_shape(v_t=v_t.shape, w=w.shape, limit=limit.shape)
    return np.clip(-v_t / w, -limit, limit)


def _check_inverse_mass(M_inverse: ArrayLike) -> Array:
    result = arguments.positive_definite("M_inverse", M_inverse, None)
    if result.ndim != 2:
        raise InvalidArgument("M_inverse", f"shape {result.shape}", "one matrix (two axes)")
    return result
