"""Trees of bodies in reduced coordinates: model, kinematics, dynamics (Sueda 2)."""

from rbnotes.tree.adaptive import Event, Observed, integrate_adaptively
from rbnotes.tree.assembly import assemble_configuration
from rbnotes.tree.attached import AttachedSystem
from rbnotes.tree.bisp import BispNotConverged, bisp_step, simulate_joint_friction
from rbnotes.tree.constrained import (
    constrained_acceleration,
    constraint_forces,
    constraint_rows,
    prescribed_forces,
    velocity_constraints,
)
from rbnotes.tree.constraints import (
    AttachedParticle,
    BodyMotion,
    Gear,
    JointLimit,
    JointMotion,
    LoopClosure,
    PlaneLimit,
    PrescribedBody,
    PrescribedJoint,
    perpendicular_pair,
)
from rbnotes.tree.contact import ContactStep, contact_step, tree_contacts
from rbnotes.tree.dual import DualProblem, dual_acceleration, dual_problem
from rbnotes.tree.dynamics import (
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
from rbnotes.tree.hyper_reduced import (
    HyperReducedSystem,
    JointCoordinates,
    gear_coordinates,
    linear_coordinates,
)
from rbnotes.tree.inverse_inertia import (
    InverseMass,
    factor_mass_matrix,
    inverse_mass_matrix,
    inverse_mass_product,
)
from rbnotes.tree.joint_loads import BearingReaction, BispRun, BispStep
from rbnotes.tree.kinematics import (
    BodyKinematics,
    Poses,
    body_kinematics,
    jacobian,
    jacobian_rate,
    poses,
    twists,
)
from rbnotes.tree.model import Link, Tree
from rbnotes.tree.preconditioning import StepPreconditioner, step_operator, step_preconditioner
from rbnotes.tree.products import (
    bias_acceleration,
    jacobian_product,
    jacobian_rate_product,
    jacobian_transpose_product,
    mass_product,
)
from rbnotes.tree.reactions import (
    body_constraint_impulses,
    constraint_body_jacobian,
    joint_transmitted_wrenches,
)
from rbnotes.tree.recursive import (
    HybridDynamicsResult,
    bias_forces,
    forward_dynamics,
    hybrid_dynamics,
    inverse_dynamics,
)
from rbnotes.tree.reduced import ReducedSystem
from rbnotes.tree.rows import Constraint, ConstraintRows
from rbnotes.tree.spatial_operators import (
    SpatialOperators,
    motion_subspace_rates,
    motion_subspaces,
    parent_motion_transforms,
)
from rbnotes.tree.square_factorization import (
    FactoredDynamicsResult,
    FactorMatrices,
    SquareFactors,
    factor_matrices,
    factored_dynamics,
    square_factors,
)
from rbnotes.tree.system import TreeSystem
from rbnotes.tree.tangent import (
    DynamicsDerivatives,
    KinematicsDerivatives,
    forward_dynamics_derivatives,
    geometric_stiffness,
    inverse_dynamics_derivatives,
    kinematics_derivatives,
)

__all__ = [
    "AttachedParticle",
    "AttachedSystem",
    "BispNotConverged",
    "BispRun",
    "BispStep",
    "BodyMotion",
    "Constraint",
    "ConstraintRows",
    "ContactStep",
    "DualProblem",
    "DynamicsDerivatives",
    "Event",
    "FactorMatrices",
    "Gear",
    "HybridDynamicsResult",
    "HyperReducedSystem",
    "InverseMass",
    "JointCoordinates",
    "JointLimit",
    "BearingReaction",
    "JointMotion",
    "Link",
    "LoopClosure",
    "BodyKinematics",
    "Observed",
    "FactoredDynamicsResult",
    "PlaneLimit",
    "Poses",
    "PrescribedBody",
    "PrescribedJoint",
    "ReducedSystem",
    "SpatialOperators",
    "SquareFactors",
    "StepPreconditioner",
    "Tree",
    "TreeSystem",
    "KinematicsDerivatives",
    "assemble_configuration",
    "bias_acceleration",
    "bias_forces",
    "bisp_step",
    "constraint_body_jacobian",
    "gyroscopic_and_gravity_wrenches",
    "constrained_acceleration",
    "constraint_forces",
    "constraint_rows",
    "contact_step",
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
    "hybrid_dynamics",
    "integrate_adaptively",
    "inverse_dynamics",
    "inverse_dynamics_dense",
    "inverse_dynamics_derivatives",
    "inverse_mass_matrix",
    "inverse_mass_product",
    "jacobian",
    "jacobian_rate",
    "jacobian_rate_product",
    "jacobian_product",
    "jacobian_transpose_product",
    "passive_joint_forces",
    "motion_subspace_rates",
    "motion_subspaces",
    "joint_transmitted_wrenches",
    "kinetic_energy",
    "linear_coordinates",
    "mass_matrix",
    "mass_product",
    "body_kinematics",
    "parent_motion_transforms",
    "perpendicular_pair",
    "poses",
    "potential_energy",
    "prescribed_forces",
    "net_generalized_force",
    "simulate_joint_friction",
    "square_factors",
    "step_operator",
    "step_preconditioner",
    "velocity_constraints",
    "tree_contacts",
    "twists",
    "body_constraint_impulses",
    "kinematics_derivatives",
    "gravity_wrenches",
    "spatial_momentum",
]
