"""Rotation about a point by three angles, about any sequence of axes (Sueda 2.4.5)."""

from __future__ import annotations

from itertools import product

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.joints.composite import _SequentialComposite
from rbnotes.joints.simple import Revolute


def euler_sequences() -> tuple[str, ...]:
    """Return the twelve sequences of axes that reach every rotation: ``"XYX"``, ``"XYZ"``, and so on."""
    return tuple(i + j + k for i, j, k in product("XYZ", repeat=3) if j not in (i, k))


class EulerSpherical(_SequentialComposite):
    """Spherical joint with three angles as coordinates, about successive rotated axes.

    ``"XZX"`` rotates about x, then about the new z, then about the newest x (Sueda eq. (2.30)). It is
    singular where the first axis and the last one align: with three different axes where the second angle is
    +-pi/2, with the first one repeated where it is 0 or pi.

    Raises
    ------
    InvalidArgument
        If the sequence is not one of :func:`euler_sequences`.
    """

    def __init__(self, sequence: str = "XYZ") -> None:
        self.sequence = arguments.choice("sequence", sequence, euler_sequences())
        super().__init__(*(Revolute(tuple(np.eye(3)["XYZ".index(letter)])) for letter in sequence))

    def __repr__(self) -> str:
        return f"EulerSpherical({self.sequence!r})"

    def _initial_coordinates(self, Q: Array) -> Array:
        """Return angles of the rotation, the second one in [0, pi] or [-pi/2, pi/2]."""
        R = Q[..., :3, :3]
        i, j, last = ("XYZ".index(letter) for letter in self.sequence)
        k = 3 - i - j
        sign = 1 if (j - i) % 3 == 1 else -1
        if last == i:
            first = np.arctan2(R[..., j, i], -sign * R[..., k, i])
        else:
            first = np.arctan2(-sign * R[..., j, k], R[..., k, k])
        first_joint, second_joint, last_joint = self.parts
        angles = [first[..., None]]
        # After the first rotation, the second axis is in the plane perpendicular to the last one: its row
        # gives the last angle, whatever the second one is.
        remaining = first_joint.compute_transform(angles[0]).mT @ Q
        other = 3 - j - last
        last_sign = 1 if (other - last) % 3 == 1 else -1
        final = np.arctan2(last_sign * remaining[..., j, other], remaining[..., j, j])[..., None]
        remaining = remaining @ last_joint.compute_transform(final).mT
        return np.concatenate(
            [angles[0], second_joint.compute_nearest_coordinates(remaining), final], axis=-1
        )
