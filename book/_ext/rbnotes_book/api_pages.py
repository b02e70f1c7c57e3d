"""Pages of the API reference, one for each room of the library, made by Sphinx from docstrings.

They hold what is public, and what the ledger names as a right form, so that every claim leads to its code.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.docutils import SphinxDirective

from rbnotes import ledger
from rbnotes.ledger import Record
from rbnotes.ledger.resolving import resolve
from rbnotes_book.generated import FOLDER

ROOMS = (
    "so3", "se3", "quaternion", "euler", "inertia", "solids", "dynamics", "forces", "constraints",
    "complementarity", "contact", "friction", "attachments", "joints", "maximal", "tree", "kernels",
    "ledger", "checking", "viewer", "arguments", "errors",
)  # fmt: skip
PACKAGE = "rbnotes"

STUB = """\
---
orphan: true
---

# {title}

```{{eval-rst}}
{entries}
```
"""

ARGUMENTS = Path(__file__).parents[2] / "_data" / "arguments.toml"
LITERAL = re.compile(r"(``.*?``|`[^`]*`)")


@cache
def public() -> dict[str, tuple[str, ...]]:
    """The public names of each room."""
    rooms = {}
    for room in ROOMS:
        module = importlib.import_module(f"{PACKAGE}.{room}")
        own = [
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
        ]
        rooms[room] = tuple(getattr(module, "__all__", own))
    return rooms


@cache
def documented(name: str) -> str:
    """The dotted name under which the reference has an object: that of its room, if it is public there."""
    parts = name.split(".")
    if len(parts) > 2 and parts[1] in public():
        for depth in range(3, len(parts) + 1):
            if parts[depth - 1] in public()[parts[1]]:
                alias = ".".join([*parts[:2], *parts[depth - 1 :]])
                if resolve(".".join(alias.split(".")[:3])) is resolve(".".join(parts[:depth])):
                    return alias
    return name


@cache
def named() -> dict[str, list[Record]]:
    """The records that name an object as their right form, by its documented name."""
    users: dict[str, list[Record]] = defaultdict(list)
    for record in ledger.load():
        for name in record.implemented_by:
            users[documented(name)].append(record)
    return users


def _owner(name: str) -> str:
    """The class of a method, else the object itself."""
    parent = name.rpartition(".")[0]
    return parent if inspect.isclass(resolve(parent)) else name


def _entry(name: str) -> str:
    value = resolve(name)
    if inspect.ismodule(value):
        return f".. automodule:: {name}\n"
    if inspect.isclass(value):
        return f".. autoclass:: {name}\n   :members:\n   :member-order: bysource\n"
    if inspect.isroutine(value):
        return f".. autofunction:: {name}\n"
    return f".. autodata:: {name}\n   :no-value:\n"


@cache
def names() -> dict[str, list[str]]:
    """The objects that each room's page documents, alphabetically."""
    chosen = {_owner(name) for name in named()}
    chosen |= {f"{PACKAGE}.{room}.{name}" for room in ROOMS for name in public()[room]}
    pages: dict[str, list[str]] = defaultdict(list)
    for name in sorted(chosen, key=lambda name: (name.rpartition(".")[2].lower(), name)):
        pages[name.split(".")[1] if "." in name else PACKAGE].append(name)
    return pages


def page(room: str) -> str:
    """The name of a room's page."""
    return f"api-{room}"


def stubs() -> dict[str, str]:
    """The pages: a title and directives for autodoc."""
    return {
        page(room): STUB.format(
            title=PACKAGE if room == PACKAGE else f"{PACKAGE}.{room}", entries="\n".join(map(_entry, own))
        )
        for room, own in names().items()
    }


class ApiIndex(SphinxDirective):
    """{api-index}: the pages of the reference, with what each room is for and how much is documented."""

    def run(self) -> list[nodes.Node]:
        pages = names()
        items = nodes.bullet_list()
        for room in (PACKAGE, *ROOMS):
            if room not in pages:
                continue
            title = PACKAGE if room == PACKAGE else f"{PACKAGE}.{room}"
            link = addnodes.pending_xref(
                "", nodes.literal("", title), refdomain="std", reftype="doc", refexplicit=True, refwarn=True,
                reftarget=f"/{FOLDER}/{page(room)}", refdoc=self.env.docname,
            )  # fmt: skip
            purpose = (inspect.getdoc(importlib.import_module(title)) or "").split("\n\n")[0]
            text = f": {' '.join(purpose.split()).replace('``', '')}"
            items += nodes.list_item("", nodes.paragraph("", "", link, nodes.Text(text)))
        return [items]


def _escape(line: str) -> str:
    """A bar is the size of a vector in our docstrings, and a substitution in reStructuredText."""
    parts = LITERAL.split(line)
    parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
    return "".join(parts)


@cache
def _attribute_docs(room: str) -> dict[str, list[str]]:
    """The strings below the assignments of a room: the values themselves have only those of their types."""
    modules = [name for name in sys.modules if name == room or name.startswith(room + ".")]
    docs: dict[str, list[str]] = {}
    for module in modules:
        for (owner, name), lines in ModuleAnalyzer.for_module(module).find_attr_docs().items():
            if not owner:
                docs.setdefault(name, lines)
    return docs


@cache
def usual() -> dict[str, dict[str, str]]:
    """What arguments of a room's functions are, by room and name."""
    return tomllib.loads(ARGUMENTS.read_text(encoding="utf-8"))


def unnamed(function: Any) -> list[str]:
    """The arguments of a function that its docstring does not name."""
    text = inspect.getdoc(function) or ""
    return [name for name in inspect.signature(function).parameters if not re.search(rf"\b{name}\b", text)]


def _arguments(name: str, function: Any) -> list[str]:
    """Fields for what the docstring does not name, as far as it is the same in all functions of the room."""
    known = usual().get(name.split(".")[1], {})
    fields = [f":param {each}: {known[each]}" for each in unnamed(function) if each in known]
    return ["", *fields, ""] if fields else []


def _add_claims(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    if what == "data":
        room, _, own = name.rpartition(".")
        lines[:] = _attribute_docs(room).get(own, [])
    lines[:] = map(_escape, lines)
    if what == "function":
        lines += _arguments(name, obj)
    records = named().get(name, [])
    if records:
        lines += ["", *_claims(records), ""]


def _claims(records: Iterable[Record]) -> list[str]:
    records = list(records)
    chapters = {record.chapter: record.id for record in reversed(records)}
    claims = ", ".join(f":record:`{record.id}`" for record in records)
    told = ", ".join(f":told:`{id}`" for id in reversed(chapters.values()))
    return [f"*Right form of:* {claims}. *Told in:* {told}."]


def setup(app: Sphinx) -> None:
    app.add_directive("api-index", ApiIndex)
    app.connect("autodoc-process-docstring", _add_claims, priority=900)  # after the sections were read
