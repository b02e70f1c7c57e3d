"""Reduction: a system in fewer velocities, ``v = J v_reduced + bias`` (Lloyd 0.17, 0.18).

Attached components move with their masters, hyper-reduced bodies with a few amplitudes, the bodies of a tree
with its joints: all velocities follow from fewer, independent ones. The forces that enforce these relations
do no work on the reduced velocities. Multiplying the equations of motion by ``J^T`` therefore eliminates
them and leaves a smaller problem of the same form.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, ArrayField, InvalidArgument, Matrix
from rbnotes.dynamics.step_problem import StepProblem, StepSolution, VelocityConstraintRows
from rbnotes.unchecked.frozen import replace_unchecked, set_fields


@dataclass(frozen=True, eq=False)
class Reduction:
    """Map from reduced velocities to all velocities of a system: ``v = J v_reduced + bias``.

    Attributes
    ----------
    J
        Matrix ``(n, r)``, dense or sparse; dimensionless between velocities of one kind.
    bias
        Velocities ``(n,)``, or one number, if the reduced ones are zero, m/s or rad/s; for accelerations
        ``dJ/dt v_reduced``, m/s^2 or rad/s^2.

    Raises
    ------
    InvalidArgument
        If shapes do not fit.
    """

    J: Matrix
    bias: ArrayField = 0.0

    def __post_init__(self) -> None:
        J = arguments.matrix("J", self.J)
        bias = arguments.array("bias", self.bias)
        if bias.shape not in ((), (J.shape[0],)):
            raise InvalidArgument("bias", f"shape {bias.shape}", f"a number, or shape ({J.shape[0]},)")
        set_fields(self, J=J, bias=np.array(np.broadcast_to(bias, J.shape[:1])))

    @property
    def size(self) -> int:
        """Number n of all velocities."""
        return int(self.J.shape[0])

    @property
    def reduced_size(self) -> int:
        """Number r of the reduced velocities."""
        return int(self.J.shape[1])

    def expand_velocities(self, v_reduced: ArrayLike) -> Array:
        """Return all velocities ``(n,)`` for reduced ones ``(r,)``.

        Raises InvalidArgument if the shape of ``v_reduced`` does not fit.
        """
        result: Array = (
            self.J @ arguments.single_vector("v_reduced", v_reduced, self.reduced_size) + self.bias
        )
        return result

    def reduce_forces(self, f: ArrayLike) -> Array:
        """Return the forces ``J^T f (r,)`` on the reduced velocities.

        Raises InvalidArgument if the shape of ``f`` does not fit.
        """
        result: Array = self.J.T @ arguments.single_vector("f", f, self.size)
        return result

    def reduce(self, problem: StepProblem) -> StepProblem:
        """Return the problem in the reduced velocities (Lloyd eqs. (0.20) to (0.24)).

        ``mass' = J^T M J`` is the effective inertia; ``momentum' = J^T (momentum - M bias)`` has the
        transferred forces and the fictitious forces of the bias. Impulses of constraints and contacts do not
        change.

        Raises
        ------
        InvalidArgument
            If the problem has another number of velocities, or contacts with a bias along their tangents.
        """
        arguments.require_instance("problem", problem, StepProblem)
        self._check_size(problem)
        J, M = self.J, problem.mass
        return StepProblem(
            mass=J.T @ M @ J if sparse.issparse(M) else J.T @ (M @ J),
            momentum=J.T @ (problem.momentum - M @ self.bias),
            bilateral=self._reduce_rows(problem.bilateral),
            unilateral=self._reduce_rows(problem.unilateral),
            contacts=None if problem.contacts is None else self._reduce_contacts(problem.contacts),
        )

    def expand(self, solution: StepSolution) -> StepSolution:
        """Return the solution of the whole problem from the reduced one: all velocities, the same impulses.

        Raises InvalidArgument if ``solution`` is not a ``StepSolution``.
        """
        arguments.require_instance("solution", solution, StepSolution)
        return replace(solution, velocity=self.expand_velocities(solution.velocity))

    def constraint_forces(self, problem: StepProblem, solution: StepSolution) -> Array:
        """Return the forces ``(n,)`` that maintain ``v = J v_reduced + bias``; ``J^T`` of them is zero.

        Parameters
        ----------
        problem, solution
            Those of the whole system: impulses, or forces if the velocities are accelerations.

        Raises
        ------
        InvalidArgument
            If ``problem`` is not a ``StepProblem`` or ``solution`` is not a ``StepSolution``.
        """
        arguments.require_instance("solution", solution, StepSolution)
        arguments.require_instance("problem", problem, StepProblem)
        self._check_size(problem)
        impulse = problem.momentum
        for name in ("bilateral", "unilateral"):
            rows: VelocityConstraintRows = getattr(problem, name)
            impulse = impulse + rows.rows.T @ arguments.single_vector(
                name, getattr(solution, name), rows.count
            )
        if problem.contacts is not None:
            impulse = impulse + problem.contacts.rows.T @ solution.contact_impulses.ravel()
        result: Array = (
            problem.mass @ arguments.single_vector("velocity", solution.velocity, self.size) - impulse
        )
        return result

    def compose(self, first: Reduction) -> Reduction:
        """Return the reduction ``first`` followed by this one: ``J_first J`` and its bias.

        Raises InvalidArgument if ``first`` is not a ``Reduction``.
        """
        arguments.require_instance("first", first, Reduction)
        if first.reduced_size != self.size:
            raise InvalidArgument("first", f"{first.reduced_size} reduced velocities", str(self.size))
        return Reduction(first.J @ self.J, first.J @ self.bias + first.bias)

    def _check_size(self, problem: StepProblem) -> None:
        if problem.size != self.size:
            raise InvalidArgument("problem", f"{problem.size} velocities", str(self.size))

    def _reduce_rows(self, rows: Any) -> Any:
        return replace_unchecked(rows, rows=rows.rows @ self.J, target=rows.target - rows.rows @ self.bias)

    def _reduce_contacts(self, contacts: Any) -> Any:
        rows = getattr(contacts.rows, "matrix", contacts.rows)
        bias = (rows @ self.bias).reshape(-1, 3)
        if np.any(bias[:, 1:]):
            got = f"a bias of {np.max(np.abs(bias[:, 1:])):.3g} along a tangent"
            raise InvalidArgument("contacts", got, "contacts without a bias along their tangents")
        return replace(contacts, rows=rows @ self.J, normal_target=contacts.normal_target - bias[:, 0])
