"""Chapters use the library's steps and gyroscopic terms, except where these are the subject."""

import ast
import re
from pathlib import Path

import pytest

BOOK = Path(__file__).parents[2] / "book"
CELL = re.compile(
    r"^`{3,}\{code-cell\}[^\n]*\n(?:---\n.*?\n---\n|(?::[^\n]*\n)*)(.*?)^`{3,}$", re.MULTILINE | re.DOTALL
)
STEPS = {
    "asymmetry": "Newton's method on an implicit step, with the stiffness taken in three ways",
    "attachments": "what becomes of a step under attachments",
    "contact": "the linear complementarity problem in a step",
    "friction": "a step with one model after the other",
    "inverse-inertia": "an exercise: the matrix of an implicit step",
    "stabilization": "what is done after a step",
    "time-stepping": "the schemes themselves",
}
"""Chapters that are about what their step does, and how."""


def cells(chapter):
    for source in CELL.findall(chapter.read_text(encoding="utf-8")):
        yield ast.parse("\n".join(line for line in source.splitlines() if not line.startswith(("%", "!"))))


def steps(tree):
    """Return the functions that are named steps or advance a state by h."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            arguments = [argument.arg for argument in node.args.args]
            if "step" in node.name.split("_") or arguments == ["system", "state", "h"]:
                yield node.name


def gyroscopic(tree):
    """Return the cross products ``w x (J @ w)`` in any names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "cross" and len(node.args) == 2:
            first, second = node.args
            products = isinstance(second, ast.BinOp) and isinstance(second.op, ast.MatMult)
            if products and ast.dump(first) == ast.dump(second.right):
                yield ast.unparse(node)


def test_detectors_find_steps_and_gyroscopic_terms():
    assert list(
        steps(ast.parse("def one_step(x): ...\ndef f(system, state, h): ...\ndef steps(x): ..."))
    ) == [
        "one_step",
        "f",
    ]
    assert list(gyroscopic(ast.parse("np.cross(w, J @ w) + np.cross(w, J @ v)"))) == ["np.cross(w, J @ w)"]


@pytest.mark.parametrize("chapter", sorted(BOOK.glob("*.md")), ids=lambda path: path.stem)
def test_handwritten_steps_only_in_chapters_about_steps(chapter):
    by_hand = [name for cell in cells(chapter) for name in steps(cell)]
    assert not by_hand or chapter.stem in STEPS
    assert [term for cell in cells(chapter) for term in gyroscopic(cell)] == []


def test_every_exception_is_needed():
    assert [name for name in STEPS if not any(map(list, map(steps, cells(BOOK / f"{name}.md"))))] == []
