"""Lloyd 0.22.1: the derivative of a rotation vector, in frame 1 and in body B.

The oracle turns frame 2 against frame 1 and takes differences of the rotation vector that scipy finds.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes import quaternion, so3
from rbnotes.checking import derivative
from rbnotes.checking.strategies import rotation_vectors, rotations, vectors
from rbnotes.ledger.lloyd.section_0_22 import CHAPTER
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.record import Verdict, claim

IDENTITY = np.eye(3)


def axis_angle(w):
    phi = np.linalg.norm(w)
    return phi, w / phi


def turning(w, omega):
    """The rotation vector of R_21 while frame 2 turns against 1 with omega, in frame 1."""
    start = Rotation.from_rotvec(w)
    return lambda t: (Rotation.from_rotvec(t * omega) * start).as_rotvec()


def rate_of(function):
    """Reference for the rate of a function of angle and axis."""
    return lambda w, omega: derivative(lambda t: function(*axis_angle(turning(w, omega)(t)))).value


def half_cosine_library(w, omega):
    return quaternion.derivative_from_base(quaternion.from_rotation_vector(w), omega)[0]


def half_cosine_reference(w, omega):
    return rate_of(lambda phi, u: np.cos(phi / 2))(w, omega)


def half_sine_library(w, omega):
    return quaternion.derivative_from_base(quaternion.from_rotation_vector(w), omega)[1:]


def half_sine_reference(w, omega):
    return rate_of(lambda phi, u: np.sin(phi / 2) * u)(w, omega)


def cot(x):
    return 1 / np.tan(x)


def vector_rate_library(w, omega):
    return so3.left_jacobian_inverse(w) @ omega


def vector_rate_reference(w, omega):
    return derivative(turning(w, omega)).value


def U_printed(w):
    phi, u = axis_angle(w)
    return (
        1 / 2 * (phi * cot(phi / 2) * IDENTITY + (2 - phi * cot(phi / 2)) * np.outer(u, u) - phi * bracket(u))
    )


def U_reference(w):
    return np.stack([derivative(turning(w, axis)).value for axis in IDENTITY], axis=-1)


def U_transposed_reference(w):
    # With the components of omega in frame 2 instead, the same derivative is U^T.
    start = Rotation.from_rotvec(w)

    def rate(axis):
        return derivative(lambda t: (start * Rotation.from_rotvec(t * axis)).as_rotvec()).value

    return np.stack([rate(axis) for axis in IDENTITY], axis=-1)


def vector_in_B(R_2B, w, omega):
    """R_1B and R_1B (phi u) while frame 2, fixed in B, turns against 1 with omega, in frame 1."""
    rotation_vector = turning(w, omega)

    def R_1B(t):
        return R_2B @ Rotation.from_rotvec(rotation_vector(t)).as_matrix().T

    return R_1B, lambda t: R_1B(t) @ rotation_vector(t)


def vector_in_B_library(R_2B, w, omega):
    return R_2B @ so3.exp(-w) @ so3.right_jacobian_inverse(w) @ omega


def vector_in_B_reference(R_2B, w, omega):
    return derivative(vector_in_B(R_2B, w, omega)[1]).value


def rotation_rate_library(R_2B, w, omega):
    return -R_2B @ so3.exp(-w) @ so3.hat(omega)


def rotation_rate_reference(R_2B, w, omega):
    return derivative(vector_in_B(R_2B, w, omega)[0]).value


LOG = "rbnotes.so3.left_jacobian_inverse"
VECTOR_DIFFERENCES = "differences of scipy's rotation vector while frame 2 turns against frame 1"
TURN = {
    "w": rotation_vectors().filter(lambda w: bool(0.2 < np.linalg.norm(w) < 3)),
    "omega": vectors(),
}
WITH_OFFSET = {"R_2B": rotations(), **TURN}


@claim("lloyd/s0.22.1/d6#a", "Rate of the scalar part of the quaternion, left side")
class d6_a:
    formula = r"\frac{d\cos(\phi/2)\,\mathbf u}{dt}=-\tfrac12\sin(\phi/2)\,\boldsymbol\omega\cdot\mathbf u"
    inputs = TURN

    def printed(w, omega):
        return rate_of(lambda phi, u: np.cos(phi / 2) * u)(w, omega)

    library = half_cosine_library
    oracle = "differences of cos(phi/2) while frame 2 turns against frame 1"
    reference = half_cosine_reference
    verdict = Verdict.MISPRINT
    correction = r"$\frac{d\cos(\phi/2)}{dt}$: the scalar part has no $\mathbf u$."
    implemented_by = ("rbnotes.quaternion.derivative_from_base",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d6#b", "Rate of the scalar part, by the chain rule")
class d6_b:
    formula = r"-\tfrac12\sin(\phi/2)\,\dot\phi"
    inputs = TURN

    def printed(w, omega):
        phi, _ = axis_angle(w)
        dphi = rate_of(lambda phi, u: phi)(w, omega)
        return -1 / 2 * np.sin(phi / 2) * dphi

    library = half_cosine_library
    oracle = "differences of cos(phi/2) while frame 2 turns against frame 1"
    reference = half_cosine_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.quaternion.derivative_from_base",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d6#c", "Rate of the scalar part, from the angular velocity")
class d6_c:
    formula = r"-\tfrac12\sin(\phi/2)\,\boldsymbol\omega\cdot\mathbf u"
    inputs = TURN

    def printed(w, omega):
        phi, u = axis_angle(w)
        return -1 / 2 * np.sin(phi / 2) * omega @ u

    library = half_cosine_library
    oracle = "differences of cos(phi/2) while frame 2 turns against frame 1"
    reference = half_cosine_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.quaternion.derivative_from_base",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d6#d", "Rate of the vector part, by the product rule")
class d6_d:
    formula = (
        r"\frac{d\sin(\phi/2)\mathbf u}{dt}"
        r"=\tfrac12\cos(\phi/2)\dot\phi\,\mathbf u+\sin(\phi/2)\dot{\mathbf u}"
    )
    inputs = TURN

    def printed(w, omega):
        phi, u = axis_angle(w)
        dphi = rate_of(lambda phi, u: phi)(w, omega)
        du = rate_of(lambda phi, u: u)(w, omega)
        return 1 / 2 * np.cos(phi / 2) * dphi * u + np.sin(phi / 2) * du

    library = half_sine_library
    oracle = "differences of sin(phi/2) u while frame 2 turns against frame 1"
    reference = half_sine_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.quaternion.derivative_from_base",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d6#e", "Rate of the vector part, from the angular velocity")
class d6_e:
    formula = (
        r"\frac{d\sin(\phi/2)\mathbf u}{dt}"
        r"=\tfrac12(\cos(\phi/2)\boldsymbol\omega+\sin(\phi/2)\,\boldsymbol\omega\times\mathbf u)"
    )
    inputs = TURN

    def printed(w, omega):
        phi, u = axis_angle(w)
        return 1 / 2 * (np.cos(phi / 2) * omega + np.sin(phi / 2) * np.cross(omega, u))

    library = half_sine_library
    oracle = "differences of sin(phi/2) u while frame 2 turns against frame 1"
    reference = half_sine_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.quaternion.derivative_from_base",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d7", "Rate of the angle")
class d7:
    formula = r"\dot\phi=\boldsymbol\omega\cdot\mathbf u"
    inputs = TURN

    def printed(w, omega):
        _, u = axis_angle(w)
        return omega @ u

    def library(w, omega):
        return w @ so3.left_jacobian_inverse(w) @ omega / so3.angle(so3.exp(w))

    oracle = VECTOR_DIFFERENCES

    def reference(w, omega):
        return rate_of(lambda phi, u: phi)(w, omega)

    verdict = Verdict.HOLDS
    implemented_by = (LOG,)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d8", "Rate of the axis")
class d8:
    formula = (
        r"\dot{\mathbf u}=\tfrac12(\cot(\phi/2)\boldsymbol\omega"
        r"-\cot(\phi/2)(\boldsymbol\omega\cdot\mathbf u)\mathbf u+\boldsymbol\omega\times\mathbf u)"
    )
    inputs = TURN

    def printed(w, omega):
        phi, u = axis_angle(w)
        return 1 / 2 * (cot(phi / 2) * omega - cot(phi / 2) * (omega @ u) * u + np.cross(omega, u))

    def library(w, omega):
        phi = so3.angle(so3.exp(w))
        return (IDENTITY - np.outer(w, w) / phi**2) @ so3.left_jacobian_inverse(w) @ omega / phi

    oracle = VECTOR_DIFFERENCES

    def reference(w, omega):
        return rate_of(lambda phi, u: u)(w, omega)

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = (LOG,)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d9#a", "Rate of the rotation vector, by the product rule")
class d9_a:
    formula = r"\frac{d(\phi\mathbf u)}{dt}=\dot\phi\,\mathbf u+\phi\,\dot{\mathbf u}"
    inputs = TURN

    def printed(w, omega):
        phi, u = axis_angle(w)
        dphi, du = rate_of(lambda phi, u: phi)(w, omega), rate_of(lambda phi, u: u)(w, omega)
        return dphi * u + phi * du

    library = vector_rate_library
    oracle = VECTOR_DIFFERENCES
    reference = vector_rate_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = (LOG,)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d9#b", "Rate of the rotation vector")
class d9_b:
    formula = (
        r"\frac{d(\phi\mathbf u)}{dt}=(\boldsymbol\omega\cdot\mathbf u)\mathbf u"
        r"+\frac\phi2\left(\cot(\phi/2)(\boldsymbol\omega-(\boldsymbol\omega\cdot\mathbf u)\mathbf u)"
        r"+\boldsymbol\omega\times\mathbf u\right)"
    )
    inputs = TURN

    def printed(w, omega):
        phi, u = axis_angle(w)
        return (omega @ u) * u + phi / 2 * (cot(phi / 2) * (omega - (omega @ u) * u) + np.cross(omega, u))

    library = vector_rate_library
    oracle = VECTOR_DIFFERENCES
    reference = vector_rate_reference
    verdict = Verdict.HOLDS
    implemented_by = (LOG,)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/e0.45", "The matrix U: derivative of the rotation vector")
class e0_45:
    formula = (
        r"\frac{d(\phi\mathbf u)}{dt}=\mathbf U\boldsymbol\omega,\quad"
        r"\mathbf U\equiv\tfrac12\left(\phi\cot(\phi/2)\mathbf I+(2"
        r"-\phi\cot(\phi/2))\mathbf u\mathbf u^T-\phi[\mathbf u]\right)"
    )
    inputs = {"w": TURN["w"]}
    printed = U_printed

    def library(w):
        return so3.left_jacobian_inverse(w)

    oracle = VECTOR_DIFFERENCES
    reference = U_reference
    verdict = Verdict.HOLDS
    remark = r"$\mathbf U$ is the inverse of the left Jacobian of SO(3)."
    implemented_by = (LOG,)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d10", "Limit of its coefficient at angle zero")
class d10:
    formula = r"\lim_{\phi\to0}\phi\cot(\phi/2)=2"

    def printed():
        return np.array(2.0)

    def library():
        # U has the trace 1 + phi cot(phi/2).
        return np.trace(so3.left_jacobian_inverse([0.0, 0.0, 1e-8])) - 1

    oracle = "extrapolation from two small angles"

    def reference():
        # Richardson: the next term is of order phi^2.
        near, nearer = (phi * cot(phi / 2) for phi in (2e-3, 1e-3))
        return np.array((4 * nearer - near) / 3)

    tolerance = 1e-12
    verdict = Verdict.HOLDS
    implemented_by = (LOG,)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/t1107", "U at angle zero")
class t1107:
    formula = r"\phi=0:\ \mathbf U=\mathbf I"

    def printed():
        return np.eye(3)

    def library():
        return so3.left_jacobian_inverse(np.zeros(3))

    oracle = "differences of scipy's rotation vector while frame 2 turns against frame 1, from the identity"

    def reference():
        return np.stack([derivative(turning(np.zeros(3), axis)).value for axis in IDENTITY], axis=-1)

    verdict = Verdict.HOLDS
    implemented_by = (LOG,)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/e0.47", "The transpose of U")
class e0_47:
    formula = (
        r"\mathbf U^T\equiv\tfrac12\left(\phi\cot(\phi/2)\mathbf I+(2"
        r"-\phi\cot(\phi/2))\mathbf u\mathbf u^T+\phi[\mathbf u]\right)"
    )
    inputs = {"w": TURN["w"]}

    def printed(w):
        phi, u = axis_angle(w)
        return (
            1
            / 2
            * (phi * cot(phi / 2) * IDENTITY + (2 - phi * cot(phi / 2)) * np.outer(u, u) + phi * bracket(u))
        )

    def library(w):
        return so3.right_jacobian_inverse(w)

    oracle = "U^T is what takes omega in frame 2 to the rate: differences of scipy's rotation vector"
    reference = U_transposed_reference
    verdict = Verdict.HOLDS
    remark = r"$\mathbf U^T$ is the inverse of the right Jacobian of SO(3)."
    implemented_by = ("rbnotes.so3.right_jacobian_inverse",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d12#a", "Rate of the rotation vector in B, by the product rule")
class d12_a:
    formula = (
        r"\frac{d(\mathbf R_{1B}(\phi\mathbf u))}{dt}"
        r"=\mathbf R_{1B}\frac{d(\phi\mathbf u)}{dt}+\dot{\mathbf R}_{1B}(\phi\mathbf u)"
    )
    inputs = WITH_OFFSET

    def printed(R_2B, w, omega):
        R_1B, _ = vector_in_B(R_2B, w, omega)
        dR_1B = derivative(R_1B).value
        return R_1B(0) @ vector_rate_reference(w, omega) + dR_1B @ w

    library = vector_in_B_library
    oracle = "differences of R_1B (phi u) while frame 2, fixed in B, turns against frame 1"
    reference = vector_in_B_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.so3.right_jacobian_inverse",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d12#b", "The same with U")
class d12_b:
    formula = r"\mathbf R_{1B}\mathbf U\boldsymbol\omega+\dot{\mathbf R}_{1B}(\phi\mathbf u)"
    inputs = WITH_OFFSET

    def printed(R_2B, w, omega):
        R_1B, _ = vector_in_B(R_2B, w, omega)
        dR_1B = derivative(R_1B).value
        return R_1B(0) @ U_printed(w) @ omega + dR_1B @ w

    library = vector_in_B_library
    oracle = "differences of R_1B (phi u) while frame 2, fixed in B, turns against frame 1"
    reference = vector_in_B_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.so3.right_jacobian_inverse",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d13#a", "Rate of the rotation from 1 to B, middle expression")
class d13_a:
    formula = r"\dot{\mathbf R}_{1B}=\mathbf R_{2B}\mathbf R_{12}[\boldsymbol\omega]"
    inputs = WITH_OFFSET

    def printed(R_2B, w, omega):
        R_12 = Rotation.from_rotvec(w).as_matrix().T
        return R_2B @ R_12 @ bracket(omega)

    library = rotation_rate_library
    oracle = "differences of R_1B while frame 2, fixed in B, turns against frame 1"
    reference = rotation_rate_reference
    verdict = Verdict.ERRATUM
    correction = r"$-\mathbf R_{2B}\mathbf R_{12}[\boldsymbol\omega]$, as the end of the line has it."
    implemented_by = ("rbnotes.so3.hat",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d13#b", "Rate of the rotation from 1 to B")
class d13_b:
    formula = r"\dot{\mathbf R}_{1B}=-\mathbf R_{1B}[\boldsymbol\omega]"
    inputs = WITH_OFFSET

    def printed(R_2B, w, omega):
        R_1B = vector_in_B(R_2B, w, omega)[0](0)
        return -R_1B @ bracket(omega)

    library = rotation_rate_library
    oracle = "differences of R_1B while frame 2, fixed in B, turns against frame 1"
    reference = rotation_rate_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.so3.hat",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d14#a", "Rate of the rotation vector in B, expanded")
class d14_a:
    formula = r"\mathbf R_{1B}\mathbf U\boldsymbol\omega-\mathbf R_{1B}[\boldsymbol\omega](\phi\mathbf u)"
    inputs = WITH_OFFSET

    def printed(R_2B, w, omega):
        R_1B = vector_in_B(R_2B, w, omega)[0](0)
        return R_1B @ U_printed(w) @ omega - R_1B @ bracket(omega) @ w

    library = vector_in_B_library
    oracle = "differences of R_1B (phi u) while frame 2, fixed in B, turns against frame 1"
    reference = vector_in_B_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.so3.right_jacobian_inverse",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d14#b", "The same with the bracket exchanged")
class d14_b:
    formula = r"\mathbf R_{1B}\mathbf U\boldsymbol\omega+\mathbf R_{1B}[\phi\mathbf u]\boldsymbol\omega"
    inputs = WITH_OFFSET

    def printed(R_2B, w, omega):
        R_1B = vector_in_B(R_2B, w, omega)[0](0)
        return R_1B @ U_printed(w) @ omega + R_1B @ bracket(w) @ omega

    library = vector_in_B_library
    oracle = "differences of R_1B (phi u) while frame 2, fixed in B, turns against frame 1"
    reference = vector_in_B_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.so3.right_jacobian_inverse",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d14#c", "Rate of the rotation vector in B")
class d14_c:
    formula = r"\frac{d(\mathbf R_{1B}(\phi\mathbf u))}{dt}=\mathbf R_{1B}\mathbf U^T\boldsymbol\omega"
    inputs = WITH_OFFSET

    def printed(R_2B, w, omega):
        R_1B = vector_in_B(R_2B, w, omega)[0](0)
        return R_1B @ U_printed(w).T @ omega

    library = vector_in_B_library
    oracle = "differences of R_1B (phi u) while frame 2, fixed in B, turns against frame 1"
    reference = vector_in_B_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.so3.right_jacobian_inverse",)
    chapter = CHAPTER
