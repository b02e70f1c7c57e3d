"""Compare the formulas of all records with the notes' own lines, and store their digests in tests/ledger.

    python tools/compare_quotes.py FOLDER           the folder of the notes' texts and of their inventory.csv
    python tools/compare_quotes.py FOLDER --store   store the digests, after formulas changed

Fonts, spaces and alignment do not count. A formula is ``whole`` in the notes, or in ``parts``: each side of
its relations is there. Otherwise it is ``restated`` in words or symbols of the record. Quotes between
quotation marks must be in the notes letter by letter; three dots mark what they omit. The exit status is 1 if
a quote differs, or a formula changed since its digest was stored. Only digests are stored.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

from rbnotes import ledger
from rbnotes.ledger.record import Record

FILES = {
    "lloyd": "lloyd-physics-notes.txt",
    "sueda": "sueda-rigid-body-notes.txt",
    "si": "si-guenter-linear-time-dynamics.txt",
}
STORED = Path(__file__).parents[1] / "tests" / "ledger" / "quotes.json"
KINDS = "whole", "parts", "restated"
TOKEN = re.compile(r"\\[a-zA-Z]+\*?|\\.|.", re.DOTALL)
WITHOUT_MEANING = {
    r"\displaystyle", r"\limits", r"\nonumber", r"\par", r"\bf", r"\rm", r"\,", r"\;", r"\!", r"\:", "\\ ",
    r"\left", r"\right", r"\mathbf", r"\mathrm", r"\mathsf", r"\mathcal", r"\mathbb", r"\boldsymbol", r"\bm",
    r"\operatorname", r"\operatorname*", r"\mathrel", r"\mathop", "&", "$", "~", "*",
    *(rf"\{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r")),
}  # fmt: skip
SYNONYMS = {
    r"\le": r"\leq", r"\ge": r"\geq", r"\ne": r"\neq", r"\to": r"\rightarrow", r"\tfrac": r"\frac",
    r"\dfrac": r"\frac", r"\cfrac": r"\frac", r"\top": "T", r"\intercal": "T", r"\cdots": r"\ldots",
    r"\dots": r"\ldots", "…": r"\ldots", r"\mid": "|", r"\vert": "|", r"\lVert": r"\|", r"\rVert": r"\|",
    r"\Vert": r"\|", r"\implies": r"\Rightarrow", r"\iff": r"\Leftrightarrow", r"\lbrace": r"\{",
    r"\rbrace": r"\}", "’": "'", "‘": "`", "“": '"', "”": '"', "−": "-", r"\S": "§", "–": "-",
    r"\gets": r"\leftarrow", r"\mbox": r"\text", r"\prime": "'", "′": "'",
    r"\varphi": r"\phi", r"\varepsilon": r"\epsilon",
}  # fmt: skip
ARGUMENT_COUNTS = {
    r"\frac": 2, r"\binom": 2,
    **dict.fromkeys((r"\sqrt", r"\dot", r"\ddot", r"\dddot", r"\hat", r"\widehat", r"\tilde"), 1),
    **dict.fromkeys((r"\widetilde", r"\bar", r"\overline", r"\underline", r"\vec", r"\check"), 1),
}  # fmt: skip
"""Commands whose arguments end where a brace does."""
MATRICES = {"pmatrix": "()", "bmatrix": "[]", "cases": ("\\{", ""), "vmatrix": "||"}
RELATIONS = {
    "=", ":", ";", ",", "<", ">", r"\equiv", r"\approx", r"\leq", r"\geq", r"\neq", r"\rightarrow",
    r"\Rightarrow", r"\Leftrightarrow", r"\leftarrow", r"\propto", r"\sim", r"\in",
}  # fmt: skip
QUOTE = re.compile(r"`(.*?)'(?![a-zA-Z])")
QUOTE_IN_QUOTE = re.compile(r"``(.*?)''")
OMISSION = re.compile(r"(?:^| )\. \. \.(?: |$)|(?:^| )\\ldots(?: |$)")
ABRIDGMENT = r"\ldots"
SPACE = r"\quad"
"""Mark between formulas and rows, and around words; it is no part of them."""
MAX_INDEX_LETTERS = 4
"""Number of letters of a text that may be an index or a function."""


class _Reader:
    """Tokens of a formula without fonts and spaces, in one order of scripts.

    Braces around the arguments of commands, and the columns and rows of matrices are kept on demand: notes
    omit and add them.
    """

    def __init__(self, tex: str, keeps_structure: bool):
        self.keeps_structure = keeps_structure
        self.num_open_matrices = 0
        self.tokens = [each for each in TOKEN.findall(tex) if not each.isspace()]
        self.place = 0
        self.labels: list[str] = []

    def peek(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def next(self) -> str:
        token = self.peek()
        self.place += 1
        return token

    def read_all(self) -> list[str]:
        """Return all tokens, the labels of braces last; a brace too many is left out."""
        result: list[str] = []
        while self.place < len(self.tokens):
            result += self.read_sequence()
            self.next()
        return result + self.labels

    def read_sequence(self) -> list[str]:
        """Return the tokens up to the end of a group."""
        result: list[str] = []
        while self.peek() not in ("", "}"):
            result += self.read_atom() + self.read_scripts()
        return result

    def read_group(self) -> list[str]:
        """Return the tokens of a group in braces, or of one atom."""
        while self.peek() in WITHOUT_MEANING:
            self.next()
        if self.peek() != "{":
            return self.read_atom()
        self.next()
        result = self.read_sequence()
        self.next()
        return result

    def read_atom(self) -> list[str]:
        token = self.peek()
        if token == "{":
            return self.read_group()
        self.next()
        token = SYNONYMS.get(token, _greek_command(token))
        if self.keeps_structure and self.num_open_matrices and token in ("&", "\\\\"):
            return [token]
        if token in WITHOUT_MEANING or token in ("^", "_", "}"):
            return []
        if token in (r"\quad", r"\qquad", "\\\\"):
            return [SPACE]
        if token == r"\text":
            words = self.read_group()
            return [SPACE, *words, SPACE] if len(words) > MAX_INDEX_LETTERS else words
        if token in (r"\begin", r"\end"):
            return self.read_environment(token == r"\begin")
        if token in (r"\underbrace", r"\overbrace"):
            return self.read_brace()
        if token in (r"\underset", r"\overset"):
            script = self.read_group()
            return [*self.read_group(), "_" if token == r"\underset" else "^", *_script(script)]
        if self.keeps_structure:
            arguments = [_script(self.read_group()) for _ in range(ARGUMENT_COUNTS.get(token, 0))]
            return [token, *(each for argument in arguments for each in argument)]
        return [token]

    def read_brace(self) -> list[str]:
        """Return what stands over or under a brace, and keep its label for the end."""
        result = self.read_group()
        while self.peek() in ("_", "^"):
            self.next()
            self.labels += [SPACE, *self.read_group()]
        return result

    def read_environment(self, begins: bool) -> list[str]:
        name = "".join(self.read_group())
        if name == "array" and begins and self.peek() == "{":
            self.read_group()
        if name in MATRICES or name == "array":
            self.num_open_matrices += 1 if begins else -1
        bracket = MATRICES.get(name, ("", ""))[not begins]
        return [bracket] if bracket else []

    def read_scripts(self) -> list[str]:
        """Return the primes and scripts that follow, the lower script first."""
        primes: list[str] = []
        scripts: dict[str, list[str]] = {"_": [], "^": []}
        while (kind := self.peek()) in ("^", "_", "'", "’"):
            self.next()
            if kind not in scripts:
                script = ["'"]
            else:
                script = [self.next()] if self.peek() == "*" else self.read_group()
            (primes if set(script) <= {"'"} else scripts[kind]).extend(script)
        return primes + [
            each for kind, tokens in scripts.items() if tokens for each in (kind, *_script(tokens))
        ]


def _script(tokens: Sequence[str]) -> list[str]:
    return list(tokens) if len(tokens) == 1 else ["{", *tokens, "}"]


def _greek_command(token: str) -> str:
    name = unicodedata.name(token, "") if len(token) == 1 else ""
    match name.split():
        case ["GREEK", size, "LETTER", letter]:
            letter = letter.replace("LAMDA", "LAMBDA")
            return "\\" + (letter.capitalize() if size == "CAPITAL" else letter.lower())
        case ["GREEK", "PHI" | "EPSILON" as letter, *_]:
            return "\\" + letter.lower()
    return token


def canonical(tex: str, *, keeps_structure: bool = False) -> list[str]:
    """Return the tokens of a formula or of a passage, without fonts, spaces and alignment."""
    return _Reader(QUOTE_IN_QUOTE.sub(r"“\1”", tex), keeps_structure).read_all()


def contains(text: Sequence[str], part: Sequence[str]) -> bool:
    """Return True if the tokens of a part follow each other in a text."""
    return _joined(part) in _joined(text)


def _joined(tokens: Sequence[str]) -> str:
    return " ".join(["", *(each for each in tokens if each != SPACE), ""])


def split(tokens: Sequence[str]) -> Iterator[list[str]]:
    """Yield the sides of relations, and the formulas and words beside each other."""
    part: list[str] = []
    depth = 0
    for each in tokens:
        depth += (each in ("(", "[", "{")) - (each in (")", "]", "}"))
        if depth <= 0 and (each in RELATIONS or each in (ABRIDGMENT, SPACE)):
            yield part
            part = []
        else:
            part.append(each)
    yield part


def kind_of(formula: str, lines: str) -> str:
    """Return how the notes' lines contain a formula, one of :data:`KINDS`."""
    tokens, text = canonical(formula), canonical(lines)
    if contains(text, tokens):
        return "whole"
    return "parts" if all(contains(text, part) for part in split(tokens)) else "restated"


def quotes(formula: str) -> Iterator[list[str]]:
    """Yield the tokens of what stands between quotation marks; three dots end one quote and begin another."""
    for quote in QUOTE.findall(QUOTE_IN_QUOTE.sub(r"“\1”", formula)):
        parts = OMISSION.split(_joined(canonical(quote)).strip())
        yield from (part.split() for part in parts if part.strip())


def is_quoted(quote: Sequence[str], text: Sequence[str]) -> bool:
    """Return True if a text contains a quote to the letter; its first letter may be a capital there."""
    first = quote[0]
    return any(contains(text, [each, *quote[1:]]) for each in dict.fromkeys((first, first.upper())))


def digest(formula: str) -> str:
    """Return the digest of a formula, which fonts and spaces do not change."""
    return sha256(_joined(canonical(formula, keeps_structure=True)).encode()).hexdigest()[:16]


def lines_of(record: Record, texts: Mapping[str, str], displays: Mapping[str, tuple[int, int]]) -> str:
    """Return the notes' lines of a display, or the paragraph of a claim in prose."""
    if record.is_prose:
        first = last = int("".join(filter(str.isdigit, record.display.rpartition("/t")[2])))
    else:
        first, last = displays[record.display]
    return "\n".join(texts[record.source].split("\n")[first - 1 : last])


def compare(
    record: Record, texts: Mapping[str, str], displays: Mapping[str, tuple[int, int]]
) -> tuple[str, list[str]]:
    """Return the kind of a record's formula, and its quotes that are not in the notes."""
    kind = kind_of(record.formula, lines_of(record, texts, displays))
    whole_text = _canonical_text(texts[record.source])
    return kind, ["".join(each) for each in quotes(record.formula) if not is_quoted(each, whole_text)]


@cache
def _canonical_text(text: str) -> list[str]:
    return canonical(text)


def read_notes(folder: Path) -> tuple[dict[str, str], dict[str, tuple[int, int]]]:
    """Return the texts of the notes, and the first and last line of each display."""
    texts = {source: (folder / name).read_text(encoding="utf-8") for source, name in FILES.items()}
    with (folder / "inventory.csv").open(encoding="utf-8") as file:
        ranges = {row["id"]: row["lines"].partition("-") for row in csv.DictReader(file)}
    return texts, {name: (int(first), int(last or first)) for name, (first, _, last) in ranges.items()}


def findings(
    name: str, entry: tuple[str, str], stored: Mapping[str, Sequence[str]], false_quotes: Sequence[str]
) -> Iterator[str]:
    """Yield what is wrong with a record: changes since its entry was stored, and quotes not in the notes."""
    for quote in false_quotes:
        yield f"{name}: the notes do not contain the quote {quote}"
    kind, current = entry
    before = stored.get(name, ("restated", ""))
    if KINDS.index(kind) > KINDS.index(before[0]):
        yield f"{name}: the formula was {before[0]} in the notes, now it is {kind}"
    elif current != before[1]:
        yield f"{name}: the formula changed; it is {kind}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares the formulas of the records with the notes.")
    parser.add_argument("folder", type=Path, help="folder of the notes' texts and of their inventory.csv")
    parser.add_argument("--store", action="store_true", help="store the digests")
    options = parser.parse_args()
    texts, displays = read_notes(options.folder)
    stored = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    entries: dict[str, tuple[str, str]] = {}
    found: list[str] = []
    for record in ledger.load():
        if record.formula:
            kind, false_quotes = compare(record, texts, displays)
            entries[record.id] = (kind, digest(record.formula))
            found += findings(record.id, entries[record.id], stored, false_quotes)
    print(*found, sep="\n")
    print(
        ", ".join(f"{count} {kind}" for kind, count in Counter(each[0] for each in entries.values()).items())
    )
    if options.store:
        lines = (f"{json.dumps(name)}: {json.dumps(entries[name])}" for name in sorted(entries))
        STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
