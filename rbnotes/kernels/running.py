"""Runs of the simulator in compiled code, and what they leave, as the reference leaves it.

The compiled step knows its way in ordinary steps; an unusual one is the reference's, after which it goes on.
"""

from __future__ import annotations

import numpy as np

from rbnotes._frozen import known
from rbnotes.arguments import Array
from rbnotes.contact import ContactPoints
from rbnotes.dynamics import WORLD, State, States, no_forces
from rbnotes.kernels._code import code
from rbnotes.kernels._tables import (
    AFTER,
    ANSWERS,
    BEFORE,
    CONTACT,
    CRAMPED,
    CROWDED,
    DONE,
    ENERGY,
    FIRST,
    FORCED,
    GAP,
    IMPULSE,
    MOVED,
    MU,
    NEAR,
    NORMAL,
    OF_CONTACTS,
    OF_FORCES,
    OF_JOINTS,
    OF_MOTION,
    OF_SEPARATION,
    POSITION,
    PUSHES,
    REACH,
    RESIDUAL,
    RESTITUTION,
    SECOND,
    SLOP,
    STEPS,
    SUMS,
    TIME,
    TOLD,
    UNUSUAL,
    WRITTEN,
    A,
    B,
    H,
)
from rbnotes.kernels.answering import Answers, state_of
from rbnotes.kernels.mechanisms import CONTACT_ROOM, PackedWorld
from rbnotes.maximal import ContactRecord, Integrator, Rattle, Trajectory, Work
from rbnotes.maximal.impacts import SIMULTANEOUS
from rbnotes.maximal.stepping import Progress, Setting, Taken
from rbnotes.maximal.trajectory import End, events_of

ROOM = 8
"""Contacts for each body, to begin with."""

IN_A_ROW = 128
"""Most steps between which a user can interrupt."""


def is_ordinary(setting: Setting, integrator: Integrator) -> bool:
    """Whether these options are those that the compiled step takes, but for the friction model."""
    return type(integrator) is Rattle and setting.projects and setting.impacts == SIMULTANEOUS


class Run:
    """A run that is under way."""

    def __init__(self, packed: PackedWorld, setting: Setting, state: State, points: ContactPoints) -> None:
        self.packed, self.setting = packed, setting
        self.count, self.rows = len(state.E), len(packed.rows)
        self.motions, self.energies = [_motion(state)[None]], [np.array([setting.mechanism.energy(state)])]
        self.times = [state.t]
        self.impulses: list[Array] = [np.zeros((0, self.rows))]
        self.works: list[Array] = [np.zeros((0, 5))]
        self.records: list[ContactRecord] = []
        self.empty = _records(np.zeros((0, CONTACT)), np.zeros((1, SUMS)), self.count)[0]
        self.begin(state, points)

    def begin(self, state: State, points: ContactPoints) -> None:
        """Go on from here, with these contacts."""
        pushed = self.setting.friction.last
        self.motion, self.near = _motion(state), _table(points, count=self.count)
        self.pushes = _table(*pushed, count=self.count) if pushed is not None else np.zeros((0, CONTACT))
        self.has_pushed = pushed is not None

    def advance(self, steps: int) -> tuple[int, int]:
        """Take some steps; how many were taken, and how it ended."""
        room = max(ROOM * self.count + ROOM, 2 * len(self.near), 2 * len(self.pushes))
        told = np.zeros(TOLD)
        told[H], told[SLOP], told[REACH] = self.setting.h, self.setting.slop, self.setting.friction.reach
        near, pushes = np.zeros((room, CONTACT)), np.zeros((room, CONTACT))
        near[: len(self.near)], pushes[: len(self.pushes)] = self.near, self.pushes
        told[STEPS], told[NEAR], told[PUSHES] = steps, len(self.near), len(self.pushes)
        told[TIME], told[FORCED] = self.times[-1], self.setting.mechanism.applied is not no_forces
        answers = Answers(self.setting, self.count)
        told[ANSWERS] = answers.address
        states, sums = np.empty((steps, self.count, MOVED)), np.empty((steps, SUMS))
        impulses = np.empty((steps, self.rows))
        records = np.empty((2 * room * min(steps, 32), CONTACT))
        work = np.zeros(self.packed.room + CONTACT_ROOM * room)
        asked = answers.numbers
        arrays = (told, self.motion, near, pushes, states, sums, impulses, records, asked, work)
        ended = code("rattle_steps")(*self.packed[:2], *(each.reshape(-1) for each in arrays))
        if ended == CRAMPED:
            raise AssertionError("a packed world that asks for too little room")
        answers.raise_error()
        done, written = int(told[DONE]), int(told[WRITTEN])
        if done:
            self.near, self.pushes = near[: int(told[NEAR])].copy(), pushes[: int(told[PUSHES])].copy()
            self._keep(states[:done], sums[:done], impulses[:done], records[:written])
        return done, ended

    def _keep(self, states: Array, sums: Array, impulses: Array, records: Array) -> None:
        """Add steps that were taken."""
        self.motions.append(states)
        self.energies.append(sums[:, ENERGY])
        for _ in range(len(states)):
            self.times.append(self.times[-1] + self.setting.h)
        original = np.empty_like(impulses)
        original[:, self.packed.rows] = impulses
        self.impulses.append(original)
        works = np.zeros((len(states), 5))
        for part, of in enumerate((OF_FORCES, OF_JOINTS, OF_CONTACTS, OF_SEPARATION, OF_MOTION)):
            works[:, part] = sums[:, of]
        self.works.append(works)
        self.records += _records(records, sums, self.count) if len(records) else [self.empty] * len(states)
        self.has_pushed |= bool(len(records))

    def step(self, integrator: Integrator) -> None:
        """Take one step as the reference does."""
        self.setting.friction.last = self.pushed
        taken = integrator.take(self.setting, self.state, self.points)
        self._take(taken)
        self.begin(taken.state, taken.points)

    def _take(self, taken: Taken) -> None:
        self.motions.append(_motion(taken.state)[None])
        self.energies.append(np.array([self.setting.mechanism.energy(taken.state)]))
        self.times.append(taken.state.t)
        self.impulses.append(taken.joints[None])
        self.works.append(np.array(taken.work)[None])
        self.records.append(taken.contacts)

    @property
    def state(self) -> State:
        """Where the run is."""
        return state_of(self.motion, self.times[-1])

    @property
    def points(self) -> ContactPoints:
        """Contacts there."""
        return _points(self.near, self.count)

    @property
    def pushed(self) -> tuple[ContactPoints, Array] | None:
        """Where the friction found impulses last, and which."""
        if not self.has_pushed:
            return None
        return _points(self.pushes, self.count), self.pushes[:, IMPULSE:BEFORE]

    def trajectory(self) -> Trajectory:
        """What the run leaves."""
        motions, times = np.concatenate(self.motions), np.array(self.times)
        count = len(motions)
        E, phi = motions[..., :16].reshape(*motions.shape[:2], 4, 4), motions[..., 16:]
        particles, coordinates = np.zeros((count, 0, 3)), np.zeros((count, 0))
        states = States(E, phi, particles, particles, coordinates, coordinates, times)
        return Trajectory(
            states,
            np.concatenate(self.energies),
            np.concatenate(self.impulses),
            tuple(self.records),
            events_of(self.records, self.times[1:]),
            Work(*np.concatenate(self.works).T),
            End(self.points, self.pushed),
        )


def run(
    packed: PackedWorld,
    setting: Setting,
    integrator: Integrator,
    state: State,
    points: ContactPoints,
    steps: int,
    progress: Progress | None,
) -> Trajectory:
    """As :meth:`rbnotes.maximal.World.run`, where :func:`is_ordinary`."""
    whole, done = Run(packed, setting, state, points), 0
    while done < steps:
        taken, ended = whole.advance(1 if progress is not None else min(steps - done, IN_A_ROW))
        done += taken
        if ended == UNUSUAL or (ended == CROWDED and not taken):
            whole.step(integrator)
            done += 1
            taken = 1
        if progress is not None and taken:
            progress(done, steps)
    return whole.trajectory()


def _motion(state: State) -> Array:
    """Poses and twists ``(n, 22)``."""
    return np.concatenate([state.E.reshape(-1, 16), state.phi], axis=1)


def _table(points: ContactPoints, impulses: Array | None = None, count: int = 0) -> Array:
    """Contacts ``(c, 20)``, the world being the last body."""
    table: Array = np.zeros((len(points), CONTACT))
    for column, body in ((A, points.a), (B, points.b)):
        table[:, column] = np.where(body == WORLD, count, body)
    table[:, POSITION:NORMAL], table[:, NORMAL:GAP] = points.position, points.normal
    table[:, GAP], table[:, MU], table[:, RESTITUTION] = points.gap, points.mu, points.restitution
    if impulses is not None:
        table[:, IMPULSE:BEFORE] = impulses
    return table


def _points(table: Array, count: int) -> ContactPoints:
    """Contacts of such a table."""
    bodies = table[:, [A, B]]
    a, b = np.where(bodies == count, WORLD, bodies).astype(np.intp).T
    return known(
        ContactPoints,
        a=a,
        b=b,
        position=table[:, POSITION:NORMAL],
        normal=table[:, NORMAL:GAP],
        gap=table[:, GAP],
        mu=table[:, MU],
        restitution=table[:, RESTITUTION],
    )


def _records(table: Array, sums: Array, count: int) -> list[ContactRecord]:
    """One for each step, of contacts one step after the other."""
    points, start, records = _points(table, count), 0, []
    impulses, before, after = table[:, IMPULSE:BEFORE], table[:, BEFORE:AFTER], table[:, AFTER:]
    for residual, first, second in sums[:, [RESIDUAL, FIRST, SECOND]].tolist():
        end = start + int(first + second)
        own = slice(start, end)
        record = ContactRecord(points[own], impulses[own], before[own], after[own], residual, int(first))
        records.append(record)
        start = end
    return records
