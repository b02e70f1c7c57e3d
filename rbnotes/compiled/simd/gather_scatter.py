"""Transposition between arrays of states and vectors of eight states.

The numbers of a state are contiguous in the arrays; the sweeps need those of eight states side by side.
"""

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin

from rbnotes.compiled.simd.lanes import (
    INDEX_TYPE,
    NUM_LANES,
    VECTOR_TYPE,
    element_pointer,
    lane_offsets,
    register_function,
)
from rbnotes.compiled.tree_layout import LANES, ONE


def gather(x, start, step, count, work, o, stride):
    """Read up to eight contiguous numbers of each of eight rows, and write them transposed."""
    for i in range(count):
        work[o + i * stride : o + i * stride + LANES] = x[start + i : start + i + step * LANES : step]


def prefetch(x, start):
    """Prefetch eight contiguous numbers, which may lie beyond the end."""


def scatter(x, start, step, count, work, o, stride):
    """Write values back to the places from which :func:`gather` reads them."""
    for i in range(count):
        x[start + i : start + i + step * (LANES - ONE) + ONE : step] = work[
            o + i * stride : o + i * stride + LANES
        ]


register_function(gather, lambda x, start, step, count, work, o, stride: types.none)
register_function(prefetch, lambda x, start: types.none)
register_function(scatter, lambda x, start, step, count, work, o, stride: types.none)


def transpose_vectors(builder, rows):
    """Transpose an 8 x 8 matrix, in blocks of four, two and one."""
    lanes = range(int(LANES))
    for size in (4, 2, 1):
        masks = (
            [lane + 8 - size if lane & size else lane for lane in lanes],
            [lane + 8 if lane & size else lane + size for lane in lanes],
        )
        first, second = (ir.Constant(ir.VectorType(INDEX_TYPE, int(LANES)), mask) for mask in masks)
        for i in lanes:
            if not i & size:
                pair = rows[i], rows[i + size]
                rows[i] = builder.shuffle_vector(*pair, first)
                rows[i + size] = builder.shuffle_vector(*pair, second)
    return rows


def _masked_access(builder, name, result, *values):
    """Build a masked access to the first numbers of a vector."""
    kind = ir.FunctionType(result, [value.type for value in values])
    name = f"llvm.masked.{name}.v{NUM_LANES}f64.p0v{NUM_LANES}f64"
    return builder.call(builder.module.globals.get(name) or ir.Function(builder.module, kind, name), values)


def _first_lanes_mask(builder, count):
    lanes = ir.Constant(ir.VectorType(count.type, NUM_LANES), list(range(NUM_LANES)))
    row = builder.insert_element(ir.Constant(lanes.type, ir.Undefined), count, INDEX_TYPE(0))
    zeros = ir.Constant(ir.VectorType(INDEX_TYPE, NUM_LANES), [0] * NUM_LANES)
    return builder.icmp_unsigned("<", lanes, builder.shuffle_vector(row, row, zeros))


_PREFETCH_READ, _PREFETCH_LOCALITY, _PREFETCH_DATA = 0, 2, 1
"""Arguments of LLVM's prefetch: read access, second-level cache, data."""

_GATHER_ARGUMENTS = (types.Array, *3 * [types.Integer], types.Array, *2 * [types.Integer])


@lower_builtin(gather, *_GATHER_ARGUMENTS)
def _lower_gather(context, builder, signature, values):
    (x, start, step, count, work, o, stride), kinds = values, signature.args
    aligned, mask, rows = INDEX_TYPE(8), _first_lanes_mask(builder, count), []
    for _, begin in lane_offsets(builder, start, step, True):
        begin = element_pointer(context, builder, kinds[0], x, begin, True)
        rows.append(
            _masked_access(
                builder,
                "load",
                VECTOR_TYPE,
                begin,
                aligned,
                mask,
                ir.Constant(VECTOR_TYPE, [0.0] * NUM_LANES),
            )
        )
    columns = transpose_vectors(builder, rows)
    for i, offset in lane_offsets(builder, o, stride, True):
        builder.store(columns[i], element_pointer(context, builder, kinds[4], work, offset, True), align=8)
    return context.get_dummy_value()


@lower_builtin(scatter, *_GATHER_ARGUMENTS)
def _lower_scatter(context, builder, signature, values):
    (x, start, step, count, work, o, stride), kinds = values, signature.args
    aligned, mask = INDEX_TYPE(8), _first_lanes_mask(builder, count)
    rows = [
        builder.load(element_pointer(context, builder, kinds[4], work, begin, True), align=8)
        for _, begin in lane_offsets(builder, o, stride, True)
    ]
    columns = transpose_vectors(builder, rows)
    for i, offset in lane_offsets(builder, start, step, True):
        pointer = element_pointer(context, builder, kinds[0], x, offset, True)
        _masked_access(builder, "store", ir.VoidType(), columns[i], pointer, aligned, mask)
    return context.get_dummy_value()


@lower_builtin(prefetch, types.Array, types.Integer)
def _lower_prefetch(context, builder, signature, values):
    byte = ir.IntType(8).as_pointer()
    kind, name = ir.FunctionType(ir.VoidType(), [byte, *3 * [INDEX_TYPE]]), "llvm.prefetch.p0i8"
    prefetch = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    begin = builder.bitcast(element_pointer(context, builder, signature.args[0], *values, False), byte)
    builder.call(
        prefetch,
        [begin, *(INDEX_TYPE(kind) for kind in (_PREFETCH_READ, _PREFETCH_LOCALITY, _PREFETCH_DATA))],
    )
    return context.get_dummy_value()
