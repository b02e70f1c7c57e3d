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
from rbnotes.ledger.oracles import bracket
from rbnotes.ledger.record import Record, Verdict

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


# --- angle and axis -------------------------------------------------------------------------------------


def half_cosine_printed(w, omega):
    return rate_of(lambda phi, u: np.cos(phi / 2) * u)(w, omega)


def half_cosine_middle(w, omega):
    phi, _ = axis_angle(w)
    dphi = rate_of(lambda phi, u: phi)(w, omega)
    return -1 / 2 * np.sin(phi / 2) * dphi


def half_cosine_last(w, omega):
    phi, u = axis_angle(w)
    return -1 / 2 * np.sin(phi / 2) * omega @ u


def half_cosine_library(w, omega):
    return quaternion.derivative_from_base(quaternion.from_rotation_vector(w), omega)[0]


def half_cosine_reference(w, omega):
    return rate_of(lambda phi, u: np.cos(phi / 2))(w, omega)


def half_sine_middle(w, omega):
    phi, u = axis_angle(w)
    dphi = rate_of(lambda phi, u: phi)(w, omega)
    du = rate_of(lambda phi, u: u)(w, omega)
    return 1 / 2 * np.cos(phi / 2) * dphi * u + np.sin(phi / 2) * du


def half_sine_printed(w, omega):
    phi, u = axis_angle(w)
    return 1 / 2 * (np.cos(phi / 2) * omega + np.sin(phi / 2) * np.cross(omega, u))


def half_sine_library(w, omega):
    return quaternion.derivative_from_base(quaternion.from_rotation_vector(w), omega)[1:]


def half_sine_reference(w, omega):
    return rate_of(lambda phi, u: np.sin(phi / 2) * u)(w, omega)


def angle_rate_printed(w, omega):
    _, u = axis_angle(w)
    return omega @ u


def angle_rate_library(w, omega):
    return w @ so3.left_jacobian_inverse(w) @ omega / so3.angle(so3.exp(w))


def angle_rate_reference(w, omega):
    return rate_of(lambda phi, u: phi)(w, omega)


def cot(x):
    return 1 / np.tan(x)


def axis_rate_printed(w, omega):
    phi, u = axis_angle(w)
    return 1 / 2 * (cot(phi / 2) * omega - cot(phi / 2) * (omega @ u) * u + np.cross(omega, u))


def axis_rate_library(w, omega):
    phi = so3.angle(so3.exp(w))
    return (IDENTITY - np.outer(w, w) / phi**2) @ so3.left_jacobian_inverse(w) @ omega / phi


def axis_rate_reference(w, omega):
    return rate_of(lambda phi, u: u)(w, omega)


def vector_rate_middle(w, omega):
    phi, u = axis_angle(w)
    dphi, du = rate_of(lambda phi, u: phi)(w, omega), rate_of(lambda phi, u: u)(w, omega)
    return dphi * u + phi * du


def vector_rate_printed(w, omega):
    phi, u = axis_angle(w)
    return (omega @ u) * u + phi / 2 * (cot(phi / 2) * (omega - (omega @ u) * u) + np.cross(omega, u))


def vector_rate_library(w, omega):
    return so3.left_jacobian_inverse(w) @ omega


def vector_rate_reference(w, omega):
    return derivative(turning(w, omega)).value


# --- the matrix U ---------------------------------------------------------------------------------------


def U_printed(w):
    phi, u = axis_angle(w)
    return (
        1 / 2 * (phi * cot(phi / 2) * IDENTITY + (2 - phi * cot(phi / 2)) * np.outer(u, u) - phi * bracket(u))
    )


def U_library(w):
    return so3.left_jacobian_inverse(w)


def U_reference(w):
    return np.stack([derivative(turning(w, axis)).value for axis in IDENTITY], axis=-1)


def limit_printed():
    return np.array(2.0)


def limit_library():
    # U has the trace 1 + phi cot(phi/2).
    return np.trace(so3.left_jacobian_inverse([0.0, 0.0, 1e-8])) - 1


def limit_reference():
    # Richardson: the next term is of order phi^2.
    near, nearer = (phi * cot(phi / 2) for phi in (2e-3, 1e-3))
    return np.array((4 * nearer - near) / 3)


def no_rotation_printed():
    return np.eye(3)


def no_rotation_library():
    return so3.left_jacobian_inverse(np.zeros(3))


def no_rotation_reference():
    return np.stack([derivative(turning(np.zeros(3), axis)).value for axis in IDENTITY], axis=-1)


def U_transposed_printed(w):
    phi, u = axis_angle(w)
    return (
        1 / 2 * (phi * cot(phi / 2) * IDENTITY + (2 - phi * cot(phi / 2)) * np.outer(u, u) + phi * bracket(u))
    )


def U_transposed_library(w):
    return so3.right_jacobian_inverse(w)


def U_transposed_reference(w):
    # With the components of omega in frame 2 instead, the same derivative is U^T.
    start = Rotation.from_rotvec(w)

    def rate(axis):
        return derivative(lambda t: (start * Rotation.from_rotvec(t * axis)).as_rotvec()).value

    return np.stack([rate(axis) for axis in IDENTITY], axis=-1)


# --- in the axes of body B ------------------------------------------------------------------------------


def vector_in_B(R_2B, w, omega):
    """R_1B and R_1B (phi u) while frame 2, fixed in B, turns against 1 with omega, in frame 1."""
    rotation_vector = turning(w, omega)

    def R_1B(t):
        return R_2B @ Rotation.from_rotvec(rotation_vector(t)).as_matrix().T

    return R_1B, lambda t: R_1B(t) @ rotation_vector(t)


def vector_in_B_product(R_2B, w, omega):
    R_1B, _ = vector_in_B(R_2B, w, omega)
    dR_1B = derivative(R_1B).value
    return R_1B(0) @ vector_rate_reference(w, omega) + dR_1B @ w


def vector_in_B_with_U(R_2B, w, omega):
    R_1B, _ = vector_in_B(R_2B, w, omega)
    dR_1B = derivative(R_1B).value
    return R_1B(0) @ U_printed(w) @ omega + dR_1B @ w


def vector_in_B_expanded(R_2B, w, omega):
    R_1B = vector_in_B(R_2B, w, omega)[0](0)
    return R_1B @ U_printed(w) @ omega - R_1B @ bracket(omega) @ w


def vector_in_B_exchanged(R_2B, w, omega):
    R_1B = vector_in_B(R_2B, w, omega)[0](0)
    return R_1B @ U_printed(w) @ omega + R_1B @ bracket(w) @ omega


def vector_in_B_printed(R_2B, w, omega):
    R_1B = vector_in_B(R_2B, w, omega)[0](0)
    return R_1B @ U_printed(w).T @ omega


def vector_in_B_library(R_2B, w, omega):
    return R_2B @ so3.exp(-w) @ so3.right_jacobian_inverse(w) @ omega


def vector_in_B_reference(R_2B, w, omega):
    return derivative(vector_in_B(R_2B, w, omega)[1]).value


def rotation_rate_middle(R_2B, w, omega):
    R_12 = Rotation.from_rotvec(w).as_matrix().T
    return R_2B @ R_12 @ bracket(omega)


def rotation_rate_printed(R_2B, w, omega):
    R_1B = vector_in_B(R_2B, w, omega)[0](0)
    return -R_1B @ bracket(omega)


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

RECORDS = [
    Record(
        id="lloyd/s0.22.1/d6#a",
        title="Rate of the scalar part of the quaternion, left side",
        verdict=Verdict.MISPRINT,
        chapter=CHAPTER,
        implemented_by=("rbnotes.quaternion.derivative_from_base",),
        formula=r"\frac{d\cos(\phi/2)\,\mathbf u}{dt}=-\tfrac12\sin(\phi/2)\,\boldsymbol\omega\cdot\mathbf u",
        correction=r"$\frac{d\cos(\phi/2)}{dt}$: the scalar part has no $\mathbf u$.",
        oracle="differences of cos(phi/2) while frame 2 turns against frame 1",
        inputs=TURN,
        printed=half_cosine_printed,
        library=half_cosine_library,
        reference=half_cosine_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d6#b",
        title="Rate of the scalar part, by the chain rule",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.quaternion.derivative_from_base",),
        formula=r"-\tfrac12\sin(\phi/2)\,\dot\phi",
        oracle="differences of cos(phi/2) while frame 2 turns against frame 1",
        inputs=TURN,
        printed=half_cosine_middle,
        library=half_cosine_library,
        reference=half_cosine_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d6#c",
        title="Rate of the scalar part, from the angular velocity",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.quaternion.derivative_from_base",),
        formula=r"-\tfrac12\sin(\phi/2)\,\boldsymbol\omega\cdot\mathbf u",
        oracle="differences of cos(phi/2) while frame 2 turns against frame 1",
        inputs=TURN,
        printed=half_cosine_last,
        library=half_cosine_library,
        reference=half_cosine_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d6#d",
        title="Rate of the vector part, by the product rule",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.quaternion.derivative_from_base",),
        formula=r"\frac{d\sin(\phi/2)\mathbf u}{dt}=\tfrac12\cos(\phi/2)\dot\phi\,\mathbf u"
        r"+\sin(\phi/2)\dot{\mathbf u}",
        oracle="differences of sin(phi/2) u while frame 2 turns against frame 1",
        inputs=TURN,
        printed=half_sine_middle,
        library=half_sine_library,
        reference=half_sine_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d6#e",
        title="Rate of the vector part, from the angular velocity",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.quaternion.derivative_from_base",),
        formula=r"\frac{d\sin(\phi/2)\mathbf u}{dt}=\tfrac12(\cos(\phi/2)\boldsymbol\omega"
        r"+\sin(\phi/2)\,\boldsymbol\omega\times\mathbf u)",
        oracle="differences of sin(phi/2) u while frame 2 turns against frame 1",
        inputs=TURN,
        printed=half_sine_printed,
        library=half_sine_library,
        reference=half_sine_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d7",
        title="Rate of the angle",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(LOG,),
        formula=r"\dot\phi=\boldsymbol\omega\cdot\mathbf u",
        oracle=VECTOR_DIFFERENCES,
        inputs=TURN,
        printed=angle_rate_printed,
        library=angle_rate_library,
        reference=angle_rate_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d8",
        title="Rate of the axis",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(LOG,),
        formula=r"\dot{\mathbf u}=\tfrac12(\cot(\phi/2)\boldsymbol\omega"
        r"-\cot(\phi/2)(\boldsymbol\omega\cdot\mathbf u)\mathbf u+\boldsymbol\omega\times\mathbf u)",
        oracle=VECTOR_DIFFERENCES,
        inputs=TURN,
        printed=axis_rate_printed,
        library=axis_rate_library,
        reference=axis_rate_reference,
        tolerance=1e-8,
    ),
    Record(
        id="lloyd/s0.22.1/d9#a",
        title="Rate of the rotation vector, by the product rule",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(LOG,),
        formula=r"\frac{d(\phi\mathbf u)}{dt}=\dot\phi\,\mathbf u+\phi\,\dot{\mathbf u}",
        oracle=VECTOR_DIFFERENCES,
        inputs=TURN,
        printed=vector_rate_middle,
        library=vector_rate_library,
        reference=vector_rate_reference,
        tolerance=1e-8,
    ),
    Record(
        id="lloyd/s0.22.1/d9#b",
        title="Rate of the rotation vector",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(LOG,),
        formula=r"\frac{d(\phi\mathbf u)}{dt}=(\boldsymbol\omega\cdot\mathbf u)\mathbf u+\frac\phi2\left("
        r"\cot(\phi/2)(\boldsymbol\omega-(\boldsymbol\omega\cdot\mathbf u)\mathbf u)"
        r"+\boldsymbol\omega\times\mathbf u\right)",
        oracle=VECTOR_DIFFERENCES,
        inputs=TURN,
        printed=vector_rate_printed,
        library=vector_rate_library,
        reference=vector_rate_reference,
    ),
    Record(
        id="lloyd/s0.22.1/e0.45",
        title="The matrix U: derivative of the rotation vector",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(LOG,),
        formula=r"\frac{d(\phi\mathbf u)}{dt}=\mathbf U\boldsymbol\omega,\quad\mathbf U\equiv\tfrac12\left("
        r"\phi\cot(\phi/2)\mathbf I+(2-\phi\cot(\phi/2))\mathbf u\mathbf u^T-\phi[\mathbf u]\right)",
        oracle=VECTOR_DIFFERENCES,
        remark=r"$\mathbf U$ is the inverse of the left Jacobian of SO(3).",
        inputs={"w": TURN["w"]},
        printed=U_printed,
        library=U_library,
        reference=U_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d10",
        title="Limit of its coefficient at angle zero",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(LOG,),
        formula=r"\lim_{\phi\to0}\phi\cot(\phi/2)=2",
        oracle="extrapolation from two small angles",
        printed=limit_printed,
        library=limit_library,
        reference=limit_reference,
        tolerance=1e-12,
    ),
    Record(
        id="lloyd/s0.22.1/t1107",
        title="U at angle zero",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(LOG,),
        formula=r"\phi=0:\ \mathbf U=\mathbf I",
        oracle=VECTOR_DIFFERENCES + ", from the identity",
        printed=no_rotation_printed,
        library=no_rotation_library,
        reference=no_rotation_reference,
    ),
    Record(
        id="lloyd/s0.22.1/e0.47",
        title="The transpose of U",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.so3.right_jacobian_inverse",),
        formula=r"\mathbf U^T\equiv\tfrac12\left(\phi\cot(\phi/2)\mathbf I"
        r"+(2-\phi\cot(\phi/2))\mathbf u\mathbf u^T+\phi[\mathbf u]\right)",
        oracle="U^T is what takes omega in frame 2 to the rate: differences of scipy's rotation vector",
        remark=r"$\mathbf U^T$ is the inverse of the right Jacobian of SO(3).",
        inputs={"w": TURN["w"]},
        printed=U_transposed_printed,
        library=U_transposed_library,
        reference=U_transposed_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d12#a",
        title="Rate of the rotation vector in B, by the product rule",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.so3.right_jacobian_inverse",),
        formula=r"\frac{d(\mathbf R_{1B}(\phi\mathbf u))}{dt}=\mathbf R_{1B}\frac{d(\phi\mathbf u)}{dt}"
        r"+\dot{\mathbf R}_{1B}(\phi\mathbf u)",
        oracle="differences of R_1B (phi u) while frame 2, fixed in B, turns against frame 1",
        inputs=WITH_OFFSET,
        printed=vector_in_B_product,
        library=vector_in_B_library,
        reference=vector_in_B_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d12#b",
        title="The same with U",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.so3.right_jacobian_inverse",),
        formula=r"\mathbf R_{1B}\mathbf U\boldsymbol\omega+\dot{\mathbf R}_{1B}(\phi\mathbf u)",
        oracle="differences of R_1B (phi u) while frame 2, fixed in B, turns against frame 1",
        inputs=WITH_OFFSET,
        printed=vector_in_B_with_U,
        library=vector_in_B_library,
        reference=vector_in_B_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d13#a",
        title="Rate of the rotation from 1 to B, middle expression",
        verdict=Verdict.ERRATUM,
        chapter=CHAPTER,
        implemented_by=("rbnotes.so3.hat",),
        formula=r"\dot{\mathbf R}_{1B}=\mathbf R_{2B}\mathbf R_{12}[\boldsymbol\omega]",
        correction=r"$-\mathbf R_{2B}\mathbf R_{12}[\boldsymbol\omega]$, as the end of the line has it.",
        oracle="differences of R_1B while frame 2, fixed in B, turns against frame 1",
        inputs=WITH_OFFSET,
        printed=rotation_rate_middle,
        library=rotation_rate_library,
        reference=rotation_rate_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d13#b",
        title="Rate of the rotation from 1 to B",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.so3.hat",),
        formula=r"\dot{\mathbf R}_{1B}=-\mathbf R_{1B}[\boldsymbol\omega]",
        oracle="differences of R_1B while frame 2, fixed in B, turns against frame 1",
        inputs=WITH_OFFSET,
        printed=rotation_rate_printed,
        library=rotation_rate_library,
        reference=rotation_rate_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d14#a",
        title="Rate of the rotation vector in B, expanded",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.so3.right_jacobian_inverse",),
        formula=r"\mathbf R_{1B}\mathbf U\boldsymbol\omega-\mathbf R_{1B}[\boldsymbol\omega](\phi\mathbf u)",
        oracle="differences of R_1B (phi u) while frame 2, fixed in B, turns against frame 1",
        inputs=WITH_OFFSET,
        printed=vector_in_B_expanded,
        library=vector_in_B_library,
        reference=vector_in_B_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d14#b",
        title="The same with the bracket exchanged",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.so3.right_jacobian_inverse",),
        formula=r"\mathbf R_{1B}\mathbf U\boldsymbol\omega+\mathbf R_{1B}[\phi\mathbf u]\boldsymbol\omega",
        oracle="differences of R_1B (phi u) while frame 2, fixed in B, turns against frame 1",
        inputs=WITH_OFFSET,
        printed=vector_in_B_exchanged,
        library=vector_in_B_library,
        reference=vector_in_B_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d14#c",
        title="Rate of the rotation vector in B",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.so3.right_jacobian_inverse",),
        formula=r"\frac{d(\mathbf R_{1B}(\phi\mathbf u))}{dt}=\mathbf R_{1B}\mathbf U^T\boldsymbol\omega",
        oracle="differences of R_1B (phi u) while frame 2, fixed in B, turns against frame 1",
        inputs=WITH_OFFSET,
        printed=vector_in_B_printed,
        library=vector_in_B_library,
        reference=vector_in_B_reference,
    ),
]
