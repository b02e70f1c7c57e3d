"""Sueda 2.7: a chain of nodes between two bodies of a tree, in maximal and in reduced velocities."""

from __future__ import annotations

import numpy as np

from rbnotes.dynamics import FreeSystem, State
from rbnotes.ledger.claims.sueda.section_2_7 import CHAPTER, chain_springs, gamma, stretched
from rbnotes.ledger.joint_quantities import BRANCHING, BRANCHING_STATE
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.branching_tree import (
    newton_equations,
    point_position,
    point_positions,
    time_derivative,
    twists_and_velocities,
)
from rbnotes.ledger.oracles.branching_tree_inputs import NAMES, TREE, library_tree
from rbnotes.ledger.quantities import (
    ACCELERATION,
    ENERGY,
    LENGTH,
    NUMBER,
    RATE,
    TIME,
    VELOCITY,
    stacked_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody.reduced import (
    AttachedParticle,
    AttachedSystem,
    TreeSystem,
    jacobian,
    jacobian_rate,
    poses,
    twists,
)
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import arrays, numbers, vectors

# A chain of four nodes: the first rides on the slider, the last on the other hinge, the two between are free.
HOSTS = (2, 3)
FREE = [1, 2]
TIED = [0, 3]

NODES = {
    "x_a": arrays(2, 3).map(lambda x: x / 2 + np.array([[0.5, 0, -0.25], [0, 0.75, 0]])),
    "y": arrays(2, 3).map(lambda y: y + np.array([[3.0, -2.5, 1.0], [5.0, -4.0, 2.5]])),
    "w": arrays(2, 3),
}
SPRINGS = {
    "m": vectors(4, 0.25, 2.0),
    "K": vectors(3, 0.25, 4.0),
    "L": vectors(3, 0.25, 2.0),
}
MOVING = {name: TREE[name] for name in ("at", "bodies", "q", "v")} | NODES
ACCELERATED = MOVING | {"a": arrays(5), "b": arrays(2, 3)}
HANGING = TREE | NODES | SPRINGS


QUANTITIES = {
    **BRANCHING_STATE,
    "K": ENERGY,
    "b": ACCELERATION,
    "s": NUMBER,
    "t": NUMBER,
    "v2": BRANCHING / TIME,
    "w": VELOCITY,
    "w2": VELOCITY,
    "x_a": LENGTH,
    "y": LENGTH,
}


def system_of(at, bodies, x_a, m=(1.0, 1.0, 1.0, 1.0), g=(0.0, 0.0, 0.0), **springs):
    """The library's tree with the chain on it."""
    tied = [AttachedParticle(k, NAMES[host], x) for k, host, x in zip(TIED, HOSTS, x_a, strict=True)]
    tree = library_tree(at, bodies, g)
    return AttachedSystem(TreeSystem(tree, m, **springs), tied)


def by_kind(on_bodies, on_nodes):
    """In the order of the notes: bodies, attached nodes, free nodes."""
    nodes = np.reshape(on_nodes, (4, 3))
    return np.concatenate([np.ravel(on_bodies), nodes[TIED].ravel(), nodes[FREE].ravel()])


def attachment(E, x_a):
    """The global J_am ``(6, 24)``."""
    J = np.zeros((6, 24))
    J[:3, 12:18] = E[2, :3, :3] @ gamma(x_a[0])
    J[3:, 18:] = E[3, :3, :3] @ gamma(x_a[1])
    return J


def attachment_rate(E, phi, x_a):
    """Its rate by (2.88)."""
    J = np.zeros((6, 24))
    J[:3, 12:18] = E[2, :3, :3] @ bracket(phi[2, :3]) @ gamma(x_a[0])
    J[3:, 18:] = E[3, :3, :3] @ bracket(phi[3, :3]) @ gamma(x_a[1])
    return J


def first_matrix(J_mr, J_am):
    """That of the first line of (2.89)."""
    J_MR = np.zeros((36, 11))
    J_MR[:24, :5], J_MR[24:30, :5], J_MR[30:, 5:] = J_mr, J_am @ J_mr, np.eye(6)
    return J_MR


def jacobians(tree, q, x_a):
    """J_mr and J_am."""
    return jacobian(tree, q), attachment(poses(tree, q).bodies, x_a)


def rates(tree, q, v, x_a):
    """Those of J_mr and J_am."""
    E, phi = poses(tree, q).bodies, twists(tree, q, v)
    return jacobian_rate(tree, q, v), attachment_rate(E, phi, x_a)


def second_matrix(J_mr, J_am, J_mr_dot, J_am_dot):
    """The rate of the first, with the product rule."""
    top = np.vstack([J_mr_dot, J_am_dot @ J_mr + J_am @ J_mr_dot])
    return np.vstack([np.hstack([top, np.zeros((30, 6))]), np.zeros((6, 11))])


def whole_velocity(at, q, v, x_a, w):
    """Twists by how poses change, attached vertices by how they move: the oracle of this section."""
    riders = np.zeros((4, 1, 3))
    riders[list(HOSTS), 0] = x_a
    phi, moving = twists_and_velocities(at, riders, q, v)
    lead = phi.shape[:-2]
    attached = moving[..., list(HOSTS), 0, :].reshape(*lead, 6)
    return np.concatenate([phi.reshape(*lead, 24), attached, w], axis=-1)


def library_velocity(at, bodies, q, v, x_a, y, w):
    system, state = system_of(at, bodies, x_a), State(q=q, qdot=v, x=y, v=w)
    whole = system.expand(state)
    velocities = system.reduction(state).expand_velocities(state.velocity)
    return by_kind(system.system.maximal_state(whole).phi, velocities[:12])


def library_acceleration(at, bodies, q, v, x_a, y, w, a, b):
    system, state = system_of(at, bodies, x_a), State(q=q, qdot=v, x=y, v=w)
    nodes = system.acceleration_reduction(state).expand_velocities(np.append(b.ravel(), a))[:12]
    whole = system.expand(state)
    on_bodies = system.system.acceleration_reduction(whole).expand_velocities(np.append(nodes, a))[:24]
    return by_kind(on_bodies, nodes)


def whole_acceleration(at, q, v, x_a, w, a, b):
    """Differences of all velocities along an accelerated motion."""
    return time_derivative(
        lambda t: whole_velocity(at, q + t * v + t**2 / 2 * a, v + t * a, x_a, w.ravel() + t * b.ravel())
    )


VELOCITIES = ("rbnotes.multibody.reduced.AttachedSystem",)
FROM_POSES = "differences of poses and of the attached vertices along a motion of the joints"


@claim("sueda/s2.7/t1224", "Velocities of all attached vertices from the bodies' twists")
class t1224:
    formula = r"\dot{\mathbf q}_a = \mathbf J_{am}\dot{\mathbf q}_m"
    inputs = MOVING
    result = VELOCITY

    def printed(at, bodies, q, v, x_a, y, w):
        tree = library_tree(at, bodies)
        return attachment(poses(tree, q).bodies, x_a) @ twists(tree, q, v).ravel()

    def library(at, bodies, q, v, x_a, y, w):
        return system_of(at, bodies, x_a).expand(State(q=q, qdot=v, x=y, v=w)).v[TIED].ravel()

    oracle = "complex steps of the vertices along a motion of the joints"

    def reference(at, bodies, q, v, x_a, y, w):
        return whole_velocity(at, q, v, x_a, w.ravel())[24:30]

    verdict = Verdict.HOLDS
    implemented_by = VELOCITIES
    chapter = CHAPTER


@claim("sueda/s2.7/e2.89#a", "All velocities from those of joints and free vertices")
class e2_89_a:
    formula = (
        r"\begin{pmatrix} \dot q_m \\ \dot q_a \\ \dot q_f \end{pmatrix} = \begin{pmatrix} J_{mr} & 0 \\"
        r" J_{am}J_{mr} & 0 \\ 0 & I \end{pmatrix}\begin{pmatrix} \dot q_r \\ \dot q_f \end{pmatrix}"
    )
    inputs = MOVING
    result = vector_quantity(*3 * ((RATE, 3), (VELOCITY, 3)), (RATE, 3), (VELOCITY, 15))

    def printed(at, bodies, q, v, x_a, y, w):
        return first_matrix(*jacobians(library_tree(at, bodies), q, x_a)) @ np.append(v, w)

    library = library_velocity
    oracle = FROM_POSES

    def reference(at, bodies, q, v, x_a, y, w):
        return whole_velocity(at, q, v, x_a, w.ravel())

    verdict = Verdict.HOLDS
    implemented_by = VELOCITIES
    chapter = CHAPTER


@claim("sueda/s2.7/e2.89#b", "All accelerations from those of joints and free vertices")
class e2_89_b:
    formula = (
        r"\begin{pmatrix} \ddot q_m \\ \ddot q_a \\ \ddot q_f \end{pmatrix} = \begin{pmatrix} \dot J_{mr} & 0 \\"
        r" J_{am}J_{mr} + J_{am}\dot J_{mr} & 0 \\ 0 & 0 \end{pmatrix}\begin{pmatrix} \dot q_r \\ \dot q_f"
        r" \end{pmatrix} + \begin{pmatrix} J_{mr} & 0 \\ J_{am}J_{mr} & 0 \\ 0 & I \end{pmatrix}"
        r"\begin{pmatrix} \ddot q_r \\ \ddot q_f \end{pmatrix}"
    )
    inputs = ACCELERATED
    result = vector_quantity(*3 * ((RATE / TIME, 3), (ACCELERATION, 3)), (RATE / TIME, 3), (ACCELERATION, 15))

    def printed(at, bodies, q, v, x_a, y, w, a, b):
        tree = library_tree(at, bodies)
        J_mr, J_am = jacobians(tree, q, x_a)
        J_mr_dot, _ = rates(tree, q, v, x_a)
        zero = np.zeros
        first = np.block(
            [
                [J_mr_dot, zero((24, 6))],
                [J_am @ J_mr + J_am @ J_mr_dot, zero((6, 6))],
                [zero((6, 5)), zero((6, 6))],
            ]
        )
        return first @ np.append(v, w) + first_matrix(J_mr, J_am) @ np.append(a, b)

    library = library_acceleration
    oracle = FROM_POSES

    def reference(at, bodies, q, v, x_a, y, w, a, b):
        return whole_acceleration(at, q, v, x_a, w, a, b)

    tolerance = 1e-8
    verdict = Verdict.ERRATUM
    scan = True
    correction = r"$\dot J_{am}J_{mr} + J_{am}\dot J_{mr}$, with the $\dot J_{am}$ of (2.88)."
    units_mismatch = r"velocities are added to accelerations"
    remark = (
        "As printed the vertices have their own velocity added to their acceleration, and nothing of the body's "
        "turning."
    )
    implemented_by = VELOCITIES
    chapter = CHAPTER


@claim("sueda/s2.7/e2.90", "Velocities and accelerations, compactly")
class e2_90:
    formula = (
        r"\begin{aligned} \dot q_M &= J_{MR}\,\dot q_R \\"
        r" \ddot q_M &= \dot J_{MR}\,\dot q_R + J_{MR}\,\ddot q_R \end{aligned}"
    )
    inputs = ACCELERATED
    result = stacked_quantity(
        vector_quantity(*4 * ((RATE, 3), (VELOCITY, 3)), (VELOCITY, 12)),
        vector_quantity(*4 * ((RATE / TIME, 3), (ACCELERATION, 3)), (ACCELERATION, 12)),
    )

    def printed(at, bodies, q, v, x_a, y, w, a, b):
        tree = library_tree(at, bodies)
        J, J_dot = jacobians(tree, q, x_a), rates(tree, q, v, x_a)
        J_MR, J_MR_dot = first_matrix(*J), second_matrix(*J, *J_dot)
        return [J_MR @ np.append(v, w), J_MR_dot @ np.append(v, w) + J_MR @ np.append(a, b)]

    def library(at, bodies, q, v, x_a, y, w, a, b):
        velocity = library_velocity(at, bodies, q, v, x_a, y, w)
        return [velocity, library_acceleration(at, bodies, q, v, x_a, y, w, a, b)]

    oracle = FROM_POSES

    def reference(at, bodies, q, v, x_a, y, w, a, b):
        return [whole_velocity(at, q, v, x_a, w.ravel()), whole_acceleration(at, q, v, x_a, w, a, b)]

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    remark = r"With $\dot J_{MR}$ the rate of $J_{MR}$, not what the second line of (2.89) has in its place."
    implemented_by = VELOCITIES
    chapter = CHAPTER


@claim("sueda/s2.7/t1228", "Maximal velocities are linear in reduced ones")
class t1228:
    formula = r"q_M \text{ as a linear function of } q_R"
    inputs = MOVING | {"v2": arrays(5), "w2": arrays(2, 3), "s": numbers(), "t": numbers()}
    result = vector_quantity(*3 * ((RATE, 3), (VELOCITY, 3)), (RATE, 3), (VELOCITY, 15))

    def printed(at, bodies, q, v, x_a, y, w, v2, w2, s, t):
        J_MR = first_matrix(*jacobians(library_tree(at, bodies), q, x_a))
        return s * (J_MR @ np.append(v, w)) + t * (J_MR @ np.append(v2, w2))

    def library(at, bodies, q, v, x_a, y, w, v2, w2, s, t):
        return library_velocity(at, bodies, q, s * v + t * v2, x_a, y, s * w + t * w2)

    oracle = "differences of poses and vertices along the sum of two motions"

    def reference(at, bodies, q, v, x_a, y, w, v2, w2, s, t):
        return whole_velocity(at, q, s * v + t * v2, x_a, (s * w + t * w2).ravel())

    verdict = Verdict.HOLDS
    remark = "Of the velocities. Poses and attached vertices are no linear functions of the coordinates."
    implemented_by = VELOCITIES
    chapter = CHAPTER


def all_places(at, bodies, x_a):
    """Points of the bodies, then the four nodes, by the coordinates of joints and free nodes."""
    of_bodies = point_positions(at, bodies)
    first, last = (point_position(at, host, x) for host, x in zip(HOSTS, x_a, strict=True))

    def places(u):
        q, y = u[..., :5], u[..., 5:]
        return np.concatenate([of_bodies(q), first(q), y, last(q)], axis=-1)

    return places


@claim("sueda/s2.7/e2.92", "Motion of a tree with springs between its bodies")
class e2_92:
    formula = r"J_{MR}^\top M_M J_{MR}\,\ddot q_R = J_{MR}^\top(f_M - M_M\dot J_{MR}\,\dot q_R)"
    inputs = HANGING
    result = BRANCHING / TIME / TIME + vector_quantity((ACCELERATION, 6))

    def printed(at, bodies, g, q, v, x_a, y, w, m, K, L):
        """With the J_MR of (2.90), M_M and f_M of (2.91) as the library has them."""
        system, state = system_of(at, bodies, x_a), State(q=q, qdot=v, x=y, v=w)
        whole = system.expand(state)
        on_nodes, on_joints = (
            system.acceleration_reduction(state),
            system.system.acceleration_reduction(whole),
        )
        J_MR = on_joints.J @ on_nodes.J
        drift = on_joints.J @ on_nodes.bias + on_joints.bias
        springs = chain_springs(K, L)
        free = FreeSystem(system.system.tree.inertias, m, g, springs)
        maximal = system.system.maximal_state(whole)
        M_M, f_M = free.mass_matrix(maximal), free.force(maximal)
        return np.roll(np.linalg.solve(J_MR.T @ M_M @ J_MR, J_MR.T @ (f_M - M_M @ drift)), 5)

    def library(at, bodies, g, q, v, x_a, y, w, m, K, L):
        system = system_of(at, bodies, x_a, m, g, applied_forces=chain_springs(K, L))
        return np.roll(system.acceleration(State(q=q, qdot=v, x=y, v=w)), 5)

    oracle = "Newton's law for points of the bodies and for the nodes, by complex steps of their places"

    def reference(at, bodies, g, q, v, x_a, y, w, m, K, L):
        places, u, speed = all_places(at, bodies, x_a), np.append(q, y), np.append(v, w)
        masses = np.append(bodies[..., 0], m)
        forces = masses[:, None] * g
        slope = complex_step(lambda z: stretched(z.reshape(4, 3), K, L), places(u)[-12:])
        forces[-4:] -= slope.reshape(4, 3)
        return np.linalg.solve(*newton_equations(places, masses, forces, u, speed))

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    implemented_by = VELOCITIES
    chapter = CHAPTER


@claim("sueda/s2.7/t1240", "The reduced mass matrix and force vector")
class t1240:
    formula = r"M_R = J_{MR}^\top M_M J_{MR},\quad f_R = J_{MR}^\top(f_M - M_M\dot J_{MR}\,\dot q_R)"
    defines = ("M_R", "f_R")
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.multibody.reduced.AttachedSystem",)
    chapter = CHAPTER
