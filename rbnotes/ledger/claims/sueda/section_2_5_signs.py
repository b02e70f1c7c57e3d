"""Sueda 2.5: stiffness and damping of joints and of bodies, and their signs."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.dynamics import State, implicit_euler, linearly_implicit_problem
from rbnotes.forces import Damping, ForceGroups, ZeroLengthSprings, on_body, path_through
from rbnotes.ledger.claims.sueda.section_2_5 import (
    CHAPTER,
    JOINTS,
    ON_CLOUD,
    equations_of_motion,
    joints_only,
    model,
)
from rbnotes.ledger.claims.sueda.section_2_5_implicit import (
    STATE,
    STEP,
    STEPPED,
    UNKNOWN_TORQUES,
    spring_and_damper_step,
    step_library,
)
from rbnotes.ledger.joint_quantities import BRANCHING
from rbnotes.ledger.oracles import complex_steps
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
    TORQUE,
    stacked_quantity,
)
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody.reduced import TreeSystem
from rbnotes.testing import complex_step, jacobian
from rbnotes.testing.strategies import arrays, numbers, positive_numbers, spd_matrices

NO_SHARE = "where the claim holds, the right side has no share of the damping"

QUANTITIES = {"M": INERTIA, "d": ANGULAR_MOMENTUM, "k": ENERGY, "rest": NUMBER, "v": RATE}


@claim("sueda/s2.5/e2.78", "Stiffness and damping matrices of linear springs and dampers")
class e2_78:
    formula = (
        r"K_r = -\frac{\partial\tau_K}{\partial q_r} = \mathrm{diag}(K_1, \ldots, K_n),\quad D_r = "
        r"-\frac{\partial\tau_D}{\partial\dot q_r} = \mathrm{diag}(D_1, \ldots, D_n)"
    )
    inputs = JOINTS
    result = stacked_quantity(TORQUE, ANGULAR_MOMENTUM)

    def printed(q, v, k, d, rest):
        return np.array([np.diag(k), np.diag(d)])

    def library(q, v, k, d, rest):
        """The library's K and D are derivatives of forces without a minus."""
        _, K, D = TreeSystem(joints_only(k, d, rest)).linearized_force(State(q=q, qdot=v))
        return -np.array([K, D])

    oracle = (
        "differences of complex steps of the energy of springs, and of half the power that dampers take up"
    )

    def reference(q, v, k, d, rest):
        def hessian(weights, x):
            return jacobian(lambda y: complex_step(lambda z: np.sum(weights * z**2) / 2, y), x).value

        return np.array([hessian(k, q - rest), hessian(d, v)])

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.multibody.reduced.TreeSystem.linearized_force",)
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
    quantities = {"law": stacked_quantity(ENERGY, ANGULAR_MOMENTUM)}
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
        K_m = complex_steps.partial_derivatives(
            lambda y: clouds.spring_wrenches(cloud, y, k, ENDS), q
        ).T @ np.linalg.pinv(J)
        D_m, K_r, D_r = d * np.eye(24), -k * np.eye(5), d * np.eye(5)
        f_m = clouds.spring_wrenches(cloud, q, k, ENDS) - share * d * J @ v
        f_r = -k * q - share * d * v
        left = M + J.T @ (h * D_m - h**2 * K_m) @ J + h * D_r - h**2 * K_r
        return np.linalg.solve(left, M @ v + h * (f_r + J.T @ f_m + f))

    def library(cloud, q, v, k, d, h, share):
        ends = path_through(on_body(1, ENDS[0]), on_body(3, ENDS[1]))
        forces = ForceGroups([ZeroLengthSprings(k, ends), Damping(d, [0, 1, 2, 3])])
        system = TreeSystem(model(cloud, k, d), applied_forces=forces)
        return implicit_euler(system, State(q=q, qdot=v), h).qdot

    oracle = (
        "a step of Newton's method for implicit Euler, slopes by complex steps, of point masses under moments and "
        "forces at the end of the step; the bodies' own accelerations and J from its start"
    )

    def reference(cloud, q, v, k, d, h, share):
        places, masses = clouds.point_positions(cloud), clouds.point_mass(cloud)
        M, free = mass_matrix(places, masses, q), net_generalized_force(places, masses, cloud.gravity, q, v)
        J = clouds.jacobian(cloud, q)

        def missing(after):
            end = q + h * after
            torques = -k * end - d * after
            on_bodies = clouds.spring_wrenches(cloud, end, k, ENDS) - d * (after @ J.T)
            return (after - v) @ M - h * (free + torques + on_bodies @ J)

        # About positions at the start, where the velocity that moves them is zero, and the old velocity: all
        # that depends on velocities is linear in them.
        still = np.zeros(5)
        return np.linalg.solve(complex_steps.partial_derivatives(missing, still).T, -missing(still))

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
