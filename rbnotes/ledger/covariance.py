"""Units as a second oracle: forms whose units fit do not care which units are used.

Arguments are changed to other units of length, mass and time by the factors of their dimensions. The oracle
and the form that is right must then give the old result in the new units, whatever the numbers; a factor h
that is missing shows at once, in an oracle too.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.quantities import NUMBER, Anything, Declared, Dimension, Quantity, Units, at
from rbnotes.ledger.record import Function, Record
from rbnotes.ledger.trials import Values, distance, result, samples

OTHER = Units(length=1.6, mass=2.1, time=0.65)
"""No product of small powers of these is nearly 1."""
EXAMPLES = 2
CLOSE = 1e-6
"""Largest error of a form whose units fit; forms by differences, which have a tolerance, may have more."""
ROOM = 100.0
OFF_GRID = 12
"""Inputs drawn, as many as for other checks, which have them drawn already."""
PRINTED = "printed form"


def units_told(record: Record) -> bool:
    """Whether a claim says what its arguments and its result are."""
    return record.result is not None


def quantities(record: Record, values: Mapping[str, Any]) -> dict[str, Anything]:
    """What the arguments of a claim are.

    Raises
    ------
    ValueError
        If the claim does not say it of one of them.
    """
    found: dict[str, Anything] = {}
    for name, value in values.items():
        told: Declared | None = record.quantities.get(name)
        if told is None:
            if not _countable(value):
                raise ValueError(f"what `{name}` is, is not said")
            told = NUMBER
        found[name] = at(told, values)
    return found


def findings(record: Record) -> list[str]:
    """What is wrong with the units of a claim that says what they are."""
    if record.result is None or record.reference is None or not record.inputs:
        return []
    units = OTHER.keeping(record.constants)
    found: dict[str, str] = {}
    for values in samples(record.inputs, OFF_GRID, region="non-dyadic")[-EXAMPLES:]:
        try:
            told = quantities(record, values)
            if all(quantity == NUMBER for quantity in told.values()):
                break
            changed = {name: units.change(value, told[name]) for name, value in values.items()}
            right = _tried(record.reference, values)
            if right is None:
                continue
            declared = of_result(record, values)
            factors = units.factors(declared, right.shape)
        except ValueError as error:
            return [f"units: {error}"]
        for name, form in _forms(record):
            old = right if form is record.reference else _tried(form, values)
            if name in found or old is None or old.shape != right.shape:
                continue
            new = _tried(form, changed)
            if new is None or distance(new, factors * old) > max(CLOSE, ROOM * record.tolerance):
                found[name] = _misfit(new, factors * old, declared)
    printed = found.pop(PRINTED, None)
    reasons = [f"units: those of the {name} do not fit: {misfit}" for name, misfit in found.items()]
    if printed and not record.misfit:
        reasons.append(f"units: those of the {PRINTED} do not fit: {printed}")
    if record.misfit and not printed:
        reasons.append(f"units: those of the {PRINTED} fit, though it says that they do not")
    return reasons


def of_result(record: Record, values: Mapping[str, Any]) -> Quantity:
    """What the result of a claim is.

    Raises
    ------
    ValueError
        If the claim does not say it, or calls it what no array is.
    """
    declared = None if record.result is None else at(record.result, values)
    if not isinstance(declared, Quantity):
        raise ValueError("what the result is, is not said")
    return declared


def _forms(record: Record) -> list[tuple[str, Function]]:
    forms = (("oracle", record.reference), ("library's form", record.library), (PRINTED, record.printed))
    return [(name, form) for name, form in forms if form is not None]


def _tried(form: Function, values: Values) -> Array | None:
    """A finite result; None if there is none."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = result(form, values)
        except (ValueError, IndexError, ArithmeticError):
            return None
    return found if np.all(np.isfinite(found)) else None


def _misfit(new: Array | None, expected: Array, declared: Quantity) -> str:
    """Where a result in other units is not what it should be."""
    if new is None or new.shape != expected.shape:
        return "in other units there is no such result"
    worst = np.unravel_index(
        int(np.argmax(np.abs(new - expected) / np.maximum(1.0, np.abs(expected)))), expected.shape
    )
    place = f"entry {', '.join(str(int(i) + 1) for i in worst)}" if worst else "the result"
    told = Dimension(*declared.exponents(expected.shape)[worst])
    return (
        f"{place} is not in {told}, {new[worst]:.4g} in other units where {expected[worst]:.4g} is expected"
    )


def _countable(value: Any) -> bool:
    """Whether a value is no measure of anything: a whole number, a flag, a name."""
    if isinstance(value, tuple | list):
        return all(map(_countable, value))
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "iub"
    return isinstance(value, bool | int | str | np.bool_ | np.integer)
