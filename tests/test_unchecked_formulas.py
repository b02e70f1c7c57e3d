"""Public functions check their arguments once and call the unchecked formulas."""

import inspect
from unittest import mock

import numpy as np
import pytest

from rbnotes import arguments, euler, quaternion, se3, so3
from rbnotes.arguments import numbers
from rbnotes.unchecked import (
    euler as unchecked_euler,
)
from rbnotes.unchecked import (
    quaternion as unchecked_quaternion,
)
from rbnotes.unchecked import (
    se3 as unchecked_se3,
)
from rbnotes.unchecked import (
    so3 as unchecked_so3,
)

MODULES = {
    "so3": (so3, unchecked_so3),
    "se3": (se3, unchecked_se3),
    "quaternion": (quaternion, unchecked_quaternion),
    "euler": (euler, unchecked_euler),
}
ROTATION = so3.exp([0.3, -0.4, 0.5])
VALID = {
    "R": ROTATION,
    "R0": ROTATION,
    "R1": ROTATION.T,
    "W": so3.hat([1.0, 2.0, 3.0]),
    "E": se3.frame(ROTATION, [1, 2, 3]),
    "E0": se3.frame(ROTATION, [1, 2, 3]),
    "E1": se3.frame(ROTATION.T, [3, 1, 2]),
    "X": se3.hat(np.arange(6.0)),
    **dict.fromkeys(("xi", "xidot"), np.array([0.1, -0.2, 0.3, 0.4, 0.5, -0.6])),
    **dict.fromkeys(("q", "p", "q0", "qdot"), np.array([0.5, -0.5, 0.5, 0.5])),
    "q1": np.array([1.0, 0.0, 0.0, 0.0]),
    "axis": np.array([0.6, 0.0, 0.8]),
    **dict.fromkeys(("h", "t", "angle"), np.array(0.25)),
    **dict.fromkeys(("w", "wdot", "u", "v", "x", "f"), np.array([0.5, -0.25, 1.0])),
    **dict.fromkeys(("omega", "angles", "rates"), np.array([0.5, -0.25, 1.0])),
}


def valid(public, parameter):
    return np.arange(3.0) if (public, parameter) == ("se3", "p") else VALID[parameter]


def functions(module):
    return {
        name: function
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if not name.startswith("_") and function.__module__ == module.__name__
    }


CASES = [(public, name) for public in MODULES for name in functions(MODULES[public][0])]
every_function = pytest.mark.parametrize(("public", "name"), CASES, ids=[f"{m}.{name}" for m, name in CASES])


@pytest.mark.parametrize(("public", "core"), MODULES.values(), ids=MODULES)
def test_each_function_has_an_unchecked_formula(public, core):
    def signatures(module):
        return {name: list(inspect.signature(f).parameters) for name, f in functions(module).items()}

    assert signatures(public) == signatures(core)


@every_function
def test_unchecked_formula_agrees_with_the_function(public, name):
    module, core = MODULES[public]
    function = functions(module)[name]
    values = [valid(public, parameter) for parameter in inspect.signature(function).parameters]
    np.testing.assert_array_equal(function(*values), functions(core)[name](*values))


@every_function
def test_each_argument_is_checked_once(public, name):
    """Whatever a function does, every number passes the innermost check of `arguments` only once."""
    function = functions(MODULES[public][0])[name]
    parameters = list(inspect.signature(function).parameters)
    with mock.patch.object(numbers, "_real_numbers", wraps=numbers._real_numbers) as check:
        function(*(valid(public, parameter) for parameter in parameters))
    assert sorted(call.args[0] for call in check.call_args_list) == sorted(parameters)


@every_function
def test_invalid_arguments_are_named(public, name):
    """NaN, text and leading axes that do not match, in each argument: the message begins with its name."""
    function = functions(MODULES[public][0])[name]
    parameters = list(inspect.signature(function).parameters)
    for spoilt in parameters:
        for bad in (np.full(np.shape(valid(public, spoilt)), np.nan), "text", None, True, 1j, np.ma.zeros(3)):
            values = [bad if parameter == spoilt else valid(public, parameter) for parameter in parameters]
            with pytest.raises(arguments.InvalidArgument, match=rf"^{spoilt}: got "):
                function(*values)
        values = [valid(public, parameter) for parameter in parameters]
        stacked = [
            np.stack([value] * (3 if p == spoilt else 2)) for p, value in zip(parameters, values, strict=True)
        ]
        if len(parameters) > 1:
            with pytest.raises(arguments.InvalidArgument, match=rf"\b{spoilt}\b.*: got leading axes"):
                function(*stacked)
