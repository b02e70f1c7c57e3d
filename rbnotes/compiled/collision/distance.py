"""Distance and penetration of the cores of shapes, as in :mod:`rbnotes.contact.distance`.

A core is a box: half extents (3), which may be zero, and the pose ``(4, 4)`` of its frame. Vectors are tuples
of three numbers, lists of points arrays ``(k, 3)``.
"""

import math

from rbnotes.compiled.decorators import jit_noalloc
from rbnotes.compiled.linear_algebra import add_scaled, column, cross, dot, norm, scale, set_row, subtract
from rbnotes.contact.distance import PARALLEL_TOLERANCE

NUM_LISTS, LIST_LENGTH = 8, 15
"""Size of the working memory of two shapes: lists of points ``(8, 15, 3)``."""

EDGE_MARGIN = 1 + 1e-9
"""Factor of the distance beyond which edges are skipped, against rounding."""


@jit_noalloc
def get_point(points, i):
    """Return point i as a tuple."""
    return points[i, 0], points[i, 1], points[i, 2]


@jit_noalloc
def transform_point(pose, x):
    """Transform a point from the frame to the world."""
    p = add_scaled(column(pose, 3), x[0], column(pose, 0))
    return add_scaled(add_scaled(p, x[1], column(pose, 1)), x[2], column(pose, 2))


@jit_noalloc
def corners(half_extents, pose, out):
    """Write the corners in the order of ``rbnotes.contact.distance.Core.corners``; return their number."""
    count = 0
    for i in (-1.0, 1.0):
        for j in (-1.0, 1.0):
            for k in (-1.0, 1.0):
                flat = (
                    (i < 0 and half_extents[0] == 0)
                    or (j < 0 and half_extents[1] == 0)
                    or (k < 0 and half_extents[2] == 0)
                )
                if not flat:
                    set_row(
                        out,
                        count,
                        transform_point(
                            pose, (i * half_extents[0], j * half_extents[1], k * half_extents[2])
                        ),
                    )
                    count += 1
    return count


@jit_noalloc
def edges(half_extents, pose, first, last):
    """Write both ends of each edge; return the number of edges."""
    count = 0
    for axis in range(3):
        half_one, half_two = half_extents[1 if axis == 0 else 0], half_extents[1 if axis == 2 else 2]
        for i in (-1.0, 1.0):
            for j in (-1.0, 1.0):
                if half_extents[axis] > 0 and not (i < 0 and half_one == 0) and not (j < 0 and half_two == 0):
                    x, y = i * half_one, j * half_two
                    middle = (0.0, x, y) if axis == 0 else (x, 0.0, y) if axis == 1 else (x, y, 0.0)
                    center, direction = transform_point(pose, middle), column(pose, axis)
                    set_row(first, count, add_scaled(center, -half_extents[axis], direction))
                    set_row(last, count, add_scaled(center, half_extents[axis], direction))
                    count += 1
    return count


@jit_noalloc
def clamp(x, limit):
    """Clamp x to ``[-limit, limit]``."""
    return min(max(x, -limit), limit)


@jit_noalloc
def clamp_unit(x):
    """Clamp x to ``[0, 1]``."""
    return min(max(x, 0.0), 1.0)


@jit_noalloc
def closest_point(half_extents, pose, point):
    """Return the point of a core that is closest to `point`."""
    d = subtract(point, column(pose, 3))
    x, y, z = dot(d, column(pose, 0)), dot(d, column(pose, 1)), dot(d, column(pose, 2))
    return transform_point(
        pose, (clamp(x, half_extents[0]), clamp(y, half_extents[1]), clamp(z, half_extents[2]))
    )


@jit_noalloc
def closest_points_of_segments(p0, p1, q0, q1):
    """Return the closest points of two segments."""
    u, v, r = subtract(p1, p0), subtract(q1, q0), subtract(p0, q0)
    uu, vv, uv, ur, vr = dot(u, u), dot(v, v), dot(u, v), dot(u, r), dot(v, r)
    determinant = uu * vv - uv * uv
    s = (
        (uv * vr - ur * vv) / determinant
        if determinant > PARALLEL_TOLERANCE * PARALLEL_TOLERANCE * uu * vv
        else 0.0
    )
    t = clamp_unit((uv * clamp_unit(s) + vr) / vv)
    return add_scaled(p0, clamp_unit((uv * t - ur) / uu), u), add_scaled(q0, t, v)


@jit_noalloc
def closer_pair(new, old):
    """Return the pair of points with the smaller distance; the old pair if the distances are equal."""
    d, e = subtract(new[0], new[1]), subtract(old[0], old[1])
    return new if dot(d, d) < dot(e, e) else old


@jit_noalloc
def extent_along(axis, x, y):
    """Return the smaller and the larger coordinate of two points along an axis."""
    p, q = dot(axis, x), dot(axis, y)
    return min(p, q), max(p, q)


@jit_noalloc
def closest_points(half_extents_a, pose_a, half_extents_b, pose_b, axis, lists):
    """Return the closest points of two disjoint cores: a corner and any point, or points of an edge each.

    Edges whose distance along the unit vector `axis` exceeds that of the closest points so far are skipped;
    they are many if it points from b to a. The first five `lists` are working memory.
    """
    first_a, last_a, first_b, last_b, extents_b = lists[0], lists[1], lists[2], lists[3], lists[4]
    best = (math.inf, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(corners(half_extents_a, pose_a, first_a)):
        x = get_point(first_a, i)
        best = closer_pair((x, closest_point(half_extents_b, pose_b, x)), best)
    for i in range(corners(half_extents_b, pose_b, first_b)):
        y = get_point(first_b, i)
        best = closer_pair((closest_point(half_extents_a, pose_a, y), y), best)
    count_b = edges(half_extents_b, pose_b, first_b, last_b)
    for j in range(count_b):
        _, extents_b[j, 0] = extent_along(axis, get_point(first_b, j), get_point(last_b, j))
    max_distance = EDGE_MARGIN * norm(subtract(best[0], best[1]))
    for i in range(edges(half_extents_a, pose_a, first_a, last_a)):
        a0, a1 = get_point(first_a, i), get_point(last_a, i)
        lowest, _ = extent_along(axis, a0, a1)
        for j in range(count_b):
            if lowest - extents_b[j, 0] <= max_distance:
                b0, b1 = get_point(first_b, j), get_point(last_b, j)
                best = closer_pair(closest_points_of_segments(a0, a1, b0, b1), best)
    return best


@jit_noalloc
def separation_along(axes, n, half_extents_a, half_extents_b, offset):
    """Return the separation of two cores along axis n; the first six axes are those of the cores."""
    axis, extent = get_point(axes, n), 0.0
    for i in range(3):
        extent += (
            abs(dot(axis, get_point(axes, i))) * half_extents_a[i]
            + abs(dot(axis, get_point(axes, 3 + i))) * half_extents_b[i]
        )
    return abs(dot(axis, offset)) - extent


@jit_noalloc
def separating_axis(half_extents_a, pose_a, half_extents_b, pose_b, tolerance, limit, lists):
    """Return the contact normal from b to a, the axis of the largest separation, and that separation.

    The normal is the axis or, if the cores touch, the mean of the axes that are nearly as good. If a
    separation exceeds `limit`, its axis is returned without comparing further ones. The first three `lists`
    are working memory.
    """
    axes, weight, separation = lists[0], lists[1, :, 0], lists[2, :, 0]
    offset, best = subtract(column(pose_a, 3), column(pose_b, 3)), 0
    for i in range(3):
        set_row(axes, i, column(pose_a, i))
        set_row(axes, 3 + i, column(pose_b, i))
        weight[i], weight[3 + i] = 1.0, 1.0
    for n in range(6):
        separation[n] = separation_along(axes, n, half_extents_a, half_extents_b, offset)
        best = n if separation[n] > separation[best] else best
        if separation[n] > limit:
            axis = get_point(axes, n)
            return axis, axis, separation[n]
    count = 6
    for i in range(3):
        for j in range(3):
            product = cross(get_point(axes, i), get_point(axes, 3 + j))
            size = norm(product)
            if size > PARALLEL_TOLERANCE:
                set_row(axes, count, (product[0] / size, product[1] / size, product[2] / size))
                weight[count] = size * size
                count += 1
    for n in range(6, count):
        separation[n] = separation_along(axes, n, half_extents_a, half_extents_b, offset)
        best = n if separation[n] > separation[best] else best
    largest, axis = separation[best], get_point(axes, best)
    along = dot(axis, offset)
    axis = axis if along >= 0 else scale(-1.0, axis)
    tolerance = min(tolerance, 2 * tolerance + largest)
    if not (tolerance > 0 and abs(along) > tolerance):
        return axis, axis, largest
    mean = (0.0, 0.0, 0.0)
    for n in range(count):
        axis_weight = max(0.0, 1 - (largest - separation[n]) / tolerance) * weight[n]
        mean = add_scaled(
            mean, axis_weight if dot(get_point(axes, n), offset) >= 0 else -axis_weight, get_point(axes, n)
        )
    return scale(1 / norm(mean), mean), axis, largest
