"""Symbols of casadi as elements of numpy arrays.

numpy treats an object as a scalar and calls ``x.cos()`` for ``np.cos(x)``, unless the object behaves like an
array. Symbols of casadi do, and convert numpy arrays to casadi matrices; wrapped as scalars they do not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, SingularConfiguration
from rbnotes.errors import MissingExtra

Symbolic = Any
"""A number, a :class:`Symbol`, or an array of either: numpy declares no arithmetic for arrays of objects."""

MISSING_CASADI_MESSAGE = (
    "joints given as functions are differentiated by casadi: pip install 'rbnotes[joints]'"
)


def casadi() -> Any:
    """Return the module casadi, an optional extra that is imported on first use.

    Raises
    ------
    MissingExtra
        If it is not installed; the message names the extra that installs it.
    """
    try:
        import casadi
    except ImportError as error:
        raise MissingExtra(MISSING_CASADI_MESSAGE, name="casadi") from error
    return casadi


class Symbol:
    """Scalar expression, for arithmetic and the smooth functions of numpy."""

    __slots__ = ("expression",)
    # Python marks unhashable classes this way; typing reports it as a changed method.
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, expression: Any) -> None:
        self.expression = expression

    def __bool__(self) -> bool:
        raise TypeError("a branch on a coordinate, whose value is not known")

    def _compare(self, other: object) -> bool:
        raise TypeError("a comparison with a coordinate, whose value is not known")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _compare

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **more: Any) -> Any:
        """Convert all operands to symbols, so that numpy loops over objects."""
        return getattr(ufunc, method)(*map(_wrap, inputs), **more)

    def __repr__(self) -> str:
        return f"Symbol({self.expression})"


def _wrap(values: Any) -> Any:
    """Return an array of symbols."""
    values = np.asarray(values, dtype=object)
    result = np.empty(values.shape, dtype=object)
    for index in np.ndindex(values.shape):
        each = values[index]
        result[index] = each if isinstance(each, Symbol) else Symbol(casadi().SX(float(each)))
    return result


def _arithmetic(name: str) -> Callable[..., Any]:
    def method(self: Symbol, *others: Any) -> Any:
        values = [other.expression if isinstance(other, Symbol) else other for other in others]
        if not all(isinstance(each, float | int | np.number | casadi().SX) for each in values):
            return NotImplemented
        return Symbol(getattr(self.expression, name)(*values))

    return method


def _function(name: str) -> Callable[..., Symbol]:
    def method(self: Symbol, *others: Any) -> Symbol:
        return Symbol(getattr(casadi(), name)(self.expression, *(to_casadi(other) for other in others)))

    return method


for _name in ("add", "sub", "mul", "truediv", "pow"):
    for _side in ("", "r"):
        setattr(Symbol, f"__{_side}{_name}__", _arithmetic(f"__{_side}{_name}__"))
for _name in ("neg", "pos"):
    setattr(Symbol, f"__{_name}__", _arithmetic(f"__{_name}__"))
for _name in ("exp", "expm1", "log", "log1p", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "hypot"):
    setattr(Symbol, _name, _function(_name))
# Type checkers do not see methods that are created in a loop.
Symbol.__abs__ = _function("fabs")  # type: ignore[attr-defined]
for _name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "tan2"):
    setattr(Symbol, f"arc{_name}", _function(f"a{_name}"))


def symbol_vector(name: str, count: int) -> Array:
    """Return an array ``(count,)`` of new symbols."""
    return from_casadi_matrix(casadi().SX.sym(name, count))[:, 0]


def check_coordinate(name: str, value: Any) -> Any:
    """Check a coordinate of a curve or a surface: a symbol, or one finite number."""
    return value if isinstance(value, Symbol) else np.float64(arguments.real_number(name, value))


def check_finite(value: Any, **coordinates: Any) -> Any:
    """Return the value at these coordinates if it is symbolic or finite.

    Raises
    ------
    SingularConfiguration
        If it is not finite; the message names the coordinates.
    """
    array = np.asarray(value)
    if array.dtype != object and not np.all(np.isfinite(array)):
        got = ", ".join(f"{number:g}" for number in coordinates.values())
        raise SingularConfiguration(", ".join(coordinates), got, "a point where the derivatives are finite")
    return value


def from_casadi_matrix(matrix: Any) -> Array:
    """Return a matrix of casadi as an array with two axes."""
    rows, columns = matrix.shape
    result = np.empty((rows, columns), dtype=object)
    for index in np.ndindex(rows, columns):
        result[index] = Symbol(matrix[index])
    return result


def to_casadi(value: Any) -> Any:
    """Return the casadi expression of a symbol or a number.

    Raises
    ------
    TypeError
        If it is neither.
    """
    return value.expression if isinstance(value, Symbol) else float(value)


def to_casadi_matrix(values: Any) -> Any:
    """Return symbols and numbers, an array with one or two axes, as a sparse matrix of casadi."""
    ca, values = casadi(), np.asarray(values, dtype=object)
    columns = values.shape[1] if values.ndim == 2 else 1
    stacked = ca.vertcat(*map(to_casadi, values.T.ravel()))
    return ca.sparsify(ca.reshape(ca.SX(stacked), values.shape[0], columns))
