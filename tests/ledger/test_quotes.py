"""Formulas and quotes are those that were compared with the notes, and a changed letter or sign is noticed.

The notes are no part of the package. `tools/compare_quotes.py` compares the records with them, and stores a
digest of each formula.
"""

import json
from dataclasses import replace

import compare_quotes
import pytest

from rbnotes import ledger

RECORDS = {record.id: record for record in ledger.load() if record.formula}
STORED = json.loads(compare_quotes.STORED.read_text(encoding="utf-8"))
MIN_SHARE_OF_DISPLAYS = 0.85
"""Smallest share of the displays whose formulas are in the notes, whole or in parts."""


def changed(records):
    return [
        name for name, record in records.items() if STORED[name][1] != compare_quotes.digest(record.formula)
    ]


def test_formulas_are_those_that_were_compared_with_the_notes():
    assert list(STORED) == sorted(RECORDS)
    assert changed(RECORDS) == [], "compare them with the notes: tools/compare_quotes.py"


def test_most_displays_are_in_the_notes():
    kinds = [STORED[name][0] for name, record in RECORDS.items() if not record.is_prose]
    assert set(kinds) == set(compare_quotes.KINDS)
    assert kinds.count("restated") < (1 - MIN_SHARE_OF_DISPLAYS) * len(kinds)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("lloyd/s0.1/d2", r"- [\mathbf c]", r"+ [\mathbf c]"),
        ("sueda/s1.7.1/e1.26", "^T", ""),
        ("sueda/s2.6/t1174#a", "single", "only"),
        ("sueda/s2.4.12/t1042#a", "replacing", "changing"),
        ("si/s4/e7", r"\dot{\mathbf G}_i)", r"\ddot{\mathbf G}_i)"),
    ],
)
def test_a_planted_change_is_noticed(name, before, after):
    assert before in RECORDS[name].formula
    planted = replace(RECORDS[name], formula=RECORDS[name].formula.replace(before, after, 1))
    assert changed({name: planted}) == [name]


@pytest.mark.parametrize(
    ("formula", "other"),
    [
        (r"\frac{a}{b + c}", r"\frac{a}{b} + c"),
        (r"\frac{a b}{c}", r"a \frac{b}{c}"),
        (r"\sqrt{a + b}", r"\sqrt a + b"),
        (r"\dot{a b}", r"\dot a b"),
        (r"\overline{x y}", r"\overline{x} y"),
        ("x^{a b}", "x^a b"),
        (r"\begin{pmatrix} a & -b \end{pmatrix}", r"\begin{pmatrix} a - b \end{pmatrix}"),
        (r"\begin{pmatrix} a & b \\ c \end{pmatrix}", r"\begin{pmatrix} a \\ b & c \end{pmatrix}"),
    ],
)
def test_a_moved_brace_or_entry_is_noticed(formula, other):
    assert compare_quotes.digest(formula) != compare_quotes.digest(other)


def test_alignment_does_not_matter():
    first, second = r"\begin{aligned} a &= b \\ c &= d \end{aligned}", "a = b, c = d"
    assert compare_quotes.digest(first) == compare_quotes.digest(second.replace(",", ""))


def test_braces_around_one_symbol_do_not_matter():
    same = (
        r"\tfrac12 \dot{\mathbf q} \sqrt{x}",
        r"\frac{1}{2} \dot q \sqrt x",
        r"\frac{1}2 {\dot{q}} \sqrt{{x}}",
    )
    assert len({compare_quotes.digest(formula) for formula in same}) == 1


NOTES = r"""
The matrix is symmetric if “both” parts are, and it's dense, i.e., no entry of $M_{ij}$ vanishes.

\displaystyle{\bf a}_{{i}}^{{\prime}}=\left(\begin{matrix}{\bf b}&-{\bf c}^{T}\\
0&\frac{1}{2}[{\bf d}]\end{matrix}\right){}^{{W}}{\bf J}_{{k}}\leq{\bf e}, (0.1)
$$\mathbf{x} = \underbrace{R_i\left(u - v\right)}_{y} + z, \quad z \approx \alpha^\top w. \tag{0.2}$$
"""


@pytest.mark.parametrize(
    ("formula", "kind"),
    [
        (
            r"\mathbf a'_i = \begin{pmatrix} \mathbf b & -\mathbf c^\top \\ 0 & \tfrac12[\mathbf d]"
            r" \end{pmatrix}\,{}^W\mathbf J_k \le \mathbf e",
            "whole",
        ),
        (r"x = R_i(u - v) + z,\quad z \approx α^T w", "whole"),
        (r"z \approx \alpha^T w", "whole"),
        (r"\mathbf a'_i \le \mathbf e", "parts"),
        (r"x = R_i(u + v) + z", "restated"),
        (r"x = R_j(u - v) + z", "restated"),
        (r"\mathbf a_i \le \mathbf e", "restated"),
        (r"z \approx \alpha w", "restated"),
        (r"z \approx \dot\alpha^T w", "restated"),
        (r"\text{the matrix is symmetric}", "restated"),
        (r"\text{The matrix is symmetric}", "whole"),
    ],
)
def test_how_notes_contain_a_formula(formula, kind):
    assert compare_quotes.kind_of(formula, NOTES) == kind


@pytest.mark.parametrize(
    ("quote", "is_true"),
    [
        ("the matrix is symmetric", True),
        ("the matrix is symmetric if ``both'' parts are", True),
        ("it's dense, ... no entry of $M_{ij}$ vanishes", True),
        ("the matrix is symmetric, ... vanishes", False),
        ("the matrices is symmetric", False),
        ("it's dense, ... no entry of $M_{ji}$ vanishes", False),
    ],
)
def test_quotes_are_compared_letter_by_letter(quote, is_true):
    formula = rf"x = 1:\ \text{{`{quote}'}}"
    parts = list(compare_quotes.quotes(formula))
    assert len(parts) == quote.count("...") + 1
    assert all(compare_quotes.is_quoted(each, compare_quotes.canonical(NOTES)) for each in parts) == is_true


def test_changes_since_a_comparison_are_reported():
    stored = {"a": ["whole", "1"], "b": ["restated", "2"]}
    assert list(compare_quotes.findings("a", ("whole", "1"), stored, [])) == []
    assert "was whole in the notes" in next(compare_quotes.findings("a", ("restated", "1"), stored, []))
    assert "changed" in next(compare_quotes.findings("b", ("restated", "3"), stored, []))
    assert "changed" in next(compare_quotes.findings("c", ("restated", "3"), stored, []))
    assert "quote" in next(compare_quotes.findings("a", ("whole", "1"), stored, ["itis"]))


def test_a_planted_quote_is_compared_with_the_notes(tmp_path):
    for name in compare_quotes.FILES.values():
        (tmp_path / name).write_text(NOTES, encoding="utf-8")
    (tmp_path / "inventory.csv").write_text("source,id,section,lines\nlloyd,lloyd/s0.1/d1,0.1,4-5\n")
    texts, displays = compare_quotes.read_notes(tmp_path)
    record = replace(RECORDS["lloyd/s0.1/d1"], formula=r"-\mathbf c^T:\ \text{`it's dense'}")
    assert compare_quotes.compare(record, texts, displays) == ("restated", [])
    record = replace(record, formula=r"-\mathbf c^T:\ \text{`it was dense'}")
    assert compare_quotes.compare(record, texts, displays) == ("restated", ["itwasdense"])
    record = replace(record, id="lloyd/s0.1/t2", formula=r"\text{no entry of } M_{ij}")
    assert compare_quotes.compare(record, texts, displays) == ("whole", [])
