"""Folder of the pages that the build writes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

FOLDER = "book/generated"
"""Folder of the generated pages, relative to that of ``_toc.yml``."""


def write(folder: Path, pages: Mapping[str, str]) -> None:
    """Make the Markdown files of a folder equal to `pages`, which maps names to text."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.md"):
        if path.stem not in pages:
            path.unlink()
    for name, text in pages.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
