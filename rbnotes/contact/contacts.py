"""Contacts as data: Jacobian, friction coefficients and target velocities.

Each contact has three rows, along its normal and along two tangents. Rows give separation and sliding
velocities; their transposes take impulses to momenta, and a positive normal impulse pushes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, ArrayField, InvalidArgument, Matrix
from rbnotes.contact import unchecked
from rbnotes.contact.body_pair_jacobian import BodyPairJacobian
from rbnotes.contact.detection import ContactPoints
from rbnotes.dynamics import WORLD
from rbnotes.unchecked import contact_axes as unchecked_axes
from rbnotes.unchecked.frozen import set_writable_fields


@dataclass(frozen=True, eq=False)
class Contacts:
    """Contacts of a system with n velocities: of bodies, particles, or generalized coordinates.

    Attributes
    ----------
    rows
        Jacobian ``(3 c, n)``, dimensionless for particles: the normal and two orthonormal tangents of each
        contact in turn. A :class:`~rbnotes.contact.BodyPairJacobian` between bodies; or a dense or sparse
        matrix. An array ``(c, 3, n)`` is reshaped.
    mu
        Coefficients of friction ``(c,)``, or one for all, dimensionless. Contacts with infinite coefficients
        stick while they push.
    normal_target
        Smallest normal velocities ``(c,)``, or one for all, m/s: zero, or those of restitution or
        stabilization.

    Raises
    ------
    InvalidArgument
        If shapes do not fit, or a coefficient of friction is negative.
    """

    rows: BodyPairJacobian | Matrix
    mu: ArrayField
    normal_target: ArrayField = 0.0

    def __post_init__(self) -> None:
        rows = self.rows
        if not isinstance(rows, BodyPairJacobian):
            rows = arguments.matrix("rows", _stack_rows(rows))
        if rows.shape[0] % 3 or (isinstance(rows, BodyPairJacobian) and rows.block_a.shape[1] != 3):
            raise InvalidArgument("rows", f"shape {rows.shape}", "three rows a contact, shape (3 c, n)")
        count = rows.shape[0] // 3
        mu = arguments.extended_real_array("mu", self.mu)
        mu = arguments.broadcast_to_count("mu", arguments.require_within("mu", mu, 0.0, np.inf), count)
        target = arguments.broadcast_to_count(
            "normal_target", arguments.array("normal_target", self.normal_target), count
        )
        set_writable_fields(self, rows=rows, mu=mu, normal_target=target)

    @classmethod
    def from_directions(
        cls, normals: Matrix, tangents: ArrayLike, mu: ArrayLike, normal_target: ArrayLike = 0.0
    ) -> Contacts:
        """Return contacts from separate arrays of normals ``(c, n)`` and tangents ``(c, 2, n)``.

        Raises
        ------
        InvalidArgument
            If ``mu`` is negative or the shape of ``normals``, ``tangents`` or ``normal_target`` does not fit.
        """
        normals = arguments.matrix("normals", normals)
        normals = normals.toarray() if sparse.issparse(normals) else normals
        tangents = arguments.array("tangents", tangents, len(normals), 2, normals.shape[1])
        if tangents.ndim != 3:
            raise InvalidArgument("tangents", f"shape {tangents.shape}", "shape (c, 2, n)")
        return cls(np.concatenate([normals[:, None], tangents], axis=1), mu, normal_target)

    @property
    def count(self) -> int:
        """Number of contacts c."""
        return int(self.rows.shape[0]) // 3

    @property
    def matrix(self) -> Matrix:
        """Jacobian as a matrix ``(3 c, n)``: sparse between bodies, otherwise as given."""
        return self.rows.matrix if isinstance(self.rows, BodyPairJacobian) else self.rows

    @property
    def normal_jacobian(self) -> Matrix:
        """Normal rows ``(c, n)``."""
        return sparse.csr_array(self.matrix)[::3] if sparse.issparse(self.matrix) else self.matrix[::3]


def contact_jacobian(points: ContactPoints, poses: ArrayLike) -> BodyPairJacobian:
    """Return the contact Jacobian of n bodies: for each contact the normal and :func:`tangent_directions`.

    A row gives the velocity of the point of body a minus that of body b along one direction, through
    ``R Gamma(x)`` (Sueda eq. (1.12)). Its transpose takes an impulse to opposite impulsive wrenches on both
    bodies, at the same point.

    Parameters
    ----------
    points
        Contact points.
    poses : (n, 4, 4)
        Poses of the bodies, m.

    Raises
    ------
    InvalidArgument
        If ``poses`` are not poses.
    """
    arguments.require_instance("points", points, ContactPoints)
    return unchecked.jacobian_along(contact_axes(points.normal), points, _check_poses(points, poses))


def normal_jacobian(points: ContactPoints, poses: ArrayLike) -> BodyPairJacobian:
    """Return the normal rows of :func:`contact_jacobian`, which give the rates of the gaps.

    Raises
    ------
    InvalidArgument
        If ``poses`` are not poses.
    """
    arguments.require_instance("points", points, ContactPoints)
    normals = arguments.unit_vector("points.normal", points.normal)
    return unchecked.jacobian_along(normals[:, None], points, _check_poses(points, poses))


def contact_axes(normals: ArrayLike) -> Array:
    """Return unit normals ``(..., 3)`` and their tangents, as rows ``(..., 3, 3)``.

    Raises
    ------
    InvalidArgument
        If ``normals`` are not of unit length.
    """
    return unchecked_axes.contact_axes(arguments.unit_vector("normals", normals))


def tangent_directions(normals: ArrayLike) -> Array:
    """Return orthonormal pairs ``(..., 2, 3)`` perpendicular to unit normals ``(..., 3)``.

    The first is perpendicular to the coordinate axis that is farthest from the normal.

    Raises
    ------
    InvalidArgument
        If ``normals`` are not of unit length.
    """
    return unchecked_axes.tangent_directions(arguments.unit_vector("normals", normals))


def _check_poses(points: ContactPoints, poses: ArrayLike) -> Array:
    result = arguments.with_ndim("poses", arguments.frame("poses", poses), 3)
    if max(points.a.max(initial=WORLD), points.b.max(initial=WORLD)) >= len(result):
        raise InvalidArgument("poses", f"{len(result)} of them", "one for each body that touches")
    return result


def _stack_rows(rows: Any) -> Any:
    """Reshape three rows for each contact to a matrix."""
    if sparse.issparse(rows):
        return rows
    rows = arguments.array("rows", rows)
    if rows.ndim != 3:
        return rows
    if rows.shape[1] != 3:
        raise InvalidArgument("rows", f"shape {rows.shape}", "shape (c, 3, n) or (3 c, n)")
    return rows.reshape(-1, rows.shape[2])
