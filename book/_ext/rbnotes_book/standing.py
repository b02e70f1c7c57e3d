"""Check that the book contains every numbered display of the notes, and that right forms are complete."""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from rbnotes import ledger
from rbnotes.ledger import Record
from rbnotes.ledger.coverage import inventory
from rbnotes_book.equations import LABEL, SOURCES
from rbnotes_book.sections import page_name

ELLIPSIS = re.compile(r"\\(?:[cl]?dots)(?![a-z])|\.\.\.|…")
LISTED = re.compile(
    r"(?:,\s*(?:\\[cl]?dots|\.\.\.)\s*,)"  # a, ..., z
    r"|(?:\+\s*\\[cl]?dots\s*\+)"  # a + ... + z
    r"|(?:(?:\\ |&)\s*\\[cl]?dots\s*(?:\\ |&))"  # entries of a row
)
"""An ellipsis between the first and the last item of a list or sum leaves nothing out."""

logger = logging.getLogger(__name__)


def numbered_displays(records: tuple[Record, ...]) -> set[tuple[str, str]]:
    """Return source and number of the displays that have both a number in the notes and a record."""
    with_record = {record.display for record in records}
    return {
        (entry.source, entry.id.rsplit("/e", 1)[1])
        for entry in inventory()
        if "/e" in entry.id and entry.id in with_record
    }


def leaves_out(text: str) -> bool:
    """Return True if an ellipsis replaces a part of a right form."""
    return ELLIPSIS.search(LISTED.sub("", text)) is not None


def check(app: Sphinx, env: BuildEnvironment) -> None:
    records = ledger.load()
    names = {page_name(docname) for docname in env.found_docs}
    standing = {
        (match[1], match[2])
        for label in env.get_domain("math").data["objects"]
        if (match := LABEL.fullmatch(label))
    }
    chapters = {(r.source, r.display.rsplit("/e", 1)[-1]): r.chapter for r in records}
    for source, number in sorted(numbered_displays(records) - standing):
        if chapters[source, number] in names:
            logger.warning(
                "the right form of (%s %s) stands nowhere: give it the label %s-%s in the chapter %s",
                SOURCES[source], number, source, number, chapters[source, number],
            )  # fmt: skip
    for record in records:
        for right in (record.correction, "" if record.is_prose else record.replacement):
            if leaves_out(right):
                logger.warning("ledger:%s: an ellipsis in the right form: %s", record.id, right)


def shorten(app: Sphinx, doctree: nodes.document) -> None:
    """Warn of numbered displays of a chapter that leave something out."""
    for node in doctree.findall(nodes.math_block):
        label = node.get("label") or ""
        if LABEL.fullmatch(label) and re.search(r"\(\s*\\[cl]?dots\s*\)", node.astext()):
            logger.warning("the display %s leaves something out", label, location=node)


def setup(app: Sphinx) -> None:
    app.connect("env-check-consistency", check)
    app.connect("doctree-read", shorten)
