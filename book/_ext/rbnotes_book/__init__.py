"""The book's own Sphinx extension: formulas, drawings, badges, ledger, errata, finder, search, scenes."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from rbnotes_book import (
    alt_text,
    api_pages,
    badges,
    cache,
    drawing,
    equations,
    errata_pages,
    exercises,
    finder,
    formulas,
    ledger_pages,
    line_ends,
    notebooks,
    page_weight,
    prerequisites,
    scenes,
    search,
    standing,
    stubs,
    symbols,
)

PARTS = (
    alt_text, api_pages, badges, cache, drawing, equations, errata_pages, exercises, finder, formulas,
    ledger_pages, line_ends, notebooks, page_weight, prerequisites, scenes, search, standing, stubs, symbols,
)  # fmt: skip


def write_in_parallel(app: Sphinx, env: BuildEnvironment) -> None:
    """Allow Sphinx to write pages in parallel after it has read them one by one."""
    app.parallel = 2


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("env-check-consistency", write_in_parallel)
    for part in PARTS:
        part.setup(app)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
