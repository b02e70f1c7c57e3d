"""Joints along splines: a curve of poses, and a surface of positions and angles (Sueda 2.4.12, 2.4.13).

The splines are uniform cubic B-splines: twice differentiable in q where two segments meet, so that S has a
continuous derivative. The first and last segments extend an open spline beyond its ends. A curve may have
another basis.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import comb

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, ArrayField, InvalidArgument, SingularConfiguration
from rbnotes.joints.composite import Composite
from rbnotes.joints.euler_angles import EulerSpherical
from rbnotes.joints.joint_type import JointType
from rbnotes.joints.simple import Translational
from rbnotes.joints.unchecked_nearest_pose import pose_error
from rbnotes.unchecked import se3
from rbnotes.unchecked.frozen import set_fields
from rbnotes.unchecked.linear_algebra import matvec

BSPLINE_BASIS = np.array([[1, 4, 1, 0], [-3, 0, 3, 0], [3, -6, 3, 0], [-1, 3, -3, 1]]) / 6
"""Weights of four neighboring control points: ``(1, u, u^2, u^3) @ BSPLINE_BASIS``."""

CATMULL_ROM_BASIS = np.array([[0, 2, 0, 0], [-1, 0, 1, 0], [2, -5, 4, -1], [-1, 3, -3, 1]]) / 2
"""Weights of splines that pass through their control points and are differentiable once there."""

SAMPLES_PER_SEGMENT = 8
"""Number of samples per segment and direction for the initial guess of the nearest pose."""

HALF_TURN_TOLERANCE = 1e-6
"""Least difference from pi of the rotation angle between neighboring control frames, rad."""


@dataclass(frozen=True, eq=False)
class SplineCurve(JointType):
    """Motion along a curve of poses, with one coordinate (Sueda 2.4.12).

    Between ``q = k`` and ``q = k + 1`` it depends on four control frames, C_k and the next three::

        Q = C_k exp(B_1(u) d_1) exp(B_2(u) d_2) exp(B_3(u) d_3),     u = q - k,

    with ``d_i = log(C_{k+i-1}^-1 C_{k+i})`` and the cumulative basis B. With the
    default basis it does not pass through the frames. An open curve of n frames has q from 0 to n - 3, a
    cyclic one from 0 to n, with period n.

    Attributes
    ----------
    frames
        Control frames ``(n, 4, 4)`` in the fixed frame, m.
    cyclic
        True if the curve is closed: the first control frames follow the last ones.
    basis
        ``(4, 4)``, dimensionless: weights of four neighboring frames, ``(1, u, u^2, u^3) @ basis``; B-splines
        by default.

    Raises
    ------
    InvalidArgument
        If there are fewer than 4 frames, or the weights of the basis do not sum to one.
    SingularConfiguration
        If two neighbors are half a turn apart: the shortest rotation between them is not unique.
    """

    frames: ArrayField
    cyclic: bool = True
    basis: ArrayField = field(default_factory=BSPLINE_BASIS.copy)

    def __post_init__(self) -> None:
        frames = arguments.frame("frames", self.frames)
        if frames.ndim != 3 or len(frames) < 4:
            raise InvalidArgument(
                "frames", f"shape {frames.shape}", "4 control frames or more, shape (n, 4, 4)"
            )
        set_fields(self, frames=frames)
        basis = arguments.matrix("basis", self.basis, 4, 4)
        sums = np.sum(basis, axis=1)
        if not np.allclose(sums, [1, 0, 0, 0], atol=1e-12):
            expected = "weights that add up to one for every u: (1, 0, 0, 0)"
            raise InvalidArgument("basis", f"rows with the sums {sums.round(3).tolist()}", expected)
        set_fields(self, basis=basis)
        angles = np.linalg.norm(self._relative_twists[:, :3], axis=1)
        if np.any(angles > np.pi - HALF_TURN_TOLERANCE):
            k = int(np.argmax(angles))
            got = f"frames {k} and {(k + 1) % len(frames)} half a turn apart"
            raise SingularConfiguration("frames", got, "neighbors that turn by less than pi")

    @property
    def num_coordinates(self) -> int:
        return 1

    @property
    def num_segments(self) -> int:
        """Number of segments, the range of q."""
        return len(self.frames) if self.cyclic else len(self.frames) - 3

    @cached_property
    def _relative_twists(self) -> Array:
        """Twists from each control frame to the next, on a cyclic curve also from the last to the first."""
        following = np.roll(self.frames, -1, axis=0)
        steps = se3.log(se3.inverse(self.frames) @ following)
        return steps if self.cyclic else steps[:-1]

    @cached_property
    def _cumulative_basis(self) -> Array:
        """Weights ``(4, 3)`` of the relative twists, ``(1, u, u^2, u^3) @ cumulative``."""
        result: Array = np.cumsum(self.basis[:, ::-1], axis=1)[:, -2::-1]
        return result

    def _segment_weights(self, q: Array) -> tuple[Array, Array, Array]:
        """Return first control frames ``(...)``, weights ``(..., 4, 3)``, relative twists ``(..., 3, 6)``.

        The middle axis of the weights holds their values and first three derivatives.
        """
        first, weights = _segment_powers(q[..., 0], self.num_segments, self.cyclic)
        steps = self._relative_twists[(first[..., None] + np.arange(3)) % len(self.frames)]
        return first, weights @ self._cumulative_basis, steps

    def compute_transform(self, q: Array) -> Array:
        first, weights, steps = self._segment_weights(q)
        Q: Array = self.frames[first]
        increments = se3.exp(weights[..., 0, :, None] * steps)
        for i in range(3):
            Q = Q @ increments[..., i, :, :]
        return Q

    def _twist_derivative(self, q: Array, order: int) -> Array:
        """Return the derivative ``(..., 6)`` of S of the order 0, 1 or 2."""
        _, weights, steps = self._segment_weights(q)
        adjoints = se3.Ad(se3.exp(-weights[..., 0, :, None] * steps))
        S: Array = np.zeros((*steps.shape[:-2], 6))
        dS = ddS = S
        for i in range(3):
            d, (_, db, ddb, dddb) = steps[..., i, :], np.moveaxis(weights[..., i, None], -2, 0)
            S = matvec(adjoints[..., i, :, :], S)
            if order > 0:
                bracket = -se3.ad(d)
                bracket_S = matvec(bracket, S)
                dS = matvec(adjoints[..., i, :, :], dS)
            if order > 1:
                ddS = (
                    matvec(adjoints[..., i, :, :], ddS)
                    + 2 * db * matvec(bracket, dS)
                    + ddb * bracket_S
                    + db**2 * matvec(bracket, bracket_S)
                    + dddb * d
                )
            if order > 0:
                dS = dS + db * bracket_S + ddb * d
            S = S + db * d
        return (S, dS, ddS)[order]

    def compute_motion_subspace(self, q: Array) -> Array:
        return self._twist_derivative(q, 0)[..., None]

    def compute_motion_subspace_derivative(self, q: Array) -> Array:
        return self._twist_derivative(q, 1)[..., None, None]

    def compute_bias_acceleration_derivative(self, q: Array, qdot: Array) -> Array:
        return self._twist_derivative(q, 2)[..., None] * qdot[..., None, :] ** 2

    @property
    def changes_coordinates(self) -> bool:
        return self.cyclic

    def compute_reparametrization(self, q: Array, qdot: Array) -> tuple[Array, Array]:
        return (np.mod(q, self.num_segments) if self.cyclic else q), qdot

    def _initial_coordinates(self, Q: Array) -> Array:
        return _nearest_sample(self, Q, np.arange(0, self.num_segments, 1 / SAMPLES_PER_SEGMENT)[:, None])


@dataclass(frozen=True, eq=False)
class SplineSurface(JointType):
    """Motion over a surface of positions and angles, with two coordinates (Sueda 2.4.13).

    Each patch depends on four by four control points ``(x, y, z, a, b, c)``; the first index of the grid goes
    with ``q[1]``, the second one with ``q[0]``, and ``Q = Tx Ty Tz Rx(a) Ry(b) Rz(c)`` at the point of the
    surface. (Sueda's reference code does the same; eq. (2.68) of the notes swaps the indices.) With ``(m,
    n)`` control points, q goes from 0 to ``(n - 3, m - 3)``. It is singular where the surface folds.

    Attributes
    ----------
    points
        Control points ``(m, n, 6)``: positions, m, and angles, rad.

    Raises
    ------
    InvalidArgument
        If there are fewer than 4 x 4 control points.
    """

    points: ArrayField

    def __post_init__(self) -> None:
        points = arguments.array("points", self.points, 6)
        if points.ndim != 3 or min(points.shape[:2]) < 4:
            raise InvalidArgument(
                "points", f"shape {points.shape}", "4 x 4 control points or more, shape (m, n, 6)"
            )
        set_fields(self, points=points)

    @property
    def num_coordinates(self) -> int:
        return 2

    @property
    def num_patches(self) -> tuple[int, int]:
        """Number of patches along q[0] and q[1], the ranges of both."""
        rows, columns, _ = self.points.shape
        return columns - 3, rows - 3

    def _point_derivatives(self, q: Array, *orders: tuple[int, int]) -> list[Array]:
        """Return derivatives ``(..., 6)`` of the point of given orders with respect to q[0] and q[1]."""
        column, column_weights = _segment_powers(q[..., 0], self.num_patches[0], False)
        row, row_weights = _segment_powers(q[..., 1], self.num_patches[1], False)
        four = np.arange(4)
        patch = self.points[(row[..., None] + four)[..., :, None], (column[..., None] + four)[..., None, :]]
        column_weights, row_weights = column_weights @ BSPLINE_BASIS, row_weights @ BSPLINE_BASIS
        return [
            np.einsum("...i,...j,...ijk->...k", row_weights[..., b, :], column_weights[..., a, :], patch)
            for a, b in orders
        ]

    def compute_transform(self, q: Array) -> Array:
        return _FREE_JOINT.compute_transform(self._point_derivatives(q, (0, 0))[0])

    def _point_and_gradient(self, q: Array) -> tuple[Array, Array]:
        point, first, second = self._point_derivatives(q, (0, 0), (1, 0), (0, 1))
        return point, np.stack([first, second], axis=-1)

    def compute_motion_subspace(self, q: Array) -> Array:
        point, gradient = self._point_and_gradient(q)
        return _FREE_JOINT.compute_motion_subspace(point) @ gradient

    def compute_motion_subspace_derivative(self, q: Array) -> Array:
        point, gradient = self._point_and_gradient(q)
        first, mixed, second = self._point_derivatives(q, (2, 0), (1, 1), (0, 2))
        curvature = np.stack([np.stack([first, mixed], axis=-1), np.stack([mixed, second], axis=-1)], axis=-1)
        convective = np.einsum(
            "...ijk,...ja,...kb->...iab",
            _FREE_JOINT.compute_motion_subspace_derivative(point),
            gradient,
            gradient,
        )
        result: Array = convective + np.einsum(
            "...ij,...jab->...iab", _FREE_JOINT.compute_motion_subspace(point), curvature
        )
        return result

    def compute_bias_acceleration_derivative(self, q: Array, qdot: Array) -> Array:
        # The point on the surface is the coordinate vector of a free joint: the chain rule, twice.
        point, gradient = self._point_and_gradient(q)
        second, third = (self._directional_derivatives(q, qdot, times) for times in (1, 2))
        rate, second_rate = matvec(gradient, qdot), matvec(second, qdot)
        dS = _FREE_JOINT.compute_motion_subspace_derivative(point)
        symmetric = dS + dS.mT
        result: Array = (
            _FREE_JOINT.compute_bias_acceleration_derivative(point, rate) @ gradient
            + _FREE_JOINT.compute_motion_subspace(point) @ third
        )
        result = result + np.einsum("...ijk,...jl,...k->...il", symmetric, second, rate)
        result += np.einsum("...ijk,...j,...kl->...il", dS, second_rate, gradient)
        return result

    def _directional_derivatives(self, q: Array, qdot: Array, order: int) -> Array:
        """Return derivatives ``(..., 6, 2)`` of the point: ``order`` along qdot, one by each coordinate."""
        orders = [(i, order + 1 - i) for i in range(order + 2)]
        by_order = dict(zip(orders, self._point_derivatives(q, *orders), strict=True))
        columns = [
            sum(
                comb(order, i)
                * (qdot[..., :1] ** i * qdot[..., 1:] ** (order - i))
                * by_order[i + first, order - i + 1 - first]
                for i in range(order + 1)
            )
            for first in (1, 0)
        ]
        return np.stack(columns, axis=-1)

    def _initial_coordinates(self, Q: Array) -> Array:
        axes = (
            np.arange(0, count + 0.5 / SAMPLES_PER_SEGMENT, 1 / SAMPLES_PER_SEGMENT)
            for count in self.num_patches
        )
        return _nearest_sample(self, Q, np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2))


_FREE_JOINT = Composite(Translational(), EulerSpherical("XYZ"))


def _segment_powers(q: Array, segments: int, cyclic: bool) -> tuple[Array, Array]:
    """Return the segment ``(...)``, and powers of u with three derivatives ``(..., 4, 4)``."""
    if cyclic:
        q = np.mod(q, segments)
    first = np.clip(np.floor(q), 0, segments - 1).astype(int)
    u = q - first
    one, zero = np.ones_like(u), np.zeros_like(u)
    powers = [
        [one, u, u**2, u**3],
        [zero, one, 2 * u, 3 * u**2],
        [zero, zero, 2 * one, 6 * u],
        [zero, zero, zero, 6 * one],
    ]
    return first, np.stack([np.stack(row, axis=-1) for row in powers], axis=-2)


def _nearest_sample(joint: JointType, Q: Array, samples: Array) -> Array:
    """Return the coordinates ``(..., k)`` among samples ``(s, k)`` whose pose is nearest."""
    distances = np.sum(pose_error(joint.compute_transform(samples), Q[..., None, :, :]) ** 2, axis=-1)
    result: Array = samples[np.argmin(distances, axis=-1)]
    return result
