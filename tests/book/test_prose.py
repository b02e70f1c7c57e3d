r"""Claims in words: which formulas become sentences, and which parts stay formulas."""

import pytest
from rbnotes_book.formulas import typeset

from rbnotes import ledger
from rbnotes.ledger.tex_to_text import Piece, split_text_and_formulas

FORMULAS = [
    r"f = ma",
    r"\mathbf f_\text{body} = 0",
    r"E = 0\ \text{for all}\ i",  # few words
    r"\begin{cases} 1 & \text{where the body touches the floor below} \\ 0 & \text{elsewhere} \end{cases}",
    r"\left(\text{a long remark within a pair of brackets}\right)",
    r"a &= b \\ \text{a row of a display that is aligned} &= c",
]


@pytest.mark.parametrize("tex", FORMULAS)
def test_a_formula_stays_a_formula(tex):
    assert split_text_and_formulas(tex) == [Piece(tex, False)]


def test_a_sentence_becomes_words_and_formulas():
    tex = r"W = \text{Ad}^T F:\quad \text{`the $n$ wrenches', seen from}\ {}^0_i\text{Ad}(q) \text{ there}"
    assert split_text_and_formulas(tex) == [
        Piece(r"W = \text{Ad}^T F:", False),
        Piece(" ", True),
        Piece("\u2018the ", True),
        Piece("n", False),
        Piece(" wrenches\u2019, seen from", True),
        Piece(" ", True),
        Piece(r"{}^0_i\text{Ad}(q)", False),
        Piece(" ", True),
        Piece(" there", True),
    ]


def test_every_sentence_of_the_ledger_is_complete():
    sentences = 0
    for record in ledger.load():
        parts = split_text_and_formulas(record.formula)
        if len(parts) == 1 and not parts[0].is_text:
            continue
        sentences += 1
        for content, is_text in parts:
            if is_text:
                assert "\\" not in content, (record.id, content)
            else:
                typeset(content, display=False)
    assert sentences > 50
