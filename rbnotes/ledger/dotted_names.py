"""Find objects by their dotted names, and names by objects."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable
from functools import cached_property
from typing import Any

PACKAGE = "rbnotes"
LEDGER = f"{PACKAGE}.ledger"


def resolve(dotted: str) -> Callable[..., Any]:
    """Return the object with the dotted name ``rbnotes.module.name`` (or a module).

    If a package exports a function with the name of one of its modules, the function is returned.
    """
    parts = dotted.split(".")
    missing: Exception = ImportError(f"nothing named {dotted}")
    for split in (*range(len(parts) - 1, 0, -1), len(parts)):
        try:
            value = importlib.import_module(".".join(parts[:split]))
        except ModuleNotFoundError as error:
            if error.name is None or not dotted.startswith(error.name):
                raise
            continue
        try:
            for attribute in parts[split:]:
                value = getattr(value, attribute)
        except AttributeError as error:
            if split < len(parts) - 1:
                raise
            missing = error  # unless it is a module
            continue
        # The name can refer to an object of any kind; the loop began with a module.
        return value  # type: ignore[return-value]
    raise missing


def dotted_name(value: Any) -> str:
    """Return the dotted name of an object, by the shortest path from which it can be imported.

    A function, a class or a method is found by the module that defines it, any other object by its identity
    among the names of the loaded modules.

    Raises
    ------
    ValueError
        If no module contains the object.
    """
    if inspect.ismodule(value):
        return value.__name__
    module, path = _defining_path(value)
    parts = module.split(".")
    packages = (".".join(parts[:count]) for count in range(1, len(parts)))
    exported = (package for package in packages if _attribute(sys.modules.get(package), path) is value)
    return f"{next(exported, module)}.{path}"


def is_private(dotted: str) -> bool:
    """Return True if a part of a dotted name begins with an underscore."""
    return any(part.startswith("_") for part in dotted.split("."))


def _defining_path(value: Any) -> tuple[str, str]:
    """Return the module that defines an object, and its name there, such as ``Tree.children``."""
    if isinstance(value, cached_property):
        value = value.func
    elif isinstance(value, property):
        value = value.fget
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if isinstance(module, str) and isinstance(name, str):
        return module, name
    places = _places(value, in_library=True) or _places(value, in_library=False)
    if not places:
        raise ValueError(f"no public name stands for {value!r:.60}")
    return min(places, key=lambda place: (place[0].count("."), place[0]))


def _places(value: Any, *, in_library: bool) -> list[tuple[str, str]]:
    """Return the public names of an object in the loaded modules of the library, or in all others."""
    return [
        (holder, name)
        for holder, contents in list(sys.modules.items())
        if _is_in_library(holder) == in_library and not is_private(holder)
        for name, other in list(getattr(contents, "__dict__", {}).items())
        if other is value and not name.startswith("_")
    ]


def _is_in_library(module: str) -> bool:
    """Return True for the modules of the package except those of its ledger."""
    return module.startswith(f"{PACKAGE}.") and not module.startswith(f"{LEDGER}.")


def _attribute(value: Any, path: str) -> Any:
    """Return the object at a dotted path in a module; None if there is none."""
    for name in path.split("."):
        value = getattr(value, name, None)
    return value
