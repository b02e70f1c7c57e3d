"""Submissions can import the library, but no module that contains right results."""

import ast
from pathlib import Path

import rbnotes
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
