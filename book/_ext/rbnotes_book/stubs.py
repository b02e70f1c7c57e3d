"""Pages that are written by the build: each is a source file of a title and a directive.

Sphinx wants a file for every page. These are made before it looks for files, in a folder that git does not
keep, and only rewritten when they change, so that nothing is read twice.
"""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from rbnotes_book import api_pages, sections
from rbnotes_book.generated import FOLDER, write


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
