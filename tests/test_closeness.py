"""The comparison of arrays accepts differences up to its tolerance, and no larger ones."""

import numpy as np
import pytest
from closeness import relative_comparison


@pytest.mark.parametrize(
    ("expected", "scale"), [([0.0, 0.0], 1.0), ([0.5, -0.25], 1.0), ([1.0, -8.0], 8.0), ([], 1.0)]
)
@pytest.mark.parametrize("tolerance", [1e-3, 1e-6])
def test_differences_up_to_the_tolerance_are_accepted(expected, scale, tolerance):
    expected = np.array(expected)
    for close, options in ((relative_comparison(tolerance), ()), (relative_comparison(0.5), (tolerance,))):
        close(expected + 0.99 * tolerance * scale, expected, *options)
        if expected.size:
            with pytest.raises(AssertionError):
                close(expected - 1.01 * tolerance * scale, expected, *options)


def test_the_scale_is_that_of_the_expected_values():
    with pytest.raises(AssertionError):
        relative_comparison(0.9)([3.0], [1.0])


def test_the_smallest_scale_can_be_chosen():
    close = relative_comparison(1e-3, min_scale=0.0)
    close([0.1 + 0.9e-4], [0.1])
    with pytest.raises(AssertionError):
        close([0.1 + 1.1e-4], [0.1])
