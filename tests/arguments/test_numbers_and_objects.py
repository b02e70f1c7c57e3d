"""Bounds of numbers, options, leading axes, and what the errors are."""

import numpy as np
import pytest
from checkers import assert_refused

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument, SingularConfiguration


def test_scalars_within_bounds():
    def check(name, value):
        return arguments.real_array(name, value, minimum=0, maximum=1)

    np.testing.assert_array_equal(check("thing", [0, 0.5, 1]), [0, 0.5, 1])
    assert check("thing", 1).shape == ()
    assert_refused(check, 1.5, r"^1\.5$", r"^numbers in \[0, 1\]$")
    assert_refused(check, [0.5, -2], "^-2$", r"^numbers in \[0, 1\]$")


@pytest.mark.parametrize("value", [0, -0.0, -3])
def test_positive_numbers(value):
    assert_refused(arguments.positive_array, [1.0, value], f"^{value:g}$", "^numbers greater than 0$")


def test_choices():
    options = ("box", "cone")
    assert arguments.choice("thing", "cone", options) == "cone"
    for value in ("Cone", "", None, 3, ["cone"], np.array(["cone", "box"])):
        with pytest.raises(InvalidArgument, match=r"thing: got .*, expected one of 'box', 'cone'"):
            arguments.choice("thing", value, options)


def test_errors_are_value_errors():
    assert issubclass(InvalidArgument, ValueError)
    assert issubclass(SingularConfiguration, InvalidArgument)
    error = SingularConfiguration("w", "a full turn", "less")
    assert (str(error), error.name) == ("w: got a full turn, expected less", "w")


def test_leading_axes():
    assert arguments.common_shape(a=(4, 1), b=(), c=(3,)) == (4, 3)
    with pytest.raises(
        InvalidArgument, match=r"a, b: got leading axes \(4,\), \(3,\), expected axes that bro"
    ):
        arguments.common_shape(a=(4,), b=(3,))
