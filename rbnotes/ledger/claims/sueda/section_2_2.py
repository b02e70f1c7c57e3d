"""Sueda 2.2: the rate of the Jacobian. The oracles are differences of Jacobians of poses."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes import se3
from rbnotes.ledger.claims.sueda.section_2 import (
    CONFIGURATION,
    HINGE_TREES,
    MIXED_TREES,
    MOTION,
    draw_frames,
    draw_parents,
    tree_of,
)
from rbnotes.ledger.claims.sueda.section_2_1 import LARGE, diagonal_block, hinge_tree, relative_adjoint
from rbnotes.ledger.joint_quantities import ASSEMBLY, coordinates, jacobian, jacobian_rate, velocities
from rbnotes.ledger.oracles import body_trees
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import ADJOINT, NUMBER, POSE, SCREW, TIME, TWIST, matrix_quantity
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody import reduced
from rbnotes.testing import derivative
from rbnotes.testing.strategies import arrays, frames, twists
from rbnotes.unchecked.central_differences import time_derivative_at_zero

ROWS_OF_BODIES = "of each body, in its frame: a column for each coordinate of the joints"

section = Section(
    "sueda/s2.2",
    chapter="reduced-coordinates",
    page_2019=Page(22, last=23),
    page_2021=Page(31, last=32),
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
        "F": Argument(POSE, "of the joints in the world, with all coordinates zero"),
        "B": Argument(POSE, "of the bodies in the world, with all coordinates zero"),
        "E": Argument(POSE, "of the body in the world"),
        "phi": Argument(TWIST, "in the frame of the body"),
        "E_i": Argument(POSE, "of the child in the world"),
        "E_p": Argument(POSE, "of the parent in the world"),
        "phi_i": Argument(TWIST, "of the child, in its frame"),
        "phi_p": Argument(TWIST, "of the parent, in its frame"),
    },
)


# All joints move.
RATES = arrays(7).map(lambda drawn: drawn + np.where(drawn < 0, -0.125, 0.125))
TWO_BODIES = {"E_i": frames(), "E_p": frames(), "phi_i": twists(), "phi_p": twists()}


def motion_subspace_rate(kind, q, qdot):
    """Return the rate of S by differences."""
    return time_derivative_at_zero(lambda t: body_trees.joint_jacobian(kind, q + t * qdot))


@section.misprint("e2.15", "Rate of the diagonal blocks of the Jacobian")
class e2_15:
    page_2019 = Page(22, r"$\dot{\mathsf J}(i, i) = {}^i_{J_i}\mathrm{Ad}\,\dot S$")
    page_2021 = Page(31, page_2019.content)
    formula = r"j(i, i) = {}_i\mathrm{Ad}\,\dot S"
    edit = (r"j(i, i) = {}_i\mathrm{Ad}", r"\dot J(i, i) = {}^i_{J_i}\mathrm{Ad}")
    inputs = MOTION
    result = Result(
        matrix_quantity(TWIST, NUMBER), "a column for each coordinate, in the frame of the body of its joint"
    )

    def printed(assembly, q, qdot):
        """Evaluate with an adjoint without an upper index as an adjoint to the world."""
        E, blocks = body_trees.poses(assembly, q), []
        for i, (kind, part) in enumerate(
            zip(assembly.kinds, body_trees.coordinate_slices(assembly), strict=True)
        ):
            S_dot = motion_subspace_rate(kind, q[part], qdot[part])
            i_Ad = relative_adjoint(np.eye(4), E[i])
            blocks.append(i_Ad @ S_dot)
        return np.hstack(blocks)

    def library(assembly, q, qdot):
        J_dot = reduced.jacobian_rate(tree_of(assembly), q, qdot)
        blocks, start = [], 0
        for i, kind in enumerate(assembly.kinds):
            end = start + body_trees.NUM_COORDINATES[kind]
            blocks.append(J_dot[6 * i : 6 * i + 6, start:end])
            start = end
        return np.hstack(blocks)

    def reference(assembly, q, qdot):
        """Compare with differences of a Jacobian whose columns are complex steps of the poses."""
        J_dot, slices = body_trees.jacobian_rate(assembly, q, qdot), body_trees.coordinate_slices(assembly)
        return np.hstack([J_dot[6 * i : 6 * i + 6, part] for i, part in enumerate(slices)])

    tolerance = 1e-8
    correction = (
        r"$\dot J(i, i) = {}^i_{J_i}\mathrm{Ad}\,\dot S$, as in Algorithm 2: the converted text has "
        r"the dot of $\dot J$ on a lower-case j, and lacks the indices of the adjoint"
    )
    implements = reduced.jacobian_rate


@section.holds("t787#a", "The rate of the diagonal block is zero for hinges, but not for all joints")
class t787_a:
    formula = r"\dot J(i, i) = 0 \text{ for revolute joints, since } S \text{ is constant}"
    inputs = {"assembly": MIXED_TREES, "q": arrays(7), "qdot": RATES}
    result = Result(NUMBER, "1 if the rate is not zero, for each joint")

    def printed(assembly, q, qdot):
        """Return 0 for hinges and sliders, whose S is constant, and 1 otherwise."""
        return [float(kind not in ("revolute", "prismatic")) for kind in assembly.kinds]

    def library(assembly, q, qdot):
        tree, flags = tree_of(assembly), []
        J_dot = reduced.jacobian_rate(tree, q, qdot)
        for i, part in enumerate(tree.coordinate_slices):
            flags.append(float(np.abs(J_dot[6 * i : 6 * i + 6, part]).max() > LARGE))
        return flags

    def reference(assembly, q, qdot):
        """Compare with differences of a Jacobian whose columns are complex steps of the poses."""
        J_dot = body_trees.jacobian_rate(assembly, q, qdot)
        return [
            float(np.abs(J_dot[6 * i : 6 * i + 6, part]).max() > LARGE)
            for i, part in enumerate(body_trees.coordinate_slices(assembly))
        ]

    remark = "It is not zero for universal joints, and for ball joints in any coordinates."
    implements = reduced.jacobian_rate


@section.holds("t787#b", "Recurrence for the off-diagonal blocks of the Jacobian")
class t787_b:
    formula = r"J(i, a) = {}^i_p\mathrm{Ad}\,J(p, a)"
    inputs = CONFIGURATION
    result = Result(jacobian, ROWS_OF_BODIES)

    def printed(assembly, q):
        E, J = body_trees.poses(assembly, q), np.zeros((4, 6, 7))
        for i, p in enumerate(assembly.parents):
            if p >= 0:
                J[i] = relative_adjoint(E[i], E[p]) @ J[p]
            J[i, :, body_trees.coordinate_slices(assembly)[i]] = diagonal_block(E, assembly, q, i)
        return J.reshape(24, 7)

    def library(assembly, q):
        return reduced.jacobian(tree_of(assembly), q)

    def reference(assembly, q):
        """Compare with complex steps of all poses, joints of four kinds."""
        return body_trees.jacobian(assembly, q)

    implements = reduced.jacobian


def joint_to_body_adjoint(assembly, i):
    """Return the constant adjoint from a joint to its body."""
    return relative_adjoint(assembly.bodies[i], assembly.joints[i])


def adjoint_rate(assembly, q, qdot, i, p):
    """Return the rate of the adjoint from the parent to the child, by differences along the motion."""

    def adjoints(t):
        E = body_trees.poses(assembly, q + t * qdot)
        return np.stack([relative_adjoint(each[i], each[p]) for each in E])

    return time_derivative_at_zero(adjoints)


@section.holds("e2.16", "Rate of the off-diagonal blocks of the Jacobian")
class e2_16:
    formula = r"\dot J(i, a) = {}^i_p\dot{\mathrm{Ad}}\,J(p, a) + {}^i_p\mathrm{Ad}\,\dot J(p, a)"
    inputs = MOTION
    result = Result(jacobian_rate, ROWS_OF_BODIES)

    def printed(assembly, q, qdot):
        E = body_trees.poses(assembly, q)
        J, J_dot = np.zeros((4, 6, 7)), np.zeros((4, 6, 7))
        for i, (p, part) in enumerate(
            zip(assembly.parents, body_trees.coordinate_slices(assembly), strict=True)
        ):
            if p >= 0:
                ip_Ad, ip_Ad_dot = relative_adjoint(E[i], E[p]), adjoint_rate(assembly, q, qdot, i, p)
                J_dot[i] = ip_Ad_dot @ J[p] + ip_Ad @ J_dot[p]
                J[i] = ip_Ad @ J[p]
            J[i, :, part] = diagonal_block(E, assembly, q, i)
            J_dot[i, :, part] = joint_to_body_adjoint(assembly, i) @ motion_subspace_rate(
                assembly.kinds[i], q[part], qdot[part]
            )
        return J_dot.reshape(24, 7)

    def library(assembly, q, qdot):
        return reduced.jacobian_rate(tree_of(assembly), q, qdot)

    def reference(assembly, q, qdot):
        """Compare with differences of a Jacobian whose columns are complex steps of the poses."""
        return body_trees.jacobian_rate(assembly, q, qdot)

    tolerance = 1e-8
    remark = r"The recurrence includes $J(p, p)$ and $\dot J(p, p)$: the parent is the first ancestor."
    implements = reduced.jacobian_rate


@section.holds("t791", "Rate of an inverse")
class t791:
    formula = r"\dot A^{-1} = -A^{-1}\dot AA^{-1}"
    inputs = {"E": frames(), "phi": twists()}
    result = Result(ADJOINT / TIME, "of the adjoint that takes twists of the world to the frame of the body")

    def printed(E, phi):
        """Evaluate with differences of the adjoint of a moving pose."""
        pose = motion(E, phi)
        A_dot = derivative(lambda t: adjoint_by_conjugation(pose(t))).value
        A_inverse = np.linalg.inv(adjoint_by_conjugation(E))
        return -A_inverse @ A_dot @ A_inverse

    def library(E, phi):
        return se3.Ad_inverse_dot(E, phi)

    def reference(E, phi):
        """Compare with differences of conjugations with the inverse pose."""
        pose = motion(E, phi)
        return derivative(lambda t: adjoint_by_conjugation(np.linalg.inv(pose(t)))).value

    remark = (
        r"The dot belongs to $A^{-1}$, as the text says. $(\dot A)^{-1}$ does not exist for $A = "
        r"\mathrm{Ad}$: by (1.19) its rate is a product with the singular $\mathrm{ad}(\phi)$."
    )
    implements = se3.Ad_inverse_dot


def world_rate(E, phi):
    """Evaluate (1.18), the rate of the adjoint to the world."""
    R, p, w, v = E[:3, :3], E[:3, 3], phi[:3], phi[3:]
    zero = np.zeros((3, 3))
    return np.block([[R @ bracket(w), zero], [R @ bracket(v) + bracket(p) @ R @ bracket(w), R @ bracket(w)]])


def adjoint_rate_library(E_i, E_p, phi_i, phi_p):
    first = se3.Ad_inverse_dot(E_i, phi_i) @ se3.Ad(E_p)
    return first + se3.Ad_inverse(E_i) @ se3.Ad_dot(E_p, phi_p)


def adjoint_rate_reference(E_i, E_p, phi_i, phi_p):
    """Compare with differences of conjugations with the pose of the moving parent in the moving child."""
    child, parent = motion(E_i, phi_i), motion(E_p, phi_p)
    return derivative(lambda t: adjoint_by_conjugation(np.linalg.inv(child(t)) @ parent(t))).value


@section.holds("e2.17#a", "Rate of the adjoint from parent to child, by the product rule")
class e2_17_a:
    formula = r"{}^i_p\dot{\mathrm{Ad}} = \tfrac{d}{dt}({}^i_0\mathrm{Ad}\,{}^0_p\mathrm{Ad}) = {}^i_0\dot{\mathrm{Ad}}\,{}^0_p\mathrm{Ad} + {}^i_0\mathrm{Ad}\,{}^0_p\dot{\mathrm{Ad}}"
    inputs = TWO_BODIES
    result = Result(ADJOINT / TIME, "takes twists of the parent to the frame of the child")

    def printed(E_i, E_p, phi_i, phi_p):
        child, parent = motion(E_i, phi_i), motion(E_p, phi_p)
        i0_Ad, p_Ad = adjoint_by_conjugation(np.linalg.inv(E_i)), adjoint_by_conjugation(E_p)
        i0_Ad_dot = derivative(lambda t: adjoint_by_conjugation(np.linalg.inv(child(t)))).value
        p_Ad_dot = derivative(lambda t: adjoint_by_conjugation(parent(t))).value
        return i0_Ad_dot @ p_Ad + i0_Ad @ p_Ad_dot

    library = adjoint_rate_library
    reference = adjoint_rate_reference
    implements = (se3.Ad_inverse_dot, se3.Ad_dot)


@section.holds("e2.17#b", "Rate of the adjoint from parent to child, from rates of adjoints to the world")
class e2_17_b:
    formula = r"{}^i_p\dot{\mathrm{Ad}} = -{}^i_0\mathrm{Ad}\,{}^0_i\dot{\mathrm{Ad}}\,{}^i_0\mathrm{Ad}\,{}^0_p\mathrm{Ad} + {}^i_0\mathrm{Ad}\,{}^0_p\dot{\mathrm{Ad}}"
    inputs = TWO_BODIES
    result = Result(ADJOINT / TIME, "takes twists of the parent to the frame of the child")

    def printed(E_i, E_p, phi_i, phi_p):
        i0_Ad, p_Ad = adjoint_by_conjugation(np.linalg.inv(E_i)), adjoint_by_conjugation(E_p)
        i_Ad_dot, p_Ad_dot = world_rate(E_i, phi_i), world_rate(E_p, phi_p)
        return -i0_Ad @ i_Ad_dot @ i0_Ad @ p_Ad + i0_Ad @ p_Ad_dot

    library = adjoint_rate_library
    reference = adjoint_rate_reference
    remark = (
        r"With (1.19) it simplifies to ${}^i_p\mathrm{Ad}\,\mathrm{ad}(\phi_p) - "
        r"\mathrm{ad}(\phi_i)\,{}^i_p\mathrm{Ad}$, and in the frames of the joints to "
        r"$-\mathrm{ad}(S\dot q)$ times the adjoint, which the library uses."
    )
    implements = (se3.Ad_inverse_dot, se3.Ad_dot)


# ------------------------------------------------------------------------------------------------------------
# Algorithms 1 and 2. The oracles differentiate poses.


# Trees of four hinges: frames of joints F and of bodies B in the world, where q is zero.
HINGES = {"parents": draw_parents(4), "F": draw_frames(4), "B": draw_frames(4)}


@section.holds("alg1", "Algorithm 1: filling the Jacobian, body by body from the root")
class alg1:
    formula = r"\begin{aligned} &J(i, i) = {}^i_{J_i}\mathrm{Ad}\,S \\ &\text{ancestor} = \text{parent} \\ &\text{while ancestor} \ne \text{null: } J(i, a) = {}^i_p\mathrm{Ad}\,J(p, a),\ \text{ancestor} = \text{ancestor's parent} \end{aligned}"
    inputs = HINGES
    result = Result(matrix_quantity(SCREW, NUMBER), ROWS_OF_BODIES)

    def printed(parents, F, B):
        J = np.zeros((4, 6, 4))
        S = np.array([0, 0, 1, 0, 0, 0])
        for i in range(4):
            J[i, :, i] = relative_adjoint(B[i], F[i]) @ S
            parent = parents[i]
            ancestor = parent
            while ancestor != -1:
                J[i, :, ancestor] = relative_adjoint(B[i], B[parent]) @ J[parent, :, ancestor]
                ancestor = parents[ancestor]
        return J.reshape(24, 4)

    def library(parents, F, B):
        return reduced.jacobian(hinge_tree(parents, F, B), np.zeros(4))

    def reference(parents, F, B):
        """Compare with complex steps of all poses for a rotation of each hinge."""
        return body_trees.jacobian(body_trees.revolute_assembly(parents, F, B), np.zeros(4))

    remark = "In line 4, $a$ is the ancestor and $p$ is the parent of $i$, which does not change in the loop."
    implements = reduced.jacobian


@section.holds("t800", "A forward traversal processes parents before their children")
class t800:
    formula = r"\text{forward traversal order, starting from the root}"
    inputs = {"assembly": HINGE_TREES, "q": arrays(4), "numbering": st.permutations(range(4)).map(tuple)}
    result = Result(matrix_quantity(SCREW, NUMBER), ROWS_OF_BODIES)

    def printed(assembly, q, numbering):
        """Run Algorithm 1 on bodies in any order, level by level from the roots."""
        renumbered = body_trees.renumber(assembly, numbering)
        E, F, J = body_trees.poses(renumbered, q), body_trees.joint_poses(renumbered, q), np.zeros((4, 6, 4))
        level = [-1]
        for _ in range(4):
            level = [i for i in range(4) if renumbered.parents[i] in level]
            for i in level:
                J[i, :, i] = relative_adjoint(E[i], F[i])[:, 2]
                a = parent = renumbered.parents[i]
                while a >= 0:
                    J[i, :, a] = relative_adjoint(E[i], E[parent]) @ J[parent, :, a]
                    a = renumbered.parents[a]
        return J.reshape(24, 4)

    def library(assembly, q, numbering):
        """Return the library's matrix in the original order of rows and columns: it sorts links."""
        links = tree_of(assembly).links
        tree = reduced.Tree([links[numbering.index(i)] for i in range(4)])
        order = [numbering[int(link.name)] for link in tree.links]
        J = reduced.jacobian(tree, q[order]).reshape(4, 6, 4)
        inverse_order = np.argsort(order)
        return J[inverse_order][:, :, inverse_order].reshape(24, 4)

    def reference(assembly, q, numbering):
        """Compare with complex steps of the poses, for which the order does not matter."""
        return body_trees.jacobian(body_trees.renumber(assembly, numbering), q)

    remark = "The check is that with this traversal Algorithm 1 is right for bodies in any order."
    implements = reduced.Tree


@section.erratum("alg2", "Algorithm 2: filling the Jacobian and its rate")
class alg2:
    page_2019 = Page(
        23,
        r"line 7, ${}^i_p\dot{\mathrm{Ad}}\,\mathsf J(p, a) + {}^i_p\mathrm{Ad}\,\dot{\mathsf J}(p, a)$",
    )
    page_2021 = Page(32, page_2019.content)
    formula = r"\begin{aligned} &J(i, i) = {}^i_{J_i}\mathrm{Ad}\,S,\quad \dot J(i, i) = {}^i_{J_i}\mathrm{Ad}\,\dot S \\ &\text{for all ancestors: } J(i, a) = {}^i_p\mathrm{Ad}\,J(p, a),\quad \dot J(i, a) = {}^i_p\mathrm{Ad}\,\dot J(p, a) + {}^i_p\mathrm{Ad}\,J(p, a) \end{aligned}"
    edit = (r"+ {}^i_p\mathrm{Ad}\,J", r"+ {}^i_p\dot{\mathrm{Ad}}\,J")
    inputs = {**HINGES, "qdot": arrays(4)}
    result = Result(matrix_quantity(TWIST, NUMBER), ROWS_OF_BODIES)

    def printed(parents, F, B, qdot):
        J, J_dot = np.zeros((4, 6, 4)), np.zeros((4, 6, 4))
        S, S_dot = np.array([0, 0, 1, 0, 0, 0]), np.zeros(6)
        for i in range(4):
            J[i, :, i] = relative_adjoint(B[i], F[i]) @ S
            J_dot[i, :, i] = relative_adjoint(B[i], F[i]) @ S_dot
            p = parents[i]
            a = p
            while a != -1:
                ip_Ad = relative_adjoint(B[i], B[p])
                J[i, :, a] = ip_Ad @ J[p, :, a]
                J_dot[i, :, a] = ip_Ad @ J_dot[p, :, a] + ip_Ad @ J[p, :, a]
                a = parents[a]
        return J_dot.reshape(24, 4)

    def library(parents, F, B, qdot):
        return reduced.jacobian_rate(hinge_tree(parents, F, B), np.zeros(4), qdot)

    def reference(parents, F, B, qdot):
        """Compare with differences of a Jacobian whose columns are complex steps of the poses."""
        return body_trees.jacobian_rate(body_trees.revolute_assembly(parents, F, B), np.zeros(4), qdot)

    tolerance = 1e-8
    correction = (
        r"Line 7: $\dot J(i, a) = {}^i_p\mathrm{Ad}\,\dot J(p, a) + {}^i_p\dot{\mathrm{Ad}}\,J(p, a)$, "
        r"as in (2.16). Without the dot of the second adjoint, $\dot J$ is not zero at rest, and its two "
        "terms have different units."
    )
    units_mismatch = "a term of $J$ is added to a term of its rate"
    implements = reduced.jacobian_rate
