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

from rbnotes.kernels._algebra import apart, inlined
from rbnotes.kernels._blocks import first_of
from rbnotes.kernels._layout import (
    CONSTANTS,
    COORDINATE,
    ELEMENTS,
    FORCE,
    HEADER,
    KIND,
    LANES,
    ONE,
    PARENT,
    POSITION,
    QUATERNION,
    RATE,
    RECORD,
    SIZE,
    WHOLE,
    ZERO,
    U,
)
from rbnotes.kernels._numbers import eight, place, read, spread, write
from rbnotes.kernels._steps import sprung

TILE = U(4) * LANES
"""Columns that substitutions take at once: a row of them stays in registers."""


class Table(NamedTuple):
    """A row for each coordinate: slopes of its force by all coordinates, then by all velocities; and of M.

    Of M it is the lower half. Rows are as wide as goes in tiles, or in eights.
    """

    slopes: object
    width: int
    mass: object
    mass_width: int


@inlined
def widths(k):
    """Of the rows of slopes and of masses."""
    return (U(2) * k + TILE - ONE) // TILE * TILE, (k + LANES - ONE) // LANES * LANES


@apart
def kept_long(whole, numbers, room, forces, table, e):
    """A quaternion keeps its length, in place of what moves it along itself; e is its last element."""
    k, first, rows, none = whole[SIZE], whole[HEADER + first_of(whole, e) * WHOLE + COORDINATE], U(4), 0.0
    square, push, inertia = none, none, none
    for i in range(rows):
        at = first + i
        o, c = room.records + place(at + ONE, RECORD, none), place(at + ONE, CONSTANTS, none)
        q = numbers[o + POSITION]
        square += q * q
        push += q * (sprung(numbers, c, numbers, o, none, False) - forces[at])
        inertia += table.mass[at * table.mass_width + at]
    inertia, push = inertia / square, push / square
    for i in range(rows):
        at = first + i
        q = numbers[room.records + place(at + ONE, RECORD, none) + POSITION]
        # The force of the constraint turns with the quaternion.
        table.slopes[at * table.width + at] -= push
        for j in range(i + ONE):
            other = numbers[room.records + place(first + j + ONE, RECORD, none) + POSITION]
            table.mass[at * table.mass_width + first + j] += inertia * q * other
    for column in range(U(2) * k):
        along = none
        for i in range(rows):
            q = numbers[room.records + place(first + i + ONE, RECORD, none) + POSITION]
            along -= q * table.slopes[(first + i) * table.width + column] / square
        if first <= column < first + rows:
            along += inertia * numbers[room.records + place(column + ONE, RECORD, none) + FORCE]
        elif first + k <= column < first + k + rows:
            along += inertia * 2.0 * numbers[room.records + place(column - k + ONE, RECORD, none) + RATE]
        for i in range(rows):
            q = numbers[room.records + place(first + i + ONE, RECORD, none) + POSITION]
            table.slopes[(first + i) * table.width + column] += along * q


@inlined
def coordinate_of(whole, e):
    """The coordinate of an element."""
    return whole[HEADER + e * WHOLE + COORDINATE]


@inlined
def carrier_of(whole, e):
    """The element that carries it."""
    return whole[HEADER + e * WHOLE + PARENT]


@apart
def factored(whole, table):
    """L below the diagonal and one over D on it, in place of the mass matrix; what is above is of no use.

    Carriers have earlier coordinates than what they carry.
    """
    mass, width, elements, like = table.mass, table.mass_width, whole[ELEMENTS], eight(0.0)
    for back in range(ONE, elements):
        e = elements - back
        j = coordinate_of(whole, e)
        row = j * width
        light = 1.0 / mass[row + j]
        above = carrier_of(whole, e)
        while above != ZERO:
            i = coordinate_of(whole, above)
            share = spread(mass[row + i] * light, like)
            for l in range(ZERO, i + ONE, LANES):
                less = read(mass, i * width + l, like) - share * read(mass, row + l, like)
                write(mass, i * width + l, less)
            above = carrier_of(whole, above)
        for i in range(j):
            mass[row + i] *= light
        mass[row + j] = light


@inlined
def row_of(x, o, like):
    """A row of a tile."""
    a, b = read(x, o, like), read(x, o + LANES, like)
    return a, b, read(x, o + U(2) * LANES, like), read(x, o + U(3) * LANES, like)


@inlined
def put_row(x, o, a, b, c, d):
    """Writes it."""
    write(x, o, a)
    write(x, o + LANES, b)
    write(x, o + U(2) * LANES, c)
    write(x, o + U(3) * LANES, d)


@apart
def substituted(whole, table, first):
    """Accelerations in place of the forces that stand in a tile of columns."""
    x, width, mass, elements, like = table.slopes, table.width, table.mass, whole[ELEMENTS], eight(0.0)
    for back in range(ONE, elements):
        e = elements - back
        j = coordinate_of(whole, e)
        a, b, c, d = row_of(x, j * width + first, like)
        above = carrier_of(whole, e)
        while above != ZERO:
            i = coordinate_of(whole, above)
            o, share = i * width + first, spread(mass[j * table.mass_width + i], like)
            p, q, r, s = row_of(x, o, like)
            put_row(x, o, p - share * a, q - share * b, r - share * c, s - share * d)
            above = carrier_of(whole, above)
    for e in range(ONE, elements):
        j = coordinate_of(whole, e)
        o, light = j * width + first, spread(mass[j * table.mass_width + j], like)
        a, b, c, d = row_of(x, o, like)
        a, b, c, d = light * a, light * b, light * c, light * d
        above = carrier_of(whole, e)
        while above != ZERO:
            i = coordinate_of(whole, above)
            share = spread(mass[j * table.mass_width + i], like)
            p, q, r, s = row_of(x, i * width + first, like)
            a, b, c, d = a - share * p, b - share * q, c - share * r, d - share * s
            above = carrier_of(whole, above)
        put_row(x, o, a, b, c, d)


@inlined
def resolved(whole, numbers, room, forces, table):
    """The slopes of accelerations, with the other sign, in place of those of forces."""
    for e in range(ONE, whole[ELEMENTS]):
        if whole[HEADER + e * WHOLE + KIND] == QUATERNION:
            kept_long(whole, numbers, room, forces, table, e)
    factored(whole, table)
    for first in range(ZERO, table.width, TILE):
        substituted(whole, table, first)


@apart
def told_apart(whole, table, sign, by_q, by_v):
    """Writes out the slopes by coordinates and by velocities."""
    k = whole[SIZE]
    for j in range(k):
        for i in range(k):
            by_q[j * k + i] = sign * table.slopes[j * table.width + i]
            by_v[j * k + i] = sign * table.slopes[j * table.width + k + i]
