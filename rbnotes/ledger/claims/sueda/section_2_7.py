"""Sueda 2.7: springs between nodes, and nodes that ride on bodies."""

from __future__ import annotations

import numpy as np
from scipy.linalg import block_diag, expm

from rbnotes import se3, so3
from rbnotes.dynamics import FreeSystem, State, gravity_wrench, gyroscopic_wrench
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
from rbnotes.multibody.reduced import (
    AttachedParticle,
    AttachedSystem,
    TreeSystem,
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
            LENGTH, "of the nodes, in the world; where there is a single pose E, of a point in its body"
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
        "at": Argument(
            POSE,
            (
                "for each joint (a cross about x and y; on it a hinge about z, with a slider along z, and "
                "another hinge) its place in its parent's joint, and its body's place in it"
            ),
        ),
        "bodies": Argument(MASS_POINTS, "for each body four points: mass, then place in the body"),
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
    """Springs between consecutive nodes as the library knows them: stiffness per unit of strain K / L."""
    count = np.arange(len(K))
    law = SpringDamper(np.divide(K, L), 0.0, np.array(L))
    return ForceGroups([PathForces(law, path_through(on_particle(count), on_particle(count + 1)))])


def spring_of(K, L):
    return chain_springs([K], [L])


def elastic_energy(x, K, L):
    """Elastic energy of a chain whose nodes may have complex positions."""
    total = 0.0
    for k, rest, step in zip(K, L, x[1:] - x[:-1], strict=True):
        total += k / 2 * ((np.sqrt(step @ step) - rest) / rest) ** 2
    return total


def pull(K, L, x0, x1):
    """(2.86)."""
    dx = x1 - x0
    length = np.linalg.norm(dx)
    epsilon = (length - L) / L
    return K * epsilon / L * dx / length


def gamma(x):
    """(1.12)."""
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
        system = FreeSystem(masses=[m], gravity=g)
        resting, moving = (system.energy(State(x=[x], v=[speed])) for speed in (0 * v, v))
        return [moving - resting, resting]

    def reference(m, x, v, g):
        """Compute the work that accelerates the node, and that of moving it from the origin along a curved path."""
        times, weights = np.polynomial.legendre.leggauss(12)
        times, weights = (times + 1) / 2, weights / 2
        bend = np.array([1.0, -2.0, 0.5])
        speeding = [m * v @ (t * v) for t in times]
        lifting = [-m * g @ (x + np.pi * np.cos(np.pi * t) * bend) for t in times]
        return [weights @ speeding, weights @ lifting]

    implements = FreeSystem


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
        system, state = FreeSystem(masses=[m], gravity=g), State(x=[x], v=[v])
        return np.vstack([system.mass_matrix(state), system.force(state)])

    def reference(m, x, v, g):
        """Compare with second derivatives of the kinetic energy, and minus the slope of the potential, by complex steps."""
        momentum = [complex_step(lambda w: m * w @ w / 2, v + unit) for unit in (*np.eye(3), np.zeros(3))]
        weight = -complex_step(lambda z: -m * g @ z, x)
        return np.vstack([np.array(momentum[:3]) - momentum[3], weight])

    implements = FreeSystem


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
        return spring_of(K, L).energy(State(x=[x0, x1]))

    def reference(K, L, x0, x1):
        """Compare with the work of stretching the spring from its rest length."""
        length = np.sqrt(sum((b - a) ** 2 for a, b in zip(x0, x1, strict=True)))
        at, weights = np.polynomial.legendre.leggauss(4)
        reached = L + (length - L) * (at + 1) / 2
        return (length - L) / 2 * weights @ [K * (s - L) / L**2 for s in reached]

    implements = SpringDamper
    remark = r"With $K/L$ in the place of the stiffness of Sueda 1.9.6, whose tension is $k\epsilon$."


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


@section.definition("d3", "From one node to the next")
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
        """Compare with the second derivative of the energy by the length, by differences."""

        def pull(s):
            return complex_step(lambda z: K / 2 * ((z[0] - L) / L) ** 2, np.array([s]))[0]

        return derivative(pull, l).value

    units_mismatch = r"$K$ is an energy, not a force per length"
    given = {**inputs, "L": positive_numbers().map(lambda number: 1.0 + 0.0 * number)}
    condition = "the spring is one unit long at rest"

    def holds_when(K, L, l):
        return L == 1

    remark = (
        r"$K$ is an energy: the force per length is $K/L^2$, the force per strain $K/L$. Whoever cuts a chain into "
        r"$n$ equal springs and keeps $K$ makes it $n$ times as stiff; keep $K/L$."
    )
    implements = SpringDamper


@section.holds("e2.86", "Force on the first node of a spring")
class e2_86:
    formula = r"\mathbf f_0 = \frac{K\epsilon}{L}\frac{\Delta\mathbf x}{l}"
    inputs = SPRING
    result = Result(FORCE, "on the first node, along the axes of the world")
    printed = pull

    def library(K, L, x0, x1):
        return spring_of(K, L)(State(x=[x0, x1])).f[:3]

    def reference(K, L, x0, x1):
        """Compare with minus the slope of the energy along the first node, by complex steps."""
        return -complex_step(lambda z: elastic_energy(np.array([z, x1 + 0 * z]), [K], [L]), x0)

    implements = (PathForces, SpringDamper)


@section.holds("t1214#a", "Force on the second node of a spring")
class t1214_a:
    formula = r"\mathbf f_1 = -\mathbf f_0"
    inputs = SPRING
    result = Result(FORCE, "on the second node, along the axes of the world")

    def printed(K, L, x0, x1):
        return -pull(K, L, x0, x1)

    def library(K, L, x0, x1):
        return spring_of(K, L)(State(x=[x0, x1])).f[3:]

    def reference(K, L, x0, x1):
        """Compare with minus the slope of the energy along the second node, by complex steps."""
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
            forces[i] += pull(K[i], L[i], x[i], x[i + 1])
            forces[i + 1] -= pull(K[i], L[i], x[i], x[i + 1])
        return np.vstack([masses, forces.ravel()])

    def library(m, K, L, x, g):
        system, state = FreeSystem(masses=m, gravity=g, applied_forces=chain_springs(K, L)), State(x=x)
        return np.vstack([system.mass_matrix(state), system.force(state)])

    def reference(m, K, L, x, g):
        """Compare with second derivatives of the kinetic energy, and minus the slope of all potentials, by complex steps."""

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

    implements = (FreeSystem, ForceGroups)


def attached_velocity(E, x, phi):
    """Compare with differences of the vertex along a motion of the body.

    Velocity of a point of a body that moves, by differences.
    """
    moving = motion(E, phi)
    return derivative(lambda t: moving(t)[:3, :3] @ x + moving(t)[:3, 3]).value


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
    correction = r"$\mathbf R\,\Gamma({}^i\mathbf x_a)\,\phi_i$: in body coordinates, as the next line says."
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
        place = np.array([0.3, -0.2, 0.5])
        return np.array([attached_velocity(np.eye(4), place, unit) for unit in np.eye(6)]).T.shape

    tolerance = 0.0
    remark = r"The name has changed its matrix: in 1.4 the material Jacobian is $J = R\,\Gamma$."
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
        """Compare with differences of velocities that unit twists give the vertex, while the body moves."""
        moving, units = motion(E, phi), np.eye(6)
        in_body = np.cross(units[:, :3], x) + units[:, 3:]

        def columns(t):
            return moving(t)[:3, :3] @ in_body.T

        return derivative(columns).value

    implements = se3.Gamma


# ------------------------------------------------------------------------------------------------------------
# A chain of nodes between two bodies of a tree, in maximal and in reduced velocities.


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


def system_of(at, bodies, x_a, m=(1.0, 1.0, 1.0, 1.0), g=(0.0, 0.0, 0.0), **springs):
    """Return the library's tree with the chain on it."""
    tied = [AttachedParticle(k, NAMES[host], x) for k, host, x in zip(TIED, HOSTS, x_a, strict=True)]
    tree = library_tree(at, bodies, g)
    return AttachedSystem(TreeSystem(tree, m, **springs), tied)


def by_kind(on_bodies, on_nodes):
    """Stack by kind in the order of the notes: bodies, attached nodes, free nodes."""
    nodes = np.reshape(on_nodes, (4, 3))
    return np.concatenate([np.ravel(on_bodies), nodes[TIED].ravel(), nodes[FREE].ravel()])


def attachment(E, x_a):
    """Return the global J_am ``(6, 24)``."""
    J = np.zeros((6, 24))
    J[:3, 12:18] = E[2, :3, :3] @ gamma(x_a[0])
    J[3:, 18:] = E[3, :3, :3] @ gamma(x_a[1])
    return J


def attachment_rate(E, phi, x_a):
    """Return the rate of J_am by (2.88)."""
    J = np.zeros((6, 24))
    J[:3, 12:18] = E[2, :3, :3] @ bracket(phi[2, :3]) @ gamma(x_a[0])
    J[3:, 18:] = E[3, :3, :3] @ bracket(phi[3, :3]) @ gamma(x_a[1])
    return J


def first_matrix(J_mr, J_am):
    """Return the matrix of the first line of (2.89)."""
    J_MR = np.zeros((36, 11))
    J_MR[:24, :5], J_MR[24:30, :5], J_MR[30:, 5:] = J_mr, J_am @ J_mr, np.eye(6)
    return J_MR


def jacobians(tree, q, x_a):
    """J_mr and J_am."""
    return jacobian(tree, q), attachment(poses(tree, q).bodies, x_a)


def rates(tree, q, v, x_a):
    """Return the rates of J_mr and J_am."""
    E, phi = poses(tree, q).bodies, body_twists(tree, q, v)
    return jacobian_rate(tree, q, v), attachment_rate(E, phi, x_a)


def second_matrix(J_mr, J_am, J_mr_dot, J_am_dot):
    """Return the rate of the first matrix by the product rule."""
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


@section.holds("t1224", "Velocities of all attached vertices from the bodies' twists")
class t1224:
    formula = r"\dot{\mathbf q}_a = \mathbf J_{am}\dot{\mathbf q}_m"
    inputs = MOVING
    result = Result(VELOCITY, "of the attached nodes, along the axes of the world")

    def printed(at, bodies, q, v, x_a, y, w):
        tree = library_tree(at, bodies)
        return attachment(poses(tree, q).bodies, x_a) @ body_twists(tree, q, v).ravel()

    def library(at, bodies, q, v, x_a, y, w):
        return system_of(at, bodies, x_a).expand(State(q=q, qdot=v, x=y, v=w)).v[TIED].ravel()

    def reference(at, bodies, q, v, x_a, y, w):
        """Compare with complex steps of the vertices along a motion of the joints."""
        return whole_velocity(at, q, v, x_a, w.ravel())[24:30]

    implements = AttachedSystem


@section.holds("e2.89#a", "All velocities from those of joints and free vertices")
class e2_89_a:
    formula = r"\begin{pmatrix} \dot q_m \\ \dot q_a \\ \dot q_f \end{pmatrix} = \begin{pmatrix} J_{mr} & 0 \\ J_{am}J_{mr} & 0 \\ 0 & I \end{pmatrix}\begin{pmatrix} \dot q_r \\ \dot q_f \end{pmatrix}"
    inputs = MOVING
    result = Result(
        vector_quantity(*3 * ((RATE, 3), (VELOCITY, 3)), (RATE, 3), (VELOCITY, 15)), BODIES_THEN_NODES
    )

    def printed(at, bodies, q, v, x_a, y, w):
        return first_matrix(*jacobians(library_tree(at, bodies), q, x_a)) @ np.append(v, w)

    library = library_velocity

    def reference(at, bodies, q, v, x_a, y, w):
        """Compare with differences of poses and of the attached vertices along a motion of the joints."""
        return whole_velocity(at, q, v, x_a, w.ravel())

    implements = AttachedSystem


@section.erratum("e2.89#b", "All accelerations from those of joints and free vertices")
class e2_89_b:
    page_2019 = Page(36, r"$\dot{\mathsf J}_{am}\mathsf J_{mr} + \mathsf J_{am}\dot{\mathsf J}_{mr}$")
    page_2021 = Page(47, page_2019.content)
    formula = r"\begin{pmatrix} \ddot q_m \\ \ddot q_a \\ \ddot q_f \end{pmatrix} = \begin{pmatrix} \dot J_{mr} & 0 \\ J_{am}J_{mr} + J_{am}\dot J_{mr} & 0 \\ 0 & 0 \end{pmatrix}\begin{pmatrix} \dot q_r \\ \dot q_f \end{pmatrix} + \begin{pmatrix} J_{mr} & 0 \\ J_{am}J_{mr} & 0 \\ 0 & I \end{pmatrix}\begin{pmatrix} \ddot q_r \\ \ddot q_f \end{pmatrix}"
    edit = (r"J_{am}J_{mr} + J_{am}\dot J_{mr}", r"\dot J_{am}J_{mr} + J_{am}\dot J_{mr}")
    inputs = ACCELERATED
    result = Result(
        vector_quantity(*3 * ((RATE / TIME, 3), (ACCELERATION, 3)), (RATE / TIME, 3), (ACCELERATION, 15)),
        BODIES_THEN_NODES,
    )

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

    def reference(at, bodies, q, v, x_a, y, w, a, b):
        """Compare with differences of poses and of the attached vertices along a motion of the joints."""
        return whole_acceleration(at, q, v, x_a, w, a, b)

    tolerance = 1e-8
    correction = r"$\dot J_{am}J_{mr} + J_{am}\dot J_{mr}$, with the $\dot J_{am}$ of (2.88)."
    units_mismatch = r"velocities are added to accelerations"
    remark = (
        "As printed the vertices have their own velocity added to their acceleration, and nothing of the body's "
        "turning."
    )
    implements = AttachedSystem


@section.holds("e2.90", "Velocities and accelerations, compactly")
class e2_90:
    formula = r"\begin{aligned} \dot q_M &= J_{MR}\,\dot q_R \\ \ddot q_M &= \dot J_{MR}\,\dot q_R + J_{MR}\,\ddot q_R \end{aligned}"
    inputs = ACCELERATED
    result = Result(
        stacked_quantity(
            vector_quantity(*4 * ((RATE, 3), (VELOCITY, 3)), (VELOCITY, 12)),
            vector_quantity(*4 * ((RATE / TIME, 3), (ACCELERATION, 3)), (ACCELERATION, 12)),
        ),
        BODIES_THEN_NODES,
    )

    def printed(at, bodies, q, v, x_a, y, w, a, b):
        tree = library_tree(at, bodies)
        J, J_dot = jacobians(tree, q, x_a), rates(tree, q, v, x_a)
        J_MR, J_MR_dot = first_matrix(*J), second_matrix(*J, *J_dot)
        return [J_MR @ np.append(v, w), J_MR_dot @ np.append(v, w) + J_MR @ np.append(a, b)]

    def library(at, bodies, q, v, x_a, y, w, a, b):
        velocity = library_velocity(at, bodies, q, v, x_a, y, w)
        return [velocity, library_acceleration(at, bodies, q, v, x_a, y, w, a, b)]

    def reference(at, bodies, q, v, x_a, y, w, a, b):
        """Compare with differences of poses and of the attached vertices along a motion of the joints."""
        return [whole_velocity(at, q, v, x_a, w.ravel()), whole_acceleration(at, q, v, x_a, w, a, b)]

    tolerance = 1e-8
    remark = r"With $\dot J_{MR}$ the rate of $J_{MR}$, not what the second line of (2.89) has in its place."
    implements = AttachedSystem


@section.holds("t1228", "Maximal velocities are linear in reduced ones")
class t1228:
    formula = r"q_M \text{ as a linear function of } q_R"
    inputs = MOVING | {"v2": arrays(5), "w2": arrays(2, 3), "s": numbers(), "t": numbers()}
    result = Result(
        vector_quantity(*3 * ((RATE, 3), (VELOCITY, 3)), (RATE, 3), (VELOCITY, 15)), BODIES_THEN_NODES
    )

    def printed(at, bodies, q, v, x_a, y, w, v2, w2, s, t):
        J_MR = first_matrix(*jacobians(library_tree(at, bodies), q, x_a))
        return s * (J_MR @ np.append(v, w)) + t * (J_MR @ np.append(v2, w2))

    def library(at, bodies, q, v, x_a, y, w, v2, w2, s, t):
        return library_velocity(at, bodies, q, s * v + t * v2, x_a, y, s * w + t * w2)

    def reference(at, bodies, q, v, x_a, y, w, v2, w2, s, t):
        """Compare with differences of poses and vertices along the sum of two motions."""
        return whole_velocity(at, q, s * v + t * v2, x_a, (s * w + t * w2).ravel())

    remark = "Of the velocities. Poses and attached vertices are no linear functions of the coordinates."
    implements = AttachedSystem


def all_places(at, bodies, x_a):
    """Points of the bodies, then the four nodes, by the coordinates of joints and free nodes."""
    of_bodies = point_positions(at, bodies)
    first, last = (point_position(at, host, x) for host, x in zip(HOSTS, x_a, strict=True))

    def places(u):
        q, y = u[..., :5], u[..., 5:]
        return np.concatenate([of_bodies(q), first(q), y, last(q)], axis=-1)

    return places


@section.holds("e2.92", "Motion of a tree with springs between its bodies")
class e2_92:
    formula = r"J_{MR}^\top M_M J_{MR}\,\ddot q_R = J_{MR}^\top(f_M - M_M\dot J_{MR}\,\dot q_R)"
    inputs = HANGING
    result = Result(
        BRANCHING / TIME / TIME + vector_quantity((ACCELERATION, 6)),
        "of the joints, in their order, then of free nodes, along the axes of the world",
    )

    def printed(at, bodies, g, q, v, x_a, y, w, m, K, L):
        """Evaluate with the J_MR of (2.90), M_M and f_M of (2.91) as the library has them."""
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

    def reference(at, bodies, g, q, v, x_a, y, w, m, K, L):
        """Compare with Newton's law for points of the bodies and for the nodes, by complex steps of their positions."""
        places, u, speed = all_places(at, bodies, x_a), np.append(q, y), np.append(v, w)
        masses = np.append(bodies[..., 0], m)
        forces = masses[:, None] * g
        slope = complex_step(lambda z: elastic_energy(z.reshape(4, 3), K, L), places(u)[-12:])
        forces[-4:] -= slope.reshape(4, 3)
        return np.linalg.solve(*newton_equations(places, masses, forces, u, speed))

    tolerance = 1e-8
    implements = AttachedSystem


@section.definition("t1240", "The reduced mass matrix and force vector")
class t1240:
    formula = r"M_R = J_{MR}^\top M_M J_{MR},\quad f_R = J_{MR}^\top(f_M - M_M\dot J_{MR}\,\dot q_R)"
    defines = ("M_R", "f_R")
    implements = AttachedSystem


# ------------------------------------------------------------------------------------------------------------
# Masses and forces of bodies, attached and free nodes, before anything is reduced.


def maximal_matrix(bodies, m):
    """M_M of (2.91)."""
    inertias = [spatial_inertia(points) for points in bodies]
    attached, free = np.kron(m[TIED], np.ones(3)), np.kron(m[FREE], np.ones(3))
    return block_diag(*inertias, np.diag(attached), np.diag(free))


def maximal_force(E, phi, bodies, nodes, m, K, L, g):
    """f_M of (2.91): wrenches of motion and weight; weights and springs of the nodes."""
    inertias = np.array([spatial_inertia(points) for points in bodies])
    wrenches = gyroscopic_wrench(inertias, phi) + gravity_wrench(E, inertias, g)
    on_nodes = np.outer(m, g)
    for i in range(3):
        on_nodes[i] += pull(K[i], L[i], nodes[i], nodes[i + 1])
        on_nodes[i + 1] -= pull(K[i], L[i], nodes[i], nodes[i + 1])
    return by_kind(wrenches, on_nodes)


@section.holds("e2.91", "Mass matrix and forces of bodies, attached and free vertices")
class e2_91:
    formula = r"M_M = \begin{pmatrix} M_m & 0 & 0 \\ 0 & M_a & 0 \\ 0 & 0 & M_f \end{pmatrix},\quad f_M = \begin{pmatrix} f_m \\ f_a \\ f_f \end{pmatrix}"
    inputs = {
        "E": placements(4).map(lambda at: at[:, 0]),
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
        return [maximal_matrix(bodies, m) @ by_kind(phi, w), force]

    def library(E, bodies, g, phi, nodes, w, m, K, L):
        free = FreeSystem([spatial_inertia(points) for points in bodies], m, g, chain_springs(K, L))
        state = State(E=E, phi=phi, x=nodes, v=w)
        momentum, force = free.mass_matrix(state) @ state.velocity, free.force(state)
        return [by_kind(part[:24], part[24:]) for part in (momentum, force)]

    def reference(E, bodies, g, phi, nodes, w, m, K, L):
        """Compare with derivatives of the kinetic energy of points, and with Newton's law for points of bodies in steady rotation."""
        heavy = bodies[..., 0]

        def velocities(poses, xi):
            turning = np.cross(xi.reshape(4, 1, 6)[..., :3], bodies[..., 1:])
            return np.einsum("...nij,npj->...npi", poses[..., :3, :3], turning + xi.reshape(4, 1, 6)[..., 3:])

        def energy(u):
            fast = velocities(E, u[:24])
            return (np.sum(heavy[..., None] * fast**2) + m @ np.sum(u[24:].reshape(4, 3) ** 2, axis=1)) / 2

        def along(t):
            steady = np.array([twist_matrix(xi) for xi in phi])
            return velocities(E @ expm(t[..., None, None] * steady), phi.ravel())

        momentum = complex_step(energy, np.append(phi, w))
        lacking = heavy[..., None] * (g - time_derivative(along))
        wrenches = complex_step(lambda u: np.sum(velocities(E, u) * lacking), np.zeros(24))
        slope = complex_step(
            lambda z: elastic_energy(z.reshape(4, 3), K, L) - m @ z.reshape(4, 3) @ g, nodes.ravel()
        )
        order = [*range(27), 33, 34, 35, *range(27, 33)]  # attached nodes before free ones
        return [momentum[order], np.append(wrenches, -slope)[order]]

    implements = (FreeSystem, ForceGroups)
