"""``rbnotes verify --evidence``: prove claims in exact arithmetic, and count the kinds of evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from rbnotes.cli.output import print_json, print_table, print_text
from rbnotes.cli.selection import run_records
from rbnotes.errors import MissingExtra
from rbnotes.ledger import Record

if TYPE_CHECKING:
    from rbnotes.ledger.exact.evidence import Evidence


def prove_records(records: Sequence[Record], *, as_json: bool, console: Console) -> int:
    """Prove records, print their evidence, and return the exit status: 1 if the evidence contradicts one.

    Raises
    ------
    MissingExtra
        If python-flint is not installed.
    """
    try:
        from rbnotes.ledger.exact import evidence
    except ImportError as error:
        message = "proofs need python-flint: pip install 'rbnotes[exact]'"
        raise MissingExtra(message, name="flint") from error
    found, stopped = run_records(records, lambda record: evidence.prove_claim(record.id))
    proved = list(zip(records, found, strict=False))
    if as_json:
        print_json(
            [
                {"id": record.id, "verdict": str(record.verdict), "evidence": str(each), **each.to_json()}
                for record, each in proved
            ]
        )
    else:
        rows = [(record.id, str(record.verdict), str(each)) for record, each in proved]
        print_table(console, ("claim", "verdict", "evidence"), rows)
        print_table(console, ("verdict", *evidence.KINDS), count_kinds(proved, evidence.KINDS))
        num_proved = sum(each.is_proof for each in found)
        print_text(console, f"{num_proved} of {len(found)} claims are proved; 'sampled' says why not")
    if stopped:
        return 130
    return 1 if any(each.kind == "undecided" for each in found) else 0


def count_kinds(proved: Sequence[tuple[Record, Evidence]], kinds: Sequence[str]) -> list[tuple[str, ...]]:
    """Return a row for each verdict: how many claims have each kind of evidence."""
    counts = Counter((str(record.verdict), each.kind) for record, each in proved)
    verdicts = dict.fromkeys(verdict for verdict, _ in counts)
    return [(verdict, *(str(counts[verdict, kind]) for kind in kinds)) for verdict in verdicts]
