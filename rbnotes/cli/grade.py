"""``rbnotes grade``: grade a class, and write reports and tables."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from errno import EISDIR
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from rbnotes.arguments import InvalidArgument
from rbnotes.cli.output import print_json, print_table, print_text
from rbnotes.coursework import grading
from rbnotes.coursework.grading import Assignment, Grade, Submission, export_formats, reports
from rbnotes.coursework.grading.batch import dask_executor

SECURITY_NOTE = (
    "Restrictions protect submissions from the mistakes and pranks of others. They are not a security "
    "boundary: grade the work of people whom you do not know in a container "
    "(rbnotes/coursework/grading/container)."
)
RESTRICTIONS = (
    *("memory", "file size", "disk space", "open files", "number of processes"),
    *("network", "files of others", "signals", "processes of others", "kernel keys", "separate user"),
)


def add(commands: Any) -> None:
    """Declare the command."""
    help = "Grade the submissions of a class in child processes, each function against its claim or oracle."
    parser: argparse.ArgumentParser = commands.add_parser(
        "grade", help=help, description=help, epilog=SECURITY_NOTE
    )
    parser.add_argument("assignment", metavar="hw.toml", help="assignment file")
    parser.add_argument("submissions", help="folder with a file or a folder for each student, or one file")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="grades.csv",
        help="table to write; the journal beside it lets an interrupted run resume",
    )
    parser.add_argument(
        "--no-resume", action="store_true", help="ignore the journal and grade all submissions again"
    )
    parser.add_argument("--json", action="store_true", help="print all grades as JSON")
    parser.add_argument("--feedback", type=Path, metavar="DIR", help="folder for the reports of the students")
    parser.add_argument(
        "--jobs",
        type=_positive_integer,
        metavar="N",
        help="child processes at a time (default: number of processors)",
    )
    parser.add_argument("--dask", metavar="ADDRESS", help="run the child processes on a Dask cluster")
    parser.add_argument(
        "--gradescope",
        type=Path,
        metavar="PATH",
        help="results.json of one submission, or a folder for those of all",
    )
    parser.add_argument("--otter", type=Path, metavar="FILE", help="file for the table of `otter grade`")
    parser.add_argument(
        "--nbgrader", type=Path, metavar="FILE", help="file for the table of `nbgrader export`"
    )
    parser.set_defaults(run=run)


def _positive_integer(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not 1 or more")
    return number


def run(options: argparse.Namespace, console: Console) -> int:
    """Grade submissions, print a line for each, write the requested files and return the exit status."""
    assignment = grading.read_assignment(options.assignment)
    # Gradescope's own path is that of one submission, even if it is a folder.
    is_single = options.gradescope is not None and options.gradescope.suffix == ".json"
    if is_single:
        submissions: tuple[Submission, ...] = (grading.read_submission(options.submissions, assignment.file),)
    else:
        submissions = grading.read_submissions(options.submissions, assignment.file)
    _check_writable(options)
    journal = options.out.with_suffix(".journal") if options.out else None
    if journal and options.no_resume:
        journal.unlink(missing_ok=True)
    progress = Console(stderr=True)
    with Progress(console=progress, transient=True, disable=not progress.is_terminal) as bar:
        task = bar.add_task("drawing cases", total=len(submissions))
        prepared = grading.prepare_assignment(assignment)
        bar.update(task, description="grading")
        grades: list[Grade] = []
        stopped = False
        with _executor(options) as executor:
            done = grading.grade_submissions(
                prepared, submissions, executor=executor, jobs=options.jobs, journal=journal
            )
            try:
                for grade in done:
                    grades.append(grade)
                    output = bar.console if options.json or console.is_terminal else console
                    print_text(output, reports.grade_line(grade))
                    bar.advance(task)
            except KeyboardInterrupt:
                done.close()  # ends the child processes
                stopped = True
    if stopped:
        message = f"rbnotes: stopped after {len(grades)} of {len(submissions)} submissions"
        print(message + (": run the command again to resume" if journal else ""), file=sys.stderr)
    grades.sort(key=lambda grade: grade.student)
    _write_outputs(options, grades, assignment)
    if options.json:
        print_json([grading.grade_to_dict(grade) for grade in grades])
    else:
        _print_summary(grades, console)
    return 130 if stopped else 0


def _check_writable(options: argparse.Namespace) -> None:
    """Raise an error for a file that cannot be written before the class is graded."""
    scope = options.gradescope
    files = {"--out": options.out, "--otter": options.otter, "--nbgrader": options.nbgrader}
    folders = {"--feedback": options.feedback}
    (files if scope and scope.suffix == ".json" else folders)["--gradescope"] = scope
    for name, path in (files | folders).items():
        if path is None:
            continue
        folder = path if name in folders else path.parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if name in files and path.is_dir():
                raise IsADirectoryError(EISDIR, "it is a folder")
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            kind = "folder" if name in folders else "file"
            reason = f"{path}: {error.strerror}"
            raise InvalidArgument(name, reason, f"a {kind} that can be written") from error


@contextmanager
def _executor(options: argparse.Namespace) -> Iterator[Executor | None]:
    if not options.dask:
        yield None
        return
    with dask_executor(options.dask) as executor:
        yield executor


def _write_outputs(options: argparse.Namespace, grades: Sequence[Grade], assignment: Assignment) -> None:
    """Write the tables and reports that the options name."""
    if options.out:
        _write_text(options.out, reports.grades_csv(grades))
    if options.otter:
        _write_text(options.otter, export_formats.otter(grades))
    if options.nbgrader:
        _write_text(options.nbgrader, export_formats.nbgrader(grades, assignment))
    if options.gradescope:
        is_single = options.gradescope.suffix == ".json"
        for grade in grades:
            name = reports.student_file_name(grade.student)
            path = options.gradescope if is_single else options.gradescope / f"{name}.json"
            _write_text(path, json.dumps(export_formats.gradescope(grade), indent=1))
    if options.feedback:
        for grade in grades:
            name = reports.student_file_name(grade.student)
            _write_text(options.feedback / f"{name}.md", reports.student_markdown(grade, assignment))
            _write_text(options.feedback / f"{name}.html", reports.student_html(grade, assignment))
        _write_text(options.feedback / "_class.md", reports.class_markdown(grades, assignment))
        _write_text(options.feedback / "_class.html", reports.class_html(grades, assignment))


def _write_text(path: Path, text: str) -> None:
    """Write a file atomically, so that no student gets an incomplete report."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".part")
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, path)


def _print_summary(grades: Sequence[Grade], console: Console) -> None:
    """Print the results of the class for each function, and the restrictions that were enforced."""
    summary = reports.summarize_class(grades)
    rows = [
        (
            name,
            f"{100 * fraction:.0f} %",
            ", ".join(f"{count} {status}" for status, count in counts.most_common()),
        )
        for name, (fraction, counts) in summary.functions.items()
    ]
    print_table(console, ("function", "mean percentage of points", "statuses"), rows)
    counted = "1 submission" if summary.students == 1 else f"{summary.students} submissions"
    print_text(console, f"{counted}: {summary.average_text}")
    active = {name for grade in grades for name in grade.restrictions}
    if active:
        enforced = ", ".join(name for name in RESTRICTIONS if name in active)
        print_text(console, f"enforced restrictions: {enforced}")
        inactive = ", ".join(name for name in RESTRICTIONS if name not in active)
        if inactive:
            print_text(console, f"not enforced on this system: {inactive}")
    print_text(console, SECURITY_NOTE)
