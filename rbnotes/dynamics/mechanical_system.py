"""Protocol of mechanical systems, and the forces that act on them.

    mass(state) dv/dt = force(state)

with velocities stacked as in :class:`~rbnotes.dynamics.state.State`. The schemes of
:mod:`rbnotes.dynamics.schemes` use this protocol. Models, in joint and in maximal coordinates, and trees
implement it, and so does a system of functions, :func:`mechanical_system`.
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
    """Forces and their derivatives, stacked like velocities.

    Attributes
    ----------
    f
        Wrenches on bodies in body coordinates, forces on particles, generalized forces ``(N,)``, N or N m.
    K
        +df along increments of the positions ``(N, N)`` at constant velocities, N/m or N m; dense or
        sparse.
    D
        +df/dv ``(N, N)``, N s/m or N m s; dense or sparse.
    """

    f: Array
    K: Matrix
    D: Matrix

    @classmethod
    def without_derivatives(cls, f: ArrayLike) -> Forces:
        """Return forces of any shape, flattened, with K = D = 0, for explicit steps.

        Raises InvalidArgument if ``f`` is not a vector.
        """
        f = np.ravel(arguments.array("f", f))
        zero = sparse.csc_array((len(f), len(f)))
        return cls(f, zero, zero)

    def __add__(self, other: tuple[Any, ...]) -> Forces:
        """Return the sum of the forces and of their derivatives."""
        f, K, D = other
        return Forces(self.f + f, _add_matrices(self.K, K), _add_matrices(self.D, D))


ForceLaw = Callable[[State], Forces]
"""Forces that depend on the state; :class:`rbnotes.forces.ForceGroups` is one."""


def zero_forces(state: State) -> Forces:
    """Return zero forces with zero derivatives.

    Raises InvalidArgument if ``state`` is not a ``State``.
    """
    arguments.require_instance("state", state, State)
    zero = _zero_jacobian(state.size)
    return Forces(np.zeros(state.size), zero, zero)


@lru_cache(maxsize=64)
def _zero_jacobian(size: int) -> sparse.csc_array:
    return sparse.csc_array((size, size))


class MechanicalSystem(Protocol):
    """Properties of a system that time steps need."""

    def mass_matrix(self, state: State) -> Matrix:
        """Return the mass matrix ``(N, N)``, dense or sparse."""
        ...

    def force(self, state: State) -> Array:
        """Return all forces ``(N,)``, gyroscopic and other velocity-dependent inertial forces included."""
        ...

    def linearized_force(self, state: State) -> Forces:
        """Return the same forces with their derivatives."""
        ...

    def linearized_residual(self, state: State, acceleration: ArrayLike) -> Forces:
        """Return ``force - mass_matrix acceleration (N,)``, its K along increments and D along velocities.

        Fully implicit schemes need it.
        """
        ...

    def acceleration(self, state: State) -> Array:
        """Return dv/dt ``(N,)`` under the constraints of the system."""
        ...

    def retract(self, state: State, increment: ArrayLike, h: float) -> State:
        """Return the state after an increment of positions ``(N,)`` and a time h, with equal velocities."""
        ...

    def energy(self, state: State) -> float:
        """Return the kinetic and potential energy, J."""
        ...


class StateRetraction:
    """Method ``retract`` of systems whose increments of positions are stacked like the velocities."""

    def retract(self, state: State, increment: ArrayLike, h: float) -> State:
        """Return the state after an increment of positions ``(N,)`` and a time h, with equal velocities.

        Bodies move by ``E exp([xi])``, particles and coordinates by the increment itself; constraints have
        no effect on it.

        Raises
        ------
        InvalidArgument
            If ``h`` is not a finite number or the shape of ``increment`` does not fit.
        """
        arguments.require_instance("state", state, State)
        return state.retract(increment, h)


def mechanical_system(
    inertia: ArrayLike | Matrix,
    force: Callable[[Array, Array], ArrayLike],
    stiffness: Callable[[Array, Array], ArrayLike | Matrix],
    damping: Callable[[Array, Array], ArrayLike | Matrix],
    potential: Callable[[Array], float] | None = None,
) -> MechanicalSystem:
    """Return a system in generalized coordinates, ``M d(qdot)/dt = f(q, qdot)``, given by functions.

    Its states are ``State(q=..., qdot=...)``.

    Parameters
    ----------
    inertia
        Mass matrix M ``(n, n)``, kg, kg m and kg m^2, symmetric positive definite; dense or sparse.
    force
        Function f(q, qdot) ``(n,)``, N or N m.
    stiffness
        K = +df/dq at (q, qdot), ``(n, n)``, dense or sparse.
    damping
        D = +df/d(qdot) at (q, qdot), ``(n, n)``, dense or sparse.
    potential
        Potential energy at q, J; for the energy only.

    Raises
    ------
    InvalidArgument
        If the mass matrix is not square, or later, if a function returns an array of another shape or writes
        into its arguments.
    """
    inertia = arguments.matrix("inertia", inertia)
    if inertia.shape[0] != inertia.shape[1]:
        raise InvalidArgument("inertia", f"shape {inertia.shape}", "a square matrix (n, n)")
    for name, function in (("force", force), ("stiffness", stiffness), ("damping", damping)):
        arguments.require_function(name, function, "q", "qdot")
    if potential is not None:
        arguments.require_function("potential", potential, "q")
    return _FunctionSystem(inertia, force, stiffness, damping, potential)


@dataclass(frozen=True, eq=False)
class _FunctionSystem(StateRetraction):
    """System of :func:`mechanical_system`, with its arguments."""

    inertia: Matrix
    force_function: Callable[[Array, Array], ArrayLike]
    stiffness: Callable[[Array, Array], ArrayLike | Matrix]
    damping: Callable[[Array, Array], ArrayLike | Matrix]
    potential: Callable[[Array], float] | None

    def mass_matrix(self, state: State) -> Matrix:
        """Return the mass matrix.

        Raises InvalidArgument if ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        return self.inertia

    def force(self, state: State) -> Array:
        """Return f(q, qdot) ``(n,)``.

        Raises InvalidArgument if ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        self._check_state(state)
        f = arguments.call_user_function("force", self.force_function, state.q, state.qdot)
        return arguments.single_vector("force(q, qdot)", f, state.size)

    def linearized_force(self, state: State) -> Forces:
        """Return f, K and D.

        Raises InvalidArgument if ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        f, n = self.force(state), state.size
        K, D = (
            arguments.matrix_without_copy(
                f"{name}(q, qdot)",
                arguments.call_user_function(name, function, state.q, state.qdot),
                n,
                n,
            )
            for name, function in (("stiffness", self.stiffness), ("damping", self.damping))
        )
        return Forces(f, K, D)

    def linearized_residual(self, state: State, acceleration: ArrayLike) -> Forces:
        """Return ``f - M acceleration`` with K and D of f: the mass matrix is constant.

        Raises InvalidArgument if the shape of ``acceleration`` does not fit.
        """
        arguments.require_instance("state", state, State)
        return subtract_inertial_force(self.linearized_force(state), self.inertia, acceleration)

    def acceleration(self, state: State) -> Array:
        """Return ``M^-1 f (n,)``.

        Raises InvalidArgument if ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        return _unconstrained_acceleration(self, state)

    def energy(self, state: State) -> float:
        """Return ``qdot^T M qdot / 2`` plus the potential, J.

        Raises
        ------
        InvalidArgument
            If the system has no potential.
        """
        arguments.require_instance("state", state, State)
        self._check_state(state)
        if self.potential is None:
            raise InvalidArgument("potential", "nothing", "a function, for the energy")
        potential = arguments.real_number(
            "potential(q)", arguments.call_user_function("potential", self.potential, state.q)
        )
        return float(state.qdot @ (self.inertia @ state.qdot) / 2 + potential)

    def _check_state(self, state: State) -> None:
        n = self.inertia.shape[0]
        if not state.q.shape == state.qdot.shape == (n,) or state.size != n:
            got = f"q {state.q.shape}, qdot {state.qdot.shape} and {state.size} velocities"
            raise InvalidArgument("state", got, f"q and qdot of shape ({n},), and nothing else")


def subtract_inertial_force(forces: Forces, mass: Matrix, acceleration: ArrayLike) -> Forces:
    """Return ``f - mass acceleration`` with the derivatives of f, for a constant mass matrix."""
    acceleration = arguments.single_vector("acceleration", acceleration, len(forces.f))
    return forces._replace(f=forces.f - mass @ acceleration)


def _unconstrained_acceleration(system: MechanicalSystem, state: State) -> Array:
    """Return ``M^-1 f (N,)`` of a system without constraints.

    Raises InvalidArgument if ``system`` is not a ``MechanicalSystem`` or ``state`` is not a ``State``.
    """
    arguments.require_methods("system", system, "mass_matrix", "force")
    arguments.require_instance("state", state, State)
    force = system.force(state)
    return factor_step(StepProblem(system.mass_matrix(state), force)).solve(force)[0]


def _add_matrices(A: Matrix, B: Matrix) -> Matrix:
    """Return the sum, sparse if both matrices are."""
    if sparse.issparse(A) != sparse.issparse(B):
        A, B = (each.toarray() if sparse.issparse(each) else each for each in (A, B))
    return A + B
