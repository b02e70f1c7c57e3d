"""Residuals of what compiled code found, as :mod:`rbnotes.complementarity` has them, number by number."""

import math

import numpy as np

from rbnotes.arguments.numbers import LARGEST
from rbnotes.complementarity.residuals import NOISE, ROUNDING
from rbnotes.kernels._distance import bare, plain, swift
from rbnotes.kernels._tables import COMPLEMENTARITY, DUAL, FEASIBILITY, NATURAL, RELATIVE


@bare
def size_of(own, terms, cap):
    """What an error of a row is relative to: see :func:`rbnotes.complementarity.residuals.row_sizes`."""
    return max(own, min(ROUNDING * terms, cap), NOISE * cap)


@bare
def against(error, size):
    """The error, relative to that."""
    return abs(error) / size if error != 0.0 else 0.0


@bare
def pair_counted(left, z, w, effect, size):
    """Takes a pair (z, w) into account."""
    left[COMPLEMENTARITY] = max(left[COMPLEMENTARITY], abs(z * w))
    left[FEASIBILITY], left[DUAL] = max(left[FEASIBILITY], -z), max(left[DUAL], -w)
    left[NATURAL] = max(left[NATURAL], abs(min(z, w)))
    left[RELATIVE] = max(left[RELATIVE], against(min(effect * z, w), size))


@bare
def effect_of(M, i):
    """How much a unit of z changes w."""
    effect = M[i, i]
    if effect <= 0:
        for j in range(len(M)):
            effect = max(effect, abs(M[j, i]))
    return effect if effect > 0 else 1.0


@bare
def finite(x):
    """Whether all numbers are such as arguments may be."""
    wrong = 0
    for i in range(len(x)):
        wrong += not abs(x[i]) < LARGEST
    return wrong == 0


@plain
def residuals_of_pairs(M, q, z, w, left):
    """Writes how well z and w solve an LCP."""
    n, largest = len(q), 0.0
    left[:] = 0.0
    effects, expected = np.empty(n), np.empty(n)
    for i in range(n):
        effects[i] = effect_of(M, i)
        expected[i] = max(-q[i], 0.0) / effects[i]
        largest = max(largest, abs(q[i]) / math.sqrt(effects[i]))
    for i in range(n):
        own = abs(q[i]) + sizes_along(M[i], expected)
        terms = abs(q[i]) + sizes_along(M[i], z)
        cap = math.sqrt(effects[i]) * largest
        pair_counted(left, z[i], w[i], effects[i], size_of(own, terms, cap))


@swift
def sizes_along(row, x):
    """The sum of products, all taken as positive."""
    total = 0.0
    for j in range(len(x)):
        total += abs(row[j] * x[j])
    return total
