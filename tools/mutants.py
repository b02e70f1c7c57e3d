"""Plants slips in the package, one at a time, and sees whether the tests notice.

    python tools/mutants.py                                   16 slips a subpackage
    python tools/mutants.py --subpackage friction --count 40 --seed 1
    python tools/mutants.py --module rbnotes/forces/path.py --count 1000    all of one file
    python tools/mutants.py --table                           the subpackages' scores go to
    book/_data/slips.csv

A slip is one change to a function that a writer could make (see
`rbnotes/ledger/checks/mutation_operators.py`): a sign, a factor, an index, a comparison. Everything is
imported and the tests are collected once; which of them call a function, and how long they take, is measured
when it is first needed and kept in `_build/mutants` until the file of the test changes. For each slip this
process forks, the function gets the code with the slip, and the tests of the subpackage that call it run, the
quickest first, until one fails. A slip that they let pass is shown to the records of the subpackage, and then
to the tests of other subpackages. What nothing notices is printed and is to be read: if it makes no number
different, `tools/equivalent_slips.toml` says why, else a test is missing. Ends with 1 if more than 2 % pass
in a subpackage.

A run that was ended goes on where it was: what noticed a slip is kept, too, until the function or the file of
that test changes; what a record noticed or nothing did, until anything changes.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

# The package as it stands here, compiled functions as plain Python: a slip in one of them is there at once.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ |= {"NUMBA_DISABLE_JIT": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import argparse
import csv
import gc
import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, fields
from functools import partial

import hypothesis
import numpy as np
import pytest
from planted_slips import ROOT, Function, Living, Slip, slips
from slip_checks import MEASURED, Tests, digest, in_copy, records_of, refused

TABLE = ROOT / "book" / "_data" / "slips.csv"
NOT_MUTATED = ("ledger", "coursework/challenge", "coursework/cards", "coursework/grading", "cli")
"""Rooms without formulas, or, as the ledger, with checks of their own that mutate them."""
NOT_RUN = ("book", "coursework", "fuzz", "ledger")
NOT_RUN_FILES = ("command_line", "installed", "messages", "package", "packaging")
PASSED = 0.02


def files() -> dict[str, str]:
    """Digests of all files of the package and its tests, as they are now."""
    found = [each for folder in ("rbnotes", "tests") for each in (ROOT / folder).rglob("*.py")]
    return {str(each.relative_to(ROOT)): digest(each.read_bytes()) for each in sorted(found)}


class Kept:
    """What has noticed slips so far: a test, or a record; nothing, an empty text."""

    def __init__(self, path: Path, files: dict[str, str]) -> None:
        self.path, self.files, self.all = path, files, digest("".join(files.values()).encode())
        lines = path.read_text().splitlines() if path.exists() else []
        self.known: dict[str, list[str]] = {slip: found for slip, *found in map(json.loads, lines)}

    def _state(self, slip: Slip, noticing: str) -> str:
        """Of what could change the answer."""
        test = noticing.partition("::")[0]
        return f"{digest(slip.formula.encode())} {self.files[test]}" if test in self.files else self.all

    def get(self, slip: Slip) -> str | None:
        """What noticed a slip, if nothing that could matter has changed since."""
        noticing, state = self.known.get(str(slip), ("", ""))
        return noticing if state == self._state(slip, noticing) else None

    def add(self, slip: Slip, noticing: str) -> None:
        """Written at once, since the run may be ended."""
        with self.path.open("a") as file:
            file.write(json.dumps([str(slip), noticing, self._state(slip, noticing)]) + "\n")


def noticing(slip: Slip, living: Living, tests: Tests) -> str:
    """Return the test of the subpackage, or else the record or other test, that notices a slip."""
    function = slip.function
    looks: tuple[Callable[[], Callable[[], str]], ...] = (
        lambda: partial(tests.run, tests.of(function, own=True)),
        lambda: partial(refused, records_of(function)),
        lambda: partial(tests.run, tests.of(function, own=False)),
    )
    for look in looks:
        work = look()  # what it has to measure is measured without the slip
        with living.planted(slip):
            noticed = in_copy(work)
        if noticed is None:
            return "stopped"
        if noticed:
            return str(noticed)
    return ""


@dataclass(frozen=True)
class Score:
    """Of the slips of a subpackage, how many were tried, how many make no number different or are noticed."""

    subpackage: str
    slips: int
    tried: int
    equivalent: int
    noticed: int

    def __str__(self) -> str:
        counted = self.tried - self.equivalent
        share = f"{100 * self.noticed / max(counted, 1):5.1f} %"
        beside = f"; {self.equivalent} equivalent" if self.equivalent else ""
        return f"{self.subpackage:16}{self.noticed:5} of {counted} noticed: {share}{beside}"

    @property
    def low(self) -> bool:
        """Whether more are passed over than may be."""
        return self.noticed < (1 - PASSED) * (self.tried - self.equivalent)


def write(scores: Sequence[Score]) -> None:
    """The table of the book; subpackages that are not among the scores stay as they are in it."""
    lines: dict[str, Sequence[object]] = {}
    if TABLE.exists():
        with TABLE.open(encoding="utf-8", newline="") as file:
            lines = {line[0]: line for line in list(csv.reader(file))[1:]}
    lines |= {each.subpackage: astuple(each) for each in scores}
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(each.name for each in fields(Score))
        writer.writerows(lines[subpackage] for subpackage in sorted(lines))


class Trial:
    """A plugin of pytest that, in the place of running the tests once, runs them on slips."""

    def __init__(self, options: argparse.Namespace, tell: Callable[[str], None]) -> None:
        self.options, self.tell = options, tell
        self.failed = True
        self.kept = Kept(MEASURED / "slips.jsonl", files())

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
        tests = Tests(session, self.tell)
        MEASURED.mkdir(parents=True, exist_ok=True)
        living = Living()
        gc.freeze()
        subpackages: dict[str, list[str]] = defaultdict(list)
        for path in sorted(str(each.relative_to(ROOT)) for each in (ROOT / "rbnotes").rglob("*.py")):
            if (
                self.options.module in (None, path)
                and (subpackage := Function(path, "").subpackage) not in NOT_MUTATED
            ):
                subpackages[subpackage].append(path)
        scores = []
        for subpackage in self.options.subpackage or subpackages:
            every = [
                slip for path in subpackages[subpackage] for slip in slips(path) if slip.place in living.codes
            ]
            if every:
                scores.append(self.score(subpackage, every, living, tests))
                self.tell(str(scores[-1]))
            elif self.options.subpackage:
                raise RuntimeError(
                    f"this process holds no functions of {subpackage}; subpackages: {', '.join(subpackages)}"
                )
        if not scores:
            raise RuntimeError("this process holds no functions to change")
        every_room = (sum(numbers) for numbers in zip(*(astuple(each)[1:] for each in scores), strict=True))
        self.tell(str(Score("all", *every_room)))
        self.failed = any(each.low for each in scores)
        if self.options.table:
            write(scores)
        return True

    def score(
        self,
        subpackage: str,
        every: Sequence[Slip],
        living: Living,
        tests: Tests,
    ) -> Score:
        """How many of a sample of slips are noticed, and how many there are that change a number."""
        rng = np.random.default_rng([self.options.seed, zlib.crc32(subpackage.encode())])
        chosen = [every[i] for i in rng.permutation(len(every))[: self.options.count]]
        tried = [slip for slip in chosen if not slip.why_equivalent]
        noticed = 0
        for slip in tried:
            found = self.kept.get(slip)
            if found is None:
                found = noticing(slip, living, tests)
                self.kept.add(slip, found)
            noticed += bool(found)
            if not found:
                self.tell(f"    {slip}")
        return Score(subpackage, len(every), len(chosen), len(chosen) - len(tried), noticed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=16, help="slips of each subpackage (default 16)")
    parser.add_argument("--subpackage", action="append", help="this subpackage alone; may be given again")
    parser.add_argument("--module", help="this file alone")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--table", action="store_true", help="write the scores to the book's table, too")
    options = parser.parse_args()
    if options.table and options.module:
        parser.error("--table is of whole subpackages")
    out = os.fdopen(os.dup(1), "w")
    trial = Trial(options, lambda text: print(text, file=out, flush=True))
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
