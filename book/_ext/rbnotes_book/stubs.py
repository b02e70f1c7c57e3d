"""Write the sources of generated pages: a title and a directive each.

Sphinx needs a file for every page. They are written before it looks for files, in a folder that git ignores,
and only when they change, so that Sphinx does not read them again.
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
    # Pages outside the table of contents are excluded; other pages link these.
    config["exclude_patterns"] = [
        pattern for pattern in config["exclude_patterns"] if not pattern.startswith(FOLDER + "/")
    ]


def setup(app: Sphinx) -> None:
    app.connect("config-inited", _write_all, priority=100)
    app.connect("config-inited", _allow, priority=950)  # after the table of contents was read, at 900
