"""Is the oracle independent of the forms that it judges?

It must not run the function under test, nor the forms or what they are made of, save the primitives that the
record names; and it must not be a copy of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from types import FunctionType

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.honesty.claim_code import forms, helpers, home, plain, tree
from rbnotes.ledger.honesty.normal_form import normal_form
from rbnotes.ledger.honesty.tracing import Named, Trace, display, trace
from rbnotes.ledger.record import Record
from rbnotes.ledger.resolving import resolve
from rbnotes.ledger.trials import Values, result

FREE = ("rbnotes.arguments",)
"""Checks of arguments, which forms and oracles may share without saying so."""
SHARED_WITH_PRINT = ("rbnotes.ledger.oracles", "rbnotes.checking")
"""What the printed form may share with its oracle: the library form, which must agree, does not use it."""
TOO_WIDE = ("rbnotes", "rbnotes.ledger", "rbnotes.ledger.oracles")
TRACED = 4
"""Inputs on which forms are watched."""


def findings(record: Record, draws: Sequence[Values]) -> list[str]:
    """What the oracle shares with the forms without the record's naming it, and what is never run."""
    few = draws[:: max(1, len(draws) // TRACED)]
    implementing = [Named(name, resolve(name)) for name in record.implemented_by]
    primitives = [Named(name, resolve(name)) for name in record.primitives]
    traces = {
        name: trace(form, few, primitives) for name, form in forms(record).items() if name != "reference"
    }
    assert record.reference is not None
    chooses = any(map(_has_branches, helpers(plain(record.reference))))
    traces["reference"] = trace(record.reference, draws if chooses else few, primitives)
    return [
        *_primitives(record, primitives, implementing, traces),
        *_reached(record, primitives, implementing, traces),
        *_implemented(record, implementing, traces),
        *_out_of_reach(record, traces),
        *_copies(record),
    ]


def _primitives(
    record: Record, primitives: list[Named], implementing: list[Named], traces: dict[str, Trace]
) -> list[str]:
    found = []
    reference = traces["reference"]
    own = {form.__code__ for form in map(plain, forms(record).values())}
    for primitive in primitives:
        if primitive.name in TOO_WIDE or any(part.startswith("_") for part in primitive.name.split(".")):
            found.append(f"oracle: primitive {primitive.name} must be one public function, class or module")
        elif primitive.codes & own:
            found.append(f"oracle: primitive {primitive.name} is one of the record's forms")
        elif any(primitive.value is other.value for other in implementing):
            found.append(f"oracle: primitive {primitive.name} is what is under test")
        elif not reference.enters(primitive):
            found.append(f"oracle: primitive {primitive.name} is never entered by the reference")
        elif primitive.name in (reference.handed_on or ()) and any(
            trace.enters(primitive) for name, trace in traces.items() if name != "reference"
        ):
            found.append(f"oracle: the reference is no more than what primitive {primitive.name} returns")
    return found


def _reached(
    record: Record, primitives: list[Named], implementing: list[Named], traces: dict[str, Trace]
) -> list[str]:
    reference = traces["reference"]
    found = [
        f"oracle: the reference reaches {target.name}, which is under test"
        for target in implementing
        if _enters_more_than_data(reference, target)
    ]
    tested = {name: dict(watched.everything()) for name, watched in traces.items() if name != "reference"}
    shared: dict[str, list[str]] = {}
    for code, module in reference.entered.items():
        if module.startswith(FREE) or _makes_data(code.co_name, code.co_filename, module):
            continue
        if any(primitive.holds(code, module) for primitive in primitives):
            continue
        # The reference's own code is no sharing, unless a form enters it.
        users = [name for name, codes in tested.items() if code in codes]
        if users == ["printed"] and "library" in tested and module.startswith(SHARED_WITH_PRINT):
            continue
        if users:
            shared.setdefault(display(code, module), users)
    found += [
        f"oracle: the reference and the {' and the '.join(users)} form enter {name}, which is no primitive"
        for name, users in shared.items()
    ]
    return found


def _enters_more_than_data(watched: Trace, target: Named) -> bool:
    if target.module is None and not target.codes:
        return watched.enters(target)
    return any(
        target.holds(code, module) and not _makes_data(code.co_name, code.co_filename, module)
        for code, module in watched.everything()
    ) or bool(target.codes & watched.foreign)


def _makes_data(function: str, file: str, module: str) -> bool:
    """Whether code only builds a value of one of the library's data classes."""
    return module.startswith("rbnotes.") and (
        function == "__post_init__" or (function == "__init__" and file == "<string>")
    )


def _implemented(record: Record, implementing: list[Named], traces: dict[str, Trace]) -> list[str]:
    user = "library" if record.library is not None else "printed"
    return [
        f"library: {target.name} is never entered by the {user} form"
        for target in implementing
        if user in traces and not traces[user].enters(target)
    ]


def _out_of_reach(record: Record, traces: dict[str, Trace]) -> list[str]:
    """Code of the claim that the printed form enters and that mutation cannot change: methods, lambdas."""
    if record.printed is None:
        return []
    known = {(part.__code__.co_filename, part.__qualname__) for part in helpers(plain(record.printed))}
    found = set()
    for code, module in traces["printed"].entered.items():
        if home(module) == "claim" and not _makes_data(code.co_name, code.co_filename, "rbnotes."):
            outermost = code.co_qualname.split(".<locals>")[0]
            names = {code.co_qualname, *_enclosing(code.co_qualname)}
            if not any((code.co_filename, name) in known for name in names):
                found.add(outermost)
    return [f"form: {name} of the printed form is no function of the module, to be changed" for name in found]


def _enclosing(qualname: str) -> Iterator[str]:
    """Qualified names of the functions that hold a local one."""
    parts = qualname.split(".<locals>.")
    for count in range(1, len(parts)):
        yield ".<locals>.".join(parts[:count])


def _copies(record: Record) -> list[str]:
    assert record.reference is not None
    reference = normal_form(plain(record.reference))
    found = [
        f"oracle: the reference is the {name} form written again"
        for name, form in forms(record).items()
        if name != "reference" and (form is record.reference or normal_form(plain(form)) == reference)
    ]
    if record.printed is not None and record.library is not None:
        printed, library = plain(record.printed), plain(record.library)
        if printed is library or normal_form(printed) == normal_form(library):
            found.append("form: the printed form is the library form written again")
    return found


def _has_branches(function: FunctionType) -> bool:
    choices = ast.If | ast.IfExp | ast.BoolOp | ast.While
    return any(isinstance(node, choices) for node in ast.walk(tree(function)))


def same_bits(record: Record, draws: Sequence[Values], expected: Sequence[Array]) -> list[str]:
    """Forms that agree with the oracle to the last bit wherever rounding should tell them apart."""
    if record.exact or not record.inputs:
        return []
    found = []
    whole = all(np.all(values == np.round(values)) for values in expected)
    constant = all(np.array_equal(values, expected[0]) for values in expected)
    if constant:
        return ["oracle: the reference is the same on all inputs (if it should be: `exact`)"]
    if whole:
        return []
    for name, form in forms(record).items():
        if name != "reference" and all(
            _same(form, values, right) for values, right in zip(draws, expected, strict=True)
        ):
            found.append(
                f"oracle: reference and {name} form agree to the last bit on all inputs (why: `exact`)"
            )
    return found


def _same(form, values: Values, right: Array) -> bool:  # type: ignore[no-untyped-def]
    try:
        return bool(np.array_equal(result(form, values), right))
    except (ValueError, IndexError, ArithmeticError):
        return False
