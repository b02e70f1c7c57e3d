"""Si & Guenter, appendix B: the square factors of the inverse mass matrix, and its nine steps."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.ledger.claims.si.appendix_a.twists import library_operators
from rbnotes.ledger.claims.si.section_4.bias import bias_wrenches
from rbnotes.ledger.claims.si.section_4.factors import FORCED_MOTION
from rbnotes.ledger.claims.si.section_4.trees import (
    ACCELERATED_MOTION,
    DRIVEN_MOTION,
    MOTION,
    POSITIONS,
    six_passes,
)
from rbnotes.ledger.joint_quantities import ASSEMBLY, accelerations, coordinates, forces, velocities
from rbnotes.ledger.oracles import articulated_bodies, body_trees
from rbnotes.ledger.oracles.body_quantities import body_quantities, stacked_matrices, twist_propagation_matrix
from rbnotes.ledger.oracles.body_quantities_inputs import BODIES, library_tree_of
from rbnotes.ledger.oracles.point_mass_dynamics import inertial_wrench
from rbnotes.ledger.quantities import (
    ACCELERATION,
    ADJOINT,
    FORCE,
    INERTIA,
    NUMBER,
    RATE,
    TIME,
    TORQUE,
    TWIST,
    WRENCH,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody import reduced

section = Section(
    "si/sB",
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
        "wrenches": Argument(WRENCH, "on each body, about its origin, along its axes"),
        "tau": Argument(forces, "of the joints, in their order"),
        "qddot": Argument(accelerations, "of the joints, in their order"),
    },
)


ZERO_RATES, ZERO_WRENCHES = np.zeros(6), np.zeros((3, 6))


def net_forces_library(assembly, q, qdot, wrenches, tau):
    return library_operators(assembly, q, qdot, wrenches).net_generalized_force(tau)


def accelerations_reference(assembly, q, qdot, wrenches, tau):
    """Apply Gauss's principle to the point masses of all bodies."""
    load = tau + body_trees.jacobian(assembly, q).T @ wrenches.ravel()
    return body_trees.accelerations(assembly, q, qdot, load)


def unit_factor(assembly, q):
    """Return ``I - S^T Y Pi`` with the blocks of (29) and (30), the dual adjoint in both."""
    quantities, Jbar = (
        body_quantities(assembly, q, ZERO_RATES),
        articulated_bodies.articulated_inertias(assembly, q),
    )
    steps, Pi = np.zeros((18, 18)), np.zeros((18, 6))
    for k, parent in enumerate(quantities.parents):
        if parent >= 0:
            S, rows = quantities.S[k], slice(6 * parent, 6 * parent + 6)
            K = Jbar[k] @ S @ np.linalg.inv(S.T @ Jbar[k] @ S)
            steps[rows, 6 * k : 6 * k + 6] = quantities.A[k].T @ (np.eye(6) - K @ S.T)
            Pi[rows, quantities.coordinate_slices[k]] = quantities.A[k].T @ K
    return np.eye(6) - stacked_matrices(assembly, q, ZERO_RATES).S.T @ np.linalg.inv(np.eye(18) - steps) @ Pi


def factor_reference(assembly, q):
    """Minimize the displacements of point masses by least squares, with the descendant joints free."""
    W, unit = articulated_bodies.mass_weighted_jacobian(assembly, q), np.eye(6)
    for k in range(3):
        indices, descendant_indices = (
            articulated_bodies.joint_coordinates(assembly, [k]),
            articulated_bodies.joint_coordinates(assembly, articulated_bodies.descendants(assembly, k)),
        )
        if descendant_indices:
            unit[np.ix_(indices, descendant_indices)] = -np.linalg.lstsq(
                W[:, descendant_indices], W[:, indices], rcond=None
            )[0].T
    return unit


@section.holds("e54", "Forward dynamics solves with the mass matrix")
class e54:
    formula = r"\ddot{\mathbf q} = \mathbf M(\mathbf q)^{-1}\bar{\boldsymbol\tau}"
    inputs = DRIVEN_MOTION
    result = Result(RATE / TIME, "of the joints, in their order")

    def printed(assembly, q, qdot, wrenches, tau):
        W = articulated_bodies.mass_weighted_jacobian(assembly, q)
        return np.linalg.inv(W.T @ W) @ articulated_bodies.net_generalized_force(
            assembly, q, qdot, wrenches, tau
        )

    def library(assembly, q, qdot, wrenches, tau):
        M = library_operators(assembly, q, qdot, wrenches).mass_matrix
        return np.linalg.solve(M, net_forces_library(assembly, q, qdot, wrenches, tau))

    reference = accelerations_reference
    tolerance = 1e-8
    implements = reduced.SpatialOperators


@section.holds("e55", "The remaining joint forces")
class e55:
    formula = r"\bar{\boldsymbol\tau} = \boldsymbol\tau - \mathbf S^T\mathbf G_\lambda^T(\mathbf J\mathbf G_\lambda\mathbf a + \mathbf b)"
    inputs = DRIVEN_MOTION
    result = Result(TORQUE, "of the joints, in their order")

    def printed(assembly, q, qdot, wrenches, tau):
        """Evaluate with (56), and (57) corrected."""
        matrices = stacked_matrices(assembly, q, qdot)
        a = matrices.ad_Sqdot @ matrices.Gamma @ matrices.bodies.v.ravel() + matrices.Sdot @ qdot
        b = bias_wrenches(assembly, q, qdot, wrenches).ravel()
        return tau - matrices.S.T @ matrices.G.T @ (matrices.J @ matrices.G @ a + b)

    library = net_forces_library

    def reference(assembly, q, qdot, wrenches, tau):
        """Apply d'Alembert's principle to the point masses of all bodies at constant rates."""
        return articulated_bodies.net_generalized_force(assembly, q, qdot, wrenches, tau)

    tolerance = 1e-8
    implements = reduced.SpatialOperators


@section.holds("e56", "Contributions of the joints to the rates of the twists")
class e56:
    formula = r"\mathbf a = \mathrm{ad}_{\mathbf S\dot{\mathbf q}}\Gamma_\lambda\mathbf G_\lambda\mathbf S\dot{\mathbf q} + \dot{\mathbf S}\dot{\mathbf q}"
    inputs = MOTION
    result = Result(TWIST / TIME, "of each body, in its frame")

    def printed(assembly, q, qdot):
        matrices = stacked_matrices(assembly, q, qdot)
        return matrices.ad_Sqdot @ matrices.Gamma @ matrices.G @ matrices.S @ qdot + matrices.Sdot @ qdot

    def library(assembly, q, qdot):
        return library_operators(assembly, q, qdot).a

    def reference(assembly, q, qdot):
        """Compare with differences of all twists at constant rates, minus those of the parents.

        The twists of the parents are expressed in the frames of the bodies.
        """
        rates = body_trees.twist_rates(assembly, q, qdot, ZERO_RATES).ravel()
        return rates - stacked_matrices(assembly, q, ZERO_RATES).Gamma @ rates

    tolerance = 1e-8
    remark = (
        r"$\Gamma_\lambda\mathbf G_\lambda\mathbf S\dot{\mathbf q} = \mathbf M_\lambda\mathbf v_\lambda$; "
        r"the total $\mathbf v$ gives the same result."
    )
    implements = reduced.SpatialOperators


@section.erratum("e57", "Wrenches at constant twists, minus the loads")
class e57:
    formula = r"\mathbf b = \mathrm{ad}_{\dot{\mathbf v}}^*\mathbf J\mathbf G_\lambda\mathbf S\dot{\mathbf q} + \mathbf f_e"
    edit = (r"\mathrm{ad}_{\dot{\mathbf v}}^*", r"\mathrm{ad}_{\mathbf v}^*")
    inputs = ACCELERATED_MOTION
    result = Result(WRENCH, "on all bodies, each in its frame")

    def printed(assembly, q, qdot, wrenches, qddot):
        matrices = stacked_matrices(assembly, q, qdot)
        return matrices.ad_vdot(qddot) @ matrices.J @ matrices.G @ matrices.S @ qdot + matrices.f_e(wrenches)

    def library(assembly, q, qdot, wrenches, qddot):
        return library_operators(assembly, q, qdot, wrenches).b

    def reference(assembly, q, qdot, wrenches, qddot):
        """Compare with the wrench that six point masses of a body need at a constant twist, minus loads."""
        phi, joint_wrenches, net_wrenches = (
            body_trees.twists(assembly, q, qdot),
            articulated_bodies.joint_wrenches(assembly, q, ZERO_RATES, ZERO_RATES, wrenches),
            [],
        )
        bodies = zip(assembly.masses, assembly.centers, assembly.inertias, strict=True)
        for i, (m, c, J) in enumerate(bodies):
            net_wrenches.append(inertial_wrench(m, c, J, phi[i], ZERO_RATES) + joint_wrenches[i])
        return np.concatenate(net_wrenches)

    tolerance = 1e-8
    scan = True
    correction = (
        r"$\mathrm{ad}_{\mathbf v}^*$, without a dot, as in (21) for each link. With the dot, the "
        "accelerations would have to be known in order to compute them."
    )
    units_mismatch = "the printed bracket contains accelerations instead of velocities"
    implements = reduced.SpatialOperators


@section.holds("e58", "The square factors of the inverse mass matrix")
class e58:
    formula = r"\mathbf M(\mathbf q)^{-1} = (\mathbf I - \mathbf S^T\mathbf Y_\lambda\Pi_\lambda)^T\Omega^{-1}(\mathbf I - \mathbf S^T\mathbf Y_\lambda\Pi_\lambda)"
    inputs = POSITIONS
    result = Result(NUMBER / INERTIA, "of the joints, in their order")

    def printed(assembly, q):
        r"""Evaluate with $\Pi = \Gamma^T K$ and $Y = (I - \Gamma^T(I - K S^T))^{-1}$."""
        matrices, Jbar = (
            stacked_matrices(assembly, q, ZERO_RATES),
            articulated_bodies.articulated_inertias(assembly, q),
        )
        S, J_bar = matrices.S, np.kron(np.eye(3), np.ones((6, 6))) * np.tile(np.concatenate(list(Jbar)), 3)
        Omega = S.T @ J_bar @ S
        K = J_bar @ S @ np.linalg.inv(Omega)
        Pi, Y = matrices.Gamma.T @ K, np.linalg.inv(np.eye(18) - matrices.Gamma.T @ (np.eye(18) - K @ S.T))
        unit = np.eye(6) - S.T @ Y @ Pi
        return unit.T @ np.linalg.inv(Omega) @ unit

    def library(assembly, q):
        return reduced.factor_matrices(library_tree_of(assembly), q).inverse_mass_matrix

    def reference(assembly, q):
        """Invert the kinetic-energy matrix from displacements of all point masses."""
        W = body_trees.mass_weighted_jacobian(assembly, q)
        return np.linalg.inv(W.T @ W)

    tolerance = 1e-8
    remark = (
        r"The paper does not define $\mathbf Y_\lambda$ and $\Pi_\lambda$ as matrices. With "
        r"$\mathbf K = \bar{\mathbf J}\mathbf S\Omega^{-1}$, the display holds for $\Pi_\lambda = "
        r"\Gamma_\lambda^T\mathbf K$, $\mathbf Y_\lambda = (\mathbf I - \Gamma_\lambda^T(\mathbf I"
        r" - \mathbf K\mathbf S^T))^{-1}$. The blocks $\mathbf Y_{\lambda(k),k}$ of (29) are those"
        r" of $\mathbf I - \mathbf Y_\lambda^{-1}$, not of $\mathbf Y_\lambda$."
    )
    implements = reduced.factor_matrices


def parent_blocks(assembly, q):
    """Return ``Y`` with the blocks of (29) alone, and Pi."""
    Y, Pi = articulated_bodies.parent_wrench_maps(assembly, q)
    blocks, forces, own = np.zeros((18, 18)), np.zeros((18, 6)), body_trees.coordinate_slices(assembly)
    for k, parent in enumerate(assembly.parents):
        if parent >= 0:
            blocks[6 * parent : 6 * parent + 6, 6 * k : 6 * k + 6] = Y[k]
            forces[6 * parent : 6 * parent + 6, own[k]] = Pi[k]
    return blocks, forces


@section.erratum("t350#a", "Definitions that are announced but not given")
class t350_a:
    formula = r"\text{`Precise definitions of } \mathbf Y_\lambda, \Pi_\lambda \text{ and } \Omega \text{ will be given later'}"
    inputs = POSITIONS
    result = Result(NUMBER, "of the joints, in their order")

    def printed(assembly, q):
        """Evaluate as printed: with matrices of the blocks (29) and (30), zero elsewhere."""
        Y, Pi = parent_blocks(assembly, q)
        return np.eye(6) - stacked_matrices(assembly, q, ZERO_RATES).S.T @ Y @ Pi

    def library(assembly, q):
        return reduced.factor_matrices(library_tree_of(assembly), q).unit_triangular

    reference = factor_reference
    tolerance = 1e-8
    correction = (
        r"The definitions are not given. (28) to (30) define blocks; $\Omega$ and $\Pi_\lambda$ "
        r"are the matrices of these blocks, but $\mathbf Y_\lambda = \sum_{k\ge0}\mathbf Y^k = "
        r"(\mathbf I - \mathbf Y)^{-1}$, where $\mathbf Y$ has the blocks of (29)."
    )
    replacement = r"where $\Omega$ is a block diagonal matrix of the blocks (28), and $\mathbf Y_\lambda$ and $\Pi_\lambda$ are upper triangular matrices: $\Pi_\lambda$ has the blocks (30), and $\mathbf Y_\lambda = (\mathbf I - \mathbf Y)^{-1}$, where $\mathbf Y$ has the blocks (29)."
    no_simulation = "Definitions are missing; a program cannot be written without them."
    implements = reduced.factor_matrices


ORDERS = st.permutations(range(3)).map(tuple)
NUMBERED_BODIES = st.tuples(BODIES, ORDERS)


def parents_first(assembly, order):
    """Return True if each parent precedes its children in this order of the bodies."""
    return all(p < 0 or order.index(p) < order.index(i) for i, p in enumerate(assembly.parents))


PARENTS_FIRST = st.shared(
    NUMBERED_BODIES.filter(lambda drawn: parents_first(*drawn)), key="bodies, parents first"
)


def reordered_coordinates(assembly, order):
    """Return the indices of the coordinates in another order of the bodies."""
    own = body_trees.coordinate_slices(assembly)
    return np.concatenate([np.arange(6)[own[i]] for i in order])


@section.conditional("t350#b", "The factor is upper triangular")
class t350_b:
    formula = r"\mathbf Y_\lambda \text{ and } \Pi_\lambda \text{ are upper triangular}"
    inputs = {"assembly": BODIES, "order": ORDERS, "q": POSITIONS["q"]}
    result = Result(NUMBER, "of the joints, in their order")

    def printed(assembly, order, q):
        """Return the upper triangle of the factor."""
        indices = reordered_coordinates(assembly, order)
        return np.triu(unit_factor(assembly, q)[np.ix_(indices, indices)])

    def library(assembly, order, q):
        """Restore the given order, because the library sorts the links."""
        own = library_tree_of(assembly).coordinate_slices
        indices = [index for i in order for index in range(own[i].start, own[i].stop)]
        return reduced.factor_matrices(library_tree_of(assembly), q).unit_triangular[np.ix_(indices, indices)]

    def reference(assembly, order, q):
        """Minimize the displacements of point masses by least squares, with the descendant joints free."""
        factor = factor_reference(assembly, q)
        rows = np.concatenate(
            [factor[own] for own in (body_trees.coordinate_slices(assembly)[i] for i in order)]
        )
        return np.concatenate(
            [rows[:, own] for own in (body_trees.coordinate_slices(assembly)[i] for i in order)], axis=1
        )

    tolerance = 1e-8
    condition_inputs = {
        "assembly": PARENTS_FIRST.map(lambda drawn: drawn[0]),
        "order": PARENTS_FIRST.map(lambda drawn: drawn[1]),
        "q": POSITIONS["q"],
    }

    def holds_when(assembly, order, q):
        return parents_first(assembly, order)

    condition = (
        r"Parents are numbered before their children, $\lambda(i) < i$, which the paper does not "
        "state; the loops from 1 to n and from n to 1 also require it."
    )
    remark = (
        r"The factor is block triangular; $\Pi_\lambda$ has $6n$ rows and $\sum_i d_i$ columns. "
        r"$\Omega$ is block diagonal in any order."
    )
    implements = reduced.factor_matrices


@section.holds(
    "e59", "The operator that propagates twists from body to descendants, by blocks", chapter="tree-equations"
)
class e59:
    formula = r"\mathbf G_\lambda(i, j) = \begin{cases}\mathrm{Ad}_{f_{\lambda(i),i}^{-1}}\cdots\mathrm{Ad}_{f_{j,\lambda^{p-1}(i)}^{-1}} & \text{if } \lambda^p(i) = j \text{ for some } p \\ \mathbf I_{6\times6} & \text{if } i = j \\ \mathbf 0_{6\times6} & \text{otherwise}\end{cases}"
    inputs = POSITIONS
    result = Result(ADJOINT, "maps twists of bodies to their descendants, each in the frame of its body")

    def printed(assembly, q):
        quantities, G = body_quantities(assembly, q, ZERO_RATES), np.zeros((18, 18))
        for i in range(3):
            block, j = np.eye(6), i
            while j >= 0:
                G[6 * i : 6 * i + 6, 6 * j : 6 * j + 6] = block
                block, j = block @ quantities.A[j], quantities.parents[j]
        return G

    def library(assembly, q):
        return library_operators(assembly, q, ZERO_RATES).G

    def reference(assembly, q):
        """Compare with adjoints of the poses of bodies in the frames of each of their ancestors."""
        return twist_propagation_matrix(body_quantities(assembly, q, ZERO_RATES))

    implements = reduced.SpatialOperators


@section.holds("e60", "Propagation of twists by one generation", chapter="tree-equations")
class e60:
    formula = r"\Gamma_\lambda = \mathbf I - \mathbf G_\lambda^{-1},\quad \Gamma_\lambda\mathbf G_\lambda = \mathbf G_\lambda - \mathbf I"
    inputs = POSITIONS
    result = Result(
        ADJOINT,
        "the propagation by one generation, then its product with the full operator, each in the frame of its body",
    )

    def printed(assembly, q):
        G = twist_propagation_matrix(body_quantities(assembly, q, ZERO_RATES))
        return np.concatenate([np.eye(18) - np.linalg.inv(G), G - np.eye(18)])

    def library(assembly, q):
        operators = library_operators(assembly, q, ZERO_RATES)
        return np.concatenate([operators.Gamma, operators.Gamma @ operators.G])

    def reference(assembly, q):
        """Compute the adjoints of the poses in the parents, and products with those to all ancestors."""
        matrices = stacked_matrices(assembly, q, ZERO_RATES)
        return np.concatenate([matrices.Gamma, matrices.Gamma @ matrices.G])

    implements = reduced.SpatialOperators


# ------------------------------------------------------------------------------------------------------------
# Si & Guenter, appendix B: the nine steps of forward dynamics, as products of matrices.


@section.holds("t352#a", "Steps 1 to 6: the remaining joint forces")
class t352_a:
    formula = r"\alpha = \mathbf G_\lambda\mathbf a,\quad \bar\alpha = \mathbf J\alpha + \mathbf b,\quad \mathbf p = \mathbf G_\lambda^T\bar\alpha,\quad \bar{\mathbf p} = \mathbf S^T\mathbf p,\quad \bar{\boldsymbol\tau} = \boldsymbol\tau - \bar{\mathbf p}"
    inputs = DRIVEN_MOTION
    result = Result(
        vector_quantity(
            *3 * ((RATE / TIME, 3), (ACCELERATION, 3)),
            (TORQUE, 3),
            (FORCE, 3),
            (TORQUE, 3),
            (FORCE, 3),
            (TORQUE, 3),
            (FORCE, 3),
            (TORQUE, 3),
            (FORCE, 3),
            (TORQUE, 3),
            (FORCE, 3),
            (TORQUE, 3),
            (FORCE, 3),
            (TORQUE, 6),
        ),
        "rates of twists, wrenches and accumulated wrenches of each body in its frame; then joint forces",
    )

    def printed(assembly, q, qdot, wrenches, tau):
        """Evaluate with the meanings of (56) and (57), a and b."""
        matrices = stacked_matrices(assembly, q, qdot)
        alpha = matrices.G @ (matrices.ad_Sqdot @ matrices.bodies.v.ravel() + matrices.Sdot @ qdot)
        alpha_bar = matrices.J @ alpha + bias_wrenches(assembly, q, qdot, wrenches).ravel()
        p = matrices.G.T @ alpha_bar
        p_bar = matrices.S.T @ p
        return np.concatenate([alpha, alpha_bar, p, tau - p_bar])

    def library(assembly, q, qdot, wrenches, tau):
        passes = six_passes(assembly, q, qdot, wrenches, tau)
        columns = (passes.alpha, passes.alpha_bar, passes.p, passes.tau_bar)
        return np.concatenate([each.ravel() for each in columns])

    def reference(assembly, q, qdot, wrenches, tau):
        """Compare with differences of twists, wrenches of point masses, and d'Alembert's principle."""
        alpha = body_trees.twist_rates(assembly, q, qdot, ZERO_RATES)
        alpha_bar = articulated_bodies.joint_wrenches(assembly, q, qdot, ZERO_RATES, wrenches)
        p = articulated_bodies.subtree_wrenches(assembly, q, alpha_bar)
        tau_bar = articulated_bodies.net_generalized_force(assembly, q, qdot, wrenches, tau)
        return np.concatenate([alpha.ravel(), alpha_bar.ravel(), p.ravel(), tau_bar])

    primitives = ("rbnotes.ledger.oracles.point_mass_dynamics.inertial_wrench",)
    tolerance = 1e-8
    implements = reduced.factored_dynamics


@section.holds("t352#b", "Steps 7 and 8: the factor and the middle matrix")
class t352_b:
    formula = r"\mathbf c = (\mathbf I - \mathbf S^T\mathbf Y_\lambda\Pi_\lambda)\bar{\boldsymbol\tau},\quad \bar{\mathbf c} = \Omega^{-1}\mathbf c"
    inputs = FORCED_MOTION
    result = Result(RATE / TIME, "of the joints, in their order")

    def printed(assembly, q, qdot, tau):
        Omega = np.zeros((6, 6))
        for k, own in enumerate(body_trees.coordinate_slices(assembly)):
            Omega[own, own] = articulated_bodies.articulated_joint_inertia(assembly, q, k)
        c = unit_factor(assembly, q) @ articulated_bodies.net_generalized_force(
            assembly, q, qdot, ZERO_WRENCHES, tau
        )
        return np.linalg.inv(Omega) @ c

    def library(assembly, q, qdot, tau):
        return six_passes(assembly, q, qdot, ZERO_WRENCHES, tau).c_bar

    def reference(assembly, q, qdot, tau):
        """Minimize displacements of point masses over all coordinates from a joint on at once.

        The coordinates before the joint are locked.
        """
        return articulated_bodies.subtree_joint_accelerations(
            assembly, q, articulated_bodies.net_generalized_force(assembly, q, qdot, ZERO_WRENCHES, tau)
        )

    tolerance = 1e-8
    implements = reduced.factored_dynamics


@section.misprint("t352#c", "Step 9: the accelerations")
class t352_c:
    formula = r"\bar{\mathbf q} = (\mathbf I - \mathbf S^T\mathbf Y_\lambda\Pi_\lambda)^T\bar{\mathbf c}"
    inputs = FORCED_MOTION
    result = Result(RATE / TIME, "of the joints, in their order")

    def printed(assembly, q, qdot, tau):
        """Return the coordinates, because the right side as printed only renames them."""
        return q

    def library(assembly, q, qdot, tau):
        passes = six_passes(assembly, q, qdot, ZERO_WRENCHES, tau)
        return reduced.factor_matrices(library_tree_of(assembly), q).unit_triangular.T @ passes.c_bar

    def reference(assembly, q, qdot, tau):
        """Apply Gauss's principle to the point masses of all bodies."""
        return body_trees.accelerations(assembly, q, qdot, tau)

    tolerance = 1e-8
    scan = True
    correction = (
        r"The left side is $\ddot{\mathbf q}$: $\ddot{\mathbf q} = (\mathbf I - \mathbf S^T\mathbf Y_\lambda"
        r"\Pi_\lambda)^T\bar{\mathbf c}$."
    )
    replacement = (
        r"$\ddot{\mathbf q} = (\mathbf I - \mathbf S^T\mathbf Y_\lambda\Pi_\lambda)^T\bar{\mathbf c}$"
    )
    units_mismatch = r"the left side is a coordinate, the right side an acceleration"
    implements = (reduced.factored_dynamics, reduced.factor_matrices)
