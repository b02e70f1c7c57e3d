"""``rbnotes verify --evidence``: prove claims in exact arithmetic, and count the kinds of evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rich.console import Console

from rbnotes.cli.output import print_json, print_table, print_text
from rbnotes.cli.selection import run_records
from rbnotes.ledger import Record
from rbnotes.ledger.evidence import KINDS, Evidence
from rbnotes.ledger.proofs import prove_record, require_flint


def prove_records(records: Sequence[Record], *, as_json: bool, console: Console) -> int:
    """Prove records, print their evidence, and return the exit status: 1 if one of them is undecided.

    Raises
    ------
    MissingExtra
        If python-flint is not installed.
    """
    require_flint()
    evidence, stopped = run_records(records, prove_record)
    proved = list(zip(records, evidence, strict=False))
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
        print_table(console, ("verdict", *KINDS), count_kinds(proved))
        num_proved = sum(each.is_proof for each in evidence)
        print_text(
            console,
            f"{num_proved} of {len(evidence)} claims are proved; the table has the reason for the others",
        )
    if stopped:
        return 130
    return 1 if any(each.kind == "undecided" for each in evidence) else 0


def count_kinds(proved: Iterable[tuple[Record, Evidence]]) -> list[tuple[str, ...]]:
    """Return a row for each verdict: how many claims have each kind of evidence."""
    counts = Counter((str(record.verdict), each.kind) for record, each in proved)
    verdicts = dict.fromkeys(verdict for verdict, _ in counts)
    return [(verdict, *(str(counts[verdict, kind]) for kind in KINDS)) for verdict in verdicts]
