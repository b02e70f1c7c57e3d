"""Table of symbols: meaning, unit, shape and name in the code of each letter.

``book/_data/symbols.toml`` has an entry for each meaning. The symbols in displays of chapters carry the
number of their entry, so that ``symbols.js`` can explain them; a symbol without an entry for its chapter is a
warning, and so is an entry that no display uses. Displays of records, which quote the notes, stay unchanged.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from rbnotes_book import notation
from rbnotes_book.directive import breakable, table
from rbnotes_book.formulas import RECORD
from rbnotes_book.notation import Symbol
from rbnotes_book.prerequisites import reading_order
from rbnotes_book.sections import AUTHORS, page_name

TABLE = Path("book/_data/symbols.toml")
"""Path of the table relative to the folder of ``_toc.yml``; a book without it explains no symbols."""
SCRIPTS = ("symbols-data.js", "symbols.js")
USED = "rbnotes_symbols"
LISTS = "lists-symbols"

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Entry:
    """Meaning, and the letters that have it.

    Attributes
    ----------
    tex
        Letters in TeX.
    meaning
        Meaning in words.
    unit
        Unit; empty for a number.
    shape
        Shape of the array; empty for a number.
    code
        Name in the library.
    chapters
        Chapters where the letters have this meaning; empty means everywhere.
    notation_of
        Sets of notes whose letters these are, where other meanings share a letter in a part of the book.
    elsewhere
        TeX of the letter in a set of notes, by source, where it differs.
    """

    tex: tuple[str, ...]
    meaning: str
    unit: str = ""
    shape: str = ""
    code: str = ""
    chapters: tuple[str, ...] = ()
    notation_of: tuple[str, ...] = ()
    elsewhere: dict[str, str] = field(default_factory=dict)

    @property
    def description(self) -> str:
        """Meaning, and whose letter it is."""
        authors = " and ".join(AUTHORS[source] for source in self.notation_of)
        return f"{self.meaning}, in the notation of {authors}" if authors else self.meaning


class Table:
    """Entries, and the entry of a symbol in a chapter."""

    def __init__(self, entries: list[Entry]) -> None:
        self.entries = entries
        self._numbers: dict[tuple[str, str, str], int] = {}
        for number, entry in enumerate(entries):
            for tex in entry.tex:
                symbol = notation.symbol(tex)
                for chapter in entry.chapters or ("",):
                    key = (chapter, symbol.name, symbol.subscript)
                    if key in self._numbers:
                        previous_meaning = entries[self._numbers[key]].meaning
                        raise ValueError(
                            f"{tex} is both {previous_meaning!r} and {entry.meaning!r} in {chapter or 'all'}"
                        )
                    self._numbers[key] = number

    def number(self, symbol: Symbol, chapter: str) -> int | None:
        """Return the entry of a symbol in a chapter; font and subscript matter where the table has them."""
        for name in (symbol.name, symbol.without_bold.name):
            for subscript in (symbol.subscript, ""):
                for where in (chapter, ""):
                    number = self._numbers.get((where, name, subscript))
                    if number is not None:
                        return number
        return None


@cache
def load(path: Path) -> Table | None:
    """Return the table of the book, or None."""
    if not path.exists():
        return None
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return Table([_entry(item) for item in data["symbol"]])


def _entry(item: dict[str, Any]) -> Entry:
    tex = item.pop("tex")
    elsewhere = {source: item.pop(source) for source in AUTHORS if source in item}
    return Entry(
        tex=(tex,) if isinstance(tex, str) else tuple(tex),
        chapters=tuple(item.pop("chapters", ())),
        notation_of=tuple(item.pop("notation_of", ())),
        elsewhere=elsewhere,
        **item,
    )


def _table(app: Sphinx) -> Table | None:
    return load(Path(app.srcdir) / TABLE)


def _has_own_displays(docname: str) -> bool:
    """Return True if a page's displays are the book's own, not those of the notes in the ledger."""
    return "/generated/" not in docname


def mark_symbols(tex: str, chapter: str, symbols: Table) -> tuple[str, list[tuple[Symbol, int | None]]]:
    """Return TeX whose symbols carry the numbers of their entries, and the symbols with their numbers."""
    numbered_symbols: list[tuple[Symbol, int | None]] = []

    def wrap(symbol: Symbol, tex: str) -> str:
        number = symbols.number(symbol, chapter)
        numbered_symbols.append((symbol, number))
        rate = f", rate={symbol.dots}" if symbol.dots else ""
        return tex if number is None else rf"\htmlData{{symbol={number}{rate}}}{{{tex}}}"

    return notation.mark(tex, wrap), numbered_symbols


def _displays(doctree: nodes.document) -> Iterator[nodes.math_block]:
    for node in doctree.findall(nodes.math_block):
        if not (node.source or "").startswith(RECORD):
            yield node


def _read_symbols(app: Sphinx, doctree: nodes.document) -> None:
    """Note the symbols of a page, mark them, and warn of those that the table does not have."""
    symbols = _table(app)
    docname = app.env.docname
    if symbols is None or not _has_own_displays(docname):
        return
    app.env.note_dependency(str(Path(app.srcdir) / TABLE))
    chapter = page_name(docname)
    used: set[int] = set()
    for node in _displays(doctree):
        node["marked"], numbered_symbols = mark_symbols(node.astext(), chapter, symbols)
        used |= {number for _, number in numbered_symbols if number is not None}
        for symbol, number in numbered_symbols:
            if number is None:
                logger.warning(
                    "the table of symbols does not have %s for %s", symbol.full, chapter, location=node
                )
    _uses(app.env)[docname] = used


def _uses(env: BuildEnvironment) -> dict[str, set[int]]:
    """Return the numbers of the entries that each page uses."""
    uses: dict[str, set[int]] = env.__dict__.setdefault(USED, {})
    return uses


def _purge(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    _uses(env).pop(docname, None)


def _merge(app: Sphinx, env: BuildEnvironment, docnames: set[str], read_env: BuildEnvironment) -> None:
    """Take over what another process has read."""
    _uses(env).update({docname: used for docname, used in _uses(read_env).items() if docname in docnames})


def _check(app: Sphinx, env: BuildEnvironment) -> None:
    symbols = _table(app)
    if symbols is None:
        return
    pages = defaultdict(set)
    for docname, used in _uses(env).items():
        for number in used:
            pages[number].add(page_name(docname))
    for number, entry in enumerate(symbols.entries):
        unused = (
            set(entry.chapters) - pages[number] if entry.chapters else set() if pages[number] else {"any"}
        )
        for chapter in sorted(unused):
            logger.warning("%s: no display of %s has %s (%s)", TABLE, chapter, entry.tex[0], entry.meaning)


class symbols_table(nodes.General, nodes.Element):  # type: ignore[misc]  # docutils has no types
    """Placeholder of the table: the uses of its entries are known only after all pages have been read."""


class SymbolsDirective(SphinxDirective):
    """{symbols}: show the table of symbols."""

    def run(self) -> list[nodes.Node]:
        self.env.metadata[self.env.docname][LISTS] = "yes"
        return [symbols_table()]


def _rewrite(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return the page of the table, which is rewritten in each build, because it lists uses."""
    return [docname for docname in env.found_docs if LISTS in env.metadata[docname]]


def _letter(tex: str) -> str:
    return re.sub(r"\\(?:math(?:bf|cal)|boldsymbol|hat|bar|tilde|vec|underline|overline)|[\\{}]", "", tex)


def _order(entry: Entry) -> tuple[bool, str, bool, bool, str]:
    """Return a sort key: Latin before Greek, small before capital, general meanings first."""
    letter = _letter(entry.tex[0]).partition("_")[0]
    return (
        len(letter) > 1 and letter != "ell",
        letter.lower(),
        letter != letter.lower(),
        bool(entry.chapters),
        entry.meaning,
    )


def _fill_table(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    placeholders = list(doctree.findall(symbols_table))
    symbols = _table(app)
    if not placeholders or symbols is None:
        return
    pages: dict[int, list[str]] = defaultdict(list)
    for page in reading_order(app.env):
        for number in _uses(app.env).get(page, ()):
            pages[number].append(page)
    subjects = _subjects(app.env)
    groups: dict[str, list[int]] = {subject: [] for subject in (EVERYWHERE, *subjects.values())}
    for number in sorted(range(len(symbols.entries)), key=lambda number: _order(symbols.entries[number])):
        groups[subject_of(pages[number], subjects)].append(number)
    head = ("Symbol", "Meaning", "Unit", "Shape", "In the code", "In the notes", "Chapters")
    for placeholder in placeholders:
        sections = []
        for subject, numbers in groups.items():
            rows = [_row(app, docname, symbols.entries[number], pages[number]) for number in numbers]
            if rows:
                identifier = nodes.make_id(f"symbols-{subject}")
                title = nodes.title("", subject)
                sections.append(nodes.section("", title, table(head, rows, "symbols"), ids=[identifier]))
        placeholder.replace_self([_links_to(sections), *sections] if subjects else sections[0].children[1:])


EVERYWHERE = "In several parts of the book"


def _subjects(env: BuildEnvironment) -> dict[str, str]:
    """Return the caption of the part of the book to which each page belongs, in reading order."""
    trees = env.get_doctree(env.config.root_doc).findall(addnodes.toctree)
    return {page: tree["caption"] for tree in trees if tree.get("caption") for _, page in tree["entries"]}


def subject_of(pages: list[str], subjects: dict[str, str]) -> str:
    """Return the part that contains all pages that use a symbol."""
    parts = {subjects.get(page, EVERYWHERE) for page in pages}
    return parts.pop() if len(parts) == 1 else EVERYWHERE


def _links_to(sections: list[nodes.section]) -> nodes.paragraph:
    """Return a line with links to the sections."""
    line = nodes.paragraph()
    for number, section in enumerate(sections):
        line += [nodes.Text(", ")] * (number > 0)
        line += nodes.reference("", section[0].astext(), refid=section["ids"][0], internal=True)
    return line


WITHOUT_CODE = "none"
"""Name in the code of a quantity that the library does not name, such as a step of a derivation."""
MAX_LISTED_CHAPTERS = 6
"""Chapters that a row names; a letter with more is everywhere the same."""


def _row(app: Sphinx, docname: str, entry: Entry, pages: list[str]) -> list[nodes.Node | str]:
    letters, notes, chapters = nodes.inline(), nodes.inline(), nodes.inline()
    for number, tex in enumerate(entry.tex):
        letters += [nodes.Text(", ")] * (number > 0) + [nodes.math(tex, tex)]
    for number, (source, tex) in enumerate(entry.elsewhere.items()):
        notes += [nodes.Text(", ")] * (number > 0) + [nodes.Text(f"{AUTHORS[source]} "), nodes.math(tex, tex)]
    for number, page in enumerate(pages):
        if len(pages) > MAX_LISTED_CHAPTERS and not entry.chapters:
            chapters += nodes.Text(f"{len(pages)} chapters")
            break
        title = app.env.titles[page].astext()
        link = nodes.reference("", title, refuri=app.builder.get_relative_uri(docname, page), internal=True)
        chapters += [nodes.Text(", ")] * (number > 0) + [link]
    code = f'<code class="literal">{breakable(entry.code)}</code>' if entry.code else WITHOUT_CODE
    return [
        letters,
        entry.description,
        entry.unit,
        entry.shape,
        nodes.raw("", code, format="html"),
        notes,
        chapters,
    ]


def _write(app: Sphinx, exception: Exception | None) -> None:
    """Write the explanations as a script, because a page opened from a folder can load nothing else."""
    symbols = _table(app)
    if exception is not None or symbols is None or app.builder.format != "html":
        return
    explanations = [
        [_symbol_reading(e.tex[0]), e.description, e.unit, e.shape, e.code] for e in symbols.entries
    ]
    text = f"window.rbnotesSymbols = {json.dumps(explanations, ensure_ascii=False, separators=(',', ':'))};\n"
    (Path(app.outdir) / "_static" / SCRIPTS[0]).write_text(text, encoding="utf-8")


def _symbol_reading(tex: str) -> str:
    r"""Return the reading of a symbol: ``M hat c`` for ``\hat{M}_{c}``."""
    words = re.sub(r"\\(?:mathbf|boldsymbol|mathcal)", "", tex)
    words = re.sub(r"\\(hat|bar|tilde|vec|underline|overline)\{([^{}]*)\}", r"\2 \1", words)
    return " ".join(re.sub(r"[\\{}_]+", " ", words).split())


def _load_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if "data-symbol" in context.get("body", ""):
        for script in SCRIPTS:
            app.add_js_file(script, loading_method="defer")


def setup(app: Sphinx) -> None:
    app.add_node(symbols_table)
    app.add_directive("symbols", SymbolsDirective)
    app.connect("env-purge-doc", _purge)
    app.connect("env-merge-info", _merge)
    app.connect("doctree-read", _read_symbols)
    app.connect("env-updated", _rewrite)
    app.connect("env-check-consistency", _check)
    app.connect("doctree-resolved", _fill_table)
    app.connect("html-page-context", _load_scripts)
    app.connect("build-finished", _write)
