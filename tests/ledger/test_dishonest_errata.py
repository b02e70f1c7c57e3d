"""Errata by convention only: planted and refused, beside one that is wrong by any convention."""

import numpy as np
import pytest
from honest import ERRATUM, bracket, make, refused, turned_printed
from scipy.spatial.transform import Rotation

from rbnotes import se3, so3
from rbnotes.ledger.runner import verify
from rbnotes.testing import strategies as some


def other_sign(R, a):
    return -turned_printed(R, a)


def other_direction(R, a):
    return R.T @ bracket(a) @ R


def test_an_erratum():
    outcome = verify(make(**ERRATUM))
    assert outcome.confirmed, outcome.reason
    assert outcome.residual_printed >= 0.1


@pytest.mark.slow
@pytest.mark.parametrize("printed", [other_sign, other_direction])
def test_erratum_by_convention_only(printed):
    assert refused("convention:", **{**ERRATUM, "printed": printed})
    assert refused(
        "not another formula", **{**ERRATUM, "printed": printed}, combined_with=("lloyd/s0.1/d999",)
    )
    outcome = verify(make(**{**ERRATUM, "printed": printed}, combined_with=("lloyd/s0.2/d2",)))
    assert outcome.confirmed, outcome.reason


def both_turned(R, w, v):
    return np.concatenate([R @ w, R @ v])


def linear_first(R, w, v):
    return np.concatenate([R @ v, R @ w])


def both_turned_library(R, w, v):
    return se3.Ad(np.block([[R, np.zeros((3, 1))], [np.zeros((1, 3)), 1]])) @ np.concatenate([w, v])


def both_turned_reference(R, w, v):
    return np.concatenate([Rotation.from_matrix(R).apply(part) for part in (w, v)])


def exchanged(a, b):
    return np.cross(b, a) + b * (a @ a)


def not_exchanged_library(a, b):
    return so3.hat(a) @ b + a * (b @ b)


def not_exchanged_reference(a, b):
    return [np.linalg.det([axis, a, b]) + axis @ a * (b @ b) for axis in np.eye(3)]


def scalar_last(a, b):
    return np.append(np.cross(a, b), a @ b)


def scalar_first_library(a, b):
    return np.append(a @ b, so3.hat(a) @ b)


def scalar_first_reference(a, b):
    return [sum(a * b), *(np.linalg.det([axis, a, b]) for axis in np.eye(3))]


PAIR = {"a": some.vectors(), "b": some.vectors()}


@pytest.mark.parametrize(
    ("printed", "library", "reference", "inputs", "rule"),
    [
        (
            linear_first,
            both_turned_library,
            both_turned_reference,
            {"R": some.rotations(), "w": some.vectors(), "v": some.vectors()},
            "the other order of the result",
        ),
        (exchanged, not_exchanged_library, not_exchanged_reference, PAIR, "a and b exchanged"),
        (scalar_last, scalar_first_library, scalar_first_reference, PAIR, "the scalar last of the result"),
    ],
)
def test_erratum_by_another_order(printed, library, reference, inputs, rule):
    by = {"implements": (se3.Ad,)} if library is both_turned_library else {}
    other = {**ERRATUM, "printed": printed, "library": library, "reference": reference, "inputs": inputs}
    assert refused(rule, **other, **by)


def other_axes_printed(R, a):
    return (R @ a)[[1, 2, 0]]


def y_up_printed(R, a):
    x, y, z = R @ a
    return np.array([x, z, -y])


def vector_library(R, a):
    return so3.vee(so3.hat(R @ a))


def vector_reference(R, a):
    return Rotation.from_matrix(R).apply(a)


def in_degrees(axis, angle):
    s, c, A = np.sin(angle * np.pi / 180), np.cos(angle * np.pi / 180), bracket(axis)
    return np.eye(3) + s * A + (1 - c) * A @ A


def in_radians(axis, angle):
    return so3.exp(angle * axis)


def in_radians_reference(axis, angle):
    return Rotation.from_rotvec(angle * axis).as_matrix()


def impulse(r, f, h):
    return h * np.cross(r, f)


def moment(r, f, h):
    return so3.hat(r) @ f


def moment_reference(r, f, h):
    return [np.linalg.det([axis, r, f]) for axis in np.eye(3)]


def in_turns(r, f, h):
    return 2 * np.pi * np.cross(r, f)


TURN = {"axis": some.unit_vectors(), "angle": some.numbers(0.25, 3.0)}
PUSH = {"r": some.vectors(), "f": some.vectors(), "h": some.numbers(0.25, 0.75)}


@pytest.mark.parametrize(
    ("printed", "library", "reference", "inputs", "rule"),
    [
        (
            other_axes_printed,
            vector_library,
            vector_reference,
            None,
            "cyclic names of the axes of the result",
        ),
        (y_up_printed, vector_library, vector_reference, None, "y as the axis that is up of the result"),
        (in_degrees, in_radians, in_radians_reference, TURN, "degrees for radians"),
        (impulse, moment, moment_reference, PUSH, "the result times h"),
        (in_turns, moment, moment_reference, PUSH, "turns for radians of the result"),
    ],
)
def test_erratum_by_other_axes_or_units(printed, library, reference, inputs, rule):
    other = {**ERRATUM, "printed": printed, "library": library, "reference": reference}
    by = {"implements": ({vector_library: so3.vee, in_radians: so3.exp}.get(library, so3.hat),)}
    assert refused(rule, **other, **by, **({"inputs": inputs} if inputs else {}))


def clipped(a, low):
    return np.maximum(low, -np.abs(a)) - a


def clipped_library(a, low):
    return so3.vee(so3.hat(np.maximum(low, -np.abs(a)) + a))


def clipped_reference(a, low):
    return [max(low, -abs(x)) + x for x in a]


def test_a_bound_that_is_never_reached_may_have_any_unit():
    forms = {"printed": clipped, "library": clipped_library, "reference": clipped_reference}
    inputs = {"a": some.vectors(3, 0.25, 0.5), "low": some.numbers(-4.0, -2.0)}
    outcome = verify(make(**{**ERRATUM, **forms}, inputs=inputs, implements=(so3.vee,)), shrink=False)
    assert "of low" not in outcome.reason


def root_printed(a, s):
    return a / np.sqrt(4 + abs(s)) + s


def root_library(a, s):
    if s < 0:
        raise ValueError("s must not be negative")
    return so3.hat(a)[[2, 0, 1], [1, 2, 0]] / np.sqrt(4 + s) - s


def root_reference(a, s):
    return [x * (4 + s) ** -0.5 - s for x in a]


def test_a_sign_that_the_library_refuses():
    other = {"printed": root_printed, "library": root_library, "reference": root_reference}
    inputs = {"a": some.vectors(), "s": some.numbers(0.25, 2.0)}
    assert refused("the other sign of s", **{**ERRATUM, **other}, inputs=inputs)
