"""What Python calls: the sweeps for one state and for many, contacts and friction. All arrays are flat."""

import numpy as np
from numba import float64, int64, njit, uint64

from rbnotes.kernels._accepting import finite, residuals_of_pairs
from rbnotes.kernels._algebra import OPTIONS, inlined
from rbnotes.kernels._friction import newton
from rbnotes.kernels._layout import ACCELERATION, ELEMENTS, LANES, SIZE, TWIST, ZERO, U
from rbnotes.kernels._lemke import lemke
from rbnotes.kernels._numbers import eight, read, sum_of
from rbnotes.kernels._parts import cut
from rbnotes.kernels._passed import alike, passed, reals, wholes
from rbnotes.kernels._quadratic import Program, solve
from rbnotes.kernels._resolved import Table, resolved, told_apart, widths
from rbnotes.kernels._rows import Rows, rows_of, transposed
from rbnotes.kernels._run import run
from rbnotes.kernels._slopes import EXTRA, slopes
from rbnotes.kernels._sweeps import (
    bearing,
    bodies_loaded,
    bodies_seen,
    delivered,
    freed,
    outwards_for_eight,
    outwards_for_one,
    room_for_eight,
    room_for_one,
    unloaded,
)
from rbnotes.kernels._tables import CONTACT, MOVED, RELATIVE, SUMS
from rbnotes.kernels._touching import PLACE, SHAPE, touching


@inlined
def trouble(x):
    """Whether some number is not finite."""
    total, row, whole_rows = 0.0, eight(0.0), U(x.size) // LANES * LANES
    for i in range(ZERO, whole_rows, LANES):
        numbers = read(x, i, row)
        row = row + (numbers - numbers)
    for i in range(whole_rows, U(x.size)):
        total += x[i] - x[i]
    return total + sum_of(row) != 0.0


def functions(failed):
    """The functions that Python calls, by name.

    What they return if something is wrong is part of them, and a number for each state of their sources: code
    on disk is asked for by it, so that what was compiled from other sources is not found.
    """

    @njit(cache=True, **OPTIONS)
    def forward_one(tree, constants, q, v, f, out):
        """Accelerations ``(k,)``, of arrays as they are passed."""
        whole, numbers = wholes(tree), reals(constants)
        k = whole[SIZE]
        if not (alike(q, constants, k) and alike(v, constants, k) and alike(f, constants, k)):
            return failed
        q, v, f, out = reals(q), reals(v), reals(f), reals(out)
        room = room_for_one(whole)
        outwards_for_one(whole, numbers, room, q, v, f, True)
        freed(whole, numbers, numbers, room, out, True, 0.0)
        return failed if trouble(out) else 0

    @njit(cache=True, **OPTIONS)
    def inverse_one(tree, constants, q, v, a, out):
        """Forces ``(k,)``, of arrays as they are passed."""
        whole, numbers = wholes(tree), reals(constants)
        k = whole[SIZE]
        if not (alike(q, constants, k) and alike(v, constants, k) and alike(a, constants, k)):
            return failed
        q, v, a, out = reals(q), reals(v), reals(a), reals(out)
        room = room_for_one(whole)
        outwards_for_one(whole, numbers, room, q, v, a, False)
        bearing(whole, numbers, numbers, room, out, True, 0.0)
        return failed if trouble(out) else 0

    @njit(cache=True, nogil=True, **OPTIONS)
    def forward_many(whole, numbers, work, given, q, v, f, out):
        """Accelerations of many states, eight or more of them."""
        room, like = room_for_eight(whole), eight(0.0)
        last = U(q.size) // whole[SIZE] - LANES
        for start in range(ZERO, last + LANES, LANES):
            first = min(start, last)
            outwards_for_eight(whole, numbers, work, room, given, q, v, f, out, first, True, like)
            freed(whole, numbers, work, room, out, False, like)
            delivered(whole, work, room, out, first, like)
        return failed if trouble(out) else 0

    @njit(cache=True, nogil=True, **OPTIONS)
    def inverse_many(whole, numbers, work, given, q, v, a, out):
        """Forces of many states, eight or more of them."""
        room, like = room_for_eight(whole), eight(0.0)
        last = U(q.size) // whole[SIZE] - LANES
        for start in range(ZERO, last + LANES, LANES):
            first = min(start, last)
            outwards_for_eight(whole, numbers, work, room, given, q, v, a, out, first, False, like)
            bearing(whole, numbers, work, room, out, True, like)
            delivered(whole, work, room, out, first, like)
        return failed if trouble(out) else 0

    @njit(cache=True, **OPTIONS)
    def motions_one(whole, numbers, q, v, a, twists, rates):
        """Twists of all bodies and their rates, gravity and all."""
        room = room_for_one(whole)
        outwards_for_one(whole, numbers, room, q, v, a, False)
        bodies_seen(whole, numbers, room, TWIST, twists)
        bodies_seen(whole, numbers, room, ACCELERATION, rates)
        return failed if trouble(twists) or trouble(rates) else 0

    @njit(cache=True, **OPTIONS)
    def forces_one(whole, numbers, q, v, wrenches, out):
        """Forces on all coordinates that wrenches on the bodies make; ``v`` is all zeros."""
        room = room_for_one(whole)
        outwards_for_one(whole, numbers, room, q, v, v, False)
        unloaded(whole, numbers, room)
        bodies_loaded(whole, numbers, room, wrenches, 1.0)
        bearing(whole, numbers, numbers, room, out, False, 0.0)
        return failed if trouble(out) else 0

    @njit(cache=True, **OPTIONS)
    def slopes_one(tree, constants, q, v, a, f, wrenches, bends, by_q, by_v):
        """Derivatives ``(k, k)`` of the accelerations under forces ``f``; without these, of the forces.

        Of arrays as they are passed. ``bends`` are those of columns that are given from outside. Without
        wrenches and bends the arrays are empty.
        """
        whole, numbers = wholes(tree), reals(constants)
        k = whole[SIZE]
        if not (alike(q, constants, k) and alike(v, constants, k) and alike(a, constants, k)):
            return failed
        q, v, a, f, wrenches, bends = reals(q), reals(v), reals(a), reals(f), reals(wrenches), reals(bends)
        by_q, by_v, room = reals(by_q), reals(by_v), room_for_one(whole)
        outwards_for_one(whole, numbers, room, q, v, a, False)
        if wrenches.size:
            bodies_loaded(whole, numbers, room, wrenches, -1.0)
        width, mass_width = widths(k)
        table = Table(np.zeros(k * width), width, np.zeros(k * mass_width), mass_width)
        slopes(whole, numbers, room, np.zeros(whole[ELEMENTS] * EXTRA), bends, table)
        if f.size:
            resolved(whole, numbers, room, f, table)
        told_apart(whole, table, -1.0 if f.size else 1.0, by_q, by_v)
        return failed if trouble(by_q) or trouble(by_v) else 0

    @njit(cache=True, error_model="numpy")
    def touching_shapes(whole, shapes, poses, margin, places):
        """Shapes that touch, and where; how many places there are, no more than there is room for."""
        count, indices = len(shapes) // SHAPE, whole.view(np.int64)
        bodies, at = cut(indices, 0, (count,))
        found = touching(
            cut(shapes, 0, (count, SHAPE))[0],
            bodies,
            cut(indices, at, ((len(indices) - count) // 2, 2))[0],
            cut(poses, 0, (len(poses) // 16, 4, 4))[0],
            margin[0],
            cut(places, 0, (len(places) // (2 + PLACE), 2 + PLACE))[0],
        )
        return found if found * (2 + PLACE) <= len(places) else failed

    @njit(cache=True, error_model="numpy")
    def newton_method(whole, W, free, mu, r, tolerance, best):
        """Best impulses and behind them their residual; the number of steps of Newton's method."""
        size, most = len(free), whole.view(np.int64)[0]
        W, impulses = cut(W, 0, (size, size))[0], cut(best, 0, (size,))[0]
        best[size], steps = newton(W, free, mu, r, tolerance[0], most, impulses)
        return failed if trouble(best) else steps

    @njit(cache=True, error_model="numpy")
    def complementary_pairs(whole, M, q, z, w, left):
        """A solution of an LCP, and its residuals, where the tolerance stands; 1 and the number of pivots."""
        n, tolerance = len(q), left[RELATIVE]
        M = cut(M, 0, (n, n))[0]
        if not (finite(M.reshape(-1)) and finite(q)):
            return failed
        pivots = lemke(M, q, z, w)
        if pivots < 0:
            return failed
        residuals_of_pairs(M, q, z, w, left)
        return 1 + pivots if left[RELATIVE] <= tolerance else failed

    @njit(cache=True, error_model="numpy")
    def dense_program(whole, Q, c, A, b, x, z, w, left):
        """A solution of a quadratic program of dense matrices; 1 and the pivots, then the factorizations."""
        d, m, tolerance = len(c), len(b), left[RELATIVE]
        if not (finite(Q) and finite(c) and finite(A) and finite(b)):
            return failed
        program = Program(rows_of(cut(Q, 0, (d, d))[0]), c, rows_of(cut(A, 0, (m, d))[0]), b)
        whole[0], whole[1], ended = solve(program, x, z, w, left, tolerance)
        return ended if ended == 0 and left[RELATIVE] <= tolerance else failed

    @njit(cache=True, error_model="numpy")
    def sparse_program(whole, Q, c, A, b, x, z, w, left):
        """The same of sparse columns: where those of Q start and their rows, then those of A."""
        d, m, tolerance, indices = len(c), len(b), left[RELATIVE], whole.view(np.int64)
        if not (finite(Q) and finite(c) and finite(A) and finite(b)):
            return failed
        starts, at = cut(indices, 0, (d + 1,))
        columns, at = cut(indices, at, (len(Q),))
        Q_rows = Rows(starts, columns, Q)
        starts, at = cut(indices, at, (d + 1,))
        columns, at = cut(indices, at, (len(A),))
        program = Program(Q_rows, c, transposed(Rows(starts, columns, A), m), b)
        whole[0], whole[1], ended = solve(program, x, z, w, left, tolerance)
        return ended if ended == 0 and left[RELATIVE] <= tolerance else failed

    @njit(cache=True, error_model="numpy", _nrt=False)
    def rattle_steps(
        whole, numbers, told, motion, near, pushes, states, sums, impulses, records, answers, work
    ):
        """Steps of the simulator; how they ended."""
        count, steps, indices = len(motion) // MOVED, len(sums) // SUMS, whole.view(np.int64)
        return run(
            indices,
            numbers,
            told,
            cut(motion, 0, (count, MOVED))[0],
            cut(near, 0, (len(near) // CONTACT, CONTACT))[0],
            cut(pushes, 0, (len(pushes) // CONTACT, CONTACT))[0],
            cut(states, 0, (steps, count, MOVED))[0],
            cut(sums, 0, (steps, SUMS))[0],
            cut(impulses, 0, (steps, indices[2]))[0],
            cut(records, 0, (len(records) // CONTACT, CONTACT))[0],
            answers,
            work,
        )

    return {
        function.__name__: function
        for function in (
            forward_one,
            inverse_one,
            forward_many,
            inverse_many,
            motions_one,
            forces_one,
            slopes_one,
            touching_shapes,
            newton_method,
            complementary_pairs,
            dense_program,
            sparse_program,
            rattle_steps,
        )
    }


def signature(function):
    """Of arrays as they are passed, a tree's first; or of whole numbers, then of real ones, all flat."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    if names[0] == "tree":
        return int64(*(passed for _ in names))
    return int64(uint64[::1], *(float64[::1] for _ in names[1:]))
