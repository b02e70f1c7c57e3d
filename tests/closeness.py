"""Comparison of arrays relative to their largest entry."""

import numpy as np


def relative_comparison(default_tolerance, min_scale=1.0):
    """Return the function ``close(actual, expected, tolerance=default_tolerance)``, which asserts closeness.

    The largest accepted difference is the tolerance times the largest absolute expected value, which counts
    as `min_scale` if it is smaller.
    """

    def close(actual, expected, tolerance=default_tolerance):
        scale = np.max(np.abs(expected), initial=min_scale)
        np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * scale)

    return close
