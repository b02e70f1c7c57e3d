"""Joints in series, with massless bodies between them (Sueda 2.4.6, 2.4.9-2.4.11)."""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.joints.joint_type import JointType
from rbnotes.joints.simple import PlanarTranslation, Prismatic, Revolute, Translational, X, Y, Z
from rbnotes.joints.spherical import ExponentialSpherical
from rbnotes.joints.subspaces import lie_algebra
from rbnotes.joints.unchecked_nearest_pose import search_coordinates
from rbnotes.unchecked import se3
from rbnotes.unchecked.frozen import construct_unchecked
from rbnotes.unchecked.linear_algebra import matvec


class Composite(JointType):
    """Two or more joints in series, ``Q = Q_1 Q_2 ...`` (Sueda 2.4.9).

    Its coordinates are those of its parts, in the same order. Frames between the parts are fixed joints:
    ``Composite(Revolute(), Fixed(pose), Revolute())``.

    Raises
    ------
    InvalidArgument
        If there are fewer than two parts, or one is not a joint type.
    """

    def __init__(self, *parts: JointType) -> None:
        if len(parts) < 2:
            raise InvalidArgument("parts", f"{len(parts)} of them", "two joint types or more")
        for part in parts:
            if not isinstance(part, JointType):
                raise InvalidArgument("parts", arguments.format_value(part), "joint types")
        self._parts = parts

    @property
    def parts(self) -> tuple[JointType, ...]:
        """Joints in series, from the fixed to the moving frame."""
        return self._parts

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.parts))})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash((type(self), self.parts))

    @cached_property
    def num_coordinates(self) -> int:
        return sum(part.num_coordinates for part in self.parts)

    @cached_property
    def num_coordinate_constraints(self) -> int:
        return sum(part.num_coordinate_constraints for part in self.parts)

    @property
    def neutral(self) -> Array:
        return np.concatenate([part.neutral for part in self.parts])

    @property
    def changes_coordinates(self) -> bool:
        return any(part.changes_coordinates for part in self.parts)

    @cached_property
    def twist_subalgebra(self) -> Array:
        """Basis of the twists in the last frame: the parts that follow a joint transform its twists."""
        subalgebra: Array = np.zeros((6, 0))
        for part in self.parts:
            carried_twists = se3.Ad_inverse(part.compute_transform(part.neutral)) @ subalgebra
            subalgebra = lie_algebra([carried_twists, part.twist_subalgebra])
        return subalgebra

    @cached_property
    def _part_slices(self) -> list[slice]:
        """Slices of the parts' coordinates among all coordinates."""
        ends = accumulate((part.num_coordinates for part in self.parts), initial=0)
        return [slice(start, end) for start, end in pairwise(ends)]

    def _split(self, q: Array) -> list[Array]:
        return [q[..., own] for own in self._part_slices]

    def compute_transform(self, q: Array) -> Array:
        first, *others = (
            part.compute_transform(part_q) for part, part_q in zip(self.parts, self._split(q), strict=True)
        )
        for Q in others:
            first = first @ Q
        return first

    def compute_motion_subspace(self, q: Array) -> Array:
        S = np.zeros((*q.shape[:-1], 6, self.num_coordinates))
        for part, own in zip(self.parts, self._part_slices, strict=True):
            if own.start:
                S = se3.Ad_inverse(part.compute_transform(q[..., own])) @ S
            S[..., own] = part.compute_motion_subspace(q[..., own])
        return S

    def compute_motion_subspace_rate(self, q: Array, qdot: Array) -> Array:
        S = np.zeros((*q.shape[:-1], 6, self.num_coordinates))
        Sdot = np.zeros_like(S)
        for part, own in zip(self.parts, self._part_slices, strict=True):
            part_q, rate = q[..., own], qdot[..., own]
            own_columns = part.compute_motion_subspace(part_q)
            if own.start:
                # The part's frame moves with its own twist: an adjoint to it changes by -ad(twist).
                A = se3.Ad_inverse(part.compute_transform(part_q))
                S = A @ S
                Sdot = A @ Sdot - se3.ad(matvec(own_columns, rate)) @ S
            S[..., own] = own_columns
            Sdot[..., own] = part.compute_motion_subspace_rate(part_q, rate)
        return Sdot

    def compute_motion_subspace_derivative(self, q: Array) -> Array:
        S = self.compute_motion_subspace(q)
        dS = np.zeros((*q.shape[:-1], 6, self.num_coordinates, self.num_coordinates))
        for part, own in zip(self.parts, self._part_slices, strict=True):
            if own.start:
                A = se3.Ad_inverse(part.compute_transform(q[..., own]))
                dS = np.einsum("...ij,...jkl->...ikl", A, dS)
            dS[..., own, own] = part.compute_motion_subspace_derivative(q[..., own])
        for own in self._part_slices:
            following = slice(own.stop, None)
            brackets = se3.ad(S[..., own].mT) @ S[..., None, :, following]
            dS[..., own, following] = np.moveaxis(brackets, -3, -2)
        return dS

    def compute_bias_acceleration_derivative(self, q: Array, qdot: Array) -> Array:
        # Twist, bias acceleration and their derivatives with respect to q, in the frame of each part in turn.
        twist: Array = np.zeros((*q.shape[:-1], 6))
        bias_acceleration, twist_derivative = twist, np.zeros((*q.shape[:-1], 6, self.num_coordinates))
        bias_derivative = twist_derivative.copy()
        end = 0
        for part, part_q, rate in zip(self.parts, self._split(q), self._split(qdot), strict=True):
            columns = slice(end, end + part.num_coordinates)
            A, S = se3.Ad_inverse(part.compute_transform(part_q)), part.compute_motion_subspace(part_q)
            own_twist, own_derivative = (
                matvec(S, rate),
                np.einsum("...ijl,...j->...il", part.compute_motion_subspace_derivative(part_q), rate),
            )
            previous_twist, bracket = matvec(A, twist), se3.ad(own_twist)
            twist_derivative = A @ twist_derivative
            bias_derivative = A @ bias_derivative - bracket @ twist_derivative
            # A frame that moves along a column of S sees the previous twist change by -ad(S_i) twist.
            convective = se3.ad(previous_twist) @ S
            bias_acceleration = matvec(A, bias_acceleration)
            bias_derivative[..., columns] += (
                se3.ad(bias_acceleration) @ S - bracket @ convective + se3.ad(previous_twist) @ own_derivative
            )
            bias_derivative[..., columns] += part.compute_bias_acceleration_derivative(part_q, rate)
            twist_derivative[..., columns] += convective + own_derivative
            twist = previous_twist + own_twist
            bias_acceleration = (
                bias_acceleration
                - matvec(bracket, previous_twist)
                + matvec(part.compute_motion_subspace_rate(part_q, rate), rate)
            )
            end = columns.stop
        return bias_derivative

    def compute_reparametrization(self, q: Array, qdot: Array) -> tuple[Array, Array]:
        pairs = [
            part.compute_reparametrization(part_q, rate)
            for part, part_q, rate in zip(self.parts, self._split(q), self._split(qdot), strict=True)
        ]
        new, rates = zip(*pairs, strict=True)
        return np.concatenate(new, axis=-1), np.concatenate(rates, axis=-1)

    def compute_nearest_coordinates(self, Q: Array) -> Array:
        q = search_coordinates(self, Q, self._initial_coordinates(Q))
        return (
            self.compute_reparametrization(q, np.zeros_like(q))[0] if self.num_coordinate_constraints else q
        )

    def _initial_coordinates(self, Q: Array) -> Array:
        """Return the nearest coordinates of each part in turn for the remaining pose."""
        coordinates = []
        for part in self.parts:
            coordinates.append(part.compute_nearest_coordinates(Q))
            Q = se3.inverse(part.compute_transform(coordinates[-1])) @ Q
        return np.concatenate(coordinates, axis=-1)

    def _block_diagonal(self, blocks: list[Array]) -> Array:
        """Return the rows of the parts in the columns of their coordinates."""
        shape = np.broadcast_shapes(*(block.shape[:-2] for block in blocks))
        rows = np.zeros((*shape, self.num_coordinate_constraints, self.num_coordinates))
        row = column = 0
        for block in blocks:
            rows[..., row : row + block.shape[-2], column : column + block.shape[-1]] = block
            row, column = row + block.shape[-2], column + block.shape[-1]
        return rows

    def compute_coordinate_constraint(self, q: Array) -> Array:
        values = [
            part.compute_coordinate_constraint(part_q)
            for part, part_q in zip(self.parts, self._split(q), strict=True)
        ]
        return np.concatenate(values, axis=-1)

    def compute_coordinate_constraint_jacobian(self, q: Array) -> Array:
        pairs = zip(self.parts, self._split(q), strict=True)
        return self._block_diagonal(
            [part.compute_coordinate_constraint_jacobian(part_q) for part, part_q in pairs]
        )

    def compute_coordinate_constraint_jacobian_rate(self, q: Array, qdot: Array) -> Array:
        pairs = zip(self.parts, self._split(q), self._split(qdot), strict=True)
        return self._block_diagonal(
            [part.compute_coordinate_constraint_jacobian_rate(part_q, rate) for part, part_q, rate in pairs]
        )

    def compute_coordinate_constraint_bias_derivative(self, q: Array, qdot: Array) -> Array:
        pairs = zip(self.parts, self._split(q), self._split(qdot), strict=True)
        return self._block_diagonal(
            [part.compute_coordinate_constraint_bias_derivative(part_q, rate) for part, part_q, rate in pairs]
        )


class _SequentialComposite(Composite):
    """Composite whose nearest pose follows from its parts in turn, without a search."""

    def compute_nearest_coordinates(self, Q: Array) -> Array:
        return self._initial_coordinates(Q)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Universal(_SequentialComposite):
    """Rotation about x, then about the new y: a universal joint (Sueda 2.4.6, eq. (2.38))."""

    def __init__(self) -> None:
        super().__init__(Revolute(X), Revolute(Y))

    def _initial_coordinates(self, Q: Array) -> Array:
        # R is a rotation about x, then one about z, which the joint forbids, then one about y.
        R = Q[..., :3, :3]
        return np.stack(
            [np.arctan2(R[..., 2, 1], R[..., 1, 1]), np.arctan2(R[..., 0, 2], R[..., 0, 0])], axis=-1
        )


class Cylindrical(_SequentialComposite):
    """Rotation about an axis, z by default, and translation along it: q is angle and distance.

    Raises InvalidArgument if ``axis`` is not of unit length.
    """

    def __init__(self, axis: Any = Z) -> None:
        rotation = Revolute(axis)
        super().__init__(rotation, construct_unchecked(Prismatic, axis=rotation.axis))
        self.axis: Array = rotation.axis
        """Unit vector ``(3,)``."""

    def __repr__(self) -> str:
        return f"Cylindrical({self.axis})"


class Free2D(_SequentialComposite):
    """Any motion in the xy plane; elsewhere in the literature this is the planar joint.

    By default its coordinates are x and y in the frame at zero coordinates, then the angle (Sueda 2.4.10).
    With ``position_first=False`` they are the angle, then x and y in the rotated frame.
    """

    def __init__(self, *, position_first: bool = True) -> None:
        position, rotation = PlanarTranslation(), Revolute()
        super().__init__(*((position, rotation) if position_first else (rotation, position)))


class Free3D(_SequentialComposite):
    """Free joint: three translations and a rotation vector.

    By default the coordinates are the position in the frame at zero coordinates, then the rotation vector,
    as in Sueda's reference code. With ``position_first=False`` they are the rotation vector, then the
    position in the rotated frame, as in Sueda 2.4.11.
    """

    def __init__(self, *, position_first: bool = True) -> None:
        position, rotation = Translational(), ExponentialSpherical()
        super().__init__(*((position, rotation) if position_first else (rotation, position)))
