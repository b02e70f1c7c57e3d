"""Sequential impacts, as through a row of balls.

Newton's law of impact at all contacts at once, the default, lets a row of touching balls spread when one hits
it: energy and momentum are conserved, but the last ball does not separate alone. The other extreme is a
sequence: the two bodies with the largest approach velocity collide first, then those with the largest
velocity after that, until no bodies approach. Each impact conserves the momentum, and its coefficient of
restitution determines the energy. Impacts with equal velocities happen at once, which preserves symmetry.
The same sequence serves maximal and joint coordinates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rbnotes.arguments import Array, BoolArray, Matrix
from rbnotes.complementarity.residuals import max_or_nan
from rbnotes.contact import BodyPairJacobian, ContactPoints, Contacts
from rbnotes.contact.prediction import restitution_threshold
from rbnotes.dynamics import BilateralRows, StepProblem
from rbnotes.errors import NotConverged
from rbnotes.multibody.maximal.stepping import VelocityUpdate, solve_contacts
from rbnotes.multibody.step_records import ContactRecord
from rbnotes.multibody.step_settings import SEQUENTIAL, StepSettings
from rbnotes.unchecked.frozen import construct_unchecked

SIMULTANEITY_TOLERANCE = 1e-6
"""Relative difference of velocities of simultaneous impacts. Impacts slower than this part of the first are
left to the step.
"""

MAX_IMPACTS_PER_CONTACT = 1000
"""Largest number of impacts of one step for each contact; more are an error."""


ContactRows = BodyPairJacobian | Array
"""Rows of contacts: on the twists of bodies, or ``(3 c, N)`` on other velocities."""


class ImpactSequence(NamedTuple):
    """Result of a sequence of impacts.

    Attributes
    ----------
    velocity
        Velocities after the sequence ``(N,)``.
    multipliers
        Impulses along the rows of the equations ``(m,)``.
    contacts
        Impulses at the contacts ``(c, 3)``.
    residual
        Largest relative residual of the friction model.
    """

    velocity: Array
    multipliers: Array
    contacts: Array
    residual: float

    def velocity_update(
        self, points: ContactPoints, rows: ContactRows, velocity: Array, G: Matrix, num_coordinates: int
    ) -> VelocityUpdate:
        """Return the sequence as one update.

        Parameters
        ----------
        rows, velocity, G
            Arguments of :func:`solve_sequential_impacts`.
        num_coordinates
            Number of the joint coordinates in which actuators act.
        """
        no_force, no_joint_impulse = np.zeros(len(velocity)), np.zeros(num_coordinates)
        return VelocityUpdate(
            before=velocity,
            after=self.velocity,
            gravity_impulse=no_force,
            applied_impulse=no_force,
            actuator_impulse=no_joint_impulse,
            friction_impulse=no_joint_impulse,
            constraint_impulse=G.T @ self.multipliers,
            multipliers=self.multipliers,
            contacts=ContactRecord(
                points,
                self.contacts,
                _contact_velocities(rows, velocity),
                _contact_velocities(rows, self.velocity),
                self.residual,
                np.zeros(len(points)),
            ),
        )


def may_have_sequential_impacts(settings: StepSettings, points: ContactPoints) -> bool:
    """Return True if impacts are sequential and contacts can bounce."""
    return settings.impacts == SEQUENTIAL and bool(np.any(points.restitution > 0))


def solve_sequential_impacts(
    settings: StepSettings,
    points: ContactPoints,
    rows: ContactRows,
    mass: Matrix,
    G: Matrix,
    velocity: Array,
    gravity: Array,
) -> ImpactSequence | None:
    """Return the impacts at the start of a step in sequence; None if there are none, or all are simultaneous.

    The equations hold throughout the sequence; limits act in the step after it.

    Parameters
    ----------
    rows
        Rows of the contacts on the velocities.
    mass
        Mass matrix ``(N, N)``.
    G
        Rows of the equations ``(m, N)``.
    velocity
        Velocities ``(N,)`` at the start of the step.

    Raises
    ------
    NotConverged
        If the sequence does not end.
    """
    if not may_have_sequential_impacts(settings, points):
        return None
    equations = construct_unchecked(
        BilateralRows, rows=G, target=G @ velocity, regularization=np.zeros(G.shape[0])
    )
    result = ImpactSequence(velocity, np.zeros(G.shape[0]), np.zeros((len(points), 3)), 0.0)
    threshold, no_impacts = restitution_threshold(settings.h, gravity), result
    for _ in range(MAX_IMPACTS_PER_CONTACT * len(points)):
        approach = _contact_velocities(rows, result.velocity)[:, 0]
        closes = points.gap + settings.h * approach <= 0
        is_hitting = (points.restitution > 0) & (approach < threshold) & closes
        if not np.any(is_hitting):
            return None if result is no_impacts else result
        threshold = min(threshold, SIMULTANEITY_TOLERANCE * float(approach[is_hitting].min()))
        is_fastest = _fastest_pairs(points, approach, is_hitting)
        hit_points = points[is_fastest]
        problem = StepProblem(mass, mass @ result.velocity).with_constraints(
            bilateral=equations,
            contacts=construct_unchecked(
                Contacts,
                rows=_select_contacts(rows, is_fastest),
                mu=hit_points.mu,
                normal_target=-hit_points.restitution * approach[is_fastest],
            ),
        )
        solution = solve_contacts(settings.friction, problem, hit_points)
        contacts = result.contacts.copy()
        contacts[is_fastest] += solution.contact_impulses
        result = ImpactSequence(
            solution.velocity,
            result.multipliers + solution.bilateral,
            contacts,
            max_or_nan(result.residual, solution.residual),
        )
    raise NotConverged(
        f"sequential impacts: more than {MAX_IMPACTS_PER_CONTACT} at each contact", result.velocity, np.nan
    )


def _contact_velocities(rows: ContactRows, velocity: Array) -> Array:
    """Return the velocities of contacts ``(c, 3)``."""
    result: Array = (rows @ velocity).reshape(-1, 3)
    return result


def _select_contacts(rows: ContactRows, mask: BoolArray) -> ContactRows:
    """Return the rows of the contacts that a mask ``(c,)`` selects."""
    return rows.select_groups(mask) if isinstance(rows, BodyPairJacobian) else rows[np.repeat(mask, 3)]


def _fastest_pairs(points: ContactPoints, approach: Array, is_hitting: BoolArray) -> BoolArray:
    """Return a mask ``(c,)`` of the closing contacts of the pairs of bodies that approach fastest."""
    limit = (1 - SIMULTANEITY_TOLERANCE) * float(approach[is_hitting].min())
    is_fastest: BoolArray = is_hitting & (approach <= limit)
    same_pair = (points.a[:, None] == points.a[is_fastest]) & (points.b[:, None] == points.b[is_fastest])
    result: BoolArray = is_hitting & np.any(same_pair, axis=1)
    return result
