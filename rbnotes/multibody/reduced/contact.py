"""Contacts of a tree's links, with each other and with the world (Sueda 2.11).

Contacts are rows on body twists, and by J on the velocities of particles and joints.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rbnotes import arguments
from rbnotes.contact import Collider, ContactPoints, Contacts, contact_jacobian, predict_contacts
from rbnotes.contact.prediction import normal_velocity_targets_unchecked
from rbnotes.dynamics import State
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.unchecked.stabilization import check_error_reduction_rate


def tree_contacts(
    tree: Tree, state: State, points: ContactPoints, h: float, *, gamma: float = 0.0
) -> Contacts:
    """Return the contacts of a step of size h as rows ``(3 c, N)`` on velocities of particles and joints.

    Parameters
    ----------
    points
        Contacts between links, by their indices in the tree, and the world.
    gamma
        Error reduction rate of overlaps, 1/s.

    Raises
    ------
    InvalidArgument
        If ``h`` is not positive or ``gamma`` is not in [0, 2/h].
    """
    arguments.require_instance("tree", tree, Tree)
    arguments.require_instance("state", state, State)
    arguments.require_instance("points", points, ContactPoints)
    h = arguments.positive_number("h", h)
    gamma = check_error_reduction_rate(gamma, h)
    maximal_state = tree.maximal_state(state)
    J = tree.reduction(state).J[: maximal_state.phi.size]
    rows = contact_jacobian(points, maximal_state.E).matrix @ J
    approach = (rows @ state.velocity)[::3]
    speeds = normal_velocity_targets_unchecked(points, approach, h, tree.gravity)
    speeds = np.where(points.gap < 0, np.maximum(speeds, -gamma * points.gap), speeds)
    return Contacts(rows, points.mu, speeds)


def _predict_contacts(
    tree: Tree,
    maximal_state: State,
    colliders: Sequence[Collider],
    h: float,
    excluded_pairs: Sequence[tuple[int, int]] | None,
) -> ContactPoints:
    """Return the contacts that could close within a step of size h from a maximal state.

    Pairs ``excluded_pairs`` do not touch: by default each link and its parent.
    """
    if excluded_pairs is None:
        excluded_pairs = [(i, parent) for i, parent in enumerate(tree.parents) if parent >= 0]
    return predict_contacts(
        colliders, maximal_state.E, maximal_state.phi, h, tree.gravity, excluded_pairs=excluded_pairs
    )
