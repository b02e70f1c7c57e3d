"""Functions that Python calls: recursions, contacts, friction, optimization and time steps.

All arrays are flat.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import float64, int64, njit, uint64
from numpy.typing import NDArray

from rbnotes.arguments import Array
from rbnotes.compiled.array_allocation import zeros
from rbnotes.compiled.array_arguments import float_view, is_vector_like, pyobject_pointer, uint_view
from rbnotes.compiled.array_views import view_at
from rbnotes.compiled.cache_files import check_cache_files
from rbnotes.compiled.collision.narrow_phase import SHAPE_SIZE, find_contacts
from rbnotes.compiled.compilation import failure_code
from rbnotes.compiled.complementarity.lemke import solve_lemke
from rbnotes.compiled.complementarity.quadratic_program import QuadraticProgram, solve_program
from rbnotes.compiled.complementarity.residuals import all_finite, lcp_residuals
from rbnotes.compiled.complementarity.sparse_rows import SparseRows, sparse_rows, transpose_rows
from rbnotes.compiled.contact_solver.contact_operator import dense_operator
from rbnotes.compiled.contact_solver.newton_friction import solve_newton
from rbnotes.compiled.decorators import FMA_OPTIONS, jit_fma_inline
from rbnotes.compiled.record_layout import (
    CONTACT_POINT_SIZE,
    CONTACT_SIZE,
    MOTION_SIZE,
    RELATIVE,
    SUMMARY_SIZE,
)
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
from rbnotes.compiled.simulation.simulation_loop import run_steps
from rbnotes.compiled.simulation.tree_simulation_loop import run_tree_steps
from rbnotes.compiled.structure_references import keep_alive, reference
from rbnotes.compiled.tree_layout import (
    ACCELERATION,
    LANES,
    NUM_COORDINATES,
    NUM_ELEMENTS,
    TWIST,
    ZERO,
    U,
)

Integers = NDArray[np.uint64]
EntryFunction = Callable[..., int]


@jit_fma_inline
def has_nonfinite(x: Array) -> bool:
    """Return True if an entry is not finite."""
    total, row, vectorized_size = 0.0, broadcast8(0.0), U(x.size) // LANES * LANES
    for i in range(ZERO, vectorized_size, LANES):
        floats = read(x, i, row)
        row = row + (floats - floats)
    for i in range(vectorized_size, U(x.size)):
        total += x[i] - x[i]
    result: bool = total + sum_lanes(row) != 0.0
    return result


@jit_fma_inline
def has_nonfinite_states(x: Array, size: int, first: int) -> bool:
    """Return True if one of the eight states from `first` has an entry that is not finite."""
    result: bool = has_nonfinite(x[first * size : (first + LANES) * size])
    return result


ENTRIES: dict[str, tuple[EntryFunction, Any]] = {}
"""Entries by name: the function and its signature."""

FAILURE = failure_code()
"""Status of a failed call, a different number for each state of the sources.

Entries on disk are named by it, so that code compiled from other sources is not found.
"""


def entry(pyobject_arguments: bool = False, **options: Any) -> Callable[[EntryFunction], Any]:
    """Return a decorator that adds a function to :data:`ENTRIES`.

    Parameters
    ----------
    pyobject_arguments
        True if all arguments are arrays as Python passes them; otherwise they are flat,
        the first one of unsigned integers, the others of floats.
    **options
        Options of :func:`numba.njit`.
    """

    def add(function: Any) -> Any:
        arguments = range(1, function.__code__.co_argcount)
        signature = (
            int64(pyobject_pointer, *(pyobject_pointer for _ in arguments))
            if pyobject_arguments
            else int64(uint64[::1], *(float64[::1] for _ in arguments))
        )
        name = function.__name__
        function.__qualname__ = f"{name}_{FAILURE:x}"
        ENTRIES[name] = check_cache_files(njit(cache=True, **options)(function)), signature
        return ENTRIES[name][0]

    return add


@entry(pyobject_arguments=True, **FMA_OPTIONS)
def forward_dynamics_single(
    tree: Integers, constants: Array, q: Array, v: Array, f: Array, out: Array
) -> int:
    """Compute the accelerations ``(k,)`` at one state."""
    integers, floats = uint_view(tree), float_view(constants)
    k = integers[NUM_COORDINATES]
    if not (
        is_vector_like(q, constants, k)
        and is_vector_like(v, constants, k)
        and is_vector_like(f, constants, k)
    ):
        return FAILURE
    q, v, f, out = float_view(q), float_view(v), float_view(f), float_view(out)
    workspace = single_workspace(integers)
    forward_sweep_single(integers, floats, workspace, q, v, f, True)
    articulated_body_sweeps(integers, floats, floats, workspace, out, True, 0.0)
    return FAILURE if has_nonfinite(out) else 0


@entry(pyobject_arguments=True, **FMA_OPTIONS)
def inverse_dynamics_single(
    tree: Integers, constants: Array, q: Array, v: Array, a: Array, out: Array
) -> int:
    """Compute the forces ``(k,)`` at one state."""
    integers, floats = uint_view(tree), float_view(constants)
    k = integers[NUM_COORDINATES]
    if not (
        is_vector_like(q, constants, k)
        and is_vector_like(v, constants, k)
        and is_vector_like(a, constants, k)
    ):
        return FAILURE
    q, v, a, out = float_view(q), float_view(v), float_view(a), float_view(out)
    workspace = single_workspace(integers)
    forward_sweep_single(integers, floats, workspace, q, v, a, False)
    inverse_dynamics_sweep(integers, floats, floats, workspace, out, True, 0.0)
    return FAILURE if has_nonfinite(out) else 0


@entry(nogil=True, **FMA_OPTIONS)
def forward_dynamics_batch(
    integers: Integers, floats: Array, work: Array, external: Array, q: Array, v: Array, f: Array, out: Array
) -> int:
    """Compute the accelerations at eight or more states."""
    workspace, like = batch_workspace(integers), broadcast8(0.0)
    last, has_failed = U(q.size) // integers[NUM_COORDINATES] - LANES, False
    for start in range(ZERO, last + LANES, LANES):
        first = min(start, last)
        forward_sweep_batch(integers, floats, work, workspace, external, q, v, f, out, first, True, like)
        articulated_body_sweeps(integers, floats, work, workspace, out, False, like)
        scatter_results(integers, work, workspace, out, first, like)
        has_failed = has_failed or has_nonfinite_states(out, integers[NUM_COORDINATES], first)
    return FAILURE if has_failed else 0


@entry(nogil=True, **FMA_OPTIONS)
def inverse_dynamics_batch(
    integers: Integers, floats: Array, work: Array, external: Array, q: Array, v: Array, a: Array, out: Array
) -> int:
    """Compute the forces at eight or more states."""
    workspace, like = batch_workspace(integers), broadcast8(0.0)
    last, has_failed = U(q.size) // integers[NUM_COORDINATES] - LANES, False
    for start in range(ZERO, last + LANES, LANES):
        first = min(start, last)
        forward_sweep_batch(integers, floats, work, workspace, external, q, v, a, out, first, False, like)
        inverse_dynamics_sweep(integers, floats, work, workspace, out, True, like)
        scatter_results(integers, work, workspace, out, first, like)
        has_failed = has_failed or has_nonfinite_states(out, integers[NUM_COORDINATES], first)
    return FAILURE if has_failed else 0


@entry(**FMA_OPTIONS)
def body_motions(
    integers: Integers, floats: Array, q: Array, v: Array, a: Array, twists: Array, rates: Array
) -> int:
    """Compute the twists of all bodies and their rates, gravity included."""
    workspace = single_workspace(integers)
    forward_sweep_single(integers, floats, workspace, q, v, a, False)
    write_body_vectors(integers, floats, workspace, TWIST, twists)
    write_body_vectors(integers, floats, workspace, ACCELERATION, rates)
    return FAILURE if has_nonfinite(twists) or has_nonfinite(rates) else 0


@entry(**FMA_OPTIONS)
def generalized_forces(
    integers: Integers, floats: Array, q: Array, v: Array, wrenches: Array, out: Array
) -> int:
    """Compute the generalized forces of wrenches on the bodies; ``v`` is zero."""
    workspace = single_workspace(integers)
    forward_sweep_single(integers, floats, workspace, q, v, v, False)
    clear_wrenches(integers, floats, workspace)
    add_body_wrenches(integers, floats, workspace, wrenches, 1.0)
    inverse_dynamics_sweep(integers, floats, floats, workspace, out, False, 0.0)
    return FAILURE if has_nonfinite(out) else 0


@entry(pyobject_arguments=True, **FMA_OPTIONS)
def dynamics_derivatives(
    tree: Integers,
    constants: Array,
    q: Array,
    v: Array,
    a: Array,
    f: Array,
    wrenches: Array,
    subspace_derivatives: Array,
    derivatives_q: Array,
    derivatives_qdot: Array,
) -> int:
    """Compute the derivatives ``(k, k)`` of the accelerations, or of the forces if ``f`` is empty.

    ``subspace_derivatives`` are those of :mod:`rbnotes.multibody.packing.motion_subspace_derivatives`. It and
    ``wrenches`` may be empty.
    """
    integers, floats = uint_view(tree), float_view(constants)
    k = integers[NUM_COORDINATES]
    if not (
        is_vector_like(q, constants, k)
        and is_vector_like(v, constants, k)
        and is_vector_like(a, constants, k)
    ):
        return FAILURE
    q, v, a, f, wrenches, subspace_derivatives = (
        float_view(q),
        float_view(v),
        float_view(a),
        float_view(f),
        float_view(wrenches),
        float_view(subspace_derivatives),
    )
    derivatives_q, derivatives_qdot, workspace = (
        float_view(derivatives_q),
        float_view(derivatives_qdot),
        single_workspace(integers),
    )
    forward_sweep_single(integers, floats, workspace, q, v, a, False)
    if wrenches.size:
        add_body_wrenches(integers, floats, workspace, wrenches, -1.0)
    width, mass_width = row_widths(k)
    table = DerivativeTable(zeros(k * width), width, zeros(k * mass_width), mass_width)
    inverse_dynamics_derivatives(
        integers,
        floats,
        workspace,
        zeros(integers[NUM_ELEMENTS] * EXTRA_SIZE),
        subspace_derivatives,
        table,
    )
    if f.size:
        solve_accelerations(integers, floats, workspace, f, table)
    split_derivatives(integers, table, -1.0 if f.size else 1.0, derivatives_q, derivatives_qdot)
    return FAILURE if has_nonfinite(derivatives_q) or has_nonfinite(derivatives_qdot) else 0


@entry(error_model="numpy")
def find_shape_contacts(
    integers: Integers, shapes: Array, poses: Array, margin: Array, contact_points: Array
) -> int:
    """Write the contacts of all shapes; return their number, or ``FAILURE`` if the array is too small."""
    count, indices = len(shapes) // SHAPE_SIZE, integers.view(np.int64)
    bodies, offset = view_at(indices, 0, (count,))
    num_contacts = find_contacts(
        view_at(shapes, 0, (count, SHAPE_SIZE))[0],
        bodies,
        view_at(indices, offset, ((len(indices) - count) // 2, 2))[0],
        view_at(poses, 0, (len(poses) // 16, 4, 4))[0],
        margin[0],
        view_at(contact_points, 0, (len(contact_points) // (2 + CONTACT_POINT_SIZE), 2 + CONTACT_POINT_SIZE))[
            0
        ],
    )
    return num_contacts if num_contacts * (2 + CONTACT_POINT_SIZE) <= len(contact_points) else FAILURE


@entry(error_model="numpy")
def solve_friction(
    integers: Integers,
    W: Array,
    u_free: Array,
    mu: Array,
    r: Array,
    tolerance: Array,
    best_impulses: Array,
) -> int:
    """Write the best impulses and, after them, their residual; return the number of Newton steps."""
    size, max_iterations = len(u_free), integers.view(np.int64)[0]
    W, impulses = view_at(W, 0, (size, size))[0], view_at(best_impulses, 0, (size,))[0]
    operator = dense_operator(W)
    best_impulses[size], steps = solve_newton(
        reference(operator), u_free, mu, r, tolerance[0], max_iterations, impulses
    )
    keep_alive(operator)
    return FAILURE if has_nonfinite(best_impulses) else steps


@entry(error_model="numpy")
def solve_lcp(integers: Integers, M: Array, q: Array, z: Array, w: Array, residuals: Array) -> int:
    """Solve an LCP; return 1 plus the number of pivots. ``residuals`` holds the tolerance on entry."""
    n, tolerance = len(q), residuals[RELATIVE]
    M = view_at(M, 0, (n, n))[0]
    if not (all_finite(M.reshape(-1)) and all_finite(q)):
        return FAILURE
    pivots = solve_lemke(M, q, z, w)
    if pivots < 0:
        return FAILURE
    lcp_residuals(M, q, z, w, residuals)
    return 1 + pivots if residuals[RELATIVE] <= tolerance else FAILURE


@entry(error_model="numpy")
def solve_dense_qp(
    integers: Integers, Q: Array, c: Array, A: Array, b: Array, x: Array, z: Array, w: Array, residuals: Array
) -> int:
    """Solve a quadratic program with dense matrices; return 0 and write pivots and factorizations."""
    d, m, tolerance = len(c), len(b), residuals[RELATIVE]
    if not (all_finite(Q) and all_finite(c) and all_finite(A) and all_finite(b)):
        return FAILURE
    program = QuadraticProgram(
        sparse_rows(view_at(Q, 0, (d, d))[0]), c, sparse_rows(view_at(A, 0, (m, d))[0]), b
    )
    integers[0], integers[1], status = solve_program(program, x, z, w, residuals, tolerance)
    return status if status == 0 and residuals[RELATIVE] <= tolerance else FAILURE


@entry(error_model="numpy")
def solve_sparse_qp(
    integers: Integers, Q: Array, c: Array, A: Array, b: Array, x: Array, z: Array, w: Array, residuals: Array
) -> int:
    """Solve a quadratic program in compressed sparse columns.

    `integers` holds column starts and row indices of Q, then those of A, as in scipy.sparse.csc_array.
    """
    d, m, tolerance, indices = len(c), len(b), residuals[RELATIVE], integers.view(np.int64)
    if not (all_finite(Q) and all_finite(c) and all_finite(A) and all_finite(b)):
        return FAILURE
    starts, offset = view_at(indices, 0, (d + 1,))
    row_indices, offset = view_at(indices, offset, (len(Q),))
    Q_rows = SparseRows(starts, row_indices, Q)  # solve_program refuses a Q that is not symmetric
    starts, offset = view_at(indices, offset, (d + 1,))
    row_indices, offset = view_at(indices, offset, (len(A),))
    program = QuadraticProgram(Q_rows, c, transpose_rows(SparseRows(starts, row_indices, A), m), b)
    integers[0], integers[1], status = solve_program(program, x, z, w, residuals, tolerance)
    return status if status == 0 and residuals[RELATIVE] <= tolerance else FAILURE


@entry(error_model="numpy", _nrt=False)
def take_steps(
    integers: Integers,
    floats: Array,
    settings: Array,
    motion: Array,
    contacts: Array,
    last_contacts: Array,
    states: Array,
    summaries: Array,
    impulses: Array,
    records: Array,
    callback_buffer: Array,
    workspace: Array,
) -> int:
    """Take steps of the simulator; return the status of the last one."""
    count, steps, indices = (
        len(motion) // MOTION_SIZE,
        len(summaries) // SUMMARY_SIZE,
        integers.view(np.int64),
    )
    status: int = run_steps(
        indices,
        floats,
        settings,
        view_at(motion, 0, (count, MOTION_SIZE))[0],
        view_at(contacts, 0, (len(contacts) // CONTACT_SIZE, CONTACT_SIZE))[0],
        view_at(last_contacts, 0, (len(last_contacts) // CONTACT_SIZE, CONTACT_SIZE))[0],
        view_at(states, 0, (steps, count, MOTION_SIZE))[0],
        view_at(summaries, 0, (steps, SUMMARY_SIZE))[0],
        view_at(impulses, 0, (steps, indices[2]))[0],
        view_at(records, 0, (len(records) // CONTACT_SIZE, CONTACT_SIZE))[0],
        callback_buffer,
        workspace,
    )
    return status


@entry(error_model="numpy", _nrt=False)
def take_tree_steps(
    integers: Integers,
    packed_floats: Array,
    floats: Array,
    settings: Array,
    contacts: Array,
    last_contacts: Array,
    samples: Array,
    q: Array,
    v: Array,
    poses: Array,
    twists: Array,
    summaries: Array,
    actuators: Array,
    records: Array,
    command_buffer: Array,
    workspace: Array,
) -> int:
    """Take steps of the simulator in joint coordinates; return the status of the last one.

    The integers of the packed tree are the last ones.
    """
    steps, indices = len(summaries) // SUMMARY_SIZE, integers.view(np.int64)
    k, n, num_packed = indices[1], indices[2], indices[5]
    status: int = run_tree_steps(
        indices,
        view_at(integers, len(integers) - num_packed, (num_packed,))[0],
        packed_floats,
        floats,
        settings,
        view_at(contacts, 0, (len(contacts) // CONTACT_SIZE, CONTACT_SIZE))[0],
        view_at(last_contacts, 0, (len(last_contacts) // CONTACT_SIZE, CONTACT_SIZE))[0],
        view_at(samples, 0, (steps + 1, k))[0],
        view_at(q, 0, (steps + 1, k))[0],
        view_at(v, 0, (steps + 1, k))[0],
        view_at(poses, 0, (steps + 1, n, 4, 4))[0],
        view_at(twists, 0, (steps + 1, n, 6))[0],
        view_at(summaries, 0, (steps, SUMMARY_SIZE))[0],
        view_at(actuators, 0, (steps, k))[0],
        view_at(records, 0, (len(records) // CONTACT_SIZE, CONTACT_SIZE))[0],
        command_buffer,
        workspace,
    )
    return status
