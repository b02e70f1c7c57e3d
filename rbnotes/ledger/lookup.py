"""Find claims by an id, an equation number, a section, a function, or words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from rbnotes.arguments import InvalidArgument
from rbnotes.ledger.pages import NO_PAGE, SAME, Origin
from rbnotes.ledger.record import Record
from rbnotes.ledger.sources import active_ledger

LIBRARY = "rbnotes"
"""Source of tasks that do not come from notes."""
DISPLAY_KINDS = {"d": "display", "alg": "algorithm", "m": "transcript", "table": "table", "fig": "figure"}
NUM_SUGGESTIONS = 5
MAX_LISTED = 12
"""Largest number of claims that are listed for a name."""

_NUMBER = (
    r"(?P<kind>section|sec\.?|§|equation|eq\.?|algorithm|alg\.?)? *"
    r"\(?(?P<number>(?:\d+|[a-z])(?:\.\d+)*)\)?(?P<part>#[a-z])?"
)


def place_in_notes(record: Record) -> str:
    """Return the position of a claim in its notes, in words: ``(L 0.45)``, or ``Lloyd 0.2, display 2``."""
    if record.source == LIBRARY:
        return f"library, {record.implemented_by[0]}"
    part = record.id.partition("#")[2]
    return place_of_display(record.display) + (f", part {part}" if part else "")


def place_of_display(display: str) -> str:
    """Return the position of a display or passage of prose in its notes, in words."""
    name, section, key = display.split("/")
    [(kind, number)] = re.findall(r"^([a-z]+)(.*)$", key)
    source = active_ledger().source(name)
    if kind == "e":
        return f"({source.letter} {number})"
    word = "line" if kind == "t" else DISPLAY_KINDS[kind]
    return f"{source.author} {section.removeprefix('s')}, {word} {number}".rstrip()


def describe_pages(record: Record) -> str:
    """Return a description of the author's pages for a claim, with TeX between dollars."""
    if record.page_2019 is None or record.page_2021 is None:
        return NO_PAGE
    versions = active_ledger().source(record.source).versions
    first, second = (
        (version.date, page)
        for version, page in zip(versions, (record.page_2019, record.page_2021), strict=True)
    )
    if first[1].content == second[1].content != SAME:
        return f"{first[0]}, page {first[1].range}, and {second[0]}, {second[1].describe()}"
    return "; ".join(f"{date}, {page.describe()}" for date, page in (first, second))


def describe_origin(record: Record) -> str:
    """Return the origin of a slip in a few words."""
    if record.origin is Origin.UNDECIDED:
        return "perhaps the conversion of the text" if record.scan else "undecided"
    return {
        Origin.AUTHOR: "the author",
        Origin.CONVERSION: "the conversion of the text, not the author",
    }[record.origin]


def find_claims(text: str, records: Sequence[Record]) -> list[Record]:
    """Return the claims with a name, in reading order.

    A name is an id or its beginning; the number of an equation, with or without the notes (``S 1.62``,
    ``sueda 1.62``, ``1.62``); an algorithm (``S algorithm 6``); a section, if no equation has its number or
    the word is given (``section 1.3``); or a function of the library that implements them (``so3.exp``).
    """
    text = " ".join(text.split())
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    beginning = (text.rstrip("/") + "/", text + "#")
    matches = [record for record in records if record.id == text or record.id.startswith(beginning)]
    return matches or _claims_by_number(text, records) or _claims_by_function(text, records)


def find_claim(text: str, records: Sequence[Record]) -> Record:
    """Return the claim with a name.

    Raises
    ------
    InvalidArgument
        If there is none, with the names that are nearest; or if there are several, with these. Or if the name
        is not a text.
    """
    if not isinstance(text, str):
        raise InvalidArgument(
            "id", f"{type(text).__name__} {text!r:.60}", "the name of a claim, such as 'S 1.62'"
        )
    matches = find_claims(text, records)
    for few in (
        [record for record in matches if record.id == text],
        matches,
        [record for record in matches if record.reference is not None],
    ):
        if len(few) == 1:
            return few[0]
    if not matches:
        raise unknown_claim_error("id", text, records)
    listed = "".join(f"\n  {record.id}  {record.title}" for record in matches[:MAX_LISTED])
    more = f"\n  and {len(matches) - MAX_LISTED} more" if len(matches) > MAX_LISTED else ""
    raise InvalidArgument("id", f"{text!r}, which names {len(matches)} claims", f"one of{listed}{more}")


def unknown_claim_error(argument: str, text: str, records: Sequence[Record]) -> InvalidArgument:
    """Return the error for a name without a claim."""
    near = ", ".join(nearest_ids(text, records))
    return InvalidArgument(argument, f"{text!r}, which names no claim", f"perhaps one of {near}")


def nearest_ids(text: str, records: Iterable[Record]) -> list[str]:
    """Return the five ids that are most similar to a mistyped name."""
    names: dict[str, str] = {}
    for record in records:
        names.setdefault(record.id, record.id)
        names.setdefault(place_in_notes(record).strip("()").lower(), record.id)
    close = difflib.get_close_matches(text.strip("() ").lower(), names, n=4 * NUM_SUGGESTIONS, cutoff=0.0)
    return list(dict.fromkeys(names[name] for name in close))[:NUM_SUGGESTIONS]


def search(words: str, records: Iterable[Record]) -> list[Record]:
    """Return the claims that contain all the words, those with more of them in the title first."""
    search_words = words.lower().split()

    def weight(record: Record) -> int:
        title = record.title.lower()
        rest = " ".join(
            (record.id, record.chapter, record.condition, record.correction, record.remark, record.oracle)
        )
        text = f"{title} {rest} {' '.join(record.implemented_by)}".lower()
        return (
            sum(1 + (word in title) for word in search_words)
            if all(word in text for word in search_words)
            else 0
        )

    weights = {record.id: weight(record) for record in records}
    return sorted(filter(lambda record: weights[record.id], records), key=lambda record: -weights[record.id])


def _claims_by_number(text: str, records: Iterable[Record]) -> list[Record]:
    """Return the claims with the number of an equation, an algorithm or a section, such as ``S 1.62``."""
    # Equation (1.62) of Sueda is called S 1.62.
    sources = {
        name.lower(): each.name for each in active_ledger().sources for name in (each.name, each.letter)
    }
    names = "|".join(map(re.escape, sources))
    match = re.fullmatch(rf"(?:(?P<source>{names})[ ./]*)?{_NUMBER}", text, re.IGNORECASE)
    if match is None:
        return []
    source = sources.get((match["source"] or "").lower())
    number, part = match["number"].upper(), match["part"] or ""
    own = [record for record in records if source in (None, record.source)]
    equations = [
        record
        for record in own
        if record.display.endswith(f"/e{number}") and (not part or record.id.endswith(part))
    ]
    section = [record for record in own if record.section == number and not part]
    word = (match["kind"] or "").lower()
    if word.startswith("alg"):
        return [record for record in own if record.display.endswith(f"/alg{number}")]
    if word:
        return equations if word.startswith("eq") else section
    return equations or section


def _claims_by_function(text: str, records: Iterable[Record]) -> list[Record]:
    name = "." + text.removesuffix("()")
    matches = [
        record for record in records if any(f".{path}".endswith(name) for path in record.implemented_by)
    ]
    sole_implementations = [
        record for record in matches if len(record.implemented_by) == 1 and record.reference is not None
    ]
    return sole_implementations or matches
