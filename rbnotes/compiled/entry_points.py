"""What Python calls: the sweeps for one state and for many, contacts and friction. All arrays are flat."""

import numpy as np
from numba import float64, int64, njit, uint64

from rbnotes.compiled.array_arguments import float_view, is_vector_like, pyobject_pointer, uint_view
from rbnotes.compiled.array_views import view_at
from rbnotes.compiled.collision.narrow_phase import PLACE_SIZE, SHAPE_SIZE, find_contacts
from rbnotes.compiled.complementarity.lemke import solve_lemke
from rbnotes.compiled.complementarity.quadratic_program import Program, solve_program
from rbnotes.compiled.complementarity.residuals import all_finite, lcp_residuals
from rbnotes.compiled.complementarity.sparse_rows import SparseRows, sparse_rows, transpose_rows
from rbnotes.compiled.contact_solver.newton_friction import solve_newton
from rbnotes.compiled.record_layout import CONTACT_SIZE, MOTION_SIZE, RELATIVE, SUMS_SIZE
from rbnotes.compiled.recursions.forward_dynamics_derivatives import (
    DerivativeTable,
    row_widths,
    solve_accelerations,
    split_derivatives,
)
from rbnotes.compiled.recursions.inverse_dynamics_derivatives import (
    EXTRA_SIZE,
    inverse_dynamics_derivatives,
)
from rbnotes.compiled.recursions.tree_sweeps import (
    add_body_wrenches,
    articulated_body_sweeps,
    batch_workspace,
    clear_wrenches,
    forward_sweep_batch,
    forward_sweep_single,
    inverse_dynamics_sweep,
    scatter_results,
    single_workspace,
    write_body_vectors,
)
from rbnotes.compiled.simd.lanes import broadcast8, read, sum_lanes
from rbnotes.compiled.simd.spatial_algebra import FMA_OPTIONS, jit_fma_inline
from rbnotes.compiled.simulation.simulation_loop import run_steps
from rbnotes.compiled.tree_layout import (
    ACCELERATION,
    LANES,
    NUM_COORDINATES,
    NUM_ELEMENTS,
    TWIST,
    ZERO,
    U,
)


@jit_fma_inline
def has_nonfinite(x):
    """Whether some number is not finite."""
    total, row, whole_rows = 0.0, broadcast8(0.0), U(x.size) // LANES * LANES
    for i in range(ZERO, whole_rows, LANES):
        floats = read(x, i, row)
        row = row + (floats - floats)
    for i in range(whole_rows, U(x.size)):
        total += x[i] - x[i]
    return total + sum_lanes(row) != 0.0


@jit_fma_inline
def has_nonfinite_states(x, size, first):
    """The same of eight states, from the first of them on."""
    return has_nonfinite(x[first * size : (first + LANES) * size])


def entry_functions(failure):
    """The functions that Python calls, by name.

    What they return if something is wrong is part of them, and a number for each state of their sources: code
    on disk is asked for by it, so that what was compiled from other sources is not found.
    """

    @njit(cache=True, **FMA_OPTIONS)
    def forward_one(tree, constants, q, v, f, out):
        """Accelerations ``(k,)``, of arrays as they are passed."""
        integers, floats = uint_view(tree), float_view(constants)
        k = integers[NUM_COORDINATES]
        if not (
            is_vector_like(q, constants, k)
            and is_vector_like(v, constants, k)
            and is_vector_like(f, constants, k)
        ):
            return failure
        q, v, f, out = float_view(q), float_view(v), float_view(f), float_view(out)
        workspace = single_workspace(integers)
        forward_sweep_single(integers, floats, workspace, q, v, f, True)
        articulated_body_sweeps(integers, floats, floats, workspace, out, True, 0.0)
        return failure if has_nonfinite(out) else 0

    @njit(cache=True, **FMA_OPTIONS)
    def inverse_one(tree, constants, q, v, a, out):
        """Forces ``(k,)``, of arrays as they are passed."""
        integers, floats = uint_view(tree), float_view(constants)
        k = integers[NUM_COORDINATES]
        if not (
            is_vector_like(q, constants, k)
            and is_vector_like(v, constants, k)
            and is_vector_like(a, constants, k)
        ):
            return failure
        q, v, a, out = float_view(q), float_view(v), float_view(a), float_view(out)
        workspace = single_workspace(integers)
        forward_sweep_single(integers, floats, workspace, q, v, a, False)
        inverse_dynamics_sweep(integers, floats, floats, workspace, out, True, 0.0)
        return failure if has_nonfinite(out) else 0

    @njit(cache=True, nogil=True, **FMA_OPTIONS)
    def forward_many(integers, floats, work, external, q, v, f, out):
        """Accelerations of many states, eight or more of them."""
        workspace, like = batch_workspace(integers), broadcast8(0.0)
        last, has_failed = U(q.size) // integers[NUM_COORDINATES] - LANES, False
        for start in range(ZERO, last + LANES, LANES):
            first = min(start, last)
            forward_sweep_batch(integers, floats, work, workspace, external, q, v, f, out, first, True, like)
            articulated_body_sweeps(integers, floats, work, workspace, out, False, like)
            scatter_results(integers, work, workspace, out, first, like)
            has_failed = has_failed or has_nonfinite_states(out, integers[NUM_COORDINATES], first)
        return failure if has_failed else 0

    @njit(cache=True, nogil=True, **FMA_OPTIONS)
    def inverse_many(integers, floats, work, external, q, v, a, out):
        """Forces of many states, eight or more of them."""
        workspace, like = batch_workspace(integers), broadcast8(0.0)
        last, has_failed = U(q.size) // integers[NUM_COORDINATES] - LANES, False
        for start in range(ZERO, last + LANES, LANES):
            first = min(start, last)
            forward_sweep_batch(integers, floats, work, workspace, external, q, v, a, out, first, False, like)
            inverse_dynamics_sweep(integers, floats, work, workspace, out, True, like)
            scatter_results(integers, work, workspace, out, first, like)
            has_failed = has_failed or has_nonfinite_states(out, integers[NUM_COORDINATES], first)
        return failure if has_failed else 0

    @njit(cache=True, **FMA_OPTIONS)
    def motions_one(integers, floats, q, v, a, twists, rates):
        """Twists of all bodies and their rates, gravity and all."""
        workspace = single_workspace(integers)
        forward_sweep_single(integers, floats, workspace, q, v, a, False)
        write_body_vectors(integers, floats, workspace, TWIST, twists)
        write_body_vectors(integers, floats, workspace, ACCELERATION, rates)
        return failure if has_nonfinite(twists) or has_nonfinite(rates) else 0

    @njit(cache=True, **FMA_OPTIONS)
    def forces_one(integers, floats, q, v, wrenches, out):
        """Forces on all coordinates that wrenches on the bodies make; ``v`` is all zeros."""
        workspace = single_workspace(integers)
        forward_sweep_single(integers, floats, workspace, q, v, v, False)
        clear_wrenches(integers, floats, workspace)
        add_body_wrenches(integers, floats, workspace, wrenches, 1.0)
        inverse_dynamics_sweep(integers, floats, floats, workspace, out, False, 0.0)
        return failure if has_nonfinite(out) else 0

    @njit(cache=True, **FMA_OPTIONS)
    def slopes_one(tree, constants, q, v, a, f, wrenches, subspace_derivatives, by_q, by_v):
        """Derivatives ``(k, k)`` of the accelerations under forces ``f``; without these, of the forces.

        Of arrays as they are passed. ``subspace_derivatives`` are those of columns that are given from outside. Without
        wrenches and bends the arrays are empty.
        """
        integers, floats = uint_view(tree), float_view(constants)
        k = integers[NUM_COORDINATES]
        if not (
            is_vector_like(q, constants, k)
            and is_vector_like(v, constants, k)
            and is_vector_like(a, constants, k)
        ):
            return failure
        q, v, a, f, wrenches, subspace_derivatives = (
            float_view(q),
            float_view(v),
            float_view(a),
            float_view(f),
            float_view(wrenches),
            float_view(subspace_derivatives),
        )
        by_q, by_v, workspace = float_view(by_q), float_view(by_v), single_workspace(integers)
        forward_sweep_single(integers, floats, workspace, q, v, a, False)
        if wrenches.size:
            add_body_wrenches(integers, floats, workspace, wrenches, -1.0)
        width, mass_width = row_widths(k)
        table = DerivativeTable(np.zeros(k * width), width, np.zeros(k * mass_width), mass_width)
        inverse_dynamics_derivatives(
            integers,
            floats,
            workspace,
            np.zeros(integers[NUM_ELEMENTS] * EXTRA_SIZE),
            subspace_derivatives,
            table,
        )
        if f.size:
            solve_accelerations(integers, floats, workspace, f, table)
        split_derivatives(integers, table, -1.0 if f.size else 1.0, by_q, by_v)
        return failure if has_nonfinite(by_q) or has_nonfinite(by_v) else 0

    @njit(cache=True, error_model="numpy")
    def touching_shapes(integers, shapes, poses, margin, places):
        """Shapes that touch, and where; how many places there are, no more than there is room for."""
        count, indices = len(shapes) // SHAPE_SIZE, integers.view(np.int64)
        bodies, at = view_at(indices, 0, (count,))
        found = find_contacts(
            view_at(shapes, 0, (count, SHAPE_SIZE))[0],
            bodies,
            view_at(indices, at, ((len(indices) - count) // 2, 2))[0],
            view_at(poses, 0, (len(poses) // 16, 4, 4))[0],
            margin[0],
            view_at(places, 0, (len(places) // (2 + PLACE_SIZE), 2 + PLACE_SIZE))[0],
        )
        return found if found * (2 + PLACE_SIZE) <= len(places) else failure

    @njit(cache=True, error_model="numpy")
    def newton_method(integers, W, free, mu, r, tolerance, best_impulses):
        """Best impulses and behind them their residual; the number of steps of Newton's method."""
        size, max_iterations = len(free), integers.view(np.int64)[0]
        W, impulses = view_at(W, 0, (size, size))[0], view_at(best_impulses, 0, (size,))[0]
        best_impulses[size], steps = solve_newton(W, free, mu, r, tolerance[0], max_iterations, impulses)
        return failure if has_nonfinite(best_impulses) else steps

    @njit(cache=True, error_model="numpy")
    def complementary_pairs(integers, M, q, z, w, residuals):
        """A solution of an LCP, and its residuals, where the tolerance stands; 1 and the number of pivots."""
        n, tolerance = len(q), residuals[RELATIVE]
        M = view_at(M, 0, (n, n))[0]
        if not (all_finite(M.reshape(-1)) and all_finite(q)):
            return failure
        pivots = solve_lemke(M, q, z, w)
        if pivots < 0:
            return failure
        lcp_residuals(M, q, z, w, residuals)
        return 1 + pivots if residuals[RELATIVE] <= tolerance else failure

    @njit(cache=True, error_model="numpy")
    def dense_program(integers, Q, c, A, b, x, z, w, residuals):
        """A solution of a quadratic program of dense matrices; 1 and the pivots, then the factorizations."""
        d, m, tolerance = len(c), len(b), residuals[RELATIVE]
        if not (all_finite(Q) and all_finite(c) and all_finite(A) and all_finite(b)):
            return failure
        program = Program(sparse_rows(view_at(Q, 0, (d, d))[0]), c, sparse_rows(view_at(A, 0, (m, d))[0]), b)
        integers[0], integers[1], ended = solve_program(program, x, z, w, residuals, tolerance)
        return ended if ended == 0 and residuals[RELATIVE] <= tolerance else failure

    @njit(cache=True, error_model="numpy")
    def sparse_program(integers, Q, c, A, b, x, z, w, residuals):
        """The same of sparse columns: where those of Q start and their rows, then those of A."""
        d, m, tolerance, indices = len(c), len(b), residuals[RELATIVE], integers.view(np.int64)
        if not (all_finite(Q) and all_finite(c) and all_finite(A) and all_finite(b)):
            return failure
        starts, at = view_at(indices, 0, (d + 1,))
        columns, at = view_at(indices, at, (len(Q),))
        Q_rows = SparseRows(starts, columns, Q)
        starts, at = view_at(indices, at, (d + 1,))
        columns, at = view_at(indices, at, (len(A),))
        program = Program(Q_rows, c, transpose_rows(SparseRows(starts, columns, A), m), b)
        integers[0], integers[1], ended = solve_program(program, x, z, w, residuals, tolerance)
        return ended if ended == 0 and residuals[RELATIVE] <= tolerance else failure

    @njit(cache=True, error_model="numpy", _nrt=False)
    def rattle_steps(
        integers,
        floats,
        settings,
        motion,
        contacts,
        remembered,
        states,
        sums,
        impulses,
        records,
        callback_buffer,
        workspace,
    ):
        """Steps of the simulator; how they ended."""
        count, steps, indices = len(motion) // MOTION_SIZE, len(sums) // SUMS_SIZE, integers.view(np.int64)
        return run_steps(
            indices,
            floats,
            settings,
            view_at(motion, 0, (count, MOTION_SIZE))[0],
            view_at(contacts, 0, (len(contacts) // CONTACT_SIZE, CONTACT_SIZE))[0],
            view_at(remembered, 0, (len(remembered) // CONTACT_SIZE, CONTACT_SIZE))[0],
            view_at(states, 0, (steps, count, MOTION_SIZE))[0],
            view_at(sums, 0, (steps, SUMS_SIZE))[0],
            view_at(impulses, 0, (steps, indices[2]))[0],
            view_at(records, 0, (len(records) // CONTACT_SIZE, CONTACT_SIZE))[0],
            callback_buffer,
            workspace,
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


def entry_signature(function):
    """Of arrays as they are passed, a tree's first; or of whole numbers, then of real ones, all flat."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    if names[0] == "tree":
        return int64(*(pyobject_pointer for _ in names))
    return int64(uint64[::1], *(float64[::1] for _ in names[1:]))
