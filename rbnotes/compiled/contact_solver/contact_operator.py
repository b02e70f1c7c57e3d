"""Contact velocities under contact impulses, and Newton steps of the friction law, for an island.

An island whose bodies have joints, or whose bodies are unknown, has a dense Delassus matrix W. Without joints
``W = J M^-1 J^T`` is never formed: velocities and Newton steps are computed body by body. The velocities cost
O(c) for c contacts. A Newton step factors a sparse matrix of 6 x 6 blocks, at a cost that grows with the
fill-in. The pattern of an island with m bodies is dense: it takes O(m^2) memory and time.
"""

from typing import Any, NamedTuple

import numpy as np

from rbnotes.compiled.array_allocation import empty, zeros
from rbnotes.compiled.array_views import view_at
from rbnotes.compiled.contact_solver.block_lu import (
    BlockMatrix,
    allocate_block_matrix,
    factor_blocks,
    minimum_degree_order,
    solve_blocks,
)
from rbnotes.compiled.contact_solver.dense_newton_step import allocate_newton_system, dense_newton_step
from rbnotes.compiled.decorators import jit_alloc, jit_fma, jit_fma_inline, jit_noalloc, jit_reassoc
from rbnotes.compiled.linear_algebra import dot, dot6, fill_array
from rbnotes.compiled.simd.lanes import broadcast8, read, write


class ContactOperator(NamedTuple):
    """Linear map from the impulses of c contacts between m bodies to their velocities.

    Attributes
    ----------
    W
        Delassus matrix ``(3 c, 3 c)``, empty without joints; then the other arrays define the map.
    row_bodies
        Bodies of each row, numbered in the order of elimination; m is the world ``(3 c, 2)``.
    jacobian
        Contact rows J ``(3 c, 2, 6)``.
    padded_jacobian
        The same, eight numbers for each row and side, the last two of them zero ``(48 c,)``.
    responses
        Velocity changes of the bodies per unit impulse ``(3 c, 2, 6)``.
    inertias
        Inertias of the bodies ``(m, 6, 6)``.
    matrix
        The :class:`~rbnotes.compiled.contact_solver.block_lu.BlockMatrix` of the Newton steps.
    blocks, velocities
        Working memory ``(c, 3, 3)`` and ``(m + 1, 6)``.
    system
        The :class:`~rbnotes.compiled.contact_solver.dense_newton_step.NewtonSystem` of a dense matrix.
    """

    W: Any
    row_bodies: Any
    jacobian: Any
    padded_jacobian: Any
    responses: Any
    inertias: Any
    matrix: Any
    blocks: Any
    velocities: Any
    system: Any


@jit_alloc
def dense_operator(W):
    """Return the operator of a Delassus matrix."""
    system = allocate_newton_system(len(W))
    none, floats = view_at(system.pivots, 0, (0,))[0], view_at(system.x, 0, (0,))[0]
    rows, inertias = view_at(floats, 0, (0, 2, 6))[0], view_at(floats, 0, (0, 6, 6))[0]
    blocks, velocities = view_at(floats, 0, (0, 3, 3))[0], view_at(floats, 0, (0, 6))[0]
    matrix = BlockMatrix(none, none, view_at(none, 0, (0, 0))[0], floats, floats)
    row_bodies = view_at(none, 0, (0, 2))[0]
    return ContactOperator(W, row_bodies, rows, floats, rows, inertias, matrix, blocks, velocities, system)


@jit_alloc
def body_operator(row_bodies, jacobian, responses, bodies, numbers):
    """Return the operator of an island without joints.

    `numbers` receives the number of each body in the island; negative numbers mark those without one.
    """
    world, count = len(bodies.mass), 0
    members = empty(min(world, 2 * len(row_bodies)), np.int64)
    for i in range(0, len(row_bodies), 3):
        for side in range(2):
            b = row_bodies[i, side]
            if b < world and numbers[b] < 0:
                numbers[b], members[count] = count, b
                count += 1
    numbers[world] = count
    is_coupled = zeros((count, count), np.bool_)
    for i in range(0, len(row_bodies), 3):
        p, q = numbers[row_bodies[i, 0]], numbers[row_bodies[i, 1]]
        if p < count and q < count:
            is_coupled[p, q], is_coupled[q, p] = True, True
    order = minimum_degree_order(is_coupled)
    matrix = allocate_block_matrix(is_coupled, order)
    inertias, island_bodies = zeros((count, 6, 6)), empty((len(row_bodies), 2), np.int64)
    for k in range(count):
        b = members[order[k]]
        numbers[b] = k
        for i in range(3):
            inertias[k, 3 + i, 3 + i] = bodies.mass[b]
            for j in range(3):
                inertias[k, i, j] = bodies.J[b, i, j]
    padded_jacobian = zeros(16 * len(row_bodies))
    for i in range(len(row_bodies)):
        for side in range(2):
            island_bodies[i, side] = numbers[row_bodies[i, side]]
            for k in range(6):
                padded_jacobian[16 * i + 8 * side + k] = jacobian[i, side, k]
    return ContactOperator(
        empty((0, 0)),
        island_bodies,
        jacobian,
        padded_jacobian,
        responses,
        inertias,
        matrix,
        empty((len(row_bodies) // 3, 3, 3)),
        empty((count + 1, 6)),
        allocate_newton_system(0),
    )


@jit_noalloc
def clear_velocities(v):
    """Clear the velocities of bodies ``(m + 1, 6)``."""
    for b in range(len(v)):
        for k in range(6):
            v[b, k] = 0.0


@jit_reassoc
def add_product(W, r, u_free, u):
    """Write ``u = W r + u_free``."""
    for i in range(len(r)):
        total = u_free[i]
        for j in range(len(r)):
            total += W[i, j] * r[j]
        u[i] = total


@jit_noalloc
def contact_velocities(operator, u_free, r, u):
    """Write the contact velocities ``u = W r + u_free``."""
    if len(operator.W):
        add_product(operator.W, r, u_free, u)
        return
    v, row_bodies, jacobian = operator.velocities, operator.row_bodies, operator.jacobian
    clear_velocities(v)
    add_impulse_effects(operator.responses, row_bodies, r, v)
    for i in range(len(r)):
        first, second = v[row_bodies[i, 0]], v[row_bodies[i, 1]]
        u[i] = u_free[i] + dot6(jacobian[i, 0], first) + dot6(jacobian[i, 1], second)


@jit_noalloc
def add_impulse_effects(rows, row_bodies, r, v):
    """Add the products of rows ``(3 c, 2, 6)`` and impulses to the numbers of the bodies ``(m + 1, 6)``."""
    for i in range(0, len(r), 3):
        x, y, z = r[i], r[i + 1], r[i + 2]
        for side in range(2):
            own, first, second, third = (
                v[row_bodies[i, side]],
                rows[i, side],
                rows[i + 1, side],
                rows[i + 2, side],
            )
            for k in range(6):
                own[k] += first[k] * x + second[k] * y + third[k] * z


@jit_noalloc
def contact_scales(operator, mobility, rho):
    """Write the mean mobility of each contact and its reciprocal, zero for an immobile contact."""
    for i in range(len(mobility)):
        total = 0.0
        for k in range(3 * i, 3 * i + 3):
            if len(operator.W):
                total += operator.W[k, k]
            else:
                total += dot6(operator.jacobian[k, 0], operator.responses[k, 0])
                total += dot6(operator.jacobian[k, 1], operator.responses[k, 1])
        mobility[i] = total / 3
        rho[i] = 1 / mobility[i] if mobility[i] > 0 else 0.0


@jit_noalloc
def newton_step(operator, F, P, rho, units, damping, step):
    """Write the step to be subtracted from the impulses.

    It solves ``(1 - P + damping + rho P W) step = F``, scaled by `units`, the square roots of rho; P are the
    derivatives of the projections ``(c, 3, 3)``.
    """
    if len(operator.W):
        dense_newton_step(operator.system, operator.W, F, P, rho, units, damping, step)
    else:
        body_newton_step(operator, F, P, rho, damping, step)


@jit_noalloc
def body_newton_step(operator, F, P, rho, damping, step):
    """Write a Newton step by the LU factorization of a matrix of bodies.

    With ``D = 1 - P + damping``, the blocks of the contacts, and ``K = rho D^-1 P``, the matrix is
    ``D (1 + K J M^-1 J^T)``. The velocities ``y = M^-1 J^T step`` therefore solve

        (M + J^T K J) y = J^T D^-1 F,    step = D^-1 F - K J y.

    The factor 1 / damping in D^-1 amplifies rounding, which a further step removes.
    """
    K = operator.blocks
    write_newton_blocks(F, P, rho, damping, K, step)
    if factor_body_matrix(operator, K):
        solve_body_matrix(operator, K, step)
    else:
        step[0] = np.nan


@jit_noalloc
def write_newton_blocks(F, P, rho, damping, K, step):
    """Write the blocks K and ``D^-1 F``, the start of the step."""
    for i in range(len(rho)):
        invert_projection_complement(P[i], damping, K[i])
        for a in range(3):
            step[3 * i + a] = dot(K[i, a], (F[3 * i], F[3 * i + 1], F[3 * i + 2]))
        # P = 1 + damping - D
        factor = rho[i] * (1 + damping) if P[i, 0, 0] > 0 else 0.0
        for a in range(3):
            for b in range(3):
                K[i, a, b] *= factor
            K[i, a, a] -= rho[i] if P[i, 0, 0] > 0 else 0.0


@jit_noalloc
def factor_body_matrix(operator, K):
    """Factor ``M + J^T K J`` in place, with a block of K for each contact ``(c, 3, 3)``.

    Contacts with ``K[i, 0, 0] = 0`` are open: their blocks are skipped. Returns False if the matrix is
    singular.
    """
    blocks, inertias = operator.matrix.blocks, operator.inertias
    fill_array(blocks, 0.0)
    for b in range(len(inertias)):
        o = operator.matrix.place[b, b]
        for i in range(6):
            for j in range(6):
                blocks[o + 8 * i + j] = inertias[b, i, j]
    for i in range(len(K)):
        if K[i, 0, 0] != 0:
            add_contact_block(operator, K[i], i)
    return factor_blocks(operator.matrix)


@jit_noalloc
def solve_body_matrix(operator, K, x):
    """Replace x ``(3 c,)`` by ``(1 + K J M^-1 J^T)^-1 x``.

    :func:`factor_body_matrix` has been called with the same K.
    """
    num_bodies, y = len(operator.inertias), operator.velocities
    clear_velocities(y)
    row_bodies, jacobian = operator.row_bodies, operator.jacobian
    add_impulse_effects(jacobian, row_bodies, x, y)
    for k in range(6):
        y[num_bodies, k] = 0.0  # the world does not move
    solve_blocks(operator.matrix, y)
    for i in range(len(K)):
        if K[i, 0, 0] != 0:
            first, second = y[row_bodies[3 * i, 0]], y[row_bodies[3 * i, 1]]
            J0, J1, J2 = jacobian[3 * i], jacobian[3 * i + 1], jacobian[3 * i + 2]
            along = (
                dot6(J0[0], first) + dot6(J0[1], second),
                dot6(J1[0], first) + dot6(J1[1], second),
                dot6(J2[0], first) + dot6(J2[1], second),
            )
            for a in range(3):
                x[3 * i + a] -= dot(K[i, a], along)


@jit_noalloc
def invert_projection_complement(P, damping, out):
    """Write the inverse of ``1 - P + damping``, block-triangular as P: the normal impulse comes first."""
    normal = 1 / (1 - P[0, 0] + damping)
    a, b, d = 1 - P[1, 1] + damping, -P[1, 2], 1 - P[2, 2] + damping
    determinant = a * d - b * b
    out[0, 0], out[0, 1], out[0, 2] = normal, 0.0, 0.0
    out[1, 1], out[2, 2] = d / determinant, a / determinant
    out[1, 2] = out[2, 1] = -b / determinant
    for i in range(1, 3):
        out[i, 0] = (out[i, 1] * P[1, 0] + out[i, 2] * P[2, 0]) * normal


@jit_fma
def add_contact_block(operator, K, i):
    """Add ``J^T K J`` of contact i to the blocks of its bodies."""
    place, blocks, J, zero = (
        operator.matrix.place,
        operator.matrix.blocks,
        operator.padded_jacobian,
        broadcast8(0.0),
    )
    world, p, q = len(operator.inertias), operator.row_bodies[3 * i, 0], operator.row_bodies[3 * i, 1]
    for side in range(2):
        own, other = (p, q) if side == 0 else (q, p)
        if own == world:
            continue
        row, other_row = 48 * i + 8 * side, 48 * i + 8 * (1 - side)
        own_block, other_block = place[own, own], place[own, own if other == world else other]
        for a in range(6):
            j0, j1, j2 = J[row + a], J[row + 16 + a], J[row + 32 + a]
            k0 = j0 * K[0, 0] + j1 * K[1, 0] + j2 * K[2, 0]
            k1 = j0 * K[0, 1] + j1 * K[1, 1] + j2 * K[2, 1]
            k2 = j0 * K[0, 2] + j1 * K[1, 2] + j2 * K[2, 2]
            add_row(blocks, own_block + 8 * a, k0, k1, k2, J, row, zero)
            if other != world:
                add_row(blocks, other_block + 8 * a, k0, k1, k2, J, other_row, zero)


@jit_fma_inline
def add_row(blocks, o, k0, k1, k2, J, row, like):
    """Add the combination of the three rows of a contact, from index `row` of J, to the row at index o."""
    total = read(J, row, like) * k0 + read(J, row + 16, like) * k1 + read(J, row + 32, like) * k2
    write(blocks, o, read(blocks, o, like) + total)
