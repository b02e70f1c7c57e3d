"""Si & Guenter 4: passes 1 to 3, forces at constant joint rates, eqs. (18) to (26)."""

from __future__ import annotations

import numpy as np

from rbnotes.ledger.claims.si.section_4 import section
from rbnotes.ledger.claims.si.section_4.trees import (
    DRIVEN_MOTION,
    FORKED_MOTION,
    LOADED_MOTION,
    MOTION,
    six_passes,
)
from rbnotes.ledger.oracles import articulated_bodies, body_trees
from rbnotes.ledger.oracles.body_quantities import body_quantities, lie_bracket_matrix
from rbnotes.ledger.oracles.body_quantities_inputs import library_tree_of
from rbnotes.ledger.oracles.point_mass_dynamics import inertial_wrench
from rbnotes.ledger.oracles.twists import twist_from_matrix, twist_matrix
from rbnotes.ledger.quantities import RATE, TIME, TORQUE, TWIST, WRENCH
from rbnotes.ledger.record import Result
from rbnotes.multibody.reduced import factored_dynamics
from rbnotes.testing.strategies import arrays

ZERO_WRENCHES = np.zeros((3, 6))


@section.holds("e18", "Pass 1: twist of a body due to the motion of its parent")
class e18:
    formula = r"\mathbf v_k = \mathrm{Ad}_{f_{\lambda(k),k}^{-1}}\mathbf v_{\lambda(k)}"
    inputs = MOTION
    result = Result(TWIST, "of each body, in its frame")

    def printed(assembly, q, qdot):
        quantities, v = body_quantities(assembly, q, qdot), np.zeros((3, 6))
        for k, parent in enumerate(quantities.parents):
            if parent >= 0:
                v[k] = quantities.A[k] @ quantities.v[parent]
        return v

    def library(assembly, q, qdot):
        """Subtract the twists of the bodies' own joints from the twists of the bodies."""
        passes = six_passes(assembly, q, qdot)
        joint_twists = [
            S @ qdot[part]
            for S, part in zip(passes.factors.S, library_tree_of(assembly).coordinate_slices, strict=True)
        ]
        return passes.v - np.stack(joint_twists)

    def reference(assembly, q, qdot):
        """Compute complex steps of poses in the world, with the body's own joint locked."""
        twists = []
        for k, own in enumerate(body_trees.coordinate_slices(assembly)):
            locked_qdot = qdot.copy()
            locked_qdot[own] = 0
            twists.append(body_trees.twists(assembly, q, locked_qdot)[k])
        return np.stack(twists)

    remark = "Parents are visited before their children, and the base is at rest: its twist is zero."
    implements = factored_dynamics


@section.holds("e19", "Pass 1: contribution of a joint to the rate of a twist")
class e19:
    formula = r"\mathbf a_k = -\mathrm{ad}_{\mathbf S_k\dot{\mathbf q}_k}\mathbf v_k + \dot{\mathbf S}_k\dot{\mathbf q}_k"
    inputs = MOTION
    result = Result(TWIST / TIME, "of each body, in its frame")

    def printed(assembly, q, qdot):
        """Evaluate with the twist due to the motion of the parent, which is v after (18)."""
        quantities, a = body_quantities(assembly, q, qdot), np.zeros((3, 6))
        for k, parent in enumerate(quantities.parents):
            own, v = quantities.coordinate_slices[k], np.zeros(6)
            if parent >= 0:
                v = quantities.A[k] @ quantities.v[parent]
            a[k] = -lie_bracket_matrix(quantities.S[k] @ qdot[own]) @ v + quantities.Sdot[k] @ qdot[own]
        return a

    def library(assembly, q, qdot):
        return six_passes(assembly, q, qdot).a

    def reference(assembly, q, qdot):
        """Compare with differences of twists at constant rates, minus that of the parent.

        The twist of the parent is expressed in the frame of the body.
        """
        E, phidot = body_trees.poses(assembly, q), body_trees.twist_rates(assembly, q, qdot, np.zeros(6))
        rates = phidot.copy()
        for k, parent in enumerate(assembly.parents):
            if parent >= 0:
                parent_in_body = np.linalg.inv(E[k]) @ E[parent]
                rates[k] -= twist_from_matrix(
                    parent_in_body @ twist_matrix(phidot[parent]) @ np.linalg.inv(parent_in_body)
                )
        return rates

    tolerance = 1e-8
    remark = (
        r"The total twist, after (20), gives the same result: the bracket of $\mathbf "
        r"S_k\dot{\mathbf q}_k$ with itself is zero."
    )
    implements = factored_dynamics


@section.holds("e20", "Pass 1: the twist of a body")
class e20:
    formula = r"\mathbf v_k = \mathbf v_k + \mathbf S_k\dot{\mathbf q}_k"
    inputs = MOTION
    result = Result(TWIST, "of each body, in its frame")

    def printed(assembly, q, qdot):
        quantities, v = body_quantities(assembly, q, qdot), np.zeros((3, 6))
        for k, parent in enumerate(quantities.parents):
            if parent >= 0:
                v[k] = quantities.A[k] @ v[parent]
            v[k] = v[k] + quantities.S[k] @ qdot[quantities.coordinate_slices[k]]
        return v

    def library(assembly, q, qdot):
        return six_passes(assembly, q, qdot).v

    def reference(assembly, q, qdot):
        """Compare with complex steps of poses in the world."""
        return body_trees.twists(assembly, q, qdot)

    remark = "The display is an assignment: the new twist is that of (18) plus the contribution of the joint."
    implements = factored_dynamics


def bias_wrenches(assembly, q, qdot, wrenches):
    """Compare with the wrench that six point masses of a body need at a constant twist, minus loads."""
    phi, quantities, net_wrenches = (
        body_trees.twists(assembly, q, qdot),
        body_quantities(assembly, q, qdot),
        [],
    )
    bodies = zip(assembly.masses, assembly.centers, assembly.inertias, strict=True)
    for i, (m, c, J) in enumerate(bodies):
        net_wrenches.append(
            inertial_wrench(m, c, J, phi[i], np.zeros(6)) - quantities.gravity_wrenches[i] - wrenches[i]
        )
    return np.stack(net_wrenches)


@section.misprint("e21", "Pass 1: wrenches at constant twists, minus the loads")
class e21:
    formula = r"\mathbf b_k = -\mathrm{ad}_{\mathbf v_k}^*\mathbf J_k\mathbf v_k - \mathbf f_{e,i}"
    edit = (r"\mathbf f_{e,i}", r"\mathbf f_{e,k}")
    inputs = LOADED_MOTION
    result = Result(WRENCH, "on each body, in its frame")

    def printed(assembly, q, qdot, wrenches):
        """Evaluate with i at the last link, its value after the preceding loop."""
        quantities, i = body_quantities(assembly, q, qdot), 2
        f_e = quantities.gravity_wrenches + wrenches
        return np.stack(
            [
                -lie_bracket_matrix(quantities.v[k]).T @ quantities.J[k] @ quantities.v[k] - f_e[i]
                for k in range(3)
            ]
        )

    def library(assembly, q, qdot, wrenches):
        return six_passes(assembly, q, qdot, wrenches).b

    reference = bias_wrenches
    tolerance = 1e-8
    correction = r"The load of the same link, $\mathbf f_{e,k}$."
    implements = factored_dynamics


@section.holds("e22", "Pass 2: the rates of the twists at constant joint rates")
class e22:
    formula = r"\boldsymbol\alpha_k = \mathrm{Ad}_{f_{\lambda(k),k}^{-1}}\boldsymbol\alpha_{\lambda(k)} + \mathbf a_k"
    inputs = MOTION
    result = Result(TWIST / TIME, "of each body, in its frame")

    def printed(assembly, q, qdot):
        quantities, alpha = body_quantities(assembly, q, qdot), np.zeros((3, 6))
        for k, parent in enumerate(quantities.parents):
            own = quantities.coordinate_slices[k]
            a = (
                quantities.Sdot[k] @ qdot[own]
                - lie_bracket_matrix(quantities.S[k] @ qdot[own]) @ quantities.v[k]
            )
            alpha[k] = quantities.A[k] @ alpha[parent] + a if parent >= 0 else a
        return alpha

    def library(assembly, q, qdot):
        return six_passes(assembly, q, qdot).alpha

    def reference(assembly, q, qdot):
        """Compare with differences of all twists at constant rates."""
        return body_trees.twist_rates(assembly, q, qdot, np.zeros(6))

    tolerance = 1e-8
    implements = factored_dynamics


@section.holds("e23", "Pass 2: the body wrenches at constant joint rates")
class e23:
    formula = r"\bar{\boldsymbol\alpha}_k = \mathbf J_k\boldsymbol\alpha_k + \mathbf b_k"
    inputs = LOADED_MOTION
    result = Result(WRENCH, "on each body, in its frame")

    def printed(assembly, q, qdot, wrenches):
        quantities, b = body_quantities(assembly, q, qdot), bias_wrenches(assembly, q, qdot, wrenches)
        return np.stack([quantities.J[k] @ quantities.bias_acceleration[k] + b[k] for k in range(3)])

    def library(assembly, q, qdot, wrenches):
        return six_passes(assembly, q, qdot, wrenches).alpha_bar

    def reference(assembly, q, qdot, wrenches):
        """Compare with the wrench that the points of each body need for their accelerations, minus loads."""
        return articulated_bodies.joint_wrenches(assembly, q, qdot, np.zeros(6), wrenches)

    tolerance = 1e-8
    remark = (
        r"A bar has no fixed meaning in the paper: $\boldsymbol\alpha_k$ is the rate of a twist, and "
        r"$\bar{\boldsymbol\alpha}_k$ is a wrench."
    )
    primitives = ("rbnotes.ledger.oracles.point_mass_dynamics.inertial_wrench",)
    implements = factored_dynamics


@section.holds("e24", "Pass 3: the wrenches in the joints at constant joint rates")
class e24:
    formula = (
        r"\mathbf p_k = \sum_{i\in\mu(k)}\mathrm{Ad}_{f_{k,i}^{-1}}^*\mathbf p_i + \bar{\boldsymbol\alpha}_k"
    )
    inputs = FORKED_MOTION
    result = Result(WRENCH, "on each body, in its frame")

    def printed(assembly, q, qdot, wrenches):
        alpha_bar = articulated_bodies.joint_wrenches(assembly, q, qdot, np.zeros(6), wrenches)
        quantities, p = body_quantities(assembly, q, qdot), np.zeros((3, 6))
        for k in (2, 1, 0):
            p[k] = alpha_bar[k]
            for i in quantities.children(k):
                p[k] += quantities.A[i].T @ p[i]
        return p

    def library(assembly, q, qdot, wrenches):
        return six_passes(assembly, q, qdot, wrenches).p

    def reference(assembly, q, qdot, wrenches):
        """Sum the forces of a body and its descendants in the world, with their moments."""
        return articulated_bodies.subtree_wrenches(
            assembly, q, articulated_bodies.joint_wrenches(assembly, q, qdot, np.zeros(6), wrenches)
        )

    tolerance = 1e-8
    implements = factored_dynamics


@section.holds("e25", "Pass 3: the joint forces at constant joint rates")
class e25:
    formula = r"\bar{\mathbf p}_k = \mathbf S_k^T\mathbf p_k"
    inputs = LOADED_MOTION
    result = Result(TORQUE, "of the joints, in their order")

    def printed(assembly, q, qdot, wrenches):
        p = articulated_bodies.subtree_wrenches(
            assembly, q, articulated_bodies.joint_wrenches(assembly, q, qdot, np.zeros(6), wrenches)
        )
        quantities = body_quantities(assembly, q, qdot)
        return np.concatenate([quantities.S[k].T @ p[k] for k in range(3)])

    def library(assembly, q, qdot, wrenches):
        return six_passes(assembly, q, qdot, wrenches).p_bar

    def reference(assembly, q, qdot, wrenches):
        """Apply d'Alembert's principle to the point masses at constant rates, minus the work of the loads."""
        return articulated_bodies.velocity_bias_forces(
            assembly, q, qdot
        ) - articulated_bodies.applied_generalized_forces(assembly, q, wrenches)

    tolerance = 1e-8
    implements = factored_dynamics


@section.holds("e26", "Pass 3: the remaining joint forces")
class e26:
    formula = r"\bar{\boldsymbol\tau}_k = \boldsymbol\tau_k - \bar{\mathbf p}_k"
    inputs = DRIVEN_MOTION
    result = Result(TORQUE, "of the joints, in their order")

    def printed(assembly, q, qdot, wrenches, tau):
        return tau - (
            articulated_bodies.velocity_bias_forces(assembly, q, qdot)
            - articulated_bodies.applied_generalized_forces(assembly, q, wrenches)
        )

    def library(assembly, q, qdot, wrenches, tau):
        return six_passes(assembly, q, qdot, wrenches, tau).tau_bar

    def reference(assembly, q, qdot, wrenches, tau):
        """Multiply the mass matrix by the accelerations of Gauss's principle, both from point masses."""
        W, load = (
            articulated_bodies.mass_weighted_jacobian(assembly, q),
            tau + articulated_bodies.applied_generalized_forces(assembly, q, wrenches),
        )
        load = load - body_trees.gravity_forces(assembly, q)
        return W.T @ (W @ body_trees.accelerations(assembly, q, qdot, load))

    tolerance = 1e-8
    implements = factored_dynamics


@section.holds("t191", "Recursions 4 to 6 only need the remaining forces from 1 to 3")
class t191:
    formula = r"\text{recursions } 1\sim3 \text{ symbolically},\quad 4\sim6 \text{ numerically}"
    inputs = {**MOTION, "tau": arrays(6)}
    result = Result(RATE / TIME, "of the joints, in their order")

    def printed(assembly, q, qdot, tau):
        W, net_force = (
            articulated_bodies.mass_weighted_jacobian(assembly, q),
            articulated_bodies.net_generalized_force(assembly, q, qdot, ZERO_WRENCHES, tau),
        )
        return np.linalg.inv(W.T @ W) @ net_force

    def library(assembly, q, qdot, tau):
        """Run passes 4 to 6 alone, for bodies at rest under the remaining forces.

        The joint forces also carry the weights.
        """
        net_force, zero = six_passes(assembly, q, qdot, ZERO_WRENCHES, tau).tau_bar, np.zeros(6)
        weights = six_passes(assembly, q, zero).p_bar
        return six_passes(assembly, q, zero, ZERO_WRENCHES, net_force + weights).qddot

    def reference(assembly, q, qdot, tau):
        """Apply Gauss's principle to the point masses of the moving bodies."""
        return body_trees.accelerations(assembly, q, qdot, tau)

    tolerance = 1e-8
    remark = (
        "The two parts of the mixed method are therefore independent: passes 4 to 6 do not depend on the "
        "rates."
    )
    implements = factored_dynamics
