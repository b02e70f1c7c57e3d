"""Sueda 2: reduced coordinates. The oracles: derivatives of poses of whole trees, and Newton's law for points."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from rbnotes import joints, se3
from rbnotes.dynamics import WORLD, Forces, State, integrate, symplectic_euler
from rbnotes.inertia import spatial_inertia
from rbnotes.ledger.joint_quantities import ASSEMBLY, accelerations, coordinates, forces, velocities
from rbnotes.ledger.oracles import body_trees
from rbnotes.ledger.oracles.bodies import bracket, kinetic_energy_matrix
from rbnotes.ledger.oracles.body_quantities import gravity_wrench
from rbnotes.ledger.oracles.constrained_systems import energy_matrix
from rbnotes.ledger.oracles.point_mass_dynamics import acceleration
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import LENGTH, NUMBER, POSE, TIME, TWIST, WRENCH, vector_quantity
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody import Body, Model, maximal, reduced
from rbnotes.testing import derivative
from rbnotes.testing.strategies import arrays, frames, numbers, positive_numbers, round_poses, unit_vectors

section = Section(
    "sueda/s2",
    chapter="reduced-coordinates",
    page_2019=Page(19, last=21),
    page_2021=Page(26, last=28),
    arguments={
        "assembly": Argument(
            ASSEMBLY,
            (
                "a tree of joints and bodies in the world, with all coordinates zero: the parent of each body"
                " (-1: none); joints about z (revolute), along z (prismatic), about x and then y (universal) "
                "or by a rotation vector (spherical); centers in the bodies, inertias about these"
            ),
        ),
        "angle": Argument(NUMBER),
        "q": Argument(coordinates, "of the joints, in their order"),
        "qddot": Argument(accelerations, "of the joints, in their order"),
        "f": Argument(forces, "of the joints, in their order"),
        "qdot": Argument(velocities, "of the joints, in their order"),
        "h": Argument(TIME),
        "phi": Argument(TWIST, "of each body, in its frame"),
        "wrenches": Argument(WRENCH, "on each body, about its origin, along its axes"),
        "parent": Argument(POSE, "of the parent in the world"),
        "joint": Argument(POSE, "of the joint in the world"),
        "axis": Argument(NUMBER, "of the hinge, in the frame of the joint"),
        "joint_and_body": Argument(
            POSE, "of the joint and of the body in the world, in the reference configuration"
        ),
    },
)


# ------------------------------------------------------------------------------------------------------------
# Trees that the records of Sueda 2 share: drawn at random for the oracles, built for the library.


KINDS = {
    "revolute": joints.Revolute,
    "prismatic": joints.Prismatic,
    "universal": joints.Universal,
    "spherical": joints.ExponentialSpherical,
}


def poses_from_numbers(numbers):
    """Return poses from rotation vectors and positions, six numbers each."""
    E = np.tile(np.eye(4), (len(numbers), 1, 1))
    E[:, :3, :3], E[:, :3, 3] = Rotation.from_rotvec(numbers[:, :3]).as_matrix(), numbers[:, 3:]
    return round_poses(E)


def inertias_from_numbers(numbers):
    """Return physically possible rotational inertias, from nine numbers each."""
    moments = numbers @ np.swapaxes(numbers, -1, -2) / 3 + np.eye(3) / 2
    return np.trace(moments, axis1=-2, axis2=-1)[:, None, None] * np.eye(3) - moments


def draw_frames(n):
    """Draw n poses in one array."""
    return arrays(n, 6).map(poses_from_numbers)


def draw_parents(n):
    """Draw trees of n bodies; the parent of each body is an earlier body or the world."""
    return st.tuples(*(st.integers(-1, i - 1) for i in range(n)))


def assemblies(parents, kinds, n):
    """Draw trees of n bodies with these parents and kinds of joints."""
    return st.builds(
        body_trees.Assembly,
        parents,
        kinds,
        draw_frames(n),
        draw_frames(n),
        arrays(n).map(lambda drawn: 2.5 + drawn),
        arrays(n, 3),
        arrays(n, 3, 3).map(inertias_from_numbers),
        arrays(3),
    )


# Four bodies with joints of four kinds and seven coordinates, in any tree and any order.
MIXED_TREES = assemblies(draw_parents(4), st.permutations(tuple(KINDS)).map(tuple), 4)
CONFIGURATION = {"assembly": MIXED_TREES, "q": arrays(7)}
MOTION = {**CONFIGURATION, "qdot": arrays(7)}
ACCELERATED_MOTION = {**MOTION, "qddot": arrays(7)}

HINGE_TREES = assemblies(draw_parents(4), st.just(("revolute",) * 4), 4)
MOTION_OF_HINGES = {"assembly": HINGE_TREES, "q": arrays(4), "qdot": arrays(4)}
CHAIN = assemblies(st.just((-1, 0, 1, 2)), st.just(("revolute",) * 4), 4)
SERIAL = {"assembly": CHAIN, "q": arrays(4)}

ANY_SIZE = st.integers(1, 6).flatmap(lambda n: assemblies(draw_parents(n), st.just(("revolute",) * n), n))


def tree_of(assembly):
    """Return the library's tree of the same bodies."""
    links = []
    for i, (parent, kind) in enumerate(zip(assembly.parents, assembly.kinds, strict=True)):
        parent_frame = np.eye(4) if parent < 0 else assembly.joints[parent]
        links.append(
            reduced.Link(
                str(i),
                KINDS[kind](),
                spatial_inertia(assembly.masses[i], assembly.inertias[i], assembly.centers[i]),
                None if parent < 0 else str(parent),
                np.linalg.inv(parent_frame) @ assembly.joints[i],
                np.linalg.inv(assembly.joints[i]) @ assembly.bodies[i],
            )
        )
    return reduced.Tree(links, gravity=assembly.gravity)


def maximal_hinges(assembly):
    """Return the library's revolute joints in maximal coordinates."""
    hinges = []
    for i, parent in enumerate(assembly.parents):
        parent_pose = np.eye(4) if parent < 0 else assembly.bodies[parent]
        hinges.append(
            maximal.Joint(
                joints.Revolute(),
                i,
                np.linalg.inv(assembly.bodies[i]) @ assembly.joints[i],
                WORLD if parent < 0 else parent,
                np.linalg.inv(parent_pose) @ assembly.joints[i],
            )
        )
    return hinges


def maximal_mass_matrix(assembly):
    """Return ``M_m``: the mass matrices of all bodies along the diagonal."""
    n = len(assembly.parents)
    M = np.zeros((6 * n, 6 * n))
    for i in range(n):
        part = slice(6 * i, 6 * i + 6)
        M[part, part] = kinetic_energy_matrix(assembly.masses[i], assembly.inertias[i], assembly.centers[i])
    return M


@section.holds("t692", "Bodies on hinges, counted in maximal and reduced coordinates")
class t692:
    formula = r"6n \text{ degrees of freedom and } 5n \text{ constraints, against } n \text{ and none}"
    inputs = {"assembly": ANY_SIZE, "angle": numbers()}
    result = Result(NUMBER, "degrees of freedom and constraints, in maximal, then in reduced coordinates")

    def printed(assembly, angle):
        n = len(assembly.parents)
        return [6 * n, 5 * n, n, 0]

    def library(assembly, angle):
        tree = tree_of(assembly)
        q = np.full(tree.num_coordinates, angle)
        G = maximal.constraint_jacobian(maximal_hinges(assembly), reduced.poses(tree, q).body_poses)
        coordinate_rows = tree.coordinate_constraint_rows(State(q=q, qdot=np.zeros(tree.num_coordinates)))
        return [G.shape[1], G.shape[0], tree.num_coordinates, len(coordinate_rows.rows)]

    def reference(assembly, angle):
        """Compare with ranks of the derivatives of poses with respect to the coordinates, by complex steps.

        Counted are all twists, those that the joints prevent, those that they allow, and redundant coordinates.
        """
        J = body_trees.jacobian(assembly, np.full(assembly.num_coordinates, angle))
        num_dofs = np.linalg.matrix_rank(J)
        return [len(J), len(J) - num_dofs, num_dofs, J.shape[1] - num_dofs]

    remark = "This holds for trees: each loop adds constraints in reduced coordinates, too."
    implements = (reduced.Tree, maximal.constraint_jacobian)


def t696_quantity(values):
    return forces(values) + accelerations(values)


@section.holds("t696", "Inverse dynamics multiplies by M, forward dynamics solves with it")
class t696:
    formula = r"f = M\ddot q: \quad f \text{ given } \ddot q,\quad \ddot q = M^{-1}f \text{ given } f"
    inputs = {**CONFIGURATION, "qddot": arrays(7), "f": arrays(7)}

    result = Result(t696_quantity, "forces, then accelerations, of the joints, in their order")

    def printed(assembly, q, qddot, f):
        W = body_trees.mass_weighted_jacobian(assembly, q)
        M = energy_matrix(np.eye(72), lambda v: W @ v, 7)
        return np.concatenate([M @ qddot, np.linalg.inv(M) @ f])

    def library(assembly, q, qddot, f):
        """Evaluate at rest, with f added to the forces that hold the weight."""
        tree, zeros = tree_of(assembly), np.zeros(7)
        gravity_compensation = reduced.inverse_dynamics_dense(tree, q, zeros, zeros)
        forces = reduced.inverse_dynamics_dense(tree, q, zeros, qddot)
        return np.concatenate(
            [
                forces - gravity_compensation,
                reduced.forward_dynamics_dense(tree, q, zeros, gravity_compensation + f),
            ]
        )

    def reference(assembly, q, qddot, f):
        """Compare with d'Alembert's and Gauss's principles for the point masses of the bodies."""
        zeros = np.zeros(7)
        gravity_compensation = -body_trees.gravity_forces(assembly, q)
        inertial_forces = body_trees.inertial_forces(assembly, q, zeros, qddot)
        return np.concatenate(
            [inertial_forces, body_trees.accelerations(assembly, q, zeros, gravity_compensation + f)]
        )

    tolerance = 1e-8
    remark = (
        "$f$ contains all forces: weights, applied forces, and the terms that are quadratic in the "
        "velocities."
    )
    implements = (reduced.inverse_dynamics_dense, reduced.forward_dynamics_dense)


def leaves_first(n):
    """Return each body and then its joint, the last body first; joints are numbered from n on."""
    return [part for body in reversed(range(n)) for part in (body, n + body)]


def count_factor_blocks(K, sizes):
    """Count the nonzero blocks of the factor L, diagonal included, when K is eliminated in order."""
    slices = [slice(end - size, end) for size, end in zip(sizes, np.cumsum(sizes), strict=True)]
    schur_complement, count = K.copy(), 0
    for i, part in enumerate(slices):
        count += sum(np.abs(schur_complement[below, part]).max() > 1e-9 for below in slices[i:])
        tail = slice(part.stop, None)
        schur_complement[tail, tail] -= schur_complement[tail, part] @ np.linalg.solve(
            schur_complement[part, part], schur_complement[part, tail]
        )
    return count


@section.holds("t698#a", "The KKT matrix of a tree is factored in linear time")
class t698_a:
    formula = r"4n - r \text{ blocks in the factor of } \begin{pmatrix} M & G^\top \\ G & 0 \end{pmatrix}"
    inputs = {"assembly": ANY_SIZE, "angle": numbers()}
    result = Result(NUMBER)

    def printed(assembly, angle):
        """Count a block for each body, each joint, and each end of a joint that is not in the world."""
        return 4 * len(assembly.parents) - assembly.parents.count(-1)

    def library(assembly, angle):
        """Eliminate from the leaves."""
        tree, n = tree_of(assembly), len(assembly.parents)
        G = maximal.constraint_jacobian(
            maximal_hinges(assembly), reduced.poses(tree, np.full(n, angle)).body_poses
        ).toarray()
        K = np.block([[maximal_mass_matrix(assembly), G.T], [G, np.zeros((5 * n, 5 * n))]])
        parts = [slice(6 * i, 6 * i + 6) for i in range(n)]
        parts += [slice(6 * n + 5 * i, 6 * n + 5 * i + 5) for i in range(n)]
        order = leaves_first(n)
        rows = np.concatenate([np.arange(11 * n)[parts[part]] for part in order])
        sizes = [parts[part].stop - parts[part].start for part in order]
        return count_factor_blocks(K[np.ix_(rows, rows)], sizes)

    def reference(assembly, angle):
        """Compare with the elimination game on the graph of bodies and joints, from the leaves.

        Eliminating a part connects all its remaining neighbors; each edge is a block.
        """
        n = len(assembly.parents)
        neighbors = {part: set() for part in range(2 * n)}
        for body, parent in enumerate(assembly.parents):
            for end in {body, parent} - {-1}:
                neighbors[end].add(n + body)
                neighbors[n + body].add(end)
        blocks = 0
        for body in reversed(range(n)):
            for part in (body, n + body):
                remaining_neighbors = neighbors.pop(part)
                blocks += 1 + len(remaining_neighbors)
                for other in remaining_neighbors:
                    neighbors[other] = neighbors[other] | remaining_neighbors - {other, part}
                    neighbors[other].discard(part)
        return blocks

    remark = (
        "$r$ is the number of bodies whose parent is the world. There is no fill-in if there are no "
        "loops and the tree is eliminated from the leaves, each body before its joint: each joint then "
        "has only one neighbor left, its parent."
    )
    implements = maximal.constraint_jacobian


@section.holds(
    "t698#b", "Reduced coordinates do not drift: after several steps, both sides of a joint still coincide"
)
class t698_b:
    formula = r"\text{lack of constraint drift}"
    inputs = {**MOTION_OF_HINGES, "h": positive_numbers(0.03125, 0.25)}
    result = Result(
        vector_quantity((NUMBER, 1), (LENGTH, 1)), "of each joint in the world: the axis z, then the origin"
    )

    def printed(assembly, q, qdot, h):
        """Return the joint axes and positions on the side of the parents."""
        q = three_steps(assembly, q, qdot, h)
        E = body_trees.poses(assembly, q)
        sides = []
        for i, parent in enumerate(assembly.parents):
            reference_pose, pose = (
                (np.eye(4), np.eye(4)) if parent < 0 else (assembly.bodies[parent], E[parent])
            )
            sides.append((pose @ np.linalg.inv(reference_pose) @ assembly.joints[i])[:3, 2:])
        return np.stack(sides)

    def library(assembly, q, qdot, h):
        """Return the joint axes and positions on the side of the bodies."""
        system = tree_of(assembly)
        q = integrate(symplectic_euler, system, State(q=q, qdot=qdot), h, 3).q[-1]
        E = reduced.poses(system, q).body_poses
        return (E @ np.linalg.inv(assembly.bodies) @ assembly.joints)[:, :3, 2:]

    def reference(assembly, q, qdot, h):
        """Compare with rotations about the axes of the world, at coordinates after steps by Gauss's principle."""
        return body_trees.joint_poses(assembly, three_steps(assembly, q, qdot, h))[:, :3, 2:]

    tolerance = 1e-8
    remark = (
        "The check compares the axis and the origin of each joint. The steps are so large that $q$ "
        "itself is inaccurate."
    )
    primitives = ("rbnotes.ledger.claims.sueda.section_2.three_steps",)
    implements = symplectic_euler


def three_steps(assembly, q, qdot, h):
    """Return the coordinates after three steps that use the new velocities."""
    for _ in range(3):
        qdot = qdot + h * body_trees.accelerations(assembly, q, qdot, np.zeros(len(q)))
        q = q + h * qdot
    return q


@section.holds("e2.1", "Velocities of all bodies are linear in those of the joints")
class e2_1:
    formula = r"\dot{\mathbf q}_m = J_{mr}\dot{\mathbf q}_r"
    inputs = MOTION
    result = Result(TWIST, "of each body, in its frame")

    def printed(assembly, q, qdot):
        J_mr = body_trees.jacobian(assembly, q)
        return J_mr @ qdot

    def library(assembly, q, qdot):
        return reduced.jacobian(tree_of(assembly), q) @ qdot

    def reference(assembly, q, qdot):
        """Compare with differences of all poses along the motion."""
        return body_trees.twists(assembly, q, qdot).ravel()

    remark = (
        r"$\dot{\mathbf q}_m$ is the stack of the bodies' twists. It is not the rate of coordinates "
        r"$\mathbf q_m$, which are poses."
    )
    implements = reduced.jacobian


@section.holds("e2.2", "Accelerations of all bodies from those of the joints")
class e2_2:
    formula = r"\ddot{\mathbf q}_m = J_{mr}\ddot{\mathbf q}_r + \dot J_{mr}\dot{\mathbf q}_r"
    rests_on = ("sueda/s2/e2.1",)
    inputs = ACCELERATED_MOTION
    result = Result(TWIST / TIME, "of each body, in its frame")

    def printed(assembly, q, qdot, qddot):
        J_mr = body_trees.jacobian(assembly, q)
        J_mr_dot = body_trees.jacobian_rate(assembly, q, qdot)
        return J_mr @ qddot + J_mr_dot @ qdot

    def library(assembly, q, qdot, qddot):
        kinematics = reduced.body_kinematics(tree_of(assembly), q, qdot)
        return (kinematics.J @ qddot + kinematics.bias_acceleration).ravel()

    def reference(assembly, q, qdot, qddot):
        """Compare with differences of twists along a motion with these accelerations."""
        return body_trees.twist_rates(assembly, q, qdot, qddot).ravel()

    tolerance = 1e-8
    implements = reduced.body_kinematics


@section.holds("t704", "Equations of all bodies in matrix form, with Coriolis forces among the forces")
class t704:
    formula = r"M_m\ddot{\mathbf q}_m = \mathbf f_m,\quad \text{with } 6n \text{ degrees of freedom}"
    inputs = {"assembly": HINGE_TREES, "phi": arrays(4, 6), "wrenches": arrays(4, 6)}
    result = Result(TWIST / TIME, "of each body, in its frame")

    def printed(assembly, phi, wrenches):
        """Evaluate for bodies without joints."""
        M_m = maximal_mass_matrix(assembly)
        f_m = np.concatenate(
            [
                coriolis(M_m[6 * i : 6 * i + 6, 6 * i : 6 * i + 6], phi[i])
                + gravity_wrench(assembly, i, assembly.bodies[i])
                + wrenches[i]
                for i in range(4)
            ]
        )
        return np.linalg.inv(M_m) @ f_m

    def library(assembly, phi, wrenches):
        bodies = zip(assembly.masses, assembly.inertias, assembly.centers, strict=True)
        links = [Body(f"link {i}", inertia=spatial_inertia(*each)) for i, each in enumerate(bodies)]
        forces = Forces.without_derivatives(wrenches)
        system = Model(links, gravity=assembly.gravity, forces=lambda state: forces)
        return system.acceleration(State(assembly.bodies, phi))

    def reference(assembly, phi, wrenches):
        """Compare with accelerations for which six point masses of each body need these wrenches and weights."""
        accelerations = []
        for i, (m, c, J) in enumerate(zip(assembly.masses, assembly.centers, assembly.inertias, strict=True)):
            weight = assembly.bodies[i, :3, :3].T @ (m * assembly.gravity)
            load = wrenches[i] + np.concatenate([np.cross(c, weight), weight])
            accelerations.append(acceleration(m, c, J, phi[i], load))
        return np.concatenate(accelerations)

    tolerance = 1e-8
    remark = (
        "In a system with joints, 'all forces' must include those of the joints; (2.18) shows the effect "
        "of omitting them."
    )
    implements = Model


def coriolis(M, phi):
    """Return ``ad(phi)^T M phi``."""
    w, v = bracket(phi[:3]), bracket(phi[3:])
    ad = np.block([[w, np.zeros((3, 3))], [v, w]])
    return ad.T @ M @ phi


@section.definition("t710", "Joints and bodies come in pairs; a root has no parent")
class t710:
    remark = (
        "`Link` is such a pair. A mechanism of $n$ bodies with more than $n$ joints has one loop for "
        "each extra joint. Each loop is cut at one joint, which `LoopClosure` restores."
    )
    implements = (reduced.Link, reduced.LoopClosure)


# ------------------------------------------------------------------------------------------------------------
# Poses of joints and bodies, from the root outwards. The oracles rotate frames about axes of the world.


def reference_transforms(assembly):
    """Return the reference pose of each joint of a serial chain in the frame of the joint before it."""
    previous = np.concatenate([np.eye(4)[None], assembly.joints[:-1]])
    return np.linalg.inv(previous) @ assembly.joints


def rotation_about_z(angle):
    return np.array(
        [
            [np.cos(angle), -np.sin(angle), 0, 0],
            [np.sin(angle), np.cos(angle), 0, 0],
            [0, 0, 1, 0],
            [0, 0, 0, 1],
        ]
    )


def matrix_of_twist(twist):
    """Return the matrix of a twist, (1.6)."""
    return np.block([[bracket(twist[:3]), twist[3:, None]], [np.zeros((1, 4))]])


@section.holds("e2.3", "Pose of a joint in a serial chain")
class e2_3:
    formula = r"{}^0_jE = {}^0_1E\,{}^1_2E\cdots{}^{j-1}_jE"
    inputs = SERIAL
    result = Result(POSE, "of each joint in the world")

    def printed(assembly, q):
        E_01, E_12, E_23, E_34 = (
            step @ rotation_about_z(angle)
            for step, angle in zip(reference_transforms(assembly), q, strict=True)
        )
        return np.stack([E_01, E_01 @ E_12, E_01 @ E_12 @ E_23, E_01 @ E_12 @ E_23 @ E_34])

    def library(assembly, q):
        return reduced.poses(tree_of(assembly), q).joint_poses

    def reference(assembly, q):
        """Rotate the reference frames about the reference axes in the world, the last one first."""
        result = []
        for j in range(4):
            frame = assembly.joints[j]
            for i in reversed(range(j + 1)):
                axis, origin = assembly.joints[i, :3, 2], assembly.joints[i, :3, 3]
                R = Rotation.from_rotvec(q[i] * axis).as_matrix()
                next_frame = np.eye(4)
                next_frame[:3, :3], next_frame[:3, 3] = (
                    R @ frame[:3, :3],
                    origin + R @ (frame[:3, 3] - origin),
                )
                frame = next_frame
            result.append(frame)
        return np.stack(result)

    implements = reduced.poses


@section.holds("t712", "Pose of any joint as the product of the joint transforms from the root")
class t712:
    formula = r"{}^0_jE = \text{the product of the transforms from the root to the joint}"
    inputs = CONFIGURATION
    result = Result(POSE, "of each joint in the world")

    def printed(assembly, q):
        result = []
        for j, parent in enumerate(assembly.parents):
            Q = body_trees.joint_motion(assembly.kinds[j], q[body_trees.coordinate_slices(assembly)[j]])
            if parent < 0:
                result.append(assembly.joints[j] @ Q)
            else:
                reference = np.linalg.inv(assembly.joints[parent]) @ assembly.joints[j]
                result.append(result[parent] @ reference @ Q)
        return np.stack(result)

    def library(assembly, q):
        return reduced.poses(tree_of(assembly), q).joint_poses

    def reference(assembly, q):
        """Move the reference frames about those of their ancestors in the world."""
        return body_trees.joint_poses(assembly, q)

    implements = reduced.poses


@section.holds("e2.4#a", "Transform of a joint: its reference transform times its motion")
class e2_4_a:
    formula = r"{}^{j-1}_jE = {}^{j-1}_jE_0\,Q_j(q_j)"
    inputs = SERIAL
    result = Result(POSE, "of each joint in the one before it")

    def printed(assembly, q):
        return np.stack(
            [
                E_0 @ rotation_about_z(angle)
                for E_0, angle in zip(reference_transforms(assembly), q, strict=True)
            ]
        )

    def library(assembly, q):
        E = reduced.poses(tree_of(assembly), q).joint_poses
        return np.linalg.inv(np.concatenate([np.eye(4)[None], E[:-1]])) @ E

    def reference(assembly, q):
        """Compare with the pose of each joint in the frame of the one before it, after rotations in the world."""
        E = body_trees.joint_poses(assembly, q)
        return np.concatenate([E[:1], np.linalg.solve(E[:-1], E[1:])])

    remark = (
        "The indices denote the pose of joint $j$ in joint $j - 1$. The converted text of (2.22) has "
        "the same product with the opposite order of indices."
    )
    implements = reduced.poses


@section.holds("e2.4#b", "Motion of a hinge about z")
class e2_4_b:
    formula = r"Q_j(q_j) = \begin{pmatrix} \cos(q_j) & -\sin(q_j) & 0 & 0 \\ \sin(q_j) & \cos(q_j) & 0 & 0 \\ 0 & 0 & 1 & 0 \\ 0 & 0 & 0 & 1 \end{pmatrix}"
    inputs = {"q": numbers(-7, 7)}
    result = Result(NUMBER, "of the rotated frame in the fixed one")

    def printed(q):
        return rotation_about_z(q)

    def library(q):
        return joints.Revolute().transform([q])

    def reference(q):
        """Compare with scipy's rotation about z."""
        Q = np.eye(4)
        Q[:3, :3] = Rotation.from_euler("z", q).as_matrix()
        return Q

    implements = joints.Revolute


@section.conditional("t720#a", "Reference transform of a joint as a translation")
class t720_a:
    page_2019 = Page(21)
    page_2021 = Page(27)
    formula = r"{}^{j-1}_jE_0 = \begin{pmatrix} I & \mathbf p \\ 0 & 1 \end{pmatrix}"
    inputs = {"parent": frames(), "joint": frames()}
    result = Result(POSE, "of the joint in its parent")

    def printed(parent, joint):
        p = parent[:3, :3].T @ (joint[:3, 3] - parent[:3, 3])
        return np.block([[np.eye(3), p[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])

    def library(parent, joint):
        """Return the relative pose of two hinges at zero coordinates."""
        first = reduced.Link("first", joints.Revolute(), np.eye(6), placement=parent)
        offset = np.linalg.inv(parent) @ joint
        second = reduced.Link("second", joints.Revolute(), np.eye(6), "first", placement=offset)
        E = reduced.poses(reduced.Tree([first, second]), np.zeros(2)).joint_poses
        return se3.inverse(E[0]) @ E[1]

    def reference(parent, joint):
        """Compare with coordinates, in the parent's frame, of the joint's axes and origin."""
        axes = [np.append(parent[:3, :3].T @ axis, 0) for axis in joint[:3, :3].T]
        return np.stack([*axes, np.append(parent[:3, :3].T @ (joint[:3, 3] - parent[:3, 3]), 1)], axis=-1)

    condition_inputs = {
        "parent": st.shared(frames(), key="parent"),
        "joint": st.builds(
            lambda parent, position: np.block([[parent[:3, :3], position[:, None]], [parent[3:]]]),
            st.shared(frames(), key="parent"),
            arrays(3),
        ),
    }

    def holds_when(parent, joint):
        return np.allclose(parent[:3, :3], joint[:3, :3], atol=1e-9)

    condition = (
        "the axes of the joint are parallel to those of its parent in the reference configuration. With "
        "hinges about z only, all axes are then parallel: a planar mechanism. In general ${}^{j-1}_jE_0$ "
        "also contains a rotation."
    )
    remark = r"Section 2.4.1 says 'often a translation'."
    implements = reduced.poses


@section.holds("t720#b", "The reference transform of a joint is constant")
class t720_b:
    formula = r"{}^{j-1}_jE\,Q_j(q_j)^{-1} = {}^{j-1}_jE_0 \quad\text{at every } q"
    inputs = SERIAL
    result = Result(POSE, "of each joint in the one before it")

    def printed(assembly, q):
        """Return the reference transforms, for all q."""
        return reference_transforms(assembly)

    def library(assembly, q):
        E = reduced.poses(tree_of(assembly), q).joint_poses
        steps = np.linalg.inv(np.concatenate([np.eye(4)[None], E[:-1]])) @ E
        return np.stack(
            [step @ se3.inverse(joints.Revolute().transform([a])) for step, a in zip(steps, q, strict=True)]
        )

    def reference(assembly, q):
        """Compare with the relative poses of the joints after the motion, with their own rotations removed."""
        E = body_trees.joint_poses(assembly, q)
        steps = np.concatenate([E[:1], np.linalg.solve(E[:-1], E[1:])])
        return np.stack(
            [step @ expm(-a * matrix_of_twist(np.eye(6)[2])) for step, a in zip(steps, q, strict=True)]
        )

    implements = reduced.poses


@section.holds("e2.5", "Motion of a hinge as a matrix exponential")
class e2_5:
    formula = r"Q_j(q_j) = \exp\left([Sq_j]\right),\quad S = \begin{pmatrix} 0 & 0 & 1 & 0 & 0 & 0 \end{pmatrix}^\top"
    rests_on = ("sueda/s2/e2.4",)
    inputs = {"q": numbers(-7, 7)}
    result = Result(NUMBER, "of the rotated frame in the fixed one")

    def printed(q):
        S = np.array([0, 0, 1, 0, 0, 0])
        return expm(matrix_of_twist(S * q))

    def library(q):
        return joints.Revolute().transform([q])

    def reference(q):
        """Compare with scipy's rotation about z."""
        Q = np.eye(4)
        Q[:3, :3] = Rotation.from_euler("z", q).as_matrix()
        return Q

    implements = joints.Revolute


@section.holds("t724", "The matrix of S q of a hinge is skew-symmetric")
class t724:
    formula = r"[Sq_j] = -[Sq_j]^T"
    inputs = {"axis": unit_vectors(), "q": numbers()}
    result = Result(NUMBER, "of the rotated frame in the fixed one")

    def printed(axis, q):
        S = joints.Revolute(axis).motion_subspace([q])[:, 0]
        return -se3.hat(S * q).T

    def reference(axis, q):
        """Compare with the derivative of scipy's rotation about the axis at angle zero, times q."""
        X = np.zeros((4, 4))
        X[:3, :3] = q * derivative(lambda t: Rotation.from_rotvec(t * axis).as_matrix()).value
        return X

    remark = (
        "This is true only because the twist of a hinge has no linear part. For any other twist the last "
        r"column of (1.6) contains $\mathbf v$, and the last row is zero."
    )
    implements = (se3.hat, joints.Revolute)


@section.holds("e2.6", "Pose of the body on a joint")
class e2_6:
    formula = r"{}^0_BE = {}^0_1E\,{}^1_2E\cdots{}^{j-1}_jE\,{}^j_{B_j}E"
    inputs = SERIAL
    result = Result(POSE, "of each body in the world")

    def printed(assembly, q):
        E_01, E_12, E_23, E_34 = (
            step @ rotation_about_z(angle)
            for step, angle in zip(reference_transforms(assembly), q, strict=True)
        )
        E_1B, E_2B, E_3B, E_4B = np.linalg.inv(assembly.joints) @ assembly.bodies
        return np.stack(
            [
                E_01 @ E_1B,
                E_01 @ E_12 @ E_2B,
                E_01 @ E_12 @ E_23 @ E_3B,
                E_01 @ E_12 @ E_23 @ E_34 @ E_4B,
            ]
        )

    def library(assembly, q):
        return reduced.poses(tree_of(assembly), q).body_poses

    def reference(assembly, q):
        """Move the bodies about the reference axes of all joints before them."""
        return body_trees.poses(assembly, q)

    remark = "On the left-hand side, B means $B_j$."
    implements = reduced.poses


@section.holds("t726", "The pose of a body in the frame of its joint is constant")
class t726:
    formula = r"{}^j_{B_j}E \text{ does not change at run time}"
    inputs = {"joint_and_body": arrays(2, 6).map(poses_from_numbers), "q": numbers()}
    result = Result(POSE, "of the body in the frame of its joint")

    def printed(joint_and_body, q):
        """Return the reference pose for all q."""
        joint, body = joint_and_body
        return np.linalg.inv(joint) @ body

    def library(joint_and_body, q):
        joint, body = joint_and_body
        offset = np.linalg.inv(joint) @ body
        tree = reduced.Tree(
            [reduced.Link("one", joints.Revolute(), np.eye(6), placement=joint, body_frame=offset)]
        )
        poses = reduced.poses(tree, [q])
        return se3.inverse(poses.joint_poses[0]) @ poses.body_poses[0]

    def reference(joint_and_body, q):
        """Rotate both frames in the world about the axis of the joint."""
        joint, body = joint_and_body
        rotation = joint @ expm(q * matrix_of_twist(np.eye(6)[2])) @ np.linalg.inv(joint)
        return np.linalg.inv(rotation @ joint) @ (rotation @ body)

    implements = reduced.poses
