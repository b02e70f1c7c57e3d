"""Sueda 2.4.5: what three angles cannot do, where their S is singular, and where its rate goes."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rbnotes.joints import (
    Composite,
    EulerSpherical,
    QuaternionSpherical,
    Revolute,
    euler_sequences,
)
from rbnotes.ledger.claims.sueda.section_2_4_5 import euler_columns_rate
from rbnotes.ledger.oracles.joint_poses import (
    motion_subspace,
    motion_subspace_rate,
    rotation_sequence,
    screws,
)
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation
from rbnotes.ledger.quantities import NUMBER, POSE, TWIST, matrix_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody import reduced
from rbnotes.testing import derivative
from rbnotes.testing.strategies import arrays, frames, unit_vectors, vectors

CHAPTER = "spheres-without-singularities"
QUATERNION = np.array([0.5, -0.1, 0.7, 0.5])


QUANTITIES = {"B": POSE, "P": POSE, "a": NUMBER, "b": NUMBER, "c": NUMBER}


def angular_columns(a, b, c, q):
    return motion_subspace(screws(*(np.append(axis, np.zeros(3)) for axis in (a, b, c))), q)[:3]


def limb(P, B):
    """A hinge, a ball joint on its moving frame at P, and its body at B."""
    return reduced.Tree(
        [
            reduced.Link("hinge", Revolute((0.0, 1.0, 0.0))),
            reduced.Link("ball", EulerSpherical("XZX"), np.eye(6), "hinge", P, B),
        ]
    )


@claim("sueda/s2.4.5/t888#a", "Three angles are singular somewhere, whatever their axes")
class t888_a:
    formula = r"\text{`With any 3-parameter representation, there will be a singularity somewhere.'}"
    inputs = {"a": unit_vectors(), "b": unit_vectors(), "c": unit_vectors(), "q": vectors()}
    result = NUMBER

    def printed(a, b, c, q):
        """det S of the upper rows half a turn of the second angle on: the other sign, so zero in between."""
        turned = Rotation.from_rotvec(-q[1] * b).as_matrix() @ a
        return np.cross(b, turned) @ c

    def library(a, b, c, q):
        return -np.linalg.det(Composite(Revolute(a), Revolute(b), Revolute(c)).motion_subspace(q)[:3])

    oracle = "the determinant half a turn of the second angle on, from the complex step through exponentials"

    def reference(a, b, c, q):
        return np.linalg.det(angular_columns(a, b, c, q + np.array([0, np.pi, 0])))

    verdict = Verdict.HOLDS
    remark = (
        r"Of any three axes, not only those of a frame: $\det\hat S$ changes its sign within half a turn of the "
        r"second angle. In general it is a theorem of topology: no three numbers describe all rotations, one to "
        r"one and with a regular derivative. One has to give up something: the exponential map is regular within the "
        r"ball of radius $2\pi$ and reaches every rotation there, but a body that goes on turning leaves the ball."
    )
    implemented_by = ("rbnotes.joints.Composite",)
    chapter = CHAPTER


@claim("sueda/s2.4.5/t888#b", "Where each of the twelve sequences is singular")
class t888_b:
    formula = r"\text{`a singularity somewhere'}"
    inputs = {"sequence": st.sampled_from(euler_sequences()), "q": vectors(3, -3, 3)}
    result = NUMBER

    def printed(sequence, q):
        """Smallest singular value: zero where the last axis is back on the first one."""
        along = np.cos(q[1]) if sequence[0] == sequence[2] else np.sin(q[1])
        return np.sqrt(1 - abs(along))

    def library(sequence, q):
        return EulerSpherical(sequence).distance_to_singularity(q)

    oracle = "the singular values of the columns that the complex step gives"

    def reference(sequence, q):
        return np.linalg.svd(motion_subspace(rotation_sequence(sequence), q), compute_uv=False)[2]

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    remark = (
        r"XZX, and every sequence that repeats its first axis: where $\sin q_2 = 0$. Three different axes: where "
        r"$\cos q_2 = 0$."
    )
    implemented_by = ("rbnotes.joints.EulerSpherical",)
    chapter = CHAPTER


@claim(
    "sueda/s2.4.5/t888#c",
    "More than three parameters take constraints: a quaternion has four, and one constraint",
)
class t888_c:
    formula = r"\text{`With more than 3 parameters, we require constraints'}"
    result = NUMBER

    def printed():
        return [4, 4 - 3]

    def library():
        joint = QuaternionSpherical()
        return [joint.num_coordinates, joint.coordinate_constraint_jacobian(QUATERNION).shape[0]]

    oracle = (
        "numbers of a quaternion, and how many independent rates of them turn nothing, by scipy's rotations"
    )

    def reference():
        def turned(p):
            return Rotation.from_quat(p).as_matrix()

        slopes = [derivative(lambda t, e=e: turned(QUATERNION + t * e)).value.ravel() for e in np.eye(4)]
        return [len(slopes), len(slopes) - np.linalg.matrix_rank(np.array(slopes), tol=1e-8)]

    tolerance = 0.0
    verdict = Verdict.DEMONSTRATION
    implemented_by = ("rbnotes.joints.QuaternionSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.5/t890", "S has a column for each coordinate: one of a hinge, three of three angles")
class t890:
    formula = r"S \in \mathbb R^{6\times1},\quad S \in \mathbb R^{6\times3}"
    result = NUMBER

    def printed():
        return [6, 1, 6, 3]

    def library():
        return [
            *Revolute().motion_subspace([0.5]).shape,
            *EulerSpherical("XZX").motion_subspace([0.5, 1.0, 1.5]).shape,
        ]

    oracle = "the independent twists of a hinge and of a ball joint, by the complex step through exponentials"

    def reference():
        hinge, ball = (
            motion_subspace(rotation_sequence("Z"), np.array([0.5])),
            motion_subspace(rotation_sequence("XZX"), np.array([0.5, 1.0, 1.5])),
        )
        return [n for S in (hinge, ball) for n in (len(S), np.linalg.matrix_rank(S))]

    tolerance = 0.0
    verdict = Verdict.DEMONSTRATION
    implemented_by = ("rbnotes.joints.EulerSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.5/t918", "The rate of S goes into the rate of the tree's Jacobian")
class t918:
    formula = r"\dot J(i,i) = {}^i_{J_i}\mathrm{Ad}\,\dot S \ne 0"
    inputs = {"P": frames(), "B": frames(), "q": arrays(4), "qdot": arrays(4)}
    result = matrix_quantity(TWIST, NUMBER)

    def printed(P, B, q, qdot):
        return adjoint_by_conjugation(np.linalg.inv(B)) @ euler_columns_rate(q[1:4], qdot[1:4])

    def library(P, B, q, qdot):
        model = limb(P, B)
        i = model.index("ball")
        return reduced.jacobian_rate(model, q, qdot)[6 * i : 6 * i + 6, model.coordinate_slices[i]]

    oracle = "differences along the motion of the body's twists for unit rates, by scipy's exponentials"

    def reference(P, B, q, qdot):
        """Of the body on the ball joint, whose resting frame is where a hinge about y has brought P."""
        at, ball = rotation_sequence("Y")(q[:1]) @ P, rotation_sequence("XZX")
        return motion_subspace_rate(lambda q: at @ ball(q) @ B, q[1:4], qdot[1:4])

    verdict = Verdict.HOLDS
    remark = r"Not zero wherever $\dot q_2$ or $\dot q_3$ is not; turning the first angle alone leaves $S$ as it is."
    implemented_by = ("rbnotes.multibody.reduced.jacobian_rate",)
    chapter = CHAPTER
