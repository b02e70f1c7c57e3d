"""Static checks: the forms of a record exist, and its exceptions have reasons."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from types import FunctionType

from rbnotes.ledger.checks.claim_code import (
    UnreadableFunction,
    called_name,
    form_functions,
    function_ast,
    readable_function,
    record_forms,
)
from rbnotes.ledger.checks.honesty import definitions
from rbnotes.ledger.evaluation import SIGNIFICANT_RESIDUAL
from rbnotes.ledger.record import NEEDS_CORRECTION, Record, Verdict

MAX_TOLERANCE_WITHOUT_REASON = 1e-8
"""Largest tolerance that needs no reason."""
MAX_TOLERANCE = SIGNIFICANT_RESIDUAL / 10
"""Largest tolerance; larger ones hide counterexamples."""
MIN_REASON_LENGTH = 12
"""Smallest number of letters of a reason."""
MUTATING_METHODS = (
    "append",
    "extend",
    "update",
    "setdefault",
    "pop",
    "clear",
    "insert",
    "add",
    "fill",
    "sort",
    "put",
)
REFLECTION_NAMES = (
    "sys",
    "inspect",
    "globals",
    "locals",
    "vars",
    "getattr",
    "eval",
    "exec",
    "__import__",
    "__file__",
    "__name__",
    "gc",
    "random",
)
LITERAL_CALLS = ("array", "asarray", "float", "complex", "radians", "deg2rad", "eye")


def findings(record: Record) -> list[str]:
    """Return findings on a record's texts and on the source of its forms."""
    problems = [*_reason_findings(record), *_form_findings(record), *_tolerance_findings(record)]
    if record.verdict is Verdict.DEFINITION:
        problems += _definition_findings(record)
    if record.verdict is Verdict.DEMONSTRATION:
        problems += _demonstration_findings(record)
    return [*problems, *_source_findings(record)]


def _reason_findings(record: Record) -> Iterator[str]:
    """Yield findings on missing or short reasons."""
    reasons = {
        "tolerance_reason": record.tolerance_reason,
        "exact": record.exact,
        "undefined": record.undefined,
        **{f"special[{key!r}]": text for key, text in record.special.items()},
    }
    for name, text in reasons.items():
        if (text or "[" in name) and len(text.strip()) < MIN_REASON_LENGTH:
            yield f"form: {name} gives no reason"
    yield from (
        f"inputs: {name} in `special` is not an input" for name in record.special if name not in record.inputs
    )


def _form_findings(record: Record) -> Iterator[str]:
    """Yield findings on forms that the verdict requires."""
    kind = record.id.rsplit("/", 1)[1]
    if re.match(r"(e|d|alg)\d", kind) and not record.formula.strip():
        yield "form: a display has a `formula`"
    if record.verdict in NEEDS_CORRECTION and record.printed is None:
        yield f"form: verdict {record.verdict} needs the printed form"
    if record.verdict in (Verdict.HOLDS, Verdict.CONDITIONAL) and not record.inputs and not record.exact:
        yield f"form: verdict {record.verdict} needs inputs (or why there are none: `exact`)"
    if record.verdict is Verdict.CONDITIONAL and record.holds_when is None:
        yield "condition: a conditional claim needs its condition as a predicate, `holds_when`"


def _tolerance_findings(record: Record) -> Iterator[str]:
    """Yield findings on tolerances that are too large or lack a reason."""
    if record.tolerance < 0 or record.tolerance != record.tolerance:
        yield f"tolerance: {record.tolerance} is not a tolerance"
    if record.verdict is Verdict.DEMONSTRATION:
        return  # checked to the last printed digit
    if record.tolerance > MAX_TOLERANCE:
        yield f"tolerance: {record.tolerance:g} is above {MAX_TOLERANCE:g}"
    elif record.tolerance > MAX_TOLERANCE_WITHOUT_REASON and not record.tolerance_reason:
        limit = MAX_TOLERANCE_WITHOUT_REASON
        yield f"tolerance: {record.tolerance:g} is above {limit:g} (why: `tolerance_reason`)"


def _definition_findings(record: Record) -> Iterator[str]:
    if record.library is not None and record.printed is None:
        yield "form: a definition with a library form also needs the printed form, its right side"
    if record.condition_inputs is not None or record.condition:
        yield "form: a definition has no condition"
    yield from definitions.findings(record.formula, record.defines, checked=record.printed is not None)
    sentence = definitions.SENTENCE.search(record.title)
    if not record.formula.strip() and sentence and sentence[0] not in ("has", "have"):
        yield f"form: `{sentence[0]}` makes a sentence of the title, which is a claim"
    if record.printed is None and (noun := definitions.NOUN.search(record.title)):
        yield f"form: `{noun[0]}` of the title is a property, which is a claim"
    if record.printed is None and (verb := definitions.VERB.search(record.title)):
        yield f"form: `{verb[0]}` makes a sentence of the title, which is a claim"


# --- the source of the forms ----------------------------------------------------------------------------


def _demonstration_findings(record: Record) -> Iterator[str]:
    """Yield findings on demonstrations that have inputs or compute their printed numbers."""
    if record.inputs:
        yield "form: a demonstration shows printed numbers and has no inputs"
    if record.printed is None:
        return
    try:
        parts = form_functions(readable_function(record.printed, "printed"))
    except UnreadableFunction:
        return
    for part in parts:
        for node in ast.walk(function_ast(part)):
            callee = part.__code__ and isinstance(node, ast.Call) and ast.unparse(node.func)
            if callee and callee.split(".")[-1] not in (*LITERAL_CALLS, *(other.__name__ for other in parts)):
                yield f"form: the printed form of a demonstration is literal numbers, but it calls {callee}"


def _source_findings(record: Record) -> Iterator[str]:
    """Yield findings on the sources of the forms: unused arguments, state, reflection."""
    for name, form in record_forms(record).items():
        try:
            function = readable_function(form, name)
        except UnreadableFunction as error:
            yield f"form: {error}"
            continue
        if (
            record.inputs
            and not _reads_an_argument(function_ast(function))
            and not (record.exact and name == "reference")
        ):
            yield f"form: {name} reads none of its arguments"
        if name == "reference" and not record.inputs and not any(map(_computes, form_functions(function))):
            yield "form: the reference is literal numbers, and computes nothing"
        for part in form_functions(function):
            try:
                source = function_ast(part)
            except UnreadableFunction as error:
                yield f"form: {error}"
                continue
            if _keeps_state(source):
                yield f"state: {part.__name__} of {name} changes what outlives its call"
            if any(isinstance(node, ast.Try | ast.TryStar | ast.Match) for node in ast.walk(source)):
                yield f"form: {part.__name__} of {name} branches by try or match, which are not counted"
            if any(map(_uses_reflection, ast.walk(source))):
                yield f"form: {part.__name__} of {name} looks at itself or its callers"
            if (
                name == "printed"
                and record.verdict in NEEDS_CORRECTION
                and _raises_or_returns_nonfinite(source)
            ):
                yield f"form: {part.__name__} of the printed form raises or returns nan or inf by itself"


def _computes(function: FunctionType) -> bool:
    """Return True if a function does more than list numbers."""
    for node in ast.walk(function_ast(function)):
        if isinstance(node, ast.BinOp | ast.Compare | ast.Subscript):
            return True
        if isinstance(node, ast.Call) and called_name(node.func) not in LITERAL_CALLS:
            return True
    return False


def _uses_reflection(node: ast.AST) -> bool:
    match node:
        case ast.Name(name):
            return name in REFLECTION_NAMES
        case ast.Attribute(_, name):
            return name.startswith("__") and name.endswith("__")
    return False


def _reads_an_argument(source: ast.FunctionDef) -> bool:
    arguments = {argument.arg for argument in ast.walk(source.args) if isinstance(argument, ast.arg)}
    return any(isinstance(node, ast.Name) and node.id in arguments for node in ast.walk(source))


def _raises_or_returns_nonfinite(source: ast.FunctionDef) -> bool:
    """Return True if a function contains a raise statement, NaN or infinity."""
    for node in ast.walk(source):
        if isinstance(node, ast.Raise):
            return True
        if isinstance(node, ast.Attribute | ast.Name) and (
            getattr(node, "attr", getattr(node, "id", "")) in ("nan", "NaN", "inf", "Inf", "infty")
        ):
            return True
        if isinstance(node, ast.Constant) and str(node.value).lower() in ("nan", "inf", "-inf"):
            return True
    return False


def _keeps_state(source: ast.FunctionDef) -> bool:
    """Return True if a function writes to globals, to parts of other objects, or to defaults."""
    own = {node.arg for node in ast.walk(source) if isinstance(node, ast.arg)}
    own |= {
        node.id for node in ast.walk(source) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for node in ast.walk(source):
        if isinstance(node, ast.Global):
            return True
        stored = isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del)
        if stored and (base := _base_name(node)) and base not in own:
            return True
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in MUTATING_METHODS
        ):
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id not in own and owner.id != "np":
                return True
    defaults = [*source.args.defaults, *filter(None, source.args.kw_defaults)]
    return any(isinstance(value, ast.List | ast.Dict | ast.Set | ast.Call) for value in defaults)


def _base_name(node: ast.AST) -> str:
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
