"""Check that results are compared completely; sorting them or comparing only norms hides differences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.checks.claim_code import readable_function
from rbnotes.ledger.checks.honesty.normal_form import normal_form
from rbnotes.ledger.record import Function, Record

SIZE_PATTERN = r"\||\\[lr]?[vV]ert|\\norm|\\abs|length|magnitude|size|distance"
SQUARE = "a product with itself"
LOSSY_FUNCTIONS = {
    **dict.fromkeys(("sort", "sorted"), r"\\lambda|eigenv|\\sigma|root|sort|order"),
    **dict.fromkeys(("abs", "absolute", "norm", "fabs", "hypot"), SIZE_PATTERN),
    **dict.fromkeys(("det", "slogdet"), "det"),
    **dict.fromkeys(
        ("eigvals", "eigvalsh", "svd", "svdvals", "matrix_rank"), r"\\lambda|eigenv|\\sigma|singular|rank"
    ),
    # The largest violation of inequalities is all that they state.
    **dict.fromkeys(("max", "amax", "min", "amin"), r"max|min|largest|smallest|\\[gl]eq?(?![a-zA-Z])"),
    "ptp": "range|spread",
    "poly": "characteristic|polynomial",
    **dict.fromkeys(("prod", "multiply"), r"\\prod|product"),
    **dict.fromkeys(("round", "rint", "floor", "ceil", "sign"), r"round|floor|ceil|sign|lfloor|lceil"),
    **dict.fromkeys(
        ("mean", "median", "average", "std", "var", "cond"), "mean|median|average|variance|condition"
    ),
    "sum": r"\\sum|sum|total",
    "trace": r"tr",
    **dict.fromkeys(("diag", "diagonal"), "diag"),
    SQUARE: rf"{SIZE_PATTERN}|\^\{{?2|square|energy",
}
"""Operations that keep only a part of the numbers, with the patterns that request them in formula or text."""
SIZES = tuple(name for name, pattern in LOSSY_FUNCTIONS.items() if pattern.startswith(SIZE_PATTERN))
"""Operations that keep sizes only; a norm may be compared with the root of a square."""
CALL = re.compile(r"Call\((?:[\w.]+\.)?(\w+)[,)]")
WRAPPERS = re.compile(r"Call\((?:[\w.]+\.)?(?:sqrt|atleast_1d|array|float), (?P<argument>.*)\)")
FACTOR = re.compile(r"\(-?[\d.]+\*(?P<argument>Call\(.*\))\)")
"""A constant factor of a call."""
ROUNDING_ERROR = 1e-13
MIN_VISIBLE_RATIO = 1e3
"""Ratio to the tolerance that an entry must exceed on some input to count as compared."""


def _last_operation(form: Function) -> str:
    """Return the name of the function whose result a form returns, or :data:`SQUARE`."""
    text = normal_form(readable_function(form)).split("\n")[-1].removeprefix("return ")
    while wrapped := WRAPPERS.fullmatch(text) or FACTOR.fullmatch(text):
        text = wrapped["argument"]
    if text.endswith("**2.0)") or (text.startswith("Call(np.power, ") and text.endswith(", 2.0)")):
        return SQUARE
    if match := CALL.match(text):
        operands = _split(text[len("Call(") : -1], ", ")
        is_square = match[1] in ("einsum", "inner", "vdot", "tensordot") and operands[-1] == operands[-2]
        return SQUARE if is_square else match[1]
    factors = _split(text[1:-1], "@") if text[:1] == "(" else []
    half = len(factors) // 2
    if not factors:
        return ""
    is_square = factors[:half] == factors[half:] or factors[-1] == f"({'@'.join(factors[:-1])}).T"
    return SQUARE if is_square else ""


def _split(text: str, separator: str) -> list[str]:
    """Return the parts of a text between separators outside of brackets."""
    parts, depth = [""], 0
    for place, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if depth == 0 and text.startswith(separator, place):
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def findings(
    record: Record, expected: Sequence[Array], printed_results: Sequence[Array | None]
) -> Iterator[str]:
    """Yield findings on forms that compare only a part of their results, and on too small entries."""
    if record.printed is None or record.reference is None or not record.inputs:
        return
    names = [_last_operation(form) for form in (record.printed, record.reference)]
    are_alike = names[0] == names[1] or all(name in SIZES for name in names)
    if are_alike and names[0] in LOSSY_FUNCTIONS:
        text = record.formula + record.title
        is_requested = any(re.search(LOSSY_FUNCTIONS[name], text) for name in names)
        if not is_requested and not (names[0] == "diag" and expected[0].ndim == 2):
            through = " and ".join(dict.fromkeys(names))
            yield f"form: print and reference are compared through {through}, which is not in the formula"
    results = [*expected, *(each for each in printed_results if each is not None)]
    if len({each.shape for each in results}) == 1 and len(results) == 2 * len(expected):
        reference_sizes, printed_sizes = (
            np.max(np.abs(part), axis=0) for part in (expected, results[len(expected) :])
        )
        least = ROUNDING_ERROR * max(1.0, np.max(reference_sizes, initial=0.0))
        # An entry that is zero up to rounding is so in one of them, or has at most this size in both.
        tiny = (
            (reference_sizes > least)
            & (printed_sizes > least)
            & (reference_sizes < MIN_VISIBLE_RATIO * record.tolerance)
        )
        if np.any(tiny):
            yield f"zero: an entry of the results is never above {np.max(reference_sizes[tiny]):.1g}"
