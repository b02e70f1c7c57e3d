"""Prove claims in exact arithmetic, and store the evidence in tests/ledger/evidence.json.

    python tools/prove_claims.py              claims whose digest differs from the stored one
    python tools/prove_claims.py --all        all claims (minutes)
    python tools/prove_claims.py ID ...       some claims

It prints how many claims have which kind of evidence, and the claims without a proof with the reasons.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from rich.progress import track

from rbnotes import ledger
from rbnotes.ledger.checks.digests import record_digest
from rbnotes.ledger.exact.evidence import KINDS, PROOFS, prove
from rbnotes.ledger.exact.loader import exact_package

TESTS = Path(__file__).parents[1] / "tests" / "ledger"
EVIDENCE = TESTS / "evidence.json"
VERDICTS_TO_PROVE = ("holds", "conditional", "misprint", "erratum")


def current_digests() -> dict[str, str]:
    """Return the digests of all records."""
    equivalent = tomllib.loads((TESTS / "equivalent_mutants.toml").read_text(encoding="utf-8"))
    return {record.id: record_digest(record, equivalent.get(record.id, {})) for record in ledger.load()}


def print_table(evidence: dict[str, dict[str, Any]]) -> None:
    """Print the kinds of evidence of each verdict, and the claims without a proof."""
    verdicts = {record.id: str(record.verdict) for record in ledger.load()}
    counts = Counter((verdicts[name], entry["kind"]) for name, entry in evidence.items() if name in verdicts)
    print("verdict".ljust(15) + "".join(kind.rjust(12) for kind in KINDS))
    for verdict in dict.fromkeys(verdicts.values()):
        print(verdict.ljust(15) + "".join(str(counts[verdict, kind]).rjust(12) for kind in KINDS))
    for name, entry in evidence.items():
        if entry["kind"] not in PROOFS and verdicts.get(name) in VERDICTS_TO_PROVE:
            print(f"{name}: {entry['kind']}, {entry.get('reason', '')}")
    total = sum(counts[verdict, kind] for verdict in VERDICTS_TO_PROVE for kind in KINDS)
    proved = sum(counts[verdict, kind] for verdict in VERDICTS_TO_PROVE for kind in PROOFS)
    print(f"{proved} of {total} claims that hold, are conditional, misprints or errata are proved")


def main() -> int:
    parser = argparse.ArgumentParser(description="Proves claims in exact arithmetic and stores the evidence.")
    parser.add_argument("--all", action="store_true", help="prove all claims again")
    parser.add_argument("ids", nargs="*", metavar="ID", help="prove these claims again")
    options = parser.parse_args()
    stored = json.loads(EVIDENCE.read_text(encoding="utf-8")) if EVIDENCE.exists() else {}
    digests = current_digests()
    with exact_package():
        from rbnotes.ledger import load

        exact_records = load()
    due = [
        record
        for record in exact_records
        if options.all
        or record.id in options.ids
        or (not options.ids and stored.get(record.id, {}).get("digest") != digests[record.id])
    ]
    for record in track(due, "Proving"):
        evidence = prove(record)
        evidence.digest = digests[record.id]
        stored[record.id] = evidence.to_json()
    evidence_by_id = {name: stored[name] for name in sorted(stored) if name in digests}
    EVIDENCE.write_text(json.dumps(evidence_by_id, indent=0) + "\n", encoding="utf-8")
    print_table(evidence_by_id)
    return 1 if any(entry["kind"] == "undecided" for entry in evidence_by_id.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
