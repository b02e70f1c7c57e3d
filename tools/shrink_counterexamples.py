"""Shrink counterexamples and write them to rbnotes/ledger/counterexamples.json.

python tools/shrink_counterexamples.py             missing ones, and those that no longer show an error
python tools/shrink_counterexamples.py --all       all claims
python tools/shrink_counterexamples.py ID ...      these claims
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.progress import track

from rbnotes import ledger
from rbnotes.ledger.counterexamples import ChoiceDatabase, replay, search_smallest, stored_choices, write
from rbnotes.ledger.record import WRONG_AS_PRINTED, Record

FOLDER = Path(__file__).parents[1] / "rbnotes" / "ledger"


def wrong_prints() -> list[Record]:
    """Return the claims whose printed form is wrong on some variable inputs."""
    return [
        record
        for record in ledger.load()
        if record.verdict in WRONG_AS_PRINTED and record.printed and record.reference and record.inputs
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="Shrink counterexamples and store them.")
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument("--all", action="store_true", help="search for those of all claims again")
    args = parser.parse_args()
    records = wrong_prints()
    selected = [record for record in records if record.id in args.ids or args.all]
    if not args.ids and not args.all:
        selected = [record for record in records if replay(record).counterexample is None]
    database = ChoiceDatabase({} if args.all else dict(stored_choices().choices))
    not_found = []
    for record in track(selected):
        if not search_smallest(record, database):
            not_found.append(record.id)
        write(database, [record.id for record in records], FOLDER)  # a long search may be interrupted
    num_found = len(selected) - len(not_found)
    print(f"{num_found} found, {len(database.choices)} stored; not found:", *not_found, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
