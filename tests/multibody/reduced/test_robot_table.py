"""The tool that compares whole collections of robots, on the robots of the package."""

import csv

import pytest
import robot_table

from rbnotes.multibody.formats import example


@pytest.mark.parametrize(
    ("name", "links", "coordinates"), [("arm", 9, 6), ("torso", 16, 11), ("gripper", 7, 5)]
)
def test_robots_of_the_package_agree(name, links, coordinates):
    row = robot_table.compare_robot(example(name))
    assert (row.links, row.coordinates, row.remark) == (links, coordinates, "")
    assert row.agrees
    assert row.robot == f"formats/{name}"


def test_repaired_and_unreadable_robots(tmp_path):
    path = tmp_path / "arm.urdf"
    text = example("arm").read_text()
    path.write_text(text.replace('izz="0.011813"', 'izz="0.11813"'))
    row = robot_table.compare_robot(path)
    assert row.agrees
    assert row.remark == "shoulder: inertia that no body has"
    assert row.robot.endswith("/arm")
    path.write_text(text.replace("base_turn", "elbow"))
    assert robot_table.compare_robot(path) == "source: got two joints named 'elbow', expected a name for each"


def test_differences_are_detected(monkeypatch):
    damped = robot_table.reduced.passive_joint_forces
    monkeypatch.setattr(robot_table.reduced, "passive_joint_forces", lambda *state: 1.0001 * damped(*state))
    assert not robot_table.compare_robot(example("arm")).agrees


def rows(name):
    with (robot_table.TABLES / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_book_agrees_with_the_tables():
    read = rows("robots.csv")
    names = {row["robot"] for row in read}
    wrong = {row["robot"] for row in rows("robot-repairs.csv")}
    assert all(float(row["dynamics"]) < robot_table.TOLERANCE for row in read)
    text = (robot_table.ROOT / "book" / "a-real-robot.md").read_text(encoding="utf-8")
    assert f"has the {len(names | wrong)} files" in text
    assert f"{len(names - wrong)} files are correct, {len(names & wrong)} needed repairs" in text
    assert "and one is\nempty" in text
    assert len(wrong - names) == 1
