"""Motion without forces of bodies alone on free or ball joints (:mod:`rbnotes.multibody.tree_free_motion`).

The center of mass of a free body, or the fixed point of a body on a ball joint, moves uniformly; the rotation
solves Euler's equations to rounding (:mod:`rbnotes.compiled.simulation.free_motion`).
"""

import math
from typing import Any, NamedTuple

from rbnotes.compiled.decorators import jit_fma
from rbnotes.compiled.linear_algebra import (
    add_scaled,
    cross,
    dot,
    matvec,
    matvec_transposed,
    norm,
    quaternion_product,
    subtract,
)
from rbnotes.compiled.recursions.multi_dof_joints import stumpff
from rbnotes.compiled.simulation.free_motion import ARGUMENTS, RESULTS, rotate_eight
from rbnotes.dynamics.free_rotation import MAX_SERIES_ANGLE, MAX_SUBSTEPS


class FreeParts(NamedTuple):
    """Parts with rotation vectors that move as free bodies.

    Attributes
    ----------
    part
        Indices of the f parts ``(f,)``.
    first_translation
        First of the three coordinates of the position ``(f,)``; the number of coordinates if there are none.
    center
        Points that move uniformly in the frames of the parts ``(f, 3)``.
    inertia, inverse_inertia
        Inertias about these points, and their inverses ``(f, 3, 3)``.
    is_free
        1 for coordinates of these parts, 0 for others ``(k,)``.
    """

    part: Any
    first_translation: Any
    center: Any
    inertia: Any
    inverse_inertia: Any
    is_free: Any


@jit_fma
def advance_free_parts(tree, free, h, initial, v, final, series):
    """Write coordinates and velocities of free parts after a time h; return False if one turns too far."""
    for f in range(len(free.part)):
        i, R, columns = free.part[f], initial.R[free.part[f]], initial.columns
        first = tree.first_coordinate[i]
        vector = (initial.q[first], initial.q[first + 1], initial.q[first + 2])
        w = (0.0, 0.0, 0.0)
        for j in range(first, first + 3):
            w = add_scaled(w, v[j], (columns[j, 0], columns[j, 1], columns[j, 2]))
        arm, own = matvec(R, free.center[f]), matvec_transposed(R, w)
        angle = h * norm(w) / MAX_SERIES_ANGLE
        if not angle <= MAX_SUBSTEPS:  # before it is rounded to an integer, which may overflow
            return False
        momentum = matvec(free.inertia[f], own)
        for lane in range(8):
            for n in range(12):
                series[ARGUMENTS + 8 * n + lane] = 0.0
        series[ARGUMENTS], series[ARGUMENTS + 8], series[ARGUMENTS + 16] = momentum
        for a in range(3):
            for b in range(3):
                series[ARGUMENTS + 24 + 8 * (3 * a + b)] = free.inverse_inertia[f, a, b]
        rotate_eight(h, max(1, math.ceil(angle)), series)
        turn = (series[RESULTS], series[RESULTS + 8], series[RESULTS + 16], series[RESULTS + 24])
        own = (series[RESULTS + 32], series[RESULTS + 40], series[RESULTS + 48])
        moved = continued_rotation_vector(vector, turn)
        rates = rotation_vector_rates(moved, own)
        for n in range(3):
            final.q[first + n], final.v[first + n] = moved[n], rates[n]
        start = free.first_translation[f]
        if start < len(v):
            # In axes of the part before the motion, the center is carried by the rotation `turn`.
            rotated = rotate(turn, (free.center[f, 0], free.center[f, 1], free.center[f, 2]))
            velocity = cross(w, arm)
            for j in range(start, start + 3):
                velocity = add_scaled(velocity, v[j], (columns[j, 3], columns[j, 4], columns[j, 5]))
            end_arm, end_w = matvec(R, rotated), matvec(R, rotate(turn, own))
            shift = add_scaled(subtract(arm, end_arm), h, velocity)
            velocity = subtract(velocity, cross(end_w, end_arm))
            for j in range(start, start + 3):
                axis = (columns[j, 3], columns[j, 4], columns[j, 5])
                final.q[j], final.v[j] = initial.q[j] + dot(axis, shift), dot(axis, velocity)
    return True


@jit_fma
def rotate(q, x):
    """Rotate a vector by a unit quaternion."""
    axis = (q[1], q[2], q[3])
    once = cross(axis, x)
    return add_scaled(add_scaled(x, 2.0 * q[0], once), 2.0, cross(axis, once))


@jit_fma
def continued_rotation_vector(vector, turn):
    """Return the rotation vector of ``exp(vector)`` followed by a turn, the one nearest to `vector`."""
    angle = norm(vector)
    ratio = math.sin(angle / 2) / angle if angle > 0 else 0.5
    q = quaternion_product(
        (math.cos(angle / 2), ratio * vector[0], ratio * vector[1], ratio * vector[2]), turn
    )
    sign = 1.0 if q[0] >= 0 else -1.0
    axis = (sign * q[1], sign * q[2], sign * q[3])
    size = norm(axis)
    length = 2 * math.atan2(size, sign * q[0])
    if size == 0:
        return 0.0, 0.0, 0.0
    along = dot(axis, vector) / size
    factor = (length + 2 * math.pi * round((along - length) / (2 * math.pi))) / size
    return factor * axis[0], factor * axis[1], factor * axis[2]


@jit_fma
def rotation_vector_rates(vector, w):
    """Return the rates of a rotation vector at an angular velocity in the rotated frame."""
    square = dot(vector, vector)
    c1, c2, _, _, _ = stumpff(square)
    if square < 0.25:
        factor = 1 / 30240 + square * (1 / 1209600 + square / 47900160)
        factor = 1 / 12 + square * (1 / 720 + square * factor)
    else:
        factor = (1 - c1 / (2 * c2)) / square
    once = cross(vector, w)
    return add_scaled(add_scaled(w, 0.5, once), factor, cross(vector, once))
