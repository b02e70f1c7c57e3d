"""The assignment file: contents and error messages."""

import pytest
from classroom import ASSIGNMENT

from rbnotes.arguments import InvalidArgument
from rbnotes.coursework import grading

TASK = '[[task]]\nfunction = "f"\nclaim = "lloyd/s0.2/d2"\npoints = 1\n'


def test_assignment_file_is_read(folder):
    assignment = grading.read_assignment(folder / "hw.toml")
    assert (assignment.title, assignment.seed, assignment.points, assignment.folder) == (
        "Multiples",
        3,
        6,
        folder,
    )
    assert assignment.limits.seconds == 60.0
    assert [task.function for task in assignment.tasks] == ["double", "triple"]
    assert dict(assignment.tasks[0].regions) == {"generic": 3, "tiny": 1}
    assert assignment.feedback == grading.Feedback()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "task: got none, expected at least one"),
        ("title = ", "TOML"),
        ('[task]\nfunction = "f"', "task: got none"),
        (TASK + 'color = "red"', "task 1: color: got an unknown name, expected one of function, points"),
        (TASK.replace('"f"', '"f g"'), "task 1: function: got 'f g'"),
        (TASK.replace("points = 1", ""), "task 1: points: got nothing"),
        (TASK.replace("points = 1", 'points = "1"'), "task 1: points: got '1', expected a float"),
        (TASK.replace("points = 1", "points = -1"), r"task 1 \(f\): points: got -1"),
        (TASK.replace("points = 1", "points = nan"), r"task 1 \(f\): points: got nan"),
        (TASK + "examples = 0", r"task 1 \(f\): examples: got 0"),
        (TASK + 'oracle = "a.py:b"', "got both, expected either"),
        (TASK.replace("claim", "title"), "got neither, expected either"),
        (TASK.replace('claim = "lloyd/s0.2/d2"', 'oracle = "a.py:b"'), "inputs: got none"),
        (TASK + "regions = { tiny = 0 }", "task 1: regions: tiny: got 0"),
        (TASK + TASK, "got f twice"),
        ("seed = 1.5\n" + TASK, "the assignment: seed: got 1.5, expected a int"),
        ("[limits]\nseconds = 0\n" + TASK, "limits: seconds: got 0, expected a number above 0"),
        ("limits = 3\n" + TASK, "limits: got 3, expected a table"),
        ("[feedback]\ninputs = 1\n" + TASK, "feedback: inputs: got 1"),
    ],
)
def test_errors_in_an_assignment_file_are_named(tmp_path, text, message):
    (tmp_path / "hw.toml").write_text(text)
    with pytest.raises(InvalidArgument, match=message):
        grading.read_assignment(tmp_path / "hw.toml")


def test_missing_assignment_file(tmp_path):
    with pytest.raises(InvalidArgument, match="No such file"):
        grading.read_assignment(tmp_path / "hw.toml")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("oracles.py:double", "nowhere.py:double", "task double: nowhere.py:double: got FileNotFoundError"),
        ("oracles.py:double", "oracles.py:twofold", "got no twofold"),
        ("oracles.py:double", "oracles.py:ranges", "no function"),
        ("generic = 3", "generous = 3", "regions: got 'generous', expected one of generic, tiny"),
    ],
)
def test_errors_of_an_oracle_are_named(folder, old, new, message):
    (folder / "hw.toml").write_text(ASSIGNMENT.replace(old, new))
    with pytest.raises(InvalidArgument, match=message):
        grading.prepare_assignment(grading.read_assignment(folder / "hw.toml"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("return 2 * x", "return 1 / 0", "ZeroDivisionError"),
        ("return 2 * x", "return np.inf * x", "no finite number"),
        ("rng.normal(size=3)}\n\n\nr", "print}\n\n\nr", "TypeError"),
    ],
)
def test_failing_oracle_is_reported(folder, old, new, message):
    text = (folder / "oracles.py").read_text()
    assert old in text
    (folder / "oracles.py").write_text(text.replace(old, new))
    with pytest.raises(InvalidArgument, match=message):
        grading.prepare_assignment(grading.read_assignment(folder / "hw.toml"))


def test_inputs_must_be_plain_data(folder):
    with (folder / "oracles.py").open("a") as file:
        file.write("\n\ndef odd(rng):\n    return {'x': rng.normal(size=3), 'rng': rng}\n")
        file.write("\n\ndef thrice(x, rng):\n    return 3 * x\n")
    text = ASSIGNMENT.replace("oracles.py:triple", "oracles.py:thrice").replace(
        "oracles.py:few", "oracles.py:odd"
    )
    (folder / "hw.toml").write_text(text)
    with pytest.raises(InvalidArgument, match="cannot be sent to a child process"):
        grading.prepare_assignment(grading.read_assignment(folder / "hw.toml"))


def test_the_seed_decides_the_cases(folder):
    def first(seed):
        (folder / "hw.toml").write_text(ASSIGNMENT.replace("seed = 3", f"seed = {seed}"))
        return (
            grading.prepare_assignment(grading.read_assignment(folder / "hw.toml"))
            .cases["double"][0]
            .inputs["x"]
            .tolist()
        )

    assert first(3) == first(3) != first(4)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda prepared: grading.read_assignment(3), "path"),
        (lambda prepared: grading.read_submissions(None), "folder"),
        (lambda prepared: grading.prepare_assignment("hw.toml"), "assignment"),
        (lambda prepared: [*grading.grade_submissions("hw.toml", [])], "prepared"),
        (lambda prepared: [*grading.grade_submissions(prepared, ["ann.py"])], r"submissions[0]"),
        (
            lambda prepared: [*grading.grade_submissions(prepared, grading.Submission("ann", "ann.py"))],
            "submissions",
        ),
        (lambda prepared: [*grading.grade_submissions(prepared, [], jobs=0)], "jobs"),
    ],
)
def test_argument_of_wrong_type_is_named(folder, call, name):
    prepared = grading.prepare_assignment(grading.read_assignment(folder / "hw.toml"))
    with pytest.raises(InvalidArgument) as error:
        call(prepared)
    assert error.value.name == name
