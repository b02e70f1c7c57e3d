r"""Find the symbols in a formula's TeX: a letter with its accents, its font and its subscript.

Powers, transposes and primes are not part of a symbol, dots are time derivatives, and letters in a script are
not symbols of their own. Words, names of functions, d, \delta, \Delta and \partial are not symbols.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

TOKEN = re.compile(r"\\[a-zA-Z]+\*?|\\.|\s+|.", re.DOTALL)
DOTS = {r"\dot": 1, r"\ddot": 2}
ACCENTS = {rf"\{name}" for name in ("hat", "bar", "tilde", "vec", "underline", "overline", "widehat")}
BOLD = {r"\mathbf", r"\boldsymbol"}
FONTS = {r"\mathcal", r"\mathsf", r"\mathfrak"}
VERBATIM = {
    rf"\{name}"
    for name in (
        "text", "texttt", "textbf", "mathrm", "operatorname", "operatorname*", "phantom", "vphantom",
        "hphantom", "end", "hspace", "tag", "mathbb",
    )
}  # fmt: skip
ARGUMENTS = {r"\frac": 2, r"\tfrac": 2, r"\dfrac": 2, r"\sqrt": 1, r"\binom": 2}
LETTERS = {
    rf"\{name}"
    for name in (
        "alpha", "beta", "gamma", "epsilon", "varepsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda",
        "mu", "nu", "xi", "rho", "sigma", "tau", "upsilon", "phi", "varphi", "chi", "psi", "omega", "ell",
        "Gamma", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega", "Ad", "ad",
    )
}  # fmt: skip
DIFFERENTIAL = re.compile(r"\s*d\s*(?:[a-zA-Z]|\\(?!T))")
"""Denominator of a differential quotient."""
LEADING_D = re.compile(r"\s*d(?:\^\d)?(?![_'])")


@dataclass(frozen=True)
class Symbol:
    """Symbol as written: ``name`` with font and accents, ``subscript``, and dots."""

    name: str
    subscript: str = ""
    dots: int = 0

    @property
    def full(self) -> str:
        return f"{self.name}_{{{self.subscript}}}" if self.subscript else self.name

    @property
    def without_bold(self) -> Symbol:
        """Return the same letter without bold face."""
        name = self.name
        for font in BOLD:
            name = re.sub(re.escape(font) + r"\{([^{}]*)\}", r"\1", name)
        return Symbol(name, self.subscript, self.dots)


Mark = Callable[[Symbol, str], str]
"""Gets a symbol and its TeX with all scripts; returns the TeX to put in its place."""


def mark(tex: str, each: Mark) -> str:
    """Apply ``each`` to every symbol of the TeX; return it unchanged if braces are unmatched."""
    tokens = TOKEN.findall(tex)
    if tokens.count("{") != tokens.count("}"):
        return tex  # KaTeX will say what is wrong with it
    return _Scanner(tokens, each).all()


def symbols(tex: str) -> list[Symbol]:
    """Return all symbols of a formula in order, with repetitions."""
    result: list[Symbol] = []

    def note(symbol: Symbol, tex: str) -> str:
        result.append(symbol)
        return tex

    mark(tex, note)
    return result


def symbol(tex: str) -> Symbol:
    """Return the only symbol of ``tex``.

    Raises
    ------
    ValueError
        If there is none, or more than one.
    """
    result = symbols(tex)
    if len(result) != 1:
        raise ValueError(f"not one symbol: {tex!r}")
    return result[0]


class _Scanner:
    """Scanner that reads tokens from left to right."""

    def __init__(self, tokens: list[str], each: Mark) -> None:
        self.tokens = tokens
        self.each = each
        self.at = 0

    def all(self) -> str:
        parts = []
        while self.at < len(self.tokens):
            parts.append(self.one())
        return "".join(parts)

    def one(self) -> str:
        token = self.tokens[self.at]
        if token in VERBATIM:
            return self.take() + self.spaced_group()
        if token == r"\begin":
            return self.begin()
        if token == r"\\":
            return self.take() + self.distance()
        if token in ARGUMENTS:
            return self.arguments(ARGUMENTS[token])
        if token in "_^":
            return self.take() + self.spaced_group()
        if token == "{":
            return "{" + self.within(self.group()) + "}"
        if token in DOTS.keys() | ACCENTS | BOLD | FONTS:
            return self.accented_letter()
        if token in LETTERS or (len(token) == 1 and token.isalpha()):
            return self.add_scripts(Symbol(token), self.take())
        return self.take()

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def spaces(self) -> str:
        parts = []
        while self.at < len(self.tokens) and self.tokens[self.at].isspace():
            parts.append(self.take())
        return "".join(parts)

    def group(self) -> str:
        """Return the next group without its braces, or the next token."""
        if self.at == len(self.tokens):
            return ""
        token = self.take()
        if token in DOTS.keys() | ACCENTS | BOLD | FONTS | VERBATIM:
            return token + self.spaces() + "{" + self.group() + "}"
        if token != "{":
            return token
        start, depth = self.at, 1
        while depth and self.at < len(self.tokens):
            depth += {"{": 1, "}": -1}.get(self.take(), 0)
        return "".join(self.tokens[start : self.at - 1])

    def spaced_group(self) -> str:
        return self.spaces() + "{" + self.group() + "}"

    def within(self, tex: str) -> str:
        return mark(tex, self.each)

    def argument(self) -> str:
        self.spaces()
        return self.group()

    def distance(self) -> str:
        following = "".join(self.tokens[self.at : self.at + 12])
        match = re.match(r"\s*\[-?[\d.]+(?:pt|em|ex|mm|cm)\]", following)
        if match:
            self.at += len(match[0])
        return match[0] if match else ""

    def begin(self) -> str:
        self.take()
        environment = self.group()
        columns = "{" + self.group() + "}" if environment == "array" else ""
        return rf"\begin{{{environment}}}{columns}"

    def arguments(self, count: int) -> str:
        parts = [self.take()]
        if self.at < len(self.tokens) and self.tokens[self.at] == "[":  # which root
            while parts[-1] != "]":
                parts.append(self.take())
        contents = [self.argument() for _ in range(count)]
        differential = count == 2 and DIFFERENTIAL.match(contents[1])
        for content in contents:
            match = LEADING_D.match(content) if differential else None
            start = match.end() if match else 0
            parts.append("{" + content[:start] + self.within(content[start:]) + "}")
        return "".join(parts)

    def accented_letter(self) -> str:
        """Return a letter below accents or in a font."""
        command = self.take()
        space = self.spaces()
        content = self.group().strip()
        tex = f"{command}{space}{{{content}}}"
        letters: list[Symbol] = []

        def take_out(symbol: Symbol, tex: str) -> str:
            letters.append(symbol)
            return ""

        if mark(content, take_out).strip() or len(letters) != 1:
            return f"{command}{space}{{{self.within(content)}}}"
        (letter,) = letters
        if command in DOTS:
            accented = Symbol(letter.name, letter.subscript, letter.dots + DOTS[command])
        else:
            accented = Symbol(f"{command}{{{letter.name}}}", letter.subscript, letter.dots)
        return self.add_scripts(accented, tex)

    def add_scripts(self, symbol: Symbol, tex: str) -> str:
        """Add the scripts that follow a letter."""
        subscript, scripted = symbol.subscript, tex
        while self.at < len(self.tokens):
            start = self.at
            space = self.spaces()
            token = self.tokens[self.at] if self.at < len(self.tokens) else ""
            if token == "'":
                scripted += space + self.take()
            elif token in ("_", "^"):
                self.take()
                self.spaces()
                content = self.group()
                if token == "_":
                    subscript = _tight(content)
                scripted += f"{token}{{{content}}}"
            else:
                self.at = start
                break
        return self.each(Symbol(symbol.name, subscript, symbol.dots), scripted)


def _tight(tex: str) -> str:
    """Remove all spaces except those between a command and a letter."""
    return "".join(part for part in re.split(r"(\\[a-zA-Z]+\s+(?=[a-zA-Z])|\s+)", tex) if not part.isspace())
