"""Forces and their exact Jacobians: tension laws, paths through points, and their sums on any system.

Springs, cables and muscles are tension laws (:mod:`~rbnotes.forces.tension`) along paths
(:mod:`~rbnotes.forces.path`). K = +df/dx and D = +df/dv throughout.
"""

from rbnotes.forces.anchor_points import on_body, on_particle, on_world, path_through
from rbnotes.forces.assembly import ForceGroups, assemble
from rbnotes.forces.body_forces import (
    body_path_length,
    body_path_segments,
    directional_energy,
    directional_force,
    path_wrenches,
    viscous_damping,
    zero_length_energy,
    zero_length_spring,
)
from rbnotes.forces.frame_spring import (
    FrameSpring,
    FrameSprings,
    frame_displacement,
    frame_spring_dissipated_power,
    frame_spring_energy,
    frame_spring_forces,
)
from rbnotes.forces.groups import ConstantForces, Damping, PathForces, ZeroLengthSprings
from rbnotes.forces.muscle import Muscle
from rbnotes.forces.path import (
    PathLength,
    PathStiffness,
    PointForces,
    PotentialLaw,
    dissipated_power,
    length_gradient,
    length_hessian,
    path_energy,
    path_force,
    path_length,
    path_segments,
    path_stiffness,
    symmetric_part,
    taut_stiffness,
)
from rbnotes.forces.symmetry import asymmetry
from rbnotes.forces.tension import (
    CallableTensionLaw,
    ConstantTension,
    LinearSpring,
    LinearStress,
    QuadraticStrain,
    SpringDamper,
    Stress,
    Tension,
    TensionLaw,
    stress,
)
from rbnotes.forces.world_axes import at_constant_world_velocity, rotate_to_world
from rbnotes.forces.wrenches import BodyForces, point_kinematics, wrenches_from_point_forces

__all__ = [
    "BodyForces",
    "CallableTensionLaw",
    "ConstantForces",
    "ConstantTension",
    "Damping",
    "ForceGroups",
    "FrameSpring",
    "FrameSprings",
    "LinearSpring",
    "LinearStress",
    "Muscle",
    "PathForces",
    "PathLength",
    "PathStiffness",
    "PointForces",
    "PotentialLaw",
    "QuadraticStrain",
    "SpringDamper",
    "Stress",
    "Tension",
    "TensionLaw",
    "ZeroLengthSprings",
    "assemble",
    "asymmetry",
    "at_constant_world_velocity",
    "body_path_length",
    "body_path_segments",
    "directional_energy",
    "directional_force",
    "dissipated_power",
    "frame_displacement",
    "frame_spring_dissipated_power",
    "frame_spring_energy",
    "frame_spring_forces",
    "length_gradient",
    "length_hessian",
    "on_body",
    "on_particle",
    "on_world",
    "path_energy",
    "path_force",
    "path_length",
    "path_segments",
    "path_stiffness",
    "path_through",
    "path_wrenches",
    "point_kinematics",
    "rotate_to_world",
    "stress",
    "symmetric_part",
    "taut_stiffness",
    "viscous_damping",
    "wrenches_from_point_forces",
    "zero_length_energy",
    "zero_length_spring",
]
