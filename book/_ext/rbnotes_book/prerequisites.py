"""Check that the chapters that a chapter needs stand before it, as in ``needs: [rotations, free-flight]``.

The front matter declares them. The opening, all text before the first heading, must link them, so that
declaration and prose agree.
"""

from __future__ import annotations

import json

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from rbnotes_book.sections import page_name

logger = logging.getLogger(__name__)


def reading_order(env: BuildEnvironment) -> list[str]:
    """Return all pages of the table of contents in reading order."""
    order: list[str] = []

    def visit(docname: str) -> None:
        order.append(docname)
        for child in env.toctree_includes.get(docname, []):
            visit(child)

    visit(env.config.root_doc)
    return order


def needs(env: BuildEnvironment, docname: str) -> list[str]:
    """Return the names of the pages that a page declares to need."""
    declared = env.metadata[docname].get("needs", "[]")
    names: list[str] = json.loads(declared) if isinstance(declared, str) else declared
    return names


def _linked_in_opening(doctree: nodes.document) -> set[str]:
    links = set()
    for node in doctree.findall(addnodes.pending_xref):
        section = node.parent
        depth = 0
        while section is not None:
            depth += isinstance(section, nodes.section)
            section = section.parent
        if depth == 1:
            links.add(page_name(node["reftarget"]).removesuffix(".md"))
    return links


def check(app: Sphinx, env: BuildEnvironment) -> None:
    order = reading_order(env)
    position = {page_name(docname): number for number, docname in enumerate(order)}
    for docname in order:
        name = page_name(docname)
        for need in needs(env, docname):
            if need not in position:
                logger.warning("needs %s, which is no page of the book", need, location=docname)
            elif position[need] >= position[name]:
                logger.warning("needs %s, which does not stand before it", need, location=docname)


def check_opening(app: Sphinx, doctree: nodes.document) -> None:
    declared = needs(app.env, app.env.docname)
    if not declared:
        return
    linked = _linked_in_opening(doctree)
    for need in declared:
        if need not in linked:
            logger.warning(
                "the opening does not link %s, which the page needs", need, location=app.env.docname
            )


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", check_opening, priority=900)  # the front matter has become metadata
    app.connect("env-check-consistency", check)
