r"""Formulas for a terminal: TeX as one line of Unicode text.

The text means the same as the formula: a fraction is in parentheses where its neighbors would change it, and
so is a script that has no characters of its own. ``\mathbf M^{-1}\dot{\mathbf x}`` becomes ``M⁻¹ẋ``,
``\frac{a + b}{2}x`` becomes ``((a + b)/2)x``. Fonts are dropped.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable

SCREEN_WIDTH = 80
"""Columns of a terminal."""
LABEL_WIDTH = 9
"""Columns of the labels before texts."""

TOKEN = re.compile(r"\\[a-zA-Z]+\*?|\\.|[{}^_&]|\s+|.", re.DOTALL)

FONTS = {
    "mathbf", "mathrm", "mathcal", "mathbb", "mathsf", "mathfrak", "boldsymbol", "mathrel",
    "operatorname", "operatorname*",
}  # fmt: skip
NO_OUTPUT = {
    "left", "right", "bigl", "bigr", "Bigl", "Bigr", "big", "Big", "textstyle", "displaystyle", "!",
}  # fmt: skip
SPACES = {",": " ", ";": " ", ":": " ", " ": " ", "quad": "  ", "qquad": "  ", "~": " "}
FUNCTIONS = {"sin", "cos", "tan", "cot", "exp", "log", "det", "min", "max", "arg", "lim", "inf", "sup", "ln"}
RELATIONS = frozenset("=≤≥≠≈≡∈∉→←↦⇒⇔⊥∥∼≽<>")
SIGNS = {
    "cdot": "·", "times": "×", "le": "≤", "ge": "≥", "ne": "≠", "neq": "≠", "approx": "≈", "equiv": "≡",
    "partial": "∂", "to": "→", "rightarrow": "→", "leftarrow": "←", "mapsto": "↦", "Rightarrow": "⇒",
    "iff": "⇔",
    "top": "⊤", "T": "⊤", "infty": "∞", "pm": "±", "perp": "⊥", "parallel": "∥", "sim": "∼", "succeq": "≽",
    "sum": "∑", "prod": "∏", "int": "∫", "in": "∈", "notin": "∉", "emptyset": "∅", "mid": "|", "vee": "∨",
    "lvert": "|", "rvert": "|", "lVert": "‖", "rVert": "‖", "|": "‖", "lfloor": "⌊", "rfloor": "⌋",
    "langle": "⟨", "rangle": "⟩", "{": "{", "}": "}", "%": "%", "_": "_", "#": "#", "&": "&", "$": "$",
    "cdots": "⋯", "ldots": "…", "dots": "…", "vdots": "⋮", "prime": "′", "nabla": "∇", "circ": "∘",
    "lambda": "λ", "Lambda": "Λ", "varphi": "φ", "phi": "ϕ", "varepsilon": "ε", "epsilon": "ϵ",
}  # fmt: skip
"""Signs, and Greek letters whose Unicode names differ from those of TeX."""
ACCENTS = {
    "dot": "\u0307", "ddot": "\u0308", "tilde": "\u0303", "hat": "\u0302", "bar": "\u0304", "vec": "\u20d7",
    "overline": "\u0305", "underline": "\u0332",
}  # fmt: skip
SUPERSCRIPTS = str.maketrans("0123456789+-=()nijklT⊤*−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱʲᵏˡᵀᵀ*⁻")
SUBSCRIPTS = str.maketrans("0123456789+-=()aeijklmnoprstuvxβγρϕ−", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩ₋")
ROW_SEPARATOR, ENTRY_SEPARATOR = "; ", ", "
ATOM = re.compile(r"[∂δΔ]?[²³]?\w[\u0300-\u036f\u20d7]*[′⁰¹²³⁴-⁹ⁿⁱʲᵏˡᵀ₀-₉ₐₑᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩ]*|[\d.]+")
"""Text that needs no parentheses in a fraction."""
FREE_FRACTION = re.compile(r"(^|[=≤≥≡≈+−] |\[|, )\(([^()]*/[^()]*)\)(?=$| [=≤≥≡≈+−]|[,;\]])")
"""Fraction that is a term or an entry of its own, so that it needs no parentheses."""
AFTER_FUNCTION = re.compile(rf"(?:^|[^A-Za-z])(?:{'|'.join(sorted(FUNCTIONS))})$")
"""Text that ends with the name of a function."""
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
"""Space within words, which relations do not remove."""


def formula_to_unicode(tex: str) -> str:
    """Return a formula as one line of text.

    Raises
    ------
    ValueError
        If a group or an environment is not closed, or a command is not known.
    """
    text = _tidy(_Reader(TOKEN.findall(tex)).read_until(lambda token: False))
    return FREE_FRACTION.sub(r"\1\2", text).replace(NO_BREAK_SPACE, " ")


def sentence_to_unicode(text: str) -> str:
    """Return a sentence with formulas between dollars as text."""
    parts = text.split("$")
    parts[1::2] = map(formula_to_unicode, parts[1::2])
    return "".join(parts)


def readable_formula(tex: str) -> str:
    """Return a formula in Unicode, or the TeX itself if it contains an unknown command."""
    try:
        return formula_to_unicode(tex)
    except ValueError:
        return tex


def readable_sentence(text: str) -> str:
    """Return a sentence in Unicode, or the TeX itself if it contains an unknown command."""
    try:
        return sentence_to_unicode(text)
    except ValueError:
        return text


def labeled_lines(label: str, text: str, max_lines: int | None = None) -> list[str]:
    """Return the lines of a labeled text, shortened with dots to `max_lines`."""
    if not text:
        return []
    lines = textwrap.wrap(
        text,
        SCREEN_WIDTH,
        initial_indent=f"  {label:<{LABEL_WIDTH}} ",
        subsequent_indent=" " * (LABEL_WIDTH + 3),
        break_on_hyphens=False,
    )
    if max_lines is not None and len(lines) > max_lines:
        lines = [*lines[: max_lines - 1], lines[max_lines - 1][: SCREEN_WIDTH - 2] + " …"]
    return lines


class _Reader:
    """Reader of a list of tokens."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.position = tokens, 0

    def read_until(self, is_end: Callable[[str], bool]) -> str:
        """Return the text of the tokens up to an end token, which is not consumed."""
        text = ""
        while self.position < len(self.tokens) and not is_end(self.tokens[self.position]):
            text = self._append(text, self._read_atom())
        return text

    def _read_atom(self) -> str:
        """Return the next character, group, script or command as text."""
        token = self.tokens[self.position]
        self.position += 1
        if token.isspace():
            return ""
        if token == "{":
            return self._read_group()
        if token in ("^", "_"):
            return _script(token, self._read_argument())
        if not token.startswith("\\"):
            return {"-": "−", "'": "′", "~": " "}.get(token, token)
        return self._read_command(token[1:])

    def _read_command(self, name: str) -> str:
        """Return a command and its arguments as text."""
        if name in NO_OUTPUT:
            if (
                name in ("left", "right")
                and self.position < len(self.tokens)
                and self.tokens[self.position] == "."
            ):
                self.position += 1
            return ""
        if name in SPACES:
            return SPACES[name]
        if name in FONTS:
            return self._read_argument()
        if name in ("text", "texttt", "mbox"):
            return self._read_text()
        if name in ("frac", "dfrac", "tfrac"):
            return f"({_operand(self._read_argument())}/{_operand(self._read_argument())})"
        if name == "sqrt":
            return f"√{_operand(self._read_argument())}"
        if name in ACCENTS:
            return _add_accent(name, self._read_argument())
        if name in ("underbrace", "overbrace"):
            return f"({self._read_argument()})"
        if name == "underset":
            below = self._read_argument()
            return f"{self._read_argument()}_({below})"
        if name == "begin":
            return self._read_environment()
        if name in FUNCTIONS:
            return name
        if name in SIGNS:
            return SIGNS[name]
        case = "CAPITAL" if name[0].isupper() else "SMALL"
        try:
            return unicodedata.lookup(f"GREEK {case} LETTER {name}")
        except KeyError:
            raise ValueError(f"an unknown command \\{name}") from None

    def _read_group(self) -> str:
        """Return the text of a group after its opening brace."""
        text = self.read_until(lambda token: token == "}")
        if self.position == len(self.tokens):
            raise ValueError("a group that is not closed")
        self.position += 1
        return text

    def _read_argument(self) -> str:
        while self.position < len(self.tokens) and self.tokens[self.position].isspace():
            self.position += 1
        if self.position == len(self.tokens):
            raise ValueError("a command without its argument")
        return _tidy(self._read_atom())

    def _read_text(self) -> str:
        """Return the words of a text group; formulas between dollars are converted."""
        if self.tokens[self.position] != "{":
            return self._read_argument()
        depth, start = 1, self.position + 1
        self.position += 1
        while depth:
            if self.position == len(self.tokens):
                raise ValueError("a text that is not closed")
            depth += {"{": 1, "}": -1}.get(self.tokens[self.position], 0)
            self.position += 1
        words = "".join(self.tokens[start : self.position - 1])
        words = re.sub(r"\\ |~", " ", words).replace(r"\%", "%").replace("`", "\u2018").replace("'", "\u2019")
        return sentence_to_unicode(words).replace(" ", NO_BREAK_SPACE)

    def _read_environment(self) -> str:
        """Return a matrix or several lines as rows in one line, after the command that begins it."""
        name = self._read_argument()
        rows, entries = [], list[str]()
        while True:
            text = self.read_until(lambda token: token in ("&", "\\\\", "\\end"))
            if self.position == len(self.tokens):
                raise ValueError(f"an environment {name} that is not closed")
            token = self.tokens[self.position]
            self.position += 1
            entries.append(_tidy(text))
            if token != "&":
                rows.append(entries)
                entries = []
            if token == "\\end":
                break
        if self._read_argument() != name:
            raise ValueError(f"an environment {name} that is not closed")
        rows = [row for row in rows if any(row)]
        if name.endswith("matrix"):
            return f"[{ROW_SEPARATOR.join(ENTRY_SEPARATOR.join(row) for row in rows)}]"
        separator = "  " if name == "cases" else " "
        lines = ROW_SEPARATOR.join(separator.join(filter(None, row)) for row in rows)
        return f"{{ {lines} }}" if name == "cases" else lines

    @staticmethod
    def _append(text: str, atom: str) -> str:
        """Return the text followed by an atom, with spaces around relations and binary operators."""
        if not atom:
            return text
        if atom.isspace() and text.endswith(" "):
            return text.rstrip(" ") + max(atom, text[len(text.rstrip(" ")) :], key=len)
        if atom in RELATIONS:
            return f"{text.rstrip(' ')} {atom} "
        if atom in ("+", "−", "±"):
            before = text.rstrip(" ")
            is_binary = bool(before) and before[-1] not in "([{,;=≤≥<>≈≡→⇒+−±/·×"
            return f"{before} {atom} " if is_binary else text + atom
        if atom == ",":
            return f"{text.rstrip(' ')}, "
        if (atom in FUNCTIONS and text[-1:].isalnum()) or (AFTER_FUNCTION.search(text) and atom[0].isalpha()):
            return f"{text} {atom}"
        return text + atom


def _script(kind: str, text: str) -> str:
    """Return a superscript or subscript in Unicode characters if they exist, else with ``^`` or ``_``."""
    table = SUPERSCRIPTS if kind == "^" else SUBSCRIPTS
    compact = text.replace(" ", "")
    if compact and all(ord(character) in table for character in compact):
        return compact.translate(table)
    if compact in ("′", "*", "′′"):
        return compact
    return f"{kind}{text}" if len(compact) == 1 else f"{kind}({text})"


def _operand(text: str) -> str:
    """Return a numerator or denominator, in parentheses if it is more than one atom."""
    return text if ATOM.fullmatch(text) else f"({text})"


def _add_accent(name: str, text: str) -> str:
    """Return text with an accent: on a single letter, else as a function of the text."""
    if text and not text[1:].strip("₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₗₘₙ"):
        return unicodedata.normalize("NFC", text[0] + ACCENTS[name] + text[1:])
    return f"{name}({text})"


def _tidy(text: str) -> str:
    """Return text without needless spaces."""
    return re.sub(r" {2,}", "  ", text).strip(" ")
