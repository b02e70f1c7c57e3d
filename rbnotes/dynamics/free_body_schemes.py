"""Time steps of free bodies: first the twists under external forces, then the poses.

:func:`advance_free_motion` is the free motion, exact to rounding. The schemes of this module
are of first order, for a free system or a model with joints; between their two halves joints and contacts add
impulses. They differ in the quantities that they conserve in free motion:

* :data:`~rbnotes.dynamics.symplectic_euler`: Sueda 1.8. The gyroscopic wrench is a force, and each step is a
  screw motion. The spin of a body that rotates by an angle a per step grows by a factor ``sqrt(1 + a^2)``.
* :data:`momentum_conserving_euler`: linear and angular momentum.
* :data:`energy_conserving_euler`: linear momentum and energy.
* :data:`implicit_momentum_conserving_euler`: linear and angular momentum, with springs and dampers evaluated
  at the end of the step.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, SingularConfiguration
from rbnotes.dynamics.free_rotation import FreeRotation, integrate_free_rotation
from rbnotes.dynamics.free_system import FreeSystem
from rbnotes.dynamics.mechanical_system import MechanicalSystem
from rbnotes.dynamics.schemes import Scheme, _linearly_implicit_problem
from rbnotes.dynamics.state import State
from rbnotes.dynamics.step_problem import StepProblem
from rbnotes.unchecked import se3, so3
from rbnotes.unchecked.frozen import replace_unchecked
from rbnotes.unchecked.linear_algebra import cross, matvec

MAX_NEWTON_ITERATIONS = 20
"""Largest number of Newton iterations for a midpoint."""


def external_force_problem(system: MechanicalSystem, state: State, h: float) -> StepProblem:
    """Return ``M phi+ = M phi + h (weights + applied forces)``, without gyroscopic wrenches.

    Raises InvalidArgument if ``h`` is not positive.
    """
    arguments.require_instance("state", state, State)
    h, free_system = arguments.positive_number("h", h), _require_free_system(system)
    mass = system.mass_matrix(state)
    return StepProblem(mass, mass @ state.velocity + h * free_system.external_force(state))


def implicit_external_force_problem(system: MechanicalSystem, state: State, h: float) -> StepProblem:
    """Return ``(M - h D - h^2 K) phi+ = (M - h D) phi + h forces``, for stiff springs (Lloyd 0.9.2).

    K and D are those of the applied forces. The matrix is symmetric if they are; some friction models require
    that.

    Raises InvalidArgument if ``h`` is not positive.
    """
    arguments.require_instance("state", state, State)
    h, free_system = arguments.positive_number("h", h), _require_free_system(system)
    applied_forces = free_system.linearized_applied_forces(state)
    force = free_system.gravity_force(state) + applied_forces.f
    return _linearly_implicit_problem(
        system.mass_matrix(state), state.velocity, force, applied_forces.K, applied_forces.D, h
    )


def advance_free_motion(system: MechanicalSystem, state: State, velocity: Array, h: float) -> State:
    """Advance the free motion: uniform motion of the centers of mass, and Euler's equations.

    It is exact to rounding and conserves momentum *and* energy (:mod:`rbnotes.dynamics.free_rotation`).

    Raises
    ------
    InvalidArgument
        If ``h`` is not positive or the shape of ``velocity`` does not fit.
    SingularConfiguration
        If a body rotates by hundreds of radians in the step.
    """
    inertias = _require_free_system(system).mass_properties[1]
    return _advance_centers(
        system, state, velocity, h, lambda omega: integrate_free_rotation(inertias, omega, h)
    )


def advance_conserving_momentum(system: MechanicalSystem, state: State, velocity: Array, h: float) -> State:
    """Advance with uniform motion of the centers of mass and constant angular momentum in the world.

    Raises InvalidArgument if ``h`` is not positive or the shape of ``velocity`` does not fit.
    """
    inertias = _require_free_system(system).mass_properties[1]

    def rotate(omega: Array) -> FreeRotation:
        R = so3.exp(h * omega)
        end_momenta = matvec(R.mT, matvec(inertias, omega))
        return FreeRotation(R, np.linalg.solve(inertias, end_momenta[..., None])[..., 0])

    return _advance_centers(system, state, velocity, h, rotate)


def advance_conserving_energy(system: MechanicalSystem, state: State, velocity: Array, h: float) -> State:
    """Advance with uniform motion of the centers of mass and Euler's equations at the mean spin.

    Raises
    ------
    InvalidArgument
        If ``h`` is not positive or the shape of ``velocity`` does not fit.
    SingularConfiguration
        If the step is too long for the spin: Newton's method does not converge.
    """
    inertias = _require_free_system(system).mass_properties[1]

    def rotate(omega: Array) -> FreeRotation:
        new = omega
        for _ in range(MAX_NEWTON_ITERATIONS):
            mean = (omega + new) / 2
            momentum = matvec(inertias, mean)
            residual = matvec(inertias, new - omega) + h * cross(mean, momentum)
            derivative = inertias + h / 2 * (so3.hat(mean) @ inertias - so3.hat(momentum))
            change = np.linalg.solve(derivative, residual[..., None])[..., 0]
            new = new - change
            if np.max(np.abs(change), initial=0.0) <= 1e-14 * (1 + np.max(np.abs(new), initial=0.0)):
                return FreeRotation(so3.exp(h * omega), new)
        raise SingularConfiguration(
            "h", f"{h:g} s for this spin", "a step in which Newton's method converges"
        )

    return _advance_centers(system, state, velocity, h, rotate)


momentum_conserving_euler = Scheme(external_force_problem, advance_conserving_momentum)
"""Symplectic Euler that conserves linear and angular momentum in free motion."""

energy_conserving_euler = Scheme(external_force_problem, advance_conserving_energy)
"""Symplectic Euler that conserves linear momentum and energy in free motion."""

implicit_momentum_conserving_euler = Scheme(implicit_external_force_problem, advance_conserving_momentum)
"""Scheme like :data:`momentum_conserving_euler` that is stable for stiff springs and dampers."""

FREE_BODY_FUNCTIONS = (
    external_force_problem,
    implicit_external_force_problem,
    advance_free_motion,
    advance_conserving_momentum,
    advance_conserving_energy,
)
"""Problems and position updates of schemes that require a system of free bodies."""


def _require_free_system(system: MechanicalSystem) -> FreeSystem:
    """Return the system of free bodies: the system itself, or the bodies of a model without its joints."""
    free_system = getattr(system, "free_system", system)
    if isinstance(system, type) or not isinstance(free_system, FreeSystem):
        raise InvalidArgument("system", type(system).__name__, "a Model of free bodies or a MaximalModel")
    return free_system


def _advance_centers(
    system: MechanicalSystem,
    state: State,
    velocity: Array,
    h: float,
    rotate: Callable[[Array], FreeRotation],
) -> State:
    """Advance particles and centers of mass uniformly, and rotations by the function ``rotate``."""
    arguments.require_instance("state", state, State)
    h = arguments.positive_number("h", h)
    phi, v, _ = state.split(velocity, "velocity")
    E, (omega, origin_velocity) = state.E, np.split(phi, 2, axis=-1)
    com = _require_free_system(system).mass_properties.com
    center_velocity = matvec(E[:, :3, :3], origin_velocity + cross(omega, com))
    center = se3.transform_points(E, com) + h * center_velocity
    rotation, new_omega = rotate(omega)
    R = E[:, :3, :3] @ rotation
    new_v = matvec(R.mT, center_velocity) - cross(new_omega, com)
    poses, twists = se3.frame(R, center - matvec(R, com)), np.concatenate([new_omega, new_v], axis=-1)
    return replace_unchecked(state, E=poses, phi=twists, x=state.x + h * v, v=v, t=state.t + h)
