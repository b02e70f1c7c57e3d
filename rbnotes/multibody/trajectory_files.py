"""Files of trajectories: NumPy archives without pickled objects.

A loaded trajectory continues bit for bit as the saved one. The model is not in the file: it may contain
functions.
"""

from __future__ import annotations

import os
import zipfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument
from rbnotes.contact import ContactPoints
from rbnotes.dynamics import States
from rbnotes.multibody.coordinate_conversion import TreeCoordinates
from rbnotes.multibody.model import Model
from rbnotes.multibody.particle_bodies import particle_trajectory, particles_as_bodies
from rbnotes.multibody.step_records import POINT_FIELDS, ContactRecords, RestartData, Work
from rbnotes.multibody.trajectory import Trajectory, record_channels

FORMAT_NAME, FORMAT_VERSION = "rbnotes trajectory", 7
"""Name and version of the format, the first entry of a file."""

STATE_FIELDS = tuple(field.name for field in fields(States))
RECORD_FIELDS = ("impulses", "velocities_before", "velocities_after", "step_fractions")
OWN_FIELDS = ("energies", "actuator_impulses", "friction_impulses")

Arrays = dict[str, Any]


def save_trajectory(trajectory: Trajectory, path: str | os.PathLike[str]) -> None:
    """Write a trajectory to a file, which :func:`load_trajectory` reads.

    Parameters
    ----------
    trajectory
        Trajectory of a model.
    path
        File to write, such as ``"run.npz"``; the ending is added if it is missing.

    Raises
    ------
    InvalidArgument
        If ``trajectory`` is not a trajectory, or ``path`` no path.
    OSError
        If the file cannot be written.
    """
    arguments.require_instance("trajectory", trajectory, Trajectory)
    arguments.require_instance("path", path, str, os.PathLike)
    recorded = np.array(list(trajectory.recorded), dtype=np.str_)
    if trajectory.with_particles_as_bodies is not None:
        trajectory = trajectory.with_particles_as_bodies
    arrays: Arrays = {
        "format": np.array(f"{FORMAT_NAME} {FORMAT_VERSION}"),
        "bodies": np.array([body.name for body in trajectory.model.bodies]),
        "recorded": recorded,
        "work": np.array(trajectory.work),
        "has_joint_impulses": np.array(trajectory.joint_impulses is not None),
        "compiled": np.array(trajectory.compiled),
        **{name: getattr(trajectory, name) for name in OWN_FIELDS},
        "num_coordinates": np.array(trajectory.model.tree.num_coordinates),
        "has_coordinates": np.array(trajectory.coordinates is not None),
        **_state_arrays("body_states", trajectory.body_states),
        **_record_arrays(trajectory.contacts),
        "num_events": np.array(len(trajectory.events)),
        "has_terminating_event": np.array(trajectory.terminating_event is not None),
        **_point_arrays("restart", trajectory.restart.points),
        "has_last_impulses": np.array(trajectory.restart.last_impulses is not None),
    }
    if trajectory.restart.last_impulses is not None:
        points, impulses = trajectory.restart.last_impulses
        arrays |= {**_point_arrays("last", points), "last.impulses": impulses}
    if trajectory.coordinates is not None:
        arrays |= {"tree_q": trajectory.tree_q, "tree_qdot": trajectory.tree_qdot}
    if trajectory.joint_impulses is not None:
        arrays["joint_impulses"] = trajectory.joint_impulses
    for i, states in enumerate(trajectory.events):
        arrays |= _state_arrays(f"events.{i}", states)
    if trajectory.terminating_event is not None:
        arrays["terminating_event"] = np.array(trajectory.terminating_event)
    np.savez_compressed(path, **arrays)


def load_trajectory(path: str | os.PathLike[str], model: Model) -> Trajectory:
    """Return a trajectory of a model from a file that :func:`save_trajectory` wrote.

    Parameters
    ----------
    path
        File to read.
    model
        Model of the trajectory, as it was when it was simulated.

    Raises
    ------
    InvalidArgument
        If the file is not a trajectory, has another version of the format, or is of a model with other bodies
        or joints.
    OSError
        If the file cannot be read.
    """
    arguments.require_instance("path", path, str, os.PathLike)
    arguments.require_instance("model", model, Model)
    try:
        with Path(path).open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            arrays: Arrays = {name: file[name] for name in file.files}
    except (ValueError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise InvalidArgument("path", f"not an archive ({error})", "a saved trajectory") from None
    _check_format(str(arrays.get("format", "")))
    bodies_only = particles_as_bodies(model)
    names, count = [body.name for body in bodies_only.bodies], bodies_only.tree.num_coordinates
    if arrays["bodies"].tolist() != names or arrays["num_coordinates"] != count:
        got = f"a trajectory of {arrays['bodies'].tolist()} with {arrays['num_coordinates']} coordinates"
        raise InvalidArgument("model", got, f"one of {names} with {count}")
    coordinates = None
    if arrays["has_coordinates"]:
        coordinates = TreeCoordinates(arrays["tree_q"], arrays["tree_qdot"])
    contacts = _records(arrays)
    work = Work(*arrays["work"])
    last = (_points(arrays, "last"), arrays["last.impulses"]) if arrays["has_last_impulses"] else None
    restart = RestartData(_points(arrays, "restart"), last)
    motion = Trajectory(
        model=bodies_only,
        body_states=_states(arrays, "body_states"),
        contacts=contacts,
        work=work,
        restart=restart,
        coordinates=coordinates,
        joint_impulses=arrays["joint_impulses"] if arrays["has_joint_impulses"] else None,
        compiled=bool(arrays["compiled"]),
        events=tuple(_states(arrays, f"events.{i}") for i in range(int(arrays["num_events"]))),
        terminating_event=int(arrays["terminating_event"]) if arrays["has_terminating_event"] else None,
        **{name: arrays[name] for name in OWN_FIELDS},
    )
    if bodies_only is not model:
        motion = particle_trajectory(model, motion)
    return record_channels(motion, arrays["recorded"].tolist())


def _check_format(text: str) -> None:
    """Raise an error for another kind or version of file."""
    name, _, version = text.rpartition(" ")
    if name != FORMAT_NAME or not version.isdigit():
        raise InvalidArgument("path", "an archive of something else", "a saved trajectory")
    if int(version) != FORMAT_VERSION:
        advice = (
            "load it with the release of rbnotes that saved it, or simulate again"
            if int(version) < FORMAT_VERSION
            else "update rbnotes"
        )
        got = f"a trajectory file of version {version}"
        raise InvalidArgument("path", got, f"version {FORMAT_VERSION}: {advice}")


def _state_arrays(prefix: str, states: States) -> Arrays:
    return {f"{prefix}.{name}": getattr(states, name) for name in STATE_FIELDS}


def _states(arrays: Arrays, prefix: str) -> States:
    return States(**{name: arrays[f"{prefix}.{name}"] for name in STATE_FIELDS})


def _point_arrays(prefix: str, points: ContactPoints) -> Arrays:
    return {f"{prefix}.{name}": getattr(points, name) for name in POINT_FIELDS}


def _points(arrays: Arrays, prefix: str) -> ContactPoints:
    return ContactPoints(**{name: arrays[f"{prefix}.{name}"] for name in POINT_FIELDS})


def _record_arrays(records: ContactRecords) -> Arrays:
    """Return the contacts of all steps, one after the other, with their numbers in each step."""
    return {
        "contacts.count": records.counts,
        "contacts.residual": records.residuals,
        **_point_arrays("contacts", records.points),
        **{f"contacts.{name}": getattr(records, name) for name in RECORD_FIELDS},
    }


def _records(arrays: Arrays) -> ContactRecords:
    """Return the contact records of all steps from their concatenated arrays."""
    return ContactRecords(
        points=_points(arrays, "contacts"),
        residuals=arrays["contacts.residual"],
        counts=arrays["contacts.count"],
        **{name: arrays[f"contacts.{name}"] for name in RECORD_FIELDS},
    )
