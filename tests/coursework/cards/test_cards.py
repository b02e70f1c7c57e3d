"""Cards of claims, and the code on them."""

import ast
import inspect
import pickle
import re
import subprocess
import sys
from itertools import islice

import numpy as np
import pytest

import rbnotes
from rbnotes import arguments, ledger
from rbnotes.coursework.cards import Card, standalone_code
from rbnotes.coursework.cards.code_extraction import _CONVERSIONS
from rbnotes.coursework.cards.descriptions import describe_values
from rbnotes.coursework.challenge.case_generation import right_forms
from rbnotes.coursework.challenge.library_tasks import load_all
from rbnotes.ledger.evaluation import distance, evaluate, samples
from rbnotes.ledger.section import Section
from rbnotes.ledger.sources import active_ledger

EXAMINED = 16
"""Every so many claims in the default run; `tools/challenge_trial.py --cards` looks at all."""
OFFERED = 4
"""Every so many records in the default run; `tools/challenge_trial.py --code` runs all."""
PARTS = 10
"""Parts of the slow tests, of which one runs each day."""


def test_card_states_the_task():
    card = rbnotes.card("sueda/s1.3/e1.10#a")
    assert card.arguments == {"w": "vector (3,)"}
    assert card.returns == "array (3, 3)"
    inputs, right = card.example
    np.testing.assert_allclose(rbnotes.so3.exp(inputs["w"]), right, atol=1e-12)
    assert 'rbnotes.challenge("sueda/s1.3/e1.10#a", your_function)' in card.task
    assert "import" not in card.task


@pytest.mark.slow
def test_card_states_units():
    card = rbnotes.card("sueda/s1.8/e1.29")
    assert card.units == {
        "E": "with translations in m",
        "phi": "in 3 x 1/s, 3 x m/s",
        "h": "in s",
        "result": "with translations in m",
    }
    assert "vector (6,) in 3 x 1/s, 3 x m/s" in card.task
    assert "angular part first" in card.task
    assert card.to_dict()["units"] == card.units
    assert "linear part first" in rbnotes.card("lloyd/s0.23/d9").task
    assert "are inconsistent: a factor h" in rbnotes.card("lloyd/s0.9.3/d4").describe_verdict()
    assert "are inconsistent: a factor $h$" in rbnotes.card("lloyd/s0.9.3/d4").describe_verdict(tex=True)


@pytest.mark.parametrize(
    ("id", "order"),
    [
        ("sueda/s1.9.5/e1.62", "angular"),  # its blocks, without the tension, have the units of Lloyd's
        ("sueda/s2.10/e2.110", "angular"),
        ("lloyd/s0.17/t774#b", "angular"),
        ("lloyd/s0.22.3/e0.59", "linear"),
        ("rbnotes/sSE3/d1", "angular"),
        ("sueda/s2.4.13/e2.71", ""),  # six coordinates are no twist
        ("lloyd/s0.6/e0.3", ""),  # nor are four speeds and two multipliers
        ("si/s4/e9", "angular"),
        ("sueda/s1.10/e1.72", ""),
    ],
)
def test_card_states_the_order_of_twist_components(id, order):
    lines = [line for line in rbnotes.card(id).task.splitlines() if line.startswith("Six numbers")]
    assert [line.partition(" part first")[0].rpartition(": ")[2] for line in lines] == [order] * bool(order)


def test_card_describes_each_entry_of_a_pair():
    one_of_two = re.compile(r" \((B|2|k|k, j|second|second, third|the (parent|joint|nodes))\)")
    assert not [record.id for record in load_all() if any(map(one_of_two.search, meanings(record).values()))]
    arguments = rbnotes.card("sueda/s2.1/e2.11").task
    assert "phi_p  vector (6,) in 3 x 1/s, 3 x m/s: of the parent, in its frame" in arguments
    assert "in 1/kg: of the complementarity problem" in rbnotes.card("lloyd/s0.8/d2").task
    assert "end of the rod" in rbnotes.card("sueda/s1.12/t640#b").task
    assert "point in the body 2" in rbnotes.card("sueda/s1.12/e1.81#a").task


def test_card_states_frames_and_meanings():
    task = rbnotes.card("sueda/s2.1/e2.7").task
    assert task.startswith("sueda/s2.1/e2.7  (S 2.7)\nThe twists of parent and child")
    assert "J      pose (4, 4) with translations in m: of the joint in the child" in task
    assert "unless stated otherwise" in task
    assert "in 1\n" not in rbnotes.card("sueda/s2.4.5/e2.34").task


@pytest.mark.slow
def test_card_states_the_condition_without_tex():
    task = rbnotes.card("lloyd/s0.22.1/t1178").task
    assert "It is tested only under this condition: The sentence does not include U: it is" in task
    conditions = [
        rbnotes.card(record.id).task for record in load_all() if record.condition and record.reference
    ]
    assert [task for task in conditions if re.search(r"[$\\]", task)] == []


def sections():
    """Return the sections of the ledger, each once."""
    sections_by_id = {}
    for module in active_ledger().modules():
        sections_by_id |= {id(value): value for value in vars(module).values() if isinstance(value, Section)}
    return list(sections_by_id.values())


def test_titles_say_of_what_they_name_a_part():
    vague = re.compile(
        r"(The )?(first|second|third|last|other) (parts?|terms?|rows?|cases?|steps?)\b(?! (of|in|with|for))",
        re.I,
    )
    assert [record.title for record in ledger.load() if vague.match(record.title)] == []


def test_every_argument_of_a_section_is_used_by_a_claim():
    assert len(sections()) > 80
    unused = []
    for section in sections():
        section_records = [record for record in ledger.load() if record.id.rpartition("/")[0] == section.id]
        used = {
            name
            for record in section_records
            for name, each in record.arguments.items()
            if section.arguments.get(name) is each
        }
        unused += [f"{section.id}: {name}" for name in section.arguments.keys() - used]
    assert unused == []


def test_claims_do_not_repeat_descriptions_of_their_section():
    described = {section.id: section.arguments for section in sections()}
    repeated = [
        f"{record.id}: {name}"
        for record in ledger.load()
        for name, each in record.arguments.items()
        if (other := described[record.id.rpartition("/")[0]].get(name)) is not each and other == each
    ]
    assert repeated == []


def meanings(record):
    """Return the meanings of the arguments and of the result, by name, of those that have one."""
    described = {**record.arguments, "result": record.result}
    return {name: each.meaning for name, each in described.items() if each.meaning}


def depends_on_frame(value):
    """Return True for three or six numbers, rotations and poses, which depend on the frame."""
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
        return False
    return value.shape[-1:] in ((3,), (6,)) or value.shape[-2:] == (4, 4)


def has_units(value):
    return isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")


def missing_descriptions(record):
    """Yield the units and frames of arguments and results that a card would not state."""
    is_general = record.source == "rbnotes"  # whose units are those of any twist
    if record.result.quantity is None and record.inputs and not is_general:
        yield f"{record.id}: units of what comes back"
    described = meanings(record)
    silent = record.inputs.keys() - described.keys()
    unmeasured = set() if is_general else record.inputs.keys() - record.quantities.keys()
    if not (silent or unmeasured) and "result" in described:
        return
    (values,) = samples(record.allowed_inputs, 1, random_seed=0)
    yield from (f"{record.id}: where {name} is" for name in silent if depends_on_frame(values[name]))
    yield from (f"{record.id}: units of {name}" for name in unmeasured if has_units(values[name]))
    if "result" not in described and evaluate(record.reference, values).shape:
        yield f"{record.id}: where what comes back is"


def test_all_arguments_and_results_have_units_and_frames():
    claims = [record for record in load_all() if record.reference is not None]
    assert [what for record in claims for what in missing_descriptions(record)] == []
    assert len(claims) > 900
    assert sum(len(meanings(record)) for record in claims) > 3000


def test_cards_are_complete():
    """Cards have names, shapes, units, the result, and an example on which the right form agrees."""
    claims = [record for record in load_all() if record.reference is not None]
    for record in claims[::EXAMINED]:
        card = Card(record)
        task = card.task
        assert list(card.arguments) == list(record.inputs)
        for name, text in card.arguments.items():
            words = " ".join(part for part in (text, card.units.get(name)) if part)
            assert re.search(rf"^  {name} +{re.escape(words)}", task, re.MULTILINE), (record.id, name)
        returned = re.search(r"^that returns (.*)\.$", task, re.MULTILINE)[1]
        inputs, right = card.example
        assert returned.startswith("array" if right.shape else "number")
        assert str(right.shape) in returned or not right.shape, record.id
        assert card.units.get("result", "") in returned, record.id
        assert not right.shape or returned.endswith(f": {record.result.meaning}"), record.id
        assert distance(evaluate(right_forms(record)[0], inputs), right) <= record.tolerance, record.id
        assert "For example," in task


@pytest.mark.parametrize(
    ("id", "name", "words"),
    [
        ("lloyd/s0.2/e0.1#a", "omega", "base coordinates"),
        ("lloyd/s0.2/d3#a", "omega", "rotated coordinates"),
        ("lloyd/s0.23/d2#b", "delta", "along its axes"),
        ("lloyd/s0.23/d8#a", "delta", "axes of the world"),
        ("lloyd/s0.22.1/e0.43#a", "delta", "axes of the bodies"),
        ("sueda/s1.6/e1.22", "g", "along the axes of the world"),
        ("sueda/s1.1/t35", "x", "in the world"),
    ],
)
def test_frame_of_an_argument_depends_on_the_claim(id, name, words):
    assert words in ledger.find(id).arguments[name].meaning


def test_card_shows_the_wrong_printed_form():
    card = rbnotes.card("S 1.62")
    inputs, printed, right = card.counterexample
    assert np.max(np.abs(printed - right)) > 0.1
    np.testing.assert_array_equal(printed, card.record.printed(*inputs.values()))
    assert "def printed(E, x):" in card.printed_code
    assert "def stiffness_printed" in card.printed_code


def test_a_definition_has_a_card():
    defined = next(record for record in ledger.load() if record.reference is None)
    assert "Nothing to submit" in str(Card(defined))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1.0, 2.0], "positive number"),
        ([1.0, -2.0], "number"),
        ([3], "integer"),
        ([np.eye(4)], "pose (4, 4)"),
        ([np.eye(3)], "rotation matrix (3, 3)"),
        ([np.diag([1.0, 2.0])], "diagonal matrix (2, 2)"),
        ([np.array([0.6, 0, 0.8, 0])], "unit quaternion, scalar first, (4,)"),
        ([np.zeros(3), np.ones(4)], "array (3,) or (4,)"),
        ([(np.eye(4), 1.0)], "tuple of pose (4, 4), positive number"),
    ],
)
def test_descriptions(values, words):
    assert describe_values(values) == words


def pages(start, step):
    return ((record, standalone_code(record)) for record in islice(ledger.load(), start, None, step))


RUN_CODE = """
import pickle, sys
sys.modules |= dict.fromkeys(("rbnotes", "scipy", "hypothesis"))  # importing one of these fails
answers = []
for code, several in pickle.load(sys.stdin.buffer):
    names = {}
    exec(code, names)
    answers.append([names["right_form"](*values) for values in several])
sys.stdout.buffer.write(pickle.dumps(answers))
"""


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_extracted_code_runs_and_is_right(tmp_path, part):
    """Run code that needs NumPy alone in a process and a folder without anything else."""
    extracted, num_tested = [], 0
    for record, code in pages(OFFERED * part, OFFERED * PARTS):
        if code is None:
            continue
        num_tested += 1
        inputs = samples(record.inputs, 2)
        if Card(record).required_packages == ("numpy",):
            extracted.append((record, code, inputs))
            continue
        names = {}
        exec(compile(code, f"<{record.id}>", "exec"), names)
        for values in inputs:
            error = distance(evaluate(names["right_form"], values), evaluate(record.library, values))
            assert error < 1e-9, record.id
    assert num_tested > 100 / PARTS
    assert extracted

    data = pickle.dumps(
        [(code, [tuple(values.values()) for values in inputs]) for _, code, inputs in extracted]
    )
    command = [sys.executable, "-I", "-c", RUN_CODE]
    run = subprocess.run(command, input=data, cwd=tmp_path, stdout=subprocess.PIPE, check=True)
    for (record, _, inputs), results in zip(extracted, pickle.loads(run.stdout), strict=True):
        for values, result in zip(inputs, results, strict=True):
            right = evaluate(record.library, values)
            assert distance(np.asarray(result, dtype=np.float64), right) < 1e-9, record.id


def test_card_states_the_packages_of_its_code():
    heading = {
        "lloyd/s0.2/d2": "with NumPy alone",
        "sueda/s1.3/e1.10#e": "with NumPy and SciPy",
        "S 1.62": "with rbnotes",
    }
    for id, words in heading.items():
        assert f"The right form, {words}:" in str(rbnotes.card(id))


def test_loop_of_checks_is_omitted():
    code = standalone_code(ledger.find("lloyd/s0.11/d2"))
    compile(code, "<pasted>", "exec")
    assert "complex_step" in code
    assert "strict=True" not in code


@pytest.mark.slow
def test_task_states_the_constraints_that_its_answer_needs():
    task = rbnotes.card("lloyd/s0.11/d2").task
    assert "(2, 4) in N m: the force" in task

    def force(q, alpha):
        rise = [np.imag(phi(q + 1e-30j * unit)) / 1e-30 for unit in np.eye(4)]
        return np.tile(-np.array(rise) @ np.linalg.solve(alpha, phi(q)), (2, 1))

    def phi(q):
        code = re.search(r"phi = (\(.*\))$", task, re.MULTILINE)[1]
        return np.array(eval(code, {"q": q, "sin": np.sin}))

    assert rbnotes.challenge("lloyd/s0.11/d2", force)


def test_standalone_code_imports_only_numpy_and_scipy():
    allowed = {"numpy", "scipy", "math", "itertools", "functools", "collections"}
    code = standalone_code(ledger.find("lloyd/s0.2/d2"))
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            assert {name.name.split(".")[0] for name in node.names} <= allowed
        if isinstance(node, ast.ImportFrom):
            assert node.module.split(".")[0] in allowed
    assert "arguments" not in code


def test_every_conversion_replaces_an_argument_check():
    checks = {name for name, value in vars(arguments).items() if inspect.isfunction(value)}
    assert set(_CONVERSIONS) <= checks


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_summaries_fit_on_a_screen(part):
    for record in ledger.load()[7 * part :: 7 * PARTS]:
        lines = Card(record).summarize().splitlines()
        assert len(lines) <= 24, record.id
        assert all(len(line) <= 80 for line in lines), record.id
        assert lines[0].startswith(record.id)
