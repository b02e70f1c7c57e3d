"""Strings below fields and constants open with their subject; ruff checks the docstrings of functions."""

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest

import rbnotes

PACKAGE = Path(rbnotes.__file__).parent
FOLDERS = sorted({path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")})
OPENINGS = re.compile(r"(What|Of|Where|How|As|Which|Who|That|Those|These)\b")
"""First words that leave the reader to guess the subject."""


def attribute_docstrings(path):
    """Return the strings below assignments at module and class level, with their lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
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


def unclear(path):
    """Return the attribute docstrings that do not open with their subject, or do not end a sentence."""
    return [
        f"{line}: {text.splitlines()[0]}"
        for line, text in attribute_docstrings(path)
        if OPENINGS.match(text) or not text.rstrip().endswith((".", ":", "`", "::"))
    ]


@pytest.mark.parametrize("folder", [folder for folder in FOLDERS if not folder.startswith("ledger/claims")])
def test_attribute_docstrings_open_with_their_subject(folder):
    found = {path.name: unclear(path) for path in sorted((PACKAGE / folder).glob("*.py"))}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_unclear_docstrings_are_found(tmp_path):
    module = tmp_path / "planted.py"
    module.write_text(
        'x = 1\n"""What it is."""\ny = 2\n"""Number of bodies"""\nz = 3\n"""Number of joints."""\n'
    )
    assert unclear(module) == ["2: What it is.", "4: Number of bodies"]
