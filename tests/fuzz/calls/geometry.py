"""Rotations, frames, quaternions, roll-pitch-yaw: a valid call of each function, made from its parameters."""

from __future__ import annotations

import inspect

import numpy as np
from engine import Call

from rbnotes import euler, quaternion, se3, so3

R = so3.exp([0.3, -0.4, 0.5])
SECOND_ROTATION = so3.exp([-0.2, 0.1, 0.7])
VALUES = {
    "R": R,
    "R0": R,
    "R1": SECOND_ROTATION,
    "W": so3.hat([1.0, 2.0, 3.0]),
    "E": se3.frame(R, [1, 2, 3]),
    "E0": se3.frame(R, [1, 2, 3]),
    "E1": se3.frame(SECOND_ROTATION, [3, 1, 2]),
    "X": se3.hat(np.arange(6.0)),
    "xi": np.array([0.1, -0.2, 0.3, 0.4, 0.5, -0.6]),
    "xidot": np.array([0.6, 0.2, -0.3, 0.4, 0.1, -0.6]),
    "q": np.array([0.5, -0.5, 0.5, 0.5]),
    "p": np.array([0.5, 0.5, -0.5, 0.5]),
    "q0": np.array([0.5, -0.5, 0.5, 0.5]),
    "q1": np.array([1.0, 0.0, 0.0, 0.0]),
    "qdot": np.array([0.5, 0.5, 0.25, -0.25]),
    "axis": np.array([0.6, 0.0, 0.8]),
    **dict.fromkeys(("h", "t", "angle"), 0.25),
    **dict.fromkeys(("w", "u", "x", "omega", "angles"), np.array([0.5, -0.25, 1.0])),
    **dict.fromkeys(("wdot", "v", "f", "rates"), np.array([0.25, 1.5, -1.0])),
}


def _arguments(module, function):
    names = inspect.signature(function).parameters
    three = {"p": np.array([1.0, 2.0, 3.0])} if module is se3 else {}
    return {name: {**VALUES, **three}[name] for name in names}


CALLS = [
    Call(function, _arguments(module, function))
    for module in (so3, se3, quaternion, euler)
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if not name.startswith("_") and function.__module__ == module.__name__
]
