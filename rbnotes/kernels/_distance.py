"""Distances and least overlaps of cores, as :mod:`rbnotes.contact.distance` has them, number by number.

A core is a box: half extents (3), which may be zero, and the pose ``(4, 4)`` of its frame. Vectors are three
numbers each, lists of points arrays ``(k, 3)``.
"""

import math

import numpy as np
from numba import njit

from rbnotes.contact.distance import PARALLEL

plain = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=True)
"""Called by compiled code alone. No fused products: decisions are to fall as those of the reference do."""

once = njit(error_model="numpy", inline="always")
"""Likewise, for long functions with a single caller: compiled as a part of that, and not twice."""

bare = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)
"""Likewise, for functions that allocate nothing: that references are not counted makes them smaller."""

swift = njit(
    error_model="numpy",
    fastmath={"reassoc", "contract"},
    no_cpython_wrapper=True,
    no_cfunc_wrapper=True,
    _nrt=False,
)
"""Likewise, for sums in any order: of several products at once."""


@bare
def dot(a, b):
    """Of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@bare
def length(a):
    """Of a vector."""
    return math.sqrt(dot(a, a))


@bare
def less(a, b):
    """``a - b``."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@bare
def plus(a, t, b):
    """``a + t b``."""
    return a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]


@bare
def times(t, a):
    """``t a``."""
    return t * a[0], t * a[1], t * a[2]


@bare
def cross(a, b):
    """``a x b``."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@plain
def room(count):
    """For points."""
    return np.empty((count, 3))


@bare
def get(points, i):
    """One of them."""
    return points[i, 0], points[i, 1], points[i, 2]


@bare
def put(points, i, a):
    """Writes one of them."""
    points[i, 0], points[i, 1], points[i, 2] = a


@bare
def column(pose, i):
    """An axis of a frame, or its origin."""
    return pose[0, i], pose[1, i], pose[2, i]


@bare
def placed(pose, x):
    """A point of a body in the world."""
    p = plus(column(pose, 3), x[0], column(pose, 0))
    return plus(plus(p, x[1], column(pose, 1)), x[2], column(pose, 2))


@bare
def corners(half, pose, out):
    """Writes the corners in the order of ``rbnotes.contact.distance.Core.corners``; how many there are."""
    count = 0
    for i in (-1.0, 1.0):
        for j in (-1.0, 1.0):
            for k in (-1.0, 1.0):
                flat = (i < 0 and half[0] == 0) or (j < 0 and half[1] == 0) or (k < 0 and half[2] == 0)
                if not flat:
                    put(out, count, placed(pose, (i * half[0], j * half[1], k * half[2])))
                    count += 1
    return count


@bare
def edges(half, pose, first, last):
    """Writes both ends of the edges; how many there are."""
    count = 0
    for axis in range(3):
        one, two = half[1 if axis == 0 else 0], half[1 if axis == 2 else 2]
        for i in (-1.0, 1.0):
            for j in (-1.0, 1.0):
                if half[axis] > 0 and not (i < 0 and one == 0) and not (j < 0 and two == 0):
                    x, y = i * one, j * two
                    middle = (0.0, x, y) if axis == 0 else (x, 0.0, y) if axis == 1 else (x, y, 0.0)
                    at, along = placed(pose, middle), column(pose, axis)
                    put(first, count, plus(at, -half[axis], along))
                    put(last, count, plus(at, half[axis], along))
                    count += 1
    return count


@bare
def clipped(x, limit):
    """Between the limit and its negative."""
    return min(max(x, -limit), limit)


@bare
def unit(x):
    """Between zero and one."""
    return min(max(x, 0.0), 1.0)


@bare
def closest(half, pose, point):
    """The point of a core closest to a given one."""
    d = less(point, column(pose, 3))
    x, y, z = dot(d, column(pose, 0)), dot(d, column(pose, 1)), dot(d, column(pose, 2))
    return placed(pose, (clipped(x, half[0]), clipped(y, half[1]), clipped(z, half[2])))


@bare
def closest_on_segments(p0, p1, q0, q1):
    """Closest points of two segments."""
    u, v, r = less(p1, p0), less(q1, q0), less(p0, q0)
    uu, vv, uv, ur, vr = dot(u, u), dot(v, v), dot(u, v), dot(u, r), dot(v, r)
    across = uu * vv - uv * uv
    s = (uv * vr - ur * vv) / across if across > PARALLEL * PARALLEL * uu * vv else 0.0
    t = unit((uv * unit(s) + vr) / vv)
    return plus(p0, unit((uv * t - ur) / uu), u), plus(q0, t, v)


@bare
def nearer(new, old):
    """Of two pairs of points the one with the smaller distance; the old one, if these are equal."""
    d, e = less(new[0], new[1]), less(old[0], old[1])
    return new if dot(d, d) < dot(e, e) else old


@plain
def closest_points(half_a, pose_a, half_b, pose_b):
    """Closest points of cores that do not overlap: a corner and any point, or one of an edge of each."""
    first_a, last_a, first_b, last_b = room(12), room(12), room(12), room(12)
    best = (math.inf, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(corners(half_a, pose_a, first_a)):
        x = get(first_a, i)
        best = nearer((x, closest(half_b, pose_b, x)), best)
    for i in range(corners(half_b, pose_b, first_b)):
        y = get(first_b, i)
        best = nearer((closest(half_a, pose_a, y), y), best)
    count_b = edges(half_b, pose_b, first_b, last_b)
    for i in range(edges(half_a, pose_a, first_a, last_a)):
        for j in range(count_b):
            found = closest_on_segments(get(first_a, i), get(last_a, i), get(first_b, j), get(last_b, j))
            best = nearer(found, best)
    return best


@plain
def separating_axis(half_a, pose_a, half_b, pose_b, tie):
    """The direction in which cores separate, from b to a, and the separation along it."""
    axes, weight, separation = room(15), np.ones(15), np.empty(15)
    for i in range(3):
        put(axes, i, column(pose_a, i))
        put(axes, 3 + i, column(pose_b, i))
    count = 6
    for i in range(3):
        for j in range(3):
            across = cross(get(axes, i), get(axes, 3 + j))
            size = length(across)
            if size > PARALLEL:
                put(axes, count, (across[0] / size, across[1] / size, across[2] / size))
                weight[count] = size * size
                count += 1
    between, best = less(column(pose_a, 3), column(pose_b, 3)), 0
    for n in range(count):
        axis, reach = get(axes, n), 0.0
        for i in range(3):
            reach += abs(dot(axis, get(axes, i))) * half_a[i] + abs(dot(axis, get(axes, 3 + i))) * half_b[i]
        separation[n] = abs(dot(axis, between)) - reach
        best = n if separation[n] > separation[best] else best
    largest, normal = separation[best], get(axes, best)
    along = dot(normal, between)
    if not (tie > 0 and abs(along) > tie):
        return (normal if along >= 0 else times(-1.0, normal)), largest
    mean = (0.0, 0.0, 0.0)
    for n in range(count):
        share = max(0.0, 1 - (largest - separation[n]) / tie) * weight[n]
        mean = plus(mean, share if dot(get(axes, n), between) >= 0 else -share, get(axes, n))
    return times(1 / length(mean), mean), largest
