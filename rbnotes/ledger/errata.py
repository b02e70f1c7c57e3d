"""Errors of the notes, listed for their authors: root causes, errors, misprints, and LaTeX to paste."""

from __future__ import annotations

import csv
import io
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rbnotes import ledger
from rbnotes.ledger import tex_to_text
from rbnotes.ledger.causes import CAUSES, SharedCause
from rbnotes.ledger.lookup import describe_origin, describe_pages, place_in_notes
from rbnotes.ledger.pages import DROPPED, Origin
from rbnotes.ledger.record import NEEDS_CORRECTION, Record, Verdict
from rbnotes.ledger.shown_counterexample import counterexample
from rbnotes.ledger.sources import Source, active_ledger
from rbnotes.ledger.unicode_math import SCREEN_WIDTH, labeled_lines, readable_formula, readable_sentence

__all__ = [
    "RootCause",
    "SharedCause",
    "conditions",
    "corrections",
    "earlier_correction",
    "shared_cause",
    "shared_causes",
]

COLUMNS = (
    "id", "source", "section", "place", "verdict", "scan", "title", "cause", "printed", "right", "latex",
    "condition", "units", "remark", "effect", "no_simulation", "origin", "pages", "state", "reply",
)  # fmt: skip
FIXED = "Fixed by the author"
CONVERSIONS = "Slips of the conversion"
HEADINGS = {
    FIXED: "right, or with its condition, in the latest version; with thanks",
    "Errors": "code written from the print gives a wrong number",
    "Misprints": "any reader corrects them",
    "Conditions": "right if the condition holds, which the notes do not state",
    CONVERSIONS: "in the text but not on the author's page; without a page only a guess",
}
"""Sections of the errata, each with a description of its entries."""
MAX_INPUT_LINES = 6
"""Largest number of lines of the inputs of a counterexample."""

MAX_PRINTED_LENGTH = 200
"""Largest length of the TeX that a root cause repeats; the entries below have the longer ones."""

PREFACE = (
    "With thanks for the notes, on which this work builds. The print was compared with computations that do "
    "not use it (rbnotes). An *error* gives a wrong number, any reader corrects a *misprint*, and a "
    "*condition* is missing in the statement. The corrections belong together: each is right if the others "
    "are made as well. Each entry is open, answered, fixed, or dropped with its subject, and has room for "
    "a reply."
)
LATEX_NOTE = "The text under *LaTeX* replaces the print: a formula, or a sentence of the text."


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


def shared_causes(source: str) -> list[SharedCause]:
    """Return the causes that explain several corrections to one set of notes, largest first."""
    correction_ids = {record.id for record in corrections(source)}
    causes = [cause for cause in CAUSES if correction_ids.issuperset(cause.ids)]
    return sorted(causes, key=lambda cause: -len(cause.ids))


def shared_cause(record: Record) -> SharedCause | None:
    """Return the cause that a correction shares with others, or None."""
    return next((cause for cause in CAUSES if record.id in cause.ids), None)


def earlier_correction(record: Record) -> Record | None:
    """Return the earlier correction of the same display with the same replacement."""
    same_source = corrections(record.source)
    earlier = same_source[: same_source.index(record)] if record in same_source else []
    same = (r for r in earlier if r.display == record.display and r.replacement == record.replacement)
    return next(same, None)


def describe_versions(source: Source) -> str:
    """Return a description of the text of the notes: the pages with which it was compared, names, lines."""
    lines = "Lines are those of the converted text."
    return " ".join(filter(None, (_describe_pages(source), lines, source.references)))


def _describe_pages(source: Source) -> str:
    """Return a sentence about the versions of the notes that were compared."""
    if not source.versions:
        return "No page of the author was available: a slip may be due to the conversion of the text."
    names = [
        f"{version.date} ({version.num_pages} pages{', ' + version.note if version.note else ''})"
        for version in source.versions
    ]
    return (
        f"The text was converted from the version of {names[0]}; each claim was compared with this version "
        f"and with that of {names[1]}."
    )


def describe_counts(records: Iterable[Record]) -> str:
    """Return the numbers of errors, misprints and conditions by their origin, in one sentence."""
    counts = Counter((record.origin, record.verdict) for record in records)
    names = {Verdict.ERRATUM: "error", Verdict.MISPRINT: "misprint", Verdict.CONDITIONAL: "condition"}
    owners = {
        Origin.AUTHOR: "of the author",
        Origin.CONVERSION: "of the conversion",
        Origin.UNDECIDED: "of undecided origin",
    }
    parts = []
    for origin, owner in owners.items():
        numbers = [
            f"{number} {name}{'' if number == 1 else 's'}"
            for verdict, name in names.items()
            if (number := counts[origin, verdict])
        ]
        if numbers:
            parts.append(f"{owner}: {', '.join(numbers)}")
    return "; ".join(parts)


def describe_changes(records: Iterable[Record]) -> str:
    """Return how many of the author's slips the latest version fixes or drops; empty if it was not read."""
    own = [record for record in records if record.origin is Origin.AUTHOR]
    if not own:
        return ""
    num_fixed = sum(record.is_fixed for record in own)
    num_dropped = sum(record.page_2021 == DROPPED for record in own)
    return (
        f"of the author's, fixed in the latest version: {num_fixed}, "
        f"dropped with their subject: {num_dropped}"
    )


def correction_status(record: Record) -> str:
    """Return the status of a correction for its author; empty for a slip of the conversion."""
    if record.is_fixed:
        return "fixed"
    if record.origin is Origin.CONVERSION:
        return ""
    if record.page_2021 == DROPPED:
        return "dropped"
    return "answered" if record.reply else "open"


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
    effect
        Result of a simulation with the slip; empty if none was run.
    no_simulation
        Reason for which none was run.
    """

    title: str
    text: str
    records: tuple[Record, ...]
    effect: str = ""
    no_simulation: str = ""


def _root_cause(title: str, text: str, ids: Sequence[str], records: tuple[Record, ...]) -> RootCause:
    """Return a root cause; a simulation of any of its places counts, fixed ones included."""
    places = [ledger.find(id) for id in ids]
    effect = next((place.effect for place in places if place.effect), "")
    reason = next((place.no_simulation for place in places if place.no_simulation), "")
    return RootCause(title, text, records, effect, "" if effect else reason)


def root_causes(records: Sequence[Record]) -> list[RootCause]:
    """Return the root causes of errors of one set of notes.

    Those with a simulation come first, then those that explain most places.
    """
    by_id = {record.id: record for record in records}
    causes = [
        _root_cause(each.title, each.text, each.ids, tuple(by_id[id] for id in each.ids if id in by_id))
        for each in CAUSES
        if any(id in by_id for id in each.ids)
    ]
    causes += [
        _root_cause(each.title, "", (each.id,), (each,)) for each in records if shared_cause(each) is None
    ]
    return sorted(causes, key=lambda each: (not each.effect, -len(each.records)))


def section_of_errata(record: Record) -> str:
    """Return the heading in the errata under which a record stands."""
    if record.is_fixed:
        return FIXED
    if record.is_from_conversion:
        return CONVERSIONS
    headings = {Verdict.ERRATUM: "Errors", Verdict.MISPRINT: "Misprints", Verdict.CONDITIONAL: "Conditions"}
    return headings[record.verdict]


def as_text(records: Sequence[Record]) -> str:
    """Return the corrections for a terminal: root causes of each author, then all entries."""
    lines = [*_wrap_text(PREFACE.replace("*", "")), ""]
    for source in active_ledger().sources:
        own = [record for record in records if record.source == source.name]
        by_section = {heading: [r for r in own if section_of_errata(r) == heading] for heading in HEADINGS}
        if not own:
            continue
        causes = root_causes(by_section["Errors"])
        summary = [describe_versions(source), describe_counts(own), describe_changes(own)]
        lines += [source.author.upper(), *(line for text in summary for line in _wrap_text(text)), ""]
        if by_section[FIXED]:
            lines += [*_wrap_text(f"{FIXED} ({HEADINGS[FIXED]})"), ""]
            lines += [line for each in by_section[FIXED] for line in _wrap_text(_fixed_line(each))]
            lines += [""]
        lines += [f"Root causes of the errors: {len(causes)}", ""]
        lines += [line for number, each in enumerate(causes, 1) for line in _cause_text(number, each)]
        for heading, kind in HEADINGS.items():
            if by_section[heading]:
                lines += ["", *_wrap_text(f"{source.author}: {heading} ({kind})"), ""]
                lines += [line for record in by_section[heading] for line in _entry_text(record)]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _wrap_text(text: str) -> list[str]:
    return textwrap.wrap(text, SCREEN_WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _fixed_line(record: Record) -> str:
    """Return one line on a slip that the author has fixed."""
    page = "" if record.page_2021 is None else record.page_2021.describe()
    return f"{place_in_notes(record)} {readable_sentence(record.title)}: {readable_sentence(page)}"


def _cause_text(number: int, cause: RootCause) -> list[str]:
    """Return a root cause: its places, what is printed and right, and its effect."""
    places = "; ".join(map(place_in_notes, cause.records))
    lines = textwrap.wrap(f"{number}. {readable_sentence(cause.title)}", SCREEN_WIDTH)
    lines += labeled_lines("in", places)
    if len(cause.records[0].formula) <= MAX_PRINTED_LENGTH:
        lines += labeled_lines("printed", readable_formula(cause.records[0].formula))
    lines += labeled_lines("right", readable_sentence(cause.text or cause.records[0].correction))
    lines += labeled_lines("in a run", readable_sentence(cause.effect))
    return lines + labeled_lines("no run", readable_sentence(cause.no_simulation))


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
        ("no run", readable_sentence(record.no_simulation)),
        ("remark", readable_sentence(record.remark)),
        *((label.lower(), readable_sentence(text)) for label, text in _pages_and_origin(record)),
        ("reply", readable_sentence(record.reply) or "none yet"),
    ):
        lines += labeled_lines(label, text)
    example = counterexample(record)
    if example is not None:
        *inputs, results = example.describe(MAX_INPUT_LINES, SCREEN_WIDTH - 4)
        lines += ["  for", *(f"    {line}" for line in inputs), *labeled_lines("", results)]
    return [*lines, ""]


def _pages_and_origin(record: Record) -> list[tuple[str, str]]:
    """Return the pages and the origin with their labels; empty if no page of the author is available."""
    if record.origin is Origin.UNDECIDED:
        return []
    return [("Pages", describe_pages(record)), ("Origin", describe_origin(record))]


def rows(records: Iterable[Record]) -> list[dict[str, str]]:
    """Return one row of text for each correction."""
    result = []
    for record in records:
        shared = shared_cause(record)
        values = (
            record.id, record.source, record.section, place_in_notes(record), str(record.verdict),
            "likely" if record.scan else "", record.title, shared.title if shared else "",
            record.formula, record.correction, record.replacement, record.condition,
            record.units_mismatch, record.remark, record.effect, record.no_simulation,
            str(record.origin), describe_pages(record), correction_status(record), record.reply,
        )  # fmt: skip
        result.append(dict(zip(COLUMNS, values, strict=True)))
    return result


def cause_rows(source: Source, records: Iterable[Record]) -> list[dict[str, str]]:
    """Return one row of text, in the columns of corrections, for each root cause of an author's errors."""
    errors = [record for record in records if section_of_errata(record) == "Errors"]
    return [
        dict.fromkeys(COLUMNS, "")
        | {
            "source": source.name,
            "place": "; ".join(map(place_in_notes, cause.records)),
            "verdict": "root cause",
            "title": cause.title,
            "printed": cause.records[0].formula,
            "right": cause.text or cause.records[0].correction,
            "effect": cause.effect,
            "no_simulation": cause.no_simulation,
            "pages": describe_versions(source),
        }
        for cause in root_causes(errors)
    ]


def as_csv(records: Sequence[Record]) -> str:
    """Return a table in CSV format: root causes of each author, then all corrections."""
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for source in active_ledger().sources:
        own = [record for record in records if record.source == source.name]
        writer.writerows(cause_rows(source, own))
        writer.writerows(rows(own))
    return file.getvalue()


def as_markdown(records: Sequence[Record]) -> str:
    """Return the corrections as Markdown with TeX between dollars: summary, root causes, entries."""
    lines = ["# Errata", "", f"{PREFACE} {LATEX_NOTE}", ""]
    for source in active_ledger().sources:
        own = [record for record in records if record.source == source.name]
        if own:
            lines += [f"## {source.author}", "", describe_versions(source), ""]
            lines += [f"- {text}" for text in (describe_counts(own), describe_changes(own)) if text]
            lines += ["", *_fixed_lines(own), *_cause_lines(own), *_summary_lines(own), *_entry_lines(own)]
    return "\n".join(lines).rstrip() + "\n"


def _fixed_lines(records: Sequence[Record]) -> list[str]:
    fixed = [record for record in records if record.is_fixed]
    if not fixed:
        return []
    lines = [f"### {FIXED}, in short", ""]
    for record in fixed:
        page = "" if record.page_2021 is None else record.page_2021.describe()
        lines += [f"- {place_in_notes(record)} {record.title}: {page}"]
    return [*lines, ""]


def _summary_lines(records: Sequence[Record]) -> list[str]:
    lines = ["| Place | Verdict | What is corrected | Origin | State |", "|---|---|---|---|---|"]
    lines += [
        f"| {place_in_notes(each)} | {each.verdict} | {each.title} | {each.origin} "
        f"| {correction_status(each)} |"
        for each in records
    ]
    return [*lines, ""]


def _cause_lines(records: Sequence[Record]) -> list[str]:
    """Return the section on root causes in Markdown."""
    errors = [record for record in records if section_of_errata(record) == "Errors"]
    lines = ["### Root causes", ""]
    for number, each in enumerate(root_causes(errors), 1):
        first = each.records[0]
        places = "; ".join(map(place_in_notes, each.records))
        text = each.text or first.correction
        at = f" at {place_in_notes(first)}" if len(each.records) > 1 else ""
        printed = f"Printed{at}: {_inline_printed(first)}. Right: "
        if len(first.formula) > MAX_PRINTED_LENGTH:
            printed = "Right: " if text.startswith("$") else ""
        effect = f" In a simulation: {each.effect}" if each.effect else ""
        reason = f" No simulation: {each.no_simulation}" if each.no_simulation else ""
        lines += [
            f"{number}. **{each.title}**, in {places}. {printed}{text}"
            f"{'' if text.endswith('.') else '.'}{effect}{reason}"
        ]
    return [*lines, ""]


def _entry_lines(records: Sequence[Record]) -> list[str]:
    """Return the entries of all corrections in Markdown, by heading."""
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
                (
                    "Units",
                    f"They are inconsistent: {record.units_mismatch}." if record.units_mismatch else "",
                ),
                ("Remark", record.remark),
                *_pages_and_origin(record),
                ("Reply", record.reply or "none yet"),
                ("In a simulation", record.effect),
                ("No simulation", record.no_simulation),
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
    return _inline_printed(record)


def _inline_printed(record: Record) -> str:
    """Return the print in one line of text, with formulas between dollars."""
    parts = tex_to_text.split_text_and_formulas(record.formula)
    text = "".join(part.content if part.is_text else f"${part.content}$" for part in parts)
    return " ".join(text.split())
