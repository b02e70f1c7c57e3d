"""Sueda 2.12: solvability of the dual problem, and columns of the inverse mass matrix."""

from __future__ import annotations

import numpy as np

from rbnotes.ledger.claims.sueda.section_2_8.loop_closure import loop_rows
from rbnotes.ledger.claims.sueda.section_2_8.motion import LOOP, A, B, gap_function
from rbnotes.ledger.claims.sueda.section_2_12 import section
from rbnotes.ledger.claims.sueda.section_2_12.dual import loop_equations, multipliers
from rbnotes.ledger.claims.sueda.section_2_12.symbols import TOLERANCE
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

INDEPENDENT_ROW = np.array([0.7, -1.1, 0.6, 1.3, -0.4])


@section.conditional("t1586#a", "Solvability of the dual problem")
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
            "perturbation": numbers(-1.0, 1.0).map(lambda s: max(0.0, s)),
        }
    )
    result = Result(FORCE, "one for each constraint")
    constants = (LENGTH,)

    def printed(link_frames, bodies, g, q, v, x_A, x_B, weights, perturbation):
        """Return the multipliers of the loop and of one more row, a perturbed combination of its rows."""
        M, f, G, bias = loop_equations(link_frames, bodies, g, q, v, x_A, x_B)
        last_row = weights @ G + perturbation * INDEPENDENT_ROW
        return multipliers(M, f, np.vstack([G, last_row]), np.append(bias, weights @ bias))

    def reference(link_frames, bodies, g, q, v, x_A, x_B, weights, perturbation):
        """Compare with the multipliers of least norm by Gauss's principle.

        Masses, gaps and their rates come from complex steps of points.
        """
        M, f = tree_newton_equations(link_frames, bodies, g, q, v)
        gap = gap_function(link_frames, x_A, x_B)
        G, bias = position_derivatives(gap, q), bias_acceleration(gap, q, v)
        rows = np.vstack([G, weights @ G + perturbation * INDEPENDENT_ROW])
        free_acceleration, W = np.linalg.solve(M, f), rows @ np.linalg.solve(M, rows.T)
        return np.linalg.lstsq(W, -np.append(bias, weights @ bias) - rows @ free_acceleration, rcond=1e-11)[0]

    tolerance = TOLERANCE
    condition_inputs = {**inputs, "perturbation": numbers(0.25, 1.0)}
    condition = r"the rows of $\bar G_r$ are linearly independent; otherwise the matrix is singular"

    def holds_when(link_frames, bodies, g, q, v, x_A, x_B, weights, perturbation):
        return perturbation > 0

    implements = body_kinematics


@section.conditional("t1586#b", "Algorithm 9 without force and momentum terms, for a column of the inverse")
class t1586_b:
    page_2019 = Page(46)
    page_2021 = Page(57)
    formula = (
        r"\text{`running the Recursive Hybrid Dynamics algorithm with force and momentum terms removed'}"
    )
    inputs = {name: TREE[name] for name in ("link_frames", "bodies", "q")} | {
        "v": arrays(5).map(lambda v: v + np.array([1.1, -0.7, 0.9, -1.3, 0.6])),
        "row": arrays(5),
    }
    result = Result(BRANCHING / TIME / TIME, "of the joints, in their order")

    def printed(link_frames, bodies, q, v, row):
        """Return the accelerations if the algorithm keeps the velocity terms eta_j, which require forces."""
        tree = library_tree(link_frames, bodies)
        bias_wrenches = np.einsum("nab,nb->na", tree.inertias, jacobian_rate_product(tree, q, v, v))
        return inverse_mass_product(tree, q, row - jacobian_transpose_product(tree, q, bias_wrenches))

    def library(link_frames, bodies, q, v, row):
        return inverse_mass_product(library_tree(link_frames, bodies), q, row)

    def reference(link_frames, bodies, q, v, row):
        """Compare with a dense solve with the mass matrix of point masses, by complex steps."""
        return np.linalg.solve(tree_newton_equations(link_frames, bodies, np.zeros(3), q, v)[0], row)

    tolerance = TOLERANCE
    condition_inputs = {**inputs, "v": arrays(5).map(lambda v: 0 * v)}
    condition = (
        r"the tree is at rest, or the velocity terms $\eta_j$ are removed as well. These are neither "
        "forces nor momenta, but accelerations due to the velocities; Algorithm 10 does not contain "
        "them"
    )

    def holds_when(link_frames, bodies, q, v, row):
        return not np.any(v)

    implements = inverse_mass_product


def gap_rows(E, x_A, x_B):
    """Return G_m of the loop, on the twists of all bodies."""
    rows, G = loop_rows(E[A], E[B], x_A, x_B, np.eye(3)), np.zeros((3, 24))
    G[:, 18:], G[:, 12:18] = rows[:, :6], rows[:, 6:]
    return G


@section.misprint("t1586#c", "Row of a constraint on bodies as the right-hand side of a solve")
class t1586_c:
    page_2019 = Page(46)
    page_2021 = Page(58)
    formula = r"\text{`we take a column of } G_m \text{ (or equivalently a row of } G_m\text{), multiply by } J_{mr}\text{'}"
    inputs = {name: TREE[name] for name in ("link_frames", "bodies", "q")} | LOOP
    result = Result(LENGTH / BRANCHING, "over the coordinates of the joints")

    def printed(link_frames, bodies, q, x_A, x_B):
        kinematics = body_kinematics(library_tree(link_frames, bodies), q, np.zeros(5))
        return kinematics.J.reshape(24, 5) @ gap_rows(kinematics.body_poses, x_A, x_B)[:, 0]

    def library(link_frames, bodies, q, x_A, x_B):
        tree = library_tree(link_frames, bodies)
        return jacobian_transpose_product(
            tree, q, gap_rows(poses(tree, q).body_poses, x_A, x_B)[0].reshape(4, 6)
        )

    def reference(link_frames, bodies, q, x_A, x_B):
        """Compare with the derivative of the gap along the first axis, by complex steps."""
        return position_derivatives(gap_function(link_frames, x_A, x_B), q)[0]

    undefined = (
        "a column of G_m has one entry for each constraint, but J_mr has one column for each joint velocity"
    )
    correction = (
        r"A column of $G_m^\top$ (a row of $G_m$), multiplied by $J_{mr}^\top$, as in the preceding "
        "sentence"
    )
    replacement = r"This means that we take a column of $G_m^\top$ (or equivalently a row of $G_m$), multiply by $J_{mr}^\top$, then backsolve with the resulting product."
    implements = jacobian_transpose_product
