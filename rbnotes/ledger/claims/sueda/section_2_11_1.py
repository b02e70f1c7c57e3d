"""Sueda 2.11.1: friction in joints with closed loops and contact. Oracles ask Newton for each point mass."""

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
from rbnotes.ledger.claims.sueda.section_2_11 import maximal
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
from rbnotes.testing.strategies import arrays, positive_numbers

section = Section(
    "sueda/s2.11.1",
    chapter="friction-in-joints",
    page_2019=Page(44),
    page_2021=Page(54, last=56),
    arguments={
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
        "v": Argument(
            vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)),
            "in the coordinates of the whole system, whatever they are",
        ),
        "G": Argument(POINT_JACOBIAN),
        "h": Argument(TIME),
        "C": Argument(POINT_JACOBIAN),
        "reaction": Argument(WRENCH),
    },
)


# Rows that are independent, on any tree.
USUAL = np.sin(np.arange(1, 73) ** 2).reshape(3, 24)
OUTER = {**TREE, "G": arrays(2, 24).map(lambda rows: USUAL[:2] + rows / 8), "h": positive_numbers(0.125, 1)}


def on_rates(at, q, G):
    """Rows on twists of the bodies as rows on the coordinates, by the twists that unit rates make."""
    unit = [
        branching_tree.twists_and_velocities(at, np.zeros((4, 1, 3)), q, rate)[0].ravel()
        for rate in np.eye(5)
    ]
    return G @ np.array(unit).T


def least(M, momentum, rows):
    """Velocities of least energy with ``rows v = 0``, by what the rows allow: no multipliers."""
    free = linalg.null_space(rows)
    return free @ np.linalg.solve(free.T @ M @ free, free.T @ momentum)


def solve_constrained(M, momentum, rows):
    """Velocities and multipliers of ``M v + rows^T lambda = momentum``, ``rows v = 0``, as the notes sign them."""
    n, m = len(M), len(rows)
    both = np.linalg.solve(
        np.block([[M, rows.T], [rows, np.zeros((m, m))]]), np.append(momentum, np.zeros(m))
    )
    return both[:n], both[n:]


def step_with_loop(at, bodies, g, q, v, G, h):
    """System, state, and the step of the library under the rows."""
    system, state = reduced.TreeSystem(library_tree(at, bodies, g)), State(q=q, qdot=v)
    rows = BilateralRows(G @ reduced.jacobian(system.tree, q))
    return system, state, solve_step(add_constraints(symplectic_euler_problem(system, state, h), [rows]))


@section.erratum("e2.119#a", "Joint reactions as a difference of two constrained velocities")
class e2_119_a:
    page_2019 = Page(44)
    page_2021 = Page(55)
    formula = r"f_\alpha = \frac1h M_m\left(J_{mr}\dot q_r^{\text{con}\beta} - \dot q_m^{\text{unc}\beta}\right), \quad G_m\dot q_m^{\text{unc}\beta} = 0, \quad G_m J_{mr}\dot q_r^{\text{con}\beta} = 0"
    inputs = {**OUTER, "h": positive_numbers(0.5, 1)}
    result = Result(WRENCH, "on each body, about its origin, along its axes")

    def printed(at, bodies, g, q, v, G, h):
        """Evaluate with both dots, and with h Jdot qdot, which is left out here as in (2.117)."""
        M, J, Jdot, f = maximal(at, bodies, g, q, v)
        M_r = J.T @ M @ J
        unc = solve_constrained(M, M @ J @ v + h * f, G)[0]
        con = solve_constrained(M_r, M_r @ v + h * J.T @ (f - M @ Jdot @ v), G @ J)[0]
        return M @ (J @ con + h * Jdot @ v - unc) / h

    def library(at, bodies, g, q, v, G, h):
        system, state, step = step_with_loop(at, bodies, g, q, v, G, h)
        held = reduced.body_constraint_impulses(system, state, step.velocity, h).ravel()
        return (held - G.T @ step.bilateral) / h

    def reference(at, bodies, g, q, v, G, h):
        """Compare with Newton's law for each point mass of a branching tree: the constraint forces, minus those of the loop."""
        M, f = branching_tree.tree_newton_equations(at, bodies, g, q, v)
        rows = on_rates(at, q, G)
        a = (least(M, M @ v + h * f, rows) - v) / h
        loop = np.linalg.lstsq(rows.T, M @ a - f, rcond=None)[0]
        return joint_reactions.net_body_wrenches(at, bodies, g, q, v, a) - G.T @ loop

    tolerance = 1e-8
    combined_with = ("sueda/s2.11/e2.116",)
    correction = (
        r"$f_\alpha = \frac1h M_m\left(J_{mr}\dot q_r^{\text{con}\beta} + h\dot J_{mr}\dot q_r^{\text{prev}} - "
        r"\dot q_m^{\text{unc}\beta}\right) - f_\lambda$, with $\dot q_m^{\text{unc}\beta}$ of (2.117), without any "
        r"constraint, and $f_\lambda = -G_m^T\lambda/h$ of the constrained solve; contacts alike"
    )
    replacement = r"""\begin{aligned}
\dot q_m^{\text{unc}\beta} &= J_{mr}\dot q_r^{\text{prev}} + hM_m^{-1}(f_m + f_\beta) \\
f_\alpha &= \frac1h\left(M_m\left(J_{mr}\dot q_r^{\text{con}\beta} + h\dot J_{mr}\dot q_r^{\text{prev}} - \dot q_m^{\text{unc}\beta}\right) + G_m^T\lambda - C_m^T\gamma\right),\quad \gamma \ge 0 \text{ the impulses of } C_m J_{mr}\dot q_r \ge 0
\end{aligned}"""
    remark = (
        r"`The difference between these velocities will give us the joint reaction forces' holds only if the loop "
        r"pushes alike in both programs. Bodies that fall apart freely need other forces to keep a loop closed "
        r"than the mechanism does, and the difference of the two, $G_m^T(\lambda^{\text{unc}} - "
        r"\lambda^{\text{con}})/h$, is taken for a joint reaction. The same goes for contacts."
    )
    implements = reduced.body_constraint_impulses


@section.misprint("e2.119#b", "The unknown of the constrained program")
class e2_119_b:
    page_2019 = Page(44)
    page_2021 = Page(55)
    formula = r"\dot q_m^{\text{con}\beta} = \underset{\dot q_r}{\operatorname{argmin}}\ \tfrac12\dot q_r^T M_r\dot q_r - \dot q_r^T\left(M_r\dot q_r^{\text{prev}} + hJ_{mr}^T(f_m + f_\beta - M_m\dot J_{mr}\dot q_r^{\text{prev}})\right), \quad G_m J_{mr}\dot q_r = 0"
    edit = (r"\dot q_m^{\text{con}\beta} =", r"\dot q_r^{\text{con}\beta} =")
    inputs = OUTER
    result = Result(TWIST, "of each body, in its frame")

    def printed(at, bodies, g, q, v, G, h):
        """Return the minimizer, which the notes call the velocities of the bodies."""
        M, J, Jdot, f = maximal(at, bodies, g, q, v)
        M_r = J.T @ M @ J
        return solve_constrained(M_r, M_r @ v + h * J.T @ (f - M @ Jdot @ v), G @ J)[0]

    def library(at, bodies, g, q, v, G, h):
        system, _, step = step_with_loop(at, bodies, g, q, v, G, h)
        return reduced.twists(system.tree, q, step.velocity).ravel()

    def reference(at, bodies, g, q, v, G, h):
        """Compare with Newton's law for each point mass of a branching tree, along the motions that the loop allows: the velocities of the bodies."""
        M, f = branching_tree.tree_newton_equations(at, bodies, g, q, v)
        after = least(M, M @ v + h * f, on_rates(at, q, G))
        return branching_tree.twists_and_velocities(at, np.zeros((4, 1, 3)), q, after)[0].ravel()

    tolerance = 1e-8
    undefined = "the minimiser has as many numbers as the joints have, and not six for each body"
    correction = r"$\dot q_r^{\text{con}\beta}$ on the left side: the program is over $\dot q_r$, as the last line has it"
    remark = (
        r"The dot of $\dot J_{mr}$, which the conversion of the text dropped as in (2.117), is put back here."
    )
    implements = solve_step


@section.holds("t1509", "The forces that close a loop")
class t1509:
    formula = r"f_\lambda = -J_{mr}^T G_m^T\lambda/h"
    inputs = OUTER
    result = Result(ENERGY / BRANCHING, "of the joints, in their order")

    def printed(at, bodies, g, q, v, G, h):
        M, J, Jdot, f = maximal(at, bodies, g, q, v)
        M_r = J.T @ M @ J
        multipliers = solve_constrained(M_r, M_r @ v + h * J.T @ (f - M @ Jdot @ v), G @ J)[1]
        return -J.T @ G.T @ multipliers / h

    def library(at, bodies, g, q, v, G, h):
        system, _, step = step_with_loop(at, bodies, g, q, v, G, h)
        return (G @ reduced.jacobian(system.tree, q)).T @ step.bilateral / h

    def reference(at, bodies, g, q, v, G, h):
        """Compare with Newton's law for each point mass of a branching tree: the residual of the generalized momentum at known velocities."""
        M, f = branching_tree.tree_newton_equations(at, bodies, g, q, v)
        after = least(M, M @ v + h * f, on_rates(at, q, G))
        return (M @ (after - v) - h * f) / h

    tolerance = 1e-8
    remark = (
        r"These are forces along the coordinates, one for each. What loads the closure's own contacts, by (2.118), "
        r"is the wrench on its body, six numbers of $-G_m^T\lambda/h$."
    )
    implements = solve_step


def only_joints(J, wrenches):
    """Return the part of wrenches that does no work on motions of the joints."""
    return wrenches - J @ np.linalg.lstsq(J, wrenches, rcond=None)[0]


FINAL = {**OUTER, "C": arrays(1, 24).map(lambda rows: USUAL[2:] + rows / 8), "reaction": arrays(24)}


def velocities(M_r, momentum, G, C):
    """Return the solution without the inequality if it is admissible, else the one with the equality."""
    for rows in (G, np.vstack([G, C])):
        after = solve_constrained(M_r, momentum, rows)[0]
        if C @ after >= -1e-12:
            return after
    return after


@section.erratum("e2.120", "The program for the final velocities")
class e2_120:
    page_2019 = Page(44, r"$\mathsf M_m\dot{\mathsf J}_{mr}\dot{\mathsf q}_r^{\text{prev}}$")
    page_2021 = Page(56, page_2019.content)
    formula = r"\text{minimize}\quad \tfrac12\dot q_r^T M_r\dot q_r - \dot q_r^T\left(M_r\dot q_r^{\text{prev}} + hJ_{mr}^T(f_m + f_\alpha + f_\beta - M_m J_{mr}\dot q_r^{\text{prev}})\right) \quad\text{subject to}\quad G_m J_{mr}\dot q_r = 0,\ C_m J_{mr}\dot q_r \ge 0"
    edit = (r"M_m J_{mr}\dot", r"M_m\dot J_{mr}\dot")
    inputs = FINAL
    result = Result(BRANCHING / TIME, "of the joints, in their order")

    def printed(at, bodies, g, q, v, G, h, C, reaction):
        """Evaluate with joint reactions that do no work, and without friction."""
        M, J, _, f = maximal(at, bodies, g, q, v)
        M_r = J.T @ M @ J
        f_alpha = only_joints(J, reaction)
        return velocities(M_r, M_r @ v + h * J.T @ (f + f_alpha - M @ J @ v), G @ J, C @ J)

    def library(at, bodies, g, q, v, G, h, C, reaction):
        system, state = reduced.TreeSystem(library_tree(at, bodies, g)), State(q=q, qdot=v)
        J = reduced.jacobian(system.tree, q)
        rows = [BilateralRows(G @ J), UnilateralRows(C @ J)]
        return solve_step(add_constraints(symplectic_euler_problem(system, state, h), rows)).velocity

    def reference(at, bodies, g, q, v, G, h, C, reaction):
        """Compare with Newton's law for each point mass of a branching tree, along the motions that the loop allows, with the contact as an equation if it would close."""
        M, f = branching_tree.tree_newton_equations(at, bodies, g, q, v)
        loop, contact = on_rates(at, q, G), on_rates(at, q, C)
        apart = least(M, M @ v + h * f, loop)
        together = least(M, M @ v + h * f, np.vstack([loop, contact]))
        return apart if contact @ apart >= 0 else together

    tolerance = 1e-8
    correction = r"$M_m\dot J_{mr}\dot q_r^{\text{prev}}$, as in (2.18)"
    units_mismatch = r"a momentum is subtracted from forces: the rate of $J$ has lost its dot"
    remark = (
        r"With the dot, and with joint reactions that do no work, the program is right; $f_\alpha$ may then as "
        r"well be left out. What (2.119) has of the loop's in its $f_\alpha$, the multipliers of $G_m J_{mr}\dot q_r = 0$ "
        r"take back, so that only the joints' friction bounds suffer. But as in Algorithm 8 the term that (2.117) leaves "
        r"out of $f_\alpha$ makes $-J_{mr}^T M_m\dot J_{mr}\dot q_r$ count twice."
    )
    implements = solve_step
