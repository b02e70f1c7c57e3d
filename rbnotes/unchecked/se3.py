"""Formulas of :mod:`rbnotes.se3` for checked arrays, without argument checks.

Each function has the name, arguments, result and source of the public function that checks its arguments.
"""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array
from rbnotes.unchecked import so3
from rbnotes.unchecked.linear_algebra import IDENTITY, matvec


def frame(R: Array, p: Array) -> Array:
    E = np.zeros((*np.broadcast_shapes(R.shape[:-2], p.shape[:-1]), 4, 4))
    E[..., :3, :3], E[..., :3, 3], E[..., 3, 3] = R, p, 1
    return E


def inverse(E: Array) -> Array:
    R, p = _rotation_and_origin(E)
    Rt = R.mT
    return frame(Rt, -matvec(Rt, p))


def transform_points(E: Array, x: Array) -> Array:
    R, p = _rotation_and_origin(E)
    return matvec(R, x) + p


def hat(xi: Array) -> Array:
    X = np.zeros((*xi.shape[:-1], 4, 4))
    X[..., :3, :3], X[..., :3, 3] = so3.hat(xi[..., :3]), xi[..., 3:]
    return X


def vee(X: Array) -> Array:
    return np.concatenate([so3.vee(X[..., :3, :3]), X[..., :3, 3]], axis=-1)


def exp(xi: Array) -> Array:
    w, v = _angular_and_linear(xi)
    return frame(so3.exp(w), matvec(so3.left_jacobian(w), v))


def log(E: Array) -> Array:
    R, p = _rotation_and_origin(E)
    w = so3.log(R)
    return np.concatenate([w, matvec(so3.left_jacobian_inverse(w), p)], axis=-1)


def Ad(E: Array) -> Array:
    R, p = _rotation_and_origin(E)
    return _lower_triangular(R, so3.hat(p) @ R)


def Ad_inverse(E: Array) -> Array:
    R, p = _rotation_and_origin(E)
    Rt = R.mT
    return _lower_triangular(Rt, -Rt @ so3.hat(p))


def ad(xi: Array) -> Array:
    w, v = _angular_and_linear(xi)
    return _lower_triangular(so3.hat(w), so3.hat(v))


def Ad_dot(E: Array, xi: Array) -> Array:
    return Ad(E) @ ad(xi)


def Ad_inverse_dot(E: Array, xi: Array) -> Array:
    return -ad(xi) @ Ad_inverse(E)


def left_jacobian(xi: Array) -> Array:
    w, v = _angular_and_linear(xi)
    # The series of so3.left_jacobian in the block matrix ad(xi): its lower block is the derivative along v.
    return _lower_triangular(so3.left_jacobian(w), so3.left_jacobian_dot(w, v))


def right_jacobian(xi: Array) -> Array:
    return left_jacobian(-xi)


def left_jacobian_inverse(xi: Array) -> Array:
    w, v = _angular_and_linear(xi)
    inverse = so3.left_jacobian_inverse(w)
    return _lower_triangular(inverse, -inverse @ so3.left_jacobian_dot(w, v) @ inverse)


def right_jacobian_inverse(xi: Array) -> Array:
    return left_jacobian_inverse(-xi)


def left_jacobian_dot(xi: Array, xidot: Array) -> Array:
    (w, v), (wdot, vdot) = _angular_and_linear(xi), _angular_and_linear(xidot)
    return _lower_triangular(
        so3.left_jacobian_dot(w, wdot),
        so3.left_jacobian_dot(w, vdot) + so3.left_jacobian_hessian(w, v, wdot),
    )


def right_jacobian_dot(xi: Array, xidot: Array) -> Array:
    return left_jacobian_dot(-xi, -xidot)


def left_jacobian_inverse_dot(xi: Array, xidot: Array) -> Array:
    inverse = left_jacobian_inverse(xi)
    return -inverse @ left_jacobian_dot(xi, xidot) @ inverse


def right_jacobian_inverse_dot(xi: Array, xidot: Array) -> Array:
    return left_jacobian_inverse_dot(-xi, -xidot)


def interpolate(E0: Array, E1: Array, t: Array) -> Array:
    return E0 @ exp(t[..., None] * log(inverse(E0) @ E1))


def Gamma(x: Array) -> Array:
    result = np.zeros((*x.shape, 6))
    result[..., :3], result[..., 3:] = -so3.hat(x), IDENTITY
    return result


def point_velocity(E: Array, x: Array, xi: Array) -> Array:
    R, _ = _rotation_and_origin(E)
    return matvec(R, matvec(Gamma(x), xi))


def point_wrench(E: Array, x: Array, f: Array) -> Array:
    R, _ = _rotation_and_origin(E)
    local = matvec(R.mT, f)
    return matvec(Gamma(x).mT, local)


def _rotation_and_origin(E: Array) -> tuple[Array, Array]:
    """Return rotation and origin of a pose."""
    return E[..., :3, :3], E[..., :3, 3]


def _angular_and_linear(xi: Array) -> tuple[Array, Array]:
    """Return angular and linear part of a twist."""
    return xi[..., :3], xi[..., 3:]


def _lower_triangular(diagonal: Array, below: Array) -> Array:
    result = np.zeros((*diagonal.shape[:-2], 6, 6))
    result[..., :3, :3] = result[..., 3:, 3:] = diagonal
    result[..., 3:, :3] = below
    return result
