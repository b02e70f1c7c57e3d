"""The API pages give the rounding error of each function, and the errors are those of the code."""

import csv
import importlib
import inspect
from dataclasses import replace

import function_errors
import numpy as np
import pytest
import rotation
from rbnotes_book import api_pages

from rbnotes import joints, so3

CASES = function_errors.cases()
NUM_GROUPS = 60
FEW_INPUTS = 8
MARGIN = 2.0
"""Ratio of the errors on other processors."""


def public_functions():
    """Return the public functions of the modules, and the types of joint with their methods."""
    for module in function_errors.MODULES:
        namespace = importlib.import_module(f"rbnotes.{module}")
        for name, value in vars(namespace).items():
            if inspect.isfunction(value) and value.__module__ == namespace.__name__ and name[0] != "_":
                yield f"rbnotes.{module}.{name}"
    methods = [
        name
        for name, value in vars(joints.JointType).items()
        if inspect.isfunction(value) and not name.startswith(("_", "compute_"))
    ]
    for name in joints.__all__:
        value = getattr(joints, name)
        if inspect.isfunction(value):
            yield f"rbnotes.joints.{name}"
        elif inspect.isclass(value) and issubclass(value, joints.JointType):
            yield from (f"rbnotes.joints.{name}.{method}" for method in methods)


def is_exempt(name):
    parts = name.split(".")[2:]
    has_no_constraint = parts[-1].startswith("coordinate_constraint") and parts[0] != "QuaternionSpherical"
    return has_no_constraint or any(part in function_errors.NO_ERRORS for part in parts)


def test_every_function_has_an_error_or_a_reason():
    stored = api_pages.rounding_errors()
    assert [name for name in public_functions() if name not in stored and not is_exempt(name)] == []
    assert list(stored) == list(CASES)


@pytest.mark.parametrize("name", [name for i, name in enumerate(CASES) if rotation.is_due(i, NUM_GROUPS)])
def test_errors_are_those_of_the_table(name):
    stored = api_pages.rounding_errors()[name]
    for region, largest in stored.items():
        found = function_errors.errors(CASES[name], region, FEW_INPUTS)
        assert max(found, default=0.0) <= MARGIN * largest + 1


def test_a_truncated_series_is_measured():
    def truncated(w):
        W = so3.hat(w)
        return np.eye(3) + W + W @ W / 2 if np.linalg.norm(w) < 0.01 else so3.exp(w)

    case = replace(CASES["rbnotes.so3.exp"], function=truncated)
    assert max(function_errors.errors(case, "small")) > 100 * api_pages.rounding_errors()[case.name]["small"]


def test_errors_in_ulps():
    one = function_errors.exact([1.0, 0.0])
    assert function_errors.error_in_ulps([1.0, 0.0], one, 1.0) == 0
    assert function_errors.error_in_ulps([1.0 + 2**-51, 0.0], one, 1.0) == 2
    assert function_errors.error_in_ulps([1.0, 2**-50], one, 1.0) == 4
    nothing = function_errors.exact([2.0**-60])
    assert function_errors.error_in_ulps([2.0**-52], nothing, 1.0) == pytest.approx(1, rel=0.01)


def test_pages_show_errors():
    [line, _] = api_pages.error_lines("function", "rbnotes.so3.log")
    stored = api_pages.rounding_errors()["rbnotes.so3.log"]
    assert all(f"{error:.2g}" in line for error in stored.values())
    rows = api_pages.error_lines("class", "rbnotes.joints.Revolute")
    assert sum("* -" in row for row in rows) == 7
    assert api_pages.error_lines("function", "rbnotes.inertia.parallel_axis") == []


def test_stored_numbers_are_finite():
    with function_errors.TABLE.open(encoding="utf-8") as file:
        numbers = [float(each) for row in csv.reader(file) if row[0] != "function" for each in row[1:]]
    assert np.all(np.isfinite(numbers))
