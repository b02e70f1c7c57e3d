"""Exercises and solutions wrap their content in sections of one and the same id: drop it."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx

REPEATED = {"exercise-content", "solution-content"}


def drop_repeated_ids(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for section in doctree.findall(nodes.section):
        section["ids"] = [id for id in section["ids"] if id not in REPEATED]


def setup(app: Sphinx) -> None:
    app.connect("doctree-resolved", drop_repeated_ids)
