"""Constraints as projections of forces and velocities (Lloyd 0.5).

With ``S = G M^-1 G^T`` the two projections are

    P_f = I - G^T S^-1 G M^-1      (forces),
    P_v = I - M^-1 G^T S^-1 G      (velocities),

and ``P_v = P_f^T``. They are oblique: orthogonal only in the inner product of M^-1 and of M.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.constraints.kkt import factor_kkt


def force_projection(M: Any, G: Any) -> Array:
    """The matrix P_f ``(n, n)`` that leaves of a force what constraints ``G a = 0`` let act (Lloyd 0.5).

    Parameters
    ----------
    M : (n, n)
        Symmetric positive definite inertia.
    G : (k, n)
        Constraint matrix; redundant rows change nothing.
    """
    kkt = factor_kkt(M, _given(G))
    G = arguments.matrix("G", G)
    result: Array = np.eye(kkt.size) + G.T @ kkt.solve(np.eye(kkt.size))[1]
    return result


def velocity_projection(M: Any, G: Any) -> Array:
    """The matrix P_v ``(n, n)`` that takes velocities to the nearest with ``G v = 0`` (Lloyd 0.5).

    Nearest in kinetic energy: of all admissible v', ``P_v v`` has the least ``(v' - v)^T M (v' - v)``.
    Arguments as for :func:`force_projection`.
    """
    kkt = factor_kkt(M, _given(G))
    inertia = arguments.matrix("M", M)
    return kkt.solve(inertia.toarray() if sparse.issparse(inertia) else inertia)[0]


def constrained_force(M: Any, G: Any, force: ArrayLike, g: ArrayLike = 0.0) -> tuple[Array, Array]:
    """Total force ``f + G^T lambda`` under constraints on the acceleration, and lambda (Lloyd 0.5).

    Parameters
    ----------
    M : (n, n)
        Symmetric positive definite inertia.
    G : (k, n)
        Constraint matrix.
    force : (n,)
        Applied force f.
    g : (k,)
        What ``G a`` shall be: ``-(dG/dt) v`` for constraints that turn with the motion, which the notes
        leave out.

    Returns
    -------
    force : (n,)
        ``f + G^T lambda``.
    multipliers : (k,)
        Constraint forces lambda.
    """
    kkt = factor_kkt(M, _given(G))
    force = arguments.one_vector("force", force, kkt.size)
    multipliers = kkt.solve(force, g)[1]
    return force + arguments.matrix("G", G).T @ multipliers, multipliers


def constrained_velocity(M: Any, G: Any, v: ArrayLike, g: ArrayLike = 0.0) -> tuple[Array, Array]:
    """Velocity after the least impulse that makes ``G v = g``, and that impulse's multipliers (Lloyd 0.5).

    The impulse is ``G^T lambda``; the velocity changes by ``M^-1 G^T lambda``.

    Parameters
    ----------
    M : (n, n)
        Symmetric positive definite inertia.
    G : (k, n)
        Constraint matrix.
    v : (n,)
        Velocity before.
    g : (k,)
        Prescribed ``G v``; zero by default.

    Returns
    -------
    v : (n,)
        Velocity after.
    multipliers : (k,)
        Constraint impulses lambda.
    """
    kkt = factor_kkt(M, _given(G))
    v = arguments.one_vector("v", v, kkt.size)
    momentum = arguments.array("M v", arguments.matrix("M", M) @ v)
    return kkt.solve(momentum, g)


def _given(G: Any) -> Any:
    """Rows there must be: a factorisation does without, a projection has nothing to project on."""
    if G is None:
        raise InvalidArgument("G", "None", "a matrix")
    return G
