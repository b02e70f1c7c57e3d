"""How bodies move in a step: forces change their twists, and the twists move them.

An integrator has these two halves, and in between joints and contacts add their impulses: ``system`` gives
``M_hat phi+ = b`` without them, at the poses where the step starts; ``move`` takes these poses and the twists
that result to the state at the end. All are of first order; they differ in what they keep. While a body
turns, the numbers of its twist change although the motion does not, and a spinning body that flies or rolls
far shows best how well that is done:

* :data:`SCREW`: Sueda 1.8. The turning of the frame is a force; each step goes along a screw. Simple, but a
  body that turns by an angle a in each step gains speed by a factor ``sqrt(1 + a^2)``.
* :data:`MOMENTUM`: the centre of mass goes straight on, and linear and angular momentum stay in the world.
* :data:`ENERGY`: likewise, but a tumbling body keeps its energy instead of the angular momentum.
* :data:`IMPLICIT`: as MOMENTUM, with springs and dampers evaluated at the end of the step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments, se3, so3
from rbnotes.arguments import Array, InvalidArgument, SingularConfiguration
from rbnotes.forces.wrenches import BodyForces
from rbnotes.integrators import VelocitySystem, linearly_implicit_system
from rbnotes.maximal.body import BodyState
from rbnotes.maximal.mechanism import Mechanism, wrenches

Applied = Callable[[Array, Array], "ArrayLike | BodyForces"]
"""Body wrenches ``(n, 6)`` besides gravity, at poses ``(n, 4, 4)`` and twists ``(n, 6)``; with their
derivatives where an integrator asks for them."""

NEWTON_STEPS = 20
"""After so many a midpoint is given up."""


@dataclass(frozen=True)
class Integrator:
    """Two halves of a step."""

    system: Callable[[Mechanism, BodyState, float, Applied], VelocitySystem]
    """From mechanism, state, step size and applied wrenches: the system for the twists ``(6 n,)``."""
    move: Callable[[Mechanism, BodyState, float], BodyState]
    """From the poses at the start and the new twists there to the state at the end."""


def nothing(poses: Array, twists: Array) -> ArrayLike:
    """No wrenches besides gravity."""
    return np.zeros_like(twists)


def explicit_system(
    mechanism: Mechanism, state: BodyState, h: float, applied: Applied = nothing
) -> VelocitySystem:
    """``M phi+ = M phi + h wrenches`` of gravity and applied ones."""
    h = float(arguments.positive("h", h))
    wrench = weight_wrenches(mechanism, state.E) + body_forces(applied, state).w
    return VelocitySystem(mechanism.mass, mechanism.mass @ np.ravel(state.phi) + h * wrench.ravel())


def gyroscopic_system(
    mechanism: Mechanism, state: BodyState, h: float, applied: Applied = nothing
) -> VelocitySystem:
    """``M phi+ = M phi + h (ad(phi)^T M phi + wrenches)`` (Sueda 1.8, eq. (1.28))."""
    h = float(arguments.positive("h", h))
    wrench = wrenches(mechanism, state) + body_forces(applied, state).w
    return VelocitySystem(mechanism.mass, mechanism.mass @ np.ravel(state.phi) + h * wrench.ravel())


def implicit_system(
    mechanism: Mechanism, state: BodyState, h: float, applied: Applied = nothing
) -> VelocitySystem:
    """``(M - h D - h^2 K) phi+ = (M - h D) phi + h wrenches``, for stiff springs and dampers (Lloyd 0.9.2).

    K and D are those of the applied wrenches, given as :class:`~rbnotes.forces.wrenches.BodyForces`. The
    matrix is as symmetric as they are; not all friction models take one that is not.
    """
    forces = body_forces(applied, state)
    wrench = weight_wrenches(mechanism, state.E) + forces.w
    phi = np.ravel(state.phi)
    return linearly_implicit_system(mechanism.mass.toarray(), phi, wrench.ravel(), forces.K, forces.D, h)


def move_along_screw(mechanism: Mechanism, state: BodyState, h: float) -> BodyState:
    """``E+ = E exp(h [phi])``, with the same numbers for the twist there (Sueda 1.8, eq. (1.29))."""
    return BodyState(np.asarray(state.E) @ se3.exp(h * np.asarray(state.phi)), np.asarray(state.phi))


def move_keeping_momentum(mechanism: Mechanism, state: BodyState, h: float) -> BodyState:
    """The centre of mass moves straight on; linear and angular momentum stay as they are in the world."""

    def spin(inertias: Array, omega: Array) -> Array:
        momentum = _times(inertias, omega)
        turned = _times(np.swapaxes(so3.exp(h * omega), -1, -2), momentum)
        return np.linalg.solve(inertias, turned[..., None])[..., 0]

    return _move_centre(mechanism, state, h, spin)


def move_keeping_energy(mechanism: Mechanism, state: BodyState, h: float) -> BodyState:
    """The centre of mass moves straight on; Euler's equations are solved at the mean angular velocity.

    Raises
    ------
    SingularConfiguration
        If the step is too long for the spin: Newton's method does not converge.
    """

    def spin(inertias: Array, omega: Array) -> Array:
        new = omega
        for _ in range(NEWTON_STEPS):
            mean = (omega + new) / 2
            momentum = _times(inertias, mean)
            missing = _times(inertias, new - omega) + h * np.cross(mean, momentum)
            slope = inertias + h / 2 * (so3.hat(mean) @ inertias - so3.hat(momentum))
            change = np.linalg.solve(slope, missing[..., None])[..., 0]
            new = new - change
            if np.max(np.abs(change), initial=0.0) <= 1e-14 * (1 + np.max(np.abs(new), initial=0.0)):
                return new
        raise SingularConfiguration(
            "h", f"{h:g} s for this spin", "a step in which Newton's method converges"
        )

    return _move_centre(mechanism, state, h, spin)


SCREW = Integrator(gyroscopic_system, move_along_screw)
MOMENTUM = Integrator(explicit_system, move_keeping_momentum)
ENERGY = Integrator(explicit_system, move_keeping_energy)
IMPLICIT = Integrator(implicit_system, move_keeping_momentum)


def weight_wrenches(mechanism: Mechanism, poses: ArrayLike) -> Array:
    """Body wrenches ``(n, 6)`` of gravity at poses ``(n, 4, 4)``."""
    weights, centres = mechanism.weights
    return se3.point_wrench(poses, centres, weights)


def body_forces(applied: Applied, state: BodyState) -> BodyForces:
    """The applied wrenches with their derivatives, zero where none are given."""
    given = applied(state.E, state.phi)
    size = np.size(state.phi)
    zero = np.zeros((size, size))
    forces = given if isinstance(given, BodyForces) else BodyForces(np.asarray(given), zero, zero)
    w = arguments.twist("applied", forces.w)
    if w.shape != np.shape(state.phi):
        raise InvalidArgument("applied", f"shape {w.shape}", f"shape {np.shape(state.phi)}")
    K, D = (arguments.matrix(name, getattr(forces, name), size, size) for name in ("K", "D"))
    return BodyForces(w, K, D)


def _move_centre(
    mechanism: Mechanism, state: BodyState, h: float, spin: Callable[[Array, Array], Array]
) -> BodyState:
    """Straight motion of the centres of mass; ``spin`` gives the new angular velocities."""
    h = float(arguments.positive("h", h))
    E, (omega, v) = np.asarray(state.E), np.split(np.asarray(state.phi), 2, axis=-1)
    _, inertias, com = mechanism.mass_properties
    velocity = _times(E[:, :3, :3], v + np.cross(omega, com))
    centre = se3.transform_points(E, com) + h * velocity
    R = E[:, :3, :3] @ so3.exp(h * omega)
    new_omega = spin(inertias, omega)
    new_v = _times(np.swapaxes(R, -1, -2), velocity) - np.cross(new_omega, com)
    return BodyState(se3.frame(R, centre - _times(R, com)), np.concatenate([new_omega, new_v], axis=-1))


def _times(A: Array, x: Array) -> Array:
    return np.einsum("...ij,...j->...i", A, x)
