"""Residuals of the compiled code against the reference for pairs that are not solutions."""

from dataclasses import astuple

import numpy as np
import pytest
from numba import njit

from rbnotes.compiled.complementarity.residuals import lcp_residuals
from rbnotes.compiled.record_layout import NUM_RESIDUALS
from rbnotes.complementarity import LCP
from rbnotes.complementarity.residuals import box_residuals


@njit(error_model="numpy")
def residuals(M, q, z, w):
    """Write the residuals to an array; compiled code alone calls this function."""
    left = np.ones(NUM_RESIDUALS)
    lcp_residuals(M, q, z, w, left)
    return left


@pytest.mark.parametrize("z_size", [1.0, 1e9])
@pytest.mark.parametrize("q_size", [1e-16, 1e-6, 1.0])
def test_residuals_agree_with_the_reference(q_size, z_size):
    """Rows of different sizes, some with a zero diagonal; small data, large terms."""
    rng = np.random.default_rng(11)
    for _ in range(20):
        M = rng.normal(size=(4, 4)) * 10.0 ** rng.integers(-2, 3, size=4)
        M *= 10.0 ** rng.integers(-9, 9, size=(4, 1))
        M[0, 0], M[1, 1] = 0.0, -abs(M[1, 1])
        q = rng.normal(size=4) * [1.0, q_size, q_size, 1.0]
        z = rng.normal(size=4) * z_size
        expected = astuple(box_residuals(LCP(M, q), z))
        np.testing.assert_allclose(residuals(M, q, z, M @ z + q), expected, rtol=1e-12, atol=0)
