"""Sueda 2.5: linearly implicit steps of a tree, and the signs of K and D."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.checking import complex_step, jacobian
from rbnotes.checking.strategies import arrays, numbers, positive_numbers, spd_matrices, vectors
from rbnotes.dynamics import State, implicit_euler, linearly_implicit_problem, linearly_implicit_velocity
from rbnotes.forces import Damping, ForceGroups, ZeroLengthSprings, on_body, through
from rbnotes.ledger.jointed import BRANCHING
from rbnotes.ledger.oracles import complex_steps
from rbnotes.ledger.oracles import hinged_clouds as clouds
from rbnotes.ledger.oracles.dalembert import free_force, inertia_of
from rbnotes.ledger.quantities import (
    ANGULAR_MOMENTUM,
    ENERGY,
    INERTIA,
    LENGTH,
    NUMBER,
    RATE,
    TIME,
    TORQUE,
    rows,
)
from rbnotes.ledger.record import Verdict, claim
from rbnotes.ledger.sueda.section_2_5 import (
    CHAPTER,
    JOINTS,
    ON_CLOUD,
    SPRUNG,
    equations_of_motion,
    joints_only,
    model,
    per_coordinate,
)
from rbnotes.tree import TreeSystem

ONE_STEP = {
    "M": spd_matrices(3),
    "k": per_coordinate(3),
    "d": per_coordinate(3),
    "f": vectors(),
    "q": vectors(),
    "v": vectors(),
    "h": positive_numbers(0.125, 1.0),
}
STATE = {"cloud": clouds.clouds(), "q": clouds.five(100), "v": clouds.five(200)}
STEPPED = {**SPRUNG, **STATE, "h": positive_numbers(0.125, 0.5)}
STEP = ("rbnotes.dynamics.implicit_euler", "rbnotes.tree.TreeSystem.forces")
NO_SHARE = "where the claim holds, the right side has no share of the damping"


QUANTITIES = {"M": INERTIA, "d": ANGULAR_MOMENTUM, "f": ENERGY, "k": ENERGY, "rest": NUMBER, "v": RATE}


def spring_and_damper_step(cloud, q, v, k, d, rest, h):
    """New velocities, with the torques at the end of the step as unknowns, and all else from its start."""
    places, masses, one = clouds.places(cloud), clouds.point_mass(cloud), np.eye(5)
    M, free = inertia_of(places, masses, q), free_force(places, masses, cloud.gravity, q, v)
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
    inputs = {**STEPPED, "share": numbers(0.25, 1.0)}
    quantities = ON_CLOUD
    result = BRANCHING / TIME
    constants = (LENGTH,)

    def printed(cloud, q, v, k, d, rest, h, share):
        """With an f_r that contains a share of the damping torques, beside all of the springs'."""
        M, f = equations_of_motion(cloud, q, v)
        f_r = -k * (q - rest) - share * d * v
        return np.linalg.solve(M + h * np.diag(d) + h**2 * np.diag(k), M @ v + h * (f_r + f))

    def library(cloud, q, v, k, d, rest, h, share):
        return step_library(cloud, q, v, k, d, rest, h)

    oracle = UNKNOWN_TORQUES

    def reference(cloud, q, v, k, d, rest, h, share):
        return spring_and_damper_step(cloud, q, v, k, d, rest, h)

    tolerance = 1e-08
    equivalent_mutants = {
        "flipped sign in `-k * (q - rest) - share * d * v`": NO_SHARE,
        "dropped `share * d * v` in `-k * (q - rest) - share * d * v`": NO_SHARE,
        "dropped factor `d` in `share * d`": NO_SHARE,
        "dropped factor `v` in `share * d * v`": NO_SHARE,
    }
    verdict = Verdict.CONDITIONAL
    given = {**STEPPED, "share": st.just(0.0)}

    def holds_when(cloud, q, v, k, d, rest, h, share):
        return share * np.linalg.norm(v) == 0

    condition = r"$f_r^{(k)}$ holds the torques of the springs and leaves out those of the dampers, which $D_r$ accounts for"
    correction = (
        r"$\left(M_r + hD_r + h^2K_r\right)\dot q_r^{(k+1)} = \left(M_r + hD_r\right)\dot q_r^{(k)} + "
        r"h\left(f_r^{(k)} + J_{mr}^T\left(f_m^{(k)} - M_m\dot J_{mr}\dot q_r^{(k)}\right)\right)$ "
        r"with $M_r = J_{mr}^TM_mJ_{mr}$ and all joint torques in $f_r^{(k)}$"
    )
    remark = (
        r"The text says that the damping torque disappears from the right side, but (2.73) and (2.74) have put it into "
        r"$f_r$, and left there it damps twice, however small the step."
    )
    implemented_by = STEP
    chapter = CHAPTER


@claim("sueda/s2.5/e2.78", "Stiffness and damping matrices of linear springs and dampers")
class e2_78:
    formula = (
        r"K_r = -\frac{\partial\tau_K}{\partial q_r} = \mathrm{diag}(K_1, \ldots, K_n),\quad D_r = "
        r"-\frac{\partial\tau_D}{\partial\dot q_r} = \mathrm{diag}(D_1, \ldots, D_n)"
    )
    inputs = JOINTS
    result = rows(TORQUE, ANGULAR_MOMENTUM)

    def printed(q, v, k, d, rest):
        return np.array([np.diag(k), np.diag(d)])

    def library(q, v, k, d, rest):
        """The library's K and D are derivatives of forces without a minus."""
        _, K, D = TreeSystem(joints_only(k, d, rest)).forces(State(q=q, qdot=v))
        return -np.array([K, D])

    oracle = (
        "differences of complex steps of the energy of springs, and of half the power that dampers take up"
    )

    def reference(q, v, k, d, rest):
        def hessian(weights, x):
            return jacobian(lambda y: complex_step(lambda z: np.sum(weights * z**2) / 2, y), x).value

        return np.array([hessian(k, q - rest), hessian(d, v)])

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.tree.TreeSystem.forces",)
    chapter = CHAPTER


def _laws():
    """Slopes A and C of an affine force by positions and velocities, and K and D, equal to them but for signs."""
    signs = st.sampled_from(((1, -1), (1, 1), (-1, -1), (-1, 1)))
    return st.builds(lambda A, C, s: np.array([A, C, s[0] * A, s[1] * C]), arrays(3, 3), arrays(3, 3), signs)


def _customary():
    """Those with the one sign and with the other."""
    return st.builds(lambda A, C: np.array([A, C, A, -C]), arrays(3, 3), arrays(3, 3))


@claim("sueda/s2.5/t1168", "Where others have their minus signs")
class t1168:
    formula = r"M + hD - h^2K:\ \text{`sometimes people move the negative signs around' [Baraff and Witkin]}"
    inputs = {"M": spd_matrices(3), "law": _laws(), "v": arrays(3), "h": positive_numbers(0.25, 1.0)}
    quantities = {"law": rows(ENERGY, ANGULAR_MOMENTUM)}
    result = INERTIA

    def printed(M, law, v, h):
        _, _, K, D = law
        return M + h * D - h**2 * K

    def library(M, law, v, h):
        A, C, _, _ = law
        return linearly_implicit_problem(M, v, np.zeros(3), A, C, h).mass

    oracle = "complex steps of the equation of implicit Euler by the new velocities"

    def reference(M, law, v, h):
        A, C, _, _ = law
        return complex_step(lambda after: M @ (after - v) - h * (A @ (h * after) + C @ after), v)

    verdict = Verdict.CONDITIONAL
    given = {"M": spd_matrices(3), "law": _customary(), "v": arrays(3), "h": positive_numbers(0.25, 1.0)}

    def holds_when(M, law, v, h):
        A, C, K, D = law
        return np.array_equal(K, A) and np.array_equal(D, -C)

    condition = (
        r"$K = +\partial f/\partial q$ but $D = -\partial f/\partial\dot q$: only the sign of $K$ has moved"
    )
    remark = (
        r"With both signs moved, as by Baraff and Witkin, it is $M - h\,\partial f/\partial\dot q - h^2\,\partial "
        r"f/\partial q$; with those of (2.78), $M + hD + h^2K$."
    )
    implemented_by = ("rbnotes.dynamics.linearly_implicit_problem",)
    chapter = CHAPTER


@claim("sueda/s2.5/e2.79#a", "Both kinds of implicit terms: the sign of the joint stiffness")
class e2_79_a:
    formula = (
        r"\left(J_{mr}^T\left(M_m + hD_m - h^2K_m\right)J_{mr} + hD_r - h^2K_r\right)\dot q_r^{(k+1)} = \ldots,\quad "
        r"K_r = -\partial\tau_K/\partial q_r"
    )
    inputs = STEPPED
    quantities = ON_CLOUD
    result = BRANCHING / TIME
    constants = (LENGTH,)

    def printed(cloud, q, v, k, d, rest, h):
        """Without forces on bodies that are implicit, and with the damping torques left out of f_r."""
        M, f = equations_of_motion(cloud, q, v)
        K_r, D_r = np.diag(k), np.diag(d)
        return np.linalg.solve(M + h * D_r - h**2 * K_r, M @ v + h * (-k * (q - rest) + f))

    library = step_library
    oracle = UNKNOWN_TORQUES
    reference = spring_and_damper_step
    tolerance = 1e-08
    verdict = Verdict.ERRATUM
    combined_with = ("sueda/s2.5/e2.78", "sueda/s2.5/e2.77")
    correction = r"$+h^2K_r$ with the $K_r$ of (2.78), as in (2.77); or $K_r = +\partial\tau_K/\partial q_r$"
    remark = (
        r"A stiff spring makes the matrix indefinite: with $h^2K_r$ above $M_r + hD_r$ the step pushes the wrong way, "
        r"and near that it divides by zero."
    )
    implemented_by = STEP
    chapter = CHAPTER


ENDS = np.array([[0.35, -0.2, 0.55], [-0.45, 0.3, 0.15]])
HUNG = {
    **STATE,
    "k": positive_numbers(),
    "d": positive_numbers(0.25, 1.0),
    "h": positive_numbers(0.125, 0.25),
}


@claim("sueda/s2.5/e2.79#b", "Both kinds of implicit terms: forces on bodies and on joints")
class e2_79_b:
    formula = (
        r"\left(J_{mr}^T\left(M_m + hD_m - h^2K_m\right)J_{mr} + hD_r - h^2K_r\right)\dot q_r^{(k+1)} = \left(J_{mr}^T"
        r"M_mJ_{mr}\right)\dot q_r^{(k)} + h\left(f_r^{(k)} + J_{mr}^T\left(f_m^{(k)} - M_m\dot J_{mr}\dot q_r^{(k)}"
        r"\right)\right)"
    )
    inputs = {**HUNG, "share": numbers(0.25, 1.0)}
    quantities = ON_CLOUD
    result = BRANCHING / TIME
    constants = (LENGTH,)

    def printed(cloud, q, v, k, d, h, share):
        """A spring between two bodies, dampers on all, springs and dampers in joints; a share of damping in f."""
        J, (M, f) = clouds.jacobian(cloud, q), equations_of_motion(cloud, q, v)
        K_m = complex_steps.slopes(lambda y: clouds.spring_wrenches(cloud, y, k, ENDS), q).T @ np.linalg.pinv(
            J
        )
        D_m, K_r, D_r = d * np.eye(24), -k * np.eye(5), d * np.eye(5)
        f_m = clouds.spring_wrenches(cloud, q, k, ENDS) - share * d * J @ v
        f_r = -k * q - share * d * v
        left = M + J.T @ (h * D_m - h**2 * K_m) @ J + h * D_r - h**2 * K_r
        return np.linalg.solve(left, M @ v + h * (f_r + J.T @ f_m + f))

    def library(cloud, q, v, k, d, h, share):
        ends = through(on_body(1, ENDS[0]), on_body(3, ENDS[1]))
        forces = ForceGroups([ZeroLengthSprings(k, ends), Damping(d, [0, 1, 2, 3])])
        system = TreeSystem(model(cloud, k, d), applied=forces)
        return implicit_euler(system, State(q=q, qdot=v), h).qdot

    oracle = (
        "a step of Newton's method for implicit Euler, slopes by complex steps, of point masses under moments and "
        "forces at the end of the step; the bodies' own accelerations and J from its start"
    )

    def reference(cloud, q, v, k, d, h, share):
        places, masses = clouds.places(cloud), clouds.point_mass(cloud)
        M, free = inertia_of(places, masses, q), free_force(places, masses, cloud.gravity, q, v)
        J = clouds.jacobian(cloud, q)

        def missing(after):
            end = q + h * after
            torques = -k * end - d * after
            on_bodies = clouds.spring_wrenches(cloud, end, k, ENDS) - d * (after @ J.T)
            return (after - v) @ M - h * (free + torques + on_bodies @ J)

        # About positions at the start, where the velocity that moves them is zero, and the old velocity: all
        # that depends on velocities is linear in them.
        still = np.zeros(5)
        return np.linalg.solve(complex_steps.slopes(missing, still).T, -missing(still))

    tolerance = 1e-08
    equivalent_mutants = {
        "flipped sign in `clouds.spring_wrenches(cloud, q, k, ENDS) - share * d * J @ v`": NO_SHARE,
        "dropped `share * d * J @ v` in `clouds.spring_wrenches(cloud, q, k, ENDS) - share * d * J @ v`": NO_SHARE,
        "flipped sign in `-k * q - share * d * v`": NO_SHARE,
        "dropped `share * d * v` in `-k * q - share * d * v`": NO_SHARE,
        "dropped factor `v` in `share * d * v`": NO_SHARE,
        "dropped factor `d` in `share * d`": NO_SHARE,
    }
    verdict = Verdict.CONDITIONAL
    given = {**HUNG, "share": st.just(0.0)}

    def holds_when(cloud, q, v, k, d, h, share):
        return share * np.linalg.norm(v) == 0

    condition = (
        r"both $K$ are $+\partial f/\partial q$ and both $D$ are $-\partial f/\partial\dot q$, and $f_r$ and $f_m$ "
        r"leave out the damping"
    )
    correction = (
        r"with $K = +\partial f/\partial q$, $D = +\partial f/\partial\dot q$ throughout and all forces on the right: "
        r"$\left(J_{mr}^T(M_m - hD_m - h^2K_m)J_{mr} - hD_r - h^2K_r\right)\dot q_r^{(k+1)} = "
        r"\left(J_{mr}^T(M_m - hD_m)J_{mr} - hD_r\right)\dot q_r^{(k)} + "
        r"h\left(f_r^{(k)} + J_{mr}^T\left(f_m^{(k)} - M_m\dot J_{mr}\dot q_r^{(k)}\right)\right)$"
    )
    remark = (
        r"How $J$, weights and the bodies' own wrenches change in the step is left out: an error of second order in "
        r"$h$ in each step, like all the rest that linearly implicit Euler leaves."
    )
    implemented_by = STEP
    chapter = CHAPTER
