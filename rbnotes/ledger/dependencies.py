"""Dependencies between claims: which display of the notes rests on which, and which displays use it.

The pairs are those that the notes cite ("from (2.18) to (2.5)"), in ``citations.csv``, and those that records
name in their field ``rests_on``. They are about displays: all claims of a display share them.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from rbnotes.ledger.coverage import display_verdicts
from rbnotes.ledger.lookup import place_of_display
from rbnotes.ledger.record import NEEDS_CORRECTION, Record, Verdict
from rbnotes.ledger.sources import Ledger, active_ledger

CITATIONS_FILE = Path(__file__).with_name("citations.csv")
Graph = Mapping[str, tuple[str, ...]]


def rests_on(display: str) -> tuple[str, ...]:
    """Return the displays on which a display or passage of the notes rests, in the order of the notes."""
    return _graph(active_ledger()).get(display, ())


def used_by(display: str) -> tuple[str, ...]:
    """Return the displays and passages that rest on a display, in the order of the notes."""
    return _reversed_graph(active_ledger()).get(display, ())


def all_used(display: str) -> tuple[str, ...]:
    """Return the displays on which a display rests directly or through others."""
    return _reachable(display, _graph(active_ledger()))


def all_users(display: str) -> tuple[str, ...]:
    """Return the displays that rest on a display directly or through others."""
    return _reachable(display, _reversed_graph(active_ledger()))


def worst_verdict_below(display: str) -> Verdict | None:
    """Return the worst verdict of all displays on which a display rests; None if there is none."""
    return max(map(verdict_of, all_used(display)), key=list(Verdict).index, default=None)


def describe(display: str) -> str:
    """Return the place of a display in its notes, and its verdict if it is to be corrected."""
    verdict = verdict_of(display)
    return place_of_display(display) + (f" ({verdict})" if verdict in NEEDS_CORRECTION else "")


def verdict_of(display: str) -> Verdict:
    """Return the verdict of a display, the worst one of its claims."""
    return _verdicts(active_ledger())[display]


def find_cycle(graph: Graph) -> tuple[str, ...]:
    """Return a cycle of a graph; empty if it has none."""
    finished: set[str] = set()
    for start in graph:
        path = [start]
        pending = [iter(graph[start])]
        while pending:
            following = next(pending[-1], None)
            if following is None:
                finished.add(path.pop())
                pending.pop()
            elif following in path:
                return (*path[path.index(following) :], following)
            elif following not in finished:
                path.append(following)
                pending.append(iter(graph.get(following, ())))
    return ()


def read_graph() -> Graph:
    """Return the displays on which each display rests, in the order of the notes."""
    return _graph(active_ledger())


@cache
def _verdicts(opened_ledger: Ledger) -> Mapping[str, Verdict]:
    return display_verdicts(_records())


def _records() -> tuple[Record, ...]:
    from rbnotes import ledger

    return ledger.load()


@cache
def _graph(opened_ledger: Ledger) -> Graph:
    records = _records()
    pairs = {*read_citations(opened_ledger), *named_by_records(records)}
    displays = {record.display for record in records}
    return _in_order(filter(displays.issuperset, pairs), records)


def named_by_records(records: Iterable[Record]) -> set[tuple[str, str]]:
    """Return the pairs that records name in their field ``rests_on``."""
    return {(record.display, each) for record in records for each in record.rests_on}


def read_citations(opened_ledger: Ledger) -> set[tuple[str, str]]:
    """Return the pairs of a display and one that it cites; none if a ledger of the user stores none."""
    path = opened_ledger.folder / CITATIONS_FILE.name
    if not path.exists():
        return set()
    with path.open(encoding="utf-8") as file:
        return {(row["id"], row["rests_on"]) for row in csv.DictReader(file)}


@cache
def _reversed_graph(opened_ledger: Ledger) -> Graph:
    pairs = {(used, display) for display, uses in _graph(opened_ledger).items() for used in uses}
    return _in_order(pairs, _records())


def _in_order(pairs: Iterable[tuple[str, str]], records: Iterable[Record]) -> Graph:
    position = {display: i for i, display in enumerate(dict.fromkeys(record.display for record in records))}
    graph: dict[str, list[str]] = defaultdict(list)
    for display, other in pairs:
        graph[display].append(other)
    return {
        display: tuple(sorted(graph[display], key=position.__getitem__))
        for display in sorted(graph, key=position.__getitem__)
    }


def _reachable(display: str, graph: Graph) -> tuple[str, ...]:
    reachable: dict[str, None] = {}
    pending = list(graph.get(display, ()))
    while pending:
        current = pending.pop(0)
        if current not in reachable:
            reachable[current] = None
            pending += graph.get(current, ())
    return tuple(reachable)
