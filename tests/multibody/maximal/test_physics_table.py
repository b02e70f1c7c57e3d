"""The table of known solutions is complete, and each of its rows builds its scene."""

import csv

import physics_of_contact
import physics_of_motion
import physics_runs
import physics_table
import pytest

from rbnotes.dynamics import State
from rbnotes.multibody import Model


def test_each_scene_has_a_result_of_each_option():
    with physics_table.TABLE.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))[2:]
    expected = [(row.name, row.measured, way) for row in physics_table.ROWS for way in row.variants]
    assert [(line[1], line[2], line[4]) for line in lines] == expected
    assert all(line[5] for line in lines)


class SceneBuilt(Exception):
    """Raised in place of a run."""


@pytest.mark.parametrize("row", physics_table.ROWS, ids=lambda row: f"{row.name}, {row.measured}")
def test_each_row_builds_its_scene(monkeypatch, row):
    def run(model, start, *_):
        assert isinstance(model, Model)
        assert isinstance(start, State)
        raise SceneBuilt

    for module in (physics_of_contact, physics_of_motion, physics_runs):
        monkeypatch.setattr(module, "run", run)
    with pytest.raises(SceneBuilt):
        row.error({})
