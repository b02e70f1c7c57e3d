"""What looks for a slip: tests that call a function, and records, each in a copy of this process."""

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
SLOWER, PATIENCE = 10.0, 20.0
"""A test that takes so many times as long as it should, and so many seconds, is stopped: it has noticed."""


def digest(content: bytes) -> str:
    return sha256(content).hexdigest()[:12]


def in_copy(work: Callable[[], Any]) -> Any:
    """What a function gives in a copy of this process; nothing if that is stopped."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(read)
            given = json.dumps(work()).encode()
            with os.fdopen(write, "wb") as pipe:
                pipe.write(given)
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
    """End this process after seconds of its own, or if it waits ten times as long."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(int(10 * seconds) + 1)


class Tests:
    """The collected tests; what they call and the seconds that they take, measured when first asked for."""

    def __init__(self, session: pytest.Session, tell: Callable[[str], None]) -> None:
        self.session, self.tell = session, tell
        self.files: dict[str, list[pytest.Item]] = defaultdict(list)
        for item in session.items:
            self.files[str(item.path.relative_to(ROOT))].append(item)
        self.items = {each.nodeid: each for each in session.items}
        self.seconds: dict[str, float] = {}
        self.calling: dict[Function, list[str]] = defaultdict(list)
        self.known: set[str] = set()

    def measure(self, path: str) -> None:
        """Look which functions the tests of a file call, and run them if it has changed."""
        if path in self.known:
            return
        self.known.add(path)
        where = Path(path)
        kept = MEASURED / f"{where.parent.name}-{where.stem}-{digest((ROOT / path).read_bytes())}.json"
        if not kept.exists():
            self.tell(f"measuring {path}")
            measured = in_copy(partial(self._measured, self.files[path]))
            if measured is None:
                raise RuntimeError(f"{path}: its tests cannot be measured")
            kept.write_text(json.dumps(measured))
        seconds, calls = json.loads(kept.read_text())
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
            if failed:  # where failures are not made small, or nothing is compiled
                self.session.testsfailed = 0
                continue
            seconds[item.nodeid] = time.process_time() - start
            for function in {of_package(code) for code in called} - {None}:
                calls[str(function)].append(item.nodeid)
        return seconds, calls

    def of(self, function: Function, own: bool) -> list[pytest.Item]:
        """Tests of a function's subpackage, or others, that call it; then those beside them, which may share
        what it made for them."""
        subpackage = (f"tests/{function.subpackage}/", f"tests/test_{function.subpackage}")
        paths = [path for path in self.files if path.startswith(subpackage) is own]
        for path in paths:
            self.measure(path)
        calling = {test for test in self.calling[function] if test.partition("::")[0] in paths}
        files = {test.partition("::")[0] for test in calling}
        beside = [test for test in self.seconds if test.partition("::")[0] in files and test not in calling]
        chosen, seconds = [], 0.0
        for tests in (calling, beside):
            for test in sorted(tests, key=self.seconds.__getitem__):
                seconds += self.seconds[test]
                if test in self.items and (own or seconds < LIMIT):
                    chosen.append(self.items[test])
        return chosen

    def run(self, items: Sequence[pytest.Item]) -> str:
        """Run tests to the first that does not pass, which is named; an empty text if all do."""
        for item, following in zip_longest(items, items[1:]):
            stop_after(PATIENCE + SLOWER * self.seconds.get(item.nodeid, 4 * LIMIT))
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.session.testsfailed:
                return item.nodeid
        return ""


def records_of(function: Function) -> list[ledger.Record]:
    """Records that name a function as what implements them, and then those that name another of its
    subpackage."""
    own = f"rbnotes.{function.subpackage.replace('/', '.')}"
    name = function.name.rpartition(".")[2]
    found = [each for each in ledger.load() if any(at.startswith(own) for at in each.implemented_by)]
    return sorted(found, key=lambda each: not any(at.endswith(f".{name}") for at in each.implemented_by))


def refused(records: Sequence[ledger.Record]) -> str:
    """The first record that gives a wrong number; an empty text if none of those tried does."""
    start = time.process_time()
    for record in records:
        stop_after(PATIENCE + LIMIT)
        if time.process_time() - start > LIMIT:
            break
        try:
            right = measure(record, shrink=False).confirmed
        except Exception:  # a slip may do anything; then it is noticed
            right = False
        if not right:
            return record.id
    return ""
