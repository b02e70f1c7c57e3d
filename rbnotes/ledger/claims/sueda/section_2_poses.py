"""Sueda 2: poses of joints and bodies, from the root on. The oracles turn things about axes of the world."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from rbnotes import joints, se3
from rbnotes.ledger.claims.sueda.section_2_trees import CHAPTER, PLACED, SERIAL, frames_of, tree_of
from rbnotes.ledger.oracles import body_trees
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.quantities import NUMBER, POSE
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody import reduced
from rbnotes.testing import derivative
from rbnotes.testing.strategies import arrays, frames, numbers, unit_vectors

POSES = ("rbnotes.multibody.reduced.poses",)


QUANTITIES = {"parts": POSE}


def rest_steps(assembly):
    """Where each joint of a serial chain is at rest, in the joint before it."""
    before = np.concatenate([np.eye(4)[None], assembly.joints[:-1]])
    return np.linalg.inv(before) @ assembly.joints


def about_z(angle):
    return np.array(
        [
            [np.cos(angle), -np.sin(angle), 0, 0],
            [np.sin(angle), np.cos(angle), 0, 0],
            [0, 0, 1, 0],
            [0, 0, 0, 1],
        ]
    )


def screw(twist):
    """(1.6): the matrix of a twist."""
    return np.block([[bracket(twist[:3]), twist[3:, None]], [np.zeros((1, 4))]])


@claim("sueda/s2/e2.3", "The pose of a joint in a serial chain")
class e2_3:
    formula = r"{}^0_jE = {}^0_1E\,{}^1_2E\cdots{}^{j-1}_jE"
    inputs = SERIAL
    result = POSE

    def printed(assembly, q):
        E_01, E_12, E_23, E_34 = (
            step @ about_z(angle) for step, angle in zip(rest_steps(assembly), q, strict=True)
        )
        return np.stack([E_01, E_01 @ E_12, E_01 @ E_12 @ E_23, E_01 @ E_12 @ E_23 @ E_34])

    def library(assembly, q):
        return reduced.poses(tree_of(assembly), q).joints

    oracle = "frames at rest, turned about the axes where these are at rest in the world, the last one first"

    def reference(assembly, q):
        found = []
        for j in range(4):
            frame = assembly.joints[j]
            for i in reversed(range(j + 1)):
                axis, at = assembly.joints[i, :3, 2], assembly.joints[i, :3, 3]
                R = Rotation.from_rotvec(q[i] * axis).as_matrix()
                turned = np.eye(4)
                turned[:3, :3], turned[:3, 3] = R @ frame[:3, :3], at + R @ (frame[:3, 3] - at)
                frame = turned
            found.append(frame)
        return np.stack(found)

    verdict = Verdict.HOLDS
    implemented_by = POSES
    chapter = CHAPTER


@claim("sueda/s2/t712", "The pose of any joint chains the joints from the root down to it")
class t712:
    formula = r"{}^0_jE = \text{the product of the transforms from the root to the joint}"
    inputs = PLACED
    result = POSE

    def printed(assembly, q):
        found = []
        for j, parent in enumerate(assembly.parents):
            own = body_trees.joint_motion(assembly.kinds[j], q[body_trees.coordinate_slices(assembly)[j]])
            if parent < 0:
                found.append(assembly.joints[j] @ own)
            else:
                rest = np.linalg.inv(assembly.joints[parent]) @ assembly.joints[j]
                found.append(found[parent] @ rest @ own)
        return np.stack(found)

    def library(assembly, q):
        return reduced.poses(tree_of(assembly), q).joints

    oracle = "frames at rest, moved about the frames of their ancestors where these are at rest in the world"

    def reference(assembly, q):
        return body_trees.joint_poses(assembly, q)

    verdict = Verdict.HOLDS
    implemented_by = POSES
    chapter = CHAPTER


@claim("sueda/s2/e2.4#a", "The transform of a joint: where it is at rest, then its own motion")
class e2_4_a:
    formula = r"{}^{j-1}_jE = {}^{j-1}_jE_0\,Q_j(q_j)"
    inputs = SERIAL
    result = POSE

    def printed(assembly, q):
        return np.stack([E_0 @ about_z(angle) for E_0, angle in zip(rest_steps(assembly), q, strict=True)])

    def library(assembly, q):
        E = reduced.poses(tree_of(assembly), q).joints
        return np.linalg.inv(np.concatenate([np.eye(4)[None], E[:-1]])) @ E

    oracle = "each joint as the one before it sees it, both moved in the world about axes at rest there"

    def reference(assembly, q):
        E = body_trees.joint_poses(assembly, q)
        return np.concatenate([E[:1], np.linalg.solve(E[:-1], E[1:])])

    verdict = Verdict.HOLDS
    remark = (
        "The indices say: joint j as joint j - 1 sees it. (2.22) has the same product under the other order."
    )
    implemented_by = POSES
    chapter = CHAPTER


@claim("sueda/s2/e2.4#b", "The motion of a hinge about z")
class e2_4_b:
    formula = (
        r"Q_j(q_j) = \begin{pmatrix} \cos(q_j) & -\sin(q_j) & 0 & 0 \\ \sin(q_j) & \cos(q_j) & 0 & 0 \\"
        r" 0 & 0 & 1 & 0 \\ 0 & 0 & 0 & 1 \end{pmatrix}"
    )
    inputs = {"q": numbers(-7, 7)}
    result = NUMBER

    def printed(q):
        return about_z(q)

    def library(q):
        return joints.Revolute().transform([q])

    oracle = "scipy's rotation about z"

    def reference(q):
        Q = np.eye(4)
        Q[:3, :3] = Rotation.from_euler("z", q).as_matrix()
        return Q

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.joints.Revolute",)
    chapter = CHAPTER


@claim("sueda/s2/t720#a", "Where a joint is at rest is a translation")
class t720_a:
    formula = r"{}^{j-1}_jE_0 = \begin{pmatrix} I & \mathbf p \\ 0 & 1 \end{pmatrix}"
    inputs = {"parent": frames(), "joint": frames()}
    result = POSE

    def printed(parent, joint):
        p = parent[:3, :3].T @ (joint[:3, 3] - parent[:3, 3])
        return np.block([[np.eye(3), p[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])

    def library(parent, joint):
        """Two hinges that stand in the world as they are told to."""
        first = reduced.Link("first", joints.Revolute(), np.eye(6), placement=parent)
        offset = np.linalg.inv(parent) @ joint
        second = reduced.Link("second", joints.Revolute(), np.eye(6), "first", placement=offset)
        E = reduced.poses(reduced.Tree([first, second]), np.zeros(2)).joints
        return se3.inverse(E[0]) @ E[1]

    oracle = "coordinates, in the parent's frame, of the joint's axes and origin"

    def reference(parent, joint):
        axes = [np.append(parent[:3, :3].T @ axis, 0) for axis in joint[:3, :3].T]
        return np.stack([*axes, np.append(parent[:3, :3].T @ (joint[:3, 3] - parent[:3, 3]), 1)], axis=-1)

    verdict = Verdict.CONDITIONAL
    given = {
        "parent": st.shared(frames(), key="parent"),
        "joint": st.builds(
            lambda parent, place: np.block([[parent[:3, :3], place[:, None]], [parent[3:]]]),
            st.shared(frames(), key="parent"),
            arrays(3),
        ),
    }

    def holds_when(parent, joint):
        return np.allclose(parent[:3, :3], joint[:3, :3], atol=1e-9)

    condition = (
        r"The joint's axes are parallel to those of its parent where it is at rest. With hinges about z only, "
        r"that makes all axes parallel: a planar mechanism. In general ${}^{j-1}_jE_0$ also turns."
    )
    remark = r"Section 2.4.1 says 'often a translation'."
    implemented_by = POSES
    chapter = CHAPTER


@claim("sueda/s2/t720#b", "Where a joint is at rest in its parent does not change as they move")
class t720_b:
    formula = r"{}^{j-1}_jE\,Q_j(q_j)^{-1} = {}^{j-1}_jE_0 \quad\text{at every } q"
    inputs = SERIAL
    result = POSE

    def printed(assembly, q):
        """The same, whatever q is."""
        return rest_steps(assembly)

    def library(assembly, q):
        E = reduced.poses(tree_of(assembly), q).joints
        steps = np.linalg.inv(np.concatenate([np.eye(4)[None], E[:-1]])) @ E
        return np.stack(
            [step @ se3.inverse(joints.Revolute().transform([a])) for step, a in zip(steps, q, strict=True)]
        )

    oracle = "each joint, turned back, as the one before it sees it after they moved in the world"

    def reference(assembly, q):
        E = body_trees.joint_poses(assembly, q)
        steps = np.concatenate([E[:1], np.linalg.solve(E[:-1], E[1:])])
        return np.stack([step @ expm(-a * screw(np.eye(6)[2])) for step, a in zip(steps, q, strict=True)])

    verdict = Verdict.HOLDS
    implemented_by = POSES
    chapter = CHAPTER


@claim("sueda/s2/e2.5", "The motion of a hinge as a matrix exponential")
class e2_5:
    formula = r"Q_j(q_j) = \exp\left([Sq_j]\right),\quad S = \begin{pmatrix} 0 & 0 & 1 & 0 & 0 & 0 \end{pmatrix}^\top"
    inputs = {"q": numbers(-7, 7)}
    result = NUMBER

    def printed(q):
        S = np.array([0, 0, 1, 0, 0, 0])
        return expm(screw(S * q))

    def library(q):
        return joints.Revolute().transform([q])

    oracle = "scipy's rotation about z"

    def reference(q):
        Q = np.eye(4)
        Q[:3, :3] = Rotation.from_euler("z", q).as_matrix()
        return Q

    verdict = Verdict.HOLDS
    equivalent_mutants = {
        "in screw: negated twist[3:, None] in `[bracket(twist[:3]), twist[3:, None]]`": "it is zero for a hinge"
    }
    implemented_by = ("rbnotes.joints.Revolute",)
    chapter = CHAPTER


@claim("sueda/s2/t724", "The matrix of S q of a hinge is skew symmetric")
class t724:
    formula = r"[Sq_j] = -[Sq_j]^T"
    inputs = {"axis": unit_vectors(), "q": numbers()}
    result = NUMBER

    def printed(axis, q):
        S = joints.Revolute(axis).motion_subspace([q])[:, 0]
        return -se3.hat(S * q).T

    oracle = "the slope of scipy's rotation about the axis where the angle is zero, times q"

    def reference(axis, q):
        X = np.zeros((4, 4))
        X[:3, :3] = q * derivative(lambda t: Rotation.from_rotvec(t * axis).as_matrix()).value
        return X

    equivalent_mutants = {"negated q in `[q]`": "S of a hinge is the same at every angle"}
    verdict = Verdict.HOLDS
    remark = (
        r"Only because a hinge has no linear part. For any other twist the last column of (1.6) holds "
        r"$\mathbf v$, and the last row is zero."
    )
    implemented_by = ("rbnotes.se3.hat", "rbnotes.joints.Revolute")
    chapter = CHAPTER


@claim("sueda/s2/e2.6", "The pose of the body on a joint")
class e2_6:
    formula = r"{}^0_BE = {}^0_1E\,{}^1_2E\cdots{}^{j-1}_jE\,{}^j_{B_j}E"
    inputs = SERIAL
    result = POSE

    def printed(assembly, q):
        E_01, E_12, E_23, E_34 = (
            step @ about_z(angle) for step, angle in zip(rest_steps(assembly), q, strict=True)
        )
        E_1B, E_2B, E_3B, E_4B = np.linalg.inv(assembly.joints) @ assembly.bodies
        return np.stack(
            [
                E_01 @ E_1B,
                E_01 @ E_12 @ E_2B,
                E_01 @ E_12 @ E_23 @ E_3B,
                E_01 @ E_12 @ E_23 @ E_34 @ E_4B,
            ]
        )

    def library(assembly, q):
        return reduced.poses(tree_of(assembly), q).bodies

    oracle = "the bodies at rest, moved about the axes of all joints before them where these are at rest"

    def reference(assembly, q):
        return body_trees.poses(assembly, q)

    verdict = Verdict.HOLDS
    remark = r"On the left, B is $B_j$."
    implemented_by = POSES
    chapter = CHAPTER


@claim("sueda/s2/t726", "Where a body is on its joint does not change as they move")
class t726:
    formula = r"{}^j_{B_j}E \text{ does not change at run time}"
    inputs = {"parts": arrays(2, 6).map(frames_of), "q": numbers()}
    result = POSE

    def printed(parts, q):
        """The pose at rest, whatever q is."""
        joint, body = parts
        return np.linalg.inv(joint) @ body

    def library(parts, q):
        joint, body = parts
        offset = np.linalg.inv(joint) @ body
        one = reduced.Tree(
            [reduced.Link("one", joints.Revolute(), np.eye(6), placement=joint, body_frame=offset)]
        )
        at = reduced.poses(one, [q])
        return se3.inverse(at.joints[0]) @ at.bodies[0]

    oracle = "both turned in the world about the joint's axis there"

    def reference(parts, q):
        joint, body = parts
        turn = joint @ expm(q * screw(np.eye(6)[2])) @ np.linalg.inv(joint)
        return np.linalg.inv(turn @ joint) @ (turn @ body)

    verdict = Verdict.HOLDS
    implemented_by = POSES
    chapter = CHAPTER
