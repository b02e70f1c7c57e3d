"""Numbers of eight states, out of the arrays of many states and back into them.

In those arrays the numbers of a state stand side by side; the sweeps need those of eight states side by side.
"""

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin

from rbnotes.kernels._layout import LANES, ONE
from rbnotes.kernels._numbers import _INDEX, _LANES, _ROW, _known, _place, _steps


def collect(x, at, step, count, work, o, apart):
    """Up to eight numbers side by side, of eight rows: those of all rows side by side, each ``apart``."""
    for i in range(count):
        work[o + i * apart : o + i * apart + LANES] = x[at + i : at + i + step * LANES : step]


def fetch(x, at):
    """Asks for eight numbers side by side, without waiting; they may lie behind the end."""


def deliver(x, at, step, count, work, o, apart):
    """Puts back what :func:`collect` reads."""
    for i in range(count):
        x[at + i : at + i + step * (LANES - ONE) + ONE : step] = work[o + i * apart : o + i * apart + LANES]


_known(collect, lambda x, at, step, count, work, o, apart: types.none)
_known(fetch, lambda x, at: types.none)
_known(deliver, lambda x, at, step, count, work, o, apart: types.none)


def _transposed(builder, rows):
    """Eight rows of eight numbers as columns: in blocks of four, of two, of one."""
    lanes = range(int(LANES))
    for size in (4, 2, 1):
        masks = (
            [lane + 8 - size if lane & size else lane for lane in lanes],
            [lane + 8 if lane & size else lane + size for lane in lanes],
        )
        first, second = (ir.Constant(ir.VectorType(_INDEX, int(LANES)), mask) for mask in masks)
        for i in lanes:
            if not i & size:
                pair = rows[i], rows[i + size]
                rows[i] = builder.shuffle_vector(*pair, first)
                rows[i + size] = builder.shuffle_vector(*pair, second)
    return rows


def _masked(builder, name, result, *values):
    """Access to the first of eight numbers, as many as there are; the others are not touched."""
    kind = ir.FunctionType(result, [value.type for value in values])
    name = f"llvm.masked.{name}.v{_LANES}f64.p0v{_LANES}f64"
    return builder.call(builder.module.globals.get(name) or ir.Function(builder.module, kind, name), values)


def _first(builder, count):
    lanes = ir.Constant(ir.VectorType(count.type, _LANES), list(range(_LANES)))
    row = builder.insert_element(ir.Constant(lanes.type, ir.Undefined), count, _INDEX(0))
    zeros = ir.Constant(ir.VectorType(_INDEX, _LANES), [0] * _LANES)
    return builder.icmp_unsigned("<", lanes, builder.shuffle_vector(row, row, zeros))


_READ, _NEAR, _DATA = 0, 2, 1
"""What a prefetch is for, how near it brings things, and what they are: data, for the second cache."""

_BLOCK = (types.Array, *3 * [types.Integer], types.Array, *2 * [types.Integer])


@lower_builtin(collect, *_BLOCK)
def _collect(context, builder, signature, values):
    (x, at, step, count, work, o, apart), kinds = values, signature.args
    aligned, mask, rows = _INDEX(8), _first(builder, count), []
    for _, begin in _steps(builder, at, step, True):
        begin = _place(context, builder, kinds[0], x, begin, True)
        rows.append(_masked(builder, "load", _ROW, begin, aligned, mask, ir.Constant(_ROW, [0.0] * _LANES)))
    columns = _transposed(builder, rows)
    for i, to in _steps(builder, o, apart, True):
        builder.store(columns[i], _place(context, builder, kinds[4], work, to, True), align=8)
    return context.get_dummy_value()


@lower_builtin(deliver, *_BLOCK)
def _deliver(context, builder, signature, values):
    (x, at, step, count, work, o, apart), kinds = values, signature.args
    aligned, mask = _INDEX(8), _first(builder, count)
    rows = [
        builder.load(_place(context, builder, kinds[4], work, begin, True), align=8)
        for _, begin in _steps(builder, o, apart, True)
    ]
    columns = _transposed(builder, rows)
    for i, to in _steps(builder, at, step, True):
        to = _place(context, builder, kinds[0], x, to, True)
        _masked(builder, "store", ir.VoidType(), columns[i], to, aligned, mask)
    return context.get_dummy_value()


@lower_builtin(fetch, types.Array, types.Integer)
def _fetch(context, builder, signature, values):
    byte = ir.IntType(8).as_pointer()
    kind, name = ir.FunctionType(ir.VoidType(), [byte, *3 * [_INDEX]]), "llvm.prefetch.p0i8"
    prefetch = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    begin = builder.bitcast(_place(context, builder, signature.args[0], *values, False), byte)
    builder.call(prefetch, [begin, *(_INDEX(kind) for kind in (_READ, _NEAR, _DATA))])
    return context.get_dummy_value()
