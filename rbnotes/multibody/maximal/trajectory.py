"""Result of a simulation in maximal coordinates."""

from __future__ import annotations

from dataclasses import dataclass

from rbnotes.arguments import Array
from rbnotes.dynamics import States
from rbnotes.multibody.step_records import ContactRecords, RestartData, Work


@dataclass(frozen=True, eq=False)
class MaximalTrajectory:
    """Motion of n bodies in T steps, with m rows of joints.

    Attributes
    ----------
    states
        Poses ``E (T + 1, n, 4, 4)``, twists ``phi (T + 1, n, 6)`` and times ``t (T + 1,)``, s.
    energies
        Kinetic energy and the potential of gravity ``(T + 1,)``, J.
    joint_coordinates
        Joint coordinates ``(T + 1, k)``, rad or m; k is zero if there are no forces and constraints in joint
        coordinates.
    joint_rates
        Their rates ``(T + 1, k)``, rad/s or m/s.
    joint_impulses
        Impulses along the rows of the joints in each step ``(T, m)``, N m s and N s.
    actuator_impulses
        Impulses of actuators in joint coordinates in each step ``(T, k)``, N m s or N s.
    friction_impulses
        Impulses of dry friction in joints in each step ``(T, k)``, in joint coordinates, N m s or N s.
    contacts
        Record of the contacts of each step ``(T,)``.
    work
        Work by cause in each step ``(T,)``, J: ``energies[1:]`` is ``energies[0] + cumsum(work.total)``.
    restart
        Data that a run needs to continue, in addition to the state.
    compiled
        True if compiled code took the steps.
    """

    states: States
    energies: Array
    joint_coordinates: Array
    joint_rates: Array
    joint_impulses: Array
    actuator_impulses: Array
    friction_impulses: Array
    contacts: ContactRecords
    work: Work[Array]
    restart: RestartData
    compiled: bool = False
