"""Sueda 2.10: products with the transpose of the Jacobian. The oracles differ poses of trees."""

from __future__ import annotations

from itertools import chain

import numpy as np
from hypothesis import strategies as st

from rbnotes import joints
from rbnotes.ledger.claims.sueda.section_2_1 import S, seen_from
from rbnotes.ledger.claims.sueda.section_2_1_jacobian import (
    LARGE,
    diagonal_block,
    hinge_tree,
    serial_chains,
)
from rbnotes.ledger.claims.sueda.section_2_10 import PRODUCTS
from rbnotes.ledger.claims.sueda.section_2_trees import HINGED, PLACED, some_frames, tree_of
from rbnotes.ledger.joint_quantities import forces
from rbnotes.ledger.oracles import body_trees, complex_steps, jacobian_recursions
from rbnotes.ledger.quantities import LINEAR_FIRST_WRENCH, NUMBER, POSE, TORQUE, WRENCH
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody import reduced
from rbnotes.testing.strategies import arrays

TRANSPOSE = ("rbnotes.multibody.reduced.jacobian_transpose_product",)
LINE = (-1, 0, 1, 2)

# Serial chains: frames of joints F and of bodies B in the world, and wrenches on the bodies.
LOADED = {"F": some_frames(4), "B": some_frames(4), "y": arrays(4, 6)}

# A joint of six coordinates at home: three shifts, then three small turns.
FREE = np.roll(np.eye(6), 3, axis=0)


QUANTITIES = {"B": POSE, "y": WRENCH}


def free_joints_library(F, B, y):
    """A chain of bodies on joints that allow everything."""
    links = []
    for i in range(4):
        at, name = (np.eye(4), None) if i == 0 else (F[i - 1], str(i - 1))
        placement, body = np.linalg.inv(at) @ F[i], np.linalg.inv(F[i]) @ B[i]
        links.append(reduced.Link(str(i), joints.Free3D(), np.eye(6), name, placement, body))
    return reduced.jacobian_transpose_product(reduced.Tree(links), np.zeros(24), y)


def free_joints_reference(F, B, y):
    return jacobian_recursions.free_chain_jacobian(F, B).T @ y.ravel()


def hinges_library(F, B, y):
    return reduced.jacobian_transpose_product(hinge_tree(LINE, F, B), np.zeros(4), y)


def hinges_reference(F, B, y):
    return body_trees.jacobian(body_trees.revolute_assembly(LINE, F, B), np.zeros(4)).T @ y.ravel()


ON_FREE = (
    "work of the wrenches while one joint after the other shifts and turns, by complex steps of the poses"
)
ON_HINGES = "work of the wrenches while one hinge after the other turns, by complex steps of the poses"


@claim("sueda/s2.10/e2.110", "The transpose of the Jacobian of a chain of four")
class e2_110:
    formula = (
        r"\begin{pmatrix} x_1 \\ x_2 \\ x_3 \\ x_4 \end{pmatrix} = \begin{pmatrix} {}^1_1\mathrm{Ad}_S^\top & "
        r"{}^1_1\mathrm{Ad}_S^\top{}^2_1\mathrm{Ad}_S^\top & {}^1_1\mathrm{Ad}_S^\top{}^2_1\mathrm{Ad}_S^\top"
        r"{}^3_2\mathrm{Ad}_S^\top & {}^1_1\mathrm{Ad}_S^\top{}^2_1\mathrm{Ad}_S^\top{}^3_2\mathrm{Ad}_S^\top"
        r"{}^4_3\mathrm{Ad}_S^\top \\ 0 & {}^2_2\mathrm{Ad}_S^\top & {}^2_2\mathrm{Ad}_S^\top"
        r"{}^3_2\mathrm{Ad}_S^\top & {}^2_2\mathrm{Ad}_S^\top{}^3_2\mathrm{Ad}_S^\top{}^4_3\mathrm{Ad}_S^\top \\ "
        r"0 & 0 & {}^3_3\mathrm{Ad}_S^\top & {}^3_3\mathrm{Ad}_S^\top{}^4_3\mathrm{Ad}_S^\top \\ 0 & 0 & 0 & "
        r"{}^4_4\mathrm{Ad}_S^\top \end{pmatrix}\begin{pmatrix} y_1 \\ y_2 \\ y_3 \\ y_4 \end{pmatrix}"
    )
    inputs = LOADED
    result = LINEAR_FIRST_WRENCH

    def printed(F, B, y):
        """For joints of six coordinates; with fewer, these matrices cannot be multiplied."""
        S_11, S_22, S_33, S_44 = (seen_from(B[i], F[i]) @ FREE for i in range(4))
        S_21, S_32, S_43 = (seen_from(B[i], F[i - 1]) @ FREE for i in range(1, 4))
        none = np.zeros((6, 6))
        J_T = np.block(
            [
                [S_11.T, S_11.T @ S_21.T, S_11.T @ S_21.T @ S_32.T, S_11.T @ S_21.T @ S_32.T @ S_43.T],
                [none, S_22.T, S_22.T @ S_32.T, S_22.T @ S_32.T @ S_43.T],
                [none, none, S_33.T, S_33.T @ S_43.T],
                [none, none, none, S_44.T],
            ]
        )
        return J_T @ y.ravel()

    def library(F, B, y):
        return free_joints_library(F, B, y)

    oracle = ON_FREE

    def reference(F, B, y):
        return free_joints_reference(F, B, y)

    verdict = Verdict.ERRATUM
    scan = True
    correction = (
        r"$S$ belongs to the first factor of each entry only: ${}^1_1\mathrm{Ad}_S^\top\,{}^2_1\mathrm{Ad}^\top$, "
        r"${}^1_1\mathrm{Ad}_S^\top\,{}^2_1\mathrm{Ad}^\top\,{}^3_2\mathrm{Ad}^\top$ and so on. As (2.108) says, "
        r"transposed. For hinges, the printed products are of rows of six numbers with rows of six numbers."
    )
    units_mismatch = "coordinates' forces are taken for wrenches by the factors after the first"
    remark = "The counterexample has joints of six coordinates, for which all products exist."
    implemented_by = TRANSPOSE
    chapter = PRODUCTS


@claim("sueda/s2.10/t1345", "The transpose of a chain's Jacobian is upper triangular, by blocks")
class t1345:
    formula = r"J^\top(a, i) = 0 \text{ for } i < a, \text{ not zero for } i \ge a"
    inputs = {"assembly": serial_chains(4, 2), "angles": arrays(4)}
    result = NUMBER

    def printed(assembly, angles):
        return np.triu(np.ones((len(assembly.parents),) * 2))

    def library(assembly, angles):
        """Wrenches with one number each, on one body after the other."""
        n = len(assembly.parents)
        wrenches = np.eye(6 * n).reshape(6 * n, n, 6)
        felt = reduced.jacobian_transpose_product(tree_of(assembly), angles[:n], wrenches)
        return (np.abs(felt).reshape(n, 6, n).max(axis=1) > LARGE).T

    oracle = "which poses change with which coordinates, by complex steps"

    def reference(assembly, angles):
        changes = complex_steps.partial_derivatives(
            lambda x: body_trees.poses(assembly, x), angles[: assembly.num_coordinates]
        )
        return np.abs(changes).max(axis=(-2, -1)) > LARGE

    verdict = Verdict.HOLDS
    remark = "The sentence stands below Algorithm 5; it is about (2.110)."
    implemented_by = TRANSPOSE
    chapter = PRODUCTS


@claim("sueda/s2.10/e2.111#a", "The product with the transpose, line by line")
class e2_111_a:
    formula = (
        r"\begin{aligned} x_4 &= {}^4_{J_4}\mathrm{Ad}_S^\top y_4 \\ x_3 &= {}^3_{J_3}\mathrm{Ad}_S^\top y_3 + "
        r"{}^3_{J_3}\mathrm{Ad}_S^\top{}^4_{J_4}\mathrm{Ad}_S^\top y_4 \\ x_2 &= {}^2_{J_2}\mathrm{Ad}_S^\top y_2 + "
        r"{}^2_{J_2}\mathrm{Ad}_S^\top{}^3_{J_3}\mathrm{Ad}_S^\top y_3 + {}^2_{J_2}\mathrm{Ad}_S^\top"
        r"{}^3_{J_3}\mathrm{Ad}_S^\top{}^4_{J_4}\mathrm{Ad}_S^\top y_4 \\ x_1 &= {}^1_{J_1}\mathrm{Ad}_S^\top y_1 + "
        r"{}^1_{J_1}\mathrm{Ad}_S^\top{}^2_{J_2}\mathrm{Ad}_S^\top y_2 + \cdots \end{aligned}"
    )
    inputs = LOADED
    result = LINEAR_FIRST_WRENCH

    def printed(F, B, y):
        """For joints of six coordinates; with fewer, these matrices cannot be multiplied."""
        A_1, A_2, A_3, A_4 = ((seen_from(B[i], F[i]) @ FREE).T for i in range(4))
        y_1, y_2, y_3, y_4 = y
        x_4 = A_4 @ y_4
        x_3 = A_3 @ y_3 + A_3 @ A_4 @ y_4
        x_2 = A_2 @ y_2 + A_2 @ A_3 @ y_3 + A_2 @ A_3 @ A_4 @ y_4
        x_1 = A_1 @ y_1 + A_1 @ A_2 @ y_2 + A_1 @ A_2 @ A_3 @ y_3 + A_1 @ A_2 @ A_3 @ A_4 @ y_4
        return np.concatenate([x_1, x_2, x_3, x_4])

    def library(F, B, y):
        return free_joints_library(F, B, y)

    oracle = ON_FREE

    def reference(F, B, y):
        return free_joints_reference(F, B, y)

    verdict = Verdict.ERRATUM
    scan = True
    correction = (
        r"$x_3 = {}^3_{J_3}\mathrm{Ad}_S^\top y_3 + {}^3_{J_3}\mathrm{Ad}_S^\top\,{}^4_3\mathrm{Ad}^\top y_4$ and so "
        r"on: all factors but the first are adjoints ${}^i_p\mathrm{Ad}^\top$ from the parent's body, as in "
        r"Algorithm 6, not from the body's own joint, and without S."
    )
    units_mismatch = "coordinates' forces are taken for wrenches by the factors after the first"
    implemented_by = TRANSPOSE
    chapter = PRODUCTS


@claim("sueda/s2.10/e2.111#b", "The brackets of the same lines")
class e2_111_b:
    formula = (
        r"\begin{aligned} x_3 &= A_3(y_3 + A_4y_4) \\ x_2 &= A_2(y_2 + (A_3y_3 + A_4y_4)) \\ "
        r"x_1 &= A_1(y_1 + (A_2y_2 + (A_3y_3 + A_4y_4))) \end{aligned} \quad\text{with } A_i = "
        r"{}^i_{J_i}\mathrm{Ad}_S^\top"
    )
    inputs = LOADED
    result = TORQUE

    def printed(F, B, y):
        """The printed brackets; behind the first factor, the adjoints that Algorithm 6 has there."""
        S_1, S_2, S_3, S_4 = (seen_from(B[i], F[i]) @ S for i in range(4))
        A_2, A_3, A_4 = (seen_from(B[i], B[i - 1]).T for i in range(1, 4))
        y_1, y_2, y_3, y_4 = y
        x_4 = S_4 @ y_4
        x_3 = S_3 @ (y_3 + A_4 @ y_4)
        x_2 = S_2 @ (y_2 + (A_3 @ y_3 + A_4 @ y_4))
        x_1 = S_1 @ (y_1 + (A_2 @ y_2 + (A_3 @ y_3 + A_4 @ y_4)))
        return np.stack([x_1, x_2, x_3, x_4])

    def library(F, B, y):
        return hinges_library(F, B, y)

    oracle = ON_HINGES

    def reference(F, B, y):
        return hinges_reference(F, B, y)

    verdict = Verdict.ERRATUM
    scan = True
    correction = (
        r"$x_2 = {}^2_{J_2}\mathrm{Ad}_S^\top(y_2 + {}^3_2\mathrm{Ad}^\top(y_3 + {}^4_3\mathrm{Ad}^\top y_4))$, and "
        r"$x_1$ alike: each adjoint acts on all that follows. Only so is it the line above it, and a recursion."
    )
    remark = (
        "Checked with the adjoints of Algorithm 6 behind the first factor: with those, only $x_3$ and $x_4$ are "
        "right. With the printed ones, for hinges, numbers would be added to wrenches."
    )
    implemented_by = TRANSPOSE
    chapter = PRODUCTS


@claim("sueda/s2.10/e2.112", "The recursion with what each joint hands on")
class e2_112:
    formula = (
        r"\begin{aligned} x_4 &= {}^4_{J_4}\mathrm{Ad}_S^\top(y_4 + 0), & \alpha_4 &= {}^4_{J_4}\mathrm{Ad}_S^\top"
        r"(y_4 + 0) \\ x_3 &= {}^3_{J_3}\mathrm{Ad}_S^\top(y_3 + \alpha_4), & \alpha_3 &= "
        r"{}^3_{J_3}\mathrm{Ad}_S^\top(y_3 + \alpha_4) \\ x_2 &= {}^2_{J_2}\mathrm{Ad}_S^\top(y_2 + \alpha_3), & "
        r"\alpha_2 &= {}^2_{J_2}\mathrm{Ad}_S^\top(y_2 + \alpha_3) \\ x_1 &= {}^1_{J_1}\mathrm{Ad}_S^\top"
        r"(y_1 + \alpha_2), & \alpha_1 &= \emptyset \end{aligned}"
    )
    inputs = LOADED
    result = TORQUE

    def printed(F, B, y):
        """For hinges; the sum of six numbers and one is formed as numpy and MATLAB form it."""
        A_1, A_2, A_3, A_4 = ((seen_from(B[i], F[i]) @ S)[None] for i in range(4))
        y_1, y_2, y_3, y_4 = y
        x_4, alpha_4 = A_4 @ y_4, A_4 @ y_4
        x_3, alpha_3 = A_3 @ (y_3 + alpha_4), A_3 @ (y_3 + alpha_4)
        x_2, alpha_2 = A_2 @ (y_2 + alpha_3), A_2 @ (y_2 + alpha_3)
        x_1 = A_1 @ (y_1 + alpha_2)
        return np.concatenate([x_1, x_2, x_3, x_4])

    def library(F, B, y):
        return hinges_library(F, B, y)

    oracle = ON_HINGES

    def reference(F, B, y):
        return hinges_reference(F, B, y)

    verdict = Verdict.ERRATUM
    scan = True
    correction = (
        r"$\alpha_4 = {}^4_3\mathrm{Ad}^\top(y_4 + 0)$, $\alpha_3 = {}^3_2\mathrm{Ad}^\top(y_3 + \alpha_4)$, "
        r"$\alpha_2 = {}^2_1\mathrm{Ad}^\top(y_2 + \alpha_3)$, as in Algorithm 6. As printed, each $\alpha_i$ is "
        r"the torque $x_i$, and a torque is no wrench that could be handed on."
    )
    units_mismatch = r"torques are added to wrenches"
    implemented_by = TRANSPOSE
    chapter = PRODUCTS


@claim("sueda/s2.10/t1314#f", "A backward traversal processes all children before their parent")
class t1314_f:
    formula = r"\text{backward traversal, starting from a leaf: children before their parent}"
    inputs = {
        "assembly": HINGED,
        "q": arrays(4),
        "y": arrays(4, 6),
        "names": st.permutations(range(4)).map(tuple),
    }
    result = TORQUE

    def printed(assembly, q, y, names):
        """Algorithm 6 on bodies that are numbered anyhow, level by level, the leaves first."""
        given = body_trees.renumber(assembly, names)
        E, F, levels = body_trees.poses(given, q), body_trees.joint_poses(given, q), [[-1]]
        while levels[-1]:
            levels.append([i for i in range(4) if given.parents[i] in levels[-1]])
        x, total = np.zeros(4), y.copy()
        for i in chain.from_iterable(levels[:0:-1]):
            x[i] = seen_from(E[i], F[i])[:, 2] @ total[i]
            if given.parents[i] >= 0:
                total[given.parents[i]] += seen_from(E[i], E[given.parents[i]]).T @ total[i]
        return x

    def library(assembly, q, y, names):
        """The library sorts links; its coordinates and bodies are put back."""
        links = tree_of(assembly).links
        known = reduced.Tree([links[names.index(i)] for i in range(4)])
        places = [names[int(link.name)] for link in known.links]
        x = reduced.jacobian_transpose_product(known, q[places], y[places])
        return x[np.argsort(places)]

    oracle = "work of the wrenches, by complex steps of the poses, for which the order does not matter"

    def reference(assembly, q, y, names):
        return body_trees.jacobian(body_trees.renumber(assembly, names), q).T @ y.ravel()

    verdict = Verdict.HOLDS
    remark = "Checked on what it is for: the traversal makes Algorithm 6 right for bodies that are given in any order."
    implemented_by = ("rbnotes.multibody.reduced.Tree", *TRANSPOSE)
    chapter = PRODUCTS


@claim("sueda/s2.10/alg6", "Algorithm 6: the product with the transpose of the Jacobian")
class alg6:
    formula = (
        r"\begin{aligned} &y_i = y(i),\quad \text{for all children } c: y_i \mathrel{+}= \alpha_c \\ "
        r"&\alpha_i = {}^i_p\mathrm{Ad}^\top y_i \\ &x(j) = S^\top{}^i_j\mathrm{Ad}^\top y_i \end{aligned}"
    )
    inputs = {**PLACED, "y": arrays(4, 6)}
    result = forces

    def printed(assembly, q, y):
        E, own = body_trees.poses(assembly, q), body_trees.coordinate_slices(assembly)
        x, alpha = np.zeros(7), np.zeros((4, 6))
        for i in reversed(range(4)):
            y_i = y[i].copy()
            for c in range(4):
                if assembly.parents[c] == i:
                    y_i += alpha[c]
            p = assembly.parents[i]
            if p >= 0:
                alpha[i] = seen_from(E[i], E[p]).T @ y_i
            x[own[i]] = diagonal_block(E, assembly, q, i).T @ y_i
        return x

    def library(assembly, q, y):
        return reduced.jacobian_transpose_product(tree_of(assembly), q, y)

    oracle = "work of the wrenches for unit changes of the coordinates, by complex steps of the poses"

    def reference(assembly, q, y):
        return body_trees.jacobian(assembly, q).T @ y.ravel()

    verdict = Verdict.HOLDS
    remark = "A root hands on nothing. That of line 6 is what (2.110) to (2.112) should say."
    implemented_by = TRANSPOSE
    chapter = PRODUCTS
