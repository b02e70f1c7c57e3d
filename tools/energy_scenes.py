"""Check the energy account and the reproducibility of random scenes of the simulator.

    python tools/energy_scenes.py                60 scenes of 60 steps: a minute on one core
    python tools/energy_scenes.py --scene 17     one of them
    python tools/energy_scenes.py --table        all, and the table that the book shows

It prints one line for each scene (see `tests/multibody/maximal/random_scenes.py`), with energies relative to
the initial energy: the largest residual of the account in a step; the largest energy above the initial energy
plus the work of forces and lifting; and whether a second run, and a run that stops and resumes, are equal to
the last bit. Exit status 1 if a scene exceeds a limit.
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


def scene_results(seed: int) -> dict[str, Any]:
    """Return the results of a scene."""
    from random_scenes import account, same, scene

    simulation = scene(seed)
    path = simulation.run(STEPS)
    first = simulation.run(STEPS // 3)
    last = simulation.run(STEPS - STEPS // 3, first)
    repeated, resumed = same(path, simulation.run(STEPS)), same(path, first, last)
    numbers = {name: f"{value:.1e}" for name, value in account(simulation, path)._asdict().items()}
    return {"scene": seed, **simulation.traits, **numbers, "repeated": repeated, "resumed": resumed}


def main() -> int:
    from random_scenes import limits, scene

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scene", type=int, help="only this scene")
    parser.add_argument("--table", action="store_true", help="write book/_data/energy-scenes.csv")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # the account includes friction that did not converge
    lines: list[dict[str, Any]] = []
    bad = 0
    for seed in range(SCENES) if options.scene is None else (options.scene,):
        results = scene_results(seed)
        if not lines:
            print(" ".join(f"{name:>13}" for name in results))
        print(" ".join(f"{value!s:>13}" for value in results.values()), flush=True)
        failures = [
            name for name, limit in limits(scene(seed))._asdict().items() if not float(results[name]) <= limit
        ]
        failures += [name for name in ("repeated", "resumed") if not results[name]]
        if failures:
            bad += 1
            print(f"  exceeds its limit: {', '.join(failures)}")
        lines.append(results)
    print(f"{len(lines)} scenes, {bad} exceed a limit")
    if options.table:
        with TABLE.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines)
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())
