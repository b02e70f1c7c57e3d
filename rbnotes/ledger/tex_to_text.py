r"""Convert a formula that is mostly ``\text{...}`` to text with formulas, which can wrap.

A display is one line however long it is; a sentence in it would be cut on a phone.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

MIN_TEXT_LENGTH = 30
"""Smallest number of letters of text that make a formula a sentence."""

TOKEN = re.compile(r"\\begin\b|\\end\b|\\left\b|\\right\b|(?<![_^])\\text\{|\\\\|\\.|[{}&]", re.DOTALL)
NAME = re.compile(r"\w+\}[\w^_(]")
"""A word that is part of a formula, as in ``\\text{Ad}^T``."""
SPACE = re.compile(r"(?:\\[ ,;:]|\\q?quad\b|~|\s)+")

FONTS = "mathbf|mathrm|mathcal|mathbb|boldsymbol|text|operatorname|left|right|big|Big|tfrac|frac|underbrace"
SIGNS = {"cdot": "·", "times": "×", "le": "≤", "ge": "≥", "ne": "≠", "approx": "≈", "partial": "∂", "to": "→",
         "top": "T", "lvert": "|", "rvert": "|",
         "infty": "∞", "pm": "±", "perp": "⊥", "sum": "∑", "sqrt": "√",
         "lambda": "λ", "Lambda": "Λ", "varphi": "φ", "varepsilon": "ε"}  # fmt: skip
"""Greek letters whose Unicode names differ from those of TeX."""


class Piece(NamedTuple):
    """Part of the text of a claim.

    Attributes
    ----------
    content
        Words, or TeX.
    is_text
        True for words, False for TeX.
    """

    content: str
    is_text: bool


def split_text_and_formulas(tex: str) -> list[Piece]:
    """Split a claim into words and formulas; a claim that is not a sentence is a single formula."""
    pieces: list[Piece] = []
    depth = start = index = 0
    while match := TOKEN.search(tex, index):
        token, index = match[0], match.end()
        if token == r"\text{" and depth == 0:
            end = _closing_brace(tex, index)
            if NAME.match(tex[index:]):
                index = end + 1
                continue
            pieces += [*_formula_pieces(tex[start : match.start()]), *_text_pieces(tex[index:end])]
            start = index = end + 1
        elif token in ("{", r"\begin", r"\left", r"\text{"):
            depth += 1
        elif token in ("}", r"\end", r"\right"):
            depth -= 1
        elif token in ("&", r"\\") and depth == 0:
            return [Piece(tex, False)]
    pieces += _formula_pieces(tex[start:])
    written = sum(len(piece.content) for piece in pieces if piece.is_text)
    return pieces if written >= MIN_TEXT_LENGTH else [Piece(tex, False)]


def _closing_brace(tex: str, index: int) -> int:
    """Return the index of the brace that closes the group opened before ``index``."""
    depth = 1
    for position in range(index, len(tex)):
        depth += {"{": 1, "}": -1}.get(tex[position], 0)
        if depth == 0:
            return position
    raise ValueError(f"a group that is not closed: {tex!r}")


def _text_pieces(text: str) -> list[Piece]:
    """Return the pieces of text that can contain formulas between dollars."""
    parts = re.sub(r"\\ |~", " ", text.replace("`", "\u2018").replace("'", "\u2019")).split("$")
    return [Piece(part, index % 2 == 0) for index, part in enumerate(parts) if part]


def _formula_pieces(tex: str) -> list[Piece]:
    """Return a formula between words; adjacent spaces become spaces of the text."""
    inner = tex
    before = after = ""
    if match := SPACE.match(inner):
        before, inner = " ", inner[match.end() :]
    while match := re.search(SPACE.pattern + r"\Z", inner):
        after, inner = " ", inner[: match.start()]
    if not inner:
        return [Piece(" ", True)] if before else []
    pieces = Piece(before, True), Piece(inner, False), Piece(after, True)
    return [piece for piece in pieces if piece.content]


def formula_to_text(tex: str) -> str:
    """Return a short formula as a line of text: Greek letters and symbols, no fonts, no braces."""
    text = re.sub(r"\\[,;:! ]|\\q?quad\b|~|&|\\\\", " ", tex)
    text = re.sub(rf"\\(?:{FONTS})(?![a-zA-Z])", "", text)
    text = re.sub(r"\\([a-zA-Z]+)", lambda command: _unicode_sign(command[1]), text)
    return " ".join(re.sub(r"[{}\\]", "", text).split())


def _unicode_sign(command: str) -> str:
    case = "CAPITAL" if command[0].isupper() else "SMALL"
    try:
        sign = SIGNS.get(command) or unicodedata.lookup(f"GREEK {case} LETTER {command}")
    except KeyError:
        return command if len(command) == 1 else f" {command} "
    return sign


def sentence_to_text(text: str) -> str:
    """Return a sentence with formulas between dollars as plain text for a terminal, without TeX."""
    parts = text.split("$")
    parts[1::2] = map(formula_to_text, parts[1::2])
    return "".join(parts)
