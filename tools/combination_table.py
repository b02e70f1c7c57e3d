"""Write the book's table of what each backend of ``simulate`` supports.

    python tools/combination_table.py       run all combinations, write book/_data/combinations.csv

The book shows the committed file; tests/multibody/model/test_backend_combinations.py compares it with runs.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "book" / "_data" / "combinations.csv"
sys.path.insert(0, str(ROOT / "tests" / "multibody" / "model"))

from backend_combinations import SCENES, scene_outcome  # noqa: E402  # the path comes first
from model_features import BACKENDS  # noqa: E402  # the path comes first


def main() -> int:
    backends = list(BACKENDS)
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["feature", *backends])
        for feature in SCENES:
            row = [scene_outcome(feature, backend)[0] for backend in backends]
            print(feature, *row, sep="  ", flush=True)
            table.writerow([feature, *row])
    return 0


if __name__ == "__main__":
    sys.exit(main())
