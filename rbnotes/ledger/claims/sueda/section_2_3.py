"""Sueda 2.3: the reduced equations of motion. The oracles apply Newton's law to each point mass."""

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
    HINGE_TREES,
    MOTION,
    MOTION_OF_HINGES,
    coriolis,
    maximal_mass_matrix,
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
from rbnotes.multibody import Body, Model, simulate
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
        "speed_factor": Argument(NUMBER, "of the rates"),
        "h": Argument(TIME),
        "tau": Argument(forces, "of the joints, in their order"),
        "states": Argument(stacked_quantity(NUMBER, RATE)),
    },
)


REACTION_FREE = st.shared(
    st.tuples(HINGE_TREES, arrays(4), arrays(4), arrays(4)), key="bodies whose joints are idle"
)


def all_wrenches(assembly, q, qdot):
    """Return Coriolis wrenches and weights of all bodies ``(6 n,)``: (1.21) without its left-hand side."""
    E, phi, wrenches = body_trees.poses(assembly, q), body_trees.twists(assembly, q, qdot), []
    for i, (m, c, J) in enumerate(zip(assembly.masses, assembly.centers, assembly.inertias, strict=True)):
        wrenches.append(coriolis(kinetic_energy_matrix(m, J, c), phi[i]) + gravity_wrench(assembly, i, E[i]))
    return np.concatenate(wrenches)


def reduced_terms(assembly, q, qdot):
    """Return ``M_r`` and ``f_r`` of (2.18)."""
    J, J_dot = body_trees.jacobian(assembly, q), body_trees.jacobian_rate(assembly, q, qdot)
    M_m, f_m = maximal_mass_matrix(assembly), all_wrenches(assembly, q, qdot)
    return J.T @ M_m @ J, J.T @ (f_m - M_m @ J_dot @ qdot)


def momentum_rates(assembly, phi, phidot):
    """Return ``M_m`` times the rates of the twists, from the wrenches on the point masses of each body."""
    wrenches = []
    for i, (m, c, J) in enumerate(zip(assembly.masses, assembly.centers, assembly.inertias, strict=True)):
        gyroscopic = inertial_wrench(m, c, J, phi[i], np.zeros(6))
        wrenches.append(inertial_wrench(m, c, J, phi[i], phidot[i]) - gyroscopic)
    return np.concatenate(wrenches)


def reaction_free_wrenches(assembly, q, qdot, qddot):
    """Return applied wrenches ``(n, 6)`` with which the bodies move this way without joint reactions."""
    E, phi = body_trees.poses(assembly, q), body_trees.twists(assembly, q, qdot)
    phidot = body_trees.twist_rates(assembly, q, qdot, qddot)
    wrenches = []
    for i, (m, c, J) in enumerate(zip(assembly.masses, assembly.centers, assembly.inertias, strict=True)):
        wrenches.append(inertial_wrench(m, c, J, phi[i], phidot[i]) - gravity_wrench(assembly, i, E[i]))
    return np.stack(wrenches)


@section.conditional("e2.18#a", "Equations of all bodies with the accelerations of the joints substituted")
class e2_18_a:
    page_2019 = Page(23)
    page_2021 = Page(32)
    formula = r"M_m(J_{mr}\ddot{\mathbf q}_r + \dot J_{mr}\dot{\mathbf q}_r) = \mathbf f_m,\quad M_mJ_{mr}\ddot{\mathbf q}_r = \mathbf f_m - M_m\dot J_{mr}\dot{\mathbf q}_r"
    inputs = {**MOTION_OF_HINGES, "wrenches": arrays(4, 6)}
    result = Result(WRENCH, "on each body, in its frame")

    def printed(assembly, q, qdot, wrenches):
        f_m = all_wrenches(assembly, q, qdot) + np.ravel(wrenches)
        return f_m

    def library(assembly, q, qdot, wrenches):
        """Return the left-hand side for the motion of the bodies."""
        tree = tree_of(assembly)
        kinematics = reduced_coordinates.body_kinematics(tree, q, qdot)
        body_accelerations = (
            kinematics.J @ reduced_coordinates.forward_dynamics_dense(tree, q, qdot, wrenches=wrenches)
            + kinematics.bias_acceleration
        )
        return np.concatenate(
            [M @ acceleration for M, acceleration in zip(tree.inertias, body_accelerations, strict=True)]
        )

    def reference(assembly, q, qdot, wrenches):
        """Compare with the inertial forces of point masses, whose accelerations follow from Gauss's principle."""
        load = body_trees.jacobian(assembly, q).T @ np.ravel(wrenches)
        qddot = body_trees.accelerations(assembly, q, qdot, load)
        phi, phidot = body_trees.twists(assembly, q, qdot), body_trees.twist_rates(assembly, q, qdot, qddot)
        return momentum_rates(assembly, phi, phidot)

    tolerance = 1e-8
    condition_inputs = {
        "assembly": REACTION_FREE.map(lambda drawn: drawn[0]),
        "q": REACTION_FREE.map(lambda drawn: drawn[1]),
        "qdot": REACTION_FREE.map(lambda drawn: drawn[2]),
        "wrenches": REACTION_FREE.map(lambda drawn: reaction_free_wrenches(*drawn)),
    }

    def holds_when(assembly, q, qdot, wrenches):
        """Return True if some acceleration of the joints requires exactly these wrenches."""
        base = reaction_free_wrenches(assembly, q, qdot, np.zeros(4)).ravel()
        columns = [reaction_free_wrenches(assembly, q, qdot, unit).ravel() - base for unit in np.eye(4)]
        residual = np.ravel(wrenches) - base
        if not np.all(np.isfinite([*columns, residual])):  # the squares of the rates overflow
            return False
        fit = np.linalg.lstsq(np.stack(columns, axis=-1), residual, rcond=None)[0]
        return bool(np.abs(np.stack(columns, axis=-1) @ fit - residual).max() < 1e-8)

    condition = (
        r"$\mathbf f_m$ also contains the wrenches of the joints, which (1.21) does not contain, or "
        r"these happen to be zero. The third line is right without them, because $J_{mr}^\top$ "
        "eliminates them."
    )
    implements = reduced_coordinates.forward_dynamics_dense


@section.holds("e2.18#b", "Reduced equations of motion")
class e2_18_b:
    formula = r"(J_{mr}^\top M_mJ_{mr})\ddot{\mathbf q}_r = J_{mr}^\top(\mathbf f_m - M_m\dot J_{mr}\dot{\mathbf q}_r),\quad M_r\ddot{\mathbf q}_r = \mathbf f_r"
    inputs = {**MOTION, "wrenches": arrays(4, 6)}
    result = Result(accelerations, "of the joints, in their order")

    def printed(assembly, q, qdot, wrenches):
        J, J_dot = body_trees.jacobian(assembly, q), body_trees.jacobian_rate(assembly, q, qdot)
        M_m, f_m = maximal_mass_matrix(assembly), all_wrenches(assembly, q, qdot) + np.ravel(wrenches)
        return np.linalg.solve(J.T @ M_m @ J, J.T @ (f_m - M_m @ J_dot @ qdot))

    def library(assembly, q, qdot, wrenches):
        return reduced_coordinates.forward_dynamics_dense(tree_of(assembly), q, qdot, wrenches=wrenches)

    def reference(assembly, q, qdot, wrenches):
        """Compare with Gauss's principle for the point masses of all bodies."""
        load = body_trees.jacobian(assembly, q).T @ np.ravel(wrenches)
        return body_trees.accelerations(assembly, q, qdot, load)

    tolerance = 1e-8
    remark = (
        "The forces include the Coriolis wrenches, as stated before (2.2), but not the forces of the joints."
    )
    implements = reduced_coordinates.forward_dynamics_dense


@section.holds("t830#a", "Size of the reduced system of hinges")
class t830_a:
    formula = (
        r"M_r \text{ and } \mathbf f_r \text{ are } 1/6 \text{ the size of } M_m \text{ and } \mathbf f_m"
    )
    inputs = {"assembly": ANY_SIZE, "angle": numbers()}
    result = Result(NUMBER, "rows of the matrix, then of the vector")

    def printed(assembly, angle):
        """Return a sixth of the number of rows in maximal coordinates, for both."""
        size = 6 * len(assembly.parents)
        return [size / 6, size / 6]

    def library(assembly, angle):
        system = tree_of(assembly)
        q = np.full(system.num_coordinates, angle)
        state = State(q=q, qdot=q)
        return [len(system.mass_matrix(state)), len(system.force(state))]

    def reference(assembly, angle):
        """Count the independent motions, by the rank of complex steps of the poses."""
        rates = complex_steps.partial_derivatives(
            lambda x: body_trees.poses(assembly, x), np.full(assembly.num_coordinates, angle)
        )
        return [np.linalg.matrix_rank(rates.reshape(len(rates), -1))] * 2

    remark = (
        "The ratio is that of rows and of columns: $M_r$ has 1/36 of the entries. But $M_m$ is zero "
        r"outside its $6\times6$ blocks, and for 37 hinges or more the full matrix $M_r$ of a chain "
        "needs more storage than these blocks."
    )
    implements = reduced_coordinates.Tree


@section.holds("t830#b", "The Jacobian makes constraints unnecessary")
class t830_b:
    formula = r"J_{mr}\ddot{\mathbf q}_r + \dot J_{mr}\dot{\mathbf q}_r \text{ is the solution of the KKT system of all bodies and hinges}"
    inputs = MOTION_OF_HINGES
    result = Result(TWIST / TIME, "of each body, in its frame")

    def printed(assembly, q, qdot):
        M_r, f_r = reduced_terms(assembly, q, qdot)
        qddot = np.linalg.solve(M_r, f_r)
        return body_trees.jacobian(assembly, q) @ qddot + body_trees.jacobian_rate(assembly, q, qdot) @ qdot

    def library(assembly, q, qdot):
        tree = tree_of(assembly)
        kinematics = reduced_coordinates.body_kinematics(tree, q, qdot)
        return (
            kinematics.J @ reduced_coordinates.forward_dynamics_dense(tree, q, qdot)
            + kinematics.bias_acceleration
        ).ravel()

    def reference(assembly, q, qdot):
        """Compare with maximal coordinates, with rows and bias accelerations of the hinges by differences."""
        n = len(assembly.parents)
        E, phi = body_trees.poses(assembly, q), body_trees.twists(assembly, q, qdot)
        units = np.eye(6 * n).reshape(6 * n, n, 6)
        G = body_trees.hinge_error_rates(assembly, E, units).T
        M, forces = np.zeros((6 * n, 6 * n)), []
        for i, (m, c, J) in enumerate(zip(assembly.masses, assembly.centers, assembly.inertias, strict=True)):
            M[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = kinetic_energy_matrix(m, J, c)
            weight = E[i, :3, :3].T @ (m * assembly.gravity)
            load = np.concatenate([np.cross(c, weight), weight])
            forces.append(load - inertial_wrench(m, c, J, phi[i], np.zeros(6)))
        return constrained_system(
            M, G, np.concatenate(forces), -body_trees.hinge_bias_acceleration(assembly, E, phi)
        )[0]

    tolerance = 1e-8
    implements = reduced_coordinates.forward_dynamics_dense


@section.holds("t830#c", "Quadratic velocity vector")
class t830_c:
    formula = r"-J_{mr}^\top M_m\dot J_{mr}\dot{\mathbf q}_r \text{ is quadratic in the velocities}"
    inputs = {**MOTION, "speed_factor": positive_numbers(0.5, 4)}
    result = Result(forces, "of the joints, in their order")

    def printed(assembly, q, qdot, speed_factor):
        """Multiply the vector by the square of the factor of the velocities."""
        J, J_dot = body_trees.jacobian(assembly, q), body_trees.jacobian_rate(assembly, q, qdot)
        M_m = maximal_mass_matrix(assembly)
        return speed_factor**2 * (-J.T @ M_m @ J_dot @ qdot)

    def library(assembly, q, qdot, speed_factor):
        tree = tree_of(assembly)
        kinematics = reduced_coordinates.body_kinematics(tree, q, speed_factor * qdot)
        loads = np.stack(
            [M @ rate for M, rate in zip(tree.inertias, kinematics.bias_acceleration, strict=True)]
        )
        return -kinematics.J.reshape(-1, 7).T @ loads.ravel()

    def reference(assembly, q, qdot, speed_factor):
        """Compare with the forces of free bodies with these twists, minus those of d'Alembert's principle.

        The latter are the generalized forces at constant rates.
        """
        qdot = speed_factor * qdot
        phi, zeros = body_trees.twists(assembly, q, qdot), np.zeros(6)
        bodies = zip(assembly.masses, assembly.centers, assembly.inertias, phi, strict=True)
        free_body_wrenches = np.concatenate(
            [inertial_wrench(m, c, J, twist, zeros) for m, c, J, twist in bodies]
        )
        total = body_trees.inertial_forces(assembly, q, qdot, np.zeros(7))
        return body_trees.jacobian(assembly, q).T @ free_body_wrenches - total

    tolerance = 1e-8
    remark = (
        r"The vector is in addition to the Coriolis wrenches in $\mathbf f_m$, which are also quadratic. "
        "Only the sum of both is independent of the choice of the body frames."
    )
    implements = reduced_coordinates.body_kinematics


# ------------------------------------------------------------------------------------------------------------
# Adaptive integration, and the cost of accelerations. The oracles: pendulums, and recursions over trees.


COUNTING_INPUTS = {"assembly": serial_chains(5, 2), "states": arrays(2, 5)}
MASS, ARM, INERTIA, ANGLE = 1.3, 0.7, 0.4, 2.2
RAISED_START, LOW_START = (2.5, 2.0), (0.1, 0.1)
"""Initial angles of both arms of a double pendulum from the vertical."""


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
        """Integrate with the axis along z and gravity along x."""
        body = spatial_inertia(MASS, INERTIA * np.eye(3), np.array([ARM, 0.0, 0.0]))
        model = Model([Body("bob", inertia=body, joint=joints.Revolute())], gravity=[9.81, 0.0, 0.0])
        initial = model.state(q={"bob": ANGLE})
        options = {"scheme": "DOP853", "rtol": 1e-6, "atol": 1e-6}
        return simulate(model, initial, h=1.0, steps=1, **options).q("bob")[-1]

    def reference():
        """Compare with Jacobi's elliptic functions."""
        frequency, k = np.sqrt(MASS * 9.81 * ARM / (INERTIA + MASS * ARM**2)), np.sin(ANGLE / 2)
        sn = ellipj(ellipk(k**2) + frequency, k**2)[0]
        return [2 * np.arcsin(k * sn)]

    tolerance = 1e-5
    tolerance_reason = "the integrators accept an error of 1e-6 in each of a few steps"
    exact = "only the first second of one swing is compared"
    remark = (
        "An adaptive integrator does not conserve energy: the energy drifts slowly in one direction, by "
        "the error that is accepted in each step."
    )
    implements = simulate


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
    result = Result(NUMBER, "number of links, then 1 if motions diverge: from raised and from low arms")

    def printed():
        """Return two links, which diverge; the notes do not mention small oscillations, which are not chaotic."""
        return [2.0, 1.0, 0.0]

    def library():
        arm = spatial_inertia(1.0, 1e-9 * np.eye(3), np.array([1.0, 0.0, 0.0]))
        elbow = np.eye(4)
        elbow[0, 3] = 1.0
        upper = reduced_coordinates.Link("upper", joints.Revolute(), arm)
        lower = reduced_coordinates.Link("lower", joints.Revolute(), arm, "upper", elbow)
        pendulum = reduced_coordinates.Tree([upper, lower], gravity=[9.81, 0.0, 0.0])

        def rates(states):
            q, qdot = states[..., :2], states[..., 2:]
            return np.concatenate(
                [qdot, reduced_coordinates.forward_dynamics_dense(pendulum, q, qdot)], axis=-1
            )

        factors = separation_factor(
            rates, np.array([[a, b - a, 0.0, 0.0] for a, b in (RAISED_START, LOW_START)])
        )
        return [len(pendulum.links), *(factors > 100)]

    def reference():
        """Compare with the textbook's double pendulum of two point masses, in its two angles from the vertical."""

        def rates(states):
            a, b, adot, bdot = np.moveaxis(states, -1, 0)
            c, s = np.cos(a - b), np.sin(a - b)
            f = -s * bdot**2 - 2 * 9.81 * np.sin(a)
            g = s * adot**2 - 9.81 * np.sin(b)
            return np.stack([adot, bdot, (f - c * g) / (2 - c**2), (2 * g - c * f) / (2 - c**2)], axis=-1)

        starts = np.array([[a, b, 0.0, 0.0] for a, b in (RAISED_START, LOW_START)])
        return [starts.shape[1] / 2, *(separation_factor(rates, starts) > 100)]

    exact = "the result is a boolean: the two motions diverge, or they do not"
    primitives = ("rbnotes.ledger.claims.sueda.section_2_3.separation_factor",)
    remark = (
        "If the pendulum starts with raised arms, the distance between two motions that start 1e-7 "
        "apart grows by a factor of about 700 in 4 s. The footnote shows a video of such a pendulum."
    )
    implements = reduced_coordinates.Tree


@section.holds("t848#a", "Accelerations equal to those of recursive forward dynamics")
class t848_a:
    formula = r"M_r^{-1}\mathbf f_r = \text{the accelerations of recursive forward dynamics}"
    inputs = {**MOTION_OF_HINGES, "tau": arrays(4)}
    result = Result(RATE / TIME, "of the joints, in their order")

    def printed(assembly, q, qdot, tau):
        M_r, f_r = reduced_terms(assembly, q, qdot)
        return np.linalg.inv(M_r) @ (f_r + tau)

    def library(assembly, q, qdot, tau):
        return reduced_coordinates.forward_dynamics_dense(tree_of(assembly), q, qdot, tau)

    def reference(assembly, q, qdot, tau):
        """Compare with recursive forward dynamics: articulated inertias from the leaves, accelerations from the root."""
        return recursive_accelerations(assembly.parents, hinge_links(assembly, q, qdot), tau)

    tolerance = 1e-8
    remark = (
        "An integrator therefore gives the same motion with both, up to rounding errors, which chaotic "
        "motions amplify."
    )
    implements = reduced_coordinates.forward_dynamics_dense


def t848_b_quantity(values):
    return vector_quantity((NUMBER, 1), (RATE / TIME, values["assembly"].num_coordinates))


@section.holds("t848#b", "Solving with the reduced mass matrix takes O(n^3) operations")
class t848_b:
    formula = r"O(n^3):\ \tfrac13n^3 + n^2 - \tfrac13n \text{ products to solve } M_r\ddot{\mathbf q}_r = \mathbf f_r"
    inputs = COUNTING_INPUTS

    result = Result(t848_b_quantity, "number of products, then the acceleration of each joint")

    def printed(assembly, states):
        n = len(assembly.parents)
        q, qdot = states[:, :n]
        qddot = reduced_coordinates.forward_dynamics_dense(tree_of(assembly), q, qdot)
        return [n**3 / 3 + n**2 - n / 3, *qddot]

    def reference(assembly, states):
        """Compare with elimination with numbers that count their products.

        Mass matrix and forces follow from d'Alembert's principle.
        """
        q, qdot = states[:, : assembly.num_coordinates]
        W, tally = body_trees.mass_weighted_jacobian(assembly, q), [0]
        forces = body_trees.gravity_forces(assembly, q)
        forces = forces - body_trees.inertial_forces(assembly, q, qdot, np.zeros(assembly.num_coordinates))
        qddot = gaussian_elimination(counted_array(W.T @ W, tally), counted_array(forces, tally))
        return [tally[0], *map(float, qddot)]

    tolerance = 1e-8
    remark = (
        r"The inverse is not needed. Forming $J_{mr}^\top M_mJ_{mr}$ of a chain also takes $O(n^3)$ "
        "operations."
    )
    implements = reduced_coordinates.forward_dynamics_dense


def t848_c_quantity(values):
    return vector_quantity((NUMBER, 1), (RATE / TIME, values["assembly"].num_coordinates))


@section.holds("t848#c", "Recursive forward dynamics takes O(n) operations")
class t848_c:
    formula = r"O(n):\ 650n - 589 \text{ products for a chain of hinges, as it is written in the oracle}"
    inputs = COUNTING_INPUTS

    result = Result(t848_c_quantity, "number of products, then the acceleration of each joint")

    def printed(assembly, states):
        n = len(assembly.parents)
        q, qdot = states[:, :n]
        qddot = reduced_coordinates.forward_dynamics_dense(tree_of(assembly), q, qdot)
        return [650 * n - 589, *qddot]

    def reference(assembly, states):
        """Compare with recursive forward dynamics with numbers that count their products.

        Articulated inertias are computed from the leaves, accelerations from the root.
        """
        n, tally = assembly.num_coordinates, [0]
        q, qdot = states[:, :n]
        parts = [
            tuple(counted_array(part, tally) for part in link) for link in hinge_links(assembly, q, qdot)
        ]
        tau = counted_array(np.zeros(n), tally)
        qddot = recursive_accelerations(assembly.parents, parts, tau)
        return [tally[0], *map(float, qddot)]

    tolerance = 1e-8
    remark = (
        "Other implementations need fewer products. The important point is that each body adds the same "
        "number; see section 2.10."
    )
    implements = reduced_coordinates.forward_dynamics_dense


@section.misprint("t848#d", "The product that the linear method computes")
class t848_d:
    page_2019 = Page(24)
    page_2021 = Page(33)
    formula = r"\text{`the product of the reduced mass matrix with the right-hand-side'}"
    inputs = MOTION_OF_HINGES
    result = Result(RATE / TIME, "of the joints, in their order")

    def printed(assembly, q, qdot):
        M_r, f_r = reduced_terms(assembly, q, qdot)
        return M_r @ f_r

    def library(assembly, q, qdot):
        return reduced_coordinates.forward_dynamics_dense(tree_of(assembly), q, qdot)

    def reference(assembly, q, qdot):
        """Compare with recursive forward dynamics: articulated inertias from the leaves, accelerations from the root."""
        return recursive_accelerations(assembly.parents, hinge_links(assembly, q, qdot), np.zeros(4))

    tolerance = 1e-8
    correction = r"The product of its *inverse* with the right-hand side, $M_r^{-1}\mathbf f_r$."
    replacement = "(Somehow, the linear method automatically computes the product of the inverse of the reduced mass matrix with the right-hand-side!)"
    units_mismatch = r"multiplied by the mass matrix instead of its inverse"
    implements = reduced_coordinates.forward_dynamics_dense


# ------------------------------------------------------------------------------------------------------------
# A step in reduced coordinates. The oracles apply Newton's law to each point mass.


STEP = (symplectic_euler, reduced_coordinates.Tree)
STEP_INPUTS = {**MOTION, "h": positive_numbers(0.125, 1)}


def new_velocities(assembly, q, qdot, h):
    """Return the new velocities of (2.20)."""
    M_r, f_r = reduced_terms(assembly, q, qdot)
    return np.linalg.solve(M_r, M_r @ qdot + h * f_r)


def library_step(assembly, q, qdot, h):
    """Take a step of the library."""
    return symplectic_euler(tree_of(assembly), State(q=q, qdot=qdot), h)


@section.holds("e2.19", "Acceleration as a finite difference")
class e2_19:
    formula = r"\ddot{\mathbf q}_r = \frac{\dot{\mathbf q}_r^{(k+1)} - \dot{\mathbf q}_r^{(k)}}h"
    inputs = STEP_INPUTS
    result = Result(accelerations, "of the joints, in their order")

    def printed(assembly, q, qdot, h):
        """Return the difference over a step of (2.20)."""
        return (new_velocities(assembly, q, qdot, h) - qdot) / h

    def library(assembly, q, qdot, h):
        return (library_step(assembly, q, qdot, h).qdot - qdot) / h

    def reference(assembly, q, qdot, h):
        """Compare with Gauss's principle for the point masses of all bodies."""
        return body_trees.accelerations(assembly, q, qdot, np.zeros(7))

    tolerance = 1e-8
    implements = STEP


@section.holds("e2.20", "New velocities of the joints")
class e2_20:
    formula = r"M_r\dot{\mathbf q}_r^{(k+1)} = M_r\dot{\mathbf q}_r^{(k)} + h\,\mathbf f_r"
    inputs = STEP_INPUTS
    result = Result(velocities, "of the joints, in their order")

    printed = new_velocities

    def library(assembly, q, qdot, h):
        return library_step(assembly, q, qdot, h).qdot

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
    inputs = {"assembly": HINGE_TREES, "q": arrays(4)}
    result = Result(NUMBER, "of the joints, in their order")

    def printed(assembly, q):
        return np.ones((len(q), len(q)))

    def library(assembly, q):
        return np.abs(reduced_coordinates.mass_matrix(tree_of(assembly), q)) > 1e-9

    def reference(assembly, q):
        """Find the pairs of joint velocities that share a term in the kinetic energy of all point masses."""
        W = body_trees.mass_weighted_jacobian(assembly, q)
        return np.abs(W.T @ W) > 1e-9

    condition_inputs = {"assembly": CHAIN, "q": arrays(4)}

    def holds_when(assembly, q):
        """Return True if the parent of each body but the first is the preceding body."""
        return assembly.parents == (-1, 0, 1, 2)

    condition = (
        "the tree is a chain. If neither of two joints carries the other, they move no common body, and "
        "their entry is zero."
    )
    remark = "These zeros are structural: they do not depend on the positions. Solvers for trees use them: elimination from the leaves to the root causes no fill-in."
    implements = reduced_coordinates.mass_matrix


@section.holds("t840#b", "New positions of the joints")
class t840_b:
    formula = r"\mathbf q_r^{(k+1)} = \mathbf q_r^{(k)} + h\,\dot{\mathbf q}_r^{(k+1)}"
    inputs = STEP_INPUTS
    result = Result(coordinates, "of the joints, in their order")

    def printed(assembly, q, qdot, h):
        return q + h * new_velocities(assembly, q, qdot, h)

    def library(assembly, q, qdot, h):
        return library_step(assembly, q, qdot, h).q

    def reference(assembly, q, qdot, h):
        """Compare with a step with the accelerations of Gauss's principle for the point masses of all bodies."""
        return q + h * qdot + h**2 * body_trees.accelerations(assembly, q, qdot, np.zeros(7))

    tolerance = 1e-8
    remark = r"Each step goes $\tfrac12 h^2\ddot{\mathbf q}_r$ too far, as in (1.29): the method is of first order."
    implements = STEP


def e2_21_quantity(values):
    return velocities(values) + accelerations(values)


@section.holds("e2.21", "First-order form of the equations of motion")
class e2_21:
    formula = r"\frac{d}{dt}\begin{pmatrix} \mathbf q_r \\ \dot{\mathbf q}_r \end{pmatrix} = \begin{pmatrix} \dot{\mathbf q}_r \\ M_r^{-1}\mathbf f_r \end{pmatrix}"
    inputs = MOTION

    result = Result(
        e2_21_quantity, "rates of the coordinates, then of their rates, of the joints in their order"
    )

    def printed(assembly, q, qdot):
        M_r, f_r = reduced_terms(assembly, q, qdot)
        return np.concatenate([qdot, np.linalg.inv(M_r) @ f_r])

    def library(assembly, q, qdot):
        system, state = tree_of(assembly), State(q=q, qdot=qdot)
        return np.concatenate([state.qdot, system.acceleration(state)])

    def reference(assembly, q, qdot):
        """Compare with the derivative of a motion with the accelerations of Gauss's principle, by differences."""
        qddot = body_trees.accelerations(assembly, q, qdot, np.zeros(7))
        return time_derivative_at_zero(
            lambda t: np.hstack([q + t * qdot + t**2 / 2 * qddot, qdot + t * qddot])
        )

    tolerance = 1e-8
    implements = reduced_coordinates.Tree
