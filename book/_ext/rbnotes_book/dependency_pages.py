"""Graphs of the displays of the notes that rest on each other.

``{dependency-summary}``       count displays, citations, and displays that rest on an error
``{dependency-graphs} sueda``  draw one graph for each section of a set of notes
"""

from __future__ import annotations

import html
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from docutils import nodes
from sphinx.application import Sphinx

from rbnotes import ledger
from rbnotes.ledger import Record, Verdict, dependencies
from rbnotes.ledger.dependencies import Graph
from rbnotes.ledger.lookup import place_of_display
from rbnotes.ledger.record import NEEDS_CORRECTION
from rbnotes_book import claims, sections
from rbnotes_book.directive import LedgerDirective
from rbnotes_book.generated import FOLDER

BOX = 160, 28
"""Width and height of the box of a display."""
STEP = 205, 40
"""Distances between columns and rows of boxes."""
DOT_RADIUS = 5
SMALLEST = 0.62
"""Smallest scale of a graph: letters of 8 px; a wider one scrolls."""
Place = tuple[float, float]


def section_graph(source: str, number: str) -> Graph:
    """Return the displays of a section that rest on others, each with these."""
    own = dict.fromkeys(record.display for record in sections.records(source, number))
    return {display: below for display in own if (below := dependencies.rests_on(display))}


def columns(graph: Graph) -> dict[str, int]:
    """Return the column of each display: one to the right of all on which it rests."""
    columns: dict[str, int] = {}

    def column(display: str) -> int:
        if display not in columns:
            columns[display] = max((column(each) + 1 for each in graph.get(display, ())), default=0)
        return columns[display]

    for display in graph:
        column(display)
    return columns


def layout(graph: Graph) -> dict[str, Place]:
    """Return the left upper corner of the box of each display."""
    order = {record.display: i for i, record in enumerate(ledger.load())}
    rows: dict[int, list[str]] = defaultdict(list)
    for display, column in columns(graph).items():
        rows[column].append(display)
    return {
        display: (column * STEP[0] + DOT_RADIUS, i * STEP[1] + 1.0)
        for column, listed in rows.items()
        for i, display in enumerate(sorted(listed, key=order.__getitem__))
    }


def _record(display: str) -> Record:
    return claims.worst(claims.records_of_claim(display))


def _entry_page(record: Record) -> str:
    """Return the address of a claim in the ledger, from a page beside the folder of generated pages."""
    name = sections.page(record.source, record.section)
    return f"{PurePosixPath(FOLDER).name}/{name}.html#{claims.anchor(record.id)}"


def _box(display: str, place: Place) -> str:
    record, below = _record(display), dependencies.worst_verdict_below(display)
    (x, y), (width, height) = place, BOX
    title = f"{record.title}: {claims.WORDS[record.verdict]}"
    size = f'width="{width}" height="{height}" rx="4"'
    dot = ""
    if below in NEEDS_CORRECTION:
        title += f"; rests on a display that is {claims.WORDS[below]}"
        dot = f'<circle class="verdict-{below}" cx="{x:g}" cy="{y + height / 2:g}" r="{DOT_RADIUS}"/>'
    label = html.escape(place_of_display(display))
    return (
        f'<a href="{html.escape(_entry_page(record))}"><title>{html.escape(title)}</title>'
        f'<rect class="verdict-{record.verdict}" x="{x:g}" y="{y:g}" {size}/>'
        f'{dot}<text x="{x + width / 2:g}" y="{y + height / 2 + 4:g}">{label}</text></a>'
    )


def _line(start: Place, end: Place) -> str:
    x, y = start[0] + BOX[0], start[1] + BOX[1] / 2
    to_x, to_y = end[0], end[1] + BOX[1] / 2
    middle = (x + to_x) / 2
    return f'<path d="M{x:g},{y:g}C{middle:g},{y:g},{middle:g},{to_y:g},{to_x:g},{to_y:g}"/>'


def picture(graph: Graph, label: str) -> str:
    """Return a graph as SVG with links, in the colors of the page."""
    places = layout(graph)
    width, height = (max(place[k] for place in places.values()) + BOX[k] + 1 for k in (0, 1))
    lines = [_line(places[each], places[display]) for display, below in graph.items() for each in below]
    boxes = [_box(display, place) for display, place in places.items()]
    return (
        f'<div class="dependencies" tabindex="0" role="group" aria-label="{html.escape(label)}">'
        f'<svg viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
        f' style="min-width: {SMALLEST * width:.0f}px">'
        f"{''.join(lines)}{''.join(boxes)}</svg></div>"
    )


class DependencyGraphs(LedgerDirective):
    """{dependency-graphs} source: draw the graph of each section of a set of notes."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        [source] = self.arguments
        content: list[nodes.Node] = []
        for section in sections.with_claims():
            if section.source == source and (graph := section_graph(source, section.number)):
                heading = f"{sections.AUTHORS[source]} {section.number}: {section.title}"
                content.append(nodes.paragraph("", "", nodes.strong("", heading)))
                content.append(nodes.raw("", picture(graph, heading), format="html"))
        return content


def inherited(graph: Mapping[str, Sequence[str]], verdict: Verdict) -> set[str]:
    """Return the displays that rest, directly or through others, on one with this verdict."""
    return {
        display
        for display in graph
        if any(dependencies.verdict_of(each) is verdict for each in dependencies.all_used(display))
    }


class DependencySummary(LedgerDirective):
    """{dependency-summary}: count the displays that rest on others, and on errors."""

    def run(self) -> list[nodes.Node]:
        graph = dependencies.read_graph()
        pairs = sum(map(len, graph.values()))
        wrong = inherited(graph, Verdict.ERRATUM)
        text = (
            f"{len(graph)} displays and passages rest on earlier displays, in {pairs} pairs. "
            f"{len(wrong)} of them rest, directly or through others, on a display with an error."
        )
        return [nodes.paragraph("", text)]


def setup(app: Sphinx) -> None:
    app.add_directive("dependency-graphs", DependencyGraphs)
    app.add_directive("dependency-summary", DependencySummary)
