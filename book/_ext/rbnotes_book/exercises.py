"""Two traps of exercises and solutions.

They wrap their content in sections of one and the same id: drop it. And ``{solution-start}`` silently drops
what stands between its own fences: warn.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

REPEATED = {"exercise-content", "solution-content"}
SWALLOWED = re.compile(r"^```\{(?:solution|exercise)-start\}.*\n(?::.*\n)*(?!:|```$)(?=.*\S)", re.MULTILINE)

logger = logging.getLogger(__name__)


def warn_of_swallowed_text(app: Sphinx, docname: str, source: list[str]) -> None:
    for match in SWALLOWED.finditer(source[0]):
        line = source[0][: match.end()].count("\n") + 1
        logger.warning("this text is lost: close the fence above it", location=(docname, line))


def drop_repeated_ids(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for section in doctree.findall(nodes.section):
        section["ids"] = [id for id in section["ids"] if id not in REPEATED]


def setup(app: Sphinx) -> None:
    app.connect("source-read", warn_of_swallowed_text)
    app.connect("doctree-resolved", drop_repeated_ids)
