"""What is no number: options, names, functions and objects."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import signature
from types import ModuleType
from typing import Any

import numpy as np

from rbnotes.arguments.types_and_errors import InvalidArgument


def choice(name: str, value: Any, options: tuple[str, ...]) -> str:
    """One of the named options.

    Raises InvalidArgument for anything else.
    """
    if not isinstance(value, str) or value not in options:
        raise InvalidArgument(name, repr(value), "one of " + ", ".join(map(repr, options)))
    return value


def require_instance(name: str, value: Any, *kinds: type) -> None:
    """Refuses what is not of one of these classes.

    Raises InvalidArgument for anything else.
    """
    if not isinstance(value, kinds):
        expected = " or ".join(kind.__name__ for kind in kinds)
        raise InvalidArgument(name, _describe(value), expected)


def instances(name: str, values: Any, *kinds: type) -> tuple[Any, ...]:
    """The values as a tuple, each of one of these classes.

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
    """Refuses what has not all of these methods: any object with them will do, but no class or array.

    Raises InvalidArgument that names the missing method.
    """
    missing = [method for method in methods if not callable(getattr(value, method, None))]
    if isinstance(value, type | ModuleType | np.ndarray) or missing:
        raise InvalidArgument(name, _describe(value), "an object with " + ", ".join(missing or methods))


def require_function(name: str, value: Any, *argument_names: str, hint: str = "") -> None:
    """Refuses what cannot be called, or not with as many arguments as it is given, by position.

    Raises InvalidArgument, which says how it will be called.

    Parameters
    ----------
    takes
        What these arguments are called in an error; none if any number will do.
    hint
        The end of any error.
    """
    expected = (f"a function of {', '.join(argument_names)}" if argument_names else "a function") + hint
    if not callable(value) or isinstance(value, type):
        raise InvalidArgument(name, _describe(value), expected)
    if argument_names:
        try:
            call_signature = signature(value)
        except (TypeError, ValueError):  # written in C: it says itself what it takes
            return
        try:
            call_signature.bind(*argument_names)
        except TypeError:
            got = f"a function of {', '.join(map(str, call_signature.parameters.values())) or 'nothing'}"
            raise InvalidArgument(name, got, expected) from None


def require_force_law(name: str, value: Any) -> None:
    """Refuses what is no function of the state alone.

    Raises InvalidArgument, which says how it will be called.
    """
    require_function(name, value, "state", hint=", whose time is state.t")


def text(name: str, value: Any) -> str:
    """Text that is not empty, such as a name.

    Raises InvalidArgument for anything else.
    """
    if not isinstance(value, str) or not value:
        raise InvalidArgument(name, f"{type(value).__name__} {value!r:.60}", "text")
    return value


def _describe(value: Any) -> str:
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return type(value).__name__
