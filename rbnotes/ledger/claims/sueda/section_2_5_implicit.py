"""Sueda 2.5: linearly implicit steps of a tree, and the signs of K and D."""

from __future__ import annotations

import numpy as np

from rbnotes.dynamics import State, implicit_euler, linearly_implicit_velocity
from rbnotes.ledger.claims.sueda.section_2_5 import (
    CHAPTER,
    ON_CLOUD,
    SPRUNG,
    equations_of_motion,
    model,
    per_coordinate,
)
from rbnotes.ledger.joint_quantities import BRANCHING
from rbnotes.ledger.oracles import point_mass_tree as clouds
from rbnotes.ledger.oracles.dalembert import mass_matrix, net_generalized_force
from rbnotes.ledger.quantities import (
    ANGULAR_MOMENTUM,
    ENERGY,
    INERTIA,
    LENGTH,
    NUMBER,
    RATE,
    TIME,
)
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody.reduced import TreeSystem
from rbnotes.testing.strategies import positive_numbers, spd_matrices, vectors

ONE_STEP = {
    "M": spd_matrices(3),
    "k": per_coordinate(3),
    "d": per_coordinate(3),
    "f": vectors(),
    "q": vectors(),
    "v": vectors(),
    "h": positive_numbers(0.125, 1.0),
}
STATE = {"cloud": clouds.point_mass_trees(), "q": clouds.five_numbers(100), "v": clouds.five_numbers(200)}
STEPPED = {**SPRUNG, **STATE, "h": positive_numbers(0.125, 0.5)}
STEP = ("rbnotes.dynamics.implicit_euler", "rbnotes.multibody.reduced.TreeSystem.linearized_force")


QUANTITIES = {"M": INERTIA, "d": ANGULAR_MOMENTUM, "f": ENERGY, "k": ENERGY, "rest": NUMBER, "v": RATE}


def spring_and_damper_step(cloud, q, v, k, d, rest, h):
    """New velocities, with the torques at the end of the step as unknowns, and all else from its start."""
    places, masses, one = clouds.point_positions(cloud), clouds.point_mass(cloud), np.eye(5)
    M, free = mass_matrix(places, masses, q), net_generalized_force(places, masses, cloud.gravity, q, v)
    system = np.block([[M, -h * one], [np.diag(d + h * k), one]])
    return np.linalg.solve(system, np.concatenate([M @ v + h * free, -k * (q - rest)]))[:5]


def step_library(cloud, q, v, k, d, rest, h):
    return implicit_euler(TreeSystem(model(cloud, k, d, rest)), State(q=q, qdot=v), h).qdot


UNKNOWN_TORQUES = (
    "mass and free motion of point masses, and the torques at the end of the step as unknowns of their own"
)


def end_of_step(M, k, d, f, q, v, h):
    """Coordinates, velocities, and torques of springs and dampers after a step: four equations for them."""
    n = len(q)
    one, none = np.eye(n), np.zeros((n, n))
    system = np.block(
        [
            [one, -h * one, none, none],
            [none, M, -h * one, -h * one],
            [np.diag(k), none, one, none],
            [none, np.diag(d), none, one],
        ]
    )
    known = np.concatenate([q, M @ v + h * f, np.zeros(n), np.zeros(n)])
    return np.linalg.solve(system, known).reshape(4, n)


@claim("sueda/s2.5/t1156", "The new velocity moves the coordinates")
class t1156:
    formula = r"\dot q_r^{(k+1)} = \left(q_r^{(k+1)} - q_r^{(k)}\right)/h"
    inputs = ONE_STEP
    result = RATE

    def printed(M, k, d, f, q, v, h):
        """The new coordinates from their own equation; the velocity is their difference over the step."""
        A = M / h + np.diag(d) + h * np.diag(k)
        moved = np.linalg.solve(A, A @ q + M @ v + h * (f - k * q))
        return (moved - q) / h

    def library(M, k, d, f, q, v, h):
        return linearly_implicit_velocity(M, v, f - k * q - d * v, -np.diag(k), -np.diag(d), h)

    oracle = "implicit Euler with the forces at the end of the step as unknowns"

    def reference(M, k, d, f, q, v, h):
        return end_of_step(M, k, d, f, q, v, h)[1]

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.linearly_implicit_velocity",)
    chapter = CHAPTER


@claim("sueda/s2.5/t1160#a", "The damping torque disappears from the right hand side")
class t1160_a:
    formula = (
        r"(M + hD)\,\dot q^{(k+1)} = M\dot q^{(k)} + hf:\ \text{`gets an ``implicit'' term that goes on the left hand "
        r"side, and completely disappears from the right hand side'}"
    )
    inputs = ONE_STEP
    result = RATE

    def printed(M, k, d, f, q, v, h):
        """Springs as they are at the start of the step, for once: the damper is what counts."""
        return np.linalg.solve(M + h * np.diag(d), M @ v + h * (f - k * q))

    def library(M, k, d, f, q, v, h):
        none = np.zeros((3, 3))
        return linearly_implicit_velocity(M, v, f - k * q - d * v, none, -np.diag(d), h)

    oracle = "implicit Euler with the forces at the end of the step as unknowns"

    def reference(M, k, d, f, q, v, h):
        return end_of_step(M, 0 * k, d, f - k * q, q, v, h)[1]

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    remark = "For linear dampers. With others, what the tangent leaves of the torque stays on the right."
    implemented_by = ("rbnotes.dynamics.linearly_implicit_velocity",)
    chapter = CHAPTER


@claim("sueda/s2.5/t1160#b", "On which side the new velocities are collected")
class t1160_b:
    formula = (
        r"\text{`By moving all the factors of $\dot q_r^{(k+1)}$ from both forces to the right hand side, we get "
        r"(2.77)'}"
    )
    inputs = ONE_STEP
    result = RATE

    def printed(M, k, d, f, q, v, h):
        """What multiplies the new velocity on the left, and on the right."""
        return np.array([M, -h * np.diag(d) - h**2 * np.diag(k)])

    def library(M, k, d, f, q, v, h):
        return linearly_implicit_velocity(M, v, f - k * q - d * v, -np.diag(k), -np.diag(d), h)

    oracle = "implicit Euler with the forces at the end of the step as unknowns"

    def reference(M, k, d, f, q, v, h):
        return end_of_step(M, k, d, f, q, v, h)[1]

    tolerance = 1e-08
    verdict = Verdict.MISPRINT
    undefined = "with the unknown on both sides there is nothing to compute"
    correction = "to the left hand side, where (2.77) has them."
    implemented_by = ("rbnotes.dynamics.linearly_implicit_velocity",)
    chapter = CHAPTER


@claim("sueda/s2.5/e2.77", "Linearly implicit Euler for a tree with springs and dampers in its joints")
class e2_77:
    formula = (
        r"\left(J_{mr}^TM_mJ_{mr} + hD_r + h^2K_r\right)\dot q_r^{(k+1)} = \left(J_{mr}^TM_mJ_{mr}\right)"
        r"\dot q_r^{(k)} + h\left(f_r^{(k)} + J_{mr}^T\left(f_m^{(k)} - M_m\dot J_{mr}\dot q_r^{(k)}\right)\right)"
    )
    inputs = STEPPED
    quantities = ON_CLOUD
    result = BRANCHING / TIME
    constants = (LENGTH,)

    def printed(cloud, q, v, k, d, rest, h):
        """With an f_r of the springs alone: the dampers' torques have disappeared from the right side."""
        M, f = equations_of_motion(cloud, q, v)
        f_r = -k * (q - rest)
        return np.linalg.solve(M + h * np.diag(d) + h**2 * np.diag(k), M @ v + h * (f_r + f))

    library = step_library
    oracle = UNKNOWN_TORQUES
    reference = spring_and_damper_step
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    remark = (
        r"$f_r^{(k)}$ holds the torques of the springs, and not those of the dampers: these, says the sentence before "
        r"it, `completely disappear'. But (2.73) and (2.74) have put both into this letter, and dampers that are left "
        r"there damp twice, however small the step. With all torques in it, $hD_r\dot q_r^{(k)}$ comes to the right side."
    )
    implemented_by = STEP
    chapter = CHAPTER
