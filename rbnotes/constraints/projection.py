"""Constraints as projections of forces and velocities (Lloyd 0.5).

With ``S = G M^-1 G^T`` the two projections are

    P_f = I - G^T S^-1 G M^-1      (forces),
    P_v = I - M^-1 G^T S^-1 G      (velocities),

and ``P_v = P_f^T``. They are oblique: orthogonal only in the inner product of M^-1 and of M.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, Matrix
from rbnotes.constraints.kkt import KKT, _check_matrices, factor_kkt_unchecked


def force_projection(M: Matrix, G: Matrix) -> Array:
    """Return the matrix P_f ``(n, n)`` that projects a force on the part that accelerates (Lloyd 0.5).

    Parameters
    ----------
    M : (n, n)
        Symmetric positive definite inertia, kg, kg m and kg m^2.
    G : (k, n)
        Constraint matrix of ``G a = 0``, dimensionless between like velocities; redundant rows have no
        effect.

    Raises
    ------
    InvalidArgument
        If the shape of ``M`` or ``G`` does not fit.
    SingularConfiguration
        If ``M`` is not positive definite, or a row of ``G`` is far too small or large for it.
    """
    _, G, kkt = _check_and_factor(M, G)
    result: Array = np.eye(kkt.size) + G.T @ kkt.solve(np.eye(kkt.size))[1]
    return result


def velocity_projection(M: Matrix, G: Matrix) -> Array:
    """Return the matrix P_v ``(n, n)`` that projects velocities on the nearest with ``G v = 0`` (Lloyd 0.5).

    The distance is the kinetic energy: of all admissible v', ``P_v v`` has the least
    ``(v' - v)^T M (v' - v)``. Arguments as for :func:`force_projection`.

    Raises
    ------
    InvalidArgument
        If the shape of ``M`` or ``G`` does not fit.
    SingularConfiguration
        If ``M`` is not positive definite, or a row of ``G`` is far too small or large for it.
    """
    M, _, kkt = _check_and_factor(M, G)
    momenta = M.toarray() if sparse.issparse(M) else M
    return kkt.solve_unchecked(momenta, np.zeros((kkt.num_constraints, kkt.size)))[0]


def constrained_force(M: Matrix, G: Matrix, force: ArrayLike, g: ArrayLike = 0.0) -> tuple[Array, Array]:
    """Return the total force ``f + G^T lambda`` under constraints on accelerations, and lambda (Lloyd 0.5).

    Parameters
    ----------
    M : (n, n)
        Symmetric positive definite inertia, kg, kg m and kg m^2.
    G : (k, n)
        Constraint matrix, dimensionless between like velocities.
    force : (n,)
        Applied force f, N or N m.
    g : (k,)
        Prescribed ``G a``, m/s^2 or rad/s^2: ``-(dG/dt) v`` for constraints that change with the motion,
        which the notes omit.

    Returns
    -------
    force : (n,)
        ``f + G^T lambda``, N or N m.
    multipliers : (k,)
        Constraint forces lambda, N or N m.

    Raises
    ------
    InconsistentConstraints
        If redundant rows of ``G`` have different targets.
    InvalidArgument
        If a shape does not fit.
    SingularConfiguration
        If ``M`` is not positive definite, or a row of ``G`` is far too small or large for it.
    """
    _, G, kkt = _check_and_factor(M, G)
    force = arguments.single_vector("force", force, kkt.size)
    multipliers = kkt.solve_unchecked(force, kkt._check_targets(g))[1]
    return force + G.T @ multipliers, multipliers


def constrained_velocity(M: Matrix, G: Matrix, v: ArrayLike, g: ArrayLike = 0.0) -> tuple[Array, Array]:
    """Return the velocity after the least impulse that makes ``G v = g``, and its multipliers (Lloyd 0.5).

    The impulse is ``G^T lambda``; the velocity changes by ``M^-1 G^T lambda``.

    Parameters
    ----------
    M : (n, n)
        Symmetric positive definite inertia, kg, kg m and kg m^2.
    G : (k, n)
        Constraint matrix, dimensionless between like velocities.
    v : (n,)
        Velocity before, m/s or rad/s.
    g : (k,)
        Prescribed ``G v``, m/s or rad/s; zero by default.

    Returns
    -------
    v : (n,)
        Velocity after, m/s or rad/s.
    multipliers : (k,)
        Constraint impulses lambda.

    Raises
    ------
    InconsistentConstraints
        If redundant rows of ``G`` have different targets.
    InvalidArgument
        If a shape does not fit.
    SingularConfiguration
        If ``M`` is not positive definite, or a row of ``G`` is far too small or large for it.
    """
    M, _, kkt = _check_and_factor(M, G)
    momentum = arguments.array("M v", M @ arguments.single_vector("v", v, kkt.size))
    return kkt.solve_unchecked(momentum, kkt._check_targets(g))


def _check_and_factor(M: Matrix, G: Matrix) -> tuple[Matrix, Matrix, KKT]:
    """Return both matrices, checked, and their factors.

    A projection without rows has nothing to project on and is refused.
    """
    if G is None:
        raise InvalidArgument("G", "None", "a matrix")
    M, G = _check_matrices(M, G)
    return M, G, factor_kkt_unchecked(M, G)
