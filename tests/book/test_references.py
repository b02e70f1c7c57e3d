"""Every reference is cited and can be opened."""

import re
from pathlib import Path

BOOK = Path(__file__).parents[2] / "book"
WITHOUT_ADDRESS = {"anitescu2004"}
"""References whose address could not be looked up when the list was made."""


def entries():
    """Return the references, text by key."""
    parts = re.split(r"^@\w+\{", (BOOK / "references.bib").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(part.split(",", 1) for part in parts[1:])


def test_every_reference_is_cited():
    text = "".join(path.read_text(encoding="utf-8") for path in BOOK.glob("*.md"))
    cited = {
        key.strip() for keys in re.findall(r"\{cite(?::\w+)?\}`([^`]*)`", text) for key in keys.split(",")
    }
    assert cited == set(entries())


def test_every_reference_has_an_address():
    addresses = re.compile(r"^\s*(doi\s*=\s*\{10\.\d{4,}/\S+\}|url\s*=\s*\{https?://\S+\})", re.MULTILINE)
    assert {key for key, text in entries().items() if not addresses.search(text)} == WITHOUT_ADDRESS
