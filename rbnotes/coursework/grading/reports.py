"""Reports of grades as tables and pages: for the lecturer, each student and the class."""

from __future__ import annotations

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from statistics import fmean, median

from rbnotes.coursework.grading.assignment import Assignment
from rbnotes.coursework.grading.task_grades import STATUSES, Grade, TaskGrade

STATUS_SUGGESTIONS = {
    "timeout": "It took too long: check for an endless loop.",
    "crash": "It ended the whole process. Functions must return their results.",
    "output limit": "Its output is too large: remove prints and return only the result.",
    "missing": "Submit one file with a function of exactly this name that returns the result.",
    "syntax": "Python cannot read the file: run it once before you submit it.",
    "shape": "The array has a different shape from the one that the task requires.",
    "dtype": "Return real numbers in float64, as an array.",
}
NUM_BARS = 10
MAX_FILE_NAME_SIZE = 200
"""Size of the longest name of a report in bytes, without suffix: most file systems allow 255."""


def grades_csv(grades: Sequence[Grade]) -> str:
    """Return ``grades.csv``: a line for each student with points and status of each function."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [task_grade.function for task_grade in grades[0].task_grades] if grades else []
    columns = [column for name in names for column in (name, f"{name} status")]
    writer.writerow(["student", "points", "of", *columns])
    for grade in grades:
        cells = [
            cell for task_grade in grade.task_grades for cell in (f"{task_grade.points:g}", task_grade.status)
        ]
        writer.writerow([csv_cell(grade.student), f"{grade.points:g}", f"{grade.max_points:g}", *cells])
    return text.getvalue()


def csv_cell(student: str) -> str:
    """Return a name as a table cell, escaped if a spreadsheet would read it as a formula."""
    printable = "".join(letter if letter.isprintable() else " " for letter in student)
    return f"'{printable}" if printable.lstrip().startswith(("=", "+", "-", "@")) else printable


def grade_line(grade: Grade) -> str:
    """Return a student's grade as one line of text."""
    counts = Counter(str(task_grade.status) for task_grade in grade.task_grades)
    return f"{grade.student}: {grade.points:g} of {grade.max_points:g} points ({_format_counts(counts)})"


def _format_counts(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])


def student_markdown(grade: Grade, assignment: Assignment) -> str:
    """Return a student's report in Markdown."""
    parts = [f"# {assignment.title}: {grade.student}", f"**{grade.points:g} of {grade.max_points:g} points**"]
    for task_grade in grade.task_grades:
        name = _task_name(task_grade.function, assignment, "`{}`")
        parts.append(
            f"## {name}: {task_grade.status}, {task_grade.points:g} of {task_grade.max_points:g} points"
        )
        parts += [STATUS_SUGGESTIONS[task_grade.status]] if task_grade.status in STATUS_SUGGESTIONS else []
        if task_grade.message:
            fence = "`" * max(3, 1 + _longest_run(task_grade.message))
            parts.append(f"{fence}text\n{task_grade.message}\n{fence}")
        parts += [_region_text(task_grade)] if task_grade.regions and task_grade.status != "passed" else []
    return "\n\n".join(parts) + "\n"


def _task_name(
    function: str, assignment: Assignment, code: str, convert: Callable[[str], str] = lambda title: title
) -> str:
    """Return the title of a task and the name of its function."""
    title = next((task.title for task in assignment.tasks if task.function == function), "")
    name = code.format(function)
    return f"{convert(title)} ({name})" if title else name


def _longest_run(text: str) -> int:
    longest = length = 0
    for letter in text:
        length = length + 1 if letter == "`" else 0
        longest = max(longest, length)
    return longest


def _region_text(task_grade: TaskGrade) -> str:
    regions = task_grade.regions or {}
    counts = [f"{region}: {passed} of {total}" for region, (passed, total) in regions.items()]
    return "Passed on these inputs: " + ", ".join(counts) + "."


def student_html(grade: Grade, assignment: Assignment) -> str:
    """Return a student's report as a self-contained HTML page."""
    title = f"{assignment.title}: {grade.student}"
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p class=total>{grade.points:g} of {grade.max_points:g} points</p>",
    ]
    for task_grade in grade.task_grades:
        color = "good" if task_grade.status == "passed" else "bad"
        badge = f'<span class="badge {color}">{task_grade.status}</span>'
        points = f"<span class=points>{task_grade.points:g} of {task_grade.max_points:g} points</span>"
        name = _task_name(task_grade.function, assignment, "<code>{}</code>", escape)
        parts.append(f"<h2>{name} {badge} {points}</h2>")
        if task_grade.status in STATUS_SUGGESTIONS:
            parts.append(f"<p>{STATUS_SUGGESTIONS[task_grade.status]}</p>")
        if task_grade.message:
            parts.append(f"<pre tabindex=0>{escape(task_grade.message)}</pre>")
        if task_grade.regions and task_grade.status != "passed":
            parts.append(f"<p>{escape(_region_text(task_grade))}</p>")
    return _page(title, parts)


@dataclass(frozen=True)
class ClassSummary:
    """Statistics of a class.

    Attributes
    ----------
    students
        Number of students.
    mean
        Mean number of points of the students.
    median
        Median number of points of the students.
    max_points
        Number of points of the assignment.
    histogram
        Numbers of students with 0 to 10, 10 to 20, ... percent of the points.
    functions
        For each function the mean fraction of its points, and the number of times of each status.
    """

    students: int
    mean: float
    median: float
    max_points: float
    histogram: tuple[int, ...]
    functions: dict[str, tuple[float, Counter[str]]]

    @property
    def average_text(self) -> str:
        """Mean and median as text."""
        return f"mean {self.mean:.2f}, median {self.median:.2f} of {self.max_points:g} points"


def summarize_class(grades: Sequence[Grade]) -> ClassSummary:
    """Return the statistics of a class."""
    fractions = [_fraction(grade.points, grade.max_points) for grade in grades]
    bars = [0] * NUM_BARS
    for fraction in fractions:
        bars[min(int(fraction * NUM_BARS), NUM_BARS - 1)] += 1
    functions = {
        task_grade.function: (
            fmean(_fraction(grade.task_grades[index].points, task_grade.max_points) for grade in grades),
            Counter(str(grade.task_grades[index].status) for grade in grades),
        )
        for index, task_grade in enumerate(grades[0].task_grades if grades else ())
    }
    points = [grade.points for grade in grades] or [0.0]
    max_points = grades[0].max_points if grades else 0.0
    return ClassSummary(len(grades), fmean(points), median(points), max_points, tuple(bars), functions)


def _fraction(points: float, max_points: float) -> float:
    return points / max_points if max_points else 1.0


def class_markdown(grades: Sequence[Grade], assignment: Assignment) -> str:
    """Return a summary of the class in Markdown."""
    summary = summarize_class(grades)
    lines = [
        f"# {assignment.title}: the class",
        f"{summary.students} students; {summary.average_text}.",
        "| function | mean percentage of points | statuses |\n|---|---|---|",
    ]
    for name, (fraction, counts) in summary.functions.items():
        task_name = _task_name(name, assignment, "`{}`", lambda title: title.replace("|", "\\|"))
        lines[-1] += f"\n| {task_name} | {100 * fraction:.0f} % | {_format_counts(counts)} |"
    return "\n\n".join(lines) + "\n"


def class_html(grades: Sequence[Grade], assignment: Assignment) -> str:
    """Return a summary of the class as an HTML page that links to the students' reports."""
    summary = summarize_class(grades)
    title = f"{assignment.title}: the class"
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p class=total>{summary.students} students; {summary.average_text}</p>",
        _histogram(summary),
        "<h2>Functions</h2><div class=wide tabindex=0><table>"
        "<tr><th>function<th>mean percentage<th>statuses</tr>",
    ]
    for name, (fraction, counts) in summary.functions.items():
        task_name = _task_name(name, assignment, "<code>{}</code>", escape)
        cells = f"<td>{task_name}<td>{100 * fraction:.0f} %<td>{_format_counts(counts)}"
        parts.append(f"<tr>{cells}</tr>")
    parts.append("</table></div><h2>Students</h2><div class=wide tabindex=0><table>")
    for grade in grades:
        link = f'<a href="{escape(student_file_name(grade.student))}.html">{escape(grade.student)}</a>'
        parts.append(f"<tr><td>{link}<td class=points>{grade.points:g} of {grade.max_points:g}</tr>")
    parts.append("</table></div>")
    return _page(title, parts)


def _histogram(class_summary: ClassSummary) -> str:
    """Return the histogram of the class as SVG."""
    highest = max(class_summary.histogram) or 1
    bars = []
    for index, count in enumerate(class_summary.histogram):
        height, x = 90 * count / highest, 32 * index
        bars.append(f'<rect x="{x + 2}" y="{105 - height:.1f}" width="28" height="{height:.1f}"/>')
        bars.append(f'<text x="{x + 16}" y="{100 - height:.1f}">{count or ""}</text>')
        bars.append(f'<text x="{x + 16}" y="119">{10 * index}</text>')
    summary = ", ".join(
        f"{10 * index} to {10 * index + 10} %: {n}" for index, n in enumerate(class_summary.histogram) if n
    )
    label = f"Number of students by percentage of points: {summary}"
    return (
        f'<svg viewBox="0 -4 320 140" role="img" aria-label="{label}">{"".join(bars)}'
        '<text x="160" y="133">percentage of points</text></svg>'
    )


def student_file_name(student: str) -> str:
    """Return a unique file name for a student, without suffix and short enough for any file system."""
    name = "".join(
        letter if letter.isalnum() or letter in "-_.@ ,+()" else f"={ord(letter):x}=" for letter in student
    )
    encoded = name.encode()
    if len(encoded) <= MAX_FILE_NAME_SIZE:
        return name
    digest = hashlib.sha256(encoded).hexdigest()[:24]
    return f"{encoded[: MAX_FILE_NAME_SIZE - 26].decode(errors='ignore')}=={digest}"


def _page(title: str, parts: Sequence[str]) -> str:
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}'
    body = "\n".join(parts)
    return (
        f'<!doctype html><html lang="en"><head>{head}</title><style>{_STYLE}</style></head>\n'
        f"<body><main>\n{body}\n</main></body></html>\n"
    )


_STYLE = """
:root{color-scheme:light dark;--ink:#1c2733;--paper:#fff;--soft:#f2f4f7;--line:#d5dbe3;--good:#176b35;
--bad:#a3261f;--bar:#2f6db5}
@media (prefers-color-scheme:dark){:root{--ink:#dde4ec;--paper:#14181d;--soft:#1f262e;--line:#3a4552;
--good:#7fd49b;--bad:#ff9c92;--bar:#7db1ec}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:46rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin-top:2rem;overflow-wrap:anywhere}
.total{font-size:1.2rem}.points{font-weight:normal;white-space:nowrap}
.badge{border:1px solid;border-radius:1em;padding:0 .6em;font-size:.85em;white-space:nowrap}
.good{color:var(--good)}.bad{color:var(--bad)}a{color:var(--bar)}
pre,.wide{overflow-x:auto}pre{background:var(--soft);padding:.8rem 1rem;border-radius:.4rem;font-size:.85rem}
table{border-collapse:collapse}
td,th{border-bottom:1px solid var(--line);padding:.3rem .8rem .3rem 0;text-align:left}
svg{width:100%;max-width:30rem}svg rect{fill:var(--bar)}
svg text{fill:var(--ink);font-size:10px;text-anchor:middle}
"""
