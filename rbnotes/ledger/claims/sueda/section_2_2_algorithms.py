"""Sueda 2.2: the two algorithms. The oracles differ poses, and Jacobians of poses."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.ledger.claims.sueda.section_2_1 import seen_from
from rbnotes.ledger.claims.sueda.section_2_1_jacobian import FILLED, hinge_tree
from rbnotes.ledger.claims.sueda.section_2_2 import MOVED, RATE
from rbnotes.ledger.claims.sueda.section_2_trees import (
    CHAPTER,
    HINGED,
    some_frames,
    some_parents,
    tree_of,
)
from rbnotes.ledger.oracles import body_trees
from rbnotes.ledger.quantities import NUMBER, POSE, SCREW, TWIST, matrix_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody import reduced
from rbnotes.testing.strategies import arrays

# Trees of four hinges: frames of joints F and of bodies B in the world, where q is zero.
HINGES = {"parents": some_parents(4), "F": some_frames(4), "B": some_frames(4)}


QUANTITIES = {"B": POSE}


@claim("sueda/s2.2/alg1", "Algorithm 1: filling the Jacobian, body by body from the root")
class alg1:
    formula = (
        r"\begin{aligned} &J(i, i) = {}^i_{J_i}\mathrm{Ad}\,S \\ &\text{ancestor} = \text{parent} \\ "
        r"&\text{while ancestor} \ne \text{null: } J(i, a) = {}^i_p\mathrm{Ad}\,J(p, a),\ "
        r"\text{ancestor} = \text{ancestor's parent} \end{aligned}"
    )
    inputs = HINGES
    result = matrix_quantity(SCREW, NUMBER)

    def printed(parents, F, B):
        J = np.zeros((4, 6, 4))
        S = np.array([0, 0, 1, 0, 0, 0])
        for i in range(4):
            J[i, :, i] = seen_from(B[i], F[i]) @ S
            parent = parents[i]
            ancestor = parent
            while ancestor != -1:
                J[i, :, ancestor] = seen_from(B[i], B[parent]) @ J[parent, :, ancestor]
                ancestor = parents[ancestor]
        return J.reshape(24, 4)

    def library(parents, F, B):
        return reduced.jacobian(hinge_tree(parents, F, B), np.zeros(4))

    oracle = "complex steps of all poses as each hinge turns"

    def reference(parents, F, B):
        return body_trees.jacobian(body_trees.revolute_assembly(parents, F, B), np.zeros(4))

    verdict = Verdict.HOLDS
    remark = r"In line 4, $a$ is the ancestor and $p$ the parent of $i$, which stays the same in the loop."
    implemented_by = FILLED
    chapter = CHAPTER


@claim("sueda/s2.2/t800", "A forward traversal processes parents before their children")
class t800:
    formula = r"\text{forward traversal order, starting from the root}"
    inputs = {"assembly": HINGED, "q": arrays(4), "names": st.permutations(range(4)).map(tuple)}
    result = matrix_quantity(SCREW, NUMBER)

    def printed(assembly, q, names):
        """Algorithm 1 on bodies that are numbered anyhow, level by level from the roots."""
        given = body_trees.renumber(assembly, names)
        E, F, J = body_trees.poses(given, q), body_trees.joint_poses(given, q), np.zeros((4, 6, 4))
        level = [-1]
        for _ in range(4):
            level = [i for i in range(4) if given.parents[i] in level]
            for i in level:
                J[i, :, i] = seen_from(E[i], F[i])[:, 2]
                a = parent = given.parents[i]
                while a >= 0:
                    J[i, :, a] = seen_from(E[i], E[parent]) @ J[parent, :, a]
                    a = given.parents[a]
        return J.reshape(24, 4)

    def library(assembly, q, names):
        """The library sorts links; its rows and columns are put back."""
        links = tree_of(assembly).links
        known = reduced.Tree([links[names.index(i)] for i in range(4)])
        places = [names[int(link.name)] for link in known.links]
        J = reduced.jacobian(known, q[places]).reshape(4, 6, 4)
        back = np.argsort(places)
        return J[back][:, :, back].reshape(24, 4)

    oracle = "complex steps of the poses, for which the order does not matter"

    def reference(assembly, q, names):
        return body_trees.jacobian(body_trees.renumber(assembly, names), q)

    verdict = Verdict.HOLDS
    remark = "Checked on what it is for: the traversal makes Algorithm 1 right for bodies that are given in any order."
    implemented_by = ("rbnotes.multibody.reduced.Tree",)
    chapter = CHAPTER


@claim("sueda/s2.2/alg2", "Algorithm 2: filling the Jacobian and its rate")
class alg2:
    formula = (
        r"\begin{aligned} &J(i, i) = {}^i_{J_i}\mathrm{Ad}\,S,\quad \dot J(i, i) = {}^i_{J_i}\mathrm{Ad}\,\dot S \\"
        r" &\text{for all ancestors: } J(i, a) = {}^i_p\mathrm{Ad}\,J(p, a),\quad \dot J(i, a) = "
        r"{}^i_p\mathrm{Ad}\,\dot J(p, a) + {}^i_p\mathrm{Ad}\,J(p, a) \end{aligned}"
    )
    inputs = {**HINGES, "qdot": arrays(4)}
    result = matrix_quantity(TWIST, NUMBER)

    def printed(parents, F, B, qdot):
        J, J_dot = np.zeros((4, 6, 4)), np.zeros((4, 6, 4))
        S, S_dot = np.array([0, 0, 1, 0, 0, 0]), np.zeros(6)
        for i in range(4):
            J[i, :, i] = seen_from(B[i], F[i]) @ S
            J_dot[i, :, i] = seen_from(B[i], F[i]) @ S_dot
            p = parents[i]
            a = p
            while a != -1:
                ip_Ad = seen_from(B[i], B[p])
                J[i, :, a] = ip_Ad @ J[p, :, a]
                J_dot[i, :, a] = ip_Ad @ J_dot[p, :, a] + ip_Ad @ J[p, :, a]
                a = parents[a]
        return J_dot.reshape(24, 4)

    def library(parents, F, B, qdot):
        return reduced.jacobian_rate(hinge_tree(parents, F, B), np.zeros(4), qdot)

    oracle = MOVED

    def reference(parents, F, B, qdot):
        return body_trees.jacobian_rate(body_trees.revolute_assembly(parents, F, B), np.zeros(4), qdot)

    tolerance = 1e-8
    verdict = Verdict.ERRATUM
    scan = True
    correction = (
        r"Line 7: $\dot J(i, a) = {}^i_p\mathrm{Ad}\,\dot J(p, a) + {}^i_p\dot{\mathrm{Ad}}\,J(p, a)$, as (2.16) "
        r"says. Without the dot of the second adjoint, $\dot J$ is not even zero at rest, and its two terms have "
        r"different units."
    )
    units_mismatch = r"a term of $J$, which is no rate, is added to terms of its rate"
    implemented_by = RATE
    chapter = CHAPTER
