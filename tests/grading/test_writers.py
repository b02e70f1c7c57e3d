"""Formats of other tools, against what they publish and, where they are installed, against themselves."""

import csv
import io
import json
import os
import sys
from datetime import datetime
from pathlib import Path

import pytest

from rbnotes.grading import Grade, Mark, read
from rbnotes.grading.writers import gradescope, nbgrader, otter

GRADES = [
    Grade("bob", (Mark("spin", "wrong", 1.5, 3.0, "wrong by 2"), Mark("drop", "passed", 2.0, 2.0)), 1.4),
    Grade("ann", (Mark("spin", "passed", 3.0, 3.0), Mark("drop", "syntax", 0.0, 2.0, "line 1")), 0.6),
]
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


def conforms(table, specification):
    for name, value in table.items():
        allowed = specification[name]
        if isinstance(allowed, tuple) and isinstance(allowed[0], str):
            assert value in allowed, name
        else:
            assert isinstance(value, allowed), name
    return True


def test_gradescope():
    results = json.loads(json.dumps(gradescope(GRADES[0])))
    assert conforms(results, RESULTS)
    assert all(conforms(test, TEST) for test in results["tests"])
    assert results["score"] == sum(test["score"] for test in results["tests"]) == 3.5
    assert [test["status"] for test in results["tests"]] == ["failed", "passed"]
    assert "wrong by 2" in results["tests"][0]["output"]


def rows(text):
    return list(csv.reader(io.StringIO(text)))


def test_otter():
    assert rows(otter(GRADES)) == [
        ["file", "drop", "spin", "total_points_earned", "percent_correct", "grading_status"],
        ["points-per-question", "2.0", "3.0", "5.0", "1", "--"],
        ["ann", "0.0", "3.0", "3.0", "0.6", "Completed"],
        ["bob", "2.0", "1.5", "3.5", "0.7", "Completed"],
    ]


def test_otter_itself():
    tests = pytest.importorskip("otter.test_files", reason="otter-grader is not installed")
    utils = pytest.importorskip("otter.grade.utils")

    def result(grade):
        files = []
        for mark in grade.marks:
            # Two cases of one test: what was reached passes, the rest does not.
            got, rest = mark.points, mark.of - mark.points
            case = {
                "name": "a",
                "code": "",
                "hidden": False,
                "success_message": None,
                "failure_message": None,
            }
            cases = [
                {"test_case": {**case, "points": points}, "error": "", "passed": passed}
                for points, passed in ((got, True), (rest, False))
                if points
            ]
            files.append(
                {"filename": f"tests/{mark.function}.py", "points": None, "test_case_results": cases}
            )
        found = tests.GradingResults.from_ottr_json(json.dumps({"test_file_results": files}))
        found.file = grade.student
        return found

    table = utils.merge_scores_to_df([result(grade) for grade in GRADES])
    theirs, ours = rows(table.to_csv(index=False)), rows(otter(GRADES))
    assert ours[0] == theirs[0]
    assert [[*map(as_number, row)] for row in ours] == [[*map(as_number, row)] for row in theirs]


def as_number(text):
    try:
        return float(text)
    except ValueError:
        return text


@pytest.fixture
def assignment(folder):
    return read(folder / "hw.toml")


def test_nbgrader(assignment):
    head, *lines = rows(nbgrader(GRADES, assignment, datetime(2026, 5, 1, 12, 30)))
    assert ",".join(head) == (
        "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,"
        "late_submission_penalty,score,max_score"
    )
    assert lines == [
        ["Multiples", "", "2026-05-01 12:30:00", name, "", "", "", score, "0.0", score, "5.0"]
        for name, score in (("bob", "3.5"), ("ann", "3.0"))
    ]


@pytest.mark.filterwarnings("ignore")  # its database has some of its own
def test_nbgrader_itself(assignment, tmp_path, monkeypatch):
    # Its gradebook runs a program that is installed beside it.
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    api = pytest.importorskip("nbgrader.api", reason="nbgrader is not installed")
    export = pytest.importorskip("nbgrader.plugins.export")
    graded = datetime(2026, 5, 1, 12, 30)
    with api.Gradebook(f"sqlite:///{tmp_path}/gradebook.db") as book:
        book.add_assignment(assignment.title)
        book.add_notebook("hw", assignment.title)
        for mark in GRADES[0].marks:
            book.add_grade_cell(mark.function, "hw", assignment.title, max_score=mark.of, cell_type="code")
        for grade in GRADES:
            book.add_student(grade.student)
            book.add_submission(assignment.title, grade.student, timestamp=graded)
            for mark in grade.marks:
                cell = book.find_grade(mark.function, "hw", assignment.title, grade.student)
                cell.auto_score = mark.points
        book.db.commit()
        plugin = export.CsvExportPlugin(to=str(tmp_path / "grades.csv"))
        plugin.export(book)
    theirs = rows((tmp_path / "grades.csv").read_text())
    ours = rows(nbgrader(GRADES, assignment, graded))
    assert ours[0] == theirs[0]
    assert sorted(ours[1:]) == sorted(theirs[1:])
