"""Seeded draws do not depend on what else is loaded, as verdicts must not."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers
from module_files import load_file

from rbnotes.ledger.runner import samples, search
from rbnotes.testing import SEED, reproducible_draws

CONFTEST = Path(__file__).parents[1] / "conftest.py"
WIDE = {"number": st.integers(-(2**40), 2**40), "text": st.text(), "real": st.floats()}


def load_numbers(folder, name):
    """Return a module with many numbers and strings, like a user's script."""
    numbers = ", ".join(str(7**k + 12345 * len(name)) for k in range(12))
    file = folder / f"{name}.py"
    file.write_text(f"numbers = [{numbers}, 0.1234567, 9.87654e30]\nwords = ['{name}', 'stray {name}']\n")
    return load_file(file)


def inputs_of_search(inputs):
    """Return the inputs of a search."""
    collected = []
    search(
        lambda *values: collected.append(values) or 0.0,
        lambda *values: 0.0,
        inputs,
        threshold=1,
        examples=60,
    )
    return collected


def test_another_module_changes_no_draw(tmp_path, monkeypatch):
    @seed(SEED)
    @settings(max_examples=100)
    @given(st.tuples(*WIDE.values()))
    def draw(values):
        draws.append(values)

    def everything():
        draws.clear()
        draw()
        return repr([draws, samples(WIDE, 100), inputs_of_search(WIDE)])

    draws = []
    before = everything()
    for name in ("ballast", "cargo"):
        monkeypatch.setitem(sys.modules, name, None)  # no such module after the test
        load_numbers(tmp_path, name)
    assert everything() == before


def test_names_and_source_change_no_draw(request):
    """Property tests of this suite are seeded when they are collected, not from their source."""
    plugins = request.config.pluginmanager.get_plugins()
    conftest = next(plugin for plugin in plugins if getattr(plugin, "__file__", None) == str(CONFTEST))
    first_draws, other_draws = [], []

    @given(st.tuples(*WIDE.values()))
    def first(values):
        first_draws.append(values)

    @given(st.tuples(*WIDE.values()))
    def other_name(renamed_argument):
        """Differ from the first one in all that a digest of the source sees."""
        other_draws.append(renamed_argument)

    for test in (first, other_name):
        conftest.pytest_itemcollected(SimpleNamespace(obj=test))
        test()
    assert repr(first_draws) == repr(other_draws)
    assert len({repr(draw) for draw in first_draws}) > 5


def test_patched_functions_are_restored(monkeypatch):
    def theirs():
        raise AssertionError("asked for the constants of local modules")

    monkeypatch.setattr(providers, "_get_local_constants", theirs)
    with reproducible_draws():
        samples(WIDE, 100)
        assert providers._get_local_constants is not theirs
    assert providers._get_local_constants is theirs
    with pytest.raises(ZeroDivisionError), reproducible_draws():
        raise ZeroDivisionError
    assert providers._get_local_constants is theirs
