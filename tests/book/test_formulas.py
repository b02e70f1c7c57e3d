"""Formulas as KaTeX sets them: what is accepted, what is refused, and numbers of equations."""

import json
import re

import pytest
from rbnotes_book.equations import in_inventory, number_in_notes
from rbnotes_book.formulas import SERVER, FormulaError, breakable, height, typeset

from rbnotes import ledger
from rbnotes.ledger.record import NEEDS_CORRECTION


def test_a_formula_becomes_html_and_mathml():
    html = typeset(r"R \in \SO", display=False)
    assert "<math" in html
    assert "katex-html" in html
    assert "katex-display" in typeset("x", display=True)


@pytest.mark.parametrize("separator", [r"\\[", r"\\ [", "\\\\\n["])
def test_bracket_after_a_row_break_is_not_a_distance(separator):
    html = typeset(r"\begin{pmatrix} I & 0 " + separator + r"x] & I \end{pmatrix}", display=True)
    assert html.count('<mo stretchy="false">[</mo>') == 1


def test_distance_after_a_row_break_is_parsed():
    html = typeset(r"\begin{matrix} a \\[2em] b \end{matrix}", display=True)
    assert "[</mo>" not in html


@pytest.mark.parametrize(
    "tex", [r"\frac{1", r"\notacommand", r"x^2^3", r"\begin{align} a &= b \end{align}", "é"]
)
def test_unparsable_formula_raises(tex):
    with pytest.raises(FormulaError):
        typeset(tex, display=True)


def test_every_replacement_of_the_errata_parses():
    wrong = [record for record in ledger.load() if record.verdict in NEEDS_CORRECTION]
    macros = set(json.loads(SERVER.with_name("macros.json").read_text(encoding="utf-8")))
    for record in wrong:
        assert not macros.intersection(re.findall(r"(?<!\\)\\[a-zA-Z]+", record.replacement)), record.id
        # prose: text and formulas by turns
        parts = record.replacement.split("$")[1::2] if record.is_prose else [record.replacement]
        for part in parts:
            assert typeset(part, display=not record.is_prose), record.id
    assert len(wrong) > 100


def test_a_definition_does_not_leak_into_the_next_formula():
    typeset(r"\gdef\mine{x} \mine", display=True)
    with pytest.raises(FormulaError):
        typeset(r"\mine", display=True)


def test_labels_of_the_notes_give_their_numbers():
    assert number_in_notes("lloyd-0.45") == "L 0.45"
    assert number_in_notes("sueda-1.37") == "S 1.37"
    assert number_in_notes("si-27") == "G 27"
    assert number_in_notes("rotations-log") is None


def test_numbers_are_looked_up_in_the_inventory():
    assert in_inventory("lloyd-0.1")
    assert in_inventory("si-27")
    assert not in_inventory("si-99")
    assert not in_inventory("lloyd-27")


@pytest.mark.parametrize(
    ("tex", "lines"), [("a", 1), (r"\begin{aligned} a &= b \\ c &= d \\ e &= f \end{aligned}", 3)]
)
def test_reserved_height_grows_with_the_lines(tex, lines):
    reserved = height(typeset(tex, display=True))
    assert 1.08 * 1.2 * lines <= reserved < 1.08 * 1.8 * lines


def test_long_formulas_in_the_text_break_inside_their_brackets():
    tex = r"\left(M - hD - h^2K\right)\dot q = \left(M - hD\right)\dot q_0 + hf"
    pieces = [typeset(text, display=False).count('class="base"') for text in (tex, breakable(tex))]
    assert pieces[1] > pieces[0]


@pytest.mark.parametrize(
    "tex",
    [
        r"\left(a + b\right)",
        r"\left(\frac{a + b + c + d}{e + f + g}\right) = h",
        r"\left(a + b + c + d + e + f + g + h\right.",
        r"a + b + c + d + e \leftarrow f + g + h",
    ],
)
def test_other_brackets_are_unchanged(tex):
    assert breakable(tex) == tex
