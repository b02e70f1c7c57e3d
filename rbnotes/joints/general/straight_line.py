"""Joints as programs without loops or branches, for compilers such as numba (Si & Guenter 1, 5).

casadi evaluates a function as a list of instructions on numbers. Written out in Python, one assignment each,
the same list can be compiled together with whatever calls it.
"""

from __future__ import annotations

from keyword import iskeyword
from typing import Any

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument
from rbnotes.joints.general.symbols import casadi

_UNARY = {
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
}  # fmt: skip

_BINARY = {
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
}


def python_source(function: Any, name: str = "motion") -> str:
    """Source of a Python function that does what a casadi function of vectors does, such as a joint's motion.

    It takes the inputs, then arrays for the outputs, which it fills: ``motion(q, qdot, R, t, S, drift)`` for
    :attr:`rbnotes.joints.FunctionJoint.motion`. Vectors have one axis, matrices two. It uses nothing but
    arithmetic and the module ``math``, which has to be there where it is executed.

    Raises
    ------
    InvalidArgument
        If it is no casadi function, or the name none.
    NotImplementedError
        If an instruction has no counterpart in ``math``; the message names it.
    """
    ca = casadi()
    arguments.instance("function", function, ca.Function)
    if not arguments.text("name", name).isidentifier() or iskeyword(name):
        raise InvalidArgument("name", repr(name), "a name that Python allows")
    unary, binary = (
        {getattr(ca, op): text for op, text in table.items() if hasattr(ca, op)}
        for table in (_UNARY, _BINARY)
    )
    inputs = [function.name_in(i) for i in range(function.n_in())]
    outputs = [function.name_out(j) for j in range(function.n_out())]
    lines = [f"def {name}({', '.join((*inputs, *outputs))}):"]
    for k in range(function.n_instructions()):
        op, into, of = (
            function.instruction_id(k),
            function.instruction_output(k),
            function.instruction_input(k),
        )
        if op == ca.OP_CONST:
            line = f"w{into[0]} = {function.instruction_constant(k)!r}"
        elif op == ca.OP_INPUT:
            line = f"w{into[0]} = {inputs[of[0]]}[{of[1]}]"
        elif op == ca.OP_OUTPUT:
            place = _place(function.size_out(into[0]), into[1])
            line = f"{outputs[into[0]]}[{place}] = w{of[0]}"
        elif op in unary:
            line = f"w{into[0]} = {unary[op].format(f'w{of[0]}')}"
        elif op in binary:
            line = f"w{into[0]} = {binary[op].format(*(f'w{each}' for each in of))}"
        else:
            raise NotImplementedError(f"function: instruction {op} of {function.name()} has no Python form")
        lines.append("    " + line)
    return "\n".join(lines) + "\n"


def _place(size: tuple[int, int], entry: int) -> str:
    """Where an entry of a dense matrix is; casadi counts down the columns."""
    rows, columns = size
    return str(entry) if columns == 1 else f"{entry % rows}, {entry // rows}"
