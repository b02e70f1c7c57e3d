"""Running a submission in a child process: inputs go in, plain arrays or the reason why not come back.

Nothing here knows what is right. What runs is ``_child.py``; how it is fenced in, ``_fences.py``. **This is
no security boundary**: it keeps a class's mistakes and pranks from costing others anything. Where submissions
may be hostile, run the whole grader in a container (``rbnotes/grading/container``).
"""

from __future__ import annotations

import json
import os
import re
import selectors
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, get_args

import numpy as np

from rbnotes.challenge.calling import Answer, Returned
from rbnotes.grading import _wire
from rbnotes.grading.running import Running
from rbnotes.grading.transcripts import Limits, Request, Stop, Told, Transcript

_CHILD = Path(__file__).with_name("_child.py")
_PACKAGE = _CHILD.parents[1]
_STARTING = 60.0
"""Seconds until the child must be ready: its interpreter and numpy, on a busy machine."""
_ENDING = 5.0
_ANSWERS = 3
_CHUNK = 1 << 16
_MEGABYTE = 1 << 20
_TEXT = 1000
_RECORDS = "ledger"
"""The subpackage with the references and the verdicts."""


@cache
def hidden_subpackages() -> tuple[str, ...]:
    """Return the subpackages that no submission may import or read: the records and all that import them."""
    sources = {
        folder.name: "\n".join(file.read_text(encoding="utf-8") for file in folder.rglob("*.py"))
        for folder in _PACKAGE.iterdir()
        if folder.joinpath("__init__.py").is_file() and folder.name != _RECORDS
    }
    hidden = [_RECORDS]
    for name in hidden:  # grows meanwhile
        imported = re.compile(rf"^\s*(from|import) rbnotes(\.{name}\b| import (\([^)]*|.*)\b{name}\b)", re.M)
        hidden += [each for each, text in sources.items() if each not in hidden and imported.search(text)]
    return tuple(hidden)


def collect(
    file: str, source: str, requests: Sequence[Request], limits: Limits, running: Running | None = None
) -> Transcript:
    """Load the source text in a child and call its functions.

    Plain data in and out, so any executor can run it, here or on another machine; only in threads of this
    process the children can be ended from outside, by ``running``.

    A function that ends its process is charged with it; the others are then called in a new one.
    """
    began = time.monotonic()
    told: dict[str, Told] = {}
    fences: tuple[str, ...] = ()
    left = list(requests)
    while left:
        with _child(file, source, limits, running or Running()) as child:
            fences = child.fences
            failure = child.load()
            if failure is not None:
                told |= {request.function: failure for request in left}
                break
            alive = True
            while left and alive:
                request = left.pop(0)
                told[request.function], alive = child.call(request)
    return Transcript(told, fences, time.monotonic() - began)


@contextmanager
def _child(file: str, source: str, limits: Limits, running: Running) -> Iterator[_Child]:
    with _folder() as folder, tempfile.TemporaryFile() as printed:
        reading, writing = os.pipe()
        try:
            process = _start(folder, printed.fileno(), writing, limits)
        finally:
            os.close(writing)
        child = _Child(process, reading, printed.fileno(), file, source, limits)
        try:
            with running.during(process):
                child.wait_until_ready()
                yield child
        finally:
            child.end()


@contextmanager
def _folder() -> Iterator[str]:
    """A folder for a submission, and nothing of it afterwards, however deep its folders are nested."""
    around = tempfile.mkdtemp(prefix="submission-")
    inside = os.path.join(around, "0")
    os.mkdir(inside)
    os.chmod(around, 0o711)
    try:
        yield inside
    finally:
        with suppress(OSError):
            _remove(around)


def _remove(around: str) -> None:
    """Folders are moved up before they are emptied: neither recursion nor the length of a path has an end."""
    waiting = [entry.path for entry in os.scandir(around) if entry.is_dir(follow_symlinks=False)]
    count = len(waiting)
    while waiting:
        folder = waiting.pop()
        with suppress(OSError):  # another user's
            os.chmod(folder, 0o700)
        for entry in [*os.scandir(folder)]:
            if entry.is_dir(follow_symlinks=False):
                waiting.append(os.path.join(around, str(count)))
                os.rename(entry.path, waiting[-1])
                count += 1
            else:
                os.unlink(entry.path)
        os.rmdir(folder)
    os.rmdir(around)


def _start(folder: str, printed: int, answers: int, limits: Limits) -> subprocess.Popen[bytes]:
    path = [entry for entry in sys.path if entry and os.path.isdir(entry)]
    hidden = [str(_PACKAGE / name) for name in hidden_subpackages()]
    if not limits.library:
        hidden.append(str(_PACKAGE))
    settings = {
        "grader": os.getpid(),
        "path": path,
        "readable": list(_readable(path, limits.library)),
        "limits": [
            int(limits.memory * _MEGABYTE),
            _bytes(limits),
            limits.files,
            limits.processes,
        ],
        "cpu": limits.cpu,
        "hidden_modules": [f"rbnotes.{name}" for name in hidden_subpackages()]
        if limits.library
        else ["rbnotes"],
        "hidden_folders": hidden,
    }
    # Descriptor 3 is the pipe by agreement; pass_fds keeps numbers, so the child's interpreter moves it.
    moved = "" if answers == _ANSWERS else f"os.dup2({answers}, {_ANSWERS}); os.close({answers}); "
    run = f"import os, runpy, sys; {moved}os.set_inheritable({_ANSWERS}, False); del sys.argv[0]; "
    run += "runpy.run_path(sys.argv[0], run_name='__main__')"
    bare = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "LANG": "C.UTF-8"}
    bare |= {"HOME": folder, "TMPDIR": folder, "MPLCONFIGDIR": folder, "PATH": os.defpath}
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-B", "-c", run, str(_CHILD), json.dumps(settings)],
        stdin=subprocess.PIPE,
        stdout=printed,
        stderr=printed,
        pass_fds=(answers,),
        cwd=folder,
        env=bare,
        start_new_session=True,
    )


def _readable(path: Sequence[str], library: bool) -> Iterator[str]:
    """The interpreter, the system and the installed packages; the package's rooms without its secrets."""
    yield from ("/usr", "/lib", "/lib64", "/bin", "/etc", "/dev", "/proc", "/sys/devices/system/cpu")
    stores = sysconfig.get_paths()
    yield from {stores["stdlib"], stores["platstdlib"], os.path.dirname(os.path.realpath(sys.executable))}
    base = Path(sys.base_prefix)
    yield from (str(base / "lib"), str(base / "bin"))
    for entry in path:
        if not os.path.basename(entry).endswith("-packages"):
            continue  # a folder of one's own, such as that of the assignment
        for item in os.scandir(entry):
            if item.name != "rbnotes":
                yield item.path
    if library:
        for room in _PACKAGE.iterdir():
            if room.name not in hidden_subpackages():
                yield str(room)


@dataclass
class _Child:
    """A running process, and what it has said so far: not frozen, for it goes on."""

    process: subprocess.Popen[bytes]
    answers: int
    printed: int
    file: str
    source: str
    limits: Limits
    fences: tuple[str, ...] = ()
    buffer: bytearray = field(default_factory=bytearray)
    received: int = 0
    deadline: float = 0.0

    def wait_until_ready(self) -> None:
        self._allow(_STARTING)
        try:
            self.fences = tuple(map(str, self._next()["ready"]))
        except (_Stopped, KeyError) as error:
            raise RuntimeError(f"the child process did not start: {self._said() or error}") from error

    def load(self) -> Told | None:
        """Run the submission's own text; what went wrong, if anything did."""
        self._allow(self.limits.seconds)
        self._send({"source": self.source, "file": self.file})
        try:
            found = self._next()
            if found.get("loaded") is True:
                return None
            stop: Stop = "syntax" if found.get("status") == "syntax" else "exception"
            raise _Stopped(stop, _told(found.get("message", "")))
        except _Stopped as why:
            return Told((), why.stop, why.message)

    def call(self, request: Request) -> tuple[Told, bool]:
        """What one function gave, and whether the child can go on."""
        self._allow(self.limits.seconds)
        self._send({"function": request.function, "cases": [_wire.encode(case) for case in request.cases]})
        answers: list[Answer] = []
        missing = ""
        try:
            while (found := self._next()).get("done") != request.function:
                if "missing" in found and not answers:
                    missing = _told(found["missing"])
                else:
                    self._take(found, request, answers)
            if missing:
                return Told((), "missing", missing), True
            if self._printed_too_much():
                raise _too_much(self.limits)
            if len(answers) < len(request.cases):
                raise _Stopped("crash", "answers are missing")
        except _Stopped as why:
            return Told(tuple(answers), why.stop, why.message), False
        return Told(tuple(answers)), True

    def _take(self, found: dict[str, Any], request: Request, answers: list[Answer]) -> None:
        """Add an answer; they come in order, the repeated ones after all others."""
        strange = _Stopped("crash", "something else than answers came back")
        if "bytes" in found:
            raise _too_much(self.limits)
        if found.get("function") != request.function:
            raise strange
        try:
            answer = _answer(found.get("answer"))
        except (_wire.Malformed, TypeError, RecursionError) as error:
            raise strange from error
        later = found.get("later")
        if found.get("case") == len(answers) < len(request.cases):
            answers.append(answer)
        elif type(later) is int and len(answers) == len(request.cases) and 0 <= later < len(answers):
            answers[later] = replace(answers[later], later=answer)
        else:
            raise strange

    def end(self) -> None:
        """End the child and everything that it has started."""
        with suppress(OSError):
            if self.process.stdin:
                self.process.stdin.close()
        with suppress(OSError):
            os.close(self.answers)
        self.answers = -1
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def _allow(self, seconds: float) -> None:
        self.deadline, self.received = time.monotonic() + seconds, 0

    def _send(self, message: dict[str, Any]) -> None:
        """Write it all, though the child may have stopped to read."""
        if self.process.stdin is None:
            raise RuntimeError("the child process takes no questions")
        handle, data = self.process.stdin.fileno(), memoryview(_wire.line(message))
        os.set_blocking(handle, False)
        with selectors.DefaultSelector() as selector, suppress(BrokenPipeError):
            selector.register(handle, selectors.EVENT_WRITE)
            while data and selector.select(max(0.0, self.deadline - time.monotonic())):
                data = data[os.write(handle, data) :]

    def _next(self) -> dict[str, Any]:
        """The next message; raises :class:`_Stopped` if none comes."""
        while (end := self.buffer.find(b"\n")) < 0:
            with selectors.DefaultSelector() as selector:
                selector.register(self.answers, selectors.EVENT_READ)
                if not selector.select(max(0.0, self.deadline - time.monotonic())):
                    raise _Stopped("timeout", f"no answer within {self.limits.seconds:g} s")
            chunk = os.read(self.answers, _CHUNK)
            if not chunk:
                raise self._ended()
            self.received += len(chunk)
            if self.received > 2 * _bytes(self.limits):  # as text, numbers take a third more room
                raise _too_much(self.limits)
            self.buffer += chunk
        line, self.buffer = bytes(self.buffer[:end]), self.buffer[end + 1 :]
        try:
            return _wire.message(line)
        except _wire.Malformed as error:
            raise _Stopped("crash", "something else than answers came back") from error

    def _ended(self) -> _Stopped:
        """Why the child is gone."""
        if self._printed_too_much():
            return _too_much(self.limits)
        try:
            code = self.process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            return _Stopped("crash", "it closed the channel for its answers")
        if code == 128 + signal.SIGXCPU:
            return _Stopped("timeout", f"more than {self.limits.cpu:g} s of the processor")
        if code > 128:
            with suppress(ValueError):
                return _Stopped("crash", f"the process was ended by {signal.Signals(code - 128).name}")
        return _Stopped("crash", f"the process ended with status {code}")

    def _printed_too_much(self) -> bool:
        return os.fstat(self.printed).st_size >= _bytes(self.limits)

    def _said(self) -> str:
        return os.pread(self.printed, 2000, 0).decode(errors="replace")


class _Stopped(Exception):
    """No further answer will come."""

    def __init__(self, stop: Stop, message: str) -> None:
        super().__init__(message)
        self.stop: Stop = stop
        self.message = message


def _told(text: Any) -> str:
    """What a submission says, as text that any file, page or terminal takes."""
    letters = str(text)[:_TEXT]
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "\ufffd" for letter in letters)


def _bytes(limits: Limits) -> int:
    return int(limits.output * _MEGABYTE)


def _too_much(limits: Limits) -> _Stopped:
    return _Stopped("output limit", f"more than {limits.output:g} MB of output")


def _answer(found: Any) -> Answer:
    """An answer, of nothing but arrays and text.

    Raises
    ------
    TypeError
        If it is none.
    """
    if not isinstance(found, dict) or found.get("returned") not in get_args(Returned):
        raise TypeError("no answer")
    value = _wire.decode(found.get("value"))
    if (found["returned"] == "array") != isinstance(value, np.ndarray):
        raise TypeError("no array")
    return Answer(
        found["returned"],
        value,
        _told(found.get("text", "")),
        tuple(map(_told, found.get("changed", ()))),
        tuple(map(_told, found.get("state", ()))),
        again=None if found.get("again") is None else _answer(found["again"]),
        spread=None if found.get("spread") is None else _answer(found["spread"]),
        nearby=None if found.get("nearby") is None else _answer(found["nearby"]),
        overwritten=found.get("overwritten") is True,
    )
