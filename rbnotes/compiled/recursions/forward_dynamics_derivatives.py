"""Derivatives of forward dynamics: the mass matrix, factored along the tree, and substitution.

Accelerations a under constant forces f satisfy ``f(q, v, a) = f``, so that ``M da + df = 0``. A row of M
couples a joint only with its ancestors: eliminated from the leaves to the roots, ``M = L^T D L`` creates no
fill-in (Featherstone's factorization). The entries of D are the inertias that the articulated-body algorithm
finds along free coordinates.

The norm of a quaternion does not affect the motion. In this direction the constraint replaces the equation of
motion: the tangential part of the forces is kept, an inertia is added along the quaternion, and a force that
makes ``q.a + v.v = 0`` with that inertia.
"""

from typing import NamedTuple

from rbnotes.compiled.decorators import jit_fma, jit_fma_inline
from rbnotes.compiled.recursions.element_steps import spring_force
from rbnotes.compiled.recursions.multi_dof_joints import first_element
from rbnotes.compiled.simd.lanes import broadcast8, broadcast_like, element_offset, read, write
from rbnotes.compiled.tree_layout import (
    CONSTANTS_SIZE,
    COORDINATE,
    FORCE,
    HEADER_SIZE,
    KIND,
    LANES,
    NUM_COORDINATES,
    NUM_ELEMENTS,
    ONE,
    PARENT,
    POSITION,
    QUATERNION,
    RATE,
    RECORD_SIZE,
    ROW_SIZE,
    ZERO,
    U,
)

TILE_WIDTH = U(4) * LANES
"""Columns that one substitution processes; a row of them stays in registers."""


class DerivativeTable(NamedTuple):
    """Derivatives of the generalized forces, and the lower half of the mass matrix.

    A row belongs to one coordinate: derivatives with respect to all coordinates, then to all velocities.
    Row lengths are multiples of a tile and of eight.

    Attributes
    ----------
    derivatives
        Derivatives, row after row.
    width
        Row length of the derivatives.
    mass
        Lower half of the mass matrix, row after row.
    mass_width
        Row length of the mass matrix.
    """

    derivatives: object
    width: int
    mass: object
    mass_width: int


@jit_fma_inline
def row_widths(k):
    """Return the padded row lengths of the derivatives and of the mass matrix of k coordinates."""
    return (U(2) * k + TILE_WIDTH - ONE) // TILE_WIDTH * TILE_WIDTH, (k + LANES - ONE) // LANES * LANES


@jit_fma
def constrain_quaternion_norm(integers, floats, workspace, forces, table, e):
    """Replace the equation of motion along a quaternion by its norm constraint; e is its last element."""
    k, first, rows, zero = (
        integers[NUM_COORDINATES],
        integers[HEADER_SIZE + first_element(integers, e) * ROW_SIZE + COORDINATE],
        U(4),
        0.0,
    )
    square, norm_force, inertia = zero, zero, zero
    for i in range(rows):
        coordinate = first + i
        o, c = (
            workspace.records + element_offset(coordinate + ONE, RECORD_SIZE, zero),
            element_offset(coordinate + ONE, CONSTANTS_SIZE, zero),
        )
        q = floats[o + POSITION]
        square += q * q
        norm_force += q * (spring_force(floats, c, floats, o, zero, False) - forces[coordinate])
        inertia += table.mass[coordinate * table.mass_width + coordinate]
    inertia, norm_force = inertia / square, norm_force / square
    for i in range(rows):
        coordinate = first + i
        q = floats[workspace.records + element_offset(coordinate + ONE, RECORD_SIZE, zero) + POSITION]
        # The constraint force rotates with the quaternion.
        table.derivatives[coordinate * table.width + coordinate] -= norm_force
        for j in range(i + ONE):
            other = floats[workspace.records + element_offset(first + j + ONE, RECORD_SIZE, zero) + POSITION]
            table.mass[coordinate * table.mass_width + first + j] += inertia * q * other
    for column in range(U(2) * k):
        along = zero
        for i in range(rows):
            q = floats[workspace.records + element_offset(first + i + ONE, RECORD_SIZE, zero) + POSITION]
            along -= q * table.derivatives[(first + i) * table.width + column] / square
        if first <= column < first + rows:
            along += (
                inertia * floats[workspace.records + element_offset(column + ONE, RECORD_SIZE, zero) + FORCE]
            )
        elif first + k <= column < first + k + rows:
            along += (
                inertia
                * 2.0
                * floats[workspace.records + element_offset(column - k + ONE, RECORD_SIZE, zero) + RATE]
            )
        for i in range(rows):
            q = floats[workspace.records + element_offset(first + i + ONE, RECORD_SIZE, zero) + POSITION]
            table.derivatives[(first + i) * table.width + column] += along * q


@jit_fma_inline
def coordinate_of(integers, e):
    """Return the coordinate of an element."""
    return integers[HEADER_SIZE + e * ROW_SIZE + COORDINATE]


@jit_fma_inline
def parent_of(integers, e):
    """Return the parent element."""
    return integers[HEADER_SIZE + e * ROW_SIZE + PARENT]


@jit_fma
def factor_mass_matrix(integers, table):
    """Replace the mass matrix by L below the diagonal and ``1 / D`` on it; the upper half is undefined.

    Parents have smaller coordinates than their children.
    """
    mass, width, elements, like = table.mass, table.mass_width, integers[NUM_ELEMENTS], broadcast8(0.0)
    for back in range(ONE, elements):
        e = elements - back
        j = coordinate_of(integers, e)
        row = j * width
        inverse_pivot = 1.0 / mass[row + j]
        ancestor = parent_of(integers, e)
        while ancestor != ZERO:
            i = coordinate_of(integers, ancestor)
            factor = broadcast_like(mass[row + i] * inverse_pivot, like)
            for l in range(ZERO, i + ONE, LANES):
                remainder = read(mass, i * width + l, like) - factor * read(mass, row + l, like)
                write(mass, i * width + l, remainder)
            ancestor = parent_of(integers, ancestor)
        for i in range(j):
            mass[row + i] *= inverse_pivot
        mass[row + j] = inverse_pivot


@jit_fma_inline
def read_row(x, o, like):
    """Read a row of a tile."""
    a, b = read(x, o, like), read(x, o + LANES, like)
    return a, b, read(x, o + U(2) * LANES, like), read(x, o + U(3) * LANES, like)


@jit_fma_inline
def write_row(x, o, a, b, c, d):
    """Write a row of a tile."""
    write(x, o, a)
    write(x, o + LANES, b)
    write(x, o + U(2) * LANES, c)
    write(x, o + U(3) * LANES, d)


@jit_fma
def solve_tile(integers, table, first):
    """Replace the forces in a tile of columns by accelerations."""
    x, width, mass, elements, like = (
        table.derivatives,
        table.width,
        table.mass,
        integers[NUM_ELEMENTS],
        broadcast8(0.0),
    )
    for back in range(ONE, elements):
        e = elements - back
        j = coordinate_of(integers, e)
        a, b, c, d = read_row(x, j * width + first, like)
        ancestor = parent_of(integers, e)
        while ancestor != ZERO:
            i = coordinate_of(integers, ancestor)
            o, factor = i * width + first, broadcast_like(mass[j * table.mass_width + i], like)
            p, q, r, s = read_row(x, o, like)
            write_row(x, o, p - factor * a, q - factor * b, r - factor * c, s - factor * d)
            ancestor = parent_of(integers, ancestor)
    for e in range(ONE, elements):
        j = coordinate_of(integers, e)
        o, inverse_pivot = j * width + first, broadcast_like(mass[j * table.mass_width + j], like)
        a, b, c, d = read_row(x, o, like)
        a, b, c, d = inverse_pivot * a, inverse_pivot * b, inverse_pivot * c, inverse_pivot * d
        ancestor = parent_of(integers, e)
        while ancestor != ZERO:
            i = coordinate_of(integers, ancestor)
            factor = broadcast_like(mass[j * table.mass_width + i], like)
            p, q, r, s = read_row(x, i * width + first, like)
            a, b, c, d = a - factor * p, b - factor * q, c - factor * r, d - factor * s
            ancestor = parent_of(integers, ancestor)
        write_row(x, o, a, b, c, d)


@jit_fma_inline
def solve_accelerations(integers, floats, workspace, forces, table):
    """Replace the derivatives of forces by the negative derivatives of accelerations."""
    for e in range(ONE, integers[NUM_ELEMENTS]):
        if integers[HEADER_SIZE + e * ROW_SIZE + KIND] == QUATERNION:
            constrain_quaternion_norm(integers, floats, workspace, forces, table, e)
    factor_mass_matrix(integers, table)
    for first in range(ZERO, table.width, TILE_WIDTH):
        solve_tile(integers, table, first)


@jit_fma
def split_derivatives(integers, table, sign, derivatives_q, derivatives_qdot):
    """Write the derivatives with respect to coordinates and velocities into separate matrices."""
    k = integers[NUM_COORDINATES]
    for j in range(k):
        for i in range(k):
            derivatives_q[j * k + i] = sign * table.derivatives[j * table.width + i]
            derivatives_qdot[j * k + i] = sign * table.derivatives[j * table.width + k + i]
