"""The account of energy of random scenes of the simulator: what gains, what closes, what can be repeated.

    python tools/energy_scenes.py                60 scenes of 60 steps: a minute on one core
    python tools/energy_scenes.py --scene 17     one of them
    python tools/energy_scenes.py --table        all, and the table that the book shows

One line a scene (see `tests/multibody/maximal/random_scenes.py`), with energies relative to that at the
start: how far the account is from closing in any step; the most that the bodies ever had above what they
started with, got from forces and were lifted by; and whether a second run, and one that stops and goes on,
are the same bit by bit. Exit status 1 if a scene breaks one of its limits.
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "book" / "_data" / "energy-scenes.csv"
SCENES, STEPS = 60, 60

sys.path.insert(0, str(ROOT / "tests" / "multibody" / "maximal"))


def line(seed: int) -> dict[str, Any]:
    """What came of a scene."""
    from random_scenes import account, same, scene

    one = scene(seed)
    path = one.run(STEPS)
    first = one.run(STEPS // 3)
    rest = one.run(STEPS - STEPS // 3, first)
    repeated, resumed = same(path, one.run(STEPS)), same(path, first, rest)
    numbers = {name: f"{value:.1e}" for name, value in account(one, path)._asdict().items()}
    return {"scene": seed, **one.traits, **numbers, "repeated": repeated, "resumed": resumed}


def main() -> int:
    from random_scenes import limits, scene

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scene", type=int, help="this one alone")
    parser.add_argument("--table", action="store_true", help="write book/_data/energy-scenes.csv")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # friction that is not solved to the last is part of the account
    lines: list[dict[str, Any]] = []
    bad = 0
    for seed in range(SCENES) if options.scene is None else (options.scene,):
        found = line(seed)
        if not lines:
            print(" ".join(f"{name:>13}" for name in found))
        print(" ".join(f"{value!s:>13}" for value in found.values()), flush=True)
        broken = [
            name for name, limit in limits(scene(seed))._asdict().items() if not float(found[name]) <= limit
        ]
        broken += [name for name in ("repeated", "resumed") if not found[name]]
        if broken:
            bad += 1
            print(f"  breaks its limit: {', '.join(broken)}")
        lines.append(found)
    print(f"{len(lines)} scenes, {bad} break a limit")
    if options.table:
        with TABLE.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines)
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())
