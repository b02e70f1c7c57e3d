"""Write the book's table of published and computed energies of the RedMax scenes.

    python tools/redmax_table.py            run all scenes, write book/_data/redmax-energies.csv
    python tools/redmax_table.py --print    only print

The book shows the committed file; tests/multibody/reduced/test_redmax.py compares it with the scenes.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "book" / "_data" / "redmax-energies.csv"
COLUMNS = ("scene", "bodies", "coordinates", "steps", "published", "computed", "relative difference")
sys.path.insert(0, str(ROOT / "tests" / "multibody" / "reduced"))

import redmax_scenes  # noqa: E402  # the path comes first


def rows() -> Iterator[tuple[object, ...]]:
    """Yield a row for each scene: size, published energy with all digits, computed energy."""
    for name, scene in redmax_scenes.load().items():
        scene_data = redmax_scenes.read(scene)
        published = scene["expected"][redmax_scenes.SCHEME]["text"]
        computed = redmax_scenes.final_energy(scene_data)
        size = len(scene["bodies"]), sum(np.size(each["q0"]) for each in scene["joints"])
        off = f"{abs(computed / float(published) - 1):.0e}"
        row = (name, *size, scene_data.options["steps"], published, repr(float(computed)), off)
        print(*row, sep="  ", flush=True)
        yield row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--print", action="store_true", help="write no file")
    arguments = parser.parse_args()
    table_rows = list(rows())
    if not arguments.print:
        TABLE.parent.mkdir(exist_ok=True)
        with TABLE.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *table_rows])
    return 0


if __name__ == "__main__":
    sys.exit(main())
