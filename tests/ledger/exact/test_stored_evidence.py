"""The stored evidence is complete and current: stale claims and a part of the others are proved again."""

import json
from dataclasses import replace

import numpy as np
import pytest
import rotation
from honest import ERRATUM, INPUTS, make, turned_printed

from rbnotes import ledger
from rbnotes.ledger import Verdict, evidence
from rbnotes.ledger.evaluation import samples
from rbnotes.ledger.evidence import (
    KINDS,
    NOT_PROVED,
    Evidence,
    find_evidence,
    is_stale,
    proof_digest,
    read_evidence,
    write_evidence,
)
from rbnotes.ledger.exact.evidence import NUM_DRAWS, SECONDS_FOR_SYMBOLS, prove_claim
from rbnotes.ledger.input_counts import NUM_INPUTS, InputCounts, count_inputs
from rbnotes.ledger.proofs import prove_record
from rbnotes.ledger.record import WRONG_AS_PRINTED
from rbnotes.ledger.sources import active_ledger

RECORDS = ledger.load()
STORED = read_evidence(active_ledger().folder)
MAX_LOST_DIGITS = 5
"""Digits that evidence may lose on another processor."""
MAX_COUNT_DIFFERENCE = 3
"""Number of the inputs on which rounding may decide whether the print is wrong; 2 on the processors tried."""
NUM_GROUPS = 10
"""Groups of claims, by digest; one group is proved each day although its sources are unchanged."""


def num_draws(record):
    """Return the number of draws on which a claim is proved on this day, 0 if it is not its day.

    Stale claims have all draws, and all claims in a deep run. Unchanged ones have one draw, which takes a
    third of the time and is a proof with the stored bound.
    """
    if is_stale(record) or rotation.all_are_due():
        return NUM_DRAWS
    return int(rotation.is_due(int(find_evidence(record).digest, 16), NUM_GROUPS))


def is_weaker(result, stored):
    """Return True if evidence is weaker than the stored one, in kind or numbers, unless time ran out.

    The first draw, which may be the only one, is one of those that the stored numbers are the worst of.
    """
    if "TimeLimitExceeded" in result.reason:
        return False
    if result.kind != stored.kind:
        return KINDS.index(result.kind) > KINDS.index(stored.kind)
    return stored.degree < result.degree or stored.digits > result.digits + MAX_LOST_DIGITS


def test_claims_are_proved_as_stored():
    weaker = []
    for record in filter(num_draws, RECORDS):
        stored = find_evidence(record)
        # A slow processor has ten times as long as the one that stored the evidence.
        seconds = 10 * SECONDS_FOR_SYMBOLS if stored.kind == "symbolic" else 0
        result = prove_claim(record.id, num_draws(record), seconds_for_symbols=seconds)
        if is_weaker(result, stored):
            weaker.append(f"{record.id}: {stored.kind} in the file, now {result}")
    assert weaker == [], "after a change, run tools/prove_records.py"


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("lloyd/s0.11/t442", {"kind": "symbolic"}),
        ("lloyd/s0.11/t442", {"degree": 3, "bound": 3 / 2**128}),
        ("lloyd/s0.10/d2#a", {"kind": "exact", "degree": 3, "bound": 3 / 2**128}),
        ("lloyd/s0.10/d2#a", {"digits": 110}),
    ],
)
def test_evidence_that_was_edited_by_hand_is_noticed(name, change):
    stored = STORED[name]
    result = prove_claim(name, 1, seconds_for_symbols=0)
    assert not is_weaker(result, stored)
    assert is_weaker(result, replace(stored, **change))


def test_every_claim_has_evidence():
    assert list(STORED) == sorted(record.id for record in RECORDS)
    assert {each.kind for each in STORED.values()} <= set(KINDS)
    without_digest = [name for name, each in STORED.items() if len(each.digest) != 16]
    assert without_digest == []


def test_no_claim_is_undecided():
    assert [name for name, each in STORED.items() if each.kind == "undecided"] == []


def test_evidence_has_the_numbers_of_its_kind():
    for name, each in STORED.items():
        if each.kind == "exact" or each.set_bits:
            assert 0 <= each.bound < 1e-18, name
            assert each.bound == pytest.approx(each.degree / 2**each.set_bits), name
            assert each.num_draws > 0, name
        if each.kind == "sampled":
            assert each.reason, name
            assert 0 <= each.num_effective <= each.num_inputs, name


def test_wrong_prints_fail_on_counted_inputs():
    for record in RECORDS:
        stored = find_evidence(record)
        if record.verdict in WRONG_AS_PRINTED:
            assert 0 < stored.num_failing <= stored.num_inputs, record.id
            assert stored.num_inputs in (1, NUM_INPUTS), record.id
        else:
            assert stored.num_failing == 0, record.id


def has_stored_counts(record):
    stored = find_evidence(record)
    counts = count_inputs(record, is_proved=stored.is_proof)
    difference = abs(counts.num_failing - stored.num_failing)
    return counts.num_inputs == stored.num_inputs and difference <= MAX_COUNT_DIFFERENCE


def test_counts_of_failing_inputs_are_as_stored():
    due = [each for each in RECORDS if each.verdict in WRONG_AS_PRINTED and num_draws(each)]
    assert [each.id for each in due if not has_stored_counts(each)] == []


def test_counts_of_inputs():
    num_nonzero = sum(bool(np.any(values["a"])) for values in samples(INPUTS, NUM_INPUTS))
    assert 20 < num_nonzero < NUM_INPUTS
    assert count_inputs(make()) == InputCounts(NUM_INPUTS, num_nonzero, 0)
    wrong = count_inputs(make(**ERRATUM))
    assert wrong.num_effective == num_nonzero
    assert 0 < wrong.num_failing <= num_nonzero
    proved = count_inputs(make(**ERRATUM), is_proved=True)
    assert (proved.num_effective, proved.num_failing) == (0, wrong.num_failing)


def rarely_wrong(R, a):
    return 2 * turned_printed(R, a) if a[0] > 0 else turned_printed(R, a)


def test_counts_of_a_print_that_is_wrong_on_some_inputs():
    counts = count_inputs(make(verdict=Verdict.ERRATUM, printed=rarely_wrong, correction="a factor"))
    assert 0 < counts.num_failing < NUM_INPUTS
    # The branch is taken where the print is wrong, and both branches count.
    assert counts.num_effective == min(counts.num_failing, NUM_INPUTS - counts.num_failing)


def zero_unless_positive(R, a):
    return turned_printed(R, a) * max(0.0, float(np.sign(a[0])))


def test_inputs_on_which_the_oracle_gives_zero_are_not_effective():
    counts = count_inputs(
        make(printed=zero_unless_positive, library=None, reference=lambda R, a: zero_unless_positive(R, a))
    )
    assert 0 < counts.num_effective < counts.num_inputs


def test_a_change_of_sources_or_arithmetic_makes_evidence_stale(monkeypatch):
    record = ledger.find("sueda/s1.1/e1.2")
    current = proof_digest(record)
    entry = Evidence("exact", digest=current)
    monkeypatch.setattr(evidence, "read_evidence", lambda folder: {record.id: entry})
    assert not is_stale(record)
    monkeypatch.setattr(evidence, "record_digest", lambda record: "other sources")
    assert is_stale(record)
    monkeypatch.undo()
    monkeypatch.setattr(evidence, "read_evidence", lambda folder: {record.id: entry})
    monkeypatch.setattr(evidence, "_arithmetic_digest", lambda: "another arithmetic")
    assert is_stale(record)


def test_evidence_is_written_and_read(tmp_path):
    evidence_by_claim = {
        "b": Evidence("sampled", num_inputs=30, num_effective=12, reason="a branch"),
        "a": Evidence("exact", degree=9, set_bits=128, bound=9 / 2**128, num_draws=3, digest="0f"),
    }
    write_evidence(tmp_path, evidence_by_claim)
    text = (tmp_path / evidence.FILE_NAME).read_text()
    assert [line.split(":")[0] for line in text.splitlines()] == ["{", '"a"', '"b"', "}"]
    assert next(iter(json.loads(text)["a"])) == "kind"
    assert read_evidence(tmp_path) == evidence_by_claim


def test_a_claim_that_was_never_proved_is_undecided_and_stale(monkeypatch, tmp_path):
    monkeypatch.setattr(evidence, "read_evidence", lambda folder: {})
    assert find_evidence(make()) == NOT_PROVED
    assert NOT_PROVED.kind == "undecided"
    assert is_stale(make())


EXACT = Evidence("exact", degree=9, set_bits=128, bound=9 / 2**128, num_draws=3)
TEXTS = {
    "symbolic": (
        replace(EXACT, kind="symbolic"),
        "proved for all inputs",
        "symbolic for all inputs, and exact of degree 9 on a set of 2^128 with error probability below 3e-38 "
        "on 3 draws",
    ),
    "exact": (
        EXACT,
        "proved exactly (bound 3e-38)",
        "exact of degree 9 on a set of 2^128 with error probability below 3e-38 on 3 draws",
    ),
    "erratum": (
        Evidence("enclosed", digits=60, num_draws=3, num_wrong=2, num_inputs=30, num_failing=29),
        "enclosed to 60 digits; the print fails on 29 of 30 inputs",
        "enclosed to 60 digits on 3 draws; the print fails on 2 of 3 draws and on 29 of 30 inputs",
    ),
    "reproduced": (
        Evidence("reproduced", num_draws=1),
        "reproduced to the last printed digit",
        "reproduced on 1 draw",
    ),
    "sampled": (
        Evidence("sampled", num_inputs=30, num_effective=12, num_draws=1, reason="splines"),
        "sampled on 30 inputs, 12 effective",
        "sampled on 30 inputs, 12 effective (splines)",
    ),
    "undecided": (NOT_PROVED, "undecided", "undecided (the claim has not been proved so far)"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_of_evidence(name):
    stored, summary, sentence = TEXTS[name]
    assert (stored.summary, str(stored)) == (summary, sentence)
    assert sentence.split()[0] == stored.kind


def test_weaker_evidence_is_reported():
    assert is_weaker(Evidence("sampled"), EXACT)
    assert is_weaker(Evidence("undecided"), Evidence("sampled"))
    assert is_weaker(EXACT, Evidence("symbolic"))
    assert not is_weaker(EXACT, Evidence("enclosed"))
    assert not is_weaker(Evidence("sampled", reason="TimeLimitExceeded: more than 10 s"), EXACT)


def test_proofs_are_stored_with_all_numbers():
    record = ledger.find("sueda/s1.9.6/e1.66")
    result = prove_record(record)
    assert result == prove_record(record)
    assert (result.kind, result.num_wrong, result.num_draws) == ("enclosed", 3, 3)
    assert (result.num_inputs, result.digest) == (NUM_INPUTS, proof_digest(record))
    assert result.num_failing > 0
    exact = prove_record(ledger.find("sueda/s1.1/e1.2"))
    assert exact.bound == exact.degree / 2**exact.set_bits
    assert exact.num_inputs == 0
