"""Draw the cases of an assignment from claims of the ledger or from the lecturer's own functions."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument
from rbnotes.coursework.challenge.case_generation import (
    REGION_ORDER,
    Case,
    iterate_all_cases,
    with_precision_masks,
)
from rbnotes.coursework.challenge.dimensions import Probe, probes
from rbnotes.coursework.challenge.library_tasks import find_task
from rbnotes.coursework.grading import _messages
from rbnotes.coursework.grading.assignment import Assignment, Task
from rbnotes.coursework.grading.task_grades import PreparedAssignment
from rbnotes.ledger.record import Record
from rbnotes.testing.strategies import Region

DEFAULT_TOLERANCE = 1e-9
"""Largest error of an answer to the lecturer's own question, unless the task says otherwise."""


def prepare_assignment(assignment: Assignment) -> PreparedAssignment:
    """Draw the cases of all tasks, with the right results.

    Raises
    ------
    InvalidArgument
        If ``assignment`` is not an ``Assignment``, a claim is unknown, an oracle fails, a region has no
        cases, or inputs are not plain data.
    """
    arguments.require_instance("assignment", assignment, Assignment)
    sources: dict[Path, dict[str, Any]] = {}
    cases_by_function: dict[str, tuple[Case, ...]] = {}
    claims: dict[str, Record | None] = {}
    probes_by_function: dict[str, tuple[Probe, ...]] = {task.function: () for task in assignment.tasks}
    for task in assignment.tasks:
        claim = claims[task.function] = find_task(task.claim) if task.claim else None
        if claim is None:
            task_cases = _oracle_cases(task, assignment, sources)
        else:
            task_cases = _claim_cases(task, claim, assignment.seed)
        regions = {str(case.region) for case in task_cases}
        for region in task.regions:
            if region not in regions:
                expected = "one of " + ", ".join(sorted(regions))
                raise InvalidArgument(f"task {task.function}: regions", repr(region), expected)
        if claim is not None and assignment.feedback.hint:
            probes_by_function[task.function] = probes(claim, task_cases)
        for case in task_cases:
            try:
                _messages.encode(case.inputs)
            except TypeError as error:
                got = f"inputs that cannot be sent to a child process ({error})"
                raise InvalidArgument(f"task {task.function}", got, "numbers and arrays") from error
        cases_by_function[task.function] = task_cases
    return PreparedAssignment(assignment, cases_by_function, claims, probes_by_function)


def _claim_cases(task: Task, claim: Record, seed: int) -> tuple[Case, ...]:
    # Enough cases for every region.
    count = max(task.examples, len(REGION_ORDER))
    claim_cases = list(iterate_all_cases(claim, seed=seed, examples=count))
    if task.tolerance is None:
        return tuple(with_precision_masks(claim, claim_cases))
    return tuple(replace(case, tolerance=task.tolerance) for case in claim_cases)


def _oracle_cases(
    task: Task, assignment: Assignment, sources: dict[Path, dict[str, Any]]
) -> tuple[Case, ...]:
    """Return the cases of a task whose oracle and inputs are functions of the lecturer."""
    oracle = _load_attribute(task, task.oracle, assignment, sources)
    regions = _load_attribute(task, task.inputs, assignment, sources)
    if not callable(oracle):
        raise InvalidArgument(f"task {task.function}: oracle", f"{task.oracle}, no function", "a function")
    if not isinstance(regions, Mapping):
        regions = {"generic": regions}
    oracle_cases: list[Case] = []
    for index, (region, draw) in enumerate(regions.items()):
        generator = np.random.default_rng([assignment.seed, index])
        for _ in range(-(-task.examples // len(regions))):
            oracle_cases.append(_oracle_case(task, region, oracle, draw, generator))
    return tuple(oracle_cases)


def _oracle_case(task: Task, region: str, oracle: Any, draw: Any, generator: np.random.Generator) -> Case:
    """Return one case: drawn inputs and the oracle's result."""
    try:
        inputs: dict[str, Any] = dict(draw(generator))
        expected = np.asarray(oracle(*[_copy_value(value) for value in inputs.values()]), dtype=np.float64)
    except Exception as error:  # the lecturer's code may raise anything; the message says where
        reason = f"{type(error).__name__}: {error}"
        raise InvalidArgument(
            f"task {task.function}: {task.oracle} on {region} inputs", reason, "numbers"
        ) from error
    if not np.all(np.isfinite(expected)):
        raise InvalidArgument(f"task {task.function}: {task.oracle}", "no finite number", "numbers")
    tolerance = DEFAULT_TOLERANCE if task.tolerance is None else task.tolerance
    # A lecturer names the regions of the task.
    return Case(task.function, cast(Region, region), inputs, expected, tolerance)


def _copy_value(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def _load_attribute(
    task: Task, name: str, assignment: Assignment, sources: dict[Path, dict[str, Any]]
) -> Callable[..., Any] | Mapping[str, Any] | Any:
    """Return the object that ``file.py:name`` names, in the folder of the assignment.

    Raises
    ------
    InvalidArgument
        If the file fails to run or has no such name.
    """
    file, _, attribute = name.partition(":")
    path = assignment.folder / file
    location = f"task {task.function}: {name}"
    if path not in sources:
        try:
            sources[path] = runpy.run_path(str(path))
        except Exception as error:
            raise InvalidArgument(location, f"{type(error).__name__}: {error}", "a file that runs") from error
    if attribute not in sources[path]:
        raise InvalidArgument(location, f"no {attribute or 'name after the colon'}", f"something in {file}")
    return sources[path][attribute]
