"""Every picture needs words for those who cannot see it: an image without alt text is a warning."""

from __future__ import annotations

from pathlib import PurePosixPath

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def check(app: Sphinx, doctree: nodes.document) -> None:
    for image in doctree.findall(nodes.image):
        alt = image.get("alt", "").strip()
        # where none is given, the notebook reader puts the name of the file
        if not alt or PurePosixPath(alt).name == PurePosixPath(image["uri"]).name:
            logger.warning("image without alt text: %s", PurePosixPath(image["uri"]).name, location=image)


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", check)
