"""The simulator's default step: RATTLE for bodies, of second order, with contact and friction.

The free motion of a body is known exactly, rotation and all. So let forces, joints and contacts act in kicks,
at the ends of each step, and let the bodies move freely in between:

    M psi    = M phi_k + h/2 f(E_k)       + G_k^T lambda + C_k^T p,       a kick,
    (E_{k+1}, psi') = free motion of (E_k, psi) for the time h,           a flight,
    M phi_{k+1} = M psi' + h/2 f(E_{k+1}) + G_{k+1}^T mu + C_{k+1}^T p',  a kick.

The multipliers lambda are those that bring the *poses* together at the end of the flight, g(E_{k+1}) = 0; mu
those that make the *velocities* there obey, ``G_{k+1} phi_{k+1} = 0``. Read from its end to its start the
step is itself with -h. Hence its error is of even order, two, whatever the joints do. Kicks with conservative
forces, G^T times multipliers that are derivatives of g, and free flights are symplectic maps: the energy
oscillates, by about h^2, and does not drift (Ryckaert, Ciccotti and Berendsen; Andersen; Hairer, Lubich and
Wanner VII.1.4).

Contacts push in both kicks. Before the flight bodies may approach at gap/h, so that the gap closes during the
flight and no further; after it, where they touch, no more. (As in the nonsmooth RATTLE of Capobianco, Harsch,
Eugster and Leine.) Forces that depend on velocities are taken at a prediction of those after the kick, which
is good to second order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from rbnotes import _so3
from rbnotes._frozen import changed
from rbnotes._linear import apply
from rbnotes.arguments import Array, Matrix
from rbnotes.constraints._stabilization import SOFTNESS, least_correction
from rbnotes.constraints.kkt import factored
from rbnotes.contact import ContactPoints, _rows
from rbnotes.contact.nearby import resting_speed
from rbnotes.contact.pair_rows import velocities_along
from rbnotes.dynamics import Scheme, State, no_forces
from rbnotes.dynamics.free_motion import external_problem, move_freely
from rbnotes.dynamics.step_problem import without_conditions
from rbnotes.maximal.first_order import FirstOrder
from rbnotes.maximal.impacts import impacts_of
from rbnotes.maximal.mechanism import PROJECTED, projected
from rbnotes.maximal.placement import Placement
from rbnotes.maximal.stepping import Kick, Setting, Taken, kicked, least_speeds, separated, worked
from rbnotes.maximal.trajectory import Work, both

CORRECTIONS = 10
"""Steps of Newton's method for the joint impulses of a flight, each of which has to halve the error; else
the step is too long."""

APART = 1e-9
"""Joints that are farther apart at the start of a step, in rad and m, are brought together without speed."""


TRUSTED = 0.02
"""Joints and flight of a step may change the energy by this part of the kinetic energy, which they should not
change at all; else it is taken in two halves."""

HALVINGS = 5
"""So often at most; then a step of first order is taken, which loses energy rather than gains it."""


@dataclass(frozen=True)
class Rattle:
    """The integrator of second order; :data:`rattle` is it."""

    def take(self, setting: Setting, state: State, points: ContactPoints) -> Taken:
        """One step from a state whose contacts are known."""
        return _in_parts(setting, state, points, HALVINGS)

    def once(self, setting: Setting, state: State, points: ContactPoints) -> Taken | None:
        """One step, if the joints can be kept together in it."""
        flight = _first_kick_and_flight(setting, state, points)
        if flight is None:
            return None
        first, flown = flight
        settled, near = separated(setting, flown)
        second = _second_kick(setting, settled, near)
        takes_off = state.with_velocity(first.after)
        return Taken(
            settled.with_velocity(second.after),
            near,
            first.joints + second.joints,
            both(first.contacts, second.contacts),
            worked(setting.mechanism, (first, second), (takes_off, flown), settled),
        )


rattle = Rattle()
"""Of second order in poses and velocities, with the joints together in both; the energy does not drift."""


last_resort = FirstOrder(Scheme(external_problem, move_freely))
"""Joints at velocities alone, and poses moved back: of first order, and always possible."""


def _in_parts(setting: Setting, state: State, points: ContactPoints, halvings: int) -> Taken:
    """One step, or two of half the size where the joints do too much in one to be trusted."""
    taken = rattle.once(setting, state, points) if halvings else last_resort.take(setting, state, points)
    # Without joints there is nothing to keep together, and nothing to distrust.
    trusted = not setting.mechanism.joints or not halvings
    if taken is not None and (trusted or _trusted(setting, state, taken)):
        return taken
    half = replace(setting, h=setting.h / 2)
    first = _in_parts(half, state, points, halvings - 1)
    second = _in_parts(half, first.state, first.points, halvings - 1)
    return Taken(
        second.state,
        second.points,
        first.joints + second.joints,
        both(first.contacts, second.contacts),
        Work(*(a + b for a, b in zip(first.work, second.work, strict=True))),
    )


def _trusted(setting: Setting, state: State, taken: Taken) -> bool:
    free = setting.mechanism.free
    fallen = setting.h * float(np.linalg.norm(setting.mechanism.gravity))
    speeds = (each.velocity for each in (state, taken.state))
    kinetic = max(float(v @ (free.block_mass @ v)) / 2 for v in speeds)
    scale = kinetic + fallen**2 * float(np.sum(free.mass_properties.mass)) / 2
    return bool(abs(taken.work.joints + taken.work.integrator) <= TRUSTED * scale)


def _first_kick_and_flight(
    setting: Setting, state: State, points: ContactPoints
) -> tuple[Kick, State] | None:
    """The kick, and the state after the flight; nothing if the joints cannot be kept together."""
    mechanism, h = setting.mechanism, setting.h
    free = mechanism.free
    at = Placement(mechanism.joints, state.E)
    errors = at.errors()
    if setting.projects and np.max(np.abs(errors), initial=0.0) > APART:
        state = changed(state, E=projected(mechanism, state.E))
        at = Placement(mechanism.joints, state.E)
        errors = at.errors()
    at_first, impacts = state.velocity, impacts_of(setting, at, state, points)
    if impacts is not None:
        state = state.with_velocity(impacts.velocity)
    velocity, mass = state.velocity, mechanism.mass(state)
    G = at.rows_like(mass)
    responses = free.inverse_mass @ G.T
    wanted = errors * (1.0 - setting.takes_back * h)
    if setting.projects:
        wanted = np.zeros_like(errors)

    # The errors after a flight with the velocity v, to second order in h.
    target = np.zeros_like(errors)
    if len(errors):
        turning = free.inverse_mass @ free.gyroscopic(state)
        target = (wanted - errors) / h - h / 2 * (G @ turning + at.drifts(state.phi))
        target = G @ least_correction(G, responses, -target)

    weight, applied = h / 2 * free.weight(state), h / 2 * free.applied_forces(state).f
    problem = without_conditions(mass, mass @ velocity + weight + applied)
    fall = free.inverse_mass @ (weight + applied)
    rows = _rows.contact_rows(points, state.E)
    speeds = least_speeds(setting, state, points, rows, fall)
    kick = kicked(setting, at, velocity, problem, (weight, applied), points, rows, speeds, target, fall)
    if impacts is not None:
        kick = impacts.before(kick, at_first)

    if not len(errors):
        flown = move_freely(mechanism, state, kick.after, h)
        return kick, flown
    new, more, error = kick.after, np.zeros_like(errors), np.inf
    for _ in range(CORRECTIONS):
        flown = move_freely(mechanism, state, new, h)
        arrived = Placement(mechanism.joints, flown.E)
        missing = arrived.errors() - wanted
        error, before = float(np.max(np.abs(missing))), error
        if error <= PROJECTED:
            return kick.corrected(new, more), flown
        if error > before / 2:
            return None
        slope = arrived.rows_like(mass) @ (_displacements(setting, new, state.E, flown.E) @ responses)
        step = _solved(slope, missing)
        new, more = new - responses @ step, more - step
    return None


def _second_kick(setting: Setting, state: State, points: ContactPoints) -> Kick:
    """The kick at the end of the flight; the velocities of the state are those that it arrives with."""
    mechanism, h = setting.mechanism, setting.h
    free, velocity = mechanism.free, state.velocity
    at = Placement(mechanism.joints, state.E)
    mass = mechanism.mass(state)
    weight, applied = h / 2 * free.weight(state), h / 2 * free.applied_forces(state).f
    none = np.zeros(at.layout.size)
    if mechanism.applied is not no_forces:
        # Those that depend on velocities, at those that result: but for the contacts, and to second order.
        kkt = factored(mass, at.rows_like(mass))
        predicted = kkt.solver(mass @ velocity + weight + applied, none)[0]
        applied = h / 2 * free.applied_forces(state.with_velocity(predicted)).f
    problem = without_conditions(mass, mass @ velocity + weight + applied)
    # What touches is held. What is apart and comes too fast meets in the next step, where it may bounce.
    rows = _rows.contact_rows(points, state.E)
    coming = velocities_along(rows, velocity)[:, 0]
    bounces = (points.restitution > 0) & (coming < resting_speed(h, mechanism.gravity))
    later = (points.gap > setting.slop) & (coming < -points.gap / h)
    now = ~(bounces | later)
    points, rows = points[now], rows.groups(now)
    speeds = np.minimum(-points.gap / h, 0.0)
    return kicked(setting, at, velocity, problem, (weight, applied), points, rows, speeds, none)


def _displacements(setting: Setting, velocity: Array, poses: Array, flown: Array) -> Matrix:
    """How the flight moves the bodies, in their frames at its end, per change of their twists at its start.

    ``(6 n, 6 n)``, to second order in h, about the centres of mass, which go straight on.
    """
    h, (_, J, com) = setting.h, setting.mechanism.free.mass_properties
    omega = velocity.reshape(-1, 6)[:, :3]
    momentum, W = apply(J, omega), _so3.hat(omega)
    spin_up = np.linalg.solve(J, _so3.hat(momentum) - W @ J)
    blocks = np.zeros((len(com), 6, 6))
    blocks[:, :3, :3] = h * (_so3.right_jacobian(h * omega) + h / 2 * spin_up)
    blocks[:, 3:, 3:] = h * np.swapaxes(flown[:, :3, :3], -1, -2) @ poses[:, :3, :3]
    to_centre = np.tile(np.eye(6), (len(com), 1, 1))
    to_centre[:, 3:, :3] = -_so3.hat(com)
    from_centre = np.tile(np.eye(6), (len(com), 1, 1))
    from_centre[:, 3:, :3] = _so3.hat(com)
    numbers = np.arange(len(com) + 1)
    return sparse.bsr_array((from_centre @ blocks @ to_centre, numbers[:-1], numbers))


def _solved(slope: Matrix, missing: Array) -> Array:
    """Joint impulses for the errors; rows that repeat others are made a little soft, as in projections."""
    softness = SOFTNESS * np.max(np.abs(slope.diagonal()), initial=0.0)
    if sparse.issparse(slope):
        result: Array = splu(sparse.csc_array(slope + softness * sparse.eye_array(len(missing)))).solve(
            missing
        )
        return result
    return np.linalg.solve(slope + softness * np.eye(len(missing)), missing)
