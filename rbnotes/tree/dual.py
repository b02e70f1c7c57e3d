"""Constrained dynamics by the dual: multipliers first, and no mass matrix and no Jacobian (Sueda 2.12).

Without its constraints a tree moves at ``a*``, which takes linear time. What is missing of them is made up by
forces ``A^T lambda``, and each force is answered by an acceleration ``M^-1 A^T lambda`` in linear time as
well. So the multipliers are those of a small problem, of as many unknowns as there are rows,

    A M^-1 A^T lambda + (A a* - target) = s,        s = 0 for equations,
                                                    0 <= lambda _|_ s >= 0 for inequalities,

and then ``a = a* + M^-1 A^T lambda``. Multipliers push, as everywhere here: those of inequalities are not
negative (Sueda eq. (2.127) has them not positive, beside an objective whose multipliers push).

Building the matrix takes one solve for each row, its rows on joint velocities one sweep each; what is left is
dense, so this is the way to go for many links with few constraints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import linalg

from rbnotes import _se3, arguments
from rbnotes.arguments import Array
from rbnotes.complementarity import LCP, solve_lcp
from rbnotes.constraints.redundancy import CONSISTENCY_TOLERANCE, row_space
from rbnotes.dynamics import State, StepSolution
from rbnotes.tree.constrained import acceleration_parts
from rbnotes.tree.dynamics import _body_wrenches, _joint_forces
from rbnotes.tree.inverse_inertia import InverseInertia, factor_inertia
from rbnotes.tree.kinematics import _poses, _steps, _times
from rbnotes.tree.model import Tree
from rbnotes.tree.parts import (
    Part,
    by_part,
    checked_constraints,
    inequalities_named,
    refuse_contradictions,
    stacked,
)
from rbnotes.tree.products import handed_on, jacobian_transpose_product, moved
from rbnotes.tree.rows import Constraint, ConstraintRows, OnBodies
from rbnotes.tree.system import TreeSystem, _seen

HELD = 1e-12
"""Part of a row's effect from which on it is more than rounding, where equations hold the row fast."""


@dataclass(frozen=True, eq=False)
class DualProblem:
    """What the multipliers of m independent rows have to do; inequalities come first (Sueda eq. (2.126))."""

    free: Array
    """Accelerations ``a* (N,)`` without constraints, m/s^2 and rad/s^2."""
    rows: Array
    """A ``(m, N)``, without unit between like accelerations."""
    answers: Array
    """``A M^-1 (m, N)``: the acceleration that each row answers a unit multiplier with, 1/kg for points."""
    target: Array
    """What ``A a`` is to be, or not below ``(m,)``, m/s^2 or rad/s^2."""
    inequalities: int
    """How many rows are inequalities."""
    shares: Array | None = None
    """What part of each equation's row is in the rows here ``(e, r)``: orthonormal combinations, where
    equations repeat each other. None: the equations themselves."""

    @cached_property
    def matrix(self) -> Array:
        """``A M^-1 A^T (m, m)``, the Delassus operator (Sueda eq. (2.123))."""
        W: Array = self.rows @ self.answers.T
        return (W + W.T) / 2

    @property
    def missing(self) -> Array:
        """``target - A a* (m,)``: what the free motion lacks."""
        result: Array = self.target - self.rows @ self.free
        return result

    def multipliers(self, method: str = "active_set") -> Array:
        """Of all rows ``(m,)``, N m or N, by a method of :func:`rbnotes.complementarity.solve_lcp`.

        Those of the equations are eliminated (Sueda eq. (2.123)), so that an LCP is left.

        Raises
        ------
        InvalidArgument
            If ``method`` is not one of the names.
        Unsolved
            If inequalities contradict each other or the equations.
        """
        W, missing, (push, hold) = self.matrix, self.missing, self._kinds
        held = _solver(W[hold, hold])
        through = held(W[hold, push])
        left, lacking = W[push, push] - W[push, hold] @ through, missing[push] - missing[hold] @ through
        # What equations hold fast moves by rounding only, and is short of its target by rounding or for good.
        fast = np.diagonal(left) <= HELD * np.diagonal(W)[push]
        left[fast], left[:, fast] = 0.0, 0.0
        terms = np.abs(self.target) + np.abs(self.rows) @ np.abs(self.free)
        sizes = terms[push] + terms[hold] @ np.abs(through)
        lacking[fast & (np.abs(lacking) <= CONSISTENCY_TOLERANCE * sizes)] = 0.0
        pushing = solve_lcp(LCP((left + left.T) / 2, -lacking), method).z
        return np.concatenate([pushing, held(missing[hold] - W[hold, push] @ pushing)])

    @property
    def _kinds(self) -> tuple[slice, slice]:
        return slice(self.inequalities), slice(self.inequalities, None)

    def acceleration(self, multipliers: Array) -> Array:
        """``a* + M^-1 A^T lambda (N,)`` (Sueda eq. (2.124)).

        Raises InvalidArgument if the shape of ``multipliers`` does not fit.
        """
        multipliers = arguments.one_vector("multipliers", multipliers, len(self.rows))
        result: Array = self.free + multipliers @ self.answers
        return result


def dual_acceleration(
    system: TreeSystem,
    constraints: Iterable[Constraint],
    state: State,
    alpha: float = 0.0,
    beta: float = 0.0,
    *,
    method: str = "active_set",
) -> tuple[Array, Array]:
    """Accelerations ``(N,)`` and multipliers ``(m,)`` by the dual (Sueda eqs. (2.123), (2.127)).

    The same as :func:`~rbnotes.tree.constrained_acceleration`, which forms the mass matrix and J, with the
    same arguments, order of multipliers and errors; equations that repeat each other share their forces by
    the same rule, and inequalities count only while they are active.

    Raises
    ------
    InvalidArgument
        If a closed inequality closes further: that takes an impact, which no acceleration is.
    SingularConfiguration
        If a joint is in a singular state.
    InconsistentConstraints
        If equations contradict each other; the message names them.
    Unsolved
        If inequalities contradict each other or the equations.
    """
    problem, parts, kept = _problem(system, constraints, state, alpha, beta)
    with inequalities_named(parts):
        found = problem.multipliers(method)
    a = problem.acceleration(found)
    pushing, holding = np.split(found, [problem.inequalities])
    shares = StepSolution(a, holding if problem.shares is None else problem.shares @ holding, pushing)
    return a, np.concatenate(by_part(parts, kept, shares))


def dual_problem(
    system: TreeSystem,
    constraints: Iterable[Constraint],
    state: State,
    alpha: float = 0.0,
    beta: float = 0.0,
) -> DualProblem:
    """What :func:`dual_acceleration` solves, with the same arguments and errors.

    Raises InvalidArgument if ``alpha`` or ``beta`` is negative.
    """
    return _problem(system, constraints, state, alpha, beta)[0]


def _problem(
    system: TreeSystem, constraints: Iterable[Constraint], state: State, alpha: float, beta: float
) -> tuple[DualProblem, list[Part], list[Array]]:
    """The problem, the rows of each constraint, and which of them are among these."""
    arguments.instance("system", system, TreeSystem)
    arguments.instance("state", state, State)
    constraints = checked_constraints(constraints)
    alpha = arguments.real("alpha", alpha, minimum=0.0)
    beta = arguments.real("beta", beta, minimum=0.0)
    system._check(state)
    at = Sweep.of(system.tree, state)
    inverse = factor_inertia(system.tree, state.q)

    def rows_of(each: Constraint) -> ConstraintRows:
        return sparse_rows(system, at, each, state)

    free = _answered(system, inverse, _force(system, at, state)[None])[0]
    parts, kept = acceleration_parts(system, constraints, state, alpha, beta, rows_of)
    refuse_contradictions(parts, free)
    equations, inequalities = stacked(parts)
    G, g, shares = equations.rows, equations.target, row_space(equations.rows)
    if shares is not None:
        G, g = shares.T @ G, shares.T @ g
    rows, target = np.concatenate([inequalities.rows, G]), np.concatenate([inequalities.target, g])
    problem = DualProblem(free, rows, _answered(system, inverse, rows), target, inequalities.count, shares)
    return problem, parts, kept


class Sweep(NamedTuple):
    """How a tree moves, by one sweep from its roots to its leaves: a Motion without J."""

    joints: Array
    """Frames of the joints ``(n, 4, 4)``."""
    bodies: Array
    """Frames of the bodies ``(n, 4, 4)``."""
    phi: Array
    """Body twists ``(n, 6)``."""
    drift: Array
    """``Jdot qdot (n, 6)``."""
    A: Array
    """Adjoints ``(n, 6, 6)`` that take twists from the frame of the parent's joint to each joint's."""

    @classmethod
    def of(cls, tree: Tree, state: State) -> Sweep:
        """That of a state's joints."""
        q, qdot = state.q, state.qdot
        steps = _steps(tree, q)
        A = _se3.Ad_inverse(steps)
        phi, drift = (_times(tree.to_bodies, each) for each in moved(tree, q, qdot, qdot, 0 * qdot, A))
        return cls(*_poses(tree, steps), phi, drift, A)


def sparse_rows(system: TreeSystem, at: Sweep, constraint: Constraint, state: State) -> ConstraintRows:
    """Rows of a constraint on velocities ``(m, N)``; those on bodies are handed on by one sweep each.

    The same as its own, which take J.
    """
    if not isinstance(constraint, OnBodies):
        return constraint.rows(system, state, state.t)
    bodies, own, error, rate, drift = constraint.body_rows(system, at, state, state.t)
    wrenches = np.zeros((len(own), len(system.tree.links), 6))
    for i, block in bodies.items():
        wrenches[:, i] = block
        drift = drift + block @ at.drift[i]
    G = own.copy()
    G[:, state.v.size :] += jacobian_transpose_product(system.tree, state.q, wrenches)
    return ConstraintRows(G, error, rate, drift)


def _force(system: TreeSystem, at: Sweep, state: State) -> Array:
    """As ``system.force(state)``."""
    tree = system.tree
    applied = system._applied(_seen(state, at.bodies, at.phi)).f
    on_bodies, on_particles = np.split(applied, [at.phi.size])
    f = _body_wrenches(tree, at.bodies, at.phi) + on_bodies.reshape(at.phi.shape)
    on_joints = handed_on(tree, state.q, f - _times(tree.inertias, at.drift), at.A)
    on_joints += _joint_forces(tree, state.q, state.qdot) + system._driven(state).f
    return np.append(np.kron(system.masses, tree.gravity) + on_particles, on_joints)


def _solver(W: Array) -> Callable[[Array], Array]:
    """Solves with a positive definite matrix, which may be empty."""
    if not len(W):
        return lambda right: right
    factors = linalg.cho_factor(W)
    return lambda right: linalg.cho_solve(factors, right)


def _answered(system: TreeSystem, inverse: InverseInertia, forces: Array) -> Array:
    """Accelerations ``(m, N)`` by forces on particles and joints, without constraints."""
    count = 3 * len(system.masses)
    of_particles = forces[:, :count] / np.repeat(system.masses, 3)
    return np.concatenate([of_particles, inverse.solve(forces[:, count:])], axis=1)
