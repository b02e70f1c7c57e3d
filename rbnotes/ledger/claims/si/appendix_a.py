"""Si & Guenter, appendix A: all bodies in one column, and their twists, eqs. (36) to (45)."""

from __future__ import annotations

import numpy as np

from rbnotes.ledger.claims.si.section_4_trees import ACCELERATED, CHAPTER, MOVING, PLACED
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
from rbnotes.ledger.quantities import ADJOINT, NUMBER, SCREW, TIME, TWIST, matrix_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody import reduced

OPERATORS = ("rbnotes.multibody.reduced.SpatialOperators",)
REST = np.zeros(6)
POSES = "complex steps of all poses in the world"
CONJUGATED = "conjugations of unit twists with the poses of bodies, seen from their ancestors"
UNSTEADY = {name: ACCELERATED[name] for name in ("assembly", "q", "qdot", "qddot")}


def operators(assembly, q, qdot, wrenches=0.0):
    """The library's."""
    return reduced.SpatialOperators(library_tree_of(assembly), q, qdot, wrenches)


def rates_reference(assembly, q, qdot, qddot):
    return body_trees.twist_rates(assembly, q, qdot, qddot).ravel()


def rates_library(assembly, q, qdot, qddot):
    at = operators(assembly, q, qdot)
    return at.G @ (at.S @ qddot + at.a)


def of_parents(assembly, rows):
    """Row of the parent for each body, zero for the world."""
    return np.stack([rows[parent] if parent >= 0 else REST for parent in assembly.parents])


@claim("si/sA/d1", "The twists of all bodies in one column")
class d1:
    formula = r"\mathbf v = [\mathbf v_1^T\ \ \mathbf v_2^T\ \cdots\ \mathbf v_n^T]^T"
    defines = (r"\mathbf v",)
    inputs = MOVING
    result = TWIST

    def printed(assembly, q, qdot):
        return np.concatenate(list(body_quantities(assembly, q, qdot).v))

    def library(assembly, q, qdot):
        return operators(assembly, q, qdot).v

    oracle = "Jacobian by complex steps of poses, times the rates"

    def reference(assembly, q, qdot):
        return body_trees.jacobian(assembly, q) @ qdot

    verdict = Verdict.DEFINITION
    remark = r"A column of $6n$ numbers."
    implemented_by = OPERATORS
    chapter = CHAPTER


@claim("si/sA/d2", "The twists of all parents in one column")
class d2:
    formula = (
        r"\mathbf v_\lambda = [\mathbf v_{\lambda(1)}^T\ \ \mathbf v_{\lambda(2)}^T\ \cdots\ "
        r"\mathbf v_{\lambda(n)}^T]^T"
    )
    defines = (r"\mathbf v_\lambda",)
    verdict = Verdict.DEFINITION
    remark = "The world does not move: bodies that hang there have zeros."
    implemented_by = ("rbnotes.multibody.reduced.SpatialOperators.Theta",)
    chapter = CHAPTER


@claim("si/sA/d3", "The coordinates of all joints in one column")
class d3:
    formula = r"\mathbf q = [\mathbf q_1^T\ \ \mathbf q_2^T\ \cdots\ \mathbf q_n^T]^T"
    defines = (r"\mathbf q",)
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.multibody.reduced.Tree.coordinate_slices",)
    chapter = CHAPTER


@claim("si/sA/d4", "S of all joints")
class d4:
    formula = r"\mathbf S = \mathrm{diag}(\mathbf S_1, \mathbf S_2, \dots, \mathbf S_n)"
    defines = (r"\mathbf S",)
    inputs = PLACED
    result = matrix_quantity(SCREW, NUMBER)

    def printed(assembly, q):
        S, row, column = np.zeros((18, 6)), 0, 0
        for block in body_quantities(assembly, q, REST).S:
            S[row : row + 6, column : column + block.shape[1]] = block
            row, column = row + 6, column + block.shape[1]
        return S

    def library(assembly, q):
        return operators(assembly, q, REST).S

    oracle = POSES + ", of those of a body's own joint alone"

    def reference(assembly, q):
        J = body_trees.jacobian(assembly, q)
        for i, own in enumerate(body_trees.coordinate_slices(assembly)):
            rows = J[6 * i : 6 * i + 6]
            rows[:, [place for place in range(6) if not own.start <= place < own.stop]] = 0
        return J

    verdict = Verdict.DEFINITION
    remark = r"$6n$ rows and $\sum_i d_i$ columns."
    implemented_by = OPERATORS
    chapter = CHAPTER


@claim("si/sA/d5", "The adjoints from all parents")
class d5:
    formula = (
        r"\mathbf M_\lambda = \mathrm{diag}(\mathrm{Ad}_{f_{\lambda(1),1}}^{-1}, "
        r"\mathrm{Ad}_{f_{\lambda(2),2}}^{-1}, \dots, \mathrm{Ad}_{f_{\lambda(n),n}}^{-1})"
    )
    defines = (r"\mathbf M_\lambda",)
    inputs = PLACED
    result = ADJOINT

    def printed(assembly, q):
        return block_diagonal(
            [np.linalg.inv(adjoint_matrix(G)) for G in body_quantities(assembly, q, REST).G]
        )

    def library(assembly, q):
        return operators(assembly, q, REST).M_lambda

    oracle = CONJUGATED

    def reference(assembly, q):
        E, M = body_trees.poses(assembly, q), np.zeros((18, 18))
        for i, parent in enumerate(assembly.parents):
            before = E[parent] if parent >= 0 else np.eye(4)
            own = slice(6 * i, 6 * i + 6)
            M[own, own] = adjoint_by_conjugation(np.linalg.inv(E[i]) @ before)
        return M

    verdict = Verdict.DEFINITION
    remark = "No mass matrix, in spite of its letter. The inverse of an adjoint is the adjoint of the inverse pose."
    implemented_by = OPERATORS
    chapter = CHAPTER


@claim("si/sA/d6", "Brackets with what each joint does")
class d6:
    formula = (
        r"\mathrm{ad}_{\mathbf S\dot{\mathbf q}} = \mathrm{diag}(-\mathrm{ad}_{\mathbf S_1\dot{\mathbf q}_1}, "
        r"-\mathrm{ad}_{\mathbf S_2\dot{\mathbf q}_2}, \dots, -\mathrm{ad}_{\mathbf S_n\dot{\mathbf q}_n})"
    )
    defines = (r"\mathrm{ad}_{\mathbf S\dot{\mathbf q}}",)
    inputs = MOVING
    result = ADJOINT / TIME

    def printed(assembly, q, qdot):
        at = body_quantities(assembly, q, qdot)
        return block_diagonal(
            [-lie_bracket_matrix(S @ qdot[own]) for S, own in zip(at.S, at.coordinate_slices, strict=True)]
        )

    def library(assembly, q, qdot):
        return operators(assembly, q, qdot).ad_Sqdot

    oracle = "commutators of unit twists with the body's twist in its parent, of steps of the pose"

    def reference(assembly, q, qdot):
        brackets = np.zeros((18, 18))
        for i, own in enumerate(body_trees.coordinate_slices(assembly)):
            alone = REST.copy()
            alone[own] = qdot[own]
            twist, rows = body_trees.twists(assembly, q, alone)[i], slice(6 * i, 6 * i + 6)
            brackets[rows, rows] = np.stack([commutator(unit, twist) for unit in np.eye(6)], axis=-1)
        return brackets

    verdict = Verdict.DEFINITION
    remark = (
        r"The minus signs are part of the symbol, other than in $\mathrm{ad}_{\mathbf g}$ of (3): with them the signs "
        "of (37) are right."
    )
    implemented_by = OPERATORS
    chapter = CHAPTER


@claim("si/sA/e36", "All twists at once")
class e36:
    formula = r"\mathbf v = \mathbf S\dot{\mathbf q} + \mathbf M_\lambda\mathbf v_\lambda"
    inputs = MOVING
    result = TWIST

    def printed(assembly, q, qdot):
        at = stacked_matrices(assembly, q, qdot)
        v_lambda = of_parents(assembly, body_trees.twists(assembly, q, qdot)).ravel()
        return at.S @ qdot + at.parent_adjoints @ v_lambda

    def library(assembly, q, qdot):
        at = operators(assembly, q, qdot)
        return at.S @ qdot + at.M_lambda @ at.Theta @ at.v

    oracle = POSES

    def reference(assembly, q, qdot):
        return body_trees.jacobian(assembly, q) @ qdot

    verdict = Verdict.HOLDS
    implemented_by = OPERATORS
    chapter = CHAPTER


@claim("si/sA/e37", "The rates of all twists at once")
class e37:
    formula = (
        r"\dot{\mathbf v} = \dot{\mathbf S}\dot{\mathbf q} + \dot{\mathbf S}\dot{\mathbf q} + "
        r"\mathbf M_\lambda\dot{\mathbf v}_\lambda + \mathrm{ad}_{\mathbf S\dot{\mathbf q}}\mathbf M_\lambda"
        r"\mathbf v_\lambda"
    )
    inputs = UNSTEADY
    result = TWIST / TIME

    def printed(assembly, q, qdot, qddot):
        at = stacked_matrices(assembly, q, qdot)
        v_lambda = of_parents(assembly, at.bodies.v).ravel()
        vdot_lambda = of_parents(assembly, at.bodies.vdot(qddot)).ravel()
        S_dot, M, ad = at.Sdot, at.parent_adjoints, at.ad_Sqdot
        return S_dot @ qdot + S_dot @ qdot + M @ vdot_lambda + ad @ M @ v_lambda

    library = rates_library
    oracle = "differences of all twists along a motion with these accelerations"
    reference = rates_reference
    tolerance = 1e-8
    verdict = Verdict.ERRATUM
    scan = True
    correction = (
        r"The first of the two equal terms is $\mathbf S\ddot{\mathbf q}$, as in (11): $\dot{\mathbf v} = "
        r"\mathbf S\ddot{\mathbf q} + \dot{\mathbf S}\dot{\mathbf q} + \mathbf M_\lambda\dot{\mathbf v}_\lambda + "
        r"\mathrm{ad}_{\mathbf S\dot{\mathbf q}}\mathbf M_\lambda\mathbf v_\lambda$. As printed, no acceleration of "
        "a joint moves anything."
    )
    implemented_by = OPERATORS
    chapter = CHAPTER


@claim("si/sA/e38", "The matrix that chooses parents")
class e38:
    formula = (
        r"\Theta_\lambda(i, j) = \begin{cases}\mathbf I_{6\times6} & \text{if } \lambda(i) = j \\"
        r" \mathbf 0_{6\times6} & \text{otherwise}\end{cases}"
    )
    defines = (r"\Theta_\lambda(i, j)",)
    inputs = MOVING
    result = TWIST

    def printed(assembly, q, qdot):
        rows = []
        for i in range(3):
            blocks = [np.eye(6) if assembly.parents[i] == j else np.zeros((6, 6)) for j in range(3)]
            rows.append(np.concatenate(blocks, axis=1))
        return np.concatenate(rows) @ (body_trees.jacobian(assembly, q) @ qdot)

    def library(assembly, q, qdot):
        at = operators(assembly, q, qdot)
        return at.Theta @ at.v

    oracle = "the twist of each body's parent, by complex steps of its pose"

    def reference(assembly, q, qdot):
        return of_parents(assembly, body_trees.twists(assembly, q, qdot)).ravel()

    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.multibody.reduced.SpatialOperators.Theta",)
    chapter = CHAPTER


@claim("si/sA/e39", "The twists of all parents, from all twists")
class e39:
    formula = r"\mathbf v_\lambda = \Theta_\lambda\mathbf v"
    inputs = MOVING
    result = TWIST

    def printed(assembly, q, qdot):
        return stacked_matrices(assembly, q, qdot).parent_selection @ body_trees.jacobian(assembly, q) @ qdot

    def library(assembly, q, qdot):
        at = operators(assembly, q, qdot)
        return at.Theta @ at.v

    oracle = "the twist of each body's parent, by a complex step of its pose along the motion"

    def reference(assembly, q, qdot):
        return of_parents(assembly, body_trees.twists(assembly, q, qdot)).ravel()

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.multibody.reduced.SpatialOperators.Theta",)
    chapter = CHAPTER


@claim("si/sA/e40", "The rates of the twists of all parents")
class e40:
    formula = r"\dot{\mathbf v}_\lambda = \Theta_\lambda\dot{\mathbf v}"
    inputs = UNSTEADY
    result = TWIST / TIME

    def printed(assembly, q, qdot, qddot):
        at = stacked_matrices(assembly, q, qdot)
        return at.parent_selection @ at.bodies.vdot(qddot).ravel()

    def library(assembly, q, qdot, qddot):
        return operators(assembly, q, qdot).Theta @ rates_library(assembly, q, qdot, qddot)

    oracle = "differences of the parents' twists along the motion"

    def reference(assembly, q, qdot, qddot):
        return of_parents(assembly, body_trees.twist_rates(assembly, q, qdot, qddot)).ravel()

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.multibody.reduced.SpatialOperators.Theta",)
    chapter = CHAPTER


@claim("si/sA/e41", "All twists, from the rates of the joints")
class e41:
    formula = r"\mathbf v = \mathbf G_\lambda\mathbf S\dot{\mathbf q}"
    inputs = MOVING
    result = TWIST

    def printed(assembly, q, qdot):
        at = stacked_matrices(assembly, q, qdot)
        return np.linalg.inv(np.eye(18) - at.Gamma) @ at.S @ qdot

    def library(assembly, q, qdot):
        return operators(assembly, q, qdot).v

    oracle = POSES

    def reference(assembly, q, qdot):
        return body_trees.twists(assembly, q, qdot).ravel()

    verdict = Verdict.HOLDS
    remark = r"So $\mathbf G_\lambda\mathbf S$ is the Jacobian of the tree."
    implemented_by = OPERATORS
    chapter = CHAPTER


@claim("si/sA/e42", "The rates of all twists, from those of the joints")
class e42:
    formula = (
        r"\dot{\mathbf v} = \mathbf G_\lambda\dot{\mathbf S}\dot{\mathbf q} + \mathbf G_\lambda\dot{\mathbf S}"
        r"\dot{\mathbf q} + \mathbf G_\lambda\mathrm{ad}_{\mathbf S\dot{\mathbf q}}\Gamma_\lambda\mathbf v"
    )
    inputs = UNSTEADY
    result = TWIST / TIME

    def printed(assembly, q, qdot, qddot):
        at = stacked_matrices(assembly, q, qdot)
        G, S_dot, v = at.G, at.Sdot, at.bodies.v.ravel()
        return G @ S_dot @ qdot + G @ S_dot @ qdot + G @ at.ad_Sqdot @ at.Gamma @ v

    library = rates_library
    oracle = "differences of all twists along a motion with these accelerations"
    reference = rates_reference
    tolerance = 1e-8
    verdict = Verdict.ERRATUM
    scan = True
    correction = (
        r"$\dot{\mathbf v} = \mathbf G_\lambda\mathbf S\ddot{\mathbf q} + \mathbf G_\lambda\dot{\mathbf S}"
        r"\dot{\mathbf q} + \mathbf G_\lambda\mathrm{ad}_{\mathbf S\dot{\mathbf q}}\Gamma_\lambda\mathbf v$"
    )
    implemented_by = OPERATORS
    chapter = CHAPTER
