"""Counterexamples for the pages: each erratum's record is run once and its outcome kept."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np

from rbnotes.ledger import Record
from rbnotes.ledger.runner import counterexample_of
from rbnotes_book.cache import folder


@dataclass(frozen=True)
class Found:
    """What a reader wants to know of a run: the inputs as text, and the size of the error."""

    inputs: list[str]
    residual: float | None


def _show(name: str, value: object) -> str:
    numbers = np.asarray(value)
    if numbers.dtype == object:
        return f"{name} = {value}"
    text = np.array2string(numbers, precision=6, suppress_small=True, separator=", ", prefix=f"{name} = ")
    return f"{name} = {text}"


@cache
def counterexample(record_id: str, root: Path) -> Found:
    """The smallest inputs found on which the printed form of a record is wrong."""
    from rbnotes import ledger

    file = folder(root) / "outcomes" / (record_id.replace("/", "_") + ".json")
    if not file.exists():
        record: Record = ledger.find(record_id)
        wrong = counterexample_of(record)
        found = Found(
            [_show(name, value) for name, value in (wrong.counterexample or {}).items()], wrong.worst
        )
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(asdict(found)), encoding="utf-8")
    return Found(**json.loads(file.read_text(encoding="utf-8")))
