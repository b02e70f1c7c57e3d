"""Run all checks of records that changed, and store their digests in tests/ledger/record_digests.json.

    python tools/digest_records.py          records whose digest differs from the stored one
    python tools/digest_records.py --all    all records (minutes)

The tests run all checks only for records without a current digest and for a sixtieth of the others. The exit
status is 1 if a record fails; its digest is removed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import tomllib
from pathlib import Path

from rich.progress import track

from rbnotes import ledger
from rbnotes.ledger.checks.digests import record_digest
from rbnotes.ledger.checks.mutation import surviving_mutants
from rbnotes.ledger.runner import verify

TESTS = Path(__file__).parents[1] / "tests" / "ledger"
DIGESTS = TESTS / "record_digests.json"
RECORDS = {record.id: record for record in ledger.load()}
EQUIVALENT_MUTANTS = tomllib.loads((TESTS / "equivalent_mutants.toml").read_text(encoding="utf-8"))


def digest_of(name: str) -> str:
    return record_digest(RECORDS[name], EQUIVALENT_MUTANTS.get(name, {}))


def failure(name: str) -> tuple[str, str]:
    """Return the id of a record and what its checks find; empty if it passes."""
    outcome = verify(RECORDS[name], shrink=False)
    survivors = surviving_mutants(RECORDS[name], EQUIVALENT_MUTANTS.get(name, {}))
    return name, "\n".join(filter(None, [outcome.reason, *map(str, survivors)]))


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Runs all checks of changed records and stores their digests."
    )
    parser.add_argument("--all", action="store_true", help="check all records")
    check_all = parser.parse_args().all
    stored = json.loads(DIGESTS.read_text(encoding="utf-8")) if DIGESTS.exists() else {}
    current = {name: digest_of(name) for name in RECORDS}
    due = [name for name in RECORDS if check_all or stored.get(name) != current[name]]
    with multiprocessing.get_context("fork").Pool() as pool:
        failed = dict(each for each in track(pool.imap_unordered(failure, due), total=len(due)) if each[1])
    passed = {name: digest for name, digest in sorted(current.items()) if name not in failed}
    DIGESTS.write_text(json.dumps(passed, indent=0) + "\n", encoding="utf-8")
    for name, findings in failed.items():
        print(f"{name}:\n{findings}")
    print(f"{len(due)} checked, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
