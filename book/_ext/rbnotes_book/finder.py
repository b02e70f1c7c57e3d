"""Table of all displays: from the number of a display to its formula, verdict, chapter and function.

The table is readable without scripts; ``finder.js`` adds a filter and typesets the formulas of the visible
rows, from files of this module. The search page looks up numbers in the same rows.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.domains.python import PythonDomain
from sphinx.util.docutils import SphinxDirective

from rbnotes.ledger import Record
from rbnotes.ledger.coverage import inventory
from rbnotes_book import api_pages, claims, formulas
from rbnotes_book.directive import breakable
from rbnotes_book.sections import AUTHORS

SCRIPTS = ("search-words.js", "finder.js")
MARK = "finder-table"

NUMBERED = re.compile(r"e(?=\d)|(alg|table|fig)(?=\d)")
"""Prefix of the number of an equation (dropped), or of an algorithm, table or figure (kept)."""


@dataclass(frozen=True)
class Row:
    """Display of the notes; links are pages with anchors, relative to the root folder."""

    id: str
    source: str
    number: str
    section: str
    place: str
    title: str
    verdict: str
    words: str
    entry: str
    explanation: str
    chapter: str
    function: str
    code: str


class finder_table(nodes.General, nodes.Element):  # type: ignore[misc]  # docutils has no types
    """Placeholder of the table: its links are known only after all pages have been read."""


class Finder(SphinxDirective):
    """{finder}: show the table of all displays of the notes."""

    def run(self) -> list[nodes.Node]:
        return [finder_table()]


def displays() -> Iterator[tuple[str, Record]]:
    """Yield every display with a record, and its record with the worst verdict."""
    for entry in inventory():
        if records := claims.records_of_claim(entry.id):
            yield entry.id, claims.worst(records)


def rows(app: Sphinx) -> list[Row]:
    """Return the rows of the table in reading order."""
    locations = app.env.get_domain("ledger").data
    python = app.env.get_domain("py")
    assert isinstance(python, PythonDomain)

    def address(location: tuple[str, str] | None) -> str:
        return "" if location is None else f"{app.builder.get_target_uri(location[0])}#{location[1]}"

    result = []
    for id, record in displays():
        code = api_pages.documented_name(record.implemented_by[0])
        target = python.objects.get(code)
        explanation = locations["explanation"].get(record.id)
        label = id.rsplit("/", 1)[1]
        display_name = claims.place_in_notes(record).partition(", part ")[0]
        result.append(
            Row(
                id=id,
                source=record.source,
                number=NUMBERED.sub(r"\1", label, count=1) if NUMBERED.match(label) else "",
                section=record.section,
                place=display_name.strip("()") if label.startswith("e") else display_name,
                title=record.title,
                verdict=str(record.verdict),
                words=claims.WORDS[record.verdict],
                entry=address(locations["entry"].get(record.id)),
                explanation=address(explanation),
                chapter=app.env.titles[explanation[0]].astext() if explanation else "",
                function=address((target.docname, target.node_id)) if target else "",
                code=code,
            )
        )
    return result


def formula(record: Record) -> str:
    """Return the TeX of a display: its right form, or the printed form if that is right."""
    return record.replacement or record.formula


def _link(address: str, text: str, root: str) -> str:
    label = breakable(text)
    return f'<a href="{html.escape(root + address)}">{label}</a>' if address else label


def table(displayed_rows: list[Row], root: str) -> str:
    """Return the table as HTML, for a page from which the root folder is at ``root``."""
    lines = [
        f'<table class="{MARK}" data-root="{root}"><thead><tr><th>Display</th><th>Section</th>'
        "<th>What it says</th><th>Verdict</th><th>Chapter</th><th>Function</th></tr></thead><tbody>"
    ]
    for row in displayed_rows:
        section = f"{AUTHORS[row.source]} {row.section}"
        cells = (
            _link(row.entry, row.place, root),
            html.escape(section),
            html.escape(row.title),
            f'<span class="verdict verdict-{row.verdict}">{row.words}</span>',
            _link(row.explanation, row.chapter, root),
            _link(row.function, row.code.removeprefix("rbnotes."), root),
        )
        # where cells stand below each other, the section need not follow a name that begins with it
        repeated = ' class="repeated"' if row.place.startswith(section) else ""
        tags = ("<td>", f"<td{repeated}>", *["<td>"] * 4)
        filled = "".join(f"{tag}{cell}</td>" for tag, cell in zip(tags, cells, strict=True))
        lines.append(f'<tr data-id="{row.id}">{filled}</tr>')
    return "\n".join([*lines, "</tbody></table>"])


def _write_table(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in list(doctree.findall(finder_table)):
        root = app.builder.get_relative_uri(docname, "x").removesuffix("x.html")
        node.replace_self(nodes.raw("", table(rows(app), root), format="html"))


def _load_script(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if MARK in context.get("body", ""):
        for script in SCRIPTS:
            app.add_js_file(script, loading_method="defer")


def _write_data(app: Sphinx, exception: Exception | None) -> None:
    """Write the data as scripts, because a page that was opened from a folder can load nothing else."""
    if exception is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir) / "_static"
    listed = [asdict(row) for row in rows(app)]
    (folder / "displays.js").write_text(f"window.rbnotesDisplays = {json.dumps(listed)};\n", encoding="utf-8")
    for source in AUTHORS:
        set_ = {
            id: formulas.typeset_text(formula(record))
            for id, record in displays()
            if record.source == source and formula(record)
        }
        text = f"window.rbnotesFormulas(`{source}`, {json.dumps(set_)});\n"
        (folder / f"formulas-{source}.js").write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.add_node(finder_table)
    app.add_directive("finder", Finder)
    app.connect("doctree-resolved", _write_table)
    app.connect("html-page-context", _load_script)
    app.connect("build-finished", _write_data)
