"""Lloyd 0.1: spatial inertia matrices. Twists there have the linear part first."""

from __future__ import annotations

import numpy as np

from rbnotes import so3
from rbnotes.inertia import (
    spatial_inertia,
    spatial_inertia_factor,
    spatial_inertia_inverse,
    swap_stacking,
)
from rbnotes.ledger.oracles.bodies import bracket, kinetic_energy_matrix
from rbnotes.ledger.quantities import AREA, LINEAR_FIRST_TWIST, LINEAR_FIRST_WRENCH, TIME, matrix_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import inertias, masses, vectors

BODY = {"m": masses(), "c": vectors(), "J": inertias()}
IDENTITY = np.eye(3)


def matrix_reference(m, c, J):
    return kinetic_energy_matrix(m, J, c, linear_first=True)


@claim("lloyd/s0.1/d1", "Spatial inertia about the origin of the body frame")
class d1:
    formula = (
        r"\mathbf M = \begin{pmatrix} m\mathbf I & -m[\mathbf c] \\"
        r" m[\mathbf c] & \mathbf J - m[\mathbf c][\mathbf c] \end{pmatrix}"
    )
    inputs = BODY
    result = matrix_quantity(LINEAR_FIRST_WRENCH * TIME, LINEAR_FIRST_TWIST)

    def printed(m, c, J):
        return np.block([[m * IDENTITY, -m * bracket(c)], [m * bracket(c), J - m * bracket(c) @ bracket(c)]])

    def library(m, c, J):
        return swap_stacking(spatial_inertia(m, J, c))

    oracle = (
        "the kinetic energy of six point masses with this mass, centre and inertia, from their velocities"
    )
    reference = matrix_reference
    equivalent_mutants = {
        "swapped operands in `m * bracket(c) @ bracket(c)`": "both factors are multiples of one matrix"
    }
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.inertia.spatial_inertia",
        "rbnotes.inertia.swap_stacking",
    )
    chapter = "spatial-inertia"


@claim("lloyd/s0.1/t10", "The bracket is the skew-symmetric matrix of a cross product")
class t10:
    formula = r"[\mathbf c]\,\mathbf x = \mathbf c\times\mathbf x,\quad [\mathbf c] = -[\mathbf c]^T"
    inputs = {"c": vectors(), "x": vectors()}
    result = AREA

    def printed(c, x):
        return np.stack([bracket(c) @ x, -bracket(c).T @ x])

    def library(c, x):
        return np.stack([so3.hat(c) @ x, -so3.hat(c).T @ x])

    oracle = "numpy's cross product, twice"

    def reference(c, x):
        return np.stack([np.cross(c, x)] * 2)

    exact = (
        "each number is one difference of two products: where a processor does not fuse them, all round alike"
    )
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.so3.hat",)
    chapter = "spatial-inertia"


@claim("lloyd/s0.1/d2", "Inverse of the spatial inertia")
class d2:
    formula = (
        r"\mathbf M^{-1} = \begin{pmatrix} \frac1m\mathbf I - [\mathbf c]\mathbf J^{-1}[\mathbf c] & "
        r"[\mathbf c]\mathbf J^{-1} \\ -\mathbf J^{-1}[\mathbf c] & \mathbf J^{-1} \end{pmatrix}"
    )
    inputs = BODY
    result = matrix_quantity(LINEAR_FIRST_WRENCH * TIME, LINEAR_FIRST_TWIST).inverse

    def printed(m, c, J):
        Ji = np.linalg.inv(J)
        return np.block(
            [[1 / m * IDENTITY - bracket(c) @ Ji @ bracket(c), bracket(c) @ Ji], [-Ji @ bracket(c), Ji]]
        )

    def library(m, c, J):
        return swap_stacking(spatial_inertia_inverse(m, J, c))

    oracle = "numerical inverse of the kinetic-energy matrix of six point masses"

    def reference(m, c, J):
        return np.linalg.inv(kinetic_energy_matrix(m, J, c, linear_first=True))

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.inertia.spatial_inertia_inverse",)
    chapter = "spatial-inertia"


@claim("lloyd/s0.1/d3", "The spatial inertia factors into G G^T")
class d3:
    formula = (
        r"\mathbf M = \mathbf G\mathbf G^T,\quad \mathbf G = \begin{pmatrix} \sqrt m\,\mathbf I & 0 \\"
        r" \sqrt m\,[\mathbf c] & \mathbf L \end{pmatrix},\quad \mathbf J = \mathbf L\mathbf L^T"
    )
    inputs = BODY
    result = matrix_quantity(LINEAR_FIRST_WRENCH * TIME, LINEAR_FIRST_TWIST)

    def printed(m, c, J):
        L = np.linalg.cholesky(J)
        zero = np.zeros((3, 3))
        G = np.block([[np.sqrt(m) * IDENTITY, zero], [np.sqrt(m) * bracket(c), L]])
        return G @ G.T

    def library(m, c, J):
        G = swap_stacking(spatial_inertia_factor(m, J, c))
        return G @ G.T

    oracle = "the product G G^T against the kinetic-energy matrix of six point masses"
    reference = matrix_reference
    equivalent_mutants = {
        "negated L in `[np.sqrt(m) * bracket(c), L]`": "a factor of J with its sign changed is another factor of J"
    }
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.inertia.spatial_inertia_factor",)
    chapter = "spatial-inertia"
