"""Friction in joints, Newton's method, and staggered friction models."""

from __future__ import annotations

import numpy as np
from engine import Call

from rbnotes import contact, friction
from rbnotes.dynamics import StepProblem

GROUND = contact.Contacts([[[0, 0, 1.0], [1.0, 0, 0], [0, 1.0, 0]]], mu=0.5)
SLIDING = StepProblem(mass=np.diag([1.0, 1.0, 1.0]), momentum=[3.0, 4.0, -2.0], contacts=GROUND)
START = np.array([[2.0, -0.6, -0.8]])
NORMALS = np.array([[1.0, 0, 0], [0, 0.6, 0.8]])
TANGENTS = np.array([[[0.0, 1, 0], [0, 0, 1]], [[1.0, 0, 0], [0, 0.8, -0.6]]])
AXIS, CENTER = np.array([0.0, 0.6, 0.8]), np.array([0.5, 0.0, 0.25])
PIN = friction.journal_bearing(0.5, 1.0, 0.25)
WRENCH = np.array([0.0, 0.5, 0, 1.0, 2.0, 3.0])

CALLS = [
    Call(
        friction.semismooth_newton_friction,
        {"problem": SLIDING, "initial_guess": START, "tolerance": 1e-8, "max_iterations": 20},
    ),
    Call(
        friction.staggered_projections,
        {
            "problem": SLIDING,
            "cone": "pyramid",
            "facets": 6,
            "initial_guess": START,
            "tolerance": 1e-8,
            "max_iterations": 50,
            "solver": "own",
        },
    ),
    Call(
        friction.Bearing,
        {"points": NORMALS, "normals": NORMALS, "mu": np.array([0.5, 0.25]), "tangents": TANGENTS},
    ),
    Call(PIN.normal_multipliers, {"wrench": WRENCH}),
    Call(PIN.unsupported_wrench, {"wrench": WRENCH}),
    Call(
        friction.journal_bearing,
        {"radius": 0.5, "height": 1.0, "mu": 0.25, "axis": AXIS, "points": 8, "center": CENTER},
    ),
    Call(
        friction.prismatic_guide,
        {
            "width": 0.5,
            "depth": 0.25,
            "length": 1.0,
            "mu": 0.25,
            "axis": AXIS,
            "width_direction": np.array([1.0, 0, 0]),
            "center": CENTER,
        },
    ),
    Call(friction.spherical_bearing, {"radius": 0.5, "mu": 0.25, "points": 12, "center": CENTER}),
]
