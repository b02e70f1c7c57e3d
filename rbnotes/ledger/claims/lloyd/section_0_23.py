"""Lloyd 0.23: why Jacobians of forces on rigid bodies are not symmetric.

The oracle turns the body by small rotations and takes differences of the force, or of the inertia and the
acceleration, in the axes in question.
"""

from __future__ import annotations

import numpy as np

from rbnotes.forces.body_forces import directional_force
from rbnotes.ledger import quantities as units
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.rotating_bodies import rotate_about_body_axis
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import derivative
from rbnotes.testing.strategies import rotations, vectors

CHAPTER = "asymmetry"
PULL = "rbnotes.forces.body_forces.directional_force"
IDENTITY = np.eye(3)
AT_CENTRE = np.zeros(3)

FORCE = {"R_BW": rotations(), "f": vectors()}
FORCE_TURNED = {**FORCE, "delta": vectors()}


QUANTITIES = {"delta": units.NUMBER}


def frame(R_BW):
    E = np.eye(4)
    E[:3, :3] = R_BW
    return E


def body_force_variation_library(R_BW, f, delta):
    return directional_force(1.0, f, frame(R_BW), AT_CENTRE).K[3:, :3] @ delta


def body_force_variation_reference(R_BW, f, delta):
    return derivative(lambda t: rotate_about_body_axis(R_BW, delta, t).T @ f).value


def body_force_jacobian_library(R_BW, f):
    return directional_force(1.0, f, frame(R_BW), AT_CENTRE).K[3:, :3]


def body_force_jacobian_reference(R_BW, f):
    return np.stack([body_force_variation_reference(R_BW, f, axis) for axis in IDENTITY], axis=-1)


def is_asymmetric(A):
    return float(np.abs(A - A.T).max() > 1e-6)


TURNING_FORCE = "differences of the force's components along the axes of a body that turns"


@claim("lloyd/s0.23/d1", "A constant force in body coordinates")
class d1:
    formula = r"{}^B\mathbf f=\mathbf R_{WB}{}^W\mathbf f"
    inputs = FORCE
    result = units.FORCE

    def printed(R_BW, f):
        R_WB = R_BW.T
        return R_WB @ f

    def library(R_BW, f):
        return directional_force(1.0, f, frame(R_BW), AT_CENTRE).w[3:]

    oracle = "components along the body's axes, one by one"

    def reference(R_BW, f):
        # Components along the body's axes, one by one.
        return np.array([f @ axis for axis in R_BW.T])

    exact = "both are sums of three products along the same axes"
    verdict = Verdict.HOLDS
    implemented_by = (PULL,)
    chapter = CHAPTER


@claim("lloyd/s0.23/d2#a", "How its components vary, with the rotation of the world against the body")
class d2_a:
    formula = r"{}^B\delta\mathbf f=[{}^B\delta\boldsymbol\omega_{WB}]\mathbf R_{WB}{}^W\mathbf f"
    inputs = FORCE_TURNED
    result = units.FORCE

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
    result = units.FORCE

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
    result = units.FORCE

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
    formula = (
        r"\text{(which is asymmetrical)}:\quad"
        r"\frac{\partial\,{}^B\mathbf f}{\partial\boldsymbol\theta}"
        r"-\Bigl(\frac{\partial\,{}^B\mathbf f}{\partial\boldsymbol\theta}\Bigr)^T"
        r"=2[\mathbf R_{WB}{}^W\mathbf f]"
    )
    inputs = FORCE
    result = units.FORCE

    def printed(R_BW, f):
        R_WB = R_BW.T
        return 2 * bracket(R_WB @ f)

    def library(R_BW, f):
        K = body_force_jacobian_library(R_BW, f)
        return K - K.T

    oracle = TURNING_FORCE + ", less their transpose"

    def reference(R_BW, f):
        K = body_force_jacobian_reference(R_BW, f)
        return K - K.T

    verdict = Verdict.HOLDS
    remark = "It is skew: its symmetric part is zero."
    implemented_by = (PULL,)
    chapter = CHAPTER
