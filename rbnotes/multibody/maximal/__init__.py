"""Maximal coordinates: Newton and Euler on SE(3), joints, contact, and a simulator.

Example: the revolute joint of a pendulum keeps its center of mass half a meter from the world's origin.

>>> import numpy as np
>>> from rbnotes import se3
>>> from rbnotes.dynamics import State
>>> from rbnotes.joints import Revolute
>>> from rbnotes.multibody import maximal
>>> E = se3.frame(np.eye(3), [0, -0.5, 0])
>>> hinge = maximal.Joint(Revolute(), 0, se3.inverse(E))
>>> bob = np.diag([0.1, 0.1, 0.1, 1, 1, 1])
>>> pendulum = maximal.MaximalModel([bob], [hinge], gravity=(0, -9.81, 0))
>>> state = State(E=[E], phi=[[0, 0, 2, 1, 0, 0]])
>>> motion = maximal.simulate(pendulum, state, 0.01, 50)
>>> float(np.linalg.norm(motion.states.E[-1, 0, :3, 3]).round(6))
0.5
"""

from rbnotes.multibody.maximal.joints import (
    Joint,
    JointReaction,
    constraint_bias_acceleration,
    constraint_error,
    constraint_jacobian,
    joint_from_world_frame,
    joint_reactions,
    relative_twist,
)
from rbnotes.multibody.maximal.model import (
    Accelerations,
    MaximalModel,
    accelerations,
    joint_velocity_constraints,
    project,
    project_poses,
)
from rbnotes.multibody.maximal.rattle_integrator import Rattle, rattle
from rbnotes.multibody.maximal.simulation import simulate
from rbnotes.multibody.maximal.stepping import Integrator
from rbnotes.multibody.maximal.trajectory import (
    ContactEvent,
    ContactRecord,
    ContactRecords,
    MaximalTrajectory,
    Work,
)
from rbnotes.multibody.maximal.warm_started_friction import FrictionWarning

__all__ = [
    "Accelerations",
    "ContactEvent",
    "ContactRecord",
    "ContactRecords",
    "FrictionWarning",
    "Integrator",
    "Joint",
    "JointReaction",
    "MaximalModel",
    "MaximalTrajectory",
    "Rattle",
    "Work",
    "accelerations",
    "constraint_bias_acceleration",
    "constraint_error",
    "constraint_jacobian",
    "joint_from_world_frame",
    "joint_reactions",
    "joint_velocity_constraints",
    "project",
    "project_poses",
    "rattle",
    "relative_twist",
    "simulate",
]
