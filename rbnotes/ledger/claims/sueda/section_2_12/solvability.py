"""Sueda 2.12: whether the dual problem can be solved, and its columns."""

from __future__ import annotations

import numpy as np

from rbnotes.ledger.claims.sueda.section_2_8.loop_closure import loop_rows
from rbnotes.ledger.claims.sueda.section_2_8.motion import LOOP, A, B, gap_function
from rbnotes.ledger.claims.sueda.section_2_12 import section
from rbnotes.ledger.claims.sueda.section_2_12.dual import loop_equations, multipliers
from rbnotes.ledger.claims.sueda.section_2_12.symbols import SLACK
from rbnotes.ledger.joint_quantities import BRANCHING
from rbnotes.ledger.oracles.branching_tree import (
    bias_acceleration,
    position_derivatives,
    tree_newton_equations,
)
from rbnotes.ledger.oracles.branching_tree_inputs import TREE, library_tree
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import FORCE, LENGTH, TIME
from rbnotes.ledger.record import Result
from rbnotes.multibody.reduced import (
    body_kinematics,
    inverse_mass_product,
    jacobian_rate_product,
    jacobian_transpose_product,
    poses,
)
from rbnotes.testing.strategies import arrays, numbers

ASIDE = np.array([0.7, -1.1, 0.6, 1.3, -0.4])


@section.conditional("t1586#a", "Whether the dual problem can be solved")
class t1586_a:
    page_2019 = Page(46)
    page_2021 = Page(57)
    formula = (
        r"\bar G_rM_r^{-1}\bar G_r^\top\lambda = \ldots \text{ `can be solved for the Lagrange multipliers'}"
    )
    inputs = (
        TREE
        | LOOP
        | {
            "weights": arrays(3).map(lambda w: w + np.array([0.7, -0.45, 1.1])),
            "beside": numbers(-1.0, 1.0).map(lambda s: max(0.0, s)),
        }
    )
    result = Result(FORCE, "one for each constraint")
    constants = (LENGTH,)

    def printed(at, bodies, g, q, v, x_A, x_B, weights, beside):
        """Return the multipliers of the loop and one further row: a combination of its rows plus a perturbation."""
        M, f, G, bent = loop_equations(at, bodies, g, q, v, x_A, x_B)
        more = weights @ G + beside * ASIDE
        return multipliers(M, f, np.vstack([G, more]), np.append(bent, weights @ bent))

    def reference(at, bodies, g, q, v, x_A, x_B, weights, beside):
        """Compare with Gauss's principle, with masses, gaps and their rates from complex steps of points; among all multipliers, those of least norm."""
        M, f = tree_newton_equations(at, bodies, g, q, v)
        apart = gap_function(at, x_A, x_B)
        G, bent = position_derivatives(apart, q), bias_acceleration(apart, q, v)
        rows = np.vstack([G, weights @ G + beside * ASIDE])
        free, W = np.linalg.solve(M, f), rows @ np.linalg.solve(M, rows.T)
        return np.linalg.lstsq(W, -np.append(bent, weights @ bent) - rows @ free, rcond=1e-11)[0]

    tolerance = SLACK
    given = {**inputs, "beside": numbers(0.25, 1.0)}
    condition = "no row of $\\bar G_r$ follows from the others; otherwise the matrix is singular"

    def holds_when(at, bodies, g, q, v, x_A, x_B, weights, beside):
        return beside > 0

    implements = body_kinematics


@section.conditional("t1586#b", "What of Algorithm 9 is removed for a column of the inverse")
class t1586_b:
    page_2019 = Page(46)
    page_2021 = Page(57)
    formula = (
        r"\text{`running the Recursive Hybrid Dynamics algorithm with force and momentum terms removed'}"
    )
    inputs = {name: TREE[name] for name in ("at", "bodies", "q")} | {
        "v": arrays(5).map(lambda v: v + np.array([1.1, -0.7, 0.9, -1.3, 0.6])),
        "row": arrays(5),
    }
    result = Result(BRANCHING / TIME / TIME, "of the joints, in their order")

    def printed(at, bodies, q, v, row):
        """Return the accelerations if the algorithm keeps those due to velocities, eta_j, which require forces."""
        tree = library_tree(at, bodies)
        taken = np.einsum("nab,nb->na", tree.inertias, jacobian_rate_product(tree, q, v, v))
        return inverse_mass_product(tree, q, row - jacobian_transpose_product(tree, q, taken))

    def library(at, bodies, q, v, row):
        return inverse_mass_product(library_tree(at, bodies), q, row)

    def reference(at, bodies, q, v, row):
        """Compare with the masses of points that move with the coordinates, by complex steps, and a dense solve."""
        return np.linalg.solve(tree_newton_equations(at, bodies, np.zeros(3), q, v)[0], row)

    tolerance = SLACK
    given = {**inputs, "v": arrays(5).map(lambda v: 0 * v)}
    condition = (
        r"the tree is at rest, or $\eta_j$ is removed as well, which is neither a force nor a momentum but the "
        r"acceleration that velocities alone make; Algorithm 10 has none"
    )

    def holds_when(at, bodies, q, v, row):
        return not np.any(v)

    implements = inverse_mass_product


def gap_rows(E, x_A, x_B):
    """G_m of the loop, on the twists of all bodies."""
    rows, G = loop_rows(E[A], E[B], x_A, x_B, np.eye(3)), np.zeros((3, 24))
    G[:, 18:], G[:, 12:18] = rows[:, :6], rows[:, 6:]
    return G


@section.misprint("t1586#c", "A row of a constraint on bodies, before the solve")
class t1586_c:
    page_2019 = Page(46)
    page_2021 = Page(58)
    formula = r"\text{`we take a column of } G_m \text{ (or equivalently a row of } G_m\text{), multiply by } J_{mr}\text{'}"
    inputs = {name: TREE[name] for name in ("at", "bodies", "q")} | LOOP
    result = Result(LENGTH / BRANCHING, "over the coordinates of the joints")

    def printed(at, bodies, q, x_A, x_B):
        now = body_kinematics(library_tree(at, bodies), q, np.zeros(5))
        return now.J.reshape(24, 5) @ gap_rows(now.body_poses, x_A, x_B)[:, 0]

    def library(at, bodies, q, x_A, x_B):
        tree = library_tree(at, bodies)
        return jacobian_transpose_product(tree, q, gap_rows(poses(tree, q).bodies, x_A, x_B)[0].reshape(4, 6))

    def reference(at, bodies, q, x_A, x_B):
        """Measure the opening of the gap along the first axis for each coordinate, by complex steps."""
        return position_derivatives(gap_function(at, x_A, x_B), q)[0]

    undefined = "a column of G_m has as many numbers as there are constraints, and J_mr as many columns as joint velocities"
    correction = r"A column of $G_m^\top$ (a row of $G_m$), multiplied by $J_{mr}^\top$, as the sentence before has it."
    replacement = r"This means that we take a column of $G_m^\top$ (or equivalently a row of $G_m$), multiply by $J_{mr}^\top$, then backsolve with the resulting product."
    implements = jacobian_transpose_product
