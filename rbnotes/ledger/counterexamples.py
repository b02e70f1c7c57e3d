"""Smallest counterexamples found so far, stored so that showing one does not need a search.

Their numbers are tenths, where the strategies allow it. The file stores Hypothesis's record of the choices
that lead to the inputs, not the inputs. Replaying the choices draws the inputs again. A counterexample on
which the printed form is no longer wrong is ignored.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import Phase
from hypothesis.database import ExampleDatabase

from rbnotes.ledger.evaluation import (
    CLEAR_RESIDUAL,
    SIGNIFICANT_RESIDUAL,
    SearchResult,
    Values,
    find_inputs,
    residual,
    search,
    search_settings,
)
from rbnotes.ledger.record import Record
from rbnotes.ledger.sources import active_ledger
from rbnotes.testing import strategies

FILE_NAME = "counterexamples.json"
MAX_EXAMPLES = 400
"""Largest number of inputs tried in the search for a counterexample."""


class ChoiceDatabase(ExampleDatabase):
    """Database of the shortest choices of each claim, by the name of the claim."""

    def __init__(self, choices: dict[str, bytes]) -> None:
        super().__init__()
        self.choices = choices

    def fetch(self, key: bytes) -> Iterable[bytes]:
        """Return the choices of a claim."""
        name = key.decode()
        return [self.choices[name]] if name in self.choices else []

    def save(self, key: bytes, value: bytes) -> None:
        """Store choices; the search calls this each time it finds smaller inputs."""
        self.choices[key.decode()] = value

    def delete(self, key: bytes, value: bytes) -> None:
        """Delete choices."""
        if self.choices.get(key.decode()) == value:
            del self.choices[key.decode()]

    def to_json(self, claims: Iterable[str]) -> str:
        """Return the choices of these claims as text."""
        encoded = {
            name: b64encode(self.choices[name]).decode() for name in sorted(claims) if name in self.choices
        }
        return json.dumps(encoded, indent=0) + "\n"


def stored_choices() -> ChoiceDatabase:
    """Return the choices stored with the ledger; they are read-only."""
    return _read_choices(active_ledger().folder / FILE_NAME)


@cache
def _read_choices(path: Path) -> ChoiceDatabase:
    text = path.read_text(encoding="utf-8") if path.exists() else "{}"
    return ChoiceDatabase({name: b64decode(choices) for name, choices in json.loads(text).items()})


def replay(record: Record) -> SearchResult:
    """Return the stored inputs of a claim if the printed form is still wrong on them."""
    if record.id not in stored_choices().choices or record.printed is None or record.reference is None:
        return SearchResult(None, 0.0)
    with strategies.region("tenths"):
        return search(
            record.printed,
            record.reference,
            record.inputs,
            threshold=SIGNIFICANT_RESIDUAL,
            examples=1,
            require_finite=not record.undefined,
            stored_choices=(record.id, stored_choices()),
        )


def write(database: ChoiceDatabase, claims: Iterable[str], folder: Path) -> None:
    """Write a database into the package's folder of the ledger."""
    (folder / FILE_NAME).write_text(database.to_json(claims), encoding="utf-8")


def search_smallest(record: Record, database: ChoiceDatabase) -> bool:
    """Search for the smallest inputs on which a printed form is wrong, and store them.

    Returns True if there are any.
    """
    printed, reference, holds_when = record.printed, record.reference, record.holds_when
    if printed is None or reference is None:
        return False
    options = search_settings(MAX_EXAMPLES, Phase.generate, Phase.shrink, database=database)
    for threshold in (CLEAR_RESIDUAL, SIGNIFICANT_RESIDUAL):

        def wrong(values: Values, threshold: float = threshold) -> bool:
            if holds_when is not None and np.all(holds_when(*values.values())):
                return False
            size = residual(printed, reference, values)
            return size > threshold and (np.isfinite(size) or bool(record.undefined))

        with strategies.region("tenths"):
            if find_inputs(record.inputs, wrong, options, record.id) is not None:
                return True
    return False
