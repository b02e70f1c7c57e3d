"""Residuals of what compiled code found, as :mod:`rbnotes.complementarity` has them, number by number."""

import math

import numpy as np

from rbnotes.arguments.numbers import MAX_ABS_VALUE
from rbnotes.compiled.collision.distance import jit_alloc, jit_noalloc, jit_reassoc
from rbnotes.compiled.record_layout import COMPLEMENTARITY, DUAL, FEASIBILITY, NATURAL, RELATIVE
from rbnotes.complementarity.residuals import DATA_NOISE_FRACTION, ROUNDING_FRACTION


@jit_noalloc
def row_size(own, terms, cap):
    """What an error of a row is relative to: see :func:`rbnotes.complementarity.residuals.row_scales`."""
    return max(own, min(ROUNDING_FRACTION * terms, cap), DATA_NOISE_FRACTION * cap)


@jit_noalloc
def relative_error(error, size):
    """The error, relative to that."""
    return abs(error) / size if error != 0.0 else 0.0


@jit_noalloc
def update_pair_residuals(residuals, z, w, effect, size):
    """Takes a pair (z, w) into account."""
    residuals[COMPLEMENTARITY] = max(residuals[COMPLEMENTARITY], abs(z * w))
    residuals[FEASIBILITY], residuals[DUAL] = max(residuals[FEASIBILITY], -z), max(residuals[DUAL], -w)
    residuals[NATURAL] = max(residuals[NATURAL], abs(min(z, w)))
    residuals[RELATIVE] = max(residuals[RELATIVE], relative_error(min(effect * z, w), size))


@jit_noalloc
def response_scale(M, i):
    """How much a unit of z changes w."""
    effect = M[i, i]
    if effect <= 0:
        for j in range(len(M)):
            effect = max(effect, abs(M[j, i]))
    return effect if effect > 0 else 1.0


@jit_noalloc
def all_finite(x):
    """Whether all numbers are such as arguments may be."""
    num_invalid = 0
    for i in range(len(x)):
        num_invalid += not abs(x[i]) < MAX_ABS_VALUE
    return num_invalid == 0


@jit_alloc
def lcp_residuals(M, q, z, w, residuals):
    """Writes how well z and w solve an LCP."""
    n, largest = len(q), 0.0
    residuals[:] = 0.0
    effects, expected = np.empty(n), np.empty(n)
    for i in range(n):
        effects[i] = response_scale(M, i)
        expected[i] = max(-q[i], 0.0) / effects[i]
        largest = max(largest, abs(q[i]) / math.sqrt(effects[i]))
    for i in range(n):
        own = abs(q[i]) + abs_dot(M[i], expected)
        terms = abs(q[i]) + abs_dot(M[i], z)
        cap = math.sqrt(effects[i]) * largest
        update_pair_residuals(residuals, z[i], w[i], effects[i], row_size(own, terms, cap))


@jit_reassoc
def abs_dot(row, x):
    """The sum of products, all taken as positive."""
    total = 0.0
    for j in range(len(x)):
        total += abs(row[j] * x[j])
    return total
