"""Numbers of the live figure of a four-bar linkage and its motion."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import null_space

from rbnotes import joints, se3
from rbnotes.arguments import Array
from rbnotes.dynamics import State
from rbnotes.multibody import reduced
from rbnotes.testing import derivative

CRANK, ROCKER, GROUND, NUM_ANGLES = 0.5, 1.2, 1.5, 120
Z = np.array([0.0, 0.0, 1.0])


def four_bar(lengths: Array, angle: float, side: int) -> Array:
    """Return the angles of crank, coupler and rocker ``(3,)``.

    The end of the coupler is at the distance of the rocker from the ground: a quadratic equation for the
    direction of the coupler as a complex number.
    """
    crank, coupler, rocker, ground = lengths
    pin = crank * np.exp(1j * angle) - ground
    rest = abs(pin) ** 2 + coupler**2 - rocker**2
    roots = np.roots([np.conj(pin) * coupler, rest, pin * coupler])
    direction = roots[np.argmax(side * np.imag(roots * np.conj(-pin)))]
    return np.array([angle, np.angle(direction), np.angle(pin + coupler * direction)])


def loop_error(lengths: Array, angles: Array) -> Array:
    """Return the end of crank and coupler less that of ground and rocker ``(2,)``."""
    ends = np.array([1, 1, -1]) * lengths[:3] @ np.exp(1j * angles) - lengths[3]
    return np.array([ends.real, ends.imag])


def rates(lengths: Array, angles: Array) -> Array:
    """Return the rates of all angles ``(3,)`` over that of the crank, from the library's loop closure."""
    crank, coupler, rocker, ground = lengths
    places = [se3.frame(np.eye(3), [length, 0, 0]) for length in (0, crank, ground)]
    tree = reduced.Tree(
        [
            reduced.Link("crank", joints.Revolute(), np.eye(6), None, places[0]),
            reduced.Link("coupler", joints.Revolute(), np.eye(6), "crank", places[1]),
            reduced.Link("rocker", joints.Revolute(), np.eye(6), None, places[2]),
        ]
    )
    loop = reduced.LoopClosure("coupler", [coupler, 0, 0], "rocker", [rocker, 0, 0], axis=Z)
    first, second, third = angles
    state = State(q=[first, second - first, third], qdot=np.zeros(3))
    [motion] = null_space(loop.rows(tree, state, 0.0).G).T
    result: Array = np.array([motion[0], motion[0] + motion[1], motion[2]]) / motion[0]
    return result


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the angles, the rates over that of the crank, and the torque that balances."""
    lengths = np.array([CRANK, state["coupler"], ROCKER, GROUND])
    side = 1 if mode == "open" else -1
    angles = four_bar(lengths, state["angle"], side)
    _, coupler, rocker = rates(lengths, angles)
    crank_angles = np.linspace(-np.pi, np.pi, NUM_ANGLES + 1)
    return {
        "angles": angles.tolist(),
        "coupler": coupler,
        "rocker": rocker,
        "quotient": float(derivative(lambda t: four_bar(lengths, state["angle"] + t, side)[2]).value),
        "balance": -rocker * state["torque"],
        "gap": float(np.linalg.norm(loop_error(lengths, angles))),
        "turns": [float(rates(lengths, four_bar(lengths, each, side))[2]) for each in crank_angles],
    }
