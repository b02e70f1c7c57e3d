"""Errata that other sign rules would make right must say which formulas of the notes settle the signs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.record import Function, Record, Verdict
from rbnotes.ledger.trials import SIGNIFICANT, Values, distance, result

TRIED = 12
"""Inputs on which a rule must make the forms agree."""


def findings(record: Record, draws: Sequence[Values]) -> list[str]:
    """An erratum that other sign rules would make right must say which formulas settle them."""
    printed, library = record.printed, record.library
    if record.verdict is not Verdict.ERRATUM or printed is None or library is None:
        return []
    if not record.inputs:
        return []
    found = []
    known = _known_ids()
    for id in record.combined_with:
        if id not in known or id.split("#")[0] == record.display or id.split("/")[0] != record.source:
            found.append(f"convention: combined_with {id!r} is no other formula of the same notes")
    rule = _rule(record, printed, library, draws)
    if rule and not record.combined_with:
        found.append(
            f"convention: the printed form is the right one with {rule}: against which formulas is it wrong "
            "(`combined_with`)?"
        )
    return found


def _rule(record: Record, printed: Function, library: Function, draws: Sequence[Values]) -> str:
    draws = draws[:: max(1, len(draws) // TRIED)]
    as_drawn = {form: [_result(form, values) for values in draws] for form in (printed, library)}

    def agree(change: Any, outcome: Any) -> bool:
        told = False
        for place, values in enumerate(draws):
            try:
                other = change(values)
                left, right = as_drawn[printed][place], _result(library, other)
                if right is None:  # the library refuses it; the print, then, with the change, its own inverse
                    left, right = _result(printed, other), as_drawn[library][place]
                if left is None or right is None:
                    return False
                right = outcome(right)
                off = distance(left, right)
            except Exception:  # the change is none of these inputs or results
                return False
            if off > max(record.tolerance, 1e-9):
                return False
            told = told or float(np.max(np.abs(right), initial=0.0)) > SIGNIFICANT
        return told

    def same(x: Any) -> Any:
        return x

    if agree(same, np.negative):
        return "the other sign"
    if agree(same, lambda x: x.T if x.ndim == 2 else x):
        return "its transpose"
    for rule, order in ORDERS.items():
        if agree(same, order):
            return f"{rule} of the result"
    for first, second in combinations(record.inputs, 2):

        def exchanged(values: Values, first: str = first, second: str = second) -> Values:
            if np.shape(values[first]) != np.shape(values[second]) or not _measured(values[first]):
                raise ValueError("only inputs of one shape")
            return {**values, first: values[second], second: values[first]}

        if agree(exchanged, same):
            return f"{first} and {second} exchanged"
    for name in record.inputs:
        changes = {
            f"the other sign of {name}": lambda x: -x,
            f"{name} transposed": _transposed,
            f"twice {name}": lambda x: 2 * x,
            f"half of {name}": lambda x: x / 2,
            **{f"{rule} of {name}": order for rule, order in ORDERS.items()},
        }
        for rule, change in changes.items():

            def changed(values: Values, name: str = name, change: Any = change) -> Values:
                if not _measured(values[name]):
                    raise ValueError("only what authors measure")
                return {**values, name: change(values[name])}

            if agree(changed, same):
                scaled = rule.startswith(("twice", "half"))
                if scaled and any(agree(same, lambda x, c=c: c * x) for c in (2.0, 0.5)):
                    continue
                return rule
    return ""


def _measured(value: Any) -> bool:
    """Whether a value may follow another rule: not numbers of bodies, with which a form may never end."""
    return np.asarray(value).dtype.kind == "f"


def _result(form: Function, values: Values) -> Array | None:
    try:
        return result(form, values)
    except Exception:  # a form may refuse what is no input of it
        return None


def _halves(x: Any) -> Any:
    """Linear and angular parts in the other order."""
    x = np.asarray(x)
    if x.ndim != 1 or len(x) % 2 or len(x) < 6:
        raise ValueError("only twists and what is made of them")
    return np.concatenate(np.split(x, 2)[::-1])


def _scalar_last(x: Any) -> Any:
    x = np.asarray(x)
    if x.shape != (4,):
        raise ValueError("only quaternions")
    return np.roll(x, -1)


def _scalar_first(x: Any) -> Any:
    return np.roll(_scalar_last(x), 2)


ORDERS = {
    "the other order": _halves,
    "the scalar last": _scalar_last,
    "the scalar first": _scalar_first,
}
"""Orders of components that authors choose."""


def _transposed(x: Any) -> Any:
    x = np.asarray(x)
    if x.shape == (4, 4):
        return np.linalg.inv(x)
    if x.ndim != 2 or x.shape[0] != x.shape[1]:
        raise ValueError("only other directions of a frame")
    return x.T


def _known_ids() -> set[str]:
    from rbnotes import ledger  # the records import the library, and this module is imported with them
    from rbnotes.ledger.coverage import inventory

    return {entry.id for entry in inventory()} | {record.id for record in ledger.load()}
