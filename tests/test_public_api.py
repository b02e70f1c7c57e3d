"""The public names and their signatures, as a list, so that every change of them is seen.

``python tests/test_public_api.py`` writes the list anew.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import rbnotes

LIST = Path(__file__).with_name("public_api.txt")
WITHOUT_NAMES = ("rbnotes.__main__", "rbnotes.cli", "rbnotes.ledger.claims", "rbnotes.ledger.oracles")
"""Modules that users do not import from."""


def public_modules() -> list[ModuleType]:
    """Return the modules of the package that declare public names, or are a single public module."""
    modules = [rbnotes]
    for info in pkgutil.walk_packages(rbnotes.__path__, "rbnotes."):
        if info.name.startswith(WITHOUT_NAMES) or "._" in info.name or "unchecked" in info.name:
            continue
        if info.ispkg or info.name.count(".") == 1:
            modules.append(importlib.import_module(info.name))
    return modules


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
    lines, listed = listing(), LIST.read_text(encoding="utf-8")
    changes = difflib.unified_diff(
        listed.splitlines(), lines.splitlines(), "listed", "present", lineterm="", n=0
    )
    assert lines == listed, "run `python tests/test_public_api.py` if this is meant:\n" + "\n".join(changes)


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
    assert [aliases for aliases in paths.values() if len(aliases) > 1] == []


def fields_without_description(cls: type) -> list[str]:
    """Return the public fields of a dataclass or named tuple that `help` does not describe.

    A class that inherits a field names the class that describes it.
    """
    declared = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
    names = [each.name for each in declared] or list(getattr(cls, "_fields", ()))
    described: set[str] = set()
    doc = inspect.getdoc(cls) or ""
    for base in cls.__mro__:
        if base is cls or f"{base.__name__}`" in doc:
            section = re.search(
                r"^(?:Attributes|Parameters)\n-+\n(.*?)(?=^\w[^\n]*\n-{3,}|\Z)",
                inspect.getdoc(base) or "",
                re.M | re.S,
            )
            for entry in re.findall(r"^(\w[\w, ]*?)(?: :.*)?$", section[1] if section else "", re.M):
                described.update(entry.split(", "))
    return [name for name in names if not name.startswith("_") and name not in described]


def test_help_describes_every_field():
    classes = {
        value
        for module in public_modules()
        for value in vars(module).values()
        if inspect.isclass(value) and value.__module__.startswith("rbnotes.")
    }
    missing = {cls.__qualname__: fields_without_description(cls) for cls in classes}
    assert sum(dataclasses.is_dataclass(cls) for cls in classes) > 80
    assert {name: fields for name, fields in missing.items() if fields} == {}

    text = "A field without description.\n\nAttributes\n----------\na\n    The first."
    planted = dataclasses.make_dataclass("Planted", ["a", "b"], namespace={"__doc__": text})
    assert fields_without_description(planted) == ["b"]


if __name__ == "__main__":
    LIST.write_text(listing(), encoding="utf-8")
