"""Directives that write the ledger into the book.

``{ledger-summary}``   how many claims of each verdict, and how much of the notes is covered
``{ledger} lloyd``     every record of one set of notes, by section
``{errata} lloyd``     what its reader should correct, with counterexamples
``{erratum} id``       a box in a chapter: what is printed, what is right, and the writer's words
``{records}``          at a chapter's end: the claims it tells
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby, repeat
from pathlib import Path, PurePosixPath

from docutils import nodes
from docutils.statemachine import StringList
from rich.progress import track
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from rbnotes import ledger
from rbnotes.ledger import Record, Verdict
from rbnotes.ledger.coverage import Entry, inventory, missing
from rbnotes_book import claims, formulas, outcomes

TO_CORRECT = (Verdict.ERRATUM, Verdict.MISPRINT, Verdict.CONDITIONAL)
MEANING = {
    Verdict.HOLDS: "true as printed",
    Verdict.CONDITIONAL: "true under a condition that is not stated there",
    Verdict.ERRATUM: "code written from the print gives a wrong number",
    Verdict.MISPRINT: "a slip that any reader mends",
    Verdict.DEFINITION: "names something; nothing to be right or wrong",
    Verdict.DEMONSTRATION: "printed numbers, reproduced",
}

PROCESSES = 2
"""Searches for counterexamples at a time."""

logger = logging.getLogger(__name__)


def table(head: Sequence[str], rows: Iterable[Sequence[nodes.Node | str]], *classes: str) -> nodes.table:
    """A docutils table of text or nodes."""

    def row(cells: Sequence[nodes.Node | str]) -> nodes.row:
        result = nodes.row()
        for cell in cells:
            content = nodes.Text(cell) if isinstance(cell, str) else cell
            entry = nodes.entry("")
            entry += content if isinstance(content, nodes.Body) else nodes.paragraph("", "", content)
            result += entry
        return result

    group = nodes.tgroup(cols=len(head))
    group += [nodes.colspec(colwidth=1) for _ in head]
    group += nodes.thead("", row(head))
    group += nodes.tbody("", *[row(cells) for cells in rows])
    return nodes.table("", group, classes=list(classes))


class LedgerDirective(SphinxDirective):
    """What the directives share: text with formulas, and the parts of an entry."""

    @property
    def domain(self) -> claims.ClaimsDomain:
        domain = self.env.get_domain("ledger")
        assert isinstance(domain, claims.ClaimsDomain)
        return domain

    def parse(self, text: str, record: Record) -> list[nodes.Node]:
        """Nodes of a record's text with TeX between dollars; faults in it name the record."""
        box = nodes.container()
        self.state.nested_parse(StringList(text.splitlines(), f"{formulas.RECORD}{record.id}"), 0, box)
        for node in box.findall(nodes.Element):
            node.source, node.line = f"{formulas.RECORD}{record.id}", None
        parsed: list[nodes.Node] = box.children
        return parsed

    def formula(self, record: Record) -> nodes.math_block:
        node = nodes.math_block(record.formula, record.formula, nowrap=False, number=None)
        node.source = f"{formulas.RECORD}{record.id}"
        return node

    def fields(self, pairs: Iterable[tuple[str, Sequence[nodes.Node]]]) -> nodes.field_list:
        result = nodes.field_list(classes=["claim-fields"])
        for name, content in pairs:
            if content:
                result += nodes.field("", nodes.field_name("", name), nodes.field_body("", *content))
        return result

    def heading(self, record: Record) -> nodes.paragraph:
        badge = claims.badge(record.verdict)
        return nodes.paragraph(
            "", "", nodes.strong("", record.title), nodes.Text(" "), badge, nodes.Text(" "),
            nodes.inline("", claims.where(record), classes=["where"]),
        )  # fmt: skip

    def statement(self, record: Record) -> list[tuple[str, Sequence[nodes.Node]]]:
        """What is printed, what is right and when: the part that every view of a record shows."""
        return [
            ("Printed" if record.correction else "Claim", [self.formula(record)] if record.formula else []),
            ("Right form", self.parse(record.correction, record)),
            ("Holds if", self.parse(record.condition, record)),
            ("Remark", self.parse(record.remark, record)),
            (
                "Scan",
                self.parse("The slip may come from the scan of the notes.", record) if record.scan else [],
            ),
        ]

    def section(self, title: str, content: Iterable[nodes.Node], *names: str) -> nodes.section:
        section = nodes.section("", nodes.title("", title), *content, ids=[nodes.make_id("-".join(names))])
        section.source, section.line = self.get_source_info()
        return section


class Ledger(LedgerDirective):
    """{ledger} source: every record of one set of notes."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        source = self.arguments[0]
        own = [record for record in ledger.load() if record.source == source]
        return [
            self.section(f"Section {number}", [self.entry(record) for record in records], source, number)
            for number, records in groupby(own, key=lambda record: record.section)
        ]

    def entry(self, record: Record) -> nodes.container:
        name = claims.anchor(record.id)
        self.domain.note("entry", record, (self.env.docname, name))
        box = nodes.container(ids=[name], classes=["claim-entry"])
        box += self.heading(record)
        box += self.fields([*self.statement(record), *self.evidence(record)])
        return box

    def evidence(self, record: Record) -> list[tuple[str, Sequence[nodes.Node]]]:
        code = [nodes.literal("", name) for name in record.implemented_by]
        spaced = [part for name in code for part in (name, nodes.Text(" "))]
        return [
            ("Checked against", self.parse(record.oracle, record)),
            ("Implemented by", [nodes.paragraph("", "", *spaced)]),
            ("Told in", [nodes.paragraph("", "", self.chapter(record))]),
            ("Id", [nodes.paragraph("", "", nodes.literal("", record.id))]),
        ]

    def chapter(self, record: Record) -> nodes.Node:
        text = nodes.inline("", record.chapter.replace("-", " "))
        if PurePosixPath(self.env.docname).with_name(record.chapter).as_posix() not in self.env.found_docs:
            return text
        return claims.link(record, text, "told", self.env.docname)


class Errata(LedgerDirective):
    """{errata} source: corrections to one set of notes, with counterexamples."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        source = self.arguments[0]
        own = [r for r in ledger.load() if r.source == source and r.verdict in TO_CORRECT]
        if not own:
            return [nodes.paragraph("", "Nothing to correct in the claims checked so far.")]
        title, ids = f"Counterexamples to {claims.AUTHORS[source]}", [record.id for record in own]
        with ProcessPoolExecutor(PROCESSES) as pool:
            found = pool.map(outcomes.counterexample, ids, repeat(Path(self.env.srcdir)))
            pairs = zip(own, track(found, title, total=len(own)), strict=True)
            return [self.entry(record, outcome) for record, outcome in pairs]

    def entry(self, record: Record, found: outcomes.Found) -> nodes.container:
        lines = "\n".join(found.inputs)
        listing = [nodes.literal_block(lines, lines, language="text")] if lines else []
        if found.residual is not None:
            size = "cannot be evaluated" if math.isinf(found.residual) else f"is off by {found.residual:.2g}"
            listing.append(nodes.paragraph("", f"On these inputs the printed form {size}."))
        details = nodes.paragraph(
            "", "", claims.link(record, nodes.inline("", record.id), "entry", self.env.docname)
        )
        box = nodes.container(ids=["errata-" + claims.anchor(record.id)], classes=["claim-entry"])
        box += self.heading(record)
        box += self.fields([*self.statement(record), ("Wrong on", listing), ("Record", [details])])
        return box


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
        if record.verdict not in TO_CORRECT:
            logger.warning("%s %s, it is no erratum", record.id, record.verdict, location=self.get_location())
        title = nodes.paragraph("", "", classes=["admonition-title"])
        badge = claims.link(record, claims.badge(record.verdict), "entry", self.env.docname)
        title += [nodes.Text(f"{claims.where(record)}: {record.title} "), badge]
        box = nodes.container(classes=["admonition", "erratum"])
        box += title
        box += self.fields(self.statement(record))
        self.state.nested_parse(self.content, self.content_offset, box)
        return [box]


class Records(LedgerDirective):
    """{records}: the claims that this chapter tells."""

    def run(self) -> list[nodes.Node]:
        chapter = self.env.docname.rsplit("/", 1)[-1]
        own = [record for record in ledger.load() if record.chapter == chapter]
        if not own:
            return [nodes.paragraph("", "The ledger has no record of this chapter.")]
        return [
            table(
                ["Claim", "What it says", "Verdict", "Checked against"],
                map(self.row, own),
                "claims",
                "of-chapter",
            )
        ]

    def row(self, record: Record) -> list[nodes.Node]:
        name = "listed-" + claims.anchor(record.id)
        self.domain.note("told", record, (self.env.docname, name))
        place = nodes.inline("", "", ids=[name])
        place += claims.link(record, nodes.inline("", claims.where(record)), "entry", self.env.docname)
        oracle = nodes.container("", *self.parse(record.oracle, record))
        return [place, nodes.Text(record.title), claims.badge(record.verdict), oracle]


class Summary(LedgerDirective):
    """{ledger-summary}: the verdicts counted, and the coverage of the notes."""

    @staticmethod
    def sections(source: str, entries: Iterable[Entry]) -> str:
        counts = Counter(entry.section for entry in entries if entry.source == source)
        listed = ", ".join(f"{section} ({number})" for section, number in counts.items())
        return f"{claims.AUTHORS[source]} {listed or 'none'}"

    def run(self) -> list[nodes.Node]:
        records = ledger.load()
        counts = Counter((record.verdict, record.source) for record in records)
        names = claims.AUTHORS
        rows = [
            [
                claims.badge(v),
                MEANING[v],
                *(str(counts[v, s]) for s in names),
                str(sum(counts[v, s] for s in names)),
            ]
            for v in MEANING
        ]
        total = [str(sum(record.source == source for record in records)) for source in names]
        rows.append([nodes.strong("", "all"), "", *total, str(len(records))])
        absent, listed = missing(records), inventory()
        text = f"{len(listed) - len(absent)} of the {len(listed)} displays of the notes have a record."
        if absent:
            text += " Without one so far: " + "; ".join(self.sections(name, absent) for name in names) + "."
        return [
            table(["Verdict", "Meaning", *names.values(), "All"], rows, "claims"),
            nodes.paragraph("", text),
        ]


def setup(app: Sphinx) -> None:
    claims.setup(app)
    for name, directive in {
        "ledger": Ledger,
        "errata": Errata,
        "erratum": Erratum,
        "records": Records,
        "ledger-summary": Summary,
    }.items():
        app.add_directive(name, directive)
