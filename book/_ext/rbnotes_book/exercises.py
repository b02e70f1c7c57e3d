"""Work around four defects of the extension for exercises and solutions.

All exercises get sections with the same id: drop it. ``{solution-start}`` silently drops the text between its
own fences: warn. On pages without a number the numbers of exercises continue from page to page: restart at 1.
The link in the title of a solution begins with a space, which is underlined: put the space before the link.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
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


def start_links_with_words(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Move the space with which a link in a title begins to the text before the link."""
    for title in doctree.findall(nodes.title):
        for link in title.findall(nodes.reference):
            first = link.children[0]
            if isinstance(first, nodes.Text) and first.startswith(" "):
                link.replace(first, nodes.Text(first.lstrip()))
                link.parent.insert(link.parent.index(link), nodes.Text(" "))


def restart_exercise_numbers(app: Sphinx, env: BuildEnvironment) -> None:
    """Restart the numbers of exercises at 1 on each page without a chapter number."""
    for kinds in env.toc_fignumbers.values():
        for numbers in kinds.values():
            unnumbered = [id for id, number in numbers.items() if len(number) == 1]
            numbers.update({id: (count,) for count, id in enumerate(unnumbered, 1)})


def setup(app: Sphinx) -> None:
    app.connect("env-check-consistency", restart_exercise_numbers)
    app.connect("source-read", warn_of_swallowed_text)
    app.connect("doctree-resolved", drop_repeated_ids)
    app.connect("doctree-resolved", start_links_with_words)
