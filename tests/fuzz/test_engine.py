"""The fuzzer finds each kind of fault in a function that has it."""

import time
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
from bad_values import NUMBERS
from engine import SECONDS, Call, attempt, attempts
from scipy import linalg

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument

X = np.array([1.0, 2.0, 3.0])


class Pair(NamedTuple):
    one: np.ndarray
    other: np.ndarray


def verdicts(function, **options):
    call = Call(function, {"x": X}, **options)
    findings = [attempt(call, *pair, np.random.default_rng(0)) for pair in attempts(call)]
    return {finding.kind: finding.verdict for finding in findings if finding is not None}


def checked_double(x):
    """Return twice a vector, or raise InvalidArgument."""
    return 2 * arguments.single_vector("x", x)


def unchecked_double(x):
    return 2 * np.asarray(x, dtype=float)


def undocumented_double(x):
    """Return twice a vector."""
    return checked_double(x)


def names_wrong_argument(x):
    return arguments.single_vector("y", x)


def modifies_argument(x):
    checked_double(x)
    x[0] += 1
    return 0.0


def not_a_number(x):
    return checked_double(x) * np.nan


def warns(x):
    """Raise an error that names another argument."""
    return linalg.solve(np.diag([1.0, 1e-20, 1.0]), checked_double(x))


def test_checking_function_has_no_fault():
    assert set(verdicts(checked_double).values()) == {"fine"}
    assert len(verdicts(checked_double)) > 40


@pytest.mark.parametrize(
    ("function", "kind", "verdict"),
    [
        (unchecked_double, "a NaN", "silent"),
        (unchecked_double, "text", "internal"),
        (unchecked_double, "numbers as text", "silent"),
        (unchecked_double, "a masked array", "silent"),
        (names_wrong_argument, "longer", "unhelpful"),
        (undocumented_double, "longer", "undocumented"),
        (modifies_argument, "other numbers", "mutated"),
        (not_a_number, "other numbers", "nan"),
        (warns, "other numbers", "internal"),
    ],
)
def test_each_fault_is_found(function, kind, verdict):
    assert verdicts(function)[kind] == verdict


def test_another_number_for_the_same_value_is_found():
    def by_type(x):
        return checked_double(x) + isinstance(x, list)

    assert verdicts(by_type)["a list"] == "silent"


def test_misinterpreted_leading_axes_are_found():
    assert verdicts(lambda x: float(np.sum(arguments.vector("x", x))))["twice"] == "silent"
    assert verdicts(lambda x: 2 * arguments.vector("x", x))["twice"] == "fine"


@pytest.fixture
def passes(monkeypatch):
    """Return a function that advances the engine's clock, which stands still otherwise."""
    now = [0.0]
    monkeypatch.setattr("engine.time", SimpleNamespace(perf_counter=lambda: now[0]))

    def more(seconds):
        now[0] += seconds

    return more


def test_slow_functions_are_found(passes):
    def lazy(x):
        checked_double(x)
        passes(1.1 * SECONDS)

    assert "hang" in verdicts(lazy).values()


def test_slow_machine_is_taken_into_account(passes, monkeypatch):
    def lazy(x):
        """Raise InvalidArgument."""
        passes(9 * SECONDS)
        return checked_double(x)

    assert set(verdicts(lazy).values()) == {"hang"}
    monkeypatch.setattr("engine.slowness", lambda: 10.0)
    assert set(verdicts(lazy).values()) == {"fine"}


def test_slow_first_call_is_accepted(passes):
    """The first call may compile code."""
    calls = []

    def compiles(x):
        """Raise InvalidArgument."""
        if not calls:
            calls.append(passes(1.1 * SECONDS))
        return checked_double(x)

    assert set(verdicts(compiles).values()) == {"fine"}


def test_endless_loops_are_interrupted(monkeypatch):
    monkeypatch.setattr("engine.SECONDS", 0.001)

    def endless(x):
        while True:
            time.sleep(0.001)

    result = attempt(Call(endless, {"x": X}), *attempts(Call(endless, {"x": X}))[0], np.random.default_rng(0))
    assert result is not None
    assert result.verdict == "hang"


def test_named_numbers_are_corrupted_one_by_one():
    """A check of only the first number misses the others."""

    def first_checked(pair):
        """Raise InvalidArgument."""
        arguments.require_instance("pair", pair, Pair)
        return Pair(arguments.vector("pair", pair.one), 2 * pair.other)

    call = Call(first_checked, {"pair": Pair(X, X)})
    kind = next(kind for name, kind in attempts(call) if kind[0] == "holds a NaN")
    verdicts_of_kinds = {
        attempt(call, "pair", kind, np.random.default_rng(seed)).verdict for seed in range(10)
    }
    assert verdicts_of_kinds == {"fine", "silent"}


def test_kinds_can_be_valid_for_an_argument():
    any_length = verdicts(lambda x: arguments.single_vector("x", x, None), fine={"x": ("longer",)})
    assert (any_length["longer"], any_length["shorter"]) == ("fine", "silent")


def test_kinds_have_unique_names():
    names = [kind[0] for kind in NUMBERS]
    assert len(names) == len(set(names)) >= 40
    with pytest.raises(InvalidArgument):
        checked_double([1.0, 2.0])
