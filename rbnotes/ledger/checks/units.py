"""Check of units: dimensionally consistent forms do not depend on the system of units.

The arguments are converted to other units of length, mass and time. The oracle and the right form must give
the old result in the new units. This detects, for example, a missing factor h, also in an oracle.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.evaluation import Values, distance, evaluate, samples
from rbnotes.ledger.quantities import (
    NUMBER,
    AnyQuantity,
    Dimension,
    Quantity,
    QuantityDeclaration,
    Units,
    resolve_declaration,
)
from rbnotes.ledger.record import Function, Record

TEST_UNITS = Units(length=1.6, mass=2.1, time=0.65)
"""Factors of the units; no product of small powers of them is nearly 1."""
NUM_EXAMPLES = 2
UNITS_TOLERANCE = 1e-6
"""Largest error of a form with consistent units; forms by differences have a larger tolerance."""
TOLERANCE_FACTOR = 100.0
NUM_OFF_GRID_INPUTS = 12
"""Number of inputs; other checks draw the same number, so that the draws are shared."""
PRINTED_FORM = "printed form"


def declares_units(record: Record) -> bool:
    """Return True if a claim declares the quantities of its arguments and its result."""
    return record.result.quantity is not None


def argument_quantities(record: Record, values: Mapping[str, Any]) -> dict[str, AnyQuantity]:
    """Return the quantities of the arguments of a claim, by name.

    Raises
    ------
    ValueError
        If the claim does not declare one of them.
    """
    result: dict[str, AnyQuantity] = {}
    for name, value in values.items():
        declared: QuantityDeclaration | None = record.quantities.get(name)
        if declared is None:
            if not _is_dimensionless(value):
                raise ValueError(f"the quantity of `{name}` is not declared")
            declared = NUMBER
        result[name] = resolve_declaration(declared, values)
    return result


def findings(record: Record) -> list[str]:
    """Return findings on the units of a claim that declares them.

    A conditional claim is checked where its condition holds, because its form may be singular elsewhere.
    """
    if record.result.quantity is None or record.reference is None or not record.inputs:
        return []
    units = TEST_UNITS.preserving_constants(record.constants)
    mismatches: dict[str, str] = {}
    for values in samples(record.allowed_inputs, NUM_OFF_GRID_INPUTS, region="non-dyadic")[-NUM_EXAMPLES:]:
        try:
            declared_arguments = argument_quantities(record, values)
            if all(quantity == NUMBER for quantity in declared_arguments.values()):
                break
            converted = {
                name: units.convert(value, declared_arguments[name]) for name, value in values.items()
            }
            right = _evaluate_finite(record.reference, values)
            if right is None:
                continue
            declared = result_quantity(record, values)
            factors = units.factors(declared, right.shape)
        except ValueError as error:
            return [f"units: {error}"]
        for name, form in _forms(record):
            old = right if form is record.reference else _evaluate_finite(form, values)
            if name in mismatches or old is None or old.shape != right.shape:
                continue
            new = _evaluate_finite(form, converted)
            if new is None or distance(new, factors * old) > max(
                UNITS_TOLERANCE, TOLERANCE_FACTOR * record.tolerance
            ):
                mismatches[name] = _describe_mismatch(new, factors * old, declared)
    printed = mismatches.pop(PRINTED_FORM, None)
    reasons = [
        f"units: those of the {name} are inconsistent: {mismatch}" for name, mismatch in mismatches.items()
    ]
    if printed and not record.units_mismatch:
        reasons.append(f"units: those of the {PRINTED_FORM} are inconsistent: {printed}")
    if record.units_mismatch and not printed:
        reasons.append(f"units: those of the {PRINTED_FORM} fit, though it says that they do not")
    return reasons


def result_quantity(record: Record, values: Mapping[str, Any]) -> Quantity:
    """Return the quantity of the result of a claim.

    Raises
    ------
    ValueError
        If the claim does not declare it, or declares a quantity that an array cannot have.
    """
    declared = None if record.result.quantity is None else resolve_declaration(record.result.quantity, values)
    if not isinstance(declared, Quantity):
        raise ValueError("the quantity of the result is not declared")
    return declared


def _forms(record: Record) -> list[tuple[str, Function]]:
    forms = (("oracle", record.reference), ("library's form", record.library), (PRINTED_FORM, record.printed))
    return [(name, form) for name, form in forms if form is not None]


def _evaluate_finite(form: Function, values: Values) -> Array | None:
    """Return the result of a form if it is finite, else None."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = evaluate(form, values)
        except (ValueError, IndexError, ArithmeticError):
            return None
    return result if np.all(np.isfinite(result)) else None


def _describe_mismatch(new: Array | None, expected: Array, declared: Quantity) -> str:
    """Return a description of the largest mismatch of a result in other units."""
    if new is None or new.shape != expected.shape:
        return "in other units there is no such result"
    worst = np.unravel_index(
        int(np.argmax(np.abs(new - expected) / np.maximum(1.0, np.abs(expected)))), expected.shape
    )
    place = f"entry {', '.join(str(int(i) + 1) for i in worst)}" if worst else "the result"
    dimension = Dimension(*declared.exponents(expected.shape)[worst])
    actual, right = f"{new[worst]:.4g}", f"{expected[worst]:.4g}"
    return f"{place} is not in {dimension}, {actual} in other units where {right} is expected"


def _is_dimensionless(value: Any) -> bool:
    """Return True if a value has no dimension: an integer, a flag, a name."""
    if isinstance(value, tuple | list):
        return all(map(_is_dimensionless, value))
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "iub"
    return isinstance(value, bool | int | str | np.bool_ | np.integer)
