"""Sueda 2.11: staggered projections. The oracles enumerate the cases of contact and friction."""

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
from rbnotes.testing.strategies import (
    arrays,
    numbers,
    positive_numbers,
    round_directions,
    round_numbers,
    spd_matrices,
    vectors,
)

SYSTEM_COORDINATES = "in the generalized coordinates of the system"

section = Section(
    "sueda/s2.11",
    chapter="friction-in-joints",
    page_2019=Page(40, last=43),
    page_2021=Page(52, last=55),
    arguments={
        "M": Argument(MASS, "in the generalized coordinates of the system"),
        "N": Argument(NUMBER, "rows of the contacts, over the generalized coordinates"),
        "v": Argument(VELOCITY, "in the generalized coordinates of the system"),
        "f": Argument(FORCE, "in the generalized coordinates of the system"),
        "friction_force": Argument(FORCE, "in the generalized coordinates of the system"),
        "h": Argument(TIME),
        "alpha": Argument(MOMENTUM),
        "T": Argument(NUMBER, "rows of the contacts, over the generalized coordinates"),
        "contact_force": Argument(FORCE, "in the generalized coordinates of the system"),
        "mu": Argument(NUMBER, "one for each contact"),
        "d": Argument(VELOCITY),
        "limit": Argument(MOMENTUM),
        "opening": Argument(VELOCITY, "for each contact, velocities at which its bodies separate"),
        "previous_friction": Argument(FORCE, "in the generalized coordinates of the system"),
        "link_frames": Argument(
            POSE,
            (
                "for each joint (a universal joint about x and y; on it a hinge about z that carries a "
                "slider along z, and another hinge): pose in the frame of the parent joint, then pose of "
                "the body in the joint frame"
            ),
        ),
        "bodies": Argument(MASS_POINTS, "four points of each body: mass, then position in the body"),
        "g": Argument(ACCELERATION, "along the axes of the world"),
        "q": Argument(BRANCHING, "of the joints, in their order"),
        "contacts": Argument(
            stacked_quantity(LENGTH, NUMBER), "points, then unit normals, in the frame of the body"
        ),
        "c": Argument(FORCE, "one for each contact, along its normal"),
        "radius": Argument(LENGTH),
        "height": Argument(LENGTH),
        "m": Argument(MASS),
        "J": Argument(INERTIA),
        "omega": Argument(RATE),
    },
)


UNIT_ROWS = np.eye(4)
CONTACT_INPUTS = {
    "M": spd_matrices(4),
    "N": arrays(2, 4).map(lambda rows: UNIT_ROWS[:2] + rows / 8),
    "v": arrays(4),
    "f": arrays(4),
    "friction_force": arrays(4),
    "h": positive_numbers(0.125, 1),
}
ZERO_TANGENTS = np.zeros((2, 2, 4))
OPENING_VELOCITIES = arrays(2, 4).map(lambda velocities: UNIT_ROWS[:2] + velocities / 8)
EITHER_ORIENTATION = {
    "opening": st.one_of(
        OPENING_VELOCITIES,
        OPENING_VELOCITIES.map(np.negative),
        OPENING_VELOCITIES.map(lambda w: w * [[1], [-1]]),
    )
}
APPROACH_ORIENTATION = {"opening": OPENING_VELOCITIES.map(np.negative)}
ROWS_OF_APPROACH = (
    r"The rows of $N$ give velocities of approach: $N\dot q \le 0$ if bodies separate. With the rows of 1.11 "
    r"and 1.13, for which $N\dot q \ge 0$ if bodies separate, the signs are those of (1.83): $+\alpha^T N(\dot q^{\text{unc}} "
    r"+ hM^{-1}f_\beta)$ and $f_\alpha = +N^T\alpha/h$."
)


def separation_rows(N, opening):
    """Return the rows with signs such that each is positive at the velocity that opens its contact."""
    return np.sign(np.sum(N * opening, axis=1))[:, None] * N


@section.definition("t1391", "Unconstrained velocity")
class t1391:
    formula = r"\dot q^{\text{unc}} = \dot q^{\text{prev}} + hM^{-1}f"
    defines = (r"\dot q^{\text{unc}}",)
    implements = FrictionContactProblem


@section.conditional("e2.113", "Contact program with given friction forces")
class e2_113:
    page_2019 = Page(41)
    page_2021 = Page(52)
    formula = r"\text{minimize}\quad \tfrac12\alpha^T N M^{-1} N^T\alpha - \alpha^T N(\dot q^{\text{unc}} + hM^{-1}f_\beta) \quad\text{subject to}\quad \alpha \ge 0"
    inputs = CONTACT_INPUTS | EITHER_ORIENTATION
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(M, N, v, f, friction_force, h, opening):
        """Solve the program by its optimality conditions, and return f_alpha = -N^T alpha / h."""
        Mi = np.linalg.inv(M)
        unc = v + h * Mi @ f
        alpha = lemke(LCP(N @ Mi @ N.T, -N @ (unc + h * Mi @ friction_force))).z
        f_alpha = -N.T @ alpha / h
        return unc + h * Mi @ (f_alpha + friction_force)

    def library(M, N, v, f, friction_force, h, opening):
        contacts = Contacts.from_directions(separation_rows(N, opening), ZERO_TANGENTS, 0.0)
        problem = friction_contact_problem(
            StepProblem(M, M @ v + h * f + h * friction_force, contacts=contacts)
        )
        normal = normal_impulses(problem, np.zeros((2, 2)))
        return problem.apply_impulses(np.column_stack([normal, np.zeros((2, 2))]))[0]

    def reference(M, N, v, f, friction_force, h, opening):
        """Compare with the velocities nearest in the mass metric that close no contact."""
        separation_rows_of_N = np.array([n if n @ w > 0 else -n for n, w in zip(N, opening, strict=True)])
        return least_energy(M, M @ v + h * f + h * friction_force, separation_rows_of_N)

    tolerance = 1e-8
    condition_inputs = CONTACT_INPUTS | APPROACH_ORIENTATION
    condition = ROWS_OF_APPROACH

    def holds_when(M, N, v, f, friction_force, h, opening):
        return np.all(np.sum(N * opening, axis=1) < 0)

    remark = (
        "With rows of separation and both minus signs of 2.11, separating bodies are pulled together and "
        "approaching bodies are not stopped. (2.115) and (2.116) have the same sign, so the section is "
        "consistent."
    )
    implements = normal_impulses


@section.conditional("t1395", "Contact force")
class t1395:
    page_2019 = Page(41)
    page_2021 = Page(52)
    formula = r"f_\alpha = -N^T\alpha/h"
    inputs = {
        "N": CONTACT_INPUTS["N"],
        "alpha": arrays(2).map(np.abs),
        "h": CONTACT_INPUTS["h"],
    } | EITHER_ORIENTATION
    result = Result(FORCE, "one for each contact")

    def printed(N, alpha, h, opening):
        return -N.T @ alpha / h

    def library(N, alpha, h, opening):
        contacts = Contacts.from_directions(separation_rows(N, opening), ZERO_TANGENTS, 0.0)
        return contacts.rows.T @ np.column_stack([alpha, np.zeros((2, 2))]).ravel() / h

    def reference(N, alpha, h, opening):
        """Compare with the sum of impulses, each along the direction in which its contact opens."""
        total = np.zeros(4)
        for size, row, velocity in zip(alpha, N, opening, strict=True):
            total += (size / h) * row * (1 if row @ velocity > 0 else -1)
        return total

    condition_inputs = inputs | APPROACH_ORIENTATION
    condition = ROWS_OF_APPROACH

    def holds_when(N, alpha, h, opening):
        return np.all(np.sum(N * opening, axis=1) < 0)

    remark = "With rows of separation the printed force pulls the bodies together, like that of (1.84)."
    implements = Contacts


FRICTION_INPUTS = {
    "M": spd_matrices(3),
    "T": arrays(2, 3).map(lambda rows: np.eye(3)[:2] + rows / 8),
    "v": arrays(3),
    "f": arrays(3),
    "contact_force": arrays(3),
    "alpha": positive_numbers(),
    "mu": positive_numbers(0.125, 1),
    "h": positive_numbers(0.125, 1),
}


@section.holds("e2.114", "Friction program with given contact forces")
class e2_114:
    formula = r"\text{minimize}\quad \tfrac12\beta^T T M^{-1} T^T\beta - \beta^T T(\dot q^{\text{unc}} + hM^{-1}f_\alpha) \quad\text{subject to}\quad -\mu\alpha \le \beta \le \mu\alpha, \qquad f_\beta = -T^T\beta/h"
    any_size = True
    inputs = FRICTION_INPUTS
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(M, T, v, f, contact_force, alpha, mu, h):
        """Solve the program by its optimality conditions, and return the velocities due to f_beta."""
        Mi = np.linalg.inv(M)
        free_velocity = v + h * Mi @ f + h * Mi @ contact_force
        bounds = np.full(2, mu * alpha)
        beta = solve(BoxLCP(T @ Mi @ T.T, -T @ free_velocity, -bounds, bounds), "principal_pivoting").z
        f_beta = -T.T @ beta / h
        return free_velocity + h * Mi @ f_beta

    def library(M, T, v, f, contact_force, alpha, mu, h):
        Mi = np.linalg.inv(M)
        free_velocity = v + h * Mi @ (f + contact_force)
        sliding = (T @ free_velocity)[None]
        limits = np.array([mu * alpha])
        impulses = bounded_friction(T @ Mi @ T.T, sliding, limits, "box", 4, np.zeros((1, 2)))
        return free_velocity + Mi @ T.T @ impulses.ravel()

    def reference(M, T, v, f, contact_force, alpha, mu, h):
        """Try all cases of rows that stick or slide in either direction, and take the consistent one."""
        free_velocity = v + h * np.linalg.solve(M, f + contact_force)
        return single_contact.box_friction_velocities(M, T, free_velocity, mu * np.array([alpha, alpha]))

    tolerance = 1e-8
    remark = (
        r"Here both minus signs are harmless, because $-\beta$ is admissible whenever $\beta$ is. The "
        "normal impulses must not be negative; see the joints below."
    )
    implements = bounded_friction


@section.holds("t1399", "Friction cone of the box constraints")
class t1399:
    formula = r"\text{`The box constraints can only accommodate a four-sided friction cone'}"
    inputs = {"d": vectors(2), "limit": positive_numbers()}
    result = Result(ENERGY)

    def printed(d, limit):
        """Return the largest value over the four corners along a direction."""
        corners = limit * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
        return np.max(corners @ d)

    def library(d, limit):
        """Return the friction impulse of a light contact along the direction of sliding."""
        impulses = bounded_friction(1e-9 * np.eye(2), -d[None], np.array([limit]), "box", 4, np.zeros((1, 2)))
        return impulses[0] @ d

    def reference(d, limit):
        """Compare with the largest value of the linear function on the square, component by component."""
        return limit * (np.abs(d[0]) + np.abs(d[1]))

    remark = (
        r"Along a diagonal, the friction is $\sqrt 2$ times that of Coulomb's law. (The library also has "
        "the disc and inscribed polygons.)"
    )
    implements = bounded_friction


SINGLE_CONTACT = {
    "M": spd_matrices(3).map(lambda M: round_numbers(np.eye(3) + M / np.trace(M))),
    "v": arrays(3).map(lambda v: v - np.array([0.75, 0, 0])),  # two of three approach the contact
    "previous_friction": arrays(3).map(lambda f: f + np.sign(f) / 4),
    "mu": positive_numbers(0.125, 0.5),
    "h": positive_numbers(0.125, 1),
}


def algorithm_7(M, v, previous_friction, mu, h):
    """Run one step from line 4 with the friction of the previous step, without applied forces.

    The contact is along the first axis.
    """
    # The rows of N give velocities of approach, so that the signs of (2.113) are right.
    N, T = -np.eye(3)[:1], np.eye(3)[1:]
    Mi = np.linalg.inv(M)
    f_beta = np.array([0.0, previous_friction[1], previous_friction[2]])
    f_alpha_0 = np.zeros(3)
    unc = v
    for _ in range(200):
        alpha = lemke(LCP(N @ Mi @ N.T, -N @ (unc + h * Mi @ f_beta))).z
        f_alpha = -N.T @ alpha / h
        change = f_alpha - f_alpha_0
        if np.sqrt(change @ Mi @ change) <= 1e-11:
            break
        f_alpha_0 = f_alpha
        bounds = np.full(2, mu * alpha[0])
        beta = solve(
            BoxLCP(T @ Mi @ T.T, -T @ (unc + h * Mi @ f_alpha), -bounds, bounds), "principal_pivoting"
        ).z
        f_beta = -T.T @ beta / h
    return v + h * Mi @ (f_alpha + f_beta)


@section.erratum("alg7", "Algorithm 7: staggered projections")
class alg7:
    page_2019 = Page(41)
    page_2021 = Page(53)
    formula = r"\text{until } \|f_\alpha - f_\alpha^0\|_{M^{-1}} \le \epsilon: \text{ (2.113), check, (2.114)}; \quad \dot q = \dot q^{\text{prev}} + hM^{-1}(f + f_\alpha + f_\beta)"
    inputs = SINGLE_CONTACT
    result = Result(VELOCITY, SYSTEM_COORDINATES)
    printed = algorithm_7

    def library(M, v, previous_friction, mu, h):
        contacts = Contacts(np.eye(3)[None], mu)
        initial_guess = h * previous_friction[None]
        return staggered_projections(
            StepProblem(M, M @ v, contacts=contacts), initial_guess=initial_guess, tolerance=1e-12
        ).velocity

    def reference(M, v, previous_friction, mu, h):
        """Try all cases of one contact (open, sticking, sliding), and take the consistent one."""
        return single_contact.coulomb_box(M, v, mu)

    tolerance = 1e-7
    tolerance_reason = (
        "both iterations stop at a small change, and the remaining error is a multiple of that change"
    )
    correction = (
        "check for convergence only after a friction solve, so that line 22 never applies the friction "
        "of an earlier step"
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
        r"For a body that leaves the ground, $f_\alpha = f_\alpha^0 = 0$ at the first check. The loop "
        r"ends there, and line 22 applies $f_\beta$ of the previous step, in this step and in all "
        "later ones: friction without contact, which adds energy. The rest of the algorithm is right "
        "if the rows of $N$ give velocities of approach, as (2.113) requires; the correction uses "
        "the same rows."
    )
    effect = "A body that slides at 3 m/s with a friction coefficient of 0.5 and leaves the ground moves back at 1.9 m/s after one second in the air."
    implements = staggered_projections


# ------------------------------------------------------------------------------------------------------------
# Friction of a joint in Algorithm 8, for a pin in a plane. The oracle applies Newton's law to the body.


# Three contacts around a pin, in the frame of the hinge: outward normals, and directions of sliding.
ANGLES = 2 * np.pi * (np.arange(3) + 0.25) / 3
NORMALS = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)
SLIDING = np.stack([-np.sin(ANGLES), np.cos(ANGLES)], axis=1)


def friction_reference(m, J, c, g, final_spin, mu, radius, h):
    """Return the initial spin and the final friction impulses, for a step that ends with the spin ``free`` without them.

    They are mu times their normal impulses, against the spin, or the fraction of this that stops it.
    """
    inertia, torque, friction_impulses = J + m * c @ c, m * (c[0] * g[1] - c[1] * g[0]), np.zeros(3)
    omega, direction = final_spin - h * torque / inertia, np.sign(final_spin)
    for _ in range(50):
        omega_next = final_spin - direction * radius * np.sum(friction_impulses) / inertia
        change = np.array([-c[1], c[0]]) * (omega_next - omega) - h * omega**2 * c - h * g
        normal_impulses = 2 / 3 * np.abs(NORMALS @ (m * change + direction * friction_impulses @ SLIDING))
        friction_impulses = mu * normal_impulses
        friction_impulses = friction_impulses * min(
            1.0, abs(final_spin) * inertia / (radius * np.sum(friction_impulses))
        )
    return omega, direction * friction_impulses


def pin_inputs():
    """Draw a body on a pin, its initial spin, and the final friction impulses, sticking or sliding."""
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
    positions = {
        "m": 0,
        "J": 1,
        "c": 2,
        "g": 3,
        "mu": 5,
        "radius": 6,
        "h": 7,
        "omega": 8,
        "friction_impulses": 9,
    }
    return {name: drawn.map(lambda pin, k=k: pin[k]) for name, k in positions.items()}


@section.erratum("t1493", "Friction solve of a joint, as in staggered projections")
class t1493:
    page_2019 = Page(43)
    page_2021 = Page(54)
    formula = r"\text{`the convergence check and the friction solve are the same as in SP': } -\mu\alpha \le \beta \le \mu\alpha"
    inputs = pin_inputs()
    arguments = {
        "c": Argument(LENGTH, "center of mass, in the frame of the hinge"),
        "friction_impulses": Argument(MOMENTUM, "one for each contact"),
    }
    result = Result(RATE)

    def printed(m, J, c, g, mu, radius, h, omega, friction_impulses):
        """Run one iteration from this friction, with (2.117) and (2.118) corrected, and evaluate line 26.

        (2.114) is solved by Gauss-Seidel sweeps that clip each impulse to its bounds.
        """
        M = kinetic_energy_matrix(m, J * np.eye(3), np.append(c, 0))[2:5, 2:5]
        Mi, M_r = np.linalg.inv(M), M[0, 0]
        f = m * np.array([c[0] * g[1] - c[1] * g[0], g[0] + omega**2 * c[0], g[1] + omega**2 * c[1]])
        N, T = np.column_stack([np.zeros(3), NORMALS]), np.column_stack([radius * np.ones(3), SLIDING])
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
        """Run the library's step, which starts without friction."""
        sliding = np.column_stack([SLIDING, np.zeros(3)])
        tangents = np.stack([sliding, np.tile([0.0, 0.0, 1.0], (3, 1))], axis=1)
        normals = np.column_stack([NORMALS, np.zeros(3)])
        pin = Bearing(radius * normals, normals, mu, tangents)
        inertia = spatial_inertia(m, J * np.eye(3), np.append(c, 0))
        system = reduced.Tree([reduced.Link("body", Revolute(), inertia)], gravity=[*g, 0])
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
        "Some multipliers of least norm are negative on every loaded pin. For these the lower bound "
        "exceeds the upper one: the program has no solution, and a solver that clips to the bounds "
        r"applies friction along the motion. With $|\alpha|$ an iteration of lines 10 to 24 leaves the "
        "friction of Coulomb's law unchanged, whether the joint sticks or slides. The iteration may "
        r"converge slowly: if the joint forces are fixed while (2.114) is solved with $TM^{-1}T^\top$, "
        r"it may take hundreds of iterations. The library uses $TJ_{mr}M_r^{-1}J_{mr}^\top T^\top$."
    )
    implements = reduced.bisp_step


# ------------------------------------------------------------------------------------------------------------
# Joint reactions. The oracles apply Newton's law to each point mass.


STEP_INPUTS = {**TREE, "h": positive_numbers(0.125, 1)}
CONSTRAINED_INPUTS = {
    "M": spd_matrices(4),
    "N": arrays(2, 4).map(lambda rows: np.eye(4)[:2] + rows / 8),
    "v": arrays(4),
    "f": arrays(4),
    "h": positive_numbers(0.125, 1),
}


def velocities_and_multipliers(M, N, v, f, h):
    """Solve the first line of (2.115) for both unknowns, with N v = 0 after the step."""
    kkt = np.block([[M, N.T], [N, np.zeros((2, 2))]])
    solution = np.linalg.solve(kkt, np.concatenate([M @ v + h * f, np.zeros(2)]))
    return solution[:4], solution[4:]


def project_momentum(M, N, momentum):
    """Return the admissible velocities from the momentum along them, without multipliers."""
    basis = linalg.null_space(N)
    return basis @ np.linalg.solve(basis.T @ M @ basis, basis.T @ momentum)


@section.holds("e2.115", "Constrained equations of motion")
class e2_115:
    formula = r"M\dot q + N^T\alpha = M\dot q^{\text{prev}} + hf, \qquad \underbrace{\dot q}_{\dot q^{\text{con}}} + M^{-1}N^T\alpha = \underbrace{\dot q^{\text{prev}} + hM^{-1}f}_{\dot q^{\text{unc}}}"
    inputs = CONSTRAINED_INPUTS
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(M, N, v, f, h):
        """Return the left-hand side of the second line, and its first term."""
        con, alpha = velocities_and_multipliers(M, N, v, f, h)
        return np.concatenate([con + np.linalg.solve(M, N.T @ alpha), con])

    def library(M, N, v, f, h):
        con = solve_step(StepProblem(M, M @ v + h * f, BilateralRows(N))).velocity
        return np.concatenate([solve_step(StepProblem(M, M @ v + h * f)).velocity, con])

    def reference(M, N, v, f, h):
        """Compare with the momentum along the admissible directions, and with the motion without rows."""
        return np.concatenate(
            [v + linalg.solve(M, h * f, assume_a="pos"), project_momentum(M, N, M @ v + h * f)]
        )

    remark = r"In maximal coordinates $\dot q$ is the vector of the body velocities."
    implements = solve_step


@section.holds("e2.116", "Constraint force from constrained and unconstrained velocities")
class e2_116:
    formula = r"M^{-1}N^T\alpha = \dot q^{\text{unc}} - \dot q^{\text{con}}, \quad f_\alpha = -N^T\alpha/h = \frac1h M(\dot q^{\text{con}} - \dot q^{\text{unc}})"
    inputs = CONSTRAINED_INPUTS
    result = Result(FORCE, SYSTEM_COORDINATES)

    def printed(M, N, v, f, h):
        con, alpha = velocities_and_multipliers(M, N, v, f, h)
        unc = v + h * np.linalg.solve(M, f)
        return np.concatenate([M @ (con - unc) / h, -N.T @ alpha / h])

    def library(M, N, v, f, h):
        step = solve_step(StepProblem(M, M @ v + h * f, BilateralRows(N)))
        force = N.T @ step.bilateral / h
        return np.concatenate([force, force])

    def reference(M, N, v, f, h):
        """Compare with the residual of the momentum balance at the admissible velocity."""
        force = (M @ project_momentum(M, N, M @ v + h * f) - M @ v - h * f) / h
        return np.concatenate([force, force])

    tolerance = 1e-8
    remark = (
        r"A joint can pull, so the sign of $\alpha$ in (2.115) is harmless as long as (2.118) uses the "
        "same sign."
    )
    implements = solve_step


def maximal_terms(link_frames, bodies, g, q, v):
    """Return M_m, J, Jdot and f_m of the tree."""
    assembly = library_tree(link_frames, bodies, g)
    M = linalg.block_diag(*assembly.inertias)
    f = reduced.gyroscopic_and_gravity_wrenches(assembly, q, v).ravel()
    return M, reduced.jacobian(assembly, q), reduced.jacobian_rate(assembly, q, v), f


def joint_accelerations(link_frames, bodies, g, q, v):
    """Return the accelerations of the tree, from the masses and forces of the points."""
    return np.linalg.solve(*branching_tree.tree_newton_equations(link_frames, bodies, g, q, v))


@section.erratum("e2.117#a", "Constrained velocities of the bodies")
class e2_117_a:
    page_2019 = Page(42, r"$\mathsf M_m\dot{\mathsf J}_{mr}\dot{\mathsf q}_r^{\text{prev}}$")
    page_2021 = Page(54, page_2019.content)
    formula = r"\dot q_m^{\text{con}\beta} = J_{mr}\left(\dot q_r^{\text{prev}} + hM_r^{-1}\left(J_{mr}^T(f_m + f_\beta - M_m J_{mr}\dot q_r^{\text{prev}})\right)\right)"
    edit = (r"M_m J_{mr}\dot", r"M_m\dot J_{mr}\dot")
    inputs = STEP_INPUTS
    arguments = {
        "v": Argument(
            vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)),
            "in the generalized coordinates of the system",
        )
    }
    result = Result(TWIST, "of each body, in its frame")

    def printed(link_frames, bodies, g, q, v, h):
        M, J, _, f = maximal_terms(link_frames, bodies, g, q, v)
        return J @ (v + h * np.linalg.solve(J.T @ M @ J, J.T @ (f - M @ J @ v)))

    def library(link_frames, bodies, g, q, v, h):
        assembly = library_tree(link_frames, bodies, g)
        qdot = symplectic_euler(assembly, State(q=q, qdot=v), h).qdot
        return reduced.twists(assembly, q, qdot).ravel()

    def reference(link_frames, bodies, g, q, v, h):
        """Compare with Newton's law for each point mass of a branching tree, constraint forces included."""
        qdot = v + h * joint_accelerations(link_frames, bodies, g, q, v)
        return branching_tree.twists_and_velocities(link_frames, np.zeros((4, 1, 3)), q, qdot)[0].ravel()

    tolerance = 1e-8
    correction = r"$M_m\dot J_{mr}\dot q_r^{\text{prev}}$, as in (2.18)"
    units_mismatch = r"a momentum is subtracted from forces: the dot of $\dot J$ is missing"
    remark = (
        "The converted text lacks the dot also in (2.119) and in (2.120); without it the units do not agree."
    )
    implements = symplectic_euler


@section.erratum("e2.117#b", "Forces of the joints from constrained and unconstrained velocities")
class e2_117_b:
    page_2019 = Page(42)
    page_2021 = Page(54)
    formula = r"\dot q_m^{\text{unc}\beta} = J_{mr}\dot q_r^{\text{prev}} + hM_m^{-1}(f_m + f_\beta), \qquad f_\alpha = \frac1h M_m(\dot q_m^{\text{con}\beta} - \dot q_m^{\text{unc}\beta})"
    edit = (
        r"\dot q_m^{\text{con}\beta} - \dot q_m^{\text{unc}\beta}",
        r"\dot q_m^{\text{con}\beta} + h\dot J_{mr}\dot q_r^{\text{prev}} - \dot q_m^{\text{unc}\beta}",
    )
    inputs = STEP_INPUTS
    arguments = {
        "v": Argument(
            vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)),
            "in the generalized coordinates of the system",
        )
    }
    result = Result(WRENCH, "on each body, about its origin, along its axes")

    def printed(link_frames, bodies, g, q, v, h):
        """Evaluate with the dot that the converted text lacks in the second line."""
        M, J, Jdot, f = maximal_terms(link_frames, bodies, g, q, v)
        unc = J @ v + h * np.linalg.solve(M, f)
        con = J @ (v + h * np.linalg.solve(J.T @ M @ J, J.T @ (f - M @ Jdot @ v)))
        return M @ (con - unc) / h

    def library(link_frames, bodies, g, q, v, h):
        system, state = library_tree(link_frames, bodies, g), State(q=q, qdot=v)
        qdot = symplectic_euler(system, state, h).qdot
        return reduced.body_constraint_impulses(system, state, qdot, h).ravel() / h

    def reference(link_frames, bodies, g, q, v, h):
        """Compare with Newton's law for each point mass of a branching tree, constraint forces included."""
        return joint_reactions.net_body_wrenches(
            link_frames, bodies, g, q, v, joint_accelerations(link_frames, bodies, g, q, v)
        )

    tolerance = 1e-8
    correction = (
        r"$f_\alpha = \frac1h M_m(\dot q_m^{\text{con}\beta} + h\dot J_{mr}\dot q_r^{\text{prev}} - "
        r"\dot q_m^{\text{unc}\beta})$"
    )
    remark = (
        r"Forces change the body velocities by $J_{mr}(\dot q_r - \dot q_r^{\text{prev}}) + h\dot "
        r"J_{mr}\dot q_r^{\text{prev}}$; the printed equation omits the last term. The printed forces "
        r"violate d'Alembert's principle, $J_{mr}^T f_\alpha = -J_{mr}^T M_m\dot J_{mr}\dot q_r \ne "
        "0$: the joints do work."
    )
    effect = (
        "A pendulum of 1 kg falls from the horizontal: at its lowest point the load of the pin is 9.8 N "
        "instead of 29.4 N, so that friction is too small."
    )
    implements = reduced.body_constraint_impulses


@section.holds("t1449", "Joint reactions, accumulated from the leaves")
class t1449:
    formula = r"\text{from the leaves: } w_i = f_{\alpha i} + \sum_c {}^c_i\text{Ad}^T w_c \text{ (`subtract' the `equal and opposite force' that the joint of child } c \text{ exerts)}"
    inputs = TREE
    arguments = {
        "v": Argument(
            vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)),
            "in the generalized coordinates of the system",
        )
    }
    result = Result(WRENCH, "on each body, about its origin, along its axes")

    def printed(link_frames, bodies, g, q, v):
        """Subtract joint reactions from the parents as equal and opposite forces, in the frames of the parents."""
        assembly = library_tree(link_frames, bodies, g)
        M, J, Jdot, f = maximal_terms(link_frames, bodies, g, q, v)
        qddot = np.linalg.solve(J.T @ M @ J, J.T @ (f - M @ Jdot @ v))
        portion = (M @ (J @ qddot + Jdot @ v) - f).reshape(4, 6)
        poses = reduced.poses(assembly, q).body_poses
        for i in (3, 2, 1):
            parent = assembly.parents[i]
            relative_pose = np.linalg.inv(poses[i]) @ poses[parent]
            opposite = -_adjoint(relative_pose).T @ portion[i]
            portion[parent] = portion[parent] - opposite
        return np.concatenate(
            [_adjoint(body).T @ w for body, w in zip(np.linalg.inv(link_frames[:, 1]), portion, strict=True)]
        )

    def library(link_frames, bodies, g, q, v):
        assembly = library_tree(link_frames, bodies, g)
        system, state = assembly, State(q=q, qdot=v)
        qdot = symplectic_euler(system, state, 1.0).qdot
        return reduced.joint_transmitted_wrenches(
            assembly, q, reduced.body_constraint_impulses(system, state, qdot, 1.0)
        ).ravel()

    def reference(link_frames, bodies, g, q, v):
        """Compare with Newton's law for each point mass: constraint forces, summed over all bodies beyond a joint."""
        return joint_reactions.joint_transmitted_wrenches(
            link_frames, bodies, g, q, v, joint_accelerations(link_frames, bodies, g, q, v)
        )

    tolerance = 1e-8
    remark = (
        "The first of the two sentences, `we must subtract this force from the parent's portion', "
        "gives the opposite sign if it refers to the joint reaction itself; the second sentence "
        r"shows what is meant. The result is linear in $f_\alpha$ and takes one operation per joint."
    )
    implements = reduced.joint_transmitted_wrenches


def _adjoint(E):
    """Return the adjoint that maps twists from the second frame of E to the first."""
    R, p = E[:3, :3], E[:3, 3]
    hat = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    return np.block([[R, np.zeros((3, 3))], [hat @ R, R]])


# ------------------------------------------------------------------------------------------------------------
# Loads and friction of the contacts in a joint.


DIRECTIONS = np.array([[1.0, 0, 0], [0, 1.0, 0], [1.0, 1, 0], [0, 0, 1.0], [0, 1.0, 1]])
POSITIONS = np.array([[0, 0, 1.0], [1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0], [-1.0, 0, 0]])


CUBE_CORNERS = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
OCTET = (np.roll(CUBE_CORNERS, 1, axis=1) * [1, 1, 0] + [0, 0, 0.5], CUBE_CORNERS)


def _contacts(numbers, base=(DIRECTIONS, POSITIONS)):
    normals = base[0] + numbers[:, :3] / 8
    normals = round_directions(normals / np.linalg.norm(normals, axis=1, keepdims=True))
    return np.stack([round_numbers(base[1] + numbers[:, 3:] / 8), normals])


BEARING_INPUTS = {
    "contacts": arrays(5, 6).map(_contacts),
    "M": spd_matrices(6),
    "c": arrays(5),
    "h": positive_numbers(0.125, 1),
}


def contact_rows(contacts):
    """Return N ``(c, 6)`` of points and normals."""
    points, normals = contacts
    return np.hstack([np.cross(points, normals), normals])


def contact_wrench(contacts, sizes):
    """Return the wrench of forces of these sizes along the normals."""
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


@section.erratum("e2.118", "Multipliers of the contacts in a joint")
class e2_118:
    page_2019 = Page(43)
    page_2021 = Page(54)
    formula = (
        r"\alpha = h\left(N_i M_i^{-1} N_i^T + \epsilon I\right)^{-1}\left(N_i M_i^{-1} f_{\alpha i}\right)"
    )
    edit = ("= h", "= -h")
    inputs = BEARING_INPUTS
    arguments = {"M": Argument(SPATIAL_INERTIA, "in the frame of the body")}
    result = Result(FORCE, "one for each contact")

    def printed(contacts, M, c, h):
        """Return -alpha / h for the joint reaction of forces c along the normals, which should be c."""
        N, Mi = contact_rows(contacts), np.linalg.inv(M)
        f = N.T @ c
        alpha = h * np.linalg.solve(N @ Mi @ N.T + EPSILON * np.eye(5), N @ Mi @ f)
        return -alpha / h

    def library(contacts, M, c, h):
        return Bearing(*contacts, 0.3).normal_multipliers(h * contact_rows(contacts).T @ c) / h

    def reference(contacts, M, c, h):
        """Check that linearly independent contact forces are recovered from their joint reaction."""
        columns = np.stack([contact_wrench(contacts, unit) for unit in np.eye(5)], axis=1)
        return np.linalg.lstsq(columns, contact_wrench(contacts, c), rcond=None)[0]

    combined_with = ("sueda/s2.11/e2.116",)
    tolerance = 1e-4
    tolerance_reason = "the regularization changes the multipliers by a small amount"
    correction = (
        r"$\alpha = -h\left(N_i M_i^{-1} N_i^T + \epsilon I\right)^{-1} N_i M_i^{-1} f_{\alpha i}$, since "
        r"$f_\alpha = -N^T\alpha/h$ in (2.116)"
    )
    remark = (
        "The metric $M_i^{-1}$ matters only if the contacts cannot carry the load. The library "
        "weights moments by the size of the bearing, so that massless bodies can have bearings. The "
        r"sign would not matter if $|\alpha|$ bounded the friction, but the printed bound is "
        r"$\mu\alpha$."
    )
    no_simulation = r"Friction depends on $|\alpha|$, once its bounds are corrected."
    implements = Bearing


@section.erratum("t1491#c", "Friction bounds for multipliers of either sign")
class t1491_c:
    page_2019 = Page(43)
    page_2021 = Page(54)
    formula = (
        r"\text{`We do not require } \alpha \text{ to be positive'}; \quad -\mu\alpha \le \beta \le \mu\alpha"
    )
    inputs = {name: BEARING_INPUTS[name] for name in ("contacts", "c")} | {"mu": positive_numbers(0.125, 1)}
    result = Result(FORCE, "of all contacts together")

    def printed(contacts, c, mu):
        """Return the sum of the upper bounds of (2.114), one for each contact."""
        N = contact_rows(contacts)
        alpha = np.linalg.lstsq(N.T, N.T @ c, rcond=None)[0]
        return np.array([np.sum(mu * alpha)])

    def library(contacts, c, mu):
        bearing = Bearing(*contacts, mu)
        return np.array(
            [np.sum(bearing.mu * np.abs(bearing.normal_multipliers(contact_rows(contacts).T @ c)))]
        )

    def reference(contacts, c, mu):
        """Compare with nonnegative least squares for two unilateral contacts at each position, one on either side."""
        columns = np.stack([contact_wrench(contacts, unit) for unit in np.eye(5)], axis=1)
        sizes, _ = optimize.nnls(np.hstack([columns, -columns]), contact_wrench(contacts, c))
        return np.array([mu * np.sum(sizes)])

    tolerance = 1e-5
    tolerance_reason = "the multipliers are regularized"
    correction = r"$-\mu|\alpha| \le \beta \le \mu|\alpha|$"
    replacement = r"We do not require $\alpha$ to be positive, since these contact constraints are bilateral: they cannot come apart. The bounds of (2.114) are then $-\mu|\alpha| \le \beta \le \mu|\alpha|$."
    remark = (
        r"Where $\alpha < 0$ the printed bounds admit no friction impulse, not even zero, and the "
        "program has no solution. A bilateral contact is equivalent to two unilateral ones on opposite "
        "sides, of which one carries the load."
    )
    effect = (
        "A slider of 1 kg hangs on a rail with a friction coefficient of 0.3: the lower bound of its "
        r"friction is 2.9 N and the upper one is $-2.9$ N, so that no step can be taken."
    )
    implements = Bearing


EIGHT_CONTACTS = {
    "contacts": arrays(8, 6).map(lambda numbers: _contacts(numbers, OCTET)),
    "M": spd_matrices(6),
    "c": arrays(8),
}


@section.holds("t1491#a", "The regularized multipliers have the least norm")
class t1491_a:
    formula = r"\epsilon \to 0: \quad \|\alpha\| \text{ is the smallest of all that make the joint reaction}"
    inputs = EIGHT_CONTACTS
    arguments = {"M": Argument(SPATIAL_INERTIA, "in the frame of the body")}
    result = Result(FORCE, "one for each contact")

    def printed(contacts, M, c):
        """Return the magnitudes of (2.118) for the joint reaction due to forces c along the normals."""
        N, Mi = contact_rows(contacts), np.linalg.inv(M)
        return np.linalg.solve(N @ Mi @ N.T + 1e-9 * np.eye(8), N @ Mi @ N.T @ c)

    def library(contacts, M, c):
        return Bearing(*contacts, 0.3).normal_multipliers(contact_rows(contacts).T @ c)

    def reference(contacts, M, c):
        """Compare with the forces of least norm that have the same wrench, by singular values."""
        columns = np.stack([contact_wrench(contacts, unit) for unit in np.eye(8)], axis=1)
        return np.linalg.lstsq(columns, contact_wrench(contacts, c), rcond=None)[0]

    tolerance = 1e-4
    tolerance_reason = "the regularization is small but not zero, and the system is singular without it"
    remark = (
        r"Without $\epsilon$ the system is singular: there are eight contacts but at most six "
        "independent wrenches."
    )
    implements = Bearing


def ring_contacts(radius, height, offsets=0.0):
    """Return points and normals of four contacts around each end of a cylinder, rotated by these angles."""
    angles = np.pi / 2 * (np.arange(8) % 4 + 0.5) + offsets
    radial = np.stack([np.cos(angles), np.sin(angles), np.zeros(8)], axis=1)
    ends = np.repeat([-height / 2, height / 2], 4)
    return radius * radial + ends[:, None] * [0, 0, 1], radial


@section.conditional("t1491#b", "The wrench on a joint does not depend on its preload")
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
    condition_inputs = {**inputs, "angles": arrays(2).map(lambda rotations: np.repeat(rotations, 4))}
    arguments = {
        "angles": Argument(NUMBER, "of each contact around the axis, beyond those of a regular ring"),
        "load": Argument(FORCE, "along the normal of each contact"),
    }
    constants = (FORCE,)
    result = Result(WRENCH, "in the frame of the joint")

    def printed(radius, height, angles, load):
        return contact_rows(ring_contacts(radius, height, angles)).T @ (load + 1000)

    def library(radius, height, angles, load):
        return Bearing(*ring_contacts(radius, height, angles), 0.3).normal_jacobian.T @ (load + 0.1)

    def reference(radius, height, angles, load):
        """Compare with sums of forces and moments, contact by contact, with a preload of 0.1."""
        total = np.zeros(6)
        for k, size in enumerate(load + 0.1):
            angle, z = np.pi / 2 * (k % 4 + 0.5) + angles[k], (-1 if k < 4 else 1) * height / 2
            x, y = size * np.cos(angle), size * np.sin(angle)
            total += [-z * y, z * x, 0, x, y, 0]
        return total

    def holds_when(radius, height, angles, load):
        """Return True if the normals of both ends balance."""
        normals = np.exp(1j * (np.pi / 2 * np.arange(8) + angles)).reshape(2, 4)
        return bool(np.all(np.abs(normals.sum(axis=1)) < 1e-9))

    condition = r"the normals of the contacts balance, $N_i^T\mathbf 1 = 0$, as those of a regular ring do"
    remark = (
        r"The friction, however, would be ten thousand times as large, because its bound is $\mu|\alpha|$."
    )
    implements = Bearing


@section.erratum("alg8", "Algorithm 8, bilateral staggered projections: the new velocities")
class alg8:
    page_2019 = Page(43)
    page_2021 = Page(55)
    formula = r"\dot q_r = \dot q_r^{\text{prev}} + hM_r^{-1}\left(f_r + J_{mr}^T(f_\alpha + f_\beta)\right), \qquad f_\beta = 0 \text{ without friction}"
    inputs = STEP_INPUTS
    arguments = {
        "v": Argument(
            vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)),
            "in the generalized coordinates of the system",
        )
    }
    result = Result(BRANCHING / TIME, "of the joints, in their order")

    def printed(link_frames, bodies, g, q, v, h):
        """Evaluate lines 10 and 26 with mu = 0, with the dot that the converted (2.117) lacks, and with f_r of (2.18)."""
        M, J, Jdot, f = maximal_terms(link_frames, bodies, g, q, v)
        M_r, f_r = J.T @ M @ J, J.T @ (f - M @ Jdot @ v)
        unc = J @ v + h * np.linalg.solve(M, f)
        f_alpha = M @ (J @ (v + h * np.linalg.solve(M_r, f_r)) - unc) / h
        return v + h * np.linalg.solve(M_r, f_r + J.T @ f_alpha)

    def library(link_frames, bodies, g, q, v, h):
        system = library_tree(link_frames, bodies, g)
        bearings = {NAMES[3]: journal_bearing(0.1, 0.2, 0.0, points=3)}
        return reduced.bisp_step(system, State(q=q, qdot=v), h, bearings).state.qdot

    def reference(link_frames, bodies, g, q, v, h):
        """Compare with Newton's law for each point mass of a branching tree: the step of 2.3, without friction."""
        return v + h * joint_accelerations(link_frames, bodies, g, q, v)

    tolerance = 1e-8
    correction = (
        r"$\dot q_r = \dot q_r^{\text{prev}} + hM_r^{-1}(f_r + J_{mr}^T f_\beta)$: joint reactions do no work, "
        r"$J_{mr}^T f_\alpha = 0$"
    )
    replacement = r"\dot q_r = \dot q_r^{\text{prev}} + hM_r^{-1}\left(f_r + J_{mr}^T f_\beta\right)"
    remark = (
        r"The forces of (2.117) are not the joint reactions, and count $-J_{mr}^T M_m\dot J_{mr}\dot "
        "q_r$ of $f_r$ twice. Even without friction, the motion therefore differs from that of 2.3. "
        "Lines 8 to 21 also have the error of Algorithm 7. `An order of magnitude faster than SP' (line 1431) "
        "depends on the mechanism: the chapter measures between 0.7 and 9 times."
    )
    effect = "A double pendulum with masses of 1 kg and rods of 1 m, released at 1.5 rad, loses 2.3 J in two seconds without friction."
    implements = reduced.bisp_step
