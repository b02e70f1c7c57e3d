"""Submissions can import the library, but no module with right results; missing restrictions are reported."""

import ast
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from rich.console import Console

import rbnotes
from rbnotes.cli.grade import _print_summary
from rbnotes.coursework.grading import Grade, TaskGrade
from rbnotes.coursework.grading.sandbox import hidden_subpackages

PACKAGE = Path(rbnotes.__file__).parent


def test_hidden_subpackages_are_the_records_and_their_users():
    assert sorted(hidden_subpackages()) == ["cli", "coursework", "ledger"]


def test_no_visible_module_imports_a_hidden_one():
    hidden = {f"rbnotes.{name}" for name in hidden_subpackages()}
    visible = [
        folder for folder in PACKAGE.iterdir() if folder.is_dir() and folder.name not in hidden_subpackages()
    ]
    hidden_imports = set()
    for file in (file for folder in visible for file in folder.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if not any(name in text for name in hidden_subpackages()):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                names = [each.name for each in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or "", *(f"{node.module}.{each.name}" for each in node.names)]
            else:
                continue
            hidden_imports |= {(file.name, name) for name in names if ".".join(name.split(".")[:2]) in hidden}
    assert hidden_imports == set()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="platform: not run by root")
@pytest.mark.parametrize(
    ("mode", "expected"), [(0o755, "files of others, separate user"), (0o700, "")], ids=["public", "private"]
)
def test_root_changes_the_user_if_the_needed_files_can_be_read(mode, expected):
    """Below a private folder the user stays, and the restrictions do not claim another one."""
    with tempfile.TemporaryDirectory() as name:
        folder, package = Path(name, "work"), Path(name, "package")
        folder.mkdir()
        package.mkdir()
        (package / "module.py").touch()
        Path(name).chmod(0o755)
        package.chmod(mode)
        code = (
            "import os\n"
            "from rbnotes.coursework.grading._restrictions import switch_user\n"
            f"print(*switch_user(7, [{str(package / 'module.py')!r}], {str(folder)!r}), sep=', ')\n"
            "print(os.geteuid() != 0)"
        )
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == [expected, str(bool(expected))]


def test_grade_lists_the_restrictions_that_are_not_enforced():
    output = io.StringIO()
    grade = Grade("ann", (TaskGrade("double", "passed", 1.0, 1.0),), 0.1, ("memory", "network"))
    _print_summary([grade], Console(file=output, width=1000))
    lines = output.getvalue().splitlines()
    assert "enforced restrictions: memory, network" in lines
    (missing,) = (line for line in lines if line.startswith("not enforced on this system: "))
    assert missing.endswith("separate user")
    assert "memory" not in missing
