"""Joints one after the other, with massless bodies between them (Sueda 2.4.6, 2.4.9-2.4.11)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from rbnotes import _se3
from rbnotes._frozen import known
from rbnotes._linear import apply
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.joints._nearest import search
from rbnotes.joints.protocol import JointType
from rbnotes.joints.simple import PlanarTranslation, Prismatic, Revolute, Translational, X, Y, Z
from rbnotes.joints.spherical import ExponentialSpherical
from rbnotes.joints.subspaces import lie_algebra


class Composite(JointType):
    """Two or more joints, ``Q = Q_1 Q_2 ...``: the first one rests, and each carries the next (Sueda 2.4.9).

    Its coordinates are those of its parts, one after the other. Frames between the parts are fixed joints:
    ``Composite(Revolute(), Fixed(pose), Revolute())``.

    Raises
    ------
    InvalidArgument
        If there are fewer than two parts, or one is no joint type.
    """

    def __init__(self, *parts: JointType) -> None:
        if len(parts) < 2:
            raise InvalidArgument("parts", f"{len(parts)} of them", "two joint types or more")
        for part in parts:
            if not isinstance(part, JointType):
                raise InvalidArgument("parts", f"{part!r:.60}", "joint types")
        self._parts = parts

    @property
    def parts(self) -> tuple[JointType, ...]:
        return self._parts

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.parts))})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash((type(self), self.parts))

    @cached_property
    def coordinates(self) -> int:
        return sum(part.coordinates for part in self.parts)

    @cached_property
    def constraints(self) -> int:
        return sum(part.constraints for part in self.parts)

    @property
    def home(self) -> Array:
        return np.concatenate([part.home for part in self.parts])

    @cached_property
    def algebra(self) -> Array:
        """Seen from the last frame, twists of a part are turned about by the parts that follow."""
        found: Array = np.zeros((6, 0))
        for part in self.parts:
            before = _se3.Ad_inverse(part._transform(part.home)) @ found
            found = lie_algebra([before, part.algebra])
        return found

    def _split(self, q: Array) -> list[Array]:
        return np.split(q, np.cumsum([part.coordinates for part in self.parts])[:-1], axis=-1)

    def _transform(self, q: Array) -> Array:
        first, *others = (part._transform(own) for part, own in zip(self.parts, self._split(q), strict=True))
        for Q in others:
            first = first @ Q
        return first

    def _adjoints(self, q: list[Array]) -> list[Array]:
        """For each part, from its own frame to the last one."""
        adjoint: Array = np.broadcast_to(np.eye(6), (*q[0].shape[:-1], 6, 6))
        adjoints = [adjoint]
        for part, own in zip(self.parts[:0:-1], q[:0:-1], strict=True):
            adjoint = adjoint @ _se3.Ad_inverse(part._transform(own))
            adjoints.append(adjoint)
        return adjoints[::-1]

    def _S(self, q: Array) -> Array:
        split = self._split(q)
        own = [part._S(each) for part, each in zip(self.parts, split, strict=True)]
        return np.concatenate([A @ S for A, S in zip(self._adjoints(split), own, strict=True)], axis=-1)

    def _Sdot(self, q: Array, qdot: Array) -> Array:
        split, rates = self._split(q), self._split(qdot)
        blocks, later = [], np.zeros((*q.shape[:-1], 6))
        for part, A, own, rate in zip(
            self.parts[::-1], self._adjoints(split)[::-1], split[::-1], rates[::-1], strict=True
        ):
            S = A @ part._S(own)
            # The frames that follow move with this twist, and an adjoint to them changes as -ad(twist).
            blocks.append(A @ part._Sdot(own, rate) - _se3.ad(later) @ S)
            later = later + apply(S, rate)
        return np.concatenate(blocks[::-1], axis=-1)

    def _dS(self, q: Array) -> Array:
        split, S = self._split(q), self._S(q)
        adjoints = self._adjoints(split)
        dS = np.zeros((*q.shape[:-1], 6, self.coordinates, self.coordinates))
        start = 0
        for part, A, own in zip(self.parts, adjoints, split, strict=True):
            end = start + part.coordinates
            here, later = slice(start, end), slice(end, None)
            dS[..., here, here] = np.einsum("...ij,...jkl->...ikl", A, part._dS(own))
            brackets = _se3.ad(np.swapaxes(S[..., here], -1, -2)) @ S[..., None, :, later]
            dS[..., here, later] = np.moveaxis(brackets, -3, -2)
            start = end
        return dS

    def _drift_slope(self, q: Array, qdot: Array) -> Array:
        # Twist and drift of one part after the other, seen from its frame, and how both change with q.
        twist: Array = np.zeros((*q.shape[:-1], 6))
        drift, twist_slope = twist, np.zeros((*q.shape[:-1], 6, self.coordinates))
        drift_slope = twist_slope.copy()
        end = 0
        for part, own, rate in zip(self.parts, self._split(q), self._split(qdot), strict=True):
            here = slice(end, end + part.coordinates)
            A, S = _se3.Ad_inverse(part._transform(own)), part._S(own)
            own_twist, turning = apply(S, rate), np.einsum("...ijl,...j->...il", part._dS(own), rate)
            before, bracket = apply(A, twist), _se3.ad(own_twist)
            twist_slope = A @ twist_slope
            drift_slope = A @ drift_slope - bracket @ twist_slope
            # Seen from a frame that moves with a column of S, everything else moves the other way.
            moving = _se3.ad(before) @ S
            drift = apply(A, drift)
            drift_slope[..., here] += _se3.ad(drift) @ S - bracket @ moving + _se3.ad(before) @ turning
            drift_slope[..., here] += part._drift_slope(own, rate)
            twist_slope[..., here] += moving + turning
            twist = before + own_twist
            drift = drift - apply(bracket, before) + apply(part._Sdot(own, rate), rate)
            end = here.stop
        return drift_slope

    def _reparametrise(self, q: Array, qdot: Array) -> tuple[Array, Array]:
        pairs = [
            part._reparametrise(own, rate)
            for part, own, rate in zip(self.parts, self._split(q), self._split(qdot), strict=True)
        ]
        new, rates = zip(*pairs, strict=True)
        return np.concatenate(new, axis=-1), np.concatenate(rates, axis=-1)

    def _coordinates_of(self, Q: Array) -> Array:
        q = search(self, Q, self._near(Q))
        return self._reparametrise(q, np.zeros_like(q))[0] if self.constraints else q

    def _near(self, Q: Array) -> Array:
        """The nearest coordinates of the first part, then those of the second for what is left, and so on."""
        found = []
        for part in self.parts:
            found.append(part._coordinates_of(Q))
            Q = _se3.inverse(part._transform(found[-1])) @ Q
        return np.concatenate(found, axis=-1)

    def _stacked(self, blocks: list[Array]) -> Array:
        """Rows of the parts, each in the columns of its own coordinates."""
        shape = np.broadcast_shapes(*(block.shape[:-2] for block in blocks))
        rows = np.zeros((*shape, self.constraints, self.coordinates))
        row = column = 0
        for block in blocks:
            rows[..., row : row + block.shape[-2], column : column + block.shape[-1]] = block
            row, column = row + block.shape[-2], column + block.shape[-1]
        return rows

    def _constraint(self, q: Array) -> Array:
        values = [part._constraint(own) for part, own in zip(self.parts, self._split(q), strict=True)]
        return np.concatenate(values, axis=-1)

    def _constraint_rows(self, q: Array) -> Array:
        pairs = zip(self.parts, self._split(q), strict=True)
        return self._stacked([part._constraint_rows(own) for part, own in pairs])

    def _constraint_rows_dot(self, q: Array, qdot: Array) -> Array:
        pairs = zip(self.parts, self._split(q), self._split(qdot), strict=True)
        return self._stacked([part._constraint_rows_dot(own, rate) for part, own, rate in pairs])

    def _constraint_drift_slope(self, q: Array, qdot: Array) -> Array:
        pairs = zip(self.parts, self._split(q), self._split(qdot), strict=True)
        return self._stacked([part._constraint_drift_slope(own, rate) for part, own, rate in pairs])


class _Exactly(Composite):
    """A composite whose parts, taken one after the other, already give the nearest pose."""

    def _coordinates_of(self, Q: Array) -> Array:
        return self._near(Q)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Universal(_Exactly):
    """Rotation about x, then about the new y: a cross, without twist about z (Sueda 2.4.6, eq. (2.38))."""

    def __init__(self) -> None:
        super().__init__(Revolute(X), Revolute(Y))

    def _near(self, Q: Array) -> Array:
        # R is a rotation about x, then one about z that the joint forbids, then one about y.
        R = Q[..., :3, :3]
        return np.stack(
            [np.arctan2(R[..., 2, 1], R[..., 1, 1]), np.arctan2(R[..., 0, 2], R[..., 0, 0])], axis=-1
        )


class Cylindrical(_Exactly):
    """Rotation about an axis, z by default, and translation along it: q is angle and distance.

    Raises InvalidArgument if ``axis`` is not of unit length.
    """

    def __init__(self, axis: Any = Z) -> None:
        turning = Revolute(axis)
        super().__init__(turning, known(Prismatic, axis=turning.axis))
        self.axis: Array = turning.axis
        """Unit vector ``(3,)``."""

    def __repr__(self) -> str:
        return f"Cylindrical({self.axis})"


class Free2D(_Exactly):
    """Any motion in the xy plane; elsewhere in the literature this is the planar joint.

    Its coordinates are x, y and the angle, with the position in the resting frame (Sueda 2.4.10); or the
    angle, x and y, with the position in the turned one.
    """

    def __init__(self, *, position_first: bool = True) -> None:
        position, rotation = PlanarTranslation(), Revolute()
        super().__init__(*((position, rotation) if position_first else (rotation, position)))


class Free3D(_Exactly):
    """Any motion.

    Its coordinates are the position in the resting frame and the rotation vector, as a spline surface and
    Sueda's reference code have them; or, as in Sueda 2.4.11, the rotation vector and the position in the
    turned frame.
    """

    def __init__(self, *, position_first: bool = True) -> None:
        position, rotation = Translational(), ExponentialSpherical()
        super().__init__(*((position, rotation) if position_first else (rotation, position)))
