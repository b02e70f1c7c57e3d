"""Check printed numbers to their last digit, which only the source text shows: 0.70 is not 0.700."""

from __future__ import annotations

import ast
import inspect
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from functools import cache

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.checks.claim_code import form_functions, readable_function
from rbnotes.ledger.evaluation import evaluate, evaluate_reference
from rbnotes.ledger.record import Function, Record, Verdict

MAX_ROUNDING = 0.5
"""Largest error of a printed number, in units of its last digit ..."""
MAX_ROUNDING_WITH_REASON = 10.0
"""... and with a stated reason, as for numbers that were computed from rounded ones."""
ROUNDING_SLACK = 1e-6
MIN_DIGITS = 3
"""Smallest number of significant digits of a number that counts: fewer are parameters."""
MIN_ENCODED_DIGITS = 6
"""Smallest number of digits of a print that its reference could encode."""
MIN_COPIED_DIGITS = 100
"""Smallest printed number, in units of its last digit, that no reference contains by chance."""


def findings(record: Record) -> list[str]:
    """Return findings on printed numbers that are wrong by more than the last digit allows."""
    is_exactly_printed = record.verdict in (Verdict.DEMONSTRATION, Verdict.HOLDS)
    if record.printed is None or record.reference is None or record.inputs or not is_exactly_printed:
        return []
    actual = evaluate(record.printed, {})
    units = last_digit_units(record.printed, actual)
    if units is None:
        missing = record.verdict is Verdict.DEMONSTRATION
        return ["form: the numbers of a demonstration are not written in its printed form"] if missing else []
    printed_count, count = _count_digits(record.printed), _count_digits(record.reference)
    if MIN_ENCODED_DIGITS <= printed_count <= count and not record.tolerance_reason:
        return [
            f"oracle: the reference contains {count} digits, as many as the print (why: `tolerance_reason`)"
        ]
    copied = _copied_numbers(record.reference, actual, units)
    if copied and not record.tolerance_reason:
        return [f"oracle: the reference contains the printed number {copied[0]:g} (why: `tolerance_reason`)"]
    expected = evaluate_reference(record.reference, {})
    if actual.shape != expected.shape:
        return []  # the comparison reports this
    allowed = (
        (MAX_ROUNDING_WITH_REASON if record.tolerance_reason else MAX_ROUNDING) * units
        + ROUNDING_SLACK * units
        + 1e-14
    )
    off = np.abs(actual - expected)
    if np.all(off <= allowed):
        return []
    worst = np.unravel_index(np.argmax(off / allowed), off.shape)
    return [
        f"tolerance: {actual[worst]:g} is printed, {expected[worst]:.8g} is right: off by more than "
        f"{'ten units' if record.tolerance_reason else 'half a unit'} of the last digit"
    ]


def _count_digits(form: Function) -> int:
    """Return the number of significant digits in the numbers and texts of a form, which it could encode."""
    texts = [text for text in _tokens(form, tokenize.STRING) if not text.lstrip("rR").startswith('"""')]
    words = [
        *_tokens(form, tokenize.NUMBER),
        *(word for text in texts for word in re.findall(r"[\w.]+", text)),
    ]
    counts = [len(re.sub(r"\D", "", word.partition("e")[0]).lstrip("0")) for word in words]
    return sum(count for count in counts if count >= MIN_DIGITS)


def _copied_numbers(reference: Function, numbers: Array, units: Array) -> list[float]:
    """Return the printed numbers of at least three digits that the source of a reference contains."""
    sizes = np.abs(numbers)
    known = np.array([*_literal_units(reference)])
    return [
        size
        for size, unit in zip(sizes.flat, units.flat, strict=True)
        if size / unit >= MIN_COPIED_DIGITS and unit < 1 and np.any(np.abs(known - size) <= unit)
    ]


def last_digit_units(printed: Function, numbers: Array) -> Array | None:
    """Return the unit of the last printed digit of each number, or None if their text is not found."""
    units = _literal_units(printed)
    numbers_units = [units.get(abs(float(number))) for number in numbers.ravel()]
    printed_units = [unit for unit in numbers_units if unit is not None]
    if not printed_units:
        return None
    # A computed number, such as a sum, is as exact as the coarsest one.
    return np.array([max(printed_units) if unit is None else unit for unit in numbers_units]).reshape(
        numbers.shape
    )


def _literal_units(printed: Function) -> dict[float, float]:
    """Return the unit in the last digit of each number in the printed form."""
    units: dict[float, float] = {}
    for number in _tokens(printed, tokenize.NUMBER):
        value = abs(complex(number)) if "j" in number else float(ast.literal_eval(number))
        units[value] = max(_last_digit_unit(number), units.get(value, 0.0))
    return units


def _tokens(form: Function, kind: int) -> Iterator[str]:
    """Yield the tokens of a kind in the source of a form, of its helpers and of the constants they name."""
    for part in form_functions(readable_function(form)):
        names = set(part.__code__.co_names)
        texts = [inspect.getsource(part)]
        texts += [text for name, text in _constant_sources(part.__module__).items() if name in names]
        for text in texts:
            for token in tokenize.generate_tokens(io.StringIO(inspect.cleandoc(text)).readline):
                if token.type == kind:
                    yield token.string


@cache
def _constant_sources(module: str) -> dict[str, str]:
    """Return the sources of the constants of a module."""
    text = inspect.getsource(sys.modules[module])
    return {
        target.id: ast.get_source_segment(text, node.value) or ""
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _last_digit_unit(number: str) -> float:
    """Return the unit of the last digit of a number: one for an integer."""
    mantissa, _, exponent = number.lower().replace("_", "").rstrip("j").partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - decimals)
