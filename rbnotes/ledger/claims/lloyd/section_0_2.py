"""Lloyd 0.2: quaternions."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes import quaternion
from rbnotes.ledger.oracles.quaternions import UNITS, multiply, rotation_quaternion
from rbnotes.ledger.quantities import LENGTH, NUMBER, RATE
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import derivative
from rbnotes.testing.strategies import numbers, unit_quaternions, unit_vectors, vectors

ROTATED_TO_WORLD = "of the quaternion that takes rotated to world coordinates"

section = Section(
    "lloyd/s0.2",
    chapter="quaternions",
    arguments={
        "u": Argument(NUMBER, "axis of the rotation, the same in the world and in the rotated frame"),
        "theta": Argument(NUMBER),
        "q": Argument(NUMBER, "takes rotated to world coordinates if it has unit length"),
        "p": Argument(NUMBER, "second factor"),
        "omega": Argument(RATE, "in base coordinates, which are those of the world"),
        "v": Argument(LENGTH, "in rotated coordinates"),
    },
)


AXIS_ANGLE = {"u": unit_vectors(), "theta": numbers(-6, 6)}
ROTATING_FRAME = {**AXIS_ANGLE, "omega": vectors()}


def quaternion_rate(q, rotation):
    """Return the derivative at time zero of the quaternion of a rotation that is ``q`` at time zero."""

    def continuous_quaternion(t):
        sample = np.roll(rotation(t).as_quat(), 1)
        return sample * np.sign(sample @ q)

    return derivative(continuous_quaternion).value


def product_printed(q, p):
    qs, qv, ps, pv = q[0], q[1:], p[0], p[1:]
    return np.concatenate([[qs * ps - qv @ pv], qs * pv + ps * qv + np.cross(qv, pv)])


def base_rate_library(u, theta, omega):
    return quaternion.derivative_from_base(quaternion.from_axis_angle(u, theta), omega)


def base_rate_reference(u, theta, omega):
    """Compare with differences of scipy's quaternions along a rotation with constant base-frame velocity."""
    rotation = Rotation.from_rotvec(theta * u)
    return quaternion_rate(
        rotation_quaternion(u, theta), lambda t: Rotation.from_rotvec(t * omega) * rotation
    )


def body_rate_library(u, theta, omega):
    return quaternion.derivative_from_body(quaternion.from_axis_angle(u, theta), omega)


def body_rate_reference(u, theta, omega):
    """Compare with differences of scipy's quaternions along a rotation with constant body-frame velocity."""
    rotation = Rotation.from_rotvec(theta * u)
    return quaternion_rate(
        rotation_quaternion(u, theta), lambda t: rotation * Rotation.from_rotvec(t * omega)
    )


@section.holds("d1", "Unit quaternion of a rotation by an angle about an axis")
class d1:
    formula = r"\mathbf q = (\cos(\theta/2),\ \sin(\theta/2)\,\mathbf u)"
    inputs = AXIS_ANGLE
    result = Result(NUMBER, "scalar first; takes rotated to world coordinates")

    def printed(u, theta):
        return np.concatenate([[np.cos(theta / 2)], np.sin(theta / 2) * u])

    def library(u, theta):
        return quaternion.from_axis_angle(u, theta)

    oracle = (
        "Compare with the matrix exponential of the axis as a complex 2 x 2 matrix, which uses no "
        "half-angle formula."
    )
    reference = rotation_quaternion
    implements = quaternion.from_axis_angle


@section.holds("t24", "The quaternion of a rotation has unit length")
class t24:
    formula = r"\mathbf q\cdot\mathbf q = \cos^2(\theta/2) + \sin^2(\theta/2)\,\mathbf u\cdot\mathbf u = 1"
    inputs = AXIS_ANGLE
    result = Result(NUMBER)

    def printed(u, theta):
        return np.cos(theta / 2) ** 2 + np.sin(theta / 2) ** 2 * u @ u

    def library(u, theta):
        q = quaternion.from_axis_angle(u, theta)
        return q @ q

    def reference(u, theta):
        """Compare with the determinant of the complex 2 x 2 matrix that represents the rotation.

        The real 4 x 4 matrix that stands for it has the squared absolute value as its determinant.
        """
        return np.sqrt(np.linalg.det(np.tensordot(rotation_quaternion(u, theta), UNITS, axes=1)))

    implements = quaternion.from_axis_angle


@section.holds("d2", "Product of two quaternions")
class d2:
    formula = r"\mathbf q\mathbf p = (q_s p_s - \mathbf q_v\cdot\mathbf p_v,\ q_s\mathbf p_v + p_s\mathbf q_v + \mathbf q_v\times\mathbf p_v)"
    inputs = {"q": vectors(4), "p": vectors(4)}
    result = Result(NUMBER, "scalar first; the rotation p, then the rotation q, if both have unit length")
    printed = product_printed

    def library(q, p):
        return quaternion.product(q, p)

    def reference(q, p):
        """Compare with products of the complex 2 x 2 matrices that represent 1, i, j and k."""
        return multiply(q, p)

    implements = quaternion.product


@section.holds("e0.1#a", "Rate of a quaternion, angular velocity in base coordinates")
class e0_1_a:
    formula = r"\dot{\mathbf q} = \tfrac12 (0,\boldsymbol\omega)\,\mathbf q"
    inputs = ROTATING_FRAME
    result = Result(RATE, ROTATED_TO_WORLD)

    def printed(u, theta, omega):
        q = np.concatenate([[np.cos(theta / 2)], np.sin(theta / 2) * u])
        return 1 / 2 * multiply(np.concatenate([[0.0], omega]), q)

    library = base_rate_library
    reference = base_rate_reference
    implements = quaternion.derivative_from_base


@section.holds("e0.1#b", "Rate of a quaternion, in terms of axis and angle")
class e0_1_b:
    formula = r"\dot{\mathbf q} = \tfrac12(-\sin(\theta/2)\,\boldsymbol\omega\cdot\mathbf u,\ \cos(\theta/2)\,\boldsymbol\omega + \sin(\theta/2)\,\boldsymbol\omega\times\mathbf u)"
    inputs = ROTATING_FRAME
    result = Result(RATE, ROTATED_TO_WORLD)

    def printed(u, theta, omega):
        c, s = np.cos(theta / 2), np.sin(theta / 2)
        return 1 / 2 * np.concatenate([[-s * omega @ u], c * omega + s * np.cross(omega, u)])

    library = base_rate_library
    reference = base_rate_reference
    implements = quaternion.derivative_from_base


@section.holds("d3#a", "Rate of a quaternion, angular velocity in rotated coordinates")
class d3_a:
    formula = r"\dot{\mathbf q} = \tfrac12\,\mathbf q\,(0,\boldsymbol\omega)"
    inputs = ROTATING_FRAME
    arguments = {"omega": Argument(RATE, "in rotated coordinates")}
    result = Result(RATE, ROTATED_TO_WORLD)

    def printed(u, theta, omega):
        q = np.concatenate([[np.cos(theta / 2)], np.sin(theta / 2) * u])
        return 1 / 2 * multiply(q, np.concatenate([[0.0], omega]))

    library = body_rate_library
    reference = body_rate_reference
    implements = quaternion.derivative_from_body


@section.holds("d3#b", "Rate of a quaternion, in terms of axis and angle")
class d3_b:
    formula = r"\dot{\mathbf q} = \tfrac12(-\sin(\theta/2)\,\boldsymbol\omega\cdot\mathbf u,\ \cos(\theta/2)\,\boldsymbol\omega - \sin(\theta/2)\,\boldsymbol\omega\times\mathbf u)"
    inputs = ROTATING_FRAME
    arguments = {"omega": Argument(RATE, "in rotated coordinates")}
    result = Result(RATE, ROTATED_TO_WORLD)

    def printed(u, theta, omega):
        c, s = np.cos(theta / 2), np.sin(theta / 2)
        return 1 / 2 * np.concatenate([[-s * omega @ u], c * omega - s * np.cross(omega, u)])

    library = body_rate_library
    reference = body_rate_reference
    implements = quaternion.derivative_from_body


@section.holds("d4", "A unit quaternion transforms vectors from rotated to world coordinates")
class d4:
    formula = r"{}^W\mathbf v = \mathbf q\,(0,{}^R\mathbf v)\,\mathbf q^{-1}"
    inputs = {"q": unit_quaternions(), "v": vectors()}
    result = Result(LENGTH, "a zero, then the vector in world coordinates")

    def printed(q, v):
        inverse = np.concatenate([[q[0]], -q[1:]]) / (q @ q)
        return product_printed(product_printed(q, np.concatenate([[0.0], v])), inverse)

    def library(q, v):
        return np.concatenate([[0.0], quaternion.rotate(q, v)])

    def reference(q, v):
        """Compare with scipy's rotation of the vector."""
        return np.concatenate([[0.0], Rotation.from_quat(np.roll(q, -1)).apply(v)])

    implements = quaternion.rotate
