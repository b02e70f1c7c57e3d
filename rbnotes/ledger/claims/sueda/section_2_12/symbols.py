"""Sueda 2.12: Algorithm 9 and its symbols. The oracles: point masses, and Newton's law for each."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.linalg import expm

from rbnotes import se3
from rbnotes.dynamics import gravity_wrench
from rbnotes.joints import JointType
from rbnotes.ledger.claims.sueda.section_2_12 import section
from rbnotes.ledger.oracles import complex_steps
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.branching_tree import PARENTS, twists_and_velocities
from rbnotes.ledger.oracles.branching_tree_inputs import CORNERS, TREE, library_tree
from rbnotes.ledger.oracles.branching_tree_joints import (
    joint_gravity_wrenches,
    joint_poses,
    joint_twist_rates,
)
from rbnotes.ledger.oracles.twists import twist_matrix
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import FORCE, LENGTH, SPATIAL_INERTIA, TIME, TWIST, WRENCH
from rbnotes.ledger.record import Argument, Result
from rbnotes.multibody.reduced import gravity_wrenches, jacobian_product, jacobian_rate_product, poses, twists
from rbnotes.testing.strategies import arrays, frames, nonzero_vectors, positive_numbers, vectors

BODIES = np.concatenate([np.ones((4, 4, 1)), np.tile(CORNERS, (4, 1, 1))], axis=2)
"""Bodies of point masses for claims that do not depend on masses."""
TOLERANCE = 1e-8
CONFIGURATION = {name: TREE[name] for name in ("link_frames", "q")}


def adjoint_from_parent(E):
    """Return the adjoint from p to j of the pose of j in p."""
    R, p = E[:3, :3], E[:3, 3]
    Ad = np.zeros((6, 6))
    Ad[:3, :3] = Ad[3:, 3:] = R.T
    Ad[3:, :3] = -R.T @ bracket(p)
    return Ad


def ad(phi):
    """Evaluate (1.19)."""
    result = np.zeros((6, 6))
    result[:3, :3] = result[3:, 3:] = bracket(phi[:3])
    result[3:, :3] = bracket(phi[3:])
    return result


def joints_of(tree, q, v):
    """Return for each joint the adjoint from its parent, S, Sdot and the slice of its coordinates."""
    joints = []
    for link, part in zip(tree.links, tree.coordinate_slices, strict=True):
        E = link.placement @ link.joint.transform(q[part])
        joints.append(
            (
                adjoint_from_parent(E),
                link.joint.motion_subspace(q[part]),
                link.joint.motion_subspace_rate(q[part], v[part]),
                part,
            )
        )
    return joints


def joint_inertia(link):
    """Return M_j."""
    to_body = adjoint_from_parent(link.body_frame)
    return to_body.T @ link.inertia @ to_body


def outward_pass(tree, q, v):
    """Run the first loop and return V and eta; the last row is the world, at rest."""
    V, eta = np.zeros((5, 6)), np.zeros((5, 6))
    for j, (Ad, S, S_dot, part) in enumerate(joints_of(tree, q, v)):
        V[j] = Ad @ V[tree.parents[j]] + S @ v[part]
        eta[j] = ad(V[j]) @ S @ v[part] + S_dot @ v[part]
    return V, eta


def joint_external_wrenches(tree, wrenches):
    """Return F^ext: wrenches on bodies in the frames of their joints."""
    return [adjoint_from_parent(link.body_frame).T @ f for link, f in zip(tree.links, wrenches, strict=True)]


@section.misprint("t1528", "Direction of the transformation of a joint")
class t1528:
    page_2019 = Page(44)
    page_2021 = Page(56)
    formula = r"{}^p_jE \in \text{SE}(3):\ \text{transformation matrix from } p \text{ to } j"
    inputs = CONFIGURATION | {"x": vectors(3)}
    arguments = {"x": Argument(LENGTH, "of a point, in the frame of the second joint")}
    result = Result(LENGTH, "of the point, in the frame of the third joint")

    def printed(link_frames, q, x):
        """Return a point of the frame of p in that of j, for the slider and the hinge before it."""
        tree = library_tree(link_frames, BODIES)
        E = tree.links[2].placement @ tree.links[2].joint.transform(q[3:4])
        return (E @ np.append(x, 1))[:3]

    def library(link_frames, q, x):
        frames = poses(library_tree(link_frames, BODIES), q).joint_poses
        return se3.transform_points(se3.inverse(se3.inverse(frames[1]) @ frames[2]), x)

    def reference(link_frames, q, x):
        """Compare with the coordinates of one world point in both frames."""
        frames = joint_poses(link_frames, q)
        x_world = frames[1, :3, :3] @ x + frames[1, :3, 3]
        return np.linalg.solve(frames[2, :3, :3], x_world - frames[2, :3, 3])

    correction = (
        "From $j$ to $p$: the matrix is the pose of $j$ in $p$. In section 1.1 the notes say that "
        "${}^0_iE$ `transforms points from $i$ to $0$', so the upper index is the target frame."
    )
    replacement = r"${}^p_jE \in \mathrm{SE}(3)$: Transformation matrix from $j$ to $p$, a function of $q_j$."
    remark = "Algorithm 9 uses the adjoint of the inverse, which is right."
    implements = poses


@section.definition("t1529", "Jacobian of a joint")
class t1529:
    formula = r"S_j = \begin{pmatrix} {}^p_jE^{-1}\frac{d\,{}^p_jE}{dq_1} & \cdots & {}^p_jE^{-1}\frac{d\,{}^p_jE}{dq_{n_j}} \end{pmatrix}"
    defines = ("S_j",)
    remark = "The notes print a 4 by 4 matrix in each column; the column is the twist of this matrix."
    implements = JointType.motion_subspace


@section.holds("t1531", "Twist of a body from the twist at its joint")
class t1531:
    page_2019 = Page(45, r"${}^i_j\mathrm{Ad}\,\mathsf V_j$")
    page_2021 = Page(56, page_2019.content)
    formula = r"{}^i\phi_i = {}^i\mathrm{Ad}\,V_j"
    inputs = {name: TREE[name] for name in ("link_frames", "q", "v")}
    result = Result(TWIST, "of each body, in its frame")

    def printed(link_frames, q, v):
        tree = library_tree(link_frames, BODIES)
        V, phi = np.zeros((5, 6)), []
        for j, (Ad, S, _, part) in enumerate(joints_of(tree, q, v)):
            V[j] = Ad @ V[PARENTS[j]] + S @ v[part]
            phi.append(adjoint_from_parent(tree.links[j].body_frame) @ V[j])
        return phi

    def library(link_frames, q, v):
        return twists(library_tree(link_frames, BODIES), q, v)

    def reference(link_frames, q, v):
        """Compare with complex steps of the poses of all bodies along the motion."""
        return twists_and_velocities(link_frames, np.zeros((4, 1, 3)), q, v)[0]

    remark = r"The text omits the lower index of the adjoint; the inverse map is ${}^j_i\mathrm{Ad}$."
    implements = twists


@section.holds("t1532", "Rate of the twist, component by component")
class t1532:
    formula = r"\dot V_j:\ \text{component-wise time derivative of } V_j"
    inputs = {name: TREE[name] for name in ("link_frames", "q", "v")} | {"a": arrays(5)}
    result = Result(TWIST / TIME, "of each body, in its frame")

    def printed(link_frames, q, v, a):
        """Evaluate the recursion of Algorithm 9."""
        tree = library_tree(link_frames, BODIES)
        eta, V_dot = outward_pass(tree, q, v)[1], np.zeros((5, 6))
        for j, (Ad, S, _, part) in enumerate(joints_of(tree, q, v)):
            V_dot[j] = Ad @ V_dot[PARENTS[j]] + S @ a[part] + eta[j]
        return V_dot[:4]

    def library(link_frames, q, v, a):
        tree = library_tree(link_frames, BODIES)
        body_rates = jacobian_product(tree, q, a) + jacobian_rate_product(tree, q, v, v)
        return np.einsum("nab,nb->na", se3.Ad(tree.body_frames), body_rates)

    def reference(link_frames, q, v, a):
        """Compare with differences of the joint twists, by complex steps of poses, along an accelerated motion."""
        return joint_twist_rates(link_frames, q, v, a)

    tolerance = TOLERANCE
    implements = jacobian_rate_product


@section.holds("t1533", "Inertia of a body at its joint")
class t1533:
    page_2019 = Page(45, r"${}^i_j\mathrm{Ad}^\top\mathsf M_i\,{}^i_j\mathrm{Ad}$")
    page_2021 = Page(56, page_2019.content)
    formula = r"M_j = {}^i\mathrm{Ad}^\top M_i\,{}^i\mathrm{Ad}"
    inputs = {name: TREE[name] for name in ("link_frames", "bodies")}
    result = Result(SPATIAL_INERTIA, "of each body, in the frame of its joint")

    def printed(link_frames, bodies):
        return [joint_inertia(link) for link in library_tree(link_frames, bodies).links]

    def library(link_frames, bodies):
        tree = library_tree(link_frames, bodies)
        to_bodies = se3.Ad_inverse(tree.body_frames)
        return np.swapaxes(to_bodies, 1, 2) @ tree.inertias @ to_bodies

    def reference(link_frames, bodies):
        """Compare with kinetic energies of the points of the body, for twists of the joint."""
        inertias = []
        for (_, frame), points in zip(link_frames, bodies, strict=True):
            x = points[:, 1:] @ frame[:3, :3].T + frame[:3, 3]
            rotational = np.array([[*(np.cross(unit, p)[:, None].T for unit in np.eye(3))] for p in x])[
                :, :, 0
            ]
            point_jacobians = np.concatenate(
                [np.swapaxes(rotational, 1, 2), np.tile(np.eye(3), (4, 1, 1))], axis=2
            )
            inertias.append(np.einsum("p,pxa,pxb->ab", points[:, 0], point_jacobians, point_jacobians))
        return inertias

    remark = (
        "The lower index $j$ of the adjoints is missing. As the text says, the matrix is not diagonal: "
        "with the center of mass at $c$ in the frame of the joint, its lower left block is $-m[c]$."
    )
    implements = se3.Ad_inverse


def weights_at_joints(link_frames, bodies, g, q):
    tree = library_tree(link_frames, bodies, g)
    return np.einsum("nba,nb->na", tree.joint_to_body_adjoints, gravity_wrenches(tree, q))


@section.erratum("t1535#a", "Frame of an external force")
class t1535_a:
    page_2019 = Page(45)
    page_2021 = Page(56)
    formula = r"F_j^{\text{ext}}:\ \text{generalized external force viewed in } i"
    inputs = {name: TREE[name] for name in ("link_frames", "bodies", "g", "q")}
    result = Result(WRENCH, "on each body, in the frame of its joint")

    def printed(link_frames, bodies, g, q):
        """Return the weight in the frames of the bodies i."""
        return gravity_wrenches(library_tree(link_frames, bodies, g), q)

    library = weights_at_joints
    oracle = (
        "Compare with the terms that line 8 adds to wrenches in the frame of the joint: moments and "
        "forces of the weights of points."
    )
    reference = joint_gravity_wrenches
    correction = (
        r"Viewed in $j$, as in the formula that follows: $F_j^{\text{ext}} = {}^i_j\mathrm{Ad}^\top F_i$."
    )
    replacement = r"$F_j^{\text{ext}} \in \mathfrak{dse}(3)$: Generalized external force viewed in $j$."
    combined_with = ("sueda/s2.12/alg9",)
    no_simulation = "The formula that follows, which a program would implement, is right."
    implements = gravity_wrenches


@section.holds("t1535#b", "Gravity as an external force at the joint")
class t1535_b:
    page_2019 = Page(45, r"${}^i_j\mathrm{Ad}^\top\mathsf F_i^{\text{grav}}$")
    page_2021 = Page(56, page_2019.content)
    formula = r"F_j^{\text{ext}} = {}^i\mathrm{Ad}^\top F_i^{\text{grav}}"
    inputs = {name: TREE[name] for name in ("link_frames", "bodies", "g", "q")}
    result = Result(WRENCH, "on each body, in the frame of its joint")

    def printed(link_frames, bodies, g, q):
        tree = library_tree(link_frames, bodies, g)
        return joint_external_wrenches(tree, gravity_wrenches(tree, q))

    library = weights_at_joints
    oracle = "Compare with moments and forces of the weights of the body's points, in the frame of the joint."
    reference = joint_gravity_wrenches
    remark = r"The text omits the lower index in ${}^i_j\mathrm{Ad}^\top$."
    implements = gravity_wrenches


@section.conditional("t1535#c", "Components of the weight of a body")
class t1535_c:
    page_2019 = Page(45)
    page_2021 = Page(56)
    formula = r"F_i^{\text{grav}} = \begin{pmatrix} 0 \\ mg \end{pmatrix}"
    inputs = {"E": frames(), "m": positive_numbers(), "g": nonzero_vectors(3)}
    result = Result(FORCE, "on the body, in its frame")

    def printed(E, m, g):
        return np.concatenate([np.zeros(3), m * g])

    def library(E, m, g):
        return gravity_wrench(E, m * np.eye(6), g)

    def reference(E, m, g):
        """Compare with the work of the weight on small motions of the body, in its own frame."""

        def work(x, unit):
            return m * g @ (E @ expm(x[0] * twist_matrix(unit)))[:3, 3]

        directions = [partial(work, unit=unit) for unit in np.eye(6)]
        return [complex_steps.directional_derivative(each, np.zeros(1), np.ones(1)) for each in directions]

    condition_inputs = {
        **inputs,
        "E": vectors(3).map(lambda p: np.block([[np.eye(3), p[:, None]], [np.zeros(3), 1]])),
    }
    condition = (
        r"$g$ is written in the axes of the body, $g = {}^0_i\mathbf R^\top\mathbf g$ as in (1.22), "
        "or the axes of the body are parallel to those of the world"
    )

    def holds_when(E, m, g):
        return np.allclose(E[:3, :3].T @ g, g)

    implements = gravity_wrench
