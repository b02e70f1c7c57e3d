"""Sueda 2.1: from the twist of the parent to that of the child. The oracles move frames."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from rbnotes import joints, se3
from rbnotes.ledger.claims.sueda.section_1_10 import relative_twist_reference
from rbnotes.ledger.claims.sueda.section_2 import (
    CONFIGURATION,
    MOTION,
    SERIAL,
    assemblies,
    draw_frames,
    draw_parents,
    tree_of,
)
from rbnotes.ledger.joint_quantities import ASSEMBLY, coordinates, velocities
from rbnotes.ledger.oracles import body_trees, complex_steps
from rbnotes.ledger.oracles.bodies import motion
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, twist_from_matrix, twist_matrix
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import ADJOINT, NUMBER, POSE, RATE, SCREW, TWIST, matrix_quantity
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody import maximal, reduced
from rbnotes.testing import derivative
from rbnotes.testing.strategies import arrays, frames, numbers, twists

section = Section(
    "sueda/s2.1",
    chapter="reduced-coordinates",
    page_2019=Page(21, last=22),
    page_2021=Page(28, last=31),
    arguments={
        "E_i": Argument(POSE, "of the child in the world"),
        "E_p": Argument(POSE, "of the parent in the world"),
        "J": Argument(POSE, "of the joint in the child"),
        "phi_i": Argument(TWIST, "of the child, in its frame"),
        "phi_p": Argument(TWIST, "of the parent, in its frame"),
        "F": Argument(POSE, "of the joints in the world, with all coordinates zero"),
        "B": Argument(POSE, "of the bodies in the world, with all coordinates zero"),
        "q": Argument(coordinates, "of the joints, in their order"),
        "psi": Argument(TWIST, "of the joint, in its frame"),
        "qdot": Argument(velocities, "of the joints, in their order"),
        "E_1": Argument(POSE, "of the first body in the world"),
        "phi_0": Argument(TWIST, "of the frame that carries the first body, in the world"),
        "assembly": Argument(
            ASSEMBLY,
            (
                "a tree of joints and bodies in the world, with all coordinates zero: the parent of each body"
                " (-1: none); joints about z (revolute), along z (prismatic), about x and then y (universal) "
                "or by a rotation vector (spherical); centers in the bodies, inertias about these"
            ),
        ),
        "rates": Argument(RATE, "of the joints, in their order"),
        "angles": Argument(NUMBER, "of the joints, in their order"),
    },
)


# A body i, its parent p, the joint's frame in the body, and twists.
PAIR = {"E_i": frames(), "E_p": frames(), "J": frames(), "phi_i": twists(), "phi_p": twists()}
PARENT_AND_JOINT = {"E_i": frames(), "E_p": frames(), "J": frames(), "phi_p": twists(), "psi": twists()}
PARENT_AND_HINGE = {"E_i": frames(), "E_p": frames(), "J": frames(), "phi_p": twists(), "qdot": numbers()}
S = np.array([0, 0, 1, 0, 0, 0])


def child_twist_reference(E_i, E_p, J, phi_p, psi):
    """Compare with differences along the motion of a body that moves with its parent and about its joint.

    The joint moves with the twist psi, in its own frame.
    """
    parent_pose, joint_in_parent = motion(E_p, phi_p), np.linalg.inv(E_p) @ E_i @ J
    rate = derivative(
        lambda t: parent_pose(t) @ joint_in_parent @ expm(t * twist_matrix(psi)) @ np.linalg.inv(J)
    ).value
    return twist_from_matrix(np.linalg.inv(E_i) @ rate)


def child_twist_library(E_i, E_p, J, phi_p, psi):
    """Return the twist of the second of two bodies on free joints."""
    free_joint = joints.Free3D()
    first = reduced.Link("p", free_joint, np.eye(6), placement=E_p)
    second = reduced.Link("i", free_joint, np.eye(6), "p", np.linalg.inv(E_p) @ E_i @ J, np.linalg.inv(J))
    rates = [np.linalg.solve(free_joint.motion_subspace(free_joint.neutral), twist) for twist in (phi_p, psi)]
    return reduced.twists(reduced.Tree([first, second]), np.zeros(12), np.concatenate(rates))[1]


def relative_adjoint(E, F):
    """Return the adjoint from the frame F to the frame E, both in the world."""
    return adjoint_by_conjugation(np.linalg.inv(E) @ F)


@section.holds("e2.7", "The twists of parent and child in the frame of the joint")
class e2_7:
    formula = r"{}^{J_i}\phi_p = {}^{J_i}_p\mathrm{Ad}\,{}^p\phi_p,\quad {}^{J_i}\phi_i = {}^{J_i}_i\mathrm{Ad}\,{}^i\phi_i"
    inputs = PAIR
    result = Result(TWIST, "of the parent, then of the child, in the frame of the joint")

    def printed(E_i, E_p, J, phi_i, phi_p):
        return np.concatenate(
            [relative_adjoint(E_i @ J, E_p) @ phi_p, relative_adjoint(E_i @ J, E_i) @ phi_i]
        )

    def library(E_i, E_p, J, phi_i, phi_p):
        from_p = se3.Ad_inverse(se3.inverse(E_p) @ E_i @ J)
        return np.concatenate([from_p @ phi_p, se3.Ad_inverse(J) @ phi_i])

    def reference(E_i, E_p, J, phi_i, phi_p):
        """Compare with differences along the motions of two frames at the joint, one in each body."""
        twists = []
        for E, phi in ((E_p, phi_p), (E_i, phi_i)):
            pose, joint_in_body = motion(E, phi), np.linalg.inv(E) @ E_i @ J
            rate = derivative(lambda t, pose=pose, joint_in_body=joint_in_body: pose(t) @ joint_in_body).value
            twists.append(twist_from_matrix(np.linalg.inv(E_i @ J) @ rate))
        return np.concatenate(twists)

    implements = se3.Ad_inverse


def relative_library(E_i, E_p, J, phi_i, phi_p):
    poses = np.stack([E_i, E_p])
    weld = maximal.joint_from_world_frame(joints.Fixed(), E_i @ J, poses, 0, 1)
    return maximal.relative_twist(weld, poses, np.stack([phi_i, phi_p]))


@section.holds("e2.8#a", "Relative twist at a joint, first two lines")
class e2_8_a:
    formula = r"{}^{J_i}\phi_{J_i} = {}^{J_i}\phi_i - {}^{J_i}\phi_p = {}^{J_i}_i\mathrm{Ad}\,{}^i\phi_i - {}^{J_i}_p\mathrm{Ad}\,{}^p\phi_p"
    inputs = PAIR
    result = Result(TWIST, "of the joint, in its frame")

    def printed(E_i, E_p, J, phi_i, phi_p):
        return relative_adjoint(E_i @ J, E_i) @ phi_i - relative_adjoint(E_i @ J, E_p) @ phi_p

    library = relative_library
    oracle = (
        "Compare with differences of the joint frame in the body relative to the parent, along both motions."
    )
    reference = relative_twist_reference
    implements = maximal.relative_twist


@section.holds("e2.8#b", "Relative twist at a joint through the world frame")
class e2_8_b:
    formula = r"{}^{J_i}\phi_{J_i} = {}^{J_i}_i\mathrm{Ad}\,{}^i\phi_i - {}^{J_i}_i\mathrm{Ad}\,{}^i_0\mathrm{Ad}\,{}^0_p\mathrm{Ad}\,{}^p\phi_p"
    inputs = PAIR
    result = Result(TWIST, "of the joint, in its frame")

    def printed(E_i, E_p, J, phi_i, phi_p):
        J_i_Ad, world = relative_adjoint(E_i @ J, E_i), np.eye(4)
        return J_i_Ad @ phi_i - J_i_Ad @ relative_adjoint(E_i, world) @ relative_adjoint(world, E_p) @ phi_p

    library = relative_library
    oracle = (
        "Compare with differences of the joint frame in the body relative to the parent, along both motions."
    )
    reference = relative_twist_reference
    remark = "(1.69) has one adjoint too many in this product."
    implements = maximal.relative_twist


@section.holds("t742", "The adjoint from a body to its own joint is constant")
class t742:
    formula = r"{}^{J_i}_i\mathrm{Ad} \text{ is constant}"
    inputs = {"F": frames(), "B": frames(), "q": numbers()}
    result = Result(ADJOINT, "takes twists of the body to the frame of its joint")

    def printed(F, B, q):
        """Return the adjoint of the reference poses, which does not depend on q."""
        return relative_adjoint(F, B)

    def library(F, B, q):
        tree = reduced.Tree([reduced.Link("i", joints.Revolute(), np.eye(6), None, F, np.linalg.inv(F) @ B)])
        poses = reduced.poses(tree, [q])
        return se3.Ad(se3.inverse(poses.joint_poses[0]) @ poses.body_poses[0])

    def reference(F, B, q):
        """Compare with a conjugation after both frames rotate about the axis of the joint in the world."""
        rotation = np.eye(4)
        R = Rotation.from_rotvec(q * F[:3, 2]).as_matrix()
        rotation[:3, :3], rotation[:3, 3] = R, F[:3, 3] - R @ F[:3, 3]
        return adjoint_by_conjugation(np.linalg.inv(rotation @ F) @ (rotation @ B))

    remark = r"The adjoint from the parent, ${}^{J_i}_p\mathrm{Ad}$, depends on the coordinate of the joint."
    implements = reduced.poses


@section.holds("e2.9#a", "Twist of the child from those of parent and joint, in the frame of the joint")
class e2_9_a:
    formula = r"{}^{J_i}_i\mathrm{Ad}\,{}^i\phi_i = {}^{J_i}_i\mathrm{Ad}\,{}^i_0\mathrm{Ad}\,{}^0_p\mathrm{Ad}\,{}^p\phi_p + {}^{J_i}\phi_{J_i}"
    inputs = PARENT_AND_JOINT
    result = Result(TWIST, "of the joint, in its frame")

    def printed(E_i, E_p, J, phi_p, psi):
        world = np.eye(4)
        return (
            relative_adjoint(E_i @ J, E_i)
            @ relative_adjoint(E_i, world)
            @ relative_adjoint(world, E_p)
            @ phi_p
            + psi
        )

    def library(E_i, E_p, J, phi_p, psi):
        return se3.Ad_inverse(J) @ child_twist_library(E_i, E_p, J, phi_p, psi)

    def reference(E_i, E_p, J, phi_p, psi):
        """Compare with differences along the motion of a body that moves with its parent and about its joint."""
        X = np.linalg.inv(J) @ twist_matrix(child_twist_reference(E_i, E_p, J, phi_p, psi)) @ J
        return twist_from_matrix(X)

    implements = reduced.twists


@section.erratum("e2.9#b", "Twist of the child from those of parent and joint, in the frame of the child")
class e2_9_b:
    page_2019 = Page(21, r"${}^i_{J_i}\mathrm{Ad}$ in the last term")
    page_2021 = Page(29, page_2019.content)
    formula = r"{}^i\phi_i = {}^i_0\mathrm{Ad}\,{}^0_p\mathrm{Ad}\,{}^p\phi_p + {}^{J_i}_i\mathrm{Ad}\,{}^{J_i}\phi_{J_i}"
    edit = (r"{}^{J_i}_i\mathrm{Ad}", r"{}^i_{J_i}\mathrm{Ad}")
    inputs = PARENT_AND_JOINT
    result = Result(TWIST, "of the body, in its frame")

    def printed(E_i, E_p, J, phi_p, psi):
        world = np.eye(4)
        return (
            relative_adjoint(E_i, world) @ relative_adjoint(world, E_p) @ phi_p
            + relative_adjoint(E_i @ J, E_i) @ psi
        )

    library = child_twist_library
    reference = child_twist_reference
    combined_with = ("sueda/s2.1/e2.7",)
    correction = (
        r"${}^i_0\mathrm{Ad}\,{}^0_p\mathrm{Ad}\,{}^p\phi_p + "
        r"{}^i_{J_i}\mathrm{Ad}\,{}^{J_i}\phi_{J_i}$: solving the line above requires the inverse of "
        r"${}^{J_i}_i\mathrm{Ad}$. The adjoint in the text maps from the body to the joint; Algorithm 1 has "
        "the right one."
    )
    implements = reduced.twists


@section.holds("e2.10", "Twist of a hinge about z")
class e2_10:
    formula = (
        r"{}^{J_i}\phi_{J_i} = S\dot q_i,\quad S = \begin{pmatrix} 0 & 0 & 1 & 0 & 0 & 0 \end{pmatrix}^\top"
    )
    inputs = {"q": numbers(-4, 4), "qdot": numbers()}
    result = Result(RATE, "of the joint, in its frame")

    def printed(q, qdot):
        return np.array([0, 0, 1, 0, 0, 0]) * qdot

    def library(q, qdot):
        return joints.Revolute().motion_subspace([q])[:, 0] * qdot

    def reference(q, qdot):
        """Compare with differences of scipy's rotation about z."""

        def Q(t):
            pose = np.eye(4)
            pose[:3, :3] = Rotation.from_euler("z", q + t * qdot).as_matrix()
            return pose

        return twist_from_matrix(Q(0).T @ derivative(Q).value)

    implements = joints.Revolute


@section.misprint("e2.11", "Twist of the child from the twist of its parent and the rate of its joint")
class e2_11:
    page_2019 = Page(
        22,
        r"${}^i_0\mathrm{Ad}\,{}^0_p\mathrm{Ad}$ over ${}^i_p\mathrm{Ad}$, and ${}^i_{J_i}\mathrm{Ad}\,S$ over ${}^i_{J_i}\mathrm{Ad}_S$",
    )
    page_2021 = Page(30, page_2019.content)
    formula = r"{}^i\phi_i = \underbrace{{}_0\mathrm{Ad}\,{}^0_p\mathrm{Ad}}_{{}_p\mathrm{Ad}}\,{}^p\phi_p + \underbrace{{}_i\mathrm{Ad}\,S}_{{}_{J_i}\mathrm{Ad}_S}\,\dot q_i"
    edits = (
        (
            r"\underbrace{{}_0\mathrm{Ad}\,{}^0_p\mathrm{Ad}}_{{}_p\mathrm{Ad}}",
            r"\underbrace{{}^i_0\mathrm{Ad}\,{}^0_p\mathrm{Ad}}_{{}^i_p\mathrm{Ad}}",
        ),
        (
            r"\underbrace{{}_i\mathrm{Ad}\,S}_{{}_{J_i}\mathrm{Ad}_S}",
            r"\underbrace{{}^i_{J_i}\mathrm{Ad}\,S}_{{}^i_{J_i}\mathrm{Ad}_S}",
        ),
    )
    inputs = PARENT_AND_HINGE
    result = Result(TWIST, "of the body, in its frame")

    def printed(E_i, E_p, J, phi_p, qdot):
        """Evaluate with adjoints without an upper index as adjoints to the world."""
        world = np.eye(4)
        zero_Ad, i_Ad = relative_adjoint(world, world), relative_adjoint(world, E_i)
        return zero_Ad @ relative_adjoint(world, E_p) @ phi_p + i_Ad @ S * qdot

    def library(E_i, E_p, J, phi_p, qdot):
        return child_twist_library(E_i, E_p, J, phi_p, qdot * np.eye(6)[2])

    def reference(E_i, E_p, J, phi_p, qdot):
        """Compare with differences along the motion of a body that moves with its parent and about its joint."""
        return child_twist_reference(E_i, E_p, J, phi_p, qdot * np.eye(6)[2])

    correction = (
        r"${}^i_0\mathrm{Ad}\,{}^0_p\mathrm{Ad}\,{}^p\phi_p + {}^i_{J_i}\mathrm{Ad}\,S\,\dot q_i$, in "
        r"short ${}^i_p\mathrm{Ad}\,{}^p\phi_p + {}^i_{J_i}\mathrm{Ad}_S\,\dot q_i$: upper indices are "
        "missing"
    )
    remark = (
        r"The braces of the converted text also enclose ${}^p\phi_p$ (as $P\phi_p$) and $\dot q_i$, which do not "
        "belong to the two factors that they name."
    )
    implements = reduced.twists


@section.holds("e2.12", "Twist of the first body")
class e2_12:
    page_2019 = Page(22, r"${}^1_0\mathrm{Ad}\,{}^0\phi_0 + {}^1_{J_1}\mathrm{Ad}_S\,\dot{\mathsf q}_1$")
    page_2021 = Page(30, page_2019.content)
    formula = r"{}^1\phi_1 = {}_0\mathrm{Ad}\,{}^0\phi_0 + {}_1\mathrm{Ad}_S\,\dot q_1"
    inputs = {"E_1": frames(), "J": frames(), "phi_0": twists(), "qdot": numbers()}
    result = Result(TWIST, "of the body, in its frame")

    def printed(E_1, J, phi_0, qdot):
        """Evaluate with the short forms of (2.11): from the parent 0 to 1, and S in the frame of 1."""
        zero_Ad, one_Ad_S = relative_adjoint(E_1, np.eye(4)), relative_adjoint(E_1, E_1 @ J) @ S
        return zero_Ad @ phi_0 + one_Ad_S * qdot

    def library(E_1, J, phi_0, qdot):
        return child_twist_library(E_1, np.eye(4), J, phi_0, qdot * np.eye(6)[2])

    def reference(E_1, J, phi_0, qdot):
        """Compare with differences along the motion of a body that moves with its parent and about its joint."""
        return child_twist_reference(E_1, np.eye(4), J, phi_0, qdot * np.eye(6)[2])

    remark = (
        r"The first adjoint is ${}^1_0\mathrm{Ad}$, the second ${}^1_{J_1}\mathrm{Ad}$: the check completes "
        r"their indices, which the conversion lost. It uses a moving frame 0. The world does not move: ${}^0\phi_0 = 0$, and only the "
        "second term remains."
    )
    implements = reduced.twists


# ------------------------------------------------------------------------------------------------------------
# The Jacobian, its blocks, and the cost of filling it. The oracles differentiate poses of trees.


LARGE = 1e-9

# Serial chains: frames of joints F and of bodies B in the world, and rates of the hinges.
THREE = {"F": draw_frames(3), "B": draw_frames(3), "qdot": arrays(3)}
FOUR = {"F": draw_frames(4), "B": draw_frames(4), "qdot": arrays(4)}
THREE_HINGES = assemblies(draw_parents(3), st.just(("revolute",) * 3), 3)


def serial_chains(max_length, min_length=1):
    """Draw chains of hinges of different lengths."""
    return st.integers(min_length, max_length).flatmap(
        lambda n: assemblies(st.just(tuple(range(-1, n - 1))), st.just(("revolute",) * n), n)
    )


def hinge_tree(parents, F, B):
    """Return the library's tree of bodies on hinges about z, from the frames of joints and bodies in the world."""
    links = []
    for i, parent in enumerate(parents):
        parent_frame, name = (np.eye(4), None) if parent < 0 else (F[parent], str(parent))
        placement, body = np.linalg.inv(parent_frame) @ F[i], np.linalg.inv(F[i]) @ B[i]
        links.append(reduced.Link(str(i), joints.Revolute(), np.eye(6), name, placement, body))
    return reduced.Tree(links)


def block_pattern(J, kinds):
    """Return 1 for each nonzero block of a Jacobian, by bodies and joints, shape ``(n, n)``."""
    ends = np.cumsum([0, *(body_trees.NUM_COORDINATES[kind] for kind in kinds)])
    pairs = list(pairwise(ends))
    return np.array(
        [
            [float(np.abs(J[6 * i : 6 * i + 6, start:end]).max() > LARGE) for start, end in pairs]
            for i in range(len(kinds))
        ]
    )


def diagonal_block(E, assembly, q, i):
    """Return ``Ad S`` of the joint of a body, in the frame of the body."""
    F = body_trees.joint_poses(assembly, q)
    joint_S = body_trees.joint_jacobian(assembly.kinds[i], q[body_trees.coordinate_slices(assembly)[i]])
    return adjoint_by_conjugation(np.linalg.inv(E[i]) @ F[i]) @ joint_S


@section.holds("e2.13#a", "Twist of the second body of a chain")
class e2_13_a:
    page_2019 = Page(
        22,
        r"${}^2_1\mathrm{Ad}\,{}^1_{J_1}\mathrm{Ad}_S\,\dot{\mathsf q}_1 + {}^2_{J_2}\mathrm{Ad}_S\,\dot{\mathsf q}_2$",
    )
    page_2021 = Page(30, page_2019.content)
    formula = r"{}^2\phi_2 = {}_1\mathrm{Ad}\,{}_1\mathrm{Ad}_S\,\dot q_1 + {}_2\mathrm{Ad}_S\,\dot q_2"
    inputs = THREE
    result = Result(TWIST, "of the body, in its frame")

    def printed(F, B, qdot):
        """Evaluate with the short forms of (2.11): the lower index is that of the parent."""
        Ad_1 = relative_adjoint(B[1], B[0])
        Ad_S1, Ad_S2 = relative_adjoint(B[0], F[0]) @ S, relative_adjoint(B[1], F[1]) @ S
        return Ad_1 @ Ad_S1 * qdot[0] + Ad_S2 * qdot[1]

    def library(F, B, qdot):
        return reduced.twists(hinge_tree((-1, 0, 1), F, B), np.zeros(3), qdot)[1]

    def reference(F, B, qdot):
        """Compare with the complex step of the pose of the second body along the motion of both hinges."""
        return body_trees.twists(body_trees.revolute_assembly((-1, 0, 1), F, B), np.zeros(3), qdot)[1]

    implements = reduced.twists


@section.erratum("e2.13#b", "Twist of the third body of a chain")
class e2_13_b:
    page_2019 = Page(
        22,
        r"${}^3_2\mathrm{Ad}\,{}^2_1\mathrm{Ad}\,{}^1_{J_1}\mathrm{Ad}_S\,\dot{\mathsf q}_1$ in the first term",
    )
    page_2021 = Page(30, page_2019.content)
    formula = r"{}^3\phi_3 = {}_2\mathrm{Ad}\,{}_1\mathrm{Ad}_S\,\dot q_1 + {}_2\mathrm{Ad}\,{}_2\mathrm{Ad}_S\,\dot q_2 + {}_3\mathrm{Ad}_S\,\dot q_3"
    edit = (
        r"{}_2\mathrm{Ad}\,{}_1\mathrm{Ad}_S\,\dot q_1 + {}_2\mathrm{Ad}\,{}_2\mathrm{Ad}_S\,\dot q_2 + {}_3\mathrm{Ad}_S",
        r"{}^3_2\mathrm{Ad}\,{}^2_1\mathrm{Ad}\,{}^1\mathrm{Ad}_S\,\dot q_1 + {}^3_2\mathrm{Ad}\,{}^2\mathrm{Ad}_S\,\dot q_2 + {}^3\mathrm{Ad}_S",
    )
    inputs = THREE
    result = Result(TWIST, "of the body, in its frame")

    def printed(F, B, qdot):
        Ad_2 = relative_adjoint(B[2], B[1])
        Ad_S1, Ad_S2, Ad_S3 = (relative_adjoint(B[i], F[i]) @ S for i in range(3))
        return Ad_2 @ Ad_S1 * qdot[0] + Ad_2 @ Ad_S2 * qdot[1] + Ad_S3 * qdot[2]

    def library(F, B, qdot):
        return reduced.twists(hinge_tree((-1, 0, 1), F, B), np.zeros(3), qdot)[2]

    def reference(F, B, qdot):
        """Compare with the complex step of the pose of the third body along the motion of all hinges."""
        return body_trees.twists(body_trees.revolute_assembly((-1, 0, 1), F, B), np.zeros(3), qdot)[2]

    correction = (
        r"${}^3_2\mathrm{Ad}\,{}^2_1\mathrm{Ad}\,{}^1\mathrm{Ad}_S\,\dot q_1 + "
        r"{}^3_2\mathrm{Ad}\,{}^2\mathrm{Ad}_S\,\dot q_2 + {}^3\mathrm{Ad}_S\,\dot q_3$: the first term "
        "needs another adjoint, from body 1 to body 2, as in (2.14)"
    )
    implements = reduced.twists


@section.misprint("e2.14", "Jacobian of a chain of three bodies")
class e2_14:
    page_2019 = Page(
        22,
        r"all indices: ${}^3_2\mathrm{Ad}\,{}^2_1\mathrm{Ad}\,{}^1_{J_1}\mathrm{Ad}_S$, ${}^3_2\mathrm{Ad}\,{}^2_{J_2}\mathrm{Ad}_S$, ${}^3_{J_3}\mathrm{Ad}_S$ in the last row",
    )
    page_2021 = Page(30, page_2019.content)
    formula = r"J_{mr} = \begin{pmatrix} {}_1\mathrm{Ad}_S & 0 & 0 \\ {}_2\mathrm{Ad}\,{}^1\mathrm{Ad}_S & {}_2\mathrm{Ad}_S & 0 \\ {}_3\mathrm{Ad}\,{}^2\mathrm{Ad}\,{}^1\mathrm{Ad}_S & {}_3\mathrm{Ad}\,{}^2\mathrm{Ad}_S & {}_3\mathrm{Ad}_S \end{pmatrix}"
    edits = (
        (r"{}_3\mathrm{Ad}\,{}^2\mathrm{Ad}\,{}^1", r"{}^3_2\mathrm{Ad}\,{}^2_1\mathrm{Ad}\,{}^1"),
        (r"{}_3\mathrm{Ad}\,{}^2\mathrm{Ad}_S", r"{}^3_2\mathrm{Ad}\,{}^2\mathrm{Ad}_S"),
        (r"{}_2\mathrm{Ad}\,{}^1", r"{}^2_1\mathrm{Ad}\,{}^1"),
        (r"{}_1\mathrm{Ad}_S", r"{}^1\mathrm{Ad}_S"),
        (r"{}_2\mathrm{Ad}_S", r"{}^2\mathrm{Ad}_S"),
        (r"{}_3\mathrm{Ad}_S", r"{}^3\mathrm{Ad}_S"),
    )
    inputs = FOUR
    result = Result(TWIST, "of each body, in its frame")

    def printed(F, B, qdot):
        """Return the twists if the lower index of Ad is that of the parent, as in (2.13).

        The last body ends the chain.
        """
        Ad_2, Ad_3 = relative_adjoint(B[2], B[1]), relative_adjoint(B[3], B[2])
        Ad_S1, Ad_S2, Ad_S3 = (relative_adjoint(B[i], F[i]) @ S for i in range(3))
        zero = np.zeros(6)
        J_mr = np.block(
            [
                [Ad_S1[:, None], zero[:, None], zero[:, None]],
                [(Ad_2 @ Ad_S1)[:, None], Ad_S2[:, None], zero[:, None]],
                [(Ad_3 @ Ad_2 @ Ad_S1)[:, None], (Ad_3 @ Ad_S2)[:, None], Ad_S3[:, None]],
            ]
        )
        return J_mr @ qdot[:3]

    def library(F, B, qdot):
        return (reduced.jacobian(hinge_tree((-1, 0, 1, 2), F, B), np.zeros(4)) @ qdot)[:18]

    def reference(F, B, qdot):
        """Compare with the complex step of the poses of the first three bodies along the motion of all hinges."""
        return body_trees.twists(body_trees.revolute_assembly((-1, 0, 1, 2), F, B), np.zeros(4), qdot)[
            :3
        ].ravel()

    correction = (
        r"$\begin{pmatrix} {}^1\mathrm{Ad}_S & 0 & 0 \\ {}^2_1\mathrm{Ad}\,{}^1\mathrm{Ad}_S & "
        r"{}^2\mathrm{Ad}_S & 0 \\ {}^3_2\mathrm{Ad}\,{}^2_1\mathrm{Ad}\,{}^1\mathrm{Ad}_S & "
        r"{}^3_2\mathrm{Ad}\,{}^2\mathrm{Ad}_S & {}^3\mathrm{Ad}_S \end{pmatrix}$: indices are missing, "
        "and the remaining one is that of the row, where (2.11) and (2.13) have that of the parent"
    )
    implements = reduced.jacobian


@section.holds(
    "t762#a", "The twist of a body depends on the rates of its own joint and its ancestors' joints"
)
class t762_a:
    formula = r"J(i, a) \ne 0 \iff a \text{ is } i \text{ or one of its ancestors}"
    inputs = CONFIGURATION
    result = Result(NUMBER, "1 if a joint moves a body: a row for each body, a column for each joint")

    def printed(assembly, q):
        pattern = np.eye(4)
        for i, parent in enumerate(assembly.parents):
            if parent >= 0:
                pattern[i] += pattern[parent]
        return pattern

    def library(assembly, q):
        return block_pattern(reduced.jacobian(tree_of(assembly), q), assembly.kinds)

    def reference(assembly, q):
        """Find which poses change with which coordinates, by complex steps."""
        rates = complex_steps.partial_derivatives(lambda x: body_trees.poses(assembly, x), q)
        is_moved = np.abs(rates).max(axis=(-2, -1)) > LARGE
        return np.stack(
            [is_moved[part].any(axis=0) for part in body_trees.coordinate_slices(assembly)], axis=-1
        )

    implements = reduced.jacobian


@section.holds("t762#b", "The Jacobian of a serial chain is block lower triangular")
class t762_b:
    formula = r"J(i, a) = 0 \text{ for } a > i, \text{ not zero for } a \le i"
    inputs = {"assembly": serial_chains(5, 2), "rates": arrays(5)}
    result = Result(NUMBER, "1 if a joint moves a body: a row for each body, a column for each joint")

    def printed(assembly, rates):
        return np.tril(np.ones((len(assembly.parents),) * 2))

    def library(assembly, rates):
        return block_pattern(
            reduced.jacobian(tree_of(assembly), rates[: len(assembly.parents)]), assembly.kinds
        )

    def reference(assembly, rates):
        """Find which poses change with which coordinates, by complex steps."""
        q = rates[: assembly.num_coordinates]
        changes = complex_steps.partial_derivatives(lambda x: body_trees.poses(assembly, x), q)
        return (np.abs(changes).max(axis=(-2, -1)) > LARGE).T

    remark = "The same is true of any tree whose parents come before their children, with more zeros."
    implements = reduced.jacobian


@section.holds("t766#a", "Recursion for the blocks left of the diagonal")
class t766_a:
    page_2019 = Page(22, r"${}^i_{i-1}\mathrm{Ad}$")
    page_2021 = Page(30, page_2019.content)
    formula = r"J(i, a) = {}_i\mathrm{Ad}\,J(i - 1, a)"
    inputs = SERIAL
    result = Result(
        matrix_quantity(SCREW, NUMBER),
        "of each body, in its frame: a column for each coordinate of the joints",
    )

    def printed(assembly, q):
        E, J = body_trees.poses(assembly, q), np.zeros((4, 6, 4))
        for i in range(4):
            J[i, :, i : i + 1] = diagonal_block(E, assembly, q, i)
            i_Ad = adjoint_by_conjugation(np.linalg.inv(E[i]) @ E[i - 1])
            for a in range(i):
                J[i, :, a] = i_Ad @ J[i - 1, :, a]
        return J.reshape(24, 4)

    def library(assembly, q):
        return reduced.jacobian(tree_of(assembly), q)

    def reference(assembly, q):
        """Compare with complex steps of all poses."""
        return body_trees.jacobian(assembly, q)

    implements = reduced.jacobian


def matches_row_above(assembly, q, J, i):
    """Return True if row ``i - 1``, transformed to body i, equals row i left of the diagonal."""
    E = reduced.poses(tree_of(assembly), q).body_poses
    count = sum(body_trees.NUM_COORDINATES[kind] for kind in assembly.kinds[:i])
    transformed_row = adjoint_by_conjugation(np.linalg.inv(E[i]) @ E[i - 1]) @ J[6 * i - 6 : 6 * i, :count]
    return np.abs(transformed_row - J[6 * i : 6 * i + 6, :count]).max() < LARGE


@section.holds("t766#b", "In a tree, the row above need not belong to the parent")
class t766_b:
    page_2019 = Page(22, r"${}^i_{i-1}\mathrm{Ad}$")
    page_2021 = Page(30, page_2019.content)
    formula = r"J(i, a) = {}_i\mathrm{Ad}\,J(i - 1, a) \text{ for all } a < i \iff i - 1 \text{ is the parent of } i"
    inputs = CONFIGURATION
    result = Result(NUMBER, "1 if the recursion holds, for each body")

    def printed(assembly, q):
        return [float(parent == i - 1) for i, parent in enumerate(assembly.parents)]

    def library(assembly, q):
        J = reduced.jacobian(tree_of(assembly), q)
        return [1.0, *(float(matches_row_above(assembly, q, J, i)) for i in range(1, 4))]

    def reference(assembly, q):
        """Check by complex steps that all coordinates that move the previous body move this one rigidly with it."""
        E = body_trees.poses(assembly, q)
        rates = complex_steps.partial_derivatives(lambda x: body_trees.poses(assembly, x), q)
        flags = [1.0]
        for i in range(1, 4):
            count = body_trees.coordinate_slices(assembly)[i].start
            rigid_rates = rates[:count, i - 1] @ np.linalg.inv(E[i - 1]) @ E[i]
            flags.append(float(np.abs(rigid_rates - rates[:count, i]).max() < LARGE))
        return flags

    implements = reduced.jacobian


@section.holds("t766#c", "Algorithm 1 must be called in the order of tree traversal, from the root")
class t766_c:
    formula = r"\text{Algorithm 1 is right} \iff \text{parents are called before their children}"
    inputs = {"assembly": THREE_HINGES, "q": arrays(3), "order": st.permutations(range(3)).map(tuple)}
    result = Result(NUMBER)

    def printed(assembly, q, order):
        positions = [order.index(i) for i in range(3)]
        return float(
            all(parent < 0 or positions[parent] < positions[i] for i, parent in enumerate(assembly.parents))
        )

    def library(assembly, q, order):
        """Return True if the tree keeps the order of its links, which needs parents before their children."""
        links = tree_of(assembly).links
        sorted_links = reduced.Tree([links[i] for i in order]).links
        return float([link.name for link in sorted_links] == [str(i) for i in order])

    def reference(assembly, q, order):
        """Compare Algorithm 1, called in that order, with complex steps of the poses."""
        E, F, J = body_trees.poses(assembly, q), body_trees.joint_poses(assembly, q), np.zeros((3, 6, 3))
        for i in order:
            J[i, :, i] = adjoint_by_conjugation(np.linalg.inv(E[i]) @ F[i])[:, 2]
            parent = a = assembly.parents[i]
            while a >= 0:
                J[i, :, a] = adjoint_by_conjugation(np.linalg.inv(E[i]) @ E[parent]) @ J[parent, :, a]
                a = assembly.parents[a]
        return float(np.allclose(J.reshape(18, 3), body_trees.jacobian(assembly, q), atol=LARGE))

    implements = reduced.Tree


@section.holds("t766#d", "The Jacobian of a chain has O(n^2) blocks, each filled by one product")
class t766_d:
    formula = r"\tfrac12 n(n + 1) \text{ blocks, } \tfrac12 n(n - 1) \text{ products}: O(n^2)"
    inputs = {"assembly": serial_chains(7), "angles": arrays(7)}
    result = Result(NUMBER, "numbers of blocks and of products")

    def printed(assembly, angles):
        n = len(assembly.parents)
        return [n * (n + 1) / 2, n * (n - 1) / 2]

    def library(assembly, angles):
        n = len(assembly.parents)
        is_nonzero = block_pattern(reduced.jacobian(tree_of(assembly), angles[:n]), assembly.kinds)
        return [is_nonzero.sum(), is_nonzero.sum() - n]

    def reference(assembly, angles):
        """Count the pairs of bodies and coordinates in which the coordinate moves the body, by complex steps."""
        rates = complex_steps.partial_derivatives(
            lambda x: body_trees.poses(assembly, x), angles[: assembly.num_coordinates]
        )
        is_moved = np.abs(rates).max(axis=(-2, -1)) > LARGE
        return [is_moved.sum(), is_moved.sum() - np.trace(is_moved)]

    remark = (
        "This is the count for a chain. In a tree the number of nonzero blocks is the sum of the depths "
        r"of all bodies, only about $n\log_2 n$ for a balanced binary tree."
    )
    implements = reduced.jacobian


@section.holds("t766#e", "Product of the Jacobian with a vector in O(n)")
class t766_e:
    formula = r"J\dot{\mathbf q} \text{ in } O(n)"
    inputs = MOTION
    result = Result(TWIST, "of each body, in its frame")

    def printed(assembly, q, qdot):
        """Evaluate (2.11) from the root; J itself is never filled."""
        E, phi = body_trees.poses(assembly, q), np.zeros((4, 6))
        for i, parent in enumerate(assembly.parents):
            phi[i] = diagonal_block(E, assembly, q, i) @ qdot[body_trees.coordinate_slices(assembly)[i]]
            if parent >= 0:
                phi[i] += adjoint_by_conjugation(np.linalg.inv(E[i]) @ E[parent]) @ phi[parent]
        return phi.ravel()

    def library(assembly, q, qdot):
        return reduced.twists(tree_of(assembly), q, qdot).ravel()

    def reference(assembly, q, qdot):
        """Compare with the complex step of all poses along the motion."""
        return body_trees.twists(assembly, q, qdot).ravel()

    remark = (
        "`rbnotes.multibody.reduced.twists` uses this recursion. Section 2.10 has it for the rate and "
        "for the transpose of the Jacobian."
    )
    implements = reduced.twists
