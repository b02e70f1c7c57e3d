"""Sueda 1.3: logarithms and exponentials, and its two MATLAB transcripts."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import expm, logm
from scipy.spatial.transform import Rotation

from rbnotes import se3, so3
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.twists import twist_matrix
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import NUMBER, POSE, POSE_RATE, SCREW, TWIST
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import derivative
from rbnotes.testing.strategies import (
    frames,
    nonsingular_rotation_vectors,
    numbers,
    rotation_vectors,
    twists,
    unit_vectors,
    vectors,
)

section = Section(
    "sueda/s1.3",
    chapter="frames-and-twists",
    page_2019=Page(2, last=4),
    page_2021=Page(4, last=6),
    arguments={
        "w": Argument(NUMBER, "the same in the world and in the rotated frame"),
        "phi": Argument(SCREW, "in the frame of the body"),
        "E": Argument(POSE, "of the body in the world"),
    },
)


ANY_ROTATION = {"w": vectors(3, -4, 4)}
BELOW_PI = {"w": st.builds(np.multiply, unit_vectors(), numbers(0, 3))}
ANY_TWIST = {"phi": st.builds(lambda w, v: np.append(w, v), vectors(3, -4, 4), vectors())}
TWIST_BELOW_PI = {
    "phi": st.builds(
        lambda w, v: np.append(w, v),
        nonsingular_rotation_vectors(rotation_vectors(), 0.0, 3.0),
        vectors(),
    )
}
MOTION = {"E": frames(), "phi": twists()}


def log_rotation_reference(w):
    """Check that the logarithm returns the angular velocity from which the rotation was made.

    The columns of its bracket are cross products with the axes.
    """
    return np.stack([np.cross(w, axis) for axis in np.eye(3)], axis=-1)


def is_below_half_turn(velocity):
    """Return True if an angular velocity, or that of a twist, is below half a turn per unit of time."""
    return np.linalg.norm(velocity[:3]) < np.pi


def exp_frame_reference(phi):
    """Compare with scipy's rotation and Gauss quadrature of the origin's velocity, for unit time."""
    w, v = phi[:3], phi[3:]
    nodes, weights = np.polynomial.legendre.leggauss(24)
    velocities = Rotation.from_rotvec(np.outer((nodes + 1) / 2, w)).apply(v)
    E = np.eye(4)
    E[:3, :3], E[:3, 3] = Rotation.from_rotvec(w).as_matrix(), weights @ velocities / 2
    return E


def log_frame_printed(phi):
    return np.real(logm(expm(twist_matrix(phi))))


def log_frame_reference(phi):
    """Check that the logarithm returns the twist from which the pose was made.

    The rotational columns are cross products with the axes.
    """
    columns = np.column_stack([log_rotation_reference(phi[:3]), phi[3:]])
    return np.concatenate([columns, np.zeros((1, 4))])


STEP = 1e-7


@section.holds(
    "e1.10#a", "The exponential of an angular velocity is the rotation after unit time", chapter="rotations"
)
class e1_10_a:
    formula = r"R = \exp([\omega])"
    inputs = ANY_ROTATION
    result = Result(NUMBER, "from coordinates of the rotated frame to those of the world")

    def printed(w):
        return expm(bracket(w))

    def library(w):
        return so3.exp(w)

    def reference(w):
        """Compare with scipy's rotation of the rotation vector."""
        return Rotation.from_rotvec(w).as_matrix()

    implements = so3.exp


@section.conditional(
    "e1.10#b",
    "The logarithm of a rotation is the angular velocity that reaches it in unit time",
    chapter="rotations",
)
class e1_10_b:
    page_2019 = Page(3)
    page_2021 = Page(4)
    formula = r"R = \exp([\omega]) \;\Rightarrow\; [\omega] = \log(R)"
    inputs = ANY_ROTATION
    result = Result(NUMBER, "the same in the world and in the rotated frame")

    def printed(w):
        return so3.hat(so3.log(expm(bracket(w))))

    reference = log_rotation_reference
    condition_inputs = BELOW_PI
    holds_when = is_below_half_turn
    condition = r"$\lvert\omega\rvert < \pi$"
    remark = (
        "A rotation matrix does not determine the number of full turns; the logarithm returns the "
        "shortest rotation."
    )
    implements = so3.log


@section.holds("e1.10#c", "The exponential of a twist is the pose after unit time")
class e1_10_c:
    formula = r"E = \exp([\phi])"
    inputs = ANY_TWIST
    result = Result(POSE, "of the displaced frame in the initial frame")

    def printed(phi):
        return expm(twist_matrix(phi))

    def library(phi):
        return se3.exp(phi)

    reference = exp_frame_reference
    implements = se3.exp


@section.conditional("e1.10#d", "The logarithm of a pose is the twist that reaches it in unit time")
class e1_10_d:
    page_2019 = Page(3)
    page_2021 = Page(4)
    formula = r"E = \exp([\phi]) \;\Rightarrow\; [\phi] = \log(E)"
    inputs = ANY_TWIST
    result = Result(POSE, "matrix of a twist in the frame of the body")

    def printed(phi):
        return se3.hat(se3.log(expm(twist_matrix(phi))))

    reference = log_frame_reference
    tolerance = 1e-08
    condition_inputs = TWIST_BELOW_PI
    holds_when = is_below_half_turn
    condition = r"$\lvert\omega\rvert < \pi$"
    implements = se3.log


@section.holds(
    "e1.10#e", "Below half a turn, the logarithm of a rotation inverts the exponential", chapter="rotations"
)
class e1_10_e:
    formula = r"\lvert\omega\rvert < \pi:\quad [\omega] = \log(\exp([\omega]))"
    inputs = BELOW_PI
    result = Result(NUMBER, "the same in the world and in the rotated frame")

    def printed(w):
        return np.real(logm(expm(bracket(w))))

    def library(w):
        return so3.hat(so3.log(Rotation.from_rotvec(w).as_matrix()))

    reference = log_rotation_reference
    implements = so3.log


@section.holds("e1.10#f", "Below half a turn, the logarithm of a pose inverts the exponential")
class e1_10_f:
    formula = r"\lvert\omega\rvert < \pi:\quad [\phi] = \log(\exp([\phi]))"
    inputs = TWIST_BELOW_PI
    result = Result(POSE, "matrix of a twist in the frame of the body")
    printed = log_frame_printed

    def library(phi):
        return se3.hat(se3.log(expm(twist_matrix(phi))))

    reference = log_frame_reference
    tolerance = 1e-08
    implements = se3.log


@section.holds("e1.11", "The rate of a pose as a difference along its twist")
class e1_11:
    formula = r"\dot E \approx \frac{E(t+\Delta t) - E(t)}{\Delta t},\quad E(t+\Delta t) = E(t)\exp(\Delta t\,\phi(t))"
    inputs = MOTION
    arguments = {"phi": Argument(TWIST, "in the frame of the body")}
    result = Result(POSE_RATE, "of the body in the world")

    def printed(E, phi):
        next_pose = E @ expm(STEP * twist_matrix(phi))
        return (next_pose - E) / STEP

    def library(E, phi):
        return (E @ se3.exp(STEP * phi) - E) / STEP

    def reference(E, phi):
        """Compare with high-order differences along a motion with a fixed axis and a constant velocity of the origin."""
        return derivative(motion(E, phi)).value

    tolerance = 1e-05
    tolerance_reason = (
        "a one-sided difference with a step of 1e-7 has an error of half the step times the second derivative"
    )
    remark = (
        r"The difference is of first order in $\Delta t$; it is checked at $\Delta t = 10^{-7}$. Read "
        r"$\exp(\Delta t\,[\phi])$, with the bracket of (1.10)."
    )
    implements = se3.exp


# ------------------------------------------------------------------------------------------------------------
# The Lie algebra of the rotations.


@section.holds("t71", "The matrix of an angular velocity is skew-symmetric", chapter="rotations")
class t71:
    formula = r"\omega\in so(3)\ \text{`can also be expressed as'}\ [\omega] = -[\omega]^T"
    inputs = {"w": vectors()}
    result = Result(NUMBER, "the same in the world and in the rotated frame")

    def printed(w):
        return -bracket(w).T

    def library(w):
        return -so3.hat(w).T

    def reference(w):
        """Compare with the velocities of the axes, column by column."""
        return np.stack([np.cross(w, axis) for axis in np.eye(3)], axis=-1)

    exact = "entries are copied, and products with unit vectors are exact"
    implements = so3.hat


# ------------------------------------------------------------------------------------------------------------
# Numbers printed in the transcripts.


E_PRINTED = np.array(
    [
        [-0.7372, -0.2659, 0.6211, 0.6877],
        [-0.1676, -0.8186, -0.5493, 0.3886],
        [0.6545, -0.5091, 0.5589, 0.9371],
        [0, 0, 0, 1.0],
    ]
)


LOG_PRINTED = np.array(
    [
        [0, -2.7242, -0.9257, 1.3245],
        [2.7242, 0, -1.1157, -0.6727],
        [0.9257, 1.1157, 0, 0.3156],
        [0, 0, 0, 0],
    ]
)


def first_pose_reference():
    """Compare with scipy's matrix exponential of the printed logarithm."""
    return expm(LOG_PRINTED)


def first_pose_library():
    return se3.exp(se3.vee(LOG_PRINTED))


def nearest_pose():
    """Return the rotation nearest to the printed matrix, which has four digits, with the printed origin."""
    U, _, Vt = np.linalg.svd(E_PRINTED[:3, :3])
    E = E_PRINTED.copy()
    E[:3, :3] = U @ Vt
    return E


INITIAL_POSE_PRINTED = np.array(
    [
        [-0.9227, -0.3845, -0.0274, -0.5020],
        [0.2865, -0.6364, -0.7162, 0.4564],
        [0.2579, -0.6687, 0.6973, -1.5617],
        [0, 0, 0, 1.0],
    ]
)


TWIST_PRINTED = np.array([-0.1285, 1.2666, 0.8058, -0.6903, -0.5538, -0.1246])


RATE_PRINTED = np.array(
    [
        [-0.2751, 0.7470, -1.2181, 0.8533],
        [0.3944, -0.1388, 0.2811, 0.2439],
        [-1.4221, -0.2974, 0.2408, 0.1054],
        [0, 0, 0, 0],
    ]
)


MATLAB_STEP = 1e-8


def second_pose_reference():
    """Compare with scipy's matrix exponential of the printed twist, from the printed pose."""
    return INITIAL_POSE_PRINTED @ expm(MATLAB_STEP * twist_matrix(TWIST_PRINTED))


def second_pose_library():
    return INITIAL_POSE_PRINTED @ se3.exp(MATLAB_STEP * TWIST_PRINTED)


def rate_printed():
    return RATE_PRINTED


@section.demonstration("m1#a", "Transcript: the pose E, from its printed logarithm")
class m1_a:
    result = Result(POSE, "of the displaced frame in the initial frame")

    def printed():
        return E_PRINTED

    library = first_pose_library
    reference = first_pose_reference
    tolerance = 8e-04
    tolerance_reason = "computed from a logarithm of which four digits are printed"
    remark = "The transcript prints the same numbers for expm and for se3.exp."
    implements = se3.exp


@section.demonstration("m1#b", "Transcript: the logarithm of E, by logm and by se3.log")
class m1_b:
    result = Result(POSE, "matrix of a twist in the frame of the body")

    def printed():
        return LOG_PRINTED

    def library():
        return se3.hat(se3.log(nearest_pose()))

    def reference():
        """Compare with scipy's matrix logarithm of the printed pose."""
        return np.real(logm(nearest_pose()))

    tolerance = 8e-04
    tolerance_reason = "computed from a pose of which four digits are printed"
    primitives = ("rbnotes.ledger.claims.sueda.section_1_3.nearest_pose",)
    implements = se3.log


@section.misprint("m1#c", "Transcript: the comment on se3.exp calls it a logarithm")
class m1_c:
    page_2019 = Page(3)
    page_2021 = Page(5)
    formula = r"\texttt{se3.exp(phibrac)  \% SE(3) matrix logarithm}"
    edit = ("logarithm", "exponential")
    result = Result(POSE, "of the displaced frame in the initial frame")

    def printed():
        return np.real(logm(expm(LOG_PRINTED)))

    library = first_pose_library
    reference = first_pose_reference
    correction = "SE(3) matrix exponential, as the printed numbers show"
    implements = se3.exp


@section.demonstration("m2#a", "Transcript: a step of 1e-8 does not change a printed digit of E")
class m2_a:
    result = Result(POSE_RATE, "of the body in the world")

    def printed():
        return INITIAL_POSE_PRINTED

    library = second_pose_library
    reference = second_pose_reference
    tolerance = 5e-05
    tolerance_reason = "four digits are printed"
    implements = se3.exp


@section.demonstration("m2#b", "Transcript: the rate of E as a difference")
class m2_b:
    result = Result(POSE_RATE, "of the body in the world")
    printed = rate_printed

    def library():
        return (second_pose_library() - INITIAL_POSE_PRINTED) / MATLAB_STEP

    def reference():
        """Compare with the difference itself, from the printed pose and twist."""
        return (second_pose_reference() - INITIAL_POSE_PRINTED) / MATLAB_STEP

    tolerance = 8e-04
    tolerance_reason = "computed from a pose and a twist of which four digits are printed"
    implements = se3.exp


@section.demonstration("m2#c", "Transcript: the rate of E, analytically")
class m2_c:
    result = Result(POSE_RATE, "of the body in the world")
    printed = rate_printed

    def library():
        return INITIAL_POSE_PRINTED @ se3.hat(TWIST_PRINTED)

    def reference():
        """Compare with cross products of the printed twist with the printed axes."""
        R = INITIAL_POSE_PRINTED[:3, :3]
        axis_rates = [R @ np.cross(TWIST_PRINTED[:3], axis) for axis in np.eye(3)]
        rate = np.zeros((4, 4))
        rate[:3] = np.stack([*axis_rates, R @ TWIST_PRINTED[3:]], axis=-1)
        return rate

    tolerance = 8e-04
    tolerance_reason = "computed from a pose and a twist of which four digits are printed"
    implements = se3.hat
