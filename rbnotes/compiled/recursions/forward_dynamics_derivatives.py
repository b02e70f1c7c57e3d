"""Slopes of accelerations from those of forces: the mass matrix, factored along the tree, and substituted.

Accelerations a under steady forces f satisfy ``f(q, v, a) = f``, so that ``M da + df = 0``. A row of M holds
what a joint has to do with those that carry it, and nothing else: from the leaves to the roots,
``M = L^T D L`` fills in nothing (Featherstone's factorisation). The numbers of D are the inertias that the
articulated-body algorithm finds along free coordinates.

A quaternion has a length along which nothing moves. There, its constraint takes the place of the equation of
motion: the forces on it keep what is across, an inertia is added along it, and a force that makes
``q.a + v.v = 0`` with that inertia.
"""

from typing import NamedTuple

from rbnotes.compiled.recursions.element_steps import spring_force
from rbnotes.compiled.recursions.multi_dof_joints import first_element
from rbnotes.compiled.simd.lanes import broadcast8, broadcast_like, element_offset, read, write
from rbnotes.compiled.simd.spatial_algebra import jit_fma, jit_fma_inline
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
"""Columns that substitutions take at once: a row of them stays in registers."""


class DerivativeTable(NamedTuple):
    """A row for each coordinate: slopes of its force by all coordinates, then by all velocities; and of M.

    Of M it is the lower half. Rows are as wide as goes in tiles, or in eights.
    """

    slopes: object
    width: int
    mass: object
    mass_width: int


@jit_fma_inline
def row_widths(k):
    """Of the rows of slopes and of masses."""
    return (U(2) * k + TILE_WIDTH - ONE) // TILE_WIDTH * TILE_WIDTH, (k + LANES - ONE) // LANES * LANES


@jit_fma
def constrain_quaternion_norm(integers, floats, workspace, forces, table, e):
    """A quaternion keeps its length, in place of what moves it along itself; e is its last element."""
    k, first, rows, zero = (
        integers[NUM_COORDINATES],
        integers[HEADER_SIZE + first_element(integers, e) * ROW_SIZE + COORDINATE],
        U(4),
        0.0,
    )
    square, norm_force, inertia = zero, zero, zero
    for i in range(rows):
        at = first + i
        o, c = (
            workspace.records + element_offset(at + ONE, RECORD_SIZE, zero),
            element_offset(at + ONE, CONSTANTS_SIZE, zero),
        )
        q = floats[o + POSITION]
        square += q * q
        norm_force += q * (spring_force(floats, c, floats, o, zero, False) - forces[at])
        inertia += table.mass[at * table.mass_width + at]
    inertia, norm_force = inertia / square, norm_force / square
    for i in range(rows):
        at = first + i
        q = floats[workspace.records + element_offset(at + ONE, RECORD_SIZE, zero) + POSITION]
        # The force of the constraint turns with the quaternion.
        table.slopes[at * table.width + at] -= norm_force
        for j in range(i + ONE):
            other = floats[workspace.records + element_offset(first + j + ONE, RECORD_SIZE, zero) + POSITION]
            table.mass[at * table.mass_width + first + j] += inertia * q * other
    for column in range(U(2) * k):
        along = zero
        for i in range(rows):
            q = floats[workspace.records + element_offset(first + i + ONE, RECORD_SIZE, zero) + POSITION]
            along -= q * table.slopes[(first + i) * table.width + column] / square
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
            table.slopes[(first + i) * table.width + column] += along * q


@jit_fma_inline
def coordinate_of(integers, e):
    """The coordinate of an element."""
    return integers[HEADER_SIZE + e * ROW_SIZE + COORDINATE]


@jit_fma_inline
def parent_of(integers, e):
    """The element that carries it."""
    return integers[HEADER_SIZE + e * ROW_SIZE + PARENT]


@jit_fma
def factor_mass_matrix(integers, table):
    """L below the diagonal and one over D on it, in place of the mass matrix; what is above is of no use.

    Carriers have earlier coordinates than what they carry.
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
            share = broadcast_like(mass[row + i] * inverse_pivot, like)
            for l in range(ZERO, i + ONE, LANES):
                remainder = read(mass, i * width + l, like) - share * read(mass, row + l, like)
                write(mass, i * width + l, remainder)
            ancestor = parent_of(integers, ancestor)
        for i in range(j):
            mass[row + i] *= inverse_pivot
        mass[row + j] = inverse_pivot


@jit_fma_inline
def read_row(x, o, like):
    """A row of a tile."""
    a, b = read(x, o, like), read(x, o + LANES, like)
    return a, b, read(x, o + U(2) * LANES, like), read(x, o + U(3) * LANES, like)


@jit_fma_inline
def write_row(x, o, a, b, c, d):
    """Writes it."""
    write(x, o, a)
    write(x, o + LANES, b)
    write(x, o + U(2) * LANES, c)
    write(x, o + U(3) * LANES, d)


@jit_fma
def solve_tile(integers, table, first):
    """Accelerations in place of the forces that stand in a tile of columns."""
    x, width, mass, elements, like = (
        table.slopes,
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
            o, share = i * width + first, broadcast_like(mass[j * table.mass_width + i], like)
            p, q, r, s = read_row(x, o, like)
            write_row(x, o, p - share * a, q - share * b, r - share * c, s - share * d)
            ancestor = parent_of(integers, ancestor)
    for e in range(ONE, elements):
        j = coordinate_of(integers, e)
        o, inverse_pivot = j * width + first, broadcast_like(mass[j * table.mass_width + j], like)
        a, b, c, d = read_row(x, o, like)
        a, b, c, d = inverse_pivot * a, inverse_pivot * b, inverse_pivot * c, inverse_pivot * d
        ancestor = parent_of(integers, e)
        while ancestor != ZERO:
            i = coordinate_of(integers, ancestor)
            share = broadcast_like(mass[j * table.mass_width + i], like)
            p, q, r, s = read_row(x, i * width + first, like)
            a, b, c, d = a - share * p, b - share * q, c - share * r, d - share * s
            ancestor = parent_of(integers, ancestor)
        write_row(x, o, a, b, c, d)


@jit_fma_inline
def solve_accelerations(integers, floats, workspace, forces, table):
    """The slopes of accelerations, with the other sign, in place of those of forces."""
    for e in range(ONE, integers[NUM_ELEMENTS]):
        if integers[HEADER_SIZE + e * ROW_SIZE + KIND] == QUATERNION:
            constrain_quaternion_norm(integers, floats, workspace, forces, table, e)
    factor_mass_matrix(integers, table)
    for first in range(ZERO, table.width, TILE_WIDTH):
        solve_tile(integers, table, first)


@jit_fma
def split_derivatives(integers, table, sign, by_q, by_v):
    """Writes out the slopes by coordinates and by velocities."""
    k = integers[NUM_COORDINATES]
    for j in range(k):
        for i in range(k):
            by_q[j * k + i] = sign * table.slopes[j * table.width + i]
            by_v[j * k + i] = sign * table.slopes[j * table.width + k + i]
