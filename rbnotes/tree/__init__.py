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
    Constraint,
    ConstraintRows,
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
from rbnotes.tree.hyper_reduced import HyperReducedSystem, JointCoordinates, geared, linear_coordinates
from rbnotes.tree.joint_loads import BispRun, BispStep, JointLoad
from rbnotes.tree.kinematics import Motion, Poses, jacobian, jacobian_dot, motion, poses, twists
from rbnotes.tree.model import Link, Tree
from rbnotes.tree.reactions import body_rows, joint_wrenches, unconstrained_impulses
from rbnotes.tree.reduced import ReducedSystem
from rbnotes.tree.system import TreeSystem
from rbnotes.tree.tangent import (
    Slopes,
    Variation,
    forward_dynamics_slopes,
    geometric_stiffness,
    inverse_dynamics_slopes,
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
    "Event",
    "Gear",
    "HyperReducedSystem",
    "JointCoordinates",
    "JointLimit",
    "JointLoad",
    "JointMotion",
    "Link",
    "LoopClosure",
    "Motion",
    "Observed",
    "PlaneLimit",
    "Poses",
    "PrescribedBody",
    "PrescribedJoint",
    "ReducedSystem",
    "Slopes",
    "Tree",
    "TreeSystem",
    "Variation",
    "assembled",
    "bisp_step",
    "body_rows",
    "body_wrenches",
    "constrained_acceleration",
    "constraint_forces",
    "constraint_rows",
    "contact_step",
    "forward_dynamics",
    "forward_dynamics_slopes",
    "geared",
    "geometric_stiffness",
    "integrate_adaptively",
    "inverse_dynamics",
    "inverse_dynamics_slopes",
    "jacobian",
    "jacobian_dot",
    "joint_forces",
    "joint_wrenches",
    "kinetic_energy",
    "linear_coordinates",
    "mass_matrix",
    "motion",
    "perpendicular_pair",
    "poses",
    "potential_energy",
    "prescribed_forces",
    "reduced_force",
    "simulate_joint_friction",
    "step_rows",
    "tree_contacts",
    "twists",
    "unconstrained_impulses",
    "variation",
    "weight_wrenches",
    "world_momentum",
]
