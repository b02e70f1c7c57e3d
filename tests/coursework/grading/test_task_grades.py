"""From answers to points and reports."""

import csv
import io
import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from rbnotes.coursework import grading
from rbnotes.coursework.challenge import collect_answer
from rbnotes.coursework.grading import export_formats, reports

RIGHT = "def double(x):\n    return 2 * x\n\ndef triple(x):\n    return 3 * x\n"


def statuses(grade):
    return [task_grade.status for task_grade in grade.task_grades]


def test_right_submission_gets_all_points(grade_source):
    grade = grade_source(RIGHT)
    assert statuses(grade) == ["passed", "passed"]
    assert (grade.points, grade.max_points) == (6, 6)


def test_passed_region_gets_its_part_of_the_points(grade_source):
    source = RIGHT.replace("2 * x", "2 * x if max(abs(x)) > 1e-6 else 0 * x")
    double, triple = grade_source(source).task_grades
    assert (double.status, double.points, dict(double.regions)) == (
        "wrong",
        3,
        {"generic": (3, 3), "tiny": (0, 3)},
    )
    assert (triple.status, triple.points) == ("passed", 2)


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ("return x", "wrong", "on these inputs"),
        ("return (2 * x)[:2]", "shape", "shape"),
        ("return np.float32(2 * x)", "dtype", "float32"),
        ("return 2 * x + 0j", "dtype", "complex"),
        ("return 2 * x / 0", "wrong", "infinity"),
        ("return None", "missing", "return"),
        ("return undefined", "exception", "line 4 of double: return undefined"),
        ("x *= 2\n    return x", "wrong", "changed its argument"),
        ("return 2 * x * np.random.normal()", "wrong", "random|memory|two"),
        ("return [2 * v for v in x]", "passed", ""),
    ],
)
def test_messages_to_students(grade_source, body, status, message):
    task_grade = grade_source(f"import numpy as np\n\ndef double(x):\n    {body}\n").task_grades[0]
    assert task_grade.status == status, task_grade.message
    assert re.search(message, task_grade.message), task_grade.message


def grade_sources(assignment, sources):
    """Return the grade of the only task for each student, from the source of each submission by student."""
    prepared = grading.prepare_assignment(grading.read_assignment(assignment))
    submissions = [
        grading.Submission(student, f"{student}.py", source) for student, source in sources.items()
    ]
    return {
        grade.student: grade.task_grades[0]
        for grade in grading.grade_submissions(prepared, submissions, jobs=1)
    }


def test_right_results_are_shown_only_if_allowed(folder):
    def message(feedback):
        text = (folder / "hw.toml").read_text().replace("[limits]", f"[feedback]\n{feedback}\n[limits]", 1)
        (folder / "shown.toml").write_text(text)
        return grade_sources(folder / "shown.toml", {"a": "def double(x):\n    return x"})["a"].message

    shown = re.findall(r"^  (x =|got|expected) +(\[.*\])$", message("expected = true"), re.MULTILINE)
    x, got, expected = (np.array(json.loads(numbers)) for _, numbers in shown)
    np.testing.assert_allclose(got, x, rtol=1e-5)
    np.testing.assert_allclose(expected, 2 * x, rtol=1e-5)
    assert "expected" not in message("expected = false")
    assert "x = " in message("expected = false")
    assert message("inputs = false") == "wrong"


def test_task_from_a_claim(tmp_path):
    (tmp_path / "hw.toml").write_text(
        '[[task]]\nfunction = "f"\nclaim = "lloyd/s0.2/d2"\npoints = 3\nregions = { generic = 1, tiny = 2 }\n'
    )
    product = (
        "import numpy as np\n\ndef f(q, p):\n    return np.concatenate([[q[0] * p[0] - q[1:] @ p[1:]],"
        "q[0] * p[1:] + p[0] * q[1:] + np.cross({})])"
    )
    task_grades = grade_sources(
        tmp_path / "hw.toml",
        {"right": product.format("q[1:], p[1:]"), "wrong": product.format("p[1:], q[1:]")},
    )
    assert task_grades["right"].status == "passed"
    assert task_grades["wrong"].status == "wrong"
    assert task_grades["wrong"].regions["generic"][1] > 0


@pytest.mark.slow
def test_function_that_is_wrong_close_to_a_full_turn_gets_no_points(tmp_path):
    """Random rotation vectors do not come so close to a full turn; cases are added there."""
    (tmp_path / "hw.toml").write_text(
        '[[task]]\nfunction = "f"\nclaim = "sueda/s1.3/e1.10#a"\npoints = 3\nexamples = 16\n'
    )
    source = (
        "import numpy as np\nfrom scipy.spatial.transform import Rotation\n\ndef f(w):\n"
        "    close = abs(np.linalg.norm(w) - 2 * np.pi) < {}\n"
        "    return np.eye(3) if close else Rotation.from_rotvec(w).as_matrix()"
    )
    task_grades = grade_sources(
        tmp_path / "hw.toml", {"right": source.format("0.0"), "wrong": source.format("1e-3")}
    )
    right, wrong = task_grades["right"], task_grades["wrong"]
    assert (right.status, right.points) == ("passed", 3)
    assert (wrong.status, wrong.points) == ("wrong", 0)
    failed = {region for region, (passed, total) in wrong.regions.items() if passed < total}
    assert failed == {"special angle"}


def test_hints_about_dimensions_and_slips(tmp_path):
    def messages(feedback):
        (tmp_path / "hw.toml").write_text(
            f'[feedback]\n{feedback}\n[[task]]\nfunction = "f"\nclaim = "lloyd/s0.12.1/d1"\npoints = 1\n'
        )
        spring = "def f(length, ldot, k, d, r):\n    return {}"
        texts = {
            "right": "k * (length - r) + d * ldot",
            "no stiffness": "length - r",
            "no damping": "k * (length - r) + ldot",
            "sign": "-k * (length - r) - d * ldot",
        }
        sources = {name: spring.format(text) for name, text in texts.items()}
        return {name: grade.message for name, grade in grade_sources(tmp_path / "hw.toml", sources).items()}

    lines = messages("expected = false")
    assert lines["right"] == ""
    assert lines["no stiffness"].startswith("the dimension is wrong: m where N is expected\nfor example")
    assert lines["no damping"].startswith("the units are inconsistent: N is expected")
    assert lines["sign"].startswith("wrong\n")
    assert lines["sign"].endswith("hint: the sign of the result is wrong")
    silent = messages("hint = false\ninputs = false")
    assert {silent[name] for name in ("no stiffness", "no damping", "sign")} == {"wrong"}


def test_child_process_gets_only_inputs(prepared):
    (request, _) = prepared.requests
    for case, inputs in zip(prepared.cases["double"], request.cases, strict=True):
        assert [*inputs] == ["x"]
        np.testing.assert_array_equal(case.expected, 2 * inputs["x"])


def test_grade_round_trip(grade_source):
    grade = grade_source(RIGHT)
    data = json.loads(json.dumps(grading.grade_to_dict(grade)))
    assert grading.grade_to_dict(grading.grade_from_dict(data)) == data


def test_reports(grade_source, folder):
    assignment = grading.read_assignment(folder / "hw.toml")
    source = 'def double(x):\n    raise ValueError("<script>```</script>")\n'
    grades = [grade_source(RIGHT, "ann"), grade_source(source, "bob <b>")]
    rows = list(csv.DictReader(io.StringIO(reports.grades_csv(grades))))
    assert [row["points"] for row in rows] == ["6", "0"]
    assert rows[1]["double status"] == "exception"
    assert rows[1]["triple status"] == "missing"
    page = reports.student_html(grades[1], assignment)
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "````text" in reports.student_markdown(grades[1], assignment)
    class_page = reports.class_html(grades, assignment)
    assert "2 students; mean 3.00, median 3.00 of 6 points" in class_page
    assert "<b>" not in class_page
    summary = reports.summarize_class(grades)
    assert (sum(summary.histogram), summary.histogram[0], summary.histogram[9]) == (2, 1, 1)
    assert summary.functions["double"] == (0.5, {"passed": 1, "exception": 1})
    assert "| `double` | 50 % | 1 passed, 1 exception |" in reports.class_markdown(grades, assignment)


def test_a_report_says_what_its_counts_are(grade_source, folder):
    grade = grade_source(RIGHT.replace("2 * x", "x"))
    assignment = grading.read_assignment(folder / "hw.toml")
    for report in (reports.student_markdown(grade, assignment), reports.student_html(grade, assignment)):
        assert "Passed on these inputs: generic: 0 of 3, tiny: 0 of 3." in report


NAMES = ["=1+1", "+ann", "-ann", "@ann", "\t=ann", "b\rob", "ann"]


def test_names_are_escaped_for_spreadsheets(grade_source, folder):
    grades = [replace(grade_source(RIGHT), student=name) for name in NAMES]
    cells = ["'=1+1", "'+ann", "'-ann", "'@ann", "' =ann", "b ob", "ann"]
    tables = {
        "student": reports.grades_csv(grades),
        "file": export_formats.otter(grades),
        "student_id": export_formats.nbgrader(grades, grading.read_assignment(folder / "hw.toml")),
    }
    for column, text in tables.items():
        names = [row[column] for row in csv.DictReader(io.StringIO(text, newline=""))]
        assert sorted(name for name in names if name != "points-per-question") == sorted(cells)


def test_no_two_students_share_a_file_name():
    names = [*NAMES, "_ann", "a+n", "a_n", "a/n", "a\\n", "a=n", "a=3d=n", "é", "e\u0301"]
    names += ["!" * 100, "!" * 101, "a" * 252, "a" * 251, "é" * 126]
    files = [reports.student_file_name(name) for name in names]
    assert len(set(files)) == len(names)
    assert max(len(f"{file}.html.part".encode()) for file in files) <= 255
    assert not any(letter in file for file in files for letter in "/\\\t\r?*:#%")
    assert reports.student_file_name("Ann-Marie O_2.b@c") == "Ann-Marie O_2.b@c"


def test_reports_use_the_titles_of_tasks(grade_source, folder):
    (folder / "hw.toml").write_text(
        (folder / "hw.toml").read_text().replace('"double"\n', '"double"\ntitle = "Twice | <b>"\n', 1)
    )
    assignment, grade = grading.read_assignment(folder / "hw.toml"), grade_source(RIGHT, "ann")
    assert "## Twice | <b> (`double`): passed, 4 of 4 points" in reports.student_markdown(grade, assignment)
    assert "## `triple`: passed, 2 of 2 points" in reports.student_markdown(grade, assignment)
    assert "<h2>Twice | &lt;b&gt; (<code>double</code>) <span" in reports.student_html(grade, assignment)
    assert "| Twice \\| <b> (`double`) | 100 % |" in reports.class_markdown([grade], assignment)
    assert "<td>Twice | &lt;b&gt; (<code>double</code>)<td>" in reports.class_html([grade], assignment)


def test_notebook_code_is_extracted(tmp_path, prepared):
    cells = [
        {"cell_type": "markdown", "source": ["def double(x): return 0"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "!ls\n", "import numpy as np"]},
        {"cell_type": "code", "source": RIGHT},
    ]
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "ann.ipynb").write_text(json.dumps({"cells": cells}))
    (tmp_path / "class" / "bob").mkdir()
    (tmp_path / "class" / "cid.ipynb").write_text("{}")
    submissions = grading.read_submissions(tmp_path / "class")
    grades = {grade.student: grade for grade in grading.grade_submissions(prepared, submissions, jobs=1)}
    assert statuses(grades["ann"]) == ["passed", "passed"]
    assert grades["bob"].task_grades[0].message == "there is no .py or .ipynb file in bob but one is expected"
    assert statuses(grades["cid"]) == ["missing", "missing"]


def test_task_with_an_object_argument(tmp_path):
    """The child process has no class of the argument and gets an object with the same attributes."""
    (tmp_path / "hw.toml").write_text(
        '[[task]]\nfunction = "f"\nclaim = "si/sA/d5"\npoints = 1\nexamples = 8\n'
    )
    prepared = grading.prepare_assignment(grading.read_assignment(tmp_path / "hw.toml"))
    source = "def f(assembly, q):\n    raise ValueError(assembly.kinds, assembly.masses.shape, q.shape)\n"
    (grade,) = grading.grade_submissions(prepared, [grading.Submission("ann", "a.py", source)], jobs=1)
    assert re.match(
        r"it raised ValueError: \(\('revolute', .*\), \(3,\), \(6,\)\)", grade.task_grades[0].message
    )

    def heavier(body):
        body.masses[0] *= 2
        return body.masses

    assert collect_answer(heavier, {"body": SimpleNamespace(masses=np.ones(2))}).changed_arguments == (
        "body",
    )
