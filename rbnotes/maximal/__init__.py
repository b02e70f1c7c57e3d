"""Bodies with six coordinates each: Newton and Euler on SE(3), joints, contact, and a simulator of them.

A pendulum: its hinge keeps the centre of mass half a metre from the world's origin.

>>> import numpy as np
>>> from rbnotes import maximal, se3
>>> from rbnotes.dynamics import State
>>> E = se3.frame(np.eye(3), [0, -0.5, 0])
>>> hinge = maximal.hinge(0, se3.inverse(E))
>>> bob = np.diag([0.1, 0.1, 0.1, 1, 1, 1])
>>> pendulum = maximal.Mechanism([bob], [hinge], gravity=(0, -9.81, 0))
>>> state = State(E=[E], phi=[[0, 0, 2, 1, 0, 0]])
>>> motion = maximal.simulate(maximal.World(pendulum), state, 0.01, 50)
>>> float(np.linalg.norm(motion.states.E[-1, 0, :3, 3]).round(6))
0.5
"""

from rbnotes.maximal.joints import (
    Joint,
    Reaction,
    ball,
    cylindrical,
    fixed,
    hinge,
    joint_at,
    joint_drift,
    joint_drifts,
    joint_error,
    joint_errors,
    joint_matrix,
    joint_rows,
    planar,
    reactions,
    relative_pose,
    relative_twist,
    slider,
    universal,
)
from rbnotes.maximal.mechanism import (
    Accelerations,
    Mechanism,
    accelerations,
    baumgarte_target,
    mechanism_rows,
    project,
    project_poses,
)
from rbnotes.maximal.rattle import Rattle, rattle
from rbnotes.maximal.remembering import FrictionWarning
from rbnotes.maximal.simulate import simulate
from rbnotes.maximal.stepping import Integrator, World
from rbnotes.maximal.trajectory import ContactEvent, ContactRecord, Trajectory, Work

__all__ = [
    "Accelerations",
    "ContactEvent",
    "ContactRecord",
    "FrictionWarning",
    "Integrator",
    "Joint",
    "Mechanism",
    "Rattle",
    "Reaction",
    "Trajectory",
    "Work",
    "World",
    "accelerations",
    "ball",
    "baumgarte_target",
    "cylindrical",
    "fixed",
    "hinge",
    "joint_at",
    "joint_drift",
    "joint_drifts",
    "joint_error",
    "joint_errors",
    "joint_matrix",
    "joint_rows",
    "mechanism_rows",
    "planar",
    "project",
    "project_poses",
    "rattle",
    "reactions",
    "relative_pose",
    "relative_twist",
    "simulate",
    "slider",
    "universal",
]
