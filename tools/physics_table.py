"""Compare the simulator with scenes whose motion is known: errors beside tolerances.

    python tools/physics_table.py                   # half an hour; writes book/_data/physics.csv for the book
    python tools/physics_table.py --only ladder     # rows whose names contain a word; the others stay
    python tools/physics_table.py --variants coulomb    # only these options; the other lines stay
    python tools/physics_table.py --default         # only the defaults; writes nothing

Scenes with contact run with several friction models, the others with several integrators. The table states
which runs stop with an error or take too long. The scenes, and tests of the defaults, are in
tests/multibody/maximal. Exit status 1 if a default misses a tolerance.
"""

from __future__ import annotations

import argparse
import csv
import platform
import sys
import time
import warnings
from collections.abc import Iterable, Iterator
from datetime import date

import numpy as np
import physics_of_contact
import physics_of_motion
from physics_runs import IMPACTS, INTEGRATORS, ROOT, Row, TimeLimitExceeded

import rbnotes
from rbnotes.errors import NotConverged

TABLE = ROOT / "book" / "_data" / "physics.csv"
COLUMNS = ("kind", "scene", "measured", "tolerance", "way", "error", "seconds")
ROWS: tuple[Row, ...] = (*physics_of_contact.ROWS, *physics_of_motion.ROWS)


def table_lines(row: Row, variants: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yield the lines of the table for one row with the named options."""
    kinds = {id(INTEGRATORS): "integrator", id(IMPACTS): "impacts"}
    for variant in variants:
        options = row.variants[variant]
        began = time.process_time()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                error = f"{row.error(options):.1e}"
        except TimeLimitExceeded as exceeded:
            error = str(exceeded)
        except (NotConverged, np.linalg.LinAlgError, ValueError, FloatingPointError) as found:
            error = f"stops: {type(found).__name__}"
        seconds = f"{time.process_time() - began:.1f}"
        kind = kinds.get(id(row.variants), "friction")
        yield kind, row.name, row.measured, f"{row.tolerance:g}", variant, error, seconds


def exceeds_tolerance(line: tuple[str, ...]) -> bool:
    try:
        return not float(line[5]) <= float(line[3]) and line[5] != "nan"
    except ValueError:
        return True


def write(lines: Iterable[tuple[str, ...]]) -> None:
    """Write the table in the order of the rows, without the lines of rows that no longer exist."""
    order = [(row.name, row.measured, variant) for row in ROWS for variant in row.variants]
    selected = [line for line in lines if (line[1], line[2], line[4]) in order]
    selected.sort(key=lambda line: order.index((line[1], line[2], line[4])))
    processor = platform.processor() or platform.machine()
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([f"{date.today()}, rbnotes {rbnotes.__version__}, {processor}, one thread"])
        writer.writerows([COLUMNS, *selected])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", help="rows whose names contain one of these")
    parser.add_argument("--variants", nargs="*", help="friction models, integrators or laws of impact")
    parser.add_argument("--default", action="store_true", help="the defaults alone")
    arguments = parser.parse_args()
    lines: dict[tuple[str, ...], tuple[str, ...]] = {}
    missed = 0
    if (arguments.only or arguments.variants) and TABLE.exists():
        with TABLE.open(encoding="utf-8", newline="") as file:
            lines = {tuple(line[:5]): tuple(line) for line in list(csv.reader(file))[2:]}
    for row in ROWS:
        if arguments.only and not any(word in row.name for word in arguments.only):
            continue
        default = next(iter(row.variants))
        variants = [default] if arguments.default else row.variants
        for line in table_lines(
            row, [variant for variant in variants if not arguments.variants or variant in arguments.variants]
        ):
            missed += line[4] == default and exceeds_tolerance(line)
            mark = "misses" if exceeds_tolerance(line) else ""
            print("{1:50} {2:32} {3:>8} {4:22} {5:>12} {6:>7} s ".format(*line) + mark, flush=True)
            lines[line[:5]] = line
            if not arguments.default:
                write(lines.values())
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
