"""Grading a class with executors: each submission is graded once despite failing workers."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress

import psutil
import pytest

from rbnotes.arguments import InvalidArgument
from rbnotes.cli import grade as command
from rbnotes.cli import main
from rbnotes.coursework import grading
from rbnotes.coursework.grading.batch import MAX_ATTEMPTS, dask_executor

RIGHT = "def double(x):\n    return 2 * x\n\ndef triple(x):\n    return 3 * x\n"
POINTS = {"ann": 6, "bob": 0, "cid": 4}


@pytest.fixture
def submissions(folder):
    (folder / "class").mkdir()
    for student, text in (
        ("ann", RIGHT),
        ("bob", "def double(x)"),
        ("cid", RIGHT.replace("3 *", "4 *")),
    ):
        (folder / "class" / f"{student}.py").write_text(text)
    return folder / "class"


class LossyExecutor(Executor):
    """Executor that loses the first submissions and runs the others in this thread."""

    def __init__(self, times):
        self.left = times
        self.submitted = 0

    def submit(self, function, *arguments):
        self.submitted += 1
        future = Future()
        if self.left:
            self.left -= 1
            future.set_exception(OSError("the worker is gone"))
        else:
            future.set_result(function(*arguments))
        return future


def points_by_student(grades):
    """Return the points by student; fail if a student has two grades."""
    pairs = [(grade.student, grade.points) for grade in grades]
    assert len(pairs) == len(dict(pairs))
    return dict(pairs)


@pytest.fixture
def sigint_enabled():
    """Restore the handling of Ctrl-C, which background processes may ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("sigint_enabled")
def test_ctrl_c_ends_child_processes_and_keeps_grades(folder, submissions, capsys, monkeypatch):
    asleep = "import time\n\ndef double(x):\n    time.sleep(600)\n\ntriple = double\n"
    for student in ("bob", "cid"):
        (submissions / f"{student}.py").write_text(asleep)
    text = (folder / "hw.toml").read_text()
    (folder / "hw.toml").write_text(text.replace("seconds = 60.0", "seconds = 600.0"))
    table = folder / "grades.csv"
    when, reported, done, print_text = [], threading.Event(), threading.Event(), command.print_text

    def report(*what):
        print_text(*what)
        reported.set()

    def interrupt():
        reported.wait(300)
        when.append(time.monotonic())
        # The system chooses the thread that receives it. Here it is this one: nothing wakes the main thread.
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        while not done.wait(200):  # so that the test fails then, and does not wait for the children
            os.kill(os.getpid(), signal.SIGINT)

    before = _descendants()
    monkeypatch.setattr(command, "print_text", report)  # not before it is known what is kept
    threading.Thread(target=interrupt, daemon=True).start()
    arguments = ["grade", str(folder / "hw.toml"), str(submissions), "--jobs", "3", "--out", str(table)]
    try:
        assert main(arguments) == 130
    finally:
        done.set()
    assert time.monotonic() - when[0] < 150  # a second, and not the 600 that the children sleep
    printed = capsys.readouterr()
    assert "stopped after 1 of 3 submissions: run the command again to resume" in printed.err
    assert table.read_text().splitlines()[1].startswith("ann,")
    deadline = time.monotonic() + 300
    while _descendants() - before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert _descendants() <= before


def _descendants():
    """Return the processes that this one has started."""
    return {child.pid for child in psutil.Process().children()}


@pytest.mark.parametrize("times", [2, 1000])
def test_lost_submissions_are_rerun_locally(prepared, submissions, times):
    executor = LossyExecutor(times)
    assert (
        points_by_student(
            grading.grade_submissions(prepared, grading.read_submissions(submissions), executor=executor)
        )
        == POINTS
    )
    assert executor.submitted == (3 + 2 if times == 2 else 3 * MAX_ATTEMPTS)


def test_killed_pool_worker_is_tolerated(prepared, submissions):
    with ProcessPoolExecutor(1) as pool:
        os.kill(pool.submit(os.getpid).result(), signal.SIGKILL)
        with suppress(BrokenProcessPool):  # until the pool has noticed
            while True:
                pool.submit(os.getpid).result()
        assert (
            points_by_student(
                grading.grade_submissions(prepared, grading.read_submissions(submissions), executor=pool)
            )
            == POINTS
        )


def test_interrupted_run_resumes(prepared, submissions, folder):
    journal = folder / "grades.journal"
    ended = grading.grade_submissions(
        prepared, grading.read_submissions(submissions), jobs=1, journal=journal
    )
    first = next(ended)
    ended.close()
    with journal.open("a") as file:
        file.write('{"key": "half a li')

    executor = LossyExecutor(0)
    grades = list(
        grading.grade_submissions(
            prepared, grading.read_submissions(submissions), executor=executor, journal=journal
        )
    )
    assert points_by_student(grades) == POINTS
    assert executor.submitted == 2
    assert grading.grade_to_dict(grades[0]) == grading.grade_to_dict(first)

    (submissions / "ann.py").write_text(RIGHT.replace("2 *", "5 *"))
    executor = LossyExecutor(0)
    grades = grading.grade_submissions(
        prepared, grading.read_submissions(submissions), executor=executor, journal=journal
    )
    assert points_by_student(grades) == {**POINTS, "ann": 2}
    assert executor.submitted == 1


def test_journal_depends_on_the_assignment(folder, submissions):
    journal = folder / "grades.journal"
    for seed in (3, 4):
        text = (folder / "hw.toml").read_text().replace("seed = 3", f"seed = {seed}")
        (folder / "other.toml").write_text(text)
        prepared = grading.prepare_assignment(grading.read_assignment(folder / "other.toml"))
        executor = LossyExecutor(0)
        list(
            grading.grade_submissions(
                prepared, grading.read_submissions(submissions), executor=executor, journal=journal
            )
        )
        assert executor.submitted == 3


def test_grade_command(folder, submissions, capsys):
    out, feedback = folder / "grades.csv", folder / "reports"
    arguments = ["grade", str(folder / "hw.toml"), str(submissions), "--out", str(out), "--jobs", "2"]
    scope = ["--gradescope", str(folder / "scope"), "--otter", str(folder / "otter.csv")]
    assert main([*arguments, *scope, "--feedback", str(feedback), "--nbgrader", str(folder / "nb.csv")]) == 0
    printed = capsys.readouterr().out
    assert "ann: 6 of 6 points (2 passed)" in printed
    assert "bob: 0 of 6 points (2 syntax)" in printed
    assert "not a security boundary" in " ".join(printed.split())
    assert "enforced restrictions: memory" in printed
    assert out.read_text().splitlines()[1:] == [
        "ann,6,6,4,passed,2,passed",
        "bob,0,6,0,syntax,0,syntax",
        "cid,4,6,4,passed,0,wrong",
    ]
    assert sorted(path.name for path in feedback.iterdir()) == sorted(
        f"{name}.{suffix}" for name in ("_class", *POINTS) for suffix in ("html", "md")
    )
    assert sorted(path.name for path in (folder / "scope").iterdir()) == ["ann.json", "bob.json", "cid.json"]
    assert (folder / "otter.csv").exists()
    assert (folder / "nb.csv").exists()

    assert main([*arguments, "--json"]) == 0
    output = capsys.readouterr()
    assert {each["student"]: each["points"] for each in json.loads(output.out)} == POINTS
    assert "ann: 6 of 6" in output.err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda folder: (folder / "hw.toml").unlink(), "No such file"),
        (lambda folder: (folder / "class").rmdir(), "a folder, or one file"),
        (lambda folder: None, "in which there are none"),
    ],
)
def test_grade_command_reports_errors(folder, capsys, change, message):
    (folder / "class").mkdir()
    change(folder)
    assert main(["grade", str(folder / "hw.toml"), str(folder / "class")]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--out", "--otter", "--nbgrader", "--feedback", "--gradescope"])
def test_unwritable_outputs_are_reported_first(folder, submissions, capsys, option):
    command = ["grade", str(folder / "hw.toml"), str(submissions), option]
    existing = folder / "taken"
    if option in ("--feedback", "--gradescope"):
        existing.write_text("")
    else:
        existing.mkdir()
    assert main([*command, str(existing)]) == 2
    output = capsys.readouterr()
    assert f"rbnotes: {option}: got {existing}: " in output.err
    assert "that can be written" in output.err
    assert output.out == ""
    assert main([*command, str(folder / "hw.toml" / "grades")]) == 2
    assert main([*command, str(folder / "new" / "folder" / "grades")]) == 0
    assert (folder / "new" / "folder" / "grades").exists()


def test_named_file_of_a_folder_is_graded(folder):
    student = folder / "class" / "ann"
    student.mkdir(parents=True)
    (student / "hw.py").write_text("x = 1")
    (student / "notes.py").write_text("y = 1")
    (submission,) = grading.read_submissions(folder / "class")
    assert "2 files" in submission.problem
    (submission,) = grading.read_submissions(folder / "class", "hw.py")
    assert (submission.student, submission.source) == ("ann", "x = 1")


def test_a_missing_file_is_named_with_its_folder(folder):
    (folder / "class" / "ann").mkdir(parents=True)
    (folder / "class" / "ann" / "notes.py").write_text(RIGHT)
    (submission,) = grading.read_submissions(folder / "class", "hw.py")
    assert submission.problem == "there is no hw.py in ann but one is expected"


def test_duplicate_submission_does_not_affect_others(prepared, folder):
    class_folder = folder / "class"
    (class_folder / "ann").mkdir(parents=True)
    for file in ("ann/hw.py", "ann.py", "bob.py"):
        (class_folder / file).write_text(RIGHT)
    (class_folder / "ann.ipynb").write_text("{}")
    grades = {
        grade.student: grade
        for grade in grading.grade_submissions(prepared, grading.read_submissions(class_folder), jobs=1)
    }
    assert {student: grade.points for student, grade in grades.items()} == {"ann": 0, "bob": 6}
    task_grade = grades["ann"].task_grades[0]
    assert task_grade.status == "missing"
    assert task_grade.message == "hw.py, ann.ipynb, ann.py were submitted, but one file is expected"


def test_gradescope_results_of_one_submission(folder, capsys):
    """Gradescope reads one file, also where a student uploaded two modules, or none."""
    student = folder / "submission"
    student.mkdir()
    results = folder / "results" / "results.json"
    command = ["grade", str(folder / "hw.toml"), str(student), "--gradescope", str(results)]
    for files, message in (
        ((), "there is no .py or .ipynb file in submission"),
        (("a.py",), ""),
        (("b.py",), "there are 2 files in submission"),
    ):
        for file in files:
            (student / file).write_text(RIGHT)
        assert main(command) == 0
        data = json.loads(results.read_text())
        assert data["score"] == (0 if message else 6)
        assert message in data["tests"][0]["output"]
    assert main([*command[:2], str(student / "b.py"), *command[3:]]) == 0
    assert json.loads(results.read_text())["score"] == 6
    assert main([*command[:2], str(student / "none"), *command[3:]]) == 2
    assert "a folder, or one file" in capsys.readouterr().err


def test_links_pipes_and_broken_notebooks_affect_only_their_student(prepared, folder):
    """A link to another student's file, an endless pipe, a notebook with a lone surrogate."""
    class_folder = folder / "class"
    for student in ("ann", "bob", "cid", "dan"):
        (class_folder / student).mkdir(parents=True)
    (class_folder / "ann" / "hw.py").write_text(RIGHT)
    (class_folder / "bob" / "hw.py").symlink_to(class_folder / "ann" / "hw.py")
    os.mkfifo(class_folder / "cid" / "hw.py")
    (class_folder / "dan" / "hw.py").symlink_to("/dev/zero")
    (class_folder / "eve.py").symlink_to(class_folder / "ann" / "hw.py")
    cell = {"cell_type": "code", "source": "x = '\ud800'"}
    (class_folder / "fay.ipynb").write_text(json.dumps({"cells": [cell]}))
    actual = grading.read_submissions(class_folder, "hw.py")
    problems = {each.student: each.problem for each in actual}
    assert problems == {
        "ann": "",
        "bob": "hw.py is a link, not a file",
        "cid": "hw.py is not a file",
        "dan": "hw.py is a link, not a file",
        "eve": "eve.py is a link, not a file",
        "fay": problems["fay"],
    }
    assert problems["fay"].startswith("fay.ipynb cannot be read")
    expected = dict.fromkeys(problems, 0) | {"ann": 6}
    assert (
        points_by_student(grading.grade_submissions(prepared, actual, jobs=1, journal=folder / "journal"))
        == expected
    )


@pytest.mark.skipif(sys.platform != "linux", reason="platform: names of files are text")
def test_names_that_cannot_be_written_cost_nobody_a_grade(folder, capsys):
    """A zip archive from Windows makes names that are not UTF-8; other names are long."""
    class_folder = folder / "class"
    class_folder.mkdir()
    names = [b"M\374ller", b"!" * 100, b"a" * 252, b"ann"]
    for name in names:
        (class_folder / os.fsdecode(name + b".py")).write_text(RIGHT)
    command = ["grade", str(folder / "hw.toml"), str(class_folder), "--out", str(folder / "grades.csv")]
    command += ["--feedback", str(folder / "feedback"), "--gradescope", str(folder / "scores"), "--json"]
    assert main(command) == 0
    grades = json.loads(capsys.readouterr().out)
    assert [each["points"] for each in grades] == [6] * len(names)
    assert len(list((folder / "feedback").glob("*.html"))) == len(names) + 1
    assert "M\\udcfcller" in (folder / "grades.csv").read_text()


def test_dask_worker_grades_submissions(prepared, submissions):
    import distributed  # slow to import

    with (
        distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster,
        dask_executor(cluster.scheduler_address) as executor,
    ):
        grades = grading.grade_submissions(prepared, grading.read_submissions(submissions), executor=executor)
        assert points_by_student(grades) == POINTS


@pytest.mark.slow
def test_killed_dask_worker_is_tolerated(prepared, submissions):
    import dask  # slow to import
    import distributed

    for number in range(6):
        (submissions / f"{number}.py").write_text(
            f"import time\ntime.sleep(0.2)\nnumber = {number}\n" + RIGHT
        )
    expected = {**POINTS, **{str(number): 6 for number in range(6)}}
    settings = {"distributed.admin.tick.interval": "1s", "distributed.worker.multiprocessing-method": "spawn"}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        dask_executor(cluster.scheduler_address) as executor,
        distributed.Client(cluster) as client,
    ):
        first = next(iter(client.run(os.getpid).values()))
        threading.Timer(0.7, os.kill, (first, signal.SIGKILL)).start()
        grades = grading.grade_submissions(prepared, grading.read_submissions(submissions), executor=executor)
        assert points_by_student(grades) == expected
        assert first not in client.run(os.getpid).values()


def test_unreachable_dask_scheduler(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(InvalidArgument, match="pip install"), dask_executor("tcp://127.0.0.1:1"):
        pass


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="platform: asks Linux to end children")
@pytest.mark.parametrize("seconds", [0.0, 2.0])
def test_no_process_outlives_a_killed_grader(folder, submissions, seconds):
    """Neither a supervisor that has just started nor a worker that would sleep for ten minutes."""
    asleep = "import time\n\ndef double(x):\n    time.sleep(600)\n\ntriple = double\n"
    for path in submissions.iterdir():
        path.write_text(asleep)
    text = (folder / "hw.toml").read_text()
    (folder / "hw.toml").write_text(text.replace("seconds = 1.0", "seconds = 600.0"))
    arguments = ["grade", str(folder / "hw.toml"), str(submissions), "--jobs", "1"]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    grader = psutil.Popen([sys.executable, "-m", "rbnotes", *arguments], **quiet)
    deadline, started = time.monotonic() + 300, []
    while not started and grader.is_running() and time.monotonic() < deadline:
        started = grader.children()
    assert started
    time.sleep(seconds)
    started = grader.children(recursive=True)
    grader.kill()
    grader.wait()
    _, alive = psutil.wait_procs(started, timeout=60)
    for process in alive:
        process.kill()
    assert alive == []
