"""Direct access to the data of NumPy arrays that Python passes.

Numba's own conversion of an array argument counts references, and takes as long as one link of a chain. Here
compiled code receives the address of the object and reads the fields that NumPy's C interface guarantees:
type, data pointer, dimensions, dtype and flags. As plain Python the functions take the arrays themselves.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import carray, types
from numba.extending import NativeValue, intrinsic, models, overload, register_model, unbox
from numpy.typing import NDArray

from rbnotes.arguments import Array
from rbnotes.compiled.decorators import Decorator

# Offsets in a PyArrayObject; the type is the last field of every object's header.
_OBJECT_SIZE = object.__basicsize__
_TYPE, _DATA, _NDIM, _SHAPE, _DTYPE, _FLAGS = (
    _OBJECT_SIZE - 8,
    _OBJECT_SIZE,
    _OBJECT_SIZE + 8,
    _OBJECT_SIZE + 16,
    _OBJECT_SIZE + 40,
    _OBJECT_SIZE + 48,
)
_CONTIGUOUS_ALIGNED = 0x101  # contiguous and aligned
_WORD_TYPE = ir.IntType(64)

_intrinsic: Decorator = intrinsic
"""Compiled code calls the function without its first parameter, the typing context."""


class PyObjectPointer(types.Type):
    """Pointer to a Python object, borrowed from the caller."""

    def __init__(self) -> None:
        super().__init__("PyObjectPointer")


pyobject_pointer = PyObjectPointer()


@register_model(PyObjectPointer)
class _PyObjectPointerModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _WORD_TYPE)


@unbox(PyObjectPointer)
def _unbox_pointer(kind: Any, object_: Any, context: Any) -> Any:
    return NativeValue(context.builder.ptrtoint(object_, _WORD_TYPE))


@_intrinsic
def _load_word(typing_context: Any, address: Any, offset: Any) -> tuple[Any, Callable[..., Any]]:
    def read(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(builder.inttoptr(builder.add(*arguments), _WORD_TYPE.as_pointer()))

    return types.int64(types.int64, types.int64), read


@_intrinsic
def _address(typing_context: Any, object_: Any) -> tuple[Any, Callable[..., Any]]:
    return types.int64(pyobject_pointer), lambda context, builder, signature, arguments: arguments[0]


def _pointer(kind: Any) -> Any:
    """Return the conversion of an address to a pointer to numbers of this type."""

    @_intrinsic
    def to_pointer(typing_context: Any, address: Any) -> tuple[Any, Callable[..., Any]]:
        def cast(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return types.CPointer(kind)(types.int64), cast

    return to_pointer


_float_pointer, _uint_pointer = _pointer(types.float64), _pointer(types.uint64)


def float_view(array: Array) -> Array:
    """Return a one-dimensional view of the data of a C-contiguous float array."""
    return array


@overload(float_view)
def _overload_float_view(array: Any) -> Callable[..., Any]:
    def view(array: Any) -> Any:
        address = _address(array)
        return carray(
            _float_pointer(_load_word(address, _DATA)), (_load_word(_load_word(address, _SHAPE), 0),)
        )

    return view


def uint_view(array: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a one-dimensional view of the data of a C-contiguous array of nonnegative integers."""
    return array


@overload(uint_view)
def _overload_uint_view(array: Any) -> Callable[..., Any]:
    def view(array: Any) -> Any:
        address = _address(array)
        return carray(
            _uint_pointer(_load_word(address, _DATA)), (_load_word(_load_word(address, _SHAPE), 0),)
        )

    return view


def is_vector_like(array: object, other: Array, size: int) -> bool:
    """Return True if `array` is a contiguous vector of this size with the dtype of `other`."""
    return isinstance(array, np.ndarray) and array.dtype == other.dtype and array.shape == (size,)


@overload(is_vector_like)
def _overload_is_vector_like(array: Any, other: Any, size: Any) -> Callable[..., Any]:
    """Return the compiled form of :func:`is_vector_like`, which reads the fields of NumPy's arrays."""

    def compare(array: Any, other: Any, size: Any) -> Any:
        a, b = _address(array), _address(other)
        if _load_word(a, _TYPE) != _load_word(b, _TYPE) or _load_word(a, _DTYPE) != _load_word(b, _DTYPE):
            return False
        axes, flags = _load_word(a, _NDIM) & 0xFFFFFFFF, _load_word(a, _FLAGS)
        if axes != 1 or flags & _CONTIGUOUS_ALIGNED != _CONTIGUOUS_ALIGNED:
            return False
        return _load_word(_load_word(a, _SHAPE), 0) == np.int64(size)

    return compare
