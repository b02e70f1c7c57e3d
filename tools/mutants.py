"""Plants slips in the package, one at a time, and sees whether the tests notice.

    python tools/mutants.py                                   16 slips a room
    python tools/mutants.py --room friction --count 40 --seed 1
    python tools/mutants.py --module rbnotes/forces/path.py --count 1000    all of one file

A slip is one change to a function that a writer could make (see `rbnotes/ledger/mutants.py`): a sign, a
factor, an index, a comparison. Everything is imported and the tests are collected once; which of them call a
function, and how long they take, is measured once and kept in `_build/mutants` until the file of the test
changes. For each slip this process forks, the function gets the code with the slip, and the tests that call
it run, those of the room first, the quickest first, until one fails. A slip that they let pass is shown to
the records of the room. What nothing notices is printed and is to be read: if it makes no number different,
`tools/equivalent_slips.toml` says why, else a test is missing. Ends with 1 if more than 2 % pass in a room.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

# The package as it stands here, compiled functions as plain Python: a slip in one of them is there at once.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ |= {"NUMBA_DISABLE_JIT": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import argparse
import ast
import gc
import json
import signal
import time
import tomllib
import traceback
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import zip_longest
from types import CodeType, FrameType, FunctionType
from typing import Any

import hypothesis
import numpy as np
import pytest

from rbnotes import ledger
from rbnotes.ledger.mutants import SWAPPED, mutants
from rbnotes.ledger.runner import measure

ROOT = Path(__file__).resolve().parent.parent
MEASURED = ROOT / "_build" / "mutants"
EQUIVALENT: dict[str, dict[str, str]] = tomllib.loads((ROOT / "tools" / "equivalent_slips.toml").read_text())
NOT_MUTATED = ("ledger", "challenge", "cards", "grading", "commands")
"""Rooms without formulas, or, as the ledger, with checks of their own that mutate them."""
NOT_RUN = ("book", "cards", "challenge", "coursework", "fuzz", "grading", "ledger")
NOT_RUN_FILES = ("command_line", "installed", "messages", "package", "packaging")
PASSED = 0.02
LIMIT = 25.0
"""Seconds of tests of other rooms, and of records, that are tried on a slip."""
SLOWER, PATIENCE = 10.0, 20.0
"""A test that takes so many times as long as it should, and so many seconds, is stopped: it has noticed."""


@dataclass(frozen=True)
class Function:
    """A function or a method of the package, by its file and its name there."""

    path: str
    name: str

    def __str__(self) -> str:
        return f"{self.path}: {self.name}"

    @property
    def room(self) -> str:
        """The folder of the module in the package, or the module itself."""
        return Path(self.path).parts[1].removesuffix(".py").strip("_")


@dataclass(frozen=True)
class Slip:
    """A change of a function that begins in a line; what it is then."""

    function: Function
    line: int
    change: str
    changed: ast.FunctionDef

    def __str__(self) -> str:
        return f"{self.function}: {self.change}"

    @property
    def place(self) -> tuple[Function, int]:
        """Where the function stands."""
        return self.function, self.line

    @property
    def why_equivalent(self) -> str | None:
        """The reason for which it makes no number different, if that is known."""
        return EQUIVALENT.get(str(self.function), {}).get(self.change)

    def code(self) -> CodeType:
        """The function's code with the change, compiled where it stands, as a method in its class."""
        body: ast.stmt = self.changed
        for name in reversed(self.function.name.split(".")[:-1]):
            body = ast.ClassDef(name, [], [], [body], [])
        future = ast.parse("from __future__ import annotations").body
        module = ast.fix_missing_locations(ast.Module([*future, body], []))
        return next(
            each
            for each in codes(compile(module, str(ROOT / self.function.path), "exec"))
            if each.co_qualname == self.function.name
        )


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code and all inside of it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from codes(inner)


def slips(path: str) -> Iterator[Slip]:
    """All slips of a module."""
    for node in ast.parse((ROOT / path).read_text()).body:
        methods = node.body if isinstance(node, ast.ClassDef) else [node]
        for function in methods:
            if isinstance(function, ast.FunctionDef):
                name = f"{node.name}.{function.name}" if isinstance(node, ast.ClassDef) else function.name
                line = min([function.lineno, *(each.lineno for each in function.decorator_list)])
                seen: Counter[str] = Counter()
                for change, changed in mutants(function):
                    seen[change] += 1
                    again = f", number {seen[change]}" if seen[change] > 1 else ""
                    yield Slip(Function(path, name), line, change + again, changed)


class Living:
    """The functions of the package that this process holds, those inside of others included."""

    def __init__(self) -> None:
        self.codes: dict[tuple[Function, int], CodeType] = {}
        self.functions: dict[int, list[FunctionType]] = defaultdict(list)
        for each in gc.get_objects():
            if type(each) is FunctionType and (function := of_package(each.__code__)):
                self.functions[id(each.__code__)].append(each)
                if "<locals>" not in each.__qualname__:
                    self.codes[function, each.__code__.co_firstlineno] = each.__code__

    @contextmanager
    def planted(self, slip: Slip) -> Iterator[None]:
        """While inside, the functions have the code with a slip, and so do those that they have made."""
        right = list(codes(self.codes[slip.place]))
        changed = [
            (function, old, new)
            for old, new in zip(right, codes(slip.code()), strict=False)
            for function in self.functions[id(old)]
            if (old.co_qualname, old.co_freevars) == (new.co_qualname, new.co_freevars)
        ]
        for function, _, new in changed:
            function.__code__ = new
            function.__globals__[SWAPPED] = lambda a, b: b @ a
        try:
            yield
        finally:
            for function, old, _ in changed:
                function.__code__ = old


def of_package(code: CodeType) -> Function | None:
    """The function of the package that a code belongs to."""
    if not code.co_filename.startswith(f"{ROOT}/rbnotes/"):
        return None
    return Function(str(Path(code.co_filename).relative_to(ROOT)), code.co_qualname.partition(".<locals>")[0])


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

    def __init__(self, session: pytest.Session) -> None:
        self.session = session
        self.items = {each.nodeid: each for each in session.items}
        self.seconds: dict[str, float] = {}
        self.calling: dict[Function, list[str]] = defaultdict(list)

    def measure(self, tell: Callable[[str], None]) -> None:
        """Run all tests of files that have changed, and look which functions they call."""
        files = defaultdict(list)
        for item in self.session.items:
            files[item.path].append(item)
        MEASURED.mkdir(parents=True, exist_ok=True)
        for path, items in files.items():
            name = f"{path.parent.name}-{path.stem}-{sha256(path.read_bytes()).hexdigest()[:12]}.json"
            if not (MEASURED / name).exists():
                tell(f"measuring {path.relative_to(ROOT)}")
                measured = in_copy(partial(self._measured, items))
                if measured is None:
                    raise RuntimeError(f"{path}: its tests cannot be measured")
                (MEASURED / name).write_text(json.dumps(measured))
            seconds, calls = json.loads((MEASURED / name).read_text())
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
            passed = self.run([item])
            sys.settrace(None)
            if not passed:  # where failures are not made small, or nothing is compiled
                self.session.testsfailed = 0
                continue
            seconds[item.nodeid] = time.process_time() - start
            for function in {of_package(code) for code in called} - {None}:
                calls[str(function)].append(item.nodeid)
        return seconds, calls

    def of(self, function: Function) -> list[pytest.Item]:
        """Tests that call a function, then those beside them, which may share what it made for them."""
        calling = self.calling[function]
        files = {test.partition("::")[0] for test in calling}
        beside = [test for test in self.seconds if test.partition("::")[0] in files and test not in calling]
        mine = (f"tests/{function.room}/", f"tests/test_{function.room}")
        chosen, of_others = [], 0.0
        for tests in (calling, beside):
            for test in sorted(tests, key=lambda test: (not test.startswith(mine), self.seconds[test])):
                of_others += 0.0 if test.startswith(mine) else self.seconds[test]
                if test in self.items and of_others < LIMIT:
                    chosen.append(self.items[test])
        return chosen

    def run(self, items: Sequence[pytest.Item]) -> bool:
        """Whether tests pass; to the first that does not."""
        for item, following in zip_longest(items, items[1:]):
            stop_after(PATIENCE + SLOWER * self.seconds.get(item.nodeid, 4 * LIMIT))
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.session.testsfailed:
                return False
        return True


def records_of(function: Function) -> list[ledger.Record]:
    """Records that name a function as what implements them, and then those that name another of its room."""
    of_room = (f"rbnotes.{function.room}", f"rbnotes._{function.room}")
    name = function.name.rpartition(".")[2]
    found = [each for each in ledger.load() if any(at.startswith(of_room) for at in each.implemented_by)]
    return sorted(found, key=lambda each: not any(at.endswith(f".{name}") for at in each.implemented_by))


def confirmed(records: Iterable[ledger.Record]) -> bool:
    """Whether no record of the first, as many as there is time for, gives a wrong number."""
    start = time.process_time()
    for record in records:
        stop_after(PATIENCE + LIMIT)
        if time.process_time() - start > LIMIT:
            return True
        try:
            right = measure(record, shrink=False).confirmed
        except Exception:  # a slip may do anything; then it is noticed
            right = False
        if not right:
            return False
    return True


class Trial:
    """A plugin of pytest that, in the place of running the tests once, runs them on slips."""

    def __init__(self, options: argparse.Namespace, tell: Callable[[str], None]) -> None:
        self.options, self.tell = options, tell
        self.failed = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self) -> None:
        """A failure is not made small."""
        phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
        suite = hypothesis.settings.get_profile("suite")
        hypothesis.settings.register_profile("slips", suite, phases=phases)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            raise RuntimeError("tests cannot be collected")
        tests = Tests(session)
        tests.measure(self.tell)
        living = Living()
        gc.freeze()
        rooms: dict[str, list[str]] = defaultdict(list)
        for path in sorted(str(each.relative_to(ROOT)) for each in (ROOT / "rbnotes").rglob("*.py")):
            if self.options.module in (None, path) and (room := Function(path, "").room) not in NOT_MUTATED:
                rooms[room].append(path)
        scores = []
        for room in self.options.room or rooms:
            every = [slip for path in rooms[room] for slip in slips(path) if slip.place in living.codes]
            if every:
                scores.append(self.score(room, every, living, tests))
        noticed, counted = map(sum, zip(*scores, strict=True))
        self.tell(f"{'all':16}{noticed:5} of {counted} noticed: {100 * noticed / max(counted, 1):.1f} %")
        self.failed = any(some < (1 - PASSED) * of for some, of in scores)
        return True

    def score(
        self,
        room: str,
        every: Sequence[Slip],
        living: Living,
        tests: Tests,
    ) -> tuple[int, int]:
        """How many of a sample of slips are noticed, and how many there are that change a number."""
        rng = np.random.default_rng([self.options.seed, zlib.crc32(room.encode())])
        chosen = [every[i] for i in rng.permutation(len(every))[: self.options.count]]
        tried = [slip for slip in chosen if not slip.why_equivalent]
        passed = []
        for slip in tried:
            with living.planted(slip):
                if in_copy(partial(passes, slip.function, tests)):
                    passed.append(slip)
                    self.tell(f"    {slip}")
        noticed = len(tried) - len(passed)
        share = f"{100 * noticed / max(len(tried), 1):5.1f} %"
        beside = f"; {len(chosen) - len(tried)} equivalent" if len(tried) < len(chosen) else ""
        self.tell(f"{room:16}{noticed:5} of {len(tried)} noticed: {share}{beside}")
        return noticed, len(tried)


def passes(function: Function, tests: Tests) -> bool:
    """Whether neither the tests that call a function nor the records of its room notice what it does now."""
    return tests.run(tests.of(function)) and confirmed(records_of(function))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=16, help="slips of each room (default 16)")
    parser.add_argument("--room", action="append", help="this room alone; may be given again")
    parser.add_argument("--module", help="this file alone")
    parser.add_argument("--seed", type=int, default=0)
    out = os.fdopen(os.dup(1), "w")
    trial = Trial(parser.parse_args(), lambda text: print(text, file=out, flush=True))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    ignored = [f"--ignore=tests/{each}" for each in NOT_RUN]
    ignored += [f"--ignore=tests/test_{each}.py" for each in NOT_RUN_FILES]
    settings = ["-s", "--tb=no", "--assert=plain", "--hypothesis-profile=slips"]
    settings += [f"-pno:{each}" for each in ("cacheprovider", "xdist")]
    os.chdir(ROOT)
    pytest.main([*settings, *ignored, "tests"], plugins=[trial])
    return int(trial.failed)


if __name__ == "__main__":
    sys.exit(main())
