"""Results of consecutive steps in joint coordinates as arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from rbnotes.arguments import Array
from rbnotes.contact import ContactPoints
from rbnotes.dynamics import State, States
from rbnotes.dynamics.state import EMPTY_STATE
from rbnotes.multibody.events import EventOccurrence
from rbnotes.multibody.maximal.stepping import StepResult
from rbnotes.multibody.maximal.trajectory import ContactRecord, Work
from rbnotes.multibody.model import Model
from rbnotes.multibody.reduced.dynamics import (
    gravity_energy_from_poses,
    kinetic_energy_from_twists,
    rotor_energy_from_rates,
)
from rbnotes.multibody.reduced.kinematics import body_poses_and_twists
from rbnotes.unchecked.frozen import replace_unchecked


class StepSeries(NamedTuple):
    """Results of T consecutive steps of a tree with k coordinates.

    Attributes
    ----------
    q
        Coordinates after each step ``(T, k)``.
    qdot
        Velocities after each step ``(T, k)``.
    t
        Times ``(T,)``, s.
    E
        Poses of the bodies ``(T, n, 4, 4)``, m.
    phi
        Twists of the bodies ``(T, n, 6)``, rad/s and m/s.
    energies
        Kinetic energy and the potential of gravity ``(T,)``, J.
    points
        Contacts at the end of the last step.
    contacts
        Contacts of each step.
    work
        Work by cause in each step ``(5, T)``, J, in the order of
        :class:`~rbnotes.multibody.maximal.trajectory.Work`.
    actuator_impulses
        Impulses of the actuators ``(T, k)``, N m s or N s.
    friction_impulses
        Impulses of dry friction in joints ``(T, k)``, N m s or N s.
    events
        Events in the steps, in the order of time.
    """

    q: Array
    qdot: Array
    t: Array
    E: Array
    phi: Array
    energies: Array
    points: ContactPoints
    contacts: tuple[ContactRecord, ...]
    work: Array
    actuator_impulses: Array
    friction_impulses: Array
    events: tuple[EventOccurrence, ...] = ()

    @classmethod
    def of_step(cls, model: Model, result: StepResult) -> StepSeries:
        """Return the series of one step."""
        q, qdot = result.state.q[None], result.state.qdot[None]
        E, phi = body_poses_and_twists(model.tree, q, qdot)
        return cls(
            q,
            qdot,
            np.array([result.state.t]),
            E,
            phi,
            gravity_and_kinetic_energy(model, E, phi, qdot),
            result.points,
            (result.contacts,),
            np.array(result.work)[:, None],
            result.actuator_impulse[None],
            result.friction_impulse[None],
        )

    @classmethod
    def join(cls, series: Iterable[StepSeries]) -> StepSeries:
        """Return consecutive series as one."""
        parts = list(series)

        def joined(name: str) -> Array:
            result: Array = np.concatenate([getattr(each, name) for each in parts])
            return result

        return cls(
            joined("q"),
            joined("qdot"),
            joined("t"),
            joined("E"),
            joined("phi"),
            joined("energies"),
            parts[-1].points,
            tuple(chain.from_iterable(each.contacts for each in parts)),
            np.concatenate([each.work for each in parts], axis=1),
            joined("actuator_impulses"),
            joined("friction_impulses"),
            tuple(chain.from_iterable(each.events for each in parts)),
        )

    @property
    def work_by_cause(self) -> Work[Array]:
        """Work by cause in each step ``(T,)``, J."""
        return Work(*self.work)

    @property
    def last_state(self) -> State:
        """State of the tree after the last step."""
        return replace_unchecked(EMPTY_STATE, q=self.q[-1], qdot=self.qdot[-1], t=float(self.t[-1]))


def take_steps(
    model: Model,
    step: Callable[[State, ContactPoints], StepResult],
    state: State,
    points: ContactPoints,
    count: int,
) -> Iterator[StepSeries]:
    """Yield the results of steps, each from the state and the contacts at the end of the last one."""
    for _ in range(count):
        result = step(state, points)
        state, points = result.state, result.points
        yield StepSeries.of_step(model, result)


def gravity_and_kinetic_energy(model: Model, poses: Array, phi: Array, qdot: Array) -> Array:
    """Return the kinetic energy and the potential of gravity ``(...)`` of poses, twists and velocities, J.

    `qdot` are the velocities of the tree ``(..., k)``, for the rotors of its joints.
    """
    kinetic = kinetic_energy_from_twists(model.tree, phi)
    rotors = rotor_energy_from_rates(model.tree.armature, qdot)
    result: Array = kinetic + rotors + gravity_energy_from_poses(model.tree, poses)
    return result


def gravity_and_kinetic_energies(model: Model, states: Sequence[State]) -> Array:
    """Return the kinetic energy and the potential of gravity at states of the tree ``(n,)``, J."""
    stacked = States.stack(states)
    bodies = body_poses_and_twists(model.tree, stacked.q, stacked.qdot)
    return gravity_and_kinetic_energy(model, *bodies, stacked.qdot)
