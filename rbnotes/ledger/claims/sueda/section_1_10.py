"""Sueda 1.10: joint constraints. The oracles move frames, or ask what forces point masses need."""

from __future__ import annotations

import numpy as np

from rbnotes import se3
from rbnotes.joints import ExponentialSpherical, Fixed, Revolute
from rbnotes.ledger.oracles.bodies import motion
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, twist_from_matrix
from rbnotes.ledger.quantities import ADJOINT, NUMBER, POSE, RATE, TWIST, VELOCITY, vector_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody import maximal
from rbnotes.testing import derivative
from rbnotes.testing.strategies import arrays, frames, twists

CHAPTER = "joints"

# Two bodies i and k, a joint frame J in the first, and their twists.
PAIR = {"Ei": frames(), "Ek": frames(), "J": frames(), "phi_i": twists(), "phi_k": twists()}
# Three bodies, and a joint frame in the first for each of the others.
STAR = {"E1": frames(), "E2": frames(), "E3": frames(), "J1": frames(), "J2": frames(), "Phi": arrays(18)}


QUANTITIES = {"J": POSE, "J1": POSE, "J2": POSE, "Phi": TWIST}


def joined(kind, Ei, Ek, J):
    """A joint of body 0 to body 1, and the poses of the two."""
    poses = np.stack([Ei, Ek])
    return maximal.joint_from_world_frame(kind, Ei @ J, poses, 0, 1), poses


def relative_twist_reference(Ei, Ek, J, phi_i, phi_k):
    """How the joint frame of i moves, seen from the frame of k that coincides with it just now."""
    moving, watching = motion(Ei, phi_i), motion(Ek, phi_k)
    in_k = np.linalg.inv(Ek) @ Ei @ J
    return twist_from_matrix(derivative(lambda t: np.linalg.inv(watching(t) @ in_k) @ moving(t) @ J).value)


def relative_twist_printed(Ei, Ek, J, phi_i, phi_k):
    from_i = adjoint_by_conjugation(np.linalg.inv(J))
    from_k = adjoint_by_conjugation(np.linalg.inv(Ei @ J) @ Ek)
    return from_i @ phi_i - from_k @ phi_k


def ball_reference(Ei, Ek, J, phi_i, phi_k):
    """The gap between two points, one of each body, that coincide just now, seen along the joint's axes."""
    moving, watching = motion(Ei, phi_i), motion(Ek, phi_k)
    at_i, at_k = J[:, 3], np.linalg.inv(Ek) @ Ei @ J[:, 3]
    gap = derivative(lambda t: moving(t) @ at_i - watching(t) @ at_k).value
    return (Ei @ J)[:3, :3].T @ gap[:3]


def hinge_reference(Ei, Ek, J, phi_i, phi_k):
    """Two axes, one of each body, that coincide just now: how they tilt apart, and the gap between points."""
    moving, watching = motion(Ei, phi_i), motion(Ek, phi_k)
    x, y, _ = J[:3, :3].T
    z_of_k = (np.linalg.inv(Ek) @ Ei @ J)[:3, 2]

    def tilt(t):
        axis = watching(t)[:3, :3] @ z_of_k
        return np.array([(moving(t)[:3, :3] @ y) @ axis, -(moving(t)[:3, :3] @ x) @ axis])

    return np.concatenate([derivative(tilt).value, ball_reference(Ei, Ek, J, phi_i, phi_k)])


def hinge_blocks(Ei, Ek, J):
    from_i = adjoint_by_conjugation(np.linalg.inv(J))
    from_k = adjoint_by_conjugation(np.linalg.inv(Ei @ J) @ Ek)
    return np.delete(from_i, 2, axis=0), np.delete(-from_k, 2, axis=0)


PIN = np.linalg.inv(np.array([[0.6, -0.8, 0, 0.5], [0.8, 0.6, 0, -0.25], [0, 0, 1, 1], [0, 0, 0, 1]]))
PLACES = np.stack([np.eye(4), np.array([[0, 0, 1, 0.5], [1, 0, 0, 1], [0, 1, 0, -0.25], [0, 0, 0, 1.0]])])


@claim("sueda/s1.10/e1.69#a", "Relative twist of two bodies in a joint frame of the first")
class e1_69_a:
    formula = r"\delta\phi_j = {}^j\mathrm{Ad}\,\phi_i - {}^j\mathrm{Ad}\,\phi_k"
    inputs = PAIR
    result = TWIST

    def printed(Ei, Ek, J, phi_i, phi_k):
        j_Ad = adjoint_by_conjugation(np.linalg.inv(J))
        return j_Ad @ phi_i - j_Ad @ phi_k

    def library(Ei, Ek, J, phi_i, phi_k):
        joint, poses = joined(Fixed(), Ei, Ek, J)
        return maximal.relative_twist(joint, poses, np.stack([phi_i, phi_k]))

    oracle = (
        "differences along the motions of two bodies, of the first one's joint frame seen from the second"
    )
    reference = relative_twist_reference
    verdict = Verdict.MISPRINT
    scan = True
    correction = (
        r"${}^j_i\mathrm{Ad}\,\phi_i - {}^j_k\mathrm{Ad}\,\phi_k$: the lower indices tell the adjoints "
        r"apart."
    )
    remark = "(2.8) has them."
    implemented_by = ("rbnotes.multibody.maximal.relative_twist",)
    chapter = CHAPTER


@claim("sueda/s1.10/e1.69#b", "The same by way of the world: three adjoints, not four")
class e1_69_b:
    formula = (
        r"\delta\phi_j = \begin{pmatrix} {}^j\mathrm{Ad} & "
        r"-{}^j\mathrm{Ad}\,{}^i\mathrm{Ad}\,{}^0\mathrm{Ad}\,{}^k\mathrm{Ad} "
        r"\end{pmatrix}\begin{pmatrix} \phi_i \\ \phi_k \end{pmatrix}"
    )
    inputs = PAIR
    result = TWIST

    def printed(Ei, Ek, J, phi_i, phi_k):
        j_Ad, i_Ad = adjoint_by_conjugation(np.linalg.inv(J)), adjoint_by_conjugation(np.linalg.inv(Ei))
        zero_Ad, k_Ad = adjoint_by_conjugation(Ek), adjoint_by_conjugation(np.linalg.inv(Ek))
        return np.hstack([j_Ad, -j_Ad @ i_Ad @ zero_Ad @ k_Ad]) @ np.concatenate([phi_i, phi_k])

    def library(Ei, Ek, J, phi_i, phi_k):
        joint, poses = joined(Fixed(), Ei, Ek, J)
        return maximal.constraint_jacobian([joint], poses).toarray() @ np.concatenate([phi_i, phi_k])

    oracle = (
        "differences along the motions of two bodies, of the first one's joint frame seen from the second"
    )
    reference = relative_twist_reference
    verdict = Verdict.MISPRINT
    scan = True
    correction = (
        r"$\begin{pmatrix} {}^j_i\mathrm{Ad} & -{}^j_i\mathrm{Ad}\,{}^i_0\mathrm{Ad}\,{}^0_k\mathrm{Ad} "
        r"\end{pmatrix}$: from $k$ to the world, to $i$, to the joint. The last ${}^k\mathrm{Ad}$ is one "
        r"too many, and (2.8) does not have it."
    )
    implemented_by = ("rbnotes.multibody.maximal.constraint_jacobian",)
    chapter = CHAPTER


@claim("sueda/s1.10/t570#a", "The adjoint the other way is the inverse")
class t570_a:
    formula = r"{}^i\mathrm{Ad} = {}^0\mathrm{Ad}^{-1}"
    inputs = {"E": frames()}
    result = ADJOINT

    def printed(E):
        return np.linalg.inv(adjoint_by_conjugation(E))

    def library(E):
        return se3.Ad_inverse(E)

    oracle = "conjugation of 4 x 4 twist matrices with the inverse pose"

    def reference(E):
        return adjoint_by_conjugation(np.linalg.inv(E))

    verdict = Verdict.HOLDS
    remark = (
        r"With their lower indices, ${}^i_0\mathrm{Ad} = {}^0_i\mathrm{Ad}^{-1}$; the text has lost them."
    )
    implemented_by = ("rbnotes.se3.Ad_inverse",)
    chapter = CHAPTER


@claim("sueda/s1.10/t570#b", "A ball joint is what is left without the top three rows")
class t570_b:
    formula = r"\delta\phi_j \text{ without rows 1, 2, 3}"
    inputs = PAIR
    result = VELOCITY

    def printed(Ei, Ek, J, phi_i, phi_k):
        return relative_twist_printed(Ei, Ek, J, phi_i, phi_k)[3:]

    def library(Ei, Ek, J, phi_i, phi_k):
        joint, poses = joined(ExponentialSpherical(), Ei, Ek, J)
        return maximal.constraint_jacobian([joint], poses).toarray() @ np.concatenate([phi_i, phi_k])

    oracle = "differences of the gap between two points, one of each body, that coincide"
    reference = ball_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.multibody.maximal.constraint_jacobian",)
    chapter = CHAPTER


@claim("sueda/s1.10/t570#c", "A hinge about z is what is left without the third row")
class t570_c:
    formula = r"\delta\phi_j \text{ without row 3}"
    inputs = PAIR
    result = vector_quantity((RATE, 2), (VELOCITY, 3))

    def printed(Ei, Ek, J, phi_i, phi_k):
        return np.delete(relative_twist_printed(Ei, Ek, J, phi_i, phi_k), 2)

    def library(Ei, Ek, J, phi_i, phi_k):
        joint, poses = joined(Revolute(), Ei, Ek, J)
        return maximal.constraint_jacobian([joint], poses).toarray() @ np.concatenate([phi_i, phi_k])

    oracle = "differences of how two axes tilt apart, one of each body, that coincide, and of points on them"
    reference = hinge_reference
    verdict = Verdict.HOLDS
    remark = (
        "Fixed, ball, hinge, slider, cylindrical and planar joints all come from dropping rows. A "
        "universal joint does not: the rotation it forbids is about the common perpendicular of two "
        "axes, one in each body, which is no axis of a frame that stays in either."
    )
    implemented_by = ("rbnotes.multibody.maximal.constraint_jacobian",)
    chapter = CHAPTER


@claim("sueda/s1.10/t572", "Sizes of G: fixed, hinged, and three bodies on two hinges")
class t572:
    formula = r"6\times12,\quad 5\times12,\quad (5+5)\times(6+6+6)"
    result = NUMBER

    def printed():
        return [6, 12, 5, 12, 5 + 5, 6 + 6 + 6]

    def library():
        pair, three = np.stack([np.eye(4)] * 2), np.stack([np.eye(4)] * 3)
        hinges = [maximal.Joint(Revolute(), 0, parent=1), maximal.Joint(Revolute(), 0, parent=2)]
        return [
            *maximal.constraint_jacobian([maximal.Joint(Fixed(), 0, parent=1)], pair).shape,
            *maximal.constraint_jacobian([maximal.Joint(Revolute(), 0, parent=1)], pair).shape,
            *maximal.constraint_jacobian(hinges, three).shape,
        ]

    oracle = "how many independent rates of coming apart all unit twists make, by differences along motions"

    def reference():
        """Ranks of the rates, by differences, at which the parts of the joints come apart, for all unit twists."""
        E, F, at = PLACES[0], PLACES[1], PIN
        pairs = np.eye(12).reshape(12, 2, 6)
        welded = [relative_twist_reference(E, F, at, *unit) for unit in pairs]
        hinged = [hinge_reference(E, F, at, *unit) for unit in pairs]
        triples = np.eye(18).reshape(18, 3, 6)
        star = [
            np.append(hinge_reference(E, F, at, a, b), hinge_reference(E, F @ F, at, a, c))
            for a, b, c in triples
        ]
        return [n for rates in (welded, hinged, star) for n in (np.linalg.matrix_rank(rates), len(rates))]

    tolerance = 0.0
    verdict = Verdict.DEMONSTRATION
    implemented_by = ("rbnotes.multibody.maximal.constraint_jacobian",)
    chapter = CHAPTER


@claim("sueda/s1.10/e1.70", "Rows of two hinges among three bodies")
class e1_70:
    formula = (
        r"\begin{pmatrix} G_{11} & G_{12} & 0 \\"
        r" G_{21} & 0 & G_{23} \end{pmatrix}\begin{pmatrix} \phi_1 \\ \phi_2 \\"
        r" \phi_3 \end{pmatrix} = \begin{pmatrix} 0 \\ 0 \end{pmatrix}"
    )
    inputs = STAR
    result = vector_quantity(*2 * ((RATE, 2), (VELOCITY, 3)))

    def printed(E1, E2, E3, J1, J2, Phi):
        G11, G12 = hinge_blocks(E1, E2, J1)
        G21, G23 = hinge_blocks(E1, E3, J2)
        zero = np.zeros((5, 6))
        return np.block([[G11, G12, zero], [G21, zero, G23]]) @ Phi

    def library(E1, E2, E3, J1, J2, Phi):
        poses = np.stack([E1, E2, E3])
        joints = [
            maximal.joint_from_world_frame(Revolute(), E1 @ J1, poses, 0, 1),
            maximal.joint_from_world_frame(Revolute(), E1 @ J2, poses, 0, 2),
        ]
        return maximal.constraint_jacobian(joints, poses) @ Phi

    oracle = (
        "differences of how the axes and points of both hinges come apart along the motions of three bodies"
    )

    def reference(E1, E2, E3, J1, J2, Phi):
        phi1, phi2, phi3 = Phi.reshape(3, 6)
        apart = [hinge_reference(E1, E2, J1, phi1, phi2), hinge_reference(E1, E3, J2, phi1, phi3)]
        return np.concatenate(apart)

    verdict = Verdict.HOLDS
    remark = (
        "Checked on twists that the hinges do not allow, where the product is the rate at which they "
        "come apart."
    )
    implemented_by = ("rbnotes.multibody.maximal.constraint_jacobian",)
    chapter = CHAPTER
