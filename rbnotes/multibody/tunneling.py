"""Warning of motions in which bodies may pass through each other.

Contacts are predicted from the velocities at the start of a step and linearized there, so that a body in
translation does not pass through a wall, however fast it is. Two motions are not covered: impacts that make a
body faster than all bodies were before, and turns of a body that carry its edges far from the tangents of
their paths.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from rbnotes.arguments import Array
from rbnotes.contact import Collider
from rbnotes.contact.prediction import bounding_radii, contact_margins
from rbnotes.dynamics import WORLD, States
from rbnotes.multibody.model import Model
from rbnotes.multibody.step_records import ContactRecords
from rbnotes.shapes import ConvexShape


class TunnelingWarning(UserWarning):
    """Bodies may pass through each other in a step of this size."""


def warn_of_tunneling(model: Model, states: States, contacts: ContactRecords) -> None:
    """Warn of the first step in which bodies could have passed through each other.

    Parameters
    ----------
    states
        Poses and twists of all bodies at the start and after each step.
    contacts
        Contacts of each step.

    Warns
    -----
    TunnelingWarning
        If an overlap of half the thickness of two bodies is possible; the message names the body and its
        speed.
    """
    widths, radii, reaches = _collision_extents(model)
    if np.sum(np.isfinite(widths)) < 2:
        return
    h = float(states.t[1] - states.t[0])
    twists = states.phi.reshape(*states.phi.shape[:2], 2, 3)
    rates = np.sqrt(np.einsum("tnij,tnij->itn", twists, twists))
    speeds = np.append(rates[1] + rates[0] * radii, np.zeros((len(twists), 1)), axis=1)
    fastest = np.sort(speeds, axis=1)[:, -2:]
    excess = h * np.sum(fastest[1:], axis=1) - contact_margins(fastest[:-1, -1], h, model.gravity)
    depths = _turning_depths(reaches, rates[0], h)
    # The first step and its body, of each cause.
    tunneling: list[tuple[int, int]] = []
    steps = np.flatnonzero(excess > np.sum(np.sort(widths)[:2]) / 2)
    if len(steps):
        tunneling.append((int(steps[0]), int(np.argmax(speeds[1 + steps[0]]))))
    step_of_contact = np.repeat(np.arange(len(contacts)), contacts.counts)
    # The world has the index -1, the last one.
    a, b, gap = contacts.points.a, contacts.points.b, contacts.points.gap
    overlaps = np.maximum(depths[:-1], depths[1:])
    overlap_a, overlap_b = overlaps[step_of_contact, a], overlaps[step_of_contact, b]
    is_deep = overlap_a + overlap_b > (widths[a] + widths[b]) / 2 + np.maximum(gap, 0.0)
    if np.any(is_deep):
        first = int(np.argmax(is_deep))
        body = a[first] if overlap_a[first] >= overlap_b[first] else b[first]
        tunneling.append((int(step_of_contact[first]), int(body)))
    if tunneling:
        step, body = min(tunneling)
        angular, linear = np.max(rates[:, step : step + 2, body], axis=1)
        warnings.warn(
            f"simulate: body {model.bodies[body].name!r} moves at {linear:.3g} m/s and {angular:.3g} rad/s "
            f"at t = {states.t[step]:.6g} s and may pass through others in a step of {h:g} s; reduce h",
            TunnelingWarning,
            stacklevel=4,
        )


def _smallest_widths(colliders: Sequence[Collider], count: int) -> Array:
    """Return the smallest width along the axes of its shapes of each body, then of the world ``(n + 1,)``, m.

    It is infinite without a shape, and for half-spaces, through which nothing passes.
    """
    widths = np.full(count + 1, np.inf)
    for each in colliders:
        shape = each.collision_geometry
        if isinstance(shape, ConvexShape):
            ends = [shape.compute_support_point(axis) @ axis for axis in (*np.eye(3), *-np.eye(3))]
            width = np.min(np.add(ends[:3], ends[3:])) + 2 * shape.rounding
            widths[each.body] = min(widths[each.body], width)
    return widths


def _turning_depths(reaches: Array, angular_speeds: Array, h: float) -> Array:
    """Return bounds of the deviation of body points from straight paths by rotation ``(t, n + 1)``, m."""
    angles = np.minimum(h * angular_speeds, np.pi)
    return np.append(reaches * (1 - np.cos(angles)), np.zeros((len(angles), 1)), axis=1)


@lru_cache(maxsize=16)
def _collision_extents(model: Model) -> tuple[Array, Array, Array]:
    """Return the smallest widths of all bodies and the world, bounding radii, and reaches of the cores, m.

    The reach of a body is the largest distance of its shapes, without their roundings, from its origin.
    """
    colliders, count = model.colliders, len(model.bodies)
    reaches = np.zeros(count)
    for each in colliders:
        shape = each.collision_geometry
        if each.body != WORLD and isinstance(shape, ConvexShape):
            core = shape.bounding_radius - shape.rounding
            reaches[each.body] = max(reaches[each.body], np.linalg.norm(each.frame[:3, 3]) + core)
    return _smallest_widths(colliders, count), bounding_radii(colliders, count), reaches
