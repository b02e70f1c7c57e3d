"""Check errata that are right in another convention: they must name the formulas that set it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.evaluation import SIGNIFICANT_RESIDUAL, Values, distance, evaluate
from rbnotes.ledger.record import Function, Record, Verdict

NUM_INPUTS = 12
"""Number of inputs on which a convention must make the forms agree."""


def findings(record: Record, draws: Sequence[Values]) -> list[str]:
    """Return findings on an erratum that is right in another convention and names no other formulas."""
    printed, library = record.printed, record.library
    if record.verdict is not Verdict.ERRATUM or printed is None or library is None:
        return []
    if not record.inputs:
        return []
    problems = []
    known_ids = _known_ids()
    for id in record.combined_with:
        if id not in known_ids or id.split("#")[0] == record.display or id.split("/")[0] != record.source:
            problems.append(f"convention: combined_with {id!r} is not another formula of the same notes")
    rule = _matching_convention(record, printed, library, draws)
    if rule and not record.combined_with:
        problems.append(
            f"convention: the printed form is the right one with {rule}: against which formulas is it wrong "
            "(`combined_with`)?"
        )
    return problems


def _matching_convention(
    record: Record, printed: Function, library: Function, draws: Sequence[Values]
) -> str:
    """Return a change of conventions that makes the printed form right; empty if there is none."""
    draws = draws[:: max(1, len(draws) // NUM_INPUTS)]
    form_results = {
        form: [_evaluate_or_none(form, values) for values in draws] for form in (printed, library)
    }

    def agrees(change: Any, outcome: Any) -> bool:
        has_significant_result = False
        for place, values in enumerate(draws):
            try:
                other = change(values)
                left, right = form_results[printed][place], _evaluate_or_none(library, other)
                if (
                    right is None
                ):  # the library rejects it; the change is its own inverse, so change the printed form
                    left, right = _evaluate_or_none(printed, other), form_results[library][place]
                if left is None or right is None:
                    return False
                with np.errstate(all="ignore"):
                    off = distance(left, right := outcome(right, values))
            except Exception:  # the change does not apply to these inputs or results
                return False
            if off > max(record.tolerance, 1e-9):
                return False
            has_significant_result = (
                has_significant_result or float(np.max(np.abs(right), initial=0.0)) > SIGNIFICANT_RESIDUAL
            )
        return has_significant_result

    def identity(x: Any, values: Values | None = None) -> Any:
        return x

    if agrees(identity, lambda x, values: -x):
        return "the other sign"
    if agrees(identity, lambda x, values: x.T if x.ndim == 2 else x):
        return "its transpose"
    for rule, convert in CONVERSIONS.items():
        if agrees(identity, lambda x, values, c=convert: c(x)):
            return f"{rule} of the result"
    for name in record.inputs:
        if all(np.ndim(values[name]) == 0 and _is_real_valued(values[name]) for values in draws):
            if agrees(identity, lambda x, values, n=name: x * values[n]):
                return f"the result times {name}"
            if agrees(identity, lambda x, values, n=name: x / values[n]):
                return f"the result over {name}"
    for first, second in combinations(record.inputs, 2):

        def exchange_inputs(values: Values, first: str = first, second: str = second) -> Values:
            if np.shape(values[first]) != np.shape(values[second]) or not _is_real_valued(values[first]):
                raise ValueError("only inputs of one shape")
            return {**values, first: values[second], second: values[first]}

        if agrees(exchange_inputs, identity):
            return f"{first} and {second} exchanged"
    for name in record.inputs:
        changes = {
            f"the other sign of {name}": lambda x: -x,
            f"{name} transposed": _transpose_or_invert,
            f"twice {name}": lambda x: 2 * x,
            f"half of {name}": lambda x: x / 2,
            **{f"{rule} of {name}": convert for rule, convert in CONVERSIONS.items()},
        }
        for rule, change in changes.items():

            def change_input(values: Values, name: str = name, change: Any = change) -> Values:
                if not _is_real_valued(values[name]):
                    raise ValueError("only what authors measure")
                return {**values, name: change(values[name])}

            if agrees(change_input, identity):
                scaled = rule.startswith(("twice", "half"))
                if scaled and any(agrees(identity, lambda x, values, c=c: c * x) for c in (2.0, 0.5)):
                    continue
                # Any large bound that is never reached agrees.
                if agrees(lambda values, n=name: change_input({**values, n: 7 * values[n]}), identity):
                    continue
                return rule
    return ""


def _is_real_valued(value: Any) -> bool:
    """Return True if a value is real, so that another convention can apply to it.

    Integers, such as numbers of bodies, could make a form endless.
    """
    return np.asarray(value).dtype.kind == "f"


def _evaluate_or_none(form: Function, values: Values) -> Array | None:
    try:
        return evaluate(form, values)
    except Exception:  # a form may reject changed inputs
        return None


def _swap_halves(x: Any) -> Any:
    """Exchange linear and angular parts."""
    x = np.asarray(x)
    if x.ndim != 1 or len(x) % 2 or len(x) < 6:
        raise ValueError("only twists and matrices of them")
    return np.concatenate(np.split(x, 2)[::-1])


def _move_scalar_last(x: Any) -> Any:
    x = np.asarray(x)
    if x.shape != (4,):
        raise ValueError("only quaternions")
    return np.roll(x, -1)


def _move_scalar_first(x: Any) -> Any:
    return np.roll(_move_scalar_last(x), 2)


def _rename_axes(axes: Array) -> Callable[[Any], Any]:
    """Return a function that writes a vector or a matrix in axes with other names."""

    def change(x: Any) -> Any:
        x = np.asarray(x)
        if x.shape not in ((3,), (3, 3)):
            raise ValueError("only vectors and matrices of three axes")
        return axes @ x if x.ndim == 1 else axes @ x @ axes.T

    return change


def _multiply(factor: float) -> Callable[[Any], Any]:
    return lambda x: factor * x


CYCLE = np.eye(3)[[1, 2, 0]]
Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""Axes of programs in which y is up, instead of z."""
CONVERSIONS = {
    "the other order": _swap_halves,
    "the scalar last": _move_scalar_last,
    "the scalar first": _move_scalar_first,
    "cyclic names of the axes": _rename_axes(CYCLE),
    "the other cyclic names of the axes": _rename_axes(CYCLE.T),
    "y as the axis that is up": _rename_axes(Y_UP),
    "z as the axis that is up": _rename_axes(Y_UP.T),
    "degrees for radians": _multiply(np.pi / 180),
    "radians for degrees": _multiply(180 / np.pi),
    "turns for radians": _multiply(2 * np.pi),
    "radians for turns": _multiply(1 / (2 * np.pi)),
}
"""Orders of components, names of axes and units in use, by description."""


def _transpose_or_invert(x: Any) -> Any:
    x = np.asarray(x)
    if x.shape == (4, 4):
        return np.linalg.inv(x)
    if x.ndim != 2 or x.shape[0] != x.shape[1]:
        raise ValueError("only other directions of a frame")
    return x.T


def _known_ids() -> set[str]:
    from rbnotes import ledger  # imported late, because the records import this module
    from rbnotes.ledger.coverage import inventory

    return {entry.id for entry in inventory()} | {record.id for record in ledger.load()}
