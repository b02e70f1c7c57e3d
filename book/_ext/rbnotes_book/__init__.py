"""The book's own Sphinx extension: numbered equations, set formulas, badges, ledger pages, scenes."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

from rbnotes_book import alt_text, cache, equations, exercises, formulas, ledger_pages, scenes


def setup(app: Sphinx) -> dict[str, Any]:
    for part in (alt_text, cache, equations, exercises, formulas, ledger_pages, scenes):
        part.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
