"""A tiny book in a temporary folder, with the settings and the extension of the real one."""

from __future__ import annotations

import atexit
import subprocess
import sys
from functools import cache
from pathlib import Path

import yaml

REPOSITORY = Path(__file__).parents[2]

NOTEBOOK = """\
---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---
"""

FAKE_LEDGER = '''\
"""A ledger of five records, so that the pages' tests do not depend on the real one."""

import numpy as np
from hypothesis import strategies as st

from rbnotes import ledger
from rbnotes.ledger import Record, Verdict
from rbnotes.ledger.pages import Page
from rbnotes_book import api_pages


def record(id, verdict, **more):
    return Record(
        id=id,
        verdict=verdict,
        title=f"Title of {id}",
        chapter="example",
        implements=(ledger.find,),
        formula=r"f(x) = -x^2 \\text{ as printed}",
        oracle="another way to square $x$",
        inputs={"x": st.floats(-10, 10)},
        library=lambda x: x**2,
        reference=lambda x: x * x,
        **more,
    )


RECORDS = (
    record("lloyd/s0.2/d1", Verdict.HOLDS, printed=lambda x: x**2),
    record(
        "lloyd/s0.2/d2#a", Verdict.CONDITIONAL, printed=lambda x: x * abs(x),
        condition_inputs={"x": st.floats(0, 9)}, condition=r"$x \\ge 0$",
    ),
    record(
        "lloyd/s0.2/d2#b", Verdict.ERRATUM, printed=lambda x: -(x**2), correction=r"$f(x) = x^2$", scan=True
    ),
    record("sueda/s1.1/e1.1", Verdict.HOLDS, printed=lambda x: x**2),
    record(
        "sueda/s1.1/t9", Verdict.ERRATUM, printed=lambda x: -(x**2), correction=r"$f(x) = x^2$",
        page_2019=Page(1), page_2021=Page(3, r"$x^2$", fixed=True),
    ),
)


def setup(app):
    ledger.load = lambda: RECORDS
    api_pages.SUBPACKAGES = ("errors",)  # the whole reference takes long
    return {"parallel_read_safe": True, "parallel_write_safe": True}
'''

LEDGER_PAGES = {
    "ledger": (
        "# The ledger\n\n```{ledger-summary}\n```\n\n```{sections} lloyd\n```\n\n```{evidence-summary}\n```\n"
    ),
    "finder": "# Finder\n\n```{finder}\n```\n",
    "errata-lloyd": "# Errata\n\n```{errata} lloyd\n```\n",
    "errata-sueda": "# Fixed\n\n```{errata} sueda\n```\n",
    "errata-si": "# No errata\n\n```{errata} si\n```\n",
    "conditions-lloyd": "# Conditions\n\n```{conditions} lloyd\n```\n",
}


@cache
def _build_server() -> subprocess.Popen[str]:
    command = [sys.executable, Path(__file__).with_name("build_server.py")]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    # Closes the pipes, upon which the server ends, and waits for that.
    atexit.register(server.__exit__, None, None, None)
    return server


class TinyBook:
    """A book at ``root`` with the settings of the real one; the first page is its start page.

    The others are chapters, or those of a part with the title ``part``. ``repository`` is ``owner/name``.
    """

    def __init__(
        self,
        root: Path,
        pages: dict[str, str],
        ledger: str = FAKE_LEDGER,
        part: str = "",
        repository: str = "",
    ) -> None:
        self.root = root
        self.html = root / "_build" / "html"
        config = yaml.safe_load((REPOSITORY / "_config.yml").read_text(encoding="utf-8"))
        config["sphinx"]["local_extensions"] = {
            "fake_ledger": str(root),
            "rbnotes_book": str(REPOSITORY / "book" / "_ext"),
        }
        settings = config["sphinx"]["config"]
        settings["extensions"].append("fake_ledger")
        settings["rbnotes_repository"] = repository
        settings["html_favicon"] = str(REPOSITORY / settings["html_favicon"])
        logo = settings["html_theme_options"]["logo"]
        for image in ("image_light", "image_dark"):
            logo[image] = str(REPOSITORY / logo[image])
        settings["html_search_scorer"] = str(REPOSITORY / settings["html_search_scorer"])
        settings["html_static_path"] = [str(REPOSITORY / path) for path in settings["html_static_path"]]
        config["bibtex_bibfiles"] = [str(REPOSITORY / path) for path in config["bibtex_bibfiles"]]
        start, *others = pages
        chapters = [{"file": name} for name in others]
        contents = {"parts": [{"caption": part, "chapters": chapters}]} if part else {"chapters": chapters}
        toc = {"format": "jb-book", "root": start, **contents}
        self._write("_config.yml", yaml.safe_dump(config))
        self._write("_toc.yml", yaml.safe_dump(toc))
        self._write("fake_ledger.py", ledger)
        for name, text in pages.items():
            self._write(f"{name}.md", text)

    def _write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, encoding="utf-8")

    def explain_symbols(self, entries: str) -> None:
        """Give the book a table of symbols in TOML."""
        (self.root / "book" / "_data").mkdir(parents=True)
        self._write("book/_data/symbols.toml", f"symbol = [{entries}]\n")

    def run_command(self) -> subprocess.CompletedProcess[str]:
        """Run the command that builds books."""
        command = [sys.executable, REPOSITORY / "tools" / "build_book.py", "--root", self.root]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def build(self) -> subprocess.CompletedProcess[str]:
        """Do the same in a process that has loaded the modules already, which takes longer than the build."""
        server = _build_server()
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(f"{self.root}\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
        output, errors = ((self.root / name).read_text(encoding="utf-8") for name in ("stdout", "stderr"))
        return subprocess.CompletedProcess("build_book.py", status, output, errors)
