"""Detect a slip with the tests and records that call a function, each in a fork of this process."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
from planted_slips import ROOT, Function, of_package

from rbnotes import ledger
from rbnotes.ledger.runner import measure

MEASURED = ROOT / "_build" / "mutants"
LIMIT = 25.0
"""Seconds of tests of other subpackages, and of records, that are tried on a slip."""
SLOWDOWN, EXTRA_SECONDS = 10.0, 20.0
"""A test is stopped, and counts as failed, after this multiple of its usual time plus these seconds."""


def digest(content: bytes) -> str:
    return sha256(content).hexdigest()[:12]


def run_in_fork(work: Callable[[], Any]) -> Any:
    """Return the result of a function in a fork of this process; None if the fork is stopped."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(read)
            data = json.dumps(work()).encode()
            with os.fdopen(write, "wb") as pipe:
                pipe.write(data)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        text = pipe.read()
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) > 0:
        raise RuntimeError("the trial of a slip itself has failed")
    return json.loads(text) if text else None


def stop_after(seconds: float) -> None:
    """End this process after a limit of processor time, or after ten times as much wall time."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(int(10 * seconds) + 1)


class Tests:
    """Collected tests, with the functions that they call and their durations, measured on first use."""

    def __init__(self, session: pytest.Session, write_line: Callable[[str], None]) -> None:
        self.session, self.write_line = session, write_line
        self.files: dict[str, list[pytest.Item]] = defaultdict(list)
        for item in session.items:
            self.files[str(item.path.relative_to(ROOT))].append(item)
        self.items = {each.nodeid: each for each in session.items}
        self.seconds: dict[str, float] = {}
        self.calling: dict[Function, list[str]] = defaultdict(list)
        self.measured_files: set[str] = set()

    def measure(self, path: str) -> None:
        """Record which functions the tests of a file call; run them only if the file has changed."""
        if path in self.measured_files:
            return
        self.measured_files.add(path)
        where = Path(path)
        stored = MEASURED / f"{where.parent.name}-{where.stem}-{digest((ROOT / path).read_bytes())}.json"
        if not stored.exists():
            self.write_line(f"measuring {path}")
            measured = run_in_fork(partial(self._measured, self.files[path]))
            if measured is None:
                raise RuntimeError(f"{path}: its tests cannot be measured")
            stored.write_text(json.dumps(measured))
        seconds, calls = json.loads(stored.read_text())
        self.seconds |= seconds
        for function, tests in calls.items():
            self.calling[Function(*function.split(": "))] += tests

    def _measured(self, items: Sequence[pytest.Item]) -> tuple[dict[str, float], dict[str, list[str]]]:
        seconds, calls = {}, defaultdict(list)
        for item in items:
            called: set[CodeType] = set()

            def trace(frame: FrameType, event: str, argument: Any, called: set[CodeType] = called) -> None:
                called.add(frame.f_code)

            start = time.process_time()
            sys.settrace(trace)
            failed = self.run([item])
            sys.settrace(None)
            if failed:  # e.g. where shrinking or compilation is switched off
                self.session.testsfailed = 0
                continue
            seconds[item.nodeid] = time.process_time() - start
            for function in {of_package(code) for code in called} - {None}:
                calls[str(function)].append(item.nodeid)
        return seconds, calls

    def calling_tests(self, function: Function, in_subpackage: bool) -> list[pytest.Item]:
        """Return tests of a function's subpackage, or others, that call it; then their neighbors.

        Neighbors may share fixtures that the function made.
        """
        subpackage = (f"tests/{function.subpackage}/", f"tests/test_{function.subpackage}")
        paths = [path for path in self.files if path.startswith(subpackage) is in_subpackage]
        for path in paths:
            self.measure(path)
        calling = {test for test in self.calling[function] if test.partition("::")[0] in paths}
        files = {test.partition("::")[0] for test in calling}
        others = [test for test in self.seconds if test.partition("::")[0] in files and test not in calling]
        chosen, seconds = [], 0.0
        for tests in (calling, others):
            for test in sorted(tests, key=self.seconds.__getitem__):
                seconds += self.seconds[test]
                if test in self.items and (in_subpackage or seconds < LIMIT):
                    chosen.append(self.items[test])
        return chosen

    def run(self, items: Sequence[pytest.Item]) -> str:
        """Run tests until one fails, and return its name; "" if all pass."""
        for item, following in zip_longest(items, items[1:]):
            stop_after(EXTRA_SECONDS + SLOWDOWN * self.seconds.get(item.nodeid, 4 * LIMIT))
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.session.testsfailed:
                return item.nodeid
        return ""


def records_of(function: Function) -> list[ledger.Record]:
    """Return the records of a function, then those of the other functions of its subpackage."""
    subpackage = f"rbnotes.{function.subpackage.replace('/', '.')}"
    name = function.name.rpartition(".")[2]
    matching = [
        each for each in ledger.load() if any(at.startswith(subpackage) for at in each.implemented_by)
    ]
    return sorted(matching, key=lambda each: not any(at.endswith(f".{name}") for at in each.implemented_by))


def first_wrong_record(records: Sequence[ledger.Record]) -> str:
    """Return the first record that gives a wrong number; "" if none does."""
    start = time.process_time()
    for record in records:
        stop_after(EXTRA_SECONDS + LIMIT)
        if time.process_time() - start > LIMIT:
            break
        try:
            right = measure(record, shrink=False).confirmed
        except Exception:  # a slip may do anything; an exception detects it
            right = False
        if not right:
            return record.id
    return ""
