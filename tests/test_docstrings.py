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


ENTRY = re.compile(r"^(\w[\w, ]*)\n((?:    .*\n?|\n(?=    ))+)", re.MULTILINE)
"""Entry of a section: name and indented description."""


def attributes_section(cls):
    """Return the descriptions in the section "Attributes" of the docstring of a class, by name."""
    section = re.search(
        r"^Attributes\n-+\n(.*?)(?=^\w[^\n]*\n-{3,}|\Z)", ast.get_docstring(cls) or "", re.M | re.S
    )
    return {
        name: text.strip()
        for names, text in (ENTRY.findall(section[1] + "\n") if section else [])
        for name in names.split(", ")
    }


def class_attributes(cls):
    """Return the names that are assigned or annotated in the body of a class."""
    targets = [
        target
        for node in cls.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    ]
    return {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}


def statements(node):
    """Yield a node and all statements in it; this skips expressions, which are most of a tree."""
    yield node
    for field in ("body", "handlers", "orelse", "finalbody", "cases"):
        for each in getattr(node, field, ()):
            yield from statements(each)


def wrong_attributes(tree):
    """Return what is wrong with the descriptions of class attributes, with their lines.

    ``help`` shows the docstring of the class only, so that they have entries in its section "Attributes".
    """
    faults = []
    for cls in statements(tree):
        if isinstance(cls, ast.ClassDef):
            faults += [(line, f"string below an attribute: {text}") for line, text in strings_below(cls.body)]
            names, descriptions = class_attributes(cls), attributes_section(cls)
            for node in cls.body if descriptions else []:
                name = node.target.id if isinstance(node, ast.AnnAssign) else "_"
                if name not in descriptions and not name.startswith("_"):
                    faults.append((cls.lineno, f"no description of {name}"))
            for name, text in descriptions.items():
                if name not in names:
                    faults.append((cls.lineno, f"no attribute {name}"))
                elif not text.endswith((".", ":", "`")) or OPENINGS.match(text):
                    faults.append((cls.lineno, f"{name}: {text}"))
    return faults


def strings_below(body):
    """Return the strings below assignments, with their lines."""
    return [
        (below.lineno, below.value.value)
        for field, below in pairwise(body)
        if isinstance(field, ast.Assign | ast.AnnAssign)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    ]


def docstrings(tree):
    """Return the docstrings of a module, its classes and functions, with their lines."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    nodes = [node for node in statements(tree) if isinstance(node, documented)]
    return [(node.body[0].lineno, text) for node in nodes if (text := ast.get_docstring(node))]


def unclear(path):
    """Return docstrings that do not open with their subject, and misplaced or unfinished descriptions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = strings_below(tree.body)
    entries = [(line, text) for line, text in docstrings(tree) + constants if OPENINGS.match(text)]
    entries += [entry for entry in constants if not entry[1].rstrip().endswith((".", ":", "`", "::"))]
    entries += wrong_attributes(tree)
    return [f"{line}: {text.splitlines()[0]}" for line, text in sorted(set(entries))]


@pytest.mark.parametrize("folder", folders())
def test_docstrings_open_with_their_subject(folder):
    faults = {path.name: unclear(path) for path in sorted((ROOT / folder).glob("*.py"))}
    assert {name: lines for name, lines in faults.items() if lines} == {}


def test_unclear_docstrings_are_found(tmp_path):
    module = tmp_path / "planted.py"
    module.write_text(
        'x = 1\n"""What it is."""\ny = 2\n"""Number of bodies"""\nz = 3\n"""Number of joints."""\n'
        'def f():\n    """Of a body."""\nclass C:\n    """Those of bodies."""\n'
        '    def g(self):\n        """Where."""\n'
        'class D:\n    """Data.\n\n    Attributes\n    ----------\n    a\n        Number of\n        bodies\n'
        '    b\n        What it is.\n    c, d\n        Numbers.\n    """\n\n    a: int\n    b: int\n'
        '    c: int\n    c: int = 0\n    """Below."""\n    e: int\n    _f: int\n'
    )
    assert unclear(module) == [
        "2: What it is.",
        "4: Number of bodies",
        "8: Of a body.",
        "10: Those of bodies.",
        "12: Where.",
        "13: a: Number of",
        "13: b: What it is.",
        "13: no attribute d",
        "13: no description of e",
        "31: string below an attribute: Below.",
    ]
