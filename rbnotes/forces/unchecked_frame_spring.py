"""The formulas of :mod:`rbnotes.forces.frame_spring`: arguments are not checked.

Each function has the name, arguments, result and source of the public function there.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from rbnotes.arguments import Array
from rbnotes.unchecked import se3, so3
from rbnotes.unchecked.linear_algebra import matvec


class FrameSpringParameters(Protocol):
    """Parameters of a frame spring."""

    @property
    def X_1(self) -> Array: ...

    @property
    def X_2(self) -> Array: ...

    @property
    def K_t(self) -> Array: ...

    @property
    def K_r(self) -> Array: ...

    @property
    def D_t(self) -> Array: ...

    @property
    def D_r(self) -> Array: ...

    @property
    def damping(self) -> str: ...


def frame_displacement(spring: FrameSpringParameters, E: Array) -> Array:
    return se3.inverse(E[..., 0, :, :] @ spring.X_1) @ E[..., 1, :, :] @ spring.X_2


def frame_spring_energy(spring: FrameSpringParameters, E: Array) -> Array:
    relative = frame_displacement(spring, E)
    w, r = so3.log(relative[..., :3, :3]), relative[..., :3, 3]
    return (_quadratic_form(spring.K_t, r) + _quadratic_form(spring.K_r, w)) / 2


def frame_spring_forces(spring: FrameSpringParameters, E: Array, phi: Array) -> tuple[Array, Array, Array]:
    relative = frame_displacement(spring, E)
    R, r = relative[..., :3, :3], relative[..., :3, 3]
    to_frames = _body_to_frame_twists(spring)
    phi_frames = matvec(to_frames, phi.reshape(*phi.shape[:-2], 12))

    strain_rates = _strain_rate_matrix(R, r, in_frame_1=True)
    elastic_force, hessian = _elastic_force_and_stiffness(spring, so3.log(R), r)
    K = strain_rates.mT @ hessian @ strain_rates + _geometric_stiffness(elastic_force, R, strain_rates, True)
    w = matvec(strain_rates.mT, elastic_force)

    in_frame_1 = spring.damping == "displacement"
    rates = _strain_rate_matrix(R, r, in_frame_1=in_frame_1)
    viscosity = _block_diagonal(spring.D_r, spring.D_t)
    damping_force = matvec(viscosity, matvec(rates, phi_frames))
    D = rates.mT @ viscosity @ rates
    rates_derivative = _strain_rate_derivative(R, phi_frames, strain_rates, in_frame_1)
    K = (
        K
        + rates.mT @ viscosity @ rates_derivative
        + _geometric_stiffness(damping_force, R, strain_rates, in_frame_1)
    )
    w = w + matvec(rates.mT, damping_force)

    w = -matvec(to_frames.mT, w)
    K, D = (-to_frames.mT @ matrix @ to_frames for matrix in (K, D))
    return w.reshape(*w.shape[:-1], 2, 6), K, D


def frame_spring_dissipated_power(spring: FrameSpringParameters, E: Array, phi: Array) -> Array:
    relative = frame_displacement(spring, E)
    rates = _strain_rate_matrix(
        relative[..., :3, :3], relative[..., :3, 3], in_frame_1=spring.damping == "displacement"
    )
    rate = matvec(rates @ _body_to_frame_twists(spring), phi.reshape(*phi.shape[:-2], 12))
    return _quadratic_form(spring.D_r, rate[..., :3]) + _quadratic_form(spring.D_t, rate[..., 3:])


# Below, all is written in frame 1, and twists and increments (..., 12) are those of frames 1 and 2, each in
# its own axes. An increment xi turns R by the left increment theta and moves r by delta:
# (theta, delta) = strain_rates xi.


def _body_to_frame_twists(spring: FrameSpringParameters) -> Array:
    """Return the matrix ``(..., 12, 12)`` from twists of the bodies to twists of frames 1 and 2."""
    return _block_diagonal(se3.Ad_inverse(spring.X_1), se3.Ad_inverse(spring.X_2))


def _strain_rate_matrix(R: Array, r: Array, *, in_frame_1: bool) -> Array:
    """Return the matrix ``(..., 6, 12)`` from twists to the relative angular velocity and dr/dt.

    Without ``in_frame_1``, the latter is the relative velocity of the origins.
    """
    C = np.zeros((*r.shape[:-1], 6, 12))
    C[..., :3, :3] = C[..., 3:, 3:6] = -np.eye(3)
    C[..., :3, 6:9] = C[..., 3:, 9:] = R
    if in_frame_1:
        C[..., 3:, :3] = so3.hat(r)
    return C


def _elastic_force_and_stiffness(spring: FrameSpringParameters, w: Array, r: Array) -> tuple[Array, Array]:
    """Return first and second derivatives of the energy along (theta, delta): ``(..., 6), (..., 6, 6)``."""
    left_inverse = so3.left_jacobian_inverse(w)
    tau = matvec(left_inverse.mT @ spring.K_r, w)
    # tau solves J^T tau = K_r w, so J^T dtau = K_r dw - (dJ)^T tau, with dw = J^-1 theta.
    dJ = so3.left_jacobian_dot(w[..., None, :], np.eye(3))
    curvature = np.einsum("...kij,...i->...jk", dJ, tau)
    tau_derivative = left_inverse.mT @ (spring.K_r - curvature) @ left_inverse
    return np.concatenate([tau, matvec(spring.K_t, r)], axis=-1), _block_diagonal(tau_derivative, spring.K_t)


def _geometric_stiffness(force: Array, R: Array, strain_rates: Array, in_frame_1: bool) -> Array:
    """Return the derivative ``(..., 12, 12)`` of rates^T force along increments at a constant force."""
    theta, delta = strain_rates[..., :3, :], strain_rates[..., 3:, :]
    tau, f = so3.hat(force[..., :3]), so3.hat(force[..., 3:])
    G = np.zeros((*force.shape[:-1], 12, 12))
    if in_frame_1:
        G[..., :3, :] = f @ delta
    G[..., 6:9, :] = R.mT @ tau @ theta
    G[..., 9:, :] = R.mT @ f @ theta
    return G


def _strain_rate_derivative(R: Array, phi: Array, strain_rates: Array, in_frame_1: bool) -> Array:
    """Return the derivative ``(..., 6, 12)`` of rates phi along increments at constant twists."""
    theta, delta = strain_rates[..., :3, :], strain_rates[..., 3:, :]
    angular = -so3.hat(matvec(R, phi[..., 6:9])) @ theta
    linear = -so3.hat(matvec(R, phi[..., 9:])) @ theta
    if in_frame_1:
        linear = linear - so3.hat(phi[..., :3]) @ delta
    return np.concatenate([angular, linear], axis=-2)


def _quadratic_form(A: Array, x: Array) -> Array:
    result: Array = np.einsum("...i,...ij,...j->...", x, A, x)
    return result


def _block_diagonal(A: Array, B: Array) -> Array:
    n = A.shape[-1]
    result = np.zeros((*np.broadcast_shapes(A.shape[:-2], B.shape[:-2]), n + B.shape[-1], n + B.shape[-1]))
    result[..., :n, :n], result[..., n:, n:] = A, B
    return result
