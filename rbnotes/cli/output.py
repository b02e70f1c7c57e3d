"""Output of commands: tables with complete ids, text without line breaks, JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from rbnotes.ledger.evidence import find_evidence, is_stale
from rbnotes.ledger.pages import NO_PAGE
from rbnotes.ledger.record import Record
from rbnotes.ledger.runner import Outcome


class _Console(Console):
    """Console that leaves a broken pipe to the caller: rich exits with status 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console() -> Console:
    """Return the console that commands print to."""
    return _Console(highlight=False)


def print_table(console: Console, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table whose first column holds ids.

    If an id or a word does not fit, the table becomes wider than the terminal; nothing is cut.
    """
    rows, table = [*rows], Table()
    columns = [[name, *(row[column] for row in rows)] for column, name in enumerate(head)]
    least = [
        max(len(word) for cell in cells for word in ([cell] if column == 0 else cell.split() or [""]))
        for column, cells in enumerate(columns)
    ]
    widths = _column_widths(
        [max(map(len, cells)) for cells in columns], least, console.width - 3 * len(head) - 1
    )
    for name, width in zip(head, widths, strict=True):
        table.add_column(name, width=width)
    for row in rows:
        table.add_row(*map(escape, row))
    wide = _Console(highlight=False, width=sum(widths) + 3 * len(head) + 1, file=console.file)
    wide.print(table, crop=False)


def _column_widths(preferred: Sequence[int], least: Sequence[int], available: int) -> list[int]:
    """Return the widths of the columns: the widest shrink first, and none below its longest word.

    If the words alone need more than `available`, the widths are `least`.
    """
    at_most = (
        [min(most, max(few, level)) for most, few in zip(preferred, least, strict=True)]
        for level in range(max(preferred), 0, -1)
    )
    return next((widths for widths in at_most if sum(widths) <= available), [*least])


def print_text(console: Console, text: str) -> None:
    """Print text without wrapping and markup, because formulas and code contain brackets."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def print_json(data: Any) -> None:
    """Print plain values as JSON."""
    print(json.dumps(data, indent=1))


def record_to_dict(record: Record, outcome: Outcome | None = None) -> dict[str, Any]:
    """Return a record, and its outcome if it was run, as plain JSON values."""
    result = outcome or Outcome(record, False)
    counterexample = result.counterexample
    return {
        "id": record.id,
        "verdict": str(record.verdict),
        "confirmed": None if outcome is None else outcome.confirmed,
        "title": record.title,
        "formula": record.formula,
        "condition": record.condition,
        "correction": record.correction,
        "replacement": record.replacement,
        "remark": record.remark,
        "scan": "likely" if record.scan else "",
        "origin": str(record.origin),
        "page_2019": NO_PAGE if record.page_2019 is None else record.page_2019.content,
        "page_2019_number": "" if record.page_2019 is None else record.page_2019.range,
        "page_2021": NO_PAGE if record.page_2021 is None else record.page_2021.content,
        "page_2021_number": "" if record.page_2021 is None else record.page_2021.range,
        "fixed": record.is_fixed,
        "reply": record.reply,
        "residual_printed": _json_number(result.residual_printed),
        "residual_corrected": _json_number(result.residual_corrected),
        "counterexample": counterexample
        and {name: to_plain(value) for name, value in counterexample.items()},
        "oracle": record.oracle,
        "implemented_by": list(record.implemented_by),
        "chapter": record.chapter,
        "reason": result.reason,
        "evidence": str(find_evidence(record)),
        "stale": is_stale(record),
    }


def to_plain(value: Any) -> Any:
    """Return a value as plain JSON values."""
    return (
        np.asarray(value).tolist()
        if isinstance(value, np.ndarray | np.generic | float | int)
        else repr(value)
    )


def _json_number(value: float | None) -> float | str | None:
    """Return a number, or text for infinity, which JSON lacks (a form that cannot be evaluated)."""
    return value if value is None or np.isfinite(value) else "infinite"
