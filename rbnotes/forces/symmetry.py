"""Asymmetry of the Jacobians of forces on rigid bodies (Lloyd 0.23).

Derivatives along rotations do not commute. For forces with a potential, the wrenches w therefore determine
the skew part of K = +dw/dxi, whatever the potential; it vanishes where they do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.unchecked import so3

AXES_OPTIONS = ("body", "world")


def asymmetry(w: ArrayLike, *, axes: str = "body") -> Array:
    """Return ``K - K^T`` of forces with a potential, from the wrenches alone.

    Along body-frame increments of one body it is ``(([tau], [f]), ([f], 0))`` and in world axes
    ``((-[tau], 0), (0, 0))``: there, only torques about the bodies' origins make K unsymmetric. ``axes``
    are as in :func:`rbnotes.forces.world_axes.rotate_to_world`.

    Parameters
    ----------
    w : (..., n, 6)
        Wrenches on n bodies, N m and N, in the axes named.
    axes : {"body", "world"}

    Returns
    -------
    (..., 6n, 6n)
        In the axes named, N m and N.

    Raises
    ------
    InvalidArgument
        If ``axes`` is not one of the names or the shape of ``w`` does not fit.
    """
    w = arguments.array("w", w, None, 6)
    arguments.choice("axes", axes, AXES_OPTIONS)
    n = w.shape[-2]
    bodies = np.arange(n)
    result = np.zeros((*w.shape[:-2], n, 6, n, 6))
    tau, f = np.moveaxis(so3.hat(w[..., :3]), -3, 0), np.moveaxis(so3.hat(w[..., 3:]), -3, 0)
    if axes == "body":
        result[..., bodies, :3, bodies, :3] = tau
        result[..., bodies, :3, bodies, 3:] = result[..., bodies, 3:, bodies, :3] = f
    else:
        result[..., bodies, :3, bodies, :3] = -tau
    return result.reshape(*w.shape[:-2], 6 * n, 6 * n)


def inertia_variation(J: ArrayLike, theta: ArrayLike) -> Array:
    """Return the first-order change ``(..., 3, 3)`` of an inertia in world axes by a rotation (Lloyd 0.23).

    Parameters
    ----------
    J : (..., 3, 3)
        Rotational inertia in world axes, kg m^2.
    theta : (..., 3)
        Small rotation in world axes, rad.

    Raises
    ------
    InvalidArgument
        If ``J`` is not symmetric or the shape of ``theta`` does not fit.
    """
    J, theta = arguments.symmetric("J", J), arguments.vector("theta", theta)
    arguments.common_shape(J=J.shape[:-2], theta=theta.shape[:-1])
    theta_hat = so3.hat(theta)
    return theta_hat @ J - J @ theta_hat


def inertia_stiffness(J: ArrayLike, tau: ArrayLike) -> Array:
    """Return X of Lloyd 0.23: at constant torque, J times the acceleration changes by -X theta.

    In world axes the equations of a linearly implicit step have X in addition to the stiffness of the torque:
    ``M v+ = M v + h (f + df - X theta)``, with ``X = -[tau] + J [J^-1 tau]``.

    Parameters
    ----------
    J : (..., 3, 3)
        Rotational inertia in world axes, kg m^2, positive definite.
    tau : (..., 3)
        Torque in world axes, N m.

    Raises
    ------
    InvalidArgument
        If ``J`` is not positive definite or the shape of ``tau`` does not fit.
    """
    J, tau = _check_torque(J, tau)
    acceleration = np.linalg.solve(J, tau[..., None])[..., 0]
    return J @ so3.hat(acceleration) - so3.hat(tau)


def inertia_asymmetry(J: ArrayLike, tau: ArrayLike) -> Array:
    """Return ``X - X^T = [(tr(J) I - 3 J) J^-1 tau]`` of :func:`inertia_stiffness` ``(..., 3, 3)``.

    It vanishes exactly if the acceleration J^-1 tau is zero or a principal axis whose moment of inertia is
    the mean of the three; for every torque if they are equal.

    Raises InvalidArgument if ``J`` is not positive definite or the shape of ``tau`` does not fit.
    """
    J, tau = _check_torque(J, tau)
    acceleration = np.linalg.solve(J, tau[..., None])
    trace = np.trace(J, axis1=-2, axis2=-1)[..., None, None]
    return so3.hat((trace * acceleration - 3 * J @ acceleration)[..., 0])


def _check_torque(J: ArrayLike, tau: ArrayLike) -> tuple[Array, Array]:
    J, tau = arguments.positive_definite("J", J), arguments.vector("tau", tau)
    arguments.common_shape(J=J.shape[:-2], tau=tau.shape[:-1])
    return J, tau
