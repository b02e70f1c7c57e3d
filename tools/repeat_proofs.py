"""Repeat proofs with a second arithmetic: Python's integers and mpmath's intervals instead of python-flint.

    python tools/repeat_proofs.py             all claims that are proved (hours)
    python tools/repeat_proofs.py ID ...      these claims

The forms, the inputs and the oracles are the same; see `intervals.py` for what is independent. The exit
status is 1 if the second arithmetic contradicts a proof. A claim that it does not decide is listed with the
reason: it needs eigenvalues, or too much time.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable

import intervals

sys.modules["flint"] = intervals

from rbnotes import ledger  # noqa: E402  # the arithmetic is chosen first
from rbnotes.ledger.evidence import Evidence, find_evidence  # noqa: E402  # the arithmetic is chosen first
from rbnotes.ledger.exact import evidence as prover  # noqa: E402  # the arithmetic is chosen first

NUM_DRAWS = 1
SECONDS_PER_EVALUATION = 60.0
"""Limit of time for a form: the second arithmetic takes ten times as long as flint."""
REPEATED, CONTRADICTED, NOT_REPEATED = "repeated", "contradicted", "not repeated"


def compare(stored: Evidence, found: Evidence) -> str:
    """Return the outcome of the second arithmetic: ``REPEATED``, ``CONTRADICTED`` or ``NOT_REPEATED``."""
    if found.is_proof:
        return REPEATED if found.kind == stored.kind else CONTRADICTED
    return CONTRADICTED if found.kind == "undecided" else NOT_REPEATED


def repeat(names: Iterable[str]) -> Counter[str]:
    """Prove these claims again, print the differences, and return the number of claims for each outcome."""
    prover.SECONDS_PER_EVALUATION = SECONDS_PER_EVALUATION
    outcomes: Counter[str] = Counter()
    for name in names:
        stored = find_evidence(ledger.find(name))
        seconds = 10 * prover.SECONDS_FOR_SYMBOLS if stored.kind == "symbolic" else 0
        found = prover.prove_claim(name, NUM_DRAWS, seconds_for_symbols=seconds)
        outcome = compare(stored, found)
        outcomes[outcome] += 1
        if outcome != REPEATED:
            print(f"{name}: {outcome}: {stored.kind} in the file, now {found}")
    return outcomes


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Repeats proofs with a second arithmetic.")
    parser.add_argument("ids", nargs="*", metavar="ID", help="claims to prove again (default: all)")
    names = parser.parse_args(arguments).ids
    proved = [record.id for record in ledger.load() if find_evidence(record).is_proof]
    outcomes = repeat(names or proved)
    print("; ".join(f"{outcomes[each]} {each}" for each in (REPEATED, CONTRADICTED, NOT_REPEATED)))
    return 1 if outcomes[CONTRADICTED] else 0


if __name__ == "__main__":
    sys.exit(main())
