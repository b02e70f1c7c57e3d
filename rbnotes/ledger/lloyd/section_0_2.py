"""Lloyd 0.2: quaternions."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes import quaternion
from rbnotes.checking import derivative
from rbnotes.checking.strategies import numbers, unit_quaternions, unit_vectors, vectors
from rbnotes.ledger.record import Record, Verdict

TURN = {"u": unit_vectors(), "theta": numbers(-6, 6)}
SPINNING = {**TURN, "omega": vectors()}
COMMON = {"verdict": Verdict.HOLDS, "chapter": "quaternions"}


UNITS = np.array([[[1, 0], [0, 1]], [[1j, 0], [0, -1j]], [[0, 1], [-1, 0]], [[0, 1j], [1j, 0]]])
"""The complex 2 x 2 matrices that stand for 1, i, j, k: they multiply as quaternions do."""


def components(matrix):
    """Quaternion of a complex 2 x 2 matrix."""
    return np.array([matrix[0, 0].real, matrix[0, 0].imag, matrix[0, 1].real, matrix[0, 1].imag])


def turned(u, theta):
    """Quaternion of a turn: half the angle, because it is applied from both sides of a vector."""
    rates, directions = np.linalg.eigh(-1j * np.tensordot(u, UNITS[1:], axes=1))
    return components(directions * np.exp(1j * rates * theta / 2) @ directions.conj().T)


def quaternion_rate(q, rotation):
    """Rate at time zero of the quaternion of a rotation that moves through ``q``."""

    def continued(t):
        moved = np.roll(rotation(t).as_quat(), 1)
        return moved * np.sign(moved @ q)

    return derivative(continued).value


# --- definition -----------------------------------------------------------------------------------------


def axis_angle_printed(u, theta):
    return np.concatenate([[np.cos(theta / 2)], np.sin(theta / 2) * u])


def axis_angle_library(u, theta):
    return quaternion.from_axis_angle(u, theta)


# --- product --------------------------------------------------------------------------------------------


def product_printed(q, p):
    qs, qv, ps, pv = q[0], q[1:], p[0], p[1:]
    return np.concatenate([[qs * ps - qv @ pv], qs * pv + ps * qv + np.cross(qv, pv)])


def product_library(q, p):
    return quaternion.product(q, p)


def product_reference(q, p):
    return components(np.tensordot(q, UNITS, axes=1) @ np.tensordot(p, UNITS, axes=1))


# --- derivatives ----------------------------------------------------------------------------------------


def base_rate_as_product(u, theta, omega):
    q = np.concatenate([[np.cos(theta / 2)], np.sin(theta / 2) * u])
    return 1 / 2 * product_printed(np.concatenate([[0.0], omega]), q)


def base_rate_expanded(u, theta, omega):
    c, s = np.cos(theta / 2), np.sin(theta / 2)
    return 1 / 2 * np.concatenate([[-s * omega @ u], c * omega + s * np.cross(omega, u)])


def base_rate_library(u, theta, omega):
    return quaternion.derivative_from_base(quaternion.from_axis_angle(u, theta), omega)


def base_rate_reference(u, theta, omega):
    start = Rotation.from_rotvec(theta * u)
    return quaternion_rate(turned(u, theta), lambda t: Rotation.from_rotvec(t * omega) * start)


def body_rate_as_product(u, theta, omega):
    q = np.concatenate([[np.cos(theta / 2)], np.sin(theta / 2) * u])
    return 1 / 2 * product_printed(q, np.concatenate([[0.0], omega]))


def body_rate_expanded(u, theta, omega):
    c, s = np.cos(theta / 2), np.sin(theta / 2)
    return 1 / 2 * np.concatenate([[-s * omega @ u], c * omega - s * np.cross(omega, u)])


def body_rate_library(u, theta, omega):
    return quaternion.derivative_from_body(quaternion.from_axis_angle(u, theta), omega)


def body_rate_reference(u, theta, omega):
    start = Rotation.from_rotvec(theta * u)
    return quaternion_rate(turned(u, theta), lambda t: start * Rotation.from_rotvec(t * omega))


# --- rotation of a vector -------------------------------------------------------------------------------


def rotate_printed(q, v):
    inverse = np.concatenate([[q[0]], -q[1:]]) / (q @ q)
    return product_printed(product_printed(q, np.concatenate([[0.0], v])), inverse)


def rotate_library(q, v):
    return np.concatenate([[0.0], quaternion.rotate(q, v)])


def rotate_reference(q, v):
    return np.concatenate([[0.0], Rotation.from_quat(np.roll(q, -1)).apply(v)])


RECORDS = [
    Record(
        id="lloyd/s0.2/d1",
        title="Unit quaternion of a rotation by an angle about an axis",
        formula=r"\mathbf q = (\cos(\theta/2),\ \sin(\theta/2)\,\mathbf u)",
        oracle="matrix exponential of the axis as a complex 2 x 2 matrix, which knows no half-angle formula",
        implemented_by=("rbnotes.quaternion.from_axis_angle",),
        inputs=TURN,
        printed=axis_angle_printed,
        library=axis_angle_library,
        reference=turned,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.2/d2",
        title="Product of two quaternions",
        formula=r"\mathbf q\mathbf p = (q_s p_s - \mathbf q_v\cdot\mathbf p_v,\ "
        r"q_s\mathbf p_v + p_s\mathbf q_v + \mathbf q_v\times\mathbf p_v)",
        oracle="products of the complex 2 x 2 matrices that stand for 1, i, j, k",
        implemented_by=("rbnotes.quaternion.product",),
        inputs={"q": vectors(4), "p": vectors(4)},
        printed=product_printed,
        library=product_library,
        reference=product_reference,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.2/e0.1#a",
        title="Rate of a quaternion, angular velocity in base coordinates",
        formula=r"\dot{\mathbf q} = \tfrac12 (0,\boldsymbol\omega)\,\mathbf q",
        oracle="differences of scipy's quaternions along a rotation that spins in the base frame",
        implemented_by=("rbnotes.quaternion.derivative_from_base",),
        inputs=SPINNING,
        printed=base_rate_as_product,
        library=base_rate_library,
        reference=base_rate_reference,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.2/e0.1#b",
        title="The same, written out with axis and angle",
        formula=r"\dot{\mathbf q} = \tfrac12(-\sin(\theta/2)\,\boldsymbol\omega\cdot\mathbf u,\ "
        r"\cos(\theta/2)\,\boldsymbol\omega + \sin(\theta/2)\,\boldsymbol\omega\times\mathbf u)",
        oracle="differences of scipy's quaternions along a rotation that spins in the base frame",
        implemented_by=("rbnotes.quaternion.derivative_from_base",),
        inputs=SPINNING,
        printed=base_rate_expanded,
        library=base_rate_library,
        reference=base_rate_reference,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.2/d3#a",
        title="Rate of a quaternion, angular velocity in rotated coordinates",
        formula=r"\dot{\mathbf q} = \tfrac12\,\mathbf q\,(0,\boldsymbol\omega)",
        oracle="differences of scipy's quaternions along a rotation that spins in its own frame",
        implemented_by=("rbnotes.quaternion.derivative_from_body",),
        inputs=SPINNING,
        printed=body_rate_as_product,
        library=body_rate_library,
        reference=body_rate_reference,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.2/d3#b",
        title="The same, written out with axis and angle",
        formula=r"\dot{\mathbf q} = \tfrac12(-\sin(\theta/2)\,\boldsymbol\omega\cdot\mathbf u,\ "
        r"\cos(\theta/2)\,\boldsymbol\omega - \sin(\theta/2)\,\boldsymbol\omega\times\mathbf u)",
        oracle="differences of scipy's quaternions along a rotation that spins in its own frame",
        implemented_by=("rbnotes.quaternion.derivative_from_body",),
        inputs=SPINNING,
        printed=body_rate_expanded,
        library=body_rate_library,
        reference=body_rate_reference,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.2/d4",
        title="A unit quaternion turns vectors from rotated to world coordinates",
        formula=r"{}^W\mathbf v = \mathbf q\,(0,{}^R\mathbf v)\,\mathbf q^{-1}",
        oracle="scipy's rotation of the vector",
        implemented_by=("rbnotes.quaternion.rotate",),
        inputs={"q": unit_quaternions(), "v": vectors()},
        printed=rotate_printed,
        library=rotate_library,
        reference=rotate_reference,
        **COMMON,
    ),
]
