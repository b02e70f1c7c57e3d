"""Contact points of all pairs of shapes, as in :mod:`rbnotes.contact.manifolds`.

A shape is a row of :data:`SHAPE_SIZE` numbers, a contact point a row of :data:`CONTACT_POINT_SIZE` numbers.
"""

import math

import numpy as np

from rbnotes.compiled.array_allocation import empty, zeros
from rbnotes.compiled.collision.broad_phase import build_grid, later_neighbors, may_touch
from rbnotes.compiled.collision.distance import (
    LIST_LENGTH,
    NUM_LISTS,
    closest_points,
    corners,
    get_point,
    separating_axis,
)
from rbnotes.compiled.decorators import jit_alloc, jit_noalloc
from rbnotes.compiled.linear_algebra import add_scaled, column, cross, dot, norm, scale, set_row, subtract
from rbnotes.compiled.record_layout import CONTACT_POINT_SIZE
from rbnotes.contact.distance import TOUCHING_TOLERANCE
from rbnotes.contact.manifolds import (
    FLAT_TOLERANCE,
    TILT_TIE_TOLERANCE,
    TILTED_FACE_TOLERANCE,
)

# A shape: pose in its body (16), half extents of the core (3), radius, infinite for a plane.
HALF_EXTENTS, RADIUS = 16, 19
SHAPE_SIZE = 20

MAX_CONTACT_POINTS = 8
"""Most contact points of two shapes: a quadrangle clipped by four lines, or the corners of a box."""


@jit_alloc
def find_contacts(shapes, bodies, excluded_pairs, poses, margin, contact_points):
    """Write both shapes and the contact point of each contact; return the number of contacts.

    The last body is the world. If `contact_points` is full, further contacts are only counted.
    """
    frames, radii = zeros((len(shapes), 4, 4)), empty(len(shapes))
    place_shapes(shapes, bodies, poses, margin, frames, radii)
    centers = frames[:, :3, 3]
    return find_pair_contacts(
        (shapes, bodies, excluded_pairs),
        (frames, centers, radii),
        build_grid(centers, radii),
        margin,
        (
            empty(len(shapes), np.int64),
            empty((NUM_LISTS, LIST_LENGTH, 3)),
            empty((MAX_CONTACT_POINTS, CONTACT_POINT_SIZE)),
        ),
        contact_points,
    )


@jit_noalloc
def place_shapes(shapes, bodies, poses, margin, frames, radii):
    """Write the frames of the shapes, zero before, and the radii of their bounding spheres."""
    for i in range(len(shapes)):
        for r in range(4):
            for c in range(4):
                for k in range(4):
                    frames[i, r, c] += poses[bodies[i], r, k] * shapes[i, 4 * k + c]
        radii[i] = norm(core_half_extents(shapes[i])) + shapes[i, RADIUS] + margin / 2


@jit_noalloc
def find_pair_contacts(model, spheres, grid, margin, workspace, contact_points):
    """Do the work of :func:`find_contacts` for shapes in a grid."""
    shapes, bodies, excluded_pairs = model
    frames, centers, radii = spheres
    neighbors, lists, shape_contact_points = workspace
    count = 0
    for a in range(len(shapes)):
        for n in range(later_neighbors(a, centers, radii, grid, neighbors)):
            b = neighbors[n]
            if not may_touch(excluded_pairs, bodies[a], bodies[b]):
                continue
            for i in range(
                shape_contacts(
                    shapes[a], frames[a], shapes[b], frames[b], margin, lists, shape_contact_points
                )
            ):
                if count < len(contact_points):
                    contact_points[count, 0], contact_points[count, 1] = a, b
                    for k in range(CONTACT_POINT_SIZE):
                        contact_points[count, 2 + k] = shape_contact_points[i, k]
                count += 1
    return count


@jit_noalloc
def core_half_extents(shape):
    """Return the half extents of the core: a rounded box without its radius."""
    return shape[HALF_EXTENTS], shape[HALF_EXTENTS + 1], shape[HALF_EXTENTS + 2]


@jit_noalloc
def write_contact_point(out, i, position, normal, gap):
    """Write contact point i."""
    out[i, 0], out[i, 1], out[i, 2] = position
    out[i, 3], out[i, 4], out[i, 5] = normal
    out[i, 6] = gap


@jit_noalloc
def shape_contacts(a, pose_a, b, pose_b, margin, lists, out):
    """Write the contact points of two shapes, at most one of them a plane; return their number.

    `lists` are working memory ``(8, 15, 3)``.
    """
    half_extents_a, half_extents_b, radius_sum = (
        core_half_extents(a),
        core_half_extents(b),
        a[RADIUS] + b[RADIUS],
    )
    if math.isinf(a[RADIUS]):
        return plane_contacts(half_extents_b, b[RADIUS], pose_b, pose_a, margin, -1.0, lists[0], out)
    if math.isinf(b[RADIUS]):
        return plane_contacts(half_extents_a, a[RADIUS], pose_a, pose_b, margin, 1.0, lists[0], out)
    size = norm(half_extents_a) + norm(half_extents_b)
    touching_distance = TOUCHING_TOLERANCE * (size + radius_sum)
    normal, axis, separation = separating_axis(
        half_extents_a, pose_a, half_extents_b, pose_b, touching_distance, margin + radius_sum, lists
    )
    if separation - radius_sum > margin:
        return 0
    closest = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if separation > 0:
        closest = closest_points(half_extents_a, pose_a, half_extents_b, pose_b, axis, lists)
        separation_vector = subtract(closest[0], closest[1])
        separation_vector = add_scaled(
            separation_vector, max(0.0, touching_distance - norm(separation_vector)), normal
        )
        normal = scale(1 / norm(separation_vector), separation_vector)
    points_a, points_b = lists[5], lists[6]
    overlap = scale(min(separation, 0.0), axis)
    count, normal = opposite_points(
        half_extents_a, pose_a, half_extents_b, pose_b, normal, overlap, closest, lists
    )
    num_points = 0
    for i in range(count):
        x, y = get_point(points_a, i), get_point(points_b, i)
        gap = dot(subtract(x, y), normal) - radius_sum
        if gap <= margin:
            middle = add_scaled(add_scaled(x, 1.0, y), b[RADIUS] - a[RADIUS], normal)
            write_contact_point(out, num_points, scale(0.5, middle), normal, gap)
            num_points += 1
    return num_points


@jit_noalloc
def plane_contacts(half_extents, radius, pose, plane, margin, sign, points, out):
    """Write the contact points of a rounded box and a half-space; `sign` is that of the normal.

    `points` is working memory.
    """
    num_points, normal = 0, column(plane, 2)
    for i in range(corners(half_extents, pose, points)):
        x = get_point(points, i)
        gap = dot(subtract(x, column(plane, 3)), normal) - radius
        if gap <= margin:
            write_contact_point(
                out, num_points, add_scaled(x, -(radius + gap / 2), normal), scale(sign, normal), gap
            )
            num_points += 1
    return num_points


@jit_noalloc
def support_feature(half_extents, pose, direction, tolerance):
    """Return the corner, edge or face of a core that lies farthest in a direction.

    The result is its dimension (0, 1 or 2), its center, its two axes and the half extents along them. An edge
    or a face counts as perpendicular to the unit vector `direction` if the cosine of their angle is at most
    `tolerance`.
    """
    dimension, middle, none = 0, column(pose, 3), (0.0, 0.0, 0.0)
    axis_one, axis_two, half_one, half_two = none, none, 0.0, 0.0
    for i in range(3):
        axis = column(pose, i)
        along = dot(direction, axis)
        if not (abs(along) <= tolerance and half_extents[i] > 0):
            middle = add_scaled(middle, -half_extents[i] if along < 0 else half_extents[i], axis)
        elif dimension == 0:
            dimension, axis_one, half_one = 1, axis, half_extents[i]
        else:
            dimension, axis_two, half_two = 2, axis, half_extents[i]
    return dimension, middle, axis_one, axis_two, half_one, half_two


@jit_noalloc
def feature_corners(feature, out):
    """Write the corners of a feature, in order around a face; return their number."""
    dimension, middle, axis_one, axis_two, half_one, half_two = feature
    if dimension == 0:
        set_row(out, 0, middle)
        return 1
    left, right = add_scaled(middle, -half_one, axis_one), add_scaled(middle, half_one, axis_one)
    if dimension == 1:
        set_row(out, 0, left)
        set_row(out, 1, right)
        return 2
    set_row(out, 0, add_scaled(left, -half_two, axis_two))
    set_row(out, 1, add_scaled(right, -half_two, axis_two))
    set_row(out, 2, add_scaled(right, half_two, axis_two))
    set_row(out, 3, add_scaled(left, half_two, axis_two))
    return 4


@jit_noalloc
def opposite_points(half_extents_a, pose_a, half_extents_b, pose_b, normal, overlap, closest, lists):
    """Write pairs of opposite points on both cores to ``lists[5:7]``; return their number and the normal.

    The cores are disjoint, or only touch, once a has moved by ``-overlap``. Without overlap, `closest` are
    their closest points.
    """
    points_a, points_b, polygon = lists[5], lists[6], lists[7]
    opposite_normal = scale(-1.0, normal)
    feature_a, feature_b = (
        support_feature(half_extents_a, pose_a, opposite_normal, FLAT_TOLERANCE),
        support_feature(half_extents_b, pose_b, normal, FLAT_TOLERANCE),
    )
    if feature_a[0] == 2 or feature_b[0] == 2:
        if face_tilt(feature_a, normal) < face_tilt(feature_b, normal) - TILT_TIE_TOLERANCE:
            count = feature_corners(
                support_feature(half_extents_b, pose_b, normal, TILTED_FACE_TOLERANCE), points_b
            )
            count, face_normal = clip_to_face(feature_a, opposite_normal, count, points_b, points_a, polygon)
            face_normal = scale(-1.0, face_normal)
        else:
            count = feature_corners(
                support_feature(half_extents_a, pose_a, opposite_normal, TILTED_FACE_TOLERANCE), points_a
            )
            count, face_normal = clip_to_face(feature_b, normal, count, points_a, points_b, polygon)
        if count:
            return count, face_normal
    elif feature_a[0] == 1 and feature_b[0] == 1 and norm(cross(feature_a[2], feature_b[2])) < FLAT_TOLERANCE:
        middle, axis = feature_a[1], feature_a[2]
        count = feature_corners(feature_b, points_b)
        count = clip_to_range(feature_a, count, points_b, axis, feature_a[4], polygon)
        for i in range(count):
            set_row(
                points_a, i, add_scaled(middle, dot(subtract(get_point(points_b, i), middle), axis), axis)
            )
        if count:
            return count, normal
    x, y = closest
    if dot(subtract(x, y), subtract(x, y)) == 0:
        center = column(pose_a, 3)
        pose_a[0, 3], pose_a[1, 3], pose_a[2, 3] = subtract(center, overlap)
        x, y = closest_points(half_extents_a, pose_a, half_extents_b, pose_b, normal, lists)
        pose_a[0, 3], pose_a[1, 3], pose_a[2, 3] = center
    set_row(points_a, 0, add_scaled(x, 1.0, overlap))
    set_row(points_b, 0, y)
    return 1, normal


@jit_noalloc
def face_tilt(feature, normal):
    """Return the tilt of a face against the plane normal to `normal`, or infinity for other features."""
    steepest = max(abs(dot(feature[2], normal)), abs(dot(feature[3], normal)))
    return steepest if feature[0] == 2 else math.inf


@jit_noalloc
def clip_to_face(face, outward, count, points, projections, polygon):
    """Clip a feature to a face and project its corners on it; return their number and the face normal.

    `polygon` is working memory.
    """
    face_normal = cross(face[2], face[3])
    face_normal = face_normal if dot(face_normal, outward) > 0 else scale(-1.0, face_normal)
    count = clip_to_range(face, count, points, face[2], face[4], polygon)
    count = clip_to_range(face, count, points, face[3], face[5], polygon)
    for i in range(count):
        x = get_point(points, i)
        set_row(projections, i, add_scaled(x, -dot(subtract(x, face[1]), face_normal), face_normal))
    return count, face_normal


@jit_noalloc
def clip_to_range(feature, count, points, axis, half_length, polygon):
    """Clip a polygon to the extent of a feature along one of its axes; return the number of corners."""
    middle = dot(axis, feature[1])
    count = clip_polygon(points, count, axis, middle + half_length, polygon)
    return clip_polygon(points, count, scale(-1.0, axis), half_length - middle, polygon)


@jit_noalloc
def clip_polygon(polygon, count, side, limit, corners):
    """Clip a convex polygon, segment or point to ``side . x <= limit``; return the number of corners.

    `corners` is working memory.
    """
    num_points, slack = 0, 1e-12 * (1 + abs(limit))
    for i in range(count):
        set_row(corners, i, get_point(polygon, i))
    for i in range(count):
        j = (i + 1) % count
        value, next_value = dot(get_point(corners, i), side) - limit, dot(get_point(corners, j), side) - limit
        if value <= slack:
            set_row(polygon, num_points, get_point(corners, i))
            num_points += 1
        if (count > 2 or j > 0) and min(value, next_value) < -slack and max(value, next_value) > slack:
            x, y = get_point(corners, i), get_point(corners, j)
            set_row(polygon, num_points, add_scaled(x, value / (value - next_value), subtract(y, x)))
            num_points += 1
    return num_points
