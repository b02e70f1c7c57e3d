"""What a simulation leaves behind: states, energies, impulses, contacts and events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np

from rbnotes.arguments import Array
from rbnotes.complementarity.residuals import max_or_nan
from rbnotes.contact import BodyPairJacobian, ContactPoints, contact_axes
from rbnotes.contact.body_pair_jacobian import relative_velocities
from rbnotes.dynamics import State, States, StepSolution

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rbnotes.contact import Collider
    from rbnotes.shapes import Solid
    from rbnotes.viewer import Scene

DEFAULT_VIEW = (-1.0, 0.4)
"""From where a scene is seen unless it says otherwise: azimuth and elevation, rad."""

SLIDING_SPEED = 1e-3
"""Contacts slide from this speed on, m/s: below it is what a solver's tolerance leaves of sticking."""


Amount = TypeVar("Amount", float, Array)


class Work(NamedTuple, Generic[Amount]):
    """What changed the energy in a step, or in each of T steps ``(T,)``; the sum is the change, J."""

    applied: Amount
    """Work ``(T,)`` of the applied forces, J: springs, dampers, muscles, motors."""
    joints: Amount
    """Of the joints ``(T,)``, J, which should do none: an error of the step."""
    contacts: Amount
    """Of the contacts ``(T,)``, J; below zero but for what restitution gives back."""
    stabilization: Amount
    """Potential energy ``(T,)`` that bodies gain, J, when they are moved back to where they belong."""
    integrator: Amount
    """What the motion gains and the weight does not give ``(T,)``, J: an error of the step."""

    @property
    def total(self) -> Amount:
        """The change of kinetic energy and of the potential of gravity."""
        return self.applied + self.joints + self.contacts + self.stabilization + self.integrator


class ContactEvent(NamedTuple):
    """Something that began or ended at a contact between two bodies."""

    time: float
    """End of the step in which it happened, s."""
    kind: str
    """"made", "broken", "slides" or "sticks"."""
    a: int
    """Number of one body, or :data:`~rbnotes.dynamics.WORLD`."""
    b: int
    """Number of the other."""


@dataclass(frozen=True, eq=False)
class ContactRecord:
    """The contacts of one step: those at its start, and after them those at its end if they push there, too.

    Columns: along the normal, along the two tangents of :func:`rbnotes.contact.tangent_directions`.
    """

    points: ContactPoints
    """Where."""
    impulses: Array
    """On body a, and opposite on body b ``(c, 3)``, N s."""
    velocities_before: Array
    """Velocities of a relative to b before the impulses ``(c, 3)``, m/s."""
    velocities_after: Array
    """Those that result ``(c, 3)``, m/s."""
    residual: float = 0.0
    """What the friction model left of its error, relative, by its own measure; the larger one of two
    solutions."""
    num_start_contacts: int = 0
    """From this contact on they are those at the end of the step, if there are such."""

    @property
    def world_impulses(self) -> Array:
        """Impulses on body a in world coordinates ``(c, 3)``, N s."""
        result: Array = np.einsum("ck,cki->ci", self.impulses, contact_axes(self.points.normal))
        return result

    @property
    def work(self) -> Array:
        """What each contact did to the kinetic energy ``(c,)``: impulse times mean velocity, J."""
        result: Array = np.sum(self.impulses * (self.velocities_before + self.velocities_after), axis=1) / 2
        return result

    @property
    def max_overlap(self) -> float:
        """The deepest overlap, zero if there is none, m."""
        return float(np.max(-self.points.gap, initial=0.0))


class RestartData(NamedTuple):
    """What a step takes from the one before besides its state."""

    points: ContactPoints
    """Contacts that it starts with."""
    last_impulses: tuple[ContactPoints, Array] | None
    """Where the friction model found impulses last, and which, in world coordinates ``(c, 3)``."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Motion of n bodies in T steps, with m rows of joints."""

    states: States
    """Poses ``E (T + 1, n, 4, 4)``, twists ``phi (T + 1, n, 6)`` and times ``t (T + 1,)``, s."""
    energies: Array
    """Kinetic energy and the potential of gravity ``(T + 1,)``, J."""
    joint_impulses: Array
    """Along the rows of the joints where they act, in each step ``(T, m)``, N m s and N s."""
    contacts: tuple[ContactRecord, ...]
    """One record a step ``(T,)``."""
    events: tuple[ContactEvent, ...]
    """In order of time."""
    work: Work[Array]
    """What changed the energy in each step, each ``(T,)``, J: ``energies[0] + cumsum(work.total)`` are the
    others."""
    restart: RestartData
    """What the next step starts with besides its state, for :func:`~rbnotes.multibody.maximal.simulate` to go on."""

    @property
    def max_overlaps(self) -> Array:
        """Deepest overlap of the contacts of each step ``(T,)``, m."""
        return np.array([record.max_overlap for record in self.contacts])

    def scene(
        self,
        shapes: Sequence[Solid | Collider],
        description: str = "The motion of the bodies.",
        *,
        colors: Sequence[str] | None = None,
        view: tuple[float, float] = DEFAULT_VIEW,
    ) -> Scene:
        """The motion as a 3-D scene that plays; more can be added to it.

        Parameters
        ----------
        shapes
            A solid for each body, or colliders, such as those of a world: what weighs or touches is what is
            drawn. A body without a shape is drawn as its axes, a rounded box as the box around it.
        description
            What the scene shows, in a sentence, for readers who cannot see it.
        colors
            Of the bodies, by name; of many bodies these in turn. What the world carries is grey.
        view
            Direction to the camera: azimuth about z from x, and elevation, rad.

        Raises
        ------
        InvalidArgument
            If there are solids, but not one for each body, a collider of a body that is not there, or no
            such colour, or the shape of ``view`` does not fit.
        """
        from rbnotes.multibody.maximal._visualization import COLORS, scene

        return scene(self.states, shapes, description, COLORS if colors is None else colors, view)

    def energy_figure(self, stored_energy: Callable[[State], float] | None = None) -> tuple[Figure, Axes]:
        """A figure of the energies over time, and its axes: what there is, what was given and what was lost.

        Needs matplotlib, which comes with the extra ``book``.

        Parameters
        ----------
        stored
            Energy that springs and muscles store at a state, J: ``energy`` of the applied
            :class:`~rbnotes.forces.ForceGroups`. Without it their work is one curve with that of dampers.

        Raises InvalidArgument if ``stored_energy`` is no function.
        """
        from rbnotes.multibody.maximal._visualization import energy_figure

        return energy_figure(self.states, self.energies, self.work._asdict(), stored_energy)


def record_contacts(
    points: ContactPoints, rows: BodyPairJacobian, before: Array, solution: StepSolution
) -> ContactRecord:
    """What a step's contacts did; ``before (6 n,)`` are the twists at its start."""
    old, new = (relative_velocities(rows, twists) for twists in (before, solution.velocity))
    return ContactRecord(points, solution.contact_impulses, old, new, solution.residual)


def merge_contact_records(first: ContactRecord, second: ContactRecord) -> ContactRecord:
    """The contacts of both halves of a step."""
    points = ContactPoints(
        *(
            np.concatenate([getattr(each.points, part.name) for each in (first, second)])
            for part in fields(ContactPoints)
        )
    )
    impulses, before, after = (
        np.concatenate([getattr(each, name) for each in (first, second)])
        for name in ("impulses", "velocities_before", "velocities_after")
    )
    residual = max_or_nan(first.residual, second.residual)
    return ContactRecord(points, impulses, before, after, residual, num_start_contacts=len(first.points))


def contact_events(records: Sequence[ContactRecord], ends: Sequence[float]) -> tuple[ContactEvent, ...]:
    """What began and ended between pairs of bodies, from the records of steps and the times at their ends."""
    sliding_before: dict[tuple[int, int], bool] = {}
    events = []
    for end, record in zip(ends, records, strict=True):
        sliding_after = _pushing_pairs(record)
        events += [ContactEvent(end, "broken", *pair) for pair in sliding_before if pair not in sliding_after]
        for pair, slides in sliding_after.items():
            if pair not in sliding_before:
                events.append(ContactEvent(end, "made", *pair))
            if sliding_before.get(pair) is not slides:
                events.append(ContactEvent(end, "slides" if slides else "sticks", *pair))
        sliding_before = sliding_after
    return tuple(events)


def _pushing_pairs(record: ContactRecord) -> dict[tuple[int, int], bool]:
    """Pairs of bodies that push on each other, and whether they slide where they do it last."""
    if not len(record.impulses):
        return {}
    slides = np.linalg.norm(record.velocities_after[:, 1:], axis=1) > SLIDING_SPEED
    halves: list[dict[tuple[int, int], bool]] = [{}, {}]
    pushing = np.flatnonzero(record.impulses[:, 0] > 0)
    columns = [each[pushing].tolist() for each in (record.points.a, record.points.b, slides)]
    for late, a, b, sliding in zip((pushing >= record.num_start_contacts).tolist(), *columns, strict=True):
        pairs = halves[late]
        pairs[a, b] = pairs.get((a, b), False) or sliding
    return halves[0] | halves[1]
