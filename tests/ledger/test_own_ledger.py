"""A ledger of one's own: the template, an error planted in it, and every command about it."""

import json
import sys

import pytest

import rbnotes
from rbnotes import ledger
from rbnotes.arguments import InvalidArgument
from rbnotes.cli import main
from rbnotes.ledger import template
from rbnotes.ledger.checks import claim_code
from rbnotes.ledger.checks.mutation import surviving_mutants

WRONG = '''

@Section("{name}/s2", chapter="notes").{verdict}("e7", "Energy of a turning body")
class e7:
    formula = r"T = \\tfrac12 \\boldsymbol\\omega^T \\mathbf I \\boldsymbol\\omega"
    inputs = {{"omega": vectors(), "r": vectors()}}

    def printed(omega, r):
        return 0.5 * (omega @ omega) * (r @ r)

    def library(omega, r):
        v = formulas.velocity(omega, r)
        return 0.5 * v @ v

    def reference(omega, r):
        """Compare with half the squared difference quotient of the point as scipy turns it."""
        motion = derivative(lambda t: Rotation.from_rotvec(t * omega).apply(r)).value
        return 0.5 * sum(component**2 for component in motion)

    correction = r"$T = \\tfrac12 |\\boldsymbol\\omega \\times \\mathbf r|^2$"
    replacement = r"T = \\tfrac12 |\\boldsymbol\\omega \\times \\mathbf r|^2"
    implements = formulas.velocity
'''


@pytest.fixture
def own(tmp_path, request):
    """Return a folder with a name of its own for each test, because Python keeps imported modules."""
    name = "own_" + str(abs(hash(request.node.name)))
    folder = template.write_template(tmp_path / name)
    yield folder
    sys.path[:] = [entry for entry in sys.path if entry != str(tmp_path)]
    for module in [module for module in sys.modules if module.partition(".")[0] == name]:
        del sys.modules[module]


def add(folder, verdict):
    path = folder / "section_1.py"
    path.write_text(path.read_text() + WRONG.format(name=folder.name, verdict=verdict))


def run(capsys, *arguments):
    status = main([*map(str, arguments)])
    captured = capsys.readouterr()
    return status, captured.out + captured.err


def test_the_template_is_confirmed_and_each_planted_error_is_detected(own, capsys):
    status, text = run(capsys, "verify", "--ledger", own)
    assert status == 0
    assert "1 of 1 verdicts confirmed" in text
    with ledger.context(own):
        (record,) = ledger.load()
        assert surviving_mutants(record) == []


def test_wrong_forms_are_found(own, capsys):
    add(own, "holds")
    status, text = run(capsys, "verify", "--ledger", own, "--json")
    assert status == 1
    entries = {each["id"]: each for each in json.loads(text)}
    assert entries[f"{own.name}/s1/e1"]["confirmed"]
    assert not entries[f"{own.name}/s2/e7"]["confirmed"]
    assert entries[f"{own.name}/s2/e7"]["counterexample"]


def test_an_erratum_is_listed_with_its_counterexample(own, capsys):
    add(own, "erratum")
    status, text = run(capsys, "errata", "--ledger", own, "--json")
    (entry,) = json.loads(text)
    assert (status, entry["id"], entry["verdict"]) == (0, f"{own.name}/s2/e7", "erratum")
    assert entry["replacement"].startswith("T = ")
    status, text = run(capsys, "--ledger", own, "verify", entry["id"], "--json")
    (entry,) = json.loads(text)
    assert (status, entry["confirmed"]) == (0, True)
    assert set(entry["counterexample"]) == {"omega", "r"}


@pytest.mark.slow
def test_other_names_and_challenges(own):
    add(own, "erratum")
    with ledger.context(own):
        assert ledger.find("O 7").id == f"{own.name}/s2/e7"
        assert rbnotes.challenge(
            "O 7",
            lambda omega, r: (
                0.5 * sum((omega[i - 2] * r[i - 1] - omega[i - 1] * r[i - 2]) ** 2 for i in range(3))
            ),
        )
        assert not rbnotes.challenge("O 7", lambda omega, r: 0.5 * (omega @ omega) * (r @ r))
        with pytest.raises(InvalidArgument):
            ledger.find("S 1.62")
    assert ledger.find("S 1.62").source == "sueda"


def test_grading_by_it(own, tmp_path, capsys):
    (tmp_path / "hw.toml").write_text(
        f'[[task]]\nfunction = "v"\nclaim = "{own.name}/s1/e1"\npoints = 1\nexamples = 16\n'
    )
    (tmp_path / "ann.py").write_text(
        "import numpy as np\n\ndef v(omega, r):\n    return np.cross(omega, r)\n"
    )
    status, text = run(capsys, "grade", tmp_path / "hw.toml", tmp_path / "ann.py", "--ledger", own)
    assert status == 0
    assert "ann: 1 of 1 points" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("verify", "--ledger", "nowhere"), "got 'nowhere', expected a folder, or an entry point"),
        (("verify", "--ledger", "."), "without notes.toml"),
        (("new-ledger", "My-Notes"), "got 'My-Notes', expected small letters"),
        (("new-ledger", "taken"), "taken, which exists"),
        (("verify", "--source", "newton"), "got 'newton', expected one of lloyd, sueda, si"),
    ],
)
def test_invalid_names_and_folders_are_refused(tmp_path, monkeypatch, capsys, arguments, message):
    empty = tmp_path / "empty"
    (empty / "taken").mkdir(parents=True)
    monkeypatch.chdir(empty)
    status, text = run(capsys, *arguments)
    assert status == 2
    assert message in text


def test_edited_files_are_read_again(own):
    with ledger.context(own):
        assert len(ledger.load()) == 1
    add(own, "erratum")
    with ledger.context(own):
        assert [record.id for record in ledger.load()] == [f"{own.name}/s1/e1", f"{own.name}/s2/e7"]


def test_an_installed_ledger_is_found_by_its_name(own, monkeypatch):
    class Point:
        name, value = "course", own.name

    monkeypatch.syspath_prepend(str(own.parent))
    monkeypatch.setattr("rbnotes.ledger.sources.entry_points", lambda group: [Point])
    with ledger.context("course") as shelf:
        assert shelf.folder == own
        assert [record.id for record in ledger.load()] == [f"{own.name}/s1/e1"]


def test_records_of_other_notes_do_not_belong(own):
    text = (own / "section_1.py").read_text()
    (own / "section_1.py").write_text(text.replace(f'"{own.name}/s1"', '"lloyd/s1"'))
    with ledger.context(own), pytest.raises(InvalidArgument, match="'lloyd'"):
        ledger.load()


def test_the_owner_of_code_depends_on_the_active_ledger(own):
    module = "rbnotes.ledger.claims.lloyd.section_0_3"
    with ledger.context(own):
        assert claim_code.code_owner(module) == "elsewhere"
    assert claim_code.code_owner(module) == "claim"
