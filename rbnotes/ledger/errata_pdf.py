"""Print the errata pages of the built book as PDF, with an installed browser."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from rbnotes import ledger
from rbnotes.arguments import InvalidArgument
from rbnotes.ledger import errata

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--allow-file-access-from-files",
    "--no-pdf-header-footer",
)  # fmt: skip
PRINT_TIMEOUT = 120


def find_browser() -> str | None:
    """Return the path of a browser that can print without a screen, or None if none is installed."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def print_errata(sources: Iterable[str], book: Path, folder: Path) -> list[Path]:
    """Print the pages of these sources from the built book into a folder, and return the files.

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
    return [_print_pages(program, source, book / "book", folder.resolve()) for source in sources]


def errata_pages(source: str, book: Path) -> list[Path]:
    """Return the pages of a source's errata in the built book: summary, sections in order, conditions."""
    corrected = {record.section for record in errata.corrections(source)}
    sections = dict.fromkeys(record.section for record in ledger.load() if record.source == source)
    names = [f"generated/errata-{source}-{each.lower()}" for each in sections if each in corrected]
    return [book / f"{name}.html" for name in (f"errata-{source}", *names, f"conditions-{source}")]


def _print_pages(program: str, source: str, book: Path, folder: Path) -> Path:
    """Print the summary of a source, the pages of its sections and its conditions; return the file."""
    from pypdf import PdfWriter

    pages = errata_pages(source, book)
    if not all(page.exists() for page in pages):
        raise InvalidArgument("--book", repr(str(book.parent)), "the folder of the built book (make book)")
    result, writer = folder / f"errata-{source}.pdf", PdfWriter()
    with tempfile.TemporaryDirectory() as workspace:
        for page in pages:
            file = Path(workspace) / f"{page.stem}.pdf"
            command = [
                program,
                *BROWSER_FLAGS,
                f"--user-data-dir={workspace}/profile",
                f"--print-to-pdf={file}",
                page.resolve().as_uri(),
            ]
            subprocess.run(command, check=True, capture_output=True, timeout=PRINT_TIMEOUT)
            writer.append(file)
    writer.write(result)
    return result
