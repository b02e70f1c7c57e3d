"""Assignment file ``hw.toml``: tasks, points, limits and feedback.

::

    title = "Rotations"
    seed = 7                       # other seeds give other inputs

    [limits]                       # each of these has a default
    seconds = 5.0                  # wall-clock time for all cases of one function
    memory = 1024.0                # megabytes

    [feedback]                     # in a student's report
    inputs = true                  # inputs on which a function failed
    expected = false               # right results on these inputs
    hint = true                    # wrong dimension, and a slip that explains the answers

    [[task]]
    function = "rodrigues"         # name that a submission must define
    title = "Rodrigues' formula"   # title of the task in reports; optional
    claim = "sueda/s1.3/e1.10#a"   # a claim of the ledger ...
    points = 4
    regions = { generic = 3, tiny = 1 }   # weights of the points; without it: all or nothing

    [[task]]
    function = "reach"
    oracle = "oracles.py:reach"    # ... or the lecturer's own function with its inputs
    inputs = "oracles.py:draw_throws"
    points = 2
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument
from rbnotes.coursework.grading.transcripts import Limits

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

FILE_NAME = "hw.toml"


@dataclass(frozen=True)
class Feedback:
    """Contents of a student's report about a failed case.

    Attributes
    ----------
    inputs
        Show the arguments on which the function failed.
    expected
        Show the right result and the error of the answer.
    hint
        Show the dimension of a wrong answer, and the slip that explains all answers.
    """

    inputs: bool = True
    expected: bool = False
    hint: bool = True


@dataclass(frozen=True)
class Task:
    """Function that students write.

    Attributes
    ----------
    function
        Name of the function.
    points
        Number of points for the task.
    title
        Title of the task in reports, beside the name of the function; may be empty.
    claim
        Id of a claim; empty if the lecturer's own oracle gives the right results.
    oracle
        ``file.py:name`` beside the assignment: the right function.
    inputs
        ``file.py:name``: a function of a NumPy ``Generator`` that returns the arguments by name, or for each
        region such a function.
    regions
        Weight of each region of inputs in the points, dimensionless; empty: all points or none.
    examples
        Number of random cases, distributed over the regions. Cases with angles near special ones are added
        for claims that take angles.
    tolerance
        Largest accepted error of an entry, relative if the entry exceeds 1; ``None``: that of the claim.
    """

    function: str
    points: float
    title: str = ""
    claim: str = ""
    oracle: str = ""
    inputs: str = ""
    regions: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    examples: int = 40
    tolerance: float | None = None


@dataclass(frozen=True)
class Assignment:
    """Assignment: tasks, limits and feedback.

    Attributes
    ----------
    title
        Heading of the reports.
    folder
        Folder of the assignment file and of the oracles beside it.
    tasks
        Tasks in the order of the file.
    seed
        Other seeds give other inputs.
    file
        Name of the file to grade if a student submits a folder; empty if the folder holds only one.
    limits
        Resource limits of a submission.
    feedback
        Content of a student's report about failed cases.
    """

    title: str
    folder: Path
    tasks: tuple[Task, ...]
    seed: int = 0
    file: str = ""
    limits: Limits = field(default_factory=Limits)
    feedback: Feedback = field(default_factory=Feedback)

    @property
    def points(self) -> float:
        """Points of the whole assignment."""
        return sum(task.points for task in self.tasks)


def read_assignment(path: str | Path) -> Assignment:
    """Read an assignment from a TOML file.

    Raises
    ------
    InvalidArgument
        If the file is not an assignment; the message names the place in the file.
    """
    arguments.require_instance("path", path, str, Path)
    path = Path(path)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidArgument("hw.toml", f"{path}: {error.strerror}", "an assignment file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidArgument(str(path), str(error), "TOML") from error
    tasks = table.pop("task", [])
    if not isinstance(tasks, list) or not tasks:
        raise InvalidArgument(f"{path}: task", "none", "at least one [[task]]")
    table |= {
        "folder": path.resolve().parent,
        "tasks": tuple(_read_task(entry, f"task {number}") for number, entry in enumerate(tasks, 1)),
        "limits": _build(Limits, table.get("limits", {}), "limits", positive=True),
        "feedback": _build(Feedback, table.get("feedback", {}), "feedback"),
    }
    assignment: Assignment = _build(Assignment, {"title": path.stem, **table}, "the assignment")
    names = [task.function for task in assignment.tasks]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidArgument("task: function", f"{', '.join(twice)} twice", "a name for each task")
    return assignment


def _read_task(entry: Any, location: str) -> Task:
    """Return a task of the assignment file after checking its fields."""
    if isinstance(entry, dict) and isinstance(entry.get("regions", {}), dict):
        regions = {str(name): weight for name, weight in entry.get("regions", {}).items()}
        for name, weight in regions.items():
            if type(weight) not in (int, float) or not 0.0 < weight < float("inf"):
                raise InvalidArgument(
                    f"{location}: regions: {name}", repr(weight), "a share of the points above 0"
                )
        entry = {**entry, "regions": MappingProxyType(regions)}
    task: Task = _build(Task, entry, location)
    if not task.function.isidentifier():
        raise InvalidArgument(f"{location}: function", repr(task.function), "the name of a function")
    if bool(task.claim) == bool(task.oracle):
        got = "both" if task.claim else "neither"
        raise InvalidArgument(f"{location} ({task.function})", got, "either a claim or an oracle")
    if task.oracle and not task.inputs:
        raise InvalidArgument(f"{location} ({task.function}): inputs", "none", "inputs for the oracle")
    if not 0.0 <= task.points < float("inf"):
        raise InvalidArgument(f"{location} ({task.function}): points", repr(task.points), "0 or more")
    if task.examples < 1:
        raise InvalidArgument(f"{location} ({task.function}): examples", repr(task.examples), "1 or more")
    return task


_FIELD_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (int, float),
    "float | None": (int, float),
    "bool": (bool,),
}


def _build(kind: type[DataclassInstance], entry: Any, location: str, *, positive: bool = False) -> Any:
    """Return a dataclass from a table after checks for unknown, missing and invalid entries."""
    if not isinstance(entry, dict):
        raise InvalidArgument(location, repr(entry), "a table")
    fields_by_name = {each.name: each for each in fields(kind)}
    for name, value in entry.items():
        if name not in fields_by_name:
            raise InvalidArgument(
                f"{location}: {name}", "an unknown name", "one of " + ", ".join(fields_by_name)
            )
        types = _FIELD_TYPES.get(str(fields_by_name[name].type))
        if types and type(value) not in types:
            raise InvalidArgument(f"{location}: {name}", repr(value), f"a {fields_by_name[name].type}")
        if positive and type(value) is not bool and not 0 < value < float("inf"):
            raise InvalidArgument(f"{location}: {name}", repr(value), "a number above 0")
    for name, each in fields_by_name.items():
        if name not in entry and each.default is MISSING and each.default_factory is MISSING:
            raise InvalidArgument(f"{location}: {name}", "nothing", "a value")
    return kind(**entry)
