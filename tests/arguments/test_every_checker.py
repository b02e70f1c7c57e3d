"""Every checker accepts valid values, and its errors name argument, actual and expected value."""

import re
from collections import deque

import numpy as np
import pytest
from checkers import CHECKERS, SINGLE, assert_refused, every_checker, replace_last_entry, shaped

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument


@every_checker
def test_valid_values_are_returned_as_new_float64_arrays(check, valid):
    float_array = np.array(valid)
    result = check("thing", float_array)
    assert result.dtype == np.float64
    np.testing.assert_array_equal(result, valid)
    result[...] = 0  # what the caller gave is not touched
    np.testing.assert_array_equal(float_array, valid)


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
def test_nan_and_infinity_are_rejected(check, valid, value):
    assert_refused(check, replace_last_entry(valid, value), "^NaN or infinite entries$", "^finite numbers$")


@every_checker
def test_nan_is_found_anywhere_in_a_batch(check, valid):
    if check not in SINGLE:
        assert_refused(
            check, np.stack([np.array(valid), replace_last_entry(valid, np.nan)]), "NaN or infinite"
        )


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
def test_non_numeric_values_are_rejected(check, valid, value, kind):
    assert_refused(check, value, kind, "^an array of real numbers$")


class UnreadableObject:
    def __array__(self, *args, **options):
        raise RuntimeError("no array")

    def __repr__(self):
        raise RuntimeError("no text")


class TwoEntries:
    """A sequence of the caller's own, which NumPy reads."""

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return (1.0, True)[index]


DEEP: list = [1.0]
for _ in range(2000):
    DEEP = [DEEP]
SELF_CONTAINING: list = [1.0]
SELF_CONTAINING.append(SELF_CONTAINING)
NOT_READ_AS_NUMBERS = {
    "a truth value": ([1.0, True, 3.0], "list"),
    "a truth value in a row": ([[1.0, 2.0], (3.0, True)], "list"),
    "a truth value of NumPy": ([1.0, np.True_], "list"),
    "truth values as a row": ([[1.0, 2.0], np.array([True, False])], "list"),
    "a truth value in a deque": (deque([1.0, True]), "deque"),
    "a truth value in a sequence of its own": (TwoEntries(), "TwoEntries"),
    "a bytearray": (bytearray(b"12"), "bytearray"),
    "a bytearray in a list": ([bytearray(b"12")], "list"),
    "a buffer of bytes": (memoryview(b"12"), "memoryview"),
    "masked rows of rows": ([[np.ma.masked_array([1.0, 2.0], [False, True])]], "list"),
    "an array that raises": (UnreadableObject(), "^UnreadableObject without a representation$"),
    "an array that raises, in a list": ([1.0, UnreadableObject()], "^list without a representation$"),
    "ragged rows": ([np.zeros((2, 3)), np.zeros((2, 2))], "list"),
    "lists that are nested too deeply": (DEEP, "list"),
    "a list that contains itself": (SELF_CONTAINING, "list"),
}


@every_checker
@pytest.mark.parametrize(("value", "kind"), NOT_READ_AS_NUMBERS.values(), ids=NOT_READ_AS_NUMBERS)
def test_values_that_numpy_would_convert_are_rejected(check, valid, value, kind):
    assert_refused(check, value, kind, "^an array of real numbers$")


@pytest.mark.parametrize(("value", "kind"), NOT_READ_AS_NUMBERS.values(), ids=NOT_READ_AS_NUMBERS)
def test_indices_and_booleans_follow_the_same_rule(value, kind):
    assert_refused(arguments.indices, value, kind, "^whole numbers$")
    assert_refused(
        lambda name, argument: arguments.boolean_vector(name, argument, 2), value, kind, "^booleans of shape"
    )


def test_mixed_kinds_of_entries_are_rejected():
    assert arguments.indices("thing", [0, 1]).tolist() == [0, 1]
    assert arguments.boolean_vector("thing", [True, False], 2).tolist() == [True, False]
    assert_refused(arguments.indices, [0, True], "^list", "^whole numbers$")
    for value in ([True, 1], [1.0, 0.0]):
        assert_refused(
            lambda name, argument: arguments.boolean_vector(name, argument, 2), value, "^list", "^booleans"
        )


@every_checker
def test_sequences_of_numbers_in_any_form(check, valid):
    rows = [*np.array(valid)] if np.ndim(valid) > 1 else np.array(valid).tolist()
    for value in (deque(rows), tuple(rows), rows):
        np.testing.assert_array_equal(check("thing", value), valid)


@every_checker
def test_complex_entries_are_rejected(check, valid):
    assert_refused(check, replace_last_entry(valid, 0j), "complex|ndarray", "^an array of real numbers$")


def test_long_values_are_truncated_in_messages():
    with pytest.raises(InvalidArgument) as raised:
        arguments.vector("thing", ["word"] * 1000)
    assert len(str(raised.value)) < 150


@pytest.mark.parametrize(("check", "valid"), shaped.values(), ids=shaped)
def test_wrong_shapes_are_rejected(check, valid):
    shape = np.shape(valid)
    too_few_axes = np.zeros(shape[1:])
    assert_refused(check, too_few_axes, re.escape(f"shape {too_few_axes.shape}"), r"^shape \(|two axes")


@pytest.mark.parametrize(
    ("check", "shape", "expected"),
    [
        (arguments.vector, (4,), r"shape (..., 3)"),
        (arguments.vector, (3, 2), r"shape (..., 3)"),
        (lambda name, value: arguments.vector(name, value, None), (), r"shape (..., n)"),
        (arguments.single_vector, (4,), r"shape (..., 3)"),
        (arguments.single_vector, (1, 3), r"one vector of shape (3,)"),
        (lambda name, value: arguments.single_vector(name, value, None), (2, 1), r"one vector of shape (n,)"),
        (lambda name, value: arguments.positive_array(name, value, 3), (3, 2), r"shape (..., 3)"),
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
def test_message_states_actual_and_expected_shape(check, shape, expected):
    assert_refused(check, np.ones(shape), f"^{re.escape(f'shape {shape}')}$", f"^{re.escape(expected)}$")


def test_batches_are_accepted():
    for check, valid in CHECKERS.values():
        if check not in SINGLE:
            batch = np.broadcast_to(valid, (2, 5, *np.shape(valid)))
            np.testing.assert_array_equal(check("thing", batch), batch)


@pytest.mark.parametrize(
    ("check", "shape"),
    [
        (arguments.real_array, (0,)),
        (arguments.positive_array, (0,)),
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
def test_empty_batches_are_accepted(check, shape):
    assert check("thing", np.empty(shape)).shape == shape


def test_empty_vectors_are_rejected():
    assert_refused(arguments.vector, [], r"shape \(0,\)", r"shape \(\.\.\., 3\)")
