"""Trees of bodies in reduced coordinates: model, kinematics, dynamics (Sueda 2)."""

from rbnotes.multibody.reduced.assembly import assemble_configuration
from rbnotes.multibody.reduced.attached_particles import attach_particles
from rbnotes.multibody.reduced.bearing_reactions import BearingReaction, BispStep
from rbnotes.multibody.reduced.bisp import BispNotConverged, bisp_step
from rbnotes.multibody.reduced.constrained_dynamics import (
    constrained_acceleration,
    constraint_forces,
    constraint_rows,
    prescribed_forces,
    velocity_constraints,
)
from rbnotes.multibody.reduced.constraint_protocol import Constraint, ConstraintRows
from rbnotes.multibody.reduced.constraints import (
    AttachedParticle,
    BodyMotion,
    Gear,
    JointLimit,
    JointMotion,
    LoopClosure,
    PlaneLimit,
    PrescribedBody,
    PrescribedJoint,
    RotationLimit,
    perpendicular_pair,
)
from rbnotes.multibody.reduced.contact import tree_contacts
from rbnotes.multibody.reduced.dual_dynamics import DualProblem, dual_acceleration, dual_problem
from rbnotes.multibody.reduced.dynamics import (
    forward_dynamics_dense,
    gravity_wrenches,
    gyroscopic_and_gravity_wrenches,
    inverse_dynamics_dense,
    kinetic_energy,
    mass_matrix,
    net_generalized_force,
    passive_joint_forces,
    potential_energy,
    spatial_momentum,
)
from rbnotes.multibody.reduced.dynamics_derivatives import (
    DynamicsDerivatives,
    KinematicsDerivatives,
    forward_dynamics_derivatives,
    geometric_stiffness,
    inverse_dynamics_derivatives,
    kinematics_derivatives,
)
from rbnotes.multibody.reduced.hyper_reduction import (
    JointCoordinates,
    gear_coordinates,
    linear_coordinates,
    reduce_coordinates,
)
from rbnotes.multibody.reduced.inverse_mass import (
    InverseMass,
    factor_mass_matrix,
    inverse_mass_matrix,
    inverse_mass_product,
)
from rbnotes.multibody.reduced.jacobian_products import (
    bias_acceleration,
    jacobian_product,
    jacobian_rate_product,
    jacobian_transpose_product,
    mass_product,
)
from rbnotes.multibody.reduced.joint_reactions import (
    body_constraint_impulses,
    constraint_body_jacobian,
    joint_transmitted_wrenches,
)
from rbnotes.multibody.reduced.kinematics import (
    BodyKinematics,
    Poses,
    body_kinematics,
    jacobian,
    jacobian_rate,
    poses,
    twists,
)
from rbnotes.multibody.reduced.link import Link
from rbnotes.multibody.reduced.loop_joint import LoopJoint
from rbnotes.multibody.reduced.preconditioning import (
    StepPreconditioner,
    step_operator,
    step_preconditioner,
)
from rbnotes.multibody.reduced.recursive_dynamics import (
    HybridDynamicsResult,
    bias_forces,
    forward_dynamics,
    hybrid_dynamics,
    inverse_dynamics,
)
from rbnotes.multibody.reduced.spatial_operators import (
    SpatialOperators,
    motion_subspaces,
    parent_motion_transforms,
)
from rbnotes.multibody.reduced.square_factorization import (
    FactoredDynamicsResult,
    FactorMatrices,
    SquareFactors,
    factor_matrices,
    factored_dynamics,
    square_factors,
)
from rbnotes.multibody.reduced.tree import Tree

__all__ = [
    "AttachedParticle",
    "BearingReaction",
    "BispNotConverged",
    "BispStep",
    "BodyKinematics",
    "BodyMotion",
    "Constraint",
    "ConstraintRows",
    "DualProblem",
    "DynamicsDerivatives",
    "FactorMatrices",
    "FactoredDynamicsResult",
    "Gear",
    "HybridDynamicsResult",
    "InverseMass",
    "JointCoordinates",
    "JointLimit",
    "JointMotion",
    "KinematicsDerivatives",
    "Link",
    "LoopClosure",
    "LoopJoint",
    "PlaneLimit",
    "Poses",
    "PrescribedBody",
    "PrescribedJoint",
    "RotationLimit",
    "SpatialOperators",
    "SquareFactors",
    "StepPreconditioner",
    "Tree",
    "assemble_configuration",
    "attach_particles",
    "bias_acceleration",
    "bias_forces",
    "bisp_step",
    "body_constraint_impulses",
    "body_kinematics",
    "constrained_acceleration",
    "constraint_body_jacobian",
    "constraint_forces",
    "constraint_rows",
    "dual_acceleration",
    "dual_problem",
    "factor_mass_matrix",
    "factor_matrices",
    "factored_dynamics",
    "forward_dynamics",
    "forward_dynamics_dense",
    "forward_dynamics_derivatives",
    "gear_coordinates",
    "geometric_stiffness",
    "gravity_wrenches",
    "gyroscopic_and_gravity_wrenches",
    "hybrid_dynamics",
    "inverse_dynamics",
    "inverse_dynamics_dense",
    "inverse_dynamics_derivatives",
    "inverse_mass_matrix",
    "inverse_mass_product",
    "jacobian",
    "jacobian_product",
    "jacobian_rate",
    "jacobian_rate_product",
    "jacobian_transpose_product",
    "joint_transmitted_wrenches",
    "kinematics_derivatives",
    "kinetic_energy",
    "linear_coordinates",
    "mass_matrix",
    "mass_product",
    "motion_subspaces",
    "net_generalized_force",
    "parent_motion_transforms",
    "passive_joint_forces",
    "perpendicular_pair",
    "poses",
    "potential_energy",
    "prescribed_forces",
    "reduce_coordinates",
    "spatial_momentum",
    "square_factors",
    "step_operator",
    "step_preconditioner",
    "tree_contacts",
    "twists",
    "velocity_constraints",
]
