"""Sueda 2.3: the reduced equations of motion. The oracles ask Newton for each point mass."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.dynamics import State
from rbnotes.ledger.claims.sueda.section_2 import coriolis, maximal_masses
from rbnotes.ledger.claims.sueda.section_2_trees import (
    ANY_SIZE,
    CHAPTER,
    HINGED,
    MOVING,
    ON_HINGES,
    tree_of,
)
from rbnotes.ledger.joint_quantities import accelerations, forces
from rbnotes.ledger.oracles import body_trees, complex_steps
from rbnotes.ledger.oracles.bodies import kinetic_energy_matrix
from rbnotes.ledger.oracles.body_quantities import gravity_wrench
from rbnotes.ledger.oracles.constrained_systems import constrained_system
from rbnotes.ledger.oracles.point_mass_dynamics import inertial_wrench
from rbnotes.ledger.quantities import NUMBER, TIME, TWIST, WRENCH
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody import reduced as reduced_coordinates
from rbnotes.testing.strategies import arrays, numbers, positive_numbers

FORWARD = ("rbnotes.multibody.reduced.forward_dynamics_dense",)
NEWTON = "Gauss's principle for the point masses of all bodies"
IDLE = st.shared(st.tuples(HINGED, arrays(4), arrays(4), arrays(4)), key="bodies whose joints are idle")


QUANTITIES = {"faster": NUMBER}


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
    """Applied wrenches ``(n, 6)`` with which the bodies move like that by themselves, their joints idle."""
    E, phi = body_trees.poses(assembly, q), body_trees.twists(assembly, q, qdot)
    phidot = body_trees.twist_rates(assembly, q, qdot, qddot)
    found = []
    for i, (m, c, J) in enumerate(zip(assembly.masses, assembly.centers, assembly.inertias, strict=True)):
        found.append(inertial_wrench(m, c, J, phi[i], phidot[i]) - gravity_wrench(assembly, i, E[i]))
    return np.stack(found)


@claim("sueda/s2.3/e2.18#a", "The equations of all bodies with the accelerations of the joints put in")
class e2_18_a:
    formula = (
        r"M_m(J_{mr}\ddot{\mathbf q}_r + \dot J_{mr}\dot{\mathbf q}_r) = \mathbf f_m,\quad "
        r"M_mJ_{mr}\ddot{\mathbf q}_r = \mathbf f_m - M_m\dot J_{mr}\dot{\mathbf q}_r"
    )
    inputs = {**ON_HINGES, "wrenches": arrays(4, 6)}
    result = WRENCH

    def printed(assembly, q, qdot, wrenches):
        f_m = all_wrenches(assembly, q, qdot) + np.ravel(wrenches)
        return f_m

    def library(assembly, q, qdot, wrenches):
        """The left side, as the bodies really move."""
        hinged = tree_of(assembly)
        at = reduced_coordinates.body_kinematics(hinged, q, qdot)
        rates = (
            at.J @ reduced_coordinates.forward_dynamics_dense(hinged, q, qdot, wrenches=wrenches)
            + at.bias_acceleration
        )
        return np.concatenate([M @ rate for M, rate in zip(hinged.inertias, rates, strict=True)])

    oracle = (
        "the left side: what point masses need for their accelerations, which follow from Gauss's principle"
    )

    def reference(assembly, q, qdot, wrenches):
        load = body_trees.jacobian(assembly, q).T @ np.ravel(wrenches)
        qddot = body_trees.accelerations(assembly, q, qdot, load)
        phi, phidot = body_trees.twists(assembly, q, qdot), body_trees.twist_rates(assembly, q, qdot, qddot)
        return momentum_rates(assembly, phi, phidot)

    tolerance = 1e-8
    verdict = Verdict.CONDITIONAL
    given = {
        "assembly": IDLE.map(lambda drawn: drawn[0]),
        "q": IDLE.map(lambda drawn: drawn[1]),
        "qdot": IDLE.map(lambda drawn: drawn[2]),
        "wrenches": IDLE.map(lambda drawn: carried_wrenches(*drawn)),
    }

    def holds_when(assembly, q, qdot, wrenches):
        """Is there an acceleration of the joints for which the bodies need just these wrenches?"""
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
    implemented_by = FORWARD
    chapter = CHAPTER


@claim("sueda/s2.3/e2.18#b", "The reduced equations of motion")
class e2_18_b:
    formula = (
        r"(J_{mr}^\top M_mJ_{mr})\ddot{\mathbf q}_r = J_{mr}^\top(\mathbf f_m - M_m\dot J_{mr}"
        r"\dot{\mathbf q}_r),\quad M_r\ddot{\mathbf q}_r = \mathbf f_r"
    )
    inputs = {**MOVING, "wrenches": arrays(4, 6)}
    result = accelerations

    def printed(assembly, q, qdot, wrenches):
        J, J_dot = body_trees.jacobian(assembly, q), body_trees.jacobian_rate(assembly, q, qdot)
        M_m, f_m = maximal_masses(assembly), all_wrenches(assembly, q, qdot) + np.ravel(wrenches)
        return np.linalg.solve(J.T @ M_m @ J, J.T @ (f_m - M_m @ J_dot @ qdot))

    def library(assembly, q, qdot, wrenches):
        return reduced_coordinates.forward_dynamics_dense(tree_of(assembly), q, qdot, wrenches=wrenches)

    oracle = NEWTON

    def reference(assembly, q, qdot, wrenches):
        load = body_trees.jacobian(assembly, q).T @ np.ravel(wrenches)
        return body_trees.accelerations(assembly, q, qdot, load)

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    remark = "With the Coriolis wrenches among the forces, as said above (2.2), and no forces of the joints."
    implemented_by = FORWARD
    chapter = CHAPTER


@claim("sueda/s2.3/t830#a", "A sixth of the size, for hinges")
class t830_a:
    formula = (
        r"M_r \text{ and } \mathbf f_r \text{ are } 1/6 \text{ the size of } M_m \text{ and } \mathbf f_m"
    )
    inputs = {"assembly": ANY_SIZE, "angle": numbers()}
    result = NUMBER

    def printed(assembly, angle):
        """Rows of both: a sixth of those in maximal coordinates."""
        size = 6 * len(assembly.parents)
        return [size / 6, size / 6]

    def library(assembly, angle):
        system = reduced_coordinates.TreeSystem(tree_of(assembly))
        q = np.full(system.tree.num_coordinates, angle)
        state = State(q=q, qdot=q)
        return [len(system.mass_matrix(state)), len(system.force(state))]

    oracle = "how many independent motions there are, by the rank of complex steps of the poses"

    def reference(assembly, angle):
        rates = complex_steps.partial_derivatives(
            lambda x: body_trees.poses(assembly, x), np.full(assembly.num_coordinates, angle)
        )
        return [np.linalg.matrix_rank(rates.reshape(len(rates), -1))] * 2

    verdict = Verdict.HOLDS
    remark = (
        r"In rows, and in columns too: $M_r$ has a 36th of the entries. But $M_m$ is zero outside its blocks of "
        r"$6\times6$, and from 37 hinges on the full matrix $M_r$ of a chain has more to store than those."
    )
    implemented_by = ("rbnotes.multibody.reduced.TreeSystem",)
    chapter = CHAPTER


@claim("sueda/s2.3/t830#b", "No constraints are required: the Jacobian takes care of them")
class t830_b:
    formula = (
        r"J_{mr}\ddot{\mathbf q}_r + \dot J_{mr}\dot{\mathbf q}_r \text{ is the solution of the KKT system of all "
        r"bodies and hinges}"
    )
    inputs = ON_HINGES
    result = TWIST / TIME

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

    oracle = "maximal coordinates: rows and drifts of the hinges by differences of how far they are apart"

    def reference(assembly, q, qdot):
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
    verdict = Verdict.HOLDS
    implemented_by = FORWARD
    chapter = CHAPTER


@claim("sueda/s2.3/t830#c", "The quadratic velocity vector")
class t830_c:
    formula = r"-J_{mr}^\top M_m\dot J_{mr}\dot{\mathbf q}_r \text{ is quadratic in the velocities}"
    inputs = {**MOVING, "faster": positive_numbers(0.5, 4)}
    result = forces

    def printed(assembly, q, qdot, faster):
        """That at the velocities themselves, times the square of how much faster it goes."""
        J, J_dot = body_trees.jacobian(assembly, q), body_trees.jacobian_rate(assembly, q, qdot)
        M_m = maximal_masses(assembly)
        return faster**2 * (-J.T @ M_m @ J_dot @ qdot)

    def library(assembly, q, qdot, faster):
        mechanism = tree_of(assembly)
        at = reduced_coordinates.body_kinematics(mechanism, q, faster * qdot)
        loads = np.stack([M @ rate for M, rate in zip(mechanism.inertias, at.bias_acceleration, strict=True)])
        return -at.J.reshape(-1, 7).T @ loads.ravel()

    oracle = (
        "what steady coordinates take, by d'Alembert's principle, less what free bodies of these twists take"
    )

    def reference(assembly, q, qdot, faster):
        qdot = faster * qdot
        phi, still = body_trees.twists(assembly, q, qdot), np.zeros(6)
        bodies = zip(assembly.masses, assembly.centers, assembly.inertias, phi, strict=True)
        free = np.concatenate([inertial_wrench(m, c, J, each, still) for m, c, J, each in bodies])
        whole = body_trees.inertial_forces(assembly, q, qdot, np.zeros(7))
        return body_trees.jacobian(assembly, q).T @ free - whole

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    remark = (
        r"Extra to the Coriolis wrenches in $\mathbf f_m$, which are quadratic too: it is the sum of both that "
        r"does not depend on where the bodies' frames are."
    )
    implemented_by = ("rbnotes.multibody.reduced.body_kinematics",)
    chapter = CHAPTER
