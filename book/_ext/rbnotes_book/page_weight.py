"""Limit the size of pages, which phones would load slowly, and drop elements that have no effect."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from rbnotes_book.sections import page_name

GENERATED = ("ledger", "finder", "api", "conditions", "errata", "symbols")
"""Prefixes of the names of these pages."""
LIMITS = {"MB": 1.5, "elements": 15_000}
ELEMENT = re.compile(r"<[a-zA-Z]")
REDUNDANT_ELEMENTS = (
    re.compile(r'<span class="pre">([^<]*)</span>'),
    re.compile(r"(?<=<td>)<p>((?:(?!</?p\b|</td>).)*)</p>(?=</td>)", re.DOTALL),
)
"""Elements that say nothing on generated pages: around each word of code, and around the only paragraph of a
table's cell."""
LISTING = re.compile(r'<div class="highlight"><pre>.*?</pre>', re.DOTALL)
TOKEN = re.compile(r'<span class="(?:n|nn|nx|p|pm|w)">([^<]*)</span>')
"""Names, punctuation and spaces of listings, which have the color of the text in both themes."""

logger = logging.getLogger(__name__)


def is_generated(name: str) -> bool:
    """Return True if the build generates this page, by its name without a folder."""
    return name.startswith(GENERATED)


def without_redundant_elements(body: str) -> str:
    """Return the text of a generated page without elements that have no effect."""
    for element in REDUNDANT_ELEMENTS:
        body = element.sub(r"\1", body)
    return body


def without_plain_tokens(body: str) -> str:
    """Return a page's text with only the colored parts of listings as elements."""
    return LISTING.sub(lambda listing: TOKEN.sub(r"\1", listing[0]), body)


def faults(page: Path) -> list[str]:
    """Return the limits that a page exceeds; chapters may contain scenes and drawings of any size."""
    text = page.read_text(encoding="utf-8")
    has: dict[str, float] = {"elements": len(ELEMENT.findall(text))}
    if is_generated(page.name):
        has["MB"] = len(text.encode()) / 1e6
    return [
        f"{page.name} has {has[unit]:.6g} {unit}, more than {most}"
        for unit, most in LIMITS.items()
        if has.get(unit, 0) > most
    ]


def _remove_plain_tokens(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if doctree is None:
        return
    context["body"] = without_plain_tokens(context["body"])
    if is_generated(page_name(pagename)):
        context["body"] = without_redundant_elements(context["body"])


def _check(app: Sphinx, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html":
        for page in sorted(Path(app.outdir).rglob("*.html")):
            for fault in faults(page):
                logger.warning("%s", fault)


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", _remove_plain_tokens)
    app.connect("build-finished", _check)
