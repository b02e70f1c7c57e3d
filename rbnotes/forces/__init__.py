"""Forces and their exact Jacobians: tension laws, paths through points, and their sums on any system.

A spring, a cable and a muscle are one thing: a tension law (:mod:`~rbnotes.forces.tension`) on a path
(:mod:`~rbnotes.forces.path`). K = +df/dx and D = +df/dv, always.
"""

from rbnotes.forces.assembly import ForceGroups, assemble
from rbnotes.forces.attachment import on_body, on_particle, on_world, through
from rbnotes.forces.body_forces import (
    body_path_length,
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
from rbnotes.forces.groups import Damping, Paths, Pulls, ZeroLengthSprings
from rbnotes.forces.muscle import Muscle
from rbnotes.forces.path import (
    PathLength,
    PointForces,
    PotentialLaw,
    Stiffness,
    dissipated_power,
    length_gradient,
    length_hessian,
    path_energy,
    path_force,
    path_length,
    path_stiffness,
    segments,
    symmetric_part,
    taut_stiffness,
)
from rbnotes.forces.symmetry import asymmetry
from rbnotes.forces.tension import (
    Constant,
    LinearSpring,
    LinearStress,
    QuadraticStrain,
    SpringDamper,
    Stress,
    Tension,
    TensionLaw,
    UserTension,
    stress,
)
from rbnotes.forces.world import hold_world_velocities, in_world_axes
from rbnotes.forces.wrenches import BodyForces, carried_forces, carried_points

__all__ = [
    "BodyForces",
    "Constant",
    "Damping",
    "ForceGroups",
    "FrameSpring",
    "FrameSprings",
    "LinearSpring",
    "LinearStress",
    "Muscle",
    "PathLength",
    "Paths",
    "PointForces",
    "PotentialLaw",
    "Pulls",
    "QuadraticStrain",
    "SpringDamper",
    "Stiffness",
    "Stress",
    "Tension",
    "TensionLaw",
    "UserTension",
    "ZeroLengthSprings",
    "assemble",
    "asymmetry",
    "body_path_length",
    "carried_forces",
    "carried_points",
    "directional_energy",
    "directional_force",
    "dissipated_power",
    "frame_displacement",
    "frame_spring_dissipated_power",
    "frame_spring_energy",
    "frame_spring_forces",
    "hold_world_velocities",
    "in_world_axes",
    "length_gradient",
    "length_hessian",
    "on_body",
    "on_particle",
    "on_world",
    "path_energy",
    "path_force",
    "path_length",
    "path_stiffness",
    "path_wrenches",
    "segments",
    "stress",
    "symmetric_part",
    "taut_stiffness",
    "through",
    "viscous_damping",
    "zero_length_energy",
    "zero_length_spring",
]
