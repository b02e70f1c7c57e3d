"""Directives for the errors of the notes.

``{errata} lloyd``        show all corrections to one set of notes in a table, and their root causes
``{errata} lloyd 0.21``   show the corrections to one section: errors, then misprints
``{conditions} lloyd``    show claims that hold only under a condition that the notes do not state there
``{erratum} id``          show a box in a chapter: printed form, right form, and the author's explanation
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from rbnotes.ledger import Record, dependencies, errata
from rbnotes.ledger.record import NEEDS_CORRECTION, WRONG_AS_PRINTED, Verdict
from rbnotes.ledger.sources import active_ledger
from rbnotes_book import claims, formulas, outcomes, sections
from rbnotes_book.directive import Field, LedgerDirective, replace_tex_quotes, table

logger = logging.getLogger(__name__)


class Corrections(LedgerDirective):
    """Base class of the lists of corrections: entries with counterexamples.

    Attributes
    ----------
    column
        Heading of the last column of the summary.
    """

    required_arguments = 1
    column = "What is corrected"

    def anchor(self, record: Record) -> str:
        return "errata-" + claims.anchor(record.id)

    def counterexamples(self, records: Sequence[Record]) -> list[outcomes.Counterexample]:
        root = Path(self.env.srcdir)
        return [outcomes.counterexample(record.id, root) for record in records]

    def section(self, title: str, content: Sequence[nodes.Node]) -> list[nodes.Node]:
        if not content:
            return []
        name = nodes.make_id(" ".join([*self.arguments, title]))
        section = nodes.section("", nodes.title("", title), *content, ids=[name], classes=["corrections"])
        section.source, section.line = self.get_source_info()
        return [section]

    def summary(self, records: Sequence[Record]) -> nodes.table:
        """Return a table with one line for each correction."""
        return table(["Place", "Verdict", self.column], map(self.row, records), "claims", "of-corrections")

    def row(self, record: Record) -> list[nodes.Node]:
        return [self.linked_place(record), claims.badge(record.verdict), self.corrected(record)]

    def linked_place(self, record: Record) -> nodes.Element:
        """Return a record's place in the notes, linked to its correction."""
        return claims.link(
            record, nodes.inline("", claims.place_in_notes(record)), "correction", self.env.docname
        )

    @staticmethod
    def corrected(record: Record) -> nodes.paragraph:
        """Return the correction, and the root cause that it shares with others."""
        result = nodes.paragraph("", "", nodes.Text(record.title))
        if cause := errata.shared_cause(record):
            text = f"cause: {cause.title[0].lower()}{cause.title[1:]}"
            link = nodes.reference("", text, refid=nodes.make_id(cause.title), internal=True)
            result += nodes.inline("", "", link, classes=["cause"])
        return result

    def entry(self, record: Record, counterexample: outcomes.Counterexample) -> nodes.container:
        box = nodes.container(ids=[self.anchor(record)], classes=["claim-entry"])
        self.domain.note("correction", record, (self.env.docname, self.anchor(record)))
        box += self.heading(record)
        effects = [
            ("In a simulation", self.parse(record.effect, record)),
            ("No simulation", self.parse(record.no_simulation, record)),
        ]
        parts = [
            *self.statement(record),
            *effects,
            *self.replacement(record),
            ("Rest on it", self.displays(dependencies.all_users(record.display))),
            *self.counterexample(counterexample),
        ]
        box += self.fields(parts)
        links = [
            nodes.Text(f"{claims.describe_evidence(record)}. More: "),
            claims.link(record, nodes.inline("", "ledger"), "entry", self.env.docname),
            nodes.Text(", "),
            claims.link(record, nodes.inline("", "chapter"), "explanation", self.env.docname, titled=True),
        ]
        box += self.fields([("Evidence", [nodes.paragraph("", "", *links)])])
        return box

    def replacement(self, record: Record) -> list[Field]:
        """Return the whole right form, typeset and as LaTeX source, unless an earlier entry has it."""
        if (first := errata.earlier_correction(record)) is not None:
            reference = nodes.paragraph("", "", nodes.Text("the form given at "), self.linked_place(first))
            return [("In its place", [reference])]
        tex = record.replacement
        block = nodes.literal_block(tex, tex, language="none", classes=["latex"])
        typeset = [] if _is_right_form(tex, record.correction) else self.replaced(record)
        return [("In its place", typeset), ("LaTeX", [block])] if tex else []

    def replaced(self, record: Record) -> list[nodes.Node]:
        """Return the typeset replacement of the printed text: a display or a sentence."""
        if record.is_prose:
            return self.parse(record.replacement, record)
        node = nodes.math_block(record.replacement, record.replacement, nowrap=False, number=None)
        node.source = f"{formulas.RECORD}{record.id}"
        return [node]

    @staticmethod
    def counterexample(example: outcomes.Counterexample) -> list[Field]:
        lines = "\n".join(example.inputs)
        block = [nodes.literal_block(lines, lines, language="none")] if lines else []
        return [
            ("Wrong on", block or [nodes.paragraph("", "the numbers in print, which take no input")]),
            ("Printed gives", [nodes.paragraph("", "", nodes.literal("", example.printed))]),
            ("Right gives", [nodes.paragraph("", "", nodes.literal("", example.right))]),
        ]


def _is_of_author(cause: errata.RootCause) -> bool:
    """Return True for a cause of several slips, or of one open error, that are not due to the conversion."""
    own = [record for record in cause.records if not record.is_from_conversion]
    return any(cause.text or (r.verdict is Verdict.ERRATUM and not r.is_fixed) for r in own)


def _is_right_form(tex: str, correction: str) -> bool:
    """Return True if a formula of a correction is already the whole right form."""
    formulas = ("".join(formula.split()) for formula in correction.split("$")[1::2])
    return "".join(tex.split()) in formulas


class Errata(Corrections):
    """{errata} source: show a table and root causes; {errata} source section: errors, then misprints."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        source, *number = self.arguments
        records = errata.corrections(source)
        if number:
            return self.entries([record for record in records if [record.section] == number])
        if not records:
            return [nodes.paragraph("", "Nothing to correct in the claims checked so far.")]
        of_author = [r for r in records if not r.is_from_conversion and not r.is_fixed]
        of_conversion = [r for r in records if r.is_from_conversion]
        causes = errata.root_causes(records)
        return [
            *self.introduction(source),
            *self.listed(errata.FIXED, [r for r in records if r.is_fixed]),
            *self.section("Root causes", [self.cause(each) for each in causes if _is_of_author(each)]),
            *self.listed("Summary", of_author),
            *self.listed(errata.CONVERSIONS, of_conversion),
            *self.section(
                "Root causes of the conversion",
                [self.cause(each) for each in causes if each.text and not _is_of_author(each)],
            ),
        ]

    def introduction(self, source: str) -> list[nodes.Node]:
        """Return what was read, and the numbers of slips by origin, conditions among them."""
        records = [*errata.corrections(source), *errata.conditions(source)]
        texts = (
            errata.describe_versions(active_ledger().source(source)),
            errata.describe_counts(records),
            errata.describe_changes(records),
        )
        sentences = [f"{text[0].upper()}{text[1:].rstrip('.')}." for text in texts if text]
        return [nodes.paragraph("", replace_tex_quotes(sentence)) for sentence in sentences]

    def listed(self, title: str, records: Sequence[Record]) -> list[nodes.Node]:
        """Return a section with the summary of some records, if there are any."""
        if not records:
            return []
        kind = errata.HEADINGS.get(title)
        intro = [nodes.paragraph("", f"{kind[0].upper()}{kind[1:]}.")] if kind else []
        return self.section(title, [*intro, self.summary(records)])

    def entries(self, records: Sequence[Record]) -> list[nodes.Node]:
        """Return the corrections to a section, under a heading for each verdict."""
        source = self.arguments[0]
        intro = nodes.paragraph("", f"All corrections to {sections.AUTHORS[source]}: ")
        intro += [self.page_link(f"errata-{source}", "the errata"), nodes.Text(".")]
        pairs = list(zip(records, self.counterexamples(records), strict=True))
        return [
            intro,
            *(
                part
                for verdict, title in zip(NEEDS_CORRECTION, ("Errors", "Misprints"), strict=True)
                for part in self.section(
                    title,
                    [
                        self.entry(record, counterexample)
                        for record, counterexample in pairs
                        if record.verdict is verdict
                    ],
                )
            ),
        ]

    def cause(self, cause: errata.RootCause) -> nodes.container:
        """Return a root cause, its places, the first print, and what a simulation does with it."""
        first = cause.records[0]
        box = nodes.container(classes=["claim-entry"], ids=[nodes.make_id(cause.title)])
        box += nodes.paragraph("", "", nodes.strong("", cause.title))
        links = [part for record in cause.records for part in (nodes.Text("; "), self.linked_place(record))]
        printed = self.formula(first) if len(first.formula) <= errata.MAX_PRINTED_LENGTH else []
        box += self.fields(
            [
                ("Places", [nodes.paragraph("", "", *links[1:])]),
                ("Printed" if len(cause.records) == 1 else "Printed, first place", printed),
                ("Right form", self.parse(cause.text or first.correction, first)),
                ("In a simulation", self.parse(cause.effect, first)),
                ("No simulation", self.parse(cause.no_simulation, first)),
            ]
        )
        return box


class Conditions(Corrections):
    """{conditions} source: show the claims that are true only under a condition."""

    column = "What it is about"

    def run(self) -> list[nodes.Node]:
        records = errata.conditions(self.arguments[0])
        if not records:
            return [nodes.paragraph("", "No claim checked so far needs a condition.")]
        pairs = zip(records, self.counterexamples(records), strict=True)
        return [
            *self.section("Summary", [self.summary(records)]),
            *self.section(
                "Conditions", [self.entry(record, counterexample) for record, counterexample in pairs]
            ),
        ]


class Erratum(LedgerDirective):
    """{erratum} id: show an error of the notes in a box of a chapter."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        records = claims.records_of_claim(self.arguments[0])
        if not records:
            logger.warning("no record of the claim %r", self.arguments[0], location=self.get_location())
            return []
        record = claims.worst(records)
        if record.verdict not in WRONG_AS_PRINTED:
            logger.warning("%s %s, it is no erratum", record.id, record.verdict, location=self.get_location())
        title = nodes.paragraph("", "", classes=["admonition-title"])
        badge = claims.link(record, claims.badge(record.verdict), "entry", self.env.docname)
        title += [nodes.Text(f"{claims.place_in_notes(record)}: {record.title} "), badge]
        box = nodes.container(classes=["admonition", "erratum"])
        name = "explained-" + claims.anchor(self.arguments[0])
        if self.domain.explain(records, self.env.docname, name):
            box["ids"] = [name]
        box += title
        box += self.fields(self.statement(record))
        self.state.nested_parse(self.content, self.content_offset, box)
        return [box]


def setup(app: Sphinx) -> None:
    for name, directive in {"errata": Errata, "conditions": Conditions, "erratum": Erratum}.items():
        app.add_directive(name, directive)
