"""Base of the directives that show records: text with formulas, tables, and the parts of an entry."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from rbnotes.ledger import Record, dependencies, tex_to_text
from rbnotes.ledger.lookup import describe_origin, describe_pages, place_of_display
from rbnotes.ledger.record import NEEDS_CORRECTION, WRONG_AS_PRINTED
from rbnotes_book import claims, formulas

Field = tuple[str, Sequence[nodes.Node]]
"""A name and what stands beside it."""

TEX_QUOTES = re.compile(r"(?<![^\s(])`(?=\S)([^`'\n]+)'(?!\w)")
"""A quotation as in TeX: Markdown would show its backquote."""


def replace_tex_quotes(text: str) -> str:
    """Return a text with straight quotation marks in place of those of TeX."""
    return TEX_QUOTES.sub(r"'\1'", text)


def breakable(text: str) -> str:
    """Return a dotted name as HTML that may break at its dots."""
    return re.sub(r"([._])(?=[a-z])", r"\1<wbr>", html.escape(text))


def table(head: Sequence[str], rows: Iterable[Sequence[nodes.Node | str]], *classes: str) -> nodes.table:
    """Return a docutils table of text or nodes."""

    def row(cells: Sequence[nodes.Node | str]) -> nodes.row:
        result = nodes.row()
        for cell in cells:
            content = nodes.Text(cell) if isinstance(cell, str) else cell
            entry = nodes.entry("")
            block = isinstance(content, nodes.Body) and not isinstance(content, nodes.Inline)
            entry += content if block else nodes.paragraph("", "", content)
            result += entry
        return result

    group = nodes.tgroup(cols=len(head))
    group += [nodes.colspec(colwidth=1) for _ in head]
    group += nodes.thead("", row(head))
    group += nodes.tbody("", *[row(cells) for cells in rows])
    return nodes.table("", group, classes=list(classes))


class LedgerDirective(SphinxDirective):
    """Base class of directives that show records."""

    @property
    def domain(self) -> claims.ClaimsDomain:
        domain = self.env.get_domain("ledger")
        assert isinstance(domain, claims.ClaimsDomain)
        return domain

    def page_link(self, name: str, text: str, *, titled: bool = False) -> nodes.Node:
        """Return a link to a page beside the chapters; with `titled` its title replaces the text.

        In a book without that page it is plain text.
        """
        for folder in ("book/", ""):
            if folder + name in self.env.found_docs:
                return addnodes.pending_xref(
                    "", nodes.inline("", text), refdomain="std", reftype="doc", reftarget=f"/{folder}{name}",
                    refdoc=self.env.docname, refexplicit=not titled, refwarn=True,
                )  # fmt: skip
        return nodes.Text(text)

    def parse(self, text: str, record: Record) -> list[nodes.Node]:
        """Return the nodes of a record's text with TeX between dollars; warnings name the record."""
        if not text:
            return []
        box = nodes.container()
        lines = replace_tex_quotes(text).splitlines()
        self.state.nested_parse(StringList(lines, f"{formulas.RECORD}{record.id}"), 0, box)
        for node in box.findall(nodes.Element):
            node.source, node.line = f"{formulas.RECORD}{record.id}", None
        parsed: list[nodes.Node] = box.children
        return parsed

    def formula(self, record: Record) -> list[nodes.Node]:
        """Return the claim as a display or as a sentence."""
        if not record.formula:
            return []
        parts = tex_to_text.split_text_and_formulas(record.formula)
        if len(parts) == 1 and not parts[0].is_text:
            node: nodes.Element = nodes.math_block(record.formula, record.formula, nowrap=False, number=None)
        else:
            node = nodes.paragraph()
            for part in parts:
                node += nodes.Text(part.content) if part.is_text else nodes.math("", part.content)
        for each in node.findall(nodes.Element):
            each.source = f"{formulas.RECORD}{record.id}"
        return [node]

    def fields(self, pairs: Iterable[Field]) -> nodes.field_list:
        result = nodes.field_list(classes=["claim-fields"])
        for name, content in pairs:
            if content:
                result += nodes.field("", nodes.field_name("", name), nodes.field_body("", *content))
        return result

    def heading(self, record: Record) -> nodes.paragraph:
        badge = claims.badge(record.verdict)
        return nodes.paragraph(
            "", "", nodes.strong("", record.title), nodes.Text(" "), badge, nodes.Text(" "),
            nodes.inline("", claims.place_in_notes(record), classes=["where"]),
        )  # fmt: skip

    def dependencies(self, record: Record) -> list[Field]:
        """Return the displays on which a claim rests, and those that use it, linked to the ledger."""
        return [
            ("Rests on", self.displays(dependencies.rests_on(record.display))),
            ("Used by", self.displays(dependencies.used_by(record.display))),
        ]

    def displays(self, listed: Sequence[str]) -> list[nodes.Node]:
        """Return links to displays in the ledger, with the badges of those to be corrected."""
        parts: list[nodes.Node] = []
        for display in listed:
            record = claims.worst(claims.records_of_claim(display))
            place = nodes.inline("", place_of_display(display))
            parts += [nodes.Text(", "), claims.link(record, place, "entry", self.env.docname)]
            if record.verdict in NEEDS_CORRECTION:
                parts += [nodes.Text(" "), claims.badge(record.verdict)]
        return [nodes.paragraph("", "", *parts[1:])] if parts else []

    def statement(self, record: Record) -> list[Field]:
        """Return the fields that every view shows: printed form, right form and condition."""
        mismatch = f"They are inconsistent: {record.units_mismatch}." if record.units_mismatch else ""
        origin = f"{describe_origin(record)}." if record.verdict in WRONG_AS_PRINTED else ""
        return [
            ("Printed" if record.correction else "Claim", self.formula(record)),
            ("Right form", self.parse(record.correction, record)),
            ("Holds if", self.parse(record.condition, record)),
            ("Units", self.parse(mismatch, record)),
            ("Remark", self.parse(record.remark, record)),
            ("Origin", self.parse(origin[:1].upper() + origin[1:], record)),
            ("Pages", self.parse(describe_pages(record), record)),
            ("Author's reply", self.parse(record.reply, record)),
        ]
