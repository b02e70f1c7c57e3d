"""Tensions along paths through points of bodies: wrenches by statics, derivatives by complex steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.testing import complex_step

Tension = Callable[[Array, Array], Array]
"""Tension as a function of the length of the path and its rate."""


def point_positions(E: Array, x: Array) -> Array:
    """Return the positions of body-fixed points in the world."""
    return np.array([pose[:3, :3] @ point + pose[:3, 3] for pose, point in zip(E, x, strict=True)])


def velocities(E: Array, x: Array, phi: Array) -> Array:
    """Return the velocities of body-fixed points in the world, by cross products."""
    bodies = zip(E, x, phi, strict=True)
    return np.array(
        [pose[:3, :3] @ (twist[3:] + np.cross(twist[:3], point)) for pose, point, twist in bodies]
    )


def length(E: Array, x: Array) -> Array:
    """Return the length of the path through the points."""
    steps = np.diff(point_positions(E, x), axis=0)
    return np.asarray(np.sum(np.sqrt(np.sum(steps * steps, axis=1))))


def rate(E: Array, x: Array, phi: Array) -> Array:
    """Return the rate of the length of the path."""
    steps = np.diff(point_positions(E, x), axis=0)
    products = np.sum(steps * np.diff(velocities(E, x, phi), axis=0), axis=1)
    return np.asarray(np.sum(products / np.sqrt(np.sum(steps * steps, axis=1))))


def wrenches(tension: Tension, E: Array, x: Array, phi: Array) -> Array:
    """Return the wrenches of a tension along a path on the bodies ``(6n,)``, in body frames."""
    steps = np.diff(point_positions(E, x), axis=0)
    F = tension(length(E, x), rate(E, x, phi))
    tensions = F * steps / np.sqrt(np.sum(steps * steps, axis=1, keepdims=True))
    zero = np.zeros((1, 3))
    forces = np.concatenate([tensions, zero]) - np.concatenate([zero, tensions])
    body_forces = [pose[:3, :3].T @ force for pose, force in zip(E, forces, strict=True)]
    return np.concatenate(
        [part for point, f in zip(x, body_forces, strict=True) for part in (np.cross(point, f), f)]
    )


def pose_derivative(function: Callable[[Array], Array], E: Array) -> Array:
    """Return the derivative with respect to xi of the poses ``E exp([xi])`` at ``xi = 0``."""

    def perturbed_poses(xi: Array) -> Array:
        step = np.zeros((len(E), 4, 4), dtype=xi.dtype)
        for increment, twist in zip(step, xi.reshape(-1, 6), strict=True):
            increment[:3, :3], increment[:3, 3] = bracket(twist[:3]), twist[3:]
        return E + E @ step

    return complex_step(lambda xi: function(perturbed_poses(xi)), np.zeros(6 * len(E)))


def twist_derivative(function: Callable[[Array], Array], phi: Array) -> Array:
    """Return the derivative with respect to the twists ``(n, 6)``."""
    return complex_step(lambda z: function(z.reshape(phi.shape)), phi.ravel())
