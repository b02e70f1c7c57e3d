"""Sueda 2.4.10: a free joint in the plane."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes.joints import Free2D, PlanarTranslation, Revolute
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.joint_pairs import planar_free_joint
from rbnotes.ledger.oracles.pose_products import (
    derivative_along_motion,
    pose_jacobian,
    pose_jacobian_rate,
    screw_pose,
    translation_pose,
)
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, twist_from_matrix
from rbnotes.ledger.pages import DROPPED, Page
from rbnotes.ledger.quantities import LENGTH, NUMBER, POSE, RATE, TWIST, VELOCITY, vector_quantity
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing.strategies import arrays, numbers

COLUMNS_OF_JOINT = "a column for each coordinate of the joint, in the frame that it moves"

section = Section(
    "sueda/s2.4.10",
    chapter="joint-types",
    page_2019=Page(29, last=30),
    page_2021=Page(40, last=41),
    arguments={
        "p": Argument(LENGTH),
        "angle": Argument(NUMBER),
        "spin": Argument(RATE),
        "v": Argument(VELOCITY, "of the joints, in their order"),
        "q1": Argument(LENGTH, "coordinates of the joint"),
        "q2": Argument(NUMBER, "coordinates of the joint"),
        "v1": Argument(VELOCITY, "rates of the coordinates of the joint"),
        "v2": Argument(RATE, "rates of the coordinates of the joint"),
    },
)


Z = np.array([0.0, 0.0, 1.0])
COORDINATES = {"q1": arrays(2), "q2": numbers(-3.0, 3.0)}
MOTION = {**COORDINATES, "v1": arrays(2), "v2": numbers()}


def jacobian_reference(q1, q2):
    """Compare with complex steps of the product of the two poses."""
    return pose_jacobian(planar_free_joint, np.append(q1, q2))


def jacobian_rate_reference(q1, q2, v1, v2):
    """Compare with differences of the Jacobian of the product of the two poses along the motion."""
    return pose_jacobian_rate(planar_free_joint, np.append(q1, q2), np.append(v1, v2))


def rotation_rows(q2):
    """Return the first two rows of Q_2, whose entries have the indices of row and column."""
    c, s = np.cos(q2), np.sin(q2)
    return np.array([[c, -s, 0], [s, c, 0]])


def planar_pose(p, angle):
    """Compare with scipy's rotation about z and the position of the origin."""
    E = np.eye(4)
    E[:3, :3], E[:2, 3] = Rotation.from_euler("z", angle).as_matrix(), p
    return E


def S_library(q1, q2):
    return Free2D().motion_subspace(np.append(q1, q2))


def Sdot_library(q1, q2, v1, v2):
    return Free2D().motion_subspace_rate(np.append(q1, q2), np.append(v1, v2))


@section.holds("t996", "Free joint in the plane: any pose and any motion")
class t996:
    formula = r"\text{`completely unconstrained in 2D'}"
    inputs = {"p": arrays(2), "angle": numbers(-3.0, 3.0), "spin": numbers(), "v": arrays(2)}
    result = Result(
        vector_quantity(
            (NUMBER, 3), (LENGTH, 1), (NUMBER, 3), (LENGTH, 3), (NUMBER, 8), (RATE, 1), (VELOCITY, 3)
        ),
        "the pose in the fixed frame, row by row, then the twist in the moving one",
    )

    def printed(p, angle, spin, v):
        """Return a pose from its coordinates, and a twist in the plane from its rates."""
        q = np.append(p, angle)
        S = pose_jacobian(planar_free_joint, q)
        rates = np.linalg.solve(S[2:5], np.append(spin, v))
        return np.append(planar_free_joint(q), S @ rates)

    def library(p, angle, spin, v):
        joint = Free2D()
        q = joint.nearest_coordinates(planar_pose(p, angle))
        S = joint.motion_subspace(q)
        return np.append(joint.transform(q), S @ np.linalg.solve(S[2:5], np.append(spin, v)))

    def reference(p, angle, spin, v):
        """Check that the joint reproduces the prescribed twist and pose, by scipy's rotation."""
        return np.append(planar_pose(p, angle), [0, 0, spin, *v, 0])

    primitives = ("rbnotes.ledger.claims.sueda.section_2_4_10.planar_pose",)
    implements = Free2D


@section.holds("e2.53", "Free joint in the plane as a product of two joints")
class e2_53:
    formula = r"Q = Q_1Q_2,\qquad Q_1 = Q_\text{planar},\quad Q_2 = Q_\text{revolute}"
    inputs = COORDINATES
    result = Result(POSE, "of the moving frame in the fixed one")

    def printed(q1, q2):
        Q1, Q2 = np.eye(4), np.eye(4)
        Q1[:2, 3], Q2[:2, :3] = q1, rotation_rows(q2)
        return Q1 @ Q2

    def library(q1, q2):
        return Free2D().transform(np.append(q1, q2))

    reference = planar_pose
    implements = Free2D


@section.holds("e2.54", "Jacobians of the two factors of a free joint in the plane")
class e2_54:
    formula = r"S_1 = \begin{pmatrix} 0&0\\0&0\\0&0\\1&0\\0&1\\0&0 \end{pmatrix},\quad S_2 = \begin{pmatrix} 0\\0\\1\\0\\0\\0 \end{pmatrix}"
    inputs = MOTION
    result = Result(TWIST, "of each of the two joints, in the frame that it moves")

    def printed(q1, q2, v1, v2):
        S1 = np.array([[0, 0], [0, 0], [0, 0], [1, 0], [0, 1], [0, 0]])
        S2 = np.array([0, 0, 1, 0, 0, 0])
        return np.concatenate([S1 @ v1, S2 * v2])

    def library(q1, q2, v1, v2):
        return np.concatenate(
            [PlanarTranslation().motion_subspace(q1) @ v1, Revolute().motion_subspace([q2]) @ [v2]]
        )

    def reference(q1, q2, v1, v2):
        """Compare with differences of the two poses along the motion, each in its own frame."""
        poses = translation_pose(np.append(q1, 0)), screw_pose(Z, q2)
        translation_rate = derivative_along_motion(
            lambda t: translation_pose(np.append(q1, 0) + t * np.append(v1, 0)), np.zeros(1), np.ones(1)
        )
        rotation_rate = derivative_along_motion(
            lambda t: screw_pose(Z, q2 + t[..., 0] * v2), np.zeros(1), np.ones(1)
        )
        pairs = zip(poses, (translation_rate, rotation_rate), strict=True)
        return np.concatenate([twist_from_matrix(np.linalg.inv(Q) @ Qdot) for Q, Qdot in pairs])

    implements = (PlanarTranslation, Revolute)


@section.holds("t1004", "Both Jacobians are constant")
class t1004:
    formula = r"\dot S = 0 \text{ for both}:\quad S_i(q_i) = S_i(0)"
    inputs = MOTION
    result = Result(TWIST, "of each of the two joints, in the frame that it moves")

    def printed(q1, q2, v1, v2):
        """Return the twists with the Jacobians at zero coordinates, for all coordinates."""
        x, y, spin = v1[0], v1[1], v2
        return np.array([0, 0, 0, x, y, 0, 0, 0, spin, 0, 0, 0])

    def library(q1, q2, v1, v2):
        one, two = PlanarTranslation(), Revolute()
        rates = one.motion_subspace_rate(q1, v1) @ v1, two.motion_subspace_rate([q2], [v2]) @ [v2]
        return np.concatenate(
            [one.motion_subspace([0, 0]) @ v1 + rates[0], two.motion_subspace([0]) @ [v2] + rates[1]]
        )

    def reference(q1, q2, v1, v2):
        """Compare with complex steps of the poses, at these coordinates."""
        translation_jacobian = pose_jacobian(
            lambda q: translation_pose(np.stack([q[..., 0], q[..., 1], 0 * q[..., 0]], axis=-1)), q1
        )
        return np.append(
            translation_jacobian @ v1, pose_jacobian(lambda q: screw_pose(Z, q[..., 0]), np.array([q2])) * v2
        )

    implements = (PlanarTranslation, Revolute)


@section.holds("e2.55", "Jacobian of a free joint in the plane")
class e2_55:
    page_2019 = Page(30, r"${}^2_1\mathrm{Ad}$")
    page_2021 = Page(41, page_2019.content)
    formula = r"S = \begin{pmatrix} {}^2\mathrm{Ad}\,S_1 & S_2 \end{pmatrix} = \begin{pmatrix} 0&0&0\\0&0&0\\0&0&1\\Q_2^{xx}&Q_2^{yx}&0\\ Q_2^{xy}&Q_2^{yy}&0\\ Q_2^{xz}&Q_2^{yz}&0 \end{pmatrix}"
    inputs = COORDINATES
    result = Result(NUMBER, COLUMNS_OF_JOINT)

    def printed(q1, q2):
        """Evaluate with the rows of Q_2 named by their first index, as in the text."""
        (xx, xy, xz), (yx, yy, yz) = rotation_rows(q2)
        return np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1], [xx, yx, 0], [xy, yy, 0], [xz, yz, 0]])

    library = S_library
    reference = jacobian_reference
    remark = r"The lower index of the adjoint is missing: it is ${}^2_1\mathrm{Ad}$, as in (2.48)."
    implements = Free2D


@section.holds("t1008", "The lower half of the Jacobian contains rows of the rotation")
class t1008:
    formula = r"\text{`the bottom three rows of the first column contain the 1st row of the $Q_2$ matrix, ... of the second column contain the 2nd row'}"
    inputs = COORDINATES
    result = Result(NUMBER, "in the moving frame, a row for each coordinate of the plane")

    def printed(q1, q2):
        Q2 = rotation_rows(q2)
        return np.array([Q2[0], Q2[1]])

    def library(q1, q2):
        S = S_library(q1, q2)
        return np.array([S[3:, 0], S[3:, 1]])

    def reference(q1, q2):
        """Compare with complex steps of the product of the two poses."""
        S = jacobian_reference(q1, q2)
        return S[3:, :2].T

    implements = Free2D


@section.misprint("e2.56#a", "Rate of the Jacobian, block by block")
class e2_56_a:
    page_2019 = Page(
        30,
        r"two blocks, $-\mathrm{ad}(S_2\dot{\mathsf q}_2)\,{}^2_1\mathrm{Ad}\,S_1 + {}^2_1\mathrm{Ad}\,\dot S_1$ and $\dot S_2$",
    )
    page_2021 = DROPPED
    formula = r"\dot S = \begin{pmatrix} -\mathrm{ad}(S_2\dot q_2) & {}^2\mathrm{Ad}\,S_1 + {}^2\mathrm{Ad}\,\dot S_1 & \dot S_2 \end{pmatrix}"
    edit = (
        r"-\mathrm{ad}(S_2\dot q_2) & {}^2\mathrm{Ad}\,S_1 + {}^2\mathrm{Ad}\,\dot S_1",
        r"-\mathrm{ad}(S_2\dot q_2)\,{}^2_1\mathrm{Ad}\,S_1 + {}^2_1\mathrm{Ad}\,\dot S_1",
    )
    inputs = MOTION
    result = Result(RATE, COLUMNS_OF_JOINT)

    def printed(q1, q2, v1, v2):
        """Stack three blocks, of 6, 2 and 1 columns."""
        S1, S2, zero = np.eye(6)[:, 3:5], np.eye(6)[:, 2:3], np.zeros((6, 2))
        w = bracket(S2[:3, 0] * v2)
        ad = np.block([[w, np.zeros((3, 3))], [bracket(S2[3:, 0] * v2), w]])
        Ad = adjoint_by_conjugation(screw_pose(Z, -q2))
        return np.hstack([-ad, Ad @ S1 + Ad @ zero, 0 * S2])

    library = Sdot_library
    reference = jacobian_rate_reference
    undefined = "three blocks have 6 + 2 + 1 columns, but the right-hand side has three"
    correction = (
        r"$\begin{pmatrix} -\mathrm{ad}(S_2\dot q_2)\,{}^2_1\mathrm{Ad}\,S_1 + {}^2_1\mathrm{Ad}\,\dot "
        r"S_1 & \dot S_2 \end{pmatrix}$: two blocks, as in (2.49) and (2.50)"
    )
    implements = Free2D


@section.erratum("e2.56#b", "Rate of the Jacobian, in entries of the rotation")
class e2_56_b:
    page_2019 = Page(30)
    page_2021 = Page(
        41,
        r"(2.61), $-\dot{\mathsf q}_2\sin\mathsf q_2$ in the second entry of row 5",
        fixed=True,
    )
    formula = r"\dot S = \begin{pmatrix} 0&0&0\\0&0&0\\0&0&0\\ \dot q_2Q_2^{xy}&\dot q_2Q_2^{yy}&0\\ -\dot q_2Q_2^{xx}&-\dot q_2Q_2^{xy}&0\\0&0&0 \end{pmatrix}"
    edit = (r"-\dot q_2Q_2^{xy}&0", r"-\dot q_2Q_2^{yx}&0")
    inputs = MOTION
    result = Result(RATE, COLUMNS_OF_JOINT)

    def printed(q1, q2, v1, v2):
        (xx, xy, _), (_, yy, _) = rotation_rows(q2)
        S_dot = np.zeros((6, 3))
        S_dot[3] = [v2 * xy, v2 * yy, 0]
        S_dot[4] = [-v2 * xx, -v2 * xy, 0]
        return S_dot

    library = Sdot_library
    reference = jacobian_rate_reference
    correction = (
        r"$-\dot q_2Q_2^{yx}$ in the second column of the fifth row: the column is the cross product of "
        r"$-\dot q_2\,\mathbf e_z$ with the second row of $Q_2$"
    )
    remark = r"$Q_2^{xy} = -\sin q_2$ and $Q_2^{yx} = \sin q_2$: the entry has the wrong sign."
    implements = Free2D
