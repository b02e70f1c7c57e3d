"""A tiny book in a temporary folder, with the settings and the extension of the real one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).parents[2]
sys.path[:0] = [str(REPOSITORY / "tools"), str(REPOSITORY / "book" / "_ext")]

NOTEBOOK = """\
---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---
"""

MakeBook = Callable[[Path, dict[str, str]], None]


def make_book(root: Path, pages: dict[str, str]) -> None:
    """Write a book at ``root`` with these pages; the first is its start page."""
    config = yaml.safe_load((REPOSITORY / "_config.yml").read_text(encoding="utf-8"))
    config["sphinx"]["local_extensions"] = {"rbnotes_book": str(REPOSITORY / "book" / "_ext")}
    settings = config["sphinx"]["config"]
    settings["html_static_path"] = [str(REPOSITORY / path) for path in settings["html_static_path"]]
    config["bibtex_bibfiles"] = [str(REPOSITORY / path) for path in config["bibtex_bibfiles"]]
    (root / "_config.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    start, *others = pages
    toc = {"format": "jb-book", "root": start, "chapters": [{"file": name} for name in others]}
    (root / "_toc.yml").write_text(yaml.safe_dump(toc), encoding="utf-8")
    for name, text in pages.items():
        path = root / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="session")
def tiny_book() -> MakeBook:
    return make_book
