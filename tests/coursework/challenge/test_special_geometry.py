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
from rbnotes.coursework.challenge.structured_inputs import most_varied, structured_changes
from rbnotes.ledger.evaluation import samples

POSE_RATE, BALL, PATH = "sueda/s1.2/e1.8", "sueda/s2.4.8/e2.44", "lloyd/s0.14/d1"
PROJECTION, SWEEP, STEP = "lloyd/s0.5/d7", "lloyd/s0.15/e0.16", "sueda/s2.3/e2.20"
ROTATION, WORLD_INERTIA, IMPLICIT_STEP = "sueda/s1.3/e1.10#a", "lloyd/s0.23/d4", "lloyd/s0.9.2/d1"
PARTICLES, AXIS_AND_ANGLE = "lloyd/s0.17/t774#d", "lloyd/s0.2/e0.1#a"


@cache
def special_cases(id):
    return list(iterate_structured_cases(ledger.find(id), seed=0))


def are_on_line(x):
    a, b = x[1] - x[0], x[2] - x[1]
    return np.linalg.norm(np.cross(a, b)) < 1e-9 * np.linalg.norm(a) * np.linalg.norm(b)


def is_along(vector, axis, sign):
    return sign * vector[axis] > 0 and not np.any(np.delete(vector, axis))


def are_opposite(a, b):
    return a @ b < -(1 - 1e-12) * np.linalg.norm(a) * np.linalg.norm(b) < 0


def moment_ratio(J):
    moments = np.linalg.eigvalsh(J)
    return moments[2] / moments[0]


@pytest.mark.parametrize(
    ("id", "is_special"),
    [
        (POSE_RATE, lambda E, phi: not np.any(phi[:3]) and np.any(phi[3:])),
        (POSE_RATE, lambda E, phi: np.any(phi[:3]) and not np.any(phi[3:])),
        (POSE_RATE, lambda E, phi: np.linalg.norm(np.cross(phi[:3], phi[3:])) < 1e-9 and np.all(phi)),
        (BALL, lambda q: not np.any(q[:2]) and q[2] < 0),
        (PATH, lambda x, v, k, d: are_on_line(x)),
        (PROJECTION, lambda M, G, v: np.ptp(np.log10(np.linalg.norm(G, axis=1))) > 1.5),
        (STEP, lambda assembly, *_: max(assembly.masses) > 200 * min(assembly.masses)),
        (STEP, lambda assembly, *_: all(is_along(E[:3, 3], 0, -1) for E in assembly.joints)),
        (POSE_RATE, lambda E, phi: is_along(E[:3, 3], 1, -1) and is_along(phi[3:], 0, -1)),
        (IMPLICIT_STEP, lambda M, *_: np.linalg.cond(M) > 300),
        (WORLD_INERTIA, lambda m, J, R_BW: moment_ratio(J) > 20),
        (PARTICLES, lambda weights, x, v, a: are_opposite(*a) and are_opposite(*v)),
        (PARTICLES, lambda weights, x, v, a: is_along(v[1], 1, -1)),
        (AXIS_AND_ANGLE, lambda u, theta, omega: are_opposite(u, omega)),
        (AXIS_AND_ANGLE, lambda *args: any(np.sum(np.abs(x) > 0) == 1 for x in args if np.shape(x))),
    ],
)
def test_special_geometry_is_tried(id, is_special):
    """The results are not zero, which would hide a wrong factor."""
    special = [case for case in special_cases(id) if is_special(*case.inputs.values())]
    assert any(np.max(np.abs(case.expected)) > 0.01 for case in special)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("sign", [1, -1])
def test_gravity_along_each_axis_has_an_effect(axis, sign):
    assert any(
        is_along(case.inputs["assembly"].gravity, axis, sign) and np.any(case.expected)
        for case in special_cases(STEP)
    )


def test_inputs_with_zeros_or_equal_numbers_are_not_changed():
    x = np.array([0.3, -0.7, 0.2])
    inputs = [
        {"x": 0 * x, "h": 0.0},
        {"x": x[[0, 0, 0]], "h": 0.3},
        {"x": x, "h": 0.1},
        {"x": 2 * x, "h": 0.5},
    ]
    assert most_varied(inputs) == inputs[2:]


@pytest.mark.parametrize("id", [POSE_RATE, PROJECTION, STEP, WORLD_INERTIA])
def test_symmetric_matrices_rotations_and_signs_are_kept(id):
    inputs = samples(ledger.find(id).allowed_inputs, 24, region="non-dyadic")
    for change in structured_changes(inputs):
        for before, after in ((values, change(values)) for values in inputs[:2]):
            for name, value in before.items():
                changed = after[name]
                if name in ("M", "J"):
                    np.testing.assert_array_equal(changed, changed.T)
                    assert np.linalg.eigvalsh(changed)[0] > 0
                if name in ("E", "R_BW"):
                    np.testing.assert_array_equal(changed[:3, :3], value[:3, :3])
                if name == "J":
                    moments = np.linalg.eigvalsh(changed)
                    assert moments[2] <= moments[0] + moments[1]
                if name == "assembly":
                    assert np.all(changed.masses > 0)
                    np.testing.assert_array_equal(changed.joints[:, :, :3], value.joints[:, :, :3])


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
        (STEP, lambda assembly, *_: is_along(assembly.gravity, 0, -1)),
        (IMPLICIT_STEP, lambda M, *_: np.linalg.cond(M) > 300),
        (WORLD_INERTIA, lambda m, J, R_BW: moment_ratio(J) > 20),
    ],
)
def test_functions_wrong_on_special_geometry_fail(id, is_affected):
    form = right_forms(ledger.find(id))[0]

    def function(*values):
        result = np.asarray(form(*values))
        return 1.1 * result if is_affected(*values) else result

    result = challenge(id, function, examples=50)
    assert result.assessment.status == "wrong"
    assert is_affected(*result.counterexample.values())


@pytest.mark.slow
def test_a_function_that_is_wrong_now_and_then_fails_without_an_error():
    """Search and shrinking call it again, where it may be right."""
    form, calls = right_forms(ledger.find("lloyd/s0.2/d4"))[0], []

    def function(q, v):
        calls.append(0)
        return (-1 if len(calls) % 50 == 0 else 1) * np.asarray(form(q, v))

    assert not challenge("lloyd/s0.2/d4", function)
