"""Joints as programs without loops or branches, for compilers such as numba (Si & Guenter 1, 5).

casadi evaluates a function as a list of instructions on numbers. As Python source, with one assignment per
instruction, it can be compiled together with its caller.
"""

from __future__ import annotations

from collections.abc import Iterator
from keyword import iskeyword
from typing import Any, NamedTuple

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument
from rbnotes.joints.general.symbols import casadi

_TEMPLATES = {
    "OP_ASSIGN": "{0}",
    "OP_NEG": "-{0}",
    "OP_SQ": "{0} * {0}",
    "OP_TWICE": "{0} + {0}",
    "OP_INV": "1.0 / {0}",
    "OP_FABS": "abs({0})",
    "OP_SIGN": "(0.0 if {0} == 0.0 else math.copysign(1.0, {0}))",
    "OP_NOT": "(0.0 if {0} else 1.0)",
} | {
    f"OP_{name.upper()}": f"math.{name}({{0}})"
    for name in (
        "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "exp", "expm1",
        "floor", "log", "log1p", "sin", "sinh", "sqrt", "tan", "tanh",
    )
} | {
    "OP_ADD": "{0} + {1}",
    "OP_SUB": "{0} - {1}",
    "OP_MUL": "{0} * {1}",
    "OP_DIV": "{0} / {1}",
    "OP_POW": "{0} ** {1}",
    "OP_CONSTPOW": "{0} ** {1}",
    "OP_ATAN2": "math.atan2({0}, {1})",
    "OP_HYPOT": "math.hypot({0}, {1})",
    "OP_FMIN": "min({0}, {1})",
    "OP_FMAX": "max({0}, {1})",
    "OP_FMOD": "math.fmod({0}, {1})",
    "OP_COPYSIGN": "math.copysign({0}, {1})",
    "OP_LT": "(1.0 if {0} < {1} else 0.0)",
    "OP_LE": "(1.0 if {0} <= {1} else 0.0)",
    "OP_EQ": "(1.0 if {0} == {1} else 0.0)",
    "OP_NE": "(1.0 if {0} != {1} else 0.0)",
    "OP_AND": "(1.0 if {0} and {1} else 0.0)",
    "OP_OR": "(1.0 if {0} or {1} else 0.0)",
    "OP_IF_ELSE_ZERO": "({1} if {0} else 0.0)",
}  # fmt: skip


class Instruction(NamedTuple):
    """Instruction of casadi's virtual machine.

    Attributes
    ----------
    name
        Name in casadi, such as ``OP_ADD``.
    outputs
        Register that it writes to; for an output its number and the entry.
    inputs
        Registers that it reads; for an input its number and the entry.
    constant
        Number that ``OP_CONST`` writes.
    """

    name: str
    outputs: list[int]
    inputs: list[int]
    constant: float


def instructions(function: Any) -> Iterator[Instruction]:
    """Yield the instructions of a casadi function of scalars, in order."""
    ca = casadi()
    names = {getattr(ca, name): name for name in dir(ca) if name.startswith("OP_")}
    for k in range(function.n_instructions()):
        name = names[function.instruction_id(k)]
        constant = function.instruction_constant(k) if name == "OP_CONST" else 0.0
        yield Instruction(name, function.instruction_output(k), function.instruction_input(k), constant)


def python_source(function: Any, name: str = "motion") -> str:
    """Return the source of a Python function equivalent to a casadi function of vectors.

    Its arguments are the inputs, then arrays for the outputs, which it fills. For
    :attr:`rbnotes.joints.FunctionJoint.kinematics_function` they are
    ``motion(q, qdot, R, t, S, bias_acceleration)``. Vectors have one axis, matrices two. The source uses
    arithmetic and the module ``math``, which the caller has to provide.

    Raises
    ------
    InvalidArgument
        If ``function`` is not a casadi function, or ``name`` is not an identifier.
    NotImplementedError
        If an instruction has no counterpart in ``math``; the message names it.
    """
    ca = casadi()
    arguments.require_instance("function", function, ca.Function)
    if not arguments.text("name", name).isidentifier() or iskeyword(name):
        raise InvalidArgument("name", repr(name), "a name that Python allows")
    inputs = [function.name_in(i) for i in range(function.n_in())]
    outputs = [function.name_out(j) for j in range(function.n_out())]
    lines = [f"def {name}({', '.join((*inputs, *outputs))}):"]
    for operation, written, read, constant in instructions(function):
        if operation == "OP_CONST":
            line = f"w{written[0]} = {constant!r}"
        elif operation == "OP_INPUT":
            line = f"w{written[0]} = {inputs[read[0]]}[{read[1]}]"
        elif operation == "OP_OUTPUT":
            index = _index_expression(function.size_out(written[0]), written[1])
            line = f"{outputs[written[0]]}[{index}] = w{read[0]}"
        elif operation in _TEMPLATES:
            line = f"w{written[0]} = {_TEMPLATES[operation].format(*(f'w{each}' for each in read))}"
        else:
            message = f"instruction {operation} of {function.name()} has no Python form"
            raise NotImplementedError(f"function: {message}")
        lines.append("    " + line)
    return "\n".join(lines) + "\n"


def _index_expression(size: tuple[int, int], entry: int) -> str:
    """Return the index of an entry of a dense matrix; casadi stores matrices by columns."""
    rows, columns = size
    return str(entry) if columns == 1 else f"{entry % rows}, {entry // rows}"
