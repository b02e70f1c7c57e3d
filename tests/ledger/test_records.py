"""Every record of the ledger: its verdict is confirmed, its check can fail, the book explains it."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import rotation
from hypothesis import settings

from rbnotes import ledger
from rbnotes.ledger import Verdict
from rbnotes.ledger.checks.digests import record_digest
from rbnotes.ledger.checks.honesty.static_checks import MIN_REASON_LENGTH
from rbnotes.ledger.checks.mutation import surviving_mutants
from rbnotes.ledger.coverage import entries_without_record, inventory
from rbnotes.ledger.runner import measure, verify

RECORDS = ledger.load()
EQUIVALENT_MUTANTS = tomllib.loads(
    Path(__file__).with_name("equivalent_mutants.toml").read_text(encoding="utf-8")
)
"""By id of the record: changes that leave the form true, each with the reason."""
DIGESTS = json.loads(Path(__file__).with_name("record_digests.json").read_text(encoding="utf-8"))
"""By id of the record: digest of its sources when all checks passed (`tools/digest_records.py`)."""
READ_DEFINITIONS = tomllib.loads(
    Path(__file__).with_name("definitions_without_forms.toml").read_text(encoding="utf-8")
)
"""By id of the record: title of a definition without forms, which a person has read."""
NUM_GROUPS = 60
"""Groups of records, by digest; one group runs all checks each day although its sources are unchanged."""
NUM_COMPARED = 4
"""Inputs on which the forms of a record are compared, one day in ten, whose sources are unchanged."""
BOOK = Path(__file__).parents[2] / "book"


def due_check(record):
    """Return the check of a record on this day: "all", "comparison" or "nothing"."""
    digest = record_digest(record, EQUIVALENT_MUTANTS.get(record.id, {}))
    if DIGESTS.get(record.id) != digest or rotation.is_due(int(digest, 16), NUM_GROUPS):
        return "all"
    return "comparison" if rotation.is_due(int(digest, 16)) else "nothing"


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.id)
def test_verdict_is_confirmed_by_a_check_that_detects_every_mutation(record):
    # One test, so that one process draws the inputs of both.
    chosen = settings.default
    due = due_check(record)
    if due == "nothing":
        return
    # Counterexamples are found here, and shrunk where they are shown: on the book's page of errata.
    if due == "comparison":
        outcome = measure(record, first=NUM_COMPARED, shrink=False)
        assert outcome.confirmed, outcome.reason
        return
    outcome = verify(record, examples=chosen.max_examples, shrink=False, afresh=not chosen.derandomize)
    assert outcome.confirmed, outcome.reason
    assert surviving_mutants(record, EQUIVALENT_MUTANTS.get(record.id, {})) == []


def test_digests_are_those_of_records():
    assert DIGESTS.keys() <= {record.id for record in RECORDS}


def test_equivalent_mutants_are_those_of_records_and_have_reasons():
    assert EQUIVALENT_MUTANTS.keys() <= {record.id for record in RECORDS}
    reasons = [reason for changes in EQUIVALENT_MUTANTS.values() for reason in changes.values()]
    assert len(reasons) > 100
    assert [reason for reason in reasons if len(reason.strip()) < MIN_REASON_LENGTH] == []


def test_definitions_that_no_form_checks_are_those_that_were_read():
    unchecked = [r for r in RECORDS if r.verdict is Verdict.DEFINITION and r.printed is None]
    assert {record.id: record.title for record in unchecked} == READ_DEFINITIONS


def test_every_display_of_the_notes_has_a_record():
    assert [entry.id for entry in entries_without_record(RECORDS)] == []


def test_every_id_is_in_the_inventory_or_prose():
    displays = {entry.id for entry in inventory()}
    missing = [r.id for r in RECORDS if r.display not in displays and "/t" not in r.display]
    assert missing == []


def test_chapters_cite_their_claims():
    texts = {name: (BOOK / f"{name}.md").read_text(encoding="utf-8") for name in {r.chapter for r in RECORDS}}
    uncited = [r.id for r in RECORDS if r.id not in (text := texts[r.chapter]) and r.display not in text]
    assert uncited == []


def test_an_id_loads_only_the_modules_of_its_section():
    code = "import sys; from rbnotes import ledger; print(ledger.find('sueda/s1.1/e1.2').id, *sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    id, *modules = run.stdout.split()
    assert id == "sueda/s1.1/e1.2"
    assert [name for name in modules if ".claims." in name and ".section_" in name] == [
        "rbnotes.ledger.claims.sueda.section_1_1"
    ]


def test_ids_find_their_records():
    assert [ledger.find(record.id) for record in RECORDS] == list(RECORDS)
