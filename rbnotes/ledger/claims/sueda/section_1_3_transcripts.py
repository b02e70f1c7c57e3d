"""Sueda 1.3: what the transcripts print."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm, logm

from rbnotes import se3
from rbnotes.ledger.oracles.twists import twist_matrix
from rbnotes.ledger.quantities import POSE, POSE_RATE
from rbnotes.ledger.record import Verdict, claim

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
    return expm(LOG_PRINTED)


def first_pose_library():
    return se3.exp(se3.vee(LOG_PRINTED))


def nearest_pose():
    """The printed matrix is a rotation to four digits only: the nearest rotation, with the printed origin."""
    U, _, Vt = np.linalg.svd(E_PRINTED[:3, :3])
    E = E_PRINTED.copy()
    E[:3, :3] = U @ Vt
    return E


START_PRINTED = np.array(
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
    return START_PRINTED @ expm(MATLAB_STEP * twist_matrix(TWIST_PRINTED))


def second_pose_library():
    return START_PRINTED @ se3.exp(MATLAB_STEP * TWIST_PRINTED)


def rate_printed():
    return RATE_PRINTED


@claim("sueda/s1.3/m1#a", "Transcript: the pose E, from its printed logarithm")
class m1_a:
    result = POSE

    def printed():
        return E_PRINTED

    library = first_pose_library
    oracle = "scipy's matrix exponential of the printed logarithm"
    reference = first_pose_reference
    tolerance = 8e-04
    tolerance_reason = "computed from a logarithm of which four digits are printed"
    verdict = Verdict.DEMONSTRATION
    remark = "Also what the transcript prints for expm and for se3.exp."
    implemented_by = ("rbnotes.se3.exp",)
    chapter = "frames-and-twists"


@claim("sueda/s1.3/m1#b", "Transcript: the logarithm of E, by logm and by se3.log")
class m1_b:
    result = POSE

    def printed():
        return LOG_PRINTED

    def library():
        return se3.hat(se3.log(nearest_pose()))

    oracle = "scipy's matrix logarithm of the printed pose"

    def reference():
        return np.real(logm(nearest_pose()))

    tolerance = 8e-04
    tolerance_reason = "computed from a pose of which four digits are printed"
    primitives = ("rbnotes.ledger.claims.sueda.section_1_3_transcripts.nearest_pose",)
    verdict = Verdict.DEMONSTRATION
    implemented_by = ("rbnotes.se3.log",)
    chapter = "frames-and-twists"


@claim("sueda/s1.3/m1#c", "Transcript: the comment on se3.exp calls it a logarithm")
class m1_c:
    formula = r"\texttt{se3.exp(phibrac)  \% SE(3) matrix logarithm}"
    result = POSE

    def printed():
        return np.real(logm(expm(LOG_PRINTED)))

    library = first_pose_library
    oracle = "scipy's matrix exponential of the printed logarithm"
    reference = first_pose_reference
    verdict = Verdict.MISPRINT
    correction = "SE(3) matrix exponential, as the printed numbers are"
    implemented_by = ("rbnotes.se3.exp",)
    chapter = "frames-and-twists"


@claim("sueda/s1.3/m2#a", "Transcript: a step of 1e-8 does not change a printed digit of E")
class m2_a:
    result = POSE_RATE

    def printed():
        return START_PRINTED

    library = second_pose_library
    oracle = "scipy's matrix exponential of the printed twist, from the printed pose"
    reference = second_pose_reference
    tolerance = 5e-05
    verdict = Verdict.DEMONSTRATION
    implemented_by = ("rbnotes.se3.exp",)
    chapter = "frames-and-twists"


@claim("sueda/s1.3/m2#b", "Transcript: the rate of E as a difference")
class m2_b:
    result = POSE_RATE
    printed = rate_printed

    def library():
        return (second_pose_library() - START_PRINTED) / MATLAB_STEP

    oracle = "the difference itself, from the printed pose and twist"

    def reference():
        return (second_pose_reference() - START_PRINTED) / MATLAB_STEP

    tolerance = 8e-04
    tolerance_reason = "computed from a pose and a twist of which four digits are printed"
    verdict = Verdict.DEMONSTRATION
    implemented_by = ("rbnotes.se3.exp",)
    chapter = "frames-and-twists"


@claim("sueda/s1.3/m2#c", "Transcript: the rate of E, analytically")
class m2_c:
    result = POSE_RATE
    printed = rate_printed

    def library():
        return START_PRINTED @ se3.hat(TWIST_PRINTED)

    oracle = "cross products of the printed twist with the printed axes"

    def reference():
        """The columns of the pose turn and fly with the twist, by cross products in the body frame."""
        R = START_PRINTED[:3, :3]
        turned = [R @ np.cross(TWIST_PRINTED[:3], axis) for axis in np.eye(3)]
        rate = np.zeros((4, 4))
        rate[:3] = np.stack([*turned, R @ TWIST_PRINTED[3:]], axis=-1)
        return rate

    tolerance = 8e-04
    tolerance_reason = "computed from a pose and a twist of which four digits are printed"
    verdict = Verdict.DEMONSTRATION
    implemented_by = ("rbnotes.se3.hat",)
    chapter = "frames-and-twists"
