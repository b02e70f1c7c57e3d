"""Functions that are wrong only for vectors along an axis, on a line, or of unequal scales."""

from functools import cache

import numpy as np
import pytest

from rbnotes import challenge, ledger
from rbnotes.coursework.challenge.case_generation import (
    iterate_size_cases,
    iterate_structured_cases,
    right_forms,
)
from rbnotes.coursework.challenge.structured_inputs import structured_changes
from rbnotes.ledger.evaluation import samples

POSE_RATE, BALL, PATH = "sueda/s1.2/e1.8", "sueda/s2.4.8/e2.44", "lloyd/s0.14/d1"
PROJECTION, SWEEP, STEP = "lloyd/s0.5/d7", "lloyd/s0.15/e0.16", "sueda/s2.3/e2.20"
ROTATION = "sueda/s1.3/e1.10#a"


@cache
def special_cases(id):
    return list(iterate_structured_cases(ledger.find(id), seed=0))


def are_on_line(x):
    a, b = x[1] - x[0], x[2] - x[1]
    return np.linalg.norm(np.cross(a, b)) < 1e-9 * np.linalg.norm(a) * np.linalg.norm(b)


@pytest.mark.parametrize(
    ("id", "is_special"),
    [
        (POSE_RATE, lambda E, phi: not np.any(phi[:3]) and np.any(phi[3:])),
        (POSE_RATE, lambda E, phi: np.any(phi[:3]) and not np.any(phi[3:])),
        (POSE_RATE, lambda E, phi: np.linalg.norm(np.cross(phi[:3], phi[3:])) < 1e-9 and np.all(phi)),
        (BALL, lambda q: not np.any(q[:2]) and q[2] < 0),
        (PATH, lambda x, v, k, d: are_on_line(x)),
        (PROJECTION, lambda M, G, v: np.ptp(np.log10(np.linalg.norm(G, axis=1))) > 1.5),
        (STEP, lambda assembly, *_: max(assembly.masses) > 16 * min(assembly.masses)),
        ("lloyd/s0.2/e0.1#a", lambda *args: any(np.sum(np.abs(x) > 0) == 1 for x in args if np.shape(x))),
    ],
)
def test_special_geometry_is_tried(id, is_special):
    assert any(is_special(*case.inputs.values()) for case in special_cases(id))


@pytest.mark.parametrize("id", [POSE_RATE, PROJECTION, STEP])
def test_symmetric_matrices_rotations_and_signs_are_kept(id):
    inputs = samples(ledger.find(id).allowed_inputs, 24, region="non-dyadic")
    for change in structured_changes(inputs):
        for before, after in ((values, change(values)) for values in inputs[:2]):
            for name, value in before.items():
                changed = after[name]
                is_square = np.shape(value) in ((3, 3), (4, 4))
                if is_square and np.allclose(value, value.T):
                    np.testing.assert_array_equal(changed, changed.T)
                    assert np.linalg.eigvalsh(changed)[0] > 0
                if np.shape(value) == (4, 4) and name == "E":
                    np.testing.assert_array_equal(changed, value)
                if name == "assembly":
                    assert np.all(changed.masses > 0)
                    np.testing.assert_array_equal(changed.joints, value.joints)


def test_the_smallest_sizes_and_as_many_rows_as_columns_are_tried():
    shapes = {case.inputs["G"].shape for case in iterate_size_cases(ledger.find(PROJECTION), seed=0)}
    assert {(1, 4), (4, 4), (2, 2)} <= shapes
    sizes = {len(case.inputs["b"]) for case in iterate_size_cases(ledger.find(SWEEP), seed=0)}
    assert {1, 2, 3, 5, 7} == sizes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("id", "is_affected"),
    [
        (POSE_RATE, lambda E, phi: not np.any(phi[:3]) and np.any(phi[3:])),
        (PROJECTION, lambda M, G, v: np.min(np.linalg.norm(G, axis=1)) < 0.01 * np.max(G)),
        (SWEEP, lambda A, b, x: len(b) == 1),
        (ROTATION, lambda w: abs(np.linalg.norm(w) - 4 * np.pi) < 1e-2),
    ],
)
def test_functions_wrong_on_special_geometry_fail(id, is_affected):
    form = right_forms(ledger.find(id))[0]

    def function(*values):
        result = np.asarray(form(*values))
        return 1 - result if is_affected(*values) else result

    result = challenge(id, function, examples=50)
    assert result.assessment.status == "wrong"
    assert is_affected(*result.counterexample.values())


def test_a_function_that_is_wrong_now_and_then_fails_without_an_error():
    """Search and shrinking call it again, where it may be right."""
    form, calls = right_forms(ledger.find("lloyd/s0.2/d4"))[0], []

    def function(q, v):
        calls.append(0)
        return (-1 if len(calls) % 50 == 0 else 1) * np.asarray(form(q, v))

    assert not challenge("lloyd/s0.2/d4", function)
