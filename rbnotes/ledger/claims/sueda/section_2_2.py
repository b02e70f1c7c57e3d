"""Sueda 2.2: the rate of the Jacobian. The oracles differ Jacobians of poses."""

from __future__ import annotations

import numpy as np

from rbnotes import se3
from rbnotes.ledger.claims.sueda.section_2_1 import seen_from
from rbnotes.ledger.claims.sueda.section_2_1_jacobian import FILLED, LARGE, diagonal_block
from rbnotes.ledger.claims.sueda.section_2_trees import CHAPTER, MIXED, MOVING, PLACED, tree_of
from rbnotes.ledger.joint_quantities import jacobian, jacobian_rate
from rbnotes.ledger.oracles import body_trees
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation
from rbnotes.ledger.quantities import ADJOINT, NUMBER, TIME, TWIST, matrix_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody import reduced
from rbnotes.testing import derivative
from rbnotes.testing.strategies import arrays, frames, twists
from rbnotes.unchecked.central_differences import time_derivative_at_zero

RATE = ("rbnotes.multibody.reduced.jacobian_rate",)
MOVED = "differences along the motion of a Jacobian whose columns are complex steps of the poses"
OWN = "a body's own block does not depend on where its joint is in the parent"

# No joint stands still.
RATES = arrays(7).map(lambda drawn: drawn + np.where(drawn < 0, -0.125, 0.125))
TWO_BODIES = {"E_i": frames(), "E_p": frames(), "phi_i": twists(), "phi_p": twists()}


def joint_rate(kind, q, qdot):
    """Rate of S by differences."""
    return time_derivative_at_zero(lambda t: body_trees.joint_jacobian(kind, q + t * qdot))


@claim("sueda/s2.2/e2.15", "The rate of the diagonal blocks")
class e2_15:
    formula = r"j(i, i) = {}_i\mathrm{Ad}\,\dot S"
    inputs = MOVING
    result = matrix_quantity(TWIST, NUMBER)

    def printed(assembly, q, qdot):
        """An adjoint without an upper index leads to the world."""
        E, blocks = body_trees.poses(assembly, q), []
        for i, (kind, own) in enumerate(
            zip(assembly.kinds, body_trees.coordinate_slices(assembly), strict=True)
        ):
            S_dot = joint_rate(kind, q[own], qdot[own])
            i_Ad = seen_from(np.eye(4), E[i])
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

    oracle = MOVED

    def reference(assembly, q, qdot):
        J_dot, places = body_trees.jacobian_rate(assembly, q, qdot), body_trees.coordinate_slices(assembly)
        return np.hstack([J_dot[6 * i : 6 * i + 6, own] for i, own in enumerate(places)])

    tolerance = 1e-8
    verdict = Verdict.MISPRINT
    scan = True
    correction = (
        r"$\dot J(i, i) = {}^i_{J_i}\mathrm{Ad}\,\dot S$, as in Algorithm 2: the dot of $\dot J$ became that of a "
        r"lower-case j, and the indices of the adjoint are lost."
    )
    equivalent_mutants = {
        "in tree_of: flipped comparison in `parent < 0`": OWN,
        "in tree_of: swapped operands in `np.linalg.inv(at) @ assembly.joints[i]`": OWN,
        "in tree_of: dropped factor `assembly.joints[i]` in `np.linalg.inv(at) @ assembly.joints[i]`": OWN,
        "in tree_of: dropped factor `np.linalg.inv(at)` in `np.linalg.inv(at) @ assembly.joints[i]`": OWN,
    }
    implemented_by = RATE
    chapter = CHAPTER


@claim(
    "sueda/s2.2/t787#a", "The rate of the diagonal block is zero for hinges, and not for some other joints"
)
class t787_a:
    formula = r"\dot J(i, i) = 0 \text{ for revolute joints, since } S \text{ is constant}"
    inputs = {"assembly": MIXED, "q": arrays(7), "qdot": RATES}
    result = NUMBER

    def printed(assembly, q, qdot):
        """Hinges and sliders have the same S in any pose."""
        return [float(kind not in ("revolute", "prismatic")) for kind in assembly.kinds]

    def library(assembly, q, qdot):
        moving, found = tree_of(assembly), []
        J_dot = reduced.jacobian_rate(moving, q, qdot)
        for i, own in enumerate(moving.coordinate_slices):
            found.append(float(np.abs(J_dot[6 * i : 6 * i + 6, own]).max() > LARGE))
        return found

    oracle = MOVED

    def reference(assembly, q, qdot):
        J_dot = body_trees.jacobian_rate(assembly, q, qdot)
        return [
            float(np.abs(J_dot[6 * i : 6 * i + 6, own]).max() > LARGE)
            for i, own in enumerate(body_trees.coordinate_slices(assembly))
        ]

    verdict = Verdict.HOLDS
    remark = "Among the others: universal joints, and ball joints in any coordinates."
    implemented_by = RATE
    chapter = CHAPTER


@claim("sueda/s2.2/t787#b", "The recurrence for the blocks beside the diagonal")
class t787_b:
    formula = r"J(i, a) = {}^i_p\mathrm{Ad}\,J(p, a)"
    inputs = PLACED
    result = jacobian

    def printed(assembly, q):
        E, J = body_trees.poses(assembly, q), np.zeros((4, 6, 7))
        for i, p in enumerate(assembly.parents):
            if p >= 0:
                J[i] = seen_from(E[i], E[p]) @ J[p]
            J[i, :, body_trees.coordinate_slices(assembly)[i]] = diagonal_block(E, assembly, q, i)
        return J.reshape(24, 7)

    def library(assembly, q):
        return reduced.jacobian(tree_of(assembly), q)

    oracle = "complex steps of all poses, joints of four kinds"

    def reference(assembly, q):
        return body_trees.jacobian(assembly, q)

    verdict = Verdict.HOLDS
    implemented_by = FILLED
    chapter = CHAPTER


def own_adjoint(assembly, i):
    """From a joint to its body, which is the same always."""
    return seen_from(assembly.bodies[i], assembly.joints[i])


def adjoint_rate(assembly, q, qdot, i, p):
    """Rate of the adjoint from the parent to the child, by differences along the motion."""

    def adjoints(t):
        E = body_trees.poses(assembly, q + t * qdot)
        return np.stack([seen_from(each[i], each[p]) for each in E])

    return time_derivative_at_zero(adjoints)


@claim("sueda/s2.2/e2.16", "The rate of the blocks beside the diagonal")
class e2_16:
    formula = r"\dot J(i, a) = {}^i_p\dot{\mathrm{Ad}}\,J(p, a) + {}^i_p\mathrm{Ad}\,\dot J(p, a)"
    inputs = MOVING
    result = jacobian_rate

    def printed(assembly, q, qdot):
        E = body_trees.poses(assembly, q)
        J, J_dot = np.zeros((4, 6, 7)), np.zeros((4, 6, 7))
        for i, (p, own) in enumerate(
            zip(assembly.parents, body_trees.coordinate_slices(assembly), strict=True)
        ):
            if p >= 0:
                ip_Ad, ip_Ad_dot = seen_from(E[i], E[p]), adjoint_rate(assembly, q, qdot, i, p)
                J_dot[i] = ip_Ad_dot @ J[p] + ip_Ad @ J_dot[p]
                J[i] = ip_Ad @ J[p]
            J[i, :, own] = diagonal_block(E, assembly, q, i)
            J_dot[i, :, own] = own_adjoint(assembly, i) @ joint_rate(assembly.kinds[i], q[own], qdot[own])
        return J_dot.reshape(24, 7)

    def library(assembly, q, qdot):
        return reduced.jacobian_rate(tree_of(assembly), q, qdot)

    oracle = MOVED

    def reference(assembly, q, qdot):
        return body_trees.jacobian_rate(assembly, q, qdot)

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    remark = r"$J(p, p)$ and $\dot J(p, p)$ are among them: the parent is the first ancestor."
    implemented_by = RATE
    chapter = CHAPTER


@claim("sueda/s2.2/t791", "The rate of an inverse")
class t791:
    formula = r"\dot A^{-1} = -A^{-1}\dot AA^{-1}"
    inputs = {"E": frames(), "phi": twists()}
    result = ADJOINT / TIME

    def printed(E, phi):
        """With the adjoint of a pose that moves, and differences of it."""
        pose = motion(E, phi)
        A_dot = derivative(lambda t: adjoint_by_conjugation(pose(t))).value
        A_inverse = np.linalg.inv(adjoint_by_conjugation(E))
        return -A_inverse @ A_dot @ A_inverse

    def library(E, phi):
        return se3.Ad_inverse_dot(E, phi)

    oracle = "differences of conjugations with the inverse pose"

    def reference(E, phi):
        pose = motion(E, phi)
        return derivative(lambda t: adjoint_by_conjugation(np.linalg.inv(pose(t)))).value

    verdict = Verdict.HOLDS
    remark = (
        r"The dot is over $A^{-1}$, as the words say. $(\dot A)^{-1}$ does not even exist for "
        r"$A = \mathrm{Ad}$: by (1.19) its rate is a product with the singular $\mathrm{ad}(\phi)$."
    )
    implemented_by = ("rbnotes.se3.Ad_inverse_dot",)
    chapter = CHAPTER


def world_rate(E, phi):
    """(1.18), the rate of the adjoint to the world."""
    R, p, w, v = E[:3, :3], E[:3, 3], phi[:3], phi[3:]
    zero = np.zeros((3, 3))
    return np.block([[R @ bracket(w), zero], [R @ bracket(v) + bracket(p) @ R @ bracket(w), R @ bracket(w)]])


def adjoint_rate_library(E_i, E_p, phi_i, phi_p):
    first = se3.Ad_inverse_dot(E_i, phi_i) @ se3.Ad(E_p)
    return first + se3.Ad_inverse(E_i) @ se3.Ad_dot(E_p, phi_p)


def adjoint_rate_reference(E_i, E_p, phi_i, phi_p):
    child, parent = motion(E_i, phi_i), motion(E_p, phi_p)
    return derivative(lambda t: adjoint_by_conjugation(np.linalg.inv(child(t)) @ parent(t))).value


@claim("sueda/s2.2/e2.17#a", "The rate of the adjoint from parent to child, by the product rule")
class e2_17_a:
    formula = (
        r"{}^i_p\dot{\mathrm{Ad}} = \tfrac{d}{dt}({}^i_0\mathrm{Ad}\,{}^0_p\mathrm{Ad}) = "
        r"{}^i_0\dot{\mathrm{Ad}}\,{}^0_p\mathrm{Ad} + {}^i_0\mathrm{Ad}\,{}^0_p\dot{\mathrm{Ad}}"
    )
    inputs = TWO_BODIES
    result = ADJOINT / TIME

    def printed(E_i, E_p, phi_i, phi_p):
        child, parent = motion(E_i, phi_i), motion(E_p, phi_p)
        i0_Ad, p_Ad = adjoint_by_conjugation(np.linalg.inv(E_i)), adjoint_by_conjugation(E_p)
        i0_Ad_dot = derivative(lambda t: adjoint_by_conjugation(np.linalg.inv(child(t)))).value
        p_Ad_dot = derivative(lambda t: adjoint_by_conjugation(parent(t))).value
        return i0_Ad_dot @ p_Ad + i0_Ad @ p_Ad_dot

    library = adjoint_rate_library
    oracle = "differences of conjugations with the pose of the parent as the child sees it, both moving"
    reference = adjoint_rate_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.Ad_inverse_dot", "rbnotes.se3.Ad_dot")
    chapter = CHAPTER


@claim(
    "sueda/s2.2/e2.17#b", "The rate of the adjoint from parent to child, from rates of adjoints to the world"
)
class e2_17_b:
    formula = (
        r"{}^i_p\dot{\mathrm{Ad}} = -{}^i_0\mathrm{Ad}\,{}^0_i\dot{\mathrm{Ad}}\,{}^i_0\mathrm{Ad}\,"
        r"{}^0_p\mathrm{Ad} + {}^i_0\mathrm{Ad}\,{}^0_p\dot{\mathrm{Ad}}"
    )
    inputs = TWO_BODIES
    result = ADJOINT / TIME

    def printed(E_i, E_p, phi_i, phi_p):
        i0_Ad, p_Ad = adjoint_by_conjugation(np.linalg.inv(E_i)), adjoint_by_conjugation(E_p)
        i_Ad_dot, p_Ad_dot = world_rate(E_i, phi_i), world_rate(E_p, phi_p)
        return -i0_Ad @ i_Ad_dot @ i0_Ad @ p_Ad + i0_Ad @ p_Ad_dot

    library = adjoint_rate_library
    oracle = "differences of conjugations with the pose of the parent as the child sees it, both moving"
    reference = adjoint_rate_reference
    verdict = Verdict.HOLDS
    remark = (
        r"With (1.19) it shrinks to ${}^i_p\mathrm{Ad}\,\mathrm{ad}(\phi_p) - \mathrm{ad}(\phi_i)\,"
        r"{}^i_p\mathrm{Ad}$, and in the frames of the joints to $-\mathrm{ad}(S\dot q)$ times the adjoint, which "
        r"is what the library does."
    )
    implemented_by = ("rbnotes.se3.Ad_inverse_dot", "rbnotes.se3.Ad_dot")
    chapter = CHAPTER
