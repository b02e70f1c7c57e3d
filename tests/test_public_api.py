"""The public names and their signatures, as a list, so that every change of them is seen.

``python tests/test_public_api.py`` writes the list anew.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import pkgutil
from pathlib import Path
from types import ModuleType
from typing import Any

import rbnotes

LIST = Path(__file__).with_name("public_api.txt")
WITHOUT_NAMES = ("rbnotes.__main__", "rbnotes.cli", "rbnotes.ledger.claims", "rbnotes.ledger.oracles")
"""Modules that users do not import from."""


def public_modules() -> list[ModuleType]:
    """Return the modules of the package that declare public names, or are a single public module."""
    found = [rbnotes]
    for info in pkgutil.walk_packages(rbnotes.__path__, "rbnotes."):
        if info.name.startswith(WITHOUT_NAMES) or "._" in info.name or "unchecked" in info.name:
            continue
        if info.ispkg or info.name.count(".") == 1:
            found.append(importlib.import_module(info.name))
    return found


def signature(value: Any) -> str:
    """Return the parameters of a function: names, kinds and whether they have defaults."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return ""
    entries = [
        each.replace(annotation=each.empty, default=each.default if each.default is each.empty else ...)
        for each in parameters
    ]
    return str(inspect.Signature(entries)).replace("=Ellipsis", "=...")


def members(cls: type) -> list[str]:
    """Return the public methods, properties and fields that a class of the package declares."""
    lines = []
    for name, value in sorted({**vars(cls).get("__annotations__", {}), **vars(cls)}.items()):
        if not name.startswith("_"):
            function = getattr(value, "__func__", value)
            lines.append(f"  .{name}{signature(function) if inspect.isfunction(function) else ''}")
    return lines


def listing() -> str:
    """Return one line for each public name, with its signature, and one for each member of a class."""
    lines = []
    for module in public_modules():
        names = getattr(module, "__all__", None) or [
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
        ]
        for name in sorted(set(names) - {"__version__"}):
            value = getattr(module, name)
            path = f"{module.__name__}.{name}"
            if inspect.ismodule(value):
                lines.append(path)
            elif inspect.isclass(value) and value.__module__.startswith("rbnotes"):
                lines += [f"{path}{signature(value)}", *members(value)]
            else:
                lines.append(f"{path}{signature(value) if inspect.isroutine(value) else ''}")
    return "\n".join(lines) + "\n"


def test_public_names_and_signatures_are_those_of_the_list():
    found, listed = listing(), LIST.read_text(encoding="utf-8")
    changes = difflib.unified_diff(
        listed.splitlines(), found.splitlines(), "listed", "found", lineterm="", n=0
    )
    assert found == listed, "run `python tests/test_public_api.py` if this is meant:\n" + "\n".join(changes)


def test_every_public_name_has_one_path():
    """A name that two packages export is the same concept in both, never the same object under two paths."""
    paths: dict[int, list[str]] = {}
    for module in public_modules()[1:]:
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if (inspect.isclass(value) or inspect.isfunction(value)) and value.__module__.startswith(
                "rbnotes"
            ):
                paths.setdefault(id(value), []).append(f"{module.__name__}.{name}")
    assert [found for found in paths.values() if len(found) > 1] == []


if __name__ == "__main__":
    LIST.write_text(listing(), encoding="utf-8")
