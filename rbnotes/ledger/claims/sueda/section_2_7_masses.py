"""Sueda 2.7: masses and forces of bodies, attached and free nodes, before anything is reduced."""

from __future__ import annotations

import numpy as np
from scipy.linalg import block_diag, expm

from rbnotes.dynamics import FreeSystem, State, gravity_wrench, gyroscopic_wrench
from rbnotes.ledger.claims.sueda.section_2_7 import CHAPTER, chain_springs, pull, stretched
from rbnotes.ledger.claims.sueda.section_2_7_attached import FREE, SPRINGS, TIED, by_kind
from rbnotes.ledger.oracles.branching_tree import time_derivative
from rbnotes.ledger.oracles.branching_tree_inputs import TREE, placements, spatial_inertia
from rbnotes.ledger.oracles.twists import twist_matrix
from rbnotes.ledger.quantities import (
    ANGULAR_MOMENTUM,
    ENERGY,
    FORCE,
    LENGTH,
    MOMENTUM,
    TORQUE,
    VELOCITY,
    stacked_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import arrays

QUANTITIES = {"K": ENERGY, "nodes": LENGTH, "w": VELOCITY}


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


@claim("sueda/s2.7/e2.91", "Mass matrix and forces of bodies, attached and free vertices")
class e2_91:
    formula = (
        r"M_M = \begin{pmatrix} M_m & 0 & 0 \\ 0 & M_a & 0 \\ 0 & 0 & M_f \end{pmatrix},\quad"
        r" f_M = \begin{pmatrix} f_m \\ f_a \\ f_f \end{pmatrix}"
    )
    inputs = {
        "E": placements(4).map(lambda at: at[:, 0]),
        "bodies": TREE["bodies"],
        "g": TREE["g"],
        "phi": arrays(4, 6),
        "nodes": arrays(4, 3).map(lambda x: x / 4 + np.outer(np.arange(4), [1.0, 1.5, -1.25])),
        "w": arrays(4, 3),
        **SPRINGS,
    }
    result = stacked_quantity(
        vector_quantity(*4 * ((ANGULAR_MOMENTUM, 3), (MOMENTUM, 3)), (MOMENTUM, 12)),
        vector_quantity(*4 * ((TORQUE, 3), (FORCE, 3)), (FORCE, 12)),
    )

    def printed(E, bodies, g, phi, nodes, w, m, K, L):
        force = maximal_force(E, phi, bodies, nodes, m, K, L, g)
        return [maximal_matrix(bodies, m) @ by_kind(phi, w), force]

    def library(E, bodies, g, phi, nodes, w, m, K, L):
        free = FreeSystem([spatial_inertia(points) for points in bodies], m, g, chain_springs(K, L))
        state = State(E=E, phi=phi, x=nodes, v=w)
        momentum, force = free.mass_matrix(state) @ state.velocity, free.force(state)
        return [by_kind(part[:24], part[24:]) for part in (momentum, force)]

    oracle = "slopes of the kinetic energy of points; Newton's law for points of bodies that turn steadily"

    def reference(E, bodies, g, phi, nodes, w, m, K, L):
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
            lambda z: stretched(z.reshape(4, 3), K, L) - m @ z.reshape(4, 3) @ g, nodes.ravel()
        )
        order = [*range(27), 33, 34, 35, *range(27, 33)]  # attached nodes before free ones
        return [momentum[order], np.append(wrenches, -slope)[order]]

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.FreeSystem", "rbnotes.forces.ForceGroups")
    chapter = CHAPTER
