"""The command line: what it prints, and its exit status."""

import json

from rbnotes import ledger
from rbnotes.__main__ import main, summary
from rbnotes.ledger import Verdict
from rbnotes.ledger.coverage import display_verdicts, inventory

FIELDS = {
    "id",
    "verdict",
    "title",
    "condition",
    "correction",
    "residual_printed",
    "residual_corrected",
    "oracle",
    "implemented_by",
    "chapter",
}


def test_verify_confirms_a_section(capsys):
    assert main(["verify", "--source", "lloyd", "--section", "0.1", "--examples", "5"]) == 0
    out = capsys.readouterr().out
    assert "lloyd/s0.1/d1" in out
    assert "verdicts confirmed" in out


def test_verify_prints_json(capsys):
    assert main(["verify", "lloyd/s0.2/d2", "--examples", "5", "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert entry["confirmed"] is True
    assert entry["residual_printed"] < 1e-9


def test_verify_fails_on_a_verdict_that_is_not_confirmed(monkeypatch, capsys):
    import dataclasses

    honest = ledger.find("lloyd/s0.2/d2")
    assert honest.library is not None
    lie = dataclasses.replace(honest, verdict=Verdict.ERRATUM, correction="none")
    monkeypatch.setattr(ledger, "load", lambda: (lie,))
    assert main(["verify", "--examples", "5"]) == 1
    assert "NO" in capsys.readouterr().out


def test_ledger_json_has_every_field(capsys):
    assert main(["ledger", "--section", "0.2", "--json"]) == 0
    entries = json.loads(capsys.readouterr().out)
    assert {entry["id"].split("#")[0] for entry in entries} >= {"lloyd/s0.2/d1", "lloyd/s0.2/e0.1"}
    for entry in entries:
        assert set(entry) >= FIELDS


def test_ledger_and_errata_tables(capsys):
    assert main(["ledger"]) == 0
    assert summary(ledger.load()).split(":")[0][:20] in capsys.readouterr().out
    assert main(["errata"]) == 0
    shown = capsys.readouterr().out
    for record in ledger.load():
        worse = record.verdict in (Verdict.ERRATUM, Verdict.MISPRINT, Verdict.CONDITIONAL)
        if worse:
            assert record.id in shown


def test_coverage(capsys):
    assert main(["coverage", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["displays"] == len(inventory()) == 545
    assert report["with_record"] + len(report["missing"]) == 545
    sentences = {place["id"]: place for place in report["prose"]}
    assert all("/t" in id and place["claims"] > 0 for id, place in sentences.items())
    assert sentences["lloyd/s0.10/t374"]["section"] == "0.10"
    assert sentences["lloyd/s0.10/t374"]["line"] == 374
    assert main(["coverage", "--source", "lloyd", "--section", "0.1"]) == 0
    assert "3 of 3 displays" in capsys.readouterr().out
    assert main(["coverage", "--source", "sueda", "--section", "1.9.1"]) == 0
    assert "377" in capsys.readouterr().out


def test_unknown_record_is_an_error(capsys):
    assert main(["verify", "lloyd/s9.9/e1"]) == 2
    assert "lloyd/s9.9/e1" in capsys.readouterr().err


def test_a_display_is_as_good_as_its_worst_claim():
    order = list(Verdict)
    verdicts = display_verdicts(ledger.load())
    for record in ledger.load():
        assert order.index(record.verdict) <= order.index(verdicts[record.display])
