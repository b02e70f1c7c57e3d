"""Allocation of arrays in compiled code.

Numba compiles a function of its own for each dtype and each shape with which ``np.empty`` or ``np.zeros`` is
called; that takes longer than the functions that call them. Here the allocation is a few instructions.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_new_ref
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin
from numba.np.arrayobj import populate_array


def empty(shape: Any, dtype: Any = np.float64) -> Any:
    """Return an uninitialized array."""
    return np.empty(shape, dtype)


def zeros(shape: Any, dtype: Any = np.float64) -> Any:
    """Return an array of zeros."""
    return np.zeros(shape, dtype)


@infer_global(empty)
@infer_global(zeros)
class _AllocationTemplate(AbstractTemplate):
    def generic(self, arguments: Any, keywords: Any) -> Any:
        shape = arguments[0]
        ndim = len(shape) if isinstance(shape, types.BaseTuple) else 1
        dtype = arguments[1].dtype if len(arguments) > 1 else types.float64
        return signature(types.Array(dtype, ndim, "C"), *(types.unliteral(each) for each in arguments))


def _allocate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Emit the allocation; return the array."""
    kind, shape_type, intp = signature.return_type, signature.args[0], types.intp
    is_vector = not isinstance(shape_type, types.BaseTuple)
    lengths = [arguments[0]] if is_vector else cgutils.unpack_tuple(builder, arguments[0])
    length_types = [shape_type] if is_vector else shape_type.types
    shape = [
        context.cast(builder, length, each, intp) for length, each in zip(lengths, length_types, strict=True)
    ]
    data_type = context.get_data_type(kind.dtype)
    item_size = context.get_constant(intp, context.get_abi_sizeof(data_type))
    strides, stride = list(shape), item_size
    for axis in reversed(range(len(shape))):
        strides[axis] = stride
        stride = builder.mul(stride, shape[axis])
    alignment = context.get_preferred_array_alignment(kind.dtype)
    owner = context.nrt.meminfo_alloc_aligned(builder, stride, alignment)  # raises MemoryError
    data = builder.bitcast(context.nrt.meminfo_data(builder, owner), data_type.as_pointer())
    array = context.make_array(kind)(context, builder)
    populate_array(array, data, shape, strides, item_size, owner)
    return array


@lower_builtin(empty, types.Any)
@lower_builtin(empty, types.Any, types.Any)
def _lower_empty(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = _allocate(context, builder, signature, arguments)
    return impl_ret_new_ref(context, builder, signature.return_type, array._getvalue())


@lower_builtin(zeros, types.Any)
@lower_builtin(zeros, types.Any, types.Any)
def _lower_zeros(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = _allocate(context, builder, signature, arguments)
    size = builder.mul(array.itemsize, array.nitems)
    cgutils.memset(builder, array.data, size, ir.IntType(8)(0))
    return impl_ret_new_ref(context, builder, signature.return_type, array._getvalue())
