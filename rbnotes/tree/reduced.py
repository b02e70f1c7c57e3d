"""A tree in fewer velocities than its joints and particles have: what such systems share (Sueda 2.6, 2.7).

The velocities of a :class:`~rbnotes.tree.system.TreeSystem` follow from fewer ones, ``v = J v_R``, its
accelerations by ``J dv_R/dt + Jdot v_R``. With one more transpose the equations of motion are those of the
fewer ones (eqs. (2.83), (2.92)),

    J^T M J dv_R/dt = J^T (f - M Jdot v_R).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from numpy.typing import ArrayLike

from rbnotes.arguments import Array
from rbnotes.dynamics import Forces, Reduction, State, StepProblem, solve_step
from rbnotes.tree.system import TreeSystem


@dataclass(frozen=True, eq=False)
class ReducedSystem(ABC):
    """A mechanical system whose states stand for states of a whole tree."""

    system: TreeSystem

    @abstractmethod
    def expanded(self, state: State) -> State:
        """The state of the whole tree, with its particles."""

    @abstractmethod
    def reduction(self, state: State) -> Reduction:
        """All velocities from the fewer ones."""

    @abstractmethod
    def acceleration_reduction(self, state: State) -> Reduction:
        """All accelerations from the fewer ones: the drift is ``Jdot v_R`` (eqs. (2.82), (2.90))."""

    def mass(self, state: State) -> Array:
        """``J^T M J``."""
        J = self.reduction(state).J
        result: Array = J.T @ self.system.mass(self.expanded(state)) @ J
        return result

    def force(self, state: State) -> Array:
        """All forces, handed on, with the fictitious ones of the drift."""
        return self._handed_on(state, self.system.force(self.expanded(state)))

    def forces(self, state: State) -> Forces:
        """The same, with K and D of the tree between two J: how J itself changes is left out."""
        f, K, D = self.system.forces(self.expanded(state))
        J = self.reduction(state).J
        return Forces(self._handed_on(state, f), J.T @ K @ J, J.T @ D @ J)

    def acceleration(self, state: State) -> Array:
        """Accelerations of the fewer velocities.

        Raises
        ------
        SingularConfiguration
            If a joint is in a singular state, or J has lost its rank.
        """
        at = self.expanded(state)
        rows = self.system.coordinate_rows(at, acceleration=True)
        problem = StepProblem(self.system.mass(at), self.system.force(at), rows)
        return solve_step(self.acceleration_reduction(state).reduce(problem)).velocity

    def moved(self, state: State, increment: ArrayLike, h: float) -> State:
        """Particles and coordinates plus the increment; velocities kept."""
        return state.moved(increment, h)

    def energy(self, state: State) -> float:
        """That of the whole tree, J."""
        return self.system.energy(self.expanded(state))

    def _handed_on(self, state: State, f: Array) -> Array:
        reduction = self.acceleration_reduction(state)
        return reduction.forces(f - self.system.mass(self.expanded(state)) @ reduction.drift)
