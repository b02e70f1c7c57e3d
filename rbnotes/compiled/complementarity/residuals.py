"""Residuals of complementarity problems, as in :mod:`rbnotes.complementarity.residuals`."""

import math

from rbnotes.arguments.numbers import MAX_ABS_VALUE
from rbnotes.compiled.array_allocation import empty
from rbnotes.compiled.decorators import jit_alloc, jit_noalloc, jit_reassoc
from rbnotes.compiled.record_layout import COMPLEMENTARITY, DUAL, FEASIBILITY, NATURAL, RELATIVE
from rbnotes.complementarity.residuals import DATA_NOISE_FRACTION, ROUNDING_FRACTION

SYMMETRY_TOLERANCE = 1e-12
"""Largest difference from the transpose, relative to the norm, of a symmetric matrix."""


@jit_noalloc
def row_scale(entry_scale, terms, cap):
    """Return the scale of a row's error, see :func:`rbnotes.complementarity.residuals.row_scales`."""
    return max(entry_scale, min(ROUNDING_FRACTION * terms, cap), DATA_NOISE_FRACTION * cap)


@jit_noalloc
def relative_error(error, scale):
    """Return the error relative to `scale`."""
    return abs(error) / scale if error != 0.0 else 0.0


@jit_noalloc
def update_pair_residuals(residuals, z, w, response, scale):
    """Update the residuals with a pair (z, w)."""
    residuals[COMPLEMENTARITY] = max(residuals[COMPLEMENTARITY], abs(z * w))
    residuals[FEASIBILITY], residuals[DUAL] = max(residuals[FEASIBILITY], -z), max(residuals[DUAL], -w)
    residuals[NATURAL] = max(residuals[NATURAL], abs(min(z, w)))
    residuals[RELATIVE] = max(residuals[RELATIVE], relative_error(min(response * z, w), scale))


@jit_noalloc
def unit_response(M, i):
    """Return the largest change of w per unit of z_i."""
    response = M[i, i]
    if response <= 0:
        for j in range(len(M)):
            response = max(response, abs(M[j, i]))
    return response if response > 0 else 1.0


@jit_noalloc
def is_symmetric_dense(M):
    """Return True if M is symmetric to rounding, with the tolerance of the reference."""
    square, difference = 0.0, 0.0
    for i in range(len(M)):
        for j in range(len(M)):
            square += M[i, j] * M[i, j]
            difference = max(difference, abs(M[i, j] - M[j, i]))
    return difference <= SYMMETRY_TOLERANCE * math.sqrt(square)


@jit_noalloc
def all_finite(x):
    """Return True if all entries are finite and below the largest number that arguments may have."""
    num_invalid = 0
    for i in range(len(x)):
        num_invalid += not abs(x[i]) < MAX_ABS_VALUE
    return num_invalid == 0


@jit_alloc
def lcp_residuals(M, q, z, w, residuals):
    """Write the residuals of a solution (z, w) of an LCP."""
    n, largest, largest_by_rows = len(q), 0.0, 0.0
    residuals[:] = 0.0
    responses, expected, row_units = empty(n), empty(n), empty(n)
    has_row_units = not is_symmetric_dense(M)
    for i in range(n):
        responses[i] = unit_response(M, i)
        expected[i] = max(-q[i], 0.0) / responses[i]
        largest = max(largest, abs(q[i]) / math.sqrt(responses[i]))
        row_units[i] = 0.0
        for j in range(n):
            row_units[i] = max(row_units[i], abs(M[i, j]))
        if row_units[i] > 0:
            largest_by_rows = max(largest_by_rows, abs(q[i]) / row_units[i])
    for i in range(n):
        entry_scale = abs(q[i]) + abs_dot(M[i], expected)
        terms = abs(q[i]) + abs_dot(M[i], z)
        cap = math.sqrt(responses[i]) * largest
        if has_row_units and row_units[i] > 0:
            cap = min(cap, row_units[i] * largest_by_rows)
        if has_row_units:
            entry_scale = min(entry_scale, abs(q[i]) + cap)
        update_pair_residuals(residuals, z[i], w[i], responses[i], row_scale(entry_scale, terms, cap))


@jit_reassoc
def abs_dot(row, x):
    """Return the sum of the absolute values of the products."""
    total = 0.0
    for j in range(len(x)):
        total += abs(row[j] * x[j])
    return total
