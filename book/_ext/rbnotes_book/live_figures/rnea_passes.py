"""Numbers of the live figure of the passes of the recursive Newton-Euler algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import joints, se3
from rbnotes.arguments import Array
from rbnotes.inertia import transform_inertia
from rbnotes.multibody import reduced
from rbnotes.shapes import Box
from rbnotes.testing import derivative

LENGTH, WIDTH, SHOWN, GRAVITY = 0.6, 0.1, 1, np.array([0, -9.81, 0])
BODY = transform_inertia(
    se3.frame(np.eye(3), [LENGTH / 2, 0, 0]), Box([LENGTH, WIDTH, WIDTH]).spatial_inertia(mass=1.0)
)
PLACES = [se3.frame(np.eye(3), [x, 0, 0]) for x in (0, LENGTH, LENGTH)]


def chain(placements: Sequence[Array], inertias: Sequence[Array], gravity: ArrayLike) -> reduced.Tree:
    """Return bodies on hinges about z, with the frame of each body in its hinge."""
    links = [
        reduced.Link(str(i), joints.Revolute(), M, str(i - 1) if i else None, placement)
        for i, (placement, M) in enumerate(zip(placements, inertias, strict=True))
    ]
    return reduced.Tree(links, gravity=gravity)


def passes(
    placements: Sequence[Array],
    inertias: Sequence[Array],
    q: Array,
    qdot: Array,
    qddot: Array,
    gravity: Array,
) -> dict[str, Array]:
    """Return twists, their rates, the wrenches through the hinges and the torques, by products with J."""
    tree = chain(placements, inertias, gravity)
    rates = reduced.jacobian_product(tree, q, qddot) + reduced.jacobian_rate_product(tree, q, qdot, qdot)
    wrenches = (tree.inertias @ rates[..., None])[..., 0]
    wrenches = wrenches - reduced.gyroscopic_and_gravity_wrenches(tree, q, qdot)
    return {
        "twists": reduced.twists(tree, q, qdot),
        "rates": rates,
        "wrenches": reduced.joint_transmitted_wrenches(tree, q, wrenches),
        "torques": reduced.inverse_dynamics(tree, q, qdot, qddot),
    }


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the values of the links after a pass, the terms from their neighbors, arrows and the power."""
    q, qdot, qddot = (np.array(state[name], dtype=float) for name in ("q", "rates", "accelerations"))
    tree = chain(PLACES, [BODY] * 3, GRAVITY)
    results = passes(PLACES, [BODY] * 3, q, qdot, qddot, GRAVITY)

    def coordinates_at(t: float) -> tuple[Array, Array]:
        return q + t * qdot + t**2 / 2 * qddot, qdot + t * qddot

    def energy(t: float) -> float:
        angles, rates = coordinates_at(t)
        kinetic = rates @ reduced.mass_matrix(tree, angles) @ rates / 2
        centers = reduced.poses(tree, angles).body_poses @ [LENGTH / 2, 0, 0, 1]
        return float(kinetic - np.sum(centers[:, :3] @ GRAVITY))

    def points(t: float, x: float) -> Array:
        return reduced.poses(tree, coordinates_at(t)[0]).body_poses @ [x, 0, 0, 1]

    if mode == "forces":
        totals = results["torques"]
        wrenches, poses = results["wrenches"], reduced.poses(tree, q).body_poses
        relative = se3.inverse(poses[:-1]) @ poses[1:]
        from_next = np.swapaxes(se3.Ad_inverse(relative), -1, -2) @ wrenches[1:, :, None]
        from_neighbor, R = np.append(from_next[:, 2, 0], 0.0), poses[:, :3, :3]
        arrows: Array = (R @ wrenches[:, 3:, None])[:, :2, 0]
    else:
        totals = results["twists" if mode == "velocities" else "rates"][:, 2]
        from_neighbor = np.append(0.0, totals[:-1])
        velocity = derivative(lambda t: points(t, LENGTH)).value
        acceleration = derivative(lambda t: derivative(lambda s: points(s, LENGTH / 2), t).value).value
        arrows = (velocity if mode == "velocities" else acceleration)[:, :2]
    return {
        "totals": totals.tolist(),
        "from_neighbor": from_neighbor.tolist(),
        "arrows": arrows.tolist(),
        "sizes": np.linalg.norm(arrows, axis=1).tolist(),
        "shown_from_neighbor": float(from_neighbor[SHOWN]),
        "shown_own": float(totals[SHOWN] - from_neighbor[SHOWN]),
        "power": float(results["torques"] @ qdot),
        "quotient": float(derivative(energy).value),
    }
