"""Public functions given nonsense: an error that names the argument, and no number (see `engine.py`)."""

import zlib

import numpy as np
import pytest
from engine import attempt, attempts
from hypothesis import settings
from table import ROOMS, table

PER_CALL = 8
"""Times that each entry of the table is called in the quick form; once if it is slow."""

DEEP = 10_000
"""Calls of each room in the deep form."""


def deep():
    return settings.default.max_examples >= 1000


def sample(room):
    """Which argument of which call becomes what, and with which random numbers."""
    rng = np.random.default_rng(zlib.crc32(room.encode()))
    calls = table(room)
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


@pytest.mark.parametrize("room", ROOMS)
def test_nonsense_is_refused_by_name(room):
    findings = [attempt(call, argument, kind, rng) for call, argument, kind, rng in sample(room)]
    faults = [str(finding) for finding in findings if finding is not None and finding.verdict != "fine"]
    unhelpful = [fault for fault in faults if fault.startswith("unhelpful")]
    assert len(unhelpful) < max(1, len(findings) / 1000), "\n".join(unhelpful)
    assert [fault for fault in faults if not fault.startswith("unhelpful")] == []
