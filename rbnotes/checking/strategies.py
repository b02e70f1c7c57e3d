"""Hypothesis strategies for the objects of rigid-body dynamics.

Numbers are multiples of 1/64 of moderate size, so that counterexamples shrink to something that can be read
and repeated by hand, and no check fails for bad scaling alone.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from scipy.spatial.transform import Rotation

from rbnotes.arguments import Array

Angles = Literal["any", "small", "near_pi", "large"]
GRID = 64


def numbers(low: float = -2.0, high: float = 2.0) -> SearchStrategy[float]:
    """Numbers of ``[low, high]``, multiples of 1/64."""
    return st.integers(math.ceil(low * GRID), math.floor(high * GRID)).map(lambda k: k / GRID)


def positive_numbers(low: float = 0.25, high: float = 4.0) -> SearchStrategy[float]:
    """Masses, stiffnesses, step sizes: positive, within a factor of sixteen."""
    return numbers(low, high)


def vectors(size: int = 3, low: float = -2.0, high: float = 2.0) -> SearchStrategy[Array]:
    """Vectors ``(size,)``; zero entries occur."""
    return st.lists(numbers(low, high), min_size=size, max_size=size).map(
        lambda entries: np.array(entries, dtype=float)
    )


def arrays(*shape: int) -> SearchStrategy[Array]:
    """Arrays of numbers from -2 up to 2, in a single draw: for many numbers, quick to make and to shrink."""
    size = math.prod(shape)
    return st.binary(min_size=size, max_size=size).map(
        lambda drawn: np.frombuffer(drawn, dtype=np.int8).reshape(shape) / GRID
    )


def nonzero_vectors(size: int = 3, shortest: float = 0.25) -> SearchStrategy[Array]:
    """Vectors at least ``shortest`` long."""
    return vectors(size).filter(lambda x: bool(np.linalg.norm(x) >= shortest))


def unit_vectors(size: int = 3) -> SearchStrategy[Array]:
    """Directions."""
    return nonzero_vectors(size).map(lambda x: x / np.linalg.norm(x))


def matrices(rows: int, columns: int) -> SearchStrategy[Array]:
    """Matrices ``(rows, columns)``, of any rank."""
    return vectors(rows * columns).map(lambda entries: entries.reshape(rows, columns))


def full_rank_matrices(rows: int, columns: int) -> SearchStrategy[Array]:
    """Matrices whose smallest singular value is at least 0.2 (constraint matrices, say)."""
    return matrices(rows, columns).filter(lambda A: bool(np.linalg.svd(A, compute_uv=False)[-1] >= 0.2))


def spd_matrices(size: int) -> SearchStrategy[Array]:
    """Symmetric positive definite matrices with eigenvalues of at least 1/2."""
    return matrices(size, size).map(lambda A: A @ A.T / size + 0.5 * np.eye(size))


def nearly_singular_spd_matrices(size: int) -> SearchStrategy[Array]:
    """Symmetric positive definite matrices whose smallest eigenvalue is one of 1e-2, 1e-3, ..., 1e-10."""
    flat = matrices(size, size - 1).map(lambda B: B @ B.T / size)
    return st.builds(lambda A, offset: A + offset * np.eye(size), flat, _offsets())


def rotation_vectors(angles: Angles = "any") -> SearchStrategy[Array]:
    """Axis times angle.

    The angle is ``any`` from 0 to pi, which itself occurs; or ``small``, one of 1e-2, 1e-3, ..., 1e-10; or
    ``near_pi``, short of it by as much; or ``large``, between pi and 4 pi.
    """
    sizes: dict[Angles, SearchStrategy[float]] = {
        # Not one_of: a half turn, which takes no number, would then be the simplest of all.
        "any": st.builds(lambda angle, kind: np.pi if kind == 7 else angle, numbers(0, 3), st.integers(0, 7)),
        "small": _offsets(),
        "near_pi": _offsets().map(lambda offset: np.pi - offset),
        "large": numbers(np.pi, 4 * np.pi),
    }
    return st.builds(lambda axis, angle: axis * angle, unit_vectors(), sizes[angles])


def rotations(angles: Angles = "any") -> SearchStrategy[Array]:
    """Rotation matrices ``(3, 3)``."""
    return rotation_vectors(angles).map(lambda r: Rotation.from_rotvec(r).as_matrix())


def unit_quaternions(angles: Angles = "any") -> SearchStrategy[Array]:
    """Unit quaternions ``(4,)``, scalar first, of either sign."""
    quaternions = rotation_vectors(angles).map(lambda r: np.roll(Rotation.from_rotvec(r).as_quat(), 1))
    return st.builds(lambda q, sign: sign * q, quaternions, st.sampled_from((1.0, -1.0)))


def frames(angles: Angles = "any") -> SearchStrategy[Array]:
    """Poses ``(4, 4)``."""
    return st.builds(_frame, rotations(angles), vectors())


def twists() -> SearchStrategy[Array]:
    """Twists or wrenches ``(6,)``, angular part first."""
    return vectors(6)


def masses() -> SearchStrategy[float]:
    """Masses."""
    return positive_numbers()


def inertias() -> SearchStrategy[Array]:
    """Rotational inertias ``(3, 3)`` that a body can have, built from second moments of its mass."""

    def inertia(second_moments: Array) -> Array:
        result: Array = np.trace(second_moments) * np.eye(3) - second_moments
        return result

    return spd_matrices(3).map(inertia)


def _offsets() -> SearchStrategy[float]:
    return st.integers(2, 10).map(lambda k: 10.0**-k)


def _frame(R: Array, p: Array) -> Array:
    E = np.eye(4)
    E[:3, :3], E[:3, 3] = R, p
    return E
