"""Symbols in TeX, and the table of their meanings."""

import dataclasses
import re
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
import yaml
from rbnotes_book import equations, notation, symbols
from rbnotes_book.formulas import typeset

from rbnotes.ledger.dotted_names import resolve

BOOK = Path(__file__).parents[2] / "book"
TABLE = symbols.load(BOOK.parent / symbols.TABLE)

FORMULAS = {
    r"\dot{\mathbf{x}}_i^\T M_{c} \ddot q": [(r"\mathbf{x}", "i", 1), ("M", "c", 0), ("q", "", 2)],
    r"\hat{\mathbf f}_\text{body}": [(r"\hat{\mathbf{f}}", r"\text{body}", 0)],
    r"\dot{\bar C}_r": [(r"\bar{C}", "r", 1)],
    r"M_{\alpha k}' = M_{\alpha\alpha}^{-1}": [("M", r"\alpha k", 0), ("M", r"\alpha\alpha", 0)],
    # differential quotients, and a distance that is none
    r"\frac{d}{dt}\frac{d^2 V}{dt^2}": [("t", "", 0), ("V", "", 0), ("t", "", 0)],
    r"\frac dl": [("d", "", 0), ("l", "", 0)],
    r"\frac{\partial f}{\partial x}": [("f", "", 0), ("x", "", 0)],
    r"\tfrac12 m": [("m", "", 0)],
    # words, functions, brackets and layout are furniture
    r"\begin{array}{cc|c} a & b \\[2em] c \end{array}": [(letter, "", 0) for letter in "abc"],
    r"\text{where } x \operatorname{tr} y \mathrm{d}z": [("x", "", 0), ("y", "", 0), ("z", "", 0)],
    r"\left(\sqrt[3]{x'_k}\right)^{n}": [("x", "k", 0)],
    r"\mathbf{0}_{6\times6} \Ad_{ij}": [(r"\Ad", "ij", 0)],
}


@pytest.mark.parametrize("tex", FORMULAS)
def test_symbols_are_letters_with_accents_font_subscript_and_dots(tex):
    result = [(symbol.name, symbol.subscript, symbol.dots) for symbol in notation.symbols(tex)]
    assert result == FORMULAS[tex]


@pytest.mark.parametrize("tex", FORMULAS)
def test_marking_does_not_change_the_typeset_formula(tex):
    def without_marks(html):
        html = re.sub(r"<annotation.*?</annotation>", "", html)
        html = re.sub(r'<span class="enclosing[^"]*"[^>]*>(?=((?:(?!</?span).)*))', "<mark>", html)
        return re.sub(r"<[^>]*>", "", html)

    marked = notation.mark(tex, lambda symbol, tex: rf"\htmlData{{symbol=1}}{{{tex}}}")
    assert marked.count("htmlData") == len(FORMULAS[tex])
    assert without_marks(typeset(marked, display=True)) == without_marks(typeset(tex, display=True))


def test_chapter_and_subscript_select_the_entry():
    table = symbols.Table(
        [
            symbols.Entry(("E",), "pose"),
            symbols.Entry(("E",), "cone", chapters=("friction",)),
            symbols.Entry((r"\mathbf{R}", "R"), "rotation"),
            symbols.Entry(("R",), "softness", chapters=("friction",)),
            symbols.Entry(("M_{r}",), "reduced mass"),
        ]
    )

    def meaning_of(tex, chapter=""):
        number = table.number(notation.symbol(tex), chapter)
        return None if number is None else table.entries[number].meaning

    assert meaning_of("E_{ab}") == "pose"
    assert meaning_of("E", "friction") == "cone"
    assert meaning_of(r"\mathbf R", "friction") == "rotation"
    assert meaning_of("R", "friction") == "softness"
    assert meaning_of(r"\dot M_r") == "reduced mass"
    assert meaning_of("M") is None
    assert meaning_of(r"\hat E") is None


@pytest.mark.parametrize(
    ("pages", "subject"),
    [
        (["muscles", "axial"], "Springs"),
        (["muscles", "friction"], symbols.EVERYWHERE),
        ([], symbols.EVERYWHERE),
        (["index"], symbols.EVERYWHERE),
    ],
)
def test_symbols_belong_to_the_part_that_uses_them(pages, subject):
    parts = {"muscles": "Springs", "axial": "Springs", "friction": "Contact"}
    assert symbols.subject_of(pages, parts) == subject


def test_ambiguous_letter_in_a_chapter_is_rejected():
    entries = [symbols.Entry(("a", "b"), meaning_of, chapters=("friction",)) for meaning_of in ("one", "two")]
    with pytest.raises(ValueError, match="both 'one' and 'two' in friction"):
        symbols.Table(entries)


@pytest.mark.parametrize(
    "entry", [entry for entry in TABLE.entries if "." in entry.code], ids=lambda e: e.code
)
def test_names_in_the_code_exist(entry):
    if entry.code.startswith("numpy."):
        assert callable(attrgetter(entry.code.removeprefix("numpy."))(np))
        return
    owner, _, name = entry.code.rpartition(".")
    try:
        resolve(f"rbnotes.{entry.code}")
    except (ImportError, AttributeError):  # a field of a class, which has no default
        assert name in [field.name for field in dataclasses.fields(resolve(f"rbnotes.{owner}"))]


def test_tex_with_unmatched_brace_is_unchanged():
    tex = r"\frac{1}{2"
    assert notation.mark(tex, lambda symbol, tex: "") == tex


DISPLAY = re.compile(r"^\$\$\n(.*?)\n\$\$", re.DOTALL | re.MULTILINE)
GROUP = re.compile(r"\((hD\S*) \+ h\^2 ?K\S*?\)")
"""Damping and stiffness in brackets: both have the sign before the brackets."""
IN_THE_STEP = re.compile(r"([-+])[^-+(]*?h(?:\^2 ?(K)|(D))(?![a-zA-Z])")


def signs(tex):
    """Return the signs that stiffness and damping have in the matrix of an implicit step."""
    matches = IN_THE_STEP.findall(GROUP.sub(r"\1", tex))
    return {(stiffness or damping, sign) for sign, stiffness, damping in matches}


def test_signs_of_stiffness_and_damping_are_parsed():
    assert signs(r"\left(M - hD - h^2K\right)\dot x") == {("D", "-"), ("K", "-")}
    assert signs(r"M_r - J^\T\,(hD_m + h^2K_m)\,J") == {("D", "-")}
    assert signs(r"M_m + hD_m + h^2K_m") == {("D", "+"), ("K", "+")}


def test_stiffness_and_damping_signs_agree_with_the_steps_of_the_chapter():
    """The matrix M + hD + h^2 K belongs to minus the derivatives, M - hD - h^2 K to the derivatives."""
    signed_letters = set()
    for path in BOOK.glob("*.md"):
        text = path.read_text(encoding="utf-8")
        for letter, sign in {each for tex in DISPLAY.findall(text) for each in signs(tex)}:
            meaning_of = TABLE.entries[TABLE.number(notation.symbol(letter), path.stem)].meaning
            assert (sign == "+") == ("minus the derivative" in meaning_of), (path.stem, letter, meaning_of)
            assert sign == "-" or "*minus* the derivative" in text, f"{path.stem} does not say so"
            signed_letters.add((letter, sign))
    assert signed_letters == {(letter, sign) for letter in "KD" for sign in "+-"}


OPENED_BY_CLAIM = re.compile(r"\{claim\}`(?:[^`<]*<)?(\w+)/")
NUMBERED_DISPLAY = re.compile(r"\$\$(.*?)\$\$(?: \((\S+)\))?", re.DOTALL)
PARTS = {
    Path(chapter["file"]).name: part["caption"]
    for part in yaml.safe_load((BOOK.parent / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    for chapter in part["chapters"]
}


def uses():
    """Yield chapter, letter, number of the entry, and notes that have the display, for each symbol."""
    for chapter in PARTS:
        text = (BOOK / f"{chapter}.md").read_text(encoding="utf-8")
        end = 0
        for match in NUMBERED_DISPLAY.finditer(text):
            before = text[end : match.start()].strip().rpartition("\n\n")[2]
            end = match.end()
            display = equations.display_of(match[2] or "")
            sources = {display.partition("/")[0]} if display else set(OPENED_BY_CLAIM.findall(before))
            for symbol in notation.symbols(match[1]):
                number = TABLE.number(symbol, chapter)
                subscripts = {notation.symbol(tex).subscript for tex in TABLE.entries[number].tex}
                name = re.sub(r"\\(?:mathbf|boldsymbol)\{(.*)\}", r"\1", symbol.without_bold.name)
                subscript = symbol.subscript if symbol.subscript in subscripts else ""
                yield chapter, (name, subscript), number, sources


def test_letters_have_one_meaning_in_each_part_except_in_the_notation_of_the_notes():
    meanings, sources = {}, {}
    for chapter, letter, number, display_sources in uses():
        meanings.setdefault((PARTS[chapter], letter), set()).add(number)
        sources.setdefault(number, {}).setdefault(chapter, set()).update(display_sources)
    entries = TABLE.entries
    ambiguous = {
        where: [entries[number].meaning for number in numbers if not entries[number].notation_of]
        for where, numbers in meanings.items()
        if len(numbers) > 1
    }
    assert {where: own for where, own in ambiguous.items() if len(own) > 1} == {}
    for number, entry in enumerate(entries):
        shown = set().union(*sources[number].values())
        assert set(entry.notation_of) <= shown, (entry.tex, entry.meaning, "no display of these notes has it")


def test_letters_have_at_most_five_meanings_beside_those_of_the_notes():
    meanings = {}
    for _, letter, number, _ in uses():
        if not TABLE.entries[number].notation_of:
            meanings.setdefault(letter, set()).add(TABLE.entries[number].meaning)
    assert {letter: each for letter, each in meanings.items() if len(each) > 5} == {}
