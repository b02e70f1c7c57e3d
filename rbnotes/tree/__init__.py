"""Trees of bodies in reduced coordinates: model, kinematics, dynamics (Sueda 2)."""

from rbnotes.tree.dynamics import (
    body_wrenches,
    forward_dynamics,
    inverse_dynamics,
    joint_forces,
    kinetic_energy,
    mass_matrix,
    potential_energy,
    reduced_force,
    weight_wrenches,
    world_momentum,
)
from rbnotes.tree.kinematics import Poses, jacobian, jacobian_dot, poses, twists
from rbnotes.tree.model import Link, Tree

__all__ = [
    "Link",
    "Poses",
    "Tree",
    "body_wrenches",
    "forward_dynamics",
    "inverse_dynamics",
    "jacobian",
    "jacobian_dot",
    "joint_forces",
    "kinetic_energy",
    "mass_matrix",
    "poses",
    "potential_energy",
    "reduced_force",
    "twists",
    "weight_wrenches",
    "world_momentum",
]
