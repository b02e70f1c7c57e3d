"""Sueda 2.10: products with the Jacobian and its rate. The oracles differ poses of trees."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.ledger import quantities as units
from rbnotes.ledger.claims.sueda.section_2_1 import S, seen_from
from rbnotes.ledger.claims.sueda.section_2_1_jacobian import (
    THREE,
    THREE_HINGES,
    diagonal_block,
    hinge_tree,
)
from rbnotes.ledger.claims.sueda.section_2_2 import adjoint_rate, joint_rate, own_adjoint
from rbnotes.ledger.claims.sueda.section_2_trees import MOVING, assemblies, some_parents, tree_of
from rbnotes.ledger.joint_quantities import velocities
from rbnotes.ledger.oracles import body_trees, jacobian_recursions
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody import reduced
from rbnotes.testing.strategies import arrays

PRODUCTS = "products-without-matrices"
PRODUCT = ("rbnotes.multibody.reduced.jacobian_product",)
RATE_PRODUCT = ("rbnotes.multibody.reduced.jacobian_rate_product",)
ALL_PRODUCTS = (*PRODUCT, *RATE_PRODUCT, "rbnotes.multibody.reduced.jacobian_transpose_product")
# Three bodies with joints of three kinds and six coordinates, in any tree and any order.
OF_THREE = assemblies(some_parents(3), st.permutations(("revolute", "universal", "spherical")).map(tuple), 3)
THREE_MOVING = {"assembly": OF_THREE, "q": arrays(6), "qdot": arrays(6)}


QUANTITIES = {"B": units.POSE}


@claim("sueda/s2.10/e2.108", "Twists of a chain of three from its Jacobian")
class e2_108:
    formula = (
        r"\begin{pmatrix} y_1 \\ y_2 \\ y_3 \end{pmatrix} = \begin{pmatrix} {}^1_1\mathrm{Ad}_S & 0 & 0 \\ "
        r"{}^2_1\mathrm{Ad}_1\,{}^1_1\mathrm{Ad}_S & {}^2_2\mathrm{Ad}_S & 0 \\ {}^3_2\mathrm{Ad}_1\,"
        r"{}^2_1\mathrm{Ad}_S & {}^3_2\mathrm{Ad}_2\,{}^2_2\mathrm{Ad}_S & {}^3_3\mathrm{Ad}_S \end{pmatrix}"
        r"\begin{pmatrix} x_1 \\ x_2 \\ x_3 \end{pmatrix}"
    )
    inputs = THREE
    result = units.TWIST

    def printed(F, B, qdot):
        """The index after Ad says whose twists it takes, S from which joint the twist is."""
        Ad_21, Ad_31, Ad_32 = seen_from(B[1], B[0]), seen_from(B[2], B[0]), seen_from(B[2], B[1])
        S_11, S_21, S_22, S_33 = (seen_from(B[i], F[j]) @ S for i, j in ((0, 0), (1, 0), (1, 1), (2, 2)))
        none = np.zeros(6)
        rows = [[S_11, none, none], [Ad_21 @ S_11, S_22, none], [Ad_31 @ S_21, Ad_32 @ S_22, S_33]]
        return np.concatenate([np.stack(row, axis=-1) for row in rows]) @ qdot

    def library(F, B, qdot):
        return reduced.jacobian_product(hinge_tree((-1, 0, 1), F, B), np.zeros(3), qdot).ravel()

    oracle = "complex step of the poses along the motion of all hinges"

    def reference(F, B, qdot):
        return body_trees.twists(body_trees.revolute_assembly((-1, 0, 1), F, B), np.zeros(3), qdot).ravel()

    verdict = Verdict.MISPRINT
    scan = True
    correction = (
        r"${}^3_2\mathrm{Ad}\,{}^2_1\mathrm{Ad}_S = {}^3_2\mathrm{Ad}\,{}^2_1\mathrm{Ad}\,{}^1_1\mathrm{Ad}_S$ in "
        r"the last row: ${}^3_2\mathrm{Ad}$ takes twists of body 2, as its left index says, not of body 1, as the "
        r"right one does. Without the right indices all is well; (2.14) has none."
    )
    remark = r"${}^2_1\mathrm{Ad}_S$ is the motion of joint 1, seen from body 2; (2.109) reads it so."
    implemented_by = PRODUCT
    chapter = PRODUCTS


@claim("sueda/s2.10/t1320", "The first two rows of the product")
class t1320:
    formula = (
        r"y_1 = {}^1_1\mathrm{Ad}_S\,x_1,\quad y_2 = {}^2_1\mathrm{Ad}_1\,y_1 + {}^2_2\mathrm{Ad}_S\,x_2"
    )
    inputs = THREE
    result = units.TWIST

    def printed(F, B, qdot):
        y_1 = seen_from(B[0], F[0]) @ S * qdot[0]
        y_2 = seen_from(B[1], B[0]) @ y_1 + seen_from(B[1], F[1]) @ S * qdot[1]
        return np.concatenate([y_1, y_2])

    def library(F, B, qdot):
        return reduced.jacobian_product(hinge_tree((-1, 0, 1), F, B), np.zeros(3), qdot)[:2].ravel()

    oracle = "complex step of the poses along the motion of all hinges"

    def reference(F, B, qdot):
        return body_trees.twists(body_trees.revolute_assembly((-1, 0, 1), F, B), np.zeros(3), qdot)[
            :2
        ].ravel()

    verdict = Verdict.HOLDS
    implemented_by = PRODUCT
    chapter = PRODUCTS


@claim("sueda/s2.10/e2.109", "The third row of the product, from the second")
class e2_109:
    formula = (
        r"\begin{aligned} y_3 &= {}^3_2\mathrm{Ad}_1\,{}^2_1\mathrm{Ad}_S\,x_1 + {}^3_2\mathrm{Ad}_2\,"
        r"{}^2_2\mathrm{Ad}_S\,x_2 + {}^3_3\mathrm{Ad}_S\,x_3 \\ &= {}^3_2\mathrm{Ad}_1\left({}^2_1\mathrm{Ad}_1\,"
        r"y_1 + {}^2_2\mathrm{Ad}_S\,x_2\right) + {}^3_3\mathrm{Ad}_S\,x_3 \\ &= {}^3_2\mathrm{Ad}_1\,y_2 + "
        r"{}^3_3\mathrm{Ad}_S\,x_3 \end{aligned}"
    )
    inputs = THREE
    result = units.TWIST

    def printed(F, B, qdot):
        """The last line; the index after Ad says whose twists it takes."""
        y_1 = seen_from(B[0], F[0]) @ S * qdot[0]
        y_2 = seen_from(B[1], B[0]) @ y_1 + seen_from(B[1], F[1]) @ S * qdot[1]
        return seen_from(B[2], B[0]) @ y_2 + seen_from(B[2], F[2]) @ S * qdot[2]

    def library(F, B, qdot):
        return reduced.jacobian_product(hinge_tree((-1, 0, 1), F, B), np.zeros(3), qdot)[2]

    oracle = "complex step of the pose of the third body along the motion of all hinges"

    def reference(F, B, qdot):
        return body_trees.twists(body_trees.revolute_assembly((-1, 0, 1), F, B), np.zeros(3), qdot)[2]

    verdict = Verdict.MISPRINT
    scan = True
    correction = (
        r"$y_3 = {}^3_2\mathrm{Ad}\,y_2 + {}^3_3\mathrm{Ad}_S\,x_3$: the index 1 after the first Ad of each line "
        r"would be that of the parent, 2. In the first line the same adjoint has both."
    )
    implemented_by = PRODUCT
    chapter = PRODUCTS


@claim("sueda/s2.10/t1324#a", "The twist of a body from that of its parent and its joint")
class t1324_a:
    formula = r"y_i = {}^i_p\mathrm{Ad}_p\,y_p + {}^i_j\mathrm{Ad}_S\,x_j"
    inputs = MOVING
    result = units.TWIST

    def printed(assembly, q, qdot):
        E, own = body_trees.poses(assembly, q), body_trees.coordinate_slices(assembly)
        y = body_trees.twists(assembly, q, qdot)  # those of the parents
        found = []
        for i, p in enumerate(assembly.parents):
            ij_Ad_S = diagonal_block(E, assembly, q, i)
            found.append(ij_Ad_S @ qdot[own[i]] + (seen_from(E[i], E[p]) @ y[p] if p >= 0 else 0))
        return np.concatenate(found)

    def library(assembly, q, qdot):
        return reduced.jacobian_product(tree_of(assembly), q, qdot).ravel()

    oracle = "complex step of all poses along the motion"

    def reference(assembly, q, qdot):
        return (body_trees.jacobian(assembly, q) @ qdot).ravel()

    verdict = Verdict.HOLDS
    remark = "In any tree, with any joints; a body that hangs in the world has no first term."
    implemented_by = PRODUCT
    chapter = PRODUCTS


@claim("sueda/s2.10/t1324#b", "In a tree, parents have to be processed before their children")
class t1324_b:
    formula = r"\text{Algorithm 5 is right} \iff \text{parents are processed before their children}"
    inputs = {
        "assembly": THREE_HINGES,
        "states": arrays(2, 3).map(lambda drawn: drawn + np.where(drawn < 0, -0.3, 0.3)),
        "order": st.permutations(range(3)).map(tuple),
    }
    quantities = {"states": units.stacked_quantity(units.NUMBER, units.RATE)}
    result = units.NUMBER

    def printed(assembly, states, order):
        places = [order.index(i) for i in range(3)]
        return float(
            all(parent < 0 or places[parent] < places[i] for i, parent in enumerate(assembly.parents))
        )

    def library(assembly, states, order):
        """The tree keeps the order of its links if parents come before their children, and no other."""
        links = tree_of(assembly).links
        kept = reduced.Tree([links[i] for i in order]).links
        return float([link.name for link in kept] == [str(i) for i in order])

    oracle = "the recursion in that order, from zeros, against complex steps of the poses"

    def reference(assembly, states, order):
        q, x = states
        links, y = jacobian_recursions.hinge_links(assembly, q, x), np.zeros((3, 6))
        for i in order:
            X, _, own, _ = links[i]
            y[i] = own * x[i] + (X @ y[assembly.parents[i]] if assembly.parents[i] >= 0 else 0)
        return float(np.allclose(y, body_trees.twists(assembly, q, x), atol=1e-9))

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.multibody.reduced.Tree",)
    chapter = PRODUCTS


@claim("sueda/s2.10/alg5", "Algorithm 5: products with the Jacobian and its rate")
class alg5:
    formula = (
        r"\begin{aligned} &y(i) = {}^i_j\mathrm{Ad}\,S\,x(j),\quad z(i) = {}^i_j\mathrm{Ad}\,\dot S\,x(j) \\ "
        r"&\text{if parent} \ne \text{null: } y(i) \mathrel{+}= {}^i_p\mathrm{Ad}\,y(p),\quad z(i) "
        r"\mathrel{+}= {}^i_p\mathrm{Ad}\,z(p) + {}^i_p\dot{\mathrm{Ad}}\,y(p) \end{aligned}"
    )
    inputs = {**THREE_MOVING, "x": arrays(6)}
    quantities = {"x": velocities}
    result = units.stacked_quantity(units.TWIST, units.TWIST / units.TIME)

    def printed(assembly, q, qdot, x):
        E, own = body_trees.poses(assembly, q), body_trees.coordinate_slices(assembly)
        y, z = np.zeros((3, 6)), np.zeros((3, 6))
        for i, p in enumerate(assembly.parents):
            S_dot = joint_rate(assembly.kinds[i], q[own[i]], qdot[own[i]])
            y[i] = diagonal_block(E, assembly, q, i) @ x[own[i]]
            z[i] = own_adjoint(assembly, i) @ S_dot @ x[own[i]]
            if p >= 0:
                y[i] += seen_from(E[i], E[p]) @ y[p]
                z[i] += seen_from(E[i], E[p]) @ z[p] + adjoint_rate(assembly, q, qdot, i, p) @ y[p]
        return np.stack([y, z])

    def library(assembly, q, qdot, x):
        known = tree_of(assembly)
        return np.stack(
            [reduced.jacobian_product(known, q, x), reduced.jacobian_rate_product(known, q, qdot, x)]
        )

    oracle = "J by complex steps of all poses, its rate by differences of that, each times x"

    def reference(assembly, q, qdot, x):
        J, J_dot = body_trees.jacobian(assembly, q), body_trees.jacobian_rate(assembly, q, qdot)
        return np.stack([J @ x, J_dot @ x]).reshape(2, 3, 6)

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    implemented_by = (*PRODUCT, *RATE_PRODUCT)
    chapter = PRODUCTS
