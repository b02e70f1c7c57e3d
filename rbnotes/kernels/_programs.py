"""Programs without loops or branches, on eight numbers at a time: what joints given as functions are.

A program is a list of operations. Machine code is made from the list itself, not from Python that says the
same, which would take ten times as long; as plain Python the list is worked off.
"""

import math
import operator
from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

from rbnotes.kernels._algebra import OPTIONS, sine_cosine
from rbnotes.kernels._layout import (
    BASE,
    COORDINATES,
    FIXED,
    FREEDOM,
    JOINT_ROW,
    JOINT_TABLE,
    JOINTS,
    LANES,
    MARGINS,
    ONE,
    RESULTS,
    STATES,
    STRIDE,
    VECTORS,
    WIDTH,
    ZERO,
    U,
)
from rbnotes.kernels._numbers import _INDEX, _ROW, Eight, _call
from rbnotes.kernels._passed import alike, passed, reals, wholes
from rbnotes.kernels._states import _transposed


class Program(NamedTuple):
    """Operations on numbers, each on the results of some before it; the first numbers are the inputs."""

    inputs: int
    steps: tuple[tuple[str, tuple[int, ...]], ...]
    outputs: tuple[int, ...]


PROGRAMS: dict[int, Program] = {}
"""All that there are, by a number that tells them apart."""

_eight = Eight()


def _by_machine(instruction):
    """An operation that the processor does for eight numbers at once."""

    def emitted(context, builder, *values):
        return getattr(builder, instruction)(*values)

    return emitted


def _by_library(function):
    """A function of Python's, for one number after the other."""

    def emitted(context, builder, *values):
        kind = signature(types.float64, *(types.float64 for _ in values))
        one, result = context.get_function(function, kind), ir.Constant(_ROW, ir.Undefined)
        for lane in range(int(LANES)):
            found = one(builder, [builder.extract_element(value, _INDEX(lane)) for value in values])
            result = builder.insert_element(result, found, _INDEX(lane))
        return result

    return emitted


def _by_intrinsic(name):
    def emitted(context, builder, value):
        return _call(builder, name, value)

    return emitted


def _row(number):
    return ir.Constant(_ROW, [number] * int(LANES))


def _by_sign(context, builder, value):
    below = builder.select(builder.fcmp_ordered("<", value, _row(0.0)), _row(-1.0), value)
    return builder.select(builder.fcmp_ordered(">", value, _row(0.0)), _row(1.0), below)


OPERATIONS = {
    "OP_ADD": (operator.add, _by_machine("fadd")),
    "OP_SUB": (operator.sub, _by_machine("fsub")),
    "OP_MUL": (operator.mul, _by_machine("fmul")),
    "OP_DIV": (operator.truediv, _by_machine("fdiv")),
    "OP_NEG": (operator.neg, _by_machine("fneg")),
    "OP_SQ": (np.square, lambda context, builder, value: builder.fmul(value, value)),
    "OP_TWICE": (lambda value: value + value, lambda context, builder, value: builder.fadd(value, value)),
    "OP_INV": (np.reciprocal, lambda context, builder, value: builder.fdiv(_row(1.0), value)),
    "OP_SQRT": (np.sqrt, _by_intrinsic("sqrt")),
    "OP_FABS": (np.abs, _by_intrinsic("fabs")),
    "OP_SIGN": (np.sign, _by_sign),
    "OP_POW": (np.power, _by_library(math.pow)),
    "OP_CONSTPOW": (np.power, _by_library(math.pow)),
    "OP_ATAN2": (np.arctan2, _by_library(math.atan2)),
    "OP_HYPOT": (np.hypot, _by_library(math.hypot)),
    "OP_ASIN": (np.arcsin, _by_library(math.asin)),
    "OP_ACOS": (np.arccos, _by_library(math.acos)),
    "OP_ATAN": (np.arctan, _by_library(math.atan)),
    "OP_ASINH": (np.arcsinh, _by_library(math.asinh)),
    "OP_ACOSH": (np.arccosh, _by_library(math.acosh)),
    "OP_ATANH": (np.arctanh, _by_library(math.atanh)),
    "OP_EXP": (np.exp, _by_library(math.exp)),
    "OP_EXPM1": (np.expm1, _by_library(math.expm1)),
    "OP_LOG": (np.log, _by_library(math.log)),
    "OP_LOG1P": (np.log1p, _by_library(math.log1p)),
    "OP_TAN": (np.tan, _by_library(math.tan)),
    "OP_SINH": (np.sinh, _by_library(math.sinh)),
    "OP_COSH": (np.cosh, _by_library(math.cosh)),
    "OP_TANH": (np.tanh, _by_library(math.tanh)),
}
"""As Python on small arrays, and as machine code."""

TURNS = ("OP_SIN", "OP_COS")
"""Operations for which there is one function of both."""


def computed(key, x):
    """Runs a program: in an array are eight rows of inputs, behind them it puts eight rows of outputs.

    Rows have as many places as go in eights.
    """
    program, lanes = PROGRAMS[key], int(LANES)
    width = eights(program.inputs)
    values = list(x[: lanes * width].reshape(lanes, width).T[: program.inputs].copy())
    with np.errstate(all="ignore"):
        for name, of in program.steps:
            given = [values[i] for i in of]
            found = sine_cosine(*given)[TURNS.index(name)] if name in TURNS else OPERATIONS[name][0](*given)
            values.append(found)
    outputs = x[lanes * width :].reshape(lanes, eights(len(program.outputs)))
    outputs[:, : len(program.outputs)] = np.stack([values[which] for which in program.outputs], axis=1)


def eights(count):
    """The next multiple of eight."""
    return -(-count // int(LANES)) * int(LANES)


@infer_global(computed)
class _Computed(AbstractTemplate):
    prefer_literal = True

    def generic(self, arguments, keywords):
        return signature(types.none, *arguments)


@lower_builtin(computed, types.IntegerLiteral, types.Array)
def _lowered_computed(context, builder, kinds, arguments):
    program = PROGRAMS[kinds.args[0].literal_value]
    data, lanes = context.make_array(kinds.args[1])(context, builder, arguments[1]).data, int(LANES)

    def eight(place):
        return builder.bitcast(builder.gep(data, [ir.IntType(64)(place)]), _ROW.as_pointer())

    values, turns = [], {}
    width = eights(program.inputs)
    for first in range(0, width, lanes):
        rows = [builder.load(eight(lane * width + first), align=8) for lane in range(lanes)]
        values += _transposed(builder, rows)
    del values[program.inputs :]
    both = signature(types.UniTuple(_eight, 2), _eight)
    for name, of in program.steps:
        if name in TURNS:
            if of not in turns:
                turns[of] = context.compile_internal(builder, sine_cosine.py_func, both, [values[of[0]]])
            values.append(builder.extract_value(turns[of], TURNS.index(name)))
        else:
            values.append(OPERATIONS[name][1](context, builder, *(values[i] for i in of)))
    start, width = lanes * width, eights(len(program.outputs))
    places = [
        *program.outputs,
        *program.outputs[: width - len(program.outputs)],
    ]  # of which the last ones are idle
    for first in range(0, width, lanes):
        columns = _transposed(builder, [values[which] for which in places[first : first + lanes]])
        for lane, column in enumerate(columns):
            builder.store(column, eight(start + lane * width + first), align=8)
    return context.get_dummy_value()


def function(failed, key):
    """The function that Python calls for a program."""

    def joints_given(table, constants, room, q, v, a, out):
        """What the program gives of all joints of a group in all states; whether something is wrong."""
        whole, numbers = wholes(table), reals(constants)
        states, size, joints = whole[STATES], whole[COORDINATES], whole[JOINTS]
        if not (alike(q, constants, states * size) and alike(v, constants, states * size)):
            return failed
        q, v, a, out, work = reals(q), reals(v), reals(a), reals(out), reals(room)
        m, fixed, total, vectors = whole[FREEDOM], whole[FIXED], states * joints, whole[VECTORS]
        results, wide = whole[RESULTS], U(work.size) // LANES
        width = whole[WIDTH]
        for first in range(ZERO, total, LANES):
            for lane in range(LANES):
                each = min(first + lane, total - ONE)  # the last one fills up the lanes
                state = each // joints if states > ONE else ZERO
                joint = each - state * joints
                begin, to = state * size + whole[JOINT_TABLE + joint * JOINT_ROW], lane * width
                for c in range(fixed):
                    work[to + c] = numbers[ONE + joint * fixed + c]
                for c in range(m):
                    work[to + fixed + c] = q[begin + c]
                    work[to + fixed + m + c] = v[begin + c]
                if vectors > U(2):
                    for c in range(m):
                        work[to + fixed + U(2) * m + c] = a[begin + c]
            computed(key, work)
            for lane in range(min(LANES, total - first)):
                each = first + lane
                state = each // joints if states > ONE else ZERO
                joint = each - state * joints
                begin = whole[BASE] + state * whole[STRIDE] + whole[JOINT_TABLE + joint * JOINT_ROW + ONE]
                of = LANES * width + lane * (wide - width)
                for c in range(results):
                    out[begin + c] = work[of + c]
                for c in range(whole[MARGINS]):
                    if not abs(work[of + results + c]) >= numbers[ZERO]:
                        return failed
        return 0

    # Files on disk are named by it. Of one name for all programs, two processes that compile at the same time
    # may both take the same number, and one finds the other's code under its own program.
    joints_given.__qualname__ = f"joints_given_{key:x}"
    return njit(cache=True, nogil=True, **OPTIONS)(joints_given)


def signature_of(function):
    """All arguments are arrays as they are passed."""
    return types.int64(*(passed for _ in range(function.__code__.co_argcount)))
