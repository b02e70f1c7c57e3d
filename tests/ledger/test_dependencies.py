"""Displays rest on earlier ones: no cycle, every id exists, and the pairs are those that the notes cite."""

import json

import pytest
from cite_notes import Display, citations

from rbnotes import ledger
from rbnotes.cli import main
from rbnotes.ledger import Verdict, dependencies
from rbnotes.ledger.dependencies import (
    all_used,
    all_users,
    find_cycle,
    named_by_records,
    read_citations,
    read_graph,
    rests_on,
    used_by,
)
from rbnotes.ledger.sources import active_ledger

RECORDS = ledger.load()
DISPLAYS = {record.display for record in RECORDS}
GRAPH = read_graph()


def test_no_display_rests_on_itself():
    assert find_cycle(GRAPH) == ()


def test_a_cycle_is_found():
    planted = {"a": ("b", "c"), "b": ("d",), "c": ("d",), "d": ("e",), "e": ("b",)}
    assert find_cycle(planted) == ("b", "d", "e", "b")
    assert find_cycle({"a": ("a",)}) == ("a", "a")
    assert find_cycle({**planted, "e": ()}) == ()


def test_every_display_of_the_graph_has_a_record():
    pairs = read_citations(active_ledger()) | named_by_records(RECORDS)
    named = {each for pair in pairs for each in pair}
    assert sorted(named - DISPLAYS) == []
    assert len(named) > 200
    assert sum(map(len, GRAPH.values())) == len(pairs)


def test_both_directions_agree():
    for display in DISPLAYS:
        assert all(display in used_by(each) for each in rests_on(display))
        assert all(display in rests_on(each) for each in used_by(display))


@pytest.mark.parametrize(
    ("display", "below"),
    [
        ("sueda/s1.2/e1.9", "sueda/s1.2/e1.8"),
        ("sueda/s1.5/e1.19", "sueda/s1.5/e1.18"),  # named by the record
        ("sueda/s2.3/e2.18", "sueda/s1.6/e1.21"),
        ("sueda/s2.3/e2.19", "sueda/s2.3/e2.18"),
        ("sueda/s1.9.2/e1.31", "sueda/s1.4/e1.12"),
        ("lloyd/s0.14/d5", "lloyd/s0.14/e0.12"),
        ("si/s4/e10", "si/s3/e1"),
        ("sueda/s2.11/alg8", "sueda/s2.11/e2.118"),  # in a line of the algorithm
        ("sueda/s2.4.9/e2.50", "sueda/s1.5/e1.19"),  # in a remark
    ],
)
def test_known_dependencies(display, below):
    assert below in rests_on(display)
    assert display in used_by(below)


def test_dependencies_through_others():
    assert "sueda/s1.6/e1.21" in all_used("sueda/s2.3/e2.19")
    assert "sueda/s2.3/e2.19" in all_users("sueda/s1.6/e1.21")
    assert "sueda/s2.3/e2.19" not in used_by("sueda/s1.6/e1.21")


def test_displays_inherit_the_errata_on_which_they_rest():
    inherited = {each for each in DISPLAYS if dependencies.worst_verdict_below(each) is Verdict.ERRATUM}
    wrong = {each for each in DISPLAYS if dependencies.verdict_of(each) is Verdict.ERRATUM}
    assert inherited == {user for each in wrong for user in all_users(each)}
    assert inherited
    assert dependencies.worst_verdict_below("sueda/s1.1/e1.1") is None


def test_show_prints_both_directions(capsys):
    first = next(record.id for record in RECORDS if record.display == "sueda/s2.3/e2.18")
    assert main(["show", first, "--full"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.strip().startswith("rests on") and "(S 1.21)" in line for line in lines)
    assert any(line.strip().startswith("used by") and "(S 2.19)" in line for line in lines)
    assert main(["show", "S 2.18", "--json"]) == 0
    for entry in json.loads(capsys.readouterr().out):
        assert "sueda/s1.6/e1.21" in entry["rests_on"]
        assert "sueda/s2.3/e2.19" in entry["used_by"]


TEXT = """\
$$a = b \\quad (1.1)$$

where b is short. We insert (1.1) and the formula of others in their Equation (1.3) here.

By Eq. (1.1), and as we shall see in (1.3),

$$c = a(1.1) \\quad (1.2)$$

where $f(1.1)$ is a number, see (1.1). Use Algorithm 1.

Algorithm 1: solve (1.1) for $f(1.2)$

It repeats Eq. (1.2).

$$d = c(1.2) \\text{ by (1.1), } e = d \\text{ as in (1.4)} \\quad (1.3)$$
"""


def test_citations_of_a_text():
    numbers = {"e1.1": 1, "e1.2": 7, "alg1": 11, "e1.3": 15}
    displays = [Display(f"x/s1/{key}", "1", line, line) for key, line in numbers.items()]
    edges = {(a[5:], b[5:]) for a, b in citations(TEXT, displays, ["x/s1/t13"])}
    prose = {("e1.2", "e1.1"), ("e1.3", "e1.2"), ("t13", "e1.2")}
    assert edges == prose | {("alg1", "e1.1"), ("e1.3", "e1.1")}
