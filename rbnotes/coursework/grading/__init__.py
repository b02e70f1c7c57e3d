"""Grade a class: students' functions against claims of the ledger or the lecturer's own oracles.

Submissions run in child processes that get inputs and return arrays; right results stay in this process::

    read_assignment, Assignment             the assignment file hw.toml
    prepare_assignment, PreparedAssignment  the cases of all its tasks with the right results
    read_submissions, read_submission       the submissions of a class, or of one student
    grade_submissions, Grade, TaskGrade     a grade for each submission, from any executor
    run_submission, Limits                  one submission in its child process

On the command line it is ``rbnotes grade hw.toml submissions/ --out grades.csv --feedback reports``.

**This is not a security boundary.** See ``rbnotes/coursework/grading/container`` for grading in a container.
"""

from __future__ import annotations

from rbnotes.coursework.grading.assignment import Assignment, Feedback, Task, read_assignment
from rbnotes.coursework.grading.batch import grade_submissions
from rbnotes.coursework.grading.preparation import prepare_assignment
from rbnotes.coursework.grading.sandbox import run_submission
from rbnotes.coursework.grading.submissions import Submission, read_submission, read_submissions
from rbnotes.coursework.grading.task_grades import (
    Grade,
    PreparedAssignment,
    TaskGrade,
    grade_from_dict,
    grade_to_dict,
)
from rbnotes.coursework.grading.transcripts import Limits

__all__ = [
    "Assignment",
    "Feedback",
    "Grade",
    "Limits",
    "PreparedAssignment",
    "Submission",
    "Task",
    "TaskGrade",
    "grade_from_dict",
    "grade_submissions",
    "grade_to_dict",
    "prepare_assignment",
    "read_assignment",
    "read_submission",
    "read_submissions",
    "run_submission",
]
