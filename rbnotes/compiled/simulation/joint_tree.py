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
    copy_array,
    cross,
    dot,
    dot6,
    matvec,
    matvec_transposed,
    subtract,
)


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
    """Factors of the equations of all links.

    Attributes
    ----------
    inertia
        Articulated map of each link, without the directions of its joint ``(l, 6, 6)``.
    columns, rows
        Products of the articulated map with the directions at the end and at the start ``(d, 6)``.
    inverse_pivots
        Inverses of the articulated inertias along the directions ``(d,)``.
    """

    inertia: Any
    columns: Any
    rows: Any
    inverse_pivots: Any


class TreeSystem(NamedTuple):
    """Joints of a tree at the poses of a state.

    Attributes
    ----------
    directions
        Directions of motion of the links, in world axes, ``(d, 6)``.
    factor
        The :class:`TreeFactor` of the velocities at these poses.
    """

    directions: Any
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
        Motions across the joints that the residuals require ``(l, 6)``.
    wrenches
        Wrenches of the links ``(l, 6)``.
    motions
        Motions of the links ``(l, 6)``.
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
def compute_link_directions(joints, tree, geometry, directions):
    """Write the directions of motion of the links, in world axes."""
    for l in range(len(tree.body)):
        i = tree.joint[l]
        for k in range(tree.first_direction[l], tree.first_direction[l + 1]):
            own, s = tree.directions[k], directions[k]
            if i == len(joints.body):
                copy_array(own, s)
            else:
                s[0], s[1], s[2], s[3], s[4], s[5] = to_world(joints, geometry, i, tree.side[l], own)


@jit_fma_inline
def to_world(joints, geometry, i, side, motion):
    """Return a motion in the frame of joint i in world axes, about the center of one of its bodies."""
    axes, arm = geometry.axes[i], geometry.arms[i, side]
    angular = matvec(axes, (motion[0], motion[1], motion[2]))
    linear = add_scaled(matvec(axes, (motion[3], motion[4], motion[5])), 1.0, cross(arm, angular))
    return angular[0], angular[1], angular[2], linear[0], linear[1], linear[2]


@jit_fma_inline
def link_arm(tree, geometry, l):
    """Return the center of a link from that of the link that carries it."""
    i, side = tree.joint[l], tree.side[l]
    own, other = geometry.arms[i, side], geometry.arms[i, 1 - side]
    return other[0] - own[0], other[1] - own[1], other[2] - own[2]


@jit_fma
def factor_tree(tree, mass, mass_factor, start, end, angular_inertia, factor):
    """Factor the equations of all links; return False if a pivot is not positive.

    B consists of `angular_inertia` ``(n + 1, 3, 3)`` and of the masses times `mass_factor`; `start` and `end`
    are the states of G0 and G1.
    """
    count = len(tree.body)
    for l in range(count):
        A, b = factor.inertia[l], tree.body[l]
        m = mass_factor * mass[b]
        for i in range(3):
            for j in range(3):
                A[i, j], A[i, 3 + j], A[3 + i, j] = angular_inertia[b, i, j], 0.0, 0.0
                A[3 + i, 3 + j] = m if i == j else 0.0
    for l in range(count - 1, -1, -1):
        A = factor.inertia[l]
        for k in range(tree.first_direction[l], tree.first_direction[l + 1]):
            if not eliminate_direction(A, start.tree.directions[k], end.tree.directions[k], factor, k):
                return False
        if tree.base[l] < count:
            arms = link_arm(tree, start.geometry, l), link_arm(tree, end.geometry, l)
            add_shifted(A, arms[0], arms[1], factor.inertia[tree.base[l]])
    return True


@jit_fma_inline
def eliminate_direction(A, start, end, factor, k):
    """Eliminate the motion along direction k from an articulated map; return False if its pivot fails."""
    u, w = factor.columns[k], factor.rows[k]
    for j in range(6):
        w[j] = 0.0
    for i in range(6):
        u[i] = dot6(A[i], end)
        for j in range(6):
            w[j] += start[i] * A[i, j]
    pivot = dot6(start, u)
    if not pivot > 0:
        return False
    factor.inverse_pivots[k] = 1 / pivot
    for i in range(6):
        scaled = u[i] * factor.inverse_pivots[k]
        for j in range(6):
            A[i, j] -= scaled * w[j]
    return True


@jit_fma_inline
def add_shifted(A, start, end, out):
    """Add an articulated map, moved to the center of the link that carries it, to the map of that link.

    Momenta are moved by the arm at the start, motions by the arm at the end.
    """
    f0, f1, f2 = shifted_row(A[3], end), shifted_row(A[4], end), shifted_row(A[5], end)
    n0, n1, n2 = shifted_row(A[0], end), shifted_row(A[1], end), shifted_row(A[2], end)
    add_row(out[0], n0, start[1], f2, -start[2], f1)
    add_row(out[1], n1, start[2], f0, -start[0], f2)
    add_row(out[2], n2, start[0], f1, -start[1], f0)
    for i in range(3):
        f = (f0, f1, f2)[i]
        for j in range(6):
            out[3 + i, j] += f[j]


@jit_fma_inline
def shifted_row(row, arm):
    """Return a row of an articulated map for motions of a center from which the old one is at `arm`."""
    a = cross((row[3], row[4], row[5]), arm)
    return row[0] - a[0], row[1] - a[1], row[2] - a[2], row[3], row[4], row[5]


@jit_fma_inline
def add_row(row, n, s, f, t, g):
    """Add ``n + s f + t g`` to a row of six numbers."""
    for j in range(6):
        row[j] += n[j] + s * f[j] + t * g[j]


@jit_fma
def solve_tree(joints, tree, start, end, factor, workspace):
    """Solve for the motions of the links and the multipliers, which replace the residuals in ``rows``.

    The states `start` and `end` and the factors are those of :func:`factor_tree`.
    """
    count, gaps, wrenches, motions = len(tree.body), workspace.gaps, workspace.wrenches, workspace.motions
    for l in range(count):
        write_gap(joints, tree, end.geometry, workspace.rows, l, gaps[l])
        for j in range(6):
            wrenches[l, j] = 0.0
    for l in range(count - 1, -1, -1):
        y = wrenches[l]
        for k in range(tree.first_direction[l], tree.first_direction[l + 1]):
            workspace.loads[k] = dot6(start.tree.directions[k], y)
            load = workspace.loads[k] * factor.inverse_pivots[k]
            for j in range(6):
                y[j] -= load * factor.columns[k, j]
        if tree.base[l] < count:
            arm = link_arm(tree, start.geometry, l)
            add_wrench(factor.inertia[l], gaps[l], y, arm, wrenches[tree.base[l]])
    for l in range(count):
        motion = motions[l]
        carry_motion(tree, end.geometry, motions, gaps[l], l)
        for i in range(6):  # the wrench that the joint transmits
            wrenches[l, i] += dot6(factor.inertia[l, i], motion)
        for k in range(tree.first_direction[l + 1] - 1, tree.first_direction[l] - 1, -1):
            speed = -(dot6(factor.rows[k], motion) + workspace.loads[k]) * factor.inverse_pivots[k]
            for j in range(6):
                motion[j] += speed * end.tree.directions[k, j]
        write_multipliers(joints, tree, start.geometry, wrenches[l], l, workspace.rows)


@jit_fma_inline
def write_gap(joints, tree, geometry, residual, l, gap):
    """Write the motion of a link, relative to what carries it, that its residuals require."""
    i = tree.joint[l]
    if i == len(joints.body):
        for j in range(6):
            gap[j] = 0.0
        return
    g0, g1, g2, g3, g4, g5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for r in range(joints.row_start[i], joints.row_start[i + 1]):
        row, size = joints.rows[r], residual[r] if tree.side[l] == 0 else -residual[r]
        g0, g1, g2 = g0 + size * row[0], g1 + size * row[1], g2 + size * row[2]
        g3, g4, g5 = g3 + size * row[3], g4 + size * row[4], g5 + size * row[5]
    gap[0], gap[1], gap[2], gap[3], gap[4], gap[5] = to_world(
        joints, geometry, i, tree.side[l], (g0, g1, g2, g3, g4, g5)
    )


@jit_fma_inline
def add_wrench(A, gap, y, arm, out):
    """Add the wrench of a link, ``y + A gap``, moved by the arm, to that of the link that carries it."""
    f = (y[3] + dot6(A[3], gap), y[4] + dot6(A[4], gap), y[5] + dot6(A[5], gap))
    moment = cross(arm, f)
    for i in range(3):
        out[i] += y[i] + dot6(A[i], gap) + moment[i]
        out[3 + i] += f[i]


@jit_fma_inline
def carry_motion(tree, geometry, motions, gap, l):
    """Write the motion of a link whose joint only closes its gap."""
    motion, base = motions[l], tree.base[l]
    for j in range(6):
        motion[j] = gap[j]
    if base < len(motions):
        carrier = motions[base]
        turn = cross((carrier[0], carrier[1], carrier[2]), link_arm(tree, geometry, l))
        for j in range(3):
            motion[j] += carrier[j]
            motion[3 + j] += carrier[3 + j] + turn[j]


@jit_fma_inline
def write_multipliers(joints, tree, geometry, wrench, l, multipliers):
    """Write the components of the wrench on a link along the rows of its joint."""
    i = tree.joint[l]
    if i == len(joints.body):
        return
    axes, arm = geometry.axes[i], geometry.arms[i, tree.side[l]]
    f = (wrench[3], wrench[4], wrench[5])
    moment = matvec_transposed(axes, subtract((wrench[0], wrench[1], wrench[2]), cross(arm, f)))
    f = matvec_transposed(axes, f)
    for r in range(joints.row_start[i], joints.row_start[i + 1]):
        row = joints.rows[r]
        size = dot(row, moment) + row[3] * f[0] + row[4] * f[1] + row[5] * f[2]
        multipliers[r] = size if tree.side[l] == 0 else -size


@jit_fma
def joint_velocities(joints, R, geometry, v, out):
    """Write the velocities along the rows of the joints ``(m,)`` of bodies with velocities v."""
    for i in range(len(joints.body)):
        b, p, axes, arms = joints.body[i], joints.parent[i], geometry.axes[i], geometry.arms[i]
        spin, spin_p = matvec(R[b], v[b]), matvec(R[p], v[p])
        u = add_scaled((v[b, 3], v[b, 4], v[b, 5]), 1.0, cross(spin, arms[0]))
        u = subtract(u, add_scaled((v[p, 3], v[p, 4], v[p, 5]), 1.0, cross(spin_p, arms[1])))
        spin, u = matvec_transposed(axes, subtract(spin, spin_p)), matvec_transposed(axes, u)
        for r in range(joints.row_start[i], joints.row_start[i + 1]):
            row = joints.rows[r]
            out[r] = dot(row, spin) + row[3] * u[0] + row[4] * u[1] + row[5] * u[2]


@jit_fma
def factor_tree_velocities(bodies, joints, tree, state, workspace):
    """Write directions and factors at the poses of a state; return False if a pivot is not positive."""
    compute_link_directions(joints, tree, state.geometry, state.tree.directions)
    for l in range(len(tree.body)):
        b = tree.body[l]
        rotate_inertia(state.R[b], bodies.J[b], state.R[b], workspace.inertia[b])
    return factor_tree(tree, bodies.mass, 1.0, state, state, workspace.inertia, state.tree.factor)


@jit_fma_inline
def rotate_inertia(R0, J, R1, out):
    """Write ``R0 J R1^T``."""
    for j in range(3):
        out[0, j], out[1, j], out[2, j] = matvec(R0, matvec(J, R1[j]))


@jit_fma
def solve_tree_velocities(joints, tree, state, v, target, impulses, workspace):
    """Compute the joint impulses that bring the joint velocities to `target`, and add their effect to v."""
    rows = workspace.rows
    joint_velocities(joints, state.R, state.geometry, v, rows)
    for r in range(len(rows)):
        rows[r] = target[r] - rows[r]
    solve_tree(joints, tree, state, state, state.tree.factor, workspace)
    for r in range(len(rows)):
        impulses[r] = rows[r]
    for l in range(len(tree.body)):
        b, motion = tree.body[l], workspace.motions[l]
        spin = matvec_transposed(state.R[b], motion)
        for j in range(3):
            v[b, j] += spin[j]
            v[b, 3 + j] += motion[3 + j]


@jit_fma
def correct_tree_impulses(bodies, joints, tree, h, initial, final, D, v, impulses, workspace):
    """Take a Newton step of the joint impulses, which removes the joint errors of the final state.

    The displacement derivatives D ``(n + 1, 3, 3)`` belong to the velocities v, which are corrected. Returns
    False if a pivot is not positive.
    """
    rows, inverse = workspace.rows, workspace.inverse_displacements
    compute_link_directions(joints, tree, final.geometry, final.tree.directions)
    for l in range(len(tree.body)):
        b, A = tree.body[l], workspace.inertia[tree.body[l]]
        invert(D[b], inverse[b])
        for j in range(3):  # R0 J D^-1 R1^T
            A[0, j], A[1, j], A[2, j] = matvec(
                initial.R[b], matvec(bodies.J[b], matvec(inverse[b], final.R[b, j]))
            )
    if not factor_tree(tree, bodies.mass, 1 / h, initial, final, workspace.inertia, workspace.factor):
        return False
    for r in range(len(rows)):
        rows[r] = -final.constraint_error[r]
    solve_tree(joints, tree, initial, final, workspace.factor, workspace)
    for r in range(len(rows)):
        impulses[r] += rows[r]
    for l in range(len(tree.body)):
        b, motion = tree.body[l], workspace.motions[l]
        spin = matvec(inverse[b], matvec_transposed(final.R[b], motion))
        for j in range(3):
            v[b, j] += spin[j]
            v[b, 3 + j] += motion[3 + j] / h
    return True


@jit_fma_inline
def invert(A, out):
    """Write the inverse of a 3 x 3 matrix."""
    first, second, third = column(A, 0), column(A, 1), column(A, 2)
    c0, c1, c2 = cross(second, third), cross(third, first), cross(first, second)
    scale = 1 / dot(first, c0)
    for j in range(3):
        out[0, j], out[1, j], out[2, j] = scale * c0[j], scale * c1[j], scale * c2[j]
