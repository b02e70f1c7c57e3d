"""Docstrings open with their subject: package, book extension, tools, benchmarks, coursework and tests."""

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ["rbnotes", "book/_ext", "benchmarks", "coursework", "tools", "tests"]
OPENINGS = re.compile(r"(What|Of|Where|How|As|Whether|Which|Whose|Who|That|Those|These|And)\b")
"""First words that leave the reader to guess the subject."""


def folders():
    """Return the folders with Python files, relative to the root of the repository."""
    files = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    return sorted(
        {path.parent.relative_to(ROOT).as_posix() for path in files if "node_modules" not in path.parts}
    )


def attribute_docstrings(tree):
    """Return the strings below assignments at module and class level, with their lines."""
    bodies = [tree.body, *(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
    return [
        (below.lineno, below.value.value)
        for body in bodies
        for field, below in pairwise(body)
        if isinstance(field, ast.Assign | ast.AnnAssign)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    ]


def docstrings(tree):
    """Return the docstrings of a module, its classes and functions, with their lines."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    nodes = [node for node in ast.walk(tree) if isinstance(node, documented)]
    return [(node.body[0].lineno, ast.get_docstring(node)) for node in nodes if ast.get_docstring(node)]


def unclear(path):
    """Return docstrings that do not open with their subject, and attribute docstrings without a full stop."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    attributes = attribute_docstrings(tree)
    found = [(line, text) for line, text in docstrings(tree) + attributes if OPENINGS.match(text)]
    found += [entry for entry in attributes if not entry[1].rstrip().endswith((".", ":", "`", "::"))]
    return [f"{line}: {text.splitlines()[0]}" for line, text in sorted(set(found))]


@pytest.mark.parametrize("folder", folders())
def test_docstrings_open_with_their_subject(folder):
    found = {path.name: unclear(path) for path in sorted((ROOT / folder).glob("*.py"))}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_unclear_docstrings_are_found(tmp_path):
    module = tmp_path / "planted.py"
    module.write_text(
        'x = 1\n"""What it is."""\ny = 2\n"""Number of bodies"""\nz = 3\n"""Number of joints."""\n'
        'def f():\n    """Of a body."""\nclass C:\n    """Those of bodies."""\n'
        '    def g(self):\n        """Where."""\n'
    )
    assert unclear(module) == [
        "2: What it is.",
        "4: Number of bodies",
        "8: Of a body.",
        "10: Those of bodies.",
        "12: Where.",
    ]
