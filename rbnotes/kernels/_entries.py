"""What Python calls: the sweeps for one state and for many, contacts and friction. All arrays are flat."""

import numpy as np
from numba import float64, int64, njit, uint64

from rbnotes.kernels._algebra import OPTIONS, inlined
from rbnotes.kernels._friction import newton
from rbnotes.kernels._lanes import LANES
from rbnotes.kernels._layout import GAIN, GIVEN_AT, GIVEN_SIZE, MOTION, NODES, ONE, ROOM, SIZE, ZERO, U
from rbnotes.kernels._run import run
from rbnotes.kernels._slopes import RECORD, slopes
from rbnotes.kernels._sweeps import bodies_loaded, bodies_seen, driven_outwards, forward, handed_in, inverse
from rbnotes.kernels._tables import CONTACT, MOVED, SUMS
from rbnotes.kernels._touching import PLACE, SHAPE, touching
from rbnotes.kernels._width import widest


@inlined
def trouble(x):
    """Whether some number is not finite."""
    total = 0.0
    for i in range(x.size):
        total += x[i] - x[i]
    return total != 0


def functions(failed):
    """The functions that Python calls, by name.

    What they return if something is wrong is part of them, and a number for each state of their sources: code
    on disk is asked for by it, so that what was compiled from other sources is not found.
    """

    @njit(cache=True, **OPTIONS)
    def forward_one(whole, numbers, q, v, f, out):
        """Accelerations ``(k,)``."""
        k = whole[SIZE]
        if q.size != k or v.size != k or f.size != k:
            return failed
        g = whole[GIVEN_AT]
        forward(
            whole, numbers, numbers, g + whole[GIVEN_SIZE], numbers, g, ZERO, q, v, f, out, ZERO, ZERO, ONE
        )
        return failed if trouble(out) else 0

    @njit(cache=True, **OPTIONS)
    def inverse_one(whole, numbers, q, v, a, out):
        """Forces ``(k,)``."""
        k = whole[SIZE]
        if q.size != k or v.size != k or a.size != k:
            return failed
        g = whole[GIVEN_AT]
        inverse(
            whole, numbers, numbers, g + whole[GIVEN_SIZE], numbers, g, ZERO, q, v, a, out, ZERO, ZERO, ONE
        )
        return failed if trouble(out) else 0

    @njit(cache=True, nogil=True, **OPTIONS)
    def forward_many(whole, numbers, given, q, v, f, out):
        """Accelerations of many states."""
        widest()
        last = U(q.size) // whole[SIZE] - ONE
        work = np.empty(whole[ROOM] * LANES)
        for first in range(ZERO, last + ONE, LANES):
            forward(
                whole, numbers, work, ZERO, given, ZERO, whole[GIVEN_SIZE], q, v, f, out, first, last, LANES
            )
        return failed if trouble(out) else 0

    @njit(cache=True, nogil=True, **OPTIONS)
    def inverse_many(whole, numbers, given, q, v, a, out):
        """Forces of many states."""
        widest()
        last = U(q.size) // whole[SIZE] - ONE
        work = np.empty(whole[ROOM] * LANES)
        for first in range(ZERO, last + ONE, LANES):
            inverse(
                whole, numbers, work, ZERO, given, ZERO, whole[GIVEN_SIZE], q, v, a, out, first, last, LANES
            )
        return failed if trouble(out) else 0

    @njit(cache=True, **OPTIONS)
    def motions_one(whole, numbers, q, v, a, twists, rates):
        """Twists of all bodies and their rates, gravity and all."""
        g = whole[GIVEN_AT]
        at = g + whole[GIVEN_SIZE]
        driven_outwards(whole, numbers, numbers, at, numbers, g, ZERO, q, v, a, ZERO, ZERO, ONE)
        bodies_seen(whole, numbers, numbers, at, MOTION, twists, ONE)
        bodies_seen(whole, numbers, numbers, at, GAIN, rates, ONE)
        return failed if trouble(twists) or trouble(rates) else 0

    @njit(cache=True, **OPTIONS)
    def forces_one(whole, numbers, q, v, wrenches, out):
        """Forces on all coordinates that wrenches on the bodies make; ``v`` is all zeros."""
        g = whole[GIVEN_AT]
        at = g + whole[GIVEN_SIZE]
        driven_outwards(whole, numbers, numbers, at, numbers, g, ZERO, q, v, v, ZERO, ZERO, ONE)
        bodies_loaded(whole, numbers, numbers, at, wrenches, ONE)
        handed_in(whole, numbers, numbers, at, q, v, out, False, ZERO, ZERO, ONE)
        return failed if trouble(out) else 0

    @njit(cache=True, **OPTIONS)
    def slopes_one(whole, numbers, q, v, a, wrenches, by_q, by_v):
        """Derivatives ``(k, k)`` of forces, where all nodes have one axis or none."""
        room = np.zeros(whole[NODES] * RECORD)
        slopes(whole, numbers, room, q, v, a, wrenches, by_q, by_v)
        return failed if trouble(by_q) or trouble(by_v) else 0

    @njit(cache=True, error_model="numpy")
    def touching_shapes(whole, shapes, poses, margin, places):
        """Shapes that touch, and where; how many places there are, no more than there is room for."""
        count = len(shapes) // SHAPE
        found = touching(
            shapes.reshape(count, SHAPE),
            whole[:count],
            whole[count:].reshape(-1, 2),
            poses.reshape(-1, 4, 4),
            margin[0],
            places.reshape(-1, 2 + PLACE),
        )
        return found if found * (2 + PLACE) <= len(places) else failed

    @njit(cache=True, error_model="numpy")
    def newton_method(whole, W, free, mu, r, tolerance, best):
        """Best impulses and behind them their residual; the number of steps of Newton's method."""
        size = len(free)
        best[size], steps = newton(
            W.reshape(size, size), free, mu, r, tolerance[0], int(whole[0]), best[:size]
        )
        return failed if trouble(best) else steps

    @njit(cache=True, error_model="numpy", _nrt=False)
    def rattle_steps(whole, numbers, told, motion, near, pushes, states, sums, impulses, records, work):
        """Steps of the simulator; how they ended."""
        count = len(motion) // MOVED
        steps = len(sums) // SUMS
        return run(
            whole.view(np.int64),
            numbers,
            told,
            motion.reshape(count, MOVED),
            near.reshape(-1, CONTACT),
            pushes.reshape(-1, CONTACT),
            states.reshape(steps, count, MOVED),
            sums.reshape(steps, SUMS),
            impulses.reshape(steps, int(whole[2])),
            records.reshape(-1, CONTACT),
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
            rattle_steps,
        )
    }


def signature(function):
    """Of whole numbers first, then of real ones, all flat."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return int64(uint64[::1], *(float64[::1] for _ in names[1:]))
