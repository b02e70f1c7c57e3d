"""Counterexamples for the pages: each erratum's record runs once, and the result is kept."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from rbnotes.coursework.cards import Card
from rbnotes.ledger import Record, formatting
from rbnotes_book.cache import folder


@dataclass(frozen=True)
class Counterexample:
    """Counterexample and its results as text.

    Attributes
    ----------
    inputs
        Lines of the inputs.
    printed
        Result of the printed form on these inputs.
    right
        Result of the oracle.
    """

    inputs: list[str]
    printed: str
    right: str


def find_counterexample(record: Record) -> Counterexample:
    """Return the smallest known inputs on which the printed form is wrong, and its result there."""
    example = Card(record).counterexample
    assert example is not None, record.id
    values, printed, right = example
    if printed is None:
        return Counterexample(
            formatting.format_inputs(values), "no number", formatting.format_result(right, right)
        )
    return Counterexample(
        formatting.format_inputs(values),
        formatting.format_result(printed, right),
        formatting.format_result(right, printed),
    )


@cache
def counterexample(record_id: str, root: Path) -> Counterexample:
    """Return the cached result of :func:`find_counterexample` for a record."""
    from rbnotes import ledger

    file = folder(root) / "outcomes" / (record_id.replace("/", "_") + ".json")
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(asdict(find_counterexample(ledger.find(record_id)))), encoding="utf-8")
    return Counterexample(**json.loads(file.read_text(encoding="utf-8")))
