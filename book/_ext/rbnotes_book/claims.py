"""Claims in the text: {claim}`lloyd/s0.2/d2` shows a verdict and links to its entry in the ledger."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Any, ClassVar

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.domains import Domain
from sphinx.domains.python import PythonDomain
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole
from sphinx.util.nodes import make_refnode

from rbnotes import ledger
from rbnotes.ledger import Record, Verdict
from rbnotes.ledger.evidence import find_evidence
from rbnotes.ledger.lookup import place_in_notes as place_in_notes
from rbnotes_book import api_pages
from rbnotes_book.sections import page_name

Location = tuple[str, str]
"""A page and an anchor on it."""


logger = logging.getLogger(__name__)


def anchor(id: str) -> str:
    """Return the HTML anchor of a record."""
    return str(nodes.make_id(id.replace("#", "-")))


WORDS = {
    Verdict.HOLDS: "holds",
    Verdict.CONDITIONAL: "holds on a condition",
    Verdict.ERRATUM: "wrong in print",
    Verdict.MISPRINT: "misprint",
    Verdict.DEFINITION: "definition",
    Verdict.DEMONSTRATION: "reproduced",
}
"""Words on the badge of each verdict."""
MEANING = {
    Verdict.HOLDS: "true as printed",
    Verdict.CONDITIONAL: "true under a condition that is not stated there",
    Verdict.ERRATUM: "code written from the print gives a wrong number",
    Verdict.MISPRINT: "a slip that any reader corrects",
    Verdict.DEFINITION: "introduces a name; there is nothing to verify",
    Verdict.DEMONSTRATION: "printed numbers, reproduced",
}
"""Meaning of each verdict, shown as the tooltip of a badge and in the ledger."""


@cache
def _describe(id: str) -> str:
    """Return the tooltip of a reference to a claim."""
    record = ledger.find(id)
    evidence = f"; {find_evidence(record).summary}" if record.reference is not None else ""
    return f"{MEANING[record.verdict]}{evidence} ({place_in_notes(record)}: {record.title})"


def badge(verdict: Verdict) -> nodes.inline:
    """Return the badge of a verdict: one or two words and a color."""
    return nodes.inline("", WORDS[verdict], classes=["verdict", f"verdict-{verdict}"])


def describe_evidence(record: Record) -> str:
    """Return the stored evidence of a record as the beginning of a sentence."""
    text = find_evidence(record).summary
    return text[:1].upper() + text[1:]


def link(
    record: Record, content: nodes.Node, kind: str, docname: str, *, titled: bool = False
) -> addnodes.pending_xref:
    """Return a link to the record's ``entry`` in the ledger, ``explanation`` in a chapter, or ``correction``.

    With ``titled`` the title of that page replaces the content.
    """
    reference: addnodes.pending_xref = addnodes.pending_xref(
        "", refdomain="ledger", reftype=kind, reftarget=record.id, refdoc=docname, refwarn=True, titled=titled
    )
    reference += content
    return reference


class ClaimsDomain(Domain):
    """Sphinx domain of the places of records: entry in the ledger, explanation in a chapter, correction."""

    name = "ledger"
    label = "Ledger"
    # Sphinx declares these class attributes without ClassVar, which mypy reports as a change of their kind.
    initial_data: ClassVar[dict[str, Any]] = {"entry": {}, "explanation": {}, "correction": {}}  # type: ignore[misc]
    dangling_warnings: ClassVar[dict[str, str]] = {  # type: ignore[misc]  # as for initial_data
        "entry": "claim %(target)s has no entry in the ledger's pages",
        "explanation": "no chapter explains claim %(target)s",
        "correction": "claim %(target)s is on no page of errata or conditions",
        "function": "the API reference does not have %(target)s",
    }

    def note(self, kind: str, record: Record, location: Location) -> None:
        self.data[kind].setdefault(record.id, location)

    def explain(self, records: Iterable[Record], docname: str, anchor: str) -> bool:
        """Note the place that explains claims; return True if any of them had no explanation before."""
        unexplained = [
            record
            for record in records
            if page_name(docname) == record.chapter and record.id not in self.data["explanation"]
        ]
        for record in unexplained:
            self.note("explanation", record, (docname, anchor))
        return bool(unexplained)

    def clear_doc(self, docname: str) -> None:
        for locations in self.data.values():
            if isinstance(locations, dict):
                for id in [id for id, location in locations.items() if location[0] == docname]:
                    del locations[id]

    def merge_domaindata(self, docnames: Iterable[str], otherdata: dict[str, Any]) -> None:
        """Take over what another process has read; the first page by name counts, as without processes."""
        for kind in self.initial_data:
            locations = self.data[kind]
            for id, location in otherdata[kind].items():
                if location[0] in docnames and (id not in locations or location[0] < locations[id][0]):
                    locations[id] = location

    def resolve_xref(
        self,
        env: BuildEnvironment,
        fromdocname: str,
        builder: Builder,
        typ: str,
        target: str,
        node: addnodes.pending_xref,
        contnode: nodes.Element,
    ) -> nodes.Element | None:
        if typ == "function":
            return self._resolve_function(env, fromdocname, builder, target, contnode)
        location = self.data[typ].get(target)
        if location is None:
            return None
        if typ == "explanation" and node.get("titled"):
            contnode = nodes.inline("", env.titles[location[0]].astext())
        page, anchor_name = location
        return make_refnode(builder, fromdocname, page, anchor_name, contnode, _describe(target))

    @staticmethod
    def _resolve_function(
        env: BuildEnvironment, fromdocname: str, builder: Builder, target: str, contnode: nodes.Element
    ) -> nodes.Element | None:
        name = api_pages.documented_name(target)
        python = env.get_domain("py")
        assert isinstance(python, PythonDomain)
        # what a class inherits, or does not describe, leads to the class
        entry = python.objects.get(name) or python.objects.get(name.rpartition(".")[0])
        if entry is None or (entry.objtype == "module" and name not in python.objects):
            return None
        return make_refnode(builder, fromdocname, entry.docname, entry.node_id, contnode, name)

    def resolve_any_xref(self, *args: Any) -> list[tuple[str, nodes.Element]]:
        return []


@cache
def _records_by_display() -> dict[str, list[Record]]:
    names: dict[str, list[Record]] = defaultdict(list)
    for record in ledger.load():
        for name in {record.id, record.display}:
            names[name].append(record)
    return names


def records_of_claim(id: str) -> list[Record]:
    """Return the records of a claim: one, or all parts of a display."""
    return _records_by_display().get(id, [])


def worst(records: Iterable[Record]) -> Record:
    """Return the record with the worst verdict, which is the verdict of the display."""
    return max(records, key=lambda record: list(Verdict).index(record.verdict))


class ClaimRole(SphinxRole):
    """{claim}`id`: show the verdict, linked to the ledger."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        records = records_of_claim(self.text)
        if not records:
            logger.warning("no record of the claim %r", self.text, location=self.get_location())
            return [nodes.literal("", self.text)], []
        domain = self.env.get_domain("ledger")
        assert isinstance(domain, ClaimsDomain)
        target = nodes.inline("", "", classes=["claim"], claim=self.text)
        if domain.explain(records, self.env.docname, "explained-" + anchor(self.text)):
            target["ids"] = ["explained-" + anchor(self.text)]
        record = worst(records)
        target += link(record, badge(record.verdict), "entry", self.env.docname)
        return [target], []


class PlaceRole(SphinxRole):
    """{record}`id`: show a claim's place in its notes, linked to its entry in the ledger.

    {explained}`id`: show the chapter that explains it, linked to the sentence.
    """

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        record = ledger.find(self.text)
        text = nodes.inline("", place_in_notes(record))
        kind = "explanation" if self.name == "explained" else "entry"
        return [link(record, text, kind, self.env.docname, titled=kind == "explanation")], []


class VerdictRole(SphinxRole):
    """{verdict}`holds`: show the badge of a verdict."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        return [badge(Verdict(self.text))], []


def check_explained(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn of records that their chapter does not explain."""
    names = {page_name(docname): docname for docname in env.found_docs}
    for record in ledger.load():
        if record.chapter in names and record.id not in env.get_domain("ledger").data["explanation"]:
            logger.warning(
                "the chapter does not explain the claim %s: give it a badge, or a box if the notes are wrong",
                record.id,
                location=names[record.chapter],
            )


def setup(app: Sphinx) -> None:
    app.add_domain(ClaimsDomain)
    app.add_role("claim", ClaimRole())
    app.add_role("record", PlaceRole())
    app.add_role("explained", PlaceRole())
    app.add_role("verdict", VerdictRole())
    app.connect("env-check-consistency", check_explained)
