"""Hints: each known slip is recognized; there is no hint if none or two slips explain an answer."""

from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import rbnotes
from rbnotes import ledger
from rbnotes.coursework.challenge import cases, collect_answer
from rbnotes.coursework.challenge.diagnosis import find_slip

PRODUCT = "lloyd/s0.2/d2"
EXPONENTIAL = "sueda/s1.3/e1.10#a"
TWIST = "sueda/s1.5/e1.15"
EXAMPLES = 32


def product(q, p):
    return np.concatenate(
        [[q[0] * p[0] - q[1:] @ p[1:]], q[0] * p[1:] + p[0] * q[1:] + np.cross(q[1:], p[1:])]
    )


def rotation(w):
    return Rotation.from_rotvec(w).as_matrix()


def world_twist(E, phi):
    R, p = E[:3, :3], E[:3, 3]
    omega = R @ phi[:3]
    return np.append(omega, R @ phi[3:] + np.cross(p, omega))


def body_as_world(E, phi):
    return world_twist(E, np.append(E[:3, :3].T @ phi[:3], E[:3, :3].T @ phi[3:]))


def linear_first(E, phi):
    return np.roll(world_twist(E, np.roll(phi, 3)), 3)


@cache
def cases_of(id):
    return cases(ledger.find(id), examples=EXAMPLES)


@pytest.mark.parametrize(
    ("id", "function", "expected"),
    [
        (PRODUCT, lambda q, p: product(p, q), "`q` and `p` are exchanged"),
        (PRODUCT, lambda q, p: -product(q, p), "the sign of the result is wrong"),
        (PRODUCT, lambda q, p: 2 * product(q, p), "the result is too large by a factor of 2"),
        (PRODUCT, lambda q, p: np.roll(product(q, p), -1), "the scalar part comes first, not last"),
        (
            PRODUCT,
            lambda q, p: np.roll(product(np.roll(q, 1), np.roll(p, 1)), -1),
            "quaternions are taken with the scalar last",
        ),
        (
            PRODUCT,
            lambda q, p: product(q, p) - np.append(0, p[0] * q[1:]),
            "a term is missing",
        ),
        (
            PRODUCT,
            lambda q, p: product(q, p) + np.append(2 * q[1:] @ p[1:], np.zeros(3)),
            "a sign is wrong in one of the terms",
        ),
        (EXPONENTIAL, lambda w: rotation(w).T, "the result is transposed"),
        (EXPONENTIAL, lambda w: rotation(np.radians(w)), "`w` is taken in degrees"),
        (TWIST, linear_first, "twists and wrenches are taken with the linear part first"),
        (TWIST, body_as_world, "`phi` is taken in the wrong frame: it is rotated by the inverse of `E`"),
        (TWIST, lambda E, phi: world_twist(np.linalg.inv(E), phi), "`E` is inverted"),
    ],
)
def test_known_slips_get_their_hint(id, function, expected):
    answered_cases = [(case, collect_answer(function, case.inputs)) for case in cases_of(id)]
    assert expected in find_slip(ledger.find(id), answered_cases)


def test_wrong_printed_form_is_recognized():
    record = ledger.find("S 1.62")
    assert "as printed" in rbnotes.challenge(record.id, record.printed, examples=EXAMPLES).hint


@pytest.mark.slow
@pytest.mark.parametrize(
    "function",
    [
        lambda q, p: product(q, p) * (1 + 1e-3),
        lambda q, p: 0 * q,
        lambda q, p: -product(q, p) if q[0] > 1 else product(q, p),  # a slip that explains some cases only
    ],
)
def test_no_hint_if_no_slip_explains_all_answers(function):
    result = rbnotes.challenge(PRODUCT, function, examples=EXAMPLES)
    assert not result
    assert result.hint == ""
    assert "hint" not in str(result)


@pytest.mark.slow
def test_no_hint_if_the_last_case_contradicts_it():
    last = cases_of(PRODUCT)[-1].inputs["q"]

    def exchanged(q, p):
        return product(p, q) + 1e-3 * np.array_equal(q, last)

    result = rbnotes.challenge(PRODUCT, lambda q, p: product(p, q), examples=EXAMPLES)
    assert result.assessment.status == "wrong"
    assert "exchanged" in result.hint
    assert f"hint: {result.hint}" in str(result)
    assert rbnotes.challenge(PRODUCT, exchanged, examples=EXAMPLES).hint == ""


def test_slips_with_equal_results_are_named_together_signs_first():
    # The transpose of the matrix of a cross product is its negative.
    claim = ledger.find("sueda/s1.3/e1.10#b")
    result = rbnotes.challenge(claim.id, lambda w: -claim.reference(w), examples=EXAMPLES)
    assert result.assessment.status == "wrong"
    assert result.hint.startswith("the sign of the result is wrong, or ")
    assert result.hint.endswith("the result is transposed")
