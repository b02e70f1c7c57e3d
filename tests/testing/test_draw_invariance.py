"""Draws do not depend on names, on files, or on the order in which Python hashes strings."""

import ast
import inspect
import os
import subprocess
import sys

import numpy as np
import pytest
from module_files import load_file

from rbnotes.ledger import evaluation
from rbnotes.ledger.counterexamples import ChoiceDatabase

STRATEGIES = """
import numpy as np
from hypothesis import strategies as st
from rbnotes.testing.strategies import arrays, nonzero_vectors, numbers, vectors

ANGLES = [0.5, 1.5]

def doubled(number):
    return 2 * number

@st.composite
def chains(draw):
    count = draw(st.integers(1, 4))
    return [draw(st.builds(lambda angle, size: (angle, size), numbers(), numbers())) for _ in range(count)]

@st.composite
def loops(draw):
    angle = draw(numbers())
    return [angle, *draw(st.lists(numbers(), max_size=3))]

CASES = {
    "plain": {"x": numbers(), "v": vectors(3)},
    "built": {
        "first": st.builds(lambda left: left + 1, numbers()),
        "second": st.builds(lambda right: right + 1, numbers()),
        "third": st.builds(doubled, numbers()),
    },
    "composite": {"chain": chains(), "loop": loops(), "word": st.sampled_from(["fixed", "free", "driven"])},
    "flat": {
        "a": st.integers(1, 3).flatmap(lambda size: arrays(size)),
        "b": st.integers(1, 3).flatmap(lambda length: arrays(length)),
        "c": nonzero_vectors(),
    },
    "nested": {
        "words": st.recursive(st.sampled_from(["pin", "ball"]), lambda tree: st.lists(tree, max_size=3)),
        "letters": st.recursive(st.sampled_from("abc"), lambda tree: st.tuples(tree, tree)),
        "others": st.recursive(st.sampled_from(["pin", "ball"]), lambda tree: st.lists(tree, max_size=3)),
        "numbers": st.recursive(st.sampled_from([1, 2, 3]), lambda tree: st.tuples(tree, tree)),
    },
}
"""


UNCHANGED_NAMES = {"CASES", "region", "threshold", "examples"}
"""Names that the tests below use in strings."""


class Renamer(ast.NodeTransformer):
    """Renames all functions and variables of a module, except those that a call names as keywords."""

    def __init__(self, tree):
        named = {ast.FunctionDef: "name", ast.arg: "arg", ast.Name: "id"}
        nodes = [*ast.walk(tree)]
        bound = {
            getattr(node, named[type(node)])
            for node in nodes
            if type(node) in named and isinstance(getattr(node, "ctx", None), ast.Store | None)
        }
        self.names = bound - {node.arg for node in nodes if isinstance(node, ast.keyword)} - UNCHANGED_NAMES

    def generic_visit(self, node):
        super().generic_visit(node)
        for field in ("name", "arg", "id"):
            if getattr(node, field, None) in self.names and not isinstance(node, ast.keyword | ast.alias):
                setattr(node, field, getattr(node, field) + "_renamed")
        if isinstance(node, ast.Nonlocal | ast.Global):
            node.names = [f"{name}_renamed" if name in self.names else name for name in node.names]
        if isinstance(node, ast.Lambda) and len(node.args.args) == 1:
            # What differs in the names of its arguments alone becomes the same.
            (argument,) = node.args.args
            for part in ast.walk(node.body):
                if isinstance(part, ast.Name) and part.id == argument.arg:
                    part.id = "argument"
            argument.arg = "argument"
        return node


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Load a source as a module of some name."""

    def module(source, name):
        file = tmp_path / f"{name}.py"
        file.write_text(source)
        monkeypatch.setitem(sys.modules, name, None)  # no such module after the test
        return load_file(file)

    return module


@pytest.fixture
def load_renamed(load):
    """Load a source with other names than it has."""

    def module(source, name):
        tree = ast.parse(source)
        return load("\n\n" + ast.unparse(Renamer(tree).visit(tree)), name)

    return module


def evaluated_inputs(search, inputs):
    """Return all inputs that a search evaluates; the last one is the smallest."""
    evaluated = []

    def form(*values):
        evaluated.append(values)
        return float(min(map(size, values)))

    search(form, lambda *values: 0.0, inputs, threshold=6.0 if "words" in inputs else 1.0, examples=100)
    return repr(evaluated)


def size(value):
    """Return a number that grows with a value."""
    if isinstance(value, list | tuple):
        return sum(map(size, value))
    return len(value) if isinstance(value, str) else float(np.sum(np.abs(value)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plain", "built", "composite", "flat", "nested"])
def test_names_do_not_change_draws(name, load, load_renamed):
    before = load(STRATEGIES, "before").CASES[name]
    after = load_renamed(STRATEGIES, "after").CASES[name]
    other = load_renamed(inspect.getsource(evaluation), "other_trials")
    assert not hasattr(other, "search")
    for region in ("generic", "large"):
        expected = evaluation.samples(before, 60, region=region)
        assert repr(other.samples_renamed(after, 60, region=region)) == repr(expected)
    expected = evaluated_inputs(evaluation.search, before)
    assert evaluated_inputs(evaluation.search, after) == expected
    assert evaluated_inputs(other.search_renamed, after) == expected


def test_stored_inputs_are_replayed_under_another_name(load, load_renamed):
    def wrong(values):
        return len(values["chain"]) > 2

    before = load(STRATEGIES, "before").CASES["composite"]
    after = load_renamed(STRATEGIES, "after").CASES["composite"]
    other = load_renamed(inspect.getsource(evaluation), "other_trials")
    database = ChoiceDatabase({})
    phases = (evaluation.Phase.generate, evaluation.Phase.shrink)
    result = evaluation.find_inputs(
        before, wrong, evaluation.search_settings(200, *phases, database=database), "claim"
    )
    assert result is not None
    replay = evaluation.search_settings(1, evaluation.Phase.reuse, database=database)
    assert other.find_inputs_renamed(after, wrong, replay, "claim") == result
    assert other.find_inputs_renamed(after, wrong, replay, "another claim") is None


@pytest.mark.slow
def test_hash_order_does_not_change_draws(tmp_path):
    file = tmp_path / "script.py"
    text = inspect.getsource(size) + inspect.getsource(evaluated_inputs)
    file.write_text(
        f"{STRATEGIES}\n{text}\nfrom rbnotes.ledger.evaluation import samples, search\n"
        "print([(samples(inputs, 50), evaluated_inputs(search, inputs)) for inputs in CASES.values()])\n"
    )

    def printed_lines(start):
        environment = {**os.environ, "PYTHONHASHSEED": start}
        completed = subprocess.run([sys.executable, file], env=environment, capture_output=True, text=True)
        assert completed.returncode == 0, completed.stderr
        return completed.stdout

    assert printed_lines("1") == printed_lines("2")
