"""Extract which display of the notes cites which, and store the pairs in rbnotes/ledger/citations.csv.

    python tools/cite_notes.py FOLDER     the folder of the notes' texts and of their inventory.csv

A display rests on an earlier one that is cited in the sentences that lead to it, or in the clause that
follows it ("where ..."), and on each one that its own words cite: a line of an algorithm, or a remark beside
a formula. A passage of prose with a record rests on what it cites. Only ids are stored.
"""

from __future__ import annotations

import csv
import re
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rbnotes import ledger
from rbnotes.ledger.dependencies import CITATIONS_FILE

FILES = {
    "lloyd": "lloyd-physics-notes.txt",
    "sueda": "sueda-rigid-body-notes.txt",
    "si": "si-guenter-linear-time-dynamics.txt",
}
NUM_LEADING_PARAGRAPHS = 2
"""Number of paragraphs before a display whose citations count as its own."""
MATH = re.compile(r"\$[^$]*\$")
REMARK = re.compile(r"\\text\{([^{}]*)\}")
SENTENCE = re.compile(r"(?<=[.:)])\s+(?=[A-Z])")
CITATION = re.compile(r"(?P<algorithm>Alg(?:orithm|\.)?\s*)?\\?\(?(?P<number>\d+(?:\.\d+)?)\\?\)?")
OF_OTHERS = re.compile(r"\btheir (?:Equation|Eq)")


@dataclass(frozen=True)
class Display:
    """A display of the notes: its id, its section, and the lines of the text from first to last."""

    id: str
    section: str
    first: int
    last: int


def read_displays(inventory: Path, source: str) -> list[Display]:
    """Return the displays of one set of notes in the order of the text."""
    displays = []
    with inventory.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["source"] == source:
                first, _, last = row["lines"].partition("-")
                displays.append(Display(row["id"], row["section"], int(first), int(last or first)))
    return sorted(displays, key=lambda each: (each.first, each.last))


def cited(sentence: str, displays: Sequence[Display]) -> Iterator[Display]:
    """Yield the displays that a sentence cites by the numbers of equations and algorithms."""
    if OF_OTHERS.search(sentence):
        return
    by_key = {each.id.rsplit("/", 1)[1]: each for each in displays}
    for match in CITATION.finditer(MATH.sub(" ", sentence)):
        is_equation = "(" in match[0] and ")" in match[0]
        key = f"alg{match['number']}" if match["algorithm"] else f"e{match['number']}"
        if key in by_key and (match["algorithm"] or is_equation):
            yield by_key[key]


def words(display: Display, line: str) -> str:
    """Return the words in a line of a display: the lines of an algorithm, the remarks in a formula."""
    return line if "/alg" in display.id else " ".join(REMARK.findall(line))


def citations(text: str, displays: Sequence[Display], prose: Sequence[str]) -> set[tuple[str, str]]:
    """Return pairs of a display or passage, and an earlier display on which it rests.

    Parameters
    ----------
    text
        Text of the notes.
    displays
        Its displays.
    prose
        Ids of passages of prose, which end with the number of a line.
    """
    lines = text.splitlines()
    passages = {int(re.sub(r"\D", "", id.rsplit("/t", 1)[1])): id for id in prose}
    inside = {number: each for each in displays for number in range(each.first, each.last + 1)}
    starts = [each.first for each in displays]
    pairs: set[tuple[str, str]] = set()
    before: Display | None = None
    for number, line in enumerate(lines, start=1):
        if number in inside:
            before = inside[number]
            pairs |= {(before.id, each.id) for each in cited(words(before, line), displays) if each != before}
            continue
        if not line.strip():
            continue
        index = bisect_right(starts, number)
        after = displays[index] if index < len(displays) else None
        gap = [n for n in range(number + 1, after.first if after else number + 1) if lines[n - 1].strip()]
        leads = after is not None and len(gap) < NUM_LEADING_PARAGRAPHS
        for k, sentence in enumerate(SENTENCE.split(line)):
            follows = k == 0 and before is not None and sentence.lstrip()[:1].islower()
            owner = before if follows else after if leads else None
            for target in cited(sentence, displays):
                if owner is not None and target.first < owner.first:
                    pairs.add((owner.id, target.id))
                if number in passages and target.first < number:
                    pairs.add((passages[number], target.id))
        before = None
    return pairs


def main() -> int:
    [folder] = map(Path, sys.argv[1:])
    prose = {record.display for record in ledger.load() if "/t" in record.display}
    pairs: set[tuple[str, str]] = set()
    for source, name in FILES.items():
        displays = read_displays(folder / "inventory.csv", source)
        own = sorted(id for id in prose if id.startswith(f"{source}/"))
        pairs |= citations((folder / name).read_text(encoding="utf-8"), displays, own)
    with CITATIONS_FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "rests_on"])
        writer.writerows(sorted(pairs))
    print(f"{len(pairs)} citations")
    return 0


if __name__ == "__main__":
    sys.exit(main())
