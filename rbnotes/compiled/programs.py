"""Straight-line programs on eight numbers at a time, made from joints given as functions.

A program is a list of operations. It is translated directly to LLVM instructions, which is ten times faster
than compiling equivalent Python. If numba is disabled, Python interprets the list.
"""

import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin
from numpy.typing import NDArray

from rbnotes.arguments import Array
from rbnotes.compiled.array_arguments import float_view, is_vector_like, pyobject_pointer, uint_view
from rbnotes.compiled.cache_files import check_cache_files
from rbnotes.compiled.decorators import FMA_OPTIONS
from rbnotes.compiled.simd.gather_scatter import transpose_vectors
from rbnotes.compiled.simd.lanes import INDEX_TYPE, VECTOR_TYPE, Float64x8, call_intrinsic
from rbnotes.compiled.simd.spatial_algebra import sine_cosine
from rbnotes.compiled.tree_layout import (
    INPUT_WIDTH,
    JOINT_CONSTANTS,
    JOINT_COORDINATES,
    JOINT_TABLE_HEADER_SIZE,
    JOINT_TABLE_ROW_SIZE,
    LANES,
    NUM_INPUT_VECTORS,
    NUM_JOINTS,
    NUM_MARGINS,
    NUM_RESULTS,
    NUM_STATE_COORDINATES,
    NUM_STATES,
    ONE,
    RESULT_OFFSET,
    RESULT_STRIDE,
    ZERO,
    U,
)

Emitter = Callable[..., Any]
"""Function of a numba context, an LLVM builder and values that emits the instructions of an operation."""


class Program(NamedTuple):
    """Sequence of operations on numbered values; the first values are the inputs.

    Attributes
    ----------
    inputs
        Number of inputs.
    steps
        Name and indices of the operands of each operation, whose result is the next value.
    outputs
        Indices of the values that are outputs.
    """

    inputs: int
    steps: tuple[tuple[str, tuple[int, ...]], ...]
    outputs: tuple[int, ...]


PROGRAMS: dict[int, Program] = {}
"""All programs by key."""

_float64x8 = Float64x8()


def _instruction(name: str) -> Emitter:
    """Return the builder of a SIMD instruction."""

    def emit(context: Any, builder: Any, *values: Any) -> Any:
        return getattr(builder, name)(*values)

    return emit


def _library_call(function: Callable[..., float]) -> Emitter:
    """Return the builder of a scalar library call for each of eight numbers."""

    def emit(context: Any, builder: Any, *values: Any) -> Any:
        kind = signature(types.float64, *(types.float64 for _ in values))
        scalar_function, result = context.get_function(function, kind), ir.Constant(VECTOR_TYPE, ir.Undefined)
        for lane in range(int(LANES)):
            value = scalar_function(
                builder, [builder.extract_element(value, INDEX_TYPE(lane)) for value in values]
            )
            result = builder.insert_element(result, value, INDEX_TYPE(lane))
        return result

    return emit


def _intrinsic(name: str) -> Emitter:
    """Return the builder of a call of an LLVM intrinsic."""

    def emit(context: Any, builder: Any, *values: Any) -> Any:
        return call_intrinsic(builder, name, *values)

    return emit


def _constant_vector(number: float) -> Any:
    return ir.Constant(VECTOR_TYPE, [number] * int(LANES))


def _sign(context: Any, builder: Any, value: Any) -> Any:
    below = builder.select(
        builder.fcmp_ordered("<", value, _constant_vector(0.0)), _constant_vector(-1.0), value
    )
    return builder.select(
        builder.fcmp_ordered(">", value, _constant_vector(0.0)), _constant_vector(1.0), below
    )


OPERATIONS: dict[str, tuple[Callable[..., Any], Emitter]] = {
    "OP_ADD": (operator.add, _instruction("fadd")),
    "OP_SUB": (operator.sub, _instruction("fsub")),
    "OP_MUL": (operator.mul, _instruction("fmul")),
    "OP_DIV": (operator.truediv, _instruction("fdiv")),
    "OP_NEG": (operator.neg, _instruction("fneg")),
    "OP_SQ": (np.square, lambda context, builder, value: builder.fmul(value, value)),
    "OP_TWICE": (lambda value: value + value, lambda context, builder, value: builder.fadd(value, value)),
    "OP_INV": (np.reciprocal, lambda context, builder, value: builder.fdiv(_constant_vector(1.0), value)),
    "OP_SQRT": (np.sqrt, _intrinsic("sqrt")),
    "OP_FABS": (np.abs, _intrinsic("fabs")),
    "OP_SIGN": (np.sign, _sign),
    "OP_POW": (np.power, _library_call(math.pow)),
    "OP_CONSTPOW": (np.power, _library_call(math.pow)),
    "OP_ATAN2": (np.arctan2, _library_call(math.atan2)),
    "OP_HYPOT": (np.hypot, _library_call(math.hypot)),
    "OP_ASIN": (np.arcsin, _library_call(math.asin)),
    "OP_ACOS": (np.arccos, _library_call(math.acos)),
    "OP_ATAN": (np.arctan, _library_call(math.atan)),
    "OP_ASINH": (np.arcsinh, _library_call(math.asinh)),
    "OP_ACOSH": (np.arccosh, _library_call(math.acosh)),
    "OP_ATANH": (np.arctanh, _library_call(math.atanh)),
    "OP_EXP": (np.exp, _library_call(math.exp)),
    "OP_EXPM1": (np.expm1, _library_call(math.expm1)),
    "OP_LOG": (np.log, _library_call(math.log)),
    "OP_LOG1P": (np.log1p, _library_call(math.log1p)),
    "OP_TAN": (np.tan, _library_call(math.tan)),
    "OP_SINH": (np.sinh, _library_call(math.sinh)),
    "OP_COSH": (np.cosh, _library_call(math.cosh)),
    "OP_TANH": (np.tanh, _library_call(math.tanh)),
}
"""Each operation on NumPy arrays and as LLVM instructions."""

SINE_COSINE = ("OP_SIN", "OP_COS")
"""Operations that one function evaluates together."""


def run_program(key: int, x: Array) -> None:
    """Run a program on eight rows of inputs in x, and write eight rows of outputs after them.

    The row length is a multiple of eight.
    """
    program, lanes = PROGRAMS[key], int(LANES)
    width = round_up_to_lanes(program.inputs)
    values = list(x[: lanes * width].reshape(lanes, width).T[: program.inputs].copy())
    with np.errstate(all="ignore"):
        for name, operand_indices in program.steps:
            operands = [values[i] for i in operand_indices]
            values.append(
                sine_cosine(*operands)[SINE_COSINE.index(name)]
                if name in SINE_COSINE
                else OPERATIONS[name][0](*operands)
            )
    outputs = x[lanes * width :].reshape(lanes, round_up_to_lanes(len(program.outputs)))
    outputs[:, : len(program.outputs)] = np.stack([values[i] for i in program.outputs], axis=1)


def round_up_to_lanes(count: int) -> int:
    """Round up to a multiple of eight."""
    return -(-count // int(LANES)) * int(LANES)


@infer_global(run_program)
class _RunProgramTemplate(AbstractTemplate):
    prefer_literal = True

    def generic(self, arguments: Any, keywords: Any) -> Any:
        return signature(types.none, *arguments)


@lower_builtin(run_program, types.IntegerLiteral, types.Array)
def _lower_run_program(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
    """Emit the operations of a program on eight rows, which are transposed to one vector for each value."""
    program = PROGRAMS[kinds.args[0].literal_value]
    data, lanes = context.make_array(kinds.args[1])(context, builder, arguments[1]).data, int(LANES)

    def vector_pointer(index: int) -> Any:
        return builder.bitcast(builder.gep(data, [ir.IntType(64)(index)]), VECTOR_TYPE.as_pointer())

    values: list[Any] = []
    sines_cosines: dict[tuple[int, ...], Any] = {}
    width = round_up_to_lanes(program.inputs)
    for first in range(0, width, lanes):
        rows = [builder.load(vector_pointer(lane * width + first), align=8) for lane in range(lanes)]
        values += transpose_vectors(builder, rows)
    del values[program.inputs :]
    both = signature(types.UniTuple(_float64x8, 2), _float64x8)
    for name, operand_indices in program.steps:
        if name in SINE_COSINE:
            if operand_indices not in sines_cosines:
                sines_cosines[operand_indices] = context.compile_internal(
                    builder, sine_cosine.py_func, both, [values[operand_indices[0]]]
                )
            values.append(builder.extract_value(sines_cosines[operand_indices], SINE_COSINE.index(name)))
        else:
            values.append(OPERATIONS[name][1](context, builder, *(values[i] for i in operand_indices)))
    start, width = lanes * width, round_up_to_lanes(len(program.outputs))
    output_indices = [
        *program.outputs,
        *program.outputs[: width - len(program.outputs)],
    ]  # the last lanes are padding
    for first in range(0, width, lanes):
        columns = transpose_vectors(builder, [values[i] for i in output_indices[first : first + lanes]])
        for lane, column in enumerate(columns):
            builder.store(column, vector_pointer(start + lane * width + first), align=8)
    return context.get_dummy_value()


def program_entry(failure: int, key: int) -> Any:
    """Return the function that evaluates a program, for Python to call."""

    def evaluate_joints(
        table: NDArray[np.uint64],
        constants: Array,
        workspace: Array,
        q: Array,
        v: Array,
        a: Array,
        out: Array,
    ) -> int:
        """Evaluate the program for all joints of a group in all states; return 0 or the status of failure."""
        integers, floats = uint_view(table), float_view(constants)
        states, size, joints = integers[NUM_STATES], integers[NUM_STATE_COORDINATES], integers[NUM_JOINTS]
        if not (is_vector_like(q, constants, states * size) and is_vector_like(v, constants, states * size)):
            return failure
        q, v, a, out, work = (
            float_view(q),
            float_view(v),
            float_view(a),
            float_view(out),
            float_view(workspace),
        )
        num_coordinates, num_constants, total, num_input_vectors = (
            integers[JOINT_COORDINATES],
            integers[JOINT_CONSTANTS],
            states * joints,
            integers[NUM_INPUT_VECTORS],
        )
        results, workspace_width = integers[NUM_RESULTS], U(work.size) // LANES
        width = integers[INPUT_WIDTH]
        for first in range(ZERO, total, LANES):
            for lane in range(LANES):
                index = min(first + lane, total - ONE)  # the last joint pads the lanes
                state = index // joints if states > ONE else ZERO
                joint = index - state * joints
                begin, input_start = (
                    state * size + integers[JOINT_TABLE_HEADER_SIZE + joint * JOINT_TABLE_ROW_SIZE],
                    lane * width,
                )
                for c in range(num_constants):
                    work[input_start + c] = floats[ONE + joint * num_constants + c]
                for c in range(num_coordinates):
                    work[input_start + num_constants + c] = q[begin + c]
                    work[input_start + num_constants + num_coordinates + c] = v[begin + c]
                if num_input_vectors > U(2):
                    for c in range(num_coordinates):
                        work[input_start + num_constants + U(2) * num_coordinates + c] = a[begin + c]
            run_program(key, work)
            for lane in range(min(LANES, total - first)):
                index = first + lane
                state = index // joints if states > ONE else ZERO
                joint = index - state * joints
                begin = (
                    integers[RESULT_OFFSET]
                    + state * integers[RESULT_STRIDE]
                    + integers[JOINT_TABLE_HEADER_SIZE + joint * JOINT_TABLE_ROW_SIZE + ONE]
                )
                result_start = LANES * width + lane * (workspace_width - width)
                for c in range(results):
                    out[begin + c] = work[result_start + c]
                for c in range(integers[NUM_MARGINS]):
                    if not abs(work[result_start + results + c]) >= floats[ZERO]:
                        return failure
        return 0

    # numba names the files of its cache by it. With one name for all programs, two processes that compile at
    # the same time may choose the same file name, and load each other's code.
    evaluate_joints.__qualname__ = f"evaluate_joints_{key:x}"
    return check_cache_files(njit(cache=True, nogil=True, **FMA_OPTIONS)(evaluate_joints))


def program_signature(program: Any) -> Any:
    """Return the signature of a program: all arguments are arrays as Python passes them."""
    code = getattr(program, "py_func", program).__code__
    return types.int64(*(pyobject_pointer for _ in range(code.co_argcount)))
