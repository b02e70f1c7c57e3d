"""Soft constraints: springs and dampers integrated implicitly (Lloyd 0.11).

A constraint ``phi(q) = 0`` is replaced by a force ``G^T lambda`` with

    alpha lambda = -(phi + beta dphi/dt),        G = dphi/dq,

where alpha is an inverse stiffness and beta a time: the damper has the coefficient beta/alpha. Averaged over
a step of size h, the force becomes one more block of a KKT system for the new velocities,

    [ M  -G^T ] [ v       ]   [ b ]
    [ G   R   ] [ impulse ] = [ g ],      R = gamma alpha / h^2,   g = -gamma phi / h,

with ``gamma = (1/2 + beta/h)^-1``. As alpha goes to zero the constraint becomes hard.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument

EIGENVALUE_TOLERANCE = 1e-12
"""Size of negative eigenvalues, relative to the largest, that count as zero."""


def soft_force(phi: ArrayLike, phidot: ArrayLike, alpha: ArrayLike, beta: ArrayLike = 0.0) -> Array:
    """Return the multipliers ``(k,)`` of soft constraints, ``-alpha^-1 (phi + beta dphi/dt)`` (Lloyd (0.7)).

    Parameters
    ----------
    phi, phidot : (k,)
        Constraint errors, m or rad, and their rates.
    alpha : number, (k,) or (k, k)
        Inverse stiffness, positive (definite), m/N.
    beta : number, (k,) or (k, k)
        Damping time, s; the damping coefficient ``alpha^-1 beta`` dissipates.

    Raises
    ------
    InvalidArgument
        If ``alpha`` is not positive definite, ``alpha^-1 beta`` adds energy at some rates, or the shape of
        ``phi``, ``phidot`` or ``beta`` does not fit.
    """
    phi = arguments.single_vector("phi", phi, None)
    phidot = arguments.single_vector("phidot", phidot, len(phi))
    compliance = _check_compliance(alpha, len(phi))
    damping = _check_damping(beta, compliance)
    return -np.linalg.solve(compliance, phi + damping @ phidot)


def soft_energy(phi: ArrayLike, alpha: ArrayLike) -> float:
    """Return the potential energy ``phi^T alpha^-1 phi / 2`` of soft constraints (Lloyd 0.11), J.

    Raises
    ------
    InvalidArgument
        If ``alpha`` is not positive definite or the shape of ``phi`` does not fit.
    """
    phi = arguments.single_vector("phi", phi, None)
    return float(phi @ np.linalg.solve(_check_compliance(alpha, len(phi)), phi) / 2)


def target_and_regularization(
    phi: ArrayLike, alpha: ArrayLike, beta: ArrayLike, h: float
) -> tuple[Array, Array]:
    """Return g and R of soft constraints in a step, ``G v + R impulse = g`` (Lloyd eq. (0.9)).

    ``BilateralRows(G, *target_and_regularization(phi, alpha, beta, h))`` are the rows of a
    :class:`rbnotes.dynamics.StepProblem`.

    Parameters
    ----------
    phi : (k,)
        Constraint errors at the start of the step, m or rad.
    alpha, beta : number, (k,) or (k, k)
        Parameters of :func:`soft_force`, m/N and s; here alpha may be singular, for hard constraints.
    h : float
        Step size, s.

    Returns
    -------
    target : (k,)
        Target g, m/s.
    regularization : (k, k)
        Regularization R, 1/kg; symmetric if the damping coefficient ``alpha^-1 beta`` is.

    Raises
    ------
    InvalidArgument
        If alpha is not symmetric, alpha or beta has a negative eigenvalue, or the damping adds energy.
    """
    phi = arguments.single_vector("phi", phi, None)
    h = arguments.positive_number("h", h)
    compliance = arguments.symmetric("alpha", _diagonal_or_square("alpha", alpha, len(phi)), len(phi))
    _check_nonnegative("alpha", np.linalg.eigvalsh(compliance))
    damping = _check_damping(beta, compliance)
    gamma = np.linalg.inv(np.eye(len(phi)) / 2 + damping / h)
    return -gamma @ phi / h, gamma @ compliance / h**2


def _diagonal_or_square(name: str, value: ArrayLike, k: int) -> Array:
    """Return a number or one number for each row as a diagonal matrix, and a matrix unchanged."""
    array = arguments.array(name, value)
    if array.ndim == 2 and array.shape == (k, k):
        return array
    if array.shape not in ((), (k,)):
        raise InvalidArgument(name, f"shape {array.shape}", f"a number, or shape ({k},) or ({k}, {k})")
    return np.diag(np.broadcast_to(array, (k,)))


def _check_compliance(alpha: ArrayLike, k: int) -> Array:
    return arguments.positive_definite("alpha", _diagonal_or_square("alpha", alpha, k), k)


def _check_damping(beta: ArrayLike, compliance: Array) -> Array:
    """Return beta as a matrix after checking that the damping does not add energy."""
    damping = _diagonal_or_square("beta", beta, len(compliance))
    _check_nonnegative("beta", np.linalg.eigvals(damping).real)  # the only condition if alpha is zero
    # alpha (alpha^-1 beta) alpha also exists for a singular alpha and has the signs of alpha^-1 beta.
    product = damping @ compliance
    powers = np.linalg.eigvalsh((product + product.T) / 2)
    if np.min(powers, initial=0.0) < -EIGENVALUE_TOLERANCE * np.max(np.abs(product), initial=0.0):
        raise InvalidArgument(
            "beta",
            "a damping alpha^-1 beta that adds energy at some rates",
            "one that dissipates at all rates",
        )
    return damping


def _check_nonnegative(name: str, eigenvalues: Array) -> None:
    smallest = np.min(eigenvalues, initial=0.0)
    if smallest < -EIGENVALUE_TOLERANCE * np.max(np.abs(eigenvalues), initial=0.0):
        raise InvalidArgument(name, f"an eigenvalue {smallest:.3g}", "no eigenvalue below 0")
