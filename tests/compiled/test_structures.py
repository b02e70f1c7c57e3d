"""References to structures of arrays, and arrays that compiled code allocates."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

from rbnotes.compiled.array_allocation import empty, zeros
from rbnotes.compiled.decorators import jit_alloc, jit_noalloc
from rbnotes.compiled.structure_references import keep_alive, reference


class Wheel(NamedTuple):
    radii: Any
    count: Any


class Cart(NamedTuple):
    matrix: Any
    is_open: Any
    wheel: Any
    gravity: Any
    teeth: Any


def cart(count=3, rows=4):
    """Return a structure with fields of all kinds that compiled code uses."""
    rng = np.random.default_rng(count)
    return Cart(
        rng.normal(size=(rows, 2)),
        count > 2,
        Wheel(rng.normal(size=rows), count),
        (1.5, -2.5, 4.5),
        rng.integers(9, size=(rows, 2, 3)),
    )


@jit_noalloc
def scale_wheel(wheel, factor):
    for i in range(len(wheel.radii)):
        wheel.radii[i] *= factor * wheel.count


@jit_noalloc
def read_fields(structure):
    scale_wheel(structure.wheel, structure.gravity[1])
    return structure.matrix[1, 1], structure.is_open, structure.wheel.count, structure.teeth[-1, 1, 2]


@njit
def read_both(first, second, num_swaps):
    x, y = reference(first), reference(second)
    for _ in range(num_swaps):
        x, y = y, x
    return read_fields(x), read_fields(y)


@pytest.mark.parametrize("num_swaps", [0, 1])
def test_fields_are_read_through_references(num_swaps):
    carts = [cart(2), cart(5, rows=3)]
    expected_radii = [each.wheel.radii * (-2.5 * each.wheel.count) for each in carts]
    results = read_both(*carts, num_swaps)
    for result, each in zip(results, carts[:: -1 if num_swaps else 1], strict=True):
        assert result == (each.matrix[1, 1], each.is_open, each.wheel.count, each.teeth[-1, 1, 2])
    for each, radii in zip(carts, expected_radii, strict=True):
        np.testing.assert_array_equal(each.wheel.radii, radii)


def test_plain_python_passes_structures_themselves():
    first = cart()
    assert reference(first) is first
    assert keep_alive(first) is None


def test_unknown_fields_are_typing_errors():
    @njit
    def read_unknown(structure):
        return reference(structure).wheels

    with pytest.raises(TypingError, match="wheels"):
        read_unknown(cart())


@jit_noalloc
def sum_radii(wheel):
    total = 0.0
    for i in range(len(wheel.radii)):
        total += wheel.radii[i]
    return total


@jit_alloc
def sum_after_allocations(count, size):
    """Sum the radii of a structure that is not used again, after allocating arrays of the same size."""
    wheel = Wheel(zeros(size), size)
    wheel_reference, total = reference(wheel), 0.0
    for _ in range(count):
        other = empty(size)
        for i in range(size):
            other[i] = 1.0
        total += sum_radii(wheel_reference)
    keep_alive(wheel)
    return total


def test_arrays_live_until_they_are_released():
    assert njit(lambda count, size: sum_after_allocations(count, size))(20, 100) == 0.0


@njit
def allocate_arrays(count):
    return (
        zeros(count),
        zeros((count, 2), np.bool_),
        empty((2, count, 3), np.int64),
        empty((0, 6)),
    )


def test_allocated_arrays_have_shapes_and_dtypes():
    arrays = allocate_arrays(5)
    shapes_and_dtypes = [(each.shape, each.dtype) for each in arrays]
    assert shapes_and_dtypes == [
        ((5,), np.float64),
        ((5, 2), np.bool_),
        ((2, 5, 3), np.int64),
        ((0, 6), np.float64),
    ]
    assert all(each.flags.c_contiguous for each in arrays)
    assert not arrays[0].any()
    assert not arrays[1].any()
    for each, plain in zip(arrays, allocate_arrays.py_func(5), strict=True):
        assert (each.shape, each.dtype) == (plain.shape, plain.dtype)
