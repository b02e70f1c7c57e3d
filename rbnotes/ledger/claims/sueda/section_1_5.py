"""Sueda 1.5: the adjoint."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from rbnotes import se3, so3
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, commutator, twist_matrix
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import ADJOINT, LENGTH, NUMBER, POSE, TIME, TWIST, VELOCITY
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import derivative
from rbnotes.testing.strategies import frames, rotations, twists, vectors

ADJOINT_TO_WORLD = "of the adjoint that takes twists of the body to the world"

section = Section(
    "sueda/s1.5",
    chapter="frames-and-twists",
    page_2019=Page(5, last=6),
    page_2021=Page(7, last=9),
    arguments={
        "E": Argument(POSE, "of the body in the world"),
        "phi": Argument(TWIST, "in the frame of the body"),
        "R": Argument(NUMBER, "of the body in the world"),
        "v": Argument(VELOCITY, "in the frame that R maps to the world"),
        "x": Argument(LENGTH, "in the frame that R maps to the world"),
        "a": Argument(TWIST, "of two motions, in one frame"),
        "b": Argument(TWIST, "of two motions, in one frame"),
    },
)


MOTION = {"E": frames(), "phi": twists()}


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


@section.holds("e1.14", "The adjoint of a pose")
class e1_14:
    formula = r"{}^0_i\mathrm{Ad} = \begin{pmatrix} {}^0_iR & 0 \\ [{}^0_i\mathbf p]\,{}^0_iR & {}^0_iR \end{pmatrix}"
    inputs = {"E": frames()}
    result = Result(ADJOINT, "takes twists of the body to the world")
    printed = adjoint_printed

    def library(E):
        return se3.Ad(E)

    oracle = (
        "Compare with the conjugation of 4 x 4 twist matrices with the pose, one unit twist after the other."
    )
    reference = adjoint_by_conjugation
    implements = se3.Ad


@section.holds("e1.15", "The adjoint takes a body's twist to world coordinates")
class e1_15:
    formula = r"{}^0\phi_i = {}^0_i\mathrm{Ad}\,{}^i\phi_i"
    inputs = MOTION
    result = Result(TWIST, "in the world, about its origin")

    def printed(E, phi):
        return adjoint_printed(E) @ phi

    def library(E, phi):
        return se3.Ad(E) @ phi

    def reference(E, phi):
        """Compare with differences along a motion: the angular velocity, and the velocity of the body point at the world's origin."""
        origin_in_body = np.linalg.inv(E) @ np.array([0, 0, 0, 1.0])
        rate = derivative(motion(E, phi)).value
        spin = rate[:3, :3] @ E[:3, :3].T
        return np.concatenate([[spin[2, 1], spin[0, 2], spin[1, 0]], (rate @ origin_in_body)[:3]])

    implements = se3.Ad


@section.holds("e1.16", "Rate of the adjoint by the product rule")
class e1_16:
    formula = r"\dot{\mathrm{Ad}} = \begin{pmatrix} \dot R & 0 \\ [\dot{\mathbf p}]R + [\mathbf p]\dot R & \dot R \end{pmatrix}"
    inputs = MOTION
    result = Result(ADJOINT / TIME, ADJOINT_TO_WORLD)

    def printed(E, phi):
        rate = derivative(motion(E, phi)).value
        R, p, Rdot, pdot = E[:3, :3], E[:3, 3], rate[:3, :3], rate[:3, 3]
        zero = np.zeros((3, 3))
        return np.block([[Rdot, zero], [bracket(pdot) @ R + bracket(p) @ Rdot, Rdot]])

    library = adjoint_rate_library
    oracle = "Compare with differences of conjugations along a motion with this twist."
    reference = adjoint_rate_reference
    implements = se3.Ad_dot


@section.holds("t270", "The origin of a frame moves in the world with R v, not with v")
class t270:
    formula = r"[\dot{\mathbf p}] = [R\mathbf v]"
    inputs = MOTION
    result = Result(VELOCITY, "along the axes of the world")

    def printed(E, phi):
        return E[:3, :3] @ phi[3:]

    def library(E, phi):
        return se3.point_velocity(E, np.zeros(3), phi)

    def reference(E, phi):
        """Compare with differences of the origin's position along a motion with this twist."""
        return derivative(motion(E, phi)).value[:3, 3]

    implements = se3.point_velocity


@section.holds("e1.18", "Rate of the adjoint from the body's twist")
class e1_18:
    formula = r"\dot{\mathrm{Ad}} = \begin{pmatrix} R[\omega] & 0 \\ R[\mathbf v] + [\mathbf p]R[\omega] & R[\omega] \end{pmatrix}"
    rests_on = ("sueda/s1.5/e1.16", "sueda/s1.5/e1.17")
    inputs = MOTION
    result = Result(ADJOINT / TIME, ADJOINT_TO_WORLD)

    def printed(E, phi):
        R, p, w, v = E[:3, :3], E[:3, 3], bracket(phi[:3]), bracket(phi[3:])
        zero = np.zeros((3, 3))
        return np.block([[R @ w, zero], [R @ v + bracket(p) @ R @ w, R @ w]])

    library = adjoint_rate_library
    oracle = "Compare with differences of conjugations along a motion with this twist."
    reference = adjoint_rate_reference
    implements = se3.Ad_dot


@section.holds("e1.19#a", "The rate of the adjoint factors into Ad and ad")
class e1_19_a:
    formula = r"\dot{\mathrm{Ad}}(E,\phi) = \mathrm{Ad}(E)\,\mathrm{ad}(\phi),\quad \mathrm{ad}(\phi) = \begin{pmatrix} [\omega] & 0 \\ [\mathbf v] & [\omega] \end{pmatrix}"
    rests_on = ("sueda/s1.5/e1.18",)
    inputs = MOTION
    result = Result(ADJOINT / TIME, ADJOINT_TO_WORLD)

    def printed(E, phi):
        return adjoint_printed(E) @ bracket_printed(phi)

    library = adjoint_rate_library
    oracle = "Compare with differences of conjugations along a motion with this twist."
    reference = adjoint_rate_reference
    implements = se3.Ad_dot


@section.holds("t284", "The spatial cross product from the adjoint and its rate")
class t284:
    formula = r"\mathrm{ad} = \mathrm{Ad}^{-1}\dot{\mathrm{Ad}}"
    inputs = MOTION
    result = Result(ADJOINT / TIME, ADJOINT_TO_WORLD)

    def printed(E, phi):
        return np.linalg.inv(adjoint_printed(E)) @ adjoint_rate_reference(E, phi)

    def library(E, phi):
        return se3.ad(phi)

    def reference(E, phi):
        """Compare with commutators of the 4 x 4 twist matrices, one unit twist after the other."""
        return np.stack([commutator(phi, unit) for unit in np.eye(6)], axis=-1)

    exact = "commutators with unit twists only copy entries"
    implements = se3.ad


@section.holds("e1.20", "Rate of the adjoint as a finite difference along the twist")
class e1_20:
    formula = r"\dot{\mathrm{Ad}} \approx \frac{\mathrm{Ad}(t+h) - \mathrm{Ad}(t)}{h},\quad \mathrm{Ad}(t+h) = \mathrm{Ad}(E(t)\exp(h\phi(t)))"
    inputs = MOTION
    result = Result(ADJOINT / TIME, ADJOINT_TO_WORLD)

    def printed(E, phi):
        next_pose = E @ expm(STEP * twist_matrix(phi))
        return (adjoint_by_conjugation(next_pose) - adjoint_by_conjugation(E)) / STEP

    def library(E, phi):
        return (se3.Ad(E @ se3.exp(STEP * phi)) - se3.Ad(E)) / STEP

    oracle = "Compare with high-order differences of conjugations along a motion with this twist."
    reference = adjoint_rate_reference
    tolerance = 2e-05
    tolerance_reason = (
        "a one-sided difference with a step of 1e-7 has an error of half the step times the second derivative"
    )
    remark = (
        r"The difference is of first order in $h$; it is checked at $h = 10^{-7}$. Read $\exp(h[\phi])$, "
        "with the bracket of (1.10)."
    )
    implements = (se3.Ad, se3.exp)


@section.holds("t290", "Step of the finite difference that verifies the rate of the adjoint")
class t290:
    formula = r"\text{`we can verify}\ \dot{\mathrm{Ad}}\ \text{as above using}\ h = \text{1e-8'}"
    inputs = MOTION
    result = Result(ADJOINT / TIME, ADJOINT_TO_WORLD)

    def printed(E, phi):
        h = 1e-8
        next_pose = E @ expm(h * twist_matrix(phi))
        return (adjoint_by_conjugation(next_pose) - adjoint_by_conjugation(E)) / h

    def library(E, phi):
        h = 1e-8
        return (se3.Ad(E @ se3.exp(h * phi)) - se3.Ad(E)) / h

    oracle = "Compare with high-order differences of conjugations along a motion with this twist."
    reference = adjoint_rate_reference
    tolerance = 2e-06
    tolerance_reason = (
        "half the step times the second derivative, plus twice the rounding of numbers near 1 over the step"
    )
    remark = (
        "This is a good step for a one-sided difference: near the square root of the machine precision, "
        "truncation and rounding errors are of equal size."
    )
    implements = (se3.Ad, se3.exp)


# ------------------------------------------------------------------------------------------------------------
# Brackets of rotated vectors and of twists.


ROTATED_VECTORS = {"R": rotations(), "v": vectors(), "x": vectors()}


def rotated_cross_reference(R, v, x):
    """Compare with the cross product of the rotated vectors."""
    return np.cross(R @ v, R @ x)


def rotated_cross_library(R, v, x):
    return so3.hat(R @ v) @ (R @ x)


def bracket_rate_library(E, phi):
    return so3.hat(se3.point_velocity(E, np.zeros(3), phi)) @ E[:3, :3]


def bracket_rate_reference(E, phi):
    """Compare with differences of the bracket of the origin's position along a motion with this twist."""
    pose = motion(E, phi)
    return derivative(lambda t: bracket(pose(t)[:3, 3])).value @ E[:3, :3]


@section.holds("e1.17#a", "Rotation of a cross product")
class e1_17_a:
    formula = r"[R\mathbf v](R\mathbf x) = R(\mathbf v\times\mathbf x)"
    inputs = ROTATED_VECTORS
    result = Result(LENGTH * VELOCITY, "along the axes of the world")

    def printed(R, v, x):
        return R @ np.cross(v, x)

    library = rotated_cross_library
    reference = rotated_cross_reference
    exact = "all forms compute the same products in the same order, and round in the same way unless the processor fuses them"
    implements = so3.hat


@section.holds("e1.17#b", "Rotation of a cross product, with the cross-product matrix")
class e1_17_b:
    formula = r"[R\mathbf v](R\mathbf x) = R[\mathbf v]\mathbf x"
    inputs = ROTATED_VECTORS
    result = Result(LENGTH * VELOCITY, "along the axes of the world")

    def printed(R, v, x):
        return R @ bracket(v) @ x

    library = rotated_cross_library
    reference = rotated_cross_reference
    exact = "all forms compute the same products in the same order, and round in the same way unless the processor fuses them"
    implements = so3.hat


@section.holds("e1.17#c", "Cross-product matrix of a rotated vector")
class e1_17_c:
    formula = r"[R\mathbf v](R\mathbf x) = (R[\mathbf v]R^T)(R\mathbf x)"
    inputs = ROTATED_VECTORS
    result = Result(LENGTH * VELOCITY, "along the axes of the world")

    def printed(R, v, x):
        return (R @ bracket(v) @ R.T) @ (R @ x)

    library = rotated_cross_library
    reference = rotated_cross_reference
    exact = "all forms compute the same products in the same order, and round in the same way unless the processor fuses them"
    implements = so3.hat


@section.holds("t276#a", "Rate of the bracket of the origin, from the rotated velocity")
class t276_a:
    formula = r"\tfrac{d}{dt}[\mathbf p]\,R = [R\mathbf v]\,R"
    inputs = MOTION
    result = Result(VELOCITY, "of the bracket of the origin, in the world")

    def printed(E, phi):
        R = E[:3, :3]
        return bracket(R @ phi[3:]) @ R

    library = bracket_rate_library
    reference = bracket_rate_reference
    implements = (so3.hat, se3.point_velocity)


@section.holds("t276#b", "Rate of the bracket of the origin, with the rotation factored out")
class t276_b:
    formula = r"\tfrac{d}{dt}[\mathbf p]\,R = R\,[\mathbf v]"
    inputs = MOTION
    result = Result(VELOCITY, "of the bracket of the origin, in the world")

    def printed(E, phi):
        return E[:3, :3] @ bracket(phi[3:])

    library = bracket_rate_library
    reference = bracket_rate_reference
    implements = (so3.hat, se3.point_velocity)


@section.holds("e1.19#b", "The spatial cross product is the Lie bracket of two twists")
class e1_19_b:
    formula = r"[\mathrm{ad}(a)\,b] = [a][b] - [b][a]"
    inputs = {"a": twists(), "b": twists()}
    result = Result(TWIST / TIME, "in the frame of a and b")

    def printed(a, b):
        return bracket_printed(a) @ b

    library = lie_bracket_library
    oracle = "Compare with the commutator of the 4 x 4 twist matrices."
    reference = commutator
    implements = se3.ad
