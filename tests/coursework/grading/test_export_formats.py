"""Formats of other graders against their specifications; test_graders.py compares with their output."""

import json
from datetime import datetime

from classroom import GRADES, rows

from rbnotes.coursework.grading import read_assignment
from rbnotes.coursework.grading.export_formats import gradescope, nbgrader, otter

# The specification of Gradescope's autograders: what may stand in results.json, and as what.
TEXT, NUMBER = str, (int, float)
RESULTS = {
    "score": NUMBER,
    "execution_time": NUMBER,
    "output": TEXT,
    "output_format": TEXT,
    "test_output_format": TEXT,
    "test_name_format": TEXT,
    "visibility": ("hidden", "after_due_date", "after_published", "visible"),
    "stdout_visibility": ("hidden", "after_due_date", "after_published", "visible"),
    "extra_data": dict,
    "tests": list,
    "leaderboard": list,
}
TEST = {
    "score": NUMBER,
    "max_score": NUMBER,
    "status": ("passed", "failed"),
    "name": TEXT,
    "name_format": TEXT,
    "number": TEXT,
    "output": TEXT,
    "output_format": ("text", "html", "simple_format", "md", "ansi"),
    "tags": list,
    "visibility": RESULTS["visibility"],
    "extra_data": dict,
}


def assert_conforms(table, specification):
    for name, value in table.items():
        allowed = specification[name]
        if isinstance(allowed, tuple) and isinstance(allowed[0], str):
            assert value in allowed, name
        else:
            assert isinstance(value, allowed), name
    return True


def test_gradescope():
    results = json.loads(json.dumps(gradescope(GRADES[0])))
    assert assert_conforms(results, RESULTS)
    assert all(assert_conforms(test, TEST) for test in results["tests"])
    assert results["score"] == sum(test["score"] for test in results["tests"]) == 3.5
    assert [test["status"] for test in results["tests"]] == ["failed", "passed"]
    assert "wrong by 2" in results["tests"][0]["output"]


def test_otter():
    assert rows(otter(GRADES)) == [
        ["file", "drop", "spin", "total_points_earned", "percent_correct", "grading_status"],
        ["points-per-question", "2.0", "3.0", "5.0", "1", "--"],
        ["ann", "0.0", "3.0", "3.0", "0.6", "Completed"],
        ["bob", "2.0", "1.5", "3.5", "0.7", "Completed"],
    ]


def test_nbgrader(folder):
    assignment = read_assignment(folder / "hw.toml")
    head, *lines = rows(nbgrader(GRADES, assignment, datetime(2026, 5, 1, 12, 30)))
    assert ",".join(head) == (
        "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,"
        "late_submission_penalty,score,max_score"
    )
    assert lines == [
        ["Multiples", "", "2026-05-01 12:30:00", name, "", "", "", score, "0.0", score, "5.0"]
        for name, score in (("bob", "3.5"), ("ann", "3.0"))
    ]
