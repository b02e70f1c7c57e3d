"""Every cell of the book's table of backends: it runs and agrees with the others, or is refused."""

import csv
from pathlib import Path

import numpy as np
import pytest
from backend_combinations import SCENES, scene_outcome
from model_features import BACKENDS, MAX_DIFFERENCE

TABLE = Path(__file__).parents[3] / "book" / "_data" / "combinations.csv"
with TABLE.open(encoding="utf-8", newline="") as file:
    ROWS = {row["feature"]: row for row in csv.DictReader(file)}


def test_table_has_a_row_for_each_feature():
    assert list(ROWS) == list(SCENES)


ALWAYS_CHECKED = ("free bodies with contact", "joints with contact", "gear")


@pytest.mark.parametrize(
    "feature",
    [pytest.param(name, marks=() if name in ALWAYS_CHECKED else pytest.mark.slow) for name in SCENES],
)
def test_backends_agree_or_refuse_as_in_the_table(feature):
    results = {backend: scene_outcome(feature, backend) for backend in BACKENDS}
    assert {backend: text for backend, (text, _) in results.items()} == {
        backend: ROWS[feature][backend] for backend in BACKENDS
    }
    for backend in ("reduced", "maximal"):
        compiled = results[f"{backend}, compiled"][1]
        if compiled is not None:
            reference = results[backend][1]
            np.testing.assert_allclose(compiled.body_states.E, reference.body_states.E, atol=1e-9)
            np.testing.assert_allclose(compiled.tree_qdot, reference.tree_qdot, atol=1e-7)
            np.testing.assert_allclose(compiled.work, reference.work, atol=1e-8)
    motions = [motion for _, motion in results.values() if motion is not None]
    for motion in motions:
        assert "contact" not in feature or any(np.any(record.impulses) for record in motion.contacts)
        first, positions = (each.body_states.E[-1, :, :3, 3] for each in (motions[0], motion))
        np.testing.assert_allclose(positions, first, atol=MAX_DIFFERENCE)
