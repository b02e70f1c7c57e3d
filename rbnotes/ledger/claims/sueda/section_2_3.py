"""Sueda 2.3: the reduced equations of motion. The oracles ask Newton for each point mass."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

from rbnotes import joints
from rbnotes.dynamics import State, symplectic_euler
from rbnotes.inertia import spatial_inertia
from rbnotes.ledger.claims.sueda.section_2 import (
    ANY_SIZE,
    CHAIN,
    HINGED,
    MOVING,
    ON_HINGES,
    coriolis,
    maximal_masses,
    tree_of,
)
from rbnotes.ledger.claims.sueda.section_2_1 import serial_chains
from rbnotes.ledger.joint_quantities import ASSEMBLY, accelerations, coordinates, forces, velocities
from rbnotes.ledger.oracles import body_trees, complex_steps
from rbnotes.ledger.oracles.bodies import kinetic_energy_matrix
from rbnotes.ledger.oracles.body_quantities import gravity_wrench
from rbnotes.ledger.oracles.constrained_systems import constrained_system
from rbnotes.ledger.oracles.point_mass_dynamics import inertial_wrench
from rbnotes.ledger.oracles.recursive_dynamics import (
    counted_array,
    gaussian_elimination,
    hinge_links,
    recursive_accelerations,
)
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import NUMBER, RATE, TIME, TWIST, WRENCH, stacked_quantity, vector_quantity
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody import reduced as reduced_coordinates
from rbnotes.testing.strategies import arrays, numbers, positive_numbers
from rbnotes.unchecked.central_differences import time_derivative_at_zero

section = Section(
    "sueda/s2.3",
    chapter="reduced-coordinates",
    page_2019=Page(23, last=24),
    page_2021=Page(32, last=33),
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
        "wrenches": Argument(WRENCH, "on each body, about its origin, along its axes"),
        "angle": Argument(NUMBER),
        "faster": Argument(NUMBER),
        "h": Argument(TIME),
        "tau": Argument(forces, "of the joints, in their order"),
        "states": Argument(stacked_quantity(NUMBER, RATE)),
    },
)


IDLE = st.shared(st.tuples(HINGED, arrays(4), arrays(4), arrays(4)), key="bodies whose joints are idle")


def all_wrenches(assembly, q, qdot):
    """Coriolis wrenches and weights of all bodies ``(6 n,)``: (1.21) without its left side."""
    E, phi, found = body_trees.poses(assembly, q), body_trees.twists(assembly, q, qdot), []
    for i, (m, c, J) in enumerate(zip(assembly.masses, assembly.centers, assembly.inertias, strict=True)):
        found.append(coriolis(kinetic_energy_matrix(m, J, c), phi[i]) + gravity_wrench(assembly, i, E[i]))
    return np.concatenate(found)


def reduced(assembly, q, qdot):
    """``M_r`` and ``f_r`` of (2.18)."""
    J, J_dot = body_trees.jacobian(assembly, q), body_trees.jacobian_rate(assembly, q, qdot)
    M_m, f_m = maximal_masses(assembly), all_wrenches(assembly, q, qdot)
    return J.T @ M_m @ J, J.T @ (f_m - M_m @ J_dot @ qdot)


def momentum_rates(assembly, phi, phidot):
    """``M_m`` times the rates of the twists, from what the point masses of each body need for them."""
    found = []
    for i, (m, c, J) in enumerate(zip(assembly.masses, assembly.centers, assembly.inertias, strict=True)):
        steady = inertial_wrench(m, c, J, phi[i], np.zeros(6))
        found.append(inertial_wrench(m, c, J, phi[i], phidot[i]) - steady)
    return np.concatenate(found)


def carried_wrenches(assembly, q, qdot, qddot):
    """Return applied wrenches ``(n, 6)`` with which the bodies move this way without reactions of the joints."""
    E, phi = body_trees.poses(assembly, q), body_trees.twists(assembly, q, qdot)
    phidot = body_trees.twist_rates(assembly, q, qdot, qddot)
    found = []
    for i, (m, c, J) in enumerate(zip(assembly.masses, assembly.centers, assembly.inertias, strict=True)):
        found.append(inertial_wrench(m, c, J, phi[i], phidot[i]) - gravity_wrench(assembly, i, E[i]))
    return np.stack(found)


@section.conditional("e2.18#a", "The equations of all bodies with the accelerations of the joints put in")
class e2_18_a:
    page_2019 = Page(23)
    page_2021 = Page(32)
    formula = r"M_m(J_{mr}\ddot{\mathbf q}_r + \dot J_{mr}\dot{\mathbf q}_r) = \mathbf f_m,\quad M_mJ_{mr}\ddot{\mathbf q}_r = \mathbf f_m - M_m\dot J_{mr}\dot{\mathbf q}_r"
    inputs = {**ON_HINGES, "wrenches": arrays(4, 6)}
    result = Result(WRENCH, "on each body, in its frame")

    def printed(assembly, q, qdot, wrenches):
        f_m = all_wrenches(assembly, q, qdot) + np.ravel(wrenches)
        return f_m

    def library(assembly, q, qdot, wrenches):
        """Return the left side for the motion of the bodies."""
        hinged = tree_of(assembly)
        at = reduced_coordinates.body_kinematics(hinged, q, qdot)
        rates = (
            at.J @ reduced_coordinates.forward_dynamics_dense(hinged, q, qdot, wrenches=wrenches)
            + at.bias_acceleration
        )
        return np.concatenate([M @ rate for M, rate in zip(hinged.inertias, rates, strict=True)])

    def reference(assembly, q, qdot, wrenches):
        """Compare with the inertial forces of point masses, whose accelerations follow from Gauss's principle."""
        load = body_trees.jacobian(assembly, q).T @ np.ravel(wrenches)
        qddot = body_trees.accelerations(assembly, q, qdot, load)
        phi, phidot = body_trees.twists(assembly, q, qdot), body_trees.twist_rates(assembly, q, qdot, qddot)
        return momentum_rates(assembly, phi, phidot)

    tolerance = 1e-8
    given = {
        "assembly": IDLE.map(lambda drawn: drawn[0]),
        "q": IDLE.map(lambda drawn: drawn[1]),
        "qdot": IDLE.map(lambda drawn: drawn[2]),
        "wrenches": IDLE.map(lambda drawn: carried_wrenches(*drawn)),
    }

    def holds_when(assembly, q, qdot, wrenches):
        """Return True if some acceleration of the joints requires exactly these wrenches."""
        at_rest = carried_wrenches(assembly, q, qdot, np.zeros(4)).ravel()
        columns = [carried_wrenches(assembly, q, qdot, unit).ravel() - at_rest for unit in np.eye(4)]
        missing = np.ravel(wrenches) - at_rest
        if not np.all(np.isfinite([*columns, missing])):  # rates of which squares are no numbers any more
            return False
        best = np.linalg.lstsq(np.stack(columns, axis=-1), missing, rcond=None)[0]
        return bool(np.abs(np.stack(columns, axis=-1) @ best - missing).max() < 1e-8)

    condition = (
        r"$\mathbf f_m$ also holds the wrenches of the joints, which (1.21) does not have; or, by chance, they are "
        r"not needed. The third line is right without them: $J_{mr}^\top$ takes them out."
    )
    implements = reduced_coordinates.forward_dynamics_dense


@section.holds("e2.18#b", "The reduced equations of motion")
class e2_18_b:
    formula = r"(J_{mr}^\top M_mJ_{mr})\ddot{\mathbf q}_r = J_{mr}^\top(\mathbf f_m - M_m\dot J_{mr}\dot{\mathbf q}_r),\quad M_r\ddot{\mathbf q}_r = \mathbf f_r"
    inputs = {**MOVING, "wrenches": arrays(4, 6)}
    result = Result(accelerations, "of the joints, in their order")

    def printed(assembly, q, qdot, wrenches):
        J, J_dot = body_trees.jacobian(assembly, q), body_trees.jacobian_rate(assembly, q, qdot)
        M_m, f_m = maximal_masses(assembly), all_wrenches(assembly, q, qdot) + np.ravel(wrenches)
        return np.linalg.solve(J.T @ M_m @ J, J.T @ (f_m - M_m @ J_dot @ qdot))

    def library(assembly, q, qdot, wrenches):
        return reduced_coordinates.forward_dynamics_dense(tree_of(assembly), q, qdot, wrenches=wrenches)

    def reference(assembly, q, qdot, wrenches):
        """Compare with Gauss's principle for the point masses of all bodies."""
        load = body_trees.jacobian(assembly, q).T @ np.ravel(wrenches)
        return body_trees.accelerations(assembly, q, qdot, load)

    tolerance = 1e-8
    remark = "With the Coriolis wrenches among the forces, as said above (2.2), and no forces of the joints."
    implements = reduced_coordinates.forward_dynamics_dense


@section.holds("t830#a", "A sixth of the size, for hinges")
class t830_a:
    formula = (
        r"M_r \text{ and } \mathbf f_r \text{ are } 1/6 \text{ the size of } M_m \text{ and } \mathbf f_m"
    )
    inputs = {"assembly": ANY_SIZE, "angle": numbers()}
    result = Result(NUMBER, "numbers, counted")

    def printed(assembly, angle):
        """Rows of both: a sixth of those in maximal coordinates."""
        size = 6 * len(assembly.parents)
        return [size / 6, size / 6]

    def library(assembly, angle):
        system = reduced_coordinates.TreeSystem(tree_of(assembly))
        q = np.full(system.tree.num_coordinates, angle)
        state = State(q=q, qdot=q)
        return [len(system.mass_matrix(state)), len(system.force(state))]

    def reference(assembly, angle):
        """Count how many independent motions there are, by the rank of complex steps of the poses."""
        rates = complex_steps.partial_derivatives(
            lambda x: body_trees.poses(assembly, x), np.full(assembly.num_coordinates, angle)
        )
        return [np.linalg.matrix_rank(rates.reshape(len(rates), -1))] * 2

    remark = (
        r"In rows, and in columns too: $M_r$ has a 36th of the entries. But $M_m$ is zero outside its blocks of "
        r"$6\times6$, and from 37 hinges on the full matrix $M_r$ of a chain has more to store than those."
    )
    implements = reduced_coordinates.TreeSystem


@section.holds("t830#b", "No constraints are required: the Jacobian takes care of them")
class t830_b:
    formula = r"J_{mr}\ddot{\mathbf q}_r + \dot J_{mr}\dot{\mathbf q}_r \text{ is the solution of the KKT system of all bodies and hinges}"
    inputs = ON_HINGES
    result = Result(TWIST / TIME, "of each body, in its frame")

    def printed(assembly, q, qdot):
        M_r, f_r = reduced(assembly, q, qdot)
        qddot = np.linalg.solve(M_r, f_r)
        return body_trees.jacobian(assembly, q) @ qddot + body_trees.jacobian_rate(assembly, q, qdot) @ qdot

    def library(assembly, q, qdot):
        hinged = tree_of(assembly)
        at = reduced_coordinates.body_kinematics(hinged, q, qdot)
        return (
            at.J @ reduced_coordinates.forward_dynamics_dense(hinged, q, qdot) + at.bias_acceleration
        ).ravel()

    def reference(assembly, q, qdot):
        """Compare with maximal coordinates, with rows and bias accelerations of the hinges from differences of their separation."""
        n = len(assembly.parents)
        E, phi = body_trees.poses(assembly, q), body_trees.twists(assembly, q, qdot)
        units = np.eye(6 * n).reshape(6 * n, n, 6)
        G = body_trees.hinge_error_rates(assembly, E, units).T
        M, forces = np.zeros((6 * n, 6 * n)), []
        for i, (m, c, J) in enumerate(zip(assembly.masses, assembly.centers, assembly.inertias, strict=True)):
            M[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = kinetic_energy_matrix(m, J, c)
            pull = E[i, :3, :3].T @ (m * assembly.gravity)
            load = np.concatenate([np.cross(c, pull), pull])
            forces.append(load - inertial_wrench(m, c, J, phi[i], np.zeros(6)))
        return constrained_system(
            M, G, np.concatenate(forces), -body_trees.hinge_bias_acceleration(assembly, E, phi)
        )[0]

    tolerance = 1e-8
    implements = reduced_coordinates.forward_dynamics_dense


@section.holds("t830#c", "The quadratic velocity vector")
class t830_c:
    formula = r"-J_{mr}^\top M_m\dot J_{mr}\dot{\mathbf q}_r \text{ is quadratic in the velocities}"
    inputs = {**MOVING, "faster": positive_numbers(0.5, 4)}
    result = Result(forces, "of the joints, in their order")

    def printed(assembly, q, qdot, faster):
        """Multiply the vector at the velocities by the square of the factor of the speeds."""
        J, J_dot = body_trees.jacobian(assembly, q), body_trees.jacobian_rate(assembly, q, qdot)
        M_m = maximal_masses(assembly)
        return faster**2 * (-J.T @ M_m @ J_dot @ qdot)

    def library(assembly, q, qdot, faster):
        mechanism = tree_of(assembly)
        at = reduced_coordinates.body_kinematics(mechanism, q, faster * qdot)
        loads = np.stack([M @ rate for M, rate in zip(mechanism.inertias, at.bias_acceleration, strict=True)])
        return -at.J.reshape(-1, 7).T @ loads.ravel()

    def reference(assembly, q, qdot, faster):
        """Compare with the forces of free bodies with these twists, minus those at steady coordinates by d'Alembert's principle."""
        qdot = faster * qdot
        phi, still = body_trees.twists(assembly, q, qdot), np.zeros(6)
        bodies = zip(assembly.masses, assembly.centers, assembly.inertias, phi, strict=True)
        free = np.concatenate([inertial_wrench(m, c, J, each, still) for m, c, J, each in bodies])
        whole = body_trees.inertial_forces(assembly, q, qdot, np.zeros(7))
        return body_trees.jacobian(assembly, q).T @ free - whole

    tolerance = 1e-8
    remark = (
        r"Extra to the Coriolis wrenches in $\mathbf f_m$, which are quadratic too: it is the sum of both that "
        r"does not depend on where the bodies' frames are."
    )
    implements = reduced_coordinates.body_kinematics


# ------------------------------------------------------------------------------------------------------------
# Adaptive integration, and what accelerations take. The oracles know pendulums, or recur over trees.


COUNTED = {"assembly": serial_chains(5, 2), "states": arrays(2, 5)}
MASS, ARM, INERTIA, ANGLE = 1.3, 0.7, 0.4, 2.2
RAISED, LOW = (2.5, 2.0), (0.1, 0.1)
"""Angles from the vertical of both arms of a double pendulum, which are let go."""


@section.holds("t846#a", "An adaptive integrator takes small steps as needed")
class t846_a:
    formula = r"\text{(2.21) by an adaptive integrator: as exact as is asked for}"
    result = Result(NUMBER, "the angle of the pendulum after one second")

    def printed():
        """Return the angle after one second of a pendulum whose center of mass is at the end of its arm."""

        def rates(_, y):
            M_r, f_r = INERTIA + MASS * ARM**2, -MASS * 9.81 * ARM * np.sin(y[0])
            return [y[1], f_r / M_r]

        return solve_ivp(rates, (0, 1), [ANGLE, 0.0], method="RK45", rtol=1e-7, atol=1e-7).y[0, -1:]

    def library():
        """Its axis is z, gravity points along x."""
        body = spatial_inertia(MASS, INERTIA * np.eye(3), np.array([ARM, 0.0, 0.0]))
        pendulum = reduced_coordinates.Tree(
            [reduced_coordinates.Link("bob", joints.Revolute(), body)], gravity=[9.81, 0.0, 0.0]
        )
        start = State(q=[ANGLE], qdot=[0.0])
        return reduced_coordinates.integrate_adaptively(
            reduced_coordinates.TreeSystem(pendulum), start, [1], rtol=1e-6, atol=1e-6
        ).q[-1]

    def reference():
        """Compare with Jacobi's elliptic functions."""
        frequency, k = np.sqrt(MASS * 9.81 * ARM / (INERTIA + MASS * ARM**2)), np.sin(ANGLE / 2)
        sn = ellipj(ellipk(k**2) + frequency, k**2)[0]
        return [2 * np.arcsin(k * sn)]

    tolerance = 1e-5
    tolerance_reason = "the integrators' own errors: 1e-6 is accepted in each of a few steps"
    exact = "one swing is compared, in its first second"
    remark = "Adaptive is not stable for ever: energy drifts by what is accepted in a step, one way, slowly."
    implements = reduced_coordinates.integrate_adaptively


def separation_factor(rates, starts):
    """Return the factor by which a distance of 1e-7 from starts ``(m, 4)`` grows within four seconds."""
    h = 1 / 30
    states = np.stack([starts, starts + 1e-7 * np.eye(4)[0]])
    for _ in range(120):
        k1 = rates(states)
        k2 = rates(states + h / 2 * k1)
        k3 = rates(states + h / 2 * k2)
        states = states + h / 6 * (k1 + 2 * k2 + 2 * k3 + rates(states + h * k3))
    return np.linalg.norm(states[1] - states[0], axis=-1) / 1e-7


@section.holds("t846#b", "Two links without damping can be chaotic")
class t846_b:
    formula = r"\text{`even a simple two-link system can result in chaotic behavior'}"
    result = Result(NUMBER, "how many links, then whether motions part: raised, and low")

    def printed():
        """Two links; they part; of small swings the notes say nothing, and they are no chaos."""
        return [2.0, 1.0, 0.0]

    def library():
        arm = spatial_inertia(1.0, 1e-9 * np.eye(3), np.array([1.0, 0.0, 0.0]))
        elbow = np.eye(4)
        elbow[0, 3] = 1.0
        upper = reduced_coordinates.Link("upper", joints.Revolute(), arm)
        lower = reduced_coordinates.Link("lower", joints.Revolute(), arm, "upper", elbow)
        both = reduced_coordinates.Tree([upper, lower], gravity=[9.81, 0.0, 0.0])

        def rates(states):
            q, qdot = states[..., :2], states[..., 2:]
            return np.concatenate([qdot, reduced_coordinates.forward_dynamics_dense(both, q, qdot)], axis=-1)

        factors = separation_factor(rates, np.array([[a, b - a, 0.0, 0.0] for a, b in (RAISED, LOW)]))
        return [len(both.links), *(factors > 100)]

    def reference():
        """Compare with the textbook's double pendulum of two point masses, in its two angles from the vertical."""

        def rates(states):
            a, b, adot, bdot = np.moveaxis(states, -1, 0)
            c, s = np.cos(a - b), np.sin(a - b)
            f = -s * bdot**2 - 2 * 9.81 * np.sin(a)
            g = s * adot**2 - 9.81 * np.sin(b)
            return np.stack([adot, bdot, (f - c * g) / (2 - c**2), (2 * g - c * f) / (2 - c**2)], axis=-1)

        starts = np.array([[a, b, 0.0, 0.0] for a, b in (RAISED, LOW)])
        return [starts.shape[1] / 2, *(separation_factor(rates, starts) > 100)]

    exact = "whether two motions part is said by yes or no"
    primitives = ("rbnotes.ledger.claims.sueda.section_2_3.separation_factor",)
    remark = (
        "Both arms raised, two motions 1e-7 apart are some 700 times as far apart after 4 s. The footnote shows "
        "a video of such a pendulum."
    )
    implements = reduced_coordinates.Tree


@section.holds("t848#a", "The same accelerations as recursive forward dynamics")
class t848_a:
    formula = r"M_r^{-1}\mathbf f_r = \text{the accelerations of recursive forward dynamics}"
    inputs = {**ON_HINGES, "tau": arrays(4)}
    result = Result(RATE / TIME, "of the joints, in their order")

    def printed(assembly, q, qdot, tau):
        M_r, f_r = reduced(assembly, q, qdot)
        return np.linalg.inv(M_r) @ (f_r + tau)

    def library(assembly, q, qdot, tau):
        return reduced_coordinates.forward_dynamics_dense(tree_of(assembly), q, qdot, tau)

    def reference(assembly, q, qdot, tau):
        """Compare with recursive forward dynamics: articulated inertias from the leaves, accelerations from the root."""
        return recursive_accelerations(assembly.parents, hinge_links(assembly, q, qdot), tau)

    tolerance = 1e-8
    remark = "So any integrator that is given either goes the same way, up to rounding (and then chaos)."
    implements = reduced_coordinates.forward_dynamics_dense


def t848_b_quantity(values):
    return vector_quantity((NUMBER, 1), (RATE / TIME, values["assembly"].num_coordinates))


@section.holds("t848#b", "Solving with the reduced mass matrix takes O(n^3)")
class t848_b:
    formula = r"O(n^3):\ \tfrac13n^3 + n^2 - \tfrac13n \text{ products to solve } M_r\ddot{\mathbf q}_r = \mathbf f_r"
    inputs = COUNTED

    result = Result(t848_b_quantity, "operations, counted, then one for each joint")

    def printed(assembly, states):
        n = len(assembly.parents)
        q, qdot = states[:, :n]
        qddot = reduced_coordinates.forward_dynamics_dense(tree_of(assembly), q, qdot)
        return [n**3 / 3 + n**2 - n / 3, *qddot]

    def reference(assembly, states):
        """Compare with elimination with numbers that count their products; masses and forces by d'Alembert's principle."""
        q, qdot = states[:, : assembly.num_coordinates]
        weighed, tally = body_trees.mass_weighted_jacobian(assembly, q), [0]
        forces = body_trees.gravity_forces(assembly, q)
        forces = forces - body_trees.inertial_forces(assembly, q, qdot, np.zeros(assembly.num_coordinates))
        found = gaussian_elimination(counted_array(weighed.T @ weighed, tally), counted_array(forces, tally))
        return [tally[0], *map(float, found)]

    tolerance = 1e-8
    remark = (
        r"Solving suffices, the inverse is not needed. To form $J_{mr}^\top M_mJ_{mr}$ of a chain takes of the "
        r"order of $n^3$ as well."
    )
    implements = reduced_coordinates.forward_dynamics_dense


def t848_c_quantity(values):
    return vector_quantity((NUMBER, 1), (RATE / TIME, values["assembly"].num_coordinates))


@section.holds("t848#c", "Recursive forward dynamics takes O(n)")
class t848_c:
    formula = r"O(n):\ 650n - 589 \text{ products for a chain of hinges, as it is written in the oracle}"
    inputs = COUNTED

    result = Result(t848_c_quantity, "operations, counted, then one for each joint")

    def printed(assembly, states):
        n = len(assembly.parents)
        q, qdot = states[:, :n]
        qddot = reduced_coordinates.forward_dynamics_dense(tree_of(assembly), q, qdot)
        return [650 * n - 589, *qddot]

    def reference(assembly, states):
        """Compare with recursive forward dynamics: articulated inertias from the leaves, accelerations from the root, with numbers that count their products."""
        n, tally = assembly.num_coordinates, [0]
        q, qdot = states[:, :n]
        parts = [
            tuple(counted_array(part, tally) for part in link) for link in hinge_links(assembly, q, qdot)
        ]
        tau = counted_array(np.zeros(n), tally)
        found = recursive_accelerations(assembly.parents, parts, tau)
        return [tally[0], *map(float, found)]

    tolerance = 1e-8
    remark = "Other ways to write it take fewer; what matters is that each body adds the same. Section 2.10 has it."
    implements = reduced_coordinates.forward_dynamics_dense


@section.misprint("t848#d", "What the linear method computes")
class t848_d:
    page_2019 = Page(24)
    page_2021 = Page(33)
    formula = r"\text{`the product of the reduced mass matrix with the right-hand-side'}"
    inputs = ON_HINGES
    result = Result(RATE / TIME, "of the joints, in their order")

    def printed(assembly, q, qdot):
        M_r, f_r = reduced(assembly, q, qdot)
        return M_r @ f_r

    def library(assembly, q, qdot):
        return reduced_coordinates.forward_dynamics_dense(tree_of(assembly), q, qdot)

    def reference(assembly, q, qdot):
        """Compare with recursive forward dynamics: articulated inertias from the leaves, accelerations from the root."""
        return recursive_accelerations(assembly.parents, hinge_links(assembly, q, qdot), np.zeros(4))

    tolerance = 1e-8
    correction = r"The product of its *inverse* with the right side, $M_r^{-1}\mathbf f_r$."
    replacement = "(Somehow, the linear method automatically computes the product of the inverse of the reduced mass matrix with the right-hand-side!)"
    units_mismatch = r"multiplied by the mass matrix instead of its inverse"
    implements = reduced_coordinates.forward_dynamics_dense


# ------------------------------------------------------------------------------------------------------------
# A step in reduced coordinates. The oracles ask Newton for each point mass.


STEP = (symplectic_euler, reduced_coordinates.TreeSystem)
STEPPED = {**MOVING, "h": positive_numbers(0.125, 1)}


def new_velocities(assembly, q, qdot, h):
    """Return the new velocities of (2.20)."""
    M_r, f_r = reduced(assembly, q, qdot)
    return np.linalg.solve(M_r, M_r @ qdot + h * f_r)


def step_of_library(assembly, q, qdot, h):
    """Return a step of the library."""
    return symplectic_euler(reduced_coordinates.TreeSystem(tree_of(assembly)), State(q=q, qdot=qdot), h)


@section.holds("e2.19", "The acceleration as a difference")
class e2_19:
    formula = r"\ddot{\mathbf q}_r = \frac{\dot{\mathbf q}_r^{(k+1)} - \dot{\mathbf q}_r^{(k)}}h"
    inputs = STEPPED
    result = Result(accelerations, "of the joints, in their order")

    def printed(assembly, q, qdot, h):
        """Return the difference over a step of (2.20)."""
        return (new_velocities(assembly, q, qdot, h) - qdot) / h

    def library(assembly, q, qdot, h):
        return (step_of_library(assembly, q, qdot, h).qdot - qdot) / h

    def reference(assembly, q, qdot, h):
        """Compare with Gauss's principle for the point masses of all bodies: (2.20) is (2.18) with this difference."""
        return body_trees.accelerations(assembly, q, qdot, np.zeros(7))

    tolerance = 1e-8
    implements = STEP


@section.holds("e2.20", "The new velocities of the joints")
class e2_20:
    formula = r"M_r\dot{\mathbf q}_r^{(k+1)} = M_r\dot{\mathbf q}_r^{(k)} + h\,\mathbf f_r"
    inputs = STEPPED
    result = Result(velocities, "of the joints, in their order")

    printed = new_velocities

    def library(assembly, q, qdot, h):
        return step_of_library(assembly, q, qdot, h).qdot

    def reference(assembly, q, qdot, h):
        """Compare with a step with the accelerations of Gauss's principle for the point masses of all bodies."""
        return qdot + h * body_trees.accelerations(assembly, q, qdot, np.zeros(7))

    tolerance = 1e-8
    implements = STEP


@section.conditional("t840#a", "The system for the new velocities is dense")
class t840_a:
    page_2019 = Page(24)
    page_2021 = Page(33)
    formula = r"M_r \text{ has no zeros}"
    inputs = {"assembly": HINGED, "q": arrays(4)}
    result = Result(NUMBER, "of the joints, in their order")

    def printed(assembly, q):
        return np.ones((len(q), len(q)))

    def library(assembly, q):
        return np.abs(reduced_coordinates.mass_matrix(tree_of(assembly), q)) > 1e-9

    def reference(assembly, q):
        """Find the pairs of joint velocities that share a term in the kinetic energy of all point masses."""
        weighed = body_trees.mass_weighted_jacobian(assembly, q)
        return np.abs(weighed.T @ weighed) > 1e-9

    given = {"assembly": CHAIN, "q": arrays(4)}

    def holds_when(assembly, q):
        """Return True if the parent of each body but the first is the one before it."""
        return assembly.parents == (-1, 0, 1, 2)

    condition = (
        r"The tree is a chain. Of two joints neither of which carries the other, none moves what the other one "
        r"moves, and their entry is zero."
    )
    remark = r"Solvers for trees make use of it: elimination from the leaves to the root fills in nothing."
    implements = reduced_coordinates.mass_matrix


@section.holds("t840#b", "The new positions of the joints")
class t840_b:
    formula = r"\mathbf q_r^{(k+1)} = \mathbf q_r^{(k)} + h\,\dot{\mathbf q}_r^{(k+1)}"
    inputs = STEPPED
    result = Result(coordinates, "of the joints, in their order")

    def printed(assembly, q, qdot, h):
        return q + h * new_velocities(assembly, q, qdot, h)

    def library(assembly, q, qdot, h):
        return step_of_library(assembly, q, qdot, h).q

    def reference(assembly, q, qdot, h):
        """Compare with a step with the accelerations of Gauss's principle for the point masses of all bodies."""
        return q + h * qdot + h**2 * body_trees.accelerations(assembly, q, qdot, np.zeros(7))

    tolerance = 1e-8
    remark = r"$\tfrac12 h^2\ddot{\mathbf q}_r$ too much, as in (1.29): a method of first order."
    implements = STEP


def e2_21_quantity(values):
    return velocities(values) + accelerations(values)


@section.holds("e2.21", "The equations of first order for an integrator")
class e2_21:
    formula = r"\frac{d}{dt}\begin{pmatrix} \mathbf q_r \\ \dot{\mathbf q}_r \end{pmatrix} = \begin{pmatrix} \dot{\mathbf q}_r \\ M_r^{-1}\mathbf f_r \end{pmatrix}"
    inputs = MOVING

    result = Result(
        e2_21_quantity, "rates of the coordinates, then of their rates, of the joints in their order"
    )

    def printed(assembly, q, qdot):
        M_r, f_r = reduced(assembly, q, qdot)
        return np.concatenate([qdot, np.linalg.inv(M_r) @ f_r])

    def library(assembly, q, qdot):
        system, state = reduced_coordinates.TreeSystem(tree_of(assembly)), State(q=q, qdot=qdot)
        return np.concatenate([state.qdot, system.acceleration(state)])

    def reference(assembly, q, qdot):
        """Compare with the slope, by differences, of a motion with the accelerations of Gauss's principle for the point masses of all bodies."""
        qddot = body_trees.accelerations(assembly, q, qdot, np.zeros(7))
        return time_derivative_at_zero(
            lambda t: np.hstack([q + t * qdot + t**2 / 2 * qddot, qdot + t * qddot])
        )

    tolerance = 1e-8
    implements = reduced_coordinates.TreeSystem
