"""Bodies with six coordinates each: joints, models, the simulator."""

from __future__ import annotations

import numpy as np
from engine import Call

from rbnotes import joints, se3
from rbnotes.contact import Collider
from rbnotes.dynamics import WORLD, State
from rbnotes.multibody import maximal
from rbnotes.shapes import Box, Plane

BOX = Box((0.2, 0.4, 0.2))
INERTIA = BOX.spatial_inertia(density=500.0)
POSES = np.stack([se3.frame(np.eye(3), [0, 0, 1.0]), se3.frame(np.eye(3), [0, 0, 2.0])])
PIVOT = se3.frame(np.eye(3), [0, 0, 0.5])
TWISTS = np.array([[0.0, 0, 0.5, 0, 0, 0], [0.0, 0, 0.25, 0, 0, 0]])
HINGE = maximal.Joint(joints.Revolute(), 1, se3.inverse(PIVOT), 0, PIVOT)
PIN = maximal.Joint(joints.Revolute(), 0, se3.inverse(PIVOT), WORLD, PIVOT)
PAIR = (PIN, HINGE)
JOINED = maximal.MaximalModel([INERTIA, INERTIA], PAIR)
STATE = State(E=POSES, phi=TWISTS)
ON_BODIES = {"poses": POSES}
MOVING = {"poses": POSES, "twists": TWISTS}

CALLS = [
    Call(
        maximal.Joint,
        {"kind": joints.Revolute(), "body": 1, "frame": PIVOT, "parent": 0, "parent_frame": PIVOT},
    ),
    Call(
        maximal.joint_from_world_frame,
        {"kind": joints.Revolute(), "frame": PIVOT, **ON_BODIES, "body": 1, "parent": 0, "q": [0.25]},
    ),
    Call(maximal.relative_twist, {"joint": HINGE, **MOVING}),
    Call(maximal.constraint_jacobian, {"joints": PAIR, **ON_BODIES}),
    Call(maximal.constraint_error, {"joints": PAIR, **ON_BODIES}),
    Call(maximal.constraint_bias_acceleration, {"joints": PAIR, **MOVING}),
    Call(maximal.joint_reactions, {"joint": HINGE, **ON_BODIES, "multipliers": np.arange(5.0)}),
    Call(
        maximal.MaximalModel,
        {
            "inertias": np.stack([INERTIA, INERTIA]),
            "joints": PAIR,
            "gravity": np.array([0.0, 1.0, -9.81]),
            "colliders": [Collider(WORLD, Plane()), Collider(0, BOX)],
            "excluded_pairs": [(0, 0)],
        },
    ),
    *(
        Call(getattr(JOINED, name), {"state": STATE})
        for name in ("mass_matrix", "force", "linearized_force", "acceleration", "energy")
    ),
    Call(JOINED.linearized_residual, {"state": STATE, "acceleration": 0.1 * TWISTS.ravel()}),
    Call(JOINED.retract, {"state": STATE, "increment": 0.1 * TWISTS.ravel(), "h": 0.1}),
    Call(maximal.accelerations, {"model": JOINED, "state": STATE}),
    Call(maximal.joint_velocity_constraints, {"model": JOINED, "state": STATE, "gamma": 50.0}),
    Call(maximal.project, {"model": JOINED, "state": STATE}),
    Call(maximal.project_poses, {"model": JOINED, **ON_BODIES, "max_iterations": 10}),
]
