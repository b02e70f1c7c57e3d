"""Joints as programs without loops or branches, for compilers such as numba (Si & Guenter 1, 5).

casadi evaluates a function as a list of instructions on numbers. Written out in Python, one assignment each,
the same list can be compiled together with whatever calls it.
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
    """What casadi's virtual machine does in one step, as it names it: ``OP_ADD``."""

    name: str
    outputs: list[int]
    """The register that it writes to; of an output, which one and which entry of it."""
    inputs: list[int]
    """The registers that it reads; of an input, which one and which entry of it."""
    constant: float


def instructions(function: Any) -> Iterator[Instruction]:
    """The steps of a casadi function of scalars, in order."""
    ca = casadi()
    names = {getattr(ca, name): name for name in dir(ca) if name.startswith("OP_")}
    for k in range(function.n_instructions()):
        name = names[function.instruction_id(k)]
        constant = function.instruction_constant(k) if name == "OP_CONST" else 0.0
        yield Instruction(name, function.instruction_output(k), function.instruction_input(k), constant)


def python_source(function: Any, name: str = "motion") -> str:
    """Source of a Python function that does what a casadi function of vectors does, such as a joint's motion.

    It takes the inputs, then arrays for the outputs, which it fills: ``motion(q, qdot, R, t, S, drift)`` for
    :attr:`rbnotes.joints.FunctionJoint.kinematics_function`. Vectors have one axis, matrices two. It uses nothing but
    arithmetic and the module ``math``, which has to be there where it is executed.

    Raises
    ------
    InvalidArgument
        If it is no casadi function, or the name none.
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
    """Where an entry of a dense matrix is; casadi counts down the columns."""
    rows, columns = size
    return str(entry) if columns == 1 else f"{entry % rows}, {entry // rows}"
