"""The written pages of errata: each correction once, with its inputs; and the index of the book."""

import re
from pathlib import Path

from rbnotes_book.claims import anchor

from rbnotes import ledger
from rbnotes.ledger.record import NEEDS_CORRECTION

PAGES = Path(__file__).parents[2] / "_build" / "html"
ENTRY = re.compile(r'<div class="claim-entry docutils container" id="errata-([^"]+)">')


def test_each_correction_stands_once_and_shows_its_inputs_if_it_has_any():
    shown = []
    for page in sorted((PAGES / "book" / "generated").glob("errata-*.html")):
        _, *parts = ENTRY.split(page.read_text(encoding="utf-8"))
        shown += list(zip(parts[::2], parts[1::2], strict=True))
    records = {anchor(record.id): record for record in ledger.load() if record.verdict in NEEDS_CORRECTION}
    assert sorted(name for name, _ in shown) == sorted(records)
    without = {name for name, text in shown if "which take no input" in text}
    assert without == {name for name, record in records.items() if not record.inputs}
    assert [name for name, text in shown if "Printed gives" not in text or "Right gives" not in text] == []


def test_the_index_has_what_the_reference_has():
    index = (PAGES / "genindex.html").read_text(encoding="utf-8")
    for name in ("rbnotes.so3.exp", "rbnotes.ledger.find", "rbnotes.forces.Muscle"):
        assert f'.html#{name}"' in index, name
