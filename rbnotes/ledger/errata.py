"""Errors of the notes, listed for their authors: root causes, errors, misprints, and LaTeX to paste."""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rbnotes import ledger
from rbnotes.ledger import tex_to_text
from rbnotes.ledger.causes import CAUSES, Cause
from rbnotes.ledger.lookup import place_in_notes
from rbnotes.ledger.record import NEEDS_CORRECTION, Record, Verdict
from rbnotes.ledger.shown_counterexample import counterexample
from rbnotes.ledger.sources import active_ledger
from rbnotes.ledger.unicode_math import SCREEN_WIDTH, labeled_lines, readable_formula, readable_sentence

__all__ = ["Cause", "RootCause", "cause", "causes", "conditions", "corrections", "earlier_correction"]

COLUMNS = (
    "id", "source", "section", "place", "verdict", "scan", "title", "cause", "printed", "right", "latex",
    "condition", "units", "remark", "effect",
)  # fmt: skip
HEADINGS = {
    "Errors": "code written from the print gives a wrong number",
    "Misprints": "any reader corrects them",
    "Conditions": "right if the condition holds, which the notes do not state",
    "Slips of the conversion": "in the text, perhaps not on the page",
}
"""Sections of the errata, each with what its entries are."""
MAX_INPUT_LINES = 6
"""Largest number of lines of the inputs of a counterexample."""

PREFACE = (
    "Found by comparing the print with computations that do not use it (rbnotes). An *error* gives a wrong "
    "number, any reader corrects a *misprint*, and a *condition* is missing in the statement. The text under "
    "*LaTeX* replaces the print: a formula, or a sentence of the text. The corrections belong together: each "
    "is right if the others are made as well."
)


def corrections(source: str) -> list[Record]:
    """Return the errors, then the misprints of one set of notes."""
    return [
        record
        for verdict in NEEDS_CORRECTION
        for record in ledger.load()
        if record.source == source and record.verdict is verdict
    ]


def conditions(source: str) -> list[Record]:
    """Return the claims of one set of notes that need a condition."""
    return [r for r in ledger.load() if r.source == source and r.verdict is Verdict.CONDITIONAL]


def causes(source: str) -> list[Cause]:
    """Return the causes that explain several corrections to one set of notes, largest first."""
    known = {record.id for record in corrections(source)}
    own = [cause for cause in CAUSES if known.issuperset(cause.ids)]
    return sorted(own, key=lambda cause: -len(cause.ids))


def cause(record: Record) -> Cause | None:
    """Return the root cause of a correction if it has one in common with others."""
    return next((cause for cause in CAUSES if record.id in cause.ids), None)


def earlier_correction(record: Record) -> Record | None:
    """Return the earlier correction of the same display with the same replacement."""
    own = corrections(record.source)
    earlier = own[: own.index(record)] if record in own else []
    same = (r for r in earlier if r.display == record.display and r.replacement == record.replacement)
    return next(same, None)


@dataclass(frozen=True)
class RootCause:
    """One slip, and all errors that it explains.

    Attributes
    ----------
    title
        The slip in a few words.
    text
        Correction of all places (text with TeX between dollars); empty if there is one place alone.
    records
        Errors, the one that shows the slip best first.
    """

    title: str
    text: str
    records: tuple[Record, ...]

    @property
    def effect(self) -> str:
        """Result of a simulation with the slip; empty if none was run."""
        return next((record.effect for record in self.records if record.effect), "")


def root_causes(records: Sequence[Record]) -> list[RootCause]:
    """Return the root causes of errors of one set of notes.

    Those with a simulation come first, then those that explain most places.
    """
    by_id = {record.id: record for record in records}
    found = [
        RootCause(each.title, each.text, tuple(by_id[id] for id in each.ids if id in by_id))
        for each in CAUSES
        if any(id in by_id for id in each.ids)
    ]
    found += [RootCause(record.title, "", (record,)) for record in records if cause(record) is None]
    return sorted(found, key=lambda each: (not each.effect, -len(each.records)))


def section_of_errata(record: Record) -> str:
    """Return the heading in the errata under which a record stands."""
    if record.scan:
        return "Slips of the conversion"
    headings = {Verdict.ERRATUM: "Errors", Verdict.MISPRINT: "Misprints", Verdict.CONDITIONAL: "Conditions"}
    return headings[record.verdict]


def as_text(records: Sequence[Record]) -> str:
    """Return the corrections for a terminal: root causes of each author, then all entries."""
    lines: list[str] = []
    for source in active_ledger().sources:
        own = [record for record in records if record.source == source.name]
        by_section = {heading: [r for r in own if section_of_errata(r) == heading] for heading in HEADINGS}
        if not own:
            continue
        found = root_causes(by_section["Errors"])
        counts = [f"{heading.lower()}: {len(by_section[heading])}" for heading in HEADINGS]
        summary = f"{', '.join(counts)}; root causes of the errors: {len(found)}"
        lines += [source.author.upper(), *textwrap.wrap(summary, SCREEN_WIDTH), ""]
        lines += [line for number, each in enumerate(found, 1) for line in _cause_text(number, each)]
        for heading, kind in HEADINGS.items():
            if by_section[heading]:
                lines += ["", f"{source.author}: {heading} ({kind})", ""]
                lines += [line for record in by_section[heading] for line in _entry_text(record)]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _cause_text(number: int, cause: RootCause) -> list[str]:
    """Return a root cause: its places, what is printed and right, and its effect."""
    places = ", ".join(map(place_in_notes, cause.records))
    lines = textwrap.wrap(f"{number}. {readable_sentence(cause.title)}", SCREEN_WIDTH)
    lines += labeled_lines("in", places)
    lines += labeled_lines("right", readable_sentence(cause.text or cause.records[0].correction))
    return lines + labeled_lines("in a run", readable_sentence(cause.effect))


def _entry_text(record: Record) -> list[str]:
    """Return one entry: print, right form, reason, counterexample."""
    convert = readable_sentence if record.is_prose else readable_formula
    heading = f"{place_in_notes(record)}: {readable_sentence(record.title)}  [{record.id}]"
    lines = textwrap.wrap(heading, SCREEN_WIDTH, break_on_hyphens=False)
    for label, text in (
        ("printed" if record.correction else "claim", readable_formula(record.formula)),
        ("right", convert(" ".join(record.replacement.split()))),
        ("because", readable_sentence(record.correction)),
        ("true if", readable_sentence(record.condition)),
        ("units", readable_sentence(record.units_mismatch)),
        ("in a run", readable_sentence(record.effect)),
        ("remark", readable_sentence(record.remark)),
    ):
        lines += labeled_lines(label, text)
    found = counterexample(record)
    if found is not None:
        *given, results = found.describe(MAX_INPUT_LINES, SCREEN_WIDTH - 4)
        lines += ["  for", *(f"    {line}" for line in given), *labeled_lines("", results)]
    return [*lines, ""]


def rows(records: Iterable[Record]) -> list[dict[str, str]]:
    """Return one row of text for each correction."""
    result = []
    for record in records:
        shared = cause(record)
        values = (
            record.id, record.source, record.section, place_in_notes(record), str(record.verdict),
            "likely" if record.scan else "", record.title, shared.title if shared else "",
            record.formula, record.correction, record.replacement, record.condition,
            record.units_mismatch, record.remark, record.effect,
        )  # fmt: skip
        result.append(dict(zip(COLUMNS, values, strict=True)))
    return result


def as_csv(records: Sequence[Record]) -> str:
    """Return the corrections as a table in CSV format."""
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows(records))
    return file.getvalue()


def as_markdown(records: Sequence[Record]) -> str:
    """Return the corrections as Markdown with TeX between dollars: summary, root causes, entries."""
    lines = ["# Errata", "", PREFACE, ""]
    for source in active_ledger().sources:
        own = [record for record in records if record.source == source.name]
        if own:
            lines += [f"## {source.author}", "", *_cause_lines(own), *_summary_lines(own), *_entry_lines(own)]
    return "\n".join(lines).rstrip() + "\n"


def _summary_lines(records: Sequence[Record]) -> list[str]:
    lines = ["| Place | Verdict | What is corrected |", "|---|---|---|"]
    lines += [f"| {place_in_notes(record)} | {record.verdict} | {record.title} |" for record in records]
    return [*lines, ""]


def _cause_lines(records: Sequence[Record]) -> list[str]:
    errors = [record for record in records if section_of_errata(record) == "Errors"]
    lines = ["### Root causes", ""]
    for number, each in enumerate(root_causes(errors), 1):
        places = ", ".join(map(place_in_notes, each.records))
        text = each.text or each.records[0].correction
        effect = f" In a simulation: {each.effect}" if each.effect else ""
        lines += [f"{number}. **{each.title}** ({places}). {text}{effect}"]
    return [*lines, ""]


def _entry_lines(records: Sequence[Record]) -> list[str]:
    lines = []
    for heading, kind in HEADINGS.items():
        own = [record for record in records if section_of_errata(record) == heading]
        if own:
            lines += [f"### {heading}", "", f"{kind[0].upper()}{kind[1:]}.", ""]
        for record in own:
            lines += [f"#### {place_in_notes(record)}: {record.title}", "", f"Claim `{record.id}`", ""]
            tex, first = record.replacement, earlier_correction(record)
            block = (
                f"the one given at {place_in_notes(first)}, `{first.id}`"
                if first
                else f"```latex\n{tex}\n```"
            )
            for label, text in (
                ("Printed" if record.correction else "Claim", _format_printed(record)),
                ("Right", record.correction),
                ("Holds if", record.condition),
                ("Units", f"They do not fit: {record.units_mismatch}." if record.units_mismatch else ""),
                ("Remark", record.remark),
                ("In a simulation", record.effect),
                ("LaTeX", block if tex else ""),
            ):
                if text:
                    lines += [f"**{label}:**", "", text, ""]
    return lines


def _format_printed(record: Record) -> str:
    """Return the print: a display, or a sentence that contains formulas."""
    if not record.formula:
        return ""
    parts = tex_to_text.split_text_and_formulas(record.formula)
    if len(parts) == 1 and not parts[0].is_text:
        return f"$${record.formula}$$"
    return "".join(part.content if part.is_text else f"${part.content}$" for part in parts)
