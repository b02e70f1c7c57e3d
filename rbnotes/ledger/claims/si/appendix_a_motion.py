"""Si & Guenter, appendix A: the forces of all bodies, and the equations of motion, eqs. (46) to (53)."""

from __future__ import annotations

import numpy as np

from rbnotes.ledger.claims.si.appendix_a import OPERATORS, operators
from rbnotes.ledger.claims.si.section_4_forces import NEEDED, forces_library, forces_reference
from rbnotes.ledger.claims.si.section_4_trees import ACCELERATED, CHAPTER, LOADED, MOVING, PLACED
from rbnotes.ledger.oracles import articulated_bodies, body_trees
from rbnotes.ledger.oracles.body_quantities import (
    block_diagonal,
    body_quantities,
    lie_bracket_matrix,
    stacked_matrices,
)
from rbnotes.ledger.oracles.body_quantities_inputs import library_tree_of
from rbnotes.ledger.oracles.point_mass_dynamics import inertial_wrench
from rbnotes.ledger.quantities import INERTIA, TIME, TORQUE, WRENCH
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody import reduced

UNSTEADY = {name: ACCELERATED[name] for name in ("assembly", "q", "qdot", "qddot")}
REST, STILL = np.zeros(6), np.zeros((3, 6))
DOTTED = (
    r"The bracket is that of the twists, as in (4), (13) and (21), not of their rates: $\mathrm{ad}_{\mathbf v}^* = "
    r"\mathrm{diag}(-\mathrm{ad}_{\mathbf v_1}^*, \dots, -\mathrm{ad}_{\mathbf v_n}^*)$. With a dot, forces are of the "
    "third order in time, and a body that turns steadily needs none."
)
ALEMBERT = "d'Alembert's principle for the point masses of all bodies"


def column_reference(assembly, q, qdot, wrenches, qddot):
    return forces_reference(assembly, q, qdot, wrenches, qddot).ravel()


def column_library(assembly, q, qdot, wrenches, qddot):
    return forces_library(assembly, q, qdot, wrenches, qddot).ravel()


@claim("si/sA/d7", "The forces in all joints in one column")
class d7:
    formula = r"\mathbf f = [\mathbf f_1^T\ \ \mathbf f_2^T\ \cdots\ \mathbf f_n^T]^T"
    defines = (r"\mathbf f",)
    verdict = Verdict.DEFINITION
    implemented_by = OPERATORS
    chapter = CHAPTER


@claim("si/sA/d8", "The inertias of all bodies")
class d8:
    formula = r"\mathbf J = \mathrm{diag}(\mathbf J_1, \mathbf J_2, \dots, \mathbf J_n)"
    defines = (r"\mathbf J",)
    inputs = {**PLACED, "qdot": MOVING["qdot"]}
    result = WRENCH * TIME

    def printed(assembly, q, qdot):
        return block_diagonal(body_quantities(assembly, q, REST).J) @ (
            body_trees.jacobian(assembly, q) @ qdot
        )

    def library(assembly, q, qdot):
        at = operators(assembly, q, qdot)
        return at.J @ at.v

    oracle = "what points of a body at rest need if its twist begins to change at this rate"

    def reference(assembly, q, qdot):
        phi = body_trees.twists(assembly, q, qdot)
        bodies = zip(assembly.masses, assembly.centers, assembly.inertias, strict=True)
        return np.concatenate([inertial_wrench(m, c, J, REST, phi[i]) for i, (m, c, J) in enumerate(bodies)])

    verdict = Verdict.DEFINITION
    implemented_by = OPERATORS
    chapter = CHAPTER


@claim("si/sA/d9", "Brackets that make the wrenches of steady twists")
class d9:
    formula = (
        r"\mathrm{ad}_{\dot{\mathbf v}}^* = \mathrm{diag}(-\mathrm{ad}_{\dot{\mathbf v}_1}^*, "
        r"-\mathrm{ad}_{\dot{\mathbf v}_2}^*, \dots, -\mathrm{ad}_{\dot{\mathbf v}_n}^*)"
    )
    inputs = UNSTEADY
    result = WRENCH

    def printed(assembly, q, qdot, qddot):
        """For what (46) does with it."""
        at = body_quantities(assembly, q, qdot)
        ad = block_diagonal([-lie_bracket_matrix(rate).T for rate in at.vdot(qddot)])
        return ad @ block_diagonal(at.J) @ at.v.ravel()

    def library(assembly, q, qdot, qddot):
        at = operators(assembly, q, qdot)
        return at.ad_v @ at.J @ at.v

    oracle = "what six point masses of each body need while its twist is steady"

    def reference(assembly, q, qdot, qddot):
        phi = body_trees.twists(assembly, q, qdot)
        bodies = zip(assembly.masses, assembly.centers, assembly.inertias, strict=True)
        return np.concatenate([inertial_wrench(m, c, J, phi[i], REST) for i, (m, c, J) in enumerate(bodies)])

    tolerance = 1e-8
    verdict = Verdict.ERRATUM
    scan = True
    correction = DOTTED
    units_mismatch = r"accelerations stand in the bracket where velocities belong"
    combined_with = ("si/sA/e46", "si/s3/e4")
    implemented_by = OPERATORS
    chapter = CHAPTER


@claim("si/sA/d10", "The loads of all bodies, with a minus")
class d10:
    formula = (
        r"\mathbf f_e = \begin{bmatrix}-\mathbf f_{e,1}^T & -\mathbf f_{e,2}^T & \cdots & \mathbf f_{e,n}^T"
        r"\end{bmatrix}^T"
    )
    inputs = LOADED
    result = WRENCH

    def printed(assembly, q, qdot, wrenches):
        f = body_quantities(assembly, q, qdot).gravity_wrenches + wrenches
        return np.concatenate([-f[0], -f[1], f[2]])

    def library(assembly, q, qdot, wrenches):
        return operators(assembly, q, qdot, wrenches).f_e

    oracle = "what has to be brought to bodies at rest, so that they stay"

    def reference(assembly, q, qdot, wrenches):
        return articulated_bodies.joint_wrenches(assembly, q, 0 * qdot, REST, wrenches).ravel()

    tolerance = 1e-8
    verdict = Verdict.MISPRINT
    scan = True
    correction = r"All loads have a minus, the last one too: $\mathbf f_e = [-\mathbf f_{e,1}^T\ \cdots\ -\mathbf f_{e,n}^T]^T$."
    implemented_by = OPERATORS
    chapter = CHAPTER


@claim("si/sA/e46", "The forces in all joints at once")
class e46:
    formula = (
        r"\mathbf f = \Gamma_\lambda^T\mathbf f + \mathrm{ad}_{\dot{\mathbf v}}^*\mathbf J\mathbf v + "
        r"\mathbf J\dot{\mathbf v} + \mathbf f_e"
    )
    inputs = ACCELERATED
    result = WRENCH

    def printed(assembly, q, qdot, wrenches, qddot):
        """The right side, with the forces that there are."""
        at, f = stacked_matrices(assembly, q, qdot), column_reference(assembly, q, qdot, wrenches, qddot)
        v, vdot, f_e = at.bodies.v.ravel(), at.bodies.vdot(qddot).ravel(), at.f_e(wrenches)
        return at.Gamma.T @ f + at.ad_vdot(qddot) @ at.J @ v + at.J @ vdot + f_e

    def library(assembly, q, qdot, wrenches, qddot):
        at, f = operators(assembly, q, qdot, wrenches), column_library(assembly, q, qdot, wrenches, qddot)
        return at.Gamma.T @ f + at.ad_v @ at.J @ at.v + at.J @ at.G @ (at.S @ qddot + at.a) + at.f_e

    oracle = NEEDED

    def reference(assembly, q, qdot, wrenches, qddot):
        return articulated_bodies.subtree_wrenches(
            assembly, q, articulated_bodies.joint_wrenches(assembly, q, qdot, qddot, wrenches)
        ).ravel()

    tolerance = 1e-8
    verdict = Verdict.ERRATUM
    scan = True
    correction = r"With $\mathrm{ad}_{\mathbf v}^*$. " + DOTTED
    units_mismatch = r"accelerations stand in the bracket where velocities belong"
    implemented_by = OPERATORS
    chapter = CHAPTER


@claim("si/sA/e47", "The same, solved")
class e47:
    formula = (
        r"\mathbf f = \mathbf G_\lambda^T\mathrm{ad}_{\dot{\mathbf v}}^*\mathbf J\mathbf v + "
        r"\mathbf G_\lambda^T\mathbf J\dot{\mathbf v} + \mathbf G_\lambda^T\mathbf f_e"
    )
    inputs = ACCELERATED
    result = WRENCH

    def printed(assembly, q, qdot, wrenches, qddot):
        at, Gt = stacked_matrices(assembly, q, qdot), stacked_matrices(assembly, q, qdot).G.T
        v, vdot, f_e = at.bodies.v.ravel(), at.bodies.vdot(qddot).ravel(), at.f_e(wrenches)
        return Gt @ at.ad_vdot(qddot) @ at.J @ v + Gt @ at.J @ vdot + Gt @ f_e

    library = column_library
    oracle = NEEDED
    reference = column_reference
    tolerance = 1e-8
    verdict = Verdict.ERRATUM
    scan = True
    correction = r"With $\mathrm{ad}_{\mathbf v}^*$. " + DOTTED
    units_mismatch = r"accelerations stand in the bracket where velocities belong"
    implemented_by = OPERATORS
    chapter = CHAPTER


@claim("si/sA/e48", "The joint forces of all joints at once")
class e48:
    formula = r"\boldsymbol\tau = \mathbf S^T\mathbf f"
    inputs = ACCELERATED
    result = TORQUE

    def printed(assembly, q, qdot, wrenches, qddot):
        return stacked_matrices(assembly, q, qdot).S.T @ column_reference(assembly, q, qdot, wrenches, qddot)

    def library(assembly, q, qdot, wrenches, qddot):
        return operators(assembly, q, qdot).S.T @ column_library(assembly, q, qdot, wrenches, qddot)

    oracle = ALEMBERT + ", less the work of weights and wrenches"

    def reference(assembly, q, qdot, wrenches, qddot):
        M, C_qdot, phi = articulated_bodies.equation_of_motion_terms(assembly, q, qdot, wrenches)
        return M @ qddot + C_qdot + phi

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    implemented_by = OPERATORS
    chapter = CHAPTER


def coriolis_printed(assembly, q, qdot, qddot):
    """(52), with the bracket of the rates of the twists."""
    at = stacked_matrices(assembly, q, qdot)
    G, S, J, ad = at.G, at.S, at.J, at.ad_vdot(qddot)
    return S.T @ G.T @ (J @ G @ at.ad_Sqdot @ at.Gamma @ G @ S + J @ G @ at.Sdot + ad @ J @ G @ S)


@claim("si/sA/e49", "The joint forces, with everything put in")
class e49:
    formula = (
        r"\boldsymbol\tau = \mathbf S^T\mathbf G_\lambda^T\mathbf J\mathbf G_\lambda\mathbf S\dot{\mathbf q} + "
        r"\mathbf S^T\mathbf G_\lambda^T(\mathbf J\mathbf G_\lambda\mathrm{ad}_{\mathbf S\dot{\mathbf q}}"
        r"\Gamma_\lambda\mathbf G_\lambda\mathbf S + \mathbf J\mathbf G_\lambda\dot{\mathbf S} + "
        r"\mathrm{ad}_{\dot{\mathbf v}}^*\mathbf J\mathbf G_\lambda\mathbf S)\dot{\mathbf q} + "
        r"\mathbf S^T\mathbf G_\lambda^T\mathbf f_e"
    )
    inputs = ACCELERATED
    result = TORQUE

    def printed(assembly, q, qdot, wrenches, qddot):
        at = stacked_matrices(assembly, q, qdot)
        G, S, J = at.G, at.S, at.J
        C = coriolis_printed(assembly, q, qdot, qddot)
        return S.T @ G.T @ J @ G @ S @ qdot + C @ qdot + S.T @ G.T @ at.f_e(wrenches)

    def library(assembly, q, qdot, wrenches, qddot):
        at = operators(assembly, q, qdot, wrenches)
        return at.mass_matrix @ qddot + at.coriolis_matrix @ qdot + at.load_forces

    oracle = ALEMBERT

    def reference(assembly, q, qdot, wrenches, qddot):
        M, C_qdot, phi = articulated_bodies.equation_of_motion_terms(assembly, q, qdot, wrenches)
        return M @ qddot + C_qdot + phi

    tolerance = 1e-8
    verdict = Verdict.ERRATUM
    scan = True
    correction = (
        r"The first term has the accelerations, $\mathbf S^T\mathbf G_\lambda^T\mathbf J\mathbf G_\lambda\mathbf S"
        r"\ddot{\mathbf q}$, as (50) and (51) have it, and the bracket is $\mathrm{ad}_{\mathbf v}^*$, without a dot."
    )
    units_mismatch = r"velocities stand where accelerations belong, and the other way round"
    implemented_by = OPERATORS
    chapter = CHAPTER


@claim("si/sA/e50", "The equations of motion")
class e50:
    formula = (
        r"\mathbf M(\mathbf q)\ddot{\mathbf q} + \mathbf C(\mathbf q, \dot{\mathbf q})\dot{\mathbf q} + "
        r"\phi(\mathbf q) = \boldsymbol\tau"
    )
    inputs = ACCELERATED
    result = TORQUE

    def printed(assembly, q, qdot, wrenches, qddot):
        """With (51), (52) mended, and (53)."""
        at = stacked_matrices(assembly, q, qdot)
        G, S, J, v = at.G, at.S, at.J, at.ad_v
        M = S.T @ G.T @ J @ G @ S
        C = S.T @ G.T @ (J @ G @ at.ad_Sqdot @ at.Gamma @ G @ S + J @ G @ at.Sdot + v @ J @ G @ S)
        return M @ qddot + C @ qdot + S.T @ G.T @ at.f_e(wrenches)

    def library(assembly, q, qdot, wrenches, qddot):
        return reduced.inverse_dynamics_dense(library_tree_of(assembly), q, qdot, qddot, wrenches)

    oracle = ALEMBERT

    def reference(assembly, q, qdot, wrenches, qddot):
        M, C_qdot, phi = articulated_bodies.equation_of_motion_terms(assembly, q, qdot, wrenches)
        return M @ qddot + C_qdot + phi

    tolerance = 1e-8
    equivalent_mutants = {
        "dropped factor `at.Gamma` in `J @ G @ at.ad_Sqdot @ at.Gamma`": (
            "the bracket of what a joint does with itself is zero: with all of v instead of Gamma v it is the same"
        )
    }
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.multibody.reduced.inverse_dynamics_dense",)
    chapter = CHAPTER


@claim("si/sA/e51", "The mass matrix")
class e51:
    formula = r"\mathbf M(\mathbf q) = \mathbf S^T\mathbf G_\lambda^T\mathbf J\mathbf G_\lambda\mathbf S"
    inputs = PLACED
    result = INERTIA

    def printed(assembly, q):
        at = stacked_matrices(assembly, q, REST)
        return at.S.T @ at.G.T @ at.J @ at.G @ at.S

    def library(assembly, q):
        return operators(assembly, q, REST).mass_matrix

    oracle = "displacements of all point masses with each coordinate: the energy's matrix"

    def reference(assembly, q):
        W = body_trees.mass_weighted_jacobian(assembly, q)
        return W.T @ W

    verdict = Verdict.HOLDS
    remark = r"Its factors $\mathbf G_\lambda\mathbf S$ are not square."
    implemented_by = OPERATORS
    chapter = CHAPTER


@claim("si/sA/e52", "The matrix of Coriolis and centrifugal forces")
class e52:
    formula = (
        r"\mathbf C(\mathbf q, \dot{\mathbf q}) = \mathbf S^T\mathbf G_\lambda^T(\mathbf J\mathbf G_\lambda"
        r"\mathrm{ad}_{\mathbf S\dot{\mathbf q}}\Gamma_\lambda\mathbf G_\lambda\mathbf S + \mathbf J\mathbf G_\lambda"
        r"\dot{\mathbf S} + \mathrm{ad}_{\dot{\mathbf v}}^*\mathbf J\mathbf G_\lambda\mathbf S)"
    )
    inputs = UNSTEADY
    result = TORQUE

    def printed(assembly, q, qdot, qddot):
        return coriolis_printed(assembly, q, qdot, qddot) @ qdot

    def library(assembly, q, qdot, qddot):
        return operators(assembly, q, qdot).coriolis_matrix @ qdot

    oracle = ALEMBERT + ", at steady coordinates"

    def reference(assembly, q, qdot, qddot):
        return articulated_bodies.velocity_bias_forces(assembly, q, qdot)

    tolerance = 1e-8
    verdict = Verdict.ERRATUM
    scan = True
    correction = (
        r"The last bracket is $\mathrm{ad}_{\mathbf v}^*$, of the twists: with a dot, $\mathbf C$ would depend on the "
        "accelerations that are sought."
    )
    units_mismatch = r"accelerations stand in the bracket where velocities belong"
    remark = r"Only $\mathbf C\dot{\mathbf q}$ is settled by the motion; the matrix is one of many."
    implemented_by = OPERATORS
    chapter = CHAPTER


@claim("si/sA/e53", "What holding the loads takes of the joints")
class e53:
    formula = r"\phi(\mathbf q) = \mathbf S^T\mathbf G_\lambda^T\mathbf f_e"
    inputs = LOADED
    result = TORQUE

    def printed(assembly, q, qdot, wrenches):
        """With all loads negative."""
        at = stacked_matrices(assembly, q, qdot)
        return at.S.T @ at.G.T @ at.f_e(wrenches)

    def library(assembly, q, qdot, wrenches):
        return operators(assembly, q, qdot, wrenches).load_forces

    oracle = "the work of the weights of all points, and of wrenches, for unit changes of the coordinates"

    def reference(assembly, q, qdot, wrenches):
        work = body_trees.gravity_forces(assembly, q) + body_trees.jacobian(assembly, q).T @ wrenches.ravel()
        return -work + 0 * qdot

    verdict = Verdict.HOLDS
    implemented_by = OPERATORS
    chapter = CHAPTER
