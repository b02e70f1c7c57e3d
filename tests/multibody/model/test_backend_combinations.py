"""Every cell of the book's table of backends: it runs and agrees with the others, or is refused."""

import csv
from pathlib import Path

import numpy as np
import pytest
from backend_combinations import BACKENDS, FEATURES, MAX_DIFFERENCE, outcome

TABLE = Path(__file__).parents[3] / "book" / "_data" / "combinations.csv"
with TABLE.open(encoding="utf-8", newline="") as file:
    ROWS = {row["feature"]: row for row in csv.DictReader(file)}


def test_table_has_a_row_for_each_feature():
    assert list(ROWS) == list(FEATURES)


ALWAYS_CHECKED = ("free bodies with contact", "joints with contact", "gear")


@pytest.mark.parametrize(
    "feature",
    [pytest.param(name, marks=() if name in ALWAYS_CHECKED else pytest.mark.slow) for name in FEATURES],
)
def test_backends_agree_or_refuse_as_in_the_table(feature):
    results = {backend: outcome(feature, backend) for backend in BACKENDS}
    assert {backend: text for backend, (text, _) in results.items()} == {
        backend: ROWS[feature][backend] for backend in BACKENDS
    }
    end_positions = [positions for _, positions in results.values() if positions is not None]
    for other in end_positions[1:]:
        np.testing.assert_allclose(other, end_positions[0], atol=MAX_DIFFERENCE)
