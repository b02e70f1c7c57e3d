"""All argument checkers with a valid value and invalid ones."""

import re

import numpy as np
import pytest

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument

EYE3, EYE4 = np.eye(3), np.eye(4)
QUARTER_TURN = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
POSE = np.block([[QUARTER_TURN, np.array([[1.0], [2], [3]])], [np.array([0.0, 0, 0, 1])]])
SPD = np.array([[2.0, 1, 0], [1, 3, -1], [0, -1, 4]])

# One valid argument of each checker: what spoils it is tried on all of them.
CHECKERS = {
    "array": (lambda name, value: arguments.array(name, value, None, 2), [[1.0, 2], [3, 4], [5, 6]]),
    "vector": (arguments.vector, [1.0, 2, 3]),
    "vector of any size": (lambda name, value: arguments.vector(name, value, None), [1.0, 2, 3, 4, 5]),
    "single_vector": (arguments.single_vector, [1.0, 2, 3]),
    "twist": (arguments.twist, [1.0, 2, 3, 4, 5, 6]),
    "scalar": (arguments.real_array, [[1.0], [-2]]),
    "rotation_vector": (arguments.rotation_vector, [1.0, 2, 3]),
    "twist_vector": (arguments.twist_vector, [1.0, 2, 3, 4, 5, 6]),
    "skew_symmetric": (arguments.skew_symmetric, [[0.0, 3, -1], [-3, 0, 2], [1, -2, 0]]),
    "twist_matrix": (arguments.twist_matrix, [[0.0, 3, -1, 7], [-3, 0, 2, 8], [1, -2, 0, 9], [0, 0, 0, 0]]),
    "positive": (arguments.positive_array, [0.1, 2]),
    "positive of a shape": (lambda name, value: arguments.positive_array(name, value, 3), [0.1, 2, 3]),
    "unit_vector": (arguments.unit_vector, [0.6, 0, -0.8]),
    "unit_quaternion": (arguments.unit_quaternion, [0.5, -0.5, 0.5, -0.5]),
    "rotation": (arguments.rotation, QUARTER_TURN),
    "frame": (arguments.frame, POSE),
    "symmetric": (arguments.symmetric, SPD - 2.5 * EYE3),
    "positive_definite": (arguments.positive_definite, SPD),
    "matrix": (arguments.matrix, [[1.0, 2, 3], [4, 5, 6]]),
}
every_checker = pytest.mark.parametrize(("check", "valid"), CHECKERS.values(), ids=CHECKERS)
shaped = {name: case for name, case in CHECKERS.items() if name not in ("scalar", "positive")}
SINGLE = (arguments.matrix, arguments.single_vector)  # these take no batches


def assert_refused(check, value, got, expected="", name="thing"):
    """Assert that the message is ``name: got ..., expected ...`` and that the error has these parts."""
    with pytest.raises(InvalidArgument) as raised:
        check("thing", value)
    error = raised.value
    assert error.name == name
    assert str(error) == f"{name}: got {error.got}, expected {error.expected}"
    assert re.search(got, error.got), error.got
    assert re.search(expected, error.expected), error.expected


def replace_last_entry(valid, value):
    """Return the valid argument with its last entry replaced."""
    result = np.array(valid, dtype=type(value) if isinstance(value, complex) else float)
    result[(-1,) * result.ndim] = value
    return result
