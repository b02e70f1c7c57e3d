"""Measure the time to grade a class: students who submit five functions each, some of which misbehave.

    OMP_NUM_THREADS=1 python benchmarks/grading.py               # 300 students, a few minutes
    OMP_NUM_THREADS=1 python benchmarks/grading.py --students 30

Of twenty students twelve are correct, four have a wrong sign, one returns a wrong shape, one has a function
that does not terminate, one a function that ends its process, and one file is not Python. Prints wall time,
processor time of this process and of its children, and the share of points for each kind.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from rbnotes.coursework import grading

ASSIGNMENT = """
title = "A class"

[limits]
seconds = 2.0

"""
TASK = '[[task]]\nfunction = "{}"\nclaim = "{}"\npoints = 2\nexamples = 64\n\n'
TASKS = {
    "unit": "lloyd/s0.2/d1",
    "product": "lloyd/s0.2/d2",
    "rate_in_base": "lloyd/s0.2/e0.1#a",
    "rate_in_body": "lloyd/s0.2/d3#a",
    "turned": "lloyd/s0.2/d4",
}
RIGHT = """
import numpy as np


def unit(u, theta):
    return np.concatenate([[np.cos(theta / 2)], np.sin(theta / 2) * u])


def product(q, p):
    vector = q[0] * p[1:] + p[0] * q[1:] + np.cross(q[1:], p[1:])
    return np.concatenate([[q[0] * p[0] - q[1:] @ p[1:]], vector])


def rate_in_base(u, theta, omega):
    return 0.5 * product(np.concatenate([[0.0], omega]), unit(u, theta))


def rate_in_body(u, theta, omega):
    return 0.5 * product(unit(u, theta), np.concatenate([[0.0], omega]))


def turned(q, v):
    t = 2 * np.cross(q[1:], v)
    return np.concatenate([[0.0], v + q[0] * t + np.cross(q[1:], t)])
"""
CHANGED = "    t = 2"
# of twenty students: how many, and what they write in the place of what
KINDS = {
    "right": (12, "", ""),
    "wrong sign": (4, "v + q[0]", "v - q[0]"),
    "wrong shape": (1, CHANGED, "    return v\n" + CHANGED),
    "never ends": (1, CHANGED, "    while True:\n        pass\n" + CHANGED),
    "ends its process": (1, CHANGED, "    import os\n    os._exit(0)\n" + CHANGED),
    "no Python": (1, "import numpy", "import import numpy"),
}


def make_submissions(count: int) -> list[tuple[str, grading.Submission]]:
    """Return the kind and the submission of each student."""
    kinds = [kind for kind, (share, _, _) in KINDS.items() for _ in range(share)]
    submissions = []
    for number in range(count):
        kind = kinds[number % len(kinds)]
        _, old, new = KINDS[kind]
        source = f"# {number}\n" + (RIGHT.replace(old, new) if old else RIGHT)
        submissions.append((kind, grading.Submission(f"student {number:03}", "hw.py", source)))
    return submissions


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "hw.toml"
        file.write_text(ASSIGNMENT + "".join(TASK.format(*task) for task in TASKS.items()))
        start = time.monotonic()
        paper = grading.prepare_assignment(grading.read_assignment(file))
        prepared = time.monotonic() - start
        submissions = make_submissions(options.students)
        kinds = {submission.student: kind for kind, submission in submissions}
        grades_by_kind = defaultdict(list)
        for grade in grading.grade_submissions(
            paper, [submission for _, submission in submissions], jobs=options.jobs
        ):
            grades_by_kind[kinds[grade.student]].append(grade.points / grade.max_points)
        elapsed = time.monotonic() - start
    here, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    cases = sum(map(len, paper.cases.values()))
    print(f"{options.students} students, {len(TASKS)} functions, {cases} cases, {options.jobs} at a time")
    print(f"{elapsed:.0f} s in all, of which {prepared:.1f} s to draw the cases")
    print(f"{1000 * (elapsed - prepared) / options.students:.0f} ms a student")
    print(f"processor: {here.ru_utime + here.ru_stime:.0f} s here, ", end="")
    print(f"{children.ru_utime + children.ru_stime:.0f} s in children")
    for kind, fractions in grades_by_kind.items():
        least, most = 100 * min(fractions), 100 * max(fractions)
        print(f"{kind}: {len(fractions)} students, {least:.0f} to {most:.0f} % of the points")


if __name__ == "__main__":
    main()
