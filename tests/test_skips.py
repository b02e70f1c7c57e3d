"""A skipped test is a failure with `CI=true`; elsewhere the end of the run says what was skipped."""

import os
import re
import subprocess
import sys
from pathlib import Path

FILES = {
    "mark": "@pytest.mark.skipif(True, reason='install mark')\ndef test_it():\n    pass",
    "call": "def test_it():\n    pytest.skip('install call')",
    "fixture": "@pytest.fixture\ndef it():\n    pytest.skip('install fixture')\n\ndef test_it(it):\n    pass",
    "module": "pytest.importorskip('no_such_module', reason='install module')",
    "platform": "def test_it():\n    pytest.skip('platform: not this kernel')",
    "xfail": "@pytest.mark.xfail(strict=True)\ndef test_it():\n    assert False",
    "passes": "def test_it():\n    pass",
}


def run(folder, **environment):
    """Run pytest on FILES with the hooks of these tests; return its code and what failed or was skipped."""
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -q -r fEs --continue-on-collection-errors\n")
    for name, text in FILES.items():
        (folder / f"test_{name}.py").write_text(f"import pytest\n\n{text}\n")
    around = {name: value for name, value in os.environ.items() if name != "CI"}
    around["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), around.get("PYTHONPATH", "")])
    completed = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider"],
        cwd=folder,
        env=around | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = re.findall(r"^(FAILED|ERROR|SKIPPED) .*?test_(\w+)\.py(.*)$", completed.stdout, re.M)
    assert all(f"install {name}" in completed.stdout for name in ("mark", "call", "fixture", "module"))
    return completed.returncode, {name: (state, reason) for state, name, reason in lines}


def test_a_skipped_test_is_a_failure_in_ci(tmp_path):
    code, output = run(tmp_path, CI="true")
    assert code == 1
    states = {name: state for name, (state, _) in output.items()}
    assert states == {
        "mark": "ERROR", "call": "FAILED", "fixture": "ERROR", "module": "ERROR", "platform": "SKIPPED",
    }  # fmt: skip


def test_summary_lists_skipped_tests_outside_ci(tmp_path):
    code, output = run(tmp_path)
    assert code == 0
    assert output.keys() == {"mark", "call", "fixture", "module", "platform"}
    for name, (state, reason) in output.items():
        assert state == "SKIPPED"
        assert ("platform: not this kernel" if name == "platform" else f"install {name}") in reason
