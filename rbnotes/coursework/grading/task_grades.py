"""Convert answers to points; all answers are assessed in this process, which holds the right results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from typing import Any, Literal, get_args

from rbnotes.coursework.challenge.assessment import Assessment, assess, format_results
from rbnotes.coursework.challenge.calls import Answer
from rbnotes.coursework.challenge.case_generation import Case
from rbnotes.coursework.challenge.dimensions import Probe
from rbnotes.coursework.challenge.formatting import format_input
from rbnotes.coursework.grading.assignment import Assignment, Feedback, Task
from rbnotes.coursework.grading.hints import HintFinder
from rbnotes.coursework.grading.transcripts import FunctionTranscript, Request, Transcript
from rbnotes.ledger.evaluation import Values
from rbnotes.ledger.record import Record

Status = Literal[
    "passed",
    "wrong",
    "shape",
    "dtype",
    "exception",
    "timeout",
    "crash",
    "output limit",
    "missing",
    "syntax",
]
STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, eq=False)
class PreparedAssignment:
    """Assignment with the cases of each task, drawn once for a class.

    Attributes
    ----------
    assignment
        Assignment that is graded.
    cases
        Cases by the name of the task's function.
    records
        Records by function; ``None`` if the lecturer's own oracle gives the right results.
    probes
        Cases in other units by function; empty if the feedback gives no hints.
    """

    assignment: Assignment
    cases: Mapping[str, tuple[Case, ...]]
    records: Mapping[str, Record | None]
    probes: Mapping[str, tuple[Probe, ...]]

    @cached_property
    def requests(self) -> tuple[Request, ...]:
        """Requests to a child process: only the inputs of all cases, then those in other units."""
        return tuple(
            Request(name, (*(case.inputs for case in cases), *self._converted_inputs(name)))
            for name, cases in self.cases.items()
        )

    @cached_property
    def hints(self) -> Mapping[str, HintFinder]:
        """Hints about wrong answers by function."""
        return {
            name: HintFinder(self.records[name], cases, self.probes[name])
            for name, cases in self.cases.items()
        }

    def _converted_inputs(self, name: str) -> tuple[Values, ...]:
        return tuple(inputs for probe in self.probes[name] for inputs in probe.converted_inputs)


@dataclass(frozen=True)
class TaskGrade:
    """Grade of one function of a submission.

    Attributes
    ----------
    function
        Name of the function.
    status
        Passed, or the kind of mistake.
    points
        Number of points given.
    max_points
        Number of points that the task is worth.
    message
        Message for the student: the reason for missing points.
    regions
        Numbers of passed and of all cases for each region of inputs.
    """

    function: str
    status: Status
    points: float
    max_points: float
    message: str = ""
    regions: Mapping[str, tuple[int, int]] | None = None


@dataclass(frozen=True)
class Grade:
    """Grade of one submission.

    Attributes
    ----------
    student
        Name of the student.
    task_grades
        Grades of the functions in the order of the tasks.
    seconds
        Wall-clock time of the submission, s.
    restrictions
        Restrictions that the system enforced while the submission ran.
    """

    student: str
    task_grades: tuple[TaskGrade, ...]
    seconds: float = 0.0
    restrictions: tuple[str, ...] = ()

    @property
    def points(self) -> float:
        """Sum of the points."""
        return sum(mark.points for mark in self.task_grades)

    @property
    def max_points(self) -> float:
        """Sum of the points of the tasks."""
        return sum(mark.max_points for mark in self.task_grades)


def grade_submission(prepared: PreparedAssignment, student: str, transcript: Transcript) -> Grade:
    """Grade all answers of a submission."""
    tasks = prepared.assignment.tasks
    missing = FunctionTranscript((), "missing", "there is no answer")
    task_grades = tuple(
        _grade_task(
            task,
            prepared.records[task.function],
            prepared.cases[task.function],
            prepared.hints[task.function],
            transcript.functions.get(task.function, missing),
            prepared.assignment.feedback,
        )
        for task in tasks
    )
    return Grade(student, task_grades, transcript.seconds, transcript.restrictions)


def _grade_task(
    task: Task,
    claim: Record | None,
    cases: Sequence[Case],
    hints: HintFinder,
    function_transcript: FunctionTranscript,
    feedback: Feedback,
) -> TaskGrade:
    """Return the grade of one function from its answers."""
    # The case holds the right result; a claim is optional.
    assessments = [
        assess(claim, case, answer) for case, answer in zip(cases, function_transcript.answers, strict=False)
    ]
    passed = {case: bool(assessment) for case, assessment in zip(cases, assessments, strict=False)}
    regions: dict[str, tuple[int, int]] = {
        region: (sum(passed.get(case, False) for case in region_cases), len(region_cases))
        for region in dict.fromkeys(case.region for case in cases)
        if (region_cases := [case for case in cases if case.region == region])
    }
    failed = [pair for pair in zip(cases, assessments, strict=False) if not pair[1]]
    status: Status
    # A function that was stopped gets no points; the reason takes precedence over earlier wrong answers.
    if function_transcript.stop is not None:
        status, message = function_transcript.stop, function_transcript.message
    elif failed:
        case, assessment = min(failed, key=_readability_key)
        status, message = (
            _status_of(assessment),
            _explain_failure(case, assessment, hints, function_transcript.answers, feedback),
        )
    else:
        status, message = "passed", ""
    points = 0.0 if function_transcript.stop is not None else _points(task, regions)
    return TaskGrade(task.function, status, points, task.points, message, regions)


def _points(task: Task, regions: Mapping[str, tuple[int, int]]) -> float:
    """Return all points, or the parts of the regions in which all cases passed."""
    if all(map(_is_complete, regions.values())):
        return task.points
    earned = sum(weight for region, weight in task.regions.items() if _is_complete(regions[region]))
    total = sum(task.regions.values())
    return task.points * earned / total if total else 0.0


def _is_complete(count: tuple[int, int]) -> bool:
    return 0 < count[1] == count[0]


def _readability_key(failed: tuple[Case, Assessment]) -> tuple[bool, int]:
    """Return a sort key that prefers ordinary and short inputs."""
    case, assessment = failed
    return case.region != "generic", len(assessment.message) + len(str(case.inputs))


def _status_of(assessment: Assessment) -> Status:
    """Return the status of a grade for an assessment.

    A result that is malformed but numeric counts as wrong.
    """
    return assessment.status if assessment.status in STATUSES else "wrong"


def _explain_failure(
    case: Case, assessment: Assessment, hints: HintFinder, answers: Sequence[Answer], feedback: Feedback
) -> str:
    """Return the message about a failed case, with the details that the feedback allows."""
    wrong, hint = assessment.status == "wrong", ""
    first = assessment.message if feedback.expected or not wrong else "wrong"
    if wrong and feedback.hint:
        first, hint = hints.dimension_hint(answers) or first, hints.slip_hint(answers)
    lines = [first]
    if feedback.inputs and case.inputs:
        lines.append(f"for example on these inputs ({case.region}):")
        lines += starmap(format_input, case.inputs.items())
    if feedback.expected:
        lines.append(format_results(assessment))
    return "\n".join([*lines, f"hint: {hint}"] if hint else lines)


def grade_to_dict(grade: Grade) -> dict[str, Any]:
    """Return a grade as JSON values."""
    return {
        "student": grade.student,
        "points": grade.points,
        "max_points": grade.max_points,
        "seconds": round(grade.seconds, 3),
        "restrictions": list(grade.restrictions),
        "functions": [
            {
                "function": each.function,
                "status": each.status,
                "points": each.points,
                "max_points": each.max_points,
                "message": each.message,
                "regions": {name: list(count) for name, count in (each.regions or {}).items()},
            }
            for each in grade.task_grades
        ],
    }


def grade_from_dict(table: Mapping[str, Any]) -> Grade:
    """Return the grade of :func:`grade_to_dict`."""
    marks = tuple(
        TaskGrade(
            entry["function"],
            entry["status"],
            entry["points"],
            entry["max_points"],
            entry["message"],
            {name: (count[0], count[1]) for name, count in entry["regions"].items()},
        )
        for entry in table["functions"]
    )
    return Grade(table["student"], marks, table["seconds"], tuple(table["restrictions"]))
