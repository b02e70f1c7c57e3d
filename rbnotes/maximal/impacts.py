"""Impacts one after the other, as through a row of balls: what the simulator does with them if asked to.

Newton's law of impact at all contacts at once, the default, lets a row of touching balls spread when one hits
it: the energy and the momentum are kept, but the last ball does not fly off alone. The other extreme is a
sequence: the two bodies that approach fastest meet, all others wait; then those that approach fastest now;
until nothing does. Each impact keeps the momentum, and the energy as far as its coefficient of restitution
says. Impacts that are equally fast happen at once, so that what is symmetric stays so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbnotes._frozen import known
from rbnotes.arguments import Array
from rbnotes.contact import ContactPoints, Contacts, _rows
from rbnotes.contact.nearby import resting_speed
from rbnotes.contact.pair_rows import velocities_along
from rbnotes.dynamics import BilateralRows, State, StepProblem
from rbnotes.errors import NotConverged
from rbnotes.maximal.placement import Placement
from rbnotes.maximal.stepping import Kick, Setting, bounced

SIMULTANEOUS, SEQUENTIAL = "simultaneous", "sequential"
IMPACTS = (SIMULTANEOUS, SEQUENTIAL)
"""What may be asked for."""

EQUALLY_FAST = 1e-6
"""Relative difference of speeds of impacts that happen at once; slower ones than this part of the first are
left to the step."""

MANY = 1000
"""Impacts of one step and contact: more are an error."""


class Impacts(NamedTuple):
    """What a sequence of impacts did."""

    velocity: Array
    """Velocities after it ``(6 n,)``."""
    joints: Array
    """Impulses along the rows of the joints ``(m,)``."""
    contacts: Array
    """Impulses at the contacts ``(c, 3)``."""

    def before(self, kick: Kick, velocity: Array) -> Kick:
        """The kick that began with these impacts, at the velocities ``(6 n,)`` from before them."""
        contacts = replace(
            kick.contacts,
            impulses=kick.contacts.impulses + self.contacts,
            before=velocities_along(kick.contact_rows, velocity),
        )
        return kick._replace(before=velocity, joints=kick.joints + self.joints, contacts=contacts)


def impacts_of(setting: Setting, at: Placement, state: State, points: ContactPoints) -> Impacts | None:
    """The impacts at the start of a step in sequence; nothing if there are none, or all are simultaneous.

    Raises
    ------
    NotConverged
        If there is no end of them.
    """
    if setting.impacts != SEQUENTIAL or not np.any(points.restitution > 0):
        return None
    mechanism, h = setting.mechanism, setting.h
    mass = mechanism.mass(state)
    G = at.rows_like(mass)
    rows = _rows.contact_rows(points, at.poses)
    velocity = state.velocity
    joints = known(BilateralRows, rows=G, target=G @ velocity, softness=np.zeros(G.shape[0]))
    result = Impacts(velocity, np.zeros(G.shape[0]), np.zeros((len(points), 3)))
    slow, none = resting_speed(h, mechanism.gravity), result
    for _ in range(MANY * len(points)):
        approach = velocities_along(rows, result.velocity)[:, 0]
        hits = (points.restitution > 0) & (approach < slow) & (points.gap + h * approach <= 0)
        if not np.any(hits):
            return None if result is none else result
        slow = min(slow, EQUALLY_FAST * float(approach[hits].min()))
        now = _fastest(points, approach, hits)
        meeting = points[now]
        problem = StepProblem(mass, mass @ result.velocity).under(
            bilateral=joints,
            contacts=known(
                Contacts,
                rows=_rows.contact_rows(meeting, at.poses),
                mu=meeting.mu,
                normal_target=-meeting.restitution * approach[now],
            ),
        )
        no_fall = np.zeros((len(meeting), 3))  # the weight acts when all have bounced
        solution = bounced(setting, problem, meeting, no_fall)
        contacts = result.contacts.copy()
        contacts[now] += solution.contact_impulses
        result = Impacts(solution.velocity, result.joints + solution.bilateral, contacts)
    raise NotConverged(f"sequential impacts: more than {MANY} at each contact", result.velocity, np.nan)


def _fastest(points: ContactPoints, approach: Array, hits: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """All hitting contacts ``(c,)`` of the pairs of bodies that approach fastest."""
    limit = (1 - EQUALLY_FAST) * float(approach[hits].min())
    first: NDArray[np.bool_] = hits & (approach <= limit)
    of_pairs = (points.a[:, None] == points.a[first]) & (points.b[:, None] == points.b[first])
    result: NDArray[np.bool_] = hits & np.any(of_pairs, axis=1)
    return result
