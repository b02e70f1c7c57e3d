"""Export grades in the formats of Gradescope, Otter and nbgrader."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from rbnotes.coursework.grading.assignment import Assignment
from rbnotes.coursework.grading.reports import STATUS_SUGGESTIONS, csv_cell
from rbnotes.coursework.grading.task_grades import Grade, TaskGrade


def gradescope(grade: Grade) -> dict[str, Any]:
    """Return the ``results.json`` of a Gradescope autograder: one submission, a test for each function.

    Source: the autograder specifications, section "Output format", gradescope-autograders.readthedocs.io.
    """
    return {
        "score": grade.points,
        "execution_time": round(grade.seconds),
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [
            {
                "name": task_grade.function,
                "number": str(number),
                "score": task_grade.points,
                "max_score": task_grade.max_points,
                "status": "passed" if task_grade.status == "passed" else "failed",
                "output": _test_output(task_grade),
                "output_format": "text",
                "visibility": "visible",
            }
            for number, task_grade in enumerate(grade.task_grades, 1)
        ],
    }


def _test_output(task_grade: TaskGrade) -> str:
    return "\n".join(
        filter(None, [STATUS_SUGGESTIONS.get(task_grade.status), task_grade.message or task_grade.status])
    )


def otter(grades: Sequence[Grade]) -> str:
    """Return ``final_grades.csv`` as ``otter grade`` writes it: the first line has the maximum points.

    Source: Otter-Grader 7, ``otter.grade.utils.merge_scores_to_df``.
    """
    names = sorted(task_grade.function for task_grade in grades[0].task_grades) if grades else []
    rows: list[list[object]] = [["file", *names, "total_points_earned", "percent_correct", "grading_status"]]
    if grades:
        max_points = {task_grade.function: task_grade.max_points for task_grade in grades[0].task_grades}
        rows.append(
            ["points-per-question", *(max_points[name] for name in names), grades[0].max_points, 1, "--"]
        )
    for grade in sorted(grades, key=lambda grade: grade.student):
        points = {task_grade.function: task_grade.points for task_grade in grade.task_grades}
        percent = round(grade.points / grade.max_points, 4) if grade.max_points else 0.0
        rows.append(
            [csv_cell(grade.student), *(points[name] for name in names), grade.points, percent, "Completed"]
        )
    return _csv(rows)


NBGRADER_COLUMNS = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
)
"""Columns of ``nbgrader export``."""


def nbgrader(grades: Sequence[Grade], assignment: Assignment, graded: datetime | None = None) -> str:
    """Return ``grades.csv`` with the columns of ``nbgrader export``; columns of its database stay empty.

    Source: nbgrader 0.9, ``nbgrader.plugins.export.CsvExportPlugin``.
    """
    stamp = str((graded or datetime.now(UTC)).replace(tzinfo=None))
    rows: list[list[object]] = [[*NBGRADER_COLUMNS]]
    for grade in grades:
        score = float(grade.points)
        leading_columns = [assignment.title, "", stamp, csv_cell(grade.student), "", "", ""]
        rows.append([*leading_columns, score, 0.0, score, float(grade.max_points)])
    return _csv(rows)


def _csv(rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
