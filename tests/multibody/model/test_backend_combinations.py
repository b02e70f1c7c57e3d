"""Every cell of the book's table of backends: it runs and agrees with the others, or is refused."""

import csv
from pathlib import Path

import numpy as np
import pytest
from backend_combinations import BACKENDS, FEATURES, MAX_DIFFERENCE, end_positions

from rbnotes.arguments import InvalidArgument

TABLE = Path(__file__).parents[3] / "book" / "_data" / "combinations.csv"
with TABLE.open(encoding="utf-8", newline="") as file:
    ROWS = {row["feature"]: row for row in csv.DictReader(file)}


def test_table_has_a_row_for_each_feature():
    assert list(ROWS) == list(FEATURES)


@pytest.mark.parametrize("feature", FEATURES)
def test_backends_agree_or_refuse_as_the_table_says(feature):
    found, outcomes = [], {}
    for backend in BACKENDS:
        try:
            found.append(end_positions(feature, backend))
            outcomes[backend] = "runs"
        except InvalidArgument as error:
            outcomes[backend] = f"refused: {error.name}"
    assert outcomes == {backend: ROWS[feature][backend] for backend in BACKENDS}
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], atol=MAX_DIFFERENCE)
