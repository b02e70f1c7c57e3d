"""Lloyd 0.22.1: the derivative of a rotation vector, in frame 1 and in body B.

The oracle rotates frame 2 relative to frame 1 and takes differences of scipy's rotation vector.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes import so3
from rbnotes.ledger.claims.lloyd.section_0_22_1 import rotation_section
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.rotation_vectors import (
    angle_axis_rate,
    rotation_vector_rate,
    rotation_vector_rates,
    rotation_vector_rates_in_frame_2,
)
from rbnotes.ledger.quantities import NUMBER, RATE
from rbnotes.ledger.record import Result
from rbnotes.testing import derivative
from rbnotes.testing.strategies import nonsingular_rotation_vectors, rotation_vectors, vectors

IDENTITY = np.eye(3)


def axis_angle(w):
    phi = np.linalg.norm(w)
    return phi, w / phi


def cot(x):
    return 1 / np.tan(x)


def vector_rate_library(w, omega):
    return so3.left_jacobian_inverse(w) @ omega


def angle_rate(w, omega):
    """Return the rate of the angle, from the library's rate of the rotation vector."""
    return axis_angle(w)[1] @ vector_rate_library(w, omega)


def axis_rate(w, omega):
    """Return the rate of the axis, from the library's rate of the rotation vector."""
    phi, u = axis_angle(w)
    rate = vector_rate_library(w, omega)
    return (rate - (u @ rate) * u) / phi


def U_printed(w):
    phi, u = axis_angle(w)
    return (
        1 / 2 * (phi * cot(phi / 2) * IDENTITY + (2 - phi * cot(phi / 2)) * np.outer(u, u) - phi * bracket(u))
    )


ROTATION = {
    "w": nonsingular_rotation_vectors(rotation_vectors(), 0.2, 3),
    "omega": vectors(),
}


@rotation_section.holds("d7", "Rate of the angle")
class d7:
    formula = r"\dot\phi=\boldsymbol\omega\cdot\mathbf u"
    inputs = ROTATION
    result = Result(RATE, "on A, along its axes")

    def printed(w, omega):
        _, u = axis_angle(w)
        return omega @ u

    def library(w, omega):
        return w @ so3.left_jacobian_inverse(w) @ omega / so3.angle(so3.exp(w))

    def reference(w, omega):
        """Compare with differences of scipy's rotation vector while frame 2 rotates relative to frame 1."""
        return angle_axis_rate(lambda phi, u: phi, w, omega)

    implements = so3.left_jacobian_inverse


@rotation_section.holds("d8", "Rate of the axis")
class d8:
    formula = r"\dot{\mathbf u}=\tfrac12(\cot(\phi/2)\boldsymbol\omega-\cot(\phi/2)(\boldsymbol\omega\cdot\mathbf u)\mathbf u+\boldsymbol\omega\times\mathbf u)"
    inputs = ROTATION
    result = Result(RATE, "along the axes of frame 1")

    def printed(w, omega):
        phi, u = axis_angle(w)
        return 1 / 2 * (cot(phi / 2) * omega - cot(phi / 2) * (omega @ u) * u + np.cross(omega, u))

    def library(w, omega):
        phi = so3.angle(so3.exp(w))
        return (IDENTITY - np.outer(w, w) / phi**2) @ so3.left_jacobian_inverse(w) @ omega / phi

    def reference(w, omega):
        """Compare with differences of scipy's rotation vector while frame 2 rotates relative to frame 1."""
        return angle_axis_rate(lambda phi, u: u, w, omega)

    tolerance = 1e-08
    implements = so3.left_jacobian_inverse


@rotation_section.holds("d9#a", "Rate of the rotation vector, by the product rule")
class d9_a:
    formula = r"\frac{d(\phi\mathbf u)}{dt}=\dot\phi\,\mathbf u+\phi\,\dot{\mathbf u}"
    inputs = ROTATION
    result = Result(RATE, "along the axes of frame 1")

    def printed(w, omega):
        phi, u = axis_angle(w)
        dphi = angle_axis_rate(lambda phi, u: phi, w, omega)
        du = angle_axis_rate(lambda phi, u: u, w, omega)
        return dphi * u + phi * du

    library = vector_rate_library
    oracle = "Compare with differences of scipy's rotation vector while frame 2 rotates relative to frame 1."
    reference = rotation_vector_rate
    tolerance = 1e-08
    primitives = ("rbnotes.ledger.oracles.rotation_vectors.rotation_vector_at",)
    implements = so3.left_jacobian_inverse


@rotation_section.holds("d9#b", "Rate of the rotation vector")
class d9_b:
    formula = r"\frac{d(\phi\mathbf u)}{dt}=(\boldsymbol\omega\cdot\mathbf u)\mathbf u+\frac\phi2\left(\cot(\phi/2)(\boldsymbol\omega-(\boldsymbol\omega\cdot\mathbf u)\mathbf u)+\boldsymbol\omega\times\mathbf u\right)"
    inputs = ROTATION
    result = Result(RATE, "along the axes of frame 1")

    def printed(w, omega):
        phi, u = axis_angle(w)
        return (omega @ u) * u + phi / 2 * (cot(phi / 2) * (omega - (omega @ u) * u) + np.cross(omega, u))

    library = vector_rate_library
    oracle = "Compare with differences of scipy's rotation vector while frame 2 rotates relative to frame 1."
    reference = rotation_vector_rate
    implements = so3.left_jacobian_inverse


@rotation_section.holds("e0.45", "The matrix U: derivative of the rotation vector")
class e0_45:
    formula = r"\frac{d(\phi\mathbf u)}{dt}=\mathbf U\boldsymbol\omega,\quad\mathbf U\equiv\tfrac12\left(\phi\cot(\phi/2)\mathbf I+(2-\phi\cot(\phi/2))\mathbf u\mathbf u^T-\phi[\mathbf u]\right)"
    inputs = {"w": ROTATION["w"]}
    result = Result(NUMBER, "takes angular velocities in frame 1 to rates of the rotation vector there")
    printed = U_printed

    def library(w):
        return so3.left_jacobian_inverse(w)

    oracle = "Compare with differences of scipy's rotation vector while frame 2 rotates relative to frame 1."
    reference = rotation_vector_rates
    remark = r"$\mathbf U$ is the inverse of the left Jacobian of SO(3)."
    implements = so3.left_jacobian_inverse


@rotation_section.holds("d10", "Limit of the coefficient of U at angle zero")
class d10:
    formula = r"\lim_{\phi\to0}\phi\cot(\phi/2)=2"
    result = Result(NUMBER, "on A, along its axes")

    def printed():
        return np.array(2.0)

    def library():
        # U has the trace 1 + phi cot(phi/2).
        return np.trace(so3.left_jacobian_inverse(np.zeros(3))) - 1

    def reference():
        """Divide the derivatives of both functions of the quotient, phi and tan(phi/2), at zero."""
        return 1 / derivative(lambda phi: np.tan(phi / 2)).value

    tolerance = 1e-12
    exact = "there are no inputs: a limit is a single number"
    implements = so3.left_jacobian_inverse


@rotation_section.holds("t1107", "U at angle zero")
class t1107:
    formula = r"\phi=0:\ \mathbf U=\mathbf I"
    result = Result(NUMBER, "takes angular velocities in frame 1 to rates of the rotation vector there")

    def printed():
        return np.eye(3)

    def library():
        return so3.left_jacobian_inverse(np.zeros(3))

    def reference():
        """Compare with differences of scipy's rotation vector while frame 2 rotates away from frame 1.

        The relative rotation starts from the identity.
        """
        return rotation_vector_rates(np.zeros(3))

    exact = "there are no inputs: it is a single point, where the formula itself divides by zero"
    implements = so3.left_jacobian_inverse


@rotation_section.holds("e0.47", "The transpose of U")
class e0_47:
    formula = r"\mathbf U^T\equiv\tfrac12\left(\phi\cot(\phi/2)\mathbf I+(2-\phi\cot(\phi/2))\mathbf u\mathbf u^T+\phi[\mathbf u]\right)"
    inputs = {"w": ROTATION["w"]}
    result = Result(NUMBER, "takes angular velocities in frame 2 to rates of the rotation vector")

    def printed(w):
        phi, u = axis_angle(w)
        return (
            1
            / 2
            * (phi * cot(phi / 2) * IDENTITY + (2 - phi * cot(phi / 2)) * np.outer(u, u) + phi * bracket(u))
        )

    def library(w):
        return so3.right_jacobian_inverse(w)

    oracle = "Compare with differences of scipy's rotation vector: U^T maps omega in frame 2 to its rate."
    reference = rotation_vector_rates_in_frame_2
    remark = r"$\mathbf U^T$ is the inverse of the right Jacobian of SO(3)."
    implements = so3.right_jacobian_inverse


@rotation_section.holds("t1103", "The matrix U for angular velocities in the rotated frame")
class t1103:
    formula = r"\dot{\mathbf v}=\mathbf U\,\mathbf R_{21}\,{}^2\boldsymbol\omega=\mathbf U^T\,{}^2\boldsymbol\omega,\quad\mathbf v=\phi\mathbf u"
    inputs = ROTATION
    result = Result(RATE, "along the axes of frame 1, by each of the two forms")

    def printed(w, omega):
        R_21 = Rotation.from_rotvec(w).as_matrix()
        return np.array([U_printed(w) @ R_21 @ omega, U_printed(w).T @ omega])

    def library(w, omega):
        rate = so3.right_jacobian_inverse(w) @ omega
        return np.array([rate, rate])

    def reference(w, omega):
        """Compare with differences of scipy's rotation vector while frame 2 rotates about its own axis."""
        initial_rotation = Rotation.from_rotvec(w)
        rate = derivative(lambda t: (initial_rotation * Rotation.from_rotvec(t * omega)).as_rotvec()).value
        return np.stack([rate, rate])

    remark = (
        "The text compares with a paper that specifies the angular velocity in the rotated frame,"
        r" frame 2. This is the form of $\mathbf U$ for that case."
    )
    implements = so3.right_jacobian_inverse
