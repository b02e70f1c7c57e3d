"""The book itself: every chapter runs, and the pages that `make book` wrote are sound."""

from pathlib import Path

import pytest
from check_pages import check
from rbnotes_book import execution

ROOT = Path(__file__).parents[2]
CHAPTERS = list(execution.chapters(ROOT))


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_chapter_runs(chapter):
    assert execution.execute(chapter, ROOT).error == ""


def test_written_pages_have_no_faults():
    pages = ROOT / "_build" / "html"
    assert (pages / "index.html").exists(), "write the pages first: make book"
    assert check(pages) == []


def test_every_record_names_a_chapter_of_the_book():
    from rbnotes import ledger

    names = {chapter.stem for chapter in CHAPTERS}
    assert {record.chapter for record in ledger.load()} <= names
