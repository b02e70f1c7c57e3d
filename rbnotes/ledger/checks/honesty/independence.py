"""Check that the oracle is independent of the forms that it checks.

It must not run the function under test, the forms or their parts, except the primitives that the record
names, and it must not be a copy of them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.checks.claim_code import (
    code_owner,
    constant_dependencies,
    form_functions,
    function_ast,
    loaded_modules,
    readable_function,
    record_forms,
    referenced_objects,
    unwrap_function,
)
from rbnotes.ledger.checks.honesty.normal_form import normal_form
from rbnotes.ledger.checks.honesty.tracing import CodeTrace, NamedCode, display_name, trace
from rbnotes.ledger.dotted_names import resolve
from rbnotes.ledger.evaluation import Values
from rbnotes.ledger.record import NEEDS_CORRECTION, Function, Record

ALWAYS_SHARED = ("rbnotes.arguments",)
"""Checks of arguments, which forms and oracles may share without declaring it."""
SHARED_WITH_PRINT = ("rbnotes.ledger.oracles", "rbnotes.testing", "rbnotes.unchecked.central_differences")
"""Modules that the printed form may share with its oracle; the library form, which must agree, uses none."""
TOO_BROAD = ("rbnotes", "rbnotes.ledger", "rbnotes.ledger.oracles")
NUM_TRACED_INPUTS = 4
"""Number of inputs on which forms are traced."""


def trace_forms(record: Record, draws: Sequence[Values]) -> dict[str, CodeTrace]:
    """Return the trace of each form on some of the inputs; an oracle with branches is traced on all."""
    few = draws[:: max(1, len(draws) // NUM_TRACED_INPUTS)]
    primitives = [NamedCode(name, resolve(name)) for name in record.primitives]
    traces = {}
    for name, form in record_forms(record).items():
        has_branches = name == "reference" and any(
            map(_has_branches, form_functions(readable_function(form)))
        )
        traces[name] = trace(form, draws if has_branches else few, primitives)
    return traces


def findings(record: Record, traces: dict[str, CodeTrace]) -> list[str]:
    """Return findings on unnamed code that oracle and forms share, and on code that never runs."""
    implementing = [
        NamedCode(name, value) for name, value in zip(record.implemented_by, record.implements, strict=True)
    ]
    primitives = [NamedCode(name, resolve(name)) for name in record.primitives]
    return [
        *_primitive_findings(record, primitives, implementing, traces),
        *_shared_code_findings(record, primitives, implementing, traces),
        *_implementation_findings(record, implementing, traces),
        *_unmutable_code_findings(record, traces),
        *_escape_findings(traces),
        *_precomputed_findings(record, primitives, implementing),
        *_wrong_print_findings(record, traces["reference"]),
        *_copy_findings(record),
    ]


def _reaches(primitive: Any, tested: Any) -> bool:
    """Return True if a primitive names the function under test or its formula, directly or indirectly.

    The formula of a function that checks its arguments is the one of the same name that it calls.
    """
    code = unwrap_function(tested)
    start = unwrap_function(primitive)
    if code is None or start is None:
        return False
    formulas = {each for each in _named_functions(code) if each.__name__ == code.__name__} | {code}
    visited: set[FunctionType] = set()
    pending = [start]
    while pending:
        current = pending.pop()
        if current in formulas:
            return True
        if current not in visited:
            visited.add(current)
            pending += _named_functions(current)
    return False


@cache
def _named_functions(function: FunctionType) -> tuple[FunctionType, ...]:
    """Return the functions that a function names, those of the package only."""
    if code_owner(function.__module__) == "elsewhere":
        return ()
    return tuple(filter(None, map(unwrap_function, referenced_objects(function))))


def _primitive_findings(
    record: Record, primitives: list[NamedCode], implementing: list[NamedCode], traces: dict[str, CodeTrace]
) -> list[str]:
    """Return findings on primitives that are too broad, under test, or unused."""
    findings = []
    reference = traces["reference"]
    own = {form.__code__ for form in map(readable_function, record_forms(record).values())}
    for primitive in primitives:
        if primitive.name in TOO_BROAD or any(part.startswith("_") for part in primitive.name.split(".")):
            findings.append(
                f"oracle: primitive {primitive.name} must be one public function, class or module"
            )
        elif primitive.codes & own:
            findings.append(f"oracle: primitive {primitive.name} is one of the record's forms")
        elif any(primitive.value is other.value for other in implementing):
            findings.append(f"oracle: primitive {primitive.name} is the function under test")
        elif shared := next((each for each in implementing if _reaches(primitive.value, each.value)), None):
            findings.append(f"oracle: primitive {primitive.name} runs {shared.name}, the function under test")
        elif not reference.enters(primitive):
            findings.append(f"oracle: primitive {primitive.name} is never entered by the reference")
        elif primitive.name in (reference.returned_primitives or ()) and any(
            trace.enters(primitive) for name, trace in traces.items() if name != "reference"
        ):
            findings.append(f"oracle: the reference only returns the result of primitive {primitive.name}")
    return findings


def _shared_code_findings(
    record: Record, primitives: list[NamedCode], implementing: list[NamedCode], traces: dict[str, CodeTrace]
) -> list[str]:
    """Return findings on code that the reference shares with a form."""
    reference = traces["reference"]
    findings = [
        f"oracle: the reference reaches {target.name}, which is under test"
        for target in implementing
        if _enters_beyond_constructors(reference, target)
    ]
    form_code = {name: dict(watched.all_code()) for name, watched in traces.items() if name != "reference"}
    shared: dict[str, list[str]] = {}
    for code, module in reference.entered_code.items():
        if module.startswith(ALWAYS_SHARED) or _is_dataclass_constructor(
            code.co_name, code.co_filename, module
        ):
            continue
        if any(primitive.contains(code, module) for primitive in primitives):
            continue
        # The reference's own code is not shared unless a form calls it.
        users = [name for name, codes in form_code.items() if code in codes]
        if users == ["printed"] and "library" in form_code and module.startswith(SHARED_WITH_PRINT):
            continue
        if users:
            shared.setdefault(display_name(code, module), users)
    findings += [
        f"oracle: the reference and the {' and the '.join(users)} form enter {name}, which is not a primitive"
        for name, users in shared.items()
    ]
    return findings


def _enters_beyond_constructors(form_trace: CodeTrace, target: NamedCode) -> bool:
    if target.module is None and not target.codes:
        return form_trace.enters(target)
    return any(
        target.contains(code, module)
        and not _is_dataclass_constructor(code.co_name, code.co_filename, module)
        for code, module in form_trace.all_code()
    ) or bool(target.codes & form_trace.foreign_code)


def _is_dataclass_constructor(function: str, file: str, module: str) -> bool:
    """Return True if code only builds a value of one of the library's data classes."""
    return module.startswith("rbnotes.") and (
        function == "__post_init__" or (function == "__init__" and file == "<string>")
    )


def _implementation_findings(
    record: Record, implementing: list[NamedCode], traces: dict[str, CodeTrace]
) -> list[str]:
    user = "library" if record.library is not None else "printed"
    return [
        f"library: {target.name} is never entered by the {user} form"
        for target in implementing
        if user in traces and not traces[user].enters(target)
    ]


def _unmutable_code_findings(record: Record, traces: dict[str, CodeTrace]) -> list[str]:
    """Return findings on code of the claim that the printed form calls and mutation cannot change.

    These are methods and lambdas.
    """
    if record.printed is None:
        return []
    mutable_functions = {
        (part.__code__.co_filename, part.__qualname__)
        for part in form_functions(readable_function(record.printed))
    }
    outermost_names = set()
    for code, module in traces["printed"].entered_code.items():
        if code_owner(module) == "claim" and not _is_dataclass_constructor(
            code.co_name, code.co_filename, "rbnotes."
        ):
            outermost = code.co_qualname.split(".<locals>")[0]
            names = {code.co_qualname, *_enclosing_names(code.co_qualname)}
            if not any((code.co_filename, name) in mutable_functions for name in names):
                outermost_names.add(outermost)
    return [f"form: {name} of the printed form is not a function of its module" for name in outermost_names]


def _escape_findings(traces: dict[str, CodeTrace]) -> list[str]:
    """Return a finding for each call whose code is not traced: threads, processes, compiled strings."""
    return [
        f"form: the {name} form calls {escape}, behind which nothing is watched"
        for name, watched in traces.items()
        for escape in sorted(watched.escapes)
    ]


def _precomputed_findings(
    record: Record, primitives: list[NamedCode], implementing: list[NamedCode]
) -> list[str]:
    """Return findings on constants of the oracle's modules that functions under test computed at import."""
    if record.reference is None:
        return []
    form_functions_by_name = {
        name: form_functions(readable_function(form))
        for name, form in record_forms(record).items()
        if name != "reference"
    }
    allowed = {code for primitive in primitives for code in primitive.codes}
    findings = []
    for part in form_functions(readable_function(record.reference)):
        for constant, made_of in constant_dependencies(part).items():
            used = {value for value in made_of if isinstance(value, FunctionType)}
            names = [target.name for target in implementing if any(target.value is value for value in used)]
            names += [
                value.__name__
                for value in used
                if value.__code__ not in allowed
                and any(value in parts for parts in form_functions_by_name.values())
            ]
            findings += [
                f"oracle: {constant} of the reference was made by {name}" for name in sorted(set(names))
            ]
    return findings


def _wrong_print_findings(record: Record, reference: CodeTrace) -> Iterator[str]:
    """Yield findings on printed forms that the oracle uses although other records call them wrong."""
    others = [
        value for module in loaded_modules() for value in vars(module).values() if isinstance(value, Record)
    ]
    for other in dict.fromkeys(other.id for other in others if _runs_wrong_print(record, other, reference)):
        yield f"oracle: the reference runs the printed form of {other}, which is wrong"


def _runs_wrong_print(record: Record, other: Record, reference: CodeTrace) -> bool:
    printed = other.printed
    return (
        other.id != record.id
        and other.verdict in NEEDS_CORRECTION
        and isinstance(printed, FunctionType)
        and printed.__code__ in reference.entered_code
    )


def _enclosing_names(qualname: str) -> Iterator[str]:
    """Yield the qualified names of the functions that enclose a local one."""
    parts = qualname.split(".<locals>.")
    for count in range(1, len(parts)):
        yield ".<locals>.".join(parts[:count])


def _copy_findings(record: Record) -> list[str]:
    """Return findings on forms that are equal after normalization."""
    if record.reference is None:
        return []
    reference = normal_form(readable_function(record.reference))
    findings = [
        f"oracle: the reference is the {name} form written again"
        for name, form in record_forms(record).items()
        if name != "reference"
        and (form is record.reference or normal_form(readable_function(form)) == reference)
    ]
    if record.printed is not None and record.library is not None:
        printed, library = readable_function(record.printed), readable_function(record.library)
        if printed is library or normal_form(printed) == normal_form(library):
            findings.append("form: the printed form is the library form written again")
    return findings


def _has_branches(function: FunctionType) -> bool:
    choices = ast.If | ast.IfExp | ast.BoolOp | ast.While
    return any(isinstance(node, choices) for node in ast.walk(function_ast(function)))


def exact_agreement_findings(
    record: Record, expected: Sequence[Array], reproduces: Callable[[Function], bool]
) -> list[str]:
    """Return findings on forms that agree with the oracle to the last bit although rounding should differ."""
    if record.exact or not record.inputs:
        return []
    findings = []
    whole = all(np.all(values == np.round(values)) for values in expected)
    constant = all(np.array_equal(values, expected[0]) for values in expected)
    if constant:
        return ["oracle: the reference is the same on all inputs (if it should be: `exact`)"]
    if whole:
        return []
    for name, form in record_forms(record).items():
        if name != "reference" and reproduces(form):
            findings.append(
                f"oracle: reference and {name} form agree to the last bit on all inputs (why: `exact`)"
            )
    return findings
