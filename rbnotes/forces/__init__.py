"""Forces and their exact Jacobians: tension laws, paths through points, networks of springs.

A spring, a cable and a muscle are one thing: a tension law (:mod:`~rbnotes.forces.tension`) on a path
(:mod:`~rbnotes.forces.path`). K = +df/dx and D = +df/dv, always.
"""

from rbnotes.forces.network import NetworkForces, SpringNetwork, coordinates
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
)
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

__all__ = [
    "Constant",
    "LinearSpring",
    "LinearStress",
    "NetworkForces",
    "PathLength",
    "PointForces",
    "PotentialLaw",
    "QuadraticStrain",
    "SpringDamper",
    "SpringNetwork",
    "Stiffness",
    "Stress",
    "Tension",
    "TensionLaw",
    "UserTension",
    "coordinates",
    "dissipated_power",
    "length_gradient",
    "length_hessian",
    "path_energy",
    "path_force",
    "path_length",
    "path_stiffness",
    "segments",
    "stress",
    "symmetric_part",
]
