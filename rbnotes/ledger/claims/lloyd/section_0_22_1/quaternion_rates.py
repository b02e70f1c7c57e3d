"""Lloyd 0.22.1: rates of the quaternion of a rotation vector."""

from __future__ import annotations

import numpy as np

from rbnotes import quaternion
from rbnotes.ledger.claims.lloyd.section_0_22_1 import rotation_section
from rbnotes.ledger.claims.lloyd.section_0_22_1.rotation_vector import (
    ROTATION,
    angle_rate,
    axis_angle,
    axis_rate,
)
from rbnotes.ledger.oracles.rotation_vectors import angle_axis_rate
from rbnotes.ledger.quantities import RATE
from rbnotes.ledger.record import Result


def half_cosine_library(w, omega):
    return quaternion.derivative_from_base(quaternion.from_rotation_vector(w), omega)[0]


def half_cosine_reference(w, omega):
    """Compare with differences of cos(phi/2) while frame 2 rotates relative to frame 1."""
    return angle_axis_rate(lambda phi, u: np.cos(phi / 2), w, omega)


def half_sine_library(w, omega):
    return quaternion.derivative_from_base(quaternion.from_rotation_vector(w), omega)[1:]


def half_sine_reference(w, omega):
    """Compare with differences of sin(phi/2) u while frame 2 rotates relative to frame 1."""
    return angle_axis_rate(lambda phi, u: np.sin(phi / 2) * u, w, omega)


@rotation_section.misprint("d6#a", "Rate of the scalar part of the quaternion, left side")
class d6_a:
    formula = r"\frac{d\cos(\phi/2)\,\mathbf u}{dt}=-\tfrac12\sin(\phi/2)\,\boldsymbol\omega\cdot\mathbf u"
    edit = (r"\cos(\phi/2)\,\mathbf u", r"\cos(\phi/2)")
    inputs = ROTATION
    result = Result(RATE, "of the vector part of the quaternion of frame 2 relative to frame 1")

    def printed(w, omega):
        phi, u = axis_angle(w)
        dphi, du = angle_rate(w, omega), axis_rate(w, omega)
        return -1 / 2 * np.sin(phi / 2) * dphi * u + np.cos(phi / 2) * du

    library = half_cosine_library
    reference = half_cosine_reference
    undefined = "a vector on the left side, a number on the right"
    correction = r"$\frac{d\cos(\phi/2)}{dt}$: the scalar part has no $\mathbf u$."
    implements = quaternion.derivative_from_base


@rotation_section.holds("d6#b", "Rate of the scalar part, by the chain rule")
class d6_b:
    formula = r"-\tfrac12\sin(\phi/2)\,\dot\phi"
    inputs = ROTATION
    result = Result(RATE, "of the vector part of the quaternion of frame 2 relative to frame 1")

    def printed(w, omega):
        phi, _ = axis_angle(w)
        dphi = angle_rate(w, omega)
        return -1 / 2 * np.sin(phi / 2) * dphi

    library = half_cosine_library
    reference = half_cosine_reference
    implements = quaternion.derivative_from_base


@rotation_section.holds("d6#c", "Rate of the scalar part, from the angular velocity")
class d6_c:
    formula = r"-\tfrac12\sin(\phi/2)\,\boldsymbol\omega\cdot\mathbf u"
    inputs = ROTATION
    result = Result(RATE, "of the vector part of the quaternion of frame 2 relative to frame 1")

    def printed(w, omega):
        phi, u = axis_angle(w)
        return -1 / 2 * np.sin(phi / 2) * omega @ u

    library = half_cosine_library
    reference = half_cosine_reference
    implements = quaternion.derivative_from_base


@rotation_section.holds("d6#d", "Rate of the vector part, by the product rule")
class d6_d:
    formula = r"\frac{d\sin(\phi/2)\mathbf u}{dt}=\tfrac12\cos(\phi/2)\dot\phi\,\mathbf u+\sin(\phi/2)\dot{\mathbf u}"
    inputs = ROTATION
    result = Result(RATE, "of the vector part of the quaternion of frame 2 relative to frame 1")

    def printed(w, omega):
        phi, u = axis_angle(w)
        dphi, du = angle_rate(w, omega), axis_rate(w, omega)
        return 1 / 2 * np.cos(phi / 2) * dphi * u + np.sin(phi / 2) * du

    library = half_sine_library
    reference = half_sine_reference
    implements = quaternion.derivative_from_base


@rotation_section.holds("d6#e", "Rate of the vector part, from the angular velocity")
class d6_e:
    formula = r"\frac{d\sin(\phi/2)\mathbf u}{dt}=\tfrac12(\cos(\phi/2)\boldsymbol\omega+\sin(\phi/2)\,\boldsymbol\omega\times\mathbf u)"
    inputs = ROTATION
    result = Result(RATE, "of the vector part of the quaternion of frame 2 relative to frame 1")

    def printed(w, omega):
        phi, u = axis_angle(w)
        return 1 / 2 * (np.cos(phi / 2) * omega + np.sin(phi / 2) * np.cross(omega, u))

    library = half_sine_library
    reference = half_sine_reference
    implements = quaternion.derivative_from_base
