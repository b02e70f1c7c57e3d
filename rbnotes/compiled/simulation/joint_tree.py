"""Joint impulses of models without loops: one elimination by joint coordinates, from the leaves to the roots.

The multipliers of the joints solve ``G1 B^-1 G0^T multipliers = residual``, where B maps the motions of the
bodies to their momenta. If joints and bodies form trees, the equations ``B motion = G0^T multipliers`` and
``G1 motion = residual`` are solved link by link instead, like forward dynamics by articulated inertias: the
pivots are one number for each direction in which a joint moves, and the cost is proportional to the number of
bodies. The multipliers are components of the wrenches that the joints transmit.

At the velocity level G0 and G1 are the rows at the same poses, and B is the mass matrix. In the Newton steps
of positions G0 are the rows at the start of a step, G1 those at its end, and B maps displacements at the end
to the momenta at the start; it is not symmetric. Motions and wrenches are those of the centers of mass, in
world axes.
"""

from typing import Any, NamedTuple

from rbnotes.compiled.decorators import jit_fma, jit_fma_inline
from rbnotes.compiled.linear_algebra import (
    add_scaled,
    column,
    cross,
    dot,
    matvec,
    matvec_transposed,
    subtract,
)
from rbnotes.compiled.simd.lanes import broadcast8, read, write


class JointTree(NamedTuple):
    """Links of a model without loops, from the roots outwards; there are none if joints form loops.

    Attributes
    ----------
    body
        Body of each link ``(l,)``.
    base
        Link that carries it, l for the world ``(l,)``.
    joint
        Joint between both, k for bodies that carry a free tree ``(l,)``.
    side
        1 if the link is the parent of its joint, otherwise 0 ``(l,)``.
    first_direction
        First direction of each link, and the number of directions ``(l + 1,)``.
    directions
        Orthonormal directions of motion in the joint frames ``(d, 6)``.
    """

    body: Any
    base: Any
    joint: Any
    side: Any
    first_direction: Any
    directions: Any


class TreeFactor(NamedTuple):
    """Factors of the equations of all links, flat arrays.

    Attributes
    ----------
    inertia
        Articulated map of each link, without the directions of its joint: six columns of eight numbers, the
        last two of them zero, ``(48 l,)``.
    columns
        Products of the articulated map with the directions at the end, eight numbers each, ``(8 d,)``.
    rows
        Products of the directions at the start with the articulated map, eight numbers each, ``(8 d,)``.
    inverse_pivots
        Inverses of the articulated inertias along the directions ``(d,)``.
    """

    inertia: Any
    columns: Any
    rows: Any
    inverse_pivots: Any


class TreeKinematics(NamedTuple):
    """Joints of a tree at the poses of a state.

    Attributes
    ----------
    directions
        Directions of motion of the links, in world axes, eight numbers each, ``(8 d,)``.
    arms
        Columns of the matrix ``[a]`` of each link's arm a, the center of the link from that of the link that
        carries it. A column takes eight numbers, the fourth to the sixth of which are not zero;
        ``(24 l + 8,)``.
    factor
        The :class:`TreeFactor` of the velocities at these poses.
    """

    directions: Any
    arms: Any
    factor: Any


class TreeWorkspace(NamedTuple):
    """Working memory of the solution for one right-hand side, and of the Newton steps.

    Attributes
    ----------
    factor
        The :class:`TreeFactor` of a Newton step.
    inertia
        Maps of rotations to angular momenta ``(n + 1, 3, 3)``.
    inverse_displacements
        Inverse displacement derivatives ``(n + 1, 3, 3)``.
    gaps
        Motions across the joints that the residuals require, eight numbers each, ``(8 l,)``.
    wrenches
        Wrenches of the links, eight numbers each, ``(8 l,)``.
    motions
        Motions of the links, eight numbers each, ``(8 l,)``.
    loads
        Components of the wrenches along the directions ``(d,)``.
    rows
        Residuals and multipliers of the joints ``(m,)``.
    """

    factor: Any
    inertia: Any
    inverse_displacements: Any
    gaps: Any
    wrenches: Any
    motions: Any
    loads: Any
    rows: Any


@jit_fma
def compute_link_frames(joints, tree, geometry, system):
    """Write arms and directions of motion of the links, in world axes."""
    directions, arms = system.directions, system.arms
    for l in range(len(tree.body)):
        i, side = tree.joint[l], tree.side[l]
        for k in range(int(tree.first_direction[l]), int(tree.first_direction[l + 1])):
            own, o = tree.directions[k], 8 * k
            if i == len(joints.body):
                for j in range(6):
                    directions[o + j] = own[j]
            else:
                write6(directions, o, to_world(joints, geometry, i, side, own))
        if tree.base[l] < len(tree.body):
            own, other, o = geometry.arms[i, side], geometry.arms[i, 1 - side], 24 * l
            x, y, z = other[0] - own[0], other[1] - own[1], other[2] - own[2]
            arms[o + 4], arms[o + 5] = z, -y
            arms[o + 11], arms[o + 13] = -z, x
            arms[o + 19], arms[o + 20] = y, -x


@jit_fma_inline
def write6(x, o, values):
    """Write six numbers from index o."""
    x[o], x[o + 1], x[o + 2], x[o + 3], x[o + 4], x[o + 5] = values


@jit_fma_inline
def read6(x, o):
    """Return six numbers from index o."""
    return x[o], x[o + 1], x[o + 2], x[o + 3], x[o + 4], x[o + 5]


@jit_fma_inline
def dot6(x, o, y, p):
    """Return the product of six numbers from index o of x with six numbers from index p of y."""
    first = x[o] * y[p] + x[o + 1] * y[p + 1] + x[o + 2] * y[p + 2]
    return first + (x[o + 3] * y[p + 3] + x[o + 4] * y[p + 4] + x[o + 5] * y[p + 5])


@jit_fma_inline
def transform(A, l, x, o, like):
    """Return the product of the articulated map of link l with a motion, which starts at index o of x."""
    a, b = 48 * l, 48 * l + 24
    first = read(A, a, like) * x[o] + read(A, a + 8, like) * x[o + 1] + read(A, a + 16, like) * x[o + 2]
    return first + (
        read(A, b, like) * x[o + 3] + read(A, b + 8, like) * x[o + 4] + read(A, b + 16, like) * x[o + 5]
    )


@jit_fma_inline
def moment(arms, l, x, o, like):
    """Return the moment of a force about the center of the base of a link.

    The force acts at the center of the link; x holds it from index o.
    """
    a = 24 * l + 3
    return (
        read(arms, a, like) * x[o] + read(arms, a + 8, like) * x[o + 1] + read(arms, a + 16, like) * x[o + 2]
    )


@jit_fma_inline
def rotation_velocity(arms, l, x, o, like):
    """Return the velocity of the center of the base of a link relative to the center of the link.

    Both rotate with the angular velocity that x holds from index o.
    """
    a = 24 * l
    return (
        read(arms, a, like) * x[o] + read(arms, a + 8, like) * x[o + 1] + read(arms, a + 16, like) * x[o + 2]
    )


@jit_fma_inline
def to_world(joints, geometry, i, side, motion):
    """Return a motion in the frame of joint i in world axes, about the center of one of its bodies."""
    axes, arm = geometry.axes[i], geometry.arms[i, side]
    angular = matvec(axes, (motion[0], motion[1], motion[2]))
    linear = add_scaled(matvec(axes, (motion[3], motion[4], motion[5])), 1.0, cross(arm, angular))
    return angular[0], angular[1], angular[2], linear[0], linear[1], linear[2]


@jit_fma
def factor_tree(tree, mass, mass_factor, start, end, angular_inertia, factor):
    """Factor the equations of all links; return False if a pivot is not positive.

    In the equations ``G1 B^-1 G0^T multipliers = residual``, the blocks of B are `angular_inertia`
    ``(n + 1, 3, 3)`` and the masses times `mass_factor`; `start` and `end` are the links at the poses of G0
    and G1.
    """
    count, A, zero = len(tree.body), factor.inertia, broadcast8(0.0)
    for l in range(count):
        b, o = tree.body[l], 48 * l
        for j in range(6):
            write(A, o + 8 * j, zero)
        for j in range(3):
            for i in range(3):
                A[o + 8 * j + i] = angular_inertia[b, i, j]
            A[o + 27 + 9 * j] = mass_factor * mass[b]  # row 3 + j of column 3 + j, with eight rows
    for l in range(count - 1, -1, -1):
        for k in range(int(tree.first_direction[l]), int(tree.first_direction[l + 1])):
            if not eliminate_direction(l, k, start.directions, end.directions, factor, zero):
                return False
        if tree.base[l] < count:
            add_shifted(A, l, start.arms, end.arms, int(tree.base[l]), zero)
    return True


@jit_fma_inline
def eliminate_direction(l, k, start, end, factor, like):
    """Eliminate the motion of link l along direction k; return False if its pivot fails."""
    A, u, w, o = factor.inertia, factor.columns, factor.rows, 8 * k
    column = transform(A, l, end, o, like)
    write(u, o, column)
    for j in range(6):
        w[o + j] = dot6(start, o, A, 48 * l + 8 * j)
    pivot = dot6(start, o, u, o)
    if not pivot > 0:
        return False
    factor.inverse_pivots[k] = 1 / pivot
    column = column * factor.inverse_pivots[k]
    for j in range(6):
        p = 48 * l + 8 * j
        write(A, p, read(A, p, like) - column * w[o + j])
    return True


@jit_fma_inline
def add_shifted(A, l, start, end, base, like):
    """Add the articulated map of link l, moved to the center of its base, to that of the base.

    Momenta are moved by the arm at the start, motions by the arm at the end.
    """
    o, p, a = 48 * l, 48 * base, 24 * l
    x, y, z = end[a + 13], end[a + 19], end[a + 4]
    f0, f1, f2 = (
        shifted_column(A, o + 24, start, l, like),
        shifted_column(A, o + 32, start, l, like),
        shifted_column(A, o + 40, start, l, like),
    )
    add_column(A, p, shifted_column(A, o, start, l, like) - (f1 * z - f2 * y))
    add_column(A, p + 8, shifted_column(A, o + 8, start, l, like) - (f2 * x - f0 * z))
    add_column(A, p + 16, shifted_column(A, o + 16, start, l, like) - (f0 * y - f1 * x))
    add_column(A, p + 24, f0)
    add_column(A, p + 32, f1)
    add_column(A, p + 40, f2)


@jit_fma_inline
def shifted_column(A, o, arms, l, like):
    """Return a column of the articulated map of link l, a momentum at its center, as one at its base."""
    return read(A, o, like) + moment(arms, l, A, o + 3, like)


@jit_fma_inline
def add_column(A, o, column):
    """Add a column to the one at index o."""
    write(A, o, read(A, o, column) + column)


@jit_fma
def solve_tree(joints, tree, start, end, geometries, factor, workspace):
    """Solve for the motions of the links and the multipliers, which replace the residuals in ``rows``.

    The links `start` and `end` and the factors are those of :func:`factor_tree`, `geometries` those of their
    joints.
    """
    count, gaps, wrenches, motions = len(tree.body), workspace.gaps, workspace.wrenches, workspace.motions
    zero = broadcast8(0.0)
    for l in range(count):
        write_gap(joints, tree, geometries[1], workspace.rows, l, gaps)
        write(wrenches, 8 * l, zero)
    for l in range(count - 1, -1, -1):
        o = 8 * l
        for k in range(int(tree.first_direction[l]), int(tree.first_direction[l + 1])):
            workspace.loads[k] = dot6(start.directions, 8 * k, wrenches, o)
            load = workspace.loads[k] * factor.inverse_pivots[k]
            write(wrenches, o, read(wrenches, o, zero) - read(factor.columns, 8 * k, zero) * load)
        if tree.base[l] < count:
            y = read(wrenches, o, zero) + transform(factor.inertia, l, gaps, o, zero)
            write(motions, o, y)
            add_column(wrenches, 8 * int(tree.base[l]), y + moment(start.arms, l, motions, o + 3, zero))
    for l in range(count):
        o, motion = 8 * l, read(gaps, 8 * l, zero)
        if tree.base[l] < count:
            p = 8 * int(tree.base[l])
            motion = motion + (read(motions, p, zero) - rotation_velocity(end.arms, l, motions, p, zero))
        write(motions, o, motion)
        # the wrench that the joint transmits
        write(wrenches, o, read(wrenches, o, zero) + transform(factor.inertia, l, motions, o, zero))
        for k in range(int(tree.first_direction[l + 1]) - 1, int(tree.first_direction[l]) - 1, -1):
            speed = -(dot6(factor.rows, 8 * k, motions, o) + workspace.loads[k]) * factor.inverse_pivots[k]
            write(motions, o, read(motions, o, zero) + read(end.directions, 8 * k, zero) * speed)
        write_multipliers(joints, tree, geometries[0], wrenches, l, workspace.rows)


@jit_fma_inline
def write_gap(joints, tree, geometry, residual, l, gaps):
    """Write the motion of a link relative to its base that its residuals require."""
    i = tree.joint[l]
    if i == len(joints.body):
        write6(gaps, 8 * l, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        return
    g0, g1, g2, g3, g4, g5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    rows, side = joints.rows, tree.side[l]
    for r in range(joints.row_start[i], joints.row_start[i + 1]):
        row, size = rows[r], residual[r] if side == 0 else -residual[r]
        g0, g1, g2 = g0 + size * row[0], g1 + size * row[1], g2 + size * row[2]
        g3, g4, g5 = g3 + size * row[3], g4 + size * row[4], g5 + size * row[5]
    write6(gaps, 8 * l, to_world(joints, geometry, i, side, (g0, g1, g2, g3, g4, g5)))


@jit_fma_inline
def write_multipliers(joints, tree, geometry, wrenches, l, multipliers):
    """Write the components of the wrench on a link along the rows of its joint."""
    i = tree.joint[l]
    if i == len(joints.body):
        return
    rows, side, axes, arm = joints.rows, tree.side[l], geometry.axes[i], geometry.arms[i, tree.side[l]]
    n0, n1, n2, f0, f1, f2 = read6(wrenches, 8 * l)
    torque = matvec_transposed(axes, subtract((n0, n1, n2), cross(arm, (f0, f1, f2))))
    f = matvec_transposed(axes, (f0, f1, f2))
    for r in range(joints.row_start[i], joints.row_start[i + 1]):
        row = rows[r]
        size = dot(row, torque) + row[3] * f[0] + row[4] * f[1] + row[5] * f[2]
        multipliers[r] = size if side == 0 else -size


@jit_fma
def joint_velocities(joints, R, geometry, v, out):
    """Write the velocities along the rows of the joints ``(m,)`` of bodies with velocities v."""
    body, parent, row_start, rows = joints.body, joints.parent, joints.row_start, joints.rows
    all_axes, all_arms = geometry.axes, geometry.arms
    for i in range(len(body)):
        b, p, axes, arms = body[i], parent[i], all_axes[i], all_arms[i]
        spin, spin_p = matvec(R[b], v[b]), matvec(R[p], v[p])
        u = add_scaled((v[b, 3], v[b, 4], v[b, 5]), 1.0, cross(spin, arms[0]))
        u = subtract(u, add_scaled((v[p, 3], v[p, 4], v[p, 5]), 1.0, cross(spin_p, arms[1])))
        spin, u = matvec_transposed(axes, subtract(spin, spin_p)), matvec_transposed(axes, u)
        for r in range(row_start[i], row_start[i + 1]):
            row = rows[r]
            out[r] = dot(row, spin) + row[3] * u[0] + row[4] * u[1] + row[5] * u[2]


@jit_fma_inline
def factor_tree_velocities(bodies, joints, tree, state, workspace):
    """Write directions and factors at the poses of a state; return False if a pivot is not positive."""
    compute_link_frames(joints, tree, state.geometry, state.tree)
    for l in range(len(tree.body)):
        b = tree.body[l]
        rotate_inertia(state.R[b], bodies.J[b], state.R[b], workspace.inertia[b])
    return factor_tree(tree, bodies.mass, 1.0, state.tree, state.tree, workspace.inertia, state.tree.factor)


@jit_fma_inline
def rotate_inertia(R0, J, R1, out):
    """Write ``R0 J R1^T``."""
    for j in range(3):
        out[0, j], out[1, j], out[2, j] = matvec(R0, matvec(J, R1[j]))


@jit_fma_inline
def solve_tree_velocities(joints, tree, state, v, target, impulses, workspace):
    """Compute the joint impulses that bring the joint velocities to `target`, and add their effect to v."""
    rows = workspace.rows
    joint_velocities(joints, state.R, state.geometry, v, rows)
    for r in range(len(rows)):
        rows[r] = target[r] - rows[r]
    geometries = state.geometry, state.geometry
    solve_tree(joints, tree, state.tree, state.tree, geometries, state.tree.factor, workspace)
    for r in range(len(rows)):
        impulses[r] = rows[r]
    for l in range(len(tree.body)):
        b, (w0, w1, w2, u0, u1, u2) = tree.body[l], read6(workspace.motions, 8 * l)
        spin, u = matvec_transposed(state.R[b], (w0, w1, w2)), (u0, u1, u2)
        for j in range(3):
            v[b, j] += spin[j]
            v[b, 3 + j] += u[j]


@jit_fma_inline
def correct_tree_impulses(bodies, joints, tree, h, initial, final, D, v, impulses, workspace):
    """Take a Newton step of the joint impulses, which removes the joint errors of the final state.

    The displacement derivatives D ``(n + 1, 3, 3)`` belong to the velocities v, which are corrected. Returns
    False if a pivot is not positive.
    """
    rows, inverse = workspace.rows, workspace.inverse_displacements
    compute_link_frames(joints, tree, final.geometry, final.tree)
    for l in range(len(tree.body)):
        b, A = tree.body[l], workspace.inertia[tree.body[l]]
        invert(D[b], inverse[b])
        for j in range(3):  # R0 J D^-1 R1^T
            A[0, j], A[1, j], A[2, j] = matvec(
                initial.R[b], matvec(bodies.J[b], matvec(inverse[b], final.R[b, j]))
            )
    start, end, geometries = initial.tree, final.tree, (initial.geometry, final.geometry)
    if not factor_tree(tree, bodies.mass, 1 / h, start, end, workspace.inertia, workspace.factor):
        return False
    for r in range(len(rows)):
        rows[r] = -final.constraint_error[r]
    solve_tree(joints, tree, start, end, geometries, workspace.factor, workspace)
    for r in range(len(rows)):
        impulses[r] += rows[r]
    for l in range(len(tree.body)):
        b, (w0, w1, w2, u0, u1, u2) = tree.body[l], read6(workspace.motions, 8 * l)
        spin, u = matvec(inverse[b], matvec_transposed(final.R[b], (w0, w1, w2))), (u0, u1, u2)
        for j in range(3):
            v[b, j] += spin[j]
            v[b, 3 + j] += u[j] / h
    return True


@jit_fma_inline
def invert(A, out):
    """Write the inverse of a 3 x 3 matrix."""
    first, second, third = column(A, 0), column(A, 1), column(A, 2)
    c0, c1, c2 = cross(second, third), cross(third, first), cross(first, second)
    scale = 1 / dot(first, c0)
    for j in range(3):
        out[0, j], out[1, j], out[2, j] = scale * c0[j], scale * c1[j], scale * c2[j]
