"""Sueda 2.7: springs between nodes, and nodes that are attached to bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import block_diag, expm

from rbnotes import se3, so3
from rbnotes.dynamics import State, gravity_wrench, gyroscopic_wrench
from rbnotes.forces import ForceGroups, PathForces, SpringDamper, on_particle, path_through
from rbnotes.ledger.joint_quantities import BRANCHING, MASS_POINTS
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.branching_tree import (
    newton_equations,
    point_position,
    point_positions,
    time_derivative,
    twists_and_velocities,
)
from rbnotes.ledger.oracles.branching_tree_inputs import (
    NAMES,
    TREE,
    library_tree,
    placements,
    spatial_inertia,
)
from rbnotes.ledger.oracles.twists import twist_matrix
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    ACCELERATION,
    ANGULAR_MOMENTUM,
    ENERGY,
    FORCE,
    LENGTH,
    MASS,
    MOMENTUM,
    NUMBER,
    POINT_JACOBIAN,
    POSE,
    RATE,
    STIFFNESS,
    TIME,
    TORQUE,
    TWIST,
    VELOCITY,
    matrix_quantity,
    stacked_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody import Body, Model
from rbnotes.multibody.reduced import (
    AttachedParticle,
    attach_particles,
    jacobian,
    jacobian_rate,
    poses,
)
from rbnotes.multibody.reduced import twists as body_twists
from rbnotes.testing import complex_step, derivative
from rbnotes.testing.strategies import (
    arrays,
    frames,
    nonzero_vectors,
    numbers,
    positive_numbers,
    twists,
    vectors,
)

BODIES_THEN_NODES = (
    "of the bodies, each in its frame, then of attached and of free nodes, along the axes of the world"
)

section = Section(
    "sueda/s2.7",
    chapter="deformables-on-a-tree",
    page_2019=Page(35, last=36),
    page_2021=Page(46, last=48),
    arguments={
        "m": Argument(MASS, "of the nodes, in their order"),
        "x": Argument(
            LENGTH, "of the nodes in the world, or of a point in its body if there is a single pose E"
        ),
        "v": Argument(
            vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)),
            "of a node, along the axes of the world; (5,): of the joints",
        ),
        "g": Argument(ACCELERATION, "along the axes of the world"),
        "K": Argument(TORQUE, "of the springs, in their order"),
        "L": Argument(LENGTH, "of the springs, in their order"),
        "x0": Argument(LENGTH, "of the two ends, in the world"),
        "x1": Argument(LENGTH, "of the two ends, in the world"),
        "l": Argument(LENGTH),
        "E": Argument(POSE, "of the body in the world, or of each body"),
        "phi": Argument(TWIST, "of each body, in its frame"),
        "link_frames": Argument(
            POSE,
            (
                "for each joint (a universal joint about x and y; on it a hinge about z that carries a "
                "slider along z, and another hinge): pose in the frame of the parent joint, then pose of "
                "the body in the joint frame"
            ),
        ),
        "bodies": Argument(MASS_POINTS, "four points of each body: mass, then position in the body"),
        "q": Argument(BRANCHING, "of the joints, in their order"),
        "x_a": Argument(LENGTH, "of the nodes that are attached, each in its body"),
        "y": Argument(LENGTH, "of the nodes that are free, in the world"),
        "w": Argument(VELOCITY, "of the nodes that are free, along the axes of the world"),
        "a": Argument(
            vector_quantity((NUMBER / TIME**2, 3), (ACCELERATION, 1), (NUMBER / TIME**2, 1)),
            "of the joints, in their order",
        ),
        "b": Argument(ACCELERATION, "of the nodes that are free, along the axes of the world"),
        "v2": Argument(vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)), "of the joints, in their order"),
        "w2": Argument(VELOCITY, "of the nodes that are free, along the axes of the world"),
        "s": Argument(NUMBER),
        "t": Argument(NUMBER),
        "nodes": Argument(LENGTH, "of the nodes that are free, in the world"),
    },
)


NODE = {"m": positive_numbers(), "x": vectors(3), "v": vectors(3), "g": vectors(3)}
SPRING = {
    "K": positive_numbers(),
    "L": positive_numbers(),
    "x0": vectors(3, -2.0, -0.25),
    "x1": vectors(3, 0.25, 2.0),
}
CHAIN = {
    "m": vectors(4, 0.25, 2.0),
    "K": vectors(3, 0.25, 4.0),
    "L": vectors(3, 0.25, 2.0),
    "x": arrays(4, 3).map(lambda x: x / 4 + np.outer(np.arange(4), [1.0, 1.5, -1.25])),
    "g": vectors(3),
}
ON_BODY = {"E": frames(), "x": nonzero_vectors(3), "phi": twists()}


def chain_springs(K, L):
    """Return springs between consecutive nodes, with the library's stiffness per unit of strain, K / L."""
    count = np.arange(len(K))
    spring = SpringDamper(np.divide(K, L), 0.0, np.array(L))
    return ForceGroups([PathForces(spring, path_through(on_particle(count), on_particle(count + 1)))])


def free_bodies(inertias, masses, gravity, forces):
    """Return a model of bodies with these inertias and particles with these masses."""
    bodies = [Body(f"body {i}", inertia=M) for i, M in enumerate(inertias)]
    return Model(bodies, particles=masses, gravity=gravity, forces=forces)


def single_spring(K, L):
    return chain_springs([K], [L])


def elastic_energy(x, K, L):
    """Return the elastic energy of a chain whose nodes may have complex positions."""
    total = 0.0
    for k, rest, step in zip(K, L, x[1:] - x[:-1], strict=True):
        total += k / 2 * ((np.sqrt(step @ step) - rest) / rest) ** 2
    return total


def spring_force(K, L, x0, x1):
    """Evaluate (2.86)."""
    dx = x1 - x0
    length = np.linalg.norm(dx)
    epsilon = (length - L) / L
    return K * epsilon / L * dx / length


def gamma(x):
    """Evaluate Gamma of (1.12)."""
    return np.hstack([bracket(x).T, np.eye(3)])


@section.holds("e2.84", "Energies of a node")
class e2_84:
    formula = r"T = \frac12 m\dot{\mathbf x}^\top\dot{\mathbf x},\quad V = -m\mathbf g^\top\mathbf x"
    inputs = NODE
    arguments = {"v": Argument(VELOCITY, "of a node, along the axes of the world; (5,): of the joints")}
    result = Result(TORQUE, "kinetic, then potential")

    def printed(m, x, v, g):
        return [m / 2 * v @ v, -m * g @ x]

    def library(m, x, v, g):
        system = Model(particles=[m], gravity=g)
        potential, total = (system.energy(State(x=[x], v=[velocity])) for velocity in (0 * v, v))
        return [total - potential, potential]

    def reference(m, x, v, g):
        """Compute the work that accelerates the node, and the work that moves it from the origin along a curve."""
        times, weights = np.polynomial.legendre.leggauss(12)
        times, weights = (times + 1) / 2, weights / 2
        sideways = np.array([1.0, -2.0, 0.5])
        kinetic_power = [m * v @ (t * v) for t in times]
        potential_power = [-m * g @ (x + np.pi * np.cos(np.pi * t) * sideways) for t in times]
        return [weights @ kinetic_power, weights @ potential_power]

    implements = Model


@section.holds("t1200", "Mass matrix and weight of a node")
class t1200:
    formula = r"\mathbf M = m\mathbf I,\quad \mathbf f = m\mathbf g"
    inputs = NODE
    arguments = {"v": Argument(VELOCITY, "of a node, along the axes of the world; (5,): of the joints")}
    result = Result(
        stacked_quantity(MASS, MASS, MASS, FORCE),
        "the mass matrix, then the weight as its last row, along the axes of the world",
    )

    def printed(m, x, v, g):
        return np.vstack([m * np.eye(3), m * g])

    def library(m, x, v, g):
        system, state = Model(particles=[m], gravity=g), State(x=[x], v=[v])
        return np.vstack([system.mass_matrix(state), system.force(state)])

    def reference(m, x, v, g):
        """Compare with second derivatives of the kinetic energy and minus the gradient of the potential.

        Both are computed by complex steps.
        """
        momentum = [complex_step(lambda w: m * w @ w / 2, v + unit) for unit in (*np.eye(3), np.zeros(3))]
        weight = -complex_step(lambda z: -m * g @ z, x)
        return np.vstack([np.array(momentum[:3]) - momentum[3], weight])

    implements = Model


@section.definition("d1", "Elastic energy of a spring")
class d1:
    formula = r"V = \frac{K}{2}\epsilon^2"
    defines = ("V",)
    inputs = SPRING
    result = Result(ENERGY)

    def printed(K, L, x0, x1):
        epsilon = (np.linalg.norm(x1 - x0) - L) / L
        return K / 2 * epsilon**2

    def library(K, L, x0, x1):
        return single_spring(K, L).energy(State(x=[x0, x1]))

    def reference(K, L, x0, x1):
        """Compare with the work of stretching the spring from its rest length."""
        length = np.sqrt(sum((b - a) ** 2 for a, b in zip(x0, x1, strict=True)))
        nodes, weights = np.polynomial.legendre.leggauss(4)
        lengths = L + (length - L) * (nodes + 1) / 2
        return (length - L) / 2 * weights @ [K * (s - L) / L**2 for s in lengths]

    implements = SpringDamper
    remark = r"$K/L$ corresponds to the stiffness $k$ of 1.9.6, where the tension is $k\epsilon$."


@section.definition("e2.85", "Strain of a spring")
class e2_85:
    formula = r"\epsilon = \frac{l - L}{L}"
    defines = (r"\epsilon",)
    implements = SpringDamper


@section.definition("d2", "Length of a spring")
class d2:
    formula = r"l = \|\Delta\mathbf x\|"
    defines = ("l",)
    implements = PathForces


@section.definition("d3", "Vector from one node to the next")
class d3:
    formula = r"\Delta\mathbf x = \mathbf x_1 - \mathbf x_0"
    defines = (r"\Delta\mathbf x",)
    implements = PathForces


@section.conditional("t1210", "K as the stiffness of the spring")
class t1210:
    page_2019 = Page(35)
    page_2021 = Page(47)
    formula = r"K \text{ is the stiffness}"
    inputs = {"K": positive_numbers(), "L": positive_numbers(), "l": positive_numbers()}
    result = Result(STIFFNESS)

    def printed(K, L, l):
        return K

    def library(K, L, l):
        return SpringDamper(K / L, 0.0, L)(l, 0.0).dF_dL

    def reference(K, L, l):
        """Compare with the second derivative of the energy with respect to the length, by differences."""

        def spring_force(s):
            return complex_step(lambda z: K / 2 * ((z[0] - L) / L) ** 2, np.array([s]))[0]

        return derivative(spring_force, l).value

    units_mismatch = r"$K$ is an energy, not a force per length"
    condition_inputs = {**inputs, "L": positive_numbers().map(lambda number: 1.0 + 0.0 * number)}
    condition = "the rest length is 1"

    def holds_when(K, L, l):
        return L == 1

    remark = (
        "$K$ is an energy: the force per length is $K/L^2$, the force per strain $K/L$. If a chain is "
        "divided into $n$ equal springs with the same $K$, it becomes $n$ times as stiff; keep $K/L$ "
        "instead."
    )
    implements = SpringDamper


@section.holds("e2.86", "Force on the first node of a spring")
class e2_86:
    formula = r"\mathbf f_0 = \frac{K\epsilon}{L}\frac{\Delta\mathbf x}{l}"
    inputs = SPRING
    result = Result(FORCE, "on the first node, along the axes of the world")
    printed = spring_force

    def library(K, L, x0, x1):
        return single_spring(K, L)(State(x=[x0, x1])).f[:3]

    def reference(K, L, x0, x1):
        """Compare with minus the gradient of the energy over the first node, by complex steps."""
        return -complex_step(lambda z: elastic_energy(np.array([z, x1 + 0 * z]), [K], [L]), x0)

    implements = (PathForces, SpringDamper)


@section.holds("t1214#a", "Force on the second node of a spring")
class t1214_a:
    formula = r"\mathbf f_1 = -\mathbf f_0"
    inputs = SPRING
    result = Result(FORCE, "on the second node, along the axes of the world")

    def printed(K, L, x0, x1):
        return -spring_force(K, L, x0, x1)

    def library(K, L, x0, x1):
        return single_spring(K, L)(State(x=[x0, x1])).f[3:]

    def reference(K, L, x0, x1):
        """Compare with minus the gradient of the energy over the second node, by complex steps."""
        return -complex_step(lambda z: elastic_energy(np.array([x0 + 0 * z, z]), [K], [L]), x1)

    implements = (PathForces, SpringDamper)


@section.holds("t1214#b", "Masses and forces of a chain of springs")
class t1214_b:
    formula = r"\mathbf M_s,\ \mathbf f_s \text{ of all of the springs}"
    inputs = CHAIN
    result = Result(
        matrix_quantity(vector_quantity((MASS, 12), (FORCE, 1)), NUMBER),
        "masses of the nodes, the forces on them below, along the axes of the world",
    )

    def printed(m, K, L, x, g):
        masses, forces = np.kron(np.diag(m), np.eye(3)), np.outer(m, g)
        for i in range(3):
            forces[i] += spring_force(K[i], L[i], x[i], x[i + 1])
            forces[i + 1] -= spring_force(K[i], L[i], x[i], x[i + 1])
        return np.vstack([masses, forces.ravel()])

    def library(m, K, L, x, g):
        system, state = Model(particles=m, gravity=g, forces=chain_springs(K, L)), State(x=x)
        return np.vstack([system.mass_matrix(state), system.force(state)])

    def reference(m, K, L, x, g):
        """Compare with second differences of the kinetic energy and minus the gradient of all potentials."""

        def energy(v):
            return m @ np.sum(v.reshape(4, 3) ** 2, axis=1) / 2

        def potential(z):
            nodes = z.reshape(4, 3)
            return elastic_energy(nodes, K, L) - m @ (nodes @ g)

        units, single = np.eye(12), [energy(v) for v in np.eye(12)]
        masses = [
            [energy(u + v) - one - other for v, other in zip(units, single, strict=True)]
            for u, one in zip(units, single, strict=True)
        ]
        return np.vstack([masses, -complex_step(potential, x.ravel())])

    implements = (Model, ForceGroups)


def attached_velocity(E, x, phi):
    """Compare with differences of the vertex along a motion of the body."""
    pose = motion(E, phi)
    return derivative(lambda t: pose(t)[:3, :3] @ x + pose(t)[:3, 3]).value


@section.misprint("e2.87", "World velocity of an attached vertex")
class e2_87:
    page_2019 = Page(35, r"$\mathsf R\Gamma({}^i\mathbf x_a)$")
    page_2021 = Page(47, page_2019.content)
    formula = r"\dot{\mathbf x}_a = \underbrace{\mathbf R\,\Gamma(\mathbf x_a)}_{\mathbf J_{am}}\,\phi_i"
    edit = (r"\Gamma(\mathbf x_a)", r"\Gamma({}^i\mathbf x_a)")
    inputs = ON_BODY
    result = Result(VELOCITY, "along the axes of the world")

    def printed(E, x, phi):
        x_a = E[:3, :3] @ x + E[:3, 3]
        return E[:3, :3] @ gamma(x_a) @ phi

    def library(E, x, phi):
        return se3.point_velocity(E, x, phi)

    reference = attached_velocity
    correction = (
        r"$\mathbf R\,\Gamma({}^i\mathbf x_a)\,\phi_i$, with the vertex in body coordinates, as the next "
        "line says"
    )
    implements = se3.point_velocity


@section.demonstration("t1220", "Size of the material Jacobian")
class t1220:
    formula = r"\Gamma \in \mathbb R^{3\times6}"
    result = Result(NUMBER, "rows, then columns")

    def printed():
        return [3, 6]

    def library():
        return se3.Gamma([0.3, -0.2, 0.5]).shape

    def reference():
        """Count the components of the velocity of a point and of a twist, by differences."""
        point = np.array([0.3, -0.2, 0.5])
        return np.array([attached_velocity(np.eye(4), point, unit) for unit in np.eye(6)]).T.shape

    tolerance = 0.0
    remark = r"In 1.4 the name material Jacobian denotes another matrix, $J = R\,\Gamma$."
    implements = se3


@section.holds("e2.88", "Rate of the Jacobian of an attached vertex")
class e2_88:
    formula = r"\dot{\mathbf J}_{am} = \mathbf R[\omega_i]\Gamma"
    inputs = ON_BODY
    result = Result(
        POINT_JACOBIAN / TIME, "along the axes of the world, by the twist of the body in its frame"
    )

    def printed(E, x, phi):
        return E[:3, :3] @ bracket(phi[:3]) @ gamma(x)

    def library(E, x, phi):
        return E[:3, :3] @ so3.hat(phi[:3]) @ se3.Gamma(x)

    def reference(E, x, phi):
        """Compare with differences of the velocities of the vertex for unit twists, along a motion of the body."""
        pose, units = motion(E, phi), np.eye(6)
        in_body = np.cross(units[:, :3], x) + units[:, 3:]

        def columns(t):
            return pose(t)[:3, :3] @ in_body.T

        return derivative(columns).value

    implements = se3.Gamma


# ------------------------------------------------------------------------------------------------------------
# A chain of nodes between two bodies of a tree, in maximal and in reduced velocities.


# A chain of four nodes: the first is attached to the slider, the last to the other hinge, the inner two are free.
PARENT_BODIES = (2, 3)
FREE = [1, 2]
ATTACHED = [0, 3]

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
MOTION = {name: TREE[name] for name in ("link_frames", "bodies", "q", "v")} | NODES
ACCELERATED_MOTION = MOTION | {"a": arrays(5), "b": arrays(2, 3)}
CHAIN_ON_TREE = TREE | NODES | SPRINGS


def system_of(link_frames, bodies, x_a, m=(1.0, 1.0, 1.0, 1.0), g=(0.0, 0.0, 0.0), **springs):
    """Return the library's tree with the chain on it."""
    attachments = [
        AttachedParticle(k, NAMES[body], x) for k, body, x in zip(ATTACHED, PARENT_BODIES, x_a, strict=True)
    ]
    tree = library_tree(link_frames, bodies, g)
    return attach_particles(replace(tree, masses=m, **springs), attachments)


def stack_bodies_and_nodes(on_bodies, on_nodes):
    """Stack in the order of the notes: bodies, attached nodes, free nodes."""
    nodes = np.reshape(on_nodes, (4, 3))
    return np.concatenate([np.ravel(on_bodies), nodes[ATTACHED].ravel(), nodes[FREE].ravel()])


def attachment_jacobian(E, x_a):
    """Return the global J_am ``(6, 24)``."""
    J = np.zeros((6, 24))
    J[:3, 12:18] = E[2, :3, :3] @ gamma(x_a[0])
    J[3:, 18:] = E[3, :3, :3] @ gamma(x_a[1])
    return J


def attachment_jacobian_rate(E, phi, x_a):
    """Return the rate of J_am by (2.88)."""
    J = np.zeros((6, 24))
    J[:3, 12:18] = E[2, :3, :3] @ bracket(phi[2, :3]) @ gamma(x_a[0])
    J[3:, 18:] = E[3, :3, :3] @ bracket(phi[3, :3]) @ gamma(x_a[1])
    return J


def maximal_jacobian(J_mr, J_am):
    """Return J_MR, the matrix of the first line of (2.89)."""
    J_MR = np.zeros((36, 11))
    J_MR[:24, :5], J_MR[24:30, :5], J_MR[30:, 5:] = J_mr, J_am @ J_mr, np.eye(6)
    return J_MR


def jacobians(tree, q, x_a):
    """Return J_mr and J_am."""
    return jacobian(tree, q), attachment_jacobian(poses(tree, q).body_poses, x_a)


def jacobian_rates(tree, q, v, x_a):
    """Return the rates of J_mr and J_am."""
    E, phi = poses(tree, q).body_poses, body_twists(tree, q, v)
    return jacobian_rate(tree, q, v), attachment_jacobian_rate(E, phi, x_a)


def maximal_jacobian_rate(J_mr, J_am, J_mr_dot, J_am_dot):
    """Return the rate of J_MR by the product rule."""
    top = np.vstack([J_mr_dot, J_am_dot @ J_mr + J_am @ J_mr_dot])
    return np.vstack([np.hstack([top, np.zeros((30, 6))]), np.zeros((6, 11))])


def maximal_velocity(link_frames, q, v, x_a, w):
    """Return twists from changes of poses, and velocities of attached vertices: the oracle of this section."""
    points = np.zeros((4, 1, 3))
    points[list(PARENT_BODIES), 0] = x_a
    phi, velocities = twists_and_velocities(link_frames, points, q, v)
    shape = phi.shape[:-2]
    attached_velocities = velocities[..., list(PARENT_BODIES), 0, :].reshape(*shape, 6)
    return np.concatenate([phi.reshape(*shape, 24), attached_velocities, w], axis=-1)


def library_velocity(link_frames, bodies, q, v, x_a, y, w):
    system, state = system_of(link_frames, bodies, x_a), State(q=q, qdot=v, x=y, v=w)
    expanded = system.expand(state)
    velocities = system.reduction(state).expand_velocities(state.velocity)
    return stack_bodies_and_nodes(system.tree.maximal_state(expanded).phi, velocities[:12])


def library_acceleration(link_frames, bodies, q, v, x_a, y, w, a, b):
    system, state = system_of(link_frames, bodies, x_a), State(q=q, qdot=v, x=y, v=w)
    nodes = system.acceleration_reduction(state).expand_velocities(np.append(b.ravel(), a))[:12]
    expanded = system.expand(state)
    on_bodies = system.tree.acceleration_reduction(expanded).expand_velocities(np.append(nodes, a))[:24]
    return stack_bodies_and_nodes(on_bodies, nodes)


def maximal_acceleration(link_frames, q, v, x_a, w, a, b):
    """Return differences of all velocities along an accelerated motion."""
    return time_derivative(
        lambda t: maximal_velocity(
            link_frames, q + t * v + t**2 / 2 * a, v + t * a, x_a, w.ravel() + t * b.ravel()
        )
    )


@section.holds("t1224", "Velocities of all attached vertices from the bodies' twists")
class t1224:
    formula = r"\dot{\mathbf q}_a = \mathbf J_{am}\dot{\mathbf q}_m"
    inputs = MOTION
    result = Result(VELOCITY, "of the attached nodes, along the axes of the world")

    def printed(link_frames, bodies, q, v, x_a, y, w):
        tree = library_tree(link_frames, bodies)
        return attachment_jacobian(poses(tree, q).body_poses, x_a) @ body_twists(tree, q, v).ravel()

    def library(link_frames, bodies, q, v, x_a, y, w):
        return system_of(link_frames, bodies, x_a).expand(State(q=q, qdot=v, x=y, v=w)).v[ATTACHED].ravel()

    def reference(link_frames, bodies, q, v, x_a, y, w):
        """Compare with complex steps of the vertices along a motion of the joints."""
        return maximal_velocity(link_frames, q, v, x_a, w.ravel())[24:30]

    implements = attach_particles


@section.holds("e2.89#a", "All velocities from those of joints and free vertices")
class e2_89_a:
    formula = r"\begin{pmatrix} \dot q_m \\ \dot q_a \\ \dot q_f \end{pmatrix} = \begin{pmatrix} J_{mr} & 0 \\ J_{am}J_{mr} & 0 \\ 0 & I \end{pmatrix}\begin{pmatrix} \dot q_r \\ \dot q_f \end{pmatrix}"
    inputs = MOTION
    result = Result(
        vector_quantity(*3 * ((RATE, 3), (VELOCITY, 3)), (RATE, 3), (VELOCITY, 15)), BODIES_THEN_NODES
    )

    def printed(link_frames, bodies, q, v, x_a, y, w):
        return maximal_jacobian(*jacobians(library_tree(link_frames, bodies), q, x_a)) @ np.append(v, w)

    library = library_velocity

    def reference(link_frames, bodies, q, v, x_a, y, w):
        """Compare with differences of poses and of the attached vertices along a motion of the joints."""
        return maximal_velocity(link_frames, q, v, x_a, w.ravel())

    implements = attach_particles


@section.erratum("e2.89#b", "All accelerations from those of joints and free vertices")
class e2_89_b:
    page_2019 = Page(36, r"$\dot{\mathsf J}_{am}\mathsf J_{mr} + \mathsf J_{am}\dot{\mathsf J}_{mr}$")
    page_2021 = Page(47, page_2019.content)
    formula = r"\begin{pmatrix} \ddot q_m \\ \ddot q_a \\ \ddot q_f \end{pmatrix} = \begin{pmatrix} \dot J_{mr} & 0 \\ J_{am}J_{mr} + J_{am}\dot J_{mr} & 0 \\ 0 & 0 \end{pmatrix}\begin{pmatrix} \dot q_r \\ \dot q_f \end{pmatrix} + \begin{pmatrix} J_{mr} & 0 \\ J_{am}J_{mr} & 0 \\ 0 & I \end{pmatrix}\begin{pmatrix} \ddot q_r \\ \ddot q_f \end{pmatrix}"
    edit = (r"J_{am}J_{mr} + J_{am}\dot J_{mr}", r"\dot J_{am}J_{mr} + J_{am}\dot J_{mr}")
    inputs = ACCELERATED_MOTION
    result = Result(
        vector_quantity(*3 * ((RATE / TIME, 3), (ACCELERATION, 3)), (RATE / TIME, 3), (ACCELERATION, 15)),
        BODIES_THEN_NODES,
    )

    def printed(link_frames, bodies, q, v, x_a, y, w, a, b):
        tree = library_tree(link_frames, bodies)
        J_mr, J_am = jacobians(tree, q, x_a)
        J_mr_dot, _ = jacobian_rates(tree, q, v, x_a)
        zero = np.zeros
        rate = np.block(
            [
                [J_mr_dot, zero((24, 6))],
                [J_am @ J_mr + J_am @ J_mr_dot, zero((6, 6))],
                [zero((6, 5)), zero((6, 6))],
            ]
        )
        return rate @ np.append(v, w) + maximal_jacobian(J_mr, J_am) @ np.append(a, b)

    library = library_acceleration

    def reference(link_frames, bodies, q, v, x_a, y, w, a, b):
        """Compare with differences of poses and of the attached vertices along a motion of the joints."""
        return maximal_acceleration(link_frames, q, v, x_a, w, a, b)

    tolerance = 1e-8
    correction = r"$\dot J_{am}J_{mr} + J_{am}\dot J_{mr}$, with the $\dot J_{am}$ of (2.88)"
    units_mismatch = r"velocities are added to accelerations"
    remark = (
        "In the converted text, the velocity of a vertex is added to its acceleration, and the rotation of its body "
        "is missing."
    )
    implements = attach_particles


@section.holds("e2.90", "Velocities and accelerations in compact form")
class e2_90:
    formula = r"\begin{aligned} \dot q_M &= J_{MR}\,\dot q_R \\ \ddot q_M &= \dot J_{MR}\,\dot q_R + J_{MR}\,\ddot q_R \end{aligned}"
    inputs = ACCELERATED_MOTION
    result = Result(
        stacked_quantity(
            vector_quantity(*4 * ((RATE, 3), (VELOCITY, 3)), (VELOCITY, 12)),
            vector_quantity(*4 * ((RATE / TIME, 3), (ACCELERATION, 3)), (ACCELERATION, 12)),
        ),
        BODIES_THEN_NODES,
    )

    def printed(link_frames, bodies, q, v, x_a, y, w, a, b):
        tree = library_tree(link_frames, bodies)
        J, J_dot = jacobians(tree, q, x_a), jacobian_rates(tree, q, v, x_a)
        J_MR, J_MR_dot = maximal_jacobian(*J), maximal_jacobian_rate(*J, *J_dot)
        return [J_MR @ np.append(v, w), J_MR_dot @ np.append(v, w) + J_MR @ np.append(a, b)]

    def library(link_frames, bodies, q, v, x_a, y, w, a, b):
        velocity = library_velocity(link_frames, bodies, q, v, x_a, y, w)
        return [velocity, library_acceleration(link_frames, bodies, q, v, x_a, y, w, a, b)]

    def reference(link_frames, bodies, q, v, x_a, y, w, a, b):
        """Compare with differences of poses and of the attached vertices along a motion of the joints."""
        return [
            maximal_velocity(link_frames, q, v, x_a, w.ravel()),
            maximal_acceleration(link_frames, q, v, x_a, w, a, b),
        ]

    tolerance = 1e-8
    remark = (
        r"Here $\dot J_{MR}$ is the rate of $J_{MR}$, not the matrix of the converted text in the second line "
        "of (2.89)."
    )
    implements = attach_particles


@section.holds("t1228", "Maximal velocities are linear in reduced ones")
class t1228:
    formula = r"q_M \text{ as a linear function of } q_R"
    inputs = MOTION | {"v2": arrays(5), "w2": arrays(2, 3), "s": numbers(), "t": numbers()}
    result = Result(
        vector_quantity(*3 * ((RATE, 3), (VELOCITY, 3)), (RATE, 3), (VELOCITY, 15)), BODIES_THEN_NODES
    )

    def printed(link_frames, bodies, q, v, x_a, y, w, v2, w2, s, t):
        J_MR = maximal_jacobian(*jacobians(library_tree(link_frames, bodies), q, x_a))
        return s * (J_MR @ np.append(v, w)) + t * (J_MR @ np.append(v2, w2))

    def library(link_frames, bodies, q, v, x_a, y, w, v2, w2, s, t):
        return library_velocity(link_frames, bodies, q, s * v + t * v2, x_a, y, s * w + t * w2)

    def reference(link_frames, bodies, q, v, x_a, y, w, v2, w2, s, t):
        """Compare with differences of poses and vertices along the sum of two motions."""
        return maximal_velocity(link_frames, q, s * v + t * v2, x_a, (s * w + t * w2).ravel())

    remark = (
        "This holds for velocities only: poses and attached vertices are nonlinear functions of the "
        "coordinates."
    )
    implements = attach_particles


def mass_positions(link_frames, bodies, x_a):
    """Return the positions of the points of the bodies, then of the four nodes, as a function.

    Its argument is the vector of the coordinates of joints and free nodes.
    """
    body_points = point_positions(link_frames, bodies)
    first, last = (point_position(link_frames, body, x) for body, x in zip(PARENT_BODIES, x_a, strict=True))

    def positions(u):
        q, y = u[..., :5], u[..., 5:]
        return np.concatenate([body_points(q), first(q), y, last(q)], axis=-1)

    return positions


@section.holds("e2.92", "Equations of motion of a tree with springs between its bodies")
class e2_92:
    formula = r"J_{MR}^\top M_M J_{MR}\,\ddot q_R = J_{MR}^\top(f_M - M_M\dot J_{MR}\,\dot q_R)"
    inputs = CHAIN_ON_TREE
    result = Result(
        BRANCHING / TIME / TIME + vector_quantity((ACCELERATION, 6)),
        "of the joints, in their order, then of free nodes, along the axes of the world",
    )

    def printed(link_frames, bodies, g, q, v, x_a, y, w, m, K, L):
        """Evaluate with the library's J_MR of (2.90), M_M and f_M of (2.91)."""
        system, state = system_of(link_frames, bodies, x_a), State(q=q, qdot=v, x=y, v=w)
        expanded = system.expand(state)
        on_nodes, on_joints = (
            system.acceleration_reduction(state),
            system.tree.acceleration_reduction(expanded),
        )
        J_MR = on_joints.J @ on_nodes.J
        bias = on_joints.J @ on_nodes.bias + on_joints.bias
        springs = chain_springs(K, L)
        free_system = free_bodies(system.tree.inertias, m, g, springs)
        maximal = system.tree.maximal_state(expanded)
        M_M, f_M = free_system.mass_matrix(maximal), free_system.force(maximal)
        return np.roll(np.linalg.solve(J_MR.T @ M_M @ J_MR, J_MR.T @ (f_M - M_M @ bias)), 5)

    def library(link_frames, bodies, g, q, v, x_a, y, w, m, K, L):
        system = system_of(link_frames, bodies, x_a, m, g, applied_forces=chain_springs(K, L))
        return np.roll(system.acceleration(State(q=q, qdot=v, x=y, v=w)), 5)

    def reference(link_frames, bodies, g, q, v, x_a, y, w, m, K, L):
        """Compare with Newton's law for points of the bodies and for the nodes, by complex steps of positions."""
        positions, u, velocity = mass_positions(link_frames, bodies, x_a), np.append(q, y), np.append(v, w)
        masses = np.append(bodies[..., 0], m)
        forces = masses[:, None] * g
        gradient = complex_step(lambda z: elastic_energy(z.reshape(4, 3), K, L), positions(u)[-12:])
        forces[-4:] -= gradient.reshape(4, 3)
        return np.linalg.solve(*newton_equations(positions, masses, forces, u, velocity))

    tolerance = 1e-8
    implements = attach_particles


@section.definition("t1240", "The reduced mass matrix and force vector")
class t1240:
    formula = r"M_R = J_{MR}^\top M_M J_{MR},\quad f_R = J_{MR}^\top(f_M - M_M\dot J_{MR}\,\dot q_R)"
    defines = ("M_R", "f_R")
    implements = attach_particles


# ------------------------------------------------------------------------------------------------------------
# Masses and forces of bodies, attached and free nodes in maximal coordinates.


def maximal_matrix(bodies, m):
    """Return M_M of (2.91)."""
    inertias = [spatial_inertia(points) for points in bodies]
    attached_masses, free_masses = np.kron(m[ATTACHED], np.ones(3)), np.kron(m[FREE], np.ones(3))
    return block_diag(*inertias, np.diag(attached_masses), np.diag(free_masses))


def maximal_force(E, phi, bodies, nodes, m, K, L, g):
    """Return f_M of (2.91): gyroscopic wrenches and weights of the bodies, weights and springs of the nodes."""
    inertias = np.array([spatial_inertia(points) for points in bodies])
    wrenches = gyroscopic_wrench(inertias, phi) + gravity_wrench(E, inertias, g)
    on_nodes = np.outer(m, g)
    for i in range(3):
        on_nodes[i] += spring_force(K[i], L[i], nodes[i], nodes[i + 1])
        on_nodes[i + 1] -= spring_force(K[i], L[i], nodes[i], nodes[i + 1])
    return stack_bodies_and_nodes(wrenches, on_nodes)


@section.holds("e2.91", "Mass matrix and forces of bodies, attached and free vertices")
class e2_91:
    formula = r"M_M = \begin{pmatrix} M_m & 0 & 0 \\ 0 & M_a & 0 \\ 0 & 0 & M_f \end{pmatrix},\quad f_M = \begin{pmatrix} f_m \\ f_a \\ f_f \end{pmatrix}"
    inputs = {
        "E": placements(4).map(lambda link_frames: link_frames[:, 0]),
        "bodies": TREE["bodies"],
        "g": TREE["g"],
        "phi": arrays(4, 6),
        "nodes": arrays(4, 3).map(lambda x: x / 4 + np.outer(np.arange(4), [1.0, 1.5, -1.25])),
        "w": arrays(4, 3),
        **SPRINGS,
    }
    result = Result(
        stacked_quantity(
            vector_quantity(*4 * ((ANGULAR_MOMENTUM, 3), (MOMENTUM, 3)), (MOMENTUM, 12)),
            vector_quantity(*4 * ((TORQUE, 3), (FORCE, 3)), (FORCE, 12)),
        ),
        BODIES_THEN_NODES,
    )

    def printed(E, bodies, g, phi, nodes, w, m, K, L):
        force = maximal_force(E, phi, bodies, nodes, m, K, L, g)
        return [maximal_matrix(bodies, m) @ stack_bodies_and_nodes(phi, w), force]

    def library(E, bodies, g, phi, nodes, w, m, K, L):
        free_system = free_bodies([spatial_inertia(points) for points in bodies], m, g, chain_springs(K, L))
        state = State(E=E, phi=phi, x=nodes, v=w)
        momentum, force = free_system.mass_matrix(state) @ state.velocity, free_system.force(state)
        return [stack_bodies_and_nodes(part[:24], part[24:]) for part in (momentum, force)]

    def reference(E, bodies, g, phi, nodes, w, m, K, L):
        """Compare with derivatives of the kinetic energy of points, and with Newton's law for rotating bodies."""
        masses = bodies[..., 0]

        def velocities(poses, xi):
            rotation = np.cross(xi.reshape(4, 1, 6)[..., :3], bodies[..., 1:])
            return np.einsum(
                "...nij,npj->...npi", poses[..., :3, :3], rotation + xi.reshape(4, 1, 6)[..., 3:]
            )

        def energy(u):
            v = velocities(E, u[:24])
            return (np.sum(masses[..., None] * v**2) + m @ np.sum(u[24:].reshape(4, 3) ** 2, axis=1)) / 2

        def velocities_at(t):
            twist_matrices = np.array([twist_matrix(xi) for xi in phi])
            return velocities(E @ expm(t[..., None, None] * twist_matrices), phi.ravel())

        momentum = complex_step(energy, np.append(phi, w))
        forces = masses[..., None] * (g - time_derivative(velocities_at))
        wrenches = complex_step(lambda u: np.sum(velocities(E, u) * forces), np.zeros(24))
        gradient = complex_step(
            lambda z: elastic_energy(z.reshape(4, 3), K, L) - m @ z.reshape(4, 3) @ g, nodes.ravel()
        )
        order = [*range(27), 33, 34, 35, *range(27, 33)]  # attached nodes before free ones
        return [momentum[order], np.append(wrenches, -gradient)[order]]

    implements = (Model, ForceGroups)
