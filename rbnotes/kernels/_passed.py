"""Arrays as Python passes them, looked at where they are.

Numba's own way from an array of Python's to one of compiled code counts references, and takes as long as a
link of a chain for each of them. Here the code gets the address of the object, and reads what NumPy's
interface promises to extensions: its type, where its numbers are, how many, of which kind, in which order. As
plain Python the functions take the arrays themselves.
"""

import numpy as np
from llvmlite import ir

# The stubs of numba lack names of its number types.
from numba import carray, float64, types, uint64  # type: ignore[attr-defined]
from numba.extending import NativeValue, intrinsic, models, overload, register_model, unbox

# Offsets in a PyArrayObject: what every object has ends with its type.
_HEAD = object.__basicsize__
_TYPE, _DATA, _AXES, _SHAPE, _DTYPE, _FLAGS = _HEAD - 8, _HEAD, _HEAD + 8, _HEAD + 16, _HEAD + 40, _HEAD + 48
_IN_A_ROW = 0x101  # contiguous and aligned
_WORD = ir.IntType(64)


class Passed(types.Type):
    """An object of Python's that compiled code holds no reference to: its caller does."""

    def __init__(self):
        super().__init__("Passed")


passed = Passed()


@register_model(Passed)
class _Address(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _WORD)


@unbox(Passed)
def _unboxed(kind, object_, context):
    return NativeValue(context.builder.ptrtoint(object_, _WORD))


@intrinsic
def _word(typing_context, address, offset):
    def read(context, builder, signature, arguments):
        return builder.load(builder.inttoptr(builder.add(*arguments), _WORD.as_pointer()))

    return types.int64(types.int64, types.int64), read


@intrinsic
def _address(typing_context, object_):
    return types.int64(passed), lambda context, builder, signature, arguments: arguments[0]


def _pointer(kind):
    @intrinsic
    def to(typing_context, address):
        def cast(context, builder, signature, arguments):
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return types.CPointer(kind)(types.int64), cast

    return to


_reals, _wholes = _pointer(float64), _pointer(uint64)


def reals(array):
    """The numbers of an array of real numbers in a row."""
    return array


@overload(reals)
def _reals_passed(array):
    def seen(array):
        at = _address(array)
        return carray(_reals(_word(at, _DATA)), (_word(_word(at, _SHAPE), 0),))

    return seen


def wholes(array):
    """The numbers of an array of whole numbers in a row, none of them negative."""
    return array


@overload(wholes)
def _wholes_passed(array):
    def seen(array):
        at = _address(array)
        return carray(_wholes(_word(at, _DATA)), (_word(_word(at, _SHAPE), 0),))

    return seen


def alike(array, other, size):
    """Whether something is an array in a row of that size, of the same numbers as another array."""
    return isinstance(array, np.ndarray) and array.dtype == other.dtype and array.shape == (size,)


@overload(alike)
def _alike_passed(array, other, size):
    def are(array, other, size):
        a, b = _address(array), _address(other)
        if _word(a, _TYPE) != _word(b, _TYPE) or _word(a, _DTYPE) != _word(b, _DTYPE):
            return False
        axes, flags = _word(a, _AXES) & 0xFFFFFFFF, _word(a, _FLAGS)
        if axes != 1 or flags & _IN_A_ROW != _IN_A_ROW:
            return False
        return _word(_word(a, _SHAPE), 0) == np.int64(size)

    return are
