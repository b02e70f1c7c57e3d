"""Directives that show the ledger in the book.

``{ledger-summary}``        number of claims of each verdict, and coverage of the notes
``{coverage}``              the same in a sentence
``{evidence-summary}``      number of claims with each kind of evidence
``{sections} lloyd``        the sections of one set of notes: title, claims, chapters
``{ledger} lloyd 0.22.1``   every record of one section
``{records}``               at a chapter's end: the claims that it explains
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from rbnotes import ledger
from rbnotes.coursework.cards import Card
from rbnotes.ledger import Record, Verdict
from rbnotes.ledger.coverage import Entry, entries_without_record, inventory
from rbnotes.ledger.evidence import find_evidence
from rbnotes.ledger.record import NEEDS_CORRECTION, WRONG_AS_PRINTED
from rbnotes.ledger.runner import count_cases
from rbnotes_book import api_pages, claims, sections
from rbnotes_book.directive import Field, LedgerDirective, table
from rbnotes_book.generated import FOLDER


def function_link(name: str, docname: str) -> addnodes.pending_xref:
    """Return a link to the API reference of a function of the library."""
    reference: addnodes.pending_xref = addnodes.pending_xref(
        "", refdomain="ledger", reftype="function", reftarget=name, refdoc=docname, refwarn=True
    )
    reference += nodes.literal("", api_pages.documented_name(name))
    return reference


class Ledger(LedgerDirective):
    """{ledger} source section: show every record of one section of the notes."""

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        source, number = self.arguments
        records = sections.records(source, number)
        counts = Counter(record.verdict for record in records)
        verdicts = ", ".join(f"{word} {counts[v]}" for v, word in claims.WORDS.items() if counts[v])
        intro = nodes.paragraph("", f"{len(records)} claims: {verdicts}. ")
        chapters = [self.chapter(name) for name in sections.chapters(source, number)]
        spaced = [part for chapter in chapters for part in (nodes.Text(", "), chapter)][1:]
        intro += [nodes.Text("Explained in "), *spaced, nodes.Text(". All sections: ")]
        intro += [self.page_link("ledger", "the ledger"), nodes.Text(".")]
        return [intro, *map(self.entry, records)]

    def chapter(self, name: str) -> nodes.Node:
        return self.page_link(name, name.replace("-", " "), titled=True)

    def entry(self, record: Record) -> nodes.container:
        name = claims.anchor(record.id)
        self.domain.note("entry", record, (self.env.docname, name))
        box = nodes.container(ids=[name], classes=["claim-entry"])
        box += self.heading(record)
        box += self.fields([*self.statement(record), *self.dependencies(record), *self.evidence(record)])
        return box

    def evidence(self, record: Record) -> list[Field]:
        links = [function_link(name, self.env.docname) for name in record.implemented_by]
        spaced = [part for link in links for part in (link, nodes.Text(" "))]
        number = count_cases(record)
        inputs = f"{number} inputs" if number > 1 else "the printed numbers"
        evidence = claims.describe_evidence(record)
        if find_evidence(record).kind != "sampled":
            evidence += f"; tests use {inputs} in double precision"
        text = nodes.inline("", record.chapter)
        explanation = claims.link(record, text, "explanation", self.env.docname, titled=True)
        return [
            ("Oracle", self.parse(record.oracle, record)),
            ("Evidence", [nodes.paragraph("", evidence)] if number else []),
            ("To submit", self.card(record)),
            ("Implemented by", [nodes.paragraph("", "", *spaced)]),
            ("Explained in", [nodes.paragraph("", "", explanation)]),
            ("Id", [nodes.paragraph("", "", nodes.literal("", record.id))]),
        ]

    def card(self, record: Record) -> list[nodes.Node]:
        """Return the task of a student, folded; nothing for formats other than HTML."""
        text = Card(record).brief_task
        if not text:
            return []
        summary, body = (html.escape(part) for part in text.split("\n", 1))
        folded = f'<details class="claim-card"><summary>{summary}</summary><pre>{body}</pre></details>'
        return [nodes.raw("", folded, format="html")]


class Sections(Ledger):
    """{sections} source: show every section of one set of notes, with its claims and its chapters."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        listed = [section for section in sections.with_claims() if section.source == self.arguments[0]]
        return [
            table(
                ["Section", "Title", "Claims", "To correct", "Chapters"],
                [self.row(section.source, section.number, section.title) for section in listed],
                "claims",
                "of-sections",
            )
        ]

    def row(self, source: str, number: str, title: str) -> list[nodes.Node]:
        records = sections.records(source, number)
        wrong = sum(record.verdict in NEEDS_CORRECTION for record in records)
        entry = self.page_link(
            f"{PurePosixPath(FOLDER).name}/{sections.page(source, number)}",
            f"{sections.AUTHORS[source]} {number}",
        )
        chapters = [self.chapter(name) for name in sections.chapters(source, number)]
        spaced = [part for chapter in chapters for part in (nodes.Text(", "), chapter)][1:]
        return [
            entry, nodes.Text(title), nodes.Text(str(len(records))), nodes.Text(str(wrong) if wrong else ""),
            nodes.paragraph("", "", *spaced),
        ]  # fmt: skip


class Records(LedgerDirective):
    """{records}: show the claims that this chapter explains, folded."""

    def run(self) -> list[nodes.Node]:
        chapter = sections.page_name(self.env.docname)
        records = [record for record in ledger.load() if record.chapter == chapter]
        if not records:
            return [nodes.paragraph("", "The ledger has no record of this chapter.")]
        head = ["Claim", "What it says", "Verdict", "Oracle"]
        what = "1 claim, its verdict" if len(records) == 1 else f"{len(records)} claims, their verdicts"
        summary = f"{what} and what they were checked against"
        return [
            nodes.raw("", f'<details class="claims-explained"><summary>{summary}</summary>', format="html"),
            table(head, map(self.row, records), "claims", "of-chapter"),
            nodes.raw("", "</details>", format="html"),
        ]

    def row(self, record: Record) -> list[nodes.Node]:
        """Return the claim's place in the chapter, and its verdict linked to the ledger."""
        docname = self.env.docname
        place = claims.link(record, nodes.inline("", claims.place_in_notes(record)), "explanation", docname)
        verdict = claims.link(record, claims.badge(record.verdict), "entry", docname)
        oracle = nodes.container("", *self.parse(record.oracle, record))
        return [place, nodes.Text(record.title), verdict, oracle]


class Coverage(LedgerDirective):
    """{coverage}: show the coverage of the notes and the verdicts in a sentence."""

    def run(self) -> list[nodes.Node]:
        records, listed = ledger.load(), inventory()
        counts = Counter(record.verdict for record in records)
        absent = entries_without_record(records)
        count = f"{len(listed) - len(absent)} of the {len(listed)}" if absent else f"All {len(listed)}"
        verdicts = [
            f"{counts[Verdict.HOLDS]} hold as printed",
            f"{counts[Verdict.CONDITIONAL]} hold under a condition that is not stated there",
            f"{counts[Verdict.ERRATUM]} give wrong numbers",
            f"{counts[Verdict.MISPRINT]} are misprinted",
            f"{counts[Verdict.DEFINITION] + counts[Verdict.DEMONSTRATION]} define names or show numbers",
        ]
        text = f" of the notes are checked, and what their text claims: of {len(records):,} claims "
        *most, last = verdicts
        verdicts = nodes.Text(f"{text}{', '.join(most)}, and {last}.")
        return [nodes.paragraph("", "", nodes.strong("", f"{count} displays"), verdicts)]


class Summary(LedgerDirective):
    """{ledger-summary}: show the number of claims of each verdict, and the coverage of the notes."""

    @staticmethod
    def sections(source: str, entries: Iterable[Entry]) -> str:
        counts = Counter(entry.section for entry in entries if entry.source == source)
        listed = ", ".join(f"{section} ({number})" for section, number in counts.items())
        return f"{sections.AUTHORS[source]} {listed or 'none'}"

    def run(self) -> list[nodes.Node]:
        records = ledger.load()
        counts = Counter((record.verdict, record.source) for record in records)
        names = sections.AUTHORS
        rows = [
            [
                claims.badge(v),
                claims.MEANING[v],
                *(str(counts[v, s]) for s in names),
                str(sum(counts[v, s] for s in names)),
            ]
            for v in claims.MEANING
        ]
        total = [str(sum(record.source == source for record in records)) for source in names]
        rows.append([nodes.strong("", "all"), "", *total, str(len(records))])
        absent, listed = entries_without_record(records), inventory()
        text = f"{len(listed) - len(absent)} of the {len(listed)} displays of the notes have a record."
        if absent:
            text += " Without one so far: " + "; ".join(self.sections(name, absent) for name in names) + "."
        return [
            table(["Verdict", "Meaning", *names.values(), "All"], rows, "claims", "of-verdicts"),
            nodes.paragraph("", text),
        ]


EVIDENCE = {
    "symbolic": "the same rational function of symbols, for all inputs",
    "exact": "equal fractions on random draws; the chance that a false formula passes is below the bound",
    "enclosed": "both sides lie in balls that overlap, or that exclude each other",
    "reproduced": "the printed digits are those of the exact value",
    "sampled": "equal up to a tolerance in double precision, on random inputs",
    "undecided": "no evidence so far, or evidence against the verdict",
}
"""Meaning of each kind of evidence."""


class EvidenceSummary(LedgerDirective):
    """{evidence-summary}: show the number of claims with each kind of stored evidence."""

    def run(self) -> list[nodes.Node]:
        records = [record for record in ledger.load() if record.reference is not None]
        counts = Counter(
            (find_evidence(record).kind, record.verdict in WRONG_AS_PRINTED) for record in records
        )
        rows = [
            [kind, meaning, str(counts[kind, False]), str(counts[kind, True])]
            for kind, meaning in EVIDENCE.items()
        ]
        total = [str(sum(counts[kind, wrong] for kind in EVIDENCE)) for wrong in (False, True)]
        rows.append(["all", "", *total])
        head = ["Evidence", "Meaning", "Right as printed", "Wrong, or on a condition"]
        proved = sum(find_evidence(record).is_proof for record in records)
        text = f"{proved:,} of the {len(records):,} claims that state something are more than sampled."
        return [table(head, rows, "claims", "of-evidence"), nodes.paragraph("", text)]


def setup(app: Sphinx) -> None:
    claims.setup(app)
    for name, directive in {
        "ledger": Ledger,
        "sections": Sections,
        "records": Records,
        "coverage": Coverage,
        "ledger-summary": Summary,
        "evidence-summary": EvidenceSummary,
    }.items():
        app.add_directive(name, directive)
