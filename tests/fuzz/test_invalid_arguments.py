"""Public functions raise an error that names an invalid argument (see `engine.py`)."""

import zlib
from itertools import combinations

import numpy as np
import pytest
from bad_values import REFUSED
from engine import attempt, attempts, classify_error, outcome
from hypothesis import settings
from table import SUBPACKAGES, table

PER_CALL = 4
"""Times that each entry of the table is called in the quick form; once if it is slow."""

DEEP = 10_000
"""Calls of each subpackage in the deep form."""


def deep():
    return settings.default.max_examples >= 1000


def sample(subpackage):
    """Return a sample of calls, arguments, kinds of value and seeds."""
    rng = np.random.default_rng(zlib.crc32(subpackage.encode()))
    calls = table(subpackage)
    if deep():
        pairs = [(call, *pair) for call in calls for pair in attempts(call)]
        return [(*pairs[rng.integers(len(pairs))], rng) for _ in range(DEEP)]
    return [
        (call, *chosen[i], rng)
        for call in calls
        for chosen in [attempts(call)]
        if chosen
        for i in rng.choice(len(chosen), min(len(chosen), 1 if call.slow else PER_CALL), replace=False)
    ]


@pytest.mark.parametrize("subpackage", SUBPACKAGES)
def test_invalid_arguments_are_named(subpackage, capfd):
    findings = [attempt(call, argument, kind, rng) for call, argument, kind, rng in sample(subpackage)]
    faults = [str(finding) for finding in findings if finding is not None and finding.verdict != "fine"]
    unhelpful = [fault for fault in faults if fault.startswith("unhelpful")]
    assert len(unhelpful) < max(1, len(findings) / 1000), "\n".join(unhelpful)
    assert [fault for fault in faults if not fault.startswith("unhelpful")] == []
    assert "illegal value" not in "".join(capfd.readouterr())  # what LAPACK prints of a NaN


def numbers(call):
    """Return the arguments that are numbers or arrays of them."""
    return [name for name, value in call.arguments.items() if isinstance(value, float | np.ndarray)]


def with_leading_axes(call, *chosen):
    """Return the call with each of these arguments stacked `count` times."""
    changed = {name: np.stack([np.asarray(call.arguments[name])] * count) for name, count in chosen}
    return outcome(lambda **last: call(**{**changed, **last}), chosen[0][0], changed[chosen[0][0]])[:2]


@pytest.mark.parametrize("subpackage", SUBPACKAGES)
def test_mismatched_leading_axes_are_named(subpackage):
    """Two of one argument and three of another: the message is not that of NumPy."""
    rng = np.random.default_rng(zlib.crc32(subpackage.encode()))
    for call in table(subpackage):
        pairs = list(combinations(numbers(call), 2))
        if call.slow or not pairs:
            continue
        for i in range(len(pairs)) if deep() else rng.choice(len(pairs), 1):
            one, other = pairs[i]
            if all(with_leading_axes(call, pair)[1] is None for pair in ((one, 2), (other, 3))):
                _, error = with_leading_axes(call, (one, 2), (other, 3))
                assert error is None or classify_error(call, error, REFUSED) == "fine", (call.name, error)
