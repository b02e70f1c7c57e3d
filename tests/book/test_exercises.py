"""Numbers of exercises on the pages, and code in their solutions."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from rbnotes_book import exercises

BOOK = Path(__file__).resolve().parents[2] / "book"
SOLUTION = re.compile(
    r"^(`{3,})\{solution(-start)?\} (\S+)\n(.*?)^(?(2)`{3,}\{solution-end\}|\1$)", re.MULTILINE | re.DOTALL
)
CODE_CELL = re.compile(r"^(`{3,})\{code-cell\}.*?^\1$", re.MULTILINE | re.DOTALL)
INLINE_CODE = re.compile(r"(?<!`)`[^`\n]+`(?!`)")
DISPLAY = re.compile(r"\$\$|\\begin\{(?:align|equation|gather)")
INLINE_FORMULA = re.compile(r"\$[^$]+\$")

WITHOUT_CODE: dict[str, str] = {}
"""Solutions with an equals sign and without a code cell, by label, each with the reason."""


def equations_without_code(text: str) -> set[str]:
    """Return the labels of the solutions with an equation and without a code cell."""
    found = set()
    for _, _, label, body in SOLUTION.findall(text):
        prose = INLINE_CODE.sub("", body)
        equations = [formula for formula in INLINE_FORMULA.findall(prose) if "=" in formula]
        if (equations or DISPLAY.search(prose)) and not CODE_CELL.search(body):
            found.add(label)
    return found


def test_exercise_numbers_restart_on_pages_without_a_number():
    env = SimpleNamespace(
        toc_fignumbers={
            "rotations": {"exercise": {"a": (1, 1), "b": (1, 2)}},
            "look-it-up": {"exercise": {"c": (1,), "d": (2,)}},
            "for-lecturers": {"exercise": {"e": (3,), "f": (4,)}, "figure": {"g": (9,)}},
        }
    )
    exercises.restart_exercise_numbers(None, env)
    assert env.toc_fignumbers == {
        "rotations": {"exercise": {"a": (1, 1), "b": (1, 2)}},
        "look-it-up": {"exercise": {"c": (1,), "d": (2,)}},
        "for-lecturers": {"exercise": {"e": (1,), "f": (2,)}, "figure": {"g": (1,)}},
    }


def test_links_in_titles_start_with_words():
    link = nodes.reference("", " Exercise 1.2")
    title = nodes.title("", "Solution to", link)
    exercises.start_links_with_words(None, title, "rotations")
    assert title.astext() == "Solution to Exercise 1.2"
    assert link.astext() == "Exercise 1.2"


def test_solutions_with_an_equation_run():
    found = {label for page in BOOK.glob("*.md") for label in equations_without_code(page.read_text("utf-8"))}
    assert not found - WITHOUT_CODE.keys(), "add a code cell that checks the formula"
    assert not WITHOUT_CODE.keys() - found, "remove these exceptions"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("$a = b$, see `c`.", {"x"}),
        ("The sum is\n$$\na\n$$", {"x"}),
        ("By $a$ and `b = c` and 1 = $d$.", set()),
        ("$a = b$\n\n```{code-cell} ipython3\nassert True\n```\n", set()),
    ],
)
def test_equations_without_code_are_found(body, found):
    whole = f"````{{solution}} x\n:class: dropdown\n{body}\n````\n\n$y = z$\n"
    gated = (
        f"```{{solution-start}} x\n:class: dropdown\n```\n\n{body}\n\n```{{solution-end}}\n```\n\n$y = z$\n"
    )
    assert equations_without_code(whole) == found
    assert equations_without_code(gated) == found
