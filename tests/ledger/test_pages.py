"""The author's pages: each claim of Sueda says what two versions of the notes have in its place."""

import csv
import io
import json
from dataclasses import replace

import pytest

from rbnotes import ledger
from rbnotes.cli import main
from rbnotes.ledger import errata
from rbnotes.ledger.lookup import describe_origin, describe_pages
from rbnotes.ledger.pages import DROPPED, NO_PAGE, SAME, Origin, Page
from rbnotes.ledger.record import WRONG_AS_PRINTED, Verdict
from rbnotes.ledger.sources import active_ledger

RECORDS = ledger.load()
SUEDA = [record for record in RECORDS if record.source == "sueda"]
WRONG = [record for record in SUEDA if record.verdict in WRONG_AS_PRINTED]
VERSIONS = active_ledger().source("sueda").versions
BY_VERSION = [
    ([record.page_2019 for record in SUEDA], VERSIONS[0]),
    ([record.page_2021 for record in SUEDA], VERSIONS[1]),
]
by_id = pytest.mark.parametrize("record", WRONG, ids=lambda record: record.id)


def test_each_claim_of_sueda_has_both_pages_and_an_origin():
    assert [r.id for r in SUEDA if r.page_2019 is None or r.page_2021 is None] == []
    assert {record.origin for record in SUEDA} == {Origin.AUTHOR, Origin.CONVERSION}


def test_no_page_of_the_other_authors_is_at_hand():
    others = [record for record in RECORDS if record.source != "sueda"]
    assert {describe_pages(record) for record in others} == {NO_PAGE}
    assert {record.origin for record in others} == {Origin.UNDECIDED}


@pytest.mark.parametrize(("pages", "version"), BY_VERSION, ids=["2019", "2021"])
def test_pages_are_in_the_range_of_their_version(pages, version):
    for page in pages:
        if not page.is_dropped:
            assert 1 <= page.number <= (page.last or page.number) <= version.num_pages


def test_the_version_of_the_text_has_every_claim():
    assert DROPPED not in [record.page_2019 for record in SUEDA]


@by_id
def test_a_slip_or_condition_names_one_page_of_each_version(record):
    assert record.page_2019.last is None
    assert record.page_2021.last is None


@by_id
def test_the_statement_of_a_page_is_text_with_formulas_that_differs_from_the_text(record):
    for page in (record.page_2019, record.page_2021):
        assert page.content.count("$") % 2 == 0
        assert page.content.strip("$ ") not in ("", record.formula)


def test_claims_of_a_display_are_on_the_pages_of_their_section():
    sections = {}
    for record in SUEDA:
        if record.page_2019.last is not None:
            sections[record.section] = (record.page_2019.number, record.page_2019.last)
    assert len(sections) > 20
    for record in SUEDA:
        first, last = sections.get(record.section, (1, 48))
        assert first <= record.page_2019.number <= last, record.id


def test_pages_follow_the_order_of_the_displays():
    equations = [r for r in WRONG if r.display.rsplit("/", 1)[1].startswith("e")]

    def number(record):
        major, minor = record.display.rsplit("/e", 1)[1].split(".")
        return int(major), int(minor)

    in_order = sorted(equations, key=number)
    pages = [record.page_2019.number for record in in_order]
    assert pages == sorted(pages)


KNOWN = {
    "sueda/s1.4/m1#b": Origin.CONVERSION,
    "sueda/s1.9.4/e1.56": Origin.CONVERSION,
    "sueda/s1.6/e1.23#a": Origin.CONVERSION,
    "sueda/s1.9.4/e1.48": Origin.CONVERSION,
    "sueda/s2.4.8/e2.46": Origin.CONVERSION,
    "sueda/s1.9.5/d2": Origin.AUTHOR,
    "sueda/s2.4.12/alg3#c": Origin.AUTHOR,
    "sueda/s2.4.8/t972#c": Origin.AUTHOR,
    "sueda/s2.10/e2.111#b": Origin.AUTHOR,
    "sueda/s2.12/t1586#c": Origin.AUTHOR,
}


@pytest.mark.parametrize("id", KNOWN)
def test_the_page_decides_the_origin(id):
    assert ledger.find(id).origin is KNOWN[id]


def test_an_available_page_excludes_the_field_scan():
    record = ledger.find("sueda/s1.4/m1#b")
    with pytest.raises(ValueError, match="the author's page decides"):
        replace(record, scan=True)
    with pytest.raises(ValueError, match="one version only"):
        replace(record, page_2021=None)
    with pytest.raises(ValueError, match="did not write it"):
        replace(record, page_2021=Page(7, "right", fixed=True))


def test_a_page_has_a_number_unless_it_is_dropped():
    assert Page(3, last=5).describe() == "pages 3-5, same as the text"
    assert Page(3, "$x$", fixed=True).describe() == "page 3: $x$ (fixed)"
    assert DROPPED.describe() == "dropped"
    for wrong in ({"number": None}, {"number": 3, "content": "dropped"}, {"number": 3, "last": 3}):
        with pytest.raises(ValueError, match="page"):
            Page(**wrong)
    with pytest.raises(ValueError, match="fixed"):
        Page(3, SAME, fixed=True)


def test_only_slips_of_the_author_are_fixed_and_they_come_first():
    fixed = [record for record in WRONG if record.is_fixed]
    assert {record.origin for record in fixed} == {Origin.AUTHOR}
    assert "sueda/s1.9.6/e1.65" in [record.id for record in fixed]
    assert {errata.section_of_errata(record) for record in fixed} == {errata.FIXED}
    assert next(iter(errata.HEADINGS)) == errata.FIXED


def test_a_slip_of_the_conversion_is_not_counted_against_the_author():
    for record in WRONG:
        is_apart = errata.section_of_errata(record) == errata.CONVERSIONS
        assert is_apart == (record.origin is Origin.CONVERSION), record.id
    text = errata.describe_counts(WRONG)
    of_author = sum(r.origin is Origin.AUTHOR and r.verdict is Verdict.ERRATUM for r in WRONG)
    of_conversion = sum(r.origin is Origin.CONVERSION and r.verdict is Verdict.ERRATUM for r in WRONG)
    assert text.startswith(f"of the author: {of_author} errors, ")
    assert f"; of the conversion: {of_conversion} errors, " in text


@pytest.mark.parametrize("form", ["text", "md", "csv"])
def test_all_forms_have_pages_origins_and_a_field_for_the_reply(form, capsys):
    assert main(["errata", "--source", "sueda", "--section", "1.9.6", "--format", form]) == 0
    text = capsys.readouterr().out
    assert "2019-09-18, page 14, same as the text; 2021-09-27, page 20: (1.81)" in " ".join(text.split())
    if form == "csv":
        rows = {row["id"]: row for row in csv.DictReader(io.StringIO(text))}
        row = rows["sueda/s1.9.6/e1.65"]
        assert (row["origin"], row["state"], row["reply"]) == ("author", "fixed", "")
        assert rows["sueda/s1.9.6/e1.67#a"]["state"] == "open"
    else:
        assert text.index(errata.FIXED) < text.index("Root causes")
        assert "of the author: 5 errors, 1 condition\n" in text
        assert text.lower().count("none yet") == 6


def test_the_errata_name_the_versions_that_were_read(capsys):
    assert main(["errata", "--source", "sueda", "--section", "1.1"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "converted from the version of 2019-09-18 (48 pages, an unpublished working draft" in text
    assert "with that of 2021-09-27 (84 pages)" in text
    assert main(["errata", "--source", "si", "--section", "4"]) == 0
    assert "No page of the author was available" in capsys.readouterr().out


def test_the_status_of_a_conversion_slip_is_empty():
    assert errata.correction_status(ledger.find("sueda/s1.4/m1#b")) == ""
    assert errata.correction_status(ledger.find("sueda/s1.9/t375")) == "dropped"
    answered = replace(ledger.find("sueda/s1.13/e1.84"), reply="Yes.")
    assert errata.correction_status(answered) == "answered"


def test_the_json_has_pages_and_origin(capsys):
    assert main(["ledger", "--source", "sueda", "--section", "1.4", "--json"]) == 0
    by_id = {entry["id"]: entry for entry in json.loads(capsys.readouterr().out)}
    entry = by_id["sueda/s1.4/m1#b"]
    assert (entry["origin"], entry["page_2019"], entry["page_2019_number"]) == ("conversion", "1, 0, 0", "5")
    entry = by_id["sueda/s1.4/e1.13"]
    assert (entry["origin"], entry["page_2021"], entry["page_2021_number"]) == ("author", "same", "6-7")


def test_show_names_the_origin_of_a_slip(capsys):
    assert main(["show", "sueda/s1.4/m1#b", "--full"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "origin the conversion of the text, not the author" in text
    assert "pages 2019-09-18, page 5, and 2021-09-27, page 7: 1, 0, 0" in text
    assert describe_origin(ledger.find("si/s3/e2")) in ("undecided", "perhaps the conversion of the text")
