"""The share of the slow tests, and of the checks of unchanged records, that runs on this day."""

import os
import zlib
from datetime import date

from hypothesis import settings

NUM_GROUPS = 10
"""Number of days after which every slow test has run."""


def all_are_due():
    """Return True if this run leaves nothing out: `--slow`, or `--hypothesis-profile=deep`."""
    return bool(os.environ.get("RUN_SLOW_TESTS")) or (
        settings.default.max_examples > settings.get_profile("suite").max_examples
    )


def fix_day():
    """Let all processes of a run, before and after midnight, use one day (`TEST_DATE=2026-11-28` sets it)."""
    os.environ.setdefault("TEST_DATE", date.today().isoformat())


def is_due(number, num_groups=NUM_GROUPS):
    """Return True if it is the day of group `number % num_groups`, or if all groups are due."""
    day = date.fromisoformat(os.environ["TEST_DATE"]).toordinal()
    return all_are_due() or number % num_groups == day % num_groups


def select_due(slow):
    """Return the slow tests of this day: a tenth of the cases of each test, or at most one of fewer than ten.

    Tests of one file that are marked ``slow(together=True)`` share a fixture: all run on the same day.
    """
    groups = {}
    for item in slow:
        together = item.get_closest_marker("slow").kwargs.get("together", False)
        groups.setdefault(item.nodeid.split("::" if together else "[")[0], (together, []))[1].append(item)
    due = []
    for name, (together, items) in groups.items():
        first = zlib.crc32(name.encode())
        if together:
            due += items if is_due(first) else []
        else:
            due += [item for number, item in enumerate(items, start=first) if is_due(number)]
    return due
