"""Sueda 2.11: staggered projections. Oracles go through the cases of contact and friction one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy import linalg, optimize

from rbnotes.complementarity import LCP, BoxLCP, lemke, solve
from rbnotes.contact import Contacts
from rbnotes.dynamics import BilateralRows, State, StepProblem, solve_step, symplectic_euler
from rbnotes.friction import (
    Bearing,
    FrictionContactProblem,
    friction_contact_problem,
    journal_bearing,
    staggered_projections,
)
from rbnotes.friction.bounded_friction import bounded_friction
from rbnotes.friction.staggered_projections import normal_impulses
from rbnotes.inertia import spatial_inertia
from rbnotes.joints import Revolute
from rbnotes.ledger.claims.sueda.section_1_13 import least_energy
from rbnotes.ledger.joint_quantities import BRANCHING, MASS_POINTS
from rbnotes.ledger.oracles import branching_tree, joint_reactions, single_contact
from rbnotes.ledger.oracles.bodies import kinetic_energy_matrix
from rbnotes.ledger.oracles.branching_tree_inputs import NAMES, TREE, library_tree
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    ACCELERATION,
    ENERGY,
    FORCE,
    INERTIA,
    LENGTH,
    MASS,
    MOMENTUM,
    NUMBER,
    POSE,
    RATE,
    SPATIAL_INERTIA,
    TIME,
    TWIST,
    VELOCITY,
    WRENCH,
    stacked_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody import reduced
from rbnotes.testing.strategies import arrays, numbers, positive_numbers, spd_matrices, vectors

SYSTEM_COORDINATES = "in the coordinates of the whole system"

section = Section(
    "sueda/s2.11",
    chapter="friction-in-joints",
    page_2019=Page(40, last=43),
    page_2021=Page(52, last=55),
    arguments={
        "M": Argument(MASS, "in the coordinates of the whole system, whatever they are"),
        "N": Argument(NUMBER, "rows of the contacts, over the coordinates of the whole system"),
        "v": Argument(VELOCITY, "in the coordinates of the whole system, whatever they are"),
        "f": Argument(FORCE, "in the coordinates of the whole system, whatever they are"),
        "friction_force": Argument(FORCE, "in the coordinates of the whole system, whatever they are"),
        "h": Argument(TIME),
        "alpha": Argument(MOMENTUM),
        "T": Argument(NUMBER, "rows of the contacts, over the coordinates of the whole system"),
        "push": Argument(FORCE, "in the coordinates of the whole system, whatever they are"),
        "mu": Argument(NUMBER, "one for each contact"),
        "d": Argument(VELOCITY),
        "limit": Argument(MOMENTUM),
        "opening": Argument(VELOCITY, "for each contact one at which its bodies separate"),
        "cached": Argument(FORCE, "in the coordinates of the whole system, whatever they are"),
        "at": Argument(
            POSE,
            (
                "for each joint (a cross about x and y; on it a hinge about z, with a slider along z, and "
                "another hinge) its place in its parent's joint, and its body's place in it"
            ),
        ),
        "bodies": Argument(MASS_POINTS, "for each body four points: mass, then place in the body"),
        "g": Argument(ACCELERATION, "along the axes of the world"),
        "q": Argument(BRANCHING, "of the joints, in their order"),
        "contacts": Argument(
            stacked_quantity(LENGTH, NUMBER), "rows of the contacts, over the coordinates of the whole system"
        ),
        "c": Argument(FORCE, "in the coordinates of the whole system, whatever they are"),
        "radius": Argument(LENGTH),
        "height": Argument(LENGTH),
        "load": Argument(FORCE, "in the coordinates of the whole system, whatever they are"),
        "m": Argument(MASS),
        "J": Argument(INERTIA),
        "omega": Argument(RATE),
    },
)


CORNERS = np.eye(4)
MOVING = {
    "M": spd_matrices(4),
    "N": arrays(2, 4).map(lambda rows: CORNERS[:2] + rows / 8),
    "v": arrays(4),
    "f": arrays(4),
    "friction_force": arrays(4),
    "h": positive_numbers(0.125, 1),
}
TANGENTS = np.zeros((2, 2, 4))
OPENING = arrays(2, 4).map(lambda velocities: CORNERS[:2] + velocities / 8)
ORIENTED = {"opening": st.one_of(OPENING, OPENING.map(np.negative), OPENING.map(lambda w: w * [[1], [-1]]))}
APPROACH = {"opening": OPENING.map(np.negative)}
ROWS_OF_APPROACH = (
    r"The rows of $N$ are velocities of approach: $N\dot q \le 0$ where bodies separate. With the rows of 1.11 "
    r"and 1.13, for which $N\dot q \ge 0$ separates, the signs are those of (1.83): $+\alpha^T N(\dot q^{\text{unc}} "
    r"+ hM^{-1}f_\beta)$ and $f_\alpha = +N^T\alpha/h$."
)


def separation_rows(N, opening):
    """Return the rows with the signs for which each is positive at the velocity that opens its contact."""
    return np.sign(np.sum(N * opening, axis=1))[:, None] * N


@section.definition("t1391", "The unconstrained velocity")
class t1391:
    formula = r"\dot q^{\text{unc}} = \dot q^{\text{prev}} + hM^{-1}f"
    defines = (r"\dot q^{\text{unc}}",)
    implements = FrictionContactProblem


@section.conditional("e2.113", "The contact program under friction")
class e2_113:
    page_2019 = Page(41)
    page_2021 = Page(52)
    formula = r"\text{minimize}\quad \tfrac12\alpha^T N M^{-1} N^T\alpha - \alpha^T N(\dot q^{\text{unc}} + hM^{-1}f_\beta) \quad\text{subject to}\quad \alpha \ge 0"
    inputs = MOVING | ORIENTED
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(M, N, v, f, friction_force, h, opening):
        """Solve the program by its optimality conditions, and return f_alpha = -N^T alpha / h."""
        Mi = np.linalg.inv(M)
        unc = v + h * Mi @ f
        alpha = lemke(LCP(N @ Mi @ N.T, -N @ (unc + h * Mi @ friction_force))).z
        f_alpha = -N.T @ alpha / h
        return unc + h * Mi @ (f_alpha + friction_force)

    def library(M, N, v, f, friction_force, h, opening):
        smooth = Contacts.from_directions(separation_rows(N, opening), TANGENTS, 0.0)
        space = friction_contact_problem(StepProblem(M, M @ v + h * f + h * friction_force, contacts=smooth))
        normal = normal_impulses(space, np.zeros((2, 2)))
        return space.apply_impulses(np.column_stack([normal, np.zeros((2, 2))]))[0]

    def reference(M, N, v, f, friction_force, h, opening):
        """Compare with the velocities that close no contact and are nearest, in the mass metric, to those without contact."""
        towards = np.array([n if n @ w > 0 else -n for n, w in zip(N, opening, strict=True)])
        return least_energy(M, M @ v + h * f + h * friction_force, towards)

    tolerance = 1e-8
    given = MOVING | APPROACH
    condition = ROWS_OF_APPROACH

    def holds_when(M, N, v, f, friction_force, h, opening):
        return np.all(np.sum(N * opening, axis=1) < 0)

    remark = (
        r"With rows of separation and both minus signs of 2.11, bodies that separate are pulled together, and "
        r"bodies that approach are let through. (2.115) and (2.116) have the same sign, so that the section "
        r"agrees with itself."
    )
    implements = normal_impulses


@section.conditional("t1395", "The contact force")
class t1395:
    page_2019 = Page(41)
    page_2021 = Page(52)
    formula = r"f_\alpha = -N^T\alpha/h"
    inputs = {"N": MOVING["N"], "alpha": arrays(2).map(np.abs), "h": MOVING["h"]} | ORIENTED
    result = Result(FORCE, "one for each contact")

    def printed(N, alpha, h, opening):
        return -N.T @ alpha / h

    def library(N, alpha, h, opening):
        contacts = Contacts.from_directions(separation_rows(N, opening), TANGENTS, 0.0)
        return contacts.rows.T @ np.column_stack([alpha, np.zeros((2, 2))]).ravel() / h

    def reference(N, alpha, h, opening):
        """Compare with the sum of impulses, each along the direction in which its contact opens."""
        total = np.zeros(4)
        for size, row, velocity in zip(alpha, N, opening, strict=True):
            total += (size / h) * row * (1 if row @ velocity > 0 else -1)
        return total

    given = inputs | APPROACH
    condition = ROWS_OF_APPROACH

    def holds_when(N, alpha, h, opening):
        return np.all(np.sum(N * opening, axis=1) < 0)

    remark = "With rows of separation the contact pulls, as by the sign of (1.84)."
    implements = Contacts


FRICTION_INPUTS = {
    "M": spd_matrices(3),
    "T": arrays(2, 3).map(lambda rows: np.eye(3)[:2] + rows / 8),
    "v": arrays(3),
    "f": arrays(3),
    "push": arrays(3),
    "alpha": positive_numbers(),
    "mu": positive_numbers(0.125, 1),
    "h": positive_numbers(0.125, 1),
}


@section.holds("e2.114", "The friction program under contact")
class e2_114:
    formula = r"\text{minimize}\quad \tfrac12\beta^T T M^{-1} T^T\beta - \beta^T T(\dot q^{\text{unc}} + hM^{-1}f_\alpha) \quad\text{subject to}\quad -\mu\alpha \le \beta \le \mu\alpha, \qquad f_\beta = -T^T\beta/h"
    inputs = FRICTION_INPUTS
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(M, T, v, f, push, alpha, mu, h):
        """Solve the program by its optimality conditions, and return the velocities due to f_beta."""
        Mi = np.linalg.inv(M)
        before = v + h * Mi @ f + h * Mi @ push
        wide = np.full(2, mu * alpha)
        beta = solve(BoxLCP(T @ Mi @ T.T, -T @ before, -wide, wide), "principal_pivoting").z
        f_beta = -T.T @ beta / h
        return before + h * Mi @ f_beta

    def library(M, T, v, f, push, alpha, mu, h):
        Mi = np.linalg.inv(M)
        before = v + h * Mi @ (f + push)
        sliding = (T @ before)[None]
        limits = np.array([mu * alpha])
        found = bounded_friction(T @ Mi @ T.T, sliding, limits, "box", 4, np.zeros((1, 2)))
        return before + Mi @ T.T @ found.ravel()

    def reference(M, T, v, f, push, alpha, mu, h):
        """Try all cases of rows that stick or slide in either direction, and take the consistent one."""
        before = v + h * np.linalg.solve(M, f + push)
        return single_contact.box_friction_velocities(M, T, before, mu * np.array([alpha, alpha]))

    tolerance = 1e-8
    remark = (
        r"Here both minus signs may stand, for $-\beta$ is allowed whenever $\beta$ is. The normal impulses must "
        r"not be negative: see the joints below."
    )
    implements = bounded_friction


@section.holds("t1399", "The friction cone that box constraints make")
class t1399:
    formula = r"\text{`The box constraints can only accommodate a four-sided friction cone'}"
    inputs = {"d": vectors(2), "limit": positive_numbers()}
    result = Result(ENERGY, SYSTEM_COORDINATES)

    def printed(d, limit):
        """Return the farthest of the four corners along a direction."""
        corners = limit * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
        return np.max(corners @ d)

    def library(d, limit):
        """Return the friction impulse of a light contact along the direction of sliding."""
        found = bounded_friction(1e-9 * np.eye(2), -d[None], np.array([limit]), "box", 4, np.zeros((1, 2)))
        return found[0] @ d

    def reference(d, limit):
        """Compare with the largest value of the linear function on the square, component by component."""
        return limit * (np.abs(d[0]) + np.abs(d[1]))

    remark = (
        r"Along a diagonal, that is $\sqrt 2$ times Coulomb's friction. (The library has the disc, and polygons "
        r"within it, too.)"
    )
    implements = bounded_friction


ONE = {
    "M": spd_matrices(3).map(lambda M: np.eye(3) + M / np.trace(M)),
    "v": arrays(3),
    "cached": arrays(3).map(lambda f: f + np.sign(f) / 4),
    "mu": positive_numbers(0.125, 0.5),
    "h": positive_numbers(0.125, 1),
}


def algorithm_7(M, v, cached, mu, h):
    """One step from line 4, without forces, under f_beta as the step before left it; contact along the first axis."""
    # The rows of N are velocities of approach, so that the signs of (2.113) are right.
    N, T = -np.eye(3)[:1], np.eye(3)[1:]
    Mi = np.linalg.inv(M)
    f_beta = np.array([0.0, cached[1], cached[2]])
    f_alpha_0 = np.zeros(3)
    unc = v
    for _ in range(200):
        alpha = lemke(LCP(N @ Mi @ N.T, -N @ (unc + h * Mi @ f_beta))).z
        f_alpha = -N.T @ alpha / h
        change = f_alpha - f_alpha_0
        if np.sqrt(change @ Mi @ change) <= 1e-11:
            break
        f_alpha_0 = f_alpha
        wide = np.full(2, mu * alpha[0])
        beta = solve(BoxLCP(T @ Mi @ T.T, -T @ (unc + h * Mi @ f_alpha), -wide, wide), "principal_pivoting").z
        f_beta = -T.T @ beta / h
    return v + h * Mi @ (f_alpha + f_beta)


@section.erratum("alg7", "Staggered projections")
class alg7:
    page_2019 = Page(41)
    page_2021 = Page(53)
    formula = r"\text{until } \|f_\alpha - f_\alpha^0\|_{M^{-1}} \le \epsilon: \text{ (2.113), check, (2.114)}; \quad \dot q = \dot q^{\text{prev}} + hM^{-1}(f + f_\alpha + f_\beta)"
    inputs = ONE
    result = Result(VELOCITY, SYSTEM_COORDINATES)
    printed = algorithm_7

    def library(M, v, cached, mu, h):
        contacts = Contacts(np.eye(3)[None], mu)
        before = h * cached[None]
        return staggered_projections(
            StepProblem(M, M @ v, contacts=contacts), initial_guess=before, tolerance=1e-12
        ).velocity

    def reference(M, v, cached, mu, h):
        """Try all cases of one contact (open, sticking, sliding), and take the consistent one."""
        return single_contact.coulomb_box(M, np.eye(3)[0], np.eye(3)[1:], v, mu)

    tolerance = 1e-7
    tolerance_reason = (
        "both iterations stop when they change no more; the error left is some times the change"
    )
    correction = (
        "check for convergence only after a friction problem, so that line 22 never applies the friction of an "
        "earlier step"
    )
    replacement = r"""\begin{aligned}
&\text{while true do} \\
&\quad\text{Solve contact QP (2.113) for } \alpha \\
&\quad f_\alpha = -N^T\alpha/h \\
&\quad\text{Solve friction QP (2.114) for } \beta \\
&\quad f_\beta = -T^T\beta/h \\
&\quad\text{if } \|f_\alpha - f_\alpha^0\|_{M^{-1}} \le \epsilon \text{ or max iterations then break} \\
&\quad f_\alpha^0 = f_\alpha \\
&\text{end while} \\
&\dot q = \dot q^{\text{prev}} + hM^{-1}(f + f_\alpha + f_\beta)
\end{aligned}"""
    remark = (
        r"A body that leaves the ground has $f_\alpha = f_\alpha^0 = 0$ at the first check. The loop ends there, "
        r"and line 22 applies $f_\beta$ of the step before, in this step and in all that follow: friction in "
        r"mid-air, which adds energy. The rest of the algorithm is right for rows of $N$ that are velocities of "
        r"approach, as (2.113) needs them; the correction uses the same rows."
    )
    implements = staggered_projections


# ------------------------------------------------------------------------------------------------------------
# The friction of a joint in Algorithm 8, on a pin in a plane. The oracle asks Newton for the body.


# Three contacts around a pin, in the frame of the hinge: where they are, and which way the body slides there.
ANGLES = 2 * np.pi * (np.arange(3) + 0.25) / 3
OUT = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)
AROUND = np.stack([-np.sin(ANGLES), np.cos(ANGLES)], axis=1)


def friction_reference(m, J, c, g, free, mu, radius, h):
    """Return the old spin, and the friction impulses that end the step, where the spin would be ``free`` without them.

    They are mu times the pushes that they belong to, against the spin, or as much less as suffices to stop it.
    """
    inertia, torque, friction_impulses = J + m * c @ c, m * (c[0] * g[1] - c[1] * g[0]), np.zeros(3)
    omega, way = free - h * torque / inertia, np.sign(free)
    for _ in range(50):
        after = free - way * radius * np.sum(friction_impulses) / inertia
        change = np.array([-c[1], c[0]]) * (after - omega) - h * omega**2 * c - h * g
        pushes = 2 / 3 * np.abs(OUT @ (m * change + way * friction_impulses @ AROUND))
        friction_impulses = mu * pushes
        friction_impulses = friction_impulses * min(
            1.0, abs(free) * inertia / (radius * np.sum(friction_impulses))
        )
    return omega, way * friction_impulses


def pin_inputs():
    """Return a body on a pin, its old spin, and the friction impulses that its pin ends with, stuck or sliding."""
    drawn = st.shared(
        st.tuples(
            positive_numbers(0.5, 2),
            positive_numbers(0.25, 1),
            arrays(2).map(lambda c: c / 4 + np.array([0.6, -0.35])),
            arrays(2).map(lambda g: g + np.array([1.3, -6.1])),
            st.tuples(numbers(-1, 1), st.sampled_from((0.03, 2.0))).map(
                lambda pair: pair[1] * (pair[0] + np.copysign(0.2, pair[0]))
            ),
            vectors(3, 0.1, 0.3),
            positive_numbers(0.0625, 0.25),
            positive_numbers(0.0625, 0.125),
        ).map(lambda pin: (*pin, *friction_reference(*pin))),
        key="a body on a dry pin",
    )
    parts = {"m": 0, "J": 1, "c": 2, "g": 3, "mu": 5, "radius": 6, "h": 7, "omega": 8, "friction_impulses": 9}
    return {name: drawn.map(lambda pin, k=k: pin[k]) for name, k in parts.items()}


@section.erratum("t1493", "The friction of a joint, as in staggered projections")
class t1493:
    page_2019 = Page(43)
    page_2021 = Page(54)
    formula = r"\text{`the convergence check and the friction solve are the same as in SP': } -\mu\alpha \le \beta \le \mu\alpha"
    inputs = pin_inputs()
    arguments = {
        "c": Argument(LENGTH, "in the coordinates of the whole system, whatever they are"),
        "friction_impulses": Argument(MOMENTUM, "in the coordinates of the whole system, whatever they are"),
    }
    result = Result(RATE, SYSTEM_COORDINATES)

    def printed(m, J, c, g, mu, radius, h, omega, friction_impulses):
        """One turn that starts from this friction, with (2.117) and (2.118) mended; what line 26 makes of it.

        (2.114) is solved by Gauss-Seidel sweeps that clip each impulse to its bounds.
        """
        M = kinetic_energy_matrix(m, J * np.eye(3), np.append(c, 0))[2:5, 2:5]
        Mi, M_r = np.linalg.inv(M), M[0, 0]
        f = m * np.array([c[0] * g[1] - c[1] * g[0], g[0] + omega**2 * c[0], g[1] + omega**2 * c[1]])
        N, T = np.column_stack([np.zeros(3), OUT]), np.column_stack([radius * np.ones(3), AROUND])
        f_beta = -T.T @ friction_impulses / h
        con = np.array([omega + h * (f + f_beta)[0] / M_r, 0, 0])
        unc = np.array([omega, 0, 0]) + h * Mi @ f
        f_alpha = M @ (con - unc) / h - f_beta
        alpha = np.linalg.lstsq(N.T, -h * f_alpha, rcond=None)[0]
        A, b, limit = T @ Mi @ T.T, T @ (unc + h * Mi @ f_alpha), mu * alpha
        beta = np.zeros(3)
        for _ in range(100):
            for i in range(3):
                beta[i] = min(max(beta[i] + (b[i] - A[i] @ beta) / A[i, i], -limit[i]), limit[i])
        return omega + h * (f - T.T @ beta / h)[0] / M_r

    def library(m, J, c, g, mu, radius, h, omega, friction_impulses):
        """Start from zero friction."""
        around = np.column_stack([AROUND, np.zeros(3)])
        tangents = np.stack([around, np.tile([0.0, 0.0, 1.0], (3, 1))], axis=1)
        out = np.column_stack([OUT, np.zeros(3)])
        pin = Bearing(radius * out, out, mu, tangents)
        inertia = spatial_inertia(m, J * np.eye(3), np.append(c, 0))
        system = reduced.TreeSystem(
            reduced.Tree([reduced.Link("body", Revolute(), inertia)], gravity=[*g, 0])
        )
        state = State(q=[0.0], qdot=[omega])
        return reduced.bisp_step(system, state, h, {"body": pin}, tolerance=1e-10).state.qdot[0]

    def reference(m, J, c, g, mu, radius, h, omega, friction_impulses):
        """Compare with the balance of moments about the pin: those of the weight and of the friction forces."""
        weight = (c[0] * g[1] - c[1] * g[0]) * m * h
        return omega + (weight - radius * sum(friction_impulses)) / (J + m * (c[0] ** 2 + c[1] ** 2))

    tolerance = 1e-8
    correction = r"the friction solve is that of SP with $|\alpha|$ for $\alpha$: $-\mu|\alpha| \le \beta \le \mu|\alpha|$"
    replacement = r"After the contact impulses, $\alpha$, are computed, the convergence check is the same as in SP, and so is the friction solve with the bounds $-\mu|\alpha| \le \beta \le \mu|\alpha|$."
    remark = (
        r"Some multipliers of smallest norm are negative on every loaded pin. Their bounds cross: the program has no "
        r"solution, and a solver that clips to them applies friction along the motion. "
        r"With $|\alpha|$ an iteration of lines 10 to 24 leaves the friction of Coulomb's law unchanged, whether "
        r"the joint sticks or slides. The iteration may converge slowly: if the joint forces are fixed while "
        r"(2.114) is solved with $TM^{-1}T^\top$, it may take hundreds of iterations. The library uses "
        r"$TJ_{mr}M_r^{-1}J_{mr}^\top T^\top$."
    )
    implements = reduced.bisp_step


# ------------------------------------------------------------------------------------------------------------
# What joints carry. Oracles ask Newton for each point mass.


STEPPED = {**TREE, "h": positive_numbers(0.125, 1)}
LINKED = {
    "M": spd_matrices(4),
    "N": arrays(2, 4).map(lambda rows: np.eye(4)[:2] + rows / 8),
    "v": arrays(4),
    "f": arrays(4),
    "h": positive_numbers(0.125, 1),
}


def velocities_and_multipliers(M, N, v, f, h):
    """Both unknowns of the first line of (2.115), with N v = 0 after the step."""
    kkt = np.block([[M, N.T], [N, np.zeros((2, 2))]])
    both = np.linalg.solve(kkt, np.concatenate([M @ v + h * f, np.zeros(2)]))
    return both[:4], both[4:]


def along(M, N, momentum):
    """Return the velocities that the rows allow, from the momenta along them, without multipliers."""
    free = linalg.null_space(N)
    return free @ np.linalg.solve(free.T @ M @ free, free.T @ momentum)


@section.holds("e2.115", "The constrained equations of motion")
class e2_115:
    formula = r"M\dot q + N^T\alpha = M\dot q^{\text{prev}} + hf, \qquad \underbrace{\dot q}_{\dot q^{\text{con}}} + M^{-1}N^T\alpha = \underbrace{\dot q^{\text{prev}} + hM^{-1}f}_{\dot q^{\text{unc}}}"
    inputs = LINKED
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(M, N, v, f, h):
        """Return the sum of the second line's left side, and its first term."""
        con, alpha = velocities_and_multipliers(M, N, v, f, h)
        return np.concatenate([con + np.linalg.solve(M, N.T @ alpha), con])

    def library(M, N, v, f, h):
        con = solve_step(StepProblem(M, M @ v + h * f, BilateralRows(N))).velocity
        return np.concatenate([solve_step(StepProblem(M, M @ v + h * f)).velocity, con])

    def reference(M, N, v, f, h):
        """Compare with the momentum along the directions that the rows allow, and without rows."""
        return np.concatenate([v + linalg.solve(M, h * f, assume_a="pos"), along(M, N, M @ v + h * f)])

    remark = r"In maximal coordinates, where $\dot q$ are the velocities themselves."
    implements = solve_step


@section.holds("e2.116", "The force of the constraints, from two velocities")
class e2_116:
    formula = r"M^{-1}N^T\alpha = \dot q^{\text{unc}} - \dot q^{\text{con}}, \quad f_\alpha = -N^T\alpha/h = \frac1h M(\dot q^{\text{con}} - \dot q^{\text{unc}})"
    inputs = LINKED
    result = Result(FORCE, SYSTEM_COORDINATES)

    def printed(M, N, v, f, h):
        con, alpha = velocities_and_multipliers(M, N, v, f, h)
        unc = v + h * np.linalg.solve(M, f)
        return np.concatenate([M @ (con - unc) / h, -N.T @ alpha / h])

    def library(M, N, v, f, h):
        step = solve_step(StepProblem(M, M @ v + h * f, BilateralRows(N)))
        pushed = N.T @ step.bilateral / h
        return np.concatenate([pushed, pushed])

    def reference(M, N, v, f, h):
        """Compare with the residual of the momentum for the velocity that the rows allow; it does no work there."""
        missing = (M @ along(M, N, M @ v + h * f) - M @ v - h * f) / h
        return np.concatenate([missing, missing])

    tolerance = 1e-8
    remark = r"A joint may pull: the sign of $\alpha$ in (2.115) does no harm as long as (2.118) keeps to it."
    implements = solve_step


def maximal(at, bodies, g, q, v):
    """M_m, J, Jdot and f_m of the tree."""
    assembly = library_tree(at, bodies, g)
    M = linalg.block_diag(*assembly.inertias)
    f = reduced.gyroscopic_and_gravity_wrenches(assembly, q, v).ravel()
    return M, reduced.jacobian(assembly, q), reduced.jacobian_rate(assembly, q, v), f


def steady(at, bodies, g, q, v):
    """Accelerations of the tree, from the points' masses and forces."""
    return np.linalg.solve(*branching_tree.tree_newton_equations(at, bodies, g, q, v))


@section.erratum("e2.117#a", "The constrained velocities of the bodies")
class e2_117_a:
    page_2019 = Page(42, r"$\mathsf M_m\dot{\mathsf J}_{mr}\dot{\mathsf q}_r^{\text{prev}}$")
    page_2021 = Page(54, page_2019.content)
    formula = r"\dot q_m^{\text{con}\beta} = J_{mr}\left(\dot q_r^{\text{prev}} + hM_r^{-1}\left(J_{mr}^T(f_m + f_\beta - M_m J_{mr}\dot q_r^{\text{prev}})\right)\right)"
    edit = (r"M_m J_{mr}\dot", r"M_m\dot J_{mr}\dot")
    inputs = STEPPED
    arguments = {
        "v": Argument(
            vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)),
            "in the coordinates of the whole system, whatever they are",
        )
    }
    result = Result(TWIST, "of each body, in its frame")

    def printed(at, bodies, g, q, v, h):
        M, J, _, f = maximal(at, bodies, g, q, v)
        return J @ (v + h * np.linalg.solve(J.T @ M @ J, J.T @ (f - M @ J @ v)))

    def library(at, bodies, g, q, v, h):
        assembly = library_tree(at, bodies, g)
        after = symplectic_euler(reduced.TreeSystem(assembly), State(q=q, qdot=v), h).qdot
        return reduced.twists(assembly, q, after).ravel()

    def reference(at, bodies, g, q, v, h):
        """Compare with Newton's law for each point mass of a branching tree, constraint forces included."""
        after = v + h * steady(at, bodies, g, q, v)
        return branching_tree.twists_and_velocities(at, np.zeros((4, 1, 3)), q, after)[0].ravel()

    tolerance = 1e-8
    correction = r"$M_m\dot J_{mr}\dot q_r^{\text{prev}}$, as in (2.18)"
    units_mismatch = r"a momentum is subtracted from forces: the rate of $J$ has lost its dot"
    remark = "The converted text lacks the dot here, in (2.119) and in (2.120); without it not even the units agree."
    implements = symplectic_euler


@section.erratum("e2.117#b", "The forces of the joints, from constrained and unconstrained velocities")
class e2_117_b:
    page_2019 = Page(42)
    page_2021 = Page(54)
    formula = r"\dot q_m^{\text{unc}\beta} = J_{mr}\dot q_r^{\text{prev}} + hM_m^{-1}(f_m + f_\beta), \qquad f_\alpha = \frac1h M_m(\dot q_m^{\text{con}\beta} - \dot q_m^{\text{unc}\beta})"
    edit = (
        r"\dot q_m^{\text{con}\beta} - \dot q_m^{\text{unc}\beta}",
        r"\dot q_m^{\text{con}\beta} + h\dot J_{mr}\dot q_r^{\text{prev}} - \dot q_m^{\text{unc}\beta}",
    )
    inputs = STEPPED
    arguments = {
        "v": Argument(
            vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)),
            "in the coordinates of the whole system, whatever they are",
        )
    }
    result = Result(WRENCH, "on each body, about its origin, along its axes")

    def printed(at, bodies, g, q, v, h):
        """Evaluate with the dot that is missing in the second line."""
        M, J, Jdot, f = maximal(at, bodies, g, q, v)
        unc = J @ v + h * np.linalg.solve(M, f)
        con = J @ (v + h * np.linalg.solve(J.T @ M @ J, J.T @ (f - M @ Jdot @ v)))
        return M @ (con - unc) / h

    def library(at, bodies, g, q, v, h):
        system, state = reduced.TreeSystem(library_tree(at, bodies, g)), State(q=q, qdot=v)
        after = symplectic_euler(system, state, h).qdot
        return reduced.body_constraint_impulses(system, state, after, h).ravel() / h

    def reference(at, bodies, g, q, v, h):
        """Compare with Newton's law for each point mass of a branching tree, constraint forces included."""
        return joint_reactions.net_body_wrenches(at, bodies, g, q, v, steady(at, bodies, g, q, v))

    tolerance = 1e-8
    correction = (
        r"$f_\alpha = \frac1h M_m(\dot q_m^{\text{con}\beta} + h\dot J_{mr}\dot q_r^{\text{prev}} - "
        r"\dot q_m^{\text{unc}\beta})$"
    )
    remark = (
        r"Forces change the bodies' velocities by $J_{mr}(\dot q_r - \dot q_r^{\text{prev}}) + "
        r"h\dot J_{mr}\dot q_r^{\text{prev}}$, of which the last part is left out. What is printed breaks "
        r"d'Alembert's principle, $J_{mr}^T f_\alpha = -J_{mr}^T M_m\dot J_{mr}\dot q_r \ne 0$: joints that work."
    )
    implements = reduced.body_constraint_impulses


@section.holds("t1449", "The forces of the joints, body by body, and their distribution")
class t1449:
    formula = r"\text{from the leaves: } w_i = f_{\alpha i} + \sum_c {}^c_i\text{Ad}^T w_c \text{ (`subtract' the `equal and opposite force' that the joint of child } c \text{ exerts)}"
    inputs = TREE
    arguments = {
        "v": Argument(
            vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)),
            "in the coordinates of the whole system, whatever they are",
        )
    }
    result = Result(WRENCH, "on each body, about its origin, along its axes")

    def printed(at, bodies, g, q, v):
        """Joint reactions subtracted from the parents, as equal and opposite forces, seen from their frames."""
        assembly = library_tree(at, bodies, g)
        M, J, Jdot, f = maximal(at, bodies, g, q, v)
        qddot = np.linalg.solve(J.T @ M @ J, J.T @ (f - M @ Jdot @ v))
        portion = (M @ (J @ qddot + Jdot @ v) - f).reshape(4, 6)
        poses = reduced.poses(assembly, q).bodies
        for i in (3, 2, 1):
            parent = assembly.parents[i]
            seen = np.linalg.inv(poses[i]) @ poses[parent]
            opposite = -_adjoint(seen).T @ portion[i]
            portion[parent] = portion[parent] - opposite
        return np.concatenate(
            [_adjoint(body).T @ w for body, w in zip(np.linalg.inv(at[:, 1]), portion, strict=True)]
        )

    def library(at, bodies, g, q, v):
        assembly = library_tree(at, bodies, g)
        system, state = reduced.TreeSystem(assembly), State(q=q, qdot=v)
        after = symplectic_euler(system, state, 1.0).qdot
        return reduced.joint_transmitted_wrenches(
            assembly, q, reduced.body_constraint_impulses(system, state, after, 1.0)
        ).ravel()

    def reference(at, bodies, g, q, v):
        """Compare with Newton's law for each point mass of a branching tree: the constraint forces, summed over all bodies beyond a joint."""
        return joint_reactions.joint_transmitted_wrenches(at, bodies, g, q, v, steady(at, bodies, g, q, v))

    tolerance = 1e-8
    remark = (
        r"The first of the two sentences, `we must subtract this force from the parent's portion', read of the "
        r"joint reaction itself, gives the other sign; the second one says which is meant. All is linear in "
        r"$f_\alpha$, and one visit per joint."
    )
    implements = reduced.joint_transmitted_wrenches


def _adjoint(E):
    """Return the adjoint that maps twists from the second frame of E to the first."""
    R, p = E[:3, :3], E[:3, 3]
    hat = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    return np.block([[R, np.zeros((3, 3))], [hat @ R, R]])


# ------------------------------------------------------------------------------------------------------------
# What the contacts in a joint carry, and friction in them.


DIRECTIONS = np.array([[1.0, 0, 0], [0, 1.0, 0], [1.0, 1, 0], [0, 0, 1.0], [0, 1.0, 1]])
PLACES = np.array([[0, 0, 1.0], [1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0], [-1.0, 0, 0]])


CUBE_CORNERS = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
OCTET = (np.roll(CUBE_CORNERS, 1, axis=1) * [1, 1, 0] + [0, 0, 0.5], CUBE_CORNERS)


def _contacts(numbers, around=(DIRECTIONS, PLACES)):
    normals = around[0] + numbers[:, :3] / 8
    return np.stack(
        [around[1] + numbers[:, 3:] / 8, normals / np.linalg.norm(normals, axis=1, keepdims=True)]
    )


LOADED = {
    "contacts": arrays(5, 6).map(_contacts),
    "M": spd_matrices(6),
    "c": arrays(5),
    "h": positive_numbers(0.125, 1),
}


def rows_of(contacts):
    """N ``(c, 6)`` of points and normals."""
    points, normals = contacts
    return np.hstack([np.cross(points, normals), normals])


def pushes(contacts, sizes):
    """Wrench of forces of these sizes along the normals, moment by moment."""
    total = np.zeros(6)
    for x, n, size in zip(*contacts, sizes, strict=True):
        force = size * n
        total[:3] += (
            x[1] * force[2] - x[2] * force[1],
            x[2] * force[0] - x[0] * force[2],
            x[0] * force[1] - x[1] * force[0],
        )
        total[3:] += force
    return total


EPSILON = 1e-11


@section.erratum("e2.118", "The multipliers of a joint's contacts")
class e2_118:
    page_2019 = Page(43)
    page_2021 = Page(54)
    formula = (
        r"\alpha = h\left(N_i M_i^{-1} N_i^T + \epsilon I\right)^{-1}\left(N_i M_i^{-1} f_{\alpha i}\right)"
    )
    edit = ("= h", "= -h")
    inputs = LOADED
    arguments = {"M": Argument(SPATIAL_INERTIA, "in the coordinates of the whole system, whatever they are")}
    result = Result(FORCE, "one for each contact")

    def printed(contacts, M, c, h):
        """Return the multipliers for the joint reaction due to forces c along the normals, which should be -h c."""
        N, Mi = rows_of(contacts), np.linalg.inv(M)
        f = N.T @ c
        alpha = h * np.linalg.solve(N @ Mi @ N.T + EPSILON * np.eye(5), N @ Mi @ f)
        return -alpha / h

    def library(contacts, M, c, h):
        return Bearing(*contacts, 0.3).normal_multipliers(h * rows_of(contacts).T @ c) / h

    def reference(contacts, M, c, h):
        """Check that linearly independent contact forces are recovered from their joint reaction.

        What the contacts push with: solved for, moment by moment.
        """
        columns = np.stack([pushes(contacts, unit) for unit in np.eye(5)], axis=1)
        return np.linalg.lstsq(columns, pushes(contacts, c), rcond=None)[0]

    combined_with = ("sueda/s2.11/e2.116",)
    tolerance = 1e-4
    tolerance_reason = "the regularisation shifts the multipliers, as it is meant to"
    correction = (
        r"$\alpha = -h\left(N_i M_i^{-1} N_i^T + \epsilon I\right)^{-1} N_i M_i^{-1} f_{\alpha i}$, since "
        r"$f_\alpha = -N^T\alpha/h$ in (2.116)"
    )
    remark = (
        r"The metric $M_i^{-1}$ matters only where the contacts cannot carry the load at all; the library weighs "
        r"moments by the size of the bearing, so that bodies without mass have bearings, too. The sign would not "
        r"matter if $|\alpha|$ bounded friction; as printed, $\mu\alpha$ does."
    )
    implements = Bearing


@section.erratum("t1487", "Multipliers of either sign, and the friction that they allow")
class t1487:
    page_2019 = Page(43)
    page_2021 = Page(54)
    formula = (
        r"\text{`We do not require } \alpha \text{ to be positive'}; \quad -\mu\alpha \le \beta \le \mu\alpha"
    )
    inputs = {name: LOADED[name] for name in ("contacts", "c")} | {"mu": positive_numbers(0.125, 1)}
    result = Result(FORCE, "of all contacts together")

    def printed(contacts, c, mu):
        """Return the sum of the upper bounds of (2.114), one for each contact."""
        N = rows_of(contacts)
        alpha = np.linalg.lstsq(N.T, N.T @ c, rcond=None)[0]
        return np.array([np.sum(mu * alpha)])

    def library(contacts, c, mu):
        bearing = Bearing(*contacts, mu)
        return np.array([np.sum(bearing.mu * np.abs(bearing.normal_multipliers(rows_of(contacts).T @ c)))])

    def reference(contacts, c, mu):
        """Compare with contacts that only push, one on either side of each position: nonnegative least squares."""
        one_side = np.stack([pushes(contacts, unit) for unit in np.eye(5)], axis=1)
        sizes, _ = optimize.nnls(np.hstack([one_side, -one_side]), pushes(contacts, c))
        return np.array([mu * np.sum(sizes)])

    tolerance = 1e-5
    tolerance_reason = "the multipliers are regularised"
    correction = r"$-\mu|\alpha| \le \beta \le \mu|\alpha|$"
    replacement = r"We do not require $\alpha$ to be positive, since these contact constraints are bilateral: they cannot come apart. The bounds of (2.114) are then $-\mu|\alpha| \le \beta \le \mu|\alpha|$."
    remark = (
        r"Where $\alpha < 0$ the printed bounds allow no friction impulse at all, not even zero, and the "
        r"program has no solution. A contact that holds both ways is two that push, on either side, of which "
        r"one carries the load."
    )
    implements = Bearing


SPREAD = {
    "contacts": arrays(8, 6).map(lambda numbers: _contacts(numbers, OCTET)),
    "M": spd_matrices(6),
    "c": arrays(8),
}


@section.holds("t1491#a", "The regularisation finds the smallest impulses")
class t1491_a:
    formula = r"\epsilon \to 0: \quad \|\alpha\| \text{ is the smallest of all that make the joint reaction}"
    inputs = SPREAD
    arguments = {"M": Argument(SPATIAL_INERTIA, "in the coordinates of the whole system, whatever they are")}
    result = Result(FORCE, "one for each contact")

    def printed(contacts, M, c):
        """Return the magnitudes of (2.118) for the joint reaction due to forces c along the normals."""
        N, Mi = rows_of(contacts), np.linalg.inv(M)
        return np.linalg.solve(N @ Mi @ N.T + 1e-9 * np.eye(8), N @ Mi @ N.T @ c)

    def library(contacts, M, c):
        return Bearing(*contacts, 0.3).normal_multipliers(rows_of(contacts).T @ c)

    def reference(contacts, M, c):
        """Compare with the forces of least norm that have the same wrench, by singular values."""
        columns = np.stack([pushes(contacts, unit) for unit in np.eye(8)], axis=1)
        return np.linalg.lstsq(columns, pushes(contacts, c), rcond=None)[0]

    tolerance = 1e-4
    tolerance_reason = (
        "the regularisation is small, not nothing, and the system it makes solvable is singular"
    )
    remark = r"Without $\epsilon$ the system is singular: eight contacts, six wrenches at most."
    implements = Bearing


def around(radius, height, offsets=0.0):
    """Return points and normals of four contacts around each end of a cylinder, turned by these angles."""
    angles = np.pi / 2 * (np.arange(8) % 4 + 0.5) + offsets
    radial = np.stack([np.cos(angles), np.sin(angles), np.zeros(8)], axis=1)
    ends = np.repeat([-height / 2, height / 2], 4)
    return radius * radial + ends[:, None] * [0, 0, 1], radial


@section.conditional("t1491#b", "A tight joint and a loose one make the same constraint")
class t1491_b:
    page_2019 = Page(43)
    page_2021 = Page(54)
    formula = r"N_i^T(\alpha + 1000) = N_i^T(\alpha + 0.1) \quad \text{for a revolute joint}"
    inputs = {
        "radius": positive_numbers(0.25, 2),
        "height": positive_numbers(0.25, 2),
        "angles": arrays(8),
        "load": arrays(8),
    }
    given = {**inputs, "angles": arrays(2).map(lambda turns: np.repeat(turns, 4))}
    arguments = {
        "angles": Argument(NUMBER, "of each contact around the axis, beyond those of a regular ring"),
        "load": Argument(FORCE, "along the normal of each contact"),
    }
    constants = (FORCE,)
    result = Result(WRENCH, "in the frame of the joint")

    def printed(radius, height, angles, load):
        return rows_of(around(radius, height, angles)).T @ (load + 1000)

    def library(radius, height, angles, load):
        return Bearing(*around(radius, height, angles), 0.3).normal_jacobian.T @ (load + 0.1)

    def reference(radius, height, angles, load):
        """Compare with sums of forces and moments, contact by contact, with 0.1 each."""
        total = np.zeros(6)
        for k, size in enumerate(load + 0.1):
            angle, z = np.pi / 2 * (k % 4 + 0.5) + angles[k], (-1 if k < 4 else 1) * height / 2
            x, y = size * np.cos(angle), size * np.sin(angle)
            total += [-z * y, z * x, 0, x, y, 0]
        return total

    def holds_when(radius, height, angles, load):
        """Return True if the normals of both ends balance."""
        turned = np.exp(1j * (np.pi / 2 * np.arange(8) + angles)).reshape(2, 4)
        return bool(np.all(np.abs(turned.sum(axis=1)) < 1e-9))

    condition = r"the normals of the contacts balance, $N_i^T\mathbf 1 = 0$, as those of a regular ring do"
    remark = r"Friction would be ten thousand times as large, though: it is bounded by $\mu|\alpha|$."
    implements = Bearing


@section.erratum("alg8", "Bilateral staggered projections: the new velocities")
class alg8:
    page_2019 = Page(43)
    page_2021 = Page(55)
    formula = r"\dot q_r = \dot q_r^{\text{prev}} + hM_r^{-1}\left(f_r + J_{mr}^T(f_\alpha + f_\beta)\right), \qquad f_\beta = 0 \text{ without friction}"
    inputs = STEPPED
    arguments = {
        "v": Argument(
            vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)),
            "in the coordinates of the whole system, whatever they are",
        )
    }
    result = Result(BRANCHING / TIME, "of the joints, in their order")

    def printed(at, bodies, g, q, v, h):
        """Lines 10 and 26 with mu = 0, and with the dot that (2.117) lacks; f_r of (2.18)."""
        M, J, Jdot, f = maximal(at, bodies, g, q, v)
        M_r, f_r = J.T @ M @ J, J.T @ (f - M @ Jdot @ v)
        unc = J @ v + h * np.linalg.solve(M, f)
        f_alpha = M @ (J @ (v + h * np.linalg.solve(M_r, f_r)) - unc) / h
        return v + h * np.linalg.solve(M_r, f_r + J.T @ f_alpha)

    def library(at, bodies, g, q, v, h):
        system = reduced.TreeSystem(library_tree(at, bodies, g))
        smooth = {NAMES[3]: journal_bearing(0.1, 0.2, 0.0, points=3)}
        return reduced.bisp_step(system, State(q=q, qdot=v), h, smooth).state.qdot

    def reference(at, bodies, g, q, v, h):
        """Compare with Newton's law for each point mass of a branching tree: without friction, the step of 2.3."""
        return v + h * steady(at, bodies, g, q, v)

    tolerance = 1e-8
    correction = (
        r"$\dot q_r = \dot q_r^{\text{prev}} + hM_r^{-1}(f_r + J_{mr}^T f_\beta)$: joint reactions do no work, "
        r"$J_{mr}^T f_\alpha = 0$"
    )
    replacement = r"\dot q_r = \dot q_r^{\text{prev}} + hM_r^{-1}\left(f_r + J_{mr}^T f_\beta\right)"
    remark = (
        r"The forces that (2.117) finds are not those of the joints, and count "
        r"$-J_{mr}^T M_m\dot J_{mr}\dot q_r$ of $f_r$ twice: without any friction, the mechanism moves otherwise "
        r"than in 2.3. Lines 8 to 21 have the flaw of Algorithm 7, too."
    )
    implements = reduced.bisp_step
