"""Plants slips in the package, one at a time, and sees whether the tests notice.

    python tools/mutants.py                          5 slips a room: about an hour on one core
    python tools/mutants.py --room friction --count 40
    python tools/mutants.py --module rbnotes/forces/path.py --count 1000   all of one file

A slip is one change to a function that a writer could make (see `rbnotes/ledger/mutants.py`): a sign, a
factor, an index, a comparison. The tests of the room run first, until one fails; a slip that they let pass is
shown to the records that name a function of the room as what implements them. What neither notices is
printed, and is to be read: some changes make no number different. Ends with 1 if more than 2 % pass.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rbnotes import ledger
from rbnotes.ledger.mutants import SWAPPED, mutants

ROOT = Path(__file__).resolve().parent.parent
NOT_MUTATED = ("ledger", "challenge", "cards", "grading", "viewer", "commands")
"""Rooms without formulas, or, as the ledger, with checks of their own that mutate them."""
PASSED = 0.02
LIMIT = 300.0
"""Seconds for the tests; what takes longer has been noticed."""
HELPER = f"\n\ndef {SWAPPED}(a, b):\n    return b @ a\n"


@dataclass(frozen=True)
class Slip:
    """A function with one change, and where it stands."""

    path: Path
    function: str
    change: str
    source: str

    def __str__(self) -> str:
        return f"{self.path}: {self.function}: {self.change}"


def room_of(path: Path) -> str:
    """The folder of a module in the package, or the module itself."""
    return path.parts[1].removesuffix(".py").strip("_")


def tests_of(room: str) -> list[str]:
    """The folder or the file of tests with the name of the room."""
    found = [ROOT / "tests" / room, ROOT / "tests" / f"test_{room}.py"]
    return [str(each) for each in found if each.exists()]


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions and methods, with their names in the module."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
            yield from ((f"{node.name}.{each.name}", each) for each in methods)


def slips(path: Path) -> Iterator[Slip]:
    """All slips of a module."""
    text = (ROOT / path).read_text()
    lines = text.splitlines(keepends=True)
    for name, function in functions(ast.parse(text)):
        decorators = [each.lineno for each in function.decorator_list]
        first, last = min([function.lineno, *decorators]) - 1, function.end_lineno
        for change, changed in mutants(function):
            body = ast.unparse(changed)
            indented = "".join(f"{' ' * function.col_offset}{line}\n" for line in body.splitlines())
            yield Slip(path, name, change, "".join([*lines[:first], indented, *lines[last:], HELPER]))


def is_noticed(slip: Slip, commands: Sequence[Sequence[str]], copy: Path) -> bool:
    """Whether a command fails with the slip planted in a copy of the package."""
    target = copy / slip.path
    right = target.read_text()
    target.write_text(slip.source)
    try:
        return any(fails(command, copy) for command in commands)
    finally:
        target.write_text(right)


def checks(room: str) -> list[list[str]]:
    """The tests of a room, and the records that name what implements them there."""
    python = [sys.executable, "-m"]
    settings = ["-p", "no:cacheprovider", "--rootdir", str(ROOT), "-c", str(ROOT / "pyproject.toml")]
    commands = [[*python, "pytest", "-x", "-q", *settings, *tests_of(room)]]
    of_room = (f"rbnotes.{room}", f"rbnotes._{room}")
    ids = [each.id for each in ledger.load() if any(name.startswith(of_room) for name in each.implemented_by)]
    return [*commands, [*python, "rbnotes", "verify", "--examples", "25", *ids]] if ids else commands


def fails(command: Sequence[str], copy: Path) -> bool:
    """Whether a command fails, with the package in the folder where it runs."""
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def modules() -> dict[str, list[Path]]:
    """Files of each room that has formulas and tests."""
    rooms: dict[str, list[Path]] = {}
    for path in sorted((ROOT / "rbnotes").rglob("*.py")):
        module = path.relative_to(ROOT)
        if room_of(module) not in NOT_MUTATED and tests_of(room_of(module)):
            rooms.setdefault(room_of(module), []).append(module)
    return rooms


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=5, help="slips of each room (default 5)")
    parser.add_argument("--room", action="append", help="this room alone; may be given again")
    parser.add_argument("--module", type=Path, help="this file alone")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rooms = modules()
    if options.module:
        rooms = {room_of(options.module): [options.module]}
    elif options.room:
        rooms = {room: rooms[room] for room in options.room}
    passed = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copytree(ROOT / "rbnotes", copy / "rbnotes")
        for room, paths in rooms.items():
            commands = checks(room)
            if any(fails(command, copy) for command in commands):
                raise SystemExit(f"{room}: fails, or takes too long, without any slip")
            every = [slip for path in paths for slip in slips(path)]
            rng = np.random.default_rng([options.seed, zlib.crc32(room.encode())])
            chosen = rng.permutation(len(every))[: options.count]
            survivors = [every[i] for i in chosen if not is_noticed(every[i], commands, copy)]
            print(f"{room:16}{len(chosen) - len(survivors):6} of {len(chosen)} noticed", flush=True)
            for slip in survivors:
                print(f"    {slip}", flush=True)
            passed, tried = passed + len(survivors), tried + len(chosen)
    print(f"{'all':16}{tried - passed:6} of {tried} noticed: {100 * (1 - passed / max(tried, 1)):.1f} %")
    return int(passed > PASSED * tried)


if __name__ == "__main__":
    sys.exit(main())
