"""Run a submission in a child process, which gets inputs and returns plain arrays or an error.

This module has no right results. The child runs ``_child.py``; ``_restrictions.py`` restricts it. **This is
not a security boundary**: it keeps the mistakes and pranks of a class away from other students. If
submissions may be hostile, run the whole grader in a container (``rbnotes/coursework/grading/container``).
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

from rbnotes.coursework.challenge.calls import Answer, ReturnKind
from rbnotes.coursework.grading import _messages
from rbnotes.coursework.grading.child_processes import ChildProcesses
from rbnotes.coursework.grading.transcripts import (
    FunctionTranscript,
    Limits,
    Request,
    Stop,
    Transcript,
)

_CHILD = Path(__file__).with_name("_child.py")
_PACKAGE = _CHILD.parents[2]
_START_TIMEOUT = 60.0
"""Timeout in seconds for the start of the child's interpreter and NumPy on a busy machine."""
_END_TIMEOUT = 5.0
_ANSWER_DESCRIPTOR = 3
_CHUNK_SIZE = 1 << 16
_MEGABYTE = 1 << 20
_MAX_TEXT_LENGTH = 1000
_RECORDS = "ledger"
"""Subpackage with the oracles and the verdicts."""


@cache
def hidden_subpackages() -> tuple[str, ...]:
    """Return the subpackages that no submission may import or read: the records and their users."""
    sources = {
        folder.name: "\n".join(file.read_text(encoding="utf-8") for file in folder.rglob("*.py"))
        for folder in _PACKAGE.iterdir()
        if folder.joinpath("__init__.py").is_file() and folder.name != _RECORDS
    }
    hidden = [_RECORDS]
    for name in hidden:  # grows during the loop
        imported = re.compile(rf"^\s*(from|import) rbnotes(\.{name}\b| import (\([^)]*|.*)\b{name}\b)", re.M)
        hidden += [each for each, text in sources.items() if each not in hidden and imported.search(text)]
    return tuple(hidden)


def run_submission(
    file: str, source: str, requests: Sequence[Request], limits: Limits, running: ChildProcesses | None = None
) -> Transcript:
    """Load a source text in a child process and call its functions.

    Arguments and result are plain data, so that any executor can run it, also on another machine. With
    ``running``, the owner of the collection can end the child processes of all threads of this process.

    A function that ends its process fails; the remaining ones are called in a new process.
    """
    start_time = time.monotonic()
    function_transcripts: dict[str, FunctionTranscript] = {}
    restrictions: tuple[str, ...] = ()
    pending = list(requests)
    while pending:
        with _child(file, source, limits, running or ChildProcesses()) as child:
            restrictions = child.restrictions
            failure = child.load()
            if failure is not None:
                function_transcripts |= {request.function: failure for request in pending}
                break
            alive = True
            while pending and alive:
                request = pending.pop(0)
                function_transcripts[request.function], alive = child.call(request)
    return Transcript(function_transcripts, restrictions, time.monotonic() - start_time)


@contextmanager
def _child(file: str, source: str, limits: Limits, running: ChildProcesses) -> Iterator[_Child]:
    """Return a context with a child process that has loaded nothing yet; it ends with the context."""
    with _submission_folder() as folder, tempfile.TemporaryFile() as output:
        reading, writing = os.pipe()
        try:
            process = _start_child(folder, output.fileno(), writing, limits)
        finally:
            os.close(writing)
        child = _Child(process, reading, output.fileno(), file, source, limits)
        try:
            with running.track(process):
                child.wait_until_ready()
                yield child
        finally:
            child.end()


@contextmanager
def _submission_folder() -> Iterator[str]:
    """Make a folder for a submission, and remove it afterwards, even if its folders are deeply nested."""
    parent = tempfile.mkdtemp(prefix="submission-")
    inside = os.path.join(parent, "0")
    os.mkdir(inside)
    os.chmod(parent, 0o711)
    try:
        yield inside
    finally:
        with suppress(OSError):
            _remove_folder(parent)


def _remove_folder(parent: str) -> None:
    """Remove a folder after moving nested ones up, without deep recursion and long paths."""
    waiting = [entry.path for entry in os.scandir(parent) if entry.is_dir(follow_symlinks=False)]
    count = len(waiting)
    while waiting:
        folder = waiting.pop()
        with suppress(OSError):  # owned by another user
            os.chmod(folder, 0o700)
        for entry in [*os.scandir(folder)]:
            if entry.is_dir(follow_symlinks=False):
                waiting.append(os.path.join(parent, str(count)))
                os.rename(entry.path, waiting[-1])
                count += 1
            else:
                os.unlink(entry.path)
        os.rmdir(folder)
    os.rmdir(parent)


def _start_child(
    folder: str, output_descriptor: int, answer_descriptor: int, limits: Limits
) -> subprocess.Popen[bytes]:
    """Start a child process with the restrictions of the limits."""
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
            _max_output_bytes(limits),
            limits.files,
            limits.processes,
        ],
        "cpu": limits.cpu,
        "hidden_modules": [f"rbnotes.{name}" for name in hidden_subpackages()]
        if limits.library
        else ["rbnotes"],
        "hidden_folders": hidden,
    }
    # The child expects the pipe as descriptor 3; pass_fds keeps numbers, so the child's interpreter moves it.
    move_descriptor = (
        ""
        if answer_descriptor == _ANSWER_DESCRIPTOR
        else f"os.dup2({answer_descriptor}, {_ANSWER_DESCRIPTOR}); os.close({answer_descriptor}); "
    )
    code = (
        f"import os, runpy, sys; {move_descriptor}os.set_inheritable({_ANSWER_DESCRIPTOR}, False); "
        "del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    environment = {
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "LANG": "C.UTF-8",
    }
    environment |= {"HOME": folder, "TMPDIR": folder, "MPLCONFIGDIR": folder, "PATH": os.defpath}
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-B", "-c", code, str(_CHILD), json.dumps(settings)],
        stdin=subprocess.PIPE,
        stdout=output_descriptor,
        stderr=output_descriptor,
        pass_fds=(answer_descriptor,),
        cwd=folder,
        env=environment,
        start_new_session=True,
    )


def _readable(path: Sequence[str], library: bool) -> Iterator[str]:
    """Yield the readable paths: the interpreter, the system and the installed packages.

    With `library`, also the subpackages of rbnotes, except those of :func:`hidden_subpackages`.
    """
    yield from ("/usr", "/lib", "/lib64", "/bin", "/etc", "/dev", "/proc", "/sys/devices/system/cpu")
    stores = sysconfig.get_paths()
    yield from {stores["stdlib"], stores["platstdlib"], os.path.dirname(os.path.realpath(sys.executable))}
    base = Path(sys.base_prefix)
    yield from (str(base / "lib"), str(base / "bin"))
    for entry in path:
        if not os.path.basename(entry).endswith("-packages"):
            continue  # a user's folder, such as that of the assignment
        for item in os.scandir(entry):
            if item.name != "rbnotes":
                yield item.path
    if library:
        for subpackage in _PACKAGE.iterdir():
            if subpackage.name not in hidden_subpackages():
                yield str(subpackage)


@dataclass
class _Child:
    """Running child process and its output so far."""

    process: subprocess.Popen[bytes]
    answer_descriptor: int
    output_descriptor: int
    file: str
    source: str
    limits: Limits
    restrictions: tuple[str, ...] = ()
    buffer: bytearray = field(default_factory=bytearray)
    received: int = 0
    deadline: float = 0.0

    def wait_until_ready(self) -> None:
        self._set_deadline(_START_TIMEOUT)
        try:
            self.restrictions = tuple(map(str, self._receive()["ready"]))
        except (_Stopped, KeyError) as error:
            raise RuntimeError(f"the child process did not start: {self._printed_text() or error}") from error

    def load(self) -> FunctionTranscript | None:
        """Run the submission's module code; return the error, if any."""
        self._set_deadline(self.limits.seconds)
        self._send({"source": self.source, "file": self.file})
        try:
            message = self._receive()
            if message.get("loaded") is True:
                return None
            stop: Stop = "syntax" if message.get("status") == "syntax" else "exception"
            raise _Stopped(stop, _printable_text(message.get("message", "")))
        except _Stopped as stopped:
            return FunctionTranscript((), stopped.stop, stopped.message)

    def call(self, request: Request) -> tuple[FunctionTranscript, bool]:
        """Return the transcript of one function, and True if the child can continue."""
        self._set_deadline(self.limits.seconds)
        self._send(
            {"function": request.function, "cases": [_messages.encode(case) for case in request.cases]}
        )
        answers: list[Answer] = []
        missing = ""
        try:
            while (message := self._receive()).get("done") != request.function:
                if "missing" in message and not answers:
                    missing = _printable_text(message["missing"])
                else:
                    self._add_answer(message, request, answers)
            if missing:
                return FunctionTranscript((), "missing", missing), True
            if self._printed_too_much():
                raise _output_limit_error(self.limits)
            if len(answers) < len(request.cases):
                raise _Stopped("crash", "answers are missing")
        except _Stopped as stopped:
            return FunctionTranscript(tuple(answers), stopped.stop, stopped.message), False
        return FunctionTranscript(tuple(answers)), True

    def _add_answer(self, message: dict[str, Any], request: Request, answers: list[Answer]) -> None:
        """Add an answer; answers arrive in order, the repeated ones at the end."""
        malformed = _Stopped("crash", "the response is malformed")
        if "bytes" in message:
            raise _output_limit_error(self.limits)
        if message.get("function") != request.function:
            raise malformed
        try:
            answer = _decode_answer(message.get("answer"))
        except (_messages.MalformedMessage, TypeError, RecursionError) as error:
            raise malformed from error
        later = message.get("later")
        if message.get("case") == len(answers) < len(request.cases):
            answers.append(answer)
        elif type(later) is int and len(answers) == len(request.cases) and 0 <= later < len(answers):
            answers[later] = replace(answers[later], repeated_later=answer)
        else:
            raise malformed

    def end(self) -> None:
        """End the child and all its descendants."""
        with suppress(OSError):
            if self.process.stdin:
                self.process.stdin.close()
        with suppress(OSError):
            os.close(self.answer_descriptor)
        self.answer_descriptor = -1
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(_END_TIMEOUT)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def _set_deadline(self, seconds: float) -> None:
        self.deadline, self.received = time.monotonic() + seconds, 0

    def _send(self, message: dict[str, Any]) -> None:
        """Write the whole message, even if the child has stopped reading."""
        if self.process.stdin is None:
            raise RuntimeError("the child process accepts no requests")
        handle, data = self.process.stdin.fileno(), memoryview(_messages.encode_message(message))
        os.set_blocking(handle, False)
        with selectors.DefaultSelector() as selector, suppress(BrokenPipeError):
            selector.register(handle, selectors.EVENT_WRITE)
            while data and selector.select(max(0.0, self.deadline - time.monotonic())):
                data = data[os.write(handle, data) :]

    def _receive(self) -> dict[str, Any]:
        """Return the next message; raise :class:`_Stopped` if there is none."""
        while (end := self.buffer.find(b"\n")) < 0:
            with selectors.DefaultSelector() as selector:
                selector.register(self.answer_descriptor, selectors.EVENT_READ)
                if not selector.select(max(0.0, self.deadline - time.monotonic())):
                    raise _Stopped("timeout", f"no answer within {self.limits.seconds:g} s")
            chunk = os.read(self.answer_descriptor, _CHUNK_SIZE)
            if not chunk:
                raise self._end_reason()
            self.received += len(chunk)
            if self.received > 2 * _max_output_bytes(self.limits):  # numbers as text need more bytes
                raise _output_limit_error(self.limits)
            self.buffer += chunk
        line, self.buffer = bytes(self.buffer[:end]), self.buffer[end + 1 :]
        try:
            return _messages.decode_message(line)
        except _messages.MalformedMessage as error:
            raise _Stopped("crash", "the response is malformed") from error

    def _end_reason(self) -> _Stopped:
        """Return the reason why the child ended."""
        if self._printed_too_much():
            return _output_limit_error(self.limits)
        try:
            code = self.process.wait(_END_TIMEOUT)
        except subprocess.TimeoutExpired:
            return _Stopped("crash", "it closed the pipe for its answers")
        if code == 128 + signal.SIGXCPU:
            return _Stopped("timeout", f"more than {self.limits.cpu:g} s of processor time")
        if code > 128:
            with suppress(ValueError):
                return _Stopped("crash", f"the process was ended by {signal.Signals(code - 128).name}")
        return _Stopped("crash", f"the process ended with status {code}")

    def _printed_too_much(self) -> bool:
        return os.fstat(self.output_descriptor).st_size >= _max_output_bytes(self.limits)

    def _printed_text(self) -> str:
        return os.pread(self.output_descriptor, 2000, 0).decode(errors="replace")


class _Stopped(Exception):
    """Raised when the child sends no more answers."""

    def __init__(self, stop: Stop, message: str) -> None:
        super().__init__(message)
        self.stop: Stop = stop
        self.message = message


def _printable_text(text: Any) -> str:
    """Return text from a submission, shortened and with unprintable characters replaced."""
    letters = str(text)[:_MAX_TEXT_LENGTH]
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "\ufffd" for letter in letters)


def _max_output_bytes(limits: Limits) -> int:
    return int(limits.output * _MEGABYTE)


def _output_limit_error(limits: Limits) -> _Stopped:
    return _Stopped("output limit", f"more than {limits.output:g} MB of output")


def _decode_answer(data: Any) -> Answer:
    """Return an answer that consists only of arrays and text.

    Raises
    ------
    TypeError
        If the data is not an answer.
    """
    if not isinstance(data, dict) or data.get("kind") not in get_args(ReturnKind):
        raise TypeError("no answer")
    value = _messages.decode(data.get("value"))
    if (data["kind"] == "array") != isinstance(value, np.ndarray):
        raise TypeError("no array")
    return Answer(
        data["kind"],
        value,
        _printable_text(data.get("text", "")),
        tuple(map(_printable_text, data.get("changed_arguments", ()))),
        tuple(map(_printable_text, data.get("changed_globals", ()))),
        repeated=None if data.get("repeated") is None else _decode_answer(data["repeated"]),
        strided=None if data.get("strided") is None else _decode_answer(data["strided"]),
        perturbed=None if data.get("perturbed") is None else _decode_answer(data["perturbed"]),
        overwritten=data.get("overwritten") is True,
    )
