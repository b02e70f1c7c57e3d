"""An assignment with fast oracles, and grades of two students."""

import csv
import io

from rbnotes.coursework.grading import Grade, TaskGrade

ORACLES = """
import numpy as np


def double(x):
    return 2 * x


def triple(x):
    return 3 * x


def few(rng):
    return {"x": rng.normal(size=3)}


ranges = {"generic": few, "tiny": lambda rng: {"x": 1e-9 * rng.normal(size=3)}}
"""

ASSIGNMENT = """
title = "Multiples"
seed = 3

[limits]
seconds = 60.0
cpu = 60.0

[[task]]
function = "double"
oracle = "oracles.py:double"
inputs = "oracles.py:ranges"
points = 4
examples = 6
tolerance = 1e-12
regions = { generic = 3, tiny = 1 }

[[task]]
function = "triple"
oracle = "oracles.py:triple"
inputs = "oracles.py:few"
points = 2
examples = 3
"""

GRADES = [
    Grade(
        "bob",
        (TaskGrade("spin", "wrong", 1.5, 3.0, "wrong by 2"), TaskGrade("drop", "passed", 2.0, 2.0)),
        1.4,
    ),
    Grade(
        "ann", (TaskGrade("spin", "passed", 3.0, 3.0), TaskGrade("drop", "syntax", 0.0, 2.0, "line 1")), 0.6
    ),
]


def rows(text):
    """Return the rows of a table in CSV."""
    return list(csv.reader(io.StringIO(text)))
