"""Constrained dynamics by the dual problem, without a mass matrix or Jacobian (Sueda 2.12).

Without its constraints a tree accelerates at ``a*``, which takes linear time. Constraint forces
``A^T lambda`` correct this acceleration, and the response ``M^-1 A^T lambda`` to each force takes linear time
as well. So the multipliers solve a small problem, with as many unknowns as there are rows,

    A M^-1 A^T lambda + (A a* - target) = s,        s = 0 for equations,
                                                    0 <= lambda _|_ s >= 0 for inequalities,

and then ``a = a* + M^-1 A^T lambda``. Multipliers push, as everywhere here: those of inequalities are not
negative (Sueda eq. (2.127) has them not positive, beside an objective whose multipliers push).

Building the matrix takes one solve for each row; the rows on joint velocities take one sweep each. The
remaining problem is dense, so this is the method for many links with few constraints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import linalg

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.complementarity import LCP, METHODS, solve
from rbnotes.constraints.redundant_rows import CONSISTENCY_TOLERANCE, range_basis
from rbnotes.dynamics import State, StepSolution
from rbnotes.multibody.reduced.constrained_dynamics import acceleration_constraints
from rbnotes.multibody.reduced.constraint_protocol import BodyConstraint, Constraint, ConstraintRows
from rbnotes.multibody.reduced.constraint_stacking import (
    ConstraintPart,
    check_constraints,
    name_inequalities,
    refuse_contradictions,
    split_multipliers,
    stack_parts,
)
from rbnotes.multibody.reduced.dynamics import (
    _gyroscopic_and_gravity_wrenches,
    _passive_joint_forces,
)
from rbnotes.multibody.reduced.inverse_mass import InverseMass, factor_mass_matrix
from rbnotes.multibody.reduced.jacobian_products import (
    generalized_forces,
    jacobian_product_and_rate,
    jacobian_transpose_product,
)
from rbnotes.multibody.reduced.kinematics import _matvec, _poses, relative_joint_poses
from rbnotes.multibody.reduced.tree import Tree, _maximal_state
from rbnotes.unchecked import se3

RESPONSE_TOLERANCE = 1e-12
"""Relative response of a row to its own multiplier below which equations already determine it."""


@dataclass(frozen=True, eq=False)
class DualProblem:
    """Linear complementarity problem of m independent rows; inequalities come first (Sueda eq. (2.126)).

    Attributes
    ----------
    free_acceleration
        Accelerations ``a* (N,)`` without constraints, m/s^2 and rad/s^2.
    rows
        A ``(m, N)``, dimensionless between like accelerations.
    acceleration_response
        Matrix ``A M^-1 (m, N)``: the acceleration by a unit multiplier of each row, 1/kg for points.
    target
        Target ``(m,)`` of ``A a``, or its lower bound, m/s^2 or rad/s^2.
    num_inequalities
        Number of rows that are inequalities.
    row_combinations
        Components ``(e, r)`` of each equation's row along the rows here: orthonormal combinations, if
        equations are redundant. None: the equations themselves.
    """

    free_acceleration: Array
    rows: Array
    acceleration_response: Array
    target: Array
    num_inequalities: int
    row_combinations: Array | None = None

    @cached_property
    def delassus_matrix(self) -> Array:
        """``A M^-1 A^T (m, m)``, the Delassus operator (Sueda eq. (2.123))."""
        W: Array = self.rows @ self.acceleration_response.T
        return (W + W.T) / 2

    @property
    def residual_target(self) -> Array:
        """Vector ``target - A a* (m,)``: the required change of the free accelerations."""
        result: Array = self.target - self.rows @ self.free_acceleration
        return result

    def multipliers(self, method: str = "block_principal_pivoting") -> Array:
        """Return the multipliers of all rows ``(m,)``, N m or N.

        The method is one of :func:`rbnotes.complementarity.solve`. The multipliers of the equations are
        eliminated (Sueda eq. (2.123)), so that an LCP remains.

        Raises
        ------
        InvalidArgument
            If ``method`` is not one of the names.
        NotSolved
            If inequalities contradict each other or the equations.
        """
        W, residual, (inequality, equality) = self.delassus_matrix, self.residual_target, self._row_slices
        solve_equality = _positive_definite_solver(W[equality, equality])
        eliminated = solve_equality(W[equality, inequality])
        reduced_matrix, reduced_target = (
            W[inequality, inequality] - W[inequality, equality] @ eliminated,
            residual[inequality] - residual[equality] @ eliminated,
        )
        # Rows that the equations determine respond by rounding only: they meet their targets, or never can.
        is_fixed = np.diagonal(reduced_matrix) <= RESPONSE_TOLERANCE * np.diagonal(W)[inequality]
        reduced_matrix[is_fixed], reduced_matrix[:, is_fixed] = 0.0, 0.0
        terms = np.abs(self.target) + np.abs(self.rows) @ np.abs(self.free_acceleration)
        scales = terms[inequality] + terms[equality] @ np.abs(eliminated)
        reduced_target[is_fixed & (np.abs(reduced_target) <= CONSISTENCY_TOLERANCE * scales)] = 0.0
        arguments.choice("method", method, METHODS)
        inequality_multipliers = solve(
            LCP((reduced_matrix + reduced_matrix.T) / 2, -reduced_target), method
        ).z
        return np.concatenate(
            [
                inequality_multipliers,
                solve_equality(residual[equality] - W[equality, inequality] @ inequality_multipliers),
            ]
        )

    @property
    def _row_slices(self) -> tuple[slice, slice]:
        return slice(self.num_inequalities), slice(self.num_inequalities, None)

    def acceleration(self, multipliers: Array) -> Array:
        """Return ``a* + M^-1 A^T lambda (N,)`` (Sueda eq. (2.124)).

        Raises
        ------
        InvalidArgument
            If the shape of ``multipliers`` does not fit.
        """
        multipliers = arguments.single_vector("multipliers", multipliers, len(self.rows))
        result: Array = self.free_acceleration + multipliers @ self.acceleration_response
        return result


def dual_acceleration(
    tree: Tree,
    constraints: Iterable[Constraint],
    state: State,
    alpha: float = 0.0,
    beta: float = 0.0,
    *,
    method: str = "block_principal_pivoting",
) -> tuple[Array, Array]:
    """Return accelerations ``(N,)`` and multipliers ``(m,)`` by the dual (Sueda eqs. (2.123), (2.127)).

    The arguments, the result, the order of multipliers and the errors are those of
    :func:`~rbnotes.multibody.reduced.constrained_acceleration`, which forms the mass matrix and J. Redundant
    equations share their forces by the same rule, and inequalities act only while they are active.

    Raises
    ------
    InvalidArgument
        If a closed inequality closes further: this requires an impact, not an acceleration.
    SingularConfiguration
        If a joint is in a singular state.
    InconsistentConstraints
        If equations contradict each other; the message names them.
    NotSolved
        If inequalities contradict each other or the equations.
    """
    problem, parts, active_rows = _assemble_dual_problem(tree, constraints, state, alpha, beta)
    with name_inequalities(parts):
        multipliers = problem.multipliers(method)
    a = problem.acceleration(multipliers)
    unilateral, bilateral = np.split(multipliers, [problem.num_inequalities])
    solution = StepSolution(
        a, bilateral if problem.row_combinations is None else problem.row_combinations @ bilateral, unilateral
    )
    return a, np.concatenate(split_multipliers(parts, active_rows, solution))


def dual_problem(
    tree: Tree,
    constraints: Iterable[Constraint],
    state: State,
    alpha: float = 0.0,
    beta: float = 0.0,
) -> DualProblem:
    """Return the problem that :func:`dual_acceleration` solves, with the same arguments and errors.

    Raises
    ------
    InvalidArgument
        If ``alpha`` or ``beta`` is negative.
    """
    return _assemble_dual_problem(tree, constraints, state, alpha, beta)[0]


def _assemble_dual_problem(
    tree: Tree, constraints: Iterable[Constraint], state: State, alpha: float, beta: float
) -> tuple[DualProblem, list[ConstraintPart], list[Array]]:
    """Return the problem, the rows of each constraint, and a mask of those that are in the problem."""
    arguments.require_instance("tree", tree, Tree)
    arguments.require_instance("state", state, State)
    constraints = check_constraints(constraints)
    alpha = arguments.real_number("alpha", alpha, minimum=0.0)
    beta = arguments.real_number("beta", beta, minimum=0.0)
    tree._check_state(state)
    kinematics = SweepKinematics.from_state(tree, state)
    inverse_mass = factor_mass_matrix(tree, state.q, joint_terms=tree.armature)

    def evaluate_rows(constraint: Constraint) -> ConstraintRows:
        return constraint_rows_by_sweep(tree, kinematics, constraint, state)

    free_acceleration = _unconstrained_accelerations(
        tree, inverse_mass, _generalized_force(tree, kinematics, state)[None]
    )[0]
    parts, active_rows = acceleration_constraints(tree, constraints, state, alpha, beta, evaluate_rows)
    refuse_contradictions(parts, free_acceleration)
    equations, inequalities = stack_parts(parts)
    G, g, row_combinations = equations.rows, equations.target, range_basis(equations.rows)
    if row_combinations is not None:
        G, g = row_combinations.T @ G, row_combinations.T @ g
    rows, target = np.concatenate([inequalities.rows, G]), np.concatenate([inequalities.target, g])
    problem = DualProblem(
        free_acceleration,
        rows,
        _unconstrained_accelerations(tree, inverse_mass, rows),
        target,
        inequalities.count,
        row_combinations,
    )
    return problem, parts, active_rows


class SweepKinematics(NamedTuple):
    """Kinematics of a tree by one sweep from its roots to its leaves: :class:`BodyKinematics` without J.

    Attributes
    ----------
    joint_poses
        Frames of the joints ``(n, 4, 4)``.
    body_poses
        Frames of the bodies ``(n, 4, 4)``.
    phi
        Body twists ``(n, 6)``.
    bias_acceleration
        Bias accelerations ``Jdot qdot (n, 6)``.
    A
        Adjoints ``(n, 6, 6)`` that take twists from the frame of the parent's joint to each joint's.
    """

    joint_poses: Array
    body_poses: Array
    phi: Array
    bias_acceleration: Array
    A: Array

    @classmethod
    def from_state(cls, tree: Tree, state: State) -> SweepKinematics:
        """Return the kinematics of the joints of a state."""
        q, qdot = state.q, state.qdot
        relative_poses = relative_joint_poses(tree, q)
        A = se3.Ad_inverse(relative_poses)
        phi, bias = (
            _matvec(tree.joint_to_body_adjoints, each)
            for each in jacobian_product_and_rate(tree, q, qdot, qdot, 0 * qdot, A)
        )
        return cls(*_poses(tree, relative_poses), phi, bias, A)


def constraint_rows_by_sweep(
    tree: Tree, kinematics: SweepKinematics, constraint: Constraint, state: State
) -> ConstraintRows:
    """Return the rows of a constraint on velocities ``(m, N)``; rows on bodies take one sweep each.

    The rows equal those of ``constraint.rows``, which use J.
    """
    if not isinstance(constraint, BodyConstraint):
        return constraint.rows(tree, state, state.t)
    bodies, generalized_rows, error, rate, bias_acceleration = constraint.body_rows(
        tree, kinematics, state, state.t
    )
    wrenches = np.zeros((len(generalized_rows), len(tree.links), 6))
    for i, block in bodies.items():
        wrenches[:, i] = block
        bias_acceleration = bias_acceleration + block @ kinematics.bias_acceleration[i]
    G = generalized_rows.copy()
    G[:, state.v.size :] += jacobian_transpose_product(tree, state.q, wrenches)
    return ConstraintRows(G, error, rate, bias_acceleration)


def _generalized_force(tree: Tree, kinematics: SweepKinematics, state: State) -> Array:
    """Return the same as ``tree.force(state)``."""
    applied_force = tree._linearized_applied_forces(
        _maximal_state(state, kinematics.body_poses, kinematics.phi)
    ).f
    body_force, particle_force = np.split(applied_force, [kinematics.phi.size])
    f = _gyroscopic_and_gravity_wrenches(tree, kinematics.body_poses, kinematics.phi) + body_force.reshape(
        kinematics.phi.shape
    )
    joint_force = generalized_forces(
        tree, state.q, f - _matvec(tree.inertias, kinematics.bias_acceleration), kinematics.A
    )
    joint_force += _passive_joint_forces(tree, state.q, state.qdot) + tree._driving_forces(state).f
    return np.append(np.kron(tree.masses, tree.gravity) + particle_force, joint_force)


def _positive_definite_solver(W: Array) -> Callable[[Array], Array]:
    """Return a function that solves with a positive definite matrix, which may be empty."""
    if not len(W):
        return lambda right: right
    factors = linalg.cho_factor(W)
    return lambda right: linalg.cho_solve(factors, right)


def _unconstrained_accelerations(tree: Tree, inverse_mass: InverseMass, forces: Array) -> Array:
    """Return the accelerations ``(m, N)`` by forces on particles and joints, without constraints."""
    count = 3 * len(tree.masses)
    particle_acceleration = forces[:, :count] / np.repeat(tree.masses, 3)
    return np.concatenate([particle_acceleration, inverse_mass.solve(forces[:, count:])], axis=1)
