"""Graphs of displays: columns from left to right, a box and a link for each display."""

import re

from rbnotes_book import claims, dependency_pages, sections

from rbnotes.ledger import Verdict, dependencies


def test_displays_are_to_the_right_of_those_on_which_they_rest():
    graph = {"d": ("b", "c"), "c": ("b",), "b": ("a",)}
    assert dependency_pages.columns(graph) == {"a": 0, "b": 1, "c": 2, "d": 3}


def test_every_section_with_dependencies_has_a_picture():
    for section in sections.with_claims():
        graph = dependency_pages.section_graph(section.source, section.number)
        if not graph:
            continue
        drawn = dependency_pages.picture(graph, section.title)
        displays = {*graph, *(each for below in graph.values() for each in below)}
        assert drawn.count("<rect") == drawn.count("<title>") == len(displays)
        assert drawn.count("<path") == sum(map(len, graph.values()))
        places = dependency_pages.layout(graph)
        assert len(set(places.values())) == len(displays)


def test_boxes_lead_to_the_ledger_and_have_the_color_of_their_verdict():
    drawn = dependency_pages.picture(dependency_pages.section_graph("sueda", "1.5"), "Adjoint")
    record = claims.worst(claims.records_of_claim("sueda/s1.5/e1.16"))
    link = f'href="generated/ledger-sueda-1.5.html#{claims.anchor(record.id)}"'
    assert re.search(rf'{re.escape(link)}>.*?class="verdict-{record.verdict}".*?\(S 1\.16\)</text>', drawn)


def test_displays_that_rest_on_an_error_have_a_dot():
    inherited = dependency_pages.inherited(dependencies.read_graph(), Verdict.ERRATUM)
    assert inherited
    display = min(inherited)
    source, section, _ = display.split("/")
    drawn = dependency_pages.picture(dependency_pages.section_graph(source, section[1:]), "")
    assert '<circle class="verdict-erratum"' in drawn
    assert "rests on a display that is wrong in print" in drawn
