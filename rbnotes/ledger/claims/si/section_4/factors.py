"""Si & Guenter 4: passes 4 to 6 with the square factors, eqs. (27) to (35), and the number of operations."""

from __future__ import annotations

import numpy as np

from rbnotes.ledger.claims.si.section_4 import section
from rbnotes.ledger.claims.si.section_4.trees import MOTION, POSITIONS, six_passes
from rbnotes.ledger.claims.sueda.section_2 import tree_of
from rbnotes.ledger.claims.sueda.section_2_1 import serial_chains
from rbnotes.ledger.oracles import articulated_bodies, body_trees
from rbnotes.ledger.oracles.body_quantities import body_quantities
from rbnotes.ledger.oracles.body_quantities_inputs import library_tree_of
from rbnotes.ledger.oracles.recursive_dynamics import counted_array, hinge_links
from rbnotes.ledger.oracles.six_pass_dynamics import six_pass_accelerations
from rbnotes.ledger.quantities import (
    COADJOINT,
    INERTIA,
    NUMBER,
    RATE,
    SPATIAL_INERTIA,
    TIME,
    TORQUE,
    TWIST,
    WRENCH,
    matrix_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Result
from rbnotes.multibody import reduced
from rbnotes.testing.strategies import arrays

FORCED_MOTION = {**MOTION, "tau": arrays(6)}
ZERO_WRENCHES, ZERO_RATES = np.zeros((3, 6)), np.zeros(6)
MISSING_BAR = (
    "the bar is on the wrong letter: the paper introduces no such vector, and the twists v do not "
    "have this size"
)


@section.holds("e27", "Pass 4: articulated inertias")
class e27:
    formula = r"\bar{\mathbf J}_k = \mathbf J_k + \sum_{i\in\mu(k)}(\mathrm{Ad}_{f_{k,i}^{-1}}^*\bar{\mathbf J}_i\mathrm{Ad}_{f_{k,i}^{-1}} - \mathrm{Ad}_{f_{k,i}^{-1}}^*\bar{\mathbf J}_i\mathbf S_i\boldsymbol\Omega_i^{-1}\mathbf S_i^T\bar{\mathbf J}_i\mathrm{Ad}_{f_{k,i}^{-1}})"
    inputs = POSITIONS
    result = Result(SPATIAL_INERTIA, "of each body, about its origin, in its frame")

    def printed(assembly, q):
        quantities = body_quantities(assembly, q, ZERO_RATES)
        Jbar = quantities.J.copy()
        for k in (2, 1, 0):
            for i in quantities.children(k):
                A, S = quantities.A[i], quantities.S[i]
                Omega = S.T @ Jbar[i] @ S
                Jbar[k] += A.T @ Jbar[i] @ A - A.T @ Jbar[i] @ S @ np.linalg.inv(Omega) @ S.T @ Jbar[i] @ A
        return Jbar

    def library(assembly, q):
        return reduced.square_factors(library_tree_of(assembly), q).articulated_inertias

    def reference(assembly, q):
        """Minimize the displacements of point masses over the descendant joints, by least squares.

        The remaining inertia is the articulated inertia.
        """
        return articulated_bodies.articulated_inertias(assembly, q)

    tolerance = 1e-8
    remark = (
        "The articulated inertia is that of a body whose descendant joints are free: Featherstone's "
        "articulated body."
    )
    implements = reduced.square_factors


@section.holds("e28", "Pass 4: the articulated inertia projected onto a joint")
class e28:
    formula = r"\boldsymbol\Omega_k = \mathbf S_k^T\bar{\mathbf J}_k\mathbf S_k"
    inputs = POSITIONS
    result = Result(INERTIA, "of the joints, in their order: a block for each, row by row")

    def printed(assembly, q):
        quantities, Jbar = (
            body_quantities(assembly, q, ZERO_RATES),
            articulated_bodies.articulated_inertias(assembly, q),
        )
        return np.concatenate([(quantities.S[k].T @ Jbar[k] @ quantities.S[k]).ravel() for k in range(3)])

    def library(assembly, q):
        return np.concatenate(
            [block.ravel() for block in reduced.square_factors(library_tree_of(assembly), q).Omega]
        )

    def reference(assembly, q):
        """Minimize the displacements of point masses for a motion of the joint's own coordinates.

        The joints before it are locked, those beyond it free. The minimum is found by least squares.
        """
        return np.concatenate(
            [articulated_bodies.articulated_joint_inertia(assembly, q, k).ravel() for k in range(3)]
        )

    tolerance = 1e-8
    remark = (
        r"The inverse in (29) exists only if the columns of $\mathbf S_k$ are independent, that is, "
        "not at a singular position."
    )
    implements = reduced.square_factors


@section.holds("e29", "Pass 4: transfer of a wrench on a body to its parent")
class e29:
    formula = r"\mathbf Y_{\lambda(k),k} = \mathrm{Ad}_{f_{\lambda(k),k}^{-1}}^*(\mathbf I - \bar{\mathbf J}_k\mathbf S_k\boldsymbol\Omega_k^{-1}\mathbf S_k^T)"
    inputs = POSITIONS
    result = Result(COADJOINT, "takes wrenches on each body to the frame of its parent")

    def printed(assembly, q):
        quantities, Jbar, Y = (
            body_quantities(assembly, q, ZERO_RATES),
            articulated_bodies.articulated_inertias(assembly, q),
            np.zeros((3, 6, 6)),
        )
        for k in range(3):
            S = quantities.S[k]
            Omega = S.T @ Jbar[k] @ S
            Y[k] = quantities.A[k].T @ (np.eye(6) - Jbar[k] @ S @ np.linalg.inv(Omega) @ S.T)
        return Y

    def library(assembly, q):
        return reduced.square_factors(library_tree_of(assembly), q).Y

    def reference(assembly, q):
        """Fix the parent, and find the fraction of a wrench on the body that reaches it.

        The point masses take the rest.
        """
        return np.stack(articulated_bodies.parent_wrench_maps(assembly, q)[0])

    tolerance = 1e-8
    implements = reduced.square_factors


@section.erratum("e30", "Pass 4: transfer of a joint force to the parent")
class e30:
    formula = r"\Pi_{\lambda(k),k} = \mathrm{Ad}_{f_{\lambda(k),k}^{-1}}\bar{\mathbf J}_k\mathbf S_k\boldsymbol\Omega_k^{-1}"
    edit = (r"^{-1}}\bar", r"^{-1}}^*\bar")
    inputs = POSITIONS
    result = Result(
        matrix_quantity(WRENCH / TORQUE, NUMBER), "a column for each coordinate, in the frame of the parent"
    )

    def printed(assembly, q):
        quantities, Jbar, Pi = (
            body_quantities(assembly, q, ZERO_RATES),
            articulated_bodies.articulated_inertias(assembly, q),
            [],
        )
        for k in range(3):
            Omega = quantities.S[k].T @ Jbar[k] @ quantities.S[k]
            Pi.append(quantities.A[k] @ Jbar[k] @ quantities.S[k] @ np.linalg.inv(Omega))
        return np.concatenate(Pi, axis=1)

    def library(assembly, q):
        return np.concatenate(reduced.square_factors(library_tree_of(assembly), q).Pi, axis=1)

    def reference(assembly, q):
        """Fix the parent, and find the fraction of a joint force that accelerates the point masses."""
        return np.concatenate(articulated_bodies.parent_wrench_maps(assembly, q)[1], axis=1)

    tolerance = 1e-8
    scan = True
    correction = (
        r"With the dual adjoint, as in (29): $\Pi_{\lambda(k),k} = "
        r"\mathrm{Ad}_{f_{\lambda(k),k}^{-1}}^*\bar{\mathbf J}_k\mathbf "
        r"S_k\boldsymbol\Omega_k^{-1}$. The product is a wrench, which is transformed from the "
        "body to its parent; the printed adjoint transforms twists in the other direction."
    )
    units_mismatch = "the printed formula applies the adjoint of twists to a wrench"
    combined_with = ("si/s4/e29", "si/s4/e31")
    implements = reduced.square_factors


@section.misprint("e31", "Pass 5: the wrenches that hold bodies while the descendant joints move")
class e31:
    formula = r"\mathbf z_k = \sum_{i\in\mu(k)}(\mathbf Y_{k,i}\mathbf z_i + \Pi_{k,i}\bar{\mathbf v}_i)"
    edit = (r"\bar{\mathbf v}", r"\bar{\boldsymbol\tau}")
    inputs = FORCED_MOTION
    result = Result(WRENCH, "on each body, in its frame")

    def printed(assembly, q, qdot, tau):
        """Evaluate the display with the twists of the bodies."""
        quantities, (Y, Pi), z = (
            body_quantities(assembly, q, qdot),
            articulated_bodies.parent_wrench_maps(assembly, q),
            np.zeros((3, 6)),
        )
        for k in (2, 1, 0):
            for i in quantities.children(k):
                z[k] += Y[i] @ z[i] + Pi[i] @ quantities.v[i]
        return z

    def library(assembly, q, qdot, tau):
        return six_passes(assembly, q, qdot, ZERO_WRENCHES, tau).z

    def reference(assembly, q, qdot, tau):
        """Find the wrench that holds a body while the remaining forces move its descendant joints.

        The displacements of point masses are minimized by least squares.
        """
        return articulated_bodies.holding_wrenches(
            assembly, q, articulated_bodies.net_generalized_force(assembly, q, qdot, ZERO_WRENCHES, tau)
        )

    tolerance = 1e-8
    undefined = MISSING_BAR
    scan = True
    correction = (
        r"$\mathbf z_k = \sum_{i\in\mu(k)}(\mathbf Y_{k,i}\mathbf z_i + "
        r"\Pi_{k,i}\bar{\boldsymbol\tau}_i)$, with the remaining joint forces of (26): step 7 of "
        r"appendix B applies the factor to $\bar{\boldsymbol\tau}$."
    )
    implements = reduced.factored_dynamics


@section.misprint("e32", "Pass 5: the remaining force at each joint")
class e32:
    formula = r"\mathbf c_k = \bar{\mathbf v}_k - \mathbf S_k^T\mathbf z_k"
    edit = (r"\bar{\mathbf v}", r"\bar{\boldsymbol\tau}")
    inputs = FORCED_MOTION
    result = Result(TORQUE, "of the joints, in their order")

    def printed(assembly, q, qdot, tau):
        """Evaluate the display with the twists of the bodies."""
        quantities, z = (
            body_quantities(assembly, q, qdot),
            articulated_bodies.holding_wrenches(
                assembly, q, articulated_bodies.net_generalized_force(assembly, q, qdot, ZERO_WRENCHES, tau)
            ),
        )
        return np.concatenate([quantities.v[k] - quantities.S[k].T @ z[k] for k in range(3)])

    def library(assembly, q, qdot, tau):
        return six_passes(assembly, q, qdot, ZERO_WRENCHES, tau).c

    def reference(assembly, q, qdot, tau):
        """Eliminate the coordinates beyond each joint from the energy of the point masses."""
        C, forces = (
            articulated_bodies.mass_weighted_jacobian(assembly, q),
            articulated_bodies.net_generalized_force(assembly, q, qdot, ZERO_WRENCHES, tau),
        )
        c = np.zeros(6)
        for k in range(3):
            own = articulated_bodies.joint_coordinates(assembly, [k])
            c[own] = forces[own]
            if bodies := articulated_bodies.descendants(assembly, k):
                c[own] -= C[:, own].T @ articulated_bodies.point_accelerations(assembly, q, bodies, forces)
        return c

    tolerance = 1e-8
    undefined = MISSING_BAR
    scan = True
    correction = r"$\mathbf c_k = \bar{\boldsymbol\tau}_k - \mathbf S_k^T\mathbf z_k$"
    implements = reduced.factored_dynamics


@section.holds("e33", "Pass 5: accelerations of joints with those before them locked")
class e33:
    formula = r"\bar{\mathbf c}_k = \Omega_k^{-1}\mathbf c_k"
    inputs = FORCED_MOTION
    result = Result(RATE / TIME, "of the joints, in their order")

    def printed(assembly, q, qdot, tau):
        forces = articulated_bodies.net_generalized_force(assembly, q, qdot, ZERO_WRENCHES, tau)
        quantities, z = (
            body_quantities(assembly, q, qdot),
            articulated_bodies.holding_wrenches(assembly, q, forces),
        )
        rates = []
        for k in range(3):
            c = forces[quantities.coordinate_slices[k]] - quantities.S[k].T @ z[k]
            rates.append(np.linalg.inv(articulated_bodies.articulated_joint_inertia(assembly, q, k)) @ c)
        return np.concatenate(rates)

    def library(assembly, q, qdot, tau):
        return six_passes(assembly, q, qdot, ZERO_WRENCHES, tau).c_bar

    def reference(assembly, q, qdot, tau):
        """Minimize the displacements of point masses over all coordinates from the joint on at once.

        The joints before it are locked. The minimum is found by least squares.
        """
        return articulated_bodies.subtree_joint_accelerations(
            assembly, q, articulated_bodies.net_generalized_force(assembly, q, qdot, ZERO_WRENCHES, tau)
        )

    tolerance = 1e-8
    implements = reduced.factored_dynamics


@section.holds("e34", "Pass 6: rates of twists due to joint accelerations")
class e34:
    formula = r"\boldsymbol\eta_k = \mathbf Y_{\lambda(k),k}^T\boldsymbol\eta_{\lambda(k)} + \mathbf S_k\bar{\mathbf c}_k"
    inputs = FORCED_MOTION
    result = Result(TWIST / TIME, "of each body, in its frame")

    def printed(assembly, q, qdot, tau):
        quantities, (Y, _) = (
            body_quantities(assembly, q, qdot),
            articulated_bodies.parent_wrench_maps(assembly, q),
        )
        c_bar, eta = (
            articulated_bodies.subtree_joint_accelerations(
                assembly, q, articulated_bodies.net_generalized_force(assembly, q, qdot, ZERO_WRENCHES, tau)
            ),
            np.zeros((3, 6)),
        )
        for k, parent in enumerate(quantities.parents):
            eta[k] = quantities.S[k] @ c_bar[quantities.coordinate_slices[k]]
            if parent >= 0:
                eta[k] += Y[k].T @ eta[parent]
        return eta

    def library(assembly, q, qdot, tau):
        return six_passes(assembly, q, qdot, ZERO_WRENCHES, tau).eta

    def reference(assembly, q, qdot, tau):
        """Compare with complex steps of poses along the accelerations of Gauss's principle."""
        return body_trees.twists(assembly, q, body_trees.accelerations(assembly, q, qdot, tau))

    tolerance = 1e-8
    remark = (
        r"Hence $\boldsymbol\eta$ is $\dot{\mathbf v} - \boldsymbol\alpha$, the part of the rates of the "
        "twists that depends on the joint accelerations."
    )
    implements = reduced.factored_dynamics


@section.holds("e35", "Pass 6: the accelerations of the joints")
class e35:
    formula = r"\ddot{\mathbf q}_k = \bar{\mathbf c}_k - \Pi_{\lambda(k),k}^T\boldsymbol\eta_{\lambda(k)}"
    inputs = FORCED_MOTION
    result = Result(RATE / TIME, "of the joints, in their order")

    def printed(assembly, q, qdot, tau):
        quantities, (_, Pi) = (
            body_quantities(assembly, q, qdot),
            articulated_bodies.parent_wrench_maps(assembly, q),
        )
        forces = articulated_bodies.net_generalized_force(assembly, q, qdot, ZERO_WRENCHES, tau)
        qddot = articulated_bodies.subtree_joint_accelerations(assembly, q, forces)
        eta = quantities.twists_from_rates(
            articulated_bodies.accelerations(assembly, q, qdot, ZERO_WRENCHES, tau)
        )
        for k, parent in enumerate(quantities.parents):
            if parent >= 0:
                qddot[quantities.coordinate_slices[k]] -= Pi[k].T @ eta[parent]
        return qddot

    def library(assembly, q, qdot, tau):
        return six_passes(assembly, q, qdot, ZERO_WRENCHES, tau).qddot

    def reference(assembly, q, qdot, tau):
        """Apply Gauss's principle to the point masses of all bodies."""
        return body_trees.accelerations(assembly, q, qdot, tau)

    tolerance = 1e-8
    implements = reduced.factored_dynamics


def t139_quantity(values):
    return vector_quantity((NUMBER, 1), (RATE / TIME, values["assembly"].num_coordinates))


@section.holds("t139", "The six passes take O(n) operations")
class t139:
    formula = r"O(n):\ 1015n - 954 \text{ products for a chain of hinges, as they are written in the oracle}"
    inputs = {"assembly": serial_chains(4, 2), "states": arrays(2, 4)}

    result = Result(t139_quantity, "the number of operations, then one entry for each joint")

    def printed(assembly, states):
        n = len(assembly.parents)
        q, qdot = states[:, :n]
        return [1015 * n - 954, *reduced.factored_dynamics(tree_of(assembly), q, qdot).qddot]

    def reference(assembly, states):
        """Run the six passes, corrected, with numbers that count their products."""
        n, tally = assembly.num_coordinates, [0]
        q, qdot = states[:, :n]
        links = [
            tuple(counted_array(part, tally) for part in link) for link in hinge_links(assembly, q, qdot)
        ]
        qddot = six_pass_accelerations(assembly.parents, links)
        return [tally[0], *map(float, qddot)]

    tolerance = 1e-8
    remark = (
        "Line 41 makes the same claim. Other forms take fewer operations, because most entries of S are "
        "zero here. Each body adds the same number. Table 1 of the paper also shows this: from 20 to 100 "
        "links, the time of Method I grows by a factor of 5.6."
    )
    implements = reduced.factored_dynamics
