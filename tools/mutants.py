"""Mutation testing: change the package in one place at a time, and check that a test fails.

    python tools/mutants.py                                   16 slips for each subpackage
    python tools/mutants.py --subpackage friction --count 40 --seed 1
    python tools/mutants.py --module rbnotes/forces/path.py --count 1000    all slips of one file
    python tools/mutants.py --table                           writes the scores of the subpackages
    to book/_data/slips.csv

A slip is one plausible change to a function (see `rbnotes/ledger/checks/mutation_operators.py`): a sign, a
factor, an index, a comparison. The tool imports the package and collects the tests once. It measures which
tests call a function, and their durations, on first use, and keeps the results in `_build/mutants` until the
file of the test changes. For each slip it forks, changes the function's code, and runs the tests of the
subpackage that call it, the fastest first, until one fails. If none fails, it runs the records of the
subpackage and then the tests of other subpackages. It prints the slips that nothing detects:
`tools/equivalent_slips.toml` lists those that change no number, with the reason; for all others a test is
missing. Exit status 1 if more than 2 % of a subpackage's slips are not detected.

An interrupted run resumes: a detected slip is kept until the function or the test's file changes; a slip that
a record or nothing detects is kept until anything changes.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

# The package of this working tree, with compiled functions as plain Python, so that slips take effect at
# once.
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
from planted_slips import ROOT, Function, PackageFunctions, Slip, slips
from slip_checks import MEASURED, Tests, digest, first_wrong_record, records_of, run_in_fork

TABLE = ROOT / "book" / "_data" / "slips.csv"
NOT_MUTATED = ("ledger", "coursework/challenge", "coursework/cards", "coursework/grading", "cli")
"""Subpackages without formulas, and those with mutation tests of their own, such as the ledger."""
NOT_RUN = ("book", "coursework", "fuzz", "ledger")
NOT_RUN_FILES = ("command_line", "installed", "messages", "package", "packaging")
PASSED = 0.02


def files() -> dict[str, str]:
    """Return the digests of all files of the package and its tests."""
    paths = [each for folder in ("rbnotes", "tests") for each in (ROOT / folder).rglob("*.py")]
    return {str(each.relative_to(ROOT)): digest(each.read_bytes()) for each in sorted(paths)}


class ResultCache:
    """Cache of the test or record that detects each slip; "" if none does."""

    def __init__(self, path: Path, files: dict[str, str]) -> None:
        self.path, self.files, self.all = path, files, digest("".join(files.values()).encode())
        lines = path.read_text().splitlines() if path.exists() else []
        self.detections: dict[str, list[str]] = {
            slip: detection for slip, *detection in map(json.loads, lines)
        }

    def _state(self, slip: Slip, detected_by: str) -> str:
        """Return a digest of everything that can change the result."""
        test = detected_by.partition("::")[0]
        return f"{digest(slip.formula.encode())} {self.files[test]}" if test in self.files else self.all

    def get(self, slip: Slip) -> str | None:
        """Return the cached result of a slip if it is still valid."""
        detected_by, state = self.detections.get(str(slip), ("", ""))
        return detected_by if state == self._state(slip, detected_by) else None

    def add(self, slip: Slip, detected_by: str) -> None:
        """Add a result and write the cache, because the run may be interrupted."""
        with self.path.open("a") as file:
            file.write(json.dumps([str(slip), detected_by, self._state(slip, detected_by)]) + "\n")


def detecting_test(slip: Slip, functions: PackageFunctions, tests: Tests) -> str:
    """Return the test of the subpackage, or else the record or other test, that detects a slip."""
    function = slip.function
    preparations: tuple[Callable[[], Callable[[], str]], ...] = (
        lambda: partial(tests.run, tests.calling_tests(function, in_subpackage=True)),
        lambda: partial(first_wrong_record, records_of(function)),
        lambda: partial(tests.run, tests.calling_tests(function, in_subpackage=False)),
    )
    for prepare in preparations:
        work = prepare()  # measurements run without the slip
        with functions.with_slip(slip):
            detected = run_in_fork(work)
        if detected is None:
            return "stopped"
        if detected:
            return str(detected)
    return ""


@dataclass(frozen=True)
class Score:
    """Numbers of the slips of a subpackage: tested, equivalent, detected."""

    subpackage: str
    slips: int
    tested: int
    equivalent: int
    detected: int

    def __str__(self) -> str:
        counted = self.tested - self.equivalent
        percentage = f"{100 * self.detected / max(counted, 1):5.1f} %"
        equivalents = f"; {self.equivalent} equivalent" if self.equivalent else ""
        return f"{self.subpackage:16}{self.detected:5} of {counted} detected: {percentage}{equivalents}"

    @property
    def is_low(self) -> bool:
        """Return True if too many slips are not detected."""
        return self.detected < (1 - PASSED) * (self.tested - self.equivalent)


def write(scores: Sequence[Score]) -> None:
    """Write the table of the book; lines of other subpackages stay unchanged."""
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
    """Pytest plugin that runs the tests on slips instead of once."""

    def __init__(self, options: argparse.Namespace, write_line: Callable[[str], None]) -> None:
        self.options, self.write_line = options, write_line
        self.failed = True
        self.cache = ResultCache(MEASURED / "slips.jsonl", files())

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self) -> None:
        """Switch off shrinking, because any failure suffices."""
        phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
        suite = hypothesis.settings.get_profile("suite")
        hypothesis.settings.register_profile("slips", suite, phases=phases)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            raise RuntimeError("tests cannot be collected")
        tests = Tests(session, self.write_line)
        MEASURED.mkdir(parents=True, exist_ok=True)
        functions = PackageFunctions()
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
            all_slips = [
                slip
                for path in subpackages[subpackage]
                for slip in slips(path)
                if slip.location in functions.codes
            ]
            if all_slips:
                scores.append(self.score(subpackage, all_slips, functions, tests))
                self.write_line(str(scores[-1]))
            elif self.options.subpackage:
                raise RuntimeError(
                    f"{subpackage} has no functions to change; subpackages: {', '.join(subpackages)}"
                )
        if not scores:
            raise RuntimeError("there are no functions to change")
        totals = (sum(numbers) for numbers in zip(*(astuple(each)[1:] for each in scores), strict=True))
        self.write_line(str(Score("all", *totals)))
        self.failed = any(each.is_low for each in scores)
        if self.options.table:
            write(scores)
        return True

    def score(
        self,
        subpackage: str,
        all_slips: Sequence[Slip],
        functions: PackageFunctions,
        tests: Tests,
    ) -> Score:
        """Return the score of a sample of a subpackage's slips."""
        rng = np.random.default_rng([self.options.seed, zlib.crc32(subpackage.encode())])
        chosen = [all_slips[i] for i in rng.permutation(len(all_slips))[: self.options.count]]
        tested = [slip for slip in chosen if not slip.why_equivalent]
        detected = 0
        for slip in tested:
            detected_by = self.cache.get(slip)
            if detected_by is None:
                detected_by = detecting_test(slip, functions, tests)
                self.cache.add(slip, detected_by)
            detected += bool(detected_by)
            if not detected_by:
                self.write_line(f"    {slip}")
        return Score(subpackage, len(all_slips), len(chosen), len(chosen) - len(tested), detected)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=16, help="slips of each subpackage (default 16)")
    parser.add_argument("--subpackage", action="append", help="only this subpackage; can be repeated")
    parser.add_argument("--module", help="only this file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--table", action="store_true", help="write the scores to the book's table, too")
    options = parser.parse_args()
    if options.table and options.module:
        parser.error("--table requires whole subpackages")
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
