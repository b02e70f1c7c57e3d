"""Si & Guenter, appendix A: the forces of all bodies, and the equations of motion, eqs. (46) to (53)."""

from __future__ import annotations

import numpy as np

from rbnotes.ledger.claims.si.appendix_a import section
from rbnotes.ledger.claims.si.appendix_a.twists import UNLOADED_MOTION, ZERO_RATES, library_operators
from rbnotes.ledger.claims.si.section_4.forces import forces_library, forces_reference
from rbnotes.ledger.claims.si.section_4.trees import (
    ACCELERATED_MOTION,
    FORKED_MOTION,
    LOADED_MOTION,
    MOTION,
    POSITIONS,
)
from rbnotes.ledger.oracles import articulated_bodies, body_trees
from rbnotes.ledger.oracles.body_quantities import (
    block_diagonal,
    body_quantities,
    lie_bracket_matrix,
    stacked_matrices,
)
from rbnotes.ledger.oracles.body_quantities_inputs import library_tree_of
from rbnotes.ledger.oracles.point_mass_dynamics import inertial_wrench
from rbnotes.ledger.quantities import (
    INERTIA,
    TIME,
    TORQUE,
    WRENCH,
)
from rbnotes.ledger.record import Result
from rbnotes.multibody import reduced

BRACKET_OF_RATES = (
    "The bracket is that of the twists, as in (4), (13) and (21), not of their rates: "
    r"$\mathrm{ad}_{\mathbf v}^* = \mathrm{diag}(-\mathrm{ad}_{\mathbf v_1}^*, \dots, "
    r"-\mathrm{ad}_{\mathbf v_n}^*)$. With a dot, the forces are of third order in time, and a "
    "body in steady rotation needs none."
)


def stacked_forces_reference(assembly, q, qdot, wrenches, qddot):
    """Compare with the wrench that the point masses of each subtree need, minus their loads.

    The wrench acts at the origin of the body at the root of the subtree.
    """
    return forces_reference(assembly, q, qdot, wrenches, qddot).ravel()


def stacked_forces_library(assembly, q, qdot, wrenches, qddot):
    return forces_library(assembly, q, qdot, wrenches, qddot).ravel()


@section.definition("d7", "The wrenches in all joints as one vector")
class d7:
    formula = r"\mathbf f = [\mathbf f_1^T\ \ \mathbf f_2^T\ \cdots\ \mathbf f_n^T]^T"
    defines = (r"\mathbf f",)
    implements = reduced.SpatialOperators


@section.definition("d8", "The inertias of all bodies")
class d8:
    formula = r"\mathbf J = \mathrm{diag}(\mathbf J_1, \mathbf J_2, \dots, \mathbf J_n)"
    defines = (r"\mathbf J",)
    inputs = {**POSITIONS, "qdot": MOTION["qdot"]}
    result = Result(WRENCH * TIME, "on all bodies, each in its frame")

    def printed(assembly, q, qdot):
        return block_diagonal(body_quantities(assembly, q, ZERO_RATES).J) @ (
            body_trees.jacobian(assembly, q) @ qdot
        )

    def library(assembly, q, qdot):
        operators = library_operators(assembly, q, qdot)
        return operators.J @ operators.v

    def reference(assembly, q, qdot):
        """Compare with the wrench that a body at rest needs if its twist changes at this rate.

        The body consists of point masses.
        """
        phi = body_trees.twists(assembly, q, qdot)
        bodies = zip(assembly.masses, assembly.centers, assembly.inertias, strict=True)
        return np.concatenate(
            [inertial_wrench(m, c, J, ZERO_RATES, phi[i]) for i, (m, c, J) in enumerate(bodies)]
        )

    implements = reduced.SpatialOperators


@section.erratum("d9", "Brackets for the wrenches at constant twists")
class d9:
    formula = r"\mathrm{ad}_{\dot{\mathbf v}}^* = \mathrm{diag}(-\mathrm{ad}_{\dot{\mathbf v}_1}^*, -\mathrm{ad}_{\dot{\mathbf v}_2}^*, \dots, -\mathrm{ad}_{\dot{\mathbf v}_n}^*)"
    edit = (r"\mathrm{ad}_{\dot{\mathbf v}", r"\mathrm{ad}_{\mathbf v")
    inputs = UNLOADED_MOTION
    result = Result(WRENCH, "on all bodies, each in its frame")

    def printed(assembly, q, qdot, qddot):
        """Evaluate with the rates of the twists, as (46) uses it."""
        quantities = body_quantities(assembly, q, qdot)
        ad = block_diagonal([-lie_bracket_matrix(rate).T for rate in quantities.vdot(qddot)])
        return ad @ block_diagonal(quantities.J) @ quantities.v.ravel()

    def library(assembly, q, qdot, qddot):
        operators = library_operators(assembly, q, qdot)
        return operators.ad_v @ operators.J @ operators.v

    def reference(assembly, q, qdot, qddot):
        """Compare with the wrench that six point masses of each body need at a constant twist."""
        phi = body_trees.twists(assembly, q, qdot)
        bodies = zip(assembly.masses, assembly.centers, assembly.inertias, strict=True)
        return np.concatenate(
            [inertial_wrench(m, c, J, phi[i], ZERO_RATES) for i, (m, c, J) in enumerate(bodies)]
        )

    tolerance = 1e-8
    scan = True
    correction = BRACKET_OF_RATES
    units_mismatch = "the printed bracket contains accelerations instead of velocities"
    combined_with = ("si/sA/e46", "si/s3/e4")
    implements = reduced.SpatialOperators


@section.misprint("d10", "The loads of all bodies, with minus signs")
class d10:
    formula = r"\mathbf f_e = \begin{bmatrix}-\mathbf f_{e,1}^T & -\mathbf f_{e,2}^T & \cdots & \mathbf f_{e,n}^T\end{bmatrix}^T"
    edit = (r"\cdots & \mathbf f_{e,n}", r"\cdots & -\mathbf f_{e,n}")
    inputs = LOADED_MOTION
    result = Result(WRENCH, "on all bodies, each in its frame")

    def printed(assembly, q, qdot, wrenches):
        f = body_quantities(assembly, q, qdot).gravity_wrenches + wrenches
        return np.concatenate([-f[0], -f[1], f[2]])

    def library(assembly, q, qdot, wrenches):
        return library_operators(assembly, q, qdot, wrenches).f_e

    def reference(assembly, q, qdot, wrenches):
        """Compare with the wrenches that keep bodies at rest under these loads."""
        return articulated_bodies.joint_wrenches(assembly, q, 0 * qdot, ZERO_RATES, wrenches).ravel()

    tolerance = 1e-8
    scan = True
    correction = (
        r"All loads have a minus sign, including the last one: $\mathbf f_e = [-\mathbf f_{e,1}^T\ \cdots"
        r"\ -\mathbf f_{e,n}^T]^T$."
    )
    implements = reduced.SpatialOperators


@section.erratum("e46", "The wrenches in all joints at once")
class e46:
    formula = r"\mathbf f = \Gamma_\lambda^T\mathbf f + \mathrm{ad}_{\dot{\mathbf v}}^*\mathbf J\mathbf v + \mathbf J\dot{\mathbf v} + \mathbf f_e"
    edit = (r"\mathrm{ad}_{\dot{\mathbf v}}^*", r"\mathrm{ad}_{\mathbf v}^*")
    inputs = ACCELERATED_MOTION
    result = Result(WRENCH, "on all bodies, each in its frame")

    def printed(assembly, q, qdot, wrenches, qddot):
        """Evaluate the right side with the true forces."""
        matrices, f = (
            stacked_matrices(assembly, q, qdot),
            stacked_forces_reference(assembly, q, qdot, wrenches, qddot),
        )
        v, vdot, f_e = matrices.bodies.v.ravel(), matrices.bodies.vdot(qddot).ravel(), matrices.f_e(wrenches)
        return matrices.Gamma.T @ f + matrices.ad_vdot(qddot) @ matrices.J @ v + matrices.J @ vdot + f_e

    def library(assembly, q, qdot, wrenches, qddot):
        operators, f = (
            library_operators(assembly, q, qdot, wrenches),
            stacked_forces_library(assembly, q, qdot, wrenches, qddot),
        )
        return (
            operators.Gamma.T @ f
            + operators.ad_v @ operators.J @ operators.v
            + operators.J @ operators.G @ (operators.S @ qddot + operators.a)
            + operators.f_e
        )

    def reference(assembly, q, qdot, wrenches, qddot):
        """Compare with the wrench that the point masses of each subtree need, minus their loads.

        The wrench acts at the origin of the body at the root of the subtree.
        """
        return articulated_bodies.subtree_wrenches(
            assembly, q, articulated_bodies.joint_wrenches(assembly, q, qdot, qddot, wrenches)
        ).ravel()

    tolerance = 1e-8
    scan = True
    correction = r"With $\mathrm{ad}_{\mathbf v}^*$. " + BRACKET_OF_RATES
    units_mismatch = "the printed bracket contains accelerations instead of velocities"
    implements = reduced.SpatialOperators


@section.erratum("e47", "The wrenches in all joints, solved for")
class e47:
    formula = r"\mathbf f = \mathbf G_\lambda^T\mathrm{ad}_{\dot{\mathbf v}}^*\mathbf J\mathbf v + \mathbf G_\lambda^T\mathbf J\dot{\mathbf v} + \mathbf G_\lambda^T\mathbf f_e"
    edit = (r"\mathrm{ad}_{\dot{\mathbf v}}^*", r"\mathrm{ad}_{\mathbf v}^*")
    inputs = ACCELERATED_MOTION
    result = Result(WRENCH, "on all bodies, each in its frame")

    def printed(assembly, q, qdot, wrenches, qddot):
        matrices, Gt = stacked_matrices(assembly, q, qdot), stacked_matrices(assembly, q, qdot).G.T
        v, vdot, f_e = matrices.bodies.v.ravel(), matrices.bodies.vdot(qddot).ravel(), matrices.f_e(wrenches)
        return Gt @ matrices.ad_vdot(qddot) @ matrices.J @ v + Gt @ matrices.J @ vdot + Gt @ f_e

    library = stacked_forces_library
    reference = stacked_forces_reference
    tolerance = 1e-8
    scan = True
    correction = r"With $\mathrm{ad}_{\mathbf v}^*$. " + BRACKET_OF_RATES
    units_mismatch = "the printed bracket contains accelerations instead of velocities"
    implements = reduced.SpatialOperators


@section.holds("e48", "The joint forces of all joints at once")
class e48:
    formula = r"\boldsymbol\tau = \mathbf S^T\mathbf f"
    inputs = ACCELERATED_MOTION
    result = Result(TORQUE, "of the joints, in their order")

    def printed(assembly, q, qdot, wrenches, qddot):
        return stacked_matrices(assembly, q, qdot).S.T @ stacked_forces_reference(
            assembly, q, qdot, wrenches, qddot
        )

    def library(assembly, q, qdot, wrenches, qddot):
        return library_operators(assembly, q, qdot).S.T @ stacked_forces_library(
            assembly, q, qdot, wrenches, qddot
        )

    def reference(assembly, q, qdot, wrenches, qddot):
        """Apply d'Alembert's principle to all point masses, minus the work of gravity and wrenches."""
        M, C_qdot, phi = articulated_bodies.equation_of_motion_terms(assembly, q, qdot, wrenches)
        return M @ qddot + C_qdot + phi

    tolerance = 1e-8
    implements = reduced.SpatialOperators


def coriolis_printed(assembly, q, qdot, qddot):
    """Evaluate (52) with the bracket of the rates of the twists."""
    matrices = stacked_matrices(assembly, q, qdot)
    G, S, J, ad = matrices.G, matrices.S, matrices.J, matrices.ad_vdot(qddot)
    return (
        S.T
        @ G.T
        @ (J @ G @ matrices.ad_Sqdot @ matrices.Gamma @ G @ S + J @ G @ matrices.Sdot + ad @ J @ G @ S)
    )


@section.erratum("e49", "The joint forces, with all terms substituted")
class e49:
    formula = r"\boldsymbol\tau = \mathbf S^T\mathbf G_\lambda^T\mathbf J\mathbf G_\lambda\mathbf S\dot{\mathbf q} + \mathbf S^T\mathbf G_\lambda^T(\mathbf J\mathbf G_\lambda\mathrm{ad}_{\mathbf S\dot{\mathbf q}}\Gamma_\lambda\mathbf G_\lambda\mathbf S + \mathbf J\mathbf G_\lambda\dot{\mathbf S} + \mathrm{ad}_{\dot{\mathbf v}}^*\mathbf J\mathbf G_\lambda\mathbf S)\dot{\mathbf q} + \mathbf S^T\mathbf G_\lambda^T\mathbf f_e"
    edits = (
        (r"\mathrm{ad}_{\dot{\mathbf v}}^*", r"\mathrm{ad}_{\mathbf v}^*"),
        (
            r"\mathbf J\mathbf G_\lambda\mathbf S\dot{\mathbf q} +",
            r"\mathbf J\mathbf G_\lambda\mathbf S\ddot{\mathbf q} +",
        ),
    )
    inputs = ACCELERATED_MOTION
    result = Result(TORQUE, "of the joints, in their order")

    def printed(assembly, q, qdot, wrenches, qddot):
        matrices = stacked_matrices(assembly, q, qdot)
        G, S, J = matrices.G, matrices.S, matrices.J
        C = coriolis_printed(assembly, q, qdot, qddot)
        return S.T @ G.T @ J @ G @ S @ qdot + C @ qdot + S.T @ G.T @ matrices.f_e(wrenches)

    def library(assembly, q, qdot, wrenches, qddot):
        operators = library_operators(assembly, q, qdot, wrenches)
        return operators.mass_matrix @ qddot + operators.coriolis_matrix @ qdot + operators.load_forces

    def reference(assembly, q, qdot, wrenches, qddot):
        """Apply d'Alembert's principle to the point masses of all bodies."""
        M, C_qdot, phi = articulated_bodies.equation_of_motion_terms(assembly, q, qdot, wrenches)
        return M @ qddot + C_qdot + phi

    tolerance = 1e-8
    scan = True
    correction = (
        r"The first term has the accelerations, $\mathbf S^T\mathbf G_\lambda^T\mathbf J\mathbf "
        r"G_\lambda\mathbf S\ddot{\mathbf q}$, as in (50) and (51), and the bracket is "
        r"$\mathrm{ad}_{\mathbf v}^*$, without a dot."
    )
    units_mismatch = "the printed formula has velocities instead of accelerations, and vice versa"
    implements = reduced.SpatialOperators


@section.holds("e50", "The equations of motion")
class e50:
    formula = r"\mathbf M(\mathbf q)\ddot{\mathbf q} + \mathbf C(\mathbf q, \dot{\mathbf q})\dot{\mathbf q} + \phi(\mathbf q) = \boldsymbol\tau"
    inputs = ACCELERATED_MOTION
    result = Result(TORQUE, "of the joints, in their order")

    def printed(assembly, q, qdot, wrenches, qddot):
        """Evaluate with (51), (52) corrected, and (53)."""
        matrices = stacked_matrices(assembly, q, qdot)
        G, S, J, v = matrices.G, matrices.S, matrices.J, matrices.ad_v
        M = S.T @ G.T @ J @ G @ S
        C = (
            S.T
            @ G.T
            @ (J @ G @ matrices.ad_Sqdot @ matrices.Gamma @ G @ S + J @ G @ matrices.Sdot + v @ J @ G @ S)
        )
        return M @ qddot + C @ qdot + S.T @ G.T @ matrices.f_e(wrenches)

    def library(assembly, q, qdot, wrenches, qddot):
        return reduced.inverse_dynamics_dense(library_tree_of(assembly), q, qdot, qddot, wrenches)

    def reference(assembly, q, qdot, wrenches, qddot):
        """Apply d'Alembert's principle to the point masses of all bodies."""
        M, C_qdot, phi = articulated_bodies.equation_of_motion_terms(assembly, q, qdot, wrenches)
        return M @ qddot + C_qdot + phi

    tolerance = 1e-8
    remark = (
        r"The check uses (52) with $\mathrm{ad}_{\mathbf v}^*$, without the dot, and $\mathbf f_e$ "
        r"with all its minus signs. $\phi$ depends on $\mathbf q$ alone only if the external wrenches "
        "do."
    )
    implements = reduced.inverse_dynamics_dense


@section.holds("e51", "The mass matrix")
class e51:
    formula = r"\mathbf M(\mathbf q) = \mathbf S^T\mathbf G_\lambda^T\mathbf J\mathbf G_\lambda\mathbf S"
    inputs = POSITIONS
    result = Result(INERTIA, "of the joints, in their order")

    def printed(assembly, q):
        matrices = stacked_matrices(assembly, q, ZERO_RATES)
        return matrices.S.T @ matrices.G.T @ matrices.J @ matrices.G @ matrices.S

    def library(assembly, q):
        return library_operators(assembly, q, ZERO_RATES).mass_matrix

    def reference(assembly, q):
        """Compare with the kinetic energy of all point masses as a function of the rates."""
        W = body_trees.mass_weighted_jacobian(assembly, q)
        return W.T @ W

    remark = r"The factors $\mathbf G_\lambda\mathbf S$ are not square."
    implements = reduced.SpatialOperators


@section.erratum("e52", "The matrix of Coriolis and centrifugal forces")
class e52:
    formula = r"\mathbf C(\mathbf q, \dot{\mathbf q}) = \mathbf S^T\mathbf G_\lambda^T(\mathbf J\mathbf G_\lambda\mathrm{ad}_{\mathbf S\dot{\mathbf q}}\Gamma_\lambda\mathbf G_\lambda\mathbf S + \mathbf J\mathbf G_\lambda\dot{\mathbf S} + \mathrm{ad}_{\dot{\mathbf v}}^*\mathbf J\mathbf G_\lambda\mathbf S)"
    edit = (r"\mathrm{ad}_{\dot{\mathbf v}}^*", r"\mathrm{ad}_{\mathbf v}^*")
    inputs = UNLOADED_MOTION
    result = Result(TORQUE, "of the joints, in their order")

    def printed(assembly, q, qdot, qddot):
        return coriolis_printed(assembly, q, qdot, qddot) @ qdot

    def library(assembly, q, qdot, qddot):
        return library_operators(assembly, q, qdot).coriolis_matrix @ qdot

    def reference(assembly, q, qdot, qddot):
        """Apply d'Alembert's principle to the point masses of all bodies, at constant rates."""
        return articulated_bodies.velocity_bias_forces(assembly, q, qdot)

    tolerance = 1e-8
    scan = True
    correction = (
        r"The last bracket is $\mathrm{ad}_{\mathbf v}^*$, the bracket of the twists. With a dot, "
        r"$\mathbf C$ would depend on the unknown accelerations."
    )
    units_mismatch = "the printed bracket contains accelerations instead of velocities"
    remark = r"The motion only determines $\mathbf C\dot{\mathbf q}$; the matrix itself is not unique."
    implements = reduced.SpatialOperators


@section.holds("e53", "Joint forces that balance the loads")
class e53:
    formula = r"\phi(\mathbf q) = \mathbf S^T\mathbf G_\lambda^T\mathbf f_e"
    inputs = FORKED_MOTION
    result = Result(TORQUE, "of the joints, in their order")

    def printed(assembly, q, qdot, wrenches):
        """Evaluate with f_e as minus the loads."""
        matrices = stacked_matrices(assembly, q, qdot)
        return matrices.S.T @ matrices.G.T @ matrices.f_e(wrenches)

    def library(assembly, q, qdot, wrenches):
        return library_operators(assembly, q, qdot, wrenches).load_forces

    def reference(assembly, q, qdot, wrenches):
        """Compute the work of gravity and wrenches for unit changes of the coordinates."""
        work = body_trees.gravity_forces(assembly, q) + body_trees.jacobian(assembly, q).T @ wrenches.ravel()
        return -work + 0 * qdot

    remark = (
        r"The check uses $\mathbf f_e$ with all its minus signs; the last one is missing above (46). "
        r"The result depends on $\mathbf q$ alone only if the external wrenches do."
    )
    implements = reduced.SpatialOperators
