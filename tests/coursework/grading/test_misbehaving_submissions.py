"""Misbehaving submissions affect only their own grade."""

import os
import socket
import sys
import tempfile
from dataclasses import replace

import psutil
import pytest
import rotation
from classroom import ASSIGNMENT, ORACLES
from misbehaving_submissions import NEEDED, TRIPLE, VARIANTS

from rbnotes.coursework import grading

JOBS = 2
SECONDS, PATIENT = 0.6, 30.0
"""For those that may never end, at least, and for all others, however busy the machine is."""
NAP = f"1234.{os.getpid()}"
"""Seconds that nothing else sleeps: other tests have children at the same time, even the same ones."""
ENCODED = "an error of letters that no page can hold"
DUE = [name for place, name in enumerate(VARIANTS) if rotation.is_due(place, 5) or name == ENCODED]
"""Variants of this day, a fifth of all."""


def processes():
    """Return the command lines of all processes by process id."""
    listed = psutil.process_iter(["cmdline"])
    return {process.pid: " ".join(process.info["cmdline"] or []) for process in listed}


@pytest.fixture(scope="module")
def trial(tmp_path_factory):
    """Grade all variants as a class; return the grades and the remains."""
    folder = tmp_path_factory.mktemp("misbehaving")
    (folder / "hw.toml").write_text(ASSIGNMENT)
    (folder / "oracles.py").write_text(ORACLES)
    canary = folder / "canary"
    canary.write_text("sings")
    canary.chmod(0o666)
    path_folder = folder / "on-the-path-of-these-children"
    path_folder.mkdir()
    around = folder / "around"
    around.mkdir(mode=0o755)
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(around))
        patch.setattr(sys, "path", [*sys.path, str(path_folder)])
        marks = {
            "canary": str(canary),
            "folder": str(folder),
            "parent": os.getpid(),
            "nap": NAP,
            "port": server.getsockname()[1],
        }
        assignment = grading.read_assignment(folder / "hw.toml")
        limits = replace(assignment.limits, seconds=PATIENT, memory=512, output=1)
        prepared = grading.prepare_assignment(replace(assignment, limits=limits))
        honest = grading.Submission("honest", "hw.py", "def double(x):\n    return 2 * x" + TRIPLE)
        (first,) = grading.grade_submissions(prepared, [honest], jobs=1)
        soon = replace(limits, seconds=max(SECONDS, 2 * first.seconds), cpu=1.0)
        short = replace(prepared, assignment=replace(assignment, limits=soon))
        handed_in = [
            grading.Submission(name, "hw.py", source.format_map(marks) + TRIPLE)
            for name, (source, _, _) in VARIANTS.items()
            # What only the kernel can keep from others is not let loose where it does not.
            if name in DUE and (not NEEDED.get(name) or NEEDED[name] & {*first.restrictions})
        ]
        handed_in.insert(len(handed_in) // 2, honest)
        endless = [each for each in handed_in if "timeout" in VARIANTS.get(each.student, ("", ""))[1]]
        others = [each for each in handed_in if each not in endless]
        grades = [
            *grading.grade_submissions(short, endless, jobs=JOBS),
            *grading.grade_submissions(prepared, others, jobs=JOBS),
        ]
    assert sorted(grade.student for grade in grades) == sorted(each.student for each in handed_in)
    return {grade.student: grade for grade in grades}, canary, path_folder, around


def test_number_of_variants():
    assert len(VARIANTS) >= 42


@pytest.mark.parametrize("name", DUE)
def test_misbehaving_submission_loses_only_its_own_points(trial, name):
    if name not in trial[0]:
        pytest.skip(f"platform: this system does not limit {' or '.join(sorted(NEEDED[name]))}")
    _, expected, spared = VARIANTS[name]
    double, triple = trial[0][name].task_grades
    assert double.status in ((expected,) if isinstance(expected, str) else expected), double.message
    assert double.points == (4 if double.status == "passed" else 0)
    assert (triple.status == "passed") is spared, triple.message


def test_other_submissions_are_graded_as_usual(trial):
    assert [task_grade.status for task_grade in trial[0]["honest"].task_grades] == ["passed", "passed"]


def test_other_files_are_unchanged(trial):
    assert trial[1].read_text() == "sings"


def test_messages_of_submissions_can_be_encoded(trial):
    (task_grade, _) = trial[0][ENCODED].task_grades
    assert "\ufffd \ufffd \ufffd[2J" in task_grade.message
    assert all(letter.isprintable() or letter == "\n" for letter in task_grade.message)


def test_no_folder_remains(trial):
    assert [*trial[3].glob("submission-*")] == []


def test_no_process_remains(trial):
    marks = str(trial[2]), NAP
    left = {number: line for number, line in processes().items() if any(mark in line for mark in marks)}
    assert left == {}
