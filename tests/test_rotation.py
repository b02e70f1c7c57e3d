"""Every slow test runs once within ten days, and each day a tenth of the cases of every parametrized one."""

from collections import Counter
from datetime import date, timedelta
from types import SimpleNamespace

import pytest
import rotation

NAMES = [f"test_single_{k}" for k in range(40)] + [f"test_pair[{k}]" for k in range(2)]
NAMES += [f"test_family[{k}]" for k in range(24)]
DAYS = [(date(2026, 12, 27) + timedelta(days=k)).isoformat() for k in range(rotation.NUM_GROUPS)]


def item(nodeid, **options):
    return SimpleNamespace(nodeid=nodeid, get_closest_marker=lambda _: pytest.mark.slow(**options).mark)


@pytest.fixture
def slow():
    return [item(f"tests/test_this.py::{name}") for name in NAMES]


def due_on(day, slow, monkeypatch):
    monkeypatch.setenv("TEST_DATE", day)
    return [item.nodeid.split("::")[1] for item in rotation.select_due(slow)]


def test_every_test_runs_within_ten_days(slow, monkeypatch):
    monkeypatch.setattr(rotation, "all_are_due", lambda: False)
    runs = Counter(name for day in DAYS for name in due_on(day, slow, monkeypatch))
    assert runs.keys() == set(NAMES)
    assert set(runs.values()) == {1}


def test_each_day_runs_a_share(slow, monkeypatch):
    monkeypatch.setattr(rotation, "all_are_due", lambda: False)
    for day in DAYS:
        due = due_on(day, slow, monkeypatch)
        assert sum("pair" in name for name in due) in {0, 1}
        assert sum("family" in name for name in due) in {2, 3}
        assert len(due) < len(NAMES) / 4


def test_all_tests_run_on_request(slow, monkeypatch):
    monkeypatch.setenv("RUN_SLOW_TESTS", "1")
    assert due_on(DAYS[0], slow, monkeypatch) == NAMES


def test_tests_that_share_a_fixture_run_on_one_day_together(monkeypatch):
    monkeypatch.setattr(rotation, "all_are_due", lambda: False)
    shared = [
        item(f"tests/test_this.py::{name}", together=True) for name in ("test_a[0]", "test_a[1]", "test_b")
    ]
    numbers = [len(due_on(day, shared, monkeypatch)) for day in DAYS]
    assert sorted(numbers) == [0] * 9 + [3]
