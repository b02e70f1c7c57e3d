"""Lloyd 0.15: Gauss-Seidel and KKT systems."""

from __future__ import annotations

import numpy as np

from rbnotes.constraints import constrained_velocity
from rbnotes.constraints.sequential_impulses import equality_gauss_seidel
from rbnotes.ledger.oracles.constrained_systems import least_action, least_squares_multipliers
from rbnotes.ledger.quantities import INVERSE_MASS, MASS, MOMENTUM, NUMBER, VELOCITY, vector_quantity
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing.strategies import full_rank_matrices, spd_matrices, vectors

section = Section(
    "lloyd/s0.15",
    chapter="gauss-seidel",
    any_size=True,
    arguments={
        "M": Argument(MASS, "in the generalized coordinates of the system (arbitrary)"),
        "G": Argument(NUMBER, "one row for each constraint, over the generalized coordinates of the system"),
        "v0": Argument(VELOCITY, "in the generalized coordinates of the system (arbitrary)"),
        "c": Argument(VELOCITY, "one for each constraint"),
        "A": Argument(INVERSE_MASS, "one for each constraint"),
        "b": Argument(VELOCITY, "one for each constraint"),
        "x": Argument(MOMENTUM, "one for each constraint"),
        "initial_impulses": Argument(MOMENTUM, "one for each constraint"),
        "block": Argument(
            NUMBER, "one row for each constraint, over the generalized coordinates of the system"
        ),
    },
)


N, K = 5, 3
KKT = {"M": spd_matrices(N), "G": full_rank_matrices(K, N), "v0": vectors(N), "c": vectors(K)}
SWEEP = {**KKT, "initial_impulses": vectors(K)}
SYSTEM = {"A": spd_matrices(4), "b": vectors(4), "x": vectors(4)}


def nearest_velocities(M, G, v0, c):
    """Return the nearest velocities in the norm of M that satisfy the rows, and the multipliers."""
    v = least_action(M, M @ v0, G, c)
    return v, least_squares_multipliers(M @ (v - v0), G)


def iteration_library(A, b, x):
    """Sweep once over constraints with the rows of a Cholesky factor, so that N M^-1 N^T is A."""
    return equality_gauss_seidel(
        np.eye(len(b)), np.linalg.cholesky(A), b, 0 * b, sweeps=1, initial_impulses=x
    ).impulses


def iteration_reference(A, b, x):
    """Minimize the quadratic energy x^T A x / 2 - b^T x along one coordinate after the other.

    Each minimum is that of a parabola through three points.
    """
    x = np.array(x, dtype=float)

    def energy(y):
        return y @ A @ y / 2 - b @ y

    for i in range(len(b)):
        step = np.eye(len(b))[i]
        below, value, above = energy(x - step), energy(x), energy(x + step)
        x = x - step * (above - below) / 2 / (above - 2 * value + below)
    return x


def row_responses(M, G):
    """Return the effective inverse inertia of each row, and the velocity change by a unit impulse of each."""
    Mi = np.linalg.inv(M)
    return np.array([row @ Mi @ row for row in G]), [Mi @ row for row in G]


def sweep_library(M, G, v0, c, initial_impulses):
    return equality_gauss_seidel(
        np.linalg.inv(M), G, c, v0, sweeps=1, initial_impulses=initial_impulses
    ).impulses


def sweep_reference(M, G, v0, c, initial_impulses):
    """Compute one multiplier after the other so that its row holds while the others are fixed.

    Each multiplier is the zero of a linear function, found from two values.
    """
    multipliers = np.array(initial_impulses, dtype=float)
    for i in range(len(G)):

        def violation(trial, i=i):
            trial_multipliers = multipliers.copy()
            trial_multipliers[i] = trial
            v = np.linalg.solve(M, M @ v0 + sum(m * row for m, row in zip(trial_multipliers, G, strict=True)))
            return G[i] @ v - c[i]

        value, slope = violation(0.0), violation(1.0) - violation(0.0)
        multipliers[i] = -value / slope
    return multipliers


@section.holds("d1", "Velocities under constraints")
class d1:
    formula = r"\mathbf v = \mathbf v_0 + \mathbf M^{-1}\mathbf N^T\boldsymbol\lambda,\quad \mathbf N\mathbf v = \mathbf c"
    inputs = KKT
    result = Result(
        vector_quantity((VELOCITY, 5), (MOMENTUM, 3)),
        "in the generalized coordinates of the system, then of the constraints",
    )

    def printed(M, G, v0, c):
        """Solve both lines as equations for v and lambda together."""
        first = np.hstack([np.eye(len(M)), -np.linalg.inv(M) @ G.T])
        zero = np.zeros((len(G), len(G)))
        second = np.hstack([G, zero])
        return np.linalg.solve(np.vstack([first, second]), np.concatenate([v0, c]))

    def library(M, G, v0, c):
        return np.concatenate(constrained_velocity(M, G, v0, c))

    def reference(M, G, v0, c):
        """Find the velocities that satisfy the rows with the least change in the norm of M."""
        return np.concatenate(nearest_velocities(M, G, v0, c))

    implements = constrained_velocity


@section.holds("e0.15", "The system for the multipliers")
class e0_15:
    formula = r"(\mathbf N\mathbf M^{-1}\mathbf N^T)\boldsymbol\lambda = \mathbf c - \mathbf N\mathbf v_0"
    inputs = KKT
    result = Result(MOMENTUM, "one for each constraint")

    def printed(M, G, v0, c):
        return np.linalg.solve(G @ np.linalg.inv(M) @ G.T, c - G @ v0)

    def library(M, G, v0, c):
        return constrained_velocity(M, G, v0, c)[1]

    def reference(M, G, v0, c):
        """Find the velocities that satisfy the rows with the least change in the norm of M."""
        return nearest_velocities(M, G, v0, c)[1]

    implements = constrained_velocity


@section.holds("e0.16", "The Gauss-Seidel iteration")
class e0_16:
    formula = r"\mathbf x^{(k+1)} = (\mathbf D + \mathbf L)^{-1}(\mathbf b - \mathbf U\mathbf x^{(k)})"
    inputs = SYSTEM
    result = Result(MOMENTUM, "one for each constraint")

    def printed(A, b, x):
        D, L, U = np.diag(np.diag(A)), np.tril(A, -1), np.triu(A, 1)
        return np.linalg.solve(D + L, b - U @ x)

    library = iteration_library
    reference = iteration_reference
    implements = equality_gauss_seidel


@section.holds("e0.17", "The Gauss-Seidel iteration by components")
class e0_17:
    formula = r"x_i^{(k+1)} = \frac1{a_{ii}}\Bigl(b_i - \sum_{j<i}a_{ij}x_j^{(k+1)} - \sum_{j>i}a_{ij}x_j^{(k)}\Bigr)"
    inputs = SYSTEM
    result = Result(MOMENTUM, "one for each constraint")

    def printed(A, b, x):
        new = np.array(x, dtype=float)
        for i in range(len(A)):
            before = sum(A[i, j] * new[j] for j in range(i))
            after = sum(A[i, j] * x[j] for j in range(i + 1, len(A)))
            new[i] = 1 / A[i, i] * (b[i] - before - after)
        return new

    library = iteration_library
    reference = iteration_reference
    implements = equality_gauss_seidel


@section.holds("d2#a", "One multiplier in a sweep")
class d2_a:
    formula = r"\lambda_i^{(k+1)} = (\mathbf N_i\mathbf M^{-1}\mathbf N_i^T)^{-1}\Bigl(c_i - \mathbf N_i\mathbf v_0 - \sum_{j<i}\mathbf N_i\mathbf M^{-1}\mathbf N_j^T\lambda_j^{(k+1)} - \sum_{j>i}\mathbf N_i\mathbf M^{-1}\mathbf N_j^T\lambda_j^{(k)}\Bigr)"
    inputs = SWEEP
    result = Result(MOMENTUM, "one for each constraint")

    def printed(M, G, v0, c, initial_impulses):
        effective, responses = row_responses(M, G)
        new = np.array(initial_impulses, dtype=float)
        for i in range(len(G)):
            before = sum(G[i] @ responses[j] * new[j] for j in range(i))
            after = sum(G[i] @ responses[j] * initial_impulses[j] for j in range(i + 1, len(G)))
            new[i] = 1 / effective[i] * (c[i] - G[i] @ v0 - before - after)
        return new

    library = sweep_library
    reference = sweep_reference
    implements = equality_gauss_seidel


@section.erratum("d2#b", "One multiplier in a sweep, with the velocity due to the other constraints")
class d2_b:
    formula = r"\lambda_i^{(k+1)} = (\mathbf N_i\mathbf M^{-1}\mathbf N_i^T)^{-1}\Bigl(c_i - \mathbf N_i\Bigl(\mathbf v_0 - \sum_{j<i}\mathbf M^{-1}\mathbf N_j^T\lambda_j^{(k+1)} - \sum_{j>i}\mathbf M^{-1}\mathbf N_j^T\lambda_j^{(k)}\Bigr)\Bigr)"
    edits = ((r"\mathbf v_0 - \sum", r"\mathbf v_0 + \sum"), (r"^{(k+1)} - \sum", r"^{(k+1)} + \sum"))
    inputs = SWEEP
    result = Result(MOMENTUM, "one for each constraint")

    def printed(M, G, v0, c, initial_impulses):
        effective, responses = row_responses(M, G)
        new = np.array(initial_impulses, dtype=float)
        for i in range(len(G)):
            before = sum((responses[j] * new[j] for j in range(i)), 0 * v0)
            after = sum((responses[j] * initial_impulses[j] for j in range(i + 1, len(G))), 0 * v0)
            new[i] = 1 / effective[i] * (c[i] - G[i] @ (v0 - before - after))
        return new

    library = sweep_library
    reference = sweep_reference
    correction = (
        r"Both sums inside the inner bracket have plus signs: $\mathbf v_0 + \sum_{j<i}\mathbf "
        r"M^{-1}\mathbf N_j^T\lambda_j^{(k+1)} + \sum_{j>i}\mathbf M^{-1}\mathbf N_j^T\lambda_j^{(k)}$"
    )
    remark = "Moving the sums inside the bracket reverses their signs."
    effect = (
        "Three coupled wagons run into a stop at 1 m/s: the sweeps converge, but the first wagon leaves "
        "the stop at 4.0 m/s."
    )
    implements = equality_gauss_seidel


@section.holds("d2#c", "One multiplier in a sweep, with the current velocity")
class d2_c:
    formula = (
        r"\lambda_i^{(k+1)} = (\mathbf N_i\mathbf M^{-1}\mathbf N_i^T)^{-1}(c_i - \mathbf N_i\mathbf v^{(i)})"
    )
    inputs = SWEEP
    result = Result(MOMENTUM, "one for each constraint")

    def printed(M, G, v0, c, initial_impulses):
        effective, responses = row_responses(M, G)
        new = np.array(initial_impulses, dtype=float)
        for i in range(len(G)):
            v = v0 + sum(responses[j] * new[j] for j in range(len(G)) if j != i)
            new[i] = 1 / effective[i] * (c[i] - G[i] @ v)
        return new

    library = sweep_library
    reference = sweep_reference
    remark = (
        r"$\mathbf v^{(i)}$ contains the impulses of all *other* constraints. With the velocity "
        r"under all impulses, the formula gives the change of $\lambda_i$, which is what the "
        "library computes."
    )
    implements = equality_gauss_seidel


@section.conditional("t704#b", "The velocity in a sweep")
class t704_b:
    formula = r"\mathbf v^{(i)}\ \text{`is the total velocity updated for the}\ i\text{-th iteration step'}:\quad \mathbf v^{(i)} = \mathbf v_0 + \sum_{j<i}\mathbf M^{-1}\mathbf N_j^T\lambda_j^{(k+1)} + \sum_{j\ge i}\mathbf M^{-1}\mathbf N_j^T\lambda_j^{(k)}"
    inputs = SWEEP
    result = Result(MOMENTUM, "one for each constraint")

    def printed(M, G, v0, c, initial_impulses):
        """Sweep with the velocity under all impulses applied so far."""
        effective, responses = row_responses(M, G)
        new = np.array(initial_impulses, dtype=float)
        for i in range(len(G)):
            total = v0 + sum(responses[j] * new[j] for j in range(len(G)))
            new[i] = 1 / effective[i] * (c[i] - G[i] @ total)
        return new

    library = sweep_library
    reference = sweep_reference
    condition_inputs = {**SWEEP, "initial_impulses": vectors(K, 0, 0)}
    condition = r"the constraint has no impulse yet, $\lambda_i^{(k)} = 0$, as in the first sweep from zero"

    def holds_when(M, G, v0, c, initial_impulses):
        return np.max(np.abs(initial_impulses)) < 1e-12

    correction = (
        "The velocity due to all *other* impulses, as in the preceding line. With the total "
        r"velocity, the right-hand side is the change $\lambda_i^{(k+1)} - \lambda_i^{(k)}$."
    )
    remark = (
        "With the total velocity, the sweep discards the impulse that the constraint already has:"
        " if all constraints are satisfied, it sets their impulses to zero."
    )
    implements = equality_gauss_seidel


@section.holds("t704#a", "A constraint in isolation")
class t704_a:
    formula = r"(\mathbf N_i\mathbf M^{-1}\mathbf N_i^T)^{-1}\ \text{represents the solution of constraint}\ i\ \text{in isolation}"
    inputs = {"M": spd_matrices(N), "block": full_rank_matrices(2, N), "v0": vectors(N), "c": vectors(2)}
    result = Result(MOMENTUM, "of the constraints of the block")

    def printed(M, block, v0, c):
        return np.linalg.inv(block @ np.linalg.inv(M) @ block.T) @ (c - block @ v0)

    def library(M, block, v0, c):
        return constrained_velocity(M, block, v0, c)[1]

    def reference(M, block, v0, c):
        """Find the velocities of least change in the norm of M that satisfy this constraint alone."""
        return nearest_velocities(M, block, v0, c)[1]

    remark = "This is checked for a constraint with two rows; for a single row the matrix is a number."
    implements = constrained_velocity
