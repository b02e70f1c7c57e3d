"""Numbers of the live figure of the twists of two rods on hinges (Sueda (2.9))."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes import joints, se3
from rbnotes.arguments import Array
from rbnotes.multibody import reduced
from rbnotes.testing import derivative
from rbnotes_book.live_figures import printed_form

LENGTH, INERTIA = 0.8, np.eye(6)
PRINTED = printed_form("sueda/s2.1/e2.9#b")


def chain(joint_frames: Array, body_frames: Array) -> reduced.Tree:
    """Return bodies on hinges about z, from the frames of joints in parent bodies and of bodies in joints."""
    placements = [joint_frames[0], *(body_frames[:-1] @ joint_frames[1:])]
    links = [
        reduced.Link(str(i), joints.Revolute(), INERTIA, str(i - 1) if i else None, placement, body)
        for i, (placement, body) in enumerate(zip(placements, body_frames, strict=True))
    ]
    return reduced.Tree(links)


def printed_twists(poses: Array, joint: Array, rates: Array) -> Array:
    """Return the twists of a chain by the printed recursion."""
    result = [np.zeros(6)]
    for E, parent, rate in zip(poses, [np.eye(4), *poses], rates, strict=False):
        psi = np.array([0, 0, rate, 0, 0, 0])
        result.append(PRINTED(E, parent, joint, result[-1], psi))
    return np.array(result[1:])


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return twists, velocities of three points of each rod, and those by differences of the poses."""
    place, q, rates = state["place"], np.array(state["q"], dtype=float), np.array(state["rates"], dtype=float)
    joint = se3.frame(np.eye(3), [-place * LENGTH, 0, 0])
    elbow = se3.frame(np.eye(3), [(1 - place) * LENGTH, 0, 0])
    tree = chain(np.array([np.eye(4), elbow]), np.tile(se3.inverse(joint), (2, 1, 1)))
    poses = reduced.poses(tree, q).body_poses
    twists = reduced.twists(tree, q, rates) if mode == "right" else printed_twists(poses, joint, rates)
    points = (np.array([0, 0.5, 1]) - place)[:, None] * [LENGTH, 0, 0]

    def places(t: float) -> Array:
        moving = reduced.poses(tree, q + t * rates).body_poses
        return np.array([se3.transform_points(E, points) for E in moving])

    quotients = derivative(places).value
    velocities = np.array(
        [(np.cross(phi[:3], points) + phi[3:]) @ E[:3, :3].T for E, phi in zip(poses, twists, strict=True)]
    )
    return {
        "twists": twists.tolist(),
        "velocities": velocities[..., :2].tolist(),
        "speed": float(np.linalg.norm(velocities[1, 2])),
        "quotient": float(np.linalg.norm(quotients[1, 2])),
        "difference": float(np.max(np.linalg.norm(velocities - quotients, axis=-1))),
    }
