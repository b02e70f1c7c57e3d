"""Maximal coordinates: Newton and Euler on SE(3), joints as constraints, and contact.

:func:`rbnotes.multibody.simulate` takes steps in these coordinates with ``coordinates="maximal"``.

Example: a pendulum keeps its revolute joint closed.

>>> import numpy as np
>>> from rbnotes import Body, Model, se3, simulate
>>> from rbnotes.inertia import spatial_inertia
>>> from rbnotes.joints import Revolute
>>> from rbnotes.multibody import maximal, maximal_coordinates
>>> M = spatial_inertia(1.0, 0.1 * np.eye(3))
>>> E = se3.frame(np.eye(3), [0, -0.5, 0])
>>> pendulum = Model([Body("bob", inertia=M, joint=Revolute(), body_frame=E)])
>>> state = pendulum.state(qdot={"bob": 2.0})
>>> options = {"h": 0.01, "steps": 50, "coordinates": "maximal"}
>>> motion = simulate(pendulum, state, **options)
>>> joints = maximal_coordinates(pendulum).maximal_model.joints
>>> error = maximal.constraint_error(joints, motion.body_states.E[-1])
>>> bool(np.abs(error).max() < 1e-10)
True
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

__all__ = [
    "Accelerations",
    "Joint",
    "JointReaction",
    "MaximalModel",
    "accelerations",
    "constraint_bias_acceleration",
    "constraint_error",
    "constraint_jacobian",
    "joint_from_world_frame",
    "joint_reactions",
    "joint_velocity_constraints",
    "project",
    "project_poses",
    "relative_twist",
]
