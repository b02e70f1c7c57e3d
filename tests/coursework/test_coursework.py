"""The assignments: solutions get all points, typical slips lose the expected points."""

from functools import cache
from pathlib import Path

import pytest

from rbnotes.coursework import grading

COURSEWORK = Path(__file__).parents[2] / "coursework"
# assignment: right text, slip, and what it costs: the function's status and points
SLIPS = {
    "rotations": [
        ("return q if q[0] >= 0 else -q", "return q", "midpoint_orientation", "wrong", 1),
        (
            "half = w + np.array([1.0, 0.0, 0.0, 0.0])",
            "t = np.arccos(w[0]); half = w * np.sin(t / 2) / np.sin(t); half[0] = np.cos(t / 2)",
            "midpoint_orientation",
            "wrong",
            3,
        ),
        ("np.sum(R * X), -", "np.sum(R.T * X), -", "hinge_angle", "wrong", 0),
        ("U @ np.diag", "U.T @ np.diag", "mean_orientation", "wrong", 0),
    ],
    "springs": [
        ("k * max(stretch, 0.0) * direction", "k * stretch * direction", "bead_force", "wrong", 3),
        ("K -= tension", "K -= 0 * tension", "bead_stiffness", "wrong", 0),
        ("np.cross(p, force)", "np.cross(R @ p, force)", "spring_wrench", "wrong", 0),
        ("R.T @ (k", "(k", "spring_wrench", "wrong", 0),
    ],
    "impacts": [
        ("d = x - np.average(x, axis=0, weights=m)", "d = x", "inertia", "wrong", 0),
        (
            "arm = x[i] - np.average(x, axis=0, weights=m)",
            "arm = x[i]",
            "angular_velocity_after_impulse",
            "wrong",
            0,
        ),
        ("min(mu * normal, 2 / 7 * speed)", "mu * normal", "bounce", "wrong", 3),
        ("2 / 7 * speed", "speed", "bounce", "wrong", 3),
        ("(2 / 5 * r**2)", "(2 / 3 * r**2)", "bounce", "wrong", 1),
    ],
}


@cache
def prepared_assignment(name):
    return grading.prepare_assignment(grading.read_assignment(COURSEWORK / name / "hw.toml"))


def grade_source(name, source):
    (grade,) = grading.grade_submissions(
        prepared_assignment(name), [grading.Submission("ann", "ann.py", source)], jobs=1
    )
    return grade


def solution(name):
    return (COURSEWORK / name / "solution.py").read_text()


@pytest.mark.parametrize("name", SLIPS)
def test_solution_gets_all_points(name):
    grade = grade_source(name, solution(name))
    assert [(mark.status, mark.message) for mark in grade.task_grades] == [("passed", "")] * 3
    assert grade.points == grade.max_points


@pytest.mark.parametrize(
    ("name", "right", "slip", "function", "status", "points"),
    [(name, *slip) for name, slips in SLIPS.items() for slip in slips],
)
def test_slips_lose_the_expected_points(name, right, slip, function, status, points):
    text = solution(name)
    assert right in text
    marks = {mark.function: mark for mark in grade_source(name, text.replace(right, slip)).task_grades}
    assert (marks[function].status, marks[function].points) == (status, points), marks[function].message


@pytest.mark.parametrize("name", SLIPS)
def test_sheet_lists_every_function_with_its_points(name):
    sheet = (COURSEWORK / name / "sheet.md").read_text()
    for task in prepared_assignment(name).assignment.tasks:
        (arguments,) = {tuple(case.inputs) for case in prepared_assignment(name).cases[task.function]}
        assert f"`{task.function}({', '.join(arguments)})`" in sheet
        assert f"**{task.points} points" in sheet


def test_guide_lists_every_assignment():
    guide = (COURSEWORK / "README.md").read_text()
    for name in SLIPS:
        assert f"({name}/sheet.md)" in guide
        assert f"| {prepared_assignment(name).assignment.points} |" in guide


def test_book_contains_no_solution():
    book = "".join(path.read_text() for path in (COURSEWORK.parent / "book").glob("*.md"))
    for name in SLIPS:
        for task in prepared_assignment(name).assignment.tasks:
            arguments = ", ".join(prepared_assignment(name).cases[task.function][0].inputs)
            assert f"def {task.function}({arguments})" not in book
