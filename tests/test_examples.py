"""Every public subpackage has an example, and the examples in docstrings run."""

import doctest
import inspect
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pytest

import rbnotes

ELSEWHERE = {"cli", "compiled", "coursework", "unchecked"}
"""Subpackages whose examples stand in the book, the command line, and unchecked or compiled code."""
SUBPACKAGES = {
    info.name for info in pkgutil.iter_modules(rbnotes.__path__) if not info.name.startswith("_")
} - ELSEWHERE
WITH_EXAMPLES = [
    "rbnotes",
    *(
        info.name
        for info in pkgutil.walk_packages(rbnotes.__path__, "rbnotes.")
        if info.name != "rbnotes.__main__"
        and ">>> " in Path(info.module_finder.find_spec(info.name).origin).read_text()
    ),
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_give_their_output(name):
    examples = doctest.DocTestFinder(exclude_empty=True).find(import_module(name))
    assert any(each.examples for each in examples)
    runner = doctest.DocTestRunner(verbose=False)
    for each in examples:
        runner.run(each)
    assert runner.summarize(verbose=False).failed == 0


def test_every_subpackage_has_an_example():
    assert {name.split(".")[1] for name in WITH_EXAMPLES[1:]} >= SUBPACKAGES - {"__main__"}


README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
SCREEN = 60
"""Lines of the README that fit on one screen."""


def test_examples_of_the_readme_run(capsys):
    printed = []
    for block in re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE):
        assert len(block.splitlines()) <= 10
        exec(compile(block, "README.md", "exec"), {})
        printed.append(capsys.readouterr().out)
    card, pose, challenge = printed
    assert "(S 1.66)  ERRATUM" in card
    assert [float(each) for each in pose.strip(" []\n").split()] == pytest.approx([0, 0, 0.5], abs=1e-6)
    assert "lloyd/s0.2/d2: wrong by" in challenge


def test_readme_is_one_screen():
    assert len(README.splitlines()) <= SCREEN


def test_wrong_example_output_is_detected(capsys):
    def wrong():
        """
        >>> 1 + 1
        3
        """

    (example,) = doctest.DocTestFinder().find(inspect.unwrap(wrong), "wrong")
    assert doctest.DocTestRunner(verbose=False).run(example).failed == 1
