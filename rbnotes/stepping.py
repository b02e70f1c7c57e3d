"""Time steps under constraints (Lloyd 0.10, 0.11): one system for every scheme.

All schemes of :mod:`rbnotes.integrators` end in ``M_hat v+ = b``. Constraints add impulses to that system,
and conditions on the new velocities:

    M_hat v+ = b + G^T lambda + N^T z,
    G v+ + R lambda = g,
    0 <= z  _|_  N v+ + Q z - n >= 0.

Hard rows have R = Q = 0. Soft ones have the R (or Q) and the target of
:func:`rbnotes.constraints.regularization.regularized_rows`; they are solved as hard rows that also hold a
*slack*, a velocity of unit mass that the impulse pushes as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity import MixedLCP, solve_lcp
from rbnotes.constraints.kkt import factor_kkt
from rbnotes.integrators import Solve, State, System, VelocitySystem


@dataclass(frozen=True, eq=False)
class StepConstraints:
    """Conditions on the velocities ``(n,)`` of one step; rows that are left out are none."""

    G: Any = None
    """Bilateral rows ``(k, n)``, dense or sparse."""
    g: Any = None
    """Their targets ``(k,)``; zero by default."""
    R: Any = None
    """Their softness, a number, ``(k,)`` or a symmetric positive semidefinite ``(k, k)``; zero by default."""
    N: Any = None
    """Unilateral rows ``(m, n)``: impulses along them push."""
    n: Any = None
    """Least values ``(m,)`` of ``N v``; zero by default."""
    Q: Any = None
    """Softness of the unilateral rows, like R."""


class StepSolution(NamedTuple):
    """Velocities that satisfy the constraints, and the impulses that see to it."""

    v: Array
    """``(n,)``."""
    bilateral: Array
    """lambda ``(k,)``, N s."""
    unilateral: Array
    """z ``(m,)``, not negative, N s."""


class Step(NamedTuple):
    """The state after a step, and the impulses of the constraints during it."""

    state: State
    bilateral: Array
    unilateral: Array


ConstraintsAt = Callable[[State, float], StepConstraints]
"""The constraints of a step of size h, seen from a state."""


class Scheme(Protocol):
    """One of the steps of :mod:`rbnotes.integrators`."""

    def __call__(self, system: System, state: State, h: float, *, solve: Solve) -> State: ...


def solve_step(
    system: VelocitySystem, constraints: StepConstraints, *, method: str = "active_set"
) -> StepSolution:
    """Velocities and impulses of one step under constraints (Lloyd 0.10, 0.11).

    Parameters
    ----------
    system
        ``M_hat v+ = b``. For velocities of half a step (``fraction`` 1/2) impulses are those of that half.
    method
        Of :func:`rbnotes.complementarity.solve_lcp`, if there are unilateral rows.

    Raises
    ------
    InvalidArgument
        If shapes do not fit, or a softness is not symmetric or has an eigenvalue below zero. Soft rows are
        symmetric if their damping coefficient ``alpha^-1 beta`` is.
    InconsistentConstraints
        If redundant rows of G contradict each other.
    SingularConfiguration
        If M_hat is singular, or symmetric but not positive definite.
    Unsolved
        If the unilateral conditions contradict each other or the bilateral ones.
    """
    b = arguments.vector("b", system.b, None)
    size = len(b)
    G, g, slack_G = _rows("G", constraints.G, "g", constraints.g, "R", constraints.R, system)
    N, n, slack_N = _rows("N", constraints.N, "n", constraints.n, "Q", constraints.Q, system)
    slacks = slack_G.shape[1] + slack_N.shape[1]
    M, f = system.M_hat, b
    if slacks:
        blank = (slack_G.shape[0], slack_N.shape[1]), (slack_N.shape[0], slack_G.shape[1])
        M = _stack([[M, None], [None, sparse.eye_array(slacks)]])
        f = np.concatenate([b, np.zeros(slacks)])
        G = _stack([[G, slack_G, sparse.csc_array(blank[0])]])
        N = _stack([[N, sparse.csc_array(blank[1]), slack_N]])
        if not sparse.issparse(system.M_hat):
            M, G, N = (matrix.toarray() for matrix in (M, G, N))
    if not len(n):
        v, bilateral = factor_kkt(M, G).solve(f, g)
        return StepSolution(v[:size], bilateral, np.zeros(0))
    solution = solve_lcp(MixedLCP(M=M, f=f, N=N, n=n, G=G, g=g), method)
    return StepSolution(np.asarray(solution.x)[:size], np.asarray(solution.multipliers), solution.z)


def constrained_step(
    scheme: Scheme,
    system: System,
    state: State,
    h: float,
    constraints_at: ConstraintsAt,
    *,
    rows: str = "start",
) -> Step:
    """One step of a scheme under constraints (Lloyd 0.10, 0.11).

    Parameters
    ----------
    scheme
        A step of :mod:`rbnotes.integrators`.
    constraints_at
        Gives the constraints of a step from a state and h.
    rows : {"start", "middle"}
        Where the constraints are evaluated. ``start``: at the start of the step, for the new velocities, as
        in the notes; then no scheme is better than of first order. ``middle``: at the positions after half a
        step with the old velocities, for the mean of old and new velocities. That keeps the second order of
        the trapezoidal rule and of Bridson-Marino, and with the former the impulses do no work; the new
        velocities then satisfy the constraint but to second order. For hard bilateral rows, and velocities
        that satisfy them at the start: a contact would bounce.

    Raises
    ------
    InvalidArgument
        If soft or unilateral rows are asked for in the middle.
    """
    arguments.choice("rows", rows, ("start", "middle"))
    seen_from = state if rows == "start" else State(state.x + h / 2 * state.v, state.v)
    constraints = constraints_at(seen_from, h)
    impulses = []

    def solve(stage: VelocitySystem) -> Array:
        solution = solve_step(
            stage,
            constraints if rows == "start" else _in_the_middle(constraints, state.v, stage.fraction),
        )
        impulses.append(solution[1:])
        return solution.v

    after = scheme(system, state, h, solve=solve)
    return Step(after, *impulses[-1])


def constrained(
    scheme: Scheme, constraints_at: ConstraintsAt, *, rows: str = "start"
) -> Callable[..., State]:
    """The scheme under constraints, for :func:`rbnotes.integrators.integrate`: :func:`constrained_step`."""

    def step(system: System, state: State, h: float) -> State:
        return constrained_step(scheme, system, state, h, constraints_at, rows=rows).state

    return step


def _rows(
    rows_name: str,
    rows: Any,
    target_name: str,
    target: Any,
    soft_name: str,
    soft: Any,
    system: VelocitySystem,
) -> tuple[Any, Array, Any]:
    """Rows, their targets, and the columns that their slacks have in them."""
    size = len(system.b)
    if rows is None:
        if target is not None or soft is not None:
            given = target_name if soft is None else soft_name
            raise InvalidArgument(rows_name, "nothing", f"rows, since {given} is given")
        return np.zeros((0, size)), np.zeros(0), np.zeros((0, 0))
    rows = arguments.matrix(rows_name, rows, None, size)
    count = rows.shape[0]
    target = np.zeros(count) if target is None else arguments.vector(target_name, target, count)
    if soft is None:
        return rows, target, np.zeros((count, 0))
    # Half a step has half the impulse, and the same force.
    return rows, target, _root(soft_name, soft, count) / np.sqrt(system.fraction)


def _root(name: str, softness: Any, count: int) -> Any:
    """C with ``C C^T`` the softness; without columns for hard rows."""
    softness = arguments.array(name, softness)
    if softness.shape in ((), (count,)):
        softness = np.broadcast_to(softness, (count,))
    elif softness.shape != (count, count):
        expected = f"a number, or shape ({count},) or ({count}, {count})"
        raise InvalidArgument(name, f"shape {softness.shape}", expected)
    elif np.any(softness - np.diag(np.diag(softness))):
        eigenvalues, vectors = np.linalg.eigh(arguments.symmetric(name, softness, count))
        rounding = count * np.finfo(float).eps * np.max(np.abs(eigenvalues))
        _check_not_negative(name, eigenvalues, -rounding)
        kept = eigenvalues > rounding
        return vectors[:, kept] * np.sqrt(eigenvalues[kept])
    else:
        softness = np.diag(softness)
    _check_not_negative(name, softness, 0.0)
    soft = np.flatnonzero(softness)
    return sparse.csc_array((np.sqrt(softness[soft]), (soft, np.arange(len(soft)))), (count, len(soft)))


def _check_not_negative(name: str, eigenvalues: Array, least: float) -> None:
    if np.any(eigenvalues < least):
        raise InvalidArgument(name, f"an eigenvalue {np.min(eigenvalues):.3g}", "no eigenvalue below 0")


def _stack(blocks: list[list[Any]]) -> Any:
    return sparse.block_array(
        [[None if block is None else sparse.csc_array(block) for block in row] for row in blocks],
        format="csc",
    )


def _in_the_middle(constraints: StepConstraints, v: Array, fraction: float) -> StepConstraints:
    """``G v = g`` halfway between the old velocities and those at twice the fraction of half a step."""
    for name in ("N", "R"):
        if getattr(constraints, name) is not None:
            raise InvalidArgument(name, "rows", 'hard bilateral rows only, with rows="middle"')
    if constraints.G is None:
        return constraints
    g = 0.0 if constraints.g is None else np.asarray(constraints.g, dtype=np.float64)
    return replace(constraints, g=2 * fraction * g - (2 * fraction - 1) * (constraints.G @ v))
