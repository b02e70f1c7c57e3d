"""What moves: the protocol that every mechanical system fulfils, and the forces that act on one.

    mass(state) dv/dt = force(state)

with velocities stacked as in :class:`~rbnotes.dynamics.state.State`. The steps of
:mod:`rbnotes.dynamics.schemes` are written against this protocol; particles, bodies, mechanisms and trees
fulfil it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, Matrix
from rbnotes.dynamics.solve_step import factor_step
from rbnotes.dynamics.state import State
from rbnotes.dynamics.step_problem import StepProblem


class Forces(NamedTuple):
    """Forces and their derivatives, stacked as velocities are."""

    f: Array
    """Wrenches on bodies in body coordinates, forces on particles, generalised forces ``(N,)``, N or N m."""
    K: Matrix
    """+df along increments of the positions ``(N, N)``, velocities held, N/m or N m; dense or sparse."""
    D: Matrix
    """+df/dv ``(N, N)``, N s/m or N m s; dense or sparse."""

    @classmethod
    def without_derivatives(cls, f: ArrayLike) -> Forces:
        """Forces of any shape, flattened, with K = D = 0: for explicit steps, and what is not stiff.

        Raises InvalidArgument if ``f`` is no vector.
        """
        f = np.ravel(arguments.array("f", f))
        zero = sparse.csc_array((len(f), len(f)))
        return cls(f, zero, zero)

    def __add__(self, other: tuple[Any, ...]) -> Forces:
        """The sum of forces, not of tuples."""
        f, K, D = other
        return Forces(self.f + f, _add_matrices(self.K, K), _add_matrices(self.D, D))


ForceLaw = Callable[[State], Forces]
"""Forces that depend on the state; :class:`rbnotes.forces.ForceGroups` is one."""


def zero_forces(state: State) -> Forces:
    """No forces at all.

    Raises InvalidArgument if ``state`` is no ``State``.
    """
    arguments.require_instance("state", state, State)
    zero = _zero_jacobian(state.size)
    return Forces(np.zeros(state.size), zero, zero)


@lru_cache(maxsize=64)
def _zero_jacobian(size: int) -> sparse.csc_array:
    return sparse.csc_array((size, size))


class MechanicalSystem(Protocol):
    """What a time step needs to know of a system."""

    def mass_matrix(self, state: State) -> Matrix:
        """Mass matrix ``(N, N)``, dense or sparse."""
        ...

    def force(self, state: State) -> Array:
        """All forces ``(N,)``, those of the motion itself included."""
        ...

    def linearized_force(self, state: State) -> Forces:
        """The same forces, with their derivatives."""
        ...

    def acceleration(self, state: State) -> Array:
        """dv/dt ``(N,)``, under the constraints that are part of the system."""
        ...

    def retract(self, state: State, increment: ArrayLike, h: float) -> State:
        """The state after an increment of the positions ``(N,)`` and a time h, velocities kept."""
        ...

    def energy(self, state: State) -> float:
        """Kinetic and potential energy, J."""
        ...


@dataclass(frozen=True, eq=False)
class System:
    """A system in generalised coordinates, ``M d(qdot)/dt = f(q, qdot)``, told by functions.

    Its states are ``State(q=..., qdot=...)``.

    Raises
    ------
    InvalidArgument
        If the mass matrix is not square; later, if a function returns another shape than promised.
    """

    inertia: Matrix
    """Mass matrix M ``(n, n)``, kg, kg m and kg m^2, symmetric positive definite; dense or sparse."""
    force_function: Callable[[Array, Array], ArrayLike]
    """f(q, qdot) ``(n,)``."""
    stiffness: Callable[[Array, Array], Matrix]
    """K = +df/dq at (q, qdot), ``(n, n)``, dense or sparse."""
    damping: Callable[[Array, Array], Matrix]
    """D = +df/d(qdot) at (q, qdot), ``(n, n)``, dense or sparse."""
    potential: Callable[[Array], float] | None = None
    """Potential energy at q, J; for the energy only."""

    def __post_init__(self) -> None:
        inertia = arguments.matrix("inertia", self.inertia)
        if inertia.shape[0] != inertia.shape[1]:
            raise InvalidArgument("inertia", f"shape {inertia.shape}", "a square matrix (n, n)")
        for name in ("force_function", "stiffness", "damping"):
            arguments.require_function(name, getattr(self, name), "q", "qdot")
        if self.potential is not None:
            arguments.require_function("potential", self.potential, "q")
        object.__setattr__(self, "inertia", inertia)

    def mass_matrix(self, state: State) -> Matrix:
        """The mass matrix.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.require_instance("state", state, State)
        return self.inertia

    def force(self, state: State) -> Array:
        """f(q, qdot).

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.require_instance("state", state, State)
        self._check_state(state)
        return arguments.single_vector(
            "force_function(q, qdot)", self.force_function(state.q, state.qdot), state.size
        )

    def linearized_force(self, state: State) -> Forces:
        """f, K and D, with their shapes checked.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.require_instance("state", state, State)
        f, n = self.force(state), state.size
        K = arguments.matrix_without_copy("stiffness(q, qdot)", self.stiffness(state.q, state.qdot), n, n)
        D = arguments.matrix_without_copy("damping(q, qdot)", self.damping(state.q, state.qdot), n, n)
        return Forces(f, K, D)

    def linearized_residual(self, state: State, acceleration: ArrayLike) -> Forces:
        """``f - M acceleration``, K and D: those of f, as the mass matrix is constant.

        Raises InvalidArgument if the shape of ``acceleration`` does not fit.
        """
        arguments.require_instance("state", state, State)
        return subtract_inertial_force(self.linearized_force(state), self.inertia, acceleration)

    def acceleration(self, state: State) -> Array:
        """``M^-1 f``.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.require_instance("state", state, State)
        return _unconstrained_acceleration(self, state)

    def retract(self, state: State, increment: ArrayLike, h: float) -> State:
        """``q + increment``.

        Raises InvalidArgument if ``h`` is no finite number or the shape of ``increment`` does not fit.
        """
        arguments.require_instance("state", state, State)
        return state.retract(increment, h)

    def energy(self, state: State) -> float:
        """``qdot^T M qdot / 2`` and the potential.

        Raises
        ------
        InvalidArgument
            If the system has no potential.
        """
        arguments.require_instance("state", state, State)
        self._check_state(state)
        if self.potential is None:
            raise InvalidArgument("potential", "nothing", "a function, for the energy")
        potential = arguments.real_number("potential(q)", self.potential(state.q))
        return float(state.qdot @ (self.inertia @ state.qdot) / 2 + potential)

    def _check_state(self, state: State) -> None:
        n = self.inertia.shape[0]
        if not state.q.shape == state.qdot.shape == (n,) or state.size != n:
            got = f"q {state.q.shape}, qdot {state.qdot.shape} and {state.size} velocities"
            raise InvalidArgument("state", got, f"q and qdot of shape ({n},), and nothing else")


def subtract_inertial_force(forces: Forces, mass: Matrix, acceleration: ArrayLike) -> Forces:
    """``f - mass acceleration`` with the derivatives of f, for a constant mass matrix."""
    acceleration = arguments.single_vector("acceleration", acceleration, len(forces.f))
    return forces._replace(f=forces.f - mass @ acceleration)


def _unconstrained_acceleration(system: MechanicalSystem, state: State) -> Array:
    """``M^-1 f (N,)``: of systems without constraints.

    Raises InvalidArgument if ``system`` is no ``MechanicalSystem`` or ``state`` is no ``State``.
    """
    arguments.require_methods("system", system, "mass_matrix", "force")
    arguments.require_instance("state", state, State)
    force = system.force(state)
    return factor_step(StepProblem(system.mass_matrix(state), force)).solve(force)[0]


def _add_matrices(A: Matrix, B: Matrix) -> Matrix:
    """The sum, sparse only where both are."""
    if sparse.issparse(A) != sparse.issparse(B):
        A, B = (each.toarray() if sparse.issparse(each) else each for each in (A, B))
    return A + B
