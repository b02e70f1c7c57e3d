"""Lloyd 0.23: how the inertia varies in world coordinates, and what it adds to the stiffness."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes import se3
from rbnotes.forces.symmetry import inertia_asymmetry, inertia_stiffness, inertia_variation
from rbnotes.inertia import spatial_inertia, swap_stacking
from rbnotes.ledger import quantities as units
from rbnotes.ledger.claims.lloyd.section_0_23 import CHAPTER, IDENTITY, frame, is_asymmetric
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.rotating_bodies import rotate_about_world_axis, world_inertia
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import derivative
from rbnotes.testing.strategies import (
    inertias,
    masses,
    nonzero_vectors,
    positive_numbers,
    rotations,
    vectors,
)

BODY = {"m": masses(), "J": inertias(), "R_BW": rotations()}
INERTIA_TURNED = {**BODY, "delta": vectors()}


QUANTITIES = {"delta": units.NUMBER, "f": units.LINEAR_FIRST_WRENCH, "tau": units.ENERGY}


def inertia_variation_reference(m, J, R_BW, delta):
    return derivative(lambda t: world_inertia(m, J, rotate_about_world_axis(R_BW, delta, t))).value


def inertia_variation_library(m, J, R_BW, delta):
    result = np.zeros((6, 6))
    result[3:, 3:] = inertia_variation(R_BW @ J @ R_BW.T, delta)
    return result


TURNED_LOAD = {**BODY, "f": vectors(6), "omega": vectors(), "delta": vectors()}
LOAD = {"J": inertias(), "R_BW": rotations(), "tau": vectors()}


def product_library(m, J, R_BW, f, omega, delta):
    zero = np.zeros(3)
    X = inertia_stiffness(R_BW @ J @ R_BW.T, f[3:])
    return np.concatenate([zero, X @ delta])


def product_reference(m, J, R_BW, f, omega, delta):
    acceleration = np.linalg.solve(world_inertia(m, J, R_BW), f)
    return derivative(
        lambda t: world_inertia(m, J, rotate_about_world_axis(R_BW, delta, t)) @ acceleration
    ).value


def X_reference(J, R_BW, tau):
    f = np.concatenate([np.zeros(3), tau])
    columns = [product_reference(1.0, J, R_BW, f, None, axis)[3:] for axis in IDENTITY]
    return np.stack(columns, axis=-1)


AT_THE_CENTRE = vectors().map(lambda force: np.concatenate([force, np.zeros(3)]))
BALLS = positive_numbers().map(lambda moment: moment * IDENTITY)


def moments_apart(J):
    """Is no principal moment near the mean of the three?"""
    return bool(np.min(np.abs(np.trace(J) - 3 * np.linalg.eigvalsh(J))) > 0.1)


def torque_is_felt_by_X(J, R_BW, tau):
    """Is the acceleration away from zero and from the axes whose moment of inertia is the mean?"""
    acceleration = np.linalg.solve(J, R_BW.T @ tau)
    return bool(np.linalg.norm(np.trace(J) * acceleration - 3 * J @ acceleration) > 1e-3)


def torque_is_felt(m, J, R_BW, f):
    return torque_is_felt_by_X(J, R_BW, f[3:])


TORQUE = (
    r"A torque acts, and the acceleration $\mathbf J^{-1}\boldsymbol\tau$ is not along an axis whose moment of "
    r"inertia is the mean of the three: $(\operatorname{tr}\mathbf J\,\mathbf I-3\mathbf J)\mathbf J^{-1}"
    r"\boldsymbol\tau\ne0$."
)
TURNING_INERTIA = "differences of the inertia of point masses that turn with the body"


@claim("lloyd/s0.23/t1290", "World coordinates do not avert the asymmetry")
class t1290:
    formula = (
        r"\text{this asymmetry cannot be averted by formulating the equations of motion in world "
        r"coordinates}"
    )
    inputs = {**BODY, "f": st.one_of(vectors(6), AT_THE_CENTRE)}
    result = units.NUMBER

    def printed(m, J, R_BW, f):
        """Not symmetric as soon as anything acts."""
        return float(np.linalg.norm(f) > 0)

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
    holds_when = torque_is_felt
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
    result = units.matrix_quantity(units.LINEAR_FIRST_WRENCH * units.TIME, units.LINEAR_FIRST_TWIST)

    def printed(m, J, R_BW):
        R_WB, zero = R_BW.T, np.zeros((3, 3))
        return np.block([[m * IDENTITY, zero], [zero, R_BW @ J @ R_WB]])

    def library(m, J, R_BW):
        to_body = se3.Ad_inverse(frame(R_BW))
        return swap_stacking(to_body.T @ spatial_inertia(m, J) @ to_body)

    oracle = "second moments of point masses that are turned with the body"
    reference = world_inertia
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
    result = units.INERTIA

    def printed(m, J, R_BW, delta):
        R_WB, zero = R_BW.T, np.zeros((3, 3))
        dR_BW = derivative(lambda t: rotate_about_world_axis(R_BW, delta, t)).value
        dR_WB = derivative(lambda t: rotate_about_world_axis(R_BW, delta, t).T).value
        return np.block([[zero, zero], [zero, dR_BW @ J @ R_WB + R_BW @ J @ dR_WB]])

    library = inertia_variation_library
    oracle = TURNING_INERTIA
    reference = inertia_variation_reference
    primitives = ("rbnotes.ledger.oracles.rotating_bodies.rotate_about_world_axis",)
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
    result = units.INERTIA

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
    units_mismatch = r"an angular velocity stands where a small rotation belongs"
    implemented_by = ("rbnotes.forces.symmetry.inertia_variation",)
    chapter = CHAPTER


@claim("lloyd/s0.23/d6", "The small rotation of the body")
class d6:
    formula = r"{}^W\delta\boldsymbol\omega\equiv{}^W\delta\boldsymbol\omega_{BW}"
    defines = (r"{}^W\delta\boldsymbol\omega",)
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.forces.symmetry.inertia_variation",)
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
    result = units.TORQUE

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
    units_mismatch = r"an angular velocity stands where a small rotation belongs"
    implemented_by = ("rbnotes.forces.symmetry.inertia_stiffness",)
    chapter = CHAPTER


@claim("lloyd/s0.23/d10#b", "The term that the inertia adds, as a vector")
class d10_b:
    formula = (
        r"\begin{pmatrix}0\\([{}^W\boldsymbol\omega]{}^W\mathbf J-{}^W\mathbf "
        r"J[{}^W\boldsymbol\omega]){}^W\mathbf J^{-1}\boldsymbol\tau\end{pmatrix}"
    )
    inputs = TURNED_LOAD
    result = units.TORQUE

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
    units_mismatch = r"an angular velocity stands where a small rotation belongs"
    implemented_by = ("rbnotes.forces.symmetry.inertia_stiffness",)
    chapter = CHAPTER


@claim("lloyd/s0.23/t1331", "The term that the inertia adds, with the matrix X")
class t1331:
    formula = r"\text{`The lower term can be formulated as'}\ \mathbf X\,{}^W\boldsymbol\omega"
    inputs = TURNED_LOAD
    result = units.TORQUE

    def printed(m, J, R_BW, f, omega, delta):
        J_W, tau = R_BW @ J @ R_BW.T, f[3:]
        return (-bracket(tau) + J_W @ bracket(np.linalg.inv(J_W) @ tau)) @ omega

    def library(m, J, R_BW, f, omega, delta):
        return inertia_stiffness(R_BW @ J @ R_BW.T, f[3:]) @ delta

    oracle = "differences of M a at a constant acceleration, M of point masses that turn with the body"

    def reference(m, J, R_BW, f, omega, delta):
        return product_reference(m, J, R_BW, f, omega, delta)[3:]

    verdict = Verdict.MISPRINT
    correction = r"$\mathbf X\,{}^W\delta\boldsymbol\omega$, as in the displays before it."
    units_mismatch = r"an angular velocity stands where a small rotation belongs"
    implemented_by = ("rbnotes.forces.symmetry.inertia_stiffness",)
    chapter = CHAPTER


@claim("lloyd/s0.23/d11", "The matrix X of the inertia term")
class d11:
    formula = r"\mathbf X=-[\boldsymbol\tau]+{}^W\mathbf J[{}^W\mathbf J^{-1}\boldsymbol\tau]"
    inputs = LOAD
    result = units.TORQUE

    def printed(J, R_BW, tau):
        J_W = R_BW @ J @ R_BW.T
        return -bracket(tau) + J_W @ bracket(np.linalg.inv(J_W) @ tau)

    def library(J, R_BW, tau):
        return inertia_stiffness(R_BW @ J @ R_BW.T, tau)

    oracle = "differences of M a at a constant acceleration, column by column"
    reference = X_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.symmetry.inertia_stiffness",)
    chapter = CHAPTER


@claim("lloyd/s0.23/t1335", "X is not symmetric")
class t1335:
    formula = r"\text{(is clearly asymmetric)}"
    inputs = {**LOAD, "J": st.one_of(inertias(), BALLS)}
    result = units.NUMBER

    def printed(J, R_BW, tau):
        """Not symmetric as soon as a torque acts."""
        return float(np.linalg.norm(tau) > 0)

    def library(J, R_BW, tau):
        return float(np.abs(inertia_asymmetry(R_BW @ J @ R_BW.T, tau)).max() > 1e-6)

    oracle = "differences of M a at a constant acceleration: 1 where their matrix is not symmetric"

    def reference(J, R_BW, tau):
        return is_asymmetric(X_reference(J, R_BW, tau))

    verdict = Verdict.CONDITIONAL
    holds_when = torque_is_felt_by_X
    given = {"J": inertias().filter(moments_apart), "R_BW": rotations(), "tau": nonzero_vectors()}
    condition = TORQUE
    remark = (
        r"$\mathbf X-\mathbf X^T=[(\operatorname{tr}\mathbf J\,\mathbf I-3\mathbf J)\mathbf "
        r"J^{-1}\boldsymbol\tau]$; for a ball or a cube $\mathbf X$ is zero."
    )
    implemented_by = ("rbnotes.forces.symmetry.inertia_asymmetry",)
    chapter = CHAPTER
