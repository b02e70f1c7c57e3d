"""Errors of the notes, listed for their authors: root causes, errors, misprints, and LaTeX to paste."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from rbnotes import ledger
from rbnotes.ledger import tex_to_text
from rbnotes.ledger.causes import CAUSES, Cause
from rbnotes.ledger.lookup import place_in_notes
from rbnotes.ledger.record import NEEDS_CORRECTION, Record, Verdict
from rbnotes.ledger.sources import active_ledger

__all__ = ["Cause", "cause", "causes", "conditions", "corrections", "earlier_correction"]

COLUMNS = (
    "id", "source", "section", "place", "verdict", "title", "cause", "printed", "right", "latex", "condition",
    "units", "remark", "effect",
)  # fmt: skip
HEADINGS = {Verdict.ERRATUM: "Errors", Verdict.MISPRINT: "Misprints", Verdict.CONDITIONAL: "Conditions"}

PREFACE = (
    "Found by comparing the print with computations that do not use it (rbnotes). An *error* gives a wrong "
    "number, any reader corrects a *misprint*, and a *condition* is missing in the statement. The text under "
    "*LaTeX* replaces the print: a formula, or a sentence of the text. The corrections belong together: each "
    "is right if the others are made as well."
)


def corrections(source: str) -> list[Record]:
    """Errors, then misprints of one set of notes."""
    return [
        record
        for verdict in NEEDS_CORRECTION
        for record in ledger.load()
        if record.source == source and record.verdict is verdict
    ]


def conditions(source: str) -> list[Record]:
    """Claims of one set of notes that need a condition."""
    return [r for r in ledger.load() if r.source == source and r.verdict is Verdict.CONDITIONAL]


def causes(source: str) -> list[Cause]:
    """Return the causes that explain several corrections to one set of notes, largest first."""
    known = {record.id for record in corrections(source)}
    own = [cause for cause in CAUSES if known.issuperset(cause.ids)]
    return sorted(own, key=lambda cause: -len(cause.ids))


def cause(record: Record) -> Cause | None:
    """Return the root cause of a correction, if it shares one with others."""
    return next((cause for cause in CAUSES if record.id in cause.ids), None)


def earlier_correction(record: Record) -> Record | None:
    """Return the earlier correction of the same display whose replacement mends this one, too."""
    own = corrections(record.source)
    earlier = own[: own.index(record)] if record in own else []
    same = (r for r in earlier if r.display == record.display and r.replacement == record.replacement)
    return next(same, None)


def rows(records: Iterable[Record]) -> list[dict[str, str]]:
    """Return one row of text for each correction."""
    result = []
    for record in records:
        shared = cause(record)
        values = (
            record.id, record.source, record.section, place_in_notes(record), str(record.verdict),
            record.title, shared.title if shared else "", record.formula, record.correction,
            record.replacement,
            record.condition, record.units_mismatch, record.remark, record.effect,
        )  # fmt: skip
        result.append(dict(zip(COLUMNS, values, strict=True)))
    return result


def as_csv(records: Sequence[Record]) -> str:
    """Return the corrections as a table that a spreadsheet reads."""
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
            lines += [f"## {source.author}", "", *_summary_lines(own), *_cause_lines(own), *_entry_lines(own)]
    return "\n".join(lines).rstrip() + "\n"


def _summary_lines(records: Sequence[Record]) -> list[str]:
    lines = ["| Place | Verdict | What is corrected |", "|---|---|---|"]
    lines += [f"| {place_in_notes(record)} | {record.verdict} | {record.title} |" for record in records]
    return [*lines, ""]


def _cause_lines(records: Sequence[Record]) -> list[str]:
    by_id = {record.id: record for record in records}
    lines = []
    for each in causes(records[0].source):
        listed = [place_in_notes(by_id[id]) for id in each.ids if id in by_id]
        if listed:
            lines += [
                f"### Root cause: {each.title}",
                "",
                each.text,
                "",
                f"Explains {', '.join(listed)}.",
                "",
            ]
    return lines


def _entry_lines(records: Sequence[Record]) -> list[str]:
    lines = []
    for verdict, heading in HEADINGS.items():
        own = [record for record in records if record.verdict is verdict]
        if own:
            lines += [f"### {heading}", ""]
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
    """Return a display, or a sentence with formulas in it."""
    if not record.formula:
        return ""
    parts = tex_to_text.split_text_and_formulas(record.formula)
    if len(parts) == 1 and not parts[0].is_text:
        return f"$${record.formula}$$"
    return "".join(part.content if part.is_text else f"${part.content}$" for part in parts)
