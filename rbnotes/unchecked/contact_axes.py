"""Directions at contacts for valid unit normals, without argument checks."""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array
from rbnotes.unchecked.linear_algebra import cross


def tangent_directions(normals: Array) -> Array:
    """Return orthonormal pairs ``(..., 2, 3)`` perpendicular to unit normals ``(..., 3)``."""
    axis = np.eye(3)[np.argmin(np.abs(normals), axis=-1)]
    first = cross(axis, normals)
    first /= np.linalg.norm(first, axis=-1, keepdims=True)
    return np.stack([first, cross(normals, first)], axis=-2)


def contact_axes(normals: Array) -> Array:
    """Return unit normals ``(..., 3)`` and their tangents, as rows ``(..., 3, 3)``."""
    return np.concatenate([normals[..., None, :], tangent_directions(normals)], axis=-2)
