"""The list for the notes' authors: groups, LaTeX to paste, files for other programs."""

import csv
import io
import re

import numpy as np
import pytest

from rbnotes import ledger
from rbnotes.arguments import InvalidArgument
from rbnotes.cli import main
from rbnotes.ledger import errata, errata_pdf, formatting
from rbnotes.ledger.causes import CAUSES
from rbnotes.ledger.lookup import place_in_notes
from rbnotes.ledger.record import NEEDS_CORRECTION, WRONG_AS_PRINTED
from rbnotes.ledger.sources import active_ledger

SOURCES = [source.name for source in active_ledger().sources]
WRONG = [record for record in ledger.load() if record.verdict in NEEDS_CORRECTION]


def test_errors_come_before_misprints_and_conditions_are_apart():
    for source in SOURCES:
        verdicts = [str(record.verdict) for record in errata.corrections(source)]
        assert verdicts == sorted(verdicts)  # erratum, misprint
        assert {str(record.verdict) for record in errata.conditions(source)} == {"conditional"}


def test_each_entry_has_a_label_of_its_own():
    for source in SOURCES:
        entries = [*errata.corrections(source), *errata.conditions(source)]
        assert len({place_in_notes(record) for record in entries}) == len(entries)


def test_names_in_the_references_are_corrected(capsys):
    assert main(["errata", "--source", "si", "--section", "4"]) == 0
    assert "Sherman and Rosenthal [SR94]" in " ".join(capsys.readouterr().out.split())


def test_a_root_cause_explains_several_corrections_of_one_source_and_each_has_one_at_most():
    explained = [id for cause in CAUSES for id in cause.ids]
    assert len(explained) == len(set(explained))
    assert set(explained) <= {record.id for record in WRONG}
    for cause in CAUSES:
        assert len(cause.ids) > 1
        assert len({id.split("/")[0] for id in cause.ids}) == 1
    assert sum(len(errata.shared_causes(source)) for source in SOURCES) == len(CAUSES)


ELLIPSIS = re.compile(r"\\[clvd]?dots\b")


@pytest.mark.parametrize("record", WRONG, ids=lambda record: record.id)
def test_every_correction_has_latex_of_the_whole_right_form(record):
    tex = record.replacement
    assert tex not in ("", record.formula)
    # A display is a formula, prose is words with formulas between dollars; KaTeX reads both in tests/book.
    assert tex.count("$") % 2 == 0
    assert record.is_prose or "$" not in tex
    # Nothing is left out that is printed; and TeX takes a bracket at the start of a row for a distance.
    assert len(ELLIPSIS.findall(tex)) <= len(ELLIPSIS.findall(record.formula))
    assert r"\[" not in tex


def test_only_a_correction_has_a_replacement():
    assert [record.id for record in ledger.load() if record.replacement and record not in WRONG] == []


def test_markdown_has_summary_causes_entries_and_latex(capsys):
    assert main(["errata", "--source", "sueda", "--section", "1.9.5", "--format", "md"]) == 0
    text = capsys.readouterr().out
    places = [text.index(part) for part in ("### Root causes", "| (S 1.62) |", "### Errors", "### Misprints")]
    assert places == sorted(places)
    assert "```latex\nK_{k2} = -\\frac{1}" in text


def test_a_display_with_two_slips_is_replaced_once(capsys):
    first, second = ledger.find("lloyd/s0.10/d2#c"), ledger.find("lloyd/s0.10/d2#d")
    assert first.replacement == second.replacement != ""
    assert errata.earlier_correction(second) is first
    assert errata.earlier_correction(first) is None
    assert errata.earlier_correction(ledger.find("lloyd/s0.10/e0.5#b")) is None
    assert main(["errata", "--source", "lloyd", "--section", "0.10", "--format", "md"]) == 0
    text = capsys.readouterr().out
    assert text.count("\\boldsymbol\\xi \\end{pmatrix}\n+") == 1
    assert "the one given at Lloyd 0.10, display 2, part c, `lloyd/s0.10/d2#c`" in text


def test_the_table_has_a_row_for_each_correction(capsys):
    assert main(["errata", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    causes = [row for row in rows if row["verdict"] == "root cause"]
    assert len(rows) - len(causes) == sum(record.verdict in WRONG_AS_PRINTED for record in ledger.load())
    row = next(row for row in rows if row["id"] == "sueda/s1.9.5/e1.62")
    assert row["cause"] == "The sign of stiffness and damping"
    assert row["latex"].startswith(r"K_{k2} = -\frac")
    assert row["units"] == ""
    row = next(row for row in rows if row["id"] == "lloyd/s0.9.3/d4")
    assert row["units"] == ledger.find(row["id"]).units_mismatch != ""


def test_the_table_begins_with_the_root_causes_of_each_author(capsys):
    assert main(["errata", "--source", "lloyd", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    errors = [
        record for record in errata.corrections("lloyd") if errata.section_of_errata(record) == "Errors"
    ]
    causes = errata.root_causes(errors)
    assert [row["title"] for row in rows[: len(causes)]] == [cause.title for cause in causes]
    assert all(row["verdict"] != "root cause" and row["id"] for row in rows[len(causes) :])
    assert rows[0]["place"].startswith("Lloyd 0.22.1, display 15; (L 0.52)")
    assert rows[0]["effect"].startswith("A flywheel on a frame spring")
    assert rows[0]["pages"].startswith("No page of the author was available")
    assert all(row["right"] and (row["effect"] or row["no_simulation"]) for row in rows[: len(causes)])


def test_a_pdf_needs_a_browser_and_the_book(monkeypatch, tmp_path):
    monkeypatch.setattr(errata_pdf, "find_browser", lambda: None)
    with pytest.raises(InvalidArgument, match="md or csv"):
        errata_pdf.print_errata(["si"], tmp_path, tmp_path)
    monkeypatch.setattr(errata_pdf, "find_browser", lambda: "chromium")
    with pytest.raises(InvalidArgument, match="make book"):
        errata_pdf.print_errata(["si"], tmp_path, tmp_path)


SHOWN = {
    "E = the identity": np.eye(4),
    "E = a shift by (2, 0, 0)": np.eye(4) + 2 * np.eye(4)[:, [0]] * np.eye(4)[3],
    "M = 2 times the identity, 6 x 6": 2 * np.eye(6),
    "M = diagonal with (1, 2)": np.diag([1.0, 2.0]),
    "x = zero, 2 x 3": np.zeros((2, 3)),
    "x = zero, 3 x 3, but 5 at (2, 3)": 5.0 * np.eye(3)[[1]].T @ np.eye(3)[[2]],
    "B = all 0.2, 2 x 3": np.full((2, 3), 0.2),
    "B = all 0.2, 4 x 4, but 5 at (2, 3)": 0.2 + 4.8 * np.eye(4)[[1]].T @ np.eye(4)[[2]],
    "v = (1, 0.5)": [1.0, 0.5],
    "k = 3": 3,
}


@pytest.mark.parametrize("text", SHOWN)
def test_inputs_with_structure_are_named_in_one_line(text):
    assert formatting.format_inputs({text[0]: SHOWN[text]}) == [text]


def test_rounding_errors_of_a_result_are_shown_as_zero():
    assert formatting.format_result([-1.67e-13, 1e-6, -0.1], [0.0, 0.0, 0.1]) == "(0, 1e-06, -0.1)"


def test_the_excerpt_of_a_large_result_contains_the_largest_difference():
    right = np.arange(12.0).reshape(3, 4)
    wrong = right.copy()
    wrong[1, 2] = -6.0
    assert formatting.format_result(wrong, right) == "-6 in entry 2, 3 of 3 x 4"
    assert formatting.format_result(right, wrong) == "6 in entry 2, 3 of 3 x 4"
    assert formatting.format_result([1.0, 2.0], [1.0, 3.0]) == "(1, 2)"
    assert (
        formatting.format_result([-0.0, -2e-15], [0.0, 1.0]) == "(0, 0)"
    )  # rounding beside the other, and no signs
    assert formatting.format_result([1e-15, 0.0], [2e-15, 0.0]) == "(1e-15, 0)"
