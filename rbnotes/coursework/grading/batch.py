"""Grade a class: submissions run in an executor and are assessed in this process, each exactly once."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument
from rbnotes.coursework.grading import _messages
from rbnotes.coursework.grading.child_processes import ChildProcesses
from rbnotes.coursework.grading.sandbox import run_submission
from rbnotes.coursework.grading.submissions import Submission
from rbnotes.coursework.grading.task_grades import (
    Grade,
    PreparedAssignment,
    grade_from_dict,
    grade_submission,
    grade_to_dict,
)
from rbnotes.coursework.grading.transcripts import FunctionTranscript, Transcript

MAX_ATTEMPTS = 3
"""Attempts to run a submission in the executor; after that, it runs in this process."""


class Journal:
    """File of grades, one line for each, that lets an interrupted run resume.

    A line is valid only for the same submission, assignment and cases.
    """

    def __init__(self, path: Path | None, prepared: PreparedAssignment) -> None:
        self._path = path
        digest = hashlib.sha256(repr(prepared.assignment).encode())
        for cases in prepared.cases.values():
            for case in cases:
                digest.update(
                    _messages.encode_message([_messages.encode(case.inputs), _messages.encode(case.expected)])
                )
        self._assignment_digest = digest.hexdigest()
        self._grades: dict[str, Grade] = {}
        text = path.read_text(encoding="utf-8") if path is not None and path.exists() else ""
        # An interrupted write leaves half a line; the next line must start on its own.
        self._separator = "" if text.endswith("\n") or not text else "\n"
        for entry in _journal_entries(text):
            with suppress(KeyError):  # line of an older version
                self._grades[entry["key"]] = grade_from_dict(entry["grade"])

    def find(self, submission: Submission) -> Grade | None:
        """Return the grade of this submission if it was graded before."""
        return self._grades.get(self._key(submission))

    def add(self, submission: Submission, grade: Grade) -> None:
        """Write a grade."""
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                entry = {"key": self._key(submission), "grade": grade_to_dict(grade)}
                file.write(self._separator + json.dumps(entry) + "\n")
            self._separator = ""

    def _key(self, submission: Submission) -> str:
        text = "\0".join((self._assignment_digest, submission.student, submission.file, submission.source))
        return hashlib.sha256(text.encode()).hexdigest()


def _journal_entries(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        with suppress(ValueError):  # incomplete line
            yield json.loads(line)


def grade_submissions(
    prepared: PreparedAssignment,
    submissions: Sequence[Submission],
    *,
    executor: Executor | None = None,
    jobs: int | None = None,
    journal: Path | None = None,
) -> Generator[Grade, None, None]:
    """Grade submissions, and yield the grades in the order of completion.

    If the iteration stops early, for example by Ctrl-C, the child processes on this machine end.

    Parameters
    ----------
    prepared
        Result of :func:`rbnotes.coursework.grading.prepare_assignment`.
    submissions
        Result of :func:`rbnotes.coursework.grading.submissions`.
    executor
        Executor of the child processes: any ``concurrent.futures.Executor``, such as a
        ``ProcessPoolExecutor`` or that of a Dask or Ray cluster whose machines have rbnotes. It gets inputs
        and returns answers; right results never leave this process. By default ``jobs`` child processes at a
        time run on this machine.
    jobs
        Child processes at a time without an executor; default: one for each processor.
    journal
        File that keeps each grade; submissions that it contains do not run again.

    Raises
    ------
    InvalidArgument
        If ``prepared`` is not a ``PreparedAssignment``, one of ``submissions`` is not a ``Submission``, or
        ``jobs`` is below 1.
    """
    arguments.require_instance("prepared", prepared, PreparedAssignment)
    submissions = arguments.instances("submissions", submissions, Submission)
    jobs = os.cpu_count() or 1 if jobs is None else arguments.count("jobs", jobs, 1)
    grade_journal = Journal(journal, prepared)
    pending = []
    for submission in submissions:
        stored_grade = grade_journal.find(submission)
        if stored_grade is not None:
            yield stored_grade
        elif submission.problem:
            yield grade_submission(prepared, submission.student, _unreadable_transcript(prepared, submission))
        else:
            pending.append(submission)
    runs = executor or ThreadPoolExecutor(jobs)
    local_processes = ChildProcesses() if executor is None else None
    try:
        for submission, transcript in _collect_transcripts(prepared, pending, runs, local_processes):
            grade = grade_submission(prepared, submission.student, transcript)
            grade_journal.add(submission, grade)
            yield grade
    finally:
        if local_processes is not None:
            local_processes.stop_all()
            runs.shutdown(wait=False, cancel_futures=True)


def _unreadable_transcript(prepared: PreparedAssignment, submission: Submission) -> Transcript:
    missing = FunctionTranscript((), "missing", submission.problem)
    return Transcript({request.function: missing for request in prepared.requests})


def _collect_transcripts(
    prepared: PreparedAssignment,
    submissions: Sequence[Submission],
    executor: Executor,
    local_processes: ChildProcesses | None,
) -> Iterator[tuple[Submission, Transcript]]:
    """Yield every submission once, with its transcript.

    A submission that the executor loses is submitted again; after `MAX_ATTEMPTS` it runs in this process.
    """
    # Only local child processes can be ended here; arguments for the executor must be plain data.
    run_one = run_submission if local_processes is None else partial(run_submission, running=local_processes)
    limits = prepared.assignment.limits
    for _ in range(MAX_ATTEMPTS):
        failed: list[Submission] = []
        waiting: dict[Future[Transcript], Submission] = {}
        for submission in submissions:
            try:
                future = executor.submit(
                    run_one, submission.file, submission.source, prepared.requests, limits
                )
            except RuntimeError:  # a broken pool accepts no more work
                failed.append(submission)
            else:
                waiting[future] = submission
        while waiting:
            # Without a timeout, a Ctrl-C that another thread receives would not interrupt the wait.
            for future in wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED).done:
                submission = waiting.pop(future)
                try:
                    yield submission, future.result()
                except Exception:  # executors raise various errors when a worker is lost
                    failed.append(submission)
        if not failed:
            return
        submissions = failed
    for submission in submissions:
        yield submission, run_one(submission.file, submission.source, prepared.requests, limits)


@contextmanager
def dask_executor(address: str) -> Iterator[Executor]:
    """Open the executor of a Dask cluster, whose machines need rbnotes too.

    Raises
    ------
    InvalidArgument
        If ``distributed`` is not installed, or nothing answers at the address.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise InvalidArgument("--dask", "no distributed", "pip install 'rbnotes[dask]'") from error
    try:
        client = Client(address)
    except (OSError, ValueError) as error:
        raise InvalidArgument("--dask", f"{address}: {error}", "the address of a scheduler") from error
    with client:
        # Not pure: Dask must run equal submissions separately instead of caching the result.
        yield client.get_executor(pure=False)
