"""Compiled code as plain Python, and the error without numba."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rbnotes.compiled import compilation
from rbnotes.complementarity import LCP, solve
from rbnotes.errors import MissingExtra
from rbnotes.multibody import packing

SCRIPT = Path(__file__).parent / "small_model.py"


def run(**environment):
    command = [sys.executable, str(SCRIPT)]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return np.array([float(word) for word in done.stdout.split()])


INTERPRETED = (
    "test_problems.py",
    "test_central_path.py",
    "test_contact_operator.py",
    "test_compiled_contacts.py::test_nan_residual_is_not_small",
    "test_compiled_contacts.py::test_separating_axes_agree_with_the_reference",
    "test_compiled.py::test_sin_and_cos_are_accurate_to_three_ulp",
)
"""Tests that take much longer to compile than to run."""


def test_solvers_as_plain_python_agree_with_the_reference():
    """Every day; their compiled code is tested with `--slow`, and on some days without."""
    tests = [str(SCRIPT.parent / name) for name in INTERPRETED]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "--slow", *tests]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_compiled_code_runs_as_plain_python():
    compiled, interpreted = run(), run(NUMBA_DISABLE_JIT="1")
    assert compiled.size > 100
    np.testing.assert_allclose(interpreted, compiled, rtol=1e-11, atol=1e-11)


@pytest.mark.slow
def test_operations_per_link_equal_those_of_the_book():
    command = [sys.executable, str(SCRIPT.parent / "operation_counts.py")]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    page = (Path(__file__).parents[2] / "book" / "how-fast-and-why.md").read_text(encoding="utf-8")
    count = int(done.stdout)
    assert f"A hinge takes {count - 1} additions and multiplications and one division" in page
    assert f"operations, bytes_moved, clock = {count}, " in page


@pytest.mark.slow
def test_flipped_signs_are_detected():
    """A wrong sign anywhere in the compiled code is found: one of thirty is planted in plain Python."""
    command = [sys.executable, str(SCRIPT.parent / "sign_mutation.py"), "30"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    *unnoticed, count = done.stdout.splitlines()
    assert not unnoticed
    assert int(count) > 25


def test_missing_numba_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    compilation.compiled_function.cache_clear()
    with pytest.raises(MissingExtra, match=r"rbnotes\[compiled\]"):
        packing.compile(_small())
    with pytest.raises(MissingExtra, match=r"rbnotes\[compiled\]"):
        solve(LCP([[1.0]], [-1.0]), compiled=True)
    compilation.compiled_function.cache_clear()


def _small():
    from rbnotes import joints
    from rbnotes.multibody.reduced import Link, Tree

    return Tree([Link("a", joints.Revolute(), np.eye(6))])
