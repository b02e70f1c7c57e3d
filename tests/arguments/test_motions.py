"""Checks of unit vectors, rotations, frames and twists: accepted values and error messages."""

import numpy as np
import pytest
from checkers import CHECKERS, EYE3, assert_refused
from hypothesis import given

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument, SingularConfiguration, geometry
from rbnotes.testing.strategies import frames, rotations, unit_quaternions, unit_vectors, vectors


@given(unit_vectors(), unit_quaternions())
def test_unit_lengths(u, q):
    for check, unit in ((arguments.unit_vector, u), (arguments.unit_quaternion, q)):
        np.testing.assert_array_equal(check("thing", unit), unit)
        check("thing", (1 + 5e-9) * unit)
        assert_refused(check, (1 + 2e-8) * unit, "^a length that differs from 1 by 2e-08$", "^unit length$")
        assert_refused(check, np.stack([unit, 0 * unit]), "^a length that differs from 1 by 1$")
        assert_refused(check, 1e90 * unit, r"^a length that differs from 1 by 1e\+90$")


@given(rotations())
def test_rotations(R):
    np.testing.assert_array_equal(arguments.rotation("thing", R), R)
    arguments.rotation("thing", (1 + 2e-9) * R)
    assert_refused(arguments.rotation, (1 + 1e-8) * R, r"max \|R\^T R - I\| = 2e-08$", "^a rotation matrix$")
    assert_refused(arguments.rotation, 1.5 * R, r"max \|R\^T R - I\| = 1\.25$")
    assert_refused(arguments.rotation, -R, r"^a reflection \(determinant -1\)$", r"\(determinant \+1\)$")
    assert_refused(arguments.rotation, np.stack([R, R * [1, -1, 1]]), "^a reflection")
    assert_refused(arguments.rotation, np.stack([EYE3, R + 0.1 * EYE3]), r"max \|R\^T R - I\|")
    sheared = R @ np.array([[1, 1e-3, 0], [0, 1, 0], [0, 0, 1]])
    assert_refused(arguments.rotation, sheared, r"max \|R\^T R - I\| = 0\.001$")


@given(rotations())
def test_scalar_rotation_check_accepts_only_rotations(R):
    """It rejects scaled and skewed axes and reflections."""
    assert geometry._is_rotation(*R.tolist())
    for i, j in np.ndindex(3, 3):
        assert not geometry._is_rotation(*(R + 1e-6 * np.outer(R[:, i], EYE3[j])).tolist())
    assert not any(geometry._is_rotation(*(R * (1 - 2 * e)).tolist()) for e in EYE3)


@pytest.mark.parametrize("huge", [9e99 * EYE3, 9e99 * np.array([[1.0, 1, 0], [1, -1, 0], [0, 0, 1]])])
def test_huge_entries_are_not_a_rotation(huge):
    assert_refused(arguments.rotation, huge, "a matrix with max", "a rotation matrix")


def test_single_precision_is_rejected_with_an_explanation():
    R = np.array([[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]])
    E = np.block([[R, np.ones((3, 1))], [np.array([0.0, 0, 0, 1])]])
    expected = "^a rotation matrix in float64, not rounded to float32$"
    for check, value in ((arguments.rotation, R), (arguments.frame, E)):
        check("thing", value)
        for one_or_many in (value, np.stack([value, value])):
            assert_refused(check, one_or_many.astype(np.float32), r"max \|R\^T R - I\| = .*e-08$", expected)
    u = np.array([0.6, 0.8, 0], dtype=np.float32)
    assert_refused(
        arguments.unit_vector, u, "^a length that", "^unit length in float64, not rounded to float32$"
    )


@given(rotations(), vectors())
def test_scalar_and_batched_rotation_checks_agree(R, error):
    """A single matrix has a fast path in plain numbers; it agrees with the batched check at the tolerance."""
    for scale in (0, 1e-9, 3e-9, 1e-8, 1e-3):
        near = R + scale * np.outer(error, [1, 2, -1])
        verdicts = set()
        for value in (near, near[None]):
            try:
                arguments.rotation("thing", value)
                verdicts.add("accepted")
            except InvalidArgument as refusal:
                verdicts.add(str(refusal))
        assert len(verdicts) == 1


def test_rotation_vectors_and_full_turns():
    for check, linear_part in ((arguments.rotation_vector, []), (arguments.twist_vector, [9e99, 2, 3])):
        check("thing", [0, 0, 2 * np.pi, *linear_part])
        assert_refused(
            check, [0, -2e100, 0, *linear_part], r"^an entry of -2e\+100$", r"^numbers smaller than 1e\+100$"
        )
        for rotation in (2 * np.pi, -6 * np.pi, 2 * np.pi + 5e-9):
            for one_or_many in (
                [0, 0, rotation, *linear_part],
                [[0, 0, 0, *linear_part], [0, 0, rotation, *linear_part]],
            ):
                with pytest.raises(
                    SingularConfiguration, match=r"^thing: got an angle within 1e-08 of a mult"
                ):
                    check("thing", one_or_many, full_turns=False)
        for angle in (0, 1e-9, np.pi, 2 * np.pi + 2e-8):
            check("thing", [0, angle, 0, *linear_part], full_turns=False)


def test_matrices_of_twists():
    X = np.array(CHECKERS["twist_matrix"][1])
    assert_refused(
        arguments.twist_matrix, X + np.diag([0, 0, 0, 1]), "^a last row other than zero$", "of a twist$"
    )
    assert_refused(
        arguments.twist_matrix, X - np.diag([0, 0, 0, 1]), "^a last row other than zero$", "of a twist$"
    )
    far = X.copy()
    far[0, 3], far[3, 3] = -1e8, 1e-3  # rounding beside the velocity
    arguments.twist_matrix("thing", far)
    assert_refused(
        arguments.twist_matrix, X + np.diag([0, 1, 0, 0]), r"max \|W \+ W\^T\| = 2$", "skew-symmetric"
    )
    assert_refused(
        arguments.skew_symmetric, X[:3, :3] + 0.5, r"max \|W \+ W\^T\| = 1$", "^a skew-symmetric matrix$"
    )
    assert_refused(
        arguments.skew_symmetric, X[:3, :3] - 0.5, r"max \|W \+ W\^T\| = 1$", "^a skew-symmetric matrix$"
    )
    arguments.skew_symmetric("thing", 1e12 * X[:3, :3] + 1e-3)
    assert_refused(
        arguments.skew_symmetric, np.stack([1e12 * X[:3, :3], X[:3, :3] + 1e-3]), "max"
    )  # by its own size


@given(frames())
def test_frames(E):
    np.testing.assert_array_equal(arguments.frame("thing", E), E)
    assert_refused(arguments.frame, E.T + 0.5 * np.eye(4), "^a last row .* off", "^a rigid transformation$")
    bottom = E.copy()
    bottom[3, 3] = 2
    assert_refused(arguments.frame, bottom, r"^a last row 1 off \(0, 0, 0, 1\)$")
    stretched = E.copy()
    stretched[:3, :3] *= 2
    assert_refused(arguments.frame, stretched, r"max \|R\^T R - I\| = 3$", "a rotation matrix")
    assert_refused(arguments.frame, E * [[-1], [-1], [-1], [1]], "a reflection")
    assert_refused(arguments.frame, np.stack([E, stretched]), r"max \|R\^T R - I\| = 3$")
