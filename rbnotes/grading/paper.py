"""The cases of an assignment: from claims of the ledger, or from the lecturer's own functions."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument
from rbnotes.challenge.drawing import TURN, Case, cases
from rbnotes.challenge.own import find
from rbnotes.challenge.units import Probe, probes
from rbnotes.checking.strategies import Region
from rbnotes.grading import _wire
from rbnotes.grading.assignment import Assignment, Task
from rbnotes.grading.marking import Paper
from rbnotes.ledger.record import Record

TOLERANCE = 1e-9
"""Largest error of an answer to the lecturer's own question, unless the task says otherwise."""


def prepare(assignment: Assignment) -> Paper:
    """Draw the cases of all tasks, with the right results.

    Raises
    ------
    InvalidArgument
        If ``assignment`` is none, a claim is unknown, an oracle does not work, a region has no cases, or
        inputs are no plain data.
    """
    arguments.instance("assignment", assignment, Assignment)
    sources: dict[Path, dict[str, Any]] = {}
    drawn: dict[str, tuple[Case, ...]] = {}
    claims: dict[str, Record | None] = {}
    changed: dict[str, tuple[Probe, ...]] = {task.function: () for task in assignment.tasks}
    for task in assignment.tasks:
        claim = claims[task.function] = find(task.claim) if task.claim else None
        if claim is None:
            found = _of_oracle(task, assignment, sources)
        else:
            found = _of_claim(task, claim, assignment.seed)
        regions = {str(case.region) for case in found}
        for region in task.regions:
            if region not in regions:
                expected = "one of " + ", ".join(sorted(regions))
                raise InvalidArgument(f"task {task.function}: regions", repr(region), expected)
        if claim is not None and assignment.shows.hint:
            changed[task.function] = probes(claim, found)
        for case in found:
            try:
                _wire.encode(case.inputs)
            except TypeError as error:
                what = f"inputs that cannot be sent to a child process ({error})"
                raise InvalidArgument(f"task {task.function}", what, "numbers and arrays") from error
        drawn[task.function] = found
    return Paper(assignment, drawn, claims, changed)


def _of_claim(task: Task, claim: Record, seed: int) -> tuple[Case, ...]:
    # Enough that every region has its turn.
    count = max(task.examples, len(TURN))
    found = cases(claim, seed=seed, examples=count)
    if task.tolerance is None:
        return found
    return tuple(replace(case, tolerance=task.tolerance, fine=None) for case in found)


def _of_oracle(task: Task, assignment: Assignment, sources: dict[Path, dict[str, Any]]) -> tuple[Case, ...]:
    oracle = _named(task, task.oracle, assignment, sources)
    regions = _named(task, task.inputs, assignment, sources)
    if not callable(oracle):
        raise InvalidArgument(f"task {task.function}: oracle", f"{task.oracle}, no function", "a function")
    if not isinstance(regions, Mapping):
        regions = {"generic": regions}
    found: list[Case] = []
    for place, (region, draw) in enumerate(regions.items()):
        generator = np.random.default_rng([assignment.seed, place])
        for _ in range(-(-task.examples // len(regions))):
            found.append(_case(task, region, oracle, draw, generator))
    return tuple(found)


def _case(task: Task, region: str, oracle: Any, draw: Any, generator: np.random.Generator) -> Case:
    try:
        inputs: dict[str, Any] = dict(draw(generator))
        expected = np.asarray(oracle(*[_copied(value) for value in inputs.values()]), dtype=np.float64)
    except Exception as error:  # the lecturer's code may fail in any way, and he should know where
        told = f"{type(error).__name__}: {error}"
        raise InvalidArgument(
            f"task {task.function}: {task.oracle} on {region} inputs", told, "numbers"
        ) from error
    if not np.all(np.isfinite(expected)):
        raise InvalidArgument(f"task {task.function}: {task.oracle}", "no finite number", "numbers")
    tolerance = TOLERANCE if task.tolerance is None else task.tolerance
    # A lecturer's regions have names of his own.
    return Case(task.function, cast(Region, region), inputs, expected, tolerance)


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def _named(
    task: Task, name: str, assignment: Assignment, sources: dict[Path, dict[str, Any]]
) -> Callable[..., Any] | Mapping[str, Any] | Any:
    """What ``file.py:name`` beside the assignment stands for."""
    file, _, attribute = name.partition(":")
    path = assignment.folder / file
    place = f"task {task.function}: {name}"
    if path not in sources:
        try:
            sources[path] = runpy.run_path(str(path))
        except Exception as error:
            raise InvalidArgument(place, f"{type(error).__name__}: {error}", "a file that runs") from error
    if attribute not in sources[path]:
        raise InvalidArgument(place, f"no {attribute or 'name after the colon'}", f"something in {file}")
    return sources[path][attribute]
