"""Points of contact of all shapes, as :mod:`rbnotes.contact.manifold` and ``detection`` find them.

A shape is a row of numbers, :data:`SHAPE` of them; so is a place of contact, :data:`PLACE`.
"""

import math

import numpy as np

from rbnotes.contact.distance import TOUCHING
from rbnotes.contact.manifold import FLAT, LEANING, THIN, TIE
from rbnotes.kernels._distance import (
    closest_on_segments,
    closest_points,
    column,
    corners,
    cross,
    dot,
    get,
    length,
    less,
    plain,
    plus,
    put,
    room,
    separating_axis,
    times,
)

# Of a shape: pose in its body (16), half extents of the core (3), radius, infinite for a plane.
HALF, RADIUS = 16, 19
SHAPE = 20

PLACE = 7
"""Of a place of contact: position (3), normal (3), gap."""

MOST = 8
"""Places where two shapes touch, at most: a quadrangle cut by four lines, or the corners of a box."""


@plain
def touching(shapes, bodies, pairs, poses, margin, places):
    """Writes the two shapes, counted from zero, and the place of each contact; how many there are.

    Of bodies the last one is the world. No more are written than there is room for.
    """
    frames = np.zeros((len(shapes), 4, 4))
    for i in range(len(shapes)):
        for r in range(4):
            for c in range(4):
                for k in range(4):
                    frames[i, r, c] += poses[bodies[i], r, k] * shapes[i, 4 * k + c]
    found, count = np.empty((MOST, PLACE)), 0
    for n in range(len(pairs)):
        a, b = pairs[n, 0], pairs[n, 1]
        for i in range(where(shapes[a], frames[a], shapes[b], frames[b], margin, found)):
            if count < len(places):
                places[count, 0], places[count, 1] = a, b
                for k in range(PLACE):
                    places[count, 2 + k] = found[i, k]
            count += 1
    return count


@plain
def half_of(shape):
    """Half extents of the core."""
    return shape[HALF], shape[HALF + 1], shape[HALF + 2]


@plain
def written(out, i, position, normal, gap):
    """Writes a place of contact."""
    out[i, 0], out[i, 1], out[i, 2] = position
    out[i, 3], out[i, 4], out[i, 5] = normal
    out[i, 6] = gap


@plain
def where(a, pose_a, b, pose_b, margin, out):
    """Where two shapes touch, of which no more than one is a plane; how many places."""
    half_a, half_b, reach = half_of(a), half_of(b), a[RADIUS] + b[RADIUS]
    if math.isinf(a[RADIUS]):
        return on_plane(half_b, b[RADIUS], pose_b, pose_a, margin, -1.0, out)
    if math.isinf(b[RADIUS]):
        return on_plane(half_a, a[RADIUS], pose_a, pose_b, margin, 1.0, out)
    size = length(half_a) + length(half_b)
    if length(less(column(pose_a, 3), column(pose_b, 3))) - size - reach > margin:
        return 0
    near = TOUCHING * (size + reach)
    normal, separation = separating_axis(half_a, pose_a, half_b, pose_b, near)
    if separation - reach > margin:
        return 0
    if separation > 0:
        x, y = closest_points(half_a, pose_a, half_b, pose_b)
        apart = less(x, y)
        apart = plus(apart, max(0.0, near - length(apart)), normal)
        normal = times(1 / length(apart), apart)
    on_a, on_b = room(MOST), room(MOST)
    count, normal = opposite(half_a, pose_a, half_b, pose_b, normal, separation > 0, on_a, on_b)
    kept = 0
    for i in range(count):
        x, y = get(on_a, i), get(on_b, i)
        gap = dot(less(x, y), normal) - reach
        if gap <= margin:
            middle = plus(plus(x, 1.0, y), b[RADIUS] - a[RADIUS], normal)
            written(out, kept, times(0.5, middle), normal, gap)
            kept += 1
    return kept


@plain
def on_plane(half, radius, pose, plane, margin, sign, out):
    """Where a rounded box touches a half-space; the sign is that of the normal."""
    points, kept, normal = room(MOST), 0, column(plane, 2)
    for i in range(corners(half, pose, points)):
        x = get(points, i)
        gap = dot(less(x, column(plane, 3)), normal) - radius
        if gap <= margin:
            written(out, kept, plus(x, -(radius + gap / 2), normal), times(sign, normal), gap)
            kept += 1
    return kept


@plain
def farthest(half, pose, direction, flat):
    """The corner, edge or face of a core that lies farthest in a direction.

    In how many directions it extends, its middle, the two axes, and the half extents along them.
    """
    dimension, middle, none = 0, column(pose, 3), (0.0, 0.0, 0.0)
    one, two, half_one, half_two = none, none, 0.0, 0.0
    for i in range(3):
        axis = column(pose, i)
        along = dot(direction, axis)
        if not (abs(along) <= flat and half[i] > 0):
            middle = plus(middle, -half[i] if along < 0 else half[i], axis)
        elif dimension == 0:
            dimension, one, half_one = 1, axis, half[i]
        else:
            dimension, two, half_two = 2, axis, half[i]
    return dimension, middle, one, two, half_one, half_two


@plain
def ends(feature, out):
    """Writes the corners of a feature, in order around a face; how many there are."""
    dimension, middle, one, two, half_one, half_two = feature
    if dimension == 0:
        put(out, 0, middle)
        return 1
    left, right = plus(middle, -half_one, one), plus(middle, half_one, one)
    if dimension == 1:
        put(out, 0, left)
        put(out, 1, right)
        return 2
    put(out, 0, plus(left, -half_two, two))
    put(out, 1, plus(right, -half_two, two))
    put(out, 2, plus(right, half_two, two))
    put(out, 3, plus(left, half_two, two))
    return 4


@plain
def opposite(half_a, pose_a, half_b, pose_b, normal, disjoint, on_a, on_b):
    """Writes pairs of points on the cores, one opposite the other; how many, and the normal."""
    down = times(-1.0, normal)
    of_a, of_b = farthest(half_a, pose_a, down, FLAT), farthest(half_b, pose_b, normal, FLAT)
    if of_a[0] == 2 or of_b[0] == 2:
        if tilt(of_a, normal) < tilt(of_b, normal) - TIE:
            count = ends(farthest(half_b, pose_b, normal, LEANING), on_b)
            count, up = on_face(of_a, down, count, on_b, on_a)
            up = times(-1.0, up)
        else:
            count = ends(farthest(half_a, pose_a, down, LEANING), on_a)
            count, up = on_face(of_b, normal, count, on_a, on_b)
        if count:
            return count, up
    elif of_a[0] == 1 and of_b[0] == 1 and length(cross(of_a[2], of_b[2])) < FLAT:
        middle, axis = of_a[1], of_a[2]
        count = between(of_a, ends(of_b, on_b), on_b, axis, of_a[4])
        for i in range(count):
            put(on_a, i, plus(middle, dot(less(get(on_b, i), middle), axis), axis))
        if count:
            return count, normal
    x, y = closest_points(half_a, pose_a, half_b, pose_b)
    if not disjoint:  # edges that overlap least, if it is edges
        of_a, of_b = farthest(half_a, pose_a, down, THIN), farthest(half_b, pose_b, normal, THIN)
        if of_a[0] == 1 and of_b[0] == 1:
            ends(of_a, on_a)
            ends(of_b, on_b)
            x, y = closest_on_segments(get(on_a, 0), get(on_a, 1), get(on_b, 0), get(on_b, 1))
    put(on_a, 0, x)
    put(on_b, 0, y)
    return 1, normal


@plain
def tilt(feature, normal):
    """Of a face, against the plane that is perpendicular to the normal; infinite if it is none."""
    steepest = max(abs(dot(feature[2], normal)), abs(dot(feature[3], normal)))
    return steepest if feature[0] == 2 else math.inf


@plain
def on_face(face, outwards, count, points, below):
    """Keeps the part of a feature over a face, and writes the points below; how many, the face's normal."""
    up = cross(face[2], face[3])
    up = up if dot(up, outwards) > 0 else times(-1.0, up)
    count = between(face, count, points, face[2], face[4])
    count = between(face, count, points, face[3], face[5])
    for i in range(count):
        x = get(points, i)
        put(below, i, plus(x, -dot(less(x, face[1]), up), up))
    return count, up


@plain
def between(feature, count, points, axis, half):
    """Keeps what lies between the ends of a feature along one of its axes; how many corners that has."""
    middle = dot(axis, feature[1])
    count = cut(points, count, axis, middle + half)
    return cut(points, count, times(-1.0, axis), half - middle)


@plain
def cut(polygon, count, side, limit):
    """Keeps the part of a convex polygon, segment or point with ``side . x <= limit``; how many corners."""
    old, kept, slack = room(MOST), 0, 1e-12 * (1 + abs(limit))
    for i in range(count):
        put(old, i, get(polygon, i))
    for i in range(count):
        j = (i + 1) % count
        here, there = dot(get(old, i), side) - limit, dot(get(old, j), side) - limit
        if here <= slack:
            put(polygon, kept, get(old, i))
            kept += 1
        if (count > 2 or j > 0) and min(here, there) < -slack and max(here, there) > slack:
            x, y = get(old, i), get(old, j)
            put(polygon, kept, plus(x, here / (here - there), less(y, x)))
            kept += 1
    return kept
