"""Pages made from the ledger must stay light, or a phone is slow.

The limit is 1.5 MB and 15,000 elements; the errata, all of a source on one page, may have more: what is out
of sight there is not laid out, see book.css.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

LIMITS = {"ledger": (1.5, 15_000), "finder": (1.5, 15_000), "api": (1.5, 20_000), "conditions": (1.5, 15_000),
          "errata": (3.2, 85_000)}  # fmt: skip
"""Megabytes and elements of a page, by what its name begins with."""
ELEMENT = re.compile(r"<[a-zA-Z]")

logger = logging.getLogger(__name__)


def faults(page: Path) -> list[str]:
    """What is too heavy about a page."""
    limits = next((limits for start, limits in LIMITS.items() if page.name.startswith(start)), None)
    if limits is None:
        return []
    text = page.read_text(encoding="utf-8")
    size, elements = len(text.encode()) / 1e6, len(ELEMENT.findall(text))
    pairs = zip((size, elements), limits, ("MB", "elements"), strict=True)
    return [f"{page.name} has {has:.6g} {unit}, more than {most}" for has, most, unit in pairs if has > most]


def _check(app: Sphinx, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html":
        for page in sorted(Path(app.outdir).rglob("*.html")):
            for fault in faults(page):
                logger.warning("%s", fault)


def setup(app: Sphinx) -> None:
    app.connect("build-finished", _check)
