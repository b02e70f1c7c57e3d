"""Quantities of a simulation by name, as arrays over time with units.

:meth:`rbnotes.multibody.Trajectory.channel` lists the names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.multibody.body import Body
from rbnotes.multibody.model import Model

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MODEL_CHANNELS = ("energy", "contacts")
"""Channels of the whole model."""

BODY_CHANNELS = ("velocity", "angular_velocity", "contact_force", "contact_torque")
"""Channels of each body, besides its position."""

DIRECTIONS = ("x", "y", "z")
"""Labels of vectors in the world."""


@dataclass(frozen=True, eq=False)
class Channel:
    """A quantity over time; :meth:`rbnotes.multibody.Trajectory.channel` returns it.

    Attributes
    ----------
    name
        Name, as for :meth:`rbnotes.multibody.Trajectory.channel`.
    t
        Times ``(N,)``, s: those of the states, or the ends of the steps for means over steps.
    values
        Values ``(N, d)``, or ``(N,)`` for a single quantity, in the unit :attr:`unit`.
    unit
        Unit of the values; empty for numbers.
    labels
        Names of the d columns.
    """

    name: str
    t: Array
    values: Array
    unit: str
    labels: tuple[str, ...] = ()


def particle_name(number: int) -> str:
    """Return the name of a particle in channels and messages."""
    return f"particle[{number}]"


def channel_names(model: Model) -> tuple[str, ...]:
    """Return the names of all channels of simulations of a model.

    Raises InvalidArgument if ``model`` is not a ``Model``.
    """
    arguments.require_instance("model", model, Model)
    names = list(MODEL_CHANNELS)
    for body in model.bodies:
        names += [body.name, *(f"{body.name}.{each}" for each in BODY_CHANNELS)]
        if not body.is_free:
            names += [f"{body.name}.{each}" for each in ("q", "qdot", _force_name(body), "friction")]
    for number in range(len(model.particles)):
        names += [particle_name(number), f"{particle_name(number)}.velocity"]
    return tuple(names)


def check_channel_names(name: str, channels: Sequence[str], model: Model) -> tuple[str, ...]:
    """Return the names of channels as a tuple.

    Raises
    ------
    InvalidArgument
        If the model has no such channel; the message lists those of the body, or the bodies.
    """
    result: tuple[str, ...] = arguments.instances(name, channels, str)
    names = channel_names(model) if result else ()
    for each in result:
        if each not in names:
            body = each.rpartition(".")[0]
            options = (
                [other for other in names if other.rpartition(".")[0] == body] if body in names else names
            )
            listed = ", ".join(map(repr, options[:20])) + (", ..." if len(options) > 20 else "")
            raise InvalidArgument(name, repr(each), f"one of {listed}")
    return result


def plot_channels(channels: Sequence[Channel]) -> tuple[Figure, Array]:
    """Return a figure with one panel for each channel, and its axes ``(n,)``."""
    from matplotlib import pyplot as plt

    size = (6.4, 1.2 + 1.8 * len(channels))
    figure, axes = plt.subplots(
        len(channels), 1, sharex=True, squeeze=False, figsize=size, layout="constrained"
    )
    for axis, channel in zip(axes[:, 0], channels, strict=True):
        _plot_channel(axis, channel)
    axes[-1, 0].set_xlabel("time in s")
    return figure, axes[:, 0]


def _plot_channel(axis: Axes, channel: Channel) -> None:
    lines = axis.plot(channel.t, channel.values)
    axis.set_ylabel(f"{channel.name} in {channel.unit}" if channel.unit else channel.name)
    if len(lines) > 1:
        axis.legend(lines, channel.labels)


def _force_name(body: Body) -> str:
    return "force" if set(coordinate_units(body)) == {"m"} else "torque"


def coordinate_units(body: Body) -> list[str]:
    """Return ``"rad"`` or ``"m"`` for each coordinate of the joint that carries a body."""
    assert body.joint is not None
    S = body.joint.compute_motion_subspace(body.joint.neutral)
    return ["rad" if np.any(column[:3]) else "m" for column in S.T]


def join_units(units: Sequence[str]) -> str:
    """Return the different units, separated by commas."""
    return ", ".join(dict.fromkeys(units))
