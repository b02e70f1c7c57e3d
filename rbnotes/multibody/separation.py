"""Contacts of a model at a state of its tree, and the removal of overlaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rbnotes.arguments import Array
from rbnotes.complementarity import QP, solve
from rbnotes.contact import ContactPoints, unchecked
from rbnotes.contact.detection import contact_points_unchecked
from rbnotes.contact.prediction import contact_margin
from rbnotes.dynamics import State
from rbnotes.multibody.maximal.stepping import SEPARATION_TOLERANCE, separation_distances
from rbnotes.multibody.model import Model
from rbnotes.multibody.model_constraints import ConstraintEquations, constraint_equations
from rbnotes.multibody.reduced.dynamics import mass_matrix_from_jacobian


def generalized_mass_matrix(model: Model, q: Array, J: Array) -> Array:
    """Return the mass matrix with the armature, from the Jacobian by bodies ``(..., n, 6, k)``."""
    result: Array = mass_matrix_from_jacobian(model.tree, q, J) + np.diag(model.system.armature)
    return result


def predict_model_contacts(model: Model, state: State, h: float) -> ContactPoints:
    """Return the contacts that could close within a step of size h, from the velocities of the bodies."""
    bodies = model.system.maximal_state(state)
    margin = contact_margin(model.colliders, bodies.phi, h, model.tree.gravity)
    return contact_points_unchecked(model.colliders, bodies.E, margin, model.excluded_indices)


def separate_bodies(model: Model, state: State, points: ContactPoints, slop: float) -> State:
    """Return the nearest state of the tree without overlaps and violated limits, in the norm of the masses.

    The state itself is returned if they are within the slop.

    Raises
    ------
    NotSolved
        If the constraints do not let the bodies separate.
    """
    equations = constraint_equations(model, state, state.t)
    if not (np.any(points.gap < -slop) or np.any(equations.limit_gap < -slop)):
        return state
    return displace_bodies(model, state, points, equations, slop)


def displace_bodies(
    model: Model, state: State, points: ContactPoints, equations: ConstraintEquations, slop: float
) -> State:
    """Return the state after the smallest displacement that removes errors of constraints and overlaps.

    Raises
    ------
    NotSolved
        If the constraints do not let the bodies separate.
    """
    tree, kinematics = model.tree, model.system.body_kinematics(state)
    rows = unchecked.jacobian_along(points.normal[:, None], points, kinematics.body_poses).matrix
    J = kinematics.J.reshape(-1, tree.num_coordinates)
    problem = QP(
        generalized_mass_matrix(model, state.q, kinematics.J),
        np.zeros(tree.num_coordinates),
        np.concatenate([rows @ J, equations.limit_rows]),
        np.concatenate([separation_distances(points.gap, slop), -equations.limit_gap]),
        equations.G,
        -equations.error,
    )
    displacement = solve(problem, tolerance=SEPARATION_TOLERANCE).x
    return model.system.reparametrize(replace(state, q=state.q + displacement))
