"""Maximal coordinates: Newton and Euler on SE(3), joints, contact, and a simulator.

Example: the revolute joint of a pendulum keeps its center of mass half a meter from the world's origin.

>>> import numpy as np
>>> from rbnotes import se3
>>> from rbnotes.dynamics import State
>>> from rbnotes.multibody import maximal
>>> E = se3.frame(np.eye(3), [0, -0.5, 0])
>>> hinge = maximal.revolute(0, se3.inverse(E))
>>> bob = np.diag([0.1, 0.1, 0.1, 1, 1, 1])
>>> pendulum = maximal.Mechanism([bob], [hinge], gravity=(0, -9.81, 0))
>>> state = State(E=[E], phi=[[0, 0, 2, 1, 0, 0]])
>>> motion = maximal.simulate(maximal.World(pendulum), state, 0.01, 50)
>>> float(np.linalg.norm(motion.states.E[-1, 0, :3, 3]).round(6))
0.5
"""

from rbnotes.multibody.maximal.joints import (
    Joint,
    JointReaction,
    cylindrical,
    fixed,
    joint_bias_acceleration,
    joint_bias_accelerations,
    joint_error,
    joint_errors,
    joint_from_world_frame,
    joint_matrix,
    joint_reactions,
    joint_rows,
    planar,
    prismatic,
    relative_pose,
    relative_twist,
    revolute,
    spherical,
    universal,
)
from rbnotes.multibody.maximal.mechanism import (
    Accelerations,
    Mechanism,
    accelerations,
    baumgarte_target,
    joint_velocity_constraints,
    project,
    project_poses,
)
from rbnotes.multibody.maximal.rattle_integrator import Rattle, rattle
from rbnotes.multibody.maximal.simulation import simulate
from rbnotes.multibody.maximal.stepping import Integrator, World
from rbnotes.multibody.maximal.trajectory import ContactEvent, ContactRecord, Trajectory, Work
from rbnotes.multibody.maximal.warm_started_friction import FrictionWarning

__all__ = [
    "Accelerations",
    "ContactEvent",
    "ContactRecord",
    "FrictionWarning",
    "Integrator",
    "Joint",
    "JointReaction",
    "Mechanism",
    "Rattle",
    "Trajectory",
    "Work",
    "World",
    "accelerations",
    "baumgarte_target",
    "cylindrical",
    "fixed",
    "joint_bias_acceleration",
    "joint_bias_accelerations",
    "joint_error",
    "joint_errors",
    "joint_from_world_frame",
    "joint_matrix",
    "joint_reactions",
    "joint_rows",
    "joint_velocity_constraints",
    "planar",
    "prismatic",
    "project",
    "project_poses",
    "rattle",
    "relative_pose",
    "relative_twist",
    "revolute",
    "simulate",
    "spherical",
    "universal",
]
