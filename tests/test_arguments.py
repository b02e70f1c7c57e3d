"""The error contract: every checker accepts what it should, and names argument, finding and expectation."""

import re

import numpy as np
import pytest
from hypothesis import given
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.checking.strategies import (
    frames,
    nearly_singular_spd_matrices,
    rotations,
    spd_matrices,
    unit_quaternions,
    unit_vectors,
    vectors,
)

EYE3, EYE4 = np.eye(3), np.eye(4)
TURN = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
POSE = np.block([[TURN, np.array([[1.0], [2], [3]])], [np.array([0.0, 0, 0, 1])]])
SPD = np.array([[2.0, 1, 0], [1, 3, -1], [0, -1, 4]])

# One valid argument of each checker: what spoils it is tried on all of them.
CHECKERS = {
    "array": (lambda name, value: arguments.array(name, value, None, 2), [[1.0, 2], [3, 4], [5, 6]]),
    "vector": (arguments.vector, [1.0, 2, 3]),
    "vector of any size": (lambda name, value: arguments.vector(name, value, None), [1.0, 2, 3, 4, 5]),
    "one_vector": (arguments.one_vector, [1.0, 2, 3]),
    "twist": (arguments.twist, [1.0, 2, 3, 4, 5, 6]),
    "scalar": (arguments.scalar, [[1.0], [-2]]),
    "rotation_vector": (arguments.rotation_vector, [1.0, 2, 3]),
    "twist_vector": (arguments.twist_vector, [1.0, 2, 3, 4, 5, 6]),
    "skew_symmetric": (arguments.skew_symmetric, [[0.0, 3, -1], [-3, 0, 2], [1, -2, 0]]),
    "twist_matrix": (arguments.twist_matrix, [[0.0, 3, -1, 7], [-3, 0, 2, 8], [1, -2, 0, 9], [0, 0, 0, 0]]),
    "positive": (arguments.positive, [0.1, 2]),
    "positive of a shape": (lambda name, value: arguments.positive(name, value, 3), [0.1, 2, 3]),
    "unit_vector": (arguments.unit_vector, [0.6, 0, -0.8]),
    "unit_quaternion": (arguments.unit_quaternion, [0.5, -0.5, 0.5, -0.5]),
    "rotation": (arguments.rotation, TURN),
    "frame": (arguments.frame, POSE),
    "symmetric": (arguments.symmetric, SPD - 2.5 * EYE3),
    "positive_definite": (arguments.positive_definite, SPD),
    "matrix": (arguments.matrix, [[1.0, 2, 3], [4, 5, 6]]),
}
every_checker = pytest.mark.parametrize(("check", "valid"), CHECKERS.values(), ids=CHECKERS)
shaped = {name: case for name, case in CHECKERS.items() if name not in ("scalar", "positive")}
SINGLE = (arguments.matrix, arguments.one_vector)  # these take no batches


def refuses(check, value, got, expected="", name="thing"):
    """The message is ``name: got ..., expected ...``, and the parts can be asked for."""
    with pytest.raises(InvalidArgument) as raised:
        check("thing", value)
    error = raised.value
    assert error.name == name
    assert str(error) == f"{name}: got {error.got}, expected {error.expected}"
    assert re.search(got, error.got), error.got
    assert re.search(expected, error.expected), error.expected


def spoiled(valid, value):
    """The valid argument with its last entry replaced."""
    result = np.array(valid, dtype=type(value) if isinstance(value, complex) else float)
    result[(-1,) * result.ndim] = value
    return result


@every_checker
def test_valid_values_come_back_as_new_float64_arrays(check, valid):
    given_array = np.array(valid)
    result = check("thing", given_array)
    assert result.dtype == np.float64
    np.testing.assert_array_equal(result, valid)
    result[...] = 0  # what the caller gave is not touched
    np.testing.assert_array_equal(given_array, valid)


@every_checker
def test_lists_and_other_number_types(check, valid):
    np.testing.assert_array_equal(check("thing", np.array(valid).tolist()), valid)
    rough = check("thing", np.array(valid, dtype=np.float32)) if check not in UNIT else valid
    np.testing.assert_allclose(rough, valid, rtol=1e-6)
    if np.all(np.array(valid) == np.round(valid)):
        result = check("thing", np.array(valid, dtype=int))
        assert result.dtype == np.float64
        np.testing.assert_array_equal(result, valid)


UNIT = (arguments.unit_vector, arguments.unit_quaternion)  # single precision is not unit to 1e-8


@every_checker
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity(check, valid, value):
    refuses(check, spoiled(valid, value), "^NaN or infinite entries$", "^finite numbers$")


@every_checker
def test_nan_hides_in_no_batch(check, valid):
    if check not in SINGLE:
        refuses(check, np.stack([np.array(valid), spoiled(valid, np.nan)]), "NaN or infinite")


@every_checker
@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("fast", "^str 'fast'$"),
        ("1.5", r"^str '1\.5'$"),
        (None, "^NoneType None$"),
        (1 + 2j, "^complex"),
        ({"x": 1.0}, "^dict"),
        ([1.0, [2.0, 3.0]], "^list"),
        ([1.0, None, 3.0], "^list"),
        (["1", "2", "3"], "^list"),
        (..., "^ellipsis"),
        (np.array(["a", "b"]), "^ndarray"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "^ndarray"),
        (True, "^bool True$"),
        (np.array([True, False]), "^ndarray"),
        (np.array([1.0, 2.0], dtype=object), "^ndarray"),
        (np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False]), "^MaskedArray"),
    ],
    ids=repr,
)
def test_what_is_no_array_of_real_numbers(check, valid, value, kind):
    refuses(check, value, kind, "^an array of real numbers$")


@every_checker
def test_complex_entries_are_not_dropped(check, valid):
    refuses(check, spoiled(valid, 0j), "complex|ndarray", "^an array of real numbers$")


def test_long_values_are_cut():
    with pytest.raises(InvalidArgument) as raised:
        arguments.vector("thing", ["word"] * 1000)
    assert len(str(raised.value)) < 150


@pytest.mark.parametrize(("check", "valid"), shaped.values(), ids=shaped)
def test_wrong_shapes(check, valid):
    shape = np.shape(valid)
    too_few_axes = np.zeros(shape[1:])
    refuses(check, too_few_axes, re.escape(f"shape {too_few_axes.shape}"), r"^shape \(|two axes")


@pytest.mark.parametrize(
    ("check", "shape", "expected"),
    [
        (arguments.vector, (4,), r"shape (..., 3)"),
        (arguments.vector, (3, 2), r"shape (..., 3)"),
        (lambda name, value: arguments.vector(name, value, None), (), r"shape (..., n)"),
        (arguments.one_vector, (4,), r"shape (..., 3)"),
        (arguments.one_vector, (1, 3), r"one vector of shape (3,)"),
        (lambda name, value: arguments.one_vector(name, value, None), (2, 1), r"one vector of shape (n,)"),
        (lambda name, value: arguments.positive(name, value, 3), (3, 2), r"shape (..., 3)"),
        (arguments.twist, (2, 3), r"shape (..., 6)"),
        (arguments.unit_vector, (2,), r"shape (..., 3)"),
        (arguments.unit_quaternion, (3,), r"shape (..., 4)"),
        (arguments.rotation, (3, 4), r"shape (..., 3, 3)"),
        (arguments.rotation, (9,), r"shape (..., 3, 3)"),
        (arguments.frame, (3, 4), r"shape (..., 4, 4)"),
        (arguments.frame, (5, 4, 3), r"shape (..., 4, 4)"),
        (arguments.symmetric, (2, 2), r"shape (..., 3, 3)"),
        (lambda name, value: arguments.symmetric(name, value, None), (2, 3), r"square matrices (..., n, n)"),
        (arguments.positive_definite, (6, 6), r"shape (..., 3, 3)"),
        (lambda name, value: arguments.array(name, value, None, 2), (2, 3), r"shape (..., n, 2)"),
        (lambda name, value: arguments.matrix(name, value, 2, 3), (3, 2), r"shape (..., 2, 3)"),
        (lambda name, value: arguments.matrix(name, value, None, 3), (3, 2), r"shape (..., n, 3)"),
        (arguments.matrix, (4, 3, 2), "one matrix (two axes)"),
    ],
)
def test_shapes_got_and_expected_are_told(check, shape, expected):
    refuses(check, np.ones(shape), f"^{re.escape(f'shape {shape}')}$", f"^{re.escape(expected)}$")


def test_batches():
    for check, valid in CHECKERS.values():
        if check not in SINGLE:
            batch = np.broadcast_to(valid, (2, 5, *np.shape(valid)))
            np.testing.assert_array_equal(check("thing", batch), batch)


@pytest.mark.parametrize(
    ("check", "shape"),
    [
        (arguments.scalar, (0,)),
        (arguments.positive, (0,)),
        (arguments.vector, (0, 3)),
        (arguments.twist, (0, 6)),
        (arguments.unit_vector, (0, 3)),
        (arguments.unit_quaternion, (0, 4)),
        (arguments.rotation, (0, 3, 3)),
        (arguments.frame, (2, 0, 4, 4)),
        (arguments.symmetric, (0, 3, 3)),
        (arguments.positive_definite, (0, 3, 3)),
        (lambda name, value: arguments.positive_definite(name, value, None), (0, 0)),
        (arguments.matrix, (0, 3)),
    ],
)
def test_empty_batches_are_fine(check, shape):
    assert check("thing", np.empty(shape)).shape == shape


def test_empty_vectors_are_not():
    refuses(arguments.vector, [], r"shape \(0,\)", r"shape \(\.\.\., 3\)")


def test_scalars_within_bounds():
    def check(name, value):
        return arguments.scalar(name, value, minimum=0, maximum=1)

    np.testing.assert_array_equal(check("thing", [0, 0.5, 1]), [0, 0.5, 1])
    assert check("thing", 1).shape == ()
    refuses(check, 1.5, r"^1\.5$", r"^numbers in \[0, 1\]$")
    refuses(check, [0.5, -2], "^-2$", r"^numbers in \[0, 1\]$")


@pytest.mark.parametrize("value", [0, -0.0, -3])
def test_positive_numbers(value):
    refuses(arguments.positive, [1.0, value], f"^{value:g}$", "^numbers greater than 0$")


@given(unit_vectors(), unit_quaternions())
def test_unit_lengths(u, q):
    for check, unit in ((arguments.unit_vector, u), (arguments.unit_quaternion, q)):
        np.testing.assert_array_equal(check("thing", unit), unit)
        check("thing", (1 + 5e-9) * unit)
        refuses(check, (1 + 2e-8) * unit, "^a length that differs from 1 by 2e-08$", "^unit length$")
        refuses(check, np.stack([unit, 0 * unit]), "^a length that differs from 1 by 1$")
        refuses(check, 1e90 * unit, r"^a length that differs from 1 by 1e\+90$")


@given(rotations())
def test_rotations(R):
    np.testing.assert_array_equal(arguments.rotation("thing", R), R)
    arguments.rotation("thing", (1 + 2e-9) * R)
    refuses(arguments.rotation, (1 + 1e-8) * R, r"max \|R\^T R - I\| = 2e-08$", "^a rotation matrix$")
    refuses(arguments.rotation, 1.5 * R, r"max \|R\^T R - I\| = 1\.25$")
    refuses(arguments.rotation, -R, r"^a reflection \(determinant -1\)$", r"\(determinant \+1\)$")
    refuses(arguments.rotation, np.stack([R, R * [1, -1, 1]]), "^a reflection")
    refuses(arguments.rotation, np.stack([EYE3, R + 0.1 * EYE3]), r"max \|R\^T R - I\|")
    sheared = R @ np.array([[1, 1e-3, 0], [0, 1, 0], [0, 0, 1]])
    refuses(arguments.rotation, sheared, r"max \|R\^T R - I\| = 0\.001$")


@pytest.mark.parametrize("huge", [9e99 * EYE3, 9e99 * np.array([[1.0, 1, 0], [1, -1, 0], [0, 0, 1]])])
def test_huge_numbers_are_no_rotation(huge):
    refuses(arguments.rotation, huge, "a matrix with max", "a rotation matrix")


def test_single_precision_is_refused_for_its_rounding_and_told_so():
    R = np.array([[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]])
    E = np.block([[R, np.ones((3, 1))], [np.array([0.0, 0, 0, 1])]])
    expected = "^a rotation matrix in float64, not rounded to float32$"
    for check, value in ((arguments.rotation, R), (arguments.frame, E)):
        check("thing", value)
        for one_or_many in (value, np.stack([value, value])):
            refuses(check, one_or_many.astype(np.float32), r"max \|R\^T R - I\| = .*e-08$", expected)
    u = np.array([0.6, 0.8, 0], dtype=np.float32)
    refuses(arguments.unit_vector, u, "^a length that", "^unit length in float64, not rounded to float32$")


@given(rotations(), vectors())
def test_one_rotation_and_many_are_judged_alike(R, error):
    """One matrix is looked at in plain numbers first; a batch of it gets the same verdict at the edge too."""
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
    for check, rest in ((arguments.rotation_vector, []), (arguments.twist_vector, [9e99, 2, 3])):
        check("thing", [0, 0, 2 * np.pi, *rest])
        refuses(check, [0, -2e100, 0, *rest], r"^an entry of -2e\+100$", r"^numbers smaller than 1e\+100$")
        for turn in (2 * np.pi, -6 * np.pi, 2 * np.pi + 5e-9):
            for one_or_many in ([0, 0, turn, *rest], [[0, 0, 0, *rest], [0, 0, turn, *rest]]):
                with pytest.raises(
                    SingularConfiguration, match=r"^thing: got an angle within 1e-08 of a mult"
                ):
                    check("thing", one_or_many, full_turns=False)
        for angle in (0, 1e-9, np.pi, 2 * np.pi + 2e-8):
            check("thing", [0, angle, 0, *rest], full_turns=False)


def test_matrices_of_twists():
    X = np.array(CHECKERS["twist_matrix"][1])
    refuses(arguments.twist_matrix, X + np.diag([0, 0, 0, 1]), "^a last row other than zero$", "of a twist$")
    refuses(arguments.twist_matrix, X + np.diag([0, 1, 0, 0]), r"max \|W \+ W\^T\| = 2$", "skew-symmetric")
    refuses(arguments.skew_symmetric, X[:3, :3] + 0.5, r"max \|W \+ W\^T\| = 1$", "^a skew-symmetric matrix$")
    arguments.skew_symmetric("thing", 1e12 * X[:3, :3] + 1e-3)
    refuses(
        arguments.skew_symmetric, np.stack([1e12 * X[:3, :3], X[:3, :3] + 1e-3]), "max"
    )  # by its own size


@given(frames())
def test_frames(E):
    np.testing.assert_array_equal(arguments.frame("thing", E), E)
    refuses(arguments.frame, E.T + 0.5 * np.eye(4), "^a last row .* off", "^a rigid transformation$")
    bottom = E.copy()
    bottom[3, 3] = 2
    refuses(arguments.frame, bottom, r"^a last row 1 off \(0, 0, 0, 1\)$")
    stretched = E.copy()
    stretched[:3, :3] *= 2
    refuses(arguments.frame, stretched, r"max \|R\^T R - I\| = 3$", "a rotation matrix")
    refuses(arguments.frame, E * [[-1], [-1], [-1], [1]], "a reflection")
    refuses(arguments.frame, np.stack([E, stretched]), r"max \|R\^T R - I\| = 3$")


@given(spd_matrices(4))
def test_symmetric(A):
    def check(name, value):
        return arguments.symmetric(name, value, None)

    np.testing.assert_array_equal(check("thing", A), A)
    rounded = A + 1e-13 * np.triu(np.ones((4, 4)))
    result = check("thing", rounded)
    np.testing.assert_array_equal(result, result.T)
    check("thing", np.stack([1e12 * rounded, A]))
    lopsided = A.copy()
    lopsided[0, 3] += 0.25
    refuses(check, lopsided, r"^a matrix with max \|A - A\^T\| = 0\.25$", "^a symmetric matrix$")
    judged_by_its_own_size = np.stack([1e12 * A, lopsided])
    refuses(check, judged_by_its_own_size, r"max \|A - A\^T\| = 0\.25$", name="thing[1]")
    check("thing", np.zeros((4, 4)))


@given(spd_matrices(3), nearly_singular_spd_matrices(3))
def test_positive_definite(A, nearly_singular):
    for matrix in (A, nearly_singular, 1e-90 * A, 9e98 * A / np.max(A)):
        np.testing.assert_allclose(arguments.positive_definite("thing", matrix), matrix, rtol=1e-14)
    smallest = np.linalg.eigvalsh(A)[0]
    got = f"^smallest eigenvalue {re.escape(f'{-smallest:.3g}')}$"
    refuses(arguments.positive_definite, A - 2 * smallest * EYE3, got, "^a positive definite matrix$")
    stacked = np.stack([1e6 * A, A - 2 * smallest * EYE3])
    refuses(arguments.positive_definite, stacked, "^smallest eigenvalue -", name="thing[1]")
    refuses(arguments.positive_definite, A + np.triu(np.ones((3, 3)), 1), r"max \|A - A\^T\| = 1$")


@pytest.mark.parametrize(
    "singular",
    [
        np.zeros((3, 3)),
        np.ones((3, 3)),
        np.diag([1.0, 2, 0]),
        np.outer([0.1, 0.7, -0.3], [0.1, 0.7, -0.3]),
        1e12 * np.outer([0.1, 0.7, -0.3], [0.1, 0.7, -0.3]) + np.outer([1.0, 0, 1], [1.0, 0, 1]),
    ],
)
def test_singular_to_rounding_is_not_positive_definite(singular):
    """Rounding makes zero eigenvalues as often positive as negative."""
    refuses(arguments.positive_definite, singular, "^smallest eigenvalue", "^a positive definite matrix$")


def test_sparse_matrices():
    dense = np.array([[0.0, 2, 0], [1, 0, -3]])
    for make in (sparse.csr_array, sparse.coo_matrix):
        result = arguments.matrix("thing", make(dense.astype(int)), 2, 3)
        assert isinstance(result, sparse.csc_array)
        assert result.dtype == np.float64
        np.testing.assert_array_equal(result.toarray(), dense)
    original = sparse.csc_array(dense)
    arguments.matrix("thing", original).data[:] = 0
    np.testing.assert_array_equal(original.toarray(), dense)
    for bad, got, expected in (
        (sparse.csc_array(dense * [1, np.nan, 1]), "NaN", "finite"),
        (sparse.csc_array(dense * 1j), "ndarray", "real numbers"),
    ):
        refuses(arguments.matrix, bad, got, expected)
    with pytest.raises(InvalidArgument, match=r"thing: got shape \(2, 3\), expected shape \(n, 4\)"):
        arguments.matrix("thing", sparse.csc_array(dense), None, 4)


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


def test_sparse_matrices_are_not_shared():
    """Solvers sort indices in place; the caller's matrix, whose indices are not sorted, stays what it is."""
    unsorted = sparse.csc_array((np.array([2.0, 1.0]), np.array([1, 0]), np.array([0, 2, 2])), shape=(2, 2))
    before = unsorted.toarray()
    arguments.matrix("thing", unsorted).sort_indices()
    assert np.array_equal(unsorted.toarray(), before)
