"""Checks of rotations, poses, twists and their matrices, unit vectors and quaternions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes.arguments.numbers import all_true, array
from rbnotes.arguments.types_and_errors import Array, InvalidArgument, SingularConfiguration

ROTATION_TOLERANCE = 1e-8
"""Largest accepted entry of |R^T R - I|, which allows for rounding after thousands of products."""

UNIT_TOLERANCE = 1e-8
"""Largest accepted deviation of a unit vector's or unit quaternion's length from 1."""

FULL_TURN_TOLERANCE = 1e-8
"""Distance from a multiple of 2 pi below which angles count as full turns."""

_LAST_ROW = [0.0, 0.0, 0.0, 1.0]


def twist(name: str, value: ArrayLike) -> Array:
    """Return finite twists or wrenches ``(..., 6)``, angular part first.

    Raises InvalidArgument for anything else.
    """
    return array(name, value, 6)


def rotation_vector(name: str, value: ArrayLike, *, full_turns: bool = True) -> Array:
    """Return rotation vectors ``(..., 3)``, axis times angle, whose squares do not overflow.

    Raises
    ------
    SingularConfiguration
        If ``full_turns`` is False and the angle is a positive multiple of 2 pi.
    """
    w = array(name, value, 3)
    if not full_turns:
        _check_no_full_turn(name, w)
    return w


def twist_vector(name: str, value: ArrayLike, *, full_turns: bool = True) -> Array:
    """Return twists ``(..., 6)`` whose angular part is a :func:`rotation_vector`, for an exponential.

    Raises InvalidArgument for anything else.
    """
    xi = array(name, value, 6)
    if not full_turns:
        _check_no_full_turn(name, xi[..., :3])
    return xi


def unit_vector(name: str, value: ArrayLike, size: int = 3) -> Array:
    """Return vectors ``(..., size)`` of length 1 within ``UNIT_TOLERANCE``.

    Raises InvalidArgument for anything else.
    """
    result = array(name, value, size)
    # einsum, unlike norm, does not warn where squares overflow
    error = np.abs(np.sqrt(np.einsum("...i,...i->...", result, result)) - 1)
    if not all_true(error <= UNIT_TOLERANCE):
        got = f"a length that differs from 1 by {np.max(error):.3g}"
        raise InvalidArgument(name, got, "unit length" + _precision_hint(value))
    return result


def unit_quaternion(name: str, value: ArrayLike) -> Array:
    """Return quaternions ``(..., 4)``, scalar first, of length 1 within ``UNIT_TOLERANCE``.

    Raises InvalidArgument for anything else.
    """
    return unit_vector(name, value, 4)


def rotation(name: str, value: ArrayLike) -> Array:
    """Return rotation matrices ``(..., 3, 3)``: orthonormal within ``ROTATION_TOLERANCE``, determinant +1.

    Raises InvalidArgument for anything else.
    """
    R = array(name, value, 3, 3)
    if not (R.ndim == 2 and _is_rotation(*R.tolist())):
        _check_rotations(name, R, value)
    return R


def frame(name: str, value: ArrayLike) -> Array:
    """Return poses ``(..., 4, 4)``: a rotation, a translation and the last row (0, 0, 0, 1).

    Raises InvalidArgument for anything else.
    """
    E = array(name, value, 4, 4)
    if E.ndim == 2:
        *rows, last = E.tolist()
        if last == _LAST_ROW and _is_rotation(*rows):
            return E
    error = np.abs(E[..., 3, :] - _LAST_ROW)
    if not all_true(error <= ROTATION_TOLERANCE):
        got = f"a last row {np.max(error):.3g} off (0, 0, 0, 1)"
        raise InvalidArgument(name, got, "a rigid transformation")
    _check_rotations(name, E[..., :3, :3], value)
    return E


def skew_symmetric(name: str, value: ArrayLike) -> Array:
    """Return cross-product matrices ``(..., 3, 3)``, skew-symmetric to rounding.

    Raises InvalidArgument for anything else.
    """
    W = array(name, value, 3, 3)
    _check_skew_symmetric(name, W)
    return W


def twist_matrix(name: str, value: ArrayLike) -> Array:
    """Return matrices ``(..., 4, 4)`` of twists: a cross-product matrix, a velocity and a last row of zeros.

    Raises InvalidArgument for anything else.
    """
    X = array(name, value, 4, 4)
    if not all_true(np.abs(X[..., 3, :]) <= 1e-10 * _entry_scale(X)[..., None]):
        raise InvalidArgument(name, "a last row other than zero", "the matrix of a twist")
    _check_skew_symmetric(name, X[..., :3, :3])
    return X


def _precision_hint(value: ArrayLike) -> str:
    """Return a hint for messages about values that have the rounding of single precision."""
    dtype = np.asarray(value).dtype
    return f" in float64, not rounded to {dtype}" if dtype in (np.float16, np.float32) else ""


def _check_no_full_turn(name: str, w: Array) -> None:
    """Raise an error if an angle is a positive multiple of 2 pi, where the exponential map is singular."""
    revolutions = np.linalg.norm(w, axis=-1) / (2 * np.pi)
    distance = np.abs(revolutions - np.round(revolutions)) * 2 * np.pi
    if np.any((np.round(revolutions) > 0) & (distance < FULL_TURN_TOLERANCE)):
        got = f"an angle within {FULL_TURN_TOLERANCE:g} of a multiple of 2 pi"
        raise SingularConfiguration(name, got, "an angle away from it")


def _is_rotation(row1: list[float], row2: list[float], row3: list[float]) -> bool:
    """Return True if three rows form a rotation matrix; for one matrix, much faster than NumPy.

    Rows may have further entries. The caller examines rejected matrices again.
    """
    (a, b, c, *_), (d, e, f, *_), (g, h, i, *_) = row1, row2, row3
    return (
        abs(a * a + d * d + g * g - 1) <= ROTATION_TOLERANCE
        and abs(b * b + e * e + h * h - 1) <= ROTATION_TOLERANCE
        and abs(c * c + f * f + i * i - 1) <= ROTATION_TOLERANCE
        and abs(a * b + d * e + g * h) <= ROTATION_TOLERANCE
        and abs(a * c + d * f + g * i) <= ROTATION_TOLERANCE
        and abs(b * c + e * f + h * i) <= ROTATION_TOLERANCE
        and a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g) > 0
    )


def _check_rotations(name: str, R: Array, value: ArrayLike) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        error = np.abs(R.mT @ R - np.eye(3))
    if not all_true(error <= ROTATION_TOLERANCE):  # also catches NaN from entries that overflow
        got = f"a matrix with max |R^T R - I| = {np.max(error):.3g}"
        raise InvalidArgument(name, got, "a rotation matrix" + _precision_hint(value))
    if not all_true(np.linalg.det(R) > 0):
        raise InvalidArgument(name, "a reflection (determinant -1)", "a rotation matrix (determinant +1)")


def _check_skew_symmetric(name: str, W: Array) -> None:
    defect = np.max(np.abs(W + W.mT), axis=(-1, -2), initial=0.0)
    if not all_true(defect <= 1e-10 * _entry_scale(W)):
        got = f"a matrix with max |W + W^T| = {np.max(defect):.3g}"
        raise InvalidArgument(name, got, "a skew-symmetric matrix")


def _entry_scale(A: Array) -> Array:
    """Return the largest entry of each matrix, at least 1."""
    size: Array = np.max(np.abs(A), axis=(-1, -2), initial=1.0)
    return size
