"""An assignment with fast oracles, and a class."""

import sys
from pathlib import Path

import pytest

from rbnotes.coursework import grading

sys.path.insert(0, str(Path(__file__).parent))
from classroom import ASSIGNMENT, ORACLES


@pytest.fixture
def folder(tmp_path):
    """Return an assignment folder: ``hw.toml`` and ``oracles.py``."""
    (tmp_path / "hw.toml").write_text(ASSIGNMENT)
    (tmp_path / "oracles.py").write_text(ORACLES)
    return tmp_path


@pytest.fixture
def prepared(folder):
    return grading.prepare_assignment(grading.read_assignment(folder / "hw.toml"))


@pytest.fixture
def grade_source(prepared):
    """Return a function that grades one source text."""

    def run(source, student="ann"):
        (grade,) = grading.grade_submissions(prepared, [grading.Submission(student, "hw.py", source)], jobs=1)
        return grade

    return run
