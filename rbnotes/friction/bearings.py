"""Contact points inside a joint: where a pin, a slide or a ball touches its bearing (Sueda 2.11).

The points follow from the shape of the joint; no collision detection is needed. Each contact acts in both
directions, like a pin in a bushing, which touches on either side. A bilateral contact is equivalent to two
unilateral ones, one on each side. Of these, only one carries an impulse if the impulses are smallest; the
normal impulse is then the absolute value of the multiplier.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, ArrayField, InvalidArgument
from rbnotes.unchecked.frozen import set_fields

MULTIPLIER_REGULARIZATION = 1e-9
"""Weight of the norm of the multipliers, relative to that of the error of the wrench."""

GOLDEN_RATIO = (1 + np.sqrt(5)) / 2


@dataclass(frozen=True, eq=False)
class Bearing:
    """Contact points of a bearing, in the joint frame that moves with the body.

    Attributes
    ----------
    points
        Contact points ``(c, 3)``, m.
    normals
        Unit vectors ``(c, 3)`` of the normals, dimensionless.
    mu
        Coefficients of friction ``(c,)``, or one for all contacts, dimensionless.
    tangents
        Orthonormal pairs of unit vectors ``(c, 2, 3)``; used if friction is bounded in each direction.

    Raises
    ------
    InvalidArgument
        If shapes do not fit, a normal is not a unit vector, or a tangent is not perpendicular to its normal.
    """

    points: ArrayField
    normals: ArrayField
    mu: ArrayField
    tangents: ArrayField = None

    def __post_init__(self) -> None:
        points = arguments.array("points", self.points, 3)
        if points.ndim != 2 or not len(points):
            raise InvalidArgument("points", f"shape {points.shape}", "shape (c, 3)")
        normals = arguments.unit_vector("normals", self.normals)
        if normals.shape != points.shape:
            raise InvalidArgument("normals", f"shape {normals.shape}", f"shape {points.shape}")
        mu = arguments.real_array("mu", self.mu, minimum=0.0)
        if mu.shape not in ((), (len(points),)):
            raise InvalidArgument("mu", f"shape {mu.shape}", f"a number, or shape ({len(points)},)")
        tangents = _perpendicular_pairs(normals)
        if self.tangents is not None:
            vectors = arguments.array("tangents", self.tangents, len(points), 2, 3)
            tangents = arguments.with_ndim("tangents", vectors, 3)
        axes = np.concatenate([normals[:, None], tangents], axis=1)
        if np.max(np.abs(axes @ np.swapaxes(axes, 1, 2) - np.eye(3))) > 1e-9:
            raise InvalidArgument(
                "tangents", "vectors that are not", "orthonormal and perpendicular to the normals"
            )
        set_fields(
            self, points=points, normals=normals, tangents=tangents, mu=np.broadcast_to(mu, (len(points),))
        )

    @property
    def count(self) -> int:
        """Number of contacts c."""
        return len(self.points)

    @cached_property
    def normal_jacobian(self) -> Array:
        """Jacobian ``(c, 6)`` from the twist of the body relative to the parent to normal velocities."""
        return np.concatenate([np.cross(self.points, self.normals), self.normals], axis=1)

    @cached_property
    def tangent_jacobian(self) -> Array:
        """Jacobian ``(c, 2, 6)`` from the relative twist to sliding velocities."""
        arms = np.cross(self.points[:, None], self.tangents)
        return np.concatenate([arms, self.tangents], axis=2)

    @cached_property
    def wrench_scale(self) -> Array:
        """Scale factors ``(6,)`` of moments (one over the size of the bearing) and forces (1)."""
        size = float(np.max(np.linalg.norm(self.points, axis=1))) or 1.0
        return np.repeat([1 / size, 1.0], 3)

    @cached_property
    def rank(self) -> int:
        """Number of independent wrenches that the contacts can carry, at most 6."""
        return int(np.linalg.matrix_rank(self.normal_jacobian * self.wrench_scale, tol=1e-9))

    @cached_property
    def load_distribution(self) -> Array:
        """Matrix ``(c, 6)`` from a wrench to the normal multipliers (right form of (2.118)).

        ``alpha = (N D N^T + epsilon I)^-1 N D w`` is the smallest vector that minimizes the error of
        ``N^T alpha = w``. D makes moments comparable with forces. The notes use the inverse inertia instead,
        which makes a difference only if the contacts cannot carry w, and fails if a body has no mass.
        """
        B = self.normal_jacobian * self.wrench_scale
        gram = B.T @ B
        weight = MULTIPLIER_REGULARIZATION * np.trace(gram) / 6
        result: Array = B @ np.linalg.solve(gram + weight * np.eye(6), np.diag(self.wrench_scale))
        return result

    def normal_multipliers(self, wrench: ArrayLike) -> Array:
        """Return the normal multipliers ``(c,)`` of either sign, N s, for a joint impulse ``(6,)``.

        Raises
        ------
        InvalidArgument
            If the shape of ``wrench`` does not fit.
        """
        result: Array = self.load_distribution @ arguments.single_vector("wrench", wrench, 6)
        return result

    def unsupported_wrench(self, wrench: ArrayLike) -> Array:
        """Return the part ``(6,)`` of a joint impulse that the contacts cannot carry.

        Raises
        ------
        InvalidArgument
            If the shape of ``wrench`` does not fit.
        """
        wrench = arguments.single_vector("wrench", wrench, 6)
        result: Array = wrench - self.normal_jacobian.T @ (self.load_distribution @ wrench)
        return result


def journal_bearing(
    radius: float,
    height: float,
    mu: float,
    *,
    axis: ArrayLike = (0.0, 0.0, 1.0),
    points: int = 8,
    thrust: bool = True,
    center: ArrayLike = (0.0, 0.0, 0.0),
) -> Bearing:
    """Return the bearing of a revolute joint: a cylinder about the axis with contacts around both ends.

    Radial loads are distributed as the cosine of the angle to the load. The friction moment during sliding is
    ``mu radius F (2 / n) sum |cos|`` (n: ``points``), which is ``4 / pi mu radius F`` for many points.

    Parameters
    ----------
    radius, height
        Radius and height of the cylinder, m.
    points : int
        Number of points around each end, at least 3.
    thrust : bool
        If True, the rims of the ends carry axial loads and contribute to moments.
    center : (3,)
        Center of the cylinder in the joint frame, m.

    Raises
    ------
    InvalidArgument
        If ``radius`` or ``height`` is not positive, ``mu`` is negative, ``axis`` is not of unit length,
        ``points`` is below 3, or the shape of ``center`` does not fit.
    """
    radius, height = arguments.positive_number("radius", radius), arguments.positive_number("height", height)
    points = arguments.count("points", points, minimum=3)
    axes = _axis_frame(axis)
    angles = 2 * np.pi * (np.arange(points) + 0.5) / points
    radial = np.stack([np.cos(angles), np.sin(angles), np.zeros(points)], axis=1)
    circumferential = np.stack([-np.sin(angles), np.cos(angles), np.zeros(points)], axis=1)
    axial = np.tile([0.0, 0.0, 1.0], (points, 1))
    contact_points, normals, tangents = [], [], []
    for end in (-height / 2, height / 2):
        rim = radius * radial + end * axial
        contact_points.append(rim)
        normals.append(radial)
        tangents.append(np.stack([circumferential, axial], axis=1))
        if thrust:
            contact_points.append(rim)
            normals.append(axial)
            tangents.append(np.stack([circumferential, radial], axis=1))
    return _place_bearing(
        np.concatenate(contact_points), np.concatenate(normals), mu, np.concatenate(tangents), axes, center
    )


def prismatic_guide(
    width: float,
    depth: float,
    length: float,
    mu: float,
    *,
    axis: ArrayLike = (0.0, 0.0, 1.0),
    width_direction: ArrayLike | None = None,
    center: ArrayLike = (0.0, 0.0, 0.0),
) -> Bearing:
    """Return the bearing of a prismatic joint: a box along the axis with contacts at its corners.

    Parameters
    ----------
    width, depth, length
        Sizes of the box along ``width_direction``, perpendicular to both, and along the axis, m.
    width_direction : (3,), optional
        Unit vector of the width, perpendicular to the axis; chosen automatically by default.
    center : (3,)
        Center of the box in the joint frame, m.

    Raises
    ------
    InvalidArgument
        If ``width``, ``depth`` or ``length`` is not positive, ``mu`` is negative, ``axis`` or
        ``width_direction`` is not of unit length, or the shape of ``center`` does not fit.
    """
    half = [
        arguments.positive_number(n, v) / 2
        for n, v in (("width", width), ("depth", depth), ("length", length))
    ]
    axes = _axis_frame(axis, width_direction)
    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * half
    x, y, z = np.eye(3)
    normals = np.concatenate([np.tile(x, (8, 1)), np.tile(y, (8, 1))])
    tangents = np.concatenate([np.tile([z, y], (8, 1, 1)), np.tile([z, x], (8, 1, 1))])
    return _place_bearing(np.tile(corners, (2, 1)), normals, mu, tangents, axes, center)


def spherical_bearing(
    radius: float, mu: float, *, points: int = 32, center: ArrayLike = (0.0, 0.0, 0.0)
) -> Bearing:
    """Return the bearing of a spherical joint: a ball with contacts distributed over its surface.

    Loads are distributed as the cosine of the angle to the load. The friction moment of a spin about the load
    is nearly ``mu radius F``.

    Parameters
    ----------
    points : {6, 8, 12, 20, 32}
        Number of points: the corners of a regular solid, or of the last two together.

    Raises
    ------
    InvalidArgument
        If ``radius`` is not positive, ``mu`` or ``points`` is negative, or the shape of ``center`` does not
        fit.
    """
    radius = arguments.positive_number("radius", radius)
    if arguments.count("points", points) not in (6, 8, 12, 20, 32):
        raise InvalidArgument("points", str(points), "6, 8, 12, 20 or 32")
    normals = _regular_solid_corners(points)
    return _place_bearing(radius * normals, normals, mu, _perpendicular_pairs(normals), np.eye(3), center)


def _place_bearing(
    points: Array, normals: Array, mu: float, tangents: Array, axes: Array, center: ArrayLike
) -> Bearing:
    shift = arguments.single_vector("center", center)
    return Bearing(points @ axes + shift, normals @ axes, mu, tangents @ axes)


def _axis_frame(axis: ArrayLike, width_direction: ArrayLike | None = None) -> Array:
    """Return right-handed directions as rows ``(3, 3)``, the last along the axis."""
    z = arguments.with_ndim("axis", arguments.unit_vector("axis", axis), 1)
    x = _perpendicular_pairs(z[None])[0, 0]
    if width_direction is not None:
        x = arguments.with_ndim(
            "width_direction", arguments.unit_vector("width_direction", width_direction), 1
        )
    if abs(x @ z) > 1e-9:
        raise InvalidArgument("width_direction", f"{x.tolist()}", "a direction perpendicular to the axis")
    return np.stack([x, np.cross(z, x), z])


def _perpendicular_pairs(normals: Array) -> Array:
    """Return orthonormal pairs ``(c, 2, 3)`` perpendicular to unit vectors ``(c, 3)``."""
    first = np.cross(np.eye(3)[np.argmin(np.abs(normals), axis=1)], normals)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    return np.stack([first, np.cross(normals, first)], axis=1)


def _regular_solid_corners(count: int) -> Array:
    """Return unit vectors ``(count, 3)`` to the corners of a regular solid; 32 combines 12 and 20."""
    signs = np.array([[i, j, k] for i in (-1.0, 1.0) for j in (-1.0, 1.0) for k in (-1.0, 1.0)])
    pairs = np.array([[i, j] for i in (-1.0, 1.0) for j in (-1.0, 1.0)])

    def cyclic_permutations(a: float, b: float) -> Array:
        rectangle = np.stack([np.zeros(4), pairs[:, 0] * a, pairs[:, 1] * b], axis=1)
        return np.concatenate([np.roll(rectangle, k, axis=1) for k in range(3)])

    solids = {
        6: np.concatenate([np.eye(3), -np.eye(3)]),
        8: signs,
        12: cyclic_permutations(1.0, GOLDEN_RATIO),
        20: np.concatenate([signs, cyclic_permutations(1 / GOLDEN_RATIO, GOLDEN_RATIO)]),
    }
    solids = {n: corners / np.linalg.norm(corners, axis=1, keepdims=True) for n, corners in solids.items()}
    solids[32] = np.concatenate([solids[12], solids[20]])
    return solids[count]
