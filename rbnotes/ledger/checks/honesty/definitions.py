"""Check the TeX of definitions: a definition introduces a plain symbol; any other equation is a claim."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

FONTS = frozenset(
    [
        "mathbf",
        "boldsymbol",
        "mathcal",
        "mathsf",
        "mathbb",
        "bm",
        "textbf",
        "vec",
        "hat",
        "bar",
        "dot",
        "ddot",
        "tilde",
        "overline",
        "underline",
        "widehat",
        "widetilde",
        "check",
    ]
)
TEXT_COMMANDS = frozenset(["mathrm", "text", "operatorname", "mathit", "textit"])
OPERATORS = frozenset(
    [
        "times",
        "cdot",
        "det",
        "exp",
        "log",
        "ln",
        "sin",
        "cos",
        "tan",
        "sqrt",
        "frac",
        "tfrac",
        "dfrac",
        "sum",
        "prod",
        "int",
        "wedge",
        "otimes",
        "oplus",
        "max",
        "min",
        "arg",
        "nabla",
        "begin",
        "end",
        "perp",
        "pm",
        "mp",
        "circ",
        "tr",
        "lim",
        "div",
        "le",
        "leq",
        "ge",
        "geq",
        "in",
        "to",
        "quad",
        "qquad",
        "left",
        "right",
        "equiv",
        "approx",
    ]
)
VARIATION_COMMANDS = frozenset(["delta", "Delta", "partial"])
POWERS = frozenset(("T", "top", "-1", "-T", "-top", "2", "3", "4", "mathsfT", "mathrmT"))
SPACES = re.compile(r"\\[,;:!> ]|\\quad|\\qquad|\\left|\\right|&|~")
TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[^\s]")
RELATION = re.compile(
    r"\\(?:equiv|approx|simeq|Rightarrow|implies|Leftrightarrow|iff)(?![a-zA-Z])|:=|(?<![<>!])="
)
SENTENCE = re.compile(
    r"(?<![\w-])(?:is|are|has|have|equals?|vanish(?:es)?|always|never|cannot|must|depends?|stays?|remains?|becomes?|holds?|"
    r"(?:skew-)?symmetric|orthogonal|(?:semi-?)?definite|singular|invertible|conserved|constant)(?![\w-])"
)
ORDER_RELATION = re.compile(
    r"\\(?:succ|prec|succeq|preceq|leq?|geq?|in|perp|parallel|propto|sim|cong|ll|gg|subset|subseteq|neq?)(?![a-zA-Z])|[<>]"
)


NOUN = re.compile(
    r"\b(?!(?:(?:quasi)?velocity|complementarity|density|quantity|identity|gravity|elasticity|viscosity|stiffness|"
    r"distance|sequence|difference|reference|influence|dependence on)\b)"
    r"(?:\w{3,}(?:ity|ness|iency|ancy|ance|ence)|\w*symmetry|uniqueness|conservation|cancellation|preservation)\b",
    re.IGNORECASE,
)
"""Nouns that name a property, which is a claim, unless they name a quantity."""
BRACE = re.compile(r"\\(?:underbrace|overbrace|underset|overset|stackrel)(?![a-zA-Z])")
LIMIT_SUBSCRIPT = re.compile(r"\\lim\s*_\s*\{[^{}]*\}")
ARROW = re.compile(
    r"\\(?:to|(?:long|x)?rightarrow|(?:long)?mapsto|searrow|nearrow|downarrow|uparrow)(?![a-zA-Z])"
)
DERIVATIVE_MARKS = re.compile(
    r"\\d{0,3}dot(?![a-zA-Z])|'+|\^\s*\{?\s*(?:\\prime\s*)+\}?|"
    r"_\s*\{\s*,[^}]*\}|\\t?frac\s*\{\s*(?:\\mathrm\s*)?\{?\s*(?:d|\\partial)\s*\}?|\{\s*(?:d|\\partial)\s*t\s*\}"
)


COMMAND = re.compile(r"\\([a-zA-Z]+)")
GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau",
    "phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega",
)
WITHOUT_MEANING = ("cdots dots ldots vdots bigl bigr Bigl Bigr top vee prime mid ell infty",)
CHECKED = (
    "underbrace overbrace underset overset stackrel rightarrow longrightarrow xrightarrow Rightarrow implies",
    "succ succeq prec preceq neq ne parallel propto simeq ll gg",
)
"""Commands for which there is a check of their own."""
KNOWN_COMMANDS = (FONTS | TEXT_COMMANDS | OPERATORS | VARIATION_COMMANDS).union(
    *(words.split() for words in (*GREEK, *WITHOUT_MEANING, *CHECKED))
)
VALUE_AFTERWARDS = re.compile(
    r"(?:\\[ ,;:]|\\q?quad)\s*\((?!.*\\(?:ne|le|ge|in))[^()=<>]*\)\s*$|"
    r":(?!=)\s*(?:\\[ ,;:])*\s*[-\w\\]+\s*$"
)
"""A value in parentheses or after a colon."""
VALUE = re.compile(
    r"[-+]? ?(?:[\d. ]+|\\infty|\\mathbf 0)|\\(?:mathrm|text|operatorname) \{ c o n s t[^{}]*\}"
)
"""A number, or the word for a constant."""
VERB = re.compile(
    r"(?<![\w-])(?:preserves|conserves|agrees|coincides|commutes|follows|minimizes|maximizes|grows|decreases|"
    r"increases|converges|diverges|requires|implies|satisfies|needs|cancels|exceeds|dissipates|bounds|gives|"
    r"yields|leads|allows|contains|keeps|leaves|makes|produces)(?![\w-])"
)
"""Verbs that make a sentence of a title."""


def findings(formula: str, defines: Iterable[str], *, checked: bool = False) -> Iterator[str]:
    """Yield the reasons why a formula is not a definition of the given symbols.

    Only a definition whose forms are ``checked`` may be an assignment, with its symbol on both sides.
    """
    relations = [text for text in split_equations(formula) if len(split_sides(text)) > 1]
    defines = tuple(defines)
    if sentence := SENTENCE.search(formula):
        yield f"form: `{sentence[0].strip()}` makes a sentence, which is a claim"
    if unknown := sorted(set(COMMAND.findall(formula)) - KNOWN_COMMANDS):
        yield f"form: {', '.join(unknown)} may state a claim: a definition uses known commands only"
    if value := VALUE_AFTERWARDS.search(formula):
        yield f"form: {value[0].strip()} beside a definition states a value, which is a claim"
    if BRACE.search(formula):
        yield "form: a brace or a mark over a relation makes two expressions equal: it is a claim"
    if ARROW.search(LIMIT_SUBSCRIPT.sub("", formula)):
        yield "form: the value of a limit is a claim"
    if not relations and not defines:
        if ORDER_RELATION.search(formula):
            yield f"form: {formula.strip()[:70]} compares what is defined elsewhere: it is a claim"
        return
    if not defines:
        yield "form: a definition with an equation names in `defines` the symbols that it introduces"
        return
    yield from (
        f"form: {symbol} of `defines` is not a plain symbol" for symbol in defines if not is_symbol(symbol)
    )
    if not checked:
        yield from _derivative_findings(relations, defines)
    symbols = {normalize_tex(symbol) for symbol in defines}
    defined_sides: set[str] = set()
    for text in relations:
        both = {normalize_tex(side) for side in split_sides(text)}
        if not both & symbols:
            yield f"form: {text.strip()[:70]} defines none of {', '.join(defines)}: it is a claim"
        elif not (both & symbols) - defined_sides:
            yield f"form: {text.strip()[:70]} defines once more what is defined already: it is a claim"
        elif not checked and any(
            _contains_symbol(side, symbol) for symbol in symbols & both for side in both
        ):
            yield f"form: {text.strip()[:70]} has its symbol on both sides: it is a claim"
        elif len(both - symbols) > 1:
            yield f"form: {text.strip()[:70]} makes two expressions equal: it is a claim"
        elif not checked and (stated := _stated_value(text, symbols)):
            yield f"form: {text.strip()[:70]} states that a quantity is {stated}: it is a claim"
        elif not checked and (order := ORDER_RELATION.search(without_brackets(text))):
            yield f"form: {order[0]} in {text.strip()[:70]} compares what is defined: it is a claim"
        defined_sides |= both
    yield from (
        f"form: {symbol} of `defines` stands on no side"
        for symbol in defines
        if normalize_tex(symbol) not in defined_sides
    )


def _stated_value(text: str, symbols: set[str]) -> str:
    """Return what makes an equation the value of a quantity: a number, a word, or another symbol.

    The sign of equivalence gives a symbol another name.
    """
    sides = {normalize_tex(side) for side in split_sides(text)}
    for side in sorted(sides - symbols):
        if VALUE.fullmatch(side):
            return side
        if is_symbol(side) and not side.startswith(r"\text ") and not re.search(r"\\equiv|:=", text):
            return f"another one, {side}"
    return ""


def without_brackets(text: str) -> str:
    """Return TeX without all that is in braces, brackets and environments."""
    parts, depth = [], 0
    for token in re.findall(r"\\begin\{\w+\}|\\end\{\w+\}|\\[a-zA-Z]+|\\.|.", text, flags=re.DOTALL):
        closes = token.startswith(r"\end{") or token in ("}", ")", "]", r"\}")
        depth -= closes
        if depth <= 0 and not closes:
            parts.append(token)
        depth += token.startswith(r"\begin{") or token in ("{", "(", "[", r"\{")
        if depth == 1 and token in "{([":
            parts.append(" ")
    return "".join(parts)


def _derivative_findings(relations: Iterable[str], defines: Iterable[str]) -> Iterator[str]:
    """Yield findings on derivatives of symbols that are defined, too, unless both are stacks of the same."""
    sides = {
        normalize_tex(symbol): side
        for text in relations
        for symbol, *others in [split_sides(text)]
        for side in others[:1]
    }
    symbols = {_plain(symbol): symbol for symbol in defines if not DERIVATIVE_MARKS.search(symbol)}
    for symbol in defines:
        base = symbols.get(_plain(symbol))
        if base is None or base == symbol:
            continue
        right, derivative = (sides.get(normalize_tex(each), "") for each in (base, symbol))
        if not (r"\begin{" in right and _plain(right) == _plain(derivative)):
            yield f"form: {symbol} is the derivative of {base}: its value is a claim"


def _plain(text: str) -> str:
    """Return TeX without the marks of derivatives and without braces."""
    return re.sub(r"[{}\s]", "", DERIVATIVE_MARKS.sub("", text))


def _contains_symbol(side: str, symbol: str) -> bool:
    """Return True if an expression contains a symbol but is not the symbol, with or without indices."""
    tokens, parts = side.split(), symbol.split()
    for index in range(len(tokens) - len(parts) + 1):
        after, before = index + len(parts), tokens[index - 1].lstrip("\\") if index else ""
        if (
            tokens[index:after] != parts
            or side == symbol
            or before in (*FONTS, "{", "_", "^", *VARIATION_COMMANDS)
        ):
            continue
        following = "".join(tokens[after + 1 : _closing_bracket(tokens, after + 1)]).strip("{}")
        if tokens[after : after + 1] == ["^"]:
            if following.replace("\\", "") in POWERS:
                return True
        elif tokens[after : after + 1] not in (["_"], ["'"], ["("], ["}"]):
            return True
    return False


def split_sides(text: str) -> list[str]:
    """Return the sides of a chain of equations, split outside of all brackets.

    The text after an "if" is dropped.
    """
    text = re.split(r"\\text\{\s*(?:if|for|where|when)\b", text)[0]
    parts, depth, index = [], 0, 0
    for token in re.finditer(r"\\begin\{\w+\}|\\end\{\w+\}|\\[a-zA-Z]+|\\.|:=|.", text, flags=re.DOTALL):
        if token[0].startswith(r"\begin{") or token[0] in ("{", "(", "[", r"\{"):
            depth += 1
        elif token[0].startswith(r"\end{") or token[0] in ("}", ")", "]", r"\}"):
            depth -= 1
        elif depth <= 0 and RELATION.fullmatch(token[0]):
            parts.append(text[index : token.start()])
            index = token.end()
    return [*parts, text[index:]]


def split_equations(formula: str) -> list[str]:
    """Split the formula at commas, line ends and wide spaces outside of all brackets."""
    text = re.sub(r"\\(begin|end)\{(aligned|align\*?|split|gathered|cases)\}", "", formula)
    parts, depth, current = [], 0, ""
    for token in re.findall(r"\\begin\{\w+\}|\\end\{\w+\}|\\[a-zA-Z]+|\\.|.", text, flags=re.DOTALL):
        if token.startswith(r"\begin{") or token in tuple("{(["):
            depth += 1
        elif token.startswith(r"\end{") or token in tuple("})]"):
            depth -= 1
        if depth <= 0 and token in (",", r"\quad", r"\qquad", ";", r"\\"):
            parts.append(current)
            current = ""
        else:
            current += token
    return [*parts, current]


def normalize_tex(text: str) -> str:
    """Return TeX without spaces and without punctuation at its ends."""
    return " ".join(TOKEN.findall(SPACES.sub(" ", text))).strip(" .,;")


def is_symbol(text: str) -> bool:
    """Return True if TeX is a symbol with accents, fonts, indices and arguments, or several in brackets.

    Products, powers, transposes and operators are not symbols.
    """
    tokens = normalize_tex(text).split()
    if tokens[:1] == ["("] and tokens[-1:] == [")"]:
        inner = " ".join(tokens[1:-1])
        return all(is_symbol(part) for part in split_equations(inner))
    if "/" in tokens:
        over, under = " ".join(tokens).split(" / ", 1)
        return all(part.startswith(r"\partial") and is_symbol(part) for part in (over, under))
    return _symbol_end(tokens, 0) == len(tokens) > 0


def _symbol_end(tokens: list[str], index: int) -> int:
    """Return the index after the symbol that begins at a token; -1 if no symbol begins there."""
    if tokens[index : index + 2] == ["{", "}"]:
        index += 2
    index = _scripts_end(tokens, index)
    if index < 0 or index >= len(tokens):
        return -1
    name = tokens[index].lstrip("\\")
    if (
        tokens[index].startswith("\\")
        and name in VARIATION_COMMANDS
        and index + 1 < len(tokens)
        and tokens[index + 1] not in "^_("
    ):
        return _symbol_end(tokens, index + 1)
    index = _core_end(tokens, index)
    index = _scripts_end(tokens, index) if index >= 0 else index
    if 0 <= index < len(tokens) and tokens[index] == "(":
        end = _closing_bracket(tokens, index)
        inside = tokens[index + 1 : end - 1]
        index = end if any(token.startswith("\\") or token.isalpha() for token in inside) else -1
    return index


def _core_end(tokens: list[str], index: int) -> int:
    """Return the index after a symbol without scripts, or -1 if the tokens are not a symbol."""
    token = tokens[index]
    name = token.lstrip("\\")
    following = tokens[index + 1] if index + 1 < len(tokens) else ""
    if token in ("[", "{"):
        end = _closing_bracket(tokens, index)
        return end if end > 0 and _symbol_end(tokens[index + 1 : end - 1], 0) == end - index - 2 else -1
    if token.startswith("\\") and name in TEXT_COMMANDS and following == "{":
        end = _closing_bracket(tokens, index + 1)
        return end if all(part.isalpha() for part in tokens[index + 2 : end - 1]) else -1
    if token.startswith("\\") and name in FONTS:
        return _core_end(tokens, index + 1) if following else -1
    if token.startswith("\\"):
        return index + 1 if name.isalpha() and name not in OPERATORS else -1
    return index + 1 if token.isalpha() else -1


def _scripts_end(tokens: list[str], index: int) -> int:
    """Return the index after indices, exponents that are indices, and primes."""
    while index < len(tokens) and tokens[index] in ("^", "_", "'"):
        if tokens[index] == "'":
            index += 1
            continue
        if index + 1 >= len(tokens):
            return -1
        end = _closing_bracket(tokens, index + 1) if tokens[index + 1] == "{" else index + 2
        if end == index + 2 and tokens[index + 1].lstrip("\\") in FONTS | TEXT_COMMANDS:
            end += 1
        content = "".join(tokens[index + 1 : end]).replace("{", "").replace("}", "").replace("\\", "")
        if tokens[index] == "^" and content in POWERS:
            return -1
        index = end
    return index


def _closing_bracket(tokens: list[str], index: int) -> int:
    """Return the index after the closing bracket for the one at a token; -1 if there is none."""
    depth = 0
    for position in range(index, len(tokens)):
        depth += (tokens[position] in tuple("{([")) - (tokens[position] in tuple("})]"))
        if depth == 0:
            return position + 1
    return -1
