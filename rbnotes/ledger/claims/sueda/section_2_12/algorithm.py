"""Sueda 2.12: Algorithm 9. The oracle: d'Alembert's principle for point masses."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes import se3
from rbnotes.ledger.claims.sueda.section_2_12 import section
from rbnotes.ledger.claims.sueda.section_2_12.symbols import (
    TOLERANCE,
    ad,
    joint_external_wrenches,
    joint_inertia,
    joints_of,
    outward_pass,
)
from rbnotes.ledger.joint_quantities import BRANCHING
from rbnotes.ledger.oracles import articulated_bodies
from rbnotes.ledger.oracles.body_quantities_inputs import FOUR_BODIES_IN_ANY_TREE, library_tree_of
from rbnotes.ledger.oracles.branching_tree_joints import solve_hybrid_dynamics
from rbnotes.ledger.quantities import ENERGY, FORCE, TIME, TORQUE, vector_quantity
from rbnotes.ledger.record import Result
from rbnotes.multibody.reduced import (
    body_kinematics,
    gravity_wrenches,
    gyroscopic_and_gravity_wrenches,
    hybrid_dynamics,
)
from rbnotes.multibody.reduced.jacobian_products import subtree_wrenches
from rbnotes.testing.strategies import arrays

HYBRID_INPUTS = {
    "assembly": FOUR_BODIES_IN_ANY_TREE,
    **{name: arrays(5) for name in ("q", "v", "a", "tau")},
    # For each joint whether its acceleration is prescribed.
    "is_prescribed": st.tuples(*[st.booleans()] * 4),
}
AT_REST = np.zeros((4, 6))


def momentum_and_force(tree, q, v, F_ext):
    """Return the terms of line 8 for each body: momentum term minus external wrench."""
    V, _ = outward_pass(tree, q, v)
    return [-ad(V[j]).T @ joint_inertia(link) @ V[j] - F_ext[j] for j, link in enumerate(tree.links)]


def algorithm_9(tree, q, v, a, tau, body_terms, is_prescribed):
    """Run Algorithm 9 as printed on four links; the last row, of the world, is not used."""
    joints, parents = joints_of(tree, q, v), tree.parents
    _, eta = outward_pass(tree, q, v)
    M_hat, B_hat = np.zeros((5, 6, 6)), np.zeros((5, 6))
    Psi = [None] * 4
    for j in reversed(range(4)):
        Ad, S, _, part = joints[j]
        M_hat[j] += joint_inertia(tree.links[j])
        B_hat[j] += body_terms[j]
        if is_prescribed[j]:
            Pi = M_hat[j]
            beta = B_hat[j] + M_hat[j] @ (eta[j] + S @ a[part])
        else:
            Psi[j] = np.linalg.inv(S.T @ M_hat[j] @ S)
            Pi = M_hat[j] - M_hat[j] @ S @ Psi[j] @ S.T @ M_hat[j]
            qddot_j = Psi[j] @ (tau[part] - S.T @ (M_hat[j] @ eta[j] + B_hat[j]))
            beta = B_hat[j] + M_hat[j] @ (eta[j] + S @ qddot_j)
        M_hat[parents[j]] += Ad.T @ Pi @ Ad
        B_hat[parents[j]] += Ad.T @ beta
    V_dot, F = np.zeros((5, 6)), np.zeros((4, 6))
    a, tau = np.array(a), np.array(tau)
    for j in range(4):
        Ad, S, _, part = joints[j]
        if is_prescribed[j]:
            V_dot[j] = Ad @ V_dot[parents[j]] + S @ a[part] + eta[j]
            F[j] = M_hat[j] @ V_dot[j] + B_hat[j]
            tau[part] = S.T @ F[j]
        else:
            bias_acceleration = Ad @ V_dot[parents[j]] + eta[j]
            a[part] = Psi[j] @ (tau[part] - S.T @ M_hat[j] @ bias_acceleration - S.T @ B_hat[j])
            V_dot[j] = bias_acceleration + S @ a[part]
            F[j] = M_hat[j] @ V_dot[j] + B_hat[j]
    return np.concatenate([a, tau, F.ravel()])


def hybrid_library(assembly, q, v, a, tau, is_prescribed):
    tree = library_tree_of(assembly)
    links = list(zip(tree.links, tree.coordinate_slices, strict=True))
    prescribed = {
        link.name: a[part]
        for (link, part), prescribed_flag in zip(links, is_prescribed, strict=True)
        if prescribed_flag
    }
    qddot, torques = hybrid_dynamics(tree, q, v, prescribed, tau)
    kinematics = body_kinematics(tree, q, v)
    body_accelerations = np.einsum("nak,k->na", kinematics.J, qddot) + kinematics.bias_acceleration
    f = gyroscopic_and_gravity_wrenches(tree, q, v) - np.einsum(
        "nab,nb->na", tree.inertias, body_accelerations
    )
    relative_poses = np.stack([link.placement @ link.joint.transform(q[part]) for link, part in links])
    F = -subtree_wrenches(tree, f, se3.Ad_inverse(relative_poses))
    return np.concatenate([qddot, torques, F.ravel()])


def joint_frame_wrenches(assembly, wrenches):
    """Return wrenches on bodies ``(n, 6)`` in the frames of their joints, for the oracle."""
    result = []
    for wrench, E in zip(wrenches, np.linalg.inv(assembly.joints) @ assembly.bodies, strict=True):
        force = E[:3, :3] @ wrench[3:]
        result.append([*(E[:3, :3] @ wrench[:3] + np.cross(E[:3, 3], force)), *force])
    return np.array(result)


def hybrid_reference(assembly, q, v, a, tau, is_prescribed):
    M, bias_forces, gravity_compensation = articulated_bodies.equation_of_motion_terms(
        assembly, q, v, AT_REST
    )
    fixed = articulated_bodies.joint_coordinates(assembly, [j for j in range(4) if is_prescribed[j]])
    qddot, joint_forces = solve_hybrid_dynamics(M, tau - bias_forces - gravity_compensation, a, tuple(fixed))
    transmitted = articulated_bodies.subtree_wrenches(
        assembly, q, articulated_bodies.joint_wrenches(assembly, q, v, qddot, AT_REST)
    )
    return np.concatenate([qddot, tau + joint_forces, joint_frame_wrenches(assembly, transmitted).ravel()])


@section.holds("alg9", "Algorithm 9: recursive hybrid dynamics")
class alg9:
    formula = r"\begin{aligned} &\text{forward: } V_j = {}^j_p\mathrm{Ad}V_p + S_j\dot q_j,\ \eta_j = \mathrm{ad}(V_j)S_j\dot q_j + \dot S_j\dot q_j \\ &\text{backward: } \hat M_j = M_j + \sum_c{}^c_j\mathrm{Ad}^\top\Pi_c{}^c_j\mathrm{Ad},\ \hat{\mathcal B}_j = -\mathrm{ad}(V_j)^\top M_jV_j - F_j^{\text{ext}} + \sum_c{}^c_j\mathrm{Ad}^\top\beta_c \\ &\quad\text{prescribed: } \Pi_j = \hat M_j,\ \beta_j = \hat{\mathcal B}_j + \hat M_j(\eta_j + S_j\ddot q_j) \\ &\quad\text{else: } \Psi_j = (S_j^\top\hat M_jS_j)^{-1},\ \Pi_j = \hat M_j - \hat M_jS_j\Psi_jS_j^\top\hat M_j, \\ &\qquad\beta_j = \hat{\mathcal B}_j + \hat M_j(\eta_j + S_j\Psi_j(\tau_j - S_j^\top(\hat M_j\eta_j + \hat{\mathcal B}_j))) \\ &\text{forward: } \ddot q_j = \Psi_j(\tau_j - S_j^\top\hat M_j({}^j_p\mathrm{Ad}\dot V_p + \eta_j) - S_j^\top\hat{\mathcal B}_j) \text{ unless prescribed}, \\ &\quad\dot V_j = {}^j_p\mathrm{Ad}\dot V_p + S_j\ddot q_j + \eta_j,\ F_j = \hat M_j\dot V_j + \hat{\mathcal B}_j,\ \tau_j = S_j^\top F_j \text{ if prescribed} \end{aligned}"
    inputs = HYBRID_INPUTS
    result = Result(
        BRANCHING / TIME / TIME + ENERGY / BRANCHING + vector_quantity(*4 * ((TORQUE, 3), (FORCE, 3))),
        "of the joints: accelerations, forces, then wrenches in their frames",
    )

    def printed(assembly, q, v, a, tau, is_prescribed):
        """Return accelerations and torques of all joints, prescribed or computed, and the wrenches F through them."""
        tree = library_tree_of(assembly)
        F_ext = joint_external_wrenches(tree, gravity_wrenches(tree, q))
        return algorithm_9(tree, q, v, a, tau, momentum_and_force(tree, q, v, F_ext), is_prescribed)

    def library(assembly, q, v, a, tau, is_prescribed):
        return hybrid_library(assembly, q, v, a, tau, is_prescribed)

    def reference(assembly, q, v, a, tau, is_prescribed):
        """Compare with d'Alembert's principle for points, by complex steps, at the prescribed accelerations.

        The wrench through a joint is the inertial force minus the weight of all points beyond it.
        """
        return hybrid_reference(assembly, q, v, a, tau, is_prescribed)

    tolerance = TOLERANCE
    remark = (
        r"If $p$ is the world, $V_p$ and $\dot V_p$ are zero. Instead of the sums over the children in "
        "lines 7 and 8, each child can add its term to its parent."
    )
    implements = (hybrid_dynamics, subtree_wrenches)
