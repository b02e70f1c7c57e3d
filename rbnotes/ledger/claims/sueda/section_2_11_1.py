"""Sueda 2.11.1: friction in joints with closed loops and contact. The oracles apply Newton's law to each point mass."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from rbnotes.dynamics import (
    BilateralRows,
    State,
    UnilateralRows,
    add_constraints,
    solve_step,
    symplectic_euler_problem,
)
from rbnotes.ledger.claims.sueda.section_2_11 import maximal_terms
from rbnotes.ledger.joint_quantities import BRANCHING, MASS_POINTS
from rbnotes.ledger.oracles import branching_tree, joint_reactions
from rbnotes.ledger.oracles.branching_tree_inputs import TREE, library_tree
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    ACCELERATION,
    ENERGY,
    POINT_JACOBIAN,
    POSE,
    RATE,
    TIME,
    TWIST,
    VELOCITY,
    WRENCH,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody import reduced
from rbnotes.testing.strategies import arrays, positive_numbers, round_numbers

section = Section(
    "sueda/s2.11.1",
    chapter="friction-in-joints",
    page_2019=Page(44),
    page_2021=Page(54, last=56),
    arguments={
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
        "v": Argument(
            vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)),
            "of the joints, in their order",
        ),
        "G": Argument(POINT_JACOBIAN),
        "h": Argument(TIME),
        "C": Argument(POINT_JACOBIAN),
        "reaction": Argument(WRENCH),
    },
)


# Linearly independent rows, for any tree.
INDEPENDENT_ROWS = np.sin(np.arange(1, 73) ** 2).reshape(3, 24)
LOOP_INPUTS = {
    **TREE,
    "G": arrays(2, 24).map(lambda rows: round_numbers(INDEPENDENT_ROWS[:2] + rows / 8)),
    "h": positive_numbers(0.125, 1),
}


def coordinate_rows(link_frames, q, G):
    """Return rows on body twists as rows on the coordinates, from the twists of unit rates."""
    unit_twists = [
        branching_tree.twists_and_velocities(link_frames, np.zeros((4, 1, 3)), q, rate)[0].ravel()
        for rate in np.eye(5)
    ]
    return G @ np.array(unit_twists).T


def least_energy_velocities(M, momentum, rows):
    """Return the velocities of least energy with ``rows v = 0``, without multipliers."""
    basis = linalg.null_space(rows)
    return basis @ np.linalg.solve(basis.T @ M @ basis, basis.T @ momentum)


def solve_constrained(M, momentum, rows):
    """Solve ``M v + rows^T lambda = momentum``, ``rows v = 0`` for v and lambda, with the signs of the notes."""
    n, m = len(M), len(rows)
    solution = np.linalg.solve(
        np.block([[M, rows.T], [rows, np.zeros((m, m))]]), np.append(momentum, np.zeros(m))
    )
    return solution[:n], solution[n:]


def step_with_loop(link_frames, bodies, g, q, v, G, h):
    """Return the system, the state, and the library's step under the rows."""
    system, state = library_tree(link_frames, bodies, g), State(q=q, qdot=v)
    rows = BilateralRows(G @ reduced.jacobian(system, q))
    return system, state, solve_step(add_constraints(symplectic_euler_problem(system, state, h), [rows]))


@section.erratum("e2.119#a", "Joint reactions as a difference of two constrained velocities")
class e2_119_a:
    page_2019 = Page(44)
    page_2021 = Page(55)
    formula = r"f_\alpha = \frac1h M_m\left(J_{mr}\dot q_r^{\text{con}\beta} - \dot q_m^{\text{unc}\beta}\right), \quad G_m\dot q_m^{\text{unc}\beta} = 0, \quad G_m J_{mr}\dot q_r^{\text{con}\beta} = 0"
    inputs = {**LOOP_INPUTS, "h": positive_numbers(0.5, 1)}
    result = Result(WRENCH, "on each body, about its origin, along its axes")

    def printed(link_frames, bodies, g, q, v, G, h):
        """Evaluate with both dots, and with h Jdot qdot, which is omitted here as in (2.117)."""
        M, J, Jdot, f = maximal_terms(link_frames, bodies, g, q, v)
        M_r = J.T @ M @ J
        unc = solve_constrained(M, M @ J @ v + h * f, G)[0]
        con = solve_constrained(M_r, M_r @ v + h * J.T @ (f - M @ Jdot @ v), G @ J)[0]
        return M @ (J @ con + h * Jdot @ v - unc) / h

    def library(link_frames, bodies, g, q, v, G, h):
        system, state, step = step_with_loop(link_frames, bodies, g, q, v, G, h)
        impulses = reduced.body_constraint_impulses(system, state, step.velocity, h).ravel()
        return (impulses - G.T @ step.bilateral) / h

    def reference(link_frames, bodies, g, q, v, G, h):
        """Compare with Newton's law for each point mass: the constraint forces minus those of the loop."""
        M, f = branching_tree.tree_newton_equations(link_frames, bodies, g, q, v)
        rows = coordinate_rows(link_frames, q, G)
        a = (least_energy_velocities(M, M @ v + h * f, rows) - v) / h
        loop = np.linalg.lstsq(rows.T, M @ a - f, rcond=None)[0]
        return joint_reactions.net_body_wrenches(link_frames, bodies, g, q, v, a) - G.T @ loop

    tolerance = 1e-8
    combined_with = ("sueda/s2.11/e2.116",)
    correction = (
        r"$f_\alpha = \frac1h M_m\left(J_{mr}\dot q_r^{\text{con}\beta} + h\dot J_{mr}\dot "
        r"q_r^{\text{prev}} - \dot q_m^{\text{unc}\beta}\right) - f_\lambda$, with $\dot "
        r"q_m^{\text{unc}\beta}$ of (2.117), without any constraint, and $f_\lambda = -G_m^T\lambda/h$ "
        "of the constrained solve; likewise for contacts"
    )
    replacement = r"""\begin{aligned}
\dot q_m^{\text{unc}\beta} &= J_{mr}\dot q_r^{\text{prev}} + hM_m^{-1}(f_m + f_\beta) \\
f_\alpha &= \frac1h\left(M_m\left(J_{mr}\dot q_r^{\text{con}\beta} + h\dot J_{mr}\dot q_r^{\text{prev}} - \dot q_m^{\text{unc}\beta}\right) + G_m^T\lambda - C_m^T\gamma\right),\quad \gamma \ge 0 \text{ the impulses of } C_m J_{mr}\dot q_r \ge 0
\end{aligned}"""
    remark = (
        "`The difference between these velocities will give us the joint reaction forces' holds only if "
        "the loop forces of both programs are equal. Separate bodies need other forces to keep a loop "
        r"closed than the mechanism does, and the difference, $G_m^T(\lambda^{\text{unc}} - "
        r"\lambda^{\text{con}})/h$, is counted as a joint reaction. The same is true of contacts."
    )
    implements = reduced.body_constraint_impulses


@section.misprint("e2.119#b", "Unknown of the constrained program")
class e2_119_b:
    page_2019 = Page(44)
    page_2021 = Page(55)
    formula = r"\dot q_m^{\text{con}\beta} = \underset{\dot q_r}{\operatorname{argmin}}\ \tfrac12\dot q_r^T M_r\dot q_r - \dot q_r^T\left(M_r\dot q_r^{\text{prev}} + hJ_{mr}^T(f_m + f_\beta - M_m\dot J_{mr}\dot q_r^{\text{prev}})\right), \quad G_m J_{mr}\dot q_r = 0"
    edit = (r"\dot q_m^{\text{con}\beta} =", r"\dot q_r^{\text{con}\beta} =")
    inputs = LOOP_INPUTS
    result = Result(TWIST, "of each body, in its frame")

    def printed(link_frames, bodies, g, q, v, G, h):
        """Return the minimizer, which the notes call the velocities of the bodies."""
        M, J, Jdot, f = maximal_terms(link_frames, bodies, g, q, v)
        M_r = J.T @ M @ J
        return solve_constrained(M_r, M_r @ v + h * J.T @ (f - M @ Jdot @ v), G @ J)[0]

    def library(link_frames, bodies, g, q, v, G, h):
        system, _, step = step_with_loop(link_frames, bodies, g, q, v, G, h)
        return reduced.twists(system, q, step.velocity).ravel()

    def reference(link_frames, bodies, g, q, v, G, h):
        """Compare with Newton's law for each point mass, along the motions that the loop allows."""
        M, f = branching_tree.tree_newton_equations(link_frames, bodies, g, q, v)
        velocity = least_energy_velocities(M, M @ v + h * f, coordinate_rows(link_frames, q, G))
        return branching_tree.twists_and_velocities(link_frames, np.zeros((4, 1, 3)), q, velocity)[0].ravel()

    tolerance = 1e-8
    undefined = "the minimizer has one entry for each joint coordinate, not six for each body"
    correction = (
        r"$\dot q_r^{\text{con}\beta}$ on the left-hand side: the unknown of the program is $\dot q_r$, "
        "as in the last line"
    )
    remark = (
        r"The dot of $\dot J_{mr}$, which the conversion dropped, is restored here; part c treats the "
        "missing dot."
    )
    implements = solve_step


@section.erratum("e2.119#c", "Program for the constrained velocities")
class e2_119_c:
    page_2019 = Page(44, r"$\mathsf M_m\dot{\mathsf J}_{mr}\dot{\mathsf q}_r^{\text{prev}}$")
    page_2021 = Page(55, page_2019.content)
    formula = r"\text{minimize}\quad \tfrac12\dot q_r^T M_r\dot q_r - \dot q_r^T\left(M_r\dot q_r^{\text{prev}} + hJ_{mr}^T(f_m + f_\beta - M_m J_{mr}\dot q_r^{\text{prev}})\right) \quad\text{subject to}\quad G_m J_{mr}\dot q_r = 0"
    edit = (r"M_m J_{mr}\dot", r"M_m\dot J_{mr}\dot")
    inputs = LOOP_INPUTS
    result = Result(BRANCHING / TIME, "of the joints, in their order")

    def printed(link_frames, bodies, g, q, v, G, h):
        M, J, _, f = maximal_terms(link_frames, bodies, g, q, v)
        M_r = J.T @ M @ J
        return solve_constrained(M_r, M_r @ v + h * J.T @ (f - M @ J @ v), G @ J)[0]

    def library(link_frames, bodies, g, q, v, G, h):
        return step_with_loop(link_frames, bodies, g, q, v, G, h)[2].velocity

    def reference(link_frames, bodies, g, q, v, G, h):
        """Compare with Newton's law for each point mass, along the motions that the loop allows."""
        M, f = branching_tree.tree_newton_equations(link_frames, bodies, g, q, v)
        return least_energy_velocities(M, M @ v + h * f, coordinate_rows(link_frames, q, G))

    tolerance = 1e-8
    correction = r"$M_m\dot J_{mr}\dot q_r^{\text{prev}}$, as in (2.18)"
    units_mismatch = r"a momentum is subtracted from forces: the dot of $\dot J$ is missing"
    implements = solve_step


@section.holds("t1509", "Generalized forces of a loop closure")
class t1509:
    formula = r"f_\lambda = -J_{mr}^T G_m^T\lambda/h"
    inputs = LOOP_INPUTS
    result = Result(ENERGY / BRANCHING, "of the joints, in their order")

    def printed(link_frames, bodies, g, q, v, G, h):
        M, J, Jdot, f = maximal_terms(link_frames, bodies, g, q, v)
        M_r = J.T @ M @ J
        multipliers = solve_constrained(M_r, M_r @ v + h * J.T @ (f - M @ Jdot @ v), G @ J)[1]
        return -J.T @ G.T @ multipliers / h

    def library(link_frames, bodies, g, q, v, G, h):
        system, _, step = step_with_loop(link_frames, bodies, g, q, v, G, h)
        return (G @ reduced.jacobian(system, q)).T @ step.bilateral / h

    def reference(link_frames, bodies, g, q, v, G, h):
        """Compare with Newton's law for each point mass: the residual of the generalized momentum."""
        M, f = branching_tree.tree_newton_equations(link_frames, bodies, g, q, v)
        velocity = least_energy_velocities(M, M @ v + h * f, coordinate_rows(link_frames, q, G))
        return (M @ (velocity - v) - h * f) / h

    tolerance = 1e-8
    remark = (
        "These are generalized forces, one for each coordinate. The load of the contacts in the closure, "
        r"by (2.118), is the wrench on its body, six numbers of $-G_m^T\lambda/h$."
    )
    implements = solve_step


def remove_joint_work(J, wrenches):
    """Return the part of wrenches that does no work on motions of the joints."""
    return wrenches - J @ np.linalg.lstsq(J, wrenches, rcond=None)[0]


FINAL_INPUTS = {
    **LOOP_INPUTS,
    "C": arrays(1, 24).map(lambda rows: round_numbers(INDEPENDENT_ROWS[2:] + rows / 8)),
    "reaction": arrays(24),
}


def solve_with_inequality(M_r, momentum, G, C):
    """Return the solution without the inequality if it is admissible, else the one with the equality."""
    for rows in (G, np.vstack([G, C])):
        velocity = solve_constrained(M_r, momentum, rows)[0]
        if C @ velocity >= -1e-12:
            return velocity
    return velocity


@section.erratum("e2.120", "Program for the final velocities")
class e2_120:
    page_2019 = Page(44, r"$\mathsf M_m\dot{\mathsf J}_{mr}\dot{\mathsf q}_r^{\text{prev}}$")
    page_2021 = Page(56, page_2019.content)
    formula = r"\text{minimize}\quad \tfrac12\dot q_r^T M_r\dot q_r - \dot q_r^T\left(M_r\dot q_r^{\text{prev}} + hJ_{mr}^T(f_m + f_\alpha + f_\beta - M_m J_{mr}\dot q_r^{\text{prev}})\right) \quad\text{subject to}\quad G_m J_{mr}\dot q_r = 0,\ C_m J_{mr}\dot q_r \ge 0"
    edit = (r"M_m J_{mr}\dot", r"M_m\dot J_{mr}\dot")
    inputs = FINAL_INPUTS
    result = Result(BRANCHING / TIME, "of the joints, in their order")

    def printed(link_frames, bodies, g, q, v, G, h, C, reaction):
        """Evaluate with joint reactions that do no work, and without friction."""
        M, J, _, f = maximal_terms(link_frames, bodies, g, q, v)
        M_r = J.T @ M @ J
        f_alpha = remove_joint_work(J, reaction)
        return solve_with_inequality(M_r, M_r @ v + h * J.T @ (f + f_alpha - M @ J @ v), G @ J, C @ J)

    def library(link_frames, bodies, g, q, v, G, h, C, reaction):
        system, state = library_tree(link_frames, bodies, g), State(q=q, qdot=v)
        J = reduced.jacobian(system, q)
        rows = [BilateralRows(G @ J), UnilateralRows(C @ J)]
        return solve_step(add_constraints(symplectic_euler_problem(system, state, h), rows)).velocity

    def reference(link_frames, bodies, g, q, v, G, h, C, reaction):
        """Compare with Newton's law for each point mass, along the motions that the loop allows.

        The contact is an equation if it would close otherwise.
        """
        M, f = branching_tree.tree_newton_equations(link_frames, bodies, g, q, v)
        loop, contact = coordinate_rows(link_frames, q, G), coordinate_rows(link_frames, q, C)
        open_velocities = least_energy_velocities(M, M @ v + h * f, loop)
        closed_velocities = least_energy_velocities(M, M @ v + h * f, np.vstack([loop, contact]))
        return open_velocities if contact @ open_velocities >= 0 else closed_velocities

    tolerance = 1e-8
    correction = r"$M_m\dot J_{mr}\dot q_r^{\text{prev}}$, as in (2.18)"
    units_mismatch = r"a momentum is subtracted from forces: the dot of $\dot J$ is missing"
    remark = (
        r"With the dot, and with joint reactions that do no work, the program is right, and $f_\alpha$ "
        r"can be omitted. The multipliers of $G_m J_{mr}\dot q_r = 0$ compensate the loop forces that "
        r"(2.119) includes in $f_\alpha$, so only the friction bounds of the joints are wrong. But as in "
        r"Algorithm 8, the term that (2.117) omits from $f_\alpha$ makes $-J_{mr}^T M_m\dot J_{mr}\dot "
        "q_r$ count twice."
    )
    implements = solve_step
