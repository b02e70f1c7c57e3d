"""Checks of options, names, functions and objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from inspect import signature
from types import ModuleType
from typing import Any

import numpy as np
from scipy import sparse

from rbnotes.arguments.types_and_errors import Array, InvalidArgument, format_value

_PACKAGE_PREFIX = __name__.partition(".")[0] + "."


def choice(name: str, value: Any, options: tuple[str, ...]) -> str:
    """Return one of the named options.

    Raises InvalidArgument for anything else.
    """
    if not isinstance(value, str) or value not in options:
        raise InvalidArgument(name, format_value(value), "one of " + ", ".join(map(repr, options)))
    return value


def require_instance(name: str, value: Any, *kinds: type) -> None:
    """Check that a value is an instance of one of several classes.

    Raises InvalidArgument for anything else.
    """
    if not isinstance(value, kinds):
        expected = " or ".join(kind.__name__ for kind in kinds)
        raise InvalidArgument(name, _describe(value), expected)


def instances(name: str, values: Any, *kinds: type) -> tuple[Any, ...]:
    """Return a tuple of values, each an instance of one of several classes.

    Raises InvalidArgument for anything else.
    """
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        expected = " or ".join(kind.__name__ for kind in kinds)
        raise InvalidArgument(name, _describe(values), f"a sequence, each {expected}")
    result = tuple(values)
    for number, value in enumerate(result):
        if not isinstance(value, kinds):
            require_instance(f"{name}[{number}]", value, *kinds)
    return result


def require_methods(name: str, value: Any, *methods: str) -> None:
    """Check that an object, which may not be a class or an array, has several methods.

    Raises
    ------
    InvalidArgument
        If a method is missing; the message names it.
    """
    missing = [method for method in methods if not callable(getattr(value, method, None))]
    if isinstance(value, type | ModuleType | np.ndarray) or missing:
        raise InvalidArgument(name, _describe(value), "an object with " + ", ".join(missing or methods))


def require_function(name: str, value: Any, *argument_names: str, hint: str = "") -> None:
    """Check that a value can be called with a number of positional arguments.

    Parameters
    ----------
    *argument_names
        Names of the arguments in the error message; without names, any number is accepted.
    hint
        Text at the end of the error message.

    Raises
    ------
    InvalidArgument
        If the value does not accept these arguments; the message names them.
    """
    expected = (f"a function of {', '.join(argument_names)}" if argument_names else "a function") + hint
    if not callable(value) or isinstance(value, type):
        raise InvalidArgument(name, _describe(value), expected)
    if argument_names:
        try:
            call_signature = signature(value)
        except (TypeError, ValueError):  # written in C: it checks its arguments itself
            return
        try:
            call_signature.bind(*argument_names)
        except TypeError:
            got = f"a function of {', '.join(map(str, call_signature.parameters.values())) or 'nothing'}"
            raise InvalidArgument(name, got, expected) from None


def require_force_law(name: str, value: Any) -> None:
    """Check that a value is a function of the state alone.

    Raises
    ------
    InvalidArgument
        If the value does not accept one argument.
    """
    require_function(name, value, "state", hint=", whose time is state.t")


def call_user_function(name: str, function: Callable[..., Any], /, *values: Any, **named_values: Any) -> Any:
    """Call a function and check that it leaves the arrays of its arguments unchanged.

    Functions of this package are not checked.

    Parameters
    ----------
    name
        Name of the function in the error message.
    function
        Function of the values.
    *values, **named_values
        Arrays, or objects of this package that hold arrays, such as states and problems of steps.

    Raises
    ------
    InvalidArgument
        If the function writes into an array.
    """
    module = getattr(function, "__module__", None) or type(function).__module__
    if module.startswith(_PACKAGE_PREFIX):
        return function(*values, **named_values)
    labels = [f"its argument {key}" for key in (*range(1, len(values) + 1), *named_values)]
    arrays = [
        (label, array, array.tobytes())  # bytes, because NaN differs from itself
        for argument_label, value in zip(labels, (*values, *named_values.values()), strict=True)
        for label, array in _arrays(argument_label, value)
    ]
    result = function(*values, **named_values)
    for label, array, content in arrays:
        if array.tobytes() != content:
            raise InvalidArgument(name, f"a function that writes into {label}", "one that works on copies")
    return result


def _arrays(label: str, value: Any) -> Iterator[tuple[str, Array]]:
    """Yield the arrays that a value is or holds and that are not empty, with descriptions."""
    if isinstance(value, np.ndarray):
        if value.size:
            yield label, value
    elif sparse.issparse(value):
        yield label, value.data
    elif type(value).__module__.startswith(_PACKAGE_PREFIX):
        for attribute, part in getattr(value, "__dict__", {}).items():
            yield from _arrays(f"`{attribute}` of {label}", part)


def text(name: str, value: Any) -> str:
    """Return text that is not empty, such as a name.

    Raises InvalidArgument for anything else.
    """
    if not isinstance(value, str) or not value:
        raise InvalidArgument(name, f"{type(value).__name__} {format_value(value)}", "text")
    return value


def _describe(value: Any) -> str:
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return type(value).__name__
