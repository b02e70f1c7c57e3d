"""Sueda 2.13: the inverse of the reduced inertia. The oracles: point masses, and dense solves."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from rbnotes.ledger.claims.sueda.section_2 import tree_of as hinge_tree_of
from rbnotes.ledger.claims.sueda.section_2_1 import serial_chains
from rbnotes.ledger.claims.sueda.section_2_12.symbols import (
    TOLERANCE,
    adjoint_from_parent,
    joint_inertia,
    joints_of,
)
from rbnotes.ledger.joint_quantities import ASSEMBLY, BRANCHING, MASS_POINTS
from rbnotes.ledger.oracles import body_trees
from rbnotes.ledger.oracles.body_quantities_inputs import FOUR_BODIES, library_tree_of
from rbnotes.ledger.oracles.branching_tree import PARENTS, tree_newton_equations, twists_and_velocities
from rbnotes.ledger.oracles.branching_tree_inputs import TREE, library_tree
from rbnotes.ledger.oracles.recursive_dynamics import counted_array, hinge_links, recursive_accelerations
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    ACCELERATION,
    ANGULAR_MOMENTUM,
    ENERGY,
    FORCE,
    INERTIA,
    LENGTH,
    MOMENTUM,
    NUMBER,
    POSE,
    RATE,
    SPATIAL_DAMPING,
    SPATIAL_INERTIA,
    SPATIAL_STIFFNESS,
    TIME,
    TORQUE,
    VELOCITY,
    matrix_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody.reduced import (
    factor_mass_matrix,
    forward_dynamics,
    inverse_mass_matrix,
    inverse_mass_product,
)
from rbnotes.testing.strategies import arrays, numbers, positive_numbers, round_numbers

section = Section(
    "sueda/s2.13",
    chapter="inverse-inertia",
    page_2019=Page(47),
    page_2021=Page(58, last=59),
    arguments={
        "link_frames": Argument(
            POSE,
            (
                "for each joint (a universal joint about x and y; on it a hinge about z that carries a "
                "slider along z, and another hinge): pose in the frame of the parent joint, then pose of "
                "the body in the joint frame"
            ),
        ),
        "bodies": Argument(MASS_POINTS, "four points of each body: mass, then position in the body"),
        "g": Argument(ACCELERATION, "along the axes of the world"),
        "q": Argument(BRANCHING, "of the joints, in their order"),
        "v": Argument(vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)), "of the joints, in their order"),
        "x": Argument(vector_quantity((TORQUE, 3), (FORCE, 1), (TORQUE, 1)), "of the joints, in their order"),
        "assembly": Argument(
            ASSEMBLY,
            (
                "a tree of joints and bodies in the world, with all coordinates zero: the parent of each body"
                " (-1: none); joints about z (revolute), along z (prismatic), about x and then y (universal) "
                "or by a rotation vector (spherical); centers in the bodies, inertias about these"
            ),
        ),
        "angles": Argument(NUMBER, "of the joints, in their order"),
        "B": Argument(SPATIAL_INERTIA),
        "p": Argument(INERTIA),
        "h": Argument(TIME),
        "D_m": Argument(SPATIAL_DAMPING, "of each body, in its frame"),
        "K_m": Argument(SPATIAL_STIFFNESS, "of each body, in its frame"),
        "D_r": Argument(
            matrix_quantity(
                vector_quantity((ANGULAR_MOMENTUM, 3), (MOMENTUM, 1), (ANGULAR_MOMENTUM, 1)), BRANCHING
            )
        ),
        "K_r": Argument(matrix_quantity(vector_quantity((TORQUE, 3), (FORCE, 1), (TORQUE, 1)), BRANCHING)),
        "k": Argument(TORQUE),
        "d": Argument(ANGULAR_MOMENTUM),
    },
)


CONFIGURATION_INPUTS = {name: TREE[name] for name in ("link_frames", "bodies", "q")}
BODY_BLOCKS = np.kron(np.eye(4), np.ones((6, 6)))
"""Blocks of 6 x 6 that are nonzero if the twists of different bodies are not coupled."""
_ADJACENT = [[i == p or PARENTS[i] == p or PARENTS[p] == i for p in range(4)] for i in range(4)]
NEIGHBOR_BLOCKS = np.kron(np.array(_ADJACENT) & ~np.eye(4, dtype=bool), np.ones((6, 6)))
STEP_INPUTS = {
    "assembly": FOUR_BODIES,
    "q": arrays(5),
    "h": positive_numbers(0.0625, 0.25),
    "D_m": arrays(4, 6, 6).map(lambda D: D / 4),
    "K_m": arrays(4, 6, 6).map(lambda K: K + 0.5),
    "D_r": arrays(5, 5).map(lambda D: D / 4),
    "K_r": arrays(5, 5).map(lambda K: K + 0.5),
    "x": arrays(5),
}


def factor_inverse(tree, q, P_r, P_m):
    """Return the first loop of Algorithm 10: parent, Ad, S, coordinates, articulated inertia, Psi of each joint."""
    M_hat, factors = np.zeros((5, 6, 6)), [None] * 4
    joints = joints_of(tree, q, np.zeros(5))
    for j in reversed(range(4)):
        Ad, S, _, part = joints[j]
        to_body = adjoint_from_parent(tree.links[j].body_frame)
        M_hat[j] += joint_inertia(tree.links[j]) + to_body.T @ P_m[j] @ to_body
        Psi = np.linalg.inv(S.T @ M_hat[j] @ S + P_r[part, part])
        Pi = M_hat[j] - M_hat[j] @ S @ Psi @ S.T @ M_hat[j]
        M_hat[tree.parents[j]] += Ad.T @ Pi @ Ad
        factors[j] = (tree.parents[j], Ad, S, part, M_hat[j], Psi)
    return factors


def solve_factored(joints, x):
    """Run the second and the third loop, for one right-hand side."""
    B_hat, V_dot, y = np.zeros((5, 6)), np.zeros((5, 6)), np.zeros(5)
    for j in reversed(range(4)):
        p, Ad, S, part, M_hat, Psi = joints[j]
        beta = B_hat[j] + M_hat @ (S @ Psi @ (x[part] - S.T @ B_hat[j]))
        B_hat[p] += Ad.T @ beta
    for j, (p, Ad, S, part, M_hat, Psi) in enumerate(joints):
        y[part] = Psi @ (x[part] - S.T @ M_hat @ Ad @ V_dot[p] - S.T @ B_hat[j])
        V_dot[j] = Ad @ V_dot[p] + S @ y[part]
    return y


def twist_jacobian(link_frames, q):
    """Return J_mr ``(24, 5)`` by complex steps: the oracle."""
    return np.stack(
        [twists_and_velocities(link_frames, np.zeros((4, 1, 3)), q, e)[0].ravel() for e in np.eye(5)], axis=1
    )


def mass_matrix_of(link_frames, bodies, q):
    return tree_newton_equations(link_frames, bodies, np.zeros(3), q, np.zeros(5))[0]


@section.conditional("t1608#a", "Forward dynamics with the vector as the generalized force")
class t1608_a:
    page_2019 = Page(47)
    page_2021 = Page(58)
    formula = r"\text{`it can compute } y = M^{-1}x \text{ by inputting an arbitrary vector } x \text{ as the generalized force'}"
    inputs = TREE | {"x": arrays(5)}
    result = Result(BRANCHING / TIME / TIME, "of the joints, in their order")

    def printed(link_frames, bodies, g, q, v, x):
        return forward_dynamics(library_tree(link_frames, bodies, g), q, v, x)

    def library(link_frames, bodies, g, q, v, x):
        return inverse_mass_product(library_tree(link_frames, bodies, g), q, x)

    def reference(link_frames, bodies, g, q, v, x):
        """Compare with a dense solve, with the masses of points by complex steps."""
        return np.linalg.solve(mass_matrix_of(link_frames, bodies, q), x)

    tolerance = TOLERANCE
    condition_inputs = {**inputs, "v": arrays(5).map(lambda v: 0 * v), "g": arrays(3).map(lambda g: 0 * g)}
    condition = "there are no other forces and no velocities: no weights, no springs"

    def holds_when(link_frames, bodies, g, q, v, x):
        return not np.any(v) and not np.any(g)

    remark = "Forward dynamics includes all forces; Algorithm 10 omits those of weights and motion."
    implements = inverse_mass_product


def t1608_b_quantity(values):
    return vector_quantity((NUMBER, 1), (NUMBER / INERTIA, values["assembly"].num_coordinates ** 2))


@section.holds("t1608#b", "The product takes O(n) operations, the inverse O(n^2)")
class t1608_b:
    formula = r"O(n):\ 650n - 589 \text{ products for a chain of hinges, as it is written in the oracle; } O(n^2):\ n \text{ times that}"
    inputs = {"assembly": serial_chains(4, 2), "angles": arrays(5)}

    result = Result(t1608_b_quantity, "number of products, then the inverse by rows")

    def printed(assembly, angles):
        n, tree = len(assembly.parents), hinge_tree_of(assembly)
        rows = [inverse_mass_product(tree, angles[:n], unit) for unit in np.eye(n)]
        return [n * (650 * n - 589), *np.ravel(rows)]

    def library(assembly, angles):
        n = len(assembly.parents)
        inverse = inverse_mass_matrix(hinge_tree_of(assembly), angles[:n])
        return [n * (650 * n - 589), *inverse.ravel()]

    def reference(assembly, angles):
        """Compare with recursive forward dynamics without loads, row by row.

        Numbers that count their products give the count of the first row; all rows take the same steps.
        """
        n, tally = assembly.num_coordinates, [0]
        links_at_rest = hinge_links(assembly, angles[:n], np.zeros(n))
        links = [
            (X, S, 0 * bias_acceleration, M, 0 * load) for X, S, bias_acceleration, M, load in links_at_rest
        ]
        counted = [tuple(counted_array(part, tally) for part in link) for link in links]
        recursive_accelerations(assembly.parents, counted, counted_array(np.eye(n)[0], tally))
        rows = [recursive_accelerations(assembly.parents, links, unit) for unit in np.eye(n)]
        return [n * tally[0], *np.ravel(rows)]

    tolerance = TOLERANCE
    remark = (
        "Fewer products are possible: the first loop need not be repeated, and the zeros of the unit "
        "vectors save half of the rest."
    )
    implements = inverse_mass_matrix


@section.holds("t1608#c", "The inverse by columns of the identity, with one factorization")
class t1608_c:
    formula = r"\text{`the columns of the identity matrix as the right-hand-side vectors', the first loop `run just once'}"
    inputs = CONFIGURATION_INPUTS
    result = Result(
        matrix_quantity(BRANCHING / TIME, ENERGY * TIME / BRANCHING), "of the joints, in their order"
    )

    def printed(link_frames, bodies, q):
        tree = library_tree(link_frames, bodies)
        factorization = factor_mass_matrix(tree, q)
        return np.stack([factorization.solve(column) for column in np.eye(5)], axis=1)

    def library(link_frames, bodies, q):
        return inverse_mass_matrix(library_tree(link_frames, bodies), q)

    def reference(link_frames, bodies, q):
        """Compare with the inverse of the matrix of masses at points, by complex steps."""
        return np.linalg.inv(mass_matrix_of(link_frames, bodies, q))

    tolerance = TOLERANCE
    remark = "The first loop runs once for each configuration, because its results depend on $q$ alone."
    implements = (factor_mass_matrix, inverse_mass_matrix)


def coupling(numbers):
    """Return terms that couple all bodies, nonzero and smaller than the masses."""
    return round_numbers(0.2 + numbers / 8)


@section.conditional("t1608#d", "Terms of the bodies that keep the structure of the tree")
class t1608_d:
    page_2019 = Page(47)
    page_2021 = Page(58)
    formula = (
        r"\text{`we can only include the diagonal terms, since off-diagonal terms break the tree structure'}"
    )
    inputs = CONFIGURATION_INPUTS | {
        "B": arrays(24, 24).map(coupling),
        "p": positive_numbers(),
        "x": arrays(5).map(lambda x: x + np.array([1.1, -0.7, 0.9, -1.3, 0.6])),
    }
    constants = (LENGTH,)
    result = Result(BRANCHING / TIME / TIME, "of the joints, in their order")

    def printed(link_frames, bodies, q, B, p, x):
        diagonal = B.reshape(4, 6, 4, 6)[range(4), :, range(4), :]
        return solve_factored(
            factor_inverse(library_tree(link_frames, bodies), q, p * np.eye(5), diagonal), x
        )

    def library(link_frames, bodies, q, B, p, x):
        blocks = np.swapaxes(B.reshape(4, 6, 4, 6), 1, 2)
        parents = [(blocks[i, p], blocks[p, i]) for i, p in enumerate(PARENTS)]
        diagonal = [blocks[i, i] for i in range(4)]
        return factor_mass_matrix(
            library_tree(link_frames, bodies), q, body_terms=diagonal, parent_terms=parents, joint_terms=p
        ).solve(x)

    def reference(link_frames, bodies, q, B, p, x):
        """Compare with a dense solve, with blocks of each body and of each body with its parent.

        Masses of points and twists of the bodies come from complex steps.
        """
        J = twist_jacobian(link_frames, q)
        return np.linalg.solve(
            mass_matrix_of(link_frames, bodies, q)
            + J.T @ (B * (BODY_BLOCKS + NEIGHBOR_BLOCKS)) @ J
            + p * np.eye(5),
            x,
        )

    tolerance = TOLERANCE
    condition_inputs = {**inputs, "B": arrays(24, 24).map(lambda B: coupling(B) * (1 - NEIGHBOR_BLOCKS))}
    condition = (
        "no term couples a body with its parent. Such terms preserve the structure of the tree, and "
        "the same three loops can include them"
    )

    def holds_when(link_frames, bodies, q, B, p, x):
        return not np.any(B * NEIGHBOR_BLOCKS)

    remark = (
        "Let $C$ be the block in the row of the child $c$ and the column of its parent, and $C'$ the "
        r"block in the transposed position. Then $\Pi_c$ in the frame of the parent becomes $A^\top\hat "
        r"M A + A^\top C + C'A - (A^\top\hat M + C')S\Psi S^\top(\hat MA + C)$, with $A = "
        r"{}^c_j\mathrm{Ad}$."
    )
    implements = factor_mass_matrix


@section.holds("alg10#a", "Algorithm 10: product of the inverse with a vector")
class alg10_a:
    page_2019 = Page(
        47,
        r"${}^i_j\mathrm{Ad}^\top\operatorname{blkdiag}(\cdot)\,{}^i_j\mathrm{Ad}$ in line 7",
    )
    page_2021 = Page(59, page_2019.content)
    formula = r"\begin{aligned} &\text{backward: } \hat M_j = M_j + P^m_j + \sum_c{}^c_j\mathrm{Ad}^\top\Pi_c{}^c_j\mathrm{Ad},\ \Psi_j = (S_j^\top\hat M_jS_j + P^r_j)^{-1},\ \Pi_j = \hat M_j - \hat M_jS_j\Psi_jS_j^\top\hat M_j \\ &\text{backward: } \hat B_j = \sum_c{}^c_j\mathrm{Ad}^\top\beta_c,\ \beta_j = \hat B_j + \hat M_j(S_j\Psi_j(x_j - S_j^\top\hat B_j)) \\ &\text{forward: } y_j = \Psi_j(x_j - S_j^\top\hat M_j{}^j_p\mathrm{Ad}\dot V_p - S_j^\top\hat B_j),\ \dot V_j = {}^j_p\mathrm{Ad}\dot V_p + S_jy_j \end{aligned}"
    inputs = STEP_INPUTS
    result = Result(
        BRANCHING / TIME / TIME, "of the joints, in their order: without, then with the terms of the step"
    )

    def printed(assembly, q, h, D_m, K_m, D_r, K_r, x):
        """Return the products without and with the terms of the step, with K the derivatives of the forces."""
        tree, zero_terms = library_tree_of(assembly), (np.zeros((5, 5)), np.zeros((4, 6, 6)))
        step_terms = h * D_r - h**2 * K_r, h * D_m - h**2 * K_m
        return [solve_factored(factor_inverse(tree, q, *terms), x) for terms in (zero_terms, step_terms)]

    def library(assembly, q, h, D_m, K_m, D_r, K_r, x):
        tree = library_tree_of(assembly)
        joint_terms = np.zeros((5, 5))
        for part in tree.coordinate_slices:
            joint_terms[part, part] = h * D_r[part, part] - h**2 * K_r[part, part]
        step = factor_mass_matrix(tree, q, joint_terms=joint_terms, body_terms=h * D_m - h**2 * K_m)
        return [inverse_mass_product(tree, q, x), step.solve(x)]

    def reference(assembly, q, h, D_m, K_m, D_r, K_r, x):
        """Compare with a dense solve, with point masses and twists of the bodies by complex steps.

        The terms of the joints are their diagonal blocks, as in (2.78).
        """
        W, J = body_trees.mass_weighted_jacobian(assembly, q), body_trees.jacobian(assembly, q)
        joint_terms = linalg.block_diag(
            *[(D_r - h * K_r)[part, part] for part in body_trees.coordinate_slices(assembly)]
        )
        step = W.T @ W + h * J.T @ linalg.block_diag(*(D_m - h * K_m)) @ J + h * joint_terms
        return [np.linalg.solve(W.T @ W, x), np.linalg.solve(step, x)]

    tolerance = TOLERANCE
    remark = (
        r"Here $D = -\partial f/\partial v$ and $K = +\partial f/\partial q$; they need not be "
        "symmetric. Matrices $D_r$, $K_r$ that couple joints are not possible: only their diagonal "
        "blocks are used. The lower indices of the adjoints are missing in the text."
    )
    implements = (inverse_mass_product, factor_mass_matrix)


@section.erratum("alg10#b", "Algorithm 10: the sign of the joint stiffness")
class alg10_b:
    page_2019 = Page(47)
    page_2021 = Page(59)
    formula = r"P^r_j = hD^r_j - h^2K^r_j,\quad K_r = -\partial\tau_K/\partial q_r"
    inputs = CONFIGURATION_INPUTS | {
        "h": numbers(0.25, 0.5),
        "k": positive_numbers(0.5, 4.0),
        "d": positive_numbers(),
        "x": arrays(5),
    }
    result = Result(BRANCHING / TIME / TIME, "of the joints, in their order")
    constants = (LENGTH,)

    def printed(link_frames, bodies, q, h, k, d, x):
        """Evaluate with the K_r and D_r of (2.78)."""
        K_r, D_r = k * np.eye(5), d * np.eye(5)
        return solve_factored(
            factor_inverse(library_tree(link_frames, bodies), q, h * D_r - h**2 * K_r, np.zeros((4, 6, 6))), x
        )

    def library(link_frames, bodies, q, h, k, d, x):
        return factor_mass_matrix(library_tree(link_frames, bodies), q, joint_terms=h * d + h**2 * k).solve(x)

    def reference(link_frames, bodies, q, h, k, d, x):
        """Compare with the velocities after an implicit step with springs and dampers, by a dense solve.

        The step is M y = x - h (d y + k h y), with the torques at its end.
        """
        M = mass_matrix_of(link_frames, bodies, q)
        torques = np.stack([-d * unit - k * (h * unit) for unit in np.eye(5)], axis=1)
        return np.linalg.solve(M - h * torques, x)

    tolerance = TOLERANCE
    combined_with = ("sueda/s2.5/e2.78", "sueda/s2.5/e2.77")
    correction = (
        "$P^r_j = hD^r_j + h^2K^r_j$ with the $K_r$ of (2.78), as in (2.77); or $K_r = "
        r"+\partial\tau_K/\partial q_r$, like the $K_m$ of the caption, which is that of (2.79)"
    )
    replacement = r"P^r_j = hD^r_j + h^2K^r_j,\quad y = \left(M_r + J_{mr}^\top\operatorname{blkdiag}(hD_m - h^2K_m)J_{mr} + hD_r + h^2K_r\right)^{-1}x"
    remark = (
        "The error is that of (2.79). With the wrong sign the preconditioner is indefinite for stiff "
        "springs, where it is most useful, and conjugate gradients break down."
    )
    implements = factor_mass_matrix
