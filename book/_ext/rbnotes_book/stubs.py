"""Pages that are written by the build: each is a source file of a title and a directive.

Sphinx wants a file for every page. These are made before it looks for files, in a folder that git does not
keep, and only rewritten when they change, so that nothing is read twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from rbnotes_book import api_pages, sections

FOLDER = "book/generated"
"""Where they are, seen from the folder of ``_toc.yml``."""


def write(folder: Path, pages: Mapping[str, str]) -> None:
    """Make the Markdown files of a folder those of ``pages``: text by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.md"):
        if path.stem not in pages:
            path.unlink()
    for name, text in pages.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _write_all(app: Sphinx, config: Config) -> None:
    write(Path(app.srcdir) / FOLDER, {**sections.stubs(), **api_pages.stubs()})


def _allow(app: Sphinx, config: Config) -> None:
    # what is not in the table of contents is excluded; these pages hang on others and are in none
    config["exclude_patterns"] = [
        pattern for pattern in config["exclude_patterns"] if not pattern.startswith(FOLDER + "/")
    ]


def setup(app: Sphinx) -> None:
    app.connect("config-inited", _write_all, priority=100)
    app.connect("config-inited", _allow, priority=950)  # after the table of contents was read, at 900
