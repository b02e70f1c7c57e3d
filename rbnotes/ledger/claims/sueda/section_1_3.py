"""Sueda 1.3: logarithms and exponentials, and its two MATLAB transcripts."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import expm, logm
from scipy.spatial.transform import Rotation

from rbnotes import se3, so3
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.twists import twist_matrix
from rbnotes.ledger.quantities import NUMBER, POSE, POSE_RATE, SCREW
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import derivative
from rbnotes.testing.strategies import (
    frames,
    numbers,
    rotation_vectors,
    twists,
    unit_vectors,
    vectors,
)

ANY_TURN = {"w": vectors(3, -4, 4)}
BELOW_PI = {"w": st.builds(np.multiply, unit_vectors(), numbers(0, 3))}
ANY_TWIST = {"phi": st.builds(lambda w, v: np.append(w, v), vectors(3, -4, 4), vectors())}
TWIST_BELOW_PI = {
    "phi": st.builds(
        lambda w, v: np.append(w, v),
        rotation_vectors().filter(lambda w: bool(np.linalg.norm(w) <= 3)),
        vectors(),
    )
}
MOVING = {"E": frames(), "phi": twists()}


def log_rotation_reference(w):
    """What the angular velocity does to the axes, by cross products."""
    return np.stack([np.cross(w, axis) for axis in np.eye(3)], axis=-1)


def below_half_a_turn(velocity):
    """Of an angular velocity, or of a twist."""
    return np.linalg.norm(velocity[:3]) < np.pi


def exp_frame_reference(phi):
    """Unit time with the twist phi: the rotation from scipy, the way of the origin by Gauss quadrature of R v."""
    w, v = phi[:3], phi[3:]
    nodes, weights = np.polynomial.legendre.leggauss(24)
    along = Rotation.from_rotvec(np.outer((nodes + 1) / 2, w)).apply(v)
    E = np.eye(4)
    E[:3, :3], E[:3, 3] = Rotation.from_rotvec(w).as_matrix(), weights @ along / 2
    return E


def log_frame_printed(phi):
    return np.real(logm(exp_frame_reference(phi)))


def log_frame_reference(phi):
    """What the twist does to the axes, by cross products, and to the origin."""
    columns = np.column_stack([log_rotation_reference(phi[:3]), phi[3:]])
    return np.concatenate([columns, np.zeros((1, 4))])


STEP = 1e-7


# Printed to four digits, computed from numbers printed to four digits: half a unit each, and a little more for
# what the product of the latter adds up.


@claim("sueda/s1.3/e1.10#a", "The exponential of an angular velocity is the rotation after unit time")
class e1_10_a:
    formula = r"R = \exp([\omega])"
    inputs = ANY_TURN
    quantities = {"w": NUMBER}
    result = NUMBER

    def printed(w):
        return expm(bracket(w))

    def library(w):
        return so3.exp(w)

    oracle = "scipy's rotation of the rotation vector"

    def reference(w):
        return Rotation.from_rotvec(w).as_matrix()

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.so3.exp",)
    chapter = "rotations"


@claim(
    "sueda/s1.3/e1.10#b", "The logarithm of a rotation is the angular velocity that reaches it in unit time"
)
class e1_10_b:
    formula = r"R = \exp([\omega]) \;\Rightarrow\; [\omega] = \log(R)"
    inputs = ANY_TURN
    quantities = {"w": NUMBER}
    result = NUMBER

    def printed(w):
        return so3.hat(so3.log(expm(bracket(w))))

    oracle = "the angular velocity that the rotation was made from"
    reference = log_rotation_reference
    verdict = Verdict.CONDITIONAL
    given = BELOW_PI
    holds_when = below_half_a_turn
    condition = r"$\lvert\omega\rvert < \pi$"
    remark = "A rotation does not know how many turns it took: the logarithm returns the shortest one."
    implemented_by = ("rbnotes.so3.log",)
    chapter = "rotations"


@claim("sueda/s1.3/e1.10#c", "The exponential of a twist is the pose after unit time")
class e1_10_c:
    formula = r"E = \exp([\phi])"
    inputs = ANY_TWIST
    quantities = {"phi": SCREW}
    result = POSE

    def printed(phi):
        return expm(twist_matrix(phi))

    def library(phi):
        return se3.exp(phi)

    oracle = "quadrature of the velocity of the origin along scipy's rotation"
    reference = exp_frame_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.exp",)
    chapter = "frames-and-twists"


@claim("sueda/s1.3/e1.10#d", "The logarithm of a pose is the twist that reaches it in unit time")
class e1_10_d:
    formula = r"E = \exp([\phi]) \;\Rightarrow\; [\phi] = \log(E)"
    inputs = ANY_TWIST
    quantities = {"phi": SCREW}
    result = POSE

    def printed(phi):
        return se3.hat(se3.log(exp_frame_reference(phi)))

    oracle = "the twist that the pose was made from, by quadrature"
    reference = log_frame_reference
    tolerance = 1e-08
    verdict = Verdict.CONDITIONAL
    given = TWIST_BELOW_PI
    holds_when = below_half_a_turn
    condition = r"$\lvert\omega\rvert < \pi$"
    implemented_by = ("rbnotes.se3.log",)
    chapter = "frames-and-twists"


@claim("sueda/s1.3/e1.10#e", "Below half a turn, the logarithm of a rotation inverts the exponential")
class e1_10_e:
    formula = r"\lvert\omega\rvert < \pi:\quad [\omega] = \log(\exp([\omega]))"
    inputs = BELOW_PI
    quantities = {"w": NUMBER}
    result = NUMBER

    def printed(w):
        return np.real(logm(expm(bracket(w))))

    def library(w):
        return so3.hat(so3.log(Rotation.from_rotvec(w).as_matrix()))

    oracle = "the angular velocity that the rotation was made from"
    reference = log_rotation_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.so3.log",)
    chapter = "rotations"


@claim("sueda/s1.3/e1.10#f", "Below half a turn, the logarithm of a pose inverts the exponential")
class e1_10_f:
    formula = r"\lvert\omega\rvert < \pi:\quad [\phi] = \log(\exp([\phi]))"
    inputs = TWIST_BELOW_PI
    quantities = {"phi": SCREW}
    result = POSE
    printed = log_frame_printed

    def library(phi):
        return se3.hat(se3.log(exp_frame_reference(phi)))

    oracle = "the twist that the pose was made from, by quadrature"
    reference = log_frame_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.log",)
    chapter = "frames-and-twists"


@claim("sueda/s1.3/e1.11", "The rate of a pose as a difference along its twist")
class e1_11:
    formula = (
        r"\dot E \approx \frac{E(t+\Delta t) - E(t)}{\Delta t},\quad E(t+\Delta t) "
        r"= E(t)\exp(\Delta t\,\phi(t))"
    )
    inputs = MOVING
    result = POSE_RATE

    def printed(E, phi):
        moved = E @ expm(STEP * twist_matrix(phi))
        return (moved - E) / STEP

    def library(E, phi):
        return (E @ se3.exp(STEP * phi) - E) / STEP

    oracle = (
        "high-order differences along a body that turns about a fixed axis while its origin flies straight"
    )

    def reference(E, phi):
        return derivative(motion(E, phi)).value

    tolerance = 1e-05
    tolerance_reason = (
        "a one-sided difference with a step of 1e-7 leaves half the step times the second derivative"
    )
    verdict = Verdict.HOLDS
    remark = (
        r"Of first order in $\Delta t$: checked at $\Delta t = 10^{-7}$. Read $\exp(\Delta t\,[\phi])$ "
        r"with the bracket of (1.10)."
    )
    implemented_by = ("rbnotes.se3.exp",)
    chapter = "frames-and-twists"
