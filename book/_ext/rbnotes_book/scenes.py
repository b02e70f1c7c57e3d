"""The player of 3-D scenes is loaded only on the pages that show one."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

SCRIPT = "scene-player.js"
MARK = "rbnotes-scene"


def _load_player(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if MARK in context.get("body", ""):
        app.add_js_file(SCRIPT, loading_method="defer")


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", _load_player)
