"""Check the digits of numbers in outputs, the width of rows of numbers, and that no objects are shown.

A fault is a number of more than ``MAX_SIGNIFICANT_DIGITS`` significant digits, an entry of an array that is a
rounding error relative to the others, a row of numbers that does not fit a phone, or the description of an
object, such as the legend of a plot. Inputs that ``rbnotes.challenge`` found may have any digits, because
running them again requires all of them. A cell whose numbers need more digits states the reason in its
metadata: ``digits: both sides, to the last bit``. Zeros have no sign on the pages, because the sign depends
on the processor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from nbformat import NotebookNode

MAX_SIGNIFICANT_DIGITS = 8
"""Largest number of significant digits of a printed number."""
MIN_ENTRY_RATIO = 1e-11
"""Smallest ratio of an entry of an array to the largest one at which it is not a rounding error."""
PHONE_COLUMNS = 72
"""Width of outputs on a phone, in the smallest letters of ``book.css``."""
MIN_ROW_LENGTH = 5
"""Smallest number of numbers in a row that cannot be wrapped."""

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.\d*|\.\d+|\d+(?=e[-+]))(?:e[-+]?\d+)?(?!\w)")
MINUS_ZERO = re.compile(r"(?<![\w.)\]-])-(0(?:\.0*)?(?:e[-+]?0+)?)(?![\w.])")
INPUTS = re.compile(r"for example on.*?(?=\n +(?:got|expected)\b|\n\S|\Z)", re.DOTALL)
OBJECT = re.compile(r"<[\w.]+(?: object)? at 0x[0-9a-f]+>|^Text\(.*\)$", re.MULTILINE)
KEEPS_WIDTH = re.compile(r"[\[\]]|  $|^ ?$")


def faults(cell: NotebookNode) -> list[str]:
    """Return the faults of the numbers that a code cell printed."""
    if str(cell.metadata.get("digits", "")).strip():
        return []
    messages = []
    for whole in texts(cell):
        messages += [
            f"a row of numbers has {len(line)} columns, more than {PHONE_COLUMNS}"
            for line in whole.splitlines()
            if len(line) > PHONE_COLUMNS and len(NUMBER.findall(line)) >= MIN_ROW_LENGTH
        ]
        text = INPUTS.sub("", whole)
        messages += [f"{each} is an object: end the cell with a semicolon" for each in OBJECT.findall(text)]
        for number in NUMBER.findall(text):
            if count_significant_digits(number) > MAX_SIGNIFICANT_DIGITS:
                messages.append(f"{number} has more than {MAX_SIGNIFICANT_DIGITS} significant digits")
        for array in arrays(text):
            values = {number: abs(float(number)) for number in NUMBER.findall(array)}
            largest = max(values.values(), default=0.0)
            messages += [
                f"{number} is rounding beside {largest:g} in an array"
                for number, value in values.items()
                if 0 < value < MIN_ENTRY_RATIO * largest
            ]
    return messages


def texts(cell: NotebookNode) -> Iterator[str]:
    """Yield the text that a cell printed, and the values that a page shows as plain text."""
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if text := output.get("text") or (len(data) == 1 and data.get("text/plain")):
            yield text


def count_significant_digits(number: str) -> int:
    """Return the number of significant digits."""
    return len(re.sub(r"e.*|[-+.]", "", number).lstrip("0"))


def arrays(text: str) -> Iterator[str]:
    """Yield the outermost pairs of square brackets."""
    depth = start = 0
    for index, letter in enumerate(text):
        if letter == "[":
            start = index if depth == 0 else start
            depth += 1
        elif letter == "]" and depth:
            depth -= 1
            if depth == 0:
                yield text[start:index]


def without_minus_zeros(text: str) -> str:
    """Return the text with unsigned zeros; columns stay aligned."""

    def zero(match: re.Match[str]) -> str:
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        return (" " if KEEPS_WIDTH.search(before) else "") + match[1]

    return MINUS_ZERO.sub(zero, text)


def drop_signs_of_zeros(cell: NotebookNode) -> None:
    """Apply :func:`without_minus_zeros` to the output of a code cell."""
    for output in cell.get("outputs", []):
        if output.get("text"):
            output["text"] = without_minus_zeros(output["text"])
        elif "text/plain" in output.get("data", {}):
            output["data"]["text/plain"] = without_minus_zeros(output["data"]["text/plain"])
