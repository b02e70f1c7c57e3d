"""Si & Guenter, appendix A: stacked quantities of all bodies, and their twists, eqs. (36) to (45)."""

from __future__ import annotations

import numpy as np

from rbnotes.ledger.claims.si.section_4.forces import forces_library, forces_reference
from rbnotes.ledger.claims.si.section_4.trees import ACCELERATED_MOTION, LOADED_MOTION, MOTION, POSITIONS
from rbnotes.ledger.joint_quantities import ASSEMBLY, accelerations, coordinates, velocities
from rbnotes.ledger.oracles import articulated_bodies, body_trees
from rbnotes.ledger.oracles.body_quantities import (
    adjoint_matrix,
    block_diagonal,
    body_quantities,
    lie_bracket_matrix,
    stacked_matrices,
    twist_propagation_matrix,
)
from rbnotes.ledger.oracles.body_quantities_inputs import library_tree_of
from rbnotes.ledger.oracles.point_mass_dynamics import inertial_wrench
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, commutator
from rbnotes.ledger.quantities import (
    ADJOINT,
    INERTIA,
    NUMBER,
    SCREW,
    TIME,
    TORQUE,
    TWIST,
    WRENCH,
    matrix_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody import reduced
from rbnotes.multibody.reduced import SpatialOperators

section = Section(
    "si/sA",
    chapter="general-joints-linear-time",
    arguments={
        "assembly": Argument(
            ASSEMBLY,
            (
                "a tree of joints and bodies in the world, with all coordinates zero: the parent of each body"
                " (-1: none); joints about z (revolute), along z (prismatic), about x and then y (universal) "
                "or by a rotation vector (spherical); centers in the bodies, inertias about these"
            ),
        ),
        "q": Argument(coordinates, "of the joints, in their order"),
        "qdot": Argument(velocities, "of the joints, in their order"),
        "qddot": Argument(accelerations, "of the joints, in their order"),
        "wrenches": Argument(WRENCH, "on each body, about its origin, along its axes"),
    },
)


ZERO_RATES = np.zeros(6)
UNLOADED_MOTION = {name: ACCELERATED_MOTION[name] for name in ("assembly", "q", "qdot", "qddot")}


def library_operators(assembly, q, qdot, wrenches=0.0):
    """Return the operators of the library."""
    return reduced.SpatialOperators(library_tree_of(assembly), q, qdot, wrenches)


def rates_reference(assembly, q, qdot, qddot):
    """Compare with differences of all twists along a motion with these accelerations."""
    return body_trees.twist_rates(assembly, q, qdot, qddot).ravel()


def rates_library(assembly, q, qdot, qddot):
    at = library_operators(assembly, q, qdot)
    return at.G @ (at.S @ qddot + at.a)


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
        at = body_quantities(assembly, q, qdot)
        return block_diagonal(
            [-lie_bracket_matrix(S @ qdot[own]) for S, own in zip(at.S, at.coordinate_slices, strict=True)]
        )

    def library(assembly, q, qdot):
        return library_operators(assembly, q, qdot).ad_Sqdot

    def reference(assembly, q, qdot):
        """Compute commutators of unit twists with the body's twist relative to its parent.

        The twist follows from complex steps of the pose.
        """
        brackets = np.zeros((18, 18))
        for i, own in enumerate(body_trees.coordinate_slices(assembly)):
            alone = ZERO_RATES.copy()
            alone[own] = qdot[own]
            twist, rows = body_trees.twists(assembly, q, alone)[i], slice(6 * i, 6 * i + 6)
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
        at = stacked_matrices(assembly, q, qdot)
        v_lambda = parent_rows(assembly, body_trees.twists(assembly, q, qdot)).ravel()
        return at.S @ qdot + at.parent_adjoints @ v_lambda

    def library(assembly, q, qdot):
        at = library_operators(assembly, q, qdot)
        return at.S @ qdot + at.M_lambda @ at.Theta @ at.v

    def reference(assembly, q, qdot):
        """Compare with complex steps of all poses in the world."""
        return body_trees.jacobian(assembly, q) @ qdot

    implements = reduced.SpatialOperators


@section.erratum("e37", "The rates of all twists at once")
class e37:
    formula = r"\dot{\mathbf v} = \dot{\mathbf S}\dot{\mathbf q} + \dot{\mathbf S}\dot{\mathbf q} + \mathbf M_\lambda\dot{\mathbf v}_\lambda + \mathrm{ad}_{\mathbf S\dot{\mathbf q}}\mathbf M_\lambda\mathbf v_\lambda"
    edit = (r"= \dot{\mathbf S}\dot{", r"= \mathbf S\ddot{")
    inputs = UNLOADED_MOTION
    result = Result(TWIST / TIME, "of each body, in its frame")

    def printed(assembly, q, qdot, qddot):
        at = stacked_matrices(assembly, q, qdot)
        v_lambda = parent_rows(assembly, at.bodies.v).ravel()
        vdot_lambda = parent_rows(assembly, at.bodies.vdot(qddot)).ravel()
        S_dot, M, ad = at.Sdot, at.parent_adjoints, at.ad_Sqdot
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
        at = library_operators(assembly, q, qdot)
        return at.Theta @ at.v

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
        at = library_operators(assembly, q, qdot)
        return at.Theta @ at.v

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
        at = stacked_matrices(assembly, q, qdot)
        return at.parent_selection @ at.bodies.vdot(qddot).ravel()

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
        at = stacked_matrices(assembly, q, qdot)
        return np.linalg.inv(np.eye(18) - at.Gamma) @ at.S @ qdot

    def library(assembly, q, qdot):
        return library_operators(assembly, q, qdot).v

    def reference(assembly, q, qdot):
        """Compare with complex steps of all poses in the world."""
        return body_trees.twists(assembly, q, qdot).ravel()

    remark = r"Hence $\mathbf G_\lambda\mathbf S$ is the Jacobian of the tree."
    implements = reduced.SpatialOperators


@section.erratum("e42", "The rates of all twists, from those of the joints")
class e42:
    formula = r"\dot{\mathbf v} = \mathbf G_\lambda\dot{\mathbf S}\dot{\mathbf q} + \mathbf G_\lambda\dot{\mathbf S}\dot{\mathbf q} + \mathbf G_\lambda\mathrm{ad}_{\mathbf S\dot{\mathbf q}}\Gamma_\lambda\mathbf v"
    edit = (r"= \mathbf G_\lambda\dot{\mathbf S}\dot{", r"= \mathbf G_\lambda\mathbf S\ddot{")
    inputs = UNLOADED_MOTION
    result = Result(TWIST / TIME, "of each body, in its frame")

    def printed(assembly, q, qdot, qddot):
        at = stacked_matrices(assembly, q, qdot)
        G, S_dot, v = at.G, at.Sdot, at.bodies.v.ravel()
        return G @ S_dot @ qdot + G @ S_dot @ qdot + G @ at.ad_Sqdot @ at.Gamma @ v

    library = rates_library
    reference = rates_reference
    tolerance = 1e-8
    scan = True
    correction = (
        r"$\dot{\mathbf v} = \mathbf G_\lambda\mathbf S\ddot{\mathbf q} + \mathbf G_\lambda\dot{\mathbf S}"
        r"\dot{\mathbf q} + \mathbf G_\lambda\mathrm{ad}_{\mathbf S\dot{\mathbf q}}\Gamma_\lambda\mathbf v$"
    )
    implements = reduced.SpatialOperators


# ------------------------------------------------------------------------------------------------------------
# Si & Guenter, appendix A: the matrices that propagate twists from body to descendants, eqs. (43) to (45).


@section.definition("e43", "Transformation of the parents' twists to the children")
class e43:
    formula = r"\Gamma_\lambda = \mathbf M_\lambda\Theta_\lambda"
    defines = (r"\Gamma_\lambda",)
    inputs = POSITIONS
    result = Result(ADJOINT, "takes twists of parents to the frames of their bodies")

    def printed(assembly, q):
        at = stacked_matrices(assembly, q, ZERO_RATES)
        return at.parent_adjoints @ at.parent_selection

    def library(assembly, q):
        return library_operators(assembly, q, ZERO_RATES).Gamma

    def reference(assembly, q):
        """Conjugate unit twists with the poses of the bodies in the frames of their ancestors."""
        E, Gamma = body_trees.poses(assembly, q), np.zeros((18, 18))
        for i, parent in enumerate(assembly.parents):
            if parent >= 0:
                seen = adjoint_by_conjugation(np.linalg.inv(E[i]) @ E[parent])
                Gamma[6 * i : 6 * i + 6, 6 * parent : 6 * parent + 6] = seen
        return Gamma

    implements = SpatialOperators


@section.definition("e44", "The operator that propagates twists from body to descendants")
class e44:
    formula = r"\mathbf G_\lambda = (\mathbf I - \Gamma_\lambda)^{-1}"
    defines = (r"\mathbf G_\lambda",)
    inputs = POSITIONS
    result = Result(ADJOINT, "of all bodies, each in its frame")

    def printed(assembly, q):
        return np.linalg.inv(np.eye(18) - stacked_matrices(assembly, q, ZERO_RATES).Gamma)

    def library(assembly, q):
        return library_operators(assembly, q, ZERO_RATES).G

    def reference(assembly, q):
        """Compare with adjoints of the poses of bodies in the frames of each of their ancestors."""
        return twist_propagation_matrix(body_quantities(assembly, q, ZERO_RATES))

    implements = SpatialOperators


@section.holds("e45", "The propagation operator as a finite sum")
class e45:
    formula = r"\mathbf G_\lambda = \mathbf I + \Gamma_\lambda + \cdots + \Gamma_\lambda^{n-1}"
    inputs = POSITIONS
    result = Result(ADJOINT, "of all bodies, each in its frame")

    def printed(assembly, q):
        Gamma = stacked_matrices(assembly, q, ZERO_RATES).Gamma
        return np.eye(18) + Gamma + Gamma @ Gamma

    def library(assembly, q):
        return library_operators(assembly, q, ZERO_RATES).G

    def reference(assembly, q):
        """Compare with adjoints of the poses of bodies in the frames of each of their ancestors."""
        return twist_propagation_matrix(body_quantities(assembly, q, ZERO_RATES))

    implements = SpatialOperators


@section.holds("t292", "Gamma is nilpotent")
class t292:
    formula = r"\Gamma_\lambda^n = 0"
    inputs = POSITIONS
    result = Result(NUMBER, "ranks of the powers")

    def printed(assembly, q):
        """Return the ranks of the powers of Gamma; the last one is zero."""
        Gamma = stacked_matrices(assembly, q, ZERO_RATES).Gamma
        return [np.linalg.matrix_rank(np.linalg.matrix_power(Gamma, p)) for p in (1, 2, 3)]

    def library(assembly, q):
        Gamma = library_operators(assembly, q, ZERO_RATES).Gamma
        twice = Gamma @ Gamma
        values = [np.linalg.svd(power, compute_uv=False) for power in (Gamma, twice, twice @ Gamma)]
        return [np.sum(each > 1e-9) for each in values]

    def reference(assembly, q):
        """Count the parents, grandparents and further ancestors of the bodies, six for each."""
        counts, bodies = [], set(range(len(assembly.parents)))
        for _ in q[::2]:
            bodies = {assembly.parents[i] for i in bodies} - {-1}
            counts.append(6 * len(bodies))
        return counts

    exact = "ranks are integers"
    remark = "The power k maps from the k-th ancestor to a body, and no body has n ancestors."
    implements = SpatialOperators


# ------------------------------------------------------------------------------------------------------------
# Si & Guenter, appendix A: the forces of all bodies, and the equations of motion, eqs. (46) to (53).


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
        at = library_operators(assembly, q, qdot)
        return at.J @ at.v

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
        at = body_quantities(assembly, q, qdot)
        ad = block_diagonal([-lie_bracket_matrix(rate).T for rate in at.vdot(qddot)])
        return ad @ block_diagonal(at.J) @ at.v.ravel()

    def library(assembly, q, qdot, qddot):
        at = library_operators(assembly, q, qdot)
        return at.ad_v @ at.J @ at.v

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
    units_mismatch = "the bracket of the print has accelerations in the place of velocities"
    combined_with = ("si/sA/e46", "si/s3/e4")
    implements = reduced.SpatialOperators


@section.misprint("d10", "The loads of all bodies, with a minus sign sign")
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
        at, f = (
            stacked_matrices(assembly, q, qdot),
            stacked_forces_reference(assembly, q, qdot, wrenches, qddot),
        )
        v, vdot, f_e = at.bodies.v.ravel(), at.bodies.vdot(qddot).ravel(), at.f_e(wrenches)
        return at.Gamma.T @ f + at.ad_vdot(qddot) @ at.J @ v + at.J @ vdot + f_e

    def library(assembly, q, qdot, wrenches, qddot):
        at, f = (
            library_operators(assembly, q, qdot, wrenches),
            stacked_forces_library(assembly, q, qdot, wrenches, qddot),
        )
        return at.Gamma.T @ f + at.ad_v @ at.J @ at.v + at.J @ at.G @ (at.S @ qddot + at.a) + at.f_e

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
    units_mismatch = "the bracket of the print has accelerations in the place of velocities"
    implements = reduced.SpatialOperators


@section.erratum("e47", "The wrenches in all joints, solved for")
class e47:
    formula = r"\mathbf f = \mathbf G_\lambda^T\mathrm{ad}_{\dot{\mathbf v}}^*\mathbf J\mathbf v + \mathbf G_\lambda^T\mathbf J\dot{\mathbf v} + \mathbf G_\lambda^T\mathbf f_e"
    edit = (r"\mathrm{ad}_{\dot{\mathbf v}}^*", r"\mathrm{ad}_{\mathbf v}^*")
    inputs = ACCELERATED_MOTION
    result = Result(WRENCH, "on all bodies, each in its frame")

    def printed(assembly, q, qdot, wrenches, qddot):
        at, Gt = stacked_matrices(assembly, q, qdot), stacked_matrices(assembly, q, qdot).G.T
        v, vdot, f_e = at.bodies.v.ravel(), at.bodies.vdot(qddot).ravel(), at.f_e(wrenches)
        return Gt @ at.ad_vdot(qddot) @ at.J @ v + Gt @ at.J @ vdot + Gt @ f_e

    library = stacked_forces_library
    reference = stacked_forces_reference
    tolerance = 1e-8
    scan = True
    correction = r"With $\mathrm{ad}_{\mathbf v}^*$. " + BRACKET_OF_RATES
    units_mismatch = "the bracket of the print has accelerations in the place of velocities"
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
    at = stacked_matrices(assembly, q, qdot)
    G, S, J, ad = at.G, at.S, at.J, at.ad_vdot(qddot)
    return S.T @ G.T @ (J @ G @ at.ad_Sqdot @ at.Gamma @ G @ S + J @ G @ at.Sdot + ad @ J @ G @ S)


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
        at = stacked_matrices(assembly, q, qdot)
        G, S, J = at.G, at.S, at.J
        C = coriolis_printed(assembly, q, qdot, qddot)
        return S.T @ G.T @ J @ G @ S @ qdot + C @ qdot + S.T @ G.T @ at.f_e(wrenches)

    def library(assembly, q, qdot, wrenches, qddot):
        at = library_operators(assembly, q, qdot, wrenches)
        return at.mass_matrix @ qddot + at.coriolis_matrix @ qdot + at.load_forces

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
    units_mismatch = "the print has velocities in the place of accelerations, and vice versa"
    implements = reduced.SpatialOperators


@section.holds("e50", "The equations of motion")
class e50:
    formula = r"\mathbf M(\mathbf q)\ddot{\mathbf q} + \mathbf C(\mathbf q, \dot{\mathbf q})\dot{\mathbf q} + \phi(\mathbf q) = \boldsymbol\tau"
    inputs = ACCELERATED_MOTION
    result = Result(TORQUE, "of the joints, in their order")

    def printed(assembly, q, qdot, wrenches, qddot):
        """Evaluate with (51), (52) corrected, and (53)."""
        at = stacked_matrices(assembly, q, qdot)
        G, S, J, v = at.G, at.S, at.J, at.ad_v
        M = S.T @ G.T @ J @ G @ S
        C = S.T @ G.T @ (J @ G @ at.ad_Sqdot @ at.Gamma @ G @ S + J @ G @ at.Sdot + v @ J @ G @ S)
        return M @ qddot + C @ qdot + S.T @ G.T @ at.f_e(wrenches)

    def library(assembly, q, qdot, wrenches, qddot):
        return reduced.inverse_dynamics_dense(library_tree_of(assembly), q, qdot, qddot, wrenches)

    def reference(assembly, q, qdot, wrenches, qddot):
        """Apply d'Alembert's principle to the point masses of all bodies."""
        M, C_qdot, phi = articulated_bodies.equation_of_motion_terms(assembly, q, qdot, wrenches)
        return M @ qddot + C_qdot + phi

    tolerance = 1e-8
    implements = reduced.inverse_dynamics_dense


@section.holds("e51", "The mass matrix")
class e51:
    formula = r"\mathbf M(\mathbf q) = \mathbf S^T\mathbf G_\lambda^T\mathbf J\mathbf G_\lambda\mathbf S"
    inputs = POSITIONS
    result = Result(INERTIA, "of the joints, in their order")

    def printed(assembly, q):
        at = stacked_matrices(assembly, q, ZERO_RATES)
        return at.S.T @ at.G.T @ at.J @ at.G @ at.S

    def library(assembly, q):
        return library_operators(assembly, q, ZERO_RATES).mass_matrix

    def reference(assembly, q):
        """Compare with the kinetic energy of all point masses as a function of the rates."""
        W = body_trees.mass_weighted_jacobian(assembly, q)
        return W.T @ W

    remark = r"Its factors $\mathbf G_\lambda\mathbf S$ are not square."
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
        r"The last bracket is $\mathrm{ad}_{\mathbf v}^*$of the twists. With a dot, $\mathbf C$ "
        "would depend on the unknown accelerations."
    )
    units_mismatch = "the bracket of the print has accelerations in the place of velocities"
    remark = r"The motion only determines $\mathbf C\dot{\mathbf q}$; the matrix itself is not unique."
    implements = reduced.SpatialOperators


@section.holds("e53", "Joint forces that balance the loads")
class e53:
    formula = r"\phi(\mathbf q) = \mathbf S^T\mathbf G_\lambda^T\mathbf f_e"
    inputs = LOADED_MOTION
    result = Result(TORQUE, "of the joints, in their order")

    def printed(assembly, q, qdot, wrenches):
        """Evaluate with f_e as minus the loads."""
        at = stacked_matrices(assembly, q, qdot)
        return at.S.T @ at.G.T @ at.f_e(wrenches)

    def library(assembly, q, qdot, wrenches):
        return library_operators(assembly, q, qdot, wrenches).load_forces

    def reference(assembly, q, qdot, wrenches):
        """Compute the work of gravity and wrenches for unit changes of the coordinates."""
        work = body_trees.gravity_forces(assembly, q) + body_trees.jacobian(assembly, q).T @ wrenches.ravel()
        return -work + 0 * qdot

    implements = reduced.SpatialOperators
