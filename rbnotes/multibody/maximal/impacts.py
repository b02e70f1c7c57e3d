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

from rbnotes.arguments import Array
from rbnotes.contact import ContactPoints, Contacts, unchecked
from rbnotes.contact.body_pair_jacobian import relative_velocities
from rbnotes.contact.prediction import restitution_threshold
from rbnotes.dynamics import BilateralRows, State, StepProblem
from rbnotes.errors import NotConverged
from rbnotes.multibody.maximal.joint_kinematics import JointKinematics
from rbnotes.multibody.maximal.stepping import Kick, Setting, solve_contacts
from rbnotes.unchecked.frozen import construct_unchecked

SIMULTANEOUS, SEQUENTIAL = "simultaneous", "sequential"
IMPACT_MODES = (SIMULTANEOUS, SEQUENTIAL)
"""What may be asked for."""

SIMULTANEITY_TOLERANCE = 1e-6
"""Relative difference of speeds of impacts that happen at once; slower ones than this part of the first are
left to the step."""

MAX_IMPACTS_PER_CONTACT = 1000
"""Impacts of one step and contact: more are an error."""


class ImpactSequence(NamedTuple):
    """What a sequence of impacts did."""

    velocity: Array
    """Velocities after it ``(6 n,)``."""
    joints: Array
    """Impulses along the rows of the joints ``(m,)``."""
    contacts: Array
    """Impulses at the contacts ``(c, 3)``."""

    def prepend_to(self, kick: Kick, velocity: Array) -> Kick:
        """The kick that began with these impacts, at the velocities ``(6 n,)`` from before them."""
        contacts = replace(
            kick.contacts,
            impulses=kick.contacts.impulses + self.contacts,
            velocities_before=relative_velocities(kick.contact_rows, velocity),
        )
        return kick._replace(before=velocity, joints=kick.joints + self.joints, contacts=contacts)


def solve_sequential_impacts(
    setting: Setting, kinematics: JointKinematics, state: State, points: ContactPoints
) -> ImpactSequence | None:
    """The impacts at the start of a step in sequence; nothing if there are none, or all are simultaneous.

    Raises
    ------
    NotConverged
        If there is no end of them.
    """
    if setting.impacts != SEQUENTIAL or not np.any(points.restitution > 0):
        return None
    mechanism, h = setting.mechanism, setting.h
    mass = mechanism.mass_matrix(state)
    G = kinematics.constraint_matrix_like(mass)
    rows = unchecked.contact_jacobian(points, kinematics.poses)
    velocity = state.velocity
    joints = construct_unchecked(
        BilateralRows, rows=G, target=G @ velocity, regularization=np.zeros(G.shape[0])
    )
    result = ImpactSequence(velocity, np.zeros(G.shape[0]), np.zeros((len(points), 3)))
    threshold, no_impacts = restitution_threshold(h, mechanism.gravity), result
    for _ in range(MAX_IMPACTS_PER_CONTACT * len(points)):
        approach = relative_velocities(rows, result.velocity)[:, 0]
        is_hitting = (points.restitution > 0) & (approach < threshold) & (points.gap + h * approach <= 0)
        if not np.any(is_hitting):
            return None if result is no_impacts else result
        threshold = min(threshold, SIMULTANEITY_TOLERANCE * float(approach[is_hitting].min()))
        is_fastest = _fastest_pairs(points, approach, is_hitting)
        hit_points = points[is_fastest]
        problem = StepProblem(mass, mass @ result.velocity).with_constraints(
            bilateral=joints,
            contacts=construct_unchecked(
                Contacts,
                rows=unchecked.contact_jacobian(hit_points, kinematics.poses),
                mu=hit_points.mu,
                normal_target=-hit_points.restitution * approach[is_fastest],
            ),
        )
        no_velocity_change = np.zeros((len(hit_points), 3))  # the weight acts when all have bounced
        solution = solve_contacts(setting, problem, hit_points, no_velocity_change)
        contacts = result.contacts.copy()
        contacts[is_fastest] += solution.contact_impulses
        result = ImpactSequence(solution.velocity, result.joints + solution.bilateral, contacts)
    raise NotConverged(
        f"sequential impacts: more than {MAX_IMPACTS_PER_CONTACT} at each contact", result.velocity, np.nan
    )


def _fastest_pairs(
    points: ContactPoints, approach: Array, is_hitting: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """All hitting contacts ``(c,)`` of the pairs of bodies that approach fastest."""
    limit = (1 - SIMULTANEITY_TOLERANCE) * float(approach[is_hitting].min())
    is_fastest: NDArray[np.bool_] = is_hitting & (approach <= limit)
    same_pair = (points.a[:, None] == points.a[is_fastest]) & (points.b[:, None] == points.b[is_fastest])
    result: NDArray[np.bool_] = is_hitting & np.any(same_pair, axis=1)
    return result
