"""Sueda 1.5: the adjoint."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from rbnotes import se3
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, commutator, twist_matrix
from rbnotes.ledger.quantities import ADJOINT, TIME, TWIST, VELOCITY
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import derivative
from rbnotes.testing.strategies import frames, twists

MOVING = {"E": frames(), "phi": twists()}


def adjoint_printed(E):
    R, p = E[:3, :3], E[:3, 3]
    zero = np.zeros((3, 3))
    return np.block([[R, zero], [bracket(p) @ R, R]])


def adjoint_rate_reference(E, phi):
    pose = motion(E, phi)
    return derivative(lambda t: adjoint_by_conjugation(pose(t))).value


def adjoint_rate_library(E, phi):
    return se3.Ad_dot(E, phi)


def bracket_printed(phi):
    w, v = bracket(phi[:3]), bracket(phi[3:])
    zero = np.zeros((3, 3))
    return np.block([[w, zero], [v, w]])


def lie_bracket_library(a, b):
    return se3.ad(a) @ b


STEP = 1e-7


@claim("sueda/s1.5/e1.14", "The adjoint of a pose")
class e1_14:
    formula = (
        r"{}^0_i\mathrm{Ad} = \begin{pmatrix} {}^0_iR & 0 \\"
        r" [{}^0_i\mathbf p]\,{}^0_iR & {}^0_iR \end{pmatrix}"
    )
    inputs = {"E": frames()}
    result = ADJOINT
    printed = adjoint_printed

    def library(E):
        return se3.Ad(E)

    oracle = "conjugation of 4 x 4 twist matrices with the pose, one unit twist after the other"
    reference = adjoint_by_conjugation
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.Ad",)
    chapter = "frames-and-twists"


@claim("sueda/s1.5/e1.15", "The adjoint takes a body's twist to world coordinates")
class e1_15:
    formula = r"{}^0\phi_i = {}^0_i\mathrm{Ad}\,{}^i\phi_i"
    inputs = MOVING
    result = TWIST

    def printed(E, phi):
        return adjoint_printed(E) @ phi

    def library(E, phi):
        return se3.Ad(E) @ phi

    oracle = (
        "differences along a motion: its spin in the world, and the velocity of its point at the world's "
        "origin"
    )

    def reference(E, phi):
        """Angular velocity in the world, and the velocity of the point of the body at the world's origin."""
        here = np.linalg.inv(E) @ np.array([0, 0, 0, 1.0])
        rate = derivative(motion(E, phi)).value
        spin = rate[:3, :3] @ E[:3, :3].T
        return np.concatenate([[spin[2, 1], spin[0, 2], spin[1, 0]], (rate @ here)[:3]])

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.Ad",)
    chapter = "frames-and-twists"


@claim("sueda/s1.5/e1.16", "Rate of the adjoint by the product rule")
class e1_16:
    formula = (
        r"\dot{\mathrm{Ad}} = \begin{pmatrix} \dot R & 0 \\"
        r" [\dot{\mathbf p}]R + [\mathbf p]\dot R & \dot R \end{pmatrix}"
    )
    inputs = MOVING
    result = ADJOINT / TIME

    def printed(E, phi):
        rate = derivative(motion(E, phi)).value
        R, p, Rdot, pdot = E[:3, :3], E[:3, 3], rate[:3, :3], rate[:3, 3]
        zero = np.zeros((3, 3))
        return np.block([[Rdot, zero], [bracket(pdot) @ R + bracket(p) @ Rdot, Rdot]])

    library = adjoint_rate_library
    oracle = "differences of conjugations along a motion with this twist"
    reference = adjoint_rate_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.Ad_dot",)
    chapter = "frames-and-twists"


@claim("sueda/s1.5/t270", "The origin of a frame moves in the world with R v, not with v")
class t270:
    formula = r"[\dot{\mathbf p}] = [R\mathbf v]"
    inputs = MOVING
    result = VELOCITY

    def printed(E, phi):
        return E[:3, :3] @ phi[3:]

    def library(E, phi):
        return se3.point_velocity(E, np.zeros(3), phi)

    oracle = "differences of the origin's position along a motion with this twist"

    def reference(E, phi):
        return derivative(motion(E, phi)).value[:3, 3]

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.point_velocity",)
    chapter = "frames-and-twists"


@claim("sueda/s1.5/e1.18", "Rate of the adjoint from the body's twist")
class e1_18:
    formula = (
        r"\dot{\mathrm{Ad}} = \begin{pmatrix} R[\omega] & 0 \\"
        r" R[\mathbf v] + [\mathbf p]R[\omega] & R[\omega] \end{pmatrix}"
    )
    inputs = MOVING
    result = ADJOINT / TIME

    def printed(E, phi):
        R, p, w, v = E[:3, :3], E[:3, 3], bracket(phi[:3]), bracket(phi[3:])
        zero = np.zeros((3, 3))
        return np.block([[R @ w, zero], [R @ v + bracket(p) @ R @ w, R @ w]])

    library = adjoint_rate_library
    oracle = "differences of conjugations along a motion with this twist"
    reference = adjoint_rate_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.Ad_dot",)
    chapter = "frames-and-twists"


@claim("sueda/s1.5/e1.19#a", "The rate of the adjoint factors into Ad and ad")
class e1_19_a:
    formula = (
        r"\dot{\mathrm{Ad}}(E,\phi) = \mathrm{Ad}(E)\,\mathrm{ad}(\phi),\quad \mathrm{ad}(\phi) "
        r"= \begin{pmatrix} [\omega] & 0 \\ [\mathbf v] & [\omega] \end{pmatrix}"
    )
    inputs = MOVING
    result = ADJOINT / TIME

    def printed(E, phi):
        return adjoint_printed(E) @ bracket_printed(phi)

    library = adjoint_rate_library
    oracle = "differences of conjugations along a motion with this twist"
    reference = adjoint_rate_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.Ad_dot",)
    chapter = "frames-and-twists"


@claim("sueda/s1.5/t284", "The spatial cross product is what the adjoint's rate is to the adjoint")
class t284:
    formula = r"\mathrm{ad} = \mathrm{Ad}^{-1}\dot{\mathrm{Ad}}"
    inputs = MOVING
    result = ADJOINT / TIME

    def printed(E, phi):
        return np.linalg.inv(adjoint_printed(E)) @ adjoint_rate_reference(E, phi)

    def library(E, phi):
        return se3.ad(phi)

    oracle = "commutators of the 4 x 4 twist matrices, one unit twist after the other"

    def reference(E, phi):
        return np.stack([commutator(phi, unit) for unit in np.eye(6)], axis=-1)

    exact = "commutators with unit twists only place entries"
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.ad",)
    chapter = "frames-and-twists"


@claim("sueda/s1.5/e1.20", "The rate of the adjoint as a difference along the twist")
class e1_20:
    formula = (
        r"\dot{\mathrm{Ad}} \approx \frac{\mathrm{Ad}(t+h) - \mathrm{Ad}(t)}{h},\quad \mathrm{Ad}(t+h) "
        r"= \mathrm{Ad}(E(t)\exp(h\phi(t)))"
    )
    inputs = MOVING
    result = ADJOINT / TIME

    def printed(E, phi):
        moved = E @ expm(STEP * twist_matrix(phi))
        return (adjoint_by_conjugation(moved) - adjoint_by_conjugation(E)) / STEP

    def library(E, phi):
        return (se3.Ad(E @ se3.exp(STEP * phi)) - se3.Ad(E)) / STEP

    oracle = "high-order differences of conjugations along a motion with this twist"
    reference = adjoint_rate_reference
    tolerance = 2e-05
    tolerance_reason = (
        "a one-sided difference with a step of 1e-7 leaves half the step times the second derivative"
    )
    verdict = Verdict.HOLDS
    remark = (
        r"Of first order in $h$: checked at $h = 10^{-7}$. Read $\exp(h[\phi])$ with the bracket of "
        r"(1.10)."
    )
    implemented_by = (
        "rbnotes.se3.Ad",
        "rbnotes.se3.exp",
    )
    chapter = "frames-and-twists"


@claim("sueda/s1.5/t290", "The step of the difference that verifies it")
class t290:
    formula = r"\text{`we can verify}\ \dot{\mathrm{Ad}}\ \text{as above using}\ h = 10^{-8}\text{'}"
    inputs = MOVING
    result = ADJOINT / TIME

    def printed(E, phi):
        h = 1e-8
        moved = E @ expm(h * twist_matrix(phi))
        return (adjoint_by_conjugation(moved) - adjoint_by_conjugation(E)) / h

    def library(E, phi):
        h = 1e-8
        return (se3.Ad(E @ se3.exp(h * phi)) - se3.Ad(E)) / h

    oracle = "high-order differences of conjugations along a motion with this twist"
    reference = adjoint_rate_reference
    tolerance = 2e-06
    tolerance_reason = (
        "half the step times the second derivative, and twice the rounding of numbers about 1 over the step"
    )
    verdict = Verdict.HOLDS
    remark = (
        r"A good choice for a one-sided difference: about the root of the rounding, where the error of the "
        r"difference and that of rounding are alike."
    )
    implemented_by = ("rbnotes.se3.Ad", "rbnotes.se3.exp")
    chapter = "frames-and-twists"
