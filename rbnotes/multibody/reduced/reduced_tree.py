"""Tree in fewer velocities than its joints and particles have (Sueda 2.6, 2.7).

The velocities of a :class:`~rbnotes.multibody.reduced.Tree` follow from fewer ones,
``v = J v_R``, its accelerations by ``J dv_R/dt + Jdot v_R``. With one more transpose the equations of motion
are those of the fewer ones (eqs. (2.83), (2.92)),

    J^T M J dv_R/dt = J^T (f - M Jdot v_R).

The derivatives of both sides follow by the chain rule, from the derivatives of the tree and those of J
(:class:`ReductionDerivatives`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.dynamics import BilateralRows, Forces, Reduction, State, StepProblem, solve_step
from rbnotes.dynamics.mechanical_system import StateRetraction
from rbnotes.multibody.reduced.tree import Tree


class ReductionDerivatives(NamedTuple):
    """Derivatives of a reduction ``v = J v_R`` with R coordinates, N velocities and a varying J.

    Attributes
    ----------
    velocities
        Derivative ``(N, R)`` of ``J v_R`` with respect to the coordinates.
    accelerations
        Derivative ``(N, R)`` of ``J a_R + Jdot v_R`` with respect to the coordinates.
    bias_acceleration
        Derivative ``(N, R)`` of ``Jdot v_R`` with respect to v_R.
    forces
        Derivative ``(R, R)`` of ``J^T f`` with respect to the coordinates.
    """

    velocities: Array
    accelerations: Array
    bias_acceleration: Array
    forces: Array


@dataclass(frozen=True, eq=False)
class ReducedTree(StateRetraction, ABC):
    """Mechanical system with fewer coordinates, which determine the state of a whole tree.

    :func:`~rbnotes.multibody.reduced.reduce_coordinates` and
    :func:`~rbnotes.multibody.reduced.attach_particles` return it.

    Attributes
    ----------
    tree
        Whole tree, with its particles and all forces.
    """

    tree: Tree

    @abstractmethod
    def _expand(self, state: State) -> tuple[State, Array, Array]:
        """Return the state of the whole tree, J and the bias acceleration."""

    @abstractmethod
    def _reduction_derivatives(self, state: State, acceleration: Array, f: Array) -> ReductionDerivatives:
        """Return the derivatives of J, for fewer accelerations ``(R,)`` and forces ``(N,)`` on all."""

    def expand(self, state: State) -> State:
        """Return the state of the whole tree, with its particles.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        return self._expand(state)[0]

    def reduction(self, state: State) -> Reduction:
        """Return the map from the fewer velocities to all velocities of particles and joints.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        return Reduction(self._expand(state)[1])

    def acceleration_reduction(self, state: State) -> Reduction:
        """Return the map from the fewer accelerations to all: the bias is ``Jdot v_R`` (eqs. (2.82), (2.90)).

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        return Reduction(*self._expand(state)[1:])

    def coordinate_constraint_rows(self, state: State, *, acceleration: bool = False) -> BilateralRows:
        """Return the constraints of joints on their own coordinates, as rows on the fewer velocities.

        The rows are on velocities or on accelerations.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        full_state, J, bias = self._expand(state)
        whole = self.tree.coordinate_constraint_rows(full_state, acceleration=acceleration)
        target = whole.target - whole.rows @ bias if acceleration else whole.target
        return BilateralRows(whole.rows @ J, target)

    def mass_matrix(self, state: State) -> Array:
        """Return ``J^T M J``.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        full_state, J, _ = self._expand(state)
        result: Array = J.T @ self.tree.mass_matrix(full_state) @ J
        return result

    def force(self, state: State) -> Array:
        """Return all forces, projected by ``J^T``, with the inertial forces of the bias acceleration.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        full_state, J, bias = self._expand(state)
        result: Array = J.T @ (self.tree.force(full_state) - self.tree.mass_matrix(full_state) @ bias)
        return result

    def linearized_force(self, state: State) -> Forces:
        """Return the forces with K and D of the tree between two J, as linearly implicit Euler keeps them.

        The derivatives of J are in :meth:`linearized_residual`.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        full_state, J, bias = self._expand(state)
        f, K, D = self.tree.linearized_force(full_state)
        return Forces(J.T @ (f - self.tree.mass_matrix(full_state) @ bias), J.T @ K @ J, J.T @ D @ J)

    def linearized_residual(self, state: State, acceleration: ArrayLike) -> Forces:
        """Return ``force - mass_matrix acceleration (R,)`` with all exact derivatives.

        Parameters
        ----------
        acceleration
            Acceleration ``(R,)`` of the fewer velocities, rad/s^2 or m/s^2.

        Raises
        ------
        InvalidArgument
            If the shape of ``acceleration`` does not fit.
        """
        arguments.require_instance("state", state, State)
        acceleration = arguments.single_vector("acceleration", acceleration, state.size)
        full_state, J, bias = self._expand(state)
        f, K, D = self.tree.linearized_residual(full_state, J @ acceleration + bias)
        M, derivatives = (
            self.tree.mass_matrix(full_state),
            self._reduction_derivatives(state, acceleration, f),
        )
        K = K @ J + D @ derivatives.velocities - M @ derivatives.accelerations
        return Forces(
            J.T @ f, J.T @ K + derivatives.forces, J.T @ (D @ J - M @ derivatives.bias_acceleration)
        )

    def acceleration(self, state: State) -> Array:
        """Return the accelerations of the fewer velocities.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        SingularConfiguration
            If a joint is in a singular state, or J has lost its rank.
        """
        arguments.require_instance("state", state, State)
        full_state, J, bias = self._expand(state)
        rows = self.tree.coordinate_constraint_rows(full_state, acceleration=True)
        problem = StepProblem(self.tree.mass_matrix(full_state), self.tree.force(full_state), rows)
        return solve_step(Reduction(J, bias).reduce(problem)).velocity

    def energy(self, state: State) -> float:
        """Return the energy of the whole tree, J.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        return self.tree.energy(self.expand(state))
