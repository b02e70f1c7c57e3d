"""Lloyd 0.22.1: the derivative of a rotation vector in the axes of body B."""

from __future__ import annotations

from scipy.spatial.transform import Rotation

from rbnotes import so3
from rbnotes.ledger.claims.lloyd.section_0_22_1 import section
from rbnotes.ledger.claims.lloyd.section_0_22_1.rotation_vector import ROTATION, U_printed
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.rotation_vectors import rotation_to_B, rotation_vector_at
from rbnotes.ledger.quantities import RATE
from rbnotes.ledger.record import Result
from rbnotes.testing import derivative
from rbnotes.testing.strategies import rotations


def rotation_1_to_B(R_2B, w):
    return R_2B @ Rotation.from_rotvec(w).as_matrix().T


def vector_in_B_library(R_2B, w, omega):
    return R_2B @ so3.exp(-w) @ so3.right_jacobian_inverse(w) @ omega


def vector_in_B_reference(R_2B, w, omega):
    """Compare with differences of R_1B (phi u) while frame 2, fixed in B, rotates relative to frame 1."""
    return derivative(lambda t: rotation_to_B(R_2B, w, omega, t) @ rotation_vector_at(w, omega, t)).value


def rotation_rate_library(R_2B, w, omega):
    return -R_2B @ so3.exp(-w) @ so3.hat(omega)


def rotation_rate_reference(R_2B, w, omega):
    """Compare with differences of R_1B while frame 2, fixed in B, rotates relative to frame 1."""
    return derivative(lambda t: rotation_to_B(R_2B, w, omega, t)).value


WITH_OFFSET = {"R_2B": rotations(), **ROTATION}


@section.holds("d12#a", "Rate of the rotation vector in B, by the product rule")
class d12_a:
    formula = r"\frac{d(\mathbf R_{1B}(\phi\mathbf u))}{dt}=\mathbf R_{1B}\frac{d(\phi\mathbf u)}{dt}+\dot{\mathbf R}_{1B}(\phi\mathbf u)"
    inputs = WITH_OFFSET
    result = Result(RATE, "along the axes of B")

    def printed(R_2B, w, omega):
        R_1B, dR_1B = rotation_1_to_B(R_2B, w), rotation_rate_library(R_2B, w, omega)
        return R_1B @ so3.left_jacobian_inverse(w) @ omega + dR_1B @ w

    library = vector_in_B_library
    reference = vector_in_B_reference
    implements = so3.right_jacobian_inverse


@section.holds("d12#b", "Rate of the rotation vector in B, with U")
class d12_b:
    formula = r"\mathbf R_{1B}\mathbf U\boldsymbol\omega+\dot{\mathbf R}_{1B}(\phi\mathbf u)"
    inputs = WITH_OFFSET
    result = Result(RATE, "along the axes of B")

    def printed(R_2B, w, omega):
        R_1B, dR_1B = rotation_1_to_B(R_2B, w), rotation_rate_library(R_2B, w, omega)
        return R_1B @ U_printed(w) @ omega + dR_1B @ w

    library = vector_in_B_library
    reference = vector_in_B_reference
    implements = so3.right_jacobian_inverse


@section.erratum("d13#a", "Rate of the rotation from 1 to B, middle expression")
class d13_a:
    formula = r"\dot{\mathbf R}_{1B}=\mathbf R_{2B}\mathbf R_{12}[\boldsymbol\omega]"
    edit = (r"=\mathbf R_{2B}", r"=-\mathbf R_{2B}")
    inputs = WITH_OFFSET
    result = Result(RATE, "of the matrix that takes coordinates of frame 1 to those of B")

    def printed(R_2B, w, omega):
        R_12 = Rotation.from_rotvec(w).as_matrix().T
        return R_2B @ R_12 @ bracket(omega)

    library = rotation_rate_library
    reference = rotation_rate_reference
    combined_with = ("lloyd/s0.22.1/e0.45",)
    correction = r"$-\mathbf R_{2B}\mathbf R_{12}[\boldsymbol\omega]$, as at the end of the line."
    effect = (
        "A frame that turns at 1 rad/s is 2.0 rad away from its true orientation after one second. The "
        "end of the line, which the next displays take, is right."
    )
    implements = so3.hat


@section.holds("d13#b", "Rate of the rotation from 1 to B")
class d13_b:
    formula = r"\dot{\mathbf R}_{1B}=-\mathbf R_{1B}[\boldsymbol\omega]"
    inputs = WITH_OFFSET
    result = Result(RATE, "of the matrix that takes coordinates of frame 1 to those of B")

    def printed(R_2B, w, omega):
        R_1B = rotation_1_to_B(R_2B, w)
        return -R_1B @ bracket(omega)

    library = rotation_rate_library
    reference = rotation_rate_reference
    implements = so3.hat


@section.holds("d14#a", "Rate of the rotation vector in B, expanded")
class d14_a:
    formula = r"\mathbf R_{1B}\mathbf U\boldsymbol\omega-\mathbf R_{1B}[\boldsymbol\omega](\phi\mathbf u)"
    inputs = WITH_OFFSET
    result = Result(RATE, "along the axes of B")

    def printed(R_2B, w, omega):
        R_1B = rotation_1_to_B(R_2B, w)
        return R_1B @ U_printed(w) @ omega - R_1B @ bracket(omega) @ w

    library = vector_in_B_library
    reference = vector_in_B_reference
    implements = so3.right_jacobian_inverse


@section.holds("d14#b", "Rate of the rotation vector in B, with the operands of the bracket exchanged")
class d14_b:
    formula = r"\mathbf R_{1B}\mathbf U\boldsymbol\omega+\mathbf R_{1B}[\phi\mathbf u]\boldsymbol\omega"
    inputs = WITH_OFFSET
    result = Result(RATE, "along the axes of B")

    def printed(R_2B, w, omega):
        R_1B = rotation_1_to_B(R_2B, w)
        return R_1B @ U_printed(w) @ omega + R_1B @ bracket(w) @ omega

    library = vector_in_B_library
    reference = vector_in_B_reference
    implements = so3.right_jacobian_inverse


@section.holds("d14#c", "Rate of the rotation vector in B")
class d14_c:
    formula = r"\frac{d(\mathbf R_{1B}(\phi\mathbf u))}{dt}=\mathbf R_{1B}\mathbf U^T\boldsymbol\omega"
    inputs = WITH_OFFSET
    result = Result(RATE, "along the axes of B")

    def printed(R_2B, w, omega):
        R_1B = rotation_1_to_B(R_2B, w)
        return R_1B @ U_printed(w).T @ omega

    library = vector_in_B_library
    reference = vector_in_B_reference
    implements = so3.right_jacobian_inverse
