"""The written pages of errata: each correction once, with its inputs; and the index of the book."""

import ast
import html
import re
from pathlib import Path

import numpy as np
import pytest
from docutils.nodes import make_id
from rbnotes_book.claims import anchor

from rbnotes import ledger
from rbnotes.ledger import errata
from rbnotes.ledger.errata_pdf import errata_pages
from rbnotes.ledger.record import NEEDS_CORRECTION

PAGES = Path(__file__).parents[2] / "_build" / "html"
ENTRY = re.compile(r'<div class="claim-entry docutils container" id="errata-([^"]+)">')
NUMBER = re.compile(r"-?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf|nan)")
MIN_RELATIVE_ERROR = 0.1
"""Share of the right value by which what is shown is wrong, at least: nobody calls that rounding."""
ROUNDED = 1e-5
"""Relative tolerance of the digits shown."""


def entries():
    """Return the text of each correction and condition by the anchor of its claim."""
    pages = PAGES / "book"
    for page in sorted([*(pages / "generated").glob("errata-*.html"), *pages.glob("conditions-*.html")]):
        _, *parts = ENTRY.split(page.read_text(encoding="utf-8"))
        yield from zip(parts[::2], parts[1::2], strict=True)


def result_text(text, heading):
    """Return the plain text of an entry under a heading; empty if there is none."""
    match = re.search(
        rf"{heading}(?:(?!Printed gives|Right gives|More).)*?<(code|pre)[^>]*>(.*?)</\1>", text, re.S
    )
    return html.unescape(re.sub(r"<[^>]*>", "", match[2])) if match else ""


def relative_error(printed, right):
    """Return the largest relative error of the entries of a result.

    A right entry of zero is replaced by the largest one. Without a number, or with another shape, the error
    is infinite.
    """
    entries = [NUMBER.findall(text.partition(" in entry")[0]) for text in (printed, right)]
    if len(entries[0]) != len(entries[1]) or any(
        text.startswith(("no number", "an array")) for text in (printed, right)
    ):
        return np.inf
    printed_numbers, expected = (np.array(numbers, dtype=float) for numbers in entries)
    size = np.where(expected, np.abs(expected), np.max(np.abs(expected)))
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(
            np.max(np.where(printed_numbers == expected, 0.0, np.abs(printed_numbers - expected) / size))
        )


def dense(text):
    """Return the arrays of an entry's inputs that take several lines."""
    for matches in re.findall(r"= (\[\[.*?\]\])", text, re.S):
        yield np.array(ast.literal_eval(matches))


def is_plain(matrix):
    """Return True if a matrix is zero, diagonal or a translation, which are shown by name."""
    rows, columns = matrix.shape
    if not np.any(matrix):
        return True
    if rows != columns:
        return False
    straight = matrix.copy()
    if rows == 4:
        straight[:3, 3] = 0
    return bool(np.array_equal(straight, np.diag(np.diagonal(straight))))


def test_each_correction_appears_once_with_its_inputs():
    entries = []
    for page in sorted((PAGES / "book" / "generated").glob("errata-*.html")):
        _, *parts = ENTRY.split(page.read_text(encoding="utf-8"))
        entries += list(zip(parts[::2], parts[1::2], strict=True))
    records = {anchor(record.id): record for record in ledger.load() if record.verdict in NEEDS_CORRECTION}
    assert sorted(name for name, _ in entries) == sorted(records)
    without = {name for name, text in entries if "which take no input" in text}
    assert without == {name for name, record in records.items() if not record.inputs}
    assert [name for name, text in entries if "Printed gives" not in text or "Right gives" not in text] == []


def test_index_contains_the_names_of_the_reference():
    index = (PAGES / "genindex.html").read_text(encoding="utf-8")
    for name in ("rbnotes.so3.exp", "rbnotes.ledger.find", "rbnotes.forces.Muscle"):
        assert f'.html#{name}"' in index, name


@pytest.mark.parametrize(
    ("printed", "right", "expected"),
    [
        ("1.25", "1", 0.25),
        ("(1, 2.04)", "(1, 2)", 0.02),
        ("(100, 0.5)", "(100, -0.5)", 2.0),
        ("(4, 1)", "(4, 0)", 0.25),
        ("3 in entry 1, 2 of 6 x 6", "4 in entry 1, 2 of 6 x 6", 0.25),
        ("no number", "3", np.inf),
        ("an array of the shape (3,)", "an array of the shape ()", np.inf),
    ],
)
def test_relative_error_is_parsed_from_the_page(printed, right, expected):
    assert relative_error(printed, right) == pytest.approx(expected)


def test_printed_forms_are_wrong_by_more_than_rounding():
    errors = {
        name: relative_error(result_text(text, "Printed gives"), result_text(text, "Right gives"))
        for name, text in entries()
    }
    corrected = [record for record in ledger.load() if record.verdict in NEEDS_CORRECTION]
    assert len(errors) > len(corrected)  # and conditions
    assert {name: error for name, error in errors.items() if error < MIN_RELATIVE_ERROR - ROUNDED} == {}


def test_counterexample_inputs_are_compact():
    dumps = [
        name
        for name, text in entries()
        for matrix in dense(result_text(text, "Wrong on"))
        if is_plain(matrix)
    ]
    assert dumps == []


@pytest.mark.parametrize("source", ["lloyd", "sueda", "si"])
def test_the_pdf_of_the_errata_has_all_pages_with_corrections(source):
    """Together the pages hold each correction, which the summary alone does not."""
    pages = errata_pages(source, PAGES / "book")
    entries = [id for page in pages for id in ENTRY.findall(page.read_text(encoding="utf-8"))]
    corrected = [*errata.corrections(source), *errata.conditions(source)]
    assert len(entries) == len(set(entries)) == len(corrected)


def test_the_pages_contain_the_whole_replacement_of_each_correction():
    shown = {name: " ".join(html.unescape(re.sub("<[^>]*>", "", text)).split()) for name, text in entries()}
    missing = [
        record.id
        for record in ledger.load()
        if record.verdict in NEEDS_CORRECTION
        and errata.earlier_correction(record) is None
        and " ".join(record.replacement.split()) not in shown[anchor(record.id)]
    ]
    assert missing == []


@pytest.mark.parametrize("source", ["lloyd", "sueda", "si"])
def test_the_summary_states_the_effects_of_root_causes(source):
    page = (PAGES / "book" / f"errata-{source}.html").read_text(encoding="utf-8")
    text = " ".join(html.unescape(re.sub("<[^>]*>", "", page)).split())
    errors = [r for r in errata.corrections(source) if errata.section_of_errata(r) == "Errors"]
    effects = [cause.effect for cause in errata.root_causes(errors) if "$" not in cause.effect]
    assert [effect for effect in effects if effect.replace("'", "’") not in text.replace("'", "’")] == []


@pytest.mark.parametrize("source", ["lloyd", "sueda", "si"])
def test_root_causes_show_the_print_unless_it_is_long(source):
    page = (PAGES / "book" / f"errata-{source}.html").read_text(encoding="utf-8")
    section = page.partition(f'id="{source}-root-causes">')[2].partition("<section ")[0]
    causes = [
        cause
        for cause in errata.root_causes(errata.corrections(source))
        if f'id="{make_id(cause.title)}"' in section
    ]
    formulas = [cause.records[0].formula for cause in causes]
    shown = [formula for formula in formulas if len(formula) <= errata.MAX_PRINTED_LENGTH]
    assert shown
    assert len(re.findall(r">Printed(?:, first place)?<", section)) == len(shown)
