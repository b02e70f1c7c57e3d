"""The tool that compares whole collections of robots, on the robots of the package."""

import csv
import sys
from pathlib import Path

import pytest

from rbnotes.tree.formats import example

sys.path.append(str(Path(__file__).parents[2] / "tools"))

import robot_table


@pytest.mark.parametrize(
    ("name", "links", "coordinates"), [("arm", 9, 6), ("torso", 16, 11), ("gripper", 7, 5)]
)
def test_the_package_s_robots_agree(name, links, coordinates):
    row = robot_table.compared(example(name))
    assert (row.links, row.coordinates, row.remark) == (links, coordinates, "")
    assert row.agrees
    assert row.robot == f"formats/{name}"


def test_a_repaired_robot_and_one_that_is_none(tmp_path):
    path = tmp_path / "arm.urdf"
    text = example("arm").read_text()
    path.write_text(text.replace('izz="0.011813"', 'izz="0.11813"'))
    row = robot_table.compared(path)
    assert row.agrees
    assert row.remark.startswith("link 'shoulder': inertia: principal moments 0.014866, 0.014866, 0.11813")
    path.write_text(text.replace("base_turn", "elbow"))
    assert robot_table.compared(path) == "source: got two joints named 'elbow', expected a name for each"


def test_it_would_notice_a_difference(monkeypatch):
    damped = robot_table.trees.joint_forces
    monkeypatch.setattr(robot_table.trees, "joint_forces", lambda *state: 1.0001 * damped(*state))
    assert not robot_table.compared(example("arm")).agrees


def test_the_book_says_what_the_table_says():
    book = robot_table.ROOT / "book"
    with (book / "_data" / "robots.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    read = [row for row in rows if row["links"]]
    repaired = [row for row in read if row["remark"]]
    assert all(float(row["dynamics"]) < robot_table.TOLERANCE for row in read)
    text = (book / "a-real-robot.md").read_text(encoding="utf-8")
    assert f"has the {len(rows)} files" in text
    assert f"{len(read) - len(repaired)} files are in order, {len(repaired)} needed repairs" in text
    assert len(rows) - len(read) == 1
