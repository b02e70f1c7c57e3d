"""Kinematics and mass matrix of a tree at one configuration, in joint coordinates.

The tree consists of parts: single-axis joints and rotation vectors, with the bodies fixed to them
(:mod:`rbnotes.multibody.packing.packed_tree`). Spatial vectors are in world axes. Those of one root are about
the origin of its first part with mass: far from the world's origin, rounding would exceed the inertia of a
body about itself. The composite-rigid-body algorithm gives the mass matrix.
"""

import math
from typing import Any, NamedTuple

from rbnotes.compiled.decorators import jit_fma
from rbnotes.compiled.linear_algebra import (
    add_scaled,
    cross,
    dot,
    fill_array,
    matvec,
    matvec_transposed,
    norm,
    set_row,
    subtract,
)
from rbnotes.compiled.padded_matrices import multiply_transposed
from rbnotes.compiled.recursions.multi_dof_joints import stumpff
from rbnotes.compiled.simd.lanes import NUM_LANES, broadcast8, read, write


class PartTree(NamedTuple):
    """Parts of a tree, parents first, and the bodies fixed to them.

    Attributes
    ----------
    parent
        Parent of each of P parts ``(P,)``; P is the world.
    first_coordinate
        Index of the first coordinate ``(P,)``.
    num_coordinates
        Number of coordinates ``(P,)``: one of an axis, three of a rotation vector.
    origin
        Part of the same root at whose origin spatial vectors are taken ``(P,)``.
    placement_rotation, placement_position
        Frames at zero coordinates in the frames of the parents ``(P, 3, 3)`` and ``(P, 3)``, m.
    rates
        Angle and distance along axis 2 per unit of the coordinate ``(P, 2)``.
    mass, center, inertia
        Masses ``(P,)``, centers of mass ``(P, 3)`` and inertias about them ``(P, 3, 3)``, in the frames of
        the parts.
    armature
        Inertias that rotors add to the mass matrix ``(k,)``.
    support
        1 for the coordinates up to each one that move its part, otherwise 0, padded ``(k, w)``.
    body_part
        Part that each of n bodies is fixed to ``(n,)``, or P.
    body_rotation, body_position
        Frames of the bodies in those of their parts ``(n, 3, 3)`` and ``(n, 3)``, m.
    """

    parent: Any
    first_coordinate: Any
    num_coordinates: Any
    origin: Any
    placement_rotation: Any
    placement_position: Any
    rates: Any
    mass: Any
    center: Any
    inertia: Any
    armature: Any
    support: Any
    body_part: Any
    body_rotation: Any
    body_position: Any


class TreeConfiguration(NamedTuple):
    """Coordinates and velocities of a tree, and the quantities that follow from the coordinates.

    Attributes
    ----------
    q, v
        Coordinates and velocities ``(k,)``.
    R, p
        Orientations ``(P + 1, 3, 3)`` and origins ``(P + 1, 3)`` of the parts and of the world.
    columns
        Twists of the parts per unit velocity of their joints ``(k, 6)``.
    component_rows
        The same numbers, with a padded row for each component ``(6, w)``.
    M
        Mass matrix, rows padded to w numbers ``(k, w)``.
    implicit
        Implicit terms on the diagonal of the factored matrix ``(k,)``, NaN if none is factored.
    L, inverse_pivots
        Factor of the mass matrix with these terms ``(k, w)`` and ``(k,)``, see
        :func:`~rbnotes.compiled.padded_matrices.factor_cholesky`.
    impulse, change
        Impulses ``(k,)`` and the changes of velocities, padded ``(w,)``, that they make with these factors;
        the first impulse is NaN if there are none.
    inertia
        Inertias of the coordinates if the others are free, padded ``(w,)``.
    gravity
        Generalized force of gravity ``(k,)``.
    composite
        Mass, first moment and inertia of the bodies of each part and its descendants ``(P, 13)``.
    twists
        Twists of the parts and of the world ``(P + 1, 6)``, of the last call of :func:`write_twists`.
    """

    q: Any
    v: Any
    R: Any
    p: Any
    columns: Any
    component_rows: Any
    M: Any
    implicit: Any
    L: Any
    inverse_pivots: Any
    impulse: Any
    change: Any
    inertia: Any
    gravity: Any
    composite: Any
    twists: Any


@jit_fma
def update_configuration(tree, gravity, configuration):
    """Write all that follows from the coordinates."""
    place_parts(tree, configuration)
    write_composite_inertias(tree, configuration)
    write_mass_matrix(tree, gravity, configuration)
    fill_array(configuration.implicit, math.nan)


@jit_fma
def place_parts(tree, configuration):
    """Write the poses of the parts, then their columns, about the origin that the parts of a root share."""
    R, p, q, columns = configuration.R, configuration.p, configuration.q, configuration.columns
    for i in range(len(tree.parent)):
        parent, own, first, placement = tree.parent[i], R[i], tree.first_coordinate[i], R[tree.parent[i]]
        shift, rest = matvec(placement, tree.placement_position[i]), tree.placement_rotation[i]
        position = (p[parent, 0] + shift[0], p[parent, 1] + shift[1], p[parent, 2] + shift[2])
        if tree.num_coordinates[i] == 1:
            angle = tree.rates[i, 0] * q[first]
            s, c = math.sin(angle), math.cos(angle)
            for r in range(3):
                row = (placement[r, 0], placement[r, 1], placement[r, 2])
                x = row[0] * rest[0, 0] + row[1] * rest[1, 0] + row[2] * rest[2, 0]
                y = row[0] * rest[0, 1] + row[1] * rest[1, 1] + row[2] * rest[2, 1]
                own[r, 0], own[r, 1] = x * c + y * s, y * c - x * s
                own[r, 2] = row[0] * rest[0, 2] + row[1] * rest[1, 2] + row[2] * rest[2, 2]
            axis = (own[0, 2], own[1, 2], own[2, 2])
            set_row(p, i, add_scaled(position, tree.rates[i, 1] * q[first], axis))
        else:
            x, y, z = q[first], q[first + 1], q[first + 2]
            square = x * x + y * y + z * z
            c1, c2, _, _, _ = stumpff(square)
            c = 1.0 - c2 * square
            first_column = (c + c2 * x * x, c2 * x * y + c1 * z, c2 * x * z - c1 * y)
            second_column = (c2 * x * y - c1 * z, c + c2 * y * y, c2 * y * z + c1 * x)
            third_column = (c2 * x * z + c1 * y, c2 * y * z - c1 * x, c + c2 * z * z)
            for r in range(3):
                row = (placement[r, 0], placement[r, 1], placement[r, 2])
                moved = (
                    row[0] * rest[0, 0] + row[1] * rest[1, 0] + row[2] * rest[2, 0],
                    row[0] * rest[0, 1] + row[1] * rest[1, 1] + row[2] * rest[2, 1],
                    row[0] * rest[0, 2] + row[1] * rest[1, 2] + row[2] * rest[2, 2],
                )
                own[r, 0], own[r, 1], own[r, 2] = (
                    dot(moved, first_column),
                    dot(moved, second_column),
                    dot(moved, third_column),
                )
            set_row(p, i, position)
    for i in range(len(tree.parent)):
        first, own, origin = tree.first_coordinate[i], R[i], p[tree.origin[i]]
        arm = subtract((origin[0], origin[1], origin[2]), (p[i, 0], p[i, 1], p[i, 2]))
        if tree.num_coordinates[i] == 1:
            axis, column = (own[0, 2], own[1, 2], own[2, 2]), columns[first]
            w = (tree.rates[i, 0] * axis[0], tree.rates[i, 0] * axis[1], tree.rates[i, 0] * axis[2])
            u = add_scaled(cross(w, arm), tree.rates[i, 1], axis)
            column[0], column[1], column[2] = w
            column[3], column[4], column[5] = u
        else:
            vector = (q[first], q[first + 1], q[first + 2])
            c1, c2, c3, _, _ = stumpff(dot(vector, vector))
            for j in range(3):
                e = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
                # A column of the right Jacobian, c_1 - c_2 hat(q) + c_3 q q^T.
                in_part = add_scaled(add_scaled((0.0, 0.0, 0.0), c1, e), c3 * vector[j], vector)
                w, column = matvec(own, add_scaled(in_part, -c2, cross(vector, e))), columns[first + j]
                column[0], column[1], column[2] = w
                column[3], column[4], column[5] = cross(w, arm)


@jit_fma
def write_composite_inertias(tree, configuration):
    """Write mass, first moment and inertia of each part and all parts that it carries."""
    R, p, composite = configuration.R, configuration.p, configuration.composite
    for i in range(len(tree.parent)):
        m, own, row, o = tree.mass[i], composite[i], R[i], tree.origin[i]
        arm = matvec(row, tree.center[i])
        c = (p[i, 0] + arm[0] - p[o, 0], p[i, 1] + arm[1] - p[o, 1], p[i, 2] + arm[2] - p[o, 2])
        own[0], own[1], own[2], own[3] = m, m * c[0], m * c[1], m * c[2]
        square, J = dot(c, c), tree.inertia[i]
        for a in range(3):
            along = (
                row[a, 0] * J[0, 0] + row[a, 1] * J[1, 0] + row[a, 2] * J[2, 0],
                row[a, 0] * J[0, 1] + row[a, 1] * J[1, 1] + row[a, 2] * J[2, 1],
                row[a, 0] * J[0, 2] + row[a, 1] * J[1, 2] + row[a, 2] * J[2, 2],
            )
            for b in range(3):
                about_center = along[0] * row[b, 0] + along[1] * row[b, 1] + along[2] * row[b, 2]
                own[4 + 3 * a + b] = about_center + m * ((square if a == b else 0.0) - c[a] * c[b])
    for back in range(len(tree.parent)):
        i = len(tree.parent) - 1 - back
        if tree.parent[i] < len(tree.parent):
            for n in range(13):
                composite[tree.parent[i], n] += composite[i, n]


@jit_fma
def write_mass_matrix(tree, gravity, configuration):
    """Write the mass matrix, armature included, and the generalized force of gravity."""
    columns, components, M = configuration.columns, configuration.component_rows, configuration.M
    for j in range(len(M)):
        for n in range(6):
            components[n, j] = columns[j, n]
    for i in range(len(tree.parent)):
        own = configuration.composite[i]
        m, moment = own[0], (own[1], own[2], own[3])
        torque = cross(moment, gravity)
        for j in range(tree.first_coordinate[i], tree.first_coordinate[i] + tree.num_coordinates[i]):
            s = columns[j]
            w, u = (s[0], s[1], s[2]), (s[3], s[4], s[5])
            configuration.gravity[j] = dot(w, torque) + m * dot(u, gravity)
            force = add_scaled(cross(w, moment), m, u)
            momentum = cross(moment, u)
            momentum = (
                momentum[0] + own[4] * w[0] + own[5] * w[1] + own[6] * w[2],
                momentum[1] + own[7] * w[0] + own[8] * w[1] + own[9] * w[2],
                momentum[2] + own[10] * w[0] + own[11] * w[1] + own[12] * w[2],
            )
            write_mass_row(components, tree.support[j], momentum, force, M[j])
    for j in range(len(M)):
        M[j, j] += tree.armature[j]
        for k in range(j):
            M[k, j] = M[j, k]


@jit_fma
def write_mass_row(components, support, momentum, force, row):
    """Write the products of a momentum about the origin, six numbers, with the supporting columns."""
    like = broadcast8(0.0)
    for c in range(0, len(row), NUM_LANES):
        angular = (
            read(components[0], c, like) * momentum[0]
            + read(components[1], c, like) * momentum[1]
            + read(components[2], c, like) * momentum[2]
        )
        linear = (
            read(components[3], c, like) * force[0]
            + read(components[4], c, like) * force[1]
            + read(components[5], c, like) * force[2]
        )
        write(row, c, (angular + linear) * read(support, c, like))


@jit_fma
def potential_energy(tree, gravity, configuration):
    """Return the potential energy of gravity; it vanishes if all centers of mass are at the origin."""
    total, R, p = 0.0, configuration.R, configuration.p
    for i in range(len(tree.parent)):
        arm = matvec(R[i], tree.center[i])
        total -= tree.mass[i] * dot(gravity, (p[i, 0] + arm[0], p[i, 1] + arm[1], p[i, 2] + arm[2]))
    return total


@jit_fma
def kinetic_energies(M, v, is_free, momentum):
    """Return the kinetic energy, and that without free parts; `momentum` is working memory ``(w,)``."""
    multiply_transposed(M, v, momentum)
    total, coupled = 0.0, 0.0
    for j in range(len(v)):
        total += momentum[j] * v[j]
        coupled += (1.0 - is_free[j]) * momentum[j] * v[j]
    return total / 2, coupled / 2


@jit_fma
def write_twists(tree, configuration):
    """Write the twists of the parts at the velocities of the configuration."""
    twists, columns, v = configuration.twists, configuration.columns, configuration.v
    for i in range(len(tree.parent)):
        own, parent = twists[i], twists[tree.parent[i]]
        for n in range(6):
            own[n] = parent[n]
        for j in range(tree.first_coordinate[i], tree.first_coordinate[i] + tree.num_coordinates[i]):
            for n in range(6):
                own[n] += columns[j, n] * v[j]


@jit_fma
def fastest_surface_speed(tree, bounding_radii, configuration):
    """Return a bound of the speeds of all points of the bodies, at the twists of the parts."""
    fastest, p = 0.0, configuration.p
    for b in range(len(tree.body_part)):
        part = tree.body_part[b]
        if part < len(tree.parent):
            twist, o = configuration.twists[part], tree.origin[part]
            w, arm = (twist[0], twist[1], twist[2]), matvec(configuration.R[part], tree.body_position[b])
            shift = (p[part, 0] - p[o, 0], p[part, 1] - p[o, 1], p[part, 2] - p[o, 2])
            u = add_scaled((twist[3], twist[4], twist[5]), 1.0, cross(w, add_scaled(shift, 1.0, arm)))
            fastest = max(fastest, norm(u) + norm(w) * bounding_radii[b])
    return fastest


@jit_fma
def write_body_poses(tree, configuration, E):
    """Write the poses of the bodies ``(n, 4, 4)`` and, if there is one more, of the world."""
    for b in range(len(E)):
        pose = E[b]
        if b == len(tree.body_part):
            for i in range(3):
                for j in range(4):
                    pose[i, j] = 1.0 if i == j else 0.0
        else:
            part = tree.body_part[b]
            R, p, own = configuration.R[part], configuration.p[part], tree.body_rotation[b]
            shift = matvec(R, tree.body_position[b])
            for i in range(3):
                for j in range(3):
                    pose[i, j] = R[i, 0] * own[0, j] + R[i, 1] * own[1, j] + R[i, 2] * own[2, j]
                pose[i, 3] = p[i] + shift[i]
        pose[3, 0], pose[3, 1], pose[3, 2], pose[3, 3] = 0.0, 0.0, 0.0, 1.0


@jit_fma
def write_body_twists(tree, configuration, E, phi):
    """Write the twists of the bodies ``(n, 6)`` with these poses, at the twists of the parts."""
    for b in range(len(phi)):
        part, pose, own = tree.body_part[b], E[b], phi[b]
        twist, origin = configuration.twists[part], (pose[0, 3], pose[1, 3], pose[2, 3])
        w, u = (twist[0], twist[1], twist[2]), (twist[3], twist[4], twist[5])
        if part < len(tree.parent):
            center = configuration.p[tree.origin[part]]
            u = add_scaled(u, 1.0, cross(w, subtract(origin, (center[0], center[1], center[2]))))
        own[0], own[1], own[2] = matvec_transposed(pose, w)
        own[3], own[4], own[5] = matvec_transposed(pose, u)
