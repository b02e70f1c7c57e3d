"""One number, or eight side by side: the code of the sweeps is written once for both.

Eight numbers are a type of compiled code, which the processor adds and multiplies at once: numbers of eight
states, or of eight elements of one tree. As plain Python they are small arrays. Which of the two a function
reads is told by ``like``, any number of that kind.
"""

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, ConcreteTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model

from rbnotes.kernels._layout import LANES

_LANES = int(LANES)
_DOUBLE, _INDEX = ir.DoubleType(), ir.IntType(32)
_ROW = ir.VectorType(_DOUBLE, _LANES)


class Eight(types.Type):
    """Eight real numbers."""

    def __init__(self):
        super().__init__("Eight")


class Choice(types.Type):
    """Eight answers, yes or no."""

    def __init__(self):
        super().__init__("Choice")


_eight, _choice, _real = Eight(), Choice(), types.float64


@register_model(Eight)
class _EightModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _ROW)


@register_model(Choice)
class _ChoiceModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, ir.VectorType(ir.IntType(1), _LANES))


def _spread(builder, number):
    row = builder.insert_element(ir.Constant(_ROW, ir.Undefined), number, _INDEX(0))
    zeros = ir.Constant(ir.VectorType(_INDEX, _LANES), [0] * _LANES)
    return builder.shuffle_vector(row, ir.Constant(_ROW, ir.Undefined), zeros)


def _rows(builder, kinds, values):
    return [
        value if kind is _eight or isinstance(kind, Eight) else _spread(builder, value)
        for kind, value in zip(kinds, values, strict=True)
    ]


def _arithmetic(function, instruction):
    """An operator for eight numbers, or for eight and one."""
    pairs = ((_eight, _eight), (_eight, _real), (_real, _eight))

    @infer_global(function)
    class _(ConcreteTemplate):
        cases = tuple(signature(_eight, *pair) for pair in pairs)

    for pair in pairs:

        @lower_builtin(function, *pair)
        def lowered(context, builder, signature, values):
            return instruction(builder, *_rows(builder, signature.args, values))


_arithmetic(operator.add, lambda builder, a, b: builder.fadd(a, b))
_arithmetic(operator.sub, lambda builder, a, b: builder.fsub(a, b))
_arithmetic(operator.mul, lambda builder, a, b: builder.fmul(a, b))
_arithmetic(operator.truediv, lambda builder, a, b: builder.fdiv(a, b))


@infer_global(operator.neg)
class _Negative(ConcreteTemplate):
    cases = (signature(_eight, _eight),)


@lower_builtin(operator.neg, _eight)
def _negative(context, builder, signature, values):
    return builder.fsub(ir.Constant(_ROW, [-0.0] * _LANES), values[0])


def _known(function, *kinds):
    """Makes a function of this module known to the compiler: the type of its result by those of arguments."""

    @infer_global(function)
    class _(AbstractTemplate):
        def generic(self, arguments, keywords):
            result = kinds[0](*arguments)
            return signature(result, *(types.unliteral(each) for each in arguments))

    return function


def _each(result):
    """Eight of them if any argument is eight numbers or eight answers."""
    return lambda *kinds: result if any(isinstance(kind, Eight | Choice) for kind in kinds) else None


def _call(builder, name, *values):
    kind = ir.FunctionType(values[0].type, [value.type for value in values])
    suffix = "f64" if values[0].type == _DOUBLE else f"v{_LANES}f64"
    module = builder.module
    found = module.globals.get(f"llvm.{name}.{suffix}") or ir.Function(module, kind, f"llvm.{name}.{suffix}")
    return builder.call(found, values)


def root(x):
    """The square root."""
    return np.sqrt(x)


def size(x):
    """The absolute value."""
    return np.abs(x)


for _function, _name in ((root, "sqrt"), (size, "fabs")):
    _known(_function, lambda kind: _eight if isinstance(kind, Eight) else _real)
    for _kind in (_eight, _real):

        @lower_builtin(_function, _kind)
        def _lowered(context, builder, signature, values, name=_name):
            return _call(builder, name, values[0])


def more(a, b):
    """Whether a is more than b; not, if one of them is no number."""
    return a > b


def choose(which, a, b):
    """a where the answer is yes, else b."""
    return np.where(which, a, b) if isinstance(which, np.ndarray) else (a if which else b)


def eight(number):
    """Eight times the same number."""
    return np.full(_LANES, number)


def sum_of(numbers):
    """All eight numbers, added up."""
    return numbers.sum()


_known(sum_of, lambda numbers: _real)
_known(eight, lambda number: _eight)
_known(more, lambda a, b: _choice if isinstance(a, Eight) or isinstance(b, Eight) else types.boolean)
_known(choose, lambda which, a, b: _eight if isinstance(which, Choice) else _real)


@lower_builtin(sum_of, _eight)
def _sum_of(context, builder, signature, values):
    total = ir.Constant(_DOUBLE, 0.0)
    for lane in range(_LANES):
        total = builder.fadd(total, builder.extract_element(values[0], _INDEX(lane)))
    return total


@lower_builtin(eight, _real)
def _lowered_eight(context, builder, signature, values):
    return _spread(builder, values[0])


@lower_builtin(more, types.Any, types.Any)
def _more(context, builder, signature, values):
    if signature.return_type is types.boolean:
        a, b = (
            context.cast(builder, value, kind, _real)
            for kind, value in zip(signature.args, values, strict=True)
        )
        return builder.fcmp_ordered(">", a, b)
    return builder.fcmp_ordered(">", *_rows(builder, signature.args, values))


@lower_builtin(choose, types.Any, types.Any, types.Any)
def _choose(context, builder, signature, values):
    if isinstance(signature.args[0], Choice):
        return builder.select(values[0], *_rows(builder, signature.args[1:], values[1:]))
    return builder.select(*values)


# Reading and writing. As plain Python, one number is a float.


def _place(context, builder, kind, array, at, row):
    data = context.make_array(kind)(context, builder, array).data
    place = builder.gep(data, [at])
    return builder.bitcast(place, _ROW.as_pointer()) if row else place


def spread(number, like):
    """A number, or eight times the same one."""
    return number if isinstance(like, float) else np.full(_LANES, number)


def read(x, at, like):
    """The number at a place, or the eight from there on."""
    return x[at] if isinstance(like, float) else x[at : at + LANES].copy()


def write(x, at, numbers):
    """What :func:`read` reads."""
    if isinstance(numbers, float):
        x[at] = numbers
    else:
        x[at : at + LANES] = numbers


def pick(x, at, step, like):
    """The number at a place, or eight from there on, that many steps apart."""
    return x[at] if isinstance(like, float) else x[at : at + step * LANES : step].copy()


def leave(x, at, work, o, numbers):
    """Writes one number to its place, or eight to where ``deliver`` takes them from."""
    if isinstance(numbers, float):
        x[at] = numbers
    else:
        work[o : o + LANES] = numbers


def place(element, size, like):
    """Where the numbers of an element start, of one state in between those of others; ``size`` of eight."""
    if isinstance(like, float):
        return element // LANES * size + element % LANES
    return element * size


def either(one, eight, like):
    """A whole number for one number, or that for eight."""
    return one if isinstance(like, float) else eight


_known(place, lambda element, size, like: types.uint64)
_known(either, lambda one, eight, like: types.uint64)
_known(spread, lambda number, like: like)
_known(read, lambda x, at, like: like)
_known(write, lambda x, at, numbers: types.none)
_known(pick, lambda x, at, step, like: like)
_known(leave, lambda x, at, work, o, numbers: types.none)


@lower_builtin(spread, _real, _real)
@lower_builtin(spread, _real, _eight)
def _spread_like(context, builder, signature, values):
    return values[0] if signature.args[1] == _real else _spread(builder, values[0])


@lower_builtin(read, types.Array, types.Integer, _real)
@lower_builtin(read, types.Array, types.Integer, _eight)
def _read(context, builder, signature, values):
    row = isinstance(signature.args[2], Eight)
    return builder.load(_place(context, builder, signature.args[0], *values[:2], row), align=8)


@lower_builtin(write, types.Array, types.Integer, _real)
@lower_builtin(write, types.Array, types.Integer, _eight)
def _write(context, builder, signature, values):
    row = isinstance(signature.args[2], Eight)
    builder.store(values[2], _place(context, builder, signature.args[0], *values[:2], row), align=8)
    return context.get_dummy_value()


def _steps(builder, at, step, row):
    for lane in range(_LANES if row else 1):
        yield lane, builder.add(at, builder.mul(step, step.type(lane)))


@lower_builtin(pick, types.Array, types.Integer, types.Integer, _real)
@lower_builtin(pick, types.Array, types.Integer, types.Integer, _eight)
def _pick(context, builder, signature, values):
    row = isinstance(signature.args[3], Eight)
    result = ir.Constant(_ROW, ir.Undefined)
    for lane, at in _steps(builder, *values[1:3], row):
        number = builder.load(_place(context, builder, signature.args[0], values[0], at, False))
        if not row:
            return number
        result = builder.insert_element(result, number, _INDEX(lane))
    return result


@lower_builtin(leave, types.Array, types.Integer, types.Array, types.Integer, _real)
@lower_builtin(leave, types.Array, types.Integer, types.Array, types.Integer, _eight)
def _leave(context, builder, signature, values):
    row = isinstance(signature.args[4], Eight)
    where = 2 if row else 0
    to = _place(context, builder, signature.args[where], *values[where : where + 2], row)
    builder.store(values[4], to, align=8)
    return context.get_dummy_value()


@lower_builtin(place, types.uint64, types.uint64, _real)
@lower_builtin(place, types.uint64, types.uint64, _eight)
def _place_of(context, builder, signature, values):
    element, size, _ = values
    if isinstance(signature.args[2], Eight):
        return builder.mul(element, size)
    lanes = element.type(_LANES)
    return builder.add(builder.mul(builder.udiv(element, lanes), size), builder.urem(element, lanes))


@lower_builtin(either, types.uint64, types.uint64, _real)
@lower_builtin(either, types.uint64, types.uint64, _eight)
def _either(context, builder, signature, values):
    return values[1] if isinstance(signature.args[2], Eight) else values[0]
