"""Contacts of a kick: their rows, how they answer impulses, and the impulses of Coulomb's law.

A contact is a row of numbers (:mod:`rbnotes.kernels._tables`); so is what is remembered of it after a kick,
with the impulse in the world. The last body is the world.
"""

import math
from collections import namedtuple

import numpy as np

from rbnotes.friction.contact_space import HELD
from rbnotes.kernels._distance import bare, cross, dot, length, less, plain, times
from rbnotes.kernels._envelope import lower_solved
from rbnotes.kernels._flight import applied_back
from rbnotes.kernels._friction import copy, newton, projected, residual
from rbnotes.kernels._joined import six, written
from rbnotes.kernels._tables import IMPULSE, MU, NORMAL, POSITION, A, B

Rows = namedtuple("Rows", "body_of along")
"""Of each row its bodies ``(3 c, 2)`` and its blocks ``(3 c, 2, 6)``."""


@bare
def axes_of(contact, out):
    """Writes the normal and the two tangents ``(3, 3)``, as :mod:`rbnotes.contact._axes` has them."""
    n = (contact[NORMAL], contact[NORMAL + 1], contact[NORMAL + 2])
    least = 0
    for k in range(1, 3):
        if abs(n[k]) < abs(n[least]):
            least = k
    first = cross((1.0 if least == 0 else 0.0, 1.0 if least == 1 else 0.0, 1.0 if least == 2 else 0.0), n)
    first = times(1 / length(first), first)
    out[0, 0], out[0, 1], out[0, 2] = n
    out[1, 0], out[1, 1], out[1, 2] = first
    out[2, 0], out[2, 1], out[2, 2] = cross(n, first)


@plain
def contact_rows(contacts, R, x):
    """Three rows a contact: along the normal and along the tangents."""
    count, axes = len(contacts), np.empty((3, 3))
    body_of, rows = np.empty((3 * count, 2), np.int64), np.empty((3 * count, 2, 6))
    for i in range(count):
        axes_of(contacts[i], axes)
        place = (contacts[i, POSITION], contacts[i, POSITION + 1], contacts[i, POSITION + 2])
        for side in range(2):
            b, sign = int(contacts[i, A + side]), 1.0 if side == 0 else -1.0
            arm = less(place, (x[b, 0], x[b, 1], x[b, 2]))
            for k in range(3):
                direction = (axes[k, 0], axes[k, 1], axes[k, 2])
                body_of[3 * i + k, side] = b
                moment = times(sign, applied_back(R[b], cross(arm, direction)))
                written(rows, 3 * i + k, side, moment, sign, direction)
    return Rows(body_of, rows)


@plain
def delassus(rows, moves, joints, held):
    """Velocities along the contacts' rows per impulse along them ``(3 c, 3 c)``, with the joints kept to."""
    size = len(moves)
    W = np.zeros((size, size))
    for i in range(0, size, 3):
        for j in range(0, i + 3, 3):
            for side in range(2):
                for other in range(2):
                    if rows.body_of[i, side] == rows.body_of[j, other]:
                        for a in range(3):
                            for b in range(3):
                                W[i + a, j + b] += six(rows.along[i + a, side], moves[j + b, other])
    if len(held.moves):
        through = np.zeros((size, len(held.moves)))
        for i in range(size):
            for r in range(len(held.moves)):
                for side in range(2):
                    for other in range(2):
                        if rows.body_of[i, side] == joints.body_of[r, other]:
                            through[i, r] += six(rows.along[i, side], held.moves[r, other])
            lower_solved(held.factor, joints.first, joints.at, through[i])
        for i in range(size):
            for j in range(i + 1):
                W[i, j] -= dot_of(through[i], through[j])
    for i in range(size):
        for j in range(i):
            W[j, i] = W[i, j]
    return W


@bare
def dot_of(x, y):
    """Of two lists of numbers."""
    total = 0.0
    for k in range(len(x)):
        total += x[k] * y[k]
    return total


@bare
def let_go(W, free, rows, bodies, unheld, v):
    """Clears directions that joints hold fast: from W, and from free velocities where those are rounding.

    The rounding is that of the velocities with joints, v, and of those without.
    """
    for r in range(len(free)):
        alone, terms = 0.0, abs(free[r])
        for side in range(2):
            b = rows.body_of[r, side]
            if b < len(bodies.mass):
                for k in range(6):
                    whole = bodies.J[b, k, k] if k < 3 else bodies.mass[b]
                    alone += rows.along[r, side, k] ** 2 / whole
                    terms += abs(rows.along[r, side, k]) * (abs(v[b, k]) + abs(unheld[b, k]))
        if abs(W[r, r]) <= HELD * alone:
            for j in range(len(free)):
                W[r, j], W[j, r] = 0.0, 0.0
            if abs(free[r]) <= 1e-12 * terms:
                free[r] = 0.0


@plain
def carried(contacts, memory, reach):
    """The remembered impulses near the contacts, within their cones, ``(3 c,)``; else zero."""
    start, axes = np.zeros(3 * len(contacts)), np.empty((3, 3))
    for i in range(len(contacts)):
        nearest, least = -1, math.inf
        for j in range(len(memory)):
            if memory[j, A] == contacts[i, A] and memory[j, B] == contacts[i, B]:
                apart = 0.0
                for k in range(3):
                    apart += (contacts[i, POSITION + k] - memory[j, POSITION + k]) ** 2
                if apart < least:
                    nearest, least = j, apart
        if nearest >= 0 and math.sqrt(least) < reach:
            axes_of(contacts[i], axes)
            push = (memory[nearest, IMPULSE], memory[nearest, IMPULSE + 1], memory[nearest, IMPULSE + 2])
            p = projected((dot(axes[0], push), dot(axes[1], push), dot(axes[2], push)), contacts[i, MU])
            start[3 * i], start[3 * i + 1], start[3 * i + 2] = p
    return start


@plain
def remembered(contacts, memory):
    """Writes where the contacts push, and how."""
    axes = np.empty((3, 3))
    for i in range(len(contacts)):
        axes_of(contacts[i], axes)
        copy(contacts[i], memory[i])
        for k in range(3):
            memory[i, IMPULSE + k] = 0.0
            for d in range(3):
                memory[i, IMPULSE + k] += contacts[i, IMPULSE + d] * axes[d, k]


@plain
def islands(W):
    """Of each contact the first one among those that answer each other's impulses."""
    count = len(W) // 3
    first = np.empty(count, np.int64)
    for i in range(count):
        first[i] = i
        for j in range(i):
            touched = False
            for a in range(3):
                for b in range(3):
                    touched = touched or W[3 * i + a, 3 * j + b] != 0
            if touched and first[i] != first[j]:
                low, high = min(first[i], first[j]), max(first[i], first[j])
                for k in range(i + 1):
                    first[k] = low if first[k] == high else first[k]
    return first


@plain
def rubbed(W, free, mu, start, tolerance, most):
    """Impulses ``(3 c,)``, each island's by Newton's method, their residual, and whether all are found."""
    impulses, found, count = np.empty(len(free)), True, len(mu)
    island, rows = islands(W), np.empty(3 * count, np.int64)
    for root in range(count):
        size = 0
        for i in range(count):
            if island[i] == root:
                for k in range(3):
                    rows[size] = 3 * i + k
                    size += 1
        if size:
            own_W, own_free, own_start = np.empty((size, size)), np.empty(size), np.empty(size)
            own_mu, best = np.empty(size // 3), np.empty(size)
            for i in range(size):
                own_free[i], own_start[i], own_mu[i // 3] = free[rows[i]], start[rows[i]], mu[rows[i] // 3]
                for j in range(size):
                    own_W[i, j] = W[rows[i], rows[j]]
            least, _ = newton(own_W, own_free, own_mu, own_start, tolerance, most, best)
            for i in range(size):
                impulses[rows[i]] = best[i]
            found = found and least <= tolerance
    return impulses, natural(W, free, mu, impulses), found


@plain
def natural(W, free, mu, r):
    """The natural residual of impulses (:func:`rbnotes.friction.laws.natural_residual`)."""
    count = len(mu)
    mobility, rho, F = np.empty(count), np.empty(count), np.empty(len(r))
    for i in range(count):
        mobility[i] = (W[3 * i, 3 * i] + W[3 * i + 1, 3 * i + 1] + W[3 * i + 2, 3 * i + 2]) / 3
        rho[i] = 1 / mobility[i] if mobility[i] > 0 else 0.0
    return residual(W, free, mu, r, rho, mobility, F)
