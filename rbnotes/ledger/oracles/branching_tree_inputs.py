"""Draw the inputs of records about trees, and build the library's tree of them (not for oracles)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import expm

from rbnotes import inertia, joints
from rbnotes.arguments import Array
from rbnotes.dynamics import State
from rbnotes.ledger.oracles.twists import twist_matrix
from rbnotes.multibody.reduced import ConstraintRows, Link, Tree
from rbnotes.testing.strategies import arrays, round_poses, vectors

NAMES = ("cross", "hinge", "slider", "other hinge")
CORNERS = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / 2


def _make_frames(numbers: Array) -> Array:
    frames: Array = expm(np.array([[twist_matrix(xi / 2) for xi in pair] for pair in numbers]))
    return round_poses(frames)


def _make_mass_points(numbers: Array) -> Array:
    bodies = numbers / 4
    bodies[..., 0] += 1
    bodies[..., 1:] += CORNERS
    return bodies


def mass_points(count: int) -> st.SearchStrategy[Array]:
    """Draw bodies ``(count, 4, 4)`` of four affinely independent points each: mass, then position."""
    return arrays(count, 4, 4).map(_make_mass_points)


def placements(count: int) -> st.SearchStrategy[Array]:
    """Draw the joint and body frames ``(count, 2, 4, 4)`` of each link."""
    return arrays(count, 2, 6).map(_make_frames)


TREE = {
    "link_frames": placements(4),
    "bodies": mass_points(4),
    "g": vectors(3),
    "q": arrays(5),
    "v": arrays(5),
}
"""A branching tree at some state: see :mod:`rbnotes.ledger.oracles.branching_tree`."""


def spatial_inertia(points: Array) -> Array:
    """Return the spatial inertia of point masses ``(p, 4)``, mass first."""
    masses, x = points[:, 0], points[:, 1:]
    com = masses @ x / np.sum(masses)
    arms = x - com
    moments = np.einsum("p,pij->ij", masses, np.einsum("pk,pk->p", arms, arms)[:, None, None] * np.eye(3))
    moments -= np.einsum("p,pi,pj->ij", masses, arms, arms)
    return inertia.spatial_inertia(np.sum(masses), moments, com)


def library_tree(link_frames: Array, bodies: Array, g: Any = (0.0, 0.0, 0.0)) -> Tree:
    """Return the branching tree as a tree of the library.

    The most recent trees are cached, because records ask for the same tree repeatedly.
    """
    return _library_tree(
        np.ascontiguousarray(link_frames).tobytes(), np.ascontiguousarray(bodies).tobytes(), tuple(g)
    )


@lru_cache(maxsize=128)
def _library_tree(link_frames: bytes, bodies: bytes, g: tuple[float, ...]) -> Tree:
    kinds = (joints.Universal(), joints.Revolute(), joints.Prismatic(), joints.Revolute())
    parents = (None, NAMES[0], NAMES[1], NAMES[0])
    frames, points = np.frombuffer(link_frames).reshape(4, 2, 4, 4), np.frombuffer(bodies).reshape(4, 4, 4)
    links = zip(NAMES, kinds, points, parents, frames, strict=True)
    return Tree(
        [
            Link(name, joint, spatial_inertia(body_points), parent, *pair)
            for name, joint, body_points, parent, pair in links
        ],
        gravity=g,
    )


class QuadraticConstraint:
    """Constrain the joint coordinates by ``q^T A_i q / 2 + b_i^T q = c_i``, or ``>= c_i`` if `unilateral`."""

    def __init__(self, A: Array, b: Array, level: Array | float = 0.0, *, unilateral: bool = False) -> None:
        self.A, self.b, self.level, self.unilateral = A, b, level, unilateral

    def rows(self, tree: Tree, state: State, t: float) -> ConstraintRows:
        """Return the constraint rows, their value and their second derivatives."""
        A = (self.A + np.swapaxes(self.A, -1, -2)) / 2
        G = A @ state.q + self.b
        error = (G + self.b) @ state.q / 2 - self.level
        return ConstraintRows(G, error, np.zeros(len(G)), A @ state.qdot @ state.qdot)
