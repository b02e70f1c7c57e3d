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
from rbnotes.multibody.model_constraints import constraint_equations
from rbnotes.multibody.reduced.dynamics import mass_matrix_from_jacobian


def generalized_mass_matrix(model: Model, q: Array, J: Array) -> Array:
    """Return the mass matrix with the armature, from the Jacobian by bodies ``(..., n, 6, k)``."""
    result: Array = mass_matrix_from_jacobian(model.tree, q, J) + np.diag(model.tree.armature)
    return result


def predict_model_contacts(model: Model, state: State, h: float) -> ContactPoints:
    """Return the contacts that could close within a step of size h, from the velocities of the bodies."""
    bodies = model.tree.maximal_state(state)
    margin = contact_margin(model.colliders, bodies.phi, h, model.tree.gravity)
    return contact_points_unchecked(model.colliders, bodies.E, margin, model.excluded_indices)


def separate_bodies(
    model: Model, state: State, h: float, slop: float, max_error: float = np.inf
) -> tuple[State, ContactPoints]:
    """Return the nearest state of the tree without overlaps and violated limits, and its contacts.

    The masses define the norm of the displacement, which removes errors of the equations, too. Without
    overlaps beyond the slop, and errors beyond ``max_error``, the state itself is returned.

    Raises
    ------
    NotSolved
        If the constraints do not let the bodies separate.
    """
    points = predict_model_contacts(model, state, h)
    equations = constraint_equations(model, state, state.t)
    gaps = np.concatenate([points.gap, equations.limit_gap])
    if np.all(gaps >= -slop) and np.all(np.abs(equations.error) <= max_error):
        return state, points
    tree, kinematics = model.tree, model.tree.body_kinematics(state)
    rows = unchecked.jacobian_along(points.normal[:, None], points, kinematics.body_poses).matrix
    J = kinematics.J.reshape(-1, tree.num_coordinates)
    problem = QP(
        generalized_mass_matrix(model, state.q, kinematics.J),
        np.zeros(tree.num_coordinates),
        np.concatenate([rows @ J, equations.limit_rows]),
        np.concatenate([separation_distances(points.gap, slop), -equations.limit_gap]),
        equations.G,
        -equations.error_to_correct,
    )
    displacement = solve(problem, tolerance=SEPARATION_TOLERANCE).x
    separated = model.tree.reparametrize(replace(state, q=state.q + displacement))
    return separated, predict_model_contacts(model, separated, h)
