"""Load the player of 3-D scenes and sliders only on pages that show one."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

SCRIPT = "scene-player.js"
MARKS = ("rbnotes-scene", "rbnotes-slider")


def _load_player(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if any(mark in context.get("body", "") for mark in MARKS):
        app.add_js_file(SCRIPT, loading_method="defer")


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", _load_player)
