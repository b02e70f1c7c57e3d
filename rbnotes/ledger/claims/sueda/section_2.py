"""Sueda 2: reduced coordinates. The oracles differ poses of whole trees, or ask Newton what their points do."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from rbnotes import joints, se3
from rbnotes.dynamics import WORLD, Forces, FreeSystem, State, integrate, symplectic_euler
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
from rbnotes.multibody import maximal, reduced
from rbnotes.testing import derivative
from rbnotes.testing.strategies import arrays, frames, numbers, positive_numbers, unit_vectors

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
        "parts": Argument(POSE, "of the joint and of the body at rest, in the world"),
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


def frames_of(numbers):
    """Poses from rotation vectors and places, six numbers each."""
    E = np.tile(np.eye(4), (len(numbers), 1, 1))
    E[:, :3, :3], E[:, :3, 3] = Rotation.from_rotvec(numbers[:, :3]).as_matrix(), numbers[:, 3:]
    return E


def inertias_of(numbers):
    """Rotational inertias that bodies can have, from nine numbers each."""
    moments = numbers @ np.swapaxes(numbers, -1, -2) / 3 + np.eye(3) / 2
    return np.trace(moments, axis1=-2, axis2=-1)[:, None, None] * np.eye(3) - moments


def some_frames(n):
    """Strategy for n poses in one array."""
    return arrays(n, 6).map(frames_of)


def some_parents(n):
    """Strategy for trees of n bodies, parents first: a body hangs on one of those before it, or in the world."""
    return st.tuples(*(st.integers(-1, i - 1) for i in range(n)))


def assemblies(parents, kinds, n):
    """Strategy for trees of n bodies with these parents and kinds of joints."""
    return st.builds(
        body_trees.Assembly,
        parents,
        kinds,
        some_frames(n),
        some_frames(n),
        arrays(n).map(lambda drawn: 2.5 + drawn),
        arrays(n, 3),
        arrays(n, 3, 3).map(inertias_of),
        arrays(3),
    )


# Four bodies with joints of four kinds and seven coordinates, in any tree and any order.
MIXED = assemblies(some_parents(4), st.permutations(tuple(KINDS)).map(tuple), 4)
PLACED = {"assembly": MIXED, "q": arrays(7)}
MOVING = {**PLACED, "qdot": arrays(7)}
ACCELERATED = {**MOVING, "qddot": arrays(7)}

HINGED = assemblies(some_parents(4), st.just(("revolute",) * 4), 4)
ON_HINGES = {"assembly": HINGED, "q": arrays(4), "qdot": arrays(4)}
CHAIN = assemblies(st.just((-1, 0, 1, 2)), st.just(("revolute",) * 4), 4)
SERIAL = {"assembly": CHAIN, "q": arrays(4)}

ANY_SIZE = st.integers(1, 6).flatmap(lambda n: assemblies(some_parents(n), st.just(("revolute",) * n), n))


def tree_of(assembly):
    """Return the library's tree of the same bodies."""
    links = []
    for i, (parent, kind) in enumerate(zip(assembly.parents, assembly.kinds, strict=True)):
        at = np.eye(4) if parent < 0 else assembly.joints[parent]
        links.append(
            reduced.Link(
                str(i),
                KINDS[kind](),
                spatial_inertia(assembly.masses[i], assembly.inertias[i], assembly.centers[i]),
                None if parent < 0 else str(parent),
                np.linalg.inv(at) @ assembly.joints[i],
                np.linalg.inv(assembly.joints[i]) @ assembly.bodies[i],
            )
        )
    return reduced.Tree(links, gravity=assembly.gravity)


def hinges_of(assembly):
    """Return the library's revolute joints in maximal coordinates."""
    hinges = []
    for i, parent in enumerate(assembly.parents):
        of_parent = np.eye(4) if parent < 0 else assembly.bodies[parent]
        hinges.append(
            maximal.Joint(
                joints.Revolute(),
                i,
                np.linalg.inv(assembly.bodies[i]) @ assembly.joints[i],
                WORLD if parent < 0 else parent,
                np.linalg.inv(of_parent) @ assembly.joints[i],
            )
        )
    return hinges


def maximal_masses(assembly):
    """``M_m``: the mass matrices of all bodies along the diagonal."""
    n = len(assembly.parents)
    M = np.zeros((6 * n, 6 * n))
    for i in range(n):
        own = slice(6 * i, 6 * i + 6)
        M[own, own] = kinetic_energy_matrix(assembly.masses[i], assembly.inertias[i], assembly.centers[i])
    return M


@section.holds("t692", "Bodies on hinges, counted in maximal and in reduced coordinates")
class t692:
    formula = r"6n \text{ degrees of freedom and } 5n \text{ constraints, against } n \text{ and none}"
    inputs = {"assembly": ANY_SIZE, "angle": numbers()}
    result = Result(NUMBER, "numbers, counted")

    def printed(assembly, angle):
        n = len(assembly.parents)
        return [6 * n, 5 * n, n, 0]

    def library(assembly, angle):
        hinged = tree_of(assembly)
        q = np.full(hinged.num_coordinates, angle)
        G = maximal.constraint_jacobian(hinges_of(assembly), reduced.poses(hinged, q).bodies)
        own = reduced.TreeSystem(hinged).coordinate_constraint_rows(
            State(q=q, qdot=np.zeros(hinged.num_coordinates))
        )
        return [G.shape[1], G.shape[0], hinged.num_coordinates, len(own.rows)]

    def reference(assembly, angle):
        """Compare with ranks of the derivatives of poses by the coordinates, by complex steps.

        All twists there could be, those that the joints forbid, those they allow, and idle coordinates.
        """
        J = body_trees.jacobian(assembly, np.full(assembly.num_coordinates, angle))
        allowed = np.linalg.matrix_rank(J)
        return [len(J), len(J) - allowed, allowed, J.shape[1] - allowed]

    implements = (reduced.TreeSystem, maximal.constraint_jacobian)


def t696_quantity(values):
    return forces(values) + accelerations(values)


@section.holds("t696", "Inverse dynamics multiplies by M, forward dynamics solves with it")
class t696:
    formula = r"f = M\ddot q: \quad f \text{ given } \ddot q,\quad \ddot q = M^{-1}f \text{ given } f"
    inputs = {**PLACED, "qddot": arrays(7), "f": arrays(7)}

    result = Result(t696_quantity, "forces, then accelerations, of the joints, in their order")

    def printed(assembly, q, qddot, f):
        weighed = body_trees.mass_weighted_jacobian(assembly, q)
        M = energy_matrix(np.eye(72), lambda v: weighed @ v, 7)
        return np.concatenate([M @ qddot, np.linalg.inv(M) @ f])

    def library(assembly, q, qddot, f):
        """At rest, with f on top of what holds the weight."""
        mechanism, still = tree_of(assembly), np.zeros(7)
        held = reduced.inverse_dynamics_dense(mechanism, q, still, still)
        needed = reduced.inverse_dynamics_dense(mechanism, q, still, qddot)
        return np.concatenate([needed - held, reduced.forward_dynamics_dense(mechanism, q, still, held + f)])

    def reference(assembly, q, qddot, f):
        """Compare with d'Alembert's and Gauss's principles for the point masses of the bodies."""
        still = np.zeros(7)
        held = -body_trees.gravity_forces(assembly, q)
        needed = body_trees.inertial_forces(assembly, q, still, qddot)
        return np.concatenate([needed, body_trees.accelerations(assembly, q, still, held + f)])

    tolerance = 1e-8
    remark = "f is all there is: weights, applied forces, and the terms that are quadratic in the velocities."
    implements = (reduced.inverse_dynamics_dense, reduced.forward_dynamics_dense)


def leaves_first(n):
    """Each body and then the joint that carries it, the last body first; joints are numbered from n on."""
    return [part for body in reversed(range(n)) for part in (body, n + body)]


def blocks_of_factor(K, sizes):
    """Count the nonzero blocks of the factor L, diagonal included, when K is eliminated in order."""
    places = [slice(end - size, end) for size, end in zip(sizes, np.cumsum(sizes), strict=True)]
    left, count = K.copy(), 0
    for i, own in enumerate(places):
        count += sum(np.abs(left[below, own]).max() > 1e-9 for below in places[i:])
        rest = slice(own.stop, None)
        left[rest, rest] -= left[rest, own] @ np.linalg.solve(left[own, own], left[own, rest])
    return count


@section.holds("t698#a", "The KKT matrix of a tree is factored in linear time")
class t698_a:
    formula = r"4n - r \text{ blocks in the factor of } \begin{pmatrix} M & G^\top \\ G & 0 \end{pmatrix}"
    inputs = {"assembly": ANY_SIZE, "angle": numbers()}
    result = Result(NUMBER)

    def printed(assembly, angle):
        """Linear in n: a block for each body, joint, and end of a joint that is not in the world."""
        return 4 * len(assembly.parents) - assembly.parents.count(-1)

    def library(assembly, angle):
        """Eliminated leaves first."""
        hinged, n = tree_of(assembly), len(assembly.parents)
        G = maximal.constraint_jacobian(
            hinges_of(assembly), reduced.poses(hinged, np.full(n, angle)).bodies
        ).toarray()
        K = np.block([[maximal_masses(assembly), G.T], [G, np.zeros((5 * n, 5 * n))]])
        parts = [slice(6 * i, 6 * i + 6) for i in range(n)]
        parts += [slice(6 * n + 5 * i, 6 * n + 5 * i + 5) for i in range(n)]
        order = leaves_first(n)
        rows = np.concatenate([np.arange(11 * n)[parts[part]] for part in order])
        sizes = [parts[part].stop - parts[part].start for part in order]
        return blocks_of_factor(K[np.ix_(rows, rows)], sizes)

    def reference(assembly, angle):
        """Compare with the elimination game on the graph of bodies and joints, leaves first.

        A part that is eliminated links all its neighbors that are left; each link is a block.
        """
        n = len(assembly.parents)
        near = {part: set() for part in range(2 * n)}
        for body, parent in enumerate(assembly.parents):
            for end in {body, parent} - {-1}:
                near[end].add(n + body)
                near[n + body].add(end)
        blocks = 0
        for body in reversed(range(n)):
            for part in (body, n + body):
                others = near.pop(part)
                blocks += 1 + len(others)
                for other in others:
                    near[other] = near[other] | others - {other, part}
                    near[other].discard(part)
        return blocks

    remark = (
        r"$r$ is the number of bodies that hang in the world. No block of the factor is filled in that was "
        r"zero before, if there are no loops and each body is eliminated before the joint that carries it, "
        r"the leaves first: each joint then has one neighbor left, its parent."
    )
    implements = maximal.constraint_jacobian


@section.holds(
    "t698#b", "Reduced coordinates do not drift: after steps, the two halves of a joint still meet"
)
class t698_b:
    formula = r"\text{lack of constraint drift}"
    inputs = {**ON_HINGES, "h": positive_numbers(0.03125, 0.25)}
    result = Result(
        vector_quantity((NUMBER, 1), (LENGTH, 1)), "of each joint in the world: the axis z, then the origin"
    )

    def printed(assembly, q, qdot, h):
        """Return the joint axes and positions on the parents' side, as the claim has them."""
        q = three_steps(assembly, q, qdot, h)
        E = body_trees.poses(assembly, q)
        halves = []
        for i, parent in enumerate(assembly.parents):
            rest, now = (np.eye(4), np.eye(4)) if parent < 0 else (assembly.bodies[parent], E[parent])
            halves.append((now @ np.linalg.inv(rest) @ assembly.joints[i])[:3, 2:])
        return np.stack(halves)

    def library(assembly, q, qdot, h):
        """Return the joint axes and positions on the bodies' side."""
        mechanism = reduced.TreeSystem(tree_of(assembly))
        q = integrate(symplectic_euler, mechanism, State(q=q, qdot=qdot), h, 3).q[-1]
        E = reduced.poses(mechanism.tree, q).bodies
        return (E @ np.linalg.inv(assembly.bodies) @ assembly.joints)[:, :3, 2:]

    def reference(assembly, q, qdot, h):
        """Compare with poses from rotations about the axes of the world, at coordinates after steps by Gauss's principle."""
        return body_trees.joint_poses(assembly, three_steps(assembly, q, qdot, h))[:, :3, 2:]

    tolerance = 1e-8
    remark = "What is compared are the axis and the origin of each joint, with steps so large that q itself is far off."
    primitives = ("rbnotes.ledger.claims.sueda.section_2.three_steps",)
    implements = symplectic_euler


def three_steps(assembly, q, qdot, h):
    """Coordinates after three steps that move with the new velocities."""
    for _ in range(3):
        qdot = qdot + h * body_trees.accelerations(assembly, q, qdot, np.zeros(len(q)))
        q = q + h * qdot
    return q


@section.holds("e2.1", "Velocities of all bodies are linear in those of the joints")
class e2_1:
    formula = r"\dot{\mathbf q}_m = J_{mr}\dot{\mathbf q}_r"
    inputs = MOVING
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
        r"$\dot{\mathbf q}_m$ is the stack of the bodies' twists: no rate of some coordinates "
        r"$\mathbf q_m$, which are poses."
    )
    implements = reduced.jacobian


@section.holds("e2.2", "Accelerations of all bodies from those of the joints")
class e2_2:
    formula = r"\ddot{\mathbf q}_m = J_{mr}\ddot{\mathbf q}_r + \dot J_{mr}\dot{\mathbf q}_r"
    inputs = ACCELERATED
    result = Result(TWIST / TIME, "of each body, in its frame")

    def printed(assembly, q, qdot, qddot):
        J_mr = body_trees.jacobian(assembly, q)
        J_mr_dot = body_trees.jacobian_rate(assembly, q, qdot)
        return J_mr @ qddot + J_mr_dot @ qdot

    def library(assembly, q, qdot, qddot):
        at = reduced.body_kinematics(tree_of(assembly), q, qdot)
        return (at.J @ qddot + at.bias_acceleration).ravel()

    def reference(assembly, q, qdot, qddot):
        """Compare with differences of twists along a motion with these accelerations."""
        return body_trees.twist_rates(assembly, q, qdot, qddot).ravel()

    tolerance = 1e-8
    implements = reduced.body_kinematics


@section.holds("t704", "The equations of all bodies in matrix form, with Coriolis forces among the forces")
class t704:
    formula = r"M_m\ddot{\mathbf q}_m = \mathbf f_m,\quad \text{with } 6n \text{ degrees of freedom}"
    inputs = {"assembly": HINGED, "phi": arrays(4, 6), "wrenches": arrays(4, 6)}
    result = Result(TWIST / TIME, "of each body, in its frame")

    def printed(assembly, phi, wrenches):
        """Bodies that no joint holds."""
        M_m = maximal_masses(assembly)
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
        M = np.stack([spatial_inertia(m, J, c) for m, J, c in bodies])
        push = Forces.without_derivatives(wrenches)
        free = FreeSystem(M, gravity=assembly.gravity, applied_forces=lambda state: push)
        return free.acceleration(State(assembly.bodies, phi))

    def reference(assembly, phi, wrenches):
        """Compare with accelerations with which six point masses of each body need these wrenches and their weights."""
        found = []
        for i, (m, c, J) in enumerate(zip(assembly.masses, assembly.centers, assembly.inertias, strict=True)):
            pull = assembly.bodies[i, :3, :3].T @ (m * assembly.gravity)
            load = wrenches[i] + np.concatenate([np.cross(c, pull), pull])
            found.append(acceleration(m, c, J, phi[i], load))
        return np.concatenate(found)

    tolerance = 1e-8
    remark = (
        "In a system that joints hold together, 'all forces' must include those of the joints; what happens "
        "if they are left out, see (2.18)."
    )
    implements = FreeSystem


def coriolis(M, phi):
    """``ad(phi)^T M phi``, written out."""
    w, v = bracket(phi[:3]), bracket(phi[3:])
    ad = np.block([[w, np.zeros((3, 3))], [v, w]])
    return ad.T @ M @ phi


@section.definition("t710", "Joints and bodies come in pairs; a root has no parent")
class t710:
    remark = (
        r"`Link` is such a pair. A mechanism of $n$ bodies with more than $n$ joints has loops: as many as there "
        r"are joints too many, each broken at one joint, which `LoopClosure` puts back."
    )
    implements = (reduced.Link, reduced.LoopClosure)


# ------------------------------------------------------------------------------------------------------------
# Poses of joints and bodies, from the root on. The oracles turn things about axes of the world.


def rest_steps(assembly):
    """Return the pose of each joint of a serial chain at rest, in the frame of the joint before it."""
    before = np.concatenate([np.eye(4)[None], assembly.joints[:-1]])
    return np.linalg.inv(before) @ assembly.joints


def about_z(angle):
    return np.array(
        [
            [np.cos(angle), -np.sin(angle), 0, 0],
            [np.sin(angle), np.cos(angle), 0, 0],
            [0, 0, 1, 0],
            [0, 0, 0, 1],
        ]
    )


def screw(twist):
    """(1.6): the matrix of a twist."""
    return np.block([[bracket(twist[:3]), twist[3:, None]], [np.zeros((1, 4))]])


@section.holds("e2.3", "The pose of a joint in a serial chain")
class e2_3:
    formula = r"{}^0_jE = {}^0_1E\,{}^1_2E\cdots{}^{j-1}_jE"
    inputs = SERIAL
    result = Result(POSE, "of each joint in the world")

    def printed(assembly, q):
        E_01, E_12, E_23, E_34 = (
            step @ about_z(angle) for step, angle in zip(rest_steps(assembly), q, strict=True)
        )
        return np.stack([E_01, E_01 @ E_12, E_01 @ E_12 @ E_23, E_01 @ E_12 @ E_23 @ E_34])

    def library(assembly, q):
        return reduced.poses(tree_of(assembly), q).joints

    def reference(assembly, q):
        """Turn the rest frames about the rest axes in the world, the last one first."""
        found = []
        for j in range(4):
            frame = assembly.joints[j]
            for i in reversed(range(j + 1)):
                axis, at = assembly.joints[i, :3, 2], assembly.joints[i, :3, 3]
                R = Rotation.from_rotvec(q[i] * axis).as_matrix()
                turned = np.eye(4)
                turned[:3, :3], turned[:3, 3] = R @ frame[:3, :3], at + R @ (frame[:3, 3] - at)
                frame = turned
            found.append(frame)
        return np.stack(found)

    implements = reduced.poses


@section.holds("t712", "The pose of any joint chains the joints from the root down to it")
class t712:
    formula = r"{}^0_jE = \text{the product of the transforms from the root to the joint}"
    inputs = PLACED
    result = Result(POSE, "of each joint in the world")

    def printed(assembly, q):
        found = []
        for j, parent in enumerate(assembly.parents):
            own = body_trees.joint_motion(assembly.kinds[j], q[body_trees.coordinate_slices(assembly)[j]])
            if parent < 0:
                found.append(assembly.joints[j] @ own)
            else:
                rest = np.linalg.inv(assembly.joints[parent]) @ assembly.joints[j]
                found.append(found[parent] @ rest @ own)
        return np.stack(found)

    def library(assembly, q):
        return reduced.poses(tree_of(assembly), q).joints

    def reference(assembly, q):
        """Move the rest frames about the rest frames of their ancestors in the world."""
        return body_trees.joint_poses(assembly, q)

    implements = reduced.poses


@section.holds("e2.4#a", "The transform of a joint: where it is at rest, then its own motion")
class e2_4_a:
    formula = r"{}^{j-1}_jE = {}^{j-1}_jE_0\,Q_j(q_j)"
    inputs = SERIAL
    result = Result(POSE, "of each joint in the one before it")

    def printed(assembly, q):
        return np.stack([E_0 @ about_z(angle) for E_0, angle in zip(rest_steps(assembly), q, strict=True)])

    def library(assembly, q):
        E = reduced.poses(tree_of(assembly), q).joints
        return np.linalg.inv(np.concatenate([np.eye(4)[None], E[:-1]])) @ E

    def reference(assembly, q):
        """Compare with the pose of each joint in the frame of the one before it, after motions about rest axes in the world."""
        E = body_trees.joint_poses(assembly, q)
        return np.concatenate([E[:1], np.linalg.solve(E[:-1], E[1:])])

    remark = (
        "The indices say: joint j as joint j - 1 sees it. (2.22) has the same product under the other order."
    )
    implements = reduced.poses


@section.holds("e2.4#b", "The motion of a hinge about z")
class e2_4_b:
    formula = r"Q_j(q_j) = \begin{pmatrix} \cos(q_j) & -\sin(q_j) & 0 & 0 \\ \sin(q_j) & \cos(q_j) & 0 & 0 \\ 0 & 0 & 1 & 0 \\ 0 & 0 & 0 & 1 \end{pmatrix}"
    inputs = {"q": numbers(-7, 7)}
    result = Result(NUMBER, "of the turned frame in the fixed one")

    def printed(q):
        return about_z(q)

    def library(q):
        return joints.Revolute().transform([q])

    def reference(q):
        """Compare with scipy's rotation about z."""
        Q = np.eye(4)
        Q[:3, :3] = Rotation.from_euler("z", q).as_matrix()
        return Q

    implements = joints.Revolute


@section.conditional("t720#a", "Where a joint is at rest is a translation")
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
        """Return the poses in the world of two prescribed hinges."""
        first = reduced.Link("first", joints.Revolute(), np.eye(6), placement=parent)
        offset = np.linalg.inv(parent) @ joint
        second = reduced.Link("second", joints.Revolute(), np.eye(6), "first", placement=offset)
        E = reduced.poses(reduced.Tree([first, second]), np.zeros(2)).joints
        return se3.inverse(E[0]) @ E[1]

    def reference(parent, joint):
        """Compare with coordinates, in the parent's frame, of the joint's axes and origin."""
        axes = [np.append(parent[:3, :3].T @ axis, 0) for axis in joint[:3, :3].T]
        return np.stack([*axes, np.append(parent[:3, :3].T @ (joint[:3, 3] - parent[:3, 3]), 1)], axis=-1)

    given = {
        "parent": st.shared(frames(), key="parent"),
        "joint": st.builds(
            lambda parent, place: np.block([[parent[:3, :3], place[:, None]], [parent[3:]]]),
            st.shared(frames(), key="parent"),
            arrays(3),
        ),
    }

    def holds_when(parent, joint):
        return np.allclose(parent[:3, :3], joint[:3, :3], atol=1e-9)

    condition = (
        r"The joint's axes are parallel to those of its parent where it is at rest. With hinges about z only, "
        r"that makes all axes parallel: a planar mechanism. In general ${}^{j-1}_jE_0$ also turns."
    )
    remark = r"Section 2.4.1 says 'often a translation'."
    implements = reduced.poses


@section.holds("t720#b", "Where a joint is at rest in its parent does not change as they move")
class t720_b:
    formula = r"{}^{j-1}_jE\,Q_j(q_j)^{-1} = {}^{j-1}_jE_0 \quad\text{at every } q"
    inputs = SERIAL
    result = Result(POSE, "of each joint in the one before it")

    def printed(assembly, q):
        """Return the same matrix for all q."""
        return rest_steps(assembly)

    def library(assembly, q):
        E = reduced.poses(tree_of(assembly), q).joints
        steps = np.linalg.inv(np.concatenate([np.eye(4)[None], E[:-1]])) @ E
        return np.stack(
            [step @ se3.inverse(joints.Revolute().transform([a])) for step, a in zip(steps, q, strict=True)]
        )

    def reference(assembly, q):
        """Compare with the pose of each joint in the frame of the one before it after the motion, with its own rotation removed."""
        E = body_trees.joint_poses(assembly, q)
        steps = np.concatenate([E[:1], np.linalg.solve(E[:-1], E[1:])])
        return np.stack([step @ expm(-a * screw(np.eye(6)[2])) for step, a in zip(steps, q, strict=True)])

    implements = reduced.poses


@section.holds("e2.5", "The motion of a hinge as a matrix exponential")
class e2_5:
    formula = r"Q_j(q_j) = \exp\left([Sq_j]\right),\quad S = \begin{pmatrix} 0 & 0 & 1 & 0 & 0 & 0 \end{pmatrix}^\top"
    inputs = {"q": numbers(-7, 7)}
    result = Result(NUMBER, "of the turned frame in the fixed one")

    def printed(q):
        S = np.array([0, 0, 1, 0, 0, 0])
        return expm(screw(S * q))

    def library(q):
        return joints.Revolute().transform([q])

    def reference(q):
        """Compare with scipy's rotation about z."""
        Q = np.eye(4)
        Q[:3, :3] = Rotation.from_euler("z", q).as_matrix()
        return Q

    implements = joints.Revolute


@section.holds("t724", "The matrix of S q of a hinge is skew symmetric")
class t724:
    formula = r"[Sq_j] = -[Sq_j]^T"
    inputs = {"axis": unit_vectors(), "q": numbers()}
    result = Result(NUMBER, "of the turned frame in the fixed one")

    def printed(axis, q):
        S = joints.Revolute(axis).motion_subspace([q])[:, 0]
        return -se3.hat(S * q).T

    def reference(axis, q):
        """Compare with the slope of scipy's rotation about the axis where the angle is zero, times q."""
        X = np.zeros((4, 4))
        X[:3, :3] = q * derivative(lambda t: Rotation.from_rotvec(t * axis).as_matrix()).value
        return X

    remark = (
        r"Only because a hinge has no linear part. For any other twist the last column of (1.6) holds "
        r"$\mathbf v$, and the last row is zero."
    )
    implements = (se3.hat, joints.Revolute)


@section.holds("e2.6", "The pose of the body on a joint")
class e2_6:
    formula = r"{}^0_BE = {}^0_1E\,{}^1_2E\cdots{}^{j-1}_jE\,{}^j_{B_j}E"
    inputs = SERIAL
    result = Result(POSE, "of each body in the world")

    def printed(assembly, q):
        E_01, E_12, E_23, E_34 = (
            step @ about_z(angle) for step, angle in zip(rest_steps(assembly), q, strict=True)
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
        return reduced.poses(tree_of(assembly), q).bodies

    def reference(assembly, q):
        """Move the bodies at rest about the rest axes of all joints before them."""
        return body_trees.poses(assembly, q)

    remark = r"On the left, B is $B_j$."
    implements = reduced.poses


@section.holds("t726", "Where a body is on its joint does not change as they move")
class t726:
    formula = r"{}^j_{B_j}E \text{ does not change at run time}"
    inputs = {"parts": arrays(2, 6).map(frames_of), "q": numbers()}
    result = Result(POSE, "of the body in the frame of its joint")

    def printed(parts, q):
        """Return the pose at rest for all q."""
        joint, body = parts
        return np.linalg.inv(joint) @ body

    def library(parts, q):
        joint, body = parts
        offset = np.linalg.inv(joint) @ body
        one = reduced.Tree(
            [reduced.Link("one", joints.Revolute(), np.eye(6), placement=joint, body_frame=offset)]
        )
        at = reduced.poses(one, [q])
        return se3.inverse(at.joints[0]) @ at.bodies[0]

    def reference(parts, q):
        """Turn both in the world about the joint's axis there."""
        joint, body = parts
        turn = joint @ expm(q * screw(np.eye(6)[2])) @ np.linalg.inv(joint)
        return np.linalg.inv(turn @ joint) @ (turn @ body)

    implements = reduced.poses
