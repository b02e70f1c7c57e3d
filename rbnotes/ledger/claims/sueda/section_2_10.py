"""Sueda 2.10: products with the Jacobian and its rate. The oracles differentiate poses of trees."""

from __future__ import annotations

from itertools import chain

import numpy as np
from hypothesis import strategies as st

from rbnotes import joints
from rbnotes.ledger.claims.sueda.section_2 import (
    CONFIGURATION,
    HINGE_TREES,
    MOTION,
    assemblies,
    draw_frames,
    draw_parents,
    tree_of,
)
from rbnotes.ledger.claims.sueda.section_2_1 import (
    LARGE,
    THREE,
    THREE_HINGES,
    S,
    diagonal_block,
    hinge_tree,
    relative_adjoint,
    serial_chains,
)
from rbnotes.ledger.claims.sueda.section_2_2 import adjoint_rate, joint_to_body_adjoint, motion_subspace_rate
from rbnotes.ledger.joint_quantities import ASSEMBLY, accelerations, coordinates, forces, velocities
from rbnotes.ledger.oracles import body_trees, complex_steps, jacobian_recursions
from rbnotes.ledger.oracles.recursive_dynamics import counted_array
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    ACCELERATION,
    LENGTH,
    LINEAR_FIRST_WRENCH,
    NUMBER,
    POSE,
    RATE,
    TIME,
    TORQUE,
    TWIST,
    VELOCITY,
    WRENCH,
    stacked_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody import reduced
from rbnotes.testing.strategies import arrays

section = Section(
    "sueda/s2.10",
    chapter="products-without-matrices",
    page_2019=Page(39, last=40),
    page_2021=Page(50, last=52),
    arguments={
        "assembly": Argument(
            ASSEMBLY,
            (
                "a tree of joints and bodies in the world, with all coordinates zero: the parent of each body"
                " (-1: none); joints about z (revolute), along z (prismatic), about x and then y (universal) "
                "or by a rotation vector (spherical); centers in the bodies, inertias about these"
            ),
        ),
        "angles": Argument(NUMBER, "of the joints, in their order"),
        "states": Argument(
            stacked_quantity(NUMBER, RATE, RATE), "coordinates of the joints, then their rates"
        ),
        "wrenches": Argument(WRENCH, "on each body, about its origin, along its axes"),
        "q": Argument(coordinates, "of the joints, in their order"),
        "qdot": Argument(velocities, "of the joints, in their order"),
        "x": Argument(velocities, "of the joints, in their order"),
        "qddot": Argument(accelerations, "of the joints, in their order"),
        "y": Argument(WRENCH, "of each body"),
        "F": Argument(POSE, "of the joints in the world, with all coordinates zero"),
        "B": Argument(POSE, "of the bodies in the world, with all coordinates zero"),
    },
)


ALL_PRODUCTS = (reduced.jacobian_product, reduced.jacobian_rate_product, reduced.jacobian_transpose_product)
# Three bodies with joints of three kinds and six coordinates, in any tree and any order.
THREE_BODIES = assemblies(
    draw_parents(3), st.permutations(("revolute", "universal", "spherical")).map(tuple), 3
)
THREE_BODY_MOTION = {"assembly": THREE_BODIES, "q": arrays(6), "qdot": arrays(6)}


@section.misprint("e2.108", "Twists of a chain of three bodies from its Jacobian")
class e2_108:
    page_2019 = Page(39, "the right product in the last row, as in (2.14)")
    page_2021 = Page(50, page_2019.content)
    formula = r"\begin{pmatrix} y_1 \\ y_2 \\ y_3 \end{pmatrix} = \begin{pmatrix} {}^1_1\mathrm{Ad}_S & 0 & 0 \\ {}^2_1\mathrm{Ad}_1\,{}^1_1\mathrm{Ad}_S & {}^2_2\mathrm{Ad}_S & 0 \\ {}^3_2\mathrm{Ad}_1\,{}^2_1\mathrm{Ad}_S & {}^3_2\mathrm{Ad}_2\,{}^2_2\mathrm{Ad}_S & {}^3_3\mathrm{Ad}_S \end{pmatrix}\begin{pmatrix} x_1 \\ x_2 \\ x_3 \end{pmatrix}"
    edits = (
        (
            r"{}^3_2\mathrm{Ad}_1\,{}^2_1\mathrm{Ad}_S",
            r"{}^3_2\mathrm{Ad}\,{}^2_1\mathrm{Ad}\,{}^1_1\mathrm{Ad}_S",
        ),
        (r"{}^2_1\mathrm{Ad}_1", r"{}^2_1\mathrm{Ad}"),
        (r"{}^3_2\mathrm{Ad}_2", r"{}^3_2\mathrm{Ad}"),
    )
    inputs = THREE
    result = Result(TWIST, "of each body, in its frame")

    def printed(F, B, qdot):
        """Evaluate with the right index of Ad as the body whose twists it maps, and that of Ad_S as the joint."""
        Ad_21, Ad_31, Ad_32 = (
            relative_adjoint(B[1], B[0]),
            relative_adjoint(B[2], B[0]),
            relative_adjoint(B[2], B[1]),
        )
        S_11, S_21, S_22, S_33 = (
            relative_adjoint(B[i], F[j]) @ S for i, j in ((0, 0), (1, 0), (1, 1), (2, 2))
        )
        zero = np.zeros(6)
        rows = [[S_11, zero, zero], [Ad_21 @ S_11, S_22, zero], [Ad_31 @ S_21, Ad_32 @ S_22, S_33]]
        return np.concatenate([np.stack(row, axis=-1) for row in rows]) @ qdot

    def library(F, B, qdot):
        return reduced.jacobian_product(hinge_tree((-1, 0, 1), F, B), np.zeros(3), qdot).ravel()

    def reference(F, B, qdot):
        """Compare with the complex step of the poses along the motion of all hinges."""
        return body_trees.twists(body_trees.revolute_assembly((-1, 0, 1), F, B), np.zeros(3), qdot).ravel()

    correction = (
        r"${}^3_2\mathrm{Ad}\,{}^2_1\mathrm{Ad}_S = "
        r"{}^3_2\mathrm{Ad}\,{}^2_1\mathrm{Ad}\,{}^1_1\mathrm{Ad}_S$ in the last row: "
        r"${}^3_2\mathrm{Ad}$ maps twists of body 2, as its left index says, not of body 1, as its right "
        "index says. The formula is right without the right indices, which (2.14) does not have."
    )
    remark = r"${}^2_1\mathrm{Ad}_S$ is the motion of joint 1 in the frame of body 2, as in (2.109)."
    implements = reduced.jacobian_product


@section.holds("t1320", "First two rows of the product with the Jacobian")
class t1320:
    formula = (
        r"y_1 = {}^1_1\mathrm{Ad}_S\,x_1,\quad y_2 = {}^2_1\mathrm{Ad}_1\,y_1 + {}^2_2\mathrm{Ad}_S\,x_2"
    )
    inputs = THREE
    result = Result(TWIST, "of each body, in its frame")

    def printed(F, B, qdot):
        y_1 = relative_adjoint(B[0], F[0]) @ S * qdot[0]
        y_2 = relative_adjoint(B[1], B[0]) @ y_1 + relative_adjoint(B[1], F[1]) @ S * qdot[1]
        return np.concatenate([y_1, y_2])

    def library(F, B, qdot):
        return reduced.jacobian_product(hinge_tree((-1, 0, 1), F, B), np.zeros(3), qdot)[:2].ravel()

    def reference(F, B, qdot):
        """Compare with the complex step of the poses along the motion of all hinges."""
        return body_trees.twists(body_trees.revolute_assembly((-1, 0, 1), F, B), np.zeros(3), qdot)[
            :2
        ].ravel()

    implements = reduced.jacobian_product


@section.misprint("e2.109", "Third row of the product with the Jacobian, from the second")
class e2_109:
    page_2019 = Page(39, "the right product in the first term, adjoints without a right index")
    page_2021 = Page(51, page_2019.content)
    formula = r"\begin{aligned} y_3 &= {}^3_2\mathrm{Ad}_1\,{}^2_1\mathrm{Ad}_S\,x_1 + {}^3_2\mathrm{Ad}_2\,{}^2_2\mathrm{Ad}_S\,x_2 + {}^3_3\mathrm{Ad}_S\,x_3 \\ &= {}^3_2\mathrm{Ad}_1\left({}^2_1\mathrm{Ad}_1\,y_1 + {}^2_2\mathrm{Ad}_S\,x_2\right) + {}^3_3\mathrm{Ad}_S\,x_3 \\ &= {}^3_2\mathrm{Ad}_1\,y_2 + {}^3_3\mathrm{Ad}_S\,x_3 \end{aligned}"
    edits = (
        (
            r"{}^3_2\mathrm{Ad}_1\,{}^2_1\mathrm{Ad}_S\,x_1",
            r"{}^3_2\mathrm{Ad}\,{}^2_1\mathrm{Ad}\,{}^1_1\mathrm{Ad}_S\,x_1",
        ),
        (r"\mathrm{Ad}_1\,", r"\mathrm{Ad}\,"),
        (r"\mathrm{Ad}_1\left", r"\mathrm{Ad}\left"),
        (r"{}^3_2\mathrm{Ad}_2", r"{}^3_2\mathrm{Ad}"),
    )
    inputs = THREE
    result = Result(TWIST, "of the body, in its frame")

    def printed(F, B, qdot):
        """Evaluate the last line, with the right index of Ad as the body whose twists it maps."""
        y_1 = relative_adjoint(B[0], F[0]) @ S * qdot[0]
        y_2 = relative_adjoint(B[1], B[0]) @ y_1 + relative_adjoint(B[1], F[1]) @ S * qdot[1]
        return relative_adjoint(B[2], B[0]) @ y_2 + relative_adjoint(B[2], F[2]) @ S * qdot[2]

    def library(F, B, qdot):
        return reduced.jacobian_product(hinge_tree((-1, 0, 1), F, B), np.zeros(3), qdot)[2]

    def reference(F, B, qdot):
        """Compare with the complex step of the pose of the third body along the motion of all hinges."""
        return body_trees.twists(body_trees.revolute_assembly((-1, 0, 1), F, B), np.zeros(3), qdot)[2]

    correction = (
        r"$y_3 = {}^3_2\mathrm{Ad}\,y_2 + {}^3_3\mathrm{Ad}_S\,x_3$: the index 1 after the first Ad "
        "of each line should be 2, the index of the parent. In the first line the same adjoint "
        "appears with either index."
    )
    implements = reduced.jacobian_product


@section.holds("t1324#a", "Twist of a body from those of its parent and its joint")
class t1324_a:
    page_2019 = Page(39, r"${}^i_p\mathrm{Ad}\,y_p + {}^i_j\mathrm{Ad}_S\,x_j$")
    page_2021 = Page(51, page_2019.content)
    formula = r"y_i = {}^i_p\mathrm{Ad}_p\,y_p + {}^i_j\mathrm{Ad}_S\,x_j"
    inputs = MOTION
    result = Result(TWIST, "of each body, in its frame")

    def printed(assembly, q, qdot):
        E, slices = body_trees.poses(assembly, q), body_trees.coordinate_slices(assembly)
        y = body_trees.twists(assembly, q, qdot)  # those of the parents
        twists = []
        for i, p in enumerate(assembly.parents):
            ij_Ad_S = diagonal_block(E, assembly, q, i)
            twists.append(ij_Ad_S @ qdot[slices[i]] + (relative_adjoint(E[i], E[p]) @ y[p] if p >= 0 else 0))
        return np.concatenate(twists)

    def library(assembly, q, qdot):
        return reduced.jacobian_product(tree_of(assembly), q, qdot).ravel()

    def reference(assembly, q, qdot):
        """Compare with the complex step of all poses along the motion."""
        return (body_trees.jacobian(assembly, q) @ qdot).ravel()

    remark = "This holds in any tree with any joints. A body whose parent is the world has no first term."
    implements = reduced.jacobian_product


@section.holds("t1324#b", "Parents must be processed before their children")
class t1324_b:
    formula = r"\text{Algorithm 5 is right} \iff \text{parents are processed before their children}"
    inputs = {
        "assembly": THREE_HINGES,
        "states": arrays(2, 3).map(lambda drawn: drawn + np.where(drawn < 0, -0.3, 0.3)),
        "order": st.permutations(range(3)).map(tuple),
    }
    arguments = {
        "states": Argument(stacked_quantity(NUMBER, RATE), "coordinates of the joints, then their rates")
    }
    result = Result(NUMBER, "of the joints, in their order")

    def printed(assembly, states, order):
        positions = [order.index(i) for i in range(3)]
        return float(
            all(parent < 0 or positions[parent] < positions[i] for i, parent in enumerate(assembly.parents))
        )

    def library(assembly, states, order):
        """Return True if the tree keeps the order of its links, which needs parents before their children."""
        links = tree_of(assembly).links
        sorted_links = reduced.Tree([links[i] for i in order]).links
        return float([link.name for link in sorted_links] == [str(i) for i in order])

    def reference(assembly, states, order):
        """Compare the recursion in that order, started from zeros, with complex steps of the poses."""
        q, x = states
        links, y = jacobian_recursions.hinge_links(assembly, q, x), np.zeros((3, 6))
        for i in order:
            X, _, screw, _ = links[i]
            y[i] = screw * x[i] + (X @ y[assembly.parents[i]] if assembly.parents[i] >= 0 else 0)
        return float(np.allclose(y, body_trees.twists(assembly, q, x), atol=1e-9))

    implements = reduced.Tree


@section.holds("alg5", "Algorithm 5: products with the Jacobian and its rate")
class alg5:
    formula = r"\begin{aligned} &y(i) = {}^i_j\mathrm{Ad}\,S\,x(j),\quad z(i) = {}^i_j\mathrm{Ad}\,\dot S\,x(j) \\ &\text{if parent} \ne \text{null: } y(i) \mathrel{+}= {}^i_p\mathrm{Ad}\,y(p),\quad z(i) \mathrel{+}= {}^i_p\mathrm{Ad}\,z(p) + {}^i_p\dot{\mathrm{Ad}}\,y(p) \end{aligned}"
    inputs = {**THREE_BODY_MOTION, "x": arrays(6)}
    result = Result(
        stacked_quantity(TWIST, TWIST / TIME),
        "of each body in its frame: the product with J, then with its rate",
    )

    def printed(assembly, q, qdot, x):
        E, slices = body_trees.poses(assembly, q), body_trees.coordinate_slices(assembly)
        y, z = np.zeros((3, 6)), np.zeros((3, 6))
        for i, p in enumerate(assembly.parents):
            S_dot = motion_subspace_rate(assembly.kinds[i], q[slices[i]], qdot[slices[i]])
            y[i] = diagonal_block(E, assembly, q, i) @ x[slices[i]]
            z[i] = joint_to_body_adjoint(assembly, i) @ S_dot @ x[slices[i]]
            if p >= 0:
                y[i] += relative_adjoint(E[i], E[p]) @ y[p]
                z[i] += relative_adjoint(E[i], E[p]) @ z[p] + adjoint_rate(assembly, q, qdot, i, p) @ y[p]
        return np.stack([y, z])

    def library(assembly, q, qdot, x):
        tree = tree_of(assembly)
        return np.stack(
            [reduced.jacobian_product(tree, q, x), reduced.jacobian_rate_product(tree, q, qdot, x)]
        )

    def reference(assembly, q, qdot, x):
        """Compare with J by complex steps of all poses and its rate by differences of J, each times x."""
        J, J_dot = body_trees.jacobian(assembly, q), body_trees.jacobian_rate(assembly, q, qdot)
        return np.stack([J @ x, J_dot @ x]).reshape(2, 3, 6)

    tolerance = 1e-8
    implements = (reduced.jacobian_product, reduced.jacobian_rate_product)


# ------------------------------------------------------------------------------------------------------------
# Costs and applications of products without the Jacobian.


COUNTING_INPUTS = {"assembly": serial_chains(4, 2), "states": arrays(3, 5), "wrenches": arrays(5, 6)}
THREE_BODY_ACCELERATED_MOTION = {**THREE_BODY_MOTION, "qddot": arrays(6)}


def counted_links(assembly, q, qdot, tally):
    """Return hinges whose numbers count their products."""
    return [
        tuple(counted_array(part, tally) for part in link)
        for link in jacobian_recursions.hinge_links(assembly, q, qdot)
    ]


def floats(values):
    """Return the values of numbers that count operations."""
    return np.concatenate([np.atleast_1d(each) for each in values]).astype(float)


def t1314_a_quantity(values):
    n = values["assembly"].num_coordinates
    return vector_quantity((NUMBER, 1), *n * ((NUMBER, 3 * n), (LENGTH, 3 * n)))


@section.holds("t1314#a", "Forming the Jacobian takes O(n^2) operations")
class t1314_a:
    formula = r"O(n^2):\ 18n(n - 1) \text{ products for a chain of hinges, once all adjoints are known}"
    inputs = {"assembly": serial_chains(4, 2), "angles": arrays(5)}

    result = Result(t1314_a_quantity, "number of products, then the matrix by rows, each body in its frame")

    def printed(assembly, angles):
        n = len(assembly.parents)
        J = reduced.jacobian(tree_of(assembly), angles[:n])
        return [18 * n * (n - 1), *J.ravel()]

    def reference(assembly, angles):
        """Compare with Algorithm 1 with numbers that count their products."""
        n, tally = assembly.num_coordinates, [0]
        links = counted_links(assembly, angles[:n], np.zeros(n), tally)
        J = np.zeros((n, 6, n))
        for i, row in enumerate(jacobian_recursions.jacobian_blocks(assembly.parents, links)):
            for a in range(i + 1):
                J[i, :, a] = floats(row[a])
        return [tally[0], *J.ravel()]

    remark = (
        "This is the count for a chain, as in (2.108). In a tree it is 36 for each pair of a body and "
        "one of its ancestors."
    )
    implements = reduced.jacobian


def t1314_b_quantity(values):
    n = values["assembly"].num_coordinates
    rates = n * ((RATE, 3), (VELOCITY, 3)), n * ((RATE / TIME, 3), (ACCELERATION, 3))
    return vector_quantity((NUMBER, 3), *rates[0], *rates[1], (TORQUE, n))


@section.holds("t1314#b", "The products with J, its rate and its transpose take O(n) operations")
class t1314_b:
    formula = r"O(n):\ 42n - 36 \text{ products for } J\mathbf x,\quad 120n - 108 \text{ for } J\mathbf x \text{ and } \dot J\mathbf x,\quad 42n - 36 \text{ for } J^\top\mathbf y \text{ of a chain of hinges}"
    inputs = COUNTING_INPUTS

    result = Result(
        t1314_b_quantity, "numbers of products, then the products with J, its rate and its transpose"
    )

    def printed(assembly, states, wrenches):
        n = len(assembly.parents)
        q, qdot, x = states[:, :n]
        tree, y = tree_of(assembly), wrenches[:n]
        products = [
            reduced.jacobian_product(tree, q, x),
            reduced.jacobian_rate_product(tree, q, qdot, x),
            reduced.jacobian_transpose_product(tree, q, y),
        ]
        return [42 * n - 36, 120 * n - 108, 42 * n - 36, *np.concatenate([each.ravel() for each in products])]

    def reference(assembly, states, wrenches):
        """Compare with recursions from body to body, with numbers that count their products."""
        n = assembly.num_coordinates
        q, qdot, x = states[:, :n]
        counts, products = [], []
        for form, argument in (
            (jacobian_recursions.jacobian_product, x),
            (jacobian_recursions.jacobian_rate_product, x),
            (jacobian_recursions.jacobian_transpose_product, wrenches[:n]),
        ):
            tally = [0]
            links = counted_links(assembly, q, qdot, tally)
            products.append(floats(form(assembly.parents, links, counted_array(argument, tally))))
            counts.append(tally[0])
        return [*counts, *np.concatenate(products)]

    remark = (
        "The adjoints, one for each body, are not counted. The important point is that each body adds "
        "the same number."
    )
    implements = ALL_PRODUCTS


@section.misprint("t1314#c", "The product with the rate of the Jacobian")
class t1314_c:
    page_2019 = Page(39, r"$\mathsf z = \dot{\mathsf J}\mathsf x$")
    page_2021 = Page(50, page_2019.content)
    formula = r"\mathbf z = J\mathbf x"
    inputs = {**THREE_BODY_MOTION, "x": arrays(6)}
    result = Result(TWIST / TIME, "of each body, in its frame")

    def printed(assembly, q, qdot, x):
        return body_trees.jacobian(assembly, q) @ x

    def library(assembly, q, qdot, x):
        return reduced.jacobian_rate_product(tree_of(assembly), q, qdot, x).ravel()

    def reference(assembly, q, qdot, x):
        """Compare with the quantity in the title of Algorithm 5: differences of J along the motion, times x."""
        return body_trees.jacobian_rate(assembly, q, qdot) @ x

    tolerance = 1e-8
    primitives = ("rbnotes.ledger.oracles.body_trees.jacobian",)
    correction = r"$\mathbf z = \dot J\mathbf x$, as in the title of Algorithm 5: the dot is missing"
    replacement = r"Forming the Jacobian is $O(n^2)$, but computing the products $\mathbf y = J\mathbf x$, $\mathbf z = \dot J\mathbf x$, and $\mathbf x = J^\top\mathbf y$ can all be done in $O(n)$."
    units_mismatch = "velocities instead of accelerations"
    implements = reduced.jacobian_rate_product


@section.holds("t1314#d", "Inverse dynamics by three products", chapter="recursive-dynamics")
class t1314_d:
    formula = r"\tau = J^\top\big(M(J\ddot{\mathbf q} + \dot J\dot{\mathbf q}) - \mathbf f\big) \text{ by three products}"
    inputs = THREE_BODY_ACCELERATED_MOTION
    result = Result(TORQUE, "of the joints, in their order")

    def printed(assembly, q, qdot, qddot):
        tree = tree_of(assembly)
        accelerations = reduced.jacobian_product(tree, q, qddot) + reduced.jacobian_rate_product(
            tree, q, qdot, qdot
        )
        wrenches = np.einsum(
            "nij,nj->ni", tree.inertias, accelerations
        ) - reduced.gyroscopic_and_gravity_wrenches(tree, q, qdot)
        return reduced.jacobian_transpose_product(tree, q, wrenches)

    def library(assembly, q, qdot, qddot):
        return reduced.inverse_dynamics(tree_of(assembly), q, qdot, qddot)

    def reference(assembly, q, qdot, qddot):
        """Compare with d'Alembert's principle for the point masses of all bodies."""
        return body_trees.inertial_forces(assembly, q, qdot, qddot) - body_trees.gravity_forces(assembly, q)

    tolerance = 1e-8
    remark = "This is inverse dynamics. Forward and hybrid dynamics also need articulated inertias."
    implements = reduced.inverse_dynamics


@section.holds(
    "t1314#e", "Hybrid dynamics without forming J or the mass matrix", chapter="recursive-dynamics"
)
class t1314_e:
    formula = r"\text{linear time recursive hybrid dynamics: the solution of (2.106), prescribed joints without multipliers}"
    inputs = {
        **THREE_BODY_ACCELERATED_MOTION,
        "driven": st.sampled_from(((0,), (1,), (2,), (0, 1), (0, 2), (1, 2))),
    }
    result = Result(
        vector_quantity((RATE / TIME, 6), (TORQUE, 6)),
        "accelerations, then forces, of the joints, in their order",
    )

    def printed(assembly, q, qdot, qddot, driven):
        """Solve (2.106) with matrices; its multipliers are on the side of the inertia."""
        tree, slices = tree_of(assembly), body_trees.coordinate_slices(assembly)
        prescribed = np.concatenate([np.arange(6)[slices[i]] for i in driven])
        G, M = np.eye(6)[prescribed], reduced.mass_matrix(tree, q)
        system = np.block([[M, G.T], [G, np.zeros((len(prescribed), len(prescribed)))]])
        right_side = np.append(reduced.net_generalized_force(tree, q, qdot), qddot[prescribed])
        accelerations, multipliers = np.split(np.linalg.solve(system, right_side), [6])
        return np.append(accelerations, -G.T @ multipliers)

    def library(assembly, q, qdot, qddot, driven):
        slices = body_trees.coordinate_slices(assembly)
        solution = reduced.hybrid_dynamics(
            tree_of(assembly), q, qdot, {str(i): qddot[slices[i]] for i in driven}
        )
        return np.append(solution.qddot, solution.tau)

    def reference(assembly, q, qdot, qddot, driven):
        """Compare with Gauss's principle for the point masses of all bodies, over the free joints."""
        slices, accelerations = body_trees.coordinate_slices(assembly), np.zeros(6)
        prescribed = np.concatenate([np.arange(6)[slices[i]] for i in driven])
        free_indices = np.setdiff1d(np.arange(6), prescribed)
        accelerations[prescribed] = qddot[prescribed]
        W, gravity = (
            body_trees.mass_weighted_jacobian(assembly, q)[:, free_indices],
            body_trees.gravity_forces(assembly, q),
        )
        forces = body_trees.inertial_forces(assembly, q, qdot, accelerations) - gravity
        R = np.linalg.qr(W, mode="r")
        accelerations[free_indices] = -np.linalg.solve(R, np.linalg.solve(R.T, forces[free_indices]))
        return np.append(
            accelerations, body_trees.inertial_forces(assembly, q, qdot, accelerations) - gravity
        )

    tolerance = 1e-8
    primitives = ("rbnotes.ledger.oracles.body_trees.coordinate_slices",)
    remark = (
        "Constraints other than prescribed joints are treated in 2.12. The chapter and the tests count "
        "the operations and show that the cost is linear."
    )
    implements = reduced.hybrid_dynamics


# ------------------------------------------------------------------------------------------------------------
# Products with the transpose of the Jacobian.


CHAIN = (-1, 0, 1, 2)

# Serial chains: frames of joints F and of bodies B in the world, and wrenches on the bodies.
CHAIN_UNDER_WRENCHES = {"F": draw_frames(4), "B": draw_frames(4), "y": arrays(4, 6)}

# Motion subspace of a free joint at zero coordinates: three translations, then three rotations.
FREE_JOINT = np.roll(np.eye(6), 3, axis=0)


def free_joints_library(F, B, y):
    """Return the product for a chain of bodies on joints with six degrees of freedom."""
    links = []
    for i in range(4):
        parent_pose, name = (np.eye(4), None) if i == 0 else (F[i - 1], str(i - 1))
        placement, body = np.linalg.inv(parent_pose) @ F[i], np.linalg.inv(F[i]) @ B[i]
        links.append(reduced.Link(str(i), joints.Free3D(), np.eye(6), name, placement, body))
    return reduced.jacobian_transpose_product(reduced.Tree(links), np.zeros(24), y)


def free_joints_reference(F, B, y):
    return jacobian_recursions.free_chain_jacobian(F, B).T @ y.ravel()


def hinges_library(F, B, y):
    return reduced.jacobian_transpose_product(hinge_tree(CHAIN, F, B), np.zeros(4), y)


def hinges_reference(F, B, y):
    return body_trees.jacobian(body_trees.revolute_assembly(CHAIN, F, B), np.zeros(4)).T @ y.ravel()


@section.erratum("e2.110", "Transposed Jacobian of a chain of four bodies")
class e2_110:
    page_2019 = Page(39, "$S$ in the first factor of each entry only")
    page_2021 = Page(51, page_2019.content)
    formula = r"\begin{pmatrix} x_1 \\ x_2 \\ x_3 \\ x_4 \end{pmatrix} = \begin{pmatrix} {}^1_1\mathrm{Ad}_S^\top & {}^1_1\mathrm{Ad}_S^\top{}^2_1\mathrm{Ad}_S^\top & {}^1_1\mathrm{Ad}_S^\top{}^2_1\mathrm{Ad}_S^\top{}^3_2\mathrm{Ad}_S^\top & {}^1_1\mathrm{Ad}_S^\top{}^2_1\mathrm{Ad}_S^\top{}^3_2\mathrm{Ad}_S^\top{}^4_3\mathrm{Ad}_S^\top \\ 0 & {}^2_2\mathrm{Ad}_S^\top & {}^2_2\mathrm{Ad}_S^\top{}^3_2\mathrm{Ad}_S^\top & {}^2_2\mathrm{Ad}_S^\top{}^3_2\mathrm{Ad}_S^\top{}^4_3\mathrm{Ad}_S^\top \\ 0 & 0 & {}^3_3\mathrm{Ad}_S^\top & {}^3_3\mathrm{Ad}_S^\top{}^4_3\mathrm{Ad}_S^\top \\ 0 & 0 & 0 & {}^4_4\mathrm{Ad}_S^\top \end{pmatrix}\begin{pmatrix} y_1 \\ y_2 \\ y_3 \\ y_4 \end{pmatrix}"
    edits = (
        (r"{}^2_1\mathrm{Ad}_S^\top", r"\,{}^2_1\mathrm{Ad}^\top"),
        (r"{}^3_2\mathrm{Ad}_S^\top", r"\,{}^3_2\mathrm{Ad}^\top"),
        (r"{}^4_3\mathrm{Ad}_S^\top", r"\,{}^4_3\mathrm{Ad}^\top"),
    )
    inputs = CHAIN_UNDER_WRENCHES
    result = Result(LINEAR_FIRST_WRENCH, "of the joints, in their order, six for each")

    def printed(F, B, y):
        """Evaluate for joints of six coordinates; with fewer, these matrices cannot be multiplied."""
        S_11, S_22, S_33, S_44 = (relative_adjoint(B[i], F[i]) @ FREE_JOINT for i in range(4))
        S_21, S_32, S_43 = (relative_adjoint(B[i], F[i - 1]) @ FREE_JOINT for i in range(1, 4))
        zero = np.zeros((6, 6))
        J_T = np.block(
            [
                [S_11.T, S_11.T @ S_21.T, S_11.T @ S_21.T @ S_32.T, S_11.T @ S_21.T @ S_32.T @ S_43.T],
                [zero, S_22.T, S_22.T @ S_32.T, S_22.T @ S_32.T @ S_43.T],
                [zero, zero, S_33.T, S_33.T @ S_43.T],
                [zero, zero, zero, S_44.T],
            ]
        )
        return J_T @ y.ravel()

    def library(F, B, y):
        return free_joints_library(F, B, y)

    def reference(F, B, y):
        """Compare with the work of the wrenches for each coordinate, by complex steps of the poses."""
        return free_joints_reference(F, B, y)

    correction = (
        "Only the first factor of each entry contains $S$: "
        r"${}^1_1\mathrm{Ad}_S^\top\,{}^2_1\mathrm{Ad}^\top$, "
        r"${}^1_1\mathrm{Ad}_S^\top\,{}^2_1\mathrm{Ad}^\top\,{}^3_2\mathrm{Ad}^\top$ and so on. This is "
        "the transpose of (2.108). For hinges, the products in the text multiply rows of six numbers by rows "
        "of six numbers."
    )
    units_mismatch = "the factors after the first treat joint forces as wrenches"
    remark = "The counterexample has joints of six coordinates, for which all products exist."
    implements = reduced.jacobian_transpose_product


@section.holds("t1345", "The transposed Jacobian of a chain is block upper triangular")
class t1345:
    formula = r"J^\top(a, i) = 0 \text{ for } i < a, \text{ not zero for } i \ge a"
    inputs = {"assembly": serial_chains(4, 2), "angles": arrays(4)}
    result = Result(NUMBER, "1 if a joint moves a body: a row for each joint, a column for each body")

    def printed(assembly, angles):
        return np.triu(np.ones((len(assembly.parents),) * 2))

    def library(assembly, angles):
        """Apply unit wrenches to one body after the other."""
        n = len(assembly.parents)
        wrenches = np.eye(6 * n).reshape(6 * n, n, 6)
        tau = reduced.jacobian_transpose_product(tree_of(assembly), angles[:n], wrenches)
        return (np.abs(tau).reshape(n, 6, n).max(axis=1) > LARGE).T

    def reference(assembly, angles):
        """Find which poses change with which coordinates, by complex steps."""
        changes = complex_steps.partial_derivatives(
            lambda x: body_trees.poses(assembly, x), angles[: assembly.num_coordinates]
        )
        return np.abs(changes).max(axis=(-2, -1)) > LARGE

    remark = "The sentence is printed below Algorithm 5; it is about (2.110)."
    implements = reduced.jacobian_transpose_product


@section.erratum("e2.111#a", "Product with the transposed Jacobian, line by line")
class e2_111_a:
    page_2019 = Page(
        40,
        "$S$ in the first factor of each product only",
    )
    page_2021 = Page(51, page_2019.content)
    formula = r"\begin{aligned} x_4 &= {}^4_{J_4}\mathrm{Ad}_S^\top y_4 \\ x_3 &= {}^3_{J_3}\mathrm{Ad}_S^\top y_3 + {}^3_{J_3}\mathrm{Ad}_S^\top{}^4_{J_4}\mathrm{Ad}_S^\top y_4 \\ x_2 &= {}^2_{J_2}\mathrm{Ad}_S^\top y_2 + {}^2_{J_2}\mathrm{Ad}_S^\top{}^3_{J_3}\mathrm{Ad}_S^\top y_3 + {}^2_{J_2}\mathrm{Ad}_S^\top{}^3_{J_3}\mathrm{Ad}_S^\top{}^4_{J_4}\mathrm{Ad}_S^\top y_4 \\ x_1 &= {}^1_{J_1}\mathrm{Ad}_S^\top y_1 + {}^1_{J_1}\mathrm{Ad}_S^\top{}^2_{J_2}\mathrm{Ad}_S^\top y_2 + \cdots \end{aligned}"
    edits = (
        (r"\mathrm{Ad}_S^\top{}^2_{J_2}\mathrm{Ad}_S^\top", r"\mathrm{Ad}_S^\top\,{}^2_1\mathrm{Ad}^\top"),
        (r"\mathrm{Ad}_S^\top{}^3_{J_3}\mathrm{Ad}_S^\top", r"\mathrm{Ad}_S^\top\,{}^3_2\mathrm{Ad}^\top"),
        (r"^\top{}^4_{J_4}\mathrm{Ad}_S^\top", r"^\top\,{}^4_3\mathrm{Ad}^\top"),
        (
            r"+ \cdots",
            r"+ {}^1_{J_1}\mathrm{Ad}_S^\top\,{}^2_1\mathrm{Ad}^\top\,{}^3_2\mathrm{Ad}^\top y_3 + {}^1_{J_1}\mathrm{Ad}_S^\top\,{}^2_1\mathrm{Ad}^\top\,{}^3_2\mathrm{Ad}^\top\,{}^4_3\mathrm{Ad}^\top y_4",
        ),
    )
    inputs = CHAIN_UNDER_WRENCHES
    result = Result(LINEAR_FIRST_WRENCH, "of the joints, in their order, six for each")

    def printed(F, B, y):
        """Evaluate for joints of six coordinates; with fewer, these matrices cannot be multiplied."""
        A_1, A_2, A_3, A_4 = ((relative_adjoint(B[i], F[i]) @ FREE_JOINT).T for i in range(4))
        y_1, y_2, y_3, y_4 = y
        x_4 = A_4 @ y_4
        x_3 = A_3 @ y_3 + A_3 @ A_4 @ y_4
        x_2 = A_2 @ y_2 + A_2 @ A_3 @ y_3 + A_2 @ A_3 @ A_4 @ y_4
        x_1 = A_1 @ y_1 + A_1 @ A_2 @ y_2 + A_1 @ A_2 @ A_3 @ y_3 + A_1 @ A_2 @ A_3 @ A_4 @ y_4
        return np.concatenate([x_1, x_2, x_3, x_4])

    def library(F, B, y):
        return free_joints_library(F, B, y)

    def reference(F, B, y):
        """Compare with the work of the wrenches for each coordinate, by complex steps of the poses."""
        return free_joints_reference(F, B, y)

    correction = (
        r"$x_3 = {}^3_{J_3}\mathrm{Ad}_S^\top y_3 + {}^3_{J_3}\mathrm{Ad}_S^\top\,{}^4_3\mathrm{Ad}^\top "
        r"y_4$ and so on. All factors but the first are adjoints ${}^i_p\mathrm{Ad}^\top$ from the "
        "parent body, as in Algorithm 6. They are not adjoints from the body's own joint, and they do "
        "not contain $S$."
    )
    units_mismatch = "the factors after the first treat joint forces as wrenches"
    implements = reduced.jacobian_transpose_product


@section.erratum("e2.111#b", "Nested form of the product with the transposed Jacobian")
class e2_111_b:
    page_2019 = Page(40)
    page_2021 = Page(51)
    formula = r"\begin{aligned} x_3 &= A_3(y_3 + A_4y_4) \\ x_2 &= A_2(y_2 + (A_3y_3 + A_4y_4)) \\ x_1 &= A_1(y_1 + (A_2y_2 + (A_3y_3 + A_4y_4))) \end{aligned} \quad\text{with } A_i = {}^i_{J_i}\mathrm{Ad}_S^\top"
    inputs = CHAIN_UNDER_WRENCHES
    result = Result(TORQUE, "of the joints, in their order")

    def printed(F, B, y):
        """Evaluate with the printed brackets, and with the adjoints of Algorithm 6 after the first factor."""
        S_1, S_2, S_3, S_4 = (relative_adjoint(B[i], F[i]) @ S for i in range(4))
        A_2, A_3, A_4 = (relative_adjoint(B[i], B[i - 1]).T for i in range(1, 4))
        y_1, y_2, y_3, y_4 = y
        x_4 = S_4 @ y_4
        x_3 = S_3 @ (y_3 + A_4 @ y_4)
        x_2 = S_2 @ (y_2 + (A_3 @ y_3 + A_4 @ y_4))
        x_1 = S_1 @ (y_1 + (A_2 @ y_2 + (A_3 @ y_3 + A_4 @ y_4)))
        return np.stack([x_1, x_2, x_3, x_4])

    def library(F, B, y):
        return hinges_library(F, B, y)

    def reference(F, B, y):
        """Compare with the work of the wrenches for a rotation of each hinge, by complex steps of the poses."""
        return hinges_reference(F, B, y)

    correction = (
        r"$x_2 = {}^2_{J_2}\mathrm{Ad}_S^\top(y_2 + {}^3_2\mathrm{Ad}^\top(y_3 + {}^4_3\mathrm{Ad}^\top "
        "y_4))$, and likewise $x_1$: each adjoint acts on everything that follows. Only this equals the "
        "line above and gives a recursion."
    )
    replacement = r"""\begin{aligned}
x_3 &= {}^3_{J_3}\mathrm{Ad}_S^\top(y_3 + {}^4_3\mathrm{Ad}^\top y_4) \\
x_2 &= {}^2_{J_2}\mathrm{Ad}_S^\top(y_2 + {}^3_2\mathrm{Ad}^\top(y_3 + {}^4_3\mathrm{Ad}^\top y_4)) \\
x_1 &= {}^1_{J_1}\mathrm{Ad}_S^\top(y_1 + {}^2_1\mathrm{Ad}^\top(y_2 + {}^3_2\mathrm{Ad}^\top(y_3 + {}^4_3\mathrm{Ad}^\top y_4)))
\end{aligned}"""
    remark = (
        "The check uses the adjoints of Algorithm 6 after the first factor; with these, only $x_3$ and "
        "$x_4$ are right. With the factors of the converted text, scalars would be added to wrenches for hinges."
    )
    effect = (
        "Motors hold an arm of four horizontal rods of 1 m with a mass of 1 kg at the end of each. With "
        "the printed torques, in 0.2 s the end of the second rod falls by 20 cm. Algorithm 6 is right."
    )
    implements = reduced.jacobian_transpose_product


@section.erratum("e2.112", "Recursion for the product with the transposed Jacobian")
class e2_112:
    page_2019 = Page(
        40,
        r"$\alpha_4 = {}^4_3\mathrm{Ad}^\top(y_4 + 0)$ and so on, without $S$",
    )
    page_2021 = Page(52, page_2019.content)
    formula = r"\begin{aligned} x_4 &= {}^4_{J_4}\mathrm{Ad}_S^\top(y_4 + 0), & \alpha_4 &= {}^4_{J_4}\mathrm{Ad}_S^\top(y_4 + 0) \\ x_3 &= {}^3_{J_3}\mathrm{Ad}_S^\top(y_3 + \alpha_4), & \alpha_3 &= {}^3_{J_3}\mathrm{Ad}_S^\top(y_3 + \alpha_4) \\ x_2 &= {}^2_{J_2}\mathrm{Ad}_S^\top(y_2 + \alpha_3), & \alpha_2 &= {}^2_{J_2}\mathrm{Ad}_S^\top(y_2 + \alpha_3) \\ x_1 &= {}^1_{J_1}\mathrm{Ad}_S^\top(y_1 + \alpha_2), & \alpha_1 &= \emptyset \end{aligned}"
    edits = (
        (r"\alpha_4 &= {}^4_{J_4}\mathrm{Ad}_S^\top", r"\alpha_4 &= {}^4_3\mathrm{Ad}^\top"),
        (r"\alpha_3 &= {}^3_{J_3}\mathrm{Ad}_S^\top", r"\alpha_3 &= {}^3_2\mathrm{Ad}^\top"),
        (r"\alpha_2 &= {}^2_{J_2}\mathrm{Ad}_S^\top", r"\alpha_2 &= {}^2_1\mathrm{Ad}^\top"),
    )
    inputs = CHAIN_UNDER_WRENCHES
    result = Result(TORQUE, "of the joints, in their order")

    def printed(F, B, y):
        """Evaluate for hinges; a scalar is added to a wrench as in NumPy and MATLAB."""
        A_1, A_2, A_3, A_4 = ((relative_adjoint(B[i], F[i]) @ S)[None] for i in range(4))
        y_1, y_2, y_3, y_4 = y
        x_4, alpha_4 = A_4 @ y_4, A_4 @ y_4
        x_3, alpha_3 = A_3 @ (y_3 + alpha_4), A_3 @ (y_3 + alpha_4)
        x_2, alpha_2 = A_2 @ (y_2 + alpha_3), A_2 @ (y_2 + alpha_3)
        x_1 = A_1 @ (y_1 + alpha_2)
        return np.concatenate([x_1, x_2, x_3, x_4])

    def library(F, B, y):
        return hinges_library(F, B, y)

    def reference(F, B, y):
        """Compare with the work of the wrenches for a rotation of each hinge, by complex steps of the poses."""
        return hinges_reference(F, B, y)

    correction = (
        r"$\alpha_4 = {}^4_3\mathrm{Ad}^\top(y_4 + 0)$, $\alpha_3 = {}^3_2\mathrm{Ad}^\top(y_3 + "
        r"\alpha_4)$, $\alpha_2 = {}^2_1\mathrm{Ad}^\top(y_2 + \alpha_3)$, as in Algorithm 6. In the "
        r"text, each $\alpha_i$ is the torque $x_i$, but the parent needs a wrench."
    )
    units_mismatch = r"torques are added to wrenches"
    implements = reduced.jacobian_transpose_product


@section.holds("t1314#f", "A backward traversal processes children before their parent")
class t1314_f:
    formula = r"\text{backward traversal, starting from a leaf: children before their parent}"
    inputs = {
        "assembly": HINGE_TREES,
        "q": arrays(4),
        "y": arrays(4, 6),
        "numbering": st.permutations(range(4)).map(tuple),
    }
    result = Result(TORQUE, "of the joints, in their order")

    def printed(assembly, q, y, numbering):
        """Run Algorithm 6 on bodies in any order, level by level from the leaves."""
        renumbered = body_trees.renumber(assembly, numbering)
        E, F, levels = body_trees.poses(renumbered, q), body_trees.joint_poses(renumbered, q), [[-1]]
        while levels[-1]:
            levels.append([i for i in range(4) if renumbered.parents[i] in levels[-1]])
        x, total = np.zeros(4), y.copy()
        for i in chain.from_iterable(levels[:0:-1]):
            x[i] = relative_adjoint(E[i], F[i])[:, 2] @ total[i]
            if renumbered.parents[i] >= 0:
                total[renumbered.parents[i]] += relative_adjoint(E[i], E[renumbered.parents[i]]).T @ total[i]
        return x

    def library(assembly, q, y, numbering):
        """Return the library's result in the original order of coordinates and bodies: it sorts links."""
        links = tree_of(assembly).links
        tree = reduced.Tree([links[numbering.index(i)] for i in range(4)])
        order = [numbering[int(link.name)] for link in tree.links]
        x = reduced.jacobian_transpose_product(tree, q[order], y[order])
        return x[np.argsort(order)]

    def reference(assembly, q, y, numbering):
        """Compare with the work of the wrenches by complex steps of the poses, which needs no order."""
        return body_trees.jacobian(body_trees.renumber(assembly, numbering), q).T @ y.ravel()

    remark = "The check is that with this traversal Algorithm 6 is right for bodies in any order."
    implements = (reduced.Tree, reduced.jacobian_transpose_product)


@section.holds("alg6", "Algorithm 6: product with the transposed Jacobian")
class alg6:
    formula = r"\begin{aligned} &y_i = y(i),\quad \text{for all children } c: y_i \mathrel{+}= \alpha_c \\ &\alpha_i = {}^i_p\mathrm{Ad}^\top y_i \\ &x(j) = S^\top{}^i_j\mathrm{Ad}^\top y_i \end{aligned}"
    inputs = {**CONFIGURATION, "y": arrays(4, 6)}
    result = Result(forces, "of the joints, in their order")

    def printed(assembly, q, y):
        E, slices = body_trees.poses(assembly, q), body_trees.coordinate_slices(assembly)
        x, alpha = np.zeros(7), np.zeros((4, 6))
        for i in reversed(range(4)):
            y_i = y[i].copy()
            for c in range(4):
                if assembly.parents[c] == i:
                    y_i += alpha[c]
            p = assembly.parents[i]
            if p >= 0:
                alpha[i] = relative_adjoint(E[i], E[p]).T @ y_i
            x[slices[i]] = diagonal_block(E, assembly, q, i).T @ y_i
        return x

    def library(assembly, q, y):
        return reduced.jacobian_transpose_product(tree_of(assembly), q, y)

    def reference(assembly, q, y):
        """Compare with the work of the wrenches for unit changes of the coordinates, by complex steps of the poses."""
        return body_trees.jacobian(assembly, q).T @ y.ravel()

    remark = (
        r"A root has no parent, so that its $\alpha$ is not needed. The adjoint of line 6 is the "
        "factor that the converted text of (2.110) to (2.112) lacks."
    )
    implements = reduced.jacobian_transpose_product
