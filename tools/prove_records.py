"""Prove claims that changed since their last proof, and store the evidence in rbnotes/ledger/evidence.json.

    python tools/prove_records.py             claims that are stale
    python tools/prove_records.py --all       all claims
    python tools/prove_records.py --jobs 2    in two processes

Results are stored every few seconds. After an interruption, a run without --all continues. The exit status
is 1 if the evidence of a claim is undecided.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence

from rich.progress import track

from rbnotes import ledger
from rbnotes.ledger.evidence import (
    KINDS,
    Evidence,
    proof_digest,
    read_evidence,
    write_evidence,
)
from rbnotes.ledger.proofs import prove_record
from rbnotes.ledger.sources import active_ledger

SECONDS_BETWEEN_WRITES = 10.0
RECORDS = {record.id: record for record in ledger.load()}


def prove(name: str) -> tuple[str, Evidence]:
    return name, prove_record(RECORDS[name])


def results(names: Sequence[str], jobs: int) -> Iterator[tuple[str, Evidence]]:
    """Yield the evidence of claims as it is found."""
    if jobs == 1 or len(names) < 2:
        yield from map(prove, names)
        return
    yield prove(names[0])  # loads the exact copy of the package before the processes start
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        yield from pool.imap_unordered(prove, names[1:], chunksize=4)


def main() -> int:
    parser = argparse.ArgumentParser(description="Proves changed claims and stores the evidence.")
    parser.add_argument("--all", action="store_true", help="prove all claims")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="number of processes (default 1)")
    options = parser.parse_args()
    folder = active_ledger().folder
    stored = {} if options.all else read_evidence(folder)
    evidence = {name: each for name, each in stored.items() if name in RECORDS}
    due = [
        name
        for name, record in RECORDS.items()
        if name not in evidence or evidence[name].digest != proof_digest(record)
    ]
    written_at = time.monotonic()
    for name, found in track(results(due, options.jobs), total=len(due)):
        evidence[name] = found
        if time.monotonic() - written_at > SECONDS_BETWEEN_WRITES:
            write_evidence(folder, evidence)
            written_at = time.monotonic()
    write_evidence(folder, evidence)
    counts = Counter(each.kind for each in evidence.values())
    print(f"{len(due)} proved; " + ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind]))
    undecided = [name for name, each in evidence.items() if each.kind == "undecided"]
    for name in undecided:
        print(f"{name}: {evidence[name]}")
    return 1 if undecided else 0


if __name__ == "__main__":
    sys.exit(main())
