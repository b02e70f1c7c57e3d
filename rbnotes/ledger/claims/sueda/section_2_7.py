"""Sueda 2.7: springs between nodes, and nodes that ride on bodies."""

from __future__ import annotations

import numpy as np

from rbnotes import se3, so3
from rbnotes.dynamics import FreeSystem, State
from rbnotes.forces import ForceGroups, PathForces, SpringDamper, on_particle, path_through
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.quantities import (
    ENERGY,
    FORCE,
    LENGTH,
    MASS,
    NUMBER,
    POINT_JACOBIAN,
    STIFFNESS,
    TIME,
    TORQUE,
    VELOCITY,
    matrix_quantity,
    stacked_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import complex_step, derivative
from rbnotes.testing.strategies import (
    arrays,
    frames,
    nonzero_vectors,
    positive_numbers,
    twists,
    vectors,
)

CHAPTER = "deformables-on-a-tree"

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


QUANTITIES = {"K": ENERGY, "l": LENGTH}


def chain_springs(K, L):
    """Springs between consecutive nodes as the library knows them: stiffness per unit of strain K / L."""
    count = np.arange(len(K))
    law = SpringDamper(np.divide(K, L), 0.0, np.array(L))
    return ForceGroups([PathForces(law, path_through(on_particle(count), on_particle(count + 1)))])


def spring_of(K, L):
    return chain_springs([K], [L])


def stretched(x, K, L):
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


@claim("sueda/s2.7/e2.84", "Energies of a node")
class e2_84:
    formula = r"T = \frac12 m\dot{\mathbf x}^\top\dot{\mathbf x},\quad V = -m\mathbf g^\top\mathbf x"
    inputs = NODE
    quantities = {"v": VELOCITY}
    result = TORQUE

    def printed(m, x, v, g):
        return [m / 2 * v @ v, -m * g @ x]

    def library(m, x, v, g):
        system = FreeSystem(masses=[m], gravity=g)
        resting, moving = (system.energy(State(x=[x], v=[speed])) for speed in (0 * v, v))
        return [moving - resting, resting]

    oracle = "work: of what speeds the node up, and of what carries it from the origin along a bent path"

    def reference(m, x, v, g):
        times, weights = np.polynomial.legendre.leggauss(12)
        times, weights = (times + 1) / 2, weights / 2
        bend = np.array([1.0, -2.0, 0.5])
        speeding = [m * v @ (t * v) for t in times]
        lifting = [-m * g @ (x + np.pi * np.cos(np.pi * t) * bend) for t in times]
        return [weights @ speeding, weights @ lifting]

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.FreeSystem",)
    chapter = CHAPTER


@claim("sueda/s2.7/t1200", "Mass matrix and weight of a node")
class t1200:
    formula = r"\mathbf M = m\mathbf I,\quad \mathbf f = m\mathbf g"
    inputs = NODE
    quantities = {"v": VELOCITY}
    result = stacked_quantity(MASS, MASS, MASS, FORCE)

    def printed(m, x, v, g):
        return np.vstack([m * np.eye(3), m * g])

    def library(m, x, v, g):
        system, state = FreeSystem(masses=[m], gravity=g), State(x=[x], v=[v])
        return np.vstack([system.mass_matrix(state), system.force(state)])

    oracle = (
        "second derivatives of the kinetic energy, and minus the slope of the potential, by complex steps"
    )

    def reference(m, x, v, g):
        momentum = [complex_step(lambda w: m * w @ w / 2, v + unit) for unit in (*np.eye(3), np.zeros(3))]
        weight = -complex_step(lambda z: -m * g @ z, x)
        return np.vstack([np.array(momentum[:3]) - momentum[3], weight])

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.FreeSystem",)
    chapter = CHAPTER


@claim("sueda/s2.7/d1", "Elastic energy of a spring")
class d1:
    formula = r"V = \frac{K}{2}\epsilon^2"
    defines = ("V",)
    inputs = SPRING
    result = ENERGY

    def printed(K, L, x0, x1):
        epsilon = (np.linalg.norm(x1 - x0) - L) / L
        return K / 2 * epsilon**2

    def library(K, L, x0, x1):
        return spring_of(K, L).energy(State(x=[x0, x1]))

    oracle = "the work of drawing the end from where the spring is slack, against its pull"

    def reference(K, L, x0, x1):
        length = np.sqrt(sum((b - a) ** 2 for a, b in zip(x0, x1, strict=True)))
        at, weights = np.polynomial.legendre.leggauss(4)
        reached = L + (length - L) * (at + 1) / 2
        return (length - L) / 2 * weights @ [K * (s - L) / L**2 for s in reached]

    verdict = Verdict.DEFINITION
    equivalent_mutants = {
        "swapped operands in `np.linalg.norm(x1 - x0) - L`": "the strain is squared",
        "swapped operands in `x1 - x0`": "of the vector only its length is taken",
    }
    implemented_by = ("rbnotes.forces.SpringDamper",)
    remark = r"With $K/L$ in the place of the stiffness of Sueda 1.9.6, whose tension is $k\epsilon$."
    chapter = CHAPTER


@claim("sueda/s2.7/e2.85", "Strain of a spring")
class e2_85:
    formula = r"\epsilon = \frac{l - L}{L}"
    defines = (r"\epsilon",)
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.forces.SpringDamper",)
    chapter = CHAPTER


@claim("sueda/s2.7/d2", "Length of a spring")
class d2:
    formula = r"l = \|\Delta\mathbf x\|"
    defines = ("l",)
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.forces.PathForces",)
    chapter = CHAPTER


@claim("sueda/s2.7/d3", "From one node to the next")
class d3:
    formula = r"\Delta\mathbf x = \mathbf x_1 - \mathbf x_0"
    defines = (r"\Delta\mathbf x",)
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.forces.PathForces",)
    chapter = CHAPTER


@claim("sueda/s2.7/t1210", "K as the stiffness of the spring")
class t1210:
    formula = r"K \text{ is the stiffness}"
    inputs = {"K": positive_numbers(), "L": positive_numbers(), "l": positive_numbers()}
    result = STIFFNESS

    def printed(K, L, l):
        return K

    def library(K, L, l):
        return SpringDamper(K / L, 0.0, L)(l, 0.0).dF_dL

    oracle = "second derivative of the energy by the length, by differences"

    def reference(K, L, l):
        def pull(s):
            return complex_step(lambda z: K / 2 * ((z[0] - L) / L) ** 2, np.array([s]))[0]

        return derivative(pull, l).value

    verdict = Verdict.CONDITIONAL
    units_mismatch = r"$K$ is an energy, not a force per length"
    given = {**inputs, "L": positive_numbers().map(lambda number: 1.0 + 0.0 * number)}
    condition = "the spring is one unit long at rest"

    def holds_when(K, L, l):
        return L == 1

    remark = (
        r"$K$ is an energy: the force per length is $K/L^2$, the force per strain $K/L$. Whoever cuts a chain into "
        r"$n$ equal springs and keeps $K$ makes it $n$ times as stiff; keep $K/L$."
    )
    implemented_by = ("rbnotes.forces.SpringDamper",)
    chapter = CHAPTER


@claim("sueda/s2.7/e2.86", "Force on the first node of a spring")
class e2_86:
    formula = r"\mathbf f_0 = \frac{K\epsilon}{L}\frac{\Delta\mathbf x}{l}"
    inputs = SPRING
    result = FORCE
    printed = pull

    def library(K, L, x0, x1):
        return spring_of(K, L)(State(x=[x0, x1])).f[:3]

    oracle = "minus the slope of the energy along the first node, by complex steps"

    def reference(K, L, x0, x1):
        return -complex_step(lambda z: stretched(np.array([z, x1 + 0 * z]), [K], [L]), x0)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.PathForces", "rbnotes.forces.SpringDamper")
    chapter = CHAPTER


@claim("sueda/s2.7/t1214#a", "Force on the second node of a spring")
class t1214_a:
    formula = r"\mathbf f_1 = -\mathbf f_0"
    inputs = SPRING
    result = FORCE

    def printed(K, L, x0, x1):
        return -pull(K, L, x0, x1)

    def library(K, L, x0, x1):
        return spring_of(K, L)(State(x=[x0, x1])).f[3:]

    oracle = "minus the slope of the energy along the second node, by complex steps"

    def reference(K, L, x0, x1):
        return -complex_step(lambda z: stretched(np.array([x0 + 0 * z, z]), [K], [L]), x1)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.forces.PathForces", "rbnotes.forces.SpringDamper")
    chapter = CHAPTER


@claim("sueda/s2.7/t1214#b", "Masses and forces of a chain of springs")
class t1214_b:
    formula = r"\mathbf M_s,\ \mathbf f_s \text{ of all of the springs}"
    inputs = CHAIN
    result = matrix_quantity(vector_quantity((MASS, 12), (FORCE, 1)), NUMBER)

    def printed(m, K, L, x, g):
        masses, forces = np.kron(np.diag(m), np.eye(3)), np.outer(m, g)
        for i in range(3):
            forces[i] += pull(K[i], L[i], x[i], x[i + 1])
            forces[i + 1] -= pull(K[i], L[i], x[i], x[i + 1])
        return np.vstack([masses, forces.ravel()])

    def library(m, K, L, x, g):
        system, state = FreeSystem(masses=m, gravity=g, applied_forces=chain_springs(K, L)), State(x=x)
        return np.vstack([system.mass_matrix(state), system.force(state)])

    oracle = (
        "second derivatives of the kinetic energy, and minus the slope of all potentials, by complex steps"
    )

    def reference(m, K, L, x, g):
        def energy(v):
            return m @ np.sum(v.reshape(4, 3) ** 2, axis=1) / 2

        def potential(z):
            nodes = z.reshape(4, 3)
            return stretched(nodes, K, L) - m @ (nodes @ g)

        units, single = np.eye(12), [energy(v) for v in np.eye(12)]
        masses = [
            [energy(u + v) - one - other for v, other in zip(units, single, strict=True)]
            for u, one in zip(units, single, strict=True)
        ]
        return np.vstack([masses, -complex_step(potential, x.ravel())])

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.FreeSystem", "rbnotes.forces.ForceGroups")
    chapter = CHAPTER


def attached_velocity(E, x, phi):
    """Velocity of a point of a body that moves, by differences."""
    moving = motion(E, phi)
    return derivative(lambda t: moving(t)[:3, :3] @ x + moving(t)[:3, 3]).value


@claim("sueda/s2.7/e2.87", "World velocity of an attached vertex")
class e2_87:
    formula = r"\dot{\mathbf x}_a = \underbrace{\mathbf R\,\Gamma(\mathbf x_a)}_{\mathbf J_{am}}\,\phi_i"
    inputs = ON_BODY
    result = VELOCITY

    def printed(E, x, phi):
        x_a = E[:3, :3] @ x + E[:3, 3]
        return E[:3, :3] @ gamma(x_a) @ phi

    def library(E, x, phi):
        return se3.point_velocity(E, x, phi)

    oracle = "differences of the vertex along a motion of the body"
    reference = attached_velocity
    verdict = Verdict.MISPRINT
    scan = True
    correction = r"$\mathbf R\,\Gamma({}^i\mathbf x_a)\,\phi_i$: in body coordinates, as the next line says."
    implemented_by = ("rbnotes.se3.point_velocity",)
    chapter = CHAPTER


@claim("sueda/s2.7/t1220", "Size of the material Jacobian")
class t1220:
    formula = r"\Gamma \in \mathbb R^{3\times6}"
    result = NUMBER

    def printed():
        return [3, 6]

    def library():
        return se3.Gamma([0.3, -0.2, 0.5]).shape

    oracle = "how many velocities of a point, and how many numbers of a twist, there are: by differences"

    def reference():
        place = np.array([0.3, -0.2, 0.5])
        return np.array([attached_velocity(np.eye(4), place, unit) for unit in np.eye(6)]).T.shape

    tolerance = 0.0
    verdict = Verdict.DEMONSTRATION
    remark = r"The name has changed its matrix: in 1.4 the material Jacobian is $J = R\,\Gamma$."
    implemented_by = ("rbnotes.se3",)
    chapter = CHAPTER


@claim("sueda/s2.7/e2.88", "Rate of the Jacobian of an attached vertex")
class e2_88:
    formula = r"\dot{\mathbf J}_{am} = \mathbf R[\omega_i]\Gamma"
    inputs = ON_BODY
    result = POINT_JACOBIAN / TIME

    def printed(E, x, phi):
        return E[:3, :3] @ bracket(phi[:3]) @ gamma(x)

    def library(E, x, phi):
        return E[:3, :3] @ so3.hat(phi[:3]) @ se3.Gamma(x)

    oracle = "differences of velocities that unit twists give the vertex, while the body moves"

    def reference(E, x, phi):
        moving, units = motion(E, phi), np.eye(6)
        in_body = np.cross(units[:, :3], x) + units[:, 3:]

        def columns(t):
            return moving(t)[:3, :3] @ in_body.T

        return derivative(columns).value

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.Gamma",)
    chapter = CHAPTER
