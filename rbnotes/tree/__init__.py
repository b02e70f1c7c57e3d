"""Trees of bodies in reduced coordinates: model, kinematics, dynamics (Sueda 2)."""

from rbnotes.tree.adaptive import Event, Observed, integrate_adaptively
from rbnotes.tree.assembly import assembled
from rbnotes.tree.attached import AttachedSystem
from rbnotes.tree.bisp import BispNotConverged, bisp_step, simulate_joint_friction
from rbnotes.tree.constrained import (
    constrained_acceleration,
    constraint_forces,
    constraint_rows,
    prescribed_forces,
    step_rows,
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
    body_wrenches,
    forward_dynamics_dense,
    inverse_dynamics_dense,
    joint_forces,
    kinetic_energy,
    mass_matrix,
    potential_energy,
    reduced_force,
    weight_wrenches,
    world_momentum,
)
from rbnotes.tree.hyper_reduced import HyperReducedSystem, JointCoordinates, geared, linear_coordinates
from rbnotes.tree.inverse_inertia import (
    InverseInertia,
    factor_inertia,
    inverse_mass_matrix,
    inverse_mass_product,
)
from rbnotes.tree.joint_loads import BispRun, BispStep, JointLoad
from rbnotes.tree.kinematics import Motion, Poses, jacobian, jacobian_dot, motion, poses, twists
from rbnotes.tree.model import Link, Tree
from rbnotes.tree.preconditioning import StepPreconditioner, step_operator, step_preconditioner
from rbnotes.tree.products import (
    bias_acceleration,
    jacobian_dot_product,
    jacobian_product,
    jacobian_transpose_product,
    mass_product,
)
from rbnotes.tree.reactions import body_rows, joint_wrenches, unconstrained_impulses
from rbnotes.tree.recursive import Hybrid, bias_forces, forward_dynamics, hybrid_dynamics, inverse_dynamics
from rbnotes.tree.reduced import ReducedSystem
from rbnotes.tree.rows import Constraint, ConstraintRows
from rbnotes.tree.spatial_operators import SpatialOperators, joint_map_rates, joint_maps, parent_adjoints
from rbnotes.tree.square_factorization import (
    FactorMatrices,
    Passes,
    SquareFactors,
    factor_matrices,
    factored_dynamics,
    square_factors,
)
from rbnotes.tree.system import TreeSystem
from rbnotes.tree.tangent import (
    DynamicsDerivatives,
    Variation,
    forward_dynamics_derivatives,
    geometric_stiffness,
    inverse_dynamics_derivatives,
    variation,
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
    "Hybrid",
    "HyperReducedSystem",
    "InverseInertia",
    "JointCoordinates",
    "JointLimit",
    "JointLoad",
    "JointMotion",
    "Link",
    "LoopClosure",
    "Motion",
    "Observed",
    "Passes",
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
    "Variation",
    "assembled",
    "bias_acceleration",
    "bias_forces",
    "bisp_step",
    "body_rows",
    "body_wrenches",
    "constrained_acceleration",
    "constraint_forces",
    "constraint_rows",
    "contact_step",
    "dual_acceleration",
    "dual_problem",
    "factor_inertia",
    "factor_matrices",
    "factored_dynamics",
    "forward_dynamics",
    "forward_dynamics_dense",
    "forward_dynamics_derivatives",
    "geared",
    "geometric_stiffness",
    "hybrid_dynamics",
    "integrate_adaptively",
    "inverse_dynamics",
    "inverse_dynamics_dense",
    "inverse_dynamics_derivatives",
    "inverse_mass_matrix",
    "inverse_mass_product",
    "jacobian",
    "jacobian_dot",
    "jacobian_dot_product",
    "jacobian_product",
    "jacobian_transpose_product",
    "joint_forces",
    "joint_map_rates",
    "joint_maps",
    "joint_wrenches",
    "kinetic_energy",
    "linear_coordinates",
    "mass_matrix",
    "mass_product",
    "motion",
    "parent_adjoints",
    "perpendicular_pair",
    "poses",
    "potential_energy",
    "prescribed_forces",
    "reduced_force",
    "simulate_joint_friction",
    "square_factors",
    "step_operator",
    "step_preconditioner",
    "step_rows",
    "tree_contacts",
    "twists",
    "unconstrained_impulses",
    "variation",
    "weight_wrenches",
    "world_momentum",
]
