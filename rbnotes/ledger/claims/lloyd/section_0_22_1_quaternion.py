"""Lloyd 0.22.1: rates of the quaternion of a rotation vector."""

from __future__ import annotations

import numpy as np

from rbnotes import quaternion
from rbnotes.ledger.claims.lloyd.section_0_22 import CHAPTER
from rbnotes.ledger.claims.lloyd.section_0_22_1_rotation_vector import (
    TURN,
    angle_rate,
    axis_angle,
    axis_rate,
)
from rbnotes.ledger.oracles.rotation_vectors import angle_axis_rate
from rbnotes.ledger.quantities import NUMBER, RATE
from rbnotes.ledger.record import Verdict, claim

QUANTITIES = {"w": NUMBER}


def half_cosine_library(w, omega):
    return quaternion.derivative_from_base(quaternion.from_rotation_vector(w), omega)[0]


def half_cosine_reference(w, omega):
    return angle_axis_rate(lambda phi, u: np.cos(phi / 2), w, omega)


def half_sine_library(w, omega):
    return quaternion.derivative_from_base(quaternion.from_rotation_vector(w), omega)[1:]


def half_sine_reference(w, omega):
    return angle_axis_rate(lambda phi, u: np.sin(phi / 2) * u, w, omega)


@claim("lloyd/s0.22.1/d6#a", "Rate of the scalar part of the quaternion, left side")
class d6_a:
    formula = r"\frac{d\cos(\phi/2)\,\mathbf u}{dt}=-\tfrac12\sin(\phi/2)\,\boldsymbol\omega\cdot\mathbf u"
    inputs = TURN
    result = RATE

    def printed(w, omega):
        phi, u = axis_angle(w)
        dphi, du = angle_rate(w, omega), axis_rate(w, omega)
        return -1 / 2 * np.sin(phi / 2) * dphi * u + np.cos(phi / 2) * du

    library = half_cosine_library
    oracle = "differences of cos(phi/2) while frame 2 turns against frame 1"
    reference = half_cosine_reference
    undefined = "a vector on the left side, a number on the right"
    verdict = Verdict.MISPRINT
    correction = r"$\frac{d\cos(\phi/2)}{dt}$: the scalar part has no $\mathbf u$."
    implemented_by = ("rbnotes.quaternion.derivative_from_base",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d6#b", "Rate of the scalar part, by the chain rule")
class d6_b:
    formula = r"-\tfrac12\sin(\phi/2)\,\dot\phi"
    inputs = TURN
    result = RATE

    def printed(w, omega):
        phi, _ = axis_angle(w)
        dphi = angle_rate(w, omega)
        return -1 / 2 * np.sin(phi / 2) * dphi

    library = half_cosine_library
    oracle = "differences of cos(phi/2) while frame 2 turns against frame 1"
    reference = half_cosine_reference
    equivalent_mutants = {
        "in vector_rate_library: swapped operands in `so3.left_jacobian_inverse(w) @ omega`": "the matrix leaves the axis alone, on which the rate is projected",
        "in vector_rate_library: dropped factor `so3.left_jacobian_inverse(w)` in `so3.left_jacobian_inverse(w) @ omega`": "the matrix leaves the axis alone, on which the rate is projected",
    }
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.quaternion.derivative_from_base",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d6#c", "Rate of the scalar part, from the angular velocity")
class d6_c:
    formula = r"-\tfrac12\sin(\phi/2)\,\boldsymbol\omega\cdot\mathbf u"
    inputs = TURN
    result = RATE

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
    result = RATE

    def printed(w, omega):
        phi, u = axis_angle(w)
        dphi, du = angle_rate(w, omega), axis_rate(w, omega)
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
    result = RATE

    def printed(w, omega):
        phi, u = axis_angle(w)
        return 1 / 2 * (np.cos(phi / 2) * omega + np.sin(phi / 2) * np.cross(omega, u))

    library = half_sine_library
    oracle = "differences of sin(phi/2) u while frame 2 turns against frame 1"
    reference = half_sine_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.quaternion.derivative_from_base",)
    chapter = CHAPTER
