"""A tree in fewer velocities than its joints and particles have: what such systems share (Sueda 2.6, 2.7).

The velocities of a :class:`~rbnotes.tree.system.TreeSystem` follow from fewer ones, ``v = J v_R``, its
accelerations by ``J dv_R/dt + Jdot v_R``. With one more transpose the equations of motion are those of the
fewer ones (eqs. (2.83), (2.92)),

    J^T M J dv_R/dt = J^T (f - M Jdot v_R).

How both sides change follows by the chain rule, with the derivatives that the tree has of its own and those
of J (:class:`Bends`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.dynamics import Forces, Reduction, State, StepProblem, solve_step
from rbnotes.tree.system import TreeSystem


class Bends(NamedTuple):
    """Derivatives that J has because it changes with the R fewer coordinates; N: all velocities."""

    velocities: Array
    """Of ``J v_R``, by the coordinates ``(N, R)``."""
    accelerations: Array
    """Of ``J a_R + Jdot v_R``, by the coordinates ``(N, R)``."""
    drift: Array
    """Of ``Jdot v_R``, by v_R ``(N, R)``."""
    forces: Array
    """Of ``J^T f``, by the coordinates ``(R, R)``."""


@dataclass(frozen=True, eq=False)
class ReducedSystem(ABC):
    """A mechanical system whose states stand for states of a whole tree."""

    system: TreeSystem
    """The whole tree, with its particles and all that acts on it."""

    @abstractmethod
    def _expanded(self, state: State) -> tuple[State, Array, Array]:
        """The state of the whole tree, J and the drift."""

    @abstractmethod
    def _bends(self, state: State, acceleration: Array, f: Array) -> Bends:
        """How J changes, for accelerations ``(R,)`` of the fewer velocities and forces ``(N,)`` on all."""

    def expanded(self, state: State) -> State:
        """The state of the whole tree, with its particles.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.instance("state", state, State)
        return self._expanded(state)[0]

    def reduction(self, state: State) -> Reduction:
        """All velocities of particles and joints from the fewer ones.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.instance("state", state, State)
        return Reduction(self._expanded(state)[1])

    def acceleration_reduction(self, state: State) -> Reduction:
        """All accelerations from the fewer ones: the drift is ``Jdot v_R`` (eqs. (2.82), (2.90)).

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.instance("state", state, State)
        return Reduction(*self._expanded(state)[1:])

    def mass(self, state: State) -> Array:
        """``J^T M J``.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.instance("state", state, State)
        whole, J, _ = self._expanded(state)
        result: Array = J.T @ self.system.mass(whole) @ J
        return result

    def force(self, state: State) -> Array:
        """All forces, handed on, with the fictitious ones of the drift.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.instance("state", state, State)
        whole, J, drift = self._expanded(state)
        result: Array = J.T @ (self.system.force(whole) - self.system.mass(whole) @ drift)
        return result

    def forces(self, state: State) -> Forces:
        """The same, with K and D of the tree between two J, as linearly implicit Euler keeps them.

        How J itself changes is in :meth:`tangent`.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.instance("state", state, State)
        whole, J, drift = self._expanded(state)
        f, K, D = self.system.forces(whole)
        return Forces(J.T @ (f - self.system.mass(whole) @ drift), J.T @ K @ J, J.T @ D @ J)

    def tangent(self, state: State, acceleration: ArrayLike) -> Forces:
        """``force - mass acceleration (R,)``, with all its derivatives: exact ones, for fully implicit steps.

        Parameters
        ----------
        acceleration
            Of the fewer velocities ``(R,)``, rad/s^2 or m/s^2.

        Raises
        ------
        InvalidArgument
            If the shape of ``acceleration`` does not fit.
        """
        arguments.instance("state", state, State)
        acceleration = arguments.one_vector("acceleration", acceleration, state.size)
        whole, J, drift = self._expanded(state)
        f, K, D = self.system.tangent(whole, J @ acceleration + drift)
        M, bends = self.system.mass(whole), self._bends(state, acceleration, f)
        K = K @ J + D @ bends.velocities - M @ bends.accelerations
        return Forces(J.T @ f, J.T @ K + bends.forces, J.T @ (D @ J - M @ bends.drift))

    def acceleration(self, state: State) -> Array:
        """Accelerations of the fewer velocities.

        Raises
        ------
        InvalidArgument
            If ``state`` is no ``State``.
        SingularConfiguration
            If a joint is in a singular state, or J has lost its rank.
        """
        arguments.instance("state", state, State)
        whole, J, drift = self._expanded(state)
        rows = self.system.coordinate_rows(whole, acceleration=True)
        problem = StepProblem(self.system.mass(whole), self.system.force(whole), rows)
        return solve_step(Reduction(J, drift).reduce(problem)).velocity

    def moved(self, state: State, increment: ArrayLike, h: float) -> State:
        """Particles and coordinates plus the increment; velocities kept.

        Raises InvalidArgument if ``h`` is no finite number or the shape of ``increment`` does not fit.
        """
        arguments.instance("state", state, State)
        return state.moved(increment, h)

    def energy(self, state: State) -> float:
        """That of the whole tree, J.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.instance("state", state, State)
        return self.system.energy(self.expanded(state))
