"""Si & Guenter 4: kinematics of a tree, eqs. (6) to (12). The oracles differentiate poses in the world."""

from __future__ import annotations

import numpy as np

from rbnotes import joints, se3
from rbnotes.ledger.claims.si.appendix_c import rate_library, rate_reference
from rbnotes.ledger.claims.si.section_4 import equations_section
from rbnotes.ledger.claims.si.section_4.trees import MOTION, POSITIONS
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
from rbnotes.ledger.record import Result
from rbnotes.multibody import reduced
from rbnotes.testing.strategies import arrays, frames, numbers, twists


@equations_section.definition("t87", "Symbols: the parent of a link, and the poses of links")
class t87:
    formula = (
        r"\lambda(i) = \text{the parent of link } i,\quad \mathbf T_i = \text{its pose in the inertial frame}"
    )
    defines = (r"\lambda(i)", r"\mathbf T_i")
    remark = "Links that are attached to the world have the parent 0, which the paper does not define."
    implements = reduced.Tree


@equations_section.holds("e6", "The pose of a body, from that of its parent")
class e6:
    formula = r"\mathbf T_i = \mathbf T_{\lambda(i)}\mathbf G_i"
    inputs = POSITIONS
    result = Result(POSE, "of each body in the world")

    def printed(assembly, q):
        G = relative_poses(assembly, q)
        T = np.zeros_like(G)
        for i, parent in enumerate(assembly.parents):
            T[i] = T[parent] @ G[i] if parent >= 0 else G[i]
        return T

    def library(assembly, q):
        return reduced.poses(library_tree_of(assembly), q).body_poses

    def reference(assembly, q):
        """Move each body in the world by all joints before it, one after the other."""
        return body_trees.poses(assembly, q)

    remark = (
        r"The parent of a link that is attached to the world is the inertial frame, $\mathbf T_0 = \mathbf I$; "
        "parents are visited before their children."
    )
    implements = reduced.poses


@equations_section.holds("e7", "The twist of a body, as a matrix")
class e7:
    formula = r"\hat{\mathbf v}_i = \mathbf T_i^{-1}\dot{\mathbf T}_i = (\mathbf T_{\lambda(i)}\mathbf G_i)^{-1}(\dot{\mathbf T}_{\lambda(i)}\mathbf G_i + \mathbf T_{\lambda(i)}\dot{\mathbf G}_i) = \mathbf G_i^{-1}\hat{\mathbf v}_{\lambda(i)}\mathbf G_i + \mathbf G_i^{-1}\dot{\mathbf G}_i"
    inputs = MOTION
    result = Result(POSE_RATE, "of each body, in its frame, by each of the two forms")

    def printed(assembly, q, qdot):
        """Return the last two lines, one above the other."""
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
        twist_matrices = se3.hat(reduced.twists(library_tree_of(assembly), q, qdot))
        return np.concatenate([twist_matrices, twist_matrices])

    def reference(assembly, q, qdot):
        """Compare with complex steps, along the motion, of poses moved by all joints before each body."""
        twist_matrices = [twist_matrix(phi) for phi in body_trees.twists(assembly, q, qdot)]
        return np.stack([*twist_matrices, *twist_matrices])

    implements = (reduced.twists, se3.hat)


@equations_section.holds("e8", "The twist of a body, from that of its parent")
class e8:
    formula = r"\mathbf v_i = \mathrm{Ad}_{f_{\lambda(i),i}^{-1}}\mathbf v_{\lambda(i)} + \mathbf S_i\dot{\mathbf q}_i"
    inputs = MOTION
    result = Result(TWIST, "of each body, in its frame")

    def printed(assembly, q, qdot):
        quantities = body_quantities(assembly, q, qdot)
        v = np.zeros((3, 6))
        for i, parent in enumerate(quantities.parents):
            v[i] = quantities.S[i] @ qdot[quantities.coordinate_slices[i]]
            if parent >= 0:
                v[i] += quantities.A[i] @ v[parent]
        return v

    def library(assembly, q, qdot):
        return reduced.twists(library_tree_of(assembly), q, qdot)

    def reference(assembly, q, qdot):
        """Compare with complex steps, along the motion, of poses moved by all joints before each body."""
        return body_trees.twists(assembly, q, qdot)

    implements = reduced.twists


@equations_section.holds("e9", "The columns of S")
class e9:
    formula = r"\mathbf S_i = \left[\left(\mathbf G_i^{-1}\frac{\partial\mathbf G_i}{\partial q_i^1}\right)^\vee \ \cdots\ \left(\mathbf G_i^{-1}\frac{\partial\mathbf G_i}{\partial q_i^{d_i}}\right)^\vee\right]"
    inputs = POSITIONS
    result = Result(
        matrix_quantity(SCREW, NUMBER), "a column for each coordinate, in the frame of the body of its joint"
    )

    def printed(assembly, q):
        G = relative_poses(assembly, q)
        derivatives = complex_steps.partial_derivatives(lambda x: relative_poses(assembly, x), q)
        columns = []
        for i, own in enumerate(body_trees.coordinate_slices(assembly)):
            columns += [
                twist_from_matrix(np.linalg.inv(G[i]) @ derivatives[coordinate, i])
                for coordinate in range(6)[own]
            ]
        return np.stack(columns, axis=-1)

    def library(assembly, q):
        return np.concatenate(reduced.motion_subspaces(library_tree_of(assembly), q), axis=-1)

    def reference(assembly, q):
        """Compare with complex steps of the pose in the world while one coordinate of the joint moves."""
        J = body_trees.jacobian(assembly, q)
        blocks = [J[6 * i : 6 * i + 6, own] for i, own in enumerate(body_trees.coordinate_slices(assembly))]
        return np.concatenate(blocks, axis=1)

    remark = r"Each $\mathbf S_i$ has six rows and a column for each of the $d_i$ coordinates."
    implements = reduced.motion_subspaces


@equations_section.misprint("t105", "The rate of the adjoint of an inverse pose")
class t105:
    formula = (
        r"\tfrac{d}{dt}\mathrm{Ad}_{\mathbf T_{-1}} = -\mathrm{ad}_{\mathbf v}\,\mathrm{Ad}_{\mathbf T_{-1}}"
    )
    inputs = {"T": frames(), "v": twists()}
    result = Result(ADJOINT / TIME, "of the adjoint that takes twists of the world to the frame of the body")

    def printed(T, v):
        """Evaluate with the pose of a link -1 instead of the inverse pose."""
        return -lie_bracket_matrix(v) @ adjoint_matrix(T)

    library = rate_library
    reference = rate_reference
    scan = True
    correction = (
        r"$\tfrac{d}{dt}\mathrm{Ad}_{\mathbf T^{-1}} = -\mathrm{ad}_{\mathbf "
        r"v}\,\mathrm{Ad}_{\mathbf T^{-1}}$, as in appendix C, with the inverse pose, not a link "
        "of number $-1$."
    )
    replacement = r"Using the relationship $\frac{d}{dt}\mathrm{Ad}_{\mathbf T^{-1}} = -\mathrm{ad}_{\mathbf v}\,\mathrm{Ad}_{\mathbf T^{-1}}$ (see Appendix C), where $\mathbf v$ is defined in (1), we have"
    implements = se3.Ad_inverse_dot


@equations_section.holds("e10", "The rate of the adjoint from the parent")
class e10:
    formula = r"\dot{\mathrm{Ad}}_{f_{\lambda(i),i}^{-1}} = -\mathrm{ad}_{\mathbf S_i\dot{\mathbf q}_i}\mathrm{Ad}_{f_{\lambda(i),i}^{-1}}"
    inputs = {**MOTION, "qdot": arrays(6).filter(np.any)}
    result = Result(
        ADJOINT / TIME, "of the adjoints that take twists of the parent to the frame of each body"
    )

    def printed(assembly, q, qdot):
        quantities = body_quantities(assembly, q, qdot)
        each = zip(quantities.S, quantities.coordinate_slices, quantities.A, strict=True)
        return np.stack([-lie_bracket_matrix(S @ qdot[own]) @ A for S, own, A in each])

    def library(assembly, q, qdot):
        mechanism = library_tree_of(assembly)
        A, S = reduced.parent_motion_transforms(mechanism, q), reduced.motion_subspaces(mechanism, q)
        own = [se3.ad(S_i @ qdot[part]) for S_i, part in zip(S, mechanism.coordinate_slices, strict=True)]
        return -np.stack(own) @ A

    def reference(assembly, q, qdot):
        """Compare with differences, along the motion, of conjugations of unit twists with the inverse pose."""

        def adjoints(x):
            G = relative_poses(assembly, x)
            conjugates = [np.linalg.inv(G) @ twist_matrix(unit) @ G for unit in np.eye(6)]
            return np.stack([np.stack([_vee(X[..., i, :, :]) for i in range(3)], -2) for X in conjugates], -1)

        return derivative_along_motion(adjoints, q, qdot)

    tolerance = 1e-8
    implements = (reduced.parent_motion_transforms, reduced.motion_subspaces)


def _vee(X):
    """Return the twists of twist matrices with leading axes."""
    return np.stack([X[..., 2, 1], X[..., 0, 2], X[..., 1, 0], *np.moveaxis(X[..., :3, 3], -1, 0)], axis=-1)


@equations_section.holds("e11", "The rate of a body's twist")
class e11:
    formula = r"\dot{\mathbf v}_i = \mathrm{Ad}_{f_{\lambda(i),i}^{-1}}\dot{\mathbf v}_{\lambda(i)} - \mathrm{ad}_{\mathbf S_i\dot{\mathbf q}_i}\mathrm{Ad}_{f_{\lambda(i),i}^{-1}}\mathbf v_{\lambda(i)} + \dot{\mathbf S}_i\dot{\mathbf q}_i + \mathbf S_i\ddot{\mathbf q}_i"
    inputs = {**MOTION, "qddot": arrays(6)}
    result = Result(TWIST / TIME, "of each body, in its frame")

    def printed(assembly, q, qdot, qddot):
        quantities = body_quantities(assembly, q, qdot)
        vdot = np.zeros((3, 6))
        for i, parent in enumerate(quantities.parents):
            own = quantities.coordinate_slices[i]
            vdot[i] = quantities.Sdot[i] @ qdot[own] + quantities.S[i] @ qddot[own]
            if parent >= 0:
                vdot[i] += (
                    quantities.A[i] @ vdot[parent]
                    - lie_bracket_matrix(quantities.S[i] @ qdot[own]) @ quantities.A[i] @ quantities.v[parent]
                )
        return vdot

    def library(assembly, q, qdot, qddot):
        kinematics = reduced.body_kinematics(library_tree_of(assembly), q, qdot)
        return kinematics.J @ qddot + kinematics.bias_acceleration

    def reference(assembly, q, qdot, qddot):
        """Compare with differences of the twists along a motion with these accelerations."""
        return body_trees.twist_rates(assembly, q, qdot, qddot)

    tolerance = 1e-8
    implements = reduced.body_kinematics


@equations_section.misprint("e12", "The rate of S")
class e12:
    formula = r"\dot{\mathbf S}_i = \frac{\partial\mathbf S_i}{\partial q_i^1}\dot q_i + \cdots + \frac{\partial\mathbf S_i}{\partial q_i^{d_i}}\dot q_i^{d_i}"
    edit = (r"\partial q_i^1}\dot q_i +", r"\partial q_i^1}\dot q_i^1 +")
    inputs = {"q": arrays(2), "qdot": arrays(2)}
    result = Result(RATE, "a column for each coordinate, in the frame moved by the joint")

    def printed(q, qdot):
        """Evaluate the sum for a universal joint, which has two coordinates."""
        unit = np.eye(2)
        S_derivatives = [
            derivative_along_motion(lambda x: body_trees.joint_jacobian("universal", x), q, axis)
            for axis in unit
        ]
        return S_derivatives[0] @ qdot + S_derivatives[1] * qdot[1]

    def library(q, qdot):
        return joints.Universal().motion_subspace_rate(q, qdot)

    def reference(q, qdot):
        """Differentiate S along the motion, where S is a complex step of the pose."""
        return derivative_along_motion(lambda x: body_trees.joint_jacobian("universal", x), q, qdot)

    tolerance = 1e-8
    undefined = "a column, the derivative of S times all rates, is added to matrices"
    scan = True
    correction = (
        r"The first rate is $\dot q_i^1$, as in the last term: $\dot{\mathbf S}_i = \sum_j"
        r"\frac{\partial\mathbf S_i}{\partial q_i^j}\dot q_i^j$."
    )
    remark = (
        r"It contains second derivatives of $\mathbf G_i$ (line 129). Dynamics only needs the "
        r"vector $\dot{\mathbf S}_i\dot{\mathbf q}_i$."
    )
    implements = joints.Universal


@equations_section.holds("t129", "S of a revolute joint about z, and its rate")
class t129:
    formula = r"\mathbf S_i = [0, 0, 1, 0, 0, 0]^T,\quad \dot{\mathbf S}_i = [0, 0, 0, 0, 0, 0]^T"
    inputs = {"G": frames(), "q": numbers(), "qdot": numbers()}
    result = Result(
        vector_quantity((LENGTH, 3), *2 * ((RATE, 3), (VELOCITY, 3))),
        "origin of the frame G, then the twist and its rate in the frame moved by the joint",
    )

    def printed(G, q, qdot):
        """Return the origin of the hinge frame in the parent, the twist about the hinge, and Sdot."""
        S, S_dot = np.array([0, 0, 1, 0, 0, 0]), np.array([0, 0, 0, 0, 0, 0])
        twist_and_rate = np.concatenate([S * qdot, S_dot])
        return np.concatenate([G[:3, 3], twist_and_rate])

    def library(G, q, qdot):
        hinge = joints.Revolute()
        S, S_dot = hinge.motion_subspace([q]) @ [qdot], hinge.motion_subspace_rate([q], [qdot])[:, 0]
        return np.concatenate([G[:3, 3], S, S_dot])

    def reference(G, q, qdot):
        """Compare with differences of the body's pose in its parent while it rotates about its z axis."""

        def twist(x):
            pose = G @ body_trees.joint_motion("revolute", x)
            pose_rate = complex_steps.directional_derivative(
                lambda y: body_trees.joint_motion("revolute", y), x, np.ones(1)
            )
            return _vee(np.linalg.inv(pose) @ G @ pose_rate)

        coordinates, rates = np.array([q]), np.array([qdot])
        return np.concatenate(
            [G[:3, 3], twist(coordinates) * qdot, derivative_along_motion(twist, coordinates, rates)]
        )

    remark = (
        "The z axis is that of the body's own frame, whose origin lies on it. In any other frame "
        "of the body, S has other entries, which are constant as well."
    )
    implements = joints.Revolute
