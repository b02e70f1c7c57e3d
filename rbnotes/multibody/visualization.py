"""Pictures of a trajectory: an animated scene and a figure of the energies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rbnotes import arguments, viewer
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.contact import Collider
from rbnotes.dynamics import WORLD, State, States
from rbnotes.unchecked import se3

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS = ("blue", "orange", "green", "purple", "teal", "brown")
"""Default colors of the bodies in turn; colliders of the world are gray."""
PARTICLE_COLOR = "red"
"""Color of particles, which is not one of bodies."""
PARTICLE_SHARE = 0.012
"""Radius of a particle, as a share of the size of its scene."""
NEGLIGIBLE_SHARE = 1e-6
"""Share of the largest energy below which a term is rounding, and is left out."""


def scene(
    states: States,
    colliders: Sequence[Collider],
    description: str,
    colors: Sequence[str],
    view: tuple[float, float],
    poster: float | None,
    labels: Mapping[int, str],
) -> viewer.Scene:
    """Return the scene of :meth:`rbnotes.multibody.Trajectory.scene`.

    Parameters
    ----------
    states
        Poses of all bodies, and positions of the particles.
    colliders
        Shapes to draw. A body without one is drawn as its axes.
    labels
        Labels of bodies by their indices; those of particles follow.
    """
    count = states.E.shape[1]
    if not (colors := arguments.instances("colors", colors, str)):
        raise InvalidArgument("colors", "none", "the names of one or more")
    result = viewer.Scene(description, states.t, view=view, poster=poster)
    unlabeled = dict(labels)
    for each in colliders:
        color = "gray" if each.body == WORLD else colors[each.body % len(colors)]
        pose = each.frame if each.body == WORLD else states.E[:, each.body] @ each.frame
        result.add(viewer.solid(each.shape, color), pose, label=unlabeled.pop(each.body, ""))
    for body in set(range(count)) - {each.body for each in colliders}:
        result.add(viewer.frame_axes(0.3), states.E[:, body], label=unlabeled.pop(body, ""), layer="")
    if states.x.shape[1]:
        _add_particles(result, states.x, [labels.get(count + k, "") for k in range(states.x.shape[1])])
    return result


def _add_particles(scene: viewer.Scene, x: Array, labels: Sequence[str]) -> None:
    """Add particles ``(T, p, 3)`` to the scene of their bodies, as small balls of one size."""
    points = np.concatenate([scene.extent, x.reshape(-1, 3)])
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    ball = viewer.sphere(PARTICLE_SHARE * (size or 1.0), PARTICLE_COLOR)
    for number, label in enumerate(labels):
        poses = se3.frame(np.broadcast_to(np.eye(3), (len(x), 3, 3)), x[:, number])
        scene.add(ball, poses, label=label, name="particles")


def energy_figure(
    states: States,
    energies: Array,
    work: Mapping[str, Array],
    stored_energy: Callable[[State], float] | None,
) -> tuple[Figure, Any]:
    """Return the figure of :meth:`rbnotes.multibody.Trajectory.energy_figure`."""
    stored_energies = np.zeros(len(states.t))
    if stored_energy is not None:
        arguments.require_force_law("stored_energy", stored_energy)
        stored_energies = np.array(
            [
                arguments.real_number("stored_energy", stored_energy(states[k]))
                for k in range(len(stored_energies))
            ]
        )
    cumulative_work = {name: np.concatenate([[0.0], np.cumsum(each)]) for name, each in work.items()}
    accounts = {
        "kinetic and gravity": energies,
        "springs and muscles": stored_energies,
        "total": energies + stored_energies,
        # Work of the forces that does not come from their stored energy.
        "work of muscles and dampers" if stored_energy else "work of applied forces": (
            cumulative_work["applied_forces"] + stored_energies - stored_energies[0]
        ),
        "contacts": cumulative_work["contacts"],
        "joints": cumulative_work["joints"],
        "stabilization": cumulative_work["stabilization"],
        "integrator": cumulative_work["integrator"],
    }
    largest = max(float(np.max(np.abs(account))) for account in accounts.values())
    if stored_energy is None:
        del accounts["springs and muscles"], accounts["total"]
    figure, axes = viewer.figure(size=(5.4, 4.2))
    for name, account in accounts.items():
        if np.max(np.abs(account)) > NEGLIGIBLE_SHARE * largest:
            axes.plot(states.t, account, label=name)
    axes.set(xlabel="time [s]", ylabel="energy [J]")
    figure.legend(loc="outside lower center", ncols=2)
    return figure, axes
