"""Lloyd 0.1: spatial inertia matrices. Twists there have the linear part first."""

from __future__ import annotations

import numpy as np

from rbnotes import so3
from rbnotes.inertia import spatial_inertia, spatial_inertia_factor, spatial_inertia_inverse, swap_stacking
from rbnotes.ledger.oracles.bodies import bracket, kinetic_energy_matrix
from rbnotes.ledger.quantities import (
    AREA,
    INERTIA,
    LENGTH,
    LINEAR_FIRST_TWIST,
    LINEAR_FIRST_WRENCH,
    MASS,
    TIME,
    matrix_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing.strategies import inertias, masses, vectors

section = Section(
    "lloyd/s0.1",
    chapter="spatial-inertia",
    arguments={
        "m": Argument(MASS),
        "c": Argument(LENGTH, "center of mass, in the frame of the body"),
        "J": Argument(INERTIA, "about the center of mass, along the axes of the body"),
        "x": Argument(LENGTH, "in the frame of the body"),
    },
)


BODY = {"m": masses(), "c": vectors(), "J": inertias()}
IDENTITY = np.eye(3)


def matrix_reference(m, c, J):
    return kinetic_energy_matrix(m, J, c, linear_first=True)


@section.holds("d1", "Spatial inertia about the origin of the body frame")
class d1:
    formula = r"\mathbf M = \begin{pmatrix} m\mathbf I & -m[\mathbf c] \\ m[\mathbf c] & \mathbf J - m[\mathbf c][\mathbf c] \end{pmatrix}"
    inputs = BODY
    result = Result(
        matrix_quantity(LINEAR_FIRST_WRENCH * TIME, LINEAR_FIRST_TWIST),
        "about the origin of the body, linear part first, along its axes",
    )

    def printed(m, c, J):
        return np.block([[m * IDENTITY, -m * bracket(c)], [m * bracket(c), J - m * bracket(c) @ bracket(c)]])

    def library(m, c, J):
        return swap_stacking(spatial_inertia(m, J, c))

    oracle = "Compare with the kinetic energy of six point masses with this mass, center and inertia."
    reference = matrix_reference
    implements = (spatial_inertia, swap_stacking)


@section.holds("t10", "The bracket is the skew-symmetric matrix of a cross product")
class t10:
    formula = r"[\mathbf c]\,\mathbf x = \mathbf c\times\mathbf x,\quad [\mathbf c] = -[\mathbf c]^T"
    inputs = {"c": vectors(), "x": vectors()}
    result = Result(AREA, "in the frame of the body, once for each side of the equation")

    def printed(c, x):
        return np.stack([bracket(c) @ x, -bracket(c).T @ x])

    def library(c, x):
        return np.stack([so3.hat(c) @ x, -so3.hat(c).T @ x])

    def reference(c, x):
        """Compare with numpy's cross product, applied twice with exchanged factors."""
        return np.stack([np.cross(c, x)] * 2)

    exact = "each number is one difference of two products, and all forms round in the same way if the processor does not fuse them"
    implements = so3.hat


@section.holds("d2", "Inverse of the spatial inertia")
class d2:
    formula = r"\mathbf M^{-1} = \begin{pmatrix} \frac1m\mathbf I - [\mathbf c]\mathbf J^{-1}[\mathbf c] & [\mathbf c]\mathbf J^{-1} \\ -\mathbf J^{-1}[\mathbf c] & \mathbf J^{-1} \end{pmatrix}"
    inputs = BODY
    result = Result(
        matrix_quantity(LINEAR_FIRST_WRENCH * TIME, LINEAR_FIRST_TWIST).inverse,
        "about the origin of the body, linear part first, along its axes",
    )

    def printed(m, c, J):
        Ji = np.linalg.inv(J)
        return np.block(
            [[1 / m * IDENTITY - bracket(c) @ Ji @ bracket(c), bracket(c) @ Ji], [-Ji @ bracket(c), Ji]]
        )

    def library(m, c, J):
        return swap_stacking(spatial_inertia_inverse(m, J, c))

    def reference(m, c, J):
        """Compare with the numerical inverse of the kinetic-energy matrix of six point masses."""
        return np.linalg.inv(kinetic_energy_matrix(m, J, c, linear_first=True))

    implements = spatial_inertia_inverse


@section.holds("d3", "The spatial inertia factors into G G^T")
class d3:
    formula = r"\mathbf M = \mathbf G\mathbf G^T,\quad \mathbf G = \begin{pmatrix} \sqrt m\,\mathbf I & 0 \\ \sqrt m\,[\mathbf c] & \mathbf L \end{pmatrix},\quad \mathbf J = \mathbf L\mathbf L^T"
    inputs = BODY
    result = Result(
        matrix_quantity(LINEAR_FIRST_WRENCH * TIME, LINEAR_FIRST_TWIST),
        "about the origin of the body, linear part first, along its axes",
    )

    def printed(m, c, J):
        L = np.linalg.cholesky(J)
        zero = np.zeros((3, 3))
        G = np.block([[np.sqrt(m) * IDENTITY, zero], [np.sqrt(m) * bracket(c), L]])
        return G @ G.T

    def library(m, c, J):
        G = swap_stacking(spatial_inertia_factor(m, J, c))
        return G @ G.T

    oracle = "Compare G G^T with the kinetic-energy matrix of six point masses."
    reference = matrix_reference
    implements = spatial_inertia_factor
