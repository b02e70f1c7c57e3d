"""Si & Guenter 4: how the bodies of a tree move, eqs. (6) to (12). The oracles differ poses in the world."""

from __future__ import annotations

import numpy as np

from rbnotes import joints, se3
from rbnotes.ledger.claims.si.appendix_c import rate_library, rate_reference
from rbnotes.ledger.claims.si.section_4_trees import CHAPTER, MOVING, PLACED
from rbnotes.ledger.oracles import body_trees, complex_steps
from rbnotes.ledger.oracles.body_quantities import (
    adjoint_matrix,
    body_quantities,
    lie_bracket_matrix,
    relative_poses,
)
from rbnotes.ledger.oracles.body_quantities_inputs import library_tree_of
from rbnotes.ledger.oracles.pose_products import derivative_along_motion
from rbnotes.ledger.oracles.twists import twist_from_matrix, twist_matrix
from rbnotes.ledger.quantities import (
    ADJOINT,
    LENGTH,
    NUMBER,
    POSE,
    POSE_RATE,
    RATE,
    SCREW,
    TIME,
    TWIST,
    VELOCITY,
    matrix_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody import reduced
from rbnotes.testing.strategies import arrays, frames, numbers, twists

POSES = "poses in the world, each moved by all joints before it; their complex steps along the motion"


QUANTITIES = {"G": POSE, "v": TWIST}


@claim("si/s4/t87", "Names: the parent of a link, and where links are")
class t87:
    formula = (
        r"\lambda(i) = \text{the parent of link } i,\quad \mathbf T_i = \text{its pose in the inertial frame}"
    )
    defines = (r"\lambda(i)", r"\mathbf T_i")
    verdict = Verdict.DEFINITION
    remark = "Links that hang in the world have the parent 0, which the paper leaves to the reader."
    implemented_by = ("rbnotes.multibody.reduced.Tree",)
    chapter = CHAPTER


@claim("si/s4/e6", "The pose of a body, from that of its parent")
class e6:
    formula = r"\mathbf T_i = \mathbf T_{\lambda(i)}\mathbf G_i"
    inputs = PLACED
    result = POSE

    def printed(assembly, q):
        G = relative_poses(assembly, q)
        T = np.zeros_like(G)
        for i, parent in enumerate(assembly.parents):
            T[i] = T[parent] @ G[i] if parent >= 0 else G[i]
        return T

    def library(assembly, q):
        return reduced.poses(library_tree_of(assembly), q).bodies

    oracle = "all joints before a body move it in the world, one after the other"

    def reference(assembly, q):
        return body_trees.poses(assembly, q)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.multibody.reduced.poses",)
    chapter = CHAPTER


@claim("si/s4/e7", "The twist of a body, as a matrix")
class e7:
    formula = (
        r"\hat{\mathbf v}_i = \mathbf T_i^{-1}\dot{\mathbf T}_i = (\mathbf T_{\lambda(i)}\mathbf G_i)^{-1}"
        r"(\dot{\mathbf T}_{\lambda(i)}\mathbf G_i + \mathbf T_{\lambda(i)}\dot{\mathbf G}_i) = "
        r"\mathbf G_i^{-1}\hat{\mathbf v}_{\lambda(i)}\mathbf G_i + \mathbf G_i^{-1}\dot{\mathbf G}_i"
    )
    inputs = MOVING
    result = POSE_RATE

    def printed(assembly, q, qdot):
        """The last two lines, one above the other."""
        G, Gdot = (
            relative_poses(assembly, q),
            derivative_along_motion(lambda x: relative_poses(assembly, x), q, qdot),
        )
        T, Tdot = (
            body_trees.poses(assembly, q),
            derivative_along_motion(lambda x: body_trees.poses(assembly, x), q, qdot),
        )
        second, third = np.zeros_like(G), np.zeros_like(G)
        for i, parent in enumerate(assembly.parents):
            before, before_dot, v = np.eye(4), np.zeros((4, 4)), np.zeros((4, 4))
            if parent >= 0:
                before, before_dot, v = T[parent], Tdot[parent], third[parent]
            second[i] = np.linalg.inv(before @ G[i]) @ (before_dot @ G[i] + before @ Gdot[i])
            third[i] = np.linalg.inv(G[i]) @ v @ G[i] + np.linalg.inv(G[i]) @ Gdot[i]
        return np.concatenate([second, third])

    def library(assembly, q, qdot):
        found = se3.hat(reduced.twists(library_tree_of(assembly), q, qdot))
        return np.concatenate([found, found])

    oracle = POSES

    def reference(assembly, q, qdot):
        found = [twist_matrix(phi) for phi in body_trees.twists(assembly, q, qdot)]
        return np.stack([*found, *found])

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.multibody.reduced.twists", "rbnotes.se3.hat")
    chapter = CHAPTER


@claim("si/s4/e8", "The twist of a body, from that of its parent")
class e8:
    formula = r"\mathbf v_i = \mathrm{Ad}_{f_{\lambda(i),i}^{-1}}\mathbf v_{\lambda(i)} + \mathbf S_i\dot{\mathbf q}_i"
    inputs = MOVING
    result = TWIST

    def printed(assembly, q, qdot):
        at = body_quantities(assembly, q, qdot)
        v = np.zeros((3, 6))
        for i, parent in enumerate(at.parents):
            v[i] = at.S[i] @ qdot[at.coordinate_slices[i]]
            if parent >= 0:
                v[i] += at.A[i] @ v[parent]
        return v

    def library(assembly, q, qdot):
        return reduced.twists(library_tree_of(assembly), q, qdot)

    oracle = POSES

    def reference(assembly, q, qdot):
        return body_trees.twists(assembly, q, qdot)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.multibody.reduced.twists",)
    chapter = CHAPTER


@claim("si/s4/e9", "The columns of S")
class e9:
    formula = (
        r"\mathbf S_i = \left[\left(\mathbf G_i^{-1}\frac{\partial\mathbf G_i}{\partial q_i^1}\right)^\vee"
        r" \ \cdots\ \left(\mathbf G_i^{-1}\frac{\partial\mathbf G_i}{\partial q_i^{d_i}}\right)^\vee\right]"
    )
    inputs = PLACED
    result = matrix_quantity(SCREW, NUMBER)

    def printed(assembly, q):
        G = relative_poses(assembly, q)
        slopes = complex_steps.partial_derivatives(lambda x: relative_poses(assembly, x), q)
        columns = []
        for i, own in enumerate(body_trees.coordinate_slices(assembly)):
            columns += [twist_from_matrix(np.linalg.inv(G[i]) @ slopes[place, i]) for place in range(6)[own]]
        return np.stack(columns, axis=-1)

    def library(assembly, q):
        return np.concatenate(reduced.motion_subspaces(library_tree_of(assembly), q), axis=-1)

    oracle = "complex steps of the body's pose in the world while one coordinate of its joint moves"

    def reference(assembly, q):
        J = body_trees.jacobian(assembly, q)
        blocks = [J[6 * i : 6 * i + 6, own] for i, own in enumerate(body_trees.coordinate_slices(assembly))]
        return np.concatenate(blocks, axis=1)

    verdict = Verdict.HOLDS
    remark = r"Each $\mathbf S_i$ has six rows and a column for each of the $d_i$ coordinates."
    implemented_by = ("rbnotes.multibody.reduced.motion_subspaces",)
    chapter = CHAPTER


@claim("si/s4/t105", "The rate of the adjoint of an inverse pose")
class t105:
    formula = (
        r"\tfrac{d}{dt}\mathrm{Ad}_{\mathbf T_{-1}} = -\mathrm{ad}_{\mathbf v}\,\mathrm{Ad}_{\mathbf T_{-1}}"
    )
    inputs = {"T": frames(), "v": twists()}
    result = ADJOINT / TIME

    def printed(T, v):
        """With the pose of some link -1 in the place of the inverse pose."""
        return -lie_bracket_matrix(v) @ adjoint_matrix(T)

    library = rate_library
    oracle = "differences of conjugations with the inverse pose along a motion with this twist"
    reference = rate_reference
    verdict = Verdict.MISPRINT
    scan = True
    correction = (
        r"$\tfrac{d}{dt}\mathrm{Ad}_{\mathbf T^{-1}} = -\mathrm{ad}_{\mathbf v}\,\mathrm{Ad}_{\mathbf T^{-1}}$, as "
        r"appendix C has it: the inverse pose, not a link of number $-1$."
    )
    implemented_by = ("rbnotes.se3.Ad_inverse_dot",)
    chapter = CHAPTER


@claim("si/s4/e10", "The rate of the adjoint from the parent")
class e10:
    formula = (
        r"\dot{\mathrm{Ad}}_{f_{\lambda(i),i}^{-1}} = -\mathrm{ad}_{\mathbf S_i\dot{\mathbf q}_i}"
        r"\mathrm{Ad}_{f_{\lambda(i),i}^{-1}}"
    )
    inputs = {**MOVING, "qdot": arrays(6).filter(np.any)}
    result = ADJOINT / TIME

    def printed(assembly, q, qdot):
        at = body_quantities(assembly, q, qdot)
        each = zip(at.S, at.coordinate_slices, at.A, strict=True)
        return np.stack([-lie_bracket_matrix(S @ qdot[own]) @ A for S, own, A in each])

    def library(assembly, q, qdot):
        mechanism = library_tree_of(assembly)
        A, S = reduced.parent_motion_transforms(mechanism, q), reduced.motion_subspaces(mechanism, q)
        own = [se3.ad(S_i @ qdot[part]) for S_i, part in zip(S, mechanism.coordinate_slices, strict=True)]
        return -np.stack(own) @ A

    oracle = "differences, along the motion, of conjugations of unit twists with the inverse pose"

    def reference(assembly, q, qdot):
        def conjugated(x):
            G = relative_poses(assembly, x)
            moved = [np.linalg.inv(G) @ twist_matrix(unit) @ G for unit in np.eye(6)]
            return np.stack([np.stack([_vee(X[..., i, :, :]) for i in range(3)], -2) for X in moved], -1)

        return derivative_along_motion(conjugated, q, qdot)

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.multibody.reduced.parent_motion_transforms",
        "rbnotes.multibody.reduced.motion_subspaces",
    )
    chapter = CHAPTER


def _vee(X):
    """Of matrices with leading axes."""
    return np.stack([X[..., 2, 1], X[..., 0, 2], X[..., 1, 0], *np.moveaxis(X[..., :3, 3], -1, 0)], axis=-1)


@claim("si/s4/e11", "The rate of a body's twist")
class e11:
    formula = (
        r"\dot{\mathbf v}_i = \mathrm{Ad}_{f_{\lambda(i),i}^{-1}}\dot{\mathbf v}_{\lambda(i)} - "
        r"\mathrm{ad}_{\mathbf S_i\dot{\mathbf q}_i}\mathrm{Ad}_{f_{\lambda(i),i}^{-1}}\mathbf v_{\lambda(i)} + "
        r"\dot{\mathbf S}_i\dot{\mathbf q}_i + \mathbf S_i\ddot{\mathbf q}_i"
    )
    inputs = {**MOVING, "qddot": arrays(6)}
    result = TWIST / TIME

    def printed(assembly, q, qdot, qddot):
        at = body_quantities(assembly, q, qdot)
        vdot = np.zeros((3, 6))
        for i, parent in enumerate(at.parents):
            own = at.coordinate_slices[i]
            vdot[i] = at.Sdot[i] @ qdot[own] + at.S[i] @ qddot[own]
            if parent >= 0:
                vdot[i] += (
                    at.A[i] @ vdot[parent] - lie_bracket_matrix(at.S[i] @ qdot[own]) @ at.A[i] @ at.v[parent]
                )
        return vdot

    def library(assembly, q, qdot, qddot):
        moving = reduced.body_kinematics(library_tree_of(assembly), q, qdot)
        return moving.J @ qddot + moving.bias_acceleration

    oracle = "differences of the twists along a motion with these accelerations"

    def reference(assembly, q, qdot, qddot):
        return body_trees.twist_rates(assembly, q, qdot, qddot)

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.multibody.reduced.body_kinematics",)
    chapter = CHAPTER


@claim("si/s4/e12", "The rate of S")
class e12:
    formula = (
        r"\dot{\mathbf S}_i = \frac{\partial\mathbf S_i}{\partial q_i^1}\dot q_i + \cdots + "
        r"\frac{\partial\mathbf S_i}{\partial q_i^{d_i}}\dot q_i^{d_i}"
    )
    inputs = {"q": arrays(2), "qdot": arrays(2)}
    result = RATE

    def printed(q, qdot):
        """Of a universal joint, which has two coordinates."""
        unit = np.eye(2)
        slopes = [
            derivative_along_motion(lambda x: body_trees.joint_jacobian("universal", x), q, axis)
            for axis in unit
        ]
        return slopes[0] @ qdot + slopes[1] * qdot[1]

    def library(q, qdot):
        return joints.Universal().motion_subspace_rate(q, qdot)

    oracle = "differences of S, which is complex steps of the pose, along the motion"

    def reference(q, qdot):
        return derivative_along_motion(lambda x: body_trees.joint_jacobian("universal", x), q, qdot)

    tolerance = 1e-8
    undefined = "a column, the slope of S times all rates, is added to matrices"
    verdict = Verdict.MISPRINT
    scan = True
    correction = (
        r"The first rate is $\dot q_i^1$, as in the last term: $\dot{\mathbf S}_i = \sum_j"
        r"\frac{\partial\mathbf S_i}{\partial q_i^j}\dot q_i^j$."
    )
    remark = (
        r"It takes second derivatives of $\mathbf G_i$ (line 129); what dynamics needs of them is the one vector "
        r"$\dot{\mathbf S}_i\dot{\mathbf q}_i$."
    )
    implemented_by = ("rbnotes.joints.Universal",)
    chapter = CHAPTER


@claim("si/s4/t129", "S of a revolute joint about z, and its rate")
class t129:
    formula = r"\mathbf S_i = [0, 0, 1, 0, 0, 0]^T,\quad \dot{\mathbf S}_i = [0, 0, 0, 0, 0, 0]^T"
    inputs = {"G": frames(), "q": numbers(), "qdot": numbers()}
    result = vector_quantity((LENGTH, 3), *2 * ((RATE, 3), (VELOCITY, 3)))

    def printed(G, q, qdot):
        """As the twist of a body on a hinge that stands anywhere in its parent, and the rate of that twist."""
        S, S_dot = np.array([0, 0, 1, 0, 0, 0]), np.array([0, 0, 0, 0, 0, 0])
        turning = np.concatenate([S * qdot, S_dot])
        return np.concatenate([G[:3, 3], turning])

    def library(G, q, qdot):
        hinge = joints.Revolute()
        S, S_dot = hinge.motion_subspace([q]) @ [qdot], hinge.motion_subspace_rate([q], [qdot])[:, 0]
        return np.concatenate([G[:3, 3], S, S_dot])

    oracle = "differences of the body's pose in its parent while it turns about its own z axis"

    def reference(G, q, qdot):
        def twist(x):
            pose = G @ body_trees.joint_motion("revolute", x)
            turning = complex_steps.directional_derivative(
                lambda y: body_trees.joint_motion("revolute", y), x, np.ones(1)
            )
            return _vee(np.linalg.inv(pose) @ G @ turning)

        at, moving = np.array([q]), np.array([qdot])
        return np.concatenate([G[:3, 3], twist(at) * qdot, derivative_along_motion(twist, at, moving)])

    equivalent_mutants = {"negated S_dot in `[S * qdot, S_dot]`": "minus zero is zero as well"}
    verdict = Verdict.HOLDS
    remark = (
        "The z axis is that of the body's own frame, and its origin lies on it; seen from any other frame of the "
        "body S has other numbers, which still do not change."
    )
    implemented_by = ("rbnotes.joints.Revolute",)
    chapter = CHAPTER
