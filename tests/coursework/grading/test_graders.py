"""Tables for other graders against the tables that these graders write."""

import json
import os
import sys
from datetime import datetime
from pathlib import Path

import pytest
from classroom import GRADES, rows

from rbnotes.coursework.grading import read_assignment
from rbnotes.coursework.grading.export_formats import nbgrader, otter

HOW = "make test EXTRAS=book,test,graders"


def as_number(text):
    try:
        return float(text)
    except ValueError:
        return text


@pytest.mark.slow
def test_otter():
    tests = pytest.importorskip("otter.test_files", reason=f"otter-grader is not installed: {HOW}")
    utils = pytest.importorskip("otter.grade.utils")

    def result(grade):
        files = []
        for task_grade in grade.task_grades:
            # Two cases of one test: what was reached passes, the rest does not.
            got, lost_points = task_grade.points, task_grade.max_points - task_grade.points
            case = {
                "name": "a",
                "code": "",
                "hidden": False,
                "success_message": None,
                "failure_message": None,
            }
            cases = [
                {"test_case": {**case, "points": points}, "error": "", "passed": passed}
                for points, passed in ((got, True), (lost_points, False))
                if points
            ]
            files.append(
                {"filename": f"tests/{task_grade.function}.py", "points": None, "test_case_results": cases}
            )
        actual = tests.GradingResults.from_ottr_json(json.dumps({"test_file_results": files}))
        actual.file = grade.student
        return actual

    table = utils.merge_scores_to_df([result(grade) for grade in GRADES])
    theirs, ours = rows(table.to_csv(index=False)), rows(otter(GRADES))
    assert ours[0] == theirs[0]
    assert [[*map(as_number, row)] for row in ours] == [[*map(as_number, row)] for row in theirs]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # its database has some of its own
def test_nbgrader(folder, tmp_path, monkeypatch):
    assignment = read_assignment(folder / "hw.toml")
    # Its gradebook runs a program that is installed beside it.
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    api = pytest.importorskip("nbgrader.api", reason=f"nbgrader is not installed: {HOW}")
    export = pytest.importorskip("nbgrader.plugins.export")
    graded = datetime(2026, 5, 1, 12, 30)
    with api.Gradebook(f"sqlite:///{tmp_path}/gradebook.db") as book:
        book.add_assignment(assignment.title)
        book.add_notebook("hw", assignment.title)
        for task_grade in GRADES[0].task_grades:
            book.add_grade_cell(
                task_grade.function, "hw", assignment.title, max_score=task_grade.max_points, cell_type="code"
            )
        for grade in GRADES:
            book.add_student(grade.student)
            book.add_submission(assignment.title, grade.student, timestamp=graded)
            for task_grade in grade.task_grades:
                cell = book.find_grade(task_grade.function, "hw", assignment.title, grade.student)
                cell.auto_score = task_grade.points
        book.db.commit()
        plugin = export.CsvExportPlugin(to=str(tmp_path / "grades.csv"))
        plugin.export(book)
    theirs = rows((tmp_path / "grades.csv").read_text())
    ours = rows(nbgrader(GRADES, assignment, graded))
    assert ours[0] == theirs[0]
    assert sorted(ours[1:]) == sorted(theirs[1:])
