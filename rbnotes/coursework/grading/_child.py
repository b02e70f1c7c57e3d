"""Child process of a grader: load one submission, call its functions on inputs, and send back plain arrays.

It runs as a script in its own interpreter. It never holds a reference, a tolerance or a verdict: a submission
can only affect its own answers. A supervisor starts the worker that runs the submission. It ends all its
descendants on request, or when the worker or the grader ends.
"""

from __future__ import annotations

import json
import linecache
import os
import signal
import sys
import traceback
import types
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

_SETTINGS = json.loads(sys.argv[1])
# It loads single files instead of the package, because it must not hold more than it needs.
_HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [_HERE, os.path.join(os.path.dirname(_HERE), "challenge"), *_SETTINGS["path"]]
if TYPE_CHECKING:
    from rbnotes.coursework.challenge import calls
    from rbnotes.coursework.grading import _messages, _restrictions
else:
    import _messages
    import _restrictions
    import calls

MODULE_NAME = "submission"
ANSWER_DESCRIPTOR = 3
"""Descriptor of the pipe to the grader."""
MAX_TEXT_LENGTH = 1000
"""Largest number of characters of a message that are sent."""


def main(settings: dict[str, Any]) -> None:
    """Fork into supervisor and worker."""
    _restrictions.die_with_parent()
    if os.getppid() != settings["grader"]:
        os._exit(1)  # the grader ended before the line above took effect
    number, restrictions = os.getpid(), _restrictions.isolate()
    worker = os.fork()
    if worker:
        # Descriptors that stay open here would keep the grader waiting for more answers.
        os.closerange(0, 2)
        os.closerange(ANSWER_DESCRIPTOR, ANSWER_DESCRIPTOR + 1)
        _supervise(worker)
    elif os.getpid() == 1:
        # The first process of a PID namespace cannot be ended from inside, not even by a limit, and
        # when it ends, so do all others: it only waits.
        _restrictions.die_with_parent()
        worker = os.fork()
        if worker:
            os.closerange(0, 2)
            os.closerange(ANSWER_DESCRIPTOR, ANSWER_DESCRIPTOR + 1)
            _supervise(worker)
    _run_worker(settings, number, restrictions)
    os._exit(0)


def _supervise(worker: int) -> None:
    """Wait for the worker, end all of its processes, and exit with its status."""
    signal.signal(signal.SIGTERM, lambda *_: os.kill(worker, signal.SIGKILL))
    _restrictions.die_with_parent(signal.SIGTERM)
    _, status = os.waitpid(worker, 0)
    while os.getpid() != 1:  # all remaining processes of the worker
        for child in _children():
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))


def _children() -> list[int]:
    with suppress(OSError), open(f"/proc/self/task/{os.getpid()}/children") as file:
        return [int(child) for child in file.read().split()]
    return []


def _run_worker(settings: dict[str, Any], number: int, restrictions: list[str]) -> None:
    """Restrict this process, then load the submission and answer requests."""
    folder = os.getcwd()
    del sys.path[:2]
    needed = [path for path in settings["path"] if os.path.exists(path)] + [os.__file__]
    restrictions += _restrictions.limit_disk_space(folder)
    restrictions += _restrictions.switch_user(number, needed, folder)
    _restrictions.die_with_parent()
    restrictions += _restrictions.set_resource_limits(*settings["limits"])
    restrictions += _restrictions.apply_landlock(settings["readable"], [folder, "/dev/null"])
    restrictions += _restrictions.forbid_kernel_keys()
    for name in ("_messages", "_restrictions", "calls"):
        del sys.modules[name]
    sys.argv[:] = [MODULE_NAME]
    limits_processes = "number of processes" in restrictions
    _restrictions.install_audit_hook(
        folder, settings["hidden_modules"], settings["hidden_folders"], may_start=limits_processes
    )
    channel = _Channel(settings["limits"][1])
    channel.send({"ready": sorted(set(restrictions))})
    functions = None
    for request in channel.requests():
        _restrictions.limit_cpu_time(settings["cpu"])
        if "source" in request:
            functions = _load(request["source"], request["file"], channel)
        else:
            _answer_request(functions, request["function"], request["cases"], channel)


class _Channel:
    """Channel for requests and answers, created before the submission can change its parts."""

    def __init__(self, max_bytes: int) -> None:
        self._largest = max_bytes
        self._line, self._write = _messages.encode_message, os.write
        self.encode, self.decode = _messages.encode, _messages.decode
        self._input = os.fdopen(os.dup(0), "rb")
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)

    def requests(self) -> Any:
        for line in self._input:
            yield json.loads(line)

    def send(self, message: dict[str, Any]) -> None:
        data = memoryview(self._line(message))
        while data:
            data = data[self._write(ANSWER_DESCRIPTOR, data) :]

    def answer(self, function: str, kind: str, index: int, answer: calls.Answer) -> None:
        if answer.value is not None and answer.value.nbytes > self._largest:
            self.send({"function": function, "bytes": answer.value.nbytes})
        else:
            self.send({"function": function, kind: index, "answer": self._answer_to_dict(answer)})

    def _answer_to_dict(self, answer: calls.Answer) -> dict[str, Any]:
        """Return an answer as plain values for JSON."""
        return {
            "kind": answer.kind,
            "value": self.encode(answer.value),
            "text": answer.text[:MAX_TEXT_LENGTH],
            "changed_arguments": list(answer.changed_arguments),
            "changed_globals": list(answer.changed_globals),
            "repeated": None if answer.repeated is None else self._answer_to_dict(answer.repeated),
            "strided": None if answer.strided is None else self._answer_to_dict(answer.strided),
            "perturbed": None if answer.perturbed is None else self._answer_to_dict(answer.perturbed),
            "overwritten": answer.overwritten,
        }


def _load(source: str, file: str, channel: _Channel) -> dict[str, Any] | None:
    """Run the code of a submission; return its globals, or None after an error."""
    module = types.ModuleType(MODULE_NAME)
    module.__file__ = file
    sys.modules[MODULE_NAME] = module
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    try:
        exec(compile(source, file, "exec"), vars(module))
    except SyntaxError as error:
        channel.send({"loaded": False, "status": "syntax", "message": _format_error(error, file)})
    except BaseException as error:  # a submission may raise anything, even SystemExit
        channel.send({"loaded": False, "status": "exception", "message": _format_error(error, file)})
    else:
        channel.send({"loaded": True})
        return vars(module)
    return None


def _answer_request(functions: dict[str, Any] | None, name: str, cases: list[Any], channel: _Channel) -> None:
    """Send the answers of one function on all cases; repeat the first calls afterwards."""
    function = (functions or {}).get(name)
    if not callable(function):
        got = "nothing" if function is None else f"a {type(function).__name__}, not a function,"
        channel.send({"function": name, "case": 0, "missing": f"there is {got} named {name}"})
        channel.send({"done": name})
        return
    inputs = [channel.decode(case) for case in cases]
    first = []
    for index, case in enumerate(inputs):
        twice = index < calls.NUM_REPEATED_INPUTS
        answer = _answer_or_exception(partial(calls.collect_answer, function, case, twice=twice))
        channel.answer(name, "case", index, answer)
        if twice:
            first.append(answer)
    for index, answer in enumerate(first):
        channel.answer(
            name,
            "later",
            index,
            _answer_or_exception(partial(calls.repeat_answer, function, inputs[index], answer)),
        )
    channel.send({"done": name})


def _answer_or_exception(call: Callable[[], calls.Answer]) -> calls.Answer:
    try:
        return call()
    except BaseException as error:  # KeyboardInterrupt, and errors that cannot be converted to text
        return calls.Answer("exception", text=type(error).__name__)


def _format_error(error: BaseException, file: str) -> str:
    """Return the error with the submission's own line."""
    try:
        text = "".join(traceback.format_exception_only(type(error), error)).strip()
        if isinstance(error, SyntaxError):
            return text[-MAX_TEXT_LENGTH:]
        submission_frames = [
            frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file
        ]
        if submission_frames:
            text += f"\n  line {submission_frames[-1].lineno}: {submission_frames[-1].line}"
        return text[-MAX_TEXT_LENGTH:]
    except Exception:  # an error whose text raises
        return type(error).__name__


if __name__ == "__main__":
    main(_SETTINGS)
