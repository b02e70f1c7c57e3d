"""Generate a page of the API reference for each subpackage from its docstrings.

The pages document the public names and all right forms that the ledger names, so that every claim links to
its code.
"""

from __future__ import annotations

import csv
import importlib
import inspect
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import is_dataclass
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
from rbnotes.ledger.dotted_names import resolve
from rbnotes_book.generated import FOLDER

SUBPACKAGES = (
    "so3", "se3", "quaternion", "euler", "inertia", "shapes", "dynamics", "forces", "constraints",
    "complementarity", "contact", "friction", "attachments", "joints", "multibody", "multibody.reduced",
    "multibody.maximal", "multibody.formats", "multibody.packing", "compiled", "ledger",
    "coursework.challenge", "coursework.grading", "coursework.cards", "testing", "viewer", "arguments",
    "errors",
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
RETURNS = ARGUMENTS.with_name("returns.toml")
SOURCES = ARGUMENTS.with_name("sources.toml")
ERRORS = ARGUMENTS.with_name("function-errors.csv")
PARAMETER_LIST = re.compile(r'<dl>(?=\s*<dd><em class="sig-param">)')
"""Start of the parameters of a signature that takes several lines."""
ERROR_COLUMNS = {
    "generic": "generic arguments",
    "small": "small ones",
    "near pi": "angles near pi",
    "large": "large arguments",
}
"""Columns of the table of rounding errors, and the arguments that they are about."""
CITED = re.compile(r"(Lloyd|Sueda|Si & Guenter)\s|eqs?\. \(|\(Algorithm|\b(19|20)\d\d\b")
OURS = "this package"
LITERAL = re.compile(r"(``.*?``|`[^`]*`)")
PARAMETERS = re.compile(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-{3,}|\Z)", re.MULTILINE | re.DOTALL)
ATTRIBUTES = re.compile(PARAMETERS.pattern.replace("Parameters", "Attributes"), PARAMETERS.flags)
RETURNED = re.compile(PARAMETERS.pattern.replace("Parameters", "Returns"), PARAMETERS.flags)
RAISES = re.compile(r"Raises [A-Z]\w+ if ")


def subpackage(name: str) -> str:
    """Return the subpackage that a dotted name without ``rbnotes.`` belongs to, or ""."""
    prefixes = [prefix for prefix in SUBPACKAGES if name == prefix or name.startswith(f"{prefix}.")]
    return max(prefixes, key=len, default="")


@cache
def public() -> dict[str, tuple[str, ...]]:
    """Return the public names of each subpackage."""
    names_by_subpackage = {}
    for subpackage_name in SUBPACKAGES:
        module = importlib.import_module(f"{PACKAGE}.{subpackage_name}")
        defined = [
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
        ]
        names_by_subpackage[subpackage_name] = tuple(getattr(module, "__all__", defined))
    return names_by_subpackage


@cache
def documented_name(name: str) -> str:
    """Return the dotted name of an object in the reference: its public path, if it has one."""
    package = subpackage(name.removeprefix(f"{PACKAGE}."))
    if not package:  # the package itself has short names of objects of its subpackages
        value = resolve(name)
        full_name = f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"
        return documented_name(full_name) if subpackage(full_name.removeprefix(f"{PACKAGE}.")) else name
    parts = name.removeprefix(f"{PACKAGE}.{package}.").split(".")
    for depth, part in enumerate(parts):
        if part in public()[package]:
            alias = ".".join([PACKAGE, package, part])
            if resolve(alias) is resolve(".".join([PACKAGE, package, *parts[: depth + 1]])):
                return ".".join([alias, *parts[depth + 1 :]])
    return name


@cache
def records_by_name() -> dict[str, list[Record]]:
    """Return the records that name an object as their right form, by its documented name."""
    users: dict[str, list[Record]] = defaultdict(list)
    for record in ledger.load():
        for name in record.implemented_by:
            users[documented_name(name)].append(record)
    return users


def _owner(name: str) -> str:
    """Return the class of a method, else the object itself."""
    parent = name.rpartition(".")[0]
    return parent if inspect.isclass(resolve(parent)) else name


def _entry(name: str) -> str:
    value = resolve(name)
    if inspect.ismodule(value):
        heading = f".. rubric:: Module ``{name}``\n\n" if name.count(".") > 1 else ""
        return f"{heading}.. automodule:: {name}\n"
    if inspect.isclass(value):
        return f".. autoclass:: {name}\n   :members:\n   :member-order: bysource\n"
    if inspect.isroutine(value):
        return f".. autofunction:: {name}\n"
    return f".. autodata:: {name}\n   :no-value:\n"


def _order(name: str) -> tuple[bool, str, str]:
    """Return a sort key that puts modules first, then names in alphabetical order."""
    return not inspect.ismodule(resolve(name)), name.rpartition(".")[2].lower(), name


@cache
def names() -> dict[str, list[str]]:
    """Return the objects on each subpackage's page: modules first, then the others alphabetically."""
    chosen = {_owner(name) for name in records_by_name()}
    chosen |= {
        f"{PACKAGE}.{relative_name}.{name}"
        for relative_name in SUBPACKAGES
        for name in public()[relative_name]
    }
    pages: dict[str, list[str]] = defaultdict(list)
    for name in sorted(chosen, key=_order):
        relative_name = name.removeprefix(f"{PACKAGE}.")
        pages[
            subpackage(relative_name) or (relative_name.split(".")[0] if "." in relative_name else PACKAGE)
        ].append(name)
    return pages


def page(subpackage_name: str) -> str:
    """Return the name of a subpackage's page."""
    return f"api-{subpackage_name.replace('.', '-')}"


def stubs() -> dict[str, str]:
    """Return the sources of the pages: a title and directives for autodoc."""
    return {
        page(subpackage_name): STUB.format(
            title=title, entries="\n".join(map(_entry, dict.fromkeys([title, *contents])))
        )
        for subpackage_name, contents in names().items()
        for title in [PACKAGE if subpackage_name == PACKAGE else f"{PACKAGE}.{subpackage_name}"]
    }


class ApiIndex(SphinxDirective):
    """{api-index}: list the pages of the reference with the purpose of each subpackage."""

    def run(self) -> list[nodes.Node]:
        pages = names()
        items = nodes.bullet_list()
        for subpackage_name in (PACKAGE, *SUBPACKAGES):
            if subpackage_name not in pages:
                continue
            title = PACKAGE if subpackage_name == PACKAGE else f"{PACKAGE}.{subpackage_name}"
            link = addnodes.pending_xref(
                "", nodes.literal("", title), refdomain="std", reftype="doc", refexplicit=True, refwarn=True,
                reftarget=f"/{FOLDER}/{page(subpackage_name)}", refdoc=self.env.docname,
            )  # fmt: skip
            purpose = (inspect.getdoc(importlib.import_module(title)) or "").split("\n\n")[0]
            text = f": {' '.join(purpose.split()).replace('``', '')}"
            items += nodes.list_item("", nodes.paragraph("", "", link, nodes.Text(text)))
        return [items]


def _escape(line: str) -> str:
    """Escape bars, which mark norms in docstrings and substitutions in reStructuredText."""
    parts = LITERAL.split(line)
    parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
    return "".join(parts)


@cache
def _attribute_docs(package: str) -> dict[str, list[str]]:
    """Return the docstrings below the assignments of a subpackage."""
    modules = [name for name in sys.modules if name == package or name.startswith(package + ".")]
    docs: dict[str, list[str]] = {}
    for module in modules:
        for (owner, name), lines in ModuleAnalyzer.for_module(module).find_attr_docs().items():
            if not owner:
                docs.setdefault(name, lines)
    return docs


@cache
def default_meanings() -> dict[str, dict[str, str]]:
    """Return the meanings of arguments by name: everywhere, in a subpackage, or of one function."""
    return tomllib.loads(ARGUMENTS.read_text(encoding="utf-8"))


@cache
def returns() -> dict[str, str]:
    """Return the descriptions of results that docstrings leave to the table."""
    table = tomllib.loads(RETURNS.read_text(encoding="utf-8"))
    return {
        f"{PACKAGE}.{subpackage_name}.{name}": text
        for subpackage_name, texts in table.items()
        for text, names in texts.items()
        for name in names
    }


@cache
def sources() -> dict[str, str]:
    """Return the sources of functions that cite none and are no right form of a display."""
    table = tomllib.loads(SOURCES.read_text(encoding="utf-8"))
    cited = {name: source for source, names in table["literature"].items() for name in names}
    return {**cited, **dict.fromkeys(table["ours"]["functions"], OURS)}


def names_its_source(name: str, function: Any) -> bool:
    """Return True if a docstring cites a source, or if a record of the ledger is about the function."""
    return name in records_by_name() or CITED.search(inspect.getdoc(function) or "") is not None


@cache
def rounding_errors() -> dict[str, dict[str, float]]:
    """Return the rounding errors of functions and methods in ulps, by dotted name and kind of arguments."""
    with ERRORS.open(encoding="utf-8", newline="") as file:
        return {
            row["function"]: {key: float(row[key]) for key in ERROR_COLUMNS} for row in csv.DictReader(file)
        }


def error_lines(what: str, name: str) -> list[str]:
    """Return the rounding errors of a function, or of the methods of a class, as lines of a docstring."""
    if what == "class":
        methods = [key for key in rounding_errors() if key.rpartition(".")[0] == name]
        if not methods:
            return []
        rows = [["in :ref:`ulps <trust-errors>`", *ERROR_COLUMNS]]
        rows += [
            [f"``{key.rpartition('.')[2]}``", *map(_error_text, rounding_errors()[key].values())]
            for key in methods
        ]
        cells = [f"   {'* -' if k == 0 else '  -'} {cell}" for row in rows for k, cell in enumerate(row)]
        return [".. list-table:: Rounding errors", "   :header-rows: 1", "", *cells, ""]
    if name not in rounding_errors():
        return []
    parts = (
        f"{_error_text(rounding_errors()[name][column])} for {heading}"
        for column, heading in ERROR_COLUMNS.items()
    )
    return [f"*Rounding error in* :ref:`ulps <trust-errors>`: {', '.join(parts)}.", ""]


def _error_text(error: float) -> str:
    return f"{error:,.0f}" if error >= 100 else f"{error:.2g}"


@cache
def own_subpackages() -> frozenset[str]:
    """Return the subpackages whose functions are all the package's own."""
    return frozenset(tomllib.loads(SOURCES.read_text(encoding="utf-8"))["ours"]["subpackages"])


def source(name: str) -> str | None:
    """Return the source of a function whose docstring cites none."""
    relative_name = name.removeprefix(f"{PACKAGE}.")
    return OURS if subpackage(relative_name) in own_subpackages() else sources().get(relative_name)


@cache
def own_paragraphs(docstring: str, heading: re.Pattern[str] = PARAMETERS) -> dict[str, str]:
    """Return the descriptions by name in a section of a docstring, by default "Parameters"."""
    section = heading.search(docstring)
    paragraphs: dict[str, str] = {}
    names: list[str] = []
    for line in section[1].splitlines() if section else ():
        if line and not line.startswith(" "):
            header, _, line = line.partition(" : ")  # names, and types if they are given
            names = [name.strip().lstrip("*") for name in header.split(",")]
        for name in names:
            paragraphs[name] = f"{paragraphs.get(name, '')} {line.strip()}".strip()
    return paragraphs


def entry(name: str, argument: str) -> tuple[str, str] | None:
    """Return where the table explains an argument of a function, and the text: the most specific entry."""
    relative_name = name.removeprefix(f"{PACKAGE}.")
    for key in (relative_name, subpackage(relative_name), "everywhere"):
        if argument in default_meanings().get(key, {}):
            return key, default_meanings()[key][argument]
    return None


def undescribed_arguments(function: Any) -> list[str]:
    """Return the arguments of a function that its docstring does not describe."""
    described = own_paragraphs(inspect.getdoc(function) or "")
    return [
        name for name in inspect.signature(function).parameters if name not in {"self", "cls", *described}
    ]


def _argument_fields(name: str, function: Any) -> list[str]:
    """Return fields for the arguments that the docstring leaves to the table."""
    entries = {argument: entry(name, argument) for argument in undescribed_arguments(function)}
    return [f":param {argument}: {text[1]}" for argument, text in entries.items() if text]


def _result_field(name: str) -> list[str]:
    """Return a field for the result if the table describes it."""
    return [f":returns: {returns()[name]}"] if name in returns() else []


def _error_fields(lines: list[str]) -> list[str]:
    """Remove the paragraph "Raises ... if ..." from a docstring's lines, and return it as fields."""
    start = next((i for i, line in enumerate(lines) if RAISES.match(line)), None)
    if start is None:
        return []
    end = next((i for i in range(start, len(lines)) if not lines[i].strip()), len(lines))
    paragraph = " ".join(lines[start:end]).removeprefix("Raises ").removesuffix(".")
    lines[start:end] = []
    parts = [part.split(" ", 1) for part in re.split(r"; (?=[A-Z]\w+ if )", paragraph)]
    return [f":raises {error}: {why[0].upper()}{why[1:]}." for error, why in parts]


def has_arguments(what: str, value: Any) -> bool:
    """Return True if an entry of the reference lists arguments; dataclasses list fields instead."""
    if what == "class":
        lists_fields = (
            is_dataclass(value) or getattr(value, "_is_protocol", False) or issubclass(value, Exception)
        )
        return "__init__" in vars(value) and not lists_fields
    return what in ("function", "method")


def _document_fields(app: Sphinx) -> None:
    """Give autodoc the descriptions of fields from the "Attributes" sections of their classes."""
    for module in [name for name in sys.modules if name.startswith(f"{PACKAGE}.")]:
        fields = {
            (name, field): [text, ""]
            for name, cls in vars(sys.modules[module]).items()
            if inspect.isclass(cls) and cls.__module__ == module
            for field, text in own_paragraphs(inspect.getdoc(cls) or "", ATTRIBUTES).items()
        }
        if fields:
            ModuleAnalyzer.for_module(module).find_attr_docs().update(fields)


def _remove_fields(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Remove the "Attributes" section from the entry of a class, because each field has its own entry."""
    if what == "class":
        lines[:] = ATTRIBUTES.sub("", "\n".join(lines)).split("\n")


def _keep_colons(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Put an empty comment before a property's docstring, so that no words before a colon become a type."""
    if what in ("attribute", "property", "data"):
        lines[:0] = ["..", ""]


def _shorten_defaults(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str | None, result: str | None
) -> tuple[str | None, str | None]:
    """Replace the defaults that are objects, which Sphinx cannot parse; types become links."""
    return signature and re.sub(r"<[^<>]*>", "...", signature), result


def _add_claims(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    if what == "data":
        package, _, attribute = name.rpartition(".")
        lines[:] = _attribute_docs(package).get(attribute, [])
    lines[:] = map(_escape, lines)
    fields = _argument_fields(name, obj) if has_arguments(what, obj) else []
    fields += _result_field(name) + _error_fields(lines)
    if fields:
        lines += ["", *fields, ""]
    if what == "function" and not names_its_source(name, obj) and (cited := source(name)):
        lines += ["", f"*Source:* {cited}.", ""]
    records = records_by_name().get(name, [])
    if records:
        lines += ["", *_claims(records), ""]
    lines += ["", *error_lines(what, name)]


def _claims(records: Iterable[Record]) -> list[str]:
    records = list(records)
    chapters = {record.chapter: record.id for record in reversed(records)}
    claims = ", ".join(f":record:`{record.id}`" for record in records)
    explained = ", ".join(f":explained:`{id}`" for id in reversed(chapters.values()))
    return [f"*Right form of:* {claims}. *Explained in:* {explained}."]


def without_list_roles(body: str) -> str:
    """Return a page whose parameters in signatures are no definition list: they have no terms."""
    return PARAMETER_LIST.sub('<dl role="none">', body)


def _describe_parameters(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if doctree is not None:
        context["body"] = without_list_roles(context["body"])


def setup(app: Sphinx) -> None:
    app.add_directive("api-index", ApiIndex)
    app.connect("builder-inited", _document_fields)
    app.connect("autodoc-process-signature", _shorten_defaults)
    app.connect("autodoc-process-docstring", _remove_fields, priority=50)
    app.connect("autodoc-process-docstring", _keep_colons, priority=100)  # before the sections are read
    app.connect("autodoc-process-docstring", _add_claims, priority=900)  # after the sections were read
    app.connect("html-page-context", _describe_parameters)
