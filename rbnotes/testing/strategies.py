"""Hypothesis strategies for the objects of rigid-body dynamics.

Numbers are multiples of 1/64 of moderate size, so that counterexamples are short and no check fails because
of bad scaling. Inside :func:`region` the same draws give other numbers: tenths, tiny ones, large ones, angles
near a half turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from scipy.spatial.transform import Rotation

from rbnotes.arguments import Array

Angles = Literal["any", "small", "near_pi", "large"]
Region = Literal[
    "generic",
    "tenths",
    "non-dyadic",
    "tiny",
    "near pi",
    "large",
    "degenerate",
    "special angle",
    "rescaled",
    "other size",
    "special geometry",
]
GRID_DENOMINATOR = 64
NON_DYADIC_DENOMINATOR = 65.243809
"""Denominator of numbers that use all binary digits, so that sums of products are rounded."""
MAX_LARGE_EXPONENT, MAX_PI_OFFSET_EXPONENT = 3, 8
"""Orders of magnitude of large numbers, and of the distance of angles from pi."""
QUATERNION_SIZE = 4
ZERO_VECTOR_PERIOD, AXIS_ALIGNED_PERIOD = 4, 2
"""Average number of degenerate vectors per zero vector, and per vector along an axis if zero is excluded."""
TINY_EXPONENTS = (1, 2, 3, 3, 4, 4, 5, 6, 7, 8, 8, 9, 9, 12)
"""Orders of magnitude of tiny numbers: mostly those where a series and its closed form differ in some digits.

They range from the switch to the series to a cosine that rounds to 1.
"""


@dataclass
class AngleTarget:
    """Angle that draws in the region ``special angle`` have.

    Attributes
    ----------
    angle
        Angle, or length of rotation vectors, rad.
    """

    angle: float


_region: Region = "generic"
_target = AngleTarget(np.pi)


@contextmanager
def region(name: Region) -> Iterator[None]:
    """Return a context in which numbers are drawn from a region; the underlying choices stay the same.

    Properties that a strategy guarantees (unit vectors, rotations, full rank, positive masses) hold in each
    region. Numbers that may vanish are ``tiny`` (down to 1e-12) in two cases of three, or ``degenerate``
    (integers, so that zeros, parallel and equal vectors, and directions along an axis are common); all
    numbers except angles are ``large`` (up to a thousand times larger); angles and rotation vectors are
    ``near pi``, and one other number, which may be a joint coordinate, is near a quarter or half turn. All
    numbers except ``generic``, ``tenths`` and ``degenerate`` ones are ``non-dyadic``. Angles, rotation
    vectors and one other number take the angle of :func:`angles_at` in the region ``special angle``. The
    challenge makes ``rescaled`` arguments, arrays of ``other size`` and vectors of ``special geometry`` from
    ``non-dyadic`` ones. Numbers
    that are ``tenths`` are the generic ones, rounded: they are easy to read. There, unit vectors and rotation
    matrices of any angle have entries of two decimals, and unit quaternions of one.
    """
    global _region
    previous = _region
    _region = name
    try:
        yield
    finally:
        _region = previous


@contextmanager
def angles_at(target: AngleTarget) -> Iterator[None]:
    """Return a context in the region ``special angle``, in which angles and rotation vectors have one size.

    The target may change between two draws. Angles that strategies keep below pi do not exceed it.
    """
    global _target
    previous = _target
    _target = target
    try:
        with region("special angle"):
            yield
    finally:
        _target = previous


def numbers(low: float = -2.0, high: float = 2.0) -> SearchStrategy[float]:
    """Draw numbers in ``[low, high]``, multiples of 1/64."""
    integers = st.integers(math.ceil(low * GRID_DENOMINATOR), math.floor(high * GRID_DENOMINATOR))
    return integers.map(lambda k: float(_map_to_region([k / GRID_DENOMINATOR], low, high)[0]))


def positive_numbers(low: float = 0.25, high: float = 4.0) -> SearchStrategy[float]:
    """Draw positive numbers within a factor of sixteen, such as masses, stiffnesses and step sizes."""
    return numbers(low, high)


def vectors(size: int = 3, low: float = -2.0, high: float = 2.0) -> SearchStrategy[Array]:
    """Draw vectors ``(size,)``, zero entries included."""
    return _grid_lists(size, low, high).map(partial(_map_to_region, low=low, high=high))


def arrays(*shape: int) -> SearchStrategy[Array]:
    """Draw arrays of numbers in [-2, 2) at once, which is fast to draw and to shrink."""
    size = math.prod(shape)
    return st.binary(min_size=size, max_size=size).map(
        lambda data: _map_to_region(np.frombuffer(data, dtype=np.int8) / GRID_DENOMINATOR, -2, 2).reshape(
            shape
        )
    )


def nonzero_vectors(size: int = 3, shortest: float = 0.25) -> SearchStrategy[Array]:
    """Draw vectors of at least the length ``shortest``."""
    strategy = _grid_lists(size, -2.0, 2.0).map(partial(_map_to_region, low=-2.0, high=2.0, may_vanish=False))
    return strategy.filter(lambda x: bool(np.linalg.norm(x) >= shortest))


def nonsingular_rotation_vectors(
    strategy: SearchStrategy[Array], shortest: float, longest: float = math.inf
) -> SearchStrategy[Array]:
    """Draw rotation vectors away from singularities of a formula: from 0, and from pi.

    Generic ones keep their distance. Tiny ones may be arbitrarily short but not zero, and those near pi
    arbitrarily close to it: a right formula keeps enough digits there.
    """

    def is_inside(w: Array) -> bool:
        length = float(np.linalg.norm(w))
        low = np.nextafter(0, 1) if _region in ("tiny", "special angle") else shortest
        high = max(np.nextafter(np.pi, 0), longest) if _region in ("near pi", "special angle") else longest
        return bool(low <= length <= high)

    return strategy.filter(is_inside)


def unit_vectors(size: int = 3) -> SearchStrategy[Array]:
    """Draw unit vectors."""
    return nonzero_vectors(size).map(_normalize_in_region)


def matrices(rows: int, columns: int) -> SearchStrategy[Array]:
    """Draw matrices ``(rows, columns)`` of any rank."""
    return vectors(rows * columns).map(lambda entries: entries.reshape(rows, columns))


def full_rank_matrices(rows: int, columns: int) -> SearchStrategy[Array]:
    """Draw matrices whose smallest singular value is at least 0.2, such as constraint matrices."""
    return matrices(rows, columns).filter(lambda A: bool(np.linalg.svd(A, compute_uv=False)[-1] >= 0.2))


def spd_matrices(
    size: int, factors: Callable[[int, int], SearchStrategy[Array]] = matrices
) -> SearchStrategy[Array]:
    """Draw symmetric positive definite matrices ``A A^T / size + I / 2``.

    The factors ``A`` are ``matrices`` or ``arrays``, which are faster to draw.
    """
    return factors(size, size).map(lambda A: round_numbers(A @ A.T / size + 0.5 * np.eye(size)))


def nearly_singular_spd_matrices(size: int) -> SearchStrategy[Array]:
    """Draw symmetric positive definite matrices with smallest eigenvalue 1e-2, 1e-3, ..., or 1e-10."""
    flat = matrices(size, size - 1).map(lambda B: B @ B.T / size)
    return st.builds(lambda A, offset: A + offset * np.eye(size), flat, _small_offsets())


def rotation_vectors(angles: Angles = "any") -> SearchStrategy[Array]:
    """Draw rotation vectors, axis times angle.

    The angle is ``any`` from 0 to pi (included); or ``small``, one of 1e-2, 1e-3, ..., 1e-10; or ``near_pi``,
    smaller than pi by as much; or ``large``, between pi and 4 pi.
    """
    sizes: dict[Angles, SearchStrategy[float]] = {
        # Not one_of: a half turn, which needs no number, would then count as the simplest example.
        "any": st.builds(
            _angle_of_any_rotation,
            numbers(0, 3),
            st.integers(0, 7),
        ),
        "small": _small_offsets(),
        "near_pi": _small_offsets().map(lambda offset: np.pi - offset),
        "large": numbers(np.pi, 4 * np.pi),
    }
    return st.builds(lambda axis, angle: axis * angle, unit_vectors(), sizes[angles])


def rotations(angles: Angles = "any") -> SearchStrategy[Array]:
    """Draw rotation matrices ``(3, 3)``."""
    return rotation_vectors(angles).map(partial(_rotation_matrix, angles=angles))


def unit_quaternions(angles: Angles = "any") -> SearchStrategy[Array]:
    """Draw unit quaternions ``(4,)``, scalar first, of either sign."""
    quaternions = rotation_vectors(angles).map(partial(_unit_quaternion, angles=angles))
    return st.builds(lambda q, sign: sign * q, quaternions, st.sampled_from((1.0, -1.0)))


def frames(angles: Angles = "any") -> SearchStrategy[Array]:
    """Draw poses ``(4, 4)``."""
    return st.builds(_frame, rotations(angles), vectors())


def twists() -> SearchStrategy[Array]:
    """Draw twists or wrenches ``(6,)``, angular part first."""
    return vectors(6)


def masses() -> SearchStrategy[float]:
    """Draw masses."""
    return positive_numbers()


def inertias() -> SearchStrategy[Array]:
    """Draw physical rotational inertias ``(3, 3)``, built from second moments of mass."""

    def inertia(second_moments: Array) -> Array:
        result: Array = np.trace(second_moments) * np.eye(3) - second_moments
        return result

    return spd_matrices(3).map(inertia)


def is_rounded() -> bool:
    """Return True in the region of tenths."""
    return _region == "tenths"


def round_numbers(values: Array) -> Array:
    """Return the values, rounded in the region of tenths."""
    return np.round(values, 1) + 0.0 if is_rounded() else values


def round_directions(directions: Array) -> Array:
    """Return unit vectors ``(n, 3)``; in the region of tenths, the nearest ones of two decimals."""
    if not is_rounded():
        return directions
    return np.array([_normalize_in_region(direction) for direction in directions])


def round_rotations(R: Array) -> Array:
    """Return rotation matrices ``(..., 3, 3)``; in the region of tenths, near ones of two decimals."""
    if not is_rounded():
        return R
    quaternions = np.roll(Rotation.from_matrix(R.reshape(-1, 3, 3)).as_quat(), 1, axis=-1)
    matrices = [_decimal_rotation_matrix(_normalize_in_region(quaternion)) for quaternion in quaternions]
    return np.reshape(matrices, R.shape)


def round_poses(E: Array) -> Array:
    """Return poses ``(..., 4, 4)``; in the region of tenths, near ones of one and two decimals."""
    if not is_rounded():
        return E
    rounded = E.copy()
    rounded[..., :3, :3], rounded[..., :3, 3] = round_rotations(E[..., :3, :3]), round_numbers(E[..., :3, 3])
    return rounded


def align_rotations(R: Array) -> Array:
    """Return rotation matrices ``(..., 3, 3)``; in the region of tenths, near ones that permute the axes."""
    if not is_rounded():
        return R
    permutations = np.round(Rotation.create_group("O").as_matrix()) + 0.0
    nearest = np.argmax(np.einsum("gij,...ij->...g", permutations, R), axis=-1)
    result: Array = permutations[nearest]
    return result


def _grid_lists(size: int, low: float, high: float) -> SearchStrategy[list[float]]:
    # Mapped one by one like numbers: draws depend on the structure of a strategy and must not change.
    integers = st.integers(math.ceil(low * GRID_DENOMINATOR), math.floor(high * GRID_DENOMINATOR))
    return st.lists(integers.map(lambda k: k / GRID_DENOMINATOR), min_size=size, max_size=size)


def _map_to_region(
    multiples: list[float] | Array, low: float, high: float, *, may_vanish: bool = True
) -> Array:
    """Map multiples of 1/64, the entries of one vector, to the current region.

    The numbers themselves determine which vectors become tiny, and how tiny: a draw that depended on previous
    ones could not be shrunk.
    """
    if _region == "generic":
        return np.array(multiples, dtype=float)
    if is_rounded():
        return np.clip(
            round_numbers(np.array(multiples)), math.ceil(10 * low) / 10, math.floor(10 * high) / 10
        )
    grid_multiples = GRID_DENOMINATOR * np.asarray(multiples)
    selector = int(np.sum(np.abs(grid_multiples)))
    around_zero = low <= 0 <= high
    may_vanish = may_vanish and around_zero
    if _region == "degenerate":
        return _map_to_degenerate(grid_multiples, selector, around_zero, may_vanish)
    entries = grid_multiples / NON_DYADIC_DENOMINATOR
    if _region == "tiny" and may_vanish and selector % 3:
        return entries * 10.0 ** -TINY_EXPONENTS[selector // 3 % len(TINY_EXPONENTS)]
    is_angle = entries.size == 1 and low == 0 and 3 <= high < np.pi
    if _region == "special angle" and entries.size == 1 and 3 <= low <= _target.angle <= high:
        return np.array([_target.angle])  # an angle of more than half a turn
    if _region == "large" and (low == -high or (low >= 0 and not is_angle)) and selector % 3:
        return entries * 10.0 ** (1 + selector // 3 % MAX_LARGE_EXPONENT)
    if _region == "near pi" and may_vanish:
        return _with_angle_near_pi(entries, selector, low, high, is_angle)
    if _region == "special angle" and may_vanish:
        return _with_target_angle(entries, selector, low, high, is_angle)
    return entries


def _map_to_degenerate(grid_multiples: Array, selector: int, around_zero: bool, may_vanish: bool) -> Array:
    """Return zeros, a unit vector along an axis, or integers; numbers away from zero are unchanged."""
    if may_vanish and selector % ZERO_VECTOR_PERIOD == 0:
        return np.zeros(grid_multiples.shape)
    if not around_zero:
        return grid_multiples / GRID_DENOMINATOR
    if not may_vanish and selector % AXIS_ALIGNED_PERIOD == 0:
        is_largest = np.arange(grid_multiples.size) == np.argmax(np.abs(grid_multiples))
        return np.where(is_largest, np.sign(grid_multiples), 0.0)
    rounded: Array = np.round(grid_multiples / GRID_DENOMINATOR) + 0.0
    return rounded


def _with_angle_near_pi(entries: Array, selector: int, low: float, high: float, is_angle: bool) -> Array:
    """Return an angle or a rotation vector near pi, or entries with one coordinate near pi or pi / 2."""
    length = float(np.linalg.norm(entries))
    offset = 10.0 ** -(1 + selector % MAX_PI_OFFSET_EXPONENT)
    if is_angle or (entries.size == 3 and high > np.pi):
        return entries / length * (np.pi - offset) if length > 0 else entries
    if low == -high and entries.size:
        index = selector // MAX_PI_OFFSET_EXPONENT % entries.size
        special_angle = np.pi / (2 if selector % 3 else 1)
        entries[index] = np.copysign(special_angle - offset, entries[index])
    return entries


def _with_target_angle(entries: Array, selector: int, low: float, high: float, is_angle: bool) -> Array:
    """Return entries in which an angle, a rotation vector or one coordinate has the target angle.

    Three entries, or the first three of six, may be a rotation vector; if they are short, they may also be
    joint coordinates.
    """
    is_symmetric = low == -high and entries.size > 0
    may_be_rotation = entries.size == 3 or (entries.size == 6 and is_symmetric)
    length = float(np.linalg.norm(entries[:3]))
    if is_angle:
        entries[:] = _target.angle if _target.angle < np.pi else entries
    elif may_be_rotation and length > 0 and (high > np.pi or (is_symmetric and selector % 2)):
        entries[:3] *= _target.angle / length
    elif is_symmetric and entries.size != QUATERNION_SIZE:
        index = selector % entries.size
        entries[index] = np.copysign(_target.angle, entries[index])
    return entries


@cache
def _decimal_unit_vectors(size: int) -> Array:
    """Return the unit vectors ``(n, size)`` of multiples of 1/50, or of 1/10 if they are quaternions."""
    denominator = 10 if size == QUATERNION_SIZE else 50
    axis = np.arange(-denominator, denominator + 1)
    vectors = np.stack(np.meshgrid(*[axis] * size), axis=-1).reshape(-1, size)
    result: Array = vectors[np.sum(vectors**2, axis=1) == denominator**2] / denominator
    return result


def _normalize_in_region(vector: Array) -> Array:
    """Return the unit vector of a vector; in the region of tenths, the nearest one of few decimals."""
    if is_rounded() and 2 <= vector.size <= QUATERNION_SIZE:
        candidates = _decimal_unit_vectors(vector.size)
        result: Array = candidates[np.argmax(candidates @ vector)]
        return result
    return vector / np.linalg.norm(vector)


def _unit_quaternion(rotation_vector: Array, angles: Angles) -> Array:
    """Return the unit quaternion ``(4,)`` of a rotation vector, scalar first; tenths in their region."""
    quaternion: Array = np.roll(Rotation.from_rotvec(rotation_vector).as_quat(), 1)
    return _normalize_in_region(quaternion) if is_rounded() and angles == "any" else quaternion


def _rotation_matrix(rotation_vector: Array, angles: Angles) -> Array:
    """Return the rotation matrix ``(3, 3)`` of a rotation vector; two decimals in the region of tenths."""
    if not is_rounded() or angles != "any":
        matrix: Array = Rotation.from_rotvec(rotation_vector).as_matrix()
        return matrix
    return _decimal_rotation_matrix(_unit_quaternion(rotation_vector, angles))


def _decimal_rotation_matrix(quaternion: Array) -> Array:
    """Return the rotation matrix ``(3, 3)``, of two decimals, of a quaternion of tenths."""
    rounded: Array = np.round(Rotation.from_quat(np.roll(quaternion, -1)).as_matrix(), 2) + 0.0
    return rounded


def _small_offsets() -> SearchStrategy[float]:
    return st.integers(2, 10).map(lambda k: 10.0**-k)


def _angle_of_any_rotation(angle: float, kind: int) -> float:
    """Return a half turn in one case of eight; special angles may exceed a half turn."""
    if _region == "special angle":
        return max(angle, _target.angle) if _target.angle > np.pi else angle
    return float(np.pi) if kind == 7 and _region != "tiny" else angle


def _frame(R: Array, p: Array) -> Array:
    E = np.eye(4)
    E[:3, :3], E[:3, 3] = R, p
    return E
