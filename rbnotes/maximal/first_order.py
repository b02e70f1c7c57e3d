"""Steps of the simulator in two halves, by a scheme of :mod:`rbnotes.dynamics`: of first order under joints.

One kick at the start of the step, with the whole impulse of the forces, and then a flight (Lloyd 0.10; Sueda
1.8, 1.10). Joints hold the new velocities along the rows of where they were, so that poses come apart by
about h^2 and are moved back.
"""

from __future__ import annotations

from dataclasses import dataclass

from rbnotes._frozen import changed
from rbnotes.contact import ContactPoints, _rows
from rbnotes.dynamics import Scheme, State
from rbnotes.maximal.impacts import impacts_of
from rbnotes.maximal.mechanism import mechanism_rows, projected
from rbnotes.maximal.placement import Placement
from rbnotes.maximal.stepping import Setting, Taken, kicked, least_speeds, separated, worked


@dataclass(frozen=True)
class FirstOrder:
    """An integrator made of a scheme."""

    scheme: Scheme
    """From a state to the linear problem of its step."""

    def take(self, setting: Setting, state: State, points: ContactPoints) -> Taken:
        """One step from a state whose contacts are known."""
        mechanism, h = setting.mechanism, setting.h
        free = mechanism.free
        at, at_first = Placement(mechanism.joints, state.E), state.velocity
        impacts = impacts_of(setting, at, state, points)
        if impacts is not None:
            state = state.with_velocity(impacts.velocity)
        velocity = state.velocity
        target = mechanism_rows(mechanism, state, gamma=setting.takes_back).target
        problem = self.scheme.problem(mechanism, state, h)
        forces = h * free.weight(state), h * free.applied_forces(state).f
        rows = _rows.contact_rows(points, state.E)
        speeds = least_speeds(setting, state, points, rows)
        kick = kicked(setting, at, velocity, problem, forces, points, rows, speeds, target)
        if impacts is not None:
            kick = impacts.before(kick, at_first)

        flown = self.scheme.move(mechanism, state, kick.after, h)
        together = changed(flown, E=projected(mechanism, flown.E)) if setting.projects else flown
        settled, near = separated(setting, together)
        takes_off = state.with_velocity(kick.after)
        work = worked(mechanism, (kick,), (takes_off, flown), settled)
        # What else is in the momentum: the turning of frames, and what an implicit step makes of the forces.
        mass = mechanism.mass(state)
        rest = problem.momentum - mass @ velocity - sum(forces) - (problem.mass - mass) @ kick.after
        work = work._replace(integrator=work.integrator + float(rest @ kick.mean))
        return Taken(settled, near, kick.joints, kick.contacts, work)
