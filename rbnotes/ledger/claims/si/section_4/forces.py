"""Si & Guenter 4: wrenches in joints and the equations of motion, eqs. (13) to (17), and sizes of Omega."""

from __future__ import annotations

import numpy as np

from rbnotes import joints
from rbnotes.inertia import spatial_inertia
from rbnotes.ledger.claims.si.section_4 import equations_section, section
from rbnotes.ledger.claims.si.section_4.trees import ACCELERATED_MOTION, DRIVEN_MOTION
from rbnotes.ledger.oracles import articulated_bodies, body_trees, complex_steps
from rbnotes.ledger.oracles.body_quantities import body_quantities, lie_bracket_matrix
from rbnotes.ledger.oracles.body_quantities_inputs import library_tree_of
from rbnotes.ledger.oracles.pose_products import screw_pose
from rbnotes.ledger.oracles.torus_contact import touching_tori
from rbnotes.ledger.quantities import NUMBER, RATE, TIME, TORQUE, WRENCH
from rbnotes.ledger.record import Result
from rbnotes.multibody import reduced
from rbnotes.testing.strategies import arrays, numbers


def forces_library(assembly, q, qdot, wrenches, qddot):
    operators = reduced.SpatialOperators(library_tree_of(assembly), q, qdot, wrenches)
    vdot = operators.G @ (operators.S @ qddot + operators.a)
    return (operators.G.T @ (operators.J @ vdot + operators.b)).reshape(3, 6)


def forces_reference(assembly, q, qdot, wrenches, qddot):
    """Compare with the wrench that the point masses of each subtree need, minus their loads.

    The wrench acts at the origin of the body at the root of the subtree.
    """
    return articulated_bodies.subtree_wrenches(
        assembly, q, articulated_bodies.joint_wrenches(assembly, q, qdot, qddot, wrenches)
    )


def body_forces(assembly, q, qdot, wrenches, qddot):
    """Return ``J vdot - ad*_v J v - f_e`` of each body."""
    quantities = body_quantities(assembly, q, qdot)
    vdot, f_e = quantities.vdot(qddot), quantities.gravity_wrenches + wrenches
    return [
        quantities.J[i] @ vdot[i]
        - lie_bracket_matrix(quantities.v[i]).T @ quantities.J[i] @ quantities.v[i]
        - f_e[i]
        for i in range(3)
    ]


@equations_section.definition("t117", "The children of a link")
class t117:
    formula = r"\mu(i) = \{k \mid \lambda(k) = i\}"
    defines = (r"\mu(i)",)
    implements = (reduced.Tree.children,)


@equations_section.holds("e13", "The wrench in a joint, from those in the joints of the children")
class e13:
    formula = r"\mathbf f_i = \sum_{k\in\mu(i)}{}^i\mathbf f_k + \mathbf J_i\dot{\mathbf v}_i - \mathrm{ad}_{\mathbf v_i}^*\mathbf J_i\mathbf v_i - \mathbf f_{e,i}"
    inputs = ACCELERATED_MOTION
    result = Result(WRENCH, "on each body, in its frame")

    def printed(assembly, q, qdot, wrenches, qddot):
        """Rotate the forces of children into the frame of the parent, with moments about its origin."""
        quantities, wrenches_of_bodies = (
            body_quantities(assembly, q, qdot),
            body_forces(assembly, q, qdot, wrenches, qddot),
        )
        f = np.stack(wrenches_of_bodies)
        for k in (2, 1, 0):
            R, t, i = quantities.G[k, :3, :3], quantities.G[k, :3, 3], quantities.parents[k]
            force = R @ f[k, 3:]
            if i >= 0:
                f[i] += np.concatenate([R @ f[k, :3] + np.cross(t, force), force])
        return f

    library = forces_library
    reference = forces_reference
    tolerance = 1e-8
    remark = (
        r"$\mathbf f_i$ is the wrench that link $\lambda(i)$ exerts on link $i$ (line 123). $\mathbf "
        "f_{e,i}$ is the external wrench on link $i$, including its weight, in frame $i$ with "
        r"moments about its origin. The equation is solved for $\mathbf f_i$, so that $\mathbf "
        "f_{e,i}$ has a minus sign."
    )
    implements = reduced.SpatialOperators


@equations_section.holds("e14", "The wrench in a joint, with the dual adjoints of the children")
class e14:
    formula = r"\mathbf f_i = \sum_{k\in\mu(i)}\mathrm{Ad}_{f_{i,k}^{-1}}^*\mathbf f_k + \mathbf J_i\dot{\mathbf v}_i - \mathrm{ad}_{\mathbf v_i}^*\mathbf J_i\mathbf v_i - \mathbf f_{e,i}"
    inputs = ACCELERATED_MOTION
    result = Result(WRENCH, "on each body, in its frame")

    def printed(assembly, q, qdot, wrenches, qddot):
        quantities, wrenches_of_bodies = (
            body_quantities(assembly, q, qdot),
            body_forces(assembly, q, qdot, wrenches, qddot),
        )
        f = np.zeros((3, 6))
        for i in (2, 1, 0):
            f[i] = sum((quantities.A[k].T @ f[k] for k in quantities.children(i)), wrenches_of_bodies[i])
        return f

    library = forces_library
    reference = forces_reference
    tolerance = 1e-8
    implements = reduced.SpatialOperators


@equations_section.holds("e15", "The joint forces, from the wrenches in the joints")
class e15:
    formula = r"\boldsymbol\tau_i = \mathbf S_i^T\mathbf f_i"
    inputs = ACCELERATED_MOTION
    result = Result(TORQUE, "of the joints, in their order")

    def printed(assembly, q, qdot, wrenches, qddot):
        f, S = forces_reference(assembly, q, qdot, wrenches, qddot), body_quantities(assembly, q, qdot).S
        return np.concatenate([S[i].T @ f[i] for i in range(3)])

    def library(assembly, q, qdot, wrenches, qddot):
        return reduced.inverse_dynamics_dense(library_tree_of(assembly), q, qdot, qddot, wrenches)

    def reference(assembly, q, qdot, wrenches, qddot):
        """Apply d'Alembert's principle to the point masses, minus the work of gravity and wrenches."""
        work = articulated_bodies.applied_generalized_forces(assembly, q, wrenches)
        return body_trees.inertial_forces(assembly, q, qdot, qddot) - work

    tolerance = 1e-8
    implements = reduced.inverse_dynamics_dense


@equations_section.holds("e16", "The equations of motion")
class e16:
    formula = r"\mathbf M(\mathbf q)\ddot{\mathbf q} + \mathbf C(\mathbf q, \dot{\mathbf q})\dot{\mathbf q} + \phi(\mathbf q) = \boldsymbol\tau"
    inputs = DRIVEN_MOTION
    result = Result(TORQUE, "of the joints, in their order")

    def printed(assembly, q, qdot, wrenches, tau):
        M, C_qdot, phi = articulated_bodies.equation_of_motion_terms(assembly, q, qdot, wrenches)
        return M @ articulated_bodies.accelerations(assembly, q, qdot, wrenches, tau) + C_qdot + phi

    def library(assembly, q, qdot, wrenches, tau):
        """Evaluate the left side with the terms of the library, at the resulting accelerations."""
        operators = reduced.SpatialOperators(library_tree_of(assembly), q, qdot, wrenches)
        qddot = reduced.forward_dynamics_dense(library_tree_of(assembly), q, qdot, tau, wrenches)
        return operators.mass_matrix @ qddot + operators.coriolis_matrix @ qdot + operators.load_forces

    def reference(assembly, q, qdot, wrenches, tau):
        """Check that the applied joint forces are returned; the bodies move by Gauss's principle."""
        return tau

    tolerance = 1e-8
    remark = (
        r"$\phi$ is the vector of the joint forces that balance the loads; it contains the loads with "
        r"a minus sign. It depends on $\mathbf q$ alone only if the external wrenches do, which drag "
        "and dampers do not."
    )
    implements = (reduced.SpatialOperators, reduced.forward_dynamics_dense)


@equations_section.holds("e17", "Forward dynamics solves with the mass matrix")
class e17:
    formula = r"\ddot{\mathbf q} = \mathbf M(\mathbf q)^{-1}(\boldsymbol\tau - \mathbf C(\mathbf q, \dot{\mathbf q})\dot{\mathbf q} - \phi(\mathbf q))"
    inputs = DRIVEN_MOTION
    result = Result(RATE / TIME, "of the joints, in their order")

    def printed(assembly, q, qdot, wrenches, tau):
        M, C_qdot, phi = articulated_bodies.equation_of_motion_terms(assembly, q, qdot, wrenches)
        return np.linalg.inv(M) @ (tau - C_qdot - phi)

    def library(assembly, q, qdot, wrenches, tau):
        return reduced.factored_dynamics(library_tree_of(assembly), q, qdot, tau, wrenches).qddot

    def reference(assembly, q, qdot, wrenches, tau):
        """Apply Gauss's principle to the point masses of all bodies."""
        load = tau + body_trees.jacobian(assembly, q).T @ wrenches.ravel()
        return body_trees.accelerations(assembly, q, qdot, load)

    tolerance = 1e-8
    implements = reduced.factored_dynamics


@section.holds("t189", "Sizes of Omega: one for a hinge, four for two surfaces, at most six")
class t189:
    formula = r"d_k = 1,\ 4,\ \le 6"
    inputs = {
        "radii": arrays(4).map(lambda drawn: 2.5 + drawn / 2),
        "q": arrays(4),
        "fraction": numbers(0.1, 0.9),
    }
    result = Result(NUMBER, "rank for a hinge, for two surfaces, for any motion, then the fraction")

    def printed(radii, q, fraction):
        """Return the printed sizes, then the fraction that scales the inertia."""
        return [1, 4, 6, fraction]

    def library(radii, q, fraction):
        R, r, second_R, second_r = radii
        z, y = joints.Revolute(), joints.Revolute([0, 1.0, 0])
        to_tube, between_tubes = np.eye(4), np.eye(4)
        to_tube[0, 3], between_tubes[0, 3] = R, r + second_r
        to_axis = np.eye(4)
        to_axis[0, 3] = second_R
        torus_joint = joints.Composite(
            z, joints.Fixed(to_tube), y, joints.Fixed(between_tubes), y, joints.Fixed(to_axis), z
        )
        kinds = {"hinge": z, "tori": torus_joint, "free": joints.Free3D()}
        body = spatial_inertia(fraction, np.eye(3), np.ones(3))
        tree = reduced.Tree([reduced.Link(name, joint, body) for name, joint in kinds.items()])
        Omega = reduced.square_factors(tree, np.concatenate([[q[0]], q, np.zeros(6)])).Omega
        sizes = [np.linalg.matrix_rank(block) for block in Omega]
        return [*sizes, Omega[2][0, 0]]

    def reference(radii, q, fraction):
        """Count the twists that the joint allows, by ranks of complex steps of poses.

        The joints include a torus on a torus.
        """
        hinge = complex_steps.partial_derivatives(lambda x: screw_pose(np.eye(3)[2], x[..., 0]), q[:1])
        tori = complex_steps.partial_derivatives(touching_tori(radii), q)
        free_joint_rows = np.eye(6)
        ranks = [
            np.linalg.matrix_rank(each.reshape(len(each), -1)) for each in (hinge, tori, free_joint_rows)
        ]
        return [*ranks, fraction]

    exact = "sizes are integers, and a mass is returned unchanged"
    remark = (
        "The paper's surfaces have four coordinates, whatever their shape: two for the contact "
        r"point on each surface. Its Table 1 counts them in this way: $38 = 2 + 9\cdot4$ for ten "
        "tori. Bodies that can also rotate about the common normal, as smooth bodies can, have a "
        "fifth coordinate."
    )
    implements = reduced.square_factors
