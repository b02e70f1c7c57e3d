"""Links to the pages of the first version keep working: every anchor is there, or a link to its new place."""

import re
from pathlib import Path

import pytest
from rbnotes_book import moved

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "_build" / "html" / "book"
LINES = Path(__file__).with_name("anchors.txt").read_text(encoding="utf-8").splitlines()
ANCHORS = {page: set(names.split()) for page, names in (line.split(": ") for line in LINES)}
"""Sections, displays, claims, exercises and figures of each chapter, as of 2026-11-28."""
MOVED = moved.read(ROOT)


def anchors(page):
    return set(re.findall(r'\bid="([^"]+)"', (PAGES / f"{page}.html").read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", ANCHORS)
def test_anchors_stay(page):
    assert ANCHORS[page] - anchors(page) == set()


def test_anchors_that_moved_are_on_their_new_pages():
    assert sum(len(names) for targets in MOVED.values() for names in targets.values()) > 100
    for page, targets in MOVED.items():
        for target, names in targets.items():
            assert set(names) - anchors(target) == set(), (page, target)


def test_the_list_links_the_new_places():
    assert moved.links({"muscles": ["the-arm"]}) == (
        '<details class="moved"><summary>Moved to other chapters</summary>'
        '<a id="the-arm" href="muscles.html#the-arm">the-arm</a> </details>'
    )
