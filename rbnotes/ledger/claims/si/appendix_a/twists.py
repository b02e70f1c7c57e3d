"""Si & Guenter, appendix A: stacked quantities of all bodies, and their twists, eqs. (36) to (45)."""

from __future__ import annotations

import numpy as np

from rbnotes.ledger.claims.si.appendix_a import section
from rbnotes.ledger.claims.si.section_4.trees import ACCELERATED_MOTION, MOTION, POSITIONS
from rbnotes.ledger.oracles import body_trees
from rbnotes.ledger.oracles.body_quantities import (
    adjoint_matrix,
    block_diagonal,
    body_quantities,
    lie_bracket_matrix,
    stacked_matrices,
)
from rbnotes.ledger.oracles.body_quantities_inputs import library_tree_of
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, commutator
from rbnotes.ledger.quantities import (
    ADJOINT,
    NUMBER,
    SCREW,
    TIME,
    TWIST,
    matrix_quantity,
)
from rbnotes.ledger.record import Result
from rbnotes.multibody import reduced

ZERO_RATES = np.zeros(6)
UNLOADED_MOTION = {name: ACCELERATED_MOTION[name] for name in ("assembly", "q", "qdot", "qddot")}


def library_operators(assembly, q, qdot, wrenches=0.0):
    """Return the operators of the library."""
    return reduced.SpatialOperators(library_tree_of(assembly), q, qdot, wrenches)


def rates_reference(assembly, q, qdot, qddot):
    """Compare with differences of all twists along a motion with these accelerations."""
    return body_trees.twist_rates(assembly, q, qdot, qddot).ravel()


def rates_library(assembly, q, qdot, qddot):
    operators = library_operators(assembly, q, qdot)
    return operators.G @ (operators.S @ qddot + operators.a)


def parent_rows(assembly, rows):
    """Return the row of the parent for each body, zero for the world."""
    return np.stack([rows[parent] if parent >= 0 else ZERO_RATES for parent in assembly.parents])


@section.definition("d1", "The twists of all bodies as one vector")
class d1:
    formula = r"\mathbf v = [\mathbf v_1^T\ \ \mathbf v_2^T\ \cdots\ \mathbf v_n^T]^T"
    defines = (r"\mathbf v",)
    inputs = MOTION
    result = Result(TWIST, "of each body, in its frame")

    def printed(assembly, q, qdot):
        return np.concatenate(list(body_quantities(assembly, q, qdot).v))

    def library(assembly, q, qdot):
        return library_operators(assembly, q, qdot).v

    def reference(assembly, q, qdot):
        """Multiply the Jacobian, from complex steps of the poses, by the rates."""
        return body_trees.jacobian(assembly, q) @ qdot

    remark = "The vector has $6n$ entries."
    implements = reduced.SpatialOperators


@section.definition("d2", "The twists of all parents as one vector")
class d2:
    formula = r"\mathbf v_\lambda = [\mathbf v_{\lambda(1)}^T\ \ \mathbf v_{\lambda(2)}^T\ \cdots\ \mathbf v_{\lambda(n)}^T]^T"
    defines = (r"\mathbf v_\lambda",)
    remark = "The world does not move, so that the entries of bodies attached to it are zero."
    implements = (reduced.SpatialOperators.Theta,)


@section.definition("d3", "The coordinates of all joints as one vector")
class d3:
    formula = r"\mathbf q = [\mathbf q_1^T\ \ \mathbf q_2^T\ \cdots\ \mathbf q_n^T]^T"
    defines = (r"\mathbf q",)
    implements = (reduced.Tree.coordinate_slices,)


@section.definition("d4", "S of all joints")
class d4:
    formula = r"\mathbf S = \mathrm{diag}(\mathbf S_1, \mathbf S_2, \dots, \mathbf S_n)"
    defines = (r"\mathbf S",)
    inputs = POSITIONS
    result = Result(
        matrix_quantity(SCREW, NUMBER),
        "of all bodies, each in its frame: a column for each coordinate of the joints",
    )

    def printed(assembly, q):
        S, row, column = np.zeros((18, 6)), 0, 0
        for block in body_quantities(assembly, q, ZERO_RATES).S:
            S[row : row + 6, column : column + block.shape[1]] = block
            row, column = row + 6, column + block.shape[1]
        return S

    def library(assembly, q):
        return library_operators(assembly, q, ZERO_RATES).S

    def reference(assembly, q):
        """Compare with complex steps of all poses in the world, with only the body's own joint moving."""
        J = body_trees.jacobian(assembly, q)
        for i, own in enumerate(body_trees.coordinate_slices(assembly)):
            rows = J[6 * i : 6 * i + 6]
            rows[:, [place for place in range(6) if not own.start <= place < own.stop]] = 0
        return J

    remark = r"The matrix has $6n$ rows and $\sum_i d_i$ columns."
    implements = reduced.SpatialOperators


@section.definition("d5", "The adjoints from all parents")
class d5:
    formula = r"\mathbf M_\lambda = \mathrm{diag}(\mathrm{Ad}_{f_{\lambda(1),1}}^{-1}, \mathrm{Ad}_{f_{\lambda(2),2}}^{-1}, \dots, \mathrm{Ad}_{f_{\lambda(n),n}}^{-1})"
    defines = (r"\mathbf M_\lambda",)
    inputs = POSITIONS
    result = Result(ADJOINT, "takes twists of parents to the frames of their bodies")

    def printed(assembly, q):
        return block_diagonal(
            [np.linalg.inv(adjoint_matrix(G)) for G in body_quantities(assembly, q, ZERO_RATES).G]
        )

    def library(assembly, q):
        return library_operators(assembly, q, ZERO_RATES).M_lambda

    def reference(assembly, q):
        """Conjugate unit twists with the poses of the bodies in the frames of their ancestors."""
        E, M = body_trees.poses(assembly, q), np.zeros((18, 18))
        for i, parent in enumerate(assembly.parents):
            before = E[parent] if parent >= 0 else np.eye(4)
            own = slice(6 * i, 6 * i + 6)
            M[own, own] = adjoint_by_conjugation(np.linalg.inv(E[i]) @ before)
        return M

    remark = (
        "In spite of its symbol, it is not a mass matrix. The inverse of an adjoint is the adjoint of the"
        " inverse pose."
    )
    implements = reduced.SpatialOperators


@section.definition("d6", "Lie brackets with the joint twists")
class d6:
    formula = r"\mathrm{ad}_{\mathbf S\dot{\mathbf q}} = \mathrm{diag}(-\mathrm{ad}_{\mathbf S_1\dot{\mathbf q}_1}, -\mathrm{ad}_{\mathbf S_2\dot{\mathbf q}_2}, \dots, -\mathrm{ad}_{\mathbf S_n\dot{\mathbf q}_n})"
    defines = (r"\mathrm{ad}_{\mathbf S\dot{\mathbf q}}",)
    inputs = MOTION
    result = Result(ADJOINT / TIME, "of all bodies, each in its frame")

    def printed(assembly, q, qdot):
        quantities = body_quantities(assembly, q, qdot)
        return block_diagonal(
            [
                -lie_bracket_matrix(S @ qdot[own])
                for S, own in zip(quantities.S, quantities.coordinate_slices, strict=True)
            ]
        )

    def library(assembly, q, qdot):
        return library_operators(assembly, q, qdot).ad_Sqdot

    def reference(assembly, q, qdot):
        """Compute commutators of unit twists with the body's twist relative to its parent.

        The twist follows from complex steps of the pose.
        """
        brackets = np.zeros((18, 18))
        for i, own in enumerate(body_trees.coordinate_slices(assembly)):
            joint_rates = ZERO_RATES.copy()
            joint_rates[own] = qdot[own]
            twist, rows = body_trees.twists(assembly, q, joint_rates)[i], slice(6 * i, 6 * i + 6)
            brackets[rows, rows] = np.stack([commutator(unit, twist) for unit in np.eye(6)], axis=-1)
        return brackets

    remark = (
        r"The minus signs are part of the symbol, in contrast to $\mathrm{ad}_{\mathbf g}$ of (3)."
        " With them, the signs of (37) are correct."
    )
    implements = reduced.SpatialOperators


@section.holds("e36", "All twists at once")
class e36:
    formula = r"\mathbf v = \mathbf S\dot{\mathbf q} + \mathbf M_\lambda\mathbf v_\lambda"
    inputs = MOTION
    result = Result(TWIST, "of each body, in its frame")

    def printed(assembly, q, qdot):
        matrices = stacked_matrices(assembly, q, qdot)
        v_lambda = parent_rows(assembly, body_trees.twists(assembly, q, qdot)).ravel()
        return matrices.S @ qdot + matrices.parent_adjoints @ v_lambda

    def library(assembly, q, qdot):
        operators = library_operators(assembly, q, qdot)
        return operators.S @ qdot + operators.M_lambda @ operators.Theta @ operators.v

    def reference(assembly, q, qdot):
        """Compare with complex steps of all poses in the world."""
        return body_trees.jacobian(assembly, q) @ qdot

    implements = reduced.SpatialOperators


@section.misprint("e37", "The rates of all twists at once")
class e37:
    formula = r"\dot{\mathbf v} = \dot{\mathbf S}\dot{\mathbf q} + \dot{\mathbf S}\dot{\mathbf q} + \mathbf M_\lambda\dot{\mathbf v}_\lambda + \mathrm{ad}_{\mathbf S\dot{\mathbf q}}\mathbf M_\lambda\mathbf v_\lambda"
    edit = (r"= \dot{\mathbf S}\dot{", r"= \mathbf S\ddot{")
    inputs = UNLOADED_MOTION
    result = Result(TWIST / TIME, "of each body, in its frame")

    def printed(assembly, q, qdot, qddot):
        matrices = stacked_matrices(assembly, q, qdot)
        v_lambda = parent_rows(assembly, matrices.bodies.v).ravel()
        vdot_lambda = parent_rows(assembly, matrices.bodies.vdot(qddot)).ravel()
        S_dot, M, ad = matrices.Sdot, matrices.parent_adjoints, matrices.ad_Sqdot
        return S_dot @ qdot + S_dot @ qdot + M @ vdot_lambda + ad @ M @ v_lambda

    library = rates_library
    reference = rates_reference
    tolerance = 1e-8
    scan = True
    correction = (
        r"The first of the two equal terms is $\mathbf S\ddot{\mathbf q}$, as in (11): "
        r"$\dot{\mathbf v} = \mathbf S\ddot{\mathbf q} + \dot{\mathbf S}\dot{\mathbf q} + \mathbf "
        r"M_\lambda\dot{\mathbf v}_\lambda + \mathrm{ad}_{\mathbf S\dot{\mathbf q}}\mathbf "
        r"M_\lambda\mathbf v_\lambda$. As printed, joint accelerations have no effect."
    )
    implements = reduced.SpatialOperators


@section.definition("e38", "The matrix that selects the parents")
class e38:
    formula = r"\Theta_\lambda(i, j) = \begin{cases}\mathbf I_{6\times6} & \text{if } \lambda(i) = j \\ \mathbf 0_{6\times6} & \text{otherwise}\end{cases}"
    defines = (r"\Theta_\lambda(i, j)",)
    inputs = MOTION
    result = Result(TWIST, "of each body, in its frame")

    def printed(assembly, q, qdot):
        rows = []
        for i in range(3):
            blocks = [np.eye(6) if assembly.parents[i] == j else np.zeros((6, 6)) for j in range(3)]
            rows.append(np.concatenate(blocks, axis=1))
        return np.concatenate(rows) @ (body_trees.jacobian(assembly, q) @ qdot)

    def library(assembly, q, qdot):
        operators = library_operators(assembly, q, qdot)
        return operators.Theta @ operators.v

    def reference(assembly, q, qdot):
        """Compute the twist of each body's parent by complex steps of its pose."""
        return parent_rows(assembly, body_trees.twists(assembly, q, qdot)).ravel()

    implements = (reduced.SpatialOperators.Theta,)


@section.holds("e39", "The twists of all parents, from all twists")
class e39:
    formula = r"\mathbf v_\lambda = \Theta_\lambda\mathbf v"
    inputs = MOTION
    result = Result(TWIST, "of each body, in its frame")

    def printed(assembly, q, qdot):
        return stacked_matrices(assembly, q, qdot).parent_selection @ body_trees.jacobian(assembly, q) @ qdot

    def library(assembly, q, qdot):
        operators = library_operators(assembly, q, qdot)
        return operators.Theta @ operators.v

    def reference(assembly, q, qdot):
        """Compute the twist of each body's parent by a complex step of its pose along the motion."""
        return parent_rows(assembly, body_trees.twists(assembly, q, qdot)).ravel()

    implements = (reduced.SpatialOperators.Theta,)


@section.holds("e40", "The rates of the twists of all parents")
class e40:
    formula = r"\dot{\mathbf v}_\lambda = \Theta_\lambda\dot{\mathbf v}"
    inputs = UNLOADED_MOTION
    result = Result(TWIST / TIME, "of each body, in its frame")

    def printed(assembly, q, qdot, qddot):
        matrices = stacked_matrices(assembly, q, qdot)
        return matrices.parent_selection @ matrices.bodies.vdot(qddot).ravel()

    def library(assembly, q, qdot, qddot):
        return library_operators(assembly, q, qdot).Theta @ rates_library(assembly, q, qdot, qddot)

    def reference(assembly, q, qdot, qddot):
        """Compare with differences of the parents' twists along the motion."""
        return parent_rows(assembly, body_trees.twist_rates(assembly, q, qdot, qddot)).ravel()

    tolerance = 1e-8
    implements = (reduced.SpatialOperators.Theta,)


@section.holds("e41", "All twists, from the rates of the joints")
class e41:
    formula = r"\mathbf v = \mathbf G_\lambda\mathbf S\dot{\mathbf q}"
    inputs = MOTION
    result = Result(TWIST, "of each body, in its frame")

    def printed(assembly, q, qdot):
        matrices = stacked_matrices(assembly, q, qdot)
        return np.linalg.inv(np.eye(18) - matrices.Gamma) @ matrices.S @ qdot

    def library(assembly, q, qdot):
        return library_operators(assembly, q, qdot).v

    def reference(assembly, q, qdot):
        """Compare with complex steps of all poses in the world."""
        return body_trees.twists(assembly, q, qdot).ravel()

    remark = r"Hence $\mathbf G_\lambda\mathbf S$ is the Jacobian of the tree."
    implements = reduced.SpatialOperators


@section.misprint("e42", "The rates of all twists, from those of the joints")
class e42:
    formula = r"\dot{\mathbf v} = \mathbf G_\lambda\dot{\mathbf S}\dot{\mathbf q} + \mathbf G_\lambda\dot{\mathbf S}\dot{\mathbf q} + \mathbf G_\lambda\mathrm{ad}_{\mathbf S\dot{\mathbf q}}\Gamma_\lambda\mathbf v"
    edit = (r"= \mathbf G_\lambda\dot{\mathbf S}\dot{", r"= \mathbf G_\lambda\mathbf S\ddot{")
    inputs = UNLOADED_MOTION
    result = Result(TWIST / TIME, "of each body, in its frame")

    def printed(assembly, q, qdot, qddot):
        matrices = stacked_matrices(assembly, q, qdot)
        G, S_dot, v = matrices.G, matrices.Sdot, matrices.bodies.v.ravel()
        return G @ S_dot @ qdot + G @ S_dot @ qdot + G @ matrices.ad_Sqdot @ matrices.Gamma @ v

    library = rates_library
    reference = rates_reference
    tolerance = 1e-8
    scan = True
    correction = (
        r"$\dot{\mathbf v} = \mathbf G_\lambda\mathbf S\ddot{\mathbf q} + \mathbf G_\lambda\dot{\mathbf S}"
        r"\dot{\mathbf q} + \mathbf G_\lambda\mathrm{ad}_{\mathbf S\dot{\mathbf q}}\Gamma_\lambda\mathbf v$"
    )
    implements = reduced.SpatialOperators
