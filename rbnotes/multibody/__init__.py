"""Systems of bodies: a model and its simulation, robot files, and the coordinates beneath them.

- :class:`Model` describes a scene of bodies, :func:`simulate` computes its motion, and the functions of
  :mod:`~rbnotes.multibody.model_dynamics` its mass matrix, accelerations and Jacobians;
- :mod:`~rbnotes.multibody.reduced`: trees of bodies in joint coordinates, their kinematics and dynamics;
- :mod:`~rbnotes.multibody.maximal`: bodies with six coordinates each, joints as constraints;
- :mod:`~rbnotes.multibody.formats`: URDF and MJCF files;
- :mod:`~rbnotes.multibody.packing`: models packed into arrays, for compiled dynamics and simulation.
"""

import rbnotes.multibody.ignored_parts  # noqa: F401  # registers the parts of models that schemes leave out
from rbnotes.multibody.actuators import Motor, PositionServo, VelocityServo
from rbnotes.multibody.body import Body, Geometry
from rbnotes.multibody.channels import Channel, channel_names
from rbnotes.multibody.coordinate_conversion import MaximalCoordinates, maximal_coordinates
from rbnotes.multibody.events import Event
from rbnotes.multibody.model import Model
from rbnotes.multibody.model_derivatives import (
    ForwardDynamicsDerivatives,
    InverseDynamicsDerivatives,
    damping,
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
    stiffness,
)
from rbnotes.multibody.model_dynamics import (
    actuator_forces,
    bias_forces,
    forward_dynamics,
    frame_jacobian,
    frame_jacobian_rate,
    inverse_dynamics,
    kinetic_energy,
    mass_matrix,
    potential_energy,
)
from rbnotes.multibody.sensors import frame_acceleration, frame_pose, frame_velocity, joint_wrench
from rbnotes.multibody.simulation import simulate, step
from rbnotes.multibody.static_equilibrium import equilibrium
from rbnotes.multibody.step_records import ContactEvent, ContactRecord, ContactRecords, Work
from rbnotes.multibody.trajectory import Trajectory
from rbnotes.multibody.trajectory_files import load_trajectory, save_trajectory
from rbnotes.multibody.tunneling import TunnelingWarning
from rbnotes.multibody.warm_started_friction import FrictionWarning

__all__ = [
    "Body",
    "Channel",
    "ContactEvent",
    "ContactRecord",
    "ContactRecords",
    "Event",
    "ForwardDynamicsDerivatives",
    "FrictionWarning",
    "Geometry",
    "InverseDynamicsDerivatives",
    "MaximalCoordinates",
    "Model",
    "Motor",
    "PositionServo",
    "Trajectory",
    "TunnelingWarning",
    "VelocityServo",
    "Work",
    "actuator_forces",
    "bias_forces",
    "channel_names",
    "damping",
    "equilibrium",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "frame_acceleration",
    "frame_jacobian",
    "frame_jacobian_rate",
    "frame_pose",
    "frame_velocity",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "joint_wrench",
    "kinetic_energy",
    "load_trajectory",
    "mass_matrix",
    "maximal_coordinates",
    "potential_energy",
    "save_trajectory",
    "simulate",
    "step",
    "stiffness",
]
