"""Lloyd 0.20: attachments for one-dimensional constraints."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.attachments import NullSpaceReduction, null_space_reduction, point_on_points
from rbnotes.constraints.sequential_impulses import solve_single_constraint
from rbnotes.dynamics import BilateralRows, StepProblem
from rbnotes.ledger.oracles.constrained_systems import least_action
from rbnotes.ledger.quantities import INVERSE_MASS, MASS, NUMBER, VELOCITY
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing.strategies import arrays, nonzero_vectors, numbers, spd_matrices, vectors

section = Section(
    "lloyd/s0.20",
    chapter="gauss-seidel",
    arguments={
        "own": Argument(NUMBER, "the rows of the two masters, along the axes of the world"),
        "attached": Argument(NUMBER, "the row of the attached point, along the axes of the world"),
        "weights": Argument(NUMBER, "of the masters"),
        "M": Argument(MASS, "in the generalized coordinates of the system (arbitrary)"),
        "G": Argument(NUMBER, "the row of the constraint, over the generalized coordinates of the system"),
        "v0": Argument(VELOCITY, "in the generalized coordinates of the system (arbitrary)"),
        "gamma": Argument(VELOCITY),
    },
)


FIRST, SECOND = 2, 3
ACTIVE = 4
SINGLE_CONSTRAINT = {
    "M": spd_matrices(FIRST + SECOND),
    "G": nonzero_vectors(FIRST + SECOND),
    "v0": vectors(5),
    "gamma": numbers(),
}


def block_diagonal(M):
    blocks = np.zeros_like(M)
    blocks[:FIRST, :FIRST], blocks[FIRST:, FIRST:] = M[:FIRST, :FIRST], M[FIRST:, FIRST:]
    return blocks


ROWS_ON_BOTH = st.builds(lambda a, b: np.concatenate([a, b]), nonzero_vectors(FIRST), nonzero_vectors(SECOND))
UNCOUPLED = {**SINGLE_CONSTRAINT, "M": spd_matrices(FIRST + SECOND).map(block_diagonal)}


def has_uncoupled_masses(M, G, v0, gamma):
    """Return True if the masses of the two components are not coupled."""
    return not M[:FIRST, FIRST:].any() and not M[FIRST:, :FIRST].any()


def change_reference(M, G, v0, gamma):
    """Find the velocity that satisfies the row with the least change in the norm of M."""
    return least_action(M, M @ v0, G[None], np.array([gamma]))


def velocity_library(M, G, v0, gamma):
    return solve_single_constraint(np.linalg.inv(M), G, gamma, v0)[0]


@section.holds("d1", "Solution of a single constraint in isolation")
class d1:
    formula = r"\mathbf v = \mathbf v_0 + \mathbf M^{-1}\mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}(\gamma - \mathbf G\mathbf v_0)"
    any_size = True
    inputs = SINGLE_CONSTRAINT
    result = Result(VELOCITY, "in the generalized coordinates of the system")

    def printed(M, G, v0, gamma):
        row = G[None]
        Mi = np.linalg.inv(M)
        return v0 + Mi @ row.T @ np.linalg.inv(row @ Mi @ row.T) @ (gamma - row @ v0)

    library = velocity_library
    reference = change_reference
    implements = solve_single_constraint


@section.conditional("d2", "Solution of a single constraint, component by component")
class d2:
    formula = r"\mathbf v_j = \mathbf v_{j0} + \mathbf M_j^{-1}\mathbf g_j^T\Bigl(\sum_{k\in\alpha}\mathbf g_k\mathbf M_k^{-1}\mathbf g_k^T\Bigr)^{-1}\Bigl(\gamma - \sum_{k\in\alpha}\mathbf g_k\mathbf v_{k0}\Bigr)"
    inputs = SINGLE_CONSTRAINT
    result = Result(VELOCITY, "in the generalized coordinates of the system")

    def printed(M, G, v0, gamma):
        g1, g2 = G[:FIRST], G[FIRST:]
        Mi1, Mi2 = np.linalg.inv(M[:FIRST, :FIRST]), np.linalg.inv(M[FIRST:, FIRST:])
        effective = g1 @ Mi1 @ g1 + g2 @ Mi2 @ g2
        impulse = (gamma - (g1 @ v0[:FIRST] + g2 @ v0[FIRST:])) / effective
        return np.concatenate([v0[:FIRST] + Mi1 @ g1 * impulse, v0[FIRST:] + Mi2 @ g2 * impulse])

    library = velocity_library
    reference = change_reference
    condition_inputs = UNCOUPLED
    holds_when = has_uncoupled_masses
    condition = "the mass matrix is block diagonal"
    remark = (
        "A component with more than one master couples the masses of its masters, as section 0.18"
        " explains; then this does not hold."
    )
    implements = solve_single_constraint


@section.holds("t928", "The effective inverse inertia of a component along the constraint")
class t928:
    formula = r"\mathbf g_k\mathbf M_k^{-1}\mathbf g_k^T"
    inputs = {**UNCOUPLED, "G": ROWS_ON_BOTH}
    result = Result(INVERSE_MASS)

    def printed(M, G, v0, gamma):
        g = G[:FIRST]
        return g @ np.linalg.inv(M[:FIRST, :FIRST]) @ g

    def library(M, G, v0, gamma):
        """Return the inverse of the impulse that changes the row's velocity by one, on component 1 alone."""
        first = slice(0, FIRST)
        _, impulse = solve_single_constraint(
            np.linalg.inv(M[first, first]), G[first], G[first] @ v0[first] + 1, v0[first]
        )
        return 1 / impulse

    def reference(M, G, v0, gamma):
        """Compare with the change of G v by a unit impulse that acts on the first component alone."""
        impulse = np.concatenate([G[:FIRST], np.zeros(SECOND)])
        return G @ np.linalg.solve(M, impulse)

    special = {"M": "the masses of two uncoupled components"}
    remark = "This holds for a block diagonal mass matrix."
    implements = solve_single_constraint


@section.holds("t918#a", "Nonzero entries of the row after attachment resolution")
class t918_a:
    formula = r"\mathbf G' = \mathbf G_{\alpha\alpha} - \mathbf G_{\alpha\beta}\mathbf G_{\beta\alpha} \text{ is zero except for a number of row vectors } \mathbf g_j"
    inputs = {
        "own": arrays(2, 3),
        "attached": arrays(3),
        "weights": vectors(2, 0.25, 2.0),
        "masters": st.permutations(range(ACTIVE)).map(np.array),
    }
    result = Result(NUMBER, "over the active points, along the axes of the world")

    def printed(own, attached, weights, masters):
        """Assemble a row on two active points and on a point attached to two masters."""
        G = np.zeros((ACTIVE, 3))
        G[masters[0]] = own[0]
        G[masters[1]] = own[1] + weights[0] * attached
        G[masters[2]] = weights[1] * attached
        return G.ravel()

    def library(own, attached, weights, masters):
        row = np.zeros((ACTIVE + 1, 3))
        row[masters[:2]], row[ACTIVE] = own, attached
        point = point_on_points(ACTIVE, [int(j) for j in masters[1:3]], weights)
        masses = np.eye(3 * ACTIVE + 3)
        system = StepProblem(masses, np.zeros(len(masses)), BilateralRows(row.reshape(1, -1)))
        return null_space_reduction([3] * (ACTIVE + 1), [point]).reduce(system).bilateral.rows[0]

    def reference(own, attached, weights, masters):
        """Apply the constraint to unit velocities of the active points.

        The velocity of the attached point is eliminated.
        """

        def rate(velocities):
            attached_velocity = weights[0] * velocities[masters[1]] + weights[1] * velocities[masters[2]]
            return (
                own[0] @ velocities[masters[0]]
                + own[1] @ velocities[masters[1]]
                + attached @ attached_velocity
            )

        return np.array([rate(unit) for unit in np.eye(3 * ACTIVE).reshape(-1, ACTIVE, 3)])

    exact = "both forms sum the same few products in the same order"
    remark = "The notes say `sparse, except for' instead of `zero except for'."
    implements = (NullSpaceReduction.reduce, point_on_points)


@section.misprint("t918#b", "Equation for the row after attachment resolution")
class t918_b:
    formula = r"\mathbf G' \text{ `in (0.24)':}\quad \boldsymbol\gamma' = \mathbf g_\alpha - \mathbf G_{\alpha\beta}\mathbf g_\beta"
    inputs = t918_a.inputs
    result = Result(NUMBER, "over the active points, along the axes of the world")

    def printed(own, attached, weights, masters):
        """Evaluate (0.24) for one row with zero right-hand sides."""
        ga, gb = np.zeros(1), np.zeros(3)
        return ga - attached[None] @ gb

    library = t918_a.library
    reference = t918_a.reference
    undefined = "(0.24) is the right-hand side of the constraint, a single number, not its row"
    exact = t918_a.exact
    correction = r"$\mathbf G'$ is given by (0.22)."
    replacement = r"Then after attachment resolution, $\mathbf G^\prime = \mathbf G_{\alpha\alpha} - \mathbf G_{\alpha\beta}\mathbf G_{\beta\alpha}$ in (0.22) will be sparse, except for a number of row vectors $\mathbf g_j$, $j\in\alpha$, which are $1\times n$, with $n$ the velocity size of component $j$."
    implements = (NullSpaceReduction.reduce, point_on_points)
