"""Lloyd 0.23: why Jacobians of forces on rigid bodies are not symmetric.

The oracle turns the body by small rotations and takes differences of the force, or of the inertia and the
acceleration, in the axes in question.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rbnotes import se3
from rbnotes.checking import derivative
from rbnotes.checking.strategies import (
    inertias,
    masses,
    nonzero_vectors,
    numbers,
    positive_numbers,
    rotations,
    vectors,
)
from rbnotes.forces.body_forces import directional_force
from rbnotes.forces.symmetry import inertia_asymmetry, inertia_stiffness, inertia_variation
from rbnotes.inertia import spatial_inertia, swap_stacking
from rbnotes.integrators import linearly_implicit_velocity
from rbnotes.ledger.oracles.bodies import bracket, point_masses
from rbnotes.ledger.record import Verdict, claim

CHAPTER = "asymmetry"
PULL = "rbnotes.forces.body_forces.directional_force"
IDENTITY = np.eye(3)
AT_CENTRE = np.zeros(3)

FORCE = {"R_BW": rotations(), "f": vectors()}
FORCE_TURNED = {**FORCE, "delta": vectors()}
BODY = {"m": masses(), "J": inertias(), "R_BW": rotations()}
INERTIA_TURNED = {**BODY, "delta": vectors()}


def turned_in_body(R_BW, delta, t):
    return R_BW @ Rotation.from_rotvec(t * delta).as_matrix()


def turned_in_world(R_BW, delta, t):
    return Rotation.from_rotvec(t * delta).as_matrix() @ R_BW


def frame(R_BW):
    E = np.eye(4)
    E[:3, :3] = R_BW
    return E


def body_force_variation_library(R_BW, f, delta):
    return directional_force(1.0, f, frame(R_BW), AT_CENTRE).K[3:, :3] @ delta


def body_force_variation_reference(R_BW, f, delta):
    return derivative(lambda t: turned_in_body(R_BW, delta, t).T @ f).value


def body_force_jacobian_library(R_BW, f):
    return directional_force(1.0, f, frame(R_BW), AT_CENTRE).K[3:, :3]


def body_force_jacobian_reference(R_BW, f):
    return np.stack([body_force_variation_reference(R_BW, f, axis) for axis in IDENTITY], axis=-1)


def is_asymmetric(A):
    return float(np.abs(A - A.T).max() > 1e-6)


def M(m, J, R_BW):
    """Inertia at the centre of mass in world axes, linear part first, from point masses turned with the body."""
    each, points = point_masses(m, J, AT_CENTRE)
    result = m * np.eye(6)
    result[3:, 3:] = each * sum(p @ p * IDENTITY - np.outer(p, p) for p in points @ R_BW.T)
    return result


def inertia_variation_reference(m, J, R_BW, delta):
    return derivative(lambda t: M(m, J, turned_in_world(R_BW, delta, t))).value


def inertia_variation_library(m, J, R_BW, delta):
    result = np.zeros((6, 6))
    result[3:, 3:] = inertia_variation(R_BW @ J @ R_BW.T, delta)
    return result


STEP = {
    **BODY,
    "f": vectors(6),
    "df": vectors(6),
    "delta": vectors(),
    "v": vectors(6),
    "h": numbers(0.125, 2.0),
}
ACCELERATED = {name: STEP[name] for name in ("m", "J", "R_BW", "f", "df", "delta")}


def acceleration_variation_library(m, J, R_BW, f, df, delta):
    inertia = R_BW @ J @ R_BW.T
    turning = np.linalg.solve(inertia, df[3:] - inertia_stiffness(inertia, f[3:]) @ delta)
    return np.concatenate([df[:3] / m, turning])


def acceleration_variation_reference(m, J, R_BW, f, df, delta):
    def acceleration(t):
        return np.linalg.solve(M(m, J, turned_in_world(R_BW, delta, t)), f + t * df)

    return derivative(acceleration).value


def implicit_step_library(m, J, R_BW, f, df, delta, v, h):
    inertia = R_BW @ J @ R_BW.T
    M_0 = np.zeros((6, 6))
    M_0[:3, :3], M_0[3:, 3:] = m * IDENTITY, inertia
    total = f + df
    total[3:] -= inertia_stiffness(inertia, f[3:]) @ delta
    return linearly_implicit_velocity(M_0, v, total, 0 * M_0, 0 * M_0, h)


def implicit_step_reference(m, J, R_BW, f, df, delta, v, h):
    """Velocity after a step with the acceleration at its end, to first order in the variations."""

    def velocity(t):
        return v + h * np.linalg.solve(M(m, J, turned_in_world(R_BW, delta, t)), f + t * df)

    return velocity(0) + derivative(velocity).value


TURNED_LOAD = {**BODY, "f": vectors(6), "omega": vectors(), "delta": vectors()}
LOAD = {"J": inertias(), "R_BW": rotations(), "tau": vectors()}


def product_library(m, J, R_BW, f, omega, delta):
    zero = np.zeros(3)
    X = inertia_stiffness(R_BW @ J @ R_BW.T, f[3:])
    return np.concatenate([zero, X @ delta])


def product_reference(m, J, R_BW, f, omega, delta):
    acceleration = np.linalg.solve(M(m, J, R_BW), f)
    return derivative(lambda t: M(m, J, turned_in_world(R_BW, delta, t)) @ acceleration).value


def X_reference(J, R_BW, tau):
    f = np.concatenate([np.zeros(3), tau])
    columns = [product_reference(1.0, J, R_BW, f, None, axis)[3:] for axis in IDENTITY]
    return np.stack(columns, axis=-1)


AT_THE_CENTRE = vectors().map(lambda force: np.concatenate([force, np.zeros(3)]))
BALLS = positive_numbers().map(lambda moment: moment * IDENTITY)


def moments_apart(J):
    """Is no principal moment near the mean of the three?"""
    return bool(np.min(np.abs(np.trace(J) - 3 * np.linalg.eigvalsh(J))) > 0.1)


TORQUE = (
    r"A torque acts, and the acceleration $\mathbf J^{-1}\boldsymbol\tau$ is not along an axis whose moment of "
    r"inertia is the mean of the three: $(\operatorname{tr}\mathbf J\,\mathbf I-3\mathbf J)\mathbf J^{-1}"
    r"\boldsymbol\tau\ne0$."
)
TURNING_FORCE = "differences of the force's components along the axes of a body that turns"
TURNING_INERTIA = "differences of the inertia of point masses that turn with the body"


@claim("lloyd/s0.23/d1", "A constant force in body coordinates")
class d1:
    formula = r"{}^B\mathbf f=\mathbf R_{WB}{}^W\mathbf f"
    inputs = FORCE

    def printed(R_BW, f):
        R_WB = R_BW.T
        return R_WB @ f

    def library(R_BW, f):
        return directional_force(1.0, f, frame(R_BW), AT_CENTRE).w[3:]

    oracle = "components along the body's axes, one by one"

    def reference(R_BW, f):
        # Components along the body's axes, one by one.
        return np.array([f @ axis for axis in R_BW.T])

    verdict = Verdict.HOLDS
    implemented_by = (PULL,)
    chapter = CHAPTER


@claim("lloyd/s0.23/d2#a", "How its components vary, with the rotation of the world against the body")
class d2_a:
    formula = r"{}^B\delta\mathbf f=[{}^B\delta\boldsymbol\omega_{WB}]\mathbf R_{WB}{}^W\mathbf f"
    inputs = FORCE_TURNED

    def printed(R_BW, f, delta):
        delta_WB = -delta
        return bracket(delta_WB) @ R_BW.T @ f

    library = body_force_variation_library
    oracle = TURNING_FORCE
    reference = body_force_variation_reference
    verdict = Verdict.HOLDS
    remark = r"$\delta\boldsymbol\omega$ is here a small rotation, $\delta\boldsymbol\theta$ in 0.22."
    implemented_by = (PULL,)
    chapter = CHAPTER


@claim("lloyd/s0.23/d2#b", "How its components vary, with the rotation of the body")
class d2_b:
    formula = r"{}^B\delta\mathbf f=-[{}^B\delta\boldsymbol\omega_{BW}]\mathbf R_{WB}{}^W\mathbf f"
    inputs = FORCE_TURNED

    def printed(R_BW, f, delta):
        return -bracket(delta) @ R_BW.T @ f

    library = body_force_variation_library
    oracle = TURNING_FORCE
    reference = body_force_variation_reference
    verdict = Verdict.HOLDS
    implemented_by = (PULL,)
    chapter = CHAPTER


@claim("lloyd/s0.23/d3", "Jacobian of a constant force in body coordinates")
class d3:
    formula = r"\frac{\partial\,{}^B\mathbf f}{\partial\boldsymbol\theta}=[\mathbf R_{WB}{}^W\mathbf f]"
    inputs = FORCE

    def printed(R_BW, f):
        R_WB = R_BW.T
        return bracket(R_WB @ f)

    library = body_force_jacobian_library
    oracle = TURNING_FORCE
    reference = body_force_jacobian_reference
    verdict = Verdict.HOLDS
    implemented_by = (PULL,)
    chapter = CHAPTER


@claim("lloyd/s0.23/t1288", "It is not symmetric")
class t1288:
    formula = r"\text{(which is asymmetrical)}"
    inputs = {"R_BW": rotations(), "f": nonzero_vectors()}

    def printed(R_BW, f):
        return 1.0

    def library(R_BW, f):
        return is_asymmetric(body_force_jacobian_library(R_BW, f))

    oracle = (
        "differences of the force's components along the axes of a body that turns: 1 where the matrix "
        "is not symmetric"
    )

    def reference(R_BW, f):
        return is_asymmetric(body_force_jacobian_reference(R_BW, f))

    verdict = Verdict.HOLDS
    remark = "It is skew: its symmetric part is zero."
    implemented_by = (
        PULL,
        "rbnotes.forces.symmetry.asymmetry",
    )
    chapter = CHAPTER


@claim("lloyd/s0.23/t1290", "World coordinates do not avert the asymmetry")
class t1290:
    formula = (
        r"\text{this asymmetry cannot be averted by formulating the equations of motion in world "
        r"coordinates}"
    )
    inputs = {**BODY, "f": st.one_of(vectors(6), AT_THE_CENTRE)}

    def printed(m, J, R_BW, f):
        return 1.0

    def library(m, J, R_BW, f):
        # A force at the centre of mass has no torque about it.
        return float(np.abs(inertia_asymmetry(R_BW @ J @ R_BW.T, f[3:])).max() > 1e-6)

    oracle = (
        "differences of M(R) a under a constant force and torque in world axes, M of point masses: 1 "
        "where their matrix is not symmetric"
    )

    def reference(m, J, R_BW, f):
        """Does the matrix of an implicit step in world axes, under a constant force and torque, lack symmetry?"""
        columns = [product_reference(m, J, R_BW, f, None, axis)[3:] for axis in IDENTITY]
        return is_asymmetric(np.stack(columns, axis=-1))

    verdict = Verdict.CONDITIONAL
    given = {
        "m": masses(),
        "J": inertias().filter(moments_apart),
        "R_BW": rotations(),
        "f": vectors(6).filter(lambda f: bool(np.linalg.norm(f[3:]) > 0.25)),
    }
    condition = TORQUE
    remark = (
        r"For the force at the centre of mass with which the section begins, on a body at rest, there is "
        r"no torque: there, world coordinates do avert it. Nor is it the variation of the inertia itself "
        r"that lacks symmetry, as the sentence goes on: $[\delta\boldsymbol\omega]\mathbf J - \mathbf "
        r"J[\delta\boldsymbol\omega]$ is symmetric; the derivative of its product with the acceleration "
        r"is not."
    )
    implemented_by = ("rbnotes.forces.symmetry.inertia_asymmetry",)
    chapter = CHAPTER


@claim("lloyd/s0.23/d4", "Inertia in world coordinates")
class d4:
    formula = (
        r"\mathbf M=\begin{pmatrix}m\mathbf I&0\\"
        r"0&{}^W\mathbf J\end{pmatrix}=\begin{pmatrix}m\mathbf I&0\\"
        r"0&\mathbf R_{BW}{}^B\mathbf J\mathbf R_{WB}\end{pmatrix}"
    )
    inputs = BODY

    def printed(m, J, R_BW):
        R_WB, zero = R_BW.T, np.zeros((3, 3))
        return np.block([[m * IDENTITY, zero], [zero, R_BW @ J @ R_WB]])

    def library(m, J, R_BW):
        to_body = se3.Ad_inverse(frame(R_BW))
        return swap_stacking(to_body.T @ spatial_inertia(m, J) @ to_body)

    oracle = "second moments of point masses that are turned with the body"
    reference = M
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.inertia.spatial_inertia",
        "rbnotes.se3.Ad_inverse",
    )
    chapter = CHAPTER


@claim("lloyd/s0.23/d5#a", "How it varies, by the product rule")
class d5_a:
    formula = (
        r"\delta\mathbf M=\begin{pmatrix}0&0\\"
        r"0&\delta\mathbf R_{BW}{}^B\mathbf J\mathbf R_{WB}"
        r"+\mathbf R_{BW}{}^B\mathbf J\,\delta\mathbf R_{WB}\end{pmatrix}"
    )
    inputs = INERTIA_TURNED

    def printed(m, J, R_BW, delta):
        R_WB, zero = R_BW.T, np.zeros((3, 3))
        dR_BW = derivative(lambda t: turned_in_world(R_BW, delta, t)).value
        dR_WB = derivative(lambda t: turned_in_world(R_BW, delta, t).T).value
        return np.block([[zero, zero], [zero, dR_BW @ J @ R_WB + R_BW @ J @ dR_WB]])

    library = inertia_variation_library
    oracle = TURNING_INERTIA
    reference = inertia_variation_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.symmetry.inertia_variation",)
    chapter = CHAPTER


@claim("lloyd/s0.23/d5#b", "How it varies, with brackets")
class d5_b:
    formula = (
        r"\delta\mathbf M=\begin{pmatrix}0&0\\"
        r"0&[{}^W\boldsymbol\omega]{}^W\mathbf J-{}^W\mathbf J[{}^W\boldsymbol\omega]\end{pmatrix}"
    )
    inputs = {**BODY, "omega": vectors(), "delta": vectors()}

    def printed(m, J, R_BW, omega, delta):
        J_W, zero = R_BW @ J @ R_BW.T, np.zeros((3, 3))
        return np.block([[zero, zero], [zero, bracket(omega) @ J_W - J_W @ bracket(omega)]])

    def library(m, J, R_BW, omega, delta):
        return inertia_variation_library(m, J, R_BW, delta)

    oracle = TURNING_INERTIA

    def reference(m, J, R_BW, omega, delta):
        return inertia_variation_reference(m, J, R_BW, delta)

    verdict = Verdict.MISPRINT
    correction = (
        r"${}^W\delta\boldsymbol\omega$ in place of ${}^W\boldsymbol\omega$, as the next line defines it: "
        r"a small rotation, not the angular velocity."
    )
    implemented_by = ("rbnotes.forces.symmetry.inertia_variation",)
    chapter = CHAPTER


@claim("lloyd/s0.23/d6", "The small rotation of the body")
class d6:
    formula = r"{}^W\delta\boldsymbol\omega\equiv{}^W\delta\boldsymbol\omega_{BW}"
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.forces.symmetry.inertia_variation",)
    chapter = CHAPTER


@claim("lloyd/s0.23/d7", "Implicit integration to first order")
class d7:
    formula = r"\mathbf v^{i+1}=\mathbf v^i+h\mathbf a^{i+1}\approx\mathbf v^i+h(\mathbf a^i+\delta\mathbf a)"
    inputs = STEP

    def printed(m, J, R_BW, f, df, delta, v, h):
        M_0 = M(m, J, R_BW)
        a, da = np.linalg.solve(M_0, f), acceleration_variation_reference(m, J, R_BW, f, df, delta)
        return v + h * (a + da)

    library = implicit_step_library
    oracle = "first-order expansion, by differences, of v + h M^-1 f at the end of the step"
    reference = implicit_step_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.integrators.linearly_implicit_velocity",)
    chapter = CHAPTER


@claim("lloyd/s0.23/d8#a", "How the acceleration varies, by the product rule")
class d8_a:
    formula = r"\delta\mathbf a=\mathbf M^{-1}\delta\mathbf f+\delta(\mathbf M^{-1})\mathbf f"
    inputs = ACCELERATED

    def printed(m, J, R_BW, f, df, delta):
        M_0 = M(m, J, R_BW)
        dM_inverse = derivative(lambda t: np.linalg.inv(M(m, J, turned_in_world(R_BW, delta, t)))).value
        return np.linalg.inv(M_0) @ df + dM_inverse @ f

    library = acceleration_variation_library
    oracle = "differences of M^-1 f, with M of point masses that turn with the body"
    reference = acceleration_variation_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.symmetry.inertia_stiffness",)
    chapter = CHAPTER


@claim("lloyd/s0.23/d8#b", "How the acceleration varies, with the variation of the inertia")
class d8_b:
    formula = (
        r"\delta\mathbf a=\mathbf M^{-1}\delta\mathbf f"
        r"-\mathbf M^{-1}\delta\mathbf M\,\mathbf M^{-1}\mathbf f"
    )
    inputs = ACCELERATED

    def printed(m, J, R_BW, f, df, delta):
        M_inverse = np.linalg.inv(M(m, J, R_BW))
        dM = inertia_variation_reference(m, J, R_BW, delta)
        return M_inverse @ df - M_inverse @ dM @ M_inverse @ f

    library = acceleration_variation_library
    oracle = "differences of M^-1 f, with M of point masses that turn with the body"
    reference = acceleration_variation_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.symmetry.inertia_stiffness",)
    chapter = CHAPTER


@claim("lloyd/s0.23/d9", "The step, multiplied by the inertia")
class d9:
    formula = (
        r"\mathbf M\mathbf v^{i+1}=\mathbf M\mathbf v^i+h(\mathbf f^i+\delta\mathbf f"
        r"-\delta\mathbf M\,\mathbf M^{-1}\mathbf f)"
    )
    inputs = STEP

    def printed(m, J, R_BW, f, df, delta, v, h):
        M_0 = M(m, J, R_BW)
        dM = inertia_variation_reference(m, J, R_BW, delta)
        return M_0 @ v + h * (f + df - dM @ np.linalg.inv(M_0) @ f)

    def library(m, J, R_BW, f, df, delta, v, h):
        after = implicit_step_library(m, J, R_BW, f, df, delta, v, h)
        return np.concatenate([m * after[:3], R_BW @ J @ R_BW.T @ after[3:]])

    oracle = "first-order expansion, by differences, of v + h M^-1 f at the end of the step, times M"

    def reference(m, J, R_BW, f, df, delta, v, h):
        return M(m, J, R_BW) @ implicit_step_reference(m, J, R_BW, f, df, delta, v, h)

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.symmetry.inertia_stiffness",)
    chapter = CHAPTER


@claim("lloyd/s0.23/d10#a", "The term that the inertia adds, as a product of matrices")
class d10_a:
    formula = (
        r"\delta\mathbf M\,\mathbf M^{-1}\mathbf f=\begin{pmatrix}0&0\\"
        r"0&[{}^W\boldsymbol\omega]{}^W\mathbf J-{}^W\mathbf "
        r"J[{}^W\boldsymbol\omega]\end{pmatrix}\begin{pmatrix}\tfrac1m\mathbf I&0\\"
        r"0&{}^W\mathbf J^{-1}\end{pmatrix}\begin{pmatrix}\mathbf f_t\\\boldsymbol\tau\end{pmatrix}"
    )
    inputs = TURNED_LOAD

    def printed(m, J, R_BW, f, omega, delta):
        J_W, zero = R_BW @ J @ R_BW.T, np.zeros((3, 3))
        turning = np.block([[zero, zero], [zero, bracket(omega) @ J_W - J_W @ bracket(omega)]])
        inverse = np.block([[1 / m * IDENTITY, zero], [zero, np.linalg.inv(J_W)]])
        return turning @ inverse @ f

    library = product_library
    oracle = "differences of M a at a constant acceleration, M of point masses that turn with the body"
    reference = product_reference
    verdict = Verdict.MISPRINT
    correction = r"${}^W\delta\boldsymbol\omega$ in place of ${}^W\boldsymbol\omega$."
    implemented_by = ("rbnotes.forces.symmetry.inertia_stiffness",)
    chapter = CHAPTER


@claim("lloyd/s0.23/d10#b", "The term that the inertia adds, as a vector")
class d10_b:
    formula = (
        r"\begin{pmatrix}0\\([{}^W\boldsymbol\omega]{}^W\mathbf J-{}^W\mathbf "
        r"J[{}^W\boldsymbol\omega]){}^W\mathbf J^{-1}\boldsymbol\tau\end{pmatrix}"
    )
    inputs = TURNED_LOAD

    def printed(m, J, R_BW, f, omega, delta):
        J_W, tau = R_BW @ J @ R_BW.T, f[3:]
        zero = np.zeros(3)
        lower = (bracket(omega) @ J_W - J_W @ bracket(omega)) @ np.linalg.inv(J_W) @ tau
        return np.concatenate([zero, lower])

    library = product_library
    oracle = "differences of M a at a constant acceleration, M of point masses that turn with the body"
    reference = product_reference
    verdict = Verdict.MISPRINT
    correction = r"${}^W\delta\boldsymbol\omega$ in place of ${}^W\boldsymbol\omega$."
    implemented_by = ("rbnotes.forces.symmetry.inertia_stiffness",)
    chapter = CHAPTER


@claim("lloyd/s0.23/d11", "The matrix X of the inertia term")
class d11:
    formula = r"\mathbf X=-[\boldsymbol\tau]+{}^W\mathbf J[{}^W\mathbf J^{-1}\boldsymbol\tau]"
    inputs = LOAD

    def printed(J, R_BW, tau):
        J_W = R_BW @ J @ R_BW.T
        return -bracket(tau) + J_W @ bracket(np.linalg.inv(J_W) @ tau)

    def library(J, R_BW, tau):
        return inertia_stiffness(R_BW @ J @ R_BW.T, tau)

    oracle = "differences of M a at a constant acceleration, column by column"
    reference = X_reference
    verdict = Verdict.HOLDS
    remark = r"The lower term is $\mathbf X\,{}^W\delta\boldsymbol\omega$."
    implemented_by = ("rbnotes.forces.symmetry.inertia_stiffness",)
    chapter = CHAPTER


@claim("lloyd/s0.23/t1335", "X is not symmetric")
class t1335:
    formula = r"\text{(is clearly asymmetric)}"
    inputs = {**LOAD, "J": st.one_of(inertias(), BALLS)}

    def printed(J, R_BW, tau):
        return 1.0

    def library(J, R_BW, tau):
        return float(np.abs(inertia_asymmetry(R_BW @ J @ R_BW.T, tau)).max() > 1e-6)

    oracle = "differences of M a at a constant acceleration: 1 where their matrix is not symmetric"

    def reference(J, R_BW, tau):
        return is_asymmetric(X_reference(J, R_BW, tau))

    verdict = Verdict.CONDITIONAL
    given = {"J": inertias().filter(moments_apart), "R_BW": rotations(), "tau": nonzero_vectors()}
    condition = TORQUE
    remark = (
        r"$\mathbf X-\mathbf X^T=[(\operatorname{tr}\mathbf J\,\mathbf I-3\mathbf J)\mathbf "
        r"J^{-1}\boldsymbol\tau]$; for a ball or a cube $\mathbf X$ is zero."
    )
    implemented_by = ("rbnotes.forces.symmetry.inertia_asymmetry",)
    chapter = CHAPTER
