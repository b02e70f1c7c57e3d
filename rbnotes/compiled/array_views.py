"""Multidimensional views of a part of a flat array.

NumPy's slices and reshapes check strides and bounds, which costs much compiled code for contiguous data.
"""

import math
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin
from numba.np.arrayobj import populate_array


def view_at(x: Any, start: int, shape: tuple[int, ...]) -> tuple[Any, int]:
    """Return a view of this shape at index `start` of a flat array, and the index after it."""
    end = start + math.prod(shape)
    return x[start:end].reshape(shape), end


@infer_global(view_at)
class _ViewAtTemplate(AbstractTemplate):
    def generic(self, arguments: Any, keywords: Any) -> Any:
        x, _, shape = arguments
        result = types.Tuple((types.Array(x.dtype, len(shape), "C"), types.intp))
        return signature(result, x, types.intp, types.UniTuple(types.intp, len(shape)))


@lower_builtin(view_at, types.Array, types.intp, types.UniTuple)
def _lower_view_at(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Emit the view: an array with the data, shape and strides, and the index after it."""
    array_type, view_type = signature.args[0], signature.return_type[0]
    flat_array = context.make_array(array_type)(context, builder, arguments[0])
    data = builder.gep(flat_array.data, [arguments[1]])
    int64 = ir.IntType(64)
    item_size = int64(context.get_abi_sizeof(context.get_data_type(array_type.dtype)))
    shape, stride = cgutils.unpack_tuple(builder, arguments[2]), item_size
    strides = list(shape)
    for axis in reversed(range(len(shape))):
        strides[axis] = stride
        stride = builder.mul(stride, shape[axis])
    view = context.make_array(view_type)(context, builder)
    populate_array(view, data, shape, strides, item_size, None)
    end = builder.add(arguments[1], builder.udiv(stride, item_size))
    return context.make_tuple(builder, signature.return_type, (view._getvalue(), end))
