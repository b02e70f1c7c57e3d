"""SIMD vectors of eight numbers, so that the recursions are written once for one number and for eight.

``Float64x8`` holds the numbers of eight states, or of eight elements of one tree. If numba is disabled it is
a small array. ``like``, any value of the requested type, selects which of both a function reads.
"""

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, ConcreteTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model

from rbnotes.compiled.tree_layout import LANES

NUM_LANES = int(LANES)
_DOUBLE_TYPE, INDEX_TYPE = ir.DoubleType(), ir.IntType(32)
VECTOR_TYPE = ir.VectorType(_DOUBLE_TYPE, NUM_LANES)


class Float64x8(types.Type):
    """Vector of eight float64 numbers."""

    def __init__(self):
        super().__init__("Eight")


class Mask8(types.Type):
    """Vector of eight booleans."""

    def __init__(self):
        super().__init__("Mask8")


_float64x8, _mask8, _real = Float64x8(), Mask8(), types.float64


@register_model(Float64x8)
class _Float64x8Model(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, VECTOR_TYPE)


@register_model(Mask8)
class _Mask8Model(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, ir.VectorType(ir.IntType(1), NUM_LANES))


def _broadcast(builder, number):
    row = builder.insert_element(ir.Constant(VECTOR_TYPE, ir.Undefined), number, INDEX_TYPE(0))
    zeros = ir.Constant(ir.VectorType(INDEX_TYPE, NUM_LANES), [0] * NUM_LANES)
    return builder.shuffle_vector(row, ir.Constant(VECTOR_TYPE, ir.Undefined), zeros)


def _as_vectors(builder, kinds, values):
    return [
        value if kind is _float64x8 or isinstance(kind, Float64x8) else _broadcast(builder, value)
        for kind, value in zip(kinds, values, strict=True)
    ]


def _register_operator(function, instruction):
    """Register an operator for two vectors, or a vector and a scalar."""
    pairs = ((_float64x8, _float64x8), (_float64x8, _real), (_real, _float64x8))

    @infer_global(function)
    class _(ConcreteTemplate):
        cases = tuple(signature(_float64x8, *pair) for pair in pairs)

    for pair in pairs:

        @lower_builtin(function, *pair)
        def emit_instruction(context, builder, signature, values):
            return instruction(builder, *_as_vectors(builder, signature.args, values))


_register_operator(operator.add, lambda builder, a, b: builder.fadd(a, b))
_register_operator(operator.sub, lambda builder, a, b: builder.fsub(a, b))
_register_operator(operator.mul, lambda builder, a, b: builder.fmul(a, b))
_register_operator(operator.truediv, lambda builder, a, b: builder.fdiv(a, b))


@infer_global(operator.neg)
class _Negative(ConcreteTemplate):
    cases = (signature(_float64x8, _float64x8),)


@lower_builtin(operator.neg, _float64x8)
def _lower_negative(context, builder, signature, values):
    return builder.fsub(ir.Constant(VECTOR_TYPE, [-0.0] * NUM_LANES), values[0])


def register_function(function, result_type):
    """Register a function with numba; `result_type` is a function from argument types to the result type."""

    @infer_global(function)
    class _(AbstractTemplate):
        def generic(self, arguments, keywords):
            return signature(result_type(*arguments), *(types.unliteral(each) for each in arguments))

    return function


def call_intrinsic(builder, name, *values):
    """Emit a call of an LLVM intrinsic on floats or vectors of floats."""
    kind = ir.FunctionType(values[0].type, [value.type for value in values])
    suffix = "f64" if values[0].type == _DOUBLE_TYPE else f"v{NUM_LANES}f64"
    module = builder.module
    intrinsic = module.globals.get(f"llvm.{name}.{suffix}") or ir.Function(
        module, kind, f"llvm.{name}.{suffix}"
    )
    return builder.call(intrinsic, values)


def sqrt(x):
    """Return the square root."""
    return np.sqrt(x)


def absolute(x):
    """Return the absolute value."""
    return np.abs(x)


for _function, _name in ((sqrt, "sqrt"), (absolute, "fabs")):
    register_function(_function, lambda kind: _float64x8 if isinstance(kind, Float64x8) else _real)
    for _kind in (_float64x8, _real):

        @lower_builtin(_function, _kind)
        def _emit_intrinsic(context, builder, signature, values, name=_name):
            return call_intrinsic(builder, name, values[0])


def greater(a, b):
    """Return True where a > b; False if one of them is NaN."""
    return a > b


def select(condition, a, b):
    """Return a where the condition holds, else b."""
    return np.where(condition, a, b) if isinstance(condition, np.ndarray) else (a if condition else b)


def broadcast8(number):
    """Return a vector of eight equal numbers."""
    return np.full(NUM_LANES, number)


def sum_lanes(numbers):
    """Return the sum of the eight numbers."""
    return numbers.sum()


register_function(sum_lanes, lambda numbers: _real)
register_function(broadcast8, lambda number: _float64x8)
register_function(
    greater, lambda a, b: _mask8 if isinstance(a, Float64x8) or isinstance(b, Float64x8) else types.boolean
)
register_function(select, lambda which, a, b: _float64x8 if isinstance(which, Mask8) else _real)


@lower_builtin(sum_lanes, _float64x8)
def _lower_sum_lanes(context, builder, signature, values):
    lanes = [builder.extract_element(values[0], INDEX_TYPE(lane)) for lane in range(NUM_LANES)]
    while len(lanes) > 1:  # in pairs: fewer additions wait for each other
        half = len(lanes) // 2
        lanes = [builder.fadd(a, b) for a, b in zip(lanes[:half], lanes[half:], strict=True)]
    return lanes[0]


@lower_builtin(broadcast8, _real)
def _lower_broadcast8(context, builder, signature, values):
    return _broadcast(builder, values[0])


@lower_builtin(greater, types.Any, types.Any)
def _lower_greater(context, builder, signature, values):
    if signature.return_type is types.boolean:
        a, b = (
            context.cast(builder, value, kind, _real)
            for kind, value in zip(signature.args, values, strict=True)
        )
        return builder.fcmp_ordered(">", a, b)
    return builder.fcmp_ordered(">", *_as_vectors(builder, signature.args, values))


@lower_builtin(select, types.Any, types.Any, types.Any)
def _lower_select(context, builder, signature, values):
    if isinstance(signature.args[0], Mask8):
        return builder.select(values[0], *_as_vectors(builder, signature.args[1:], values[1:]))
    return builder.select(*values)


# Reads and writes. In plain Python a scalar is a float.


def element_pointer(context, builder, kind, array, index, row):
    """Emit the pointer to an element of an array, or to the vector that starts there if `row`."""
    data = context.make_array(kind)(context, builder, array).data
    pointer = builder.gep(data, [index])
    return builder.bitcast(pointer, VECTOR_TYPE.as_pointer()) if row else pointer


def broadcast_like(number, like):
    """Return the number or a vector of eight equal numbers, of the type of `like`."""
    return number if isinstance(like, float) else np.full(NUM_LANES, number)


def _lanes(index):
    """Return the slice of eight numbers from an index of any integer type."""
    return slice(int(index), int(index) + NUM_LANES)


def read(x, index, like):
    """Read the number at an index or the eight numbers from there, as a value of the type of `like`."""
    return x[index] if isinstance(like, float) else x[_lanes(index)].copy()


def write(x, index, numbers):
    """Write one number or eight numbers at an index."""
    if isinstance(numbers, float):
        x[index] = numbers
    else:
        x[_lanes(index)] = numbers


def read_strided(x, index, step, like):
    """Read the number at an index or eight numbers from there with a stride, as the type of `like`."""
    return x[index] if isinstance(like, float) else x[index : index + step * LANES : step].copy()


def write_result(x, index, work, o, numbers):
    """Write one number to its index in x, or eight numbers to `work`, from which they are scattered later."""
    if isinstance(numbers, float):
        x[index] = numbers
    else:
        work[o : o + LANES] = numbers


def element_offset(element, size, like):
    """Return the offset of an element whose record has this size, for the type of `like`.

    For scalars eight elements are interleaved in a group; for vectors each number has eight states.
    """
    if isinstance(like, float):
        return element // LANES * size + element % LANES
    return element * size


def select_by_width(scalar, vector, like):
    """Return `scalar` if `like` is a float, `vector` if it is a vector."""
    return scalar if isinstance(like, float) else vector


register_function(element_offset, lambda element, size, like: types.uint64)
register_function(select_by_width, lambda one, eight, like: types.uint64)
register_function(broadcast_like, lambda number, like: like)
register_function(read, lambda x, index, like: like)
register_function(write, lambda x, index, numbers: types.none)
register_function(read_strided, lambda x, index, step, like: like)
register_function(write_result, lambda x, index, work, o, numbers: types.none)


@lower_builtin(broadcast_like, _real, _real)
@lower_builtin(broadcast_like, _real, _float64x8)
def _lower_broadcast_like(context, builder, signature, values):
    return values[0] if signature.args[1] == _real else _broadcast(builder, values[0])


@lower_builtin(read, types.Array, types.Integer, _real)
@lower_builtin(read, types.Array, types.Integer, _float64x8)
def _lower_read(context, builder, signature, values):
    row = isinstance(signature.args[2], Float64x8)
    return builder.load(element_pointer(context, builder, signature.args[0], *values[:2], row), align=8)


@lower_builtin(write, types.Array, types.Integer, _real)
@lower_builtin(write, types.Array, types.Integer, _float64x8)
def _lower_write(context, builder, signature, values):
    row = isinstance(signature.args[2], Float64x8)
    builder.store(values[2], element_pointer(context, builder, signature.args[0], *values[:2], row), align=8)
    return context.get_dummy_value()


def lane_offsets(builder, index, step, row):
    """Yield each lane with its offset in the array: one lane for a float, all if `row`."""
    for lane in range(NUM_LANES if row else 1):
        yield lane, builder.add(index, builder.mul(step, step.type(lane)))


@lower_builtin(read_strided, types.Array, types.Integer, types.Integer, _real)
@lower_builtin(read_strided, types.Array, types.Integer, types.Integer, _float64x8)
def _lower_read_strided(context, builder, signature, values):
    row = isinstance(signature.args[3], Float64x8)
    result = ir.Constant(VECTOR_TYPE, ir.Undefined)
    for lane, index in lane_offsets(builder, *values[1:3], row):
        number = builder.load(element_pointer(context, builder, signature.args[0], values[0], index, False))
        if not row:
            return number
        result = builder.insert_element(result, number, INDEX_TYPE(lane))
    return result


@lower_builtin(write_result, types.Array, types.Integer, types.Array, types.Integer, _real)
@lower_builtin(write_result, types.Array, types.Integer, types.Array, types.Integer, _float64x8)
def _lower_write_result(context, builder, signature, values):
    row = isinstance(signature.args[4], Float64x8)
    first = 2 if row else 0
    pointer = element_pointer(context, builder, signature.args[first], *values[first : first + 2], row)
    builder.store(values[4], pointer, align=8)
    return context.get_dummy_value()


@lower_builtin(element_offset, types.uint64, types.uint64, _real)
@lower_builtin(element_offset, types.uint64, types.uint64, _float64x8)
def _lower_element_offset(context, builder, signature, values):
    element, size, _ = values
    if isinstance(signature.args[2], Float64x8):
        return builder.mul(element, size)
    lanes = element.type(NUM_LANES)
    return builder.add(builder.mul(builder.udiv(element, lanes), size), builder.urem(element, lanes))


@lower_builtin(select_by_width, types.uint64, types.uint64, _real)
@lower_builtin(select_by_width, types.uint64, types.uint64, _float64x8)
def _lower_select_by_width(context, builder, signature, values):
    return values[1] if isinstance(signature.args[2], Float64x8) else values[0]
