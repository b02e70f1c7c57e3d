"""The command line: output and exit status."""

import dataclasses
import importlib
import json
import os
import signal
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
import rotation

import rbnotes
from rbnotes import ledger
from rbnotes.cli import main
from rbnotes.cli.listing import summary
from rbnotes.ledger import Verdict
from rbnotes.ledger.coverage import display_verdicts, inventory
from rbnotes.ledger.record import WRONG_AS_PRINTED
from rbnotes.ledger.unicode_math import formula_to_unicode, sentence_to_unicode

FIELDS = {
    "id",
    "verdict",
    "title",
    "condition",
    "correction",
    "replacement",
    "residual_printed",
    "residual_corrected",
    "oracle",
    "implemented_by",
    "chapter",
    "evidence",
    "stale",
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


def test_verify_proves_claims(capsys):
    assert main(["verify", "sueda/s1.1/e1.2", "sueda/s1.9.6/e1.66", "--evidence", "--json"]) == 0
    polynomial, erratum = json.loads(capsys.readouterr().out)
    assert (polynomial["kind"], polynomial["num_draws"]) == ("symbolic", 3)
    assert 2 <= polynomial["degree"] < 100
    assert 0 < polynomial["bound"] < 1e-18
    assert (erratum["kind"], erratum["num_wrong"]) == ("enclosed", 3)
    assert erratum["digits"] > 40
    assert main(["verify", "sueda/s1.1/e1.2", "--evidence"]) == 0
    out = capsys.readouterr().out
    assert "1 of 1 claims are proved" in out


def test_ledger_lists_the_evidence_and_the_stale_claims(monkeypatch, capsys):
    evidence = importlib.import_module("rbnotes.ledger.evidence")
    section = ["ledger", "--source", "sueda", "--section", "1.1"]
    records = [r for r in ledger.load() if (r.source, r.section) == ("sueda", "1.1")]
    proved = {
        record.id: evidence.Evidence("exact", digest=evidence.proof_digest(record)) for record in records[1:]
    }
    monkeypatch.setattr(evidence, "read_evidence", lambda folder: proved)
    assert main([*section, "--json"]) == 0
    first, *others = json.loads(capsys.readouterr().out)
    assert (first["id"], first["stale"]) == (records[0].id, True)
    assert first["evidence"].split()[0] == "undecided"
    assert {(entry["evidence"].split()[0], entry["stale"]) for entry in others} == {("exact", False)}
    assert main([*section, "--stale", "--json"]) == 0
    assert [entry["id"] for entry in json.loads(capsys.readouterr().out)] == [records[0].id]
    assert main(section) == 0
    assert f"1 of {len(records)} claims changed since they were last proved" in capsys.readouterr().out


def test_show_gives_the_evidence(monkeypatch, capsys):
    evidence = importlib.import_module("rbnotes.ledger.evidence")
    record = ledger.find("S 1.62")
    stored = evidence.Evidence("enclosed", digits=60, num_draws=3, num_inputs=30, num_failing=29)
    monkeypatch.setattr(evidence, "read_evidence", lambda folder: {record.id: stored})
    text = "evidence  enclosed to 60 digits; the print fails on 29 of 30 inputs"
    assert main(["show", "S 1.62"]) == 0
    out = capsys.readouterr().out
    assert text in out
    assert "changed" in out
    stored = dataclasses.replace(stored, digest=evidence.proof_digest(record))
    monkeypatch.setattr(evidence, "read_evidence", lambda folder: {record.id: stored})
    assert main(["show", "S 1.62"]) == 0
    assert f"{text}\n" in capsys.readouterr().out


def test_verify_fails_on_evidence_against_a_verdict(monkeypatch, capsys):
    evidence = importlib.import_module("rbnotes.ledger.exact.evidence")
    monkeypatch.setattr(
        evidence, "prove_claim", lambda name: evidence.Evidence("undecided", reason="planted")
    )
    assert main(["verify", "lloyd/s0.2/d2", "--evidence"]) == 1
    assert "planted" in capsys.readouterr().out


def test_proofs_name_the_extra_that_they_need(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "flint", None)
    assert main(["verify", "lloyd/s0.2/d2", "--evidence"]) != 0
    assert "rbnotes[exact]" in capsys.readouterr().err


def test_verify_fails_on_a_verdict_that_is_not_confirmed(monkeypatch, capsys):
    honest = ledger.find("lloyd/s0.2/d2")
    assert honest.library is not None
    false_claim = dataclasses.replace(honest, verdict=Verdict.ERRATUM, correction="none")
    monkeypatch.setattr(ledger, "load", lambda: (false_claim,))
    assert main(["verify", "--examples", "5"]) == 1
    assert "NO" in capsys.readouterr().out


@pytest.mark.parametrize("width", ["60", "80", "120"])
def test_counterexample_lines_are_not_broken(monkeypatch, capsys, width):
    erratum = ledger.find("S 1.62")
    false_claim = dataclasses.replace(
        erratum, verdict=Verdict.HOLDS, correction="", replacement="", library=None
    )
    monkeypatch.setattr(ledger, "load", lambda: (false_claim,))
    monkeypatch.setenv("COLUMNS", width)
    assert main(["verify", "--examples", "5"]) == 1
    lines = capsys.readouterr().out.splitlines()
    start = lines.index(next(line for line in lines if line.startswith(f"{false_claim.id}: ")))
    described = "\n".join(lines[start:-1])
    assert "the printed form is off by up to" in described
    assert "\n  E[0] = the identity\n" in described
    assert "\n  x = zero, 3 x 3\n" in f"{described}\n"
    assert lines[-1] == "0 of 1 verdicts confirmed"


@pytest.mark.parametrize("width", ["40", "60", "80", "120"])
@pytest.mark.parametrize("command", [["coverage"], ["search", "quaternion"], ["verify", "lloyd/s0.2/d1"]])
def test_words_and_sentences_are_not_broken(monkeypatch, capsys, width, command):
    monkeypatch.setenv("COLUMNS", "1000")
    assert main(command) == 0
    wide = capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", width)
    assert main(command) == 0
    narrow = capsys.readouterr().out
    assert "\N{HORIZONTAL ELLIPSIS}" not in narrow
    assert words(narrow) == words(wide)
    below = [[line for line in text.splitlines() if line[0].isalnum()] for text in (narrow, wide)]
    assert below[0] == below[1]


def words(text):
    """Return the words of a table and of the text below it, without the borders."""
    return {word for word in text.split() if word[0].isalnum()}


def test_ledger_json_has_every_field(capsys):
    assert main(["ledger", "--section", "0.2", "--json"]) == 0
    entries = json.loads(capsys.readouterr().out)
    assert {entry["id"].split("#")[0] for entry in entries} >= {"lloyd/s0.2/d1", "lloyd/s0.2/e0.1"}
    for entry in entries:
        assert set(entry) >= FIELDS
        assert entry["confirmed"] is entry["residual_printed"] is None  # nothing was run
    assert main(["ledger", "--section", "0.2", "--json", "--verify"]) == 0
    entries = json.loads(capsys.readouterr().out)
    assert all(entry["confirmed"] for entry in entries)
    assert any(entry["residual_printed"] is not None for entry in entries)


@pytest.mark.slow
@pytest.mark.parametrize("width", ["40", "80", "300"])
def test_ids_are_never_cut(capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", width)
    assert main(["ledger"]) == 0
    output = capsys.readouterr().out
    assert summary(ledger.load()).split(":")[0][:20] in output
    assert all(record.id in output for record in ledger.load())


def test_errata_list_root_causes_then_entries_with_right_form_and_counterexample(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    assert main(["errata", "--source", "sueda", "--section", "1.9.5"]) == 0
    output = capsys.readouterr().out
    worse = (Verdict.ERRATUM, Verdict.MISPRINT, Verdict.CONDITIONAL)
    records = [r for r in ledger.load() if (r.source, r.section) == ("sueda", "1.9.5") and r.verdict in worse]
    assert records
    without_breaks = "".join(output.split())
    for record in records:
        assert record.id in output
        for text in (formula_to_unicode(record.formula), sentence_to_unicode(record.correction)):
            assert "".join(text.split()) in without_breaks
    assert output.count("; right is ") == len(records)
    assert output.index("1. ") < output.index("Sueda: Errors") < output.index("Sueda: Misprints")
    assert all(len(line) <= 80 for line in output.splitlines())


def test_show_accepts_any_name(capsys):
    assert main(["show", "S", "1.62"]) == 0
    output = capsys.readouterr().out
    record = ledger.find("1.62")
    assert output.startswith(f"{record.id}  (S 1.62)  ERRATUM")
    for part in (
        "printed   Kₖ₂ = (1/(‖Δxₖ‖))[[xₖ]",
        "right     Kₖ₂ = −(1/",
        "E[0] = the identity",
        "right is -1 in",
    ):
        assert part in output
    assert len(output.splitlines()) <= 24
    assert all(len(line) <= 80 for line in output.splitlines())
    assert main(["show", "S", "1.62", "--full", "--tex"]) == 0
    output = capsys.readouterr().out
    assert record.formula in output
    for part in ("As printed:", "right is", "def right_form(E, x):", "poses (3, 4, 4)", "For example"):
        assert part in output
    assert main(["show", "--task", "lloyd/s0.2/d2"]) == 0
    task = capsys.readouterr().out
    assert "def right_form" not in task
    assert "q  vector (4,)" in task
    assert main(["show", "so3.log"]) == 0
    assert "sueda/s1.3/e1.10#b" in capsys.readouterr().out
    assert main(["show", "product", "of", "two", "quaternions", "--json"]) == 0
    assert "lloyd/s0.2/d2" in {entry["id"] for entry in json.loads(capsys.readouterr().out)}
    assert main(["search", "QUATERNION", "product"]) == 0
    assert "lloyd/s0.2/d2" in capsys.readouterr().out
    assert main(["search", "xylophone"]) == 1


def test_the_first_screen_of_show_has_24_lines_of_80_columns(capsys):
    records = [record for record in ledger.load() if record.verdict in WRONG_AS_PRINTED]
    for record in records:
        if rotation.is_due(zlib.crc32(record.id.encode()), 60):
            assert main(["show", record.id]) == 0
            lines = capsys.readouterr().out.splitlines()
            assert len(lines) <= 24, record.id
            assert max(map(len, lines)) <= 80, record.id


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["verify", "--examples", "0"], "--examples: got 0"),
        (["verify", "--section", "7.7"], "--section: got '7.7', expected a section, perhaps one of 2.7, "),
        (["verify", "--section", "lloyd/s0.9.3"], "perhaps one of 0.9.3, "),
        (["ledger", "--verify"], "--verify: got no --json"),
        (["errata", "--verify", "--format", "md"], "--verify: got no --json"),
        (["ledger", "--source", "si", "--section", "0.2"], "--section"),
        (["show", "lloyd/s0.2/d2x"], "lloyd/s0.2/d2,"),
        (["verify", "lloyd/s9.9/e1"], "lloyd/s9.9/e1"),
    ],
)
def test_invalid_arguments_are_reported(capsys, arguments, words):
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert rbnotes.__version__ in capsys.readouterr().out


def test_ctrl_c_prints_partial_results(capsys, monkeypatch):
    from rbnotes.cli import verify

    def stopped(record, **options):
        if record.id != first:
            raise KeyboardInterrupt
        return run(record, **options)

    run = verify.verify
    first = ledger.load()[0].id
    monkeypatch.setattr(verify, "verify", stopped)
    assert main(["verify", "--source", "lloyd", "--section", "0.1"]) == 130
    printed = capsys.readouterr()
    assert first in printed.out
    assert "stopped after 1 records" in printed.err


def test_ctrl_c_during_the_imports_is_one_line():
    """NumPy imports datetime from C, and reports an interrupt in it as an ImportError."""
    script = """
import os, signal, sys

class Finder:
    def find_spec(self, name, *rest):
        if name == "datetime" and "numpy" in sys.modules:
            os.kill(os.getpid(), signal.SIGINT)

sys.modules.pop("datetime", None)
sys.meta_path.insert(0, Finder())
from rbnotes.cli import main
sys.exit(main(["ledger"]))
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(rbnotes.__file__).parents[1])}
    run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert run.stderr == "rbnotes: stopped\n"
    assert run.returncode in (130, -signal.SIGINT)


COMMANDS = {
    "show.show": ["show", "1.62", "--full"],
    "show.search": ["search", "mass"],
    "verify.run": ["verify", "1.62"],
    "listing.run": ["ledger"],
    "errata.run": ["errata"],
    "coverage.run": ["coverage"],
    "grade.run": ["grade", "hw.toml", "folder"],
    "new_ledger.run": ["new-ledger", "pendulum"],
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (KeyboardInterrupt(), 130, "rbnotes: stopped\n"),
        (BrokenPipeError(), 0, ""),
        (OSError(28, "No space left on device"), 2, "rbnotes: No space left on device\n"),
        (FileNotFoundError(2, "No such file", "a.toml"), 2, "rbnotes: a.toml: No such file\n"),
    ],
    ids=["Ctrl-C", "closed pipe", "full disk", "missing file"],
)
def test_every_command_ends_with_one_line(capfd, monkeypatch, name, error, status, line):
    def run(options, console):
        raise error

    monkeypatch.setattr(f"rbnotes.cli.{name}", run)
    monkeypatch.setattr("rbnotes.cli._discard_output", lambda: None)
    assert main(COMMANDS[name]) == status
    assert capfd.readouterr().err == line


def run_rbnotes(*words, **options):
    environment = {**os.environ, "PYTHONPATH": str(Path(rbnotes.__file__).parents[1])}
    command = [sys.executable, "-m", "rbnotes", *words]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment, **options)


@pytest.mark.parametrize(
    "words",
    [pytest.param(["ledger"], marks=pytest.mark.slow), ["ledger", "--source", "si", "--json"], ["--help"]],
)
def test_closed_output_pipe_is_not_an_error(words):
    with run_rbnotes(*words, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="platform: no device that is always full")
def test_a_full_disk_is_an_error_of_one_line():
    with Path("/dev/full").open("w") as full, run_rbnotes("ledger", "--source", "si", stdout=full) as process:
        assert process.stderr.read() == "rbnotes: No space left on device\n"
    assert process.returncode == 2


@pytest.mark.skipif(os.name == "nt", reason="platform: the current folder cannot be deleted")
def test_a_deleted_folder_is_an_error_of_one_line(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    script = (
        f"import os, sys; os.rmdir({str(folder)!r})\nfrom rbnotes.cli import main; sys.exit(main(['ledger']))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(rbnotes.__file__).parents[1])}
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert (run.returncode, run.stderr) == (2, "rbnotes: current folder: it was deleted\n")


def test_coverage(capsys):
    assert main(["coverage", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["displays"] == len(inventory()) == 545
    assert report["with_record"] + len(report["missing"]) == 545
    sentences = {sentence["id"]: sentence for sentence in report["prose"]}
    assert all("/t" in id and sentence["claims"] > 0 for id, sentence in sentences.items())
    assert sentences["lloyd/s0.10/t374"]["section"] == "0.10"
    assert sentences["lloyd/s0.10/t374"]["line"] == 374
    assert report["with_units"] == report["checkable"] > 900
    assert "lloyd/s0.9.3/d4" in report["units_do_not_fit"]
    assert main(["coverage", "--source", "lloyd", "--section", "0.1"]) == 0
    assert "3 of 3 displays" in capsys.readouterr().out
    assert main(["coverage", "--source", "sueda", "--section", "1.9.1"]) == 0
    printed = capsys.readouterr().out
    assert "377" in printed
    assert "1 of 1 checkable claims declare their units" in printed


def test_verdict_of_a_display_is_the_worst_of_its_claims():
    order = list(Verdict)
    verdicts = display_verdicts(ledger.load())
    for record in ledger.load():
        assert order.index(record.verdict) <= order.index(verdicts[record.display])
