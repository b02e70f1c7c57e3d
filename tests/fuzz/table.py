"""Table of valid calls, one module for each subpackage, and the names without one."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from functools import cache
from typing import Any

import calls
from engine import Call, name_of

import rbnotes

SUBPACKAGES = tuple(sorted(info.name for info in pkgutil.iter_modules(calls.__path__)))
ELSEWHERE = ("arguments", "cli", "coursework", "errors", "ledger", "unchecked")
"""Subpackages with tests of their own, and those that do not check arguments."""


@cache
def table(subpackage: str) -> tuple[Call, ...]:
    """Return the valid calls of a subpackage."""
    return tuple(importlib.import_module(f"calls.{subpackage}").CALLS)


@cache
def public() -> dict[str, Any]:
    """Return the public functions, classes and methods of the package, by name."""
    objects: dict[str, Any] = {}
    for info in pkgutil.walk_packages(rbnotes.__path__, "rbnotes."):
        parts = info.name.split(".")[1:]
        if any(part.startswith(("_", "unchecked")) for part in parts) or parts[0] in ELSEWHERE:
            continue
        module = importlib.import_module(info.name)
        for name, item in vars(module).items():
            if name.startswith("_") or getattr(item, "__module__", None) != info.name:
                continue
            if inspect.isfunction(item):
                objects[name_of(item)] = item
            elif inspect.isclass(item):
                objects |= of_class(item)
    return objects


def of_class(cls: type) -> dict[str, Any]:
    """Return a class that is called with arguments to check, and its methods."""
    if getattr(cls, "_is_protocol", False) or issubclass(cls, Exception):
        return {}
    methods = {
        name_of(method): method
        for name, attribute in vars(cls).items()
        for method in [getattr(attribute, "__func__", attribute)]
        if (not name.startswith("_") or name == "__call__") and inspect.isfunction(method)
    }
    return {name_of(cls): cls, **methods}


@cache
def covered() -> frozenset[str]:
    """Return names that have a valid call."""
    return frozenset(call.name for subpackage in SUBPACKAGES for call in table(subpackage))


def within(name: str) -> bool:
    """Return True if a name takes or is checked data; results are named tuples."""
    item = public().get(name)
    if inspect.isclass(item) and issubclass(item, tuple):
        return True
    return any(re.fullmatch(pattern, name) for pattern in WITHIN)


WITHIN = (
    r"testing\.interrupts\.interruptible",
    # Loops over packed arrays, which their callers have packed from checked models.
    r"compiled\..*",
    # What shares data within a subpackage that is known to be right; the public way in checks it.
    r"complementarity\.(certificate|scaling|fallbacks)\..*",
    r"complementarity\.basis\.(Basis|LazyColumns)\..*",
    r"complementarity\.residuals\.(?!box_residuals$).*",
    r"complementarity\.elimination\.(Elimination|Elimination\.residuals_unchecked|is_constrained|square_entries)",
    r"complementarity\.(block_principal_pivoting\.principal_solver|problems\.to_dense)",
    r"complementarity\.(cvxpy_solver\.solve_by_cvxpy|solution\..*|solver\.(raise_unless_solved|default_tolerance))",
    r"constraints\.(kkt\.(KKT|factor_kkt_unchecked)|matrices\.(well_conditioned_lu|is_symmetric_unchecked|smallest_pivots)|redundant_rows\..*)",
    r"contact\.(distance|manifolds|convex)\..*",
    r"contact\.body_pair_jacobian\.(BodyPairJacobian\.select_groups|TransposedBodyPairJacobian|relative_velocities)",
    r"contact\.detection\.(contact_points_unchecked|collision_filter|combine_coefficients|friction_coefficient)",
    r"shapes\.shape\.Ground",
    r"contact\.(height_fields\..*|detection\.overlapping_spheres|prediction\.(contact_margins|surface_speeds))",
    r"contact\.prediction\.(normal_velocity_targets_unchecked|contact_margin|bounding_radii|restitution_threshold|rebounding_contacts|closing_velocities)",
    r"dynamics\.(free_system\.FreeSystem(\..*)?|free_rotation\.integrate_free_rotation|mechanical_system\.(subtract_inertial_force|StateRetraction)|schemes\.subtract)",
    r"dynamics\.(step_problem\.(unconstrained_problem|check_solution)|ignored_parts\.ignored_parts|schemes\.accounted_parts)",
    r"forces\.anchor_kinematics\..*",
    r"forces\..*\.(resolve_names|require_body_indices|resolve_body_names|check_bodies)",
    r"multibody\.(particle_bodies\..*|reduced\.constrained_dynamics\.constraint_rows_at_state)",
    r"multibody\.(model_equations\..*|step_failures\..*|tree_free_motion\..*)",
    r"forces\.(anchor_points\.AnchorPoints|body_forces\.unchecked_path_wrenches|path\.active_flags)",
    r"inertia\.spatial\.from_symmetric_spatial_inertia",
    r"friction\.(residual_tracking|velocity_refinement|bounded_friction|central_path|polyhedral_lcp|solver_status|anderson_acceleration|models|cvxpy_programs)\..*",
    r"friction\.semismooth_newton\.(newton_search|solve_friction)",
    r"friction\.contact_problem\.(FrictionContactProblem\.(apply_impulses|step_solution|sticking_residual)|limited_coefficients|raise_not_converged|raise_unless_sticking)",
    r"friction\.(facets\.(contact_to_facet_matrix|facets_of_contacts)|residuals\.(natural_residual_unchecked|rounding_residual|friction_bounds|project_on_admissible_impulses|project_on_cone_unchecked))",
    r"friction\.staggered_projections\.(friction_impulses|normal_impulses|relative_change)",
    # The hooks of joint types, which the checked methods call.
    r"joints\..*\.compute_\w+",
    r"shapes\..*\.compute_\w+",
    r"shapes\.(shape\.(ConvexShape|corner_signs)|round_solids\.rim|solids\.set_lengths)",
    r"joints\.general\.function_joint\.FunctionJoint\.\w+_function",
    r"joints\.(subspaces\..*|joint_type\.JointType)",
    r"joints\.general\.(casadi_functions|symbols)\..*",
    r"joints\.general\.code_generation\.[Ii]nstructions?(\..*)?",
    r"joints\.general\.surfaces\.(rotation_about_z|bernstein_polynomials|triangulate|normalize)",
    # Steps of a checked model; results of a simulation.
    r"multibody\.(verlet_step|adaptive_step|scheme_step|step_series|bounded_rows|joint_impulses|bearing_friction|tree_bearings)\..*",
    r"multibody\.(applied_forces|model_constraints|model_joint_space|separation|tunneling)\..*",
    r"multibody\.(channels\.(?!channel_names).*|model_dynamics\.(body_index|frame_in_body|tree_frame|\w+_unchecked))",
    r"multibody\.(actuators\.(ActuatorGains\.\w+|actuator_gains|no_joint_error)|reduced\.link\.(per_coordinate|require_fixed_coordinates|require_tree|sort_links))",
    r"multibody\.(trajectory\.(Trajectory(\.plot)?|trajectory_channel|record_channels)|coordinate_conversion\.(MaximalCoordinates|TreeCoordinates|tree_coordinates)|model\.(Model\.split_tree_coordinates|free_joint_coordinates))",
    r"multibody\.packing\.(python_callbacks|motion_subspace_derivatives|external_joints|packed_colliders|packed_model|packed_tree|packed_tree_model|contact_tables|refusals|simulation_runs|tree_simulation_runs|compiled_steps)\..*",
    r"multibody\.(joint_kinematics\.(?!Joint(\.|$)).*|reduced\.loop_joint\.\w+\.body_rows)",
    r"multibody\.maximal\.(model\.(project_poses_unchecked|MaximalModel\.detect_contacts))",
    r"multibody\.maximal\.(simulation|stepping|joint_space|first_order_integrator|impacts|rattle_integrator|trajectory)\..*",
    r"multibody\.(simulation_options|step_settings|step_records|visualization|warm_started_friction)\..*",
    r"shapes\.shape\.Shape",
    r"multibody\.reduced\.(joint_friction_step|bearings)\..*",
    r"viewer\.(camera|sketch)\..*",
    r"multibody\.reduced\.(constrained_dynamics\.acceleration_constraints|constraint_stacking\..*)",
    r"multibody\.reduced\.(constraints\.\w+\.body_rows|constraint_protocol\..*)",
    r"multibody\.reduced\.dual_dynamics\.(SweepKinematics\..*|constraint_rows_by_sweep)",
    r"multibody\.reduced\.dynamics\.(solve_accelerations|coordinate_constraints|generalized_body_force|\w+_energy_from_\w+)",
    r"multibody\.reduced\.dynamics\.(regularized_mass_matrix|mass_matrix_from_jacobian|solve_mass_matrix)",
    r"multibody\.reduced\.inverse_mass\.coordinate_constraint_accelerations",
    r"multibody\.reduced\.(inverse_mass\.joint_diagonal_blocks|joint_reactions\.(impulse_balance|constraints_on_bodies|rows_on_twists)|reduced_tree\.ReducedTree)",
    r"multibody\.reduced\.(kinematics\.(check_vectors|body_poses_and_twists|relative_joint_poses|\w+_unchecked)|recursive_dynamics\.prescribed_accelerations|jacobian_products\.(generalized_forces|jacobian_product_and_rate|subtree_wrenches))",
    r"multibody\.reduced\.dynamics_derivatives\.(body_wrench_derivatives|wrench_cross_matrix)",
    r"multibody\.(events\.EventDetector(\.detect)?|reduced\.(adaptive_integration\.adaptive_steps|tree\.Tree\.check_vector))",
    # Checks that the modules of a subpackage share.
    r".*\.check_\w+",
    # Results, which the functions of the package make.
    r"attachments\.reduction\.NullSpaceReduction",
    r"contact\.detection\.ContactPoints",
    r"dynamics\.(constrained_steps\.ConstrainedStepResult|state\.States|step_problem\.StepSolution)",
    r"friction\.(contact_problem\.(FrictionContactProblem|DelassusProblem.*)|staggered_projections\.StaggeredSolution)",
    r"multibody\.reduced\.(dual_dynamics\.DualProblem|examples\.Example)",
    r"multibody\.reduced\.(inverse_mass\.InverseMass|preconditioning\.StepPreconditioner|bearing_reactions\..*)",
    r"multibody\.formats\.robot\.(Robot|RobotJoint|unique_name)",
    r"multibody\.formats\.mjcf_model\.MjcfModel",
    # What makes test data, pictures, and calls of others hands its options on.
    r"multibody\.packing\.parallel_sweep\..*",
    r"testing\.(reproducible_draws|strategies)\..*",
    r"testing\.operation_counts\.count_multiplications",
    # Files.
    r"multibody\.trajectory_files\..*",
    r"viewer\.(figures\..*|shapes\.Drawable|scene\.(embed_in_iframe|standalone_page|Scene\.save))",
)
"""Names without a valid call, as patterns, and why."""
