"""The book's own Sphinx extension: formulas, drawings, badges, ledger, errata, finder, search, scenes."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_proof.domain import ProofDomain

from rbnotes_book import (
    alt_text,
    api_pages,
    badges,
    cache,
    dependency_pages,
    display_cards,
    drawing,
    equations,
    errata_pages,
    exercises,
    finder,
    formulas,
    ledger_pages,
    line_ends,
    live,
    moved,
    notebooks,
    openings,
    page_weight,
    prerequisites,
    scenes,
    search,
    standing,
    stubs,
    symbols,
)

PARTS = (
    alt_text, api_pages, badges, cache, dependency_pages, display_cards, drawing, equations, errata_pages,
    exercises, finder, formulas, ledger_pages, line_ends, live, moved, notebooks, openings, page_weight,
    prerequisites, scenes, search, standing, stubs, symbols,
)  # fmt: skip


def _allow_parallel_reading(app: Sphinx) -> None:
    """Supply what two extensions lack for pages that are read by several processes."""
    # Sections are numbered when all pages have been read.
    app.extensions["sphinx_multitoc_numbering"].parallel_read_safe = True
    # Theorems are kept in the environment, where sphinx_proof merges them; its domain holds no data.
    ProofDomain.merge_domaindata = lambda *_: None


def _number_algorithms(_: Sphinx, doctree: nodes.document) -> None:
    """Give the contents of each algorithm of a page an anchor of its own; sphinx_proof gives all the same."""
    contents = [each for each in doctree.findall(nodes.section) if each["ids"] == ["proof-content"]]
    for number, section in enumerate(contents[1:], 2):
        section["ids"] = [f"proof-content-{number}"]


def setup(app: Sphinx) -> dict[str, Any]:
    _allow_parallel_reading(app)
    app.connect("doctree-read", _number_algorithms)
    for part in PARTS:
        part.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
