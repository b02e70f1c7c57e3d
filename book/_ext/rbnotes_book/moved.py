"""Keep the anchors of sections and displays that moved to other chapters, ``book/_data/moved.toml``.

The page that had an anchor ends with a folded list of links to the new places. A script follows the link of
the anchor in the address; without scripts the browser unfolds the list at that link.
"""

from __future__ import annotations

import html
import tomllib
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from rbnotes_book.sections import page_name

Moved = dict[str, dict[str, list[str]]]
"""Anchors that moved, by the page that had them and the page that has them."""


def read(root: Path) -> Moved:
    """Return the anchors that moved in the book at ``root``; empty if it does not say so."""
    path = root / "book" / "_data" / "moved.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def links(targets: dict[str, list[str]]) -> str:
    """Return the list of links of a page, as HTML."""
    items = "".join(
        f'<a id="{html.escape(anchor)}" href="{page}.html#{html.escape(anchor)}">{html.escape(anchor)}</a> '
        for page, anchors in targets.items()
        for anchor in anchors
    )
    return f'<details class="moved"><summary>Moved to other chapters</summary>{items}</details>'


def _append(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    targets = read(Path(app.srcdir)).get(page_name(pagename))
    if doctree is not None and targets and app.builder.name == "html":
        context["body"] += links(targets)


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", _append)
