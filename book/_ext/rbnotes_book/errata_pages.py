"""Directives for what the notes got wrong.

``{errata} lloyd``        all corrections to one set of notes in a table, and their root causes
``{errata} lloyd 0.21``   the corrections to one section: errors, then misprints
``{conditions} lloyd``    claims that hold only under a condition which is not stated there
``{erratum} id``          a box in a chapter: what is printed, what is right, and the writer's words
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path

from docutils import nodes
from rich.progress import track
from sphinx.application import Sphinx
from sphinx.util import logging

from rbnotes.ledger import Record, errata
from rbnotes.ledger.record import NEEDS_CORRECTION, WRONG_AS_PRINTED
from rbnotes_book import claims, formulas, outcomes, sections
from rbnotes_book.directive import Field, LedgerDirective, table

PROCESSES = 2
"""Searches for counterexamples at a time."""

logger = logging.getLogger(__name__)


class Corrections(LedgerDirective):
    """What the lists of corrections share: their entries, with counterexamples."""

    required_arguments = 1
    told = "What is corrected"
    """What the last column of the summary holds."""

    def anchor(self, record: Record) -> str:
        return "errata-" + claims.anchor(record.id)

    def found(self, records: Sequence[Record]) -> list[outcomes.Found]:
        source, *number = self.arguments
        title = " ".join(["Counterexamples to", sections.AUTHORS[source], *number])
        ids, root = [record.id for record in records], Path(self.env.srcdir)
        with ProcessPoolExecutor(PROCESSES) as pool:
            found = pool.map(outcomes.counterexample, ids, repeat(root))
            return list(track(found, title, total=len(records)))

    def section(self, title: str, content: Sequence[nodes.Node]) -> list[nodes.Node]:
        if not content:
            return []
        name = nodes.make_id(" ".join([*self.arguments, title]))
        section = nodes.section("", nodes.title("", title), *content, ids=[name], classes=["corrections"])
        section.source, section.line = self.get_source_info()
        return [section]

    def summary(self, records: Sequence[Record]) -> nodes.table:
        """One line for each correction."""
        return table(["Place", "Verdict", self.told], map(self.row, records), "claims", "of-corrections")

    def row(self, record: Record) -> list[nodes.Node]:
        return [self.place(record), claims.badge(record.verdict), self.corrected(record)]

    def place(self, record: Record) -> nodes.Element:
        """A record's place in the notes, linked to its correction."""
        return claims.link(
            record, nodes.inline("", claims.place_in_notes(record)), "correction", self.env.docname
        )

    @staticmethod
    def corrected(record: Record) -> nodes.paragraph:
        """What is corrected, and the root cause it has in common with others."""
        result = nodes.paragraph("", "", nodes.Text(record.title))
        if cause := errata.cause(record):
            text = f"cause: {cause.title[0].lower()}{cause.title[1:]}"
            link = nodes.reference("", text, refid=nodes.make_id(cause.title), internal=True)
            result += nodes.inline("", "", link, classes=["cause"])
        return result

    def entry(self, record: Record, found: outcomes.Found) -> nodes.container:
        box = nodes.container(ids=[self.anchor(record)], classes=["claim-entry"])
        self.domain.note("correction", record, (self.env.docname, self.anchor(record)))
        box += self.heading(record)
        effect = ("In a simulation", self.parse(record.effect, record))
        parts = [*self.statement(record), effect, *self.replacement(record), *self.counterexample(found)]
        box += self.fields(parts)
        links = [
            claims.link(record, nodes.inline("", "ledger"), "entry", self.env.docname),
            nodes.Text(", "),
            claims.link(record, nodes.inline("", "chapter"), "told", self.env.docname, titled=True),
        ]
        box += self.fields([("More", [nodes.paragraph("", "", *links)])])
        return box

    def replacement(self, record: Record) -> list[Field]:
        """The whole right form, set and as LaTeX to paste, unless it is that of an earlier entry."""
        if (first := errata.earlier_correction(record)) is not None:
            given = nodes.paragraph("", "", nodes.Text("the form given at "), self.place(first))
            return [("In its place", [given])]
        tex = record.replacement
        block = nodes.literal_block(tex, tex, language="none", classes=["latex"])
        whole = [] if _told(tex, record.correction) else self.replaced(record)
        return [("In its place", whole), ("LaTeX", [block])] if tex else []

    def replaced(self, record: Record) -> list[nodes.Node]:
        """What is to take the place of the print, set: a display, or a sentence."""
        if record.is_prose:
            return self.parse(record.replacement, record)
        node = nodes.math_block(record.replacement, record.replacement, nowrap=False, number=None)
        node.source = f"{formulas.RECORD}{record.id}"
        return [node]

    @staticmethod
    def counterexample(found: outcomes.Found) -> list[Field]:
        lines = "\n".join(found.inputs)
        shown = [nodes.literal_block(lines, lines, language="none")] if lines else []
        return [
            ("Wrong on", shown or [nodes.paragraph("", "the numbers in print, which take no input")]),
            ("Printed gives", [nodes.paragraph("", "", nodes.literal("", found.printed))]),
            ("Right gives", [nodes.paragraph("", "", nodes.literal("", found.right))]),
        ]


def _told(tex: str, correction: str) -> bool:
    """Whether a formula of a correction is the whole right form already."""
    told = ("".join(formula.split()) for formula in correction.split("$")[1::2])
    return "".join(tex.split()) in told


class Errata(Corrections):
    """{errata} source: a table and root causes; {errata} source section: errors, then misprints."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        source, *number = self.arguments
        own = errata.corrections(source)
        if number:
            return self.entries([record for record in own if [record.section] == number])
        if not own:
            return [nodes.paragraph("", "Nothing to correct in the claims checked so far.")]
        return [
            *self.section("Summary", [self.summary(own)]),
            *self.section("Root causes", [self.cause(each) for each in errata.causes(source)]),
        ]

    def entries(self, own: Sequence[Record]) -> list[nodes.Node]:
        """The corrections to a section, under a heading for each verdict."""
        source = self.arguments[0]
        intro = nodes.paragraph("", f"All corrections to {sections.AUTHORS[source]}: ")
        intro += [self.page_link(f"errata-{source}", "the errata"), nodes.Text(".")]
        pairs = list(zip(own, self.found(own), strict=True))
        return [
            intro,
            *(
                part
                for verdict, title in zip(NEEDS_CORRECTION, ("Errors", "Misprints"), strict=True)
                for part in self.section(
                    title, [self.entry(record, found) for record, found in pairs if record.verdict is verdict]
                )
            ),
        ]

    def cause(self, cause: errata.Cause) -> nodes.container:
        """What explains several corrections, and which."""
        records = [claims.matching(id)[0] for id in cause.ids]
        box = nodes.container(classes=["claim-entry"], ids=[nodes.make_id(cause.title)])
        box += nodes.paragraph("", "", nodes.strong("", cause.title))
        box += self.parse(cause.text, records[0])
        links = [
            part
            for record in records
            for part in (
                nodes.Text(", "),
                self.place(record),
            )
        ]
        box += nodes.paragraph("", "", nodes.Text("Explains "), *links[1:], nodes.Text("."))
        return box


class Conditions(Corrections):
    """{conditions} source: claims that are true only under a condition."""

    told = "What it is about"

    def run(self) -> list[nodes.Node]:
        own = errata.conditions(self.arguments[0])
        if not own:
            return [nodes.paragraph("", "No claim checked so far needs a condition.")]
        pairs = zip(own, self.found(own), strict=True)
        return [
            *self.section("Summary", [self.summary(own)]),
            *self.section("Conditions", [self.entry(record, found) for record, found in pairs]),
        ]


class Erratum(LedgerDirective):
    """{erratum} id: what the notes got wrong, told in a chapter."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        records = claims.matching(self.arguments[0])
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
        name = "told-" + claims.anchor(self.arguments[0])
        if self.domain.tell(records, self.env.docname, name):
            box["ids"] = [name]
        box += title
        box += self.fields(self.statement(record))
        self.state.nested_parse(self.content, self.content_offset, box)
        return [box]


def setup(app: Sphinx) -> None:
    for name, directive in {"errata": Errata, "conditions": Conditions, "erratum": Erratum}.items():
        app.add_directive(name, directive)
