"""Records of steps: contacts and their events, work by cause, and the data to continue a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar, overload

import numpy as np

from rbnotes.arguments import Array, IntArray
from rbnotes.complementarity.residuals import max_or_nan
from rbnotes.contact import BodyPairJacobian, ContactPoints, contact_axes
from rbnotes.contact.body_pair_jacobian import relative_velocities
from rbnotes.dynamics import StepSolution
from rbnotes.unchecked.frozen import construct_unchecked

MIN_SLIP_VELOCITY = 1e-3
"""Smallest velocity of sliding contacts, m/s: smaller velocities are errors of the solver in sticking."""

POINT_FIELDS = tuple(field.name for field in fields(ContactPoints))
"""Names of the arrays of contact points."""

Amount = TypeVar("Amount", float, Array)


class Work(NamedTuple, Generic[Amount]):
    """Work by cause in a step, or in each of T steps ``(T,)``; the sum is the change of energy, J.

    Attributes
    ----------
    applied_forces
        Work ``(T,)`` of the applied forces, J: springs, dampers, muscles, actuators, friction in joints.
    joints
        Work of the joints ``(T,)``, J, which should be zero: an error of the step.
    contacts
        Work of the contacts ``(T,)``, J; negative except for restitution.
    stabilization
        Potential energy ``(T,)`` that the correction of pose errors adds, J.
    integrator
        Gain of kinetic energy that is not work of gravity ``(T,)``, J: an error of the step.
    """

    applied_forces: Amount
    joints: Amount
    contacts: Amount
    stabilization: Amount
    integrator: Amount

    @property
    def total(self) -> Amount:
        """Change of the kinetic energy and of the potential of gravity."""
        return self.applied_forces + self.joints + self.contacts + self.stabilization + self.integrator


class ContactEvent(NamedTuple):
    """Start or end of contact or of slip between two bodies.

    ==================  ======================================================================
    kind                the bodies
    ==================  ======================================================================
    ``contact_begins``  push each other in this step, but did not in the step before
    ``contact_ends``    do not push each other in this step, but did in the step before
    ``slip_begins``     slide on each other; they did not touch or did not slide before
    ``stick_begins``    touch without sliding; they did not touch or slid before
    ==================  ======================================================================

    A contact that begins slips or sticks, too: its second event has the same time.

    Attributes
    ----------
    time
        End of the step of the event, s.
    kind
        ``"contact_begins"``, ``"contact_ends"``, ``"slip_begins"`` or ``"stick_begins"``.
    a
        Index of one body, or :data:`~rbnotes.dynamics.WORLD`.
    b
        Index of the other body.
    """

    time: float
    kind: str
    a: int
    b: int


@dataclass(frozen=True, eq=False)
class ContactRecord:
    """Contacts of one step in the order of time: those at its start, then those at its end.

    If bodies rebound, the contacts at the start are listed twice: with the impulses of the impacts, then with
    those under the forces. A step that was halved also has contacts between them. The columns are the normal
    and the two tangents of :func:`rbnotes.contact.tangent_directions`.

    Attributes
    ----------
    points
        Contact points.
    impulses
        Impulses on body a ``(c, 3)``, N s; those on body b are opposite.
    velocities_before
        Velocities of a relative to b before the impulses ``(c, 3)``, m/s.
    velocities_after
        Velocities of a relative to b after the impulses ``(c, 3)``, m/s.
    residual
        Relative residual of the friction model, by its own measure; the largest one of the solutions.
    step_fractions
        Times of the contacts ``(c,)`` as fractions of the step, dimensionless: 0 at its start, 1 at its end.
    """

    points: ContactPoints
    impulses: Array
    velocities_before: Array
    velocities_after: Array
    residual: float
    step_fractions: Array

    @property
    def world_impulses(self) -> Array:
        """Impulses on body a in world coordinates ``(c, 3)``, N s."""
        result: Array = np.einsum("ck,cki->ci", self.impulses, contact_axes(self.points.normal))
        return result

    @property
    def work(self) -> Array:
        """Work of each contact ``(c,)``: impulse times mean velocity, J."""
        result: Array = np.sum(self.impulses * (self.velocities_before + self.velocities_after), axis=1) / 2
        return result

    @property
    def max_overlap(self) -> float:
        """Largest overlap, zero if there is none, m."""
        return float(np.max(-self.points.gap, initial=0.0))


@dataclass(frozen=True, eq=False)
class ContactRecords(Sequence[ContactRecord]):
    """Records of the contacts of T steps, a sequence whose items are created when they are read.

    Attributes
    ----------
    points
        Contact points of all steps, one step after the other.
    impulses, velocities_before, velocities_after
        Impulses, N s, and velocities, m/s, as in :class:`ContactRecord` ``(c, 3)``.
    step_fractions
        Times of the contacts as fractions of their steps ``(c,)``, dimensionless.
    residuals
        Residual of each step ``(T,)``, dimensionless.
    counts
        Number of contacts of each step ``(T,)``, dimensionless.
    """

    points: ContactPoints
    impulses: Array
    velocities_before: Array
    velocities_after: Array
    step_fractions: Array
    residuals: Array
    counts: IntArray

    @cached_property
    def _starts(self) -> list[int]:
        """First contact of each step, and the number of contacts."""
        starts: list[int] = np.append(0, np.cumsum(self.counts)).tolist()
        return starts

    @property
    def max_overlaps(self) -> Array:
        """Largest overlap of each step ``(T,)``, m."""
        return np.array([record.max_overlap for record in self])

    def __len__(self) -> int:
        return len(self.residuals)

    @overload
    def __getitem__(self, index: int) -> ContactRecord: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[ContactRecord, ...]: ...

    def __getitem__(self, index: int | slice) -> ContactRecord | tuple[ContactRecord, ...]:
        """Return the record of a step, or a tuple of those of several steps."""
        steps = range(len(self))[index]
        return tuple(map(self._record, steps)) if isinstance(steps, range) else self._record(steps)

    def __iter__(self) -> Iterator[ContactRecord]:
        return map(self._record, range(len(self)))

    def _record(self, step: int) -> ContactRecord:
        """Return the record of a step, not negative."""
        own = slice(self._starts[step], self._starts[step + 1])
        return construct_unchecked(
            ContactRecord,
            points=self.points[own],
            impulses=self.impulses[own],
            velocities_before=self.velocities_before[own],
            velocities_after=self.velocities_after[own],
            residual=float(self.residuals[step]),
            step_fractions=self.step_fractions[own],
        )


class RestartData(NamedTuple):
    """Data that a step takes from the previous one, in addition to the state.

    Attributes
    ----------
    points
        Contacts at the start of the next step.
    last_impulses
        Last contacts of the friction model, with their impulses in world coordinates ``(c, 3)``.
    """

    points: ContactPoints
    last_impulses: tuple[ContactPoints, Array] | None


def record_contacts(
    points: ContactPoints, rows: BodyPairJacobian, before: Array, solution: StepSolution
) -> ContactRecord:
    """Return the contact record of a velocity update; ``before (6 n,)`` are the twists at its start."""
    old, new = (relative_velocities(rows, twists) for twists in (before, solution.velocity))
    return ContactRecord(
        points, solution.contact_impulses, old, new, solution.residual, np.zeros(len(points))
    )


def single_contact_record(record: ContactRecord) -> ContactRecords:
    """Return the record of one step as a sequence."""
    return ContactRecords(
        record.points,
        record.impulses,
        record.velocities_before,
        record.velocities_after,
        record.step_fractions,
        np.array([record.residual]),
        np.array([len(record.points)]),
    )


def join_contact_records(parts: Sequence[ContactRecords]) -> ContactRecords:
    """Return the records of consecutive runs as one sequence."""
    names = [field.name for field in fields(ContactRecords)[1:]]
    return ContactRecords(
        _join_points([each.points for each in parts]),
        *(np.concatenate([getattr(each, name) for each in parts]) for name in names),
    )


def _join_points(parts: Sequence[ContactPoints]) -> ContactPoints:
    """Return several contact points as one."""
    return ContactPoints(*(np.concatenate([getattr(each, name) for each in parts]) for name in POINT_FIELDS))


def merge_contact_records(
    first: ContactRecord, second: ContactRecord, first_fractions: Array, second_fractions: Array
) -> ContactRecord:
    """Return the contacts of two parts of a step as one record, with their times in that step."""
    points = _join_points([first.points, second.points])
    impulses, before, after = (
        np.concatenate([getattr(each, name) for each in (first, second)])
        for name in ("impulses", "velocities_before", "velocities_after")
    )
    residual = max_or_nan(first.residual, second.residual)
    step_fractions = np.concatenate([first_fractions, second_fractions])
    return ContactRecord(points, impulses, before, after, residual, step_fractions)


def contact_events(records: Sequence[ContactRecord], ends: Sequence[float]) -> tuple[ContactEvent, ...]:
    """Return the events between pairs of bodies, from the records of steps and the times at their ends."""
    old_pairs: dict[tuple[int, int], bool] = {}
    events = []
    for end, record in zip(ends, records, strict=True):
        pairs = _touching_pairs(record)
        events += [ContactEvent(end, "contact_ends", *pair) for pair in old_pairs if pair not in pairs]
        for pair, is_sliding in pairs.items():
            if pair not in old_pairs:
                events.append(ContactEvent(end, "contact_begins", *pair))
            if old_pairs.get(pair) is not is_sliding:
                events.append(ContactEvent(end, "slip_begins" if is_sliding else "stick_begins", *pair))
        old_pairs = pairs
    return tuple(events)


def _touching_pairs(record: ContactRecord) -> dict[tuple[int, int], bool]:
    """Return the pairs of bodies with impulses, and True for those that slide in their last contacts."""
    if not len(record.impulses):
        return {}
    is_sliding = np.linalg.norm(record.velocities_after[:, 1:], axis=1) > MIN_SLIP_VELOCITY
    contacts = np.flatnonzero(record.impulses[:, 0] > 0)
    columns = (record.points.a, record.points.b, record.step_fractions, is_sliding)
    last: dict[tuple[int, int], tuple[float, bool]] = {}
    for a, b, fraction, slides in zip(*(each[contacts].tolist() for each in columns), strict=True):
        # True is larger than False: a pair slides if one of its contacts at the last time does.
        last[a, b] = max(last.get((a, b), (fraction, slides)), (fraction, slides))
    return {pair: slides for pair, (_, slides) in last.items()}
