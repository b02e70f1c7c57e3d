"""The errata as PDF: the pages of the built book, printed by a browser that is installed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from rbnotes.arguments import InvalidArgument

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--allow-file-access-from-files",
    "--no-pdf-header-footer",
)  # fmt: skip
PRINT_TIMEOUT = 120


def find_browser() -> str | None:
    """Return the path of a browser that can print without a screen; None if none is installed."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def print_errata(sources: Iterable[str], book: Path, folder: Path) -> list[Path]:
    """Print the pages of these sources from the built book into a folder; returns the files.

    Raises
    ------
    InvalidArgument
        If no browser is installed, or the book is not built.
    """
    program = find_browser()
    if program is None:
        raise InvalidArgument(
            "--format", "'pdf'", f"md or csv, as none of {', '.join(BROWSERS)} is installed"
        )
    files = []
    for source in sources:
        page = book / "book" / f"errata-{source}.html"
        if not page.exists():
            raise InvalidArgument("--book", repr(str(book)), "the folder of the built book (make book)")
        file = folder.resolve() / f"errata-{source}.pdf"
        with tempfile.TemporaryDirectory() as profile:
            subprocess.run(
                [
                    program,
                    *BROWSER_FLAGS,
                    f"--user-data-dir={profile}",
                    f"--print-to-pdf={file}",
                    page.resolve().as_uri(),
                ],
                check=True,
                capture_output=True,
                timeout=PRINT_TIMEOUT,
            )
        files.append(file)
    return files
