"""Call public functions with invalid arguments and count the faults of each subpackage.

    python tools/fuzz.py --calls 500        a short run of one or two minutes
    python tools/fuzz.py --subpackage dynamics    one subpackage, with a line for every fault
    python tools/fuzz.py --table            10,000 calls for each subpackage; writes the table of the book

It prints one line for each subpackage: the number of calls and of each fault (see `tests/fuzz/engine.py`).
The table takes ten minutes on one core after the compiled functions are cached; ``--table --subpackage``
updates one line of it. Exit status 1 if there is any fault other than one unhelpful message in a thousand
calls.
"""

from __future__ import annotations

import argparse
import csv
import sys
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "book" / "_data" / "fuzz.csv"

sys.path.insert(0, str(ROOT / "tests" / "fuzz"))


def findings(subpackage: str, count: int, seed: int) -> list[Any]:
    """Return the results of random calls, drawn from all pairs of an argument and a kind of value."""
    from engine import attempt, attempts
    from table import table

    rng = np.random.default_rng([seed, zlib.crc32(subpackage.encode())])
    pairs = [(call, *pair) for call in table(subpackage) for pair in attempts(call)]
    result: list[Any] = []
    while len(result) < count:
        finding = attempt(*pairs[rng.integers(len(pairs))], rng)
        if finding is not None:
            result.append(finding)
    return result


def append_line(line: dict[str, Any]) -> None:
    """Write a subpackage's line into the table, replacing an older one."""
    lines = {}
    if TABLE.exists():
        with TABLE.open(newline="") as file:
            lines = {each["subpackage"]: each for each in csv.DictReader(file)}
    lines[line["subpackage"]] = line
    with TABLE.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(line), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines[subpackage] for subpackage in sorted(lines))


def main() -> int:
    from engine import FAULTS
    from table import SUBPACKAGES, table

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=10_000, help="of each subpackage")
    parser.add_argument("--subpackage", choices=SUBPACKAGES, help="only this subpackage")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--table", action="store_true", help="write book/_data/fuzz.csv")
    options = parser.parse_args()
    subpackages = (options.subpackage,) if options.subpackage else SUBPACKAGES
    print(f"{'subpackage':16}{'calls':>8}" + "".join(f"{fault:>11}" for fault in FAULTS))
    bad = False
    for subpackage in subpackages:
        result = findings(subpackage, options.calls, options.seed)
        counts = Counter(finding.verdict for finding in result)
        print(
            f"{subpackage:16}{len(result):8}" + "".join(f"{counts[fault]:11}" for fault in FAULTS), flush=True
        )
        if options.table:
            names = len({call.name for call in table(subpackage)})
            faults = {fault: counts[fault] for fault in FAULTS}
            append_line(
                {
                    "subpackage": subpackage,
                    "names": names,
                    "calls": len(result),
                    "seed": options.seed,
                    **faults,
                }
            )
        unhelpful = counts["unhelpful"] * 1000 >= len(result)
        bad |= unhelpful or any(counts[fault] for fault in FAULTS if fault != "unhelpful")
        for finding in sorted({str(each) for each in result if each.verdict != "fine"}):
            print(f"  {finding}")
    return int(bad)


if __name__ == "__main__":
    raise SystemExit(main())
