"""Warn of images without alt text."""

from __future__ import annotations

from pathlib import PurePosixPath

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def check(app: Sphinx, doctree: nodes.document) -> None:
    line = 0  # of the nearest node before an image: images have none of their own
    for node in doctree.findall(nodes.Element):
        line = node.line or line
        if not isinstance(node, nodes.image):
            continue
        alt, file = node.get("alt", "").strip(), PurePosixPath(node["uri"]).name
        # where none is given, the notebook reader puts the path of the file
        if not alt or PurePosixPath(alt).name == file:
            logger.warning("image without alt text: %s", file, location=(app.env.docname, line))


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", check)
